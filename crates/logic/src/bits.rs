//! Bit-vector values of any width, with the arithmetic of SMT-LIB's `FixedSizeBitVectors`.
//!
//! Widths up to 128 live in one machine word pair and never allocate; wider values are big
//! integers. Division is total, as in SMT-LIB: `x / 0` is all ones, `x % 0` is `x`.

use std::fmt;

use num_bigint::{BigInt, BigUint, Sign};
use num_traits::{One, ToPrimitive, Zero};

use crate::error::LogicError;
use crate::sort::Sort;

/// A bit-vector value: a width and that many bits.
///
/// ```
/// use verdiff_logic::Bits;
/// let a = Bits::new(8, 250);
/// let b = Bits::new(8, 10);
/// assert_eq!(a.add(&b), Bits::new(8, 4));
/// assert_eq!(a.to_signed(), (-6).into());
/// assert_eq!(a.to_string(), "#xfa");
/// ```
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Bits {
    width: u32,
    repr: Repr,
}

/// `Small` exactly for widths up to 128; bits above the width are zero in either.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum Repr {
    Small(u128),
    Large(BigUint),
}

fn small_mask(width: u32) -> u128 {
    if width >= 128 { u128::MAX } else { (1u128 << width) - 1 }
}

fn large_mask(width: u32) -> BigUint {
    (BigUint::one() << width) - 1u32
}

impl Bits {
    /// The value modulo `2^width`. The width must not be zero (it is raised to one if it is);
    /// [`Bits::checked`] gives an error instead.
    pub fn new(width: u32, value: u128) -> Bits {
        let width = width.max(1);
        if width <= 128 {
            Bits { width, repr: Repr::Small(value & small_mask(width)) }
        } else {
            Bits { width, repr: Repr::Large(BigUint::from(value)) }
        }
    }

    /// Like [`Bits::new`] with the width checked.
    pub fn checked(width: u32, value: u128) -> Result<Bits, LogicError> {
        Sort::bits(width).map(|_| Bits::new(width, value))
    }

    /// A signed value modulo `2^width`.
    pub fn from_signed(width: u32, value: i128) -> Bits {
        if width <= 128 {
            Bits::new(width, value as u128)
        } else {
            Bits::from_bigint(width, &BigInt::from(value))
        }
    }

    /// A big integer modulo `2^width`.
    pub fn from_biguint(width: u32, value: &BigUint) -> Bits {
        let width = width.max(1);
        let masked =
            if value.bits() > u64::from(width) { value & large_mask(width) } else { value.clone() };
        if width <= 128 {
            Bits::new(width, masked.to_u128().unwrap_or(0))
        } else {
            Bits { width, repr: Repr::Large(masked) }
        }
    }

    /// A big signed integer modulo `2^width`.
    pub fn from_bigint(width: u32, value: &BigInt) -> Bits {
        let magnitude = Bits::from_biguint(width, value.magnitude());
        if value.sign() == Sign::Minus { magnitude.neg() } else { magnitude }
    }

    /// Zero.
    pub fn zero(width: u32) -> Bits {
        Bits::new(width, 0)
    }

    /// One.
    pub fn one(width: u32) -> Bits {
        Bits::new(width, 1)
    }

    /// All bits set.
    pub fn ones(width: u32) -> Bits {
        Bits::zero(width).not()
    }

    /// The smallest signed value: the sign bit alone.
    pub fn signed_min(width: u32) -> Bits {
        Bits::power_of_two(width, width.max(1) - 1)
    }

    /// The largest signed value.
    pub fn signed_max(width: u32) -> Bits {
        Bits::signed_min(width).not()
    }

    /// `2^exponent` modulo `2^width`.
    pub fn power_of_two(width: u32, exponent: u32) -> Bits {
        if exponent >= width {
            Bits::zero(width)
        } else if width <= 128 {
            Bits::new(width, 1u128 << exponent)
        } else {
            Bits::from_biguint(width, &(BigUint::one() << exponent))
        }
    }

    /// The number of bits.
    pub fn width(&self) -> u32 {
        self.width
    }

    /// The value as an unsigned machine integer, if it fits.
    pub fn to_u128(&self) -> Option<u128> {
        match &self.repr {
            Repr::Small(value) => Some(*value),
            Repr::Large(value) => value.to_u128(),
        }
    }

    /// The value as an unsigned machine integer, if it fits.
    pub fn to_u64(&self) -> Option<u64> {
        self.to_u128().and_then(|value| u64::try_from(value).ok())
    }

