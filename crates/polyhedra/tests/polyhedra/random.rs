//! Random forms, constraints and traces, and how many cases a test takes.

use proptest::prelude::*;
use proptest::test_runner::{RngSeed, TestRunner};
use verdiff_polyhedra::trace::{Trace, TraceStep};
use verdiff_polyhedra::{Constraint, Linear, Relation, Var};

/// A runner with a fixed seed and a fixed number of cases, of which `VERDIFF_CASES` percent are taken.
pub fn runner(usual: u32) -> TestRunner {
    let percent: u32 = std::env::var("VERDIFF_CASES").map_or(100, |text| text.parse().unwrap());
    TestRunner::new(ProptestConfig {
        cases: (usual * percent).div_ceil(100),
        failure_persistence: None,
        rng_seed: RngSeed::Fixed(17),
        max_shrink_iters: 3_000,
        ..ProptestConfig::default()
    })
}

/// Small coefficients: most are zero, so that variables are often unrelated.
fn coefficient() -> impl Strategy<Value = i64> {
    prop_oneof![3 => Just(0), 3 => -1..=1i64, 1 => -4..=4i64]
}

/// Coefficients whose products outgrow machine words.
fn large_coefficient() -> impl Strategy<Value = i64> {
    (
        coefficient(),
        prop::sample::select(vec![1, 1_000_003, 1 << 33, 1_000_000_000_039, i64::MAX / 4]),
    )
        .prop_map(|(small, factor)| small * factor)
}

fn large_form(dimension: usize) -> BoxedStrategy<Linear> {
    let terms = prop::collection::vec(large_coefficient(), dimension);
    (terms, large_coefficient())
        .prop_map(|(terms, constant)| {
            let terms = terms.iter().enumerate().map(|(at, c)| (Var(at), (*c).into()));
            Linear::new(terms, constant)
        })
        .boxed()
}

pub fn form(dimension: usize) -> impl Strategy<Value = Linear> {
    let terms = prop::collection::vec(coefficient(), dimension);
    (terms, -6..=6i64).prop_map(|(terms, constant)| {
        let terms = terms.iter().enumerate().map(|(at, c)| (Var(at), (*c).into()));
        Linear::new(terms, constant)
    })
}

/// `strict`: strict inequalities, too.
pub fn constraint(dimension: usize, strict: bool) -> impl Strategy<Value = Constraint> {
    let relation = prop_oneof![
        1 => Just(Relation::EqualToZero),
        5 => Just(Relation::AtLeastZero),
        u32::from(strict) * 3 => Just(Relation::GreaterThanZero),
    ];
    (form(dimension), relation).prop_map(|(form, relation)| Constraint::new(form, relation))
}

pub fn constraints(dimension: usize, strict: bool) -> impl Strategy<Value = Vec<Constraint>> {
    prop::collection::vec(constraint(dimension, strict), 0..5)
}

/// The number of values in a random trace.
const SLOTS: usize = 3;

