//! Sorts: what a term is a value of.

use serde::{Deserialize, Serialize};

use crate::error::LogicError;

/// The widest bit-vector that can be built. Beyond it no solver answers, and a width that comes
/// from a wrong computation should be an error rather than an allocation of gigabytes.
pub const MAX_WIDTH: u32 = 1 << 24;

/// The sort of a term. A copyable handle: array and uninterpreted sorts are numbered by the
/// [`TermPool`](crate::TermPool) that made them.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Sort {
    /// Truth values.
    Bool,
    /// Bit-vectors of the given width, at least one.
    BitVec(u32),
    /// IEEE 754 floats in which all NaNs are one value.
    Float(FloatFormat),
    /// Arrays; index and element sort are kept by the pool.
    Array(ArraySort),
    /// A sort of which nothing is known but equality.
    Uninterpreted(UninterpretedSort),
}

impl Sort {
    /// The width, if this is a sort of bit-vectors.
    pub fn width(self) -> Option<u32> {
        match self {
            Sort::BitVec(width) => Some(width),
            _ => None,
        }
    }

    /// A bit-vector sort, checked.
    pub fn bits(width: u32) -> Result<Sort, LogicError> {
        match width {
            0 => Err(LogicError::ZeroWidth),
            w if w > MAX_WIDTH => Err(LogicError::TooWide(w.into())),
            w => Ok(Sort::BitVec(w)),
        }
    }
}

/// The number of an array sort in its pool.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct ArraySort(pub(crate) u32);

/// The number of an uninterpreted sort in its pool.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct UninterpretedSort(pub(crate) u32);

/// An IEEE 754 format: how many bits its exponent and its significand have, the hidden bit
/// counted, as SMT-LIB counts them.
///
/// The x87 format is `(15, 64)` here, 79 bits wide: its explicit integer bit carries no
/// information for the values that arithmetic produces.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub struct FloatFormat {
    exponent: u32,
    significand: u32,
}

impl FloatFormat {
    /// `_Float16`.
    pub const HALF: FloatFormat = FloatFormat { exponent: 5, significand: 11 };
    /// `__bf16`.
    pub const BFLOAT: FloatFormat = FloatFormat { exponent: 8, significand: 8 };
    /// `float`.
    pub const SINGLE: FloatFormat = FloatFormat { exponent: 8, significand: 24 };
    /// `double`.
    pub const DOUBLE: FloatFormat = FloatFormat { exponent: 11, significand: 53 };
    /// `long double` of x86.
    pub const X87: FloatFormat = FloatFormat { exponent: 15, significand: 64 };
    /// `__float128`, and `long double` of AArch64.
    pub const QUAD: FloatFormat = FloatFormat { exponent: 15, significand: 113 };

    /// A format, checked: 2 to 20 exponent bits and 2 to 1024 significand bits.
    pub fn new(exponent: u32, significand: u32) -> Result<FloatFormat, LogicError> {
        if (2..=20).contains(&exponent) && (2..=1024).contains(&significand) {
            Ok(FloatFormat { exponent, significand })
        } else {
            Err(LogicError::BadFloatFormat { exponent, significand })
        }
    }

    /// Bits of the exponent.
    pub fn exponent(self) -> u32 {
        self.exponent
    }

    /// Bits of the significand, hidden bit included.
    pub fn significand(self) -> u32 {
        self.significand
    }

    /// Bits of the interchange format: sign, exponent, and significand without the hidden bit.
    pub fn width(self) -> u32 {
        self.exponent + self.significand
    }

    /// The exponent bias, which is also the largest exponent of a finite value.
    pub(crate) fn bias(self) -> i64 {
        (1i64 << (self.exponent - 1)) - 1
    }
}

/// How a float operation rounds: the five modes of IEEE 754.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub enum Rounding {
    /// To nearest, ties to even: what C does unless `fesetround` was called.
    NearestEven,
    /// To nearest, ties away from zero.
    NearestAway,
    /// Towards plus infinity.
    Up,
    /// Towards minus infinity.
    Down,
    /// Towards zero: what a C cast from float to integer does.
    Zero,
}

impl Rounding {
    /// All modes.
    pub const ALL: [Rounding; 5] = [
        Rounding::NearestEven,
        Rounding::NearestAway,
        Rounding::Up,
        Rounding::Down,
        Rounding::Zero,
    ];

    /// The name of the mode in SMT-LIB.
    pub fn smtlib(self) -> &'static str {
        match self {
            Rounding::NearestEven => "RNE",
            Rounding::NearestAway => "RNA",
            Rounding::Up => "RTP",
            Rounding::Down => "RTN",
            Rounding::Zero => "RTZ",
        }
    }
}
