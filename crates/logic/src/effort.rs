//! Effort: work that is counted in steps instead of seconds.
//!
//! A limit by the clock makes the answer depend on what else the machine does. So whatever may take long here counts
//! its steps: terms that are built, terms that are evaluated, steps of the interpreter, and what z3 calls its resource units
//! (`rlimit`). Each kind of step has a fixed price, so that their sum grows about as fast as seconds do on a common
//! machine; a limit on the sum stops the same work at the same place on every machine, however busy.
//!
//! The meter belongs to a thread, like a clock of CPU time: it only ever runs forward, nobody sets it back, and it is only
//! read as the difference of two readings ([`spent`]). A thread that works for a user has, besides, a deadline by
//! the wall clock ([`Deadline::begin`]), which is the outer limit. Whoever is stopped by it says so ([`Deadline::has_passed`]): what was found until
//! then holds, but another run may find more or less.

use crate::cut::{self, Limit};
use serde::{Deserialize, Serialize};
use std::cell::Cell;
use std::ops::{Add, Div, Mul};
use std::time::{Duration, Instant};

/// An amount of work. One unit is nominally a nanosecond: about what the step takes on a common machine that is otherwise idle.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
pub struct Effort(u64);

impl Effort {
    /// No work.
    pub const ZERO: Effort = Effort(0);
    /// More than anybody does.
    pub const UNLIMITED: Effort = Effort(u64::MAX);

    /// What nominally takes this many milliseconds.
    pub const fn millis(n: u64) -> Effort {
        Effort(n.saturating_mul(1_000_000))
    }

    /// What nominally takes this many seconds.
    pub const fn seconds(n: u64) -> Effort {
        Effort(n.saturating_mul(1_000_000_000))
    }

    /// What it costs to ask for this many terms.
    pub fn terms(n: u64) -> Effort {
        Effort::of(Step::Term, n)
    }

    /// What nominally takes this long.
    pub fn lasting(time: Duration) -> Effort {
        Effort(u64::try_from(time.as_nanos()).unwrap_or(u64::MAX))
    }

    /// In nominal milliseconds.
    pub fn as_millis(self) -> f64 {
        self.0 as f64 / 1e6
    }

    /// Whether there is none.
    pub fn is_zero(self) -> bool {
        self.0 == 0
    }

    /// What is left of it after some was spent.
    pub fn saturating_sub(self, spent: Effort) -> Effort {
        Effort(self.0.saturating_sub(spent.0))
    }

    /// What so many steps of a kind cost.
    pub(crate) fn of(kind: Step, steps: u64) -> Effort {
        Effort(steps.saturating_mul(kind.price()))
    }

    /// How many steps of a kind it pays for.
    pub(crate) fn steps(self, kind: Step) -> u64 {
        self.0 / kind.price()
    }
}

impl Add for Effort {
    type Output = Effort;
    fn add(self, other: Effort) -> Effort {
        Effort(self.0.saturating_add(other.0))
    }
}

impl Mul<u64> for Effort {
    type Output = Effort;
    fn mul(self, times: u64) -> Effort {
        Effort(self.0.saturating_mul(times))
    }
}

impl Div<u64> for Effort {
    type Output = Effort;
    fn div(self, parts: u64) -> Effort {
        Effort(self.0 / parts)
    }
}

/// A kind of step that is counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// A term was asked for, and was there or was made. Simplification and symbolic execution are paid by this.
    Term,
    /// A term was evaluated under an assignment.
    Evaluation,
    /// A term was visited, in a walk over all sub-terms of others.
    Visit,
    /// One of z3's resource units.
    Resource,
    /// A query was given to z3: what it costs before z3 begins to count.
    Query,
    /// A term was translated for z3.
    Translation,
    /// A clause, about, into which z3 translates a hard operator; it does not count that.
    Clause,
    /// A step of the interpreter.
    Interpreted,
    /// A literal was considered in the search for a short condition.
    Literal,
}

impl Step {
    /// What one costs. Measured over the corpus (docs/internals/effort.md): CPU time of engines against these counts.
    const fn price(self) -> u64 {
        match self {
            Step::Term => 1_200,
            Step::Evaluation => 600,
            Step::Visit => 60,
            Step::Resource => 110,
            Step::Query => 60_000,
            Step::Translation => 1_200,
            Step::Clause => 5_000,
            Step::Interpreted => 4,
            Step::Literal => 6,
        }
    }
}

struct Meter {
    spent: Cell<u64>,
    deadline: Cell<Option<Instant>>,
    late: Cell<bool>,
}

