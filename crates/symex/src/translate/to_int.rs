//! Floats to integers, out of range included: the same cases, and the same order of them, as
//! [`verdiff_model::ops::to_int`], which says which instruction or library function each is.
//!
//! `fp.to_sbv` and `fp.to_ubv` mean what a solver likes where the result does not fit; every one
//! here stands under a guard that excludes it.

use super::float::{NEAREST, decode, format_of};
use super::{Built, is_negative, low_bits};
use verdiff_logic::{Bits, FloatFormat, FloatValue, LogicError, Op, Rounding, TermId, TermPool};
use verdiff_model::{FloatKind, Type, UnaryOp};

/// A conversion of a float to the integer type `to`.
pub(super) fn convert(
    pool: &mut TermPool,
    op: UnaryOp,
    kind: FloatKind,
    to: Type,
    bits: TermId,
) -> Built {
    let width = u32::from(to.width());
    let number = decode(pool, kind, bits)?;
    let sign = is_negative(pool, u32::from(kind.width()), bits)?;
    let mut x = FloatOperand { kind, sign, number };
    if kind == FloatKind::BFloat {
        // So does the model but for the saturating ones, where it makes no difference; and
        // z3 cannot round a bfloat, which the guards must.
        x = widen(pool, x)?;
    }
    let (result, have) = match op {
        UnaryOp::FToSigned => to_signed(pool, x, width)?,
        UnaryOp::FToUnsigned => to_unsigned(pool, x, width)?,
        _ => {
            let fixed = saturating(pool, x, width, op == UnaryOp::FToSignedSat)?;
            let nan = pool.fp_is_nan(x.number)?;
            let zero = pool.bits(width, 0)?;
            (pool.ite(nan, zero, fixed)?, width)
        }
    };
    low_bits(pool, result, have, to)
}

/// A float to convert.
#[derive(Clone, Copy)]
struct FloatOperand {
    kind: FloatKind,
    /// Whether the sign bit is set, of a NaN too.
    sign: TermId,
    /// The number, a term of sort float.
    number: TermId,
}

/// An integer and how many bits it has: as many as the type, or more.
type Integer = Result<(TermId, u32), LogicError>;

/// [`FToSigned`](UnaryOp::FToSigned).
fn to_signed(pool: &mut TermPool, x: FloatOperand, width: u32) -> Integer {
    let have = match x.kind {
        FloatKind::Half if width > 64 => 128,
        FloatKind::Half => {
            let wider = widen(pool, x)?;
            return to_signed(pool, wider, width);
        }
        FloatKind::Quad => library_width(width),
        _ if width > 64 => return Ok((fix_two_words(pool, x)?, 128)),
        FloatKind::X87 if width <= 16 => 16,
        _ if width <= 32 => 32,
        _ => 64,
    };
    let result = match x.kind {
        FloatKind::Half | FloatKind::Quad => saturating(pool, x, have, true)?,
        _ => indefinite(pool, have, x.number)?,
    };
    Ok((result, have))
}

/// [`FToUnsigned`](UnaryOp::FToUnsigned).
fn to_unsigned(pool: &mut TermPool, x: FloatOperand, width: u32) -> Integer {
    let have = match (x.kind, width) {
        (FloatKind::Half, 65..) => return Ok((saturating(pool, x, 128, false)?, 128)),
        (FloatKind::Half, _) => {
            let wider = widen(pool, x)?;
            return to_unsigned(pool, wider, width);
        }
        (FloatKind::Quad, _) => {
            // Narrow unsigned types are promoted to a signed conversion of the next width.
            let signed = !matches!(width, 32 | 64..);
            let have = library_width(width);
            return Ok((saturating(pool, x, have, signed)?, have));
        }
        (FloatKind::X87, 65..) => return Ok((fixuns_x87(pool, x.number)?, 128)),
        (_, 65..) => {
            let double = to_double(pool, x)?;
            return Ok((fixuns_double(pool, double)?, 128));
        }
        (FloatKind::X87, 64) => return Ok((x87_to_word(pool, x.number, true)?, 64)),
        (_, 64) => return Ok((joined_word(pool, x)?, 64)),
        (_, 32..) => 64,
        (FloatKind::X87, ..16) => 16,
        _ => 32,
    };
    Ok((indefinite(pool, have, x.number)?, have))
}

