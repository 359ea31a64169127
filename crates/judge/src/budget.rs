//! What an engine may spend.

use verdiff_logic::effort::{self, Deadline, Effort};

/// An amount of counted work (see [`effort`](mod@verdiff_logic::effort)), under the wall-clock deadline of the thread. Engines look at it between
/// steps; a worker process that overruns its deadline is ended.
#[derive(Clone, Copy, Debug)]
pub struct Budget {
    /// The reading of the thread's meter at which nothing is left.
    until: Effort,
    /// What everything random begins with.
    pub seed: u64,
}

impl Budget {
    /// So much work from now on.
    pub fn lasting(effort: Effort, seed: u64) -> Budget {
        Budget { until: effort::spent() + effort, seed }
    }

    /// A part of what is left, for one attempt of several.
    pub fn at_most(&self, effort: Effort) -> Budget {
        Budget { until: self.until.min(effort::spent() + effort), ..*self }
    }

    /// How much is left: nothing once the thread's deadline has passed.
    pub fn left(&self) -> Effort {
        match Deadline::has_passed() {
            true => Effort::ZERO,
            false => self.until.saturating_sub(effort::spent()),
        }
    }

    /// Whether nothing is left.
    pub fn is_over(&self) -> bool {
        self.left().is_zero()
    }
}
