//! When what has to be finished.
//!
//! | phase | of a pair with `--timeout` T | of a run with `--budget` B |
//! |---|---|---|
//! | loading, engines | T; a worker that overruns is killed [`GRACE`] later | B, less what is kept for replay |
//! | replay | T and [`REPLAYED`] | B |
//! | checking what it confirmed, wording conditions | T and [`REPORTED`] | B and [`REPORTED`] |
//!
//! A pair's time is what was spent on it alone: compiling for replay is for all pairs, and counts for the run. What is not
//! finished is given up and said to be open for time; what was found before stays.

use std::time::{Duration, Instant};

/// What a worker gets beyond the pair's own limit, to finish by itself.
pub(crate) const GRACE: Duration = Duration::from_millis(400);
/// Until when, after its limit, a pair's differences may be replayed: as long as engines take all their time.
pub(crate) const REPLAYED: Duration = Duration::from_millis(700);
/// Until when, after its limit, its conditions may be worded.
pub const REPORTED: Duration = Duration::from_millis(800);
/// What of a budget is kept for replay: this part of it, and no more than that.
const KEPT: (u32, Duration) = (8, Duration::from_secs(5));

/// When a run began and how long it may take.
#[derive(Clone, Copy, Debug)]
pub struct Clock {
    /// When it began.
    pub begun: Instant,
    /// How long it may take.
    pub budget: Option<Duration>,
}

impl Clock {
    /// When engines must be done.
    pub fn engines_end(&self) -> Option<Instant> {
        let kept = |budget: Duration| (budget / KEPT.0).min(KEPT.1);
        self.budget.map(|budget| self.begun + budget - kept(budget))
    }

    /// When replay must be done.
    pub fn replay_ends(&self) -> Option<Instant> {
        self.budget.map(|budget| self.begun + budget)
    }

    /// When the report must be made.
    pub fn report_ends(&self) -> Option<Instant> {
        self.replay_ends().map(|end| end + REPORTED)
    }

    /// How long engines may still work.
    pub(crate) fn left_for_engines(&self) -> Option<Duration> {
        self.engines_end().map(|end| end.saturating_duration_since(Instant::now()))
    }
}

/// The earlier of a run's end and the end of what one pair has left.
pub(crate) fn sooner(run: Option<Instant>, left: Duration) -> Instant {
    let own = Instant::now() + left;
    run.map_or(own, |end| end.min(own))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn phases_end_in_order_and_within_three_seconds_of_the_budget() {
        for seconds in [0.1, 1.0, 10.0, 60.0, 3600.0] {
            let budget = Duration::from_secs_f64(seconds);
            let clock = Clock { begun: Instant::now(), budget: Some(budget) };
            let ends = [clock.engines_end(), clock.replay_ends(), clock.report_ends()];
            let ends = ends.map(|end| end.unwrap().duration_since(clock.begun));
            assert!(ends[0] * 8 >= budget * 7 && ends[0] >= budget.saturating_sub(KEPT.1));
            assert!(ends[0] < ends[1] && ends[1] <= budget && ends[1] < ends[2]);
            assert!(ends[2] + GRACE <= budget + Duration::from_secs(3));
        }
        assert!(GRACE < REPLAYED && REPLAYED < REPORTED && REPORTED < Duration::from_secs(1));
        assert_eq!(Clock { begun: Instant::now(), budget: None }.report_ends(), None);
    }
}
