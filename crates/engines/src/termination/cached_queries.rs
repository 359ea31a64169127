//! Questions to the solver, with the answers that were "no" kept: most of what is tried is refuted by a state that
//! was met before.

use verdiff_judge::{Budget, Obligation};
use verdiff_logic::effort::Effort;
use verdiff_logic::smtlib::{Script, Sharing};
use verdiff_logic::solver::{self, Answer, Decide, Limits, Query};
use verdiff_logic::{Assignment, Evaluator, LogicError, Op, TermId};
use verdiff_symex::space::Space;

/// What one question may take.
const MOST: Effort = Effort::millis(1500);
/// The same in the solver's own count, so that a slow machine gets the same answers.
const RESOURCE: u64 = 4_000_000;
/// How many states are kept.
const KEPT: usize = 64;
/// Obligations longer than this are not kept as text.
const MAX_SCRIPT: usize = 1 << 20;

/// Whether something follows.
#[derive(Clone, Debug)]
pub enum Implication {
    Yes,
    /// Not from this state.
    No(Assignment),
    Unknown,
}

impl Implication {
    pub fn is_yes(&self) -> bool {
        matches!(self, Implication::Yes)
    }
}

/// Asks, within a budget.
pub struct CachedQueries {
    budget: Budget,
    /// States that refuted something.
    models: Vec<Assignment>,
    /// What holds of the objects' addresses.
    axioms: Vec<TermId>,
    solver: Box<dyn Decide>,
}

impl CachedQueries {
    pub fn new(budget: Budget) -> CachedQueries {
        let solver = Box::new(solver::standard());
        CachedQueries { budget, models: vec![], axioms: vec![], solver }
    }

    /// Whether there is no time left.
    pub fn is_over(&self) -> bool {
        self.budget.is_over()
    }

    /// Speaks of another procedure now.
    pub fn turn_to(&mut self, space: &mut Space) -> Result<(), LogicError> {
        self.models.clear();
        self.axioms = space.axioms()?;
        Ok(())
    }

    /// Whether the conjunction of the premises implies the conclusion.
    pub fn implies(
        &mut self,
        space: &mut Space,
        premises: &[TermId],
        conclusion: TermId,
    ) -> Result<Implication, LogicError> {
        let not = space.not(conclusion)?;
        let mut all = premises.to_vec();
        all.push(not);
        let both = space.and(&all)?;
        let both = space.tidy(both)?;
        if both == space.pool.falsity() {
            return Ok(Implication::Yes);
        }
        for model in &self.models {
            if Evaluator::new(model).holds(&space.pool, both).unwrap_or(false) {
                return Ok(Implication::No(model.clone()));
            }
        }
        Ok(match self.decide(space, both) {
            Answer::Unsat { .. } => Implication::Yes,
            Answer::Sat(model) => {
                if self.models.len() == KEPT {
                    self.models.remove(0);
                }
                self.models.push(model.clone());
                Implication::No(model)
            }
            Answer::Unknown(_) => Implication::Unknown,
        })
    }

    /// A state in which a condition holds.
    pub fn state(&mut self, space: &mut Space, condition: TermId) -> Option<Assignment> {
        match self.decide(space, condition) {
            Answer::Sat(model) => Some(model),
            _ => None,
        }
    }

    fn decide(&mut self, space: &mut Space, condition: TermId) -> Answer {
        let mut assertions = self.axioms.clone();
        assertions.push(condition);
        // They only help; without them the question is the same.
        assertions.extend(quotients(space, condition).unwrap_or_default());
        let query = Query { assertions: &assertions, assumptions: &[] };
        let time = self.budget.left().min(MOST).max(Effort::millis(1));
        let limits = Limits { resource: Some(RESOURCE), ..Limits::effort(time) };
        self.solver.decide(&mut space.pool, &query, &limits)
    }

    /// That something follows, as text for another solver.
    pub fn obligation(
        &self,
        space: &mut Space,
        name: String,
        premises: &[TermId],
        conclusion: TermId,
    ) -> Result<Option<Obligation>, LogicError> {
        let mut assertions = self.axioms.clone();
        assertions.extend(premises);
        assertions.push(space.not(conclusion)?);
        let script = Script::new(&space.pool, &assertions, &[], Sharing::Let);
        let mut smt = script.text().to_owned();
        if smt.len() > MAX_SCRIPT {
            return Ok(None);
        }
        smt.push_str("(check-sat)\n");
        Ok(Some(Obligation { name, smt }))
    }
}

/// What holds of every division: a remainder is smaller than the divisor, a quotient not larger than what was
/// divided. It follows from what the operators mean, bit by bit; said like this a solver need not look at the bits.
fn quotients(space: &mut Space, root: TermId) -> Result<Vec<TermId>, LogicError> {
    let mut facts = vec![];
    for term in space.pool.sub_terms(&[root]) {
        let op = space.pool.op(term);
        if !matches!(op, Op::BvUrem | Op::BvSrem | Op::BvUdiv) {
            continue;
        }
        let [a, b] = *space.pool.operands(term) else { continue };
        let Some(width) = space.pool.sort(term).width() else { continue };
        let zero = space.pool.bits(width, 0)?;
        let by_zero = space.pool.eq(b, zero)?;
        let size = |space: &mut Space, t: TermId| -> Result<TermId, LogicError> {
            let negative = space.pool.bv_slt(t, zero)?;
            let minus = space.pool.bv_neg(t)?;
            space.pool.ite(negative, minus, t)
        };
        match op {
            Op::BvUrem => {
                let below = space.pool.bv_ult(term, b)?;
                facts.push(space.pool.or(&[by_zero, below])?);
                facts.push(space.pool.bv_ule(term, a)?);
            }
            Op::BvSrem => {
                let (rest, by) = (size(space, term)?, size(space, b)?);
                let below = space.pool.bv_ult(rest, by)?;
                facts.push(space.pool.or(&[by_zero, below])?);
            }
            _ => {
                let one = space.pool.bits(width, 1)?;
                let small = space.pool.bv_ule(b, one)?;
                let nothing = space.pool.eq(a, zero)?;
                let below = space.pool.bv_ult(term, a)?;
                facts.push(space.pool.or(&[small, nothing, below])?);
            }
        }
    }
    Ok(facts)
}

#[cfg(test)]
mod tests {
    use super::*;
    use verdiff_logic::Sort;

    /// Each of the facts about divisions holds of all numbers of a small width.
    #[test]
    fn facts_about_divisions_hold() {
        let mut space = Space::new();
        let a = space.pool.symbol("a", Sort::BitVec(6)).unwrap();
        let b = space.pool.symbol("b", Sort::BitVec(6)).unwrap();
        for op in [Op::BvUrem, Op::BvSrem, Op::BvUdiv] {
            let term = space.pool.apply_op(op, &[a, b]).unwrap();
            let facts = quotients(&mut space, term).unwrap();
            assert!(!facts.is_empty());
            for fact in facts {
                let not = space.pool.not(fact).unwrap();
                let query = Query { assertions: &[not], assumptions: &[] };
                let answer = solver::standard().decide(&mut space.pool, &query, &Limits::default());
                assert!(answer.is_unsat(), "{op:?}: {}", space.pool.display(fact));
            }
        }
    }
}
