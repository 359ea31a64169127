//! Values: what a term evaluates to, and what a solver's model is made of.

use rpds::RedBlackTreeMapSync;

use crate::bits::Bits;
use crate::float::FloatValue;
use crate::sort::{ArraySort, Sort, UninterpretedSort};

/// A value of some sort.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Value {
    /// A truth value.
    Bool(bool),
    /// A bit-vector.
    Bits(Bits),
    /// A float.
    Float(FloatValue),
    /// An array.
    Array(ArrayValue),
    /// One element of an uninterpreted sort; different numbers are different elements.
    Element(UninterpretedSort, u32),
}

impl Value {
    /// The sort this is a value of.
    pub fn sort(&self) -> Sort {
        match self {
            Value::Bool(_) => Sort::Bool,
            Value::Bits(bits) => Sort::BitVec(bits.width()),
            Value::Float(float) => Sort::Float(float.format()),
            Value::Array(array) => Sort::Array(array.sort),
            Value::Element(sort, _) => Sort::Uninterpreted(*sort),
        }
    }

    /// The truth value, if it is one.
    pub fn as_bool(&self) -> Option<bool> {
        match self {
            Value::Bool(value) => Some(*value),
            _ => None,
        }
    }

    /// The bit-vector, if it is one.
    pub fn as_bits(&self) -> Option<&Bits> {
        match self {
            Value::Bits(bits) => Some(bits),
            _ => None,
        }
    }
}

/// An array value: a default, and the indices where it differs. Cheap to copy and to change, so
/// that evaluating a long chain of stores is not quadratic.
///
/// Kept canonical, so that equal arrays are equal values even over an index sort so small that
/// the default is never used.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct ArrayValue {
    sort: ArraySort,
    default: Box<Value>,
    entries: RedBlackTreeMapSync<Value, Value>,
}

impl ArrayValue {
    /// The array that holds `default` everywhere.
    pub fn constant(sort: ArraySort, default: Value) -> ArrayValue {
        ArrayValue { sort, default: Box::new(default), entries: RedBlackTreeMapSync::new_sync() }
    }

    /// The sort of the array.
    pub fn sort(&self) -> ArraySort {
        self.sort
    }

    /// The value wherever no entry says otherwise.
    pub fn default_value(&self) -> &Value {
        &self.default
    }

    /// The entries that differ from the default, in order of their index.
    pub fn entries(&self) -> impl Iterator<Item = (&Value, &Value)> {
        self.entries.iter()
    }

    /// The element at an index.
    pub fn select(&self, index: &Value) -> &Value {
        self.entries.get(index).unwrap_or(&self.default)
    }

    /// This array with one element changed.
    pub fn store(&self, index: Value, element: Value) -> ArrayValue {
        let mut result = self.clone();
        let index_sort = index.sort();
        if element == *result.default {
            result.entries.remove_mut(&index);
        } else {
            result.entries.insert_mut(index, element);
        }
        match points_of(index_sort, 2 * result.entries.size()) {
            Some(points) => result.canonical(points),
            None => result,
        }
    }

    /// Over so small an index sort, the default is the most frequent element, ties broken by
    /// order. With fewer entries than half the points the default is that already.
    fn canonical(&self, points: Vec<Value>) -> ArrayValue {
        let mut elements: Vec<&Value> = points.iter().map(|index| self.select(index)).collect();
        elements.sort();
        let mut best: (usize, &Value) = (0, &self.default);
        for group in elements.chunk_by(|a, b| a == b) {
            if group.len() > best.0 {
                best = (group.len(), group[0]);
            }
        }
        let mut result = ArrayValue::constant(self.sort, best.1.clone());
        for index in points {
            let element = self.select(&index).clone();
            if element != *result.default {
                result.entries.insert_mut(index, element);
            }
        }
        result
    }
}

/// All values of an index sort, if there are at most `limit` of them.
fn points_of(sort: Sort, limit: usize) -> Option<Vec<Value>> {
    match sort {
        Sort::Bool if limit >= 2 => Some(vec![Value::Bool(false), Value::Bool(true)]),
        Sort::BitVec(width) if width < 32 && limit >= 1 << width => {
            Some((0..1u128 << width).map(|v| Value::Bits(Bits::new(width, v))).collect())
        }
        _ => None,
    }
}

/// What an uninterpreted function does: a table and a default.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FunctionValue {
    default: Value,
    table: std::collections::BTreeMap<Vec<Value>, Value>,
}

impl FunctionValue {
    /// The function that is `default` everywhere.
    pub fn constant(default: Value) -> FunctionValue {
        FunctionValue { default, table: Default::default() }
    }

    /// Sets the result for some arguments.
    pub fn set(&mut self, arguments: Vec<Value>, result: Value) {
        self.table.insert(arguments, result);
    }

    /// The result for some arguments.
    pub fn apply(&self, arguments: &[Value]) -> &Value {
        self.table.get(arguments).unwrap_or(&self.default)
    }

    /// The result wherever the table says nothing.
    pub fn default_value(&self) -> &Value {
        &self.default
    }

    /// The table, in order of the arguments.
    pub fn table(&self) -> impl Iterator<Item = (&[Value], &Value)> {
        self.table.iter().map(|(arguments, result)| (arguments.as_slice(), result))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arrays_over_a_tiny_index_sort_compare_by_content() {
        let sort = ArraySort(0);
        let (at0, at1) = (Value::Bits(Bits::zero(1)), Value::Bits(Bits::one(1)));
        let (three, five) = (Value::Bits(Bits::new(8, 3)), Value::Bits(Bits::new(8, 5)));
        let a = ArrayValue::constant(sort, five.clone()).store(at0.clone(), three.clone());
        let b = ArrayValue::constant(sort, three.clone()).store(at1.clone(), five.clone());
        assert_eq!(a, b);
        assert_eq!(a.store(at0.clone(), five.clone()), ArrayValue::constant(sort, five.clone()));
        assert_eq!(b.select(&at0), &three);
        assert_eq!(b.select(&at1), &five);
    }
}
