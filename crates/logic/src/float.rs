//! IEEE 754 values of any format, with exactly rounded arithmetic.
//!
//! Every operation is computed on exact integers (`mantissa * 2^exponent`) and rounded once by
//! [`round`], which is the definition IEEE 754 gives; so there is one place where rounding can be
//! wrong. The tests compare with `rustc_apfloat` (LLVM's own soft floats) and with the hardware.
//! Written here rather than taken from `rustc_apfloat` because that crate has no square root, no
//! conversion from wide integers and only fixed formats, while the simplifier's rules are proved
//! at tiny formats such as (3, 4).

use std::cmp::Ordering;

use num_bigint::{BigInt, BigUint, Sign};
use num_integer::Integer;
use num_traits::{One, Zero};

use crate::bits::Bits;
use crate::sort::{FloatFormat, Rounding};

/// A float: a format and its bits, with one NaN only.
///
/// ```
/// use verdiff_logic::{FloatFormat, FloatValue, Rounding};
/// let tenth = FloatValue::from_f64(0.1);
/// let sum = tenth.add(&FloatValue::from_f64(0.2), Rounding::NearestEven);
/// assert_eq!(sum, FloatValue::from_f64(0.1 + 0.2));
/// assert_eq!(sum.format(), FloatFormat::DOUBLE);
/// ```
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct FloatValue {
    format: FloatFormat,
    bits: Bits,
}

/// A float taken apart.
#[derive(Debug, Clone)]
enum FloatParts {
    Nan,
    Infinite(bool),
    Zero(bool),
    Finite(Exact),
}

/// The non-zero number `±mantissa * 2^exponent`.
#[derive(Debug, Clone)]
struct Exact {
    negative: bool,
    mantissa: BigUint,
    exponent: i64,
}

impl FloatValue {
    /// The float with these bits; every NaN pattern becomes the one NaN. `None` if the width is
    /// not that of the format.
    pub fn from_bits(format: FloatFormat, bits: Bits) -> Option<FloatValue> {
        if bits.width() != format.width() {
            return None;
        }
        let value = FloatValue { format, bits };
        Some(if value.is_nan() { FloatValue::nan(format) } else { value })
    }

    /// A double.
    pub fn from_f64(value: f64) -> FloatValue {
        let bits = Bits::new(64, value.to_bits().into());
        FloatValue::from_bits(FloatFormat::DOUBLE, bits)
            .unwrap_or_else(|| FloatValue::nan(FloatFormat::DOUBLE))
    }

    /// A single.
    pub fn from_f32(value: f32) -> FloatValue {
        let bits = Bits::new(32, value.to_bits().into());
        FloatValue::from_bits(FloatFormat::SINGLE, bits)
            .unwrap_or_else(|| FloatValue::nan(FloatFormat::SINGLE))
    }

    /// The NaN: positive, quiet, without payload.
    pub fn nan(format: FloatFormat) -> FloatValue {
        let fraction = Bits::power_of_two(format.width(), format.significand() - 2);
        FloatValue { format, bits: FloatValue::infinity(format, false).bits.or(&fraction) }
    }

    /// An infinity.
    pub fn infinity(format: FloatFormat, negative: bool) -> FloatValue {
        FloatValue::assemble(format, negative, &ones(format.exponent()), &BigUint::zero())
    }

    /// A zero.
    pub fn zero(format: FloatFormat, negative: bool) -> FloatValue {
        FloatValue::assemble(format, negative, &BigUint::zero(), &BigUint::zero())
    }

    /// `±2^exponent`, if the format has it as a normal value.
    pub fn power_of_two(format: FloatFormat, negative: bool, exponent: i64) -> Option<FloatValue> {
        if exponent > format.bias() || exponent < 1 - format.bias() {
            return None;
        }
        let field = BigUint::from((exponent + format.bias()) as u64);
        Some(FloatValue::assemble(format, negative, &field, &BigUint::zero()))
    }

