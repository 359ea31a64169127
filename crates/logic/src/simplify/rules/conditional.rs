//! Conditionals.

use super::super::polynomial::Polynomial;
use super::{Rule, Sample, binary, ite, negate, unary};
use crate::bits::Bits;
use crate::op::Op;
use crate::sort::Sort;
use crate::term::{TermId, TermPool};

/// `(ite p x y)` of a sample.
fn choice(s: &mut Sample<'_>) -> TermId {
    let operands = [s.truth("p"), s.bv("x"), s.bv("y")];
    s.mk(Op::Ite, &operands)
}

pub(super) const RULES: &[Rule] = &[
    Rule {
        name: "ite_decided",
        apply: |pool, t| {
            let (c, a, b) = ite(pool, t)?;
            match pool.as_bool(c) {
                Some(value) => Some(if value { a } else { b }),
                None => (a == b).then_some(a),
            }
        },
        fires: &[
            |s| {
                let operands = [s.pool.truth(), s.bv("x"), s.bv("y")];
                Some(s.mk(Op::Ite, &operands))
            },
            |s| Some((s.truth("p"), s.bv("x"))).map(|(p, x)| s.mk(Op::Ite, &[p, x, x])),
        ],
        near_miss: |s| Some(choice(s)),
    },
    Rule {
        name: "ite_not",
        apply: |pool, t| {
            let (c, a, b) = ite(pool, t)?;
            let c = unary(pool, c, Op::Not)?;
            Some(pool.mk(Op::Ite, &[c, b, a]))
        },
        fires: &[|s| {
            let (p, x, y) = (s.truth("p"), s.bv("x"), s.bv("y"));
            let not = s.mk(Op::Not, &[p]);
            Some(s.mk(Op::Ite, &[not, x, y]))
        }],
        near_miss: |s| Some(choice(s)),
    },
    Rule {
        name: "ite_of_truths",
        apply: ite_of_truths,
        fires: &[
            |s| {
                Some((s.truth("p"), s.truth("q")))
                    .map(|(p, q)| s.mk(Op::Ite, &[p, s.pool.truth(), q]))
            },
            |s| {
                Some((s.truth("p"), s.truth("q")))
                    .map(|(p, q)| s.mk(Op::Ite, &[p, s.pool.falsity(), q]))
            },
            |s| {
                Some((s.truth("p"), s.truth("q")))
                    .map(|(p, q)| s.mk(Op::Ite, &[p, q, s.pool.truth()]))
            },
            |s| {
                Some((s.truth("p"), s.truth("q")))
                    .map(|(p, q)| s.mk(Op::Ite, &[p, q, s.pool.falsity()]))
            },
            |s| Some((s.truth("p"), s.truth("q"))).map(|(p, q)| s.mk(Op::Ite, &[p, q, p])),
            |s| {
                let (p, q) = (s.truth("p"), s.truth("q"));
                let not = s.mk(Op::Not, &[q]);
                Some(s.mk(Op::Ite, &[p, not, q]))
            },
        ],
        near_miss: |s| {
            let operands = [s.truth("p"), s.truth("q"), s.truth("r")];
            Some(s.mk(Op::Ite, &operands))
        },
    },
    Rule {
        name: "ite_same_condition",
        apply: |pool, t| {
            let (c, a, b) = ite(pool, t)?;
            let then = ite(pool, a).filter(|inner| inner.0 == c).map_or(a, |inner| inner.1);
            let otherwise = ite(pool, b).filter(|inner| inner.0 == c).map_or(b, |inner| inner.2);
            if (then, otherwise) == (a, b) {
                return None;
            }
            Some(pool.mk(Op::Ite, &[c, then, otherwise]))
        },
        fires: &[|s| {
            let inner = choice(s);
            let (p, z) = (s.truth("p"), s.bv("z"));
            Some(s.mk(Op::Ite, &[p, z, inner]))
        }],
        near_miss: |s| {
            let inner = choice(s);
            let (q, z) = (s.truth("q"), s.bv("z"));
            Some(s.mk(Op::Ite, &[q, z, inner]))
        },
    },
    Rule {
        name: "ite_shared_branch",
        apply: ite_shared_branch,
        fires: &[
            |s| {
                Some((choice(s), s.truth("q"), s.bv("y")))
                    .map(|(i, q, y)| s.mk(Op::Ite, &[q, i, y]))
            },
            |s| {
                Some((choice(s), s.truth("q"), s.bv("x")))
                    .map(|(i, q, x)| s.mk(Op::Ite, &[q, i, x]))
            },
            |s| {
                Some((choice(s), s.truth("q"), s.bv("y")))
                    .map(|(i, q, y)| s.mk(Op::Ite, &[q, y, i]))
            },
            |s| {
                Some((choice(s), s.truth("q"), s.bv("x")))
                    .map(|(i, q, x)| s.mk(Op::Ite, &[q, x, i]))
            },
        ],
        near_miss: |s| {
            Some((choice(s), s.truth("q"), s.bv("z"))).map(|(i, q, z)| s.mk(Op::Ite, &[q, i, z]))
        },
    },
    Rule {
        name: "ite_of_equals",
        apply: |pool, t| {
            let (c, a, b) = ite(pool, t)?;
            let (x, y) = binary(pool, c, Op::Eq)?;
            ((x, y) == (a, b) || (x, y) == (b, a)).then_some(b)
        },
        fires: &[|s| {
            let (x, y) = (s.bv("x"), s.bv("y"));
            let equal = s.mk(Op::Eq, &[x, y]);
            Some(s.mk(Op::Ite, &[equal, y, x]))
        }],
        near_miss: |s| {
            let (x, y, z) = (s.bv("x"), s.bv("y"), s.bv("z"));
            let equal = s.mk(Op::Eq, &[x, y]);
            Some(s.mk(Op::Ite, &[equal, x, z]))
        },
    },
    Rule {
        name: "minimum_and_maximum",
        apply: minimum_and_maximum,
        fires: &[
            |s| {
                let (x, y) = (s.bv("x"), s.bv("y"));
                let less = s.mk(Op::BvSlt, &[y, x]);
                Some(s.mk(Op::Ite, &[less, y, x]))
            },
            |s| {
                let (x, y) = (s.bv("x"), s.bv("y"));
                let less = s.mk(Op::BvUlt, &[y, x]);
                Some(s.mk(Op::Ite, &[less, x, y]))
            },
            |s| {
                let (x, five, four) = (s.bv("x"), s.num(5), s.num(4));
                (s.width > 3)
                    .then(|| s.mk(Op::BvUlt, &[x, five]))
                    .map(|less| s.mk(Op::Ite, &[less, four, x]))
            },
        ],
        near_miss: |s| {
            let (x, y, z) = (s.bv("x"), s.bv("y"), s.bv("z"));
            let less = s.mk(Op::BvSlt, &[y, x]);
            Some(s.mk(Op::Ite, &[less, y, z]))
        },
    },
    Rule {
        name: "ite_common_summands",
        apply: ite_common_summands,
        fires: &[|s| {
            let (p, x, y, one) = (s.truth("p"), s.bv("x"), s.bv("y"), s.num(1));
            let a = s.mk(Op::BvAdd, &[x, y]);
            let b = s.mk(Op::BvAdd, &[x, one]);
            Some(s.mk(Op::Ite, &[p, a, b]))
        }],
        near_miss: |s| {
            let (p, x, y, z) = (s.truth("p"), s.bv("x"), s.bv("y"), s.bv("z"));
            let a = s.mk(Op::BvAdd, &[x, y]);
            Some(s.mk(Op::Ite, &[p, a, z]))
        },
    },
    Rule {
        name: "operator_on_constant_ite",
        apply: operator_on_constant_ite,
        fires: &[
            |s| {
                let (p, a, b, k) = (s.truth("p"), s.num(1), s.num(0), s.num(3));
                let ite = s.mk(Op::Ite, &[p, a, b]);
                Some(s.mk(Op::BvUlt, &[ite, k]))
            },
            |s| {
                let (p, a, b) = (s.truth("p"), s.num(1), s.num(0));
                let ite = s.mk(Op::Ite, &[p, a, b]);
                Some(s.mk(Op::ZeroExtend(2), &[ite]))
            },
        ],
        near_miss: |s| {
            let ite = choice(s);
            Some(s.mk(Op::ZeroExtend(2), &[ite]))
        },
    },
    Rule {
        name: "equal_to_ite",
        apply: equal_to_ite,
        fires: &[
            |s| {
                let (p, a, x, k) = (s.truth("p"), s.num(1), s.bv("x"), s.num(0));
                let ite = s.mk(Op::Ite, &[p, a, x]);
                Some(s.mk(Op::Eq, &[ite, k]))
            },
            |s| Some((choice(s), s.bv("x"))).map(|(i, x)| s.mk(Op::Eq, &[i, x])),
            |s| Some((choice(s), s.bv("y"))).map(|(i, y)| s.mk(Op::Eq, &[y, i])),
            |s| {
                let (p, z, u) = (s.truth("p"), s.bv("z"), s.bv("u"));
                let (a, b) = (choice(s), s.mk(Op::Ite, &[p, z, u]));
                Some(s.mk(Op::Eq, &[a, b]))
            },
        ],
        near_miss: |s| Some((choice(s), s.bv("z"))).map(|(i, z)| s.mk(Op::Eq, &[i, z])),
    },
];

