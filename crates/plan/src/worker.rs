//! The work itself: the engines of the registry on one pair, by the [schedule](crate::schedule).

use crate::clock::{FIFTH, HALF, clock_share};
use crate::correlated::correlated;
use crate::job::{Allowance, Job, Judged};
use crate::local::{self, Calls, CommonCallees};
use crate::restricted;
use crate::schedule::{Row, SCHEDULE, Situation, kind};
use crate::sub_pairs::{self, JudgedForms};
use std::any::TypeId;
use std::cell::OnceCell;
use std::collections::BTreeSet;
use std::io::{self, BufRead, Write};
use std::rc::Rc;
use std::time::{Duration, Instant};
use verdiff_engines::boundary::Boundary;
use verdiff_engines::normalise::Normalise;
use verdiff_engines::testing::{self, Testing};
use verdiff_engines::{Facts, process, vocabulary};
use verdiff_judge::{
    Assumption, Budget, Changed, Comparison, Depth, Engine, EngineOutcome, EngineRun, Findings,
    Judgement, Judgements, Local, PairId, Side, StopReason, Task, Verdict,
};
use verdiff_logic::effort::{Deadline, Effort};
use verdiff_logic::solver::Z3;
use verdiff_model::ProcId;
use verdiff_model::trial::trial;

/// How often an engine may divide a pair anew.
const MOST_DIVISIONS: u32 = 12;
/// What a sub-pair gets in the first division.
const FIRST_DIVISION: Effort = Effort::millis(300);
/// The same where the engine was asked to go deep: loops need that.
const FIRST_FULL_DIVISION: Effort = Effort::millis(3000);
/// One part in so many is kept for the change by itself, where a callee is undecided.
const RESERVED: u64 = 5;

/// So many statements are much code: where a difference is known, that is all that is asked for.
const VAST: u64 = 500;

/// Makes the engines of a comparison.
pub type Registry = fn(&Rc<Facts>) -> Vec<Box<dyn Engine>>;

/// What works on the pairs of one comparison. The facts about it are found out once. Engines are made anew for each
/// job: what they keep from one run to the next (explored paths) must not make the next pair cheaper than it is for a
/// worker that had other pairs before.
pub struct Worker {
    comparison: Rc<Comparison>,
    facts: Rc<Facts>,
    registry: Registry,
    engines: Vec<Box<dyn Engine>>,
    /// Who calls whom.
    calls: Calls,
    /// The pairs that others call, and those that call others.
    called: BTreeSet<PairId>,
    calling: BTreeSet<PairId>,
    /// The pairs that call themselves, in either version.
    recursive: BTreeSet<PairId>,
    /// Whether it judges the sub-pairs of another worker's pair: then there are no further ones.
    nested: bool,
    /// The programs to try inputs on, where code that is not supported has guesses in it; once asked for.
    trial: OnceCell<Option<Rc<Comparison>>>,
    /// What became of the sub-pairs of the pair that is judged now.
    forms: JudgedForms,
    /// Whether it judges a pair with some callees taken as common: then only a proof is asked for, and nothing is taken
    /// as common again.
    locally: bool,
}

impl Worker {
    /// A worker for a comparison.
    pub fn new(comparison: Comparison) -> Worker {
        Worker::with(Rc::new(comparison), verdiff_engines::all)
    }

    /// One with other engines.
    pub fn with(comparison: Rc<Comparison>, registry: Registry) -> Worker {
        let facts = Facts::of(comparison.clone());
        let calls = Calls::of(&comparison);
        let [called, calling] = called_and_calling(&comparison, &calls);
        Worker {
            recursive: recursive(&comparison, &calls),
            comparison,
            facts,
            registry,
            engines: vec![],
            calls,
            called,
            calling,
            nested: false,
            trial: OnceCell::new(),
            forms: JudgedForms::default(),
            locally: false,
        }
    }

