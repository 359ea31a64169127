//! The texts for why a difference was not confirmed.

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
        ReplayProblem::Late => "it did not finish within the time limit",
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
        ReplayProblem::NotThere => "it does not define everything that the input uses",
        ReplayProblem::NoDifference => "no difference is predicted: both versions behave the same",
        ReplayProblem::OutOfSteps => "it was still running at the step limit",
        ReplayProblem::Uninterpreted(why) => return format!("it cannot be interpreted: {why}"),
        ReplayProblem::OneSidedFailure => {
            "the allocation that fails has no counterpart in the other version"
        }
        ReplayProblem::NotShown(difference) => {
            return format!(
                "both runs match the prediction, but the compiled programs do not show the difference: \
                 {difference}"
            );
        }
        ReplayProblem::HiddenTrap(trap) => {
            return format!("neither hardware nor sanitizers detect the trap: {trap}");
        }
        ReplayProblem::UnconfirmedTrap => "neither hardware nor sanitizers detect the trap",
        ReplayProblem::NoAnswer => "the compiled program gave no answer",
        ReplayProblem::NothingCompared => "nothing was compared",
        ReplayProblem::StillRunning => "the compiled program was still running at the time limit",
        ReplayProblem::TooLarge => "it exceeds the limit on memory or on events",
        ReplayProblem::UnsupportedCallee => "it executes code that is not supported",
        ReplayProblem::External => "what it prints or calls cannot be compared",
        ReplayProblem::StateRefused => "the input cannot be set up",
        ReplayProblem::OpenOperation => {
            "it executes an operation whose result the model does not define"
        }
        ReplayProblem::MaybeOpen(did) => {
            let did = disagreement(did);
            return format!(
                "it may execute an operation whose result the model does not define ({did})"
            );
        }
        ReplayProblem::DependsOnAddresses => {
            "its behaviour depends on the addresses of code, globals or heap objects"
        }
        ReplayProblem::Undefined => "it relies on undefined behaviour",
        ReplayProblem::TrapRemoved(did) => {
            return format!("the compiler removed the trap: {}", disagreement(did));
        }
        ReplayProblem::OtherWhenSanitized => {
            "it behaves differently when compiled with a sanitizer"
        }
        ReplayProblem::BothRun => "both versions were still running at the step limit",
        ReplayProblem::NoHang => "both versions terminate in the interpreter",
        ReplayProblem::EndUnknown => "the outcome of the version that terminates is not known",
        ReplayProblem::CutOff(how) => {
            return format!("the run stopped too early: it {}", run_end(how));
        }
        ReplayProblem::Terminated(how) => {
            return format!("it was predicted not to terminate, but it {}", run_end(how));
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
        PredictedEnd::GoesOn => "run forever".to_owned(),
    };
    format!("it was predicted to {predicted}, but the compiled program {}", run_end(observed))
}

/// How a run terminated, as the predicate of a sentence.
fn run_end(end: &RunEnd) -> String {
    let text = match end {
        RunEnd::Returned => "returned",
        RunEnd::Exited(status) => return format!("exited with {status}"),
        RunEnd::Signal(number) => return format!("received {}", signal(*number)),
        RunEnd::Called(Some(name)) => return format!("called {name}"),
        RunEnd::Called(None) => "called a function that is not defined",
        RunEnd::TimedOut => "was still running at the time limit",
        RunEnd::BadFree => "freed a pointer that is not a heap object",
        RunEnd::AssertFailed => "failed an assertion",
        RunEnd::OutOfMemory => "ran out of memory",
        RunEnd::Reported(kind) => return format!("was stopped by a sanitizer ({kind})"),
        RunEnd::Refused(why) => return format!("was not started ({why})"),
        RunEnd::Died => "ended without a result",
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
        StubProblem::Unseen(arg) => {
            format!("argument {arg} of {function} cannot be read by a stub")
        }
        StubProblem::Unfilled(arg) => {
            format!("argument {arg} of {function} cannot be written by a stub")
        }
        StubProblem::WritesCopy(arg) => format!("{function} writes to its copy of argument {arg}"),
        StubProblem::WritesMissing(name) => {
            format!("{function} writes to {name}, which does not exist")
        }
        StubProblem::ResultCount => {
            format!("the number of results of {function} differs from its declaration")
        }
        StubProblem::ResultUnknown => format!("the return value of {function} is not known"),
        StubProblem::ReturnsAddress => format!("{function} returns an address"),
        StubProblem::ResultFrame => format!("a result of {function} does not fit its type"),
    }
}
