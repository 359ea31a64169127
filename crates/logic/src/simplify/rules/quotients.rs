//! Quotients: what is left of them, and what they are compared with.

use super::super::polynomial::Polynomial;
use super::slices::zero_extended;
use super::{Rule, Sample, binary, negate, zero_extend};
use crate::bits::Bits;
use crate::op::Op;
use crate::term::{TermId, TermPool};

/// `a * x + b * (x / divisor)`.
fn rest(s: &mut Sample<'_>, op: Op, a: i128, b: i128, divisor: TermId) -> TermId {
    let x = s.bv("x");
    let quotient = s.mk(op, &[x, divisor]);
    let (a, b) = (s.num(a), s.num(b));
    let parts = [s.mk(Op::BvMul, &[a, x]), s.mk(Op::BvMul, &[b, quotient])];
    s.mk(Op::BvAdd, &parts)
}

/// `x / 3 op k`.
fn third(s: &mut Sample<'_>, op: Op, k: i128) -> Option<TermId> {
    let operands = [s.bv("x"), s.num(3)];
    let pair = [s.mk(Op::BvUdiv, &operands), s.num(k)];
    (s.width > 2).then(|| s.mk(op, &pair))
}

/// A word of the width extended by zeros, divided by a constant.
fn extended_by(s: &mut Sample<'_>, op: Op, by: i128) -> Option<TermId> {
    let (x, by) = (s.bv("x"), s.num_of(s.width + 2, by));
    let wide = s.mk(Op::ZeroExtend(2), &[x]);
    (s.width > 2).then(|| s.mk(op, &[wide, by]))
}

/// `x / a / b`, both constants.
fn twice(s: &mut Sample<'_>, op: Op, a: i128, b: i128) -> Option<TermId> {
    let (x, a, b) = (s.bv("x"), s.num(a), s.num(b));
    let first = s.mk(op, &[x, a]);
    (s.width > 3).then(|| s.mk(op, &[first, b]))
}

/// A signed quotient `x / 3` and a constant, in this order or the other one.
fn signed_third(s: &mut Sample<'_>, op: Op, k: i128, constant_first: bool) -> Option<TermId> {
    let operands = [s.bv("x"), s.num(3)];
    let mut pair = [s.mk(Op::BvSdiv, &operands), s.num(k)];
    if constant_first {
        pair.reverse();
    }
    (s.width > 2).then(|| s.mk(op, &pair))
}

pub(super) const RULES: &[Rule] = &[
    Rule {
        name: "quotient_of_quotient",
        apply: quotient_of_quotient,
        fires: &[
            |s| twice(s, Op::BvUdiv, 2, 3),
            |s| twice(s, Op::BvUdiv, 5, -1),
            |s| twice(s, Op::BvSdiv, 2, 3),
        ],
        // The product does not fit.
        near_miss: |s| {
            let most = (1 << (s.width - 1)) - 1;
            twice(s, Op::BvSdiv, 2, most)
        },
    },
    Rule {
        name: "signed_quotient_below",
        apply: signed_quotient_below,
        fires: &[
            |s| signed_third(s, Op::BvSlt, 1, false),
            |s| signed_third(s, Op::BvSlt, 0, false),
            |s| signed_third(s, Op::BvSlt, -1, false),
            |s| signed_third(s, Op::BvSlt, 0, true),
            |s| signed_third(s, Op::BvSlt, 1, true),
            |s| signed_third(s, Op::BvSlt, -1, true),
            |s| signed_third(s, Op::BvSlt, (1 << (s.width - 1)) - 1, false),
            |s| signed_third(s, Op::BvSlt, (1 << (s.width - 1)) - 1, true),
            |s| signed_third(s, Op::BvSlt, -(1 << (s.width - 1)), true),
        ],
        near_miss: |s| signed_third(s, Op::BvUlt, 2, false),
    },
    Rule {
        name: "rest_of_division",
        apply: rest_of_division,
        fires: &[
            |s| Some(s.num(3)).filter(|_| s.width > 2).map(|by| rest(s, Op::BvUdiv, 1, -3, by)),
            |s| Some(s.num(3)).filter(|_| s.width > 2).map(|by| rest(s, Op::BvSdiv, 5, -15, by)),
            // Division by what is not constant: no solver can do that for wide numbers.
            |s| {
                let (x, y) = (s.bv("x"), s.bv("y"));
                let quotient = s.mk(Op::BvSdiv, &[x, y]);
                let minus = s.num(-1);
                let product = s.mk(Op::BvMul, &[minus, y, quotient]);
                (s.width <= 8).then(|| s.mk(Op::BvAdd, &[x, product]))
            },
        ],
        near_miss: |s| {
            Some(s.num(3)).filter(|_| s.width > 2).map(|by| rest(s, Op::BvUdiv, 1, 3, by))
        },
    },
    Rule {
        name: "division_of_extension",
        apply: division_of_extension,
        fires: &[
            |s| extended_by(s, Op::BvUdiv, 3),
            |s| extended_by(s, Op::BvUrem, 3),
            |s| extended_by(s, Op::BvUdiv, -1),
            |s| extended_by(s, Op::BvUrem, -1),
        ],
        near_miss: |s| extended_by(s, Op::BvSdiv, 3),
    },
    Rule {
        name: "quotient_below_constant",
        apply: quotient_below_constant,
        fires: &[|s| third(s, Op::BvUlt, 2), |s| third(s, Op::BvUlt, -1)],
        near_miss: |s| third(s, Op::BvSlt, 2),
    },
    Rule {
        name: "quotient_is_constant",
        apply: quotient_is_constant,
        fires: &[|s| third(s, Op::Eq, 0), |s| third(s, Op::Eq, 1), |s| third(s, Op::Eq, -1)],
        near_miss: |s| {
            let operands = [s.bv("x"), s.bv("y")];
            let pair = [s.mk(Op::BvUdiv, &operands), s.num(1)];
            Some(s.mk(Op::Eq, &pair))
        },
    },
];

