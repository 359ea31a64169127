//! Terms as C expressions, for people: conditions in reports, values in witnesses.
//!
//! Only terms that C can say are printed; for others there is no expression. The text compiles (signed
//! overflow wrapping) and means the term, symbols being variables of the width their sort has and of the
//! signedness that is told. C computes narrow values as `int` and wide ones at the width of the
//! widest operand, so each text knows whether its C value *is* the term's value, read with its sign, or only equal
//! to it in the term's bits; where the value matters (comparisons, divisions, right shifts, conversions) and is not there, a cast
//! makes it so. Divisions and shifts that C leaves undefined for some operands are not printed.

mod floats;
mod ranges;
mod text;

pub use text::Nature;

use ranges::{bits_needed, ranges};
use rustc_hash::FxHashMap;
use std::cmp::Ordering;
use text::{Bound, Text, constant, identifier, mask, number, precedence, text, type_name, wrap};

use crate::bits::Bits;
use crate::op::Op;
use crate::sort::Sort;
use crate::term::{SymbolId, TermId, TermPool};

/// What C calls a term.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Named {
    /// The expression: a name, or a path to an object (`p->len`, `s[0]`, `*p`).
    pub code: String,
    /// Whether it is declared signed.
    pub signed: bool,
    /// What it is.
    pub nature: Nature,
    /// What is named first stands on the left of a comparison.
    pub rank: usize,
}

/// The terms that C has names for. Symbols that are not mentioned are called by their own name and taken to be signed,
/// as `int` is.
pub type Names = FxHashMap<TermId, Named>;

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
pub fn c_expression(pool: &TermPool, root: TermId, names: &Names) -> Option<String> {
    if pool.tree_size(root) > MAX_NODES && !names.contains_key(&root) {
        return None;
    }
    let mut done: FxHashMap<TermId, Text> = FxHashMap::default();
    let mut pending = vec![root];
    while let Some(&term) = pending.last() {
        if done.contains_key(&term) {
            pending.pop();
            continue;
        }
        let before = pending.len();
        // What has a name is not looked into.
        if !names.contains_key(&term) {
            pending.extend(pool.operands(term).iter().filter(|t| !done.contains_key(t)));
        }
        if pending.len() == before {
            let text = Printer { pool, names, done: &done }.text(term)?;
            done.insert(term, text);
            pending.pop();
        }
    }
    done.remove(&root).map(|text| text.code)
}

struct Printer<'a> {
    pool: &'a TermPool,
    names: &'a Names,
    done: &'a FxHashMap<TermId, Text>,
}

