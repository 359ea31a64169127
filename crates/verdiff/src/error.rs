//! Why there is no report.

use verdiff_front::FrontError;
use verdiff_plan::PlanError;
use verdiff_report::HtmlError;

/// Why there is no report. Options are named as on the command line.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A version cannot be loaded: no such file, it does not compile.
    #[error(transparent)]
    Front(#[from] FrontError),
    /// A function that the options name does not exist.
    #[error(transparent)]
    Plan(#[from] PlanError),
    /// No function is in both versions.
    #[error("the two versions have no function in common: there is nothing to compare")]
    NothingInCommon,
    /// A client has nothing to judge.
    #[error("it defines no function")]
    NoFunction,
    /// The budget was too short to load the versions.
    #[error("--budget: the time limit was reached before both versions were loaded")]
    Budget,
    /// A precondition cannot be used.
    #[error("--assume{0}")]
    Assume(String),
    /// Undefined overflow needs a compilation from C.
    #[error("{0}: --overflow=ub needs C files, which are compiled with overflow checks")]
    OverflowOfBitcode(String),
    /// A temporary file cannot be written.
    #[error("cannot write a temporary file: {0}")]
    Temporary(#[from] std::io::Error),
    /// A bug in verdiff.
    #[error("internal error: loading the new version failed")]
    Panicked,
    /// The HTML report could not be made.
    #[error(transparent)]
    Html(#[from] HtmlError),
}
