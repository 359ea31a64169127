//! Why a difference was not confirmed, in words.

use verdiff_judge::{
    Disagreement, PredictedEnd, Replay, ReplayIssue, ReplayProblem, RunEnd, Side, StubProblem,
};

/// Why a replay did not confirm a difference; nothing if it did.
pub fn replay_problem(replay: &Replay) -> Option<String> {
    match replay {
        Replay::Confirmed | Replay::ConfirmedWithStubs => None,
        Replay::Refuted { why } | Replay::NotRun { why } => Some(issue(why)),
    }
}

/// A problem, with the version that it is about.
pub(crate) fn issue(issue: &ReplayIssue) -> String {
    let what = problem(&issue.what);
    match issue.side {
        Some(side) => {
            format!("the {} version: {what}", if side == Side::Old { "old" } else { "new" })
        }
        None => what,
    }
}

fn problem(what: &ReplayProblem) -> String {
    let text = match what {
        ReplayProblem::Late => "it was not done within the time limit",
        ReplayProblem::Interrupted => "interrupted",
        ReplayProblem::Preparation(what) => what,
        ReplayProblem::Compile(None) => "it cannot be compiled",
        ReplayProblem::Compile(Some(why)) => return format!("it cannot be compiled: {why}"),
        ReplayProblem::Start(why) => return format!("it cannot be run: {why}"),
        ReplayProblem::RunFailed(why) => why,
        ReplayProblem::RunnerFailed => "running it failed",
        ReplayProblem::OldOverflows => "the old version overflows",
        ReplayProblem::ResultTypes => {
            "the versions return different types, which compiled runs do not compare"
        }
        ReplayProblem::ConvertedArgument => {
            "an argument is converted in one version, which compiled runs do not compare"
        }
        ReplayProblem::OtherState => "the two versions do not start from the same state",
        ReplayProblem::OtherInitialiser(name) => {
            return format!("the initial value of {name} points to what only one version has");
        }
        ReplayProblem::NotThere => "it does not have everything that the input mentions",
        ReplayProblem::NoDifference => "no difference is predicted: both versions do the same",
        ReplayProblem::OutOfSteps => "it was still running at the step limit",
        ReplayProblem::Uninterpreted(why) => return format!("it cannot be interpreted: {why}"),
        ReplayProblem::OneSidedFailure => {
            "an allocation fails that the other version does not make in the same way"
        }
        ReplayProblem::NotShown(difference) => {
            return format!(
                "both did what was predicted, but the compiled programs do not show the difference: \
                 {difference}"
            );
        }
        ReplayProblem::HiddenTrap(trap) => return format!("nothing shows the trap: {trap}"),
        ReplayProblem::UnconfirmedTrap => "nothing shows the trap",
        ReplayProblem::NoAnswer => "the compiled program gave no answer",
        ReplayProblem::NothingCompared => "nothing was compared",
        ReplayProblem::StillRunning => "the compiled program was still running at the time limit",
        ReplayProblem::TooLarge => "it needs more memory or makes more events than allowed",
        ReplayProblem::UnsupportedCallee => "it calls a function that is not supported",
        ReplayProblem::External => "what it prints or calls cannot be compared",
        ReplayProblem::StateRefused => "the input cannot be set up",
        ReplayProblem::OpenOperation => "it executes an operation that the model leaves open",
        ReplayProblem::MaybeOpen(did) => {
            let did = disagreement(did);
            return format!("it may execute an operation that the model leaves open ({did})");
        }
        ReplayProblem::DependsOnAddresses => {
            "what it does depends on where code, globals or the heap lie"
        }
        ReplayProblem::Undefined => "it relies on undefined behaviour",
        ReplayProblem::TrapRemoved(did) => {
            return format!("the compiler removed the trap: {}", disagreement(did));
        }
        ReplayProblem::OtherWhenSanitized => "it is another program when compiled with a sanitizer",
        ReplayProblem::BothRun => "both versions were still running at the step limit",
        ReplayProblem::NoHang => "both versions terminate in the interpreter",
        ReplayProblem::EndUnknown => "how the other version terminates is not known",
        ReplayProblem::CutOff(how) => return format!("it did not go on: it {}", run_end(how)),
        ReplayProblem::Terminated(how) => {
            return format!("it should not terminate, and {}", run_end(how));
        }
        ReplayProblem::Disagreed(did) => return disagreement(did),
        ReplayProblem::TooManyEvents => "there are too many events to compare",
        ReplayProblem::Stub { function, why } => return stub(function, why),
    };
    text.to_owned()
}

fn disagreement(did: &Disagreement) -> String {
    let (predicted, observed) = match did {
        Disagreement::Detail(text) => return text.clone(),
        Disagreement::End { predicted, observed } => (predicted, observed),
    };
    let predicted = match predicted {
        PredictedEnd::Returned => "return".to_owned(),
        PredictedEnd::Trapped(trap) => format!("trap ({trap})"),
        PredictedEnd::Exited(status) => format!("exit with {status}"),
        PredictedEnd::LeftThrough(name) => format!("call {name}, which does not return"),
        PredictedEnd::GoesOn => "not terminate".to_owned(),
    };
    format!("it should {predicted}, and the compiled run {}", run_end(observed))
}

/// How a run terminated, as a sentence about it goes on.
fn run_end(end: &RunEnd) -> String {
    let text = match end {
        RunEnd::Returned => "returned",
        RunEnd::Exited(status) => return format!("exited with {status}"),
        RunEnd::Signal(number) => return format!("received {}", signal(*number)),
        RunEnd::Called(Some(name)) => return format!("called {name}"),
        RunEnd::Called(None) => "called a function that is not linked",
        RunEnd::TimedOut => "was still running at the time limit",
        RunEnd::BadFree => "freed a pointer that is not a heap object",
        RunEnd::AssertFailed => "failed an assertion",
        RunEnd::OutOfMemory => "ran out of memory",
        RunEnd::Reported(kind) => return format!("was stopped by a sanitizer ({kind})"),
        RunEnd::Refused(why) => return format!("was not started ({why})"),
        RunEnd::Died => "terminated its process",
    };
    text.to_owned()
}

fn signal(number: i32) -> String {
    match number {
        4 => "SIGILL".to_owned(),
        5 => "SIGTRAP".to_owned(),
        6 => "SIGABRT".to_owned(),
        8 => "SIGFPE".to_owned(),
        11 => "SIGSEGV".to_owned(),
        other => format!("signal {other}"),
    }
}

fn stub(function: &str, why: &StubProblem) -> String {
    match why {
        StubProblem::NotDeclared => format!("{function} is not a function of the program"),
        StubProblem::Parameters => format!("{function} has parameters that no stub can take"),
        StubProblem::Unseen(arg) => format!("argument {arg} of {function} cannot be seen"),
        StubProblem::Unfilled(arg) => format!("argument {arg} of {function} cannot be filled"),
        StubProblem::WritesCopy(arg) => format!("{function} writes to its copy of argument {arg}"),
        StubProblem::WritesMissing(name) => {
            format!("{function} writes to {name}, which is not there")
        }
        StubProblem::ResultCount => {
            format!("{function} returns another number of results than it is declared with")
        }
        StubProblem::ResultUnknown => format!("what {function} returns is not known"),
        StubProblem::ReturnsAddress => format!("{function} returns an address"),
        StubProblem::ResultFrame => format!("a result of {function} does not fit its frame"),
    }
}
