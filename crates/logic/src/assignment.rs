//! Assignments: a value for each symbol, a table for each function. A solver's model is one.

use std::collections::BTreeMap;

use crate::bits::Bits;
use crate::error::LogicError;
use crate::float::FloatValue;
use crate::sort::Sort;
use crate::term::{FunctionId, SymbolId, TermId, TermPool};
use crate::value::{ArrayValue, FunctionValue, Value};

/// Values for symbols and tables for functions. What is not mentioned has the default value of
/// its sort (`false`, zero, zero everywhere), so every assignment is total.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Assignment {
    symbols: BTreeMap<SymbolId, Value>,
    functions: BTreeMap<FunctionId, FunctionValue>,
}

impl Assignment {
    /// The assignment that says nothing.
    pub fn new() -> Assignment {
        Assignment::default()
    }

    /// Gives a symbol a value.
    pub fn set(
        &mut self,
        pool: &TermPool,
        symbol: SymbolId,
        value: Value,
    ) -> Result<(), LogicError> {
        check_sort(value.sort(), pool.sort(pool.symbol_term(symbol)))?;
        self.symbols.insert(symbol, value);
        Ok(())
    }

    /// Gives the symbol that `term` is a value.
    pub fn set_term(
        &mut self,
        pool: &TermPool,
        term: TermId,
        value: Value,
    ) -> Result<(), LogicError> {
        pool.check(term)?;
        let symbol = pool.as_symbol(term).ok_or(LogicError::UnknownTerm(term.0))?;
        self.set(pool, symbol, value)
    }

    /// Gives a function its meaning.
    pub fn set_function(
        &mut self,
        pool: &TermPool,
        function: FunctionId,
        value: FunctionValue,
    ) -> Result<(), LogicError> {
        let signature = pool.signature(function);
        check_sort(value.default_value().sort(), signature.result)?;
        for (arguments, result) in value.table() {
            check_sort(result.sort(), signature.result)?;
            for (argument, parameter) in arguments.iter().zip(&signature.parameters) {
                check_sort(argument.sort(), *parameter)?;
            }
        }
        self.functions.insert(function, value);
        Ok(())
    }

    /// The value of a symbol, if it was given one.
    pub fn get(&self, symbol: SymbolId) -> Option<&Value> {
        self.symbols.get(&symbol)
    }

    /// The meaning of a function, if it was given one.
    pub fn get_function(&self, function: FunctionId) -> Option<&FunctionValue> {
        self.functions.get(&function)
    }

    /// The symbols that were given values, in order of declaration.
    pub fn symbols(&self) -> impl Iterator<Item = (SymbolId, &Value)> {
        self.symbols.iter().map(|(symbol, value)| (*symbol, value))
    }

    /// The functions that were given tables, in order of declaration.
    pub fn functions(&self) -> impl Iterator<Item = (FunctionId, &FunctionValue)> {
        self.functions.iter().map(|(function, value)| (*function, value))
    }

    /// Takes over what another assignment says of names this one does not mention.
    pub fn merge(&mut self, other: &Assignment) {
        for (symbol, value) in &other.symbols {
            self.symbols.entry(*symbol).or_insert_with(|| value.clone());
        }
        for (function, value) in &other.functions {
            self.functions.entry(*function).or_insert_with(|| value.clone());
        }
    }

    /// Forgets everything but the given names.
    pub fn retain(
        &mut self,
        mut symbols: impl FnMut(SymbolId) -> bool,
        mut functions: impl FnMut(FunctionId) -> bool,
    ) {
        self.symbols.retain(|symbol, _| symbols(*symbol));
        self.functions.retain(|function, _| functions(*function));
    }
}

fn check_sort(found: Sort, expected: Sort) -> Result<(), LogicError> {
    if found == expected { Ok(()) } else { Err(LogicError::ValueSort { found, expected }) }
}

impl TermPool {
    /// The value a symbol of this sort has when nothing is said of it.
    pub fn default_value(&self, sort: Sort) -> Value {
        match sort {
            Sort::Bool => Value::Bool(false),
            Sort::BitVec(width) => Value::Bits(Bits::zero(width)),
            Sort::Float(format) => Value::Float(FloatValue::zero(format, false)),
            Sort::Uninterpreted(sort) => Value::Element(sort, 0),
            Sort::Array(array) => {
                let (_, element) = self.array_parts(array);
                Value::Array(ArrayValue::constant(array, self.default_value(element)))
            }
        }
    }
}