    /// Judges one pair. Whenever something was found out and work goes on, `so_far` is told.
    pub fn judge(
        &mut self,
        pair: PairId,
        judgement: Judgement,
        judgements: &Judgements,
        allowed: Allowance,
        so_far: &mut dyn FnMut(&Judged),
    ) -> Judged {
        let _contexts = Z3::keep_contexts();
        let deadline = Deadline::begin(Instant::now() + allowed.timeout);
        let budget = Budget::lasting(allowed.effort, self.comparison.settings.seed);
        let locally = !self.calls.undecided(pair, judgements).is_empty();
        let reserve = if locally { allowed.effort / RESERVED } else { Effort::ZERO };
        let share = budget.at_most(allowed.effort.saturating_sub(reserve));
        let clock = clock_share(share.left(), budget.left(), HALF);
        let mut judged = self.judge_within(pair, judgement, judgements, &share, so_far);
        drop(clock);
        if locally && is_undecided(&judged, &self.comparison) {
            judged.local = self.local(pair, judgements, &budget.at_most(reserve));
        }
        judged.correlation = correlated(&self.facts, &judged);
        self.restrict(&mut judged, judgements, &budget);
        Judged { clock_expired: deadline.was_noticed(), ..judged }
    }

    /// Lets U grow by inputs for which correlated states suggest that both versions are equal ([`restricted`]), if that
    /// is proved of both versions with a guard.
    fn restrict(&self, judged: &mut Judged, judgements: &Judgements, budget: &Budget) {
        let pair = judged.pair;
        let Some(correlation) = &judged.correlation else { return };
        if self.calls.may_call_itself(pair) {
            return;
        }
        for guarded in restricted::guarded(&self.comparison, judged, correlation, budget) {
            let start = Instant::now();
            // Little effort, and no clock but that of the pair: what is found must not depend on the load.
            let share = budget.at_most(restricted::EFFORT);
            let mut worker = Worker::with(Rc::new(guarded.comparison.clone()), self.registry);
            worker.locally = true;
            let nothing = Judgement::default();
            let proof = worker.judge_within(pair, nothing, judgements, &share, &mut |_| {});
            let additions = guarded.additions(&proof);
            if additions.is_empty() {
                continue;
            }
            let findings = Findings { additions, ..Findings::default() };
            let outcome = outcome(&findings);
            if let Err(reason) = take(&self.comparison, judged, findings) {
                judged.stopped = Some(reason);
            }
            let name = "correlate".to_owned();
            judged.engines.push(EngineRun { name, ms: milliseconds(start), outcome });
            break;
        }
    }

    /// Judges the change of a pair by itself, with undecided callees taken as common. Nothing but the verdict comes out
    /// of it ([`local`]).
    fn local(&self, pair: PairId, judgements: &Judgements, budget: &Budget) -> Option<Local> {
        let common = CommonCallees::of(&self.calls, &self.facts, pair, judgements)?;
        let (comparison, known) = (&common.comparison, &common.judgements);
        let mut judgement = Judgement::default();
        let task = Task { comparison, pair, judgement: &Judgement::default(), judgements: known };
        for addition in Normalise.run(&task, budget).additions {
            judgement.add(addition).ok()?;
        }
        let mut worker = Worker::with(comparison.clone(), self.registry);
        worker.locally = true;
        let judged = worker.judge_within(pair, judgement, known, budget, &mut |_| {});
        common.verdict(&judged)
    }

