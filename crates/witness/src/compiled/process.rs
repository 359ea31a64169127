//! The driver's process: messages to and fro, and an eye on whether it still lives.

use std::io::{Read, Write};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;
use verdiff_process::{Deadline, kill_group};

/// How long the driver may be silent before it is taken for dead. Jobs are limited in CPU
/// time by the driver itself; this is for one that hangs, on a machine that may be busy.
const PATIENCE: Duration = Duration::from_secs(20);
/// No answer is longer; one that says so is garbage.
const LONGEST: usize = 1 << 28;

/// What sanitizers shall do: report, and nothing else. No symbols, as nobody reads them and
/// looking them up takes a second.
const SANITIZER_OPTIONS: &[(&str, &str)] = &[
    (
        "ASAN_OPTIONS",
        "detect_leaks=0:exitcode=77:symbolize=0:allocator_may_return_null=1:max_allocation_size_mb=256",
    ),
    ("UBSAN_OPTIONS", "exitcode=77:symbolize=0:report_error_type=1:print_stacktrace=0"),
    ("MSAN_OPTIONS", "exitcode=77:symbolize=0"),
];

/// A running driver; it is killed when this is dropped.
pub(super) struct Process {
    child: Child,
    /// Whether it was killed and waited for: its number may be another's.
    killed: bool,
    input: Option<ChildStdin>,
    answers: Receiver<Vec<u8>>,
}

impl Process {
    pub(super) fn spawn(executable: &Path) -> std::io::Result<Process> {
        // An empty environment: runs depend on nothing but their jobs.
        let mut child = Command::new(executable)
            // A group of its own: whatever it may have started ends with it.
            .process_group(0)
            .env_clear()
            .envs(SANITIZER_OPTIONS.iter().copied())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()?;
        let (sender, answers) = channel();
        let input = child.stdin.take();
        if let Some(mut output) = child.stdout.take() {
            // Ends when the driver does or when nobody listens any more.
            std::thread::spawn(move || {
                while let Some(message) = read_message(&mut output) {
                    if sender.send(message).is_err() {
                        return;
                    }
                }
            });
        }
        Ok(Process { child, killed: false, input, answers })
    }

    /// Sends all messages and collects an answer for each; fewer if the driver died or hung, or if the deadline passed. It is killed
    /// then.
    pub(super) fn exchange(&mut self, messages: &[Vec<u8>], deadline: Deadline) -> Vec<Vec<u8>> {
        let Some(input) = self.input.as_mut().filter(|_| !self.killed) else { return vec![] };
        let (answers, child, killed) = (&self.answers, &mut self.child, &mut self.killed);
        // Writing and reading at once: neither pipe can fill up and block both sides.
        std::thread::scope(|scope| {
            scope.spawn(move || {
                for message in messages {
                    let length = (message.len() as u32).to_le_bytes();
                    // A driver that died no longer reads; the missing answers tell.
                    if input.write_all(&length).and_then(|()| input.write_all(message)).is_err() {
                        return;
                    }
                }
                let _ = input.flush();
            });
            let mut got = Vec::with_capacity(messages.len());
            while got.len() < messages.len() {
                match deadline.earlier(Deadline::after(PATIENCE)).receive(answers) {
                    Ok(answer) => got.push(answer),
                    Err(_) => {
                        // With all that it started: nobody must hold the pipe that is written to.
                        kill_group(child);
                        *killed = true;
                        break;
                    }
                }
            }
            got
        })
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        if !self.killed {
            kill_group(&mut self.child);
        }
    }
}

fn read_message(from: &mut impl Read) -> Option<Vec<u8>> {
    let mut length = [0; 4];
    from.read_exact(&mut length).ok()?;
    let length = u32::from_le_bytes(length) as usize;
    if length > LONGEST {
        return None;
    }
    let mut message = vec![0; length];
    from.read_exact(&mut message).ok()?;
    Some(message)
}
