//! One version of a replay: its builds, its processes, and one run of it.

use super::observed::{Observed, observed};
use super::ready::{PLAIN, Ready};
use super::script::script;
use super::{ReplayOptions, Side, Status};
use crate::agree::{self, Build};
use crate::compare::{self, Modelled, ObservedOutcome, ObservedSide, Skip, Verdict};
use crate::compiled::{
    Addresses, CompiledEnd, CompiledError, CompiledOutcome, CompiledProgram, Instrument, Job,
    Toolchain, outside,
};
use crate::translate::Translation;
use std::time::Duration;
use verdiff_judge::{
    Disagreement, PredictedEnd, ReplayIssue, ReplayProblem, RunEnd, Side as Version,
};
use verdiff_model::interp::Machine;
use verdiff_model::state::{self, End, EntryState, Outcome, Run, layout};
use verdiff_model::{Frame, ProcId, Program, Trap};
use verdiff_process::Deadline;

/// What may lie behind the end of an object besides zeros: nothing in common with each other, bit by bit.
const BEYOND: [u8; 3] = [0xff, 0x5a, 0xa5];

/// At how many other places a run is repeated that may depend on a single bit of an address.
const MANY_PLACES: u32 = 16;

/// A version with what was compiled of it so far.
pub(super) struct Half<'a> {
    toolchain: &'a Toolchain,
    side: Side<'a>,
    pub(super) version: Version,
    ready: Ready,
    /// Until when all that is done for it may take.
    pub(super) deadline: Deadline,
    /// Whether a run that was only observed was still running at its time limit.
    pub(super) still_running: bool,
}

/// A run that did what was predicted.
pub(super) struct SideRun {
    /// Which build ran; what was seen is in the numbers of its program.
    pub(super) instrument: Instrument,
    /// From which state.
    pub(super) entry: EntryState,
    pub(super) shown: ObservedOutcome,
    pub(super) observed: Observed,
    /// What it left behind.
    left: CompiledOutcome,
    /// How it ended.
    pub(super) ended: RunEnd,
    /// Whether external functions were made to answer.
    pub(super) stubs: bool,
}

