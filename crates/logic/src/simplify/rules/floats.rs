//! Floats: only what holds for every value, NaN, infinities and both zeros included.

use super::{Rule, Sample, binary, ite, negate, unary};
use crate::bits::Bits;
use crate::float::FloatValue;
use crate::op::Op;
use crate::sort::{FloatFormat, Rounding, Sort};
use crate::term::{TermId, TermPool};

fn times(s: &mut Sample<'_>, negative: bool, exponent: i64) -> Option<TermId> {
    let (f, format) = (s.float("f"), s.format());
    let factor = FloatValue::power_of_two(format, negative, exponent)?;
    let factor = s.pool.constant_float(&factor);
    Some(s.mk(Op::FpMul(s.mode()), &[f, factor]))
}

/// An integer converted to a format by way of a float with six bits of significand.
fn integer_through(s: &mut Sample<'_>, width: u32, signed: bool) -> Option<TermId> {
    let (x, through) = (s.bv_of(width, "i"), FloatFormat::new(3, 6).ok()?);
    let from = if signed { Op::FpFromSigned } else { Op::FpFromUnsigned };
    let wide = s.mk(from(s.mode(), through), &[x]);
    let narrow = FloatFormat::new(2, 3 + s.width % 2).ok()?;
    Some(s.mk(Op::FpConvert(s.mode(), narrow), &[wide]))
}