impl Printer<'_> {
    fn text(&self, term: TermId) -> Option<Text> {
        let pool = self.pool;
        let operands = pool.operands(term);
        if let Some(named) = self.names.get(&term) {
            let binding = if named.code.starts_with(['*', '&']) {
                precedence::UNARY
            } else {
                precedence::ATOM
            };
            let nature = named.nature;
            return Some(Text { nature, ..text(named.code.clone(), binding, named.signed) });
        }
        if let Some(value) = pool.as_bits(term) {
            return number(&value, true);
        }
        if let Some(said) = self.floats(term) {
            return said;
        }
        if self.pool.as_float(term).is_some() {
            return self.float_constant(term);
        }
        if pool.op(term) == Op::BvSlt
            && let Some(sign) = self.sign_bit(operands)
        {
            return Some(sign);
        }
        // What is made of pointers is told apart by who may take them.
        let takes_pointers = matches!(pool.op(term), Op::Eq | Op::BvUlt | Op::BvAdd | Op::Ite);
        let is_plain =
            |t: &TermId| matches!(self.done[t].nature, Nature::Number | Nature::Character);
        if !takes_pointers && !operands.iter().all(is_plain) {
            return None;
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
        let name = identifier(self.pool.symbol_name(symbol))?;
        Some(text(name.to_string(), precedence::ATOM, true))
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
        let mut parts: Vec<Option<Text>> =
            operands.iter().map(|t| Some(self.done[t].clone())).collect();
        if binding == precedence::AND {
            ranges(&mut parts);
        }
        let parts: Vec<String> = parts.iter().flatten().map(|t| wrap(t, binding)).collect();
        text(parts.join(&format!(" {operator} ")), binding, true)
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
            match self.pool.as_bits(t).and_then(|value| mask(&value, signed)) {
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
        let pointer = |t: &&TermId| matches!(self.done[*t].nature, Nature::Pointer(_));
        if operands.iter().any(|t| pointer(&t)) {
            return self.moved(operands);
        }
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

    /// A pointer and a number of whole objects behind it.
    fn moved(&self, operands: &[TermId]) -> Option<Text> {
        let (pointer, distance) = match operands {
            [a, b] if self.pool.as_bits(*b).is_some() => (&self.done[a], self.pool.as_bits(*b)?),
            [a, b] => (&self.done[b], self.pool.as_bits(*a)?),
            _ => return None,
        };
        let Nature::Pointer(size) = pointer.nature else { return None };
        let distance = distance.to_i128()?;
        if size == 0 || distance % i128::from(size) != 0 {
            return None;
        }
        let count = distance / i128::from(size);
        let sign = if count < 0 { "-" } else { "+" };
        let pointed = wrap(pointer, precedence::SUM);
        let code = format!("{pointed} {sign} {}", count.unsigned_abs());
        Some(Text { nature: pointer.nature, ..text(code, precedence::SUM, false) })
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
        let small = |t: &TermId| bits_needed(self.pool, *t) < self.pool.width(*t);
        // Numbers that are not negative are the same, whichever way they are read.
        let signed = signed
            || operands.iter().all(small)
                && operands.iter().all(|t| self.done[t].signed || self.pool.op(*t).is_constant());
        let left = self.compared(operands[0], signed, operands[1])?;
        let right = self.compared(operands[1], signed, operands[0])?;
        let pointers = [&left, &right].map(|t| matches!(t.nature, Nature::Pointer(_)));
        if pointers[0] != pointers[1] || left.nature == Nature::Float {
            return None;
        }
        if let Some(less) = self.bounded(operands, signed, &left, &right) {
            return Some(less);
        }
        let (left, right) =
            (wrap(&left, precedence::ORDER + 1), wrap(&right, precedence::ORDER + 1));
        let rank = |t: TermId| self.names.get(&t).map(|named| named.rank);
        let ranks = rank(operands[1]).zip(rank(operands[0]));
        let order = ranks.map_or(Ordering::Equal, |(right, left)| right.cmp(&left));
        let (less, negated) = match order {
            Ordering::Less => (format!("{right} > {left}"), format!("{right} <= {left}")),
            Ordering::Equal => (format!("{left} < {right}"), format!("{right} <= {left}")),
            Ordering::Greater => (format!("{left} < {right}"), format!("{left} >= {right}")),
        };
        let mut less = text(less, precedence::ORDER, true);
        let negated = text(negated, precedence::ORDER, true);
        less.negated = Some(Box::new(negated));
        Some(less)
    }

    /// A comparison with a constant, which people write last.
    fn bounded(
        &self,
        operands: &[TermId],
        signed: bool,
        left: &Text,
        right: &Text,
    ) -> Option<Text> {
        let constants = [self.pool.as_bits(operands[0]), self.pool.as_bits(operands[1])];
        let one = |value: &Bits| Bits::one(value.width());
        // `c < x` says that x is at least c + 1, its opposite that x is at most c.
        let (of, inside, outside, lower) = match constants {
            [Some(c), None] => (right, c.add(&one(&c)), c, true),
            [None, Some(c)] => (left, c.sub(&one(&c)), c, false),
            _ => return None,
        };
        // Beyond the last number there is none: nobody would write that comparison.
        let wrapped = match (lower, signed) {
            (true, true) => inside.slt(&outside),
            (true, false) => inside.ult(&outside),
            (false, true) => outside.slt(&inside),
            (false, false) => outside.ult(&inside),
        };
        if wrapped {
            return None;
        }
        let nature = of.nature;
        let of = wrap(of, precedence::ORDER + 1);
        let make = |value: Bits, lower: bool, strict: bool| {
            let bound = Bound { of: of.clone(), value, signed, lower, strict, nature };
            Some(Text { bound: Some(bound.clone()), ..bound.text(false)? })
        };
        let opposite = make(outside, !lower, false)?;
        Some(Text { negated: Some(Box::new(opposite)), ..make(inside, lower, true)? })
    }

    fn equation(&self, operands: &[TermId]) -> Option<Text> {
        let pool = self.pool;
        if matches!(
            pool.sort(operands[0]),
            Sort::Array(_) | Sort::Float(_) | Sort::Uninterpreted(_)
        ) {
            return None;
        }
        let rank = |t: TermId| self.names.get(&t).map(|named| named.rank);
        let ranks = rank(operands[0]).zip(rank(operands[1]));
        let constant_first =
            pool.op(operands[0]).is_constant() || ranks.is_some_and(|(a, b)| b < a);
        let (a, b) =
            if constant_first { (operands[1], operands[0]) } else { (operands[0], operands[1]) };
        let signed = self.done[&a].signed;
        let left = self.compared(a, signed, b)?;
        let right = match pool.as_bits(b) {
            Some(value) => constant(&value, signed, left.nature, true)?,
            None => self.operand(b, Some(signed))?,
        };
        let pointers = [&left, &right].map(|t| matches!(t.nature, Nature::Pointer(_)));
        let null = pool.as_bits(b).is_some_and(|value| value.is_zero());
        if pointers[0] != pointers[1] && !null || left.nature == Nature::Float {
            return None;
        }
        // Comparisons of comparisons are read with parentheses only.
        let is_truth = pool.sort(a) == Sort::Bool;
        let binding = if is_truth { precedence::SHIFT } else { precedence::EQUAL + 1 };
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
        if [a, b].iter().any(|t| matches!(t.nature, Nature::Pointer(_) | Nature::Float)) {
            return None;
        }
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

/// `x`, if the term is `-1 * x`.
fn negated_factor(pool: &TermPool, term: TermId) -> Option<TermId> {
    match (pool.op(term), pool.operands(term)) {
        (Op::BvMul, &[a, b]) if pool.as_bits(a).is_some_and(|c| c.is_ones()) => Some(b),
        (Op::BvMul, &[a, b]) if pool.as_bits(b).is_some_and(|c| c.is_ones()) => Some(a),
        _ => None,
    }
}

#[cfg(test)]
mod tests;
