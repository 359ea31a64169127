//! Values of two states together: their affine hull, and whether one contains the other.
//!
//! Both states are vectors over common columns: atoms that mean the same in both, and slots. Applications of the same
//! operation that stand at the same place in both states (`load(M1, p)` and `load(M2, p)`) are one column, too: their
//! operands become further columns, and what comes out is the application of the operation to the operands'
//! hull. This is sound
//! because equal operands give equal results: where the operands' columns agree with a valuation, so does the
//! result's.

use super::hull::{Coordinates, Span};
use super::space::Space;
use super::state::SubState;
use super::value::{Atom, Node, Operation, Terms, Value};
use std::collections::{BTreeMap, BTreeSet};

/// Applications of two states that are taken for one column each.
struct Matched {
    pairs: Vec<(Atom, Atom)>,
    /// The operands of all of them, in either state.
    operands: [Vec<Value>; 2],
}

/// The operation and the operands of an application that can be matched: not what memory and world become, of
/// which there is no end.
fn application(terms: &Terms, atom: Atom) -> Option<(&Operation, &Vec<Value>)> {
    let Node::Apply { operation, operands, .. } = terms.node(atom) else { return None };
    let history = matches!(
        operation,
        Operation::MemoryAfter(_)
            | Operation::WorldAfter(_)
            | Operation::Store(_)
            | Operation::Bulk(_)
    );
    (!history && !operands.is_empty()).then_some((operation, operands))
}

impl Matched {
    fn of(a: &SubState, b: &SubState, terms: &Terms) -> Matched {
        let mut matched = Matched { pairs: vec![], operands: [vec![], vec![]] };
        for (here, there) in a.values.iter().zip(&b.values) {
            let (Some(x), Some(y)) = (here.as_atom(), there.as_atom()) else { continue };
            if x == y || matched.pairs.iter().any(|(a, b)| *a == x || *b == y) {
                continue;
            }
            let (Some(first), Some(second)) = (application(terms, x), application(terms, y)) else {
                continue;
            };
            let widths = |operands: &[Value]| {
                operands.iter().map(|operand| operand.width).collect::<Vec<_>>()
            };
            if first.0 == second.0
                && terms.width(x) == terms.width(y)
                && widths(first.1) == widths(second.1)
            {
                matched.pairs.push((x, y));
                matched.operands[0].extend(first.1.iter().cloned());
                matched.operands[1].extend(second.1.iter().cloned());
            }
        }
        matched
    }
}

fn atoms<'v>(values: impl IntoIterator<Item = &'v Value>) -> BTreeSet<Atom> {
    values.into_iter().flat_map(|value| value.terms.iter().map(|(atom, _)| *atom)).collect()
}

/// The rows of atoms over columns: some atoms, as what they are in the state, then all values. And the row of constants.
fn rows(
    columns: &[Value],
    values: &[&Value],
    of: &BTreeSet<Atom>,
) -> (Vec<Coordinates>, Coordinates) {
    let size = columns.len() + values.len();
    let in_columns = columns.iter().flat_map(|value| value.terms.iter().map(|(atom, _)| atom));
    let all = of.iter().chain(in_columns);
    let mut rows: BTreeMap<Atom, Coordinates> = all.map(|atom| (*atom, vec![0; size])).collect();
    let mut point = vec![0; size];
    for (at, value) in columns.iter().chain(values.iter().copied()).enumerate() {
        let shift = 64 - value.width;
        point[at] = value.constant << shift;
        for (atom, coefficient) in &value.terms {
            rows.get_mut(atom).expect("a row for every atom")[at] = coefficient << shift;
        }
    }
    (rows.into_values().collect(), point)
}

fn difference(a: &Coordinates, b: &Coordinates) -> Coordinates {
    a.iter().zip(b).map(|(a, b)| a.wrapping_sub(*b)).collect()
}

/// An atom as what it is in a state.
fn column(state: &SubState, atom: Atom, terms: &Terms) -> Value {
    state.normal(Value::atom(terms.width(atom), atom))
}

