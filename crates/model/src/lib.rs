//! The program model of verdiff.
//!
//! A [`Program`] is what C sources become before anything is compared: procedures of
//! basic blocks over variables that carry their source names, memory reached only by
//! statements, and everything that can trap spelled out. It means exactly what the
//! compiled code means (docs/internals/semantics.md) and reads like its source.
//!
//! Architecture invariant: this crate knows one program at a time. It knows neither
//! LLVM, from which programs come, nor formulas, into which they go, nor that there are two versions.

#![forbid(unsafe_code)]

#[doc(hidden)]
pub mod build;
mod contents;
mod copies;
pub mod ctype;
pub mod expr;
mod external_results;
mod frame;
pub mod generate;
pub mod graph;
pub mod ids;
pub mod inline;
pub mod interp;
mod never_written;
mod opaque;
pub mod ops;
pub mod outline;
pub mod print;
pub mod program;
mod side;
pub mod state;
pub mod stmt;
pub mod trial;
pub mod types;
pub mod validate;

pub use copies::merge_copies;
pub use ctype::{CField, CType, CTypes, Qualifier};
pub use expr::{Address, BinaryOp, Const, Expr, Marks, UnaryOp};
pub use external_results::external_results;
pub use frame::Frame;
pub use ids::{BlockId, CTypeId, ExternId, FileId, GlobalId, LocalId, ProcId, VarId};
pub use never_written::never_written;
pub use opaque::{Opaque, OpaqueBody, OpaqueCall, fingerprint};
pub use program::{
    Block, External, ExternalKind, Global, Init, Linkage, Local, MAX_EXPR_DEPTH, Procedure,
    Program, Relocation, Startup, Unsupported, Var, VarKind, base_name,
};
pub use side::Side;
pub use stmt::{Access, Callee, Loc, Signature, Stmt, StmtKind, Terminator, TerminatorKind, Trap};
pub use types::{FloatKind, Type};
pub use validate::{Problem, ProblemKind, ProblemLocation, validate};
