//! Boxes: an interval for each variable.
//!
//! The cheapest domain, linear in the number of variables: what is left when nothing else fits a budget.
//! Constraints over several variables only narrow the intervals of each (a fixed number of
//! times, so that no loop depends on the values); all operations are sound, few are exact.

use crate::domain::Domain;
use crate::integer::{Integer, Rational};
use crate::linear::{Constraint, Linear, Relation, Var};
use crate::polyhedron::{Bound, Bounds};

/// How often a list of constraints is propagated.
const ROUNDS: usize = 3;

/// An interval for each variable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Boxes {
    dimension: usize,
    /// `None` if there is no point.
    intervals: Option<Vec<Bounds>>,
}

impl Boxes {
    fn refine(&mut self, constraint: &Constraint) {
        let both = constraint.relation() == Relation::EqualToZero;
        let strict = constraint.relation() == Relation::GreaterThanZero;
        let form = constraint.form();
        if form.is_constant() {
            if !constraint.holds_at(&[]) {
                self.intervals = None;
            }
            return;
        }
        for (var, coefficient) in form.terms() {
            // coefficient * var >= -rest, so its least value is that of -(greatest rest).
            let rest = form.minus(&Linear::from(var).scaled(coefficient));
            let Some(bounds) = self.bounds(&rest) else { return };
            self.cut(var, coefficient, bounds.upper, strict);
            if both {
                // The opposite constraint holds as well.
                self.cut(var, &-coefficient, bounds.lower.map(negated), false);
            }
        }
    }

    /// Adds `coefficient * var + rest >= 0` (or `> 0`), given the upper bound of the rest.
    fn cut(&mut self, var: Var, coefficient: &Integer, rest: Option<Bound>, strict: bool) {
        let (Some(intervals), Some(rest)) = (&mut self.intervals, rest) else { return };
        let attained = rest.attained && !strict;
        let value = divided(&-&rest.value, coefficient);
        let own = &mut intervals[var.0];
        let bound = Some(Bound { value, attained });
        if coefficient.sign().is_gt() {
            own.lower = tighter(own.lower.take(), bound, true);
        } else {
            own.upper = tighter(own.upper.take(), bound, false);
        }
        if is_empty(own) {
            self.intervals = None;
        }
    }

    fn combine(&mut self, other: &Boxes, change: impl Fn(&mut Bounds, &Bounds)) {
        assert_eq!(self.dimension, other.dimension, "values of different dimension");
        if let (Some(own), Some(theirs)) = (&mut self.intervals, &other.intervals) {
            own.iter_mut().zip(theirs).for_each(|(own, their)| change(own, their));
        }
    }
}

fn negated(bound: Bound) -> Bound {
    Bound { value: -&bound.value, attained: bound.attained }
}

fn divided(value: &Rational, by: &Integer) -> Rational {
    Rational::new(value.numerator().clone(), value.denominator() * by)
}

fn is_empty(interval: &Bounds) -> bool {
    match (&interval.lower, &interval.upper) {
        (Some(lower), Some(upper)) => {
            lower.value > upper.value
                || (lower.value == upper.value && !(lower.attained && upper.attained))
        }
        _ => false,
    }
}

/// The tighter of two bounds.
fn tighter(a: Option<Bound>, b: Option<Bound>, lower: bool) -> Option<Bound> {
    let (Some(a), Some(b)) = (&a, &b) else { return a.or(b) };
    let attained = a.attained && b.attained;
    match if lower { a.value.cmp(&b.value) } else { b.value.cmp(&a.value) } {
        std::cmp::Ordering::Less => Some(b.clone()),
        std::cmp::Ordering::Greater => Some(a.clone()),
        std::cmp::Ordering::Equal => Some(Bound { value: a.value.clone(), attained }),
    }
}

