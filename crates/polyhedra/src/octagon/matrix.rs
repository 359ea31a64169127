//! Difference-bound matrices of octagons, and their closure.
//!
//! Every variable `x` has two forms, `+x` (even index) and `-x` (odd index). The entry of row `i` and
//! column `j` bounds the form `j` minus the form `i` from above (Miné, "The octagon abstract
//! domain", 2006). Entries are counted in halves, since strengthening halves sums of bounds; a quarter
//! is rounded up, and so is everything that leaves the range of machine words: a bound that is too large is
//! sound.

use crate::integer::{Integer, Rational};

/// No bound.
pub(super) const NONE: i64 = i64::MAX;
/// Bounds below this are replaced by it.
const LEAST: i64 = i64::MIN / 4;

/// A square matrix of bounds, two rows a variable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Matrix {
    size: usize,
    entries: Vec<i64>,
}

impl Matrix {
    pub(super) fn top(variables: usize) -> Matrix {
        let size = 2 * variables;
        let mut entries = vec![NONE; size * size];
        (0..size).for_each(|at| entries[at * size + at] = 0);
        Matrix { size, entries }
    }

    pub(super) fn get(&self, row: usize, column: usize) -> i64 {
        self.entries[row * self.size + column]
    }

    /// Sets an entry and the one that says the same about the opposite forms.
    pub(super) fn set(&mut self, row: usize, column: usize, bound: i64) {
        self.entries[row * self.size + column] = bound;
        self.entries[(column ^ 1) * self.size + (row ^ 1)] = bound;
    }

    pub(super) fn tighten(&mut self, row: usize, column: usize, bound: i64) {
        if bound < self.get(row, column) {
            self.set(row, column, bound);
        }
    }

    /// Entry by entry.
    pub(super) fn merge(&self, other: &Matrix, choose: impl Fn(i64, i64) -> i64) -> Matrix {
        let pairs = self.entries.iter().zip(&other.entries);
        Matrix { size: self.size, entries: pairs.map(|(a, b)| choose(*a, *b)).collect() }
    }

    pub(super) fn all(&self, other: &Matrix, holds: impl Fn(i64, i64) -> bool) -> bool {
        self.entries.iter().zip(&other.entries).all(|(a, b)| holds(*a, *b))
    }

    /// The matrix of other variables: `from[i]` says which variable becomes `i`, or none, which has
    /// any value.
    pub(super) fn select(&self, from: &[Option<usize>]) -> Matrix {
        let mut result = Matrix::top(from.len());
        let size = result.size;
        for row in 0..size {
            for column in 0..size {
                if let (Some(r), Some(c)) = (from[row / 2], from[column / 2]) {
                    let bound = self.get(2 * r + row % 2, 2 * c + column % 2);
                    result.entries[row * size + column] = bound;
                }
            }
        }
        result
    }

    /// The strong closure: every entry is the least bound that follows from all of them (rounding
    /// apart). `None` if no point satisfies them. Shortest paths, then one strengthening (Bagnara,
    /// Hill, Zaffanella, "Weakly-relational shapes for numeric abstractions", 2009).
    pub(super) fn closed(&self) -> Option<Matrix> {
        let mut matrix = self.clone();
        let size = self.size;
        for via in 0..size {
            let through: Vec<i64> = matrix.entries[via * size..(via + 1) * size].to_vec();
            for row in 0..size {
                let first = matrix.entries[row * size + via];
                if first == NONE {
                    continue;
                }
                let entries = &mut matrix.entries[row * size..(row + 1) * size];
                for (entry, second) in entries.iter_mut().zip(&through) {
                    let sum = add(first, *second);
                    if sum < *entry {
                        *entry = sum;
                    }
                }
            }
        }
        for row in 0..size {
            for column in 0..size {
                let sum = add(matrix.get(row, row ^ 1), matrix.get(column ^ 1, column));
                if sum != NONE {
                    let half = sum.div_euclid(2) + sum.rem_euclid(2);
                    let entry = &mut matrix.entries[row * size + column];
                    *entry = half.min(*entry);
                }
            }
        }
        if (0..size).any(|at| matrix.get(at, at) < 0) {
            return None;
        }
        (0..size).for_each(|at| matrix.entries[at * size + at] = 0);
        Some(matrix)
    }
}

fn add(a: i64, b: i64) -> i64 {
    if a == NONE || b == NONE { NONE } else { a.saturating_add(b).max(LEAST) }
}

/// A bound as an entry: in halves, rounded up.
pub(super) fn entry(bound: &Rational) -> i64 {
    let halves = (bound * &Integer::from(2)).ceil();
    match halves.to_i64() {
        Some(halves) => halves.max(LEAST),
        None if halves.sign().is_lt() => LEAST,
        None => NONE,
    }
}

/// The value of an entry.
pub(super) fn value(entry: i64) -> Option<Rational> {
    (entry != NONE).then(|| Rational::new(entry.into(), 2.into()))
}
