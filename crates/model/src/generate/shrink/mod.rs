//! Smaller entry states: what is left of a state when everything that does not matter is gone.
//!
//! A witness should show its reader what the difference hangs on: small numbers, short strings, null pointers,
//! globals as their initialisers have them, unless the difference needs something else. Changes are
//! tried one after the other, each only if it makes the state simpler by a fixed measure, and kept if
//! whoever asks says that the state still shows what it should. So it ends, and the same state gives the same result.
//!
//! A smaller state is still one that a caller could make: an object keeps room for one element of the type that a
//! parameter says is there, strings keep their ends, and what the ABI points to stays as it is.

mod simpler;

use super::parameters;
use crate::state::{
    Answer, Contents, Difference, End, EntryState, Object, Pointer, PointerTarget, Value,
};
use crate::types::FloatKind;
use crate::{CType, CTypeId, Frame, ProcId, Program, Type};
use simpler::{cost, simpler, weight};

/// Shrinks an entry state of a procedure for as long as `still` is true of it; asks at most `budget` times.
///
/// `still` should see that it is the same kind of difference as before ([`alike`]): an object that
/// got too small for the procedure also makes outcomes differ.
pub fn minimise(
    program: &Program,
    procedure: ProcId,
    frame: &Frame,
    entry: &EntryState,
    still: &mut dyn FnMut(&EntryState) -> bool,
    budget: u32,
) -> EntryState {
    let mut shrinker = Shrinker {
        shape: StateTypes::new(program, procedure, frame),
        best: entry.clone(),
        still,
        budget,
    };
    // What is simpler in one place often lets another one be simpler, too.
    for _ in 0..4 {
        let before = shrinker.best.clone();
        shrinker.outside();
        shrinker.globals();
        shrinker.pointers();
        shrinker.numbers();
        shrinker.lengths();
        shrinker.contents();
        shrinker.numbers();
        if shrinker.best == before || shrinker.budget == 0 {
            break;
        }
    }
    shrinker.best
}

/// Whether two differences are of one kind: the same thing differs, or the runs end in the same ways.
pub fn alike(a: &Difference, b: &Difference) -> bool {
    let same_end = |a: &End, b: &End| match (a, b) {
        (End::Trapped { trap: a, .. }, End::Trapped { trap: b, .. }) => a == b,
        (a, b) => std::mem::discriminant(a) == std::mem::discriminant(b),
    };
    match (a, b) {
        (
            Difference::Termination { left: a, right: b },
            Difference::Termination { left: c, right: d },
        ) => same_end(a, c) && same_end(b, d),
        (a, b) => std::mem::discriminant(a) == std::mem::discriminant(b),
    }
}

/// What a state of the procedure looks like.
struct StateTypes {
    /// The parameters' types.
    types: Vec<Type>,
    /// For each parameter, what it points to as the source says.
    elements: Vec<Option<Element>>,
    /// For each parameter, whether the ABI made it a pointer.
    hidden: Vec<bool>,
}

/// What an object holds many of.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Element {
    size: usize,
    kind: ElementKind,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum ElementKind {
    /// Characters: a letter is simpler than a null byte.
    Text,
    /// Numbers of a type.
    Number(Type),
    /// Anything else, byte by byte.
    Bytes,
}

impl StateTypes {
    fn new(program: &Program, procedure: ProcId, frame: &Frame) -> StateTypes {
        let list = parameters(program, procedure, frame);
        let element = |ctype: Option<CTypeId>| {
            let target = program.ctypes.target(ctype?)?;
            Some(element(program, target))
        };
        StateTypes {
            types: list.iter().map(|p| p.ty).collect(),
            elements: list.iter().map(|p| element(p.ctype)).collect(),
            hidden: list.iter().map(|p| p.hidden.is_some()).collect(),
        }
    }

