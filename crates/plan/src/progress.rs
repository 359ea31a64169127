//! What is told while a run goes on.

use crate::job::Judged;
use std::collections::BTreeSet;
use verdiff_judge::{PairId, Settings, StopReason, Verdict};

/// What was found out about a pair before differences were replayed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Found {
    /// It is equivalent.
    Equivalent,
    /// A difference is predicted.
    Difference,
    /// Neither.
    Undecided,
}

impl Found {
    pub(crate) fn of(judged: &Judged, settings: &Settings) -> Found {
        let verdict = Verdict::of(&judged.judgement, &[], settings, &StopReason::Time);
        match verdict {
            _ if !judged.candidates.is_empty() => Found::Difference,
            Verdict::Equivalent { .. } => Found::Equivalent,
            _ => Found::Undecided,
        }
    }
}

/// What is told while the run goes on.
#[derive(Clone, Debug, PartialEq)]
pub enum Progress {
    /// These pairs are to be looked at.
    Planned(BTreeSet<PairId>),
    /// A pair is being worked on.
    Started(PairId),
    /// A difference of a pair that is being worked on is predicted.
    Predicted(PairId),
    /// A pair is done, but for the replay of differences.
    Finished(PairId, Found),
    /// So many differences are replayed.
    Replaying(usize),
}
