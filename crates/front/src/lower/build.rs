//! Expressions, built with the few simplifications that undo clang's own detours
//! (a truth value widened and compared with zero, an address step by nothing).
//! Each keeps the value for every input; what is not written here is left as it is,
//! for the model must read like the source.

use verdiff_model::types::signed;
use verdiff_model::{BinaryOp, Const, Expr, Marks, Type, UnaryOp, ops};

/// A cast or other operator with one operand. `ty` is the type of the result.
pub fn unary(op: UnaryOp, ty: Type, arg: Expr) -> Expr {
    if let Some(c) = arg.as_const() {
        return Expr::Const(ops::unary(op, ty, c));
    }
    match (op, arg) {
        (UnaryOp::Not, arg) if ty == Type::BOOL => arg.not(),
        // trunc(zext x) to x's own type is x; to a narrower one, a truncation of x.
        (
            UnaryOp::Truncate,
            Expr::Unary { op: UnaryOp::ZeroExtend | UnaryOp::SignExtend, ty: mid, arg: inner },
        ) if source_width(&inner).is_some_and(|w| w == ty.width() && w < mid.width()) => *inner,
        // zext(zext x) is one zext; sext(sext x) one sext; sext of a zext a zext.
        (UnaryOp::ZeroExtend, Expr::Unary { op: UnaryOp::ZeroExtend, arg: inner, .. }) => {
            unary(UnaryOp::ZeroExtend, ty, *inner)
        }
        (
            UnaryOp::SignExtend,
            Expr::Unary {
                op: op @ (UnaryOp::SignExtend | UnaryOp::ZeroExtend), arg: inner, ..
            },
        ) => unary(op, ty, *inner),
        (op, arg) => Expr::unary(op, ty, arg),
    }
}

/// The width of an expression where it shows without knowing the variables.
fn source_width(e: &Expr) -> Option<u16> {
    match e {
        Expr::Const(c) => Some(c.ty.width()),
        Expr::Unary { ty, .. } => Some(ty.width()),
        Expr::Binary { op, .. } if op.is_predicate() => Some(1),
        Expr::Binary { lhs, .. } => source_width(lhs),
        Expr::Select { then, .. } => source_width(then),
        _ => None,
    }
}

/// Whether the expression is a truth value, where that shows.
fn is_truth(e: &Expr) -> bool {
    source_width(e) == Some(1)
}

/// An operator with two operands.
pub fn binary(op: BinaryOp, lhs: Expr, rhs: Expr) -> Expr {
    binary_marked(op, Marks::NONE, lhs, rhs)
}

/// An operator with two operands and what C promised about it.
pub fn binary_marked(op: BinaryOp, marks: Marks, lhs: Expr, rhs: Expr) -> Expr {
    if op == BinaryOp::PtrAdd {
        return ptr_add(lhs, rhs);
    }
    if let (Some(a), Some(b)) = (lhs.as_const(), rhs.as_const()) {
        return Expr::Const(ops::binary(op, a, b));
    }
    match (op, lhs, rhs.as_const()) {
        // (zext t) != 0 is t, (zext t) == 0 is !t, for a truth value t.
        (BinaryOp::Ne, Expr::Unary { op: UnaryOp::ZeroExtend, arg, .. }, Some(zero))
            if zero.bits == 0 && is_truth(&arg) =>
        {
            *arg
        }
        (BinaryOp::Eq, Expr::Unary { op: UnaryOp::ZeroExtend, arg, .. }, Some(zero))
            if zero.bits == 0 && is_truth(&arg) =>
        {
            arg.not()
        }
        // t ^ true is !t.
        (BinaryOp::Xor, lhs, Some(Const { ty: Type::BOOL, bits: 1 })) => lhs.not(),
        (op, lhs, _) => Expr::Binary { op, marks, lhs: Box::new(lhs), rhs: Box::new(rhs) },
    }
}

/// An address and a byte offset; constant steps are joined.
pub fn ptr_add(base: Expr, offset: Expr) -> Expr {
    if let Some(c) = offset.as_const() {
        if c.bits == 0 {
            return base;
        }
        if let Some(b) = base.as_const() {
            return Expr::Const(ops::binary(BinaryOp::PtrAdd, b, c));
        }
        if let Expr::Binary { op: BinaryOp::PtrAdd, lhs, rhs, .. } = &base
            && let Some(inner) = rhs.as_const()
        {
            let sum = Expr::Const(ops::binary(BinaryOp::Add, inner, c));
            return ptr_add((**lhs).clone(), sum);
        }
    }
    Expr::binary(BinaryOp::PtrAdd, base, offset)
}

/// An address as an integer of some width.
pub fn ptr_to_int(e: Expr, ty: Type) -> Expr {
    resize(unary(UnaryOp::PtrToInt, Type::WORD, e), Type::WORD, ty, false)
}

/// An integer of some width as an address.
pub fn int_to_ptr(e: Expr, from: Type) -> Expr {
    unary(UnaryOp::IntToPtr, Type::Ptr, resize(e, from, Type::WORD, false))
}

/// An integer made wider or narrower.
pub fn resize(e: Expr, from: Type, to: Type, sign: bool) -> Expr {
    match from.width().cmp(&to.width()) {
        std::cmp::Ordering::Equal => e,
        std::cmp::Ordering::Greater => unary(UnaryOp::Truncate, to, e),
        std::cmp::Ordering::Less => {
            unary(if sign { UnaryOp::SignExtend } else { UnaryOp::ZeroExtend }, to, e)
        }
    }
}

/// The bits of a value as an integer of the same width.
pub fn to_bits(e: Expr, ty: Type) -> Expr {
    match ty {
        Type::Int(_) => e,
        Type::Ptr => unary(UnaryOp::PtrToInt, Type::WORD, e),
        Type::Float(_) => unary(UnaryOp::Bitcast, Type::Int(ty.width()), e),
    }
}

/// Bits of an integer as a value of a type of the same width.
pub fn from_bits(e: Expr, ty: Type) -> Expr {
    match ty {
        Type::Int(_) => e,
        Type::Ptr => unary(UnaryOp::IntToPtr, Type::Ptr, e),
        Type::Float(_) => unary(UnaryOp::Bitcast, ty, e),
    }
}

/// `index * scale` as a 64-bit offset.
pub fn scaled(index: Expr, from: Type, scale: u64) -> Expr {
    let index = resize(index, from, Type::WORD, true);
    if let Some(c) = index.as_const() {
        return Expr::int(
            64,
            (signed(c.bits, 64) as i64).wrapping_mul(scale as i64) as u64 as u128,
        );
    }
    if scale == 1 { index } else { binary(BinaryOp::Mul, index, Expr::int(64, scale.into())) }
}

/// The smallest signed number of a width.
pub fn min_signed(width: u16) -> u128 {
    1 << (width - 1)
}