fn ite_of_truths(pool: &mut TermPool, t: TermId) -> Option<TermId> {
    let (c, a, b) = ite(pool, t)?;
    if pool.sort(t) != Sort::Bool {
        return None;
    }
    let (truth, falsity) = (pool.truth(), pool.falsity());
    Some(match (a, b) {
        _ if a == truth || a == c => pool.mk(Op::Or, &[c, b]),
        _ if a == falsity => {
            let not = negate(pool, c);
            pool.mk(Op::And, &[not, b])
        }
        _ if b == truth => {
            let not = negate(pool, c);
            pool.mk(Op::Or, &[not, a])
        }
        _ if b == falsity || b == c => pool.mk(Op::And, &[c, a]),
        _ if super::complementary(pool, a, b) => pool.mk(Op::Eq, &[c, a]),
        _ => return None,
    })
}

fn ite_shared_branch(pool: &mut TermPool, t: TermId) -> Option<TermId> {
    let (c, a, b) = ite(pool, t)?;
    if let Some((d, x, y)) = ite(pool, a) {
        if y == b {
            let both = pool.mk(Op::And, &[c, d]);
            return Some(pool.mk(Op::Ite, &[both, x, y]));
        }
        if x == b {
            let not = negate(pool, c);
            let either = pool.mk(Op::Or, &[not, d]);
            return Some(pool.mk(Op::Ite, &[either, x, y]));
        }
    }
    let (d, x, y) = ite(pool, b)?;
    if x == a {
        let either = pool.mk(Op::Or, &[c, d]);
        return Some(pool.mk(Op::Ite, &[either, x, y]));
    }
    if y == a {
        let not = negate(pool, c);
        let both = pool.mk(Op::And, &[not, d]);
        return Some(pool.mk(Op::Ite, &[both, x, y]));
    }
    None
}

