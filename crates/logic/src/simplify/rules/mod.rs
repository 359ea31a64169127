//! The table of rules, one file for each kind of operator.

mod arithmetic;
mod arrays;
mod bitwise;
mod boolean;
mod compare;
mod conditional;
mod equations;
mod fields;
mod floats;
mod idioms;
mod orders;
mod quotients;
mod slices;

use super::{Rule, Sample};
use crate::op::Op;
use crate::term::{TermId, TermPool};

/// All tables, in the order in which they are tried.
pub(super) const TABLES: &[&[Rule]] = &[
    boolean::RULES,
    conditional::RULES,
    slices::RULES,
    bitwise::RULES,
    idioms::RULES,
    arithmetic::RULES,
    fields::RULES,
    compare::RULES,
    orders::RULES,
    quotients::RULES,
    equations::RULES,
    arrays::RULES,
    floats::RULES,
];

/// The only operand, if the term has this operator.
fn unary(pool: &TermPool, term: TermId, op: Op) -> Option<TermId> {
    if pool.op(term) == op { pool.operands(term).first().copied() } else { None }
}

/// Both operands, if the term has this operator and two.
fn binary(pool: &TermPool, term: TermId, op: Op) -> Option<(TermId, TermId)> {
    match pool.operands(term) {
        &[a, b] if pool.op(term) == op => Some((a, b)),
        _ => None,
    }
}

/// Condition and branches, if the term is a conditional.
fn ite(pool: &TermPool, term: TermId) -> Option<(TermId, TermId, TermId)> {
    match pool.operands(term) {
        &[c, a, b] if pool.op(term) == Op::Ite => Some((c, a, b)),
        _ => None,
    }
}

/// The negation, without piling up negations.
fn negate(pool: &mut TermPool, term: TermId) -> TermId {
    match pool.as_bool(term) {
        Some(value) => pool.boolean(!value),
        None => match unary(pool, term, Op::Not) {
            Some(operand) => operand,
            None => pool.mk(Op::Not, &[term]),
        },
    }
}

/// Whether one term is the negation of the other.
fn complementary(pool: &TermPool, a: TermId, b: TermId) -> bool {
    unary(pool, a, Op::Not) == Some(b) || unary(pool, b, Op::Not) == Some(a)
}

/// The low bits of a term.
fn low_bits(pool: &mut TermPool, term: TermId, width: u32) -> TermId {
    if pool.width(term) == width {
        return term;
    }
    pool.mk(Op::Extract { high: width - 1, low: 0 }, &[term])
}

/// The term extended with zeros to a width.
fn zero_extend(pool: &mut TermPool, term: TermId, width: u32) -> TermId {
    match width - pool.width(term) {
        0 => term,
        more => pool.mk(Op::ZeroExtend(more), &[term]),
    }
}

/// The term extended with its sign to a width.
fn sign_extend(pool: &mut TermPool, term: TermId, width: u32) -> TermId {
    match width - pool.width(term) {
        0 => term,
        more => pool.mk(Op::SignExtend(more), &[term]),
    }
}