/// `x - y * (x / y)` is `x % y`, signed and unsigned, with `y = 0` and overflow too: SMT-LIB has `x % 0 = x`.
fn rest_of_division(pool: &mut TermPool, t: TermId) -> Option<TermId> {
    if pool.op(t) != Op::BvAdd {
        return None;
    }
    let operands = pool.operands(t);
    let divides = |t: &TermId| matches!(pool.op(*t), Op::BvUdiv | Op::BvSdiv);
    // Looked for in vain nearly always: before anything is computed.
    let any = |t: &TermId| match pool.op(*t) {
        Op::BvMul => pool.operands(*t).iter().any(divides),
        _ => divides(t),
    };
    if !operands.iter().any(any) {
        return None;
    }
    let mut sum = Polynomial::of(pool, t);
    let monomials: Vec<(Vec<TermId>, Bits)> =
        sum.monomials().map(|(m, c)| (m.clone(), c.clone())).collect();
    for (monomial, coefficient) in &monomials {
        for quotient in monomial {
            let (x, y, remainder) = match (pool.op(*quotient), pool.operands(*quotient)) {
                (Op::BvUdiv, &[x, y]) => (x, y, Op::BvUrem),
                (Op::BvSdiv, &[x, y]) => (x, y, Op::BvSrem),
                _ => continue,
            };
            // What the quotient is multiplied with must be the divisor times the factor of x.
            let mut product = Polynomial::of(pool, y);
            let divided = pool.mk(Op::BvMul, &[x]);
            let Some((of_x, factor)) = monomials.iter().find(|(m, _)| m[..] == [divided]) else {
                continue;
            };
            product.scale(&factor.neg());
            let others: Vec<TermId> = {
                let mut others = monomial.clone();
                others.remove(others.iter().position(|t| t == quotient)?);
                others
            };
            let is_product = product.len() == 1
                && product.monomials().all(|(m, c)| *m == others && c == coefficient);
            if !is_product {
                continue;
            }
            sum = sum.filtered(|m, _| m != monomial && m != of_x);
            let remainder = pool.mk(remainder, &[x, y]);
            let mut rest = Polynomial::of(pool, remainder);
            rest.scale(factor);
            sum.add(&rest);
            return Some(sum.to_term(pool));
        }
    }
    None
}

/// What was extended by zeros is divided before it is extended; a divisor that is larger than all such numbers leaves all of it.
fn division_of_extension(pool: &mut TermPool, t: TermId) -> Option<TermId> {
    let op = pool.op(t);
    if !matches!(op, Op::BvUdiv | Op::BvUrem) {
        return None;
    }
    let (wide, divisor) = binary(pool, t, op)?;
    let divisor = pool.as_bits(divisor)?;
    let x = zero_extended(pool, wide)?;
    let (narrow, width) = (pool.width(x), pool.width(t));
    if divisor.is_zero() {
        return None;
    }
    if divisor.leading_zeros() < width - narrow {
        return Some(match op {
            Op::BvUrem => wide,
            _ => pool.constant_bits(&Bits::zero(width)),
        });
    }
    let divisor = pool.constant_bits(&divisor.extract(narrow - 1, 0));
    let divided = pool.mk(op, &[x, divisor]);
    Some(zero_extend(pool, divided, width))
}

