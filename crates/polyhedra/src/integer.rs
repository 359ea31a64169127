//! Whole numbers of any size that stay machine words while they can, and fractions of them.
//!
//! The coefficients met in program analysis are small, but double description multiplies them, and
//! a wrapped product would be an unsound constraint. So an [`Integer`] is an `i64` until a result
//! does not fit, and a `dashu_int::IBig` from then on; results that fit again become small again,
//! so that equal numbers have equal representations.

use dashu_base::{BitTest, Gcd, Signed, UnsignedAbs};
use dashu_int::IBig;
use std::cmp::Ordering;
use std::fmt;
use std::ops::{Add, Mul, Neg, Sub};

/// A whole number of any size.
///
/// ```
/// use verdiff_polyhedra::Integer;
/// let large = Integer::from(i64::MAX);
/// assert_eq!((&large * &large).to_string(), "85070591730234615847396907784232501249");
/// ```
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Integer(Repr);

/// `Large` only if the number is not in `-i64::MAX..=i64::MAX`, so that derived equality is right.
/// `i64::MIN` is `Large`: then negation never overflows, and the sum of two products of small
/// numbers always fits into an `i128`.
#[derive(Clone, PartialEq, Eq, Hash)]
enum Repr {
    Small(i64),
    Large(Box<IBig>),
}

impl Integer {
    /// Zero.
    pub const ZERO: Integer = Integer(Repr::Small(0));
    /// One.
    pub const ONE: Integer = Integer(Repr::Small(1));

    pub(crate) fn from_big(value: IBig) -> Integer {
        match i64::try_from(&value) {
            Ok(small) if small != i64::MIN => Integer(Repr::Small(small)),
            _ => Integer(Repr::Large(Box::new(value))),
        }
    }

    /// The number as a machine word, unless it is too large. Never `i64::MIN`.
    pub fn to_i64(&self) -> Option<i64> {
        match self.0 {
            Repr::Small(small) => Some(small),
            Repr::Large(_) => None,
        }
    }

    /// The number as an arbitrary-precision integer of `dashu_int`.
    pub fn to_big(&self) -> IBig {
        match &self.0 {
            Repr::Small(small) => IBig::from(*small),
            Repr::Large(large) => (**large).clone(),
        }
    }

    /// The sign: less than, equal to or greater than zero.
    pub fn sign(&self) -> Ordering {
        match &self.0 {
            Repr::Small(small) => small.cmp(&0),
            Repr::Large(large) => {
                if large.is_negative() {
                    Ordering::Less
                } else {
                    Ordering::Greater
                }
            }
        }
    }

    /// Whether this is zero.
    pub fn is_zero(&self) -> bool {
        self.0 == Repr::Small(0)
    }

    /// The absolute value.
    pub fn abs(&self) -> Integer {
        if self.sign().is_lt() { -self } else { self.clone() }
    }

    /// The greatest common divisor, never negative; `gcd(0, n)` is `|n|`.
    pub fn gcd(&self, other: &Integer) -> Integer {
        match (&self.0, &other.0) {
            (Repr::Small(a), Repr::Small(b)) => {
                // Neither is i64::MIN, so the result fits.
                Integer(Repr::Small(gcd(a.unsigned_abs(), b.unsigned_abs()) as i64))
            }
            _ => Integer::from_big(IBig::from(self.to_big().gcd(&other.to_big()))),
        }
    }

    /// The quotient rounded towards minus infinity. Panics if `divisor` is zero.
    pub fn div_floor(&self, divisor: &Integer) -> Integer {
        match (&self.0, &divisor.0) {
            (Repr::Small(a), Repr::Small(b)) => {
                let (quotient, remainder) = (a / b, a % b);
                let below = remainder != 0 && (remainder < 0) != (*b < 0);
                Integer(Repr::Small(quotient - i64::from(below)))
            }
            _ => {
                let (a, b) = (self.to_big(), divisor.to_big());
                let (quotient, remainder) = (&a / &b, &a % &b);
                let below = !remainder.is_zero() && remainder.is_negative() != b.is_negative();
                Integer::from_big(quotient - IBig::from(u8::from(below)))
            }
        }
    }

