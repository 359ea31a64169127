//! Values as linear forms modulo 2^w over atoms, and the atoms: the half of a sub-state that no overflow can
//! make wrong.
//!
//! Machine arithmetic is arithmetic modulo 2^w, so sums, differences and multiples by constants are linear
//! forms whatever
//! wraps. Every other operation (loads, calls, products of variables, shifts, floats) is an *application*: an
//! uninterpreted function of its operands, shared by both versions. Equal operations on equal operands are the same
//! application (congruence), because applications are kept once (hash-consing).
//!
//! A value of a variable that is `w` bits wide has atoms at least `w` bits wide, of which it takes the low bits.

use std::collections::HashMap;
use std::rc::Rc;
use verdiff_model::{BinaryOp, Type, UnaryOp, ops};

/// An atom: an index into [`Terms`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Atom(u32);

/// What an atom is.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Node {
    /// Something unknown with a number: what a variable holds after a join.
    Symbol { slot: usize, variant: u32, width: u16 },
    /// An uninterpreted operation and its operands. Without operands it is something with a name.
    Apply { operation: Operation, operands: Vec<Value>, width: u16 },
}

/// An operation that is not linear arithmetic. Equal operations mean the same function in both versions.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Operation {
    /// What both versions find at entry: a parameter, the memory, the world.
    Entry(String),
    /// What a variable or object of one version holds before it is set.
    Undefined(usize),
    /// The address of an object or function, by a name that means the same in both versions.
    Address(String),
    /// A constant that is no number: a float, or an integer of more than 64 bits.
    Bits(Type, u128),
    /// An operator with one operand.
    Unary(UnaryOp, Type),
    /// An operator with two operands.
    Binary(BinaryOp),
    /// `cond ? a : b`.
    Select,
    /// A fused multiplication and addition.
    Fused,
    /// What is in memory at an address.
    Load(Type),
    /// Memory with a value of a type written to an address.
    Store(Type),
    /// Memory after a copy or a fill.
    Bulk(&'static str),
    /// What a call gives: its number among the results.
    Result(String, usize),
    /// Memory (of one region) after a call.
    MemoryAfter(String),
    /// The world after a call.
    WorldAfter(String),
}

/// What the names of entry values of parameters begin with.
pub(super) const PARAMETER: &str = "parameter ";

/// A linear form modulo 2^`width` over atoms.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Value {
    /// How many bits it has.
    pub width: u16,
    /// The constant, below 2^width.
    pub constant: u64,
    /// Atoms with coefficients, in the order of atoms; none is zero modulo 2^width.
    pub terms: Vec<(Atom, u64)>,
}

/// All ones in the low `width` bits, at most 64.
pub(super) fn mask(width: u16) -> u64 {
    u64::MAX >> (64 - width.clamp(1, 64))
}

impl Value {
    /// A constant.
    pub fn constant(width: u16, bits: u64) -> Value {
        Value { width, constant: bits & mask(width), terms: vec![] }
    }

    /// The low bits of an atom.
    pub fn atom(width: u16, atom: Atom) -> Value {
        Value { width, constant: 0, terms: vec![(atom, 1)] }
    }

    /// The bits, if it is a constant.
    pub fn as_constant(&self) -> Option<u64> {
        self.terms.is_empty().then_some(self.constant)
    }

    /// `self + factor * other`, in the width of `self`.
    pub fn plus(&self, other: &Value, factor: u64) -> Value {
        let all = mask(self.width);
        let mut terms = Vec::with_capacity(self.terms.len() + other.terms.len());
        let (mut a, mut b) = (self.terms.iter().peekable(), other.terms.iter().peekable());
        loop {
            let (atom, coefficient) = match (a.peek(), b.peek()) {
                (None, None) => break,
                (Some((atom, c)), None) => {
                    a.next();
                    (*atom, *c)
                }
                (None, Some((atom, c))) => {
                    b.next();
                    (*atom, c.wrapping_mul(factor))
                }
                (Some((x, c)), Some((y, d))) => {
                    if x < y {
                        a.next();
                        (*x, *c)
                    } else if y < x {
                        b.next();
                        (*y, d.wrapping_mul(factor))
                    } else {
                        a.next();
                        b.next();
                        (*x, c.wrapping_add(d.wrapping_mul(factor)))
                    }
                }
            };
            if coefficient & all != 0 {
                terms.push((atom, coefficient & all));
            }
        }
        let constant = self.constant.wrapping_add(other.constant.wrapping_mul(factor)) & all;
        Value { width: self.width, constant, terms }
    }

