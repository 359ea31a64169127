//! Between addresses and the names that entry states and outcomes have for things.

use super::{Memory, Slot};
use crate::ctype::{CType, CTypes};
use crate::expr::Address;
use crate::ids::{CTypeId, ExternId, GlobalId, ProcId};
use crate::state::layout::{
    ENTRY_ZONE, EXTERNAL_ZONE, FRESH_ZONE, FUNCTION_SIZE, GLOBAL_ZONE, PROCEDURE_ZONE, ZONE_START,
    zone_base, zone_of,
};
use crate::state::{Pointer, PointerTarget};

impl Memory {
    /// The object an address belongs to, as the entry state and outcomes name it; for one the
    /// run made, the target is `Fresh` with its zone's number.
    pub(in super::super) fn symbolic(&self, address: u64) -> Pointer {
        let zone = zone_of(address);
        let function = |count: u64| {
            let at = address.wrapping_sub(zone_base(zone));
            (at < count * FUNCTION_SIZE)
                .then_some(((at / FUNCTION_SIZE) as u32, (at % FUNCTION_SIZE) as i64))
        };
        let nowhere = Pointer { target: PointerTarget::Null, offset: address as i64 };
        match zone {
            PROCEDURE_ZONE => function(self.procedures).map_or(nowhere, |(id, offset)| Pointer {
                target: PointerTarget::Procedure(ProcId(id)),
                offset,
            }),
            EXTERNAL_ZONE => function(self.externals).map_or(nowhere, |(id, offset)| Pointer {
                target: PointerTarget::External(ExternId(id)),
                offset,
            }),
            FRESH_ZONE.. if ((zone - FRESH_ZONE) as usize) < self.fresh.len() => Pointer {
                target: PointerTarget::Fresh(zone - FRESH_ZONE),
                offset: address.wrapping_sub(zone_base(zone)) as i64,
            },
            _ => match self.slot_of(zone) {
                None => nowhere,
                Some(index) => {
                    let target = if index < self.globals {
                        PointerTarget::Global(GlobalId(index))
                    } else {
                        PointerTarget::Object(index - self.globals)
                    };
                    let base = self.slots[index as usize].base;
                    Pointer { target, offset: address.wrapping_sub(base) as i64 }
                }
            },
        }
    }

    /// Whether the bits look like an address of something, of what is dead too: used to tell pointers in
    /// memory from numbers. They cannot be told apart for certain, as nothing says where a word came from. But an
    /// address leads into its object or just behind it, and zones and the places of objects in them are such
    /// ([`layout`](crate::state::layout)) that a program's numbers do not.
    pub(in super::super) fn is_address(&self, address: u64) -> bool {
        let zone = zone_of(address);
        if zone < ENTRY_ZONE || address & 0xffff_ffff < ZONE_START {
            return false;
        }
        match zone {
            PROCEDURE_ZONE | EXTERNAL_ZONE => {
                !matches!(self.symbolic(address).target, PointerTarget::Null)
            }
            _ => match self.slot_of(zone) {
                Some(index) => {
                    let slot = &self.slots[index as usize];
                    address.wrapping_sub(slot.base) <= slot.size
                }
                None => {
                    let dead = zone.checked_sub(FRESH_ZONE);
                    let dead = dead.and_then(|n| self.fresh.get(n as usize));
                    dead.is_some_and(|dead| address.wrapping_sub(zone_base(zone)) <= dead >> 32)
                }
            },
        }
    }

    /// How far apart the places in memory are where addresses may lie: mostly only where they are aligned.
    pub(in super::super) fn address_step(&self) -> usize {
        if self.packed { 1 } else { 8 }
    }

    /// The object of fresh zone number `n`, if it is alive.
    pub(in super::super) fn fresh_slot(&self, n: u32) -> Option<&Slot> {
        self.slot_of(FRESH_ZONE.wrapping_add(n)).map(|index| &self.slots[index as usize])
    }

    /// The entry objects in order, each with whether it was written.
    pub(in super::super) fn entry_slots(&self) -> impl Iterator<Item = (&Slot, bool)> {
        let first = self.globals as usize;
        self.slots[first..first + self.entries as usize].iter().map(|slot| (slot, slot.dirty))
    }

    /// The globals that were written, in order of id.
    pub(in super::super) fn written_globals(&self) -> Vec<(GlobalId, &Slot)> {
        let mut ids: Vec<u32> =
            self.dirty.iter().copied().filter(|slot| *slot < self.globals).collect();
        ids.sort_unstable();
        ids.into_iter().map(|id| (GlobalId(id), &self.slots[id as usize])).collect()
    }
}

/// Whether some C type has pointers where they are not aligned.
pub(super) fn has_packed_pointers(types: &CTypes) -> bool {
    let holds = |id: CTypeId| holds_pointer(types, id, 8);
    (0..types.len()).map(CTypeId::new).any(|id| match types.get(id) {
        CType::Record { size, fields, .. } => fields.iter().any(|field| {
            // A record of an odd size has them at odd places in an array.
            let aligned = field.offset_bits.is_multiple_of(64) && size.is_multiple_of(8);
            !aligned && field.bit_width.is_none() && holds(field.ctype)
        }),
        _ => false,
    })
}

fn holds_pointer(types: &CTypes, id: CTypeId, depth: u32) -> bool {
    match types.get(types.resolve(id)) {
        CType::Pointer(_) => true,
        CType::Array { element, .. } => depth == 0 || holds_pointer(types, *element, depth - 1),
        CType::Record { fields, .. } => {
            depth == 0 || fields.iter().any(|f| holds_pointer(types, f.ctype, depth - 1))
        }
        _ => false,
    }
}

/// Where something with a name is; 0 for a local, which has no fixed place.
pub(in super::super) fn address_of(target: Address) -> u64 {
    match target {
        Address::Global(id) => zone_base(GLOBAL_ZONE + id.0),
        Address::Procedure(id) => zone_base(PROCEDURE_ZONE) + u64::from(id.0) * FUNCTION_SIZE,
        Address::External(id) => zone_base(EXTERNAL_ZONE) + u64::from(id.0) * FUNCTION_SIZE,
        Address::Local(_) => 0,
    }
}
