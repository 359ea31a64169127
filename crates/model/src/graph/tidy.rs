//! Simple tidying of control flow, as it comes out of a lowering or an outlining.
//!
//! Each step keeps the meaning: expressions are pure, so a branch on a constant is a jump;
//! an empty block that jumps on is the block it jumps to; a block with one way in, from
//! one with one way out, is the rest of that one; what cannot be reached never runs.
//! A branch whose two sides are one block is kept while its condition reads a variable:
//! the read may yet need a [`CheckInit`](crate::StmtKind::CheckInit).
//! Every statement and every remaining terminator keeps its location. A loop that does
//! nothing stays a loop.

use crate::expr::Expr;
use crate::graph::flow::Flow;
use crate::ids::BlockId;
use crate::program::Procedure;
use crate::stmt::{Terminator, TerminatorKind};

/// Turns branches on constants into jumps, takes out empty blocks, joins straight lines
/// and drops what cannot be reached. Blocks keep their order; ids are renumbered. The
/// entry stays first, and gets no predecessors if it had none.
pub fn tidy(procedure: &mut Procedure) {
    if procedure.blocks.is_empty() {
        return;
    }
    fold_constant_branches(procedure);
    thread_empty_blocks(procedure);
    remove_unreachable(procedure);
    join_straight_lines(procedure);
    remove_unreachable(procedure);
}

/// Drops the blocks that cannot be reached. Returns the new id of each old block.
pub fn remove_unreachable(procedure: &mut Procedure) -> Vec<Option<BlockId>> {
    let flow = Flow::of(procedure);
    if flow.reverse_postorder().len() == procedure.blocks.len() {
        return procedure.block_ids().map(Some).collect();
    }
    let keep: Vec<bool> = procedure.block_ids().map(|b| flow.is_reachable(b)).collect();
    retain_blocks(procedure, &keep)
}

/// Keeps the marked blocks, in order, and renumbers. No kept block may lead to a dropped
/// one, and the entry must be kept. Returns the new id of each old block.
pub(crate) fn retain_blocks(procedure: &mut Procedure, keep: &[bool]) -> Vec<Option<BlockId>> {
    let mut count = 0;
    let map: Vec<Option<BlockId>> = keep
        .iter()
        .map(|kept| {
            kept.then(|| {
                count += 1;
                BlockId::new(count - 1)
            })
        })
        .collect();
    let mut index = 0;
    procedure.blocks.retain(|_| {
        index += 1;
        keep[index - 1]
    });
    for block in &mut procedure.blocks {
        for target in block.end.kind.successors_mut() {
            *target = map[target.index()].expect("a kept block leads to kept blocks only");
        }
    }
    map
}

fn fold_constant_branches(procedure: &mut Procedure) {
    for block in &mut procedure.blocks {
        let target = match &block.end.kind {
            TerminatorKind::Branch { cond: Expr::Const(c), then, otherwise } => {
                if c.bits != 0 {
                    *then
                } else {
                    *otherwise
                }
            }
            TerminatorKind::Switch { value: Expr::Const(c), cases, default } => {
                cases.iter().find(|(bits, _)| *bits == c.bits).map_or(*default, |(_, b)| *b)
            }
            TerminatorKind::Branch { cond, then, otherwise }
                if then == otherwise && reads_nothing(cond) =>
            {
                *then
            }
            _ => continue,
        };
        block.end.kind = TerminatorKind::Goto(target);
    }
}

fn reads_nothing(e: &Expr) -> bool {
    let mut none = true;
    e.vars(&mut |_| none = false);
    none
}

/// Sends every edge into an empty block on to where that block leads.
fn thread_empty_blocks(procedure: &mut Procedure) {
    let jump = |procedure: &Procedure, b: BlockId| match procedure.block(b) {
        block if !block.stmts.is_empty() => None,
        block => match block.end.kind {
            TerminatorKind::Goto(next) => Some(next),
            _ => None,
        },
    };
    // Where each block leads in the end, once known. A cycle of empty blocks is an
    // endless loop: it leads to the block at which it was met first.
    let mut leads: Vec<Option<BlockId>> = vec![None; procedure.blocks.len()];
    let mut on_path = vec![false; procedure.blocks.len()];
    for start in procedure.block_ids() {
        let mut path = Vec::new();
        let mut at = start;
        let end = loop {
            if let Some(end) = leads[at.index()] {
                break end;
            }
            if std::mem::replace(&mut on_path[at.index()], true) {
                break at;
            }
            path.push(at);
            match jump(procedure, at) {
                Some(next) => at = next,
                None => break at,
            }
        };
        for b in path {
            leads[b.index()] = Some(end);
            on_path[b.index()] = false;
        }
    }
    for block in &mut procedure.blocks {
        for target in block.end.kind.successors_mut() {
            if let Some(end) = leads[target.index()] {
                *target = end;
            }
        }
    }
}

/// Appends each block that has one way in to the block it follows, if that has one way out.
/// What was appended is left behind without a way in.
fn join_straight_lines(procedure: &mut Procedure) {
    let mut ways_in = vec![0u32; procedure.blocks.len()];
    ways_in[Procedure::ENTRY.index()] = 1;
    for block in &procedure.blocks {
        for target in block.end.kind.successors() {
            ways_in[target.index()] += 1;
        }
    }
    // In reverse postorder the head of a line comes before its rest, so that no statement
    // is moved twice.
    let flow = Flow::of(procedure);
    let mut joined = vec![false; procedure.blocks.len()];
    for head in flow.reverse_postorder() {
        if joined[head.index()] {
            continue;
        }
        while let TerminatorKind::Goto(next) = procedure.block(*head).end.kind {
            if ways_in[next.index()] != 1 || next == *head {
                break;
            }
            joined[next.index()] = true;
            let rest = &mut procedure.blocks[next.index()];
            let stmts = std::mem::take(&mut rest.stmts);
            // What stays behind leads nowhere but to itself, so it goes with the unreachable.
            let loc = rest.end.loc;
            let left = Terminator { kind: TerminatorKind::Goto(next), loc };
            let end = std::mem::replace(&mut rest.end, left);
            let block = &mut procedure.blocks[head.index()];
            block.stmts.extend(stmts);
            block.end = end;
        }
    }
}
