//! Memory: objects with bounds, liveness, and one initialisation flag per byte.
//!
//! Invariants that keep the inner loop short:
//! - the data of a dead object, and of a global that no run has touched yet, is empty, so one
//!   bounds check covers liveness and laziness too and everything unusual takes the slow path;
//! - `set` is empty for an object all of whose bytes have values;
//! - a byte without a value is zero in `data`;
//! - `writable` is true only for objects that are alive, may be written and are already on
//!   the list of those to be reset and reported.

mod beyond;
mod initial;
mod names;

pub(super) use names::address_of;

use super::loop_exit::Stop;
use crate::ids::GlobalId;
use crate::program::Program;
use crate::state::StopReason;
use crate::state::layout::{
    ENTRY_ZONE, FRESH_ZONE, GLOBAL_ZONE, MAX_OBJECT_SIZE, NULL_LIMIT, zone_base, zone_of,
};
use crate::stmt::Trap;
use initial::filled_in;

/// The slot of a fresh zone whose object is dead; its size stands above.
const DEAD: u32 = u32::MAX;
/// A dead object's buffer is kept for the next one unless it is larger than this.
const KEPT_BUFFER: usize = 1 << 16;

/// What sort of object it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum AllocationKind {
    Global,
    Entry,
    Local,
    Heap,
}

#[derive(Clone, Debug)]
pub(super) struct Slot {
    pub(super) base: u64,
    size: u64,
    pub(super) data: Vec<u8>,
    /// One byte, 0 or 1, for each byte of data; empty if all are 1.
    pub(super) set: Vec<u8>,
    writable: bool,
    read_only: bool,
    pub(super) alive: bool,
    dirty: bool,
    kind: AllocationKind,
    zone: u32,
}

pub(super) struct Memory {
    /// Globals first, then the entry state's objects, then what the run makes.
    slots: Vec<Slot>,
    globals: u32,
    /// How many procedures and externals there are: only those have addresses.
    procedures: u64,
    externals: u64,
    entries: u32,
    /// For each fresh zone, the slot of its object; for a dead one [`DEAD`] and, in the upper half, the
    /// size it had.
    fresh: Vec<u64>,
    free_slots: Vec<u32>,
    dirty: Vec<u32>,
    used: u64,
    /// How many bytes were asked for since [`Memory::take_work`].
    work: u64,
    limit: u64,
    max_objects: u64,
    /// Whether addresses may lie where they are not aligned: because a C type says so, or the entry state.
    packed_type: bool,
    packed: bool,
    /// What lies behind the end of an object ([`Outside::beyond`](crate::state::Outside::beyond)).
    pub(super) beyond: Option<u8>,
    /// Whether a word was read that reaches past the end of its object.
    pub(super) read_beyond: bool,
}

/// Which globals need the program to be filled in; given to the paths that may do so.
pub(super) type Source<'p> = &'p Program;

impl Memory {
    pub(super) fn new(program: &Program) -> Memory {
        let slots = program.globals.iter().enumerate().map(|(index, global)| {
            let zone = GLOBAL_ZONE + index as u32;
            Slot {
                base: zone_base(zone),
                size: global.size,
                data: vec![],
                set: vec![],
                writable: false,
                read_only: global.constant,
                alive: true,
                dirty: false,
                kind: AllocationKind::Global,
                zone,
            }
        });
        Memory {
            slots: slots.collect(),
            globals: program.globals.len() as u32,
            procedures: program.procedures.len() as u64,
            externals: program.externals.len() as u64,
            entries: 0,
            fresh: vec![],
            free_slots: vec![],
            dirty: vec![],
            used: 0,
            work: 0,
            limit: 0,
            max_objects: 0,
            packed_type: names::has_packed_pointers(&program.ctypes),
            packed: false,
            beyond: None,
            read_beyond: false,
        }
    }

