//! Expressions: pure and total. An expression reads variables and nothing else; it
//! neither traps nor touches memory. What could trap is a [`Check`] before it, what
//! reads memory is a [`Load`]. So an expression may be moved, copied or dropped as
//! long as the variables in it keep their values, and every engine can turn one
//! into a term without asking in which state it is evaluated.
//!
//! [`Check`]: crate::StmtKind::Check
//! [`Load`]: crate::StmtKind::Load

use crate::ids::{ExternId, GlobalId, LocalId, ProcId, VarId};
use crate::types::Type;
use serde::{Deserialize, Serialize};

/// An expression.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Expr {
    /// A constant.
    Const(Const),
    /// The value of a variable.
    Var(VarId),
    /// The address of something with a name.
    Address(Address),
    /// An operator with one operand; casts are among them.
    Unary {
        /// The operator.
        op: UnaryOp,
        /// The type of the result.
        ty: Type,
        /// The operand.
        arg: Box<Expr>,
    },
    /// An operator with two operands.
    Binary {
        /// The operator.
        op: BinaryOp,
        /// What the C program promised about overflow.
        marks: Marks,
        /// Left operand.
        lhs: Box<Expr>,
        /// Right operand.
        rhs: Box<Expr>,
    },
    /// `cond ? then : otherwise`. Nothing traps, so both sides may be evaluated.
    Select {
        /// A truth value.
        cond: Box<Expr>,
        /// The value if it is true.
        then: Box<Expr>,
        /// The value if it is false.
        otherwise: Box<Expr>,
    },
    /// `a * b + c`, rounded once (C's `fma`).
    FusedMulAdd {
        /// First factor.
        a: Box<Expr>,
        /// Second factor.
        b: Box<Expr>,
        /// Summand.
        c: Box<Expr>,
    },
}

/// A constant: a type and its bits, those above the width being zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Const {
    /// Its type.
    pub ty: Type,
    /// Its bits; for a float, the format's encoding.
    pub bits: u128,
}

/// Something whose address is known by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Address {
    /// A global object.
    Global(GlobalId),
    /// A procedure of this program.
    Procedure(ProcId),
    /// An external function.
    External(ExternId),
    /// A local object of the running procedure's frame.
    Local(LocalId),
}

/// What clang's `nsw` and `nuw` say of an operation: that C leaves its overflow
/// undefined. The operation itself wraps; the marks are for `--overflow=ub`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Marks {
    /// Signed overflow would be undefined.
    pub no_signed_wrap: bool,
    /// Unsigned overflow would be undefined (pointer arithmetic, mostly).
    pub no_unsigned_wrap: bool,
}

impl Marks {
    /// Nothing is promised.
    pub const NONE: Marks = Marks { no_signed_wrap: false, no_unsigned_wrap: false };
}

/// Operators with one operand. Integers are bits; the operator says how it reads them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum UnaryOp {
    /// All bits flipped; on a truth value, "not".
    Not,
    /// Two's complement.
    Neg,
    /// To a wider integer, with zeros.
    ZeroExtend,
    /// To a wider integer, with copies of the top bit.
    SignExtend,
    /// To a narrower integer: the low bits.
    Truncate,
    /// Address to integer (of 64 bits).
    PtrToInt,
    /// Integer (of 64 bits) to address.
    IntToPtr,
    /// The same bits as another type of the same width.
    Bitcast,
    /// The number of one bits.
    PopCount,
    /// The number of zero bits above the highest one bit; the width for zero.
    LeadingZeros,
    /// The number of zero bits below the lowest one bit; the width for zero.
    TrailingZeros,
    /// The bytes in reverse order; the width is a multiple of 16.
    ByteSwap,
    /// The bits in reverse order.
    BitReverse,
    /// Float with its sign bit flipped.
    FNeg,
    /// Float with its sign bit cleared.
    FAbs,
    /// Square root, to nearest even.
    FSqrt,
    /// Towards minus infinity.
    FFloor,
    /// Towards plus infinity.
    FCeil,
    /// Towards zero.
    FTrunc,
    /// To the nearest integer, ties to even (`rint`, `nearbyint`, `roundeven` in the default mode).
    FRoundEven,
    /// To the nearest integer, ties away from zero (`round`).
    FRound,
    /// Float to another float format, to nearest even.
    FConvert,
    /// Float to integer towards zero, read as signed. Out of range and NaN give what the
    /// x86-64 instruction gives: see [`ops`](crate::ops).
    FToSigned,
    /// Float to integer towards zero, read as unsigned; out of range as in [`ops`](crate::ops).
    FToUnsigned,
    /// Float to signed integer, saturating, NaN to zero.
    FToSignedSat,
    /// Float to unsigned integer, saturating, NaN to zero.
    FToUnsignedSat,
    /// Signed integer to float, to nearest even.
    SignedToF,
    /// Unsigned integer to float, to nearest even.
    UnsignedToF,
}

