//! Whether two calls that print constant texts print the same.
//!
//! The output of a program is the concatenation of what its calls print, so two texts tell two outputs apart in two cases,
//! provided that everything printed before them is the same:
//!
//! - They differ at some byte that both have. Whatever is printed afterwards, the outputs differ at that place.
//! - One is the beginning of the other, and both versions print equally much after them. With more output the two may meet again:
//!   `fputs("a", f); fputs("bc", f);` prints what `fputs("ab", f); fputs("c", f);` prints.
//!
//! Of a format only what stands before its first conversion is such a text, and it is a whole text only without one.

use super::printed::{Printed, format_of, prints_no_memory};
use verdiff_logic::{LogicError, Op, TermId};
use verdiff_symex::space::Space;

/// How many pairs of texts are compared for one pair of calls.
const MOST: usize = 64;

/// What a function adds to its text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Style {
    /// A newline.
    Line,
    /// Nothing.
    Plain,
    /// Other arguments in place of conversions.
    Format,
}

/// A function of the library that prints a text.
#[derive(Clone, Copy, Debug)]
pub(super) struct Texts {
    /// Which argument is the text.
    pub(super) argument: usize,
    style: Style,
}

impl Texts {
    pub(super) fn of(name: &str) -> Option<Texts> {
        match name {
            "puts" => Some(Texts { argument: 0, style: Style::Line }),
            "fputs" => Some(Texts { argument: 0, style: Style::Plain }),
            _ => Some(Texts { argument: format_of(name)?, style: Style::Format }),
        }
    }

    /// Which argument is the stream; none if it is the standard output.
    pub(super) fn stream(self) -> Option<usize> {
        match (self.style, self.argument) {
            (Style::Plain, _) => Some(1),
            (_, 0) => None,
            _ => Some(0),
        }
    }

    /// When two calls of this function print the same text, after the same output; nothing if that cannot be said. `last` if both
    /// versions print equally much after the calls.
    pub(super) fn same(
        self,
        space: &mut Space,
        printed: &Printed,
        calls: [TermId; 2],
        last: bool,
    ) -> Result<Option<TermId>, LogicError> {
        let [a, b] = calls.map(|call| space.pool.operands(call).get(self.argument).copied());
        let (Some(a), Some(b)) = (a, b) else { return Ok(None) };
        self.same_text(space, printed, [a, b], last, &mut 0)
    }

    fn same_text(
        self,
        space: &mut Space,
        printed: &Printed,
        [a, b]: [TermId; 2],
        last: bool,
        compared: &mut usize,
    ) -> Result<Option<TermId>, LogicError> {
        let conditional = |term: TermId| space.pool.op(term) == Op::Ite;
        if !conditional(a) && !conditional(b) {
            *compared += 1;
            let (Some(old), Some(new)) = (printed.text(a), printed.text(b)) else {
                return Ok(None);
            };
            let same = (*compared <= MOST).then(|| self.alike(old, new, last)).flatten();
            return Ok(same.map(|same| space.pool.boolean(same)));
        }
        let turned = !conditional(a);
        let (split, other) = if turned { (b, a) } else { (a, b) };
        let operands = space.pool.operands(split).to_vec();
        let mut parts = vec![];
        for part in &operands[1..] {
            let pair = if turned { [other, *part] } else { [*part, other] };
            match self.same_text(space, printed, pair, last, compared)? {
                Some(same) => parts.push(same),
                None => return Ok(None),
            }
        }
        Ok(Some(space.pool.ite(operands[0], parts[0], parts[1])?))
    }

    /// Whether two texts are printed alike.
    fn alike(self, old: &[u8], new: &[u8], last: bool) -> Option<bool> {
        let [(old, old_is_whole), (new, new_is_whole)] = [old, new].map(|text| self.begins(text));
        compared(&old, &new).or_else(|| {
            let whole = old_is_whole && new_is_whole;
            (whole && (old == new || last)).then_some(old == new)
        })
    }

    /// What is printed first for a text, and whether that is all.
    fn begins(self, text: &[u8]) -> (Vec<u8>, bool) {
        match self.style {
            Style::Line => ([text, b"\n"].concat(), true),
            Style::Plain => (text.to_vec(), true),
            Style::Format => before_conversions(text),
        }
    }

    /// What a call prints first.
    fn first_of(self, space: &Space, printed: &Printed, call: TermId) -> Option<Vec<u8>> {
        let text = printed.text(*space.pool.operands(call).get(self.argument)?)?;
        Some(self.begins(text).0)
    }
}

