//! Equations.

use super::super::polynomial::{Polynomial, definitely_different};
use super::slices::{extract, sign_extended, zero_extended};
use super::{Rule, Sample, binary, low_bits, negate};
use crate::bits::Bits;
use crate::op::Op;
use crate::term::{TermId, TermPool};

pub(super) const RULES: &[Rule] = &[
    Rule {
        name: "equal_or_different",
        apply: |pool, t| {
            let (a, b) = binary(pool, t, Op::Eq)?;
            if a == b {
                return Some(pool.truth());
            }
            definitely_different(pool, a, b).then(|| pool.falsity())
        },
        fires: &[
            |s| Some(s.bv("x")).map(|x| s.mk(Op::Eq, &[x, x])),
            |s| {
                let (x, one) = (s.bv("x"), s.num(1));
                let next = s.mk(Op::BvAdd, &[x, one]);
                Some(s.mk(Op::Eq, &[x, next]))
            },
        ],
        near_miss: |s| Some([s.bv("x"), s.bv("y")]).map(|pair| s.mk(Op::Eq, &pair)),
    },
    Rule {
        name: "equation_of_sums",
        apply: equation_of_sums,
        fires: &[
            |s| {
                let (x, y, one) = (s.bv("x"), s.bv("y"), s.num(1));
                let (a, b) = (s.mk(Op::BvAdd, &[x, one]), s.mk(Op::BvAdd, &[y, one]));
                Some(s.mk(Op::Eq, &[a, b]))
            },
            |s| {
                let (x, k, three) = (s.bv("x"), s.num(6), s.num(3));
                let product = s.mk(Op::BvMul, &[x, three]);
                (s.width > 1).then(|| s.mk(Op::Eq, &[product, k]))
            },
            |s| {
                let (x, k) = (s.bv("x"), s.num(6));
                let not = s.mk(Op::BvNot, &[x]);
                Some(s.mk(Op::Eq, &[not, k]))
            },
            |s| {
                let (x, y, k) = (s.bv("x"), s.bv("y"), s.num(1));
                let minus = s.num(-1);
                let negated = s.mk(Op::BvMul, &[minus, y]);
                let sum = s.mk(Op::BvAdd, &[x, negated, k]);
                let zero = s.num(0);
                Some(s.mk(Op::Eq, &[sum, zero]))
            },
        ],
        near_miss: |s| Some([s.bv("x"), s.num(3)]).map(|pair| s.mk(Op::Eq, &pair)),
    },
    Rule {
        name: "equation_halved",
        apply: equation_halved,
        fires: &[
            |s| {
                let (x, four, twelve) = (s.bv("x"), s.num(4), s.num(12));
                let product = s.mk(Op::BvMul, &[x, four]);
                (s.width > 4).then(|| s.mk(Op::Eq, &[product, twelve]))
            },
            |s| {
                let (x, y, two, minus) = (s.bv("x"), s.bv("y"), s.num(2), s.num(-4));
                let (x, y) = (s.mk(Op::BvMul, &[x, two]), s.mk(Op::BvMul, &[y, minus]));
                let (sum, six) = (s.mk(Op::BvAdd, &[x, y]), s.num(6));
                (s.width > 3).then(|| s.mk(Op::Eq, &[sum, six]))
            },
        ],
        near_miss: |s| {
            let (x, y, two, k) = (s.bv("x"), s.bv("y"), s.num(2), s.num(6));
            let double = s.mk(Op::BvMul, &[x, two]);
            let sum = s.mk(Op::BvAdd, &[double, y]);
            (s.width > 3).then(|| s.mk(Op::Eq, &[sum, k]))
        },
    },
    Rule {
        name: "no_bits_at_all",
        apply: no_bits_at_all,
        fires: &[
            |s| {
                let (x, y, zero) = (s.bv("x"), s.bv("y"), s.num(0));
                let either = s.mk(Op::BvOr, &[x, y]);
                Some(s.mk(Op::Eq, &[either, zero]))
            },
            |s| {
                let (x, y, ones) = (s.bv("x"), s.bv("y"), s.num(-1));
                let both = s.mk(Op::BvAnd, &[x, y]);
                Some(s.mk(Op::Eq, &[ones, both]))
            },
            |s| {
                let (x, one, two) = (s.bv("x"), s.num(1), s.num(2));
                let either = s.mk(Op::BvOr, &[x, one]);
                (s.width > 2).then(|| s.mk(Op::Eq, &[either, two]))
            },
        ],
        near_miss: |s| {
            let (x, y, zero) = (s.bv("x"), s.bv("y"), s.num(0));
            let both = s.mk(Op::BvAnd, &[x, y]);
            (s.width > 1).then(|| s.mk(Op::Eq, &[both, zero]))
        },
    },
    Rule {
        name: "divisible_by_parts",
        apply: divisible_by_parts,
        // Solvers take long over divisions of wide words.
        fires: &[
            |s| (4..=8).contains(&s.width).then(|| divisible(s, Op::BvSrem, 6)),
            |s| (5..=8).contains(&s.width).then(|| divisible(s, Op::BvSrem, 12)),
            |s| (4..=8).contains(&s.width).then(|| divisible(s, Op::BvUrem, 12)),
            |s| (s.width > 3).then(|| divisible(s, Op::BvSrem, 4)),
        ],
        near_miss: |s| (s.width > 3).then(|| divisible(s, Op::BvSrem, 5)),
    },
    Rule {
        name: "high_bits_are_zero",
        apply: high_bits_are_zero,
        fires: &[|s| {
            let (x, zero) = (s.bv_of(s.width + 2, "x"), s.num(0));
            let high = s.mk(Op::Extract { high: s.width + 1, low: 2 }, &[x]);
            Some(s.mk(Op::Eq, &[high, zero]))
        }],
        near_miss: |s| {
            let (x, zero) = (s.bv_of(s.width + 2, "x"), s.num(0));
            let high = s.mk(Op::Extract { high: s.width, low: 1 }, &[x]);
            Some(s.mk(Op::Eq, &[high, zero]))
        },
    },
    Rule {
        name: "equation_of_extensions",
        apply: equation_of_extensions,
        fires: &[
            |s| extended(s, Op::ZeroExtend(2)),
            |s| extended(s, Op::SignExtend(2)),
            |s| against(s, Op::ZeroExtend(2), 1),
            |s| against(s, Op::ZeroExtend(2), -1),
            |s| against(s, Op::SignExtend(2), -1),
            |s| (s.width > 1).then(|| against(s, Op::SignExtend(3), 1 << (s.width - 1)))?,
        ],
        near_miss: |s| {
            let (x, y) = (s.bv("x"), s.bv("y"));
            let (x, y) = (s.mk(Op::ZeroExtend(2), &[x]), s.mk(Op::SignExtend(2), &[y]));
            Some(s.mk(Op::Eq, &[x, y]))
        },
    },
    Rule {
        name: "equation_of_fields",
        apply: equation_of_fields,
        fires: &[
            |s| {
                let (x, y, k) = (s.bv("x"), s.bv("y"), s.num_of(2 * s.width, 5));
                let both = s.mk(Op::Concat, &[x, y]);
                Some(s.mk(Op::Eq, &[both, k]))
            },
            |s| {
                let (x, y, z) = (s.bv("x"), s.bv("y"), s.bv("z"));
                let (a, b) = (s.mk(Op::Concat, &[x, y]), s.mk(Op::Concat, &[y, z]));
                Some(s.mk(Op::Eq, &[a, b]))
            },
        ],
        near_miss: |s| {
            let (x, y, z) = (s.bv("x"), s.bv("y"), s.bv_of(2 * s.width, "z"));
            let both = s.mk(Op::Concat, &[x, y]);
            Some(s.mk(Op::Eq, &[both, z]))
        },
    },
    Rule {
        name: "equation_of_one_bit",
        apply: equation_of_one_bit,
        fires: &[
            |s| Some([s.bv_of(1, "b"), s.num_of(1, 0)]).map(|pair| s.mk(Op::Eq, &pair)),
            |s| {
                let (x, one) = (s.bv_of(s.width + 1, "x"), s.num_of(1, 1));
                let sign = s.mk(Op::Extract { high: s.width, low: s.width }, &[x]);
                Some(s.mk(Op::Eq, &[sign, one]))
            },
        ],
        near_miss: |s| {
            let (x, one) = (s.bv_of(s.width + 2, "x"), s.num_of(1, 1));
            let bit = s.mk(Op::Extract { high: s.width, low: s.width }, &[x]);
            Some(s.mk(Op::Eq, &[bit, one]))
        },
    },
    Rule {
        name: "equation_of_xor",
        apply: equation_of_xor,
        fires: &[
            |s| {
                let (x, y, zero) = (s.bv("x"), s.bv("y"), s.num(0));
                let xor = s.mk(Op::BvXor, &[x, y]);
                Some(s.mk(Op::Eq, &[zero, xor]))
            },
            |s| {
                let (x, k, five) = (s.bv("x"), s.num(3), s.num(5));
                let xor = s.mk(Op::BvXor, &[x, k]);
                Some(s.mk(Op::Eq, &[xor, five]))
            },
        ],
        near_miss: |s| {
            let (x, y, z) = (s.bv("x"), s.bv("y"), s.bv("z"));
            let xor = s.mk(Op::BvXor, &[x, y]);
            Some(s.mk(Op::Eq, &[xor, z]))
        },
    },
];

