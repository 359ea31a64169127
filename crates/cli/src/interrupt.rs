//! Ctrl-C and termination: what is finished is still reported.
//!
//! Only the supervisor listens to signals, since a terminal sends them to every process of the group while `kill`
//! sends them to one. It passes each on as a byte through the pipe that it holds open (`supervise.rs`).

use std::sync::LazyLock;
use std::sync::atomic::{AtomicBool, Ordering};
use verdiff::Interrupt;

/// The exit code of a run that was ended before it had anything to report, as shells have it.
pub const ENDED: u8 = 130;

/// Whether the run ends in good order when asked, as opposed to at once.
static ORDERLY: AtomicBool = AtomicBool::new(false);
static INTERRUPT: LazyLock<Interrupt> = LazyLock::new(Interrupt::default);

/// From now on the run looks at [`of_user`] by itself.
pub fn end_in_good_order() {
    ORDERLY.store(true, Ordering::SeqCst);
}

/// What the user's wish reaches comparisons by.
pub fn of_user() -> Interrupt {
    INTERRUPT.clone()
}

/// Whether the user wants an end.
pub fn requested() -> bool {
    INTERRUPT.is_requested()
}

/// Notes that the user wants an end. Says whether the run will see to that itself.
pub fn request() -> bool {
    INTERRUPT.request();
    ORDERLY.load(Ordering::SeqCst)
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
