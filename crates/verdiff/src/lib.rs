//! A verified diff for C, as a library.
//!
//! [`compare()`] takes two versions of a C program and returns, function by function, whether they behave the same: the
//! value that `verdiff OLD NEW` prints.
//!
//! ```
//! use verdiff::{Answer, Options, Source, Verdict, compare};
//!
//! # fn main() -> Result<(), verdiff::Error> {
//! let old = Source::text("int half(int n) { return n / 2; } int twice(int n) { return n + n; }");
//! let new = Source::text("int half(int n) { return n >> 1; } int twice(int n) { return n * 2; }");
//! let compared = compare(&old, &new, &Options::default())?;
//!
//! let half = compared.function("half").expect("both versions define it");
//! assert_eq!(half.answer, Answer::Judged(Verdict::Different { exact: true }));
//! assert_eq!(half.differ_under.c.as_deref(), Some("n < 0 && (n & 1) == 1"));
//! // A difference is one that both compiled programs have shown.
//! assert!(half.witness.as_ref().is_some_and(|witness| witness.replay.is_confirmed()));
//!
//! let twice = compared.function("twice").expect("both versions define it");
//! assert_eq!(twice.answer, Answer::Judged(Verdict::Equivalent { vacuous: false }));
//! assert_eq!(compared.json()["summary"]["equivalent"], 1);
//! # Ok(())
//! # }
//! ```
//!
//! Files are compared in the same way, with the options of the command line:
//!
//! ```no_run
//! use std::time::Duration;
//! use verdiff::{Options, Source, compare};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let options = Options {
//!     entry: vec!["parse".to_owned()],
//!     timeout: Duration::from_secs(30),
//!     clang_flags: vec!["-Iinclude".to_owned()],
//!     ..Options::default()
//! };
//! let old = Source::files(["old/parse.c", "old/lexer.c"]);
//! let new = Source::files(["new/parse.c", "new/lexer.c"]);
//! std::fs::write("report.html", compare(&old, &new, &options)?.html()?)?;
//! # Ok(())
//! # }
//! ```
//!
//! # What differs from the program
//!
//! The program `verdiff` judges each pair of functions in a process with a memory limit, which is killed if it overruns.
//! A library cannot assume that its host may be started a second time, so by default pairs are judged on threads
//! ([`Workers::Threads`]):
//!
//! - nothing limits the memory of a pair, and the whole process shares what happens if memory or the stack is exhausted;
//! - a pair that does not stop at its time limit is undecided, as in the program, but its thread goes on until it notices;
//! - a crash inside LLVM or Z3 ends the process.
//!
//! With [`Workers::Processes`] and the path of an installed `verdiff`, pairs are judged as the program does. Verdicts do
//! not depend on this choice, and differences are confirmed by running both compiled programs in either case: clang is
//! needed, and the compiled versions run as processes of their own.
//!
//! # Layers
//!
//! [`compare()`] is a [`Job`] that is loaded ([`Job::load`]) and judged ([`LoadedVersions::judge`]); the program uses these
//! to print warnings and progress between the two.
//!
//! Architecture invariant: this crate joins loading, judging, replay and the report; it knows neither a command line nor a
//! terminal, and prints nothing.

#![forbid(unsafe_code)]

mod assume;
mod common_part;
mod compare;
mod confirm;
mod error;
mod interrupt;
mod job;
mod matched;
mod options;
mod prepared;
mod source;

pub use compare::{ComparedVersions, compare};
pub use confirm::Compiled;
pub use error::Error;
pub use interrupt::Interrupt;
pub use job::{Job, Judging, LoadedVersions, load_both, warnings};
pub use matched::{Judged, is_file};
pub use options::{Criterion, Options, Overflow, Workers, flags};
pub use source::{Source, only_source};
pub use verdiff_front::FrontError;
pub use verdiff_judge::{Answer, Changed, Kind, Termination, Verdict};
pub use verdiff_plan::Spare;
pub use verdiff_report::{PairReport, Report, WitnessReport};

/// What tells this build of verdiff from all others: its sources, and whether it checks itself. Results that another build
/// has cached are not used.
pub const TOOL: &str = match cfg!(debug_assertions) {
    true => concat!(env!("VERDIFF_SOURCES"), " debug"),
    false => env!("VERDIFF_SOURCES"),
};

/// The code of the book.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/book/library.md")]
struct Book;