/// A part of a random trace: operations on values of a given dimension, the same on all values if they
/// change the dimension.
fn part(dimension: usize, strict: bool, widening: bool) -> BoxedStrategy<Vec<TraceStep>> {
    let at = || 0..SLOTS;
    let var = move || (0..dimension.max(1)).prop_map(Var);
    let list = move || constraints(dimension, strict);
    let mut choices: Vec<(u32, BoxedStrategy<TraceStep>)> = vec![
        (8, (at(), list()).prop_map(|(a, l)| TraceStep::MeetConstraints(a, l)).boxed()),
        (2, (at(), at()).prop_map(|(a, b)| TraceStep::Meet(a, b)).boxed()),
        (4, (at(), at()).prop_map(|(a, b)| TraceStep::Join(a, b)).boxed()),
        (2, (at(), at()).prop_map(|(a, b)| TraceStep::Copy(a, b)).boxed()),
        (1, at().prop_map(TraceStep::Constraints).boxed()),
        (1, at().prop_map(TraceStep::IsBottom).boxed()),
        (1, at().prop_map(TraceStep::IsTop).boxed()),
        (1, (at(), at()).prop_map(|(a, b)| TraceStep::Includes(a, b)).boxed()),
        (1, (at(), at()).prop_map(|(a, b)| TraceStep::Equals(a, b)).boxed()),
        (1, (at(), form(dimension)).prop_map(|(a, f)| TraceStep::Bounds(a, f)).boxed()),
        (
            1,
            (at(), constraint(dimension, strict))
                .prop_map(|(a, c)| TraceStep::Entails(a, c))
                .boxed(),
        ),
    ];
    if dimension > 0 {
        let some = (at(), var(), form(dimension));
        choices.push((4, some.prop_map(|(a, v, f)| TraceStep::Assign(a, v, f)).boxed()));
        let some = (at(), var(), form(dimension));
        choices.push((2, some.prop_map(|(a, v, f)| TraceStep::Substitute(a, v, f)).boxed()));
        choices.push((2, (at(), var()).prop_map(|(a, v)| TraceStep::Forget(a, vec![v])).boxed()));
        let places = Just((0..dimension).map(Var).collect::<Vec<_>>()).prop_shuffle();
        choices.push((1, (at(), places).prop_map(|(a, p)| TraceStep::Rename(a, p)).boxed()));
    }
    if widening {
        let some = (at(), at(), list());
        choices.push((2, some.prop_map(|(a, b, l)| TraceStep::Widen(a, b, l)).boxed()));
    }
    let step = prop::strategy::Union::new_weighted(choices);
    prop::collection::vec(step, 0..8).boxed()
}

fn on_all(step: impl Fn(usize) -> TraceStep) -> Vec<TraceStep> {
    (0..SLOTS).map(step).collect()
}

/// A random trace whose forms have large coefficients.
pub fn large_trace(most: usize) -> impl Strategy<Value = Trace> {
    trace(most, false, true).prop_flat_map(|trace| {
        let forms: Vec<BoxedStrategy<TraceStep>> = trace.steps.into_iter().map(enlarged).collect();
        forms.prop_map(|steps| Trace { steps })
    })
}

fn enlarged(step: TraceStep) -> BoxedStrategy<TraceStep> {
    match step {
        TraceStep::MeetConstraints(at, list) => {
            let large = |c: Constraint| {
                let relation = c.relation();
                let vars = c.form().dimensions();
                large_form(vars).prop_map(move |form| Constraint::new(form, relation)).boxed()
            };
            let list: Vec<BoxedStrategy<Constraint>> = list.into_iter().map(large).collect();
            list.prop_map(move |list| TraceStep::MeetConstraints(at, list)).boxed()
        }
        TraceStep::Assign(at, var, form) => {
            let large = large_form(form.dimensions());
            large.prop_map(move |form| TraceStep::Assign(at, var, form)).boxed()
        }
        other => Just(other).boxed(),
    }
}

/// A random trace that ends with all questions.
pub fn trace(most: usize, strict: bool, widening: bool) -> impl Strategy<Value = Trace> {
    (1..=most, 0..=2usize, 0..=1usize).prop_flat_map(move |(dimension, more, less)| {
        let larger = dimension + more;
        let gone = Just((0..larger).map(Var).collect::<Vec<_>>()).prop_shuffle();
        let parts = (
            part(dimension, strict, widening),
            part(larger, strict, widening),
            part(larger - less, strict, widening),
            form(larger - less),
            gone,
        );
        parts.prop_map(move |(first, second, third, form, gone)| {
            let mut steps = on_all(|at| TraceStep::Top(at, dimension));
            steps.extend(first);
            steps.extend(on_all(|at| TraceStep::AddDimensions(at, more)));
            steps.extend(second);
            steps.extend(on_all(|at| TraceStep::RemoveDimensions(at, gone[..less].to_vec())));
            steps.extend(third);
            for at in 0..SLOTS {
                let other = (at + 1) % SLOTS;
                steps.push(TraceStep::Includes(at, other));
                steps.push(TraceStep::Equals(at, other));
                steps.push(TraceStep::Constraints(at));
                steps.push(TraceStep::Bounds(at, form.clone()));
            }
            Trace { steps }
        })
    })
}
