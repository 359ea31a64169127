//! C evaluates a condition from left to right. It must not dereference a null pointer or divide by zero on the way.
//!
//! As a formula, `q[0] != q[1] && p == q + 1` may be correct: if `q` is null, the second half is false, whatever `q[0]`
//! denotes. As C it crashes. So each read must follow a test that excludes null, and each division a test that excludes
//! zero.

use super::ConditionPrinter;
use verdiff_logic::effort::Effort;
use verdiff_logic::solver::{Decide, Limits, Query};
use verdiff_logic::{LogicError, Op, TermId, TermPool, readable, without_redundancy};

/// How many parts are tried to be dropped.
const MOST_PARTS: usize = 24;
/// How many guards are added.
const MOST: usize = 6;
/// For one question.
const TIME: Effort = Effort::millis(100);

/// For the search of what a condition comes to in one case.
const CASE: Effort = Effort::millis(400);

impl ConditionPrinter {
    /// The condition with what it lacks to be evaluated; `None` if that is not known.
    pub(super) fn guarded(
        &self,
        pool: &mut TermPool,
        condition: TermId,
    ) -> Result<Option<TermId>, LogicError> {
        let mut solver = verdiff_logic::solver::standard();
        let mut guarded = self.divisions_last(pool, &mut solver, condition)?;
        for _ in 0..MOST {
            let Some(needed) = self.unguarded(pool, &mut solver, guarded, &mut vec![])? else {
                let trimmed = match guarded == condition {
                    true => guarded,
                    false => self.trimmed(pool, &mut solver, guarded)?,
                };
                return Ok(Some(trimmed));
            };
            let missing = pool.not(needed)?;
            let missing = pool.simplify(missing);
            let missing = pool.simplify(missing);
            let negation = pool.not(guarded)?;
            if self.excludes(pool, &mut solver, &[guarded, missing]) {
                guarded = pool.and(&[needed, guarded])?;
            } else if self.excludes(pool, &mut solver, &[negation, missing]) {
                guarded = pool.or(&[missing, guarded])?;
            } else if let Some(there) = self.where_missing(pool, guarded, missing)? {
                let (there, here) = (pool.and(&[missing, there])?, pool.and(&[needed, guarded])?);
                guarded = pool.or(&[there, here])?;
                guarded = pool.simplify(guarded);
            } else {
                return Ok(None);
            }
        }
        Ok(None)
    }

    /// The condition with divisions as the last operands of each `&&` and `||`, if the operands in front of them then
    /// exclude a divisor of zero: `s < 0 && v / s != 0` needs no test for zero. The order of operands does not affect
    /// the meaning.
    fn divisions_last(
        &self,
        pool: &mut TermPool,
        solver: &mut dyn Decide,
        condition: TermId,
    ) -> Result<TermId, LogicError> {
        let ordered = self.with_divisions_last(pool, condition)?;
        if ordered == condition {
            return Ok(condition);
        }
        let before = self.unguarded(pool, solver, condition, &mut vec![])?;
        let after = self.unguarded(pool, solver, ordered, &mut vec![])?;
        Ok(if before == after { condition } else { ordered })
    }

    fn with_divisions_last(
        &self,
        pool: &mut TermPool,
        condition: TermId,
    ) -> Result<TermId, LogicError> {
        let op = pool.op(condition);
        if !matches!(op, Op::And | Op::Or) {
            return Ok(condition);
        }
        let before = pool.operands(condition).to_vec();
        let mut operands = vec![];
        for operand in &before {
            operands.push(self.with_divisions_last(pool, *operand)?);
        }
        operands.sort_by_key(|operand| self.divides(pool, *operand));
        match op {
            _ if operands == before => Ok(condition),
            Op::And => pool.and(&operands),
            _ => pool.or(&operands),
        }
    }

    /// Whether something is divided by a number that is not constant.
    fn divides(&self, pool: &TermPool, term: TermId) -> bool {
        let is_division = |t: &TermId| {
            matches!(pool.op(*t), Op::BvUdiv | Op::BvUrem | Op::BvSdiv | Op::BvSrem)
                && !pool.op(pool.operands(*t)[1]).is_constant()
        };
        pool.sub_terms(&[term]).iter().any(is_division)
    }

    /// The condition without the parts that neither its meaning nor its evaluation needs.
    fn trimmed(
        &self,
        pool: &mut TermPool,
        solver: &mut dyn Decide,
        mut condition: TermId,
    ) -> Result<TermId, LogicError> {
        let mut at = 0;
        while at < MOST_PARTS {
            let mut left = at;
            let Some(smaller) = without_part(pool, condition, &mut left)? else { break };
            let unlike = pool.ne(condition, smaller)?;
            let same = self.excludes(pool, solver, &[unlike]);
            if same && self.unguarded(pool, solver, smaller, &mut vec![])?.is_none() {
                condition = smaller;
            } else {
                at += 1;
            }
        }
        Ok(condition)
    }

    /// What a condition comes to where something cannot be evaluated because a variable has one certain value.
    fn where_missing(
        &self,
        pool: &mut TermPool,
        condition: TermId,
        missing: TermId,
    ) -> Result<Option<TermId>, LogicError> {
        let equations = match pool.op(missing) {
            Op::And => pool.operands(missing).to_vec(),
            _ => vec![missing],
        };
        let mut values = vec![];
        for equation in equations {
            let (Op::Eq, [a, b]) = (pool.op(equation), pool.operands(equation)) else {
                return Ok(None);
            };
            let (variable, value) = if pool.op(*a).is_constant() { (*b, *a) } else { (*a, *b) };
            if !self.names.contains_key(&variable) || !pool.op(value).is_constant() {
                return Ok(None);
            }
            values.push((variable, value));
        }
        let there = pool.substitute(condition, &values.into_iter().collect())?;
        let there = pool.simplify(there);
        let mut given = self.given.clone();
        given.push(missing);
        let there = without_redundancy(pool, there, &given, &[], CASE)?;
        let short = readable(pool, there, &self.given, &self.definitions, &self.names, CASE);
        Ok(Some(short.unwrap_or(there)))
    }

