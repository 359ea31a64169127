//! Floats of the formats that Rust has no type for, through LLVM's soft floats
//! (`rustc_apfloat`), plus the square root that library leaves out.

use super::float::{canonical_nan, is_nan, sign_bit};
use crate::expr::{BinaryOp, UnaryOp};
use crate::types::FloatKind;
use rustc_apfloat::ieee::{BFloat, Double, Half, Quad, Single, X87DoubleExtended};
use rustc_apfloat::{Float, FloatConvert, Round};
use std::cmp::Ordering;

/// Runs a body with `$F` standing for the soft float type of a format.
macro_rules! with_format {
    ($kind:expr, $F:ident => $body:expr) => {
        match $kind {
            FloatKind::Half => {
                type $F = Half;
                $body
            }
            FloatKind::BFloat => {
                type $F = BFloat;
                $body
            }
            FloatKind::Single => {
                type $F = Single;
                $body
            }
            FloatKind::Double => {
                type $F = Double;
                $body
            }
            FloatKind::X87 => {
                type $F = X87DoubleExtended;
                $body
            }
            FloatKind::Quad => {
                type $F = Quad;
                $body
            }
        }
    };
}

/// The number behind the bits. x87 has encodings that the library need not know:
/// what hardware refuses becomes a NaN, a denormal with its integer bit set becomes
/// the normal number it stands for.
fn decode<F: Float>(kind: FloatKind, bits: u128) -> F {
    let pseudo_denormal = kind == FloatKind::X87 && bits >> 63 & 0xffff == 1;
    F::from_bits(if is_nan(kind, bits) {
        canonical_nan(kind)
    } else if pseudo_denormal {
        bits | 1 << 64
    } else {
        bits
    })
}

/// The bits of a number, with all NaNs one.
fn encode<F: Float>(kind: FloatKind, value: F) -> u128 {
    if value.is_nan() { canonical_nan(kind) } else { value.to_bits() }
}

/// Sum, difference, product, quotient, `fmod`.
pub(super) fn arithmetic(op: BinaryOp, kind: FloatKind, a: u128, b: u128) -> u128 {
    with_format!(kind, F => {
        let (x, y): (F, F) = (decode(kind, a), decode(kind, b));
        let result = match op {
            BinaryOp::FAdd => x + y,
            BinaryOp::FSub => x - y,
            BinaryOp::FMul => x * y,
            BinaryOp::FDiv => x / y,
            _ => x.c_fmod(y),
        };
        encode(kind, result.value)
    })
}

/// `a * b + c`, rounded once.
pub(super) fn fused_mul_add(kind: FloatKind, a: u128, b: u128, c: u128) -> u128 {
    with_format!(kind, F => {
        let (x, y, z): (F, F, F) = (decode(kind, a), decode(kind, b), decode(kind, c));
        encode(kind, x.mul_add(y, z).value)
    })
}

/// The order of two floats; `None` if one is a NaN.
pub(super) fn compare(kind: FloatKind, a: u128, b: u128) -> Option<Ordering> {
    with_format!(kind, F => decode::<F>(kind, a).partial_cmp(&decode::<F>(kind, b)))
}

/// Square root and rounding to an integer.
pub(super) fn rounding(op: UnaryOp, kind: FloatKind, arg: u128) -> u128 {
    let round = match op {
        UnaryOp::FSqrt => return with_format!(kind, F => square_root::<F>(kind, arg)),
        UnaryOp::FFloor => Round::TowardNegative,
        UnaryOp::FCeil => Round::TowardPositive,
        UnaryOp::FTrunc => Round::TowardZero,
        UnaryOp::FRound => Round::NearestTiesToAway,
        _ => Round::NearestTiesToEven,
    };
    with_format!(kind, F => {
        let x: F = decode(kind, arg);
        let rounded = x.round_to_integral(round).value;
        // Rounding keeps the sign, of a zero too.
        let bits = encode(kind, rounded);
        if rounded.is_zero() { arg & sign_bit(kind) } else { bits }
    })
}

/// A signed integer as a float.
pub(super) fn from_signed(kind: FloatKind, value: i128) -> u128 {
    with_format!(kind, F => encode(kind, F::from_i128(value).value))
}

/// An unsigned integer as a float.
pub(super) fn from_unsigned(kind: FloatKind, value: u128) -> u128 {
    with_format!(kind, F => encode(kind, F::from_u128(value).value))
}

/// A float in another format.
pub(super) fn convert(from: FloatKind, to: FloatKind, bits: u128) -> u128 {
    fn step<A: Float + FloatConvert<B>, B: Float>(
        from: FloatKind,
        to: FloatKind,
        bits: u128,
    ) -> u128 {
        let mut loses = false;
        encode(to, decode::<A>(from, bits).convert(&mut loses).value)
    }
    with_format!(from, A => with_format!(to, B => step::<A, B>(from, to, bits)))
}

/// The integer part, exactly, as sign and magnitude; `None` if it is NaN, infinite or
/// has more than 128 bits.
pub(super) fn integer_part(kind: FloatKind, bits: u128) -> Option<(bool, u128)> {
    with_format!(kind, F => {
        let x: F = decode(kind, bits);
        if !x.is_finite() {
            return None;
        }
        let magnitude = x.abs().to_u128(128);
        let fits = !magnitude.status.intersects(rustc_apfloat::Status::INVALID_OP);
        fits.then_some((x.is_negative(), magnitude.value))
    })
}

/// The square root, to nearest even.
///
/// x = m * 2^e with an integer m and an even e. The root of m * 4^k is found digit by
/// digit, with two digits more than the format holds; whether anything remains is put
/// into one more digit below, so that rounding that integer rounds the exact root.
fn square_root<F: Float>(kind: FloatKind, arg: u128) -> u128 {
    let x: F = decode(kind, arg);
    if x.is_nan() || x.is_zero() || x.is_pos_infinity() {
        return if x.is_nan() { canonical_nan(kind) } else { arg };
    }
    if x.is_negative() {
        return canonical_nan(kind);
    }
    let mut exponent = 0;
    // `frexp` gives a fraction in [0.5, 1); scaled by the precision it is an integer.
    let precision = i32::try_from(F::PRECISION).unwrap_or(0);
    let fraction = x.frexp(&mut exponent);
    let mut radicand = fraction.scalbn(precision).to_u128(128).value;
    exponent -= precision;
    let mut digits = precision + 3;
    if exponent % 2 != 0 {
        radicand <<= 1;
        exponent -= 1;
        digits += 1;
    }
    // The radicand's digits pairwise, from the top of 128 bits; zeros follow.
    let (mut root, mut remainder) = (0u128, 0u128);
    let pairs_above = radicand.leading_zeros() / 2;
    let mut rest = radicand << (2 * pairs_above);
    let mut pairs = 0;
    while pairs < digits {
        remainder = remainder << 2 | rest >> 126;
        rest <<= 2;
        let trial = root << 2 | 1;
        root <<= 1;
        if remainder >= trial {
            remainder -= trial;
            root |= 1;
        }
        pairs += 1;
    }
    let below = u128::from(remainder != 0 || rest != 0);
    // The digits taken stand for radicand * 4^(digits - pairs the radicand had).
    let had = 64 - i32::try_from(pairs_above).unwrap_or(0);
    let scale = exponent / 2 - (digits - had) - 1;
    encode(kind, F::from_u128(root << 1 | below).value.scalbn(scale))
}
