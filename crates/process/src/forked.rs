//! A second process of this very program that goes on where the first one is, without starting the program again.
//!
//! To start a program that is linked with LLVM takes 20 ms, nearly all of it to move the library to its addresses; a copy of a process
//! that has done so takes one. That is all that a small comparison gains, and it gains it twice: for the process that does the work,
//! and for its first worker.
//!
//! A copy has the thread that made it and no other, so what another thread held locked stays locked. Therefore only a process with one
//! thread makes copies: [`fork()`] looks, and refuses otherwise.

use rustix::process::{Pid, Signal, WaitOptions, kill_process, waitpid};
use std::io::{Error, PipeReader, PipeWriter, Result, pipe};
use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;

/// The other process, as the one that made it has it.
#[derive(Debug)]
pub struct Forked {
    pid: Pid,
    /// Known once somebody has waited for it.
    status: Option<ExitStatus>,
    /// Where its standard input comes from.
    pub stdin: Option<PipeWriter>,
    /// What it prints, if that was asked for.
    pub stdout: Option<PipeReader>,
    /// What it prints to its standard error, if that was asked for.
    pub stderr: Option<PipeReader>,
}

/// Which of its streams the process that made it gets, besides its input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Captured {
    /// It prints where the first one prints.
    Nothing,
    /// Output and errors.
    Output,
}

/// Which process this is.
#[derive(Debug)]
pub enum Fork {
    /// The one that called.
    First(Forked),
    /// The new one. Its input is what the first one writes.
    Second,
}

/// Makes a second process. An error if there is none to be had, or if this process has several threads.
pub fn fork(captured: Captured) -> Result<Fork> {
    if std::fs::read_dir("/proc/self/task")?.count() != 1 {
        return Err(Error::other("this process has several threads"));
    }
    let (stdin, to_stdin) = pipe()?;
    let output = match captured {
        Captured::Nothing => None,
        Captured::Output => Some((pipe()?, pipe()?)),
    };
    match fork::fork()? {
        fork::Fork::Parent(pid) => {
            let pid = Pid::from_raw(pid).ok_or_else(|| Error::other("no process number"))?;
            let (stdout, stderr) = output.map(|(o, e)| (o.0, e.0)).unzip();
            Ok(Fork::First(Forked { pid, status: None, stdin: Some(to_stdin), stdout, stderr }))
        }
        fork::Fork::Child => {
            // Ends of pipes that are open here as well would never tell that the other process is gone.
            drop(to_stdin);
            let connected = rustix::stdio::dup2_stdin(&stdin).and_then(|()| match &output {
                Some(((_, stdout), (_, stderr))) => rustix::stdio::dup2_stdout(stdout)
                    .and_then(|()| rustix::stdio::dup2_stderr(stderr)),
                None => Ok(()),
            });
            // To the caller an error means that there is no second process. One that cannot be reached must not go on as if it
            // were the first.
            if connected.is_err() {
                std::process::abort();
            }
            Ok(Fork::Second)
        }
    }
}

impl Forked {
    /// Its number. After somebody has waited for it another process may have it.
    #[must_use]
    pub fn id(&self) -> u32 {
        self.pid.as_raw_nonzero().get().unsigned_abs()
    }

    /// Waits for its end.
    pub fn wait(&mut self) -> Result<ExitStatus> {
        if let Some(status) = self.status {
            return Ok(status);
        }
        loop {
            match waitpid(Some(self.pid), WaitOptions::empty()) {
                Ok(Some((_, status))) => {
                    let status = ExitStatus::from_raw(status.as_raw());
                    self.status = Some(status);
                    return Ok(status);
                }
                Ok(None) | Err(rustix::io::Errno::INTR) => {}
                Err(error) => return Err(error.into()),
            }
        }
    }

    /// Ends it at once, unless it has ended and somebody has waited for it.
    pub fn kill(&mut self) {
        if self.status.is_none() {
            let _ = kill_process(self.pid, Signal::KILL);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Captured, fork};

    #[test]
    fn a_process_with_several_threads_makes_no_copy() {
        let (go, wait) = std::sync::mpsc::channel::<()>();
        let other = std::thread::spawn(move || wait.recv());
        assert!(fork(Captured::Output).is_err());
        drop(go);
        assert!(other.join().unwrap().is_err());
    }
}