/// Whether two calls of functions of the library, by their names, surely print something else to one stream after the same output,
/// whatever is printed after them.
pub(super) fn surely_differ(
    space: &Space,
    printed: &Printed,
    old: (&str, TermId),
    new: (&str, TermId),
) -> bool {
    let first = |(name, call): (&str, TermId)| {
        let texts = Texts::of(name)?;
        let stream = texts.stream().map(|n| space.pool.operands(call).get(n).copied());
        Some((texts.first_of(space, printed, call)?, stream))
    };
    match (first(old), first(new)) {
        (Some((a, to)), Some((b, also_to))) => to == also_to && compared(&a, &b) == Some(false),
        _ => false,
    }
}

/// Whether what two calls of a function of the library print depends on nothing in memory: on constant texts and numbers alone.
/// Then it does not matter what earlier calls have left there, in `errno` for instance.
pub(super) fn ignores_memory(
    space: &Space,
    printed: &Printed,
    name: &str,
    calls: [TermId; 2],
) -> bool {
    if prints_one_byte(name) {
        return true;
    }
    let Some(texts) = Texts::of(name) else { return false };
    let mut addresses: Vec<TermId> = vec![];
    for call in calls {
        match space.pool.operands(call).get(texts.argument) {
            Some(address) => addresses.push(*address),
            None => return false,
        }
    }
    let mut looked_at = 0;
    while let Some(address) = addresses.pop() {
        looked_at += 1;
        if looked_at > MOST {
            return false;
        }
        if space.pool.op(address) == Op::Ite {
            addresses.extend(&space.pool.operands(address)[1..]);
            continue;
        }
        let constant = printed.text(address).is_some_and(|text| match texts.style {
            Style::Line | Style::Plain => true,
            Style::Format => prints_no_memory(text),
        });
        if !constant {
            return false;
        }
    }
    true
}

/// Whether a function prints one byte, whatever its arguments are.
pub(super) fn prints_one_byte(name: &str) -> bool {
    matches!(name, "putchar" | "putchar_unlocked" | "putc" | "fputc")
}

/// `false` if two texts differ at a byte that both have.
fn compared(old: &[u8], new: &[u8]) -> Option<bool> {
    old.iter().zip(new).any(|(a, b)| a != b).then_some(false)
}

/// The text before the first conversion of a format, and whether there is none.
fn before_conversions(format: &[u8]) -> (Vec<u8>, bool) {
    let mut text = vec![];
    let mut rest = format.iter().copied();
    while let Some(byte) = rest.next() {
        if byte == b'%' && rest.next() != Some(b'%') {
            return (text, false);
        }
        text.push(byte);
    }
    (text, true)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn alike(name: &str, old: &str, new: &str, last: bool) -> Option<bool> {
        Texts::of(name).unwrap().alike(old.as_bytes(), new.as_bytes(), last)
    }

    #[test]
    fn texts_differ_where_both_have_a_byte() {
        assert_eq!(alike("puts", "error", "warning", false), Some(false));
        assert_eq!(alike("fputs", "abc", "abd", false), Some(false));
        assert_eq!(alike("puts", "same", "same", false), Some(true));
        // The newline of the shorter one stands where the longer one has another byte.
        assert_eq!(alike("puts", "a", "ab", false), Some(false));
    }

    #[test]
    fn the_beginning_of_a_text_differs_from_it_only_at_the_end_of_the_output() {
        assert_eq!(alike("fputs", "a", "ab", false), None);
        assert_eq!(alike("fputs", "a", "ab", true), Some(false));
        assert_eq!(alike("puts", "a", "a\nb", false), None);
        assert_eq!(alike("printf", "", "x", false), None);
    }

    #[test]
    fn a_format_is_a_text_up_to_its_first_conversion() {
        assert_eq!(before_conversions(b"10%% of %d"), (b"10% of ".to_vec(), false));
        assert_eq!(alike("printf", "a=%d", "b=%d", false), Some(false));
        // What stands in place of the conversion may be the same.
        assert_eq!(alike("printf", "a%d", "a1", true), None);
        assert_eq!(alike("printf", "%s", "x", true), None);
        assert_eq!(alike("fprintf", "%d", "%d", true), None);
        assert_eq!(alike("printf", "50%%", "50%%\n", true), Some(false));
        assert_eq!(alike("printf", "50%%", "50%%", false), Some(true));
    }
}