/// What `cvtt…2si` and `fistp` do: the smallest signed number if the result does not fit.
fn indefinite(pool: &mut TermPool, width: u32, x: TermId) -> Built {
    pool.fp_to_signed(Rounding::Zero, width, x)
}

/// The nearest of the range, a NaN being at the end of its sign.
fn saturating(pool: &mut TermPool, x: FloatOperand, width: u32, signed: bool) -> Built {
    let (least, most, low, high, op) = if signed {
        let end = i64::from(width) - 1;
        let op = Op::FpToSigned(Rounding::Zero, width);
        (Bits::signed_min(width), Bits::signed_max(width), Some(end), end, op)
    } else {
        let op = Op::FpToUnsigned(Rounding::Zero, width);
        (Bits::zero(width), Bits::ones(width), None, i64::from(width), op)
    };
    let fits = pool.fp_fits(Rounding::Zero, x.number, low, high)?;
    let integer = pool.apply_op(op, &[x.number])?;
    let (least, most) = (pool.constant_bits(&least), pool.constant_bits(&most));
    let end = pool.ite(x.sign, least, most)?;
    pool.ite(fits, integer, end)
}

/// Two `cvtt…2si`, of x and of x - 2^63, joined.
fn joined_word(pool: &mut TermPool, x: FloatOperand) -> Built {
    let low = indefinite(pool, 64, x.number)?;
    let reduced = minus_power(pool, x.number, format_of(x.kind), 63)?;
    let high = indefinite(pool, 64, reduced)?;
    let joined = pool.bv_or(low, high)?;
    let top = is_negative(pool, 64, low)?;
    pool.ite(top, joined, low)
}

/// libgcc's `__fixsfti`, `__fixdfti`, `__fixxfti`: the unsigned one of the magnitude.
fn fix_two_words(pool: &mut TermPool, x: FloatOperand) -> Built {
    let number = if x.kind == FloatKind::X87 { x.number } else { to_double(pool, x)? };
    let zero = FloatValue::zero(format_of(x.kind), false);
    let zero = pool.constant_float(&zero);
    let negative = pool.fp_lt(x.number, zero)?;
    let opposite = pool.fp_neg(number)?;
    let magnitude = pool.ite(negative, opposite, number)?;
    let unsigned = if x.kind == FloatKind::X87 {
        fixuns_x87(pool, magnitude)?
    } else {
        fixuns_double(pool, magnitude)?
    };
    let negated = pool.bv_neg(unsigned)?;
    pool.ite(negative, negated, unsigned)
}

/// libgcc's `__fixunsdfti`: the high word by a division, the low one from what is left.
fn fixuns_double(pool: &mut TermPool, x: TermId) -> Built {
    let word = power(pool, FloatFormat::DOUBLE, 64);
    let quotient = pool.fp_div(NEAREST, x, word)?;
    let high = double_to_word(pool, quotient)?;
    let whole = pool.fp_from_unsigned(NEAREST, FloatFormat::DOUBLE, high)?;
    let whole = pool.fp_mul(NEAREST, whole, word)?;
    let rest = pool.fp_sub(NEAREST, x, whole)?;
    let low = double_to_word(pool, rest)?;
    pool.concat(high, low)
}

/// gcc's conversion of a double to an unsigned word.
fn double_to_word(pool: &mut TermPool, x: TermId) -> Built {
    let half = power(pool, FloatFormat::DOUBLE, 63);
    let large = pool.fp_le(half, x)?;
    upper_or_lower(pool, FloatFormat::DOUBLE, x, large)
}

