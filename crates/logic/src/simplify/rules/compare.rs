//! Orders: strict comparisons, with a constant on the right.

use super::slices::{sign_extended, zero_extended};
use super::{Rule, Sample, binary, negate};
use crate::bits::Bits;
use crate::op::Op;
use crate::term::{TermId, TermPool};

fn against(s: &mut Sample<'_>, op: Op, constant: Bits) -> TermId {
    let operands = [s.bv("x"), s.pool.constant_bits(&constant)];
    s.mk(op, &operands)
}

pub(super) const RULES: &[Rule] = &[
    Rule {
        name: "constant_on_the_right",
        apply: |pool, t| {
            let (op, a, b) = less(pool, t)?;
            let constant = pool.as_bits(a)?;
            if constant == greatest(op, constant.width()) {
                return Some(pool.falsity());
            }
            let next = pool.constant_bits(&constant.add(&Bits::one(constant.width())));
            let below = pool.mk(op, &[b, next]);
            Some(negate(pool, below))
        },
        fires: &[
            |s| Some([s.num(5), s.bv("x")]).map(|pair| s.mk(Op::BvUlt, &pair)),
            |s| Some([s.num(5), s.bv("x")]).map(|pair| s.mk(Op::BvSlt, &pair)),
            |s| Some([s.num(-1), s.bv("x")]).map(|pair| s.mk(Op::BvUlt, &pair)),
        ],
        near_miss: |s| Some([s.bv("x"), s.num(5)]).map(|pair| s.mk(Op::BvUlt, &pair)),
    },
    Rule {
        name: "order_at_the_ends",
        apply: order_at_the_ends,
        fires: &[
            |s| Some(s.bv("x")).map(|x| s.mk(Op::BvSlt, &[x, x])),
            |s| Some(against(s, Op::BvUlt, Bits::zero(s.width))),
            |s| Some(against(s, Op::BvUlt, Bits::one(s.width))),
            |s| Some(against(s, Op::BvUlt, Bits::ones(s.width))),
            |s| Some(against(s, Op::BvSlt, Bits::signed_min(s.width))),
            |s| Some(against(s, Op::BvSlt, Bits::signed_min(s.width).add(&Bits::one(s.width)))),
            |s| Some(against(s, Op::BvSlt, Bits::signed_max(s.width))),
        ],
        near_miss: |s| {
            let operands = [s.bv_of(s.width + 2, "x"), s.num_of(s.width + 2, 2)];
            Some(s.mk(Op::BvUlt, &operands))
        },
    },
    Rule {
        name: "order_of_extensions",
        apply: order_of_extensions,
        fires: &[
            |s| ordered(s, Op::BvUlt, Op::ZeroExtend(2)),
            |s| ordered(s, Op::BvSlt, Op::ZeroExtend(2)),
            |s| ordered(s, Op::BvSlt, Op::SignExtend(2)),
            |s| ordered(s, Op::BvUlt, Op::SignExtend(2)),
            |s| against_extension(s, Op::BvUlt, Op::ZeroExtend(2), 1),
            |s| against_extension(s, Op::BvSlt, Op::ZeroExtend(2), -1),
            |s| against_extension(s, Op::BvSlt, Op::SignExtend(2), -1),
            |s| {
                let (x, k) = (s.bv("x"), Bits::power_of_two(s.width + 2, s.width));
                let (x, k) = (s.mk(Op::ZeroExtend(2), &[x]), s.pool.constant_bits(&k));
                Some(s.mk(Op::BvUlt, &[x, k]))
            },
            |s| {
                let (x, k) = (s.bv("x"), Bits::power_of_two(s.width + 2, s.width));
                let (x, k) = (s.mk(Op::SignExtend(2), &[x]), s.pool.constant_bits(&k));
                Some(s.mk(Op::BvSlt, &[x, k]))
            },
        ],
        near_miss: |s| {
            let (x, y) = (s.bv("x"), s.bv("y"));
            let (x, y) = (s.mk(Op::ZeroExtend(2), &[x]), s.mk(Op::SignExtend(2), &[y]));
            Some(s.mk(Op::BvUlt, &[x, y]))
        },
    },
];

fn ordered(s: &mut Sample<'_>, op: Op, extension: Op) -> Option<TermId> {
    let (x, y) = (s.bv("x"), s.bv("y"));
    let (x, y) = (s.mk(extension, &[x]), s.mk(extension, &[y]));
    Some(s.mk(op, &[x, y]))
}

fn against_extension(s: &mut Sample<'_>, op: Op, extension: Op, k: i128) -> Option<TermId> {
    let (x, k) = (s.bv("x"), s.num_of(s.width + 2, k));
    let x = s.mk(extension, &[x]);
    Some(s.mk(op, &[x, k]))
}

pub(super) fn less(pool: &TermPool, t: TermId) -> Option<(Op, TermId, TermId)> {
    let op = pool.op(t);
    match op {
        Op::BvUlt | Op::BvSlt => binary(pool, t, op).map(|(a, b)| (op, a, b)),
        _ => None,
    }
}

fn greatest(op: Op, width: u32) -> Bits {
    if op == Op::BvUlt { Bits::ones(width) } else { Bits::signed_max(width) }
}

/// Comparisons with the smallest and largest values are equations or decided.
fn order_at_the_ends(pool: &mut TermPool, t: TermId) -> Option<TermId> {
    let (op, a, b) = less(pool, t)?;
    if a == b {
        return Some(pool.falsity());
    }
    let bound = pool.as_bits(b)?;
    let most = greatest(op, bound.width());
    let least = most.add(&Bits::one(bound.width()));
    if bound == least {
        return Some(pool.falsity());
    }
    if bound == least.add(&Bits::one(bound.width())) {
        let least = pool.constant_bits(&least);
        return Some(pool.mk(Op::Eq, &[least, a]));
    }
    if bound == most {
        let equal = pool.mk(Op::Eq, &[a, b]);
        return Some(negate(pool, equal));
    }
    None
}

/// Extended operands are compared before they are extended.
fn order_of_extensions(pool: &mut TermPool, t: TermId) -> Option<TermId> {
    let (op, a, b) = less(pool, t)?;
    match (zero_extended(pool, a), zero_extended(pool, b)) {
        (Some(x), Some(y)) if pool.sort(x) == pool.sort(y) => {
            return Some(pool.mk(Op::BvUlt, &[x, y]));
        }
        _ => {}
    }
    match (sign_extended(pool, a), sign_extended(pool, b)) {
        (Some(x), Some(y)) if pool.sort(x) == pool.sort(y) => {
            return Some(pool.mk(op, &[x, y]));
        }
        _ => {}
    }
    let bound = pool.as_bits(b)?;
    if let Some(x) = zero_extended(pool, a) {
        // The left side is not negative, so the signed order is decided or the unsigned one.
        if op == Op::BvSlt && bound.is_negative() {
            return Some(pool.falsity());
        }
        let width = pool.width(x);
        if bound.width() - bound.leading_zeros() > width {
            return Some(pool.truth());
        }
        let narrow = pool.constant_bits(&bound.extract(width - 1, 0));
        return Some(pool.mk(Op::BvUlt, &[x, narrow]));
    }
    let x = sign_extended(pool, a)?;
    if op != Op::BvSlt {
        return None;
    }
    let narrow = bound.extract(pool.width(x) - 1, 0);
    if narrow.sign_extend_to(bound.width()) != bound {
        return Some(pool.boolean(!bound.is_negative()));
    }
    let narrow = pool.constant_bits(&narrow);
    Some(pool.mk(Op::BvSlt, &[x, narrow]))
}