    /// The unsigned value.
    pub fn to_biguint(&self) -> BigUint {
        match &self.repr {
            Repr::Small(value) => BigUint::from(*value),
            Repr::Large(value) => value.clone(),
        }
    }

    /// The value read as two's complement.
    pub fn to_signed(&self) -> BigInt {
        if self.is_negative() {
            BigInt::from_biguint(Sign::Minus, self.neg().to_biguint())
        } else {
            BigInt::from(self.to_biguint())
        }
    }

    /// The value read as two's complement, if it fits a machine integer.
    pub fn to_i128(&self) -> Option<i128> {
        match &self.repr {
            Repr::Small(value) => {
                let unused = 128 - self.width;
                Some(((*value << unused) as i128) >> unused)
            }
            Repr::Large(_) => self.to_signed().to_i128(),
        }
    }

    /// Whether no bit is set.
    pub fn is_zero(&self) -> bool {
        match &self.repr {
            Repr::Small(value) => *value == 0,
            Repr::Large(value) => value.is_zero(),
        }
    }

    /// Whether the value is one.
    pub fn is_one(&self) -> bool {
        self.to_u128() == Some(1)
    }

    /// Whether every bit is set.
    pub fn is_ones(&self) -> bool {
        match &self.repr {
            Repr::Small(value) => *value == small_mask(self.width),
            Repr::Large(value) => value.count_ones() == u64::from(self.width),
        }
    }

    /// Whether the sign bit is set.
    pub fn is_negative(&self) -> bool {
        self.bit(self.width - 1)
    }

    /// One bit; those beyond the width are zero.
    pub fn bit(&self, index: u32) -> bool {
        match &self.repr {
            Repr::Small(value) => index < 128 && (value >> index) & 1 == 1,
            Repr::Large(value) => value.bit(index.into()),
        }
    }

    /// How many of the lowest bits are zero; the width for zero.
    pub fn trailing_zeros(&self) -> u32 {
        match &self.repr {
            Repr::Small(value) => value.trailing_zeros().min(self.width),
            Repr::Large(value) => value.trailing_zeros().map_or(self.width, |n| n as u32),
        }
    }

    /// How many of the highest bits are zero; the width for zero.
    pub fn leading_zeros(&self) -> u32 {
        match &self.repr {
            Repr::Small(value) => value.leading_zeros() - (128 - self.width),
            Repr::Large(value) => self.width - value.bits() as u32,
        }
    }

    /// The exponent, if exactly one bit is set.
    pub fn log2(&self) -> Option<u32> {
        let one_bit = match &self.repr {
            Repr::Small(value) => value.is_power_of_two(),
            Repr::Large(value) => value.count_ones() == 1,
        };
        one_bit.then(|| self.trailing_zeros())
    }

    fn map2(
        &self,
        other: &Bits,
        small: fn(u128, u128) -> u128,
        large: fn(&BigUint, &BigUint) -> BigUint,
    ) -> Bits {
        debug_assert_eq!(self.width, other.width, "operands of different widths");
        match (&self.repr, &other.repr) {
            (Repr::Small(a), Repr::Small(b)) => Bits::new(self.width, small(*a, *b)),
            _ => Bits::from_biguint(self.width, &large(&self.to_biguint(), &other.to_biguint())),
        }
    }

    /// Sum modulo `2^width`.
    pub fn add(&self, other: &Bits) -> Bits {
        self.map2(other, u128::wrapping_add, |a, b| a + b)
    }

    /// Difference modulo `2^width`.
    pub fn sub(&self, other: &Bits) -> Bits {
        self.add(&other.neg())
    }

    /// Product modulo `2^width`.
    pub fn mul(&self, other: &Bits) -> Bits {
        self.map2(other, u128::wrapping_mul, |a, b| a * b)
    }

    /// Two's complement negation.
    pub fn neg(&self) -> Bits {
        match &self.repr {
            Repr::Small(value) => Bits::new(self.width, value.wrapping_neg()),
            Repr::Large(value) if value.is_zero() => self.clone(),
            Repr::Large(value) => {
                Bits::from_biguint(self.width, &((BigUint::one() << self.width) - value))
            }
        }
    }

    /// Bitwise complement.
    pub fn not(&self) -> Bits {
        match &self.repr {
            Repr::Small(value) => Bits::new(self.width, !value),
            Repr::Large(value) => {
                Bits { width: self.width, repr: Repr::Large(large_mask(self.width) - value) }
            }
        }
    }

    /// Bitwise conjunction.
    pub fn and(&self, other: &Bits) -> Bits {
        self.map2(other, |a, b| a & b, |a, b| a & b)
    }

