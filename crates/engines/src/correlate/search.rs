//! The search for an interleaving, and the state map that it gives (paper 004, Algorithm 1).
//!
//! Versions meet at *meeting points*: heads of loops, output points, ends. Between them a version runs on its
//! own, all paths
//! joined where they come together with the same equalities; this changes nothing, since a version cannot see
//! the other one's variables. At a pair of meeting points a *move* (i, j) is chosen once: the old version goes
//! on by i, the new one
//! by j meeting points, neither past an output. At two outputs the move is (1, 1), so that outputs are matched
//! in their order;
//! a version at an output waits for the other one to be at an output or at its end. At two heads all (i, k - i)
//! are tried and
//! scored by the equalities that they lead to, those at heads more (section 4.3).
//!
//! Whatever moves are chosen, the map is sound: from every pair of concrete states of a sub-state, the move
//! leads to a
//! pair that the map contains, or one version never gets to its next meeting point. That is checked again in the end
//! ([`InterleavingSearch::is_inductive`]), without the bookkeeping of the search.

use super::flow::{Location, StepKind};
use super::map::Moves;
use super::space::{SlotKind, Space};
use super::state::{SubState, in_range};
use super::step::{Runner, Unsupported};
use super::value::{Atom, Terms};
use std::collections::{BTreeMap, BTreeSet};
use verdiff_logic::effort::Deadline;
use verdiff_model::{BinaryOp, Expr, Side, Type};
use verdiff_polyhedra::{Constraint, Linear};

/// A location of each version.
pub(super) type At = (Location, Location);

/// How often states are joined at the head of a loop before they are widened.
const DELAY: u32 = 3;
/// How many sub-states there may be at one pair of locations.
const MOST_STATES: usize = 10;
/// From this interval on, states at the head of a loop are kept apart, too.
pub(super) const UNROLLED: usize = 4;
/// How many states a trial goes on with.
const MOST_TRIED: usize = 6;

/// How far both versions go on from a pair of meeting points.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Move {
    pub old: u32,
    pub new: u32,
}

/// Why a search ended without a map.
#[derive(Clone, Debug)]
pub(super) enum Stop {
    Unsupported(Unsupported),
    Budget,
}

impl From<Unsupported> for Stop {
    fn from(what: Unsupported) -> Stop {
        Stop::Unsupported(what)
    }
}

/// What sub-states are partitioned by: the equalities that they prove and, if the search looks at them, the flags that
/// were tested on the way.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Class {
    equalities: Vec<bool>,
    choices: BTreeMap<Atom, bool>,
}

impl Class {
    /// How much two classes differ: rather in choices than in equalities.
    fn distance(&self, other: &Class) -> usize {
        let equal = self.equalities.iter().zip(&other.equalities);
        4 * equal.filter(|(a, b)| a != b).count() + usize::from(self.choices != other.choices)
    }
}

/// A sub-state and how often it was joined.
pub(super) struct Sub {
    pub state: SubState,
    class: Class,
    visits: u32,
    pending: bool,
}

/// What is known at a pair of meeting points.
#[derive(Default)]
pub(super) struct Cell {
    pub subs: Vec<Sub>,
    pub chosen: Option<Move>,
}

/// One search, with its window and partition interval.
pub(super) struct InterleavingSearch<'s, 'c> {
    space: &'s Space<'c>,
    pub terms: &'s mut Terms,
    pub cells: BTreeMap<At, Cell>,
    window: u32,
    interval: usize,
    by_flags: bool,
    thresholds: Vec<Constraint>,
    /// Steps left.
    pub left: u64,
    /// Whether some sub-state had a flag to be kept apart by.
    pub saw_flags: bool,
}