    fn assemble(f: FloatFormat, negative: bool, exponent: &BigUint, fraction: &BigUint) -> Self {
        let sign = BigUint::from(u32::from(negative)) << (f.width() - 1);
        let all = sign | (exponent << (f.significand() - 1)) | fraction;
        FloatValue { format: f, bits: Bits::from_biguint(f.width(), &all) }
    }

    /// The format.
    pub fn format(&self) -> FloatFormat {
        self.format
    }

    /// The bits of the interchange format.
    pub fn bits(&self) -> &Bits {
        &self.bits
    }

    /// This value as a double, if it is one.
    pub fn to_f64(&self) -> Option<f64> {
        (self.format == FloatFormat::DOUBLE)
            .then(|| self.bits.to_u64().map(f64::from_bits))
            .flatten()
    }

    /// This value as a single, if it is one.
    pub fn to_f32(&self) -> Option<f32> {
        (self.format == FloatFormat::SINGLE)
            .then(|| self.bits.to_u64().map(|bits| f32::from_bits(bits as u32)))
            .flatten()
    }

    fn exponent_field(&self) -> Bits {
        self.bits.extract(self.format.width() - 2, self.format.significand() - 1)
    }

    fn fraction_field(&self) -> Bits {
        self.bits.extract(self.format.significand() - 2, 0)
    }

    /// Whether the sign bit is set; false for NaN.
    pub fn is_negative(&self) -> bool {
        self.bits.is_negative()
    }

    /// Whether this is the NaN.
    pub fn is_nan(&self) -> bool {
        self.exponent_field().is_ones() && !self.fraction_field().is_zero()
    }

    /// Whether this is an infinity.
    pub fn is_infinite(&self) -> bool {
        self.exponent_field().is_ones() && self.fraction_field().is_zero()
    }

    /// Whether this is a zero of either sign.
    pub fn is_zero(&self) -> bool {
        self.exponent_field().is_zero() && self.fraction_field().is_zero()
    }

    /// Sign, exponent and fraction fields, as SMT-LIB's `fp` takes them.
    pub fn fields(&self) -> (Bits, Bits, Bits) {
        let sign = Bits::new(1, self.bits.is_negative().into());
        (sign, self.exponent_field(), self.fraction_field())
    }

    fn parts(&self) -> FloatParts {
        let negative = self.is_negative();
        let fraction = self.fraction_field().to_biguint();
        let field = self.exponent_field();
        if field.is_ones() {
            return if fraction.is_zero() {
                FloatParts::Infinite(negative)
            } else {
                FloatParts::Nan
            };
        }
        let field = field.to_u64().unwrap_or(0) as i64;
        let hidden = i64::from(self.format.significand()) - 1;
        if field == 0 {
            if fraction.is_zero() {
                return FloatParts::Zero(negative);
            }
            let exponent = 1 - self.format.bias() - hidden;
            return FloatParts::Finite(Exact { negative, mantissa: fraction, exponent });
        }
        let mantissa = fraction | (BigUint::one() << hidden as u64);
        let exponent = field - self.format.bias() - hidden;
        FloatParts::Finite(Exact { negative, mantissa, exponent })
    }

    /// The same with the other sign. NaN stays.
    pub fn neg(&self) -> FloatValue {
        if self.is_nan() {
            return self.clone();
        }
        let sign = Bits::signed_min(self.format.width());
        FloatValue { format: self.format, bits: self.bits.xor(&sign) }
    }

    /// The same with a positive sign.
    pub fn abs(&self) -> FloatValue {
        if self.is_negative() { self.neg() } else { self.clone() }
    }

    /// Exactly rounded sum.
    pub fn add(&self, other: &FloatValue, mode: Rounding) -> FloatValue {
        let f = self.format;
        match (self.parts(), other.parts()) {
            (FloatParts::Nan, _) | (_, FloatParts::Nan) => FloatValue::nan(f),
            (FloatParts::Infinite(a), FloatParts::Infinite(b)) if a != b => FloatValue::nan(f),
            (FloatParts::Infinite(_), _) => self.clone(),
            (_, FloatParts::Infinite(_)) => other.clone(),
            (FloatParts::Zero(a), FloatParts::Zero(b)) => {
                FloatValue::zero(f, if a == b { a } else { mode == Rounding::Down })
            }
            (FloatParts::Zero(_), _) => other.clone(),
            (_, FloatParts::Zero(_)) => self.clone(),
            (FloatParts::Finite(a), FloatParts::Finite(b)) => round_sum(f, mode, &a, &b),
        }
    }

