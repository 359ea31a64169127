//! How far each block is from the change: the number of decisions until a statement is reached that has no counterpart in
//! the other version, callees included.
//!
//! Runs that come nearer are kept and changed first, and of what they compare, what they compare last before they turn away is
//! looked at first: directed testing as in AFLGo (Böhme et al., CCS 2017), with decisions instead of edges as the measure. It only orders the search.

use crate::changes::change_sites;
use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};
use std::rc::Rc;
use verdiff_judge::{Comparison, PairId, Side};
use verdiff_model::graph::Flow;
use verdiff_model::{BlockId, Callee, ProcId, Program, StmtKind, TerminatorKind};
use verdiff_symex::guide::{FAR, Guide};

/// Changed callees beyond so many are not looked at.
const MOST_CHANGED: usize = 12;
/// Callees are entered so deep.
const MOST_PROCEDURES: usize = 200;

/// The distances in both versions.
#[derive(Debug, Default)]
pub struct Direction {
    guides: [Rc<Guide>; 2],
}

impl Direction {
    /// The distances of what a pair may execute; `None` if no change is known.
    pub fn of(comparison: &Comparison, pair: PairId) -> Option<Direction> {
        let mut sites: [BTreeMap<ProcId, BTreeSet<BlockId>>; 2] = Default::default();
        let reached = Side::BOTH
            .map(|side| reachable(comparison.program(side), comparison.pair(pair).of(side)));
        let near = reached[0].iter().filter_map(|id| comparison.pair_of(Side::Old, *id));
        let mut changed: Vec<PairId> = near.collect();
        // Nearest first: a procedure that only the new version calls comes last.
        changed.extend(reached[1].iter().filter_map(|id| comparison.pair_of(Side::New, *id)));
        let mut seen = BTreeSet::new();
        changed.retain(|pair| seen.insert(*pair));
        let mut with_sites = 0;
        for other in changed {
            let found = change_sites(comparison, other);
            if found.iter().all(BTreeSet::is_empty) {
                continue;
            }
            for side in Side::BOTH {
                let procedure = comparison.pair(other).of(side);
                sites[side.index()].insert(procedure, found[side.index()].clone());
            }
            with_sites += 1;
            if with_sites == MOST_CHANGED {
                break;
            }
        }
        let distances = Side::BOTH.map(|side| {
            distances(comparison.program(side), &reached[side.index()], &sites[side.index()])
        });
        let guides = distances.map(|distances| Rc::new(Guide(distances)));
        let known = guides.iter().any(|guide| guide.leads_anywhere());
        known.then_some(Direction { guides })
    }

    /// The distances in one version.
    pub fn guide(&self, side: Side) -> &Rc<Guide> {
        &self.guides[side.index()]
    }

    /// How far a block is from the change.
    #[inline]
    pub fn distance(&self, side: usize, procedure: ProcId, block: BlockId) -> u32 {
        self.guides[side].distance(procedure, block)
    }

    /// The values of the cases of a switch that come nearest to the change.
    pub fn cases(
        &self,
        program: &Program,
        side: usize,
        procedure: ProcId,
        block: BlockId,
    ) -> Vec<u64> {
        let TerminatorKind::Switch { cases, .. } =
            &program.procedure(procedure).block(block).end.kind
        else {
            return vec![];
        };
        let far = |to: BlockId| self.distance(side, procedure, to);
        let nearest = cases.iter().map(|(_, to)| far(*to)).min().unwrap_or(FAR);
        let near = cases.iter().filter(|(_, to)| nearest != FAR && far(*to) == nearest);
        near.map(|(bits, _)| *bits as u64).collect()
    }
}

/// A procedure and what it calls, nearest first.
fn reachable(program: &Program, from: ProcId) -> Vec<ProcId> {
    let mut seen = BTreeSet::from([from]);
    let mut found = vec![];
    let mut work = VecDeque::from([from]);
    while let Some(id) = work.pop_front() {
        found.push(id);
        for callee in callees(program, id).into_iter().map(|(_, callee)| callee) {
            if seen.len() < MOST_PROCEDURES && seen.insert(callee) {
                work.push_back(callee);
            }
        }
    }
    found
}

/// The blocks of a procedure that call another one, and which.
fn callees(program: &Program, id: ProcId) -> Vec<(BlockId, ProcId)> {
    let mut found = vec![];
    for (number, block) in program.procedure(id).blocks.iter().enumerate() {
        for stmt in &block.stmts {
            if let StmtKind::Call { callee: Callee::Procedure(callee), .. } = &stmt.kind {
                found.push((BlockId::new(number), *callee));
            }
        }
    }
    found
}

/// The distance of every block of these procedures. A call of a procedure that reaches a site is as far from it as that
/// procedure's entry, and one more.
fn distances(
    program: &Program,
    procedures: &[ProcId],
    sites: &BTreeMap<ProcId, BTreeSet<BlockId>>,
) -> Vec<Vec<u32>> {
    let mut entry: HashMap<ProcId, u32> = HashMap::new();
    let mut all: Vec<Vec<u32>> = vec![vec![]; program.procedures.len()];
    let calls: Vec<Vec<(BlockId, ProcId)>> =
        procedures.iter().map(|id| callees(program, *id)).collect();
    let flows: Vec<Flow> = procedures.iter().map(|id| Flow::of(program.procedure(*id))).collect();
    loop {
        let mut nearer = false;
        // What is called comes first: mostly one round is enough.
        for (number, id) in procedures.iter().enumerate().rev() {
            let blocks = program.procedure(*id).blocks.len();
            if blocks == 0 {
                continue;
            }
            let mut from: Vec<(BlockId, u32)> = vec![];
            from.extend(sites.get(id).into_iter().flatten().map(|block| (*block, 0)));
            for (block, callee) in &calls[number] {
                from.extend(entry.get(callee).map(|far| (*block, far.saturating_add(1))));
            }
            let found = backwards(&flows[number], blocks, from);
            if found[0] < entry.get(id).copied().unwrap_or(FAR) {
                entry.insert(*id, found[0]);
                nearer = true;
            }
            all[id.index()] = found;
        }
        if !nearer {
            return all;
        }
    }
}

/// Distances against the flow: a block that decides is one further than its nearest successor.
fn backwards(flow: &Flow, blocks: usize, from: Vec<(BlockId, u32)>) -> Vec<u32> {
    let mut distance = vec![FAR; blocks];
    let mut work = std::collections::BinaryHeap::new();
    for (block, far) in from {
        if far < distance[block.index()] {
            distance[block.index()] = far;
            work.push(std::cmp::Reverse((far, block)));
        }
    }
    while let Some(std::cmp::Reverse((far, block))) = work.pop() {
        if far > distance[block.index()] {
            continue;
        }
        for before in flow.predecessors(block) {
            let decides = flow.successors(*before).len() > 1;
            let further = far + u32::from(decides);
            if further < distance[before.index()] {
                distance[before.index()] = further;
                work.push(std::cmp::Reverse((further, *before)));
            }
        }
    }
    distance
}
