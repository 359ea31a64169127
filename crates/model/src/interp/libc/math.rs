//! `<math.h>`. What IEEE 754 defines goes through [`ops`]; the others (`sin`, `pow`, …)
//! are asked of the machine's own library, which is what the compiled program is
//! linked with; only their results for NaN are made one.

use super::super::call::Arg;
use super::Entry;
use crate::expr::{BinaryOp, UnaryOp};
use crate::ops;
use crate::types::Type;

fn unary(op: UnaryOp, args: &[Arg]) -> u128 {
    ops::unary_bits(op, args[0].ty, args[0].ty, args[0].bits)
}

fn binary(op: BinaryOp, args: &[Arg]) -> u128 {
    ops::binary_bits(op, args[0].ty, args[0].bits, args[1].bits)
}

/// Rounds and converts, as `lround` does.
fn rounded(op: UnaryOp, args: &[Arg]) -> u128 {
    ops::unary_bits(UnaryOp::FToSigned, Type::Int(64), args[0].ty, unary(op, args))
}

macro_rules! in_all_formats {
    ($($name:literal, $shape:ident, $op:expr;)*) => {
        &[$(
            ($name, in_all_formats!(@types $shape "d"), |_, a| Ok($shape($op, a))),
            (concat!($name, "f"), in_all_formats!(@types $shape "f"), |_, a| Ok($shape($op, a))),
            (concat!($name, "l"), in_all_formats!(@types $shape "x"), |_, a| Ok($shape($op, a))),
        )*]
    };
    (@types unary $t:literal) => { concat!($t, ":", $t) };
    (@types binary $t:literal) => { concat!($t, ":", $t, $t) };
    (@types rounded $t:literal) => { concat!("l:", $t) };
}

pub(super) const TABLE: &[Entry] = in_all_formats! {
    "fabs", unary, UnaryOp::FAbs;
    "sqrt", unary, UnaryOp::FSqrt;
    "floor", unary, UnaryOp::FFloor;
    "ceil", unary, UnaryOp::FCeil;
    "trunc", unary, UnaryOp::FTrunc;
    "round", unary, UnaryOp::FRound;
    "rint", unary, UnaryOp::FRoundEven;
    "nearbyint", unary, UnaryOp::FRoundEven;
    "roundeven", unary, UnaryOp::FRoundEven;
    "fmin", binary, BinaryOp::FMin;
    "fmax", binary, BinaryOp::FMax;
    "fmod", binary, BinaryOp::FRem;
    "copysign", binary, BinaryOp::FCopySign;
    "lround", rounded, UnaryOp::FRound;
    "llround", rounded, UnaryOp::FRound;
    "lrint", rounded, UnaryOp::FRoundEven;
    "llrint", rounded, UnaryOp::FRoundEven;
};

fn fused(args: &[Arg]) -> u128 {
    ops::fused_mul_add_bits(args[0].ty, args[0].bits, args[1].bits, args[2].bits)
}

fn double(args: &[Arg], f: fn(f64) -> f64) -> u128 {
    let result = f(f64::from_bits(args[0].bits as u64));
    u128::from(if result.is_nan() { f64::NAN.to_bits() & !(1 << 63) } else { result.to_bits() })
}

fn single(args: &[Arg], f: fn(f32) -> f32) -> u128 {
    let result = f(f32::from_bits(args[0].bits as u32));
    u128::from(if result.is_nan() { f32::NAN.to_bits() & !(1 << 31) } else { result.to_bits() })
}

fn double2(args: &[Arg], f: fn(f64, f64) -> f64) -> u128 {
    let result = f(f64::from_bits(args[0].bits as u64), f64::from_bits(args[1].bits as u64));
    u128::from(if result.is_nan() { f64::NAN.to_bits() & !(1 << 63) } else { result.to_bits() })
}

macro_rules! of_the_machine {
    ($($name:literal, $function:ident;)*) => {
        &[
            ("fma", "d:ddd", |_, a| Ok(fused(a))),
            ("fmaf", "f:fff", |_, a| Ok(fused(a))),
            ("fmal", "x:xxx", |_, a| Ok(fused(a))),
            ("pow", "d:dd", |_, a| Ok(double2(a, f64::powf))),
            ("atan2", "d:dd", |_, a| Ok(double2(a, f64::atan2))),
            ("hypot", "d:dd", |_, a| Ok(double2(a, f64::hypot))),
            $(
                ($name, "d:d", |_, a| Ok(double(a, f64::$function))),
                (concat!($name, "f"), "f:f", |_, a| Ok(single(a, f32::$function))),
            )*
        ]
    };
}

pub(super) const UNARY: &[Entry] = of_the_machine! {
    "sin", sin;
    "cos", cos;
    "tan", tan;
    "asin", asin;
    "acos", acos;
    "atan", atan;
    "exp", exp;
    "exp2", exp2;
    "log", ln;
    "log2", log2;
    "log10", log10;
    "cbrt", cbrt;
};
