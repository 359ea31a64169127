//! Making control flow reducible by node splitting.
//!
//! Of a region with several entries one entry is kept. Whatever the other entries reach
//! inside the region without passing the kept one is copied, and the edges from outside
//! that went to another entry go to its copy. The region then is entered at the kept entry
//! alone; the copies are a smaller region without it, which is split again if need be.
//!
//! Right because a copy of a block does what the block does and leads where it leads, or to
//! a copy of that. It ends because each step takes one block away from every cycle of the
//! copied part. Splitting can grow exponentially (Carter, Ferrante and Thomborson, "Folklore
//! confirmed: reducible flow graphs are exponentially larger", 2003), hence the limit.

use crate::graph::dominators::DominatorTree;
use crate::graph::flow::Flow;
use crate::graph::loops::{IrreducibleRegion, irreducible_regions};
use crate::ids::BlockId;
use crate::program::Procedure;
use std::collections::HashMap;

/// What was copied.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Splitting {
    /// Each new block and the block that it is a copy of in the end.
    pub copies: Vec<(BlockId, BlockId)>,
}

impl Splitting {
    /// What a block is a copy of, itself if it was there `before` the first copy.
    fn original(&self, block: BlockId, before: usize) -> BlockId {
        match block.index().checked_sub(before) {
            None => block,
            Some(copy) => self.copies[copy].1,
        }
    }

    fn originals(&self, region: &IrreducibleRegion, before: usize) -> IrreducibleRegion {
        let map = |list: &[BlockId]| {
            let mut list: Vec<BlockId> = list.iter().map(|b| self.original(*b, before)).collect();
            list.sort_unstable();
            list.dedup();
            list
        };
        IrreducibleRegion { blocks: map(&region.blocks), entries: map(&region.entries) }
    }
}

/// Why a procedure was left irreducible.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("making the control flow reducible needs more than {limit} statements")]
pub struct TooManyCopies {
    /// The limit that would have been passed, in statements and block ends.
    pub limit: usize,
    /// The region that was to be split next; where it consists of copies, their originals.
    pub region: IrreducibleRegion,
}

/// Makes all cycles natural loops. The limit allows for four times the size plus 1,000;
/// beyond it the procedure is left as it was.
pub fn make_reducible(procedure: &mut Procedure) -> Result<Splitting, TooManyCopies> {
    let limit = 4 * size(procedure) + 1_000;
    make_reducible_within(procedure, limit)
}

/// Makes all cycles natural loops as long as the procedure keeps below `limit` statements
/// and block ends; beyond it the procedure is left as it was.
pub fn make_reducible_within(
    procedure: &mut Procedure,
    limit: usize,
) -> Result<Splitting, TooManyCopies> {
    let mut splitting = Splitting::default();
    let before = procedure.blocks.len();
    let mut saved = None;
    loop {
        let flow = Flow::of(procedure);
        let regions = irreducible_regions(&flow, &DominatorTree::of(&flow));
        if regions.is_empty() {
            return Ok(splitting);
        }
        let backup = saved.get_or_insert_with(|| procedure.blocks.clone());
        // The regions of one round are disjoint, so that no block is copied twice in it.
        let mut round = Round { flow, before, copies: HashMap::new() };
        let mut room = limit.saturating_sub(size(procedure));
        for region in &regions {
            let plan = Plan::cheapest(procedure, &round.flow, region);
            if plan.cost > room {
                procedure.blocks = std::mem::take(backup);
                return Err(TooManyCopies { limit, region: splitting.originals(region, before) });
            }
            room -= plan.cost;
            round.carry_out(&plan, procedure, region, &mut splitting);
        }
    }
}

fn size(procedure: &Procedure) -> usize {
    procedure.blocks.iter().map(|b| b.stmts.len() + 1).sum()
}

/// Which entry is kept, what must be copied for it, and how much that is.
struct Plan {
    kept: BlockId,
    copied: Vec<BlockId>,
    cost: usize,
}

/// How many entries are tried; each costs a walk over the region.
const TRIED_ENTRIES: usize = 16;

impl Plan {
    fn cheapest(procedure: &Procedure, flow: &Flow, region: &IrreducibleRegion) -> Plan {
        let plans = region.entries.iter().take(TRIED_ENTRIES).map(|kept| {
            let copied = reached_without(flow, region, *kept);
            let cost = copied.iter().map(|b| procedure.block(*b).stmts.len() + 1).sum();
            Plan { kept: *kept, copied, cost }
        });
        plans.min_by_key(|plan| plan.cost).expect("an irreducible region has entries")
    }
}

/// One pass over the regions that there are.
struct Round {
    /// The edges at its beginning.
    flow: Flow,
    /// How many blocks there were before the first copy of all.
    before: usize,
    /// The copies of this round by what they are copies of.
    copies: HashMap<BlockId, BlockId>,
}

impl Round {
    fn carry_out(
        &mut self,
        plan: &Plan,
        procedure: &mut Procedure,
        region: &IrreducibleRegion,
        splitting: &mut Splitting,
    ) {
        let first = procedure.blocks.len();
        let copy_of =
            |b: BlockId| plan.copied.binary_search(&b).ok().map(|at| BlockId::new(first + at));
        for original in &plan.copied {
            let mut copy = procedure.block(*original).clone();
            for target in copy.end.kind.successors_mut() {
                *target = copy_of(*target).unwrap_or(*target);
            }
            let new = BlockId::new(procedure.blocks.len());
            splitting.copies.push((new, splitting.original(*original, self.before)));
            self.copies.insert(*original, new);
            procedure.blocks.push(copy);
        }
        let inside = |b: &BlockId| region.blocks.binary_search(b).is_ok();
        for entry in region.entries.iter().filter(|e| **e != plan.kept) {
            let Some(copy) = copy_of(*entry) else { continue };
            for from in self.flow.predecessors(*entry).iter().filter(|p| !inside(p)) {
                // Another region's block may lead here, and its copy of this round does too.
                for from in std::iter::once(from).chain(self.copies.get(from)) {
                    for target in procedure.blocks[from.index()].end.kind.successors_mut() {
                        if target == entry {
                            *target = copy;
                        }
                    }
                }
            }
        }
    }
}

/// The blocks of the region that its other entries reach without passing `kept`, in order.
fn reached_without(flow: &Flow, region: &IrreducibleRegion, kept: BlockId) -> Vec<BlockId> {
    let mut reached = vec![false; region.blocks.len()];
    let mut work = Vec::new();
    let mut reach = |b: BlockId, work: &mut Vec<BlockId>| {
        if b != kept
            && let Ok(at) = region.blocks.binary_search(&b)
            && !std::mem::replace(&mut reached[at], true)
        {
            work.push(b);
        }
    };
    for entry in &region.entries {
        reach(*entry, &mut work);
    }
    while let Some(block) = work.pop() {
        for next in flow.successors(block) {
            reach(*next, &mut work);
        }
    }
    region.blocks.iter().zip(reached).filter(|(_, r)| *r).map(|(b, _)| *b).collect()
}
