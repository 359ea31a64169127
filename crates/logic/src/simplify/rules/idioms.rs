//! Idioms: sums and bit operations that stand for each other.

use super::super::polynomial::Polynomial;
use super::slices::{extract, zero_extended};
use super::{Rule, Sample, binary, low_bits, sign_extend, unary, zero_extend};
use crate::bits::Bits;
use crate::op::Op;
use crate::term::{TermId, TermPool};

/// `a * (x left y) + b * (x right y)`.
fn mixed(s: &mut Sample<'_>, (a, left): (i128, Op), (b, right): (i128, Op)) -> TermId {
    let pair = [s.bv("x"), s.bv("y")];
    let (left, right) = (s.mk(left, &pair), s.mk(right, &pair));
    let (a, b) = (s.num(a), s.num(b));
    let (left, right) = (s.mk(Op::BvMul, &[a, left]), s.mk(Op::BvMul, &[b, right]));
    s.mk(Op::BvAdd, &[left, right])
}

/// `z ^ (x & (y ^ other))`.
fn choice(s: &mut Sample<'_>, other: &str) -> TermId {
    let (x, y, z, other) = (s.bv("x"), s.bv("y"), s.bv("z"), s.bv(other));
    let differ = s.mk(Op::BvXor, &[y, other]);
    let chosen = s.mk(Op::BvAnd, &[x, differ]);
    s.mk(Op::BvXor, &[z, chosen])
}

/// `(x ^ sign) - sign` for a word of the width, extended by zeros.
fn unbiased(s: &mut Sample<'_>, op: Op, bias: i128) -> Option<TermId> {
    let (x, sign) = (s.bv("x"), s.pool.constant_bits(&Bits::signed_min(s.width)));
    let flipped = s.mk(op, &[x, sign]);
    let wide = s.mk(Op::ZeroExtend(3), &[flipped]);
    let sign = s.num_of(s.width + 3, -(1 << (s.width - 1)) + bias);
    Some(s.mk(Op::BvAdd, &[wide, sign]))
}

/// The sum of two words of the width, extended by three bits.
fn wide_sum(s: &mut Sample<'_>) -> TermId {
    let (x, y) = (s.bv("x"), s.bv("y"));
    let (x, y) = (s.mk(Op::ZeroExtend(3), &[x]), s.mk(Op::ZeroExtend(3), &[y]));
    s.mk(Op::BvAdd, &[x, y])
}

