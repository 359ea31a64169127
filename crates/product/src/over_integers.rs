//! Questions with products and quotients, shown over the integers.
//!
//! What multiplies or divides is too dear bit by bit, even where it is plain. Most of it needs no bits: no product
//! wraps, or it does not matter that it does ([`integers`]). The obligations are the scripts over the integers; each
//! must be unsatisfiable, and together they say that no bits satisfy what is to be refuted.

use verdiff_judge::Obligation;
use verdiff_logic::effort::Effort;
use verdiff_logic::{Op, TermId, TermPool, integers};

/// What a question is worth at most.
const MOST: Effort = Effort::millis(400);
/// Longer scripts are not kept.
const LONGEST: usize = 4 << 20;

/// Shows over the integers that these assertions exclude each other.
pub fn over_integers(
    pool: &TermPool,
    name: &str,
    assertions: &[TermId],
    most: Effort,
) -> Option<Vec<Obligation>> {
    let refutation = integers::refute(pool, assertions, most.min(MOST))?;
    // Each case has a script; without any there is no evidence.
    let count = refutation.scripts.len();
    if count == 0 {
        return None;
    }
    let named = |(number, smt): (usize, String)| Obligation {
        name: format!("{name} (over the integers, {} of {count})", number + 1),
        smt,
    };
    let length: usize = refutation.scripts.iter().map(String::len).sum();
    let scripts = refutation.scripts.into_iter().enumerate();
    (length <= LONGEST).then(|| scripts.map(named).collect())
}

/// Whether there are products of what is not constant, or quotients.
pub fn is_hard(pool: &TermPool, terms: &[TermId]) -> bool {
    let variable = |term: &&TermId| !pool.op(**term).is_constant();
    pool.sub_terms(terms).into_iter().any(|term| match pool.op(term) {
        Op::BvMul => pool.operands(term).iter().filter(variable).count() > 1,
        op => matches!(op, Op::BvUdiv | Op::BvSdiv | Op::BvUrem | Op::BvSrem),
    })
}
