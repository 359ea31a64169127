//! Operators: what stands at the root of a term.
//!
//! The set is kept small on purpose, because every traversal and every rule must know all of it.
//! What can be said with others is not here: `bvsub`, `bvneg`, `bvule`, `bvsge`, `=>`, `xor`,
//! `distinct` and `fp.sub` are functions of [`TermPool`](crate::TermPool) that build the terms
//! they stand for.

use serde::{Deserialize, Serialize};

use crate::sort::{FloatFormat, Rounding};
use crate::term::{FunctionId, SymbolId};

/// An operator, with the numbers that SMT-LIB writes as its indices.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub enum Op {
    /// `true`.
    True,
    /// `false`.
    False,
    /// A bit-vector or float constant of at most 64 bits.
    Small(u64),
    /// A wider constant, kept aside by the pool.
    Large(u32),
    /// A free symbol.
    Symbol(SymbolId),
    /// Application of an uninterpreted function.
    Apply(FunctionId),

    /// Negation.
    Not,
    /// Conjunction of two or more.
    And,
    /// Disjunction of two or more.
    Or,
    /// Equality of two terms of one sort.
    Eq,
    /// Conditional.
    Ite,

    /// `bvnot`.
    BvNot,
    /// `bvand` of two or more.
    BvAnd,
    /// `bvor` of two or more.
    BvOr,
    /// `bvxor` of two or more.
    BvXor,
    /// `bvadd` of two or more.
    BvAdd,
    /// `bvmul` of two or more.
    BvMul,
    /// `bvudiv`.
    BvUdiv,
    /// `bvsdiv`.
    BvSdiv,
    /// `bvurem`.
    BvUrem,
    /// `bvsrem`.
    BvSrem,
    /// `bvshl`.
    BvShl,
    /// `bvlshr`.
    BvLshr,
    /// `bvashr`.
    BvAshr,
    /// `concat` of two or more, highest first.
    Concat,
    /// `(_ extract high low)`.
    Extract {
        /// Highest bit.
        high: u32,
        /// Lowest bit.
        low: u32,
    },
    /// `(_ zero_extend n)`.
    ZeroExtend(u32),
    /// `(_ sign_extend n)`.
    SignExtend(u32),
    /// `bvult`.
    BvUlt,
    /// `bvslt`.
    BvSlt,

    /// `select`.
    Select,
    /// `store`.
    Store,
    /// `(as const …)` of the sort of the node.
    ConstArray,

    /// `fp.neg`.
    FpNeg,
    /// `fp.abs`.
    FpAbs,
    /// `fp.add`.
    FpAdd(Rounding),
    /// `fp.mul`.
    FpMul(Rounding),
    /// `fp.div`.
    FpDiv(Rounding),
    /// `fp.fma`.
    FpFma(Rounding),
    /// `fp.sqrt`.
    FpSqrt(Rounding),
    /// `fp.roundToIntegral`.
    FpRound(Rounding),
    /// `fp.eq`: IEEE equality, unlike `=`.
    FpEq,
    /// `fp.lt`.
    FpLt,
    /// `fp.leq`.
    FpLe,
    /// `fp.isNaN`.
    FpIsNan,
    /// `fp.isInfinite`.
    FpIsInfinite,
    /// `fp.isZero`.
    FpIsZero,
    /// `fp.isNegative`.
    FpIsNegative,
    /// `to_fp` of a bit-vector: its bits read as a float.
    FpFromBits(FloatFormat),
    /// The bits of a float. For NaN the solvers may choose; only built under a guard that
    /// excludes it.
    FpToBits,
    /// `to_fp` of another float.
    FpConvert(Rounding, FloatFormat),
    /// `to_fp` of a signed bit-vector.
    FpFromSigned(Rounding, FloatFormat),
    /// `to_fp_unsigned` of a bit-vector.
    FpFromUnsigned(Rounding, FloatFormat),
    /// `fp.to_sbv`. Out of range the solvers may choose; only built under a guard that excludes
    /// it.
    FpToSigned(Rounding, u32),
    /// `fp.to_ubv`. Out of range the solvers may choose; only built under a guard that excludes
    /// it.
    FpToUnsigned(Rounding, u32),
}

impl Op {
    /// Whether operands may be reordered freely.
    pub fn is_commutative(self) -> bool {
        matches!(
            self,
            Op::And
                | Op::Or
                | Op::Eq
                | Op::BvAnd
                | Op::BvOr
                | Op::BvXor
                | Op::BvAdd
                | Op::BvMul
                | Op::FpAdd(_)
                | Op::FpMul(_)
                | Op::FpEq
        )
    }

    /// Whether the operator takes two or more operands and may be nested or flattened at will.
    pub fn is_associative(self) -> bool {
        matches!(
            self,
            Op::And
                | Op::Or
                | Op::BvAnd
                | Op::BvOr
                | Op::BvXor
                | Op::BvAdd
                | Op::BvMul
                | Op::Concat
        )
    }

    /// Whether this is a constant, whose value is known without an assignment.
    pub fn is_constant(self) -> bool {
        matches!(self, Op::True | Op::False | Op::Small(_) | Op::Large(_))
    }

    /// The operator in the spelling of SMT-LIB, without indices.
    pub fn name(self) -> &'static str {
        match self {
            Op::True => "true",
            Op::False => "false",
            Op::Small(_) | Op::Large(_) => "constant",
            Op::Symbol(_) => "symbol",
            Op::Apply(_) => "function",
            Op::Not => "not",
            Op::And => "and",
            Op::Or => "or",
            Op::Eq => "=",
            Op::Ite => "ite",
            Op::BvNot => "bvnot",
            Op::BvAnd => "bvand",
            Op::BvOr => "bvor",
            Op::BvXor => "bvxor",
            Op::BvAdd => "bvadd",
            Op::BvMul => "bvmul",
            Op::BvUdiv => "bvudiv",
            Op::BvSdiv => "bvsdiv",
            Op::BvUrem => "bvurem",
            Op::BvSrem => "bvsrem",
            Op::BvShl => "bvshl",
            Op::BvLshr => "bvlshr",
            Op::BvAshr => "bvashr",
            Op::Concat => "concat",
            Op::Extract { .. } => "extract",
            Op::ZeroExtend(_) => "zero_extend",
            Op::SignExtend(_) => "sign_extend",
            Op::BvUlt => "bvult",
            Op::BvSlt => "bvslt",
            Op::Select => "select",
            Op::Store => "store",
            Op::ConstArray => "const",
            Op::FpNeg => "fp.neg",
            Op::FpAbs => "fp.abs",
            Op::FpAdd(_) => "fp.add",
            Op::FpMul(_) => "fp.mul",
            Op::FpDiv(_) => "fp.div",
            Op::FpFma(_) => "fp.fma",
            Op::FpSqrt(_) => "fp.sqrt",
            Op::FpRound(_) => "fp.roundToIntegral",
            Op::FpEq => "fp.eq",
            Op::FpLt => "fp.lt",
            Op::FpLe => "fp.leq",
            Op::FpIsNan => "fp.isNaN",
            Op::FpIsInfinite => "fp.isInfinite",
            Op::FpIsZero => "fp.isZero",
            Op::FpIsNegative => "fp.isNegative",
            Op::FpFromBits(_) | Op::FpConvert(..) | Op::FpFromSigned(..) => "to_fp",
            Op::FpFromUnsigned(..) => "to_fp_unsigned",
            Op::FpToBits => "fp.to_ieee_bv",
            Op::FpToSigned(..) => "fp.to_sbv",
            Op::FpToUnsigned(..) => "fp.to_ubv",
        }
    }
}
