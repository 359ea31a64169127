//! Code that the model cannot express: not what it does, but whether it is the same, and whom it calls.
//!
//! A procedure with an unsupported construct has no blocks. Without more, it would call nobody, and "all that it calls
//! is equal" would be true of it for no reason. So the front end keeps what can be known without lowering: a
//! fingerprint of the exact code with every operand, what the code names, what it calls, and whose address it takes.

use crate::contents::Hash;
use crate::expr::Address;
use crate::ids::{ExternId, ProcId};
use serde::{Deserialize, Serialize};

/// What is known of code that could not be lowered.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Opaque {
    /// A [fingerprint] of the exact code with its types, constants, attributes and operands. What has an identity beyond
    /// the procedure stands in it as a position in `names`.
    pub code: u128,
    /// The globals, procedures and externals that the code names, in the order of first mention.
    pub names: Vec<Address>,
    /// What it calls, in order, each once.
    pub calls: Vec<OpaqueCall>,
    /// The procedures and externals whose address it uses otherwise than to call them.
    pub takes: Vec<Address>,
    /// Whether it calls what may return twice (`setjmp`): then it sees what memory holds when a callee is left by
    /// `longjmp`, which is no outcome of that callee here.
    pub returns_twice: bool,
    /// Whether it copies memory as it is, values or not.
    pub copies: bool,
}

/// What code that could not be lowered calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum OpaqueCall {
    /// A procedure.
    Procedure(ProcId),
    /// An external function.
    External(ExternId),
    /// Anything whose address is taken: a call through a pointer, inline assembly.
    Unknown,
}

/// A number for a text (128 bits, FNV-1a): two equal ones are taken for equal texts.
pub fn fingerprint(text: &str) -> u128 {
    let mut hash = Hash::new();
    hash.text(text);
    hash.0
}
