//! Calls, unknown functions, limits, and what an observer sees.

#![allow(clippy::single_range_in_vec_init, reason = "one unset range is what is meant")]

use crate::interp_support;

use interp_support::*;
use verdiff_model::build::*;
use verdiff_model::interp::{Limits, Machine, Observer};
use verdiff_model::state::{
    Answer, Contents, Difference, End, EntryState, Event, Fill, Payload, Run, StopReason, Value,
    compare,
};
use verdiff_model::{
    Address, BinaryOp, BlockId, Callee, Expr, ExternalKind, FloatKind, ProcId, Program, Trap, Type,
    Unsupported,
};

/// `int sum(int n) { return n == 0 ? 0 : n + sum(n - 1); }`
fn recursive_sum() -> Program {
    let mut program = Program::default();
    let mut b = ProcBuilder::new("sum", &[I32]);
    let (n, r) = (b.param("n", I32), b.var("r", I32));
    let (more, done) = (b.block(), b.block());
    b.branch(op2(BinaryOp::Eq, v(n), i32c(0)), done, more);
    b.at(more).call(&[r], Callee::Procedure(ProcId(0)), vec![add(v(n), i32c(-1))]);
    b.ret(vec![add(v(n), v(r))]);
    b.at(done).ret(vec![i32c(0)]);
    add_procedure(&mut program, b);
    program
}

#[test]
fn recursion_works_down_to_the_limit() {
    let program = recursive_sum();
    assert_eq!(result(&run(&program, &args(&[1000]))), 500_500);
    let limits = Limits { depth: 100, ..Limits::default() };
    let outcome = run_with(&program, &args(&[1000]), &limits);
    assert_eq!(outcome.end, End::Stopped(StopReason::StackDepth));
    assert_eq!(result(&run_with(&program, &args(&[99]), &limits)), 4950);
}

#[test]
fn endless_loops_run_out_of_steps() {
    let mut b = ProcBuilder::new("f", &[]);
    let head = b.block();
    b.goto(head);
    b.at(head).goto(head);
    let limits = Limits { steps: 1000, ..Limits::default() };
    let outcome = run_with(&single(b), &args(&[]), &limits);
    assert_eq!((outcome.end, outcome.steps), (End::OutOfSteps, 1000));
}

#[test]
fn memory_and_objects_are_limited() {
    let malloc = calling("malloc", &[I64], &[PTR]);
    let limits = Limits { memory: 1 << 16, ..Limits::default() };
    let outcome = run_with(&malloc, &args(&[1 << 20]), &limits);
    assert_eq!(outcome.end, End::Stopped(StopReason::Memory));
    let limits = Limits { objects: 0, ..Limits::default() };
    let outcome = run_with(&malloc, &args(&[1]), &limits);
    assert_eq!(outcome.end, End::Stopped(StopReason::Objects));
    // What no machine has is refused, as `malloc` does.
    let null = pointer(&run(&malloc, &args(&[u128::from(u64::MAX)])));
    assert_eq!(null, verdiff_model::state::Pointer::NULL);
}

#[test]
fn a_procedure_that_was_not_lowered_stops_the_run() {
    let mut program = Program::default();
    let mut callee = ProcBuilder::new("variadic", &[]).finish();
    callee.blocks.clear();
    callee.unsupported = vec![Unsupported::new("va_arg", verdiff_model::Loc::NONE)];
    program.procedures.push(callee);
    let mut b = ProcBuilder::new("f", &[]);
    b.call(&[], Callee::Procedure(ProcId(0)), vec![]).ret(vec![]);
    add_procedure(&mut program, b);
    let outcome = run(&program, &args(&[]));
    assert_eq!(outcome.end, End::Stopped(StopReason::Unsupported(ProcId(0))));
}

#[test]
fn entry_states_that_do_not_fit_are_refused() {
    let program = example_double();
    for entry in [args(&[]), args(&[1, 2])] {
        assert!(matches!(run(&program, &entry).end, End::Stopped(StopReason::BadEntry(_))));
    }
    let astray = EntryState {
        args: vec![verdiff_model::state::Pointer::object(0).into()],
        ..EntryState::default()
    };
    assert!(matches!(run(&program, &astray).end, End::Stopped(StopReason::BadEntry(_))));
}

/// Calls an unknown function twice with its two parameters and returns the difference.
fn calls_twice() -> Program {
    let mut program = Program::default();
    let external = Callee::External(add_external(&mut program, "measure", &[I32], &[I32]));
    let mut b = ProcBuilder::new("f", &[I32, I32]);
    let (x, y) = (b.param("x", I32), b.param("y", I32));
    let (r, s) = (b.var("r", I32), b.var("s", I32));
    b.call(&[r], external.clone(), vec![v(x)]).call(&[s], external, vec![v(y)]);
    b.ret(vec![v(r), v(s)]);
    add_procedure(&mut program, b);
    program
}

