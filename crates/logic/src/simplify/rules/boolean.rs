//! Truth values: folding, negations at the leaves, conjunctions and disjunctions as sorted sets.

use super::{Rule, binary, ite, negate, unary};
use crate::eval::apply;
use crate::op::Op;
use crate::sort::Sort;
use crate::term::{TermId, TermPool};
use crate::value::Value;

/// Operands beyond which nested conjunctions and the like are not flattened: a condition that
/// grows one conjunct at a time would otherwise need quadratic space.
const MAX_OPERANDS: usize = 64;

pub(super) const RULES: &[Rule] = &[
    Rule {
        name: "fold_constants",
        apply: fold_constants,
        fires: &[
            |s| Some((s.num(3), s.num(1))).map(|(a, b)| s.mk(Op::BvAdd, &[a, b])),
            |s| Some((s.num(3), s.num(0))).map(|(a, b)| s.mk(Op::BvSdiv, &[a, b])),
            |s| Some((s.num(-1), s.num(0))).map(|(a, b)| s.mk(Op::BvSlt, &[a, b])),
        ],
        near_miss: |s| Some((s.num(3), s.bv("x"))).map(|(a, b)| s.mk(Op::BvAdd, &[a, b])),
    },
    Rule {
        name: "not_not",
        apply: |pool, t| unary(pool, unary(pool, t, Op::Not)?, Op::Not),
        fires: &[|s| {
            let p = s.truth("p");
            let not = s.mk(Op::Not, &[p]);
            Some(s.mk(Op::Not, &[not]))
        }],
        near_miss: |s| Some(s.truth("p")).map(|p| s.mk(Op::Not, &[p])),
    },
    Rule {
        name: "not_inwards",
        apply: not_inwards,
        fires: &[
            |s| {
                Some([s.truth("p"), s.truth("q")])
                    .map(|a| s.mk(Op::And, &a))
                    .map(|t| s.mk(Op::Not, &[t]))
            },
            |s| {
                Some([s.truth("p"), s.truth("q")])
                    .map(|a| s.mk(Op::Or, &a))
                    .map(|t| s.mk(Op::Not, &[t]))
            },
            |s| {
                let ite = [s.truth("p"), s.truth("q"), s.truth("r")];
                let ite = s.mk(Op::Ite, &ite);
                Some(s.mk(Op::Not, &[ite]))
            },
        ],
        near_miss: |s| {
            let equal = [s.truth("p"), s.truth("q")];
            let equal = s.mk(Op::Eq, &equal);
            Some(s.mk(Op::Not, &[equal]))
        },
    },
    Rule {
        name: "flatten",
        apply: flatten,
        fires: &[
            |s| {
                let inner = [s.truth("p"), s.truth("q")];
                let inner = s.mk(Op::And, &inner);
                let r = s.truth("r");
                Some(s.mk(Op::And, &[inner, r]))
            },
            |s| {
                let inner = [s.bv("x"), s.bv("y")];
                let inner = s.mk(Op::BvXor, &inner);
                let z = s.bv("z");
                Some(s.mk(Op::BvXor, &[z, inner]))
            },
            |s| {
                let inner = [s.bv("x"), s.bv("y")];
                let inner = s.mk(Op::Concat, &inner);
                let z = s.bv("z");
                Some(s.mk(Op::Concat, &[z, inner]))
            },
        ],
        near_miss: |s| {
            let inner = [s.truth("p"), s.truth("q")];
            let inner = s.mk(Op::Or, &inner);
            let r = s.truth("r");
            Some(s.mk(Op::And, &[inner, r]))
        },
    },
    Rule {
        name: "order_operands",
        apply: order_operands,
        fires: &[
            |s| Some((s.truth("p"), s.truth("q"))).map(|(p, q)| s.mk(Op::Or, &[q, p])),
            |s| Some((s.bv("x"), s.bv("y"))).map(|(x, y)| s.mk(Op::Eq, &[y, x])),
            |s| Some((s.float("f"), s.float("g"))).map(|(f, g)| s.mk(Op::FpAdd(s.mode()), &[g, f])),
            |s| {
                // Only at the smallest format: no solver likes these.
                let (f, g, h) = (s.float("f"), s.float("g"), s.float("h"));
                (s.width % 4 == 0).then(|| s.mk(Op::FpFma(s.mode()), &[g, f, h]))
            },
        ],
        near_miss: |s| Some((s.bv("x"), s.bv("y"))).map(|(x, y)| s.mk(Op::BvUdiv, &[y, x])),
    },
    Rule {
        name: "set_of_conditions",
        apply: set_of_conditions,
        fires: &[
            |s| Some(s.truth("p")).map(|p| s.mk(Op::And, &[p, p])),
            |s| {
                let p = s.truth("p");
                let not = s.mk(Op::Not, &[p]);
                Some(s.mk(Op::Or, &[p, not]))
            },
            |s| {
                let (p, t) = (s.truth("p"), s.pool.truth());
                Some(s.mk(Op::And, &[t, p]))
            },
            |s| {
                let (p, t) = (s.truth("p"), s.pool.truth());
                Some(s.mk(Op::Or, &[t, p]))
            },
        ],
        near_miss: |s| Some((s.truth("p"), s.truth("q"))).map(|(p, q)| s.mk(Op::And, &[p, q])),
    },
    Rule {
        name: "absorb",
        apply: absorb,
        fires: &[
            |s| {
                let (p, q) = (s.truth("p"), s.truth("q"));
                let either = s.mk(Op::Or, &[p, q]);
                Some(s.mk(Op::And, &[p, either]))
            },
            |s| {
                let (p, q) = (s.truth("p"), s.truth("q"));
                let not = s.mk(Op::Not, &[p]);
                let both = s.mk(Op::And, &[not, q]);
                Some(s.mk(Op::Or, &[p, both]))
            },
        ],
        near_miss: |s| {
            let (p, q, r) = (s.truth("p"), s.truth("q"), s.truth("r"));
            let either = s.mk(Op::Or, &[p, q]);
            Some(s.mk(Op::And, &[r, either]))
        },
    },
    Rule {
        name: "equal_truths",
        apply: equal_truths,
        fires: &[
            |s| {
                let (p, t) = (s.truth("p"), s.pool.truth());
                Some(s.mk(Op::Eq, &[t, p]))
            },
            |s| {
                let (p, f) = (s.truth("p"), s.pool.falsity());
                Some(s.mk(Op::Eq, &[p, f]))
            },
            |s| {
                let (p, q) = (s.truth("p"), s.truth("q"));
                let not = s.mk(Op::Not, &[p]);
                Some(s.mk(Op::Eq, &[q, not]))
            },
        ],
        near_miss: |s| Some((s.truth("p"), s.truth("q"))).map(|(p, q)| s.mk(Op::Eq, &[p, q])),
    },
];

