//! The control-flow graph of a procedure: who follows whom, and in which order to
//! visit blocks so that most of what comes before a block was seen before it.

use crate::ids::BlockId;
use crate::program::Procedure;

/// Edges between blocks and a reverse postorder of those that can be reached.
///
/// An edge is listed once even if a `switch` names its target several times.
#[derive(Clone, Debug)]
pub struct Flow {
    successors: Adjacency,
    predecessors: Adjacency,
    order: Vec<BlockId>,
    position: Vec<u32>,
}

const UNREACHABLE: u32 = u32::MAX;

impl Flow {
    /// The control flow of a procedure. One without blocks gives an empty graph.
    pub fn of(procedure: &Procedure) -> Flow {
        let lists = procedure.blocks.iter().map(|block| {
            let mut targets = block.end.kind.successors();
            dedup_in_order(&mut targets);
            targets
        });
        let successors = Adjacency::from_lists(lists);
        let predecessors = successors.reversed();
        let order = reverse_postorder(&successors);
        let mut position = vec![UNREACHABLE; procedure.blocks.len()];
        for (at, block) in order.iter().enumerate() {
            position[block.index()] = BlockId::new(at).0;
        }
        Flow { successors, predecessors, order, position }
    }

    /// How many blocks there are, reachable or not.
    pub fn len(&self) -> usize {
        self.position.len()
    }

    /// Whether the procedure has no blocks.
    pub fn is_empty(&self) -> bool {
        self.position.is_empty()
    }

    /// The blocks that may follow, each once, in the terminator's order.
    pub fn successors(&self, block: BlockId) -> &[BlockId] {
        self.successors.of(block)
    }

    /// The blocks that may come before, each once, in order; unreachable ones included.
    pub fn predecessors(&self, block: BlockId) -> &[BlockId] {
        self.predecessors.of(block)
    }

    /// The reachable blocks, the entry first: a block comes before its successors but
    /// for those it reaches by an edge that goes back.
    pub fn reverse_postorder(&self) -> &[BlockId] {
        &self.order
    }

    /// The block's place in [`Flow::reverse_postorder`], if it can be reached.
    pub fn position(&self, block: BlockId) -> Option<usize> {
        let at = self.position[block.index()];
        (at != UNREACHABLE).then_some(at as usize)
    }

    /// Whether there is a path from the entry to the block.
    pub fn is_reachable(&self, block: BlockId) -> bool {
        self.position[block.index()] != UNREACHABLE
    }
}

/// Lists of blocks, one per block, in one allocation.
#[derive(Clone, Debug)]
pub(crate) struct Adjacency {
    start: Vec<u32>,
    targets: Vec<BlockId>,
}

impl Adjacency {
    pub(crate) fn from_lists(lists: impl Iterator<Item = Vec<BlockId>>) -> Adjacency {
        let mut start = vec![0];
        let mut targets = Vec::new();
        for list in lists {
            targets.extend(list);
            start.push(BlockId::new(targets.len()).0);
        }
        Adjacency { start, targets }
    }

    pub(crate) fn len(&self) -> usize {
        self.start.len() - 1
    }

    pub(crate) fn of(&self, block: BlockId) -> &[BlockId] {
        let i = block.index();
        &self.targets[self.start[i] as usize..self.start[i + 1] as usize]
    }

    pub(crate) fn reversed(&self) -> Adjacency {
        let count = self.len();
        let mut start = vec![0u32; count + 1];
        for target in &self.targets {
            start[target.index() + 1] += 1;
        }
        for i in 0..count {
            start[i + 1] += start[i];
        }
        let mut next = start.clone();
        let mut targets = vec![BlockId(0); self.targets.len()];
        for from in (0..count).map(BlockId::new) {
            for to in self.of(from) {
                let slot = &mut next[to.index()];
                targets[*slot as usize] = from;
                *slot += 1;
            }
        }
        Adjacency { start, targets }
    }
}

/// Drops repetitions and keeps the order. A `switch` may have thousands of targets.
pub(crate) fn dedup_in_order(targets: &mut Vec<BlockId>) {
    match targets.len() {
        0 | 1 => {}
        2 => {
            if targets[0] == targets[1] {
                targets.pop();
            }
        }
        _ => {
            let mut seen = std::collections::HashSet::with_capacity(targets.len());
            targets.retain(|b| seen.insert(*b));
        }
    }
}

fn reverse_postorder(successors: &Adjacency) -> Vec<BlockId> {
    let count = successors.len();
    if count == 0 {
        return Vec::new();
    }
    let mut order = Vec::with_capacity(count);
    let mut seen = vec![false; count];
    // Each entry: a block on the current path and how many of its successors were taken.
    // Successors are taken last to first, so that the order follows the source: the
    // `then` side of a branch comes before its `else` side.
    let mut path = vec![(Procedure::ENTRY, 0)];
    seen[Procedure::ENTRY.index()] = true;
    while let Some((block, taken)) = path.last_mut() {
        let next = successors.of(*block);
        if *taken == next.len() {
            order.push(*block);
            path.pop();
            continue;
        }
        *taken += 1;
        let target = next[next.len() - *taken];
        if !std::mem::replace(&mut seen[target.index()], true) {
            path.push((target, 0));
        }
    }
    order.reverse();
    order
}
