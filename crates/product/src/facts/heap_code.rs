//! Unchanged code that allocates or frees, which a proof of every call can take as a function.

use super::ProgramFacts;
use verdiff_judge::{Changed, PairId, Side, Task};

impl ProgramFacts {
    /// Whether a pair reaches one that did not change and allocates or frees: only a proof of every call can take that one as a
    /// function ([`is_describable`](crate::Product::is_describable)).
    pub fn reaches_unchanged_heap_code(&self, task: &Task<'_>) -> bool {
        let comparison = task.comparison;
        Side::BOTH.into_iter().any(|side| {
            let start = comparison.pair(task.pair).of(side);
            self.reached(side, start).into_iter().filter(|id| *id != start).any(|id| {
                let effects = self.effects(side, id);
                let unchanged = |pair: PairId| comparison.pair(pair).changed == Changed::No;
                (effects.allocates || effects.frees)
                    && comparison.pair_of(side, id).is_some_and(unchanged)
            })
        })
    }
}
