//! A difference in termination: one compiled program ends as predicted, the other is still running at the limit.
//!
//! No run shows that another has no end. That is proved elsewhere (by a recurrent set); a run that did end would refute the proof. So the
//! status says: one side did what was predicted for it, and the other did not end.

use super::{Replayed, Replayer, Request, Status};
use verdiff_judge::{ReplayIssue, ReplayProblem};
use verdiff_model::state::{End, Outcome};

/// A run that goes on gets this part of the usual time.
const SHARE: u32 = 4;

impl Replayer<'_> {
    /// Runs both sides of a request from which one of them is proved not to end.
    pub fn replay_hang(&mut self, request: &Request) -> Replayed {
        let mut replayed = Replayed::not_run(ReplayProblem::NothingCompared.into());
        replayed.status = match self.confirm_hang(request, &mut replayed) {
            Ok(status) | Err(status) => status,
        };
        replayed
    }

    fn confirm_hang(
        &mut self,
        request: &Request,
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
        let (ends, state, predicted, other, other_state, other_predicted) =
            match (goes_on(&old), goes_on(&new)) {
                (false, true) => {
                    (&mut self.old, &request.old, &old, &mut self.new, &request.new, &new)
                }
                (true, false) => {
                    (&mut self.new, &request.new, &new, &mut self.old, &request.old, &old)
                }
                (true, true) => return Err(problem(ReplayProblem::BothRun)),
                (false, false) => return Err(problem(ReplayProblem::NoHang)),
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
        match goes_on(&old) {
            false => replayed.old = observed,
            true => replayed.new = observed,
        }
        Ok(if stubs { Status::ConfirmedWithStubs } else { Status::Confirmed })
    }
}
