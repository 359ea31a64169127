//! Octagons: bounds on sums and differences of two variables.
//!
//! Cubic in the number of variables, so they always fit a budget that polyhedra may not, and they know equalities
//! of variables, which boxes do not. Strict constraints are taken as non-strict ones and
//! constants are rounded outwards (see `matrix.rs`): every operation is sound.

mod domain;
mod matrix;

use crate::integer::{Integer, Rational};
use crate::linear::{Constraint, Linear, Relation, Var};
use crate::polyhedron::{Bound, Bounds};
use matrix::{Matrix, entry, value};
use std::sync::OnceLock;

/// Bounds on sums and differences of two variables.
///
/// ```
/// use verdiff_polyhedra::{Domain, Octagon, Var};
/// let [x, y, z] = [0, 1, 2].map(Var);
/// let mut state = Octagon::top(3);
/// state.meet_constraints(&[(x - y).at_most(2), (y - z).at_most(-2), (z - x).at_most(0)]);
/// assert!(state.are_equal(x, z));
/// ```
#[derive(Clone, Debug)]
pub struct Octagon {
    dimension: usize,
    /// Not closed after widening, or the sequence of widenings might never become stable. `None` if
    /// there is no point.
    bounds: Option<Matrix>,
    closed: OnceLock<Option<Matrix>>,
}

impl Octagon {
    fn of(dimension: usize, bounds: Option<Matrix>) -> Octagon {
        Octagon { dimension, bounds, closed: OnceLock::new() }
    }

    fn closed(&self) -> Option<&Matrix> {
        let close = || self.bounds.as_ref().and_then(Matrix::closed);
        self.closed.get_or_init(close).as_ref()
    }

    /// The constraints of the closure, without those that follow from the bounds of single
    /// variables.
    fn constraint_list(&self) -> Vec<Constraint> {
        let Some(matrix) = self.closed() else { return vec![Linear::from(-1).at_least(0)] };
        let mut list = Vec::new();
        let unary = |form: usize| value(matrix.get(form ^ 1, form)).map(|double| halved(&double));
        for at in 0..self.dimension {
            let bounds = Bounds {
                lower: unary(2 * at + 1).map(|b| attained(-&b)),
                upper: unary(2 * at).map(attained),
            };
            list.extend(crate::boxes::bounds_constraints(&Var(at).into(), &bounds));
        }
        for a in 0..self.dimension {
            for b in 0..a {
                for sign in [0, 1] {
                    // The form a + b or a - b, from above and from below.
                    let (first, second) = (2 * a, 2 * b + sign);
                    let form = Linear::from(Var(a)) + Var(b) * if sign == 0 { 1 } else { -1 };
                    let upper = implied(matrix, first, second, &unary);
                    let lower = implied(matrix, first ^ 1, second ^ 1, &unary);
                    let bounds =
                        Bounds { lower: lower.map(|b| attained(-&b)), upper: upper.map(attained) };
                    list.extend(crate::boxes::bounds_constraints(&form, &bounds));
                }
            }
        }
        list
    }

    /// The least known upper bound of a form, with help of relations between two of its variables.
    fn upper(&self, matrix: &Matrix, form: &Linear) -> Option<Rational> {
        let mut terms: Vec<(usize, Integer)> = form
            .terms()
            .map(|(var, c)| (2 * var.0 + usize::from(c.sign().is_lt()), c.abs()))
            .collect();
        let unary = |at: usize| value(matrix.get(at ^ 1, at)).map(|double| halved(&double));
        let apart = terms.iter().try_fold(Rational::from(form.constant()), |sum, (at, factor)| {
            unary(*at).map(|bound| &sum + &(&bound * factor))
        });
        // Take pairs greedily: each term with the partner that bounds their sum best.
        let mut sum = Some(Rational::from(form.constant()));
        while let Some((at, factor)) = terms.pop() {
            let pair = |other: usize| value(matrix.get(other ^ 1, at));
            let partners = terms.iter().enumerate();
            let bounds = partners.filter_map(|(place, (other, _))| Some((place, pair(*other)?)));
            let best = bounds.min_by(|a, b| a.1.cmp(&b.1));
            let single = unary(at);
            match (best, single) {
                (Some((place, bound)), single)
                    if is_better(&bound, &single, unary(terms[place].0)) =>
                {
                    let shared = factor.clone().min(terms[place].1.clone());
                    sum = sum.map(|sum| &sum + &(&bound * &shared));
                    let rest = &terms[place].1 - &shared;
                    let other = terms.remove(place).0;
                    for (form, left) in [(other, rest), (at, &factor - &shared)] {
                        if !left.is_zero() {
                            terms.push((form, left));
                        }
                    }
                }
                (_, Some(bound)) => sum = sum.map(|sum| &sum + &(&bound * &factor)),
                _ => sum = None,
            }
        }
        match (apart, sum) {
            (Some(a), Some(b)) => Some(a.min(b)),
            (a, b) => a.or(b),
        }
    }

