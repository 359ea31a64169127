//! Equations that say what a term is.

use crate::space::Space;
use verdiff_logic::{LogicError, Op, TermId};

impl Space {
    /// An equation between a term and something simpler that can stand for it.
    pub(super) fn equation(&self, question: TermId) -> Option<(TermId, TermId)> {
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
            _ => self.solved(a, b).or_else(|| self.solved(b, a)),
        }
    }

    /// An equation solved for a symbol: the other side can stand for it wherever it occurs. The other way round would leave it
    /// where it is computed with otherwise.
    pub(super) fn solved(&self, symbol: TermId, value: TermId) -> Option<(TermId, TermId)> {
        let is_symbol = matches!(self.pool.op(symbol), Op::Symbol(_));
        let computed = matches!(self.pool.op(value), Op::BvAdd | Op::BvMul | Op::BvNot);
        (is_symbol && computed && !self.pool.sub_terms(&[value]).contains(&symbol))
            .then_some((symbol, value))
    }

    /// An equation between sums solved for what some function gives: equations between calls are used up one by one, as in elimination.
    pub(super) fn isolated(
        &mut self,
        a: TermId,
        b: TermId,
    ) -> Result<Option<(TermId, TermId)>, LogicError> {
        let mut found: Option<(TermId, TermId)> = None;
        for (side, other) in [(a, b), (b, a)] {
            let parts = match self.pool.op(side) {
                Op::BvAdd => self.pool.operands(side).to_vec(),
                _ => vec![side],
            };
            for (at, part) in parts.iter().enumerate() {
                let is_call = matches!(self.pool.op(*part), Op::Apply(_));
                if !is_call || found.is_some_and(|(best, _)| best >= *part) {
                    continue;
                }
                let mut value = other;
                for (_, rest) in parts.iter().enumerate().filter(|(n, _)| *n != at) {
                    value = self.pool.bv_sub(value, *rest)?;
                }
                let value = self.pool.simplify(value);
                if !self.pool.sub_terms(&[value]).contains(part) {
                    found = Some((*part, value));
                }
            }
        }
        Ok(found)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use verdiff_logic::Sort;

    /// `f(1) == f(2) + f(3)`, `f(2) == f(3) + f(4)`: then `f(1) + f(2) == 3 f(3) + 2 f(4)`, and no other multiple.
    #[test]
    fn equations_between_calls_are_used_up() {
        let mut space = Space::new();
        let word = Sort::BitVec(32);
        let f = space.pool.function("f", &[word], word).unwrap();
        let calls: Vec<TermId> = (1..=4)
            .map(|n| {
                let n = space.pool.bits(32, n).unwrap();
                space.pool.apply_op(Op::Apply(f), &[n]).unwrap()
            })
            .collect();
        let [one, two, three, four] = calls[..] else { unreachable!() };
        let mut given = vec![];
        for (left, a, b) in [(one, two, three), (two, three, four)] {
            let sum = space.pool.bv_add(a, b).unwrap();
            given.push(space.pool.eq(left, sum).unwrap());
        }
        let sum = space.pool.bv_add(one, two).unwrap();
        let mut differs = |times: u128| {
            let (times, twice) =
                (space.pool.bits(32, times).unwrap(), space.pool.bits(32, 2).unwrap());
            let (a, b) =
                (space.pool.bv_mul(times, three).unwrap(), space.pool.bv_mul(twice, four).unwrap());
            let other = space.pool.bv_add(a, b).unwrap();
            let mut all = given.clone();
            all.push(space.pool.ne(sum, other).unwrap());
            let all = space.pool.and(&all).unwrap();
            !space.refute(all, 32).unwrap()
        };
        assert!(!differs(3));
        assert!(differs(2) && differs(4));
    }
}
