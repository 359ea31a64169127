//! Orders of computed words: what a comparison says about what it was computed from.

use super::super::polynomial::Polynomial;
use super::compare::less;
use super::slices::{shift_of, sign_extended, zero_extended};
use super::{Rule, Sample, binary, negate};
use crate::bits::Bits;
use crate::op::Op;
use crate::term::{TermId, TermPool};

/// `4 * x` for a word of the width, extended by `more` zeros.
fn shifted(s: &mut Sample<'_>, name: &str, more: u32) -> TermId {
    let (x, four) = (s.bv(name), s.num_of(s.width + more, 4));
    let x = s.mk(Op::ZeroExtend(more), &[x]);
    s.mk(Op::BvMul, &[four, x])
}

fn limited(s: &mut Sample<'_>, op: Op, more: u32, limit: i128) -> Option<TermId> {
    let (x, limit) = (shifted(s, "x", more), s.num_of(s.width + more, limit));
    Some(s.mk(op, &[x, limit]))
}

/// `x` against `x + k`, in this order or the other.
fn moved(s: &mut Sample<'_>, op: Op, k: i128, back: bool) -> Option<TermId> {
    let (x, k) = (s.bv("x"), s.num(k));
    let sum = s.mk(Op::BvAdd, &[x, k]);
    Some(if back { s.mk(op, &[sum, x]) } else { s.mk(op, &[x, sum]) })
}

fn remainder(s: &mut Sample<'_>, op: Op, by: i128, limit: i128) -> TermId {
    let (x, by, limit) = (s.bv("x"), s.num(by), s.num(limit));
    let rest = s.mk(Op::BvUrem, &[x, by]);
    s.mk(op, &[rest, limit])
}

/// The difference of two extended words against a limit.
fn difference(s: &mut Sample<'_>, first: Op, second: Op, limit: i128) -> Option<TermId> {
    let (x, y) = (s.bv("x"), s.bv("y"));
    let (x, y) = (s.mk(first, &[x]), s.mk(second, &[y]));
    let (minus, limit) = (s.num_of(s.width + 1, -1), s.num_of(s.width + 1, limit));
    let negated = s.mk(Op::BvMul, &[minus, y]);
    let difference = s.mk(Op::BvAdd, &[x, negated]);
    Some(s.mk(Op::BvSlt, &[difference, limit]))
}

fn negative(s: &mut Sample<'_>, op: Op) -> Option<TermId> {
    let (pair, zero) = ([s.bv("x"), s.bv("y")], s.num(0));
    let bits = s.mk(op, &pair);
    Some(s.mk(Op::BvSlt, &[bits, zero]))
}

