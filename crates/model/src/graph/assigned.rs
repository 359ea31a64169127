//! Which variables surely have a value, and which reads may come before the first write.
//!
//! A forward must-analysis: a variable is assigned at a point if on every path from the
//! entry it was written, or read under a check. What counts:
//!
//! - Parameters are assigned at entry, all other variables are not.
//! - A write assigns, with one exception: `x = t` with a temporary `t` is no read of `t`
//!   but hands its state on, so that `x` is assigned afterwards exactly if `t` was. A copy
//!   of a variable of the source (`x = y`) is what the C programmer wrote as a read of `y`
//!   and needs a value.
//! - Every other occurrence of a variable is a read. After it the variable counts as
//!   assigned, since either that was proved or a check goes before the read.
//!
//! To be used before outlining: an outlined region may get and give variables without a
//! value, which have their checks by then, while here parameters and results of calls count as
//! assigned.
//!
//! Right because the transfer functions are monotone and the greatest solution is taken
//! from "everything assigned" downwards: what remains assigned is so on all paths.

use crate::expr::Expr;
use crate::graph::flow::Flow;
use crate::ids::{BlockId, VarId};
use crate::program::{Procedure, VarKind};
use crate::stmt::{Stmt, StmtKind};
use fixedbitset::FixedBitSet;

/// A place in a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Position {
    /// The statement with this index.
    Statement(usize),
    /// The end of the block.
    Terminator,
}

/// The reads that are not proved to come after a write: block, place and variable, in order
/// of blocks and places. A variable that is read again after such a read is not listed again,
/// as the check before the first read covers the second. Unreachable blocks have none.
pub fn maybe_unassigned_reads(procedure: &Procedure) -> Vec<(BlockId, Position, VarId)> {
    let candidates = Candidates::of(procedure);
    if candidates.vars.is_empty() {
        return Vec::new();
    }
    let flow = Flow::of(procedure);
    let entry_states = solve(procedure, &flow, &candidates);
    let mut found = Vec::new();
    for block in procedure.block_ids().filter(|b| flow.is_reachable(*b)) {
        let mut state = entry_states[block.index()].clone();
        run_block(procedure, block, &candidates, &mut state, &mut |position, var| {
            found.push((block, position, var));
        });
    }
    found
}

/// Puts a [`StmtKind::CheckInit`] before exactly the reads of [`maybe_unassigned_reads`].
/// Doing it twice changes nothing.
pub fn insert_init_checks(procedure: &mut Procedure) {
    let reads = maybe_unassigned_reads(procedure);
    for group in reads.chunk_by(|a, b| a.0 == b.0) {
        let block = &mut procedure.blocks[group[0].0.index()];
        let mut reads = group.iter().peekable();
        let old = std::mem::take(&mut block.stmts);
        let mut stmts = Vec::with_capacity(old.len() + group.len());
        for (index, stmt) in old.into_iter().enumerate() {
            while let Some((_, _, var)) =
                reads.next_if(|(_, at, _)| *at == Position::Statement(index))
            {
                stmts.push(Stmt { kind: StmtKind::CheckInit { var: *var }, loc: stmt.loc });
            }
            stmts.push(stmt);
        }
        for (_, _, var) in reads {
            stmts.push(Stmt { kind: StmtKind::CheckInit { var: *var }, loc: block.end.loc });
        }
        block.stmts = stmts;
    }
}

/// The variables that may be without a value where a block begins or after a copy in it.
/// All others are written before they are read in every block that reads them, which is
/// most temporaries: leaving them out keeps the bit sets short.
struct Candidates {
    /// Position in the bit sets, by variable.
    bit: Vec<Option<usize>>,
    vars: Vec<VarId>,
}

impl Candidates {
    fn of(procedure: &Procedure) -> Candidates {
        let mut marked = FixedBitSet::with_capacity(procedure.vars.len());
        let mut parameter = FixedBitSet::with_capacity(procedure.vars.len());
        for p in &procedure.params {
            parameter.insert(p.index());
        }
        let mut copies: Vec<(VarId, VarId)> = Vec::new();
        // The number of the last block that wrote the variable.
        let mut written = vec![u32::MAX; procedure.vars.len()];
        for (number, block) in (0u32..).zip(&procedure.blocks) {
            for stmt in &block.stmts {
                stmt.kind.reads(&mut |v| {
                    if written[v.index()] != number && !parameter.contains(v.index()) {
                        marked.insert(v.index());
                    }
                });
                if let Some((dst, src)) = transfer(procedure, &stmt.kind) {
                    copies.push((dst, src));
                }
                for v in stmt.kind.writes() {
                    written[v.index()] = number;
                }
            }
            for e in block.end.kind.exprs() {
                e.vars(&mut |v| {
                    if written[v.index()] != number && !parameter.contains(v.index()) {
                        marked.insert(v.index());
                    }
                });
            }
        }
        spread_over_copies(&copies, &mut marked);
        let vars: Vec<VarId> = marked.ones().map(VarId::new).collect();
        let mut bit = vec![None; procedure.vars.len()];
        for (i, v) in vars.iter().enumerate() {
            bit[v.index()] = Some(i);
        }
        Candidates { bit, vars }
    }
}

