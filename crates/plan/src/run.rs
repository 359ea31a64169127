//! The whole comparison: cheap proofs here, the rest in worker processes, differences replayed at
//! the end.

use crate::cache::Cache;
use crate::impact::{Turn, turns};
use crate::job::{Allowance, Judged};
use crate::known::Known;
use crate::limits::{JobOrder, Limits};
use crate::matching::Matched;
use crate::order::Order;
use crate::pool::{Spare, Worker, Workers};
use crate::progress::{Found, Progress};
use crate::queue::Queue;
use crate::replay::{Held, distrust};
use crate::same::{for_callers, of_same_code, unchanged};
use crate::work::{PartMaker, Work};
use crate::worker::{can_be_divided, unsupported};
use std::collections::{BTreeMap, BTreeSet};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::rc::Rc;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::time::{Duration, Instant};
use verdiff_engines::normalise::{Form, Normalise, address_taken, outside_is_equal, same_code};
use verdiff_judge::{
    Budget, Candidate, Changed, Comparison, Confirm, Confirmed, Engine, Field, Incomplete,
    Judgement, PairId, Rule, StopReason, Task,
};

/// Everything found out about one pair.
#[derive(Clone, Debug)]
pub struct PairResult {
    /// The judgement.
    pub judged: Judged,
    /// Its candidates, replayed.
    pub witnesses: Vec<Confirmed>,
    /// Whether its candidates were replayed.
    pub replayed: bool,
    /// How long it took.
    pub time: Duration,
    /// Whether the judgement was made in an earlier run.
    pub cached: bool,
}

impl PairResult {
    /// What engines found out in so much time.
    pub fn of(judged: Judged, time: Duration) -> PairResult {
        PairResult { judged, witnesses: vec![], replayed: false, time, cached: false }
    }

    /// How long was spent on it alone.
    pub(crate) fn own_time(&self) -> Duration {
        self.time.saturating_sub(Duration::from_millis(self.judged.loading_ms))
    }
}

/// Everything found out.
#[derive(Clone, Debug, Default)]
pub struct Results {
    /// By pair.
    pub pairs: BTreeMap<PairId, PairResult>,
    /// Whether some pairs were not looked at.
    pub interrupted: bool,
    /// Who calls whom.
    pub order: Order,
}

/// A run of a whole comparison.
pub struct Plan<'a> {
    /// The matched versions.
    pub matched: &'a Matched,
    /// Its limits.
    pub limits: Limits,
    /// Who judges pairs.
    pub workers: Workers,
    /// One that was started already.
    pub spare: &'a Spare,
    /// Whether the user wants it to end.
    pub interrupted: &'a (dyn Fn() -> bool + Sync),
    /// Judgements of earlier runs.
    pub cache: Option<Cache>,
}

