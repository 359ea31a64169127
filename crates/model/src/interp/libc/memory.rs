//! `<string.h>` on bytes.

use super::super::call::Arg;
use super::super::loop_exit::Stop;
use super::Entry;
use super::host::{Host, word};

pub(super) const TABLE: &[Entry] = &[
    ("memcpy", "p:ppl", |h, a| copy(h, a).map(|_| a[0].bits)),
    ("memmove", "p:ppl", |h, a| copy(h, a).map(|_| a[0].bits)),
    ("mempcpy", "p:ppl", |h, a| copy(h, a).map(u128::from)),
    ("bcopy", "v:ppl", |h, a| copy(h, &[a[1], a[0], a[2]]).map(|_| 0)),
    ("memset", "p:pil", |h, a| fill(h, a[0], a[1].bits as u8, a[2]).map(|()| a[0].bits)),
    ("bzero", "v:pl", |h, a| fill(h, a[0], 0, a[1]).map(|()| 0)),
    ("explicit_bzero", "v:pl", |h, a| fill(h, a[0], 0, a[1]).map(|()| 0)),
    ("memcmp", "i:ppl", compare),
    ("bcmp", "i:ppl", compare),
    ("memchr", "p:pil", |h, a| find(h, a, false)),
    ("memrchr", "p:pil", |h, a| find(h, a, true)),
    ("memmem", "p:plpl", find_bytes),
];

/// Copies, and gives the end of what was written.
fn copy(host: &mut Host<'_>, args: &[Arg]) -> Result<u64, Stop> {
    let [to, from, len] = [0, 1, 2].map(|i| word(args[i]));
    host.mem.copy(host.program, to, from, len, 1)?;
    Ok(to.wrapping_add(len))
}

fn fill(host: &mut Host<'_>, to: Arg, byte: u8, len: Arg) -> Result<(), Stop> {
    host.mem.fill(host.program, word(to), byte, word(len), 1)
}

/// The difference of the first bytes that differ, as glibc gives it.
fn compare(host: &mut Host<'_>, args: &[Arg]) -> Result<u128, Stop> {
    let [a, b, len] = [0, 1, 2].map(|i| word(args[i]));
    if len == 0 {
        return Ok(0);
    }
    host.bytes(a, len)?;
    host.bytes(b, len)?;
    let (x, y) = host.readers(a, b)?;
    for at in 0..len {
        let (x, y) = (x.get(at)?, y.get(at)?);
        if x != y {
            return Ok((i32::from(x) - i32::from(y)) as u128);
        }
    }
    Ok(0)
}

/// C says of `memchr` that it reads no further than the byte it finds.
fn find(host: &mut Host<'_>, args: &[Arg], last: bool) -> Result<u128, Stop> {
    let (address, byte, len) = (word(args[0]), args[1].bits as u8, word(args[2]));
    if len == 0 {
        return Ok(0);
    }
    let found = if last {
        host.bytes(address, len)?.iter().rposition(|b| *b == byte).map(|at| at as u64)
    } else {
        let reader = host.reader(address)?;
        let mut at = 0;
        loop {
            if at == len {
                break None;
            }
            if reader.get(at)? == byte {
                break Some(at);
            }
            at += 1;
        }
    };
    Ok(found.map_or(0, |at| u128::from(address + at)))
}

fn find_bytes(host: &mut Host<'_>, args: &[Arg]) -> Result<u128, Stop> {
    let needle = host.bytes(word(args[2]), word(args[3]))?.to_vec();
    let hay = host.bytes(word(args[0]), word(args[1]))?;
    let at = if needle.is_empty() {
        Some(0)
    } else {
        hay.windows(needle.len()).position(|window| window == needle)
    };
    Ok(at.map_or(0, |at| args[0].bits + at as u128))
}
