//! Objects: what pointers lead to, filled by C type.

use super::TypeFacts;
use super::facts::Facts;
use super::random::Random;
use super::scalar;
use super::shape::{self, is_argument_list, is_opaque, named_record};
use super::text;
use crate::state::{Contents, EntryState, Link, Object, Outside, Pointer, PointerTarget, Value};
use crate::types::mask;
use crate::{CField, CType, CTypeId, FloatKind, GlobalId, Program, Type};

/// Pointers within objects are followed to this depth; further ones are null or lead back.
const DEPTH: u32 = 3;
/// No further objects when there are this many, or bytes in all of them.
const OBJECTS: usize = 40;
const BYTES: usize = 1 << 15;
/// How many elements of an array within an object are filled.
const FILLED: u64 = 300;
/// No object is larger; a type that is gets what fits.
const LARGEST: u64 = 1 << 20;

/// An entry state in the making.
pub(super) struct Draft<'a> {
    program: &'a Program,
    known: &'a TypeFacts,
    facts: &'a Facts,
    random: Random,
    objects: Vec<Object>,
    /// What each object's elements are.
    types: Vec<Option<CTypeId>>,
    bytes: usize,
    /// How many elements are left behind the last pointer made; lengths follow pointers.
    room: Option<u64>,
    /// How the numbers of an object are chosen.
    style: Style,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Style {
    Zeros,
    Small,
    Random,
    Text,
    Interesting,
}