    /// Exactly rounded product.
    pub fn mul(&self, other: &FloatValue, mode: Rounding) -> FloatValue {
        let f = self.format;
        let negative = self.is_negative() != other.is_negative();
        match (self.parts(), other.parts()) {
            (FloatParts::Nan, _) | (_, FloatParts::Nan) => FloatValue::nan(f),
            (FloatParts::Infinite(_), FloatParts::Zero(_))
            | (FloatParts::Zero(_), FloatParts::Infinite(_)) => FloatValue::nan(f),
            (FloatParts::Infinite(_), _) | (_, FloatParts::Infinite(_)) => {
                FloatValue::infinity(f, negative)
            }
            (FloatParts::Zero(_), _) | (_, FloatParts::Zero(_)) => FloatValue::zero(f, negative),
            (FloatParts::Finite(a), FloatParts::Finite(b)) => {
                round(f, mode, &product(&a, &b), false)
            }
        }
    }

    /// Exactly rounded quotient.
    pub fn div(&self, other: &FloatValue, mode: Rounding) -> FloatValue {
        let f = self.format;
        let negative = self.is_negative() != other.is_negative();
        match (self.parts(), other.parts()) {
            (FloatParts::Nan, _) | (_, FloatParts::Nan) => FloatValue::nan(f),
            (FloatParts::Infinite(_), FloatParts::Infinite(_))
            | (FloatParts::Zero(_), FloatParts::Zero(_)) => FloatValue::nan(f),
            (FloatParts::Infinite(_), _) | (_, FloatParts::Zero(_)) => {
                FloatValue::infinity(f, negative)
            }
            (FloatParts::Zero(_), _) | (_, FloatParts::Infinite(_)) => {
                FloatValue::zero(f, negative)
            }
            (FloatParts::Finite(a), FloatParts::Finite(b)) => {
                // Enough quotient bits that the sticky bit lies below the rounding position.
                let shift = u64::from(f.significand()) + 3 + b.mantissa.bits();
                let (mantissa, rest) = (a.mantissa << shift).div_rem(&b.mantissa);
                let exponent = a.exponent - b.exponent - shift as i64;
                round(f, mode, &Exact { negative, mantissa, exponent }, !rest.is_zero())
            }
        }
    }

    /// `self * factor + addend`, rounded once.
    pub fn fma(&self, factor: &FloatValue, addend: &FloatValue, mode: Rounding) -> FloatValue {
        let f = self.format;
        match (self.parts(), factor.parts(), addend.parts()) {
            (FloatParts::Finite(a), FloatParts::Finite(b), FloatParts::Finite(c)) => {
                round_sum(f, mode, &product(&a, &b), &c)
            }
            (FloatParts::Finite(a), FloatParts::Finite(b), FloatParts::Zero(_)) => {
                round(f, mode, &product(&a, &b), false)
            }
            // The product is not finite and non-zero, or the addend is not finite: no rounding
            // of the product can matter.
            (FloatParts::Finite(_), FloatParts::Finite(_), _) => addend.clone(),
            _ => self.mul(factor, mode).add(addend, mode),
        }
    }

    /// Exactly rounded square root.
    pub fn sqrt(&self, mode: Rounding) -> FloatValue {
        let f = self.format;
        match self.parts() {
            FloatParts::Zero(_) | FloatParts::Nan | FloatParts::Infinite(false) => self.clone(),
            FloatParts::Infinite(true) => FloatValue::nan(f),
            FloatParts::Finite(a) if a.negative => FloatValue::nan(f),
            FloatParts::Finite(a) => {
                let mut shift = 2 * (i64::from(f.significand()) + 3);
                if (a.exponent - shift).is_odd() {
                    shift += 1;
                }
                let scaled = a.mantissa << shift as u64;
                let mantissa = scaled.sqrt();
                let inexact = &mantissa * &mantissa != scaled;
                let exponent = (a.exponent - shift) / 2;
                round(f, mode, &Exact { negative: false, mantissa, exponent }, inexact)
            }
        }
    }

