//! How many statements the interpreter executes in a second, for a few kinds of loops:
//! `cargo run --release -p verdiff-model --example interp_speed`.

use std::time::Instant;
use verdiff_model::build::{ProcBuilder, add, add_procedure, at, byte, i32c, i64c, op2, sext, v};
use verdiff_model::interp::{Limits, Machine};
use verdiff_model::state::{EntryState, Object, Pointer, Value};
use verdiff_model::{Address, BinaryOp, Callee, Expr, ProcId, Program, Type};

fn main() {
    let mut program = Program::default();
    let sum = add_sum(&mut program);
    let sieve = add_sieve(&mut program);
    let add_two = add_callee(&mut program);
    let calls = add_calls(&mut program, add_two);
    let locals = add_locals(&mut program);
    let tiny = add_tiny(&mut program);

    let mut machine = Machine::new(&program);
    let number = |n: u128| EntryState { args: vec![Value::Bits(n)], ..EntryState::default() };
    measure(&mut machine, "sum of numbers", sum, &number(20_000_000));
    let buffer = EntryState {
        args: vec![Pointer::object(0).into(), Value::Bits(4_000_000)],
        objects: vec![Object::new(1, vec![0; 4_000_000])],
        ..EntryState::default()
    };
    measure(&mut machine, "sieve over memory", sieve, &buffer);
    measure(&mut machine, "calls", calls, &number(10_000_000));
    measure(&mut machine, "array in a local object", locals, &number(10_000_000));

    let entry = number(7);
    let runs = 1_000_000;
    let start = Instant::now();
    for _ in 0..runs {
        machine.run(tiny, &entry, &Limits::default());
    }
    let seconds = start.elapsed().as_secs_f64();
    println!(
        "{:28} {:8.2} million runs/s",
        "runs of one statement",
        f64::from(runs) / seconds / 1e6
    );
}

fn measure(machine: &mut Machine<'_>, name: &str, procedure: ProcId, entry: &EntryState) {
    let limits = Limits { steps: u64::MAX, ..Limits::default() };
    let start = Instant::now();
    let outcome = machine.run(procedure, entry, &limits);
    let seconds = start.elapsed().as_secs_f64();
    let rate = outcome.steps as f64 / seconds / 1e6;
    println!("{name:28} {rate:8.1} million statements/s ({:?})", outcome.end);
}

/// `s = 0; for (i = 0; i < n; i++) s += i ^ s;`
fn add_sum(program: &mut Program) -> ProcId {
    let mut p = ProcBuilder::new("sum", &[Type::Int(32)]);
    let n = p.param("n", Type::Int(32));
    let (i, s) = (p.var("i", Type::Int(32)), p.var("s", Type::Int(32)));
    let (head, body, done) = (p.block(), p.block(), p.block());
    p.assign(i, i32c(0)).assign(s, i32c(0)).goto(head);
    p.at(head).branch(op2(BinaryOp::Slt, v(i), v(n)), body, done);
    p.at(body)
        .assign(s, add(v(s), op2(BinaryOp::Xor, v(i), v(s))))
        .assign(i, add(v(i), i32c(1)))
        .goto(head);
    p.at(done).ret(vec![v(s)]);
    add_procedure(program, p)
}

/// Crosses out multiples in a buffer of bytes and counts what is left.
fn add_sieve(program: &mut Program) -> ProcId {
    let mut p = ProcBuilder::new("sieve", &[Type::Int(32)]);
    let a = p.param("a", Type::Ptr);
    let n = p.param("n", Type::Int(32));
    let [i, j, count] = ["i", "j", "count"].map(|name| p.var(name, Type::Int(32)));
    let b = p.var("b", Type::Int(8));
    let [outer, test, mark, cross, step, next, done] = std::array::from_fn(|_| p.block());
    let element = |index| at(v(a), sext(64, v(index)));
    p.assign(i, i32c(2)).assign(count, i32c(0)).goto(outer);
    p.at(outer).branch(op2(BinaryOp::Slt, v(i), v(n)), test, done);
    p.at(test).load(b, element(i)).branch(op2(BinaryOp::Eq, v(b), byte(0)), mark, next);
    p.at(mark).assign(count, add(v(count), i32c(1))).assign(j, add(v(i), v(i))).goto(cross);
    p.at(cross).branch(op2(BinaryOp::Slt, v(j), v(n)), step, next);
    p.at(step).store(element(j), byte(1)).assign(j, add(v(j), v(i))).goto(cross);
    p.at(next).assign(i, add(v(i), i32c(1))).goto(outer);
    p.at(done).ret(vec![v(count)]);
    add_procedure(program, p)
}

fn add_callee(program: &mut Program) -> ProcId {
    let mut p = ProcBuilder::new("add_two", &[Type::Int(32)]);
    let x = p.param("x", Type::Int(32));
    p.ret(vec![add(v(x), i32c(2))]);
    add_procedure(program, p)
}

/// `for (i = 0; i < n; i++) s = add_two(s);`
fn add_calls(program: &mut Program, callee: ProcId) -> ProcId {
    let mut p = ProcBuilder::new("calls", &[Type::Int(32)]);
    let n = p.param("n", Type::Int(32));
    let (i, s) = (p.var("i", Type::Int(32)), p.var("s", Type::Int(32)));
    let (head, body, done) = (p.block(), p.block(), p.block());
    p.assign(i, i32c(0)).assign(s, i32c(0)).goto(head);
    p.at(head).branch(op2(BinaryOp::Slt, v(i), v(n)), body, done);
    p.at(body)
        .call(&[s], Callee::Procedure(callee), vec![v(s)])
        .assign(i, add(v(i), i32c(1)))
        .goto(head);
    p.at(done).ret(vec![v(s)]);
    add_procedure(program, p)
}

/// Sums through an array of 16 words in the frame.
fn add_locals(program: &mut Program) -> ProcId {
    let mut p = ProcBuilder::new("locals", &[Type::Int(64)]);
    let n = p.param("n", Type::Int(32));
    let array = p.local("array", 128, 8);
    let i = p.var("i", Type::Int(32));
    let [x, k] = ["x", "k"].map(|name| p.var(name, Type::Int(64)));
    let (head, body, done) = (p.block(), p.block(), p.block());
    let base = || Expr::Address(Address::Local(array));
    let element = || at(base(), op2(BinaryOp::Mul, v(k), i64c(8)));
    p.stmt(verdiff_model::StmtKind::Fill {
        dst: base(),
        byte: byte(0),
        len: i64c(128),
        align: 8,
        access: verdiff_model::Access::Plain,
    });
    p.assign(i, i32c(0)).goto(head);
    p.at(head).branch(op2(BinaryOp::Slt, v(i), v(n)), body, done);
    p.at(body)
        .assign(k, op2(BinaryOp::And, sext(64, v(i)), i64c(15)))
        .load(x, element())
        .store(element(), add(v(x), sext(64, v(i))))
        .assign(i, add(v(i), i32c(1)))
        .goto(head);
    p.at(done).load(x, base()).ret(vec![v(x)]);
    add_procedure(program, p)
}

fn add_tiny(program: &mut Program) -> ProcId {
    let mut p = ProcBuilder::new("tiny", &[Type::Int(32)]);
    let x = p.param("x", Type::Int(32));
    p.ret(vec![add(v(x), v(x))]);
    add_procedure(program, p)
}
