//! Float arithmetic that Rust does natively and IEEE 754 defines to the last bit. These
//! are public because the interpreter's inner loop wants them without a detour.

/// The one NaN of binary32.
const NAN32: u32 = 0x7fc0_0000;
/// The one NaN of binary64.
const NAN64: u64 = 0x7ff8_0000_0000_0000;

/// The bits of a float, with all NaNs one.
#[inline]
pub(super) fn bits32(x: f32) -> u32 {
    if x.is_nan() { NAN32 } else { x.to_bits() }
}

/// The bits of a double, with all NaNs one.
#[inline]
pub(super) fn bits64(x: f64) -> u64 {
    if x.is_nan() { NAN64 } else { x.to_bits() }
}

macro_rules! natively {
    ($($(#[$doc:meta])* $name:ident, $float:ty, $bits:ty, $canonical:ident, $op:tt;)*) => {$(
        $(#[$doc])*
        #[inline]
        pub fn $name(a: $bits, b: $bits) -> $bits {
            $canonical(<$float>::from_bits(a) $op <$float>::from_bits(b))
        }
    )*};
}

natively! {
    /// Sum of two binary32.
    add_f32, f32, u32, bits32, +;
    /// Difference of two binary32.
    sub_f32, f32, u32, bits32, -;
    /// Product of two binary32.
    mul_f32, f32, u32, bits32, *;
    /// Quotient of two binary32.
    div_f32, f32, u32, bits32, /;
    /// Sum of two binary64.
    add_f64, f64, u64, bits64, +;
    /// Difference of two binary64.
    sub_f64, f64, u64, bits64, -;
    /// Product of two binary64.
    mul_f64, f64, u64, bits64, *;
    /// Quotient of two binary64.
    div_f64, f64, u64, bits64, /;
}