fn divisible(s: &mut Sample<'_>, op: Op, by: i128) -> TermId {
    let (x, by, zero) = (s.bv("x"), s.num(by), s.num(0));
    let rest = s.mk(op, &[x, by]);
    s.mk(Op::Eq, &[zero, rest])
}

fn extended(s: &mut Sample<'_>, op: Op) -> Option<TermId> {
    let (x, y) = (s.bv("x"), s.bv("y"));
    let (x, y) = (s.mk(op, &[x]), s.mk(op, &[y]));
    Some(s.mk(Op::Eq, &[x, y]))
}

fn against(s: &mut Sample<'_>, op: Op, k: i128) -> Option<TermId> {
    let x = s.bv("x");
    let x = s.mk(op, &[x]);
    let k = s.num_of(s.pool.width(x), k);
    Some(s.mk(Op::Eq, &[x, k]))
}

/// Brings an equation of sums to one shape: all monomials on the side where their coefficient is
/// positive as a signed number, the constant on the right, an odd coefficient of a single monomial
/// divided away, and the whole negated if that makes the first telling coefficient positive.
fn equation_of_sums(pool: &mut TermPool, t: TermId) -> Option<TermId> {
    let (a, b) = binary(pool, t, Op::Eq)?;
    let width = pool.sort(a).width()?;
    let arithmetic = |p: TermId| matches!(pool.op(p), Op::BvAdd | Op::BvMul | Op::BvNot);
    if !arithmetic(a) && !arithmetic(b) {
        return None;
    }
    let mut difference = Polynomial::of(pool, a);
    let right = Polynomial::of(pool, b);
    difference.sub(&right);
    if let Some(value) = difference.as_constant() {
        return Some(pool.boolean(value.is_zero()));
    }
    let variable = difference.filtered(|monomial, _| !monomial.is_empty());
    if !has_solution(&variable, &difference.constant_part()) {
        return Some(pool.falsity());
    }
    let first = variable.monomials().next().map(|(_, coefficient)| coefficient.clone())?;
    // The smallest signed value is its own negation and so cannot say which way round.
    let least = Bits::signed_min(width);
    let telling = variable.monomials().map(|(_, c)| c).find(|c| **c != least);
    if variable.len() == 1 && first.bit(0) {
        difference.scale(&first.inverse()?);
    } else if telling.is_some_and(Bits::is_negative) {
        difference.scale(&Bits::ones(width));
    }
    let positive = |monomial: &Vec<TermId>, coefficient: &Bits| {
        !monomial.is_empty() && !coefficient.is_negative()
    };
    let mut left = difference.filtered(positive);
    if left.len() == 0 {
        left = variable.filtered(|_, _| false);
        left.add(&difference.filtered(|monomial, _| !monomial.is_empty()));
    }
    let mut right = left.clone();
    right.sub(&difference);
    let (left, right) = (left.to_term(pool), right.to_term(pool));
    let mut sides = [left, right];
    sides.sort_unstable();
    let result = pool.mk(Op::Eq, &sides);
    (result != t).then_some(result)
}

