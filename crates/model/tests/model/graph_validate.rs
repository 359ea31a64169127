//! Each fault of a program is found and named.

use crate::graph_support;

use graph_support::{I32, program};
use verdiff_model::*;

const BASE: &str = "
f(n, p)
b0
  x = n + 1
  [p + 4] = x
  y = g(x)
  y = h(x, p)
  if x < n b1 b2
b1
  return x
b2
  switch n 1:b1 2:b1 b1
g(a)
b0
  return a
";

/// Spoils the program and gives the problems, one a line.
fn spoiled(spoil: impl FnOnce(&mut Program)) -> String {
    let mut p = program(BASE);
    spoil(&mut p);
    let problems = validate(&p).expect_err("something is wrong");
    problems.iter().map(|x| x.describe(&p)).collect::<Vec<_>>().join("\n")
}

fn first_value(p: &mut Program) -> &mut Expr {
    match &mut p.procedures[0].blocks[0].stmts[0].kind {
        StmtKind::Assign { value, .. } => value,
        _ => unreachable!(),
    }
}

fn global(init: Init) -> Global {
    Global {
        name: "table".to_owned(),
        symbol: "table".to_owned(),
        owner: None,
        identity: None,
        linkage: Linkage::Internal,
        size: 16,
        open_ended: false,
        align: 8,
        constant: true,
        thread_local: false,
        init: Some(init),
        ctype: None,
        loc: Loc::NONE,
    }
}

#[test]
fn expressions() {
    let at = "procedure f, block b0 (b0), statement 0: ";
    let wrong = |e: Expr| spoiled(|p| *first_value(p) = e);
    assert_eq!(wrong(Expr::Var(VarId(9))), format!("{at}there is no variable v9"));
    assert_eq!(wrong(Expr::int(64, 1)), format!("{at}the assigned value has type i64, not i32"));
    assert_eq!(
        wrong(Expr::Const(Const { ty: Type::Int(8), bits: 256 })),
        format!("{at}the constant 0x100 does not fit its type i8")
    );
    assert_eq!(
        wrong(Expr::unary(UnaryOp::ZeroExtend, I32, Expr::int(32, 1))),
        format!("{at}ZeroExtend cannot lead from i32 to i32")
    );
    assert_eq!(
        wrong(Expr::unary(UnaryOp::PtrToInt, I32, Expr::null())),
        format!("{at}PtrToInt cannot lead from ptr to i32")
    );
    assert_eq!(
        wrong(Expr::binary(BinaryOp::Add, Expr::int(32, 1), Expr::int(8, 1))),
        format!("{at}Add has operands of types i32 and i8")
    );
    assert_eq!(
        wrong(Expr::binary(BinaryOp::PtrAdd, Expr::null(), Expr::int(32, 1))),
        format!("{at}PtrAdd has operands of types ptr and i32")
    );
    assert_eq!(
        wrong(Expr::binary(BinaryOp::Mul, Expr::null(), Expr::null())),
        format!("{at}Mul cannot take an operand of type ptr")
    );
    assert_eq!(
        wrong(Expr::Address(Address::Local(LocalId(0)))),
        format!("{at}there is no local object local0")
    );
    let deep = (0..100).fold(Expr::int(32, 1), |e, _| Expr::unary(UnaryOp::Neg, I32, e));
    assert_eq!(wrong(deep), format!("{at}the expression is deeper than 100 levels"));
    let not_too_deep = (0..99).fold(Expr::int(32, 1), |e, _| Expr::unary(UnaryOp::Neg, I32, e));
    let mut p = program(BASE);
    *first_value(&mut p) = not_too_deep;
    assert_eq!(validate(&p), Ok(()));
}

