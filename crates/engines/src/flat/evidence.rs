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
use verdiff_logic::effort::Effort;
use verdiff_logic::smtlib::{Script, Sharing};
use verdiff_logic::solver::{self, Decide, Limits as SolverLimits, Query};
use verdiff_logic::{Formula, TermId, TermPool};
use verdiff_symex::execute::Stop;

/// Obligations longer than this are not kept as text.
const MAX_SCRIPT: usize = 4 << 20;
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
        if self.space.pool.len() > MAX_TERMS {
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
        let mut again = Attempt::new(self.task, self.facts, self.seen.abstracting);
        again.space.as_built = true;
        let formed = again.form()?;
        let (mut assertions, _) = again.assertions(&formed)?;
        let mut asked = vec![formed.differ];
        if let Some(condition) = outside {
            let outside = condition.build(&mut again.space.pool)?;
            assertions.insert(assertions.len() - 1, outside);
            asked.push(outside);
        }
        let asked = again.space.and(&asked)?;
        let seen = again.space.refute(asked, CASES)? || {
            let time = SHORTLY.min(budget.left());
            let limits = SolverLimits::effort(time);
            let query = Query { assertions: &assertions, assumptions: &[] };
            solver::standard().decide(&mut again.space.pool, &query, &limits).is_unsat()
        };
        Ok(seen.then(|| script(&again.space.pool, name, &assertions)).flatten())
    }
}

/// Assertions that exclude each other, as text. `None` if it would be too long, or says nothing.
pub(crate) fn script(pool: &TermPool, name: &str, assertions: &[TermId]) -> Option<Obligation> {
    if assertions.contains(&pool.falsity()) {
        return None;
    }
    let script = Script::new(pool, assertions, &[], Sharing::Let);
    let mut smt = script.text().to_owned();
    if smt.len() > MAX_SCRIPT {
        return None;
    }
    smt.push_str("(check-sat)\n");
    Some(Obligation { name: name.to_owned(), smt })
}