impl Plan<'_> {
    /// Judges all wanted pairs, and those they need.
    pub fn run(&self, confirm: &mut dyn Confirm, progress: &(dyn Fn(Progress) + Sync)) -> Results {
        let order = Order::of(&self.matched.comparison);
        let wanted = self.needed(&order);
        progress(Progress::Planned(wanted.clone()));
        let mut results = self.judge_all(&order, &wanted, confirm, progress);
        self.replay(&mut results, confirm, progress);
        distrust(&mut results);
        self.forget_contradictions(&results);
        results.order = order;
        results
    }

    /// The wanted pairs and all they rest on. What is unchanged rests on nothing that matters.
    fn needed(&self, order: &Order) -> BTreeSet<PairId> {
        let comparison = &self.matched.comparison;
        let mut needed = BTreeSet::new();
        let mut work: Vec<PairId> =
            comparison.pair_ids().filter(|p| comparison.pair(*p).wanted).collect();
        while let Some(pair) = work.pop() {
            if needed.insert(pair) {
                work.extend(&order.below[pair.index()]);
            }
        }
        needed
    }

    /// When each pair has its turn. Who names functions asks for these.
    fn turns(&self, order: &Order, needed: &BTreeSet<PairId>) -> Vec<Turn> {
        let comparison = &self.matched.comparison;
        let named = |pair: &PairId| self.matched.only_some && comparison.pair(*pair).wanted;
        let asked: BTreeSet<PairId> = comparison.pair_ids().filter(named).collect();
        let mut turns = turns(comparison, order, needed, &asked, self.limits.effort);
        // That the signature changed is the verdict. What is said of the common part is a remark, unless it is what was asked for.
        for part in self.matched.common.iter().filter_map(|common| common.judged.as_ref().ok()) {
            if !asked.contains(&part.pair) {
                turns[part.pair.index()].effort = self.limits.effort / COMMON_PART;
            }
        }
        turns
    }

    fn judge_all(
        &self,
        order: &Order,
        wanted: &BTreeSet<PairId>,
        confirm: &mut dyn Confirm,
        progress: &(dyn Fn(Progress) + Sync),
    ) -> Results {
        let comparison = &self.matched.comparison;
        let mut results = Results::default();
        let over = || self.is_over();
        let hard = comparison.pair_ids().filter(|p| wanted.contains(p)).count();
        let workers = self.limits.jobs.clamp(1, hard.max(1));
        let jobs = Queue::new();
        let (send_result, done) = channel::<News>();
        // Whether the end of the run cost some pair its verdict.
        let mut left_out = false;
        std::thread::scope(|scope| {
            let mut started = 0;
            let _closed = Closed(&jobs);
            let mut state = Running {
                plan: self,
                comparison,
                order,
                wanted,
                results: &mut results,
                known: Known::default(),
                reached: BTreeMap::new(),
                waiting: order.needs.clone(),
                busy: 0,
                progress,
                taken: None,
                turns: self.turns(order, wanted),
                held: Held::new(self, order, wanted),
                parts: PartMaker::new(self.limits.parts),
                same: BTreeMap::new(),
            };
            let mut ready: Vec<usize> =
                (0..order.components.len()).filter(|n| order.needs[*n].is_empty()).collect();
            // The last in the list is taken first.
            if self.limits.order != JobOrder::LastFirst {
                ready.reverse();
            }
            let mut open: BTreeMap<PairId, usize> = BTreeMap::new();
            let mut left: Vec<usize> = order.components.iter().map(Vec::len).collect();
            loop {
                while let Some(component) = ready.pop() {
                    let hard = state.cheap(component);
                    left[component] = hard.len();
                    // All of a component are judged with what is known now. What an earlier run knows of one of them is not known
                    // to the next: its job would be another one than without a cache.
                    let asked = |pair: &PairId| (!over()).then(|| state.asked(*pair, component));
                    let asked: Vec<Option<Asked>> = hard.iter().map(asked).collect();
                    for (pair, asked) in hard.into_iter().zip(asked) {
                        let work = match asked.filter(|_| !over()) {
                            Some(Asked::Now(work)) => work,
                            Some(Asked::Before(judged, time)) => {
                                state.answered_before(pair, *judged, time, confirm);
                                left[component] -= 1;
                                continue;
                            }
                            None => {
                                let judged = self.given_up(pair, Judgement::default());
                                state.finish(pair, judged, Duration::ZERO);
                                left_out = true;
                                left[component] -= 1;
                                continue;
                            }
                        };
                        // One that waits for work takes it sooner than a new one.
                        if started < workers && started <= state.busy {
                            started += 1;
                            let (jobs, send) = (&jobs, send_result.clone());
                            scope.spawn(move || self.serve(jobs, &send));
                        }
                        progress(Progress::Started(pair));
                        open.insert(pair, component);
                        state.busy += 1;
                        jobs.push(state.priority(pair), *work);
                    }
                    if left[component] == 0 {
                        ready.extend(state.judged(component));
                    }
                }
                if state.busy == 0 && state.held.is_empty() {
                    break;
                }
                let news = match state.held.is_empty() {
                    true => done.recv().map_err(|_| RecvTimeoutError::Disconnected),
                    false => done.recv_timeout(REPLAY_TICK),
                };
                ready.extend(state.released(confirm));
                let (pair, judged, time) = match news {
                    Ok(News::Judged(pair, judged, time)) => (pair, judged, time),
                    Ok(News::Candidates(pair, candidates)) => {
                        progress(Progress::Predicted(pair));
                        confirm.expect(pair, &candidates);
                        continue;
                    }
                    Err(RecvTimeoutError::Timeout) => continue,
                    Err(RecvTimeoutError::Disconnected) => break,
                };
                state.busy -= 1;
                if comparison.pair(pair).wanted {
                    confirm.expect(pair, &judged.candidates);
                }
                left_out |= over() && !judged.judgement.is_equal() && judged.candidates.is_empty();
                state.finish(pair, *judged, time);
                let Some(component) = open.remove(&pair) else { continue };
                left[component] -= 1;
                if left[component] == 0 {
                    ready.extend(state.judged(component));
                }
            }
        });
        results.interrupted = left_out;
        results
    }

    /// One worker: takes jobs until there are no more.
    fn serve(&self, jobs: &Queue<JobPriority, Work>, results: &Sender<News>) {
        let mut worker = Worker::new(&self.workers, self.spare);
        loop {
            let Some(work) = jobs.take() else { return };
            let (start, pair) = (Instant::now(), work.pair);
            let left = self.limits.clock.left_for_engines();
            let comparison = work.comparison(&self.matched.comparison);
            let is_new = worker.is_new_to(&comparison);
            let loading = if is_new { self.limits.loading } else { Duration::ZERO };
            let timeout = left.map_or(self.limits.timeout, |left| left.min(self.limits.timeout));
            let loading = left.map_or(loading, |left| left.saturating_sub(timeout).min(loading));
            let allowed = Allowance { effort: work.effort, timeout, loading };
            let judged = match timeout.is_zero() || (self.interrupted)() {
                true => self.given_up(pair, work.asked.judgement),
                false => {
                    let stop = || (self.interrupted)();
                    // Every candidate of a pair that is asked for is replayed.
                    let found = |candidates: &[Candidate]| {
                        if self.matched.comparison.pair(pair).wanted {
                            let candidates = work.candidates(candidates);
                            let _ = results.send(News::Candidates(pair, candidates));
                        }
                    };
                    let judge =
                        || worker.judge(&comparison, work.asked.clone(), allowed, &stop, &found);
                    // A bug here must not leave the others waiting for an answer that never comes.
                    let judged = catch_unwind(AssertUnwindSafe(judge)).unwrap_or_else(|_| {
                        let reason = StopReason::internal("the plan's thread for it panicked");
                        Judged::nothing(work.asked.pair, Judgement::default(), reason)
                    });
                    work.answered(self.cache.as_ref(), judged)
                }
            };
            if results.send(News::Judged(pair, Box::new(judged), start.elapsed())).is_err() {
                return;
            }
        }
    }

    /// Whether nothing more is begun.
    pub(crate) fn is_over(&self) -> bool {
        (self.interrupted)()
            || self.limits.clock.left_for_engines().is_some_and(|left| left.is_zero())
    }

    /// What is said of a pair whose turn did not come.
    fn given_up(&self, pair: PairId, judgement: Judgement) -> Judged {
        let reason = match (self.interrupted)() {
            true => StopReason::incomplete(Incomplete::InterruptedBefore),
            false => StopReason::Time,
        };
        Judged { clock_expired: true, ..Judged::nothing(pair, judgement, reason) }
    }
}

