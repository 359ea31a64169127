//! Construction of terms. Every function checks its operands and gives a typed error; none
//! simplifies (that is [`TermPool::simplify`]), except that a conjunction, sum and so on of one
//! operand is that operand.

use crate::bits::Bits;
use crate::error::LogicError;
use crate::float::FloatValue;
use crate::op::Op;
use crate::sort::{FloatFormat, Rounding, Sort};
use crate::term::{FunctionId, TermId, TermPool};
use crate::value::Value;

pub(crate) type Built = Result<TermId, LogicError>;

/// Binary operators that are one [`Op`].
macro_rules! binary {
    ($($(#[$doc:meta])* $name:ident = $op:expr;)*) => {
        impl TermPool { $(
            $(#[$doc])*
            pub fn $name(&mut self, a: TermId, b: TermId) -> Built {
                self.apply_op($op, &[a, b])
            }
        )* }
    };
}

binary! {
    /// `(= a b)`.
    eq = Op::Eq;
    /// `(bvadd a b)`.
    bv_add = Op::BvAdd;
    /// `(bvmul a b)`.
    bv_mul = Op::BvMul;
    /// `(bvand a b)`.
    bv_and = Op::BvAnd;
    /// `(bvor a b)`.
    bv_or = Op::BvOr;
    /// `(bvxor a b)`.
    bv_xor = Op::BvXor;
    /// `(bvudiv a b)`: all ones if `b` is zero.
    bv_udiv = Op::BvUdiv;
    /// `(bvsdiv a b)`.
    bv_sdiv = Op::BvSdiv;
    /// `(bvurem a b)`: `a` if `b` is zero.
    bv_urem = Op::BvUrem;
    /// `(bvsrem a b)`.
    bv_srem = Op::BvSrem;
    /// `(bvshl a b)`: zero from the width on.
    bv_shl = Op::BvShl;
    /// `(bvlshr a b)`: zero from the width on.
    bv_lshr = Op::BvLshr;
    /// `(bvashr a b)`: all sign bits from the width on.
    bv_ashr = Op::BvAshr;
    /// `(bvult a b)`.
    bv_ult = Op::BvUlt;
    /// `(bvslt a b)`.
    bv_slt = Op::BvSlt;
    /// `(concat high low)`.
    concat = Op::Concat;
    /// `(select array index)`.
    select = Op::Select;
    /// IEEE equality: the zeros are equal, NaN equals nothing.
    fp_eq = Op::FpEq;
    /// `(fp.lt a b)`.
    fp_lt = Op::FpLt;
    /// `(fp.leq a b)`.
    fp_le = Op::FpLe;
}

impl TermPool {
    /// Any operator on any operands, checked. The functions below are the comfortable way.
    pub fn apply_op(&mut self, op: Op, operands: &[TermId]) -> Built {
        if let (true, &[only]) = (op.is_associative(), operands) {
            self.check(only)?;
            return Ok(only);
        }
        self.check_room()?;
        let sort = self.sort_of(op, operands)?;
        Ok(self.intern(op, sort, operands))
    }

    /// [`TermPool::apply_op`] for callers inside the crate that build from terms they have
    /// already looked at.
    ///
    /// # Panics
    /// If the sorts do not fit, which is a bug of the caller.
    pub(crate) fn mk(&mut self, op: Op, operands: &[TermId]) -> TermId {
        match self.apply_op(op, operands) {
            Ok(term) => term,
            Err(error) => panic!("ill-sorted term built inside the crate: {error}"),
        }
    }

    /// `true`.
    pub fn truth(&self) -> TermId {
        TermId(1)
    }

    /// `false`.
    pub fn falsity(&self) -> TermId {
        TermId(0)
    }

    /// A truth value.
    pub fn boolean(&self, value: bool) -> TermId {
        if value { self.truth() } else { self.falsity() }
    }

    /// The bit-vector constant `value` modulo `2^width`.
    pub fn bits(&mut self, width: u32, value: u128) -> Built {
        let value = Bits::checked(width, value)?;
        Ok(self.constant_bits(&value))
    }

    /// The bit-vector constant `value` modulo `2^width`.
    pub fn bits_signed(&mut self, width: u32, value: i128) -> Built {
        Sort::bits(width)?;
        Ok(self.constant_bits(&Bits::from_signed(width, value)))
    }

    /// A constant of any value that a term can write down: not an element of an uninterpreted
    /// sort.
    pub fn value(&mut self, value: &Value) -> Result<Option<TermId>, LogicError> {
        Ok(Some(match value {
            Value::Bool(value) => self.boolean(*value),
            Value::Bits(bits) => self.constant_bits(bits),
            Value::Float(float) => self.constant_float(float),
            Value::Element(..) => return Ok(None),
            Value::Array(array) => {
                let Some(default) = self.value(array.default_value())? else { return Ok(None) };
                let mut term = self.const_array(Sort::Array(array.sort()), default)?;
                for (index, element) in array.entries() {
                    let (Some(index), Some(element)) = (self.value(index)?, self.value(element)?)
                    else {
                        return Ok(None);
                    };
                    term = self.store(term, index, element)?;
                }
                term
            }
        }))
    }

    /// `(not a)`.
    pub fn not(&mut self, a: TermId) -> Built {
        self.apply_op(Op::Not, &[a])
    }

    /// Conjunction of any number.
    pub fn and(&mut self, terms: &[TermId]) -> Built {
        if terms.is_empty() { Ok(self.truth()) } else { self.apply_bools(Op::And, terms) }
    }

    /// Disjunction of any number.
    pub fn or(&mut self, terms: &[TermId]) -> Built {
        if terms.is_empty() { Ok(self.falsity()) } else { self.apply_bools(Op::Or, terms) }
    }

    /// One operand is returned as it is, but must be a truth value all the same.
    fn apply_bools(&mut self, op: Op, terms: &[TermId]) -> Built {
        if let &[only] = terms {
            self.sort_of(Op::Not, &[only])?;
        }
        self.apply_op(op, terms)
    }

    /// `a => b`.
    pub fn implies(&mut self, a: TermId, b: TermId) -> Built {
        let not_a = self.not(a)?;
        self.or(&[not_a, b])
    }

    /// `(not (= a b))`.
    pub fn ne(&mut self, a: TermId, b: TermId) -> Built {
        let equal = self.eq(a, b)?;
        self.not(equal)
    }

    /// `(ite condition then otherwise)`.
    pub fn ite(&mut self, condition: TermId, then: TermId, otherwise: TermId) -> Built {
        self.apply_op(Op::Ite, &[condition, then, otherwise])
    }

    /// An uninterpreted function applied.
    pub fn call(&mut self, function: FunctionId, arguments: &[TermId]) -> Built {
        self.apply_op(Op::Apply(function), arguments)
    }

    /// `(bvnot a)`.
    pub fn bv_not(&mut self, a: TermId) -> Built {
        self.apply_op(Op::BvNot, &[a])
    }

    /// `-a`, as `(bvmul -1 a)`.
    pub fn bv_neg(&mut self, a: TermId) -> Built {
        let width = self.expect_bits("bvneg", 0, a)?;
        let minus_one = self.constant_bits(&Bits::ones(width));
        self.bv_mul(minus_one, a)
    }

    /// `a - b`, as `a + -1 * b`.
    pub fn bv_sub(&mut self, a: TermId, b: TermId) -> Built {
        let negated = self.bv_neg(b)?;
        self.bv_add(a, negated)
    }

    /// `a <= b` unsigned, as `(not (bvult b a))`.
    pub fn bv_ule(&mut self, a: TermId, b: TermId) -> Built {
        let greater = self.bv_ult(b, a)?;
        self.not(greater)
    }

    /// `a <= b` signed, as `(not (bvslt b a))`.
    pub fn bv_sle(&mut self, a: TermId, b: TermId) -> Built {
        let greater = self.bv_slt(b, a)?;
        self.not(greater)
    }

    /// Bits `high` down to `low`.
    pub fn extract(&mut self, high: u32, low: u32, a: TermId) -> Built {
        self.apply_op(Op::Extract { high, low }, &[a])
    }

    /// `more` zeros in front.
    pub fn zero_extend(&mut self, more: u32, a: TermId) -> Built {
        self.extend(Op::ZeroExtend(more), more, a)
    }

    /// `more` copies of the sign bit in front.
    pub fn sign_extend(&mut self, more: u32, a: TermId) -> Built {
        self.extend(Op::SignExtend(more), more, a)
    }

    fn extend(&mut self, op: Op, more: u32, a: TermId) -> Built {
        if more == 0 {
            return self.expect_bits(op.name(), 0, a).map(|_| a);
        }
        self.apply_op(op, &[a])
    }

    /// A truth value as a bit-vector: one or zero.
    pub fn bool_to_bits(&mut self, width: u32, a: TermId) -> Built {
        let (one, zero) = (self.bits(width, 1)?, self.bits(width, 0)?);
        self.ite(a, one, zero)
    }

    /// `(store array index element)`.
    pub fn store(&mut self, array: TermId, index: TermId, element: TermId) -> Built {
        self.apply_op(Op::Store, &[array, index, element])
    }

    /// The array that holds `element` everywhere.
    pub fn const_array(&mut self, sort: Sort, element: TermId) -> Built {
        self.check(element)?;
        self.check_sort(sort)?;
        self.check_room()?;
        let found = self.sort(element);
        match sort {
            Sort::Array(array) if self.array_parts(array).1 == found => {
                Ok(self.intern(Op::ConstArray, sort, &[element]))
            }
            _ => Err(LogicError::ValueSort { found, expected: sort }),
        }
    }

    /// `(fp.add mode a b)`.
    pub fn fp_add(&mut self, mode: Rounding, a: TermId, b: TermId) -> Built {
        self.apply_op(Op::FpAdd(mode), &[a, b])
    }

    /// `a - b`, as `a + (-b)`: the same in every mode, zeros and NaN included.
    pub fn fp_sub(&mut self, mode: Rounding, a: TermId, b: TermId) -> Built {
        let negated = self.fp_neg(b)?;
        self.fp_add(mode, a, negated)
    }

    /// `(fp.mul mode a b)`.
    pub fn fp_mul(&mut self, mode: Rounding, a: TermId, b: TermId) -> Built {
        self.apply_op(Op::FpMul(mode), &[a, b])
    }

    /// `(fp.div mode a b)`.
    pub fn fp_div(&mut self, mode: Rounding, a: TermId, b: TermId) -> Built {
        self.apply_op(Op::FpDiv(mode), &[a, b])
    }

    /// `a * b + c`, rounded once.
    pub fn fp_fma(&mut self, mode: Rounding, a: TermId, b: TermId, c: TermId) -> Built {
        self.apply_op(Op::FpFma(mode), &[a, b, c])
    }

    /// `(fp.sqrt mode a)`.
    pub fn fp_sqrt(&mut self, mode: Rounding, a: TermId) -> Built {
        self.apply_op(Op::FpSqrt(mode), &[a])
    }

    /// `(fp.roundToIntegral mode a)`.
    pub fn fp_round(&mut self, mode: Rounding, a: TermId) -> Built {
        self.apply_op(Op::FpRound(mode), &[a])
    }

    /// `(fp.neg a)`.
    pub fn fp_neg(&mut self, a: TermId) -> Built {
        self.apply_op(Op::FpNeg, &[a])
    }

    /// `(fp.abs a)`.
    pub fn fp_abs(&mut self, a: TermId) -> Built {
        self.apply_op(Op::FpAbs, &[a])
    }

    /// `(fp.isNaN a)`.
    pub fn fp_is_nan(&mut self, a: TermId) -> Built {
        self.apply_op(Op::FpIsNan, &[a])
    }

    /// `(fp.isInfinite a)`.
    pub fn fp_is_infinite(&mut self, a: TermId) -> Built {
        self.apply_op(Op::FpIsInfinite, &[a])
    }

    /// `(fp.isZero a)`.
    pub fn fp_is_zero(&mut self, a: TermId) -> Built {
        self.apply_op(Op::FpIsZero, &[a])
    }

    /// `(fp.isNegative a)`.
    pub fn fp_is_negative(&mut self, a: TermId) -> Built {
        self.apply_op(Op::FpIsNegative, &[a])
    }

    /// The float of another format next to `a`.
    pub fn fp_convert(&mut self, mode: Rounding, format: FloatFormat, a: TermId) -> Built {
        self.apply_op(Op::FpConvert(mode, format), &[a])
    }

    /// The float next to a signed integer.
    pub fn fp_from_signed(&mut self, mode: Rounding, format: FloatFormat, a: TermId) -> Built {
        self.apply_op(Op::FpFromSigned(mode, format), &[a])
    }

    /// The float next to an unsigned integer.
    pub fn fp_from_unsigned(&mut self, mode: Rounding, format: FloatFormat, a: TermId) -> Built {
        self.apply_op(Op::FpFromUnsigned(mode, format), &[a])
    }

    /// Bits read as a float; every NaN pattern is the one NaN.
    pub fn fp_from_bits(&mut self, format: FloatFormat, a: TermId) -> Built {
        self.apply_op(Op::FpFromBits(format), &[a])
    }

    /// The bits of a float; those of [`FloatValue::nan`] for NaN.
    pub fn fp_to_bits(&mut self, a: TermId) -> Built {
        let raw = self.apply_op(Op::FpToBits, &[a])?;
        let format = self.expect_float("fp.to_ieee_bv", a)?;
        let nan = self.constant_bits(FloatValue::nan(format).bits());
        let is_nan = self.fp_is_nan(a)?;
        self.ite(is_nan, nan, raw)
    }

    /// The signed integer next to a float; the smallest one (which is what x86 gives) for NaN
    /// and whatever does not fit.
    pub fn fp_to_signed(&mut self, mode: Rounding, width: u32, a: TermId) -> Built {
        let raw = self.apply_op(Op::FpToSigned(mode, width), &[a])?;
        let fits = self.fp_fits(mode, a, Some(i64::from(width) - 1), i64::from(width) - 1)?;
        let otherwise = self.constant_bits(&Bits::signed_min(width));
        self.ite(fits, raw, otherwise)
    }

    /// The unsigned integer next to a float; all ones for NaN and whatever does not fit.
    pub fn fp_to_unsigned(&mut self, mode: Rounding, width: u32, a: TermId) -> Built {
        let raw = self.apply_op(Op::FpToUnsigned(mode, width), &[a])?;
        let fits = self.fp_fits(mode, a, None, i64::from(width))?;
        let otherwise = self.constant_bits(&Bits::ones(width));
        self.ite(fits, raw, otherwise)
    }

    /// Whether the rounded float lies in `[-2^low, 2^high)`, or in `[0, 2^high)` without `low`.
    /// This is what C asks of a conversion to an integer type.
    pub fn fp_fits(&mut self, mode: Rounding, a: TermId, low: Option<i64>, high: i64) -> Built {
        let format = self.expect_float("fp.fits", a)?;
        let rounded = self.fp_round(mode, a)?;
        let mut parts = Vec::new();
        let (nan, infinite) = (self.fp_is_nan(a)?, self.fp_is_infinite(a)?);
        parts.push(self.not(nan)?);
        parts.push(self.not(infinite)?);
        let least = match low {
            // A bound beyond every finite value excludes none.
            Some(low) => FloatValue::power_of_two(format, true, low),
            None => Some(FloatValue::zero(format, false)),
        };
        if let Some(least) = least {
            let least = self.constant_float(&least);
            parts.push(self.fp_le(least, rounded)?);
        }
        if let Some(limit) = FloatValue::power_of_two(format, false, high) {
            let limit = self.constant_float(&limit);
            parts.push(self.fp_lt(rounded, limit)?);
        }
        self.and(&parts)
    }

    fn expect_bits(&self, operator: &str, operand: usize, a: TermId) -> Result<u32, LogicError> {
        self.check(a)?;
        self.sort(a).width().ok_or_else(|| LogicError::SortMismatch {
            operator: operator.to_string(),
            operand,
            found: self.sort(a),
            expected: "a bit-vector".to_string(),
        })
    }

    fn expect_float(&self, operator: &str, a: TermId) -> Result<FloatFormat, LogicError> {
        self.check(a)?;
        match self.sort(a) {
            Sort::Float(format) => Ok(format),
            found => Err(LogicError::SortMismatch {
                operator: operator.to_string(),
                operand: 0,
                found,
                expected: "a float".to_string(),
            }),
        }
    }
}
