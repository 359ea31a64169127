//! Which bytes and numbers are simpler than others.

use super::{Element, ElementKind};
use crate::Type;
use crate::types::FloatKind;

/// How complicated bytes are.
pub(super) fn weight(bytes: &[u8], element: Option<Element>) -> u128 {
    match element {
        Some(Element { kind: ElementKind::Text, .. }) => {
            let byte = |byte: &u8| match byte {
                b'a' => 0,
                b'b' => 1,
                b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' => 3,
                0 => 2,
                b' '..=b'~' => 4,
                _ => 5,
            };
            bytes.iter().map(byte).sum()
        }
        Some(Element { kind: ElementKind::Number(ty), size }) => bytes
            .chunks(size)
            .map(|chunk| {
                let mut word = [0; 16];
                word[..chunk.len()].copy_from_slice(chunk);
                cost(ty, u128::from_le_bytes(word))
            })
            .sum(),
        _ => bytes.iter().map(|byte| u128::from(*byte != 0) * 256 + u128::from(*byte)).sum(),
    }
}

/// How complicated a number is: its size, a sign on top; what is no whole number is worse than any that is.
/// Small enough that the numbers of the largest object can be added up.
pub(super) fn cost(ty: Type, bits: u128) -> u128 {
    match ty {
        Type::Float(kind) => match number(kind, bits) {
            Some(value) if value.is_nan() => 1 << 103,
            Some(value) if value.is_infinite() => 1 << 102,
            Some(value) if value == value.trunc() && value.abs() < 1e15 => {
                value.abs() as u128 * 2 + u128::from(value.is_sign_negative())
            }
            Some(_) => (1 << 100) + u128::from(bits.count_ones()),
            None => u128::from(bits != 0) << 100,
        },
        _ => {
            let value = signed(ty, bits);
            value.unsigned_abs().min(1 << 98) * 2 + u128::from(value < 0)
        }
    }
}

fn signed(ty: Type, bits: u128) -> i128 {
    let unused = 128 - u32::from(ty.width());
    ((bits << unused) as i128) >> unused
}

fn number(kind: FloatKind, bits: u128) -> Option<f64> {
    match kind {
        FloatKind::Single => Some(f64::from(f32::from_bits(bits as u32))),
        FloatKind::Double => Some(f64::from_bits(bits as u64)),
        _ => None,
    }
}

/// Simpler numbers than this one, the simplest first.
pub(super) fn simpler(ty: Type, bits: u128) -> Vec<u128> {
    match ty {
        Type::Float(kind) => simpler_float(kind, bits),
        _ => simpler_integer(ty, bits),
    }
}

fn simpler_float(kind: FloatKind, bits: u128) -> Vec<u128> {
    let Some(value) = number(kind, bits) else { return vec![0] };
    let mut options = vec![0.0, 1.0, -1.0, 2.0, 3.0, 10.0, 100.0, value.trunc()];
    let mut step = value / 2.0;
    while step.abs() > 0.5 && step.is_finite() {
        options.push((value - step).trunc());
        step /= 2.0;
    }
    options.extend([value - value.signum(), (value * 8.0).trunc() / 8.0]);
    let encode = |option: f64| match kind {
        FloatKind::Single => u128::from((option as f32).to_bits()),
        _ => u128::from(option.to_bits()),
    };
    options.into_iter().filter(|option| option.is_finite()).map(encode).collect()
}

fn simpler_integer(ty: Type, bits: u128) -> Vec<u128> {
    let value = signed(ty, bits);
    let mut list = vec![0, 1, -1, 2, value.unsigned_abs() as i128];
    // Half of the way, a quarter, an eighth: to the edge of what matters.
    let mut step = value;
    while step != 0 {
        list.push(value - step);
        step /= 2;
    }
    // A mask or a sum of powers of two.
    let set = (0..ty.width()).rev().filter(|bit| bits >> bit & 1 == 1);
    list.extend(set.map(|bit| signed(ty, bits & !(1 << bit))));
    list.into_iter().map(|value| value as u128 & ty.mask()).collect()
}
