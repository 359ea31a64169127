//! Every way to trap, each in a program as small as it can be.

use crate::interp_support;

use interp_support::*;
use verdiff_model::build::*;
use verdiff_model::state::{End, EntryState, Object, Pointer, Run, Value, compare};
use verdiff_model::{
    Access, Address, BinaryOp, Callee, Expr, ProcId, Program, Signature, StmtKind, TerminatorKind,
    Trap,
};

/// A load of four bytes, with alignment 4, at a parameter.
fn loader() -> Program {
    let mut p = ProcBuilder::new("load", &[I32]);
    let a = p.param("a", PTR);
    let x = p.var("x", I32);
    p.stmt(StmtKind::Load { dst: x, addr: v(a), align: 4, access: Access::Plain });
    p.ret(vec![v(x)]);
    single(p)
}

fn at_object(size: usize, align: u32, offset: i64) -> EntryState {
    EntryState {
        args: vec![Pointer::object(0).plus(offset).into()],
        objects: vec![Object::new(align, (0..size as u8).collect())],
        ..EntryState::default()
    }
}

#[test]
fn a_load_within_its_object_reads_little_endian() {
    assert_eq!(result(&run(&loader(), &at_object(8, 4, 4))), 0x0706_0504);
}

#[test]
fn null_and_what_is_near_it() {
    for address in [0, 4, 65532] {
        assert_eq!(trap(&run(&loader(), &args(&[address]))), Trap::NullAccess);
    }
    assert_eq!(trap(&run(&loader(), &args(&[65536]))), Trap::OutOfBounds);
    assert_eq!(trap(&run(&loader(), &args(&[u128::from(u64::MAX)]))), Trap::OutOfBounds);
}

#[test]
fn outside_the_object_on_either_side() {
    for offset in [-4, 5, 8, 1 << 20, -(1 << 20)] {
        assert_eq!(trap(&run(&loader(), &at_object(8, 4, offset))), Trap::OutOfBounds, "{offset}");
    }
}

#[test]
fn bounds_come_before_alignment() {
    assert_eq!(trap(&run(&loader(), &at_object(8, 4, 6))), Trap::OutOfBounds);
    assert_eq!(trap(&run(&loader(), &at_object(8, 4, 2))), Trap::Misaligned);
    assert_eq!(trap(&run(&loader(), &args(&[2]))), Trap::NullAccess);
}

#[test]
fn a_trap_knows_its_procedure_and_line() {
    let outcome = run(&loader(), &args(&[0]));
    let End::Trapped { procedure, loc, .. } = outcome.end else { panic!("it traps") };
    assert_eq!((procedure, loc.line), (ProcId(0), 2));
}

#[test]
fn writing_a_constant() {
    let mut program = Program::default();
    let constant = add_global(&mut program, "table", &[1, 2, 3, 4], true);
    let mut p = ProcBuilder::new("f", &[]);
    p.store(Expr::Address(Address::Global(constant)), byte(1)).ret(vec![]);
    add_procedure(&mut program, p);
    assert_eq!(trap(&run(&program, &args(&[]))), Trap::ReadOnly);
}

#[test]
fn a_local_byte_before_it_is_written() {
    let mut p = ProcBuilder::new("f", &[I32]);
    let local = p.local("buffer", 8, 4);
    let base = Expr::Address(Address::Local(local));
    let x = p.var("x", I32);
    // Three of four bytes are not enough.
    for i in 0..3 {
        p.store(at(base.clone(), i64c(i)), byte(7));
    }
    p.load(x, base).ret(vec![v(x)]);
    assert_eq!(trap(&run(&single(p), &args(&[]))), Trap::Uninitialised);
}

#[test]
fn a_local_after_its_procedure_returned() {
    let mut program = Program::default();
    let mut callee = ProcBuilder::new("dangling", &[PTR]);
    let local = callee.local("x", 4, 4);
    callee.store(Expr::Address(Address::Local(local)), i32c(1));
    callee.ret(vec![Expr::Address(Address::Local(local))]);
    let callee = add_procedure(&mut program, callee);
    let mut p = ProcBuilder::new("f", &[I32]);
    let (a, x) = (p.var("a", PTR), p.var("x", I32));
    p.call(&[a], Callee::Procedure(callee), vec![]).load(x, v(a)).ret(vec![v(x)]);
    add_procedure(&mut program, p);
    assert_eq!(trap(&run(&program, &args(&[]))), Trap::UseAfterFree);
}

