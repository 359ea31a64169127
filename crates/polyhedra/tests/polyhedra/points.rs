//! Soundness on points: a random sequence of operations on a domain, and the same on a finite set of points
//! with whole coordinates. No point of the set may be lost.

use crate::random::{constraints, runner, trace};
use proptest::prelude::*;
use proptest::test_runner::TestCaseResult;
use std::collections::{BTreeSet, HashMap};
use verdiff_polyhedra::trace::{Trace, TraceStep, perform};
use verdiff_polyhedra::{
    Blocks, Boxes, Budget, Budgeted, ConversionLimits, Domain, Linear, Octagon, Polyhedron,
    Rational, Var,
};

type Points = BTreeSet<Vec<i64>>;

/// The points of a small grid.
fn grid(dimension: usize) -> Points {
    let mut points = Points::from([Vec::new()]);
    for _ in 0..dimension {
        let longer =
            |point: &Vec<i64>| (-2..=2).map(|x| [&point[..], &[x]].concat()).collect::<Vec<_>>();
        points = points.iter().flat_map(longer).collect();
    }
    points
}

fn rational(point: &[i64]) -> Vec<Rational> {
    point.iter().map(|x| Rational::from(*x)).collect()
}

fn value(form: &Linear, point: &[i64]) -> i64 {
    form.value(&rational(point)).numerator().to_i64().unwrap()
}

/// The operation on sets of points; those with large coordinates may be left out.
fn perform_on_points(step: &TraceStep, sets: &mut HashMap<usize, Points>, dimension: usize) {
    let assigned = |point: &Vec<i64>, var: Var, form: &Linear| {
        let mut next = point.clone();
        next[var.0] = value(form, point);
        next
    };
    match step {
        TraceStep::Top(at, dimension) => drop(sets.insert(*at, grid(*dimension))),
        TraceStep::Copy(at, from) => drop(sets.insert(*at, sets[from].clone())),
        TraceStep::Meet(at, other) | TraceStep::Narrow(at, other) => {
            let both = sets[at].intersection(&sets[other]).cloned().collect();
            sets.insert(*at, both);
        }
        TraceStep::Join(at, other) | TraceStep::Widen(at, other, _) => {
            let both = sets[at].union(&sets[other]).cloned().collect();
            sets.insert(*at, both);
        }
        TraceStep::MeetConstraints(at, list) => {
            let set = sets.get_mut(at).unwrap();
            set.retain(|point| list.iter().all(|c| c.holds_at(&rational(point))));
        }
        TraceStep::Assign(at, var, form) => {
            let image = sets[at].iter().map(|point| assigned(point, *var, form)).collect();
            sets.insert(*at, image);
        }
        TraceStep::Substitute(at, var, form) => {
            let leads = |point: &Vec<i64>| sets[at].contains(&assigned(point, *var, form));
            let before = grid(dimension).into_iter().filter(leads).collect();
            sets.insert(*at, before);
        }
        TraceStep::Forget(at, vars) => {
            for var in vars {
                let any = |point: &Vec<i64>| {
                    let with = |x: i64| {
                        let mut next = point.clone();
                        next[var.0] = x;
                        next
                    };
                    (-2..=2).map(with).collect::<Vec<_>>()
                };
                let free = sets[at].iter().flat_map(any).collect();
                sets.insert(*at, free);
            }
        }
        TraceStep::AddDimensions(at, count) => {
            for _ in 0..*count {
                let longer = |point: &Vec<i64>| [0, 1].map(|x| [&point[..], &[x]].concat());
                let larger = sets[at].iter().flat_map(longer).collect();
                sets.insert(*at, larger);
            }
        }
        TraceStep::RemoveDimensions(at, vars) => {
            let without = |point: &Vec<i64>| {
                let kept = point.iter().enumerate().filter(|(x, _)| !vars.contains(&Var(*x)));
                kept.map(|(_, x)| *x).collect::<Vec<_>>()
            };
            let shadow = sets[at].iter().map(without).collect();
            sets.insert(*at, shadow);
        }
        TraceStep::Rename(at, to) => {
            let moved = |point: &Vec<i64>| {
                let mut next = point.clone();
                to.iter().zip(point).for_each(|(to, x)| next[to.0] = *x);
                next
            };
            let renamed = sets[at].iter().map(moved).collect();
            sets.insert(*at, renamed);
        }
        _ => {}
    }
}

fn check<D: Domain>(trace: &Trace, top: impl Fn(usize) -> D) -> TestCaseResult {
    let (mut values, mut sets) = (HashMap::new(), HashMap::new());
    for step in &trace.steps {
        match step {
            TraceStep::Top(at, dimension) => drop(values.insert(*at, top(*dimension))),
            step => drop(perform(step, &mut values)),
        }
        let dimension = values[&0].dimension();
        perform_on_points(step, &mut sets, dimension);
        for (at, set) in &mut sets {
            // Keep the sets small.
            while set.len() > 60 {
                set.pop_last();
            }
            let list = if set.is_empty() { Vec::new() } else { values[at].constraints() };
            for point in set.iter() {
                let lost = list.iter().find(|c| !c.holds_at(&rational(point)));
                prop_assert!(lost.is_none(), "{point:?} lost by {step}: {list:?}\n{trace}");
            }
        }
    }
    Ok(())
}

#[test]
fn polyhedra() {
    runner(150).run(&trace(3, true, true), |t| check(&t, Polyhedron::top)).unwrap();
}

#[test]
fn blocks() {
    runner(150).run(&trace(4, true, true), |t| check(&t, Blocks::top)).unwrap();
}

#[test]
fn octagons() {
    runner(250).run(&trace(4, true, true), |t| check(&t, Octagon::top)).unwrap();
}

#[test]
fn boxes() {
    runner(250).run(&trace(4, true, true), |t| check(&t, Boxes::top)).unwrap();
}

#[test]
fn budgets_that_are_too_small() {
    for (rows, steps) in [(6, 1_000), (8, 300), (12, 100)] {
        let top = |dimension| {
            let limits = ConversionLimits { rows, ..ConversionLimits::default() };
            Budgeted::within(dimension, Budget::new(limits, steps))
        };
        runner(60).run(&trace(4, true, true), |t| check(&t, top)).unwrap();
    }
}

#[test]
fn tightening_keeps_whole_points() {
    let test = |list: Vec<_>| {
        let mut value = Blocks::top(3);
        value.meet_constraints(&list);
        let before = value.clone();
        value.tighten();
        prop_assert!(before.includes(&value));
        let mut tight = Blocks::top(3);
        tight.meet_integer(&list);
        for point in grid(3) {
            let point = rational(&point);
            if list.iter().all(|c| c.holds_at(&point)) {
                prop_assert!(value.constraints().iter().all(|c| c.holds_at(&point)));
                prop_assert!(tight.constraints().iter().all(|c| c.holds_at(&point)));
            }
        }
        Ok(())
    };
    runner(200).run(&constraints(3, true), test).unwrap();
}
