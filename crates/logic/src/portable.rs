//! Terms that outlive their pool: written to a file, sent to another process, built again in
//! another pool.
//!
//! A [`Formula`] is the list of a term's nodes, operands before what uses them, so sharing is
//! kept and nothing recurses. Names of symbols, functions and sorts are spelled out.

use std::collections::HashMap;

use num_bigint::BigUint;
use serde::{Deserialize, Serialize};

use crate::bits::Bits;
use crate::error::LogicError;
use crate::float::FloatValue;
use crate::op::Op;
use crate::sort::{FloatFormat, Sort};
use crate::term::{TermId, TermPool};

/// A truth-valued term on its own.
///
/// ```
/// use verdiff_logic::{Formula, Sort, TermPool};
/// # fn main() -> Result<(), verdiff_logic::LogicError> {
/// let mut pool = TermPool::new();
/// let x = pool.symbol("x", Sort::BitVec(32))?;
/// let four = pool.bits(32, 4)?;
/// let equal = pool.eq(x, four)?;
/// let formula = Formula::of(&pool, equal)?;
///
/// let mut other = TermPool::new();
/// let again = formula.build(&mut other)?;
/// assert_eq!(other.display(again).to_string(), pool.display(equal).to_string());
/// # Ok(()) }
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Formula {
    /// Operands come before what uses them; the last one is the whole.
    nodes: Vec<Node>,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
enum Node {
    Constant {
        sort: PortableSort,
        /// Hexadecimal digits, highest first.
        bits: String,
    },
    Symbol {
        name: String,
        sort: PortableSort,
    },
    Apply {
        name: String,
        result: PortableSort,
        operands: Vec<u32>,
    },
    ConstArray {
        sort: PortableSort,
        element: u32,
    },
    Op {
        op: Op,
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        operands: Vec<u32>,
    },
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
enum PortableSort {
    Bool,
    BitVec(u32),
    Float { exponent: u32, significand: u32 },
    Array { index: Box<PortableSort>, element: Box<PortableSort> },
    Uninterpreted(String),
}

impl Formula {
    /// The formula that always holds.
    pub fn truth() -> Formula {
        Formula { nodes: vec![Node::Op { op: Op::True, operands: vec![] }] }
    }

    /// Whether it is the constant `true`.
    pub fn is_true(&self) -> bool {
        matches!(self.nodes.last(), Some(Node::Op { op: Op::True, .. }))
    }

    /// Whether it is the constant `false`.
    pub fn is_false(&self) -> bool {
        matches!(self.nodes.last(), Some(Node::Op { op: Op::False, .. }))
    }

    /// A term of a pool, made portable.
    pub fn of(pool: &TermPool, root: TermId) -> Result<Formula, LogicError> {
        pool.check(root)?;
        let mut numbers: HashMap<TermId, u32> = HashMap::new();
        let mut nodes = Vec::new();
        for term in pool.sub_terms(&[root]) {
            let operands = || pool.operands(term).iter().map(|t| numbers[t]).collect();
            let sort = || portable_sort(pool, pool.sort(term));
            let node = match pool.op(term) {
                Op::Small(_) | Op::Large(_) => {
                    let value = match pool.as_float(term) {
                        Some(float) => float.bits().clone(),
                        None => pool.as_bits(term).ok_or(LogicError::NotConstant(term.0))?,
                    };
                    Node::Constant { sort: sort(), bits: value.to_biguint().to_str_radix(16) }
                }
                Op::Symbol(symbol) => {
                    Node::Symbol { name: pool.symbol_name(symbol).to_owned(), sort: sort() }
                }
                Op::Apply(function) => Node::Apply {
                    name: pool.signature(function).name.clone(),
                    result: sort(),
                    operands: operands(),
                },
                Op::ConstArray => {
                    Node::ConstArray { sort: sort(), element: numbers[&pool.operands(term)[0]] }
                }
                op => Node::Op { op, operands: operands() },
            };
            numbers.insert(term, nodes.len() as u32);
            nodes.push(node);
        }
        Ok(Formula { nodes })
    }

    /// The term in a pool. An error if the formula is not well-formed, or a name means something
    /// of another sort there.
    pub fn build(&self, pool: &mut TermPool) -> Result<TermId, LogicError> {
        self.build_as(pool, &|name| Some(name.to_owned()))?.ok_or(LogicError::UnknownTerm(0))
    }

    /// The term in a pool in which its symbols have other names. `None` if one has none there.
    pub fn build_as(
        &self,
        pool: &mut TermPool,
        name_there: &dyn Fn(&str) -> Option<String>,
    ) -> Result<Option<TermId>, LogicError> {
        let mut terms: Vec<TermId> = Vec::with_capacity(self.nodes.len());
        let get = |terms: &[TermId], number: u32| {
            terms.get(number as usize).copied().ok_or(LogicError::UnknownTerm(number))
        };
        for node in &self.nodes {
            let term = match node {
                Node::Constant { sort, bits } => constant(pool, sort, bits)?,
                Node::Symbol { name, sort } => {
                    let Some(name) = name_there(name) else { return Ok(None) };
                    let sort = sort_in(pool, sort)?;
                    pool.symbol(&name, sort)?
                }
                Node::Apply { name, result, operands } => {
                    let operands: Vec<_> =
                        operands.iter().map(|n| get(&terms, *n)).collect::<Result<_, _>>()?;
                    let sorts: Vec<_> = operands.iter().map(|t| pool.sort(*t)).collect();
                    let result = sort_in(pool, result)?;
                    let function = pool.function(name, &sorts, result)?;
                    pool.call(function, &operands)?
                }
                Node::ConstArray { sort, element } => {
                    let sort = sort_in(pool, sort)?;
                    let element = get(&terms, *element)?;
                    pool.const_array(sort, element)?
                }
                Node::Op { op, operands } => {
                    let operands: Vec<_> =
                        operands.iter().map(|n| get(&terms, *n)).collect::<Result<_, _>>()?;
                    match op {
                        Op::True => pool.truth(),
                        Op::False => pool.falsity(),
                        // Those with names were taken care of; a forged one is refused.
                        Op::Small(_) | Op::Large(_) | Op::Symbol(_) | Op::Apply(_) => {
                            return Err(LogicError::UnknownTerm(terms.len() as u32));
                        }
                        op => pool.apply_op(*op, &operands)?,
                    }
                }
            };
            terms.push(term);
        }
        terms.last().copied().map(Some).ok_or(LogicError::UnknownTerm(0))
    }

    /// As SMT-LIB text: the term alone, without declarations.
    pub fn smt(&self) -> String {
        let mut pool = TermPool::new();
        match self.build(&mut pool) {
            Ok(term) => pool.display(term).to_string(),
            Err(_) => String::new(),
        }
    }
}

fn portable_sort(pool: &TermPool, sort: Sort) -> PortableSort {
    match sort {
        Sort::Bool => PortableSort::Bool,
        Sort::BitVec(width) => PortableSort::BitVec(width),
        Sort::Float(format) => {
            PortableSort::Float { exponent: format.exponent(), significand: format.significand() }
        }
        Sort::Array(array) => {
            let (index, element) = pool.array_parts(array);
            PortableSort::Array {
                index: Box::new(portable_sort(pool, index)),
                element: Box::new(portable_sort(pool, element)),
            }
        }
        Sort::Uninterpreted(sort) => {
            PortableSort::Uninterpreted(pool.uninterpreted_name(sort).to_owned())
        }
    }
}

fn sort_in(pool: &mut TermPool, sort: &PortableSort) -> Result<Sort, LogicError> {
    Ok(match sort {
        PortableSort::Bool => Sort::Bool,
        PortableSort::BitVec(width) => Sort::bits(*width)?,
        PortableSort::Float { exponent, significand } => {
            Sort::Float(FloatFormat::new(*exponent, *significand)?)
        }
        PortableSort::Array { index, element } => {
            let (index, element) = (sort_in(pool, index)?, sort_in(pool, element)?);
            pool.array_sort(index, element)?
        }
        PortableSort::Uninterpreted(name) => pool.uninterpreted_sort(name)?,
    })
}

/// A constant, exactly as [`Formula::of`] writes it. Whatever else is there is an error: a formula that was damaged on
/// its way must not become another formula.
fn constant(pool: &mut TermPool, sort: &PortableSort, digits: &str) -> Result<TermId, LogicError> {
    let bad = || LogicError::BadConstant { digits: digits.to_owned(), sort: format!("{sort:?}") };
    // `BigUint` would also read signs and underscores.
    if !digits.bytes().all(|digit| digit.is_ascii_hexdigit()) {
        return Err(bad());
    }
    let value = BigUint::parse_bytes(digits.as_bytes(), 16).ok_or_else(bad)?;
    let sort_there = sort_in(pool, sort)?;
    let width = match sort_there {
        Sort::BitVec(width) => width,
        Sort::Float(format) => format.width(),
        _ => return Err(bad()),
    };
    if value.bits() > u64::from(width) {
        return Err(bad());
    }
    let bits = Bits::from_biguint(width, &value);
    match sort_there {
        Sort::Float(format) => {
            let float = FloatValue::from_bits(format, bits).ok_or_else(bad)?;
            Ok(pool.constant_float(&float))
        }
        _ => Ok(pool.constant_bits(&bits)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sort::Rounding;

    /// Every kind of node survives the way through JSON into another pool.
    #[test]
    fn every_kind_of_node_survives() -> Result<(), LogicError> {
        let mut pool = TermPool::new();
        let wide = pool.symbol("wide", Sort::BitVec(200))?;
        let large = pool.bits(200, u128::MAX)?;
        let one = pool.eq(wide, large)?;
        let float = pool.symbol("d", Sort::Float(FloatFormat::DOUBLE))?;
        let half = pool.constant_float(&FloatValue::from_f64(0.5));
        let sum = pool.fp_add(Rounding::NearestEven, float, half)?;
        let two = pool.fp_is_nan(sum)?;
        let array = pool.array_sort(Sort::BitVec(64), Sort::BitVec(8))?;
        let zero = pool.bits(8, 0)?;
        let empty = pool.const_array(array, zero)?;
        let memory = pool.symbol("memory", array)?;
        let at = pool.symbol("at", Sort::BitVec(64))?;
        let stored = pool.store(empty, at, zero)?;
        let three = pool.eq(stored, memory)?;
        let world = pool.uninterpreted_sort("World")?;
        let start = pool.symbol("the world", world)?;
        let next = pool.function("puts", &[world, Sort::BitVec(64)], world)?;
        let after = pool.call(next, &[start, at])?;
        let four = pool.eq(after, start)?;
        let low = pool.extract(3, 0, wide)?;
        let other = pool.bits(4, 9)?;
        let five = pool.bv_ult(low, other)?;
        let all = pool.or(&[one, two, three, four, five])?;

        let formula = Formula::of(&pool, all)?;
        let text = serde_json::to_string(&formula).expect("it can be written");
        let read: Formula = serde_json::from_str(&text).expect("it can be read");
        assert_eq!(read, formula);
        let mut another = TermPool::new();
        // Other terms first, so that numbers differ.
        another.symbol("something else", Sort::BitVec(3))?;
        let built = read.build(&mut another)?;
        assert_eq!(another.display(built).to_string(), pool.display(all).to_string());
        Ok(())
    }

    #[test]
    fn a_damaged_formula_is_an_error() {
        let read = |text: &str| serde_json::from_str::<Formula>(text).expect("it can be read");
        let forged = [
            r#"{"nodes":[]}"#,
            r#"{"nodes":[{"Op":{"op":"Not","operands":[7]}}]}"#,
            r#"{"nodes":[{"Op":{"op":{"Symbol":3}}}]}"#,
            r#"{"nodes":[{"Symbol":{"name":"x","sort":{"BitVec":0}}}]}"#,
            r#"{"nodes":[{"Symbol":{"name":"x","sort":{"BitVec":8}}},{"Op":{"op":"Not","operands":[0]}}]}"#,
        ];
        for text in forged {
            assert!(read(text).build(&mut TermPool::new()).is_err(), "{text}");
        }
    }

    /// It became 0, or lost its high bits: another formula, which may well be proved.
    #[test]
    fn a_damaged_constant_is_an_error_and_not_zero() {
        let eight = r#"{"BitVec":8}"#;
        let float = r#"{"Float":{"exponent":8,"significand":24}}"#;
        let array = r#"{"Array":{"index":{"BitVec":64},"element":{"BitVec":8}}}"#;
        let build = |sort: &str, digits: &str| {
            let text = format!(
                r#"{{"nodes":[{{"Symbol":{{"name":"x","sort":{sort}}}}},
                    {{"Constant":{{"sort":{sort},"bits":"{digits}"}}}},
                    {{"Op":{{"op":"Eq","operands":[0,1]}}}}]}}"#
            );
            let formula: Formula = serde_json::from_str(&text).expect("it can be read");
            formula.build(&mut TermPool::new())
        };
        for (sort, digits) in [(eight, "ff"), (eight, "0"), (float, "7f800000")] {
            assert!(build(sort, digits).is_ok(), "{sort} {digits}");
        }
        let damaged = [
            (eight, ""),
            (eight, "zz"),
            (eight, "+1"),
            (eight, "1_0"),
            (eight, "-1"),
            (eight, "100"),
        ];
        let damaged =
            damaged.into_iter().chain([(float, "100000000"), (float, "0x1"), (array, "0")]);
        for (sort, digits) in damaged.chain([(r#""Bool""#, "1")]) {
            let built = build(sort, digits);
            assert!(
                matches!(built, Err(LogicError::BadConstant { .. })),
                "{sort} {digits}: {built:?}"
            );
        }
    }
}
