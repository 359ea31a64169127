//! Proof by cases, without a solver.
//!
//! Two versions often differ only in the order in which they ask the same questions. Then it is
//! enough to answer the questions one way and the other and to simplify what is left. In the
//! case where an equation with a constant holds, its other side *is* the constant; so
//! the cases of a `switch` exclude each other without being told.
//!
//! A term that is only ever compared with constants has finitely many cases too: between two
//! neighbouring constants nothing changes, so one value of each stretch stands for all. And what
//! has few bits can simply be given all its values.
//!
//! Sound: the formula is false if it is false in both cases of some question, and replacing equals by equals
//! does not change it. Addresses of two known objects are never equal ([`Space::axioms`]).

use crate::space::Space;
use std::collections::{BTreeMap, BTreeSet};
use verdiff_logic::{LogicError, Op, Sort, TermId};

impl Space {
    /// Whether the formula is surely false. `cases` bounds how many cases are looked at; when they do
    /// not suffice, the answer is "not surely".
    pub fn refute(&mut self, formula: TermId, cases: usize) -> Result<bool, LogicError> {
        let mut open = vec![formula];
        let mut left = cases;
        while let Some(term) = open.pop() {
            let term = self.pool.simplify(term);
            if term == self.pool.falsity() || self.is_never(term) {
                continue;
            }
            if left == 0 {
                return Ok(false);
            }
            left -= 1;
            // A conjunction need only fail in one of its parts, a disjunction must in all.
            if self.pool.op(term) == Op::Or {
                open.extend_from_slice(self.pool.operands(term));
                continue;
            }
            // What says most first: all values of the only symbol, then stretches, then questions;
            // bits of a word only when nothing else is left, for they forget the word.
            let question = self.question(term);
            let split = self.only_symbol(term).or_else(|| self.stretches(term));
            let split =
                if question.is_none() { split.or_else(|| self.few_bits(term)) } else { split };
            if let Some((symbol, values)) = split {
                left = left.saturating_sub(values.len());
                let width = self.pool.sort(symbol).width().unwrap_or(1);
                for value in values {
                    let value = self.pool.bits(width, value)?;
                    open.push(
                        self.pool.substitute(term, &[(symbol, value)].into_iter().collect())?,
                    );
                }
                continue;
            }
            let Some(question) = question else { return Ok(false) };
            let (truth, falsity) = (self.pool.truth(), self.pool.falsity());
            let no = self.pool.substitute(term, &[(question, falsity)].into_iter().collect())?;
            open.push(no);
            if self.is_never(question) {
                continue;
            }
            let yes = self.pool.substitute(term, &[(question, truth)].into_iter().collect())?;
            let yes = match self.equation(question) {
                Some((from, to)) => {
                    self.pool.substitute(yes, &[(from, to)].into_iter().collect())?
                }
                None => yes,
            };
            open.push(yes);
        }
        Ok(true)
    }

    /// A term that occurs only in comparisons with constants, itself or moved by a constant, and a
    /// value from each stretch between them. Where such a comparison changes as the term grows: at
    /// the constant, behind it, and (for signed ones) in the middle; each stretch begins at zero or at one of these.
    fn stretches(&self, term: TermId) -> Option<(TermId, Vec<u128>)> {
        const MOST: usize = 40;
        let terms = self.pool.sub_terms(&[term]);
        let mut uses: BTreeMap<TermId, Vec<TermId>> = BTreeMap::new();
        for t in &terms {
            for operand in self.pool.operands(*t) {
                uses.entry(*operand).or_default().push(*t);
            }
        }
        let candidates = terms.iter().filter_map(|t| {
            let width = self.pool.sort(*t).width().filter(|w| *w <= 64)?;
            // Only what is not computed from other terms: splitting a computed one forgets them.
            if !matches!(
                self.pool.op(*t),
                Op::Symbol(_) | Op::Select | Op::Apply(_) | Op::Extract { .. }
            ) {
                return None;
            }
            let mut starts = BTreeSet::from([0]);
            self.borders(*t, 0, width, &uses, &mut starts)?;
            (starts.len() > 1 && starts.len() <= MOST).then_some((*t, starts))
        });
        let (term, starts) = candidates.min_by_key(|(_, starts)| starts.len())?;
        Some((term, starts.into_iter().collect()))
    }

    /// `x` and `k` of `x + k`.
    fn moved(&self, term: TermId) -> Option<(TermId, u64)> {
        if self.pool.op(term) != Op::BvAdd {
            return None;
        }
        match *self.pool.operands(term) {
            [a, b] => match (self.constant(a), self.constant(b)) {
                (Some(k), None) => Some((b, k)),
                (None, Some(k)) => Some((a, k)),
                _ => None,
            },
            _ => None,
        }
    }

    /// Collects where the answers about `term`, which is the candidate plus `by`, change as the
    /// candidate grows; `None` if it is used otherwise.
    fn borders(
        &self,
        term: TermId,
        by: u64,
        width: u32,
        uses: &BTreeMap<TermId, Vec<TermId>>,
        starts: &mut BTreeSet<u128>,
    ) -> Option<()> {
        let mask = u128::MAX >> (128 - width);
        for user in uses.get(&term).into_iter().flatten() {
            if by == 0
                && let Some((_, k)) = self.moved(*user)
            {
                self.borders(*user, k, width, uses, starts)?;
                continue;
            }
            if !matches!(self.pool.op(*user), Op::Eq | Op::BvUlt | Op::BvSlt) {
                return None;
            }
            let operands = self.pool.operands(*user);
            let other = if operands[0] == term { operands[1] } else { operands[0] };
            let constant = u128::from(self.constant(other)?);
            for border in [0, 1 << (width - 1), constant, constant + 1] {
                starts.insert(border.wrapping_sub(by.into()) & mask);
            }
        }
        Some(())
    }

