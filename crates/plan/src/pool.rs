//! Worker processes: a crash, a hang or too much memory costs one pair only.

use crate::clock::GRACE;
use crate::job::{Allowance, JOB, Job, Judged};
use std::ffi::OsString;
use std::fs::File;
use std::io::{BufRead, BufReader, Read, Write};
use std::os::fd::OwnedFd;
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::Mutex;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::{Duration, Instant};
use verdiff_judge::{Candidate, Comparison, Incomplete, Judgement, Judgements, PairId, StopReason};
use verdiff_logic::exit;
use verdiff_process::Forked;

/// How a worker process is started.
#[derive(Clone, Debug)]
pub struct WorkerCommand {
    /// The program.
    pub program: OsString,
    /// Its arguments.
    pub args: Vec<OsString>,
}

/// Worker processes without work. One may be started before there is anything to do: starting takes as long as a small job,
/// and can be done while clang runs. One that a run has finished with serves the next run, which may be another comparison.
pub struct Spare(Mutex<Vec<Process>>);

impl Spare {
    /// Starts one.
    pub fn start(command: &WorkerCommand) -> Spare {
        Spare(Mutex::new(Process::start(command).into_iter().collect()))
    }

    /// One that runs already, as a copy of this process.
    pub fn of(forked: Forked) -> Spare {
        Spare(Mutex::new(vec![Process::of(Running::Forked(forked))]))
    }

    /// None.
    pub fn none() -> Spare {
        Spare(Mutex::new(vec![]))
    }

    fn take(&self) -> Option<Process> {
        self.0.lock().ok().and_then(|mut processes| processes.pop())
    }

    /// Keeps a process that waits for jobs. The next one is told everything anew.
    fn put(&self, mut process: Process) {
        process.informed = false;
        if let Ok(mut processes) = self.0.lock() {
            processes.push(process);
        }
    }
}

/// One worker process, started again when it is lost.
pub struct Worker<'a> {
    command: &'a WorkerCommand,
    comparison: &'a Comparison,
    spare: &'a Spare,
    process: Option<Process>,
}

struct Process {
    child: Running,
    /// Jobs, which a thread writes: a worker that does not read must not keep anybody waiting.
    jobs: Option<Sender<Box<Job>>>,
    lines: Receiver<String>,
    last_words: Receiver<String>,
    /// Whether it has the programs.
    informed: bool,
    /// Whether it has a job.
    busy: bool,
}

/// The signal that no process can handle.
const SIGKILL: i32 = 9;
/// How often somebody who waits looks whether it is still wanted.
const TICK: Duration = Duration::from_millis(50);

impl<'a> Worker<'a> {
    /// A worker; its process is the spare one, or is started at once.
    pub fn new(
        command: &'a WorkerCommand,
        comparison: &'a Comparison,
        spare: &'a Spare,
    ) -> Worker<'a> {
        let process = spare.take().or_else(|| Process::start(command).ok());
        Worker { command, comparison, spare, process }
    }

    /// Has one pair judged. `stop` says that nobody wants the answer any more; `found` is told of candidates as
    /// soon as there are some.
    pub fn judge(
        &mut self,
        pair: PairId,
        judgement: Judgement,
        judgements: Judgements,
        allowed: Allowance,
        stop: &dyn Fn() -> bool,
        found: &dyn Fn(&[Candidate]),
    ) -> Judged {
        // The whole of it counts: a new process, telling it what it has to know, and what it does.
        let deadline = Instant::now() + allowed.timeout + GRACE;
        let before = judgement.clone();
        // A worker that is lost or late is so in this run, perhaps not in the next.
        let nothing = |reason| Judged {
            clock_expired: true,
            ..Judged::nothing(pair, before.clone(), reason)
        };
        let process = match &mut self.process {
            Some(process) => process,
            none => match Process::start(self.command) {
                Ok(process) => none.insert(process),
                Err(error) => {
                    return nothing(StopReason::internal(format!("no worker starts: {error}")));
                }
            },
        };
        let job = Job {
            schema: JOB.to_owned(),
            comparison: (!process.informed).then(|| self.comparison.clone()),
            pair,
            judgement,
            judgements,
            effort: allowed.effort,
            timeout_ms: u64::try_from(allowed.timeout.as_millis()).unwrap_or(u64::MAX),
        };
        process.informed = true;
        process.busy = true;
        process.tell(job);
        // What is known until now stays known, however this ends.
        let mut so_far: Option<Judged> = None;
        let mut next = || process.wait(deadline, stop);
        let answer = loop {
            match next() {
                Answer::Line(line) => match serde_json::from_str::<Judged>(&line) {
                    Ok(judged) if judged.interim => {
                        if !judged.candidates.is_empty() {
                            found(&judged.candidates);
                        }
                        so_far = Some(judged);
                    }
                    other => break Answer::Whole(other.ok().map(Box::new)),
                },
                other => break other,
            }
        };
        let reason = match answer {
            Answer::Whole(Some(judged)) => {
                process.busy = false;
                return *judged;
            }
            Answer::Whole(None) | Answer::Line(_) => {
                StopReason::internal("a worker sent an invalid answer")
            }
            Answer::TimeOut => StopReason::Time,
            Answer::Stopped => StopReason::incomplete(Incomplete::Interrupted),
            Answer::Lost => process.why_lost(),
        };
        self.process = None;
        match so_far {
            Some(judged) => {
                let clock_expired = true;
                Judged { stopped: Some(reason), clock_expired, interim: false, ..judged }
            }
            None => nothing(reason),
        }
    }
}

