//! One version ends, the other is proved not to: what runs can show of that.

use crate::support;

use support::pair::{Pair, args};
use support::status::{confirmed, not_run};
use verdiff_judge::Side;
use verdiff_model::state::{End, Value};
use verdiff_witness::replay::{Ended, ReplayOptions, Replayed, Status};

fn hang(pair: &Pair, ends: Side, number: i64) -> Replayed {
    let request = pair.request("f", |_| args(&[number]));
    let mut options = ReplayOptions::default();
    options.limits.steps = 2_000_000;
    pair.with(options, |replayer| replayer.replay_hang(&request, ends))
}

#[test]
fn the_side_that_ends_does_as_predicted_and_the_other_goes_on() {
    let ends = "int f(int x) { return x + 1; }";
    let spins = "int f(int x) { while (x == 2) { } return x + 1; }";
    let replayed = confirmed(hang(&Pair::new(ends, spins), Side::Old, 2));
    assert_eq!(replayed.old.returned[0].value, Some(Value::Bits(3)));
    assert_eq!(replayed.new.end, None);
    let replayed = confirmed(hang(&Pair::new(spins, ends), Side::New, 2));
    assert_eq!(replayed.new.end, Some(Ended::Returned));
    assert_eq!(replayed.old.end, None);
}

#[test]
fn what_ends_after_all_refutes_the_proof() {
    // The interpreter does not wait so long.
    let long = "int f(int x) { unsigned s = 0; for (int i = 0; i < x; i++) s ^= (unsigned)i * s + 7; return (int)s; }";
    let pair = Pair::new("int f(int x) { return x; }", long);
    let replayed = hang(&pair, Side::Old, 5_000_000);
    assert!(matches!(replayed.status, Status::Refuted { .. }), "{:?}", replayed.status);
}

#[test]
fn other_differences_are_none_of_this_kind() {
    let pair = Pair::new("int f(int x) { return x; }", "int f(int x) { return x + 1; }");
    not_run(hang(&pair, Side::Old, 1), "NoHang");
    let spins = "int f(int x) { for (;;) { } }";
    not_run(hang(&Pair::new(spins, spins), Side::Old, 1), "BothRun");
    // A recursion without an end runs out of stack.
    let deep = "int f(int x) { return x == 0 ? 1 : f(x) + 1; }";
    let replayed = hang(&Pair::new("int f(int x) { return x; }", deep), Side::Old, 1);
    assert!(matches!(replayed.status, Status::NotRun { .. }), "{:?}", replayed.status);
}

/// 2^31 iterations, or none that ends: the interpreter follows neither.
const DOWN: &str = "int f(int n) { int s = 0; for (int i = n; i >= 0; i--) s ^= i; return s; }";
const UP: &str = "int f(int n) { int s = 0; for (int i = 0; i <= n; i++) s ^= i; return s; }";

#[test]
fn a_run_that_is_too_long_to_be_predicted_is_observed() {
    let replayed = confirmed(hang(&Pair::new(UP, DOWN), Side::New, i32::MAX.into()));
    // 0 ^ 1 ^ ... ^ 2^31 - 1
    assert_eq!(replayed.new.returned[0].value, Some(Value::Bits(0)));
    assert_eq!(replayed.old.end, None);
    let [old, new] = replayed.unpredicted.expect("nobody predicts it");
    assert!(matches!(old.end, End::OutOfSteps));
    assert_eq!(new.end, End::Returned(replayed.new.returned.clone()));
}

#[test]
fn a_side_that_is_said_to_end_and_does_not_confirms_nothing() {
    let replayed = hang(&Pair::new(UP, DOWN), Side::Old, i32::MAX.into());
    assert!(!replayed.status.is_confirmed(), "{:?}", replayed.status);
    // Both end, after a while: what is said never to end does.
    let both = hang(&Pair::new(DOWN, DOWN), Side::Old, i32::MAX.into());
    assert!(!both.status.is_confirmed(), "{:?}", both.status);
}