/// The affine hull of the values of two states, and what is bound in it. `known` are the truth values that both have.
///
/// An entry value that is bound in one state (`n` is 0 there) is a column: its coordinate is what it is bound to, in the
/// other state itself. So `x = 0` where `n` is 0, and `x = n` elsewhere, is `x = n`.
pub(super) fn join(
    states: [&SubState; 2],
    space: &Space<'_>,
    terms: &mut Terms,
    known: &BTreeMap<Atom, bool>,
    widen: bool,
) -> (Vec<Value>, BTreeMap<Atom, Value>) {
    let matched = Matched::of(states[0], states[1], terms);
    let values = [0, 1]
        .map(|i| matched.operands[i].iter().chain(&states[i].values).collect::<Vec<&Value>>());
    let all = [0, 1].map(|i| atoms(values[i].iter().copied()));
    let is_matched = |atom: &Atom| matched.pairs.iter().any(|(a, b)| a == atom || b == atom);
    let entries = states.iter().flat_map(|state| state.bound.keys().copied());
    let entries: BTreeSet<Atom> = entries.filter(|atom| terms.is_parameter(*atom)).collect();
    let common = all[0].intersection(&all[1]).copied().filter(|atom| !is_matched(atom));
    let same: BTreeSet<Atom> = common.chain(entries.iter().copied()).collect();
    let same: Vec<Atom> = same.into_iter().collect();
    let columns = [0, 1].map(|i| {
        let matched = matched.pairs.iter().map(|pair| if i == 0 { pair.0 } else { pair.1 });
        let matched = matched.map(|atom| Value::atom(terms.width(atom), atom));
        let same = same.iter().map(|atom| column(states[i], *atom, terms));
        same.chain(matched).collect::<Vec<Value>>()
    });
    let count = columns[0].len();
    let (first, mut point) = rows(&columns[0], &values[0], &all[0]);
    let (second, other) = rows(&columns[1], &values[1], &all[1]);
    let mut span = Span::new(point.len(), false);
    first.into_iter().chain(second).for_each(|row| span.insert(row));
    span.insert(difference(&other, &point));
    let widths: Vec<u16> = columns[0]
        .iter()
        .map(|value| value.width)
        .chain(values[0].iter().map(|value| value.width))
        .collect();
    let bases: Vec<u32> = widths.iter().map(|width| u32::from(64 - width)).collect();
    if widen {
        span.widen(&bases);
    }
    let mut last = Span::new(point.len(), false);
    span.reduced().into_iter().for_each(|(_, row)| last.insert(row));
    last.reduce(&mut point);
    let reduced = last.reduced();
    let width_of = |row: &Coordinates| {
        let used = row.iter().zip(&widths).filter(|(entry, _)| **entry != 0);
        used.map(|(_, width)| *width).max().unwrap_or(64)
    };
    // Whether a row is scaled by the very atom of the column in which it begins.
    let whole = |column: usize, row: &Coordinates| {
        column < count
            && row[column] == 1 << bases[column]
            && point[column] == 0
            && width_of(row) == widths[column]
    };
    let mut used: BTreeSet<Atom> =
        known.keys().flat_map(|atom| terms.symbols(*atom).iter().copied()).collect();
    let mut names: Vec<Option<Atom>> = vec![None; reduced.len()];
    for (name, (column, row)) in names.iter_mut().zip(&reduced) {
        if *column < same.len() && whole(*column, row) {
            *name = Some(same[*column]);
            used.extend(terms.symbols(same[*column]).iter().copied());
        }
    }
    let fresh = |terms: &mut Terms, used: &mut BTreeSet<Atom>, column: usize, row: &Coordinates| {
        let width = width_of(row);
        let symbols = (0..).map(|variant| Node::Symbol { slot: column, variant, width });
        let unused = symbols.into_iter().find_map(|node| {
            let atom = terms.intern(node);
            used.insert(atom).then_some(atom)
        });
        unused.expect("there is always another symbol")
    };
    for (name, (column, row)) in names.iter_mut().zip(&reduced) {
        if name.is_none() && (*column < same.len() || *column >= count || !whole(*column, row)) {
            *name = Some(fresh(terms, &mut used, *column, row));
        }
    }
    // The value of a column, if all its rows have names.
    let value_at = |names: &[Option<Atom>], column: usize| {
        let width = widths[column];
        let mut value = Value::constant(width, point[column] >> (64 - width));
        for (name, (_, row)) in names.iter().zip(&reduced) {
            let coefficient = row[column] >> (64 - width);
            if coefficient != 0 {
                value = value.plus(&Value::atom(width, (*name)?), coefficient);
            }
        }
        Some(value)
    };
    // Matched applications, as soon as their operands are known; those that depend on each other are symbols.
    let first_operand: Vec<usize> = matched
        .pairs
        .iter()
        .scan(count, |next, (atom, _)| {
            let at = *next;
            *next += application(terms, *atom).map_or(0, |(_, operands)| operands.len());
            Some(at)
        })
        .collect();
    loop {
        let mut found = None;
        for (index, (column, _)) in
            reduced.iter().enumerate().filter(|(index, _)| names[*index].is_none())
        {
            let pair = *column - same.len();
            let Some((operation, operands)) = application(terms, matched.pairs[pair].0) else {
                continue;
            };
            let from = first_operand[pair];
            let values: Option<Vec<Value>> =
                (from..from + operands.len()).map(|at| value_at(&names, at)).collect();
            if let Some(values) = values {
                found = Some((index, operation.clone(), values, widths[*column]));
                break;
            }
        }
        let Some((index, operation, operands, width)) = found else { break };
        names[index] = Some(terms.intern(Node::Apply { operation, operands, width }));
    }
    for (index, (column, row)) in reduced.iter().enumerate() {
        if names[index].is_none() {
            names[index] = Some(fresh(terms, &mut used, *column, row));
        }
    }
    let slots = count + matched.operands[0].len();
    let joined = (0..space.slots.len())
        .map(|slot| value_at(&names, slots + slot).expect("every row has a name"))
        .collect();
    // An entry value that is still determined. What else is bound alike in both stays so, if no symbol is in it: symbols
    // mean something else from here on.
    let mut bound = BTreeMap::new();
    for (at, atom) in same.iter().enumerate().filter(|(_, atom)| entries.contains(atom)) {
        let value = value_at(&names, at).expect("every row has a name");
        if value.as_atom() != Some(*atom) && !value.terms.iter().any(|(there, _)| there == atom) {
            bound.insert(*atom, value);
        }
    }
    let rigid = |atom: Atom| terms.symbols(atom).is_empty();
    for (atom, value) in &states[0].bound {
        let alike = states[1].bound.get(atom) == Some(value);
        if alike && rigid(*atom) && value.terms.iter().all(|(there, _)| rigid(*there)) {
            bound.entry(*atom).or_insert_with(|| value.clone());
        }
    }
    (joined, bound)
}

