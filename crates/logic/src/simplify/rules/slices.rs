//! Extraction, concatenation and extension.

use super::{Rule, Sample, ite, sign_extend, unary, zero_extend};
use crate::bits::Bits;
use crate::op::Op;
use crate::term::{TermId, TermPool};

/// `(extract high low)` of a concatenation `x y` of two vectors of the width.
fn slice(s: &mut Sample<'_>, high: u32, low: u32) -> TermId {
    let parts = [s.bv("x"), s.bv("y")];
    let both = s.mk(Op::Concat, &parts);
    s.mk(Op::Extract { high, low }, &[both])
}

pub(super) const RULES: &[Rule] = &[
    Rule {
        name: "extract_all",
        apply: |pool, t| {
            let (high, low, x) = extract(pool, t)?;
            (low == 0 && high + 1 == pool.width(x)).then_some(x)
        },
        fires: &[|s| {
            let x = s.bv("x");
            Some(s.mk(Op::Extract { high: s.width - 1, low: 0 }, &[x]))
        }],
        near_miss: |s| {
            let x = s.bv_of(s.width + 1, "x");
            Some(s.mk(Op::Extract { high: s.width - 1, low: 0 }, &[x]))
        },
    },
    Rule {
        name: "extract_of_slice",
        apply: extract_of_slice,
        fires: &[
            |s| {
                let x = s.bv_of(s.width + 3, "x");
                let inner = s.mk(Op::Extract { high: s.width + 1, low: 1 }, &[x]);
                Some(s.mk(Op::Extract { high: s.width - 1, low: s.width / 2 }, &[inner]))
            },
            |s| Some(slice(s, s.width - 1, 0)),
            |s| Some(slice(s, 2 * s.width - 1, s.width)),
            |s| Some(slice(s, s.width, s.width / 2)),
        ],
        near_miss: |s| {
            let x = s.bv_of(s.width + 1, "x");
            Some(s.mk(Op::Extract { high: s.width, low: 1 }, &[x]))
        },
    },
    Rule {
        name: "extract_of_extension",
        apply: extract_of_extension,
        fires: &[
            |s| extended(s, Op::ZeroExtend(3), 0, 0),
            |s| extended(s, Op::ZeroExtend(3), 1, 1),
            |s| extended(s, Op::ZeroExtend(3), 2, 0),
            |s| extended(s, Op::SignExtend(3), 0, 0),
            |s| extended(s, Op::SignExtend(3), 2, 1),
            |s| extended(s, Op::SignExtend(3), 2, 0),
        ],
        near_miss: |s| Some(slice(s, s.width, 0)),
    },
    Rule {
        name: "extract_of_bitwise",
        apply: extract_of_bitwise,
        fires: &[
            |s| {
                let pair = [s.bv_of(s.width + 2, "x"), s.bv_of(s.width + 2, "y")];
                let both = s.mk(Op::BvAnd, &pair);
                Some(s.mk(Op::Extract { high: s.width, low: 1 }, &[both]))
            },
            |s| {
                let pair = [s.bv_of(s.width + 2, "x"), s.bv_of(s.width + 2, "y")];
                let sum = s.mk(Op::BvAdd, &pair);
                Some(s.mk(Op::Extract { high: s.width, low: 0 }, &[sum]))
            },
        ],
        near_miss: |s| {
            let pair = [s.bv_of(s.width + 2, "x"), s.bv_of(s.width + 2, "y")];
            let sum = s.mk(Op::BvAdd, &pair);
            Some(s.mk(Op::Extract { high: s.width, low: 1 }, &[sum]))
        },
    },
    Rule {
        name: "extract_of_shifted",
        apply: extract_of_shifted,
        fires: &[
            |s| shifted(s, 1, 0),
            |s| shifted(s, s.width, s.width - 1),
            |s| shifted(s, s.width, 1),
        ],
        near_miss: |s| {
            let (x, three) = (s.bv_of(s.width + 2, "x"), s.num_of(s.width + 2, 3));
            let product = s.mk(Op::BvMul, &[x, three]);
            Some(s.mk(Op::Extract { high: s.width, low: 1 }, &[product]))
        },
    },
    Rule {
        name: "extract_of_ite",
        apply: |pool, t| {
            let (high, low, x) = extract(pool, t)?;
            let (c, a, b) = ite(pool, x)?;
            let easy = |p: TermId| {
                let op = pool.op(p);
                op.is_constant() || matches!(op, Op::ZeroExtend(_) | Op::SignExtend(_) | Op::Concat)
            };
            if !easy(a) && !easy(b) {
                return None;
            }
            let a = pool.mk(Op::Extract { high, low }, &[a]);
            let b = pool.mk(Op::Extract { high, low }, &[b]);
            Some(pool.mk(Op::Ite, &[c, a, b]))
        },
        fires: &[|s| {
            let operands = [s.truth("p"), s.bv("x"), s.num(5)];
            let ite = s.mk(Op::Ite, &operands);
            Some(s.mk(Op::Extract { high: s.width / 2, low: 0 }, &[ite]))
        }],
        near_miss: |s| {
            let operands = [s.truth("p"), s.bv("x"), s.bv("y")];
            let ite = s.mk(Op::Ite, &operands);
            Some(s.mk(Op::Extract { high: s.width / 2, low: 0 }, &[ite]))
        },
    },
    Rule {
        name: "concat_neighbours",
        apply: concat_neighbours,
        fires: &[
            |s| {
                let parts = [s.num(1), s.num(2), s.bv("x")];
                Some(s.mk(Op::Concat, &parts))
            },
            |s| {
                let x = s.bv_of(s.width + 3, "x");
                let high = s.mk(Op::Extract { high: s.width + 1, low: s.width }, &[x]);
                let low = s.mk(Op::Extract { high: s.width - 1, low: 0 }, &[x]);
                Some(s.mk(Op::Concat, &[high, low]))
            },
        ],
        near_miss: |s| {
            let x = s.bv_of(s.width + 3, "x");
            let high = s.mk(Op::Extract { high: s.width + 2, low: s.width + 1 }, &[x]);
            let low = s.mk(Op::Extract { high: s.width - 1, low: 0 }, &[x]);
            Some(s.mk(Op::Concat, &[high, low]))
        },
    },
    Rule {
        name: "concat_of_fields",
        apply: concat_of_fields,
        fires: &[
            |s| {
                let (x, y) = (s.bv("x"), s.bv("y"));
                let wide = s.mk(Op::ZeroExtend(2), &[y]);
                Some(s.mk(Op::Concat, &[x, wide]))
            },
            |s| {
                let (x, y, four) = (s.bv("x"), s.bv_of(s.width + 3, "y"), s.num_of(s.width + 3, 4));
                let shifted = s.mk(Op::BvMul, &[y, four]);
                Some(s.mk(Op::Concat, &[x, shifted]))
            },
        ],
        near_miss: |s| {
            let (x, y) = (s.bv("x"), s.bv("y"));
            let wide = s.mk(Op::SignExtend(2), &[y]);
            Some(s.mk(Op::Concat, &[x, wide]))
        },
    },
    Rule {
        name: "concat_zeros",
        apply: concat_zeros,
        fires: &[
            |s| Some([s.num(0), s.bv("x")]).map(|parts| s.mk(Op::Concat, &parts)),
            |s| Some([s.bv("x"), s.num(0)]).map(|parts| s.mk(Op::Concat, &parts)),
        ],
        near_miss: |s| {
            let parts = [s.bv("x"), s.num(0), s.bv("y")];
            Some(s.mk(Op::Concat, &parts))
        },
    },
    Rule {
        name: "extension_of_extension",
        apply: |pool, t| {
            let outer = pool.op(t);
            let x = *pool.operands(t).first()?;
            let inner = pool.operands(x).first().copied();
            let width = pool.width(t);
            match (outer, pool.op(x)) {
                (Op::ZeroExtend(0) | Op::SignExtend(0), _) => Some(x),
                (Op::ZeroExtend(_), Op::ZeroExtend(_))
                | (Op::SignExtend(_), Op::ZeroExtend(1..)) => {
                    Some(zero_extend(pool, inner?, width))
                }
                (Op::SignExtend(_), Op::SignExtend(_)) => Some(sign_extend(pool, inner?, width)),
                _ => None,
            }
        },
        fires: &[
            |s| {
                Some(s.bv("x"))
                    .map(|x| s.mk(Op::ZeroExtend(2), &[x]))
                    .map(|x| s.mk(Op::ZeroExtend(1), &[x]))
            },
            |s| {
                Some(s.bv("x"))
                    .map(|x| s.mk(Op::SignExtend(2), &[x]))
                    .map(|x| s.mk(Op::SignExtend(1), &[x]))
            },
            |s| {
                Some(s.bv("x"))
                    .map(|x| s.mk(Op::ZeroExtend(2), &[x]))
                    .map(|x| s.mk(Op::SignExtend(1), &[x]))
            },
        ],
        near_miss: |s| {
            Some(s.bv("x"))
                .map(|x| s.mk(Op::SignExtend(2), &[x]))
                .map(|x| s.mk(Op::ZeroExtend(1), &[x]))
        },
    },
];

