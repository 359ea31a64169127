//! Widening and narrowing of polyhedra.
//!
//! The standard widening (Halbwachs 1979, in the form of Bagnara, Hill, Ricci and Zaffanella 2003) of
//! `old` by a larger `new` keeps those constraints of `new` that some constraint of `old` is
//! equivalent to on `old`: both are saturated by the same generators of `old`. The result includes
//! `new`, since it is described by a part of its constraints. Chains of results are finite: while the
//! dimension stays the same, each facet of a result is one of its predecessor.
//!
//! For strict constraints saturation is decided without the slack. A facet that was excluded may become
//! included; that happens at most once a facet, so chains stay finite.
//!
//! Narrowing of `old` by a smaller `new` adds those constraints of `new` on whose form `old` has no
//! bound, if the result has fewer dimensions in which it goes on without end. That number cannot
//! decrease for ever, so chains are finite. The result is between both: it is a meet of `old` with
//! constraints that hold on `new`.

use super::Polyhedron;
use crate::conversion::{Rows, echelon};
use crate::linear::{Constraint, Relation};
use crate::pair::Pair;
use crate::row::Row;
use std::collections::HashSet;

impl Polyhedron {
    /// The standard widening. `newer` is joined to `self` first, so that it need not be larger.
    pub(crate) fn widen_with(&mut self, newer: &Polyhedron, thresholds: &[Constraint]) {
        let mut new = newer.clone();
        new.join_with(self);
        if !self.settle() || !new.settle() || self.includes_all_of(&new) {
            *self = new;
            return;
        }
        let (Some(old), Some(larger)) = (self.pair(), new.pair()) else { return };
        let columns = self.dimension + 1;
        let face = |row: &Row| -> Vec<bool> {
            let touches = |ray: &Row| ray.dot_of_first(row, columns).is_zero();
            old.generators.rays.iter().map(touches).collect()
        };
        // A row that says nothing about the variables is no facet. An equality is a pair of
        // inequalities that all generators saturate.
        let facets = old.constraints.rays.iter().filter(|row| !row.is_zero_in(1..columns));
        let mut faces: HashSet<Vec<bool>> = facets.map(face).collect();
        if !old.constraints.lines.is_empty() {
            faces.insert(vec![true; old.generators.rays.len()]);
        }
        let mut kept = Rows { lines: larger.constraints.lines.clone(), rays: Vec::new() };
        for row in &larger.constraints.rays {
            if faces.contains(&face(row)) {
                kept.rays.push(row.clone());
            }
        }
        let mut result = Polyhedron::whole(self.dimension);
        result.add_constraints(&self.row_constraints(&kept));
        let holds: Vec<Constraint> =
            thresholds.iter().filter(|threshold| new.satisfies(threshold)).cloned().collect();
        result.add_constraints(&holds);
        *self = result;
    }

    /// Whether all points satisfy a constraint.
    pub(crate) fn satisfies(&self, constraint: &Constraint) -> bool {
        let mut half = Polyhedron::whole(self.dimension);
        half.add_constraints(std::slice::from_ref(constraint));
        half.includes_all_of(self)
    }

    /// Narrowing, see the module. `newer` is met with `self` first, so that it need not be smaller.
    pub(crate) fn narrow_with(&mut self, newer: &Polyhedron) {
        let mut new = newer.clone();
        new.meet_with(self);
        if !new.settle() {
            *self = new;
            return;
        }
        if !self.settle() {
            return;
        }
        let mut result = self.clone();
        let unbounded = |constraint: &&Constraint| {
            let both = constraint.relation() == Relation::EqualToZero;
            let bounds = self.bounds_of(constraint.form());
            bounds.is_some_and(|b| b.lower.is_none() || (both && b.upper.is_none()))
        };
        let refined: Vec<Constraint> =
            new.constraint_list().iter().filter(unbounded).cloned().collect();
        result.add_constraints(&refined);
        if result.freedom() < self.freedom() {
            *self = result;
        }
    }

    /// The dimension of the directions without end, plus that of those without end both ways.
    fn freedom(&self) -> usize {
        let Some(pair) = self.pair() else { return 0 };
        let directions = |pair: &Pair| {
            let rays = pair.generators.rays.iter().filter(|ray| ray.sign(0).is_eq());
            rays.chain(&pair.generators.lines).cloned().collect::<Vec<Row>>()
        };
        let mut all = directions(pair);
        echelon(&mut all);
        all.len() + pair.generators.lines.len()
    }
}
