//! Whether two compiled runs showed that they differ.
//!
//! Each did what the interpreter said, but only as far as that could be compared. So the interpreter's two
//! outcomes are reduced to what was seen of each, made comparable (where one side is not
//! certain, neither counts), and compared again.

use super::events::PRINTED;
use super::memory::forget;
use crate::compiled::CompiledOutcome;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use verdiff_judge::RunEnd;
use verdiff_model::state::{
    Contents, Difference, End, EntryState, Event, FreshObject, ObjectEnd, Outcome, Payload,
    Pointer, PointerTarget, Run, Value, alike, compare_by_number, standard_stream,
};
use verdiff_model::{GlobalId, Program};

/// An outcome as far as a compiled run was seen to have it.
#[derive(Clone, Debug)]
pub(crate) struct ObservedOutcome {
    pub(crate) outcome: Outcome,
    /// Where the run had its new objects.
    pub(super) made: BTreeMap<u32, u64>,
    /// Arguments of events that are not certain: event and argument.
    pub(super) unsure: Vec<(usize, usize)>,
    /// Globals of which nothing was seen.
    pub(super) unseen: Vec<GlobalId>,
}

/// One side, for [`observed_difference`].
#[derive(Clone, Copy)]
pub(crate) struct ObservedSide<'a> {
    pub(crate) program: &'a Program,
    pub(crate) entry: &'a EntryState,
    pub(crate) shown: &'a ObservedOutcome,
    /// How the compiled run ended: two that are the same were not told apart.
    pub(crate) ended: &'a RunEnd,
    /// What the compiled run left behind.
    pub(crate) left: &'a CompiledOutcome,
}

/// The difference that both compiled runs together showed; `None` if they showed none.
pub(crate) fn observed_difference(
    old: ObservedSide<'_>,
    new: ObservedSide<'_>,
) -> Option<Difference> {
    let ((mut a, mut unsure), (mut b, more)) = (prepared(old), prepared(new));
    unsure.extend(more);
    if let (End::Trapped { .. }, End::Trapped { .. }) = (&a.end, &b.end)
        && old.ended == new.ended
    {
        b.end = a.end.clone();
    }
    if let (End::Returned(x), End::Returned(y)) = (&mut a.end, &mut b.end) {
        // Another number of results is another type, not another behaviour.
        let shared = x.len().min(y.len());
        x.truncate(shared);
        y.truncate(shared);
        for (x, y) in x.iter_mut().zip(y) {
            if x.value.is_none() || y.value.is_none() || x.ty != y.ty {
                (x.value, y.value) = (None, None);
            }
        }
    }
    let events = a.world.events.iter_mut().zip(&mut b.world.events);
    for (index, (x, y)) in events.enumerate() {
        level(index, x, y, &unsure);
    }
    let unseen: BTreeSet<&str> = [old, new]
        .iter()
        .flat_map(|side| side.shown.unseen.iter().map(|id| side.program.global(*id).identity()))
        .collect();
    a.globals.retain(|(id, _)| !unseen.contains(old.program.global(*id).identity()));
    b.globals.retain(|(id, _)| !unseen.contains(new.program.global(*id).identity()));
    // What one side reaches and the other does not, or what only one was seen to hold, does not count.
    if let Some(both) = alike(run(old, &a), run(new, &b)) {
        [a, b] = both;
    }
    for (x, y) in a.fresh.iter_mut().zip(&mut b.fresh) {
        if x.contents.is_none() || y.contents.is_none() {
            (x.contents, y.contents) = (None, None);
        }
    }
    let found = compare_by_number(run(old, &a), run(new, &b))?;
    match found {
        Difference::Inconclusive | Difference::Initialisation { .. } => None,
        shown if is_the_same(&shown, (old, &a), (new, &b)) => None,
        shown => Some(shown),
    }
}

fn run<'a>(side: ObservedSide<'a>, outcome: &'a Outcome) -> Run<'a> {
    Run { program: side.program, entry: side.entry, outcome }
}

