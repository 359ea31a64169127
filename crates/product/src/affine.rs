//! Affine equations modulo a power of two that hold of all points seen so far.
//!
//! Kept as generators of the module of all equations `sum c_i x_i = 0 (mod 2^w)` that every point satisfies; the last
//! coordinate of a point is 1. At first there are no points and every equation holds. A new point keeps those combinations
//! of the generators that vanish on it. Over the integers modulo 2^w that needs no division but by odd numbers: the
//! generator whose value on the point has the fewest factors two cancels all others, and is itself multiplied by
//! the power of two that makes it vanish. So "i is even" comes out, as `2^31 i = 0`.

/// The equations.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Affine {
    mask: u64,
    width: u32,
    /// Coefficients; the last one is the constant.
    equations: Vec<Vec<u64>>,
}

/// An equation, and the coordinate that it is solved for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Solved {
    /// The coordinate.
    pub pivot: Option<usize>,
    /// The coefficients; the last one is the constant.
    pub coefficients: Vec<u64>,
}

impl Affine {
    /// All equations over so many coordinates of `width` bits (at most 64), and a constant.
    pub fn all(width: u32, coordinates: usize) -> Affine {
        let mask = u64::MAX >> (64 - width);
        let unit = |at: usize| (0..=coordinates).map(|n| u64::from(n == at)).collect();
        Affine { mask, width, equations: (0..=coordinates).map(unit).collect() }
    }

    /// One equation, with the constant last.
    pub fn single(width: u32, equation: Vec<u64>) -> Affine {
        Affine { mask: u64::MAX >> (64 - width), width, equations: vec![equation] }
    }

    /// The equations, as coefficients with the constant last.
    #[cfg(test)]
    fn equations(&self) -> &[Vec<u64>] {
        &self.equations
    }

    /// The equations, solved as far as odd coefficients allow: in each that has one, one coordinate (the first of `wanted` that
    /// does) has the coefficient 1 and is in no other equation.
    pub fn solved(&self, wanted: &[usize]) -> Vec<Solved> {
        let mut rows: Vec<Vec<u64>> = self.equations.clone();
        let mut solved: Vec<(Option<usize>, Vec<u64>)> = vec![];
        for at in wanted {
            let odd = rows.iter().position(|row| row[*at] & 1 == 1);
            let Some(mut row) = odd.map(|n| rows.swap_remove(n)) else { continue };
            let factor = inverse(row[*at]);
            row.iter_mut().for_each(|c| *c = c.wrapping_mul(factor) & self.mask);
            for other in rows.iter_mut().chain(solved.iter_mut().map(|(_, row)| row)) {
                let factor = other[*at];
                for (c, p) in other.iter_mut().zip(&row) {
                    *c = c.wrapping_sub(factor.wrapping_mul(*p)) & self.mask;
                }
            }
            solved.push((Some(*at), row));
        }
        solved.extend(rows.into_iter().map(|row| (None, row)));
        let one = |(pivot, coefficients)| Solved { pivot, coefficients };
        solved.into_iter().map(one).collect()
    }

    /// How many equations do not hold of a point.
    pub fn broken(&self, point: &[u64]) -> usize {
        self.equations.iter().filter(|e| self.value(e, point) != 0).count()
    }

    /// Whether all equations hold of a point.
    #[cfg(test)]
    fn holds(&self, point: &[u64]) -> bool {
        self.equations.iter().all(|e| self.value(e, point) == 0)
    }

    fn value(&self, equation: &[u64], point: &[u64]) -> u64 {
        let ones = point.iter().copied().chain([1]);
        let sum =
            equation.iter().zip(ones).fold(0u64, |sum, (c, x)| sum.wrapping_add(c.wrapping_mul(x)));
        sum & self.mask
    }

