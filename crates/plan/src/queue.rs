//! Jobs that wait for a worker: those that matter most first.

use std::collections::BTreeMap;
use std::sync::{Condvar, Mutex};

/// What is waiting, by the order in which it is taken; the lowest key comes first.
pub(crate) struct Queue<K, T> {
    state: Mutex<QueueState<K, T>>,
    changed: Condvar,
}

struct QueueState<K, T> {
    waiting: BTreeMap<K, T>,
    closed: bool,
}

impl<K: Ord, T> Queue<K, T> {
    /// An empty queue.
    pub(crate) fn new() -> Queue<K, T> {
        let state = QueueState { waiting: BTreeMap::new(), closed: false };
        Queue { state: Mutex::new(state), changed: Condvar::new() }
    }

    /// Adds something. A key that is there already stands for something else now.
    pub(crate) fn push(&self, key: K, value: T) {
        if let Ok(mut state) = self.state.lock() {
            state.waiting.insert(key, value);
            self.changed.notify_one();
        }
    }

    /// Takes the first, as soon as there is one. Nothing if there will be none.
    pub(crate) fn take(&self) -> Option<T> {
        let mut state = self.state.lock().ok()?;
        loop {
            if let Some((_, first)) = state.waiting.pop_first() {
                return Some(first);
            }
            if state.closed {
                return None;
            }
            state = self.changed.wait(state).ok()?;
        }
    }

    /// Nothing will be added: whoever waits need not.
    pub(crate) fn close(&self) {
        if let Ok(mut state) = self.state.lock() {
            state.closed = true;
        }
        self.changed.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lowest_key_comes_first_and_the_end_is_seen() {
        let queue = Queue::new();
        for key in [3, 1, 2] {
            queue.push(key, key * 10);
        }
        assert_eq!([queue.take(), queue.take()], [Some(10), Some(20)]);
        std::thread::scope(|scope| {
            let waits = scope.spawn(|| (queue.take(), queue.take()));
            queue.close();
            assert_eq!(waits.join().unwrap(), (Some(30), None));
        });
    }
}
