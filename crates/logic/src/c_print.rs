//! Terms as C expressions, for people: conditions in reports, values in witnesses.
//!
//! Only terms that C can say are printed; for others there is no expression. The text compiles (signed
//! overflow wrapping) and means the term, symbols being variables of the width their sort has and of the
//! signedness that is told. C computes narrow values as `int` and wide ones at the width of the
//! widest operand, so each text knows whether its C value *is* the term's value, read with its sign, or only equal
//! to it in the term's bits; where the value matters (comparisons, divisions, right shifts, conversions) and is not there, a cast
//! makes it so. Divisions and shifts that C leaves undefined for some operands are not printed.

use rustc_hash::FxHashMap;

use crate::bits::Bits;
use crate::op::Op;
use crate::sort::Sort;
use crate::term::{SymbolId, TermId, TermPool};

/// Whether a symbol was declared signed. Those not mentioned are taken to be signed, as `int` is.
pub type Signedness = FxHashMap<SymbolId, bool>;

/// Nodes, written out without sharing, beyond which nobody would read the expression.
const MAX_NODES: u64 = 2_000;

/// The term as a C expression with as few parentheses as C needs, if it has one.
///
/// ```
/// use verdiff_logic::{Sort, TermPool, c_expression};
/// # fn main() -> Result<(), verdiff_logic::LogicError> {
/// let mut pool = TermPool::new();
/// let x = pool.symbol("x", Sort::BitVec(32))?;
/// let (five, six) = (pool.bits(32, 5)?, pool.bits(32, 6)?);
/// let low = pool.bv_sle(five, x)?;
/// let high = pool.bv_sle(x, six)?;
/// let both = pool.and(&[low, high])?;
/// let text = c_expression(&pool, both, &Default::default());
/// assert_eq!(text.as_deref(), Some("5 <= x && x <= 6"));
/// # Ok(()) }
/// ```
pub fn c_expression(pool: &TermPool, root: TermId, signed: &Signedness) -> Option<String> {
    if pool.tree_size(root) > MAX_NODES {
        return None;
    }
    let mut done: FxHashMap<TermId, Text> = FxHashMap::default();
    for term in pool.sub_terms(&[root]) {
        let text = Printer { pool, signed, done: &done }.text(term)?;
        done.insert(term, text);
    }
    done.remove(&root).map(|text| text.code)
}

/// C's precedences, as far as they are used here; larger binds tighter.
mod precedence {
    pub(super) const CONDITIONAL: u32 = 1;
    pub(super) const OR: u32 = 2;
    pub(super) const AND: u32 = 3;
    pub(super) const BIT_OR: u32 = 4;
    pub(super) const BIT_XOR: u32 = 5;
    pub(super) const BIT_AND: u32 = 6;
    pub(super) const EQUAL: u32 = 7;
    pub(super) const ORDER: u32 = 8;
    pub(super) const SHIFT: u32 = 9;
    pub(super) const SUM: u32 = 10;
    pub(super) const PRODUCT: u32 = 11;
    pub(super) const UNARY: u32 = 12;
    pub(super) const ATOM: u32 = 13;
}

#[derive(Clone)]
struct Text {
    code: String,
    precedence: u32,
    /// Whether the value is to be read as signed.
    signed: bool,
    /// Whether the value in C is the term's, read so; otherwise only its low bits are.
    exact: bool,
    /// The same expression with the opposite meaning, for truth values.
    negated: Option<Box<Text>>,
}

struct Printer<'a> {
    pool: &'a TermPool,
    signed: &'a Signedness,
    done: &'a FxHashMap<TermId, Text>,
}

fn text(code: String, precedence: u32, signed: bool) -> Text {
    Text { code, precedence, signed, exact: true, negated: None }
}

