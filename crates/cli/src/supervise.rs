//! The work is done by a second process of the same program, so that even a crash of LLVM,
//! which no handler outlives, reaches the user as a message and an exit code.
//!
//! The worker lives no longer than its supervisor: its standard input is a pipe that the
//! supervisor holds open, and that the system closes however the supervisor ends.

use crate::fault;
use std::io::Read;
use std::process::{Command, ExitCode, ExitStatus, Stdio};

/// Set in the worker's environment.
const WORKER: &str = "VERDIFF_WORKER_PROCESS";

/// Does the work in a process of its own, or, in that process, does it.
pub fn supervised(work: impl FnOnce() -> ExitCode) -> ExitCode {
    if std::env::var_os(WORKER).is_some() {
        std::thread::spawn(end_with_supervisor);
        return work();
    }
    match start() {
        Some(status) => exit_code(status),
        // No second process is to be had: better unprotected than not at all.
        None => work(),
    }
}

fn start() -> Option<ExitStatus> {
    let mut worker = Command::new(std::env::current_exe().ok()?)
        .args(std::env::args_os().skip(1))
        .env(WORKER, "1")
        .stdin(Stdio::piped())
        .spawn()
        .ok()?;
    // `wait` would close the pipe first, and the worker would take us for gone.
    let held_open = worker.stdin.take();
    let status = worker.wait().ok();
    drop(held_open);
    status
}

fn end_with_supervisor() {
    let mut nothing = [0];
    // Nothing is ever written: this returns when the pipe is closed.
    while std::io::stdin().read(&mut nothing).is_ok_and(|n| n > 0) {}
    std::process::exit(i32::from(fault::TROUBLE));
}

fn exit_code(status: ExitStatus) -> ExitCode {
    if let Some(code) = status.code() {
        return ExitCode::from(u8::try_from(code).unwrap_or(fault::TROUBLE));
    }
    fault::crashed(&end(status));
    ExitCode::from(fault::TROUBLE)
}

#[cfg(unix)]
fn end(status: ExitStatus) -> String {
    use std::os::unix::process::ExitStatusExt;
    match status.signal() {
        Some(9) => "it was killed, perhaps because memory ran out".to_owned(),
        Some(signal) => format!("signal {signal}"),
        None => status.to_string(),
    }
}

#[cfg(not(unix))]
fn end(status: ExitStatus) -> String {
    status.to_string()
}
