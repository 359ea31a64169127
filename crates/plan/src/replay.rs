//! Predicted differences on the compiled programs, and what follows: C grows by what is confirmed.
//!
//! Most candidates are replayed at the end, all together. Those of a pair whose callers can use its C are replayed before the
//! callers begin ([`Held`]): the job of a caller then has C of its callees, in every run the same. What a caller can use
//! follows from the programs alone: it is C of a callee that loops or recurses, which its formulas see as a function
//! (`product::targets`). Into any other callee they look, and learn nothing from its C.
//!
//! The clock decides only whether a replay is finished at all. If it is not, the pair is not reproducible, and neither is
//! any pair that rests on it.

use crate::clock::{REPLAYED, REPORTED, sooner};
use crate::order::Order;
use crate::progress::Progress;
use crate::run::{PairResult, Plan, Results};
use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};
use verdiff_engines::vocabulary;
use verdiff_judge::{
    Candidate, Comparison, Confirm, Confirmed, Field, Incomplete, PairId, Replayed, Side,
    StopReason, Timed, hang_if_injected, within,
};
use verdiff_model::graph::calls::CallGraph;
use verdiff_model::graph::{DominatorTree, Flow, Loops};
use verdiff_model::{ProcId, Program};

impl Plan<'_> {
    /// Runs what was predicted on the compiled programs, and lets C grow where that confirms it.
    pub(crate) fn replay(
        &self,
        results: &mut Results,
        confirm: &mut dyn Confirm,
        progress: &(dyn Fn(Progress) + Sync),
    ) {
        let wanted = |pair: &PairId| self.matched.comparison.pair(*pair).wanted;
        let all: Vec<(PairId, Candidate)> = results
            .pairs
            .iter()
            .filter(|(pair, result)| wanted(pair) && !result.replayed)
            .flat_map(|(pair, result)| {
                result.judged.candidates.iter().map(move |c| (*pair, c.clone()))
            })
            .collect();
        if all.is_empty() {
            return;
        }
        progress(Progress::Replaying(all.len()));
        let until = self.limits.clock.replay_ends();
        let replayed = confirm.confirm(&all, &self.left(results), until);
        for ((pair, candidate), replayed) in all.into_iter().zip(replayed) {
            self.replayed(results, pair, &candidate, replayed);
        }
    }

    /// How much of its time each pair has left.
    fn left(&self, results: &Results) -> BTreeMap<PairId, Duration> {
        let left = |(pair, result): (&PairId, &PairResult)| {
            (*pair, (self.limits.timeout + REPLAYED).saturating_sub(result.own_time()))
        };
        results.pairs.iter().map(left).collect()
    }

    /// Notes what came of a candidate.
    fn replayed(
        &self,
        results: &mut Results,
        pair: PairId,
        candidate: &Candidate,
        Replayed { confirmed, time }: Replayed,
    ) {
        let Some(result) = results.pairs.get_mut(&pair) else { return };
        result.replayed = true;
        result.time += time;
        let Some(confirmed) = confirmed else {
            // Another candidate may be confirmed. A time-out never makes a pair equal: the engine that found the
            // candidate saw the versions differ, which a proof of equality denies, replayed or not.
            let denied = result.judged.judgement.is_equal() && !candidate.is_hang();
            let reason = match (self.interrupted)() {
                _ if denied => StopReason::internal(NOT_REPLAYED),
                true => StopReason::incomplete(Incomplete::Interrupted),
                false => StopReason::Time,
            };
            result.judged.clock_expired = true;
            if !matches!(result.judged.stopped, Some(StopReason::Internal { .. })) {
                result.judged.stopped = Some(reason);
            }
            results.interrupted |= self.is_over();
            return;
        };
        self.conclude(pair, result, confirmed);
    }

    /// What follows from a candidate that was replayed.
    fn conclude(&self, pair: PairId, result: &mut PairResult, confirmed: Confirmed) {
        result.judged.clock_expired |= confirmed.replay.is_by_clock();
        // Whoever found it, replayed or not: what the interpreter did cannot be what is proved not to happen.
        let old = self.matched.comparison.procedure(pair, Side::Old);
        if confirmed.is_difference(&self.matched.comparison.settings)
            && result.judged.judgement.denies(old, &confirmed.candidate.old.args)
        {
            let reason = "a difference contradicts where they are proved equal";
            result.judged.stopped = Some(StopReason::internal(reason));
        }
        if confirmed.replay.is_confirmed()
            && let Some(addition) = confirmed.candidate.condition.clone()
        {
            let begun = Instant::now();
            let left = (self.limits.timeout + REPORTED).saturating_sub(result.own_time());
            let until = sooner(self.limits.clock.report_ends(), left);
            let mut judgement = result.judged.judgement.clone();
            let (before, added) = (judgement.clone(), addition.clone());
            let comparison = self.matched.comparison.clone();
            let grow = move || {
                hang_if_injected("grow", &comparison.pair(pair).function);
                let states = |pool: &mut _, terms: &[_]| {
                    vocabulary::entry_states(&comparison, pair, pool, terms)
                };
                let grown = judgement.add_among(addition, &states);
                grown.map(|()| judgement).map_err(|contradiction| contradiction.to_string())
            };
            let known = self.cache.as_ref().and_then(|cache| cache.grown(pair, &before, &added));
            // Where the question whether it contradicts anything is not answered in time, C stays as it was: the
            // difference is confirmed all the same.
            let grown = match known {
                Some(known) => Timed { result: Some(Ok(known)), expired: false },
                None => within(Some(until), grow),
            };
            result.judged.clock_expired |= grown.expired;
            match grown.result {
                Some(Ok(judgement)) => {
                    if let Some(cache) = self.cache.as_ref().filter(|_| !grown.expired) {
                        cache.put_grown(pair, &before, &added, &judgement);
                    }
                    result.judged.judgement = judgement;
                }
                Some(Err(text)) => result.judged.stopped = Some(StopReason::internal(text)),
                None => {}
            }
            result.time += begun.elapsed();
        }
        result.witnesses.push(confirmed);
    }
}

