//! Symbolic execution: procedures of the program model become terms.
//!
//! Architecture invariant: this crate speaks of programs and of formulas, and of one
//! version at a time. It knows neither where programs come from nor what is proved of them.

#![forbid(unsafe_code)]

pub mod effects;
pub mod libc;
pub mod regions;
pub mod translate;
