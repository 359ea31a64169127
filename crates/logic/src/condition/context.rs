//! A condition without what its context implies.
//!
//! Follows Dillig, Dillig and Aiken, *Small formulas for large programs: on-line constraint simplification in scalable static
//! analysis* (SAS 2010): a leaf of the formula is looked at under the *critical constraint* of its place, which is what is given, the other
//! operands of each conjunction around it, and the opposites of the other operands of each disjunction around it. If
//! the constraint implies the leaf or its opposite, the leaf is a constant there. In the result no leaf can be dropped.
//!
//! Soundness: where a critical constraint does not hold, the value of the leaf does not matter to the whole, so each step keeps
//! the meaning among the states that are given. A question that the solver does not answer leaves the leaf as it is.

use rustc_hash::FxHashMap;

use crate::effort::{self, Deadline, Effort};
use crate::error::LogicError;
use crate::op::Op;
use crate::solver::{self, Decide, Limits, Query};
use crate::sort::Sort;
use crate::term::{TermId, TermPool};

/// How large a condition may get when its conditionals are taken apart.
const MOST_NODES: usize = 300;
/// How many leaves are looked at: each costs two questions.
const MOST_LEAVES: usize = 120;
/// For one question.
const ONE_QUESTION: Effort = Effort::millis(200);

/// A condition with the same meaning among the states of which all of `given` hold: without conditionals, as far as that does not make it
/// large, and without any part that can be dropped. Of `pointers` it asks only whether they are null, where it asks no more.
///
/// ```
/// use verdiff_logic::effort::Effort;
/// use verdiff_logic::{Sort, TermPool, without_redundancy};
/// # fn main() -> Result<(), verdiff_logic::LogicError> {
/// let mut pool = TermPool::new();
/// let x = pool.symbol("x", Sort::BitVec(32))?;
/// let (five, nine) = (pool.bits(32, 5)?, pool.bits(32, 9)?);
/// let (small, smaller) = (pool.bv_slt(x, nine)?, pool.bv_slt(x, five)?);
/// let both = pool.and(&[small, smaller])?;
/// assert_eq!(without_redundancy(&mut pool, both, &[], &[], Effort::seconds(1))?, smaller);
/// # Ok(()) }
/// ```
pub fn without_redundancy(
    pool: &mut TermPool,
    condition: TermId,
    given: &[TermId],
    pointers: &[TermId],
    effort: Effort,
) -> Result<TermId, LogicError> {
    let mut context = Context {
        given,
        end: effort::spent() + effort,
        solver: Box::new(solver::standard()),
        leaves: MOST_LEAVES,
    };
    let split = split_conditionals(pool, condition)?;
    let split = context.about_null(pool, split, pointers)?;
    let mut now = negations_inside(pool, split)?;
    // What one pass drops may let the next one drop more.
    for _ in 0..4 {
        let smaller = context.simplified(pool, now, &mut vec![])?;
        let smaller = negations_inside(pool, smaller)?;
        if smaller == now || context.is_over() {
            return Ok(smaller);
        }
        now = smaller;
    }
    Ok(now)
}

/// Comparisons of conditionals become conditions: `(c ? a : b) < x` is `c && a < x || !c && b < x`. As it is where that is too large.
fn split_conditionals(pool: &mut TermPool, condition: TermId) -> Result<TermId, LogicError> {
    let mut now = condition;
    for _ in 0..24 {
        let Some((comparison, conditional)) = comparison_of_conditional(pool, now) else { break };
        let [c, a, b] = pool.operands(conditional)[..] else { break };
        let mut sides = vec![];
        for branch in [a, b] {
            let map: FxHashMap<TermId, TermId> = [(conditional, branch)].into_iter().collect();
            sides.push(pool.substitute(comparison, &map)?);
        }
        let not = pool.not(c)?;
        let (yes, no) = (pool.and(&[c, sides[0]])?, pool.and(&[not, sides[1]])?);
        let either = pool.or(&[yes, no])?;
        let next = pool.substitute(now, &[(comparison, either)].into_iter().collect())?;
        let next = pool.simplify(next);
        if pool.dag_size(next) > MOST_NODES.max(pool.dag_size(condition)) {
            break;
        }
        now = next;
    }
    Ok(now)
}

