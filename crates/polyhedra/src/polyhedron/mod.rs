//! Convex polyhedra in one block, closed or not.
//!
//! A [`Polyhedron`] is a [`Pair`] of descriptions, plus rows that were added to one of them and have not
//! been converted yet. Adding constraints, or adding generators, costs nothing until a question is
//! asked that needs the other description; then all rows are converted at once.
//!
//! # Strict constraints
//!
//! A closed polyhedron needs no more than its pair. With a strict constraint a column for a slack
//! `ε` with `0 <= ε <= 1` is added at the end, and `a·x + b > 0` is stored as `a·x + b - ε >= 0`
//! (Halbwachs, Proy, Roumanoff 1997; Bagnara, Ricci, Zaffanella, Hill 2002). The polyhedron is the set
//! of `x` for which some `ε > 0` is in the cone. The cone always contains `(x, 0)` with `(x, ε)`, so no
//! constraint but `ε >= 0` has a positive coefficient of `ε`, and dropping the column reads every row
//! rightly: a row with a negative coefficient of `ε` is a strict constraint, a ray with a positive one a
//! point of the polyhedron, one with zero a point of its closure.
//!
//! The column exists only while some point of the closure is really excluded: see `strict.rs`.
//! That is why this form was chosen over the direct one of Becchi and Zaffanella (SAS 2018), which
//! needs no slack, but a second kind of generators through all of the conversion. Variables of C
//! programs are integers, their strict constraints are tightened into non-strict ones
//! ([`Constraint::tightened`]), and closed polyhedra pay nothing here for those that are not.

mod change;
mod debug;
mod domain;
mod query;
mod split;
mod strict;
mod widening;

pub use query::{Bound, Bounds, Generator};

use crate::conversion::Rows;
use crate::integer::Integer;
use crate::limits::{ConversionLimits, Exceeded, Meter};
use crate::linear::{Constraint, Linear, Relation};
use crate::pair::Pair;
use crate::row::Row;
use std::sync::{Arc, OnceLock};

/// A convex polyhedron: the set of the points that satisfy finitely many linear constraints.
///
/// ```
/// use verdiff_polyhedra::{Domain, Linear, Polyhedron, Var};
/// let (x, y) = (Var(0), Var(1));
/// let mut p = Polyhedron::top(2);
/// p.meet_constraints(&[(x + 0).at_least(0), (y + 0).at_least(x), (y + 0).at_most(10)]);
/// p.assign(x, &(x + y));
/// assert_eq!(p.bounds(&(x - y)).unwrap().upper.unwrap().value, 10.into());
/// ```
#[derive(Clone)]
pub struct Polyhedron {
    dimension: usize,
    /// Where the added rows start from. Wider by one than a closed polyhedron if there is a slack.
    base: Arc<Pair>,
    added: Added,
    /// What `base` and `added` amount to, once somebody has asked; `None` for the empty polyhedron.
    known: OnceLock<Option<Arc<Pair>>>,
}

/// Rows that are not converted yet.
#[derive(Clone, Debug)]
enum Added {
    Nothing,
    Constraints(Rows),
    Generators(Rows),
}

impl Polyhedron {
    /// All points.
    pub(crate) fn whole(dimension: usize) -> Polyhedron {
        Polyhedron::of_pair(dimension, Arc::new(Pair::whole(dimension + 1)))
    }

    /// No point.
    pub(crate) fn empty(dimension: usize) -> Polyhedron {
        Polyhedron {
            dimension,
            base: Arc::new(Pair::nothing(dimension + 1)),
            added: Added::Nothing,
            known: OnceLock::from(None),
        }
    }

    fn of_pair(dimension: usize, pair: Arc<Pair>) -> Polyhedron {
        debug_assert!(pair.width == dimension + 1 || pair.width == dimension + 2);
        Polyhedron {
            dimension,
            base: pair.clone(),
            added: Added::Nothing,
            known: OnceLock::from(Some(pair)),
        }
    }

    /// The number of variables.
    pub(crate) fn dimensions(&self) -> usize {
        self.dimension
    }

    /// Whether rows of this width have the slack column.
    fn is_wide(&self, width: usize) -> bool {
        width == self.dimension + 2
    }

    /// The column in which a generator of width `width` must be positive to be a point.
    fn point_column(&self, width: usize) -> usize {
        if self.is_wide(width) { width - 1 } else { 0 }
    }

    /// Both descriptions, or `None` for the empty polyhedron.
    fn pair(&self) -> Option<&Arc<Pair>> {
        if self.known.get().is_none() {
            // Without limits nothing is exceeded.
            let _ = self.convert(ConversionLimits::NONE);
        }
        self.known.get().and_then(Option::as_ref)
    }

