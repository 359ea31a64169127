//! Entry states that the assumption about pointers allows, for engines that run programs.
//!
//! A pointer at entry is null, or aligned for its type and leads to an object that is large enough (docs/internals/soundness.md);
//! that holds of parameters as of what globals and objects hold where their C types have pointers. A difference that a run shows from another
//! state is none: proofs do not speak of such states. So a state is brought into order before it is believed: what is no such pointer
//! becomes null, and objects go on where a run leaves them. If the versions still end as they did, the first state is a
//! witness as good as any.

use std::collections::BTreeSet;
use verdiff_judge::{Comparison, Side};
use verdiff_logic::effort;
use verdiff_model::interp::{Limits, Machine};
use verdiff_model::state::{
    Contents, Difference, End, EntryState, Outcome, Pointer, PointerTarget, Run, Value, compare,
};
use verdiff_model::{CType, CTypeId, ExternId, ProcId, Program, Trap, Type, external_results};

/// How much is added to both ends of objects that a run leaves.
const ROOM: usize = 1 << 19;
/// How many objects are made larger; with more of them, none is believed to have been too small.
const MOST: usize = 32;
/// What a run with larger objects may use.
const MEMORY: u64 = 128 << 20;

/// Whether two runs that differ still do, each ending as it did, once the state is as it is taken to be. `old` is the entry state in
/// the old version's numbers.
pub fn still_differ(
    comparison: &Comparison,
    procedures: [ProcId; 2],
    machines: &mut [Machine<'_>; 2],
    old: &EntryState,
    outcomes: [&Outcome; 2],
    limits: &Limits,
) -> bool {
    let mut state = in_order(&comparison.old.program, procedures[0], old);
    let leaves =
        |outcome: &Outcome| matches!(outcome.end, End::Trapped { trap: Trap::OutOfBounds, .. });
    // What was left may be a global that goes on: it has only as much here as runs need.
    let open_ended = |side| comparison.program(side).globals.iter().any(|g| g.open_ended);
    if outcomes.into_iter().any(leaves) && Side::BOTH.into_iter().any(open_ended) {
        return false;
    }
    if outcomes.into_iter().any(leaves) && old.objects.len() <= MOST {
        state = Some(with_room(state.as_ref().unwrap_or(old), ROOM));
    }
    let Some(old) = state else { return true };
    let Some(new) = comparison.entry_for_other(Side::Old, &old) else { return false };
    let limits = Limits { memory: limits.memory.max(MEMORY), ..*limits };
    let runs = [
        machines[0].run(procedures[0], &old, &limits),
        machines[1].run(procedures[1], &new, &limits),
    ];
    let ends_alike = |(now, before): (&Outcome, &Outcome)| match (&now.end, &before.end) {
        (End::Trapped { trap: x, .. }, End::Trapped { trap: y, .. }) => x == y,
        (End::Returned(_), End::Returned(_)) => true,
        (x, y) => x == y,
    };
    effort::count(effort::Step::Interpreted, runs[0].work() + runs[1].work());
    let left = Run { program: &comparison.old.program, entry: &old, outcome: &runs[0] };
    let right = Run { program: &comparison.new.program, entry: &new, outcome: &runs[1] };
    let differ = match compare(left, right) {
        None | Some(Difference::Inconclusive | Difference::Initialisation { .. }) => false,
        Some(_) => true,
    };
    differ && runs.iter().zip(outcomes).all(ends_alike)
}

/// The same state with objects that go on in both directions.
pub fn with_room(entry: &EntryState, room: usize) -> EntryState {
    with_room_but(entry, room, &[])
}

/// The same, but some objects stay as they are: those of the ABI, which no caller makes larger.
pub fn with_room_but(entry: &EntryState, room: usize, fixed: &[u32]) -> EntryState {
    let mut larger = entry.clone();
    let moved = |pointer: &mut Pointer| {
        if let PointerTarget::Object(index) = pointer.target
            && !fixed.contains(&index)
        {
            pointer.offset += room as i64;
        }
    };
    for (index, object) in larger.objects.iter_mut().enumerate() {
        if fixed.contains(&(index as u32)) {
            continue;
        }
        let bytes = &mut object.contents.bytes;
        bytes.splice(0..0, std::iter::repeat_n(0, room));
        bytes.resize(bytes.len() + room, 0);
        object.contents.pointers.iter_mut().for_each(|link| link.offset += room as u64);
    }
    for value in &mut larger.args {
        if let Value::Pointer(pointer) = value {
            moved(pointer);
        }
    }
    larger.outside.pointers_mut().for_each(moved);
    let objects = larger.objects.iter_mut().map(|object| &mut object.contents);
    let globals = larger.globals.iter_mut().map(|(_, contents)| contents);
    for contents in objects.chain(globals) {
        contents.pointers.iter_mut().for_each(|link| moved(&mut link.to));
    }
    larger
}

/// The state with null for what stands where a pointer should and is none; `None` if there is no such thing.
fn in_order(program: &Program, procedure: ProcId, entry: &EntryState) -> Option<EntryState> {
    let mut walk = Walk { program, state: entry.clone(), seen: BTreeSet::new(), changed: false };
    let proc = program.procedure(procedure);
    for (index, param) in proc.params.iter().enumerate() {
        let var = proc.var(*param);
        if var.ty != Type::Ptr {
            continue;
        }
        let target = var.ctype.and_then(|c| program.ctypes.target(c));
        match walk.state.args.get(index).copied() {
            Some(Value::Pointer(to)) if walk.leads_somewhere(to, target) => walk.follow(to, target),
            Some(Value::Bits(0)) | None => {}
            Some(Value::Pointer(Pointer::NULL)) => {}
            Some(_) => {
                walk.state.args[index] = Value::Pointer(Pointer::NULL);
                walk.changed = true;
            }
        }
    }
    if !entry.outside.given.is_empty() {
        let targets = external_results(program);
        for given in &entry.outside.given {
            let named = |(id, _): &(&ExternId, _)| program.external(**id).name == given.external;
            let target = targets.iter().find(named).map(|(_, target)| *target);
            given.pointers.iter().for_each(|to| walk.follow(*to, target));
        }
    }
    for index in 0..walk.state.globals.len() {
        let (id, _) = walk.state.globals[index];
        if let Some(ctype) = program.global(id).ctype {
            walk.object(PointerTarget::Global(id), 0, ctype);
        }
    }
    walk.changed.then_some(walk.state)
}

/// A walk along the pointers of a state, by their C types.
struct Walk<'a> {
    program: &'a Program,
    state: EntryState,
    seen: BTreeSet<(PointerTarget, u64, CTypeId)>,
    changed: bool,
}

