//! Expressions as terms: the exact meaning of every operator of the program model.
//!
//! The definition is [`verdiff_model::ops`], bit for bit; the tests evaluate both on random and
//! boundary operands and compare. How values are represented:
//!
//! | type | sort |
//! |---|---|
//! | `Int(1)` | [`Sort::Bool`] |
//! | `Int(w)` | [`Sort::BitVec`]`(w)` |
//! | `Ptr` | [`Sort::BitVec`]`(64)` |
//! | `Float(kind)` | [`Sort::BitVec`] as wide as the encoding (80 for x87), holding its bits |
//!
//! Floats are bits, not [`Sort::Float`], because memory, casts and payloads of NaN are about
//! bits. An operator that computes reads them as a float, computes there, and gives the bits of
//! the result with the one NaN of [`canonical_nan`](verdiff_model::ops::canonical_nan).
//!
//! Sound, but not exact: [`FRem`](BinaryOp::FRem), C's `fmod`, which SMT-LIB does not have. Its
//! cases without a division (NaN, infinities, zeros, the dividend below the divisor) are exact,
//! the others an uninterpreted function per format named `frem.f64` and so on. What a solver
//! proves of all functions holds of the real one; what it finds must be replayed.

mod boolean;
mod count;
mod float;
mod int;
mod to_int;

use std::fmt::Debug;

use verdiff_logic::{Bits, LogicError, Sort, TermId, TermPool, Value};
use verdiff_model::{Address, BinaryOp, Const, Expr, Type, UnaryOp, VarId};

/// A term, or why there is none: an operator on types that `validate` refuses, or a full pool.
type Built = Result<TermId, LogicError>;

/// What the leaves of an expression stand for.
pub trait Environment {
    /// The type of a variable.
    fn var_type(&self, var: VarId) -> Type;

    /// The value of a variable, of the sort of its type.
    fn var(&mut self, pool: &mut TermPool, var: VarId) -> Result<TermId, LogicError>;

    /// The address of something with a name: 64 bits.
    fn address(&mut self, pool: &mut TermPool, address: Address) -> Result<TermId, LogicError>;
}

/// The sort of the values of a type.
pub fn sort_of(ty: Type) -> Sort {
    match ty {
        Type::BOOL => Sort::Bool,
        _ => Sort::BitVec(width_of(ty)),
    }
}

/// A constant as a value of its type's sort.
pub fn value_of(c: Const) -> Value {
    match c.ty {
        Type::BOOL => Value::Bool(c.bits != 0),
        ty => Value::Bits(Bits::new(width_of(ty), c.bits)),
    }
}

/// The constant of a type that a value is: what [`value_of`] undoes. `None` if the value's sort
/// is not that of the type.
pub fn const_of(ty: Type, value: &Value) -> Option<Const> {
    if value.sort() != sort_of(ty) {
        return None;
    }
    let bits = match value {
        Value::Bool(value) => u128::from(*value),
        other => other.as_bits()?.to_u128()?,
    };
    Some(Const::new(ty, bits))
}

/// A constant as a term.
pub fn constant(pool: &mut TermPool, c: Const) -> Result<TermId, LogicError> {
    match c.ty {
        Type::BOOL => Ok(pool.boolean(c.bits != 0)),
        ty => pool.bits(width_of(ty), c.bits),
    }
}