    /// Converts what was added, within limits. Afterwards questions cost little.
    pub fn convert(&self, limits: ConversionLimits) -> Result<(), Exceeded> {
        self.convert_within(&mut Meter::new(limits))
    }

    pub(crate) fn convert_within(&self, meter: &mut Meter) -> Result<(), Exceeded> {
        if self.known.get().is_some() {
            return Ok(());
        }
        let pair = match &self.added {
            Added::Nothing => Some((*self.base).clone()),
            Added::Constraints(rows) => {
                let column = self.point_column(self.base.width);
                self.base.with_constraints(rows, Some(column), meter)?
            }
            Added::Generators(rows) => Some(self.base.with_generators(rows, meter)?),
        };
        let pair = match pair {
            Some(pair) if !pair.reaches(self.point_column(pair.width)) => None,
            Some(pair) if self.is_wide(pair.width) => self.without_slack(pair, meter)?,
            other => other,
        };
        let _ = self.known.set(pair.map(Arc::new));
        Ok(())
    }

    /// Whether a question would have to convert rows first.
    pub fn is_converted(&self) -> bool {
        self.known.get().is_some()
    }

    /// Makes what is known the new start, converting if need be. Says whether there is any point.
    fn settle(&mut self) -> bool {
        let Some(pair) = self.pair().cloned() else {
            *self = Polyhedron::empty(self.dimension);
            return false;
        };
        if !matches!(self.added, Added::Nothing) {
            *self = Polyhedron::of_pair(self.dimension, pair);
        }
        true
    }

    /// Makes sure that constraints can be added to `base`. Says whether there may be any point.
    fn ready_for_constraints(&mut self) -> bool {
        let must_convert = matches!(self.added, Added::Generators(_));
        !(must_convert || self.known.get().is_some()) || self.settle()
    }

    /// Makes sure that generators can be added to `base`. Says whether there is any point.
    fn ready_for_generators(&mut self) -> bool {
        matches!(self.added, Added::Generators(_)) && self.known.get().is_none() || self.settle()
    }

    /// Adds constraints, of the width of `base`, which must be ready for them.
    fn add_constraint_rows(&mut self, rows: Rows) {
        debug_assert!(rows.lines.iter().chain(&rows.rays).all(|r| r.width() == self.base.width));
        match &mut self.added {
            Added::Constraints(added) => {
                added.lines.extend(rows.lines);
                added.rays.extend(rows.rays);
            }
            _ => self.added = Added::Constraints(rows),
        }
        self.known = OnceLock::new();
    }

    /// Adds generators, of the width of `base`, which must be ready for them.
    fn add_generator_rows(&mut self, rows: Rows) {
        debug_assert!(rows.lines.iter().chain(&rows.rays).all(|r| r.width() == self.base.width));
        match &mut self.added {
            Added::Generators(added) => {
                added.lines.extend(rows.lines);
                added.rays.extend(rows.rays);
            }
            _ => self.added = Added::Generators(rows),
        }
        self.known = OnceLock::new();
    }

    /// The row of a linear form, of the width of `base`.
    fn form_row(&self, form: &Linear, slack: i64) -> Row {
        assert!(
            form.dimensions() <= self.dimension,
            "a variable is outside of the {} dimensions",
            self.dimension
        );
        let mut entries = vec![Integer::ZERO; self.base.width];
        entries[0] = form.constant();
        for (var, coefficient) in form.terms() {
            entries[var.0 + 1] = coefficient.clone();
        }
        if slack != 0 {
            entries[self.base.width - 1] = Integer::from(slack);
        }
        Row::new(&entries)
    }

    /// The form of a row, which may have a slack.
    fn row_form(&self, row: &Row) -> Linear {
        let terms = (0..self.dimension).map(|at| (crate::linear::Var(at), row.get(at + 1)));
        Linear::new(terms, row.get(0))
    }

    /// Constraint rows as constraints; those that say nothing about the variables are left out.
    fn row_constraints(&self, rows: &Rows) -> Vec<Constraint> {
        let speaks = |row: &&Row| !row.is_zero_in(1..self.dimension + 1);
        let strict = |row: &Row| self.is_wide(row.width()) && row.sign(self.dimension + 1).is_lt();
        let equalities = rows.lines.iter().filter(speaks);
        let equalities =
            equalities.map(|row| Constraint::new(self.row_form(row), Relation::EqualToZero));
        let inequalities = rows.rays.iter().filter(speaks).map(|row| {
            let relation =
                if strict(row) { Relation::GreaterThanZero } else { Relation::AtLeastZero };
            Constraint::new(self.row_form(row), relation)
        });
        equalities.chain(inequalities).collect()
    }
}
