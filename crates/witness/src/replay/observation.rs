//! Differences that nobody can predict, observed: runs that execute inline assembly, or a function that the model
//! cannot express (`setjmp`, `asm goto`).
//!
//! The interpreter does not know what these do, so it cannot say what a compiled program should do. But both programs
//! can be run. A difference is confirmed if each version, compiled as it was written, with undefined behaviour made
//! defined, and with either sanitizer, did the same at every load address, nothing was reported, and the two versions
//! did something else: they returned other numbers, left other bytes behind, or one of them divided by zero.
//!
//! Why that is a difference of the two versions:
//!
//! - Each compiled program did what is reported for it: the outcome is made of what it did, and nothing of it comes
//!   from the interpreter, except that a signal of a division is taken for a division by zero only where a run with
//!   guesses ([`trial`]) ended by one as well.
//! - It is not caused by undefined behaviour: no access out of bounds, of a dead object, or through a misaligned
//!   pointer, and no uninitialised value that decides something or is returned was reported by the sanitizers, and the
//!   code with undefined behaviour made defined does the same. The other traps of the model would have ended the
//!   run.
//! - It is not caused by where things lie, by registers or by frames: those are others in each of the builds, and code,
//!   globals and heap are elsewhere in each place. Assembly that reads the stack pointer or a clock returns something
//!   else there.
//!
//! Of memory, an object of the entry state or a global counts if all runs of either version left the same bytes in it,
//! so that no address is among them, and if MemorySanitizer knows that all of them have a value. Results that are
//! pointers do not count. A run that calls an unknown function ends there, since without a prediction there is no
//! script for it.
//!
//! A local that changed between `setjmp` and `longjmp` and is not `volatile` has no determined value in C. Here it has
//! the one that the code has as it is compiled, which all the builds share (docs/internals/semantics.md).

use super::observed::Ended;
use super::ready::PLAIN;
use super::side::Half;
use super::{Observed, ReplayOptions, Replayed, Replayer, Request, Status};
use crate::compare::{SIGFPE, returned_bits};
use crate::compiled::{CompiledEnd, CompiledOutcome, Instrument, Job};
use crate::translate::Translation;
use std::collections::{BTreeMap, BTreeSet};
use verdiff_judge::{ReplayProblem, RunEnd};
use verdiff_model::interp::Machine;
use verdiff_model::state::{
    self, Contents, Difference, End, EntryState, ObjectEnd, Outcome, Returned, Run, Value, World,
};
use verdiff_model::trial::trial;
use verdiff_model::{Frame, GlobalId, Loc, ProcId, Program, Trap, Type};

/// Whether a request was not run since nobody knows what a version does.
pub(super) fn leaves_open(status: &Status) -> bool {
    let Status::NotRun { why } = status else { return false };
    matches!(
        why.what,
        ReplayProblem::OpenOperation
            | ReplayProblem::MaybeOpen(_)
            | ReplayProblem::UnsupportedCallee
    )
}

/// What a version does, however it is built and wherever it lies.
#[derive(Clone, Debug, PartialEq)]
enum Did {
    Returned(Vec<Returned>),
    Divided,
}

/// What all runs of a version had in common.
#[derive(PartialEq)]
pub(super) struct Common {
    did: Did,
    /// The bytes of each object of the entry state, if they are always the same.
    objects: Vec<Option<Vec<u8>>>,
    /// The same of the globals that do not hold what their initialisers say, by the linker's name.
    globals: BTreeMap<String, Option<Vec<u8>>>,
}

impl Replayer<'_> {
    /// Runs both versions without a prediction; `None` if that confirms no difference.
    pub(super) fn observe(&mut self, request: &Request) -> Option<Replayed> {
        let old_state = self.old.translated(&request.old).ok()?;
        let new_state = self.new.translated(&request.new).ok()?;
        let options = &self.options.clone();
        let (of_old, of_new) = (&mut self.old, &mut self.new);
        (of_old.still_running, of_new.still_running) = (false, false);
        // Most inputs show nothing; that is seen at once.
        let first = of_old.does_built(PLAIN, 0, &old_state, options)?;
        if first == of_new.does_built(PLAIN, 0, &new_state, options)? {
            return None;
        }
        let (old, new) = std::thread::scope(|scope| {
            let other = scope.spawn(|| of_old.does(&old_state, options));
            let new = of_new.does(&new_state, options);
            (other.join().ok().flatten(), new)
        });
        let (mut old, mut new) = (old?, new?);
        keep_what_both_have(&mut old, &mut new);
        let (first, second) = (self.old.program().ok()?, self.new.program().ok()?);
        let old = outcome(old, first, &old_state, options)?;
        let new = outcome(new, second, &new_state, options)?;
        let difference = state::compare(
            Run { program: first, entry: &old_state.1, outcome: &old },
            Run { program: second, entry: &new_state.1, outcome: &new },
        )?;
        if !matches!(
            difference,
            Difference::Result { .. } | Difference::Memory { .. } | Difference::Termination { .. }
        ) {
            return None;
        }
        let unpredicted = [self.old.in_own_numbers(&old)?, self.new.in_own_numbers(&new)?];
        Some(Replayed {
            status: Status::Confirmed,
            old: observed(&old),
            new: observed(&new),
            externals: vec![],
            difference: Some(difference),
            unpredicted: Some(unpredicted),
        })
    }
}

