//! Simplifies every query before it goes further down.
//!
//! A model of the simplified query may not mention symbols that were simplified away; they then
//! have their default value, under which the query, being equal to the simplified one, is true as
//! well.

use crate::term::{TermId, TermPool};

use super::{Answer, Decide, Limits, Query};

/// Simplifies what passes.
pub struct Simplified<D> {
    inner: D,
}

impl<D: Decide> Simplified<D> {
    /// A layer over `inner`.
    pub fn new(inner: D) -> Simplified<D> {
        Simplified { inner }
    }
}

impl<D: Decide> Decide for Simplified<D> {
    fn decide(&mut self, pool: &mut TermPool, query: &Query<'_>, limits: &Limits) -> Answer {
        let mut assertions = Vec::new();
        for term in query.assertions {
            let simplified = pool.simplify(*term);
            match pool.as_bool(simplified) {
                Some(true) => {}
                Some(false) => return Answer::Unsat { core: Vec::new() },
                None => conjuncts(pool, simplified, &mut assertions),
            }
        }
        let mut assumptions = Vec::new();
        let mut origins: Vec<(TermId, TermId)> = Vec::new();
        for term in query.assumptions {
            let simplified = pool.simplify(*term);
            match pool.as_bool(simplified) {
                Some(true) => {}
                Some(false) => return Answer::Unsat { core: vec![*term] },
                None => {
                    assumptions.push(simplified);
                    origins.push((simplified, *term));
                }
            }
        }
        if assertions.is_empty() && assumptions.is_empty() {
            return Answer::Sat(Default::default());
        }
        let simpler = Query { assertions: &assertions, assumptions: &assumptions };
        match self.inner.decide(pool, &simpler, limits) {
            Answer::Unsat { core } => {
                let needed = origins.iter().filter(|(simplified, _)| core.contains(simplified));
                Answer::Unsat { core: needed.map(|(_, term)| *term).collect() }
            }
            other => other,
        }
    }
}

/// A conjunction is as many assertions: they can be told apart by the layers below.
fn conjuncts(pool: &TermPool, term: TermId, into: &mut Vec<TermId>) {
    let mut pending = vec![term];
    while let Some(term) = pending.pop() {
        if pool.op(term) == crate::op::Op::And {
            pending.extend(pool.operands(term).iter().rev());
        } else {
            into.push(term);
        }
    }
}
