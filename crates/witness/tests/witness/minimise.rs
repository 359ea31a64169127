//! Witnesses become small, and stay witnesses.

use crate::support;

use support::pair::{Pair, ints, objects};
use verdiff_model::state::{EntryState, Object, Outside, Pointer, PointerTarget, Value};
use verdiff_witness::replay::{ReplayOptions, Status};

fn least(old: &str, new: &str, entry: EntryState) -> EntryState {
    let pair = Pair::new(old, new);
    let request = pair.request("f", |_| entry.clone());
    pair.with(ReplayOptions::default(), |replayer| {
        let before = replayer.replay(&request).status;
        let small = replayer.minimise(&request, 300);
        let after = replayer.replay(&small).status;
        assert!(before.is_confirmed(), "{before:?}");
        assert!(after.is_confirmed(), "{after:?}");
        small.old.1
    })
}

fn bits(values: &[u128]) -> Vec<Value> {
    values.iter().map(|bits| Value::Bits(*bits)).collect()
}

#[test]
fn numbers() {
    let entry = EntryState {
        args: bits(&[777_777, 123_456]),
        outside: Outside { seed: 3, ..Outside::default() },
        ..EntryState::default()
    };
    let small = least(
        "int f(int x, int y) { return x > 1000; }",
        "int f(int x, int y) { return x > 1000000; }",
        entry,
    );
    assert_eq!(small, EntryState { args: bits(&[1001, 0]), ..EntryState::default() });

    let entry =
        EntryState { args: bits(&[u128::from(1234.567f64.to_bits())]), ..EntryState::default() };
    let small =
        least("int f(double x) { return x > 2; }", "int f(double x) { return x > 2e9; }", entry);
    assert_eq!(small.args, bits(&[u128::from(3.0f64.to_bits())]));
}

#[test]
fn strings_and_arrays() {
    let entry = objects(vec![Object::new(1, b"some/long\x01path:x\0".to_vec())]);
    let small = least(
        "int f(const char *s) { int n = 0; for (; *s; s++) n += *s == ':'; return n; }",
        "int f(const char *s) { int n = 0; for (; *s; s++) n += *s == ';'; return n; }",
        entry,
    );
    assert_eq!(small.objects[0].contents.bytes, b":\0");

    let entry = objects(vec![ints(&[5, 1000, -3, 70_000, 12, 9, 9, 9])]);
    let small = least(
        "int f(const int *p) { return p[1]; }",
        "int f(const int *p) { return p[1] > 50 ? 50 : p[1]; }",
        entry,
    );
    assert_eq!(small.objects, [ints(&[0, 51])]);
}

#[test]
fn pointers() {
    // The second is not needed, the third is the first.
    let mut entry = objects(vec![ints(&[4, 4]), ints(&[8])]);
    entry.args.push(Pointer::object(0).into());
    let text = |body: &str| format!("int f(int *p, int *q, int *r) {{ {body} }}");
    let small = least(
        &text("*p = 1; *r = 2; return *p;"),
        &text("*p = 1; *r = 2; return 1;"),
        entry.clone(),
    );
    assert_eq!(small.args[1], Pointer::NULL.into());
    assert_eq!(small.args[0], small.args[2]);
    assert_eq!(small.objects, [ints(&[0])]);

    let small = least(&text("return *p + *r;"), &text("return *p - *r;"), entry);
    assert_ne!(small.args[0], small.args[2]);
    let target = |arg: &Value| match arg {
        Value::Pointer(pointer) => pointer.target,
        Value::Bits(_) => PointerTarget::Null,
    };
    assert_eq!(target(&small.args[1]), PointerTarget::Null);
    assert_eq!(small.objects.len(), 2);
}

#[test]
fn a_small_state_stays_small() {
    let pair = Pair::new("int f(int x) { return x; }", "int f(int x) { return x + 1; }");
    let request = pair.request("f", |_| support::pair::args(&[0]));
    pair.with(ReplayOptions::default(), |replayer| {
        let small = replayer.minimise(&request, 10);
        assert_eq!(small.old.1, request.old.1);
        assert_eq!(replayer.replay(&small).status, Status::Confirmed);
    });
}
