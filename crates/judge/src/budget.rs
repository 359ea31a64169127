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
    /// How deep an engine goes within the amount.
    pub depth: Depth,
}

/// How deep an engine goes. What that means is the engine's own: one that knows fewer levels takes two for one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Depth {
    /// A few milliseconds' worth, before anything else.
    Glance,
    /// What is decided soon or not at all, before anything dearer.
    Quick,
    /// The method as it is.
    #[default]
    Full,
    /// For some inputs, because it does not go through for all.
    InParts,
    /// When all others gave up.
    Thorough,
}

impl Budget {
    /// So much work from now on.
    pub fn lasting(effort: Effort, seed: u64) -> Budget {
        Budget { until: effort::spent() + effort, seed, depth: Depth::default() }
    }

    /// A part of what is left, for one attempt of several.
    pub fn at_most(&self, effort: Effort) -> Budget {
        Budget { until: self.until.min(effort::spent() + effort), ..*self }
    }

    /// The same amount at another depth.
    pub fn at_depth(&self, depth: Depth) -> Budget {
        Budget { depth, ..*self }
    }

    /// The reading of the thread's meter at which nothing is left.
    pub fn until(&self) -> Effort {
        self.until
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
