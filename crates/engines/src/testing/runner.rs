//! Runs both sides from one entry state and says in what the outcomes differ.

use super::source_values::{Text, translate_target};
use super::watch::{self, Decisions, Watch};
use std::borrow::Cow;
use std::collections::HashMap;
use verdiff_judge::{Comparison, Kind, Pair, Side};
use verdiff_logic::effort::{self, Step};
use verdiff_model::generate::Parameter;
use verdiff_model::interp::{Limits, Machine};
use verdiff_model::state::{
    Difference, End, EntryState, Object, ObjectEnd, Outcome, Pointer, PointerTarget, Returned, Run,
    StopReason, Value, compare, layout,
};
use verdiff_model::{ProcId, Qualifier, Trap};
use verdiff_product::valid::{still_differ, with_room};

/// What a short run may use besides steps. Whoever wants more memory says nothing.
const MEMORY: u64 = 4 << 20;
/// How much larger objects are made to see whether an access outside of them is what differs.
const ROOM: usize = 4096;
/// After so many differences that were those of too small objects, no more are looked at: it takes long.
const MOST_TOO_SMALL: u32 = 4;
/// What it costs, in steps, to make an object so large that no run leaves it.
const ENLARGED: u64 = 16_000;
/// What a pair of runs costs besides its steps, in steps.
const START: u64 = 100;

/// Both versions' interpreters and what was spent on them.
pub(super) struct Runner<'a> {
    comparison: &'a Comparison,
    procedures: [ProcId; 2],
    machines: [Machine<'a>; 2],
    pub(super) watch: Watch,
    /// What a run may do.
    limits: Limits,
    /// For each parameter, whether nothing else may lead where it leads.
    alone: Vec<bool>,
    /// Whether each parameter is the ABI's: its object is nobody else's.
    hidden: Vec<bool>,
    text: &'a Text<'a>,
    targets: HashMap<PointerTarget, Option<PointerTarget>>,
    assumed: Vec<ProcId>,
    /// What each pointer parameter is a multiple of: a caller's pointer is aligned for its type.
    aligned: Vec<u64>,
    /// Pairs of runs so far.
    pub(super) runs: u64,
    /// What they cost, in steps.
    pub(super) cost: u64,
    /// Whether both sides ended, from one state at least.
    pub(super) common: bool,
    /// Whether some run was ended by its limit.
    pub(super) cut_off: bool,
    /// How many differences were those of objects that are too small.
    too_small: u32,
}

/// What came of a pair of runs.
pub(super) struct Ran {
    /// In what they differ, if they do.
    pub(super) differs: Option<Kind>,
    /// Whether an edge was taken for the first time.
    pub(super) new_edge: bool,
    /// Whether a pair of paths was.
    pub(super) new_path: bool,
    /// How many objects either side asked for.
    pub(super) allocations: usize,
    /// Whether a side read a word that reaches past the end of an object, and whether both stopped there.
    pub(super) read_beyond: bool,
    pub(super) stopped_beyond: bool,
    /// How each side ended.
    pub(super) outcomes: [Outcome; 2],
}

