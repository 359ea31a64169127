//! Runs of both versions from the same states: which cut points they pass, and what the variables are there.

use super::cases::Case;
use super::{Cut, CutPoint};
use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use verdiff_judge::{Side, Task};
use verdiff_model::generate::Generator;
use verdiff_model::interp::{Limits, Machine, Observer};
use verdiff_model::state::{self, End, EntryState, Value};
use verdiff_model::{Frame, ProcId};

/// How many states are tried, and how many runs are kept.
const STATES: u64 = 200;
const RUNS: usize = 32;
/// Longer runs say nothing that shorter ones do not.
const VISITS: usize = 72;
const LIMITS: Limits = Limits { steps: 12_000, depth: 400, memory: 4 << 20, objects: 1 << 12 };

/// The numbers of the variables of both sides at a pair of places; `None` where one has no value.
pub type Point = [Vec<Option<u128>>; 2];

/// A place that a run passes.
#[derive(Clone, Debug)]
pub struct Visit {
    pub place: CutPoint,
    pub values: Vec<Option<u128>>,
    /// A number for what memory holds: equal where both versions have the same in memory.
    pub stored: u64,
    /// The hash of all outputs so far.
    pub world: u64,
    /// What was stored since the visit before.
    pub changes: Vec<Change>,
}

/// A store.
#[derive(Clone, Debug)]
pub struct Change {
    pub address: u64,
    pub bytes: Vec<u8>,
    /// What was there before, if it had a value.
    pub before: Option<Vec<u8>>,
}

/// One run of each version from one state, from the start to the return.
#[derive(Clone, Debug)]
pub struct Run {
    pub visits: [Vec<Visit>; 2],
    /// The parameters at the entry.
    pub entry: Vec<Option<u128>>,
    /// Whether both outcomes are equal.
    pub equal: bool,
}

impl Run {
    /// Whether any loop was passed more than once.
    pub fn iterates(&self) -> bool {
        let again = |visits: &Vec<Visit>| {
            let heads = visits.iter().filter(|visit| matches!(visit.place, CutPoint::Head(_)));
            let mut places: Vec<CutPoint> = heads.map(|visit| visit.place).collect();
            let all = places.len();
            places.sort();
            places.dedup();
            places.len() < all
        };
        self.visits.iter().any(again)
    }
}

struct Watch<'a> {
    heads: &'a [ProcId],
    root: ProcId,
    visits: Vec<Visit>,
    results: Vec<Option<u128>>,
    entry: Option<Vec<Option<u128>>>,
    memory: BTreeMap<u64, u8>,
    stored: u64,
    world: u64,
    changes: Vec<Change>,
}

impl<'a> Watch<'a> {
    fn new(heads: &'a [ProcId], root: ProcId) -> Watch<'a> {
        let mut watch = Watch {
            heads,
            root,
            visits: vec![],
            results: vec![],
            entry: None,
            memory: BTreeMap::new(),
            stored: 0,
            world: 0,
            changes: vec![],
        };
        watch.visit(CutPoint::Start, vec![]);
        watch
    }

    fn visit(&mut self, place: CutPoint, values: Vec<Option<u128>>) {
        let changes = std::mem::take(&mut self.changes);
        let (stored, world) = (self.stored, self.world);
        self.visits.push(Visit { place, values, stored, world, changes });
    }
}

/// The part of one byte in the number for all that was stored.
fn part(address: u64, byte: u8) -> u64 {
    let mut hasher = DefaultHasher::new();
    (address, byte).hash(&mut hasher);
    hasher.finish()
}

impl Observer for Watch<'_> {
    const ARGUMENTS: bool = true;
    const STORES: bool = true;

    fn arguments(&mut self, procedure: ProcId, arguments: &[Option<u128>]) {
        if procedure == self.root && self.entry.is_none() {
            self.entry = Some(arguments.to_vec());
        }
        if self.heads.contains(&procedure) && self.visits.len() <= VISITS {
            self.visit(CutPoint::Head(procedure), arguments.to_vec());
        }
    }

    fn world(&mut self, hash: u64) {
        self.world = hash;
    }

    fn stored(&mut self, address: u64, bytes: &[u8], before: Option<&[u8]>) {
        for (n, byte) in bytes.iter().enumerate() {
            let at = address.wrapping_add(n as u64);
            let first = before.map_or(0, |bytes| bytes[n]);
            let held = self.memory.insert(at, *byte).unwrap_or(first);
            self.stored ^= part(at, held) ^ part(at, *byte);
        }
        let before = before.map(<[u8]>::to_vec);
        self.changes.push(Change { address, bytes: bytes.to_vec(), before });
    }

    fn results(&mut self, procedure: ProcId, results: &[Option<u128>]) {
        if procedure == self.root {
            self.results = results.to_vec();
        }
    }
}