impl<'s, 'c> InterleavingSearch<'s, 'c> {
    /// A search with window `window`, which keeps `interval` states with the same equalities apart, and those that
    /// chose differently by flags, if `by_flags` says so.
    pub fn new(
        space: &'s Space<'c>,
        terms: &'s mut Terms,
        (window, interval, by_flags): (u32, usize, bool),
        steps: u64,
    ) -> InterleavingSearch<'s, 'c> {
        let thresholds = thresholds(space);
        let (cells, left) = (BTreeMap::new(), steps);
        InterleavingSearch {
            space,
            terms,
            cells,
            window,
            interval,
            by_flags,
            thresholds,
            left,
            saw_flags: false,
        }
    }

    /// Finds the map.
    pub fn run(&mut self) -> Result<(), Stop> {
        let state = SubState::entry(self.space, self.terms);
        let entry = Side::BOTH.map(|side| {
            self.space.version(side).locations.of_block(verdiff_model::Procedure::ENTRY)
        });
        let mut queue = BTreeSet::new();
        // An entry that is no meeting point is gone on from at once.
        for (old, state) in self.advance(Side::Old, entry[0], vec![state], 0)? {
            for (new, state) in self.advance(Side::New, entry[1], vec![state], 0)? {
                self.add((old, new), state);
                queue.insert(self.rank((old, new)));
            }
        }
        while let Some((_, at)) = queue.pop_first() {
            let cell = self.cells.get_mut(&at).expect("a cell for every pair in the queue");
            let take = |sub: &mut Sub| std::mem::take(&mut sub.pending).then(|| sub.state.clone());
            let pending: Vec<SubState> = cell.subs.iter_mut().filter_map(take).collect();
            let Some(chosen) = self.choose(at)? else { continue };
            for state in pending {
                for (to, next) in self.apply(at, state, chosen)? {
                    if self.add(to, next) {
                        queue.insert(self.rank(to));
                    }
                }
            }
        }
        Ok(())
    }

    fn rank(&self, at: At) -> (usize, At) {
        let rank = |side: Side, at: Location| {
            self.space.version(side).locations.steps[at].rank.min(1 << 20)
        };
        (rank(Side::Old, at.0) + rank(Side::New, at.1), at)
    }

    fn is_head(&self, at: At) -> bool {
        let head = |side: Side, at: Location| self.space.version(side).locations.steps[at].head;
        head(Side::Old, at.0) || head(Side::New, at.1)
    }

    /// What follows from a state by a move.
    fn apply(
        &mut self,
        at: At,
        state: SubState,
        chosen: Move,
    ) -> Result<Vec<(At, SubState)>, Stop> {
        let mut reached = vec![];
        for (old, state) in self.advance(Side::Old, at.0, vec![state], chosen.old)? {
            for (new, state) in self.advance(Side::New, at.1, vec![state], chosen.new)? {
                reached.push(((old, new), state));
            }
        }
        Ok(reached)
    }

    /// Where one version is after `count` further meeting points, or at the first output or end. If `count` is
    /// zero, it
    /// only goes on to a meeting point if it is not at one.
    fn advance(
        &mut self,
        side: Side,
        from: Location,
        states: Vec<SubState>,
        count: u32,
    ) -> Result<Vec<(Location, SubState)>, Stop> {
        let locations = &self.space.version(side).locations;
        let mut waiting: Vec<(Location, SubState)> =
            states.into_iter().map(|state| (from, state)).collect();
        let rounds = if count == 0 { u32::from(!locations.is_meeting_point(from)) } else { count };
        for round in 0..rounds {
            let mut next = vec![];
            let mut going: BTreeMap<(usize, Location), Vec<SubState>> = BTreeMap::new();
            for (at, state) in waiting {
                // An output is passed only as the first thing of a move.
                match locations.end(at).is_some() || (round > 0 && locations.is_output(at)) {
                    true => next.push((at, state)),
                    false => going.entry((locations.steps[at].rank, at)).or_default().push(state),
                }
            }
            while let Some(((_, at), states)) = going.pop_first() {
                for state in self.partition(states, self.interval.max(2)) {
                    self.left = self.left.checked_sub(1).ok_or(Stop::Budget)?;
                    if Deadline::has_passed() {
                        return Err(Stop::Budget);
                    }
                    let mut runner = Runner { space: self.space, terms: self.terms };
                    for (to, state) in runner.run(side, at, state)? {
                        match locations.is_meeting_point(to) {
                            true => next.push((to, state)),
                            false => {
                                going.entry((locations.steps[to].rank, to)).or_default().push(state)
                            }
                        }
                    }
                }
            }
            let mut by_place: BTreeMap<Location, Vec<SubState>> = BTreeMap::new();
            next.into_iter().for_each(|(at, state)| by_place.entry(at).or_default().push(state));
            waiting = vec![];
            for (at, states) in by_place {
                waiting.extend(
                    self.partition(states, self.interval.max(2))
                        .into_iter()
                        .map(|state| (at, state)),
                );
            }
        }
        Ok(waiting)
    }

