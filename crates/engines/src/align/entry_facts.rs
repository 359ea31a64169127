//! What is known of the parameters at the entry, at places behind it.

use super::cases::Case;
use super::step::Stepping;
use verdiff_logic::TermId;
use verdiff_product::entry::valid_parameters;
use verdiff_product::plain::entry_of;
use verdiff_symex::execute::Stop;

impl Stepping<'_, '_> {
    /// Whether anything is given of the parameters at the entry.
    pub fn knows_of_entry(&self) -> bool {
        let function = &self.task.comparison.pair(self.task.pair).function;
        let mut assumed = self.task.comparison.settings.assume.iter();
        self.case != Case::all() || assumed.any(|(f, _)| f == function)
    }

    /// What was given of the parameters at the start. They are spoken of at all nodes, as the same symbols, and a joint run
    /// began with them: so what held of them then holds of these symbols, with *some* memory. That is not the memory of the node, nor that
    /// of the start as any other fact speaks of it: it has a name of its own. ✗ `--assume '*p > 0'`, and a loop that
    /// stores to `*p`.
    pub(super) fn given_of_entry(&mut self) -> Result<Vec<TermId>, Stop> {
        let pair = self.task.comparison.pair(self.task.pair);
        let facts = &self.cut.facts;
        let procedure = facts.programs[0].procedure(pair.old);
        let space = &mut self.product.space;
        let mut entry = entry_of(space, &facts.regions, procedure, "entry.", &[])?;
        entry.args = self.entry_symbols()?;
        let space = &mut self.product.space;
        for (index, region) in facts.regions.ids().enumerate() {
            let info = facts.regions.info(region);
            let sort = space.array_sort(info.cell.bytes())?;
            let array = space.pool.symbol(&format!("entry.memory.{}", info.name), sort)?;
            entry.memory[index] = space.memories.array(array, info.cell.bytes());
        }
        let mut given = valid_parameters(&mut self.product.space, &self.task, &entry)?;
        given.extend(self.product.preconditions(&entry)?);
        given.extend(self.case.term(&mut self.product.space, &entry.args)?);
        Ok(given)
    }
}
