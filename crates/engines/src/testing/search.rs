//! The order in which entry states are tried.

use super::LARGE;
use super::constructed::Constructions;
use super::input_locations::{Places, Targets};
use super::interesting_numbers::Values;
use super::outside::interferes;
use super::returned_pointers::pointer_functions;
use super::runner::{Runner, is_outside};
use super::source_values::Text;
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use verdiff_judge::{Budget, Comparison, Depth, Kind, Side};
use verdiff_model::generate::{Parameter, ProcedureGenerator, Random};
use verdiff_model::state::{End, EntryState, Event, Outcome, PointerTarget, Value};
use verdiff_model::{ExternalKind, Program, Trap};
use verdiff_product::valid::with_room_but;
use verdiff_symex::guide::FAR;

/// So many states are made before one of them is changed, more where the program's own functions make them.
const FIRST: u64 = 6;
const CONSTRUCTED_FIRST: u64 = 60;
/// A first run that is cut off is made once more, with this part of all steps.
const LONG_FIRST: u64 = 3;
const LONG_GLANCE: u64 = 8;
/// If that one ends, runs may take as long, but no longer than this part of all steps.
const USUAL: u64 = 100;
/// How often, in percent, a state is a new one, and so for those.
const ANEW: u64 = 12;
const CONSTRUCTED_ANEW: u64 = 30;
/// So many states are looked at one after another on the way to the change.
const MOST_STEPS: usize = 64;
/// A run that executes more blocks than another one, but no more than so many, may have read one character more.
const A_STEP: u64 = 64;
/// Entry states that are kept for being changed.
const QUEUE: usize = 64;
/// How many steps a run may take at first, and later.
const SHORT: u64 = 1_000;
const LONGER: u64 = 10_000;
/// The same for each statement of a large procedure.
const SHORT_EACH: u64 = 4;
const LONGER_EACH: u64 = 16;
/// After how many steps in all, states whose runs were cut off are tried again, and how long.
const AGAIN: [(u64, u64); 4] =
    [(300_000, LONGER), (600_000, 100_000), (900_000, 1_000_000), (60_000_000, 10_000_000)];
/// After a difference was found, so many runs, and steps, look for one of another kind.
const FURTHER: u64 = 300;
const FURTHER_STEPS: u64 = 200_000;
/// So many times as many, where a compiled program may not show the difference.
const HIDDEN: u64 = 16;
/// So many runs are between two differences of one kind.
const APART: u64 = 40;
/// After so many steps without a new edge, a state nearer to the change or a longer run that ends, a search that comes
/// before proofs stops: what it could still find by chance is found by a proof that fails, or by the last search.
const PATIENCE: [(Depth, u64); 2] = [(Depth::Quick, 1_000_000), (Depth::Full, 8_000_000)];

/// So many differing states are kept whose runs nobody can predict.
const MOST_UNPREDICTABLE: usize = 12;

/// One run of so many, at most, is a second one from the same state with larger objects,
const ENLARGED: u64 = 16;
/// which go on for so many bytes in both directions: few, if they are enough, since somebody will read the state.
const ROOMS: [usize; 2] = [16, 256];

/// An entry state that got somewhere.
pub(super) struct Item {
    pub(super) entry: EntryState,
    pub(super) places: Places,
    pub(super) analysed: bool,
    /// Whether only the comparisons next to the change were looked at.
    pub(super) glanced: bool,
    /// How near it came to the change.
    pub(super) far: u32,
}