    /// What some part of the condition needs and nothing in front of it provides, `before` being what was found true.
    fn unguarded(
        &self,
        pool: &mut TermPool,
        solver: &mut dyn Decide,
        condition: TermId,
        before: &mut Vec<TermId>,
    ) -> Result<Option<TermId>, LogicError> {
        let operands = pool.operands(condition).to_vec();
        let op = pool.op(condition);
        let joins = matches!(op, Op::And | Op::Or) && before.len() < 64;
        if op == Op::Not && before.len() < 64 {
            return self.unguarded(pool, solver, operands[0], before);
        }
        if joins {
            let known = before.len();
            for operand in operands {
                if let Some(needed) = self.unguarded(pool, solver, operand, before)? {
                    return Ok(Some(needed));
                }
                let went_on = if op == Op::And { operand } else { pool.not(operand)? };
                before.push(went_on);
            }
            before.truncate(known);
            return Ok(None);
        }
        for needed in self.needs(pool, condition)? {
            let mut asked = before.clone();
            asked.push(pool.not(needed)?);
            if !self.excludes(pool, solver, &asked) {
                return Ok(Some(needed));
            }
        }
        Ok(None)
    }

    /// What must hold for an atom to be evaluated, in the order in which it is needed.
    fn needs(&self, pool: &mut TermPool, atom: TermId) -> Result<Vec<TermId>, LogicError> {
        let mut needs = vec![];
        let null = pool.bits(64, 0)?;
        for pointer in self.read_through(pool, atom) {
            needs.push(pool.ne(pointer, null)?);
        }
        let (mut pending, mut seen) = (vec![atom], std::collections::BTreeSet::new());
        while let Some(term) = pending.pop() {
            if self.names.contains_key(&term) || !seen.insert(term) {
                continue;
            }
            let operands = pool.operands(term).to_vec();
            let width = pool.sort(term).width().unwrap_or(1);
            let defined = match pool.op(term) {
                Op::BvUdiv | Op::BvUrem => {
                    let zero = pool.bits(width, 0)?;
                    Some(pool.ne(operands[1], zero)?)
                }
                Op::BvSdiv | Op::BvSrem => {
                    let zero = pool.bits(width, 0)?;
                    let (least, minus) =
                        (pool.bits(width, 1 << (width - 1))?, pool.bits_signed(width, -1)?);
                    let not_zero = pool.ne(operands[1], zero)?;
                    let not_least = pool.ne(operands[0], least)?;
                    let not_minus = pool.ne(operands[1], minus)?;
                    needs.push(pool.simplify(not_zero));
                    Some(pool.or(&[not_least, not_minus])?)
                }
                Op::BvShl | Op::BvLshr | Op::BvAshr => {
                    let limit = pool.bits(width, width.into())?;
                    Some(pool.bv_ult(operands[1], limit)?)
                }
                _ => None,
            };
            needs.extend(defined.map(|defined| pool.simplify(defined)));
            pending.extend(operands);
        }
        let truth = pool.truth();
        needs.retain(|needed| *needed != truth);
        Ok(needs)
    }

    /// The pointers that an atom looks behind, outermost first.
    fn read_through(&self, pool: &TermPool, atom: TermId) -> Vec<TermId> {
        let (mut pointers, mut pending) = (vec![], vec![atom]);
        while let Some(term) = pending.pop() {
            let mut place = term;
            let before = pointers.len();
            while let Some(pointer) = self.through.get(&place) {
                pointers.insert(before, *pointer);
                place = *pointer;
            }
            if !self.names.contains_key(&term) {
                pending.extend_from_slice(pool.operands(term));
            }
        }
        pointers.dedup();
        pointers
    }

    /// Whether these cannot all hold.
    fn excludes(&self, pool: &mut TermPool, solver: &mut dyn Decide, terms: &[TermId]) -> bool {
        let mut assertions = self.given.clone();
        assertions.extend_from_slice(&self.definitions);
        assertions.extend_from_slice(terms);
        let query = Query { assertions: &assertions, assumptions: &[] };
        let limits = Limits::effort(TIME);
        solver.decide(pool, &query, &limits).is_unsat()
    }
}

/// The condition without one operand of an "and" or "or" in it, counted through; `None` if there are fewer.
fn without_part(
    pool: &mut TermPool,
    condition: TermId,
    left: &mut usize,
) -> Result<Option<TermId>, LogicError> {
    let op = pool.op(condition);
    if !matches!(op, Op::And | Op::Or) {
        return Ok(None);
    }
    let operands = pool.operands(condition).to_vec();
    let join = |pool: &mut TermPool, parts: &[TermId]| match (parts, op) {
        ([one], _) => Ok(*one),
        (_, Op::And) => pool.and(parts),
        _ => pool.or(parts),
    };
    for at in 0..operands.len() {
        let mut parts = operands.clone();
        if *left == 0 {
            parts.remove(at);
            return join(pool, &parts).map(Some);
        }
        *left -= 1;
        if let Some(smaller) = without_part(pool, operands[at], left)? {
            parts[at] = smaller;
            return join(pool, &parts).map(Some);
        }
    }
    Ok(None)
}
