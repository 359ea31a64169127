//! Machine types: what a variable or an expression holds. The C type it came from,
//! with signedness and names, is a [`CType`](crate::CType).

use serde::{Deserialize, Serialize};
use std::fmt;

/// The widest integer a model may hold, in bits.
pub const MAX_INT_WIDTH: u16 = 128;

/// A machine type. There are no aggregates: the front end splits vectors and
/// first-class structs into their scalars.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Type {
    /// Bits, with no sign of their own; `Int(1)` is a truth value. 1 to 128 wide.
    Int(u16),
    /// A binary floating-point number.
    Float(FloatKind),
    /// An address, 64 bits.
    Ptr,
}

/// The floating-point formats that clang uses for C on the supported targets.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord, Serialize, Deserialize)]
pub enum FloatKind {
    /// IEEE 754 binary16, `_Float16`.
    Half,
    /// bfloat16, `__bf16`.
    BFloat,
    /// IEEE 754 binary32, `float`.
    Single,
    /// IEEE 754 binary64, `double`.
    Double,
    /// x87 80-bit extended, `long double` on x86-64.
    X87,
    /// IEEE 754 binary128, `_Float128`.
    Quad,
}

impl FloatKind {
    /// How many bits the format has.
    pub fn width(self) -> u16 {
        match self {
            FloatKind::Half | FloatKind::BFloat => 16,
            FloatKind::Single => 32,
            FloatKind::Double => 64,
            FloatKind::X87 => 80,
            FloatKind::Quad => 128,
        }
    }
}

impl Type {
    /// A truth value.
    pub const BOOL: Type = Type::Int(1);
    /// A byte.
    pub const BYTE: Type = Type::Int(8);
    /// An integer as wide as an address.
    pub const WORD: Type = Type::Int(64);

    /// How many bits a value has.
    pub fn width(self) -> u16 {
        match self {
            Type::Int(width) => width,
            Type::Float(kind) => kind.width(),
            Type::Ptr => 64,
        }
    }

    /// How many bytes a value takes in memory when loaded or stored: the width
    /// rounded up, so 10 for an x87 number and 3 for a 24-bit integer.
    pub fn bytes(self) -> u64 {
        u64::from(self.width()).div_ceil(8)
    }

    /// Whether this is an integer.
    pub fn is_int(self) -> bool {
        matches!(self, Type::Int(_))
    }

    /// Whether this is a floating-point type.
    pub fn is_float(self) -> bool {
        matches!(self, Type::Float(_))
    }

    /// All ones below the width.
    pub fn mask(self) -> u128 {
        mask(self.width())
    }
}

/// All ones in the low `width` bits.
#[inline]
pub fn mask(width: u16) -> u128 {
    debug_assert!((1..=128).contains(&width));
    u128::MAX >> (128 - u32::from(width))
}

/// The value of the low `width` bits read as a signed number.
#[inline]
pub fn signed(bits: u128, width: u16) -> i128 {
    let shift = 128 - u32::from(width);
    ((bits << shift) as i128) >> shift
}

impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Type::Int(1) => f.write_str("bool"),
            Type::Int(width) => write!(f, "i{width}"),
            Type::Float(FloatKind::Half) => f.write_str("f16"),
            Type::Float(FloatKind::BFloat) => f.write_str("bf16"),
            Type::Float(FloatKind::Single) => f.write_str("f32"),
            Type::Float(FloatKind::Double) => f.write_str("f64"),
            Type::Float(FloatKind::X87) => f.write_str("f80"),
            Type::Float(FloatKind::Quad) => f.write_str("f128"),
            Type::Ptr => f.write_str("ptr"),
        }
    }
}