    fn bounds_of(&self, form: &Linear) -> Option<Bounds> {
        assert!(form.dimensions() <= self.dimension, "a variable outside of the space");
        let matrix = self.closed()?;
        let lower = self.upper(matrix, &-form.clone()).map(|bound| attained(-&bound));
        Some(Bounds { lower, upper: self.upper(matrix, form).map(attained) })
    }

    /// Adds a constraint: exactly, if it is a bound on a sum or difference; else its consequences for each
    /// variable, and for each two whose coefficients are of the same size.
    fn refine(&mut self, constraint: &Constraint) {
        let form = constraint.form();
        if form.is_constant() {
            if !constraint.holds_at(&[]) {
                *self = Octagon::of(self.dimension, None);
            }
            return;
        }
        self.at_least_zero(form);
        if constraint.relation() == Relation::EqualToZero {
            self.at_least_zero(&-form.clone());
        }
    }

    fn at_least_zero(&mut self, form: &Linear) {
        if self.bounds.is_none() {
            return;
        }
        let exact = is_octagonal(form);
        let mut cuts: Vec<(usize, usize, i64)> = Vec::new();
        let terms: Vec<(Var, &Integer)> = form.terms().collect();
        for (at, (var, factor)) in terms.iter().enumerate() {
            let own = Linear::from(*var).scaled(factor);
            // -own <= rest: a bound on the opposite form of the variable.
            let first = 2 * var.0 + usize::from(factor.sign().is_gt());
            let rest = form.minus(&own);
            if let Some(bound) = self.rest_bound(&rest).filter(|_| !exact || rest.is_constant()) {
                let double = &divided(&bound, &factor.abs()) * &Integer::from(2);
                cuts.push((first ^ 1, first, entry(&double)));
            }
            for (other, with) in terms[..at].iter().filter(|(_, with)| with.abs() == factor.abs()) {
                let rest = rest.minus(&Linear::from(*other).scaled(with));
                let second = 2 * other.0 + usize::from(with.sign().is_gt());
                if let Some(bound) = self.rest_bound(&rest) {
                    cuts.push((second ^ 1, first, entry(&divided(&bound, &factor.abs()))));
                }
            }
        }
        if let Some(matrix) = &mut self.bounds {
            cuts.into_iter().for_each(|(row, column, bound)| matrix.tighten(row, column, bound));
            self.closed = OnceLock::new();
        }
    }

    /// The upper bound of what is left of a form; a constant needs no closure.
    fn rest_bound(&self, rest: &Linear) -> Option<Rational> {
        if rest.is_constant() {
            return Some(rest.constant().into());
        }
        self.closed().and_then(|matrix| self.upper(matrix, rest))
    }
}

/// Whether the form is a multiple of a variable, or of a sum or difference of two, plus a constant.
fn is_octagonal(form: &Linear) -> bool {
    let sizes: Vec<Integer> = form.terms().map(|(_, factor)| factor.abs()).collect();
    match &sizes[..] {
        [_] => true,
        [a, b] => a == b,
        _ => false,
    }
}

/// The bound of a pair of forms, unless the sum of their own bounds says as much.
fn implied(
    matrix: &Matrix,
    first: usize,
    second: usize,
    unary: &impl Fn(usize) -> Option<Rational>,
) -> Option<Rational> {
    let bound = value(matrix.get(second ^ 1, first))?;
    is_better(&bound, &unary(first), unary(second)).then_some(bound)
}

fn is_better(bound: &Rational, first: &Option<Rational>, second: Option<Rational>) -> bool {
    match (first, second) {
        (Some(first), Some(second)) => *bound < first + &second,
        _ => true,
    }
}

fn attained(value: Rational) -> Bound {
    Bound { value, attained: true }
}

fn halved(value: &Rational) -> Rational {
    divided(value, &Integer::from(2))
}

fn divided(value: &Rational, by: &Integer) -> Rational {
    Rational::new(value.numerator().clone(), value.denominator() * by)
}
