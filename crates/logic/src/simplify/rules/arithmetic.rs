//! Sums, products, shifts and divisions.

use super::super::polynomial::Polynomial;
use super::slices::{extract, shift_of, zero_extended};
use super::{Rule, Sample, binary, low_bits, sign_extend, unary, zero_extend};
use crate::bits::Bits;
use crate::op::Op;
use crate::term::{TermId, TermPool};

fn with_constant(s: &mut Sample<'_>, op: Op, constant: i128) -> TermId {
    let operands = [s.bv("x"), s.num(constant)];
    s.mk(op, &operands)
}

pub(super) const RULES: &[Rule] = &[
    Rule {
        name: "sum_of_products",
        apply: sum_of_products,
        fires: &[
            |s| {
                let (x, y, z) = (s.bv("x"), s.bv("y"), s.bv("z"));
                let sum = s.mk(Op::BvAdd, &[x, y]);
                Some(s.mk(Op::BvMul, &[sum, z]))
            },
            |s| Some(s.bv("x")).map(|x| s.mk(Op::BvAdd, &[x, x])),
            |s| {
                let (x, one) = (s.bv("x"), s.num(1));
                let not = s.mk(Op::BvNot, &[x]);
                Some(s.mk(Op::BvAdd, &[not, one]))
            },
            |s| {
                let (x, y) = (s.bv("x"), s.bv("y"));
                let (sum, minus) = (s.mk(Op::BvAdd, &[x, y]), s.num(-1));
                let negated = s.mk(Op::BvMul, &[minus, y]);
                Some(s.mk(Op::BvAdd, &[sum, negated]))
            },
        ],
        near_miss: |s| Some([s.bv("x"), s.bv("y")]).map(|pair| s.mk(Op::BvAdd, &pair)),
    },
    Rule {
        name: "complement_of_sum",
        apply: |pool, t| {
            let x = unary(pool, t, Op::BvNot)?;
            if !matches!(pool.op(x), Op::BvAdd | Op::BvMul) {
                return None;
            }
            let result = Polynomial::of(pool, t).to_term(pool);
            (result != t).then_some(result)
        },
        fires: &[|s| {
            let sum = with_constant(s, Op::BvAdd, 5);
            Some(s.mk(Op::BvNot, &[sum]))
        }],
        near_miss: |s| Some(s.bv("x")).map(|x| s.mk(Op::BvNot, &[x])),
    },
    Rule {
        name: "high_bits_are_shifted_out",
        apply: high_bits_are_shifted_out,
        fires: &[|s| {
            let width = s.width + 2;
            let (x, four) = (s.bv_of(width, "x"), s.num_of(width, 4));
            let low = s.mk(Op::Extract { high: s.width - 1, low: 0 }, &[x]);
            let extended = s.mk(Op::ZeroExtend(2), &[low]);
            Some(s.mk(Op::BvMul, &[four, extended]))
        }],
        near_miss: |s| {
            let width = s.width + 2;
            let (x, two) = (s.bv_of(width, "x"), s.num_of(width, 2));
            let low = s.mk(Op::Extract { high: s.width - 1, low: 0 }, &[x]);
            let extended = s.mk(Op::ZeroExtend(2), &[low]);
            Some(s.mk(Op::BvMul, &[two, extended]))
        },
    },
    Rule {
        name: "constant_shift",
        apply: constant_shift,
        fires: &[
            |s| Some(with_constant(s, Op::BvShl, 1)),
            |s| Some(with_constant(s, Op::BvLshr, 0)),
            |s| Some(with_constant(s, Op::BvLshr, 1)),
            |s| Some(with_constant(s, Op::BvAshr, 1)),
            |s| (s.width > 3).then(|| with_constant(s, Op::BvAshr, 7)),
            |s| (s.width > 2).then(|| with_constant(s, Op::BvLshr, -1)),
        ],
        near_miss: |s| Some([s.bv("x"), s.bv("y")]).map(|pair| s.mk(Op::BvShl, &pair)),
    },
    Rule {
        name: "shift_of_nothing",
        apply: |pool, t| match pool.op(t) {
            Op::BvShl | Op::BvLshr | Op::BvAshr => {
                let x = pool.operands(t)[0];
                pool.as_bits(x).filter(Bits::is_zero).map(|_| x)
            }
            _ => None,
        },
        fires: &[|s| Some([s.num(0), s.bv("y")]).map(|pair| s.mk(Op::BvLshr, &pair))],
        near_miss: |s| Some([s.num(1), s.bv("y")]).map(|pair| s.mk(Op::BvLshr, &pair)),
    },
    Rule {
        name: "division_by_power_of_two",
        apply: division_by_power_of_two,
        fires: &[
            |s| Some(with_constant(s, Op::BvUdiv, 1)),
            |s| Some(with_constant(s, Op::BvUrem, 1)),
            |s| (s.width > 1).then(|| with_constant(s, Op::BvUdiv, 2)),
            |s| (s.width > 2).then(|| with_constant(s, Op::BvUrem, 4)),
            |s| Some(with_constant(s, Op::BvSdiv, 1)),
            |s| Some(with_constant(s, Op::BvSdiv, -1)),
            |s| Some(with_constant(s, Op::BvSrem, -1)),
        ],
        near_miss: |s| {
            let operands = [s.bv_of(s.width + 2, "x"), s.num_of(s.width + 2, 2)];
            Some(s.mk(Op::BvSdiv, &operands))
        },
    },
    Rule {
        name: "signed_division_of_unsigned",
        apply: |pool, t| {
            let op = match pool.op(t) {
                Op::BvSdiv => Op::BvUdiv,
                Op::BvSrem => Op::BvUrem,
                _ => return None,
            };
            let (a, b) = binary(pool, t, pool.op(t))?;
            let unsigned = |p: TermId| {
                zero_extended(pool, p).is_some()
                    || pool.as_bits(p).is_some_and(|value| !value.is_negative())
            };
            (unsigned(a) && unsigned(b)).then(|| pool.mk(op, &[a, b]))
        },
        fires: &[|s| {
            let (x, y) = (s.bv("x"), s.bv("y"));
            let (x, y) = (s.mk(Op::ZeroExtend(1), &[x]), s.mk(Op::ZeroExtend(2), &[y]));
            let x = s.mk(Op::ZeroExtend(1), &[x]);
            Some(s.mk(Op::BvSrem, &[x, y]))
        }],
        near_miss: |s| {
            let (x, y) = (s.bv("x"), s.bv("y"));
            let (x, y) = (s.mk(Op::ZeroExtend(1), &[x]), s.mk(Op::SignExtend(1), &[y]));
            Some(s.mk(Op::BvSrem, &[x, y]))
        },
    },
];

