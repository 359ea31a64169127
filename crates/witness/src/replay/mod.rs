//! Replay: a predicted difference, run on both compiled programs.
//!
//! The interpreter says what each version does from an entry state; each version is compiled and run from
//! that very state, and what it did is compared with what was said. Only if both did as they
//! should, and if what was seen of them differs, is the difference confirmed. docs/internals/replay.md says
//! what is compared and what is not.
//!
//! Architecture invariant: nothing here decides what is worth replaying, and nothing is believed that a compiled
//! run did not show.

mod hang;
mod level;
mod observation;
mod observed;
mod ready;
mod script;
mod side;
mod test_case;

use crate::agree::Maker;
use crate::compare::observed_difference;
use crate::compiled::Toolchain;
use level::Level;
use side::Half;
use std::time::Duration;
use verdiff_judge::{ReplayIssue, ReplayProblem, Side as Version};
use verdiff_model::generate::shrink;
use verdiff_model::interp::{Limits, Machine};
use verdiff_model::state::{self, Difference, End, EntryState, Outcome, Run, StopReason};
use verdiff_model::{ProcId, Program, Trap};
use verdiff_process::Deadline;

pub use observed::{Ended, ExternalCall, Observed, Printed};
pub use ready::Ready;
pub use test_case::TestCase;

/// Statements that any run for a smaller input may take.
const SHORT: u64 = 10_000;

/// The flags with which compiled code means what the model means, for whoever compiles a test.
const MEANING_FLAGS: [&str; 5] = [
    "-fwrapv",
    "-fno-strict-aliasing",
    "-fno-delete-null-pointer-checks",
    "-ffp-contract=off",
    "-fno-finite-loops",
];

/// One version.
#[derive(Clone, Copy)]
pub struct Side<'a> {
    /// The program that requests speak of.
    pub program: &'a Program,
    /// Compiles it.
    pub make: Maker<'a>,
}

/// What to run: for each side a procedure and the state it starts from, in the numbers of that side's program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Request {
    /// Of the old version.
    pub old: (ProcId, EntryState),
    /// Of the new version.
    pub new: (ProcId, EntryState),
}

/// What came of a request.
#[derive(Clone, Debug)]
pub struct Replayed {
    /// Whether the difference is one.
    pub status: Status,
    /// What the old version did.
    pub old: Observed,
    /// What the new version did.
    pub new: Observed,
    /// What external functions were made to answer.
    pub externals: Vec<ExternalCall>,
    /// The difference: the one that the compiled runs showed if it is confirmed, else the predicted one.
    pub difference: Option<Difference>,
    /// Where nobody could predict what the versions do and both were observed: what the old and the new version did. It
    /// takes the place of what the interpreter says, and nothing else that an engine said about this state is
    /// confirmed.
    pub unpredicted: Option<[Outcome; 2]>,
}

/// Whether a predicted difference is one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Status {
    /// Both compiled programs did what was predicted, and it differs.
    Confirmed,
    /// The same, with external functions that answered what the model chose, or allocations that failed where it chose.
    ConfirmedWithStubs,
    /// A compiled program did something else: the model is wrong.
    Refuted {
        /// What it did.
        why: ReplayIssue,
    },
    /// Nothing is known.
    NotRun {
        /// Why.
        why: ReplayIssue,
    },
}

impl Status {
    /// Whether it is a difference.
    pub fn is_confirmed(&self) -> bool {
        matches!(self, Status::Confirmed | Status::ConfirmedWithStubs)
    }

    /// As reports have it.
    pub fn name(&self) -> &'static str {
        match self {
            Status::Confirmed => "confirmed",
            Status::ConfirmedWithStubs => "confirmed-with-stubs",
            Status::Refuted { .. } => "refuted",
            Status::NotRun { .. } => "not-run",
        }
    }
}

/// How far a replay may go.
#[derive(Clone, Debug)]
pub struct ReplayOptions {
    /// How long each compiled run may compute.
    pub time: Duration,
    /// How far the interpreter may go.
    pub limits: Limits,
    /// At how many other places a run that agrees is repeated, to see that it does not depend on addresses.
    pub places: u32,
}