/// All runs that return on both sides, from states such as callers may have.
pub fn runs(task: &Task<'_>, cut: &Cut) -> Vec<Run> {
    let comparison = task.comparison;
    let pair = comparison.pair(task.pair);
    let procedure = comparison.old.program.procedure(pair.old);
    // Regions are not called in compiled form, so they have no frame.
    let known = comparison.old.frames.get(pair.old.index());
    let plain = Frame::plain(procedure);
    let frame = known.filter(|frame| frame.args.len() == procedure.params.len()).unwrap_or(&plain);
    let generator = Generator::new(&comparison.old.program);
    let states = generator.for_procedure(pair.old, frame);
    let programs = &cut.facts.programs;
    let mut machines = [Machine::new(&programs[0]), Machine::new(&programs[1])];
    let preconditions = preconditions(task);
    let mut found: Vec<Run> = vec![];
    for number in 0..STATES {
        let old = states.entry(comparison.settings.seed, number);
        let Some(new) = comparison.entry_for_other(Side::Old, &old) else { continue };
        if !preconditions.iter().all(|id| holds(&mut machines[0], *id, &old)) {
            continue;
        }
        let mut visits = [vec![], vec![]];
        let mut outcomes = vec![];
        let mut values = vec![];
        let mut ended = true;
        for (side, entry) in [(Side::Old, &old), (Side::New, &new)] {
            let heads = &cut.heads[side.index()];
            let mut watch = Watch::new(heads, pair.of(side));
            let machine = &mut machines[side.index()];
            let outcome = machine.run_observed(pair.of(side), entry, &LIMITS, &mut watch);
            ended &= matches!(outcome.end, End::Returned(_)) && watch.visits.len() <= VISITS;
            let results = std::mem::take(&mut watch.results);
            watch.world = outcome.world.hash;
            watch.visit(CutPoint::End, results);
            visits[side.index()] = watch.visits;
            if side == Side::Old {
                values = watch.entry.unwrap_or_default();
                // What the parameters were is known wherever the old version is ([`Cut::vars`]).
                for visit in visits[0].iter_mut().filter(|v| v.place != CutPoint::Start) {
                    visit.values.extend(&values);
                }
            }
            outcomes.push(outcome);
        }
        if ended {
            let run = |side: usize, entry| state::Run {
                program: &programs[side],
                entry,
                outcome: &outcomes[side],
            };
            let equal = state::compare(run(0, &old), run(1, &new)).is_none();
            found.push(Run { visits, entry: values, equal });
        }
    }
    found
}

/// A few of the runs of a case, in turn of each kind: those that pass the same loops are of one kind. Those that go round
/// most often say most, but short ones have the exceptions.
pub fn some(all: &[Run], case: &Case) -> Vec<Run> {
    let mut kinds: BTreeMap<Vec<Vec<CutPoint>>, Vec<&Run>> = BTreeMap::new();
    for run in all.iter().filter(|run| case.holds(run)) {
        let places = |visits: &Vec<Visit>| {
            let mut places: Vec<CutPoint> = visits.iter().map(|visit| visit.place).collect();
            places.sort();
            places.dedup();
            places
        };
        kinds.entry(run.visits.iter().map(places).collect()).or_default().push(run);
    }
    let share = RUNS.div_ceil(kinds.len().max(1));
    let mut columns: Vec<Vec<&Run>> = vec![];
    for mut runs in kinds.into_values() {
        runs.sort_by_key(|run| std::cmp::Reverse(run.visits[0].len() + run.visits[1].len()));
        let step = runs.len().div_ceil(share).max(1);
        columns.push(runs.into_iter().step_by(step).collect());
    }
    let longest = columns.iter().map(Vec::len).max().unwrap_or(0);
    let mut found = vec![];
    for row in 0..longest {
        found.extend(columns.iter().filter_map(|runs| runs.get(row)).map(|run| (*run).clone()));
    }
    found
}

/// The procedures that say whether the user's preconditions hold.
fn preconditions(task: &Task<'_>) -> Vec<ProcId> {
    let comparison = task.comparison;
    let function = &comparison.pair(task.pair).function;
    let own = comparison.settings.assume.iter().filter(|(f, _)| f == function);
    own.filter_map(|(_, name)| comparison.old.program.procedure_named(name)).collect()
}

fn holds(machine: &mut Machine<'_>, precondition: ProcId, entry: &EntryState) -> bool {
    match machine.run(precondition, entry, &LIMITS).end {
        End::Returned(values) => match values.first().and_then(|value| value.value.as_ref()) {
            Some(Value::Bits(bits)) => *bits != 0,
            _ => false,
        },
        _ => false,
    }
}
