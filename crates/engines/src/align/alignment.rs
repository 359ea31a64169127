//! Alignments: which side moves at a pair of places, and how far the other one follows. Guessed from runs.
//!
//! A [`Move`] lets one side lead: it makes one step, to the next cut point or to its end. The other side follows with
//! so many steps if the lead came back to the same head, and so many if it left. So one iteration against several,
//! loops unrolled with the rest in a loop of its own, peeled iterations, and a side that waits while the other makes
//! a loop of its own are all moves. Which moves are chosen is not a question of soundness: [`prove`](super::prove)
//! follows every continuation of both sides.

use super::invariant::{Invariant, Var};
use super::runs::{Point, Run};
use super::{CutPoint, Node};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// How many steps may be taken against one.
const RATIOS: [usize; 4] = [2, 4, 3, 8];
/// How many moves are tried at each node, and how many alignments are looked at in all.
const KEPT: usize = 6;
const MOST: usize = 150;
/// How many runs alignments are looked for in.
const SOME_RUNS: usize = 12;
/// An alignment of more nodes is not looked for.
const MOST_NODES: usize = 12;

/// What happens at a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Move {
    /// The side that makes one step.
    pub lead: usize,
    /// How many steps the other side makes if the lead came back to the same place.
    pub stay: usize,
    /// How many if it did not.
    pub leave: usize,
}

impl Move {
    /// How many steps the other side makes, by where the lead was and where it is. Where the lead traps, the other
    /// side has as much time to do so as it ever has.
    pub fn follows(self, from: CutPoint, to: CutPoint) -> usize {
        match to {
            CutPoint::Stopped => self.stay.max(self.leave),
            _ if to == from => self.stay,
            _ => self.leave,
        }
    }
}

/// The moves of all nodes that runs pass.
#[derive(Clone, Debug, Default)]
pub struct Alignment {
    moves: BTreeMap<Node, Move>,
    /// For each node, what the variables are there in runs.
    pub points: BTreeMap<Node, Vec<Point>>,
    /// For each of these points, which run it is of.
    pub passes: BTreeMap<Node, Vec<Pass>>,
    /// The nodes at which the versions do not have the same in memory in some run.
    pub apart: BTreeSet<Node>,
    /// Whether one version has made an output that the other has not at some node: then nothing is proved.
    ahead: bool,
    /// The runs.
    pub runs: Rc<Vec<Run>>,
}

/// Where a run passes a node: the visits of both sides.
#[derive(Clone, Copy, Debug)]
pub struct Pass {
    pub run: usize,
    pub at: [usize; 2],
}

impl Alignment {
    /// What happens at a node: if no run passes it, one step of both sides.
    pub fn at(&self, node: Node) -> Move {
        self.forced(node).unwrap_or(Move { lead: 0, stay: 1, leave: 1 })
    }

    /// The alignment with these moves.
    pub fn of(moves: Vec<(Node, Move)>, runs: &Rc<Vec<Run>>) -> Alignment {
        let start = [CutPoint::Start, CutPoint::Start];
        let first = (start, Move { lead: 0, stay: 1, leave: 1 });
        let moves = moves.into_iter().chain([first]).collect();
        let mut alignment = Alignment { moves, ..Alignment::default() };
        alignment.collect(runs);
        alignment.keep(runs);
        alignment
    }

    fn forced(&self, node: Node) -> Option<Move> {
        match node {
            [_, other] if other.is_over() => Some(Move { lead: 0, stay: 0, leave: 0 }),
            [other, _] if other.is_over() => Some(Move { lead: 1, stay: 0, leave: 0 }),
            _ => self.moves.get(&node).copied(),
        }
    }

    fn with(&self, node: Node, chosen: Move) -> Alignment {
        let mut moves = self.moves.clone();
        moves.insert(node, chosen);
        Alignment { moves, ..Alignment::default() }
    }

    /// Follows a run: the nodes and where both sides are at each. Ends at the first node without a move, which is
    /// given back.
    fn follow(&self, run: &Run, each: &mut dyn FnMut(Node, [usize; 2])) -> Option<Node> {
        let mut at = [0usize, 0];
        loop {
            let place = |side: usize, at: usize| run.visits[side][at].place;
            let node = [place(0, at[0]), place(1, at[1])];
            if node == [CutPoint::End, CutPoint::End] {
                return None;
            }
            each(node, at);
            let Some(chosen) = self.forced(node) else { return Some(node) };
            let lead = chosen.lead;
            at[lead] += 1;
            let steps = chosen.follows(node[lead], place(lead, at[lead]));
            let other = 1 - lead;
            at[other] = (at[other] + steps).min(run.visits[other].len() - 1);
        }
    }

    /// How many variables of the new version are not determined by others at a node; memory that is not the same counts
    /// as two. Where the old version has ended and its result is determined by them, they need not be.
    fn missing(&self, node: Node, vars: &[Var]) -> usize {
        let points = self.points.get(&node).map_or(&[][..], Vec::as_slice);
        let result_is_known = || {
            let other = |var: &Var| Var { side: 1 - var.side, ..*var };
            let vars: Vec<Var> = vars.iter().map(other).collect();
            let points = points.iter().map(|[old, new]| [new.clone(), old.clone()]);
            Invariant::undetermined_at(&vars, &points.collect::<Vec<Point>>()) == 0
        };
        let missing = match node[0].is_over() && !node[1].is_over() && result_is_known() {
            true => 0,
            false => Invariant::undetermined_at(vars, points),
        };
        missing + 2 * usize::from(self.apart.contains(&node))
    }