/// `p = malloc(8); free(p + offset); [free(p);] x = *p`.
fn freeing(offset: i64, twice: bool) -> Program {
    let mut program = Program::default();
    let malloc = add_external(&mut program, "malloc", &[I64], &[PTR]);
    let free = add_external(&mut program, "free", &[PTR], &[]);
    let mut p = ProcBuilder::new("f", &[I8]);
    let (a, x) = (p.var("a", PTR), p.var("x", I8));
    p.call(&[a], Callee::External(malloc), vec![i64c(8)]);
    p.call(&[], Callee::External(free), vec![at(v(a), i64c(offset))]);
    if twice {
        p.call(&[], Callee::External(free), vec![v(a)]);
    }
    p.load(x, v(a)).ret(vec![v(x)]);
    add_procedure(&mut program, p);
    program
}

#[test]
fn heap_after_free_and_wrong_frees() {
    assert_eq!(trap(&run(&freeing(0, false), &args(&[]))), Trap::UseAfterFree);
    assert_eq!(trap(&run(&freeing(0, true), &args(&[]))), Trap::BadFree);
    assert_eq!(trap(&run(&freeing(1, false), &args(&[]))), Trap::BadFree);
}

#[test]
fn a_check_that_fails_and_one_that_holds() {
    let mut p = ProcBuilder::new("divide", &[I32]);
    let (a, b) = (p.param("a", I32), p.param("b", I32));
    p.check(op2(BinaryOp::Ne, v(b), i32c(0)), Trap::DivisionByZero);
    let overflow = op2(
        BinaryOp::And,
        op2(BinaryOp::Eq, v(a), i32c(i32::MIN)),
        op2(BinaryOp::Eq, v(b), i32c(-1)),
    );
    p.check(Expr::not(overflow), Trap::DivisionOverflow);
    p.ret(vec![op2(BinaryOp::SDiv, v(a), v(b))]);
    let program = single(p);
    let of = |a: i32, b: i32| run(&program, &args(&[a as u32, b as u32].map(u128::from)));
    assert_eq!(trap(&of(1, 0)), Trap::DivisionByZero);
    assert_eq!(trap(&of(i32::MIN, -1)), Trap::DivisionOverflow);
    assert_eq!(result(&of(-7, 2)) as u32 as i32, -3);
}

#[test]
fn the_end_of_a_block_may_trap() {
    for kind in [Trap::Unreachable, Trap::TrapInstruction] {
        let mut p = ProcBuilder::new("f", &[]);
        p.end(TerminatorKind::Trap(kind));
        assert_eq!(trap(&run(&single(p), &args(&[]))), kind);
    }
}

#[test]
fn abort_assert_and_exit() {
    assert_eq!(trap(&run(&calling("abort", &[], &[]), &args(&[]))), Trap::Abort);
    let assert = calling("__assert_fail", &[PTR, PTR, I32, PTR], &[]);
    assert_eq!(trap(&run(&assert, &args(&[0, 0, 1, 0]))), Trap::AssertFailed);
    let exit = run(&calling("exit", &[I32], &[]), &args(&[3]));
    assert_eq!(exit.end, End::Exited(3));
}

#[test]
fn of_an_exit_status_the_low_byte_is_seen() {
    let program = calling("exit", &[I32], &[]);
    let differ = |x: u128, y: u128| {
        let (left, right) = (args(&[x]), args(&[y]));
        let (a, b) = (run(&program, &left), run(&program, &right));
        let side = |entry, outcome| Run { program: &program, entry, outcome };
        compare(side(&left, &a), side(&right, &b)).is_some()
    };
    assert!(!differ(3, 259));
    assert!(!differ(u128::from(u32::MAX), 255));
    assert!(differ(3, 4));
    assert!(differ(0, 128));
}

