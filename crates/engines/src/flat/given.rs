//! What is taken for granted of the entry states of a pair.

use super::alias;
use super::decide::{Attempt, Formed};
use verdiff_judge::Task;
use verdiff_logic::{LogicError, TermId};
use verdiff_model::{Trap, Type};
use verdiff_symex::callee::InlineAll;
use verdiff_symex::entry::Entry;
use verdiff_symex::execute::{Executor, Limits, Stop};
use verdiff_symex::outcome::how;
use verdiff_symex::regions::Cell;
use verdiff_symex::space::{NULL_ZONE, Space};

impl Attempt<'_> {
    /// What is taken for granted of entry states, and D at the end; and whether that is more than of every pair.
    pub(crate) fn assertions(&mut self, formed: &Formed) -> Result<(Vec<TermId>, bool), Stop> {
        let mut assertions = self.space.axioms()?;
        assertions.extend(self.valid_entry(&formed.entry)?);
        let mut given = self.apart(formed)?;
        given.extend(self.assumed(&formed.entry)?);
        if self.task.comparison.settings.overflow_undefined {
            let overflow = self.space.pool.bits(16, how::trapped(Trap::SignedOverflow).into())?;
            given.push(self.space.pool.ne(formed.outcomes[0].how, overflow)?);
        }
        let restricted = !given.is_empty();
        assertions.extend(given);
        assertions.push(formed.differ);
        Ok((assertions, restricted))
    }

    /// What is taken for granted of entry states: a pointer parameter is null (or so near that nobody crosses the
    /// gap) or leads to some object, aligned for its type, which ends before the upper half of the address space: the assumption that
    /// objects behind pointers are large enough, for the pointer itself. And memories of words are compared where words
    /// are: the cells of such a region lie at multiples of their size.
    pub(crate) fn valid_entry(&mut self, entry: &Entry) -> Result<Vec<TermId>, Stop> {
        let mut valid = valid_parameters(&mut self.space, &self.task, entry)?;
        for region in self.facts.regions.ids() {
            let info = self.facts.regions.info(region);
            if let Cell::Words(bytes) = info.cell
                && let Some(at) = self.space.pool.find_symbol(&format!("at.{}", info.name))
            {
                let at = self.space.pool.symbol_term(at);
                let mask = self.space.pool.bits(64, u128::from(bytes - 1))?;
                let (low, zero) = (self.space.pool.bv_and(at, mask)?, self.space.pool.bits(64, 0)?);
                valid.push(self.space.pool.eq(low, zero)?);
            }
        }
        Ok(valid)
    }

    /// The user's preconditions: each is a procedure of the old program that returns something else than zero.
    fn assumed(&mut self, entry: &Entry) -> Result<Vec<TermId>, Stop> {
        let comparison = self.task.comparison;
        let pair = comparison.pair(self.task.pair);
        let program = &comparison.old.program;
        let mut given = vec![];
        for (_, name) in comparison.settings.assume.iter().filter(|(f, _)| *f == pair.function) {
            let Some(id) = program.procedure_named(name) else {
                return Err(Stop::Construct(format!("the precondition {name} is missing")));
            };
            if program.procedure(id).signature().params
                != program.procedure(pair.old).signature().params
            {
                return Err(Stop::Construct(format!("{name} takes other parameters")));
            }
            let mut inline = InlineAll;
            let limits = Limits { terms: 100_000, depth: 10 };
            let mut executor = Executor::new(
                &mut self.space,
                program,
                0,
                &self.facts.regions,
                &mut inline,
                limits,
            );
            let state = executor.entry_state(entry, id, false)?;
            let outcome = executor.run(id, &entry.args, state)?;
            let Some(result) = outcome.results.first().copied() else {
                return Err(Stop::Construct(format!("{name} returns nothing")));
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
        Ok(given)
    }

    /// What is taken for granted of pointers that do not alias.
    pub(crate) fn apart(&mut self, formed: &Formed) -> Result<Vec<TermId>, LogicError> {
        let unaliased = alias::unaliased(self.task.comparison, self.task.pair);
        let (entry, outcomes) = (&formed.entry, &formed.outcomes);
        alias::axioms(&mut self.space, entry, &unaliased, formed.differ, outcomes)
    }
}

/// What is taken for granted of the pointers among the parameters of a pair.
pub(crate) fn valid_parameters(
    space: &mut Space,
    task: &Task<'_>,
    entry: &Entry,
) -> Result<Vec<TermId>, LogicError> {
    let program = &task.comparison.old.program;
    let procedure = program.procedure(task.comparison.pair(task.pair).old);
    let pool = &mut space.pool;
    let limit = pool.bits(64, 1 << 62)?;
    let mut valid = vec![];
    for (term, param) in entry.args.iter().zip(&procedure.params) {
        if procedure.var(*param).ty == Type::Ptr {
            valid.push(pool.bv_ule(*term, limit)?);
            let (near, zone) = (pool.bits(64, 4096)?, pool.bits(64, NULL_ZONE.into())?);
            let pointed = procedure.var(*param).ctype.and_then(|c| program.ctypes.target(c));
            let align = pointed.and_then(|c| program.ctypes.align(c)).filter(|a| *a > 1);
            if let Some(align) = align {
                let mask = pool.bits(64, u128::from(align - 1))?;
                let (low, zero) = (pool.bv_and(*term, mask)?, pool.bits(64, 0)?);
                valid.push(pool.eq(low, zero)?);
            }
            let null = pool.bv_ult(*term, near)?;
            let object = pool.bv_ule(zone, *term)?;
            valid.push(pool.or(&[null, object])?);
        }
    }
    Ok(valid)
}
