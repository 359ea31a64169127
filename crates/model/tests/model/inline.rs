//! Calls replaced by bodies: random callers do what they did, and what cannot be replaced stays.

use crate::outline_random::{Random, entry, program};
use verdiff_model::build::*;
use verdiff_model::inline::{can_be_inlined, inline_calls};
use verdiff_model::interp::{Limits, Machine};
use verdiff_model::state::{Difference, Run, compare};
use verdiff_model::*;

const I32: Type = Type::Int(32);

/// `r = 0; while (x != 0) { check x != 77; if (r == 5) return r - x; x >>= 1; r++; } return r;`
fn counting() -> Procedure {
    let mut p = ProcBuilder::new("twice", &[I32]);
    let x = p.param("x", I32);
    let r = p.var("r", I32);
    p.assign(r, Expr::int(32, 0));
    let (head, body, early, step, exit) = (p.block(), p.block(), p.block(), p.block(), p.block());
    p.goto(head);
    p.at(head);
    p.branch(Expr::binary(BinaryOp::Ne, v(x), Expr::int(32, 0)), body, exit);
    p.at(body);
    let fine = Expr::binary(BinaryOp::Ne, v(x), Expr::int(32, 77));
    p.stmt(StmtKind::Check { cond: fine, trap: Trap::AssertFailed });
    p.branch(Expr::binary(BinaryOp::Eq, v(r), Expr::int(32, 5)), early, step);
    p.at(early);
    p.ret(vec![Expr::binary(BinaryOp::Sub, v(r), v(x))]);
    p.at(step);
    p.assign(x, Expr::binary(BinaryOp::LShr, v(x), Expr::int(32, 1)));
    p.assign(r, Expr::binary(BinaryOp::Add, v(r), Expr::int(32, 1)));
    p.goto(head);
    p.at(exit);
    p.ret(vec![v(r)]);
    p.finish()
}

#[test]
fn random_callers_do_what_they_did() {
    let limits = Limits { steps: 20_000, ..Limits::default() };
    let mut replaced = 0;
    for seed in 0..300 {
        let mut random = Random::new(seed);
        let mut before = program(&mut random);
        before.procedures[1] = counting();
        let mut after = before.clone();
        replaced += inline_calls(&mut after, ProcId(0), &|_| true, 10_000);
        assert!(validate(&after).is_ok(), "seed {seed}: {:?}", validate(&after));
        let (mut left, mut right) = (Machine::new(&before), Machine::new(&after));
        for _ in 0..20 {
            let state = entry(&mut random);
            let old = left.run(ProcId(0), &state, &limits);
            let new = right.run(ProcId(0), &state, &limits);
            let old = Run { program: &before, entry: &state, outcome: &old };
            let new = Run { program: &after, entry: &state, outcome: &new };
            let difference = compare(old, new);
            let same = matches!(difference, None | Some(Difference::Inconclusive));
            assert!(same, "seed {seed}: {difference:?}");
        }
    }
    assert!(replaced > 200, "{replaced}");
}

#[test]
fn what_reads_before_it_writes_is_left_alone() {
    let mut p = ProcBuilder::new("g", &[I32]);
    let x = p.var("x", I32);
    p.ret(vec![v(x)]);
    assert!(!can_be_inlined(&p.finish()));
    assert!(can_be_inlined(&counting()));
    let mut with_frame = counting();
    let local = Local { name: "a".to_owned(), size: 4, align: 4, ctype: None, loc: Loc::NONE };
    with_frame.locals.push(local);
    assert!(!can_be_inlined(&with_frame));
}

#[test]
fn the_limit_is_kept() {
    let mut random = Random::new(3);
    let mut whole = program(&mut random);
    whole.procedures[1] = counting();
    let mut same = whole.clone();
    assert_eq!(inline_calls(&mut same, ProcId(0), &|_| true, 1), 0);
    assert_eq!(same, whole);
    assert_eq!(inline_calls(&mut same, ProcId(0), &|_| false, 10_000), 0);
}
