//! Whether two outcomes are the same to an observer, and if not, why not.
//!
//! Following docs/internals/semantics.md: an outcome is how the run ended and the world at that point, and if
//! it returned, also its results and the memory that its caller can see. `longjmp` goes on in a caller, which sees
//! that memory, too. Floats are
//! equal if both are NaN; pointers are equal if they lead to the same object at the same
//! offset; fresh objects are equal up to renaming ([`correspondence`](super::correspondence)).

use super::correspondence::numbered_alike;
use super::entry::{Contents, EntryState, Pointer, PointerTarget, Value};
use super::outcome::{End, Event, ObjectEnd, Outcome, Returned, World};
use super::output::{Output, destination};
use crate::expr::Address;
use crate::ids::GlobalId;
use crate::interp;
use crate::ops;
use crate::program::{Global, Program};
use std::collections::HashSet;
use std::fmt;

/// A run: what it ran on, what it started from, how it ended.
#[derive(Clone, Copy)]
pub struct Run<'a> {
    /// The program.
    pub program: &'a Program,
    /// Where it started.
    pub entry: &'a EntryState,
    /// How it ended.
    pub outcome: &'a Outcome,
}

/// What differs between two outcomes.
#[derive(Clone, Debug, PartialEq)]
pub enum Difference {
    /// At least one run was stopped before it ended, so there is nothing to compare.
    Inconclusive,
    /// One returned, trapped or left, the other did something else; or they trapped differently.
    Termination {
        /// How the first ended.
        left: End,
        /// How the second ended.
        right: End,
    },
    /// A result differs.
    Result {
        /// Which.
        index: usize,
        /// The first run's.
        left: Returned,
        /// The second run's.
        right: Returned,
    },
    /// An event differs, or one world has more of them.
    World {
        /// Which event is the first that differs.
        index: usize,
    },
    /// A byte or pointer differs.
    Memory {
        /// In what, for people.
        place: String,
        /// Where in it; `None` if it is alive in only one.
        offset: Option<u64>,
    },
    /// A byte has a value in only one: unless it is padding, whoever reads it will trap there.
    Initialisation {
        /// In what, for people.
        place: String,
        /// Where in it.
        offset: u64,
    },
}

/// The first difference an observer would see, graver ones first; `None` if there is none.
///
/// The programs may be two versions: globals and functions correspond if their symbols
/// are equal, constants (string literals) also if their contents are.
pub fn compare(left: Run<'_>, right: Run<'_>) -> Option<Difference> {
    match alike(left, right) {
        Some([a, b]) => {
            compare_by_number(Run { outcome: &a, ..left }, Run { outcome: &b, ..right })
        }
        None => compare_by_number(left, right),
    }
}

/// Both outcomes with fresh objects that correspond under one number, for [`compare_by_number`]; `None` if they are so
/// already.
pub fn alike(left: Run<'_>, right: Run<'_>) -> Option<[Outcome; 2]> {
    numbered_alike(left, right, &Both { left, right }.global_pairs())
}

/// The same as [`compare`] where fresh objects of one number correspond.
pub fn compare_by_number(left: Run<'_>, right: Run<'_>) -> Option<Difference> {
    let (a, b) = (left.outcome, right.outcome);
    if !a.is_conclusive() || !b.is_conclusive() {
        return Some(Difference::Inconclusive);
    }
    let both = Both { left, right };
    let ended_alike = match (&a.end, &b.end) {
        (End::Trapped { trap: x, .. }, End::Trapped { trap: y, .. }) => x == y,
        (End::Returned(x), End::Returned(y)) => x.len() == y.len(),
        // A parent sees the low byte alone, as exact conditions and replays do.
        (End::Exited(x), End::Exited(y)) => x & 0xff == y & 0xff,
        (x, y) => x == y,
    };
    if !ended_alike {
        return Some(Difference::Termination { left: a.end.clone(), right: b.end.clone() });
    }
    if let Some(difference) = both.worlds() {
        return Some(difference);
    }
    if let (End::Returned(x), End::Returned(y)) = (&a.end, &b.end) {
        for (index, (x, y)) in x.iter().zip(y).enumerate() {
            if !both.same_result(x, y) {
                return Some(Difference::Result { index, left: *x, right: *y });
            }
        }
    } else if !(a.end.shows_memory(left.program) && b.end.shows_memory(right.program)) {
        return None;
    }
    both.memory()
}

