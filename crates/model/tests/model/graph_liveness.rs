//! Live variables.

use crate::graph_support;

use graph_support::{procedure, var};
use verdiff_model::graph::assigned::Position;
use verdiff_model::graph::{Flow, Liveness};
use verdiff_model::*;

const SUM: &str = "
f(n, p)
b0
  i = 0
  s = 0
  goto b1
b1
  if i < n b2 b3
b2
  t1 = [p + 0]
  s = s + t1
  i = i + 1
  goto b1
b3
  return s
b4
  return i
";

fn names(p: &Procedure, vars: impl Iterator<Item = VarId>) -> Vec<String> {
    vars.map(|v| p.var(v).name.clone()).collect()
}

#[test]
fn at_the_borders_of_blocks() {
    let p = procedure(SUM);
    let live = Liveness::of(&p, &Flow::of(&p));
    assert_eq!(names(&p, live.live_in(BlockId(0))), ["n", "p"]);
    assert_eq!(names(&p, live.live_in(BlockId(1))), ["n", "p", "i", "s"]);
    assert_eq!(names(&p, live.live_out(BlockId(2))), ["n", "p", "i", "s"]);
    assert_eq!(names(&p, live.live_in(BlockId(3))), ["s"]);
    assert_eq!(names(&p, live.live_out(BlockId(3))), Vec::<String>::new());
    assert!(live.is_live_in(BlockId(1), var(&p, "s")));
    assert!(!live.is_live_in(BlockId(1), var(&p, "t1")));
    assert!(live.is_live_out(BlockId(0), var(&p, "i")));
    assert_eq!(live.live_in(BlockId(4)).count(), 0, "unreachable");
}

#[test]
fn within_a_block() {
    let p = procedure(SUM);
    let live = Liveness::of(&p, &Flow::of(&p));
    let mut seen = Vec::new();
    live.walk_back(&p, BlockId(2), |at, after| {
        seen.push((at, after.contains(var(&p, "t1").index())));
    });
    assert_eq!(
        seen,
        [
            (Position::Terminator, false),
            (Position::Statement(2), false),
            (Position::Statement(1), false),
            (Position::Statement(0), true),
        ]
    );
}
