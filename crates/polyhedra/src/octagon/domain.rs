//! Octagons as an abstract domain.

use super::matrix::{Matrix, NONE, entry};
use super::{Octagon, is_octagonal};
use crate::domain::Domain;
use crate::linear::{Constraint, Linear, Var};
use crate::polyhedron::Bounds;

impl Domain for Octagon {
    fn top(dimension: usize) -> Octagon {
        Octagon::of(dimension, Some(Matrix::top(dimension)))
    }

    fn bottom(dimension: usize) -> Octagon {
        Octagon::of(dimension, None)
    }

    fn dimension(&self) -> usize {
        self.dimension
    }

    fn is_bottom(&self) -> bool {
        self.closed().is_none()
    }

    fn is_top(&self) -> bool {
        self.closed().is_some_and(|matrix| *matrix == Matrix::top(self.dimension))
    }

    fn includes(&self, other: &Octagon) -> bool {
        assert_eq!(self.dimension, other.dimension, "values of different dimension");
        match (self.closed(), other.closed()) {
            (_, None) => true,
            (None, Some(_)) => false,
            (Some(own), Some(theirs)) => theirs.all(own, |their, own| their <= own),
        }
    }

    fn meet(&mut self, other: &Octagon) {
        assert_eq!(self.dimension, other.dimension, "values of different dimension");
        let both = self.bounds.as_ref().zip(other.bounds.as_ref());
        *self = Octagon::of(self.dimension, both.map(|(a, b)| a.merge(b, i64::min)));
    }

    fn meet_constraints(&mut self, constraints: &[Constraint]) {
        // Sums and differences first: they need no closure, and help to bound the others.
        let (few, more): (Vec<&Constraint>, Vec<&Constraint>) =
            constraints.iter().partition(|constraint| constraint.form().vars().count() <= 1);
        few.into_iter().chain(more).for_each(|constraint| self.refine(constraint));
    }

    fn join(&mut self, other: &Octagon) {
        assert_eq!(self.dimension, other.dimension, "values of different dimension");
        let joined = match (self.closed(), other.closed()) {
            (own, None) => own.cloned(),
            (None, theirs) => theirs.cloned(),
            (Some(own), Some(theirs)) => Some(own.merge(theirs, i64::max)),
        };
        *self = Octagon::of(self.dimension, joined);
    }

    fn assign(&mut self, var: Var, form: &Linear) {
        let Some(matrix) = self.closed() else { return };
        // Bounds on the new value alone and with each other variable, all from the old state.
        let mut cuts: Vec<(usize, usize, i64)> = Vec::new();
        for (sign, own) in [(1, 2 * var.0), (-1, 2 * var.0 + 1)] {
            let signed = form.scaled(&sign.into());
            if let Some(bound) = self.upper(matrix, &signed) {
                cuts.push((own ^ 1, own, entry(&(&bound * &2.into()))));
            }
            for other in (0..self.dimension).filter(|at| *at != var.0) {
                for (with, form) in [(1, 2 * other), (-1, 2 * other + 1)] {
                    let sum = signed.plus(&Linear::from(Var(other)).scaled(&with.into()));
                    if let Some(bound) = self.upper(matrix, &sum) {
                        cuts.push((form ^ 1, own, entry(&bound)));
                    }
                }
            }
        }
        self.forget(&[var]);
        if let Some(matrix) = &mut self.bounds {
            cuts.into_iter().for_each(|(row, column, bound)| matrix.tighten(row, column, bound));
        }
    }

    fn substitute(&mut self, var: Var, form: &Linear) {
        // The points before: what holds of `var`, and of it and another variable, holds of the form.
        let Some(matrix) = self.closed() else { return };
        let mut holds = Vec::new();
        for (sign, own) in [(1, 2 * var.0), (-1, 2 * var.0 + 1)] {
            let signed = form.scaled(&sign.into());
            let mut note = |form: Linear, bound: i64| {
                if let Some(value) = super::value(bound) {
                    let scaled = form.scaled(value.denominator());
                    holds.push(scaled.at_most(value.numerator().clone()));
                }
            };
            note(signed.scaled(&2.into()), matrix.get(own ^ 1, own));
            for other in (0..self.dimension).filter(|at| *at != var.0) {
                for (with, place) in [(1, 2 * other), (-1, 2 * other + 1)] {
                    let sum = signed.plus(&Linear::from(Var(other)).scaled(&with.into()));
                    note(sum, matrix.get(place ^ 1, own));
                }
            }
        }
        self.forget(&[var]);
        self.meet_constraints(&holds);
    }

    fn forget(&mut self, vars: &[Var]) {
        let kept: Vec<Option<usize>> =
            (0..self.dimension).map(|at| (!vars.contains(&Var(at))).then_some(at)).collect();
        let forgotten = self.closed().map(|matrix| matrix.select(&kept));
        *self = Octagon::of(self.dimension, forgotten);
    }

    fn add_dimensions(&mut self, count: usize) {
        let from: Vec<Option<usize>> =
            (0..self.dimension).map(Some).chain((0..count).map(|_| None)).collect();
        let larger = self.bounds.as_ref().map(|matrix| matrix.select(&from));
        *self = Octagon::of(self.dimension + count, larger);
    }

    fn remove_dimensions(&mut self, vars: &[Var]) {
        let kept: Vec<Option<usize>> =
            (0..self.dimension).filter(|at| !vars.contains(&Var(*at))).map(Some).collect();
        let smaller = self.closed().map(|matrix| matrix.select(&kept));
        *self = Octagon::of(kept.len(), smaller);
    }

    fn rename(&mut self, to: &[Var]) {
        assert_eq!(to.len(), self.dimension, "a place for each variable");
        let mut from = vec![None; self.dimension];
        to.iter().enumerate().for_each(|(at, to)| from[to.0] = Some(at));
        let renamed = self.bounds.as_ref().map(|matrix| matrix.select(&from));
        *self = Octagon::of(self.dimension, renamed);
    }

    fn bounds(&self, form: &Linear) -> Option<Bounds> {
        self.bounds_of(form)
    }

    fn entails(&self, constraint: &Constraint) -> bool {
        self.bounds_of(constraint.form()).is_none_or(|bounds| bounds.entail(constraint.relation()))
    }

    fn widen(&mut self, newer: &Octagon, thresholds: &[Constraint]) {
        assert_eq!(self.dimension, newer.dimension, "values of different dimension");
        let Some(new) = newer.closed() else { return };
        if self.is_bottom() {
            *self = newer.clone();
            return;
        }
        // Others would add bounds that depend on the state, and need not become stable.
        let both = |constraint: &&Constraint| {
            is_octagonal(constraint.form()) && self.entails(constraint) && newer.entails(constraint)
        };
        let holds: Vec<Constraint> = thresholds.iter().filter(both).cloned().collect();
        let stable = |old: i64, new: i64| if new <= old { old } else { NONE };
        let widened = self.bounds.as_ref().map(|old| old.merge(new, stable));
        *self = Octagon::of(self.dimension, widened);
        self.meet_constraints(&holds);
    }

    fn narrow(&mut self, newer: &Octagon) {
        let mut new = newer.clone();
        new.meet(self);
        let Some(smaller) = new.closed() else {
            *self = new;
            return;
        };
        let refine = |old: i64, new: i64| if old == NONE { new } else { old };
        let narrowed = self.bounds.as_ref().map(|old| old.merge(smaller, refine));
        *self = Octagon::of(self.dimension, narrowed);
    }

    fn constraints(&self) -> Vec<Constraint> {
        self.constraint_list()
    }
}