    /// The quotient rounded towards plus infinity. Panics if `divisor` is zero.
    pub fn div_ceil(&self, divisor: &Integer) -> Integer {
        -&(-self).div_floor(divisor)
    }

    /// How many bits the absolute value takes.
    pub fn bits(&self) -> u64 {
        match &self.0 {
            Repr::Small(small) => u64::from(64 - small.unsigned_abs().leading_zeros()),
            Repr::Large(large) => large.bit_len() as u64,
        }
    }
}

/// Euclid's algorithm on machine words.
pub(crate) fn gcd(mut a: u64, mut b: u64) -> u64 {
    while b != 0 {
        // Most operands fit half a word, where division is several times cheaper.
        (a, b) =
            if (a | b) >> 32 == 0 { (b, u64::from((a as u32) % (b as u32))) } else { (b, a % b) };
    }
    a
}

impl Default for Integer {
    fn default() -> Integer {
        Integer::ZERO
    }
}

impl From<i64> for Integer {
    fn from(value: i64) -> Integer {
        if value == i64::MIN {
            Integer(Repr::Large(Box::new(IBig::from(value))))
        } else {
            Integer(Repr::Small(value))
        }
    }
}

impl From<i32> for Integer {
    fn from(value: i32) -> Integer {
        Integer(Repr::Small(i64::from(value)))
    }
}

impl From<i128> for Integer {
    fn from(value: i128) -> Integer {
        match i64::try_from(value) {
            Ok(small) => Integer::from(small),
            Err(_) => Integer(Repr::Large(Box::new(IBig::from(value)))),
        }
    }
}

impl From<IBig> for Integer {
    fn from(value: IBig) -> Integer {
        Integer::from_big(value)
    }
}

impl Ord for Integer {
    fn cmp(&self, other: &Integer) -> Ordering {
        match (&self.0, &other.0) {
            (Repr::Small(a), Repr::Small(b)) => a.cmp(b),
            _ => self.to_big().cmp(&other.to_big()),
        }
    }
}

impl PartialOrd for Integer {
    fn partial_cmp(&self, other: &Integer) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Neg for &Integer {
    type Output = Integer;
    fn neg(self) -> Integer {
        match &self.0 {
            Repr::Small(small) => Integer(Repr::Small(-small)),
            Repr::Large(large) => Integer::from_big(-(**large).clone()),
        }
    }
}

impl Neg for Integer {
    type Output = Integer;
    fn neg(self) -> Integer {
        -&self
    }
}

macro_rules! operator {
    ($name:ident, $method:ident, $checked:ident) => {
        impl $name for &Integer {
            type Output = Integer;
            fn $method(self, other: &Integer) -> Integer {
                if let (Repr::Small(a), Repr::Small(b)) = (&self.0, &other.0) {
                    if let Some(result) = a.$checked(*b) {
                        return Integer::from(result);
                    }
                }
                Integer::from_big(self.to_big().$method(other.to_big()))
            }
        }
        impl $name for Integer {
            type Output = Integer;
            fn $method(self, other: Integer) -> Integer {
                (&self).$method(&other)
            }
        }
    };
}

operator!(Add, add, checked_add);
operator!(Sub, sub, checked_sub);
operator!(Mul, mul, checked_mul);

impl fmt::Display for Integer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Repr::Small(small) => small.fmt(f),
            Repr::Large(large) => large.fmt(f),
        }
    }
}

impl fmt::Debug for Integer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl std::str::FromStr for Integer {
    type Err = dashu_base::ParseError;
    fn from_str(text: &str) -> Result<Integer, Self::Err> {
        text.parse::<IBig>().map(Integer::from_big)
    }
}

/// A fraction in lowest terms, with a positive denominator.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Rational {
    numerator: Integer,
    denominator: Integer,
}

