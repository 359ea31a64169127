//! Arrays.

use super::super::polynomial::definitely_different;
use super::{Rule, Sample, binary, ite};
use crate::op::Op;
use crate::sort::Sort;
use crate::term::{TermId, TermPool};

/// Stores that one rule application looks through or exchanges.
const MAX_STEPS: usize = 512;

fn stored(s: &mut Sample<'_>, index: TermId) -> TermId {
    let (a, x) = (s.array("a"), s.bv("x"));
    s.mk(Op::Store, &[a, index, x])
}

fn next(s: &mut Sample<'_>, index: TermId) -> TermId {
    let one = s.num(1);
    s.mk(Op::BvAdd, &[index, one])
}

pub(super) const RULES: &[Rule] = &[
    Rule {
        name: "select_of_store",
        apply: select_of_store,
        fires: &[
            |s| Some(s.bv("i")).map(|i| (stored(s, i), i)).map(|(a, i)| s.mk(Op::Select, &[a, i])),
            |s| {
                let i = s.bv("i");
                let (a, j) = (stored(s, i), next(s, i));
                Some(s.mk(Op::Select, &[a, j]))
            },
        ],
        near_miss: |s| {
            let (i, j) = (s.bv("i"), s.bv("j"));
            let a = stored(s, i);
            Some(s.mk(Op::Select, &[a, j]))
        },
    },
    Rule {
        name: "select_of_constant",
        apply: |pool, t| {
            let (array, _) = binary(pool, t, Op::Select)?;
            (pool.op(array) == Op::ConstArray).then(|| pool.operands(array)[0])
        },
        fires: &[|s| {
            let (x, i, a) = (s.bv("x"), s.bv("i"), s.array("a"));
            let constant = s.pool.const_array(s.pool.sort(a), x).ok()?;
            Some(s.mk(Op::Select, &[constant, i]))
        }],
        near_miss: |s| Some([s.array("a"), s.bv("i")]).map(|pair| s.mk(Op::Select, &pair)),
    },
    Rule {
        name: "select_of_ite",
        apply: |pool, t| {
            let (array, index) = binary(pool, t, Op::Select)?;
            let (c, a, b) = ite(pool, array)?;
            let (a, b) = (pool.mk(Op::Select, &[a, index]), pool.mk(Op::Select, &[b, index]));
            Some(pool.mk(Op::Ite, &[c, a, b]))
        },
        fires: &[|s| {
            let (p, a, b, i) = (s.truth("p"), s.array("a"), s.array("b"), s.bv("i"));
            let either = s.mk(Op::Ite, &[p, a, b]);
            Some(s.mk(Op::Select, &[either, i]))
        }],
        near_miss: |s| {
            let (p, a, i, j) = (s.truth("p"), s.array("a"), s.bv("i"), s.bv("j"));
            let either = s.mk(Op::Ite, &[p, i, j]);
            Some(s.mk(Op::Select, &[a, either]))
        },
    },
    Rule {
        name: "store_over_store",
        apply: store_over_store,
        fires: &[
            |s| {
                let (i, y) = (s.bv("i"), s.bv("y"));
                let a = stored(s, i);
                Some(s.mk(Op::Store, &[a, i, y]))
            },
            |s| {
                let (i, y) = (s.bv("i"), s.bv("y"));
                let j = next(s, i);
                let a = stored(s, j);
                let a = s.mk(Op::Store, &[a, i, y]);
                Some(s.mk(Op::Store, &[a, j, y]))
            },
        ],
        near_miss: |s| {
            let (i, j, y) = (s.bv("i"), s.bv("j"), s.bv("y"));
            let a = stored(s, j);
            Some(s.mk(Op::Store, &[a, i, y]))
        },
    },
    Rule {
        name: "store_of_what_is_there",
        apply: |pool, t| {
            let (array, index, element) = store(pool, t)?;
            (binary(pool, element, Op::Select)? == (array, index)).then_some(array)
        },
        fires: &[|s| {
            let (a, i) = (s.array("a"), s.bv("i"));
            let there = s.mk(Op::Select, &[a, i]);
            Some(s.mk(Op::Store, &[a, i, there]))
        }],
        near_miss: |s| {
            let (a, i, j) = (s.array("a"), s.bv("i"), s.bv("j"));
            let there = s.mk(Op::Select, &[a, j]);
            Some(s.mk(Op::Store, &[a, i, there]))
        },
    },
    Rule {
        name: "order_stores",
        apply: order_stores,
        fires: &[|s| {
            let (i, y) = (s.bv("i"), s.bv("y"));
            let j = next(s, i);
            let a = stored(s, j);
            Some(s.mk(Op::Store, &[a, i, y]))
        }],
        near_miss: |s| {
            let (i, y) = (s.bv("i"), s.bv("y"));
            let j = next(s, i);
            let a = stored(s, i);
            Some(s.mk(Op::Store, &[a, j, y]))
        },
    },
    Rule {
        name: "equation_of_stores",
        apply: |pool, t| {
            let (a, b) = binary(pool, t, Op::Eq)?;
            if !matches!(pool.sort(a), Sort::Array(_)) {
                return None;
            }
            if let (Some((x, i, v)), Some((y, j, w))) = (store(pool, a), store(pool, b))
                && (x, i) == (y, j)
            {
                return Some(pool.mk(Op::Eq, &[v, w]));
            }
            for (one, other) in [(a, b), (b, a)] {
                if let Some((x, i, v)) = store(pool, one).filter(|(x, _, _)| *x == other) {
                    let there = pool.mk(Op::Select, &[x, i]);
                    return Some(pool.mk(Op::Eq, &[there, v]));
                }
            }
            None
        },
        fires: &[
            |s| {
                let (i, y, a) = (s.bv("i"), s.bv("y"), s.array("a"));
                let (b, c) = (stored(s, i), s.mk(Op::Store, &[a, i, y]));
                Some(s.mk(Op::Eq, &[b, c]))
            },
            |s| {
                Some((s.bv("i"), s.array("a")))
                    .map(|(i, a)| (stored(s, i), a))
                    .map(|(b, a)| s.mk(Op::Eq, &[a, b]))
            },
        ],
        near_miss: |s| {
            let (i, j, y, a) = (s.bv("i"), s.bv("j"), s.bv("y"), s.array("a"));
            let (b, c) = (stored(s, i), s.mk(Op::Store, &[a, j, y]));
            Some(s.mk(Op::Eq, &[b, c]))
        },
    },
];