    /// `factor * self`.
    pub fn scaled(&self, factor: u64) -> Value {
        Value::constant(self.width, 0).plus(self, factor)
    }

    /// The low bits.
    pub fn truncated(&self, width: u16) -> Value {
        Value::constant(width, 0).plus(self, 1)
    }

    /// The atom, if it is nothing but that.
    pub fn as_atom(&self) -> Option<Atom> {
        match self.terms[..] {
            [(atom, 1)] if self.constant == 0 => Some(atom),
            _ => None,
        }
    }
}

/// All atoms of a correlation, each kept once.
#[derive(Default)]
pub(super) struct Terms {
    nodes: Vec<Node>,
    numbers: HashMap<Node, Atom>,
    /// For each atom the symbols in it, at any depth, in order.
    symbols: Vec<Rc<Vec<Atom>>>,
}

impl Terms {
    /// The atom of a node.
    pub fn intern(&mut self, node: Node) -> Atom {
        if let Some(atom) = self.numbers.get(&node) {
            return *atom;
        }
        let atom = Atom(u32::try_from(self.nodes.len()).expect("fewer than 2^32 atoms"));
        let symbols = match &node {
            Node::Symbol { .. } => vec![atom],
            Node::Apply { operands, .. } => {
                let of =
                    |value: &Value| value.terms.iter().map(|(atom, _)| *atom).collect::<Vec<_>>();
                let mut all: Vec<Atom> = operands.iter().flat_map(of).collect();
                all = all
                    .iter()
                    .flat_map(|atom| self.symbols[atom.0 as usize].iter().copied())
                    .collect();
                all.sort_unstable();
                all.dedup();
                all
            }
        };
        self.symbols.push(Rc::new(symbols));
        self.nodes.push(node.clone());
        self.numbers.insert(node, atom);
        atom
    }

    /// An application.
    pub fn apply(&mut self, operation: Operation, operands: Vec<Value>, width: u16) -> Value {
        Value::atom(width, self.intern(Node::Apply { operation, operands, width }))
    }

    /// Something with a name.
    pub fn named(&mut self, operation: Operation, width: u16) -> Value {
        self.apply(operation, vec![], width)
    }

    /// What an atom is.
    pub fn node(&self, atom: Atom) -> &Node {
        &self.nodes[atom.0 as usize]
    }

    /// How many bits an atom has.
    pub fn width(&self, atom: Atom) -> u16 {
        match self.node(atom) {
            Node::Symbol { width, .. } | Node::Apply { width, .. } => *width,
        }
    }

    /// Whether it is the entry value of a parameter.
    pub fn is_parameter(&self, atom: Atom) -> bool {
        match self.node(atom) {
            Node::Apply { operation: Operation::Entry(name), .. } => name.starts_with(PARAMETER),
            _ => false,
        }
    }

    /// Whether it says that a parameter had some constant value at entry.
    pub fn is_flag(&self, atom: Atom) -> bool {
        let Node::Apply { operation: Operation::Binary(BinaryOp::Eq), operands, .. } =
            self.node(atom)
        else {
            return false;
        };
        let is_parameter = |value: &Value| value.as_atom().is_some_and(|a| self.is_parameter(a));
        operands.iter().any(is_parameter)
            && operands.iter().any(|value| value.as_constant().is_some())
    }

    /// Whether it is a symbol.
    pub fn is_symbol(&self, atom: Atom) -> bool {
        matches!(self.node(atom), Node::Symbol { .. })
    }

    /// The symbols in an atom, at any depth.
    pub fn symbols(&self, atom: Atom) -> &Rc<Vec<Atom>> {
        &self.symbols[atom.0 as usize]
    }
}

