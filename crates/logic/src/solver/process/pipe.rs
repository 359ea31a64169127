//! The conversation with a child process: nothing here waits longer than it may, whatever the
//! child does or fails to do.

use std::io::{ErrorKind, Read, Write};
use std::os::fd::{AsRawFd, RawFd};
use std::process::{ChildStderr, ChildStdin, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use super::ProcessConfig;
use crate::solver::{Reason, Stop};

/// How often memory and the stop flag are looked at.
const POLL: Duration = Duration::from_millis(10);

/// More output than any model has.
const MAX_OUTPUT: usize = 1 << 28;

/// What ends a conversation early.
pub(super) struct Watch<'a> {
    pub(super) deadline: Option<Instant>,
    pub(super) memory: Option<u64>,
    pub(super) stop: &'a Stop,
}

/// A child process and what it said that was not read yet. Killed when dropped.
pub(super) struct Child {
    process: std::process::Child,
    name: String,
    input: ChildStdin,
    output: ChildStdout,
    errors: ChildStderr,
    unread: Vec<u8>,
    complaints: Vec<u8>,
    memory_limit: Option<u64>,
    most_memory: u64,
}

impl Child {
    pub(super) fn spawn(config: &ProcessConfig) -> std::io::Result<Child> {
        let mut process = Command::new(&config.command)
            .args(&config.arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()?;
        let missing = || std::io::Error::other("no pipe to the child");
        let input = process.stdin.take().ok_or_else(missing)?;
        let output = process.stdout.take().ok_or_else(missing)?;
        let errors = process.stderr.take().ok_or_else(missing)?;
        for descriptor in [input.as_raw_fd(), output.as_raw_fd(), errors.as_raw_fd()] {
            set_nonblocking(descriptor)?;
        }
        Ok(Child {
            process,
            name: config.command.clone(),
            input,
            output,
            errors,
            unread: Vec::new(),
            complaints: Vec::new(),
            memory_limit: None,
            most_memory: 0,
        })
    }

    /// Sets the address space the child may use from now on.
    pub(super) fn limit_memory(&mut self, bytes: Option<u64>) {
        self.most_memory = 0;
        if self.memory_limit == bytes {
            return;
        }
        self.memory_limit = bytes;
        let limit = libc::rlimit {
            rlim_cur: bytes.unwrap_or(libc::RLIM_INFINITY),
            rlim_max: libc::RLIM_INFINITY,
        };
        // SAFETY: a system call on our own child with a valid structure. If it fails, the memory
        // is still watched from here.
        unsafe {
            let id = self.process.id() as libc::pid_t;
            libc::prlimit(id, libc::RLIMIT_AS, &limit, std::ptr::null_mut());
        }
    }

    /// Sends text, reading what comes meanwhile.
    pub(super) fn send(&mut self, text: &str, watch: &Watch<'_>) -> Result<(), Reason> {
        let mut rest = text.as_bytes();
        while !rest.is_empty() {
            match self.input.write(rest) {
                Ok(count) => rest = &rest[count..],
                Err(error) if error.kind() == ErrorKind::WouldBlock => {
                    self.wait(true, watch)?;
                }
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(_) => return Err(self.dead()),
            }
        }
        Ok(())
    }

    /// The next line that is not empty.
    pub(super) fn line(&mut self, watch: &Watch<'_>) -> Result<String, Reason> {
        loop {
            while let Some(end) = self.unread.iter().position(|b| *b == b'\n') {
                let line: Vec<u8> = self.unread.drain(..=end).collect();
                let line = String::from_utf8_lossy(&line).trim().to_string();
                if !line.is_empty() {
                    return Ok(line);
                }
            }
            self.wait(false, watch)?;
        }
    }

    /// The next S-expression.
    pub(super) fn expression(&mut self, watch: &Watch<'_>) -> Result<String, Reason> {
        let mut scan = Scan::default();
        loop {
            if let Some(end) = scan.advance(&self.unread) {
                let text: Vec<u8> = self.unread.drain(..end).collect();
                return Ok(String::from_utf8_lossy(&text).trim().to_string());
            }
            self.wait(false, watch)?;
        }
    }

    /// Waits a moment for the child to say or take something, and takes in what it said. Ends
    /// the conversation if a limit is reached or the child is gone.
    fn wait(&mut self, to_write: bool, watch: &Watch<'_>) -> Result<(), Reason> {
        let now = Instant::now();
        if watch.stop.is_requested() {
            return Err(Reason::Interrupted);
        }
        if watch.deadline.is_some_and(|deadline| now >= deadline) {
            return Err(Reason::Time);
        }
        if let Some(limit) = watch.memory {
            let (virtual_bytes, resident) = self.memory();
            self.most_memory = self.most_memory.max(virtual_bytes);
            if resident > limit {
                return Err(Reason::Memory);
            }
        }
        let left = watch.deadline.map_or(POLL, |deadline| POLL.min(deadline - now));
        // Round up, so as not to spin through the last millisecond.
        let milliseconds = left.as_millis() as i32 + 1;
        let mut descriptors = vec![
            poll_entry(self.output.as_raw_fd(), libc::POLLIN),
            poll_entry(self.errors.as_raw_fd(), libc::POLLIN),
        ];
        if to_write {
            descriptors.push(poll_entry(self.input.as_raw_fd(), libc::POLLOUT));
        }
        // SAFETY: a valid array of its own length, of descriptors that are open.
        unsafe {
            let count = descriptors.len() as libc::nfds_t;
            libc::poll(descriptors.as_mut_ptr(), count, milliseconds);
        }
        let _ = take_in(&mut self.errors, &mut self.complaints);
        let open = take_in(&mut self.output, &mut self.unread);
        let answered = self.unread.last() == Some(&b'\n');
        if self.unread.len() > MAX_OUTPUT {
            let output = "more output than any model has".to_string();
            return Err(Reason::Nonsense { solver: self.name.clone(), output });
        }
        // What was said before the end is still to be read by the caller.
        if open || answered { Ok(()) } else { Err(self.dead()) }
    }

    /// Virtual and resident bytes of the child.
    fn memory(&self) -> (u64, u64) {
        let path = format!("/proc/{}/statm", self.process.id());
        let text = std::fs::read_to_string(path).unwrap_or_default();
        let mut pages = text.split(' ').map(|n| n.parse::<u64>().unwrap_or(0) * 4096);
        (pages.next().unwrap_or(0), pages.next().unwrap_or(0))
    }

    /// Why the child is gone.
    fn dead(&mut self) -> Reason {
        // It has closed its end; give it a moment to end, so that its status is known.
        let mut status = None;
        for _ in 0..20 {
            status = self.process.try_wait().ok().flatten();
            if status.is_some() {
                break;
            }
            std::thread::sleep(Duration::from_millis(5));
        }
        let _ = take_in(&mut self.errors, &mut self.complaints);
        let mut said = String::from_utf8_lossy(&self.complaints).into_owned();
        said.push_str(&String::from_utf8_lossy(&self.unread));
        let lower = said.to_lowercase();
        let near_limit = self.memory_limit.is_some_and(|limit| self.most_memory > limit / 5 * 4);
        if near_limit || lower.contains("out of memory") || lower.contains("bad_alloc") {
            return Reason::Memory;
        }
        let said: String = said.trim().chars().take(200).collect();
        let how = match status {
            Some(status) => format!("{status}; it said: {said}"),
            None => format!("it closed its output; it said: {said}"),
        };
        Reason::Crashed { solver: self.name.clone(), how }
    }
}

impl Drop for Child {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// Reads all there is. False at the end of the stream.
fn take_in(stream: &mut impl Read, into: &mut Vec<u8>) -> bool {
    let mut buffer = [0; 65536];
    loop {
        match stream.read(&mut buffer) {
            Ok(0) => return false,
            Ok(count) => into.extend_from_slice(&buffer[..count]),
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return error.kind() == ErrorKind::WouldBlock,
        }
    }
}

fn poll_entry(fd: RawFd, events: i16) -> libc::pollfd {
    libc::pollfd { fd, events, revents: 0 }
}

fn set_nonblocking(descriptor: RawFd) -> std::io::Result<()> {
    // SAFETY: system calls on a descriptor that is open and ours.
    let result = unsafe {
        let flags = libc::fcntl(descriptor, libc::F_GETFL);
        libc::fcntl(descriptor, libc::F_SETFL, flags | libc::O_NONBLOCK)
    };
    if result < 0 { Err(std::io::Error::last_os_error()) } else { Ok(()) }
}

/// Finds the end of an S-expression in text that arrives in pieces.
#[derive(Default)]
struct Scan {
    at: usize,
    depth: usize,
    started: bool,
    quote: Option<u8>,
}

impl Scan {
    /// Looks at what is new; the length of the expression once it is complete. An expression
    /// that is no list ends with its line.
    fn advance(&mut self, text: &[u8]) -> Option<usize> {
        while self.at < text.len() {
            let byte = text[self.at];
            self.at += 1;
            match (self.quote, byte) {
                (Some(quote), _) if byte == quote => self.quote = None,
                (Some(_), _) => {}
                (None, b'"' | b'|') => {
                    self.quote = Some(byte);
                    self.started = true;
                }
                (None, b'(') => {
                    self.depth += 1;
                    self.started = true;
                }
                (None, b')') => {
                    self.depth = self.depth.saturating_sub(1);
                    if self.depth == 0 {
                        return Some(self.at);
                    }
                }
                (None, b'\n') if self.started && self.depth == 0 => return Some(self.at),
                (None, byte) => self.started |= !byte.is_ascii_whitespace(),
            }
        }
        None
    }
}
