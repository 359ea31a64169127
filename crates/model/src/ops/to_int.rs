//! Floats to integers, out of range included.
//!
//! C leaves a conversion that does not fit undefined, but the compiled program does
//! something, and a witness replayed on it must agree. So this mirrors what clang 19
//! emits at `-O0` for x86-64, operand type by operand type (a test compiles C and compares):
//!
//! | from | to | through |
//! |---|---|---|
//! | half, bfloat, float, double | signed to 32, unsigned below 32 | `cvtt…2si` of 32 bits, truncated |
//! | | signed to 64, unsigned 32 to 63 | `cvtt…2si` of 64 bits, truncated |
//! | | unsigned 64 | two `cvtt…2si`, of x and x - 2^63, joined |
//! | x87 | signed to 16, unsigned below 16 | `fistp` of 16 bits, truncated |
//! | | signed to 32, unsigned 16 to 31 | `fistp` of 32 bits, truncated |
//! | | signed to 64, unsigned 32 to 63 | `fistp` of 64 bits, truncated |
//! | | unsigned 64 | `fistp` of x or x - 2^63 |
//! | quad; half to more than 64 bits | any | libgcc's soft floats: saturating, NaN by its sign |
//! | the others | more than 64 | libgcc's `__fix…ti`, in two halves |
//!
//! An instruction whose result does not fit gives "integer indefinite", the smallest
//! signed number of its width.

use super::float::{compare, convert, is_nan, sign_bit};
use super::{binary_bits, soft};
use crate::expr::BinaryOp;
use crate::types::{FloatKind, Type, mask};
use std::cmp::Ordering;

/// [`FToSigned`](crate::UnaryOp::FToSigned).
pub fn to_signed(kind: FloatKind, bits: u128, width: u16) -> u128 {
    let value = match kind {
        FloatKind::Half | FloatKind::BFloat if width <= 64 => {
            return to_signed(FloatKind::Single, widen(kind, bits), width);
        }
        FloatKind::BFloat => return to_signed(FloatKind::Single, widen(kind, bits), width),
        FloatKind::Half => soft_fix(kind, bits, 128, true),
        FloatKind::Quad => soft_fix(kind, bits, library_width(width), true),
        _ if width > 64 => fix_two_words(kind, bits),
        FloatKind::X87 if width <= 16 => indefinite(kind, bits, 16),
        _ if width <= 32 => indefinite(kind, bits, 32),
        _ => indefinite(kind, bits, 64),
    };
    value & mask(width)
}

/// [`FToUnsigned`](crate::UnaryOp::FToUnsigned).
pub fn to_unsigned(kind: FloatKind, bits: u128, width: u16) -> u128 {
    let value = match kind {
        FloatKind::Half | FloatKind::BFloat if width <= 64 => {
            return to_unsigned(FloatKind::Single, widen(kind, bits), width);
        }
        FloatKind::BFloat => return to_unsigned(FloatKind::Single, widen(kind, bits), width),
        FloatKind::Half => soft_fix(kind, bits, 128, false),
        // Narrow unsigned types are promoted to a signed conversion of the next width.
        FloatKind::Quad => match width {
            32 | 64.. => soft_fix(kind, bits, library_width(width), false),
            _ => soft_fix(kind, bits, library_width(width), true),
        },
        FloatKind::X87 => match width {
            65.. => fixuns_x87(bits),
            64 => x87_to_u64(bits, true),
            32.. => indefinite(kind, bits, 64),
            16.. => indefinite(kind, bits, 32),
            _ => indefinite(kind, bits, 16),
        },
        FloatKind::Single | FloatKind::Double => match width {
            65.. => fixuns_double(convert(kind, FloatKind::Double, bits)),
            64 => {
                let low = indefinite(kind, bits, 64);
                let high = indefinite(kind, minus_2_63(kind, bits), 64);
                if low >> 63 == 1 { low | high } else { low }
            }
            32.. => indefinite(kind, bits, 64),
            _ => indefinite(kind, bits, 32),
        },
    };
    value & mask(width)
}

/// The saturating conversions: NaN gives zero.
pub fn saturating(kind: FloatKind, bits: u128, width: u16, signed: bool) -> u128 {
    if is_nan(kind, bits) { 0 } else { soft_fix(kind, bits, width, signed) }
}

/// The integer part in two's complement if a signed `width` holds it, else the
/// smallest signed number of that width: what `cvtt…2si` and `fistp` do.
fn indefinite(kind: FloatKind, bits: u128, width: u16) -> u128 {
    let smallest = 1u128 << (width - 1);
    match soft_free_part(kind, bits) {
        Some((false, m)) if m < smallest => m,
        Some((true, m)) if m <= smallest => m.wrapping_neg() & mask(width),
        _ => smallest,
    }
}

