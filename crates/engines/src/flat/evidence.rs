//! What another solver is given to check a proof of this engine again.
//!
//! A proof by rewriting leaves nothing to check: what the simplifier made of D is mostly `false`. So both versions are executed
//! once more with the simplifier switched off ([`Space::as_built`](verdiff_symex::space::Space)), and the
//! obligation is D as it was built then, the comparison of equal terms included. The same for a condition: D as it was built says nothing outside of it.
//!
//! What this rests on still is how programs become terms, the memory model with its few foldings included; what it no longer rests on is any rule of the
//! simplifier. Such an obligation is kept only if it was found to be unsatisfiable in its own right: symbolic execution decides some
//! questions about addresses by looking at terms, and with other terms it might know less.

use super::decide::{Attempt, CASES};
use verdiff_judge::{Budget, Obligation};
use verdiff_logic::Formula;
use verdiff_logic::effort::Effort;
use verdiff_logic::solver::{self, Decide, Limits as SolverLimits, Query};
use verdiff_product::obligation::script;
use verdiff_symex::execute::Stop;

/// Executions with more terms than this are not made again.
const MAX_TERMS: usize = 100_000;
/// What a solver may take to see that the obligation is one.
const SHORTLY: Effort = Effort::millis(200);

impl Attempt<'_> {
    /// D before any rewriting, outside of a condition if there is one: to be unsatisfiable. `None` if it is too large, or
    /// not seen to be so.
    pub(super) fn as_built(
        &self,
        name: &str,
        outside: Option<&Formula>,
        budget: &Budget,
    ) -> Option<Obligation> {
        if self.product.space.pool.len() > MAX_TERMS {
            return None;
        }
        self.execute_again(name, outside, budget).ok().flatten()
    }

    fn execute_again(
        &self,
        name: &str,
        outside: Option<&Formula>,
        budget: &Budget,
    ) -> Result<Option<Obligation>, Stop> {
        let mut again = self.again_as_built();
        let formed = again.form()?;
        let (mut assertions, _) = again.product.assertions(&formed)?;
        let mut asked = vec![formed.differ];
        if let Some(condition) = outside {
            let outside = condition.build(&mut again.product.space.pool)?;
            assertions.insert(assertions.len() - 1, outside);
            asked.push(outside);
        }
        let asked = again.product.space.and(&asked)?;
        let seen = again.product.space.refute(asked, CASES)? || {
            let time = SHORTLY.min(budget.left());
            let limits = SolverLimits::effort(time);
            let query = Query { assertions: &assertions, assumptions: &[] };
            solver::standard().decide(&mut again.product.space.pool, &query, &limits).is_unsat()
        };
        Ok(seen.then(|| script(&again.product.space.pool, name, &assertions)).flatten())
    }
}