    /// Goes through the schedule.
    fn judge_within(
        &mut self,
        pair: PairId,
        judgement: Judgement,
        judgements: &Judgements,
        budget: &Budget,
        so_far: &mut dyn FnMut(&Judged),
    ) -> Judged {
        self.engines = (self.registry)(&self.facts);
        self.forms = JudgedForms::default();
        let nothing = Judged::nothing(pair, judgement, StopReason::Time);
        let mut judged = Judged { stopped: None, interim: true, ..nothing };
        // What cannot be executed can be divided, and tried with guesses, if anything; nobody else need look at it,
        // and nobody else says why there is no verdict.
        let unsupported = unsupported(&self.comparison, pair);
        let mut stopped = unsupported.clone();
        let mut ran = vec![];
        // Most changes of a function's own code are differences. A part of one that was cut out is another matter.
        let own = matches!(self.comparison.pair(pair).changed, Changed::Text | Changed::Types);
        let code = Side::BOTH.map(|side| self.code(pair, side));
        let code = code[0].max(code[1]);
        let vast = code >= VAST;
        let is_large =
            |side| testing::size(self.comparison.procedure(pair, side)) >= testing::LARGE;
        // Of a part only a proof is of use; a difference that is found easily saves looking for one.
        let searched =
            !self.nested && (own && !self.locally || Side::BOTH.into_iter().any(is_large));
        for (row, number) in self.turns() {
            let engine = kind(&*self.engines[number]);
            let tried = if engine == TypeId::of::<Testing>() { self.trial(pair) } else { None };
            if unsupported.is_some() && engine != TypeId::of::<Boundary>() && tried.is_none() {
                continue;
            }
            let now = Situation {
                judgement: &judged.judgement,
                candidates: &judged.candidates,
                ran: &ran,
                // Where a difference is known, and much code runs, nobody finds out where exactly they differ; it would
                // cost the other functions their time.
                wanted: self.comparison.pair(pair).wanted && !vast,
                called: self.called.contains(&pair) && !vast,
                calling: self.calling.contains(&pair),
                code,
                // A part that formulas do not decide has a loop, or calls what has one: induction first.
                recursive: self.recursive.contains(&pair) || self.nested,
                searched,
                is_part: self.nested,
                tried: tried.is_some(),
                full: self.comparison.settings.full,
            };
            if !row.applies(engine, &now) || self.locally && row.depth == Depth::Thorough {
                continue;
            }
            if self.locally && local::is_equivalent(&judged, &self.comparison.settings) {
                break;
            }
            if budget.is_over() {
                stopped = Some(StopReason::Time);
                break;
            }
            let share = budget.at_most(row.effort(budget.left(), &now)).at_depth(row.depth);
            let start = Instant::now();
            let least = if judged.candidates.is_empty() { HALF } else { FIFTH };
            let clock = clock_share(share.left(), budget.left(), least);
            let findings = match &tried {
                Some(trial) => self.try_inputs(trial, number, &judged, judgements, &share),
                None => self.run(number, pair, &judged.judgement, judgements, &share),
            };
            drop(clock);
            let function = &self.comparison.pair(pair).function;
            let findings = assuming(self.comparison.settings.restricting(function), findings);
            ran.push((engine, row.depth, findings.stopped.clone()));
            let name = self.engines[number].name().to_owned();
            let outcome = outcome(&findings);
            let hopeless = findings.hopeless;
            let news = !(findings.additions.is_empty() && findings.candidates.is_empty());
            match take(&self.comparison, &mut judged, findings) {
                // A bug is a bug, whoever has it.
                Ok(Some(bug)) if bug.is_internal() => stopped = Some(bug),
                Ok(reason) if hopeless => stopped = reason,
                Ok(reason) if !row.explains() => stopped = stopped.or(reason),
                Ok(reason) => {
                    stopped = match (stopped, reason) {
                        (Some(before), Some(now)) => Some(now.graver(before)),
                        (before, now) => now.or(before),
                    };
                }
                Err(reason) => stopped = Some(reason),
            }
            judged.engines.push(EngineRun { name, ms: milliseconds(start), outcome });
            // A part counts only if no difference is predicted.
            let lost = self.nested && !judged.candidates.is_empty();
            if hopeless || lost || stopped.as_ref().is_some_and(StopReason::is_internal) {
                break;
            }
            if news {
                so_far(&judged);
            }
        }
        judged.stopped = stopped;
        judged.interim = false;
        judged
    }

    /// The programs to try inputs of a pair on, if the pair runs code that is not supported and can be tried.
    fn trial(&self, pair: PairId) -> Option<Rc<Comparison>> {
        let is_opaque = |side: Side, id: ProcId| {
            self.comparison.program(side).procedure(id).with_holes.is_some()
        };
        let runs_opaque =
            |side: Side| self.reached(pair, side).into_iter().any(|id| is_opaque(side, id));
        if self.nested || self.locally || !Side::BOTH.into_iter().any(runs_opaque) {
            return None;
        }
        let made = self.trial.get_or_init(|| {
            let trials = Side::BOTH.map(|side| trial(self.comparison.program(side)));
            let mut comparison = (*self.comparison).clone();
            let [old, new] = trials;
            // What one version alone has is not missing in the other.
            (old.is_some() || new.is_some()).then_some(())?;
            comparison.old.program = old.unwrap_or(comparison.old.program);
            comparison.new.program = new.unwrap_or(comparison.new.program);
            Some(Rc::new(comparison))
        });
        made.clone().filter(|trial| unsupported(trial, pair).is_none())
    }

