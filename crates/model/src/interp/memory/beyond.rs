//! Loads, and what an aligned word holds that reaches past the end of its object.
//!
//! In C and in all proofs such a load is out of bounds. Compiled programs go on, since a page ends no earlier than a word does, and
//! code that reads strings word by word masks what it must not have read. A run that is to see what comes after
//! that says what lies there ([`Outside::beyond`](crate::state::Outside::beyond)).

use super::{Memory, Source, Stop, Trap, zone_of};

impl Memory {
    /// The bytes of one load, the rest zero; all of them must have values.
    pub(in crate::interp) fn word(
        &mut self,
        program: Source<'_>,
        address: u64,
        len: u64,
        align: u64,
    ) -> Result<[u8; 16], Stop> {
        let mut whole = [0; 16];
        let Some(inside) = self.inside(address, len) else {
            whole[..len as usize].copy_from_slice(self.bytes(program, address, len, align)?);
            return Ok(whole);
        };
        self.read_beyond = true;
        let Some(byte) = self.beyond else { return Err(Trap::OutOfBounds.into()) };
        whole[..inside as usize].copy_from_slice(self.bytes(program, address, inside, 1)?);
        whole[inside as usize..len as usize].fill(byte);
        Ok(whole)
    }

    /// How many bytes of an aligned word lie in the live object in which it begins, if it reaches past its end.
    fn inside(&self, address: u64, len: u64) -> Option<u64> {
        let slot = &self.slots[self.slot_of(zone_of(address))? as usize];
        let at = address.wrapping_sub(slot.base);
        let aligned = matches!(len, 2 | 4 | 8) && address.is_multiple_of(len);
        let past = slot.alive && at < slot.size && slot.size - at < len;
        (aligned && past).then(|| slot.size - at)
    }
}
