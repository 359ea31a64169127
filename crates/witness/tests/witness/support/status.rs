//! What a replay came to.
#![allow(dead_code)]

use verdiff_model::Trap;
use verdiff_witness::replay::{Ended, Replayed, Status};

/// It is a difference.
pub fn confirmed(replayed: Replayed) -> Replayed {
    assert_eq!(replayed.status, Status::Confirmed, "{replayed:#?}");
    replayed
}

/// It is one, with stubs.
pub fn with_stubs(replayed: Replayed) -> Replayed {
    assert_eq!(replayed.status, Status::ConfirmedWithStubs, "{replayed:#?}");
    replayed
}

/// It could not be run, for this reason: the name of the problem, and what it is about.
pub fn not_run(replayed: Replayed, part: &str) {
    let Status::NotRun { why } = &replayed.status else { panic!("{replayed:#?}") };
    let why = format!("{why:?}");
    assert!(why.contains(part), "{why}");
}

/// The trap it ended in.
pub fn trap(ended: &Option<Ended>) -> Option<Trap> {
    match ended {
        Some(Ended::Trapped { trap, .. }) => Some(*trap),
        _ => None,
    }
}
