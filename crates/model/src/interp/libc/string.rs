//! `<string.h>` on strings.

use super::super::call::Arg;
use super::super::loop_exit::Stop;
use super::Entry;
use super::host::{Host, word};

pub(super) const TABLE: &[Entry] = &[
    ("strlen", "l:p", |h, a| h.length(word(a[0]), u64::MAX).map(u128::from)),
    ("strnlen", "l:pl", |h, a| h.length(word(a[0]), word(a[1])).map(u128::from)),
    ("strcmp", "i:pp", |h, a| compare(h, a, u64::MAX, |byte| byte)),
    ("strncmp", "i:ppl", |h, a| compare(h, a, word(a[2]), |byte| byte)),
    ("strcoll", "i:pp", |h, a| compare(h, a, u64::MAX, |byte| byte)),
    ("strcasecmp", "i:pp", |h, a| compare(h, a, u64::MAX, |byte| byte.to_ascii_lowercase())),
    ("strncasecmp", "i:ppl", |h, a| compare(h, a, word(a[2]), |byte| byte.to_ascii_lowercase())),
    ("strcpy", "p:pp", |h, a| copy(h, word(a[0]), a[1], u64::MAX).map(|_| a[0].bits)),
    ("stpcpy", "p:pp", |h, a| copy(h, word(a[0]), a[1], u64::MAX).map(u128::from)),
    ("strncpy", "p:ppl", |h, a| copy_padded(h, a).map(|_| a[0].bits)),
    ("stpncpy", "p:ppl", |h, a| copy_padded(h, a).map(u128::from)),
    ("strcat", "p:pp", |h, a| append(h, a, u64::MAX)),
    ("strncat", "p:ppl", |h, a| append(h, a, word(a[2]))),
    ("strchr", "p:pi", |h, a| find(h, a, 0)),
    ("index", "p:pi", |h, a| find(h, a, 0)),
    ("strchrnul", "p:pi", find_or_end),
    ("strrchr", "p:pi", find_last),
    ("rindex", "p:pi", find_last),
    ("strstr", "p:pp", find_string),
    ("strspn", "l:pp", |h, a| span(h, a, true).map(u128::from)),
    ("strcspn", "l:pp", |h, a| span(h, a, false).map(u128::from)),
    ("strpbrk", "p:pp", find_any),
];

fn compare(host: &mut Host<'_>, args: &[Arg], most: u64, fold: fn(u8) -> u8) -> Result<u128, Stop> {
    if most == 0 {
        return Ok(0);
    }
    let (a, b) = host.readers(word(args[0]), word(args[1]))?;
    let mut at = 0;
    while at < most {
        let (x, y) = (fold(a.get(at)?), fold(b.get(at)?));
        if x != y || x == 0 {
            return Ok((i32::from(x) - i32::from(y)) as u128);
        }
        at += 1;
    }
    Ok(0)
}

/// Copies at most `most` bytes and an end; gives where the end is.
fn copy(host: &mut Host<'_>, to: u64, from: Arg, most: u64) -> Result<u64, Stop> {
    let mut bytes = host.string(word(from), most)?;
    bytes.push(0);
    host.put(to, &bytes)?;
    Ok(to + bytes.len() as u64 - 1)
}

/// `strncpy`: zeros up to the length, no end if there is no room.
fn copy_padded(host: &mut Host<'_>, args: &[Arg]) -> Result<u64, Stop> {
    let (to, len) = (word(args[0]), word(args[2]));
    let bytes = host.string(word(args[1]), len)?;
    host.put(to, &bytes)?;
    let written = bytes.len() as u64;
    host.mem.fill(host.program, to.wrapping_add(written), 0, len - written, 1)?;
    Ok(to.wrapping_add(written))
}

fn append(host: &mut Host<'_>, args: &[Arg], most: u64) -> Result<u128, Stop> {
    let to = word(args[0]);
    let end = to + host.length(to, u64::MAX)?;
    copy(host, end, args[1], most)?;
    Ok(args[0].bits)
}

/// The first of a character, the end included; `missing` if there is none.
fn find(host: &mut Host<'_>, args: &[Arg], missing: u128) -> Result<u128, Stop> {
    let (address, wanted) = (word(args[0]), args[1].bits as u8);
    let reader = host.reader(address)?;
    let mut at = 0;
    loop {
        let byte = reader.get(at)?;
        if byte == wanted {
            return Ok(u128::from(address + at));
        }
        if byte == 0 {
            return Ok(missing);
        }
        at += 1;
    }
}

fn find_or_end(host: &mut Host<'_>, args: &[Arg]) -> Result<u128, Stop> {
    match find(host, args, 0)? {
        0 => Ok(args[0].bits + u128::from(host.length(word(args[0]), u64::MAX)?)),
        found => Ok(found),
    }
}

fn find_last(host: &mut Host<'_>, args: &[Arg]) -> Result<u128, Stop> {
    let (address, wanted) = (word(args[0]), args[1].bits as u8);
    let mut bytes = host.string(address, u64::MAX)?;
    bytes.push(0);
    let at = bytes.iter().rposition(|byte| *byte == wanted);
    Ok(at.map_or(0, |at| args[0].bits + at as u128))
}

fn find_string(host: &mut Host<'_>, args: &[Arg]) -> Result<u128, Stop> {
    let needle = host.string(word(args[1]), u64::MAX)?;
    let hay = host.string(word(args[0]), u64::MAX)?;
    if needle.is_empty() {
        return Ok(args[0].bits);
    }
    let at = hay.windows(needle.len()).position(|window| window == needle);
    Ok(at.map_or(0, |at| args[0].bits + at as u128))
}

/// How many bytes from the start on are in the set, or are not.
fn span(host: &mut Host<'_>, args: &[Arg], within: bool) -> Result<u64, Stop> {
    let set = host.string(word(args[1]), u64::MAX)?;
    let reader = host.reader(word(args[0]))?;
    let mut at = 0;
    loop {
        let byte = reader.get(at)?;
        if byte == 0 || set.contains(&byte) != within {
            return Ok(at);
        }
        at += 1;
    }
}

fn find_any(host: &mut Host<'_>, args: &[Arg]) -> Result<u128, Stop> {
    let at = word(args[0]) + span(host, args, false)?;
    let ended = host.reader(at)?.get(0)? == 0;
    Ok(if ended { 0 } else { u128::from(at) })
}