#[test]
fn calls() {
    let spoil_call = |at: usize, f: fn(&mut Vec<VarId>, &mut Vec<Expr>)| {
        spoiled(|p| match &mut p.procedures[0].blocks[0].stmts[at].kind {
            StmtKind::Call { results, args, .. } => f(results, args),
            _ => unreachable!(),
        })
    };
    assert!(
        spoil_call(2, |_, args| args.clear())
            .ends_with("statement 2: the call has 0 arguments, the callee 1 parameters")
    );
    assert!(
        spoil_call(3, |_, args| args[0] = Expr::null())
            .ends_with("statement 3: an argument has type ptr, not i32")
    );
    assert!(
        spoil_call(3, |results, _| results.push(VarId(0)))
            .ends_with("statement 3: 2 results where there should be 1")
    );
}

#[test]
fn control_flow() {
    let end =
        |b: usize, kind: TerminatorKind| spoiled(|p| p.procedures[0].blocks[b].end.kind = kind);
    assert!(end(1, TerminatorKind::Goto(BlockId(7))).ends_with("there is no block b7"));
    assert!(end(1, TerminatorKind::Goto(BlockId(0))).ends_with("the entry has a predecessor, b1"));
    assert!(end(1, TerminatorKind::Return(vec![])).contains("0 results where there should be 1"));
    let switch = |cases: Vec<(u128, BlockId)>| TerminatorKind::Switch {
        value: Expr::Var(VarId(0)),
        cases,
        default: BlockId(1),
    };
    assert!(end(2, switch(vec![(1, BlockId(1)), (1, BlockId(1))])).contains("two cases for"));
    assert!(end(2, switch(vec![(1 << 32, BlockId(1))])).contains("does not fit the type i32"));
}

#[test]
fn whole_procedures_and_names() {
    assert_eq!(
        spoiled(|p| p.procedures[1].blocks.clear()),
        "procedure g: there are no blocks, yet nothing is unsupported"
    );
    assert_eq!(
        spoiled(|p| p.procedures[1].unsupported.push(Unsupported::new("va_arg", Loc::NONE))),
        "procedure g: there are blocks, yet something is unsupported"
    );
    assert_eq!(
        spoiled(|p| p.procedures[1].symbol = "f".to_owned()),
        "procedure g: the symbol \"f\" is there twice"
    );
    assert!(spoiled(|p| p.procedures[1].vars[0].ty = Type::Int(129)).contains("cannot have 129"));
}

#[test]
fn initialisers() {
    let relocation =
        |offset| Relocation { offset, target: Address::Procedure(ProcId(0)), addend: 0 };
    let wrong = |init: Init| spoiled(|p| p.globals.push(global(init)));
    let addresses = |offsets: &[u64]| Init {
        bytes: vec![],
        relocations: offsets.iter().map(|o| relocation(*o)).collect(),
    };
    assert!(wrong(addresses(&[9])).contains("offset 9 of the initialiser is outside"));
    assert!(wrong(addresses(&[0, 4])).contains("offset 4 of the initialiser overlaps"));
    assert!(wrong(addresses(&[u64::MAX])).contains("is outside"));
    assert!(
        wrong(Init { bytes: vec![1; 16], relocations: vec![relocation(8)] })
            .contains("are not zero")
    );
    assert!(wrong(Init { bytes: vec![0; 17], relocations: vec![] }).contains("17 bytes"));
    let mut p = program(BASE);
    p.globals.push(global(addresses(&[0, 8])));
    assert_eq!(validate(&p), Ok(()));
}

#[test]
fn a_hundred_thousand_blocks_are_checked_in_a_moment() {
    let mut p = program(BASE);
    let body = p.procedures[0].blocks.clone();
    while p.procedures[0].blocks.len() < 120_000 {
        let mut more = body.clone();
        more[0].label = "copy".to_owned();
        p.procedures[0].blocks.extend(more);
    }
    let start = std::time::Instant::now();
    assert_eq!(validate(&p), Ok(()));
    assert!(start.elapsed() < std::time::Duration::from_secs(2), "{:?}", start.elapsed());
}
