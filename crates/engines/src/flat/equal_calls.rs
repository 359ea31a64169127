//! Where a caller is equal because all it calls is.
//!
//! Of a callee pair U may be known in part only: of the arguments that were looked at, or outside of where it differs. Let K say of an entry state
//! that every call of such a pair that either version makes is one with arguments in its U: of each call, "if it is made, U holds of its arguments".
//!
//! Rule `flat-callees`: if K speaks of entry states alone and K ∧ D has no model, K is added to U. It is right whatever K is, for D is unsatisfiable then
//! for every meaning of the functions; K is only the condition that is likely to do. This is how the knowledge of a callee that cannot be looked into (a loop without a
//! bound, too many calls) comes up to its callers.

use super::addition;
use super::decide::Attempt;
use verdiff_judge::{Addition, Budget, Field, Rule};
use verdiff_logic::Formula;
use verdiff_logic::effort::Effort;
use verdiff_logic::solver::{self, Decide, Limits as SolverLimits, Query};
use verdiff_product::difference::Formed;
use verdiff_product::obligation::script;
use verdiff_symex::execute::Stop;

/// What the question may take.
const SHORTLY: Effort = Effort::millis(300);

impl Attempt<'_> {
    /// What U grows by where all calls are known to be equal. The assertions are those of the attempt, D the last of them.
    pub(super) fn where_calls_are_equal(
        &mut self,
        formed: &Formed,
        budget: &Budget,
    ) -> Result<Option<Addition>, Stop> {
        if !self.product.usage.partly {
            return Ok(None);
        }
        let calls = self.common_calls.records();
        let all = self.product.space.and(&calls)?;
        let all = self.product.space.tidy(all)?;
        if self.product.space.pool.as_bool(all).is_some()
            || !self.product.speaks_of_entry(formed, all)?
        {
            return Ok(None);
        }
        let (mut assertions, assumes) = self.product.assertions(formed)?;
        if !assumes.is_empty() {
            return Ok(None);
        }
        assertions.insert(assertions.len() - 1, all);
        let limits = SolverLimits::effort(SHORTLY.min(budget.left() / 2));
        let query = Query { assertions: &assertions, assumptions: &[] };
        if !solver::standard().decide(&mut self.product.space.pool, &query, &limits).is_unsat() {
            return Ok(None);
        }
        let name = "no outcome differs where all calls are equal";
        let obligations = script(&self.product.space.pool, name, &assertions).into_iter().collect();
        let formula = Formula::of(&self.product.space.pool, all)?;
        let (rule, uses) = (Rule::FlatCallees, self.product.uses());
        Ok(Some(addition(Field::EqualUnder, formula, rule, obligations, uses)))
    }
}
