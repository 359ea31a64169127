//! From the changed functions outwards: where a change comes from, how far away it is, and what looking at it may cost.
//!
//! A function whose own code did not change can only be affected through something that it calls, that may be called back, or
//! through data. Functions that changed themselves are what the user asks about, so they come first and get all the effort that
//! `--effort` allows. Their callers come after them, the nearest first, and share an allowance where they are many
//! (docs/internals/effort.md, "Callers"): all of it follows from the two programs alone, so that it is the same in every run.

use crate::order::Order;
use std::collections::{BTreeSet, VecDeque};
use verdiff_judge::{Changed, Comparison, ImpactBy, PairId, Side};
use verdiff_logic::effort::Effort;

/// So many times the effort of one pair is for the callers of changed functions, besides as much as the changed functions have.
const CALLERS: u64 = 2;
/// So many times the effort of one pair is for all that is only affected through a call-back.
const CALLED_BACK: u64 = 2;
/// No caller gets less than this part of the effort of one pair; what is only affected through a call-back a quarter of that.
const LEAST: u64 = 16;

/// Whether a pair is where a change comes from: its own code, or data that it uses.
pub(crate) fn is_source(changed: Changed) -> bool {
    matches!(changed, Changed::Text | Changed::Types | Changed::Globals)
}

/// What a pair uses, the same in both versions, that nobody knows the definition of.
pub(crate) fn unlinked(comparison: &Comparison, pair: PairId) -> Option<&str> {
    let id = comparison.pair(pair).of(Side::New);
    let procedure = comparison.program(Side::New).procedures.get(id.index())?;
    let mut used = procedure.unsupported.iter().filter_map(|what| what.unlinked.as_ref());
    used.next().map(|(name, _)| name.as_str())
}

/// How many calls a pair is away from the nearest change; `None` if no change is reached by these calls.
fn distances(comparison: &Comparison, edges: &[BTreeSet<PairId>]) -> Vec<Option<u32>> {
    let mut callers = vec![vec![]; edges.len()];
    for caller in comparison.pair_ids() {
        for callee in &edges[caller.index()] {
            callers[callee.index()].push(caller);
        }
    }
    let mut found = vec![None; edges.len()];
    let source = |pair: &PairId| is_source(comparison.pair(*pair).changed);
    let mut work: VecDeque<PairId> = comparison.pair_ids().filter(source).collect();
    work.iter().for_each(|pair| found[pair.index()] = Some(0));
    while let Some(pair) = work.pop_front() {
        let next = found[pair.index()].map(|distance| distance + 1);
        for caller in &callers[pair.index()] {
            if found[caller.index()].is_none() {
                found[caller.index()] = next;
                work.push_back(*caller);
            }
        }
    }
    found
}

/// When a pair has its turn, and what it may cost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Turn {
    /// 0 for what changed itself and what that rests on, 1 for callers, 2 for what is affected through a call-back only.
    pub(crate) class: u8,
    /// How far away the change is.
    pub(crate) distance: u32,
    /// What it may cost.
    pub(crate) effort: Effort,
}

/// The turns of all pairs. `asked` are those that the user named: they get all the effort there is. `needed` are those
/// that are looked at.
pub(crate) fn turns(
    comparison: &Comparison,
    order: &Order,
    needed: &BTreeSet<PairId>,
    asked: &BTreeSet<PairId>,
    effort: Effort,
) -> Vec<Turn> {
    let (called, back) =
        (distances(comparison, &order.direct), distances(comparison, &order.below));
    let first = below_sources(comparison, order, needed);
    // How far the change is away by calls; nothing if it is reached through a call-back alone.
    let far = |pair: PairId| match (called[pair.index()], back[pair.index()]) {
        (Some(distance), _) => Some(distance),
        (None, Some(_)) => None,
        (None, None) => Some(0),
    };
    let is_caller = |pair: &PairId| comparison.pair(*pair).changed == Changed::Callees;
    let sources = needed.iter().filter(|p| is_source(comparison.pair(**p).changed)).count() as u64;
    let all: Vec<PairId> = needed.iter().copied().filter(is_caller).collect();
    let within = |most: u32| {
        all.iter().filter(|p| far(**p).is_some_and(|distance| distance <= most)).count() as u64
    };
    let called_back = all.iter().filter(|p| far(**p).is_none()).count() as u64;
    let share = |of: u64, among: u64, least: u64| {
        (effort * of / among.max(1)).max(effort / least).min(effort)
    };
    let turn = |pair: PairId| {
        let distance = back[pair.index()].unwrap_or(0);
        let (class, distance, cost) = match far(pair) {
            _ if !is_caller(&pair) => (0, distance, effort),
            Some(distance) => (1, distance, share(CALLERS + sources, within(distance), LEAST)),
            None => (2, distance, share(CALLED_BACK, called_back, 4 * LEAST)),
        };
        let effort = if asked.contains(&pair) { effort } else { cost };
        let class = if first.contains(&pair) { 0 } else { class };
        Turn { class, distance, effort }
    };
    comparison.pair_ids().map(turn).collect()
}

