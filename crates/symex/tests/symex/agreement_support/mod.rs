//! The three sides of the agreement, and random programs for it.

pub mod programs;
pub mod terms;