/// A copy of a marked variable may take the target's value away, so it is marked as well.
fn spread_over_copies(copies: &[(VarId, VarId)], marked: &mut FixedBitSet) {
    let mut by_source: Vec<(VarId, VarId)> = copies.iter().map(|(dst, src)| (*src, *dst)).collect();
    by_source.sort_unstable();
    by_source.dedup();
    let mut work: Vec<VarId> = marked.ones().map(VarId::new).collect();
    while let Some(source) = work.pop() {
        let first = by_source.partition_point(|(s, _)| *s < source);
        for (_, dst) in by_source[first..].iter().take_while(|(s, _)| *s == source) {
            if !marked.put(dst.index()) {
                work.push(*dst);
            }
        }
    }
}

/// If the statement hands the state of a temporary on: target and source.
fn transfer(procedure: &Procedure, kind: &StmtKind) -> Option<(VarId, VarId)> {
    match kind {
        StmtKind::Assign { dst, value: Expr::Var(src) }
            if procedure.var(*src).kind == VarKind::Temporary =>
        {
            Some((*dst, *src))
        }
        _ => None,
    }
}

/// What is assigned at the start of each block.
fn solve(procedure: &Procedure, flow: &Flow, candidates: &Candidates) -> Vec<FixedBitSet> {
    let mut top = FixedBitSet::with_capacity(candidates.vars.len());
    top.insert_range(..);
    let mut states = vec![top; procedure.blocks.len()];
    for (i, v) in candidates.vars.iter().enumerate() {
        let given = procedure.params.contains(v);
        states[Procedure::ENTRY.index()].set(i, given);
    }
    // Visited in reverse postorder, again and again while anything changes: reducible
    // code settles after as many rounds as loops are nested.
    let mut stale = FixedBitSet::with_capacity(flow.len());
    stale.insert_range(..);
    let mut changed = true;
    while changed {
        changed = false;
        for block in flow.reverse_postorder() {
            if !stale.contains(block.index()) {
                continue;
            }
            stale.remove(block.index());
            let mut state = states[block.index()].clone();
            run_block(procedure, *block, candidates, &mut state, &mut |_, _| {});
            for next in flow.successors(*block) {
                if !states[next.index()].is_subset(&state) {
                    states[next.index()].intersect_with(&state);
                    stale.insert(next.index());
                    changed = true;
                }
            }
        }
    }
    states
}

/// Takes a state through a block and reports each read that is not covered.
fn run_block(
    procedure: &Procedure,
    block: BlockId,
    candidates: &Candidates,
    state: &mut FixedBitSet,
    report: &mut impl FnMut(Position, VarId),
) {
    let block = procedure.block(block);
    let read = |state: &mut FixedBitSet, v: VarId| -> bool {
        candidates.bit[v.index()].is_some_and(|bit| !state.put(bit))
    };
    for (index, stmt) in block.stmts.iter().enumerate() {
        if let StmtKind::CheckInit { var } = &stmt.kind {
            read(state, *var);
        } else if let Some((dst, src)) = transfer(procedure, &stmt.kind) {
            let given = candidates.bit[src.index()].is_none_or(|bit| state.contains(bit));
            if let Some(bit) = candidates.bit[dst.index()] {
                state.set(bit, given);
            }
        } else {
            stmt.kind.reads(&mut |v| {
                if read(state, v) {
                    report(Position::Statement(index), v);
                }
            });
            for v in stmt.kind.writes() {
                if let Some(bit) = candidates.bit[v.index()] {
                    state.insert(bit);
                }
            }
        }
    }
    for e in block.end.kind.exprs() {
        e.vars(&mut |v| {
            if read(state, v) {
                report(Position::Terminator, v);
            }
        });
    }
}