/// The search for a difference.
pub(super) struct DifferenceSearch<'a> {
    pub(super) comparison: &'a Comparison,
    pub(super) programs: [&'a Program; 2],
    pub(super) runner: Runner<'a>,
    pub(super) text: &'a Text<'a>,
    pub(super) generators: &'a [ProcedureGenerator<'a>; 2],
    pub(super) values: Values,
    pub(super) random: Random,
    pub(super) queue: Vec<Item>,
    /// What comparisons have compared.
    pub(super) operands: Vec<u64>,
    pub(super) has_unknown_calls: bool,
    /// How many objects a run asked for, at most.
    pub(super) allocations: usize,
    /// The unknown functions of the program that return pointers.
    pub(super) targets: Targets,
    /// Those that runs have called.
    pub(super) givers: BTreeSet<String>,
    /// The operations that the interpreter guesses.
    operations: BTreeSet<String>,
    /// The parameters that the ABI made.
    pub(super) hidden: Vec<usize>,
    /// One or two differing entry states of each kind.
    pub(super) found: Vec<(Kind, EntryState)>,
    /// Whether all of them end with a trap that a compiled program may pass by.
    pub(super) only_hidden: bool,
    /// A differing state from which both versions trap, in different ways. Compiled programs often end alike there (an
    /// access of null and one out of bounds are one signal), so the search goes on, and this one is only the last resort.
    pub(super) both_trap: Option<EntryState>,
    /// Differing states whose runs nobody can predict: which of them differ in compiled programs is not known.
    pub(super) unpredictable: Vec<EntryState>,
    /// After how many runs the last of them was found.
    found_at: u64,
    /// Whether there is nothing else to try.
    pub(super) exhausted: bool,
    /// States whose runs were cut off, one of each magnitude, to be tried again with more steps.
    pub(super) cut_off: BTreeMap<u32, EntryState>,
    budget: Budget,
    /// When to stop making a state simpler, in runs and steps.
    pub(super) end: (u64, u64),
    /// How much may be spent, in steps.
    effort: u64,
    level: usize,
    /// How long runs take that are longer than they may be at first.
    usual: u64,
    /// When to stop though kinds are left, in runs.
    last_run: u64,
    numbers_made: u64,
    /// How often it was asked whether to stop.
    asked: u64,
    out_of_time: bool,
    /// How near a run has come to the change.
    nearest: u32,
    /// How many runs came as near as any before, and took a new edge or went on a little longer than the one that is looked at.
    pub(super) steps: u64,
    /// How many blocks the run executed that is looked at for a step, both sides together.
    pub(super) goes_on_from: Option<u64>,
    /// How many statements the larger version has.
    size: u64,
    /// How many steps had been made when something new was last seen.
    progress_at: u64,
    /// How many states were tried once more with larger objects.
    enlarged: u64,
    /// What makes states with the program's own functions.
    constructions: Option<Constructions<'a>>,
    /// Whether it is `main`, with the parameters that C gives it.
    pub(super) is_main: bool,
    /// Whether runs may go on where they read a word that reaches past the end of an object, and whether they do: once both versions
    /// were stopped there.
    pub(super) may_read_beyond: bool,
    pub(super) reads_beyond: bool,
}

