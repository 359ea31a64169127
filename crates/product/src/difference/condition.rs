//! D as a condition on the entry state: for exactly which inputs the outcomes differ.

use super::Formed;
use super::world;
use crate::Product;
use std::collections::HashSet;
use verdiff_logic::effort::Effort;
use verdiff_logic::solver::{self, Decide, Limits as SolverLimits, Query};
use verdiff_logic::{EntrySymbol, LogicError, Op, TermId};
use verdiff_model::state::{EntryState, Value};
use verdiff_symex::entry::Entry;
use verdiff_symex::execute::Stop;
use verdiff_symex::outcome::Outcome;

impl Product<'_> {
    /// D says that memories differ at *some* address. They can only differ where one was written,
    /// so the address is one of those, where they are finitely many.
    pub fn without_address(
        &mut self,
        differ: TermId,
        outcomes: &[Outcome; 2],
        visible: &[(usize, u32, String)],
    ) -> Result<Option<TermId>, Stop> {
        const MOST: usize = 64;
        let free: HashSet<_> = self.space.pool.free_names(&[differ]).symbols.into_iter().collect();
        let mut instances: Vec<(TermId, Vec<TermId>)> = Vec::new();
        for (region, cell, _) in visible {
            let at = self.space.compared_at(*region);
            let symbol = at.and_then(|at| self.space.pool.as_symbol(at));
            let Some(symbol) = symbol.filter(|symbol| free.contains(symbol)) else { continue };
            let mut addresses = Vec::new();
            for outcome in outcomes {
                let written = self.space.written(outcome.memory[*region])?;
                if written.arrays.len() > 1 {
                    return Ok(None);
                }
                for (addr, len) in written.ranges {
                    let Some(len) = self.space.constant(len).filter(|len| *len <= MOST as u64)
                    else {
                        return Ok(None);
                    };
                    for offset in (0..len).step_by(*cell as usize) {
                        let offset = self.space.pool.bits(64, offset.into())?;
                        let at = self.space.pool.bv_add(addr, offset)?;
                        addresses.push(self.space.tidy(at)?);
                    }
                }
            }
            addresses.sort_unstable();
            addresses.dedup();
            if addresses.len() > MOST {
                return Ok(None);
            }
            instances.push((self.space.pool.symbol_term(symbol), addresses));
        }
        if instances.is_empty() {
            return Ok(Some(differ));
        }
        let rounds = instances.iter().map(|(_, list)| list.len()).max().unwrap_or(0).max(1);
        let mut cases = Vec::new();
        for round in 0..rounds {
            let mut map = Vec::new();
            for (symbol, list) in &instances {
                let Some(at) = list.get(round % list.len().max(1)) else { return Ok(None) };
                map.push((*symbol, *at));
            }
            let case = self.space.pool.substitute(differ, &map.into_iter().collect())?;
            cases.push(self.space.tidy(case)?);
        }
        let any = self.space.or(&cases)?;
        Ok(Some(self.space.tidy(any)?))
    }

    /// D as a condition over the entry state alone, if it is one and exact.
    pub fn exact_condition(
        &mut self,
        formed: &Formed,
        both_end: bool,
    ) -> Result<Option<TermId>, LogicError> {
        if !both_end || self.usage.private {
            return Ok(None);
        }
        let comparison = self.task.comparison;
        if let Some(differ) = formed.without_address
            && let Some(differ) = world::spelled_out(&mut self.space, comparison, differ)?
            && self.speaks_of_entry(formed, differ)?
        {
            return Ok(Some(differ));
        }
        // What was said may be all that differs: results and memory then follow from it.
        let [old, new] = &formed.outcomes;
        let said = world::unlike(&mut self.space, comparison, old.world, new.world)?;
        let Some(said) = said else { return Ok(None) };
        if !self.speaks_of_entry(formed, said)? {
            return Ok(None);
        }
        let mut assertions = self.space.axioms()?;
        let elsewhere = self.space.not(said)?;
        assertions.extend([elsewhere, formed.differ]);
        let query = Query { assertions: &assertions, assumptions: &[] };
        let time = (self.budget().left() / 4).min(Effort::millis(300));
        let limits = SolverLimits::effort(time);
        let answer = solver::standard().decide(&mut self.space.pool, &query, &limits);
        Ok(answer.is_unsat().then_some(said))
    }

    /// Whether a formula speaks of nothing but parameters, memory and globals at entry.
    pub fn speaks_of_entry(
        &mut self,
        formed: &Formed,
        formula: TermId,
    ) -> Result<bool, LogicError> {
        self.speaks_of(&formed.entry, formula)
    }

    /// The same for an entry state.
    pub fn speaks_of(&mut self, entry: &Entry, formula: TermId) -> Result<bool, LogicError> {
        let names = self.space.pool.free_names(&[formula]);
        if !names.functions.is_empty() {
            return Ok(false);
        }
        let mut allowed: HashSet<TermId> = entry.args.iter().copied().collect();
        for memory in &entry.memory {
            allowed.extend(self.space.written(*memory)?.arrays);
        }
        let known = |symbol: &verdiff_logic::SymbolId| {
            let term = self.space.pool.symbol_term(*symbol);
            // Where globals lie is part of the entry state, if their names say which are meant.
            let one = || match EntrySymbol::of(self.space.pool.symbol_name(*symbol)) {
                EntrySymbol::Address(object) => self.facts.is_one_object(object),
                _ => false,
            };
            allowed.contains(&term) || self.space.is_entry_object(term) && one()
        };
        Ok(names.symbols.iter().all(known))
    }

    /// Whether no other arguments differ; only asked where D speaks of arguments alone.
    pub fn is_unique(
        &mut self,
        formed: &Formed,
        condition: TermId,
        entry: &EntryState,
    ) -> Result<bool, Stop> {
        let symbols = self.space.pool.free_names(&[condition]).symbols;
        let mut others = Vec::new();
        for symbol in symbols {
            let term = self.space.pool.symbol_term(symbol);
            let Some(position) = formed.entry.args.iter().position(|arg| *arg == term) else {
                return Ok(false);
            };
            let Value::Bits(bits) = entry.args[position] else {
                return Ok(false);
            };
            let Some(width) = self.space.pool.sort(term).width() else { return Ok(false) };
            let value = self.space.pool.bits(width, bits)?;
            others.push(self.space.pool.ne(term, value)?);
        }
        if others.is_empty() || self.space.pool.op(condition) == Op::True {
            return Ok(false);
        }
        let other = self.space.or(&others)?;
        let assertions = [condition, other];
        let query = Query { assertions: &assertions, assumptions: &[] };
        let time = (self.budget().left() / 8).min(Effort::millis(300));
        let limits = SolverLimits::effort(time);
        Ok(solver::standard().decide(&mut self.space.pool, &query, &limits).is_unsat())
    }
}
