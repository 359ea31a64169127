//! Pieces of C text: precedences, constants, types, names.

use crate::bits::Bits;
use crate::entry_symbol::EntrySymbol;
use std::cmp::Ordering;

/// C's precedences, as far as they are used here; larger binds tighter.
pub(super) mod precedence {
    pub(in super::super) const CONDITIONAL: u32 = 1;
    pub(in super::super) const OR: u32 = 2;
    pub(in super::super) const AND: u32 = 3;
    pub(in super::super) const BIT_OR: u32 = 4;
    pub(in super::super) const BIT_XOR: u32 = 5;
    pub(in super::super) const BIT_AND: u32 = 6;
    pub(in super::super) const EQUAL: u32 = 7;
    pub(in super::super) const ORDER: u32 = 8;
    pub(in super::super) const SHIFT: u32 = 9;
    pub(in super::super) const SUM: u32 = 10;
    pub(in super::super) const PRODUCT: u32 = 11;
    pub(in super::super) const UNARY: u32 = 12;
    pub(in super::super) const ATOM: u32 = 13;
}

/// What a value is for C, beyond its bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Nature {
    /// A number.
    #[default]
    Number,
    /// A `char`: constants it is compared with are written as characters.
    Character,
    /// A pointer to objects of so many bytes (0: not known): it is compared with pointers and with null, and moved by
    /// whole objects.
    Pointer(u64),
    /// A floating-point number, given by its bits.
    Float,
}

/// One side of a range: `of` is at least, or at most, `value`.
#[derive(Clone, PartialEq, Eq)]
pub(super) struct Bound {
    pub(super) of: String,
    pub(super) value: Bits,
    pub(super) signed: bool,
    pub(super) lower: bool,
    /// Whether the term says it by a strict comparison.
    pub(super) strict: bool,
    pub(super) nature: Nature,
}

/// The type of an expression, after the promotion of what is narrower than `int`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct CType {
    /// 32, 64 or 128.
    pub(super) width: u32,
    pub(super) unsigned: bool,
}

impl CType {
    /// `int`.
    pub(super) const INT: CType = CType { width: 32, unsigned: false };

    /// The type that C computes in: the usual arithmetic conversions.
    pub(super) fn common(types: impl Iterator<Item = CType>) -> CType {
        let join = |a: CType, b: CType| match a.width.cmp(&b.width) {
            Ordering::Less => b,
            Ordering::Greater => a,
            Ordering::Equal => CType { unsigned: a.unsigned || b.unsigned, ..a },
        };
        types.fold(CType::INT, join)
    }
}

#[derive(Clone)]
pub(super) struct Text {
    pub(super) code: String,
    pub(super) precedence: u32,
    /// Whether the value is to be read as signed.
    pub(super) signed: bool,
    /// Whether the value in C is the term's, read so; otherwise only its low bits are.
    pub(super) exact: bool,
    /// Its type in C.
    pub(super) ctype: CType,
    pub(super) nature: Nature,
    /// The same expression with the opposite meaning, for truth values.
    pub(super) negated: Option<Box<Text>>,
    /// What it says, if it is one side of a range.
    pub(super) bound: Option<Bound>,
}

pub(super) fn text(code: String, precedence: u32, signed: bool) -> Text {
    let nature = Nature::Number;
    let ctype = CType::INT;
    Text { code, precedence, signed, exact: true, ctype, nature, negated: None, bound: None }
}

pub(super) fn wrap(operand: &Text, binding: u32) -> String {
    if operand.precedence >= binding { operand.code.clone() } else { format!("({})", operand.code) }
}

impl Bound {
    /// The comparison, strict or not, whichever has the rounder number; otherwise as the term has it, or not strict
    /// in a range.
    pub(super) fn text(&self, in_range: bool) -> Option<Text> {
        let (beyond, exists) = self.beyond();
        if let Some((value, operator)) = self.at_the_edge() {
            let constant = constant(&value, self.signed, self.nature, true)?;
            let constant = wrap(&constant, precedence::EQUAL + 1);
            let code = format!("{} {operator} {constant}", self.of);
            return Some(text(code, precedence::EQUAL, true));
        }
        let rounder = roundness(&beyond, self.signed).cmp(&roundness(&self.value, self.signed));
        let strict = exists
            && match rounder {
                _ if self.nature == Nature::Character => beyond.is_zero(),
                Ordering::Less => true,
                Ordering::Equal => self.strict && !in_range,
                Ordering::Greater => false,
            };
        let value = if strict { &beyond } else { &self.value };
        let constant = constant(value, self.signed, self.nature, false)?;
        let constant = wrap(&constant, precedence::ORDER + 1);
        let equal = if strict { "" } else { "=" };
        let code = match (self.lower, in_range) {
            (true, true) => format!("{constant} <{equal} {}", self.of),
            (true, false) => format!("{} >{equal} {constant}", self.of),
            (false, _) => format!("{} <{equal} {constant}", self.of),
        };
        Some(text(code, precedence::ORDER, true))
    }

    /// That it is the very number.
    pub(super) fn equal(&self) -> Option<Text> {
        let constant = constant(&self.value, self.signed, self.nature, true)?;
        let constant = wrap(&constant, precedence::EQUAL + 1);
        let one = |operator: &str| {
            text(format!("{} {operator} {constant}", self.of), precedence::EQUAL, true)
        };
        Some(Text { negated: Some(Box::new(one("!="))), ..one("==") })
    }

