//! Operators on two integers of two bits or more, or on two addresses.

use super::count::reverse;
use super::{Built, differ, ill_typed, is_negative};
use verdiff_logic::{Bits, TermId, TermPool};
use verdiff_model::{BinaryOp, Type};

/// An operator on `width` bits.
pub(super) fn binary(pool: &mut TermPool, op: BinaryOp, width: u32, a: TermId, b: TermId) -> Built {
    use BinaryOp::*;
    match op {
        Add | PtrAdd => pool.bv_add(a, b),
        Sub => pool.bv_sub(a, b),
        Mul => pool.bv_mul(a, b),
        UDiv => pool.bv_udiv(a, b),
        SDiv => pool.bv_sdiv(a, b),
        URem => pool.bv_urem(a, b),
        SRem => pool.bv_srem(a, b),
        Shl => {
            let amount = shift_amount(pool, width, b)?;
            pool.bv_shl(a, amount)
        }
        LShr => {
            let amount = shift_amount(pool, width, b)?;
            pool.bv_lshr(a, amount)
        }
        AShr => {
            let amount = shift_amount(pool, width, b)?;
            pool.bv_ashr(a, amount)
        }
        And => pool.bv_and(a, b),
        Or => pool.bv_or(a, b),
        Xor => pool.bv_xor(a, b),
        SAddOverflows => signed_sum_overflows(pool, width, a, b),
        SSubOverflows => signed_difference_overflows(pool, width, a, b),
        SMulOverflows => signed_product_overflows(pool, width, a, b),
        UAddOverflows => unsigned_sum_overflows(pool, width, a, b),
        USubOverflows => pool.bv_ult(a, b),
        UMulOverflows => unsigned_product_overflows(pool, width, a, b),
        Eq => pool.eq(a, b),
        Ne => pool.ne(a, b),
        Ult => pool.bv_ult(a, b),
        Ule => pool.bv_ule(a, b),
        Ugt => pool.bv_ult(b, a),
        Uge => pool.bv_ule(b, a),
        Slt => pool.bv_slt(a, b),
        Sle => pool.bv_sle(a, b),
        Sgt => pool.bv_slt(b, a),
        Sge => pool.bv_sle(b, a),
        _ => Err(ill_typed(op, Type::Int(width as u16), "a float")),
    }
}

/// The amount modulo the width: SMT-LIB's shifts do not wrap round.
fn shift_amount(pool: &mut TermPool, width: u32, b: TermId) -> Built {
    let modulus = Bits::new(width, width.into());
    if let Some(amount) = pool.as_bits(b) {
        return Ok(pool.constant_bits(&amount.urem(&modulus)));
    }
    if width.is_power_of_two() {
        let mask = pool.bits(width, u128::from(width) - 1)?;
        return pool.bv_and(b, mask);
    }
    let modulus = pool.constant_bits(&modulus);
    pool.bv_urem(b, modulus)
}

/// `a + b` leaves the signed range iff `a` and `b` have one sign and the sum the other. With a
/// constant it is a bound on the other operand.
fn signed_sum_overflows(pool: &mut TermPool, width: u32, a: TermId, b: TermId) -> Built {
    if let Some((x, c)) = with_constant(pool, a, b) {
        return if c.is_negative() {
            below(pool, x, &Bits::signed_min(width).sub(&c))
        } else {
            above(pool, x, &Bits::signed_max(width).sub(&c))
        };
    }
    let sum = pool.bv_add(a, b)?;
    let (sign_a, sign_b) = (is_negative(pool, width, a)?, is_negative(pool, width, b)?);
    let sign_sum = is_negative(pool, width, sum)?;
    let alike = pool.eq(sign_a, sign_b)?;
    let turned = differ(pool, sign_a, sign_sum)?;
    pool.and(&[alike, turned])
}

/// `a - b` leaves the signed range iff `a` and `b` have different signs and the difference not
/// that of `a`. With a constant `b` it is a bound on `a`.
fn signed_difference_overflows(pool: &mut TermPool, width: u32, a: TermId, b: TermId) -> Built {
    if let Some(c) = pool.as_bits(b) {
        return if c.is_negative() {
            above(pool, a, &Bits::signed_max(width).add(&c))
        } else {
            below(pool, a, &Bits::signed_min(width).add(&c))
        };
    }
    let difference = pool.bv_sub(a, b)?;
    let (sign_a, sign_b) = (is_negative(pool, width, a)?, is_negative(pool, width, b)?);
    let sign_difference = is_negative(pool, width, difference)?;
    let unlike = differ(pool, sign_a, sign_b)?;
    let turned = differ(pool, sign_a, sign_difference)?;
    pool.and(&[unlike, turned])
}

/// `a + b` leaves the unsigned range iff the sum is below an operand.
fn unsigned_sum_overflows(pool: &mut TermPool, width: u32, a: TermId, b: TermId) -> Built {
    if let Some((x, c)) = with_constant(pool, a, b) {
        let limit = pool.constant_bits(&Bits::ones(width).sub(&c));
        return pool.bv_ult(limit, x);
    }
    let sum = pool.bv_add(a, b)?;
    pool.bv_ult(sum, a)
}

