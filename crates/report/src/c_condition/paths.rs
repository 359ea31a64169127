//! Lvalues in memory as C writes them: `s[0]`, `p->len`, `*p`, `counter`.

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

/// A scalar object that a byte is part of.
pub(super) struct ObjectPath {
    /// The path, up to where the index goes.
    before: String,
    /// What is added to the index, and the rest of the path; `None` if there is no index.
    after: Option<(i128, String)>,
    /// `None`: a pointer to something unknown.
    pub(super) ctype: Option<CTypeId>,
    pub(super) bytes: u64,
    /// Where in the object the byte is.
    pub(super) inside: u64,
}

impl ObjectPath {
    /// A pointer to something unknown, of which the byte is part.
    pub(super) fn pointer(name: &str, inside: u64) -> ObjectPath {
        ObjectPath { before: name.to_owned(), after: None, ctype: None, bytes: 8, inside }
    }

    /// The path, with what is between the brackets.
    pub(super) fn code(&self, index: Option<&str>) -> String {
        let ObjectPath { before, after, .. } = self;
        let Some((more, after)) = after else { return before.clone() };
        let index = index.unwrap_or("0");
        match more {
            0 => format!("{before}[{index}]{after}"),
            n if *n < 0 => format!("{before}[{} - {}]{after}", summand(index), -n),
            n => format!("{before}[{} + {n}]{after}", summand(index)),
        }
    }
}

/// An index that something is added to.
fn summand(index: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || "_.->[]+*% ".contains(c);
    if index.chars().all(plain) { index.to_owned() } else { format!("({index})") }
}

/// The object that a byte behind a pointer is part of. `scale`: how many bytes each step of an index counts that is added to the pointer besides.
/// `starred` says whether `*p` is to be preferred to `p[0]`.
pub(super) fn object_behind(
    types: &CTypes,
    pointer: &str,
    target: CTypeId,
    offset: i128,
    scale: Option<u64>,
    starred: bool,
) -> Option<ObjectPath> {
    let pointer =
        if pointer.starts_with('*') { format!("({pointer})") } else { pointer.to_owned() };
    let size = types.size(target).filter(|size| *size > 0)?;
    let whole = offset.div_euclid(i128::from(size));
    let rest = u64::try_from(offset.rem_euclid(i128::from(size))).ok()?;
    if scale == Some(size) {
        let inner = at_byte(types, target, rest, None, 0)?;
        return Some(ObjectPath { before: pointer, after: Some((whole, inner.before)), ..inner });
    }
    let inner = at_byte(types, target, rest, scale, 0)?;
    let before = match inner.before.strip_prefix('.') {
        Some(field) if whole == 0 => format!("{pointer}->{field}"),
        None if whole == 0 && starred && inner.before.is_empty() && inner.after.is_none() => {
            format!("*{pointer}")
        }
        _ => format!("{pointer}[{whole}]{}", inner.before),
    };
    Some(ObjectPath { before, ..inner })
}

/// The object that a byte of another one is part of.
pub(super) fn object_within(
    types: &CTypes,
    object: &str,
    ctype: CTypeId,
    offset: u64,
    scale: Option<u64>,
) -> Option<ObjectPath> {
    let inner = at_byte(types, ctype, offset, scale, 0)?;
    Some(ObjectPath { before: format!("{object}{}", inner.before), ..inner })
}

/// The scalar at a byte. With a scale, an index goes to the array whose elements have that size.
fn at_byte(
    types: &CTypes,
    ctype: CTypeId,
    at: u64,
    scale: Option<u64>,
    depth: usize,
) -> Option<ObjectPath> {
    if depth > DEEPEST {
        return None;
    }
    match types.get(types.resolve(ctype)) {
        CType::Record { fields, .. } => fields.iter().find_map(|field| {
            let start = field.offset_bits / 8;
            let size = types.size(field.ctype)?;
            if at < start || at >= start + size || field.bit_width.is_some() {
                return None;
            }
            let inner = at_byte(types, field.ctype, at - start, scale, depth + 1)?;
            let before = match field.name.as_str() {
                "" => inner.before,
                name => format!(".{name}{}", inner.before),
            };
            Some(ObjectPath { before, ..inner })
        }),
        CType::Array { element, .. } => {
            let size = types.size(*element).filter(|size| *size > 0)?;
            if scale == Some(size) {
                let inner = at_byte(types, *element, at % size, None, depth + 1)?;
                let after = Some((i128::from(at / size), inner.before));
                return Some(ObjectPath { before: String::new(), after, ..inner });
            }
            let inner = at_byte(types, *element, at % size, scale, depth + 1)?;
            Some(ObjectPath { before: format!("[{}]{}", at / size, inner.before), ..inner })
        }
        _ if scale.is_some() => None,
        _ => {
            let bytes = types.size(ctype).filter(|bytes| at < *bytes)?;
            Some(ObjectPath {
                before: String::new(),
                after: None,
                ctype: Some(ctype),
                bytes,
                inside: at,
            })
        }
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