    /// Some bits of a word: a term with few values.
    fn few_bits(&self, term: TermId) -> Option<(TermId, Vec<u128>)> {
        const FEW: u32 = 3;
        let width = |t: TermId| self.pool.sort(t).width().filter(|w| *w <= FEW);
        let narrow =
            |t: &TermId| matches!(self.pool.op(*t), Op::Extract { .. }) && width(*t).is_some();
        let found = self.pool.sub_terms(&[term]).into_iter().find(narrow)?;
        Some((found, (0..1u128 << width(found)?).collect()))
    }

    /// The only symbol of a formula, if it has few values.
    fn only_symbol(&self, term: TermId) -> Option<(TermId, Vec<u128>)> {
        let names = self.pool.free_names(&[term]);
        let [symbol] = names.symbols[..] else { return None };
        let symbol = self.pool.symbol_term(symbol);
        let width = self.pool.sort(symbol).width().filter(|w| *w <= 8)?;
        Some((symbol, (0..1u128 << width).collect()))
    }

    /// The first question the formula asks: a truth value that is neither built from others
    /// nor the whole formula.
    fn question(&self, term: TermId) -> Option<TermId> {
        let whole = match self.pool.op(term) {
            Op::Not => self.pool.operands(term)[0],
            _ => term,
        };
        let asked = |t: &TermId| {
            *t != whole
                && self.pool.sort(*t) == Sort::Bool
                && !matches!(
                    self.pool.op(*t),
                    Op::True | Op::False | Op::Not | Op::And | Op::Or | Op::Ite
                )
                && !(self.pool.op(*t) == Op::Eq
                    && self.pool.sort(self.pool.operands(*t)[0]) == Sort::Bool)
        };
        let questions: Vec<TermId> =
            self.pool.sub_terms(&[term]).into_iter().filter(asked).collect();
        // One whose answer replaces a term first: it settles the most.
        let settles = |q: &&TermId| self.equation(**q).is_some();
        questions.iter().find(settles).or(questions.first()).copied()
    }

    /// An equation between a term and something simpler that can stand for it.
    fn equation(&self, question: TermId) -> Option<(TermId, TermId)> {
        if self.pool.op(question) != Op::Eq {
            return None;
        }
        let (a, b) = (self.pool.operands(question)[0], self.pool.operands(question)[1]);
        let constant = |t: TermId| self.pool.op(t).is_constant();
        let symbol = |t: TermId| matches!(self.pool.op(t), Op::Symbol(_));
        match (constant(a), constant(b)) {
            (true, false) => Some((b, a)),
            (false, true) => Some((a, b)),
            _ if symbol(a) && symbol(b) => Some((a.max(b), a.min(b))),
            _ => None,
        }
    }

    /// Whether an equation surely fails: two known objects with one address, or bits that are set
    /// on one side (`x | 1`) and not on the other.
    fn is_never(&self, question: TermId) -> bool {
        if self.pool.op(question) != Op::Eq {
            return false;
        }
        let operands = self.pool.operands(question);
        if operands.iter().all(|t| self.is_object_base(*t)) {
            return true;
        }
        let set_bits = |t: TermId| match self.pool.op(t) {
            Op::BvOr => {
                self.pool.operands(t).iter().filter_map(|o| self.constant(*o)).fold(0, |a, b| a | b)
            }
            _ => 0,
        };
        [(0, 1), (1, 0)].into_iter().any(|(a, b)| match self.constant(operands[b]) {
            Some(constant) => set_bits(operands[a]) & !constant != 0,
            None => false,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cases_of_a_switch_may_be_asked_in_any_order() {
        let mut space = Space::new();
        let x = space.pool.symbol("x", Sort::BitVec(32)).unwrap();
        let mut numbers = Vec::new();
        for n in 0..4 {
            numbers.push(space.pool.bits(32, n).unwrap());
        }
        let one = space.pool.eq(x, numbers[1]).unwrap();
        let two = space.pool.eq(x, numbers[2]).unwrap();
        let inner = space.pool.ite(two, numbers[3], numbers[0]).unwrap();
        let left = space.pool.ite(one, numbers[2], inner).unwrap();
        let inner = space.pool.ite(one, numbers[2], numbers[0]).unwrap();
        let right = space.pool.ite(two, numbers[3], inner).unwrap();
        let differ = space.pool.ne(left, right).unwrap();
        assert!(space.refute(differ, 32).unwrap());
        // Signed and unsigned ways to ask for a range.
        let zero = numbers[0];
        let negative = space.pool.bv_slt(x, zero).unwrap();
        let (limit, below) = (space.pool.bits(32, 24).unwrap(), space.pool.not(negative).unwrap());
        let small = space.pool.bv_slt(x, limit).unwrap();
        let both = space.pool.and(&[below, small]).unwrap();
        let unsigned = space.pool.bv_ult(x, limit).unwrap();
        let same = space.pool.eq(both, unsigned).unwrap();
        let differ_range = space.pool.not(same).unwrap();
        assert!(space.refute(differ_range, 64).unwrap());
        let same = space.pool.eq(small, unsigned).unwrap();
        let differ_sign = space.pool.not(same).unwrap();
        assert!(!space.refute(differ_sign, 64).unwrap());
        let wrong = space.pool.ite(two, numbers[1], inner).unwrap();
        let differ = space.pool.ne(left, wrong).unwrap();
        assert!(!space.refute(differ, 32).unwrap());
    }
}
