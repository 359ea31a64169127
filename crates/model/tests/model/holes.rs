//! Bodies with holes: nobody executes them, and they are checked and kept like other code.

use crate::interp_support;

use interp_support::*;
use verdiff_model::build::*;
use verdiff_model::interp::{Limits, Machine};
use verdiff_model::state::{End, StopReason};
use verdiff_model::{
    Address, GlobalId, Loc, Opaque, ProcId, Procedure, Program, StmtKind, Unsupported, VarId,
    validate,
};

/// `f(a) { x = hole(a); return x; }`, executed as it is.
fn executed() -> Program {
    let mut p = ProcBuilder::new("f", &[I32]);
    let a = p.param("a", I32);
    let x = p.var("x", I32);
    let code = Box::new(Opaque { code: 7, ..Opaque::default() });
    p.stmt(StmtKind::Hole { results: vec![x], code, args: vec![v(a)] });
    p.ret(vec![v(x)]);
    single(p)
}

/// The same where nobody executes it.
fn kept() -> Program {
    let mut program = executed();
    let opened = program.procedures[0].clone();
    let unsupported = vec![Unsupported::new("va_arg", Loc::NONE)];
    let given = Procedure { unsupported, blocks: vec![], locals: vec![], ..opened.clone() };
    program.procedures[0] = given.closed(opened);
    program
}

fn problems(program: &Program) -> String {
    let problems = validate(program).expect_err("something is wrong");
    problems.iter().map(|x| x.describe(program)).collect::<Vec<_>>().join("\n")
}

#[test]
fn a_hole_is_not_executed() {
    let stopped = End::Stopped(StopReason::Unsupported(ProcId(0)));
    assert_eq!(run(&kept(), &args(&[1])).end, stopped);
    // Not even where it must not be.
    assert!(problems(&executed()).contains("a hole in code that is executed"));
    let program = executed();
    let mut machine = Machine::new(&program);
    assert_eq!(machine.run(ProcId(0), &args(&[1]), &Limits::default()).end, stopped);
}

#[test]
fn bodies_with_holes_are_opened_and_closed() {
    let program = kept();
    validate(&program).unwrap();
    let given = &program.procedures[0];
    assert!(given.blocks.is_empty() && !given.is_supported());
    let opened = given.opened().unwrap();
    assert_eq!(opened.blocks, executed().procedures[0].blocks);
    assert_eq!(opened.holes().map(|hole| hole.code).collect::<Vec<_>>(), [7]);
    assert_eq!(given.closed(opened), *given);
    let none = Procedure { with_holes: None, ..given.clone() };
    assert!(none.opened().is_none());
}

#[test]
fn bodies_with_holes_are_checked() {
    let spoiled = |spoil: fn(&mut Procedure)| {
        let mut program = kept();
        spoil(&mut program.procedures[0]);
        problems(&program)
    };
    let body = |p: &mut Procedure, with: fn(&mut StmtKind)| {
        with(&mut p.with_holes.as_mut().unwrap().blocks[0].stmts[0].kind);
    };
    let text = spoiled(|p| p.with_holes.as_mut().unwrap().params.clear());
    assert!(text.contains("a body with holes that is not the procedure's"), "{text}");
    let text = spoiled(|p| p.with_holes.as_mut().unwrap().blocks.clear());
    assert!(text.contains("a body with holes that is not the procedure's"), "{text}");
    let mut program = executed();
    program.procedures[0].with_holes = kept().procedures[0].with_holes.clone();
    assert!(problems(&program).contains("a body with holes that is not the procedure's"));
    let mut program = kept();
    body(&mut program.procedures[0], |kind| {
        if let StmtKind::Hole { results, .. } = kind {
            results.push(VarId(9));
        }
    });
    assert!(validate(&program).is_err());
    let mut program = kept();
    body(&mut program.procedures[0], |kind| {
        if let StmtKind::Hole { code, .. } = kind {
            code.names.push(Address::Global(GlobalId(3)));
        }
    });
    assert!(validate(&program).is_err());
}

#[test]
fn bodies_with_holes_are_part_of_a_program_in_text() {
    let program = kept();
    let text = serde_json::to_string(&program).unwrap();
    assert_eq!(serde_json::from_str::<Program>(&text).unwrap(), program);
}