    /// Looks for inputs that are worth running. Nothing else follows from guesses, not even that a run ended.
    fn try_inputs(
        &mut self,
        trial: &Rc<Comparison>,
        number: usize,
        judged: &Judged,
        judgements: &Judgements,
        budget: &Budget,
    ) -> Findings {
        let (pair, judgement) = (judged.pair, &judged.judgement);
        let task = Task { comparison: trial, pair, judgement, judgements };
        let findings = self.engines[number].run(&task, budget);
        let Findings { candidates, stopped, .. } = process::sound(&task, findings);
        Findings { candidates, stopped, ..Findings::default() }
    }

    /// The procedures of a version that a pair runs.
    fn reached(&self, pair: PairId, side: Side) -> Vec<ProcId> {
        let graph = self.calls.graph(side);
        let mut reached = vec![self.comparison.pair(pair).of(side)];
        let mut seen: BTreeSet<ProcId> = reached.iter().copied().collect();
        let mut at = 0;
        while let Some(id) = reached.get(at).copied() {
            at += 1;
            reached.extend(graph.callees(id).iter().copied().filter(|id| seen.insert(*id)));
        }
        reached
    }

    /// How many statements a version of a pair and what it calls have.
    fn code(&self, pair: PairId, side: Side) -> u64 {
        let program = self.comparison.program(side);
        let sizes =
            self.reached(pair, side).into_iter().map(|id| testing::size(program.procedure(id)));
        sizes.sum()
    }

    /// The rows of the schedule with the engines that they are about, by their position.
    fn turns(&self) -> Vec<(&'static Row, usize)> {
        let mut turns = vec![];
        for row in &SCHEDULE {
            let mine = self.engines.iter().enumerate().filter(|(_, e)| row.is_for(&***e));
            turns.extend(mine.map(|(number, _)| (row, number)));
        }
        turns
    }

    /// Runs one engine. If it divides the pair, its sub-pairs are judged and it is run again on what is divided; if
    /// nothing follows, it is asked for another division.
    fn run(
        &mut self,
        number: usize,
        pair: PairId,
        judgement: &Judgement,
        judgements: &Judgements,
        budget: &Budget,
    ) -> Findings {
        let comparison = self.comparison.clone();
        let task = Task { comparison: &comparison, pair, judgement, judgements };
        let mut all = Findings::default();
        for round in 0..MOST_DIVISIONS {
            let mut findings = self.findings(number, &task, budget);
            let divided = findings.divided.take().filter(|_| !self.nested);
            all = all.and(findings);
            let Some(divided) = divided else { break };
            let again = self.divided(number, pair, judgement, judgements, &divided, round, budget);
            let found = !(again.additions.is_empty() && again.candidates.is_empty());
            all = all.and(again);
            if found || budget.is_over() {
                break;
            }
        }
        all
    }

    /// What an engine finds, as far as it holds of the pair and in words that mean the same to all engines.
    fn findings(&mut self, number: usize, task: &Task<'_>, budget: &Budget) -> Findings {
        let findings = self.engines[number].run(task, budget);
        vocabulary::checked(task, process::sound(task, findings))
    }

