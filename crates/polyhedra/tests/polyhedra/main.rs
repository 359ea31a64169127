//! Tests of the crate from outside, in one program so that linking stays cheap: lattice laws,
//! soundness on points, budgets, and the same traces through PPL.
//!
//! The numbers of cases and the seed are fixed; `VERDIFF_CASES` is the percentage of the usual number of
//! cases.

mod budgets;
mod chains;
mod laws;
mod points;
mod ppl;
mod random;
mod same_as_ppl;
mod traces;
