//! Runs of both versions from the same states: with which arguments loops and recursive functions are entered.

use std::collections::BTreeSet;
use verdiff_judge::{Side, Task};
use verdiff_model::generate::Generator;
use verdiff_model::interp::{Limits, Machine, Observer};
use verdiff_model::state::End;
use verdiff_model::{Frame, ProcId};
use verdiff_product::ProgramFacts;

/// How many states are tried, and how many runs are kept.
const STATES: u64 = 240;
const RUNS: usize = 48;
/// Longer runs say nothing that shorter ones do not.
const VISITS: usize = 96;
/// How many of the last visits are kept of a run that does not come to an end, and of all such runs.
const LATE: usize = 16;
const MOST_LATE: usize = 256;
const LIMITS: Limits = Limits { steps: 20_000, depth: 2000, memory: 8 << 20, objects: 1 << 12 };

/// One visit: of what, with which arguments, and what came of it.
pub struct Visit {
    pub procedure: ProcId,
    pub args: Vec<Option<u128>>,
    pub results: Vec<Option<u128>>,
}

/// One run of each version from one state.
pub struct Trace {
    pub visits: [Vec<Visit>; 2],
}

/// What runs from many states show.
pub struct Runs {
    /// Those that came to an end on both sides.
    pub traces: Vec<Trace>,
    /// How often anything was visited at most, in one run that came to an end.
    pub longest: usize,
    /// For each version, whether a run had no end that was seen.
    pub unended: [bool; 2],
    /// The last visits that such runs made, none of which had ended.
    pub late: [Vec<Visit>; 2],
}

struct Watch<'a> {
    cut: &'a BTreeSet<ProcId>,
    visits: Vec<Visit>,
    /// How many there were, those that are not kept too.
    count: usize,
    /// For each procedure that runs, its visit, if it is one.
    running: Vec<Option<usize>>,
    /// The latest visits, in a ring.
    late: Vec<Visit>,
}

impl Watch<'_> {
    fn of(cut: &BTreeSet<ProcId>) -> Watch<'_> {
        Watch { cut, visits: vec![], count: 0, running: vec![], late: vec![] }
    }
}

impl Observer for Watch<'_> {
    const ARGUMENTS: bool = true;

    fn arguments(&mut self, procedure: ProcId, arguments: &[Option<u128>]) {
        let cut = self.cut.contains(&procedure);
        self.count += usize::from(cut);
        let wanted = self.visits.len() < VISITS && cut;
        self.running.push(wanted.then_some(self.visits.len()));
        let visit = || Visit { procedure, args: arguments.to_vec(), results: vec![] };
        if wanted {
            self.visits.push(visit());
        } else if cut && self.late.len() < LATE {
            self.late.push(visit());
        } else if cut {
            self.late[self.count % LATE] = visit();
        }
    }

    fn results(&mut self, _: ProcId, results: &[Option<u128>]) {
        if let Some(Some(visit)) = self.running.pop() {
            self.visits[visit].results = results.to_vec();
        }
    }
}

/// Runs from states such as callers may have.
pub fn traces(
    task: &Task<'_>,
    facts: &ProgramFacts,
    cut: &[BTreeSet<ProcId>; 2],
    seed: u64,
) -> Runs {
    let comparison = task.comparison;
    let pair = comparison.pair(task.pair);
    let (mut longest, mut unended) = (0, [false; 2]);
    let mut late = [vec![], vec![]];
    // Regions are not called in compiled form, so they have no frame.
    let procedure = comparison.old.program.procedure(pair.old);
    let known = comparison.old.frames.get(pair.old.index());
    let frame = known.filter(|frame| frame.args.len() == procedure.params.len());
    let plain = Frame::plain(procedure);
    let frame = frame.unwrap_or(&plain);
    let generator = Generator::new(&comparison.old.program);
    let states = generator.for_procedure(pair.old, frame);
    let mut machines = [Machine::new(&facts.programs[0]), Machine::new(&facts.programs[1])];
    let mut found: Vec<Trace> = vec![];
    for number in 0..STATES {
        let old = states.entry(seed, number);
        let Some(new) = comparison.entry_for_other(Side::Old, &old) else { continue };
        let mut visits = [vec![], vec![]];
        let mut ended = true;
        for (side, entry) in [(Side::Old, &old), (Side::New, &new)] {
            let mut watch = Watch::of(&cut[side.index()]);
            let machine = &mut machines[side.index()];
            let outcome = machine.run_observed(pair.of(side), entry, &LIMITS, &mut watch);
            let is_over = matches!(outcome.end, End::OutOfSteps | End::Stopped(_));
            ended &= matches!(outcome.end, End::Returned(_)) && watch.visits.len() < VISITS;
            if is_over {
                unended[side.index()] = true;
                let room = MOST_LATE - late[side.index()].len();
                late[side.index()].extend(watch.late.into_iter().take(room));
            } else {
                longest = longest.max(watch.count);
            }
            visits[side.index()] = watch.visits;
        }
        if ended && visits.iter().any(|v| !v.is_empty()) {
            found.push(Trace { visits });
        }
    }
    // Those that go round most often say most; but short ones have the exceptions.
    found.sort_by_key(|trace| std::cmp::Reverse(trace.visits[0].len() + trace.visits[1].len()));
    let step = found.len().div_ceil(RUNS).max(1);
    Runs { traces: found.into_iter().step_by(step).collect(), longest, unended, late }
}

/// How the visits of two procedures are taken together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pace {
    /// Every so manyth visit on each side, from the first.
    Strides(usize, usize),
    /// One by one, from the last.
    FromEnd,
    /// All visits on one side with the last one on the other, which waits.
    Last(usize),
    /// All visits on one side with the first one on the other, which waits.
    First(usize),
}

impl Trace {
    fn of(&self, side: usize, procedure: ProcId) -> Vec<&Visit> {
        self.visits[side].iter().filter(|visit| visit.procedure == procedure).collect()
    }

    /// How often each is visited.
    pub fn counts(&self, old: ProcId, new: ProcId) -> (usize, usize) {
        (self.of(0, old).len(), self.of(1, new).len())
    }

    /// The pairs of visits.
    pub fn together(&self, old: ProcId, new: ProcId, pace: Pace) -> Vec<[&Visit; 2]> {
        let (old, new) = (self.of(0, old), self.of(1, new));
        let pairs: Vec<(&Visit, &Visit)> = match pace {
            Pace::Strides(a, b) => {
                old.into_iter().step_by(a).zip(new.into_iter().step_by(b)).collect()
            }
            Pace::FromEnd => old.into_iter().rev().zip(new.into_iter().rev()).collect(),
            Pace::Last(0) => {
                old.last().into_iter().flat_map(|o| new.iter().map(|n| (*o, *n))).collect()
            }
            Pace::Last(_) => {
                new.last().into_iter().flat_map(|n| old.iter().map(|o| (*o, *n))).collect()
            }
            Pace::First(0) => {
                old.first().into_iter().flat_map(|o| new.iter().map(|n| (*o, *n))).collect()
            }
            Pace::First(_) => {
                new.first().into_iter().flat_map(|n| old.iter().map(|o| (*o, *n))).collect()
            }
        };
        pairs.into_iter().map(|(old, new)| [old, new]).collect()
    }
}
