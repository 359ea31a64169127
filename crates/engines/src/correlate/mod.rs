//! Speculative correlation: what two versions have to do with each other, in linear terms (Partush and Yahav,
//! *Abstract
//! semantic differencing via speculative correlation*, OOPSLA 2014).
//!
//! Both versions are interpreted together over convex polyhedra and linear forms modulo 2^w ([`state`]), in an
//! interleaving that
//! is searched for ([`search`]). The result describes the states at the points that can be seen: outputs and ends.
//!
//! **What a claim means.** At a pair of locations, whenever both versions get there in the interleaving from
//! equal entry
//! states, one of the listed states is the case. If a version does not get there, because it loops or traps on
//! the way,
//! nothing is said. So an empty map proves nothing, and nothing here is added to a judgement: the polyhedra's
//! proof has
//! no obligation that another solver could check bit by bit. (✗ `s += 1;` against `s += 2;`, as regions: an
//! interleaving that runs
//! the old version to its end first never meets the pair of entries again.)
//!
//! **Why it is sound.** Each step over-approximates what the statements do ([`step`], [`numbers`]), whatever
//! the order of
//! versions, since neither sees the other's variables. A separate pass checks that the map is inductive
//! before anything is described.

mod affine;
mod candidates;
mod describe;
mod flow;
mod hull;
mod map;
mod numbers;
mod search;
mod space;
mod state;
mod step;
mod value;

pub use candidates::{Correlated, candidates};
pub use map::{Claim, Claims, Map, MeetingPoint};

use describe::Describer;
use map::Moves;
use search::{InterleavingSearch, Stop, UNROLLED};
use space::Space;
use std::rc::Rc;
use value::Terms;
use verdiff_judge::PairId;
use verdiff_judge::correlation::{Correlation, CorrelationStop, EventKind, Point};
use verdiff_model::{Callee, StmtKind};
use verdiff_polyhedra::ConversionLimits;
use verdiff_product::Facts;

/// Windows, partition intervals, and whether sub-states are kept apart by flags (parameters that are compared with
/// constants), tried in this order until no difference is left or the budget is spent.
const SEARCHES: [(u32, usize, bool); 5] =
    [(2, 1, false), (2, 1, true), (2, 3, false), (3, 2, true), (4, 4, true)];

/// The search that is made twice, without flags and with them.
const FLAGGED: (u32, usize) = (2, 1);

/// What operations on polyhedra may cost. Beyond it octagons take their place.
#[derive(Clone, Copy)]
struct Precision {
    each: ConversionLimits,
    all: u64,
}

/// For those who want to know.
const FULL: Precision = Precision {
    each: ConversionLimits { rows: 300, bits: 256, steps: 2_000_000 },
    all: 200_000_000,
};
/// For a paragraph of a report: a tenth of a second at most, for nearly all functions.
const QUICK: Precision =
    Precision { each: ConversionLimits { rows: 40, bits: 128, steps: 20_000 }, all: 2_000_000 };
/// How many steps a paragraph of a report is worth.
const QUICK_STEPS: u64 = 800;

/// Correlates the versions of a pair within so many steps. `None` for the map if there is none.
pub fn correlate(facts: &Rc<Facts>, pair: PairId, steps: u64) -> (Correlation, Option<Map>) {
    within(facts, pair, steps, FULL)
}

/// The same at little cost, and with less precision.
pub fn correlate_quickly(facts: &Rc<Facts>, pair: PairId) -> (Correlation, Option<Map>) {
    within(facts, pair, QUICK_STEPS, QUICK)
}

