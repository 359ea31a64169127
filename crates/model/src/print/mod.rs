//! Programs as text for people, near to the C they came from.
//!
//! The notation is C with a few words more, and means what C would make of it:
//!
//! - Operators are C's, and signed or unsigned as C would take them from their operands'
//!   types. Where the model reads its operands differently a cast says so:
//!   `(unsigned)i < n`, `(int)u >> 3`. The usual promotion of narrow operands to `int` and
//!   the conversion to the type of what is assigned are left out, as in C.
//! - `p->next`, `p[i].x`, `table[i]`, `*q` are memory; a plain name is a variable, or, if it
//!   is declared with a `/* memory */` note, a local object. Where the C types do not explain an address it is
//!   written out, `*(int *)((char *)p + 8)`.
//! - `check n != 0 else division by zero;` ends the run if the condition is false.
//!   `check x is set else uninitialised read;` ends it if `x` has no value yet.
//! - `(a, b) = f(x);` takes several results, `return (a, b);` gives them.
//! - A name that several variables have gets a number from the second on, `i_2`; `t1`, `t2` …
//!   are values that the source does not name.

mod code;
pub mod dot;
mod expr;
mod float;
mod names;
mod overview;
mod path;
pub mod summary;

pub use code::Printer;
pub use overview::overview;
pub use summary::Summary;

use crate::expr::Expr;
use crate::ids::ProcId;
use crate::program::Program;

/// A whole program.
pub fn program(program: &Program) -> String {
    Printer::new(program).program()
}

/// One procedure.
pub fn procedure(program: &Program, id: ProcId) -> String {
    Printer::new(program).procedure(id)
}

/// One expression of a procedure.
pub fn expr(program: &Program, id: ProcId, e: &Expr) -> String {
    Printer::new(program).expr(id, e)
}
