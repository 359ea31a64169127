//! Whether a path can be taken: one oracle for all explorations.
//!
//! It may rule out only what cannot be taken; everything else is followed, so an oracle that knows little costs time but
//! not truth. Answers of the solver are kept by the solver itself, which is the one cache.

use verdiff_judge::Budget;
use verdiff_logic::effort::Effort;
use verdiff_logic::solver::{self, Answer, Decide, Limits, Query};
use verdiff_logic::{Assignment, Evaluator, TermId};
use verdiff_symex::paths::Feasible;
use verdiff_symex::space::Space;

/// For one question whether a path can be taken.
pub const FEASIBLE_TIME: Effort = Effort::millis(50);
/// How many cases are looked at before a solver is asked.
const CASES: usize = 60;

/// How much is done to rule a path out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Means {
    /// Rewriting alone.
    Rewriting,
    /// A solver.
    Solver {
        /// For one question.
        patience: Effort,
        /// Whether it is tried by rewriting and by cases first.
        by_cases_first: bool,
    },
}

/// The oracle.
pub struct Feasibility<'o> {
    given: &'o [TermId],
    demand: Option<TermId>,
    means: Means,
    solver: Option<Box<dyn Decide>>,
    /// Whether the last state that took a path is tried on the next one before a solver is asked, and that state.
    remembering: bool,
    last: Option<Assignment>,
}

impl<'o> Feasibility<'o> {
    /// By rewriting alone: for explorations that must cost little.
    pub fn by_rewriting() -> Feasibility<'o> {
        Feasibility {
            given: &[],
            demand: None,
            means: Means::Rewriting,
            solver: None,
            remembering: false,
            last: None,
        }
    }

    /// By a solver, from states of which `given` holds, until the budget of the product is over: then paths wait.
    pub fn by_solver(given: &'o [TermId]) -> Feasibility<'o> {
        let means = Means::Solver { patience: FEASIBLE_TIME, by_cases_first: false };
        let solver = Some(Box::new(solver::standard()) as _);
        Feasibility { given, demand: None, means, solver, remembering: false, last: None }
    }

    /// The same, by rewriting and by cases first, and with more patience: for few paths with many numbers in them.
    pub fn by_cases(given: &'o [TermId], patience: Effort) -> Feasibility<'o> {
        let means = Means::Solver { patience, by_cases_first: true };
        Feasibility { means, ..Feasibility::by_solver(given) }
    }

    /// The same, for paths that are followed one after the other: a state that took one of them mostly takes one of those
    /// that go on from it.
    pub fn remembering(self) -> Feasibility<'o> {
        Feasibility { remembering: true, ..self }
    }

    /// The same, with so much effort for one question.
    pub fn patient(self, patience: Effort) -> Feasibility<'o> {
        let means = match self.means {
            Means::Rewriting => Means::Rewriting,
            Means::Solver { by_cases_first, .. } => Means::Solver { patience, by_cases_first },
        };
        Feasibility { means, ..self }
    }

    /// Paths on which `demand` cannot hold wait, for nobody asks for them.
    pub fn demanding(self, demand: Option<TermId>) -> Feasibility<'o> {
        Feasibility { demand, ..self }
    }

    /// Whether the conditions of a path can hold together.
    pub(crate) fn of(&mut self, space: &mut Space, path: &[TermId], budget: &Budget) -> Feasible {
        if path.iter().any(|t| space.pool.as_bool(*t) == Some(false)) {
            return Feasible::No;
        }
        let Means::Solver { patience, by_cases_first } = self.means else {
            return match space.and(path).and_then(|all| space.tidy(all)) {
                Ok(all) if all == space.pool.falsity() => Feasible::No,
                _ => Feasible::Maybe,
            };
        };
        if budget.is_over() {
            return Feasible::Later;
        }
        let mut assertions = self.given.to_vec();
        assertions.extend_from_slice(path);
        let by_cases = by_cases_first.then(|| excluded_by_cases(space, &assertions)).flatten();
        match by_cases {
            Some(true) => return Feasible::No,
            Some(false) if self.demand.is_none() => return Feasible::Maybe,
            _ => {}
        }
        // Nothing is said of the path.
        let trivial = path.iter().all(|t| space.pool.as_bool(*t) == Some(true));
        if !trivial && self.excluded(space, &assertions, patience) {
            return Feasible::No;
        }
        assertions.extend(self.demand);
        match self.demand.is_some() && self.excluded(space, &assertions, patience) {
            true => Feasible::Later,
            false => Feasible::Maybe,
        }
    }

    /// Whether a solver says that the assertions exclude each other, with what holds of the objects they speak of.
    fn excluded(&mut self, space: &mut Space, assertions: &[TermId], time: Effort) -> bool {
        let Ok(mut all) = space.axioms_about(assertions) else { return false };
        all.extend_from_slice(assertions);
        if let Some(last) = &self.last {
            let mut evaluator = Evaluator::new(last);
            let holds = |t: &TermId| {
                evaluator.eval(&space.pool, *t).is_ok_and(|value| value.as_bool() == Some(true))
            };
            // What was decided last comes first: mostly that alone is not known to hold.
            if all.iter().rev().all(holds) {
                return false;
            }
        }
        let query = Query { assertions: &all, assumptions: &[] };
        let limits = Limits::effort(time);
        let solver = self.solver.get_or_insert_with(|| Box::new(solver::standard()));
        let answer = solver.decide(&mut space.pool, &query, &limits);
        let is_unsat = answer.is_unsat();
        if let (true, Answer::Sat(model)) = (self.remembering, answer) {
            self.last = Some(model);
        }
        is_unsat
    }
}

/// Whether rewriting or looking at cases says that the assertions exclude each other, or that they always hold.
fn excluded_by_cases(space: &mut Space, assertions: &[TermId]) -> Option<bool> {
    let all = space.and(assertions).and_then(|all| space.tidy(all)).ok()?;
    match space.pool.as_bool(all) {
        Some(holds) => Some(!holds),
        None => space.refute(all, CASES).ok()?.then_some(true),
    }
}
