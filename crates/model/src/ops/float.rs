//! Float operators: single and double natively, the other formats in software.

use super::fast::{bits32, bits64};
use super::{soft, to_int};
use crate::expr::{BinaryOp, UnaryOp};
use crate::types::{FloatKind, Type, signed};
use std::cmp::Ordering;

/// The one NaN that computing operators give: positive, quiet, without payload.
pub fn canonical_nan(kind: FloatKind) -> u128 {
    match kind {
        FloatKind::Half => 0x7e00,
        FloatKind::BFloat => 0x7fc0,
        FloatKind::Single => 0x7fc0_0000,
        FloatKind::Double => 0x7ff8_0000_0000_0000,
        FloatKind::X87 => 0x7fff_c000_0000_0000_0000,
        FloatKind::Quad => 0x7fff_8000_0000_0000_0000_0000_0000_0000,
    }
}

/// Whether the bits are a NaN, of any sign or payload. For x87, the encodings that no
/// operation makes and every one refuses ("unnormal" and the like) count as NaN too,
/// as that is what computing with them gives.
pub fn is_nan(kind: FloatKind, bits: u128) -> bool {
    let magnitude = bits & !sign_bit(kind);
    match kind {
        FloatKind::Half => magnitude > 0x7c00,
        FloatKind::BFloat => magnitude > 0x7f80,
        FloatKind::Single => magnitude > 0x7f80_0000,
        FloatKind::Double => magnitude > 0x7ff0_0000_0000_0000,
        FloatKind::X87 => {
            let exponent = magnitude >> 64;
            let integer_bit = magnitude >> 63 & 1;
            (exponent != 0 && integer_bit == 0)
                || (exponent == 0x7fff && magnitude & (u128::from(u64::MAX) >> 1) != 0)
        }
        FloatKind::Quad => magnitude > 0x7fff << 112,
    }
}

/// The sign bit.
pub(super) fn sign_bit(kind: FloatKind) -> u128 {
    1 << (kind.width() - 1)
}

/// An operator on one operand, where at least one of the types is a float.
pub(super) fn unary(op: UnaryOp, to: Type, from: Type, arg: u128) -> u128 {
    use UnaryOp::*;
    match (op, from, to) {
        (FNeg, Type::Float(kind), _) => arg ^ sign_bit(kind),
        (FAbs, Type::Float(kind), _) => arg & !sign_bit(kind),
        (FToSigned, Type::Float(kind), _) => to_int::to_signed(kind, arg, to.width()),
        (FToUnsigned, Type::Float(kind), _) => to_int::to_unsigned(kind, arg, to.width()),
        (FToSignedSat, Type::Float(kind), _) => to_int::saturating(kind, arg, to.width(), true),
        (FToUnsignedSat, Type::Float(kind), _) => to_int::saturating(kind, arg, to.width(), false),
        (SignedToF, _, Type::Float(kind)) => from_signed(kind, signed(arg, from.width())),
        (UnsignedToF, _, Type::Float(kind)) => from_unsigned(kind, arg),
        (FConvert, Type::Float(a), Type::Float(b)) => convert(a, b, arg),
        (_, Type::Float(kind), _) => rounding(op, kind, arg),
        // Ill-typed; `validate` rejects it.
        _ => 0,
    }
}

/// Square root and rounding to an integer.
fn rounding(op: UnaryOp, kind: FloatKind, arg: u128) -> u128 {
    use UnaryOp::*;
    macro_rules! native {
        ($x:expr) => {
            match op {
                FSqrt => $x.sqrt(),
                FFloor => $x.floor(),
                FCeil => $x.ceil(),
                FTrunc => $x.trunc(),
                FRoundEven => $x.round_ties_even(),
                FRound => $x.round(),
                _ => $x,
            }
        };
    }
    match kind {
        FloatKind::Single => u128::from(bits32(native!(single(arg)))),
        FloatKind::Double => u128::from(bits64(native!(double(arg)))),
        _ => soft::rounding(op, kind, arg),
    }
}

/// An operator on two floats of one format.
pub(super) fn binary(op: BinaryOp, kind: FloatKind, a: u128, b: u128) -> u128 {
    use BinaryOp::*;
    if op.is_float_comparison() {
        return u128::from(holds(op, compare(kind, a, b)));
    }
    match op {
        FCopySign => (a & !sign_bit(kind)) | (b & sign_bit(kind)),
        FMin | FMax | FMinimum | FMaximum => extremum(op, kind, a, b),
        _ => match kind {
            FloatKind::Single => {
                let (x, y) = (single(a), single(b));
                u128::from(bits32(match op {
                    FAdd => x + y,
                    FSub => x - y,
                    FMul => x * y,
                    FDiv => x / y,
                    _ => x % y,
                }))
            }
            FloatKind::Double => {
                let (x, y) = (double(a), double(b));
                u128::from(bits64(match op {
                    FAdd => x + y,
                    FSub => x - y,
                    FMul => x * y,
                    FDiv => x / y,
                    _ => x % y,
                }))
            }
            _ => soft::arithmetic(op, kind, a, b),
        },
    }
}

