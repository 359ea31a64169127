//! The work itself: engines from cheap to dear on one pair.

use crate::job::{Allowance, JUDGEMENT, Job, Judged};
use std::collections::BTreeSet;
use std::io::{self, BufRead, Write};
use std::rc::Rc;
use std::time::{Duration, Instant};
use verdiff_engines::Facts;
use verdiff_engines::flat::Flat;
use verdiff_engines::process;
use verdiff_engines::recursion::Recursion;
use verdiff_engines::summary::Summary;
use verdiff_engines::termination::Termination;
use verdiff_engines::testing::{Effort as Tries, Testing};
use verdiff_judge::{
    Budget, Candidate, Comparison, Engine, EngineOutcome, EngineRun, Field, Findings, Judgement,
    Judgements, PairId, Side, StopReason, Task,
};
use verdiff_logic::effort::{Deadline, Effort};
use verdiff_model::graph::calls::CallGraph;

/// The engines of one comparison, which keep what they found out about it.
pub struct Worker {
    comparison: Rc<Comparison>,
    flat: Flat,
    recursion: Recursion,
    termination: Termination,
    summary: Summary,
    /// The pairs that others call, and those that call others.
    called: BTreeSet<PairId>,
    calling: BTreeSet<PairId>,
    /// The pairs that call themselves, in either version.
    recursive: BTreeSet<PairId>,
}

/// One step of the plan for a pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Step {
    /// Testing, with some effort.
    Testing(Tries),
    /// The formula, with little time: most are decided at once or not at all.
    FlatShortly,
    /// Path by path, with little time: loops that end after a few rounds need no induction.
    SummaryShortly,
    /// Induction.
    Recursion,
    /// Induction, for those inputs for which it goes through.
    RecursionInParts,
    /// Whether both versions end.
    Termination,
    /// Path by path: what is equal and what differs as far as paths can be followed.
    Summary,
    /// The formula, with what time is left but for testing.
    Flat,
}

/// Engines from cheap to dear. What calls itself seldom ends after a few calls, so there is no use in following its paths before induction.
const STEPS: [Step; 11] = [
    Step::Testing(Tries::Glance),
    Step::FlatShortly,
    Step::Testing(Tries::Quick),
    Step::SummaryShortly,
    Step::Recursion,
    Step::RecursionInParts,
    Step::Termination,
    Step::Flat,
    Step::Summary,
    Step::RecursionInParts,
    Step::Testing(Tries::Thorough),
];

/// What the formula gets at first, and what it gets to make a difference exact that is known already.
const SHORTLY: Effort = Effort::millis(500);

/// What paths get to say where a callee is equal that is known to differ: its callers look into it otherwise. If it calls nothing itself, they
/// can do that as well as anybody.
const FOR_CALLERS: Effort = Effort::millis(250);
const FOR_CALLERS_OF_LEAVES: Effort = Effort::millis(50);

/// What paths get before induction is tried.
const FEW_PATHS: Effort = Effort::millis(1000);

/// What termination gets: it is decided soon or not at all.
const ENDING: Effort = Effort::millis(1500);

impl Worker {
    /// A worker for a comparison.
    pub fn new(comparison: Comparison) -> Worker {
        let comparison = Rc::new(comparison);
        let facts = Facts::of(comparison.clone());
        let (flat, recursion) = (Flat::new(&facts), Recursion::new(&facts));
        let (termination, summary) = (Termination::new(&facts), Summary::new(&facts));
        let ([called, calling], recursive) = (calls(&comparison), recursive(&comparison));
        Worker { comparison, flat, recursion, termination, summary, called, calling, recursive }
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
        let deadline = Deadline::begin(Instant::now() + allowed.timeout);
        let budget = Budget::lasting(allowed.effort, self.comparison.settings.seed);
        let mut judged = Judged {
            schema: JUDGEMENT.to_owned(),
            pair,
            judgement,
            candidates: vec![],
            engines: vec![],
            stopped: None,
            clock_expired: false,
            interim: true,
        };
        let mut stopped = None;
        let (mut flat_wants_more, mut paths_left, mut in_parts) = (false, false, false);
        for step in STEPS {
            // Where one version alone ends says nothing of where both do.
            let says_where = |c: &Candidate| {
                c.condition.as_ref().is_some_and(|a| a.evidence.adds == Field::DifferUnder)
            };
            let shown = judged.candidates.iter().any(says_where);
            let found = !judged.candidates.is_empty();
            // A difference is found once; what makes it exact is worth a short while. Whoever calls it can use where it is equal.
            let wanted = self.comparison.pair(pair).wanted;
            let exact_wanted = match step {
                Step::SummaryShortly => wanted,
                Step::FlatShortly | Step::Summary => wanted || self.called.contains(&pair),
                _ => false,
            };
            let decided = judged.judgement.is_equal() || shown || found && !exact_wanted;
            let skipped = match step {
                // If they are known to differ, then on paths that were followed; the rest may be equal.
                Step::RecursionInParts if in_parts => true,
                Step::RecursionInParts => {
                    judged.judgement.is_equal() || found && !(wanted && paths_left)
                }
                // Nobody asks whether both versions of a callee end that are known to differ.
                Step::Termination => judged.judgement.is_alike() || found && !wanted,
                Step::Flat => decided || !flat_wants_more,
                Step::SummaryShortly => decided || self.recursive.contains(&pair),
                _ => decided,
            };
            if skipped {
                continue;
            }
            if budget.is_over() {
                stopped = Some(StopReason::Time);
                break;
            }
            let left = budget.left();
            self.summary.bounded_only = step == Step::SummaryShortly;
            self.recursion.in_parts = step == Step::RecursionInParts;
            in_parts |= self.recursion.in_parts;
            let (engine, time): (&mut dyn Engine, Effort) = match step {
                Step::Testing(effort) => (&mut Testing { effort }, left),
                Step::FlatShortly => (&mut self.flat, SHORTLY.min(left)),
                Step::Recursion => (&mut self.recursion, left * 3 / 4),
                Step::RecursionInParts if found => (&mut self.recursion, SHORTLY.min(left)),
                Step::RecursionInParts => (&mut self.recursion, left / 4),
                Step::Termination if found => (&mut self.termination, (left / 4).min(SHORTLY / 2)),
                Step::Termination => (&mut self.termination, (left / 4).min(ENDING)),
                Step::SummaryShortly => (&mut self.summary, FEW_PATHS.min(left / 4)),
                Step::Summary if found && wanted => (&mut self.summary, SHORTLY.min(left)),
                Step::Summary if found && self.calling.contains(&pair) => {
                    (&mut self.summary, FOR_CALLERS.min(left))
                }
                Step::Summary if found => (&mut self.summary, FOR_CALLERS_OF_LEAVES.min(left)),
                Step::Summary => (&mut self.summary, left / 2),
                Step::Flat => (&mut self.flat, left * 3 / 4),
            };
            let start = Instant::now();
            let task = Task {
                comparison: &self.comparison,
                pair,
                judgement: &judged.judgement,
                judgements,
            };
            let findings = process::sound(&task, engine.run(&task, &budget.at_most(time)));
            let name = engine.name().to_owned();
            let outcome = outcome(&findings);
            let hopeless = findings.hopeless;
            let news = !(findings.additions.is_empty() && findings.candidates.is_empty());
            if step == Step::FlatShortly {
                flat_wants_more = findings.stopped == Some(StopReason::Time);
            }
            if step == Step::Summary {
                paths_left = findings.stopped.is_some();
            }
            match take(&mut judged, findings) {
                // That testing found nothing explains less than why a proof failed, and so does termination.
                Ok(reason) if hopeless => stopped = reason,
                Ok(reason) if name == "testing" || step == Step::Termination => {
                    stopped = stopped.or(reason);
                }
                Ok(reason) => {
                    stopped = match (stopped, reason) {
                        (Some(before), Some(now)) => Some(now.graver(before)),
                        (before, now) => now.or(before),
                    };
                }
                Err(reason) => stopped = Some(reason),
            }
            judged.engines.push(EngineRun { name, ms: milliseconds(start), outcome });
            if hopeless || matches!(stopped, Some(StopReason::Internal { .. })) {
                break;
            }
            if news {
                so_far(&judged);
            }
        }
        judged.stopped = stopped;
        judged.clock_expired = deadline.was_noticed();
        judged.interim = false;
        judged
    }
}

