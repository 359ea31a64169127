//! Edges for what returns twice.
//!
//! The flow graph of a procedure that calls `setjmp` lacks the ways back to it: from every call behind it, which `longjmp` may leave, to
//! where `setjmp` returns. An analysis of what holds on all paths needs them.

use std::collections::BTreeSet;
use verdiff_model::graph::Flow;
use verdiff_model::graph::explode::explode;
use verdiff_model::{Block, BlockId, Expr, Procedure, StmtKind, Terminator, TerminatorKind};

/// The procedure, one statement a block, with an edge from before every call that may follow something that returns twice to behind that. For
/// analyses: which of the edges is taken is not said.
pub fn with_edges(mut procedure: Procedure) -> Procedure {
    if !procedure.holes().any(|hole| hole.returns_twice) {
        return procedure;
    }
    explode(&mut procedure);
    let flow = Flow::of(&procedure);
    let mut back: Vec<(BlockId, Vec<BlockId>)> = vec![];
    for block in flow.reverse_postorder() {
        let twice =
            |kind: &StmtKind| matches!(kind, StmtKind::Hole { code, .. } if code.returns_twice);
        if !procedure.block(*block).stmts.iter().any(|stmt| twice(&stmt.kind)) {
            continue;
        }
        for call in calls_behind(&procedure, &flow, *block) {
            for behind in flow.successors(*block) {
                match back.iter_mut().find(|(from, _)| *from == call) {
                    Some((_, to)) => to.push(*behind),
                    None => back.push((call, vec![*behind])),
                }
            }
        }
    }
    for (call, to) in back {
        // The statement goes to a block of its own: it is left before it has written anything.
        let given = procedure.block(call).clone();
        let loc = given.end.loc;
        procedure.blocks.push(given);
        let itself = BlockId::new(procedure.blocks.len() - 1);
        let cases = (0u128..).zip(to).collect();
        let kind = TerminatorKind::Switch { value: Expr::int(32, 0), cases, default: itself };
        let label = "second return".to_owned();
        procedure.blocks[call.index()] =
            Block { label, stmts: vec![], end: Terminator { kind, loc } };
    }
    procedure
}

/// The blocks with a call that may come after a block, itself among them.
fn calls_behind(procedure: &Procedure, flow: &Flow, start: BlockId) -> Vec<BlockId> {
    let mut seen = BTreeSet::new();
    let mut work = vec![start];
    while let Some(block) = work.pop() {
        if seen.insert(block) {
            work.extend(flow.successors(block));
        }
    }
    let calls = |b: &BlockId| {
        let mut stmts = procedure.block(*b).stmts.iter();
        stmts.any(|stmt| matches!(stmt.kind, StmtKind::Call { .. } | StmtKind::Hole { .. }))
    };
    seen.into_iter().filter(calls).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use verdiff_model::build::ProcBuilder;
    use verdiff_model::{Opaque, Stmt, Type};

    #[test]
    fn calls_lead_back_to_where_something_returns_a_second_time() {
        let mut b = ProcBuilder::new("f", &[]);
        let x = b.var("x", Type::Int(32));
        b.assign(x, Expr::int(32, 1));
        b.ret(vec![]);
        let mut procedure = b.finish();
        let stmts = &mut procedure.blocks[0].stmts;
        let hole = |returns_twice, results| Stmt {
            kind: StmtKind::Hole {
                results,
                code: Box::new(Opaque { returns_twice, ..Opaque::default() }),
                args: vec![],
            },
            loc: stmts_loc(),
        };
        stmts.insert(0, hole(true, vec![]));
        stmts.push(hole(false, vec![x]));
        let plain = with_edges(procedure.clone());
        let flow = Flow::of(&plain);
        // Behind the first statement comes the assignment; the last statement leads back to it, before it writes.
        let assigns = |b: &BlockId| {
            let stmts = &plain.block(*b).stmts;
            stmts.iter().any(|s| matches!(s.kind, StmtKind::Assign { .. }))
        };
        let assignment = plain.block_ids().find(assigns).unwrap();
        let before: Vec<&BlockId> = flow.predecessors(assignment).iter().collect();
        let empty = |b: &&&BlockId| plain.block(***b).stmts.is_empty();
        // One for each call behind it, the first statement itself among them.
        assert_eq!(before.iter().filter(empty).count(), 2, "{plain:#?}");
        procedure.blocks[0].stmts.remove(0);
        assert_eq!(with_edges(procedure.clone()), procedure);
    }

    fn stmts_loc() -> verdiff_model::Loc {
        verdiff_model::Loc::NONE
    }
}