pub(super) const RULES: &[Rule] = &[
    Rule {
        name: "sum_of_bitwise",
        apply: sum_of_bitwise,
        fires: &[
            |s| (s.width > 2).then(|| mixed(s, (2, Op::BvAnd), (1, Op::BvXor))),
            |s| (s.width > 2).then(|| mixed(s, (3, Op::BvAnd), (3, Op::BvXor))),
            |s| (s.width > 2).then(|| mixed(s, (3, Op::BvAnd), (3, Op::BvOr))),
            |s| (s.width > 2).then(|| mixed(s, (3, Op::BvOr), (-3, Op::BvXor))),
            |s| (s.width > 2).then(|| mixed(s, (2, Op::BvOr), (-1, Op::BvXor))),
        ],
        near_miss: |s| (s.width > 2).then(|| mixed(s, (2, Op::BvAnd), (3, Op::BvXor))),
    },
    Rule {
        name: "choice_of_bits",
        apply: choice_of_bits,
        fires: &[|s| Some(choice(s, "z"))],
        near_miss: |s| Some(choice(s, "u")),
    },
    Rule {
        name: "bitwise_absorb",
        apply: bitwise_absorb,
        fires: &[
            |s| {
                let (x, y) = (s.bv("x"), s.bv("y"));
                let either = s.mk(Op::BvOr, &[x, y]);
                Some(s.mk(Op::BvAnd, &[x, either]))
            },
            |s| {
                let (x, y) = (s.bv("x"), s.bv("y"));
                let not = s.mk(Op::BvNot, &[x]);
                let both = s.mk(Op::BvAnd, &[not, y]);
                Some(s.mk(Op::BvOr, &[x, both]))
            },
        ],
        near_miss: |s| {
            let (x, y, z) = (s.bv("x"), s.bv("y"), s.bv("z"));
            let either = s.mk(Op::BvOr, &[x, y]);
            Some(s.mk(Op::BvAnd, &[z, either]))
        },
    },
    Rule {
        name: "bitwise_on_extensions",
        apply: bitwise_on_extensions,
        fires: &[
            |s| {
                let (x, y) = (s.bv("x"), s.bv_of(s.width + 1, "y"));
                let (x, y) = (s.mk(Op::ZeroExtend(3), &[x]), s.mk(Op::ZeroExtend(2), &[y]));
                Some(s.mk(Op::BvXor, &[x, y]))
            },
            |s| {
                let (x, k) = (s.bv("x"), s.num_of(s.width + 3, 1));
                let x = s.mk(Op::ZeroExtend(3), &[x]);
                Some(s.mk(Op::BvOr, &[x, k]))
            },
            |s| {
                let (x, y) = (s.bv("x"), s.bv_of(s.width + 3, "y"));
                let x = s.mk(Op::ZeroExtend(3), &[x]);
                Some(s.mk(Op::BvAnd, &[x, y]))
            },
        ],
        near_miss: |s| {
            let (x, y) = (s.bv("x"), s.bv_of(s.width + 3, "y"));
            let x = s.mk(Op::ZeroExtend(3), &[x]);
            Some(s.mk(Op::BvXor, &[x, y]))
        },
    },
    Rule {
        name: "bias_is_sign_extension",
        apply: bias_is_sign_extension,
        fires: &[|s| unbiased(s, Op::BvXor, 0), |s| unbiased(s, Op::BvAdd, 0)],
        near_miss: |s| unbiased(s, Op::BvXor, 1),
    },
    Rule {
        name: "carry_of_a_sum",
        apply: carry_of_a_sum,
        fires: &[
            |s| Some(wide_sum(s)).map(|sum| top(s, sum, s.width)),
            |s| Some(wide_sum(s)).map(|sum| top(s, sum, s.width + 1)),
        ],
        near_miss: |s| Some(wide_sum(s)).map(|sum| top(s, sum, s.width - 1)),
    },
    Rule {
        name: "signed_division_by_power_of_two",
        apply: signed_division_by_power_of_two,
        fires: &[
            |s| (s.width > 2).then(|| divided(s, Op::BvSdiv, 2)),
            |s| (s.width > 3).then(|| divided(s, Op::BvSdiv, 4)),
        ],
        near_miss: |s| Some(divided(s, Op::BvSdiv, 3)),
    },
];

/// All bits of a term from one on.
fn top(s: &mut Sample<'_>, term: TermId, low: u32) -> TermId {
    let high = s.pool.width(term) - 1;
    s.mk(Op::Extract { high, low }, &[term])
}

fn divided(s: &mut Sample<'_>, op: Op, by: i128) -> TermId {
    let operands = [s.bv("x"), s.num(by)];
    s.mk(op, &operands)
}