    /// Forgets the last run: only what it touched is undone.
    pub(super) fn reset(&mut self, limit: u64, max_objects: u64) {
        for slot in std::mem::take(&mut self.dirty) {
            if slot < self.globals {
                let slot = &mut self.slots[slot as usize];
                slot.data.clear();
                slot.set.clear();
                slot.writable = false;
                slot.dirty = false;
            }
        }
        self.slots.truncate(self.globals as usize);
        self.fresh.clear();
        self.free_slots.clear();
        self.entries = 0;
        self.used = 0;
        self.work = 0;
        self.limit = limit;
        self.max_objects = max_objects;
        self.packed = self.packed_type;
        self.beyond = None;
        self.read_beyond = false;
    }

    /// How many bytes were moved or looked at since the last time, other than by ordinary loads
    /// and stores.
    pub(super) fn take_work(&mut self) -> u64 {
        std::mem::take(&mut self.work)
    }

    /// Counts bytes that were looked at.
    pub(super) fn worked(&mut self, bytes: u64) {
        self.work = self.work.saturating_add(bytes);
    }

    /// Adds the next object of the entry state.
    pub(super) fn add_entry(&mut self, base: u64, bytes: &[u8]) -> Result<u32, Stop> {
        self.charge(bytes.len() as u64)?;
        let index = self.slots.len() as u32;
        self.entries += 1;
        self.slots.push(Slot {
            base,
            size: bytes.len() as u64,
            data: bytes.to_vec(),
            set: vec![],
            writable: false,
            read_only: false,
            alive: true,
            dirty: false,
            kind: AllocationKind::Entry,
            zone: zone_of(base),
        });
        Ok(index)
    }

    /// Gives a global other contents than its initialiser's.
    pub(super) fn set_global(&mut self, id: GlobalId, bytes: &[u8]) {
        let slot = &mut self.slots[id.index()];
        slot.data.clear();
        slot.data.extend_from_slice(bytes);
        slot.dirty = true;
        slot.writable = !slot.read_only;
        self.dirty.push(id.0);
    }

    /// Puts an address into an object while a run is set up.
    pub(super) fn patch(&mut self, slot: u32, offset: u64, address: u64) -> bool {
        let at = offset as usize;
        let slot = &mut self.slots[slot as usize];
        self.packed |= !slot.base.wrapping_add(offset).is_multiple_of(8);
        let place = slot.data.get_mut(at..at.saturating_add(8));
        place.map(|p| p.copy_from_slice(&address.to_le_bytes())).is_some()
    }

    fn charge(&mut self, bytes: u64) -> Result<(), Stop> {
        self.used = self.used.saturating_add(bytes);
        if self.used > self.limit { Err(StopReason::Memory.into()) } else { Ok(()) }
    }

    /// Makes an object; its bytes have no values unless `zeroed`.
    pub(super) fn allocate(
        &mut self,
        kind: AllocationKind,
        size: u64,
        zeroed: bool,
    ) -> Result<u64, Stop> {
        if self.fresh.len() as u64 >= self.max_objects.min(0x4000_0000) {
            return Err(StopReason::Objects.into());
        }
        if size > MAX_OBJECT_SIZE {
            return Err(StopReason::Memory.into());
        }
        self.charge(size)?;
        let zone = FRESH_ZONE + self.fresh.len() as u32;
        let index = match self.free_slots.pop() {
            Some(index) => index,
            None => {
                self.slots.push(Slot {
                    base: 0,
                    size: 0,
                    data: vec![],
                    set: vec![],
                    writable: true,
                    read_only: false,
                    alive: true,
                    dirty: true,
                    kind,
                    zone,
                });
                (self.slots.len() - 1) as u32
            }
        };
        let slot = &mut self.slots[index as usize];
        slot.base = zone_base(zone);
        slot.size = size;
        slot.data.clear();
        slot.data.resize(size as usize, 0);
        slot.set.clear();
        if !zeroed {
            slot.set.resize(size as usize, 0);
        }
        (slot.kind, slot.zone, slot.alive, slot.writable) = (kind, zone, true, true);
        self.fresh.push(u64::from(index));
        Ok(slot.base)
    }

    /// Where the next object will be.
    pub(super) fn next_base(&self) -> u64 {
        zone_base(FRESH_ZONE + self.fresh.len() as u32)
    }

