//! What is assumed of the entry states of a pair.

use crate::difference::Formed;
use crate::{Product, ProgramFacts, alias};
use verdiff_judge::{Assumption, Budget, Comparison, PairId, Side, Task};
use verdiff_logic::{Formula, LogicError, TermId, TermPool};
use verdiff_model::{Trap, Type};
use verdiff_symex::entry::Entry;
use verdiff_symex::execute::{Construct, ExecutionLimits, Stop};
use verdiff_symex::outcome::{Exit, how};
use verdiff_symex::record::{AccessRecord, Log};
use verdiff_symex::regions::Cell;
use verdiff_symex::space::{NULL_ZONE, Space};

impl Product<'_> {
    /// What is assumed of entry states, and D at the end; and what of that is assumed beyond what every proof assumes.
    pub fn assertions(&mut self, formed: &Formed) -> Result<(Vec<TermId>, Vec<Assumption>), Stop> {
        let settings = &self.task.comparison.settings;
        let mut assertions = self.space.axioms()?;
        if self.space.is_any_call() {
            // A caller knows nothing of what is assumed of entries.
            assertions.extend(self.aligned_cells()?);
            assertions.push(formed.differ);
            return Ok((assertions, vec![]));
        }
        assertions.extend(self.valid_entry(&formed.entry)?);
        let mut assumes = vec![];
        let apart = self.accessed_apart(formed)?;
        if !apart.is_empty() {
            let no_alias = settings.no_alias;
            assumes.push(if no_alias { Assumption::NoAlias } else { Assumption::Restrict });
        }
        assertions.extend(apart);
        assertions.extend(self.preconditions(&formed.entry)?);
        assumes.extend(self.preconditions_assumed());
        if settings.overflow_undefined {
            let overflow = self.space.pool.bits(16, how::trapped(Trap::SignedOverflow).into())?;
            assertions.push(self.space.pool.ne(formed.outcomes[0].how, overflow)?);
            assumes.push(Assumption::OverflowUndefined);
        }
        assertions.push(formed.differ);
        Ok((assertions, assumes))
    }

    /// The user's preconditions, for evidence.
    pub fn preconditions_assumed(&self) -> Vec<Assumption> {
        preconditions_assumed(&self.task)
    }

    /// What is taken for granted of entry states: a pointer parameter is null (or so near that nobody crosses the
    /// gap) or leads to some object, aligned for its type, which ends before the upper half of the address space: the assumption that
    /// objects behind pointers are large enough, for the pointer itself. And memories of words are compared where words
    /// are: the cells of such a region lie at multiples of their size.
    pub fn valid_entry(&mut self, entry: &Entry) -> Result<Vec<TermId>, Stop> {
        let mut valid = valid_parameters(&mut self.space, &self.task, entry)?;
        valid.extend(self.aligned_cells()?);
        Ok(valid)
    }

    /// Memories of words are compared where words are: the cells of such a region lie at multiples of their size.
    pub fn aligned_cells(&mut self) -> Result<Vec<TermId>, LogicError> {
        let mut facts = vec![];
        for region in self.facts.regions.ids() {
            let info = self.facts.regions.info(region);
            if let Cell::Words(bytes) = info.cell
                && let Some(at) = self.space.compared_at(region.index())
            {
                facts.push(aligned(&mut self.space.pool, at, bytes)?);
            }
        }
        Ok(facts)
    }

    /// The user's preconditions: each is a procedure of the old program that returns something else than zero.
    pub fn preconditions(&mut self, entry: &Entry) -> Result<Vec<TermId>, Stop> {
        let comparison = self.task.comparison;
        let pair = comparison.pair(self.task.pair);
        let mut given = vec![];
        // What a precondition reads is not what the versions access.
        let accesses = self.accesses.as_ref().map(|log| (log.clone(), log.count()));
        for (_, name) in comparison.settings.assume.iter().filter(|(f, _)| *f == pair.function) {
            let program = self.program(Side::Old);
            let Some(id) = program.procedure_named(name) else {
                return Err(Stop::Construct(Construct::Precondition));
            };
            if program.procedure(id).signature().params
                != program.procedure(pair.old).signature().params
            {
                return Err(Stop::Construct(Construct::Precondition));
            }
            let limits = ExecutionLimits { terms: 100_000, depth: 10 };
            let outcome = self.run_inlined(Side::Old, id, entry, limits)?;
            let Some(result) = outcome.results.first().copied() else {
                return Err(Stop::Construct(Construct::Precondition));
            };
            let holds = match self.space.pool.sort(result).width() {
                Some(width) => {
                    let zero = self.space.pool.bits(width, 0)?;
                    self.space.pool.ne(result, zero)?
                }
                None => result,
            };
            given.extend([outcome.returned, holds]);
        }
        if let Some((log, count)) = accesses {
            log.forget_after(count);
        }
        Ok(given)
    }

    /// What is taken for granted of pointers that do not alias, where both versions were executed as a whole in this space.
    fn accessed_apart(&mut self, formed: &Formed) -> Result<Vec<TermId>, LogicError> {
        let unaliased = alias::unaliased(self.task.comparison, self.task.pair);
        let accesses = self.accesses.as_ref().map_or(vec![], Log::records);
        alias::of_accesses(&mut self.space, &formed.entry, &unaliased, &accesses)
    }

    /// The same of all addresses in D, and of what is accessed on these paths, for those who look for an input: what is in D
    /// need not be accessed, so nothing may be proved with it. ✗ The addresses in D alone: what a run reads after a store
    /// may be in D as what was stored, and only the comparison of both addresses is left of the read.
    pub fn apart(&mut self, formed: &Formed, paths: &[Exit]) -> Result<Vec<TermId>, LogicError> {
        let unaliased = alias::unaliased(self.task.comparison, self.task.pair);
        let (entry, outcomes) = (&formed.entry, &formed.outcomes);
        let mut accesses = vec![];
        for exit in paths.iter().filter(|_| unaliased.contains(&true)) {
            let when = self.space.and(&exit.path)?;
            for touch in &exit.touched {
                let Some(bytes) = self.space.constant(touch.len) else { continue };
                accesses.push(AccessRecord { when, address: touch.addr, bytes });
            }
        }
        let mut all =
            alias::of_addresses(&mut self.space, entry, &unaliased, formed.differ, outcomes)?;
        all.extend(alias::of_accesses(&mut self.space, entry, &unaliased, &accesses)?);
        all.sort();
        all.dedup();
        Ok(all)
    }
}