pub(super) const RULES: &[Rule] = &[
    Rule {
        name: "order_of_shifted",
        apply: order_of_shifted,
        fires: &[
            |s| limited(s, Op::BvUlt, 2, 5),
            |s| limited(s, Op::BvUlt, 3, 4),
            |s| limited(s, Op::BvUlt, 2, -1),
            |s| limited(s, Op::BvSlt, 3, 5),
            |s| limited(s, Op::BvSlt, 3, -5),
            |s| {
                let (x, y) = (shifted(s, "x", 2), shifted(s, "y", 2));
                Some(s.mk(Op::BvUlt, &[x, y]))
            },
            |s| {
                let (x, y) = (shifted(s, "x", 3), shifted(s, "y", 3));
                Some(s.mk(Op::BvSlt, &[x, y]))
            },
        ],
        near_miss: |s| limited(s, Op::BvSlt, 2, 5),
    },
    Rule {
        name: "order_against_moved",
        apply: order_against_moved,
        fires: &[
            |s| moved(s, Op::BvSlt, 1, false),
            |s| moved(s, Op::BvSlt, 5, true),
            |s| moved(s, Op::BvSlt, -3, false),
            |s| moved(s, Op::BvUlt, 5, false),
            |s| moved(s, Op::BvUlt, 1, true),
            |s| moved(s, Op::BvUlt, -3, true),
        ],
        near_miss: |s| {
            let (x, y, k) = (s.bv("x"), s.bv("y"), s.num(1));
            let sum = s.mk(Op::BvAdd, &[y, k]);
            Some(s.mk(Op::BvSlt, &[x, sum]))
        },
    },
    Rule {
        name: "remainder_is_below",
        apply: remainder_is_below,
        fires: &[
            |s| (s.width > 2).then(|| remainder(s, Op::BvUlt, 3, 3)),
            |s| (s.width > 3).then(|| remainder(s, Op::BvSlt, 3, 5)),
            |s| (s.width > 3).then(|| remainder(s, Op::BvSlt, 3, 0)),
        ],
        near_miss: |s| (s.width > 2).then(|| remainder(s, Op::BvUlt, 3, 2)),
    },
    Rule {
        name: "sign_of_difference",
        apply: sign_of_difference,
        fires: &[
            |s| difference(s, Op::ZeroExtend(1), Op::ZeroExtend(1), 0),
            |s| difference(s, Op::SignExtend(1), Op::SignExtend(1), 0),
            |s| difference(s, Op::SignExtend(1), Op::SignExtend(1), 1),
        ],
        near_miss: |s| difference(s, Op::ZeroExtend(1), Op::SignExtend(1), 0),
    },
    Rule {
        name: "sign_of_bitwise",
        apply: sign_of_bitwise,
        fires: &[
            |s| negative(s, Op::BvAnd),
            |s| negative(s, Op::BvOr),
            |s| negative(s, Op::BvXor),
            |s| {
                let (x, zero) = (s.bv("x"), s.num(0));
                let not = s.mk(Op::BvNot, &[x]);
                Some(s.mk(Op::BvSlt, &[not, zero]))
            },
        ],
        near_miss: |s| negative(s, Op::BvAdd),
    },
    Rule {
        name: "carry_against_either",
        apply: |pool, t| {
            let (sum, y) = binary(pool, t, Op::BvUlt)?;
            let (a, b) = binary(pool, sum, Op::BvAdd)?;
            let constant = pool.as_bits(a).is_some() || pool.as_bits(b).is_some();
            (y == a.max(b) && !constant && a != b).then(|| pool.mk(Op::BvUlt, &[sum, a.min(b)]))
        },
        fires: &[|s| {
            let (x, y) = (s.bv("x"), s.bv("y"));
            let sum = s.mk(Op::BvAdd, &[x, y]);
            Some(s.mk(Op::BvUlt, &[sum, x.max(y)]))
        }],
        near_miss: |s| {
            let (x, y) = (s.bv("x"), s.bv("y"));
            let sum = s.mk(Op::BvAdd, &[x, y]);
            Some(s.mk(Op::BvUlt, &[sum, x.min(y)]))
        },
    },
];

/// `k` and the extended `x`, if the term is `2^k * x` and no bit is shifted out; for signed
/// comparisons the highest bit must be free too.
fn shifted_freely(pool: &TermPool, t: TermId, op: Op) -> Option<(u32, TermId)> {
    let (k, wide) = shift_of(pool, t)?;
    let free = pool.width(wide) - pool.width(zero_extended(pool, wide)?);
    (if op == Op::BvSlt { free > k } else { free >= k }).then_some((k, wide))
}

/// Multiples of a power of two are ordered like what they are multiples of.
fn order_of_shifted(pool: &mut TermPool, t: TermId) -> Option<TermId> {
    let (op, a, b) = less(pool, t)?;
    let (k, x) = shifted_freely(pool, a, op)?;
    if let Some((l, y)) = shifted_freely(pool, b, op) {
        return (k == l).then(|| pool.mk(Op::BvUlt, &[x, y]));
    }
    let limit = pool.as_bits(b)?;
    if op == Op::BvSlt && limit.is_negative() {
        return Some(pool.falsity());
    }
    // x * 2^k < limit if x is below limit / 2^k, rounded up.
    let width = limit.width();
    let mut quotient = limit.lshr(&Bits::new(width, k.into()));
    if limit.trailing_zeros() < k && !limit.is_zero() {
        quotient = quotient.add(&Bits::one(width));
    }
    let quotient = pool.constant_bits(&quotient);
    Some(pool.mk(Op::BvUlt, &[x, quotient]))
}