impl<'a> Half<'a> {
    pub(super) fn new(
        toolchain: &'a Toolchain,
        side: Side<'a>,
        version: Version,
        ready: Ready,
    ) -> Half<'a> {
        Half { toolchain, side, version, ready, deadline: Deadline::NEVER, still_running: false }
    }

    /// Compiles what every request needs, if that was not done.
    pub(super) fn prepare(&mut self, options: &ReplayOptions) {
        if !self.ready.was_tried() {
            let (places, deadline) = (options.places, self.deadline);
            self.ready = Ready::plain(self.toolchain, self.side.make, places, deadline);
        }
    }

    pub(super) fn build(&mut self, instrument: Instrument) -> Result<&Build, ReplayIssue> {
        let version = self.version;
        let deadline = self.deadline;
        let made = self.ready.build(instrument, self.side.make, deadline);
        made.map_err(|why| match deadline.is_over() {
            true => ReplayProblem::Late.into(),
            false => ReplayProblem::Compile(Some(why)).of(version),
        })
    }

    /// The compiled program with its build.
    pub(super) fn compiled(
        &mut self,
        instrument: Instrument,
        place: u32,
    ) -> Result<(&Build, &mut CompiledProgram), ReplayIssue> {
        self.build(instrument)?;
        let (version, deadline) = (self.version, self.deadline);
        match self.ready.program(self.toolchain, instrument, place, deadline) {
            Some((build, Ok(program))) => Ok((build, program)),
            Some((_, Err(_))) if deadline.is_over() => Err(ReplayProblem::Late.into()),
            Some((_, Err(why))) => Err(ReplayProblem::Start(why).of(version)),
            None => Err(ReplayProblem::Compile(None).of(version)),
        }
    }

    /// The program as it was compiled.
    pub(super) fn program(&self) -> Result<&Program, ReplayIssue> {
        self.program_for(PLAIN)
    }

    /// The program as it was compiled for an instrument.
    pub(super) fn program_for(&self, instrument: Instrument) -> Result<&Program, ReplayIssue> {
        let build = self.ready.built(instrument);
        build
            .map(|build| &*build.program)
            .ok_or_else(|| ReplayProblem::Compile(None).of(self.version))
    }

    /// The program that requests speak of.
    pub(super) fn own_program(&self) -> &'a Program {
        self.side.program
    }

    /// How a procedure of that program is called.
    pub(super) fn frame(&mut self, procedure: ProcId) -> Result<Frame, ReplayIssue> {
        let version = self.version;
        let from = self.side.program;
        let build = self.build(PLAIN)?;
        let there = Translation::new(from, &build.program).procedure(procedure);
        let frame = there.and_then(|id| build.frames.get(id.index()));
        frame.cloned().ok_or_else(|| ReplayProblem::NotThere.of(version))
    }

    /// A run with the program it is of.
    pub(super) fn shown<'b>(&'b self, run: &'b SideRun) -> Result<ObservedSide<'b>, ReplayIssue> {
        let program = self.program_for(run.instrument)?;
        Ok(ObservedSide {
            program,
            entry: &run.entry,
            shown: &run.shown,
            ended: &run.ended,
            left: &run.left,
        })
    }

    /// A request in the numbers of the compiled program.
    pub(super) fn translated(
        &mut self,
        (procedure, entry): &(ProcId, EntryState),
    ) -> Result<(ProcId, EntryState), ReplayIssue> {
        let from = self.side.program;
        let version = self.version;
        let to = &self.build(PLAIN)?.program;
        let translation = Translation::new(from, to);
        let mut entry = entry.clone();
        // What the library has in its own data is not for a witness to choose.
        entry.globals.retain(|(id, _)| {
            from.globals.get(id.index()).is_none_or(|global| !outside::is_of_the_library(global))
        });
        match (translation.procedure(*procedure), translation.entry(&entry)) {
            (Some(procedure), Some(entry)) => Ok((procedure, entry)),
            _ => Err(ReplayProblem::NotThere.of(version)),
        }
    }

    /// What the interpreter says.
    pub(super) fn predict(
        &mut self,
        request: &(ProcId, EntryState),
        options: &ReplayOptions,
    ) -> Result<Outcome, ReplayIssue> {
        let (procedure, entry) = self.translated(request)?;
        Ok(Machine::new(self.program()?).run(procedure, &entry, &options.limits))
    }

    /// Whether the interpreter says the same whatever lies behind the ends of objects: what is read there is masked.
    pub(super) fn is_whatever_lies_beyond(
        &mut self,
        request: &(ProcId, EntryState),
        options: &ReplayOptions,
    ) -> bool {
        let mut same = || -> Result<bool, ReplayIssue> {
            let (procedure, entry) = self.translated(request)?;
            let program = self.program()?;
            let mut machine = Machine::new(program);
            let mut run = |byte: u8| {
                let mut entry = entry.clone();
                entry.outside.beyond = Some(byte);
                machine.run(procedure, &entry, &options.limits)
            };
            let first = run(0);
            let mut others = BEYOND.into_iter().map(&mut run);
            Ok(others.all(|other| {
                let run = |outcome| Run { program, entry: &entry, outcome };
                state::compare(run(&first), run(&other)).is_none()
            }))
        };
        same().unwrap_or(false)
    }

    /// What each allocation asks for, as the interpreter has it; of a state in the compiled program's numbers.
    pub(super) fn allocations(
        &self,
        (procedure, entry): &(ProcId, EntryState),
        options: &ReplayOptions,
    ) -> Result<Vec<u64>, ReplayIssue> {
        let mut machine = Machine::new(self.program()?);
        machine.run(*procedure, entry, &options.limits);
        Ok(machine.allocations().to_vec())
    }

    /// Runs the compiled program, and compares with the prediction.
    pub(super) fn run(
        &mut self,
        state: &(ProcId, EntryState),
        predicted: &Outcome,
        options: &ReplayOptions,
    ) -> Result<SideRun, Status> {
        let hidden = match &predicted.end {
            End::Trapped { trap, .. } if !compare::is_visible(*trap) => Some(*trap),
            _ => None,
        };
        let instrument = match hidden.map(|trap| (trap, agree::who_sees(trap))) {
            None => PLAIN,
            Some((_, Some(instrument))) => instrument,
            Some((trap, None)) => return Err(self.not_run(ReplayProblem::HiddenTrap(trap))),
        };
        let tried = self.attempt(instrument, 0, state, predicted, options)?;
        let run = match tried {
            Attempt::Agreed(run) => *run,
            Attempt::Skipped(why) => return Err(self.not_run(why)),
            Attempt::Disagreed { why, went_on } => {
                return Err(self.explain((why, went_on), instrument, state, predicted, options));
            }
        };
        if instrument != PLAIN {
            return Ok(run);
        }
        for place in 1..=self.places(state.0, options) {
            match self.attempt(PLAIN, place, state, predicted, options)? {
                Attempt::Agreed(_) => {}
                _ => return Err(self.depends_on_addresses()),
            }
        }
        Ok(run)
    }

    /// Runs the compiled program from a state from which it should not end. Gives back whether external
    /// functions were made to answer.
    pub(super) fn still_runs(
        &mut self,
        (procedure, entry): &(ProcId, EntryState),
        so_far: &Outcome,
        time: Duration,
    ) -> Result<bool, Status> {
        let not_run = |why: ReplayIssue| Status::NotRun { why };
        let (version, deadline) = (self.version, self.deadline);
        let problem = |what: ReplayProblem| Status::NotRun { why: what.of(version) };
        let (build, compiled) = self.compiled(PLAIN, 0).map_err(not_run)?;
        let (program, real) = (&build.program, &build.real);
        let procedure = *procedure;
        let modelled = Modelled { program, procedure, real, entry, outcome: so_far };
        let script = script(&modelled, build, compiled.addresses()).map_err(problem)?;
        let stubs = !script.is_empty();
        let job = Job { procedure, entry: entry.clone(), script, time };
        // That it was ended by the deadline says nothing, and is an error.
        let outcomes = compiled.run_until(std::slice::from_ref(&job), deadline);
        let failed = |why: CompiledError| match why {
            CompiledError::TimedOut => not_run(ReplayProblem::Late.into()),
            why => problem(ReplayProblem::RunFailed(why.to_string())),
        };
        match outcomes.map_err(failed)?.into_iter().next().map(|o| o.end) {
            Some(CompiledEnd::TimedOut) => Ok(stubs),
            Some(end @ (CompiledEnd::Returned | CompiledEnd::Exited(_))) => {
                let what = ReplayProblem::Terminated(run_end(&end));
                Err(Status::Refuted { why: what.of(version) })
            }
            // It may have run out of stack or memory, or of what the stubs had to say.
            Some(end) => Err(problem(ReplayProblem::CutOff(run_end(&end)))),
            None => Err(problem(ReplayProblem::NoAnswer)),
        }
    }

    /// Why a plain run disagreed: it depends on where things lie, it rests on what C leaves
    /// undefined, it does what the model leaves open, the compiler saw no use in what traps; or
    /// the model is wrong.
    fn explain(
        &mut self,
        (why, went_on): (Disagreement, bool),
        instrument: Instrument,
        state: &(ProcId, EntryState),
        predicted: &Outcome,
        options: &ReplayOptions,
    ) -> Status {
        let mut look = || -> Result<Status, Status> {
            if instrument != PLAIN {
                return Ok(self.not_run(ReplayProblem::Disagreed(why.clone())));
            }
            // One bit of an address may decide, and this must not be taken for an error of the model: many places.
            for place in 1..=options.places.max(MANY_PLACES) {
                match self.attempt(PLAIN, place, state, predicted, options)? {
                    Attempt::Disagreed { why: there, .. } if there == why => {}
                    _ => return Ok(self.depends_on_addresses()),
                }
            }
            let made = Instrument::Nothing;
            if let Attempt::Agreed(_) = self.attempt(made, 0, state, predicted, options)? {
                return Ok(self.not_run(ReplayProblem::Undefined));
            }
            if agree::with_open_operations(self.program().map_err(|why| Status::NotRun { why })?)
                .get(state.0.index())
                .is_none_or(|open| *open)
            {
                return Ok(self.not_run(ReplayProblem::MaybeOpen(why.clone())));
            }
            if let (End::Trapped { trap, .. }, true) = (&predicted.end, went_on)
                && is_removed(*trap)
            {
                return Ok(self.not_run(ReplayProblem::TrapRemoved(why.clone())));
            }
            Ok(Status::Refuted { why: ReplayProblem::Disagreed(why.clone()).of(self.version) })
        };
        look().unwrap_or_else(|status| status)
    }

    fn not_run(&self, what: ReplayProblem) -> Status {
        Status::NotRun { why: what.of(self.version) }
    }

    /// At how many other places a run is repeated. A procedure that takes addresses for numbers may do what a single bit of one says, and
    /// three places have the same bit once in eight times.
    pub(super) fn places(&self, procedure: ProcId, options: &ReplayOptions) -> u32 {
        let takes_numbers = self.program().is_ok_and(|program| {
            agree::with_numbers_of_addresses(program)
                .get(procedure.index())
                .is_none_or(|takes_numbers| *takes_numbers)
        });
        if takes_numbers { options.places.max(MANY_PLACES) } else { options.places }
    }

    fn depends_on_addresses(&self) -> Status {
        self.not_run(ReplayProblem::DependsOnAddresses)
    }

    fn attempt(
        &mut self,
        instrument: Instrument,
        place: u32,
        state: &(ProcId, EntryState),
        predicted: &Outcome,
        options: &ReplayOptions,
    ) -> Result<Attempt, Status> {
        let not_run = |why: ReplayIssue| Status::NotRun { why };
        if self.deadline.is_over() {
            return Err(not_run(ReplayProblem::Late.into()));
        }
        self.build(PLAIN).map_err(not_run)?;
        let (version, deadline) = (self.version, self.deadline);
        let translated = match instrument {
            // Both come from the same bitcode.
            PLAIN | Instrument::Nothing => Some((state.clone(), predicted.clone())),
            // Only traps are looked for with a sanitizer.
            _ => {
                let to = self.build(instrument).map_err(not_run)?.program.clone();
                let translation = Translation::new(self.program().map_err(not_run)?, &to);
                let state = translation.procedure(state.0).zip(translation.entry(&state.1));
                state.zip(translation.trapped(predicted))
            }
        };
        let Some(((procedure, entry), outcome)) = translated else {
            return Err(not_run(ReplayProblem::OtherWhenSanitized.of(version)));
        };
        let (build, compiled) = self.compiled(instrument, place).map_err(not_run)?;
        let modelled = Modelled {
            program: &build.program,
            procedure,
            real: &build.real,
            entry: &entry,
            outcome: &outcome,
        };
        let script = match script(&modelled, build, compiled.addresses()) {
            Ok(script) => script,
            Err(why) => return Ok(Attempt::Skipped(why)),
        };
        let stubs = !script.is_empty();
        let job = Job { procedure, entry: entry.clone(), script, time: options.time };
        let frame = &build.frames[procedure.index()];
        let outcomes = compiled.run_until(std::slice::from_ref(&job), deadline);
        let compiled_outcome = match outcomes {
            Ok(mut outcomes) if !outcomes.is_empty() => outcomes.remove(0),
            Ok(_) => return Ok(Attempt::Skipped(ReplayProblem::NoAnswer)),
            Err(CompiledError::TimedOut) => return Err(not_run(ReplayProblem::Late.into())),
            Err(why) => return Ok(Attempt::Skipped(ReplayProblem::RunFailed(why.to_string()))),
        };
        let addresses = compiled.addresses();
        let found = judge(modelled, build, frame, addresses, &compiled_outcome);
        Ok(match found {
            Ok((shown, ended)) => {
                let observed = observed(&build.program, &shown, &ended);
                Attempt::Agreed(Box::new(SideRun {
                    instrument,
                    entry,
                    shown,
                    observed,
                    left: compiled_outcome,
                    ended,
                    stubs,
                }))
            }
            Err(Verdict::Skipped(skip)) => Attempt::Skipped(problem(skip)),
            Err(Verdict::Disagree(why)) => {
                let went_on = matches!(
                    compiled_outcome.end,
                    CompiledEnd::Returned | CompiledEnd::Exited(_) | CompiledEnd::LeftThrough(_)
                );
                Attempt::Disagreed { why, went_on }
            }
            Err(Verdict::Agree) => Attempt::Skipped(ReplayProblem::NothingCompared),
        })
    }
}

