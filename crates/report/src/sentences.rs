//! One sentence, or part of one, for each piece of typed data.

use crate::replay_sentences::issue;
use verdiff_judge::{
    Assumption, Construct, Effect, EngineOutcome, GlobalChange, GlobalChangeKind, Hypothesis,
    Incomplete, NoCommonPart, StopReason,
};

/// The note on a pair for which a limit on time or memory was reached.
pub(crate) const NOT_REPRODUCIBLE: &str =
    "not reproducible: a limit on time or memory was reached, so another run may find more or less";

/// What verdicts assume.
pub(crate) fn assumption(assumption: &Assumption) -> String {
    let text = match assumption {
        Assumption::OverflowWraps => "signed overflow wraps",
        Assumption::OverflowUndefined => {
            "signed overflow does not happen in the old version, and traps in the new one"
        }
        Assumption::DeterministicExternals => {
            "external functions are deterministic: the same call in the same state has the same effect"
        }
        Assumption::ValidPointers => {
            "pointers at entry are null or aligned for their type; memory behind pointer parameters is valid and large enough"
        }
        Assumption::EnoughStack => "there is enough stack, and there are no threads or signals",
        Assumption::Abi(target) => return format!("the ABI of {target}"),
        Assumption::IndifferentAddresses => {
            "no result depends on the addresses of locals and of newly allocated objects"
        }
        Assumption::Restrict => {
            "pointer parameters that are `restrict` in both versions do not alias"
        }
        Assumption::NoAlias => "pointer parameters do not alias",
        Assumption::NoLineNumbers => "line numbers do not matter: `__LINE__` is 0 in both versions",
        Assumption::WeakDefinitions(names) => {
            return format!("no other file overrides these weak definitions: {}", names.join(", "));
        }
        Assumption::RoundToNearest => "floating-point operations round to nearest",
        Assumption::ByteDifference => {
            "memcmp, strcmp and strncmp return the difference of the first bytes that differ, as in glibc"
        }
        Assumption::DeterministicAssembly => {
            "inline assembly is deterministic: the same text with the same operands in the same state has the same effect"
        }
        Assumption::ObjectsBelow2GiB => "every array and string is smaller than 2 GiB",
        Assumption::Precondition { function, c } => return format!("{function}: {c}"),
    };
    text.to_owned()
}

/// The assumptions that matter most, and those that the user made.
pub(crate) fn short_assumptions(assumptions: &[Assumption]) -> Vec<String> {
    let short = |assumed: &Assumption| {
        let (rank, text) = match assumed {
            Assumption::OverflowWraps => (0, "wrapping overflow".to_owned()),
            Assumption::OverflowUndefined => {
                (0, "no signed overflow in the old version".to_owned())
            }
            Assumption::ValidPointers => (1, "valid pointers".to_owned()),
            Assumption::DeterministicExternals => (2, "deterministic externals".to_owned()),
            Assumption::NoAlias => (3, "no aliasing parameters".to_owned()),
            Assumption::NoLineNumbers => (3, "line numbers ignored".to_owned()),
            Assumption::Precondition { .. } => (4, assumption(assumed)),
            _ => return None,
        };
        Some((rank, text))
    };
    let mut all: Vec<(u8, String)> = assumptions.iter().filter_map(short).collect();
    all.sort_by_key(|(rank, _)| *rank);
    all.into_iter().map(|(_, text)| text).collect()
}

/// The same below a function, without the function's name.
pub(crate) fn precondition(assumed: &Assumption) -> String {
    match assumed {
        Assumption::Precondition { c, .. } => c.clone(),
        Assumption::OverflowUndefined => "no signed overflow in the old version".to_owned(),
        other => assumption(other),
    }
}

/// What changed outside of all functions.
pub(crate) fn global_change(change: &GlobalChange) -> String {
    let name = &change.name;
    match change.what {
        GlobalChangeKind::Removed => format!("the global {name} was removed"),
        GlobalChangeKind::Hidden => {
            format!("the global {name} is no longer visible to other files")
        }
        GlobalChangeKind::Undefined => format!("the global {name} is no longer defined"),
        GlobalChangeKind::Resized(before, now) => {
            format!("the global {name} had {before} bytes and has {now}")
        }
        GlobalChangeKind::Constant => format!("the global {name} is now constant"),
        GlobalChangeKind::Initialiser => {
            format!("the initial value of the global {name} changed")
        }
        GlobalChangeKind::Startup => {
            "other functions run before or after main, or in another order".to_owned()
        }
    }
}

