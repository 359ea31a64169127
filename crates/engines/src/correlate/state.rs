//! A sub-state: what is known of the variables of both versions at a pair of locations.
//!
//! Three parts, each an over-approximation of the pairs of concrete states that are met:
//! - a value of the polyhedra domain over the *mathematical* values of the integer variables (read as signed; a
//!   truth value as 0 or 1) and of the entry values of parameters;
//! - for each slot a linear form modulo 2^w over atoms ([`value`](super::value)): there is a valuation of the
//!   symbols such that every slot holds what its form evaluates to;
//! - truth values of applications that were branched on.
//!
//! No operation puts a linear fact into the polyhedron unless the polyhedron itself excludes overflow
//! ([`numbers`](super::numbers)); equalities modulo 2^w need no such care.

use super::affine;
use super::space::Space;
use super::value::{Atom, Node, Operation, PARAMETER, Substitution, Terms, Value};
use std::collections::BTreeMap;
use verdiff_model::Side;
use verdiff_polyhedra::trace::Recorded;
use verdiff_polyhedra::{Budget, Budgeted, Constraint, Domain, Integer, Linear, Var};

/// How often a value is replaced by what it is bound to.
const MOST_BOUND: usize = 64;
/// How many flags keep sub-states apart.
const MOST_CHOICES: usize = 3;

/// Numbers as the polyhedra have them. Benchmarks [record](verdiff_polyhedra::trace::record) what is done to them.
pub(super) type Numbers = Recorded<Budgeted>;

/// What is known, at one pair of locations, on some paths.
#[derive(Clone)]
pub(super) struct SubState {
    pub numbers: Numbers,
    pub values: Vec<Value>,
    pub known: BTreeMap<Atom, bool>,
    /// What applications are equal to here that were replaced everywhere: where one is made again, it is this. For
    /// entry values it is also what a join needs: `log == 0` in one state and `log` unchanged in the other is `log`
    /// unchanged in both.
    pub bound: BTreeMap<Atom, Value>,
    /// Which flags were tested on the way here: parameters compared with constants. No fact rests on it; sub-states
    /// that chose differently may be kept apart by it.
    pub choices: BTreeMap<Atom, bool>,
    /// Whether some operation overflowed in every run that gets here in this state. (✗ "in some run": a state that
    /// includes one without overflow would then be described as one after an overflow.)
    pub wrapped: bool,
}

/// The smallest and the largest number of so many bits.
pub(super) fn range(width: u16) -> (Integer, Integer) {
    if width == 1 {
        return (Integer::ZERO, Integer::ONE);
    }
    let half = (1..width).fold(Integer::ONE, |power, _| &power + &power);
    (-half.clone(), &half - &Integer::ONE)
}

/// A constant as the polyhedra have it.
pub(super) fn number(width: u16, bits: u64) -> Integer {
    match width {
        1 => Integer::from((bits & 1) as i64),
        _ => Integer::from(((bits << (64 - width)) as i64) >> (64 - width)),
    }
}

impl SubState {
    /// Both versions at entry: equal parameters, memory and world, all else without a value.
    pub fn entry(space: &Space<'_>, terms: &mut Terms) -> SubState {
        let budget = Budget::new(space.precision.each, space.precision.all);
        let numbers = Recorded::of_top(Budgeted::within(space.dimensions, budget));
        let mut state = SubState {
            numbers,
            values: vec![],
            known: BTreeMap::new(),
            bound: BTreeMap::new(),
            choices: BTreeMap::new(),
            wrapped: false,
        };
        for (at, slot) in space.slots.iter().enumerate() {
            state.values.push(terms.named(Operation::Undefined(at), slot.width));
        }
        let mut constraints = vec![];
        let old = space.version(Side::Old);
        let mut entries = space.entries.iter();
        for (at, id) in old.procedure.params.iter().enumerate() {
            let slots = Side::BOTH.map(|side| {
                let version = space.version(side);
                version.procedure.params.get(at).map(|param| version.variable(*param))
            });
            let var = old.procedure.var(*id);
            let width = space.slots[old.variable(*id)].width;
            let value = terms.named(Operation::Entry(format!("{PARAMETER}{at}")), width);
            let ghost = matches!(var.ty, verdiff_model::Type::Int(bits) if bits <= 64)
                .then(|| entries.next());
            for slot in slots.into_iter().flatten() {
                if space.slots[slot].width != width {
                    continue;
                }
                state.values[slot] = value.clone();
                if let (Some(dimension), Some(Some((_, ghost, _)))) =
                    (space.slots[slot].dimension, ghost)
                {
                    constraints.push(Linear::from(dimension).equal_to(*ghost));
                }
            }
        }
        for (_, dimension, width) in &space.entries {
            constraints.extend(in_range(*dimension, *width));
        }
        state.numbers.meet_constraints(&constraints);
        for version in &space.versions {
            state.values[version.memory] = terms.named(Operation::Entry("memory".to_owned()), 64);
            state.values[version.world] = terms.named(Operation::Entry("world".to_owned()), 64);
        }
        state
    }

