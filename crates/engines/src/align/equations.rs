//! Equations modulo 2^w between variables, or products of variables.

use super::coordinates::Coordinate;
use super::invariant::{Terms, Var};
use super::runs::Point;
use verdiff_logic::{LogicError, TermId, effort};
use verdiff_product::affine::{Affine, Solved, inverse};
use verdiff_symex::space::Space;

/// Equations of products with larger coefficients are chance.
const LARGEST: u64 = 64;
/// And so are those of variables that are narrower than the equation: coefficients are sizes of elements and rows.
const LARGEST_STRIDE: u64 = 4096;

/// The equations that a class states.
pub struct Stated {
    equations: Vec<Solved>,
    /// Whether all others that hold of its points follow from them.
    is_all: bool,
}

/// Equations of one width.
#[derive(Clone, Debug)]
pub struct Class {
    pub width: u32,
    pub coordinates: Vec<Coordinate>,
    pub affine: Affine,
    /// If there are products: they are for this one variable, the first coordinate, and these are all points.
    pub products: Option<Vec<Vec<u64>>>,
    /// Coefficients of equations that nobody could show.
    pub dropped: Vec<Vec<u64>>,
}

impl Class {
    /// Weakens it so that it holds of a point. Whether anything was lost.
    pub fn join(&mut self, point: &Point) -> bool {
        let size = self.coordinates.len() as u64;
        effort::count(effort::Step::Interpreted, size * size);
        let row: Vec<u64> = self.coordinates.iter().map(|c| c.number(point)).collect();
        let before = self.products.is_some().then(|| self.equations());
        let lost = self.affine.join(&row);
        self.products.iter_mut().for_each(|rows| rows.push(row.clone()));
        lost || before.is_some_and(|before| before != self.equations())
    }

    /// The equation that says what a variable is by these coordinates, if one holds of all points and is no chance: there
    /// are more points than coefficients, and these are small.
    pub fn solved_for(var: Var, by: Vec<Coordinate>, points: &[Point]) -> Option<Class> {
        let mut coordinates = vec![Coordinate::single(var, false)];
        coordinates.extend(by);
        let affine = Affine::all(var.width, coordinates.len());
        let mut class = Class {
            width: var.width,
            coordinates,
            affine,
            products: Some(vec![]),
            dropped: vec![],
        };
        points.iter().for_each(|point| {
            class.join(point);
        });
        let equations = class.equations();
        let usual = !equations.is_empty() && equations.iter().all(|s| class.is_small(s));
        (usual && points.len() > 2 * class.coordinates.len()).then_some(class)
    }

    /// Whether an equation has small coefficients; of its constant nothing is asked.
    pub fn is_small(&self, equation: &Solved) -> bool {
        let coefficients = &equation.coefficients[..self.coordinates.len()];
        coefficients.iter().all(|c| signed(*c, self.width).unsigned_abs() <= LARGEST)
    }

    /// The equations. Among products some hold of all numbers, such as `2^31 x x == 2^31 x`; they say nothing, and with
    /// them any other equation has many forms. The one with small coefficients is taken, if it holds of all points.
    pub fn equations(&self) -> Vec<Solved> {
        let mut solved = self.affine.solved(&self.wanted());
        let Some(rows) = &self.products else {
            self.reduce(&mut solved);
            let dropped = |equation: &Solved| self.dropped.contains(&equation.coefficients);
            solved.retain(|equation| self.is_likely(equation) && !dropped(equation));
            return solved;
        };
        solved.retain(|s| s.pivot == Some(0));
        for equation in &mut solved {
            for bits in [self.width - 1, self.width - 2, self.width - 4] {
                let small = |c: &u64| signed(c & mask(bits), bits) as u64 & mask(self.width);
                let small: Vec<u64> = equation.coefficients.iter().map(small).collect();
                let candidate = Affine::single(self.width, small.clone());
                if rows.iter().all(|row| candidate.broken(row) == 0) {
                    equation.coefficients = small;
                }
            }
        }
        solved
    }

    /// What it states now.
    pub fn stated(&self) -> Stated {
        let equations = self.equations();
        let all = self.affine.solved(&self.wanted()).len();
        Stated { is_all: self.products.is_none() && equations.len() == all, equations }
    }

    /// Whether what it states follows from what it stated before it was weakened.
    ///
    /// If it stated all that held, it does: every equation that is left is a sum of multiples of these. If it left out some, what
    /// is stated now may be a sum of those. (✗ Of `a == 5000 b` and `c == 5000 b` nothing is stated, as if by chance; once a
    /// point breaks both, `a == c` is.)
    pub fn follows_from(&self, before: &Stated) -> bool {
        before.is_all || self.equations().iter().all(|e| before.equations.contains(e))
    }

    /// Makes coefficients smaller by what is known of single variables: if `i` is a multiple of 4, `2^62 i` is zero.
    fn reduce(&self, equations: &mut [Solved]) {
        let size = self.coordinates.len();
        let places = |equation: &Solved| -> Vec<usize> {
            (0..size).filter(|n| equation.coefficients[*n] != 0).collect()
        };
        for n in 0..equations.len() {
            let [at] = places(&equations[n])[..] else { continue };
            // Times the inverse of what is odd in it, the coefficient is a power of two.
            let twos = equations[n].coefficients[at].trailing_zeros();
            if twos == 0 {
                continue;
            }
            let factor = inverse(equations[n].coefficients[at] >> twos);
            let scaled = |c: &u64| c.wrapping_mul(factor) & mask(self.width);
            let by: Vec<u64> = equations[n].coefficients.iter().map(scaled).collect();
            let step = 1u64 << twos;
            for (m, other) in equations.iter_mut().enumerate() {
                let known = other.coefficients[at];
                if m == n || known == 0 {
                    continue;
                }
                let rest = signed(known & (step - 1), twos) as u64;
                let times = known.wrapping_sub(rest) / step;
                for (c, p) in other.coefficients.iter_mut().zip(&by) {
                    *c = c.wrapping_sub(times.wrapping_mul(*p)) & mask(self.width);
                }
            }
        }
    }

