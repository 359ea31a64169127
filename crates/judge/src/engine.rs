//! What an engine is given and what it gives back.

use crate::Side;
use crate::budget::Budget;
use crate::comparison::{Comparison, Judgements, PairId, Settings};
use crate::effect::Effect;
use crate::evidence::Evidence;
use crate::impact::Local;
use crate::judgement::Judgement;
use crate::replay::Replay;
use crate::stop::StopReason;
use crate::verdict::Kind;
use serde::{Deserialize, Serialize};
use std::any::Any;
use std::collections::BTreeMap;
use std::rc::Rc;
use std::time::{Duration, Instant};
use verdiff_logic::Formula;
use verdiff_model::state::{EntryState, Outcome};

/// A technique: reads judgements, works on what is open, gives additions with evidence.
/// Deterministic for a given task and seed.
pub trait Engine: Any {
    /// Its name in evidence and reports.
    fn name(&self) -> &'static str;

    /// Works on a pair, as deep and as long as the budget says.
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
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Findings {
    /// What the judgement may grow by.
    pub additions: Vec<Addition>,
    /// Entry states on which the versions are predicted to differ; not believed until replayed.
    pub candidates: Vec<Candidate>,
    /// The same two versions with parts of the pair's procedures as procedures of their own, which are to be judged
    /// ([`Comparison::sub_pairs_of`] the pair); then the engine is run again there, and if nothing follows, here.
    pub divided: Option<Rc<Comparison>>,
    /// Whether an entry state was met from which both sides end.
    pub common_run: bool,
    /// The verdict on the change by itself, with some callees taken as common.
    pub local: Option<Local>,
    /// Why it did not get further; `None` if nothing is left open.
    pub stopped: Option<StopReason>,
    /// Whether what stopped it stops every other engine, too.
    pub hopeless: bool,
}

impl Findings {
    /// These findings and later ones; what stopped those is what stopped both, unless it was a bug before.
    pub fn and(mut self, later: Findings) -> Findings {
        self.additions.extend(later.additions);
        self.candidates.extend(later.candidates);
        Findings {
            common_run: self.common_run || later.common_run,
            hopeless: self.hopeless || later.hopeless,
            stopped: match self.stopped {
                Some(bug) if bug.is_internal() => Some(bug),
                before => later.stopped.or(before),
            },
            divided: None,
            local: later.local.or(self.local),
            ..self
        }
    }

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
    /// For an addition to U: whether it holds of every call, too ([`Judgement::holds_in_calls`]).
    #[serde(default)]
    pub holds_in_calls: bool,
}

impl Addition {
    /// An addition of which nothing is said about calls.
    pub fn new(formula: Formula, evidence: Evidence) -> Addition {
        Addition { formula, evidence, holds_in_calls: false }
    }

    /// The same, and whether it holds of every call.
    pub fn in_calls(self, holds_in_calls: bool) -> Addition {
        Addition { holds_in_calls, ..self }
    }
}

/// A predicted difference.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Candidate {
    /// The entry state in the old version's numbers.
    pub old: EntryState,
    /// The same in the new version's.
    pub new: EntryState,
    /// Which engine found it, for reports: nothing is decided by it.
    pub engine: String,
    /// What may be added to C (and, negated, nothing) once the candidate is confirmed: a condition
    /// that was shown to hold only of differing states, the candidate among them. To S, where one version hangs.
    pub condition: Option<Addition>,
    /// Whether this is the only differing entry state, up to what neither version looks at.
    pub unique: bool,
    /// In what the outcomes differ wherever the condition holds, where that is simple.
    #[serde(default)]
    pub effect: Option<Effect>,
    /// What is predicted.
    #[serde(default)]
    pub kind: CandidateKind,
}

impl Candidate {
    /// A difference that an engine predicts for one entry state, in either version's numbers.
    pub fn new(engine: &str, old: EntryState, new: EntryState) -> Candidate {
        Candidate {
            old,
            new,
            engine: engine.to_owned(),
            condition: None,
            unique: false,
            effect: None,
            kind: CandidateKind::Difference,
        }
    }

    /// Whether it is about one version that terminates and one that is proved not to.
    pub fn is_hang(&self) -> bool {
        matches!(self.kind, CandidateKind::Hang { .. })
    }
}

/// What a candidate predicts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum CandidateKind {
    /// Both versions terminate, with different outcomes.
    #[default]
    Difference,
    /// One version terminates, the other is proved not to. No run shows the latter, so it is replayed in its own way.
    Hang {
        /// The version that terminates.
        ends: Side,
    },
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

impl Confirmed {
    /// Whether the interpreter saw both versions terminate with different outcomes, from a state that counts. Whatever
    /// became of the replay, such a state cannot be in U.
    ///
    /// U says how runs end that stop where they read a word past the end of an object, so a difference behind such a
    /// read ([`differs_beyond`](Confirmed::differs_beyond)) contradicts nothing.
    pub fn is_difference(&self, settings: &Settings) -> bool {
        let differs = !self.kinds.is_empty() && !self.kinds.contains(&Kind::Termination);
        differs && !self.differs_beyond() && !settings.excludes(&self.outcomes[0])
    }

    /// Whether the outcomes differ in runs that go on where they read a word that reaches past the end of an object, as compiled
    /// programs do. In the model both end there, so such a difference is only what the compiled programs show. No proof of
    /// equality is reported where one was seen.
    pub fn differs_beyond(&self) -> bool {
        self.candidate.old.outside.beyond.is_some() && !self.kinds.is_empty()
    }
}

/// Runs candidates on the compiled programs; many share one harness.
pub trait Confirm {
    /// These candidates will be asked for: they can be replayed while engines still work.
    fn expect(&mut self, _pair: PairId, _candidates: &[Candidate]) {}

    /// What came of each candidate of a pair, if that is known by now: callers of the pair wait for it, other pairs do not.
    /// `left` says for this and other pairs how much of their time is left; what takes longer has no answer.
    fn confirmed_by_now(
        &mut self,
        pair: PairId,
        candidates: &[Candidate],
        left: &BTreeMap<PairId, Duration>,
        until: Option<Instant>,
    ) -> Option<Vec<Replayed>> {
        let all: Vec<_> = candidates.iter().map(|candidate| (pair, candidate.clone())).collect();
        Some(self.confirm(&all, left, until))
    }

    /// What came of each candidate: those of a pair within what it has left, all of them by then.
    fn confirm(
        &mut self,
        candidates: &[(PairId, Candidate)],
        left: &BTreeMap<PairId, Duration>,
        until: Option<Instant>,
    ) -> Vec<Replayed>;
}

/// What came of a candidate.
#[derive(Clone, Debug)]
pub struct Replayed {
    /// What was seen. Nothing if there was no time for it.
    pub confirmed: Option<Confirmed>,
    /// How long was waited for it, without what was compiled for all candidates.
    pub time: Duration,
}