/// An extraction that reaches `above` bits over the operand of an extension, and starts `low` bits
/// over its end (or at its start for zero).
fn extended(s: &mut Sample<'_>, op: Op, above: u32, from: u32) -> Option<TermId> {
    let x = s.bv("x");
    let extension = s.mk(op, &[x]);
    let low = if from == 0 { s.width / 2 } else { s.width + from - 1 };
    Some(s.mk(Op::Extract { high: s.width - 1 + above, low }, &[extension]))
}

fn shifted(s: &mut Sample<'_>, high: u32, low: u32) -> Option<TermId> {
    let x = s.bv_of(s.width + 2, "x");
    let four = s.num_of(s.width + 2, 4);
    let product = s.mk(Op::BvMul, &[four, x]);
    (high >= low).then(|| s.mk(Op::Extract { high, low }, &[product]))
}

pub(super) fn extract(pool: &TermPool, t: TermId) -> Option<(u32, u32, TermId)> {
    match pool.op(t) {
        Op::Extract { high, low } => Some((high, low, pool.operands(t)[0])),
        _ => None,
    }
}

fn extract_of_slice(pool: &mut TermPool, t: TermId) -> Option<TermId> {
    let (high, low, x) = extract(pool, t)?;
    if let Some((_, inner_low, y)) = extract(pool, x) {
        let op = Op::Extract { high: high + inner_low, low: low + inner_low };
        return Some(pool.mk(op, &[y]));
    }
    if pool.op(x) != Op::Concat {
        return None;
    }
    let mut offset = 0;
    let mut kept = Vec::new();
    for part in pool.operands(x).to_vec().into_iter().rev() {
        let width = pool.width(part);
        let (first, last) = (offset.max(low), (offset + width - 1).min(high));
        if first <= last {
            let op = Op::Extract { high: last - offset, low: first - offset };
            kept.push(if last - first + 1 == width { part } else { pool.mk(op, &[part]) });
        }
        offset += width;
    }
    kept.reverse();
    Some(pool.mk(Op::Concat, &kept))
}