/// The dividend and the constant divisor of an unsigned quotient.
fn by_constant(pool: &TermPool, t: TermId) -> Option<(TermId, Bits)> {
    let (x, divisor) = binary(pool, t, Op::BvUdiv)?;
    let divisor = pool.as_bits(divisor)?;
    (!divisor.is_zero()).then_some((x, divisor))
}

/// `(x / a) / b` is `x / (a * b)`: quotients are rounded down, or towards zero for signed numbers and positive divisors.
/// If the product does not fit, an unsigned quotient is zero; of a signed one nothing is said.
fn quotient_of_quotient(pool: &mut TermPool, t: TermId) -> Option<TermId> {
    let op = pool.op(t);
    if !matches!(op, Op::BvUdiv | Op::BvSdiv) {
        return None;
    }
    let (first, b) = binary(pool, t, op)?;
    let (x, a) = binary(pool, first, op)?;
    let (a, b) = (pool.as_bits(a)?, pool.as_bits(b)?);
    let signed = op == Op::BvSdiv;
    let usable = |c: &Bits| !(c.is_zero() || signed && c.is_negative());
    if !usable(&a) || !usable(&b) {
        return None;
    }
    match times(&a, &b) {
        Some(product) if !signed || !product.is_negative() => {
            let product = pool.constant_bits(&product);
            Some(pool.mk(op, &[x, product]))
        }
        None if !signed => Some(pool.constant_bits(&Bits::zero(a.width()))),
        _ => None,
    }
}

/// Signed `x / c < k` and `k < x / c` for a constant c > 0: quotients are rounded towards zero, so
/// `x / c <= m` is `x < (m + 1) * c` for m >= 0 and `x <= m * c` for m < 0.
fn signed_quotient_below(pool: &mut TermPool, t: TermId) -> Option<TermId> {
    let (left, right) = binary(pool, t, Op::BvSlt)?;
    let width = pool.width(left);
    let number = |t: TermId| pool.as_bits(t).and_then(|bits| bits.to_i128());
    if width > 64 {
        return None;
    }
    // m of `x / c <= m`, or of its negation.
    let (quotient, most, negated) = match (number(left), number(right)) {
        (None, Some(k)) => (left, k - 1, false),
        (Some(k), None) => (right, k, true),
        _ => return None,
    };
    let (x, c) = binary(pool, quotient, Op::BvSdiv)?;
    let c = pool.as_bits(c)?.to_i128().filter(|c| *c > 0)?;
    // `x < bound`, in numbers that do not wrap.
    let bound = if most >= 0 { (most + 1) * c } else { most * c + 1 };
    let half = 1_i128 << (width - 1);
    let holds = if bound >= half {
        pool.truth()
    } else if bound <= -half {
        pool.falsity()
    } else {
        let bound = pool.constant_bits(&Bits::from_signed(width, bound));
        pool.mk(Op::BvSlt, &[x, bound])
    };
    Some(if negated { negate(pool, holds) } else { holds })
}

/// `k * c`, unless that is too large.
fn times(k: &Bits, c: &Bits) -> Option<Bits> {
    let product = k.mul(c);
    (product.udiv(c) == *k).then_some(product)
}

/// `x / c < k` is `x < k * c`, which holds of all x if it is too large.
fn quotient_below_constant(pool: &mut TermPool, t: TermId) -> Option<TermId> {
    let (quotient, k) = binary(pool, t, Op::BvUlt)?;
    let (x, c) = by_constant(pool, quotient)?;
    let k = pool.as_bits(k)?;
    Some(match times(&k, &c) {
        Some(bound) => {
            let bound = pool.constant_bits(&bound);
            pool.mk(Op::BvUlt, &[x, bound])
        }
        None => pool.truth(),
    })
}

/// `x / c = k` is `k * c <= x < (k + 1) * c`.
fn quotient_is_constant(pool: &mut TermPool, t: TermId) -> Option<TermId> {
    let (a, b) = binary(pool, t, Op::Eq)?;
    let (quotient, k) = if pool.as_bits(b).is_some() { (a, b) } else { (b, a) };
    let (x, c) = by_constant(pool, quotient)?;
    let k = pool.as_bits(k)?;
    let Some(least) = times(&k, &c) else { return Some(pool.falsity()) };
    let next = least.add(&c);
    let mut parts = vec![];
    if !least.is_zero() {
        let least = pool.constant_bits(&least);
        let below = pool.mk(Op::BvUlt, &[x, least]);
        parts.push(negate(pool, below));
    }
    // Otherwise the next multiple is beyond all numbers of this width.
    if least.ult(&next) {
        let next = pool.constant_bits(&next);
        parts.push(pool.mk(Op::BvUlt, &[x, next]));
    }
    Some(match parts[..] {
        [] => pool.truth(),
        [one] => one,
        _ => pool.mk(Op::And, &parts),
    })
}