    /// Ends the object at `index`.
    fn bury(&mut self, index: u32) {
        let slot = &mut self.slots[index as usize];
        self.used = self.used.saturating_sub(slot.size);
        slot.alive = false;
        slot.writable = false;
        if slot.zone < FRESH_ZONE {
            slot.data = vec![];
            slot.set = vec![];
            if !slot.dirty {
                slot.dirty = true;
                self.dirty.push(index);
            }
            return;
        }
        if slot.data.capacity() > KEPT_BUFFER {
            slot.data = vec![];
            slot.set = vec![];
        }
        self.fresh[(slot.zone - FRESH_ZONE) as usize] = slot.size << 32 | u64::from(DEAD);
        self.free_slots.push(index);
    }

    /// Ends the object a run made at `base`, if it is alive.
    pub(super) fn end_local(&mut self, base: u64) {
        if let Some(index) = self.slot_of(zone_of(base)) {
            self.bury(index);
        }
    }

    /// `free`: of null it does nothing, of a live heap object's start it ends the object.
    /// An entry object counts as heap: nobody knows where a caller's object lives.
    pub(super) fn free(&mut self, address: u64) -> Result<(), Stop> {
        if address == 0 {
            return Ok(());
        }
        let index = self.heap_slot(address)?;
        self.bury(index);
        Ok(())
    }

    /// The slot of the live heap object that starts at `address`.
    fn heap_slot(&self, address: u64) -> Result<u32, Stop> {
        let bad = Stop::from(Trap::BadFree);
        let Some(index) = self.slot_of(zone_of(address)) else { return Err(bad) };
        let slot = &self.slots[index as usize];
        let heap = matches!(slot.kind, AllocationKind::Heap | AllocationKind::Entry);
        if heap && slot.alive && slot.base == address { Ok(index) } else { Err(bad) }
    }

    /// The size of the live heap object that starts at `address`.
    pub(super) fn heap_size(&self, address: u64) -> Result<u64, Stop> {
        self.heap_slot(address).map(|index| self.slots[index as usize].size)
    }

    /// The slot of a zone; `None` if it has no object or a dead one that a run made.
    #[inline]
    fn slot_of(&self, zone: u32) -> Option<u32> {
        if zone >= FRESH_ZONE {
            let index = *self.fresh.get((zone - FRESH_ZONE) as usize)? as u32;
            return (index != DEAD).then_some(index);
        }
        if zone >= GLOBAL_ZONE {
            let index = zone - GLOBAL_ZONE;
            return (index < self.globals).then_some(index);
        }
        let index = zone.wrapping_sub(ENTRY_ZONE);
        (index < self.entries).then(|| self.globals + index)
    }

    /// `N` bytes for an ordinary load; `None` sends the caller to [`Memory::bytes`].
    #[inline]
    pub(super) fn read<const N: usize>(&self, address: u64, align_mask: u64) -> Option<[u8; N]> {
        let slot = &self.slots[self.slot_of(zone_of(address))? as usize];
        let at = address.wrapping_sub(slot.base) as usize;
        let bytes = slot.data.get(at..at.wrapping_add(N))?;
        if address & align_mask != 0 {
            return None;
        }
        if !slot.set.is_empty() && slot.set.get(at..at.wrapping_add(N))? != [1; N] {
            return None;
        }
        bytes.try_into().ok()
    }

    /// Writes `N` bytes for an ordinary store; `false` sends the caller to [`Memory::put`].
    #[inline]
    pub(super) fn write<const N: usize>(
        &mut self,
        address: u64,
        align_mask: u64,
        bytes: [u8; N],
    ) -> bool {
        let Some(index) = self.slot_of(zone_of(address)) else { return false };
        let slot = &mut self.slots[index as usize];
        let at = address.wrapping_sub(slot.base) as usize;
        if !slot.writable || address & align_mask != 0 {
            return false;
        }
        let Some(place) = slot.data.get_mut(at..at.wrapping_add(N)) else { return false };
        place.copy_from_slice(&bytes);
        if !slot.set.is_empty()
            && let Some(flags) = slot.set.get_mut(at..at.wrapping_add(N))
        {
            flags.copy_from_slice(&[1; N]);
        }
        true
    }

