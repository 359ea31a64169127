//! The work is done by a second process of the same program, so that even a crash of LLVM,
//! which no handler outlives, reaches the user as a message and an exit code.
//!
//! The working process lives no longer than its supervisor: its standard input is a pipe that the
//! supervisor holds open, and that the system closes however the supervisor ends. A byte in it says that
//! the user wants an end; the supervisor waits for the report that still comes. When asked a second time it ends
//! both at once.

use crate::{fault, interrupt};
use rustix::process::{Pid, Signal, kill_process};
use std::io::{Read, Write};
use std::process::{ChildStdin, Command, ExitCode, ExitStatus, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Set in the working process's environment.
const WORKER: &str = "VERDIFF_WORKER_PROCESS";
/// Says that the user wants an end.
const STOP: u8 = b'!';

/// Does the work in a process of its own, or, in that process, does it.
pub fn supervised(work: impl FnOnce() -> ExitCode) -> ExitCode {
    if std::env::var_os(WORKER).is_some() {
        interrupt::leave_to_another();
        std::thread::spawn(listen_to_supervisor);
        return work();
    }
    match start() {
        Some(code) => code,
        // No second process is to be had: better unprotected than not at all.
        None => work(),
    }
}

fn start() -> Option<ExitCode> {
    let mut worker = Command::new(std::env::current_exe().ok()?)
        .args(std::env::args_os().skip(1))
        .env(WORKER, "1")
        .stdin(Stdio::piped())
        .spawn()
        .ok()?;
    // `wait` would close the pipe first, and the worker would take us for gone.
    let held_open = worker.stdin.take().map(Arc::new);
    let asked = Arc::new(AtomicBool::new(false));
    if let Some(pipe) = &held_open {
        pass_signals_on(pipe.clone(), asked.clone(), worker.id());
    }
    let status = worker.wait().ok()?;
    drop(held_open);
    Some(exit_code(status, asked.load(Ordering::SeqCst)))
}

/// Tells the working process of the first signal, and ends both on the second.
fn pass_signals_on(pipe: Arc<ChildStdin>, asked: Arc<AtomicBool>, worker: u32) {
    let _ = ctrlc::set_handler(move || {
        if !asked.swap(true, Ordering::SeqCst) {
            // A worker that is gone has nothing to be told.
            let _ = (&*pipe).write_all(&[STOP]);
            return;
        }
        if let Some(worker) = i32::try_from(worker).ok().and_then(Pid::from_raw) {
            let _ = kill_process(worker, Signal::KILL);
        }
        std::process::exit(i32::from(interrupt::ENDED));
    });
}

/// Ends with the supervisor, or when it says so.
fn listen_to_supervisor() {
    let mut said = [0];
    while std::io::stdin().read(&mut said).is_ok_and(|n| n > 0) {
        if said[0] == STOP && !interrupt::request() {
            fault::interrupted();
            break;
        }
    }
    interrupt::end_at_once();
}

fn exit_code(status: ExitStatus, asked: bool) -> ExitCode {
    if let Some(code) = status.code() {
        return ExitCode::from(u8::try_from(code).unwrap_or(fault::TROUBLE));
    }
    if asked {
        return ExitCode::from(interrupt::ENDED);
    }
    fault::crashed(&end(status));
    ExitCode::from(fault::TROUBLE)
}

fn end(status: ExitStatus) -> String {
    use std::os::unix::process::ExitStatusExt;
    match status.signal() {
        Some(9) => "it was killed, perhaps because memory ran out".to_owned(),
        Some(signal) => format!("signal {signal}"),
        None => status.to_string(),
    }
}
