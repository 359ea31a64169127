//! Pairs as functions, by what their judgements say (docs/internals/engines.md, "How a caller sees a callee").

use crate::Product;
use crate::callees::{Basis, Function, Treatment, is_equal};
use crate::common_function::common_under;
use std::collections::BTreeSet;
use std::rc::Rc;
use verdiff_judge::{Changed, Comparison, PairId, Side};
use verdiff_logic::LogicError;
use verdiff_symex::entry::Entry;

/// Which pairs are functions in a policy that is made from judgements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Abstracting {
    /// Those of which something is known, even where they could be inlined.
    pub known: bool,
    /// Those that loop or recurse: merged execution cannot enter them, path-by-path execution can.
    pub unbounded: bool,
}

impl Product<'_> {
    /// Treats each pair that can be reached as its judgement allows: inlined, or a function that is common to both
    /// versions where U holds. Done before anything is executed, in the space of the execution.
    pub fn treat_by_judgement(&mut self, abstracting: Abstracting) -> Result<(), LogicError> {
        let comparison = self.task.comparison;
        let mut pairs = BTreeSet::new();
        for side in Side::BOTH {
            let start = comparison.pair(self.task.pair).of(side);
            let reached = self.facts.reached(side, start);
            pairs.extend(reached.into_iter().filter_map(|id| comparison.pair_of(side, id)));
        }
        for pair in pairs {
            let unbounded = Side::BOTH
                .into_iter()
                .any(|side| self.facts.is_unbounded(side, comparison.pair(pair).of(side)));
            let wanted =
                unbounded && abstracting.unbounded || abstracting.known && self.is_known(pair);
            if wanted && self.is_describable(pair) {
                let function = self.function_of(pair)?;
                self.treat_pair(pair, function);
            }
        }
        Ok(())
    }

    /// Makes a pair a function, in both versions.
    pub fn treat_pair(&mut self, pair: PairId, function: Function) {
        for side in Side::BOTH {
            let procedure = self.task.comparison.pair(pair).of(side);
            self.policy.treat(side, procedure, Treatment::Function(function.clone()));
        }
    }

    /// A pair as a function: common to both versions where it is known to be, each version's own elsewhere.
    pub fn function_of(&mut self, pair: PairId) -> Result<Function, LogicError> {
        let comparison = self.task.comparison;
        let effects =
            Side::BOTH.map(|side| self.facts.effects(side, comparison.pair(pair).of(side)));
        let name = function_name(comparison, pair);
        let procedure = comparison.procedure(pair, Side::Old);
        let regions = &self.facts.regions;
        let prefix = format!("{name}.");
        let entry = Rc::new(Entry::named(&mut self.space, regions, procedure, &prefix)?);
        let mut function = self.unproved(&name, entry, &effects);
        if self.is_known(pair) {
            function.abstraction.common_under =
                common_under(&self.task, self.facts, &mut self.space, pair, &prefix)?;
        }
        function.abstraction.returns = effects.iter().all(|e| !e.may_trap && !e.may_not_return);
        function.basis = self.basis_of(pair);
        Ok(function)
    }

    /// What justifies that a pair is a function: its judgement, if that says anything.
    pub fn basis_of(&self, pair: PairId) -> Basis {
        match self.is_known(pair) {
            true => Basis::Judged { pair, everywhere: self.is_equal(pair) },
            false => Basis::Unproved,
        }
    }

    /// Whether a pair can be a function at all.
    ///
    /// One that allocates or frees can be one in a proof of every call, if it did not change. It then takes the number of allocations
    /// so far and what is dead, and gives both anew. Soundness: both versions run the same code, all that it calls included, so
    /// from equal inputs they make the same objects in the same order; a pair that is merely equal may allocate in another order, and
    /// code behind it may tell. Nothing is known of the objects that it makes. Where entry states are assumed to be valid, an
    /// access to one of them would be taken to be within it, although a look into the function might tell that it is not; in any
    /// call, how an access ends is a function of the state that is common to both versions, and nothing is assumed.
    pub fn is_describable(&self, pair: PairId) -> bool {
        let pair = self.task.comparison.pair(pair);
        // Elsewhere it is better to see where new objects come from.
        let describable = |side: Side| {
            let effects = self.facts.effects(side, pair.of(side));
            !effects.allocates && !effects.frees
        };
        let unchanged = self.space.is_any_call() && pair.changed == Changed::No;
        pair.same_interface && (unchanged || Side::BOTH.into_iter().all(describable))
    }

    /// Whether a pair other than that of the task is known to be equal in all calls.
    pub fn is_equal(&self, pair: PairId) -> bool {
        is_equal(&self.task, pair)
    }

    /// Whether something is known of it: with all arguments, or with some.
    fn is_known(&self, pair: PairId) -> bool {
        let judgement = self.task.judgement_of(pair).filter(|_| pair != self.task.pair);
        judgement.is_some_and(|j| !j.called_under().is_false())
    }
}

/// The name of the function of a pair in formulas.
pub fn function_name(comparison: &Comparison, pair: PairId) -> String {
    format!("call.{}.{}", comparison.pair(pair).function, pair.0)
}