/// A comparison, and a conditional that one of its sides is or is a sum of.
fn comparison_of_conditional(pool: &TermPool, root: TermId) -> Option<(TermId, TermId)> {
    pool.sub_terms(&[root]).into_iter().find_map(|term| {
        let compares = matches!(pool.op(term), Op::Eq | Op::BvUlt | Op::BvSlt);
        let operands = pool.operands(term);
        if !compares || pool.sort(operands[0]).width().is_none() {
            return None;
        }
        let is_choice = |t: &TermId| pool.op(*t) == Op::Ite && pool.sort(*t) != Sort::Bool;
        let inside = |t: &TermId| match pool.op(*t) {
            Op::BvAdd | Op::ZeroExtend(_) | Op::SignExtend(_) | Op::BvMul => {
                pool.operands(*t).iter().copied().find(|t| is_choice(t))
            }
            _ => None,
        };
        let found = operands.iter().find_map(|t| if is_choice(t) { Some(*t) } else { inside(t) });
        Some((term, found?))
    })
}

/// The condition as "and" and "or" of comparisons and their opposites.
fn negations_inside(pool: &mut TermPool, condition: TermId) -> Result<TermId, LogicError> {
    const DEEPEST: u64 = 60;
    if pool.depth(condition) > DEEPEST {
        return Ok(condition);
    }
    negated_if(pool, condition, false)
}

fn negated_if(pool: &mut TermPool, term: TermId, negated: bool) -> Result<TermId, LogicError> {
    let operands = pool.operands(term).to_vec();
    let op = pool.op(term);
    match op {
        Op::Not => negated_if(pool, operands[0], !negated),
        Op::And | Op::Or => {
            let mut inner = vec![];
            for operand in operands {
                let operand = negated_if(pool, operand, negated)?;
                // `a && (b && c)` is one conjunction.
                let joins = if (op == Op::And) != negated { Op::And } else { Op::Or };
                match pool.op(operand) == joins {
                    true => inner.extend_from_slice(pool.operands(operand)),
                    false => inner.push(operand),
                }
            }
            joined(pool, &inner, (op == Op::And) == negated)
        }
        Op::Ite if pool.sort(term) == Sort::Bool => {
            let (c, not) =
                (negated_if(pool, operands[0], false)?, negated_if(pool, operands[0], true)?);
            let (a, b) =
                (negated_if(pool, operands[1], negated)?, negated_if(pool, operands[2], negated)?);
            let (yes, no) = (pool.and(&[c, a])?, pool.and(&[not, b])?);
            pool.or(&[yes, no])
        }
        Op::True | Op::False => Ok(pool.boolean((op == Op::True) != negated)),
        _ if negated => pool.not(term),
        _ => Ok(term),
    }
}

fn joined(pool: &mut TermPool, terms: &[TermId], any: bool) -> Result<TermId, LogicError> {
    let neutral = pool.boolean(!any);
    let decisive = pool.boolean(any);
    if terms.contains(&decisive) {
        return Ok(decisive);
    }
    let mut left: Vec<TermId> = vec![];
    for term in terms {
        if *term != neutral && !left.contains(term) {
            left.push(*term);
        }
    }
    match left[..] {
        [] => Ok(neutral),
        [one] => Ok(one),
        _ if any => pool.or(&left),
        _ => pool.and(&left),
    }
}

struct Context<'a> {
    given: &'a [TermId],
    end: Effort,
    solver: Box<dyn Decide>,
    leaves: usize,
}