/// The common part of functions whose signatures differ gets one part in so many of the effort.
const COMMON_PART: u64 = 4;

/// How often it is looked whether candidates were replayed, while callers wait for that.
const REPLAY_TICK: Duration = Duration::from_millis(10);

/// The order in which jobs are taken: what changed itself, callers, what may be called back; the nearest first.
type JobPriority = (u8, u32, u32);

/// Ends the queue, however its scope is left.
struct Closed<'a>(&'a Queue<JobPriority, Work>);

impl Drop for Closed<'_> {
    fn drop(&mut self) {
        self.0.close();
    }
}

/// What a worker thread has to tell.
enum News {
    /// Candidates of a pair that will be replayed.
    Candidates(PairId, Vec<Candidate>),
    /// A pair is done, after so long.
    Judged(PairId, Box<Judged>, Duration),
}

/// A pair whose turn has come.
enum Asked {
    /// An earlier run has judged it; finding that took so long.
    Before(Box<Judged>, Duration),
    /// A worker judges it.
    Now(Box<Work>),
}

/// The state of a run.
struct Running<'a> {
    plan: &'a Plan<'a>,
    comparison: &'a Comparison,
    order: &'a Order,
    wanted: &'a BTreeSet<PairId>,
    results: &'a mut Results,
    known: Known,
    /// By component: the pairs that its members rest on, once asked for.
    reached: BTreeMap<usize, Rc<BTreeSet<PairId>>>,
    waiting: Vec<BTreeSet<usize>>,
    busy: usize,
    progress: &'a (dyn Fn(Progress) + Sync),
    /// The pairs whose address is taken, once asked for.
    taken: Option<Option<BTreeSet<PairId>>>,
    /// When each pair has its turn, and what it may cost.
    turns: Vec<Turn>,
    /// The components whose callers wait for replay.
    held: Held<'a>,
    /// Makes the parts that jobs are about.
    parts: PartMaker,
    /// What is known of pairs of the same code for which a worker is asked whether one version alone hangs.
    same: BTreeMap<PairId, Judgement>,
}

