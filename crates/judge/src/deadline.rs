//! The clock as the outer limit of everything that is not done by a worker process.
//!
//! Engines count their effort, and the process of a worker that overruns is killed. What the process itself does (loading,
//! replaying, checking what a confirmed difference adds, wording conditions) may hang as well: a solver has stretches in which it looks
//! at no clock, and a compiler may be anything. So it is done on a thread that is left behind when its time is over.
//! Whoever asked goes on without the result, which must be allowed to be missing: nothing is concluded from that.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::{Duration, Instant};
use verdiff_logic::effort::Deadline;

/// How long conditions may be worded: nothing that is said later than that is worth waiting for.
#[derive(Clone, Copy, Debug)]
pub struct Deadlines {
    /// How long a pair may take, all that it took before included.
    pub pair: Duration,
    /// When the whole report must be made.
    pub whole: Option<Instant>,
}

static ABANDONED: AtomicBool = AtomicBool::new(false);

/// Does something until a deadline. `None` if it was not done by then, or panicked; then its thread is left behind.
///
/// ```
/// use std::time::{Duration, Instant};
/// let soon = Instant::now() + Duration::from_millis(20);
/// let parked = verdiff_judge::within(Some(soon), || std::thread::park());
/// assert!(parked.result.is_none() && parked.expired);
/// let four = verdiff_judge::within(None, || 4);
/// assert!(four.result == Some(4) && !four.expired);
/// assert!(verdiff_judge::has_abandoned());
/// ```
pub fn within<T: Send + 'static>(
    until: Option<Instant>,
    work: impl FnOnce() -> T + Send + 'static,
) -> Timed<T> {
    latest_within(until, move |tell| tell(work()))
}

/// What came of work that had until then.
pub struct Timed<T> {
    /// What was told last, if anything was.
    pub result: Option<T>,
    /// Whether the clock had a part in it: it was abandoned, or saw by itself that it had to stop.
    pub expired: bool,
}

/// The same for work that has something better to tell again and again: the last that was told by then.
pub fn latest_within<T: Send + 'static>(
    until: Option<Instant>,
    work: impl FnOnce(&mut dyn FnMut(T)) + Send + 'static,
) -> Timed<T> {
    let (send, told) = channel();
    let thread = std::thread::Builder::new().stack_size(STACK).spawn(move || {
        // Where it looks at the clock it stops by itself, just before nobody waits any more.
        let deadline = until.map(|until| Deadline::begin(until - MARGIN));
        // Nobody may be left to hear it.
        work(&mut |news| drop(send.send(News::Told(news))));
        if deadline.is_some_and(|deadline| deadline.was_noticed()) {
            drop(send.send(News::Expired));
        }
    });
    let mut latest = Timed { result: None, expired: thread.is_err() };
    loop {
        let news = match until {
            None => told.recv().map_err(|_| RecvTimeoutError::Disconnected),
            Some(until) => told.recv_timeout(until.saturating_duration_since(Instant::now())),
        };
        match news {
            Ok(News::Told(news)) => latest.result = Some(news),
            Ok(News::Expired) => latest.expired = true,
            Err(RecvTimeoutError::Disconnected) => return latest,
            Err(RecvTimeoutError::Timeout) => {
                abandon();
                return Timed { expired: true, ..latest };
            }
        }
    }
}

/// What a thread has to tell.
enum News<T> {
    Told(T),
    Expired,
}

/// What is left to tell the last of it.
const MARGIN: Duration = Duration::from_millis(20);

/// As much as the main thread has: what runs there must run here.
const STACK: usize = 8 << 20;

/// Notes that a thread is left behind.
pub fn abandon() {
    ABANDONED.store(true, Ordering::SeqCst);
}

/// Whether some thread was left behind.
pub fn has_abandoned() -> bool {
    ABANDONED.load(Ordering::SeqCst)
}

/// Ends the process with this code if a thread was left behind: it may be using what would be taken down.
pub fn exit_if_abandoned(code: u8) {
    if has_abandoned() {
        verdiff_logic::exit::at_once(code);
    }
}

/// For tests: in debug builds `VERDIFF_TEST_PHASE=replay:f` makes the phase `replay` hang at `f`. Release builds do not have this.
pub fn hang_if_injected(phase: &str, function: &str) {
    let here = format!("{phase}:{function}");
    let is_told = || std::env::var("VERDIFF_TEST_PHASE").is_ok_and(|told| told == here);
    while cfg!(debug_assertions) && is_told() {
        std::thread::sleep(Duration::from_secs(1));
    }
}
