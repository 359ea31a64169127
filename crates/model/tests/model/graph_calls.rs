//! The call graph.

use crate::graph_support;

use graph_support::program;
use verdiff_model::graph::CallGraph;
use verdiff_model::*;

const TEXT: &str = "
main(n)
b0
  x = even(n)
  y = helper(x)
  return y
even(n)
b0
  x = odd(n)
  return x
odd(n)
b0
  x = even(n)
  return x
helper(n)
b0
  x = puts(n)
  return x
spin(n)
b0
  x = spin(n)
  return x
callback(n)
b0
  return n
other(n, m)
b0
  return m
";

fn names(p: &Program, list: &[ProcId]) -> Vec<String> {
    list.iter().map(|id| p.procedure(*id).name.clone()).collect()
}

/// Makes `helper` call through a pointer, and takes addresses of `callback` (in a table)
/// and of `other` (in code).
fn with_pointers() -> Program {
    let mut p = program(TEXT);
    let id = |name: &str| p.procedure_named(name).expect("it is there");
    let (callback, other, helper) = (id("callback"), id("other"), id("helper"));
    p.globals.push(Global {
        name: "table".to_owned(),
        symbol: "table".to_owned(),
        owner: None,
        identity: None,
        linkage: Linkage::Internal,
        size: 8,
        open_ended: false,
        align: 8,
        constant: true,
        thread_local: false,
        init: Some(Init {
            bytes: vec![],
            relocations: vec![Relocation {
                offset: 0,
                target: Address::Procedure(callback),
                addend: 0,
            }],
        }),
        ctype: None,
        loc: Loc::NONE,
    });
    let signature = p.procedure(callback).signature();
    let body = &mut p.procedures[helper.index()];
    let x = body.params[0];
    let addr = Expr::Address(Address::Procedure(other));
    body.blocks[0].stmts.push(Stmt {
        kind: StmtKind::Call {
            results: vec![],
            callee: Callee::Indirect { addr, signature },
            args: vec![Expr::Var(x)],
        },
        loc: Loc::NONE,
    });
    validate(&p).expect("well-formed");
    p
}

#[test]
fn callees_come_before_callers() {
    let p = program(TEXT);
    let calls = CallGraph::of(&p);
    let main = p.procedure_named("main").expect("it is there");
    assert_eq!(names(&p, calls.callees(main)), ["even", "helper"]);
    assert_eq!(
        names(&p, calls.callers(p.procedure_named("even").expect("there"))),
        ["main", "odd"]
    );
    for (i, component) in calls.components().iter().enumerate() {
        for member in component {
            assert_eq!(calls.component_of(*member), i);
            for callee in calls.callees(*member) {
                assert!(calls.component_of(*callee) <= i);
            }
        }
    }
    let recursive: Vec<ProcId> = p.procedure_ids().filter(|id| calls.is_recursive(*id)).collect();
    assert_eq!(names(&p, &recursive), ["even", "odd", "spin"]);
    assert_eq!(names(&p, &calls.reachable_from(&[main])), ["main", "even", "odd", "helper"]);
}

#[test]
fn pointers_lead_to_what_has_the_right_types() {
    let p = with_pointers();
    let calls = CallGraph::of(&p);
    let helper = p.procedure_named("helper").expect("it is there");
    assert_eq!(names(&p, calls.address_taken()), ["callback", "other"]);
    assert_eq!(names(&p, calls.callees(helper)), ["callback"]);
    assert_eq!(calls.externals(helper).len(), 1);
    assert_eq!(calls.sites(helper).len(), 2);
}

#[test]
fn the_outside_may_call_back() {
    let mut p = with_pointers();
    let id = |name: &str| p.procedure_named(name).expect("it is there");
    let (callback, helper) = (id("callback"), id("helper"));
    // Now the callback calls out as well: with callbacks it is recursive.
    let call = p.procedures[helper.index()].blocks[0].stmts[0].clone();
    let body = &mut p.procedures[callback.index()];
    let x = body.params[0];
    let StmtKind::Call { callee, .. } = call.kind else { unreachable!() };
    body.blocks[0].stmts.push(Stmt {
        kind: StmtKind::Call { results: vec![], callee, args: vec![Expr::Var(x)] },
        loc: Loc::NONE,
    });
    assert!(!CallGraph::of(&p).is_recursive(callback));
    assert!(CallGraph::with_callbacks(&p).is_recursive(callback));
    assert!(!CallGraph::with_callbacks(&p).is_recursive(helper));
}
