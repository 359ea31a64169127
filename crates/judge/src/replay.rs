//! How a replay on the compiled programs ended, and why it did not confirm what was predicted. As data: the sentences are
//! made by the report.

use serde::{Deserialize, Serialize};
use verdiff_model::{Side, Trap};

/// How a replay on the compiled programs ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "status", rename_all = "kebab-case")]
pub enum Replay {
    /// Each side did what was predicted for it.
    Confirmed,
    /// So it did, with stubs for external functions.
    ConfirmedWithStubs,
    /// A side did something else: a bug of the model.
    Refuted {
        /// What.
        why: ReplayIssue,
    },
    /// It could not be run or compared.
    NotRun {
        /// Why.
        why: ReplayIssue,
    },
}

impl Replay {
    /// Not run, for this reason, which concerns both versions.
    pub fn not_run(what: ReplayProblem) -> Replay {
        Replay::NotRun { why: what.into() }
    }

    /// Whether the clock had a part in it that there is no result ([`ReplayProblem::is_by_clock`]).
    pub fn is_by_clock(&self) -> bool {
        matches!(self, Replay::NotRun { why } if why.what.is_by_clock())
    }

    /// Whether it was not confirmed, and another run of the same programs would come to the same end.
    pub fn is_settled(&self) -> bool {
        matches!(self, Replay::NotRun { why } if why.what.is_settled())
    }

    /// Whether the compiled programs showed the difference.
    pub fn is_confirmed(&self) -> bool {
        matches!(self, Replay::Confirmed | Replay::ConfirmedWithStubs)
    }

    /// In the word of the JSON report.
    pub fn word(&self) -> &'static str {
        match self {
            Replay::Confirmed => "confirmed",
            Replay::ConfirmedWithStubs => "confirmed-with-stubs",
            Replay::Refuted { .. } => "refuted",
            Replay::NotRun { .. } => "not-run",
        }
    }
}

/// Why a difference was not confirmed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReplayIssue {
    /// The version that it is about, if it is one.
    pub side: Option<Side>,
    /// What the problem is.
    pub what: ReplayProblem,
}

impl From<ReplayProblem> for ReplayIssue {
    fn from(what: ReplayProblem) -> ReplayIssue {
        ReplayIssue { side: None, what }
    }
}

impl ReplayProblem {
    /// Whether the clock, or the user, had a part in it: another run may come to another end.
    pub fn is_by_clock(&self) -> bool {
        matches!(self, Self::Late | Self::Interrupted | Self::StillRunning)
    }

    /// Whether neither the clock nor the user nor a failure of the compiler or the system had a part in it.
    fn is_settled(&self) -> bool {
        let failed = matches!(
            self,
            Self::Preparation(_)
                | Self::Compile(_)
                | Self::Start(_)
                | Self::RunFailed(_)
                | Self::RunnerFailed
                | Self::NoAnswer
        );
        !failed && !self.is_by_clock()
    }

    /// As a problem of one version.
    pub fn of(self, side: Side) -> ReplayIssue {
        ReplayIssue { side: Some(side), what: self }
    }
}

/// What kept a difference from being confirmed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ReplayProblem {
    /// The time limit was reached.
    Late,
    /// The user interrupted the run.
    Interrupted,
    /// The versions could not be compiled; what went wrong.
    Preparation(String),
    /// It cannot be compiled; what the compiler says, if it was asked.
    Compile(Option<String>),
    /// It cannot be started; what the linker or the system says.
    Start(String),
    /// The run failed; what the system says.
    RunFailed(String),
    /// The thread that runs it panicked.
    RunnerFailed,
    /// The old version overflows there, which is excluded.
    OldOverflows,
    /// The versions return different types.
    ResultTypes,
    /// An argument is converted in one version.
    ConvertedArgument,
    /// The two sides do not start from the same state.
    OtherState,
    /// This global begins as something that only one version has.
    OtherInitialiser(String),
    /// It does not have what the state speaks of.
    NotThere,
    /// Both versions are predicted to do the same.
    NoDifference,
    /// The interpreter was still running at the step limit.
    OutOfSteps,
    /// It cannot be interpreted; why.
    Uninterpreted(String),
    /// An allocation fails that the other version does not make so.
    OneSidedFailure,
    /// Both did what was predicted, but compiled programs do not show this difference.
    NotShown(String),
    /// Nothing shows this trap.
    HiddenTrap(Trap),
    /// Nothing shows the trap that was predicted.
    UnconfirmedTrap,
    /// The compiled program gave no answer.
    NoAnswer,
    /// Nothing was compared.
    NothingCompared,
    /// The compiled program was still running at the time limit.
    StillRunning,
    /// It needs more memory or makes more events than allowed.
    TooLarge,
    /// It executes a function that is not supported.
    UnsupportedCallee,
    /// What it prints or calls cannot be compared.
    External,
    /// The state cannot be set up.
    StateRefused,
    /// It executes an operation that the model leaves open.
    OpenOperation,
    /// It may do what the model leaves open; what it did.
    MaybeOpen(Disagreement),
    /// What it does depends on addresses.
    DependsOnAddresses,
    /// It rests on undefined behaviour.
    Undefined,
    /// The compiler removed the trap; what the program did.
    TrapRemoved(Disagreement),
    /// It is another program when it is compiled with a sanitizer.
    OtherWhenSanitized,
    /// Both versions were still running at the step limit.
    BothRun,
    /// The interpreter shows no run that does not terminate.
    NoHang,
    /// How the other version terminates is not known.
    EndUnknown,
    /// It should have gone on, and was cut off so.
    CutOff(RunEnd),
    /// It should have gone on, and terminated so.
    Terminated(RunEnd),
    /// What it did instead of what was predicted.
    Disagreed(Disagreement),
    /// There are too many events to compare.
    TooManyEvents,
    /// An external function cannot be made to answer as predicted.
    Stub {
        /// The function.
        function: String,
        /// Why.
        why: StubProblem,
    },
}

