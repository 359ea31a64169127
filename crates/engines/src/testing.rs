//! Both procedures in the interpreter on the same entry states.

use verdiff_judge::{Budget, Engine, Findings, StopReason, Task};

/// The engine.
pub struct Testing;

impl Testing {
    /// A short run.
    pub fn quick() -> Testing {
        Testing
    }

    /// A long run.
    pub fn thorough() -> Testing {
        Testing
    }
}

impl Engine for Testing {
    fn name(&self) -> &'static str {
        "testing"
    }

    fn run(&mut self, _: &Task<'_>, _: &Budget) -> Findings {
        Findings::nothing(StopReason::incomplete("not built yet"))
    }
}
