//! What a run may cost, and in which order its jobs are done.

use crate::clock::{Clock, REPORTED};
use serde::Serialize;
use std::time::Duration;
use verdiff_judge::Deadlines;
use verdiff_logic::effort::Effort;

/// What a run may cost and how it is done.
#[derive(Clone, Debug)]
pub struct Limits {
    /// For each pair, in counted work: the limit that is the same in every run.
    pub effort: Effort,
    /// For each pair, by the clock: the outer limit.
    pub timeout: Duration,
    /// How much longer a job may take whose worker has to be told the programs first: that is for all pairs, like compiling.
    pub loading: Duration,
    /// For the whole run, which began before there was anything to plan.
    pub clock: Clock,
    /// How many workers.
    pub jobs: usize,
    /// Which of the pairs that could be judged now is judged first. No result may depend on it; tests see to that.
    pub order: JobOrder,
    /// Which jobs are about a part of the programs.
    pub parts: PartialJobs,
    /// Whether what is unchanged, or the same code, is taken as proved. Tests switch it off to have
    /// the engines prove it.
    pub shortcuts: bool,
}

/// The order of the jobs that are ready.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum JobOrder {
    /// What matters most comes first.
    #[default]
    ByImportance,
    /// The last pair comes first.
    LastFirst,
    /// In an order that this number stands for.
    Shuffled(u32),
}

/// Which jobs are about a part of the programs and not about the whole ([`PartMaker`](crate::work)). No verdict may depend on it; tests see to that.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub enum PartialJobs {
    /// Those for which making a part is cheap compared with judging the pair again after a further commit.
    #[default]
    Worthwhile,
    /// All that can be.
    All,
}

impl PartialJobs {
    /// For tests: in debug builds `VERDIFF_TEST_PARTS=all` makes all jobs ones about parts.
    pub fn chosen() -> PartialJobs {
        let chosen = std::env::var("VERDIFF_TEST_PARTS").ok().filter(|_| cfg!(debug_assertions));
        match chosen.as_deref() {
            Some("all") => PartialJobs::All,
            _ => PartialJobs::Worthwhile,
        }
    }
}

impl Limits {
    /// Until when conditions may be worded.
    pub fn deadlines(&self) -> Deadlines {
        Deadlines { pair: self.timeout + REPORTED, whole: self.clock.report_ends() }
    }
}