    /// What an object holds, by the first parameter that leads to it. One that none leads to, or that
    /// the ABI made, must keep its size.
    fn element(&self, entry: &EntryState, object: u32) -> Option<Element> {
        let mut leads = entry.args.iter().enumerate().filter(
            |(_, arg)| matches!(arg, Value::Pointer(p) if p.target == PointerTarget::Object(object)),
        );
        let first = leads.next()?.0;
        match self.hidden.get(first) {
            Some(false) => self.elements.get(first).copied().flatten(),
            _ => None,
        }
    }
}

fn element(program: &Program, target: CTypeId) -> Element {
    let types = &program.ctypes;
    let size = types.size(target).unwrap_or(1).max(1) as usize;
    let kind = match types.get(types.resolve(target)) {
        CType::Int { name, width: 8, .. } if name.contains("char") => ElementKind::Text,
        CType::Int { width, .. } | CType::Enum { width, .. } => {
            ElementKind::Number(Type::Int((*width).next_multiple_of(8)))
        }
        CType::Float { width: 32, .. } => ElementKind::Number(Type::Float(FloatKind::Single)),
        CType::Float { width: 64, .. } => ElementKind::Number(Type::Float(FloatKind::Double)),
        _ => ElementKind::Bytes,
    };
    Element { size, kind }
}

struct Shrinker<'a> {
    shape: StateTypes,
    best: EntryState,
    still: &'a mut dyn FnMut(&EntryState) -> bool,
    budget: u32,
}

