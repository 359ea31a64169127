//! What globals hold before anything was written.

use super::super::loop_exit::Stop;
use super::address_of;
use crate::ids::GlobalId;
use crate::program::Program;
use crate::state::StopReason;
use crate::state::layout::MAX_OBJECT_SIZE;

/// The initial bytes of a global, addresses included. One that is defined elsewhere is
/// taken to be zero: an entry state that knows better says so.
pub(super) fn filled_in(program: &Program, id: GlobalId) -> Result<Vec<u8>, Stop> {
    let global = program.global(id);
    if global.size > MAX_OBJECT_SIZE {
        return Err(StopReason::Memory.into());
    }
    let mut data = vec![0; global.size as usize];
    if let Some(init) = &global.init {
        let len = init.bytes.len().min(data.len());
        data[..len].copy_from_slice(&init.bytes[..len]);
    } else if crate::state::is_stream(global) {
        data = address_of(crate::Address::Global(id)).to_le_bytes().to_vec();
    }
    for relocation in global.init.iter().flat_map(|init| &init.relocations) {
        let address = address_of(relocation.target).wrapping_add_signed(relocation.addend);
        let at = relocation.offset as usize;
        if let Some(place) = data.get_mut(at..at.saturating_add(8)) {
            place.copy_from_slice(&address.to_le_bytes());
        }
    }
    Ok(data)
}