    /// Whether all variables of the new version are determined by others at all nodes, and memory is the same: then most likely it
    /// proves something.
    pub fn determines_all(&self, vars: &dyn Fn(Node) -> Vec<Var>) -> bool {
        self.points.keys().all(|node| self.missing(*node, &vars(*node)) == 0)
    }

    /// How many iterations one side still makes in the loop that the other has just left, in all runs. Any two counters
    /// are related by an equation, whatever the ratio of their loops; with the right one both loops end at about the same time.
    fn left_behind(&self, node: Node, runs: &[Run]) -> usize {
        let mut count = 0;
        for run in runs {
            let mut path = vec![];
            self.follow(run, &mut |node, at| path.push((node, at)));
            let leaves = |pair: &[(Node, [usize; 2])]| pair[0].0 == node && pair[1].0 != node;
            for pair in path.windows(2).filter(|pair| leaves(pair)) {
                let (next, at) = pair[1];
                for side in (0..2).filter(|side| next[*side] == node[*side]) {
                    let rest = run.visits[side][at[side]..].iter();
                    count += rest.take_while(|visit| visit.place == node[side]).count();
                }
            }
        }
        count
    }

    /// Keeps the runs and where they pass nodes.
    fn keep(&mut self, runs: &Rc<Vec<Run>>) {
        let mut passes: BTreeMap<Node, Vec<Pass>> = BTreeMap::new();
        for (number, run) in runs.iter().enumerate() {
            self.follow(run, &mut |node, at| {
                passes.entry(node).or_default().push(Pass { run: number, at });
            });
        }
        (self.passes, self.runs) = (passes, runs.clone());
    }

    /// Collects the points of all nodes; the first node that has no move, if there is one.
    fn collect(&mut self, runs: &[Run]) -> Option<Node> {
        let mut points: BTreeMap<Node, Vec<Point>> = BTreeMap::new();
        let mut apart = BTreeSet::new();
        let mut open = None;
        let mut ahead = false;
        for run in runs {
            let stopped = self.follow(run, &mut |node, at| {
                let of = |side: usize| run.visits[side][at[side]].values.clone();
                points.entry(node).or_default().push([of(0), of(1)]);
                ahead |= run.visits[0][at[0]].world != run.visits[1][at[1]].world;
                if run.visits[0][at[0]].stored != run.visits[1][at[1]].stored {
                    apart.insert(node);
                }
            });
            open = open.or(stopped);
        }
        (self.points, self.apart, self.ahead) = (points, apart, ahead);
        open
    }
}

/// So many alignments, likely ones first: those in which most variables of the new version are determined by others.
/// They are looked for in the first runs; their points are of all.
pub fn alignments(all: Vec<Run>, most: usize, vars: &dyn Fn(Node) -> Vec<Var>) -> Vec<Alignment> {
    let mut found = search(&all[..all.len().min(SOME_RUNS)], vars);
    found.truncate(most);
    let all = Rc::new(all);
    for alignment in &mut found {
        alignment.collect(&all);
        alignment.keep(&all);
    }
    found.retain(|alignment| !alignment.ahead);
    found
}

fn search(runs: &[Run], vars: &dyn Fn(Node) -> Vec<Var>) -> Vec<Alignment> {
    let start = [CutPoint::Start, CutPoint::Start];
    let peeled = (1..=2).flat_map(|steps| {
        let either = if steps == 1 { vec![0] } else { vec![0, 1] };
        either.into_iter().map(move |lead| Move { lead, stay: steps, leave: steps })
    });
    let mut open: Vec<(usize, Alignment)> = peeled
        .map(|chosen| (chosen.leave - 1, Alignment::default().with(start, chosen)))
        .rev()
        .collect();
    let mut found: Vec<(usize, Alignment)> = vec![];
    let mut looked = 0;
    while let Some((cost, mut alignment)) = open.pop() {
        looked += 1;
        if looked > MOST || alignment.moves.len() > MOST_NODES {
            continue;
        }
        let open_node = alignment.collect(runs);
        if alignment.ahead {
            continue;
        }
        let Some(node) = open_node else {
            let missing: usize =
                alignment.points.keys().map(|node| alignment.missing(*node, &vars(*node))).sum();
            found.push((10 * missing + cost, alignment));
            continue;
        };
        let mut options: Vec<((usize, usize, usize), usize, Alignment)> = vec![];
        for (number, chosen) in choices().into_iter().enumerate() {
            let mut next = alignment.with(node, chosen);
            next.collect(runs);
            if next.ahead {
                continue;
            }
            let order = (next.missing(node, &vars(node)), next.left_behind(node, runs), number);
            options.push((order, number, next));
        }
        options.sort_by_key(|(order, ..)| *order);
        options.truncate(KEPT);
        // The best is looked at first.
        for (_, number, next) in options.into_iter().rev() {
            open.push((cost + usize::from(number > 0), next));
        }
    }
    found.sort_by_key(|(missing, alignment)| (*missing, alignment.points.len()));
    found.into_iter().map(|(_, alignment)| alignment).collect()
}

fn choices() -> Vec<Move> {
    let mut choices = vec![
        Move { lead: 0, stay: 1, leave: 1 },
        Move { lead: 0, stay: 1, leave: 0 },
        Move { lead: 1, stay: 1, leave: 0 },
    ];
    for stay in RATIOS.into_iter().chain([0]) {
        for lead in [0, 1] {
            let leaves = if stay == 0 { vec![0, 1] } else { vec![0, stay, 1] };
            choices.extend(leaves.into_iter().map(|leave| Move { lead, stay, leave }));
        }
    }
    choices
}
