//! The recursive calls of both versions as C, for the reader of a proof.

use super::prove::{Goal, Premises, Unfolding};
use verdiff_judge::Budget;
use verdiff_logic::c_expression;

/// Calls beyond which nobody would read them.
const MOST_CALLS: usize = 4;
/// What an argument may be long.
const LONGEST: usize = 24;

/// What both versions of a recursive function call themselves with, if that can be said in a few words.
pub fn calls(premises: &Premises<'_>, number: usize, budget: &Budget) -> Option<[Vec<String>; 2]> {
    if premises.matching.pairs[number].outlined {
        return None;
    }
    let goal = Goal::Coupling(number);
    let unfolding = Unfolding { leaves: false, lemmas: false, unfold: [0, 0] };
    let mut product = premises.product(budget);
    let made = product.space.record_calls();
    let executed = premises.execute(product, goal, unfolding).ok()?;
    let (space, function) = (&executed.product.space, premises.name(goal));
    let ours = executed.assumed.name(number)?;
    let mut calls = [vec![], vec![]];
    for made in made.take().into_iter().filter(|made| made.name == ours) {
        let mut args = vec![];
        for arg in &made.args {
            args.push(c_expression(&space.pool, *arg, &Default::default())?);
        }
        if args.iter().any(|arg| arg.len() > LONGEST) {
            return None;
        }
        let call = format!("{function}({})", args.join(", "));
        if !calls[made.side.index()].contains(&call) {
            calls[made.side.index()].push(call);
        }
    }
    // In one order, whatever is called first.
    calls.iter_mut().for_each(|calls| calls.sort());
    calls.iter().all(|calls| (1..=MOST_CALLS).contains(&calls.len())).then_some(calls)
}
