//! A thread that interrupts z3 when a limit is reached.
//!
//! z3's own `timeout` starts a thread for every query. One thread of ours watches clock, z3's own
//! count of allocated bytes and the caller's [`Stop`], and asks z3 to give up, which it does at
//! its next checkpoint and with its data in order. Between two checkpoints it can allocate some
//! hundred megabytes, so it is asked before the limit is reached.
//!
//! Where z3 has no checkpoints, `memory_max_size` is the last resort: beyond it every allocation
//! throws. z3 4.8.12 survives that but frees nothing afterwards, so it is a fuse, set at twice the
//! limit: it keeps the process alive, which then should not ask z3 much more.

use std::cell::RefCell;
use std::ffi::CString;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use super::ffi;
use crate::effort::Deadline;
use crate::exit::note_solver_exhausted;
use crate::solver::{Limits, Reason, Stop};

/// How often memory and the stop flag are looked at.
const POLL: Duration = Duration::from_millis(5);

/// Polls without a query after which the thread sleeps until it is woken.
const POLLS_BEFORE_SLEEP: u32 = 20;

/// The fuse that is set, in megabytes; zero for none. z3 has one for the whole process.
static FUSE: Mutex<u64> = Mutex::new(0);

fn set_fuse(memory: Option<u64>) {
    let megabytes = memory.map_or(0, |bytes| (bytes >> 19).clamp(64, u32::MAX.into()));
    let mut fuse = FUSE.lock().unwrap_or_else(PoisonError::into_inner);
    if *fuse == megabytes {
        return;
    }
    *fuse = megabytes;
    let value = CString::new(megabytes.to_string()).unwrap_or_default();
    // SAFETY: two strings that z3 copies; the lock keeps other threads from doing the same.
    unsafe { ffi::Z3_global_param_set(c"memory_max_size".as_ptr(), value.as_ptr()) };
}

struct Job {
    context: ContextPointer,
    deadline: Option<Instant>,
    memory: Option<u64>,
    stop: Stop,
}

/// A context that the watching thread may interrupt.
struct ContextPointer(ffi::Context);

// SAFETY: the only thing done with the pointer on the other thread is `Z3_interrupt`, which z3
// documents as callable from any thread, and only while the job is there, which its owner takes
// back before the context can be deleted.
unsafe impl Send for ContextPointer {}

#[derive(Default)]
struct WatchdogState {
    job: Option<Job>,
    fired: Option<Reason>,
    /// Whether the thread waits to be woken rather than for the next poll.
    asleep: bool,
    quit: bool,
}

#[derive(Default)]
struct Shared {
    state: Mutex<WatchdogState>,
    changed: Condvar,
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, WatchdogState> {
        // Nothing panics while holding the lock; the state would be in order even so.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The watching thread.
pub(super) struct Watchdog {
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
}

thread_local! {
    /// Watching threads that nobody uses, for the next solver of this thread: a query often takes no longer than to start one.
    static IDLE: RefCell<Vec<Watchdog>> = const { RefCell::new(Vec::new()) };
}

impl Watchdog {
    /// One that was put back, or a new one.
    pub(super) fn take() -> Watchdog {
        let idle = IDLE.try_with(|idle| idle.borrow_mut().pop()).ok().flatten();
        idle.unwrap_or_else(Watchdog::start)
    }

    /// Keeps the thread for the next solver.
    pub(super) fn put(self) {
        // Where the calling thread ends nothing is kept, and the watching thread ends as well.
        let _ = IDLE.try_with(|idle| idle.borrow_mut().push(self));
    }

    fn start() -> Watchdog {
        let shared = Arc::new(Shared::default());
        let watched = Arc::clone(&shared);
        let name = "z3-watchdog".to_string();
        let thread = std::thread::Builder::new().name(name).spawn(move || watch(&watched)).ok();
        Watchdog { shared, thread }
    }

    /// Runs `work`, which calls into `context`, under the limits. Gives the reason for which it
    /// was interrupted, if it was.
    pub(super) fn run<T>(
        &self,
        context: ffi::Context,
        limits: &Limits,
        stop: &Stop,
        work: impl FnOnce() -> T,
    ) -> (T, Option<Reason>) {
        let asleep = {
            let mut state = self.shared.lock();
            state.fired = None;
            state.job = Some(Job {
                context: ContextPointer(context),
                deadline: limits
                    .time
                    .map(|time| Instant::now() + time)
                    .into_iter()
                    .chain(Deadline::of_thread())
                    .min(),
                memory: limits.memory.map(|bytes| bytes / 8 * 5),
                stop: stop.clone(),
            });
            state.asleep
        };
        if asleep {
            self.shared.changed.notify_one();
        }
        set_fuse(limits.memory);
        note_solver_exhausted(false);
        let result = work();
        let mut state = self.shared.lock();
        state.job = None;
        let fired = state.fired.take();
        // Clock and memory are others in the next run.
        if matches!(fired, Some(Reason::Time | Reason::Memory)) {
            Deadline::note();
        }
        (result, fired)
    }
}

impl Drop for Watchdog {
    fn drop(&mut self) {
        self.shared.lock().quit = true;
        self.shared.changed.notify_one();
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

fn watch(shared: &Shared) {
    let mut state = shared.lock();
    let mut idle = 0;
    while !state.quit {
        let Some(job) = &state.job else {
            // Queries come in bursts: waking a thread for each would cost more than many of them.
            idle += 1;
            if idle < POLLS_BEFORE_SLEEP {
                let waited = shared.changed.wait_timeout(state, POLL);
                state = waited.unwrap_or_else(PoisonError::into_inner).0;
            } else {
                state.asleep = true;
                state = shared.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
                state.asleep = false;
            }
            continue;
        };
        idle = 0;
        let now = Instant::now();
        let reason = overstepped(job, now);
        if reason.is_some() {
            // SAFETY: the job is there, so its owner is still inside `run` and the context alive.
            unsafe { ffi::Z3_interrupt(job.context.0) };
        }
        let wait = match job.deadline {
            Some(deadline) if deadline > now => POLL.min(deadline - now),
            _ => POLL,
        };
        if state.fired.is_none() {
            state.fired = reason;
        }
        let waited = shared.changed.wait_timeout(state, wait);
        state = waited.unwrap_or_else(PoisonError::into_inner).0;
    }
}

fn overstepped(job: &Job, now: Instant) -> Option<Reason> {
    if job.stop.is_requested() {
        return Some(Reason::Interrupted);
    }
    if job.deadline.is_some_and(|deadline| now >= deadline) {
        return Some(Reason::Time);
    }
    // SAFETY: reads a counter that z3 guards by a lock of its own.
    let used = || unsafe { ffi::Z3_get_estimated_alloc_size() };
    job.memory.filter(|limit| used() > *limit).map(|_| {
        note_solver_exhausted(true);
        Reason::Memory
    })
}
