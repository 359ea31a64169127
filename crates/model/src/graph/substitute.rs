//! Copies that inlining leaves, put where they are used: parameters become their arguments, results go where the caller wants them.
//!
//! Only variables that are assigned once, in two cases:
//!
//! - Within a block: `v = e` followed by all uses of `v`, while no variable of `e` is written. Expressions are pure, so the uses have
//!   the same values; nobody else sees `v`.
//! - Everywhere: `v = x` with a parameter `x` that is never written, a constant, or the address of a global or a function, where
//!   the assignment dominates all uses.

use crate::expr::{Address, Expr};
use crate::graph::{DominatorTree, Flow};
use crate::ids::{BlockId, VarId};
use crate::program::{Block, MAX_EXPR_DEPTH, Procedure};
use crate::stmt::StmtKind;
use std::collections::HashMap;

/// Replaces copies in variables from this number on.
pub fn substitute_copies(procedure: &mut Procedure, first: usize) {
    let mut mentions = Mentions::of(procedure);
    // What is copied from a copy is one when that is replaced.
    while replace_parameters(procedure, first, &mentions) > 0 {
        mentions = Mentions::of(procedure);
    }
    for number in 0..procedure.blocks.len() {
        let mut at = 0;
        while at < procedure.blocks[number].stmts.len() {
            let block = &mut procedure.blocks[number];
            if replace_copy(block, at, first, &mentions) || take_result(block, at, first, &mentions)
            {
                mentions = Mentions::of(procedure);
            } else {
                at += 1;
            }
        }
    }
}

/// How often each variable is written and read.
struct Mentions {
    writes: HashMap<VarId, usize>,
    reads: HashMap<VarId, usize>,
}

impl Mentions {
    fn of(procedure: &Procedure) -> Mentions {
        let mut found = Mentions { writes: HashMap::new(), reads: HashMap::new() };
        for block in &procedure.blocks {
            for stmt in &block.stmts {
                for var in stmt.kind.writes() {
                    *found.writes.entry(*var).or_default() += 1;
                }
                stmt.kind.reads(&mut |var| *found.reads.entry(var).or_default() += 1);
            }
            for e in block.end.kind.exprs() {
                e.vars(&mut |var| *found.reads.entry(var).or_default() += 1);
            }
        }
        found
    }

    fn is_written_once(&self, var: VarId) -> bool {
        self.writes.get(&var) == Some(&1)
    }

    fn reads(&self, var: VarId) -> usize {
        self.reads.get(&var).copied().unwrap_or(0)
    }
}

/// Replaces copies of parameters that are never written, and of constants, and says how many.
fn replace_parameters(procedure: &mut Procedure, first: usize, mentions: &Mentions) -> usize {
    let flow = Flow::of(procedure);
    let dominators = DominatorTree::of(&flow);
    let mut copies: HashMap<VarId, Expr> = HashMap::new();
    for id in procedure.block_ids().filter(|b| flow.is_reachable(*b)) {
        for (at, stmt) in procedure.block(id).stmts.iter().enumerate() {
            let StmtKind::Assign { dst, value } = &stmt.kind else { continue };
            let is_fixed = match value {
                Expr::Const(_) => true,
                Expr::Address(address) => !matches!(address, Address::Local(_)),
                Expr::Var(x) => procedure.params.contains(x) && !mentions.writes.contains_key(x),
                _ => false,
            };
            let fits = dst.index() >= first && is_fixed && mentions.is_written_once(*dst);
            if fits && is_before_all_uses(procedure, &flow, &dominators, *dst, (id, at)) {
                copies.insert(*dst, value.clone());
            }
        }
    }
    for block in &mut procedure.blocks {
        let is_kept = |kind: &StmtKind| match kind {
            StmtKind::Assign { dst, .. } => !copies.contains_key(dst),
            _ => true,
        };
        block.stmts.retain(|stmt| is_kept(&stmt.kind));
        let exprs = block.stmts.iter_mut().flat_map(|stmt| stmt.kind.exprs_mut());
        for e in exprs.chain(block.end.kind.exprs_mut()) {
            e.walk_mut(&mut |e| {
                if let Expr::Var(var) = e
                    && let Some(value) = copies.get(var)
                {
                    *e = value.clone();
                }
            });
        }
    }
    copies.len()
}

