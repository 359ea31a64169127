//! What is added to a report after it was made: differences that the user accepts, tests that were written.

use crate::report::PairReport;
use verdiff_judge::NoTest;

/// A note that is added to the report of a function.
#[derive(Clone, Debug)]
pub enum Remark {
    /// The user accepts all of its differences, for these reasons.
    Accepted(Vec<String>),
    /// The difference was written down as a C test.
    TestWritten {
        /// The files, each with its text.
        files: Vec<(String, String)>,
        /// Whether it passes on the old version, or on the new one.
        passes_on_old: bool,
    },
    /// No test was written.
    NoTest(NoTest),
}

impl PairReport {
    /// Adds a remark. A difference that is accepted does not count for the exit code.
    pub fn add(&mut self, remark: &Remark) {
        if let Remark::Accepted(why) = remark {
            self.counts = false;
            self.accepted = Some(why.join("; "));
        }
        self.notes.push(match remark {
            Remark::Accepted(why) => format!("accepted: {}", why.join("; ")),
            Remark::TestWritten { files, passes_on_old } => {
                let version = if *passes_on_old { "old" } else { "new" };
                self.tests.clone_from(files);
                let names: Vec<&str> = files.iter().map(|(name, _)| name.as_str()).collect();
                format!("{} passes on the {version} version only", names.join(", "))
            }
            Remark::NoTest(why) => format!("no C test was written: {}", no_test(why)),
        });
    }
}

fn no_test(why: &NoTest) -> String {
    let text = match why {
        NoTest::SeveralFiles => "a test includes one file, here there are several",
        NoTest::UndefinedOverflow => "only clang's overflow checks show an undefined overflow",
        NoTest::Unconfirmed => "the difference is not confirmed",
        NoTest::NotAgain => "the difference could not be reproduced",
        NoTest::FailingAllocation => "an allocation must fail, which a test cannot force",
        NoTest::BothTrap => "both versions trap, in different ways",
        NoTest::Variadic => "the function is variadic",
        NoTest::UnknownType => "the C type of the function is not known",
        NoTest::Parameters => "the parameters of the function do not correspond to its C type",
        NoTest::UnnamedType => "a parameter or the result has a type without a name",
        NoTest::Alignment => "an object is aligned to more than 16 bytes",
        NoTest::StructLayout => "a struct that is passed by value has two different layouts",
        NoTest::PointerInStruct => "a struct that is passed by value holds a pointer",
        NoTest::PointerToNew => "the input holds a pointer to an object that the run allocates",
        NoTest::OneSided(name) => return format!("only one version has {name}"),
        NoTest::Unreachable(name) => return format!("{name} is not visible outside its function"),
        NoTest::DefinedElsewhere(name) => return format!("{name} is defined in another file"),
        NoTest::StubSignature(name) => {
            return format!("{name} cannot be replaced by a function written in C");
        }
        NoTest::StubResult(name) => {
            return format!("the value that {name} returns cannot be written in C");
        }
    };
    text.to_owned()
}

/// The warning about an entry of the accept file that matches no difference.
pub fn accepts_nothing(function: &str) -> String {
    format!("--accept: {function} has no such difference")
}
