//! The places of an entry state that can be changed: arguments, fields of objects and globals
//! by their C types, and what unknown functions return.

use super::outside;
use super::returned_pointers::is_handle_function;
use std::collections::BTreeMap;
use verdiff_judge::Side;
use verdiff_model::generate::{Parameter, is_opaque};
use verdiff_model::state::{
    Answer, Contents, EntryState, Event, Link, Outcome, Pointer, PointerTarget, Value,
};
use verdiff_model::types::mask;
use verdiff_model::{CType, CTypeId, FloatKind, Program, Type};

/// No more places than this are looked at.
const MOST: usize = 96;
/// So many elements at the start of an array,
const ELEMENTS: u64 = 6;
/// and so many of an array of bytes: a parser decides by many characters of a text.
const BYTES: u64 = 32;
/// So many calls.
const CALLS: usize = 16;
/// Pointers are followed this far.
const DEPTH: u32 = 4;

/// Where something is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum InputLocation {
    /// An argument.
    Arg(usize),
    /// In an object, at an offset.
    Object(usize, u64),
    /// In a global, by its position in the entry state, at an offset.
    Global(usize, u64),
    /// A result of a call of an unknown function.
    Answer {
        /// Which call.
        call: u64,
        /// Which of its results.
        result: usize,
        /// How many it has.
        of: usize,
    },
    /// A pointer that an unknown function gives: the function's position in the list of the entry state, the pointer's in its list.
    Given(usize, usize),
}

/// A number.
#[derive(Clone, Copy, Debug)]
pub(super) struct Number {
    pub(super) place: InputLocation,
    pub(super) ty: Type,
    /// Only 0 and 1 are values of it.
    pub(super) truth: bool,
    /// Whether it is one of the later bytes of an array: these are solved for and changed, and not tried one by one.
    pub(super) late: bool,
    /// What it is in the entry state it was found in, unless that says.
    made_up: u128,
}

/// A pointer.
#[derive(Clone, Copy, Debug)]
pub(super) struct Reference {
    pub(super) place: InputLocation,
    /// What it points to.
    pub(super) target: Option<CTypeId>,
    /// Whether that is a function.
    pub(super) function: bool,
}

/// The unknown functions that return pointers, by name, with the type of what those lead to if it is known.
/// The type is one of the version that is named.
pub(super) type Targets = BTreeMap<String, Option<(Side, CTypeId)>>;

/// All places of an entry state.
#[derive(Clone, Debug, Default)]
pub(super) struct Places {
    pub(super) numbers: Vec<Number>,
    pub(super) pointers: Vec<Reference>,
    /// Calls of functions that may write what they like, in order.
    pub(super) calls: Vec<Call>,
}

/// A call of a function that nothing is known about.
#[derive(Clone, Debug)]
pub(super) struct Call {
    /// Which one ([`Answer::call`]).
    pub(super) call: u64,
    /// What it gave.
    pub(super) results: Vec<u128>,
}

impl Places {
    /// The places of an entry state of a procedure of the old version; `ran` are runs from it.
    pub(super) fn of(
        program: &Program,
        parameters: &[Parameter<'_>],
        entry: &EntryState,
        ran: &[&Outcome],
        targets: &Targets,
    ) -> Places {
        let mut finder = Finder { program, entry, places: Places::default(), seen: vec![] };
        for (index, parameter) in parameters.iter().enumerate() {
            finder.argument(index, parameter);
        }
        for (index, (id, _)) in entry.globals.iter().enumerate() {
            if let Some(ctype) = program.global(*id).ctype {
                finder.fields(InputLocation::Global(index, 0), ctype, 0);
            }
        }
        finder.given(targets);
        finder.answers(ran);
        finder.places
    }
}

struct Finder<'a> {
    program: &'a Program,
    entry: &'a EntryState,
    places: Places,
    seen: Vec<u32>,
}