    /// Finds `len` bytes (at least one) for any access, with all checks in their order: null, liveness and
    /// bounds, alignment. Fills in a global that was not touched yet.
    fn locate(
        &mut self,
        program: Source<'_>,
        address: u64,
        len: u64,
        align: u64,
    ) -> Result<(u32, usize), Stop> {
        if address < NULL_LIMIT {
            return Err(Trap::NullAccess.into());
        }
        let zone = zone_of(address);
        let Some(index) = self.slot_of(zone) else {
            let made = zone >= FRESH_ZONE && ((zone - FRESH_ZONE) as usize) < self.fresh.len();
            return Err(if made { Trap::UseAfterFree } else { Trap::OutOfBounds }.into());
        };
        let slot = &mut self.slots[index as usize];
        if !slot.alive {
            return Err(Trap::UseAfterFree.into());
        }
        let at = address.wrapping_sub(slot.base);
        if at > slot.size || slot.size - at < len {
            return Err(Trap::OutOfBounds.into());
        }
        if align > 1 && !address.is_multiple_of(align) {
            return Err(Trap::Misaligned.into());
        }
        // A load or store comes here or not depending on what earlier runs filled in, so it
        // must not count; none is longer than this.
        if len > 16 {
            self.work = self.work.saturating_add(len);
        }
        if slot.kind == AllocationKind::Global && slot.data.is_empty() && slot.size > 0 {
            // Not charged: what one run filled in, the next one finds, and the limit
            // must stop both or neither.
            slot.data = filled_in(program, GlobalId(index))?;
        }
        Ok((index, at as usize))
    }

    /// Bytes to be read, with or without values.
    pub(super) fn view(
        &mut self,
        program: Source<'_>,
        address: u64,
        len: u64,
        align: u64,
    ) -> Result<(&[u8], &[u8]), Stop> {
        let (index, at) = self.locate(program, address, len, align)?;
        let slot = &self.slots[index as usize];
        let range = at..at + len as usize;
        let set = if slot.set.is_empty() { &[][..] } else { &slot.set[range.clone()] };
        Ok((&slot.data[range], set))
    }

    /// Bytes to be read, all of which must have values.
    pub(super) fn bytes(
        &mut self,
        program: Source<'_>,
        address: u64,
        len: u64,
        align: u64,
    ) -> Result<&[u8], Stop> {
        if len == 0 {
            return Ok(&[]);
        }
        let (data, set) = self.view(program, address, len, align)?;
        if set.contains(&0) { Err(Trap::Uninitialised.into()) } else { Ok(data) }
    }

    /// The rest of the object from `address` on (at least one byte), for functions that look for an end.
    pub(super) fn rest(
        &mut self,
        program: Source<'_>,
        address: u64,
    ) -> Result<(&[u8], &[u8]), Stop> {
        let (index, at) = self.locate(program, address, 1, 1)?;
        let slot = &self.slots[index as usize];
        let set = if slot.set.is_empty() { &[][..] } else { &slot.set[at..] };
        Ok((&slot.data[at..], set))
    }

    /// What is behind an address that outsiders are given, after [`Memory::touch`].
    pub(super) fn peek(&self, address: u64) -> Option<(&[u8], &[u8])> {
        let slot = &self.slots[self.slot_of(zone_of(address))? as usize];
        let at = usize::try_from(address.wrapping_sub(slot.base)).ok()?;
        let data = slot.data.get(at..)?;
        Some((data, slot.set.get(at..).unwrap_or(&[])))
    }

    /// Fills in the global an address belongs to, if it is one.
    pub(super) fn touch(&mut self, program: Source<'_>, address: u64) {
        // A pointer that leads nowhere is no error until somebody uses it.
        let _ = self.locate(program, address, 0, 1);
    }

    /// Finds `len` bytes to be written; marks the object as written.
    fn locate_mut(
        &mut self,
        program: Source<'_>,
        address: u64,
        len: u64,
        align: u64,
    ) -> Result<(&mut Slot, usize), Stop> {
        let (index, at) = self.locate(program, address, len, align)?;
        let slot = &mut self.slots[index as usize];
        if slot.read_only {
            return Err(Trap::ReadOnly.into());
        }
        if !slot.dirty {
            slot.dirty = true;
            self.dirty.push(index);
        }
        slot.writable = true;
        Ok((slot, at))
    }