/// `a < b ? a : b` is `b < a ? b : a`, whichever comparison was written: the one with the smaller
/// left operand is kept. With a constant, the strict comparison with that constant is kept.
fn minimum_and_maximum(pool: &mut TermPool, t: TermId) -> Option<TermId> {
    let (c, a, b) = ite(pool, t)?;
    let op = pool.op(c);
    if !matches!(op, Op::BvUlt | Op::BvSlt) {
        return None;
    }
    let (x, y) = binary(pool, c, op)?;
    if (x, y) == (a, b) || (x, y) == (b, a) {
        if x < y || pool.as_bits(y).is_some() {
            return None;
        }
        let swapped = pool.mk(op, &[y, x]);
        return Some(pool.mk(Op::Ite, &[swapped, b, a]));
    }
    let limit = pool.as_bits(y)?;
    let least =
        if op == Op::BvUlt { Bits::zero(limit.width()) } else { Bits::signed_min(limit.width()) };
    let bound = if a == x { b } else { a };
    if limit == least || (a != x && b != x) {
        return None;
    }
    if pool.as_bits(bound)? != limit.sub(&Bits::one(limit.width())) {
        return None;
    }
    let tighter = pool.mk(op, &[x, bound]);
    Some(pool.mk(Op::Ite, &[tighter, a, b]))
}