impl Context<'_> {
    fn is_over(&self) -> bool {
        self.leaves == 0 || effort::spent() >= self.end || Deadline::has_passed()
    }

    /// Whether these cannot all hold, as far as that is found out.
    fn excluded(&mut self, pool: &mut TermPool, terms: &[TermId]) -> bool {
        let mut assertions = self.given.to_vec();
        assertions.extend_from_slice(terms);
        super::charge_question(pool, &assertions);
        let left = self.end.saturating_sub(effort::spent()).min(ONE_QUESTION);
        let limits = Limits::effort(left.max(Effort::millis(1)));
        let query = Query { assertions: &assertions, assumptions: &[] };
        self.solver.decide(pool, &query, &limits).is_unsat()
    }

    /// Comparisons of addresses that only say whether a pointer is null, as such.
    fn about_null(
        &mut self,
        pool: &mut TermPool,
        condition: TermId,
        pointers: &[TermId],
    ) -> Result<TermId, LogicError> {
        let mut map = FxHashMap::default();
        let compares = |pool: &TermPool, t: TermId| {
            let is_address = |t: &TermId| pool.sort(*t) == Sort::BitVec(64);
            matches!(pool.op(t), Op::Eq | Op::BvUlt | Op::BvSlt)
                && pool.operands(t).iter().any(is_address)
                || pool.op(t) == Op::Eq
                    && pool.sort(pool.operands(t)[0]).width().is_some_and(|w| w < 8)
        };
        for term in pool.sub_terms(&[condition]) {
            if !compares(pool, term) || self.is_over() {
                continue;
            }
            let inside = pool.sub_terms(&[term]);
            let of: Vec<TermId> = pointers.iter().filter(|p| inside.contains(p)).copied().collect();
            let [pointer] = of[..] else { continue };
            let zero = pool.bits(64, 0)?;
            let null = pool.eq(pointer, zero)?;
            let not_null = pool.not(null)?;
            let opposite = pool.not(term)?;
            if term == null {
                continue;
            }
            let cases = [(null, term), (null, opposite), (not_null, term), (not_null, opposite)];
            let never = cases.map(|(a, b)| self.excluded(pool, &[a, b]));
            let same = match never {
                [_, true, _, true] => pool.truth(),
                [true, _, true, _] => pool.falsity(),
                [_, true, true, _] => null,
                [true, _, _, true] => not_null,
                _ => continue,
            };
            map.insert(term, same);
        }
        let about = pool.substitute(condition, &map)?;
        Ok(pool.simplify(about))
    }

    /// The condition where all of `critical` hold.
    fn simplified(
        &mut self,
        pool: &mut TermPool,
        term: TermId,
        critical: &mut Vec<TermId>,
    ) -> Result<TermId, LogicError> {
        let op = pool.op(term);
        if self.is_over() || matches!(op, Op::True | Op::False) {
            return Ok(term);
        }
        if !matches!(op, Op::And | Op::Or) {
            self.leaves -= 1;
            let known = critical.len();
            let opposite = pool.not(term)?;
            for (asked, otherwise) in [(opposite, true), (term, false)] {
                critical.push(asked);
                let never = self.excluded(pool, critical);
                critical.truncate(known);
                if never {
                    return Ok(pool.boolean(otherwise));
                }
            }
            return Ok(term);
        }
        // Long operands are dropped rather than short ones.
        let mut operands = pool.operands(term).to_vec();
        let mut order: Vec<usize> = (0..operands.len()).collect();
        order.sort_by_key(|at| std::cmp::Reverse((pool.tree_size(operands[*at]), *at)));
        for at in order {
            let known = critical.len();
            for (other, operand) in operands.iter().enumerate() {
                if other != at {
                    critical.push(if op == Op::And { *operand } else { pool.not(*operand)? });
                }
            }
            let simpler = self.simplified(pool, operands[at], critical)?;
            critical.truncate(known);
            operands[at] = simpler;
        }
        joined(pool, &operands, op == Op::Or)
    }
}