    /// Whether no pair of concrete states is described.
    pub fn is_bottom(&self) -> bool {
        self.numbers.is_bottom()
    }

    /// Whether two slots are proved to be equal.
    pub fn are_equal(&self, space: &Space<'_>, a: usize, b: usize) -> bool {
        self.values[a] == self.values[b]
            || match (space.slots[a].dimension, space.slots[b].dimension) {
                (Some(x), Some(y)) if space.slots[a].width == space.slots[b].width => {
                    self.numbers.are_equal(x, y)
                }
                _ => false,
            }
    }

    /// Whether a slot has never been set on the paths that lead here.
    pub fn is_unset(&self, slot: usize, terms: &Terms) -> bool {
        let unset = |atom| match terms.node(atom) {
            Node::Apply { operation: Operation::Undefined(at), .. } => *at == slot,
            _ => false,
        };
        self.values[slot].as_atom().is_some_and(unset)
    }

    /// Which pairs of slots are proved to be equal, and whether something overflowed: what sub-states are
    /// partitioned by.
    pub fn equalities(&self, space: &Space<'_>) -> Vec<bool> {
        let pairs = space.slots.iter().enumerate().filter(|(_, slot)| slot.side == Side::Old);
        let equal = pairs.filter_map(|(at, slot)| Some(self.are_equal(space, at, slot.partner?)));
        equal.chain([self.wrapped]).collect()
    }

    /// Takes two values for equal; `false` if they cannot be.
    pub fn unify(&mut self, terms: &mut Terms, a: &Value, b: &Value) -> bool {
        let width = a.width;
        let difference = a.plus(b, u64::MAX);
        if difference.terms.is_empty() {
            return difference.constant == 0;
        }
        // The youngest atom: no other one of the equation is made of it.
        let odd = |(atom, c): &&(Atom, u64)| c & 1 == 1 && terms.width(*atom) == width;
        let Some((atom, coefficient)) = difference.terms.iter().rfind(odd).copied() else {
            return true;
        };
        let rest = difference.plus(&Value::atom(width, atom), 0_u64.wrapping_sub(coefficient));
        let to = rest.scaled(0_u64.wrapping_sub(verdiff_product::affine::inverse(coefficient)));
        self.substitute(terms, atom, to)
    }

    /// Replaces an atom by an equal value everywhere; `false` if truth values then contradict each other.
    fn substitute(&mut self, terms: &mut Terms, atom: Atom, to: Value) -> bool {
        let symbol = terms.is_symbol(atom);
        let (width, bit) = (to.width, to.as_constant());
        let mut replace = Substitution::new(terms, atom, to.clone());
        let mut bound = BTreeMap::new();
        for (key, value) in &self.bound {
            let (key, value) = (replace.atom(*key), replace.value(value));
            match (key.as_atom(), key.as_constant(), value.as_constant()) {
                (Some(key), ..) => drop(bound.insert(key, value)),
                (_, Some(a), Some(b)) if a != b => return false,
                _ => {}
            }
        }
        if !symbol {
            bound.insert(atom, to);
        }
        self.bound = bound;
        self.values = self.values.iter().map(|value| replace.value(value)).collect();
        let facts: Vec<(Value, bool)> =
            self.known.iter().map(|(atom, truth)| (replace.atom(*atom), *truth)).collect();
        self.known.clear();
        for (value, truth) in facts {
            match (value.as_constant(), value.as_atom()) {
                (Some(bits), _) if (bits == 1) != truth => return false,
                (_, Some(atom))
                    if self.known.insert(atom, truth).is_some_and(|before| before != truth) =>
                {
                    return false;
                }
                _ => {}
            }
        }
        // A truth value that is known is a fact of its own, which survives joins.
        if let (1, Some(bit)) = (width, bit) {
            self.known.insert(atom, bit == 1);
        }
        true
    }

