//! What is known in a case: the answers that were given, and what follows from them.
//!
//! Two kinds of answers are put to use. Comparisons of a word with constants leave it a set of values
//! ([`Values`]). Comparisons of two words order them, and orders can be chained: `a < b` and `b <= c` give `a < c`.

use super::value_sets::Values;
use crate::space::Space;
use std::collections::BTreeMap;
use verdiff_logic::{Op, Sort, TermId};

/// Words beyond which orders are not chained.
const MOST_WORDS: usize = 32;

/// What follows from the answers of a case.
pub(super) struct Facts {
    values: BTreeMap<TermId, Values>,
    orders: [Order; 2],
}

/// What is known of one order: for each pair of words whether the first is below the second.
struct Order {
    words: BTreeMap<TermId, usize>,
    below: Vec<Vec<Below>>,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Below {
    Unknown,
    NotAbove,
    Strictly,
}

impl Facts {
    /// What follows from these literals; `None` if they contradict each other.
    pub(super) fn of(space: &Space, literals: &[TermId]) -> Option<Facts> {
        let mut values: BTreeMap<TermId, Values> = BTreeMap::new();
        for literal in literals {
            if let Some((word, set)) = values_of(space, *literal) {
                let before = values.get(&word);
                let now = before.map_or_else(|| set.clone(), |before| before.both(&set));
                if now.is_empty() {
                    return None;
                }
                values.insert(word, now);
            }
        }
        let unsigned = Order::of(space, literals, Op::BvUlt)?;
        let signed = Order::of(space, literals, Op::BvSlt)?;
        Some(Facts { values, orders: [unsigned, signed] })
    }

    /// A word that can only have one value, if there is one.
    pub(super) fn single(&self) -> Option<(TermId, u128)> {
        self.values.iter().find_map(|(word, set)| set.single().map(|value| (*word, value)))
    }

    /// Two words that must be equal, if there are such: neither is below the other.
    pub(super) fn equal(&self) -> Option<(TermId, TermId)> {
        self.orders.iter().find_map(|order| {
            let mut pairs =
                order.words.keys().flat_map(|a| order.words.keys().map(move |b| (*a, *b)));
            pairs.find(|(a, b)| {
                let both = order.between(*a, *b).min(order.between(*b, *a));
                a > b && both == Below::NotAbove
            })
        })
    }

    /// Whether an atom is true or false, as far as can be told.
    pub(super) fn decide(&self, space: &Space, atom: TermId) -> Option<bool> {
        if let Some((word, set)) = values_of(space, atom)
            && let Some(known) = self.values.get(&word)
        {
            if known.both(&set).is_empty() {
                return Some(false);
            }
            if known.both(&set.others()).is_empty() {
                return Some(true);
            }
        }
        let [a, b] = space.pool.operands(atom)[..] else { return None };
        let below = |order: &Order| (order.between(a, b), order.between(b, a));
        let decided = |(there, back): (Below, Below)| match (there, back) {
            (Below::Strictly, _) => Some(true),
            (_, Below::NotAbove | Below::Strictly) => Some(false),
            _ => None,
        };
        match space.pool.op(atom) {
            Op::BvUlt => decided(below(&self.orders[0])),
            Op::BvSlt => decided(below(&self.orders[1])),
            Op::Eq => self.orders.iter().find_map(|order| match below(order) {
                (Below::Strictly, _) | (_, Below::Strictly) => Some(false),
                (Below::NotAbove, Below::NotAbove) => Some(true),
                _ => None,
            }),
            _ => None,
        }
    }
}

impl Order {
    /// The transitive closure of what the literals say of one order; `None` if something is below itself.
    fn of(space: &Space, literals: &[TermId], op: Op) -> Option<Order> {
        let mut steps = Vec::new();
        for literal in literals {
            let (atom, positive) = atom_of(space, *literal);
            let [a, b] = space.pool.operands(atom)[..] else { continue };
            if !matches!(space.pool.sort(a), Sort::BitVec(_)) {
                continue;
            }
            match (space.pool.op(atom), positive) {
                (found, true) if found == op => steps.push((a, b, Below::Strictly)),
                (found, false) if found == op => steps.push((b, a, Below::NotAbove)),
                (Op::Eq, true) => {
                    steps.extend([(a, b, Below::NotAbove), (b, a, Below::NotAbove)]);
                }
                _ => {}
            }
        }
        let mut words = BTreeMap::new();
        for (a, b, _) in &steps {
            for word in [a, b] {
                let next = words.len();
                words.entry(*word).or_insert(next);
            }
        }
        if words.len() > MOST_WORDS {
            return Some(Order { words: BTreeMap::new(), below: Vec::new() });
        }
        let count = words.len();
        let mut below = vec![vec![Below::Unknown; count]; count];
        for (a, b, how) in steps {
            let cell = &mut below[words[&a]][words[&b]];
            *cell = how.max(*cell);
        }
        for via in 0..count {
            for from in 0..count {
                for to in 0..count {
                    let (first, second) = (below[from][via], below[via][to]);
                    if first.min(second) != Below::Unknown {
                        below[from][to] = below[from][to].max(first.max(second));
                    }
                }
            }
        }
        let consistent = (0..count).all(|word| below[word][word] != Below::Strictly);
        consistent.then_some(Order { words, below })
    }

