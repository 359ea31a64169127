//! Operators on one integer of two bits or more: they count bits or put them in another order.

use super::{Built, ill_typed};
use verdiff_logic::{Op, TermId, TermPool};
use verdiff_model::{Type, UnaryOp};

/// An operator on `width` bits that gives as many.
pub(super) fn unary(pool: &mut TermPool, op: UnaryOp, width: u32, a: TermId) -> Built {
    use UnaryOp::*;
    match op {
        Not => pool.bv_not(a),
        Neg => pool.bv_neg(a),
        PopCount => ones(pool, width, a),
        LeadingZeros => zeros(pool, width, a, CountedFrom::Top),
        TrailingZeros => zeros(pool, width, a, CountedFrom::Bottom),
        ByteSwap if width.is_multiple_of(8) => reverse(pool, width, 8, a),
        BitReverse => reverse(pool, width, 1, a),
        _ => Err(ill_typed(op, Type::Int(width as u16), "an integer of whole bytes")),
    }
}

/// The number of one bits, the way C programs write it: sums of neighbouring fields, doubling
/// their width. A field that the top cuts off holds its sum too, as `n` bits hold `n`.
fn ones(pool: &mut TermPool, width: u32, a: TermId) -> Built {
    let mut sums = a;
    let mut field = 1;
    while field < width {
        // Ones in every other field, the lowest one first.
        let pattern = (0..128).filter(|i| i / field % 2 == 0).fold(0u128, |m, i| m | 1 << i);
        let mask = pool.bits(width, pattern)?;
        let amount = pool.bits(width, field.into())?;
        let even = pool.bv_and(sums, mask)?;
        let odd = pool.bv_lshr(sums, amount)?;
        let odd = pool.bv_and(odd, mask)?;
        sums = pool.bv_add(even, odd)?;
        field *= 2;
    }
    Ok(sums)
}

/// From which end zeros are counted.
#[derive(Clone, Copy, PartialEq)]
enum CountedFrom {
    Top,
    Bottom,
}

/// The number of zeros before the first one bit, by bisection: each step looks whether the half
/// at the end is zero, which is one bit of the number, and goes on in the half that has the one
/// bit.
///
/// Ones beyond the other end make the width a power of two; they stop the count at the width.
fn zeros(pool: &mut TermPool, width: u32, a: TermId, end: CountedFrom) -> Built {
    let mut length = width.next_power_of_two();
    let mut rest = a;
    if length > width {
        let stop = pool.bits_signed(length - width, -1)?;
        rest = match end {
            CountedFrom::Top => pool.concat(a, stop)?,
            CountedFrom::Bottom => pool.concat(stop, a)?,
        };
    }
    let mut digits = Vec::new();
    while length > 1 {
        let half = length / 2;
        let high = pool.extract(length - 1, half, rest)?;
        let low = pool.extract(half - 1, 0, rest)?;
        let (first, second) = if end == CountedFrom::Top { (high, low) } else { (low, high) };
        let zero = pool.bits(half, 0)?;
        let skip = pool.eq(first, zero)?;
        digits.push(pool.bool_to_bits(1, skip)?);
        rest = pool.ite(skip, second, first)?;
        length = half;
    }
    let number = pool.apply_op(Op::Concat, &digits)?;
    let number = pool.zero_extend(width - digits.len() as u32, number)?;
    if !width.is_power_of_two() {
        return Ok(number);
    }
    let (zero, all) = (pool.bits(width, 0)?, pool.bits(width, width.into())?);
    let none = pool.eq(a, zero)?;
    pool.ite(none, all, number)
}

/// The parts of `size` bits in reverse order.
pub(super) fn reverse(pool: &mut TermPool, width: u32, size: u32, a: TermId) -> Built {
    let mut parts = Vec::new();
    for low in (0..width).step_by(size as usize) {
        parts.push(pool.extract(low + size - 1, low, a)?);
    }
    pool.apply_op(Op::Concat, &parts)
}
