//! Evaluation of a term under an assignment.
//!
//! This is the meaning that everything else is measured against: the simplifier's rules, the
//! translation to a solver and every model a solver returns are checked with it.

use rustc_hash::FxHashMap;

use crate::assignment::Assignment;
use crate::bits::Bits;
use crate::effort;
use crate::error::LogicError;
use crate::float::FloatValue;
use crate::op::Op;
use crate::sort::{Rounding, Sort};
use crate::term::{TermId, TermPool};
use crate::value::{ArrayValue, Value};

use num_bigint::BigInt;
use std::cmp::Ordering;

/// The values of many terms under one assignment, each computed once.
///
/// ```
/// use verdiff_logic::{Assignment, Bits, Evaluator, Sort, TermPool, Value};
/// # fn main() -> Result<(), verdiff_logic::LogicError> {
/// let mut pool = TermPool::new();
/// let x = pool.symbol("x", Sort::BitVec(8))?;
/// let square = pool.bv_mul(x, x)?;
/// let mut assignment = Assignment::new();
/// assignment.set_term(&pool, x, Value::Bits(Bits::new(8, 20)))?;
/// let mut evaluator = Evaluator::new(&assignment);
/// assert_eq!(evaluator.eval(&pool, square)?, Value::Bits(Bits::new(8, 400 % 256)));
/// # Ok(()) }
/// ```
pub struct Evaluator<'a> {
    assignment: &'a Assignment,
    known: FxHashMap<TermId, Value>,
}

