//! Why an execution gave up, as a judgement says it.

use verdiff_judge::{self as judge, Incomplete, Side, StopReason, Task};
use verdiff_symex::execute::{Construct, Stop};

/// Why symbolic execution gave up, in the words of a judgement.
pub fn reason(task: &Task<'_>, stop: &Stop) -> StopReason {
    match stop {
        Stop::Unsupported { construct, loc, procedure } => {
            // The place is one of the side that has the procedure unsupported.
            let comparison = task.comparison;
            let side = Side::BOTH.into_iter().find(|side| {
                let program = comparison.program(*side);
                program
                    .procedures
                    .iter()
                    .any(|p| p.name == *procedure && p.unsupported.iter().any(|u| u.loc == *loc))
            });
            let program = comparison.program(side.unwrap_or(Side::New));
            StopReason::unsupported(program, format!("{construct} (in {procedure})"), *loc)
        }
        Stop::Loop { procedure, .. } => StopReason::incomplete(Incomplete::Loop(procedure.clone())),
        Stop::Depth(_) => StopReason::incomplete(Incomplete::TooDeep),
        Stop::Size(_) => StopReason::incomplete(Incomplete::TooLarge),
        Stop::Effort => StopReason::Time,
        Stop::Construct(what) => StopReason::incomplete(construct(*what)),
        Stop::Logic(error) => StopReason::internal(error.to_string()),
    }
}

/// Why the versions of a pair cannot be executed from a common entry state, if so: their signatures differ, or one of them has
/// what is not supported.
pub fn not_executable(task: &Task<'_>) -> Option<StopReason> {
    let comparison = task.comparison;
    if !comparison.pair(task.pair).same_interface {
        return Some(StopReason::incomplete(Incomplete::Signature));
    }
    Side::BOTH.into_iter().find_map(|side| {
        let what = comparison.procedure(task.pair, side).unsupported.first()?;
        Some(StopReason::unsupported(comparison.program(side), &what.construct, what.loc))
    })
}

/// Why one of several attempts gave up: others, of this engine or another one, may go on, so nothing of it is final.
pub fn attempt_reason(task: &Task<'_>, stop: &Stop) -> Incomplete {
    match (stop, reason(task, stop)) {
        (_, StopReason::Incomplete { why }) => why,
        (Stop::Unsupported { procedure, construct, .. }, _) => {
            Incomplete::UnsupportedIn { procedure: procedure.clone(), construct: construct.clone() }
        }
        (stop, _) => Incomplete::Formula(stop.to_string()),
    }
}

/// What symbolic execution does not know, as a judgement says it.
fn construct(what: Construct) -> Incomplete {
    Incomplete::Construct(match what {
        Construct::LocalInInitialiser => judge::Construct::LocalInInitialiser,
        Construct::AmbiguousFree => judge::Construct::AmbiguousFree,
        Construct::ArrayOnOnePath => judge::Construct::ArrayOnOnePath,
        Construct::AllocatingLoop => judge::Construct::AllocatingLoop,
        Construct::UnexpectedCall => judge::Construct::UnexpectedCall,
        Construct::NotLowered => judge::Construct::NotLowered,
        Construct::Unaliased => return Incomplete::Unaliased,
        Construct::Precondition => return Incomplete::Precondition,
    })
}