/// What came of one run.
enum Attempt {
    Agreed(Box<SideRun>),
    Disagreed {
        why: Disagreement,
        /// Whether it ended without a fault.
        went_on: bool,
    },
    Skipped(ReplayProblem),
}

/// Whether a compiler may leave out the operation that traps: one whose result it does not need (a dead load) or knows
/// without it (`x / x`).
fn is_removed(trap: Trap) -> bool {
    matches!(trap, Trap::DivisionByZero | Trap::DivisionOverflow | Trap::NullAccess)
}

/// Compares one compiled run with its prediction; with what was seen comes how it ended.
fn judge(
    modelled: Modelled<'_>,
    build: &Build,
    frame: &Frame,
    addresses: &Addresses,
    compiled: &CompiledOutcome,
) -> Result<(ObservedOutcome, RunEnd), Verdict> {
    match &compiled.end {
        CompiledEnd::TimedOut => return Err(Verdict::Skipped(Skip::TimedOut)),
        CompiledEnd::OutOfHeap => return Err(Verdict::Skipped(Skip::Limit)),
        CompiledEnd::Refused(_) => return Err(Verdict::Skipped(Skip::Refused)),
        _ => {}
    }
    let ended = run_end(&compiled.end);
    let fits = match &modelled.outcome.end {
        End::Trapped { trap, .. } if !compare::is_visible(*trap) => seen(*trap, &compiled.end),
        // Every fault has that signal; the address says whether it was a null pointer.
        End::Trapped { trap: Trap::NullAccess, .. } => matches!(
            compiled.end,
            CompiledEnd::Signal { number: compare::SIGSEGV, address } if address < layout::NULL_LIMIT
        ),
        _ => compare::same_end(&modelled, compiled),
    };
    if !fits {
        let predicted = match &modelled.outcome.end {
            End::Trapped { trap, .. } => PredictedEnd::Trapped(*trap),
            End::Returned(_) => PredictedEnd::Returned,
            End::Exited(status) => PredictedEnd::Exited(*status),
            End::LeftThrough(name) => PredictedEnd::LeftThrough(name.clone()),
            End::OutOfSteps | End::Stopped(_) => PredictedEnd::GoesOn,
        };
        let observed = match &compiled.end {
            CompiledEnd::LeftThrough(id) => {
                RunEnd::Called(Some(modelled.program.external(*id).name.clone()))
            }
            _ => ended,
        };
        return Err(Verdict::Disagree(Disagreement::End { predicted, observed }));
    }
    let shown = compare::agreed(modelled, frame, &build.external_frames, addresses, compiled)?;
    Ok((shown, ended))
}