/// `a * b + c`, rounded once.
pub(super) fn fused_mul_add(kind: FloatKind, a: u128, b: u128, c: u128) -> u128 {
    match kind {
        FloatKind::Single => u128::from(bits32(single(a).mul_add(single(b), single(c)))),
        FloatKind::Double => u128::from(bits64(double(a).mul_add(double(b), double(c)))),
        _ => soft::fused_mul_add(kind, a, b, c),
    }
}

/// The order of two floats; `None` if one is a NaN.
pub(super) fn compare(kind: FloatKind, a: u128, b: u128) -> Option<Ordering> {
    match kind {
        FloatKind::Single => single(a).partial_cmp(&single(b)),
        FloatKind::Double => double(a).partial_cmp(&double(b)),
        _ => soft::compare(kind, a, b),
    }
}

/// Whether a comparison holds of two operands in this order.
fn holds(op: BinaryOp, order: Option<Ordering>) -> bool {
    use BinaryOp::*;
    use Ordering::*;
    match op {
        FOeq => order == Some(Equal),
        FOne => matches!(order, Some(Less | Greater)),
        FOlt => order == Some(Less),
        FOle => matches!(order, Some(Less | Equal)),
        FOgt => order == Some(Greater),
        FOge => matches!(order, Some(Greater | Equal)),
        FOrd => order.is_some(),
        FUno => order.is_none(),
        FUeq => matches!(order, None | Some(Equal)),
        FUne => order != Some(Equal),
        FUlt => matches!(order, None | Some(Less)),
        FUle => order != Some(Greater),
        FUgt => matches!(order, None | Some(Greater)),
        FUge => order != Some(Less),
        _ => false,
    }
}

/// Minimum and maximum of either kind. A signalling NaN is a NaN like all others, as it is to
/// the instructions clang emits; glibc's `fminl` would not return the other operand.
fn extremum(op: BinaryOp, kind: FloatKind, a: u128, b: u128) -> u128 {
    use BinaryOp::*;
    let propagates = matches!(op, FMinimum | FMaximum);
    let smaller = matches!(op, FMin | FMinimum);
    match (is_nan(kind, a), is_nan(kind, b)) {
        (true, true) => canonical_nan(kind),
        (true, false) | (false, true) if propagates => canonical_nan(kind),
        (true, false) => b,
        (false, true) => a,
        (false, false) => match compare(kind, a, b) {
            Some(Ordering::Less) => [b, a][usize::from(smaller)],
            Some(Ordering::Greater) => [a, b][usize::from(smaller)],
            _ if propagates => {
                // Equal means equal bits but for zeros, where minus zero counts as below.
                let a_is_below = a & sign_bit(kind) != 0;
                [b, a][usize::from(a_is_below == smaller)]
            }
            // C leaves open which zero; the instruction clang emits gives the first.
            _ => a,
        },
    }
}

/// A signed integer as a float, to nearest even.
fn from_signed(kind: FloatKind, value: i128) -> u128 {
    match kind {
        FloatKind::Single => u128::from((value as f32).to_bits()),
        FloatKind::Double => u128::from((value as f64).to_bits()),
        _ => soft::from_signed(kind, value),
    }
}

/// An unsigned integer as a float, to nearest even.
fn from_unsigned(kind: FloatKind, value: u128) -> u128 {
    match kind {
        FloatKind::Single => u128::from((value as f32).to_bits()),
        FloatKind::Double => u128::from((value as f64).to_bits()),
        _ => soft::from_unsigned(kind, value),
    }
}

/// A float in another format, to nearest even.
pub(super) fn convert(from: FloatKind, to: FloatKind, bits: u128) -> u128 {
    match (from, to) {
        _ if is_nan(from, bits) => canonical_nan(to),
        (FloatKind::Single, FloatKind::Double) => u128::from(f64::from(single(bits)).to_bits()),
        (FloatKind::Double, FloatKind::Single) => u128::from((double(bits) as f32).to_bits()),
        _ if from == to => bits,
        _ => soft::convert(from, to, bits),
    }
}

pub(super) fn single(bits: u128) -> f32 {
    f32::from_bits(bits as u32)
}

pub(super) fn double(bits: u128) -> f64 {
    f64::from_bits(bits as u64)
}