pub(super) const RULES: &[Rule] = &[
    Rule {
        name: "sign_of_sign",
        apply: |pool, t| {
            let op = pool.op(t);
            let x = *pool.operands(t).first()?;
            let inner = match pool.op(x) {
                Op::FpNeg | Op::FpAbs => pool.operands(x)[0],
                _ => return None,
            };
            match (op, pool.op(x)) {
                (Op::FpNeg, Op::FpNeg) => Some(inner),
                (Op::FpAbs, _) => Some(pool.mk(Op::FpAbs, &[inner])),
                (Op::FpIsNan | Op::FpIsZero | Op::FpIsInfinite, _) => Some(pool.mk(op, &[inner])),
                _ => None,
            }
        },
        fires: &[
            |s| Some(s.float("f")).map(|f| s.mk(Op::FpNeg, &[f])).map(|f| s.mk(Op::FpNeg, &[f])),
            |s| Some(s.float("f")).map(|f| s.mk(Op::FpNeg, &[f])).map(|f| s.mk(Op::FpAbs, &[f])),
            |s| Some(s.float("f")).map(|f| s.mk(Op::FpAbs, &[f])).map(|f| s.mk(Op::FpIsZero, &[f])),
        ],
        near_miss: |s| {
            Some(s.float("f")).map(|f| s.mk(Op::FpAbs, &[f])).map(|f| s.mk(Op::FpNeg, &[f]))
        },
    },
    Rule {
        name: "float_against_itself",
        apply: |pool, t| {
            let (a, b) = binary(pool, t, pool.op(t))?;
            match pool.op(t) {
                Op::FpLt if a == b => Some(pool.falsity()),
                Op::FpEq | Op::FpLe if a == b => {
                    let nan = pool.mk(Op::FpIsNan, &[a]);
                    Some(pool.mk(Op::Not, &[nan]))
                }
                _ => None,
            }
        },
        fires: &[
            |s| Some(s.float("f")).map(|f| s.mk(Op::FpEq, &[f, f])),
            |s| Some(s.float("f")).map(|f| s.mk(Op::FpLe, &[f, f])),
            |s| Some(s.float("f")).map(|f| s.mk(Op::FpLt, &[f, f])),
        ],
        near_miss: |s| Some([s.float("f"), s.float("g")]).map(|pair| s.mk(Op::FpEq, &pair)),
    },
    Rule {
        name: "float_times_one",
        apply: |pool, t| {
            let Op::FpMul(_) = pool.op(t) else { return None };
            let (constant, x) = constant_operand(pool, t)?;
            let one = |negative| FloatValue::power_of_two(constant.format(), negative, 0);
            if Some(&constant) == one(false).as_ref() {
                return Some(x);
            }
            (Some(&constant) == one(true).as_ref()).then(|| pool.mk(Op::FpNeg, &[x]))
        },
        fires: &[|s| times(s, false, 0), |s| times(s, true, 0)],
        near_miss: |s| times(s, false, 1),
    },
    Rule {
        name: "float_times_two",
        apply: |pool, t| {
            let Op::FpMul(mode) = pool.op(t) else { return None };
            let (constant, x) = constant_operand(pool, t)?;
            let two = FloatValue::power_of_two(constant.format(), false, 1)?;
            (constant == two).then(|| pool.mk(Op::FpAdd(mode), &[x, x]))
        },
        fires: &[|s| times(s, false, 1)],
        near_miss: |s| times(s, false, 2),
    },
    Rule {
        name: "float_divided_by_power_of_two",
        apply: |pool, t| {
            let Op::FpDiv(mode) = pool.op(t) else { return None };
            let (x, divisor) = binary(pool, t, Op::FpDiv(mode))?;
            let divisor = pool.as_float(divisor)?;
            let inverse = inverse_power(&divisor)?;
            let inverse = pool.constant_float(&inverse);
            Some(pool.mk(Op::FpMul(mode), &[x, inverse]))
        },
        fires: &[|s| {
            let (f, two) = (s.float("f"), FloatValue::power_of_two(s.format(), true, 1)?);
            let two = s.pool.constant_float(&two);
            Some(s.mk(Op::FpDiv(s.mode()), &[f, two]))
        }],
        near_miss: |s| {
            let (f, two) = (s.float("f"), FloatValue::power_of_two(s.format(), false, 1)?);
            let three = two.add(&FloatValue::power_of_two(s.format(), false, 0)?, Rounding::Zero);
            let three = s.pool.constant_float(&three);
            Some(s.mk(Op::FpDiv(s.mode()), &[f, three]))
        },
    },
    Rule {
        name: "negative_zero_is_neutral",
        apply: |pool, t| {
            let Op::FpAdd(mode) = pool.op(t) else { return None };
            let (constant, x) = constant_operand(pool, t)?;
            // Rounding down, the sum of unlike zeros is negative: there the neutral zero is +0.
            let neutral = FloatValue::zero(constant.format(), mode != Rounding::Down);
            (constant == neutral).then_some(x)
        },
        fires: &[|s| {
            let (f, mode) = (s.float("f"), s.mode());
            let zero = FloatValue::zero(s.format(), mode != Rounding::Down);
            let zero = s.pool.constant_float(&zero);
            Some(s.mk(Op::FpAdd(mode), &[f, zero]))
        }],
        near_miss: |s| {
            let (f, zero) = (s.float("f"), FloatValue::zero(s.format(), false));
            let zero = s.pool.constant_float(&zero);
            Some(s.mk(Op::FpAdd(Rounding::NearestEven), &[f, zero]))
        },
    },
    Rule {
        name: "signs_of_a_product",
        apply: signs_of_a_product,
        fires: &[
            |s| {
                let (f, g) = (s.float("f"), s.float("g"));
                let (f, g) = (s.mk(Op::FpNeg, &[f]), s.mk(Op::FpNeg, &[g]));
                Some(s.mk(Op::FpMul(s.mode()), &[f, g]))
            },
            |s| {
                let (f, g) = (s.float("f"), s.float("g"));
                let f = s.mk(Op::FpNeg, &[f]);
                Some(s.mk(Op::FpMul(Rounding::NearestEven), &[g, f]))
            },
        ],
        near_miss: |s| {
            let (f, g) = (s.float("f"), s.float("g"));
            let f = s.mk(Op::FpNeg, &[f]);
            Some(s.mk(Op::FpMul(Rounding::Up), &[g, f]))
        },
    },
    Rule {
        name: "float_kept_in_its_format",
        apply: |pool, t| {
            let Op::FpConvert(mode, format) = pool.op(t) else { return None };
            let x = unary(pool, t, Op::FpConvert(mode, format))?;
            (pool.sort(x) == Sort::Float(format)).then_some(x)
        },
        fires: &[|s| Some(s.float("f")).map(|f| s.mk(Op::FpConvert(s.mode(), s.format()), &[f]))],
        near_miss: |s| {
            Some(s.float("f")).map(|f| s.mk(Op::FpConvert(s.mode(), FloatFormat::HALF), &[f]))
        },
    },
    Rule {
        name: "integer_through_wider_format",
        apply: |pool, t| {
            let Op::FpConvert(mode, format) = pool.op(t) else { return None };
            let wide = unary(pool, t, Op::FpConvert(mode, format))?;
            let (op, through) = match pool.op(wide) {
                Op::FpFromSigned(_, through) => (Op::FpFromSigned(mode, format), through),
                Op::FpFromUnsigned(_, through) => (Op::FpFromUnsigned(mode, format), through),
                _ => return None,
            };
            let x = *pool.operands(wide).first()?;
            // Every value has its bits in the significand and its exponent in range.
            let width = pool.width(x);
            let highest = (1u64 << (through.exponent() - 1).min(40)) - 1;
            let exact = width <= through.significand() && u64::from(width) <= highest;
            exact.then(|| pool.mk(op, &[x]))
        },
        fires: &[|s| integer_through(s, 3, true), |s| integer_through(s, 3, false)],
        near_miss: |s| integer_through(s, 7, true),
    },
    Rule {
        name: "bits_and_back",
        apply: |pool, t| {
            let Op::FpFromBits(format) = pool.op(t) else { return None };
            let bits = unary(pool, t, Op::FpFromBits(format))?;
            let (nan, constant, raw) = ite(pool, bits)?;
            let x = unary(pool, raw, Op::FpToBits)?;
            let known = pool.as_bits(constant)? == *FloatValue::nan(format).bits();
            (known && unary(pool, nan, Op::FpIsNan)? == x).then_some(x)
        },
        fires: &[|s| {
            let f = s.float("f");
            let bits = s.pool.fp_to_bits(f).ok()?;
            Some(s.mk(Op::FpFromBits(s.format()), &[bits]))
        }],
        near_miss: |s| {
            let bits = s.bv_of(s.format().width(), "x");
            Some(s.mk(Op::FpFromBits(s.format()), &[bits]))
        },
    },
    Rule {
        name: "nan_by_its_bits",
        apply: nan_by_its_bits,
        fires: &[|s| Some(s.float("f")).and_then(|f| below_nan(s, f, 1))],
        near_miss: |s| Some(s.float("f")).and_then(|f| below_nan(s, f, 2)),
    },
    Rule {
        name: "equal_bits_of_floats",
        apply: |pool, t| {
            let (a, b) = binary(pool, t, Op::Eq)?;
            let (x, y) = (float_of_bits(pool, a)?, float_of_bits(pool, b)?);
            // Formats of one width differ in what is a NaN.
            (pool.sort(x) == pool.sort(y)).then(|| pool.mk(Op::Eq, &[x, y]))
        },
        fires: &[|s| {
            let (f, g) = (s.float("f"), s.float("g"));
            let (f, g) = (s.pool.fp_to_bits(f).ok()?, s.pool.fp_to_bits(g).ok()?);
            Some(s.mk(Op::Eq, &[f, g]))
        }],
        near_miss: |s| {
            let f = s.float("f");
            let (f, x) = (s.pool.fp_to_bits(f).ok()?, s.bv_of(s.format().width(), "x"));
            Some(s.mk(Op::Eq, &[f, x]))
        },
    },
    Rule {
        name: "number_of_these_bits",
        apply: number_of_these_bits,
        fires: &[
            |s| {
                let (number, equal) = number_of_bits(s)?;
                Some(s.mk(Op::And, &[number, equal]))
            },
            |s| {
                let (number, equal) = number_of_bits(s)?;
                let [nan, unequal] = [number, equal].map(|t| negate(s.pool, t));
                Some(s.mk(Op::Or, &[unequal, nan]))
            },
        ],
        near_miss: |s| {
            let (number, equal) = number_of_bits(s)?;
            let nan = negate(s.pool, number);
            Some(s.mk(Op::And, &[nan, equal]))
        },
    },
];

