//! What a worker is told and what it answers (docs/internals/jobs.md): one line of JSON each.

use serde::{Deserialize, Serialize};
use std::time::Duration;
use verdiff_judge::correlation::Correlation;
use verdiff_judge::{
    Candidate, Comparison, EngineRun, Judgement, Judgements, Local, PairId, StopReason,
};
use verdiff_logic::effort::Effort;

/// The schema of jobs.
pub const JOB: &str = "verdiff-job/1";
/// The schema of answers.
pub const JUDGEMENT: &str = "verdiff-judgement/2";

/// What a job may cost.
#[derive(Clone, Copy, Debug)]
pub struct Allowance {
    /// In counted work: the same in every run.
    pub effort: Effort,
    /// By the wall clock: the outer limit.
    pub timeout: Duration,
    /// How much longer it may take if the worker has to be told the programs first.
    pub loading: Duration,
}

/// A pair, and what is known of it and of those it rests on.
#[derive(Clone, Debug)]
pub struct AskedPair {
    /// The pair.
    pub pair: PairId,
    /// What is known of it.
    pub judgement: Judgement,
    /// What is known of the others.
    pub judgements: Judgements,
}

/// A pair to be judged.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Job {
    /// [`JOB`].
    pub schema: String,
    /// Both versions; left out if the worker has them from an earlier job.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub comparison: Option<Comparison>,
    /// The pair.
    pub pair: PairId,
    /// What is known of it.
    pub judgement: Judgement,
    /// What is known of the pairs it rests on.
    pub judgements: Judgements,
    /// What it may cost, in counted work.
    pub effort: Effort,
    /// How long it may take by the wall clock in any case.
    pub timeout_ms: u64,
    /// How much longer, for reading the programs and for what is found out once about them.
    #[serde(default)]
    pub loading_ms: u64,
}

impl Job {
    /// How long it may take from now on, if reading it took so long. What is found out once about two programs takes about as long
    /// as reading them.
    pub(crate) fn time_left(&self, read: Duration) -> Duration {
        let timeout = Duration::from_millis(self.timeout_ms);
        (timeout + self.loading(read)).saturating_sub(read)
    }

    /// How much of its time is for the programs as a whole, if reading it took so long.
    pub(crate) fn loading(&self, read: Duration) -> Duration {
        (2 * read).min(Duration::from_millis(self.loading_ms))
    }
}

fn is_zero(number: &u64) -> bool {
    *number == 0
}

/// What came of it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Judged {
    /// [`JUDGEMENT`].
    pub schema: String,
    /// The pair.
    pub pair: PairId,
    /// What is known now.
    pub judgement: Judgement,
    /// Predicted differences.
    pub candidates: Vec<Candidate>,
    /// What each engine did.
    pub engines: Vec<EngineRun>,
    /// The verdict on the change by itself, with some callees taken as common.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub local: Option<Local>,
    /// How the states of both versions are related, for the report.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub correlation: Option<Box<Correlation>>,
    /// Why nothing more was found.
    pub stopped: Option<StopReason>,
    /// Whether something was stopped by the clock or for want of memory, so that another run may find more or less.
    #[serde(default)]
    pub clock_expired: bool,
    /// How much of its time was for the programs as a whole, at most; of the run that made it, and not kept.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub loading_ms: u64,
    /// Whether the worker goes on: what it had until then, for the case that nothing comes after it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub interim: bool,
}

impl Judged {
    /// The same by a worker that needed so much time for the programs as a whole.
    pub(crate) fn with_loading(&self, loading: Duration) -> Judged {
        let loading_ms = u64::try_from(loading.as_millis()).unwrap_or(u64::MAX);
        Judged { loading_ms, ..self.clone() }
    }

    /// Nothing was found out, for this reason.
    pub fn nothing(pair: PairId, judgement: Judgement, reason: StopReason) -> Judged {
        Judged {
            schema: JUDGEMENT.to_owned(),
            pair,
            judgement,
            candidates: vec![],
            engines: vec![],
            local: None,
            correlation: None,
            clock_expired: false,
            stopped: Some(reason),
            loading_ms: 0,
            interim: false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reading_the_programs_is_not_time_of_the_pair() {
        let job = |timeout_ms, loading_ms| Job {
            schema: JOB.to_owned(),
            comparison: None,
            pair: PairId(0),
            judgement: Judgement::default(),
            judgements: Judgements::new(),
            effort: Effort::seconds(1),
            timeout_ms,
            loading_ms,
        };
        let left = |timeout, loading, read| {
            job(timeout, loading).time_left(Duration::from_millis(read)).as_millis()
        };
        // A worker that has the programs.
        assert_eq!(left(1000, 0, 10), 990);
        // One that reads them: as long again for what is found out about them.
        assert_eq!(left(1000, 3000, 1000), 2000);
        // Never longer than somebody waits for it.
        assert_eq!(left(1000, 3000, 2500), 1500);
        assert_eq!(left(1000, 3000, 5000), 0);
    }
}