    /// Writes bytes that have values.
    pub(super) fn put(
        &mut self,
        program: Source<'_>,
        address: u64,
        bytes: &[u8],
        align: u64,
    ) -> Result<(), Stop> {
        if bytes.is_empty() {
            return Ok(());
        }
        let (slot, at) = self.locate_mut(program, address, bytes.len() as u64, align)?;
        let range = at..at + bytes.len();
        slot.data[range.clone()].copy_from_slice(bytes);
        if !slot.set.is_empty() {
            slot.set[range].fill(1);
        }
        Ok(())
    }

    /// Writes one byte `len` times.
    pub(super) fn fill(
        &mut self,
        program: Source<'_>,
        address: u64,
        byte: u8,
        len: u64,
        align: u64,
    ) -> Result<(), Stop> {
        if len == 0 {
            return Ok(());
        }
        let (slot, at) = self.locate_mut(program, address, len, align)?;
        let range = at..at + len as usize;
        slot.data[range.clone()].fill(byte);
        if !slot.set.is_empty() {
            slot.set[range].fill(1);
        }
        Ok(())
    }

    /// Copies bytes and whether they have values; the areas may overlap.
    pub(super) fn copy(
        &mut self,
        program: Source<'_>,
        to: u64,
        from: u64,
        len: u64,
        align: u64,
    ) -> Result<(), Stop> {
        if len == 0 {
            return Ok(());
        }
        let (source, from_at) = self.locate(program, from, len, align)?;
        let (slot, to_at) = self.locate_mut(program, to, len, align)?;
        let len = len as usize;
        let target = slot.zone;
        if target == self.slots[source as usize].zone {
            let slot = &mut self.slots[source as usize];
            slot.data.copy_within(from_at..from_at + len, to_at);
            if !slot.set.is_empty() {
                slot.set.copy_within(from_at..from_at + len, to_at);
            }
            return Ok(());
        }
        // Two different slots: take the target's buffers out while both are in use.
        let index = self.slot_of(target).unwrap_or(source) as usize;
        let mut data = std::mem::take(&mut self.slots[index].data);
        let mut set = std::mem::take(&mut self.slots[index].set);
        let from = &self.slots[source as usize];
        data[to_at..to_at + len].copy_from_slice(&from.data[from_at..from_at + len]);
        match from.set.get(from_at..from_at + len) {
            Some(flags) if !set.is_empty() => set[to_at..to_at + len].copy_from_slice(flags),
            Some(flags) if flags.contains(&0) => {
                set = vec![1; data.len()];
                set[to_at..to_at + len].copy_from_slice(flags);
            }
            None if !set.is_empty() => set[to_at..to_at + len].fill(1),
            _ => {}
        }
        self.slots[index].data = data;
        self.slots[index].set = set;
        Ok(())
    }

    /// Gives bytes without a value one, as an unknown function might; see `unknown.rs`.
    ///
    /// Gives back what was filled, each run of bytes with its distance from `address`.
    pub(super) fn fill_unset(
        &mut self,
        address: u64,
        mut next: impl FnMut() -> u8,
    ) -> Vec<(i64, Vec<u8>)> {
        let mut filled: Vec<(i64, Vec<u8>)> = vec![];
        let Some(index) = self.slot_of(zone_of(address)) else { return filled };
        let slot = &mut self.slots[index as usize];
        if !slot.alive {
            return filled;
        }
        let start = slot.base.wrapping_sub(address) as i64;
        let mut run_goes_on = false;
        for (at, (byte, set)) in slot.data.iter_mut().zip(&mut slot.set).enumerate() {
            let unset = *set == 0;
            if unset {
                (*byte, *set) = (next(), 1);
                match filled.last_mut().filter(|_| run_goes_on) {
                    Some((_, bytes)) => bytes.push(*byte),
                    None => filled.push((start + at as i64, vec![*byte])),
                }
            }
            run_goes_on = unset;
        }
        filled
    }
}