/// Operators with two operands of one type. Comparisons and the `…Overflows`
/// give a truth value, all others the operands' type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum BinaryOp {
    /// Sum, wrapping.
    Add,
    /// Difference, wrapping.
    Sub,
    /// Product, wrapping.
    Mul,
    /// Unsigned quotient; all ones if the divisor is zero (as SMT-LIB has it; a check comes first).
    UDiv,
    /// Signed quotient towards zero; of a zero divisor 1 or -1 (as SMT-LIB has it; a check comes first).
    SDiv,
    /// Unsigned remainder; the dividend if the divisor is zero.
    URem,
    /// Signed remainder with the dividend's sign; the dividend if the divisor is zero.
    SRem,
    /// Left shift, by the right operand modulo the width.
    Shl,
    /// Right shift with zeros, by the right operand modulo the width.
    LShr,
    /// Right shift with copies of the top bit, by the right operand modulo the width.
    AShr,
    /// Bitwise and.
    And,
    /// Bitwise or.
    Or,
    /// Bitwise exclusive or.
    Xor,
    /// An address (left) and a 64-bit byte offset (right), wrapping.
    PtrAdd,
    /// Whether the signed sum overflows.
    SAddOverflows,
    /// Whether the unsigned sum overflows.
    UAddOverflows,
    /// Whether the signed difference overflows.
    SSubOverflows,
    /// Whether the unsigned difference overflows.
    USubOverflows,
    /// Whether the signed product overflows.
    SMulOverflows,
    /// Whether the unsigned product overflows.
    UMulOverflows,
    /// Equal bits; integers and addresses.
    Eq,
    /// Different bits.
    Ne,
    /// Unsigned less.
    Ult,
    /// Unsigned less or equal.
    Ule,
    /// Unsigned greater.
    Ugt,
    /// Unsigned greater or equal.
    Uge,
    /// Signed less.
    Slt,
    /// Signed less or equal.
    Sle,
    /// Signed greater.
    Sgt,
    /// Signed greater or equal.
    Sge,
    /// Float sum.
    FAdd,
    /// Float difference.
    FSub,
    /// Float product.
    FMul,
    /// Float quotient.
    FDiv,
    /// C's `fmod`: exact, with the dividend's sign.
    FRem,
    /// The smaller; the other one if one is a NaN (`fmin`).
    FMin,
    /// The larger; the other one if one is a NaN (`fmax`).
    FMax,
    /// The smaller, a NaN if one is, -0 below +0.
    FMinimum,
    /// The larger, a NaN if one is, -0 below +0.
    FMaximum,
    /// Left's magnitude with right's sign bit.
    FCopySign,
    /// Ordered and equal (C's `==`).
    FOeq,
    /// Ordered and different.
    FOne,
    /// Ordered and less (C's `<`).
    FOlt,
    /// Ordered and less or equal.
    FOle,
    /// Ordered and greater.
    FOgt,
    /// Ordered and greater or equal.
    FOge,
    /// Neither is a NaN.
    FOrd,
    /// One is a NaN.
    FUno,
    /// Unordered or equal.
    FUeq,
    /// Unordered or different (C's `!=`).
    FUne,
    /// Unordered or less.
    FUlt,
    /// Unordered or less or equal.
    FUle,
    /// Unordered or greater.
    FUgt,
    /// Unordered or greater or equal.
    FUge,
}

