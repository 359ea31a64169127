//! Questions to a solver.

use verdiff_judge::Budget;
use verdiff_logic::effort::Effort;
use verdiff_logic::solver::{self, Answer, Decide, Limits, Query, Reason};
use verdiff_logic::{Evaluator, LogicError, Op, TermId};
use verdiff_symex::space::Space;

/// What a solver says of the cases that are left, if that is an answer for the whole.
pub fn by_cases(
    space: &mut Space,
    given: &[TermId],
    left: &[TermId],
    whole: &[TermId],
    budget: &Budget,
) -> Result<Option<Answer>, LogicError> {
    let mut all = Some(Answer::Unsat { core: vec![] });
    // Those without products first: one that can be is enough.
    let mut left = left.to_vec();
    left.sort_by_key(|case| products(space, &[*case]));
    for case in left {
        if budget.is_over() {
            return Ok(None);
        }
        let mut rest = given.to_vec();
        rest.push(case);
        match ask(space, &rest, &budget.at_most(budget.left() / 2)) {
            Answer::Unsat { .. } => {}
            Answer::Sat(model) => {
                let mut evaluator = Evaluator::new(&model);
                let holds = |t: &TermId| evaluator.holds(&space.pool, *t).unwrap_or(false);
                if whole.iter().all(holds) {
                    return Ok(Some(Answer::Sat(model)));
                }
                all = None;
            }
            Answer::Unknown(_) => all = None,
        }
    }
    Ok(all)
}

/// How many products of what is not constant there are.
pub fn products(space: &Space, terms: &[TermId]) -> usize {
    let pool = &space.pool;
    let factors = |t: TermId| pool.operands(t).iter().filter(|f| !pool.op(**f).is_constant());
    let is_product = |t: &TermId| pool.op(*t) == Op::BvMul && factors(*t).count() > 1;
    pool.sub_terms(terms).into_iter().filter(is_product).count()
}

/// More products of what is not constant than this no solver multiplies out in time, nor stops in time when told to.
const MOST_PRODUCTS: usize = 60;

/// What a solver says of assertions, for half of what is left.
pub fn ask(space: &mut Space, assertions: &[TermId], budget: &Budget) -> Answer {
    if products(space, assertions) > MOST_PRODUCTS {
        return Answer::Unknown(Reason::Resource);
    }
    let time = (budget.left() / 2).max(Effort::millis(10));
    let limits = Limits::effort(time);
    let query = Query { assertions, assumptions: &[] };
    solver::standard().decide(&mut space.pool, &query, &limits)
}
