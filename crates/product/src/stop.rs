//! Why an execution gave up, as a judgement says it.

use verdiff_judge::{Incomplete, Side, StopReason, Task};
use verdiff_symex::execute::Stop;

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
        Stop::Construct(what) => StopReason::incomplete(Incomplete::Other(what.clone())),
        Stop::Logic(error) => StopReason::internal(error.to_string()),
    }
}
