//! How the incremental solver and a fresh one share what a query may cost.

use crate::solver::{Answer, Reason};

/// Steps (z3's `rlimit`) that the incremental solver may take before a fresh one is asked: some tenths of a second.
pub const INCREMENTAL_BUDGET: u64 = 2_000_000;

/// Which part of a query's units the incremental solver gets before a fresh one is asked, and how many units are so few that
/// no fresh one is asked at all.
pub const INCREMENTAL_PART: u64 = 8;
const FEW_UNITS: u64 = 200_000;

/// Whether another strategy may have an answer.
pub fn is_undecided(answer: &Answer) -> bool {
    matches!(answer, Answer::Unknown(Reason::Resource | Reason::Incomplete(_)))
}

/// How many of the units of a query the incremental solver gets before a fresh one is asked: all if they are few, for then
/// nothing would come of a fresh one; otherwise a part. What it does not decide with that, a fresh solver often decides with
/// as much (docs/internals/solver.md has numbers), and if not, the incremental one goes on with what it learned.
pub fn at_first(units: u64) -> u64 {
    match units < FEW_UNITS {
        true => units,
        false => (units / INCREMENTAL_PART).clamp(FEW_UNITS / 4, INCREMENTAL_BUDGET),
    }
}
