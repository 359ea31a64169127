//! A condition as C is evaluated from left to right, and must not look behind a null pointer on the way.
//!
//! As a formula, `q[0] != q[1] && p == q + 1` may be right: where `q` is null the second half is false, whatever is read there. As
//! C it crashes. So each read must come after something that excludes null.

use super::Wording;
use verdiff_logic::effort::Effort;
use verdiff_logic::solver::{Decide, Limits, Query};
use verdiff_logic::{LogicError, Op, TermId, TermPool};

/// How many pointers are asked for.
const MOST: usize = 6;
/// For one question whether a pointer may be null.
const TIME: Effort = Effort::millis(100);

impl Wording {
    /// The condition with what it lacks to be evaluated; `None` if that is not known.
    pub(super) fn guarded(
        &self,
        pool: &mut TermPool,
        condition: TermId,
    ) -> Result<Option<TermId>, LogicError> {
        if self.through.is_empty() {
            return Ok(Some(condition));
        }
        let mut solver = verdiff_logic::solver::standard();
        let mut guarded = condition;
        for _ in 0..MOST {
            let Some(pointer) = self.unguarded(pool, &mut solver, guarded, &mut vec![])? else {
                return Ok(Some(guarded));
            };
            let zero = pool.bits(64, 0)?;
            let null = pool.eq(pointer, zero)?;
            let not_null = pool.not(null)?;
            let opposite = pool.not(guarded)?;
            if self.excludes(pool, &mut solver, &[guarded, null]) {
                guarded = pool.and(&[not_null, guarded])?;
            } else if self.excludes(pool, &mut solver, &[opposite, null]) {
                guarded = pool.or(&[null, guarded])?;
            } else {
                return Ok(None);
            }
        }
        Ok(None)
    }

    /// A pointer that may be null where something behind it is read, `before` being what was found true.
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
                if let Some(pointer) = self.unguarded(pool, solver, operand, before)? {
                    return Ok(Some(pointer));
                }
                let went_on = if op == Op::And { operand } else { pool.not(operand)? };
                before.push(went_on);
            }
            before.truncate(known);
            return Ok(None);
        }
        let zero = pool.bits(64, 0)?;
        for pointer in self.read_through(pool, condition) {
            let null = pool.eq(pointer, zero)?;
            let mut asked = before.clone();
            asked.push(null);
            if !self.excludes(pool, solver, &asked) {
                return Ok(Some(pointer));
            }
        }
        Ok(None)
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
        assertions.extend_from_slice(terms);
        let query = Query { assertions: &assertions, assumptions: &[] };
        let limits = Limits::effort(TIME);
        solver.decide(pool, &query, &limits).is_unsat()
    }
}
