//! What each operator on bit-vectors and arrays is over the integers.

use super::formula::Formula;
use super::sum::{Range, Sum, joined, name, power};
use super::translation::{Divisor, TooLarge, Translation};
use crate::op::Op;
use crate::sort::Sort;
use crate::term::TermId;
use num_bigint::BigInt;
use num_integer::Integer;
use num_traits::{One, Signed, Zero};

/// A quotient and a remainder.
type Divided = (Sum, Sum);

impl Translation<'_> {
    /// A sum that is congruent to a bit-vector term modulo `2^width`.
    pub(super) fn operator(&mut self, term: TermId, width: u32) -> Result<Sum, TooLarge> {
        if let Some(bits) = self.pool.as_bits(term) {
            return Ok(Sum::constant(BigInt::from(bits.to_biguint())));
        }
        let operands = self.pool.operands(term).to_vec();
        let found = match self.pool.op(term) {
            Op::Symbol(_) => Some(self.symbol(term, width)),
            Op::BvAdd => {
                let mut sum = Sum::default();
                for operand in &operands {
                    sum = sum.plus(&BigInt::one(), &self.sum(*operand)?);
                }
                Some(sum)
            }
            Op::BvMul => {
                let factors: Result<Vec<Sum>, _> =
                    operands.iter().map(|operand| self.sum(*operand)).collect();
                self.product(&factors?, width)
            }
            Op::BvNot => Some(Sum::constant(-1).minus(&self.sum(operands[0])?)),
            Op::ZeroExtend(_) => Some(self.unsigned(operands[0])?),
            Op::SignExtend(_) => Some(self.signed(operands[0])?),
            Op::Extract { high, low } => {
                let sum = self.sum(operands[0])?.modulo(high + 1);
                Some(match low {
                    0 => sum,
                    _ => self.floor(&sum, &power(low)),
                })
            }
            Op::Concat => {
                let mut sum = self.sum(operands[0])?;
                for operand in &operands[1..] {
                    let size = power(self.pool.width(*operand));
                    sum = self.unsigned(*operand)?.plus(&size, &sum);
                }
                Some(sum)
            }
            Op::BvUdiv => Some(self.unsigned_quotient(&operands, width)?.0),
            Op::BvUrem => Some(self.unsigned_quotient(&operands, width)?.1),
            Op::BvSdiv => self.signed_quotient(&operands, width)?.map(|both| both.0),
            Op::BvSrem => self.signed_quotient(&operands, width)?.map(|both| both.1),
            op @ (Op::BvShl | Op::BvLshr | Op::BvAshr) => self.shifted(op, &operands, width)?,
            Op::Ite => Some(self.conditional(&operands)?),
            Op::Select => self.read(&operands, width)?,
            Op::BvAnd => self.masked(&operands, width)?,
            _ => None,
        };
        match found {
            Some(sum) => Ok(sum),
            None => self.result(term, &operands, width),
        }
    }

    fn symbol(&mut self, term: TermId, width: u32) -> Sum {
        let unknown = match self.symbols.get(&term) {
            Some(known) => *known,
            None => {
                let unknown = self.unknown(Range::unsigned(width));
                self.symbols.insert(term, unknown);
                unknown
            }
        };
        self.merged.get(&unknown).cloned().unwrap_or_else(|| Sum::unknown(unknown))
    }

    /// The value of a term of which only its operands are known.
    fn result(&mut self, term: TermId, operands: &[TermId], width: u32) -> Result<Sum, TooLarge> {
        let text = self.opaque(term)?;
        let value = self.value(text, width);
        // What is more than 2^width times a whole number away from the value of a bit operation.
        if let Op::BvAnd | Op::BvOr | Op::BvXor = self.pool.op(term)
            && let [a, b] = *operands
        {
            let (a, b) = (self.unsigned(a)?, self.unsigned(b)?);
            let both = a.plus(&BigInt::one(), &b);
            let orders = match self.pool.op(term) {
                Op::BvAnd => vec![(value.clone(), a), (value.clone(), b)],
                Op::BvOr => vec![(a, value.clone()), (b, value.clone()), (value.clone(), both)],
                _ => vec![(value.clone(), both)],
            };
            for (less, more) in orders {
                let text = format!("(<= {} {})", less.text(), more.text());
                self.say(text, more.degree() <= 1 && less.degree() <= 1, true);
            }
        }
        Ok(value)
    }

    fn conditional(&mut self, operands: &[TermId]) -> Result<Sum, TooLarge> {
        let condition = self.formula(operands[0])?;
        let condition = self.decided(condition);
        match condition {
            Formula::True => return self.sum(operands[1]),
            Formula::False => return self.sum(operands[2]),
            _ => {}
        }
        let [yes, no] = self.branches(&condition, operands, |all, term| {
            let sum = all.sum(term)?;
            let range = all.range(&sum);
            Ok((sum, range))
        })?;
        if yes.0 == no.0 {
            return Ok(yes.0);
        }
        Ok(self.either(&condition, [yes.0, no.0], [yes.1, no.1]))
    }

    fn unsigned_quotient(&mut self, operands: &[TermId], width: u32) -> Result<Divided, TooLarge> {
        let (a, b) = (self.unsigned(operands[0])?, self.unsigned(operands[1])?);
        Ok(self.quotient(&a, &b, width))
    }

    /// Quotient and remainder of exact values that are not negative, as `bvudiv` and `bvurem` have them.
    fn quotient(&mut self, a: &Sum, b: &Sum, width: u32) -> Divided {
        let zero = BigInt::zero();
        let within = Range::unsigned(width);
        let quotient = match b.as_constant() {
            Some(divisor) if divisor.is_zero() => {
                return (Sum::constant(power(width) - 1), a.clone());
            }
            // A divisor that is not negative is, in a branch that is never taken. ✗ To say of its quotient, whatever holds,
            // that there is one.
            Some(divisor) if divisor.is_negative() => return self.any_quotient(a, b, width),
            Some(divisor) => self.floor(a, &divisor),
            None => {
                let positive = Range { low: BigInt::one(), high: within.high.clone() };
                let is_positive = self.range(b).low > zero || self.is_shown_within(b, &positive);
                if !is_positive {
                    return self.any_quotient(a, b, width);
                }
                match b.as_unknown() {
                    Some(divisor) => self.floor_by_unknown(a, divisor, b),
                    None => self.any_quotient(a, b, width).0,
                }
            }
        };
        self.note(&quotient, within.clone());
        let remainder = a.minus(&quotient.times(b));
        self.note(&remainder, within);
        (quotient, remainder)
    }

    /// `floor(a / divisor)` for an unknown that is above zero here.
    fn floor_by_unknown(&mut self, a: &Sum, divisor: u32, b: &Sum) -> Sum {
        let (whole, rest) = a.divided_by_unknown(divisor);
        if rest == Sum::default() {
            return whole;
        }
        let key = (rest.clone(), Divisor::Unknown(divisor));
        let known = self.quotients.get(&key).copied();
        if known.is_none() && self.is_less(&rest, b) {
            return whole;
        }
        let quotient = known.unwrap_or_else(|| {
            let range = self.range(&rest);
            let zero = BigInt::zero();
            let quotient =
                self.unknown(Range::new(range.low.min(zero.clone()), range.high.max(zero)));
            let left = rest.minus(&Sum::unknown(quotient).times(b)).text();
            // Guarded: elsewhere the divisor may be zero, and the range be another one.
            self.say(format!("(and (<= 0 {left}) (< {left} {}))", b.text()), false, true);
            self.quotients.insert(key, quotient);
            quotient
        });
        whole.plus(&BigInt::one(), &Sum::unknown(quotient))
    }

    /// Quotient and remainder by what may be zero.
    fn any_quotient(&mut self, a: &Sum, b: &Sum, width: u32) -> Divided {
        let key = (a.clone(), Divisor::Any(b.clone(), width));
        if let Some(quotient) = self.quotients.get(&key) {
            return (Sum::unknown(*quotient), Sum::unknown(*quotient + 1));
        }
        // The remainder is the next unknown.
        let quotient = self.unknown(Range::unsigned(width));
        let remainder = self.unknown(Range::unsigned(width));
        let (q, r) = (Sum::unknown(quotient), Sum::unknown(remainder));
        let (a, divisor) = (a.text(), b.text());
        let most = power(width) - 1;
        let by_zero = format!("(and (= {} {most}) (= {} {a}))", q.text(), r.text());
        let product = q.times(b).text();
        let usual = format!("(and (= {a} (+ {product} {0})) (< {0} {divisor}))", r.text());
        self.say(format!("(ite (= {divisor} 0) {by_zero} {usual})"), false, true);
        self.quotients.insert(key, quotient);
        (q, r)
    }

    /// Quotient and remainder rounded towards zero; nothing if they are not followed.
    fn signed_quotient(
        &mut self,
        operands: &[TermId],
        width: u32,
    ) -> Result<Option<Divided>, TooLarge> {
        let (a, b) = (self.signed(operands[0])?, self.signed(operands[1])?);
        let not_negative = Range { low: BigInt::zero(), ..Range::signed(width) };
        let range = self.range(&a);
        let is_not_negative = !range.low.is_negative()
            || range.high.is_positive() && self.is_shown_within(&a, &not_negative);
        if is_not_negative {
            let positive = Range { low: BigInt::one(), ..Range::signed(width) };
            let above_zero =
                self.range(&b).low.is_positive() || self.is_shown_within(&b, &positive);
            if above_zero {
                return Ok(Some(self.quotient(&a, &b, width)));
            }
        }
        let Some(divisor) = b.as_constant().filter(Signed::is_positive) else { return Ok(None) };
        let key = (a.clone(), Divisor::Truncated(divisor.clone()));
        let quotient = match self.quotients.get(&key) {
            Some(known) => *known,
            None => {
                let range = self.lasting_range(&a);
                let quotient = self.unknown(Range::new(
                    range.low.div_floor(&divisor).min(BigInt::zero()),
                    range.high.div_floor(&divisor).max(BigInt::zero()),
                ));
                let left = a.minus(&Sum::unknown(quotient).scaled(&divisor)).text();
                let most = &divisor - 1;
                let value = a.text();
                let text =
                    format!("(ite (<= 0 {value}) (<= 0 {left} {most}) (<= (- {most}) {left} 0))");
                self.say(text, a.degree() <= 1, false);
                self.quotients.insert(key, quotient);
                quotient
            }
        };
        let quotient = Sum::unknown(quotient);
        let remainder = a.minus(&quotient.scaled(&divisor));
        Ok(Some((quotient, remainder)))
    }

    /// Shifts by a number.
    fn shifted(
        &mut self,
        op: Op,
        operands: &[TermId],
        width: u32,
    ) -> Result<Option<Sum>, TooLarge> {
        let Some(amount) = self.pool.as_bits(operands[1]) else { return Ok(None) };
        let amount = match amount.to_u64() {
            Some(amount) if amount < u64::from(width) => amount as u32,
            _ => return Ok(None),
        };
        Ok(Some(match op {
            Op::BvShl => self.sum(operands[0])?.scaled(&power(amount)),
            Op::BvLshr => {
                let value = self.unsigned(operands[0])?;
                self.floor(&value, &power(amount))
            }
            _ => {
                let value = self.signed(operands[0])?;
                self.floor(&value, &power(amount))
            }
        }))
    }

    /// The low bits of a word, or the word without them: `x & 7`, `x & ~7`.
    fn masked(&mut self, operands: &[TermId], width: u32) -> Result<Option<Sum>, TooLarge> {
        let [a, b] = *operands else { return Ok(None) };
        for (word, mask) in [(a, b), (b, a)] {
            let Some(mask) = self.pool.as_bits(mask) else { continue };
            let mask = BigInt::from(mask.to_biguint());
            let (low, high) = (&mask + 1, power(width) - &mask);
            let bits = |size: &BigInt| {
                let twos = size.trailing_zeros().and_then(|twos| u32::try_from(twos).ok());
                twos.filter(|twos| power(*twos) == *size && (1..width).contains(twos))
            };
            let (count, rest) = match (bits(&low), bits(&high)) {
                (Some(count), _) => (count, false),
                (_, Some(count)) => (count, true),
                _ => continue,
            };
            let whole = self.sum(word)?;
            let part = self.exact_of(&whole.modulo(count), count, false);
            return Ok(Some(if rest { whole.minus(&part) } else { part }));
        }
        Ok(None)
    }

    /// What an array holds. Of an array in which something was stored, what was stored, or what is in the array before,
    /// if it is plain which.
    fn read(&mut self, operands: &[TermId], width: u32) -> Result<Option<Sum>, TooLarge> {
        let (mut array, index) = (operands[0], operands[1]);
        let Sort::BitVec(bits) = self.pool.sort(index) else { return Ok(None) };
        while self.pool.op(array) == Op::Store {
            let [before, at, stored] = *self.pool.operands(array) else { break };
            let difference = self.sum(at)?.minus(&self.sum(index)?).modulo(bits);
            match difference.as_constant() {
                Some(zero) if zero.is_zero() => return Ok(Some(self.sum(stored)?)),
                Some(_) => array = before,
                None => break,
            }
        }
        let text = format!("(select {} {})", self.text(array)?, self.unsigned(index)?.text());
        Ok(Some(self.value(text, width)))
    }

    /// A term of any sort as text: the exact value of bits.
    pub(super) fn text(&mut self, term: TermId) -> Result<String, TooLarge> {
        let operands = self.pool.operands(term).to_vec();
        match (self.pool.sort(term), self.pool.op(term)) {
            (Sort::BitVec(_), _) => Ok(self.unsigned(term)?.text()),
            (Sort::Bool, _) => Ok(self.formula(term)?.text()),
            (Sort::Array(_), Op::Store) => {
                let parts: Result<Vec<String>, _> =
                    operands.iter().map(|operand| self.text(*operand)).collect();
                Ok(joined("store", &parts?))
            }
            (_, Op::Ite) => {
                let parts: Result<Vec<String>, _> =
                    operands.iter().map(|operand| self.text(*operand)).collect();
                Ok(joined("ite", &parts?))
            }
            _ => self.opaque(term),
        }
    }

    /// A term of which nothing is known but its operands, as text: the same function for the same operator.
    pub(super) fn opaque(&mut self, term: TermId) -> Result<String, TooLarge> {
        let operands = self.pool.operands(term).to_vec();
        let (op, sort) = (self.pool.op(term), self.pool.sort(term));
        let sorts: Vec<Sort> = operands.iter().map(|operand| self.pool.sort(*operand)).collect();
        let value = match op {
            // Constants of sorts that are not followed, and symbols.
            Op::Small(_) | Op::Large(_) | Op::Symbol(_) => format!("{}", term.0),
            _ => String::new(),
        };
        let mut parts: Vec<String> = vec![];
        for operand in &operands {
            parts.push(self.text(*operand)?);
        }
        if op.is_commutative() {
            parts.sort();
        }
        let parameters: Vec<String> = sorts.iter().map(|sort| self.sort(*sort)).collect();
        let result = self.sort(sort);
        let function =
            self.function(format!("{op:?} {value} {sorts:?} {sort:?}"), &parameters, &result);
        Ok(match parts.is_empty() {
            true => function,
            false => format!("({function} {})", parts.join(" ")),
        })
    }

    /// Whether a value is shown to be from zero to below another one.
    fn is_less(&mut self, a: &Sum, b: &Sum) -> bool {
        let range = self.range(a);
        if range.high.is_negative() || a.degree() > 1 {
            return false;
        }
        self.is_shown(&format!("(and (<= 0 {0}) (< {0} {1}))", a.text(), b.text()), true)
    }

    /// A condition, or what it is shown to be.
    fn decided(&mut self, condition: Formula) -> Formula {
        let simple = match &condition {
            Formula::AtLeastZero(sum) | Formula::Zero(sum) => sum.degree() <= 1,
            _ => false,
        };
        if !simple {
            return condition;
        }
        if self.is_shown(&condition.text(), true) {
            return Formula::True;
        }
        if self.is_shown(&condition.clone().not().text(), true) {
            return Formula::False;
        }
        condition
    }

    /// What an unknown is called, for lemmas.
    pub(super) fn within(&self, sum: &Sum, range: &Range) -> String {
        let value = match sum.as_unknown() {
            Some(unknown) => name(unknown),
            None => sum.text(),
        };
        let (low, high) = (super::sum::number(&range.low), super::sum::number(&range.high));
        format!("(<= {low} {value} {high})")
    }
}
