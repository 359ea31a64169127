//! Integers: `<stdlib.h>`, byte orders, text to numbers.

use super::super::call::Arg;
use super::super::loop_exit::Stop;
use super::Entry;
use super::host::{Host, word};
use crate::types::signed;

pub(super) const TABLE: &[Entry] = &[
    ("abs", "i:i", |_, a| Ok((a[0].bits as i32).wrapping_abs() as u128)),
    ("labs", "l:l", |_, a| Ok((a[0].bits as i64).wrapping_abs() as u128)),
    ("llabs", "l:l", |_, a| Ok((a[0].bits as i64).wrapping_abs() as u128)),
    ("htonl", "i:i", |_, a| Ok(u128::from((a[0].bits as u32).swap_bytes()))),
    ("ntohl", "i:i", |_, a| Ok(u128::from((a[0].bits as u32).swap_bytes()))),
    ("htons", "s:s", |_, a| Ok(u128::from((a[0].bits as u16).swap_bytes()))),
    ("ntohs", "s:s", |_, a| Ok(u128::from((a[0].bits as u16).swap_bytes()))),
    ("ffs", "i:i", |_, a| Ok(first_set(a[0]))),
    ("ffsl", "i:l", |_, a| Ok(first_set(a[0]))),
    ("ffsll", "i:l", |_, a| Ok(first_set(a[0]))),
    ("atoi", "i:p", |h, a| parse(h, word(a[0]), 10, true).map(|p| p.value)),
    ("atol", "l:p", |h, a| parse(h, word(a[0]), 10, true).map(|p| p.value)),
    ("atoll", "l:p", |h, a| parse(h, word(a[0]), 10, true).map(|p| p.value)),
    ("strtol", "l:ppi", |h, a| to_number(h, a, true)),
    ("strtoll", "l:ppi", |h, a| to_number(h, a, true)),
    ("strtoul", "l:ppi", |h, a| to_number(h, a, false)),
    ("strtoull", "l:ppi", |h, a| to_number(h, a, false)),
    ("__isoc23_strtol", "l:ppi", |h, a| to_number(h, a, true)),
    ("__isoc23_strtoll", "l:ppi", |h, a| to_number(h, a, true)),
    ("__isoc23_strtoul", "l:ppi", |h, a| to_number(h, a, false)),
    ("__isoc23_strtoull", "l:ppi", |h, a| to_number(h, a, false)),
    ("atof", "d:p", |h, a| decimal::<f64>(h, word(a[0]), 0)),
    ("strtod", "d:pp", |h, a| decimal::<f64>(h, word(a[0]), word(a[1]))),
    ("strtof", "f:pp", |h, a| decimal::<f32>(h, word(a[0]), word(a[1]))),
    ("__errno_location", "p:", |h, _| h.errno().map(u128::from)),
];

/// The number of the lowest one bit, from 1; 0 for zero.
fn first_set(arg: Arg) -> u128 {
    if arg.bits == 0 { 0 } else { u128::from(arg.bits.trailing_zeros()) + 1 }
}

struct Parsed {
    value: u128,
    /// Behind the last digit; at the start if there is none.
    end: u64,
    out_of_range: bool,
}

/// `strtol` and its kin, 64 bits.
fn to_number(host: &mut Host<'_>, args: &[Arg], sign: bool) -> Result<u128, Stop> {
    let base = signed(args[2].bits, 32);
    let Ok(base) = u32::try_from(base) else { return host.give_up("with a negative base") };
    if base == 1 || base > 36 {
        host.set_errno(22)?;
        return Ok(0);
    }
    let parsed = parse(host, word(args[0]), base, sign)?;
    if word(args[1]) != 0 {
        host.put_int(word(args[1]), parsed.end.to_le_bytes())?;
    }
    if parsed.out_of_range {
        host.set_errno(34)?;
    }
    Ok(parsed.value)
}

