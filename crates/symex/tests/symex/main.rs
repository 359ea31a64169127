//! What `symex` promises: one program for all tests of the crate, so that it is linked once.

mod agreement;
mod agreement_support;
mod calls;
mod cases_random;
mod corpus;
mod free;
mod libc_real;
mod pair_support;
mod paths;
mod regions_common;
mod regions_effects;
mod regions_libc;
mod regions_points_to;
mod regions_random;
mod summaries;
mod translate_expr;
mod translate_float;
mod translate_int;
mod translate_solver;
mod translate_support;
mod unset;
