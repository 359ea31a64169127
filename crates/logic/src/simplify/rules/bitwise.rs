//! Bitwise operators.

use super::{Rule, Sample, binary, unary, zero_extend};
use crate::bits::Bits;
use crate::op::Op;
use crate::term::{TermId, TermPool};

fn pair(s: &mut Sample<'_>, op: Op) -> TermId {
    let operands = [s.bv("x"), s.bv("y")];
    s.mk(op, &operands)
}

pub(super) const RULES: &[Rule] = &[
    Rule {
        name: "bvnot_inwards",
        apply: bvnot_inwards,
        fires: &[
            |s| Some(s.bv("x")).map(|x| s.mk(Op::BvNot, &[x])).map(|x| s.mk(Op::BvNot, &[x])),
            |s| Some(pair(s, Op::BvAnd)).map(|t| s.mk(Op::BvNot, &[t])),
            |s| Some(pair(s, Op::BvOr)).map(|t| s.mk(Op::BvNot, &[t])),
        ],
        near_miss: |s| Some(pair(s, Op::BvXor)).map(|t| s.mk(Op::BvNot, &[t])),
    },
    Rule {
        name: "bitwise_set",
        apply: bitwise_set,
        fires: &[
            |s| Some(s.bv("x")).map(|x| s.mk(Op::BvAnd, &[x, x])),
            |s| Some(s.bv("x")).map(|x| s.mk(Op::BvXor, &[x, x])),
            |s| Some((s.bv("x"), s.num(0))).map(|(x, k)| s.mk(Op::BvAnd, &[k, x])),
            |s| Some((s.bv("x"), s.num(-1))).map(|(x, k)| s.mk(Op::BvAnd, &[k, x])),
            |s| Some((s.bv("x"), s.num(0))).map(|(x, k)| s.mk(Op::BvOr, &[k, x])),
            |s| Some((s.bv("x"), s.num(-1))).map(|(x, k)| s.mk(Op::BvOr, &[k, x])),
            |s| {
                let x = s.bv("x");
                let not = s.mk(Op::BvNot, &[x]);
                Some(s.mk(Op::BvOr, &[x, not]))
            },
            |s| {
                let (x, a, b) = (s.bv("x"), s.num(6), s.num(3));
                Some(s.mk(Op::BvXor, &[a, x, b]))
            },
        ],
        near_miss: |s| Some(pair(s, Op::BvOr)),
    },
    Rule {
        name: "xor_complement",
        apply: xor_complement,
        fires: &[
            |s| Some((s.bv("x"), s.num(-1))).map(|(x, k)| s.mk(Op::BvXor, &[k, x])),
            |s| {
                let (x, y) = (s.bv("x"), s.bv("y"));
                let not = s.mk(Op::BvNot, &[x]);
                Some(s.mk(Op::BvXor, &[not, y]))
            },
        ],
        near_miss: |s| Some(pair(s, Op::BvXor)),
    },
    Rule {
        name: "mask_is_extraction",
        apply: mask_is_extraction,
        fires: &[
            |s| (s.width > 1).then(|| (s.bv("x"), s.num(1))).map(|(x, k)| s.mk(Op::BvAnd, &[k, x])),
            |s| (s.width > 3).then(|| (s.bv("x"), s.num(6))).map(|(x, k)| s.mk(Op::BvAnd, &[x, k])),
            |s| {
                (s.width > 2).then(|| (s.bv("x"), s.num(-4))).map(|(x, k)| s.mk(Op::BvAnd, &[x, k]))
            },
        ],
        near_miss: |s| {
            let (x, k) = (s.bv_of(s.width + 3, "x"), s.num_of(s.width + 3, 5));
            Some(s.mk(Op::BvAnd, &[x, k]))
        },
    },
];