impl Shrinker<'_> {
    /// Takes a state if it is simpler and still shows what it should.
    fn attempt(&mut self, state: EntryState) -> bool {
        if self.budget == 0 || self.measure(&state) >= self.measure(&self.best) {
            return false;
        }
        self.budget -= 1;
        let taken = (self.still)(&state);
        if taken {
            self.best = state;
        }
        taken
    }

    /// Tries a change of the best state so far.
    fn with(&mut self, change: impl FnOnce(&mut EntryState)) -> bool {
        let mut state = self.best.clone();
        change(&mut state);
        self.attempt(state)
    }

    fn outside(&mut self) {
        self.with(|state| state.outside = Default::default());
        self.with(|state| state.outside.seed = 0);
        let mut at = 0;
        while at < self.best.outside.answers.len() {
            let plain = |answer: &mut Answer| {
                answer.writes.clear();
                answer.fills.clear();
            };
            if !self.with(|state| drop(state.outside.answers.remove(at))) {
                self.with(|state| plain(&mut state.outside.answers[at]));
                at += 1;
            }
        }
        for at in (0..self.best.outside.given.len()).rev() {
            if !self.with(|state| drop(state.outside.given.remove(at))) {
                let null = |state: &mut EntryState| {
                    state.outside.given[at].pointers.retain(|p| *p != Pointer::NULL);
                };
                self.with(null);
            }
        }
        self.with(|state| state.outside.beyond = None);
        self.with(|state| state.outside.failures.clear());
        let mut at = 0;
        while at < self.best.outside.failures.len() {
            let fewer = |state: &mut EntryState| {
                state.outside.failures.remove(at);
            };
            if !self.with(fewer) {
                at += 1;
            }
        }
        self.writes();
    }

    /// Leaves out what unknown functions write, piece by piece.
    fn writes(&mut self) {
        for answer in 0..self.best.outside.answers.len() {
            let mut at = 0;
            while at < self.best.outside.answers[answer].writes.len() {
                if !self.with(|state| drop(state.outside.answers[answer].writes.remove(at))) {
                    at += 1;
                }
            }
            let mut at = 0;
            while at < self.best.outside.answers[answer].fills.len() {
                if !self.with(|state| drop(state.outside.answers[answer].fills.remove(at))) {
                    at += 1;
                }
            }
        }
    }

    fn globals(&mut self) {
        self.with(|state| state.globals.clear());
        let mut at = 0;
        while at < self.best.globals.len() {
            if !self.with(|state| drop(state.globals.remove(at))) {
                at += 1;
            }
        }
    }

    fn pointers(&mut self) {
        for index in 0..self.best.args.len() {
            if self.shape.hidden.get(index) != Some(&false)
                || self.shape.types.get(index) != Some(&Type::Ptr)
            {
                continue;
            }
            let null = |state: &mut EntryState| {
                state.args[index] = Pointer::NULL.into();
                tidy(state);
            };
            if self.with(null) {
                continue;
            }
            self.with(|state| {
                if let Value::Pointer(pointer) = &mut state.args[index] {
                    pointer.offset = 0;
                }
            });
            self.with(|state| separate(state, index));
        }
        for object in 0..self.best.objects.len() {
            let mut at = 0;
            while self.best.objects.get(object).is_some_and(|o| at < o.contents.pointers.len()) {
                let null = |state: &mut EntryState| {
                    state.objects[object].contents.pointers.remove(at);
                };
                if !self.with(null) {
                    at += 1;
                }
            }
        }
        self.with(tidy);
    }

    fn numbers(&mut self) {
        for index in 0..self.best.args.len() {
            let Some(ty) = self.shape.types.get(index).copied() else { continue };
            while let Value::Bits(bits) = self.best.args[index] {
                let simpler = simpler(ty, bits);
                if !simpler
                    .into_iter()
                    .any(|bits| self.with(|state| state.args[index] = Value::Bits(bits)))
                {
                    break;
                }
            }
        }
    }

    /// Makes objects shorter: at the end, just before their last element (which may end a string), or in front.
    fn lengths(&mut self) {
        for object in 0..self.best.objects.len() {
            let Some(element) = self.shape.element(&self.best, object as u32) else { continue };
            let mut step = self.best.objects[object].size() as usize / element.size;
            while step > 0 {
                let size = self.best.objects[object].size() as usize;
                let count = size / element.size;
                let fewer = step.min(count.saturating_sub(1)) * element.size;
                let last = size.saturating_sub(element.size);
                let options = [size - fewer..size, last.saturating_sub(fewer)..last, 0..fewer];
                if fewer == 0
                    || !options.into_iter().any(|range| {
                        range.len() == fewer && self.with(|state| shorten(state, object, range))
                    })
                {
                    step /= 2;
                }
            }
        }
    }

    /// Makes what objects and globals hold simpler, first all of it, then halves, then one by one.
    fn contents(&mut self) {
        for object in 0..self.best.objects.len() {
            let element = self
                .shape
                .element(&self.best, object as u32)
                .unwrap_or(Element { size: 1, kind: ElementKind::Bytes });
            self.plain(element, &|state| &mut state.objects[object].contents);
        }
        for global in 0..self.best.globals.len() {
            let element = Element { size: 1, kind: ElementKind::Bytes };
            self.plain(element, &|state| &mut state.globals[global].1);
        }
    }

    fn plain(
        &mut self,
        element: Element,
        contents: &dyn for<'s> Fn(&'s mut EntryState) -> &'s mut Contents,
    ) {
        let size = contents(&mut self.best).bytes.len();
        let simplest = if element.kind == ElementKind::Text { b'a' } else { 0 };
        let mut step = size;
        while step >= element.size && step > 0 {
            let mut at = 0;
            while at < size {
                let end = (at + step).min(size);
                self.with(|state| set(contents(state), at..end, simplest));
                at += step;
            }
            step = step / 2 / element.size * element.size;
        }
        let ElementKind::Number(ty) = element.kind else {
            if element.kind == ElementKind::Text {
                // What must end a string or differ from it, at least.
                for at in 0..size {
                    for byte in [b'b', 0] {
                        self.with(|state| set(contents(state), at..at + 1, byte));
                    }
                }
            }
            return;
        };
        for at in (0..size / element.size).map(|index| index * element.size) {
            loop {
                let bytes = &contents(&mut self.best).bytes[at..at + element.size];
                let mut word = [0; 16];
                word[..element.size].copy_from_slice(bytes);
                let options = simpler(ty, u128::from_le_bytes(word));
                let mut put = |bits: u128| {
                    self.with(|state| {
                        let place = &mut contents(state).bytes[at..at + element.size];
                        place.copy_from_slice(&bits.to_le_bytes()[..element.size]);
                    })
                };
                if !options.into_iter().any(&mut put) {
                    break;
                }
            }
        }
    }

    /// How complicated a state is; what weighs more comes first.
    fn measure(&self, state: &EntryState) -> [u128; 9] {
        let mut measure = [0; 9];
        let written = |answer: &Answer| answer.writes.len() + answer.fills.len();
        let outside = &state.outside;
        measure[0] = (outside.answers.iter().map(|answer| 1 + written(answer)).sum::<usize>()
            + outside.given.iter().map(|given| 1 + given.pointers.len()).sum::<usize>()
            + usize::from(outside.beyond.is_some())
            + outside.failures.len()) as u128;
        measure[1] = u128::from(outside.seed != 0);
        measure[2] = state.globals.len() as u128;
        measure[3] = shared(state) as u128;
        let contents = || {
            let objects = state.objects.iter().map(|o| &o.contents);
            objects.chain(state.globals.iter().map(|(_, contents)| contents))
        };
        let pointers = state.args.iter().filter_map(|arg| match arg {
            Value::Pointer(pointer) => Some(*pointer),
            Value::Bits(_) => None,
        });
        let links = contents().flat_map(|contents| contents.pointers.iter().map(|link| link.to));
        for pointer in pointers.chain(links).chain(outside.pointers().copied()) {
            measure[4] += u128::from(pointer.target != PointerTarget::Null);
            measure[5] += u128::from(pointer.offset.unsigned_abs());
        }
        measure[6] = state.objects.iter().map(|o| u128::from(o.size()) + 1).sum();
        for (index, object) in state.objects.iter().enumerate() {
            let kind = self.shape.element(state, index as u32);
            measure[7] += weight(&object.contents.bytes, kind);
        }
        measure[7] += state.globals.iter().map(|(_, c)| weight(&c.bytes, None)).sum::<u128>();
        for (index, arg) in state.args.iter().enumerate() {
            if let Value::Bits(bits) = arg {
                let ty = self.shape.types.get(index).copied().unwrap_or(Type::WORD);
                measure[8] += cost(ty, *bits);
            }
        }
        measure
    }
}

