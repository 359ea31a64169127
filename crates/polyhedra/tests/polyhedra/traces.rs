//! Traces: written, read, recorded and replayed.

use crate::random::{runner, trace};
use proptest::prelude::*;
use verdiff_polyhedra::trace::{Recorded, Trace, TraceAnswer, record};
use verdiff_polyhedra::{Blocks, Domain, Octagon, Polyhedron, Var};

#[test]
fn a_trace_is_the_same_after_writing_and_reading() {
    let test = |trace: Trace| {
        prop_assert_eq!(&trace.to_string().parse::<Trace>().unwrap(), &trace);
        Ok(())
    };
    runner(100).run(&trace(4, true, true), test).unwrap();
}

#[test]
fn a_recorded_replay_is_the_trace_that_was_replayed() {
    let test = |trace: Trace| {
        let (answers, again) = record(|| trace.replay::<Recorded<Polyhedron>>());
        prop_assert_eq!(&answers, &trace.replay::<Polyhedron>());
        // Slots are numbered anew, and a trace says when values are dropped.
        prop_assert_eq!(&again.replay::<Polyhedron>(), &answers);
        prop_assert_eq!(again.replay::<Blocks>().len(), answers.len());
        Ok(())
    };
    runner(100).run(&trace(3, true, true), test).unwrap();
}

#[test]
fn one_analysis_gives_one_trace_for_all_domains() {
    fn analysis<D: Domain>() -> bool {
        let (x, y) = (Var(0), Var(1));
        let mut state = D::top(2);
        state.meet_constraints(&[(x + 0).at_most(y)]);
        let mut other = state.clone();
        other.assign(x, &(y + 0));
        state.join(&other);
        state.entails(&(x + 0).at_most(y))
    }
    let (exact, first) = record(analysis::<Recorded<Polyhedron>>);
    let (coarse, second) = record(analysis::<Recorded<Octagon>>);
    assert_eq!(first, second);
    assert_eq!(first.replay::<Polyhedron>(), [TraceAnswer::Truth(exact)]);
    assert!(exact && coarse);
}