    /// Judges the sub-pairs of a divided pair, and runs the engine that divided it on the rest.
    #[expect(clippy::too_many_arguments, reason = "a run, and a division")]
    fn divided(
        &mut self,
        number: usize,
        pair: PairId,
        judgement: &Judgement,
        judgements: &Judgements,
        divided: &Rc<Comparison>,
        round: u32,
        budget: &Budget,
    ) -> Findings {
        let mut inner = Worker::with(divided.clone(), self.registry);
        inner.nested = true;
        let mut known = judgements.clone();
        let subs: Vec<PairId> = divided.sub_pairs_of(pair).collect();
        let forms: Vec<_> = subs.iter().map(|sub| sub_pairs::form(divided, pair, *sub)).collect();
        for (done, sub) in subs.iter().enumerate() {
            let form = forms[done].as_ref();
            if let Some(equal) = form.and_then(|form| self.forms.equal(form)) {
                known.insert(*sub, equal.clone());
                continue;
            }
            // Twice as much in each round, and always something for those that follow.
            let left = self.forms.still_to_judge(&forms[done..]);
            let share = budget.left() * 3 / (3 * left + 1) as u64;
            // Around calls of what changed, larger regions are seldom easier: rather more for the smallest.
            let called = divided.pair(pair).changed == Changed::Callees;
            let full = budget.depth >= Depth::Full || called;
            let first = if full { FIRST_FULL_DIVISION } else { FIRST_DIVISION };
            let share = budget.at_most(share.min(first * (1 << round)));
            let effort = share.left();
            if form.is_some_and(|form| self.forms.is_hopeless(form, effort)) {
                continue;
            }
            let nothing = Judgement::default();
            let judged = inner.judge_within(*sub, nothing, &known, &share, &mut |_| {});
            // Nobody replays a difference of a sub-pair: where one is predicted, or something contradicts itself,
            // nothing counts as proved.
            let internal = judged.stopped.as_ref().is_some_and(StopReason::is_internal);
            let counts = judged.candidates.is_empty() && !internal;
            if let Some(form) = form {
                self.forms.note(form.clone(), counts.then_some(&judged.judgement), effort);
            }
            if counts {
                known.insert(*sub, judged.judgement);
            }
        }
        let task = Task { comparison: divided, pair, judgement, judgements: &known };
        let again = self.findings(number, &task, budget);
        sub_pairs::brought_back(&self.comparison, pair, &known, again)
    }
}

/// What about a pair the model cannot express: it has no body there, so no engine can execute it.
pub(crate) fn unsupported(comparison: &Comparison, pair: PairId) -> Option<StopReason> {
    Side::BOTH.into_iter().find_map(|side| {
        let what = comparison.procedure(pair, side).unsupported.first()?;
        let program = comparison.program(side);
        Some(StopReason::unsupported(program, &what.construct, what.loc))
    })
}

/// Whether enough of both versions is known to tell the parts that changed from the others.
pub(crate) fn can_be_divided(comparison: &Comparison, pair: PairId) -> bool {
    Side::BOTH.into_iter().all(|side| {
        let procedure = comparison.procedure(pair, side);
        procedure.is_supported() || procedure.with_holes.is_some()
    })
}

/// Whether nothing is known that makes a verdict, and nothing that a replay may confirm.
fn is_undecided(judged: &Judged, comparison: &Comparison) -> bool {
    let verdict = Verdict::of(&judged.judgement, &[], &comparison.settings, &StopReason::Time);
    let contradiction = judged.stopped.as_ref().is_some_and(StopReason::is_internal);
    matches!(verdict, Verdict::Unknown(_)) && judged.candidates.is_empty() && !contradiction
}

/// Findings whose evidence says under which settings they were made.
fn assuming(assumed: Vec<Assumption>, mut findings: Findings) -> Findings {
    let conditions = findings.candidates.iter_mut().filter_map(|c| c.condition.as_mut());
    for addition in findings.additions.iter_mut().chain(conditions) {
        for assumption in &assumed {
            if !addition.evidence.assumes.contains(assumption) {
                addition.evidence.assumes.push(assumption.clone());
            }
        }
    }
    findings
}

/// The pairs that are called by another one of the comparison, in either version, and those that call one.
fn called_and_calling(comparison: &Comparison, calls: &Calls) -> [BTreeSet<PairId>; 2] {
    let (mut called, mut calling) = (BTreeSet::new(), BTreeSet::new());
    for side in Side::BOTH {
        for pair in comparison.pair_ids() {
            let caller = comparison.pair(pair).of(side);
            let others = calls.graph(side).callees(caller).iter().filter(|id| **id != caller);
            for callee in others.filter_map(|id| calls.pair_of(side, *id)) {
                called.insert(callee);
                calling.insert(pair);
            }
        }
    }
    [called, calling]
}