/// The last word is that of the bytes: what is equal in both compiled runs is no difference, whatever it
/// was taken for. Only two pointers may be equal as numbers and lead to different things.
fn is_the_same(
    difference: &Difference,
    (old, a): (ObservedSide<'_>, &Outcome),
    (new, b): (ObservedSide<'_>, &Outcome),
) -> bool {
    match difference {
        Difference::Result { left, right, .. } => {
            let pointer = |value: &Option<Value>| matches!(value, Some(Value::Pointer(_)));
            let pointers = pointer(&left.value) && pointer(&right.value);
            !pointers && !old.left.results.is_empty() && old.left.results == new.left.results
        }
        Difference::Memory { place, offset: Some(offset) } => {
            let Some(index) = place.strip_prefix("object ").and_then(|n| n.parse::<usize>().ok())
            else {
                return false;
            };
            let is_link = |side: ObservedSide<'_>, outcome: &Outcome| {
                let contents = match outcome.objects.get(index) {
                    Some(ObjectEnd::Written(contents)) => Some(contents),
                    _ => side.entry.objects.get(index).map(|object| &object.contents),
                };
                contents.is_some_and(|c| c.pointers.iter().any(|link| link.offset == *offset))
            };
            let bytes =
                |side: ObservedSide<'_>| side.left.objects.get(index).map(|o| o.bytes.clone());
            !(is_link(old, a) && is_link(new, b))
                && bytes(old).is_some()
                && bytes(old) == bytes(new)
        }
        _ => false,
    }
}

/// An outcome in terms that both sides share: streams by number, the exit status as a parent sees it,
/// new objects numbered by where they are. With it, which arguments of which events are not certain.
fn prepared(side: ObservedSide<'_>) -> (Outcome, BTreeSet<(usize, usize)>) {
    let mut outcome = side.shown.outcome.clone();
    if let End::Exited(status) = &mut outcome.end {
        *status &= 0xff;
    }
    for event in &mut outcome.world.events {
        if let Event::Call { name, args, .. } = event
            && name == PRINTED
        {
            for arg in args {
                if let Some(number) = standard_stream(side.program, *arg) {
                    *arg = Value::Bits(number.into());
                }
            }
        }
    }
    let mut merged: Vec<Event> = vec![];
    let mut unsure = BTreeSet::new();
    for (index, event) in outcome.world.events.drain(..).enumerate() {
        if let (
            Some(Event::Call { name: last, args: to, payloads: all, .. }),
            Event::Call { name, args, payloads, .. },
        ) = (merged.last_mut(), &event)
            && last == PRINTED
            && name == PRINTED
            && to == args
            && let (Some(all), Some(more)) = (all.first_mut(), payloads.first())
        {
            // To a stream and to its descriptor: the same bytes in the end.
            all.contents.bytes.extend(&more.contents.bytes);
        } else {
            let mine = side.shown.unsure.iter().filter(|(event, _)| *event == index);
            unsure.extend(mine.map(|(_, arg)| (merged.len(), *arg)));
            merged.push(event);
        }
    }
    outcome.world.count = merged.len() as u64;
    outcome.world.events = merged;
    let renumbering =
        Renumbering { made: &side.shown.made, numbers: HashMap::new(), order: vec![] };
    (renumbering.run(outcome), unsure)
}

/// Takes from two events what is not certain in one of them.
fn level(index: usize, x: &mut Event, y: &mut Event, unsure: &BTreeSet<(usize, usize)>) {
    let (
        Event::Call { name: n, args: a, payloads: p, .. },
        Event::Call { name: m, args: b, payloads: q, .. },
    ) = (x, y)
    else {
        return;
    };
    if n != m || n == PRINTED {
        return;
    }
    // How many arguments there are, a variadic function cannot see.
    let shared = a.len().min(b.len());
    a.truncate(shared);
    b.truncate(shared);
    let has = |list: &[Payload], arg: u32| list.iter().any(|payload| payload.arg == arg);
    // What is behind a pointer was seen even where the pointer itself is not certain.
    let both = |arg: u32| (arg as usize) < shared;
    let (in_p, in_q) = (p.clone(), q.clone());
    p.retain(|payload| both(payload.arg) && has(&in_q, payload.arg));
    q.retain(|payload| both(payload.arg) && has(&in_p, payload.arg));
    for (at, (x, y)) in a.iter_mut().zip(b).enumerate() {
        if unsure.contains(&(index, at)) {
            (*x, *y) = (Value::Bits(0), Value::Bits(0));
        }
    }
    for (x, y) in p.iter_mut().zip(q) {
        // How large the object is that a pointer leads to, nobody can see.
        let shared = x.contents.bytes.len().min(y.contents.bytes.len());
        let mut certain = vec![true; shared];
        for contents in [&mut x.contents, &mut y.contents] {
            cut(contents, shared);
            for range in &contents.unset {
                certain[range.start as usize..range.end as usize].fill(false);
            }
        }
        // Pointers are lost as a whole, so one may take further bytes of the other with it.
        for _ in 0..2 {
            for contents in [&mut x.contents, &mut y.contents] {
                forget(contents, &certain);
                for range in &contents.unset {
                    certain[range.start as usize..range.end as usize].fill(false);
                }
            }
        }
    }
}

/// Leaves only the first bytes.
pub(super) fn cut(contents: &mut Contents, length: usize) {
    let certain: Vec<bool> = {
        let mut certain = vec![true; contents.bytes.len()];
        for range in &contents.unset {
            certain[range.start as usize..range.end as usize].fill(false);
        }
        // A pointer that is cut through has no value.
        for link in &contents.pointers {
            if link.offset as usize + 8 > length {
                let end = (link.offset as usize + 8).min(certain.len());
                certain[link.offset as usize..end].fill(false);
            }
        }
        certain
    };
    contents.pointers.retain(|link| link.offset as usize + 8 <= length);
    contents.bytes.truncate(length);
    forget(contents, &certain[..length]);
}

/// Numbers new objects by the order in which the outcome mentions their addresses: two objects at one address, one
/// after the other, cannot be told apart from outside.
struct Renumbering<'a> {
    made: &'a BTreeMap<u32, u64>,
    numbers: HashMap<u64, u32>,
    /// For each number, the model's objects there.
    order: Vec<Vec<u32>>,
}