    /// Keeps the equations that hold of this point, too. Whether any was lost.
    pub fn join(&mut self, point: &[u64]) -> bool {
        let values: Vec<u64> = self.equations.iter().map(|e| self.value(e, point)).collect();
        let fewest = |n: &usize| values[*n].trailing_zeros();
        let Some(pivot) = (0..values.len()).filter(|n| values[*n] != 0).min_by_key(fewest) else {
            return false;
        };
        let twos = values[pivot].trailing_zeros();
        let inverse = inverse(values[pivot] >> twos);
        let by = self.equations[pivot].clone();
        for (n, equation) in self.equations.iter_mut().enumerate() {
            if n == pivot || values[n] == 0 {
                continue;
            }
            let factor = (values[n] >> twos).wrapping_mul(inverse);
            for (c, p) in equation.iter_mut().zip(&by) {
                *c = c.wrapping_sub(factor.wrapping_mul(*p)) & self.mask;
            }
        }
        let shift = self.width - twos;
        for c in &mut self.equations[pivot] {
            *c = c.checked_shl(shift).unwrap_or(0) & self.mask;
        }
        self.equations.retain(|e| e.iter().any(|c| *c != 0));
        true
    }
}

/// What an odd number must be multiplied by to give one, modulo 2^64. Newton's iteration doubles the
/// right bits each time.
pub fn inverse(odd: u64) -> u64 {
    let mut x = odd;
    for _ in 0..6 {
        x = x.wrapping_mul(2u64.wrapping_sub(odd.wrapping_mul(x)));
    }
    x
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn every_odd_number_has_its_inverse() {
        for odd in [1, 3, 5, 0xdead_beef, u64::MAX] {
            assert_eq!(odd.wrapping_mul(inverse(odd)), 1);
        }
    }

    #[test]
    fn a_line_is_found() {
        let mut affine = Affine::all(32, 2);
        for x in 0..5u64 {
            affine.join(&[x, (7u64.wrapping_sub(3 * x)) & 0xffff_ffff]);
        }
        assert!(affine.holds(&[100, (7u64.wrapping_sub(300)) & 0xffff_ffff]));
        assert!(!affine.holds(&[100, 100]));
    }

    #[test]
    fn even_numbers_are_found() {
        let mut affine = Affine::all(8, 1);
        for x in [4, 10, 0] {
            affine.join(&[x]);
        }
        assert!((0..256u64).all(|x| affine.holds(&[x]) == (x % 2 == 0)));
    }

    #[test]
    fn solved_for_what_is_wanted() {
        let mut affine = Affine::all(32, 3);
        // z = x + y
        for (x, y) in [(0, 0), (1, 0), (0, 1), (5, 9)] {
            affine.join(&[x, y, x + y]);
        }
        let minus = u64::from(u32::MAX);
        let expected = Solved { pivot: Some(2), coefficients: vec![minus, minus, 1, 0] };
        assert_eq!(affine.solved(&[2, 0]), [expected]);
    }

    proptest! {
        /// No equation is kept that a point breaks, and none is lost that all satisfy: compared with all equations there are.
        #[test]
        fn exactly_the_common_equations(points in prop::collection::vec([0u64..8, 0u64..8], 0..5)) {
            let mut affine = Affine::all(3, 2);
            for point in &points {
                affine.join(point);
            }
            let hold = |e: &[u64; 3]| points.iter().all(|p| (e[0] * p[0] + e[1] * p[1] + e[2]).is_multiple_of(8));
            let mut spanned = std::collections::BTreeSet::from([[0u64; 3]]);
            for g in affine.equations() {
                let before: Vec<_> = spanned.iter().copied().collect();
                for k in 0..8 {
                    spanned.extend(before.iter().map(|b| [0, 1, 2].map(|i| (b[i] + k * g[i]) % 8)));
                }
            }
            for a in 0..8 { for b in 0..8 { for c in 0..8 {
                prop_assert_eq!(hold(&[a, b, c]), spanned.contains(&[a, b, c]));
            }}}
        }
    }
}