/// libgcc's `__fixunsxfti`.
fn fixuns_x87(pool: &mut TermPool, x: TermId) -> Built {
    let format = FloatFormat::X87;
    let float_zero = pool.constant_float(&FloatValue::zero(format, false));
    let word = power(pool, format, 64);
    let quotient = pool.fp_div(NEAREST, x, word)?;
    let high = x87_to_word(pool, quotient, false)?;
    let low_zeros = pool.bits(64, 0)?;
    let whole = pool.concat(high, low_zeros)?;
    let float_whole = pool.fp_from_unsigned(NEAREST, format, whole)?;
    let rest = pool.fp_sub(NEAREST, x, float_whole)?;
    // The quotient may have been rounded up; then something is missing.
    let missing = pool.fp_lt(rest, float_zero)?;
    let opposite = pool.fp_neg(rest)?;
    let size = pool.ite(missing, opposite, rest)?;
    let low = x87_to_word(pool, size, false)?;
    let low = pool.zero_extend(64, low)?;
    let (sum, difference) = (pool.bv_add(whole, low)?, pool.bv_sub(whole, low)?);
    let result = pool.ite(missing, difference, sum)?;
    let negative = pool.fp_lt(x, float_zero)?;
    let zero = pool.bits(128, 0)?;
    pool.ite(negative, zero, result)
}

/// An x87 number to an unsigned word: clang takes the upper way for a NaN too, gcc does not.
fn x87_to_word(pool: &mut TermPool, x: TermId, nan_is_large: bool) -> Built {
    let half = power(pool, FloatFormat::X87, 63);
    let large = if nan_is_large {
        let small = pool.fp_lt(x, half)?;
        pool.not(small)?
    } else {
        pool.fp_le(half, x)?
    };
    upper_or_lower(pool, FloatFormat::X87, x, large)
}

/// The signed word of `x`, or if it is large that of `x - 2^63` with its top bit flipped.
fn upper_or_lower(pool: &mut TermPool, format: FloatFormat, x: TermId, large: TermId) -> Built {
    let reduced = minus_power(pool, x, format, 63)?;
    let converted = pool.ite(large, reduced, x)?;
    let word = indefinite(pool, 64, converted)?;
    let top = pool.constant_bits(&Bits::signed_min(64));
    let flipped = pool.bv_xor(word, top)?;
    pool.ite(large, flipped, word)
}

/// A half or bfloat as a float, which holds it exactly.
fn widen(pool: &mut TermPool, x: FloatOperand) -> Result<FloatOperand, LogicError> {
    let number = pool.fp_convert(NEAREST, FloatFormat::SINGLE, x.number)?;
    Ok(FloatOperand { kind: FloatKind::Single, number, ..x })
}

/// A float or double as a double.
fn to_double(pool: &mut TermPool, x: FloatOperand) -> Built {
    match x.kind {
        FloatKind::Double => Ok(x.number),
        _ => pool.fp_convert(NEAREST, FloatFormat::DOUBLE, x.number),
    }
}

/// x - 2^exponent, rounded in x's own format.
fn minus_power(pool: &mut TermPool, x: TermId, format: FloatFormat, exponent: i64) -> Built {
    let subtrahend = power(pool, format, exponent);
    pool.fp_sub(NEAREST, x, subtrahend)
}

/// 2^exponent, or infinity if that is too large.
fn power(pool: &mut TermPool, format: FloatFormat, exponent: i64) -> TermId {
    let value = FloatValue::power_of_two(format, false, exponent);
    let value = value.unwrap_or_else(|| FloatValue::infinity(format, false));
    pool.constant_float(&value)
}

/// The width of the library function that serves `width` bits.
fn library_width(width: u32) -> u32 {
    match width {
        ..=32 => 32,
        33..=64 => 64,
        _ => 128,
    }
}
