//! Dominators and post-dominators.
//!
//! Computed by petgraph's version of Cooper, Harvey and Kennedy, "A Simple, Fast Dominance
//! Algorithm" (2001). The tree is then numbered in depth-first order, so that "does a
//! dominate b" is two comparisons.

use crate::graph::flow::Flow;
use crate::ids::BlockId;
use crate::program::Procedure;
use petgraph::algo::{dominators::simple_fast, kosaraju_scc};
use petgraph::graph::{DiGraph, NodeIndex};

/// The tree of dominators, or of post-dominators, over the reachable blocks.
#[derive(Clone, Debug)]
pub struct DominatorTree {
    parent: Vec<Option<BlockId>>,
    /// When the depth-first walk over the tree enters and leaves a block; `None` outside the tree.
    span: Vec<Option<(u32, u32)>>,
    roots: Vec<BlockId>,
}

impl DominatorTree {
    /// Dominators: a dominates b if every path from the entry to b goes through a.
    pub fn of(flow: &Flow) -> DominatorTree {
        if flow.is_empty() {
            return DominatorTree::from_parents(vec![], &[]);
        }
        let graph = forward_graph(flow);
        let found = simple_fast(&graph, node(Procedure::ENTRY));
        let parents = (0..flow.len())
            .map(|i| found.immediate_dominator(NodeIndex::new(i)).map(|n| BlockId::new(n.index())));
        DominatorTree::from_parents(parents.collect(), &[Procedure::ENTRY])
    }

    /// Post-dominators: a post-dominates b if every path from b to the end goes through a.
    ///
    /// The end is one virtual place behind all returns and traps; a block whose immediate
    /// post-dominator it is has none here. From a region that cannot be left (an endless
    /// loop) a virtual edge leads to the end, from that block of the region which comes
    /// first in reverse postorder, its header, so that every reachable block is in the tree.
    pub fn post(flow: &Flow) -> DominatorTree {
        if flow.is_empty() {
            return DominatorTree::from_parents(vec![], &[]);
        }
        let end = NodeIndex::new(flow.len());
        let mut graph: DiGraph<(), ()> = DiGraph::new();
        for _ in 0..=flow.len() {
            graph.add_node(());
        }
        for block in flow.reverse_postorder() {
            for next in flow.successors(*block) {
                graph.add_edge(node(*next), node(*block), ());
            }
        }
        for block in ways_to_the_end(flow) {
            graph.add_edge(end, node(block), ());
        }
        let found = simple_fast(&graph, end);
        let mut roots = Vec::new();
        let parents = (0..flow.len())
            .map(|i| match found.immediate_dominator(NodeIndex::new(i)) {
                Some(n) if n == end => {
                    roots.push(BlockId::new(i));
                    None
                }
                other => other.map(|n| BlockId::new(n.index())),
            })
            .collect();
        DominatorTree::from_parents(parents, &roots)
    }

    /// The immediate (post-)dominator: none for a root of the tree and for what cannot be reached.
    pub fn immediate(&self, block: BlockId) -> Option<BlockId> {
        self.parent[block.index()]
    }

    /// Whether `a` (post-)dominates `b`; every reachable block does so itself.
    pub fn dominates(&self, a: BlockId, b: BlockId) -> bool {
        match (self.span[a.index()], self.span[b.index()]) {
            (Some((a_in, a_out)), Some((b_in, b_out))) => a_in <= b_in && b_out <= a_out,
            _ => false,
        }
    }

    /// The roots: the entry; for post-dominators, all blocks right before the virtual end.
    pub fn roots(&self) -> &[BlockId] {
        &self.roots
    }

    /// The nearest block that (post-)dominates both, if there is one.
    pub fn nearest_common(&self, a: BlockId, b: BlockId) -> Option<BlockId> {
        let mut at = Some(a);
        while let Some(candidate) = at {
            if self.dominates(candidate, b) {
                return Some(candidate);
            }
            at = self.immediate(candidate);
        }
        None
    }

    fn from_parents(parent: Vec<Option<BlockId>>, roots: &[BlockId]) -> DominatorTree {
        let mut children: Vec<Vec<BlockId>> = vec![Vec::new(); parent.len()];
        for (i, p) in parent.iter().enumerate() {
            if let Some(p) = p {
                children[p.index()].push(BlockId::new(i));
            }
        }
        let mut span = vec![None; parent.len()];
        let mut clock = 0u32;
        for root in roots {
            let mut path = vec![(*root, 0usize, clock)];
            while let Some((block, taken, entered)) = path.last_mut() {
                if let Some(child) = children[block.index()].get(*taken) {
                    *taken += 1;
                    clock += 1;
                    path.push((*child, 0, clock));
                } else {
                    span[block.index()] = Some((*entered, clock));
                    path.pop();
                }
            }
            clock += 1;
        }
        DominatorTree { parent, span, roots: roots.to_vec() }
    }
}

fn node(block: BlockId) -> NodeIndex {
    NodeIndex::new(block.index())
}

fn forward_graph(flow: &Flow) -> DiGraph<(), ()> {
    let mut graph = DiGraph::new();
    for _ in 0..flow.len() {
        graph.add_node(());
    }
    for block in flow.reverse_postorder() {
        for next in flow.successors(*block) {
            graph.add_edge(node(*block), node(*next), ());
        }
    }
    graph
}

/// The blocks from which an edge leads to the virtual end: those without successors, and
/// the first block of every component that is cyclic and has no way out.
fn ways_to_the_end(flow: &Flow) -> Vec<BlockId> {
    let mut reaches = vec![false; flow.len()];
    let mut work: Vec<BlockId> = flow
        .reverse_postorder()
        .iter()
        .copied()
        .filter(|b| flow.successors(*b).is_empty())
        .collect();
    let mut ways = work.clone();
    for b in &work {
        reaches[b.index()] = true;
    }
    while let Some(block) = work.pop() {
        for before in flow.predecessors(block) {
            if !std::mem::replace(&mut reaches[before.index()], true) {
                work.push(*before);
            }
        }
    }
    if flow.reverse_postorder().iter().all(|b| reaches[b.index()]) {
        return ways;
    }
    let components = kosaraju_scc(&forward_graph(flow));
    let mut component = vec![usize::MAX; flow.len()];
    for (i, members) in components.iter().enumerate() {
        for n in members {
            component[n.index()] = i;
        }
    }
    for (i, members) in components.iter().enumerate() {
        let blocks = || members.iter().map(|n| BlockId::new(n.index()));
        let stuck = blocks().all(|b| {
            flow.is_reachable(b)
                && !reaches[b.index()]
                && flow.successors(b).iter().all(|s| component[s.index()] == i)
        });
        if stuck {
            ways.extend(blocks().min_by_key(|b| flow.position(*b)));
        }
    }
    ways
}
