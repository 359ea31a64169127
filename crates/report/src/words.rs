//! One sentence, or part of one, for each piece of typed data.

use verdiff_judge::{Assumption, EngineOutcome, GlobalChange, GlobalChangeKind, StopReason};

/// Said of a pair that the clock, or want of memory, had a part in.
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
            "external functions are deterministic: the same calls in the same state do the same"
        }
        Assumption::ValidPointers => {
            "pointers at entry are null, or aligned for their type and lead to objects that are large enough where no bound is known"
        }
        Assumption::EnoughStack => "there is enough stack, and there are no threads or signals",
        Assumption::Abi(target) => return format!("the ABI of {target}"),
        Assumption::IndifferentAddresses => {
            "no result depends on where locals and fresh objects lie"
        }
        Assumption::Restrict => {
            "pointer parameters that are `restrict` in both versions do not alias"
        }
        Assumption::NoAlias => "pointer parameters do not alias",
        Assumption::WeakDefinitions(names) => {
            return format!("weak definitions are the ones that are used: {}", names.join(", "));
        }
        Assumption::RoundToNearest => "floating-point operations round to nearest",
        Assumption::ByteDifference => {
            "memcmp, strcmp and strncmp return the difference of the first bytes that differ, as glibc's do"
        }
        Assumption::Precondition { function, c } => return format!("{function}: {c}"),
    };
    text.to_owned()
}

/// The same below a function, whose name need not be said again.
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
        GlobalChangeKind::Removed => format!("the global {name} is gone"),
        GlobalChangeKind::Hidden => {
            format!("the global {name} cannot be seen by other files any more")
        }
        GlobalChangeKind::Undefined => format!("the global {name} is not defined any more"),
        GlobalChangeKind::Resized(before, now) => {
            format!("the global {name} had {before} bytes and has {now}")
        }
        GlobalChangeKind::Constant => format!("the global {name} may not be written any more"),
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
        EngineOutcome::Proof => "proved it".to_owned(),
        EngineOutcome::Stopped(reason) => stop_reason(reason),
        EngineOutcome::Nothing => "found nothing".to_owned(),
    }
}

/// Why there is no verdict.
pub(crate) fn stop_reason(reason: &StopReason) -> String {
    reason.to_string()
}