fn extract_of_extension(pool: &mut TermPool, t: TermId) -> Option<TermId> {
    let (high, low, extension) = extract(pool, t)?;
    let signed = match pool.op(extension) {
        Op::ZeroExtend(_) => false,
        Op::SignExtend(_) => true,
        _ => return None,
    };
    let x = pool.operands(extension)[0];
    let (inner, width) = (pool.width(x), high - low + 1);
    if high < inner {
        return Some(pool.mk(Op::Extract { high, low }, &[x]));
    }
    if !signed && low >= inner {
        return Some(pool.constant_bits(&Bits::zero(width)));
    }
    let from = low.min(inner - 1);
    let part = pool.mk(Op::Extract { high: inner - 1, low: from }, &[x]);
    Some(if signed { sign_extend(pool, part, width) } else { zero_extend(pool, part, width) })
}

/// Bitwise operators act on each bit alone; sums and products on the low bits alone.
fn extract_of_bitwise(pool: &mut TermPool, t: TermId) -> Option<TermId> {
    let (high, low, x) = extract(pool, t)?;
    let op = pool.op(x);
    match op {
        Op::BvAnd | Op::BvOr | Op::BvXor | Op::BvNot => {}
        Op::BvAdd | Op::BvMul if low == 0 => {}
        _ => return None,
    }
    let operands: Vec<TermId> = pool
        .operands(x)
        .to_vec()
        .into_iter()
        .map(|operand| pool.mk(Op::Extract { high, low }, &[operand]))
        .collect();
    Some(pool.mk(op, &operands))
}

/// Bits of `2^k * x`, which is `x` shifted.
fn extract_of_shifted(pool: &mut TermPool, t: TermId) -> Option<TermId> {
    let (high, low, product) = extract(pool, t)?;
    let (k, x) = shift_of(pool, product)?;
    if high < k {
        return Some(pool.constant_bits(&Bits::zero(high - low + 1)));
    }
    if low >= k {
        return Some(pool.mk(Op::Extract { high: high - k, low: low - k }, &[x]));
    }
    let part = pool.mk(Op::Extract { high: high - k, low: 0 }, &[x]);
    let zeros = pool.constant_bits(&Bits::zero(k - low));
    Some(pool.mk(Op::Concat, &[part, zeros]))
}

