//! What `model` promises: one program for all tests of the crate, so that it is linked once.

mod graph_assigned;
mod graph_calls;
mod graph_established;
mod graph_flow;
mod graph_liveness;
mod graph_support;
mod graph_tidy;
mod graph_validate;
mod holes;
mod inline;
mod interp_calls;
mod interp_expressions;
mod interp_libc;
mod interp_memory;
mod interp_ops_compiled;
mod interp_outside;
mod interp_state;
mod interp_support;
mod interp_traps;
mod outline_property;
mod outline_random;
mod outline_structure;
mod print_c;
