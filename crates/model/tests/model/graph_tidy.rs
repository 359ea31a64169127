//! Tidying of control flow.

use crate::graph_support;

use graph_support::{procedure, program};
use verdiff_model::graph::tidy::tidy;
use verdiff_model::{Block, Expr, Loc, Procedure, Terminator, TerminatorKind, validate};

fn tidied(text: &str) -> Procedure {
    let mut program = program(text);
    tidy(&mut program.procedures[0]);
    validate(&program).expect("still well-formed");
    program.procedures.remove(0)
}

fn labels(p: &Procedure) -> Vec<&str> {
    p.blocks.iter().map(|b| b.label.as_str()).collect()
}

#[test]
fn straight_lines_become_one_block() {
    let p = tidied(
        "
f(n)
b0
  x = n
  goto b1
b1
  goto b2
b2
  x = x + 1
  goto b3
b3
  return x
",
    );
    assert_eq!(labels(&p), ["b0"]);
    assert_eq!(p.blocks[0].stmts.len(), 2);
    assert_eq!(p.blocks[0].stmts[1].loc.line, 9, "a statement keeps its line");
    assert_eq!(p.blocks[0].end.loc.line, 12);
}

#[test]
fn empty_blocks_are_taken_out_and_unreachable_ones_dropped() {
    let p = tidied(
        "
f(n)
b0
  if n < 3 b1 b2
b1
  goto b4
b2
  n = 5
  goto b4
b3
  goto b4
b4
  return n
",
    );
    assert_eq!(labels(&p), ["b0", "b2", "b4"]);
}

#[test]
fn a_loop_that_does_nothing_stays() {
    let p = tidied(
        "
f(n)
b0
  if n < 3 b1 b3
b1
  goto b2
b2
  goto b1
b3
  return n
",
    );
    assert_eq!(p.blocks[1].end.kind, TerminatorKind::Goto(verdiff_model::BlockId(1)));
}

#[test]
fn a_branch_that_reads_stays_and_one_on_a_constant_goes() {
    let p = tidied(
        "
f(n)
b0
  if n < 3 b1 b1
b1
  return n
",
    );
    assert_eq!(labels(&p), ["b0", "b1"]);
    let mut p = procedure(
        "
f(n)
b0
  if n < 3 b1 b2
b1
  return n
b2
  return 1
",
    );
    p.blocks[0].end.kind = TerminatorKind::Branch {
        cond: Expr::bool(true),
        then: verdiff_model::BlockId(2),
        otherwise: verdiff_model::BlockId(1),
    };
    tidy(&mut p);
    assert_eq!(labels(&p), ["b0"]);
    assert_eq!(p.blocks[0].end.kind, TerminatorKind::Return(vec![Expr::int(32, 1)]));
}

#[test]
fn a_very_long_line_needs_no_deep_stack() {
    let mut p = procedure(
        "
f(n)
b0
  x = n
  goto b1
b1
  return x
",
    );
    let stmt = p.blocks[0].stmts[0].clone();
    let last = p.blocks.pop().expect("two blocks");
    for i in 1..50_000 {
        p.blocks.push(Block {
            label: String::new(),
            stmts: vec![stmt.clone()],
            end: Terminator {
                kind: TerminatorKind::Goto(verdiff_model::BlockId(i + 1)),
                loc: Loc::NONE,
            },
        });
    }
    p.blocks.push(last);
    tidy(&mut p);
    assert_eq!(p.blocks.len(), 1);
    assert_eq!(p.blocks[0].stmts.len(), 50_000);
}
