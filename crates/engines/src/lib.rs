//! The engines: techniques that make judgements grow, one module each, all behind
//! [`Engine`].
//!
//! Architecture invariant: an engine reads judgements and gives back additions with evidence. It
//! prints nothing, runs nothing outside of this process, and does not know the other engines.

#![forbid(unsafe_code)]

pub mod align;
pub mod boundary;
pub mod correlate;
pub mod directed;
pub mod flat;
pub mod normalise;
pub mod recursion;
pub mod summary;
pub mod termination;
pub mod testing;

pub use verdiff_product::{Facts, entry, process, reduced, vocabulary};

use std::rc::Rc;
use verdiff_judge::Engine;

/// Every engine that works on pairs, made for one comparison: the registry. A new engine is a folder and a line here; the
/// schedule of the plan has a row for those that it does not name. (`normalise` is asked by the plan before any of
/// them: what it decides needs no worker process.)
pub fn all(facts: &Rc<Facts>) -> Vec<Box<dyn Engine>> {
    vec![
        Box::new(testing::Testing::default()),
        Box::new(flat::Flat::new(facts)),
        Box::new(boundary::Boundary::new(facts)),
        Box::new(summary::Summary::new(facts)),
        Box::new(directed::Directed::new(facts)),
        Box::new(recursion::Recursion::new(facts)),
        Box::new(align::Align::new(facts)),
        Box::new(termination::Termination::new(facts)),
    ]
}
