//! What is added to a report after it was made: differences that the user accepts, tests that were written.

use crate::report::PairReport;

/// Something to be added to what a report says of a function.
#[derive(Clone, Debug)]
pub enum Remark {
    /// The user accepts all of its differences, for these reasons.
    Accepted(Vec<String>),
    /// The difference was written down as a C test.
    TestWritten {
        /// The files.
        files: Vec<String>,
        /// Whether it passes on the old version, or on the new one.
        passes_on_old: bool,
    },
    /// It was not.
    NoTest(NoTest),
}

/// Why a difference was not written down as a C test.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NoTest {
    /// A test includes one file, and a version has several.
    SeveralFiles,
    /// An undefined overflow shows only where the compiler checks for it.
    UndefinedOverflow,
    /// What the harness says.
    Harness(String),
}

impl PairReport {
    /// Adds a remark. A difference that is accepted does not count for the exit code.
    pub fn add(&mut self, remark: &Remark) {
        self.counts &= !matches!(remark, Remark::Accepted(_));
        self.notes.push(match remark {
            Remark::Accepted(why) => format!("accepted: {}", why.join("; ")),
            Remark::TestWritten { files, passes_on_old } => {
                let version = if *passes_on_old { "old" } else { "new" };
                format!("{} passes on the {version} version only", files.join(", "))
            }
            Remark::NoTest(why) => format!("no C test was written: {}", no_test(why)),
        });
    }
}

fn no_test(why: &NoTest) -> &str {
    match why {
        NoTest::SeveralFiles => "a test includes one file, here there are several",
        NoTest::UndefinedOverflow => "an undefined overflow shows only where clang checks for it",
        NoTest::Harness(why) => why,
    }
}

/// Said of an entry of a file of accepted differences that is about none.
pub fn accepts_nothing(function: &str) -> String {
    format!("--accept: {function} has no such difference")
}