/// A pair of which something was found out that contradicts itself may have been used in proofs of its callers before: nothing
/// that rests on it is believed either. The same holds of a pair that is equal only because both versions stop at a read past the end
/// of an object, and was seen to differ where they go on.
pub(crate) fn distrust(results: &mut Results) {
    let is_wrong = |result: &PairResult| {
        let judged = &result.judged;
        let beyond = || result.witnesses.iter().any(Confirmed::differs_beyond);
        matches!(judged.stopped, Some(StopReason::Internal { .. }))
            || judged.judgement.is_equal() && beyond()
    };
    loop {
        let wrong: BTreeSet<PairId> =
            results.pairs.iter().filter(|(_, r)| is_wrong(r)).map(|(pair, _)| *pair).collect();
        let uses = |result: &PairResult| {
            let mut evidence = result.judged.judgement.evidence().iter();
            evidence.any(|e| e.uses.iter().any(|pair| wrong.contains(pair)))
        };
        let mut found = false;
        for result in results.pairs.values_mut().filter(|r| !is_wrong(r) && uses(r)) {
            result.judged.stopped = Some(StopReason::internal(RESTS_ON_WRONG));
            found = true;
        }
        if !found {
            return;
        }
    }
}

/// Why a pair is not reported as it was judged.
const RESTS_ON_WRONG: &str = "it rests on a pair with an internal error";
/// Why a pair that is proved equal is not reported so.
const NOT_REPLAYED: &str =
    "a proof of equality and a predicted difference that was not replayed contradict each other";

/// The components all of whose pairs are judged, and whose callers wait until candidates were replayed.
pub(crate) struct Held<'a> {
    plan: &'a Plan<'a>,
    order: &'a Order,
    wanted: &'a BTreeSet<PairId>,
    /// By component: the pairs whose candidates are replayed.
    pairs: BTreeMap<usize, Vec<PairId>>,
    /// For each version and procedure, whether it or a callee loops or recurses; once asked for.
    unbounded: Option<[Vec<bool>; 2]>,
}

