//! Polynomials over the integers, and ranges.

use std::collections::BTreeMap;
use std::fmt::Write;

use num_bigint::BigInt;
use num_integer::Integer;
use num_traits::{One, Signed, Zero};

/// An unknown integer, by its number.
pub(super) type Unknown = u32;

/// Unknowns, sorted, with repetition; none for the constant.
pub(super) type Monomial = Vec<Unknown>;

/// The least and the greatest value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Range {
    pub low: BigInt,
    pub high: BigInt,
}

impl Range {
    pub(super) fn new(low: impl Into<BigInt>, high: impl Into<BigInt>) -> Range {
        Range { low: low.into(), high: high.into() }
    }

    /// From zero to `2^width - 1`.
    pub(super) fn unsigned(width: u32) -> Range {
        Range { low: BigInt::zero(), high: power(width) - 1 }
    }

    /// From `-2^(width - 1)` to `2^(width - 1) - 1`.
    pub(super) fn signed(width: u32) -> Range {
        Range { low: -power(width - 1), high: power(width - 1) - 1 }
    }

    pub(super) fn contains(&self, other: &Range) -> bool {
        self.low <= other.low && other.high <= self.high
    }

    /// What is in both. Both hold of the same number, so it is not empty if what is given is not contradictory; if it
    /// were, this range is kept.
    pub(super) fn and(&self, other: &Range) -> Range {
        let low = self.low.clone().max(other.low.clone());
        let high = self.high.clone().min(other.high.clone());
        if low <= high { Range { low, high } } else { self.clone() }
    }

    /// The least range that contains both.
    pub(super) fn or(&self, other: &Range) -> Range {
        Range {
            low: self.low.clone().min(other.low.clone()),
            high: self.high.clone().max(other.high.clone()),
        }
    }

    pub(super) fn times(&self, other: &Range) -> Range {
        let all = [
            &self.low * &other.low,
            &self.low * &other.high,
            &self.high * &other.low,
            &self.high * &other.high,
        ];
        let low = all.iter().min().cloned().unwrap_or_default();
        Range { low, high: all.into_iter().max().unwrap_or_default() }
    }

    fn plus(&self, other: &Range) -> Range {
        Range { low: &self.low + &other.low, high: &self.high + &other.high }
    }
}

/// `2^exponent`.
pub(super) fn power(exponent: u32) -> BigInt {
    BigInt::one() << exponent
}

/// A sum of monomials with coefficients that are not zero.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Sum {
    monomials: BTreeMap<Monomial, BigInt>,
}

impl Sum {
    pub(super) fn constant(value: impl Into<BigInt>) -> Sum {
        let mut sum = Sum::default();
        sum.add_monomial(vec![], value.into());
        sum
    }

    pub(super) fn unknown(unknown: Unknown) -> Sum {
        let mut sum = Sum::default();
        sum.add_monomial(vec![unknown], BigInt::one());
        sum
    }

    fn add_monomial(&mut self, monomial: Monomial, coefficient: BigInt) {
        if coefficient.is_zero() {
            return;
        }
        let known = self.monomials.entry(monomial).or_default();
        *known += coefficient;
        if known.is_zero() {
            self.monomials.retain(|_, coefficient| !coefficient.is_zero());
        }
    }

    /// This plus another one so many times.
    pub(super) fn plus(&self, factor: &BigInt, other: &Sum) -> Sum {
        let mut sum = self.clone();
        for (monomial, coefficient) in &other.monomials {
            sum.add_monomial(monomial.clone(), factor * coefficient);
        }
        sum
    }

    pub(super) fn minus(&self, other: &Sum) -> Sum {
        self.plus(&-BigInt::one(), other)
    }

    pub(super) fn scaled(&self, factor: &BigInt) -> Sum {
        Sum::default().plus(factor, self)
    }

    pub(super) fn times(&self, other: &Sum) -> Sum {
        let mut product = Sum::default();
        for (left, a) in &self.monomials {
            for (right, b) in &other.monomials {
                let mut monomial = left.clone();
                monomial.extend_from_slice(right);
                monomial.sort_unstable();
                product.add_monomial(monomial, a * b);
            }
        }
        product
    }

    /// The same modulo `2^width`, with coefficients from `1 - 2^(width - 1)` to `2^(width - 1)`.
    pub(super) fn modulo(&self, width: u32) -> Sum {
        let (size, half) = (power(width), power(width - 1));
        let mut sum = Sum::default();
        for (monomial, coefficient) in &self.monomials {
            let mut rest = coefficient.mod_floor(&size);
            if rest > half {
                rest -= &size;
            }
            sum.add_monomial(monomial.clone(), rest);
        }
        sum
    }

    /// `A` and `B` with `self = divisor * A + B`, and all coefficients of `B` from zero to `divisor - 1`.
    pub(super) fn divided(&self, divisor: &BigInt) -> (Sum, Sum) {
        let (mut whole, mut rest) = (Sum::default(), Sum::default());
        for (monomial, coefficient) in &self.monomials {
            let (quotient, remainder) = coefficient.div_mod_floor(divisor);
            whole.add_monomial(monomial.clone(), quotient);
            rest.add_monomial(monomial.clone(), remainder);
        }
        (whole, rest)
    }

    /// `A` and `B` with `self = unknown * A + B`, and no monomial of `B` has the unknown as a factor.
    pub(super) fn divided_by_unknown(&self, unknown: Unknown) -> (Sum, Sum) {
        let (mut whole, mut rest) = (Sum::default(), Sum::default());
        for (monomial, coefficient) in &self.monomials {
            match monomial.iter().position(|factor| *factor == unknown) {
                Some(at) => {
                    let mut others = monomial.clone();
                    others.remove(at);
                    whole.add_monomial(others, coefficient.clone());
                }
                None => rest.add_monomial(monomial.clone(), coefficient.clone()),
            }
        }
        (whole, rest)
    }

