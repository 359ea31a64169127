//! Ranges of numbers: the two ends of one as people write them, and how large a value can be.

use super::text::{Text, precedence, text};
use crate::op::Op;
use crate::term::{TermId, TermPool};

/// Joins the two ends of a range: `5 <= x && x <= 6`. Where both are the same number it is `x == 5`.
pub(super) fn ranges(parts: &mut [Option<Text>]) {
    for low in 0..parts.len() {
        let Some(lower) = parts[low].as_ref().and_then(|t| t.bound.clone()).filter(|b| b.lower)
        else {
            continue;
        };
        let matching = |part: &Option<Text>| {
            part.as_ref().and_then(|t| t.bound.as_ref()).is_some_and(|upper| {
                !upper.lower && upper.of == lower.of && upper.signed == lower.signed
            })
        };
        let Some(high) = parts.iter().position(matching) else { continue };
        let Some(upper) = parts[high].as_ref().and_then(|t| t.bound.clone()) else { continue };
        let joined = if upper.value == lower.value {
            lower.equal()
        } else if let (Some(left), Some(right)) = (lower.text(true), upper.text(true)) {
            Some(text(format!("{} && {}", left.code, right.code), precedence::AND, true))
        } else {
            None
        };
        let Some(joined) = joined else { continue };
        parts[low.max(high)] = None;
        parts[low.min(high)] = Some(joined);
    }
}

/// How many bits the largest value of a term has, at most.
pub(super) fn bits_needed(pool: &TermPool, term: TermId) -> u32 {
    const DEEPEST: u64 = 32;
    let width = pool.width(term);
    if let Some(value) = pool.as_bits(term) {
        return width - value.leading_zeros();
    }
    if pool.depth(term) > DEEPEST {
        return width;
    }
    let operands = pool.operands(term);
    let each = |t: &TermId| bits_needed(pool, *t);
    let needed = match pool.op(term) {
        Op::ZeroExtend(_) => each(&operands[0]),
        Op::BvAdd => {
            let carries = usize::BITS - (operands.len() - 1).leading_zeros();
            operands.iter().map(each).max().unwrap_or(width) + carries
        }
        Op::BvMul => operands.iter().map(each).sum(),
        Op::BvAnd => operands.iter().map(each).min().unwrap_or(width),
        Op::BvOr | Op::BvXor => operands.iter().map(each).max().unwrap_or(width),
        Op::BvLshr => match pool.as_bits(operands[1]).and_then(|by| by.to_u64()) {
            Some(by) => width.saturating_sub(by.try_into().unwrap_or(width)),
            None => width,
        },
        _ => width,
    };
    needed.min(width)
}
