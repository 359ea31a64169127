//! Why an engine, or all of them, did not get further.

use serde::{Deserialize, Serialize};
use verdiff_model::{Loc, Program};

/// A typed reason; never turned into a verdict.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[serde(tag = "kind", rename_all = "lowercase")]
pub enum StopReason {
    /// The time limit of the pair or of the whole run.
    #[error("the time limit was reached")]
    Time,
    /// The memory limit.
    #[error("the memory limit was reached")]
    Memory,
    /// A construct that the model cannot express.
    #[error("{construct} is not supported")]
    Unsupported {
        /// What it is.
        construct: String,
        /// The source file, empty if unknown.
        file: String,
        /// The line, 0 if unknown.
        line: u32,
    },
    /// Engines gave up by themselves.
    #[error("{detail}")]
    Incomplete {
        /// What is missing.
        detail: String,
    },
    /// A bug of verdiff: a contradiction, a crash, a refuted witness.
    #[error("internal error: {detail}")]
    Internal {
        /// What happened.
        detail: String,
    },
}

impl StopReason {
    /// Something unsupported at a place of a program.
    pub fn unsupported(program: &Program, construct: impl Into<String>, loc: Loc) -> StopReason {
        let known = loc.is_known();
        StopReason::Unsupported {
            construct: construct.into(),
            file: if known { program.file(loc.file).to_owned() } else { String::new() },
            line: if known { loc.line } else { 0 },
        }
    }

    /// Engines gave up.
    pub fn incomplete(detail: impl Into<String>) -> StopReason {
        StopReason::Incomplete { detail: detail.into() }
    }

    /// A bug.
    pub fn internal(detail: impl Into<String>) -> StopReason {
        StopReason::Internal { detail: detail.into() }
    }

    /// Of two reasons the one that says more: a bug, then what cannot be helped, then limits.
    pub fn graver(self, other: StopReason) -> StopReason {
        let rank = |r: &StopReason| match r {
            StopReason::Internal { .. } => 4,
            StopReason::Unsupported { .. } => 3,
            StopReason::Memory => 2,
            StopReason::Time => 1,
            StopReason::Incomplete { .. } => 0,
        };
        if rank(&other) > rank(&self) { other } else { self }
    }
}
