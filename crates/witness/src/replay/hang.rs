//! A difference in termination: one compiled program ends as predicted, the other is still running at the limit.
//!
//! No run shows that another has no end. That is proved elsewhere (by a recurrent set); a run that did end would refute the proof. So the
//! status says: one side did what was predicted for it, and the other did not end.
//!
//! A loop over all numbers of 32 bits terminates after more iterations than the interpreter can follow, so nobody
//! predicts what it returns. That it terminates is proved as well (by a ranking function), so the run need only
//! agree with that: the compiled program, optimised, returned, twice with everything elsewhere, and the same. The other
//! version must still be running as it was written and optimised. What is reported for the version that
//! terminates is what it was seen to do.

use super::side::Half;
use super::{ReplayOptions, Replayed, Replayer, Request, Status, observation};
use crate::compiled::Instrument;
use std::time::{Duration, Instant};
use verdiff_judge::{ReplayIssue, ReplayProblem, RunEnd, Side as Version};
use verdiff_model::ProcId;
use verdiff_model::state::{End, EntryState, Outcome};

/// A run that goes on gets this part of the usual time.
const SHARE: u32 = 4;
/// How long a run may take that the interpreter cannot follow: 2^32 iterations, a few instructions each.
const LONG: Duration = Duration::from_secs(4);

impl Replayer<'_> {
    /// Runs both sides of a request from which one of them is proved not to end, and the other to end.
    pub fn replay_hang(&mut self, request: &Request, ends: Version) -> Replayed {
        let mut replayed = Replayed::not_run(ReplayProblem::NothingCompared.into());
        replayed.status = match self.confirm_hang(request, ends, &mut replayed) {
            Ok(status) | Err(status) => status,
        };
        replayed
    }

    fn confirm_hang(
        &mut self,
        request: &Request,
        proved: Version,
        replayed: &mut Replayed,
    ) -> Result<Status, Status> {
        let not_run = |why: ReplayIssue| Status::NotRun { why };
        let problem = |what: ReplayProblem| Status::NotRun { why: what.into() };
        if self.deadline.is_over() {
            return Err(problem(ReplayProblem::Late));
        }
        self.prepare();
        let request = self.levelled(request).map_err(problem)?;
        let old = self.old.predict(&request.old, &self.options).map_err(not_run)?;
        let new = self.new.predict(&request.new, &self.options).map_err(not_run)?;
        let goes_on = |outcome: &Outcome| matches!(outcome.end, End::OutOfSteps);
        let (ends_predicted, other_predicted) = match proved {
            Version::Old => (&old, &new),
            Version::New => (&new, &old),
        };
        match (goes_on(ends_predicted), goes_on(other_predicted)) {
            (false, true) => {}
            (true, true) => return self.observe_hang(&request, proved, other_predicted, replayed),
            (_, false) => return Err(problem(ReplayProblem::NoHang)),
        }
        let (predicted, ends, state, other, other_state) = match proved {
            Version::Old => (&old, &mut self.old, &request.old, &mut self.new, &request.new),
            Version::New => (&new, &mut self.new, &request.new, &mut self.old, &request.old),
        };
        if !predicted.is_conclusive() {
            return Err(problem(ReplayProblem::EndUnknown));
        }
        let state = ends.translated(state).map_err(not_run)?;
        let run = ends.run(&state, predicted, &self.options)?;
        let observed = run.observed.clone();
        let time = self.options.time / SHARE;
        let other_state = other.translated(other_state).map_err(not_run)?;
        let stubs = other.still_runs(&other_state, other_predicted, time)? || run.stubs;
        match proved {
            Version::Old => replayed.old = observed,
            Version::New => replayed.new = observed,
        }
        Ok(if stubs { Status::ConfirmedWithStubs } else { Status::Confirmed })
    }

    /// The same where the interpreter cannot follow the version that terminates.
    fn observe_hang(
        &mut self,
        request: &Request,
        proved: Version,
        other_predicted: &Outcome,
        replayed: &mut Replayed,
    ) -> Result<Status, Status> {
        let not_run = |why: ReplayIssue| Status::NotRun { why };
        let problem = |what: ReplayProblem| Status::NotRun { why: what.into() };
        let options = ReplayOptions { time: LONG, ..self.options.clone() };
        let (ends, state, other, other_state) = match proved {
            Version::Old => (&mut self.old, &request.old, &mut self.new, &request.new),
            Version::New => (&mut self.new, &request.new, &mut self.old, &request.old),
        };
        let state = ends.translated(state).map_err(not_run)?;
        let begun = Instant::now();
        let returned = ends.returns(&state, &options);
        let outcome = returned.ok_or_else(|| problem(ReplayProblem::BothRun))?;
        // That was compiling and two runs: the other version gets longer than what ended.
        let longer = begun.elapsed().max(self.options.time / SHARE);
        let other_state = other.translated(other_state).map_err(not_run)?;
        let stubs = other.still_runs(&other_state, other_predicted, longer)?;
        other.runs_on(&other_state, &ReplayOptions { time: longer, ..options })?;
        let observed = observation::observed(&outcome);
        let (old, new) = match proved {
            Version::Old => {
                replayed.old = observed;
                (outcome, other_predicted.clone())
            }
            Version::New => {
                replayed.new = observed;
                (other_predicted.clone(), outcome)
            }
        };
        replayed.unpredicted = Some([old, new]);
        Ok(if stubs { Status::ConfirmedWithStubs } else { Status::Confirmed })
    }
}

impl Half<'_> {
    /// Checks that the optimised program is still running at the time limit.
    fn runs_on(
        &mut self,
        state: &(ProcId, EntryState),
        options: &ReplayOptions,
    ) -> Result<(), Status> {
        self.still_running = false;
        let returned = self.does_built(Instrument::Optimised, 0, state, options).is_some();
        match (returned, std::mem::take(&mut self.still_running)) {
            (true, _) => {
                let why = ReplayProblem::Terminated(RunEnd::Returned).of(self.version);
                Err(Status::Refuted { why })
            }
            (false, true) => Ok(()),
            (false, false) => Err(Status::NotRun { why: ReplayProblem::Late.into() }),
        }
    }
}
