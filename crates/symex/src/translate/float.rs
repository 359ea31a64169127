//! Operators that give floats or compare them.
//!
//! A float is the bits of its encoding. [`decode`] reads them as the number they stand for,
//! [`encode`] writes the bits of a number, with one NaN per format. Operators that only move
//! bits, like the change of a sign, never leave the bits and keep payloads.

use super::{Built, ill_typed, is_negative, width_of};
use verdiff_logic::{Bits, FloatFormat, FloatValue, Op, Rounding, Sort, TermId, TermPool};
use verdiff_model::{BinaryOp, FloatKind, Type, UnaryOp, ops};

/// How C computes, unless `fesetround` was called.
pub(super) const NEAREST: Rounding = Rounding::NearestEven;

/// The format of the numbers of a kind.
pub(super) fn format_of(kind: FloatKind) -> FloatFormat {
    match kind {
        FloatKind::Half => FloatFormat::HALF,
        FloatKind::BFloat => FloatFormat::BFLOAT,
        FloatKind::Single => FloatFormat::SINGLE,
        FloatKind::Double => FloatFormat::DOUBLE,
        FloatKind::X87 => FloatFormat::X87,
        FloatKind::Quad => FloatFormat::QUAD,
    }
}

/// An operator on one operand that gives a float.
pub(super) fn unary(pool: &mut TermPool, op: UnaryOp, to: Type, from: Type, arg: TermId) -> Built {
    use UnaryOp::*;
    match (op, from, to) {
        (SignedToF, Type::Int(_), Type::Float(kind)) => from_int(pool, kind, from, arg, true),
        (UnsignedToF, Type::Int(_), Type::Float(kind)) => from_int(pool, kind, from, arg, false),
        (FConvert, Type::Float(a), Type::Float(b)) => convert(pool, a, b, arg),
        (
            FNeg | FAbs | FSqrt | FFloor | FCeil | FTrunc | FRoundEven | FRound,
            Type::Float(a),
            _,
        ) if to == from => on_one(pool, op, a, arg),
        _ => Err(ill_typed(op, from, "other types")),
    }
}

/// An operator on one float that gives one of its kind.
fn on_one(pool: &mut TermPool, op: UnaryOp, kind: FloatKind, arg: TermId) -> Built {
    use UnaryOp::*;
    let width = u32::from(kind.width());
    let mode = match op {
        FNeg => {
            let sign = pool.constant_bits(&Bits::signed_min(width));
            return pool.bv_xor(arg, sign);
        }
        FAbs => {
            let rest = pool.constant_bits(&Bits::signed_max(width));
            return pool.bv_and(arg, rest);
        }
        FSqrt => {
            let x = decode(pool, kind, arg)?;
            let root = pool.fp_sqrt(NEAREST, x)?;
            return encode(pool, kind, root);
        }
        FFloor => Rounding::Down,
        FCeil => Rounding::Up,
        FTrunc => Rounding::Zero,
        FRound => Rounding::NearestAway,
        _ => Rounding::NearestEven,
    };
    let x = decode(pool, kind, arg)?;
    let rounded = round(pool, kind, mode, x)?;
    encode(pool, kind, rounded)
}

/// The integer next to a float, as a float.
///
/// A bfloat goes by way of a single, which holds it and what it is rounded to: z3 cannot
/// bit-blast `fp.roundToIntegral` in a format whose exponent is as long as its significand.
fn round(pool: &mut TermPool, kind: FloatKind, mode: Rounding, x: TermId) -> Built {
    if kind != FloatKind::BFloat {
        return pool.fp_round(mode, x);
    }
    let wide = pool.fp_convert(NEAREST, FloatFormat::SINGLE, x)?;
    let rounded = pool.fp_round(mode, wide)?;
    pool.fp_convert(NEAREST, FloatFormat::BFLOAT, rounded)
}

/// The float next to an integer.
fn from_int(pool: &mut TermPool, kind: FloatKind, from: Type, arg: TermId, signed: bool) -> Built {
    let format = format_of(kind);
    let arg = if from == Type::BOOL { pool.bool_to_bits(1, arg)? } else { arg };
    let x = if signed {
        pool.fp_from_signed(NEAREST, format, arg)?
    } else {
        pool.fp_from_unsigned(NEAREST, format, arg)?
    };
    encode(pool, kind, x)
}

/// The next float of another kind.
fn convert(pool: &mut TermPool, from: FloatKind, to: FloatKind, arg: TermId) -> Built {
    let x = decode(pool, from, arg)?;
    if from == to {
        // Nothing is computed, but there is one NaN.
        let (nan, canonical) = (pool.fp_is_nan(x)?, canonical_nan(pool, to)?);
        return pool.ite(nan, canonical, arg);
    }
    let y = pool.fp_convert(NEAREST, format_of(to), x)?;
    encode(pool, to, y)
}