    fn between(&self, a: TermId, b: TermId) -> Below {
        match (self.words.get(&a), self.words.get(&b)) {
            (Some(a), Some(b)) => self.below[*a][*b],
            _ => Below::Unknown,
        }
    }
}

/// Whether a truth value is one that facts can be made of: a comparison of words, perhaps negated.
pub(super) fn is_fact(space: &Space, literal: TermId) -> bool {
    let (atom, _) = atom_of(space, literal);
    matches!(space.pool.op(atom), Op::Eq | Op::BvUlt | Op::BvSlt)
        && matches!(space.pool.sort(space.pool.operands(atom)[0]), Sort::BitVec(_))
}

fn atom_of(space: &Space, literal: TermId) -> (TermId, bool) {
    match space.pool.op(literal) {
        Op::Not => (space.pool.operands(literal)[0], false),
        _ => (literal, true),
    }
}

/// The word that a literal compares with a constant, itself or moved by a constant, and the values for which it holds.
fn values_of(space: &Space, literal: TermId) -> Option<(TermId, Values)> {
    let (atom, positive) = atom_of(space, literal);
    let [a, b] = space.pool.operands(atom)[..] else { return None };
    let width = space.pool.sort(a).width().filter(|width| *width <= 64)?;
    let (word, set) = match (space.pool.op(atom), space.constant(a), space.constant(b)) {
        (Op::Eq, None, Some(k)) => (a, Values::only(width, k.into())),
        (Op::Eq, Some(k), None) => (b, Values::only(width, k.into())),
        (Op::BvUlt, None, Some(k)) => (a, Values::below(width, k.into())),
        (Op::BvSlt, None, Some(k)) => (a, Values::below_signed(width, k.into())),
        _ => return None,
    };
    let set = if positive { set } else { set.others() };
    match space.moved(word) {
        Some((inner, by)) => Some((inner, set.moved(u128::from(by).wrapping_neg()))),
        None => Some((word, set)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn orders_are_chained_and_contradictions_seen() {
        let mut space = Space::new();
        let mut words = Vec::new();
        for name in ["a", "b", "c"] {
            words.push(space.pool.symbol(name, Sort::BitVec(32)).unwrap());
        }
        let [a, b, c] = words[..] else { unreachable!() };
        let first = space.pool.bv_slt(a, b).unwrap();
        let above = space.pool.bv_slt(c, b).unwrap();
        let second = space.pool.not(above).unwrap();
        let facts = Facts::of(&space, &[first, second]).unwrap();
        let (chained, back) = (space.pool.bv_slt(a, c).unwrap(), space.pool.bv_slt(c, a).unwrap());
        let unsigned = space.pool.bv_ult(a, c).unwrap();
        let equal = space.pool.eq(a, c).unwrap();
        assert_eq!(facts.decide(&space, chained), Some(true));
        assert_eq!(facts.decide(&space, back), Some(false));
        assert_eq!(facts.decide(&space, equal), Some(false));
        assert_eq!(facts.decide(&space, unsigned), None);
        assert!(Facts::of(&space, &[first, second, back]).is_none());
    }

    #[test]
    fn a_word_between_two_constants_has_few_values() {
        let mut space = Space::new();
        let x = space.pool.symbol("x", Sort::BitVec(32)).unwrap();
        let (four, six) = (space.pool.bits(32, 4).unwrap(), space.pool.bits(32, 6).unwrap());
        let next = space.pool.bv_add(x, four).unwrap();
        let low = space.pool.bv_ult(x, four).unwrap();
        let high = space.pool.bv_slt(x, six).unwrap();
        let moved = space.pool.bv_ult(next, six).unwrap();
        let not_low = space.pool.not(low).unwrap();
        let facts = Facts::of(&space, &[not_low, high]).unwrap();
        // Nothing says that it is not negative.
        assert_eq!(facts.decide(&space, low), Some(false));
        assert_eq!(facts.single(), None);
        let facts = Facts::of(&space, &[low]).unwrap();
        assert_eq!(facts.decide(&space, high), Some(true));
        assert_eq!(facts.decide(&space, moved), None);
        // `x + 4 < 6` leaves zero, one and the four greatest.
        assert!(Facts::of(&space, &[moved, not_low, high]).is_some());
        let five = space.pool.bits(32, 5).unwrap();
        let equal = space.pool.eq(x, five).unwrap();
        assert!(Facts::of(&space, &[moved, equal]).is_none());
    }
}
