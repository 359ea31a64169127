//! Operations that change a polyhedron: meet, join, assignment, substitution, forgetting, and changes of
//! the space.
//!
//! Assignments that can be undone (`x := 2*x + y`) are linear maps of the cone: both descriptions
//! are mapped row by row, and rows that wait for conversion with them. One that cannot (`x := y`) forgets `x`
//! and then adds the equality: both steps extend what is known instead of converting from nothing.

use super::strict::{points_with_slack, widened};
use super::{Added, Polyhedron};
use crate::conversion::Rows;
use crate::integer::Integer;
use crate::linear::{Constraint, Linear, Relation, Var};
use crate::pair::Pair;
use crate::row::Row;
use std::borrow::Cow;
use std::sync::{Arc, OnceLock};

impl Polyhedron {
    pub(crate) fn add_constraints(&mut self, constraints: &[Constraint]) {
        if constraints.is_empty() || !self.ready_for_constraints() {
            return;
        }
        if constraints.iter().any(|c| c.relation() == Relation::GreaterThanZero) {
            self.lift();
        }
        let mut rows = Rows::default();
        for constraint in constraints {
            match constraint.relation() {
                Relation::EqualToZero => rows.lines.push(self.form_row(constraint.form(), 0)),
                Relation::AtLeastZero => rows.rays.push(self.form_row(constraint.form(), 0)),
                Relation::GreaterThanZero => rows.rays.push(self.form_row(constraint.form(), -1)),
            }
        }
        self.add_constraint_rows(rows);
    }

    /// Constraints that describe the polyhedron, and their width; converted only if need be.
    pub(super) fn some_constraints(&self) -> Option<Cow<'_, Rows>> {
        if let (Added::Constraints(added), None) = (&self.added, self.known.get()) {
            let mut rows = self.base.constraints.clone();
            rows.lines.extend(added.lines.iter().cloned());
            rows.rays.extend(added.rays.iter().cloned());
            return Some(Cow::Owned(rows));
        }
        self.pair().map(|pair| Cow::Borrowed(&pair.constraints))
    }

    fn row_width(rows: &Rows) -> Option<usize> {
        rows.lines.iter().chain(&rows.rays).next().map(Row::width)
    }

    pub(crate) fn meet_with(&mut self, other: &Polyhedron) {
        assert_eq!(self.dimension, other.dimension, "polyhedra of different dimension");
        if self.is_known_whole() {
            *self = other.clone();
            return;
        }
        let Some(rows) = other.some_constraints() else {
            *self = Polyhedron::empty(self.dimension);
            return;
        };
        if !self.ready_for_constraints() {
            return;
        }
        let wide = Polyhedron::row_width(&rows).is_some_and(|width| self.is_wide(width));
        let rows = if wide {
            self.lift();
            rows.into_owned()
        } else if self.is_wide(self.base.width) {
            rows.map(|row| widened(row, 0))
        } else {
            rows.into_owned()
        };
        self.add_constraint_rows(rows);
    }

    /// Whether it is known, without converting anything, that all points are in it.
    fn is_known_whole(&self) -> bool {
        let pair = self.known.get().and_then(Option::as_ref);
        pair.is_some_and(|pair| pair.generators.lines.len() == self.dimension)
    }

    pub(crate) fn join_with(&mut self, other: &Polyhedron) {
        assert_eq!(self.dimension, other.dimension, "polyhedra of different dimension");
        let Some(theirs) = other.pair() else { return };
        if !self.settle() || other.includes_all_of(self) {
            *self = other.clone();
            return;
        }
        if self.includes_all_of(other) {
            return;
        }
        // Start from the larger one: the rows of the smaller are what has to be added.
        let (mut start, more) = if theirs.generators.len() > self.base.generators.len() {
            (Polyhedron::of_pair(self.dimension, theirs.clone()), self.base.clone())
        } else {
            (self.clone(), theirs.clone())
        };
        let rows = if self.is_wide(more.width) {
            start.lift();
            more.generators.clone()
        } else if self.is_wide(start.base.width) {
            points_with_slack(&more.generators)
        } else {
            more.generators.clone()
        };
        start.add_generator_rows(rows);
        *self = start;
    }

    pub(crate) fn forget_vars(&mut self, vars: &[Var]) {
        if vars.is_empty() || !self.ready_for_generators() {
            return;
        }
        let width = self.base.width;
        let lines = vars.iter().map(|var| {
            assert!(var.0 < self.dimension, "a variable outside of the space");
            Row::unit(width, var.0 + 1)
        });
        let lines = lines.collect();
        self.add_generator_rows(Rows { lines, rays: Vec::new() });
    }

    pub(crate) fn assign_form(&mut self, var: Var, form: &Linear) {
        assert!(var.0 < self.dimension, "a variable outside of the space");
        let factor = form.coefficient(var);
        if !factor.is_zero() {
            self.map(var, form, &factor, Direction::Forward);
            return;
        }
        self.forget_vars(&[var]);
        self.add_constraints(&[form.equal_to(var)]);
    }

    pub(crate) fn substitute_form(&mut self, var: Var, form: &Linear) {
        assert!(var.0 < self.dimension, "a variable outside of the space");
        let factor = form.coefficient(var);
        if !factor.is_zero() {
            self.map(var, form, &factor, Direction::Backward);
            return;
        }
        self.add_constraints(&[form.equal_to(var)]);
        self.forget_vars(&[var]);
    }

    /// Maps the cone by `var := form`, or by its inverse.
    fn map(&mut self, var: Var, form: &Linear, factor: &Integer, direction: Direction) {
        if self.known.get().is_some() && !self.settle() {
            return;
        }
        // `form - var` as a row, whose entries `Row` divides by their common divisor.
        let change = form.minus(&Linear::from(var));
        let divisor =
            change.terms().fold(change.constant(), |divisor, (_, c)| divisor.gcd(c)).abs();
        if divisor.is_zero() {
            return;
        }
        let row = self.form_row(&change, 0);
        let column = var.0 + 1;
        let unit = Row::unit(self.base.width, column);
        let (size, sign) = (factor.abs(), if factor.sign().is_lt() { -1 } else { 1 });
        let map = Map { column, row, divisor, unit, size, sign: Integer::from(sign) };
        let (of_constraint, of_generator): (MapRow, MapRow) = match direction {
            Direction::Forward => (Map::undo_in_constraint, Map::apply_to_generator),
            Direction::Backward => (Map::apply_to_constraint, Map::undo_in_generator),
        };
        let pair = Pair {
            width: self.base.width,
            constraints: self.base.constraints.map(|row| of_constraint(&map, row)),
            generators: self.base.generators.map(|row| of_generator(&map, row)),
            missing: self.base.missing.clone(),
        };
        self.base = Arc::new(pair.canonical());
        match &mut self.added {
            Added::Nothing => {}
            Added::Constraints(rows) => *rows = rows.map(|row| of_constraint(&map, row)),
            Added::Generators(rows) => *rows = rows.map(|row| of_generator(&map, row)),
        }
        self.known = match self.added {
            Added::Nothing => OnceLock::from(Some(self.base.clone())),
            _ => OnceLock::new(),
        };
    }

    /// Appends unconstrained dimensions.
    pub(crate) fn append(&mut self, count: usize) {
        let old = self.dimension;
        let columns = (0..=old).map(Some).chain((0..count).map(|_| None)).collect();
        self.rearrange(old + count, columns);
    }

    /// Removes dimensions: the projection onto the others, which move up.
    pub(crate) fn remove(&mut self, vars: &[Var]) {
        self.forget_vars(vars);
        let kept = (1..=self.dimension).filter(|column| !vars.contains(&Var(column - 1)));
        let columns: Vec<Option<usize>> = std::iter::once(0).chain(kept).map(Some).collect();
        self.rearrange(columns.len() - 1, columns);
    }

    /// Moves variables: `to[i]` is the new place of variable `i`.
    pub(crate) fn permute(&mut self, to: &[Var]) {
        let mut columns: Vec<Option<usize>> = vec![None; self.dimension + 1];
        columns[0] = Some(0);
        assert_eq!(to.len(), self.dimension, "a place for each variable");
        for (from, to) in to.iter().enumerate() {
            columns[to.0 + 1] = Some(from + 1);
        }
        assert!(columns.iter().all(Option::is_some), "two variables with the same place");
        self.rearrange(self.dimension, columns);
    }

    fn rearrange(&mut self, dimension: usize, mut columns: Vec<Option<usize>>) {
        if !self.settle() {
            *self = Polyhedron::empty(dimension);
            return;
        }
        if self.is_wide(self.base.width) {
            columns.push(Some(self.base.width - 1));
        }
        *self = Polyhedron::of_pair(dimension, Arc::new(self.base.select(&columns, true)));
    }
}

