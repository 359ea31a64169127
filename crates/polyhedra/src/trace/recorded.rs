//! A domain that writes down what is done to it.

use super::{Slot, Trace, TraceStep};
use crate::domain::Domain;
use crate::linear::{Constraint, Linear, Var};
use crate::polyhedron::Bounds;
use std::cell::RefCell;

thread_local! {
    /// The trace that is being recorded on this thread, and the next free slot.
    static RECORDING: RefCell<Option<(Trace, Slot)>> = const { RefCell::new(None) };
}

/// Runs an analysis on [`Recorded`] values and gives its result and the trace of its operations.
/// A recording inside of another one takes the operations for itself.
///
/// ```
/// use verdiff_polyhedra::{Domain, Polyhedron, Var, trace::{Recorded, record}};
/// let (_, trace) = record(|| {
///     let mut state: Recorded<Polyhedron> = Recorded::top(1);
///     state.assign(Var(0), &3.into());
///     state.is_bottom()
/// });
/// assert_eq!(trace.to_string(), "top 0 1\nassign 0 0 3 0\nbottom? 0\ndrop 0\n");
/// ```
pub fn record<R>(analysis: impl FnOnce() -> R) -> (R, Trace) {
    let outer = RECORDING.replace(Some(Default::default()));
    let result = analysis();
    let recording = RECORDING.replace(outer);
    (result, recording.map_or_else(Trace::default, |(trace, _)| trace))
}

/// A value of another domain whose operations are recorded inside [`record`], and only performed
/// outside of it.
#[derive(Debug)]
pub struct Recorded<D: Domain> {
    value: D,
    slot: Slot,
}

/// Adds a step, which is made only if there is a recording.
fn write(step: impl FnOnce() -> TraceStep) {
    RECORDING.with_borrow_mut(|recording| {
        if let Some((trace, _)) = recording {
            trace.steps.push(step());
        }
    });
}

fn fresh() -> Slot {
    RECORDING.with_borrow_mut(|recording| match recording {
        Some((_, next)) => {
            *next += 1;
            *next - 1
        }
        None => 0,
    })
}

impl<D: Domain> Recorded<D> {
    /// A value of all points that was made otherwise than by [`Domain::top`], such as one
    /// [within a budget](crate::Budgeted::within).
    pub fn of_top(value: D) -> Recorded<D> {
        let slot = fresh();
        write(|| TraceStep::Top(slot, value.dimension()));
        Recorded { value, slot }
    }

    /// The value itself.
    pub fn value(&self) -> &D {
        &self.value
    }
}

impl<D: Domain> Clone for Recorded<D> {
    fn clone(&self) -> Recorded<D> {
        let slot = fresh();
        write(|| TraceStep::Copy(slot, self.slot));
        Recorded { value: self.value.clone(), slot }
    }
}

impl<D: Domain> Drop for Recorded<D> {
    fn drop(&mut self) {
        write(|| TraceStep::Drop(self.slot));
    }
}

impl<D: Domain> Domain for Recorded<D> {
    fn top(dimension: usize) -> Self {
        let slot = fresh();
        write(|| TraceStep::Top(slot, dimension));
        Recorded { value: D::top(dimension), slot }
    }

    fn bottom(dimension: usize) -> Self {
        let slot = fresh();
        write(|| TraceStep::Bottom(slot, dimension));
        Recorded { value: D::bottom(dimension), slot }
    }

    fn dimension(&self) -> usize {
        self.value.dimension()
    }

    fn is_bottom(&self) -> bool {
        write(|| TraceStep::IsBottom(self.slot));
        self.value.is_bottom()
    }

    fn is_top(&self) -> bool {
        write(|| TraceStep::IsTop(self.slot));
        self.value.is_top()
    }

    fn includes(&self, other: &Self) -> bool {
        write(|| TraceStep::Includes(self.slot, other.slot));
        self.value.includes(&other.value)
    }

    fn equals(&self, other: &Self) -> bool {
        write(|| TraceStep::Equals(self.slot, other.slot));
        self.value.equals(&other.value)
    }

    fn meet(&mut self, other: &Self) {
        write(|| TraceStep::Meet(self.slot, other.slot));
        self.value.meet(&other.value);
    }

    fn meet_constraints(&mut self, constraints: &[Constraint]) {
        write(|| TraceStep::MeetConstraints(self.slot, constraints.to_vec()));
        self.value.meet_constraints(constraints);
    }

    fn join(&mut self, other: &Self) {
        write(|| TraceStep::Join(self.slot, other.slot));
        self.value.join(&other.value);
    }

    fn assign(&mut self, var: Var, form: &Linear) {
        write(|| TraceStep::Assign(self.slot, var, form.clone()));
        self.value.assign(var, form);
    }

    fn substitute(&mut self, var: Var, form: &Linear) {
        write(|| TraceStep::Substitute(self.slot, var, form.clone()));
        self.value.substitute(var, form);
    }

    fn forget(&mut self, vars: &[Var]) {
        write(|| TraceStep::Forget(self.slot, vars.to_vec()));
        self.value.forget(vars);
    }

    fn add_dimensions(&mut self, count: usize) {
        write(|| TraceStep::AddDimensions(self.slot, count));
        self.value.add_dimensions(count);
    }

    fn remove_dimensions(&mut self, vars: &[Var]) {
        write(|| TraceStep::RemoveDimensions(self.slot, vars.to_vec()));
        self.value.remove_dimensions(vars);
    }

    fn rename(&mut self, to: &[Var]) {
        write(|| TraceStep::Rename(self.slot, to.to_vec()));
        self.value.rename(to);
    }

    fn bounds(&self, form: &Linear) -> Option<Bounds> {
        write(|| TraceStep::Bounds(self.slot, form.clone()));
        self.value.bounds(form)
    }

    fn entails(&self, constraint: &Constraint) -> bool {
        write(|| TraceStep::Entails(self.slot, constraint.clone()));
        self.value.entails(constraint)
    }

    fn widen(&mut self, newer: &Self, thresholds: &[Constraint]) {
        write(|| TraceStep::Widen(self.slot, newer.slot, thresholds.to_vec()));
        self.value.widen(&newer.value, thresholds);
    }

    fn narrow(&mut self, newer: &Self) {
        write(|| TraceStep::Narrow(self.slot, newer.slot));
        self.value.narrow(&newer.value);
    }

    fn constraints(&self) -> Vec<Constraint> {
        write(|| TraceStep::Constraints(self.slot));
        self.value.constraints()
    }
}
