//! A comparison that is to end early: what is finished is still reported.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// How long a run goes on after the request to have differences that were found already confirmed.
const PATIENCE: Duration = Duration::from_secs(3);

/// Ends a comparison from another thread. Clones are about the same comparison.
///
/// ```
/// let interrupt = verdiff::Interrupt::default();
/// let other = interrupt.clone();
/// other.request();
/// assert!(interrupt.is_requested());
/// ```
#[derive(Clone, Debug, Default)]
pub struct Interrupt(Arc<Mutex<Option<Instant>>>);

impl Interrupt {
    /// Asks for an end: pairs that are not judged by now are undecided, and [`Report::interrupted`] says so.
    ///
    /// [`Report::interrupted`]: crate::Report::interrupted
    pub fn request(&self) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert_with(Instant::now);
    }

    /// Whether an end was asked for.
    pub fn is_requested(&self) -> bool {
        self.since().is_some()
    }

    /// Whether whoever asked has waited long enough for it.
    pub(crate) fn is_overdue(&self) -> bool {
        self.since().is_some_and(|since| since.elapsed() > PATIENCE)
    }

    fn since(&self) -> Option<Instant> {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
