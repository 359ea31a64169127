//! Floating-point constants as C writes them.

use crate::types::FloatKind;

/// A constant of the format, from its bits.
pub(super) fn constant(kind: FloatKind, bits: u128) -> String {
    match kind {
        FloatKind::Single => {
            let value = f32::from_bits(bits as u32);
            special(f64::from(value)).unwrap_or_else(|| format!("{value:?}f"))
        }
        FloatKind::Double => {
            let value = f64::from_bits(bits as u64);
            special(value).unwrap_or_else(|| format!("{value:?}"))
        }
        FloatKind::Half => exact(kind, parts(bits, 5, 10), "f16"),
        FloatKind::BFloat => {
            let value = f32::from_bits((bits as u32) << 16);
            special(f64::from(value)).unwrap_or_else(|| format!("{value:?}bf16"))
        }
        FloatKind::X87 => {
            // The leading bit of the significand is explicit here.
            let (sign, exponent) = (bits >> 79 & 1 == 1, (bits >> 64 & 0x7fff) as i32);
            exact(kind, (sign, exponent, 15, bits & u128::from(u64::MAX), 63), "L")
        }
        FloatKind::Quad => exact(kind, parts(bits, 15, 112), "q"),
    }
    .replace("bits", &format!("{bits:#x}"))
}

fn special(value: f64) -> Option<String> {
    if value.is_nan() {
        Some("NAN".to_owned())
    } else if value.is_infinite() {
        Some(if value > 0.0 { "INFINITY" } else { "-INFINITY" }.to_owned())
    } else {
        None
    }
}

/// Sign, biased exponent, width of the exponent, significand with its leading bit, and the
/// number of bits after the point.
type DecodedFloat = (bool, i32, u32, u128, u32);

fn parts(bits: u128, exponent_width: u32, fraction_width: u32) -> DecodedFloat {
    let sign = bits >> (exponent_width + fraction_width) & 1 == 1;
    let exponent = (bits >> fraction_width & ((1 << exponent_width) - 1)) as i32;
    let fraction = bits & ((1 << fraction_width) - 1);
    let leading = if exponent == 0 { 0 } else { 1u128 << fraction_width };
    (sign, exponent, exponent_width, fraction | leading, fraction_width)
}

/// As a double with a suffix where that is exact, else by its bits.
fn exact(kind: FloatKind, parts: DecodedFloat, suffix: &str) -> String {
    let (sign, exponent, exponent_width, significand, fraction_width) = parts;
    let minus = if sign { "-" } else { "" };
    if exponent == (1 << exponent_width) - 1 {
        let infinite = significand << (128 - fraction_width) == 0;
        return if infinite { format!("{minus}INFINITY") } else { "NAN".to_owned() };
    }
    let bias = (1 << (exponent_width - 1)) - 1;
    let zeros = significand.trailing_zeros().min(127);
    let odd = significand >> zeros;
    let power = exponent.max(1) - bias - fraction_width as i32 + zeros as i32;
    if odd >> 53 != 0 || !(-900..=900).contains(&power) {
        return format!("{kind:?}(bits)");
    }
    let value = odd as f64 * 2f64.powi(power);
    format!("{minus}{value:?}{suffix}")
}
