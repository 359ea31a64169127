//! Fields that do not overlap: put together with `+`, `|` or `^`, they are a concatenation.

use super::slices::{shift_of, zero_extended};
use super::{Rule, Sample, low_bits};
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
    if let Some(value) = pool.as_bits(t) {
        let (low, above) = (value.trailing_zeros(), value.leading_zeros());
        if !value.is_zero() {
            let term = pool.constant_bits(&value.extract(value.width() - above - 1, low));
            fields.push(Field { low, term });
        }
        return Some(());
    }
    let width = pool.width(t);
    let (low, x) = shift_of(pool, t).unwrap_or((0, t));
    let content = zero_extended(pool, x).unwrap_or(x);
    if low == 0 && content == t && pool.op(t) != Op::Concat {
        return None;
    }
    let kept = pool.width(content).min(width - low);
    if pool.op(content) != Op::Concat || kept < pool.width(content) {
        let term = low_bits(pool, content, kept);
        fields.push(Field { low, term });
        return Some(());
    }
    let mut at = low;
    for part in pool.operands(content).to_vec().into_iter().rev() {
        let part_width = pool.width(part);
        if !pool.as_bits(part).is_some_and(|value| value.is_zero()) {
            fields.push(Field { low: at, term: part });
        }
        at += part_width;
    }
    Some(())
}
