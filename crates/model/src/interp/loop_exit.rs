//! Why the inner loop was left.

use crate::state::StopReason;
use crate::stmt::Trap;

/// Why a run ended without returning. Travels as an error, boxed where it is large, so
/// that the usual case stays small.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Stop {
    Trap(Trap),
    Exited(i32),
    LeftThrough(Box<str>),
    OutOfSteps,
    Gave(Box<StopReason>),
}

impl From<Trap> for Stop {
    fn from(trap: Trap) -> Stop {
        Stop::Trap(trap)
    }
}

impl From<StopReason> for Stop {
    fn from(reason: StopReason) -> Stop {
        Stop::Gave(Box::new(reason))
    }
}