/// Whether a sanitizer's report is about the trap.
fn seen(trap: Trap, end: &CompiledEnd) -> bool {
    let words: &[&str] = match trap {
        Trap::OutOfBounds => {
            &["overflow", "underflow", "poison", "SEGV", "unknown-crash", "out-of-bounds", "scope"]
        }
        Trap::UseAfterFree => &["use-after", "SEGV", "unknown-crash"],
        Trap::Misaligned => &["misaligned"],
        Trap::Uninitialised => &["uninitialized"],
        Trap::ReadOnly => &["SEGV"],
        Trap::Unreachable => &["unreachable"],
        _ => &[],
    };
    match end {
        CompiledEnd::Reported(text) => words.iter().any(|word| text.contains(word)),
        CompiledEnd::Signal { number, .. } => {
            *number == compare::SIGSEGV && words.contains(&"SEGV")
        }
        _ => false,
    }
}

/// How a run ended; what looks the same from outside is the same.
fn run_end(end: &CompiledEnd) -> RunEnd {
    match end {
        CompiledEnd::Returned => RunEnd::Returned,
        CompiledEnd::Signal { number, .. } => RunEnd::Signal(*number),
        CompiledEnd::Exited(status) => RunEnd::Exited(*status),
        CompiledEnd::LeftThrough(_) => RunEnd::Called(None),
        CompiledEnd::TimedOut => RunEnd::TimedOut,
        CompiledEnd::BadFree => RunEnd::BadFree,
        // It says so before it aborts.
        CompiledEnd::AssertFailed => RunEnd::AssertFailed,
        CompiledEnd::Aborted => RunEnd::Signal(compare::SIGABRT),
        CompiledEnd::OutOfHeap => RunEnd::OutOfMemory,
        CompiledEnd::Reported(text) => {
            // The place in the text is an address; the kind of the error comes first.
            let kind = text.strip_prefix("SUMMARY: ").unwrap_or(text);
            if kind.contains(": SEGV") {
                return RunEnd::Signal(compare::SIGSEGV);
            }
            RunEnd::Reported(kind.split_whitespace().take(2).collect::<Vec<_>>().join(" "))
        }
        CompiledEnd::Refused(why) => RunEnd::Refused(why.clone()),
        CompiledEnd::Died => RunEnd::Died,
    }
}

fn problem(skip: Skip) -> ReplayProblem {
    match skip {
        Skip::OutOfSteps => ReplayProblem::OutOfSteps,
        Skip::TimedOut => ReplayProblem::StillRunning,
        Skip::Limit => ReplayProblem::TooLarge,
        Skip::Unsupported => ReplayProblem::UnsupportedCallee,
        Skip::External => ReplayProblem::External,
        Skip::Operation => ReplayProblem::OpenOperation,
        Skip::HiddenTrap | Skip::Unconfirmed => ReplayProblem::UnconfirmedTrap,
        Skip::Addresses => ReplayProblem::DependsOnAddresses,
        Skip::Refused => ReplayProblem::StateRefused,
    }
}