/// Bytes become simple; pointers in them are lost.
fn set(contents: &mut Contents, range: std::ops::Range<usize>, byte: u8) {
    let below = |at: usize| {
        contents.pointers.iter().any(|l| (l.offset as usize..l.offset as usize + 8).contains(&at))
    };
    let free: Vec<usize> = range.filter(|at| !below(*at)).collect();
    for at in free {
        contents.bytes[at] = byte;
    }
}

/// Takes bytes out of an object; the pointers behind them move, those among them are lost.
fn shorten(state: &mut EntryState, object: usize, range: std::ops::Range<usize>) {
    let contents = &mut state.objects[object].contents;
    contents.bytes.drain(range.clone());
    let length = (range.end - range.start) as u64;
    contents
        .pointers
        .retain(|link| link.offset + 8 <= range.start as u64 || link.offset >= range.end as u64);
    for link in &mut contents.pointers {
        if link.offset >= range.end as u64 {
            link.offset -= length;
        }
    }
}

/// Gives an argument an object of its own.
fn separate(state: &mut EntryState, index: usize) {
    let Value::Pointer(Pointer { target: PointerTarget::Object(object), .. }) = state.args[index]
    else {
        return;
    };
    let copy = state.objects[object as usize].clone();
    if let Value::Pointer(pointer) = &mut state.args[index] {
        pointer.target = PointerTarget::Object(state.objects.len() as u32);
    }
    state.objects.push(copy);
}