fn fold_constants(pool: &mut TermPool, t: TermId) -> Option<TermId> {
    let op = pool.op(t);
    if matches!(op, Op::Apply(_) | Op::ConstArray | Op::Select | Op::Store) {
        return None;
    }
    let mut values = Vec::new();
    for operand in pool.operands(t) {
        values.push(pool.as_value(*operand)?);
    }
    if values.is_empty() {
        return None;
    }
    let value = apply(op, pool.sort(t), &values.iter().collect::<Vec<_>>()).ok()?;
    // Where solvers may choose, nothing is to be chosen here either.
    let chosen = match (op, &values[0], &value) {
        (Op::FpToBits, Value::Float(float), _) => float.is_nan(),
        (Op::FpToSigned(mode, _), Value::Float(float), Value::Bits(bits)) => {
            float.to_integer(mode) != Some(bits.to_signed())
        }
        (Op::FpToUnsigned(mode, _), Value::Float(float), Value::Bits(bits)) => {
            float.to_integer(mode) != Some(bits.to_biguint().into())
        }
        _ => false,
    };
    if chosen {
        return None;
    }
    pool.value(&value).ok().flatten()
}

fn not_inwards(pool: &mut TermPool, t: TermId) -> Option<TermId> {
    let operand = unary(pool, t, Op::Not)?;
    let dual = match pool.op(operand) {
        Op::And => Op::Or,
        Op::Or => Op::And,
        Op::Ite => {
            let (c, a, b) = ite(pool, operand)?;
            let (a, b) = (negate(pool, a), negate(pool, b));
            return Some(pool.mk(Op::Ite, &[c, a, b]));
        }
        _ => return None,
    };
    let negated: Vec<TermId> =
        pool.operands(operand).to_vec().into_iter().map(|p| negate(pool, p)).collect();
    Some(pool.mk(dual, &negated))
}

/// Sums and products are flattened as polynomials.
fn flatten(pool: &mut TermPool, t: TermId) -> Option<TermId> {
    let op = pool.op(t);
    if !op.is_associative() || matches!(op, Op::BvAdd | Op::BvMul) {
        return None;
    }
    let operands = pool.operands(t);
    if !operands.iter().any(|p| pool.op(*p) == op) {
        return None;
    }
    let mut flat = Vec::new();
    for operand in operands {
        let inner = pool.operands(*operand);
        if pool.op(*operand) == op && inner.len() < MAX_OPERANDS {
            flat.extend_from_slice(inner);
        } else {
            flat.push(*operand);
        }
    }
    Some(pool.mk(op, &flat))
}

