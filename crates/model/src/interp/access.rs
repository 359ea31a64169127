//! Accesses that are not of the four usual sizes, or not ordinary.

use super::code::{AccessInfo, BlockInfo};
use super::loop_exit::Stop;
use super::memory::Memory;
use super::world::WorldState;
use crate::program::Program;
use crate::state::Event;
use crate::stmt::Access;

/// A load of any type. Of a byte that is not a whole one, the low bits are taken.
pub(super) fn load_any(
    program: &Program,
    mem: &mut Memory,
    world: &mut WorldState,
    address: u64,
    info: &AccessInfo,
) -> Result<u128, Stop> {
    let (len, align) = (info.ty.bytes(), u64::from(info.align));
    let mut whole = [0; 16];
    match info.access {
        Access::Plain => whole = mem.word(program, address, len, align)?,
        // A byte without a value is zero in memory, so it reads as zero here.
        Access::Coerced | Access::Volatile => {
            let bytes = mem.view(program, address, len, align)?.0;
            whole[..bytes.len()].copy_from_slice(bytes);
        }
    }
    let value = u128::from_le_bytes(whole) & info.ty.mask();
    if info.access == Access::Volatile {
        let address = world.pointer(mem, address).into();
        world.push(Event::VolatileRead { address, value, bytes: len }, false, program);
    }
    Ok(value)
}

/// A store of any type, widened with zeros to whole bytes.
pub(super) fn store_any(
    program: &Program,
    mem: &mut Memory,
    world: &mut WorldState,
    address: u64,
    value: u128,
    info: &AccessInfo,
) -> Result<(), Stop> {
    let len = info.ty.bytes();
    mem.put(program, address, &value.to_le_bytes()[..len as usize], u64::from(info.align))?;
    if info.access == Access::Volatile {
        let address = world.pointer(mem, address).into();
        world.push(Event::VolatileWrite { address, value, bytes: len }, false, program);
    }
    Ok(())
}

/// A copy of `len` bytes.
pub(super) fn copy(
    program: &Program,
    mem: &mut Memory,
    world: &mut WorldState,
    to: u64,
    from: u64,
    len: u64,
    info: &BlockInfo,
) -> Result<(), Stop> {
    mem.copy(program, to, from, len, u64::from(info.align))?;
    block_event(program, mem, world, to, len, info);
    Ok(())
}

/// `len` times the same byte.
pub(super) fn fill(
    program: &Program,
    mem: &mut Memory,
    world: &mut WorldState,
    to: u64,
    byte: u8,
    len: u64,
    info: &BlockInfo,
) -> Result<(), Stop> {
    mem.fill(program, to, byte, len, u64::from(info.align))?;
    block_event(program, mem, world, to, len, info);
    Ok(())
}

fn block_event(
    program: &Program,
    mem: &Memory,
    world: &mut WorldState,
    to: u64,
    len: u64,
    info: &BlockInfo,
) {
    if info.access != Access::Volatile || len == 0 {
        return;
    }
    let Some((data, set)) = mem.peek(to) else { return };
    let len = len as usize;
    let set = set.get(..len).unwrap_or(&[]);
    let contents = world.contents(mem, to, &data[..len], set);
    let address = world.pointer(mem, to).into();
    world.push(Event::VolatileBlock { address, contents }, false, program);
}
