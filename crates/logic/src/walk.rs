//! Traversals: sub-terms in order, free symbols, size measures.
//!
//! None recurses. Operands have smaller numbers than the terms that use them, so the sub-terms
//! sorted by number are in dependency order.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::effort::{self, Step};
use crate::op::Op;
use crate::sort::Sort;
use crate::term::{FunctionId, SymbolId, TermId, TermPool};

/// The free names of some terms, each in order of declaration.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct FreeNames {
    /// Symbols.
    pub symbols: Vec<SymbolId>,
    /// Uninterpreted functions.
    pub functions: Vec<FunctionId>,
}

impl TermPool {
    /// All sub-terms of some terms, themselves included, each once, operands first.
    pub fn sub_terms(&self, roots: &[TermId]) -> Vec<TermId> {
        let mut seen = FxHashSet::default();
        let mut found = Vec::new();
        let mut pending: Vec<TermId> = roots.to_vec();
        while let Some(term) = pending.pop() {
            if seen.insert(term) {
                found.push(term);
                pending.extend_from_slice(self.operands(term));
            }
        }
        found.sort_unstable();
        effort::count(Step::Visit, found.len() as u64);
        found
    }

    /// The symbols and functions that some terms speak of.
    pub fn free_names(&self, roots: &[TermId]) -> FreeNames {
        let mut names = FreeNames::default();
        for term in self.sub_terms(roots) {
            match self.op(term) {
                Op::Symbol(symbol) => names.symbols.push(symbol),
                Op::Apply(function) => names.functions.push(function),
                _ => {}
            }
        }
        names.symbols.sort_unstable();
        names.functions.sort_unstable();
        names.functions.dedup();
        names
    }

    /// How many different sub-terms a term has: the size of its graph.
    pub fn dag_size(&self, root: TermId) -> usize {
        self.sub_terms(&[root]).len()
    }

    /// How many nodes the term has written out without sharing; saturates.
    pub fn tree_size(&self, root: TermId) -> u64 {
        self.fold_up(root, |pool, term, of| {
            pool.operands(term).iter().fold(1u64, |sum, t| sum.saturating_add(of(*t)))
        })
    }

    /// The longest way from the term down to a leaf, counted in nodes.
    pub fn depth(&self, root: TermId) -> u64 {
        self.fold_up(root, |pool, term, of| {
            1 + pool.operands(term).iter().map(|t| of(*t)).max().unwrap_or(0)
        })
    }

    fn fold_up(
        &self,
        root: TermId,
        step: impl Fn(&TermPool, TermId, &dyn Fn(TermId) -> u64) -> u64,
    ) -> u64 {
        let mut known: FxHashMap<TermId, u64> = FxHashMap::default();
        for term in self.sub_terms(&[root]) {
            let result = step(self, term, &|operand| known[&operand]);
            known.insert(term, result);
        }
        known[&root]
    }

    /// Whether any sub-term is, takes or gives a float.
    pub fn mentions_floats(&self, roots: &[TermId]) -> bool {
        self.sub_terms(roots).iter().any(|t| matches!(self.sort(*t), Sort::Float(_)))
    }
}