    /// The integer next to this value in the given mode, as a float; keeps the sign of zero.
    pub fn round_to_integral(&self, mode: Rounding) -> FloatValue {
        let FloatParts::Finite(a) = self.parts() else {
            return self.clone();
        };
        if a.exponent >= 0 {
            return self.clone();
        }
        let mantissa = shift_and_round(&a.mantissa, -a.exponent, false, a.negative, mode);
        if mantissa.is_zero() {
            return FloatValue::zero(self.format, a.negative);
        }
        round(self.format, mode, &Exact { mantissa, exponent: 0, ..a }, false)
    }

    /// The integer next to this value in the given mode; `None` for NaN and infinities.
    pub fn to_integer(&self, mode: Rounding) -> Option<BigInt> {
        match self.parts() {
            FloatParts::Nan | FloatParts::Infinite(_) => None,
            FloatParts::Zero(_) => Some(BigInt::zero()),
            FloatParts::Finite(a) => {
                let magnitude = if a.exponent >= 0 {
                    a.mantissa << a.exponent as u64
                } else {
                    shift_and_round(&a.mantissa, -a.exponent, false, a.negative, mode)
                };
                let sign = if a.negative { Sign::Minus } else { Sign::Plus };
                Some(BigInt::from_biguint(sign, magnitude))
            }
        }
    }

    /// The float next to an integer in the given mode.
    pub fn from_integer(format: FloatFormat, value: &BigInt, mode: Rounding) -> FloatValue {
        if value.is_zero() {
            return FloatValue::zero(format, false);
        }
        let negative = value.sign() == Sign::Minus;
        let exact = Exact { negative, mantissa: value.magnitude().clone(), exponent: 0 };
        round(format, mode, &exact, false)
    }

    /// The float of another format next to this one.
    pub fn convert(&self, format: FloatFormat, mode: Rounding) -> FloatValue {
        match self.parts() {
            FloatParts::Nan => FloatValue::nan(format),
            FloatParts::Infinite(negative) => FloatValue::infinity(format, negative),
            FloatParts::Zero(negative) => FloatValue::zero(format, negative),
            FloatParts::Finite(a) => round(format, mode, &a, false),
        }
    }

    /// IEEE comparison: nothing is comparable with NaN, and the zeros are equal.
    pub fn compare(&self, other: &FloatValue) -> Option<Ordering> {
        if self.is_nan() || other.is_nan() {
            return None;
        }
        let key = |value: &FloatValue| {
            let magnitude = BigInt::from(value.abs().bits.to_biguint());
            if value.is_negative() { -magnitude } else { magnitude }
        };
        Some(key(self).cmp(&key(other)))
    }
}

fn ones(bits: u32) -> BigUint {
    (BigUint::one() << bits) - 1u32
}

fn product(a: &Exact, b: &Exact) -> Exact {
    Exact {
        negative: a.negative != b.negative,
        mantissa: &a.mantissa * &b.mantissa,
        exponent: a.exponent + b.exponent,
    }
}

fn round_sum(format: FloatFormat, mode: Rounding, a: &Exact, b: &Exact) -> FloatValue {
    let exponent = a.exponent.min(b.exponent);
    let signed = |x: &Exact| {
        let magnitude = &x.mantissa << (x.exponent - exponent) as u64;
        BigInt::from_biguint(if x.negative { Sign::Minus } else { Sign::Plus }, magnitude)
    };
    let sum = signed(a) + signed(b);
    if sum.is_zero() {
        return FloatValue::zero(format, mode == Rounding::Down);
    }
    let negative = sum.sign() == Sign::Minus;
    round(format, mode, &Exact { negative, mantissa: sum.magnitude().clone(), exponent }, false)
}