/// What an engine did.
pub(crate) fn outcome(outcome: &EngineOutcome) -> String {
    match outcome {
        EngineOutcome::Difference => "found a difference".to_owned(),
        EngineOutcome::Proof => "added a proof".to_owned(),
        EngineOutcome::Stopped(reason) => stop_reason(reason),
        EngineOutcome::Nothing => "found nothing".to_owned(),
    }
}

/// Why there is no verdict.
pub fn stop_reason(reason: &StopReason) -> String {
    match reason {
        StopReason::Time => "the time limit was reached".to_owned(),
        StopReason::Memory => "the memory limit was reached".to_owned(),
        StopReason::Unsupported { construct, .. } => format!("{construct} is not supported"),
        StopReason::Incomplete { why } => incomplete(why),
        StopReason::Internal { detail } => format!("internal error: {detail}"),
    }
}

/// Why engines gave up.
fn incomplete(why: &Incomplete) -> String {
    let text = match why {
        Incomplete::Signature => "the signature changed",
        Incomplete::NotAnalysed => "it was not analysed",
        Incomplete::InterruptedBefore => "interrupted before it was analysed",
        Incomplete::Interrupted => "interrupted",
        Incomplete::NoInput => "no input satisfies the preconditions",
        Incomplete::Precondition => "the precondition cannot be evaluated",
        Incomplete::UnderPreconditions => "paths are not explored under preconditions",
        Incomplete::UndefinedOverflow => "undefined overflow is not decided symbolically yet",
        Incomplete::OtherCode => "the code differs in more than names and order",
        Incomplete::NoCounterpart => "it may call a function that the other version does not have",
        Incomplete::Callees => "the code is the same, but some callee is not known to be equal",
        Incomplete::TooManyCalls => "the formula with all callees inlined is too large",
        Incomplete::TooLarge => "the formula is too large",
        Incomplete::TooDeep => "calls are nested too deeply to be inlined",
        Incomplete::Loop(procedure) => return format!("{procedure} contains a loop"),
        Incomplete::NoAttempt => "no strategy decided it",
        Incomplete::Counterexample => "the solver's counterexample did not reproduce",
        Incomplete::WrongModel => "the solver returned an invalid model",
        Incomplete::SomePaths => "some paths were not explored within the limits",
        Incomplete::NoPath => "no path could be explored completely",
        Incomplete::CalleeResults => "the results of some callees are not known",
        Incomplete::NoInduction => {
            "no proof by induction over the calls and loops of both versions succeeded"
        }
        Incomplete::NoInductionInParts => {
            "no proof by induction succeeded for a subset of the inputs"
        }
        Incomplete::InductionInParts => "a proof by induction succeeded for some inputs only",
        Incomplete::NoCycle => "neither version loops or recurses",
        Incomplete::OpenCalls => "it calls functions that may not terminate",
        Incomplete::Tangled => "its call cycles are too complex",
        Incomplete::Termination => {
            "neither termination of both versions nor non-termination of one was proved"
        }
        Incomplete::EqualTermination => {
            "outcomes are equal, but it is not proved that both versions terminate for the same inputs"
        }
        Incomplete::AroundMain => {
            "code that runs before or after main, or a variable that a library may read, is not known to be equal"
        }
        Incomplete::Rounding => "it may change the floating-point rounding mode",
        Incomplete::NoDifference { runs, all: true } => {
            return format!("no difference found in {runs} runs, which cover all inputs");
        }
        Incomplete::NoDifference { runs, all: false } => {
            return format!("no difference found in {runs} runs");
        }
        Incomplete::OnlyTested { runs } => {
            return format!("testing found a difference ({runs} runs)");
        }
        Incomplete::NotRun(why) => {
            return format!(
                "a difference was predicted but could not be confirmed: {}",
                issue(why)
            );
        }
        Incomplete::UnsupportedIn { procedure, construct } => {
            return format!("{procedure} contains {construct}, which is not supported");
        }
        Incomplete::Construct(what) => return format!("{} is not supported", construct(*what)),
        Incomplete::Unaliased => "paths are not explored where pointers are assumed not to alias",
        Incomplete::Hypothesis(why) => hypothesis(*why),
        Incomplete::SolverGaveUp(why) => return format!("the solver gave up: {why}"),
        Incomplete::SolverFailed(what) => return format!("the solver failed: {what}"),
        Incomplete::Formula(error) => return format!("a formula could not be built: {error}"),
    };
    text.to_owned()
}

