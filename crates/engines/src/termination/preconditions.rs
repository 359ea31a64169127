//! The user's preconditions (`--assume`): each is a procedure of the old program that returns something else than zero.

use verdiff_judge::{Budget, Side, Task};
use verdiff_logic::Formula;
use verdiff_product::{Product, ProgramFacts};
use verdiff_symex::entry::Entry;
use verdiff_symex::execute::Stop;

/// Whether there is one for a pair.
pub fn is_assumed(task: &Task<'_>) -> bool {
    let function = &task.comparison.pair(task.pair).function;
    task.comparison.settings.assume.iter().any(|(f, _)| f == function)
}

/// All of them as one condition over the parameters; `None` if they speak of anything else.
pub fn assumed_condition(
    task: &Task<'_>,
    facts: &ProgramFacts,
    budget: &Budget,
) -> Result<Option<Formula>, Stop> {
    let mut product = Product::new(*task, facts, budget);
    let old = facts.program(Side::Old).procedure(task.comparison.pair(task.pair).old);
    let entry = Entry::of(&mut product.space, &facts.regions, old)?;
    let all = product.preconditions(&entry)?;
    let space = &mut product.space;
    let all = space.and(&all)?;
    let all = space.tidy(all)?;
    let names = space.pool.free_names(&[all]);
    let known = |symbol| entry.args.contains(&space.pool.symbol_term(symbol));
    let plain = names.functions.is_empty() && names.symbols.into_iter().all(known);
    Ok(if plain { Some(Formula::of(&space.pool, all)?) } else { None })
}
