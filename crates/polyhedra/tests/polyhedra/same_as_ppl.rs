//! The same random sequences of operations here and in PPL, with equal answers.

use crate::ppl::{answers, driver};
use crate::random::{large_trace, runner, trace};
use proptest::test_runner::TestCaseError;
use verdiff_polyhedra::trace::{Trace, TraceAnswer, TraceStep};
use verdiff_polyhedra::{Blocks, Constraint, Domain, Polyhedron};

fn set(dimension: usize, constraints: &[Constraint]) -> Polyhedron {
    let mut value = Polyhedron::top(dimension);
    value.meet_constraints(constraints);
    value
}

fn dimension_of(constraints: &[&[Constraint]]) -> usize {
    constraints.iter().flat_map(|l| l.iter()).map(|c| c.form().dimensions()).max().unwrap_or(0)
}

/// Compares the answers of a domain with those of PPL.
fn compare<D: Domain>(trace: &Trace, strict: bool) -> Result<(), TestCaseError> {
    let Some(driver) = driver() else { return Ok(()) };
    let theirs = answers(driver, trace, strict);
    let ours = trace.replay::<D>();
    let question = |step: &&TraceStep| step.to_string().contains('?');
    for ((step, our), their) in trace.steps.iter().filter(question).zip(&ours).zip(&theirs) {
        let same = match (our, their) {
            (TraceAnswer::Constraints(a), TraceAnswer::Constraints(b)) => {
                let dimension = dimension_of(&[a, b]);
                let equal = set(dimension, a).equals(&set(dimension, b));
                // Both systems are minimal; with strict constraints that leaves some choice.
                equal && (strict || a.len() == b.len())
            }
            (TraceAnswer::Bounds(None), TraceAnswer::Bounds(Some(b))) => {
                b.lower.is_none() && b.upper.is_none()
            }
            (a, b) => a == b,
        };
        if !same {
            let text = format!("{step}\n ours: {our:?}\n PPL:  {their:?}\n{trace}");
            return Err(TestCaseError::fail(text));
        }
    }
    Ok(())
}

#[test]
fn closed_polyhedra() {
    runner(400).run(&trace(4, false, true), |t| compare::<Polyhedron>(&t, false)).unwrap();
}

#[test]
fn polyhedra_with_strict_constraints() {
    runner(400).run(&trace(3, true, false), |t| compare::<Polyhedron>(&t, true)).unwrap();
}

#[test]
fn closed_polyhedra_in_blocks() {
    runner(400).run(&trace(5, false, true), |t| compare::<Blocks>(&t, false)).unwrap();
}

#[test]
fn polyhedra_with_strict_constraints_in_blocks() {
    runner(300).run(&trace(4, true, false), |t| compare::<Blocks>(&t, true)).unwrap();
}

#[test]
fn large_coefficients() {
    runner(200).run(&large_trace(4), |t| compare::<Polyhedron>(&t, false)).unwrap();
}
