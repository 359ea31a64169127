//! Believes no model: every one is evaluated before it is returned.
//!
//! A model under which the query is not true is a bug of the solver or of the translation. It
//! becomes [`Reason::WrongModel`], never an answer.

use crate::eval::Evaluator;
use crate::term::{TermId, TermPool};

use super::{Answer, Decide, Limits, Query, Reason};

/// Evaluates every model of the layer below.
pub struct Validated<D> {
    inner: D,
}

impl<D: Decide> Validated<D> {
    /// A layer over `inner`.
    pub fn new(inner: D) -> Validated<D> {
        Validated { inner }
    }
}

impl<D: Decide> Decide for Validated<D> {
    fn decide(&mut self, pool: &mut TermPool, query: &Query<'_>, limits: &Limits) -> Answer {
        let answer = self.inner.decide(pool, query, limits);
        let Answer::Sat(model) = &answer else { return answer };
        match first_false(pool, query, model) {
            None => answer,
            Some(term) => {
                let text = pool.display(term).to_string();
                let query = text.chars().take(2000).collect();
                Answer::Unknown(Reason::WrongModel { query })
            }
        }
    }
}

/// The first assertion or assumption that is not true under the assignment.
pub(super) fn first_false(
    pool: &TermPool,
    query: &Query<'_>,
    model: &crate::assignment::Assignment,
) -> Option<TermId> {
    let mut evaluator = Evaluator::new(model);
    let mut all = query.assertions.iter().chain(query.assumptions);
    all.find(|term| evaluator.holds(pool, **term) != Ok(true)).copied()
}
