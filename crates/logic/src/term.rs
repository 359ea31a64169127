//! Terms, hash-consed: equal terms are one term, so equality is comparison of two numbers.
//!
//! A [`TermPool`] owns all terms and hands out [`TermId`]s. A term is made after its operands, so
//! an operand always has the smaller number; sorting the numbers of some terms puts operands
//! before the terms that use them. All traversals of the crate rest on this and need no recursion,
//! however deep a term is.

use serde::{Deserialize, Serialize};
use std::hash::{Hash, Hasher};
use std::sync::atomic::{AtomicU64, Ordering};

use hashbrown::HashTable;
use rustc_hash::{FxHashMap, FxHasher};

use crate::bits::Bits;
use crate::effort;
use crate::error::LogicError;
use crate::float::FloatValue;
use crate::op::Op;
use crate::sort::{ArraySort, Sort, UninterpretedSort};
use crate::value::Value;

/// A term of a [`TermPool`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct TermId(pub(crate) u32);

impl TermId {
    /// The number of the term in its pool.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// A free symbol: a name with a sort, of which a term or a model may speak.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub struct SymbolId(pub(crate) u32);

/// An uninterpreted function.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub struct FunctionId(pub(crate) u32);

/// An uninterpreted function's name and signature.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Function {
    /// Its name, unique in the pool.
    pub name: String,
    /// The sorts of its parameters; at least one.
    pub parameters: Vec<Sort>,
    /// The sort of its result.
    pub result: Sort,
}

struct Node {
    op: Op,
    sort: Sort,
    first: u32,
    count: u32,
}

struct Symbol {
    name: String,
    term: TermId,
}

enum Name {
    Symbol(SymbolId),
    Function(FunctionId),
}

/// The owner of terms.
///
/// ```
/// use verdiff_logic::{Sort, TermPool};
/// # fn main() -> Result<(), verdiff_logic::LogicError> {
/// let mut pool = TermPool::new();
/// let x = pool.symbol("x", Sort::BitVec(32))?;
/// let one = pool.bits(32, 1)?;
/// let sum = pool.bv_add(x, one)?;
/// assert_eq!(pool.bv_add(x, one)?, sum, "the same term is made once");
/// assert_eq!(pool.sort(sum), Sort::BitVec(32));
/// assert_eq!(pool.display(sum).to_string(), "(bvadd x #x00000001)");
///
/// let flag = pool.symbol("flag", Sort::Bool)?;
/// assert!(pool.bv_add(x, flag).is_err(), "sorts are checked");
/// # Ok(()) }
/// ```
pub struct TermPool {
    id: u64,
    nodes: Vec<Node>,
    operands: Vec<TermId>,
    table: HashTable<TermId>,
    large: Vec<Bits>,
    large_index: FxHashMap<Bits, u32>,
    symbols: Vec<Symbol>,
    functions: Vec<Function>,
    names: FxHashMap<String, Name>,
    array_sorts: Vec<(Sort, Sort)>,
    array_sort_index: FxHashMap<(Sort, Sort), ArraySort>,
    uninterpreted_sorts: Vec<String>,
    fresh: u32,
    /// What the simplifier made of each term; see `simplify`.
    pub(crate) simplified: Vec<Option<TermId>>,
}

static NEXT_POOL: AtomicU64 = AtomicU64::new(1);

impl Default for TermPool {
    fn default() -> Self {
        TermPool::new()
    }
}

impl TermPool {
    /// A pool with nothing in it but `true` and `false`.
    pub fn new() -> TermPool {
        let mut pool = TermPool {
            id: NEXT_POOL.fetch_add(1, Ordering::Relaxed),
            nodes: Vec::new(),
            operands: Vec::new(),
            table: HashTable::new(),
            large: Vec::new(),
            large_index: FxHashMap::default(),
            symbols: Vec::new(),
            functions: Vec::new(),
            names: FxHashMap::default(),
            array_sorts: Vec::new(),
            array_sort_index: FxHashMap::default(),
            uninterpreted_sorts: Vec::new(),
            fresh: 0,
            simplified: Vec::new(),
        };
        pool.intern(Op::False, Sort::Bool, &[]);
        pool.intern(Op::True, Sort::Bool, &[]);
        pool
    }

