//! The small interface crate between engines, plan, witness and report: pairs of procedures,
//! what is known of them, and how one comes to know it.
//!
//! For every [`Pair`] there is one [`Judgement`]: four conditions over the entry state that only
//! grow. An [`Engine`] reads it and adds to it, with [`Evidence`]; the [`Verdict`] is derived.
//!
//! Architecture invariant: nothing here executes, solves for or prints a program. (The only question asked of a
//! solver is whether a judgement contradicts itself or is complete.) No sentence for people is made here. This is the first crate that knows
//! two versions at once.

#![forbid(unsafe_code)]

mod account;
mod assumption;
mod budget;
mod comparison;
pub mod correlation;
mod deadline;
mod denied;
mod effect;
mod engine;
mod evidence;
mod impact;
mod judgement;
mod kinds;
mod replay;
mod rule;
mod stop;
mod translate;
mod verdict;

pub use account::{
    Account, Answer, EngineOutcome, EngineRun, GlobalChange, GlobalChangeKind, NoCommonPart, Note,
    PairAccount, SourceLocation,
};
pub use assumption::Assumption;
pub use budget::{Budget, Depth};
pub use comparison::{Changed, Comparison, Judgements, Pair, PairId, Settings, Side, Version};
pub use deadline::{
    Deadlines, Timed, abandon, exit_if_abandoned, hang_if_injected, has_abandoned, latest_within,
    within,
};
pub use effect::Effect;
pub use engine::{
    Addition, Candidate, CandidateKind, Confirm, Confirmed, Engine, Findings, Replayed, Task,
};
pub use evidence::{Evidence, Obligation};
pub use impact::{Boundary, Impact, ImpactBy, ImpactKind, Local, LocalVerdict};
pub use judgement::{Condition, Contradiction, Field, Judgement, OfEntryStates};
pub use kinds::{kinds, returned_object};
pub use replay::{
    Disagreement, NoTest, PredictedEnd, Replay, ReplayIssue, ReplayProblem, RunEnd, StubProblem,
};
pub use rule::{
    AlignedPlaces, Induction, Ranking, RelatedProcedures, RelatedResults, ReorderedLoops, Rule,
};
pub use stop::{Construct, Hypothesis, Incomplete, StopReason};
pub use verdict::{Kind, Termination, Verdict};
