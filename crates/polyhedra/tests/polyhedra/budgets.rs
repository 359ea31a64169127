//! Values that do not fit their budget say so, and stay sound and useful.

use verdiff_polyhedra::{
    Budget, Budgeted, Constraint, ConversionLimits, Domain, Exceeded, Linear, Operation,
    Polyhedron, Precision, Var,
};

fn sum(range: std::ops::Range<usize>) -> Linear {
    range.fold(Linear::from(0), |sum, at| sum + Var(at))
}

fn cube(dimension: usize, budget: Budget) -> Budgeted {
    let mut value = Budgeted::within(dimension, budget);
    for at in 0..dimension {
        value.meet_constraints(&[(Var(at) + 0).at_least(0), (Var(at) + 0).at_most(1)]);
    }
    value
}

#[test]
fn equalities_survive_as_octagons() {
    let limits = ConversionLimits { rows: 40, ..ConversionLimits::default() };
    let mut value = cube(8, Budget::new(limits, u64::MAX));
    value.assign(Var(1), &Linear::from(Var(0)));
    value.meet_constraints(&[sum(0..8).at_least(3)]);
    let fallback = *value.fallback().unwrap();
    assert_eq!(fallback.operation, Operation::Constrain);
    assert_eq!((fallback.from, fallback.to), (Precision::Polyhedra, Precision::Octagons));
    assert_eq!(fallback.exceeded, Exceeded::Rows);
    assert!(value.are_equal(Var(0), Var(1)));
    // Whatever is computed from it says so as well.
    let mut other = cube(8, Budget::default());
    assert_eq!(other.fallback(), None);
    other.join(&value);
    assert_eq!(other.fallback(), Some(&fallback));
    assert_eq!(other.precision(), Precision::Octagons);
    assert!(other.entails(&(Var(7) + 0).at_most(1)));
}

#[test]
fn a_run_that_has_spent_its_steps_goes_on_with_boxes() {
    let mut value = cube(6, Budget::new(ConversionLimits::default(), 1));
    assert_eq!(value.precision(), Precision::Boxes);
    value.assign(Var(0), &sum(0..6));
    assert!(value.entails(&(Var(0) + 0).at_most(6)));
    assert!(!value.is_bottom());
}

#[test]
fn octagons_have_a_limit_of_their_own() {
    let limits = ConversionLimits { rows: 10, ..ConversionLimits::default() };
    let budget = Budget::new(limits, u64::MAX).with_octagon_variables(5);
    let mut value = cube(6, budget);
    value.meet_constraints(&[sum(0..6).at_least(3)]);
    assert_eq!(value.fallback().unwrap().to, Precision::Boxes);
}

#[test]
fn a_conversion_stops_at_each_of_its_limits() {
    let cube = || {
        let side = |at| [(Var(at) + 0).at_least(0), (Var(at) + 0).at_most(1)];
        let mut value = Polyhedron::top(10);
        value.meet_constraints(&(0..10).flat_map(side).collect::<Vec<Constraint>>());
        value
    };
    let with = |limits: ConversionLimits| cube().convert(limits);
    assert_eq!(with(ConversionLimits { rows: 100, ..ConversionLimits::NONE }), Err(Exceeded::Rows));
    assert_eq!(
        with(ConversionLimits { steps: 100, ..ConversionLimits::NONE }),
        Err(Exceeded::Steps)
    );
    assert_eq!(with(ConversionLimits { rows: 1024, ..ConversionLimits::NONE }), Ok(()));
    let mut steep = Polyhedron::top(2);
    steep.meet_constraints(&[
        Linear::new([(Var(0), i64::MAX.into()), (Var(1), (-3).into())], 0).at_least(0),
        Linear::new([(Var(0), (-7).into()), (Var(1), (i64::MAX - 1).into())], 5).at_least(0),
    ]);
    assert_eq!(
        steep.convert(ConversionLimits { bits: 100, ..ConversionLimits::NONE }),
        Err(Exceeded::Bits)
    );
    assert_eq!(steep.convert(ConversionLimits { bits: 200, ..ConversionLimits::NONE }), Ok(()));
}