    /// A number that no other pool of this process has. What remembers terms of a pool (a
    /// solver, a cache) remembers this with them, and refuses the terms of another.
    pub fn id(&self) -> u64 {
        self.id
    }

    /// How many terms there are.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Whether there are none; never, as `true` and `false` are always there.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// The operator of a term.
    pub fn op(&self, term: TermId) -> Op {
        self.nodes[term.index()].op
    }

    /// The sort of a term.
    pub fn sort(&self, term: TermId) -> Sort {
        self.nodes[term.index()].sort
    }

    /// The operands of a term.
    pub fn operands(&self, term: TermId) -> &[TermId] {
        let node = &self.nodes[term.index()];
        &self.operands[node.first as usize..(node.first + node.count) as usize]
    }

    /// The width of a bit-vector term; zero for other sorts.
    pub(crate) fn width(&self, term: TermId) -> u32 {
        self.sort(term).width().unwrap_or(0)
    }

    /// Checks that a term is one of this pool. Numbers of another pool cannot always be told
    /// apart; see [`TermPool::id`].
    pub fn check(&self, term: TermId) -> Result<(), LogicError> {
        if term.index() < self.nodes.len() { Ok(()) } else { Err(LogicError::UnknownTerm(term.0)) }
    }

    /// The one term with this operator and these operands. The caller has checked the sorts.
    pub(crate) fn intern(&mut self, op: Op, sort: Sort, operands: &[TermId]) -> TermId {
        effort::count(effort::Step::Term, 1);
        let hash = hash_node(op, sort, operands);
        let (nodes, all) = (&self.nodes, &self.operands);
        let slice = |node: &Node| &all[node.first as usize..(node.first + node.count) as usize];
        let found = self.table.find(hash, |id| {
            let node = &nodes[id.index()];
            node.op == op && node.sort == sort && slice(node) == operands
        });
        if let Some(id) = found {
            return *id;
        }
        let id = TermId(u32::try_from(self.nodes.len()).expect("fewer than 2^32 terms"));
        let first = u32::try_from(self.operands.len()).expect("fewer than 2^32 operands");
        self.operands.extend_from_slice(operands);
        self.nodes.push(Node { op, sort, first, count: operands.len() as u32 });
        let (nodes, all) = (&self.nodes, &self.operands);
        self.table.insert_unique(hash, id, |id| {
            let node = &nodes[id.index()];
            let operands = &all[node.first as usize..(node.first + node.count) as usize];
            hash_node(node.op, node.sort, operands)
        });
        id
    }

    /// Whether there is room for more terms.
    pub(crate) fn check_room(&self) -> Result<(), LogicError> {
        const MARGIN: usize = 1 << 20;
        let full = u32::MAX as usize - MARGIN;
        if self.nodes.len() < full && self.operands.len() < full {
            Ok(())
        } else {
            Err(LogicError::PoolFull)
        }
    }

    /// The bit-vector constant with this value.
    pub fn constant_bits(&mut self, value: &Bits) -> TermId {
        let op = self.constant_op(value);
        self.intern(op, Sort::BitVec(value.width()), &[])
    }

    /// The float constant with this value.
    pub fn constant_float(&mut self, value: &FloatValue) -> TermId {
        let op = self.constant_op(value.bits());
        self.intern(op, Sort::Float(value.format()), &[])
    }

    fn constant_op(&mut self, value: &Bits) -> Op {
        if value.width() <= 64 {
            return Op::Small(value.to_u64().unwrap_or(0));
        }
        if let Some(index) = self.large_index.get(value) {
            return Op::Large(*index);
        }
        let index = self.large.len() as u32;
        self.large.push(value.clone());
        self.large_index.insert(value.clone(), index);
        Op::Large(index)
    }

