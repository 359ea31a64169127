//! What verdicts assume (docs/internals/semantics.md), as data.

use serde::{Deserialize, Serialize};

/// Something that is assumed and not proved.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Assumption {
    /// Signed overflow wraps.
    OverflowWraps,
    /// Entry states on which the old version overflows are excluded; an overflow of the new one is a trap.
    OverflowUndefined,
    /// External functions are deterministic.
    DeterministicExternals,
    /// Pointers at entry are null, or aligned for their type and to objects that are large enough.
    ValidPointers,
    /// There is enough stack, and there are no threads or signals.
    EnoughStack,
    /// The ABI of a target.
    Abi(String),
    /// No result depends on the addresses of locals and fresh objects.
    IndifferentAddresses,
    /// Pointer parameters that are `restrict` in both versions do not alias.
    Restrict,
    /// No pointer parameters alias (`--no-alias`).
    NoAlias,
    /// The number of a line is 0 in both versions (`--ignore-line-numbers`).
    NoLineNumbers,
    /// These weak definitions are the ones that are used.
    WeakDefinitions(Vec<String>),
    /// Floating-point operations round to nearest.
    RoundToNearest,
    /// `memcmp` and its like return the difference of the first bytes that differ.
    ByteDifference,
    /// The same inline assembly with the same operands in the same state has the same effect.
    DeterministicAssembly,
    /// Objects are smaller than 2 GiB: an element lies less than that from the pointer that it is indexed from.
    ObjectsBelow2GiB,
    /// A precondition that the user gave (`--assume`).
    Precondition {
        /// Of which function.
        function: String,
        /// As C.
        c: String,
    },
}