/// How many arguments lead to what another one leads to.
fn shared(state: &EntryState) -> usize {
    let target = |arg: &Value| match arg {
        Value::Pointer(p) if matches!(p.target, PointerTarget::Object(_)) => Some(p.target),
        _ => None,
    };
    let mut seen = std::collections::BTreeSet::new();
    state.args.iter().filter_map(target).filter(|target| !seen.insert(*target)).count()
}

/// Removes objects that nothing leads to.
fn tidy(state: &mut EntryState) {
    let mut used = vec![false; state.objects.len()];
    let object = |pointer: &Pointer| match pointer.target {
        PointerTarget::Object(index) => Some(index as usize),
        _ => None,
    };
    let mut work: Vec<usize> = state
        .args
        .iter()
        .filter_map(|arg| match arg {
            Value::Pointer(pointer) => object(pointer),
            Value::Bits(_) => None,
        })
        .chain(
            state.globals.iter().flat_map(|(_, c)| c.pointers.iter().filter_map(|l| object(&l.to))),
        )
        .chain(state.outside.pointers().filter_map(object))
        .collect();
    while let Some(index) = work.pop() {
        if index < used.len() && !std::mem::replace(&mut used[index], true) {
            work.extend(
                state.objects[index].contents.pointers.iter().filter_map(|l| object(&l.to)),
            );
        }
    }
    let numbers: Vec<u32> = used
        .iter()
        .scan(0, |next, used| {
            let number = *next;
            *next += u32::from(*used);
            Some(number)
        })
        .collect();
    let renumber = |pointer: &mut Pointer| {
        if let PointerTarget::Object(index) = &mut pointer.target
            && let Some(number) = numbers.get(*index as usize)
        {
            *index = *number;
        }
    };
    for arg in &mut state.args {
        if let Value::Pointer(pointer) = arg {
            renumber(pointer);
        }
    }
    state.outside.pointers_mut().for_each(renumber);
    let mut kept: Vec<Object> = vec![];
    for (object, used) in std::mem::take(&mut state.objects).into_iter().zip(&used) {
        if *used {
            kept.push(object);
        }
    }
    state.objects = kept;
    let contents = state
        .objects
        .iter_mut()
        .map(|o| &mut o.contents)
        .chain(state.globals.iter_mut().map(|(_, contents)| contents));
    contents.flat_map(|c| &mut c.pointers).for_each(|link| renumber(&mut link.to));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::build::example_double;

    fn shrink(args: &[i32], still: impl Fn(&[i32]) -> bool) -> (Vec<i32>, u32) {
        let program = example_double();
        let entry = EntryState {
            args: args.iter().map(|arg| Value::Bits(u128::from(*arg as u32))).collect(),
            ..EntryState::default()
        };
        let mut asked = 0;
        let numbers = |state: &EntryState| -> Vec<i32> {
            let number = |arg: &Value| match arg {
                Value::Bits(bits) => *bits as i32,
                Value::Pointer(_) => 0,
            };
            state.args.iter().map(number).collect()
        };
        let mut ask = |state: &EntryState| {
            asked += 1;
            still(&numbers(state))
        };
        let least = minimise(&program, ProcId(0), &Frame::default(), &entry, &mut ask, 400);
        (numbers(&least), asked)
    }

    #[test]
    fn numbers_go_to_the_edge_of_what_matters() {
        assert_eq!(shrink(&[-123_456], |_| true).0, [0]);
        assert_eq!(shrink(&[123_456_789], |x| x[0] > 1000).0, [1001]);
        assert_eq!(shrink(&[i32::MIN], |x| x[0] < -7).0, [-8]);
        assert_eq!(shrink(&[i32::MIN], |x| x[0] == i32::MIN).0, [i32::MIN]);
        assert_eq!(shrink(&[0x1234_5670], |x| x[0] > 0 && x[0] & 0x40 != 0).0, [0x40]);
        assert!(shrink(&[987_654_321], |x| x[0] > 123_456_789).1 < 400);
    }
}