/// An equation whose coefficients are all even says nothing of the highest bit: `2^k * p = 2^k * q`
/// holds if the low bits of `p` and `q` are equal.
fn equation_halved(pool: &mut TermPool, t: TermId) -> Option<TermId> {
    let (a, b) = binary(pool, t, Op::Eq)?;
    let width = pool.sort(a).width()?;
    let arithmetic = |p: TermId| matches!(pool.op(p), Op::BvAdd | Op::BvMul);
    if !arithmetic(a) && !arithmetic(b) {
        return None;
    }
    let mut difference = Polynomial::of(pool, a);
    let right = Polynomial::of(pool, b);
    difference.sub(&right);
    let variable = difference.filtered(|monomial, _| !monomial.is_empty());
    let zeros = variable.monomials().map(|(_, coefficient)| coefficient.trailing_zeros()).min()?;
    let constant = difference.constant_part().neg();
    if zeros == 0 || zeros >= width || constant.trailing_zeros() < zeros {
        return None;
    }
    let left = variable.halved(zeros).to_term(pool);
    let left = low_bits(pool, left, width - zeros);
    let right = pool.constant_bits(&constant.extract(width - 1, zeros));
    Some(pool.mk(Op::Eq, &[left, right]))
}

/// The constant and the other side of an equation.
fn with_constant(pool: &TermPool, t: TermId) -> Option<(Bits, TermId)> {
    let (a, b) = binary(pool, t, Op::Eq)?;
    pool.sort(a).width()?;
    match (pool.as_bits(a), pool.as_bits(b)) {
        (Some(value), None) => Some((value, b)),
        (None, Some(value)) => Some((value, a)),
        _ => None,
    }
}