fn sum_of_products(pool: &mut TermPool, t: TermId) -> Option<TermId> {
    if !matches!(pool.op(t), Op::BvAdd | Op::BvMul) {
        return None;
    }
    let result = Polynomial::of(pool, t).to_term(pool);
    (result != t).then_some(result)
}

/// In `2^k * x` the highest `k` bits of `x` do not matter: `x` need not be cut off.
fn high_bits_are_shifted_out(pool: &mut TermPool, t: TermId) -> Option<TermId> {
    let (k, cut) = shift_of(pool, t)?;
    let inner = match pool.op(cut) {
        Op::ZeroExtend(_) | Op::SignExtend(_) => pool.operands(cut)[0],
        _ => return None,
    };
    let (high, low, x) = extract(pool, inner)?;
    let width = pool.width(t);
    if low != 0 || pool.width(x) != width || high + 1 + k < width {
        return None;
    }
    let factor = pool.constant_bits(&Bits::power_of_two(width, k));
    Some(pool.mk(Op::BvMul, &[factor, x]))
}

fn constant_shift(pool: &mut TermPool, t: TermId) -> Option<TermId> {
    let op = pool.op(t);
    if !matches!(op, Op::BvShl | Op::BvLshr | Op::BvAshr) {
        return None;
    }
    let (x, amount) = binary(pool, t, op)?;
    let amount = pool.as_bits(amount)?;
    let width = amount.width();
    let k = amount.to_u64().filter(|k| *k < width.into()).map(|k| k as u32);
    Some(match (op, k) {
        (_, Some(0)) => x,
        (Op::BvShl, Some(k)) => {
            let factor = pool.constant_bits(&Bits::power_of_two(width, k));
            pool.mk(Op::BvMul, &[factor, x])
        }
        (Op::BvLshr, Some(k)) => {
            let part = pool.mk(Op::Extract { high: width - 1, low: k }, &[x]);
            zero_extend(pool, part, width)
        }
        (Op::BvAshr, k) => {
            let low = k.unwrap_or(width - 1);
            let part = pool.mk(Op::Extract { high: width - 1, low }, &[x]);
            sign_extend(pool, part, width)
        }
        _ => pool.constant_bits(&Bits::zero(width)),
    })
}

fn division_by_power_of_two(pool: &mut TermPool, t: TermId) -> Option<TermId> {
    let op = pool.op(t);
    if !matches!(op, Op::BvUdiv | Op::BvUrem | Op::BvSdiv | Op::BvSrem) {
        return None;
    }
    let (x, divisor) = binary(pool, t, op)?;
    let divisor = pool.as_bits(divisor)?;
    let width = divisor.width();
    let zero = Bits::zero(width);
    match op {
        Op::BvUdiv => {
            let amount = pool.constant_bits(&Bits::new(width, divisor.log2()?.into()));
            Some(pool.mk(Op::BvLshr, &[x, amount]))
        }
        Op::BvUrem => match divisor.log2()? {
            0 => Some(pool.constant_bits(&zero)),
            k => {
                let part = low_bits(pool, x, k);
                Some(zero_extend(pool, part, width))
            }
        },
        Op::BvSdiv if divisor.is_ones() => {
            let minus_one = pool.constant_bits(&divisor);
            Some(pool.mk(Op::BvMul, &[minus_one, x]))
        }
        Op::BvSdiv if divisor.is_one() => Some(x),
        Op::BvSrem if divisor.is_one() || divisor.is_ones() => Some(pool.constant_bits(&zero)),
        _ => None,
    }
}
