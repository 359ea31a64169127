//! What the conditions of a judgement may speak of.
//!
//! A condition leaves the execution that it was found in: parts of U that several engines found are joined, U and C must exclude
//! each other, callers and reports use them. That is right only if a name stands for the same thing in all of them
//! (docs/internals/symex.md, "What names mean"). Engines keep to it by construction; here it is checked of every condition
//! before any judgement grows by it, so that an engine that does not is a bug that is reported and never a proof.
//!
//! A condition is about entry states, but a formula also speaks of assignments that no entry state gives: a global that is
//! not aligned, a pointer to the upper half of the address space. Engines need not agree on these ([`entry_states`]).

use crate::entry::{aligned, alignment_of, valid_pointer_in};
use std::collections::BTreeSet;
use verdiff_judge::{Addition, Comparison, Findings, PairId, Side, StopReason, Task};
use verdiff_logic::{EntrySymbol, Formula, LogicError, Sort, TermId, TermPool};
use verdiff_model::{Procedure, Type};
use verdiff_symex::entry::Entry;
use verdiff_symex::space::NULL_ZONE;

/// Findings whose conditions speak of the entry state of the pair alone; otherwise nothing, and what is wrong.
pub fn checked(task: &Task<'_>, findings: Findings) -> Findings {
    let old = task.comparison.procedure(task.pair, Side::Old);
    let conditions = findings.candidates.iter().filter_map(|c| c.condition.as_ref());
    let foreign = |addition: &&Addition| !speaks_of_entry(old, &addition.formula);
    let Some(wrong) = findings.additions.iter().chain(conditions).find(foreign) else {
        return findings;
    };
    let (engine, rule) = (&wrong.evidence.engine, wrong.evidence.rule.name());
    let detail = format!("{engine} adds ({rule}) a condition on more than the entry state");
    Findings::nothing(StopReason::internal(detail))
}

/// What holds of every entry state of a pair, as far as it is about the pointers and objects that terms speak of: what is assumed of
/// [pointer parameters](crate::entry::valid_parameters), and where objects lie. It may say less than is true, never more.
pub fn entry_states(
    comparison: &Comparison,
    pair: PairId,
    pool: &mut TermPool,
    terms: &[TermId],
) -> Result<Vec<TermId>, LogicError> {
    let old = comparison.procedure(pair, Side::Old);
    let names = Entry::parameter_names(old);
    let mut all = vec![];
    for symbol in pool.free_names(terms).symbols {
        let (name, term) = (pool.symbol_name(symbol).to_owned(), pool.symbol_term(symbol));
        if pool.sort(term) != Sort::BitVec(64) {
            continue;
        }
        let align = match EntrySymbol::of(&name) {
            EntrySymbol::Parameter(name) => {
                let index = names.iter().position(|other| other == name);
                let is_pointer = |i: &usize| old.var(old.params[*i]).ty == Type::Ptr;
                let Some(index) = index.filter(is_pointer) else { continue };
                all.extend(valid_pointer_in(pool, term)?);
                alignment_of(comparison, pair, index)
            }
            EntrySymbol::Address(object) => {
                let (low, high) = (pool.bits(64, NULL_ZONE.into())?, pool.bits(64, 1 << 62)?);
                all.extend([pool.bv_ule(low, term)?, pool.bv_ule(term, high)?]);
                object_alignment(comparison, object)
            }
            EntrySymbol::Memory(_) => continue,
        };
        if align > 1 {
            all.push(aligned(pool, term, align)?);
        }
    }
    Ok(all)
}

/// How all variables of a name are aligned in both versions; not at all if there is none.
fn object_alignment(comparison: &Comparison, name: &str) -> u32 {
    let programs = Side::BOTH.into_iter().map(|side| comparison.program(side));
    let named = programs.flat_map(|program| &program.globals).filter(|g| g.name == name);
    named.map(|global| global.align).min().unwrap_or(1)
}

/// Whether a condition speaks of nothing but the parameters of the old version, memory at entry and addresses of objects.
fn speaks_of_entry(old: &Procedure, formula: &Formula) -> bool {
    if formula.is_true() || formula.is_false() {
        return true;
    }
    let mut pool = TermPool::new();
    let Ok(term) = formula.build(&mut pool) else { return false };
    let names = pool.free_names(&[term]);
    let parameters: BTreeSet<String> = Entry::parameter_names(old).into_iter().collect();
    let known = |symbol: &verdiff_logic::SymbolId| {
        let sort = pool.sort(pool.symbol_term(*symbol));
        match EntrySymbol::of(pool.symbol_name(*symbol)) {
            EntrySymbol::Parameter(name) => parameters.contains(name),
            EntrySymbol::Memory(_) => matches!(sort, Sort::Array(_)),
            EntrySymbol::Address(_) => sort == Sort::BitVec(64),
        }
    };
    names.functions.is_empty() && names.symbols.iter().all(known)
}

#[cfg(test)]
mod tests {
    use super::*;
    use verdiff_logic::LogicError;
    use verdiff_model::build::example_double;

    /// A condition that compares symbols with themselves plus one, so that they all stay in it.
    fn about(symbols: &[(&str, u32)]) -> Result<Formula, LogicError> {
        let mut pool = TermPool::new();
        let mut all = vec![];
        for (name, width) in symbols {
            let symbol = pool.symbol(name, Sort::BitVec(*width))?;
            let seven = pool.bits(*width, 7)?;
            all.push(pool.bv_ult(symbol, seven)?);
        }
        let all = pool.and(&all)?;
        Formula::of(&pool, all)
    }

    #[test]
    fn conditions_speak_of_parameters_memory_and_addresses() {
        let program = example_double();
        let old = &program.procedures[0];
        let name = Entry::parameter_names(old).remove(0);
        assert!(speaks_of_entry(old, &Formula::truth()));
        assert!(speaks_of_entry(old, &about(&[(&name, 32), ("&g", 64)]).unwrap()));
        for other in ["the world", "unspecified!1", "set.x", "at.outside", "initialised.outside"] {
            assert!(!speaks_of_entry(old, &about(&[(&name, 32), (other, 32)]).unwrap()), "{other}");
        }
        assert!(!speaks_of_entry(old, &about(&[("memory.outside", 32)]).unwrap()), "no memory");
        assert!(!speaks_of_entry(old, &about(&[("&g", 32)]).unwrap()), "no address");
    }

    #[test]
    fn what_a_function_gives_is_no_part_of_an_entry_state() {
        let program = example_double();
        let old = &program.procedures[0];
        let mut pool = TermPool::new();
        let name = Entry::parameter_names(old).remove(0);
        let x = pool.symbol(&name, Sort::BitVec(32)).unwrap();
        let read = pool.function("read", &[Sort::BitVec(32)], Sort::Bool).unwrap();
        let given = pool.call(read, &[x]).unwrap();
        assert!(!speaks_of_entry(old, &Formula::of(&pool, given).unwrap()));
    }
}