/// Whether the values of `b` are among those of `a`. What an application means depends on its operands, so
/// applications and the
/// symbols in them mean the same in both states: they are columns. Symbols that occur alone, or as operands of
/// matched applications, may be anything.
pub(super) fn includes(a: &SubState, b: &SubState, terms: &Terms) -> bool {
    let matched = Matched::of(a, b, terms);
    let values = [
        matched.operands[0].iter().chain(&a.values).collect::<Vec<&Value>>(),
        matched.operands[1].iter().chain(&b.values).collect::<Vec<&Value>>(),
    ];
    let here = atoms(values[0].iter().copied());
    let is_matched = |atom: &Atom| matched.pairs.iter().any(|(a, _)| a == atom);
    let applied = here
        .iter()
        .filter(|atom| !terms.is_symbol(**atom) && !is_matched(atom))
        .chain(a.known.keys())
        .chain(a.bound.keys())
        .chain(a.bound.values().flat_map(|value| value.terms.iter().map(|(atom, _)| atom)));
    let inside: BTreeSet<Atom> =
        applied.flat_map(|atom| terms.symbols(*atom).iter().copied()).collect();
    let rigid =
        |atom: &&Atom| !is_matched(atom) && (!terms.is_symbol(**atom) || inside.contains(*atom));
    // What is bound here must be so there: entry values are columns, the rest is compared.
    let others = a.bound.iter().filter(|(atom, _)| !terms.is_parameter(**atom));
    let mut others = others.map(|(atom, value)| b.bound.get(atom) == Some(value));
    if !others.all(|bound| bound) {
        return false;
    }
    let entries = a.bound.keys().chain(b.bound.keys()).filter(|atom| terms.is_parameter(**atom));
    let rigid: BTreeSet<Atom> = here.iter().filter(rigid).chain(entries).copied().collect();
    let columns = [(a, 0), (b, 1)].map(|(state, i)| {
        let matched = matched.pairs.iter().map(|pair| if i == 0 { pair.0 } else { pair.1 });
        let matched = matched.map(|atom| Value::atom(terms.width(atom), atom));
        rigid.iter().map(|atom| column(state, *atom, terms)).chain(matched).collect::<Vec<Value>>()
    });
    let there = atoms(values[1].iter().copied());
    let (first, point) = rows(&columns[0], &values[0], &here);
    let (second, other) = rows(&columns[1], &values[1], &there);
    let mut span = Span::new(point.len(), true);
    first.into_iter().for_each(|row| span.insert(row));
    span.contains(difference(&other, &point)) && second.into_iter().all(|row| span.contains(row))
}
