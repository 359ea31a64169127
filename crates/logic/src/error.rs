//! What can be wrong with a term that somebody asks for.

use crate::sort::Sort;

/// Why a term, sort or value could not be built. Every construction function of the crate gives
/// one of these instead of panicking: what reaches `logic` comes from programs that were not
/// written for it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum LogicError {
    /// A bit-vector of no bits: SMT-LIB has none.
    #[error("a bit-vector must have at least one bit")]
    ZeroWidth,
    /// A width beyond [`crate::sort::MAX_WIDTH`].
    #[error("a bit-vector of {0} bits is too wide")]
    TooWide(u64),
    /// An operator was given an operand of the wrong sort.
    #[error("{operator}: operand {operand} has sort {found:?}, expected {expected}")]
    SortMismatch {
        /// The operator, as SMT-LIB spells it.
        operator: String,
        /// Which operand, counted from zero.
        operand: usize,
        /// The sort it has.
        found: Sort,
        /// What was expected there.
        expected: String,
    },
    /// An operator was given the wrong number of operands.
    #[error("{operator}: {found} operands, expected {expected}")]
    Arity {
        /// The operator, as SMT-LIB spells it.
        operator: String,
        /// How many it was given.
        found: usize,
        /// How many it takes.
        expected: String,
    },
    /// `extract` of bits the operand does not have, or of an empty range.
    #[error("bits {high} to {low} of a vector of {width} bits do not exist")]
    BadExtract {
        /// Highest bit asked for.
        high: u32,
        /// Lowest bit asked for.
        low: u32,
        /// Width of the operand.
        width: u32,
    },
    /// A float format outside what the evaluator covers.
    #[error(
        "a float with {exponent} exponent bits and {significand} significand bits is not supported"
    )]
    BadFloatFormat {
        /// Bits of the exponent.
        exponent: u32,
        /// Bits of the significand, hidden bit included.
        significand: u32,
    },
    /// A name was declared twice with different sorts.
    #[error("`{0}` is already declared with another sort")]
    Redeclared(String),
    /// A name that SMT-LIB cannot quote.
    #[error("`{0}` cannot be a name: it is empty or contains `|`, `\\` or a control character")]
    BadName(String),
    /// A value of one sort was given where another is needed.
    #[error("a value of sort {found:?} was given where {expected:?} is needed")]
    ValueSort {
        /// Sort of the value.
        found: Sort,
        /// Sort that is needed.
        expected: Sort,
    },
    /// The pool is full: it addresses its terms with 32 bits.
    #[error("the term pool is full")]
    PoolFull,
    /// A term of another pool, or one that was never made.
    #[error("term {0} is not in this pool")]
    UnknownTerm(u32),
    /// A term that was taken for a constant and is none.
    #[error("term {0} is not a constant")]
    NotConstant(u32),
    /// A constant in a formula that was read: its digits are no number, or not one of its sort.
    #[error("`{digits}` is not a constant of sort {sort}")]
    BadConstant {
        /// The digits as they were written.
        digits: String,
        /// The sort it was said to have.
        sort: String,
    },
    /// A join of no states: a place that no path reaches has none.
    #[error("no path reaches this place")]
    NoPath,
    /// The outcome of a run without exits.
    #[error("a run without exits has no outcome")]
    NoOutcome,
    /// An address in an expression for which no object was made.
    #[error("an address of an object that was not made")]
    NoObject,
}
