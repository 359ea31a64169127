//! Blocks as an abstract domain, without limits.

use super::Blocks;
use crate::domain::Domain;
use crate::limits::{ConversionLimits, Exceeded, Meter};
use crate::linear::{Constraint, Linear, Var};
use crate::polyhedron::Bounds;

/// Runs an operation without limits, which cannot be exceeded.
fn unlimited<R>(run: impl FnOnce(&mut Meter) -> Result<R, Exceeded>) -> R {
    match run(&mut Meter::new(ConversionLimits::NONE)) {
        Ok(result) => result,
        Err(exceeded) => unreachable!("there is no limit, but: {exceeded}"),
    }
}

impl Domain for Blocks {
    fn top(dimension: usize) -> Blocks {
        Blocks::whole(dimension)
    }

    fn bottom(dimension: usize) -> Blocks {
        Blocks { dimension, blocks: None }
    }

    fn dimension(&self) -> usize {
        self.dimension
    }

    fn is_bottom(&self) -> bool {
        self.blocks.as_ref().is_none_or(|blocks| blocks.iter().any(|b| b.value.is_empty()))
    }

    fn is_top(&self) -> bool {
        self.blocks.as_ref().is_some_and(|blocks| blocks.iter().all(|b| b.value.is_whole()))
    }

    fn includes(&self, other: &Blocks) -> bool {
        unlimited(|meter| self.try_includes(other, meter))
    }

    fn meet(&mut self, other: &Blocks) {
        unlimited(|meter| self.try_meet(other, meter));
    }

    fn meet_constraints(&mut self, constraints: &[Constraint]) {
        unlimited(|meter| self.try_constraints(constraints, meter));
    }

    fn join(&mut self, other: &Blocks) {
        unlimited(|meter| self.try_join(other, meter));
    }

    fn assign(&mut self, var: Var, form: &Linear) {
        unlimited(|meter| self.try_assign(var, form, meter));
    }

    fn substitute(&mut self, var: Var, form: &Linear) {
        unlimited(|meter| self.try_substitute(var, form, meter));
    }

    fn forget(&mut self, vars: &[Var]) {
        unlimited(|meter| self.try_forget(vars, meter));
    }

    fn add_dimensions(&mut self, count: usize) {
        self.dimension += count;
    }

    fn remove_dimensions(&mut self, vars: &[Var]) {
        unlimited(|meter| self.try_remove(vars, meter));
    }

    fn rename(&mut self, to: &[Var]) {
        unlimited(|meter| self.try_rename(to, meter));
    }

    fn bounds(&self, form: &Linear) -> Option<Bounds> {
        unlimited(|meter| self.bounds_within(form, meter))
    }

    fn entails(&self, constraint: &Constraint) -> bool {
        unlimited(|meter| self.try_entails(constraint, meter))
    }

    fn widen(&mut self, newer: &Blocks, thresholds: &[Constraint]) {
        unlimited(|meter| self.try_widen(newer, thresholds, meter));
    }

    fn narrow(&mut self, newer: &Blocks) {
        unlimited(|meter| self.try_narrow(newer, meter));
    }

    fn constraints(&self) -> Vec<Constraint> {
        self.constraint_list()
    }
}
