//! Where things are. Each object has a zone of 4 GiB for itself, so that no index that
//! a program could sensibly compute leads from one object into another, and the zone
//! of an address says at once which object was meant. Within their zones objects do not begin at
//! the same place: an index that is wrong by a multiple of 4 GiB (a 32-bit number times the size
//! of an element) must not lead into another object, and a number of the program should not
//! look like an address.
//!
//! ```text
//!   63            32 31                                 0
//!  +----------------+-----------------------------------+
//!  |      zone      | 0x1000_0000 + skew + pad + offset |
//!  +----------------+-----------------------------------+
//!   0                          null
//!   0x2000 + i                 object i of the entry state
//!   0x6000, 0x6001             procedures, externals (16 bytes each, no data)
//!   0x0100_0000 + g            global g
//!   0x1000_0000 + n            n-th object made by the run: locals, heap
//! ```
//!
//! Entry objects are where a compiled harness can map them (below 2^47), and end as close
//! to the end of a page as their alignment allows, so that there too an access beyond the
//! end faults.

/// First zone of the entry state's objects.
pub const ENTRY_ZONE: u32 = 0x2000;
/// How many objects an entry state may have.
pub const MAX_ENTRY_OBJECTS: u32 = 0x3000;
/// The zone of procedures.
pub const PROCEDURE_ZONE: u32 = 0x6000;
/// The zone of external functions.
pub const EXTERNAL_ZONE: u32 = 0x6001;
/// First zone of globals.
pub const GLOBAL_ZONE: u32 = 0x0100_0000;
/// First zone of the objects that a run makes.
pub const FRESH_ZONE: u32 = 0x1000_0000;
/// Where in its zone an object begins, but for the pad of entry objects.
pub const ZONE_START: u64 = 0x1000_0000;
/// Addresses below this one come from a null pointer.
pub const NULL_LIMIT: u64 = 65536;
/// The largest object that fits a zone.
pub const MAX_OBJECT_SIZE: u64 = 0xe000_0000;
/// How many bytes of address a function takes.
pub const FUNCTION_SIZE: u64 = 16;

/// The start of a zone's object, without a pad.
pub fn zone_base(zone: u32) -> u64 {
    (u64::from(zone) << 32) + ZONE_START + skew(zone)
}

/// How much later the object of a zone begins: one of 2048 multiples of 64 KiB below 2^27, which differ for
/// zones that are near to each other (multiplicative hashing).
fn skew(zone: u32) -> u64 {
    u64::from(zone.wrapping_mul(0x9e37_79b1) >> 5 & 0x07ff_0000)
}

/// The zone of an address.
#[inline]
pub fn zone_of(address: u64) -> u32 {
    (address >> 32) as u32
}

/// Whether a number may be the address of something: one that is used as a number should be none, or what it means depends on the addresses of
/// the interpreter.
pub fn may_be_address(number: u64) -> bool {
    const MANY: u32 = 0x10_0000;
    let zone = zone_of(number);
    (ENTRY_ZONE..=EXTERNAL_ZONE).contains(&zone)
        || (GLOBAL_ZONE..GLOBAL_ZONE + MANY).contains(&zone)
        || (FRESH_ZONE..FRESH_ZONE + MANY).contains(&zone)
}

/// The address of object `index` of an entry state.
///
/// ```
/// use verdiff_model::state::layout::entry_base;
/// assert_eq!(entry_base(1, 10, 4) % 4096, 0xff4);
/// ```
pub fn entry_base(index: u32, size: u64, align: u32) -> u64 {
    let align = u64::from(align.max(1));
    let pad = (4096 - size % 4096) % 4096;
    zone_base(ENTRY_ZONE + index) + pad / align * align
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_step_of_whole_zones_does_not_lead_to_another_object() {
        // As an index of 32 bits times the size of an element would make.
        for first in [ENTRY_ZONE, GLOBAL_ZONE, FRESH_ZONE] {
            for zone in first..first + 100 {
                for step in 1..64 {
                    let wrong = zone_base(zone) + (u64::from(step) << 32);
                    let other = zone_base(zone + step);
                    assert!(wrong.abs_diff(other) >= 1 << 16, "{zone:#x} and {step}");
                }
            }
        }
    }
}
