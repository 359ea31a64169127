//! Objects that calls of the program's own functions left behind ([`super::constructed`]).

use verdiff_model::state::{
    Contents, End, EntryState, Object, ObjectEnd, Outcome, Pointer, PointerTarget, Value,
};

/// No scene has more objects or bytes.
const OBJECTS: usize = 64;
const BYTES: u64 = 96 << 10;

/// Objects, and what is known to lie among them.
#[derive(Clone, Default)]
pub(super) struct Scene {
    pub(super) state: EntryState,
    pub(super) roots: Vec<Root>,
}

/// A pointer to a struct.
#[derive(Clone, PartialEq, Eq)]
pub(super) struct Root {
    pub(super) record: String,
    pub(super) pointer: Pointer,
}

/// What a call that returned left behind.
pub(super) fn after(
    entry: EntryState,
    outcome: Outcome,
    mut roots: Vec<Root>,
    places: &[(String, Pointer)],
    result: Option<String>,
) -> Option<Scene> {
    let End::Returned(results) = &outcome.end else { return None };
    if let (Some(record), Some(Value::Pointer(pointer))) =
        (result, results.first().and_then(|result| result.value))
    {
        roots.push(Root { record, pointer });
    }
    // Those of the call's own come after those that were there.
    let known = entry.objects.len() as u32;
    let alive: Vec<bool> = outcome
        .objects
        .iter()
        .map(|end| *end != ObjectEnd::Freed)
        .chain(outcome.fresh.iter().map(|fresh| fresh.contents.is_some()))
        .collect();
    let moved = |pointer: Pointer| {
        let index = match pointer.target {
            PointerTarget::Object(index) => index,
            PointerTarget::Fresh(index) => known + index,
            _ => return pointer,
        };
        match alive.get(index as usize) {
            Some(true) => Pointer { target: PointerTarget::Object(index), ..pointer },
            _ => Pointer::NULL,
        }
    };
    let settled = |mut contents: Contents| {
        contents.unset.clear();
        contents.pointers.iter_mut().for_each(|link| link.to = moved(link.to));
        contents
    };
    let mut objects = vec![];
    for (object, end) in entry.objects.into_iter().zip(outcome.objects) {
        let contents = match end {
            ObjectEnd::Written(contents) => contents,
            ObjectEnd::Untouched | ObjectEnd::Freed => object.contents,
        };
        objects.push(Object { align: object.align, contents: settled(contents) });
    }
    for fresh in outcome.fresh {
        objects.push(Object { align: 16, contents: settled(fresh.contents.unwrap_or_default()) });
    }
    let globals = outcome.globals.into_iter();
    let globals = globals.map(|(id, contents)| (id, settled(contents))).collect();
    for (record, place) in places {
        if let PointerTarget::Object(index) = place.target
            && let Some(link) = objects[index as usize].contents.pointers.first()
        {
            roots.push(Root { record: record.clone(), pointer: link.to });
        }
    }
    roots.iter_mut().for_each(|root| root.pointer = moved(root.pointer));
    roots.retain(|root| matches!(root.pointer.target, PointerTarget::Object(_)));
    let mut kept: Vec<Root> = vec![];
    for root in roots {
        if !kept.contains(&root) {
            kept.push(root);
        }
    }
    let state = EntryState { objects, globals, ..EntryState::default() };
    let state = without_unreachable(state, &mut kept);
    let bytes: u64 = state.objects.iter().map(Object::size).sum();
    let small = state.objects.len() <= OBJECTS && bytes <= BYTES;
    (small && !kept.is_empty()).then_some(Scene { state, roots: kept })
}

/// A state without the objects that nothing leads to, neither a root nor an argument nor a global.
pub(super) fn without_unreachable(mut state: EntryState, roots: &mut [Root]) -> EntryState {
    let mut reached = vec![false; state.objects.len()];
    let mut work: Vec<usize> = vec![];
    let mut reach = |pointer: Pointer, work: &mut Vec<usize>| {
        if let PointerTarget::Object(index) = pointer.target
            && let Some(seen) = reached.get_mut(index as usize)
            && !std::mem::replace(seen, true)
        {
            work.push(index as usize);
        }
    };
    let arguments = state.args.iter().filter_map(|value| match value {
        Value::Pointer(pointer) => Some(*pointer),
        Value::Bits(_) => None,
    });
    let globals = state.globals.iter().flat_map(|(_, contents)| &contents.pointers);
    let globals = globals.map(|link| link.to);
    let outside = state.outside.pointers().copied();
    let all = roots.iter().map(|root| root.pointer).chain(arguments).chain(globals).chain(outside);
    all.for_each(|pointer| reach(pointer, &mut work));
    while let Some(index) = work.pop() {
        for link in &state.objects[index].contents.pointers {
            reach(link.to, &mut work);
        }
    }
    let mut numbers = vec![0; reached.len()];
    let mut next = 0;
    for (number, reached) in numbers.iter_mut().zip(&reached) {
        *number = next;
        next += u32::from(*reached);
    }
    let renumber = |pointer: &mut Pointer| {
        if let PointerTarget::Object(index) = &mut pointer.target
            && let Some(number) = numbers.get(*index as usize)
        {
            *index = *number;
        }
    };
    let mut kept = reached.iter();
    state.objects.retain(|_| kept.next() == Some(&true));
    let objects = state.objects.iter_mut().map(|object| &mut object.contents);
    let globals = state.globals.iter_mut().map(|(_, contents)| contents);
    for link in objects.chain(globals).flat_map(|contents| &mut contents.pointers) {
        renumber(&mut link.to);
    }
    for value in &mut state.args {
        if let Value::Pointer(pointer) = value {
            renumber(pointer);
        }
    }
    state.outside.pointers_mut().for_each(renumber);
    roots.iter_mut().for_each(|root| renumber(&mut root.pointer));
    state
}
