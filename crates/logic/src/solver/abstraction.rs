//! Hides hard operators at first, and shows them one by one where they matter.
//!
//! Multiplication of two unknowns, division, and float arithmetic become uninterpreted functions,
//! with the operands of commutative ones sorted. Most equivalence queries do not depend on what
//! these operators compute, only on both sides computing the same, and are decided that way.
//!
//! Sound because the abstract query is weaker: every model of the exact one is one of it, with
//! the functions read as the operators. So `unsat` carries over. A model of the abstract query
//! counts only if the exact query evaluates to true under it; otherwise the applications whose
//! value is wrong are made exact and the query is asked again. Each round makes at least one more
//! exact, and the last round has none left, so it ends.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::assignment::Assignment;
use crate::eval::{Evaluator, apply};
use crate::op::Op;
use crate::term::{TermId, TermPool};
use crate::value::Value;

use super::validate::first_false;
use super::{Answer, Decide, Limits, Query, Reason};

/// Rounds of refinement before everything is made exact.
const MAX_ROUNDS: usize = 8;

/// Abstracts hard operators, lazily made exact.
pub struct Abstracted<D> {
    inner: D,
    rounds: u64,
}

impl<D: Decide> Abstracted<D> {
    /// A layer over `inner`.
    pub fn new(inner: D) -> Abstracted<D> {
        Abstracted { inner, rounds: 0 }
    }

    /// How many queries to the layer below had hidden operators.
    pub fn rounds(&self) -> u64 {
        self.rounds
    }
}

/// A query with hidden operators.
struct Abstraction {
    terms: Vec<TermId>,
    hidden: Vec<Hidden>,
}

/// One hidden application.
struct Hidden {
    /// The term of the exact query.
    exact: TermId,
    /// The function's application that stands for it.
    application: TermId,
    /// The operator on the same, perhaps abstract, operands.
    meaning: TermId,
}

impl<D: Decide> Decide for Abstracted<D> {
    fn decide(&mut self, pool: &mut TermPool, query: &Query<'_>, limits: &Limits) -> Answer {
        let spending = limits.begin();
        let all = query.all();
        let hard: Vec<TermId> =
            pool.sub_terms(&all).into_iter().filter(|t| is_hard(pool, *t)).collect();
        if hard.is_empty() {
            return self.inner.decide(pool, query, limits);
        }
        let mut exact: FxHashSet<TermId> = FxHashSet::default();
        for _ in 0..MAX_ROUNDS {
            let limits = match spending.more() {
                Ok(limits) => limits,
                Err(reason) => return Answer::Unknown(reason),
            };
            let abstraction = hide(pool, &all, &exact);
            if abstraction.hidden.is_empty() {
                break;
            }
            self.rounds += 1;
            let (assertions, assumptions) = abstraction.terms.split_at(query.assertions.len());
            let weaker = Query { assertions, assumptions };
            match self.inner.decide(pool, &weaker, &limits) {
                Answer::Unsat { core } => {
                    let pairs = query.assumptions.iter().zip(assumptions);
                    let needed = pairs.filter(|(_, weak)| core.contains(weak));
                    return Answer::Unsat { core: needed.map(|(term, _)| *term).collect() };
                }
                Answer::Sat(model) => {
                    let wrong = wrong_values(pool, &abstraction, &model);
                    let model = restricted(pool, &all, model);
                    if first_false(pool, query, &model).is_none() {
                        return Answer::Sat(model);
                    }
                    if wrong.is_empty() {
                        break;
                    }
                    exact.extend(wrong);
                }
                // Conversions that are only built under a guard can stand without it while the
                // guard is hidden, and the solver may then choose their value: not its fault.
                Answer::Unknown(Reason::WrongModel { .. }) => break,
                // What could not be decided weakly will hardly be decided exactly.
                Answer::Unknown(reason) => return Answer::Unknown(reason),
            }
        }
        match spending.more() {
            Ok(limits) => self.inner.decide(pool, query, &limits),
            Err(reason) => Answer::Unknown(reason),
        }
    }
}

/// Whether an application is worth hiding.
fn is_hard(pool: &TermPool, term: TermId) -> bool {
    let unknown = |t: &&TermId| pool.as_bits(**t).is_none();
    match pool.op(term) {
        Op::BvMul => pool.operands(term).iter().filter(unknown).count() > 1,
        Op::BvUdiv | Op::BvSdiv | Op::BvUrem | Op::BvSrem => true,
        Op::FpAdd(_)
        | Op::FpMul(_)
        | Op::FpDiv(_)
        | Op::FpFma(_)
        | Op::FpSqrt(_)
        | Op::FpRound(_)
        | Op::FpConvert(..)
        | Op::FpFromSigned(..)
        | Op::FpFromUnsigned(..)
        | Op::FpToSigned(..)
        | Op::FpToUnsigned(..) => true,
        _ => false,
    }
}

/// The terms with all hard applications hidden but those whose hidden form is in `exact`.
fn hide(pool: &mut TermPool, roots: &[TermId], exact: &FxHashSet<TermId>) -> Abstraction {
    let mut done: FxHashMap<TermId, TermId> = FxHashMap::default();
    let mut hidden = Vec::new();
    for term in pool.sub_terms(roots) {
        let operands: Vec<TermId> = pool.operands(term).iter().map(|t| done[t]).collect();
        let rebuilt = pool.rebuild(term, &operands);
        let mut result = rebuilt;
        if is_hard(pool, term)
            && !exact.contains(&term)
            && let Some(application) = application(pool, rebuilt)
        {
            hidden.push(Hidden { exact: term, application, meaning: rebuilt });
            result = application;
        }
        done.insert(term, result);
    }
    let terms = roots.iter().map(|t| done[t]).collect();
    Abstraction { terms, hidden }
}

/// The hidden terms to which the model gives a value their operator does not.
fn wrong_values(pool: &TermPool, abstraction: &Abstraction, model: &Assignment) -> Vec<TermId> {
    let mut evaluator = Evaluator::new(model);
    let mut wrong = Vec::new();
    for hidden in &abstraction.hidden {
        let operands: Result<Vec<Value>, _> =
            pool.operands(hidden.meaning).iter().map(|t| evaluator.eval(pool, *t)).collect();
        let Ok(operands) = operands else { continue };
        let operands: Vec<&Value> = operands.iter().collect();
        let meant = apply(pool.op(hidden.meaning), pool.sort(hidden.meaning), &operands);
        if meant != evaluator.eval(pool, hidden.application) {
            wrong.push(hidden.exact);
        }
    }
    wrong
}

/// The model without what it says of functions that the exact query does not have.
fn restricted(pool: &TermPool, roots: &[TermId], mut model: Assignment) -> Assignment {
    let names = pool.free_names(roots);
    model.retain(
        |symbol| names.symbols.binary_search(&symbol).is_ok(),
        |function| names.functions.binary_search(&function).is_ok(),
    );
    model
}

/// A function in place of the operator of a term, on the same operands.
fn application(pool: &mut TermPool, term: TermId) -> Option<TermId> {
    let op = pool.op(term);
    let mut operands = pool.operands(term).to_vec();
    match op {
        Op::FpFma(_) => operands[..2].sort_unstable(),
        _ if op.is_commutative() => operands.sort_unstable(),
        _ => {}
    }
    let parameters: Vec<_> = operands.iter().map(|t| pool.sort(*t)).collect();
    let result = pool.sort(term);
    // A space cannot be in the name of anything that comes from a program.
    let name = format!("abstract {op:?} {parameters:?}");
    let function = pool.function(&name, &parameters, result).ok()?;
    pool.call(function, &operands).ok()
}
