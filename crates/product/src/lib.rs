//! Both versions of a pair, executed from a common entry state, and what all engines know of a comparison.
//!
//! Architecture invariant: an engine decides what to ask; how two versions are executed, what is assumed of their entry
//! states, how callees are treated and which judgements that uses is decided here, once for all engines.

#![forbid(unsafe_code)]

pub mod facts;
pub mod outside;
pub mod process;
pub mod valid;

pub use facts::{Facts, ProgramFacts};
