//! Entry states on disk, and comparing outcomes.

use crate::interp_support;

use interp_support::*;
use verdiff_model::build::*;
use verdiff_model::state::{
    Answer, Difference, EntryState, Fill, Given, Link, Object, Outcome, Outside, Pointer, Run,
    Value, Write, compare,
};
use verdiff_model::{Access, Address, Callee, Expr, FloatKind, Program, StmtKind, Type};

/// The difference of two programs from one entry state.
fn differ(left: &Program, right: &Program, entry: &EntryState) -> Option<Difference> {
    let (a, b) = (run(left, entry), run(right, entry));
    let side = |program, outcome| Run { program, entry, outcome };
    assert_eq!(compare(side(left, &a), side(left, &a)), None, "a run is like itself");
    assert_eq!(compare(side(right, &b), side(right, &b)), None, "a run is like itself");
    let found = compare(side(left, &a), side(right, &b));
    let mirrored = compare(side(right, &b), side(left, &a));
    assert_eq!(found.is_some(), mirrored.is_some(), "differing is mutual");
    found
}

fn returning(ty: Type, bits: u128) -> Program {
    let mut b = ProcBuilder::new("f", &[ty]);
    b.ret(vec![Expr::Const(verdiff_model::Const::new(ty, bits))]);
    single(b)
}

#[test]
fn entry_states_and_outcomes_survive_json() {
    let mut node = Object::new(8, vec![0; 16]);
    node.contents.pointers.push(Link { offset: 8, to: Pointer::object(0) });
    let entry = EntryState {
        args: vec![Pointer::object(0).into(), Value::Bits(u128::MAX)],
        objects: vec![node],
        globals: vec![(verdiff_model::GlobalId(3), vec![1, 2].into())],
        outside: Outside {
            seed: 3,
            answers: vec![Answer {
                call: 7,
                results: vec![1],
                writes: vec![Write { symbol: "level".to_owned(), offset: 4, bytes: vec![1] }],
                fills: vec![Fill { arg: 0, offset: -1, bytes: vec![2] }],
            }],
            given: vec![Given {
                external: "lookup".to_owned(),
                pointers: vec![Pointer::NULL, Pointer::object(0)],
            }],
            failures: vec![0, 2],
            beyond: Some(9),
        },
    };
    let text = serde_json::to_string(&entry).expect("it can be written");
    assert_eq!(serde_json::from_str::<EntryState>(&text).expect("it can be read"), entry);
    let outcome = run(&calling("unknown", &[PTR], &[I32]), &objects(&[b"x"]));
    let text = serde_json::to_string(&outcome).expect("it can be written");
    assert_eq!(serde_json::from_str::<Outcome>(&text).expect("it can be read"), outcome);
}

#[test]
fn results_and_nans() {
    let entry = args(&[]);
    assert_eq!(differ(&returning(I32, 1), &returning(I32, 1), &entry), None);
    let found = differ(&returning(I32, 1), &returning(I32, 2), &entry);
    assert!(matches!(found, Some(Difference::Result { index: 0, .. })));
    let double = Type::Float(FloatKind::Double);
    let nan = |payload: u128| returning(double, 0x7ff8_0000_0000_0000 | payload);
    assert_eq!(differ(&nan(1), &nan(2), &entry), None);
    let zeros = differ(&returning(double, 0), &returning(double, 1 << 63), &entry);
    assert!(zeros.is_some(), "minus zero is not zero");
}

#[test]
fn traps_and_ends() {
    let abort = calling("abort", &[], &[]);
    let exit = {
        let mut program = Program::default();
        let exit = add_external(&mut program, "exit", &[I32], &[]);
        let mut b = ProcBuilder::new("f", &[]);
        b.call(&[], Callee::External(exit), vec![i32c(1)]).ret(vec![]);
        add_procedure(&mut program, b);
        program
    };
    assert_eq!(differ(&abort, &abort, &args(&[])), None);
    let found = differ(&abort, &exit, &args(&[]));
    assert!(matches!(found, Some(Difference::Termination { .. })));
}

/// Stores a byte into the first of two objects, or the second.
fn storing(second: bool, value: u8) -> Program {
    let mut b = ProcBuilder::new("f", &[]);
    let (p, q) = (b.param("p", PTR), b.param("q", PTR));
    b.store(v(if second { q } else { p }), byte(value)).ret(vec![]);
    single(b)
}

#[test]
fn memory_counts_by_what_it_holds_not_by_who_wrote_it() {
    let entry = objects(&[&[5], &[5]]);
    assert_eq!(differ(&storing(false, 5), &storing(true, 5), &entry), None);
    assert_eq!(
        differ(&storing(false, 6), &storing(true, 5), &entry),
        Some(Difference::Memory { place: "object 0".into(), offset: Some(0) })
    );
}

