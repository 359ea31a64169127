//! Traces: sequences of operations that can be written down, read again and replayed on any domain.
//!
//! A trace is recorded from an analysis by running it with [`Recorded<D>`](Recorded) instead of `D`
//! inside [`record`]; [`Trace::replay`] performs the same operations on another domain, and tests and
//! benchmarks give the very same text to PPL. A trace is a list of [`TraceStep`]s on numbered values; its
//! text has one step a line:
//!
//! ```
//! use verdiff_polyhedra::{Polyhedron, trace::{TraceAnswer, Trace}};
//! let text = "top 0 2\nconstrain 0 2 >= 0 1 0 1 = -1 2 0 1 1 -1\nbounds? 0 0 1 1 1\n";
//! let trace: Trace = text.parse().unwrap();
//! assert_eq!(trace.to_string(), text);
//! // x >= 0 and x - y == 1: y has no upper bound and is at least -1.
//! let [TraceAnswer::Bounds(Some(bounds))] = &trace.replay::<Polyhedron>()[..] else { panic!() };
//! assert_eq!(bounds.lower.as_ref().unwrap().value, (-1).into());
//! assert_eq!(bounds.upper, None);
//! ```

mod recorded;
mod text;

pub use recorded::{Recorded, record};
pub use text::{ParseError, parse_constraints};

use crate::domain::Domain;
use crate::linear::{Constraint, Linear, Var};
use crate::polyhedron::Bounds;
use std::collections::HashMap;

/// The number of a value in a trace.
pub type Slot = usize;

/// One operation. The first slot is the value that changes or is asked.
#[derive(Clone, Debug, PartialEq, Eq)]
#[allow(missing_docs)] // Each variant is the operation of `Domain` it is named after.
pub enum TraceStep {
    Top(Slot, usize),
    Bottom(Slot, usize),
    /// The first slot becomes a copy of the second.
    Copy(Slot, Slot),
    /// The value is not used again.
    Drop(Slot),
    Meet(Slot, Slot),
    MeetConstraints(Slot, Vec<Constraint>),
    Join(Slot, Slot),
    Assign(Slot, Var, Linear),
    Substitute(Slot, Var, Linear),
    Forget(Slot, Vec<Var>),
    AddDimensions(Slot, usize),
    RemoveDimensions(Slot, Vec<Var>),
    Rename(Slot, Vec<Var>),
    Widen(Slot, Slot, Vec<Constraint>),
    Narrow(Slot, Slot),
    IsBottom(Slot),
    IsTop(Slot),
    Includes(Slot, Slot),
    Equals(Slot, Slot),
    Bounds(Slot, Linear),
    Entails(Slot, Constraint),
    Constraints(Slot),
}

/// What a question of a trace was answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TraceAnswer {
    /// Of `is_bottom`, `is_top`, `includes`, `equals`, `entails`.
    Truth(bool),
    /// Of `bounds`.
    Bounds(Option<Bounds>),
    /// Of `constraints`.
    Constraints(Vec<Constraint>),
}

/// A sequence of operations.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Trace {
    /// The operations in order.
    pub steps: Vec<TraceStep>,
}

impl Trace {
    /// Performs the operations and gives the answers to the questions among them. Panics if a slot is
    /// used that has no value.
    pub fn replay<D: Domain>(&self) -> Vec<TraceAnswer> {
        let mut values: HashMap<Slot, D> = HashMap::new();
        self.steps.iter().filter_map(|step| perform(step, &mut values)).collect()
    }
}

/// Performs one operation on numbered values.
pub fn perform<D: Domain>(step: &TraceStep, values: &mut HashMap<Slot, D>) -> Option<TraceAnswer> {
    fn changed<D>(values: &mut HashMap<Slot, D>, at: Slot) -> &mut D {
        values.get_mut(&at).expect("the slot has a value")
    }
    /// Takes the value out, so that another one can be looked at; they may be the same.
    fn with_other<D: Clone>(
        values: &mut HashMap<Slot, D>,
        at: Slot,
        other: Slot,
        change: impl FnOnce(&mut D, &D),
    ) {
        let mut value = values.remove(&at).expect("the slot has a value");
        if at == other {
            let same = value.clone();
            change(&mut value, &same);
        } else {
            change(&mut value, &values[&other]);
        }
        values.insert(at, value);
    }
    match step {
        TraceStep::Top(at, dimension) => {
            values.insert(*at, D::top(*dimension));
        }
        TraceStep::Bottom(at, dimension) => {
            values.insert(*at, D::bottom(*dimension));
        }
        TraceStep::Copy(at, from) => {
            let copy = values[from].clone();
            values.insert(*at, copy);
        }
        TraceStep::Drop(at) => {
            values.remove(at);
        }
        TraceStep::Meet(at, other) => with_other(values, *at, *other, |a, b| a.meet(b)),
        TraceStep::Join(at, other) => with_other(values, *at, *other, |a, b| a.join(b)),
        TraceStep::Narrow(at, other) => with_other(values, *at, *other, |a, b| a.narrow(b)),
        TraceStep::Widen(at, other, thresholds) => {
            with_other(values, *at, *other, |a, b| a.widen(b, thresholds));
        }
        TraceStep::MeetConstraints(at, list) => changed(values, *at).meet_constraints(list),
        TraceStep::Assign(at, var, form) => changed(values, *at).assign(*var, form),
        TraceStep::Substitute(at, var, form) => changed(values, *at).substitute(*var, form),
        TraceStep::Forget(at, vars) => changed(values, *at).forget(vars),
        TraceStep::AddDimensions(at, count) => changed(values, *at).add_dimensions(*count),
        TraceStep::RemoveDimensions(at, vars) => changed(values, *at).remove_dimensions(vars),
        TraceStep::Rename(at, to) => changed(values, *at).rename(to),
        TraceStep::IsBottom(at) => return Some(TraceAnswer::Truth(values[at].is_bottom())),
        TraceStep::IsTop(at) => return Some(TraceAnswer::Truth(values[at].is_top())),
        TraceStep::Includes(at, other) => {
            return Some(TraceAnswer::Truth(values[at].includes(&values[other])));
        }
        TraceStep::Equals(at, other) => {
            return Some(TraceAnswer::Truth(values[at].equals(&values[other])));
        }
        TraceStep::Entails(at, constraint) => {
            return Some(TraceAnswer::Truth(values[at].entails(constraint)));
        }
        TraceStep::Bounds(at, form) => return Some(TraceAnswer::Bounds(values[at].bounds(form))),
        TraceStep::Constraints(at) => {
            return Some(TraceAnswer::Constraints(values[at].constraints()));
        }
    }
    None
}