impl Printer<'_> {
    fn text(&self, term: TermId) -> Option<Text> {
        let pool = self.pool;
        let operands = pool.operands(term);
        if let Some(value) = pool.as_bits(term) {
            return number(&value, true);
        }
        Some(match pool.op(term) {
            Op::True => text("1".into(), precedence::ATOM, true),
            Op::False => text("0".into(), precedence::ATOM, true),
            Op::Symbol(symbol) => self.symbol(symbol)?,
            Op::Not => self.negation(operands[0]),
            Op::And => self.truths(operands, "&&", precedence::AND),
            Op::Or => self.truths(operands, "||", precedence::OR),
            Op::Eq => self.equation(operands)?,
            Op::Ite => self.conditional(term, operands)?,
            Op::BvUlt => self.order(operands, false)?,
            Op::BvSlt => self.order(operands, true)?,
            _ => return self.arithmetic(term),
        })
    }

    fn arithmetic(&self, term: TermId) -> Option<Text> {
        let pool = self.pool;
        let operands = pool.operands(term);
        let first = *operands.first()?;
        Some(match pool.op(term) {
            Op::BvNot => {
                let operand = &self.done[&first];
                let code = format!("~{}", wrap(operand, precedence::UNARY));
                self.computed(term, code, precedence::UNARY, operand.signed)
            }
            Op::BvAnd => self.bits_joined(term, operands, "&", precedence::BIT_AND),
            Op::BvOr => self.bits_joined(term, operands, "|", precedence::BIT_OR),
            Op::BvXor => self.bits_joined(term, operands, "^", precedence::BIT_XOR),
            Op::BvAdd => self.sum(term, operands)?,
            Op::BvMul => match negated_factor(pool, term) {
                Some(factor) => {
                    let operand = &self.done[&factor];
                    let code = format!("-{}", wrap(operand, precedence::UNARY));
                    self.computed(term, code, precedence::UNARY, operand.signed)
                }
                None => {
                    let code = self.joined(operands, "*", precedence::PRODUCT);
                    self.computed(term, code, precedence::PRODUCT, self.all_signed(operands))
                }
            },
            Op::BvUdiv => self.quotient(operands, "/", false)?,
            Op::BvSdiv => self.quotient(operands, "/", true)?,
            Op::BvUrem => self.quotient(operands, "%", false)?,
            Op::BvSrem => self.quotient(operands, "%", true)?,
            Op::BvShl => self.shift(term, operands, "<<", None)?,
            Op::BvLshr => self.shift(term, operands, ">>", Some(false))?,
            Op::BvAshr => self.shift(term, operands, ">>", Some(true))?,
            Op::Extract { high, low: 0 } => self.low_bits(first, high + 1)?,
            Op::Extract { high, low } => self.slice(first, high, low)?,
            Op::ZeroExtend(_) => self.extension(term, first, false)?,
            Op::SignExtend(_) => self.extension(term, first, true)?,
            _ => return None,
        })
    }

    /// The result of an operation whose low bits are right: all of it is where C computes at
    /// the very width.
    fn computed(&self, term: TermId, code: String, precedence: u32, signed: bool) -> Text {
        let exact = matches!(self.pool.width(term), 32 | 64 | 128);
        Text { exact, ..text(code, precedence, signed) }
    }

    fn symbol(&self, symbol: SymbolId) -> Option<Text> {
        let signed = self.signed.get(&symbol).copied().unwrap_or(true);
        let name = identifier(self.pool.symbol_name(symbol))?;
        Some(text(name.to_string(), precedence::ATOM, signed))
    }

    /// An operand whose value is the term's, read with the wanted signedness or with its own.
    fn operand(&self, term: TermId, signed: Option<bool>) -> Option<Text> {
        let (pool, known) = (self.pool, &self.done[&term]);
        let signed = signed.unwrap_or(known.signed);
        if signed == known.signed && known.exact {
            return Some(known.clone());
        }
        match pool.as_bits(term) {
            Some(value) => number(&value, signed),
            None if pool.sort(term) == Sort::Bool => Some(known.clone()),
            None => self.cast(term, pool.width(term), signed),
        }
    }

    fn cast(&self, term: TermId, width: u32, signed: bool) -> Option<Text> {
        let name = type_name(width, signed)?;
        let code = format!("({name}){}", wrap(&self.done[&term], precedence::UNARY));
        Some(text(code, precedence::UNARY, signed))
    }

    fn extension(&self, term: TermId, operand: TermId, signed: bool) -> Option<Text> {
        let width = self.pool.width(term);
        let name = type_name(width, signed)?;
        let narrow = self.operand(operand, Some(signed))?;
        if width <= 32 {
            // C computes narrow values as `int`, which holds them all.
            return Some(Text { negated: None, signed: width == 32 || signed, ..narrow });
        }
        let code = format!("({name}){}", wrap(&narrow, precedence::UNARY));
        Some(text(code, precedence::UNARY, signed))
    }

    /// The low bits of a value: those that C has a type for by a cast, a few by a mask.
    fn low_bits(&self, operand: TermId, width: u32) -> Option<Text> {
        let known = &self.done[&operand];
        self.cast(operand, width, known.signed).or_else(|| {
            let mask = Bits::ones(width).to_u64().filter(|_| width < 8)?;
            let code = format!("{} & {mask}", wrap(known, precedence::BIT_AND));
            Some(text(code, precedence::BIT_AND, false))
        })
    }

    fn slice(&self, operand: TermId, high: u32, low: u32) -> Option<Text> {
        let unsigned = self.operand(operand, Some(false))?;
        let width = high - low + 1;
        let shifted = format!("{} >> {low}", wrap(&unsigned, precedence::SHIFT));
        // Narrow values are `int` for C, which a mask does not change; wide ones need their type.
        if let Some(name) = type_name(width, false) {
            return Some(text(format!("({name})({shifted})"), precedence::UNARY, false));
        }
        let mask = Bits::ones(width).to_biguint();
        Some(text(format!("({shifted}) & {mask}"), precedence::BIT_AND, false))
    }

    fn truths(&self, operands: &[TermId], operator: &str, binding: u32) -> Text {
        text(self.joined(operands, operator, binding), binding, true)
    }

    fn all_signed(&self, operands: &[TermId]) -> bool {
        operands.iter().all(|t| self.done[t].signed)
    }

    fn bits_joined(&self, term: TermId, operands: &[TermId], operator: &str, binding: u32) -> Text {
        let (mut all_exact, mut same) = (true, true);
        let others = || operands.iter().filter(|t| !self.pool.op(**t).is_constant());
        for operand in others() {
            all_exact &= self.done[operand].exact;
            same &= self.done[operand].signed == others().all(|t| self.done[t].signed);
        }
        let signed = others().all(|t| self.done[t].signed);
        // A constant is written with the sign of the rest, and so the result has it.
        let parts = self.ordered(operands, binding).into_iter().map(|t| {
            match self.pool.as_bits(t).and_then(|value| number(&value, signed)) {
                Some(constant) => wrap(&constant, binding),
                None => wrap(&self.done[&t], binding),
            }
        });
        let code = parts.collect::<Vec<_>>().join(&format!(" {operator} "));
        let computed = self.computed(term, code, binding, signed);
        Text { exact: computed.exact || all_exact && same, ..computed }
    }

    /// Constants of a normal form come first; people write them last.
    fn ordered(&self, operands: &[TermId], binding: u32) -> Vec<TermId> {
        let (constants, others): (Vec<TermId>, Vec<TermId>) =
            operands.iter().partition(|t| self.pool.op(**t).is_constant());
        if binding == precedence::PRODUCT {
            constants.iter().chain(&others).copied().collect()
        } else {
            others.iter().chain(&constants).copied().collect()
        }
    }

    fn joined(&self, operands: &[TermId], operator: &str, binding: u32) -> String {
        let ordered = self.ordered(operands, binding);
        // `a * (b / c)` is not `a * b / c`; the other operators meet nothing else of their precedence.
        let further = if binding == precedence::PRODUCT { binding + 1 } else { binding };
        let part =
            |(n, t): (usize, &TermId)| wrap(&self.done[t], if n == 0 { binding } else { further });
        let parts: Vec<String> = ordered.iter().enumerate().map(part).collect();
        parts.join(&format!(" {operator} "))
    }

    /// A sum, with `-` where a summand is negated.
    fn sum(&self, whole: TermId, operands: &[TermId]) -> Option<Text> {
        let pool = self.pool;
        let mut ordered = operands.to_vec();
        // Something positive first, constants last.
        ordered.sort_by_key(|t| (pool.as_bits(*t).is_some(), negated_factor(pool, *t).is_some()));
        let mut code = String::new();
        for term in ordered {
            let (sign, part) = match (negated_factor(pool, term), pool.as_bits(term)) {
                // In front, the sign would be that of the first factor: `-(a / b)` is not `-a / b`.
                (Some(factor), _) if code.is_empty() => {
                    ("-", wrap(&self.done[&factor], precedence::UNARY))
                }
                (Some(factor), _) => ("-", wrap(&self.done[&factor], precedence::PRODUCT)),
                // The smallest number has no opposite.
                (_, Some(value)) if value.is_negative() && !value.neg().is_negative() => {
                    ("-", number(&value.neg(), true)?.code)
                }
                _ => ("+", wrap(&self.done[&term], precedence::SUM)),
            };
            match (code.is_empty(), sign) {
                (true, "+") => {}
                (true, _) => code.push('-'),
                (false, _) => code.push_str(&format!(" {sign} ")),
            }
            code.push_str(&part);
        }
        Some(self.computed(whole, code, precedence::SUM, self.all_signed(operands)))
    }

    /// A quotient or remainder by a constant: by zero C has none.
    fn quotient(&self, operands: &[TermId], operator: &str, signed: bool) -> Option<Text> {
        let divisor = self.pool.as_bits(operands[1]).filter(|d| !d.is_zero())?;
        if signed && divisor.is_ones() {
            return None;
        }
        self.binary(operands, operator, precedence::PRODUCT, signed)
    }

    /// A shift by less than the width.
    fn shift(
        &self,
        term: TermId,
        operands: &[TermId],
        operator: &str,
        signed: Option<bool>,
    ) -> Option<Text> {
        let width = u64::from(self.pool.width(term));
        let small =
            |t: &TermId| self.pool.as_bits(*t).and_then(|b| b.to_u64()).is_some_and(|n| n < width);
        let amount = operands[1];
        let masked =
            self.pool.op(amount) == Op::BvAnd && self.pool.operands(amount).iter().any(small);
        if !small(&amount) && !masked {
            return None;
        }
        let right = self.operand(amount, None)?;
        let Some(signed) = signed else {
            let left = &self.done[&operands[0]];
            let code = format!(
                "{} {operator} {}",
                wrap(left, precedence::SHIFT),
                wrap(&right, precedence::SHIFT + 1)
            );
            return Some(self.computed(term, code, precedence::SHIFT, left.signed));
        };
        let left = self.operand(operands[0], Some(signed))?;
        let code = format!(
            "{} {operator} {}",
            wrap(&left, precedence::SHIFT),
            wrap(&right, precedence::SHIFT + 1)
        );
        Some(text(code, precedence::SHIFT, signed))
    }

    fn binary(
        &self,
        operands: &[TermId],
        operator: &str,
        binding: u32,
        signed: bool,
    ) -> Option<Text> {
        let sign = Some(signed);
        let (left, right) = (self.operand(operands[0], sign)?, self.operand(operands[1], sign)?);
        // These associate to the left, so the right operand must bind tighter.
        let code = format!("{} {operator} {}", wrap(&left, binding), wrap(&right, binding + 1));
        Some(text(code, binding, signed))
    }

    /// An operand of a comparison: a value that was only made wider is as good as the narrow one.
    fn compared(&self, term: TermId, signed: bool, other: TermId) -> Option<Text> {
        if let Op::ZeroExtend(_) | Op::SignExtend(_) = self.pool.op(term)
            && let Some(value) = self.pool.as_bits(other)
            && !value.is_negative()
        {
            let sign = matches!(self.pool.op(term), Op::SignExtend(_));
            if sign == signed || !sign {
                return self.operand(self.pool.operands(term)[0], Some(sign));
            }
        }
        self.operand(term, Some(signed))
    }

    fn order(&self, operands: &[TermId], signed: bool) -> Option<Text> {
        let left = self.compared(operands[0], signed, operands[1])?;
        let right = self.compared(operands[1], signed, operands[0])?;
        let (left, right) =
            (wrap(&left, precedence::ORDER + 1), wrap(&right, precedence::ORDER + 1));
        let mut less = text(format!("{left} < {right}"), precedence::ORDER, true);
        let negated = text(format!("{right} <= {left}"), precedence::ORDER, true);
        less.negated = Some(Box::new(negated));
        Some(less)
    }

    fn equation(&self, operands: &[TermId]) -> Option<Text> {
        let pool = self.pool;
        if matches!(
            pool.sort(operands[0]),
            Sort::Array(_) | Sort::Float(_) | Sort::Uninterpreted(_)
        ) {
            return None;
        }
        let constant_first = pool.op(operands[0]).is_constant();
        let (a, b) =
            if constant_first { (operands[1], operands[0]) } else { (operands[0], operands[1]) };
        let signed = self.done[&a].signed;
        let left = self.compared(a, signed, b)?;
        let right = self.operand(b, Some(signed))?;
        let binding = precedence::EQUAL + 1;
        let (left, right) = (truth(left, pool, a), truth(right, pool, b));
        let (left, right) = (wrap(&left, binding), wrap(&right, binding));
        let mut equal = text(format!("{left} == {right}"), precedence::EQUAL, true);
        equal.negated = Some(Box::new(text(format!("{left} != {right}"), precedence::EQUAL, true)));
        Some(equal)
    }

    fn negation(&self, operand: TermId) -> Text {
        let operand = &self.done[&operand];
        match &operand.negated {
            Some(negated) => {
                let back = Text { negated: None, ..operand.clone() };
                Text { negated: Some(Box::new(back)), ..(**negated).clone() }
            }
            None => text(format!("!{}", wrap(operand, precedence::UNARY)), precedence::UNARY, true),
        }
    }

    fn conditional(&self, term: TermId, operands: &[TermId]) -> Option<Text> {
        let is_truth = self.pool.sort(term) == Sort::Bool;
        let [c, a, b] = [0, 1, 2].map(|i| &self.done[&operands[i]]);
        let signed = a.signed && b.signed;
        let (a, b) = match is_truth {
            true => (a.clone(), b.clone()),
            false => {
                (self.operand(operands[1], Some(signed))?, self.operand(operands[2], Some(signed))?)
            }
        };
        let code = format!(
            "{} ? {} : {}",
            wrap(c, precedence::CONDITIONAL + 1),
            wrap(&a, precedence::CONDITIONAL + 1),
            wrap(&b, precedence::CONDITIONAL)
        );
        Some(text(code, precedence::CONDITIONAL, signed))
    }
}

