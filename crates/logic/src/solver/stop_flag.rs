//! A flag by which one thread tells another's query to end.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// A request to stop, shared by those who make it and those who heed it.
#[derive(Clone, Debug, Default)]
pub struct Stop {
    flag: Arc<AtomicBool>,
}

impl Stop {
    /// A flag that is not raised yet.
    pub fn new() -> Stop {
        Stop::default()
    }

    /// Raises the flag.
    pub fn request(&self) {
        self.flag.store(true, Ordering::Release);
    }

    /// Whether the flag was raised.
    pub fn is_requested(&self) -> bool {
        self.flag.load(Ordering::Acquire)
    }
}