/// Whether the bits of a float without its sign are below those of the infinities and some more.
fn below_nan(s: &mut Sample<'_>, float: TermId, more: u128) -> Option<TermId> {
    let width = s.format().width();
    let infinity = FloatValue::infinity(s.format(), false).bits().extract(width - 2, 0);
    let limit = s.pool.constant_bits(&infinity.add(&Bits::new(width - 1, more)));
    let nan = s.mk(Op::FpIsNan, &[float]);
    let ones = s.pool.constant_bits(&Bits::ones(width - 1));
    let bits = s.mk(Op::FpToBits, &[float]);
    let bits = s.mk(Op::Extract { high: width - 2, low: 0 }, &[bits]);
    let bits = s.mk(Op::Ite, &[nan, ones, bits]);
    Some(s.mk(Op::BvUlt, &[bits, limit]))
}

/// That a float is no NaN, and that its bits are those of one.
fn number_of_bits(s: &mut Sample<'_>) -> Option<(TermId, TermId)> {
    let f = s.float("f");
    let one = FloatValue::power_of_two(s.format(), false, 0)?;
    let (one, bits) = (s.pool.constant_bits(one.bits()), s.mk(Op::FpToBits, &[f]));
    let nan = s.mk(Op::FpIsNan, &[f]);
    Some((s.mk(Op::Not, &[nan]), s.mk(Op::Eq, &[one, bits])))
}

/// The float whose bits these are, those of one NaN for every NaN.
fn float_of_bits(pool: &TermPool, bits: TermId) -> Option<TermId> {
    let (nan, constant, raw) = ite(pool, bits)?;
    let x = unary(pool, raw, Op::FpToBits)?;
    let Sort::Float(format) = pool.sort(x) else { return None };
    let known = pool.as_bits(constant)? == *FloatValue::nan(format).bits();
    (known && unary(pool, nan, Op::FpIsNan)? == x).then_some(x)
}

