//! Until when something may take.

use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

/// A point in time after which nobody waits any longer; or none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Deadline(Option<Instant>);

impl Deadline {
    /// No limit.
    pub const NEVER: Deadline = Deadline(None);

    /// So long from now. What is too far away for the clock is no limit.
    pub fn after(time: Duration) -> Deadline {
        Deadline(Instant::now().checked_add(time))
    }

    /// The earlier of the two.
    pub fn earlier(self, other: Deadline) -> Deadline {
        match (self.0, other.0) {
            (Some(a), Some(b)) => Deadline(Some(a.min(b))),
            (one, other) => Deadline(one.or(other)),
        }
    }

    /// How long there is; `None` if there is no limit.
    pub fn left(self) -> Option<Duration> {
        self.0.map(|end| end.saturating_duration_since(Instant::now()))
    }

    /// Whether it has passed.
    pub fn is_over(self) -> bool {
        self.left().is_some_and(|left| left.is_zero())
    }

    /// Waits for a message, until then.
    pub fn receive<T>(self, from: &Receiver<T>) -> Result<T, RecvTimeoutError> {
        match self.left() {
            Some(left) => from.recv_timeout(left),
            None => from.recv().map_err(|_| RecvTimeoutError::Disconnected),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn deadlines() {
        let (now, later) = (Deadline::after(Duration::ZERO), Deadline::after(Duration::MAX / 4));
        assert!(now.is_over() && !later.is_over() && !Deadline::NEVER.is_over());
        assert_eq!(now.earlier(Deadline::NEVER), now);
        assert_eq!(later.earlier(now), now);
        assert_eq!(Deadline::after(Duration::MAX), Deadline::NEVER);
        assert_eq!(Deadline::NEVER.left(), None);
    }
}
