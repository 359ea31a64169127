//! What a query costs: the clauses that z3 makes without counting them, and the resource units that it does count.

use super::context::copy;
use super::ffi;
use crate::op::Op;
use crate::sort::Sort;
use crate::term::{TermId, TermPool};

/// About how many clauses the hard operators below a term become.
pub(super) fn cost(pool: &TermPool, root: TermId) -> u64 {
    let mut sum: u64 = 0;
    for term in pool.sub_terms(&[root]) {
        let variable = pool.operands(term).iter().filter(|t| pool.as_bits(**t).is_none()).count();
        let square = u64::from(pool.width(term)).pow(2);
        sum += match pool.op(term) {
            Op::BvMul => square * variable.saturating_sub(1) as u64,
            Op::BvUdiv | Op::BvUrem | Op::BvSdiv | Op::BvSrem => 3 * square,
            op => match (
                is_hard_float(op),
                pool.sort(pool.operands(term).first().copied().unwrap_or(term)),
            ) {
                (true, Sort::Float(format)) => 4 * u64::from(format.significand()).pow(2),
                _ => 0,
            },
        };
    }
    sum
}

/// Float operators that become many clauses.
fn is_hard_float(op: Op) -> bool {
    matches!(
        op,
        Op::FpAdd(_) | Op::FpMul(_) | Op::FpDiv(_) | Op::FpFma(_) | Op::FpSqrt(_) | Op::FpRound(_)
    )
}

/// The resource units that z3 has used in a context so far.
pub(super) fn resource_units(c: ffi::Context, solver: ffi::SolverRef) -> u64 {
    // SAFETY: the solver is of this context; the statistics are kept while they are read, and keys are static text.
    unsafe {
        let stats = ffi::Z3_solver_get_statistics(c, solver);
        if stats.is_null() {
            return 0;
        }
        ffi::Z3_stats_inc_ref(c, stats);
        let size = ffi::Z3_stats_size(c, stats);
        let is_units = |n: &u32| copy(ffi::Z3_stats_get_key(c, stats, *n)) == "rlimit count";
        let units =
            (0..size).rev().find(is_units).map(|n| match ffi::Z3_stats_is_uint(c, stats, n) {
                true => u64::from(ffi::Z3_stats_get_uint_value(c, stats, n)),
                false => ffi::Z3_stats_get_double_value(c, stats, n) as u64,
            });
        ffi::Z3_stats_dec_ref(c, stats);
        units.unwrap_or(0)
    }
}