impl Renumbering<'_> {
    fn run(mut self, mut outcome: Outcome) -> Outcome {
        for event in &mut outcome.world.events {
            if let Event::Call { args, payloads, .. } = event {
                args.iter_mut().for_each(|arg| self.value(arg));
                payloads.iter_mut().for_each(|payload| self.contents(&mut payload.contents));
            }
        }
        if let End::Returned(values) = &mut outcome.end {
            values.iter_mut().filter_map(|v| v.value.as_mut()).for_each(|v| self.value(v));
        }
        for object in &mut outcome.objects {
            if let ObjectEnd::Written(contents) = object {
                self.contents(contents);
            }
        }
        outcome.globals.iter_mut().for_each(|(_, contents)| self.contents(contents));
        let mut fresh: Vec<FreshObject> = vec![];
        while let Some(numbers) = self.order.get(fresh.len()).cloned() {
            let holds = |number: &u32| outcome.fresh.get(*number as usize)?.contents.clone();
            let mut contents = numbers.iter().find_map(holds);
            if let Some(contents) = &mut contents {
                self.contents(contents);
            }
            fresh.push(FreshObject { contents });
        }
        outcome.fresh = fresh;
        outcome
    }

    fn value(&mut self, value: &mut Value) {
        if let Value::Pointer(pointer) = value {
            self.pointer(pointer);
        }
    }

    fn contents(&mut self, contents: &mut Contents) {
        contents.pointers.iter_mut().for_each(|link| self.pointer(&mut link.to));
    }

    fn pointer(&mut self, pointer: &mut Pointer) {
        let PointerTarget::Fresh(number) = pointer.target else { return };
        // Unknown places are told apart from all others by the number itself.
        let base = self.made.get(&number).copied().unwrap_or(u64::from(number));
        let next = self.order.len() as u32;
        let new = *self.numbers.entry(base).or_insert(next);
        if new == next {
            self.order.push(vec![]);
        }
        self.order[new as usize].push(number);
        pointer.target = PointerTarget::Fresh(new);
    }
}
