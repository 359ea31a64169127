//! Natural loops and their nesting, and the cycles that are none.
//!
//! A back edge leads to a block that dominates its source; the loop of a header is what
//! reaches one of its back edges without passing the header. Loops with one header are one
//! loop. Two loops are then nested or disjoint.
//!
//! A cycle that no single block dominates is no loop here: it is an [`IrreducibleRegion`].

use crate::graph::dominators::DominatorTree;
use crate::graph::flow::Flow;
use crate::ids::BlockId;
use crate::program::Procedure;
use petgraph::algo::kosaraju_scc;
use petgraph::graph::{DiGraph, NodeIndex};
use std::fmt;

/// A loop of a procedure, an index into its [`Loops`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LoopId(pub u32);

impl LoopId {
    /// The position in the list.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

impl fmt::Debug for LoopId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "loop{}", self.0)
    }
}

/// All loops of a procedure, outer ones before inner ones, else in reverse postorder of
/// their headers.
#[derive(Clone, Debug, Default)]
pub struct Loops {
    loops: Vec<Loop>,
    innermost: Vec<Option<LoopId>>,
    irreducible: Vec<IrreducibleRegion>,
}

/// A natural loop.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Loop {
    /// The block that every way into the loop goes through.
    pub header: BlockId,
    /// All blocks, the header and inner loops' blocks included, in order of ids.
    pub body: Vec<BlockId>,
    /// The sources of the edges back to the header, in order of ids.
    pub latches: Vec<BlockId>,
    /// The edges out of the loop, from inside to outside, in order.
    pub exits: Vec<(BlockId, BlockId)>,
    /// How many loops it is in, itself included.
    pub depth: u32,
    /// The smallest loop around it.
    pub parent: Option<LoopId>,
    /// The loops right inside it.
    pub children: Vec<LoopId>,
}

/// A set of blocks that reach each other and have several entries.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IrreducibleRegion {
    /// The blocks, in order of ids.
    pub blocks: Vec<BlockId>,
    /// Those of them that are entered from outside, in order of ids.
    pub entries: Vec<BlockId>,
}

impl Loops {
    /// The loops of a procedure.
    pub fn of(flow: &Flow, dominators: &DominatorTree) -> Loops {
        let mut finder = Finder::new(flow, dominators);
        // Inner headers come later in reverse postorder: they are dominated by outer ones.
        for header in flow.reverse_postorder().iter().rev() {
            finder.find(*header);
        }
        finder.finish()
    }

    /// All loops.
    pub fn iter(&self) -> impl Iterator<Item = (LoopId, &Loop)> {
        self.loops.iter().enumerate().map(|(i, l)| (LoopId(i as u32), l))
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.loops.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.loops.is_empty()
    }

    /// A loop.
    pub fn get(&self, id: LoopId) -> &Loop {
        &self.loops[id.index()]
    }

    /// The smallest loop that a block is in.
    pub fn innermost(&self, block: BlockId) -> Option<LoopId> {
        self.innermost[block.index()]
    }

    /// The loop with this header.
    pub fn with_header(&self, header: BlockId) -> Option<LoopId> {
        self.innermost(header).filter(|id| self.get(*id).header == header)
    }

    /// Whether a block is in a loop.
    pub fn contains(&self, id: LoopId, block: BlockId) -> bool {
        self.get(id).body.binary_search(&block).is_ok()
    }

    /// Cycles that are no natural loops.
    pub fn irreducible(&self) -> &[IrreducibleRegion] {
        &self.irreducible
    }
}

struct Finder<'a> {
    flow: &'a Flow,
    dominators: &'a DominatorTree,
    headers: Vec<BlockId>,
    parents: Vec<Option<usize>>,
    innermost: Vec<Option<usize>>,
}

