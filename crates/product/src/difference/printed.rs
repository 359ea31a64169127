//! What is seen of a call: of a function that is not known the call itself, of one of the library what it prints.
//!
//! A replay compares bytes, so must an exact condition. `putchar(x)` and `putchar(x + 256)` print the same, so do `printf("a")` and `putchar('a')`,
//! and `printf("")` nothing. Two calls of one function with one format print the same only if the same numbers stand in it, provided that one can tell
//! from the text where a number ends: `"%d-%d"` of 1, 11 and of 11, 1 are two texts, `"%d%d"` of them is one.

use std::collections::{BTreeMap, HashMap};
use verdiff_judge::Comparison;
use verdiff_logic::{Sort, TermId};
use verdiff_model::interp::is_emulated;
use verdiff_symex::objects::literal_name;
use verdiff_symex::space::Space;
use verdiff_symex::symbols::WorldFunction;

/// What a function is to those who watch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum OutputKind {
    /// Nothing is known of it: that it is called is what is seen.
    Unknown(String),
    /// The end of the program, with a status of which the low byte is seen.
    Exit,
    /// A function of the library, by its name: what it prints is seen.
    Library(String),
}

/// The functions of both versions, and the texts in them.
pub(super) struct Printed {
    functions: BTreeMap<String, OutputKind>,
    /// The bytes of the literals, by where they begin.
    literals: HashMap<TermId, Vec<u8>>,
}

/// A piece of a format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Piece {
    /// Text, with its first byte.
    Text(u8),
    /// A number in so many bits, whole.
    Number(u32),
    /// One byte.
    Byte,
    /// Anything else: a string, a float, a pointer, a number that is cut.
    Other,
}

impl Printed {
    pub(crate) fn of(space: &Space, comparison: &Comparison) -> Printed {
        let mut functions = BTreeMap::new();
        let mut literals = HashMap::new();
        for program in [&comparison.old.program, &comparison.new.program] {
            for external in &program.externals {
                let name = external.name.clone();
                let kind = if is_emulated(external) {
                    OutputKind::Library(name)
                } else {
                    OutputKind::Unknown(name)
                };
                functions.insert(external.name.clone(), kind);
            }
            for (index, global) in program.globals.iter().enumerate() {
                let Some(init) = global.init.as_ref().filter(|i| i.relocations.is_empty()) else {
                    continue;
                };
                if global.constant && global.is_literal() {
                    let id = verdiff_model::GlobalId::new(index);
                    let name = literal_name(init, program.contents(id, &|_| String::new()));
                    for object in space.objects_named(&name) {
                        literals.insert(space.object_at(object).base, init.bytes.clone());
                    }
                }
            }
        }
        Printed { functions, literals }
    }

    /// What a function is that makes worlds. Of one that is each version's own nothing is said.
    pub(crate) fn kind(&self, function: &WorldFunction) -> Option<OutputKind> {
        match function {
            WorldFunction::Exit => Some(OutputKind::Exit),
            WorldFunction::External(name) => self.functions.get(&**name).cloned(),
        }
    }

    /// Whether a call of a function of the library prints at least one byte.
    pub(crate) fn surely_prints(&self, name: &str, args: &[TermId]) -> bool {
        let text = |n: usize| args.get(n).and_then(|arg| self.text(*arg));
        match name {
            "putchar" | "putchar_unlocked" | "putc" | "fputc" | "puts" => true,
            "fputs" => text(0).is_some_and(|text| !text.is_empty()),
            _ => format_of(name)
                .and_then(text)
                .and_then(pieces)
                .is_some_and(|pieces| pieces.iter().any(|piece| *piece != Piece::Other)),
        }
    }

    /// Of arguments in which two calls of a function are unlike: how many low bits of each are seen, `None` for all, so that the calls print the
    /// same if and only if these are the same. Nothing if that cannot be said. `last` if nothing is printed after the calls.
    pub(crate) fn shown(
        &self,
        space: &Space,
        name: &str,
        args: &[TermId],
        unlike: &[usize],
        last: bool,
    ) -> Option<Vec<Option<u32>>> {
        if unlike.is_empty() {
            return Some(vec![]);
        }
        match name {
            "putchar" | "putchar_unlocked" => {
                unlike.iter().map(|n| (*n == 0).then_some(Some(8))).collect()
            }
            // To another stream is something else.
            "putc" | "fputc" => {
                let seen = |n: &usize| [Some(8), None].get(*n).copied();
                unlike.iter().map(seen).collect()
            }
            _ => {
                let format = format_of(name)?;
                let pieces = pieces(self.text(*args.get(format)?)?)?;
                self.shown_by_format(space, &pieces, args, (format, unlike), last)
            }
        }
    }