    /// Joins states with the same equalities until there are no more than `most` of them.
    fn partition(&mut self, states: Vec<SubState>, most: usize) -> Vec<SubState> {
        if states.len() <= most {
            return states;
        }
        let mut classes: BTreeMap<Class, Vec<SubState>> = BTreeMap::new();
        for state in states {
            classes.entry(self.class(&state)).or_default().push(state);
        }
        let mut list = vec![];
        for mut states in classes.into_values() {
            while states.len() > most {
                let (last, other) =
                    (states.pop().expect("several"), states.pop().expect("several"));
                states.push(other.join(&last, self.space, self.terms, None));
            }
            list.extend(states);
        }
        while list.len() > MOST_STATES {
            let (last, other) = (list.pop().expect("several"), list.pop().expect("several"));
            list.push(other.join(&last, self.space, self.terms, None));
        }
        list
    }

    fn class(&self, state: &SubState) -> Class {
        let choices = if self.by_flags { state.choices.clone() } else { BTreeMap::new() };
        Class { equalities: state.equalities(self.space), choices }
    }

    /// Takes a state into the map; `false` if it was there.
    fn add(&mut self, at: At, state: SubState) -> bool {
        let head = self.is_head(at);
        self.saw_flags |= !state.choices.is_empty();
        let (mut state, mut visits) = (state, 0);
        let cell = self.cells.entry(at).or_default();
        if cell.subs.iter().any(|sub| sub.state.includes(&state, self.terms)) {
            return false;
        }
        loop {
            let choices = if self.by_flags { state.choices.clone() } else { BTreeMap::new() };
            let class = Class { equalities: state.equalities(self.space), choices };
            let apart = |sub: &Sub| sub.class.distance(&class);
            let same = cell.subs.iter().filter(|sub| apart(sub) == 0).count();
            let full = cell.subs.len() >= MOST_STATES;
            // A loop of few iterations is followed one by one where many states are kept apart.
            let most = match head {
                true if self.interval >= UNROLLED => self.interval + 1,
                true => 1,
                false => self.interval,
            };
            if same < most && !full {
                cell.subs.push(Sub { state, class, visits, pending: true });
                return true;
            }
            // The oldest of those that are most alike.
            let nearest =
                (0..cell.subs.len()).min_by_key(|i| apart(&cell.subs[*i])).expect("there is one");
            let before = cell.subs.remove(nearest);
            visits = visits.max(before.visits) + 1;
            let widen = (head && visits > DELAY).then_some(&self.thresholds[..]);
            state = before.state.join(&state, self.space, self.terms, widen);
        }
    }

    /// The move at a pair of meeting points; chosen once.
    fn choose(&mut self, at: At) -> Result<Option<Move>, Stop> {
        if let Some(chosen) = self.cells.get(&at).and_then(|cell| cell.chosen) {
            return Ok(Some(chosen));
        }
        let (old, new) = (&self.space.versions[0].locations, &self.space.versions[1].locations);
        let ended = (old.end(at.0).is_some(), new.end(at.1).is_some());
        let output = (old.is_output(at.0), new.is_output(at.1));
        let chosen = match (ended, output) {
            ((true, true), _) => return Ok(None),
            ((true, false), _) => Move { old: 0, new: 1 },
            ((false, true), _) => Move { old: 1, new: 0 },
            (_, (true, true)) => Move { old: 1, new: 1 },
            (_, (true, false)) => Move { old: 0, new: 1 },
            (_, (false, true)) => Move { old: 1, new: 0 },
            (_, (false, false)) => self.speculate(at)?,
        };
        if let Some(cell) = self.cells.get_mut(&at) {
            cell.chosen = Some(chosen);
        }
        Ok(Some(chosen))
    }