/// `x < x + k` says that `x + k` does not wrap around, which is a limit for `x`.
fn order_against_moved(pool: &mut TermPool, t: TermId) -> Option<TermId> {
    let (op, a, b) = less(pool, t)?;
    if pool.op(a) != Op::BvAdd && pool.op(b) != Op::BvAdd || pool.as_bits(b).is_some() {
        return None;
    }
    let mut difference = Polynomial::of(pool, b);
    let left = Polynomial::of(pool, a);
    difference.sub(&left);
    let by = difference.as_constant().filter(|by| !by.is_zero())?;
    let end = match op {
        Op::BvUlt => Bits::zero(by.width()),
        _ => Bits::signed_min(by.width()),
    };
    let limit = pool.constant_bits(&end.sub(&by));
    Some(pool.mk(op, &[a, limit]))
}

/// A remainder is below the divisor.
fn remainder_is_below(pool: &mut TermPool, t: TermId) -> Option<TermId> {
    let (op, a, b) = less(pool, t)?;
    let (_, divisor) = binary(pool, a, Op::BvUrem)?;
    let (divisor, limit) = (pool.as_bits(divisor)?, pool.as_bits(b)?);
    if divisor.is_zero() {
        return None;
    }
    if op == Op::BvUlt {
        return (!limit.ult(&divisor)).then(|| pool.truth());
    }
    if divisor.is_negative() {
        return None;
    }
    if limit.is_negative() || limit.is_zero() {
        return Some(pool.falsity());
    }
    (!limit.ult(&divisor)).then(|| pool.truth())
}

/// `x - y < 0` is `x < y` where the difference cannot overflow: both are extended in the same way.
fn sign_of_difference(pool: &mut TermPool, t: TermId) -> Option<TermId> {
    let (a, b) = binary(pool, t, Op::BvSlt)?;
    let limit = pool.as_bits(b).filter(|limit| limit.is_zero() || limit.is_one())?;
    // At one bit, one is negative.
    if pool.op(a) != Op::BvAdd || limit.width() < 2 {
        return None;
    }
    let difference = Polynomial::of(pool, a);
    let (mut plus, mut minus) = (None, None);
    for (monomial, coefficient) in difference.monomials() {
        let [atom] = monomial[..] else { return None };
        if coefficient.is_one() {
            plus = Some(atom);
        } else if coefficient.is_ones() {
            minus = Some(atom);
        }
    }
    let (x, y) = (plus?, minus?);
    let alike = |inner: fn(&TermPool, TermId) -> Option<TermId>| {
        inner(pool, x).is_some() && inner(pool, y).is_some()
    };
    if difference.len() != 2 || !(alike(zero_extended) || alike(sign_extended)) {
        return None;
    }
    if limit.is_zero() {
        return Some(pool.mk(Op::BvSlt, &[x, y]));
    }
    let above = pool.mk(Op::BvSlt, &[y, x]);
    Some(negate(pool, above))
}

/// The sign of a bitwise operation is the operation on the signs.
fn sign_of_bitwise(pool: &mut TermPool, t: TermId) -> Option<TermId> {
    let (bits, zero) = binary(pool, t, Op::BvSlt)?;
    if !pool.as_bits(zero)?.is_zero() {
        return None;
    }
    let operands = pool.operands(bits).to_vec();
    let op = pool.op(bits);
    if !matches!(op, Op::BvAnd | Op::BvOr | Op::BvXor | Op::BvNot) {
        return None;
    }
    let signs: Vec<TermId> = operands.into_iter().map(|p| pool.mk(Op::BvSlt, &[p, zero])).collect();
    match (op, &signs[..]) {
        (Op::BvAnd, _) => Some(pool.mk(Op::And, &signs)),
        (Op::BvOr, _) => Some(pool.mk(Op::Or, &signs)),
        (Op::BvNot, [sign]) => Some(negate(pool, *sign)),
        (_, [a, b]) => {
            let equal = pool.mk(Op::Eq, &[*a, *b]);
            Some(negate(pool, equal))
        }
        _ => None,
    }
}