/// Without its sign, a float is above the infinities exactly if it is a NaN. What the bits of a NaN are does not matter:
/// they are not asked for.
fn nan_by_its_bits(pool: &mut TermPool, t: TermId) -> Option<TermId> {
    let (bits, limit) = binary(pool, t, Op::BvUlt)?;
    let (nan, of_nan, rest) = ite(pool, bits)?;
    let &[raw] = pool.operands(rest) else { return None };
    let x = unary(pool, raw, Op::FpToBits)?;
    let Sort::Float(format) = pool.sort(x) else { return None };
    let magnitude = Op::Extract { high: format.width() - 2, low: 0 };
    let infinity = FloatValue::infinity(format, false).bits().extract(format.width() - 2, 0);
    let (limit, of_nan) = (pool.as_bits(limit)?, pool.as_bits(of_nan)?);
    let is_rule = pool.op(rest) == magnitude
        && unary(pool, nan, Op::FpIsNan)? == x
        && limit == infinity.add(&Bits::one(limit.width()))
        && of_nan.to_biguint() >= limit.to_biguint();
    is_rule.then(|| pool.mk(Op::Not, &[nan]))
}

/// A float that is no NaN and has the bits of a number is that number; what the bits of a NaN are does not matter.
fn number_of_these_bits(pool: &mut TermPool, t: TermId) -> Option<TermId> {
    let op = pool.op(t);
    if !matches!(op, Op::And | Op::Or) {
        return None;
    }
    let operands = pool.operands(t).to_vec();
    // Of a disjunction the negations are looked at.
    let positive = |pool: &TermPool, term: TermId| match op {
        Op::And => Some(term),
        _ => unary(pool, term, Op::Not),
    };
    for (index, operand) in operands.iter().enumerate() {
        let Some((a, b)) = positive(pool, *operand).and_then(|t| binary(pool, t, Op::Eq)) else {
            continue;
        };
        let (constant, raw) = if pool.as_bits(a).is_some() { (a, b) } else { (b, a) };
        let (Some(bits), Some(x)) = (pool.as_bits(constant), unary(pool, raw, Op::FpToBits)) else {
            continue;
        };
        let Sort::Float(format) = pool.sort(x) else { continue };
        let Some(value) = FloatValue::from_bits(format, bits).filter(|v| !v.is_nan()) else {
            continue;
        };
        let nan = operands.iter().position(|o| {
            let nan = if op == Op::And { unary(pool, *o, Op::Not) } else { Some(*o) };
            nan.and_then(|nan| unary(pool, nan, Op::FpIsNan)) == Some(x)
        });
        let Some(nan) = nan else { continue };
        let value = pool.constant_float(&value);
        let same = pool.mk(Op::Eq, &[x, value]);
        let mut rest = operands.clone();
        rest[index] = if op == Op::And { same } else { pool.mk(Op::Not, &[same]) };
        rest.remove(nan);
        return Some(if rest.len() == 1 { rest[0] } else { pool.mk(op, &rest) });
    }
    None
}

/// The constant and the other operand, if exactly one is constant.
fn constant_operand(pool: &TermPool, t: TermId) -> Option<(FloatValue, TermId)> {
    let &[a, b] = pool.operands(t) else { return None };
    match (pool.as_float(a), pool.as_float(b)) {
        (Some(constant), None) => Some((constant, b)),
        (None, Some(constant)) => Some((constant, a)),
        _ => None,
    }
}

/// `1 / c`, if `c` and that are normal powers of two.
fn inverse_power(c: &FloatValue) -> Option<FloatValue> {
    let format = c.format();
    let one = FloatValue::power_of_two(format, false, 0)?;
    let inverse = one.div(c, Rounding::NearestEven);
    let (_, exponent, fraction) = c.fields();
    let (_, inverse_exponent, inverse_fraction) = inverse.fields();
    let normal = |field: &crate::bits::Bits| !field.is_zero() && !field.is_ones();
    let exact = fraction.is_zero() && inverse_fraction.is_zero();
    (exact && normal(&exponent) && normal(&inverse_exponent)).then_some(inverse)
}

/// Two signs cancel; one moves outside where rounding does not know directions.
fn signs_of_a_product(pool: &mut TermPool, t: TermId) -> Option<TermId> {
    let op = pool.op(t);
    let mode = match op {
        Op::FpMul(mode) | Op::FpDiv(mode) => mode,
        _ => return None,
    };
    let (a, b) = binary(pool, t, op)?;
    match (unary(pool, a, Op::FpNeg), unary(pool, b, Op::FpNeg)) {
        (Some(a), Some(b)) => Some(pool.mk(op, &[a, b])),
        (None, None) => None,
        (x, y) if !matches!(mode, Rounding::Up | Rounding::Down) => {
            let product = pool.mk(op, &[x.unwrap_or(a), y.unwrap_or(b)]);
            Some(pool.mk(Op::FpNeg, &[product]))
        }
        _ => None,
    }
}