/// Replaces an atom by a value of its width, at any depth. Whoever uses it knows that both are equal.
pub(super) struct Substitution<'t> {
    terms: &'t mut Terms,
    from: Atom,
    to: Value,
    done: HashMap<Atom, Value>,
}

impl<'t> Substitution<'t> {
    /// `from := to`.
    pub fn new(terms: &'t mut Terms, from: Atom, to: Value) -> Substitution<'t> {
        Substitution { terms, from, to, done: HashMap::new() }
    }

    /// A value with the atom replaced.
    pub fn value(&mut self, value: &Value) -> Value {
        let mut sum = Value::constant(value.width, value.constant);
        for (atom, coefficient) in &value.terms {
            let part = self.atom(*atom);
            sum = sum.plus(&part, *coefficient);
        }
        sum
    }

    /// What an atom becomes.
    pub fn atom(&mut self, atom: Atom) -> Value {
        if atom == self.from {
            return self.to.clone();
        }
        if let Some(done) = self.done.get(&atom) {
            return done.clone();
        }
        let width = self.terms.width(atom);
        let result = match self.terms.node(atom).clone() {
            // An operand was made before the operation that has it: what is older than the atom does not contain it.
            _ if atom < self.from => Value::atom(width, atom),
            Node::Symbol { .. } => Value::atom(width, atom),
            Node::Apply { operation, operands, width } => {
                let replaced: Vec<Value> =
                    operands.iter().map(|operand| self.value(operand)).collect();
                if replaced == operands {
                    Value::atom(width, atom)
                } else {
                    let folded = folded(&operation, &replaced, width);
                    folded.unwrap_or_else(|| self.terms.apply(operation, replaced, width))
                }
            }
        };
        self.done.insert(atom, result.clone());
        result
    }
}

/// What an operation gives on these operands, if they say so: comparisons of what is known, and choices by it. Whoever
/// substitutes finds contradictions so.
fn folded(operation: &Operation, operands: &[Value], width: u16) -> Option<Value> {
    match (operation, operands) {
        (Operation::Binary(op @ (BinaryOp::Eq | BinaryOp::Ult | BinaryOp::Slt)), [a, b]) => {
            let truth = match (a.plus(b, u64::MAX).as_constant()?, *op) {
                (0, op) => op == BinaryOp::Eq,
                (_, BinaryOp::Eq) => false,
                _ => {
                    let (a, b, of) = (a.as_constant()?, b.as_constant()?, Type::Int(a.width));
                    ops::binary_bits(*op, of, u128::from(a), u128::from(b)) == 1
                }
            };
            Some(Value::constant(width, u64::from(truth)))
        }
        (Operation::Select, [cond, then, otherwise]) => {
            Some(if cond.as_constant()? == 1 { then.clone() } else { otherwise.clone() })
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_operations_on_equal_operands_are_one_atom() {
        let mut terms = Terms::default();
        let n = terms.named(Operation::Entry("n".into()), 32);
        let square = |terms: &mut Terms, a: &Value| {
            terms.apply(Operation::Binary(BinaryOp::Mul), vec![a.clone(), a.clone()], 32)
        };
        let twice = n.scaled(2);
        assert_eq!(n.plus(&n, 1), twice);
        assert_eq!(n.plus(&n, u64::MAX), Value::constant(32, 0));
        let (a, b) = (square(&mut terms, &twice), square(&mut terms, &n.plus(&n, 1)));
        assert_eq!(a, b);
        assert_eq!(n.scaled(1 << 31).scaled(2), Value::constant(32, 0));
    }

    #[test]
    fn substitution_goes_into_operands() {
        let mut terms = Terms::default();
        let n = terms.named(Operation::Entry("n".into()), 32);
        let square = terms.apply(Operation::Binary(BinaryOp::Mul), vec![n.clone(), n.clone()], 32);
        let five = Value::constant(32, 5);
        let expected =
            terms.apply(Operation::Binary(BinaryOp::Mul), vec![five.clone(), five.clone()], 32);
        let from = n.as_atom().expect("an atom");
        let replaced = Substitution::new(&mut terms, from, five).value(&square.plus(&n, 3));
        assert_eq!(replaced, expected.plus(&Value::constant(32, 15), 1));
    }
}