fn bvnot_inwards(pool: &mut TermPool, t: TermId) -> Option<TermId> {
    let x = unary(pool, t, Op::BvNot)?;
    let dual = match pool.op(x) {
        Op::BvNot => return pool.operands(x).first().copied(),
        Op::BvAnd => Op::BvOr,
        Op::BvOr => Op::BvAnd,
        _ => return None,
    };
    let operands: Vec<TermId> = pool
        .operands(x)
        .to_vec()
        .into_iter()
        .map(|p| unary(pool, p, Op::BvNot).unwrap_or_else(|| pool.mk(Op::BvNot, &[p])))
        .collect();
    Some(pool.mk(dual, &operands))
}

/// Constants are joined, duplicates dropped (or cancelled), and a term beside its complement
/// decides.
fn bitwise_set(pool: &mut TermPool, t: TermId) -> Option<TermId> {
    let op = pool.op(t);
    let width = pool.width(t);
    let neutral = match op {
        Op::BvAnd => Bits::ones(width),
        Op::BvOr | Op::BvXor => Bits::zero(width),
        _ => return None,
    };
    let operands = pool.operands(t).to_vec();
    let mut constant = neutral.clone();
    let mut kept: Vec<TermId> = Vec::new();
    for operand in &operands {
        match pool.as_bits(*operand) {
            Some(value) if op == Op::BvAnd => constant = constant.and(&value),
            Some(value) if op == Op::BvOr => constant = constant.or(&value),
            Some(value) => constant = constant.xor(&value),
            None => kept.push(*operand),
        }
    }
    kept.sort_unstable();
    if op == Op::BvXor {
        let groups = kept.chunk_by(|a, b| a == b);
        kept = groups.filter(|group| group.len() % 2 == 1).map(|group| group[0]).collect();
    } else {
        kept.dedup();
        let beside = |p: &TermId| {
            unary(pool, *p, Op::BvNot).is_some_and(|inner| kept.binary_search(&inner).is_ok())
        };
        if constant == neutral.not() || kept.iter().any(beside) {
            return Some(pool.constant_bits(&neutral.not()));
        }
    }
    if constant != neutral || kept.is_empty() {
        kept.push(pool.constant_bits(&constant));
    }
    if kept.len() == operands.len() {
        return None;
    }
    kept.sort_unstable();
    Some(pool.mk(op, &kept))
}

/// `~` stands outside of `^`, and `^` with all ones is `~`.
fn xor_complement(pool: &mut TermPool, t: TermId) -> Option<TermId> {
    if pool.op(t) != Op::BvXor {
        return None;
    }
    let operands = pool.operands(t).to_vec();
    for (position, operand) in operands.iter().enumerate() {
        let mut rest = operands.clone();
        if pool.as_bits(*operand).is_some_and(|value| value.is_ones()) {
            rest.remove(position);
        } else if let Some(inner) = unary(pool, *operand, Op::BvNot) {
            rest[position] = inner;
        } else {
            continue;
        }
        let rest = pool.mk(Op::BvXor, &rest);
        return Some(pool.mk(Op::BvNot, &[rest]));
    }
    None
}

/// `x & 0b0110` is bits 2 to 1 of `x`, in their place.
fn mask_is_extraction(pool: &mut TermPool, t: TermId) -> Option<TermId> {
    if pool.op(t) != Op::BvAnd {
        return None;
    }
    let operands = pool.operands(t);
    let position = operands.iter().position(|p| pool.as_bits(*p).is_some())?;
    let mask = pool.as_bits(operands[position])?;
    let mut rest = operands.to_vec();
    rest.remove(position);
    let (width, low) = (mask.width(), mask.trailing_zeros());
    let high = width - mask.leading_zeros();
    let run = high.checked_sub(low).filter(|run| *run > 0 && *run < width)?;
    if !mask.extract(high - 1, low).is_ones() || run == 0 {
        return None;
    }
    let x = match binary(pool, t, Op::BvAnd) {
        Some(_) => rest[0],
        None => pool.mk(Op::BvAnd, &rest),
    };
    let part = pool.mk(Op::Extract { high: high - 1, low }, &[x]);
    let extended = zero_extend(pool, part, width);
    if low == 0 {
        return Some(extended);
    }
    let factor = pool.constant_bits(&Bits::power_of_two(width, low));
    Some(pool.mk(Op::BvMul, &[factor, extended]))
}
