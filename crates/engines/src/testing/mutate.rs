//! Small changes of an entry state that got somewhere.

use super::input_locations::{InputLocation, Number, Places, Reference, pointer_at, set_pointer};
use super::interesting_numbers;
use super::search::DifferenceSearch;
use verdiff_model::Type;
use verdiff_model::state::{EntryState, Object, Pointer, PointerTarget, Value};
use verdiff_model::types::mask;

/// Objects do not grow beyond this.
const LARGEST: usize = 512;
/// Of so many pointers each two are tried as the start and the end of an array.
const MOST_ENDS: usize = 4;

impl DifferenceSearch<'_> {
    /// Changes an entry state a little, in one to four places.
    pub(super) fn mutate(&mut self, entry: &mut EntryState, places: &Places) {
        let count = match self.random.below(8) {
            0..3 => 1,
            3..6 => 2,
            6 => 3,
            _ => 4,
        };
        for _ in 0..count {
            let pick = self.random.below(100);
            let numbers = places.numbers.len() as u64;
            let pointers = places.pointers.len() as u64;
            if pick < 8 && self.has_unknown_calls {
                entry.outside.answers.clear();
                entry.outside.seed = self.random.below(8);
            } else if pick < 11 && !self.givers.is_empty() {
                let at = self.random.below(self.givers.len() as u64) as usize;
                if let Some(name) = self.givers.iter().nth(at).cloned() {
                    self.give_one(entry, &name);
                }
            } else if pick < 14 && !places.calls.is_empty() {
                self.mutate_effect(entry, &places.calls);
            } else if pick < 16 && self.allocations > 0 {
                self.mutate_failures(entry);
            } else if pick < 20 && !entry.objects.is_empty() {
                self.mutate_object(entry);
            } else if pointers > 0 && (pick < 45 || numbers == 0) {
                let at = self.random.below(pointers) as usize;
                self.mutate_pointer(entry, places, places.pointers[at]);
            } else if numbers > 0 {
                let at = self.random.below(numbers) as usize;
                let number = places.numbers[at];
                let bits = self.changed(entry, places, number);
                number.set(entry, bits);
            }
        }
        // Bytes that are changed by the way may be truth values.
        for number in places.numbers.iter().filter(|number| number.truth) {
            let bits = number.get(entry);
            if bits > 1 {
                number.set(entry, bits);
            }
        }
    }

    /// Another value for a number.
    fn changed(&mut self, entry: &EntryState, places: &Places, number: Number) -> u128 {
        let value = number.get(entry);
        let ty = if number.truth { Type::BOOL } else { number.ty };
        match self.random.below(20) {
            0..7 => {
                let list = self.values.of(self.text, ty);
                // The first of the list are worth most.
                let bound = if self.random.chance(50) { 24 } else { list.len() as u64 };
                let at = self.random.below(bound.min(list.len() as u64)) as usize;
                list[at]
            }
            7..9 if ty.is_int() => {
                let operand = self.random.pick(&self.operands).unwrap_or(0);
                u128::from(operand).wrapping_add(u128::from(self.random.below(3))).wrapping_sub(1)
            }
            9..12 => {
                let others: Vec<Number> = places
                    .numbers
                    .iter()
                    .filter(|other| other.ty.is_int() == ty.is_int())
                    .copied()
                    .collect();
                let other = self.random.pick(&others).map_or(0, |other| other.get(entry));
                match self.random.below(6) {
                    0 if ty.is_int() => other.wrapping_neg(),
                    1 => other.wrapping_add(1),
                    2 => other.wrapping_sub(1),
                    3 if ty.is_int() => !other,
                    _ => other,
                }
            }
            12..14 => value.wrapping_add(u128::from(self.random.below(33))).wrapping_sub(16),
            14 => value ^ 1 << self.random.below(u64::from(ty.width())),
            15 if ty.width() > 8 && ty.is_int() => {
                // A part of it, as if it were several numbers.
                let part = if ty.width() > 32 && self.random.chance(60) { 32 } else { 8 };
                let list = self.values.of(self.text, Type::Int(part));
                let at = self.random.below(list.len() as u64) as usize;
                let shift = self.random.below(u64::from(ty.width() / part)) * u64::from(part);
                (value & !(mask(part) << shift)) | list[at] << shift
            }
            16 if !entry.objects.is_empty() && ty.is_int() => {
                // A length: of an object, or of a string.
                let at = self.random.below(entry.objects.len() as u64) as usize;
                let bytes = &entry.objects[at].contents.bytes;
                let end = bytes.iter().position(|byte| *byte == 0).unwrap_or(bytes.len());
                let length = if self.random.chance(50) { bytes.len() } else { end } as u128;
                (length >> self.random.below(4))
                    .wrapping_add(u128::from(self.random.below(3)))
                    .wrapping_sub(1)
            }
            17 if ty.is_int() => u128::from(self.random.below(20)),
            _ => interesting_numbers::random(&mut self.random, ty),
        }
    }

    fn mutate_pointer(&mut self, entry: &mut EntryState, places: &Places, reference: Reference) {
        if let InputLocation::Global(index, _) = reference.place {
            // Only the outside can have put a caller's object there.
            let id = entry.globals[index].0;
            if !self.text.globals.iter().any(|g| g.old == id && g.public) {
                return;
            }
        }
        if reference.function {
            let pointer = self.random.pick(self.text.functions()).unwrap_or(Pointer::NULL);
            return set_pointer(entry, reference.place, pointer);
        }
        let types = &self.programs[0].ctypes;
        let step = reference.target.and_then(|t| types.size(t)).unwrap_or(1).max(1);
        let here = pointer_at(entry, reference.place);
        match self.random.below(12) {
            0 | 1 => set_pointer(entry, reference.place, Pointer::NULL),
            2..8 => {
                let others: Vec<InputLocation> = places
                    .pointers
                    .iter()
                    .filter(|other| !other.function && other.place != reference.place)
                    .map(|other| other.place)
                    .collect();
                if let Some(other) = self.random.pick(&others) {
                    self.overlap(entry, reference.place, other, step);
                }
            }
            8 => {
                // An object of its own, with the same contents.
                if let PointerTarget::Object(index) = here.target
                    && let Some(object) = entry.objects.get(index as usize).cloned()
                    && entry.objects.len() < 32
                {
                    entry.objects.push(object);
                    let target = PointerTarget::Object(entry.objects.len() as u32 - 1);
                    set_pointer(entry, reference.place, Pointer { target, ..here });
                } else {
                    let size = step.min(LARGEST as u64) * 2;
                    entry.objects.push(Object::new(16, vec![0; size as usize]));
                    let pointer = Pointer::object(entry.objects.len() as u32 - 1);
                    set_pointer(entry, reference.place, pointer);
                }
            }
            9 | 10 => {
                let public: Vec<_> =
                    self.text.globals.iter().filter(|g| g.public).map(|g| g.old).collect();
                if let Some(id) = self.random.pick(&public) {
                    set_pointer(entry, reference.place, Pointer::global(id));
                }
            }
            _ => {
                let by = (self.random.below(3) as i64 - 1) * step as i64;
                if here.target != PointerTarget::Null && here.offset + by >= 0 {
                    set_pointer(entry, reference.place, here.plus(by));
                }
            }
        }
    }

    /// Lets a pointer lead where another one leads, or close to it.
    fn overlap(
        &mut self,
        entry: &mut EntryState,
        place: InputLocation,
        other: InputLocation,
        step: u64,
    ) {
        let to = pointer_at(entry, other);
        let PointerTarget::Object(index) = to.target else {
            return set_pointer(entry, place, to);
        };
        if self.random.chance(25) {
            return self.set_end(entry, place, (index, to.offset), step);
        }
        let unit = self.random.pick(&[1, 2, 4, step, step]).unwrap_or(1) as i64;
        let by = match self.random.below(6) {
            0..3 => 0,
            3 => unit,
            4 => -unit,
            _ => 2 * unit,
        };
        if by != 0
            && let Some(object) = entry.objects.get_mut(index as usize)
        {
            let bytes = &mut object.contents.bytes;
            let size = bytes.len();
            if size > 0 && size + (by.unsigned_abs() as usize) <= LARGEST {
                // Room for both, with contents that are not all alike.
                for at in 0..by.unsigned_abs() as usize {
                    bytes.push(bytes[at % size].wrapping_add(self.random.below(2) as u8));
                }
            }
        }
        if to.offset + by >= 0 {
            set_pointer(entry, place, to.plus(by));
        } else {
            set_pointer(entry, other, to.plus(-by));
            set_pointer(entry, place, to);
        }
    }

    /// Lets a pointer lead behind the last element of an object, behind its text, or to some element.
    fn set_end(
        &mut self,
        entry: &mut EntryState,
        place: InputLocation,
        (index, from): (u32, i64),
        step: u64,
    ) {
        let Some(object) = entry.objects.get(index as usize) else { return };
        let bytes = &object.contents.bytes;
        let end = match self.random.below(4) {
            0 => self.random.below(bytes.len() as u64 + 1) as usize,
            1 => bytes.iter().position(|byte| *byte == 0).unwrap_or(bytes.len()),
            _ => bytes.len(),
        };
        let from = from.max(0) as u64;
        let by = (end as u64).saturating_sub(from) / step * step;
        let target = PointerTarget::Object(index);
        set_pointer(entry, place, Pointer { target, offset: (from + by) as i64 });
    }

    /// Tries each pair of pointers as the start and the end of one array, which no other state has by chance if the array is longer than an
    /// element.
    pub(super) fn let_end(&mut self, base: &EntryState, places: &Places) {
        let arguments = places
            .pointers
            .iter()
            .filter(|pointer| matches!(pointer.place, InputLocation::Arg(_)) && !pointer.function);
        let arguments: Vec<Reference> = arguments.copied().take(MOST_ENDS).collect();
        for start in &arguments {
            for end in arguments.iter().filter(|end| end.place != start.place) {
                let to = pointer_at(base, start.place);
                let PointerTarget::Object(index) = to.target else { continue };
                if start.target != end.target || self.is_over() {
                    continue;
                }
                let types = &self.programs[0].ctypes;
                let step = end.target.and_then(|t| types.size(t)).unwrap_or(1).max(1);
                let Some(object) = base.objects.get(index as usize) else { continue };
                let mut entry = base.clone();
                let offset = (object.size() / step * step) as i64;
                set_pointer(&mut entry, end.place, Pointer { offset, ..to });
                self.attempt(&entry);
            }
        }
    }

    fn mutate_object(&mut self, entry: &mut EntryState) {
        let at = self.random.below(entry.objects.len() as u64) as usize;
        let choice = self.random.below(12);
        let before = entry.objects[at].contents.bytes.len();
        self.change_object(entry, at, choice);
        move_ends(entry, at as u32, before);
    }

    fn change_object(&mut self, entry: &mut EntryState, at: usize, choice: u64) {
        if choice == 0 {
            // The contents of another object, as far as they fit.
            let from = self.random.below(entry.objects.len() as u64) as usize;
            let source = entry.objects[from].contents.clone();
            let contents = &mut entry.objects[at].contents;
            if source.pointers.is_empty() && contents.pointers.is_empty() {
                let size = source.bytes.len().min(contents.bytes.len());
                contents.bytes[..size].copy_from_slice(&source.bytes[..size]);
            }
            return;
        }
        let hidden = self.is_hidden(entry, at);
        let contents = &mut entry.objects[at].contents;
        let size = contents.bytes.len();
        if size == 0 || !contents.pointers.is_empty() {
            return;
        }
        let place = self.random.below(size as u64) as usize;
        let list = self.values.of(self.text, Type::BYTE);
        let byte = list[self.random.below(list.len() as u64) as usize] as u8;
        match choice {
            1 | 2 if !self.text.strings.is_empty() || !self.text.numerals.is_empty() => {
                let string = self.text.string(&mut self.random).unwrap_or_default();
                let place = if self.random.chance(70) { 0 } else { place };
                for (to, byte) in contents.bytes[place..].iter_mut().zip(string) {
                    *to = *byte;
                }
            }
            3 => contents.bytes[place] = byte,
            4 => contents.bytes[place..].fill(byte),
            5 => contents.bytes[place] = 0,
            6 => {
                let end = (place + 8).min(size);
                contents.bytes[place..end].iter_mut().for_each(|b| *b = self.random.word() as u8);
            }
            7 if !hidden => contents.bytes.truncate(place + 1),
            8 if !hidden && size * 2 <= LARGEST => contents.bytes.extend_from_within(..),
            9 if !hidden && size + 16 <= LARGEST => {
                // Text of the code in the middle, or a piece of what is there once more.
                let string = self.text.string(&mut self.random).unwrap_or_default();
                let mut piece: Vec<u8> =
                    string.iter().copied().take_while(|byte| *byte != 0).take(16).collect();
                if piece.is_empty() || self.random.chance(50) {
                    let end = (place + 1 + self.random.below(8) as usize).min(size);
                    piece = contents.bytes[place..end].to_vec();
                }
                contents.bytes.splice(place..place, piece);
            }
            10 if !hidden && size > 1 => {
                let end = (place + 1 + self.random.below(4) as usize).min(size);
                contents.bytes.drain(if end - place == size { 1..size } else { place..end });
            }
            11 if !self.text.strings.is_empty() || !self.text.numerals.is_empty() => {
                // Behind the text that is there.
                let string = self.text.string(&mut self.random).unwrap_or_default();
                let end = contents.bytes.iter().position(|byte| *byte == 0).unwrap_or(size);
                let room = if hidden { size } else { LARGEST.max(size) };
                for (to, byte) in (end..room).zip(string.iter().take(64)) {
                    match contents.bytes.get_mut(to) {
                        Some(there) => *there = *byte,
                        None => contents.bytes.push(*byte),
                    }
                }
            }
            _ => contents.bytes[place] = contents.bytes[place].wrapping_add(1),
        }
    }

    /// Whether an object is the ABI's, of a size that is fixed.
    fn is_hidden(&self, entry: &EntryState, object: usize) -> bool {
        self.hidden.iter().any(|arg| {
            pointer_at(entry, InputLocation::Arg(*arg)).target
                == PointerTarget::Object(object as u32)
        })
    }
}

/// Lets pointers that led to the end of an object of another size lead to its end.
fn move_ends(entry: &mut EntryState, object: u32, before: usize) {
    let after = entry.objects[object as usize].contents.bytes.len() as i64;
    if after == before as i64 {
        return;
    }
    let moved = |to: &mut Pointer| {
        if to.target == PointerTarget::Object(object)
            && (to.offset == before as i64 || to.offset > after)
        {
            to.offset = after;
        }
    };
    for value in &mut entry.args {
        if let Value::Pointer(to) = value {
            moved(to);
        }
    }
    for object in &mut entry.objects {
        object.contents.pointers.iter_mut().for_each(|link| moved(&mut link.to));
    }
}