fn store(pool: &TermPool, t: TermId) -> Option<(TermId, TermId, TermId)> {
    match pool.operands(t) {
        &[a, i, v] if pool.op(t) == Op::Store => Some((a, i, v)),
        _ => None,
    }
}

/// Looks through stores to other places until it finds the element or a store that may be it.
fn select_of_store(pool: &mut TermPool, t: TermId) -> Option<TermId> {
    let (array, index) = binary(pool, t, Op::Select)?;
    let mut at = array;
    for _ in 0..MAX_STEPS {
        let Some((below, place, element)) = store(pool, at) else { break };
        if place == index {
            return Some(element);
        }
        if !definitely_different(pool, place, index) {
            break;
        }
        at = below;
    }
    (at != array).then(|| pool.mk(Op::Select, &[at, index]))
}

/// A store hides an earlier one to the same place, if those between are elsewhere.
fn store_over_store(pool: &mut TermPool, t: TermId) -> Option<TermId> {
    let (array, index, element) = store(pool, t)?;
    let mut between = Vec::new();
    let mut at = array;
    for _ in 0..MAX_STEPS {
        let (below, place, value) = store(pool, at)?;
        if place == index {
            let mut result = below;
            for (place, value) in between.into_iter().rev() {
                result = pool.mk(Op::Store, &[result, place, value]);
            }
            return Some(pool.mk(Op::Store, &[result, index, element]));
        }
        if !definitely_different(pool, place, index) {
            return None;
        }
        between.push((place, value));
        at = below;
    }
    None
}

/// Stores to places known to differ are ordered by the number of the place, smallest inside.
fn order_stores(pool: &mut TermPool, t: TermId) -> Option<TermId> {
    let (array, index, element) = store(pool, t)?;
    let mut above = Vec::new();
    let mut at = array;
    for _ in 0..MAX_STEPS {
        let Some((below, place, value)) = store(pool, at) else { break };
        if place <= index || !definitely_different(pool, place, index) {
            break;
        }
        above.push((place, value));
        at = below;
    }
    if above.is_empty() {
        return None;
    }
    let mut result = pool.mk(Op::Store, &[at, index, element]);
    for (place, value) in above.into_iter().rev() {
        result = pool.mk(Op::Store, &[result, place, value]);
    }
    Some(result)
}
