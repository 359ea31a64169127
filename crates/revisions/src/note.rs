//! What the user should know about how two revisions were prepared. As data: the sentences are made by the report.

/// One thing to know.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Note {
    /// Compiler flags were guessed from the `#include` lines.
    GuessedFlags,
    /// The files of this submodule are missing.
    MissingSubmodule(String),
    /// The build failed; what it compiled before is used.
    BuildFailed {
        /// Which revision's.
        revision: String,
        /// How it ended.
        status: String,
        /// The last line of what it printed.
        said: String,
    },
    /// This compilation database names no file of these revisions.
    EmptyDatabase(String),
    /// These functions are defined in files that could not be linked.
    Unlinked(Vec<String>),
    /// These files are left out, since they include others that are compared.
    Copies(Vec<String>),
    /// These files are taken from the working tree, for both revisions.
    Borrowed(Vec<String>),
    /// This header was made from a template, without what cannot be known.
    Made {
        /// The header.
        header: String,
        /// The template.
        template: String,
    },
    /// This header of cmake for exported symbols was made, with macros that mean nothing.
    Exports(String),
}