/// What is seen of the events of a run.
enum Seen<'a> {
    /// Everything that is printed to one place without anything in between.
    Printed { to: Value, bytes: Vec<u8> },
    /// Another event.
    Event(&'a Event),
}

fn seen(run: Run<'_>) -> Vec<Seen<'_>> {
    let externals = &run.program.externals;
    let emulated: HashSet<&str> =
        externals.iter().filter(|e| interp::is_emulated(e)).map(|e| e.name.as_str()).collect();
    let mut list: Vec<Seen<'_>> = vec![];
    for event in &run.outcome.world.events {
        let output = match event {
            Event::Call { name, args, payloads, .. } if emulated.contains(name.as_str()) => {
                Output::of(run.program, name, args, payloads)
            }
            _ => Output::Unclear,
        };
        match output {
            Output::Nothing => {}
            Output::Unclear => list.push(Seen::Event(event)),
            Output::Printed { to, bytes } => {
                let to = destination(run.program, to);
                match list.last_mut() {
                    Some(Seen::Printed { to: last, bytes: all }) if *last == to => {
                        all.extend_from_slice(&bytes);
                    }
                    _ => list.push(Seen::Printed { to, bytes: bytes.into_owned() }),
                }
            }
        }
    }
    list
}

struct Both<'a> {
    left: Run<'a>,
    right: Run<'a>,
}