    /// Bitwise disjunction.
    pub fn or(&self, other: &Bits) -> Bits {
        self.map2(other, |a, b| a | b, |a, b| a | b)
    }

    /// Bitwise exclusive or.
    pub fn xor(&self, other: &Bits) -> Bits {
        self.map2(other, |a, b| a ^ b, |a, b| a ^ b)
    }

    /// Unsigned quotient; all ones if the divisor is zero.
    pub fn udiv(&self, other: &Bits) -> Bits {
        if other.is_zero() {
            return Bits::ones(self.width);
        }
        self.map2(other, |a, b| a / b, |a, b| a / b)
    }

    /// Unsigned remainder; the dividend if the divisor is zero.
    pub fn urem(&self, other: &Bits) -> Bits {
        if other.is_zero() {
            return self.clone();
        }
        self.map2(other, |a, b| a % b, |a, b| a % b)
    }

    /// Signed quotient, rounded towards zero: `bvsdiv`.
    pub fn sdiv(&self, other: &Bits) -> Bits {
        let quotient = self.magnitude().udiv(&other.magnitude());
        if self.is_negative() != other.is_negative() { quotient.neg() } else { quotient }
    }

    /// Signed remainder with the sign of the dividend: `bvsrem`.
    pub fn srem(&self, other: &Bits) -> Bits {
        let remainder = self.magnitude().urem(&other.magnitude());
        if self.is_negative() { remainder.neg() } else { remainder }
    }

    fn magnitude(&self) -> Bits {
        if self.is_negative() { self.neg() } else { self.clone() }
    }

    /// Left shift; zero from the width on.
    pub fn shl(&self, amount: &Bits) -> Bits {
        match amount.small_amount(self.width) {
            None => Bits::zero(self.width),
            Some(n) => match &self.repr {
                Repr::Small(value) => Bits::new(self.width, value << n),
                Repr::Large(value) => Bits::from_biguint(self.width, &(value << n)),
            },
        }
    }

    /// Logical right shift; zero from the width on.
    pub fn lshr(&self, amount: &Bits) -> Bits {
        match amount.small_amount(self.width) {
            None => Bits::zero(self.width),
            Some(n) => match &self.repr {
                Repr::Small(value) => Bits::new(self.width, value >> n),
                Repr::Large(value) => Bits::from_biguint(self.width, &(value >> n)),
            },
        }
    }

    /// Arithmetic right shift; all sign bits from the width on.
    pub fn ashr(&self, amount: &Bits) -> Bits {
        if self.is_negative() { self.not().lshr(amount).not() } else { self.lshr(amount) }
    }

    /// This shift amount, if it is below `width`.
    fn small_amount(&self, width: u32) -> Option<u32> {
        self.to_u64().and_then(|n| u32::try_from(n).ok()).filter(|n| *n < width)
    }

    /// This value above `low`.
    pub fn concat(&self, low: &Bits) -> Bits {
        let width = self.width + low.width;
        match (&self.repr, &low.repr) {
            (Repr::Small(a), Repr::Small(b)) if width <= 128 => {
                Bits::new(width, (a << low.width) | b)
            }
            _ => Bits::from_biguint(width, &((self.to_biguint() << low.width) | low.to_biguint())),
        }
    }

    /// Bits `high` down to `low`.
    pub fn extract(&self, high: u32, low: u32) -> Bits {
        let width = high + 1 - low;
        match &self.repr {
            Repr::Small(value) => Bits::new(width, value >> low.min(127)),
            Repr::Large(value) => Bits::from_biguint(width, &(value >> low)),
        }
    }

    /// Zeros in front, up to `width`.
    pub fn zero_extend_to(&self, width: u32) -> Bits {
        match &self.repr {
            Repr::Small(value) => Bits::new(width, *value),
            Repr::Large(value) => Bits::from_biguint(width, value),
        }
    }

    /// Copies of the sign bit in front, up to `width`.
    pub fn sign_extend_to(&self, width: u32) -> Bits {
        if self.is_negative() {
            self.not().zero_extend_to(width).not()
        } else {
            self.zero_extend_to(width)
        }
    }

    /// Unsigned comparison.
    pub fn ult(&self, other: &Bits) -> bool {
        match (&self.repr, &other.repr) {
            (Repr::Small(a), Repr::Small(b)) => a < b,
            _ => self.to_biguint() < other.to_biguint(),
        }
    }

    /// Signed comparison.
    pub fn slt(&self, other: &Bits) -> bool {
        match (self.is_negative(), other.is_negative()) {
            (true, false) => true,
            (false, true) => false,
            _ => self.ult(other),
        }
    }

