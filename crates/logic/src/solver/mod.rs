//! Solvers, as a stack of small layers over a back end.
//!
//! ```text
//!   Session        push, pop, assert, check        (trait Solver: what engines hold)
//!     Validated    believes no model it has not evaluated
//!     Simplified   simplifies every query
//!     Sliced       splits it into independent parts
//!     Cached       remembers models and cores
//!     Abstracted   hides hard operators at first
//!     Logged       writes every query to a folder (optional)
//!     Validated    so that no layer works with a wrong model
//!       Z3 | Process | Race                        (trait Backend: really decides)
//! ```
//!
//! A layer is a struct over another [`Decide`] and is one itself: it is given a whole query and
//! gives an answer. [`Session`] turns that into the stack of assertions that symbolic execution
//! works with; a back end that can keep its state finds the common prefix of two queries itself.
//!
//! Why it is sound: a layer may only answer `unsat` from an `unsat` below of a weaker query, and
//! `sat` with a model that [`Validated`] evaluates to true. Everything else is `unknown`, with a
//! typed reason; a time-out is never an answer.

mod abstraction;
mod answer;
mod cache;
mod log;
mod process;
mod race;
mod session;
mod simplified;
mod slice;
mod stop_flag;
mod validate;
mod z3;

pub use abstraction::Abstracted;
pub use answer::{Answer, Limits, Query, Reason, SolverError};
pub use cache::{CacheStatistics, Cached};
pub use log::Logged;
pub use process::{Process, ProcessConfig};
pub use race::Race;
pub use session::Session;
pub use simplified::Simplified;
pub use slice::Sliced;
pub use stop_flag::Stop;
pub use validate::Validated;
pub use z3::horn::solve_horn;
pub use z3::text::refutes_text;
pub use z3::{KeptContexts, Strategy, Z3};

use crate::term::{TermId, TermPool};

/// What engines and symbolic execution hold: a stack of assertions that can be checked.
pub trait Solver {
    /// Adds a truth-valued term to the assertions of the current level.
    fn assert(&mut self, pool: &TermPool, term: TermId) -> Result<(), SolverError>;
    /// Opens a level.
    fn push(&mut self);
    /// Closes the current level and forgets what it asserted.
    fn pop(&mut self) -> Result<(), SolverError>;
    /// Whether the assertions and the assumptions can all hold. Terms may be added to the pool.
    fn check(
        &mut self,
        pool: &mut TermPool,
        assumptions: &[TermId],
        limits: &Limits,
    ) -> Result<Answer, SolverError>;
}

/// A layer or a back end: decides one whole query.
pub trait Decide {
    /// Whether the assertions and assumptions of the query can all hold. They are truth-valued
    /// terms of the pool, to which terms may be added.
    fn decide(&mut self, pool: &mut TermPool, query: &Query<'_>, limits: &Limits) -> Answer;
}

impl<D: Decide + ?Sized> Decide for Box<D> {
    fn decide(&mut self, pool: &mut TermPool, query: &Query<'_>, limits: &Limits) -> Answer {
        (**self).decide(pool, query, limits)
    }
}

/// A back end: decides without touching the pool, and can be told to stop from another thread.
pub trait Backend: Send {
    /// A name for messages.
    fn name(&self) -> String;
    /// [`Decide::decide`], ended early with [`Reason::Interrupted`] when `stop` says so.
    fn solve(&mut self, pool: &TermPool, query: &Query<'_>, limits: &Limits, stop: &Stop)
    -> Answer;
}

/// The stack for everyday use: every layer, over z3 in process.
pub fn standard() -> impl Decide {
    layered(Z3::new())
}

/// Every layer over a back end of choice. Models are evaluated twice: as they come from the back
/// end, and against the original query, so that a wrong layer is found out as well.
pub fn layered(backend: impl Decide) -> impl Decide {
    let exact = Abstracted::new(Validated::new(backend));
    Validated::new(Simplified::new(Sliced::new(Cached::new(exact))))
}