fn within(
    facts: &Rc<Facts>,
    pair: PairId,
    steps: u64,
    precision: Precision,
) -> (Correlation, Option<Map>) {
    let comparison = facts.comparison();
    let function = comparison.pair(pair).function.clone();
    let nothing = |stopped, spent| {
        let stopped = Some(stopped);
        (
            Correlation {
                function: function.clone(),
                stopped,
                steps: spent,
                ..Correlation::default()
            },
            None,
        )
    };
    for side in verdiff_model::Side::BOTH {
        let procedure = comparison.procedure(pair, side);
        if let Some(unsupported) = procedure.unsupported.first() {
            let (construct, line) = (unsupported.construct.clone(), unsupported.loc.line);
            return nothing(CorrelationStop::Unsupported { construct, line }, 0);
        }
    }
    let mut left = steps;
    // First with the hypothesis that calls of the pair itself are equal: the equality of all ends justifies it,
    // by induction on
    // the depth of the recursion. Otherwise without.
    let mut best: Option<(u64, Correlation, Map)> = None;
    let mut stopped = CorrelationStop::Budget;
    for induction in [true, false] {
        let space = Space::of(facts, pair, induction, precision);
        let calls_itself = verdiff_model::Side::BOTH.iter().any(|side| {
            let (id, version) = (comparison.pair(pair).of(*side), space.version(*side));
            let mut callees = version.procedure.blocks.iter().flat_map(|block| &block.stmts);
            callees.any(|stmt| {
                matches!(&stmt.kind, StmtKind::Call { callee: Callee::Procedure(there), .. } if *there == id)
            })
        });
        if induction && !calls_itself {
            continue;
        }
        let mut flags = false;
        for (window, interval, by_flags) in SEARCHES {
            // Without flags it would be the search before.
            if by_flags && !flags && (window, interval) == FLAGGED {
                continue;
            }
            let mut terms = Terms::default();
            let how = (window, interval, by_flags);
            let mut search = InterleavingSearch::new(&space, &mut terms, how, left.min(steps / 2));
            let before = search.left;
            let outcome = search.run().and_then(|()| search.is_inductive());
            left -= before - search.left;
            match outcome {
                Err(Stop::Unsupported(what)) => {
                    let stopped = CorrelationStop::Unsupported { construct: what.0, line: what.1 };
                    return nothing(stopped, steps - left);
                }
                Err(Stop::Budget) => break,
                Ok(false) => stopped = CorrelationStop::NotInductive,
                Ok(true) => {
                    flags |= search.saw_flags;
                    let describer = Describer { space: &space };
                    let moves = search.successors().unwrap_or_else(|_| Moves::new());
                    let points = describer.points(&mut search);
                    let equal = points.iter().all(|point| point.equal);
                    if induction && !equal {
                        continue;
                    }
                    let difference = points.iter().map(difference).sum::<u64>();
                    // States that are kept apart by iterations are hard to read: only if they prove more.
                    let fewer = |(before, other, _): &(u64, Correlation, Map)| match interval {
                        UNROLLED.. => differing_ends(&points) < differing_ends(&other.points),
                        _ => difference < *before,
                    };
                    if best.as_ref().is_none_or(fewer) {
                        let meetings = describer.meetings(&mut search, &moves);
                        let correlation = Correlation {
                            function: function.clone(),
                            window,
                            interval: interval as u32,
                            steps: 0,
                            inductive: true,
                            induction,
                            points,
                            meetings,
                            stopped: None,
                        };
                        best = Some((difference, correlation, Map::of(&space, &search)));
                    }
                    if equal {
                        break;
                    }
                }
            }
        }
        if best.is_some() {
            break;
        }
    }
    match best {
        Some((_, correlation, map)) => {
            (Correlation { steps: steps - left, ..correlation }, Some(map))
        }
        None => nothing(stopped, steps - left),
    }
}

/// How much differs at a point: the part of its states in which what can be seen may differ, at ends much more; and how
/// many variables, on average, are not equal. A map with more sub-states is not a worse one.
fn difference(point: &Point) -> u64 {
    let count = point.states.len().max(1) as u64;
    let names = point.states.iter().map(|state| state.unequal.len() as u64).sum::<u64>();
    let differing = point.states.iter().filter(|state| !state.seen_equal).count() as u64;
    let output = matches!(point.old.kind, EventKind::Output(_));
    let weight = if output { 1_000 } else { 101_000 };
    (names + weight * differing) / count
}

/// At how many pairs of ends something may differ; twice as many if that is so without an overflow.
fn differing_ends(points: &[Point]) -> usize {
    let ends = points.iter().filter(|point| !matches!(point.old.kind, EventKind::Output(_)));
    let weight = |point: &Point| {
        let mut differing = point.states.iter().filter(|state| !state.seen_equal);
        if differing.any(|state| !state.overflowed) { 2 } else { usize::from(!point.equal) }
    };
    ends.map(weight).sum()
}