impl<'a> Runner<'a> {
    /// `None` if the pair has a precondition that cannot be run.
    pub(super) fn new(
        comparison: &'a Comparison,
        pair: &Pair,
        parameters: [&[Parameter<'_>]; 2],
        text: &'a Text<'a>,
    ) -> Option<Runner<'a>> {
        let programs = [comparison.program(Side::Old), comparison.program(Side::New)];
        let settings = &comparison.settings;
        let mut assumed = vec![];
        for (_, condition) in settings.assume.iter().filter(|(f, _)| *f == pair.function) {
            let id = programs[0].procedure_named(condition)?;
            let same = programs[0].procedure(id).params.len() == parameters[0].len();
            assumed.push(same.then_some(id)?);
        }
        let restrict = |index: usize| {
            (0..2).all(|side| {
                let ctype = parameters[side].get(index).and_then(|p| p.ctype);
                let types = &programs[side].ctypes;
                ctype.is_some_and(|ctype| types.has_qualifier(ctype, Qualifier::Restrict))
            })
        };
        let alone =
            (0..parameters[0].len()).map(|index| settings.no_alias || restrict(index)).collect();
        let types = &programs[0].ctypes;
        let aligned = parameters[0].iter().map(|parameter| {
            let pointed = parameter.ctype.and_then(|c| types.target(c));
            pointed.and_then(|c| types.align(c)).unwrap_or(1)
        });
        Some(Runner {
            aligned: aligned.collect(),
            comparison,
            procedures: [pair.old, pair.new],
            machines: programs.map(Machine::new),
            watch: Watch::new(),
            limits: Limits { steps: 0, depth: 0, memory: MEMORY, objects: 10_000 },
            alone,
            hidden: parameters[0].iter().map(|p| p.hidden.is_some()).collect(),
            text,
            targets: HashMap::new(),
            assumed,
            runs: 0,
            cost: 0,
            common: false,
            cut_off: false,
            too_small: 0,
        })
    }

    /// How many steps a run may take.
    pub(super) fn set_steps(&mut self, steps: u64) {
        self.limits.steps = steps;
        self.limits.depth = (steps / 3) as u32;
        self.limits.memory = MEMORY.max(steps * 64);
    }

    /// Counts steps.
    pub(super) fn spend(&mut self, steps: u64) {
        self.cost += steps;
        effort::count(Step::Interpreted, steps);
    }

    /// Both sides from one state, in the old version's numbers. `None` if it is no state that both could start from.
    pub(super) fn run(&mut self, entry: &EntryState) -> Option<Ran> {
        if !self.is_fair(entry) {
            // Where no state is fair, the search must come to an end, too.
            self.spend(START);
            return None;
        }
        let other = self.translate(entry)?;
        self.watch.begin();
        let mut outcomes = [None, None];
        for (side, entry) in [entry, &*other].into_iter().enumerate() {
            self.watch.side(side);
            let machine = &mut self.machines[side];
            let procedure = self.procedures[side];
            let outcome = machine.run_observed(procedure, entry, &self.limits, &mut self.watch);
            self.spend(outcome.work());
            // What one side does not finish says nothing: the other is not needed.
            let over = matches!(
                outcome.end,
                End::OutOfSteps | End::Stopped(StopReason::StackDepth | StopReason::Memory)
            );
            self.cut_off |= over;
            outcomes[side] = Some(outcome);
            if over {
                break;
            }
        }
        self.runs += 1;
        let bytes: u64 = entry.objects.iter().map(|o| o.size()).sum();
        self.spend(START + bytes / 8);
        let (new_edge, new_path) = self.watch.end();
        let [Some(old), Some(new)] = outcomes else { return None };
        let asked = [self.machines[0].allocations(), self.machines[1].allocations()];
        let allocations = asked[0].len().max(asked[1].len());
        let alike = entry.outside.fails_alike(asked[0], asked[1]);
        let mut differs = self.differ([entry, &*other], [&old, &new]).filter(|_| alike);
        if differs == Some(Kind::Trap) && (is_outside(&old) || is_outside(&new)) {
            differs = differs.filter(|_| {
                self.ends_alike(&with_room(entry, ROOM), [&old, &new])
                    && without_wild_words(entry)
                        .is_none_or(|tame| self.ends_alike(&tame, [&old, &new]))
            });
        }
        // A pointer in memory is aligned as one that is passed is: what traps only because it is not
        // is no difference of the versions.
        let misaligned =
            |outcome: &Outcome| matches!(outcome.end, End::Trapped { trap: Trap::Misaligned, .. });
        if misaligned(&old) || misaligned(&new) {
            differs = differs.filter(|_| links(entry).all(|to| to.offset.rem_euclid(8) == 0));
        }
        // A call of what is no function: no build of the programs shows that it is one, so another input is looked for.
        let bad_call =
            |outcome: &Outcome| matches!(outcome.end, End::Trapped { trap: Trap::BadCall, .. });
        if bad_call(&old) || bad_call(&new) {
            differs = None;
        }
        let leaves = is_outside(&old) || is_outside(&new);
        if leaves && self.too_small >= MOST_TOO_SMALL {
            differs = None;
        }
        if differs.is_some() && !self.is_valid(entry, [&old, &new]) {
            differs = None;
            self.too_small += u32::from(leaves);
        }
        let read_beyond = self.machines.each_ref().map(Machine::read_beyond);
        let stopped_beyond = read_beyond == [true; 2] && is_outside(&old) && is_outside(&new);
        let read_beyond = read_beyond.contains(&true);
        if read_beyond && entry.outside.beyond.is_some() {
            differs = differs.filter(|_| self.is_whatever_lies_beyond(entry, [&old, &new]));
        }
        if differs.is_none() && alike && !(read_beyond && entry.outside.beyond.is_some()) {
            self.common |= old.is_conclusive() && new.is_conclusive();
        }
        let outcomes = [old, new];
        Some(Ran {
            differs,
            new_edge,
            new_path,
            allocations,
            read_beyond,
            stopped_beyond,
            outcomes,
        })
    }

    /// Whether each side does the same if something else lies behind the ends of objects. Then it masks what it reads there.
    fn is_whatever_lies_beyond(&mut self, entry: &EntryState, outcomes: [&Outcome; 2]) -> bool {
        let mut changed = entry.clone();
        changed.outside.beyond = entry.outside.beyond.map(|byte| !byte);
        let Some(other) = self.translate(&changed).map(Cow::into_owned) else { return false };
        [&changed, &other].into_iter().enumerate().all(|(side, entry)| {
            let machine = &mut self.machines[side];
            let outcome = machine.run(self.procedures[side], entry, &self.limits);
            self.spend(outcome.work());
            let program = self.machines[side].program();
            let run = |outcome| Run { program, entry, outcome };
            compare(run(&outcome), run(outcomes[side])).is_none()
        })
    }

    /// What both sides compare from a state if they go the way of the run that was kept.
    pub(super) fn forced(
        &mut self,
        entry: &EntryState,
    ) -> Option<[Vec<watch::ComparedNumbers>; 2]> {
        let other = self.translate(entry)?.into_owned();
        self.watch.begin();
        (self.watch.recording, self.watch.decisions) = (true, Decisions::Forced);
        for (side, entry) in [entry, &other].into_iter().enumerate() {
            self.watch.side(side);
            let procedure = self.procedures[side];
            let machine = &mut self.machines[side];
            let outcome = machine.run_observed(procedure, entry, &self.limits, &mut self.watch);
            self.spend(START / 2 + outcome.work());
        }
        (self.watch.recording, self.watch.decisions) = (false, Decisions::Own);
        Some(self.watch.comparisons.clone())
    }

    /// Whether a difference is one of states that the assumption about pointers allows.
    fn is_valid(&mut self, entry: &EntryState, outcomes: [&Outcome; 2]) -> bool {
        if outcomes.into_iter().any(is_outside) {
            // Objects are made larger, which takes longer than most runs.
            self.spend(ENLARGED * entry.objects.len() as u64);
        }
        let (machines, limits) = (&mut self.machines, &self.limits);
        still_differ(self.comparison, self.procedures, machines, entry, outcomes, limits)
    }

    /// Whether the runs end as before from a state that is a little different: with larger objects, or without words
    /// that lead nowhere. Pointers are taken to be null or to lead to objects that are large enough, so an access
    /// outside of these is no difference; outside of anything else (a global, a local) it is one.
    fn ends_alike(&mut self, changed: &EntryState, outcomes: [&Outcome; 2]) -> bool {
        let Some(other) = self.translate(changed).map(Cow::into_owned) else { return false };
        [changed, &other].into_iter().enumerate().all(|(side, entry)| {
            let machine = &mut self.machines[side];
            let outcome = machine.run(self.procedures[side], entry, &self.limits);
            match (&outcome.end, &outcomes[side].end) {
                (End::Trapped { trap: x, .. }, End::Trapped { trap: y, .. }) => x == y,
                (End::Returned(_), End::Returned(_)) => true,
                (x, y) => x == y,
            }
        })
    }

    fn differ(&self, entries: [&EntryState; 2], outcomes: [&Outcome; 2]) -> Option<Kind> {
        if same_at_a_glance(outcomes[0], outcomes[1])
            || self.comparison.settings.excludes(outcomes[0])
        {
            return None;
        }
        let run = |side: usize| Run {
            program: self.machines[side].program(),
            entry: entries[side],
            outcome: outcomes[side],
        };
        match compare(run(0), run(1))? {
            Difference::Inconclusive | Difference::Initialisation { .. } => None,
            Difference::Termination { left, right } => {
                let trapped = |end: &End| matches!(end, End::Trapped { .. });
                Some(if trapped(&left) || trapped(&right) { Kind::Trap } else { Kind::Output })
            }
            // What has no value on one side is anything there, the other's value too.
            Difference::Result { left, right, .. } => {
                (left.value.is_some() && right.value.is_some()).then_some(Kind::Value)
            }
            Difference::World { .. } => Some(Kind::Output),
            Difference::Memory { .. } => Some(Kind::Memory),
        }
    }

    /// The state in the new version's numbers; the same one where nothing in it has a number.
    fn translate<'e>(&mut self, entry: &'e EntryState) -> Option<Cow<'e, EntryState>> {
        let has_number =
            |p: &Pointer| !matches!(p.target, PointerTarget::Null | PointerTarget::Object(_));
        let numbered = |value: &Value| matches!(value, Value::Pointer(p) if has_number(p));
        let links = || entry.objects.iter().flat_map(|object| &object.contents.pointers);
        if entry.globals.is_empty()
            && !entry.args.iter().any(numbered)
            && !links().any(|link| has_number(&link.to))
            && !entry.outside.pointers().any(has_number)
        {
            return Some(Cow::Borrowed(entry));
        }
        let mut other = entry.clone();
        for value in &mut other.args {
            if let Value::Pointer(pointer) = value {
                pointer.target = self.target(pointer.target)?;
            }
        }
        for (id, _) in &mut other.globals {
            let PointerTarget::Global(new) = self.target(PointerTarget::Global(*id))? else {
                return None;
            };
            *id = new;
        }
        let objects = other.objects.iter_mut().map(|object| &mut object.contents);
        let globals = other.globals.iter_mut().map(|(_, contents)| contents);
        for link in objects.chain(globals).flat_map(|contents| &mut contents.pointers) {
            link.to.target = self.target(link.to.target)?;
        }
        for pointer in other.outside.pointers_mut() {
            pointer.target = self.target(pointer.target)?;
        }
        other.globals.sort_by_key(|(id, _)| *id);
        Some(Cow::Owned(other))
    }

    fn target(&mut self, target: PointerTarget) -> Option<PointerTarget> {
        let comparison = self.comparison;
        let find = || translate_target(comparison, Side::Old, target);
        *self.targets.entry(target).or_insert_with(find)
    }

    /// Gives pointers that lead where nothing else may lead objects of their own.
    pub(super) fn separate(&self, entry: &mut EntryState) {
        for index in 0..entry.args.len() {
            let (Value::Pointer(pointer), true) =
                (entry.args[index], self.alone[index] || self.hidden[index])
            else {
                continue;
            };
            if self.is_alone(entry, index, &pointer) {
                continue;
            }
            let object = match pointer.target {
                PointerTarget::Object(object) => entry.objects.get(object as usize).cloned(),
                PointerTarget::Global(id) => {
                    let size = self.machines[0].program().global(id).size.min(ROOM as u64);
                    Some(Object::new(16, vec![0; size as usize]))
                }
                _ => None,
            };
            let Some(object) = object else { continue };
            let target = PointerTarget::Object(entry.objects.len() as u32);
            entry.objects.push(object);
            entry.args[index] = Value::Pointer(Pointer { target, ..pointer });
        }
    }

    /// Whether nothing else leads where an argument leads.
    fn is_alone(&self, entry: &EntryState, index: usize, pointer: &Pointer) -> bool {
        let same = |other: &Pointer| other.target == pointer.target;
        match pointer.target {
            PointerTarget::Object(_) => {
                let others = entry.args.iter().enumerate().filter(|(at, _)| *at != index);
                let aliased =
                    others.into_iter().any(|(_, v)| matches!(v, Value::Pointer(p) if same(p)));
                !aliased && !links(entry).any(|to| same(&to))
            }
            PointerTarget::Global(_) => false,
            _ => true,
        }
    }

    /// Whether what a pointer leads to is aligned as the parameter's type is.
    fn is_aligned(&self, entry: &EntryState, pointer: &Pointer, index: usize) -> bool {
        let align = match pointer.target {
            PointerTarget::Object(n) => entry.objects.get(n as usize).map(|o| u64::from(o.align)),
            PointerTarget::Global(id) => {
                Some(u64::from(self.comparison.old.program.global(id).align))
            }
            _ => None,
        };
        align.is_none_or(|align| align >= self.aligned[index])
    }

    /// Whether a caller could start from this state, and the preconditions hold.
    fn is_fair(&mut self, entry: &EntryState) -> bool {
        let text = self.text;
        let foreign = |p: &Pointer| {
            matches!(p.target, PointerTarget::Procedure(_) | PointerTarget::External(_))
                && !text.functions().iter().any(|known| known.target == p.target)
        };
        for (index, value) in entry.args.iter().enumerate() {
            let Value::Pointer(pointer) = value else { continue };
            // Objects and globals are aligned themselves, so the offset tells.
            let aligned = pointer.offset.rem_euclid(self.aligned[index] as i64) == 0;
            if foreign(pointer) || !aligned || !self.is_aligned(entry, pointer, index) {
                return false;
            }
            if (self.alone[index] || self.hidden[index]) && !self.is_alone(entry, index, pointer) {
                return false;
            }
        }
        let objects = entry.objects.iter().flat_map(|object| &object.contents.pointers);
        if objects.into_iter().any(|link| foreign(&link.to))
            || entry.outside.pointers().any(foreign)
        {
            return false;
        }
        let limits = Limits { steps: 10_000, ..self.limits };
        let machine = &mut self.machines[0];
        self.assumed.iter().all(|id| {
            let outcome = machine.run(*id, entry, &limits);
            matches!(&outcome.end, End::Returned(results)
                if matches!(results.as_slice(), [Returned { value: Some(Value::Bits(b)), .. }] if *b != 0))
        })
    }
}

