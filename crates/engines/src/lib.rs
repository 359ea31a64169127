//! The engines: techniques that make judgements grow, one module each, all behind
//! [`Engine`](verdiff_judge::Engine).
//!
//! Architecture invariant: an engine reads judgements and gives back additions with evidence. It
//! prints nothing, runs nothing outside of this process, and does not know the other engines.

#![forbid(unsafe_code)]

pub mod flat;
pub mod normalise;
pub mod recursion;
pub mod summary;
pub mod termination;
pub mod testing;

pub use verdiff_product::{Facts, process};