impl Half<'_> {
    /// What the version does from a state, if it does the same however it is built and wherever it lies.
    fn does(&mut self, state: &(ProcId, EntryState), options: &ReplayOptions) -> Option<Common> {
        // Which allocation it is that fails was said by the interpreter.
        if !state.1.outside.failures.is_empty() {
            return None;
        }
        self.build(PLAIN).ok()?;
        let plain = (0..=self.places(state.0, options)).map(|place| (PLAIN, place));
        let others = [Instrument::Nothing, Instrument::Address, Instrument::Memory];
        let mut common: Option<Common> = None;
        for (instrument, place) in plain.chain(others.map(|instrument| (instrument, 0))) {
            let found = self.does_built(instrument, place, state, options)?;
            match &mut common {
                None => common = Some(found),
                Some(common) if common.did == found.did => common.join(found),
                Some(_) => return None,
            }
        }
        common
    }

    /// The outcome of the optimised program, if it returns the same at two load addresses.
    pub(super) fn returns(
        &mut self,
        state: &(ProcId, EntryState),
        options: &ReplayOptions,
    ) -> Option<Outcome> {
        let mut common = self.does_built(Instrument::Optimised, 0, state, options)?;
        let elsewhere = self.does_built(Instrument::Optimised, 1, state, options)?;
        if common.did != elsewhere.did || common.did == Did::Divided {
            return None;
        }
        common.join(elsewhere);
        common.globals.retain(|_, bytes| bytes.is_some());
        let outcome = outcome(common, self.program().ok()?, state, options)?;
        self.in_own_numbers(&outcome)
    }

    pub(super) fn does_built(
        &mut self,
        instrument: Instrument,
        place: u32,
        state: &(ProcId, EntryState),
        options: &ReplayOptions,
    ) -> Option<Common> {
        let deadline = self.deadline;
        if deadline.is_over() {
            return None;
        }
        let (procedure, entry) = match instrument {
            PLAIN | Instrument::Nothing => state.clone(),
            _ => {
                let to = self.build(instrument).ok()?.program.clone();
                let translation = Translation::new(self.program().ok()?, &to);
                (translation.procedure(state.0)?, translation.entry(&state.1)?)
            }
        };
        let (_, compiled) = self.compiled(instrument, place).ok()?;
        let job = Job { procedure, entry, script: vec![], time: options.time };
        let outcomes = compiled.run_until(std::slice::from_ref(&job), deadline).ok()?;
        let outcome = outcomes.into_iter().next()?;
        self.still_running |= matches!(outcome.end, CompiledEnd::TimedOut);
        let (build, _) = self.compiled(instrument, place).ok()?;
        let frame = build.frames.get(procedure.index())?;
        Common::of(&build.program, procedure, frame, outcome)
    }

    /// An outcome in the numbers of the program that requests speak of.
    fn in_own_numbers(&self, outcome: &Outcome) -> Option<Outcome> {
        let back = Translation::new(self.own_program(), self.program().ok()?);
        let mut own = outcome.clone();
        own.globals = vec![];
        for (id, contents) in &outcome.globals {
            own.globals.push((back.global_back(*id)?, contents.clone()));
        }
        own.globals.sort_by_key(|(id, _)| *id);
        if let End::Trapped { procedure, .. } = &mut own.end {
            *procedure = back.procedure_back(*procedure)?;
        }
        Some(own)
    }
}

