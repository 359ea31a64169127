//! Couplings on fewer parameters (docs/internals/engines.md, "recursion"; the paper's Fig. 12).
//!
//! What is shown: the outcomes are equal whatever either version gets for one parameter k. Both bodies are executed with values of k of their own. Calls are *private*
//! functions of all arguments: two calls of one version with other values of k are two calls. What is assumed of them is that for each call of the old and each call of the
//! new version that are made, if all arguments but k are equal, so are the outcomes.
//!
//! Why: both calls are part of runs that end, and nested less deeply than those; so that is what P(n-1) says. Where one of them is not
//! made nothing is assumed.

use verdiff_judge::Side;
use verdiff_logic::{LogicError, TermId};
use verdiff_symex::entry::Entry;
use verdiff_symex::record::CallRecord;
use verdiff_symex::space::Space;

/// Gives a parameter a value of its own.
pub fn free(space: &mut Space, entry: &mut Entry, parameter: usize) -> Result<(), LogicError> {
    let sort = space.pool.sort(entry.args[parameter]);
    let other = space.pool.symbol("the other version's own", sort)?;
    space.note_entry(other);
    entry.args[parameter] = other;
    Ok(())
}

/// What is assumed of the calls that were met: one fact for each pair of them.
pub fn answers(
    space: &mut Space,
    made: &[CallRecord],
    parameter: usize,
) -> Result<Vec<TermId>, LogicError> {
    let mut facts = vec![];
    for old in made.iter().filter(|m| m.side == Side::Old) {
        for new in made.iter().filter(|m| m.side == Side::New) {
            let mut given = vec![old.when, new.when];
            let inputs = old.inputs.iter().zip(&new.inputs).enumerate();
            for (_, (a, b)) in inputs.filter(|(index, (a, b))| *index != parameter && a != b) {
                given.push(space.pool.eq(*a, *b)?);
            }
            let given = space.and(&given)?;
            let mut same = vec![];
            let results = old.results.iter().zip(&new.results);
            for (a, b) in results.chain(old.how.iter().zip(&new.how)) {
                same.push(space.pool.eq(*a, *b)?);
            }
            let (not, same) = (space.not(given)?, space.and(&same)?);
            let fact = space.or(&[not, same])?;
            facts.push(space.tidy(fact)?);
        }
    }
    Ok(facts)
}
