//! What can be wrong with a request, each with what to do about it.

use std::path::PathBuf;
use verdiff_front::FrontError;

/// Why two revisions could not be made ready for a comparison.
#[derive(Debug, thiserror::Error)]
pub enum RevisionError {
    /// There is no repository.
    #[error("{}: not in a git repository: change to one, or compare two files with `verdiff OLD NEW`", path.display())]
    NoRepository {
        /// Where it was looked for.
        path: PathBuf,
    },
    /// Nothing was committed yet.
    #[error("this repository has no commit yet: there is nothing to compare with")]
    NoCommit,
    /// A bare repository has no files to compare with.
    #[error(
        "this is a bare repository, without a working tree or an index: name two revisions, as in `verdiff git HEAD~1 HEAD`"
    )]
    Bare,
    /// Neither a revision nor a path.
    #[error(
        "{name}: neither a revision nor a path of this repository (check with `git rev-parse {name}`; write paths after `--`)"
    )]
    Unknown {
        /// What the user wrote.
        name: String,
    },
    /// A revision that a shallow clone does not have.
    #[error(
        "{name}: not in this shallow clone: fetch more of the history with `git fetch --deepen 50` or `git fetch --unshallow`"
    )]
    Shallow {
        /// What the user wrote.
        name: String,
    },
    /// Both a revision and a path.
    #[error(
        "{name}: both a revision and a path: write `--` after the revisions, as in `verdiff git {name} --` or `verdiff git -- {name}`"
    )]
    Ambiguous {
        /// What the user wrote.
        name: String,
    },
    /// More than two revisions.
    #[error("{name}: at most two revisions can be compared (write paths after `--`)")]
    TooMany {
        /// The first that is too much.
        name: String,
    },
    /// A range and something more.
    #[error("{name}: a range names both revisions; do not name another one")]
    RangeAndMore {
        /// The range.
        name: String,
    },
    /// `--cached` compares one revision with the index.
    #[error("--cached compares one revision with the index, so name at most one")]
    CachedAndTwo,
    /// Two revisions without a common ancestor.
    #[error(
        "{name}: these revisions have no common ancestor: compare them with two dots or as two arguments"
    )]
    NoMergeBase {
        /// The range.
        name: String,
    },
    /// A name that is something else than a commit.
    #[error("{name}: not a commit")]
    NotACommit {
        /// What the user wrote.
        name: String,
    },
    /// No C at all.
    #[error("there is no C file in {revision}: verdiff compares C code")]
    NoCode {
        /// Where.
        revision: String,
    },
    /// A compilation database that is not there.
    #[error("{}: no compilation database: give compile_commands.json or the folder that contains it", path.display())]
    NoDatabase {
        /// Where it was looked for.
        path: PathBuf,
    },
    /// A build failed before it compiled anything.
    #[error("the build of {revision} failed ({status}) and compiled no C file:\n{output}")]
    Build {
        /// Which revision.
        revision: String,
        /// How it ended.
        status: String,
        /// The end of its output.
        output: String,
    },
    /// A build did not call a compiler.
    #[error(
        "the build of {revision} compiled no C file: it must call the compiler as cc, gcc or clang, not by an absolute path"
    )]
    NothingBuilt {
        /// Which revision.
        revision: String,
    },
    /// What libgit2 says.
    #[error("git: {0}")]
    Git(#[from] git2::Error),
    /// What the front end says.
    #[error(transparent)]
    Front(#[from] FrontError),
    /// The system failed us.
    #[error("{what}: {source}")]
    System {
        /// What was tried.
        what: String,
        /// What the system said.
        source: std::io::Error,
    },
}

impl RevisionError {
    /// For `map_err`.
    pub(crate) fn system(what: impl Into<String>) -> impl FnOnce(std::io::Error) -> RevisionError {
        let what = what.into();
        move |source| RevisionError::System { what, source }
    }
}
