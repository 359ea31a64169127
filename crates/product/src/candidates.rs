//! Candidate invariants: what one engine finds by abstract interpretation, for another that can check it.
//!
//! Engines do not know each other. An engine that proves invariants takes a [`CandidateSource`] when it is made, and the
//! registry of engines gives it one.
//!
//! **Nothing may rest on a candidate.** A source may be wrong, may assume an interleaving that the other engine does not
//! use, and says nothing of states that are not met in it. (✗ `s += 1;` against `s += 2;`: an interleaving that runs one
//! version to its end first never meets the pair of heads, and of what is never met every fact holds.) So whoever takes a
//! fact checks that it holds initially and is kept, bit by bit, as it checks its own guesses.

use verdiff_judge::Task;
use verdiff_model::{BlockId, Side, VarId};

/// Finds candidates for a pair.
pub trait CandidateSource {
    /// What may hold at pairs of loop heads. Deterministic for a given task.
    fn candidates(&self, task: &Task<'_>) -> Vec<CandidateInvariant>;
}

/// What may hold whenever both versions are at a pair of loop heads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CandidateInvariant {
    /// The heads: blocks of both procedures as they are written, to which an edge leads back.
    pub heads: [BlockId; 2],
    /// All of these hold together.
    pub facts: Vec<CandidateFact>,
}

/// One fact about variables of both versions, at a pair of heads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CandidateFact {
    /// A variable of the old version is equal to one of the new version; both have one width.
    Equal(VarId, VarId),
    /// A linear relation over mathematical integers: each variable is read as a signed number (a truth value as 0 or 1),
    /// and no sum wraps.
    Linear {
        /// Coefficients and variables, none twice.
        terms: Vec<(i64, Side, VarId)>,
        /// How the sum of the terms and the constant is compared with zero.
        relation: ToZero,
        /// The constant.
        constant: i64,
    },
}

/// How a sum is compared with zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ToZero {
    /// It is zero.
    Equal,
    /// It is zero or more.
    AtLeast,
}
