//! What symbols and functions of a space stand for, so that nobody reads it off their names.

use crate::space::Space;
use std::collections::BTreeSet;
use std::rc::Rc;
use verdiff_logic::{FunctionId, LogicError, Op, Sort, TermId};

/// A call with fewer outputs than this gives its inputs to each function,
const MANY_OUTPUTS: usize = 4;
/// and so does one with fewer inputs.
const MANY_INPUTS: usize = 8;

/// A function that makes a world of another: what was said to the outside, and this.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WorldFunction {
    /// A call of an external function, by the name under which it is known ([`Callees::external`](crate::callee::Callees::external)).
    External(Rc<str>),
    /// The end of the program, with a status.
    Exit,
}

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

    /// The world behind a call of an external function, or behind the end of the program.
    pub(crate) fn world_after(
        &mut self,
        made_by: WorldFunction,
        inputs: &[TermId],
        sort: Sort,
    ) -> Result<TermId, LogicError> {
        let name = match &made_by {
            WorldFunction::External(name) => format!("{name}.world"),
            WorldFunction::Exit => "world.exit".to_owned(),
        };
        let world = self.function_call(&name, inputs, sort)?;
        if let Op::Apply(function) = self.pool.op(world) {
            self.world_functions.entry(function).or_insert(made_by);
        }
        Ok(world)
    }

    /// What a function stands for that makes a world of another; nothing if it is no such function, or that of an
    /// abstracted callee.
    pub fn world_function(&self, function: FunctionId) -> Option<&WorldFunction> {
        self.world_functions.get(&function)
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

    /// The inputs of a call that has this many outputs: as one term if there are many of both, else as they are.
    ///
    /// A call that may read and write anything has as many inputs and outputs as there are regions, and a function of all
    /// inputs for each output would be quadratic in them, to build as well as to solve. So the inputs are
    /// given to one function, and the outputs are functions of its value. That is neither more nor less: outputs are
    /// functions of the inputs still, and any functions of the inputs can be had in this form, since the sort of the
    /// value is uninterpreted and so has models in which different inputs have different values.
    ///
    /// `name` is that of the function, `callee` that of the abstracted callee, if it is one.
    pub(crate) fn bundled(
        &mut self,
        callee: Option<&str>,
        name: &str,
        inputs: &[TermId],
        outputs: usize,
    ) -> Result<Vec<TermId>, LogicError> {
        if outputs < MANY_OUTPUTS || inputs.len() < MANY_INPUTS {
            return Ok(inputs.to_vec());
        }
        let sort = self.pool.uninterpreted_sort("Inputs")?;
        let bundle = match callee {
            Some(callee) => self.output_of(callee, name, inputs, sort)?,
            None => self.function_call(name, inputs, sort)?,
        };
        Ok(vec![bundle])
    }

    /// The abstracted callees whose outputs terms speak of, by the names of their abstractions.
    pub fn callees_in(&self, terms: &[TermId]) -> BTreeSet<&str> {
        let names = self.pool.free_names(terms);
        let functions = names.functions.iter().filter_map(|f| self.callee_functions.get(f));
        let symbols = names.symbols.iter().filter_map(|s| self.callee_symbols.get(s));
        functions.chain(symbols).map(|name| &**name).collect()
    }
}