/// A disjunction of bits is zero if all its parts are, a conjunction all ones if all are; and what
/// has a bit set (or cleared) by a constant is not without it.
fn no_bits_at_all(pool: &mut TermPool, t: TermId) -> Option<TermId> {
    let (value, other) = with_constant(pool, t)?;
    let op = pool.op(other);
    let parts = match op {
        Op::BvOr | Op::BvAnd => pool.operands(other).to_vec(),
        _ => return None,
    };
    for mask in parts.iter().filter_map(|p| pool.as_bits(*p)) {
        let kept = if op == Op::BvOr { mask.or(&value) } else { mask.and(&value) };
        if kept != value {
            return Some(pool.falsity());
        }
    }
    let decided = if op == Op::BvOr { value.is_zero() } else { value.is_ones() };
    if !decided {
        return None;
    }
    let constant = pool.constant_bits(&value);
    let equal: Vec<TermId> = parts.iter().map(|p| pool.mk(Op::Eq, &[constant, *p])).collect();
    Some(pool.mk(Op::And, &equal))
}

/// Divisible by `2^k * m` for an odd `m`: by both.
fn divisible_by_parts(pool: &mut TermPool, t: TermId) -> Option<TermId> {
    let (value, rest) = with_constant(pool, t)?;
    let op = pool.op(rest);
    if !value.is_zero() || !matches!(op, Op::BvSrem | Op::BvUrem) {
        return None;
    }
    let (x, divisor) = binary(pool, rest, op)?;
    let divisor = pool.as_bits(divisor)?;
    let (width, zeros) = (divisor.width(), divisor.trailing_zeros());
    if zeros == 0 || divisor.is_zero() || op == Op::BvSrem && divisor.is_negative() {
        return None;
    }
    let low = low_bits(pool, x, zeros);
    let none = pool.constant_bits(&Bits::zero(zeros));
    let even = pool.mk(Op::Eq, &[none, low]);
    let odd = divisor.lshr(&Bits::new(width, zeros.into()));
    if odd.is_one() {
        return Some(even);
    }
    let (odd, zero) = (pool.constant_bits(&odd), pool.constant_bits(&value));
    let rest = pool.mk(op, &[x, odd]);
    let divided = pool.mk(Op::Eq, &[zero, rest]);
    Some(pool.mk(Op::And, &[even, divided]))
}

/// A word whose high bits are zero is small.
fn high_bits_are_zero(pool: &mut TermPool, t: TermId) -> Option<TermId> {
    let (value, part) = with_constant(pool, t)?;
    let (high, low, x) = extract(pool, part)?;
    let width = pool.width(x);
    if !value.is_zero() || high + 1 != width || low == 0 || low == high {
        return None;
    }
    let limit = pool.constant_bits(&Bits::power_of_two(width, low));
    Some(pool.mk(Op::BvUlt, &[x, limit]))
}

/// Whether an odd constant stands against even coefficients only, and so on for higher powers.
fn has_solution(variable: &Polynomial, constant: &Bits) -> bool {
    let zeros = variable.monomials().map(|(_, coefficient)| coefficient.trailing_zeros()).min();
    constant.trailing_zeros() >= zeros.unwrap_or(0)
}