    /// The inverse modulo `2^width` of an odd value.
    pub fn inverse(&self) -> Option<Bits> {
        if !self.bit(0) {
            return None;
        }
        // Newton's iteration doubles the number of right bits in each step: x*x is 1 modulo 8.
        let two = Bits::new(self.width, 2);
        let mut inverse = self.clone();
        let mut right_bits = 3;
        while right_bits < self.width {
            inverse = inverse.mul(&two.sub(&self.mul(&inverse)));
            right_bits *= 2;
        }
        Some(inverse)
    }
}

impl fmt::Display for Bits {
    /// As SMT-LIB writes it: hexadecimal where the width allows, else binary.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let value = self.to_biguint();
        if self.width.is_multiple_of(4) {
            let digits = value.to_str_radix(16);
            write!(f, "#x{:0>1$}", digits, (self.width / 4) as usize)
        } else {
            let digits = value.to_str_radix(2);
            write!(f, "#b{:0>1$}", digits, self.width as usize)
        }
    }
}

impl fmt::Debug for Bits {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The same operation at widths around the change of representation must agree with big
    /// integers.
    fn check_against_big(width: u32, a: u128, b: u128) {
        let (x, y) = (Bits::new(width, a), Bits::new(width, b));
        let (bx, by) = (x.to_biguint(), y.to_biguint());
        let modulus = BigUint::one() << width;
        assert_eq!(x.add(&y).to_biguint(), (&bx + &by) % &modulus);
        assert_eq!(x.mul(&y).to_biguint(), (&bx * &by) % &modulus);
        assert_eq!(x.sub(&y).to_biguint(), (&bx + &modulus - &by) % &modulus);
        assert_eq!(x.not().add(&Bits::one(width)), x.neg());
        assert_eq!(x.to_signed() < y.to_signed(), x.slt(&y));
        if !y.is_zero() {
            assert_eq!(x.udiv(&y).mul(&y).add(&x.urem(&y)), x);
            let by_signed = Bits::from_bigint(width, &(x.to_signed() / y.to_signed()));
            assert_eq!(x.sdiv(&y), by_signed);
            assert_eq!(x.sdiv(&y).mul(&y).add(&x.srem(&y)), x);
        }
        let wide = x.sign_extend_to(width + 70);
        assert_eq!(wide.to_signed(), x.to_signed());
        assert_eq!(wide.extract(width - 1, 0), x);
        assert_eq!(x.concat(&y).extract(2 * width - 1, width), x);
        assert_eq!(x.concat(&y).extract(width - 1, 0), y);
        if let Some(inverse) = x.inverse() {
            assert_eq!(inverse.mul(&x), Bits::one(width));
        }
        assert_eq!(x.is_ones(), x == Bits::ones(width));
        assert_eq!(x.leading_zeros(), width - bx.bits() as u32);
    }

    proptest! {
        #[test]
        fn agrees_with_big_integers(width in prop_oneof![1u32..10, 60u32..70, 120u32..140, 200u32..210],
                                    a: u128, b: u128) {
            check_against_big(width, a, b);
        }

        #[test]
        fn shifts_agree_with_machine_integers(a: u32, n in 0u32..40) {
            let (x, by) = (Bits::new(32, a.into()), Bits::new(32, n.into()));
            prop_assert_eq!(x.shl(&by), Bits::new(32, if n < 32 { (a << n).into() } else { 0 }));
            prop_assert_eq!(x.lshr(&by), Bits::new(32, if n < 32 { (a >> n).into() } else { 0 }));
            let arithmetic = (a as i32) >> n.min(31);
            prop_assert_eq!(x.ashr(&by), Bits::from_signed(32, arithmetic.into()));
        }
    }

    #[test]
    fn division_by_zero_is_total() {
        let (x, zero) = (Bits::from_signed(8, -3), Bits::zero(8));
        assert_eq!(x.udiv(&zero), Bits::ones(8));
        assert_eq!(x.urem(&zero), x);
        assert_eq!(x.sdiv(&zero), Bits::one(8));
        assert_eq!(x.srem(&zero), x);
    }

    #[test]
    fn prints_as_smtlib() {
        assert_eq!(Bits::new(12, 0xab).to_string(), "#x0ab");
        assert_eq!(Bits::new(5, 3).to_string(), "#b00011");
        assert_eq!(Bits::ones(132).to_string(), format!("#x{}", "f".repeat(33)));
        assert!(Bits::checked(0, 1).is_err());
    }
}