/// A truth value to be compared with another: any number that is not zero is true for C.
fn truth(operand: Text, pool: &TermPool, term: TermId) -> Text {
    match pool.sort(term) {
        Sort::Bool if matches!(pool.op(term), Op::Symbol(_)) => {
            text(format!("!!{}", wrap(&operand, precedence::UNARY)), precedence::UNARY, true)
        }
        _ => operand,
    }
}

/// A constant. The smallest number of a type has no literal, and what is beyond 64 bits none at all.
fn number(value: &Bits, signed: bool) -> Option<Text> {
    let magnitude = value.to_biguint();
    if !signed || !value.is_negative() {
        let bits = magnitude.bits();
        let suffix = match bits {
            0..=63 => "",
            64 => "u",
            _ => return None,
        };
        return Some(text(format!("{magnitude}{suffix}"), precedence::ATOM, signed));
    }
    let smallest = value.neg().is_negative();
    let opposite = value.neg().to_biguint();
    if opposite.bits() > 64 || smallest && value.width() > 64 {
        return None;
    }
    Some(match smallest && value.width() >= 32 {
        true => text(format!("-{} - 1", opposite - 1u32), precedence::SUM, true),
        false => text(format!("-{opposite}"), precedence::UNARY, true),
    })
}

fn wrap(operand: &Text, binding: u32) -> String {
    if operand.precedence >= binding { operand.code.clone() } else { format!("({})", operand.code) }
}