/// How a map changes a row.
type MapRow = fn(&Map, &Row) -> Row;

#[derive(Clone, Copy)]
enum Direction {
    /// The polyhedron after the assignment.
    Forward,
    /// The polyhedron before it.
    Backward,
}

/// The map `x := f` of rows, where `f` has the coefficient `k` for `x`, `k` not zero.
struct Map {
    /// The column of `x`.
    column: usize,
    /// `(f - x) / divisor`.
    row: Row,
    divisor: Integer,
    /// The row of `x`.
    unit: Row,
    /// `|k|`
    size: Integer,
    /// The sign of `k`.
    sign: Integer,
}

impl Map {
    /// `g + ((f - x)·g) e_x`
    fn apply_to_generator(&self, generator: &Row) -> Row {
        let change = &generator.dot(&self.row) * &self.divisor;
        generator.combine(&Integer::ONE, &self.unit, &change)
    }

    /// `|k| g - sign(k) ((f - x)·g) e_x`
    fn undo_in_generator(&self, generator: &Row) -> Row {
        let change = &generator.dot(&self.row) * &self.divisor;
        generator.combine(&self.size, &self.unit, &-(&change * &self.sign))
    }

    /// `a + a_x (f - x)`
    fn apply_to_constraint(&self, constraint: &Row) -> Row {
        let factor = &constraint.get(self.column) * &self.divisor;
        constraint.combine(&Integer::ONE, &self.row, &factor)
    }

    /// `|k| a - sign(k) a_x (f - x)`
    fn undo_in_constraint(&self, constraint: &Row) -> Row {
        let factor = &constraint.get(self.column) * &self.divisor;
        constraint.combine(&self.size, &self.row, &-(&factor * &self.sign))
    }
}
