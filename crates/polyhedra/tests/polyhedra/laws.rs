//! The laws of a lattice, and of the operations of an abstract domain.

use crate::random::{constraints, form, runner};
use proptest::prelude::*;
use proptest::test_runner::TestCaseResult;
use verdiff_polyhedra::{Blocks, Boxes, Constraint, Domain, Linear, Octagon, Polyhedron, Var};

const DIMENSION: usize = 3;

/// Three values, each the join of two, so that they are not always given by few constraints.
fn values<D: Domain>(strict: bool) -> impl Strategy<Value = [D; 3]> {
    let one = move || {
        let pair = (constraints(DIMENSION, strict), constraints(DIMENSION, strict));
        pair.prop_map(|(a, b)| {
            let mut value = of::<D>(&a);
            value.join(&of(&b));
            value
        })
    };
    [one(), one(), one()]
}

fn of<D: Domain>(constraints: &[Constraint]) -> D {
    let mut value = D::top(DIMENSION);
    value.meet_constraints(constraints);
    value
}

fn join<D: Domain>(a: &D, b: &D) -> D {
    let mut result = a.clone();
    result.join(b);
    result
}

fn meet<D: Domain>(a: &D, b: &D) -> D {
    let mut result = a.clone();
    result.meet(b);
    result
}

/// What holds in each of the domains.
fn order<D: Domain>([a, b, c]: &[D; 3]) -> TestCaseResult {
    let (top, bottom) = (D::top(DIMENSION), D::bottom(DIMENSION));
    prop_assert!(top.includes(a) && a.includes(&bottom) && a.includes(a));
    let upper = join(a, b);
    prop_assert!(upper.includes(a) && upper.includes(b));
    let lower = meet(a, b);
    prop_assert!(a.includes(&lower) && b.includes(&lower));
    prop_assert!(!(a.includes(b) && b.includes(c)) || a.includes(c));
    prop_assert!(join(a, &bottom).equals(a) && meet(a, &top).equals(a));
    prop_assert!(join(a, &top).is_top() && meet(a, &bottom).is_bottom());
    prop_assert!(join(a, b).equals(&join(b, a)) && meet(a, b).equals(&meet(b, a)));
    prop_assert!(join(a, a).equals(a) && meet(a, a).equals(a));
    let mut wide = a.clone();
    wide.widen(b, &[]);
    prop_assert!(wide.includes(a) && wide.includes(b));
    let mut narrow = a.clone();
    narrow.narrow(b);
    prop_assert!(a.includes(&narrow) && narrow.includes(&lower));
    Ok(())
}

/// What holds where every operation is exact.
fn lattice<D: Domain>([a, b, c]: &[D; 3]) -> TestCaseResult {
    prop_assert!(join(&join(a, b), c).equals(&join(a, &join(b, c))));
    prop_assert!(meet(&meet(a, b), c).equals(&meet(a, &meet(b, c))));
    prop_assert!(join(a, &meet(a, b)).equals(a) && meet(a, &join(a, b)).equals(a));
    prop_assert!(a.includes(b) == join(a, b).equals(a));
    prop_assert!(a.includes(b) == meet(a, b).equals(b));
    let again: D = of(&a.constraints());
    prop_assert!(again.equals(a), "{:?} and {:?}", again, a);
    Ok(())
}

/// How assignments, substitutions and forgetting belong together.
fn maps<D: Domain>(a: &D, b: &D, var: Var, form: &Linear) -> TestCaseResult {
    let (mut after, mut both) = (a.clone(), join(a, b));
    after.assign(var, form);
    both.assign(var, form);
    prop_assert!(both.includes(&after), "assignment is monotone");
    let mut before = after.clone();
    before.substitute(var, form);
    prop_assert!(before.includes(a), "every point leads into its image");
    if !form.coefficient(var).is_zero() {
        prop_assert!(before.equals(a), "an assignment that can be undone is undone");
    } else if !after.is_bottom() {
        prop_assert!(after.entails(&form.equal_to(var)));
    }
    let mut free = a.clone();
    free.forget(&[var]);
    prop_assert!(free.includes(a) && free.includes(&after));
    let bounds = free.bounds(&var.into());
    prop_assert!(bounds.is_none_or(|b| b.lower.is_none() && b.upper.is_none()));
    Ok(())
}

/// Changes of the space that undo each other.
fn space<D: Domain>(a: &D, places: &[Var]) -> TestCaseResult {
    let mut larger = a.clone();
    larger.add_dimensions(2);
    prop_assert_eq!(larger.dimension(), DIMENSION + 2);
    larger.project(&[0, 1, 2].map(Var));
    prop_assert!(larger.equals(a));
    let mut moved = a.clone();
    moved.rename(places);
    let back: Vec<Var> =
        (0..DIMENSION).map(|at| Var(places.iter().position(|to| to.0 == at).unwrap())).collect();
    moved.rename(&back);
    prop_assert!(moved.equals(a));
    let mut shadow = a.clone();
    shadow.remove_dimensions(&[Var(1)]);
    let mut free = a.clone();
    free.forget(&[Var(1)]);
    free.remove_dimensions(&[Var(1)]);
    prop_assert!(shadow.equals(&free));
    Ok(())
}

fn check<D: Domain>(cases: u32, strict: bool, exact: bool) {
    let var = (0..DIMENSION).prop_map(Var);
    let places = Just((0..DIMENSION).map(Var).collect::<Vec<_>>()).prop_shuffle();
    let input = (values::<D>(strict), var, form(DIMENSION), places);
    let test = |(values, var, form, places): ([D; 3], Var, Linear, Vec<Var>)| {
        order(&values)?;
        if exact {
            lattice(&values)?;
            maps(&values[0], &values[1], var, &form)?;
        }
        space(&values[2], &places)
    };
    runner(cases).run(&input, test).unwrap();
}

#[test]
fn polyhedra() {
    check::<Polyhedron>(300, false, true);
}

#[test]
fn polyhedra_with_strict_constraints() {
    check::<Polyhedron>(300, true, true);
}

#[test]
fn blocks() {
    check::<Blocks>(300, true, true);
}

#[test]
fn octagons() {
    check::<Octagon>(300, false, false);
}

#[test]
fn boxes() {
    check::<Boxes>(300, true, false);
}

#[test]
fn equal_polyhedra_have_equal_constraints() {
    let input = (values::<Polyhedron>(false), form(DIMENSION));
    let test = |([a, b, _], form): ([Polyhedron; 3], Linear)| {
        // The same set by two ways: joined first, or cut first and joined with the rest.
        let both = join(&a, &b);
        let (mut above, mut below) = (both.clone(), both.clone());
        above.meet_constraints(&[form.at_least(0)]);
        below.meet_constraints(&[form.at_most(0)]);
        let again = join(&below, &above);
        prop_assert_eq!(both.constraints(), again.constraints());
        prop_assert_eq!(both.generators(), again.generators());
        Ok(())
    };
    runner(300).run(&input, test).unwrap();
}
