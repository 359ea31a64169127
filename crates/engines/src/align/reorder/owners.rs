//! Pointer parameters that do not alias: what is accessed through one is accessed through it alone
//! ([`alias`](verdiff_product::alias)).
//!
//! `owner` is a function of addresses. Of each access that a run makes, at an address that is such a pointer plus something, it is the
//! number of the pointer. An update is given what is known of its own accesses, under the condition under which each is made, exactly; that is
//! true of the updates of both runs, since neither traps before. Accesses that depend on data are left out: of those the argument says
//! nothing where updates come in another order than in either run. ✗ `if (c) p[i] = 1;`: where `c` does not hold, nothing is known of
//! `p + i`.

use super::Reordering;
use super::shape::{put, symbols};
use super::updates::{Data, Update, Updates};
use verdiff_logic::{LogicError, Sort, TermId};

/// Longer accesses are told apart at their first byte.
const MOST_BYTES: u64 = 16;

impl Reordering<'_, '_, '_> {
    /// Whether anything rests on pointers that do not alias.
    pub fn uses_owners(&self) -> bool {
        !self.owners.is_empty()
    }

    /// What is known of the accesses of an update, in the iterations with these numbers and from these data on.
    pub fn owners(
        &mut self,
        (update, of): (&Update, &Updates),
        numbers: &[TermId],
        from: &Data,
    ) -> Result<Vec<TermId>, LogicError> {
        if self.owners.is_empty() {
            return Ok(vec![]);
        }
        let space = &mut self.stepping.product.space;
        let map = update.places(space, &of.written, numbers, from)?;
        let owner = space.pool.function("alias.owner", &[Sort::BitVec(64)], Sort::BitVec(16))?;
        let mut found = vec![];
        let data = of.data_symbols(update);
        for access in &update.accesses {
            // Where order is shown, updates are applied to data that no run has there. What depends on data need not be accessed then.
            if !symbols(&space.pool, &[access.when, access.address]).is_disjoint(&data) {
                continue;
            }
            let address = put(space, access.address, &map)?;
            let names = symbols(&space.pool, &[address]);
            let mut whose = self.owners.iter().enumerate().filter(|(_, p)| names.contains(p));
            let (Some((number, pointer)), None) = (whose.next(), whose.next()) else { continue };
            // The pointer itself plus something: not a number that happens to be made from it.
            let rest = space.sub(address, *pointer)?;
            let rest = space.tidy(rest)?;
            if symbols(&space.pool, &[rest]).contains(pointer) {
                continue;
            }
            let when = put(space, access.when, &map)?;
            let not_made = space.not(when)?;
            let number = space.pool.bits(16, number as u128 + 1)?;
            for byte in 0..access.bytes.min(MOST_BYTES) {
                let address = space.offset(address, byte)?;
                let address = space.tidy(address)?;
                let whose = space.pool.call(owner, &[address])?;
                let same = space.pool.eq(whose, number)?;
                found.push(space.or(&[not_made, same])?);
            }
        }
        Ok(found)
    }
}
