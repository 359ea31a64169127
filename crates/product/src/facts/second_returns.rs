//! Edges for what returns twice.
//!
//! The flow graph of a procedure that calls `setjmp` lacks the ways back to it: from every call behind it, which `longjmp` may leave, to
//! where `setjmp` returns. An analysis of what holds on all paths needs them.

use std::collections::BTreeSet;
use verdiff_model::graph::explode::explode;
use verdiff_model::graph::{Flow, Liveness};
use verdiff_model::interp::returns_twice;
use verdiff_model::{
    BinaryOp, Block, BlockId, Expr, OpaqueCall, Procedure, Program, StmtKind, Terminator,
    TerminatorKind, VarId,
};

/// The procedure, one statement a block, with an edge from before every call that may follow something that returns twice to behind that. For
/// analyses: which of the edges is taken is not said.
pub fn with_edges(procedure: Procedure) -> Procedure {
    with_edges_to(procedure, |_, flow, block| flow.successors(block).to_vec())
}

/// The variables that may be read where something returns a second time, before they are written: what all others hold then
/// makes no difference. `setjmp` returns something else than zero there.
pub fn live_at_second_returns(program: &Program, procedure: &Procedure) -> BTreeSet<VarId> {
    let again = |procedure: &Procedure, flow: &Flow, block: BlockId| {
        let behind = flow.successors(block);
        match behind {
            [next] => not_zero(program, procedure, block, *next).unwrap_or_else(|| vec![*next]),
            _ => behind.to_vec(),
        }
    };
    let mut targets = vec![];
    let procedure = with_edges_to(procedure.clone(), |procedure, flow, block| {
        let found = again(procedure, flow, block);
        targets.extend(found.iter().copied());
        found
    });
    let flow = Flow::of(&procedure);
    let live = Liveness::of(&procedure, &flow);
    targets.into_iter().flat_map(|block| live.live_in(block)).collect()
}

/// Where control goes on behind a call of `setjmp` in a block of its own if that returns something else than zero and the next
/// block does nothing but ask for that.
fn not_zero(
    program: &Program,
    procedure: &Procedure,
    block: BlockId,
    next: BlockId,
) -> Option<Vec<BlockId>> {
    let [stmt] = &procedure.block(block).stmts[..] else { return None };
    let StmtKind::Hole { results, code, .. } = &stmt.kind else { return None };
    let ([result], [OpaqueCall::External(id)]) = (&results[..], &code.calls[..]) else {
        return None;
    };
    if !returns_twice(program.external(*id)) || !procedure.block(next).stmts.is_empty() {
        return None;
    }
    let is_zero = |e: &Expr| matches!(e, Expr::Const(constant) if constant.bits == 0);
    match &procedure.block(next).end.kind {
        TerminatorKind::Branch {
            cond: Expr::Binary { op: op @ (BinaryOp::Eq | BinaryOp::Ne), lhs, rhs, .. },
            then,
            otherwise,
        } if **lhs == Expr::Var(*result) && is_zero(rhs) => {
            Some(vec![if *op == BinaryOp::Eq { *otherwise } else { *then }])
        }
        TerminatorKind::Switch { value, cases, default } if *value == Expr::Var(*result) => {
            let cases = cases.iter().filter(|(bits, _)| *bits != 0).map(|(_, to)| *to);
            Some(cases.chain([*default]).collect())
        }
        _ => None,
    }
}

/// The same with edges to where `again` says that control goes on behind a block that returns twice.
fn with_edges_to(
    mut procedure: Procedure,
    mut again: impl FnMut(&Procedure, &Flow, BlockId) -> Vec<BlockId>,
) -> Procedure {
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
        let behind = again(&procedure, &flow, *block);
        for call in calls_behind(&procedure, &flow, *block) {
            match back.iter_mut().find(|(from, _)| *from == call) {
                Some((_, to)) => to.extend(&behind),
                None => back.push((call, behind.clone())),
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
