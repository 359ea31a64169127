//! Proof by cases, without a solver.
//!
//! Two versions often differ only in the order in which they ask the same questions. Then it is
//! enough to answer the questions one way and the other and to simplify what is left. In the
//! case where an equation with a constant holds, its other side *is* the constant; so
//! the cases of a `switch` exclude each other without being told.
//!
//! A symbol that is only ever compared with constants has finitely many cases too: between two
//! neighbouring constants nothing changes, so one value of each stretch stands for all. And a symbol of at
//! most eight bits can simply be given all its values.
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
            if term == self.pool.falsity() {
                continue;
            }
            if left == 0 {
                return Ok(false);
            }
            left -= 1;
            // A conjunction need only fail in one of its parts, a disjunction must in all.
            if self.pool.op(term) == Op::Or {
                open.extend_from_slice(&self.pool.operands(term).to_vec());
                continue;
            }
            let split = match self.stretches(term) {
                Some(split) => Some(split),
                None => self.small_symbol(term),
            };
            if let Some((symbol, values)) = split {
                left = left.saturating_sub(values.len());
                let width = self.pool.sort(symbol).width().unwrap_or(1);
                for value in values {
                    let value = self.pool.bits(width, value)?;
                    open.push(self.pool.substitute(term, &[(symbol, value)].into_iter().collect())?);
                }
                continue;
            }
            let Some(question) = self.question(term) else { return Ok(false) };
            let (truth, falsity) = (self.pool.truth(), self.pool.falsity());
            let no = self.pool.substitute(term, &[(question, falsity)].into_iter().collect())?;
            open.push(no);
            if self.are_two_objects(question) {
                continue;
            }
            let yes = self.pool.substitute(term, &[(question, truth)].into_iter().collect())?;
            let yes = match self.equation(question) {
                Some((from, to)) => self.pool.substitute(yes, &[(from, to)].into_iter().collect())?,
                None => yes,
            };
            open.push(yes);
        }
        Ok(true)
    }

    /// A symbol that occurs only in comparisons with constants, and a value from each stretch between
    /// them. Where such a comparison changes as the symbol grows: at the constant, behind it, and (for
    /// signed ones) in the middle; each stretch begins at zero or at one of these.
    fn stretches(&self, term: TermId) -> Option<(TermId, Vec<u128>)> {
        const MOST: usize = 40;
        let mut found: BTreeMap<TermId, Option<BTreeSet<u128>>> = BTreeMap::new();
        for t in self.pool.sub_terms(&[term]) {
            let operands = self.pool.operands(t);
            let compares = matches!(self.pool.op(t), Op::Eq | Op::BvUlt | Op::BvSlt);
            for (index, operand) in operands.iter().enumerate() {
                let (Op::Symbol(_), Some(width)) = (self.pool.op(*operand), self.pool.sort(*operand).width()) else {
                    continue;
                };
                let entry = found.entry(*operand).or_insert_with(|| Some(BTreeSet::new()));
                let other = operands.get(1 - index.min(1)).and_then(|o| self.constant(*o));
                match (compares && width <= 64, other, entry) {
                    (true, Some(constant), Some(values)) => {
                        let mask = u128::MAX >> (128 - width);
                        values.extend([0, 1u128 << (width - 1)]);
                        values.extend([u128::from(constant), (u128::from(constant) + 1) & mask]);
                    }
                    (_, _, entry) => *entry = None,
                }
            }
        }
        let usable = found.into_iter().filter_map(|(s, v)| v.map(|v| (s, v)));
        let (symbol, values) = usable.min_by_key(|(_, values)| values.len())?;
        (values.len() <= MOST).then(|| (symbol, values.into_iter().collect()))
    }

    /// The only symbol of a formula, if it has few values.
    fn small_symbol(&self, term: TermId) -> Option<(TermId, Vec<u128>)> {
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
        self.pool.sub_terms(&[term]).into_iter().find(|t| {
            *t != whole
                && self.pool.sort(*t) == Sort::Bool
                && !matches!(self.pool.op(*t), Op::True | Op::False | Op::Not | Op::And | Op::Or | Op::Ite)
                && !(self.pool.op(*t) == Op::Eq
                    && self.pool.sort(self.pool.operands(*t)[0]) == Sort::Bool)
        })
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

    /// Whether the question is if two known objects have one address.
    fn are_two_objects(&self, question: TermId) -> bool {
        self.pool.op(question) == Op::Eq
            && self.pool.operands(question).iter().all(|t| self.is_object_base(*t))
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