fn results(outcome: &verdiff_model::state::Outcome) -> Vec<u128> {
    let End::Returned(results) = &outcome.end else { panic!("it returns: {:?}", outcome.end) };
    let bits = |r: &verdiff_model::state::Returned| match r.value {
        Some(Value::Bits(bits)) => bits,
        _ => panic!("it has bits"),
    };
    results.iter().map(bits).collect()
}

#[test]
fn unknown_functions_depend_on_arguments_and_on_the_past() {
    let program = calls_twice();
    let a = run(&program, &args(&[1, 1]));
    let b = run(&program, &args(&[1, 2]));
    let c = run(&program, &args(&[2, 1]));
    let [a, b, c] = [a, b, c].map(|o| results(&o));
    assert_eq!(a[0], b[0], "equal calls with an equal past are equal");
    assert_ne!(a[1], b[1], "other arguments give another result");
    assert_ne!(a[1], c[1], "another past gives another result");
    assert_ne!(a[0], a[1], "the first call is part of the second one's past");
}

#[test]
fn pure_intrinsics_have_no_past_and_leave_no_trace() {
    let mut program = calls_twice();
    program.externals[0].kind = ExternalKind::PureIntrinsic;
    let outcome = run(&program, &args(&[1, 1]));
    let values = results(&outcome);
    assert_eq!(values[0], values[1]);
    assert_eq!(outcome.world.count, 0);
}

#[test]
fn an_unknown_function_fills_a_buffer_that_has_no_values() {
    // int x; fill(&x); return x;
    let mut program = Program::default();
    let fill = Callee::External(add_external(&mut program, "fill", &[PTR], &[]));
    let mut b = ProcBuilder::new("f", &[I32]);
    let (local, x) = (b.local("x", 4, 4), b.var("x", I32));
    let address = Expr::Address(Address::Local(local));
    b.call(&[], fill, vec![address.clone()]).load(x, address).ret(vec![v(x)]);
    add_procedure(&mut program, b);
    let outcome = run(&program, &args(&[]));
    assert_ne!(result(&outcome), 0);
    let Event::Call { payloads, effect, .. } = &outcome.world.events[0] else {
        panic!("it is a call")
    };
    let effect = effect.as_ref().expect("nothing is known of it");
    let bytes = (result(&outcome) as u32).to_le_bytes().to_vec();
    assert_eq!(effect.fills, [Fill { arg: 0, offset: 0, bytes }]);
    let unset = Contents { bytes: vec![0; 4], pointers: vec![], unset: vec![0..4] };
    assert_eq!(payloads, &[Payload { arg: 0, contents: unset }]);
}

#[test]
fn an_unknown_function_answers_what_the_entry_state_says() {
    let program = calling("anything", &[], &[I32]);
    let mut entry = args(&[]);
    let left_to_chance = run(&program, &entry);
    let Event::Call { effect: Some(effect), .. } = &left_to_chance.world.events[0] else {
        panic!("it is a call of an unknown function")
    };
    assert_eq!(effect.results, [result(&left_to_chance)]);
    entry.outside.answers.push(Answer {
        call: effect.call,
        results: vec![42],
        ..Answer::default()
    });
    assert_eq!(result(&run(&program, &entry)), 42);
    // The answer belongs to this call, not to every one.
    entry.outside.answers[0].call ^= 1;
    assert_eq!(result(&run(&program, &entry)), effect.results[0]);
    entry.outside.seed = 1;
    assert_ne!(result(&run(&program, &entry)), effect.results[0]);
}

#[test]
fn what_an_unknown_function_can_see_is_part_of_the_event() {
    let program = calling("log_text", &[PTR], &[I32]);
    let (one, two) = (objects(&[b"one"]), objects(&[b"two"]));
    let (a, b) = (run(&program, &one), run(&program, &two));
    let run = |entry, outcome| Run { program: &program, entry, outcome };
    assert_eq!(compare(run(&one, &a), run(&two, &b)), Some(Difference::World { index: 0 }));
}

