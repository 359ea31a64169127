//! Mutual termination (docs/internals/engines.md): both versions make the same calls, so one ends if and only if the other does.
//!
//! Rule `mutual-termination`. Needs a finished proof of U. If in the body of every coupling that it rests on, and of the pair, each call that one version makes is
//! made by the other too, with the same arguments and memory, and nothing else in the bodies can wait or loop, T is valid.
//!
//! Why: say the old version ends; by induction on how deeply coupled calls are nested in its run, so does the new one. Take the calls of the new version one after the
//! other. All before this one have ended, with the values of F by U: so the run is where the formula says it is. The
//! old version makes the same call, somewhere in its run, and that call ends and is nested less deeply: so the new version's call ends.
//! There are finitely many calls in a body. The other way round the same. No calls are unfolded here and no runs are known exactly: a call that the other
//! version's base case answers might be one that does not end.
//!
//! Where neither ends the outputs would have to be compared: so nothing is said of code that does input or output.

use super::prove::{Executed, Goal, Premises, Unfolding, obligation, unsatisfiable};
use verdiff_judge::{Budget, Obligation, Side};
use verdiff_logic::TermId;
use verdiff_logic::effort::Effort;
use verdiff_symex::execute::Stop;
use verdiff_symex::record::CallRecord;
use verdiff_symex::space::Space;

impl<'a> Premises<'a> {
    /// Whether both versions end from the same states, provided that all that is assumed is proved: an
    /// obligation for each goal. `None` if that is not shown.
    pub fn ends_alike(&self, goals: &[Goal], budget: &Budget) -> Option<Vec<Obligation>> {
        let mut obligations = vec![];
        for goal in goals {
            obligations.extend(self.same_calls(*goal, budget).ok().flatten()?);
        }
        Some(obligations)
    }

    fn same_calls(&self, goal: Goal, budget: &Budget) -> Result<Option<Option<Obligation>>, Stop> {
        let roots = self.roots(goal);
        for side in Side::BOTH {
            let root = roots[side.index()];
            let outside = !self.facts.outside_ends(side, root);
            if outside || self.facts.effects(side, root).world {
                return Ok(None);
            }
        }
        let Some((mut executed, assertions, any)) = self.unanswered_calls(goal, budget)? else {
            return Ok(None);
        };
        let space = &mut executed.product.space;
        let by_rewriting = any == space.pool.falsity();
        if !by_rewriting && !unsatisfiable(space, &assertions, budget) {
            return Ok(None);
        }
        let what = format!("{} makes the same calls in both versions", self.name(goal));
        if !by_rewriting {
            return Ok(Some(obligation(space, what, &assertions)));
        }
        // For another solver, what there was before rewriting; nothing, if there are no calls.
        let shortly = budget.at_most(Effort::millis(200));
        let again = Premises { as_built: true, ..*self };
        let Ok(Some((mut built, assertions, any))) = again.unanswered_calls(goal, budget) else {
            return Ok(Some(None));
        };
        let space = &mut built.product.space;
        let seen = space.pool.simplify(any) == space.pool.falsity()
            || unsatisfiable(space, &assertions, &shortly);
        Ok(Some(seen.then(|| obligation(space, what, &assertions)).flatten()))
    }

    /// Both bodies executed, what is assumed with "a call is made that the other version does not make" at the end, and
    /// that alone. `None` if nothing can be said.
    fn unanswered_calls(
        &self,
        goal: Goal,
        budget: &Budget,
    ) -> Result<Option<(Executed<'a>, Vec<TermId>, TermId)>, Stop> {
        let unfolding = Unfolding { leaves: false, lemmas: false, unfold: [0, 0] };
        let mut product = self.product(budget);
        let calls = product.space.record_calls();
        let mut executed = self.execute(product, goal, unfolding)?;
        let product = &executed.product;
        let alike = |pair| self.task.judgement_of(pair).is_some_and(|j| j.is_alike());
        let usage = &product.usage;
        let judged = product.judgements_used();
        if usage.undescribed || usage.private || !judged.into_iter().all(alike) {
            return Ok(None);
        }
        let space = &mut executed.product.space;
        let made = calls.take();
        let mut missing = vec![];
        for call in &made {
            missing.push(unanswered(space, call, &made)?);
        }
        let any = space.or(&missing)?;
        let any = space.tidy(any)?;
        let mut assertions = space.axioms()?;
        assertions.push(any);
        Ok(Some((executed, assertions, any)))
    }
}

/// When a call is made that the other version does not make.
fn unanswered(space: &mut Space, call: &CallRecord, all: &[CallRecord]) -> Result<TermId, Stop> {
    let mut parts = vec![call.when];
    let of_other = |other: &&CallRecord| other.side != call.side && other.name == call.name;
    for other in all.iter().filter(of_other) {
        let mut same = vec![other.when];
        let told = |(a, b): &(&TermId, &TermId)| a != b || space.is_as_built();
        let inputs: Vec<_> = call.inputs.iter().zip(&other.inputs).filter(told).collect();
        for (a, b) in inputs {
            same.push(space.pool.eq(*a, *b)?);
        }
        let same = space.and(&same)?;
        parts.push(space.not(same)?);
    }
    Ok(space.and(&parts)?)
}
