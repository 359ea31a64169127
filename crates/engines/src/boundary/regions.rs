//! Regions of both versions with one entry that contain a change: the smallest, and larger ones.
//!
//! A region of one version is a set of blocks that is entered at one block. Two regions belong together if every matched block
//! of one has its partner in the other, edges into them come from matched blocks by the same successor, and all
//! their exits lead to matched blocks. A region may be empty: code that only the other version has is then a region on an edge. What does not fit is added,
//! until it fits; in the end that is the whole procedure. (Search* of the 2clever paper, with dominators instead of a grammar.)
//!
//! Edges back to the entry leave the region: of a loop around a change it is the body, cut where the next iteration begins.

use std::collections::{BTreeSet, HashSet, VecDeque};
use verdiff_judge::Side;
use verdiff_model::graph::{DominatorTree, Flow};
use verdiff_model::{BlockId, Procedure};
use verdiff_product::matching::Matched;

/// Blocks of either version.
pub type Blocks = [BTreeSet<BlockId>; 2];

/// How often what does not fit is added.
const ROUNDS: usize = 10_000;

/// An edge: where from, and which successor.
pub type Edge = (BlockId, usize);

/// Two regions that belong together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RegionPair {
    /// Their blocks.
    pub blocks: Blocks,
    /// Where each is entered; `None` if it is empty.
    pub entry: [Option<BlockId>; 2],
    /// For an empty one: the edges that it lies on, and where they lead.
    pub on: [Option<(Vec<Edge>, BlockId)>; 2],
}

impl RegionPair {
    /// How many statements both have.
    pub fn size(&self) -> usize {
        self.blocks[0].len() + self.blocks[1].len()
    }

    fn overlaps(&self, other: &RegionPair) -> bool {
        (0..2).any(|side| !self.blocks[side].is_disjoint(&other.blocks[side]))
            || (0..2).any(|side| match (&self.on[side], &other.on[side]) {
                (Some((a, _)), Some((b, _))) => a.iter().any(|edge| b.contains(edge)),
                _ => false,
            })
    }
}

/// Both versions as graphs.
pub struct Graphs<'m> {
    matched: &'m Matched,
    flow: [Flow; 2],
    dominators: [DominatorTree; 2],
}