    /// The value, if the term is a bit-vector constant.
    pub fn as_bits(&self, term: TermId) -> Option<Bits> {
        match self.sort(term) {
            Sort::BitVec(width) => self.constant_value(term, width),
            _ => None,
        }
    }

    /// The value, if the term is a float constant.
    pub fn as_float(&self, term: TermId) -> Option<FloatValue> {
        match self.sort(term) {
            Sort::Float(format) => {
                let bits = self.constant_value(term, format.width())?;
                FloatValue::from_bits(format, bits)
            }
            _ => None,
        }
    }

    /// The value, if the term is `true` or `false`.
    pub fn as_bool(&self, term: TermId) -> Option<bool> {
        match self.op(term) {
            Op::True => Some(true),
            Op::False => Some(false),
            _ => None,
        }
    }

    fn constant_value(&self, term: TermId, width: u32) -> Option<Bits> {
        match self.op(term) {
            Op::Small(value) => Some(Bits::new(width, value.into())),
            Op::Large(index) => Some(self.large[index as usize].clone()),
            _ => None,
        }
    }

    /// The value, if the term is a constant of any sort.
    pub fn as_value(&self, term: TermId) -> Option<Value> {
        if let Some(value) = self.as_bool(term) {
            return Some(Value::Bool(value));
        }
        self.as_bits(term).map(Value::Bits).or_else(|| self.as_float(term).map(Value::Float))
    }

    /// The symbol with this name, declared at first use.
    pub fn symbol(&mut self, name: &str, sort: Sort) -> Result<TermId, LogicError> {
        match self.names.get(name) {
            Some(Name::Symbol(id)) => {
                let term = self.symbols[id.0 as usize].term;
                if self.sort(term) == sort {
                    Ok(term)
                } else {
                    Err(LogicError::Redeclared(name.to_string()))
                }
            }
            Some(Name::Function(_)) => Err(LogicError::Redeclared(name.to_string())),
            None => {
                check_name(name)?;
                self.check_sort(sort)?;
                self.check_room()?;
                let id = SymbolId(self.symbols.len() as u32);
                let term = self.intern(Op::Symbol(id), sort, &[]);
                self.symbols.push(Symbol { name: name.to_string(), term });
                self.names.insert(name.to_string(), Name::Symbol(id));
                Ok(term)
            }
        }
    }

    /// A symbol that was not there before, named after `prefix`.
    pub fn fresh_symbol(&mut self, prefix: &str, sort: Sort) -> Result<TermId, LogicError> {
        let name = self.fresh_name(prefix);
        self.symbol(&name, sort)
    }

    /// A name that is not taken.
    pub fn fresh_name(&mut self, prefix: &str) -> String {
        loop {
            self.fresh += 1;
            let name = format!("{prefix}!{}", self.fresh);
            if !self.names.contains_key(&name) {
                return name;
            }
        }
    }

    /// The name of a symbol.
    pub fn symbol_name(&self, symbol: SymbolId) -> &str {
        &self.symbols[symbol.0 as usize].name
    }

    /// The term that a symbol is.
    pub fn symbol_term(&self, symbol: SymbolId) -> TermId {
        self.symbols[symbol.0 as usize].term
    }

    /// The symbol with this name, if there is one.
    pub fn find_symbol(&self, name: &str) -> Option<SymbolId> {
        match self.names.get(name) {
            Some(Name::Symbol(id)) => Some(*id),
            _ => None,
        }
    }

    /// The symbol that a term is, if it is one.
    pub fn as_symbol(&self, term: TermId) -> Option<SymbolId> {
        match self.op(term) {
            Op::Symbol(id) => Some(id),
            _ => None,
        }
    }

