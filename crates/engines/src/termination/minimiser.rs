//! Conditions as people would write them: `n == 2147483647` rather than all that was needed to find it.
//!
//! Every rewriting is asked of the solver; what cannot be shown to mean the same stays as it was.

use super::body::literals_of;
use std::collections::HashMap;
use verdiff_judge::Budget;
use verdiff_logic::effort::Effort;
use verdiff_logic::solver::{self, Answer, Decide, Limits, Query};
use verdiff_logic::{Bits, LogicError, Op, SymbolId, TermId, TermPool};

/// Which parameters are signed.
pub type Signedness = HashMap<SymbolId, bool>;

/// What one question may take.
const MOST: Effort = Effort::millis(150);
/// Conditions of more parts than this are left as they are.
const MOST_PARTS: usize = 24;

/// Asks about conditions over parameters.
pub struct Minimiser<'a> {
    pub pool: &'a mut TermPool,
    pub budget: Budget,
    /// Which parameters are signed.
    pub signed: Signedness,
}

impl Minimiser<'_> {
    /// The same condition, shorter if that is possible.
    pub fn simplest(&mut self, condition: TermId) -> Result<TermId, LogicError> {
        let condition = self.pool.simplify(condition);
        if self.pool.op(condition).is_constant() {
            return Ok(condition);
        }
        if self.is_never(condition)? {
            return Ok(self.pool.falsity());
        }
        let not = self.pool.not(condition)?;
        if self.is_never(not)? {
            return Ok(self.pool.truth());
        }
        if self.budget.is_over() {
            return Ok(condition);
        }
        if let Some(few) = self.values(condition)? {
            return Ok(few);
        }
        if let Some(few) = self.values(not)? {
            return self.opposite(few);
        }
        if let Some(literal) = self.literal(condition, false)? {
            return Ok(literal);
        }
        if let Some(range) = self.range(condition)? {
            return Ok(range);
        }
        if let Some(range) = self.range(not)? {
            return self.opposite(range);
        }
        match self.literal(condition, true)? {
            Some(literal) => Ok(literal),
            None => self.fewer(condition),
        }
    }

    fn opposite(&mut self, condition: TermId) -> Result<TermId, LogicError> {
        let not = self.pool.not(condition)?;
        Ok(self.pool.simplify(not))
    }

    /// A comparison in the condition that says all of it. Orders of the wrong signedness are only taken if `any` may
    /// be.
    fn literal(&mut self, condition: TermId, any: bool) -> Result<Option<TermId>, LogicError> {
        for literal in literals_of(self.pool, &[condition]) {
            let wanted = match self.pool.op(literal) {
                Op::BvSlt => Some(true),
                Op::BvUlt => Some(false),
                _ => None,
            };
            let suits = self.pool.operands(literal).iter().all(|operand| {
                let signed = self.pool.as_symbol(*operand).and_then(|s| self.signed.get(&s));
                signed.is_none() || wanted.is_none() || signed == wanted.as_ref()
            });
            if !suits && !any {
                continue;
            }
            let opposite = self.pool.not(literal)?;
            for candidate in [literal, opposite] {
                if self.same(candidate, condition)? {
                    return Ok(Some(self.pool.simplify(candidate)));
                }
            }
        }
        Ok(None)
    }

    /// Whether a condition never holds.
    pub fn is_never(&mut self, condition: TermId) -> Result<bool, LogicError> {
        Ok(matches!(self.decide(condition), Answer::Unsat { .. }))
    }

    /// Whether a condition is known to hold of some values.
    pub fn is_possible(&mut self, condition: TermId) -> bool {
        matches!(self.decide(condition), Answer::Sat(_))
    }

    fn same(&mut self, a: TermId, b: TermId) -> Result<bool, LogicError> {
        let same = self.pool.eq(a, b)?;
        let not = self.pool.not(same)?;
        self.is_never(not)
    }

    fn decide(&mut self, condition: TermId) -> Answer {
        let time = self.budget.left().min(MOST).max(Effort::millis(1));
        let limits = Limits::effort(time);
        let assertions = [condition];
        let query = Query { assertions: &assertions, assumptions: &[] };
        solver::standard().decide(self.pool, &query, &limits)
    }

    /// The only number that a condition speaks of.
    fn number(&self, condition: TermId) -> Option<(TermId, u32, bool)> {
        let names = self.pool.free_names(&[condition]);
        let [symbol] = names.symbols[..] else { return None };
        let number = self.pool.symbol_term(symbol);
        let signed = self.signed.get(&symbol).copied().unwrap_or(true);
        Some((number, self.pool.sort(number).width()?, signed))
    }

    /// A condition over one number that is a range of it.
    fn range(&mut self, condition: TermId) -> Result<Option<TermId>, LogicError> {
        let Some((number, width, signed)) = self.number(condition) else { return Ok(None) };
        if self.budget.is_over() {
            return Ok(None);
        }
        let (Some(low), Some(high)) = (
            self.bound(condition, number, width, signed, false)?,
            self.bound(condition, number, width, signed, true)?,
        ) else {
            return Ok(None);
        };
        let mut ends = vec![];
        let (least, most) = match signed {
            true => (Bits::signed_min(width), Bits::signed_max(width)),
            false => (Bits::zero(width), Bits::ones(width)),
        };
        let order = |pool: &mut TermPool, a, b| match signed {
            true => pool.bv_sle(a, b),
            false => pool.bv_ule(a, b),
        };
        if low != least {
            let low = self.pool.constant_bits(&low);
            ends.push(order(self.pool, low, number)?);
        }
        if high != most {
            let high = self.pool.constant_bits(&high);
            ends.push(order(self.pool, number, high)?);
        }
        let range = match ends[..] {
            [] => self.pool.truth(),
            [one] => one,
            _ => self.pool.and(&ends)?,
        };
        if self.same(range, condition)? {
            return Ok(Some(self.pool.simplify(range)));
        }
        Ok(None)
    }

    /// The values for which a condition holds, if they are few.
    fn values(&mut self, condition: TermId) -> Result<Option<TermId>, LogicError> {
        let Some((number, _, signed)) = self.number(condition) else { return Ok(None) };
        let mut found: Vec<Bits> = vec![];
        let mut rest = condition;
        for _ in 0..3 {
            match self.decide(rest) {
                Answer::Unsat { .. } => {
                    found.sort_by_key(|value| {
                        if signed { value.to_signed() } else { value.to_biguint().into() }
                    });
                    let mut any = vec![];
                    for value in found {
                        let value = self.pool.constant_bits(&value);
                        any.push(self.pool.eq(number, value)?);
                    }
                    let any = match any[..] {
                        [] => self.pool.falsity(),
                        [one] => one,
                        _ => self.pool.or(&any)?,
                    };
                    return Ok(Some(any));
                }
                Answer::Sat(model) => {
                    let Some(value) = self.pool.eval(number, &model)?.as_bits().cloned() else {
                        return Ok(None);
                    };
                    let is = self.pool.constant_bits(&value);
                    let other = self.pool.ne(number, is)?;
                    rest = self.pool.and(&[rest, other])?;
                    found.push(value);
                }
                Answer::Unknown(_) => return Ok(None),
            }
        }
        Ok(None)
    }

    /// The least or the greatest number for which a condition holds, by bisection.
    fn bound(
        &mut self,
        condition: TermId,
        number: TermId,
        width: u32,
        signed: bool,
        greatest: bool,
    ) -> Result<Option<Bits>, LogicError> {
        if width > 64 {
            return Ok(None);
        }
        let flip = |b: &Bits| if signed { b.xor(&Bits::signed_min(width)) } else { b.clone() };
        // In the order of unsigned numbers: all below `low` do not, or all above `high`.
        let (mut low, mut high) = (0u128, (1u128 << width) - 1);
        while low < high {
            let middle =
                if greatest { low + (high - low).div_ceil(2) } else { low + (high - low) / 2 };
            let at = flip(&Bits::new(width, middle));
            let at = self.pool.constant_bits(&at);
            let side = match (signed, greatest) {
                (true, true) => self.pool.bv_sle(at, number)?,
                (true, false) => self.pool.bv_sle(number, at)?,
                (false, true) => self.pool.bv_ule(at, number)?,
                (false, false) => self.pool.bv_ule(number, at)?,
            };
            let there = self.pool.and(&[condition, side])?;
            match (self.decide(there), greatest) {
                (Answer::Sat(_), true) => low = middle,
                (Answer::Sat(_), false) => high = middle,
                (Answer::Unsat { .. }, true) => high = middle - 1,
                (Answer::Unsat { .. }, false) => low = middle + 1,
                (Answer::Unknown(_), _) => return Ok(None),
            }
        }
        Ok(Some(flip(&Bits::new(width, low))))
    }

    /// Without the parts that say nothing new, at every depth.
    fn fewer(&mut self, mut condition: TermId) -> Result<TermId, LogicError> {
        'again: for _ in 0..MOST_PARTS {
            for shorter in self.shorter(condition)? {
                if self.budget.is_over() {
                    return Ok(condition);
                }
                if self.same(shorter, condition)? {
                    condition = shorter;
                    continue 'again;
                }
            }
            break;
        }
        Ok(condition)
    }

    /// The condition with one part of a conjunction or disjunction left out, in every way.
    fn shorter(&mut self, condition: TermId) -> Result<Vec<TermId>, LogicError> {
        let op = self.pool.op(condition);
        let parts = self.pool.operands(condition).to_vec();
        let mut found = vec![];
        match op {
            Op::Not => {
                for part in self.shorter(parts[0])? {
                    found.push(self.pool.not(part)?);
                }
            }
            Op::And | Op::Or if parts.len() <= MOST_PARTS => {
                for at in 0..parts.len() {
                    let mut rest = parts.clone();
                    rest.remove(at);
                    found.push(match rest[..] {
                        [one] => one,
                        _ => self.pool.apply_op(op, &rest)?,
                    });
                }
                for at in 0..parts.len() {
                    for part in self.shorter(parts[at])? {
                        let mut other = parts.clone();
                        other[at] = part;
                        found.push(self.pool.apply_op(op, &other)?);
                    }
                }
            }
            _ => {}
        }
        Ok(found)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use verdiff_logic::Sort;

    /// Two factors of a prime, which nobody finds in a millisecond.
    #[test]
    fn a_time_out_is_no_run_in_which_both_terminate() {
        let mut pool = TermPool::new();
        let [x, y] = ["x", "y"].map(|name| pool.symbol(name, Sort::BitVec(64)).unwrap());
        let (one, prime) = (pool.bits(64, 1).unwrap(), pool.bits(64, (1 << 61) - 1).unwrap());
        let above = [pool.bv_ult(one, x).unwrap(), pool.bv_ult(one, y).unwrap()];
        let product = pool.bv_mul(x, y).unwrap();
        let is_it = pool.eq(product, prime).unwrap();
        let hard = pool.and(&[above[0], above[1], is_it]).unwrap();
        let (budget, signed) = (Budget::lasting(Effort::ZERO, 0), Signedness::default());
        let mut minimiser = Minimiser { pool: &mut pool, budget, signed };
        assert!(!minimiser.is_never(hard).unwrap(), "it was answered: the test asks nothing");
        assert!(!minimiser.is_possible(hard));
        assert!(minimiser.is_possible(above[0]));
    }
}
