//! Questions to a polyhedron: emptiness, inclusion, bounds, constraints and generators.
//!
//! Inclusion holds if every generator of one polyhedron satisfies every constraint of the other. A strict
//! constraint must be positive at points and not negative at points of the closure and along rays.

use super::{Added, Polyhedron};
use crate::boxes::bounds_constraints;
use crate::conversion::Rows;
use crate::integer::{Integer, Rational};
use crate::linear::{Constraint, Linear, Relation, Var};
use crate::row::Row;
use std::cmp::Ordering;
use std::sync::Arc;

/// The end of an interval.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bound {
    /// Where the interval ends.
    pub value: Rational,
    /// Whether the end belongs to the interval.
    pub attained: bool,
}

/// The interval of the values of a linear form.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Bounds {
    /// The greatest lower bound, if there is one.
    pub lower: Option<Bound>,
    /// The least upper bound, if there is one.
    pub upper: Option<Bound>,
}

impl Bounds {
    /// The only value, if there is but one.
    pub fn exact(&self) -> Option<&Rational> {
        match (&self.lower, &self.upper) {
            (Some(lower), Some(upper)) if lower.value == upper.value => Some(&lower.value),
            _ => None,
        }
    }

    /// Whether every value compares with zero in this way.
    pub fn entail(&self, relation: Relation) -> bool {
        let sign = |bound: &Bound| bound.value.numerator().sign();
        match relation {
            Relation::AtLeastZero => self.lower.as_ref().is_some_and(|bound| sign(bound).is_ge()),
            Relation::GreaterThanZero => self.lower.as_ref().is_some_and(|bound| {
                sign(bound).is_gt() || (sign(bound).is_eq() && !bound.attained)
            }),
            Relation::EqualToZero => self.exact().is_some_and(|v| v.numerator().is_zero()),
        }
    }
}

/// A generator of a polyhedron.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Generator {
    /// A direction in which the polyhedron goes on without end, as does the opposite one.
    Line(Vec<Integer>),
    /// A direction in which the polyhedron goes on without end.
    Ray(Vec<Integer>),
    /// A point of the polyhedron.
    Point(Vec<Rational>),
    /// A point of the closure that does not belong to the polyhedron.
    ClosurePoint(Vec<Rational>),
}

impl Polyhedron {
    pub(crate) fn is_empty(&self) -> bool {
        self.pair().is_none()
    }

    pub(crate) fn is_whole(&self) -> bool {
        self.pair().is_some_and(|pair| pair.generators.lines.len() == self.dimension)
    }

    /// Whether `other` is a subset.
    pub(crate) fn includes_all_of(&self, other: &Polyhedron) -> bool {
        assert_eq!(self.dimension, other.dimension, "polyhedra of different dimension");
        let Some(theirs) = other.pair() else { return true };
        let Some(own) = self.some_constraints() else { return false };
        if self.pair_if_known().is_some_and(|pair| Arc::ptr_eq(pair, theirs)) {
            return true;
        }
        let count = self.dimension + 1;
        let is_strict = |row: &Row| self.is_wide(row.width()) && row.sign(count).is_lt();
        let column = other.point_column(theirs.width);
        let holds = |row: &Row, equality: bool| {
            let strict = is_strict(row);
            let line = |line: &Row| line.dot_of_first(row, count).is_zero();
            let ray = |ray: &Row| match ray.dot_of_first(row, count).sign() {
                Ordering::Less => false,
                Ordering::Equal => !strict || !ray.sign(column).is_gt(),
                Ordering::Greater => !equality,
            };
            theirs.generators.lines.iter().all(line) && theirs.generators.rays.iter().all(ray)
        };
        own.lines.iter().all(|row| holds(row, true)) && own.rays.iter().all(|row| holds(row, false))
    }

    fn pair_if_known(&self) -> Option<&Arc<crate::pair::Pair>> {
        self.known.get().and_then(Option::as_ref)
    }

    pub(crate) fn same_as(&self, other: &Polyhedron) -> bool {
        assert_eq!(self.dimension, other.dimension, "polyhedra of different dimension");
        match (self.pair(), other.pair()) {
            (None, None) => true,
            (Some(a), Some(b)) => match (self.is_wide(a.width), other.is_wide(b.width)) {
                // Canonical forms are equal if the polyhedra are.
                (false, false) => {
                    Arc::ptr_eq(a, b)
                        || (a.constraints.len() == b.constraints.len()
                            && a.constraints == b.constraints)
                }
                // With a slack there are several representations; and it is there only if needed.
                (true, true) => self.includes_all_of(other) && other.includes_all_of(self),
                _ => false,
            },
            _ => false,
        }
    }

    pub(crate) fn bounds_of(&self, form: &Linear) -> Option<Bounds> {
        assert!(form.dimensions() <= self.dimension, "a variable outside of the space");
        let pair = self.pair()?;
        bounds_over(&[&pair.generators], self.point_column(pair.width), form)
    }

