//! Terms as C expressions, for people: conditions in reports, values in witnesses.
//!
//! Only terms that C can say are printed; for others there is no expression. The text is to be
//! read, not compiled: it takes integers to be of the width the term has, and writes a comparison
//! or division as C would for the signedness of its operator. Where an operator needs the other
//! signedness than its operands were declared with, a cast says so.

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
    /// Whether C takes the value as signed.
    signed: bool,
    /// The same expression with the opposite meaning, for truth values.
    negated: Option<Box<Text>>,
}

struct Printer<'a> {
    pool: &'a TermPool,
    signed: &'a Signedness,
    done: &'a FxHashMap<TermId, Text>,
}

fn text(code: String, precedence: u32, signed: bool) -> Text {
    Text { code, precedence, signed, negated: None }
}

impl Printer<'_> {
    fn text(&self, term: TermId) -> Option<Text> {
        let pool = self.pool;
        let operands = pool.operands(term);
        if let Some(value) = pool.as_bits(term) {
            return Some(self.number(&value, true));
        }
        Some(match pool.op(term) {
            Op::True => text("1".into(), precedence::ATOM, true),
            Op::False => text("0".into(), precedence::ATOM, true),
            Op::Symbol(symbol) => self.symbol(symbol)?,
            Op::Apply(function) => {
                let arguments: Vec<&str> =
                    operands.iter().map(|t| self.done[t].code.as_str()).collect();
                let name = &pool.signature(function).name;
                let code = format!("{}({})", identifier(name)?, arguments.join(", "));
                text(code, precedence::ATOM, true)
            }
            Op::Not => self.negation(operands[0]),
            Op::And => self.joined(operands, "&&", precedence::AND),
            Op::Or => self.joined(operands, "||", precedence::OR),
            Op::Eq => self.equation(operands)?,
            Op::Ite => self.conditional(operands),
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
                text(
                    format!("~{}", wrap(operand, precedence::UNARY)),
                    precedence::UNARY,
                    operand.signed,
                )
            }
            Op::BvAnd => self.joined(operands, "&", precedence::BIT_AND),
            Op::BvOr => self.joined(operands, "|", precedence::BIT_OR),
            Op::BvXor => self.joined(operands, "^", precedence::BIT_XOR),
            Op::BvAdd => self.sum(operands),
            Op::BvMul => match negated_factor(pool, term) {
                Some(factor) => {
                    let operand = &self.done[&factor];
                    let code = format!("-{}", wrap(operand, precedence::UNARY));
                    text(code, precedence::UNARY, operand.signed)
                }
                None => self.joined(operands, "*", precedence::PRODUCT),
            },
            Op::BvUdiv => self.binary(operands, "/", precedence::PRODUCT, Some(false))?,
            Op::BvSdiv => self.binary(operands, "/", precedence::PRODUCT, Some(true))?,
            Op::BvUrem => self.binary(operands, "%", precedence::PRODUCT, Some(false))?,
            Op::BvSrem => self.binary(operands, "%", precedence::PRODUCT, Some(true))?,
            Op::BvShl => self.binary(operands, "<<", precedence::SHIFT, None)?,
            Op::BvLshr => self.binary(operands, ">>", precedence::SHIFT, Some(false))?,
            Op::BvAshr => self.binary(operands, ">>", precedence::SHIFT, Some(true))?,
            Op::Extract { high, low: 0 } => self.cast(first, high + 1, self.done[&first].signed)?,
            Op::Extract { high, low } => self.slice(first, high, low)?,
            Op::ZeroExtend(_) => self.extension(term, first, false)?,
            Op::SignExtend(_) => self.extension(term, first, true)?,
            Op::Select => {
                let (array, index) = (&self.done[&first], &self.done[&operands[1]]);
                text(
                    format!("{}[{}]", wrap(array, precedence::ATOM), index.code),
                    precedence::ATOM,
                    true,
                )
            }
            _ => return None,
        })
    }

    fn symbol(&self, symbol: SymbolId) -> Option<Text> {
        let signed = self.signed.get(&symbol).copied().unwrap_or(true);
        let name = identifier(self.pool.symbol_name(symbol))?;
        Some(text(name.to_string(), precedence::ATOM, signed))
    }

    fn number(&self, value: &Bits, signed: bool) -> Text {
        if !signed {
            return text(value.to_biguint().to_string(), precedence::ATOM, false);
        }
        let number = value.to_signed();
        let binding = if value.is_negative() { precedence::UNARY } else { precedence::ATOM };
        text(number.to_string(), binding, true)
    }

    /// An operand, read with the wanted signedness.
    fn operand(&self, term: TermId, signed: Option<bool>) -> Option<Text> {
        let (pool, known) = (self.pool, &self.done[&term]);
        match signed {
            Some(signed) if signed != known.signed => match pool.as_bits(term) {
                Some(value) => Some(self.number(&value, signed)),
                None => self.cast(term, pool.width(term), signed),
            },
            _ => Some(known.clone()),
        }
    }

    fn cast(&self, term: TermId, width: u32, signed: bool) -> Option<Text> {
        let name = type_name(width, signed)?;
        let code = format!("({name}){}", wrap(&self.done[&term], precedence::UNARY));
        Some(text(code, precedence::UNARY, signed))
    }

    fn extension(&self, term: TermId, operand: TermId, signed: bool) -> Option<Text> {
        // Reading the narrow value with the right sign is what C's conversion then does.
        type_name(self.pool.width(term), signed)?;
        let narrow = self.operand(operand, Some(signed))?;
        Some(Text { negated: None, ..narrow })
    }

    fn slice(&self, operand: TermId, high: u32, low: u32) -> Option<Text> {
        let unsigned = self.operand(operand, Some(false))?;
        let mask = Bits::ones(high - low + 1).to_biguint();
        let shifted = format!("{} >> {low}", wrap(&unsigned, precedence::SHIFT));
        if high + 1 == self.pool.width(operand) {
            return Some(text(shifted, precedence::SHIFT, false));
        }
        Some(text(format!("({shifted}) & {mask}"), precedence::BIT_AND, false))
    }

    fn joined(&self, operands: &[TermId], operator: &str, binding: u32) -> Text {
        // Constants of a normal form come first; people write them last.
        let (constants, others): (Vec<TermId>, Vec<TermId>) =
            operands.iter().partition(|t| self.pool.op(**t).is_constant());
        let ordered = if binding == precedence::PRODUCT {
            constants.iter().chain(&others).copied().collect::<Vec<_>>()
        } else {
            others.iter().chain(&constants).copied().collect()
        };
        let parts: Vec<String> = ordered.iter().map(|t| wrap(&self.done[t], binding)).collect();
        let signed = operands.iter().all(|t| self.done[t].signed);
        text(parts.join(&format!(" {operator} ")), binding, signed)
    }

    /// A sum, with `-` where a summand is negated.
    fn sum(&self, operands: &[TermId]) -> Text {
        let pool = self.pool;
        let mut ordered = operands.to_vec();
        // Something positive first, constants last.
        ordered.sort_by_key(|t| (pool.as_bits(*t).is_some(), negated_factor(pool, *t).is_some()));
        let mut code = String::new();
        for term in ordered {
            let (sign, part) = match (negated_factor(pool, term), pool.as_bits(term)) {
                (Some(factor), _) => ("-", wrap(&self.done[&factor], precedence::PRODUCT)),
                (_, Some(value)) if value.is_negative() => {
                    ("-", value.neg().to_biguint().to_string())
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
        let signed = operands.iter().all(|t| self.done[t].signed);
        text(code, precedence::SUM, signed)
    }

    fn binary(
        &self,
        operands: &[TermId],
        operator: &str,
        binding: u32,
        signed: Option<bool>,
    ) -> Option<Text> {
        let (left, right) =
            (self.operand(operands[0], signed)?, self.operand(operands[1], signed)?);
        // These associate to the left, so the right operand must bind tighter.
        let code = format!("{} {operator} {}", wrap(&left, binding), wrap(&right, binding + 1));
        Some(text(code, binding, signed.unwrap_or(left.signed)))
    }

    fn order(&self, operands: &[TermId], signed: bool) -> Option<Text> {
        let sort = Some(signed);
        let (left, right) = (self.operand(operands[0], sort)?, self.operand(operands[1], sort)?);
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
        let left = self.done[&a].clone();
        let right = self.operand(b, Some(left.signed))?;
        let binding = precedence::EQUAL + 1;
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

    fn conditional(&self, operands: &[TermId]) -> Text {
        let [c, a, b] = [0, 1, 2].map(|i| &self.done[&operands[i]]);
        let code = format!(
            "{} ? {} : {}",
            wrap(c, precedence::CONDITIONAL + 1),
            wrap(a, precedence::CONDITIONAL + 1),
            wrap(b, precedence::CONDITIONAL)
        );
        text(code, precedence::CONDITIONAL, a.signed && b.signed)
    }
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
    let good = |c: char| c.is_alphanumeric() || "_.->[]*".contains(c);
    let starts = |c: char| c.is_alphabetic() || c == '_' || c == '*';
    (name.starts_with(starts) && name.chars().all(good)).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::LogicError;

    type Build = fn(&mut TermPool, TermId, TermId) -> Result<TermId, LogicError>;

    fn check(build: Build, expected: Option<&str>) {
        let mut pool = TermPool::new();
        let x = pool.symbol("x", Sort::BitVec(32)).expect("new");
        let u = pool.symbol("u", Sort::BitVec(32)).expect("new");
        let signed = [(pool.as_symbol(u).expect("a symbol"), false)].into_iter().collect();
        let term = build(&mut pool, x, u).expect("is well sorted");
        assert_eq!(c_expression(&pool, term, &signed).as_deref(), expected);
    }

    #[test]
    fn parentheses_are_where_c_needs_them() {
        check(
            |p, x, u| {
                let sum = p.bv_add(x, u)?;
                p.bv_mul(sum, x)
            },
            Some("(x + u) * x"),
        );
        check(
            |p, x, u| {
                let product = p.bv_mul(x, u)?;
                p.bv_sub(product, x)
            },
            Some("x * u - x"),
        );
        check(
            |p, x, u| {
                let sum = p.bv_sub(x, u)?;
                p.bv_sub(x, sum)
            },
            Some("x - (x - u)"),
        );
    }

    #[test]
    fn signedness_is_cast_only_where_it_differs() {
        check(|p, x, u| p.bv_ult(x, u), Some("(unsigned)x < u"));
        check(|p, x, _| p.bv_sle(x, x), Some("x <= x"));
        check(|p, _, u| p.bv_udiv(u, u), Some("u / u"));
        check(
            |p, _, u| {
                let k = p.bits_signed(32, -1)?;
                p.bv_ult(u, k)
            },
            Some("u < 4294967295"),
        );
    }

    #[test]
    fn negations_turn_into_the_other_comparison() {
        check(|p, x, u| p.ne(x, u), Some("x != (int)u"));
        check(
            |p, x, u| {
                let (a, b) = (p.bv_slt(x, x)?, p.eq(u, u)?);
                let either = p.or(&[a, b])?;
                p.not(either)
            },
            Some("!(x < x || u == u)"),
        );
        check(
            |p, x, _| {
                let five = p.bits(32, 5)?;
                let less = p.bv_slt(x, five)?;
                p.ite(less, x, five)
            },
            Some("x < 5 ? x : 5"),
        );
    }

    #[test]
    fn what_c_cannot_say_has_no_expression() {
        check(|p, x, u| p.concat(x, u), None);
        check(|p, x, _| p.extract(2, 0, x), None);
        check(
            |p, x, _| {
                let byte = p.extract(7, 0, x)?;
                p.sign_extend(24, byte)
            },
            Some("(signed char)x"),
        );
    }
}
