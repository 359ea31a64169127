//! Ends a run whose report would come too late.
//!
//! All phases but one have ends of their own (docs/internals/jobs.md, "Time limits"). What is left is put together for all functions once both
//! versions are loaded, and takes a fifth of the time that loading took. Where loading took nearly all of the budget, on a machine
//! that is busy with other things, that may be many seconds. A run that was given a budget is waited for by somebody who has no
//! more time, so it ends with an error then, as it does if the versions cannot be loaded at all.

use crate::arguments::Color;
use crate::fault;
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};
use verdiff_judge::{abandon, exit_if_abandoned};

/// How long after the budget a report may be begun to be written: a run ends 3 s after its budget at the latest, and thousands of functions
/// are written in a small part of a second.
const BEYOND: Duration = Duration::from_millis(2500);

/// Whether the report was begun to be written.
#[derive(Default)]
struct Report {
    is_there: Mutex<bool>,
    changed: Condvar,
}

/// Ends the process unless it is dropped in time.
pub struct Overdue(Arc<Report>);

impl Overdue {
    /// Ends the process soon after `end`, if that is known.
    pub fn after(end: Option<Instant>, color: Color) -> Overdue {
        let report = Arc::new(Report::default());
        if let Some(end) = end {
            let report = report.clone();
            std::thread::spawn(move || report.wait(end + BEYOND, color));
        }
        Overdue(report)
    }
}

impl Report {
    fn wait(&self, end: Instant, color: Color) {
        // Held until the process is gone: nobody begins to write meanwhile.
        let mut is_there = self.is_there.lock().unwrap_or_else(PoisonError::into_inner);
        while !*is_there {
            let left = end.saturating_duration_since(Instant::now());
            if left.is_zero() {
                let text = "--budget: the time limit was reached before the report was complete";
                let code = fault::report(&anyhow::anyhow!(text), color);
                // Other threads are at work on what nobody will see.
                abandon();
                exit_if_abandoned(code);
            }
            let waited = self.changed.wait_timeout(is_there, left);
            is_there = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }
}

impl Drop for Overdue {
    fn drop(&mut self) {
        *self.0.is_there.lock().unwrap_or_else(PoisonError::into_inner) = true;
        self.0.changed.notify_all();
    }
}
