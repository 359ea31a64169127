//! What an engine is given and what it gives back.

use crate::budget::Budget;
use crate::comparison::{Comparison, Judgements, PairId};
use crate::evidence::Evidence;
use crate::judgement::Judgement;
use crate::stop::StopReason;
use crate::verdict::Kind;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::time::Duration;
use verdiff_logic::Formula;
use verdiff_model::state::{EntryState, Outcome};

/// A technique: reads judgements, works on what is open, gives additions with evidence.
/// Deterministic for a given task and seed.
pub trait Engine {
    /// Its name in evidence and reports.
    fn name(&self) -> &'static str;

    /// Works on a pair.
    fn run(&mut self, task: &Task<'_>, budget: &Budget) -> Findings;
}

/// One pair to work on, and all that is known.
#[derive(Clone, Copy)]
pub struct Task<'a> {
    /// Both versions.
    pub comparison: &'a Comparison,
    /// The pair.
    pub pair: PairId,
    /// What is known of it.
    pub judgement: &'a Judgement,
    /// What is known of the others; those that are missing were not looked at.
    pub judgements: &'a Judgements,
}

impl Task<'_> {
    /// What is known of another pair.
    pub fn judgement_of(&self, pair: PairId) -> Option<&Judgement> {
        if pair == self.pair { Some(self.judgement) } else { self.judgements.get(&pair) }
    }
}

/// What an engine found.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Findings {
    /// What the judgement may grow by.
    pub additions: Vec<Addition>,
    /// Entry states on which the versions are predicted to differ; not believed until replayed.
    pub candidates: Vec<Candidate>,
    /// Whether an entry state was met from which both sides end.
    pub common_run: bool,
    /// Whether the additions hold of every call ([`Judgement::holds_in_calls`]).
    #[serde(default)]
    pub holds_in_calls: bool,
    /// Why it did not get further; `None` if nothing is left open.
    pub stopped: Option<StopReason>,
    /// Whether what stopped it stops every other engine, too.
    pub hopeless: bool,
}

impl Findings {
    /// Nothing found, for this reason.
    pub fn nothing(reason: StopReason) -> Findings {
        Findings { stopped: Some(reason), ..Findings::default() }
    }
}

/// One growth of a judgement.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Addition {
    /// What is added.
    pub formula: Formula,
    /// Why.
    pub evidence: Evidence,
}

/// A predicted difference.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Candidate {
    /// The entry state in the old version's numbers.
    pub old: EntryState,
    /// The same in the new version's.
    pub new: EntryState,
    /// Which engine found it.
    pub engine: String,
    /// What may be added to C (and, negated, nothing) once the candidate is confirmed: a condition
    /// that was shown to hold only of differing states, the candidate among them. To S, where one version hangs.
    pub condition: Option<Addition>,
    /// Whether this is the only differing entry state, up to what neither version looks at.
    pub unique: bool,
    /// In what the outcomes differ wherever the condition holds, where that is simple: "the new version returns one more".
    #[serde(default)]
    pub effect: Option<String>,
}

impl Candidate {
    /// Whether it is about one version that ends and one that is proved not to. No run shows the latter, so
    /// such a candidate is replayed in its own way.
    pub fn is_hang(&self) -> bool {
        self.engine == HANGS
    }
}

/// The engine whose candidates are runs without an end.
pub const HANGS: &str = "termination";

/// How a replay on the compiled programs ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "status", rename_all = "kebab-case")]
pub enum Replay {
    /// Each side did what was predicted for it.
    Confirmed,
    /// So it did, with stubs for external functions.
    ConfirmedWithStubs,
    /// A side did something else: a bug of the model.
    Refuted {
        /// What.
        why: String,
    },
    /// It could not be run or compared.
    NotRun {
        /// Why.
        why: String,
    },
}

impl Replay {
    /// Whether the compiled programs showed the difference.
    pub fn is_confirmed(&self) -> bool {
        matches!(self, Replay::Confirmed | Replay::ConfirmedWithStubs)
    }

    /// In the word of the JSON report.
    pub fn word(&self) -> &'static str {
        match self {
            Replay::Confirmed => "confirmed",
            Replay::ConfirmedWithStubs => "confirmed-with-stubs",
            Replay::Refuted { .. } => "refuted",
            Replay::NotRun { .. } => "not-run",
        }
    }
}

/// A candidate that was replayed, with whatever result.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Confirmed {
    /// The candidate.
    pub candidate: Candidate,
    /// What came of it.
    pub replay: Replay,
    /// In what the outcomes differ.
    pub kinds: Vec<Kind>,
    /// The outcomes that were predicted and, if it is confirmed, seen: the old version's, the new one's.
    pub outcomes: [Outcome; 2],
}

/// Runs candidates on the compiled programs; many share one harness.
pub trait Confirm {
    /// There will be a candidate: what it needs can be made ready while engines still work.
    fn expect(&mut self) {}

    /// How long [`Confirm::confirm`] may take for the candidates of each pair. What could not be run by then is not run.
    fn limit(&mut self, _left: BTreeMap<PairId, Duration>) {}

    /// One result for each candidate.
    fn confirm(&mut self, candidates: Vec<(PairId, Candidate)>) -> Vec<Confirmed>;
}