/// The pairs that changed themselves, and all that their proofs may rest on.
fn below_sources(
    comparison: &Comparison,
    order: &Order,
    needed: &BTreeSet<PairId>,
) -> BTreeSet<PairId> {
    let source = |pair: &&PairId| is_source(comparison.pair(**pair).changed);
    let mut work: Vec<PairId> = needed.iter().filter(source).copied().collect();
    let mut found = BTreeSet::new();
    while let Some(pair) = work.pop() {
        if found.insert(pair) {
            work.extend(&order.direct[pair.index()]);
        }
    }
    found
}

/// The changes that may affect each pair, and how they get there.
///
/// In a library that calls through pointers, every function that does so has an edge to every function whose address is taken: millions
/// of edges, looked at anew for each of thousands of callers. So edges are bits, and a step of the search takes whole words of them.
pub(crate) struct Causes {
    /// By name, and in any way.
    edges: [Vec<PairBits>; 2],
    /// Where changes come from.
    sources: PairBits,
    /// The pairs that are known to be equal in calls and to terminate alike: nothing gets through them.
    contained: PairBits,
    nothing: PairBits,
}

impl Causes {
    /// Of a comparison; `contained` says of a pair that nothing gets through it.
    pub(crate) fn of(
        comparison: &Comparison,
        order: &Order,
        contained: &dyn Fn(PairId) -> bool,
    ) -> Causes {
        let count = comparison.pairs.len();
        let bits = |pairs: &mut dyn Iterator<Item = PairId>| {
            let mut bits = PairBits::none(count);
            pairs.for_each(|pair| bits.add(pair));
            bits
        };
        let rows = |edges: &[BTreeSet<PairId>]| {
            edges.iter().map(|row| bits(&mut row.iter().copied())).collect()
        };
        let source = |pair: &PairId| {
            is_source(comparison.pair(*pair).changed) || unlinked(comparison, *pair).is_some()
        };
        Causes {
            edges: [rows(&order.direct), rows(&order.below)],
            sources: bits(&mut comparison.pair_ids().filter(source)),
            contained: bits(&mut comparison.pair_ids().filter(|pair| contained(*pair))),
            nothing: PairBits::none(count),
        }
    }

    /// The changes that may affect a pair, the nearest first, and how they get there. If it is not affected at all, those that would
    /// have affected it.
    pub(crate) fn of_pair(&self, pair: PairId, is_affected: bool) -> (Vec<PairId>, ImpactBy) {
        let [by_name, any] = &self.edges;
        // If all of it is contained, then it is what would have affected it.
        let around =
            if is_affected { &[&self.contained, &self.nothing][..] } else { &[&self.nothing] };
        for without in around {
            for (edges, by) in [(by_name, ImpactBy::Call), (any, ImpactBy::Callback)] {
                let found = self.reached(edges, pair, without);
                if !found.is_empty() {
                    return (found, by);
                }
            }
        }
        (vec![], ImpactBy::Callback)
    }

    fn reached(&self, edges: &[PairBits], start: PairId, without: &PairBits) -> Vec<PairId> {
        let mut found = vec![];
        let mut seen = without.clone();
        seen.add(start);
        let mut work = VecDeque::from([start]);
        while let Some(pair) = work.pop_front() {
            let Some(row) = edges.get(pair.index()) else { continue };
            seen.take_new(row, |next| match self.sources.has(next) {
                true => found.push(next),
                false => work.push_back(next),
            });
        }
        found
    }
}

/// A set of pairs, one bit for each.
#[derive(Clone)]
struct PairBits(Vec<u64>);

impl PairBits {
    fn none(count: usize) -> PairBits {
        PairBits(vec![0; count.div_ceil(64)])
    }

    fn add(&mut self, pair: PairId) {
        self.0[pair.index() / 64] |= 1 << (pair.index() % 64);
    }

    fn has(&self, pair: PairId) -> bool {
        self.0[pair.index() / 64] >> (pair.index() % 64) & 1 == 1
    }