#[test]
fn a_variable_without_a_value_carries_that_through_copies_and_calls() {
    // int pass(int x) { return x; }
    let mut program = Program::default();
    let mut pass = ProcBuilder::new("pass", &[I32]);
    let x = pass.param("x", I32);
    pass.ret(vec![v(x)]);
    let pass = add_procedure(&mut program, pass);
    // int u, w; if (set) u = 5; w = pass(u); check w; return w;
    let mut p = ProcBuilder::new("f", &[I32]);
    let set = p.param("set", I32);
    let [u, w, z] = ["u", "w", "z"].map(|name| p.var(name, I32));
    let (give, go) = (p.block(), p.block());
    p.branch(op2(BinaryOp::Ne, v(set), i32c(0)), give, go);
    p.at(give).assign(u, i32c(5)).goto(go);
    p.at(go).assign(z, v(u)).call(&[w], Callee::Procedure(pass), vec![v(z)]);
    p.stmt(StmtKind::CheckInit { var: w }).ret(vec![v(w)]);
    add_procedure(&mut program, p);
    assert_eq!(result(&run(&program, &args(&[1]))), 5);
    assert_eq!(trap(&run(&program, &args(&[0]))), Trap::Uninitialised);
}

#[test]
fn a_wide_variable_without_a_value_is_marked_too() {
    for ty in
        [verdiff_model::Type::Int(128), verdiff_model::Type::Float(verdiff_model::FloatKind::X87)]
    {
        let mut program = Program::default();
        let mut pass = ProcBuilder::new("pass", &[ty]);
        let x = pass.param("x", ty);
        pass.ret(vec![v(x)]);
        let pass = add_procedure(&mut program, pass);
        let mut p = ProcBuilder::new("f", &[ty]);
        let set = p.param("set", I32);
        let (u, w) = (p.var("u", ty), p.var("w", ty));
        let (give, go) = (p.block(), p.block());
        p.branch(op2(BinaryOp::Ne, v(set), i32c(0)), give, go);
        p.at(give).assign(u, Expr::Const(verdiff_model::Const::new(ty, u128::MAX))).goto(go);
        p.at(go).call(&[w], Callee::Procedure(pass), vec![v(u)]);
        p.stmt(StmtKind::CheckInit { var: w }).ret(vec![v(w)]);
        add_procedure(&mut program, p);
        assert_eq!(result(&run(&program, &args(&[1]))), ty.mask());
        assert_eq!(trap(&run(&program, &args(&[0]))), Trap::Uninitialised);
    }
}

#[test]
fn a_variable_without_a_value_reads_as_zero_in_expressions() {
    let mut p = ProcBuilder::new("f", &[I32]);
    let u = p.var("u", I32);
    p.ret(vec![add(v(u), i32c(1))]);
    assert_eq!(result(&run(&single(p), &args(&[]))), 1);
    // Returned as it is, it has no value.
    let mut p = ProcBuilder::new("f", &[I32]);
    let u = p.var("u", I32);
    p.ret(vec![v(u)]);
    let End::Returned(results) = run(&single(p), &args(&[])).end else { panic!("it returns") };
    assert_eq!(results[0].value, None);
}

#[test]
fn calls_through_pointers() {
    let mut program = Program::default();
    let mut callee = ProcBuilder::new("next", &[I32]);
    let x = callee.param("x", I32);
    callee.ret(vec![add(v(x), i32c(1))]);
    let callee = add_procedure(&mut program, callee);
    let abs = add_external(&mut program, "abs", &[I32], &[I32]);
    let mut p = ProcBuilder::new("f", &[I32]);
    let (f, r) = (p.param("f", PTR), p.var("r", I32));
    let signature = Signature { params: vec![I32], results: vec![I32], variadic: false };
    p.call(&[r], Callee::Indirect { addr: v(f), signature }, vec![i32c(-5)]).ret(vec![v(r)]);
    add_procedure(&mut program, p);
    let of = |target, offset| {
        let pointer = Value::Pointer(Pointer { target, offset });
        run(&program, &EntryState { args: vec![pointer], ..EntryState::default() })
    };
    use verdiff_model::state::PointerTarget::*;
    assert_eq!(result(&of(Procedure(callee), 0)) as u32 as i32, -4);
    assert_eq!(result(&of(External(abs), 0)), 5);
    assert_eq!(trap(&of(Procedure(callee), 1)), Trap::BadCall);
    assert_eq!(trap(&of(Null, 0)), Trap::NullAccess);
    // The caller itself takes an address: another type.
    assert_eq!(trap(&of(Procedure(ProcId(1)), 0)), Trap::BadCall);
}