impl Finder<'_> {
    fn full(&self) -> bool {
        self.places.numbers.len() + self.places.pointers.len() >= MOST
    }

    fn number(&mut self, place: InputLocation, ty: Type, truth: bool) {
        if let InputLocation::Object(index, at) = place
            && let Some(object) = self.entry.objects.get(index)
        {
            // The object may be of another type than the pointer: its own pointers stay.
            let overlaps = |link: &Link| link.offset < at + ty.bytes() && at < link.offset + 8;
            if object.contents.pointers.iter().any(overlaps) {
                return;
            }
        }
        if !self.full() {
            self.places.numbers.push(Number { place, ty, truth, late: false, made_up: 0 });
        }
    }

    fn argument(&mut self, index: usize, parameter: &Parameter<'_>) {
        let types = &self.program.ctypes;
        let place = InputLocation::Arg(index);
        if parameter.ty != Type::Ptr {
            return self.number(place, parameter.ty, parameter.ty == Type::BOOL);
        }
        let target = match parameter.hidden {
            Some(_) => parameter.ctype.map(|c| types.target(c).unwrap_or(c)),
            None => parameter.ctype.and_then(|c| types.target(c)),
        };
        if parameter.hidden.is_none() {
            self.pointer(place, target);
        }
        self.follow(place, target, 0);
    }

    fn pointer(&mut self, place: InputLocation, target: Option<CTypeId>) {
        let types = &self.program.ctypes;
        let function =
            target.is_some_and(|t| matches!(types.get(types.resolve(t)), CType::Function { .. }));
        if !self.full() {
            self.places.pointers.push(Reference { place, target, function });
        }
    }

    fn follow(&mut self, place: InputLocation, target: Option<CTypeId>, depth: u32) {
        let Pointer { target: PointerTarget::Object(index), .. } = pointer_at(self.entry, place)
        else {
            return;
        };
        let Some(object) = self.entry.objects.get(index as usize) else { return };
        if depth > DEPTH || self.seen.contains(&index) {
            return;
        }
        self.seen.push(index);
        let types = &self.program.ctypes;
        let sized = target.and_then(|t| Some((t, types.size(t).filter(|s| *s > 0)?)));
        let Some((element, step)) = sized else {
            for at in 0..object.size().min(8) {
                self.number(InputLocation::Object(index as usize, at), Type::BYTE, false);
            }
            return;
        };
        let count = object.size() / step;
        self.elements(InputLocation::Object(index as usize, 0), (element, step), count, depth);
    }

    /// The first elements of an array, of bytes some more.
    fn elements(
        &mut self,
        place: InputLocation,
        (element, step): (CTypeId, u64),
        count: u64,
        depth: u32,
    ) {
        for n in 0..count.min(ELEMENTS) {
            self.fields(place.further(n * step), element, depth);
        }
        let types = &self.program.ctypes;
        if matches!(types.get(types.resolve(element)), CType::Int { width: 8, .. }) {
            let before = self.places.numbers.len();
            for n in ELEMENTS..count.min(BYTES) {
                self.fields(place.further(n * step), element, depth);
            }
            self.places.numbers[before..].iter_mut().for_each(|number| number.late = true);
        }
    }

    fn fields(&mut self, place: InputLocation, ctype: CTypeId, depth: u32) {
        if self.full() || depth > DEPTH {
            return;
        }
        let types = &self.program.ctypes;
        match types.get(types.resolve(ctype)) {
            CType::Int { name, width, .. } => {
                self.number(place, Type::Int(*width), name == "_Bool");
            }
            CType::Enum { width, .. } => self.number(place, Type::Int(*width), false),
            CType::Float { width, .. } => {
                let kind = match width {
                    16 => FloatKind::Half,
                    32 => FloatKind::Single,
                    64 => FloatKind::Double,
                    _ => FloatKind::X87,
                };
                self.number(place, Type::Float(kind), false);
            }
            CType::Pointer(target) => {
                self.pointer(place, Some(*target));
                self.follow(place, Some(*target), depth + 1);
            }
            CType::Array { element, count } => {
                let step = types.size(*element).unwrap_or(0);
                self.elements(place, (*element, step), count.unwrap_or(0), depth);
            }
            CType::Record { .. } if is_opaque(self.program, ctype) => {}
            CType::Record { fields, .. } => {
                for field in fields {
                    let at = place.further(field.offset_bits / 8);
                    match field.bit_width {
                        None => self.fields(at, field.ctype, depth),
                        Some(width) => {
                            let end = (field.offset_bits % 8 + u64::from(width)).div_ceil(8);
                            (0..end).for_each(|n| self.number(at.further(n), Type::BYTE, false));
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

    fn given(&mut self, targets: &Targets) {
        for (index, given) in self.entry.outside.given.iter().enumerate() {
            if is_handle_function(&given.external) {
                continue;
            }
            let target = match targets.get(&given.external) {
                Some(Some((Side::Old, target))) => Some(*target),
                _ => None,
            };
            for n in 0..given.pointers.len() {
                self.pointer(InputLocation::Given(index, n), target);
                self.follow(InputLocation::Given(index, n), target, 0);
            }
        }
    }

    fn answers(&mut self, ran: &[&Outcome]) {
        let mut seen = vec![];
        for event in ran.iter().flat_map(|outcome| &outcome.world.events) {
            let Event::Call { name, effect: Some(effect), .. } = event else { continue };
            if seen.contains(&effect.call) || self.full() {
                continue;
            }
            seen.push(effect.call);
            let external = self.program.externals.iter().find(|e| e.name == *name);
            if self.places.calls.len() < CALLS && external.is_some_and(outside::may_write) {
                let results = effect.results.clone();
                self.places.calls.push(Call { call: effect.call, results });
            }
            let Some(types) = external.map(|e| &e.signature.results) else { continue };
            for (result, (ty, bits)) in types.iter().zip(&effect.results).enumerate() {
                let place = InputLocation::Answer { call: effect.call, result, of: types.len() };
                if *ty != Type::Ptr {
                    let truth = *ty == Type::BOOL;
                    self.places.numbers.push(Number {
                        place,
                        ty: *ty,
                        truth,
                        late: false,
                        made_up: *bits,
                    });
                }
            }
        }
    }
}

impl InputLocation {
    fn further(self, bytes: u64) -> InputLocation {
        match self {
            InputLocation::Object(index, at) => InputLocation::Object(index, at + bytes),
            InputLocation::Global(index, at) => InputLocation::Global(index, at + bytes),
            same => same,
        }
    }
}

impl Number {
    pub(super) fn width(&self) -> u16 {
        if self.truth { 1 } else { self.ty.width() }
    }

    pub(super) fn get(&self, entry: &EntryState) -> u128 {
        match self.place {
            InputLocation::Arg(index) => match entry.args.get(index) {
                Some(Value::Bits(bits)) => *bits,
                _ => 0,
            },
            InputLocation::Object(index, at) => {
                entry.objects.get(index).map_or(0, |o| read(&o.contents, at, self.ty))
            }
            InputLocation::Global(index, at) => {
                entry.globals.get(index).map_or(0, |(_, contents)| read(contents, at, self.ty))
            }
            InputLocation::Answer { call, result, .. } => {
                let answer = entry.outside.answers.iter().find(|answer| answer.call == call);
                answer.and_then(|a| a.results.get(result)).copied().unwrap_or(self.made_up)
            }
            InputLocation::Given(..) => 0,
        }
    }

    pub(super) fn set(&self, entry: &mut EntryState, bits: u128) {
        let bits = bits & mask(self.width());
        match self.place {
            InputLocation::Arg(index) => {
                if let Some(value) = entry.args.get_mut(index) {
                    *value = Value::Bits(bits);
                }
            }
            InputLocation::Object(index, at) => {
                if let Some(object) = entry.objects.get_mut(index) {
                    write(&mut object.contents, at, self.ty, bits);
                }
            }
            InputLocation::Global(index, at) => {
                if let Some((_, contents)) = entry.globals.get_mut(index) {
                    write(contents, at, self.ty, bits);
                }
            }
            InputLocation::Answer { call, result, of } => {
                let answers = &mut entry.outside.answers;
                let results = || vec![self.made_up; of];
                if let Some(value) = answer(answers, call, results).results.get_mut(result) {
                    *value = bits;
                }
            }
            InputLocation::Given(..) => {}
        }
    }
}

/// The answer to a call, made if there is none.
pub(super) fn answer(
    answers: &mut Vec<Answer>,
    call: u64,
    results: impl FnOnce() -> Vec<u128>,
) -> &mut Answer {
    let at = answers.iter().position(|answer| answer.call == call).unwrap_or_else(|| {
        answers.push(Answer { call, results: results(), ..Answer::default() });
        answers.len() - 1
    });
    &mut answers[at]
}

/// The numbers of a global, each with its offset.
pub(super) fn numbers_in(program: &Program, ctype: CTypeId) -> Vec<(u64, Number)> {
    let entry = EntryState::default();
    let mut finder = Finder { program, entry: &entry, places: Places::default(), seen: vec![] };
    finder.fields(InputLocation::Global(0, 0), ctype, 0);
    let at = |number: Number| match number.place {
        InputLocation::Global(_, at) => Some((at, number)),
        _ => None,
    };
    finder.places.numbers.into_iter().filter_map(at).collect()
}

/// The pointer at a place; null if there is none.
pub(super) fn pointer_at(entry: &EntryState, place: InputLocation) -> Pointer {
    let within = |contents: &Contents, at: u64| {
        let found = contents.pointers.iter().find(|link| link.offset == at);
        found.map_or(Pointer::NULL, |link| link.to)
    };
    match place {
        InputLocation::Arg(index) => match entry.args.get(index) {
            Some(Value::Pointer(pointer)) => *pointer,
            _ => Pointer::NULL,
        },
        InputLocation::Object(index, at) => {
            entry.objects.get(index).map_or(Pointer::NULL, |o| within(&o.contents, at))
        }
        InputLocation::Global(index, at) => {
            entry.globals.get(index).map_or(Pointer::NULL, |g| within(&g.1, at))
        }
        InputLocation::Given(index, n) => {
            let given = entry.outside.given.get(index);
            given.and_then(|g| g.pointers.get(n)).copied().unwrap_or(Pointer::NULL)
        }
        InputLocation::Answer { .. } => Pointer::NULL,
    }
}

/// Puts a pointer at a place.
pub(super) fn set_pointer(entry: &mut EntryState, place: InputLocation, pointer: Pointer) {
    let contents = match place {
        InputLocation::Arg(index) => {
            if let Some(value) = entry.args.get_mut(index) {
                *value = Value::Pointer(pointer);
            }
            return;
        }
        InputLocation::Object(index, _) => entry.objects.get_mut(index).map(|o| &mut o.contents),
        InputLocation::Global(index, _) => entry.globals.get_mut(index).map(|g| &mut g.1),
        InputLocation::Given(index, n) => {
            let given = entry.outside.given.get_mut(index).and_then(|g| g.pointers.get_mut(n));
            // Globals have numbers, and what functions give has none.
            if let (Some(to), PointerTarget::Null | PointerTarget::Object(_)) =
                (given, pointer.target)
            {
                *to = pointer;
            }
            return;
        }
        InputLocation::Answer { .. } => None,
    };
    let (InputLocation::Object(_, at) | InputLocation::Global(_, at)) = place else { return };
    let Some(contents) = contents else { return };
    let Some(bytes) = contents.bytes.get_mut(at as usize..at as usize + 8) else { return };
    bytes.fill(0);
    contents.pointers.retain(|link| link.offset + 8 <= at || link.offset >= at + 8);
    if pointer != Pointer::NULL {
        contents.pointers.push(Link { offset: at, to: pointer });
        contents.pointers.sort_by_key(|link| link.offset);
    }
}

fn read(contents: &Contents, at: u64, ty: Type) -> u128 {
    let mut bytes = [0; 16];
    let size = ty.bytes() as usize;
    let from = contents.bytes.get(at as usize..).unwrap_or(&[]);
    let size = size.min(from.len());
    bytes[..size].copy_from_slice(&from[..size]);
    u128::from_le_bytes(bytes)
}

fn write(contents: &mut Contents, at: u64, ty: Type, bits: u128) {
    let size = ty.bytes();
    if let Some(to) = contents.bytes.get_mut(at as usize..(at + size) as usize) {
        to.copy_from_slice(&bits.to_le_bytes()[..size as usize]);
        // A union may have a pointer there.
        contents.pointers.retain(|link| link.offset + 8 <= at || link.offset >= at + size);
    }
}