impl<'a> Finder<'a> {
    fn new(flow: &'a Flow, dominators: &'a DominatorTree) -> Finder<'a> {
        let innermost = vec![None; flow.len()];
        Finder { flow, dominators, headers: vec![], parents: vec![], innermost }
    }

    fn latches(&self, header: BlockId) -> Vec<BlockId> {
        let before = self.flow.predecessors(header).iter().copied();
        before.filter(|b| self.dominators.dominates(header, *b)).collect()
    }

    /// Finds the loop of a header, if it is one, by walking back from its latches. An inner
    /// loop that was found before is entered once and left through its header, so that each
    /// edge is looked at once for all loops that do not share it.
    fn find(&mut self, header: BlockId) {
        let mut work = self.latches(header);
        if work.is_empty() {
            return;
        }
        let this = self.headers.len();
        self.headers.push(header);
        self.parents.push(None);
        while let Some(block) = work.pop() {
            match self.innermost[block.index()] {
                None => {
                    self.innermost[block.index()] = Some(this);
                    if block != header {
                        work.extend(self.reachable_predecessors(block));
                    }
                }
                Some(inner) => {
                    let outermost = self.outermost(inner, this);
                    if outermost == this {
                        continue;
                    }
                    self.parents[outermost] = Some(this);
                    let inner_header = self.headers[outermost];
                    // Back edges of the inner loop come from blocks that now belong here.
                    work.extend(
                        self.reachable_predecessors(inner_header)
                            .filter(|b| !self.dominators.dominates(inner_header, *b)),
                    );
                }
            }
        }
    }

    fn reachable_predecessors(&self, block: BlockId) -> impl Iterator<Item = BlockId> + use<'a> {
        let flow = self.flow;
        flow.predecessors(block).iter().copied().filter(|b| flow.is_reachable(*b))
    }

    /// The outermost loop found so far around a loop, `this` if that is it.
    fn outermost(&self, mut inner: usize, this: usize) -> usize {
        while inner != this {
            match self.parents[inner] {
                Some(parent) => inner = parent,
                None => break,
            }
        }
        inner
    }

    fn finish(self) -> Loops {
        // Found from the last header to the first: turned round, outer loops come first.
        let count = self.headers.len();
        let id = |found: usize| LoopId((count - 1 - found) as u32);
        let mut loops: Vec<Loop> = (0..count)
            .rev()
            .map(|found| Loop {
                header: self.headers[found],
                body: vec![],
                latches: self.latches(self.headers[found]),
                exits: vec![],
                depth: 0,
                parent: self.parents[found].map(id),
                children: vec![],
            })
            .collect();
        for i in 0..count {
            if let Some(parent) = loops[i].parent {
                loops[i].depth = loops[parent.index()].depth + 1;
                loops[parent.index()].children.push(LoopId(i as u32));
            } else {
                loops[i].depth = 1;
            }
        }
        let innermost: Vec<Option<LoopId>> =
            self.innermost.iter().map(|found| found.map(id)).collect();
        for (i, inside) in innermost.iter().enumerate() {
            let mut at = *inside;
            while let Some(id) = at {
                loops[id.index()].body.push(BlockId::new(i));
                at = loops[id.index()].parent;
            }
        }
        for l in &mut loops {
            for block in &l.body {
                for next in self.flow.successors(*block) {
                    if l.body.binary_search(next).is_err() {
                        l.exits.push((*block, *next));
                    }
                }
            }
        }
        let irreducible = irreducible_regions(self.flow, self.dominators);
        Loops { loops, innermost, irreducible }
    }
}

/// The outermost cycles that several blocks are entries of.
///
/// Strongly connected components are taken apart from outside to inside, as in Havlak,
/// "Nesting of reducible and irreducible loops" (1997): one with a single entry is a natural
/// loop, and what is inside it is found without its header; one with several is irreducible.
pub(crate) fn irreducible_regions(
    flow: &Flow,
    dominators: &DominatorTree,
) -> Vec<IrreducibleRegion> {
    // Without an edge to an earlier block that does not dominate its source, every cycle
    // is a natural loop, and the usual case is done.
    let odd = |from: BlockId, to: BlockId| {
        flow.position(to) <= flow.position(from) && !dominators.dominates(to, from)
    };
    let reducible = flow
        .reverse_postorder()
        .iter()
        .all(|from| flow.successors(*from).iter().all(|to| !odd(*from, *to)));
    if reducible {
        return vec![];
    }
    let mut regions = Vec::new();
    let mut all = flow.reverse_postorder().to_vec();
    all.sort_unstable();
    let mut work = vec![all];
    while let Some(set) = work.pop() {
        for mut blocks in cyclic_components(flow, &set) {
            let entries = entries(flow, &blocks);
            if let [header] = entries[..] {
                blocks.retain(|b| *b != header);
                work.push(blocks);
            } else {
                regions.push(IrreducibleRegion { blocks, entries });
            }
        }
    }
    regions.sort_by(|a, b| a.blocks.cmp(&b.blocks));
    regions
}

/// The strongly connected components of more than one block among the edges within a set,
/// each in order of ids.
fn cyclic_components(flow: &Flow, set: &[BlockId]) -> Vec<Vec<BlockId>> {
    let mut graph: DiGraph<(), ()> = DiGraph::new();
    for _ in set {
        graph.add_node(());
    }
    for (i, from) in set.iter().enumerate() {
        for to in flow.successors(*from) {
            if let Ok(to) = set.binary_search(to) {
                graph.add_edge(NodeIndex::new(i), NodeIndex::new(to), ());
            }
        }
    }
    kosaraju_scc(&graph)
        .into_iter()
        .filter(|members| members.len() > 1)
        .map(|members| {
            let mut blocks: Vec<BlockId> = members.into_iter().map(|n| set[n.index()]).collect();
            blocks.sort_unstable();
            blocks
        })
        .collect()
}

/// The blocks of a set that are entered from outside it.
fn entries(flow: &Flow, blocks: &[BlockId]) -> Vec<BlockId> {
    let outside = |b: &BlockId| flow.is_reachable(*b) && blocks.binary_search(b).is_err();
    let entered = |b: &BlockId| *b == Procedure::ENTRY || flow.predecessors(*b).iter().any(outside);
    blocks.iter().copied().filter(entered).collect()
}