    /// Tries all moves of the window, and takes the one that leads to most equalities.
    fn speculate(&mut self, at: At) -> Result<Move, Stop> {
        let states: Vec<SubState> =
            self.cells[&at].subs.iter().map(|sub| sub.state.clone()).take(MOST_TRIED).collect();
        let mut best: Option<(f64, Move)> = None;
        let all = |window: u32| (0..=window).map(move |old| Move { old, new: window - old });
        // Shorter moves first: a longer one has to be better.
        for chosen in (1..=self.window).flat_map(all) {
            let mut reached: BTreeMap<At, Vec<SubState>> = BTreeMap::new();
            for state in &states {
                for (to, next) in self.apply(at, state.clone(), chosen)? {
                    reached.entry(to).or_default().push(next);
                }
            }
            let score = self.score(&reached);
            if best.is_none_or(|(before, _)| score > before + 1e-9) {
                best = Some((score, chosen));
            }
        }
        Ok(best.map_or(Move { old: 1, new: 1 }, |(_, chosen)| chosen))
    }

    /// How equal both versions are in these states: the average over the pairs of locations, which counts a
    /// pair whose states are
    /// all equal much more, and one with a head of a loop or with both ends again more.
    fn score(&self, reached: &BTreeMap<At, Vec<SubState>>) -> f64 {
        if reached.is_empty() {
            return 0.0;
        }
        let factor = 100.0;
        let mut sum = 0.0;
        for (at, states) in reached {
            let shares: Vec<f64> = states.iter().map(|state| self.share(*at, state)).collect();
            let equal = shares.iter().all(|share| *share >= 1.0);
            let ended = Side::BOTH.map(|side| {
                let place = if side == Side::Old { at.0 } else { at.1 };
                self.space.version(side).locations.end(place).is_some()
            });
            sum += match equal {
                // Nothing of a version that has ended can still become equal.
                _ if ended[0] != ended[1] => 0.0,
                true if ended[0] || self.is_head(*at) => factor * factor,
                true => factor,
                false => shares.iter().sum::<f64>() / shares.len() as f64,
            };
        }
        sum / reached.len() as f64
    }

    /// The part of the matched variables, live in both versions, that are equal.
    pub fn share(&self, at: At, state: &SubState) -> f64 {
        let (mut equal, mut all) = (0_u32, 0_u32);
        for (slot, there) in self.space.slots.iter().enumerate() {
            let Some(partner) = there.partner.filter(|_| there.side == Side::Old) else { continue };
            if self.space.is_live(slot, at.0) && self.space.is_live(partner, at.1) {
                all += 1;
                equal += u32::from(state.are_equal(self.space, slot, partner));
            }
        }
        if all == 0 { 1.0 } else { f64::from(equal) / f64::from(all) }
    }

    /// Which pairs of meeting points follow each, for the picture.
    pub fn successors(&mut self) -> Result<Moves, Stop> {
        let all: Vec<(At, Move, Vec<SubState>)> = self
            .cells
            .iter()
            .filter_map(|(at, cell)| {
                Some((*at, cell.chosen?, cell.subs.iter().map(|sub| sub.state.clone()).collect()))
            })
            .collect();
        let mut moves = Moves::new();
        for (at, chosen, states) in all {
            for state in states {
                let reached = self.apply(at, state, chosen)?;
                moves.entry(at).or_default().extend(reached.into_iter().map(|(to, _)| to));
            }
        }
        Ok(moves)
    }

