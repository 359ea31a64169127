//! Terms as C expressions, for people: conditions in reports, values in witnesses.
//!
//! Only terms that C can say are printed; for others there is no expression. The text compiles (signed overflow
//! wrapping) and means the term, symbols being variables of the width their sort has and of the signedness that is
//! told. C computes narrow values as `int` and wide ones at the width of the widest operand, so each text knows whether
//! its C value *is* the term's value, read with its sign, or only equal to it in the term's bits; where the value
//! matters (comparisons, divisions, right shifts, conversions) and is not there, a cast makes it so. Divisions and
//! shifts that C leaves undefined for some operands are not printed.

mod arithmetic;
mod floats;
mod ranges;
mod text;

pub use text::Nature;

use ranges::{bits_needed, ranges};
use rustc_hash::FxHashMap;
use std::cmp::Ordering;
use text::{Bound, CType, Text, constant, identifier, number, precedence, text, wrap};

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
    expression(pool, root, names, Partial::Refused, None)
}

/// [`c_expression`], with divisions, remainders and shifts that C leaves undefined for some operands. They mean the
/// term where they are defined; the caller sees to it that nothing else is evaluated.
pub fn c_partial_expression(pool: &TermPool, root: TermId, names: &Names) -> Option<String> {
    expression(pool, root, names, Partial::Printed, None)
}

/// [`c_expression`] for a number: its value in C is that of the term, read with a sign or without.
pub fn c_value_expression(
    pool: &TermPool,
    root: TermId,
    names: &Names,
    signed: bool,
) -> Option<String> {
    expression(pool, root, names, Partial::Refused, Some(signed))
}

/// What becomes of operations that C leaves undefined for some operands.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Partial {
    Refused,
    Printed,
}

fn expression(
    pool: &TermPool,
    root: TermId,
    names: &Names,
    partial: Partial,
    signed: Option<bool>,
) -> Option<String> {
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
            let text = Printer { pool, names, partial, done: &done }.text(term)?;
            done.insert(term, text);
            pending.pop();
        }
    }
    let whole = done.get(&root)?;
    match pool.sort(root) {
        // Alone, the value matters.
        Sort::BitVec(_) if !whole.exact || signed.is_some() => {
            let printer = Printer { pool, names, partial, done: &done };
            Some(printer.operand(root, signed)?.code)
        }
        _ => Some(whole.code.clone()),
    }
}

struct Printer<'a> {
    pool: &'a TermPool,
    names: &'a Names,
    partial: Partial,
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
            let (nature, ctype) = (named.nature, self.declared(term, named.signed));
            return Some(Text { nature, ctype, ..text(named.code.clone(), binding, named.signed) });
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
        let takes_pointers = matches!(
            pool.op(term),
            Op::Eq | Op::BvUlt | Op::BvAdd | Op::Ite | Op::Extract { low: 0, .. }
        );
        let is_plain =
            |t: &TermId| matches!(self.done[t].nature, Nature::Number | Nature::Character);
        if !takes_pointers && !operands.iter().all(is_plain) {
            return None;
        }
        Some(match pool.op(term) {
            Op::True => text("1".into(), precedence::ATOM, true),
            Op::False => text("0".into(), precedence::ATOM, true),
            Op::Symbol(symbol) => self.symbol(term, symbol)?,
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

    fn symbol(&self, term: TermId, symbol: SymbolId) -> Option<Text> {
        let name = identifier(self.pool.symbol_name(symbol))?;
        let ctype = self.declared(term, true);
        Some(Text { ctype, ..text(name.to_string(), precedence::ATOM, true) })
    }

    /// The type of a variable; narrow ones are `int` when they are used.
    fn declared(&self, term: TermId, signed: bool) -> CType {
        let width = self.pool.sort(term).width().unwrap_or(1);
        CType { width: width.max(32), unsigned: !signed && width >= 32 }
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
        let (left, right) = self.agreed([left, right], [operands[0], operands[1]], signed)?;
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
            Ordering::Equal => (format!("{left} < {right}"), format!("{left} >= {right}")),
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
        // C converts the narrower operand to the type of the wider one: no cast is needed.
        let (left, right) = match self.implicitly_converted(b, &left) {
            Some(narrow) => (left, narrow),
            None => (self.implicitly_converted(a, &right).unwrap_or(left), right),
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
        let unequal = match self.is_bit(a, b) {
            true => format!("{left} == 0"),
            false => format!("{left} != {right}"),
        };
        equal.negated = Some(Box::new(text(unequal, precedence::EQUAL, true)));
        Some(equal)
    }

    /// Whether a term is one bit of a number, masked, and `of` is that bit: if they differ, the term is 0.
    fn is_bit(&self, term: TermId, of: TermId) -> bool {
        let Some(bit) = self.pool.as_bits(of).filter(|bit| bit.log2().is_some()) else {
            return false;
        };
        self.pool.op(term) == Op::BvAnd
            && !self.names.contains_key(&term)
            && self.pool.operands(term).iter().any(|t| self.pool.as_bits(*t).as_ref() == Some(&bit))
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
        let ctype = CType::common([a.ctype, b.ctype].into_iter());
        // A negative number that becomes one without a sign is another one.
        let exact = is_truth || !(signed && ctype.unsigned);
        Some(Text { exact, ctype, ..text(code, precedence::CONDITIONAL, signed) })
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

#[cfg(test)]
mod tests;
