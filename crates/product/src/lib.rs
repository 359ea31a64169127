//! Both versions of a pair, executed from a common entry state, and what all engines know of a comparison.
//!
//! - [`Facts`]: what is found out once for a comparison.
//! - [`Product`]: the execution. In: a pair, facts, a [`callees::Policy`], an entry state. Out: outcomes, and what they rest on.
//! - [`entry`]: what is assumed of entry states.
//! - [`vocabulary`]: what the conditions of a judgement may speak of.
//! - [`difference`]: "some outcome differs", and [`counterexample`]: an entry state that shows it.
//!
//! Architecture invariant: an engine decides what to ask; how two versions are executed, what is assumed of their entry
//! states, how callees are treated and which judgements that uses is decided here, once for all engines. No engine makes an
//! executor.

#![forbid(unsafe_code)]

pub mod affine;
pub mod alias;
pub mod callees;
pub mod candidates;
pub mod changes;
mod common_function;
pub mod counterexample;
pub mod difference;
pub mod direction;
pub mod entry;
mod execution;
pub mod facts;
pub mod feasible;
pub mod inner_states;
pub mod judged;
pub mod library_names;
pub mod matching;
pub mod obligation;
pub mod outside;
pub mod over_integers;
pub mod plain;
pub mod process;
pub mod reduced;
pub mod same_code;
pub mod solver_queries;
pub mod stop;
mod targets;
pub mod valid;
pub mod vocabulary;

pub use execution::{Exploration, Product, Start};
pub use facts::{Facts, ProgramFacts};
