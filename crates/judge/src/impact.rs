//! What a change means beyond the verdict of one function: how far it reaches, what it does by itself, and what it does
//! to callers. None of these makes a verdict (docs/internals/soundness.md, "Impact").

use crate::comparison::PairId;
use serde::{Deserialize, Serialize};

/// A region beyond which a change has no effect: after it, both versions are in the same state.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Boundary {
    /// The function that the region is part of, by its name in the old version.
    pub function: String,
    /// The first line of the region, in the new version.
    pub first_line: u32,
    /// The last line.
    pub last_line: u32,
    /// The changed functions that are called in the region; none if it is the region's own code that changed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub callees: Vec<String>,
}

/// The verdict on a changed function for the case that some of its callees are equal.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Local {
    /// The verdict.
    pub verdict: LocalVerdict,
    /// The callees that were taken as common to both versions.
    pub modulo: Vec<PairId>,
}

/// What is known of a change by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum LocalVerdict {
    /// The function is equivalent if the callees are.
    Equivalent,
    /// With the old version's callees a run of the new function shows a difference.
    Different,
    /// Neither.
    Unknown,
}

/// What a change does to a function whose own code did not change.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Impact {
    /// Whether there is any.
    pub kind: ImpactKind,
    /// The changed functions and globals that it comes from, by name, the nearest first.
    pub through: Vec<String>,
    /// How it gets here.
    pub by: ImpactBy,
}

/// Whether a change has an impact.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ImpactKind {
    /// Proved that there is none: equal outcomes in all calls, and equal termination.
    None,
    /// A confirmed difference shows it.
    Proved,
    /// Anything else.
    Possible,
}

/// How an impact gets to a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ImpactBy {
    /// The function calls what changed, directly or through others.
    Call,
    /// It calls code that may call back what changed: an external function, or a function pointer.
    Callback,
    /// It uses a constant or a global whose shape or contents changed.
    Global,
}
