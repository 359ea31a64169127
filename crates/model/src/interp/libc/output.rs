//! Output. Nothing is printed: a call becomes an event of the world with the text it
//! would have written.

use super::super::call::Arg;
use super::super::loop_exit::Stop;
use super::super::world::Hash;
use super::Entry;
use super::format::{Rendered, render};
use super::heap::make;
use super::host::{Host, word};
use super::list;
use crate::state::Contents;

pub(super) const TABLE: &[Entry] = &[
    ("putchar", "i:i", |h, a| character(h, a)),
    ("putchar_unlocked", "i:i", |h, a| character(h, a)),
    ("fputc", "i:ip", |h, a| character(h, a)),
    ("putc", "i:ip", |h, a| character(h, a)),
    ("puts", "i:p", |h, a| {
        let len = string(h, a, 0)?;
        Ok(len + 1)
    }),
    // glibc's `fputs` gives 1 for any success.
    ("fputs", "i:pp", |h, a| string(h, a, 0).map(|_| 1)),
    ("perror", "v:p", |h, a| if word(a[0]) == 0 { Ok(event(h, a)) } else { string(h, a, 0) }),
    ("fwrite", "l:pllp", write_items),
    ("write", "l:ipl", write),
    ("fflush", "i:p", |h, a| Ok(event(h, a))),
    ("printf", "i:p*", |h, a| print(h, a, 0)),
    ("fprintf", "i:pp*", |h, a| print(h, a, 1)),
    ("dprintf", "i:ip*", |h, a| print(h, a, 1)),
    ("sprintf", "i:pp*", |h, a| print_into(h, a, 1, u64::MAX)),
    ("snprintf", "i:plp*", |h, a| print_into(h, a, 2, word(a[1]))),
    ("asprintf", "i:pp*", |h, a| print_anew(h, a)),
    ("vasprintf", "i:ppp", |h, a| listed(h, a, 1).and_then(|a| print_anew(h, &a))),
    ("vprintf", "i:pp", |h, a| listed(h, a, 0).and_then(|a| print(h, &a, 0))),
    ("vfprintf", "i:ppp", |h, a| listed(h, a, 1).and_then(|a| print(h, &a, 1))),
    ("vdprintf", "i:ipp", |h, a| listed(h, a, 1).and_then(|a| print(h, &a, 1))),
    ("vsprintf", "i:ppp", |h, a| listed(h, a, 1).and_then(|a| print_into(h, &a, 1, u64::MAX))),
    ("vsnprintf", "i:plpp", |h, a| listed(h, a, 2).and_then(|a| print_into(h, &a, 2, word(a[1])))),
];

fn event(host: &mut Host<'_>, args: &[Arg]) -> u128 {
    host.report(args, vec![]);
    0
}

fn character(host: &mut Host<'_>, args: &[Arg]) -> Result<u128, Stop> {
    host.report(args, vec![]);
    Ok(args[0].bits & 0xff)
}

/// Reports the string behind an argument; which address it has is nobody's business.
fn string(host: &mut Host<'_>, args: &[Arg], index: usize) -> Result<u128, Stop> {
    let text = host.string(word(args[index]), u64::MAX)?;
    let len = text.len() as u128;
    report_text(host, args, index, text);
    Ok(len)
}

fn report_text(host: &mut Host<'_>, args: &[Arg], index: usize, text: Vec<u8>) {
    let others: Vec<Arg> =
        args.iter().enumerate().filter(|(i, _)| *i != index).map(|(_, arg)| *arg).collect();
    host.report(&others, vec![(index as u32, Contents::from(text))]);
}

fn write_items(host: &mut Host<'_>, args: &[Arg]) -> Result<u128, Stop> {
    let (size, count) = (word(args[1]), word(args[2]));
    let Some(len) = size.checked_mul(count) else { return host.give_up("of too many bytes") };
    let bytes = host.bytes(word(args[0]), len)?.to_vec();
    report_text(host, args, 0, bytes);
    Ok(if size == 0 { 0 } else { u128::from(count) })
}

fn write(host: &mut Host<'_>, args: &[Arg]) -> Result<u128, Stop> {
    let bytes = host.bytes(word(args[1]), word(args[2]))?.to_vec();
    let len = bytes.len() as u128;
    report_text(host, args, 1, bytes);
    Ok(len)
}

/// The arguments with those of a list in the place of the list, which follows the format.
fn listed(host: &mut Host<'_>, args: &[Arg], format: usize) -> Result<Vec<Arg>, Stop> {
    let text = host.string(word(args[format]), u64::MAX)?;
    let further = list::arguments(host, &text, word(args[format + 1]))?;
    Ok(args[..=format].iter().copied().chain(further).collect())
}

/// `printf` to somewhere: the text is reported, or where it cannot be made out (addresses in it),
/// the format and its arguments.
fn print(host: &mut Host<'_>, args: &[Arg], format: usize) -> Result<u128, Stop> {
    let text = host.string(word(args[format]), u64::MAX)?;
    match render(host, &text, &args[format + 1..])? {
        Rendered::Text(rendered) => {
            let len = rendered.len() as u128;
            // Of nothing nobody sees where it went.
            if len > 0 {
                host.report(&args[..format], vec![(format as u32, Contents::from(rendered))]);
            }
            Ok(len)
        }
        Rendered::Opaque { strings, .. } => {
            let first = format as u32 + 1;
            let mut payloads = vec![(format as u32, Contents::from(text))];
            let texts = strings.into_iter();
            payloads.extend(texts.map(|(arg, text)| (first + arg, Contents::from(text))));
            let named: Vec<u32> = payloads.iter().map(|(arg, _)| *arg).collect();
            let kept: Vec<Arg> = args
                .iter()
                .enumerate()
                .filter(|(i, _)| !named.contains(&(*i as u32)))
                .map(|(_, arg)| *arg)
                .collect();
            host.report(&kept, payloads);
            // How long it is depends on addresses; any small number will do, the same each time.
            let mut hash = Hash::new(host.world.hash());
            hash.word(0);
            Ok(u128::from(hash.finish() % 64))
        }
    }
}

/// `snprintf`: nothing of it is seen outside, so it must be exact.
fn print_into(host: &mut Host<'_>, args: &[Arg], format: usize, room: u64) -> Result<u128, Stop> {
    let text = host.string(word(args[format]), u64::MAX)?;
    let rendered = match render(host, &text, &args[format + 1..])? {
        Rendered::Text(rendered) => rendered,
        Rendered::Opaque { what, .. } => return host.give_up(what),
    };
    if room > 0 {
        let kept = rendered.len().min(usize::try_from(room - 1).unwrap_or(usize::MAX));
        let mut bytes = rendered[..kept].to_vec();
        bytes.push(0);
        host.put(word(args[0]), &bytes)?;
    }
    Ok(rendered.len() as u128)
}

/// `asprintf`: into a new object. What it leaves where there is no memory for one depends on the library.
fn print_anew(host: &mut Host<'_>, args: &[Arg]) -> Result<u128, Stop> {
    let text = host.string(word(args[1]), u64::MAX)?;
    let mut bytes = match render(host, &text, &args[2..])? {
        Rendered::Text(rendered) => rendered,
        Rendered::Opaque { what, .. } => return host.give_up(what),
    };
    bytes.push(0);
    let made = make(host, bytes.len() as u64, false)? as u64;
    if made == 0 {
        return host.give_up("without memory");
    }
    host.put(made, &bytes)?;
    host.put_int(word(args[0]), made.to_le_bytes())?;
    Ok(bytes.len() as u128 - 1)
}
