//! What another solver is given to check a proof of this engine again.
//!
//! Both versions are explored once more with the simplifier switched off (as `flat` does for its own proofs), to the bound that the proof reached.
//! From what comes out there are three obligations, each to be unsatisfiable:
//!
//! - *no outcome differs*: where U is said to grow, D as it was built cannot hold;
//! - *every run of the old (new) version takes one of the paths that were followed*: so nothing rests on the paths that were ruled out on the
//!   way, nor on the order in which outcomes were put together.
//!
//! An obligation is kept only if it was found to be unsatisfiable in its own right. Where the exploration is too large to be done twice, the evidence is the
//! comparison of what both versions' paths were simplified to, not simplified itself.

use super::explore::{Rounds, Seen};
use crate::flat::decide::{Attempt, CASES, Formed};
use crate::flat::script;
use verdiff_judge::{Budget, Obligation, Side};
use verdiff_logic::effort::Effort;
use verdiff_logic::solver::{self, Decide, Limits, Query};
use verdiff_logic::{Formula, TermId};
use verdiff_symex::execute::Stop;

/// What an obligation says of outcomes.
pub(super) const NONE_DIFFERS: &str = "no outcome differs";
/// Explorations with more terms than this are not made again.
const MAX_TERMS: usize = 100_000;
/// What the second exploration may take.
const AGAIN: Effort = Effort::millis(400);
/// What a solver may take to see that an obligation is one.
const SHORTLY: Effort = Effort::millis(200);

impl Attempt<'_> {
    /// The obligations for an addition of `equal` to U that was found with paths up to `bound`. Empty if they are too large, or not
    /// seen to be unsatisfiable.
    pub(super) fn evidence(
        &mut self,
        formed: &Formed,
        equal: &Formula,
        bound: u32,
        budget: &Budget,
    ) -> Vec<Obligation> {
        if equal.is_false() {
            return vec![];
        }
        if self.space.pool.len() <= MAX_TERMS {
            let budget = budget.at_most(AGAIN.min(budget.left() / 4));
            if let Ok(Some(all)) = self.explore_again(equal, bound, &budget) {
                return all;
            }
        }
        self.compare_again(formed, equal, budget).ok().flatten().into_iter().collect()
    }

    /// D before it was rewritten, of outcomes that were.
    fn compare_again(
        &mut self,
        formed: &Formed,
        equal: &Formula,
        budget: &Budget,
    ) -> Result<Option<Obligation>, Stop> {
        self.space.as_built = true;
        let again = self.compared(formed.entry.clone(), formed.outcomes.clone());
        self.space.as_built = false;
        let mut given = self.space.axioms()?;
        given.extend(self.valid_entry(&formed.entry)?);
        given.extend([equal.build(&mut self.space.pool)?, again?.differ]);
        let seen = self.is_refuted(&given, budget)?;
        Ok(seen.then(|| script(&self.space.pool, NONE_DIFFERS, &given)).flatten())
    }

    fn explore_again(
        &self,
        equal: &Formula,
        bound: u32,
        budget: &Budget,
    ) -> Result<Option<Vec<Obligation>>, Stop> {
        let mut again = Attempt::entering(self.task, self.facts, self.seen.abstracting);
        again.space.as_built = true;
        let mut rounds = Rounds::new(&mut again)?;
        let Some(seen) = rounds.explore(&mut again, bound, budget)? else { return Ok(None) };
        let taken = rounds.taken(&mut again)?;
        let Seen { entry, outcomes, .. } = seen;
        let formed = again.compared(entry, outcomes)?;
        let mut given = again.space.axioms()?;
        given.extend(again.valid_entry(&formed.entry)?);
        given.push(equal.build(&mut again.space.pool)?);
        let mut asked = vec![(NONE_DIFFERS.to_owned(), formed.differ)];
        for (side, taken) in Side::BOTH.into_iter().zip(taken) {
            let version = ["old", "new"][side.index()];
            let name = format!("every run of the {version} version takes one of the paths");
            asked.push((name, again.space.not(taken)?));
        }
        let mut obligations = vec![];
        for (name, question) in asked {
            if question == again.space.pool.falsity() {
                // One path that is always taken: nothing is left to be asked.
                continue;
            }
            given.push(question);
            if !again.is_refuted(&given, budget)? {
                return Ok(None);
            }
            obligations.extend(script(&again.space.pool, &name, &given));
            given.pop();
        }
        Ok(Some(obligations))
    }

    fn is_refuted(&mut self, assertions: &[TermId], budget: &Budget) -> Result<bool, Stop> {
        let whole = self.space.and(assertions)?;
        if self.space.refute(whole, CASES)? {
            return Ok(true);
        }
        let limits = Limits::effort(SHORTLY.min(budget.left()));
        let query = Query { assertions, assumptions: &[] };
        Ok(solver::standard().decide(&mut self.space.pool, &query, &limits).is_unsat())
    }
}