fn ite_common_summands(pool: &mut TermPool, t: TermId) -> Option<TermId> {
    let (c, a, b) = ite(pool, t)?;
    pool.sort(t).width()?;
    let sum = |pool: &TermPool, x: TermId| matches!(pool.op(x), Op::BvAdd);
    if !sum(pool, a) && !sum(pool, b) {
        return None;
    }
    let (mut p, mut q) = (Polynomial::of(pool, a), Polynomial::of(pool, b));
    let common = p.common(&q);
    if common.len() == 0 {
        return None;
    }
    p.sub(&common);
    q.sub(&common);
    let (a, b, common) = (p.to_term(pool), q.to_term(pool), common.to_term(pool));
    let rest = pool.mk(Op::Ite, &[c, a, b]);
    Some(pool.mk(Op::BvAdd, &[common, rest]))
}

fn operator_on_constant_ite(pool: &mut TermPool, t: TermId) -> Option<TermId> {
    let op = pool.op(t);
    let liftable = pool.sort(t) != Sort::Bool || matches!(op, Op::Eq | Op::BvUlt | Op::BvSlt);
    if !liftable || matches!(op, Op::Ite | Op::Apply(_) | Op::ConstArray | Op::Select | Op::Store) {
        return None;
    }
    let operands = pool.operands(t).to_vec();
    let mut found = None;
    for (position, operand) in operands.iter().enumerate() {
        if pool.op(*operand).is_constant() {
            continue;
        }
        let (c, a, b) = ite(pool, *operand)?;
        let constant = pool.op(a).is_constant() && pool.op(b).is_constant();
        if found.is_some() || !constant || pool.sort(a) == Sort::Bool {
            return None;
        }
        found = Some((position, c, a, b));
    }
    let (position, c, a, b) = found?;
    let mut branches = [a, b];
    for branch in &mut branches {
        let mut operands = operands.clone();
        operands[position] = *branch;
        *branch = pool.mk(op, &operands);
    }
    Some(pool.mk(Op::Ite, &[c, branches[0], branches[1]]))
}

fn equal_to_ite(pool: &mut TermPool, t: TermId) -> Option<TermId> {
    let (left, right) = binary(pool, t, Op::Eq)?;
    for (one, other) in [(left, right), (right, left)] {
        let Some((c, a, b)) = ite(pool, one) else { continue };
        if let Some((d, x, y)) = ite(pool, other)
            && c == d
        {
            let (then, otherwise) = (pool.mk(Op::Eq, &[a, x]), pool.mk(Op::Eq, &[b, y]));
            return Some(pool.mk(Op::Ite, &[c, then, otherwise]));
        }
        let constants =
            pool.op(other).is_constant() && (pool.op(a).is_constant() || pool.op(b).is_constant());
        if constants || other == a || other == b {
            let (then, otherwise) = (pool.mk(Op::Eq, &[a, other]), pool.mk(Op::Eq, &[b, other]));
            return Some(pool.mk(Op::Ite, &[c, then, otherwise]));
        }
    }
    None
}
