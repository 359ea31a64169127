//! Two revisions of a git repository become translation units that can be compared.
//!
//! | module | what it is for |
//! |---|---|
//! | `request` | what `verdiff git REV REV2 PATH...` means, as `git diff` has it |
//! | `snapshot` | the files of a revision, of the index or of the working tree |
//! | `changes` | which files differ, renames followed |
//! | `includes` | which files a file includes, by reading `#include` lines |
//! | `headers`, `config`, `c_library` | headers that something generates |
//! | `select` | which translation units are compared |
//! | `commands`, `build`, `guess` | how each file is compiled: a compilation database, a recorded build, or a guess |
//! | `definitions`, `linking` | which unchanged files the changed ones call |
//! | `project` | all of it together: the units of both sides, compiled |
//!
//! Architecture invariant: objects are read through libgit2 and written to a private folder. Nothing here writes to the repository, its index or
//! the user's working tree.
//!
//! Why it is sound to compile only some files: a file is left out only if neither it nor any file that it can include differs between the
//! two revisions (`includes` errs on the side of too many), so its code is the same in both.

#![forbid(unsafe_code)]

mod c_library;
mod changes;
mod checkout;
mod commands;
mod config;
mod definitions;
mod error;
mod guess;
mod headers;
mod includes;
mod linking;
mod note;
mod project;
mod request;
mod select;
mod snapshot;
mod user_build;

pub use error::RevisionError;
pub use note::Note;
pub use project::{Failure, Flags, Project, ProjectOptions, Selection};
pub use request::{Endpoint, Repository, Request, Span};
