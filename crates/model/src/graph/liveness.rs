//! Which variables are live: may still be read before they are written again.
//!
//! A backward may-analysis over bit sets. Only variables that some block reads before it
//! writes them can be live where a block begins, so only those have a bit: most
//! temporaries live and die within one block and cost nothing.
//! A [`CheckInit`](crate::StmtKind::CheckInit) is a read: whether the variable has a value
//! is part of what is carried to it.

use crate::graph::assigned::Position;
use crate::graph::flow::Flow;
use crate::ids::{BlockId, VarId};
use crate::program::{Block, Procedure};
use fixedbitset::FixedBitSet;

/// Live variables at the borders of blocks. Nothing is live in unreachable blocks.
#[derive(Clone, Debug)]
pub struct Liveness {
    bit: Vec<Option<u32>>,
    vars: Vec<VarId>,
    live_in: Vec<FixedBitSet>,
    live_out: Vec<FixedBitSet>,
}

impl Liveness {
    /// The live variables of a procedure.
    pub fn of(procedure: &Procedure, flow: &Flow) -> Liveness {
        let mut liveness = Liveness::prepare(procedure);
        let (reads, writes) = liveness.summaries(procedure);
        let mut stale = FixedBitSet::with_capacity(flow.len());
        stale.insert_range(..);
        let mut changed = true;
        let mut out = FixedBitSet::with_capacity(liveness.vars.len());
        while changed {
            changed = false;
            for block in flow.reverse_postorder().iter().rev() {
                let i = block.index();
                if !stale.contains(i) {
                    continue;
                }
                stale.remove(i);
                out.clear();
                for next in flow.successors(*block) {
                    out.union_with(&liveness.live_in[next.index()]);
                }
                liveness.live_out[i].clone_from(&out);
                out.difference_with(&writes[i]);
                out.union_with(&reads[i]);
                if out != liveness.live_in[i] {
                    liveness.live_in[i].clone_from(&out);
                    for before in flow.predecessors(*block) {
                        stale.insert(before.index());
                    }
                    changed = true;
                }
            }
        }
        liveness
    }

    /// Whether a variable is live where the block begins.
    pub fn is_live_in(&self, block: BlockId, var: VarId) -> bool {
        self.bit[var.index()].is_some_and(|bit| self.live_in[block.index()].contains(bit as usize))
    }

    /// Whether a variable is live where the block ends.
    pub fn is_live_out(&self, block: BlockId, var: VarId) -> bool {
        self.bit[var.index()].is_some_and(|bit| self.live_out[block.index()].contains(bit as usize))
    }

    /// The variables live where the block begins, in order.
    pub fn live_in(&self, block: BlockId) -> impl Iterator<Item = VarId> {
        self.live_in[block.index()].ones().map(|bit| self.vars[bit])
    }

    /// The variables live where the block ends, in order.
    pub fn live_out(&self, block: BlockId) -> impl Iterator<Item = VarId> {
        self.live_out[block.index()].ones().map(|bit| self.vars[bit])
    }

    /// Walks a block from its end to its beginning. `visit` gets each place with the set of
    /// variables (by index, block-local ones included) that are live right after it.
    pub fn walk_back(
        &self,
        procedure: &Procedure,
        block: BlockId,
        mut visit: impl FnMut(Position, &FixedBitSet),
    ) {
        let mut live = FixedBitSet::with_capacity(procedure.vars.len());
        for v in self.live_out(block) {
            live.insert(v.index());
        }
        let code = procedure.block(block);
        visit(Position::Terminator, &live);
        for e in code.end.kind.exprs() {
            e.vars(&mut |v| live.insert(v.index()));
        }
        for (index, stmt) in code.stmts.iter().enumerate().rev() {
            visit(Position::Statement(index), &live);
            for v in stmt.kind.writes() {
                live.remove(v.index());
            }
            stmt.kind.reads(&mut |v| live.insert(v.index()));
        }
    }

    fn prepare(procedure: &Procedure) -> Liveness {
        let mut exposed = FixedBitSet::with_capacity(procedure.vars.len());
        let mut written = vec![u32::MAX; procedure.vars.len()];
        for (number, block) in (0u32..).zip(&procedure.blocks) {
            walk_forward(
                block,
                &mut written,
                |written, v| {
                    if written[v.index()] != number {
                        exposed.insert(v.index());
                    }
                },
                |written, v| written[v.index()] = number,
            );
        }
        let vars: Vec<VarId> = exposed.ones().map(VarId::new).collect();
        let mut bit = vec![None; procedure.vars.len()];
        for (i, v) in (0u32..).zip(&vars) {
            bit[v.index()] = Some(i);
        }
        let empty = vec![FixedBitSet::with_capacity(vars.len()); procedure.blocks.len()];
        Liveness { bit, vars, live_in: empty.clone(), live_out: empty }
    }

    /// For each block what it reads before writing it, and what it writes.
    fn summaries(&self, procedure: &Procedure) -> (Vec<FixedBitSet>, Vec<FixedBitSet>) {
        let empty = FixedBitSet::with_capacity(self.vars.len());
        procedure
            .blocks
            .iter()
            .map(|block| {
                let mut sets = (empty.clone(), empty.clone());
                walk_forward(
                    block,
                    &mut sets,
                    |(reads, writes), v| {
                        if let Some(bit) = self.bit[v.index()]
                            && !writes.contains(bit as usize)
                        {
                            reads.insert(bit as usize);
                        }
                    },
                    |(_, writes), v| {
                        if let Some(bit) = self.bit[v.index()] {
                            writes.insert(bit as usize);
                        }
                    },
                );
                sets
            })
            .unzip()
    }
}

fn walk_forward<S>(
    block: &Block,
    state: &mut S,
    mut read: impl FnMut(&mut S, VarId),
    mut write: impl FnMut(&mut S, VarId),
) {
    for stmt in &block.stmts {
        stmt.kind.reads(&mut |v| read(state, v));
        for v in stmt.kind.writes() {
            write(state, *v);
        }
    }
    for e in block.end.kind.exprs() {
        e.vars(&mut |v| read(state, v));
    }
}
