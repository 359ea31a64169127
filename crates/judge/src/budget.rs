//! What an engine may spend.

use std::time::{Duration, Instant};

/// A deadline. Engines look at it between steps; a worker process that overruns it is ended.
#[derive(Clone, Copy, Debug)]
pub struct Budget {
    deadline: Instant,
    /// What everything random begins with.
    pub seed: u64,
}

impl Budget {
    /// So much time from now on.
    pub fn lasting(time: Duration, seed: u64) -> Budget {
        Budget { deadline: Instant::now() + time, seed }
    }

    /// A part of what is left, for one attempt of several.
    pub fn at_most(&self, time: Duration) -> Budget {
        Budget { deadline: self.deadline.min(Instant::now() + time), ..*self }
    }

    /// How much is left.
    pub fn left(&self) -> Duration {
        self.deadline.saturating_duration_since(Instant::now())
    }

    /// Whether nothing is left.
    pub fn is_over(&self) -> bool {
        self.left().is_zero()
    }
}
