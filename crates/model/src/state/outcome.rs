//! Outcomes: how a run ended, and everything an observer could see of it.

use super::entry::{Contents, Fill, Value, Write};
use crate::ids::{GlobalId, ProcId};
use crate::interp::goes_back;
use crate::program::Program;
use crate::stmt::{Loc, Trap};
use crate::types::Type;
use serde::{Deserialize, Serialize};

/// How a run ended and what it left behind.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Outcome {
    /// How it ended.
    pub end: End,
    /// What became of each object of the entry state, in order.
    pub objects: Vec<ObjectEnd>,
    /// The globals that were written or that the entry state set, in order of id. All others
    /// hold what their initialisers say.
    pub globals: Vec<(GlobalId, Contents)>,
    /// The objects the run made that can still be reached from results, entry objects, globals
    /// or events; [`PointerTarget::Fresh`](super::PointerTarget::Fresh) is the position here.
    /// They are numbered as they are found, so outcomes that differ only in the order
    /// of allocations are equal.
    pub fresh: Vec<FreshObject>,
    /// All input and output, in order.
    pub world: World,
    /// How many statements were executed, as they are counted against the limit.
    pub steps: u64,
}

impl Outcome {
    /// What an exchange with the outside costs, in statements: its arguments and all memory that it may see are
    /// looked through, and its answer is made up. Measured over the corpus.
    const EVENT: u64 = 400;

    /// What the run cost, in statements.
    #[must_use]
    pub fn work(&self) -> u64 {
        self.steps.saturating_add(self.world.count.saturating_mul(Outcome::EVENT))
    }
}

/// How a run ended.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum End {
    /// The procedure returned these results.
    Returned(Vec<Returned>),
    /// It trapped.
    Trapped {
        /// How.
        trap: Trap,
        /// In which procedure.
        procedure: ProcId,
        /// Where.
        loc: Loc,
    },
    /// `exit` was called with this status.
    Exited(i32),
    /// An unknown external function that never returns was called; by name.
    LeftThrough(String),
    /// The step limit was reached: nothing is known about termination.
    OutOfSteps,
    /// The interpreter could not go on: nothing is known about the outcome.
    Stopped(StopReason),
}

/// A result.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Returned {
    /// Its type.
    pub ty: Type,
    /// Its value; `None` if it is a variable that never got one.
    pub value: Option<Value>,
}

/// Why the interpreter gave up.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, thiserror::Error)]
pub enum StopReason {
    /// More nested calls than allowed.
    #[error("calls are nested too deeply")]
    StackDepth,
    /// More memory than allowed.
    #[error("the memory limit was reached")]
    Memory,
    /// More objects than allowed.
    #[error("too many objects were made")]
    Objects,
    /// A procedure that could not be lowered was called.
    #[error("a procedure that is not supported was called")]
    Unsupported(ProcId),
    /// A library function was called in a way that is not emulated.
    #[error("{0} is not emulated")]
    NotEmulated(String),
    /// The entry state does not fit the program.
    #[error("the entry state does not fit the program: {0}")]
    BadEntry(String),
}

/// What became of an object of the entry state.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ObjectEnd {
    /// It was never written.
    Untouched,
    /// It was written and now holds this.
    Written(Contents),
    /// It was freed.
    Freed,
}

/// An object the run made.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FreshObject {
    /// What it holds; `None` if it is dead.
    pub contents: Option<Contents>,
}

/// All input and output of a run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct World {
    /// What happened, in order; only the first [`World::MAX_EVENTS`] are kept.
    pub events: Vec<Event>,
    /// How many there were.
    pub count: u64,
    /// A hash over all of them.
    pub hash: u64,
}

impl World {
    /// How many events are kept; those beyond are in count and hash alone.
    pub const MAX_EVENTS: usize = 4096;
}

/// One exchange with the outside.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Event {
    /// A call of an external function or operation.
    Call {
        /// Its name; for inline assembly, its text.
        name: String,
        /// The arguments.
        args: Vec<Value>,
        /// What the function could see behind pointer arguments, for those that are not null.
        payloads: Vec<Payload>,
        /// What the interpreter made up for a function it does not know; `None` for those it
        /// does. It follows from the call, so it is no part of what is compared.
        effect: Option<Effect>,
    },
    /// A volatile read.
    VolatileRead {
        /// Where.
        address: Value,
        /// What was read.
        value: u128,
        /// How many bytes.
        bytes: u64,
    },
    /// A volatile write.
    VolatileWrite {
        /// Where.
        address: Value,
        /// What was written.
        value: u128,
        /// How many bytes.
        bytes: u64,
    },
    /// A volatile copy or fill.
    VolatileBlock {
        /// Where to.
        address: Value,
        /// The bytes.
        contents: Contents,
    },
}

/// What an unknown external function was taken to do.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Effect {
    /// Names the call ([`Answer::call`](super::Answer::call)).
    pub call: u64,
    /// Its results' bits.
    pub results: Vec<u128>,
    /// The bytes it gave to uninitialised memory behind its arguments, and those that its answer has it write there;
    /// in this order.
    pub fills: Vec<Fill>,
    /// The bytes it wrote to globals, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub writes: Vec<Write>,
    /// The argument that it returned, if its result is one: an address that is known only when it is called.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub returned: Option<u32>,
}

/// Bytes that an external function could see.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Payload {
    /// Behind which argument.
    pub arg: u32,
    /// The bytes; cut off where there are many (the hash covers the same).
    pub contents: Contents,
}

impl End {
    /// Whether somebody sees the memory that the run left behind: its caller, or one of those above, to which `longjmp`
    /// went back.
    pub fn shows_memory(&self, program: &Program) -> bool {
        match self {
            End::Returned(_) => true,
            End::LeftThrough(name) => {
                program.externals.iter().any(|e| e.name == *name && goes_back(e))
            }
            _ => false,
        }
    }
}

impl Outcome {
    /// Whether the run ended by itself, so that its outcome means something.
    pub fn is_conclusive(&self) -> bool {
        !matches!(self.end, End::OutOfSteps | End::Stopped(_))
    }
}