/// The pairs that are called by another one of the comparison, in either version, and those that call one.
fn calls(comparison: &Comparison) -> [BTreeSet<PairId>; 2] {
    let (mut called, mut calling) = (BTreeSet::new(), BTreeSet::new());
    for side in Side::BOTH {
        let graph = CallGraph::of(comparison.program(side));
        for pair in comparison.pair_ids() {
            let caller = comparison.pair(pair).of(side);
            let others = graph.callees(caller).iter().filter(|id| **id != caller);
            for callee in others.filter_map(|id| comparison.pair_of(side, *id)) {
                called.insert(callee);
                calling.insert(pair);
            }
        }
    }
    [called, calling]
}

/// The pairs that call themselves, directly or not, in either version.
fn recursive(comparison: &Comparison) -> BTreeSet<PairId> {
    let mut recursive = BTreeSet::new();
    for side in Side::BOTH {
        let graph = CallGraph::of(comparison.program(side));
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
fn take(judged: &mut Judged, findings: Findings) -> Result<Option<StopReason>, StopReason> {
    judged.judgement.common_run |= findings.common_run;
    for addition in findings.additions {
        judged
            .judgement
            .add(addition)
            .map_err(|contradiction| StopReason::internal(contradiction.to_string()))?;
    }
    judged.candidates.extend(findings.candidates);
    Ok(findings.stopped)
}

/// The global allocator of a program that serves jobs, and what makes it end with an exit code of its own when memory
/// runs out.
pub use verdiff_logic::exit::{Allocator, exit_when_exhausted};

/// Serves jobs until the input ends: what `verdiff worker` does.
pub fn serve(input: impl BufRead, mut output: impl Write) -> io::Result<()> {
    let mut worker: Option<Worker> = None;
    for line in input.lines() {
        let line = line?;
        if line.trim().is_empty() {
            continue;
        }
        // Reading a large program is part of the time that a job may take.
        let begun = Instant::now();
        let mut job: Job = serde_json::from_str(&line)?;
        if let Some(comparison) = job.comparison.take() {
            worker = Some(Worker::new(comparison));
        }
        let timeout = Duration::from_millis(job.timeout_ms).saturating_sub(begun.elapsed());
        let judged = match &mut worker {
            Some(worker) if job.pair.index() < worker.comparison.pairs.len() => {
                let mut so_far = |judged: &Judged| {
                    // Whoever cannot be told now cannot be told in the end either, and that is seen there.
                    let _ = tell(&mut output, judged);
                };
                let allowed = Allowance { effort: job.effort, timeout };
                worker.judge(job.pair, job.judgement, &job.judgements, allowed, &mut so_far)
            }
            _ => {
                let reason = StopReason::internal("a job without its programs");
                Judged::nothing(job.pair, job.judgement, reason)
            }
        };
        tell(&mut output, &judged)?;
    }
    Ok(())
}

/// One line.
fn tell(output: &mut impl Write, judged: &Judged) -> io::Result<()> {
    serde_json::to_writer(&mut *output, judged)?;
    output.write_all(b"\n")?;
    output.flush()
}
