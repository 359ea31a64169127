//! Differences that nobody can predict, observed: runs that execute inline assembly.
//!
//! The interpreter does not know what assembly does, so it cannot say what a compiled program should do. But both
//! programs can be run. A difference is confirmed if each version, compiled as it was written, with undefined behaviour
//! made defined, and with either sanitizer, returned the same numbers at every load address, nothing was reported, and
//! the two versions returned different ones.
//!
//! Why that is a difference of the two versions:
//!
//! - Each compiled program did what is reported for it: the outcome is made of what it returned, and nothing of it
//!   comes from the interpreter.
//! - It is not caused by undefined behaviour: no access out of bounds, of a dead object, or through a misaligned
//!   pointer, and no uninitialised value that decides something or is returned was reported by the sanitizers, and the
//!   code with undefined behaviour made defined returns the same. The other traps of the model would have ended the
//!   run.
//! - It is not caused by where things lie, by registers or by frames: those are others in each of the builds, and code,
//!   globals and heap are elsewhere in each place. Assembly that reads the stack pointer or a clock returns something
//!   else there.
//!
//! Memory is not compared: of bytes that were stored without a value no sanitizer says anything. Nor are results that
//! are pointers. A run that calls an unknown function ends there, since without a prediction there is no script for it.

use super::observed::Ended;
use super::ready::PLAIN;
use super::side::Half;
use super::{Observed, ReplayOptions, Replayed, Replayer, Request, Status};
use crate::compare::returned_bits;
use crate::compiled::{CompiledEnd, Instrument, Job};
use crate::translate::Translation;
use verdiff_judge::ReplayProblem;
use verdiff_model::state::{
    self, Difference, End, EntryState, ObjectEnd, Outcome, Returned, Run, Value, World,
};
use verdiff_model::{ProcId, Type};

/// Whether a request was not run since nobody knows what a version does.
pub(super) fn leaves_open(status: &Status) -> bool {
    let Status::NotRun { why } = status else { return false };
    matches!(why.what, ReplayProblem::OpenOperation | ReplayProblem::MaybeOpen(_))
}

impl Replayer<'_> {
    /// Runs both versions without a prediction; `None` if that confirms no difference.
    pub(super) fn observe(&mut self, request: &Request) -> Option<Replayed> {
        let old_state = self.old.translated(&request.old).ok()?;
        let new_state = self.new.translated(&request.new).ok()?;
        let (of_old, of_new, options) = (&mut self.old, &mut self.new, &self.options);
        let (old, new) = std::thread::scope(|scope| {
            let other = scope.spawn(|| of_old.returns(&old_state, options));
            let new = of_new.returns(&new_state, options);
            (other.join().ok().flatten(), new)
        });
        let [old, new] = [(old?, &old_state.1), (new?, &new_state.1)]
            .map(|(returned, entry)| outcome(returned, entry));
        let difference = state::compare(
            Run { program: self.old.program().ok()?, entry: &old_state.1, outcome: &old },
            Run { program: self.new.program().ok()?, entry: &new_state.1, outcome: &new },
        )?;
        if !matches!(difference, Difference::Result { .. }) {
            return None;
        }
        Some(Replayed {
            status: Status::Confirmed,
            old: observed(&old),
            new: observed(&new),
            externals: vec![],
            difference: Some(difference),
            unpredicted: Some([old, new]),
        })
    }
}

impl Half<'_> {
    /// What the version returns from a state, if it returns the same numbers however it is built and wherever it lies.
    fn returns(
        &mut self,
        state: &(ProcId, EntryState),
        options: &ReplayOptions,
    ) -> Option<Vec<Returned>> {
        // Which allocation it is that fails was said by the interpreter.
        if !state.1.outside.failures.is_empty() {
            return None;
        }
        let plain = (0..=options.places).map(|place| (PLAIN, place));
        let others = [Instrument::Nothing, Instrument::Address, Instrument::Memory];
        let mut found: Option<Vec<Returned>> = None;
        for (instrument, place) in plain.chain(others.map(|instrument| (instrument, 0))) {
            let returned = self.returns_built(instrument, place, state, options)?;
            if found.get_or_insert_with(|| returned.clone()) != &returned {
                return None;
            }
        }
        found
    }

    fn returns_built(
        &mut self,
        instrument: Instrument,
        place: u32,
        state: &(ProcId, EntryState),
        options: &ReplayOptions,
    ) -> Option<Vec<Returned>> {
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
        let (build, compiled) = self.compiled(instrument, place).ok()?;
        let job = Job { procedure, entry, script: vec![], time: options.time };
        let outcomes = compiled.run_until(std::slice::from_ref(&job), deadline).ok()?;
        let outcome = outcomes.into_iter().next()?;
        if outcome.end != CompiledEnd::Returned {
            return None;
        }
        let frame = build.frames.get(procedure.index())?;
        if frame.results.iter().any(|(ty, _)| *ty == Type::Ptr) {
            return None;
        }
        let bits = returned_bits(&build.program, procedure, frame, &outcome);
        let returned = |((ty, _), bits): (&(Type, u64), u128)| Returned {
            ty: *ty,
            value: Some(Value::Bits(bits)),
        };
        Some(frame.results.iter().zip(bits).map(returned).collect())
    }
}

fn outcome(returned: Vec<Returned>, entry: &EntryState) -> Outcome {
    Outcome {
        end: End::Returned(returned),
        objects: vec![ObjectEnd::Untouched; entry.objects.len()],
        globals: vec![],
        fresh: vec![],
        world: World::default(),
        steps: 0,
    }
}

fn observed(outcome: &Outcome) -> Observed {
    let End::Returned(returned) = &outcome.end else { return Observed::default() };
    Observed { end: Some(Ended::Returned), returned: returned.clone(), ..Observed::default() }
}
