//! Integers of one bit, which are truth values. Read as signed, a set bit is minus one.

use super::{Built, differ, ill_typed};
use verdiff_logic::{TermId, TermPool};
use verdiff_model::{BinaryOp, Type, UnaryOp};

/// An operator on one bit that gives one bit.
pub(super) fn unary(pool: &mut TermPool, op: UnaryOp, a: TermId) -> Built {
    use UnaryOp::*;
    match op {
        // There is one zero bit, above and below, exactly if the bit is zero.
        Not | LeadingZeros | TrailingZeros => pool.not(a),
        Neg | PopCount | BitReverse => Ok(a),
        _ => Err(ill_typed(op, Type::BOOL, "a wider integer")),
    }
}

/// An operator on two bits.
pub(super) fn binary(pool: &mut TermPool, op: BinaryOp, a: TermId, b: TermId) -> Built {
    use BinaryOp::*;
    match op {
        Add | Sub | Xor | Ne => differ(pool, a, b),
        And | Mul => pool.and(&[a, b]),
        Or => pool.or(&[a, b]),
        // By one (or minus one) `a` is itself, by zero all ones: so for both readings, as
        // 1 is -1 and 0 / 0 is all ones.
        UDiv | SDiv => or_not(pool, a, b),
        // By one nothing remains, by zero all.
        URem | SRem => and_not(pool, a, b),
        // Every amount is zero modulo one.
        Shl | LShr | AShr => Ok(a),
        // -1 + -1, -1 * -1 and 1 + 1.
        SAddOverflows | SMulOverflows | UAddOverflows => pool.and(&[a, b]),
        // 0 - -1 and 0 - 1.
        SSubOverflows | USubOverflows => and_not(pool, b, a),
        UMulOverflows => Ok(pool.falsity()),
        Eq => pool.eq(a, b),
        Ult | Sgt => and_not(pool, b, a),
        Ugt | Slt => and_not(pool, a, b),
        Ule | Sge => or_not(pool, b, a),
        Uge | Sle => or_not(pool, a, b),
        _ => Err(ill_typed(op, Type::BOOL, "an address or a float")),
    }
}

fn and_not(pool: &mut TermPool, a: TermId, b: TermId) -> Built {
    let not_b = pool.not(b)?;
    pool.and(&[a, not_b])
}

fn or_not(pool: &mut TermPool, a: TermId, b: TermId) -> Built {
    let not_b = pool.not(b)?;
    pool.or(&[a, not_b])
}
