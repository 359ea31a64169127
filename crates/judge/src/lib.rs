//! The small interface crate between engines, plan, witness and report: pairs of procedures,
//! what is known of them, and how one comes to know it.
//!
//! For every [`Pair`] there is one [`Judgement`]: four conditions over the entry state that only
//! grow. An [`Engine`] reads it and adds to it, with [`Evidence`]; the [`Verdict`] is derived.
//!
//! Architecture invariant: nothing here executes, solves for or prints a program. (The questions asked of a solver
//! are whether a judgement contradicts itself, and whether a shorter condition means the same.) This is the first crate that knows
//! two versions at once.

#![forbid(unsafe_code)]

mod budget;
mod comparison;
mod denied;
mod engine;
mod evidence;
mod judgement;
pub mod report;
mod shown;
mod stop;
mod translate;
mod verdict;
mod wording;

pub use budget::Budget;
pub use comparison::{Changed, Comparison, Judgements, Pair, PairId, Settings, Side, Version};
pub use engine::{Addition, Candidate, Confirm, Confirmed, Engine, Findings, HANGS, Replay, Task};
pub use evidence::{Evidence, Obligation};
pub use judgement::{Condition, Contradiction, Field, Judgement};
pub use shown::{
    EndShown, ExternalShown, FillShown, MemoryShown, Target, ValueShown, WitnessShown, WriteShown,
    kinds, show_witness,
};
pub use stop::StopReason;
pub use verdict::{Kind, Termination, Verdict};
pub use wording::{NULL_ZONE, Wording, opposite};
