//! Ctrl-C: what is finished is still reported.

use std::sync::atomic::{AtomicBool, Ordering};

static REQUESTED: AtomicBool = AtomicBool::new(false);

/// Begins to watch for Ctrl-C and termination. The first one ends the run in good order, the second at once.
pub fn watch() -> &'static AtomicBool {
    let set = ctrlc::set_handler(|| {
        if REQUESTED.swap(true, Ordering::SeqCst) {
            std::process::exit(130);
        }
    });
    // Without a handler the signal ends the process, as it always did.
    drop(set);
    &REQUESTED
}

/// Whether the user wants an end.
pub fn requested(flag: &AtomicBool) -> bool {
    flag.load(Ordering::SeqCst)
}

/// A worker goes on until its parent, which gets the same signal, ends it.
pub fn leave_to_parent() {
    let _ = ctrlc::set_handler(|| {});
}
