//! Scripts in SMT-LIB that say more than the terms of a pool can: integers.

use std::ffi::CString;

use super::SolverHandle;
use super::context::Translation;
use super::cost::resource_units;
use super::ffi;
use super::watchdog::Watchdog;
use crate::cut::{self, Limit};
use crate::effort::{self, Step};
use crate::solver::{Limits, Stop};

/// How many resource units a script gets at most. What is refuted takes some hundreds, rarely two thousand; and with products a unit
/// may take a thousand times as long as others, which is why more are paid for than are used.
const MOST_UNITS: u64 = 10_000;
const PAID: u64 = 10;

/// Whether z3 finds a script unsatisfiable. The script has declarations and assertions alone.
pub fn refutes_text(script: &str, limits: &Limits) -> bool {
    let Ok(text) = CString::new(script) else { return false };
    if cut::is_reached(Limit::Query) {
        return false;
    }
    let mut translation = Translation::new();
    let c = translation.context;
    let watchdog = Watchdog::take();
    let ((status, units), fired) = watchdog.run(c, limits, &Stop::new(), || {
        // SAFETY: the context is alive and nobody else uses it; z3 copies the text.
        unsafe {
            let mut solver = SolverHandle::new(c, ffi::Z3_mk_simple_solver(c));
            let units = limits.units().map_or(MOST_UNITS, |units| units.min(MOST_UNITS));
            solver.set_resource_limit(Some(units));
            ffi::Z3_solver_from_string(c, solver.solver, text.as_ptr());
            let read = ffi::Z3_get_error_code(c) == ffi::OK;
            debug_assert!(read, "z3 cannot read this: {script}");
            let status = match read {
                true => ffi::Z3_solver_check_assumptions(c, solver.solver, 0, std::ptr::null()),
                false => 0,
            };
            (status, resource_units(c, solver.solver))
        }
    });
    watchdog.put();
    effort::count(Step::Query, 1);
    let used = units.saturating_sub(translation.counted);
    translation.counted = units;
    effort::count(Step::Resource, used * PAID);
    // A context that was interrupted is not used again.
    translation.intact = fired.is_none() && status != 0;
    status == ffi::FALSE && fired.is_none()
}