/// The value of an expression, of the sort of its type. The expression must be well-typed, as
/// [`validate`](verdiff_model::validate()) checks; else this is an error or a term of no meaning.
///
/// ```
/// use verdiff_logic::{LogicError, TermId, TermPool};
/// use verdiff_model::{Address, BinaryOp, Expr, Type, VarId};
/// use verdiff_symex::translate::{self, Environment};
///
/// /// All variables are `int`, and each is a symbol.
/// struct Symbols;
/// impl Environment for Symbols {
///     fn var_type(&self, _: VarId) -> Type {
///         Type::Int(32)
///     }
///     fn var(&mut self, pool: &mut TermPool, v: VarId) -> Result<TermId, LogicError> {
///         pool.symbol(&format!("v{}", v.index()), translate::sort_of(self.var_type(v)))
///     }
///     fn address(&mut self, pool: &mut TermPool, _: Address) -> Result<TermId, LogicError> {
///         pool.bits(64, 0)
///     }
/// }
///
/// # fn main() -> Result<(), LogicError> {
/// let mut pool = TermPool::new();
/// let e = Expr::binary(BinaryOp::Shl, Expr::Var(VarId::new(0)), Expr::int(32, 35));
/// let term = translate::expr(&mut pool, &mut Symbols, &e)?;
/// assert_eq!(pool.display(term).to_string(), "(bvshl v0 #x00000003)");
/// # Ok(()) }
/// ```
pub fn expr(
    pool: &mut TermPool,
    environment: &mut impl Environment,
    e: &Expr,
) -> Result<TermId, LogicError> {
    typed(pool, environment, e).map(|(term, _)| term)
}

/// [`expr`] with the type, which every operator needs of its operands. Its depth is that of the
/// expression, which is at most [`MAX_EXPR_DEPTH`](verdiff_model::MAX_EXPR_DEPTH).
fn typed(
    pool: &mut TermPool,
    environment: &mut impl Environment,
    e: &Expr,
) -> Result<(TermId, Type), LogicError> {
    Ok(match e {
        Expr::Const(c) => (constant(pool, *c)?, c.ty),
        Expr::Var(v) => {
            let (term, ty) = (environment.var(pool, *v)?, environment.var_type(*v));
            check(pool, "variable", 0, ty, term)?;
            (term, ty)
        }
        Expr::Address(a) => {
            let term = environment.address(pool, *a)?;
            check(pool, "address", 0, Type::Ptr, term)?;
            (term, Type::Ptr)
        }
        Expr::Unary { op, ty, arg } => {
            let (arg, from) = typed(pool, environment, arg)?;
            (unary(pool, *op, *ty, from, arg)?, *ty)
        }
        Expr::Binary { op, lhs, rhs, .. } => {
            let (lhs, ty) = typed(pool, environment, lhs)?;
            let (rhs, _) = typed(pool, environment, rhs)?;
            let result = if op.is_predicate() { Type::BOOL } else { ty };
            (binary(pool, *op, ty, lhs, rhs)?, result)
        }
        Expr::Select { cond, then, otherwise } => {
            let (cond, _) = typed(pool, environment, cond)?;
            let (then, ty) = typed(pool, environment, then)?;
            let (otherwise, _) = typed(pool, environment, otherwise)?;
            (pool.ite(cond, then, otherwise)?, ty)
        }
        Expr::FusedMulAdd { a, b, c } => {
            let (a, ty) = typed(pool, environment, a)?;
            let (b, _) = typed(pool, environment, b)?;
            let (c, _) = typed(pool, environment, c)?;
            (fused_mul_add(pool, ty, a, b, c)?, ty)
        }
    })
}

/// `op arg`, where `arg` is of type `from` and the result of type `to`.
pub fn unary(
    pool: &mut TermPool,
    op: UnaryOp,
    to: Type,
    from: Type,
    arg: TermId,
) -> Result<TermId, LogicError> {
    use UnaryOp::*;
    check(pool, op, 0, from, arg)?;
    match op {
        ZeroExtend | Truncate | PtrToInt | IntToPtr | Bitcast => resize(pool, arg, from, to, false),
        SignExtend => resize(pool, arg, from, to, true),
        Not | Neg | PopCount | LeadingZeros | TrailingZeros | ByteSwap | BitReverse => match from {
            _ if to != from => Err(ill_typed(op, from, "the type of the result")),
            Type::BOOL => boolean::unary(pool, op, arg),
            _ => count::unary(pool, op, width_of(from), arg),
        },
        FToSigned | FToUnsigned | FToSignedSat | FToUnsignedSat => match (from, to) {
            (Type::Float(kind), Type::Int(_)) => to_int::convert(pool, op, kind, to, arg),
            _ => Err(ill_typed(op, from, "a float, and an integer as the result")),
        },
        _ => float::unary(pool, op, to, from, arg),
    }
}

