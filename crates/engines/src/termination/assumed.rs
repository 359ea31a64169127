//! The user's preconditions (`--assume`): each is a procedure of the old program that returns something else than zero.

use verdiff_judge::{Side, Task};
use verdiff_logic::Formula;
use verdiff_product::ProgramFacts;
use verdiff_symex::callee::InlineAll;
use verdiff_symex::entry::Entry;
use verdiff_symex::execute::{Executor, Limits, Stop};
use verdiff_symex::space::Space;

/// Whether there is one for a pair.
pub fn is_assumed(task: &Task<'_>) -> bool {
    let function = &task.comparison.pair(task.pair).function;
    task.comparison.settings.assume.iter().any(|(f, _)| f == function)
}

/// All of them as one condition over the parameters; `None` if they speak of anything else.
pub fn given(task: &Task<'_>, facts: &ProgramFacts) -> Result<Option<Formula>, Stop> {
    let comparison = task.comparison;
    let pair = comparison.pair(task.pair);
    let program = &facts.programs[Side::Old.index()];
    let mut space = Space::new();
    let entry = Entry::of(&mut space, &facts.regions, program.procedure(pair.old))?;
    let mut all = vec![];
    for (_, name) in comparison.settings.assume.iter().filter(|(f, _)| *f == pair.function) {
        let Some(id) = program.procedure_named(name) else { return Ok(None) };
        let same = program.procedure(id).signature().params
            == program.procedure(pair.old).signature().params;
        if !same {
            return Ok(None);
        }
        let limits = Limits { terms: 100_000, depth: 10 };
        let mut inline = InlineAll;
        let mut executor =
            Executor::new(&mut space, program, 0, &facts.regions, &mut inline, limits);
        let state = executor.entry_state(&entry, id, false)?;
        let outcome = executor.run(id, &entry.args, state)?;
        let Some(result) = outcome.results.first().copied() else { return Ok(None) };
        let holds = match space.pool.sort(result).width() {
            Some(width) => {
                let zero = space.pool.bits(width, 0)?;
                space.pool.ne(result, zero)?
            }
            None => result,
        };
        all.extend([outcome.returned, holds]);
    }
    let all = space.and(&all)?;
    let all = space.tidy(all)?;
    let names = space.pool.free_names(&[all]);
    let known = |symbol| entry.args.contains(&space.pool.symbol_term(symbol));
    let plain = names.functions.is_empty() && names.symbols.into_iter().all(known);
    Ok(if plain { Some(Formula::of(&space.pool, all)?) } else { None })
}
