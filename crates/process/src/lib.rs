//! Other programs, run until they are done or a deadline has passed.
//!
//! Whoever runs clang or a linker says until when ([`Deadline`]). A program that is still running then is killed with its whole process
//! group, by a signal that nothing can ignore, and what it prints beyond a bound is thrown away. So no program, however
//! it behaves, takes longer or more memory than it was given.
//!
//! Architecture invariant: this crate knows processes and nothing of what they do.

#![forbid(unsafe_code)]

mod deadline;
mod forked;
mod temporary;

pub use deadline::Deadline;
pub use forked::{Captured, Fork, Forked, fork};
pub use temporary::use_temporary_folder;

use rustix::process::{Pid, Signal, kill_process_group};
use std::io::Read;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

/// So much is kept of what a program prints to either stream.
const KEPT: usize = 1 << 20;
/// How often a program that has closed its streams is asked whether it is done.
const PAUSE: Duration = Duration::from_millis(1);

/// What a program did.
#[derive(Clone, Debug)]
pub struct Done {
    /// How it ended.
    pub status: ExitStatus,
    /// The beginning of what it printed to its standard output.
    pub stdout: String,
    /// The beginning of what it printed to its standard error.
    pub stderr: String,
}

/// Why a program did not come to its end.
#[derive(Debug, thiserror::Error)]
pub enum Failure {
    /// It could not be started.
    #[error("cannot start {program}")]
    Start {
        /// Which.
        program: String,
        /// Why.
        source: std::io::Error,
    },
    /// The deadline had passed.
    #[error("{program} was still running at the time limit")]
    TimedOut {
        /// Which.
        program: String,
    },
}

/// Runs a program without input. With a deadline it is in a process group of its own, which is killed as a whole; without one it stays
/// in the caller's, so that what ends the caller's ends it, too.
pub fn run(command: &mut Command, deadline: Deadline) -> Result<Done, Failure> {
    let program = command.get_program().to_string_lossy().into_owned();
    if deadline.is_over() {
        return Err(Failure::TimedOut { program });
    }
    if deadline != Deadline::NEVER {
        command.process_group(0);
    }
    if let Some(folder) = temporary::folder() {
        command.env(temporary::VARIABLE, folder);
    }
    let child = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
    let mut group = match child {
        Ok(child) => Group(child),
        Err(source) => return Err(Failure::Start { program, source }),
    };
    let (send, texts) = channel();
    let streams: [Option<Box<dyn Read + Send>>; 2] = [
        group.0.stdout.take().map(|stream| Box::new(stream) as _),
        group.0.stderr.take().map(|stream| Box::new(stream) as _),
    ];
    for (index, stream) in streams.into_iter().enumerate() {
        let send = send.clone();
        // Each ends with the last process that has the stream open, all of which are of the group. Nobody waits for
        // the thread: if one has left the group, it reads on by itself.
        std::thread::spawn(move || {
            let text = stream.map(beginning).unwrap_or_default();
            let _ = send.send((index, text));
        });
    }
    let mut printed = [String::new(), String::new()];
    for _ in 0..printed.len() {
        match deadline.receive(&texts) {
            Ok((index, text)) => printed[index] = text,
            Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => {
                return Err(Failure::TimedOut { program });
            }
        }
    }
    // It is mostly gone by now; if not, it closed its streams and goes on.
    loop {
        match group.0.try_wait() {
            Ok(Some(status)) => {
                let [stdout, stderr] = printed;
                return Ok(Done { status, stdout, stderr });
            }
            Ok(None) if !deadline.is_over() => std::thread::sleep(PAUSE),
            Ok(None) | Err(_) => return Err(Failure::TimedOut { program }),
        }
    }
}

/// A child that is killed with its group when this is dropped.
struct Group(Child);

impl Drop for Group {
    fn drop(&mut self) {
        // One that was waited for is gone, and its number may be another's by now; what it left running closed the streams.
        if !matches!(self.0.try_wait(), Ok(None)) {
            return;
        }
        kill_group(&mut self.0);
    }
}

/// Kills a child that has not been waited for, and all of its group, and waits for it.
pub fn kill_group(child: &mut Child) {
    // The child has not been waited for, so its number cannot be anyone else's.
    if let Some(group) = i32::try_from(child.id()).ok().and_then(Pid::from_raw) {
        let _ = kill_process_group(group, Signal::KILL);
    }
    let _ = child.kill();
    let _ = child.wait();
}

/// The beginning of a stream, which is read to its end.
fn beginning(mut stream: Box<dyn Read + Send>) -> String {
    let mut kept = vec![];
    let _ = stream.by_ref().take(KEPT as u64).read_to_end(&mut kept);
    let _ = std::io::copy(&mut stream, &mut std::io::sink());
    String::from_utf8_lossy(&kept).into_owned()
}
