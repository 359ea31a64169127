//! Places in memory as C writes them: `s[0]`, `p->len`, `*p`, `counter`.

use verdiff_logic::{Named, Nature};
use verdiff_model::{CType, CTypeId, CTypes};

/// How deep records and arrays may be nested.
const DEEPEST: usize = 16;

/// A place and its type.
pub(super) struct Path {
    pub(super) code: String,
    pub(super) ctype: CTypeId,
}

/// What the place behind a pointer is called: so many bytes, so many bytes behind it. `index` is what is added to the
/// pointer besides, in whole objects. `starred` says whether `*p` is to be preferred to `p[0]`.
pub(super) fn behind(
    types: &CTypes,
    pointer: &str,
    target: CTypeId,
    offset: i128,
    bytes: u64,
    index: Option<&str>,
    starred: bool,
) -> Option<Path> {
    let size = i128::from(types.size(target).filter(|size| *size > 0)?);
    let (whole, rest) = (offset.div_euclid(size), offset.rem_euclid(size));
    let rest = u64::try_from(rest).ok()?;
    let inner = within(types, target, rest, bytes, 0)?;
    let index = match (index, whole) {
        (None, n) => n.to_string(),
        (Some(index), 0) => index.to_owned(),
        (Some(index), n) if n < 0 => format!("{index} - {}", -n),
        (Some(index), n) => format!("{index} + {n}"),
    };
    let code = match (inner.code.strip_prefix('.'), index.as_str()) {
        (Some(field), "0") => format!("{pointer}->{field}"),
        (None, "0") if starred && inner.code.is_empty() => format!("*{pointer}"),
        _ => format!("{pointer}[{index}]{}", inner.code),
    };
    Some(Path { code, ctype: inner.ctype })
}

/// What a part of an object is called: so many bytes, so many bytes from its beginning.
pub(super) fn part(
    types: &CTypes,
    object: &str,
    ctype: CTypeId,
    offset: u64,
    bytes: u64,
) -> Option<Path> {
    let inner = within(types, ctype, offset, bytes, 0)?;
    Some(Path { code: format!("{object}{}", inner.code), ctype: inner.ctype })
}

/// `.a[2].b`, or nothing for the whole.
fn within(types: &CTypes, ctype: CTypeId, at: u64, bytes: u64, depth: usize) -> Option<Path> {
    if depth > DEEPEST {
        return None;
    }
    match types.get(types.resolve(ctype)) {
        CType::Record { fields, .. } => fields.iter().find_map(|field| {
            let start = field.offset_bits / 8;
            let size = types.size(field.ctype)?;
            let inside = at >= start && at + bytes <= start + size;
            if !inside || field.bit_width.is_some() {
                return None;
            }
            let inner = within(types, field.ctype, at - start, bytes, depth + 1)?;
            let name = match field.name.as_str() {
                "" => String::new(),
                name => format!(".{name}"),
            };
            Some(Path { code: format!("{name}{}", inner.code), ctype: inner.ctype })
        }),
        CType::Array { element, .. } => {
            let size = types.size(*element).filter(|size| *size > 0)?;
            let inner = within(types, *element, at % size, bytes, depth + 1)?;
            Some(Path { code: format!("[{}]{}", at / size, inner.code), ctype: inner.ctype })
        }
        _ => (at == 0 && types.size(ctype) == Some(bytes))
            .then(|| Path { code: String::new(), ctype }),
    }
}

/// Something of a type, as conditions speak of it; `None` if it is no scalar.
pub(super) fn named(types: &CTypes, code: String, ctype: CTypeId, rank: usize) -> Option<Named> {
    let (signed, nature) = match types.get(types.resolve(ctype)) {
        CType::Int { name, signed, .. } if name == "char" => (*signed, Nature::Character),
        CType::Int { signed, .. } | CType::Enum { signed, .. } => (*signed, Nature::Number),
        CType::Pointer(target) => (false, Nature::Pointer(types.size(*target).unwrap_or(0))),
        CType::Float { .. } => (false, Nature::Float),
        _ => return None,
    };
    Some(Named { code, signed, nature, rank })
}

/// Bytes that the type has no name for, by a cast: `((unsigned char *)p)[3]`.
pub(super) fn raw(pointer: &str, offset: i128, bytes: u64, rank: usize) -> Option<Named> {
    let ctype = match bytes {
        1 => "unsigned char",
        2 => "unsigned short",
        4 => "unsigned",
        8 => "unsigned long",
        _ => return None,
    };
    let size = i128::from(bytes);
    (offset % size == 0).then(|| Named {
        code: format!("((const {ctype} *){pointer})[{}]", offset / size),
        signed: false,
        nature: Nature::Number,
        rank,
    })
}
