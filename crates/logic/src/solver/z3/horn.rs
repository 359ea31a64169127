//! Horn clauses, given to Spacer.

use std::ffi::CString;

use super::SolverHandle;
use super::context::{Translation, copy};
use super::cost::resource_units;
use super::ffi;
use super::watchdog::Watchdog;
use crate::cut::{self, Limit};
use crate::effort::{self, Step};
use crate::solver::{Limits, Stop};

/// How many units Spacer may take for each that it is given: it looks at its limit between its own questions.
/// Measured on systems that have no solution: three.
const TAKEN: u64 = 4;

/// The definitions, as SMT-LIB text, that z3 finds for the predicates of a system of Horn clauses. The script has
/// declarations and assertions alone. Nothing is known of what is found: it is for guesses.
pub fn solve_horn(script: &str, limits: &Limits) -> Option<String> {
    let text = CString::new(script).ok()?;
    if cut::is_reached(Limit::Query) {
        return None;
    }
    let mut translation = Translation::new();
    // Predicates and what Spacer learned of them stay in a context.
    translation.intact = false;
    let c = translation.context;
    let watchdog = Watchdog::take();
    let ((model, units), fired) = watchdog.run(c, limits, &Stop::new(), || {
        // SAFETY: the context is alive and nobody else uses it; z3 copies the script. The model is kept while it is
        // read, and its text is copied at once.
        unsafe {
            let logic = ffi::Z3_mk_string_symbol(c, c"HORN".as_ptr());
            let mut solver = SolverHandle::new(c, ffi::Z3_mk_solver_for_logic(c, logic));
            solver.set_resource_limit(limits.units().map(|units| (units / TAKEN).max(1)));
            ffi::Z3_solver_from_string(c, solver.solver, text.as_ptr());
            let read = ffi::Z3_get_error_code(c) == ffi::OK;
            debug_assert!(read, "z3 cannot read this: {script}");
            let status = match read {
                true => ffi::Z3_solver_check_assumptions(c, solver.solver, 0, std::ptr::null()),
                false => 0,
            };
            let mut found = None;
            if status == ffi::TRUE {
                let model = ffi::Z3_solver_get_model(c, solver.solver);
                if !model.is_null() {
                    ffi::Z3_model_inc_ref(c, model);
                    found = Some(copy(ffi::Z3_model_to_string(c, model)));
                    ffi::Z3_model_dec_ref(c, model);
                }
            }
            (found, resource_units(c, solver.solver))
        }
    });
    watchdog.put();
    effort::count(Step::Query, 1);
    effort::count(Step::Resource, units.saturating_sub(translation.counted));
    model.filter(|_| fired.is_none())
}