impl<'a> Held<'a> {
    /// Nothing waits.
    pub(crate) fn new(
        plan: &'a Plan<'a>,
        order: &'a Order,
        wanted: &'a BTreeSet<PairId>,
    ) -> Held<'a> {
        Held { plan, order, wanted, pairs: BTreeMap::new(), unbounded: None }
    }

    /// Whether nothing waits.
    pub(crate) fn is_empty(&self) -> bool {
        self.pairs.is_empty()
    }

    /// Has the callers of a component wait, if they can use what is confirmed of it.
    pub(crate) fn takes(&mut self, component: usize, results: &Results) -> bool {
        let order = self.order;
        let pairs: Vec<PairId> = order.components[component]
            .iter()
            .copied()
            .filter(|pair| self.says_where(*pair, results) && self.is_function(*pair))
            .collect();
        let waits = |(caller, needs): (usize, &BTreeSet<usize>)| {
            let mut callers = order.components[caller].iter();
            needs.contains(&component) && callers.any(|pair| self.wanted.contains(pair))
        };
        let waits = !pairs.is_empty() && order.needs.iter().enumerate().any(waits);
        if waits {
            self.pairs.insert(component, pairs);
        }
        waits
    }

    /// Whether C of a pair would grow if its candidates were confirmed. Only what the user asked for is replayed.
    fn says_where(&self, pair: PairId, results: &Results) -> bool {
        let adds = |candidate: &Candidate| {
            let condition = candidate.condition.as_ref();
            condition.is_some_and(|addition| addition.evidence.adds == Field::DifferUnder)
        };
        self.plan.matched.comparison.pair(pair).wanted
            && results.pairs.get(&pair).is_some_and(|r| r.judged.candidates.iter().any(adds))
    }

    /// Whether callers see a pair as a function.
    fn is_function(&mut self, pair: PairId) -> bool {
        let comparison: &Comparison = &self.plan.matched.comparison;
        let unbounded = self
            .unbounded
            .get_or_insert_with(|| Side::BOTH.map(|side| unbounded(comparison.program(side))));
        let of = |side: Side| unbounded[side.index()][comparison.pair(pair).of(side).index()];
        Side::BOTH.into_iter().any(of)
    }

    /// The components whose callers wait no longer, with the pairs that were replayed. At the end of the run nobody waits.
    pub(crate) fn release(
        &mut self,
        results: &mut Results,
        confirm: &mut dyn Confirm,
    ) -> Vec<(usize, Vec<PairId>)> {
        let (plan, mut released) = (self.plan, vec![]);
        let until = plan.limits.clock.replay_ends();
        for (component, pairs) in &self.pairs {
            let mut done = true;
            for pair in pairs {
                let left = plan.left(results);
                let Some(result) = results.pairs.get_mut(pair).filter(|r| !r.replayed) else {
                    continue;
                };
                let candidates = result.judged.candidates.clone();
                match confirm.confirmed_by_now(*pair, &candidates, &left, until) {
                    Some(replayed) => {
                        for (candidate, replayed) in candidates.iter().zip(replayed) {
                            plan.replayed(results, *pair, candidate, replayed);
                        }
                    }
                    // Its candidates are replayed in the end. Callers do without.
                    None if plan.is_over() => result.judged.clock_expired = true,
                    None => done = false,
                }
            }
            if done {
                released.push((*component, pairs.clone()));
            }
        }
        for (component, _) in &released {
            self.pairs.remove(component);
        }
        released
    }
}

/// For each procedure, whether it or a callee loops or recurses.
fn unbounded(program: &Program) -> Vec<bool> {
    let graph = CallGraph::of(program);
    let mut unbounded = vec![true; program.procedures.len()];
    // Callees come before callers.
    for id in graph.components().iter().flatten() {
        let callee = |callee: &ProcId| unbounded[callee.index()];
        let below = graph.callees(*id).iter().any(callee);
        let flow = Flow::of(program.procedure(*id));
        let loops = Loops::of(&flow, &DominatorTree::of(&flow));
        let loops = !loops.is_empty() || !loops.irreducible().is_empty();
        unbounded[id.index()] = loops || graph.is_recursive(*id) || below;
    }
    unbounded
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::job::Judged;
    use verdiff_judge::{Evidence, Judgement, Rule};
    use verdiff_logic::Formula;

    #[test]
    fn what_rests_on_a_contradiction_is_not_believed() {
        let mut results = Results::default();
        // The second is proved from the first, the third from the second; the fourth from nothing.
        for (pair, uses) in [(0, vec![]), (1, vec![0]), (2, vec![1]), (3, vec![])] {
            let uses = uses.into_iter().map(PairId).collect();
            let evidence = Evidence::new(Field::EqualUnder, "test", Rule::PathsEqual);
            let mut judgement = Judgement::default();
            judgement.grow(Formula::truth(), Evidence { uses, ..evidence }).unwrap();
            let judged = Judged::nothing(PairId(pair), judgement, StopReason::Time);
            results.pairs.insert(PairId(pair), PairResult::of(judged, Duration::ZERO));
        }
        distrust(&mut results);
        let wrong = |results: &Results| -> Vec<bool> {
            let stopped = results.pairs.values().map(|r| r.judged.stopped.clone());
            stopped.map(|s| matches!(s, Some(StopReason::Internal { .. }))).collect()
        };
        assert_eq!(wrong(&results), [false; 4]);
        let first = results.pairs.get_mut(&PairId(0)).unwrap();
        first.judged.stopped = Some(StopReason::internal("a contradiction"));
        distrust(&mut results);
        assert_eq!(wrong(&results), [true, true, true, false]);
    }
}
