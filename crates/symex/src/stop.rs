//! Why an execution gives up, and what it may cost.

use verdiff_logic::LogicError;
use verdiff_logic::effort::Effort;
use verdiff_model::Loc;

/// Why an execution gave up. Nothing that was computed before is wrong.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum Stop {
    /// The procedure has no body that could be lowered.
    #[error("{procedure} has {construct}, which is not supported")]
    Unsupported {
        /// Which procedure.
        procedure: String,
        /// What is in the way.
        construct: String,
        /// Where.
        loc: Loc,
    },
    /// Merged execution met a loop.
    #[error("{procedure} has a loop")]
    Loop {
        /// Which procedure.
        procedure: String,
        /// Where the loop is.
        loc: Loc,
    },
    /// Calls are nested too deeply to be inlined.
    #[error("calls are nested deeper than {0}")]
    Depth(usize),
    /// More terms than allowed.
    #[error("more than {0} terms")]
    Size(usize),
    /// The effort that it was given is spent ([`Executor::stopping_at`](crate::execute::Executor::stopping_at)).
    #[error("the effort is spent")]
    Effort,
    /// A statement that symbolic execution does not know.
    #[error("{0}")]
    Construct(Construct),
    /// A term could not be built: a bug of this crate, or a limit of the logic.
    #[error(transparent)]
    Logic(#[from] LogicError),
}

/// What symbolic execution does not know, or was asked not to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Construct {
    /// An initialiser with the address of a local variable.
    #[error("an initialiser with the address of a local variable")]
    LocalInInitialiser,
    /// A `free` of what may be an object made during the run, or not.
    #[error("a free of what may be an object made during the run")]
    AmbiguousFree,
    /// A variable-length array on one of two paths that meet.
    #[error("a variable-length array on one of two paths")]
    ArrayOnOnePath,
    /// A loop that allocates or frees, where termination is asked.
    #[error("a loop that allocates or frees")]
    AllocatingLoop,
    /// A call where none was expected.
    #[error("a call where none was expected")]
    UnexpectedCall,
    /// Code that could not be lowered.
    #[error("code that could not be lowered")]
    NotLowered,
    /// Pointers that are taken not to alias, where that is not supported.
    #[error("pointers that are taken not to alias")]
    Unaliased,
    /// A precondition that cannot be executed.
    #[error("a precondition that cannot be executed")]
    Precondition,
}

/// How large an execution may become.
#[derive(Clone, Copy, Debug)]
pub struct ExecutionLimits {
    /// How many terms may be made.
    pub terms: usize,
    /// How deep calls may be inlined.
    pub depth: usize,
}

impl ExecutionLimits {
    /// What it costs, about, to make all of these terms.
    pub fn effort(&self) -> Effort {
        Effort::terms(self.terms as u64)
    }
}

impl Default for ExecutionLimits {
    fn default() -> Self {
        ExecutionLimits { terms: 4_000_000, depth: 64 }
    }
}