impl<'a> DifferenceSearch<'a> {
    pub(super) fn new(
        comparison: &'a Comparison,
        runner: Runner<'a>,
        text: &'a Text<'a>,
        generators: &'a [ProcedureGenerator<'a>; 2],
        budget: Budget,
        (effort, size): (u64, u64),
    ) -> DifferenceSearch<'a> {
        let parameters = generators[0].parameters().iter().enumerate();
        DifferenceSearch {
            comparison,
            programs: [comparison.program(Side::Old), comparison.program(Side::New)],
            runner,
            text,
            generators,
            values: Values::default(),
            random: Random::new(budget.seed ^ 0x7e57),
            queue: vec![],
            operands: vec![],
            has_unknown_calls: false,
            allocations: 0,
            targets: pointer_functions(comparison),
            givers: BTreeSet::new(),
            operations: operations(comparison),
            hidden: parameters.filter(|(_, p)| p.hidden.is_some()).map(|(at, _)| at).collect(),
            found: vec![],
            only_hidden: true,
            both_trap: None,
            unpredictable: vec![],
            found_at: 0,
            exhausted: false,
            cut_off: BTreeMap::new(),
            budget,
            end: (0, 0),
            effort,
            level: 0,
            usual: 0,
            last_run: u64::MAX,
            numbers_made: 0,
            asked: 0,
            out_of_time: false,
            nearest: FAR,
            steps: 0,
            goes_on_from: None,
            size,
            progress_at: 0,
            enlarged: 0,
            constructions: None,
            is_main: false,
            may_read_beyond: false,
            reads_beyond: false,
        }
    }

    /// Has states made by the program's own functions tried, too.
    pub(super) fn construct(&mut self, constructions: Option<Constructions<'a>>) {
        self.constructions = constructions;
    }

    /// Tries entry states until a difference is found or the effort is spent.
    pub(super) fn go(&mut self) {
        // What works on valid structures calls functions that look through them.
        let short = if self.constructions.is_some() { LONGER } else { SHORT };
        let mut short = short.max(self.size * SHORT_EACH);
        self.runner.set_steps(short);
        let first = self.generated();
        if !self.attempt(&first) && self.runner.cut_off {
            // What has no inputs, as tests have none, does all its work in one run.
            let part = if self.budget.depth == Depth::Glance { LONG_GLANCE } else { LONG_FIRST };
            self.runner.set_steps(self.effort / part);
            let before = self.runner.cost;
            if self.attempt(&first) {
                // Others take about as long: cut off before that, none of them would say anything.
                let took = self.runner.cost - before;
                self.usual = (took * 2).min(self.effort / USUAL);
                short = short.max(self.usual);
            }
            self.runner.set_steps(short);
        }
        if self.queue.is_empty() {
            // It got nowhere at all, but its places can be changed still.
            self.enqueue(first, &[]);
        }
        self.exhaust();
        if self.exhausted {
            return;
        }
        for _ in 0..if self.constructions.is_some() { CONSTRUCTED_FIRST } else { FIRST } {
            let entry = self.generated();
            self.attempt(&entry);
        }
        if self.runner.watch.direction.is_some() {
            self.approach();
        }
        let nearest = self.queue.iter().enumerate().min_by_key(|(index, item)| (item.far, *index));
        self.sweep(nearest.map_or(0, |(index, _)| index));
        while !self.is_over() && !self.is_settled() {
            if let Some(index) = self.nearest_open() {
                let (before, steps) = (self.nearest, self.steps);
                self.give(index);
                self.analyse(index);
                self.interfere(index);
                if self.nearest < before || self.steps > steps {
                    self.approach();
                }
            }
            for _ in 0..150 {
                self.vary();
            }
            self.raise();
        }
    }

    /// Comes nearer to the change, as long as each state that is looked at gives one that is nearer, or one as near that did something new on
    /// the way: a callee that reads a text decides by one character after another whether its caller goes on.
    fn approach(&mut self) {
        let mut next = self.nearest_open();
        for _ in 0..MOST_STEPS {
            let Some(index) = next else { return };
            let (before, steps) = (self.nearest, self.steps);
            self.analyse(index);
            if self.is_over() || (self.nearest >= before && self.steps == steps) {
                return;
            }
            let open = self.queue.iter().enumerate().filter(|(_, item)| !item.analysed);
            let newest = open.min_by_key(|(index, item)| (item.far, std::cmp::Reverse(*index)));
            next = newest.map(|(index, _)| index);
        }
    }

    /// Of the states that were not analysed, the one that came nearest to the change.
    fn nearest_open(&self) -> Option<usize> {
        let open = self.queue.iter().enumerate().filter(|(_, item)| !item.analysed);
        open.min_by_key(|(index, item)| (item.far, *index)).map(|(index, _)| index)
    }

    /// Whether to stop.
    pub(super) fn is_over(&mut self) -> bool {
        // Forced runs do not count as runs, but they take time as well.
        self.asked += 1;
        if self.asked.is_multiple_of(16) && self.budget.is_over() {
            self.out_of_time = true;
        }
        self.out_of_time
            || self.runner.cost >= self.effort
            || self.runner.runs >= self.last_run
            || self.found.len() >= 6
    }

    /// Whether nothing new was seen for long, and every state that got somewhere was looked at.
    fn is_settled(&self) -> bool {
        let patience = PATIENCE.iter().find(|(depth, _)| *depth == self.budget.depth);
        let times = (self.size / LARGE).max(1);
        patience.is_some_and(|(_, steps)| {
            self.runner.cost >= self.progress_at + steps * times && self.nearest_open().is_none()
        })
    }

    /// Whether a difference of a known kind is worth to be kept: one more, from another state. Not all that the interpreter sees is seen of
    /// compiled programs.
    fn is_second(&self, kind: Kind) -> bool {
        let known = self.found.iter().filter(|(known, _)| *known == kind).count();
        known == 1 && self.runner.runs >= self.found_at + APART
    }

    /// Runs both sides from an entry state; keeps it if it differs or is new. Whether both ended.
    ///
    /// A run that leaves an object stops there. Where a caller's object would go on, as it does under a stack pointer that
    /// is moved down, only a larger one shows what comes then.
    pub(super) fn attempt(&mut self, entry: &EntryState) -> bool {
        let entry = &self.with_beyond(entry);
        let first = self.attempt_once(entry, true);
        let mut leaves = first;
        if self.enlarged * ENLARGED <= self.runner.runs && !entry.objects.is_empty() {
            let fixed = self.objects_of_the_abi(entry);
            for room in ROOMS {
                if leaves == Some(true) {
                    self.enlarged += 1;
                    leaves = self.attempt_once(&with_room_but(entry, room, &fixed), false);
                }
            }
        }
        first.is_some()
    }

    /// The objects behind the parameters that the ABI made: further arguments have places of a fixed size.
    fn objects_of_the_abi(&self, entry: &EntryState) -> Vec<u32> {
        let values = self.hidden.iter().filter_map(|at| entry.args.get(*at));
        let object = |value: &Value| match value {
            Value::Pointer(to) => match to.target {
                PointerTarget::Object(index) => Some(index),
                _ => None,
            },
            Value::Bits(_) => None,
        };
        values.filter_map(object).collect()
    }

    /// The same without larger objects; `for_its_path` if a new pair of paths alone is worth keeping the state. Whether a side left an
    /// object; `None` if one of them did not end.
    fn attempt_once(&mut self, entry: &EntryState, for_its_path: bool) -> Option<bool> {
        let before = self.runner.cut_off;
        self.runner.cut_off = false;
        let ran = self.runner.run(entry);
        if self.runner.cut_off {
            let size = self.magnitude(entry);
            if !self.cut_off.contains_key(&size) || self.random.chance(20) {
                self.cut_off.insert(size, entry.clone());
            }
        }
        self.runner.cut_off |= before;
        let ran = ran?;
        if ran.stopped_beyond && self.may_read_beyond && !self.reads_beyond {
            self.reads_beyond = true;
            let with_beyond = self.with_beyond(entry);
            return self.attempt_once(&with_beyond, for_its_path);
        }
        // Where nobody read past an end, it is a state like any other.
        let mut entry = Cow::Borrowed(entry);
        if ran.differs.is_some() && entry.outside.beyond.is_some() && !ran.read_beyond {
            entry.to_mut().outside.beyond = None;
        }
        let entry = &*entry;
        self.allocations = self.allocations.max(ran.allocations);
        // One that hangs on what the outside does is not enough if there is one that does not.
        let says_less = |known: &EntryState| interferes(known) && !interferes(entry);
        let both_trap = ran.outcomes.iter().all(|o| matches!(o.end, End::Trapped { .. }));
        if ran.differs.is_some() && both_trap {
            self.both_trap.get_or_insert_with(|| entry.clone());
        } else if let Some(kind) = ran.differs
            && (self.found.iter().all(|(known, state)| *known != kind || says_less(state))
                || self.is_second(kind))
        {
            self.found.push((kind, entry.clone()));
            self.only_hidden &= ran.outcomes.iter().any(is_hidden_trap);
            self.found_at = self.runner.runs;
            // Compiled programs seldom show an access outside of an object: rather one of another kind.
            let times = if ran.outcomes.iter().any(is_hidden_trap) { HIDDEN } else { 1 };
            self.last_run = self.last_run.min(self.runner.runs + times * FURTHER);
            self.effort = self.effort.min(self.runner.cost + times * FURTHER_STEPS);
        }
        if ran.differs.is_some()
            && self.unpredictable.len() < MOST_UNPREDICTABLE
            && ran.outcomes.iter().any(|outcome| self.is_unpredictable(outcome))
        {
            self.unpredictable.push(entry.clone());
        }
        let nearer = self.runner.watch.nearest < self.nearest;
        self.nearest = self.nearest.min(self.runner.watch.nearest);
        let as_near = self.nearest != FAR && self.runner.watch.nearest == self.nearest;
        let further = self.goes_on_from.is_some_and(|blocks| {
            as_near && (blocks + 1..=blocks + A_STEP).contains(&self.runner.watch.blocks)
        });
        if ran.new_edge || nearer {
            self.progress_at = self.runner.cost;
        }
        self.steps += u64::from(as_near && (ran.new_edge || nearer || further));
        if let Some(constructions) = &mut self.constructions {
            constructions.note(ran.new_edge || nearer || as_near);
        }
        let new_path = ran.new_path && for_its_path && self.queue.len() < QUEUE;
        if ran.new_edge || nearer || new_path || further {
            self.enqueue(entry.clone(), &[&ran.outcomes[0], &ran.outcomes[1]]);
        }
        Some(ran.outcomes.iter().any(is_outside))
    }

    /// Whether a run executed an operation that the interpreter guesses: assembly, or what stands for an instruction
    /// that the model cannot express.
    fn is_unpredictable(&self, outcome: &Outcome) -> bool {
        outcome.world.events.iter().any(|event| match event {
            Event::Call { name, .. } => self.operations.contains(name),
            _ => false,
        })
    }

    fn enqueue(&mut self, entry: EntryState, ran: &[&Outcome]) {
        let called = |event: &Event| matches!(event, Event::Call { effect: Some(_), .. });
        self.has_unknown_calls |= ran.iter().any(|o| o.world.events.iter().any(called));
        let parameters = self.generators[0].parameters();
        let places = Places::of(self.programs[0], parameters, &entry, ran, &self.targets);
        self.note_givers(ran);
        let far = self.runner.watch.nearest;
        let item = Item { entry, places, analysed: false, glanced: false, far };
        if self.queue.len() < QUEUE * 2 {
            self.queue.push(item);
            return;
        }
        let mut at = self.random.below(self.queue.len() as u64) as usize;
        if self.is_nearest(&self.queue[at]) {
            // Rather another one; a second one of these is no loss.
            at = self.random.below(self.queue.len() as u64) as usize;
        }
        self.queue[at] = item;
    }

    /// Whether a state came as near to the change as any.
    fn is_nearest(&self, item: &Item) -> bool {
        self.nearest != FAR && item.far == self.nearest
    }

    /// The next entry state of the generators, made fit for both versions.
    fn generated(&mut self) -> EntryState {
        loop {
            let number = self.numbers_made;
            self.numbers_made += 1;
            // The new version's types now and then: they may say more.
            let side = if number % 3 == 2 { Side::New } else { Side::Old };
            let mut entry = self.generators[side.index()].entry(self.budget.seed, number);
            entry.globals.clear();
            if side == Side::New {
                match self.comparison.entry_for_other(Side::New, &entry) {
                    Some(translated) => entry = translated,
                    None => continue,
                }
            }
            self.make_fit(&mut entry);
            if !self.givers.is_empty() && !number.is_multiple_of(4) {
                self.give_all(&mut entry);
            }
            self.set_command_line(&mut entry);
            if let Some(constructions) = self.constructions.as_mut().filter(|_| number % 2 == 1) {
                let cost = constructions.put_into(&mut entry);
                self.runner.spend(cost);
            }
            self.runner.separate(&mut entry);
            return entry;
        }
    }

    /// One run from something new, or from something that got somewhere and is changed.
    fn vary(&mut self) {
        if self.is_over() {
            return;
        }
        let anew = if self.constructions.is_some() { CONSTRUCTED_ANEW } else { ANEW };
        if self.queue.is_empty() || self.random.chance(anew) {
            let entry = self.generated();
            self.attempt(&entry);
            return;
        }
        let mut at = self.random.below(self.queue.len() as u64) as usize;
        if self.nearest != FAR && self.random.chance(60) {
            let near: Vec<usize> =
                (0..self.queue.len()).filter(|at| self.is_nearest(&self.queue[*at])).collect();
            at = self.random.pick(&near).unwrap_or(at);
        }
        let places = std::mem::take(&mut self.queue[at].places);
        let mut entry = self.queue[at].entry.clone();
        self.mutate(&mut entry, &places);
        self.runner.separate(&mut entry);
        self.queue[at].places = places;
        self.attempt(&entry);
    }

    /// Allows longer runs when short ones have had their share. Loops are longer for larger
    /// inputs, mostly: so those that end now are found by larger and larger strides, then by halving.
    fn raise(&mut self) {
        let Some((from, steps)) = AGAIN.get(self.level) else { return };
        if self.runner.cost < *from || self.cut_off.is_empty() {
            return;
        }
        self.level += 1;
        let states: Vec<_> = std::mem::take(&mut self.cut_off).into_iter().collect();
        self.runner.set_steps(*steps);
        let (mut low, mut high, mut stride) = (0, states.len(), Some(3));
        while low < high && !self.is_over() {
            let middle = stride.map_or((low + high) / 2, |stride| high.min(low + stride) - 1);
            if self.attempt(&states[middle].1) {
                self.progress_at = self.runner.cost;
                low = middle + 1;
                stride = stride.map(|stride| stride * 2);
            } else {
                high = middle;
                stride = None;
            }
        }
        self.cut_off.extend(states.into_iter().skip(high));
        self.runner.set_steps(LONGER.max(self.size * LONGER_EACH).max(self.usual));
    }

    /// The parameters of the old version.
    pub(super) fn parameters(&self) -> &[Parameter<'a>] {
        self.generators[0].parameters()
    }

    /// How large the largest argument of a state is: how many bits it has, or how many it
    /// lacks to be the largest of all.
    fn magnitude(&self, entry: &EntryState) -> u32 {
        let size = |(value, parameter): (&Value, &Parameter<'_>)| match value {
            Value::Pointer(_) => 0,
            Value::Bits(bits) => {
                let missing = 128 - (!bits & parameter.ty.mask()).leading_zeros();
                let has = 128 - bits.leading_zeros();
                if has < u32::from(parameter.ty.width()) { has } else { 512 - missing }
            }
        };
        entry.args.iter().zip(self.parameters()).map(size).max().unwrap_or(0)
    }
}

/// Whether a run ended with a trap that a compiled program may pass by.
fn is_hidden_trap(outcome: &Outcome) -> bool {
    use Trap::{OutOfBounds, Uninitialised, UseAfterFree};
    matches!(&outcome.end, End::Trapped { trap: OutOfBounds | Uninitialised | UseAfterFree, .. })
}

/// The operations of both versions that the interpreter guesses, by name.
fn operations(comparison: &Comparison) -> BTreeSet<String> {
    let externals = Side::BOTH.into_iter().flat_map(|side| &comparison.program(side).externals);
    let guessed = externals.filter(|e| e.kind == ExternalKind::Assembly && !e.name.is_empty());
    guessed.map(|external| external.name.clone()).collect()
}