/// The looser of two bounds.
fn looser(a: &Option<Bound>, b: &Option<Bound>, lower: bool) -> Option<Bound> {
    let (a, b) = (a.as_ref()?, b.as_ref()?);
    let attained = a.attained || b.attained;
    match if lower { a.value.cmp(&b.value) } else { b.value.cmp(&a.value) } {
        std::cmp::Ordering::Less => Some(a.clone()),
        std::cmp::Ordering::Greater => Some(b.clone()),
        std::cmp::Ordering::Equal => Some(Bound { value: a.value.clone(), attained }),
    }
}

/// The constraint `var >= bound` or `var <= bound`, with `>` and `<` where it is not attained.
pub(crate) fn bound_constraint(form: &Linear, bound: &Bound, lower: bool) -> Constraint {
    let scaled = form.scaled(bound.value.denominator());
    let right = Linear::from(bound.value.numerator().clone());
    match (lower, bound.attained) {
        (true, true) => scaled.at_least(right),
        (true, false) => scaled.greater_than(right),
        (false, true) => scaled.at_most(right),
        (false, false) => scaled.less_than(right),
    }
}

/// The constraints of an interval of a form.
pub(crate) fn bounds_constraints(form: &Linear, bounds: &Bounds) -> Vec<Constraint> {
    if let (Some(value), Some(true)) = (bounds.exact(), bounds.lower.as_ref().map(|b| b.attained)) {
        let scaled = form.scaled(value.denominator());
        return vec![scaled.equal_to(value.numerator().clone())];
    }
    let lower = bounds.lower.iter().map(|bound| bound_constraint(form, bound, true));
    lower.chain(bounds.upper.iter().map(|bound| bound_constraint(form, bound, false))).collect()
}

impl Domain for Boxes {
    fn top(dimension: usize) -> Boxes {
        Boxes { dimension, intervals: Some(vec![Bounds::default(); dimension]) }
    }

    fn bottom(dimension: usize) -> Boxes {
        Boxes { dimension, intervals: None }
    }

    fn dimension(&self) -> usize {
        self.dimension
    }

    fn is_bottom(&self) -> bool {
        self.intervals.is_none()
    }

    fn is_top(&self) -> bool {
        let top = Bounds::default();
        self.intervals.as_ref().is_some_and(|intervals| intervals.iter().all(|i| *i == top))
    }

    fn includes(&self, other: &Boxes) -> bool {
        let mut both = self.clone();
        both.join(other);
        both == *self
    }

    fn meet(&mut self, other: &Boxes) {
        if other.intervals.is_none() {
            self.intervals = None;
        }
        self.combine(other, |own, their| {
            own.lower = tighter(own.lower.take(), their.lower.clone(), true);
            own.upper = tighter(own.upper.take(), their.upper.clone(), false);
        });
        if self.intervals.iter().flatten().any(is_empty) {
            self.intervals = None;
        }
    }

    fn meet_constraints(&mut self, constraints: &[Constraint]) {
        for _ in 0..ROUNDS {
            let before = self.clone();
            constraints.iter().for_each(|constraint| self.refine(constraint));
            if *self == before {
                break;
            }
        }
    }

    fn join(&mut self, other: &Boxes) {
        assert_eq!(self.dimension, other.dimension, "values of different dimension");
        if self.intervals.is_none() {
            *self = other.clone();
            return;
        }
        self.combine(other, |own, their| {
            own.lower = looser(&own.lower, &their.lower, true);
            own.upper = looser(&own.upper, &their.upper, false);
        });
    }

    fn assign(&mut self, var: Var, form: &Linear) {
        let bounds = self.bounds(form);
        if let (Some(intervals), Some(bounds)) = (&mut self.intervals, bounds) {
            intervals[var.0] = bounds;
        }
    }

    fn substitute(&mut self, var: Var, form: &Linear) {
        let Some(intervals) = &mut self.intervals else { return };
        let bounds = std::mem::take(&mut intervals[var.0]);
        self.meet_constraints(&bounds_constraints(form, &bounds));
    }

