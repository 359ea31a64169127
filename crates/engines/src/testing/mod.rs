//! Both procedures in the interpreter on the same entry states (docs/internals/engines.md, "testing").
//!
//! States are tried in the order of what they are worth: boundary values and numbers of either text; values that flip
//! a branch, solved for from what was compared (`solve.rs`); small changes of states that took a
//! new edge in either version (`mutate.rs`); random ones. Unknown external functions answer by
//! hashing, by other hashes, and as a branch would like it; they write to globals and allocations fail (`outside.rs`).
//!
//! Soundness: nothing is added to the judgement. A differing run becomes a
//! [`Candidate`], which is not believed until the compiled programs have shown it. A run that is cut off
//! says nothing. States are such that both versions could start from them: globals that nobody
//! can have changed hold what their initialisers say, and so do all globals under `main`; where
//! initialisers differ the state says what both find; pointers lead to functions that are common.
//!
//! Effort is counted in steps of the interpreter, so the same task and seed give the same findings
//! whenever the deadline was not reached.

mod beyond;
mod command_line;
mod constructed;
mod function_pointers;
mod input_locations;
mod interesting_numbers;
mod mutate;
mod outside;
mod returned_pointers;
mod runner;
mod scene;
mod search;
mod simplest;
mod solve;
mod source_values;
mod sweep;
mod watch;

use constructed::Constructions;
pub use constructed::constructing;
use runner::Runner;
use search::DifferenceSearch;
use source_values::Text;
use std::rc::Rc;
use verdiff_judge::{
    Budget, Candidate, Comparison, Depth, Engine, Findings, Incomplete, Kind, PairId, Side,
    StopReason, Task,
};
use verdiff_model::generate::Generator;
use verdiff_model::{Procedure, Type};
use verdiff_product::direction::Direction;

/// A run of a procedure with more statements than this takes longer, and more is spent on it,
pub const LARGE: u64 = 250;
/// up to so many times as much.
const MOST_TIMES: u64 = 4;

/// What makes the states of a longer search others than those of the short one.
const OTHER_SEED: u64 = 0x5eed;

/// How much is tried, in steps of the interpreter. Of a part that was cut out of a pair only a proof is of use.
fn steps(depth: Depth, size: u64, is_part: bool) -> u64 {
    let steps = match depth {
        Depth::Glance => 600_000,
        Depth::Quick if is_part => 1_500_000,
        // Half a second or so: less than induction takes to find that there is none.
        Depth::Full => 40_000_000,
        Depth::Quick | Depth::InParts => 6_000_000,
        Depth::Thorough => 250_000_000,
    };
    steps * (size / LARGE).clamp(1, MOST_TIMES)
}

/// The engine.
#[derive(Debug, Default)]
pub struct Testing {
    /// Where the change of a pair is.
    direction: Option<(PairId, Option<Rc<Direction>>)>,
}

impl Testing {
    fn direction(&mut self, comparison: &Comparison, pair: PairId) -> Option<Rc<Direction>> {
        if self.direction.as_ref().is_none_or(|(known, _)| *known != pair) {
            self.direction = Some((pair, Direction::of(comparison, pair).map(Rc::new)));
        }
        self.direction.as_ref().and_then(|(_, direction)| direction.clone())
    }
}

impl Engine for Testing {
    fn name(&self) -> &'static str {
        "testing"
    }

    fn run(&mut self, task: &Task<'_>, budget: &Budget) -> Findings {
        let comparison = task.comparison;
        let pair = comparison.pair(task.pair);
        let incomplete = |why| Findings::nothing(StopReason::incomplete(why));
        if !pair.same_interface {
            return incomplete(Incomplete::Signature);
        }
        let generators = Side::BOTH.map(|side| Generator::new(comparison.program(side)));
        let mut makers = Side::BOTH.map(|side| {
            let frames = &comparison.version(side).frames;
            let frame = frames.get(pair.of(side).index()).cloned().unwrap_or_default();
            generators[side.index()].for_procedure(pair.of(side), &frame)
        });
        let [old, new] = &mut makers;
        old.learn(new);
        new.learn(old);
        let text = Text::of(comparison, task.judgements, task.pair);
        let parameters = [makers[0].parameters(), makers[1].parameters()];
        let Some(mut runner) = Runner::new(comparison, pair, parameters, &text) else {
            return incomplete(Incomplete::Precondition);
        };
        if budget.depth != Depth::Glance {
            runner.watch.direction = self.direction(comparison, task.pair);
        }
        let size = Side::BOTH.map(|side| size(comparison.procedure(task.pair, side)));
        let size = size[0].max(size[1]);
        let effort = steps(budget.depth, size, !comparison.sub_pairs.is_empty());
        let mut budget = *budget;
        if budget.depth == Depth::Full {
            // Not what the short search did, once more.
            budget.seed ^= OTHER_SEED;
        }
        let mut search =
            DifferenceSearch::new(comparison, runner, &text, &makers, budget, (effort, size));
        let types: Vec<Type> = makers[0].parameters().iter().map(|p| p.ty).collect();
        search.is_main = pair.function == "main" && types.starts_with(&[Type::Int(32), Type::Ptr]);
        // A region that goes on where the model stops says nothing of its procedure.
        search.may_read_beyond = comparison.sub_pairs.is_empty();
        if budget.depth != Depth::Glance && comparison.sub_pairs.is_empty() {
            let old = makers[0].parameters();
            search.construct(Constructions::of(comparison, task.pair, old, &text, budget.seed));
        }
        search.go();
        if budget.depth == Depth::Glance && search.only_hidden {
            // A compiled program may not show these, and what it does show ends the search: the next one looks longer.
            search.found.clear();
            search.both_trap = None;
        }
        let runs = search.runner.runs;
        let candidates = candidates(&mut search);
        let why = match candidates.is_empty() {
            false => Incomplete::OnlyTested { runs },
            true => Incomplete::NoDifference { runs, all: search.exhausted },
        };
        let stopped = Some(StopReason::incomplete(why));
        Findings { candidates, common_run: search.runner.common, stopped, ..Findings::default() }
    }
}

/// How many statements a procedure has.
pub fn size(procedure: &Procedure) -> u64 {
    procedure.blocks.iter().map(|block| block.stmts.len() as u64 + 1).sum()
}

/// The differing states, each as simple as could be found, the simplest first.
fn candidates(search: &mut DifferenceSearch<'_>) -> Vec<Candidate> {
    let found = std::mem::take(&mut search.found);
    let mut states: Vec<_> =
        found.into_iter().map(|(kind, entry)| search.simplest(kind, entry)).collect();
    states.sort_by_key(simplest::size);
    states.dedup();
    // A simple one may differ only as the interpreter guesses; the others say something else.
    let mut others = std::mem::take(&mut search.unpredictable);
    others.sort_by_key(simplest::size);
    others.extend(search.both_trap.take().map(|state| search.simplest(Kind::Trap, state)));
    others.retain(|state| !states.contains(state));
    states.extend(others);
    let candidate = |old| {
        let new = search.comparison.entry_for_other(Side::Old, &old)?;
        Some(Candidate::new("testing", old, new))
    };
    states.into_iter().filter_map(candidate).collect()
}
