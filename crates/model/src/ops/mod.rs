//! What every operator means, on bits: the one definition that the interpreter runs, the
//! front end folds constants with, and symbolic execution is tested against.
//!
//! Every operator is total. Where C leaves a case open, the operator does what the code
//! does that clang 19 makes at `-O0` for x86-64, because that is what a witness is replayed
//! on; a test compiles C and compares.
//!
//! - Integers wrap; shift amounts count modulo the width; division by zero is SMT-LIB's
//!   (a [`Check`](crate::StmtKind::Check) stands before every division of a C program).
//! - An operator that *computes* a float gives one NaN per format, the positive quiet one
//!   without payload: hardware, libm and solvers disagree on payloads, and docs/internals/semantics.md has
//!   all NaNs equal. [`FNeg`](UnaryOp::FNeg), [`FAbs`](UnaryOp::FAbs),
//!   [`FCopySign`](BinaryOp::FCopySign) and casts of bits only move bits and keep payloads.
//! - A float too large for the integer it is converted to: see [`to_int`].

mod fast;
mod float;
mod int;
mod soft;
pub mod to_int;

#[cfg(test)]
mod tests;

pub use fast::{add_f32, add_f64, div_f32, div_f64, mul_f32, mul_f64, sub_f32, sub_f64};
pub use float::{canonical_nan, is_nan};

use crate::expr::{BinaryOp, Const, Expr, UnaryOp};
use crate::types::{Type, mask};

/// The value of `op arg` with a result of type `result`.
///
/// ```
/// use verdiff_model::{Const, Type, UnaryOp, ops};
/// let minus_one = Const::new(Type::Int(8), 0xff);
/// assert_eq!(ops::unary(UnaryOp::SignExtend, Type::Int(32), minus_one).bits, 0xffff_ffff);
/// ```
pub fn unary(op: UnaryOp, result: Type, arg: Const) -> Const {
    Const { ty: result, bits: unary_bits(op, result, arg.ty, arg.bits) }
}

/// The value of `lhs op rhs`; both operands have one type, but for
/// [`PtrAdd`](BinaryOp::PtrAdd), whose right operand is an `Int(64)`.
pub fn binary(op: BinaryOp, lhs: Const, rhs: Const) -> Const {
    let ty = if op.is_predicate() { Type::BOOL } else { lhs.ty };
    Const { ty, bits: binary_bits(op, lhs.ty, lhs.bits, rhs.bits) }
}

/// The value of `a * b + c`, rounded once; all three of one float type.
pub fn fused_mul_add(a: Const, b: Const, c: Const) -> Const {
    Const { ty: a.ty, bits: fused_mul_add_bits(a.ty, a.bits, b.bits, c.bits) }
}

/// [`unary`] on raw bits: `arg` of type `from`, the result of type `to`. Bits above the
/// width of `from` must be zero; those above the width of `to` are.
pub fn unary_bits(op: UnaryOp, to: Type, from: Type, arg: u128) -> u128 {
    use UnaryOp::*;
    let bits = match op {
        Not => !arg,
        Neg => arg.wrapping_neg(),
        ZeroExtend | Truncate | PtrToInt | IntToPtr | Bitcast => arg,
        SignExtend => crate::types::signed(arg, from.width()) as u128,
        PopCount => u128::from(arg.count_ones()),
        LeadingZeros => u128::from(arg.leading_zeros()) + u128::from(from.width()) - 128,
        TrailingZeros => u128::from(arg.trailing_zeros().min(u32::from(from.width()))),
        ByteSwap => int::byte_swap(arg, from.width()),
        BitReverse => arg.reverse_bits() >> (128 - u32::from(from.width())),
        _ => return float::unary(op, to, from, arg),
    };
    bits & to.mask()
}

/// [`binary`] on raw bits, both operands of type `ty` with zeros above its width.
pub fn binary_bits(op: BinaryOp, ty: Type, a: u128, b: u128) -> u128 {
    match ty {
        Type::Float(kind) if op.takes_floats() => float::binary(op, kind, a, b),
        _ => int::binary(op, ty.width(), a, b),
    }
}

/// [`fused_mul_add`] on raw bits; zero if `ty` is no float.
pub fn fused_mul_add_bits(ty: Type, a: u128, b: u128, c: u128) -> u128 {
    match ty {
        Type::Float(kind) => float::fused_mul_add(kind, a, b, c),
        _ => 0,
    }
}

/// The value of an expression without variables and addresses; `None` if it has one.
/// Of a [`Select`](Expr::Select) only the chosen side must be constant.
///
/// ```
/// use verdiff_model::{BinaryOp, Expr, Type, ops};
/// let e = Expr::binary(BinaryOp::Add, Expr::int(8, 200), Expr::int(8, 100));
/// assert_eq!(ops::fold(&e).map(|c| c.bits), Some(44));
/// ```
pub fn fold(e: &Expr) -> Option<Const> {
    match e {
        Expr::Const(c) => Some(*c),
        Expr::Var(_) | Expr::Address(_) => None,
        Expr::Unary { op, ty, arg } => Some(unary(*op, *ty, fold(arg)?)),
        Expr::Binary { op, lhs, rhs, .. } => Some(binary(*op, fold(lhs)?, fold(rhs)?)),
        Expr::Select { cond, then, otherwise } => {
            fold(if fold(cond)?.bits != 0 { then } else { otherwise })
        }
        Expr::FusedMulAdd { a, b, c } => Some(fused_mul_add(fold(a)?, fold(b)?, fold(c)?)),
    }
}

/// Whether two values of one type are the same to an observer: equal bits, or both NaN.
pub fn same_value(ty: Type, a: u128, b: u128) -> bool {
    a == b || matches!(ty, Type::Float(kind) if is_nan(kind, a) && is_nan(kind, b))
}

/// All ones in the low `width` bits, `width` at most 64.
#[inline]
pub fn mask64(width: u16) -> u64 {
    mask(width) as u64
}
