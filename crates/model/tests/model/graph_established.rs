//! Facts that hold wherever a block begins: those that do, and those that must not be concluded.

use crate::graph_support;

use graph_support::procedure;
use verdiff_model::graph::established::{Established, Fact};
use verdiff_model::{
    Address, BinaryOp, BlockId, Expr, Opaque, Procedure, Stmt, StmtKind, UnaryOp, VarId,
};

/// The facts at a block of a text, as text, without those about null.
fn facts(text: &str, block: u32) -> Vec<String> {
    facts_of(&procedure(text), block)
}

fn facts_of(p: &Procedure, block: u32) -> Vec<String> {
    let all = (0..p.vars.len()).map(VarId::new).collect();
    let established = Established::of(p, &all);
    let is_shown = |text: &String| !text.starts_with("not null");
    established.at(BlockId(block)).map(|fact| shown(p, fact)).filter(is_shown).collect()
}

fn shown(p: &Procedure, fact: &Fact) -> String {
    match fact {
        Fact::Holds(Expr::Binary { op: BinaryOp::Uge, lhs, .. }) => {
            format!("not null {}", expr(p, lhs))
        }
        Fact::Holds(cond) => expr(p, cond),
        Fact::Contains { addr, value, .. } => format!("[{}] is {}", expr(p, addr), expr(p, value)),
    }
}

fn expr(p: &Procedure, e: &Expr) -> String {
    match e {
        Expr::Const(c) => c.bits.to_string(),
        Expr::Var(v) => p.var(*v).name.clone(),
        Expr::Address(Address::Local(l)) => format!("&{}", p.local(*l).name),
        Expr::Unary { op: UnaryOp::Not, arg, .. } => format!("!({})", expr(p, arg)),
        Expr::Unary { arg, .. } => expr(p, arg),
        Expr::Binary { op, lhs, rhs, .. } => format!("{} {op:?} {}", expr(p, lhs), expr(p, rhs)),
        other => format!("{other:?}"),
    }
}

#[test]
fn branches_and_assignments_establish_facts_until_a_variable_is_written() {
    let text = "
f(n, m)
b0
  x = 5
  if n < m b1 b2
b1
  m = 3
  goto b3
b2
  goto b3
b3
  return x
";
    assert_eq!(facts(text, 1), ["x Eq 5", "n Slt m"]);
    assert_eq!(facts(text, 2), ["x Eq 5", "!(n Slt m)"]);
    assert_eq!(facts(text, 3), ["x Eq 5"], "what one path establishes does not count");
}

#[test]
fn a_branch_with_one_target_establishes_nothing() {
    let text = "
f(n, m)
b0
  if n < m b1 b1
b1
  return n
";
    assert_eq!(facts(text, 1), [""; 0]);
}

#[test]
fn a_case_with_a_target_of_its_own_establishes_its_number() {
    let text = "
f(n)
b0
  switch n 1:b1 2:b2 3:b2 4:b3 b3
b1
  return n
b2
  return n
b3
  return n
";
    assert_eq!(facts(text, 1), ["n Eq 1"]);
    assert_eq!(facts(text, 2), [""; 0], "two cases meet");
    assert_eq!(facts(text, 3), [""; 0], "a case and the default meet");
}

#[test]
fn the_default_excludes_all_cases() {
    let text = "
f(n)
b0
  switch n 1:b1 5:b1 b2
b1
  return n
b2
  return n
";
    assert_eq!(facts(text, 2), ["n Ne 1", "n Ne 5"]);
}

#[test]
fn a_copy_of_a_temporary_may_be_uninitialised() {
    let text = "
f(n)
b0
  if n < 3 b1 b2
b1
  t1 = n
  goto b2
b2
  x = t1
  y = n
  goto b3
b3
  return y
";
    assert_eq!(facts(text, 3), ["y Eq n"]);
    let text = "
f(n, p)
b0
  t1 = g(n)
  [p + 4] = t1
  [p + 8] = n
  goto b1
b1
  return n
";
    assert_eq!(facts(text, 1), ["[p PtrAdd 8] is n"]);
}