    /// A value in which no application is left that was replaced here.
    pub fn normal(&self, value: Value) -> Value {
        let mut value = value;
        // What is bound is made of older atoms, so this ends; the limit is for safety.
        for _ in 0..MOST_BOUND {
            let Some((atom, factor)) =
                value.terms.iter().find(|(atom, _)| self.bound.contains_key(atom)).copied()
            else {
                break;
            };
            let rest = value.plus(&Value::atom(value.width, atom), 0_u64.wrapping_sub(factor));
            value = rest.plus(&self.bound[&atom], factor);
        }
        value
    }

    /// Notes that a flag was tested.
    pub fn choose(&mut self, terms: &Terms, atom: Atom, truth: bool) {
        if self.choices.len() < MOST_CHOICES && terms.is_flag(atom) {
            self.choices.entry(atom).or_insert(truth);
        }
    }

    /// The least upper bound in each part, extrapolated if `widen` says so.
    pub fn join(
        &self,
        other: &SubState,
        space: &Space<'_>,
        terms: &mut Terms,
        widen: Option<&[Constraint]>,
    ) -> SubState {
        let mut numbers = self.numbers.clone();
        match widen {
            None => numbers.join(&other.numbers),
            Some(thresholds) => {
                let mut newer = numbers.clone();
                newer.join(&other.numbers);
                numbers.widen(&newer, thresholds);
            }
        }
        let in_both = |(atom, truth): &(&Atom, &bool)| other.known.get(atom) == Some(truth);
        let known: BTreeMap<Atom, bool> =
            self.known.iter().filter(in_both).map(|(a, t)| (*a, *t)).collect();
        let choices = self.choices.iter().filter(|(atom, t)| other.choices.get(atom) == Some(t));
        let choices = choices.map(|(atom, truth)| (*atom, *truth)).collect();
        let (values, bound) = if self.values == other.values {
            let both = self.bound.iter().filter(|(atom, v)| other.bound.get(atom) == Some(v));
            (self.values.clone(), both.map(|(atom, v)| (*atom, v.clone())).collect())
        } else {
            affine::join([self, other], space, terms, &known, widen.is_some())
        };
        let wrapped = self.wrapped && other.wrapped;
        SubState { numbers, values, known, bound, choices, wrapped }
    }

    /// Whether every pair of concrete states of `other` is one of `self`. "No" may mean "not known".
    pub fn includes(&self, other: &SubState, terms: &Terms) -> bool {
        let facts = self.known.iter().all(|(atom, truth)| other.known.get(atom) == Some(truth));
        let marked = !self.wrapped || other.wrapped;
        marked
            && facts
            && (self.is_same_or_less_bound(other) || affine::includes(self, other, terms))
            && self.numbers.includes(&other.numbers)
    }

    /// Whether the values are the same, and `other` knows at least as much of what was replaced.
    fn is_same_or_less_bound(&self, other: &SubState) -> bool {
        self.values == other.values
            && self.bound.iter().all(|(atom, value)| other.bound.get(atom) == Some(value))
    }

    /// Sets a slot to a value of which no number is known.
    pub fn set_opaque(&mut self, space: &Space<'_>, slot: usize, value: Value) {
        if let Some(dimension) = space.slots[slot].dimension {
            self.numbers.forget(&[dimension]);
        }
        self.values[slot] = self.normal(value);
        self.reduce(space, slot);
    }

    /// Tells the polyhedron what the values say of a slot: a constant, another slot with the same value, else
    /// the range of
    /// its type.
    pub fn reduce(&mut self, space: &Space<'_>, slot: usize) {
        let Some(dimension) = space.slots[slot].dimension else { return };
        let (width, value) = (space.slots[slot].width, &self.values[slot]);
        if let Some(bits) = value.as_constant() {
            self.numbers.meet_constraints(&[
                Linear::from(dimension).equal_to(Linear::from(number(width, bits)))
            ]);
            return;
        }
        let same = |(at, other): (usize, &Value)| {
            (at != slot && other == value && space.slots[at].width == width)
                .then_some(space.slots[at].dimension)
                .flatten()
        };
        match self.values.iter().enumerate().find_map(same) {
            Some(other) => {
                self.numbers.meet_constraints(&[Linear::from(dimension).equal_to(other)])
            }
            None => self.numbers.meet_constraints(&in_range(dimension, width)),
        }
    }
}

/// That a variable is in the range of its type.
pub(super) fn in_range(dimension: Var, width: u16) -> [Constraint; 2] {
    let (low, high) = range(width);
    [
        Linear::from(dimension).at_least(Linear::from(low)),
        Linear::from(dimension).at_most(Linear::from(high)),
    ]
}
