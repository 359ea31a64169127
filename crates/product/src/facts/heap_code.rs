//! Code that allocates or frees: what a proof of every call can take as a function, and where requests for memory are counted.

use super::ProgramFacts;
use verdiff_judge::{Changed, PairId, Side, Task};
use verdiff_model::graph::calls::CallTarget;
use verdiff_model::interp::goes_back;
use verdiff_symex::libc::{Model, known_external};

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

    /// Whether formulas about a pair count the requests for memory
    /// ([`Space::count_requests`](verdiff_symex::space::Space::count_requests)): if it allocates or frees, and either may be left by a
    /// call of `longjmp`, or asks for memory in two ways.
    ///
    /// Which requests fail is known by their numbers. `malloc` and `calloc` are executed, and whether one fails is a symbol
    /// of its number among these; other library functions that allocate are unknown functions of their arguments and of the world. The order of
    /// both kinds is in neither.
    /// ✗ `t = strdup(s); free(malloc(4));` against the same in the other order: if the first request fails, `t` is null in one
    /// version alone.
    pub fn counts_requests(&self, task: &Task<'_>) -> bool {
        let start = |side: Side| task.comparison.pair(task.pair).of(side);
        let allocates = |side: Side| {
            let effects = self.effects(side, start(side));
            effects.allocates || effects.frees
        };
        if !Side::BOTH.into_iter().any(allocates) {
            return false;
        }
        let (mut leaves, mut executed, mut unknown) = (false, false, false);
        for side in Side::BOTH {
            let program = task.comparison.program(side);
            for id in self.reached(side, start(side)) {
                for site in self.graphs[side.index()].sites(id) {
                    let CallTarget::External(callee) = &site.target else { continue };
                    let external = program.external(*callee);
                    leaves |= goes_back(external);
                    if let Some(known) = known_external(external).filter(|k| k.allocates) {
                        let is_executed =
                            matches!(known.model, Some(Model::Malloc | Model::Calloc));
                        executed |= is_executed;
                        unknown |= !is_executed;
                    }
                }
            }
        }
        leaves || executed && unknown
    }
}
