//! The work is done by a second process of the same program, so that even a crash of LLVM,
//! which no handler outlives, reaches the user as a message and an exit code. It is a copy of the first one
//! ([`verdiff_process::fork`]); the first worker of a comparison is a copy, too.
//!
//! The working process lives no longer than its supervisor: its standard input is a pipe that the
//! supervisor holds open, and that the system closes however the supervisor ends. A byte in it says that
//! the user wants an end; the supervisor waits for the report that still comes. When asked a second time it ends
//! both at once.
//!
//! All temporary files are in one folder, which the one removes that is left: neither has to end in good order for that.

use crate::{fault, interrupt};
use rustix::process::{Pid, Signal, kill_process};
use std::io::{PipeWriter, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{ExitCode, ExitStatus};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tempfile::TempDir;
use verdiff_process::{Captured, Fork, Forked, fork, use_temporary_folder};

/// How the name of that folder begins.
const PREFIX: &str = "verdiff-";
/// Says that the user wants an end.
const STOP: u8 = b'!';

/// Does the work in a process of its own, or, in that process, does it. `prepare` is for what must be done there before there are several
/// threads; if it gives an exit code, that process is another one, and is done.
pub fn supervised(
    prepare: impl FnOnce() -> Option<ExitCode>,
    work: impl FnOnce() -> ExitCode,
) -> ExitCode {
    match start() {
        Ok(Started::Supervisor(supervised)) => supervised.wait(),
        Ok(Started::Worker(folder)) => {
            if let Some(code) = prepare() {
                return code;
            }
            interrupt::leave_to_another();
            std::thread::spawn(move || listen_to_supervisor(folder.as_deref()));
            work()
        }
        // No second process is to be had: better unprotected than not at all.
        Err(NotStarted) => work(),
    }
}

/// Which process this is: the supervisor, or the one that works, with the folder for its temporary files.
enum Started {
    Supervisor(Supervised),
    Worker(Option<PathBuf>),
}

/// No working process was started, so nothing of the work was done.
struct NotStarted;

/// The working process, as its supervisor has it.
struct Supervised {
    worker: Forked,
    /// Once it is closed, the worker takes us for gone.
    held_open: Option<Arc<PipeWriter>>,
    /// Whether the user wants an end.
    asked: Arc<AtomicBool>,
    folder_path: Option<PathBuf>,
    /// Removed at the latest when this is dropped.
    _folder: Option<TempDir>,
}

fn start() -> Result<Started, NotStarted> {
    let folder = tempfile::Builder::new().prefix(PREFIX).tempdir().ok();
    // By its whole name, since clang may be started elsewhere.
    let folder_path = folder.as_ref().and_then(|folder| std::path::absolute(folder.path()).ok());
    match fork(Captured::Nothing) {
        Ok(Fork::First(mut worker)) => {
            let held_open = worker.stdin.take().map(Arc::new);
            let asked = Arc::new(AtomicBool::new(false));
            if let Some(pipe) = &held_open {
                pass_signals_on(pipe.clone(), asked.clone(), worker.id(), folder_path.clone());
            }
            Ok(Started::Supervisor(Supervised {
                worker,
                held_open,
                asked,
                folder_path,
                _folder: folder,
            }))
        }
        Ok(Fork::Second) => {
            // It is the supervisor's to remove.
            std::mem::forget(folder);
            if let Some(path) = &folder_path {
                use_temporary_folder(path);
            }
            Ok(Started::Worker(folder_path))
        }
        Err(_) => Err(NotStarted),
    }
}

impl Supervised {
    /// Waits for the end of the work. However that turns out, the work was begun, and is not done a second time.
    fn wait(mut self) -> ExitCode {
        let status = self.worker.wait();
        drop(self.held_open);
        if let Some(path) = &self.folder_path {
            remove(path);
        }
        match status {
            Ok(status) => exit_code(status, self.asked.load(Ordering::SeqCst)),
            // Whoever started us may ignore SIGCHLD; then the system forgets how a process ended.
            Err(error) => {
                fault::lost(&error);
                ExitCode::from(fault::TROUBLE)
            }
        }
    }
}

/// Tells the working process of the first signal, and ends both on the second.
fn pass_signals_on(
    pipe: Arc<PipeWriter>,
    asked: Arc<AtomicBool>,
    worker: u32,
    folder: Option<PathBuf>,
) {
    let _ = ctrlc::set_handler(move || {
        if !asked.swap(true, Ordering::SeqCst) {
            // A worker that is gone has nothing to be told.
            let _ = (&*pipe).write_all(&[STOP]);
            return;
        }
        if let Some(worker) = i32::try_from(worker).ok().and_then(Pid::from_raw) {
            let _ = kill_process(worker, Signal::KILL);
        }
        if let Some(folder) = &folder {
            remove(folder);
        }
        std::process::exit(i32::from(interrupt::ENDED));
    });
}

/// Ends with the supervisor, or when it says so.
fn listen_to_supervisor(folder: Option<&Path>) {
    let mut said = [0];
    while std::io::stdin().read(&mut said).is_ok_and(|n| n > 0) {
        if said[0] == STOP && !interrupt::request() {
            fault::interrupted();
            break;
        }
    }
    if let Some(folder) = folder {
        remove(folder);
    }
    interrupt::end_at_once();
}

/// Removes the temporary files. Whoever is about to be ended may still make one: then once more.
fn remove(folder: &Path) {
    // Whatever the environment says: nothing but such a folder.
    let name = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
    if !name.starts_with(PREFIX) {
        return;
    }
    for _ in 0..5 {
        if std::fs::remove_dir_all(folder).is_ok() || !folder.exists() {
            return;
        }
        std::thread::sleep(Duration::from_millis(5));
    }
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