impl BinaryOp {
    /// Whether the result is a truth value.
    pub fn is_predicate(self) -> bool {
        use BinaryOp::*;
        matches!(
            self,
            SAddOverflows
                | UAddOverflows
                | SSubOverflows
                | USubOverflows
                | SMulOverflows
                | UMulOverflows
        ) || self.is_comparison()
    }

    /// Whether this is a comparison of integers, addresses or floats.
    pub fn is_comparison(self) -> bool {
        use BinaryOp::*;
        matches!(self, Eq | Ne | Ult | Ule | Ugt | Uge | Slt | Sle | Sgt | Sge)
            || self.is_float_comparison()
    }

    /// Whether this compares floats.
    pub fn is_float_comparison(self) -> bool {
        use BinaryOp::*;
        matches!(
            self,
            FOeq | FOne
                | FOlt
                | FOle
                | FOgt
                | FOge
                | FOrd
                | FUno
                | FUeq
                | FUne
                | FUlt
                | FUle
                | FUgt
                | FUge
        )
    }

    /// Whether the operands are floats.
    pub fn takes_floats(self) -> bool {
        use BinaryOp::*;
        matches!(
            self,
            FAdd | FSub | FMul | FDiv | FRem | FMin | FMax | FMinimum | FMaximum | FCopySign
        ) || self.is_float_comparison()
    }

    /// The comparison that is true exactly when this one is false.
    pub fn negated(self) -> Option<BinaryOp> {
        use BinaryOp::*;
        Some(match self {
            Eq => Ne,
            Ne => Eq,
            Ult => Uge,
            Uge => Ult,
            Ule => Ugt,
            Ugt => Ule,
            Slt => Sge,
            Sge => Slt,
            Sle => Sgt,
            Sgt => Sle,
            FOeq => FUne,
            FUne => FOeq,
            FOne => FUeq,
            FUeq => FOne,
            FOlt => FUge,
            FUge => FOlt,
            FOle => FUgt,
            FUgt => FOle,
            FOgt => FUle,
            FUle => FOgt,
            FOge => FUlt,
            FUlt => FOge,
            FOrd => FUno,
            FUno => FOrd,
            _ => return None,
        })
    }
}

impl Const {
    /// A constant; bits above the width are dropped.
    pub fn new(ty: Type, bits: u128) -> Const {
        Const { ty, bits: bits & ty.mask() }
    }

    /// The value read as a signed number.
    pub fn signed(self) -> i128 {
        crate::types::signed(self.bits, self.ty.width())
    }
}

impl Expr {
    /// An integer constant.
    pub fn int(width: u16, bits: u128) -> Expr {
        Expr::Const(Const::new(Type::Int(width), bits))
    }

    /// A truth value.
    pub fn bool(value: bool) -> Expr {
        Expr::int(1, u128::from(value))
    }

    /// The null pointer.
    pub fn null() -> Expr {
        Expr::Const(Const::new(Type::Ptr, 0))
    }

    /// An operator with one operand.
    pub fn unary(op: UnaryOp, ty: Type, arg: Expr) -> Expr {
        Expr::Unary { op, ty, arg: Box::new(arg) }
    }

    /// An operator with two operands, without marks.
    pub fn binary(op: BinaryOp, lhs: Expr, rhs: Expr) -> Expr {
        Expr::Binary { op, marks: Marks::NONE, lhs: Box::new(lhs), rhs: Box::new(rhs) }
    }

    /// A conditional expression.
    pub fn select(cond: Expr, then: Expr, otherwise: Expr) -> Expr {
        Expr::Select { cond: Box::new(cond), then: Box::new(then), otherwise: Box::new(otherwise) }
    }