/// Whether outcomes are surely the same, without looking at what numbers mean in each version.
fn same_at_a_glance(a: &Outcome, b: &Outcome) -> bool {
    let (End::Returned(x), End::Returned(y)) = (&a.end, &b.end) else { return false };
    let plain = |r: &Returned| matches!(r.value, Some(Value::Bits(_)));
    let object = |end: &ObjectEnd| match end {
        ObjectEnd::Written(contents) => contents.pointers.is_empty(),
        _ => true,
    };
    x == y
        && x.iter().all(plain)
        && a.world.count == 0
        && b.world.count == 0
        && a.globals.is_empty()
        && b.globals.is_empty()
        && a.fresh.is_empty()
        && b.fresh.is_empty()
        && a.objects == b.objects
        && a.objects.iter().all(object)
}

/// The state with zeros for words in objects that would be wild pointers, were they pointers; `None` if there are none.
fn without_wild_words(entry: &EntryState) -> Option<EntryState> {
    let mut tame = entry.clone();
    let mut found = false;
    // What is not aligned for pointers has none: it is text, and without that the runs would be others.
    for object in tame.objects.iter_mut().filter(|object| object.align >= 8) {
        for word in object.contents.bytes.chunks_exact_mut(8) {
            let value = u64::from_le_bytes(word.try_into().unwrap_or_default());
            if value >= layout::NULL_LIMIT {
                word.fill(0);
                found = true;
            }
        }
    }
    found.then_some(tame)
}

/// The pointers in objects and globals, and those that calls give.
fn links(entry: &EntryState) -> impl Iterator<Item = Pointer> {
    let globals = entry.globals.iter().map(|(_, contents)| contents);
    let objects = entry.objects.iter().map(|object| &object.contents);
    let links = objects.chain(globals).flat_map(|contents| &contents.pointers);
    links.map(|link| link.to).chain(entry.outside.pointers().copied())
}

/// Whether a run ended with an access outside of an object.
pub(super) fn is_outside(outcome: &Outcome) -> bool {
    matches!(outcome.end, End::Trapped { trap: Trap::OutOfBounds, .. })
}
