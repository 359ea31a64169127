//! Functions in place of their calls: helpers that only one version has, and changed callees.
//!
//! A helper has no counterpart to be compared with: code that was moved into a function, or out of one. With its body in place
//! of its calls, the callers of both versions can be matched statement by statement, loops and calls of unchanged functions
//! included. A changed callee that is not equal to its counterpart may be so with the arguments of a caller: in place of
//! its call, the change is smaller than the call, and what the caller gives is known there.
//!
//! Soundness: [inlining](verdiff_model::inline) and [substituting copies](verdiff_model::graph::substitute) change no outcome of the version. Code with holes is left as it is: what is live
//! behind a second return of `setjmp` is not seen in its control flow.

use verdiff_judge::{Comparison, Side, Task};
use verdiff_model::graph::substitute::substitute_copies;
use verdiff_model::graph::tidy::tidy;
use verdiff_model::inline::{can_be_inlined, inline_calls};
use verdiff_model::{Callee, ProcId, Procedure, Program, StmtKind};

/// Bodies may add so many statements to a procedure, besides as many as it has.
const MORE: usize = 1_000;

/// The comparison with the helpers of a pair in place of their calls, in both versions, and if that is wanted the callees that are
/// not known to be equal; `None` if it calls none.
pub fn inlined(task: &Task<'_>, with_callees: bool) -> Option<Comparison> {
    let (comparison, pair) = (task.comparison, task.pair);
    let is_chosen = |side: Side, callee: ProcId| {
        is_helper(comparison, side, callee) || with_callees && is_changed(task, side, callee)
    };
    if Side::BOTH.into_iter().any(|side| !comparison.procedure(pair, side).is_supported()) {
        return None;
    }
    let id = |side: Side| comparison.pair(pair).of(side);
    let calls_helper = |side: Side| {
        let mut called = callees(comparison.procedure(pair, side));
        called.any(|callee| is_chosen(side, callee))
    };
    if !Side::BOTH.into_iter().any(calls_helper) {
        return None;
    }
    let mut all = comparison.clone();
    let mut count = 0;
    for side in Side::BOTH {
        let chosen = |callee: ProcId| is_chosen(side, callee);
        let program: &mut Program = match side {
            Side::Old => &mut all.old.program,
            Side::New => &mut all.new.program,
        };
        let blocks = &program.procedure(id(side)).blocks;
        let size: usize = blocks.iter().map(|block| block.stmts.len() + 1).sum();
        let own = program.procedure(id(side)).vars.len();
        count += inline_calls(program, id(side), &chosen, 2 * size + MORE);
        let procedure = &mut program.procedures[id(side).index()];
        tidy(procedure);
        substitute_copies(procedure, own);
    }
    (count > 0).then_some(all)
}

/// Whether a procedure has no counterpart and can be put in place of its calls.
fn is_helper(comparison: &Comparison, side: Side, callee: ProcId) -> bool {
    let procedure = comparison.program(side).procedure(callee);
    comparison.pair_of(side, callee).is_none()
        && can_be_inlined(procedure)
        && !callees(procedure).any(|other| other == callee)
}

/// Whether a procedure has a counterpart that it is not known to be equal to, and both can be put in place of their calls.
fn is_changed(task: &Task<'_>, side: Side, callee: ProcId) -> bool {
    let Some(pair) = task.comparison.pair_of(side, callee) else { return false };
    let can_be = |side: Side| {
        let procedure = task.comparison.procedure(pair, side);
        let id = task.comparison.pair(pair).of(side);
        can_be_inlined(procedure) && !callees(procedure).any(|other| other == id)
    };
    pair != task.pair
        && !task.judgement_of(pair).is_some_and(|j| j.is_equal_in_calls())
        && Side::BOTH.into_iter().all(can_be)
}

fn callees(procedure: &Procedure) -> impl Iterator<Item = ProcId> {
    procedure.blocks.iter().flat_map(|block| &block.stmts).filter_map(|stmt| match &stmt.kind {
        StmtKind::Call { callee: Callee::Procedure(id), .. } => Some(*id),
        _ => None,
    })
}
