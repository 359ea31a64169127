//! When what has to be finished.
//!
//! | phase | of a pair with `--timeout` T | of a run with `--budget` B |
//! |---|---|---|
//! | engines | T; a worker that overruns is killed [`GRACE`] later | B, less what is kept for replay |
//! | replay | T and [`REPLAYED`] | B |
//! | checking what it confirmed, wording conditions | T and [`REPORTED`] | B and [`REPORTED`] |
//!
//! A pair's time is what was spent on it alone: compiling for replay is for all pairs, and counts for the run. So is telling a worker
//! the programs: the first job of a worker may take longer by what that takes ([`Limits::loading`](crate::Limits)). What is not
//! finished is given up and said to be open for time; what was found before stays.

use std::time::{Duration, Instant};
use verdiff_logic::effort::{Deadline, Effort};

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

/// How much of the time that is left an engine has at least,
pub(crate) const HALF: f64 = 0.5;
/// and where a difference is known.
pub(crate) const FIFTH: f64 = 0.2;

/// The deadline of an engine that gets a share of the effort that is left: as large a part of the time that is left, but no less than
/// `least`, or three times that large where it is less. Steps of some kinds of work take longer than their price says; what an engine spends too much of is time that the engines
/// after it do not have. If the deadline of the job is far away, so is this one.
pub(crate) fn clock_share(share: Effort, of: Effort, least: f64) -> Option<Deadline> {
    let now = Instant::now();
    let left = Deadline::of_thread()?.saturating_duration_since(now);
    let part = match of.is_zero() {
        true => 1.0,
        false => {
            let part = share.as_millis() / of.as_millis();
            part.max(least.min(3.0 * part)).clamp(FIFTH, 1.0)
        }
    };
    Some(Deadline::begin(now + left.mul_f64(part)))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// How long this thread may still work, in whole seconds, with a share of the effort.
    fn seconds_left(share: u64, of: u64) -> u64 {
        let clock = clock_share(Effort::seconds(share), Effort::seconds(of), HALF);
        let at = Deadline::of_thread().expect("a job has a deadline");
        let left = at.saturating_duration_since(Instant::now()).as_secs_f64().round() as u64;
        drop(clock);
        left
    }

    #[test]
    fn an_engine_gets_a_part_of_the_time_like_that_of_the_effort() {
        assert!(clock_share(Effort::seconds(1), Effort::seconds(2), HALF).is_none(), "no job");
        let begun = Instant::now();
        let job = Deadline::begin(begun + Duration::from_secs(1000));
        // What passes between two lines of a test is far less than the tolerance.
        let about = |left: u64, expected: u64| left.abs_diff(expected) <= 20;
        assert!(about(seconds_left(3, 4), 750));
        assert!(about(seconds_left(1, 4), 500));
        assert!(about(seconds_left(1, 10), 300), "what gets little has little time");
        assert!(about(seconds_left(1, 100), 200), "a fifth at least: prices are not exact");
        assert!(about(seconds_left(4, 4), 1000));
        assert!(about(seconds_left(5, 0), 1000), "nothing is left of the effort");
        assert_eq!(Deadline::of_thread(), Some(begun + Duration::from_secs(1000)), "restored");
        // Whatever the clock stopped in a share was stopped in the job.
        let clock = clock_share(Effort::seconds(1), Effort::seconds(2), HALF);
        Deadline::note();
        drop(clock);
        assert!(job.was_noticed());
    }

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