/// `mantissa / 2^shift` as an integer, rounded. `sticky` says that the true mantissa is a little
/// larger than the one given.
fn shift_and_round(
    mantissa: &BigUint,
    shift: i64,
    sticky: bool,
    negative: bool,
    mode: Rounding,
) -> BigUint {
    let shift = shift as u64;
    let quotient = mantissa >> shift;
    let half = mantissa.bit(shift - 1);
    let rest = sticky || mantissa.trailing_zeros().is_some_and(|zeros| zeros < shift - 1);
    let up = match mode {
        Rounding::NearestEven => half && (rest || quotient.bit(0)),
        Rounding::NearestAway => half,
        Rounding::Up => !negative && (half || rest),
        Rounding::Down => negative && (half || rest),
        Rounding::Zero => false,
    };
    if up { quotient + 1u32 } else { quotient }
}

/// The float next to an exact non-zero number: the one place that rounds.
fn round(format: FloatFormat, mode: Rounding, exact: &Exact, sticky: bool) -> FloatValue {
    let precision = i64::from(format.significand());
    let least = 1 - format.bias();
    let magnitude = exact.exponent + exact.mantissa.bits() as i64 - 1;
    let mut unit = magnitude.max(least) - (precision - 1);
    let shift = unit - exact.exponent;
    let mut mantissa = if shift > 0 {
        shift_and_round(&exact.mantissa, shift, sticky, exact.negative, mode)
    } else {
        &exact.mantissa << (-shift) as u64
    };
    if mantissa.bits() as i64 > precision {
        mantissa >>= 1u32;
        unit += 1;
    }
    if mantissa.is_zero() {
        return FloatValue::zero(format, exact.negative);
    }
    if unit + precision - 1 > format.bias() {
        return overflow(format, mode, exact.negative);
    }
    if (mantissa.bits() as i64) < precision {
        return FloatValue::assemble(format, exact.negative, &BigUint::zero(), &mantissa);
    }
    let field = BigUint::from((unit + precision - 1 + format.bias()) as u64);
    let fraction = mantissa - (BigUint::one() << (precision - 1) as u64);
    FloatValue::assemble(format, exact.negative, &field, &fraction)
}

