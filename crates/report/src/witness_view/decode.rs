//! Bytes and bits with a C type, as values.

use super::text;
use super::types::ValueView;
use super::view::RunView;
use verdiff_model::ops;
use verdiff_model::state::{Contents, Pointer, PointerTarget, Value};
use verdiff_model::types::{mask, signed};
use verdiff_model::{CType, CTypeId, CTypes, FloatKind, Type, UnaryOp};

/// How deep types may be nested before the rest is shown as bytes: the table is data from outside.
const DEEPEST: usize = 16;

impl RunView<'_> {
    /// A value of a machine type, read as its C type.
    pub(super) fn scalar(&self, ty: Type, ctype: Option<CTypeId>, value: Value) -> ValueView {
        let bits = match value {
            Value::Pointer(pointer) => return self.pointer(pointer),
            Value::Bits(bits) => bits,
        };
        match ty {
            Type::Ptr => address(bits),
            Type::Float(kind) => float(kind, bits),
            Type::Int(width) => {
                match ctype.map(|c| self.program.ctypes.get(self.plain(c))) {
                    Some(
                        CType::Int { width: declared, .. } | CType::Enum { width: declared, .. },
                    ) if *declared > 0 => self.integer(ctype, bits, width.min(*declared)),
                    Some(CType::Pointer(_)) => address(bits),
                    _ => self.integer(None, bits, width),
                }
            }
        }
    }

    /// What lies at an offset, read as a C type.
    pub(super) fn decode(&self, ctype: CTypeId, contents: &Contents, at: u64) -> ValueView {
        self.decode_nested(ctype, contents, at, 0)
    }

    fn decode_nested(
        &self,
        ctype: CTypeId,
        contents: &Contents,
        at: u64,
        depth: usize,
    ) -> ValueView {
        let types = &self.program.ctypes;
        let size = types.size(ctype).unwrap_or(0);
        match types.get(types.resolve(ctype)) {
            _ if depth > DEEPEST => self.bytes(contents, at, size),
            CType::Int { width, .. } | CType::Enum { width, .. } => {
                self.bits_at(contents, at, size, |bits| self.integer(Some(ctype), bits, *width))
            }
            CType::Float { name, width } => {
                let kind = self.float_kind(name, *width);
                self.bits_at(contents, at, kind.width().div_ceil(8).into(), |bits| {
                    float(kind, bits)
                })
            }
            CType::Pointer(_) => self.bits_at(contents, at, 8, address),
            CType::Array { element, count } => {
                let step = types.size(*element).unwrap_or(0);
                let count = if step == 0 { 0 } else { count.unwrap_or(0) };
                let value = |i| self.decode_nested(*element, contents, at + i * step, depth + 1);
                let values = (0..count).map(value).collect();
                let text = self.string(*element, contents, at, count);
                ValueView::List { values, text }
            }
            CType::Record { fields, .. } if !fields.is_empty() => {
                let mut shown = vec![];
                self.fields(ctype, contents, at, depth, &mut shown);
                ValueView::Record(shown)
            }
            _ => self.bytes(contents, at, size),
        }
    }

    /// The fields of a record; those of an anonymous one in it count as its own.
    fn fields(
        &self,
        record: CTypeId,
        contents: &Contents,
        at: u64,
        depth: usize,
        into: &mut Vec<(String, ValueView)>,
    ) {
        let types = &self.program.ctypes;
        let CType::Record { fields, .. } = types.get(types.resolve(record)) else { return };
        for field in fields {
            let start = at + field.offset_bits / 8;
            if let Some(width) = field.bit_width {
                if !field.name.is_empty() {
                    let value = self.bit_field(field.ctype, contents, at, field.offset_bits, width);
                    into.push((field.name.clone(), value));
                }
            } else if field.name.is_empty() && depth < DEEPEST {
                self.fields(field.ctype, contents, start, depth + 1, into);
            } else {
                let value = self.decode_nested(field.ctype, contents, start, depth + 1);
                into.push((field.name.clone(), value));
            }
        }
    }

    fn bit_field(
        &self,
        ctype: CTypeId,
        contents: &Contents,
        at: u64,
        offset_bits: u64,
        width: u16,
    ) -> ValueView {
        let first = at + offset_bits / 8;
        let shift = offset_bits % 8;
        let bytes = (shift + u64::from(width)).div_ceil(8);
        self.bits_at(contents, first, bytes, |bits| {
            self.integer(Some(ctype), bits >> shift & mask(width.clamp(1, 128)), width)
        })
    }

    /// Reads some bytes as a number, unless a pointer lies there or some have no value.
    fn bits_at(
        &self,
        contents: &Contents,
        at: u64,
        size: u64,
        show: impl FnOnce(u128) -> ValueView,
    ) -> ValueView {
        let overlaps = |from: u64, to: u64| from < at + size && at < to;
        let link = contents.pointers.iter().find(|l| overlaps(l.offset, l.offset + 8));
        if let Some(link) = link {
            return self.pointer(link.to);
        }
        let range = usize::try_from(at).ok().zip(usize::try_from(at + size).ok());
        let bytes = range.and_then(|(from, to)| contents.bytes.get(from..to));
        match bytes {
            Some(bytes) if !contents.unset.iter().any(|r| overlaps(r.start, r.end)) => {
                let shifted = bytes.iter().take(16).enumerate();
                show(shifted.fold(0, |bits, (index, byte)| bits | u128::from(*byte) << (8 * index)))
            }
            _ => ValueView::Unset,
        }
    }

    /// Plain bytes.
    pub(super) fn bytes(&self, contents: &Contents, at: u64, count: u64) -> ValueView {
        let byte = |i| self.bits_at(contents, at + i, 1, |bits| number(bits, 8, false));
        ValueView::List { values: (0..count).map(byte).collect(), text: None }
    }

    /// The text of an array of characters, if its elements are characters.
    pub(super) fn string(
        &self,
        element: CTypeId,
        contents: &Contents,
        at: u64,
        count: u64,
    ) -> Option<String> {
        let whole = contents.pointers.is_empty() && contents.unset.is_empty();
        if !whole || !is_character(&self.program.ctypes, element) {
            return None;
        }
        let (from, to) = (usize::try_from(at).ok()?, usize::try_from(at + count).ok()?);
        text::string(contents.bytes.get(from..to)?)
    }

    /// An integer, with its name if it has one.
    fn integer(&self, ctype: Option<CTypeId>, bits: u128, width: u16) -> ValueView {
        let types = &self.program.ctypes;
        let is_signed = ctype.and_then(|c| types.signed(c)).unwrap_or(true);
        let plain = number(bits, width, is_signed);
        let (Some(ctype), ValueView::Integer(value)) = (ctype, &plain) else { return plain };
        let name = match types.get(types.resolve(ctype)) {
            CType::Enum { enumerators, .. } => {
                let named = |(_, v): &&(String, i128)| v.to_string() == *value;
                enumerators.iter().find(named).map(|(name, _)| name.clone())
            }
            CType::Int { name, .. } if name == "char" => match bits as u8 {
                b'\'' | b'\\' => None,
                printable @ b' '..=b'~' => Some(format!("'{}'", char::from(printable))),
                _ => None,
            },
            _ => None,
        };
        match name {
            Some(name) => ValueView::Named { value: value.clone(), name },
            None => plain,
        }
    }

    /// A type without typedefs and qualifiers.
    fn plain(&self, ctype: CTypeId) -> CTypeId {
        self.program.ctypes.resolve(ctype)
    }

    fn float_kind(&self, name: &str, width: u16) -> FloatKind {
        match width {
            16 if name.contains("bf16") => FloatKind::BFloat,
            16 => FloatKind::Half,
            32 => FloatKind::Single,
            64 => FloatKind::Double,
            _ if name == "long double" && self.program.target.starts_with("x86") => FloatKind::X87,
            80 | 96 => FloatKind::X87,
            _ => FloatKind::Quad,
        }
    }

    /// A pointer, by the name of what it leads to.
    pub(super) fn pointer(&self, pointer: Pointer) -> ValueView {
        let Pointer { target, offset } = pointer;
        if target == PointerTarget::Null {
            return address(offset as u64 as u128);
        }
        let (points_to, target) = self.name(target);
        ValueView::Pointer { points_to, offset, target }
    }
}

