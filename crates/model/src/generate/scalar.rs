//! Numbers.

use super::facts::Facts;
use super::random::Random;
use crate::types::mask;
use crate::{FloatKind, Type, UnaryOp, ops};

/// An integer of a width.
pub(super) fn integer(random: &mut Random, facts: &Facts, width: u16) -> u128 {
    let all = mask(width);
    let top = 1u128 << (width - 1);
    let bits = match random.below(100) {
        0..10 => random.pick(&[0, 1, 2, 3, top, top - 1, all, all - 1, top + 1]).unwrap_or(0),
        10..35 => u128::from(random.below(17)),
        35..45 => u128::from(random.below(17)).wrapping_neg(),
        45..60 => match random.pick(&facts.constants) {
            // A constant of the text, or one beside it.
            Some(constant) => match random.below(4) {
                0 => constant.wrapping_add(1),
                1 => constant.wrapping_sub(1),
                2 => constant.wrapping_neg(),
                _ => constant,
            },
            None => u128::from(random.below(256)),
        },
        60..70 => u128::from(random.below(256)),
        70..77 => {
            let power = 1u128 << random.below(u64::from(width));
            power.wrapping_add(u128::from(random.below(3))).wrapping_sub(1)
        }
        77..85 => random.wide() >> (128 - 1 - random.below(u64::from(width).min(127))),
        _ => random.wide(),
    };
    bits & all
}

/// A float of a format.
pub(super) fn float(random: &mut Random, facts: &Facts, kind: FloatKind) -> u128 {
    let ty = Type::Float(kind);
    let width = kind.width();
    let sign = 1u128 << (width - 1);
    let from_int =
        |value: i64| ops::unary_bits(UnaryOp::SignedToF, ty, Type::WORD, u128::from(value as u64));
    match random.below(100) {
        0..8 => {
            let zero = from_int(0);
            if random.chance(50) { zero } else { zero | sign }
        }
        8..13 => infinity(kind) | if random.chance(50) { sign } else { 0 },
        13..17 => ops::canonical_nan(kind),
        17..22 => {
            // Subnormal, or next to it.
            u128::from(random.below(1 << 16)) | if random.chance(50) { sign } else { 0 }
        }
        22..45 => from_int(random.below(41) as i64 - 20),
        45..60 => {
            let (a, b) = (random.below(20001) as i64 - 10000, 1 << random.below(10));
            quotient(ty, from_int(a), from_int(b))
        }
        60..68 => {
            let same = facts.floats.iter().filter(|(t, _)| *t == ty).map(|f| f.1);
            let known: Vec<u128> = same.collect();
            random.pick(&known).unwrap_or_else(|| from_int(1))
        }
        68..76 => from_int(random.word() as i64),
        76..82 => {
            // Around the ends of the integers that it might be converted to.
            let power = random.pick(&[31u32, 32, 63, 53, 24, 15, 16, 8, 7]).unwrap_or(31);
            from_int((1i64.wrapping_shl(power)).wrapping_add(random.below(3) as i64 - 1))
        }
        82..92 => {
            let bits = random.wide();
            quotient(ty, from_int(bits as i64), from_int((bits >> 64) as i64 | 1))
        }
        _ if kind == FloatKind::X87 => {
            // Random bits would mostly be encodings that no operation makes.
            let bits = random.wide() & mask(80);
            let exponent = bits >> 64 & 0x7fff;
            if exponent == 0 { bits & !(1 << 63) } else { bits | 1 << 63 }
        }
        _ => random.wide() & mask(width),
    }
}

fn quotient(ty: Type, a: u128, b: u128) -> u128 {
    ops::binary_bits(crate::BinaryOp::FDiv, ty, a, b)
}

fn infinity(kind: FloatKind) -> u128 {
    match kind {
        FloatKind::Half => 0x7c00,
        FloatKind::BFloat => 0x7f80,
        FloatKind::Single => 0x7f80_0000,
        FloatKind::Double => 0x7ff0_0000_0000_0000,
        FloatKind::X87 => 0x7fff_8000_0000_0000_0000,
        FloatKind::Quad => 0x7fff << 112,
    }
}