#[test]
fn a_store_next_to_it_keeps_what_memory_contains() {
    let store = |offset: i32| {
        format!(
            "
f(n, p)
b0
  x = [p + 4]
  [p + {offset}] = n
  goto b1
b1
  return x
"
        )
    };
    let kept = ["[p PtrAdd 4] is x", "[p PtrAdd 8] is n"];
    assert_eq!(facts(&store(8), 1), kept);
    assert_eq!(facts(&store(0), 1).len(), 2);
    for overlapping in [1, 3, 4, 5, 7] {
        let offset = format!("[p PtrAdd {overlapping}] is n");
        assert_eq!(facts(&store(overlapping), 1), [offset], "four bytes at {overlapping}");
    }
}

#[test]
fn calls_and_stores_through_other_pointers_kill_what_memory_contains() {
    let between = |statement: &str| {
        format!(
            "
f(n, p, pq)
b0
  x = [p + 4]
  {statement}
  goto b1
b1
  return x
"
        )
    };
    assert_eq!(facts(&between("n = n + 1"), 1), ["[p PtrAdd 4] is x"]);
    assert_eq!(facts(&between("g(n)"), 1), [""; 0]);
    assert_eq!(facts(&between("[pq + 64] = n"), 1), ["[pq PtrAdd 64] is n"]);
    assert_eq!(facts(&between("x = n"), 1), ["x Eq n"]);
}

/// A procedure with a hole before the end of a block.
fn with_hole(text: &str, block: usize, returns_twice: bool) -> Procedure {
    let mut p = procedure(text);
    let code = Box::new(Opaque { returns_twice, ..Opaque::default() });
    let kind = StmtKind::Hole { results: vec![], code, args: vec![] };
    let loc = p.blocks[0].stmts[0].loc;
    p.blocks[block].stmts.push(Stmt { kind, loc });
    p
}

#[test]
fn a_hole_kills_what_memory_contains() {
    let text = "
f(n, p)
b0
  x = 5
  y = [p + 4]
  goto b1
b1
  x = 6
  return x
";
    assert_eq!(facts(text, 1).len(), 2);
    assert_eq!(facts_of(&with_hole(text, 0, false), 1), ["x Eq 5"]);
}

/// A call of `setjmp` may return again, when variables that were written since then have changed.
#[test]
fn what_returns_twice_keeps_facts_about_variables_that_are_not_written_behind_it() {
    let text = |behind: &str| {
        format!(
            "
f(n, p)
b0
  x = 5
  y = [p + 4]
  z = n
  goto b1
b1
  goto b2
b2
  {behind}
  return x
"
        )
    };
    assert_eq!(facts_of(&with_hole(&text("g(n)"), 1, true), 2), ["x Eq 5", "z Eq n"]);
    assert_eq!(facts_of(&with_hole(&text("x = 6"), 1, true), 2), ["z Eq n"]);
    assert_eq!(facts_of(&with_hole(&text("n = 6"), 1, true), 2), ["x Eq 5"]);
    assert_eq!(facts_of(&with_hole(&text("z = 6"), 1, true), 2), ["x Eq 5"]);
}

#[test]
fn an_assignment_establishes_what_is_true_of_its_value() {
    let text = |value: &str| {
        format!(
            "
f(n, m)
b0
  if n < m b1 b2
b1
  n = {value}
  goto b2
b2
  return n
"
        )
    };
    assert_eq!(facts(&text("m"), 2), ["!(n Slt m)"]);
    assert_eq!(facts(&text("m + 0"), 2), [""; 0], "only what is seen at once");
    assert_eq!(facts(&text("n"), 2), [""; 0]);
    let constant = |number: &str| text(number).replace("n < m", "n < 3");
    for kept in ["3", "4", "2147483647"] {
        assert_eq!(facts(&constant(kept), 2), ["!(n Slt 3)"], "{kept}");
    }
    for lost in ["2", "0", "-1", "m"] {
        assert_eq!(facts(&constant(lost), 2), [""; 0], "{lost}");
    }
}

#[test]
fn an_assignment_establishes_what_holds_of_its_value() {
    let text = |first: &str| {
        format!(
            "
f(n, m)
b0
  if m < 3 b1 b4
b1
  {first}
  if n < 3 b3 b2
b2
  n = m
  goto b3
b3
  return n
b4
  return m
"
        )
    };
    assert_eq!(facts(&text("x = 1"), 3), ["m Slt 3", "x Eq 1", "n Slt 3"]);
    assert_eq!(facts(&text("m = 7"), 3), ["!(m Slt 3)", "m Eq 7"]);
}
