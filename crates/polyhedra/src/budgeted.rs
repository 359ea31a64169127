//! Polyhedra within a budget: what does not fit falls back to octagons, and from there to boxes.
//!
//! An operation that exceeds its limits is performed again, on the operands as they were, in the next
//! coarser domain. What is known of the operands is carried over as their best octagon or box,
//! so the result is sound. The value remembers that: [`Budgeted::fallback`] says which
//! operation exceeded which limit, and every value that was computed from this one says so as well.

use crate::blocks::Blocks;
use crate::boxes::Boxes;
use crate::domain::Domain;
use crate::limits::{ConversionLimits, Exceeded, Meter};
use crate::linear::{Constraint, Linear, Var};
use crate::octagon::Octagon;
use crate::polyhedron::Bounds;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// What the operations of a run may cost. Clones share what is left.
#[derive(Clone, Debug)]
pub struct Budget {
    limits: ConversionLimits,
    variables: usize,
    /// Steps left for polyhedra, and for octagons.
    left: Arc<[AtomicU64; 2]>,
}

impl Budget {
    /// Limits for each operation, and a number of steps for all operations on polyhedra together;
    /// octagons may take as many again.
    pub fn new(limits: ConversionLimits, steps: u64) -> Budget {
        let left = Arc::new([AtomicU64::new(steps), AtomicU64::new(steps)]);
        Budget { limits, variables: 200, left }
    }

    /// The budget with another largest number of variables of an octagon (200 otherwise).
    pub fn with_octagon_variables(mut self, variables: usize) -> Budget {
        self.variables = variables;
        self
    }

    fn meter(&self) -> Meter {
        let left = self.left[0].load(Ordering::Relaxed);
        Meter::new(ConversionLimits { steps: self.limits.steps.min(left), ..self.limits })
    }

    fn spend(&self, at: usize, steps: u64) -> bool {
        let take = |left: u64| Some(left.saturating_sub(steps));
        let before = self.left[at].fetch_update(Ordering::Relaxed, Ordering::Relaxed, take);
        before.is_ok_and(|left| left > steps)
    }
}

impl Default for Budget {
    /// The default limits for each operation, and no limit on their sum.
    fn default() -> Budget {
        Budget::new(ConversionLimits::default(), u64::MAX)
    }
}

/// A domain of the ladder, from precise to coarse.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Precision {
    /// Convex polyhedra in blocks.
    Polyhedra,
    /// Octagons.
    Octagons,
    /// Boxes.
    Boxes,
}

/// The operation that did not fit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)] // Each variant is the operation of `Domain` it is named after.
pub enum Operation {
    Meet,
    Constrain,
    Join,
    Assign,
    Substitute,
    Forget,
    RemoveDimensions,
    Rename,
    Widen,
    Narrow,
}

/// Why a value is coarser than it could be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Fallback {
    /// The operation that exceeded a limit.
    pub operation: Operation,
    /// The limit.
    pub exceeded: Exceeded,
    /// The domain in use before.
    pub from: Precision,
    /// The domain in use from then on.
    pub to: Precision,
}

/// A set of points in the most precise domain that fits a budget.
///
/// ```
/// use verdiff_polyhedra::{Budget, Budgeted, Domain, Exceeded, ConversionLimits, Precision, Var};
/// let limits = ConversionLimits { rows: 50, ..ConversionLimits::default() };
/// let mut cube = Budgeted::within(8, Budget::new(limits, u64::MAX));
/// for at in 0..8 {
///     cube.meet_constraints(&[(Var(at) + 0).at_least(0), (Var(at) + 0).at_most(1)]);
/// }
/// assert_eq!(cube.precision(), Precision::Polyhedra);
/// // Blocks of one variable are cheap; a relation of all of them needs up to 2^8 points.
/// let sum = (1..8).fold(Var(0) + 0, |sum, at| sum + Var(at));
/// cube.meet_constraints(&[sum.at_most(4)]);
/// assert!(!cube.is_bottom());
/// let fallback = cube.fallback().unwrap();
/// assert_eq!((fallback.to, fallback.exceeded), (Precision::Octagons, Exceeded::Rows));
/// assert!(cube.entails(&(Var(0) + Var(1)).at_most(2)));
/// ```
#[derive(Clone, Debug)]
pub struct Budgeted {
    level: Level,
    budget: Budget,
    fallback: Option<Fallback>,
}

#[derive(Clone, Debug)]
enum Level {
    Polyhedra(Blocks),
    Octagons(Octagon),
    Boxes(Boxes),
}

