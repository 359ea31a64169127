//! Where a call is one of the function that is common to both versions.

use crate::facts::ProgramFacts;
use std::collections::BTreeSet;
use verdiff_judge::{Comparison, PairId, Side, Task};
use verdiff_logic::{EntrySymbol, LogicError, Op, Sort, TermId};
use verdiff_model::{Global, GlobalId, Procedure, Program};
use verdiff_symex::space::Space;

/// In which states a call is one of the function that is common to both versions: U of the pair, as far as it holds in calls and speaks of nothing but
/// parameters (which are called so with `prefix` before their names) and globals. `None` if that is everywhere.
///
/// Why that is right: let U hold of the arguments and of what memory holds when the call is made, in any world. If both versions end from there, their outcomes
/// are equal, and that is what the common function gives. If only one of them ends, it gives what that one does: the other's run has no end, and nothing is said of
/// it. Outside of U each version has a function of its own, of which nothing is known. So every pair of runs that ends on both sides is an interpretation of
/// the functions, and what holds for all of these holds of it.
///
/// Conditions are found in other executions, maybe of programs in which memory was split otherwise. So what one says of memory is used only if each
/// read is of a global that both versions have once, in the same form, from the region that it lies in here ([`is_understood`]).
pub(crate) fn common_under(
    task: &Task<'_>,
    facts: &ProgramFacts,
    space: &mut Space,
    pair: PairId,
    prefix: &str,
) -> Result<Option<TermId>, LogicError> {
    let Some(judgement) = task.judgement_of(pair) else {
        return Ok(Some(space.pool.falsity()));
    };
    if judgement.is_equal_in_calls() {
        return Ok(None);
    }
    let comparison = task.comparison;
    let names = parameter_names(comparison.procedure(pair, Side::Old));
    let there = |name: &str| match EntrySymbol::of(name) {
        EntrySymbol::Address(global) => plain_global(comparison, global).map(|_| name.to_owned()),
        EntrySymbol::Memory(_) => Some(name.to_owned()),
        EntrySymbol::Parameter(name) => names.contains(name).then(|| format!("{prefix}{name}")),
    };
    let mut parts = vec![];
    for part in judgement.called_under().parts() {
        let Some(term) = part.build_as(&mut space.pool, &there)? else { continue };
        if is_understood(comparison, facts, space, term)? {
            parts.push(term);
        }
    }
    let condition = space.or(&parts)?;
    Ok(Some(space.tidy(condition)?))
}

/// Whether all that a condition says of memory is about globals, each read from where it lies here.
fn is_understood(
    comparison: &Comparison,
    facts: &ProgramFacts,
    space: &mut Space,
    condition: TermId,
) -> Result<bool, LogicError> {
    let terms = space.pool.sub_terms(&[condition]);
    let mut read: BTreeSet<TermId> = BTreeSet::new();
    let mut arrays: BTreeSet<TermId> = BTreeSet::new();
    for term in terms {
        if matches!(space.pool.sort(term), Sort::Array(_)) {
            arrays.insert(term);
        }
        let (Op::Select, [array, index]) = (space.pool.op(term), space.pool.operands(term)) else {
            // An array that is used otherwise than by reading one place of it is not understood.
            if space
                .pool
                .operands(term)
                .iter()
                .any(|t| matches!(space.pool.sort(*t), Sort::Array(_)))
            {
                return Ok(false);
            }
            continue;
        };
        let (array, index) = (*array, *index);
        let Op::Symbol(symbol) = space.pool.op(array) else { return Ok(false) };
        let region = space.pool.symbol_name(symbol).to_owned();
        let Some((globals, size, align)) = global_at(comparison, space, index) else {
            return Ok(false);
        };
        for (side, global) in Side::BOTH.into_iter().zip(globals) {
            let lies_in = facts.regions.of_global(side, global);
            let here = EntrySymbol::Memory(&facts.regions.info(lies_in).name);
            if EntrySymbol::of(&region) != here {
                return Ok(false);
            }
        }
        // It is an object of the space from now on, so that its address is told from others.
        let name = comparison.old.program.global(globals[0]).name.clone();
        let size = space.pool.bits(64, size.into())?;
        space.object(&name, size, align.into(), false, false)?;
        read.insert(array);
    }
    Ok(arrays.is_subset(&read))
}

/// The global that an address lies in, if it is a place of one: in both versions, with its size and alignment.
fn global_at(
    comparison: &Comparison,
    space: &Space,
    address: TermId,
) -> Option<([GlobalId; 2], u64, u32)> {
    let base = match space.pool.op(address) {
        Op::BvAdd => {
            let [a, b] = *space.pool.operands(address) else { return None };
            let number = |t: TermId| space.constant(t);
            let (base, distance) = match (number(a), number(b)) {
                (None, Some(distance)) => (a, distance),
                (Some(distance), None) => (b, distance),
                _ => return None,
            };
            let (globals, size, align) = global_at(comparison, space, base)?;
            return (distance < size).then_some((globals, size, align));
        }
        Op::Symbol(symbol) => space.pool.symbol_name(symbol),
        _ => return None,
    };
    let EntrySymbol::Address(base) = EntrySymbol::of(base) else { return None };
    let globals = plain_global(comparison, base)?;
    let global = comparison.old.program.global(globals[0]);
    Some((globals, global.size, global.align))
}

/// A variable that both versions have once, in the same form, so that its name says which object is meant.
fn plain_global(comparison: &Comparison, name: &str) -> Option<[GlobalId; 2]> {
    let only = |program: &Program| {
        let mut all = (0..program.globals.len()).map(GlobalId::new);
        let named = |id: &GlobalId| program.global(*id).name == name;
        let first = all.find(named)?;
        let is_plain = |g: &Global| {
            let weak = program.weak_undefined.contains(&g.symbol);
            g.owner.is_none() && !g.constant && !g.open_ended && !g.thread_local && !weak
        };
        (is_plain(program.global(first)) && !all.any(|id| named(&id))).then_some(first)
    };
    let globals = [only(&comparison.old.program)?, only(&comparison.new.program)?];
    let [old, new] =
        [comparison.old.program.global(globals[0]), comparison.new.program.global(globals[1])];
    (old.size == new.size && old.align == new.align).then_some(globals)
}

/// The symbols of a procedure's parameters in the conditions of its judgement
/// ([`Entry::of`](verdiff_symex::entry::Entry::of)); those without a name of their own are left out.
pub(crate) fn parameter_names(procedure: &Procedure) -> BTreeSet<&str> {
    let names = procedure.params.iter().map(|p| procedure.var(*p).name.as_str());
    let mut once = BTreeSet::new();
    let twice: BTreeSet<&str> = names.clone().filter(|n| !once.insert(*n)).collect();
    names.filter(|n| EntrySymbol::is_parameter_name(n) && !twice.contains(n)).collect()
}