/// `x + y = (x ^ y) + 2 * (x & y) = (x | y) + (x & y)`, and what follows from it: a sum that has two of the
/// three operators on the same words in the right proportion.
fn sum_of_bitwise(pool: &mut TermPool, t: TermId) -> Option<TermId> {
    if pool.op(t) != Op::BvAdd {
        return None;
    }
    let bitwise = |pool: &TermPool, m: TermId| {
        let atom = binary(pool, m, Op::BvMul)
            .map_or(m, |(a, b)| if pool.as_bits(a).is_some() { b } else { a });
        matches!(pool.op(atom), Op::BvAnd | Op::BvOr | Op::BvXor)
    };
    if pool.operands(t).iter().filter(|m| bitwise(pool, **m)).count() < 2 {
        return None;
    }
    let sum = Polynomial::of(pool, t);
    let mut found: Vec<(TermId, Bits)> = Vec::new();
    for (monomial, coefficient) in sum.monomials() {
        if let [atom] = monomial[..]
            && matches!(pool.op(atom), Op::BvAnd | Op::BvOr | Op::BvXor)
        {
            found.push((atom, coefficient.clone()));
        }
    }
    for (first, a) in &found {
        for (second, b) in &found {
            let (x, y) = match pool.operands(*first) {
                &[x, y] if pool.operands(*second) == [x, y] => (x, y),
                _ => continue,
            };
            let doubled = |c: &Bits| c.add(c);
            let plain = |pool: &mut TermPool, factor: &Bits| {
                let factor = pool.constant_bits(factor);
                let (x, y) = (pool.mk(Op::BvMul, &[factor, x]), pool.mk(Op::BvMul, &[factor, y]));
                pool.mk(Op::BvAdd, &[x, y])
            };
            let one = |pool: &mut TermPool, op: Op, factor: &Bits| {
                let factor = pool.constant_bits(factor);
                let bits = pool.mk(op, &[x, y]);
                pool.mk(Op::BvMul, &[factor, bits])
            };
            let joined = match (pool.op(*first), pool.op(*second)) {
                (Op::BvAnd, Op::BvXor) if *a == doubled(b) => plain(pool, b),
                (Op::BvAnd, Op::BvXor) if a == b => one(pool, Op::BvOr, b),
                (Op::BvAnd, Op::BvOr) if a == b => plain(pool, b),
                (Op::BvOr, Op::BvXor) if *a == b.neg() => one(pool, Op::BvAnd, a),
                (Op::BvOr, Op::BvXor) if *a == doubled(b).neg() => plain(pool, &b.neg()),
                _ => continue,
            };
            let rest = sum.filtered(|m, _| m[..] != [*first] && m[..] != [*second]);
            let rest = rest.to_term(pool);
            return Some(pool.mk(Op::BvAdd, &[rest, joined]));
        }
    }
    None
}

/// `z ^ (x & (y ^ z))` takes the bits of `y` where `x` has ones, else those of `z`.
fn choice_of_bits(pool: &mut TermPool, t: TermId) -> Option<TermId> {
    let (a, b) = binary(pool, t, Op::BvXor)?;
    for (z, chosen) in [(a, b), (b, a)] {
        let Some((p, q)) = binary(pool, chosen, Op::BvAnd) else { continue };
        for (x, differ) in [(p, q), (q, p)] {
            let Some((u, v)) = binary(pool, differ, Op::BvXor) else { continue };
            let y = match (u == z, v == z) {
                (true, _) => v,
                (_, true) => u,
                _ => continue,
            };
            let not = pool.mk(Op::BvNot, &[x]);
            let (ones, zeros) = (pool.mk(Op::BvAnd, &[x, y]), pool.mk(Op::BvAnd, &[not, z]));
            return Some(pool.mk(Op::BvOr, &[ones, zeros]));
        }
    }
    None
}

/// `a & (a | b)` is `a`, and `a & (~a | b)` is `a & b`; likewise with the operators exchanged.
fn bitwise_absorb(pool: &mut TermPool, t: TermId) -> Option<TermId> {
    let op = pool.op(t);
    let dual = match op {
        Op::BvAnd => Op::BvOr,
        Op::BvOr => Op::BvAnd,
        _ => return None,
    };
    let operands = pool.operands(t).to_vec();
    for (position, operand) in operands.iter().enumerate() {
        if pool.op(*operand) != dual {
            continue;
        }
        let inner = pool.operands(*operand).to_vec();
        let others = || operands.iter().filter(|p| *p != operand);
        let mut result = operands.clone();
        if inner.iter().any(|p| others().any(|q| p == q)) {
            result.remove(position);
            return Some(pool.mk(op, &result));
        }
        let complement = |p: TermId, q: TermId| {
            unary(pool, p, Op::BvNot) == Some(q) || unary(pool, q, Op::BvNot) == Some(p)
        };
        let kept: Vec<TermId> =
            inner.iter().copied().filter(|p| !others().any(|q| complement(*p, *q))).collect();
        if kept.len() < inner.len() {
            let width = pool.width(t);
            result[position] = match (kept.as_slice(), dual) {
                ([], Op::BvAnd) => pool.constant_bits(&Bits::ones(width)),
                ([], _) => pool.constant_bits(&Bits::zero(width)),
                _ => pool.mk(dual, &kept),
            };
            return Some(pool.mk(op, &result));
        }
    }
    None
}