/// Calls a method of whatever domain is in use.
macro_rules! with {
    ($level:expr, $value:ident => $call:expr) => {
        match $level {
            Level::Polyhedra($value) => $call,
            Level::Octagons($value) => $call,
            Level::Boxes($value) => $call,
        }
    };
}

impl Budgeted {
    /// All points of a space, within a budget that is shared with every value computed from this one.
    pub fn within(dimension: usize, budget: Budget) -> Budgeted {
        Budgeted { level: Level::Polyhedra(Blocks::top(dimension)), budget, fallback: None }
    }

    /// The domain in use.
    pub fn precision(&self) -> Precision {
        match self.level {
            Level::Polyhedra(_) => Precision::Polyhedra,
            Level::Octagons(_) => Precision::Octagons,
            Level::Boxes(_) => Precision::Boxes,
        }
    }

    /// Why this value, or one it was computed from, is coarser than a polyhedron; the first reason of several.
    pub fn fallback(&self) -> Option<&Fallback> {
        self.fallback.as_ref()
    }

    /// The same points, or more, in a domain that is at most as precise.
    fn coarsened(&self, to: Precision) -> Level {
        let dimension = self.dimension();
        match to {
            _ if self.precision() >= to => self.level.clone(),
            Precision::Polyhedra => self.level.clone(),
            Precision::Octagons => {
                let mut octagon = Octagon::top(dimension);
                octagon.meet_constraints(&self.outline(true));
                Level::Octagons(octagon)
            }
            Precision::Boxes => {
                let mut boxes = Boxes::top(dimension);
                boxes.meet_constraints(&self.outline(false));
                Level::Boxes(boxes)
            }
        }
    }

    /// Constraints that are known without much work.
    fn outline(&self, pairs: bool) -> Vec<Constraint> {
        match &self.level {
            Level::Polyhedra(blocks) => blocks.outline(pairs),
            Level::Octagons(octagon) => octagon.constraints(),
            Level::Boxes(boxes) => boxes.constraints(),
        }
    }

    fn fall(&mut self, operation: Operation, exceeded: Exceeded) {
        let from = self.precision();
        let fits = self.dimension() <= self.budget.variables;
        let to = match from {
            Precision::Polyhedra if fits => Precision::Octagons,
            _ => Precision::Boxes,
        };
        self.level = self.coarsened(to);
        self.fallback.get_or_insert(Fallback { operation, exceeded, from, to });
    }

    /// Performs an operation on blocks within the limits; says whether the value is one of polyhedra still.
    fn attempt(
        &mut self,
        operation: Operation,
        run: impl FnOnce(&mut Blocks, &mut Meter) -> Result<(), Exceeded>,
    ) -> bool {
        if let Level::Polyhedra(blocks) = &self.level {
            let mut meter = self.budget.meter();
            let mut result = blocks.clone();
            let outcome =
                run(&mut result, &mut meter).and_then(|()| result.convert_within(&mut meter));
            self.budget.spend(0, meter.steps());
            match outcome {
                Ok(()) => {
                    self.level = Level::Polyhedra(result);
                    return true;
                }
                Err(exceeded) => self.fall(operation, exceeded),
            }
        }
        if let Level::Octagons(_) = self.level {
            // The closure is cubic; a step is about a row of 64 entries.
            let size = 2 * self.dimension() as u64;
            if !self.budget.spend(1, size * size * size / 64) {
                self.fall(operation, Exceeded::Steps);
            }
        }
        false
    }

    /// An operation on two values: in blocks if both are and it fits, else in the coarser of both domains.
    fn with_other(
        &mut self,
        other: &Budgeted,
        operation: Operation,
        on_blocks: impl FnOnce(&mut Blocks, &Blocks, &mut Meter) -> Result<(), Exceeded>,
        on_octagons: impl FnOnce(&mut Octagon, &Octagon),
        on_boxes: impl FnOnce(&mut Boxes, &Boxes),
    ) {
        self.fallback = self.fallback.or(other.fallback);
        if let Level::Polyhedra(theirs) = &other.level
            && self.attempt(operation, |own, meter| on_blocks(own, theirs, meter))
        {
            return;
        }
        let common = self.precision().max(other.precision()).max(Precision::Octagons);
        let theirs = other.coarsened(common);
        self.level = self.coarsened(common);
        match (&mut self.level, &theirs) {
            (Level::Octagons(own), Level::Octagons(theirs)) => on_octagons(own, theirs),
            (Level::Boxes(own), Level::Boxes(theirs)) => on_boxes(own, theirs),
            _ => unreachable!("both were brought to one domain"),
        }
    }
}

impl Domain for Budgeted {
    fn top(dimension: usize) -> Budgeted {
        Budgeted::within(dimension, Budget::default())
    }

