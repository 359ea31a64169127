//! Symbolic execution: procedures of the program model become terms.
//!
//! Architecture invariant: this crate speaks of programs and of formulas, and of one
//! version at a time. It knows neither where programs come from nor what is proved of them.

#![forbid(unsafe_code)]

mod abstracted;
mod access;
mod build;
pub mod callee;
mod calls;
mod cases;
mod concrete;
mod defined;
pub mod effects;
pub mod entry;
pub mod execute;
pub mod gone;
mod heap;
pub mod libc;
pub mod memory;
mod merged;
pub mod objects;
pub mod outcome;
pub mod paths;
pub mod record;
pub mod regions;
pub mod space;
pub mod state;
mod strings;
pub mod summary;
pub mod translate;
mod unfolded;
mod unset;
mod ways;
mod written;
