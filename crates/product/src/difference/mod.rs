//! D, "some outcome differs", for the outcomes of both versions: as a formula, as a condition on entry states, and in what
//! the outcomes differ.

mod condition;
mod effect;
mod printed;
mod texts;
mod world;

use crate::{Product, Start};
use verdiff_judge::Side;
use verdiff_logic::TermId;
use verdiff_model::Type;
use verdiff_symex::entry::Entry;
use verdiff_symex::execute::{ExecutionLimits, Stop};
use verdiff_symex::outcome::Outcome;

/// What executing both bodies as one formula may cost.
const MERGED: ExecutionLimits = ExecutionLimits { terms: 1_500_000, depth: 40 };

/// D, and what it came from.
pub struct Formed {
    /// The entry state.
    pub entry: Entry,
    /// The outcomes of both versions.
    pub outcomes: [Outcome; 2],
    /// D.
    pub differ: TermId,
    /// Without the address at which memories are compared, if it could be eliminated.
    pub without_address: Option<TermId>,
}

impl Product<'_> {
    /// D for the pair of the task, both bodies executed as one formula.
    pub fn formed(&mut self) -> Result<Formed, Stop> {
        let comparison = self.task.comparison;
        let pair = comparison.pair(self.task.pair);
        let old = comparison.old.program.procedure(pair.old);
        let mut entry = Entry::of(&mut self.space, &self.facts.regions, old)?;
        let mut start = Start::of(&self.task);
        if self.space.is_any_call() {
            start = Start::Anywhere;
            if old.outlined_from.is_some() {
                // Variables of its parent, some of which may be uninitialised where it is called.
                let new = comparison.new.program.procedure(pair.new);
                let sides = [(Side::Old, pair.old, old), (Side::New, pair.new, new)];
                entry = entry.with_unset(&mut self.space, &self.facts.unset(&sides))?;
            }
        }
        let outcomes = self.run_both([pair.old, pair.new], &entry, start, MERGED)?;
        self.compared(entry, outcomes)
    }

    /// D for two outcomes.
    pub fn compared(&mut self, entry: Entry, outcomes: [Outcome; 2]) -> Result<Formed, Stop> {
        let comparison = self.task.comparison;
        let pair = comparison.pair(self.task.pair);
        let regions = &self.facts.regions;
        let any_call = self.space.is_any_call();
        // For the caller of a pair all NaNs are one; a call must be exact, bit for bit.
        let float = |ty: &Type| match ty {
            Type::Float(kind) if !any_call => Some(*kind),
            _ => None,
        };
        let results = &comparison.old.program.procedure(pair.old).results;
        let floats: Vec<_> = results.iter().map(float).collect();
        // Locals of a caller may lie behind the pointers of a call; those of the call itself are dead at its end.
        let visible = regions.visible(|info| info.locals_only && !any_call);
        let differ =
            Outcome::differ(&mut self.space, &outcomes[0], &outcomes[1], &floats, &visible)?;
        // What cannot be simplified for twice the effort that is left will not be decided with what is left then.
        let most = self.budget().left() * 2;
        let differ = self.space.tidy_within(differ, most)?.ok_or(Stop::Effort)?;
        let without_address = match self.space.is_as_built() {
            true => None,
            false => self.without_address(differ, &outcomes, &visible)?,
        };
        Ok(Formed { entry, outcomes, differ, without_address })
    }
}