/// The integer part as sign and magnitude, natively where it can be.
fn soft_free_part(kind: FloatKind, bits: u128) -> Option<(bool, u128)> {
    let native = |x: f64| {
        // 2^128 and above have no place; NaN fails both comparisons.
        (x.abs() < 340_282_366_920_938_463_463_374_607_431_768_211_456.0)
            .then_some((x.is_sign_negative(), x.abs() as u128))
    };
    match kind {
        FloatKind::Single => native(f64::from(super::float::single(bits))),
        FloatKind::Double => native(super::float::double(bits)),
        _ => soft::integer_part(kind, bits),
    }
}

/// A half or bfloat as a float, which holds it exactly.
fn widen(kind: FloatKind, bits: u128) -> u128 {
    convert(kind, FloatKind::Single, bits)
}

/// The width of the library function that serves `width` bits.
fn library_width(width: u16) -> u16 {
    match width {
        ..=32 => 32,
        33..=64 => 64,
        _ => 128,
    }
}

/// libgcc's soft-fp conversion: saturating, a NaN like an infinity of its sign.
fn soft_fix(kind: FloatKind, bits: u128, width: u16, signed: bool) -> u128 {
    let negative = bits & sign_bit(kind) != 0;
    let part = soft_free_part(kind, bits);
    let (largest, smallest) =
        if signed { (mask(width) >> 1, 1u128 << (width - 1)) } else { (mask(width), 0) };
    match part {
        Some((false, m)) if m <= largest => m,
        Some((true, m)) if m <= smallest => m.wrapping_neg() & mask(width),
        _ if negative => smallest,
        _ => largest,
    }
}

/// libgcc's `__fixsfti`, `__fixdfti`, `__fixxfti`: the unsigned one of the magnitude.
fn fix_two_words(kind: FloatKind, bits: u128) -> u128 {
    let unsigned = |bits| match kind {
        FloatKind::X87 => fixuns_x87(bits),
        _ => fixuns_double(convert(kind, FloatKind::Double, bits)),
    };
    if compare(kind, bits, 0) == Some(Ordering::Less) {
        unsigned(bits ^ sign_bit(kind)).wrapping_neg()
    } else {
        unsigned(bits)
    }
}

/// libgcc's `__fixunsdfti`: the high word by a division, the low one from what is left.
fn fixuns_double(bits: u128) -> u128 {
    const WORD: f64 = 18_446_744_073_709_551_616.0;
    let a = f64::from_bits(bits as u64);
    let high = double_to_u64(a / WORD);
    let low = double_to_u64(a - high as f64 * WORD);
    u128::from(high) << 64 | u128::from(low)
}

/// gcc's conversion of a double to an unsigned word.
fn double_to_u64(x: f64) -> u64 {
    const HALF: f64 = 9_223_372_036_854_775_808.0;
    let fist = |x: f64| indefinite(FloatKind::Double, u128::from(x.to_bits()), 64) as u64;
    if x >= HALF { fist(x - HALF) ^ 1 << 63 } else { fist(x) }
}

/// libgcc's `__fixunsxfti`.
fn fixuns_x87(bits: u128) -> u128 {
    const ZERO: u128 = 0;
    // 2^64 in the x87 format.
    const WORD: u128 = 0x403f_8000_0000_0000_0000;
    let kind = FloatKind::X87;
    let float = |op, a, b| binary_bits(op, Type::Float(kind), a, b);
    if compare(kind, bits, ZERO) == Some(Ordering::Less) {
        return 0;
    }
    let high = x87_to_u64(float(BinaryOp::FDiv, bits, WORD), false);
    let whole = high << 64;
    let rest = float(BinaryOp::FSub, bits, soft::from_unsigned(kind, whole));
    if compare(kind, rest, ZERO) == Some(Ordering::Less) {
        whole.wrapping_sub(x87_to_u64(rest ^ sign_bit(kind), false))
    } else {
        whole.wrapping_add(x87_to_u64(rest, false))
    }
}

/// An x87 number to an unsigned word: clang takes the upper way for a NaN too, gcc does not.
fn x87_to_u64(bits: u128, nan_is_large: bool) -> u128 {
    let kind = FloatKind::X87;
    let large = match compare(kind, bits, two_63(kind)) {
        Some(order) => order != Ordering::Less,
        None => nan_is_large,
    };
    if large {
        indefinite(kind, minus_2_63(kind, bits), 64) ^ 1 << 63
    } else {
        indefinite(kind, bits, 64)
    }
}

/// x - 2^63, rounded in x's own format.
fn minus_2_63(kind: FloatKind, bits: u128) -> u128 {
    binary_bits(BinaryOp::FSub, Type::Float(kind), bits, two_63(kind))
}

/// 2^63.
fn two_63(kind: FloatKind) -> u128 {
    convert(FloatKind::Double, kind, u128::from((9_223_372_036_854_775_808.0f64).to_bits()))
}
