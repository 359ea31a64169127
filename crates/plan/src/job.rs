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
    /// Whether the worker goes on: what it had until then, for the case that nothing comes after it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub interim: bool,
}

impl Judged {
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
            interim: false,
        }
    }
}