/// Why nothing is compared of two functions with different signatures.
pub(crate) fn no_common_part(why: &NoCommonPart) -> String {
    let why = match why {
        NoCommonPart::NotAnalysed => "it was not analysed",
        NoCommonPart::Variadic => "only one version is variadic",
        NoCommonPart::Moved(name) => &format!("the parameter {name} has another position"),
        NoCommonPart::ParameterType(name) => {
            &format!("the parameter {name} has a type of another kind")
        }
        NoCommonPart::ResultType => "the result has a type of another kind",
        NoCommonPart::NoValue => "a version may return without a value",
        NoCommonPart::NoBody => "a version has no body in the model",
        NoCommonPart::NoTypes => "the C types are not known",
        NoCommonPart::Structs => "structs are passed or returned by value",
    };
    format!("the common part of both signatures is not compared: {why}")
}

/// What symbolic execution does not support.
fn construct(what: Construct) -> &'static str {
    match what {
        Construct::LocalInInitialiser => "an initialiser with the address of a local variable",
        Construct::AmbiguousFree => {
            "a free of a pointer that may or may not point to memory allocated in the same call"
        }
        Construct::ArrayOnOnePath => "a variable-length array on only one of two paths",
        Construct::AllocatingLoop => "a loop that allocates or frees memory",
        Construct::UnexpectedCall => "a call at this point",
        Construct::NotLowered => "code that the model cannot express",
    }
}

/// Why induction is not possible.
fn hypothesis(why: Hypothesis) -> &'static str {
    match why {
        Hypothesis::Allocates => "no induction: a loop or recursion allocates or frees memory",
        Hypothesis::Unsupported => "no induction: a function that is called is not supported",
        Hypothesis::AllocatesBefore => {
            "no induction: memory is allocated or freed before a loop or recursion that accesses memory"
        }
        Hypothesis::UninitialisedBefore => {
            "no induction: memory may be uninitialised before a loop or recursion"
        }
        Hypothesis::LocalObjects => "no induction: a loop or recursion accesses local objects",
        Hypothesis::PassesObjects => {
            "no induction: a loop or recursion passes objects of known size to external functions"
        }
    }
}

/// How the new version differs.
pub(crate) fn effect(effect: &Effect) -> String {
    match effect {
        Effect::SameResult => "the returned value is the same".to_owned(),
        Effect::Constant { old: Some(old), new } => {
            format!("the new version returns {new} instead of {old}")
        }
        Effect::Constant { old: None, new } => format!("the new version returns {new}"),
        Effect::Offset { by, modulo_bits } => {
            let few = ["", "one", "two", "three"];
            let count = by.unsigned_abs();
            let few = usize::try_from(count).ok().and_then(|n| few.get(n));
            let shown = few.map_or(count.to_string(), |word| (*word).to_owned());
            let word = if *by > 0 { "more" } else { "less" };
            let modulo = modulo_bits.map_or(String::new(), |bits| format!(" (modulo 2^{bits})"));
            format!("the new version returns {shown} {word}{modulo}")
        }
        Effect::Traps(trap) => format!("the new version traps: {trap}"),
        Effect::OtherTrap { old, new } => {
            format!("the new version traps with {new}, the old one with {old}")
        }
        Effect::NoTrap { old, returns } => {
            let instead = returns.as_ref().map_or(String::new(), |v| format!(" and returns {v}"));
            format!("the new version no longer traps ({old}){instead}")
        }
    }
}