#[test]
fn unknown_results_of_every_type_are_within_it() {
    for ty in [Type::BOOL, I8, I64, Type::Int(128), Type::Float(FloatKind::Double), PTR] {
        let outcome = run(&calling("anything", &[], &[ty]), &args(&[]));
        let End::Returned(results) = &outcome.end else { panic!("it returns") };
        match results[0].value {
            Some(Value::Bits(bits)) => assert_eq!(bits & !ty.mask(), 0),
            Some(Value::Pointer(p)) => assert_eq!(p, verdiff_model::state::Pointer::NULL),
            None => panic!("it has a value"),
        }
    }
}

#[test]
fn a_function_that_never_returns_ends_the_run() {
    let mut program = calling("panic", &[I32], &[]);
    program.externals[0].no_return = true;
    let outcome = run(&program, &args(&[5]));
    assert_eq!(outcome.end, End::LeftThrough("panic".into()));
    assert_eq!(outcome.world.count, 1);
}

#[test]
fn empty_assembly_gives_back_what_it_was_given() {
    let mut program = calling("", &[I32], &[I32]);
    program.externals[0].kind = ExternalKind::Assembly;
    let outcome = run(&program, &args(&[77]));
    assert_eq!((result(&outcome), outcome.world.count), (77, 1));
}

#[test]
fn a_call_of_another_type_traps() {
    let mut program = Program::default();
    let callee = add_procedure(&mut program, {
        let mut b = ProcBuilder::new("takes_two", &[]);
        b.param("a", I32);
        b.param("b", I32);
        b.ret(vec![]);
        b
    });
    let mut b = ProcBuilder::new("f", &[]);
    let signature = verdiff_model::Signature { params: vec![I32], ..Default::default() };
    let addr = Expr::Address(Address::Procedure(callee));
    b.call(&[], Callee::Indirect { addr, signature }, vec![i32c(1)]).ret(vec![]);
    add_procedure(&mut program, b);
    assert_eq!(trap(&run(&program, &args(&[]))), Trap::BadCall);
}

#[test]
fn dense_and_sparse_switches() {
    let mut b = ProcBuilder::new("f", &[I32]);
    let x = b.param("x", I64);
    let blocks: Vec<BlockId> = (0..4).map(|_| b.block()).collect();
    let cases = |values: [u128; 3]| values.into_iter().zip(blocks[1..].to_vec()).collect();
    for (at, block) in blocks.iter().enumerate() {
        b.at(*block).ret(vec![i32c(at as i32)]);
    }
    let mut sparse = b.finish();
    let mut dense = sparse.clone();
    let switch =
        |cases| verdiff_model::TerminatorKind::Switch { value: v(x), cases, default: blocks[0] };
    dense.blocks[0].end.kind = switch(cases([5, 7, 6]));
    sparse.blocks[0].end.kind = switch(cases([5, 1 << 40, u128::from(u64::MAX)]));
    let wrap = |p| Program { procedures: vec![p], files: vec!["f.c".into()], ..Program::default() };
    let (dense, sparse) = (wrap(dense), wrap(sparse));
    let of = |program: &Program, value: u128| result(&run(program, &args(&[value])));
    assert_eq!([4, 5, 6, 7, 8, 1 << 40].map(|x| of(&dense, x)), [0, 1, 3, 2, 0, 0]);
    assert_eq!([4, 5, 1 << 40, u128::from(u64::MAX)].map(|x| of(&sparse, x)), [0, 1, 2, 3]);
}

#[derive(Default)]
struct Trace {
    blocks: Vec<(u32, u32)>,
    compared: Vec<(u64, u64)>,
    calls: i32,
    deepest: i32,
}

impl Observer for Trace {
    fn block(&mut self, procedure: ProcId, block: BlockId) {
        self.blocks.push((procedure.0, block.0));
    }
    fn compare(&mut self, _: ProcId, _: u32, op: BinaryOp, lhs: u64, rhs: u64) {
        assert_eq!(op, BinaryOp::Eq);
        self.compared.push((lhs, rhs));
    }
    fn call(&mut self, _: ProcId) {
        self.calls += 1;
        self.deepest = self.deepest.max(self.calls);
    }
    fn leave(&mut self, _: ProcId) {
        self.calls -= 1;
    }
}

#[test]
fn an_observer_sees_blocks_comparisons_and_calls() {
    let program = recursive_sum();
    let mut trace = Trace::default();
    let outcome =
        Machine::new(&program).run_observed(ProcId(0), &args(&[2]), &Limits::default(), &mut trace);
    assert_eq!(result(&outcome), 3);
    assert_eq!(trace.blocks, [(0, 0), (0, 1), (0, 0), (0, 1), (0, 0), (0, 2)]);
    assert_eq!(trace.compared, [(2, 0), (1, 0), (0, 0)]);
    assert_eq!((trace.calls, trace.deepest), (0, 3));
}