/// Whether `a * b` leaves the unsigned range, without a product of twice the width.
///
/// Let `p` and `q` be the positions of the highest ones, so that `2^(p+q) <= a * b <
/// 2^(p+q+2)`. If `p + q >= width`, it overflows. Else the product is below `2^(width+1)`, so one
/// bit more than the width is enough to see it. (M. Gök, M. Schulte, M. Arnold, "Integer
/// Multipliers with Overflow Detection", IEEE Transactions on Computers, 2006.)
fn unsigned_product_overflows(pool: &mut TermPool, width: u32, a: TermId, b: TermId) -> Built {
    if let Some((x, c)) = with_constant(pool, a, b) {
        if c.is_zero() {
            return Ok(pool.falsity());
        }
        let limit = pool.constant_bits(&Bits::ones(width).udiv(&c));
        return pool.bv_ult(limit, x);
    }
    // Shifted by one, `a` has its highest one at `p - 1`: p - 1 + q >= width - 1.
    let one = pool.bits(width, 1)?;
    let shifted = pool.bv_lshr(a, one)?;
    let surely = positions_reach(pool, width, shifted, b)?;
    let (wide_a, wide_b) = (pool.zero_extend(1, a)?, pool.zero_extend(1, b)?);
    let product = pool.bv_mul(wide_a, wide_b)?;
    let carried = is_negative(pool, width + 1, product)?;
    pool.or(&[surely, carried])
}

/// Whether `a * b` leaves the signed range, without a product of twice the width.
///
/// Flip the bits of negative operands; let `p` and `q` be the positions of the highest ones
/// then, so that `2^p <= |a| <= 2^(p+1)`, the lower bound being strict for a negative `a`. If
/// `p + q >= width - 1`, then `|a * b| >= 2^(width-1)`, strictly for a negative product: it
/// overflows. Else `|a * b| <= 2^width`, and one bit more than the width is enough to see it:
/// `2^width` itself, which is one too many, wraps to `-2^width`, outside the range too. If an
/// operand is 0 or -1 and there is no position, the product has one bit more at most as well.
fn signed_product_overflows(pool: &mut TermPool, width: u32, a: TermId, b: TermId) -> Built {
    if let Some((x, c)) = with_constant(pool, a, b) {
        return signed_multiple_overflows(pool, width, x, &c);
    }
    let (flat_a, flat_b) = (flip_negative(pool, width, a)?, flip_negative(pool, width, b)?);
    let surely = positions_reach(pool, width, flat_a, flat_b)?;
    let (wide_a, wide_b) = (pool.sign_extend(1, a)?, pool.sign_extend(1, b)?);
    let product = pool.bv_mul(wide_a, wide_b)?;
    let sign = pool.extract(width, width, product)?;
    let top = pool.extract(width - 1, width - 1, product)?;
    let carried = pool.ne(sign, top)?;
    pool.or(&[surely, carried])
}

/// Whether `x * c` leaves the signed range: whether `x` lies beyond a quotient of its ends.
fn signed_multiple_overflows(pool: &mut TermPool, width: u32, x: TermId, c: &Bits) -> Built {
    let (least, most) = (Bits::signed_min(width), Bits::signed_max(width));
    if c.is_zero() {
        return Ok(pool.falsity());
    }
    if c.is_ones() {
        let least = pool.constant_bits(&least);
        return pool.eq(x, least);
    }
    let (from, to) = if c.is_negative() { (&most, &least) } else { (&least, &most) };
    let (low, high) = (below(pool, x, &from.sdiv(c))?, above(pool, x, &to.sdiv(c))?);
    pool.or(&[low, high])
}

/// Whether the positions of the highest ones of `a` and `b` add up to `width - 1` or more:
/// whether `a`, filled with ones downwards, meets `b`, filled likewise and turned round.
fn positions_reach(pool: &mut TermPool, width: u32, a: TermId, b: TermId) -> Built {
    let (a, b) = (fill_down(pool, width, a)?, fill_down(pool, width, b)?);
    let turned = reverse(pool, width, 1, b)?;
    let common = pool.bv_and(a, turned)?;
    let zero = pool.bits(width, 0)?;
    pool.ne(common, zero)
}

/// All bits below the highest one set.
fn fill_down(pool: &mut TermPool, width: u32, a: TermId) -> Built {
    let mut filled = a;
    let mut step = 1;
    while step < width {
        let amount = pool.bits(width, step.into())?;
        let moved = pool.bv_lshr(filled, amount)?;
        filled = pool.bv_or(filled, moved)?;
        step *= 2;
    }
    Ok(filled)
}

/// `a`, or `-1 - a` if it is negative.
fn flip_negative(pool: &mut TermPool, width: u32, a: TermId) -> Built {
    let amount = pool.bits(width, u128::from(width) - 1)?;
    let signs = pool.bv_ashr(a, amount)?;
    pool.bv_xor(a, signs)
}

/// `x < bound`, signed.
fn below(pool: &mut TermPool, x: TermId, bound: &Bits) -> Built {
    let bound = pool.constant_bits(bound);
    pool.bv_slt(x, bound)
}

/// `x > bound`, signed.
fn above(pool: &mut TermPool, x: TermId, bound: &Bits) -> Built {
    let bound = pool.constant_bits(bound);
    pool.bv_slt(bound, x)
}

/// The operands of a commutative operator, if one is a constant.
fn with_constant(pool: &TermPool, a: TermId, b: TermId) -> Option<(TermId, Bits)> {
    pool.as_bits(b).map(|c| (a, c)).or_else(|| pool.as_bits(a).map(|c| (b, c)))
}