impl Running<'_> {
    /// Decides what costs nothing; gives back the pairs that need a worker.
    fn cheap(&mut self, component: usize) -> Vec<PairId> {
        let members: Vec<PairId> = self.order.components[component]
            .iter()
            .copied()
            .filter(|pair| self.wanted.contains(pair))
            .collect();
        if !self.plan.limits.shortcuts {
            return members;
        }
        let mut hard = vec![];
        let together = members.len() > 1 && self.same_together(&members);
        for pair in members {
            let start = Instant::now();
            if self.comparison.pair(pair).changed == Changed::No {
                self.note(pair, unchanged(&Rule::Unchanged), start);
            } else if together {
                self.note(pair, unchanged(&Rule::SameCode { cycle: true }), start);
            } else if !self.plan.is_over()
                && let Some(judgement) = self.normalised(pair)
            {
                if !judgement.is_alike() && self.calls_what_splits(pair) {
                    self.same.insert(pair, judgement);
                    hard.push(pair);
                } else {
                    self.note(pair, judgement, start);
                }
            } else if let Some(reason) = unsupported(self.comparison, pair)
                && !can_be_divided(self.comparison, pair)
            {
                let judged = Judged::nothing(pair, Judgement::default(), reason);
                self.finish(pair, judged, start.elapsed());
            } else {
                hard.push(pair);
            }
        }
        hard
    }

    /// Whether all pairs of a component are the same code and rest on nothing else than each other
    /// and what is known to be equal and to end alike.
    fn same_together(&mut self, members: &[PairId]) -> bool {
        let form = Form::Normal { marks: self.comparison.settings.overflow_undefined };
        members.iter().all(|pair| {
            let Some(same) = same_code(self.comparison, *pair, form) else { return false };
            if same.returns_twice {
                return false;
            }
            let mut rests_on = same.callees;
            if same.calls_anything {
                let taken = self.taken.get_or_insert_with(|| {
                    address_taken(self.comparison).filter(|_| outside_is_equal(self.comparison))
                });
                match taken {
                    Some(taken) => rests_on.extend(taken.iter().copied()),
                    None => return false,
                }
            }
            rests_on
                .iter()
                .filter(|p| !members.contains(p))
                .all(|p| self.known.get(*p).is_some_and(|j| j.is_equal_in_calls() && j.is_alike()))
        })
    }

    /// Whether a callee hangs in one version alone for some state. Then the same code may do so as well, which only a worker finds out.
    fn calls_what_splits(&self, pair: PairId) -> bool {
        let below = &self.order.below[pair.index()];
        let splits = |j: &Judgement| !j.condition(Field::SplitUnder).is_false();
        below.iter().filter_map(|callee| self.known.get(*callee)).any(splits)
    }

    fn normalised(&self, pair: PairId) -> Option<Judgement> {
        let judgement = Judgement::default();
        let task = Task {
            comparison: self.comparison,
            pair,
            judgement: &judgement,
            judgements: self.known.all(),
        };
        let budget = Budget::lasting(self.plan.limits.effort, 0);
        let findings = Normalise.run(&task, &budget);
        let mut judgement = Judgement::default();
        for addition in findings.additions {
            judgement.add(addition).ok()?;
        }
        judgement.is_equal().then_some(judgement)
    }

    fn note(&mut self, pair: PairId, judgement: Judgement, start: Instant) {
        let judgement = of_same_code(judgement);
        let judged = Judged { stopped: None, ..Judged::nothing(pair, judgement, StopReason::Time) };
        self.finish(pair, judged, start.elapsed());
    }

    /// What an earlier run has answered about a pair, or else a job.
    fn asked(&mut self, pair: PairId, component: usize) -> Asked {
        let start = Instant::now();
        let reach = || Rc::new(self.order.rests_on(component));
        let rests_on = self.reached.entry(component).or_insert_with(reach).clone();
        let effort = self.turns[pair.index()].effort;
        let judgement = self.same.get(&pair).cloned().map(of_same_code).unwrap_or_default();
        let before = |judged| Asked::Before(Box::new(judged), start.elapsed());
        let cache = self.plan.cache.as_ref();
        let key = cache.and_then(|cache| {
            let which = self.parts.which();
            self.known.whole_key(cache, (pair, &judgement), &rests_on, effort, which)
        });
        let known = cache.zip(key.as_ref()).and_then(|(cache, key)| cache.get_whole(key, pair));
        if let Some(judged) = known {
            return before(judged);
        }
        let mut work = Work::whole(pair, effort, judgement, self.known.for_job(&rests_on));
        if let Some(part) = self.parts.part(self.comparison, pair, &rests_on) {
            work.reduce(part);
        }
        if let Some(cache) = cache {
            work.note_keys(cache, key);
        }
        let known = cache.and_then(|cache| work.answered_before(cache));
        known.map_or_else(|| Asked::Now(Box::new(work)), before)
    }

    /// Notes what an earlier run has answered. Differences that it predicts are replayed as if they were found now.
    fn answered_before(
        &mut self,
        pair: PairId,
        judged: Judged,
        time: Duration,
        confirm: &mut dyn Confirm,
    ) {
        if self.comparison.pair(pair).wanted {
            confirm.expect(pair, &judged.candidates);
        }
        self.finish(pair, judged, time);
        if let Some(result) = self.results.pairs.get_mut(&pair) {
            result.cached = true;
        }
    }

    fn priority(&self, pair: PairId) -> JobPriority {
        match self.plan.limits.order {
            JobOrder::ByImportance => {
                let turn = &self.turns[pair.index()];
                (turn.class, turn.distance, pair.0)
            }
            JobOrder::LastFirst => (0, 0, u32::MAX - pair.0),
            // Bits of a product with a large odd number: neighbours come far apart.
            JobOrder::Shuffled(seed) => {
                let mixed = (u64::from(pair.0 ^ seed) + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
                (0, (mixed >> 32) as u32, pair.0)
            }
        }
    }

    fn finish(&mut self, pair: PairId, mut judged: Judged, time: Duration) {
        // What it rests on may be known better in another run, and so may it.
        let below = self.order.below[pair.index()].iter();
        let expired =
            |p: &PairId| self.results.pairs.get(p).is_some_and(|r| r.judged.clock_expired);
        judged.clock_expired |= below.into_iter().any(expired);
        self.known.insert(pair, for_callers(&judged));
        let found = Found::of(&judged, &self.comparison.settings);
        (self.progress)(Progress::Finished(pair, found));
        self.results.pairs.insert(pair, PairResult::of(judged, time));
    }

    /// The components that can begin now that all pairs of this one are judged: none if these wait for replay.
    fn judged(&mut self, component: usize) -> Vec<usize> {
        match self.held.takes(component, self.results) {
            true => vec![],
            false => self.complete(component),
        }
    }

    /// The components that can begin because what they wait for was replayed.
    fn released(&mut self, confirm: &mut dyn Confirm) -> Vec<usize> {
        let mut ready = vec![];
        for (component, pairs) in self.held.release(self.results, confirm) {
            for pair in pairs {
                let judged = &self.results.pairs[&pair].judged;
                self.known.insert(pair, for_callers(judged));
            }
            ready.extend(self.complete(component));
        }
        ready
    }

    /// The components that can begin now that this one is done.
    fn complete(&mut self, component: usize) -> Vec<usize> {
        let mut ready = vec![];
        for (number, needs) in self.waiting.iter_mut().enumerate() {
            if needs.remove(&component) && needs.is_empty() {
                ready.push(number);
            }
        }
        ready
    }
}