impl Walk<'_> {
    /// Whether a pointer to this type leads to something, aligned.
    fn leads_somewhere(&self, to: Pointer, target: Option<CTypeId>) -> bool {
        let align = target.and_then(|c| self.program.ctypes.align(c)).unwrap_or(1);
        let aligned =
            |at: u32| u64::from(at) >= align && to.offset.rem_euclid(align.max(1) as i64) == 0;
        match to.target {
            PointerTarget::Null | PointerTarget::Fresh(_) => false,
            PointerTarget::Object(n) => {
                self.state.objects.get(n as usize).is_some_and(|o| aligned(o.align.max(1)))
            }
            PointerTarget::Global(id) => aligned(self.program.global(id).align.max(1)),
            PointerTarget::Procedure(_) | PointerTarget::External(_) => true,
        }
    }

    /// Looks at what a pointer leads to: as many elements as there are.
    fn follow(&mut self, to: Pointer, target: Option<CTypeId>) {
        let (Some(ctype), Ok(offset)) = (target, u64::try_from(to.offset)) else { return };
        if !self.seen.insert((to.target, offset, ctype)) || self.seen.len() > 1000 {
            return;
        }
        let Some(size) = self.program.ctypes.size(ctype).filter(|size| *size > 0) else { return };
        let Some(contents) = self.contents(to.target) else { return };
        let length = contents.bytes.len() as u64;
        // The last one may not be there as a whole.
        let mut at = offset % size;
        while at < length {
            self.object(to.target, at, ctype);
            at += size;
        }
    }

    fn contents(&mut self, of: PointerTarget) -> Option<&mut Contents> {
        match of {
            PointerTarget::Object(n) => {
                self.state.objects.get_mut(n as usize).map(|o| &mut o.contents)
            }
            PointerTarget::Global(id) => {
                self.state.globals.iter_mut().find(|(g, _)| *g == id).map(|(_, c)| c)
            }
            _ => None,
        }
    }

    /// Looks at the pointers of a value of this type, so far into an object. What a union holds nobody knows.
    fn object(&mut self, of: PointerTarget, at: u64, ctype: CTypeId) {
        let types = &self.program.ctypes;
        match types.get(types.resolve(ctype)) {
            CType::Pointer(target) => self.pointer(of, at, *target),
            CType::Array { element, count: Some(count) } => {
                let Some(size) = types.size(*element) else { return };
                for index in 0..(*count).min(4096) {
                    self.object(of, at + index * size, *element);
                }
            }
            CType::Record { union: false, fields, .. } => {
                for field in fields {
                    self.object(of, at + field.offset_bits / 8, field.ctype);
                }
            }
            _ => {}
        }
    }

    fn pointer(&mut self, of: PointerTarget, at: u64, target: CTypeId) {
        let Some(contents) = self.contents(of) else { return };
        let (Ok(start), Ok(end)) = (usize::try_from(at), usize::try_from(at + 8)) else { return };
        let link = contents.pointers.iter().position(|link| link.offset == at);
        if let Some(index) = link {
            let to = contents.pointers[index].to;
            if self.leads_somewhere(to, Some(target)) {
                self.follow(to, Some(target));
            } else if let Some(contents) = self.contents(of) {
                contents.pointers.remove(index);
                self.changed = true;
            }
            return;
        }
        if let Some(word) = contents.bytes.get_mut(start..end)
            && word.iter().any(|byte| *byte != 0)
        {
            word.fill(0);
            self.changed = true;
        }
    }
}