impl<'a> Evaluator<'a> {
    /// An evaluator for terms of one pool.
    pub fn new(assignment: &'a Assignment) -> Evaluator<'a> {
        Evaluator { assignment, known: FxHashMap::default() }
    }

    /// The value of a term.
    pub fn eval(&mut self, pool: &TermPool, root: TermId) -> Result<Value, LogicError> {
        let mut pending = vec![root];
        while let Some(&term) = pending.last() {
            if self.known.contains_key(&term) {
                pending.pop();
                continue;
            }
            let before = pending.len();
            let operands = pool.operands(term);
            pending.extend(operands.iter().filter(|t| !self.known.contains_key(t)));
            if pending.len() == before {
                let values: Vec<&Value> = operands.iter().map(|t| &self.known[t]).collect();
                effort::count(effort::Step::Evaluation, 1);
                let value = self.step(pool, term, &values)?;
                self.known.insert(term, value);
                pending.pop();
            }
        }
        Ok(self.known[&root].clone())
    }

    /// Takes a term to have a value, whatever its operands say.
    pub fn suppose(&mut self, term: TermId, value: Value) {
        self.known.insert(term, value);
    }

    /// Whether a truth-valued term holds.
    pub fn holds(&mut self, pool: &TermPool, root: TermId) -> Result<bool, LogicError> {
        truth(&self.eval(pool, root)?)
    }

    fn step(&self, pool: &TermPool, term: TermId, args: &[&Value]) -> Result<Value, LogicError> {
        let sort = pool.sort(term);
        Ok(match pool.op(term) {
            Op::Symbol(symbol) => match self.assignment.get(symbol) {
                Some(value) => value.clone(),
                None => pool.default_value(sort),
            },
            Op::Apply(function) => match self.assignment.get_function(function) {
                Some(meaning) => {
                    let arguments: Vec<Value> = args.iter().map(|v| (*v).clone()).collect();
                    meaning.apply(&arguments).clone()
                }
                None => pool.default_value(sort),
            },
            Op::Small(_) | Op::Large(_) => match pool.as_value(term) {
                Some(value) => value,
                None => return Err(LogicError::UnknownTerm(term.0)),
            },
            op => apply(op, sort, args)?,
        })
    }
}

impl TermPool {
    /// The value of a term under an assignment.
    pub fn eval(&self, term: TermId, assignment: &Assignment) -> Result<Value, LogicError> {
        self.check(term)?;
        Evaluator::new(assignment).eval(self, term)
    }
}

/// The value of an interpreted operator on some values.
pub(crate) fn apply(op: Op, sort: Sort, args: &[&Value]) -> Result<Value, LogicError> {
    let bool_at = |i: usize| truth(args[i]);
    let bits_at = |i: usize| bits(args[i]);
    let fold = |step: fn(&Bits, &Bits) -> Bits| -> Result<Value, LogicError> {
        let mut result = bits_at(0)?.clone();
        for arg in &args[1..] {
            result = step(&result, bits(arg)?);
        }
        Ok(Value::Bits(result))
    };
    Ok(match op {
        Op::True => Value::Bool(true),
        Op::False => Value::Bool(false),
        Op::Not => Value::Bool(!bool_at(0)?),
        Op::And => {
            let mut all = true;
            for arg in args {
                all &= truth(arg)?;
            }
            Value::Bool(all)
        }
        Op::Or => {
            let mut any = false;
            for arg in args {
                any |= truth(arg)?;
            }
            Value::Bool(any)
        }
        Op::Eq => Value::Bool(args[0] == args[1]),
        Op::Ite => args[if bool_at(0)? { 1 } else { 2 }].clone(),
        Op::BvNot => Value::Bits(bits_at(0)?.not()),
        Op::BvAnd => fold(Bits::and)?,
        Op::BvOr => fold(Bits::or)?,
        Op::BvXor => fold(Bits::xor)?,
        Op::BvAdd => fold(Bits::add)?,
        Op::BvMul => fold(Bits::mul)?,
        Op::BvUdiv => fold(Bits::udiv)?,
        Op::BvSdiv => fold(Bits::sdiv)?,
        Op::BvUrem => fold(Bits::urem)?,
        Op::BvSrem => fold(Bits::srem)?,
        Op::BvShl => fold(Bits::shl)?,
        Op::BvLshr => fold(Bits::lshr)?,
        Op::BvAshr => fold(Bits::ashr)?,
        Op::Concat => fold(Bits::concat)?,
        Op::Extract { high, low } => Value::Bits(bits_at(0)?.extract(high, low)),
        Op::ZeroExtend(more) => {
            let value = bits_at(0)?;
            Value::Bits(value.zero_extend_to(value.width() + more))
        }
        Op::SignExtend(more) => {
            let value = bits_at(0)?;
            Value::Bits(value.sign_extend_to(value.width() + more))
        }
        Op::BvUlt => Value::Bool(bits_at(0)?.ult(bits_at(1)?)),
        Op::BvSlt => Value::Bool(bits_at(0)?.slt(bits_at(1)?)),
        Op::Select => array(args[0])?.select(args[1]).clone(),
        Op::Store => Value::Array(array(args[0])?.store(args[1].clone(), args[2].clone())),
        Op::ConstArray => match sort {
            Sort::Array(sort) => Value::Array(ArrayValue::constant(sort, args[0].clone())),
            expected => return Err(LogicError::ValueSort { found: args[0].sort(), expected }),
        },
        _ => apply_float(op, args)?,
    })
}

/// The part of [`apply`] that speaks of floats.
fn apply_float(op: Op, args: &[&Value]) -> Result<Value, LogicError> {
    let at = |i: usize| float(args[i]);
    let compare = |wanted: fn(Option<Ordering>) -> bool| -> Result<Value, LogicError> {
        Ok(Value::Bool(wanted(at(0)?.compare(at(1)?))))
    };
    let one = |result: FloatValue| Ok(Value::Float(result));
    match op {
        Op::FpNeg => one(at(0)?.neg()),
        Op::FpAbs => one(at(0)?.abs()),
        Op::FpAdd(mode) => one(at(0)?.add(at(1)?, mode)),
        Op::FpMul(mode) => one(at(0)?.mul(at(1)?, mode)),
        Op::FpDiv(mode) => one(at(0)?.div(at(1)?, mode)),
        Op::FpFma(mode) => one(at(0)?.fma(at(1)?, at(2)?, mode)),
        Op::FpSqrt(mode) => one(at(0)?.sqrt(mode)),
        Op::FpRound(mode) => one(at(0)?.round_to_integral(mode)),
        Op::FpEq => compare(|o| o == Some(Ordering::Equal)),
        Op::FpLt => compare(|o| o == Some(Ordering::Less)),
        Op::FpLe => compare(|o| matches!(o, Some(Ordering::Less | Ordering::Equal))),
        Op::FpIsNan => Ok(Value::Bool(at(0)?.is_nan())),
        Op::FpIsInfinite => Ok(Value::Bool(at(0)?.is_infinite())),
        Op::FpIsZero => Ok(Value::Bool(at(0)?.is_zero())),
        Op::FpIsNegative => Ok(Value::Bool(at(0)?.is_negative())),
        Op::FpConvert(mode, format) => one(at(0)?.convert(format, mode)),
        Op::FpFromBits(format) => {
            let raw = bits(args[0])?;
            let found = Sort::BitVec(raw.width());
            match FloatValue::from_bits(format, raw.clone()) {
                Some(value) => one(value),
                None => Err(LogicError::ValueSort { found, expected: Sort::Float(format) }),
            }
        }
        Op::FpToBits => Ok(Value::Bits(at(0)?.bits().clone())),
        Op::FpFromSigned(mode, format) => {
            one(FloatValue::from_integer(format, &bits(args[0])?.to_signed(), mode))
        }
        Op::FpFromUnsigned(mode, format) => {
            let integer = BigInt::from(bits(args[0])?.to_biguint());
            one(FloatValue::from_integer(format, &integer, mode))
        }
        Op::FpToSigned(mode, width) => {
            let low = Bits::signed_min(width);
            Ok(Value::Bits(to_integer(at(0)?, mode, width, Bits::to_signed).unwrap_or(low)))
        }
        Op::FpToUnsigned(mode, width) => {
            let unsigned = |b: &Bits| BigInt::from(b.to_biguint());
            let otherwise = Bits::ones(width);
            Ok(Value::Bits(to_integer(at(0)?, mode, width, unsigned).unwrap_or(otherwise)))
        }
        _ => Err(LogicError::UnknownTerm(0)),
    }
}

/// The rounded integer, if `width` bits read by `read` can hold it.
fn to_integer(
    value: &FloatValue,
    mode: Rounding,
    width: u32,
    read: impl Fn(&Bits) -> BigInt,
) -> Option<Bits> {
    let integer = value.to_integer(mode)?;
    let result = Bits::from_bigint(width, &integer);
    (read(&result) == integer).then_some(result)
}

fn truth(value: &Value) -> Result<bool, LogicError> {
    let found = value.sort();
    value.as_bool().ok_or(LogicError::ValueSort { found, expected: Sort::Bool })
}

fn bits(value: &Value) -> Result<&Bits, LogicError> {
    let found = value.sort();
    value.as_bits().ok_or(LogicError::ValueSort { found, expected: Sort::BitVec(1) })
}

fn float(value: &Value) -> Result<&FloatValue, LogicError> {
    match value {
        Value::Float(float) => Ok(float),
        other => Err(LogicError::ValueSort { found: other.sort(), expected: Sort::Bool }),
    }
}

fn array(value: &Value) -> Result<&ArrayValue, LogicError> {
    match value {
        Value::Array(array) => Ok(array),
        other => Err(LogicError::ValueSort { found: other.sort(), expected: Sort::Bool }),
    }
}
