//! The user's preconditions (`--assume`): each is a procedure of the old program that returns something else than zero.

use verdiff_judge::Task;

/// Whether there is one for a pair.
pub fn is_assumed(task: &Task<'_>) -> bool {
    let function = &task.comparison.pair(task.pair).function;
    task.comparison.settings.assume.iter().any(|(f, _)| f == function)
}