impl Both<'_> {
    fn same_result(&self, x: &Returned, y: &Returned) -> bool {
        match (x.value, y.value) {
            (Some(Value::Bits(a)), Some(Value::Bits(b))) => ops::same_value(x.ty, a, b),
            (Some(a), Some(b)) => self.same_value(a, b),
            (a, b) => a.is_none() == b.is_none(),
        }
    }

    fn same_value(&self, a: Value, b: Value) -> bool {
        match (a, b) {
            (Value::Bits(a), Value::Bits(b)) => a == b,
            (Value::Pointer(a), Value::Pointer(b)) => self.same_pointer(a, b),
            _ => false,
        }
    }

    fn same_pointer(&self, a: Pointer, b: Pointer) -> bool {
        a.offset == b.offset && self.same_target(a.target, b.target)
    }

    fn same_target(&self, a: PointerTarget, b: PointerTarget) -> bool {
        let (p, q) = (self.left.program, self.right.program);
        match (a, b) {
            (PointerTarget::Global(a), PointerTarget::Global(b)) => {
                let (x, y) = (p.global(a), q.global(b));
                let constants = x.constant && y.constant;
                if !(constants && x.init.is_some() && y.init.is_some()) {
                    return x.identity() == y.identity();
                }
                // The names of literals are the compiler's, so another text may have the same one; and
                // whoever gets a table sees what is in it, and what that leads to.
                let contents = |program: &Program, id| {
                    program.contents(id, &|id| program.procedure(id).symbol.clone())
                };
                contents(p, a) == contents(q, b)
            }
            (PointerTarget::Procedure(a), PointerTarget::Procedure(b)) => {
                p.procedure(a).symbol == q.procedure(b).symbol
            }
            (PointerTarget::External(a), PointerTarget::External(b)) => {
                p.external(a).name == q.external(b).name
            }
            (a, b) => a == b,
        }
    }

    fn worlds(&self) -> Option<Difference> {
        let (x, y) = (&self.left.outcome.world, &self.right.outcome.world);
        let differs = |(a, b): (&Event, &Event)| !self.same_event(a, b);
        let first = x.events.iter().zip(&y.events).position(differs);
        // The hash is over all events, those too that are not kept, and has of output the bytes alone.
        let same = x.hash == y.hash
            && (first.is_none() && x.events.len() == y.events.len() || {
                let complete = |world: &World| world.count == world.events.len() as u64;
                let (a, b) = (seen(self.left), seen(self.right));
                !complete(x)
                    || !complete(y)
                    || a.len() == b.len() && a.iter().zip(&b).all(|(a, b)| self.same_seen(a, b))
            });
        if same {
            return None;
        }
        let index = first.unwrap_or(x.events.len().min(y.events.len()));
        Some(Difference::World { index })
    }

    fn same_seen(&self, a: &Seen<'_>, b: &Seen<'_>) -> bool {
        match (a, b) {
            (Seen::Printed { to: x, bytes: v }, Seen::Printed { to: y, bytes: w }) => {
                v == w && self.same_value(*x, *y)
            }
            (Seen::Event(x), Seen::Event(y)) => self.same_event(x, y),
            _ => false,
        }
    }

    fn same_event(&self, a: &Event, b: &Event) -> bool {
        match (a, b) {
            (
                Event::Call { name: n, args: x, payloads: p, effect: _ },
                Event::Call { name: m, args: y, payloads: q, effect: _ },
            ) => {
                n == m
                    && x.len() == y.len()
                    && x.iter().zip(y).all(|(a, b)| self.same_value(*a, *b))
                    && p.len() == q.len()
                    && p.iter().zip(q).all(|(a, b)| {
                        a.arg == b.arg && self.contents(&a.contents, &b.contents).is_none()
                    })
            }
            (
                Event::VolatileRead { address: x, value: v, bytes: n },
                Event::VolatileRead { address: y, value: w, bytes: m },
            )
            | (
                Event::VolatileWrite { address: x, value: v, bytes: n },
                Event::VolatileWrite { address: y, value: w, bytes: m },
            ) => v == w && n == m && self.same_value(*x, *y),
            (
                Event::VolatileBlock { address: x, contents: c },
                Event::VolatileBlock { address: y, contents: d },
            ) => self.same_value(*x, *y) && self.contents(c, d).is_none(),
            _ => false,
        }
    }

    fn memory(&self) -> Option<Difference> {
        let (a, b) = (self.left.outcome, self.right.outcome);
        let mut weaker = None;
        for (index, (x, y)) in a.objects.iter().zip(&b.objects).enumerate() {
            let name = || format!("object {index}");
            let found = match (x, y) {
                (ObjectEnd::Untouched, ObjectEnd::Untouched)
                | (ObjectEnd::Freed, ObjectEnd::Freed) => None,
                (ObjectEnd::Freed, _) | (_, ObjectEnd::Freed) => Some((None, false)),
                (x, y) => self.located(
                    written(x).unwrap_or(&self.left.entry.objects[index].contents),
                    written(y).unwrap_or(&self.right.entry.objects[index].contents),
                ),
            };
            if let Some(difference) = sort_out(found, &name, &mut weaker) {
                return Some(difference);
            }
        }
        for (id, other) in self.global_pairs() {
            let x = final_global(self.left, id);
            let y = final_global(self.right, other);
            let name = || self.left.program.global(id).name.clone();
            if let Some(difference) = sort_out(self.located(&x, &y), &name, &mut weaker) {
                return Some(difference);
            }
        }
        for (index, (x, y)) in a.fresh.iter().zip(&b.fresh).enumerate() {
            let found = match (&x.contents, &y.contents) {
                (Some(x), Some(y)) => self.located(x, y),
                (None, None) => None,
                _ => Some((None, false)),
            };
            let name = || format!("new object {index}");
            if let Some(difference) = sort_out(found, &name, &mut weaker) {
                return Some(difference);
            }
        }
        weaker
    }

    /// The globals that at least one run mentions, as pairs; those of one version alone
    /// have nobody to be compared with.
    fn global_pairs(&self) -> Vec<(GlobalId, GlobalId)> {
        let symbol_in = |to: &Program, symbol: &str| {
            to.globals.iter().position(|g| g.identity() == symbol).map(GlobalId::new)
        };
        let (p, q) = (self.left.program, self.right.program);
        let same = std::ptr::eq(p, q);
        let mut pairs: Vec<(GlobalId, GlobalId)> = vec![];
        for (id, _) in &self.left.outcome.globals {
            let other = if same { Some(*id) } else { symbol_in(q, p.global(*id).identity()) };
            pairs.extend(other.map(|other| (*id, other)));
        }
        for (id, _) in &self.right.outcome.globals {
            let other = if same { Some(*id) } else { symbol_in(p, q.global(*id).identity()) };
            pairs.extend(other.map(|other| (other, *id)));
        }
        pairs.sort_unstable();
        pairs.dedup();
        pairs
    }

    /// Where two contents differ, and whether only in that one side has no value there.
    fn located(&self, x: &Contents, y: &Contents) -> Option<(Option<u64>, bool)> {
        self.contents(x, y).map(|(offset, initialisation)| (Some(offset), initialisation))
    }

    fn contents(&self, x: &Contents, y: &Contents) -> Option<(u64, bool)> {
        if x == y && std::ptr::eq(self.left.program, self.right.program) {
            return None;
        }
        let unset = |c: &Contents, at: u64| c.unset.iter().any(|r| r.contains(&at));
        let pointer = |c: &Contents, at: u64| {
            c.pointers.binary_search_by_key(&at, |l| l.offset).ok().map(|i| c.pointers[i].to)
        };
        let mut weak = None;
        for at in 0..x.bytes.len().max(y.bytes.len()) as u64 {
            let index = at as usize;
            let same_link = match (pointer(x, at), pointer(y, at)) {
                (None, None) => true,
                (Some(a), Some(b)) => self.same_pointer(a, b),
                _ => false,
            };
            if unset(x, at) || unset(y, at) {
                if unset(x, at) != unset(y, at) {
                    weak.get_or_insert(at);
                }
            } else if x.bytes.get(index) != y.bytes.get(index) || !same_link {
                return Some((at, false));
            }
        }
        weak.map(|at| (at, true))
    }
}

