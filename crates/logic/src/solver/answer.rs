//! Questions to a solver, answers, and why there is none.

use std::time::{Duration, Instant};

use crate::assignment::Assignment;
use crate::effort::{self, Deadline, Effort, Step};
use crate::term::TermId;

/// One question: can all of these hold at once?
#[derive(Clone, Copy, Debug)]
pub struct Query<'a> {
    /// What holds in any case. Queries that share a prefix of it are cheap one after the other.
    pub assertions: &'a [TermId],
    /// What is assumed besides; an `unsat` says which of these were needed.
    pub assumptions: &'a [TermId],
}

impl Query<'_> {
    /// Assertions and assumptions together.
    pub fn all(&self) -> Vec<TermId> {
        let mut all = self.assertions.to_vec();
        all.extend_from_slice(self.assumptions);
        all
    }
}

/// The answer to a [`Query`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// All can hold, for instance under this assignment.
    Sat(Assignment),
    /// They cannot all hold; already the assertions with the assumptions in the core cannot.
    Unsat {
        /// A subset of the assumptions, not necessarily a smallest one.
        core: Vec<TermId>,
    },
    /// Not decided.
    Unknown(Reason),
}

impl Answer {
    /// Whether this is `unsat`.
    pub fn is_unsat(&self) -> bool {
        matches!(self, Answer::Unsat { .. })
    }

    /// Whether this is `sat`.
    pub fn is_sat(&self) -> bool {
        matches!(self, Answer::Sat(_))
    }

    /// The model, if there is one.
    pub fn model(&self) -> Option<&Assignment> {
        match self {
            Answer::Sat(model) => Some(model),
            _ => None,
        }
    }
}

/// Why a query was not decided.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Reason {
    /// The time limit.
    #[error("the time limit was reached")]
    Time,
    /// The memory limit.
    #[error("the memory limit was reached")]
    Memory,
    /// The limit on the solver's own count of steps, which is the same on every machine.
    #[error("the resource limit was reached")]
    Resource,
    /// Somebody else told the solver to stop.
    #[error("the query was interrupted")]
    Interrupted,
    /// The solver gave up by itself.
    #[error("the solver gave up: {0}")]
    Incomplete(String),
    /// The solver cannot express or read something.
    #[error("not supported by the solver: {0}")]
    Unsupported(String),
    /// The solver's process ended in the middle of a query.
    #[error("{solver} crashed: {how}")]
    Crashed {
        /// Which solver.
        solver: String,
        /// Exit status or signal, and what it said last.
        how: String,
    },
    /// The solver answered something that is no answer.
    #[error("{solver} gave an invalid answer: {output}")]
    Nonsense {
        /// Which solver.
        solver: String,
        /// The beginning of what it said.
        output: String,
    },
    /// The solver could not be started (again).
    #[error("{solver} could not be started: {why}")]
    Unavailable {
        /// Which solver.
        solver: String,
        /// What the system said.
        why: String,
    },
    /// The solver said `sat` with a model that does not make the query true: a bug of the solver
    /// or of the translation, to be reported and not to be believed.
    #[error("invalid model: the query evaluates to false under it: {query}")]
    WrongModel {
        /// The assertion that is false under the model, as SMT-LIB text.
        query: String,
    },
    /// All of several back ends failed, each for its own reason.
    #[error("no back end decided the query: {}", .0.iter().map(|r| r.to_string()).collect::<Vec<_>>().join("; "))]
    All(Vec<Reason>),
}

/// What a query may cost. Nothing is limited by default but by the deadline of the thread ([`effort::Deadline`]).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Limits {
    /// Counted work for the whole query, all layers included; deterministic.
    pub effort: Option<Effort>,
    /// Wall-clock time for the whole query, for back ends that do not count their work.
    pub time: Option<Duration>,
    /// Bytes the back end may use.
    pub memory: Option<u64>,
    /// Steps in the solver's own count (z3's `rlimit`); deterministic.
    pub resource: Option<u64>,
}

impl Limits {
    /// No limit but counted work.
    pub fn effort(effort: Effort) -> Limits {
        Limits { effort: Some(effort), ..Limits::default() }
    }

    /// No limit but time.
    pub fn seconds(seconds: f64) -> Limits {
        Limits { time: Some(Duration::from_secs_f64(seconds)), ..Limits::default() }
    }

    /// The most resource units (z3's `rlimit`) that they allow.
    pub(crate) fn units(&self) -> Option<u64> {
        let paid = self.effort.map(|effort| effort.steps(Step::Resource).max(1));
        self.resource.into_iter().chain(paid).min()
    }

    /// Begins to spend what these limits allow.
    pub(crate) fn begin(&self) -> Spending {
        Spending { limits: *self, start: Instant::now(), reading: effort::spent() }
    }
}

/// Limits of a query of which a part is spent already.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Spending {
    limits: Limits,
    start: Instant,
    reading: Effort,
}

impl Spending {
    /// What is left of them.
    pub(crate) fn left(&self) -> Limits {
        let spent = effort::since(self.reading);
        let time = self.limits.time.map(|time| time.saturating_sub(self.start.elapsed()));
        Limits { effort: self.limits.effort.map(|e| e.saturating_sub(spent)), time, ..self.limits }
    }

    /// What is left of them, or why nothing is.
    pub(crate) fn more(&self) -> Result<Limits, Reason> {
        let left = self.left();
        if left.effort.is_some_and(Effort::is_zero) {
            return Err(Reason::Resource);
        }
        if left.time.is_some_and(|time| time.is_zero()) || Deadline::has_passed() {
            return Err(Reason::Time);
        }
        Ok(left)
    }
}

/// A misuse of a solver, as opposed to a query that it cannot decide.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SolverError {
    /// Only truth values can be asserted or assumed.
    #[error("{0:?} is not a truth value")]
    NotBoolean(TermId),
    /// The term is of another pool than the ones before.
    #[error("a term of another pool")]
    OtherPool,
    /// More levels were closed than opened.
    #[error("there is no level to pop")]
    NothingToPop,
    /// The solver's binary is not there or cannot be run.
    #[error("cannot start solver `{command}`: {why}")]
    CannotStart {
        /// The command.
        command: String,
        /// What the system said.
        why: String,
    },
    /// The folder for the log cannot be written.
    #[error("cannot write the log to {folder}: {why}")]
    CannotLog {
        /// The folder.
        folder: String,
        /// What the system said.
        why: String,
    },
    /// The term itself is wrong.
    #[error(transparent)]
    Logic(#[from] crate::error::LogicError),
}