/// How a compiled run terminated. What looks the same from outside is the same here.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RunEnd {
    /// It returned.
    Returned,
    /// It called `exit` with this status.
    Exited(i32),
    /// This signal, or an error that is reported as one.
    Signal(i32),
    /// It called a function that is not linked; its name, if it is of interest.
    Called(Option<String>),
    /// It was still running at the time limit.
    TimedOut,
    /// It freed what is no live heap object.
    BadFree,
    /// An `assert` failed.
    AssertFailed,
    /// It ran out of memory.
    OutOfMemory,
    /// A sanitizer reported this kind of error.
    Reported(String),
    /// The driver refused the job, for this reason.
    Refused(String),
    /// It terminated the whole process.
    Died,
}

/// How a run should have terminated.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PredictedEnd {
    /// With a return.
    Returned,
    /// With this trap.
    Trapped(Trap),
    /// With `exit` and this status.
    Exited(i32),
    /// With a call of this function, which does not return.
    LeftThrough(String),
    /// Not at all.
    GoesOn,
}

/// What a compiled run did otherwise than predicted.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Disagreement {
    /// It terminated in another way.
    End {
        /// How it should have terminated.
        predicted: PredictedEnd,
        /// How it did.
        observed: RunEnd,
    },
    /// A value, memory or an event differs: where, and both as the harness logs them. For reports of bugs.
    Detail(String),
}

/// Why an external function cannot be made to answer as predicted.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StubProblem {
    /// The program does not declare it.
    NotDeclared,
    /// A stub cannot take its parameters.
    Parameters,
    /// What this argument points to cannot be seen.
    Unseen(u32),
    /// What this argument points to cannot be filled.
    Unfilled(u32),
    /// It writes to its copy of this argument.
    WritesCopy(u32),
    /// It writes to this global, which is not there.
    WritesMissing(String),
    /// It has another number of results than it is declared with.
    ResultCount,
    /// What it returns is not known.
    ResultUnknown,
    /// It returns an address.
    ReturnsAddress,
    /// A result does not fit its frame.
    ResultFrame,
}

/// Why a confirmed difference was not written down as a C test.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NoTest {
    /// A test includes one file, and a version has several.
    SeveralFiles,
    /// An undefined overflow shows only where the compiler checks for it.
    UndefinedOverflow,
    /// The difference is not confirmed.
    Unconfirmed,
    /// The difference was confirmed, and cannot be set up once more.
    NotAgain,
    /// An allocation must fail.
    FailingAllocation,
    /// Both versions trap, in different ways.
    BothTrap,
    /// The function is variadic.
    Variadic,
    /// The C type of the function is not known.
    UnknownType,
    /// The machine's parameters of the function do not correspond to those of its C type.
    Parameters,
    /// A parameter or the result has a type without a name.
    UnnamedType,
    /// An object must be aligned to more bytes than the test's allocations are.
    Alignment,
    /// A struct that is passed by value has different layouts in the two versions.
    StructLayout,
    /// A struct that is passed in registers holds a pointer.
    PointerInStruct,
    /// The entry state holds a pointer to an object that the run allocates.
    PointerToNew,
    /// This function or global is only in one version.
    OneSided(String),
    /// This global has no name that another function could use.
    Unreachable(String),
    /// This global is defined in another file.
    DefinedElsewhere(String),
    /// A stub of this function cannot be declared in C.
    StubSignature(String),
    /// What a stub of this function must return has no C literal.
    StubResult(String),
}