    fn bottom(dimension: usize) -> Budgeted {
        let level = Level::Polyhedra(Blocks::bottom(dimension));
        Budgeted { level, budget: Budget::default(), fallback: None }
    }

    fn dimension(&self) -> usize {
        with!(&self.level, value => value.dimension())
    }

    fn is_bottom(&self) -> bool {
        with!(&self.level, value => value.is_bottom())
    }

    fn is_top(&self) -> bool {
        with!(&self.level, value => value.is_top())
    }

    fn includes(&self, other: &Budgeted) -> bool {
        let common = self.precision().max(other.precision());
        // A coarser `other` is larger: if `self` includes that, it includes `other`. A coarser `self`
        // would not do.
        match (&self.level, other.coarsened(common)) {
            (Level::Polyhedra(own), Level::Polyhedra(theirs)) => own.includes(&theirs),
            (Level::Octagons(own), Level::Octagons(theirs)) => own.includes(&theirs),
            (Level::Boxes(own), Level::Boxes(theirs)) => own.includes(&theirs),
            (own, theirs) => {
                let list = with!(own, value => value.constraints());
                with!(&theirs, value => list.iter().all(|constraint| value.entails(constraint)))
            }
        }
    }

    fn meet(&mut self, other: &Budgeted) {
        let joined =
            |own: &mut Blocks, theirs: &Blocks, meter: &mut Meter| own.try_meet(theirs, meter);
        self.with_other(other, Operation::Meet, joined, Domain::meet, Domain::meet);
    }

    fn meet_constraints(&mut self, constraints: &[Constraint]) {
        let done = self.attempt(Operation::Constrain, |blocks, meter| {
            blocks.try_constraints(constraints, meter)
        });
        if !done {
            with!(&mut self.level, value => value.meet_constraints(constraints));
        }
    }

    fn join(&mut self, other: &Budgeted) {
        let joined =
            |own: &mut Blocks, theirs: &Blocks, meter: &mut Meter| own.try_join(theirs, meter);
        self.with_other(other, Operation::Join, joined, Domain::join, Domain::join);
    }

    fn assign(&mut self, var: Var, form: &Linear) {
        let done =
            self.attempt(Operation::Assign, |blocks, meter| blocks.try_assign(var, form, meter));
        if !done {
            with!(&mut self.level, value => value.assign(var, form));
        }
    }

    fn substitute(&mut self, var: Var, form: &Linear) {
        let done = self.attempt(Operation::Substitute, |blocks, meter| {
            blocks.try_substitute(var, form, meter)
        });
        if !done {
            with!(&mut self.level, value => value.substitute(var, form));
        }
    }

    fn forget(&mut self, vars: &[Var]) {
        let done = self.attempt(Operation::Forget, |blocks, meter| blocks.try_forget(vars, meter));
        if !done {
            with!(&mut self.level, value => value.forget(vars));
        }
    }

    fn add_dimensions(&mut self, count: usize) {
        with!(&mut self.level, value => value.add_dimensions(count));
    }

    fn remove_dimensions(&mut self, vars: &[Var]) {
        let done = self
            .attempt(Operation::RemoveDimensions, |blocks, meter| blocks.try_remove(vars, meter));
        if !done {
            with!(&mut self.level, value => value.remove_dimensions(vars));
        }
    }

    fn rename(&mut self, to: &[Var]) {
        let done = self.attempt(Operation::Rename, |blocks, meter| blocks.try_rename(to, meter));
        if !done {
            with!(&mut self.level, value => value.rename(to));
        }
    }

    fn bounds(&self, form: &Linear) -> Option<Bounds> {
        with!(&self.level, value => value.bounds(form))
    }

    fn entails(&self, constraint: &Constraint) -> bool {
        with!(&self.level, value => value.entails(constraint))
    }

    fn widen(&mut self, newer: &Budgeted, thresholds: &[Constraint]) {
        let widen = |own: &mut Blocks, newer: &Blocks, meter: &mut Meter| {
            own.try_widen(newer, thresholds, meter)
        };
        self.with_other(
            newer,
            Operation::Widen,
            widen,
            |own, newer| own.widen(newer, thresholds),
            |own, newer| own.widen(newer, thresholds),
        );
    }

    fn narrow(&mut self, newer: &Budgeted) {
        let narrow =
            |own: &mut Blocks, newer: &Blocks, meter: &mut Meter| own.try_narrow(newer, meter);
        self.with_other(newer, Operation::Narrow, narrow, Domain::narrow, Domain::narrow);
    }

    fn constraints(&self) -> Vec<Constraint> {
        with!(&self.level, value => value.constraints())
    }
}