    /// Where only one number, or all but one, are meant: which, and whether it is it.
    fn at_the_edge(&self) -> Option<(Bits, &'static str)> {
        let (first, last) = edges(self.value.width(), self.signed);
        let (here, there) = if self.lower { (first, last) } else { (last, first) };
        let (beyond, _) = self.beyond();
        match () {
            () if self.value == there => Some((there, "==")),
            () if beyond == here && self.value != here => Some((here, "!=")),
            () => None,
        }
    }

    /// The number just outside, and whether there is one.
    fn beyond(&self) -> (Bits, bool) {
        let one = Bits::one(self.value.width());
        let (first, last) = edges(self.value.width(), self.signed);
        let edge = if self.lower { first } else { last };
        let beyond = if self.lower { self.value.sub(&one) } else { self.value.add(&one) };
        (beyond, self.value != edge)
    }
}

/// The smallest and the largest number.
fn edges(width: u32, signed: bool) -> (Bits, Bits) {
    match signed {
        true => (Bits::signed_min(width), Bits::signed_max(width)),
        false => (Bits::zero(width), Bits::ones(width)),
    }
}

/// How much of a number there is to remember: nothing of 0, little of 100 and 4096.
fn roundness(value: &Bits, signed: bool) -> usize {
    let value = if signed && value.is_negative() { value.neg() } else { value.clone() };
    if value.is_zero() {
        return 0;
    }
    if value.log2().is_some() {
        return 1;
    }
    if value.add(&Bits::one(value.width())).log2().is_some() {
        return 2;
    }
    value.to_biguint().to_string().trim_end_matches('0').len()
}

/// A constant that is compared with something of this nature. `equated`: by `==`.
pub(super) fn constant(value: &Bits, signed: bool, nature: Nature, equated: bool) -> Option<Text> {
    let small = value.to_u64().filter(|_| nature == Nature::Character);
    let character = match small {
        Some(0) if equated => Some("\\0".to_owned()),
        Some(7) => Some("\\a".to_owned()),
        Some(9) => Some("\\t".to_owned()),
        Some(10) => Some("\\n".to_owned()),
        Some(13) => Some("\\r".to_owned()),
        Some(39) => Some("\\'".to_owned()),
        Some(92) => Some("\\\\".to_owned()),
        Some(n @ 32..=126) => char::from_u32(n as u32).map(String::from),
        _ => None,
    };
    match character {
        Some(c) => Some(text(format!("'{c}'"), precedence::ATOM, true)),
        None => number(value, signed),
    }
}

/// A constant. The smallest number of a type has no literal, and what is beyond 64 bits none at all.
pub(super) fn number(value: &Bits, signed: bool) -> Option<Text> {
    let magnitude = value.to_biguint();
    if !signed || !value.is_negative() {
        // Without a suffix a literal has the first of `int` and `long` that has room for it.
        let (suffix, width) = match magnitude.bits() {
            0..=31 => ("", 32),
            32..=63 => ("", 64),
            64 => ("u", 64),
            _ => return None,
        };
        let ctype = CType { width, unsigned: !suffix.is_empty() };
        let code = format!("{magnitude}{suffix}");
        return Some(Text { ctype, ..text(code, precedence::ATOM, signed) });
    }
    let smallest = value.neg().is_negative();
    let opposite = value.neg().to_biguint();
    if opposite.bits() > 64 || smallest && value.width() > 64 {
        return None;
    }
    let literal = if smallest && value.width() >= 32 { &opposite - 1u32 } else { opposite.clone() };
    let ctype = CType { width: if literal.bits() < 32 { 32 } else { 64 }, unsigned: false };
    if opposite.bits() > 63 && literal == opposite {
        return None;
    }
    Some(match literal == opposite {
        true => Text { ctype, ..text(format!("-{opposite}"), precedence::UNARY, true) },
        false => Text { ctype, ..text(format!("-{literal} - 1"), precedence::SUM, true) },
    })
}

/// A mask: bits are easier to see in hexadecimal.
pub(super) fn mask(value: &Bits, signed: bool) -> Option<Text> {
    const SMALL: u64 = 256;
    match value.to_u64() {
        Some(n) if n >= SMALL && !(signed && value.is_negative()) => {
            // In hexadecimal, what is too large for `int` is `unsigned` before it is `long`.
            let width = if n >> 32 == 0 { 32 } else { 64 };
            let ctype = CType { width, unsigned: n >> (width - 1) != 0 };
            Some(Text { ctype, ..text(format!("{n:#x}"), precedence::ATOM, signed) })
        }
        _ => number(value, signed),
    }
}

pub(super) fn type_name(width: u32, signed: bool) -> Option<&'static str> {
    Some(match (width, signed) {
        (8, true) => "signed char",
        (8, false) => "unsigned char",
        (16, true) => "short",
        (16, false) => "unsigned short",
        (32, true) => "int",
        (32, false) => "unsigned",
        (64, true) => "long",
        (64, false) => "unsigned long",
        (128, true) => "__int128",
        (128, false) => "unsigned __int128",
        _ => return None,
    })
}

/// The name, if C has it as an identifier or as a path to an object (`p->x`, `a.b`).
pub(super) fn identifier(name: &str) -> Option<&str> {
    // A struct in registers has parts that C has no name for.
    if name.contains(".coerce")
        || name.starts_with("agg.")
        || !matches!(EntrySymbol::of(name), EntrySymbol::Parameter(_))
        || EntrySymbol::is_numbered(name)
    {
        return None;
    }
    let good = |c: char| c.is_alphanumeric() || "_.->[]*".contains(c);
    let starts = |c: char| c.is_alphabetic() || c == '_' || c == '*';
    (name.starts_with(starts) && name.chars().all(good)).then_some(name)
}