    /// Whether the map is inductive: the entry is in it, and from every sub-state all that its move leads to is
    /// in it.
    pub fn is_inductive(&mut self) -> Result<bool, Stop> {
        let state = SubState::entry(self.space, self.terms);
        let entry = Side::BOTH.map(|side| {
            self.space.version(side).locations.of_block(verdiff_model::Procedure::ENTRY)
        });
        let mut claims: Vec<(At, SubState)> = vec![];
        for (old, state) in self.advance(Side::Old, entry[0], vec![state], 0)? {
            for (new, state) in self.advance(Side::New, entry[1], vec![state], 0)? {
                claims.push(((old, new), state));
            }
        }
        let all: Vec<(At, Option<Move>, Vec<SubState>)> = self
            .cells
            .iter()
            .map(|(at, cell)| {
                (*at, cell.chosen, cell.subs.iter().map(|sub| sub.state.clone()).collect())
            })
            .collect();
        for (at, chosen, states) in all {
            let ended = Side::BOTH.map(|side| {
                let place = if side == Side::Old { at.0 } else { at.1 };
                self.space.version(side).locations.end(place).is_some()
            });
            let Some(chosen) = chosen else {
                if ended != [true, true] {
                    return Ok(false);
                }
                continue;
            };
            // A move that leads nowhere would make every claim true.
            if chosen.old + chosen.new == 0
                || (chosen.old == 0 && ended[1])
                || (chosen.new == 0 && ended[0])
            {
                return Ok(false);
            }
            for state in states {
                claims.extend(self.apply(at, state, chosen)?);
            }
        }
        Ok(claims.iter().all(|(at, state)| {
            let cell = self.cells.get(at);
            cell.is_some_and(|cell| {
                cell.subs.iter().any(|sub| sub.state.includes(state, self.terms))
            })
        }))
    }
}

/// Constraints that widening tries to keep: ranges of types, and the comparisons of the code with constants and
/// variables.
fn thresholds(space: &Space<'_>) -> Vec<Constraint> {
    const MOST: usize = 120;
    let mut list = vec![];
    for version in &space.versions {
        for block in &version.procedure.blocks {
            let exprs =
                block.stmts.iter().flat_map(|stmt| stmt.kind.exprs()).chain(block.end.kind.exprs());
            for e in exprs {
                e.walk(&mut |part| {
                    let Expr::Binary { op, lhs, rhs, .. } = part else { return };
                    if !op.is_comparison()
                        || op.is_float_comparison()
                        || *op == BinaryOp::Eq
                        || list.len() > MOST
                    {
                        return;
                    }
                    let form = |e: &Expr| match e {
                        Expr::Var(id) => {
                            space.slots[version.variable(*id)].dimension.map(Linear::from)
                        }
                        Expr::Const(c) if matches!(c.ty, Type::Int(width) if width <= 64) => {
                            Some(Linear::from(super::state::number(c.ty.width(), c.bits as u64)))
                        }
                        _ => None,
                    };
                    if let (Some(a), Some(b)) = (form(lhs), form(rhs)) {
                        // The test, its opposite, and both without equality: `strip <= 0` needs `strip >= 1`.
                        let (above, below) = (b.clone() + 1, b.clone() - 1);
                        list.extend([a.at_most(&b), a.at_least(&b)]);
                        list.extend([a.at_most(&below), a.at_least(&above)]);
                    }
                });
            }
        }
    }
    for slot in &space.slots {
        let variable = matches!(slot.kind, SlotKind::Variable(_) | SlotKind::Result(_));
        if let Some(dimension) = slot.dimension.filter(|_| variable) {
            list.extend(in_range(dimension, slot.width));
        }
    }
    list
}

/// The statements of a step, for those who say what is output there.
pub(super) fn first_statement<'p>(
    space: &'p Space<'_>,
    side: Side,
    at: Location,
) -> Option<&'p verdiff_model::Stmt> {
    let version = space.version(side);
    match version.locations.steps[at].kind {
        StepKind::Code { block, from, .. } => version.procedure.block(block).stmts.get(from),
        StepKind::End(_) => None,
    }
}