impl Common {
    fn of(
        program: &Program,
        procedure: ProcId,
        frame: &Frame,
        outcome: CompiledOutcome,
    ) -> Option<Common> {
        let did = match &outcome.end {
            CompiledEnd::Returned => {
                if frame.results.iter().any(|(ty, _)| *ty == Type::Ptr) {
                    return None;
                }
                let bits = returned_bits(program, procedure, frame, &outcome);
                let returned = |((ty, _), bits): (&(Type, u64), u128)| Returned {
                    ty: *ty,
                    value: Some(Value::Bits(bits)),
                };
                Did::Returned(frame.results.iter().zip(bits).map(returned).collect())
            }
            CompiledEnd::Signal { number: SIGFPE, .. } => Did::Divided,
            CompiledEnd::Reported(text) if text.contains("Sanitizer: FPE") => Did::Divided,
            _ => return None,
        };
        // Behind a signal, and where bytes may have no value, memory does not count.
        let known = did != Did::Divided && !outcome.unset;
        let symbol =
            |id: GlobalId| program.globals.get(id.index()).map(|g| g.identity().to_owned());
        let mut globals = BTreeMap::new();
        for (id, bytes) in outcome.globals {
            globals.insert(symbol(id)?, known.then_some(bytes));
        }
        let objects = outcome.objects.into_iter();
        let objects = objects.map(|object| (known && !object.freed).then_some(object.bytes));
        Some(Common { did, objects: objects.collect(), globals })
    }

    /// Keeps what another run did as well.
    fn join(&mut self, other: Common) {
        let lost = self.objects.len() != other.objects.len();
        for (index, object) in self.objects.iter_mut().enumerate() {
            if lost || *object != other.objects[index] {
                *object = None;
            }
        }
        let names: BTreeSet<String> =
            self.globals.keys().chain(other.globals.keys()).cloned().collect();
        for name in names {
            // What one run alone changed is listed there alone.
            let same = self.globals.get(&name) == other.globals.get(&name);
            if !same {
                self.globals.insert(name, None);
            }
        }
    }
}

/// What is unknown of one version is unknown of the other.
fn keep_what_both_have(old: &mut Common, new: &mut Common) {
    for (a, b) in old.objects.iter_mut().zip(&mut new.objects) {
        if a.is_none() || b.is_none() {
            (*a, *b) = (None, None);
        }
    }
    let unknown = |common: &Common| -> Vec<String> {
        let list = common.globals.iter().filter(|(_, bytes)| bytes.is_none());
        list.map(|(name, _)| name.clone()).collect()
    };
    for name in unknown(old).into_iter().chain(unknown(new)) {
        old.globals.remove(&name);
        new.globals.remove(&name);
    }
}

fn outcome(
    common: Common,
    program: &Program,
    (procedure, entry): &(ProcId, EntryState),
    options: &ReplayOptions,
) -> Option<Outcome> {
    let end = match common.did {
        Did::Returned(returned) => End::Returned(returned),
        Did::Divided => divided(program, *procedure, entry, options)?,
    };
    let contents = |bytes: Vec<u8>| Contents { bytes, ..Contents::default() };
    let mut objects = vec![ObjectEnd::Untouched; entry.objects.len()];
    for (index, bytes) in common.objects.into_iter().enumerate() {
        let before = entry.objects.get(index)?;
        let changed = |bytes: &Vec<u8>| *bytes != before.contents.bytes;
        // Pointers in it would be addresses, which no other build has.
        let bytes = bytes.filter(|_| before.contents.pointers.is_empty()).filter(changed);
        if let Some(bytes) = bytes {
            objects[index] = ObjectEnd::Written(contents(bytes));
        }
    }
    let mut globals = vec![];
    for (symbol, bytes) in common.globals {
        let index = program.globals.iter().position(|global| global.identity() == symbol)?;
        globals.push((GlobalId::new(index), contents(bytes?)));
    }
    globals.sort_by_key(|(id, _)| *id);
    Some(Outcome { end, objects, globals, fresh: vec![], world: World::default(), steps: 0 })
}

/// How a run ended that a division ended: the signal is also that of an overflow, so a run with guesses must have
/// ended by a division by zero.
fn divided(
    program: &Program,
    procedure: ProcId,
    entry: &EntryState,
    options: &ReplayOptions,
) -> Option<End> {
    let trial = trial(program);
    let mut machine = Machine::new(trial.as_ref().unwrap_or(program));
    let end = machine.run(procedure, entry, &options.limits).end;
    // Where it happened is not known: the run with guesses may have gone another way.
    matches!(end, End::Trapped { trap: Trap::DivisionByZero, .. }).then_some(End::Trapped {
        trap: Trap::DivisionByZero,
        procedure,
        loc: Loc::NONE,
    })
}

pub(super) fn observed(outcome: &Outcome) -> Observed {
    match &outcome.end {
        End::Returned(returned) => {
            let returned = returned.clone();
            Observed { end: Some(Ended::Returned), returned, ..Observed::default() }
        }
        _ => {
            let (trap, seen) = (Trap::DivisionByZero, RunEnd::Signal(SIGFPE));
            let ended = Ended::Trapped { trap, seen, file: String::new(), line: 0 };
            Observed { end: Some(ended), ..Observed::default() }
        }
    }
}
