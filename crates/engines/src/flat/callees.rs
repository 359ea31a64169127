//! How flat execution sees callees (ENGINES.md, "How a caller sees a callee").

use super::common_function::common_under;
use std::collections::{BTreeSet, HashMap};
use std::rc::Rc;
use verdiff_judge::{Comparison, PairId, Side, Task};
use verdiff_logic::LogicError;
use verdiff_model::ProcId;
use verdiff_product::ProgramFacts;
use verdiff_symex::callee::{Abstraction, Callees, View};
use verdiff_symex::entry::Entry;
use verdiff_symex::space::Space;

/// How callees are seen in one attempt.
pub struct Seen<'a> {
    task: Task<'a>,
    facts: &'a ProgramFacts,
    /// Whether pairs known to be equal are taken as functions, even where they could be inlined.
    pub(crate) abstracting: bool,
    /// Whether callees that loop or recurse are entered, as path-by-path execution can.
    entering: bool,
    views: HashMap<PairId, View>,
    /// The pairs that were taken as functions of which something is known.
    pub used: BTreeSet<PairId>,
    /// Whether one was taken as a function of its own on each side, with some arguments or with all.
    pub private: bool,
    /// Whether one is known to be equal with some arguments only, and was taken as a function: those who look into it see more.
    pub partly: bool,
    /// Whether an external was taken as common though it may call back: then all pairs whose
    /// address is taken are used as well.
    pub called_back: bool,
}

impl<'a> Seen<'a> {
    /// Callees for an attempt.
    pub fn new(task: Task<'a>, facts: &'a ProgramFacts, abstracting: bool) -> Seen<'a> {
        Seen {
            task,
            facts,
            abstracting,
            entering: false,
            views: HashMap::new(),
            used: BTreeSet::new(),
            private: false,
            partly: false,
            called_back: false,
        }
    }

    /// Callees for execution path by path: entered, unless they are known to be equal and `abstracting`.
    pub fn entering(task: Task<'a>, facts: &'a ProgramFacts, abstracting: bool) -> Seen<'a> {
        Seen { entering: true, ..Seen::new(task, facts, abstracting) }
    }

    /// The pairs that the attempt rests on, by name.
    pub fn uses(&self) -> Vec<String> {
        let mut pairs = self.used.clone();
        if self.called_back {
            pairs.extend(self.facts.outside.taken.iter().flatten());
        }
        pairs.iter().map(|p| self.task.comparison.pair(*p).function.clone()).collect()
    }

    /// How each pair that can be reached is seen; made before anything is executed, in the space of the execution.
    pub fn prepare(&mut self, space: &mut Space) -> Result<(), LogicError> {
        let comparison = self.task.comparison;
        let mut pairs = BTreeSet::new();
        for side in Side::BOTH {
            let start = comparison.pair(self.task.pair).of(side);
            let reached = self.facts.graphs[side.index()].reachable_from(&[start]);
            pairs.extend(reached.into_iter().filter_map(|id| comparison.pair_of(side, id)));
        }
        for pair in pairs {
            let view = self.pair_view(space, pair)?;
            self.views.insert(pair, view);
        }
        Ok(())
    }

    fn pair_view(&self, space: &mut Space, pair: PairId) -> Result<View, LogicError> {
        let comparison = self.task.comparison;
        let unbounded = Side::BOTH
            .into_iter()
            .any(|side| self.facts.is_unbounded(side, comparison.pair(pair).of(side)));
        let wanted = unbounded && !self.entering || self.abstracting && self.is_known(pair);
        if !wanted || !self.is_describable(pair) {
            return Ok(View::Inline);
        }
        Ok(View::Abstract(self.abstraction(space, pair)?))
    }

    /// A pair as a function: common to both versions where it is known to be, each version's own elsewhere.
    pub(crate) fn abstraction(
        &self,
        space: &mut Space,
        pair: PairId,
    ) -> Result<Abstraction, LogicError> {
        let comparison = self.task.comparison;
        let effects =
            Side::BOTH.map(|side| self.facts.effects(side, comparison.pair(pair).of(side)));
        let name = function_name(comparison, pair);
        let procedure = comparison.procedure(pair, Side::Old);
        let regions = &self.facts.regions;
        let prefix = format!("{name}.");
        let entry = Entry::named(space, regions, procedure, &prefix)?;
        let mut view = Abstraction::unproved(space, regions, &name, Rc::new(entry), &effects);
        if self.is_known(pair) {
            view.common_under = common_under(&self.task, self.facts, space, pair, &prefix)?;
        }
        view.returns = effects.iter().all(|e| !e.may_trap && !e.may_not_return);
        Ok(view)
    }

    /// Whether a pair can be seen as a function at all.
    pub(crate) fn is_describable(&self, pair: PairId) -> bool {
        let pair = self.task.comparison.pair(pair);
        // New objects of an abstraction are nobody's; better to see where they come from.
        let describable = |side: Side| {
            let effects = self.facts.effects(side, pair.of(side));
            !effects.allocates && !effects.frees
        };
        pair.same_interface && Side::BOTH.into_iter().all(describable)
    }

    /// Says how a pair is seen.
    pub(crate) fn see(&mut self, pair: PairId, view: View) {
        self.views.insert(pair, view);
    }

    pub(crate) fn is_equal(&self, pair: PairId) -> bool {
        pair != self.task.pair
            && self.task.judgement_of(pair).is_some_and(|j| j.is_equal_in_calls())
    }

    /// Whether something is known of it: with all arguments, or with some.
    fn is_known(&self, pair: PairId) -> bool {
        let judgement = self.task.judgement_of(pair).filter(|_| pair != self.task.pair);
        judgement.is_some_and(|j| !j.called_under().is_false())
    }
}

/// What the function of a pair is called in formulas.
pub(crate) fn function_name(comparison: &Comparison, pair: PairId) -> String {
    format!("call.{}.{}", comparison.pair(pair).function, pair.0)
}

impl Callees for Seen<'_> {
    fn view(&mut self, side: usize, callee: ProcId, _: usize) -> View {
        let side = Side::BOTH[side];
        let Some(pair) = self.task.comparison.pair_of(side, callee) else {
            // Only one version has it: its body, or nothing if it has no end.
            return View::Inline;
        };
        let view = self.views.get(&pair).cloned().unwrap_or(View::Inline);
        if let View::Abstract(_) = view {
            if self.is_known(pair) {
                self.used.insert(pair);
            }
            if !self.is_equal(pair) {
                self.private = true;
                self.partly |= self.is_known(pair);
            }
        }
        view
    }

    fn external(&mut self, side: usize, name: &str, calls_back: bool) -> String {
        // What is nothing but a name may look at every constant that it can name itself.
        let looks_around = verdiff_symex::libc::known(name).is_none();
        if !calls_back {
            if looks_around && !self.facts.outside.constants_are_equal {
                self.private = true;
                return format!("{name}.{side}");
            }
            return name.to_owned();
        }
        // It may call whatever has its address taken: common only if all of that is equal.
        let equal = |pair: &PairId| self.is_equal(*pair);
        let all = self.facts.outside.taken.as_ref().is_some_and(|taken| taken.iter().all(equal));
        if all && self.facts.outside.constants_are_equal {
            self.called_back = true;
            name.to_owned()
        } else {
            self.private = true;
            format!("{name}.{side}")
        }
    }
}