/// The pairs that call themselves, directly or not, in either version.
fn recursive(comparison: &Comparison, calls: &Calls) -> BTreeSet<PairId> {
    let mut recursive = BTreeSet::new();
    for side in Side::BOTH {
        let graph = calls.graph(side);
        let itself = |pair: &PairId| graph.is_recursive(comparison.pair(*pair).of(side));
        recursive.extend(comparison.pair_ids().filter(itself));
    }
    recursive
}

fn milliseconds(start: Instant) -> f64 {
    (start.elapsed().as_secs_f64() * 10_000.0).round() / 10.0
}

fn outcome(findings: &Findings) -> EngineOutcome {
    match (&findings.candidates[..], &findings.additions[..], &findings.stopped) {
        ([_, ..], _, _) => EngineOutcome::Difference,
        (_, [_, ..], _) => EngineOutcome::Proof,
        (_, _, Some(reason)) => EngineOutcome::Stopped(reason.clone()),
        _ => EngineOutcome::Nothing,
    }
}

/// Adds what was found. A contradiction is a bug, and said to be one.
fn take(
    comparison: &Comparison,
    judged: &mut Judged,
    findings: Findings,
) -> Result<Option<StopReason>, StopReason> {
    judged.judgement.common_run |= findings.common_run;
    judged.local = findings.local.or(judged.local.take());
    let pair = judged.pair;
    let states =
        |pool: &mut _, terms: &[_]| vocabulary::entry_states(comparison, pair, pool, terms);
    for addition in findings.additions {
        judged
            .judgement
            .add_among(addition, &states)
            .map_err(|contradiction| StopReason::internal(contradiction.to_string()))?;
    }
    judged.candidates.extend(findings.candidates);
    Ok(findings.stopped)
}

/// The global allocator of a program that serves jobs, and what makes it end with an exit code of its own when memory
/// runs out.
pub use verdiff_logic::exit::{Allocator, exit_when_exhausted};
pub use verdiff_logic::heap::share_one_heap;

/// Serves jobs until the input ends: what `verdiff worker` does.
pub fn serve(input: impl BufRead, mut output: impl Write) -> io::Result<()> {
    let mut server = JobServer::default();
    for line in input.lines() {
        let line = line?;
        if line.trim().is_empty() {
            continue;
        }
        // Reading a large program is part of the time that a job may take.
        let begun = Instant::now();
        let judged = server.judge(serde_json::from_str(&line)?, begun, &mut |judged| {
            // Whoever cannot be told now cannot be told in the end either, and that is seen there.
            let _ = write_answer(&mut output, judged);
        });
        write_answer(&mut output, &judged)?;
    }
    Ok(())
}

/// Does jobs, one after the other. The first of a comparison has its programs.
#[derive(Default)]
pub(crate) struct JobServer(Option<Worker>);

impl JobServer {
    /// Does a job that was begun then.
    pub(crate) fn judge(
        &mut self,
        mut job: Job,
        begun: Instant,
        so_far: &mut dyn FnMut(&Judged),
    ) -> Judged {
        if let Some(comparison) = job.comparison.take() {
            self.0 = Some(Worker::new(comparison));
        }
        let read = begun.elapsed();
        let (timeout, loading) = (job.time_left(read), job.loading(read));
        match &mut self.0 {
            Some(worker) if job.pair.index() < worker.comparison.pairs.len() => {
                let allowed = Allowance { effort: job.effort, timeout, loading: Duration::ZERO };
                let mut so_far = |judged: &Judged| so_far(&judged.with_loading(loading));
                let judged =
                    worker.judge(job.pair, job.judgement, &job.judgements, allowed, &mut so_far);
                judged.with_loading(loading)
            }
            _ => {
                let reason = StopReason::internal("a job without its programs");
                Judged::nothing(job.pair, job.judgement, reason)
            }
        }
    }
}

/// One line.
fn write_answer(output: &mut impl Write, judged: &Judged) -> io::Result<()> {
    serde_json::to_writer(&mut *output, judged)?;
    output.write_all(b"\n")?;
    output.flush()
}
