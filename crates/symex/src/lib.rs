//! Symbolic execution: procedures of the program model become terms.
//!
//! An [`Executor`](execute::Executor) executes the procedures of one program in a [`Space`](space::Space), which both versions of a
//! comparison share. Callees are treated as [`Callees`](callee::Callees) says. A procedure without loops becomes one formula; an
//! [`Explorer`](paths::Explorer) follows paths one by one and can go on later.
//!
//! ```
//! use verdiff_model::{Side, build::example_double};
//! use verdiff_symex::{callee::InlineAll, entry::Entry, regions::Regions, space::Space};
//! use verdiff_symex::execute::{Executor, ExecutionLimits, Stop};
//!
//! # fn main() -> Result<(), Stop> {
//! let program = example_double();
//! let double = verdiff_model::ProcId::new(0);
//! let (mut space, regions) = (Space::new(), Regions::analyse(&[&program]));
//! let entry = Entry::of(&mut space, &regions, program.procedure(double))?;
//! let mut callees = InlineAll;
//! let mut executor =
//!     Executor::new(&mut space, &program, Side::Old, &regions, &mut callees, ExecutionLimits::default());
//! let outcome = executor.execute(double, &entry)?;
//! // It returns its parameter plus itself, from every state.
//! let sum = space.pool.bv_add(entry.args[0], entry.args[0])?;
//! assert_eq!(space.tidy(sum)?, outcome.results[0]);
//! assert_eq!(outcome.returned, space.pool.truth());
//! # Ok(()) }
//! ```
//!
//! Architecture invariant: this crate speaks of programs and of formulas, and of one
//! version at a time. It knows neither where programs come from nor what is proved of them.

#![forbid(unsafe_code)]

mod abstracted;
mod access;
mod build;
mod call_paths;
pub mod callee;
mod calls;
mod cases;
mod concrete;
mod defined;
pub mod effects;
pub mod entry;
pub mod execute;
mod freed_objects;
pub mod guide;
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
mod state;
mod stop;
mod strings;
mod summary;
pub mod symbols;
pub mod translate;
mod unfolded;
mod unset;
mod written;
