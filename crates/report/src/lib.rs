//! Reports: the same [`Report`](verdiff_judge::report::Report) for a terminal and as JSON.
//!
//! | module | what it makes |
//! |---|---|
//! | [`json()`] | the JSON report of CONTRACT.md, and witnesses read back from one |
//! | [`text()`] | what a person reads |
//! | [`exit_code`] | what a script reads |
//!
//! Architecture invariant: a report decides nothing; it writes down what it is given.

#![forbid(unsafe_code)]

mod json;
mod summary;
mod text;

pub use json::{ReadError, json, witnesses};
pub use summary::{Summary, exit_code};
pub use text::{Style, text};
