//! Replays of what two different signatures have in common.

use verdiff_judge::{Candidate, Pair, Replay, ReplayProblem, Side as Version};
use verdiff_plan::CommonPart;
use verdiff_witness::replay::{Replayer, Request, Status};

/// What came of a replay, as the plan has it.
pub fn judged(status: Status) -> Replay {
    match status {
        Status::Confirmed => Replay::Confirmed,
        Status::ConfirmedWithStubs => Replay::ConfirmedWithStubs,
        Status::Refuted { why } => Replay::Refuted { why },
        Status::NotRun { why } => Replay::NotRun { why },
    }
}

/// A difference in the common part of two signatures: no compiled program has the copies that it was found with, so
/// each version's own function is called, with its own parameters.
pub fn common(
    replayer: &mut Replayer<'_>,
    pair: &Pair,
    part: &CommonPart,
    candidate: &Candidate,
) -> Replay {
    if !part.same_results {
        return Replay::not_run(ReplayProblem::ResultTypes);
    }
    let request = Request {
        old: (pair.old, part.own_entry(Version::Old, &candidate.old)),
        new: (pair.new, part.own_entry(Version::New, &candidate.new)),
    };
    if request.old.1.args.iter().zip(&request.new.1.args).any(|(a, b)| a != b) {
        return Replay::not_run(ReplayProblem::ConvertedArgument);
    }
    let replayed = replayer.replay(&request);
    match replayed.unpredicted {
        // What was observed is in the numbers of those functions, not of the copies.
        Some(_) => Replay::not_run(ReplayProblem::OpenOperation),
        None => judged(replayed.status),
    }
}
