//! The sort of a term, from its operator and its operands: the only place that knows what fits.

use crate::error::LogicError;
use crate::op::Op;
use crate::sort::{FloatFormat, MAX_WIDTH, Sort};
use crate::term::{TermId, TermPool};

/// Checks the operands one by one against what an operator wants.
struct Operands<'a> {
    pool: &'a TermPool,
    op: Op,
    terms: &'a [TermId],
}

impl TermPool {
    /// The sort that `op` applied to `operands` has. Constants, symbols and `const` arrays carry
    /// their sort themselves and are not made this way.
    pub(crate) fn sort_of(&self, op: Op, operands: &[TermId]) -> Result<Sort, LogicError> {
        for term in operands {
            self.check(*term)?;
        }
        let args = Operands { pool: self, op, terms: operands };
        match op {
            Op::True | Op::False => args.count(0).map(|()| Sort::Bool),
            Op::Small(_) | Op::Large(_) | Op::Symbol(_) | Op::ConstArray => {
                Err(args.wrong(0, Sort::Bool, "an operator"))
            }
            Op::Apply(function) => {
                let signature = self.signature(function);
                args.count(signature.parameters.len())?;
                for (index, sort) in signature.parameters.iter().enumerate() {
                    args.is(index, *sort)?;
                }
                Ok(signature.result)
            }
            Op::Not => args.count(1).and_then(|()| args.is(0, Sort::Bool)).map(|()| Sort::Bool),
            Op::And | Op::Or => {
                args.at_least(2)?;
                (0..operands.len()).try_for_each(|i| args.is(i, Sort::Bool))?;
                Ok(Sort::Bool)
            }
            Op::Eq => {
                args.count(2)?;
                args.is(1, args.sort(0))?;
                Ok(Sort::Bool)
            }
            Op::Ite => {
                args.count(3)?;
                args.is(0, Sort::Bool)?;
                args.is(2, args.sort(1))?;
                Ok(args.sort(1))
            }
            Op::BvNot => args.count(1).and_then(|()| args.width(0)).map(Sort::BitVec),
            Op::BvAnd | Op::BvOr | Op::BvXor | Op::BvAdd | Op::BvMul => {
                args.at_least(2)?;
                args.one_width().map(Sort::BitVec)
            }
            Op::BvUdiv
            | Op::BvSdiv
            | Op::BvUrem
            | Op::BvSrem
            | Op::BvShl
            | Op::BvLshr
            | Op::BvAshr => {
                args.count(2)?;
                args.one_width().map(Sort::BitVec)
            }
            Op::BvUlt | Op::BvSlt => {
                args.count(2)?;
                args.one_width().map(|_| Sort::Bool)
            }
            Op::Concat => {
                args.at_least(2)?;
                let mut total = 0u64;
                for index in 0..operands.len() {
                    total += u64::from(args.width(index)?);
                }
                wide(total)
            }
            Op::Extract { high, low } => {
                args.count(1)?;
                let width = args.width(0)?;
                if high < low || high >= width {
                    return Err(LogicError::BadExtract { high, low, width });
                }
                Ok(Sort::BitVec(high - low + 1))
            }
            Op::ZeroExtend(more) | Op::SignExtend(more) => {
                args.count(1)?;
                wide(u64::from(args.width(0)?) + u64::from(more))
            }
            Op::Select => {
                args.count(2)?;
                let (index, element) = args.array(0)?;
                args.is(1, index)?;
                Ok(element)
            }
            Op::Store => {
                args.count(3)?;
                let (index, element) = args.array(0)?;
                args.is(1, index)?;
                args.is(2, element)?;
                Ok(args.sort(0))
            }
            _ => args.float_sort(),
        }
    }
}

fn wide(width: u64) -> Result<Sort, LogicError> {
    if width > u64::from(MAX_WIDTH) {
        return Err(LogicError::TooWide(width));
    }
    Sort::bits(width as u32)
}

impl Operands<'_> {
    /// The part of [`TermPool::sort_of`] that speaks of floats.
    fn float_sort(&self) -> Result<Sort, LogicError> {
        match self.op {
            Op::FpNeg | Op::FpAbs | Op::FpSqrt(_) | Op::FpRound(_) => {
                self.floats(1).map(Sort::Float)
            }
            Op::FpAdd(_) | Op::FpMul(_) | Op::FpDiv(_) => self.floats(2).map(Sort::Float),
            Op::FpFma(_) => self.floats(3).map(Sort::Float),
            Op::FpEq | Op::FpLt | Op::FpLe => self.floats(2).map(|_| Sort::Bool),
            Op::FpIsNan | Op::FpIsInfinite | Op::FpIsZero | Op::FpIsNegative => {
                self.floats(1).map(|_| Sort::Bool)
            }
            Op::FpFromBits(format) => {
                self.count(1)?;
                self.is(0, Sort::BitVec(format.width()))?;
                Ok(Sort::Float(format))
            }
            Op::FpToBits => self.floats(1).map(|format| Sort::BitVec(format.width())),
            Op::FpConvert(_, format) => self.floats(1).map(|_| Sort::Float(format)),
            Op::FpFromSigned(_, format) | Op::FpFromUnsigned(_, format) => {
                self.count(1)?;
                self.width(0).map(|_| Sort::Float(format))
            }
            Op::FpToSigned(_, width) | Op::FpToUnsigned(_, width) => {
                self.floats(1)?;
                Sort::bits(width)
            }
            _ => unreachable!("every other operator is handled by sort_of"),
        }
    }

    fn sort(&self, index: usize) -> Sort {
        self.pool.sort(self.terms[index])
    }

    fn count(&self, expected: usize) -> Result<(), LogicError> {
        if self.terms.len() == expected {
            return Ok(());
        }
        Err(self.arity(expected.to_string()))
    }

    fn at_least(&self, expected: usize) -> Result<(), LogicError> {
        if self.terms.len() >= expected {
            return Ok(());
        }
        Err(self.arity(format!("at least {expected}")))
    }

    fn arity(&self, expected: String) -> LogicError {
        let operator = self.op.name().to_string();
        LogicError::Arity { operator, found: self.terms.len(), expected }
    }

    fn is(&self, index: usize, sort: Sort) -> Result<(), LogicError> {
        if self.sort(index) == sort {
            return Ok(());
        }
        Err(self.wrong(index, self.sort(index), &format!("{sort:?}")))
    }

    fn width(&self, index: usize) -> Result<u32, LogicError> {
        match self.sort(index) {
            Sort::BitVec(width) => Ok(width),
            found => Err(self.wrong(index, found, "a bit-vector")),
        }
    }

    fn one_width(&self) -> Result<u32, LogicError> {
        let width = self.width(0)?;
        (1..self.terms.len()).try_for_each(|i| self.is(i, Sort::BitVec(width)))?;
        Ok(width)
    }

    fn array(&self, index: usize) -> Result<(Sort, Sort), LogicError> {
        match self.sort(index) {
            Sort::Array(sort) => Ok(self.pool.array_parts(sort)),
            found => Err(self.wrong(index, found, "an array")),
        }
    }

    fn floats(&self, count: usize) -> Result<FloatFormat, LogicError> {
        self.count(count)?;
        match self.sort(0) {
            Sort::Float(format) => {
                (1..count).try_for_each(|i| self.is(i, Sort::Float(format)))?;
                Ok(format)
            }
            found => Err(self.wrong(0, found, "a float")),
        }
    }

    fn wrong(&self, operand: usize, found: Sort, expected: &str) -> LogicError {
        let operator = self.op.name().to_string();
        LogicError::SortMismatch { operator, operand, found, expected: expected.to_string() }
    }
}
