//! One version ends, the other is proved not to: what runs can show of that.

use crate::support;

use support::pair::{Pair, args};
use support::status::{confirmed, not_run};
use verdiff_model::state::Value;
use verdiff_witness::replay::{Ended, ReplayOptions, Replayed, Status};

fn hang(pair: &Pair, number: i64) -> Replayed {
    let request = pair.request("f", |_| args(&[number]));
    let mut options = ReplayOptions::default();
    options.limits.steps = 2_000_000;
    pair.with(options, |replayer| replayer.replay_hang(&request))
}

#[test]
fn the_side_that_ends_does_as_predicted_and_the_other_goes_on() {
    let ends = "int f(int x) { return x + 1; }";
    let spins = "int f(int x) { while (x == 2) { } return x + 1; }";
    let replayed = confirmed(hang(&Pair::new(ends, spins), 2));
    assert_eq!(replayed.old.returned[0].value, Some(Value::Bits(3)));
    assert_eq!(replayed.new.end, None);
    let replayed = confirmed(hang(&Pair::new(spins, ends), 2));
    assert_eq!(replayed.new.end, Some(Ended::Returned));
    assert_eq!(replayed.old.end, None);
}

#[test]
fn what_ends_after_all_refutes_the_proof() {
    // The interpreter does not wait so long.
    let long = "int f(int x) { unsigned s = 0; for (int i = 0; i < x; i++) s ^= (unsigned)i * s + 7; return (int)s; }";
    let replayed = hang(&Pair::new("int f(int x) { return x; }", long), 5_000_000);
    assert!(matches!(replayed.status, Status::Refuted { .. }), "{:?}", replayed.status);
}

#[test]
fn other_differences_are_none_of_this_kind() {
    let pair = Pair::new("int f(int x) { return x; }", "int f(int x) { return x + 1; }");
    not_run(hang(&pair, 1), "NoHang");
    let spins = "int f(int x) { for (;;) { } }";
    not_run(hang(&Pair::new(spins, spins), 1), "BothRun");
    // A recursion without an end runs out of stack.
    let deep = "int f(int x) { return x == 0 ? 1 : f(x) + 1; }";
    let replayed = hang(&Pair::new("int f(int x) { return x; }", deep), 1);
    assert!(matches!(replayed.status, Status::NotRun { .. }), "{:?}", replayed.status);
}
