//! Why an engine, or all of them, did not get further.

use crate::replay::ReplayIssue;
use serde::{Deserialize, Serialize};
use verdiff_model::{Loc, Program};

/// A typed reason; never turned into a verdict.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
pub enum StopReason {
    /// The time limit of the pair or of the whole run.
    Time,
    /// The memory limit.
    Memory,
    /// A construct that the model cannot express.
    Unsupported {
        /// What it is.
        construct: String,
        /// The source file, empty if unknown.
        file: String,
        /// The line, 0 if unknown.
        line: u32,
    },
    /// Engines gave up by themselves.
    Incomplete {
        /// What is missing.
        why: Incomplete,
    },
    /// A bug of verdiff: a contradiction, a crash, a refuted witness.
    Internal {
        /// What happened.
        detail: String,
    },
}

/// Why engines gave up by themselves.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Incomplete {
    /// The signature changed.
    Signature,
    /// No engine worked on it.
    NotAnalysed,
    /// The user interrupted the run before any engine worked on it.
    InterruptedBefore,
    /// The user interrupted the run.
    Interrupted,
    /// No input satisfies the user's preconditions.
    NoInput,
    /// A precondition cannot be executed.
    Precondition,
    /// The engine does not work under preconditions.
    UnderPreconditions,
    /// The engine does not work with undefined overflow.
    UndefinedOverflow,
    /// The code differs in more than names and order.
    OtherCode,
    /// It may call what has no counterpart in the other version.
    NoCounterpart,
    /// The code is the same, but some callee is not known to be equal.
    Callees,
    /// The formula with all callees inlined is too large.
    TooManyCalls,
    /// The formula is too large.
    TooLarge,
    /// Calls are nested too deeply to be inlined.
    TooDeep,
    /// This procedure has a loop.
    Loop(String),
    /// No attempt decided it.
    NoAttempt,
    /// The solver's counterexample did not reproduce.
    Counterexample,
    /// The solver's model is none.
    WrongModel,
    /// Some paths were not explored.
    SomePaths,
    /// No path was explored to its end.
    NoPath,
    /// The results of some callees are not known.
    CalleeResults,
    /// No induction goes through.
    NoInduction,
    /// Induction goes through for no inputs that could be told apart.
    NoInductionInParts,
    /// Induction goes through for some inputs only.
    InductionInParts,
    /// Neither version loops or recurses: there is no question about termination.
    NoCycle,
    /// It calls what may not terminate.
    OpenCalls,
    /// Its cycles of calls are too tangled.
    Tangled,
    /// Neither that both versions terminate nor that one does not was proved.
    Termination,
    /// Outcomes are equal, but equal termination is not proved (`--criterion full`).
    EqualTermination,
    /// What runs before or after `main`, or a variable that a library may read, is not known to be equal.
    AroundMain,
    /// It may change how floats are rounded.
    Rounding,
    /// Testing found no difference.
    NoDifference {
        /// In how many runs.
        runs: u64,
        /// Whether these are all inputs.
        all: bool,
    },
    /// Testing found a difference; what is left is open.
    OnlyTested {
        /// In how many runs.
        runs: u64,
    },
    /// A difference was found but could not be run.
    NotRun(ReplayIssue),
    /// A procedure that was entered has a construct that the model cannot express.
    UnsupportedIn {
        /// The procedure.
        procedure: String,
        /// What it has.
        construct: String,
    },
    /// Symbolic execution does not know this.
    Construct(Construct),
    /// Paths are not explored where pointers are taken not to alias.
    Unaliased,
    /// An induction may not assume what it would have to.
    Hypothesis(Hypothesis),
    /// The solver gave up; why, as it says itself.
    SolverGaveUp(String),
    /// The solver failed: it crashed, or its answer could not be read. What happened.
    SolverFailed(String),
    /// A formula could not be built; what the error was.
    Formula(String),
}

/// What symbolic execution does not know.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Construct {
    /// An initialiser with the address of a local variable.
    LocalInInitialiser,
    /// A `free` of what may be an object made during the run.
    AmbiguousFree,
    /// A variable-length array on one of two paths that meet.
    ArrayOnOnePath,
    /// A loop that allocates or frees, where termination is asked.
    AllocatingLoop,
    /// A call where none was expected.
    UnexpectedCall,
    /// Code that could not be lowered.
    NotLowered,
}

/// Why an induction may not assume that two calls are equal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Hypothesis {
    /// A loop or recursion allocates or frees.
    Allocates,
    /// A body is not supported.
    Unsupported,
    /// Memory is allocated or freed before a loop or recursion that accesses memory.
    AllocatesBefore,
    /// Uninitialised memory may come before a loop or recursion.
    UninitialisedBefore,
    /// A loop or recursion accesses local objects.
    LocalObjects,
    /// A loop or recursion passes objects of known size to external functions.
    PassesObjects,
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
    pub fn incomplete(why: Incomplete) -> StopReason {
        StopReason::Incomplete { why }
    }

    /// A bug.
    pub fn internal(detail: impl Into<String>) -> StopReason {
        StopReason::Internal { detail: detail.into() }
    }

    /// Whether it is a bug of verdiff: then nothing that was said of the pair is believed.
    pub fn is_internal(&self) -> bool {
        matches!(self, StopReason::Internal { .. })
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