fn written(end: &ObjectEnd) -> Option<&Contents> {
    match end {
        ObjectEnd::Written(contents) => Some(contents),
        _ => None,
    }
}

/// A real difference is returned; one in initialisation alone waits in `weaker`.
fn sort_out(
    found: Option<(Option<u64>, bool)>,
    name: &dyn Fn() -> String,
    weaker: &mut Option<Difference>,
) -> Option<Difference> {
    match found? {
        (Some(offset), true) => {
            weaker.get_or_insert(Difference::Initialisation { place: name(), offset });
            None
        }
        (offset, _) => Some(Difference::Memory { place: name(), offset }),
    }
}

/// What a global holds at the end: as reported, else what it began with.
pub(super) fn final_global(run: Run<'_>, id: GlobalId) -> Contents {
    let by_id = |list: &[(GlobalId, Contents)]| {
        list.iter().find(|(g, _)| *g == id).map(|(_, contents)| contents.clone())
    };
    by_id(&run.outcome.globals)
        .or_else(|| by_id(&run.entry.globals))
        .unwrap_or_else(|| initial_contents(run.program, id))
}

/// What a global's initialiser says.
pub fn initial_contents(program: &Program, id: GlobalId) -> Contents {
    let global = program.global(id);
    let mut contents = Contents::default();
    if let Some(init) = &global.init {
        contents.bytes.extend_from_slice(&init.bytes);
        contents.pointers.extend(init.relocations.iter().filter_map(|r| {
            let target = match r.target {
                Address::Global(g) => PointerTarget::Global(g),
                Address::Procedure(p) => PointerTarget::Procedure(p),
                Address::External(e) => PointerTarget::External(e),
                Address::Local(_) => return None,
            };
            let to = Pointer { target, offset: r.addend };
            Some(super::entry::Link { offset: r.offset, to })
        }));
    }
    contents.bytes.resize(global.size as usize, 0);
    if is_stream(global) {
        contents.pointers.push(super::entry::Link { offset: 0, to: Pointer::global(id) });
    }
    contents
}

/// Whether a global is one of the C library's streams. What they point to is the library's own
/// business; here each leads to itself, so that the three are told apart.
pub fn is_stream(global: &Global) -> bool {
    let name = global.symbol.as_str();
    global.init.is_none() && global.size == 8 && matches!(name, "stdin" | "stdout" | "stderr")
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Difference::Inconclusive => f.write_str("a run was stopped at a limit"),
            Difference::Termination { .. } => f.write_str("the runs end differently"),
            Difference::Result { index, .. } => write!(f, "result {index} differs"),
            Difference::World { index } => write!(f, "output differs from event {index} on"),
            Difference::Memory { place, offset: Some(offset) } => {
                write!(f, "{place} differs at byte {offset}")
            }
            Difference::Memory { place, offset: None } => {
                write!(f, "{place} was freed in only one version")
            }
            Difference::Initialisation { place, offset } => {
                write!(f, "byte {offset} of {place} is initialised in only one version")
            }
        }
    }
}