/// `k` and `x`, if the term is `2^k * x` with `k` above zero.
pub(super) fn shift_of(pool: &TermPool, t: TermId) -> Option<(u32, TermId)> {
    let (a, b) = super::binary(pool, t, Op::BvMul)?;
    let (constant, x) = match (pool.as_bits(a), pool.as_bits(b)) {
        (Some(constant), None) => (constant, b),
        (None, Some(constant)) => (constant, a),
        _ => return None,
    };
    constant.log2().filter(|k| *k > 0).map(|k| (k, x))
}

fn concat_neighbours(pool: &mut TermPool, t: TermId) -> Option<TermId> {
    if pool.op(t) != Op::Concat {
        return None;
    }
    let parts = pool.operands(t).to_vec();
    let mut kept: Vec<TermId> = Vec::new();
    for part in &parts {
        let joined = kept.last().and_then(|last| join(pool, *last, *part));
        match joined {
            Some(joined) => {
                kept.pop();
                kept.push(joined);
            }
            None => kept.push(*part),
        }
    }
    (kept.len() < parts.len()).then(|| pool.mk(Op::Concat, &kept))
}

/// Two neighbours as one: constants, and adjoining slices of one term.
fn join(pool: &mut TermPool, high: TermId, low: TermId) -> Option<TermId> {
    if let (Some(a), Some(b)) = (pool.as_bits(high), pool.as_bits(low)) {
        return Some(pool.constant_bits(&a.concat(&b)));
    }
    let (h1, l1, x) = extract(pool, high)?;
    let (h0, l0, y) = extract(pool, low)?;
    (x == y && l1 == h0 + 1).then(|| pool.mk(Op::Extract { high: h1, low: l0 }, &[x]))
}

/// What is extended or shifted inside of a concatenation is a field of it, beside zeros.
fn concat_of_fields(pool: &mut TermPool, t: TermId) -> Option<TermId> {
    if pool.op(t) != Op::Concat {
        return None;
    }
    let parts = pool.operands(t).to_vec();
    let mut fields: Vec<TermId> = Vec::new();
    for part in &parts {
        let width = pool.width(*part);
        if let Some(x) = zero_extended(pool, *part) {
            let zeros = Bits::zero(width - pool.width(x));
            fields.extend([pool.constant_bits(&zeros), x]);
        } else if let Some((k, x)) = shift_of(pool, *part) {
            let low = pool.mk(Op::Extract { high: width - k - 1, low: 0 }, &[x]);
            fields.extend([low, pool.constant_bits(&Bits::zero(k))]);
        } else {
            fields.push(*part);
        }
    }
    (fields.len() > parts.len()).then(|| pool.mk(Op::Concat, &fields))
}

/// Zeros in front are an extension, zeros behind a multiplication.
fn concat_zeros(pool: &mut TermPool, t: TermId) -> Option<TermId> {
    if pool.op(t) != Op::Concat {
        return None;
    }
    let width = pool.width(t);
    let parts = pool.operands(t).to_vec();
    let is_zero = |p: &TermId| pool.as_bits(*p).is_some_and(|value| value.is_zero());
    if is_zero(&parts[0]) {
        let rest = pool.mk(Op::Concat, &parts[1..]);
        return Some(zero_extend(pool, rest, width));
    }
    let (last, rest) = parts.split_last()?;
    if !is_zero(last) {
        return None;
    }
    let factor = Bits::power_of_two(width, pool.width(*last));
    let rest = pool.mk(Op::Concat, rest);
    let extended = zero_extend(pool, rest, width);
    let factor = pool.constant_bits(&factor);
    Some(pool.mk(Op::BvMul, &[factor, extended]))
}

/// The operand, if the term extends it with zeros.
pub(super) fn zero_extended(pool: &TermPool, t: TermId) -> Option<TermId> {
    match pool.op(t) {
        Op::ZeroExtend(more) if more > 0 => unary(pool, t, Op::ZeroExtend(more)),
        _ => None,
    }
}

/// The operand, if the term extends it with its sign.
pub(super) fn sign_extended(pool: &TermPool, t: TermId) -> Option<TermId> {
    match pool.op(t) {
        Op::SignExtend(more) if more > 0 => unary(pool, t, Op::SignExtend(more)),
        _ => None,
    }
}
