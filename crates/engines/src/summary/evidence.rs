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
use verdiff_judge::{Budget, Obligation, Side};
use verdiff_logic::effort::Effort;
use verdiff_logic::solver::{self, Decide, Limits, Query};
use verdiff_logic::{Formula, TermId};
use verdiff_product::Product;
use verdiff_product::difference::Formed;
use verdiff_product::obligation::script;
use verdiff_symex::execute::Stop;
use verdiff_symex::space::{PointedTo, Terms};

/// What an obligation says of outcomes.
pub(super) const NONE_DIFFERS: &str = "no outcome differs";
/// Explorations with more terms than this are not made again.
const MAX_TERMS: usize = 100_000;
/// What the second exploration may take.
const AGAIN: Effort = Effort::millis(400);
/// What a solver may take to see that an obligation is one.
const SHORTLY: Effort = Effort::millis(200);
/// How many cases are looked at before a solver is asked.
const CASES: usize = 2000;

/// What it takes to explore once more.
#[derive(Clone, Copy)]
pub(super) struct Again {
    /// How often a path could enter a block.
    pub(super) bound: u32,
    /// Whether callees of which something is known were functions.
    pub(super) abstracting: bool,
}

/// The obligations for an addition of `equal` to U that was found with paths up to `bound`. Empty if they are too large, or not
/// seen to be unsatisfiable.
pub(super) fn evidence(
    product: &mut Product<'_>,
    formed: &Formed,
    equal: &Formula,
    again: Again,
    budget: &Budget,
) -> Vec<Obligation> {
    if equal.is_false() {
        return vec![];
    }
    if product.space.pool.len() <= MAX_TERMS {
        let budget = budget.at_most(AGAIN.min(budget.left() / 4));
        if let Ok(Some(all)) = explore_again(product, equal, again, &budget) {
            return all;
        }
    }
    compare_again(product, formed, equal, budget).ok().flatten().into_iter().collect()
}

/// D before it was rewritten, of outcomes that were.
fn compare_again(
    product: &mut Product<'_>,
    formed: &Formed,
    equal: &Formula,
    budget: &Budget,
) -> Result<Option<Obligation>, Stop> {
    let compared =
        |product: &mut Product<'_>| product.compared(formed.entry.clone(), formed.outcomes.clone());
    let again = product.as_built(compared)?;
    let mut given = product.space.axioms()?;
    given.extend(product.valid_entry(&formed.entry)?);
    given.extend([equal.build(&mut product.space.pool)?, again.differ]);
    let seen = is_refuted(product, &given, budget)?;
    Ok(seen.then(|| script(&product.space.pool, NONE_DIFFERS, &given)).flatten())
}

fn explore_again(
    product: &Product<'_>,
    equal: &Formula,
    Again { bound, abstracting }: Again,
    budget: &Budget,
) -> Result<Option<Vec<Obligation>>, Stop> {
    let mut again = Product::new(product.task, product.facts, budget)
        .in_space_of(PointedTo::LargeEnough, Terms::AsBuilt);
    let mut rounds = Rounds::new(&mut again, abstracting)?;
    let Some(seen) = rounds.explore(&mut again, bound)? else { return Ok(None) };
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
        if !is_refuted(&mut again, &given, budget)? {
            return Ok(None);
        }
        obligations.extend(script(&again.space.pool, &name, &given));
        given.pop();
    }
    Ok(Some(obligations))
}

fn is_refuted(
    product: &mut Product<'_>,
    assertions: &[TermId],
    budget: &Budget,
) -> Result<bool, Stop> {
    let whole = product.space.and(assertions)?;
    if product.space.refute(whole, CASES)? {
        return Ok(true);
    }
    let limits = Limits::effort(SHORTLY.min(budget.left()));
    let query = Query { assertions, assumptions: &[] };
    Ok(solver::standard().decide(&mut product.space.pool, &query, &limits).is_unsat())
}
