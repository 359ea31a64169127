//! Witnesses: entry states, run on the really compiled program.
//!
//! [`compiled`] runs procedures of a compiled program on entry states and says how they ended.
//! [`agree`](mod@agree) uses it to hold the model against reality: the interpreter and the compiled
//! code run on the same [generated](verdiff_model::generate) inputs, and results, memory and traps must be the same
//! ([`compare`](mod@compare) says when they are). [`replay`] holds a predicted difference of two versions against both
//! compiled programs.
//!
//! Architecture invariant: this crate knows programs and object files. It knows neither LLVM nor C
//! source text; whoever calls it brings the object file, compiled with wrappers by the front end.

#![forbid(unsafe_code)]

pub mod agree;
pub mod compare;
pub mod compiled;
mod padding;
pub mod replay;
mod translate;

pub use agree::{Agreement, AgreementOptions, Builds, ProcedureReport, Report};
pub use compare::{Skip, Verdict};
pub use compiled::{CompiledEnd, CompiledOutcome, CompiledProgram, Instrument, Job, Toolchain};
pub use replay::{Observed, ReplayOptions, Replayed, Replayer, Request, Side, Status};
pub use verdiff_model::generate::{self, Generator};
pub use verdiff_process::Deadline;