/// An operator on two floats of one kind.
pub(super) fn binary(
    pool: &mut TermPool,
    op: BinaryOp,
    kind: FloatKind,
    a: TermId,
    b: TermId,
) -> Built {
    use BinaryOp::*;
    let top = u32::from(kind.width()) - 1;
    if op == FCopySign {
        let (sign, magnitude) = (pool.extract(top, top, b)?, pool.extract(top - 1, 0, a)?);
        return pool.concat(sign, magnitude);
    }
    let (x, y) = (decode(pool, kind, a)?, decode(pool, kind, b)?);
    let result = match op {
        FAdd => pool.fp_add(NEAREST, x, y)?,
        FSub => pool.fp_sub(NEAREST, x, y)?,
        FMul => pool.fp_mul(NEAREST, x, y)?,
        FDiv => pool.fp_div(NEAREST, x, y)?,
        FRem => remainder(pool, kind, (a, x), (b, y))?,
        FMin | FMax => return one_of_numbers(pool, op, kind, (a, x), (b, y)),
        FMinimum | FMaximum => return extremum(pool, op, kind, (a, x), (b, y)),
        _ => return compare(pool, op, x, y),
    };
    encode(pool, kind, result)
}

/// `a * b + c`, rounded once.
pub(super) fn fused_mul_add(
    pool: &mut TermPool,
    kind: FloatKind,
    a: TermId,
    b: TermId,
    c: TermId,
) -> Built {
    let (x, y, z) = (decode(pool, kind, a)?, decode(pool, kind, b)?, decode(pool, kind, c)?);
    let result = pool.fp_fma(NEAREST, x, y, z)?;
    encode(pool, kind, result)
}

/// A comparison; those that hold of a NaN are negations.
fn compare(pool: &mut TermPool, op: BinaryOp, x: TermId, y: TermId) -> Built {
    use BinaryOp::*;
    match op {
        FOeq => pool.fp_eq(x, y),
        FOne => {
            let (less, greater) = (pool.fp_lt(x, y)?, pool.fp_lt(y, x)?);
            pool.or(&[less, greater])
        }
        FOlt => pool.fp_lt(x, y),
        FOle => pool.fp_le(x, y),
        FOgt => pool.fp_lt(y, x),
        FOge => pool.fp_le(y, x),
        FUno => either_nan(pool, x, y),
        _ => match op.negated() {
            Some(opposite @ (FOeq | FOne | FOlt | FOle | FOgt | FOge | FUno)) => {
                let holds = compare(pool, opposite, x, y)?;
                pool.not(holds)
            }
            _ => unreachable!("{op:?} is no comparison of floats"),
        },
    }
}

/// Bits and the number they stand for.
type Operand = (TermId, TermId);

/// `fmin` and `fmax`: of a NaN and a number the number; of equal numbers (zeros) the first.
fn one_of_numbers(
    pool: &mut TermPool,
    op: BinaryOp,
    kind: FloatKind,
    (a, x): Operand,
    (b, y): Operand,
) -> Built {
    let beyond = if op == BinaryOp::FMin { pool.fp_lt(y, x)? } else { pool.fp_lt(x, y)? };
    // If `b` is a NaN it is not beyond `a`.
    let chosen = pool.ite(beyond, b, a)?;
    let (nan_x, nan_y) = (pool.fp_is_nan(x)?, pool.fp_is_nan(y)?);
    let nan = canonical_nan(pool, kind)?;
    let without_a = pool.ite(nan_y, nan, b)?;
    pool.ite(nan_x, without_a, chosen)
}

/// `fminimum` and `fmaximum`: a NaN if one is, minus zero below zero.
fn extremum(
    pool: &mut TermPool,
    op: BinaryOp,
    kind: FloatKind,
    (a, x): Operand,
    (b, y): Operand,
) -> Built {
    let width = u32::from(kind.width());
    let sign = is_negative(pool, width, a)?;
    let (before, first_if_equal) = if op == BinaryOp::FMinimum {
        (pool.fp_lt(x, y)?, sign)
    } else {
        (pool.fp_lt(y, x)?, pool.not(sign)?)
    };
    let equal = pool.fp_eq(x, y)?;
    let tie = pool.and(&[equal, first_if_equal])?;
    let first = pool.or(&[before, tie])?;
    let chosen = pool.ite(first, a, b)?;
    let (nan, canonical) = (either_nan(pool, x, y)?, canonical_nan(pool, kind)?);
    pool.ite(nan, canonical, chosen)
}

/// C's `fmod`: a NaN or the dividend where no division is needed, else an uninterpreted function
/// of the bits. See the gap in the module [`translate`](super).
fn remainder(pool: &mut TermPool, kind: FloatKind, (a, x): Operand, (b, y): Operand) -> Built {
    let bits = Sort::BitVec(u32::from(kind.width()));
    let function = pool.function(&format!("frem.{}", Type::Float(kind)), &[bits, bits], bits)?;
    let unknown = pool.call(function, &[a, b])?;
    let unknown = decode(pool, kind, unknown)?;
    let (size_x, size_y) = (pool.fp_abs(x)?, pool.fp_abs(y)?);
    let smaller = pool.fp_lt(size_x, size_y)?;
    let result = pool.ite(smaller, x, unknown)?;
    let no_number = [either_nan(pool, x, y)?, pool.fp_is_infinite(x)?, pool.fp_is_zero(y)?];
    let no_number = pool.or(&no_number)?;
    let nan = pool.constant_float(&FloatValue::nan(format_of(kind)));
    pool.ite(no_number, nan, result)
}

