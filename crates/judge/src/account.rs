//! What a run found out about every function, as data; the report crate makes the sentences.

use crate::assumption::Assumption;
use crate::comparison::{Changed, PairId, Settings};
use crate::correlation::Correlation;
use crate::effect::Effect;
use crate::engine::Confirmed;
use crate::impact::{Boundary, Impact, Local};
use crate::judgement::Judgement;
use crate::stop::StopReason;
use crate::verdict::{Kind, Termination, Verdict};
use serde::{Deserialize, Serialize};

/// A whole comparison.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Account {
    /// How the versions were compared.
    pub settings: Settings,
    /// What every verdict assumes.
    pub assumptions: Vec<Assumption>,
    /// All functions, in the order of the old version, added ones at the end.
    pub pairs: Vec<PairAccount>,
    /// Whether the run was interrupted or out of budget, so that some pairs were not analysed.
    pub interrupted: bool,
    /// Whether only some functions were asked for.
    pub only_some: bool,
}

/// What was found out about one function.
#[derive(Clone, Debug, PartialEq)]
pub struct PairAccount {
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
    /// The verdict.
    pub answer: Answer,
    /// In what outcomes can differ.
    pub kinds: Vec<Kind>,
    /// What is known of termination.
    pub termination: Termination,
    /// The pair that the judgement and the witness are about: of a changed signature, the common part. `None` for what
    /// only one version has.
    pub judged: Option<PairId>,
    /// What is known of that pair.
    pub judgement: Judgement,
    /// Whether every state is in T or in S: which version terminates where is known exactly.
    pub ends_exact: bool,
    /// Preconditions that this verdict needs.
    pub assuming: Vec<Assumption>,
    /// The best witness.
    pub witness: Option<Confirmed>,
    /// The verdict on the change by itself.
    pub local: Option<Local>,
    /// How the states of both versions are related at outputs and ends, where that was found out.
    pub correlation: Option<Box<Correlation>>,
    /// What a change elsewhere does to it; `None` if its own code changed, or nothing did.
    pub impact: Option<Impact>,
    /// The regions beyond which changes have no effect.
    pub boundaries: Vec<Boundary>,
    /// Why there is no verdict.
    pub reason: Option<StopReason>,
    /// In what the outcomes differ, wherever they do.
    pub effect: Option<Effect>,
    /// Further remarks.
    pub notes: Vec<Note>,
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
}

/// Where a function is defined.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SourceLocation {
    /// The file, as clang names it.
    pub file: String,
    /// The line.
    pub line: u32,
}

/// The verdict, or that there is only one version.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Answer {
    /// Both versions have it.
    Judged(Verdict),
    /// The signature changed so much that nothing can be compared.
    Interface,
    /// Only the new version has it.
    Added,
    /// Only the old version has it.
    Removed,
}

/// A remark on a function.
#[derive(Clone, Debug, PartialEq)]
pub enum Note {
    /// A change outside of all functions.
    Global(GlobalChange),
    /// The signature changed; what was compared is the common part.
    CommonPart {
        /// What is compared, as the source declares it.
        declared: [String; 2],
        /// Whether one version returns something that is not compared.
        drops_result: bool,
        /// The verdict on the common part.
        verdict: Verdict,
        /// Why there is none.
        reason: Option<StopReason>,
    },
    /// The signature changed so that there is no common part.
    NoCommonPart {
        /// Why.
        why: NoCommonPart,
    },
}

/// Why nothing is compared of two functions with different signatures.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NoCommonPart {
    /// It was not analysed.
    NotAnalysed,
    /// Only one version is variadic.
    Variadic,
    /// This parameter has another position.
    Moved(String),
    /// This parameter has a type of another kind.
    ParameterType(String),
    /// The result has a type of another kind.
    ResultType,
    /// A version may return without a value.
    NoValue,
    /// A version has no body in the model.
    NoBody,
    /// The C types are not known.
    NoTypes,
    /// Structs are passed or returned by value.
    Structs,
}

/// A change outside of all functions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GlobalChange {
    /// The global's name.
    pub name: String,
    /// What changed.
    pub what: GlobalChangeKind,
}

/// What changed in a global.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GlobalChangeKind {
    /// The new version has no such global.
    Removed,
    /// Other files cannot see it any more.
    Hidden,
    /// It is only declared now.
    Undefined,
    /// It has another size, old and new in bytes.
    Resized(u64, u64),
    /// It may not be written any more.
    Constant,
    /// It begins with another value.
    Initialiser,
    /// Functions that run before or after `main` changed, or their order.
    Startup,
}

impl GlobalChangeKind {
    /// Whether other files have to be compiled again: it is gone, or has another size.
    pub fn is_interface(self) -> bool {
        !matches!(self, GlobalChangeKind::Initialiser | GlobalChangeKind::Startup)
    }
}

/// What an engine did.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct EngineRun {
    /// Its name.
    pub name: String,
    /// How long it took.
    pub ms: f64,
    /// What came of it.
    pub outcome: EngineOutcome,
}

/// What came of an engine's run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EngineOutcome {
    /// It found a difference.
    Difference,
    /// It proved something.
    Proof,
    /// It stopped without either.
    Stopped(StopReason),
    /// It had nothing to do.
    Nothing,
}