    /// The truth value negated, with comparisons turned round.
    #[expect(clippy::should_implement_trait, reason = "it is a constructor, not an operator")]
    pub fn not(self) -> Expr {
        match self {
            Expr::Const(c) if c.ty == Type::BOOL => Expr::bool(c.bits == 0),
            Expr::Unary { op: UnaryOp::Not, ty: Type::BOOL, arg } => *arg,
            Expr::Binary { op, marks, lhs, rhs } if op.negated().is_some() => {
                Expr::Binary { op: op.negated().unwrap_or(op), marks, lhs, rhs }
            }
            other => Expr::unary(UnaryOp::Not, Type::BOOL, other),
        }
    }

    /// The constant this is, if it is one.
    pub fn as_const(&self) -> Option<Const> {
        match self {
            Expr::Const(c) => Some(*c),
            _ => None,
        }
    }

    /// The type, given the type of each variable.
    pub fn ty(&self, of_var: &impl Fn(VarId) -> Type) -> Type {
        match self {
            Expr::Const(c) => c.ty,
            Expr::Var(v) => of_var(*v),
            Expr::Address(_) => Type::Ptr,
            Expr::Unary { ty, .. } => *ty,
            Expr::Binary { op, lhs, .. } => {
                if op.is_predicate() {
                    Type::BOOL
                } else {
                    lhs.ty(of_var)
                }
            }
            Expr::Select { then, .. } => then.ty(of_var),
            Expr::FusedMulAdd { a, .. } => a.ty(of_var),
        }
    }

    /// The direct operands.
    pub fn operands(&self) -> impl Iterator<Item = &Expr> {
        let list: [Option<&Expr>; 3] = match self {
            Expr::Const(_) | Expr::Var(_) | Expr::Address(_) => [None, None, None],
            Expr::Unary { arg, .. } => [Some(arg), None, None],
            Expr::Binary { lhs, rhs, .. } => [Some(lhs), Some(rhs), None],
            Expr::Select { cond, then, otherwise } => [Some(cond), Some(then), Some(otherwise)],
            Expr::FusedMulAdd { a, b, c } => [Some(a), Some(b), Some(c)],
        };
        list.into_iter().flatten()
    }

    /// The direct operands, to be changed.
    pub fn operands_mut(&mut self) -> impl Iterator<Item = &mut Expr> {
        let list: [Option<&mut Expr>; 3] = match self {
            Expr::Const(_) | Expr::Var(_) | Expr::Address(_) => [None, None, None],
            Expr::Unary { arg, .. } => [Some(arg), None, None],
            Expr::Binary { lhs, rhs, .. } => [Some(lhs), Some(rhs), None],
            Expr::Select { cond, then, otherwise } => [Some(cond), Some(then), Some(otherwise)],
            Expr::FusedMulAdd { a, b, c } => [Some(a), Some(b), Some(c)],
        };
        list.into_iter().flatten()
    }

    /// Calls `visit` on this expression and everything in it, outermost first.
    /// Depth is bounded: the front end never folds deeper than
    /// [`MAX_EXPR_DEPTH`](crate::MAX_EXPR_DEPTH).
    pub fn walk(&self, visit: &mut impl FnMut(&Expr)) {
        visit(self);
        for operand in self.operands() {
            operand.walk(visit);
        }
    }

    /// Calls `visit` on this expression and everything in it, innermost first.
    pub fn walk_mut(&mut self, visit: &mut impl FnMut(&mut Expr)) {
        for operand in self.operands_mut() {
            operand.walk_mut(visit);
        }
        visit(self);
    }

    /// Calls `visit` on every variable that occurs.
    pub fn vars(&self, visit: &mut impl FnMut(VarId)) {
        self.walk(&mut |e| {
            if let Expr::Var(v) = e {
                visit(*v);
            }
        });
    }

    /// How many nodes it has on its longest path.
    pub fn depth(&self) -> usize {
        1 + self.operands().map(Expr::depth).max().unwrap_or(0)
    }
}

impl From<Const> for Expr {
    fn from(c: Const) -> Expr {
        Expr::Const(c)
    }
}