/// Whether every use of a variable comes after its assignment, and none asks whether it is initialised.
fn is_before_all_uses(
    procedure: &Procedure,
    flow: &Flow,
    dominators: &DominatorTree,
    var: VarId,
    (block, at): (BlockId, usize),
) -> bool {
    let uses = |e: &Expr| {
        let mut found = false;
        e.vars(&mut |v| found |= v == var);
        found
    };
    procedure.block_ids().filter(|b| flow.is_reachable(*b)).all(|id| {
        let body = procedure.block(id);
        let behind = |position: usize| match id == block {
            true => position > at,
            false => dominators.dominates(block, id),
        };
        let stmts = body.stmts.iter().enumerate().all(|(position, stmt)| {
            let asks = matches!(stmt.kind, StmtKind::CheckInit { var: v } if v == var);
            !asks && (behind(position) || !stmt.kind.exprs().into_iter().any(uses))
        });
        let end = behind(usize::MAX) || !body.end.kind.exprs().into_iter().any(uses);
        stmts && end
    })
}

/// Puts the value that a statement assigns where it is used, if all uses are behind it in its block.
fn replace_copy(block: &mut Block, at: usize, first: usize, mentions: &Mentions) -> bool {
    let StmtKind::Assign { dst, value } = &block.stmts[at].kind else { return false };
    let (dst, value) = (*dst, value.clone());
    if dst.index() < first || !mentions.is_written_once(dst) {
        return false;
    }
    let mut parts = vec![];
    value.vars(&mut |var| parts.push(var));
    if parts.contains(&dst) {
        return false;
    }
    let mut left = mentions.reads(dst);
    let mut changed = block.clone();
    for stmt in &mut changed.stmts[at + 1..] {
        if left == 0 {
            break;
        }
        if matches!(stmt.kind, StmtKind::CheckInit { var } if var == dst) {
            return false;
        }
        for e in stmt.kind.exprs_mut() {
            let Some(count) = replaced(e, dst, &value) else { return false };
            left -= count;
        }
        // What is written here is written after all was read.
        if left > 0 && stmt.kind.writes().iter().any(|var| parts.contains(var)) {
            return false;
        }
    }
    for e in changed.end.kind.exprs_mut() {
        let Some(count) = replaced(e, dst, &value) else { return false };
        left -= count;
    }
    if left > 0 {
        return false;
    }
    changed.stmts.remove(at);
    *block = changed;
    true
}

/// Replaces a variable in an expression, and says how often; `None` if the expression would be too deep.
fn replaced(e: &mut Expr, var: VarId, value: &Expr) -> Option<usize> {
    let mut count = 0;
    e.walk_mut(&mut |e| {
        if *e == Expr::Var(var) {
            *e = value.clone();
            count += 1;
        }
    });
    (count == 0 || e.depth() <= MAX_EXPR_DEPTH).then_some(count)
}

/// Lets a call give its result to the variable that the next statement copies it to.
fn take_result(block: &mut Block, at: usize, first: usize, mentions: &Mentions) -> bool {
    let [call, copy, ..] = &mut block.stmts[at..] else { return false };
    let StmtKind::Call { results, .. } = &mut call.kind else { return false };
    let StmtKind::Assign { dst, value: Expr::Var(from) } = &copy.kind else { return false };
    let fits = from.index() >= first
        && mentions.is_written_once(*from)
        && mentions.reads(*from) == 1
        && !results.contains(dst);
    let Some(result) = results.iter_mut().find(|var| *var == from).filter(|_| fits) else {
        return false;
    };
    *result = *dst;
    block.stmts.remove(at + 1);
    true
}
