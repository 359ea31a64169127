//! Ctrl-C and termination: what is finished is still reported.
//!
//! Only the supervisor listens to signals, since a terminal sends them to every process of the group while `kill`
//! sends them to one. It passes each on as a byte through the pipe that it holds open (`supervise.rs`).

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// The exit code of a run that was ended before it had anything to report, as shells have it.
pub const ENDED: u8 = 130;

/// How long a run goes on after the signal to have differences that were found already confirmed.
const PATIENCE: Duration = Duration::from_secs(3);

/// Whether the run ends in good order when asked, as opposed to at once.
static ORDERLY: AtomicBool = AtomicBool::new(false);
static SINCE: Mutex<Option<Instant>> = Mutex::new(None);

/// From now on the run looks at [`requested`] by itself.
pub fn end_in_good_order() {
    ORDERLY.store(true, Ordering::SeqCst);
}

/// Whether the user wants an end.
pub fn requested() -> bool {
    since().is_some()
}

/// Whether the user has waited long enough for it.
pub fn overdue() -> bool {
    since().is_some_and(|since| since.elapsed() > PATIENCE)
}

/// Notes that the user wants an end. Says whether the run will see to that itself.
pub fn request() -> bool {
    if let Ok(mut since) = SINCE.lock() {
        since.get_or_insert_with(Instant::now);
    }
    ORDERLY.load(Ordering::SeqCst)
}

fn since() -> Option<Instant> {
    SINCE.lock().ok().and_then(|since| *since)
}

/// Leaves signals to another process, which gets them too and says what is to be done.
pub fn leave_to_another() {
    // Without a handler the signal ends the process, as it always did.
    let _ = ctrlc::set_handler(|| {});
}

/// Ends this process, at once and whatever its threads are doing.
pub fn end_at_once() -> ! {
    // `exit` would first take down what other threads still work with.
    let _ = rustix::process::kill_process(rustix::process::getpid(), rustix::process::Signal::KILL);
    std::process::abort()
}