impl<'m> Graphs<'m> {
    /// Of what was matched.
    pub fn of(matched: &'m Matched) -> Graphs<'m> {
        let flow = [0, 1].map(|side| Flow::of(&matched.procedures[side]));
        let dominators = [0, 1].map(|side| DominatorTree::of(&flow[side]));
        Graphs { matched, flow, dominators }
    }

    fn procedure(&self, side: Side) -> &Procedure {
        &self.matched.procedures[side.index()]
    }

    fn successor(&self, side: Side, (from, index): Edge) -> Option<BlockId> {
        self.procedure(side).block(from).end.kind.successors().get(index).copied()
    }

    /// The change sites, each with what lies next to it without a counterpart, and blocks that are sites though they are matched.
    pub fn seeds(&self, also: &Blocks) -> Vec<Blocks> {
        let mut open: Blocks = also.clone();
        for side in Side::BOTH {
            let reached = self.flow[side.index()].reverse_postorder();
            let alone = reached.iter().filter(|b| self.matched.partner(side, **b).is_none());
            open[side.index()].extend(alone);
            // Matched blocks that go on differently.
            for block in reached {
                let Some(partner) = self.matched.partner(side, *block) else { continue };
                let ways = self.procedure(side).block(*block).end.kind.successors().len();
                let moved = (0..ways).any(|way| {
                    let here = self.successor(side, (*block, way));
                    let there = self.successor(side.other(), (partner, way));
                    let (Some(here), Some(there)) = (here, there) else { return true };
                    match (
                        self.matched.partner(side, here),
                        self.matched.partner(side.other(), there),
                    ) {
                        (Some(p), Some(_)) => p != there,
                        // A region on one of these edges says what happens there.
                        _ => false,
                    }
                });
                if moved && side == Side::Old {
                    open[0].insert(*block);
                    open[1].insert(partner);
                }
            }
        }
        let mut seeds = vec![];
        for side in Side::BOTH {
            let mut left = open[side.index()].clone();
            while let Some(first) = left.pop_first() {
                let mut group = BTreeSet::from([first]);
                let mut work = VecDeque::from([first]);
                while let Some(block) = work.pop_front() {
                    let flow = &self.flow[side.index()];
                    let near = flow.successors(block).iter().chain(flow.predecessors(block));
                    for next in near {
                        if left.remove(next) {
                            group.insert(*next);
                            work.push_back(*next);
                        }
                    }
                }
                let mut seed = Blocks::default();
                seed[side.index()] = group;
                seeds.push(seed);
            }
        }
        seeds
    }

    /// The regions of all seeds, those that overlap joined.
    pub fn regions(&self, seeds: Vec<Blocks>) -> Option<Vec<RegionPair>> {
        let mut found: Vec<RegionPair> = vec![];
        let mut work: VecDeque<Blocks> = seeds.into();
        while let Some(seed) = work.pop_front() {
            let covered = |r: &RegionPair| (0..2).all(|s| seed[s].is_subset(&r.blocks[s]));
            if found.iter().any(covered) {
                continue;
            }
            let region = self.closed(seed)?;
            match found.iter().position(|other| other.overlaps(&region)) {
                None => found.push(region),
                Some(at) => {
                    let mut both = found.swap_remove(at).blocks;
                    (0..2).for_each(|s| both[s].extend(region.blocks[s].iter().copied()));
                    work.push_back(both);
                }
            }
        }
        found.sort_by_key(|r| r.blocks[0].iter().next().copied());
        Some(found)
    }

    /// The smallest regions around these blocks.
    pub fn closed(&self, mut seeds: Blocks) -> Option<RegionPair> {
        for _ in 0..ROUNDS {
            let regions: [(Option<BlockId>, BTreeSet<BlockId>); 2] =
                Side::BOTH.map(|side| self.single_entry(side, &seeds[side.index()]));
            let [(old_entry, old), (new_entry, new)] = regions;
            let (blocks, entry) = ([old, new], [old_entry, new_entry]);
            let before: usize = blocks.iter().map(BTreeSet::len).sum();
            seeds = blocks.clone();
            for side in Side::BOTH {
                self.missing_inside(side, &blocks, &mut seeds);
            }
            let size = |seeds: &Blocks| seeds.iter().map(BTreeSet::len).sum::<usize>();
            if size(&seeds) != before {
                // Where it is entered is looked at once both have what the other has.
                continue;
            }
            let mut on: [Option<(Vec<Edge>, BlockId)>; 2] = [None, None];
            for side in Side::BOTH {
                self.missing_before(side, &blocks, entry, &mut seeds, &mut on);
            }
            if size(&seeds) == before {
                return Some(RegionPair { blocks, entry, on });
            }
        }
        None
    }

    /// Adds to the seeds the partners of one side's blocks, and what follows them and has none.
    fn missing_inside(&self, side: Side, blocks: &Blocks, seeds: &mut Blocks) {
        let (this, other) = (side.index(), side.other().index());
        let inside = &blocks[this];
        for block in inside {
            if let Some(partner) = self.matched.partner(side, *block) {
                seeds[other].insert(partner);
            }
            for next in self.flow[this].successors(*block) {
                if !inside.contains(next) && self.matched.partner(side, *next).is_none() {
                    seeds[this].insert(*next);
                }
            }
        }
    }

    /// Adds to the seeds what one side's region lacks to be entered as the other's is; or says on which edges the other's, which is empty,
    /// lies.
    fn missing_before(
        &self,
        side: Side,
        blocks: &Blocks,
        entry: [Option<BlockId>; 2],
        seeds: &mut Blocks,
        on: &mut [Option<(Vec<Edge>, BlockId)>; 2],
    ) {
        let (this, other) = (side.index(), side.other().index());
        let inside = &blocks[this];
        let Some(entry_here) = entry[this] else { return };
        if entry_here == Procedure::ENTRY {
            // Both begin where their procedures do.
            seeds[other].insert(Procedure::ENTRY);
            return;
        }
        let mut edges: Vec<Edge> = vec![];
        let mut leads: HashSet<BlockId> = HashSet::new();
        for from in self.flow[this].predecessors(entry_here) {
            if inside.contains(from) || !self.flow[this].is_reachable(*from) {
                continue;
            }
            let Some(partner) = self.matched.partner(side, *from) else {
                seeds[this].insert(*from);
                continue;
            };
            let ways = self.procedure(side).block(*from).end.kind.successors();
            for way in (0..ways.len()).filter(|way| ways[*way] == entry_here) {
                let Some(target) = self.successor(side.other(), (partner, way)) else {
                    seeds[this].insert(*from);
                    continue;
                };
                if self.matched.partner(side.other(), target).is_none() {
                    seeds[other].insert(target);
                } else if entry[other].is_some() {
                    if !blocks[other].contains(&target) {
                        seeds[this].insert(*from);
                    }
                } else {
                    edges.push((partner, way));
                    leads.insert(target);
                }
            }
        }
        if entry[other].is_none() {
            match leads.iter().next() {
                Some(target) if leads.len() == 1 => on[other] = Some((edges, *target)),
                _ => seeds[other].extend(edges.iter().map(|(from, _)| *from)),
            }
        }
    }

    /// The blocks between the nearest block that dominates these and these.
    fn single_entry(
        &self,
        side: Side,
        seeds: &BTreeSet<BlockId>,
    ) -> (Option<BlockId>, BTreeSet<BlockId>) {
        let (flow, tree) = (&self.flow[side.index()], &self.dominators[side.index()]);
        let mut reached = seeds.iter().copied().filter(|b| flow.is_reachable(*b));
        let Some(first) = reached.next() else { return (None, BTreeSet::new()) };
        let entry =
            reached.try_fold(first, |a, b| tree.nearest_common(a, b)).unwrap_or(Procedure::ENTRY);
        let mut all = BTreeSet::from([entry]);
        let mut work: Vec<BlockId> =
            seeds.iter().copied().filter(|b| flow.is_reachable(*b)).collect();
        while let Some(block) = work.pop() {
            if block == entry || !all.insert(block) {
                continue;
            }
            work.extend(flow.predecessors(block).iter().filter(|b| flow.is_reachable(**b)));
        }
        (Some(entry), all)
    }

    /// A region and what comes next behind it, if that can be reached through it only: what a result is used for first.
    pub fn with_use(&self, region: &RegionPair) -> Blocks {
        let mut seeds = region.blocks.clone();
        for side in Side::BOTH {
            self.add_behind(side, &mut seeds[side.index()], 1);
        }
        seeds
    }

    /// What can be reached from some blocks.
    pub fn behind(&self, side: Side, blocks: &BTreeSet<BlockId>) -> BTreeSet<BlockId> {
        let flow = &self.flow[side.index()];
        let mut found = BTreeSet::new();
        let mut work: Vec<BlockId> = blocks.iter().copied().collect();
        while let Some(block) = work.pop() {
            work.extend(flow.successors(block).iter().copied().filter(|b| found.insert(*b)));
        }
        found
    }

    /// A region and so many statements before and behind it. First what is cheap to add: behind it what can be reached through it only, before it
    /// what dominates it, as far as there is no loop in between. If that is nothing, whatever is near.
    pub fn grown(&self, region: &RegionPair, by: usize) -> Blocks {
        let mut seeds = region.blocks.clone();
        for side in Side::BOTH {
            let all = &mut seeds[side.index()];
            if let Some(entry) = region.entry[side.index()] {
                self.add_behind(side, all, by);
                self.add_before(side, all, entry, by);
            }
        }
        if seeds == region.blocks { self.grown_anyhow(region, by) } else { seeds }
    }

    fn add_behind(&self, side: Side, all: &mut BTreeSet<BlockId>, by: usize) {
        let flow = &self.flow[side.index()];
        let mut now: Vec<BlockId> = all.iter().copied().collect();
        for _ in 0..by {
            let near: BTreeSet<BlockId> =
                now.iter().flat_map(|b| flow.successors(*b)).copied().collect();
            let only = |b: &BlockId| {
                let mut before = flow.predecessors(*b).iter().filter(|p| flow.is_reachable(**p));
                !all.contains(b) && before.all(|p| all.contains(p))
            };
            now = near.into_iter().filter(only).collect();
            if now.is_empty() {
                return;
            }
            all.extend(&now);
        }
    }

    fn add_before(&self, side: Side, all: &mut BTreeSet<BlockId>, entry: BlockId, by: usize) {
        let (flow, tree) = (&self.flow[side.index()], &self.dominators[side.index()]);
        let mut entry = entry;
        for _ in 0..by {
            let Some(above) = tree.immediate(entry) else { return };
            let mut between = BTreeSet::from([above]);
            let mut work: Vec<BlockId> = flow.predecessors(entry).to_vec();
            while let Some(block) = work.pop() {
                // Around the entry again is no way to it.
                if flow.is_reachable(block) && !all.contains(&block) && between.insert(block) {
                    work.extend(flow.predecessors(block));
                }
            }
            let goes_back = |from: &BlockId| {
                let back = |to: &&BlockId| flow.position(**to) <= flow.position(*from);
                let mut next = flow.successors(*from).iter().filter(back);
                next.any(|to| *to != above && between.contains(to))
            };
            if between.iter().any(goes_back) {
                return;
            }
            all.extend(&between);
            entry = above;
        }
    }

    fn grown_anyhow(&self, region: &RegionPair, by: usize) -> Blocks {
        let mut seeds = region.blocks.clone();
        for side in Side::BOTH {
            let flow = &self.flow[side.index()];
            let mut starts: Vec<BlockId> = region.blocks[side.index()].iter().copied().collect();
            if let Some((edges, target)) = &region.on[side.index()] {
                starts.extend(edges.iter().map(|(from, _)| *from));
                starts.push(*target);
                seeds[side.index()].extend(starts.iter().copied());
            }
            for forward in [true, false] {
                let mut seen: HashSet<BlockId> = starts.iter().copied().collect();
                let mut now = starts.clone();
                for _ in 0..by {
                    let mut next = vec![];
                    for block in &now {
                        let near = match forward {
                            true => flow.successors(*block),
                            false => flow.predecessors(*block),
                        };
                        next.extend(
                            near.iter()
                                .copied()
                                .filter(|b| flow.is_reachable(*b) && seen.insert(*b)),
                        );
                    }
                    now = next;
                }
                seeds[side.index()].extend(seen);
            }
        }
        seeds
    }
}
