//! Rows of coefficients: the constraints and generators of a cone, and the arithmetic on them.
//!
//! A row is a direction: multiplying it by a positive number does not change its meaning, so every
//! result is divided by the greatest common divisor of its entries. A row holds `i64` entries while
//! they fit and grows as a whole otherwise, which keeps the loops over entries free of case
//! distinctions. Sums of products are formed in `i128`: two products of entries always fit there
//! (no small entry is `i64::MIN`, see [`Integer`]).

use crate::integer::{Integer, gcd, gcd_of_large};
use dashu_base::BitTest;
use dashu_int::IBig;
use std::cmp::Ordering;

/// A vector of whole numbers in lowest terms.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Row {
    /// All entries are in `-i64::MAX..=i64::MAX`.
    Small(Box<[i64]>),
    /// Some entry is not.
    Large(Box<[IBig]>),
}

impl Row {
    pub(crate) fn zero(width: usize) -> Row {
        Row::Small(vec![0; width].into())
    }

    /// The row with a one at `column` and zeros elsewhere.
    pub(crate) fn unit(width: usize, column: usize) -> Row {
        let mut entries = vec![0; width];
        entries[column] = 1;
        Row::Small(entries.into())
    }

    /// The row of these entries, in lowest terms.
    pub(crate) fn new(entries: &[Integer]) -> Row {
        let small: Option<Box<[i64]>> = entries.iter().map(Integer::to_i64).collect();
        match small {
            Some(mut small) => {
                reduce_small(&mut small);
                Row::Small(small)
            }
            None => Row::from_large(entries.iter().map(Integer::to_big).collect()),
        }
    }

    fn from_large(mut entries: Vec<IBig>) -> Row {
        let divisor = gcd_of_large(&entries);
        if !divisor.is_one() && !divisor.is_zero() {
            for entry in &mut entries {
                *entry /= &divisor;
            }
        }
        let small: Option<Box<[i64]>> =
            entries.iter().map(|e| i64::try_from(e).ok().filter(|s| *s != i64::MIN)).collect();
        match small {
            Some(small) => Row::Small(small),
            None => Row::Large(entries.into()),
        }
    }

    fn from_wide(mut entries: Vec<i128>) -> Row {
        let mut divisor = 0u128;
        for entry in &entries {
            divisor = gcd_wide(divisor, entry.unsigned_abs());
            if divisor == 1 {
                break;
            }
        }
        if divisor > 1 {
            // An entry's absolute value is at most 2^127 - 2, and so is their divisor.
            entries.iter_mut().for_each(|e| *e /= divisor as i128);
        }
        let fits = |e: &i128| i64::try_from(*e).ok().filter(|s| *s != i64::MIN);
        let small: Option<Box<[i64]>> = entries.iter().map(fits).collect();
        match small {
            Some(small) => Row::Small(small),
            None => Row::Large(entries.into_iter().map(IBig::from).collect()),
        }
    }

    pub(crate) fn width(&self) -> usize {
        match self {
            Row::Small(entries) => entries.len(),
            Row::Large(entries) => entries.len(),
        }
    }

    pub(crate) fn get(&self, column: usize) -> Integer {
        match self {
            Row::Small(entries) => Integer::from(entries[column]),
            Row::Large(entries) => Integer::from_big(entries[column].clone()),
        }
    }

    pub(crate) fn sign(&self, column: usize) -> Ordering {
        match self {
            Row::Small(entries) => entries[column].cmp(&0),
            Row::Large(entries) => entries[column].cmp(&IBig::ZERO),
        }
    }

    /// All entries.
    pub(crate) fn entries(&self) -> Vec<Integer> {
        (0..self.width()).map(|column| self.get(column)).collect()
    }

    pub(crate) fn is_zero(&self) -> bool {
        (0..self.width()).all(|column| self.sign(column).is_eq())
    }

    /// Whether the entries of these columns are all zero.
    pub(crate) fn is_zero_in(&self, columns: std::ops::Range<usize>) -> bool {
        columns.into_iter().all(|column| self.sign(column).is_eq())
    }

    /// How many bits the longest entry takes.
    pub(crate) fn bits(&self) -> u64 {
        match self {
            Row::Small(entries) => {
                let all = entries.iter().fold(0, |all, e| all | e.unsigned_abs());
                u64::from(64 - all.leading_zeros())
            }
            Row::Large(entries) => entries.iter().map(|e| e.bit_len() as u64).max().unwrap_or(0),
        }
    }

    fn large(&self) -> Vec<IBig> {
        match self {
            Row::Small(entries) => entries.iter().map(|e| IBig::from(*e)).collect(),
            Row::Large(entries) => entries.to_vec(),
        }
    }

    /// The scalar product.
    pub(crate) fn dot(&self, other: &Row) -> Integer {
        self.dot_of_first(other, self.width())
    }

    /// The scalar product of the first `count` columns.
    pub(crate) fn dot_of_first(&self, other: &Row, count: usize) -> Integer {
        if let (Row::Small(a), Row::Small(b)) = (self, other) {
            let mut sum = 0i128;
            let mut fits = true;
            for (x, y) in a[..count].iter().zip(&b[..count]) {
                let (next, overflow) = sum.overflowing_add(i128::from(*x) * i128::from(*y));
                sum = next;
                fits &= !overflow;
            }
            if fits {
                return Integer::from(sum);
            }
        }
        let mut sum = IBig::ZERO;
        for (x, y) in self.large()[..count].iter().zip(&other.large()[..count]) {
            sum += x * y;
        }
        Integer::from_big(sum)
    }

