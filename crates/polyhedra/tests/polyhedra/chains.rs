//! Chains of widenings and narrowings become stable.

use crate::random::{constraints, runner};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::test_runner::TestCaseResult;
use verdiff_polyhedra::{
    Blocks, Boxes, Constraint, Domain, Linear, Octagon, Polyhedron, Var, Widening,
};

const DIMENSION: usize = 3;

fn of<D: Domain>(constraints: &[Constraint]) -> D {
    let mut value = D::top(DIMENSION);
    value.meet_constraints(constraints);
    value
}

/// A loop around random operations; some grow without end.
fn grown<D: Domain>(state: &D, list: &[Constraint], forms: &[(usize, Linear)]) -> D {
    let mut next = state.clone();
    next.meet_constraints(list);
    for (var, form) in forms {
        next.assign(Var(*var), form);
    }
    next
}

fn widening<D: Domain>(
    start: &[Constraint],
    guard: &[Constraint],
    forms: &[(usize, Linear)],
    thresholds: &[Constraint],
) -> TestCaseResult {
    let strategy = Widening { delay: 2, thresholds: thresholds.to_vec() };
    let mut state: D = of(start);
    let mut visit = 0;
    loop {
        let next = grown(&state, guard, forms);
        if strategy.extrapolate(&mut state, &next, visit) {
            break;
        }
        visit += 1;
        prop_assert!(visit < 60, "not stable after {visit} visits: {state:?}");
    }
    prop_assert!(state.includes(&of(start)) && state.includes(&grown(&state, guard, forms)));
    // Back down again.
    for visit in 0.. {
        let before = state.clone();
        let mut again = grown(&state, guard, forms);
        again.join(&of(start));
        state.narrow(&again);
        prop_assert!(before.includes(&state));
        prop_assert!(state.includes(&of(start)));
        if state.includes(&before) {
            break;
        }
        prop_assert!(visit < 60, "narrowing is not stable");
    }
    Ok(())
}

fn check<D: Domain>(cases: u32, strict: bool) {
    let forms = vec((0..DIMENSION, crate::random::form(DIMENSION)), 1..4);
    let input = (
        vec(crate::random::constraint(DIMENSION, strict), 2..7),
        constraints(DIMENSION, strict),
        forms,
        constraints(DIMENSION, false),
    );
    let test = |(start, guard, forms, thresholds): (Vec<_>, Vec<_>, Vec<_>, Vec<_>)| {
        widening::<D>(&start, &guard, &forms, &thresholds)
    };
    runner(cases).run(&input, test).unwrap();
}

#[test]
fn polyhedra() {
    check::<Polyhedron>(150, false);
}

#[test]
fn polyhedra_with_strict_constraints() {
    check::<Polyhedron>(150, true);
}

#[test]
fn blocks() {
    check::<Blocks>(150, true);
}

#[test]
fn octagons() {
    check::<Octagon>(150, false);
}

#[test]
fn boxes() {
    check::<Boxes>(150, true);
}

#[test]
fn a_threshold_stops_widening_and_narrowing_recovers_a_bound() {
    let x = Var(0);
    let mut state = Polyhedron::top(1);
    state.assign(x, &0.into());
    let body = |state: &Polyhedron| {
        let mut next = state.clone();
        next.meet_constraints(&[(x + 0).at_most(9)]);
        next.assign(x, &(x + 1));
        next
    };
    let mut with_threshold = state.clone();
    with_threshold.widen(&body(&state), &[(x + 0).at_most(20)]);
    assert_eq!(with_threshold.to_string(), "{ x0 >= 0, x0 <= 20 }");
    let start = state.clone();
    state.widen(&body(&state), &[]);
    assert_eq!(state.to_string(), "{ x0 >= 0 }");
    let mut again = body(&state);
    again.join(&start);
    state.narrow(&again);
    assert_eq!(state.to_string(), "{ x0 >= 0, x0 <= 10 }");
}
