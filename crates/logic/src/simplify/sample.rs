//! Building blocks for the terms that show where a rule applies.

use crate::bits::Bits;
use crate::op::Op;
use crate::sort::{FloatFormat, Rounding, Sort};
use crate::term::{TermId, TermPool};

/// A pool and a width, with symbols to build examples from.
pub struct Sample<'a> {
    /// The pool.
    pub pool: &'a mut TermPool,
    /// The width of the bit-vectors.
    pub width: u32,
}

impl Sample<'_> {
    fn symbol(&mut self, name: &str, sort: Sort) -> TermId {
        let name = format!("{name}!{sort:?}");
        self.pool.symbol(&name, sort).unwrap_or_else(|error| panic!("sample {name}: {error}"))
    }

    /// The bit-vector symbol with this name.
    pub fn bv(&mut self, name: &str) -> TermId {
        self.bv_of(self.width, name)
    }

    /// A bit-vector symbol of another width.
    pub fn bv_of(&mut self, width: u32, name: &str) -> TermId {
        self.symbol(name, Sort::BitVec(width.max(1)))
    }

    /// The truth-valued symbol with this name.
    pub fn truth(&mut self, name: &str) -> TermId {
        self.symbol(name, Sort::Bool)
    }

    /// The array symbol with this name, from and to the width.
    pub fn array(&mut self, name: &str) -> TermId {
        let bits = Sort::BitVec(self.width);
        let sort = self.pool.array_sort(bits, bits);
        self.symbol(name, sort.unwrap_or(Sort::Bool))
    }

    /// A float format small enough for the solver, different for different widths.
    pub fn format(&self) -> FloatFormat {
        FloatFormat::new(3, 3 + self.width % 4).unwrap_or(FloatFormat::HALF)
    }

    /// The float symbol with this name.
    pub fn float(&mut self, name: &str) -> TermId {
        self.symbol(name, Sort::Float(self.format()))
    }

    /// The rounding mode that goes with the width, so that all are tried.
    pub fn mode(&self) -> Rounding {
        Rounding::ALL[self.width as usize % Rounding::ALL.len()]
    }

    /// A constant of the width.
    pub fn num(&mut self, value: i128) -> TermId {
        self.num_of(self.width, value)
    }

    /// A constant of another width.
    pub fn num_of(&mut self, width: u32, value: i128) -> TermId {
        self.pool.constant_bits(&Bits::from_signed(width.max(1), value))
    }

    /// A term.
    pub fn mk(&mut self, op: Op, operands: &[TermId]) -> TermId {
        self.pool.mk(op, operands)
    }
}
