//! Where a variable may be read before it has a value.
//!
//! The lowering puts a [`StmtKind::CheckInit`] at every read of a local variable; here
//! those are dropped that come after a write on every path. A forward must-analysis:
//! a variable is assigned at a block's start if it is at the end of all predecessors,
//! computed as the greatest fixed point, so a loop does not spoil what holds around it.

use fixedbitset::FixedBitSet;
use std::collections::HashMap;
use verdiff_model::{Expr, Procedure, Stmt, StmtKind, VarId};

/// Removes the checks that cannot fail.
pub fn prune_checks(proc: &mut Procedure) {
    // Only variables that are checked somewhere matter.
    let mut numbers: HashMap<VarId, usize> = HashMap::new();
    for stmt in proc.blocks.iter().flat_map(|b| &b.stmts) {
        if let StmtKind::CheckInit { var } = stmt.kind {
            let next = numbers.len();
            numbers.entry(var).or_insert(next);
        }
    }
    if numbers.is_empty() {
        return;
    }
    let count = numbers.len();
    let step = |state: &mut FixedBitSet, stmt: &Stmt| {
        for dst in stmt.kind.writes() {
            let Some(number) = numbers.get(dst) else { continue };
            let assigned = match &stmt.kind {
                // A copy of a variable without a value leaves none. Only checked
                // variables can be without one here.
                StmtKind::Assign { value: Expr::Var(v), .. } => {
                    numbers.get(v).is_none_or(|n| state.contains(*n))
                }
                _ => true,
            };
            state.set(*number, assigned);
        }
        // After the check it has a value, or the run has ended.
        if let StmtKind::CheckInit { var } = stmt.kind {
            state.insert(numbers[&var]);
        }
    };

    let mut full = FixedBitSet::with_capacity(count);
    full.insert_range(..);
    let mut at_start = vec![full; proc.blocks.len()];
    at_start[0].clear();
    // A worklist with each block at most once in it.
    let mut queued = vec![true; proc.blocks.len()];
    let mut work: std::collections::VecDeque<usize> = (0..proc.blocks.len()).collect();
    while let Some(index) = work.pop_front() {
        queued[index] = false;
        let mut state = at_start[index].clone();
        for stmt in &proc.blocks[index].stmts {
            step(&mut state, stmt);
        }
        for next in proc.blocks[index].end.kind.successors() {
            let target = &mut at_start[next.index()];
            if !target.is_subset(&state) {
                target.intersect_with(&state);
                if !std::mem::replace(&mut queued[next.index()], true) {
                    work.push_back(next.index());
                }
            }
        }
    }
    for (block, start) in proc.blocks.iter_mut().zip(at_start) {
        let mut state = start;
        block.stmts.retain(|stmt| {
            let keep = match stmt.kind {
                StmtKind::CheckInit { var } => !state.contains(numbers[&var]),
                _ => true,
            };
            step(&mut state, stmt);
            keep
        });
    }
}
