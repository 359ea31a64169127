//! What the interpreter's tests share: running a procedure and looking at how it ended.
#![allow(dead_code)]

use verdiff_model::build::{ProcBuilder, add_external, add_procedure, v};
use verdiff_model::interp::{Limits, Machine};
use verdiff_model::state::{End, EntryState, Object, Outcome, Pointer, Value};
use verdiff_model::{Callee, Expr, ProcId, Program, Trap, Type, validate};

pub const I8: Type = Type::Int(8);
pub const I32: Type = Type::Int(32);
pub const I64: Type = Type::Int(64);
pub const PTR: Type = Type::Ptr;

/// A program of one procedure.
pub fn single(builder: ProcBuilder) -> Program {
    let mut program = Program::default();
    add_procedure(&mut program, builder);
    program
}

/// Runs the last procedure of a program.
pub fn run(program: &Program, entry: &EntryState) -> Outcome {
    run_with(program, entry, &Limits::default())
}

/// Runs the last procedure of a program within limits.
pub fn run_with(program: &Program, entry: &EntryState, limits: &Limits) -> Outcome {
    assert_eq!(validate(program), Ok(()), "the test's program is ill-formed");
    let last = ProcId::new(program.procedures.len() - 1);
    let mut machine = Machine::new(program);
    let outcome = machine.run(last, entry, limits);
    // Every test is a test of determinism and of the reset between runs too.
    assert_eq!(machine.run(last, entry, limits), outcome, "a second run is like the first");
    outcome
}

/// An entry state of plain arguments.
pub fn args(values: &[u128]) -> EntryState {
    EntryState { args: values.iter().map(|v| Value::Bits(*v)).collect(), ..EntryState::default() }
}

/// An entry state whose arguments point to objects with these bytes.
pub fn objects(contents: &[&[u8]]) -> EntryState {
    EntryState {
        args: (0..contents.len()).map(|i| Pointer::object(i as u32).into()).collect(),
        objects: contents.iter().map(|bytes| Object::new(1, bytes.to_vec())).collect(),
        ..EntryState::default()
    }
}

/// The bits of the only result.
pub fn result(outcome: &Outcome) -> u128 {
    match &outcome.end {
        End::Returned(results) => match results[..] {
            [only] => match only.value {
                Some(Value::Bits(bits)) => bits,
                other => panic!("the result is {other:?}"),
            },
            _ => panic!("there are {} results", results.len()),
        },
        other => panic!("the run ended with {other:?}"),
    }
}

/// The only result, a pointer.
pub fn pointer(outcome: &Outcome) -> Pointer {
    match &outcome.end {
        End::Returned(results) => match results[0].value {
            Some(Value::Pointer(pointer)) => pointer,
            other => panic!("the result is {other:?}"),
        },
        other => panic!("the run ended with {other:?}"),
    }
}

/// How the run trapped.
pub fn trap(outcome: &Outcome) -> Trap {
    match outcome.end {
        End::Trapped { trap, .. } => trap,
        ref other => panic!("the run ended with {other:?}"),
    }
}

/// A program whose last procedure passes its parameters to an external function and returns
/// what that returns.
pub fn calling(name: &str, params: &[Type], results: &[Type]) -> Program {
    let mut program = Program::default();
    let external = add_external(&mut program, name, params, results);
    let mut p = ProcBuilder::new("caller", results);
    let args: Vec<Expr> =
        params.iter().enumerate().map(|(i, ty)| v(p.param(&format!("p{i}"), *ty))).collect();
    let outs: Vec<_> = results.iter().map(|ty| p.var("r", *ty)).collect();
    p.call(&outs, Callee::External(external), args);
    p.ret(outs.into_iter().map(v).collect());
    add_procedure(&mut program, p);
    program
}