thread_local! {
    static METER: Meter = const {
        Meter { spent: Cell::new(0), deadline: Cell::new(None), late: Cell::new(false) }
    };
}

/// Counts steps that this thread has taken.
pub fn count(kind: Step, steps: u64) {
    METER.with(|meter| {
        let price = steps.saturating_mul(kind.price());
        meter.spent.set(meter.spent.get().saturating_add(price));
    });
}

/// Counts work that has no steps of its own.
pub(crate) fn charge(work: Effort) {
    METER.with(|meter| meter.spent.set(meter.spent.get().saturating_add(work.0)));
}

/// What this thread has spent in its life. Only differences mean something.
pub fn spent() -> Effort {
    METER.with(|meter| Effort(meter.spent.get()))
}

/// What this thread has spent since a reading of [`spent`].
pub fn since(reading: Effort) -> Effort {
    spent().saturating_sub(reading)
}

/// Whether this thread has spent what it had to, by a reading of [`spent`] that was to come, or must stop by the clock.
pub fn has_passed(until: Effort) -> bool {
    spent() >= until || Deadline::has_passed()
}

/// The wall-clock limit of this thread, for as long as the value lives.
///
/// ```
/// use std::time::{Duration, Instant};
/// use verdiff_logic::effort::Deadline;
/// let deadline = Deadline::begin(Instant::now() + Duration::from_secs(3600));
/// assert!(!Deadline::has_passed());
/// drop(deadline);
/// let deadline = Deadline::begin(Instant::now());
/// assert!(Deadline::has_passed() && deadline.was_noticed());
/// ```
pub struct Deadline {
    before: (Option<Instant>, bool),
}

impl Deadline {
    /// Begins a job of this thread that must stop at an instant.
    pub fn begin(at: Instant) -> Deadline {
        cut::note_deadline(true);
        METER.with(|meter| Deadline {
            before: (meter.deadline.replace(Some(at)), meter.late.replace(false)),
        })
    }

    /// Whether this thread must stop now. Whoever asks and stops for it makes the result depend on the clock; that is
    /// remembered.
    pub fn has_passed() -> bool {
        let passed =
            METER.with(|meter| meter.deadline.get()).is_some_and(|at| Instant::now() >= at);
        let passed = cut::is_reached(Limit::Time) || passed;
        if passed {
            Deadline::note();
        }
        passed
    }

    /// When this thread must stop.
    pub fn of_thread() -> Option<Instant> {
        METER.with(|meter| meter.deadline.get())
    }

    /// Remembers that something was stopped by the clock, or by something else that is another in the next run.
    pub fn note() {
        METER.with(|meter| meter.late.set(true));
    }

    /// Whether anything was stopped by the clock, so that another run may come to another result.
    pub fn was_noticed(&self) -> bool {
        METER.with(|meter| meter.late.get())
    }
}

impl Drop for Deadline {
    fn drop(&mut self) {
        cut::note_deadline(false);
        METER.with(|meter| {
            meter.deadline.set(self.before.0);
            meter.late.set(self.before.1 | meter.late.get());
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::TermPool;

    #[test]
    fn the_same_work_is_the_same_effort() {
        let work = || {
            let before = spent();
            let mut pool = TermPool::new();
            let mut sum = pool.bits(32, 1).unwrap();
            for number in 0..100 {
                let more = pool.bits(32, number).unwrap();
                sum = pool.bv_add(sum, more).unwrap();
            }
            since(before)
        };
        let first = work();
        assert!(first > Effort::ZERO);
        assert_eq!(first, work());
    }

    #[test]
    fn amounts_do_not_overflow() {
        assert_eq!(Effort::seconds(u64::MAX), Effort::UNLIMITED);
        assert_eq!(Effort::UNLIMITED + Effort::millis(1), Effort::UNLIMITED);
        assert_eq!(Effort::millis(1).saturating_sub(Effort::seconds(1)), Effort::ZERO);
        assert!(Effort::UNLIMITED.steps(Step::Resource) > 0);
    }

    #[test]
    fn an_inner_deadline_gives_way_to_the_outer_one() {
        let outer = Deadline::begin(Instant::now() + Duration::from_secs(3600));
        {
            let inner = Deadline::begin(Instant::now());
            assert!(Deadline::has_passed() && inner.was_noticed());
        }
        assert!(!Deadline::has_passed());
        assert!(outer.was_noticed(), "what was stopped inside is part of the outer result");
    }
}
