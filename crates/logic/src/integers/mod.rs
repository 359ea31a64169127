//! Questions about bit-vectors, asked over the integers.
//!
//! Bits are the wrong language for `q * d + r`: a solver that multiplies out 32 times 32 bits has to find out anew what
//! every school child knows of products. Over the integers that is plain, and what machine numbers add, that sums and
//! products wrap, is said by whole numbers that are mostly known to be zero.
//!
//! # Why that is sound
//!
//! One direction only: if no integers satisfy the translation, no bits satisfy the terms. Take values that satisfy
//! the terms. They give each unknown of the translation a value that satisfies all that is said of it:
//!
//! - A term of w bits has a sum (a polynomial over unknowns, [`sum`]) that is *congruent* to its value modulo 2^w. `+`, `*` and
//!   `~` are the ring of integers modulo 2^w, so sums are added and multiplied, and their coefficients reduced. The low
//!   bits of a term are the same sum modulo less.
//! - Its *exact* value (unsigned or signed) is that sum plus 2^w times a whole number. That number is known if the
//!   range of the sum says so, or if a solver shows that it follows from what is asserted; such a **lemma** is recorded
//!   as a script of its own. Otherwise the value is an unknown from 0 to 2^w - 1 (signed: from -2^(w-1) on), and the
//!   number is one as well: `sum = value + 2^w * number`.
//! - `floor(sum / c)` for a number c > 0: with `sum = c * A + B`, coefficient by coefficient, it is `A + floor(B / c)`,
//!   and the rest is an unknown q with `0 <= B - c * q < c`. So the half of `i * (i + 1)` and that of `i * (i - 1)` differ
//!   by `i`, whether or not a solver knows that both are even. The same for a divisor that is an unknown and not zero, by
//!   the monomials that have it as a factor. If it may be zero, what SMT-LIB says of that case is said.
//! - A conditional is an unknown that is one of two sums, each if its condition holds.
//! - Arrays of bits are arrays of integers that are zero (false) at whatever is no index; this determines them, so that
//!   equality, reads and writes are those of arrays.
//! - `x & (2^p - 1)` is the exact value of the same sum modulo 2^p, and `x & ~(2^p - 1)` is what is left without it.
//! - All else (other bit operations, shifts by variables, floats, calls) is a function that nothing is known of, applied to
//!   the exact values of its operands: equal operands give equal results. The result is in the range of its width.
//!
//! In branches of conditionals and in the later parts of a conjunction, the condition may be used: what is said there of
//! unknowns is guarded by it ([`translation::Translation::said`]). Ranges of unknowns are never taken from such a condition.
//!
//! What is refuted is given back as scripts that must all be unsatisfiable. Of each lemma: definitions, literals that are
//! asserted, lemmas before it, and that the lemma does not hold. Of each case (disjunctions that are asserted
//! are split): all lemmas, and all that is asserted. What is not refuted is looked at a second time, with symbols taken apart
//! ([`split`]).

mod formula;
mod layers;
mod lemmas;
mod operators;
mod search;
mod split;
mod sum;
mod translation;

use crate::effort::Effort;
use crate::term::{TermId, TermPool};

/// What another solver can check again: SMT-LIB scripts over the integers that must all be unsatisfiable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refutation {
    /// The scripts, each with its own `check-sat`.
    pub scripts: Vec<String>,
}

/// Shows over the integers that these terms cannot all hold. Nothing is said if that fails.
pub fn refute(pool: &TermPool, assertions: &[TermId], most: Effort) -> Option<Refutation> {
    search::refute(pool, assertions, most)
}