fn either_nan(pool: &mut TermPool, x: TermId, y: TermId) -> Built {
    let (nan_x, nan_y) = (pool.fp_is_nan(x)?, pool.fp_is_nan(y)?);
    pool.or(&[nan_x, nan_y])
}

fn canonical_nan(pool: &mut TermPool, kind: FloatKind) -> Built {
    pool.bits(width_of(Type::Float(kind)), ops::canonical_nan(kind))
}

/// The float that some bits stand for.
///
/// The x87 format has an integer bit between exponent and fraction that [`FloatFormat::X87`]
/// does not have. It is set if and only if the exponent is not zero, but for encodings that
/// hardware does not make:
///
/// | exponent | integer bit | |
/// |---|---|---|
/// | not 0 | 0 | refused by every operation: a NaN |
/// | 0 | 1 | a "pseudo-denormal": the number with exponent 1 |
pub(super) fn decode(pool: &mut TermPool, kind: FloatKind, bits: TermId) -> Built {
    if let Some(x) = encoded(pool, kind, bits) {
        return Ok(x);
    }
    let constant = pool.as_bits(bits).and_then(|bits| decode_constant(kind, bits.to_u128()?));
    if let Some(value) = constant {
        return Ok(pool.constant_float(&value));
    }
    if kind != FloatKind::X87 {
        return pool.fp_from_bits(format_of(kind), bits);
    }
    let sign = pool.extract(79, 79, bits)?;
    let exponent = pool.extract(78, 64, bits)?;
    let integer = pool.extract(63, 63, bits)?;
    let fraction = pool.extract(62, 0, bits)?;
    let (zero, one) = (pool.bits(15, 0)?, pool.bits(15, 1)?);
    let set = pool.bits(1, 1)?;
    let (low, has_integer) = (pool.eq(exponent, zero)?, pool.eq(integer, set)?);
    let (high, no_integer) = (pool.not(low)?, pool.not(has_integer)?);
    let pseudo_denormal = pool.and(&[low, has_integer])?;
    let exponent = pool.ite(pseudo_denormal, one, exponent)?;
    let plain = pool.apply_op(Op::Concat, &[sign, exponent, fraction])?;
    let refused = pool.and(&[high, no_integer])?;
    let nan = pool.constant_bits(FloatValue::nan(FloatFormat::X87).bits());
    let plain = pool.ite(refused, nan, plain)?;
    pool.fp_from_bits(FloatFormat::X87, plain)
}

/// The bits of a float, with one NaN.
pub(super) fn encode(pool: &mut TermPool, kind: FloatKind, x: TermId) -> Built {
    let bits = pool.fp_to_bits(x)?;
    if kind != FloatKind::X87 {
        return Ok(bits);
    }
    let top = pool.extract(78, 63, bits)?;
    let exponent = pool.extract(77, 63, bits)?;
    let fraction = pool.extract(62, 0, bits)?;
    let zero = pool.bits(15, 0)?;
    let low = pool.eq(exponent, zero)?;
    let high = pool.not(low)?;
    let integer = pool.bool_to_bits(1, high)?;
    pool.apply_op(Op::Concat, &[top, integer, fraction])
}

/// The float that [`encode`] made these bits of, if it did: so a chain of operators is one of
/// floats, without a detour through bits at every link. Terms are hash-consed, so encoding the
/// candidate again tells for sure.
fn encoded(pool: &mut TermPool, kind: FloatKind, bits: TermId) -> Option<TermId> {
    let mut plain = bits;
    if kind == FloatKind::X87 {
        let &[top, _, _] = pool.operands(bits) else { return None };
        let &[whole] = pool.operands(top) else { return None };
        plain = whole;
    }
    let &[_, _, raw] = pool.operands(plain) else { return None };
    let &[x] = pool.operands(raw) else { return None };
    let candidate = pool.op(raw) == Op::FpToBits && pool.sort(x) == Sort::Float(format_of(kind));
    (candidate && encode(pool, kind, x) == Ok(bits)).then_some(x)
}

/// The float that constant bits stand for: [`decode`] on values.
fn decode_constant(kind: FloatKind, bits: u128) -> Option<FloatValue> {
    let format = format_of(kind);
    if ops::is_nan(kind, bits) {
        return Some(FloatValue::nan(format));
    }
    let mut plain = bits;
    if kind == FloatKind::X87 {
        let integer = bits >> 63 & 1;
        let (top, fraction) = (bits >> 64, bits & (u128::from(u64::MAX) >> 1));
        let pseudo_denormal = top & 0x7fff == 0 && integer == 1;
        plain = (top | u128::from(pseudo_denormal)) << 63 | fraction;
    }
    FloatValue::from_bits(format, Bits::new(format.width(), plain))
}
