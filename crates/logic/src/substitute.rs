//! Substitution: a term with some of its sub-terms replaced, all at once.

use rustc_hash::FxHashMap;

use crate::error::LogicError;
use crate::op::Op;
use crate::term::{TermId, TermPool};

impl TermPool {
    /// `root` with every occurrence of a key of `map` replaced by its value. Replacements are
    /// not looked into again, and the outermost key wins.
    ///
    /// ```
    /// # use verdiff_logic::{Sort, TermPool};
    /// # fn main() -> Result<(), verdiff_logic::LogicError> {
    /// let mut pool = TermPool::new();
    /// let x = pool.symbol("x", Sort::BitVec(8))?;
    /// let y = pool.symbol("y", Sort::BitVec(8))?;
    /// let term = pool.bv_add(x, y)?;
    /// let swapped = pool.substitute(term, &[(x, y), (y, x)].into_iter().collect())?;
    /// assert_eq!(swapped, pool.bv_add(y, x)?);
    /// # Ok(()) }
    /// ```
    pub fn substitute(
        &mut self,
        root: TermId,
        map: &FxHashMap<TermId, TermId>,
    ) -> Result<TermId, LogicError> {
        Ok(self.substitute_all(&[root], map)?[0])
    }

    /// [`TermPool::substitute`] for several terms that share sub-terms.
    pub fn substitute_all(
        &mut self,
        roots: &[TermId],
        map: &FxHashMap<TermId, TermId>,
    ) -> Result<Vec<TermId>, LogicError> {
        for (from, to) in map {
            self.check(*from)?;
            self.check(*to)?;
            if self.sort(*from) != self.sort(*to) {
                let (found, expected) = (self.sort(*to), self.sort(*from));
                return Err(LogicError::ValueSort { found, expected });
            }
        }
        let mut done: FxHashMap<TermId, TermId> = FxHashMap::default();
        let mut operands = Vec::new();
        for term in self.sub_terms(roots) {
            if let Some(replacement) = map.get(&term) {
                done.insert(term, *replacement);
                continue;
            }
            operands.clear();
            operands.extend(self.operands(term).iter().map(|t| done[t]));
            let rebuilt = self.rebuild(term, &operands);
            done.insert(term, rebuilt);
        }
        Ok(roots.iter().map(|root| done[root]).collect())
    }

    /// The term with the operator of `term` and other operands of the same sorts.
    pub(crate) fn rebuild(&mut self, term: TermId, operands: &[TermId]) -> TermId {
        if self.operands(term) == operands {
            return term;
        }
        let (op, sort) = (self.op(term), self.sort(term));
        debug_assert!(
            op == Op::ConstArray || self.sort_of(op, operands) == Ok(sort),
            "operands of other sorts"
        );
        self.intern(op, sort, operands)
    }
}
