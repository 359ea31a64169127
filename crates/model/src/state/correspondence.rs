//! Which new objects of two runs correspond.
//!
//! An outcome numbers the objects that its run made as it finds them: in events, results, objects of the entry state, and
//! then in globals in the order of their ids. That order is the program's own: clang declares a global where it is first
//! used, and a version may have globals that the other one lacks. So the same number may stand for different
//! objects in two versions.
//!
//! Here both outcomes are walked through together, from what an observer sees of both: the objects that two pointers at the same
//! place lead to correspond. An object that is reached on one side only has no counterpart: either it is found
//! behind a difference, which is reported anyway, or nobody who can see both versions can get there.
//!
//! ✗ `p = malloc(8); q = calloc(1, 8);` against the same in the other order: with the program's own numbers, `p` is
//! the first new object of one version and the second one of the other.

use super::compare::{Run, final_global};
use super::entry::{Contents, Pointer, PointerTarget, Value};
use super::outcome::{End, Event, FreshObject, ObjectEnd, Outcome};
use crate::ids::GlobalId;
use std::collections::{HashMap, HashSet};

/// Both outcomes with new objects numbered alike: those with a counterpart first, which alone are listed. The others have
/// numbers that nothing in the other outcome has. `None` if no run made any.
pub(super) fn numbered_alike(
    left: Run<'_>,
    right: Run<'_>,
    globals: &[(GlobalId, GlobalId)],
) -> Option<[Outcome; 2]> {
    if left.outcome.fresh.is_empty() && right.outcome.fresh.is_empty() {
        return None;
    }
    let mut pairing = Pairing::default();
    pairing.outcomes(left, right, globals);
    let renumbered = |side: usize, outcome: &Outcome| {
        let pairs = || pairing.pairs.iter().map(|pair| pair[side]);
        let numbers: HashMap<u32, u32> = pairs().zip(0..).collect();
        let mut outcome = outcome.clone();
        let held = |number: u32| outcome.fresh.get(number as usize).cloned();
        let listed = pairs().map(|n| held(n).unwrap_or(FreshObject { contents: None }));
        outcome.fresh = listed.collect();
        each_pointer(&mut outcome, &mut |pointer| {
            if let PointerTarget::Fresh(number) = &mut pointer.target {
                *number = numbers.get(number).copied().unwrap_or(*number | UNPAIRED[side]);
            }
        });
        outcome
    };
    Some([renumbered(0, left.outcome), renumbered(1, right.outcome)])
}

/// What numbers of objects without a counterpart have that others do not, on either side.
const UNPAIRED: [u32; 2] = [1 << 30, 1 << 31];

/// The new objects that correspond, as they are found.
#[derive(Default)]
struct Pairing {
    pairs: Vec<[u32; 2]>,
    paired: [HashSet<u32>; 2],
}