impl Default for ReplayOptions {
    fn default() -> ReplayOptions {
        // Versions may differ at depth 10,000 alone; what the stack of a process holds is interpreted, too. Twenty levels of calls, each of which calls the
        // next one twice, are some ten million steps.
        let limits =
            Limits { steps: 24_000_000, depth: 200_000, memory: 64 << 20, objects: 1 << 16 };
        ReplayOptions { time: Duration::from_secs(1), limits, places: 3 }
    }
}

/// Runs requests. Each version is compiled when it is first needed, once for each instrument, and
/// its process goes on to serve the next request.
pub struct Replayer<'a> {
    old: Half<'a>,
    new: Half<'a>,
    level: Level<'a>,
    options: ReplayOptions,
    deadline: Deadline,
}

impl<'a> Replayer<'a> {
    /// A replayer for two versions.
    pub fn new(
        toolchain: &'a Toolchain,
        old: Side<'a>,
        new: Side<'a>,
        options: ReplayOptions,
    ) -> Replayer<'a> {
        Replayer::with_ready(toolchain, (old, Ready::default()), (new, Ready::default()), options)
    }

    /// A replayer for two versions of which something is ready.
    pub fn with_ready(
        toolchain: &'a Toolchain,
        (old, ready_old): (Side<'a>, Ready),
        (new, ready_new): (Side<'a>, Ready),
        options: ReplayOptions,
    ) -> Replayer<'a> {
        Replayer {
            old: Half::new(toolchain, old, Version::Old, ready_old),
            new: Half::new(toolchain, new, Version::New, ready_new),
            level: Level::new(old.program, new.program),
            options,
            deadline: Deadline::NEVER,
        }
    }

    /// From now on requests have until then: what is compiled or run for them is ended, and they are not run. What was made stays for
    /// others; what failed for want of time is tried again for them.
    pub fn until(&mut self, deadline: Deadline) {
        self.deadline = deadline;
        (self.old.deadline, self.new.deadline) = (deadline, deadline);
    }

    /// Predicts what both sides do, and runs them.
    pub fn replay(&mut self, request: &Request) -> Replayed {
        if self.deadline.is_over() {
            return Replayed::not_run(ReplayProblem::Late.into());
        }
        self.prepare();
        let request = match self.levelled(request) {
            Ok(request) => request,
            Err(why) => return Replayed::not_run(why.into()),
        };
        let predicted = self
            .old
            .predict(&request.old, &self.options)
            .and_then(|old| Ok((old, self.new.predict(&request.new, &self.options)?)));
        match predicted {
            Ok((old, new)) => {
                let mut replayed = self.replay_predicted(&request, &old, &new);
                if request.old.1.outside.beyond.is_some() {
                    replayed.status = self.beyond_ends(&request, replayed.status);
                }
                match observation::leaves_open(&replayed.status) {
                    true => self.observe(&request).unwrap_or_else(|| self.unseen(replayed)),
                    false => replayed,
                }
            }
            Err(why) => Replayed::not_run(why),
        }
    }

    /// What came of a request whose runs go on where they read a word past the end of an object: nothing, if what they do depends on what
    /// lies there. The model says nothing of such runs, so nothing refutes it either.
    fn beyond_ends(&mut self, request: &Request, status: Status) -> Status {
        let undefined = Status::NotRun { why: ReplayProblem::Undefined.into() };
        match status {
            Status::Confirmed | Status::ConfirmedWithStubs => {
                let same = self.old.is_whatever_lies_beyond(&request.old, &self.options)
                    && self.new.is_whatever_lies_beyond(&request.new, &self.options);
                if same { status } else { undefined }
            }
            Status::Refuted { .. } => undefined,
            Status::NotRun { .. } => status,
        }
    }

    /// A difference that was not seen; if the clock is why, another run may see it, and the report must say so.
    fn unseen(&self, replayed: Replayed) -> Replayed {
        let still_running = [&self.old, &self.new].into_iter().find(|half| half.still_running);
        match still_running {
            _ if self.deadline.is_over() => Replayed::not_run(ReplayProblem::Late.into()),
            Some(half) => Replayed::not_run(ReplayProblem::StillRunning.of(half.version)),
            None => replayed,
        }
    }

    fn prepare(&mut self) {
        // Both at once: compiling is most of the work.
        let (old, new, options) = (&mut self.old, &mut self.new, &self.options);
        std::thread::scope(|scope| {
            scope.spawn(|| old.prepare(options));
            new.prepare(options);
        });
    }

    /// A smaller request with the same kind of difference, by the interpreter alone, which runs each side
    /// at most `budget` times. The new side's state must be the old side's, translated; if it is
    /// not, the request is given back as it is.
    pub fn minimise(&mut self, request: &Request, budget: u32) -> Request {
        self.smaller(request, budget).unwrap_or_else(|| request.clone())
    }

    /// Replays the smaller request; if that is not confirmed, the request itself. Gives back which it was.
    pub fn replay_small(&mut self, request: &Request, budget: u32) -> (Request, Replayed) {
        if self.deadline.is_over() {
            return (request.clone(), Replayed::not_run(ReplayProblem::Late.into()));
        }
        let small = self.minimise(request, budget);
        let replayed = self.replay(&small);
        if replayed.status.is_confirmed() || small == *request {
            return (small, replayed);
        }
        (request.clone(), self.replay(request))
    }

    fn smaller(&mut self, request: &Request, budget: u32) -> Option<Request> {
        self.prepare();
        let (old, new) = (self.old.own_program(), self.new.own_program());
        let frame = self.old.frame(request.old.0).ok()?;
        let level = &self.level;
        let (mut first, mut second) = (Machine::new(old), Machine::new(new));
        // Half of the time is kept for running what was found.
        let most = self.deadline.left().map_or(Deadline::NEVER, |left| Deadline::after(left / 2));
        let both = |entry: &EntryState| {
            let other = level.translated(entry)?;
            let both = Request { old: (request.old.0, entry.clone()), new: (request.new.0, other) };
            level.request(&both).ok()
        };
        // It must be the same state on both sides, or the smaller one would be another difference.
        if level.translated(&request.old.1)? != request.new.1 {
            return None;
        }
        let mut differ = |entry: &EntryState, limits: &Limits| {
            let Request { old: (a, entry), new: (b, other) } = both(entry)?;
            let left = first.run(a, &entry, limits);
            let right = second.run(b, &other, limits);
            if !entry.outside.fails_alike(first.allocations(), second.allocations()) {
                return None;
            }
            let difference = state::compare(
                Run { program: old, entry: &entry, outcome: &left },
                Run { program: new, entry: &other, outcome: &right },
            );
            Some((difference?, [trap(&left), trap(&right)], left.steps.max(right.steps)))
        };
        let (kind, traps, steps) = differ(&request.old.1, &self.options.limits)?;
        // Of runs that the interpreter cannot follow, one is like any other.
        if kind == Difference::Inconclusive {
            return None;
        }
        // A smaller input whose runs are much longer is none. Without a limit, an input for which a loop never ends costs more than
        // all others together.
        let limits = Limits { steps: steps.saturating_mul(4).max(SHORT), ..self.options.limits };
        // A null pointer is no simpler input if both versions trap there and did not before.
        let mut still = |entry: &EntryState| {
            let same = |(found, ends, _): (Difference, _, _)| {
                shrink::alike(&kind, &found) && ends == traps
            };
            !most.is_over() && differ(entry, &limits).is_some_and(same)
        };
        let least =
            shrink::minimise(old, request.old.0, &frame, &request.old.1, &mut still, budget);
        let other = level.translated(&least)?;
        Some(Request { old: (request.old.0, least), new: (request.new.0, other) })
    }

    /// The request with both sides starting from the same state.
    fn levelled(&self, request: &Request) -> Result<Request, ReplayProblem> {
        self.level.request(request)
    }

    /// Runs both sides against predictions that the caller made, in the numbers of the compiled
    /// programs (which are those of [`Side::program`] if it was compiled from the same source).
    pub fn replay_predicted(
        &mut self,
        request: &Request,
        old: &Outcome,
        new: &Outcome,
    ) -> Replayed {
        let mut replayed = Replayed::not_run(ReplayProblem::NothingCompared.into());
        replayed.status = match self.confirm(request, (old, new), &mut replayed) {
            Ok(status) | Err(status) => status,
        };
        replayed
    }

    fn confirm(
        &mut self,
        request: &Request,
        (old, new): (&Outcome, &Outcome),
        replayed: &mut Replayed,
    ) -> Result<Status, Status> {
        let not_run = |why: ReplayIssue| Status::NotRun { why };
        let problem = |what: ReplayProblem| Status::NotRun { why: what.into() };
        let request = &self.levelled(request).map_err(problem)?;
        let old_state = self.old.translated(&request.old).map_err(not_run)?;
        let new_state = self.new.translated(&request.new).map_err(not_run)?;
        let predicted = state::compare(
            Run {
                program: self.old.program().map_err(not_run)?,
                entry: &old_state.1,
                outcome: old,
            },
            Run {
                program: self.new.program().map_err(not_run)?,
                entry: &new_state.1,
                outcome: new,
            },
        );
        replayed.difference.clone_from(&predicted);
        match predicted {
            None => return Err(problem(ReplayProblem::NoDifference)),
            Some(Difference::Inconclusive) => return Err(not_run(inconclusive(old, new))),
            Some(_) => {}
        }
        let mut fails = false;
        if !old_state.1.outside.failures.is_empty() {
            let of_old = self.old.allocations(&old_state, &self.options).map_err(not_run)?;
            let of_new = self.new.allocations(&new_state, &self.options).map_err(not_run)?;
            let outside = &old_state.1.outside;
            if !outside.fails_alike(&of_old, &of_new) {
                return Err(problem(ReplayProblem::OneSidedFailure));
            }
            let made = of_old.len().max(of_new.len());
            fails = outside.failures.iter().any(|number| (*number as usize) < made);
        }
        let (of_old, of_new, options) = (&mut self.old, &mut self.new, &self.options);
        let (old_run, new_run) = std::thread::scope(|scope| {
            let other = scope.spawn(|| of_old.run(&old_state, old, options));
            let run = of_new.run(&new_state, new, options);
            let failed = |_| Err(not_run(ReplayProblem::RunnerFailed.of(Version::Old)));
            (other.join().unwrap_or_else(failed), run)
        });
        for (run, seen) in [(&old_run, &mut replayed.old), (&new_run, &mut replayed.new)] {
            if let Ok(run) = run {
                seen.clone_from(&run.observed);
            }
        }
        // What refutes the model weighs more than what could not be run.
        let (old_run, new_run) = match (old_run, new_run) {
            (Ok(old), Ok(new)) => (old, new),
            (Err(refuted @ Status::Refuted { .. }), _)
            | (_, Err(refuted @ Status::Refuted { .. })) => {
                return Err(refuted);
            }
            (Err(status), _) | (_, Err(status)) => return Err(status),
        };
        let shown = observed_difference(
            self.old.shown(&old_run).map_err(not_run)?,
            self.new.shown(&new_run).map_err(not_run)?,
        );
        let Some(shown) = shown else {
            let told = replayed.difference.as_ref().map(ToString::to_string).unwrap_or_default();
            return Err(problem(ReplayProblem::NotShown(told)));
        };
        replayed.difference = Some(shown);
        replayed.externals = observed::external_calls(
            (self.old.program().map_err(not_run)?, old),
            (self.new.program().map_err(not_run)?, new),
        );
        // An allocation that fails is an answer that the model chose, too.
        let stubs = fails || old_run.stubs || new_run.stubs;
        Ok(if stubs { Status::ConfirmedWithStubs } else { Status::Confirmed })
    }
}

impl Replayed {
    fn not_run(why: ReplayIssue) -> Replayed {
        Replayed {
            status: Status::NotRun { why },
            old: Observed::default(),
            new: Observed::default(),
            externals: vec![],
            difference: None,
            unpredicted: None,
        }
    }
}

/// The trap that a run ended with.
fn trap(outcome: &Outcome) -> Option<Trap> {
    match outcome.end {
        End::Trapped { trap, .. } => Some(trap),
        _ => None,
    }
}

fn inconclusive(old: &Outcome, new: &Outcome) -> ReplayIssue {
    let tell = |side: Version, outcome: &Outcome| match &outcome.end {
        End::OutOfSteps => Some(ReplayProblem::OutOfSteps.of(side)),
        End::Stopped(StopReason::Unsupported(_)) => Some(ReplayProblem::UnsupportedCallee.of(side)),
        End::Stopped(why) => Some(ReplayProblem::Uninterpreted(why.to_string()).of(side)),
        _ => None,
    };
    let known = tell(Version::Old, old).or_else(|| tell(Version::New, new));
    known.unwrap_or_else(|| ReplayProblem::NothingCompared.into())
}