/// The user's preconditions of the pair of a task, for evidence.
pub fn preconditions_assumed(task: &Task<'_>) -> Vec<Assumption> {
    let (comparison, pair) = (task.comparison, task.pair);
    let (function, settings) = (&comparison.pair(pair).function, &comparison.settings);
    let own = |(f, text): &(String, String)| (f == function).then(|| text.clone());
    let texts: Vec<String> = settings.assume_text.iter().filter_map(own).collect();
    let names: Vec<String> = settings.assume.iter().filter_map(own).collect();
    // As C where it is known as C.
    let all = if texts.len() == names.len() { texts } else { names };
    let of = |c| Assumption::Precondition { function: function.clone(), c };
    all.into_iter().map(of).collect()
}

/// The user's preconditions of the pair of a task as one condition over the parameters; `None` if they speak of anything
/// else.
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

/// What is assumed of the pointers among the parameters of a pair at entry: each is
/// [valid](valid_pointer), and aligned for its type.
///
/// Alignment is assumed because C lets nobody have a pointer that is not aligned for its type (C11 6.3.2.3p7), and because
/// [entry states](crate::valid) of runs are made so: where a type of either version asks for less, less is assumed.
/// It is assumed of entry states alone. What is assumed of calls within an induction is proved of them, and there no
/// type says how a pointer is aligned ([`valid_pointer`]).
pub fn valid_parameters(
    space: &mut Space,
    task: &Task<'_>,
    entry: &Entry,
) -> Result<Vec<TermId>, LogicError> {
    let comparison = task.comparison;
    let procedure = comparison.procedure(task.pair, Side::Old);
    let mut valid = vec![];
    for (index, (term, param)) in entry.args.iter().zip(&procedure.params).enumerate() {
        if procedure.var(*param).ty == Type::Ptr {
            let align = alignment_of(comparison, task.pair, index);
            if align > 1 {
                valid.push(aligned(&mut space.pool, *term, align)?);
            }
            valid.push(valid_pointer(space, *term)?);
            // Every caller has made the register area of a variadic call.
            if procedure.areas().next() == Some(*param) {
                let zone = space.pool.bits(64, NULL_ZONE.into())?;
                valid.push(space.pool.bv_ule(zone, *term)?);
            }
        }
    }
    Ok(valid)
}

/// How a pointer parameter is aligned in both versions, as far as its types say.
pub(crate) fn alignment_of(comparison: &Comparison, pair: PairId, index: usize) -> u32 {
    let [old, new] = Side::BOTH.map(|side| alignment(comparison, pair, side, index));
    old.min(new)
}

/// The same in one version.
fn alignment(comparison: &Comparison, pair: PairId, side: Side, index: usize) -> u32 {
    let (program, procedure) = (comparison.program(side), comparison.procedure(pair, side));
    let ctype = procedure.params.get(index).and_then(|param| procedure.var(*param).ctype);
    let pointed = ctype.and_then(|c| program.ctypes.target(c));
    pointed.and_then(|c| program.ctypes.align(c)).map_or(1, |align| align as u32)
}

/// That an address is a multiple of a power of two.
pub(crate) fn aligned(
    pool: &mut TermPool,
    address: TermId,
    align: u32,
) -> Result<TermId, LogicError> {
    let mask = pool.bits(64, u128::from(align - 1))?;
    let (low, zero) = (pool.bv_and(address, mask)?, pool.bits(64, 0)?);
    pool.eq(low, zero)
}

/// That a pointer is null (or so near that nobody crosses the gap) or points to an object in the lower half of the
/// address space: the assumption that objects behind pointers are large enough, for the pointer itself.
pub fn valid_pointer(space: &mut Space, pointer: TermId) -> Result<TermId, LogicError> {
    let [low, either] = valid_pointer_in(&mut space.pool, pointer)?;
    space.and(&[low, either])
}

/// The same as two conditions.
pub(crate) fn valid_pointer_in(
    pool: &mut TermPool,
    pointer: TermId,
) -> Result<[TermId; 2], LogicError> {
    let limit = pool.bits(64, 1 << 62)?;
    let (near, zone) = (pool.bits(64, 4096)?, pool.bits(64, NULL_ZONE.into())?);
    let low = pool.bv_ule(pointer, limit)?;
    let null = pool.bv_ult(pointer, near)?;
    let object = pool.bv_ule(zone, pointer)?;
    Ok([low, pool.or(&[null, object])?])
}
