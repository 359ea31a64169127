//! Reads before writes: which are found, and where their checks go.

use crate::graph_support;

use graph_support::{procedure, var};
use verdiff_model::graph::assigned::{Position, insert_init_checks, maybe_unassigned_reads};
use verdiff_model::{BlockId, StmtKind};

/// The reads found in a text, as `block.statement variable`.
fn reads(text: &str) -> Vec<String> {
    let mut p = procedure(text);
    let found = maybe_unassigned_reads(&p);
    let shown = found
        .iter()
        .map(|(b, at, v)| match at {
            Position::Statement(i) => format!("{b:?}.{i} {}", p.var(*v).name),
            Position::Terminator => format!("{b:?}.end {}", p.var(*v).name),
        })
        .collect();
    insert_init_checks(&mut p);
    let checks = p
        .blocks
        .iter()
        .flat_map(|b| &b.stmts)
        .filter(|s| matches!(s.kind, StmtKind::CheckInit { .. }))
        .count();
    assert_eq!(checks, found.len(), "one check for each read");
    assert_eq!(maybe_unassigned_reads(&p), vec![], "the checks cover all");
    shown
}

#[test]
fn a_write_on_every_path_is_enough() {
    let text = "
f(n)
b0
  if n < 3 b1 b2
b1
  x = 1
  goto b3
b2
  x = 2
  goto b3
b3
  return x
";
    assert_eq!(reads(text), Vec::<String>::new());
}

#[test]
fn a_write_on_one_path_is_not() {
    let text = "
f(n)
b0
  if n < 3 b1 b2
b1
  x = 1
  goto b2
b2
  y = x + n
  z = x + y
  return z
";
    assert_eq!(reads(text), ["b2.0 x"]);
}

#[test]
fn what_a_loop_writes_may_be_missing_after_it() {
    let text = "
f(n)
b0
  i = 0
  goto b1
b1
  if i < n b2 b3
b2
  x = i
  i = i + 1
  goto b1
b3
  return x
";
    assert_eq!(reads(text), ["b3.end x"]);
}

#[test]
fn a_copy_of_a_temporary_hands_on_that_it_has_no_value() {
    let text = "
f(n)
b0
  if n < 3 b1 b2
b1
  t1 = 1
  goto b2
b2
  x = 5
  x = t1
  y = n
  return x
";
    assert_eq!(reads(text), ["b2.end x"]);
}

#[test]
fn a_copy_of_a_local_is_a_read() {
    let text = "
f(n)
b0
  y = x
  return y
";
    assert_eq!(reads(text), ["b0.0 x"]);
}

#[test]
fn checks_that_are_there_count() {
    let text = "
f(n)
b0
  checkinit x
  return x
";
    assert_eq!(maybe_unassigned_reads(&procedure(text)), vec![]);
}

#[test]
fn unreachable_blocks_have_no_reads() {
    let text = "
f(n)
b0
  return n
b1
  y = x + 1
  return y
";
    assert_eq!(reads(text), Vec::<String>::new());
}

#[test]
fn several_reads_in_one_statement_are_checked_in_order() {
    let text = "
f(n)
b0
  z = x + y
  return z
";
    let mut p = procedure(text);
    insert_init_checks(&mut p);
    let kinds: Vec<&StmtKind> = p.block(BlockId(0)).stmts.iter().map(|s| &s.kind).collect();
    assert_eq!(kinds[0], &StmtKind::CheckInit { var: var(&p, "x") });
    assert_eq!(kinds[1], &StmtKind::CheckInit { var: var(&p, "y") });
    assert_eq!(p.block(BlockId(0)).stmts[0].loc, p.block(BlockId(0)).stmts[2].loc);
}