    /// Constraints on single variables and, if `pairs`, on sums and differences of two, that hold for
    /// all points, and those that were added and not yet converted. Converts nothing.
    pub(crate) fn outline(&self, pairs: bool) -> Vec<Constraint> {
        let (mut systems, mut width) = (vec![&self.base.generators], self.base.width);
        let mut result = Vec::new();
        match (self.known.get(), &self.added) {
            (Some(None), _) => return vec![Linear::from(-1).at_least(0)],
            (Some(Some(pair)), _) => (systems, width) = (vec![&pair.generators], pair.width),
            (None, Added::Constraints(rows)) => result = self.row_constraints(rows),
            (None, Added::Generators(rows)) => systems.push(rows),
            (None, Added::Nothing) => {}
        }
        let column = self.point_column(width);
        let mut forms: Vec<Linear> = (0..self.dimension).map(|at| Var(at).into()).collect();
        for a in 0..if pairs { self.dimension } else { 0 } {
            let both = |b| [Var(a) + Var(b), Var(a) - Linear::from(Var(b))];
            forms.extend((0..a).flat_map(both));
        }
        for form in forms {
            match bounds_over(&systems, column, &form) {
                None => return vec![Linear::from(-1).at_least(0)],
                Some(bounds) => result.extend(bounds_constraints(&form, &bounds)),
            }
        }
        result
    }

    /// Whether a test holds for constraints that describe the polyhedron, one by one up to the first for
    /// which it does not. Not all of them need be necessary. The polyhedron must not be empty.
    pub(crate) fn all_constraints<E>(
        &self,
        mut holds: impl FnMut(Constraint) -> Result<bool, E>,
    ) -> Result<bool, E> {
        let Some(pair) = self.pair() else { return Ok(false) };
        for line in &pair.constraints.lines {
            let form = self.row_form(line);
            if !form.is_constant() && !holds(Constraint::new(form, Relation::EqualToZero))? {
                return Ok(false);
            }
        }
        for ray in &pair.constraints.rays {
            let strict = self.is_wide(ray.width()) && ray.sign(self.dimension + 1).is_lt();
            let relation = if strict { Relation::GreaterThanZero } else { Relation::AtLeastZero };
            let form = self.row_form(ray);
            if !form.is_constant() && !holds(Constraint::new(form, relation))? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    pub(crate) fn constraint_list(&self) -> Vec<Constraint> {
        match self.pair() {
            None => vec![Linear::from(-1).at_least(0)],
            Some(pair) => self.minimal_constraints(pair),
        }
    }

    /// A minimal system of generators; none for the empty polyhedron.
    pub fn generators(&self) -> Vec<Generator> {
        let Some(pair) = self.pair() else { return Vec::new() };
        let columns = 1..=self.dimension;
        let direction = |row: &Row| columns.clone().map(|c| row.get(c)).collect::<Vec<Integer>>();
        let place = |row: &Row| {
            let coordinate = |column| Rational::new(row.get(column), row.get(0));
            columns.clone().map(coordinate).collect::<Vec<Rational>>()
        };
        let mut result: Vec<Generator> =
            pair.generators.lines.iter().map(|line| Generator::Line(direction(line))).collect();
        let column = self.point_column(pair.width);
        let mut points: Vec<Vec<Rational>> = Vec::new();
        for ray in &pair.generators.rays {
            if ray.sign(0).is_eq() {
                result.push(Generator::Ray(direction(ray)));
            } else if ray.sign(column).is_gt() {
                let point = place(ray);
                if !points.contains(&point) {
                    points.push(point);
                }
            }
        }
        if self.is_wide(pair.width) {
            let closure = pair.generators.rays.iter();
            let closure =
                closure.filter(|ray| ray.sign(0).is_gt() && !ray.sign(column).is_gt()).map(place);
            let missing = closure.filter(|point| !points.contains(point));
            result.extend(missing.map(Generator::ClosurePoint));
        }
        result.extend(points.into_iter().map(Generator::Point));
        result
    }

    /// How many constraints and generators there are, after conversion; the slack included.
    pub fn size(&self) -> (usize, usize) {
        self.pair().map_or((0, 0), |pair| (pair.constraints.len(), pair.generators.len()))
    }
}

/// The values of a form on what these systems generate together; `None` if they have no point.
fn bounds_over(systems: &[&Rows], column: usize, form: &Linear) -> Option<Bounds> {
    let value = |row: &Row| {
        let terms = form.terms();
        terms.fold(Integer::ZERO, |sum, (var, c)| &sum + &(c * &row.get(var.0 + 1)))
    };
    let rays = || systems.iter().flat_map(|rows| &rows.rays);
    if !rays().any(|ray| ray.sign(column).is_gt()) {
        return None;
    }
    if systems.iter().flat_map(|rows| &rows.lines).any(|line| !value(line).is_zero()) {
        return Some(Bounds::default());
    }
    let (mut lower, mut upper): (Option<Bound>, Option<Bound>) = (None, None);
    let (mut no_lower, mut no_upper) = (false, false);
    for ray in rays() {
        let value = value(ray);
        if ray.sign(0).is_eq() {
            no_lower |= value.sign().is_lt();
            no_upper |= value.sign().is_gt();
            continue;
        }
        let value = Rational::new(value, ray.get(0));
        let attained = ray.sign(column).is_gt();
        update(&mut lower, &value, attained, Ordering::Less);
        update(&mut upper, &value, attained, Ordering::Greater);
    }
    let shift = |bound: Option<Bound>, none: bool| {
        let constant = Rational::from(form.constant());
        let moved = |b: Bound| Bound { value: &b.value + &constant, attained: b.attained };
        if none { None } else { bound.map(moved) }
    };
    Some(Bounds { lower: shift(lower, no_lower), upper: shift(upper, no_upper) })
}

fn update(bound: &mut Option<Bound>, value: &Rational, attained: bool, better: Ordering) {
    match bound {
        Some(old) if value.cmp(&old.value) == better => {
            *bound = Some(Bound { value: value.clone(), attained });
        }
        Some(old) if *value == old.value => old.attained |= attained,
        Some(_) => {}
        None => *bound = Some(Bound { value: value.clone(), attained }),
    }
}
