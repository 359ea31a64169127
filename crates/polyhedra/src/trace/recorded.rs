//! A domain that writes down what is done to it.

use super::{Slot, Step, Trace};
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
fn write(step: impl FnOnce() -> Step) {
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
        write(|| Step::Top(slot, value.dimension()));
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
        write(|| Step::Copy(slot, self.slot));
        Recorded { value: self.value.clone(), slot }
    }
}

impl<D: Domain> Drop for Recorded<D> {
    fn drop(&mut self) {
        write(|| Step::Drop(self.slot));
    }
}

impl<D: Domain> Domain for Recorded<D> {
    fn top(dimension: usize) -> Self {
        let slot = fresh();
        write(|| Step::Top(slot, dimension));
        Recorded { value: D::top(dimension), slot }
    }

    fn bottom(dimension: usize) -> Self {
        let slot = fresh();
        write(|| Step::Bottom(slot, dimension));
        Recorded { value: D::bottom(dimension), slot }
    }

    fn dimension(&self) -> usize {
        self.value.dimension()
    }

    fn is_bottom(&self) -> bool {
        write(|| Step::IsBottom(self.slot));
        self.value.is_bottom()
    }

    fn is_top(&self) -> bool {
        write(|| Step::IsTop(self.slot));
        self.value.is_top()
    }

    fn includes(&self, other: &Self) -> bool {
        write(|| Step::Includes(self.slot, other.slot));
        self.value.includes(&other.value)
    }

    fn equals(&self, other: &Self) -> bool {
        write(|| Step::Equals(self.slot, other.slot));
        self.value.equals(&other.value)
    }

    fn meet(&mut self, other: &Self) {
        write(|| Step::Meet(self.slot, other.slot));
        self.value.meet(&other.value);
    }

    fn meet_constraints(&mut self, constraints: &[Constraint]) {
        write(|| Step::MeetConstraints(self.slot, constraints.to_vec()));
        self.value.meet_constraints(constraints);
    }

    fn join(&mut self, other: &Self) {
        write(|| Step::Join(self.slot, other.slot));
        self.value.join(&other.value);
    }

    fn assign(&mut self, var: Var, form: &Linear) {
        write(|| Step::Assign(self.slot, var, form.clone()));
        self.value.assign(var, form);
    }

    fn substitute(&mut self, var: Var, form: &Linear) {
        write(|| Step::Substitute(self.slot, var, form.clone()));
        self.value.substitute(var, form);
    }

    fn forget(&mut self, vars: &[Var]) {
        write(|| Step::Forget(self.slot, vars.to_vec()));
        self.value.forget(vars);
    }

    fn add_dimensions(&mut self, count: usize) {
        write(|| Step::AddDimensions(self.slot, count));
        self.value.add_dimensions(count);
    }

    fn remove_dimensions(&mut self, vars: &[Var]) {
        write(|| Step::RemoveDimensions(self.slot, vars.to_vec()));
        self.value.remove_dimensions(vars);
    }

    fn rename(&mut self, to: &[Var]) {
        write(|| Step::Rename(self.slot, to.to_vec()));
        self.value.rename(to);
    }

    fn bounds(&self, form: &Linear) -> Option<Bounds> {
        write(|| Step::Bounds(self.slot, form.clone()));
        self.value.bounds(form)
    }

    fn entails(&self, constraint: &Constraint) -> bool {
        write(|| Step::Entails(self.slot, constraint.clone()));
        self.value.entails(constraint)
    }

    fn widen(&mut self, newer: &Self, thresholds: &[Constraint]) {
        write(|| Step::Widen(self.slot, newer.slot, thresholds.to_vec()));
        self.value.widen(&newer.value, thresholds);
    }

    fn narrow(&mut self, newer: &Self) {
        write(|| Step::Narrow(self.slot, newer.slot));
        self.value.narrow(&newer.value);
    }

    fn constraints(&self) -> Vec<Constraint> {
        write(|| Step::Constraints(self.slot));
        self.value.constraints()
    }
}