    fn shown_by_format(
        &self,
        space: &Space,
        pieces: &[Piece],
        args: &[TermId],
        (format, unlike): (usize, &[usize]),
        last: bool,
    ) -> Option<Vec<Option<u32>>> {
        let mut shown = BTreeMap::new();
        // Whether something unlike has been printed whose end is not seen yet.
        let mut open = false;
        let mut at = format;
        for piece in pieces {
            if let Piece::Text(first) = piece {
                open &= first.is_ascii_hexdigit();
                continue;
            }
            at += 1;
            if !unlike.contains(&at) {
                continue;
            }
            let bits = match (piece, space.pool.sort(*args.get(at)?)) {
                (Piece::Number(bits), Sort::BitVec(width)) if *bits == width => None,
                (Piece::Byte, Sort::BitVec(width)) if width >= 8 => Some(8),
                _ => return None,
            };
            if open {
                return None;
            }
            open = true;
            shown.insert(at, bits);
        }
        if open && !last {
            return None;
        }
        // Where nothing is printed it does not matter where to.
        let prints = pieces.iter().any(|piece| *piece != Piece::Other);
        if !prints && unlike.iter().any(|n| *n < format) {
            return None;
        }
        // The stream, or what no conversion takes.
        unlike
            .iter()
            .map(|n| if *n < format { Some(None) } else { shown.get(n).copied() })
            .collect()
    }

    /// The text that an address leads to.
    pub(super) fn text(&self, address: TermId) -> Option<&[u8]> {
        let bytes = self.literals.get(&address)?;
        bytes.split(|byte| *byte == 0).next()
    }
}

/// Which argument is the format.
pub(super) fn format_of(name: &str) -> Option<usize> {
    match name {
        "printf" => Some(0),
        "fprintf" | "dprintf" => Some(1),
        _ => None,
    }
}

/// Whether a format prints texts and numbers alone: no strings, and no message of `errno`.
pub(super) fn prints_no_memory(format: &[u8]) -> bool {
    pieces(format).is_some_and(|pieces| !pieces.contains(&Piece::Other))
}

/// A format in pieces, one for each further argument and each text between them; `None` where that cannot be said.
fn pieces(format: &[u8]) -> Option<Vec<Piece>> {
    let mut pieces = vec![];
    let mut rest = format.iter().copied().peekable();
    while let Some(byte) = rest.next() {
        if byte != b'%' {
            if !matches!(pieces.last(), Some(Piece::Text(_))) {
                pieces.push(Piece::Text(byte));
            }
            continue;
        }
        let mut wide = 0;
        let mut cut = false;
        let piece = loop {
            match rest.next()? {
                b'$' | b'*' => return None,
                // Leading and trailing blanks and zeros hide no number.
                b'-' | b'+' | b' ' | b'0'..=b'9' => {}
                b'l' | b'j' | b'z' | b't' | b'q' => wide += 1,
                b'.' | b'#' | b'h' | b'L' | b'\'' => cut = true,
                b'%' => break Piece::Text(b'%'),
                b'n' | b'm' => return None,
                b'd' | b'i' | b'u' | b'x' | b'X' | b'o' if !cut => {
                    break Piece::Number(if wide > 0 { 64 } else { 32 });
                }
                b'c' if !cut && wide == 0 => break Piece::Byte,
                _ => break Piece::Other,
            }
        };
        pieces.push(piece);
    }
    Some(pieces)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_come_in_pieces() {
        assert_eq!(
            pieces(b"a%d-%5lx%%%s%c"),
            Some(vec![
                Piece::Text(b'a'),
                Piece::Number(32),
                Piece::Text(b'-'),
                Piece::Number(64),
                Piece::Text(b'%'),
                Piece::Other,
                Piece::Byte,
            ])
        );
        // A precision of zero prints nothing for zero; two bytes are not all of a number.
        assert_eq!(pieces(b"%.0d%hd"), Some(vec![Piece::Other, Piece::Other]));
        assert_eq!(pieces(b"%*d"), None);
        assert!(prints_no_memory(b"%d of %lu%c\n"));
        assert!(!prints_no_memory(b"%s") && !prints_no_memory(b"%m") && !prints_no_memory(b"%f"));
    }
}