/// Whoever called `setjmp` goes on with that memory; after any other function that does not return nobody does.
#[test]
fn memory_counts_after_longjmp() {
    let leaving = |name: &str, value: u8| {
        let mut program = Program::default();
        let leave = add_external(&mut program, name, &[PTR, I32], &[]);
        program.externals[leave.index()].no_return = true;
        let mut b = ProcBuilder::new("f", &[]);
        let (p, q) = (b.param("p", PTR), b.param("q", PTR));
        b.store(v(p), byte(value));
        b.call(&[], Callee::External(leave), vec![v(q), i32c(1)]).ret(vec![]);
        add_procedure(&mut program, b);
        program
    };
    let entry = objects(&[&[5], &[5]]);
    assert_eq!(differ(&leaving("longjmp", 6), &leaving("longjmp", 6), &entry), None);
    assert_eq!(
        differ(&leaving("longjmp", 6), &leaving("longjmp", 7), &entry),
        Some(Difference::Memory { place: "object 0".into(), offset: Some(0) })
    );
    assert_eq!(differ(&leaving("panic", 6), &leaving("panic", 7), &entry), None);
}

#[test]
fn globals_correspond_by_name_and_an_untouched_one_has_its_initial_value() {
    // The new version has another global first, so the numbers are shifted.
    let build = |extra: bool, value: u8| {
        let mut program = Program::default();
        if extra {
            add_global(&mut program, "extra", &[1], false);
        }
        let g = add_global(&mut program, "g", &[7], false);
        let mut b = ProcBuilder::new("f", &[]);
        b.store(Expr::Address(Address::Global(g)), byte(value)).ret(vec![]);
        add_procedure(&mut program, b);
        program
    };
    let untouched = {
        let mut program = Program::default();
        add_global(&mut program, "g", &[7], false);
        let mut b = ProcBuilder::new("f", &[]);
        b.ret(vec![]);
        add_procedure(&mut program, b);
        program
    };
    let entry = args(&[]);
    assert_eq!(differ(&build(false, 9), &build(true, 9), &entry), None);
    assert!(differ(&build(false, 9), &build(true, 8), &entry).is_some());
    assert_eq!(differ(&build(true, 7), &untouched, &entry), None);
    assert!(differ(&build(true, 8), &untouched, &entry).is_some());
}

#[test]
fn string_literals_are_equal_by_contents() {
    let build = |name: &str, text: &[u8]| {
        let mut program = Program::default();
        let literal = add_global(&mut program, name, text, true);
        let mut b = ProcBuilder::new("f", &[PTR]);
        b.ret(vec![Expr::Address(Address::Global(literal))]);
        add_procedure(&mut program, b);
        program
    };
    let entry = args(&[]);
    assert_eq!(differ(&build(".str", b"a\0"), &build(".str.1", b"a\0"), &entry), None);
    assert!(differ(&build(".str", b"a\0"), &build(".str.1", b"b\0"), &entry).is_some());
}

#[test]
fn the_order_of_allocations_does_not_matter_but_their_contents_do() {
    let build = |swapped: bool, value: i32| {
        let mut program = Program::default();
        let malloc = add_external(&mut program, "malloc", &[I64], &[PTR]);
        let mut b = ProcBuilder::new("f", &[PTR, PTR]);
        let [p, q] = ["p", "q"].map(|name| b.var(name, PTR));
        let order = if swapped { [q, p] } else { [p, q] };
        for var in order {
            b.call(&[var], Callee::External(malloc), vec![i64c(4)]);
        }
        b.store(v(p), i32c(1)).store(v(q), i32c(value)).ret(vec![v(p), v(q)]);
        add_procedure(&mut program, b);
        program
    };
    let entry = args(&[]);
    assert_eq!(differ(&build(false, 2), &build(true, 2), &entry), None);
    assert!(differ(&build(false, 2), &build(true, 3), &entry).is_some());
}

#[test]
fn bytes_without_values_are_a_weaker_difference() {
    // One version copies a struct with its padding, the other field by field.
    let build = |whole: bool| {
        let mut b = ProcBuilder::new("f", &[]);
        let out = b.param("out", PTR);
        let local = Expr::Address(Address::Local(b.local("s", 8, 4)));
        b.store(local.clone(), byte(1)).store(at(local.clone(), i64c(4)), i32c(2));
        if whole {
            let access = Access::Plain;
            b.stmt(StmtKind::Copy { dst: v(out), src: local, len: i64c(8), align: 1, access });
        } else {
            b.store(v(out), byte(1)).store(at(v(out), i64c(4)), i32c(2));
        }
        b.ret(vec![]);
        single(b)
    };
    let found = differ(&build(true), &build(false), &objects(&[&[0; 8]]));
    assert_eq!(found, Some(Difference::Initialisation { place: "object 0".into(), offset: 1 }));
}

#[test]
fn a_run_that_was_stopped_is_compared_with_nothing() {
    let mut b = ProcBuilder::new("f", &[]);
    let head = b.block();
    b.goto(head);
    b.at(head).goto(head);
    let program = single(b);
    let (a, b) = (run(&program, &args(&[])), run(&program, &args(&[])));
    let entry = args(&[]);
    let side = |outcome| Run { program: &program, entry: &entry, outcome };
    assert_eq!(compare(side(&a), side(&b)), Some(Difference::Inconclusive));
}