impl Rational {
    /// `numerator / denominator`, in lowest terms. Panics if the denominator is zero.
    pub fn new(numerator: Integer, denominator: Integer) -> Rational {
        assert!(!denominator.is_zero(), "a denominator must not be zero");
        let mut divisor = numerator.gcd(&denominator);
        if denominator.sign().is_lt() {
            divisor = -divisor;
        }
        Rational {
            numerator: numerator.div_floor(&divisor),
            denominator: denominator.div_floor(&divisor),
        }
    }

    /// The numerator, which carries the sign.
    pub fn numerator(&self) -> &Integer {
        &self.numerator
    }

    /// The denominator, always positive.
    pub fn denominator(&self) -> &Integer {
        &self.denominator
    }

    /// The largest whole number that is not greater.
    pub fn floor(&self) -> Integer {
        self.numerator.div_floor(&self.denominator)
    }

    /// The smallest whole number that is not less.
    pub fn ceil(&self) -> Integer {
        self.numerator.div_ceil(&self.denominator)
    }
}

impl<T: Into<Integer>> From<T> for Rational {
    fn from(value: T) -> Rational {
        Rational { numerator: value.into(), denominator: Integer::ONE }
    }
}

impl Ord for Rational {
    fn cmp(&self, other: &Rational) -> Ordering {
        (&self.numerator * &other.denominator).cmp(&(&other.numerator * &self.denominator))
    }
}

impl PartialOrd for Rational {
    fn partial_cmp(&self, other: &Rational) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Add for &Rational {
    type Output = Rational;
    fn add(self, other: &Rational) -> Rational {
        Rational::new(
            &(&self.numerator * &other.denominator) + &(&other.numerator * &self.denominator),
            &self.denominator * &other.denominator,
        )
    }
}

impl Mul<&Integer> for &Rational {
    type Output = Rational;
    fn mul(self, factor: &Integer) -> Rational {
        Rational::new(&self.numerator * factor, self.denominator.clone())
    }
}

impl Neg for &Rational {
    type Output = Rational;
    fn neg(self) -> Rational {
        Rational { numerator: -&self.numerator, denominator: self.denominator.clone() }
    }
}

impl fmt::Display for Rational {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.denominator == Integer::ONE {
            write!(f, "{}", self.numerator)
        } else {
            write!(f, "{}/{}", self.numerator, self.denominator)
        }
    }
}

impl fmt::Debug for Rational {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// The greatest common divisor of large numbers, never negative.
pub(crate) fn gcd_of_large(values: &[IBig]) -> IBig {
    let mut divisor = IBig::ZERO;
    for value in values.iter().filter(|value| !value.is_zero()) {
        divisor = match divisor.is_zero() {
            true => IBig::from(value.unsigned_abs()),
            false => IBig::from((&divisor).gcd(value)),
        };
        if divisor.is_one() {
            break;
        }
    }
    divisor
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_grow_and_shrink_again() {
        let large = &Integer::from(i64::MAX) + &Integer::ONE;
        assert_eq!(large.to_i64(), None);
        assert_eq!((&large - &Integer::ONE).to_i64(), Some(i64::MAX));
        assert_eq!(Integer::from(i64::MIN).to_i64(), None);
        assert_eq!(-&Integer::from(i64::MIN), large);
        assert_eq!(large.div_floor(&large), Integer::ONE);
        assert_eq!(large.gcd(&Integer::from(6)), Integer::from(2));
        assert!(large > Integer::ZERO && -&large < Integer::ZERO);
    }

    #[test]
    fn division_rounds_as_it_says() {
        let half = Rational::new(Integer::from(7), Integer::from(-2));
        assert_eq!((half.floor(), half.ceil()), (Integer::from(-4), Integer::from(-3)));
        assert_eq!(half.to_string(), "-7/2");
        assert!(half < Rational::from(-3) && half > Rational::from(-4));
    }
}