impl Pairing {
    fn outcomes(&mut self, left: Run<'_>, right: Run<'_>, globals: &[(GlobalId, GlobalId)]) {
        let (a, b) = (left.outcome, right.outcome);
        for (x, y) in a.world.events.iter().zip(&b.world.events) {
            self.events(x, y);
        }
        if let (End::Returned(x), End::Returned(y)) = (&a.end, &b.end) {
            for (x, y) in x.iter().zip(y) {
                if let (Some(x), Some(y)) = (x.value, y.value) {
                    self.values(x, y);
                }
            }
        }
        for (index, (x, y)) in a.objects.iter().zip(&b.objects).enumerate() {
            let held = |run: Run<'_>, end: &ObjectEnd| match end {
                ObjectEnd::Written(contents) => Some(contents.clone()),
                ObjectEnd::Untouched => Some(run.entry.objects.get(index)?.contents.clone()),
                ObjectEnd::Freed => None,
            };
            if let (ObjectEnd::Untouched, ObjectEnd::Untouched) = (x, y) {
                continue;
            }
            if let (Some(x), Some(y)) = (held(left, x), held(right, y)) {
                self.contents(&x, &y);
            }
        }
        for (x, y) in globals {
            self.contents(&final_global(left, *x), &final_global(right, *y));
        }
        // What is in one may lead to others, which then come later in this list.
        let mut next = 0;
        while let Some([x, y]) = self.pairs.get(next).copied() {
            next += 1;
            let held = |outcome: &Outcome, number: u32| {
                outcome.fresh.get(number as usize).and_then(|object| object.contents.clone())
            };
            if let (Some(x), Some(y)) = (held(a, x), held(b, y)) {
                self.contents(&x, &y);
            }
        }
    }

    fn events(&mut self, x: &Event, y: &Event) {
        match (x, y) {
            (
                Event::Call { args: x, payloads: p, .. },
                Event::Call { args: y, payloads: q, .. },
            ) => {
                x.iter().zip(y).for_each(|(x, y)| self.values(*x, *y));
                for (p, q) in p.iter().zip(q) {
                    self.contents(&p.contents, &q.contents);
                }
            }
            (
                Event::VolatileRead { address: x, .. } | Event::VolatileWrite { address: x, .. },
                Event::VolatileRead { address: y, .. } | Event::VolatileWrite { address: y, .. },
            ) => self.values(*x, *y),
            (
                Event::VolatileBlock { address: x, contents: c },
                Event::VolatileBlock { address: y, contents: d },
            ) => {
                self.values(*x, *y);
                self.contents(c, d);
            }
            _ => {}
        }
    }

    fn contents(&mut self, x: &Contents, y: &Contents) {
        for link in &x.pointers {
            if let Ok(at) = y.pointers.binary_search_by_key(&link.offset, |other| other.offset) {
                self.pointers(link.to, y.pointers[at].to);
            }
        }
    }

    fn values(&mut self, x: Value, y: Value) {
        if let (Value::Pointer(x), Value::Pointer(y)) = (x, y) {
            self.pointers(x, y);
        }
    }

    fn pointers(&mut self, x: Pointer, y: Pointer) {
        let (PointerTarget::Fresh(x), PointerTarget::Fresh(y)) = (x.target, y.target) else {
            return;
        };
        let [left, right] = &mut self.paired;
        if !left.contains(&x) && !right.contains(&y) {
            left.insert(x);
            right.insert(y);
            self.pairs.push([x, y]);
        }
    }
}

/// All pointers that are compared.
fn each_pointer(outcome: &mut Outcome, change: &mut dyn FnMut(&mut Pointer)) {
    fn value(value: &mut Value, change: &mut dyn FnMut(&mut Pointer)) {
        if let Value::Pointer(pointer) = value {
            change(pointer);
        }
    }
    fn contents(contents: &mut Contents, change: &mut dyn FnMut(&mut Pointer)) {
        contents.pointers.iter_mut().for_each(|link| change(&mut link.to));
    }
    for event in &mut outcome.world.events {
        match event {
            Event::Call { args, payloads, .. } => {
                args.iter_mut().for_each(|arg| value(arg, change));
                payloads.iter_mut().for_each(|payload| contents(&mut payload.contents, change));
            }
            Event::VolatileRead { address, .. } | Event::VolatileWrite { address, .. } => {
                value(address, change);
            }
            Event::VolatileBlock { address, contents: block } => {
                value(address, change);
                contents(block, change);
            }
        }
    }
    if let End::Returned(results) = &mut outcome.end {
        results.iter_mut().filter_map(|r| r.value.as_mut()).for_each(|v| value(v, change));
    }
    for object in &mut outcome.objects {
        if let ObjectEnd::Written(written) = object {
            contents(written, change);
        }
    }
    outcome.globals.iter_mut().for_each(|(_, held)| contents(held, change));
    for object in &mut outcome.fresh {
        if let Some(held) = &mut object.contents {
            contents(held, change);
        }
    }
}
