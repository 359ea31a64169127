//! `<ctype.h>` in the C locale, as functions and as the tables that glibc's macros look into.

use super::super::loop_exit::Stop;
use super::Entry;
use super::host::Host;

pub(super) const TABLE: &[Entry] = &[
    ("isupper", "i:i", |_, a| Ok(is(a[0].bits, UPPER))),
    ("islower", "i:i", |_, a| Ok(is(a[0].bits, LOWER))),
    ("isalpha", "i:i", |_, a| Ok(is(a[0].bits, ALPHA))),
    ("isdigit", "i:i", |_, a| Ok(is(a[0].bits, DIGIT))),
    ("isxdigit", "i:i", |_, a| Ok(is(a[0].bits, XDIGIT))),
    ("isspace", "i:i", |_, a| Ok(is(a[0].bits, SPACE))),
    ("isprint", "i:i", |_, a| Ok(is(a[0].bits, PRINT))),
    ("isgraph", "i:i", |_, a| Ok(is(a[0].bits, GRAPH))),
    ("isblank", "i:i", |_, a| Ok(is(a[0].bits, BLANK))),
    ("iscntrl", "i:i", |_, a| Ok(is(a[0].bits, CONTROL))),
    ("ispunct", "i:i", |_, a| Ok(is(a[0].bits, PUNCTUATION))),
    ("isalnum", "i:i", |_, a| Ok(is(a[0].bits, ALNUM))),
    ("isascii", "i:i", |_, a| Ok(u128::from(a[0].bits < 128))),
    ("toascii", "i:i", |_, a| Ok(a[0].bits & 127)),
    ("tolower", "i:i", |_, a| Ok(change(a[0].bits, |byte| byte.to_ascii_lowercase()))),
    ("toupper", "i:i", |_, a| Ok(change(a[0].bits, |byte| byte.to_ascii_uppercase()))),
    ("__ctype_b_loc", "p:", |h, _| classes(h).map(u128::from)),
    ("__ctype_tolower_loc", "p:", |h, _| lower(h).map(u128::from)),
    ("__ctype_toupper_loc", "p:", |h, _| upper(h).map(u128::from)),
];

// The bits of glibc's table on a little-endian machine; its functions give them too.
const UPPER: u16 = 0x100;
const LOWER: u16 = 0x200;
const ALPHA: u16 = 0x400;
const DIGIT: u16 = 0x800;
const XDIGIT: u16 = 0x1000;
const SPACE: u16 = 0x2000;
const PRINT: u16 = 0x4000;
const GRAPH: u16 = 0x8000;
const BLANK: u16 = 0x1;
const CONTROL: u16 = 0x2;
const PUNCTUATION: u16 = 0x4;
const ALNUM: u16 = 0x8;

fn class(byte: u8) -> u16 {
    let bit = |holds: bool, bit: u16| if holds { bit } else { 0 };
    bit(byte.is_ascii_uppercase(), UPPER)
        | bit(byte.is_ascii_lowercase(), LOWER)
        | bit(byte.is_ascii_alphabetic(), ALPHA)
        | bit(byte.is_ascii_digit(), DIGIT)
        | bit(byte.is_ascii_hexdigit(), XDIGIT)
        | bit(matches!(byte, b' ' | b'\t'..=b'\r'), SPACE)
        | bit(matches!(byte, b' '..=b'~'), PRINT)
        | bit(byte.is_ascii_graphic(), GRAPH)
        | bit(matches!(byte, b' ' | b'\t'), BLANK)
        | bit(byte.is_ascii_control(), CONTROL)
        | bit(byte.is_ascii_punctuation(), PUNCTUATION)
        | bit(byte.is_ascii_alphanumeric(), ALNUM)
}

/// Outside 0 to 255 C leaves it open, `EOF` excepted, which is nothing.
fn is(character: u128, bits: u16) -> u128 {
    u8::try_from(character).map_or(0, |byte| u128::from(class(byte) & bits))
}

fn change(character: u128, to: fn(&u8) -> u8) -> u128 {
    u8::try_from(character).map_or(character, |byte| u128::from(to(&byte)))
}

/// A table for -128 to 255, and a pointer to its entry 0.
fn table<const N: usize>(host: &mut Host<'_>, entry: impl Fn(i16) -> [u8; N]) -> Result<u64, Stop> {
    let bytes: Vec<u8> = (-128..256).flat_map(entry).collect();
    let zero = host.keep(&bytes)? + 128 * N as u64;
    host.keep(&zero.to_le_bytes())
}

fn classes(host: &mut Host<'_>) -> Result<u64, Stop> {
    if host.kept.class == 0 {
        // Below 0 the table repeats what a `char` above 127 would say; -1 is `EOF`.
        host.kept.class = table(host, |c| {
            let class = if c == -1 { 0 } else { class(c as u8) };
            class.to_le_bytes()
        })?;
    }
    Ok(host.kept.class)
}

fn lower(host: &mut Host<'_>) -> Result<u64, Stop> {
    if host.kept.lower == 0 {
        host.kept.lower = table(host, |c| mapped(c, |byte| byte.to_ascii_lowercase()))?;
    }
    Ok(host.kept.lower)
}

fn upper(host: &mut Host<'_>) -> Result<u64, Stop> {
    if host.kept.upper == 0 {
        host.kept.upper = table(host, |c| mapped(c, |byte| byte.to_ascii_uppercase()))?;
    }
    Ok(host.kept.upper)
}

fn mapped(character: i16, to: fn(&u8) -> u8) -> [u8; 4] {
    let value = match character {
        -1 => -1,
        c => i32::from(to(&(c as u8))),
    };
    value.to_le_bytes()
}