/// Bit operations on extended words are done before they are extended.
fn bitwise_on_extensions(pool: &mut TermPool, t: TermId) -> Option<TermId> {
    let op = pool.op(t);
    if !matches!(op, Op::BvAnd | Op::BvOr | Op::BvXor) {
        return None;
    }
    let operands = pool.operands(t).to_vec();
    if !operands.iter().any(|p| zero_extended(pool, *p).is_some()) {
        return None;
    }
    // How many of the low bits an operand may have set.
    let used = |p: &TermId| match (zero_extended(pool, *p), pool.as_bits(*p)) {
        (Some(x), _) => pool.width(x),
        (_, Some(value)) => value.width() - value.leading_zeros(),
        _ => pool.width(*p),
    };
    let widths = operands.iter().map(used);
    let narrow = if op == Op::BvAnd { widths.min()? } else { widths.max()? };
    let width = pool.width(t);
    if narrow == 0 || narrow == width {
        return None;
    }
    let narrowed: Vec<TermId> = operands.into_iter().map(|p| low_bits(pool, p, narrow)).collect();
    let result = pool.mk(op, &narrowed);
    Some(zero_extend(pool, result, width))
}

/// `(x ^ sign) - sign`, where `sign` is the highest bit of `x`, extends `x` by its sign.
fn bias_is_sign_extension(pool: &mut TermPool, t: TermId) -> Option<TermId> {
    let (a, b) = binary(pool, t, Op::BvAdd)?;
    let (wide, bias) = match (pool.as_bits(a), pool.as_bits(b)) {
        (None, Some(bias)) => (a, bias),
        (Some(bias), None) => (b, bias),
        _ => return None,
    };
    let flipped = zero_extended(pool, wide)?;
    if !matches!(pool.op(flipped), Op::BvXor | Op::BvAdd) {
        return None;
    }
    let narrow = pool.width(flipped);
    let sign = Bits::signed_min(narrow);
    if bias != sign.sign_extend_to(bias.width()) {
        return None;
    }
    let mut rest = pool.operands(flipped).to_vec();
    let position = rest.iter().position(|p| pool.as_bits(*p).as_ref() == Some(&sign))?;
    rest.remove(position);
    let x = pool.mk(pool.op(flipped), &rest);
    Some(sign_extend(pool, x, bias.width()))
}

/// What two words of `n` bits carry over: the bits above `n` of their sum.
fn carry_of_a_sum(pool: &mut TermPool, t: TermId) -> Option<TermId> {
    let (high, low, sum) = extract(pool, t)?;
    let (a, b) = binary(pool, sum, Op::BvAdd)?;
    let (a, b) = (zero_extended(pool, a)?, zero_extended(pool, b)?);
    let n = pool.width(a);
    if pool.width(b) != n || low < n {
        return None;
    }
    let width = high - low + 1;
    if low > n {
        return Some(pool.constant_bits(&Bits::zero(width)));
    }
    let sum = pool.mk(Op::BvAdd, &[a, b]);
    let carried = pool.mk(Op::BvUlt, &[sum, a]);
    let (one, zero) =
        (pool.constant_bits(&Bits::one(width)), pool.constant_bits(&Bits::zero(width)));
    Some(pool.mk(Op::Ite, &[carried, one, zero]))
}

/// `x / 2^k`, rounded towards zero, is `(x + (x < 0 ? 2^k - 1 : 0)) >> k`.
fn signed_division_by_power_of_two(pool: &mut TermPool, t: TermId) -> Option<TermId> {
    let (x, divisor) = binary(pool, t, Op::BvSdiv)?;
    let divisor = pool.as_bits(divisor)?;
    let width = divisor.width();
    let k = divisor.log2().filter(|k| *k > 0 && *k + 1 < width)?;
    let sign = pool.mk(Op::Extract { high: width - 1, low: width - 1 }, &[x]);
    let signs = sign_extend(pool, sign, k);
    let bias = zero_extend(pool, signs, width);
    let biased = pool.mk(Op::BvAdd, &[x, bias]);
    let part = pool.mk(Op::Extract { high: width - 1, low: k }, &[biased]);
    Some(sign_extend(pool, part, width))
}