impl Drop for Worker<'_> {
    fn drop(&mut self) {
        if let Some(process) = self.process.take().filter(|process| !process.busy) {
            self.spare.put(process);
        }
    }
}

enum Answer {
    Line(String),
    /// The last line to a job; nothing if it makes no sense.
    Whole(Option<Box<Judged>>),
    TimeOut,
    Stopped,
    Lost,
}

impl Process {
    fn start(command: &WorkerCommand) -> std::io::Result<Process> {
        let child = Command::new(&command.program)
            .args(&command.args)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()?;
        Ok(Process::of(Running::Started(child)))
    }

    fn of(mut child: Running) -> Process {
        let [input, output, errors] = child.streams();
        let (jobs, to_tell) = channel::<Box<Job>>();
        if let Some(input) = input {
            std::thread::spawn(move || tell(File::from(input), &to_tell));
        }
        let (tell_line, lines) = channel();
        if let Some(output) = output {
            std::thread::spawn(move || {
                for line in BufReader::new(File::from(output)).lines() {
                    let Ok(line) = line else { break };
                    if tell_line.send(line).is_err() {
                        break;
                    }
                }
            });
        }
        let (tell_words, last_words) = channel();
        if let Some(errors) = errors {
            std::thread::spawn(move || {
                let mut text = String::new();
                let _ = File::from(errors).read_to_string(&mut text);
                let _ = tell_words.send(text);
            });
        }
        Process { child, jobs: Some(jobs), lines, last_words, informed: false, busy: false }
    }

    fn tell(&mut self, job: Job) {
        // If nobody writes any more the process is gone, and its lines are at an end.
        let _ = self.jobs.as_ref().map(|jobs| jobs.send(Box::new(job)));
    }

    fn wait(&mut self, deadline: Instant, stop: &dyn Fn() -> bool) -> Answer {
        loop {
            if stop() {
                return Answer::Stopped;
            }
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Answer::TimeOut;
            }
            match self.lines.recv_timeout(left.min(TICK)) {
                Ok(line) => return Answer::Line(line),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return Answer::Lost,
            }
        }
    }

    /// Why the process is gone. One that runs out of memory says so with its exit code ([`exit`]). Nobody but us kills
    /// workers, and we know when we do; a kill by another is the system's, which does that when memory runs out.
    fn why_lost(&mut self) -> StopReason {
        let status = self.child.wait();
        if let Ok(status) = &status
            && (status.code() == Some(exit::OUT_OF_MEMORY.into())
                || status.signal() == Some(SIGKILL))
        {
            return StopReason::Memory;
        }
        let words = self.last_words.recv_timeout(Duration::from_secs(1)).unwrap_or_default();
        let how = status.map_or_else(|e| e.to_string(), |s| s.to_string());
        // What happened, and where.
        let said: Vec<&str> =
            words.lines().map(str::trim).filter(|l| !l.is_empty()).take(2).collect();
        let said = said.join(" ");
        StopReason::internal(format!("the worker process died ({how}) {said}").trim().to_owned())
    }
}

/// Writes jobs until there are no more, or the process is gone.
fn tell(input: File, jobs: &Receiver<Box<Job>>) {
    let mut writer = std::io::BufWriter::new(input);
    for job in jobs {
        let told = serde_json::to_writer(&mut writer, &job).map_err(std::io::Error::from);
        if told.and_then(|()| writer.write_all(b"\n")).and_then(|()| writer.flush()).is_err() {
            return;
        }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // Closing its input ends an idle worker; a busy one is ended.
        self.jobs = None;
        self.child.kill();
        let _ = self.child.wait();
    }
}

/// A process that runs, however it came to be.
enum Running {
    Started(Child),
    Forked(Forked),
}

impl Running {
    /// Its input, output and errors, once.
    fn streams(&mut self) -> [Option<OwnedFd>; 3] {
        match self {
            Running::Started(child) => [
                child.stdin.take().map(OwnedFd::from),
                child.stdout.take().map(OwnedFd::from),
                child.stderr.take().map(OwnedFd::from),
            ],
            Running::Forked(forked) => [
                forked.stdin.take().map(OwnedFd::from),
                forked.stdout.take().map(OwnedFd::from),
                forked.stderr.take().map(OwnedFd::from),
            ],
        }
    }

    fn wait(&mut self) -> std::io::Result<ExitStatus> {
        match self {
            Running::Started(child) => child.wait(),
            Running::Forked(forked) => forked.wait(),
        }
    }

    fn kill(&mut self) {
        match self {
            // One that is gone has ended as well.
            Running::Started(child) => drop(child.kill()),
            Running::Forked(forked) => forked.kill(),
        }
    }
}
