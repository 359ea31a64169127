//! Loop-free code, decided by one formula: "some outcome differs".
//!
//! Rule `flat`: both procedures, with callees inlined or seen as functions, are executed symbolically from one
//! entry state; the formula D says that some part of the outcomes differs. If D is unsatisfiable, U is valid. If it
//! is satisfiable, its model becomes an entry state that is run in the interpreter with the real callees; if the outcomes
//! do differ, it is a candidate. If not, it was the abstraction's fault, and the next attempt sees more: first
//! pairs of which something is known are functions, common to both versions where they are known to be equal, then everything that can be inlined is.
//!
//! Soundness of U: an abstracted callee is a function of all it may read and gives all it may write, and how it ended; it is
//! common to both versions only for arguments of which U of that pair holds (in calls, too), so every pair of runs that ends on both sides is an
//! interpretation of the functions. D unsatisfiable for all interpretations covers it.
//!
//! U of a pair that accesses memory through pointers is of use to callers only if it holds of every call. So where there are callers, both versions are
//! executed first from a state of which nothing is assumed ([`PointedTo::AnyCall`]): how an access ends and what is initialised are common to both
//! versions and otherwise any. If D is unsatisfiable then, U holds in calls; if not, nothing is lost, and the entry is taken as it is assumed to be.
//!
//! Soundness of the conditions: where D speaks of nothing but parameters and memory at entry and both sides surely end, it holds exactly of
//! the states on which they differ: D may be added to C, and its negation to U.

//!
//! With `--overflow=ub` an overflow is a trap in both programs (the front end has clang check for it), and what is given of the entry
//! state is that the old version does not end in one: nothing is proved of the others, and of these an overflow of the new version is an outcome
//! like any other. Such a U is not used at calls (`holds_in_calls` is false), where nobody knows that the old callee does not overflow.

mod decide;
mod equal_calls;
mod evidence;

use decide::Attempt;
use std::rc::Rc;
use verdiff_judge::{
    Addition, Budget, Engine, Evidence, Field, Findings, Incomplete, Obligation, PairId, Rule,
    Side, StopReason, Task,
};
use verdiff_logic::Formula;
use verdiff_logic::effort::Effort;
use verdiff_logic::solver::Z3;
use verdiff_product::Facts;
use verdiff_product::stop::{not_executable, reason};
use verdiff_symex::space::PointedTo;

/// What a proof of every call may take, where it is only for callers.
const OF_CALLS: Effort = Effort::millis(100);

/// The engine. One instance serves one comparison.
pub struct Flat {
    facts: Rc<Facts>,
}

impl Flat {
    /// An engine for the comparison that the facts are about.
    pub fn new(facts: &Rc<Facts>) -> Flat {
        Flat { facts: facts.clone() }
    }
}

impl Engine for Flat {
    fn name(&self) -> &'static str {
        "flat"
    }

    fn run(&mut self, task: &Task<'_>, budget: &Budget) -> Findings {
        let _contexts = Z3::keep_contexts();
        let comparison = task.comparison;
        if let Some(reason) = not_executable(task) {
            return Findings::nothing(reason);
        }
        let facts = match self.facts.about(task) {
            Ok(facts) => facts.written(),
            Err(reason) => return Findings::nothing(reason),
        };
        let mut stopped = None;
        let mut ways = vec![];
        if facts.calls_known(task) {
            ways.push(true);
        }
        // Bodies in place of all calls may be too much to even try.
        match facts.repeats(comparison.pair(task.pair)) {
            false => ways.push(false),
            true => {
                stopped = Some(StopReason::incomplete(Incomplete::TooManyCalls));
            }
        }
        let mut attempts: Vec<(bool, PointedTo)> = vec![];
        let is_part = comparison.procedure(task.pair, Side::Old).outlined_from.is_some();
        let heap_code =
            !comparison.settings.overflow_undefined && facts.reaches_unchanged_heap_code(task);
        if heap_code || facts.proof_of_calls_helps(task) {
            attempts.extend(ways.iter().map(|way| (*way, PointedTo::AnyCall)));
        }
        attempts.extend(ways.iter().map(|way| (*way, PointedTo::LargeEnough)));
        let mut found: Option<Findings> = None;
        let count = attempts.len() as u64;
        for (number, (abstracting, pointed_to)) in attempts.into_iter().enumerate() {
            // The first attempts leave something for those that see more.
            let share = budget.left() / (count - number as u64);
            let mut part = budget.at_most(share.max(Effort::millis(20)));
            if pointed_to == PointedTo::AnyCall && !is_part && !heap_code {
                // For callers only: the pair itself comes first.
                part = part.at_most(OF_CALLS);
            }
            let mut attempt = Attempt::new(*task, facts, abstracting, pointed_to, &part);
            match attempt.run(&part) {
                Ok(findings) => {
                    let whole = findings.additions.iter().any(|a| a.formula.is_true())
                        || findings.candidates.iter().any(|c| c.condition.is_some());
                    if !whole && pointed_to == PointedTo::AnyCall {
                        continue;
                    }
                    let open = findings.additions.is_empty() && findings.candidates.is_empty();
                    // What was seen with functions for callees that are known in part says something; those who look into them say more.
                    if whole || findings.hopeless || !open && !attempt.product.usage.partly {
                        return findings;
                    }
                    stopped = later(stopped, findings.stopped.clone());
                    found = Some(match found.take() {
                        Some(before) => together(before, findings),
                        None => findings,
                    });
                }
                Err(_) if pointed_to == PointedTo::AnyCall => {}
                Err(stop) => stopped = later(stopped, Some(reason(task, &stop))),
            }
            if budget.is_over() {
                stopped = later(stopped, Some(StopReason::Time));
                break;
            }
        }
        let reason = stopped.unwrap_or_else(|| StopReason::incomplete(Incomplete::NoAttempt));
        let found = found.unwrap_or(Findings::nothing(reason.clone()));
        let shown = !found.candidates.is_empty();
        Findings { stopped: (!shown).then_some(reason), ..found }
    }
}

/// What two attempts found, neither of which decided everything.
fn together(first: Findings, second: Findings) -> Findings {
    let mut all = first;
    for addition in second.additions {
        if !all.additions.contains(&addition) {
            all.additions.push(addition);
        }
    }
    if all.candidates.is_empty() {
        all.candidates = second.candidates;
    }
    all.common_run |= second.common_run;
    all
}

/// The last attempt saw most: what stopped it says most, unless the other is graver.
fn later(before: Option<StopReason>, now: Option<StopReason>) -> Option<StopReason> {
    match (before, now) {
        (Some(a), Some(b)) => Some(b.graver(a)),
        (a, b) => b.or(a),
    }
}

/// An addition by this engine.
fn addition(
    adds: Field,
    formula: Formula,
    rule: Rule,
    obligations: Vec<Obligation>,
    uses: Vec<PairId>,
) -> Addition {
    Addition::new(formula, Evidence { obligations, uses, ..Evidence::new(adds, "flat", rule) })
}