/// Whether a type is one of the character types.
pub(super) fn is_character(types: &CTypes, ctype: CTypeId) -> bool {
    match types.get(types.resolve(ctype)) {
        CType::Int { name, width: 8, .. } => name.ends_with("char"),
        _ => false,
    }
}

fn address(bits: u128) -> ValueView {
    match bits as u64 as i64 {
        0 => ValueView::Null,
        other => ValueView::Address(other),
    }
}

fn number(bits: u128, width: u16, is_signed: bool) -> ValueView {
    let width = width.clamp(1, 128);
    ValueView::Integer(match is_signed {
        // A truth value is 0 or 1, never -1.
        true if width > 1 => signed(bits, width).to_string(),
        _ => (bits & mask(width)).to_string(),
    })
}

fn float(kind: FloatKind, bits: u128) -> ValueView {
    let bits = bits & mask(kind.width());
    let convert = |to, from, bits| {
        ops::unary_bits(UnaryOp::FConvert, Type::Float(to), Type::Float(from), bits)
    };
    let double = match kind {
        FloatKind::Double => bits,
        _ => convert(FloatKind::Double, kind, bits),
    };
    let digits = usize::from(kind.width().div_ceil(4));
    let in_bits = format!("0x{bits:0digits$x}");
    let value = f64::from_bits(double as u64);
    // A wider number that no double is near to keeps its bits.
    let strayed = (value.is_infinite() || value == 0.0)
        && kind != FloatKind::Double
        && convert(kind, FloatKind::Double, double) != bits;
    let text = if value.is_nan() {
        "nan".to_owned()
    } else if strayed {
        in_bits.clone()
    } else if value.is_infinite() {
        if value > 0.0 { "inf".to_owned() } else { "-inf".to_owned() }
    } else if kind == FloatKind::Single {
        // The shortest text that gives this number back; a double's would be longer.
        format!("{:?}", f32::from_bits(bits as u32))
    } else {
        format!("{value:?}")
    };
    ValueView::Float { text, bits: in_bits }
}
