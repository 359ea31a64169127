//! The part of the command line that is about reports: formats, files, the policy for the exit code, and the commands
//! that read a report.

use clap::{Args, ValueEnum};
use std::path::PathBuf;
use verdiff_report::FailOn;

/// The report of a comparison.
#[derive(Clone, Debug, Args)]
pub struct ReportOptions {
    /// The format of the report on standard output [default: text]. Repeatable: if a file of -o has this format, the
    /// report is written to that file instead (JSON: to both).
    #[arg(long, value_name = "FORMAT")]
    pub format: Vec<Format>,

    /// Also write the report to this file (repeatable). The name decides the format: .json, .sarif, .html, .md,
    /// code-quality.json (GitLab); other names take a --format that no file has yet, else text.
    #[arg(short, long, value_name = "FILE")]
    pub output: Vec<PathBuf>,

    /// What makes the exit code non-zero, separated by commas [default: different,unknown].
    #[arg(long, value_name = "WHAT", value_delimiter = ',')]
    pub fail_on: Vec<Failure>,

    /// Do not show a long report in a pager.
    #[arg(long)]
    pub no_pager: bool,

    /// Write the proof obligations of all proofs into this folder, as SMT-LIB, for `verdiff audit`.
    #[arg(long, value_name = "DIR")]
    pub evidence: Option<PathBuf>,

    /// An earlier JSON report: SARIF then states which results are new, unchanged, updated or absent.
    #[arg(long, value_name = "REPORT.json")]
    pub baseline: Option<PathBuf>,
}

impl ReportOptions {
    /// What makes the exit code non-zero.
    pub fn policy(&self) -> FailOn {
        let has = |failure| self.fail_on.contains(&failure);
        match self.fail_on.is_empty() {
            true => FailOn::default(),
            false => FailOn { different: has(Failure::Different), unknown: has(Failure::Unknown) },
        }
    }
}

/// The format of a report.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// For people.
    Text,
    /// For scripts.
    Json,
    /// SARIF 2.1.0, for code scanning and editors.
    Sarif,
    /// One page for a browser.
    Html,
    /// A comment of at most 60 lines, for code review.
    Markdown,
    /// GitLab's code quality report.
    CodeQuality,
}

/// What can make the exit code non-zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Failure {
    /// A confirmed difference: exit code 1.
    Different,
    /// An undecided function or a file that could not be compared: exit code 3.
    Unknown,
    /// Nothing: the exit code is 0, or 2 after an error.
    Nothing,
}

/// `verdiff explain`.
#[derive(Debug, Args)]
#[command(
    override_usage = "verdiff explain REPORT.json FUNCTION\n       verdiff explain CODE\n       verdiff explain"
)]
pub struct Explain {
    /// A JSON report, or a code or word of a report: `different-trap`, `no-induction`, `vacuous`. Without it, all codes
    /// are listed.
    #[arg(value_name = "REPORT.json | CODE")]
    pub subject: Option<String>,

    /// The function whose verdict is explained.
    #[arg(value_name = "FUNCTION")]
    pub function: Option<String>,
}

/// `verdiff audit`.
#[derive(Debug, Args)]
pub struct Audit {
    /// A JSON report of a comparison with `--evidence DIR`.
    #[arg(value_name = "REPORT.json")]
    pub report: PathBuf,

    /// Check only the proofs of these functions [default: all].
    #[arg(value_name = "FUNCTION")]
    pub functions: Vec<String>,

    /// The solver, with its options. It gets the name of an SMT-LIB file and must print `unsat`, `sat` or `unknown`.
    #[arg(long, value_name = "COMMAND", default_value = "cvc5")]
    pub solver: String,

    /// How long the solver may work on each proof obligation, in seconds.
    #[arg(long, value_name = "SECONDS", default_value = "20")]
    pub timeout: u64,
}

/// `verdiff accept`.
#[derive(Debug, Args)]
pub struct Accept {
    /// A JSON report.
    #[arg(value_name = "REPORT.json")]
    pub report: PathBuf,

    /// Accept only the differences of these functions [default: all differences that count].
    #[arg(value_name = "FUNCTION")]
    pub functions: Vec<String>,

    /// The accept file; entries and comments that it has are kept.
    #[arg(short, long, value_name = "FILE", default_value = "verdiff-accept.toml")]
    pub output: PathBuf,

    /// Why the differences are expected.
    #[arg(long, value_name = "TEXT")]
    pub why: Option<String>,
}