fn equation_of_extensions(pool: &mut TermPool, t: TermId) -> Option<TermId> {
    let (a, b) = binary(pool, t, Op::Eq)?;
    for inner in [zero_extended, sign_extended] {
        if let (Some(x), Some(y)) = (inner(pool, a), inner(pool, b))
            && pool.sort(x) == pool.sort(y)
        {
            return Some(pool.mk(Op::Eq, &[x, y]));
        }
    }
    for (constant, other) in [(a, b), (b, a)] {
        let Some(value) = pool.as_bits(constant) else { continue };
        let (x, is_signed) = match (zero_extended(pool, other), sign_extended(pool, other)) {
            (Some(x), _) => (x, false),
            (_, Some(x)) => (x, true),
            _ => continue,
        };
        let narrow = value.extract(pool.width(x) - 1, 0);
        let back = if is_signed {
            narrow.sign_extend_to(value.width())
        } else {
            narrow.zero_extend_to(value.width())
        };
        if back != value {
            return Some(pool.falsity());
        }
        let narrow = pool.constant_bits(&narrow);
        return Some(pool.mk(Op::Eq, &[narrow, x]));
    }
    None
}

/// A concatenation equals a constant, or one cut at the same places, part by part.
fn equation_of_fields(pool: &mut TermPool, t: TermId) -> Option<TermId> {
    let (a, b) = binary(pool, t, Op::Eq)?;
    let (fields, other) = match (pool.op(a), pool.op(b)) {
        (Op::Concat, _) => (a, b),
        (_, Op::Concat) => (b, a),
        _ => return None,
    };
    let parts = pool.operands(fields).to_vec();
    let others: Vec<TermId> = if let Some(value) = pool.as_bits(other) {
        let mut high = value.width();
        let mut others = Vec::new();
        for part in &parts {
            let low = high - pool.width(*part);
            others.push(pool.constant_bits(&value.extract(high - 1, low)));
            high = low;
        }
        others
    } else if pool.op(other) == Op::Concat {
        pool.operands(other).to_vec()
    } else {
        return None;
    };
    let widths = |terms: &[TermId]| terms.iter().map(|p| pool.width(*p)).collect::<Vec<_>>();
    if widths(&parts) != widths(&others) {
        return None;
    }
    let equal: Vec<TermId> =
        parts.iter().zip(&others).map(|(x, y)| pool.mk(Op::Eq, &[*x, *y])).collect();
    Some(pool.mk(Op::And, &equal))
}

/// One bit is compared with one, and the sign bit by the sign.
fn equation_of_one_bit(pool: &mut TermPool, t: TermId) -> Option<TermId> {
    let (a, b) = binary(pool, t, Op::Eq)?;
    if pool.width(a) != 1 {
        return None;
    }
    let (value, bit) = match (pool.as_bits(a), pool.as_bits(b)) {
        (Some(value), None) => (value, b),
        (None, Some(value)) => (value, a),
        _ => return None,
    };
    if value.is_zero() {
        let one = pool.constant_bits(&Bits::one(1));
        let equal = pool.mk(Op::Eq, &[one, bit]);
        return Some(negate(pool, equal));
    }
    let (high, _, x) = extract(pool, bit)?;
    if high + 1 != pool.width(x) {
        return None;
    }
    let zero = pool.constant_bits(&Bits::zero(high + 1));
    Some(pool.mk(Op::BvSlt, &[x, zero]))
}

/// `x ^ y = 0` is `x = y`, and a constant moves to the other constant.
fn equation_of_xor(pool: &mut TermPool, t: TermId) -> Option<TermId> {
    let (a, b) = binary(pool, t, Op::Eq)?;
    let (value, xor) = match (pool.as_bits(a), pool.as_bits(b)) {
        (Some(value), None) => (value, b),
        (None, Some(value)) => (value, a),
        _ => return None,
    };
    let (x, y) = binary(pool, xor, Op::BvXor)?;
    for (constant, other) in [(x, y), (y, x)] {
        if let Some(mask) = pool.as_bits(constant) {
            let right = pool.constant_bits(&mask.xor(&value));
            return Some(pool.mk(Op::Eq, &[other, right]));
        }
    }
    value.is_zero().then(|| pool.mk(Op::Eq, &[x, y]))
}