    /// `factor * self + other_factor * other`, in lowest terms.
    pub(crate) fn combine(&self, factor: &Integer, other: &Row, other_factor: &Integer) -> Row {
        let small = (factor.to_i64(), other_factor.to_i64());
        if let (Row::Small(a), Row::Small(b), (Some(p), Some(q))) = (self, other, small) {
            return combine_small(a, p, b, q);
        }
        let (p, q) = (factor.to_big(), other_factor.to_big());
        let pairs = self.large().into_iter().zip(other.large());
        Row::from_large(pairs.map(|(x, y)| x * &p + y * &q).collect())
    }

    /// A positive multiple of `self`, plus a multiple of `line`, whose product with some row is zero,
    /// if those of `self` and `line` are `product` and `of_line`.
    pub(crate) fn eliminate(&self, product: &Integer, line: &Row, of_line: &Integer) -> Row {
        let divisor = product.gcd(of_line);
        let (mut p, mut q) = (of_line.div_floor(&divisor), -product.div_floor(&divisor));
        if p.sign().is_lt() {
            (p, q) = (-p, -q);
        }
        self.combine(&p, line, &q)
    }

    pub(crate) fn negated(&self) -> Row {
        match self {
            Row::Small(entries) => Row::Small(entries.iter().map(|e| -e).collect()),
            Row::Large(entries) => Row::Large(entries.iter().map(|e| -e).collect()),
        }
    }

    /// The row whose column `i` is column `columns[i]` of this one, or zero.
    pub(crate) fn select(&self, columns: &[Option<usize>]) -> Row {
        match self {
            Row::Small(entries) => {
                let mut small: Box<[i64]> =
                    columns.iter().map(|c| c.map_or(0, |c| entries[c])).collect();
                reduce_small(&mut small);
                Row::Small(small)
            }
            Row::Large(entries) => {
                let pick = |c: &Option<usize>| c.map_or(IBig::ZERO, |c| entries[c].clone());
                Row::from_large(columns.iter().map(pick).collect())
            }
        }
    }

    /// Lexicographic order, for canonical forms.
    pub(crate) fn compare(&self, other: &Row) -> Ordering {
        match (self, other) {
            (Row::Small(a), Row::Small(b)) => a.cmp(b),
            (Row::Large(a), Row::Large(b)) => a.cmp(b),
            (Row::Small(_), Row::Large(_)) => Ordering::Less,
            (Row::Large(_), Row::Small(_)) => Ordering::Greater,
        }
    }
}

fn combine_small(a: &[i64], p: i64, b: &[i64], q: i64) -> Row {
    let mut result = Vec::with_capacity(a.len());
    let mut overflow = false;
    for (x, y) in a.iter().zip(b) {
        let (left, first) = x.overflowing_mul(p);
        let (right, second) = y.overflowing_mul(q);
        let (sum, third) = left.overflowing_add(right);
        overflow |= first | second | third | (sum == i64::MIN);
        result.push(sum);
    }
    if overflow {
        let wide =
            |(x, y): (&i64, &i64)| i128::from(*x) * i128::from(p) + i128::from(*y) * i128::from(q);
        return Row::from_wide(a.iter().zip(b).map(wide).collect());
    }
    reduce_small(&mut result);
    Row::Small(result.into())
}

fn reduce_small(entries: &mut [i64]) {
    let mut divisor = 0;
    for entry in entries.iter() {
        if *entry != 0 {
            divisor = gcd(divisor, entry.unsigned_abs());
            if divisor == 1 {
                return;
            }
        }
    }
    if divisor > 1 {
        entries.iter_mut().for_each(|e| *e /= divisor as i64);
    }
}

fn gcd_wide(mut a: u128, mut b: u128) -> u128 {
    while b != 0 {
        if let (Ok(x), Ok(y)) = (u64::try_from(a), u64::try_from(b)) {
            return u128::from(gcd(x, y));
        }
        (a, b) = (b, a % b);
    }
    a
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(entries: &[i64]) -> Row {
        Row::new(&entries.iter().map(|e| Integer::from(*e)).collect::<Vec<_>>())
    }

    #[test]
    fn rows_are_in_lowest_terms_and_grow_only_when_they_must() {
        assert_eq!(row(&[4, -6, 0]), row(&[2, -3, 0]));
        let big = i64::MAX;
        let sum = row(&[big, 1]).combine(&Integer::from(big), &row(&[1, big]), &Integer::from(1));
        let Row::Large(entries) = &sum else { panic!("{sum:?}") };
        assert!(entries.iter().all(|entry| *entry > IBig::ZERO));
        // The products overflow, the result does not.
        let same = row(&[big, 1]).combine(&Integer::from(big), &row(&[big, 1]), &Integer::from(7));
        assert_eq!(same, row(&[big, 1]));
    }

    #[test]
    fn elimination_keeps_the_direction() {
        let (ray, line) = (row(&[1, 3]), row(&[0, -1]));
        let result = ray.eliminate(&Integer::from(3), &line, &Integer::from(-1));
        assert_eq!(result, row(&[1, 0]));
    }
}
