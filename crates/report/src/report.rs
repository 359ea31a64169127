//! The contents of a report, as texts: `text` and `json` are two layouts of it.

use crate::witness_view::WitnessView;
use serde::{Deserialize, Serialize};
use verdiff_judge::correlation::Correlation;
use verdiff_judge::{
    Answer, Boundary, Candidate, Changed, EngineRun, Field, Impact, Kind, LocalVerdict, Obligation,
    Replay, Rule, Settings, SourceLocation, StopReason, Termination,
};

/// A whole comparison.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Report {
    /// The old version's files, as the user named them.
    pub old_files: Vec<String>,
    /// The new version's.
    pub new_files: Vec<String>,
    /// The two revisions of a repository, in words, if that is what was compared.
    pub revisions: Option<[String; 2]>,
    /// What the user should know about how the programs were made.
    pub notes: Vec<String>,
    /// Files that should have been compared and could not be.
    pub not_compared: Vec<NotCompared>,
    /// How they were compared.
    pub settings: Settings,
    /// The options, as the user would type them.
    pub options: Vec<(String, String)>,
    /// What is assumed.
    pub assumptions: Vec<String>,
    /// The assumptions that matter most, in two or three words each.
    pub assumed_shortly: Vec<String>,
    /// All functions, in the order of the old version, added ones at the end.
    pub pairs: Vec<PairReport>,
    /// Whether the run was interrupted or out of budget, so that some pairs were not looked at.
    pub interrupted: bool,
    /// Whether only some functions were asked for.
    pub only_some: bool,
}

/// A file that should have been compared and could not be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotCompared {
    /// Its path.
    pub file: String,
    /// Why, as a sentence without its subject: `does not compile in HEAD (1f2e3d4)`.
    pub why: String,
}

/// The results for one function.
#[derive(Clone, Debug, PartialEq)]
pub struct PairReport {
    /// Its name.
    pub function: String,
    /// In the old version; `None` if it was added.
    pub old: Option<SourceLocation>,
    /// In the new version; `None` if it was removed.
    pub new: Option<SourceLocation>,
    /// Its new name, if it was renamed.
    pub renamed: Option<String>,
    /// Whether and how it changed.
    pub changed: Changed,
    /// The verdict, or another answer.
    pub answer: Answer,
    /// In what outcomes can differ.
    pub kinds: Vec<Kind>,
    /// What is known of termination.
    pub termination: Termination,
    /// U without S.
    pub equal_under: ConditionText,
    /// C.
    pub differ_under: ConditionText,
    /// What is in none of U, C and S: undecided.
    pub open_under: ConditionText,
    /// T.
    pub alike_under: ConditionText,
    /// S.
    pub split_under: ConditionText,
    /// Where only the old version terminates.
    pub old_only: ConditionText,
    /// Where only the new version terminates.
    pub new_only: ConditionText,
    /// Whether every state is in T or in S: it is known exactly where each version terminates.
    pub ends_exact: bool,
    /// Whether U holds everywhere and of every call, too, whatever memory a caller passes.
    pub in_calls: bool,
    /// Preconditions, as C.
    pub assuming: Vec<String>,
    /// The evidence of the judgement.
    pub evidence: Vec<EvidenceReport>,
    /// The best witness.
    pub witness: Option<WitnessReport>,
    /// The verdict on the change by itself.
    pub local: Option<LocalReport>,
    /// How the states of both versions are related at outputs and ends.
    pub correlation: Option<Box<Correlation>>,
    /// What a change elsewhere does to it.
    pub impact: Option<Impact>,
    /// The regions beyond which changes have no effect.
    pub boundaries: Vec<Boundary>,
    /// Why there is no verdict.
    pub reason: Option<StopReason>,
    /// In what the outcomes differ, wherever they do.
    pub effect: Option<String>,
    /// Further remarks.
    pub notes: Vec<String>,
    /// What each engine did.
    pub engines: Vec<EngineRun>,
    /// How long it took.
    pub ms: f64,
    /// Whether it was judged in an earlier run.
    pub cached: bool,
    /// Whether no clock and no want of memory had a part in it: another run then gives the same result.
    pub reproducible: bool,
    /// Whether it counts in the exit code.
    pub counts: bool,
    /// Why the user accepts all of its differences, if that is so.
    pub accepted: Option<String>,
    /// The files of the C test that was written, each with its text.
    pub tests: Vec<(String, String)>,
}

impl PairReport {
    /// Whether this is a changed global (`(global) NAME`) and not a function.
    pub(crate) fn is_global(&self) -> bool {
        self.old.is_none() && self.new.is_none()
    }
}

/// The verdict on a change by itself, with some callees taken as common to both versions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LocalReport {
    /// The verdict.
    pub verdict: LocalVerdict,
    /// The names of those callees.
    pub modulo: Vec<String>,
    /// Both in a sentence.
    pub sentence: String,
}

/// A condition for people and solvers.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ConditionText {
    /// As C over the parameters; `None` if there is no C expression for it.
    pub c: Option<String>,
    /// As SMT-LIB.
    pub smt: String,
}

/// The evidence of an addition to a judgement.
#[derive(Clone, Debug, PartialEq)]
pub struct EvidenceReport {
    /// What it adds to.
    pub adds: Field,
    /// Which engine found it.
    pub engine: String,
    /// The rule.
    pub rule: Rule,
    /// The proof in words a programmer can follow.
    pub because: String,
    /// The proof obligations.
    pub obligations: Vec<Obligation>,
    /// The file that they were written to, and its SHA-256.
    pub file: Option<(String, String)>,
    /// The functions whose judgements were used.
    pub uses: Vec<String>,
    /// What was assumed beyond what every verdict assumes.
    pub assumes: Vec<String>,
    /// Whether only a part of it was added.
    pub cut: bool,
}

/// A witness for people and scripts.
#[derive(Clone, Debug, PartialEq)]
pub struct WitnessReport {
    /// The candidate.
    pub candidate: Candidate,
    /// What came of its replay.
    pub replay: Replay,
    /// In what the outcomes differ.
    pub kinds: Vec<Kind>,
    /// In the names of the C program.
    pub shown: WitnessView,
    /// The lines of the function that either version executes, in this order, as far as they are known.
    pub executed: [Vec<u32>; 2],
}