fn order_operands(pool: &mut TermPool, t: TermId) -> Option<TermId> {
    let op = pool.op(t);
    let ordered = match op {
        Op::FpFma(_) => 2,
        _ if op.is_commutative() => pool.operands(t).len(),
        _ => return None,
    };
    if pool.operands(t)[..ordered].is_sorted() {
        return None;
    }
    let mut operands = pool.operands(t).to_vec();
    operands[..ordered].sort_unstable();
    Some(pool.mk(op, &operands))
}

/// Duplicates, neutral and absorbing constants, and a condition beside its negation.
fn set_of_conditions(pool: &mut TermPool, t: TermId) -> Option<TermId> {
    let op = pool.op(t);
    let neutral = match op {
        Op::And => true,
        Op::Or => false,
        _ => return None,
    };
    let operands = pool.operands(t);
    let mut kept: Vec<TermId> = Vec::with_capacity(operands.len());
    for operand in operands {
        match pool.as_bool(*operand) {
            Some(value) if value == neutral => {}
            Some(_) => return Some(*operand),
            None => kept.push(*operand),
        }
    }
    kept.sort_unstable();
    kept.dedup();
    let contradicts = |p: &TermId| {
        unary(pool, *p, Op::Not).is_some_and(|inner| kept.binary_search(&inner).is_ok())
    };
    if kept.iter().any(contradicts) {
        return Some(pool.boolean(!neutral));
    }
    if kept.len() == operands.len() {
        return None;
    }
    match kept.as_slice() {
        [] => Some(pool.boolean(neutral)),
        _ => Some(pool.mk(op, &kept)),
    }
}

/// `a ∧ (a ∨ b)` is `a`, and `a ∧ (¬a ∨ b)` is `a ∧ b`; likewise with the operators exchanged.
fn absorb(pool: &mut TermPool, t: TermId) -> Option<TermId> {
    let op = pool.op(t);
    let dual = match op {
        Op::And => Op::Or,
        Op::Or => Op::And,
        _ => return None,
    };
    if !pool.operands(t).iter().any(|operand| pool.op(*operand) == dual) {
        return None;
    }
    let operands = pool.operands(t).to_vec();
    // Sorted, to be looked up: conditions of long paths have hundreds of operands, and comparing each with each part of each other
    // took most of the time of such a pair, uncounted. (No part of an operand is the operand itself.)
    let sorted = |mut terms: Vec<TermId>| {
        terms.sort_unstable();
        terms
    };
    let whole = sorted(operands.clone());
    let denied = sorted(operands.iter().filter_map(|q| unary(pool, *q, Op::Not)).collect());
    let is_operand = |p: &TermId| whole.binary_search(p).is_ok();
    for (position, operand) in operands.iter().enumerate() {
        if pool.op(*operand) != dual {
            continue;
        }
        let inner = pool.operands(*operand);
        if inner.iter().any(is_operand) {
            let mut result = operands.clone();
            result.remove(position);
            return Some(pool.mk(op, &result));
        }
        let is_denied = |p: &TermId| {
            denied.binary_search(p).is_ok()
                || unary(pool, *p, Op::Not).is_some_and(|not| is_operand(&not))
        };
        let kept: Vec<TermId> = inner.iter().copied().filter(|p| !is_denied(p)).collect();
        if kept.len() < inner.len() {
            let mut result = operands.clone();
            result[position] = match kept.as_slice() {
                [] => pool.boolean(dual == Op::And),
                _ => pool.mk(dual, &kept),
            };
            return Some(pool.mk(op, &result));
        }
    }
    None
}

fn equal_truths(pool: &mut TermPool, t: TermId) -> Option<TermId> {
    let (a, b) = binary(pool, t, Op::Eq)?;
    if pool.sort(a) != Sort::Bool {
        return None;
    }
    for (constant, other) in [(a, b), (b, a)] {
        if let Some(value) = pool.as_bool(constant) {
            return Some(if value { other } else { negate(pool, other) });
        }
    }
    match (unary(pool, a, Op::Not), unary(pool, b, Op::Not)) {
        (None, None) => None,
        (Some(a), Some(b)) => Some(pool.mk(Op::Eq, &[a, b])),
        (Some(a), None) => {
            let equal = pool.mk(Op::Eq, &[a, b]);
            Some(negate(pool, equal))
        }
        (None, Some(b)) => {
            let equal = pool.mk(Op::Eq, &[a, b]);
            Some(negate(pool, equal))
        }
    }
}
