//! Values as C writes them.

use super::types::{PointeeKind, ValueView};
use std::fmt;

impl fmt::Display for ValueView {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ValueView::Integer(value) => f.write_str(value),
            ValueView::Named { value, name } => write!(f, "{value} ({name})"),
            ValueView::Float { text, .. } => f.write_str(text),
            ValueView::Null => f.write_str("NULL"),
            ValueView::Pointer { points_to, offset, target } => {
                let and = if *target == PointeeKind::Global { "&" } else { "" };
                match offset {
                    0 => write!(f, "{and}{points_to}"),
                    _ => {
                        let sign = if *offset < 0 { '-' } else { '+' };
                        write!(f, "(char *){and}{points_to} {sign} {}", offset.unsigned_abs())
                    }
                }
            }
            ValueView::Address(address) => write!(f, "(void *){address:#x}"),
            ValueView::Record(fields) => {
                f.write_str("{")?;
                for (index, (name, value)) in fields.iter().enumerate() {
                    let comma = if index > 0 { ", " } else { "" };
                    write!(f, "{comma}.{name} = {value}")?;
                }
                f.write_str("}")
            }
            ValueView::List { text: Some(text), .. } => f.write_str(text),
            ValueView::List { values, .. } => {
                let values: Vec<String> = values.iter().map(ValueView::in_list).collect();
                write!(f, "{{{}}}", elements(&values))
            }
            ValueView::Unset => f.write_str("(uninitialised)"),
        }
    }
}

impl ValueView {
    /// The value as one of many: what has a name needs no number there.
    pub fn in_list(&self) -> String {
        match self {
            ValueView::Named { name, .. } => name.clone(),
            other => other.to_string(),
        }
    }
}

/// The elements of an array, as in an initialiser. Many equal ones in a row are a range of GNU C: `[0 ... 63] = 'a'`.
pub(crate) fn elements(values: &[String]) -> String {
    const MANY: usize = 12;
    let mut parts = vec![];
    let mut at = 0;
    while at < values.len() {
        let count = values[at..].iter().take_while(|value| **value == values[at]).count();
        match count >= MANY {
            true => parts.push(format!("[{at} ... {}] = {}", at + count - 1, values[at])),
            false => parts.extend_from_slice(&values[at..at + count]),
        }
        at += count;
    }
    parts.join(", ")
}

/// The bytes as a C string literal, whatever they are.
pub(super) fn quoted(bytes: &[u8]) -> String {
    let mut text = String::from("\"");
    for (index, byte) in bytes.iter().enumerate() {
        match byte {
            b'"' => text.push_str("\\\""),
            b'\\' => text.push_str("\\\\"),
            b'\n' => text.push_str("\\n"),
            b'\t' => text.push_str("\\t"),
            b'\r' => text.push_str("\\r"),
            b' '..=b'~' => text.push(char::from(*byte)),
            // Octal, three digits where a digit follows: a hexadecimal escape has no end of its own.
            _ => match bytes.get(index + 1) {
                Some(b'0'..=b'9') => text.push_str(&format!("\\{byte:03o}")),
                _ => text.push_str(&format!("\\{byte:o}")),
            },
        }
    }
    text.push('"');
    text
}

/// An array of characters as the literal that initialises it, if a string ends in it and all of it can
/// be read. What follows the string's end is shown unless it is all zero.
pub(super) fn string(bytes: &[u8]) -> Option<String> {
    let readable = |b: &u8| matches!(b, b' '..=b'~' | b'\n' | b'\t' | b'\r' | 0);
    if !bytes.contains(&0) || !bytes.iter().all(readable) {
        return None;
    }
    let end = bytes.iter().rposition(|b| *b != 0).map_or(0, |last| last + 1);
    Some(quoted(&bytes[..end]))
}

#[cfg(test)]
mod tests {
    use super::elements;

    #[test]
    fn many_equal_elements_are_a_range() {
        let row = |count: usize, value: &str| vec![value.to_owned(); count];
        assert_eq!(elements(&[row(2, "1"), row(1, "2")].concat()), "1, 1, 2");
        let long = [row(1, "'x'"), row(20, "'a'"), row(1, "','")].concat();
        assert_eq!(elements(&long), "'x', [1 ... 20] = 'a', ','");
        assert_eq!(elements(&[]), "");
    }
}
