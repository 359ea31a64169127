//! Equations.

use super::super::polynomial::{Polynomial, definitely_different};
use super::slices::{extract, sign_extended, zero_extended};
use super::{Rule, Sample, binary, negate};
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