fn parse(host: &mut Host<'_>, address: u64, base: u32, sign: bool) -> Result<Parsed, Stop> {
    let reader = host.reader(address)?;
    let mut at = 0;
    while matches!(reader.get(at)?, b' ' | b'\t'..=b'\r') {
        at += 1;
    }
    let negative = reader.get(at)? == b'-';
    if matches!(reader.get(at)?, b'-' | b'+') {
        at += 1;
    }
    let digit = |at: u64, base: u32| -> Result<Option<u32>, Stop> {
        Ok(char::from(reader.get(at)?).to_digit(base))
    };
    let mut base = base;
    // A prefix counts only if a digit follows it; else the zero is the number.
    if reader.get(at)? == b'0' {
        let hexadecimal = matches!(reader.get(at + 1)?, b'x' | b'X')
            && matches!(base, 0 | 16)
            && digit(at + 2, 16)?.is_some();
        if hexadecimal {
            at += 2;
            base = 16;
        } else if base == 0 {
            base = 8;
        }
    } else if base == 0 {
        base = 10;
    }
    let first = at;
    let mut magnitude: u128 = 0;
    while let Some(digit) = digit(at, base)? {
        // Beyond 2^100 it only matters that it is too large.
        if magnitude < 1 << 100 {
            magnitude = magnitude * u128::from(base) + u128::from(digit);
        }
        at += 1;
    }
    let end = if at == first { address } else { address + at };
    let limit = match (sign, negative) {
        (true, true) => 1 << 63,
        (true, false) => (1 << 63) - 1,
        (false, _) => u128::from(u64::MAX),
    };
    let out_of_range = magnitude > limit;
    let value = match (out_of_range, sign, negative) {
        (true, false, _) => limit,
        (true, true, true) | (false, _, true) => magnitude.min(limit).wrapping_neg(),
        (_, _, false) => magnitude.min(limit),
    };
    Ok(Parsed { value, end, out_of_range })
}

/// A floating-point type as far as text becomes one of its numbers.
trait Decimal: std::str::FromStr + Copy {
    const INFINITY: Self;
    fn bits(self) -> u128;
    fn is_subnormal(self) -> bool;
}

impl Decimal for f64 {
    const INFINITY: f64 = f64::INFINITY;
    fn bits(self) -> u128 {
        self.to_bits().into()
    }
    fn is_subnormal(self) -> bool {
        f64::is_subnormal(self)
    }
}

impl Decimal for f32 {
    const INFINITY: f32 = f32::INFINITY;
    fn bits(self) -> u128 {
        self.to_bits().into()
    }
    fn is_subnormal(self) -> bool {
        f32::is_subnormal(self)
    }
}

/// `strtod` and its kin in the C locale, rounded to nearest as glibc does. Hexadecimal numbers, NaN and numbers that are
/// subnormal (whether `errno` is set depends on whether they are exact) are not emulated.
fn decimal<F: Decimal>(host: &mut Host<'_>, address: u64, place: u64) -> Result<u128, Stop> {
    let reader = host.reader(address)?;
    let mut at = 0;
    while matches!(reader.get(at)?, b' ' | b'\t'..=b'\r') {
        at += 1;
    }
    let negative = reader.get(at)? == b'-';
    if matches!(reader.get(at)?, b'-' | b'+') {
        at += 1;
    }
    // Each byte is read only if all before it belong to the word.
    let spells = |word: &[u8], from: u64| -> Result<bool, Stop> {
        for (index, letter) in word.iter().enumerate() {
            if !reader.get(from + index as u64)?.eq_ignore_ascii_case(letter) {
                return Ok(false);
            }
        }
        Ok(true)
    };
    if spells(b"nan", at)? {
        return host.give_up("of NaN");
    }
    if reader.get(at)? == b'0' && matches!(reader.get(at + 1)?, b'x' | b'X') {
        return host.give_up("of a hexadecimal number");
    }
    let mut text = String::new();
    let mut end = at;
    let (mut digits, mut zero) = (0, true);
    let magnitude = if spells(b"inf", at)? {
        end += if spells(b"inity", at + 3)? { 8 } else { 3 };
        F::INFINITY
    } else {
        let mut point = false;
        loop {
            match reader.get(end)? {
                digit @ b'0'..=b'9' => {
                    digits += 1;
                    zero &= digit == b'0';
                    text.push(char::from(digit));
                }
                b'.' if !point => {
                    point = true;
                    text.push('.');
                }
                _ => break,
            }
            end += 1;
        }
        if digits > 0 && matches!(reader.get(end)?, b'e' | b'E') {
            let sign = u64::from(matches!(reader.get(end + 1)?, b'-' | b'+'));
            let mut last = end + 1 + sign;
            while reader.get(last)?.is_ascii_digit() {
                last += 1;
            }
            if last > end + 1 + sign {
                for at in end..last {
                    text.push(char::from(reader.get(at)?));
                }
                end = last;
            }
        }
        match text.parse::<F>() {
            Ok(value) if digits > 0 => value,
            _ => {
                // No number: the text is not touched. (A point alone is none.)
                if place != 0 {
                    host.put_int(place, address.to_le_bytes())?;
                }
                return Ok(0);
            }
        }
    };
    if magnitude.is_subnormal() {
        return host.give_up("of a subnormal number");
    }
    let bits = magnitude.bits();
    let out_of_range = digits > 0 && (bits == F::INFINITY.bits() || bits == 0 && !zero);
    if place != 0 {
        host.put_int(place, (address + end).to_le_bytes())?;
    }
    if out_of_range {
        host.set_errno(34)?;
    }
    let sign = u128::from(negative) << (8 * size_of::<F>() - 1);
    Ok(bits | sign)
}
