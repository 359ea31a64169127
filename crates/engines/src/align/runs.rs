//! Runs of both versions from the same states: which cut points they pass, and what the variables are there.

use super::{Cut, CutPoint};
use verdiff_judge::{Side, Task};
use verdiff_model::generate::Generator;
use verdiff_model::interp::{Limits, Machine, Observer};
use verdiff_model::state::{End, EntryState, Value};
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
}

/// One run of each version from one state, from the start to the return.
pub struct Run {
    pub visits: [Vec<Visit>; 2],
}

struct Watch<'a> {
    heads: &'a [ProcId],
    root: ProcId,
    visits: Vec<Visit>,
    results: Vec<Option<u128>>,
}

impl Observer for Watch<'_> {
    const ARGUMENTS: bool = true;

    fn arguments(&mut self, procedure: ProcId, arguments: &[Option<u128>]) {
        if self.heads.contains(&procedure) && self.visits.len() <= VISITS {
            let place = CutPoint::Head(procedure);
            self.visits.push(Visit { place, values: arguments.to_vec() });
        }
    }

    fn results(&mut self, procedure: ProcId, results: &[Option<u128>]) {
        if procedure == self.root {
            self.results = results.to_vec();
        }
    }
}

/// Runs that return on both sides, from states such as callers may have.
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
        let mut ended = true;
        for (side, entry) in [(Side::Old, &old), (Side::New, &new)] {
            let heads = &cut.heads[side.index()];
            let start = Visit { place: CutPoint::Start, values: vec![] };
            let mut watch =
                Watch { heads, root: pair.of(side), visits: vec![start], results: vec![] };
            let machine = &mut machines[side.index()];
            let outcome = machine.run_observed(pair.of(side), entry, &LIMITS, &mut watch);
            ended &= matches!(outcome.end, End::Returned(_)) && watch.visits.len() <= VISITS;
            watch.visits.push(Visit { place: CutPoint::End, values: watch.results });
            visits[side.index()] = watch.visits;
        }
        if ended {
            found.push(Run { visits });
        }
    }
    // Those that go round most often say most; but short ones have the exceptions.
    found.sort_by_key(|run| std::cmp::Reverse(run.visits[0].len() + run.visits[1].len()));
    let step = found.len().div_ceil(RUNS).max(1);
    found.into_iter().step_by(step).collect()
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