fn overflow(format: FloatFormat, mode: Rounding, negative: bool) -> FloatValue {
    let to_infinity = match mode {
        Rounding::NearestEven | Rounding::NearestAway => true,
        Rounding::Up => !negative,
        Rounding::Down => negative,
        Rounding::Zero => false,
    };
    if to_infinity {
        return FloatValue::infinity(format, negative);
    }
    let field = ones(format.exponent()) - 1u32;
    FloatValue::assemble(format, negative, &field, &ones(format.significand() - 1))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use rustc_apfloat::{Float, Round, ieee};

    fn oracle_mode(mode: Rounding) -> Round {
        match mode {
            Rounding::NearestEven => Round::NearestTiesToEven,
            Rounding::NearestAway => Round::NearestTiesToAway,
            Rounding::Up => Round::TowardPositive,
            Rounding::Down => Round::TowardNegative,
            Rounding::Zero => Round::TowardZero,
        }
    }

    fn check_against_apfloat<F: Float>(format: FloatFormat, a: u128, b: u128, c: u128) {
        let ours = |bits: u128| {
            FloatValue::from_bits(format, Bits::new(format.width(), bits)).expect("width fits")
        };
        let mask = if format.width() == 128 { u128::MAX } else { (1 << format.width()) - 1 };
        let (x, y, z) = (F::from_bits(a & mask), F::from_bits(b & mask), F::from_bits(c & mask));
        let (p, q, r) = (ours(a), ours(b), ours(c));
        for mode in Rounding::ALL {
            let m = oracle_mode(mode);
            let same = |name: &str, theirs: F, mine: FloatValue| {
                assert_eq!(ours(theirs.to_bits()), mine, "{name} {mode:?} {p:?} {q:?} {r:?}");
            };
            same("add", x.add_r(y, m).value, p.add(&q, mode));
            same("mul", x.mul_r(y, m).value, p.mul(&q, mode));
            same("div", x.div_r(y, m).value, p.div(&q, mode));
            same("fma", x.mul_add_r(y, z, m).value, p.fma(&q, &r, mode));
            same("round", x.round_to_integral(m).value, p.round_to_integral(mode));
            let integer = BigInt::from(a as i64);
            same(
                "int",
                F::from_i128_r((a as i64).into(), m).value,
                FloatValue::from_integer(format, &integer, mode),
            );
            if let Some(integer) = p.to_integer(mode) {
                let mut exact = true;
                let theirs = x.to_i128_r(127, m, &mut exact);
                if theirs.status != rustc_apfloat::Status::INVALID_OP {
                    assert_eq!(integer, BigInt::from(theirs.value));
                }
            }
        }
        assert_eq!(x.partial_cmp(&y), p.compare(&q));
    }

    /// Bits of floats where the interesting exponents are frequent.
    fn float_bits() -> impl Strategy<Value = u128> {
        prop_oneof![
            any::<u128>(),
            (0u128..4, any::<bool>()).prop_map(|(v, s)| v | (u128::from(s) << 31)),
            any::<f32>().prop_map(|f| f.to_bits().into()),
            any::<f64>().prop_map(|f| f.to_bits().into()),
            (-4i32..4).prop_map(|v| (v as f32 * 0.5).to_bits().into()),
            (-4i32..4).prop_map(|v| (f64::from(v) * 0.5).to_bits().into()),
        ]
    }

    proptest! {
        #[test]
        fn agrees_with_apfloat(a in float_bits(), b in float_bits(), c in float_bits()) {
            check_against_apfloat::<ieee::Half>(FloatFormat::HALF, a, b, c);
            check_against_apfloat::<ieee::Single>(FloatFormat::SINGLE, a, b, c);
            check_against_apfloat::<ieee::Double>(FloatFormat::DOUBLE, a, b, c);
            check_against_apfloat::<ieee::Quad>(FloatFormat::QUAD, a, b, c);
            check_against_apfloat::<ieee::BFloat>(FloatFormat::BFLOAT, a, b, c);
        }

        #[test]
        fn agrees_with_the_hardware(a: f64, b: f64, c: f32) {
            let ne = Rounding::NearestEven;
            let (x, y) = (FloatValue::from_f64(a), FloatValue::from_f64(b));
            prop_assert_eq!(x.add(&y, ne), FloatValue::from_f64(a + b));
            prop_assert_eq!(x.div(&y, ne), FloatValue::from_f64(a / b));
            prop_assert_eq!(x.sqrt(ne), FloatValue::from_f64(a.sqrt()));
            prop_assert_eq!(FloatValue::from_f32(c).sqrt(ne), FloatValue::from_f32(c.sqrt()));
            prop_assert_eq!(x.convert(FloatFormat::SINGLE, ne), FloatValue::from_f32(a as f32));
        }

        #[test]
        fn x87_agrees_with_apfloat(a: u128, b: u128) {
            // The x87 bits carry an explicit integer bit, which is set exactly for normal values.
            let explicit = |bits: u128| {
                let (high, fraction) = ((bits >> 63) & 0xffff, bits & ((1 << 63) - 1));
                let normal = u128::from(high & 0x7fff != 0);
                ieee::X87DoubleExtended::from_bits((high << 64) | (normal << 63) | fraction)
            };
            let format = FloatFormat::X87;
            let ours = |bits| FloatValue::from_bits(format, Bits::new(79, bits)).expect("79 bits");
            for mode in Rounding::ALL {
                let theirs = explicit(a).mul_r(explicit(b), oracle_mode(mode)).value.to_bits();
                let squeezed = ((theirs >> 64) << 63) | (theirs & ((1 << 63) - 1));
                prop_assert_eq!(ours(a).mul(&ours(b), mode), ours(squeezed));
            }
        }
    }
}
