//! Allocation. It fails for what no machine has and where the entry state says so
//! ([`Outside::failures`](crate::state::Outside::failures)); the memory limit of the run stops it.

use super::super::call::Arg;
use super::super::loop_exit::Stop;
use super::super::memory::AllocationKind;
use super::Entry;
use super::host::{Host, word};

pub(super) const TABLE: &[Entry] = &[
    ("malloc", "p:l", |h, a| make(h, word(a[0]), false)),
    ("calloc", "p:ll", |h, a| match word(a[0]).checked_mul(word(a[1])) {
        Some(size) => make(h, size, true),
        None => Ok(0),
    }),
    ("realloc", "p:pl", |h, a| resize(h, word(a[0]), word(a[1]))),
    ("reallocarray", "p:pll", |h, a| match word(a[1]).checked_mul(word(a[2])) {
        Some(size) => resize(h, word(a[0]), size),
        None => Ok(0),
    }),
    // Every object begins at a multiple of 64 KiB, so all usual alignments are served.
    ("aligned_alloc", "p:ll", |h, a| make(h, word(a[1]), false)),
    ("memalign", "p:ll", |h, a| make(h, word(a[1]), false)),
    ("valloc", "p:l", |h, a| make(h, word(a[0]), false)),
    ("posix_memalign", "i:pll", aligned),
    ("free", "v:p", |h, a| h.mem.free(word(a[0])).map(|()| 0)),
    ("strdup", "p:p", |h, a| duplicate(h, a, u64::MAX)),
    ("strndup", "p:pl", |h, a| duplicate(h, a, word(a[1]))),
];

/// What `malloc` refuses: more than an address space.
const TOO_MUCH: u64 = 1 << 47;

pub(super) fn make(host: &mut Host<'_>, size: u64, zeroed: bool) -> Result<u128, Stop> {
    let number = host.requests.len() as u32;
    host.requests.push(size);
    if size >= TOO_MUCH || host.world.outside.failures.contains(&number) {
        host.set_errno(12)?;
        return Ok(0);
    }
    host.mem.allocate(AllocationKind::Heap, size, zeroed).map(u128::from)
}

/// As glibc: a new object each time, the old one ends; of size 0 it is `free`.
fn resize(host: &mut Host<'_>, old: u64, size: u64) -> Result<u128, Stop> {
    if old == 0 {
        return make(host, size, false);
    }
    let had = host.mem.heap_size(old)?;
    if size == 0 {
        host.mem.free(old)?;
        return Ok(0);
    }
    let new = make(host, size, false)?;
    if new != 0 {
        host.mem.copy(host.program, new as u64, old, had.min(size), 1)?;
        host.mem.free(old)?;
    }
    Ok(new)
}

fn aligned(host: &mut Host<'_>, args: &[Arg]) -> Result<u128, Stop> {
    let align = word(args[1]);
    if !align.is_power_of_two() || !align.is_multiple_of(8) {
        return Ok(22);
    }
    let made = make(host, word(args[2]), false)?;
    if made == 0 {
        return Ok(12);
    }
    host.put_int(word(args[0]), (made as u64).to_le_bytes())?;
    Ok(0)
}

fn duplicate(host: &mut Host<'_>, args: &[Arg], most: u64) -> Result<u128, Stop> {
    let mut bytes = host.string(word(args[0]), most)?;
    bytes.push(0);
    let made = make(host, bytes.len() as u64, false)?;
    if made != 0 {
        host.put(made as u64, &bytes)?;
    }
    Ok(made)
}