    /// The uninterpreted function with this name, declared at first use.
    pub fn function(
        &mut self,
        name: &str,
        parameters: &[Sort],
        result: Sort,
    ) -> Result<FunctionId, LogicError> {
        match self.names.get(name) {
            Some(Name::Function(id)) => {
                let function = &self.functions[id.0 as usize];
                if function.parameters == parameters && function.result == result {
                    Ok(*id)
                } else {
                    Err(LogicError::Redeclared(name.to_string()))
                }
            }
            Some(Name::Symbol(_)) => Err(LogicError::Redeclared(name.to_string())),
            None => {
                check_name(name)?;
                for sort in parameters.iter().chain([&result]) {
                    self.check_sort(*sort)?;
                }
                if parameters.is_empty() {
                    let operator = name.to_string();
                    let expected = "at least one: a function of nothing is a symbol".to_string();
                    return Err(LogicError::Arity { operator, found: 0, expected });
                }
                let id = FunctionId(self.functions.len() as u32);
                let parameters = parameters.to_vec();
                self.functions.push(Function { name: name.to_string(), parameters, result });
                self.names.insert(name.to_string(), Name::Function(id));
                Ok(id)
            }
        }
    }

    /// Name and signature of a function.
    pub fn signature(&self, function: FunctionId) -> &Function {
        &self.functions[function.0 as usize]
    }

    /// The sort of arrays from `index` to `element`.
    pub fn array_sort(&mut self, index: Sort, element: Sort) -> Result<Sort, LogicError> {
        self.check_sort(index)?;
        self.check_sort(element)?;
        if let Some(sort) = self.array_sort_index.get(&(index, element)) {
            return Ok(Sort::Array(*sort));
        }
        let sort = ArraySort(self.array_sorts.len() as u32);
        self.array_sorts.push((index, element));
        self.array_sort_index.insert((index, element), sort);
        Ok(Sort::Array(sort))
    }

    /// Index and element sort of an array sort.
    pub fn array_parts(&self, sort: ArraySort) -> (Sort, Sort) {
        self.array_sorts[sort.0 as usize]
    }

    /// The uninterpreted sort with this name, declared at first use.
    pub fn uninterpreted_sort(&mut self, name: &str) -> Result<Sort, LogicError> {
        check_name(name)?;
        let known = self.uninterpreted_sorts.iter().position(|known| known == name);
        let index = known.unwrap_or_else(|| {
            self.uninterpreted_sorts.push(name.to_string());
            self.uninterpreted_sorts.len() - 1
        });
        Ok(Sort::Uninterpreted(UninterpretedSort(index as u32)))
    }

    /// The name of an uninterpreted sort.
    pub fn uninterpreted_name(&self, sort: UninterpretedSort) -> &str {
        &self.uninterpreted_sorts[sort.0 as usize]
    }

    /// Checks that a sort is one of this pool and not of width zero.
    pub fn check_sort(&self, sort: Sort) -> Result<(), LogicError> {
        match sort {
            Sort::BitVec(width) => Sort::bits(width).map(|_| ()),
            Sort::Array(ArraySort(n)) if n as usize >= self.array_sorts.len() => {
                Err(LogicError::UnknownTerm(n))
            }
            Sort::Uninterpreted(UninterpretedSort(n))
                if n as usize >= self.uninterpreted_sorts.len() =>
            {
                Err(LogicError::UnknownTerm(n))
            }
            _ => Ok(()),
        }
    }
}

fn hash_node(op: Op, sort: Sort, operands: &[TermId]) -> u64 {
    let mut hasher = FxHasher::default();
    op.hash(&mut hasher);
    // The operands decide the sort, except for constants, `const` and reads of bits.
    if operands.len() <= 1 {
        sort.hash(&mut hasher);
    }
    for operand in operands {
        hasher.write_u32(operand.0);
    }
    hasher.finish()
}

fn check_name(name: &str) -> Result<(), LogicError> {
    let bad = |c: char| c == '|' || c == '\\' || c.is_control();
    if name.is_empty() || name.chars().any(bad) {
        return Err(LogicError::BadName(name.to_string()));
    }
    Ok(())
}
