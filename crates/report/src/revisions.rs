//! The notes of a report on how two revisions of a repository were prepared.

/// Something to know about a comparison of two revisions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RevisionNote {
    /// No file differs between the two.
    NoChange([String; 2]),
    /// No C code differs between the two.
    NoCodeChanged([String; 2]),
    /// The affected files are only in this one.
    OnlyIn(String),
    /// Compiler flags were guessed from the `#include` lines.
    GuessedFlags,
    /// The files of this submodule are missing.
    MissingSubmodule(String),
    /// The build failed; what it compiled before is used.
    BuildFailed {
        /// Which revision's.
        revision: String,
        /// Its exit status.
        status: String,
        /// The last line of what it printed.
        output: String,
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
    /// This header, which cmake generates for exported symbols, was made with empty macros.
    Exports(String),
}

/// A note as a sentence.
pub fn revision_note(note: &RevisionNote) -> String {
    match note {
        RevisionNote::NoChange([old, new]) => format!("no file differs between {old} and {new}"),
        RevisionNote::NoCodeChanged([old, new]) => {
            format!("no C code differs between {old} and {new}")
        }
        RevisionNote::OnlyIn(side) => {
            format!("nothing to compare: the affected files are only in {side}")
        }
        RevisionNote::GuessedFlags => {
            "compiler flags were guessed from the #include lines; give the real ones with \
                                       --build 'make' or -p compile_commands.json"
                .to_owned()
        }
        RevisionNote::MissingSubmodule(path) => format!(
            "the files of submodule {path} are missing: `git submodule update --init` gets them"
        ),
        RevisionNote::BuildFailed { revision, status, output } => format!(
            "the build of {revision} failed ({status}); the files that it compiled before are used: {output}"
        ),
        RevisionNote::EmptyDatabase(path) => {
            format!("{path}: this compilation database lists no file of these revisions")
        }
        RevisionNote::Unlinked(names) => format!(
            "functions that use the following names are unknown, because the files that define them could not be linked: {}",
            few(names)
        ),
        RevisionNote::Copies(files) => format!(
            "not compared, since they include a C file that is compared by itself: {}",
            few(files)
        ),
        RevisionNote::Borrowed(names) => {
            format!("used from the working tree for both revisions: {}", few(names))
        }
        RevisionNote::Exports(header) => {
            format!(
                "{header} was generated with empty macros for exported symbols, as cmake does it"
            )
        }
        RevisionNote::Made { header, template } => {
            format!(
                "{header} was generated from {template}, without the values that only a configure run knows"
            )
        }
    }
}

/// Why a file is not compared: it does not compile in this revision.
pub fn does_not_compile(revision: &str) -> String {
    format!("does not compile in {revision}")
}

/// Some names, and how many more there are.
fn few(names: &[String]) -> String {
    match names {
        [first @ .., _] if names.len() > 5 => {
            format!("{} and {} more", first[..4].join(", "), names.len() - 4)
        }
        names => names.join(", "),
    }
}
