//! Polyhedra as an abstract domain: every operation is exact, except widening and narrowing.

use super::Polyhedron;
use crate::domain::Domain;
use crate::linear::{Constraint, Linear, Var};
use crate::polyhedron::Bounds;

impl Domain for Polyhedron {
    fn top(dimension: usize) -> Polyhedron {
        Polyhedron::whole(dimension)
    }

    fn bottom(dimension: usize) -> Polyhedron {
        Polyhedron::empty(dimension)
    }

    fn dimension(&self) -> usize {
        self.dimensions()
    }

    fn is_bottom(&self) -> bool {
        self.is_empty()
    }

    fn is_top(&self) -> bool {
        self.is_whole()
    }

    fn includes(&self, other: &Polyhedron) -> bool {
        self.includes_all_of(other)
    }

    fn equals(&self, other: &Polyhedron) -> bool {
        self.same_as(other)
    }

    fn meet(&mut self, other: &Polyhedron) {
        self.meet_with(other);
    }

    fn meet_constraints(&mut self, constraints: &[Constraint]) {
        self.add_constraints(constraints);
    }

    fn join(&mut self, other: &Polyhedron) {
        self.join_with(other);
    }

    fn assign(&mut self, var: Var, form: &Linear) {
        self.assign_form(var, form);
    }

    fn substitute(&mut self, var: Var, form: &Linear) {
        self.substitute_form(var, form);
    }

    fn forget(&mut self, vars: &[Var]) {
        self.forget_vars(vars);
    }

    fn add_dimensions(&mut self, count: usize) {
        self.append(count);
    }

    fn remove_dimensions(&mut self, vars: &[Var]) {
        self.remove(vars);
    }

    fn rename(&mut self, to: &[Var]) {
        self.permute(to);
    }

    fn bounds(&self, form: &Linear) -> Option<Bounds> {
        self.bounds_of(form)
    }

    fn entails(&self, constraint: &Constraint) -> bool {
        self.satisfies(constraint)
    }

    fn widen(&mut self, newer: &Polyhedron, thresholds: &[Constraint]) {
        self.widen_with(newer, thresholds);
    }

    fn narrow(&mut self, newer: &Polyhedron) {
        self.narrow_with(newer);
    }

    fn constraints(&self) -> Vec<Constraint> {
        self.constraint_list()
    }
}