impl<'a> Draft<'a> {
    pub(super) fn new(
        program: &'a Program,
        known: &'a TypeFacts,
        facts: &'a Facts,
        random: Random,
    ) -> Draft<'a> {
        Draft {
            program,
            known,
            facts,
            random,
            objects: vec![],
            types: vec![],
            bytes: 0,
            room: None,
            style: Style::Interesting,
        }
    }

    pub(super) fn finish(mut self, args: Vec<Value>) -> EntryState {
        let mut globals = vec![];
        for id in self.facts.globals.clone() {
            if self.random.chance(12) {
                globals.push((id, self.global(id)));
            }
        }
        let outside = Outside { seed: self.random.word() % 4, ..Outside::default() };
        EntryState { args, objects: self.objects, globals, outside }
    }

    fn global(&mut self, id: GlobalId) -> Contents {
        let mut contents = crate::state::initial_contents(self.program, id);
        if let Some(ctype) = self.program.global(id).ctype {
            self.pick_style();
            self.fill(&mut contents, ctype, 0, DEPTH + 1);
        }
        contents
    }

    /// An object that the ABI points to: always there, nobody else's.
    pub(super) fn hidden(&mut self, size: u64, ctype: Option<CTypeId>) -> Pointer {
        let types = &self.program.ctypes;
        let record = ctype.map(|c| types.target(c).unwrap_or(c));
        let index = self.add(None, vec![0; size as usize], 16);
        if let Some(record) = record.filter(|r| types.size(*r) == Some(size)) {
            self.pick_style();
            let mut contents = std::mem::take(&mut self.objects[index as usize].contents);
            self.fill(&mut contents, record, 0, 1);
            self.objects[index as usize].contents = contents;
        }
        Pointer::object(index)
    }

    /// A scalar parameter.
    pub(super) fn scalar(&mut self, ty: Type, ctype: Option<CTypeId>, name: &str) -> u128 {
        match ty {
            Type::Float(kind) => scalar::float(&mut self.random, self.facts, kind),
            Type::Ptr => 0,
            Type::Int(width) => {
                let types = &self.program.ctypes;
                if let Some(CType::Enum { enumerators, .. }) =
                    ctype.map(|c| types.get(types.resolve(c)))
                    && self.random.chance(80)
                    && !enumerators.is_empty()
                {
                    let at = self.random.below(enumerators.len() as u64) as usize;
                    return enumerators[at].1 as u128 & ty.mask();
                }
                if let Some(room) = self.room
                    && width >= 8
                    && self.random.chance(if is_length(name) { 85 } else { 55 })
                {
                    let exact = self.random.chance(25);
                    let n = if exact { room } else { self.random.below(room + 1) };
                    return u128::from(n) & ty.mask();
                }
                scalar::integer(&mut self.random, self.facts, width)
            }
        }
    }

    /// A pointer to something of a type. `typed` says whether the source told the type
    /// (of `void`, too) or the parameter is the ABI's.
    pub(super) fn pointer(&mut self, target: Option<CTypeId>, depth: u32, typed: bool) -> Pointer {
        let types = &self.program.ctypes;
        let resolved = target.map(|t| types.resolve(t));
        if let Some(CType::Function { .. }) = resolved.map(|t| types.get(t)) {
            return self.function(target);
        }
        let null = if depth == 0 { 3 } else { 12 };
        if typed && self.random.chance(null) {
            self.room = Some(0);
            return Pointer::NULL;
        }
        let full = self.objects.len() >= OBJECTS || self.bytes >= BYTES;
        // A parameter of the same type as the one before is often the other end of it.
        let again = depth == 0 && !self.types.is_empty() && self.types.last() == Some(&resolved);
        if depth > DEPTH || full || self.random.chance(if again { 35 } else { 12 }) {
            if let Some(pointer) = self.existing(resolved) {
                return pointer;
            }
            if depth > DEPTH || full {
                self.room = Some(0);
                return Pointer::NULL;
            }
        }
        self.new_object(resolved, depth)
    }

    /// A pointer to an object that is already there, of this type if possible.
    fn existing(&mut self, target: Option<CTypeId>) -> Option<Pointer> {
        let alike: Vec<u32> = (0..self.objects.len())
            .filter(|i| self.types[*i] == target)
            .map(|i| i as u32)
            .collect();
        let index = match self.random.pick(&alike) {
            Some(index) => index,
            // Another type's object, rarely: what a cast would do.
            None if self.random.chance(10) => self.random.below(self.objects.len() as u64) as u32,
            None => return None,
        };
        let size = self.objects.get(index as usize)?.size();
        let step = target.and_then(|t| self.program.ctypes.size(t)).unwrap_or(1).max(1);
        let count = size / step;
        let element = match self.random.below(4) {
            0 => count,
            1 => self.random.below(count + 1),
            _ => 0,
        };
        self.room = Some(count - element);
        Some(Pointer::object(index).plus((element * step) as i64))
    }

    fn function(&mut self, target: Option<CTypeId>) -> Pointer {
        let types = &self.program.ctypes;
        let functions = self.known.functions.get_or_init(|| super::functions_by_type(self.program));
        let list = target.and_then(|t| functions.get(&types.resolve(t)));
        let list = list.map_or(&[][..], Vec::as_slice);
        match self.random.pick(list) {
            Some(id) if !self.random.chance(3) => {
                Pointer { target: PointerTarget::Procedure(id), offset: 0 }
            }
            _ => Pointer::NULL,
        }
    }

    /// What a call passed as further arguments: text, addresses of numbers, and numbers, in words.
    pub(super) fn passed(&mut self, size: u64) -> Pointer {
        let index = self.add(None, vec![0; size as usize], 16);
        let mut contents = Contents::from(vec![0; size as usize]);
        for at in (0..size / 8).map(|word| word * 8) {
            let full = self.objects.len() >= OBJECTS || self.bytes >= BYTES;
            match self.random.below(10) {
                kind @ 0..5 if !full => {
                    let to = self.plain_object(kind < 4);
                    contents.pointers.push(Link { offset: at, to });
                }
                _ => put(&mut contents, at, 8, scalar::integer(&mut self.random, self.facts, 32)),
            }
        }
        self.objects[index as usize].contents = contents;
        Pointer::object(index)
    }

    /// A short text, or room for a number.
    fn plain_object(&mut self, is_text: bool) -> Pointer {
        let size = if is_text { 1 + self.random.below(12) as usize } else { 16 };
        let mut bytes = vec![0; size];
        if is_text {
            text::fill(&mut self.random, self.facts, &mut bytes[..size - 1]);
        }
        Pointer::object(self.add(None, bytes, if is_text { 1 } else { 8 }))
    }

    /// A `va_list`: all further arguments are on the stack, mostly.
    fn argument_list(&mut self, to: &mut Contents, at: u64) {
        let (general, floating) = match self.random.chance(70) {
            true => (48, 176),
            false => (8 * self.random.below(7), 48 + 16 * self.random.below(9)),
        };
        put(to, at, 4, general.into());
        put(to, at + 4, 4, floating.into());
        for (offset, size) in [(8, 128), (16, 176)] {
            let area = self.passed(size);
            to.pointers.push(Link { offset: at + offset, to: area });
        }
    }

    /// A struct that has one of this type as a member, and a pointer to the member.
    fn container(&mut self, target: CTypeId, depth: u32) -> Option<Pointer> {
        let name = named_record(self.program, target)?;
        let known = self.known.containers.get_or_init(|| shape::containers(self.program));
        let (container, offset) = self.random.pick(known.get(&name)?)?;
        let size = self.program.ctypes.size(container).filter(|size| *size <= LARGEST)?;
        self.pick_style();
        let align = self.align(container);
        let index = self.add(Some(container), vec![0; size as usize], align);
        let mut contents = Contents::from(vec![0; size as usize]);
        self.fill(&mut contents, container, 0, depth + 1);
        contents.pointers.sort_by_key(|link| link.offset);
        self.objects[index as usize].contents = contents;
        self.room = Some(1);
        Some(Pointer::object(index).plus(offset as i64))
    }

    pub(super) fn new_object(&mut self, target: Option<CTypeId>, depth: u32) -> Pointer {
        if let Some(target) = target
            && self.random.chance(35)
            && let Some(pointer) = self.container(target, depth)
        {
            return pointer;
        }
        let types = &self.program.ctypes;
        let step = target.and_then(|t| types.size(t)).filter(|size| *size > 0);
        let kind = target.map(|t| types.get(t));
        self.pick_style();
        let (count, step, align) = match (kind, step) {
            (Some(CType::Record { .. }), Some(step)) => {
                (if self.random.chance(80) { 1 } else { 2 + self.random.below(3) }, step, None)
            }
            (Some(CType::Pointer(_) | CType::Array { .. }), Some(step)) => {
                (1 + self.random.below(5), step, None)
            }
            (Some(CType::Int { width: 8, .. }), _) => (self.text_length(), 1, Some(1)),
            (Some(CType::Int { .. } | CType::Float { .. } | CType::Enum { .. }), Some(step)) => {
                (self.length(100), step, None)
            }
            // Bytes of unknown use: aligned, mostly.
            _ => (self.length(300), 1, Some(if self.random.chance(85) { 16 } else { 1 })),
        };
        let align = align.unwrap_or_else(|| target.map_or(16, |t| self.align(t)));
        let size = (count * step).min(LARGEST);
        let index = self.add(target, vec![0; size as usize], align);
        let mut contents = Contents::from(vec![0; size as usize]);
        match target {
            Some(element) if step > 0 && size >= step && kind_is_known(types.get(element)) => {
                for n in 0..count.min(size / step) {
                    self.fill(&mut contents, element, n * step, depth + 1);
                }
                // Lists of pointers mostly end with a null one.
                if matches!(types.get(element), CType::Pointer(_)) && self.random.chance(70) {
                    contents.pointers.retain(|link| link.offset + 8 < size);
                }
            }
            _ => self.raw(&mut contents.bytes),
        }
        let is_text = matches!(kind, Some(CType::Int { width: 8, .. }));
        if is_text && self.style == Style::Text && size > 0 {
            text::fill(&mut self.random, self.facts, &mut contents.bytes);
            let end = if self.random.chance(80) { size - 1 } else { self.random.below(size) };
            contents.bytes[end as usize] = 0;
        }
        contents.pointers.sort_by_key(|link| link.offset);
        self.objects[index as usize].contents = contents;
        let middle = if self.random.chance(6) { self.random.below(count + 1) } else { 0 };
        self.room = Some(count - middle);
        Pointer::object(index).plus((middle * step) as i64)
    }

    fn add(&mut self, target: Option<CTypeId>, bytes: Vec<u8>, align: u32) -> u32 {
        self.bytes += bytes.len();
        self.objects.push(Object::new(align, bytes));
        self.types.push(target);
        (self.objects.len() - 1) as u32
    }

    /// How long a text is: now and then longer than an array that it might be copied to.
    fn text_length(&mut self) -> u64 {
        match self.random.pick(&self.facts.sizes) {
            Some(size) if self.random.chance(12) => size + self.random.below(24),
            _ => self.length(300),
        }
    }

    fn length(&mut self, most: u64) -> u64 {
        match self.random.below(10) {
            0 => 1,
            1 | 2 => 1 + self.random.below(8),
            3 | 4 => self.random.pick(&[8, 16, 32, 64, 33]).unwrap_or(8),
            5 => most,
            _ => 1 + self.random.below(most),
        }
    }

    fn pick_style(&mut self) {
        let styles = [
            Style::Zeros,
            Style::Small,
            Style::Random,
            Style::Random,
            Style::Text,
            Style::Text,
            Style::Text,
            Style::Interesting,
            Style::Interesting,
            Style::Interesting,
        ];
        self.style = self.random.pick(&styles).unwrap_or(Style::Random);
    }

    /// Bytes of no type.
    fn raw(&mut self, bytes: &mut [u8]) {
        for byte in bytes {
            *byte = self.byte();
        }
    }

    fn byte(&mut self) -> u8 {
        const TEXT: &[u8] = b"aabbcxyzAZ019 -+.,:/%_\n\te";
        match self.style {
            Style::Zeros => 0,
            Style::Small => self.random.below(4) as u8,
            Style::Random => self.random.word() as u8,
            Style::Text => self.random.pick(TEXT).unwrap_or(b'a'),
            Style::Interesting => scalar::integer(&mut self.random, self.facts, 8) as u8,
        }
    }

    /// Fills one value of a type at an offset.
    fn fill(&mut self, to: &mut Contents, ctype: CTypeId, at: u64, depth: u32) {
        let types = &self.program.ctypes;
        match types.get(types.resolve(ctype)) {
            CType::Int { width: 8, .. } => {
                let byte = self.byte();
                put(to, at, 1, u128::from(byte));
            }
            CType::Int { name, width, .. } => {
                let value = if name == "_Bool" {
                    u128::from(self.random.chance(50))
                } else {
                    self.number(*width)
                };
                put(to, at, u64::from(width.div_ceil(8)), value);
            }
            CType::Enum { width, enumerators, .. } => {
                let choice = self.random.below(enumerators.len() as u64 + 1) as usize;
                let value = match enumerators.get(choice) {
                    Some((_, value)) => *value as u128 & mask(*width),
                    None => self.number(*width),
                };
                put(to, at, u64::from(width / 8), value);
            }
            CType::Float { width, .. } => {
                let kind = match width {
                    16 => FloatKind::Half,
                    32 => FloatKind::Single,
                    64 => FloatKind::Double,
                    _ => FloatKind::X87,
                };
                let bits = match self.style {
                    Style::Zeros => 0,
                    _ => scalar::float(&mut self.random, self.facts, kind),
                };
                put(to, at, u64::from(kind.width() / 8), bits);
            }
            CType::Pointer(target) => {
                let style = self.style;
                let pointer = self.pointer(Some(*target), depth, true);
                self.style = style;
                if pointer != Pointer::NULL && at + 8 <= to.bytes.len() as u64 {
                    to.pointers.push(Link { offset: at, to: pointer });
                }
            }
            CType::Array { element, count } => {
                let step = types.size(*element).unwrap_or(0);
                let room = (to.bytes.len() as u64).saturating_sub(at).checked_div(step);
                // A large table's rest stays zero: nobody looks at all of it.
                for n in 0..count.unwrap_or(0).min(room.unwrap_or(0)).min(FILLED) {
                    self.fill(to, *element, at + n * step, depth);
                }
            }
            CType::Record { fields, union, .. } => {
                if *union {
                    let choice = self.random.below(fields.len() as u64) as usize;
                    if let Some(field) = fields.get(choice) {
                        self.field(to, field, at, depth);
                    }
                } else {
                    if is_opaque(self.program, ctype) {
                        return;
                    }
                    if is_argument_list(self.program, ctype) {
                        return self.argument_list(to, at);
                    }
                    // A length beside a pointer is that pointer's, not one of another struct.
                    self.room = None;
                    let mut lengths: Vec<&CField> = vec![];
                    for field in fields {
                        self.field(to, field, at, depth);
                        match self.room {
                            None if is_length(&field.name) => lengths.push(field),
                            // The length may stand in front of the pointer.
                            Some(_) if !lengths.is_empty() => {
                                for length in std::mem::take(&mut lengths) {
                                    self.field(to, length, at, depth);
                                }
                            }
                            _ => {}
                        }
                    }
                }
            }
            CType::Void
            | CType::Function { .. }
            | CType::Typedef { .. }
            | CType::Qualified { .. } => {}
        }
    }

    fn field(&mut self, to: &mut Contents, field: &CField, base: u64, depth: u32) {
        let Some(width) = field.bit_width else {
            let at = base + field.offset_bits / 8;
            let types = &self.program.ctypes;
            if let (CType::Int { width, .. }, Some(room)) =
                (types.get(types.resolve(field.ctype)), self.room)
                && *width >= 16
                && self.random.chance(if is_length(&field.name) { 75 } else { 40 })
            {
                let value = u128::from(self.random.below(room + 1)) & mask(*width);
                put(to, at, u64::from(width / 8), value);
                return;
            }
            return self.fill(to, field.ctype, at, depth);
        };
        let value = self.random.word();
        for bit in 0..u64::from(width) {
            let place = base * 8 + field.offset_bits + bit;
            if let Some(byte) = to.bytes.get_mut((place / 8) as usize) {
                let flag = 1 << (place % 8);
                *byte = if value >> bit & 1 == 1 { *byte | flag } else { *byte & !flag };
            }
        }
    }

    fn number(&mut self, width: u16) -> u128 {
        match self.style {
            Style::Zeros => 0,
            Style::Small | Style::Text => u128::from(self.random.below(8)),
            Style::Random => self.random.wide() & mask(width),
            Style::Interesting => scalar::integer(&mut self.random, self.facts, width),
        }
    }

    /// The alignment of a type, as the x86-64 ABI has it for all but packed ones.
    fn align(&self, ctype: CTypeId) -> u32 {
        let types = &self.program.ctypes;
        match types.get(types.resolve(ctype)) {
            CType::Array { element, .. } => self.align(*element),
            CType::Record { fields, .. } => {
                fields.iter().map(|field| self.align(field.ctype)).max().unwrap_or(1)
            }
            _ => types.size(ctype).unwrap_or(1).clamp(1, 16).next_power_of_two() as u32,
        }
    }
}

fn kind_is_known(ctype: &CType) -> bool {
    !matches!(ctype, CType::Void | CType::Function { .. })
}

fn is_length(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    name == "n" || ["len", "size", "count", "num", "max", "cap"].iter().any(|w| name.contains(w))
}

fn put(to: &mut Contents, at: u64, bytes: u64, value: u128) {
    let (at, bytes) = (at as usize, (bytes as usize).min(16));
    if let Some(place) = to.bytes.get_mut(at..at + bytes) {
        place.copy_from_slice(&value.to_le_bytes()[..bytes]);
    }
}