    /// Adds those of others that are not there, and names them in their order.
    fn take_new(&mut self, others: &PairBits, mut taken: impl FnMut(PairId)) {
        for (index, (own, others)) in self.0.iter_mut().zip(&others.0).enumerate() {
            let mut new = others & !*own;
            *own |= new;
            while new != 0 {
                taken(PairId(index as u32 * 64 + new.trailing_zeros()));
                new &= new - 1;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use verdiff_judge::Pair;
    use verdiff_model::ProcId;

    /// Pairs by what changed, and which of them each calls, by name and in any way.
    fn graph(pairs: &[(Changed, &[u32], &[u32])]) -> (Comparison, Order) {
        let mut comparison = Comparison::default();
        let (mut direct, mut below) = (vec![], vec![]);
        for (number, (changed, calls, back)) in pairs.iter().enumerate() {
            let id = ProcId::new(number);
            comparison.pairs.push(Pair {
                function: format!("f{number}"),
                old: id,
                new: id,
                changed: *changed,
                same_interface: true,
                wanted: true,
            });
            let calls: BTreeSet<PairId> = calls.iter().map(|n| PairId(*n)).collect();
            let all = calls.iter().copied().chain(back.iter().map(|n| PairId(*n))).collect();
            direct.push(calls);
            below.push(all);
        }
        let order = Order { components: vec![], below, needs: vec![], direct };
        (comparison, order)
    }

    use Changed::{Callees, No, Text};

    #[test]
    fn the_nearest_callers_come_first_and_many_share() {
        // f0 changed; f1 calls it, f2 to f40 call f1, f41 may have it called back.
        let mut pairs: Vec<(Changed, &[u32], &[u32])> =
            vec![(Text, &[], &[]), (Callees, &[0], &[])];
        pairs.extend((2..=40).map(|_| (Callees, &[1][..], &[][..])));
        pairs.push((Callees, &[], &[0]));
        pairs.push((No, &[], &[]));
        let (comparison, order) = graph(&pairs);
        let needed: BTreeSet<PairId> = comparison.pair_ids().collect();
        let effort = Effort::seconds(8);
        let turns = turns(&comparison, &order, &needed, &BTreeSet::from([PairId(7)]), effort);
        assert_eq!(turns[0], Turn { class: 0, distance: 0, effort });
        assert_eq!(turns[1], Turn { class: 1, distance: 1, effort });
        assert_eq!(turns[2], Turn { class: 1, distance: 2, effort: effort * 3 / 40 });
        assert_eq!(turns[7].effort, effort, "the user asked for it");
        assert_eq!(turns[41], Turn { class: 2, distance: 1, effort });
    }

    #[test]
    fn what_a_changed_function_rests_on_comes_as_early_as_it() {
        let (comparison, order) =
            graph(&[(Text, &[], &[]), (Callees, &[0], &[]), (Text, &[1], &[])]);
        let needed: BTreeSet<PairId> = comparison.pair_ids().collect();
        let turns = turns(&comparison, &order, &needed, &BTreeSet::new(), Effort::seconds(8));
        assert_eq!(turns.iter().map(|turn| turn.class).collect::<Vec<_>>(), [0, 0, 0]);
    }

    #[test]
    fn a_cause_is_the_nearest_change_that_is_not_contained() {
        let (comparison, order) = graph(&[
            (Text, &[], &[]),
            (Text, &[], &[]),
            (Callees, &[0], &[]),
            (Callees, &[2, 1], &[]),
            (Callees, &[], &[0]),
        ]);
        let of = |pair, contained: &[u32]| {
            let causes = Causes::of(&comparison, &order, &|p| contained.contains(&p.0));
            causes.of_pair(PairId(pair), true)
        };
        assert_eq!(of(3, &[]), (vec![PairId(1), PairId(0)], ImpactBy::Call));
        assert_eq!(of(3, &[1]), (vec![PairId(0)], ImpactBy::Call));
        // What is between them does not let it through.
        assert_eq!(of(3, &[2]), (vec![PairId(1)], ImpactBy::Call));
        assert_eq!(of(4, &[]), (vec![PairId(0)], ImpactBy::Callback));
        assert_eq!(of(3, &[0, 1]), (vec![PairId(1), PairId(0)], ImpactBy::Call));
        let causes = Causes::of(&comparison, &order, &|p| p == PairId(1));
        assert_eq!(causes.of_pair(PairId(3), false), (vec![PairId(1), PairId(0)], ImpactBy::Call));
    }

    #[test]
    fn causes_of_many_pairs_are_named_in_the_order_of_their_distance() {
        // f0 calls f1, which calls f2 and so on; f70 and f150 changed, and f149 may have f70 called back.
        let next: Vec<[u32; 1]> = (1..=150).map(|n| [n]).collect();
        let mut pairs: Vec<(Changed, &[u32], &[u32])> =
            next.iter().map(|next| (Callees, &next[..], &[][..])).collect();
        pairs.push((Text, &[], &[]));
        pairs[70].0 = Text;
        pairs[149].2 = &[70];
        let (comparison, order) = graph(&pairs);
        let causes = Causes::of(&comparison, &order, &|_| false);
        assert_eq!(causes.of_pair(PairId(0), true), (vec![PairId(70)], ImpactBy::Call));
        assert_eq!(causes.of_pair(PairId(71), true), (vec![PairId(150)], ImpactBy::Call));
        let causes = Causes::of(&comparison, &order, &|p| p == PairId(150));
        assert_eq!(causes.of_pair(PairId(100), true), (vec![PairId(70)], ImpactBy::Callback));
    }
}