    fn forget(&mut self, vars: &[Var]) {
        if let Some(intervals) = &mut self.intervals {
            vars.iter().for_each(|var| intervals[var.0] = Bounds::default());
        }
    }

    fn add_dimensions(&mut self, count: usize) {
        self.dimension += count;
        if let Some(intervals) = &mut self.intervals {
            intervals.resize(self.dimension, Bounds::default());
        }
    }

    fn remove_dimensions(&mut self, vars: &[Var]) {
        let kept: Vec<usize> = (0..self.dimension).filter(|at| !vars.contains(&Var(*at))).collect();
        self.dimension = kept.len();
        if let Some(intervals) = &mut self.intervals {
            *intervals = kept.iter().map(|at| intervals[*at].clone()).collect();
        }
    }

    fn rename(&mut self, to: &[Var]) {
        assert_eq!(to.len(), self.dimension, "a place for each variable");
        if let Some(intervals) = &mut self.intervals {
            let mut renamed = intervals.clone();
            to.iter().zip(intervals).for_each(|(to, interval)| renamed[to.0] = interval.clone());
            self.intervals = Some(renamed);
        }
    }

    fn bounds(&self, form: &Linear) -> Option<Bounds> {
        assert!(form.dimensions() <= self.dimension, "a variable outside of the space");
        let intervals = self.intervals.as_ref()?;
        let constant = Bound { value: form.constant().into(), attained: true };
        let mut sum = Bounds { lower: Some(constant.clone()), upper: Some(constant) };
        let add = |sum: &mut Option<Bound>, more: &Option<Bound>, factor: &Integer| {
            *sum = match (sum.take(), more) {
                (Some(sum), Some(more)) => Some(Bound {
                    value: &sum.value + &(&more.value * factor),
                    attained: sum.attained && more.attained,
                }),
                _ => None,
            };
        };
        for (var, factor) in form.terms() {
            let Bounds { lower, upper } = &intervals[var.0];
            let positive = factor.sign().is_gt();
            add(&mut sum.lower, if positive { lower } else { upper }, factor);
            add(&mut sum.upper, if positive { upper } else { lower }, factor);
        }
        Some(sum)
    }

    fn entails(&self, constraint: &Constraint) -> bool {
        self.bounds(constraint.form()).is_none_or(|bounds| bounds.entail(constraint.relation()))
    }

    fn widen(&mut self, newer: &Boxes, thresholds: &[Constraint]) {
        let mut new = newer.clone();
        new.join(self);
        if self.intervals.is_none() {
            *self = new;
            return;
        }
        self.combine(&new, |own, new| {
            if looser(&own.lower, &new.lower, true) != own.lower {
                own.lower = None;
            }
            if looser(&own.upper, &new.upper, false) != own.upper {
                own.upper = None;
            }
        });
        // Others would add bounds that depend on the state, and need not become stable.
        let stable = |c: &&Constraint| c.form().vars().count() == 1 && new.entails(c);
        let holds: Vec<Constraint> = thresholds.iter().filter(stable).cloned().collect();
        self.meet_constraints(&holds);
    }

    fn narrow(&mut self, newer: &Boxes) {
        let mut new = newer.clone();
        new.meet(self);
        if new.intervals.is_none() {
            *self = new;
            return;
        }
        self.combine(&new, |own, new| {
            own.lower = own.lower.take().or_else(|| new.lower.clone());
            own.upper = own.upper.take().or_else(|| new.upper.clone());
        });
    }

    fn constraints(&self) -> Vec<Constraint> {
        let Some(intervals) = &self.intervals else { return vec![Linear::from(-1).at_least(0)] };
        let of_var = |(at, bounds): (usize, &Bounds)| bounds_constraints(&Var(at).into(), bounds);
        intervals.iter().enumerate().flat_map(of_var).collect()
    }
}