    /// Whether an equation is likely to be more than chance. Of variables that are narrower than it, each extended with and
    /// without its sign, many equations hold of a few points, such as `2^32 i == 2^32 j + x`; they are lost sooner or
    /// later, and no solver likes them.
    fn is_likely(&self, equation: &Solved) -> bool {
        let parts = || (0..self.coordinates.len()).filter(|n| equation.coefficients[*n] != 0);
        let small = |n: usize| {
            signed(equation.coefficients[n], self.width).unsigned_abs() <= LARGEST_STRIDE
        };
        let mut vars: Vec<Option<Var>> = parts().map(|n| self.coordinates[n].variable()).collect();
        vars.sort();
        vars.dedup();
        // With and without its sign the same variable says something only of itself: that it is not negative.
        let plain = vars.len() == 1 || vars.len() == parts().count();
        parts().count() == 1
            || parts().all(|n| self.coordinates[n].is_whole(self.width))
            || parts().all(small) && plain
    }

    /// Which coordinates equations are solved for: the variables of the new side first.
    pub fn wanted(&self) -> Vec<usize> {
        if self.products.is_some() {
            return vec![0];
        }
        let whole = |side: usize| {
            (0..self.coordinates.len()).filter(move |n| {
                let var = self.coordinates[*n].variable();
                var.is_some_and(|var| var.side == side && var.width == self.width)
            })
        };
        whole(1).chain(whole(0)).collect()
    }

    /// An equation: what it is solved for, or zero, and what that is.
    pub fn sides(
        &self,
        space: &mut Space,
        terms: &Terms<'_>,
        pivot: Option<usize>,
        coefficients: &[u64],
    ) -> Result<(TermId, TermId), LogicError> {
        let width = self.width;
        let constant = *coefficients.last().unwrap_or(&0);
        let mut sum = space.pool.bits(width, u128::from(constant.wrapping_neg() & mask(width)))?;
        for (n, coordinate) in self.coordinates.iter().enumerate() {
            let minus = coefficients[n].wrapping_neg() & mask(width);
            if minus == 0 || Some(n) == pivot {
                continue;
            }
            let term = coordinate.term(space, terms, width)?;
            let part = match minus {
                1 => term,
                _ => {
                    let factor = space.pool.bits(width, u128::from(minus))?;
                    space.pool.bv_mul(factor, term)?
                }
            };
            sum = space.pool.bv_add(sum, part)?;
        }
        let left = match pivot {
            Some(n) => self.coordinates[n].term(space, terms, width)?,
            None => space.pool.bits(width, 0)?,
        };
        let sum = space.tidy(sum)?;
        Ok((left, sum))
    }
}

/// The low bits.
pub fn mask(width: u32) -> u64 {
    u64::MAX >> (64 - width)
}

/// A number of so many bits with its sign.
pub fn signed(value: u64, width: u32) -> i64 {
    let shift = 64 - width;
    ((value << shift) as i64) >> shift
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Numbers of the variables 0, 1 and 2 of one side.
    fn point(numbers: [u128; 3]) -> Point {
        [numbers.map(Some).to_vec(), vec![]]
    }

    fn class(order: [usize; 3]) -> Class {
        let single =
            |index| Coordinate::single(Var { side: 0, index, width: 32, pointer: false }, false);
        Class {
            width: 64,
            coordinates: order.map(single).to_vec(),
            affine: Affine::all(64, 3),
            products: None,
            dropped: vec![],
        }
    }

    fn holds(class: &Class, equations: &[Solved], numbers: [u128; 3]) -> bool {
        let row: Vec<u64> = class.coordinates.iter().map(|c| c.number(&point(numbers))).collect();
        let whole = |e: &Solved| Affine::single(class.width, e.coefficients.clone());
        equations.iter().all(|e| whole(e).broken(&row) == 0)
    }

    /// ✗ Variable 0 and variable 1 are 5000 times variable 2, which is not stated; then they are only the same.
    #[test]
    fn what_was_left_out_and_is_stated_later_does_not_follow() {
        let mut lost = 0;
        for order in [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]] {
            let mut class = class(order);
            for k in 0..5 {
                class.join(&point([5000 * k, 5000 * k, k]));
            }
            let before = class.stated();
            assert!(class.follows_from(&before));
            assert!(class.join(&point([1, 1, 0])));
            let now = class.equations();
            // A state that satisfies what was stated and not what is.
            let apart = [7, 9, 1];
            if holds(&class, &before.equations, apart) && !holds(&class, &now, apart) {
                assert!(!class.follows_from(&before), "{order:?}");
                lost += 1;
            }
        }
        assert!(lost > 0, "nothing was left out");
    }

    #[test]
    fn what_is_left_of_all_equations_follows() {
        let mut class = class([0, 1, 2]);
        for k in 0..5 {
            class.join(&point([k, k, k]));
        }
        let before = class.stated();
        assert!(before.is_all && class.join(&point([1, 1, 0])));
        assert!(class.follows_from(&before));
    }
}
