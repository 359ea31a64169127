//! Formulas for verdiff: terms, what they mean, how they are simplified, and solvers for them.
//!
//! - [`TermPool`] owns hash-consed terms ([`TermId`]) of the sorts in [`Sort`]; its methods build
//!   them and check them.
//! - [`TermPool::eval`] gives a term's value under an [`Assignment`]: the meaning everything else
//!   is measured against.
//! - [`TermPool::simplify`] brings terms to a normal form by the rules of [`simplify::rules`].
//! - [`solver`] decides whether formulas can hold, by a stack of layers over z3 and others.
//! - [`integers`] asks questions about bits over the integers, where products and remainders are plain.
//! - [`horn`] looks for what may hold of loops, as guesses, by Horn clauses over the integers.
//! - [`smtlib`] writes terms as SMT-LIB text and reads what solvers print; [`c_expression`] writes
//!   them for people.
//!
//! Architecture invariant: this crate knows no other crate of the workspace, and no other crate
//! knows Z3.

mod assignment;
mod bits;
mod build;
mod c_print;
mod condition;
pub mod cut;
pub mod effort;
mod entry_symbol;
mod error;
mod eval;
pub mod exit;
mod float;
pub mod heap;
pub mod horn;
pub mod integers;
mod op;
mod portable;
pub mod simplify;
pub mod smtlib;
pub mod solver;
mod sort;
mod substitute;
mod term;
mod typing;
mod value;
mod walk;

pub use assignment::Assignment;
pub use bits::Bits;
pub use c_print::{Named, Names, Nature, c_expression, c_partial_expression, c_value_expression};
pub use condition::{readable, without_redundancy};
pub use entry_symbol::EntrySymbol;
pub use error::LogicError;
pub use eval::Evaluator;
pub use float::FloatValue;
pub use op::Op;
pub use portable::Formula;
pub use sort::{ArraySort, FloatFormat, MAX_WIDTH, Rounding, Sort, UninterpretedSort};
pub use term::{Function, FunctionId, SymbolId, TermId, TermPool};
pub use value::{ArrayValue, FunctionValue, Value};
pub use walk::FreeNames;