/// `a op b`, both of type `ty`; of [`PtrAdd`](BinaryOp::PtrAdd) the left one is.
pub fn binary(
    pool: &mut TermPool,
    op: BinaryOp,
    ty: Type,
    a: TermId,
    b: TermId,
) -> Result<TermId, LogicError> {
    check(pool, op, 0, ty, a)?;
    check(pool, op, 1, ty, b)?;
    match ty {
        Type::Float(kind) if op.takes_floats() => float::binary(pool, op, kind, a, b),
        _ if op.takes_floats() => Err(ill_typed(op, ty, "a float")),
        Type::BOOL => boolean::binary(pool, op, a, b),
        _ => int::binary(pool, op, width_of(ty), a, b),
    }
}

/// `a * b + c`, rounded once; all three of the float type `ty`.
pub fn fused_mul_add(
    pool: &mut TermPool,
    ty: Type,
    a: TermId,
    b: TermId,
    c: TermId,
) -> Result<TermId, LogicError> {
    for (operand, term) in [a, b, c].into_iter().enumerate() {
        check(pool, "FusedMulAdd", operand, ty, term)?;
    }
    match ty {
        Type::Float(kind) => float::fused_mul_add(pool, kind, a, b, c),
        _ => Err(ill_typed("FusedMulAdd", ty, "a float")),
    }
}

/// The low bits of `arg`, or `arg` with zeros or copies of its top bit in front.
fn resize(pool: &mut TermPool, arg: TermId, from: Type, to: Type, signed: bool) -> Built {
    let (have, want) = (width_of(from), width_of(to));
    match (from, to) {
        (Type::BOOL, Type::BOOL) => Ok(arg),
        (Type::BOOL, _) => {
            let set = if signed { Bits::ones(want) } else { Bits::one(want) };
            let (set, clear) = (pool.constant_bits(&set), pool.bits(want, 0)?);
            pool.ite(arg, set, clear)
        }
        _ if want <= have => low_bits(pool, arg, have, to),
        _ if signed => pool.sign_extend(want - have, arg),
        _ => pool.zero_extend(want - have, arg),
    }
}

/// The low bits of a bit-vector of `have` bits, as a value of type `to`.
fn low_bits(pool: &mut TermPool, arg: TermId, have: u32, to: Type) -> Built {
    let want = width_of(to);
    let low = if want < have { pool.extract(want - 1, 0, arg)? } else { arg };
    if to == Type::BOOL {
        let one = pool.bits(1, 1)?;
        return pool.eq(low, one);
    }
    Ok(low)
}

/// Whether the top bit of a bit-vector is set.
fn is_negative(pool: &mut TermPool, width: u32, arg: TermId) -> Built {
    let zero = pool.bits(width, 0)?;
    pool.bv_slt(arg, zero)
}

/// Exclusive or of two truth values.
fn differ(pool: &mut TermPool, a: TermId, b: TermId) -> Built {
    pool.ne(a, b)
}

fn width_of(ty: Type) -> u32 {
    u32::from(ty.width())
}

/// Checks that an operand has the sort of its type.
fn check(
    pool: &TermPool,
    op: impl Debug,
    operand: usize,
    ty: Type,
    term: TermId,
) -> Result<(), LogicError> {
    pool.check(term)?;
    let (found, expected) = (pool.sort(term), sort_of(ty));
    if found == expected {
        return Ok(());
    }
    let (operator, expected) = (format!("{op:?}"), format!("{expected:?}"));
    Err(LogicError::SortMismatch { operator, operand, found, expected })
}

/// The error for an operator on a type that it has no meaning for.
fn ill_typed(op: impl Debug, ty: Type, expected: &str) -> LogicError {
    LogicError::SortMismatch {
        operator: format!("{op:?}"),
        operand: 0,
        found: sort_of(ty),
        expected: expected.to_string(),
    }
}
