//! What is found out once for a comparison and shared by all engines.
//!
//! [`Facts`] own the comparison they are about: it cannot change while they exist, and whoever asks with a task names
//! the comparison of that task ([`Facts::about`]), so that facts of one comparison are never used for another.
//! What is dear (the programs with loops as recursion) is computed when it is first asked for, and once.

mod heap_code;
mod loads;
mod programs;
mod rewriting;
mod second_returns;
mod shapes;
mod simplify;
mod split;
mod traits;
mod unset;
mod unwritten;

#[cfg(test)]
#[path = "../../../model/tests/model/outline_random/mod.rs"]
mod outline_random;
#[cfg(test)]
mod rewritten;

pub use programs::ProgramFacts;
pub use second_returns::live_at_second_returns;

use crate::outside::Outside;
use std::cell::OnceCell;
use std::rc::Rc;
use verdiff_judge::{Comparison, PairId, Side, StopReason, Task};
use verdiff_model::outline::Reach;
use verdiff_model::{Callee, ProcId};
use verdiff_symex::libc::known_external;

/// The facts about one comparison.
pub struct Facts {
    comparison: Rc<Comparison>,
    outside: Rc<Outside>,
    written: OnceCell<ProgramFacts>,
    outlined_loops: OnceCell<ProgramFacts>,
    outlined_to_end: OnceCell<ProgramFacts>,
    split: OnceCell<Option<ProgramFacts>>,
}

impl Facts {
    /// The facts about a comparison; nothing dear is computed yet.
    pub fn of(comparison: Rc<Comparison>) -> Rc<Facts> {
        let outside = Rc::new(Outside::of(&comparison));
        Rc::new(Facts {
            comparison,
            outside,
            written: OnceCell::new(),
            outlined_loops: OnceCell::new(),
            outlined_to_end: OnceCell::new(),
            split: OnceCell::new(),
        })
    }

    /// The comparison.
    pub fn comparison(&self) -> &Rc<Comparison> {
        &self.comparison
    }

    /// These facts, if they are about the comparison of the task. If they are not, an engine was given a task of another
    /// comparison than it was made for: a bug, and no verdict may come of it.
    pub fn about(&self, task: &Task<'_>) -> Result<&Facts, StopReason> {
        // The comparison is kept alive here, so one address is one comparison.
        match std::ptr::eq(task.comparison, Rc::as_ptr(&self.comparison)) {
            true => Ok(self),
            false => Err(StopReason::internal("an engine of another comparison was asked")),
        }
    }

    /// Of the programs as they were written.
    pub fn written(&self) -> &ProgramFacts {
        let outside = || self.outside.clone();
        self.written.get_or_init(|| ProgramFacts::as_written(&self.comparison, outside()))
    }

    /// Of the programs with every loop a tail-recursive procedure: the loop alone, or the loop with what comes behind it.
    pub fn outlined(&self, reach: Reach) -> &ProgramFacts {
        let cell = match reach {
            Reach::Loop => &self.outlined_loops,
            Reach::End => &self.outlined_to_end,
        };
        let outside = || self.outside.clone();
        cell.get_or_init(|| ProgramFacts::with_loops_outlined(&self.comparison, reach, outside()))
    }

    /// The same with loops that compute several things taken apart; `None` if there are none.
    pub fn split(&self) -> Option<&ProgramFacts> {
        let outside = || self.outside.clone();
        let split = || ProgramFacts::with_loops_split(&self.comparison, outside());
        self.split.get_or_init(split).as_ref()
    }

    /// Of the programs with calls in the procedures of a pair replaced by bodies, where these are chosen and can be, and every loop a
    /// tail-recursive procedure that reaches so far; `None` if there is no such call. Not kept: what is chosen depends on judgements.
    pub fn inlined(
        &self,
        pair: PairId,
        chosen: &dyn Fn(Side, ProcId) -> bool,
        reach: Reach,
    ) -> Option<ProgramFacts> {
        let outside = self.outside.clone();
        ProgramFacts::with_calls_inlined(&self.comparison, pair, chosen, reach, outside)
    }

    /// Of the programs with the procedures of a pair cut at their loop heads
    /// ([`cut_at_heads`](verdiff_model::outline::cut_at_heads)), chosen callees in place of calls; and the procedures
    /// that run from these heads. `None` if a version cannot be cut. Not kept.
    pub fn cut_at_heads(
        &self,
        pair: PairId,
        chosen: &dyn Fn(Side, ProcId) -> bool,
    ) -> Option<(ProgramFacts, [Vec<ProcId>; 2])> {
        ProgramFacts::cut(&self.comparison, pair, chosen, None, self.outside.clone())
    }

    /// The same, cut before outputs, and at heads of loops that can iterate without any
    /// ([`cut_at_calls`](verdiff_model::outline::cut_at_calls)).
    pub fn cut_at_outputs(
        &self,
        pair: PairId,
        chosen: &dyn Fn(Side, ProcId) -> bool,
    ) -> Option<(ProgramFacts, [Vec<ProcId>; 2])> {
        let outputs = |side: Side, callee: &Callee| self.is_output(side, callee);
        let outside = self.outside.clone();
        ProgramFacts::cut(&self.comparison, pair, chosen, Some(&outputs), outside)
    }

    /// Whether a call is an output point: it does I/O, or nobody knows what it does.
    pub fn is_output(&self, side: Side, callee: &Callee) -> bool {
        match callee {
            Callee::External(id) => {
                let external = self.comparison.program(side).external(*id);
                external.no_return || known_external(external).is_none_or(|known| known.world)
            }
            Callee::Procedure(id) => self.written().effects(side, *id).world,
            Callee::Indirect { .. } => true,
        }
    }
}