    /// The sum with another one in place of an unknown.
    pub(super) fn put(&self, unknown: Unknown, other: &Sum) -> Sum {
        let mut sum = Sum::default();
        for (monomial, coefficient) in &self.monomials {
            let mut part = Sum::constant(coefficient.clone());
            for factor in monomial {
                let own = Sum::unknown(*factor);
                part = part.times(if *factor == unknown { other } else { &own });
            }
            sum = sum.plus(&BigInt::one(), &part);
        }
        sum
    }

    pub(super) fn as_constant(&self) -> Option<BigInt> {
        match self.monomials.len() {
            0 => Some(BigInt::zero()),
            1 => self.monomials.get(&vec![]).cloned(),
            _ => None,
        }
    }

    /// The unknown, if it is one alone.
    pub(super) fn as_unknown(&self) -> Option<Unknown> {
        let (monomial, coefficient) = self.monomials.iter().next()?;
        match (&monomial[..], self.monomials.len()) {
            ([unknown], 1) if coefficient.is_one() => Some(*unknown),
            _ => None,
        }
    }

    pub(super) fn monomials(&self) -> impl DoubleEndedIterator<Item = (&Monomial, &BigInt)> {
        self.monomials.iter()
    }

    pub(super) fn len(&self) -> usize {
        self.monomials.len()
    }

    pub(super) fn degree(&self) -> usize {
        self.monomials.keys().map(Vec::len).max().unwrap_or(0)
    }

    /// How many factors two all coefficients have.
    pub(super) fn twos(&self) -> Option<u64> {
        self.monomials.values().filter_map(BigInt::trailing_zeros).min()
    }

    /// All coefficients divided by `2^twos`, which divides them.
    pub(super) fn halved(&self, twos: u64) -> Sum {
        let monomials = self.monomials.iter().map(|(m, c)| (m.clone(), c >> twos)).collect();
        Sum { monomials }
    }

    /// Its range, by the ranges of unknowns.
    pub(super) fn range(&self, of: &dyn Fn(Unknown) -> Range) -> Range {
        let mut sum = Range::new(0, 0);
        for (monomial, coefficient) in &self.monomials {
            sum = sum.plus(&monomial_range(monomial, of).scaled(coefficient));
        }
        sum
    }

    /// As SMT-LIB text, by the names of unknowns.
    pub(super) fn text(&self) -> String {
        let mut parts = vec![];
        for (monomial, coefficient) in &self.monomials {
            let mut factors: Vec<String> = monomial.iter().map(|u| name(*u)).collect();
            if !coefficient.is_one() || factors.is_empty() {
                factors.insert(0, number(coefficient));
            }
            parts.push(joined("*", &factors));
        }
        if parts.is_empty() { "0".to_owned() } else { joined("+", &parts) }
    }
}

impl Range {
    fn scaled(&self, factor: &BigInt) -> Range {
        let (a, b) = (&self.low * factor, &self.high * factor);
        if a <= b { Range { low: a, high: b } } else { Range { low: b, high: a } }
    }
}

/// The range of a product of unknowns; of an even power, it begins at zero.
pub(super) fn monomial_range(monomial: &[Unknown], of: &dyn Fn(Unknown) -> Range) -> Range {
    let mut product = Range::new(1, 1);
    let mut at = 0;
    while at < monomial.len() {
        let count = monomial[at..].iter().take_while(|u| **u == monomial[at]).count();
        let one = of(monomial[at]);
        let mut whole = Range::new(1, 1);
        for _ in 0..count {
            whole = whole.times(&one);
        }
        if count % 2 == 0 && whole.low.is_negative() {
            whole.low = BigInt::zero();
        }
        product = product.times(&whole);
        at += count;
    }
    product
}

/// What an unknown is called.
pub(super) fn name(unknown: Unknown) -> String {
    format!("v{unknown}")
}

/// A number in SMT-LIB.
pub(super) fn number(value: &BigInt) -> String {
    match value.is_negative() {
        true => format!("(- {})", value.magnitude()),
        false => value.to_string(),
    }
}

/// An operator on one or more operands.
pub(super) fn joined(op: &str, operands: &[String]) -> String {
    match operands {
        [one] => one.clone(),
        _ => {
            let mut text = format!("({op}");
            for operand in operands {
                let _ = write!(text, " {operand}");
            }
            text.push(')');
            text
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_are_multiplied_out() {
        let x = Sum::unknown(0);
        let more = x.plus(&1.into(), &Sum::constant(1));
        let square = more.times(&more);
        assert_eq!(square.text(), "(+ 1 (* 2 v0) (* v0 v0))");
        let (whole, rest) = square.divided(&2.into());
        assert_eq!((whole.text(), rest.text()), ("v0".to_owned(), "(+ 1 (* v0 v0))".to_owned()));
        let (whole, rest) = square.divided_by_unknown(0);
        assert_eq!((whole.text(), rest.text()), ("(+ 2 v0)".to_owned(), "1".to_owned()));
    }

    #[test]
    fn coefficients_are_small_modulo_a_power_of_two() {
        let sum = Sum::unknown(0).scaled(&255.into()).plus(&1.into(), &Sum::constant(128));
        assert_eq!(sum.modulo(8).text(), "(+ 128 (* (- 1) v0))");
        assert_eq!(sum.scaled(&256.into()).modulo(8).len(), 0);
    }

    #[test]
    fn an_even_power_is_not_negative() {
        let of = |_| Range::new(-3, 2);
        assert_eq!(monomial_range(&[0, 0], &of), Range::new(0, 9));
        assert_eq!(monomial_range(&[0, 0, 0], &of), Range::new(-27, 18));
    }
}