/// `x`, if the term is `-1 * x`.
fn negated_factor(pool: &TermPool, term: TermId) -> Option<TermId> {
    match (pool.op(term), pool.operands(term)) {
        (Op::BvMul, &[a, b]) if pool.as_bits(a).is_some_and(|c| c.is_ones()) => Some(b),
        (Op::BvMul, &[a, b]) if pool.as_bits(b).is_some_and(|c| c.is_ones()) => Some(a),
        _ => None,
    }
}

fn type_name(width: u32, signed: bool) -> Option<&'static str> {
    Some(match (width, signed) {
        (8, true) => "signed char",
        (8, false) => "unsigned char",
        (16, true) => "short",
        (16, false) => "unsigned short",
        (32, true) => "int",
        (32, false) => "unsigned",
        (64, true) => "long",
        (64, false) => "unsigned long",
        (128, true) => "__int128",
        (128, false) => "unsigned __int128",
        _ => return None,
    })
}

/// The name, if C has it as an identifier or as a path to an object (`p->x`, `a.b`).
fn identifier(name: &str) -> Option<&str> {
    // A struct in registers has parts that C has no name for.
    if name.contains(".coerce") || name.starts_with("agg.") || name.starts_with("memory.") {
        return None;
    }
    let good = |c: char| c.is_alphanumeric() || "_.->[]*".contains(c);
    let starts = |c: char| c.is_alphabetic() || c == '_' || c == '*';
    (name.starts_with(starts) && name.chars().all(good)).then_some(name)
}

#[cfg(test)]
mod tests;
