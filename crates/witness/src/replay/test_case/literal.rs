//! Values as C writes them.

use std::fmt::Write;
use verdiff_model::{CType, CTypeId, CTypes};

/// A list of bytes: `(unsigned char[]){1, 2}`.
pub(super) fn bytes(bytes: &[u8]) -> String {
    let list: Vec<String> = bytes.iter().map(u8::to_string).collect();
    format!("(unsigned char[]){{{}}}", list.join(", "))
}

/// As many elements of a type as there are bytes for: a string, `(int[3]){1, 2, 3}`. What is between their members is not part of
/// it: [`padding`](crate::padding) says where that is.
pub(super) fn typed(types: &CTypes, element: Option<CTypeId>, data: &[u8]) -> Option<String> {
    let element = element?;
    if let Some(text) = string(types, element, data) {
        return Some(text);
    }
    let size = types.size(element).filter(|size| *size > 0)? as usize;
    if data.is_empty() || !data.len().is_multiple_of(size) || data.len() / size > 64 {
        return None;
    }
    let list: Option<Vec<String>> =
        data.chunks(size).map(|one| value(types, element, one)).collect();
    let name = types.declare(element, &format!("[{}]", data.len() / size));
    // What has no name cannot be written.
    (!name.contains("{...}")).then_some(())?;
    Some(format!("({name}){{{}}}", list?.join(", ")))
}

/// A string literal, if the bytes are one: letters and one null byte at their end.
fn string(types: &CTypes, element: CTypeId, data: &[u8]) -> Option<String> {
    match types.get(types.resolve(element)) {
        CType::Int { width: 8, name, .. } if name.contains("char") => {}
        _ => return None,
    }
    let (last, text) = data.split_last()?;
    let plain = |byte: &u8| (b' '..=b'~').contains(byte) && *byte != b'?';
    if *last != 0 || !text.iter().all(plain) {
        return None;
    }
    let mut literal = String::from("\"");
    for byte in text {
        match byte {
            b'"' | b'\\' => {
                literal.push('\\');
                literal.push(char::from(*byte));
            }
            byte => literal.push(char::from(*byte)),
        }
    }
    literal.push('"');
    Some(literal)
}

/// A value of a type as an initialiser; `None` if it has none that gives these very bytes.
pub(super) fn value(types: &CTypes, ctype: CTypeId, data: &[u8]) -> Option<String> {
    match types.get(types.resolve(ctype)) {
        CType::Int { width, signed, name } => {
            if name.contains("Bool") && data.iter().any(|byte| *byte > 1) {
                return None;
            }
            integer(data, *width, *signed)
        }
        CType::Enum { width, signed, .. } => integer(data, *width, *signed),
        CType::Float { width, .. } => float(data, *width),
        CType::Pointer(_) => data.iter().all(|byte| *byte == 0).then(|| "0".to_owned()),
        CType::Array { element, .. } => {
            let size = types.size(*element).filter(|size| *size > 0)? as usize;
            let list: Option<Vec<String>> =
                data.chunks(size).map(|one| value(types, *element, one)).collect();
            Some(format!("{{{}}}", list?.join(", ")))
        }
        CType::Record { union: false, fields, .. } => {
            let mut text = String::from("{");
            let mut covered = vec![false; data.len()];
            for field in fields {
                let at = field.offset_bits as usize / 8;
                let size = types.size(field.ctype)? as usize;
                if field.bit_width.is_some() || field.name.is_empty() {
                    return None;
                }
                let part = value(types, field.ctype, data.get(at..at + size)?)?;
                covered[at..at + size].fill(true);
                if text.len() > 1 {
                    text.push_str(", ");
                }
                // Writing to a string cannot fail.
                let _ = write!(text, ".{} = {part}", field.name);
            }
            text.push('}');
            // Padding is set to zero, or not compared.
            let lost = data.iter().zip(&covered).any(|(byte, covered)| *byte != 0 && !covered);
            (!lost).then_some(text)
        }
        _ => None,
    }
}

fn integer(data: &[u8], width: u16, signed: bool) -> Option<String> {
    if width > 64 || data.len() > 8 {
        return None;
    }
    let mut word = [0; 8];
    word[..data.len()].copy_from_slice(data);
    let bits = u64::from_le_bytes(word);
    let unused = 64 - 8 * data.len() as u32;
    let value = ((bits << unused) as i64) >> unused;
    Some(match signed {
        true if value == i64::MIN => "(-9223372036854775807LL - 1)".to_owned(),
        true if value == i64::from(i32::MIN) => "(-2147483647 - 1)".to_owned(),
        true if i32::try_from(value).is_err() => format!("{value}LL"),
        true => value.to_string(),
        false if u32::try_from(bits).is_err() => format!("{bits}ULL"),
        false => format!("{bits}u"),
    })
}

/// A float; only what is written as a number comes back bit for bit.
fn float(data: &[u8], width: u16) -> Option<String> {
    match (width, data.len()) {
        (32, 4) => {
            let value = f32::from_le_bytes(data.try_into().ok()?);
            value.is_finite().then(|| format!("{value:?}f"))
        }
        (64, 8) => {
            let value = f64::from_le_bytes(data.try_into().ok()?);
            value.is_finite().then(|| format!("{value:?}"))
        }
        _ => None,
    }
}

/// Text as a C string literal.
pub(super) fn text(bytes: &[u8]) -> String {
    let mut literal = String::from("\"");
    for byte in bytes {
        match byte {
            b'\n' => literal.push_str("\\n"),
            b'"' | b'\\' => {
                literal.push('\\');
                literal.push(char::from(*byte));
            }
            b' '..=b'>' | b'@'..=b'~' => literal.push(char::from(*byte)),
            // Three digits: no digit that follows belongs to it.
            byte => {
                let _ = write!(literal, "\\{byte:03o}");
            }
        }
    }
    literal.push('"');
    literal
}

/// How a type is laid out, with the names of fields: what two versions must have in common for a
/// value to be written once for both. Pointers are followed a little.
pub(super) fn layout(types: &CTypes, id: CTypeId, depth: u32) -> String {
    if depth > 4 {
        return String::new();
    }
    match types.get(types.resolve(id)) {
        CType::Record { union, size, fields, .. } => {
            let mut text = format!("{union} {size} {{");
            for field in fields {
                let inner = layout(types, field.ctype, depth + 1);
                // Writing to a string cannot fail.
                let _ = write!(
                    text,
                    "{} {} {:?} {inner};",
                    field.name, field.offset_bits, field.bit_width
                );
            }
            text + "}"
        }
        CType::Array { element, count } => {
            format!("{count:?} of {}", layout(types, *element, depth + 1))
        }
        CType::Pointer(target) => format!("pointer to {}", layout(types, *target, depth + 1)),
        CType::Int { width, signed, .. } | CType::Enum { width, signed, .. } => {
            format!("{width} {signed}")
        }
        CType::Float { width, .. } => format!("float {width}"),
        CType::Void | CType::Function { .. } => String::new(),
        CType::Typedef { .. } | CType::Qualified { .. } => String::new(),
    }
}
