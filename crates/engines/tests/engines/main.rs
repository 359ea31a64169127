//! What `engines` promises: one program for all tests of the crate, so that it is linked once.

mod align;
mod align_expressions;
mod align_folds;
mod align_formulas;
mod align_horn;
mod align_more;
mod align_reorder;
mod callers;
mod callers_random;
mod correlate;
mod directed;
mod flat;
mod obligations;
mod recursion;
mod recursion_random;
mod summaries;
mod summaries_random;
mod termination;
mod termination_random;
mod testing;
mod testing_support;
mod unknown_calls;
