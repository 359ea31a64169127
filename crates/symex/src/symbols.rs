//! What symbols and functions of a space stand for, so that nobody reads it off their names.

use crate::space::Space;
use std::collections::BTreeSet;
use verdiff_logic::{LogicError, Op, Sort, TermId};

impl Space {
    /// The address at which the memories of a region are compared, if they were.
    pub fn compared_at(&self, region: usize) -> Option<TermId> {
        self.compared_at.get(&region).copied()
    }

    /// The same, made if there is none. `name` is that of the region.
    pub(crate) fn compare_at(&mut self, region: usize, name: &str) -> Result<TermId, LogicError> {
        let at = self.pool.symbol(&format!("at.{name}"), Sort::BitVec(64))?;
        self.compared_at.insert(region, at);
        Ok(at)
    }

    /// An output of an abstracted callee, as a function of its inputs.
    pub(crate) fn output_of(
        &mut self,
        callee: &str,
        name: &str,
        inputs: &[TermId],
        sort: Sort,
    ) -> Result<TermId, LogicError> {
        let output = self.function_call(name, inputs, sort)?;
        match self.pool.op(output) {
            Op::Apply(function) => {
                self.callee_functions.entry(function).or_insert_with(|| callee.into());
            }
            Op::Symbol(symbol) => {
                self.callee_symbols.entry(symbol).or_insert_with(|| callee.into());
            }
            _ => {}
        }
        Ok(output)
    }

    /// The abstracted callees whose outputs terms speak of, by the names of their abstractions.
    pub fn callees_in(&self, terms: &[TermId]) -> BTreeSet<&str> {
        let names = self.pool.free_names(terms);
        let functions = names.functions.iter().filter_map(|f| self.callee_functions.get(f));
        let symbols = names.symbols.iter().filter_map(|s| self.callee_symbols.get(s));
        functions.chain(symbols).map(|name| &**name).collect()
    }
}
