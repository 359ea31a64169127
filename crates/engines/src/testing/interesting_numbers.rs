//! Numbers worth trying.

use super::source_values::Text;
use verdiff_model::generate::Random;
use verdiff_model::types::{mask, signed};
use verdiff_model::{FloatKind, Type, UnaryOp, ops};

/// The numbers of each type that are worth trying, in order of worth.
#[derive(Default)]
pub(super) struct Values {
    known: Vec<(Type, Vec<u128>)>,
}

impl Values {
    /// The list for a type.
    pub(super) fn of(&mut self, text: &Text<'_>, ty: Type) -> &[u128] {
        let at = self.known.iter().position(|(known, _)| *known == ty).unwrap_or_else(|| {
            self.known.push((ty, list(text, ty)));
            self.known.len() - 1
        });
        &self.known[at].1
    }
}

fn list(text: &Text<'_>, ty: Type) -> Vec<u128> {
    let mut list = match ty {
        Type::Float(kind) => floats(text, kind),
        _ => integers(text, ty.width()),
    };
    let mut seen = std::collections::HashSet::new();
    list.retain(|bits| seen.insert(*bits));
    list
}

fn integers(text: &Text<'_>, width: u16) -> Vec<u128> {
    let all = mask(width);
    let top = 1u128 << (width - 1);
    let mut list: Vec<u128> = vec![0, 1, all, top, top - 1, 2, all - 1, top + 1];
    // The text's numbers, as they are and as a wider number's extension.
    for (from, bits) in &text.ints {
        let wide = signed(*bits, *from) as u128;
        for near in [0, 1, u128::MAX] {
            list.extend([bits.wrapping_add(near), wide.wrapping_add(near)]);
        }
        list.extend([wide.wrapping_neg(), !wide, wide.wrapping_mul(2)]);
    }
    for (kind, bits) in &text.floats {
        let word = ops::unary_bits(UnaryOp::FToSigned, Type::WORD, Type::Float(*kind), *bits);
        let word = word as u64 as i64;
        list.extend([-1, 0, 1].map(|near| word.wrapping_add(near) as i128 as u128));
    }
    // The ends of narrower types.
    for narrow in [8, 16, 31, 32, 63, 64].into_iter().filter(|narrow| *narrow < width) {
        let edge = 1u128 << narrow;
        let half = edge >> 1;
        list.extend([half, half - 1, half + 1, edge, edge - 1, edge + 1]);
        list.extend([half.wrapping_neg(), half.wrapping_neg() - 1, half.wrapping_neg() + 1]);
    }
    list.extend([3, 4, 5, 7, 10, 100, 1000].into_iter().flat_map(|n: u128| [n, n.wrapping_neg()]));
    list.extend(text.strings.iter().flatten().map(|byte| u128::from(*byte)));
    for power in 0..width {
        let power = 1u128 << power;
        list.extend([power, power - 1, power + 1, power.wrapping_neg()]);
    }
    list.iter_mut().for_each(|bits| *bits &= all);
    list
}

fn floats(text: &Text<'_>, kind: FloatKind) -> Vec<u128> {
    let ty = Type::Float(kind);
    let sign = 1u128 << (kind.width() - 1);
    let convert = |from: FloatKind, bits: u128| {
        ops::unary_bits(UnaryOp::FConvert, ty, Type::Float(from), bits)
    };
    let number = |value: f64| convert(FloatKind::Double, u128::from(value.to_bits()));
    let infinity = number(f64::INFINITY);
    let mut list = vec![number(0.0), number(-0.0), number(1.0), ops::canonical_nan(kind), infinity];
    list.extend([-1.0, 0.5, 0.1, 2.0, 3.0, 1.5, 2.5, -0.5, -2.5, 10.0, 100.0].map(number));
    for (from, bits) in &text.floats {
        let bits = convert(*from, *bits);
        list.extend([bits, bits ^ sign, bits.wrapping_add(1), bits.wrapping_sub(1)]);
    }
    for (from, bits) in &text.ints {
        let value = ops::unary_bits(UnaryOp::SignedToF, ty, Type::Int(*from), *bits);
        list.extend([value, value.wrapping_add(1), value.wrapping_sub(1)]);
    }
    // Next to zero and to infinity (of formats without a hidden bit, the same as encodings go).
    let largest = match kind {
        FloatKind::X87 => (0x7ffe << 64) | u128::from(u64::MAX),
        _ => infinity - 1,
    };
    list.extend([1, 1 | sign, 2, largest, largest | sign, infinity | sign]);
    for power in [7, 8, 15, 16, 23, 24, 25, 31, 32, 52, 53, 54, 62, 63, 64, 100, -20, -100, -126] {
        let value = 2f64.powi(power);
        list.extend([value, -value, value - 1.0, value + 1.0, value * (1.0 + 1e-7)].map(number));
    }
    list.extend([0.3, 1.0 / 3.0, 1e10, 1e-10, 1e20, 1e300, 1e38, 1e-300, 1e-40].map(number));
    list.iter_mut().for_each(|bits| *bits &= ty.mask());
    list
}

/// A number of a type that no list has.
pub(super) fn random(random: &mut Random, ty: Type) -> u128 {
    match ty {
        Type::Float(kind) => {
            let convert = |value: f64| {
                let bits = u128::from(value.to_bits());
                ops::unary_bits(UnaryOp::FConvert, ty, Type::Float(FloatKind::Double), bits)
            };
            let (a, b) = (random.word(), random.word());
            match random.below(4) {
                0 => convert((a % 2001) as f64 / 8.0 - 125.0),
                1 => convert(a as i64 as f64 / (b as i64 as f64)),
                2 => convert((a % 20001) as f64 / 100.0 - 100.0),
                _ if kind == FloatKind::X87 => convert(f64::from_bits(a)),
                _ => random.wide() & ty.mask(),
            }
        }
        _ => {
            let width = u64::from(ty.width());
            let bits = random.wide() >> (128 - 1 - random.below(width.min(127)));
            if random.chance(30) { bits.wrapping_neg() & ty.mask() } else { bits & ty.mask() }
        }
    }
}
