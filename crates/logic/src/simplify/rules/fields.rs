//! Fields that do not overlap: put together with `+`, `|` or `^`, they are a concatenation.

use super::slices::{shift_of, zero_extended};
use super::{Rule, Sample, binary, low_bits};
use crate::bits::Bits;
use crate::op::Op;
use crate::term::{TermId, TermPool};

/// `x` above `y`, put together by an operator.
fn packed(s: &mut Sample<'_>, op: Op, offset: u32) -> TermId {
    let width = 2 * s.width;
    let (x, y) = (s.bv("x"), s.bv("y"));
    let factor = s.pool.constant_bits(&Bits::power_of_two(width, offset));
    let (x, y) = (s.mk(Op::ZeroExtend(s.width), &[x]), s.mk(Op::ZeroExtend(s.width), &[y]));
    let shifted = s.mk(Op::BvMul, &[factor, x]);
    s.mk(op, &[shifted, y])
}

pub(super) const RULES: &[Rule] = &[Rule {
    name: "fields_are_concatenated",
    apply: as_fields,
    fires: &[
        |s| Some(packed(s, Op::BvAdd, s.width)),
        |s| Some(packed(s, Op::BvOr, s.width)),
        |s| Some(packed(s, Op::BvXor, s.width)),
        |s| {
            let (x, one) = (s.bv("x"), s.num_of(s.width + 1, 1));
            let two = s.num_of(s.width + 1, 2);
            let extended = s.mk(Op::ZeroExtend(1), &[x]);
            let shifted = s.mk(Op::BvMul, &[two, extended]);
            Some(s.mk(Op::BvOr, &[shifted, one]))
        },
        |s| {
            let width = s.width + 4;
            let (x, y) = (s.bv_of(width, "x"), s.bv_of(width, "y"));
            let (some, others) = (s.num_of(width, 0b1001), s.num_of(width, 0b110));
            let (x, y) = (s.mk(Op::BvAnd, &[x, some]), s.mk(Op::BvAnd, &[y, others]));
            Some(s.mk(Op::BvOr, &[x, y]))
        },
        |s| {
            let (x, y) = (s.bv("x"), s.bv_of(2, "y"));
            let four = s.num_of(s.width + 2, 4);
            let x = s.mk(Op::ZeroExtend(2), &[x]);
            let x = s.mk(Op::BvMul, &[x, four]);
            let (x, y) = (s.mk(Op::ZeroExtend(1), &[x]), s.mk(Op::ZeroExtend(s.width + 1), &[y]));
            Some(s.mk(Op::BvAdd, &[x, y]))
        },
    ],
    near_miss: |s| Some(packed(s, Op::BvOr, s.width - 1)),
}];

/// Some bits of a term, by their place.
struct Field {
    low: u32,
    term: TermId,
}

/// The concatenation that a sum or disjunction of separate fields is.
fn as_fields(pool: &mut TermPool, t: TermId) -> Option<TermId> {
    if !matches!(pool.op(t), Op::BvAdd | Op::BvOr | Op::BvXor) {
        return None;
    }
    let mut fields = Vec::new();
    for operand in pool.operands(t).to_vec() {
        fields_of(pool, operand, &mut fields)?;
    }
    fields.sort_unstable_by_key(|field| field.low);
    let width = pool.width(t);
    let mut parts = Vec::new();
    let mut at = 0;
    for field in fields {
        if field.low < at {
            return None;
        }
        if field.low > at {
            parts.push(pool.constant_bits(&Bits::zero(field.low - at)));
        }
        at = field.low + pool.width(field.term);
        parts.push(field.term);
    }
    if at < width {
        parts.push(pool.constant_bits(&Bits::zero(width - at)));
    }
    parts.reverse();
    Some(pool.mk(Op::Concat, &parts))
}

/// The fields that an operand consists of; `None` if it may have any bit set.
fn fields_of(pool: &mut TermPool, t: TermId, fields: &mut Vec<Field>) -> Option<()> {
    let room = pool.width(t);
    let made = pool.op(t) == Op::Concat
        || pool.as_bits(t).is_some()
        || shift_of(pool, t).is_some()
        || zero_extended(pool, t).is_some()
        || masked(pool, t).is_some();
    made.then(|| collect(pool, t, (0, room), 0, fields))
}

/// Adds the fields of the low bits of a term, as many as there is room, from a place on.
fn collect(
    pool: &mut TermPool,
    t: TermId,
    (at, room): (u32, u32),
    depth: u32,
    fields: &mut Vec<Field>,
) {
    let room = room.min(pool.width(t));
    if room == 0 {
        return;
    }
    if let Some(value) = pool.as_bits(t) {
        let value = value.extract(room - 1, 0);
        if !value.is_zero() {
            let (low, above) = (value.trailing_zeros(), value.leading_zeros());
            let term = pool.constant_bits(&value.extract(room - above - 1, low));
            fields.push(Field { low: at + low, term });
        }
    } else if depth > MAX_DEPTH {
        let term = low_bits(pool, t, room);
        fields.push(Field { low: at, term });
    } else if let Some((k, x)) = shift_of(pool, t) {
        collect(pool, x, (at + k.min(room), room.saturating_sub(k)), depth + 1, fields);
    } else if let Some(x) = zero_extended(pool, t) {
        collect(pool, x, (at, room), depth + 1, fields);
    } else if pool.op(t) == Op::Concat {
        let mut offset = 0;
        for part in pool.operands(t).to_vec().into_iter().rev() {
            collect(
                pool,
                part,
                (at + offset.min(room), room.saturating_sub(offset)),
                depth + 1,
                fields,
            );
            offset += pool.width(part);
        }
    } else if let Some((x, runs)) = masked(pool, t) {
        for (high, low) in runs {
            if low < room {
                let op = Op::Extract { high: high.min(room - 1), low };
                let term = pool.mk(op, &[x]);
                fields.push(Field { low: at + low, term });
            }
        }
    } else {
        let term = low_bits(pool, t, room);
        fields.push(Field { low: at, term });
    }
}

/// How deep fields are looked into; operands in normal form are not deep.
const MAX_DEPTH: u32 = 8;

/// Runs of ones beyond which a mask does not select fields.
const MAX_RUNS: usize = 4;

/// What a constant mask is applied to, and its runs of ones: the highest and the lowest bit of each.
fn masked(pool: &TermPool, t: TermId) -> Option<(TermId, Vec<(u32, u32)>)> {
    let (a, b) = binary(pool, t, Op::BvAnd)?;
    let (mask, x) = match (pool.as_bits(a), pool.as_bits(b)) {
        (Some(mask), None) => (mask, b),
        (None, Some(mask)) => (mask, a),
        _ => return None,
    };
    let mut runs: Vec<(u32, u32)> = Vec::new();
    for bit in (0..mask.width()).filter(|bit| mask.bit(*bit)) {
        match runs.last_mut() {
            Some(run) if run.0 + 1 == bit => run.0 = bit,
            _ => runs.push((bit, bit)),
        }
    }
    (runs.len() <= MAX_RUNS).then_some((x, runs))
}
