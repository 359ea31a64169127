//! Whether a region ends the life of all stack memory it makes.
//!
//! Objects made by `Alloc` live until the procedure returns or the stack is restored. In a
//! procedure of its own the region's objects would die at that procedure's return, and a
//! token from outside would mean nothing. So on every way out of the region each object must
//! have been ended by a `RestoreStack` with a token from inside, taken while no object of the
//! region was alive. A forward analysis tracks whether one may be alive, and which variables
//! surely hold a token from inside. A return from the parent ends everything at once, and so
//! does a trap: these ways out need nothing. No token may leave the region either.

use super::OutlineError;
use super::Output;
use super::cut::Cut;
use crate::expr::Expr;
use crate::graph::Flow;
use crate::ids::{BlockId, VarId};
use crate::program::Procedure;
use crate::stmt::StmtKind;
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// What becomes of the edges back to the entry.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum BackEdges {
    /// They are edges of the new procedure.
    StayInside,
    /// They are calls, whose frames know nothing of tokens taken before.
    BecomeCalls,
}

/// What is known at a point of the region.
#[derive(Clone, PartialEq, Eq)]
struct StackState {
    /// The last `Alloc` whose object may be alive.
    alive: Option<(BlockId, usize)>,
    /// The variables that hold a token from inside, and whether no object was alive when it
    /// was taken, so that restoring it ends them all.
    tokens: BTreeMap<VarId, bool>,
}

/// Checks a region.
pub(super) fn check(
    procedure: &Procedure,
    flow: &Flow,
    cut: &Cut,
    back_edges: BackEdges,
) -> Result<(), OutlineError> {
    let handles_stack = |kind: &StmtKind| {
        matches!(
            kind,
            StmtKind::Alloc { .. } | StmtKind::SaveStack { .. } | StmtKind::RestoreStack { .. }
        )
    };
    let any =
        cut.blocks.iter().any(|b| procedure.block(*b).stmts.iter().any(|s| handles_stack(&s.kind)));
    if !any {
        return Ok(());
    }
    no_token_leaves(procedure, cut)?;
    let start = StackState { alive: None, tokens: BTreeMap::new() };
    let mut states: HashMap<BlockId, StackState> = HashMap::from([(cut.entry, start)]);
    let mut work = vec![cut.entry];
    while let Some(block) = work.pop() {
        let mut state = states[&block].clone();
        run(procedure, block, &mut state)?;
        for next in flow.successors(block) {
            let leaves = !cut.contains(*next)
                || (*next == cut.entry && back_edges == BackEdges::BecomeCalls);
            if leaves {
                if let Some((block, statement)) = state.alive {
                    return Err(OutlineError::StackMemory { block, statement });
                }
                continue;
            }
            let changed = match states.get_mut(next) {
                None => {
                    states.insert(*next, state.clone());
                    true
                }
                Some(known) => {
                    let alive = known.alive.or(state.alive);
                    let both = |(v, clean): (&VarId, &bool)| {
                        state.tokens.get(v).map(|other| (*v, *clean && *other))
                    };
                    let tokens = known.tokens.iter().filter_map(both).collect();
                    let joined = StackState { alive, tokens };
                    let changed = joined != *known;
                    *known = joined;
                    changed
                }
            };
            if changed {
                work.push(*next);
            }
        }
    }
    Ok(())
}

fn run(procedure: &Procedure, block: BlockId, state: &mut StackState) -> Result<(), OutlineError> {
    for (statement, stmt) in procedure.block(block).stmts.iter().enumerate() {
        match &stmt.kind {
            StmtKind::Alloc { dst, .. } => {
                state.alive = Some((block, statement));
                state.tokens.remove(dst);
            }
            StmtKind::SaveStack { dst } => {
                state.tokens.insert(*dst, state.alive.is_none());
            }
            StmtKind::RestoreStack { token } => {
                let known = match token {
                    Expr::Var(t) => state.tokens.get(t),
                    _ => None,
                };
                match known {
                    Some(true) => state.alive = None,
                    // Of nested arrays the inner one ends; the outer one may live on.
                    Some(false) => {}
                    None => return Err(OutlineError::StackMemory { block, statement }),
                }
            }
            StmtKind::Assign { dst, value: Expr::Var(src) } if state.tokens.contains_key(src) => {
                state.tokens.insert(*dst, state.tokens[src]);
            }
            other => {
                for v in other.writes() {
                    state.tokens.remove(v);
                }
            }
        }
    }
    Ok(())
}

/// Whatever may hold a token from inside, copies included, must not be wanted outside: in the
/// parent's frame the token would mean nothing.
fn no_token_leaves(procedure: &Procedure, cut: &Cut) -> Result<(), OutlineError> {
    let statements = || {
        cut.blocks.iter().flat_map(|b| {
            let stmts = procedure.block(*b).stmts.iter().enumerate();
            stmts.map(|(i, s)| (*b, i, &s.kind))
        })
    };
    for (block, statement, kind) in statements() {
        let StmtKind::SaveStack { dst } = kind else { continue };
        let mut holders = BTreeSet::from([*dst]);
        loop {
            let before = holders.len();
            for (_, _, kind) in statements() {
                if let StmtKind::Assign { dst, value: Expr::Var(src) } = kind
                    && holders.contains(src)
                {
                    holders.insert(*dst);
                }
            }
            if holders.len() == before {
                break;
            }
        }
        let leaves = |o: &Output| matches!(o, Output::Var(v) if holders.contains(v));
        if cut.results.iter().any(leaves) {
            return Err(OutlineError::StackMemory { block, statement });
        }
    }
    Ok(())
}
