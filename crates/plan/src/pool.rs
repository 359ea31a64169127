//! Worker processes: a crash, a hang or too much memory costs one pair only. In a program that has none to start,
//! threads.

use crate::clock::GRACE;
use crate::job::{Allowance, AskedPair, JOB, Job, Judged};
use crate::worker::JobServer;
use std::ffi::OsString;
use std::fs::File;
use std::io::{BufRead, BufReader, Read, Write};
use std::os::fd::OwnedFd;
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};
use verdiff_judge::{Candidate, Comparison, Incomplete, StopReason, abandon};
use verdiff_logic::exit;
use verdiff_process::Forked;

/// Who judges pairs.
#[derive(Clone, Debug)]
pub enum Workers {
    /// Processes: each has a memory limit, one that overruns is killed, and a crash costs one pair only.
    Processes(WorkerCommand),
    /// Threads of this process, for a program that uses verdiff as a library. One that overruns is left behind, a panic
    /// costs one pair, and nothing limits memory.
    Threads,
}

/// How a worker process is started.
#[derive(Clone, Debug)]
pub struct WorkerCommand {
    /// The program.
    pub program: OsString,
    /// Its arguments.
    pub args: Vec<OsString>,
}

/// Workers without work. One may be started before there is anything to do: starting a process takes as long as a small
/// job, and can be done while clang runs. One that a run has finished with serves the next run, which may be another
/// comparison.
pub struct Spare(Mutex<Vec<Serving>>);

impl Spare {
    /// Starts one.
    pub fn start(workers: &Workers) -> Spare {
        Spare(Mutex::new(Serving::start(workers).into_iter().collect()))
    }

    /// One that runs already, as a copy of this process.
    pub fn of(forked: Forked) -> Spare {
        Spare(Mutex::new(vec![Serving::of(Running::Forked(forked))]))
    }

    /// None.
    pub fn none() -> Spare {
        Spare(Mutex::new(vec![]))
    }

    fn take(&self) -> Option<Serving> {
        self.0.lock().ok().and_then(|mut all| all.pop())
    }

    /// Keeps one that waits for jobs. The next run tells it everything anew.
    fn put(&self, mut serving: Serving) {
        serving.told = None;
        if let Ok(mut all) = self.0.lock() {
            all.push(serving);
        }
    }
}

/// One worker, started again when it is lost.
pub struct Worker<'a> {
    workers: &'a Workers,
    spare: &'a Spare,
    serving: Option<Serving>,
}

/// A process or thread that serves jobs.
struct Serving {
    /// Only a process can be ended.
    process: Option<Process>,
    /// Jobs; for a process a thread writes them: a worker that does not read must not keep anybody waiting.
    jobs: Option<Sender<Box<Job>>>,
    /// `None` is an answer that makes no sense.
    answers: Receiver<Option<Box<Judged>>>,
    /// The programs that it has.
    told: Option<Arc<Comparison>>,
    /// Whether it has a job.
    busy: bool,
}

struct Process {
    child: Running,
    last_words: Receiver<String>,
}

/// The stack of a thread that serves jobs: as much as a program mostly has.
const STACK: usize = 8 << 20;
/// The signal that no process can handle.
const SIGKILL: i32 = 9;
/// How often somebody who waits looks whether it is still wanted.
const TICK: Duration = Duration::from_millis(50);

impl<'a> Worker<'a> {
    /// A worker: the spare one, or one that is started at once.
    pub fn new(workers: &'a Workers, spare: &'a Spare) -> Worker<'a> {
        let serving = spare.take().or_else(|| Serving::start(workers).ok());
        Worker { workers, spare, serving }
    }

    /// Whether it has to be told these programs with the next job.
    pub fn is_new_to(&self, comparison: &Arc<Comparison>) -> bool {
        self.serving.as_ref().is_none_or(|serving| !serving.has(comparison))
    }

    /// Has one pair judged. `stop` says that nobody wants the answer any more; `found` is told of candidates as
    /// soon as there are some.
    pub fn judge(
        &mut self,
        comparison: &Arc<Comparison>,
        asked: AskedPair,
        allowed: Allowance,
        stop: &dyn Fn() -> bool,
        found: &dyn Fn(&[Candidate]),
    ) -> Judged {
        let AskedPair { pair, judgement, judgements } = asked;
        // The whole of it counts: a new process, telling it what it has to know, and what it does.
        let loading = if self.is_new_to(comparison) { allowed.loading } else { Duration::ZERO };
        let deadline = Instant::now() + allowed.timeout + loading + GRACE;
        let before = judgement.clone();
        // A worker that is lost or late is so in this run, perhaps not in the next.
        let nothing = |reason| Judged {
            clock_expired: true,
            ..Judged::nothing(pair, before.clone(), reason)
        };
        let serving = match &mut self.serving {
            Some(serving) => serving,
            none => match Serving::start(self.workers) {
                Ok(serving) => none.insert(serving),
                Err(error) => {
                    return nothing(StopReason::internal(format!("no worker starts: {error}")));
                }
            },
        };
        let milliseconds = |time: Duration| u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
        let job = Job {
            schema: JOB.to_owned(),
            comparison: (!serving.has(comparison)).then(|| (**comparison).clone()),
            pair,
            judgement,
            judgements,
            effort: allowed.effort,
            timeout_ms: milliseconds(allowed.timeout),
            loading_ms: milliseconds(loading),
        };
        serving.told = Some(comparison.clone());
        serving.busy = true;
        serving.send(job);
        // What is known until now stays known, however this ends.
        let mut so_far: Option<Judged> = None;
        let mut next = || serving.wait(deadline, stop);
        let answer = loop {
            match next() {
                WorkerAnswer::Judged(judged) if judged.interim => {
                    if !judged.candidates.is_empty() {
                        found(&judged.candidates);
                    }
                    so_far = Some(*judged);
                }
                other => break other,
            }
        };
        let reason = match answer {
            WorkerAnswer::Judged(judged) => {
                serving.busy = false;
                return *judged;
            }
            WorkerAnswer::Invalid => StopReason::internal("a worker sent an invalid answer"),
            WorkerAnswer::TimeOut => StopReason::Time,
            WorkerAnswer::Stopped => StopReason::incomplete(Incomplete::Interrupted),
            WorkerAnswer::Lost => serving.why_lost(),
        };
        self.serving = None;
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
        if let Some(serving) = self.serving.take().filter(|serving| !serving.busy) {
            self.spare.put(serving);
        }
    }
}

enum WorkerAnswer {
    Judged(Box<Judged>),
    Invalid,
    TimeOut,
    Stopped,
    Lost,
}

impl Serving {
    fn start(workers: &Workers) -> std::io::Result<Serving> {
        match workers {
            Workers::Processes(command) => Serving::process(command),
            Workers::Threads => Serving::thread(),
        }
    }

    fn thread() -> std::io::Result<Serving> {
        let (jobs, to_do) = channel::<Box<Job>>();
        let (answer, answers) = channel();
        let serve = move || {
            let mut server = JobServer::default();
            for job in to_do {
                let tell = |judged: Judged| answer.send(Some(Box::new(judged))).is_ok();
                let judged = server.judge(*job, Instant::now(), &mut |so_far| {
                    // Whoever cannot be told now cannot be told in the end either, and that is seen there.
                    tell(so_far.clone());
                });
                if !tell(judged) {
                    return;
                }
            }
        };
        // A panic ends the thread, and with it its answers.
        std::thread::Builder::new().stack_size(STACK).spawn(serve)?;
        Ok(Serving { process: None, jobs: Some(jobs), answers, told: None, busy: false })
    }

    fn process(command: &WorkerCommand) -> std::io::Result<Serving> {
        let child = Command::new(&command.program)
            .args(&command.args)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()?;
        Ok(Serving::of(Running::Started(child)))
    }

    fn of(mut child: Running) -> Serving {
        let [input, output, errors] = child.streams();
        let (jobs, to_tell) = channel::<Box<Job>>();
        if let Some(input) = input {
            std::thread::spawn(move || write_jobs(File::from(input), &to_tell));
        }
        let (answer, answers) = channel();
        if let Some(output) = output {
            std::thread::spawn(move || {
                for line in BufReader::new(File::from(output)).lines() {
                    let Ok(line) = line else { break };
                    let judged = serde_json::from_str::<Judged>(&line);
                    if answer.send(judged.ok().map(Box::new)).is_err() {
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
        let process = Some(Process { child, last_words });
        Serving { process, jobs: Some(jobs), answers, told: None, busy: false }
    }

    /// Whether it has these programs from an earlier job. They are kept, so that one place in memory is one comparison.
    fn has(&self, comparison: &Arc<Comparison>) -> bool {
        self.told.as_ref().is_some_and(|told| Arc::ptr_eq(told, comparison))
    }

    fn send(&mut self, job: Job) {
        // If nobody takes it the worker is gone, and its answers are at an end.
        let _ = self.jobs.as_ref().map(|jobs| jobs.send(Box::new(job)));
    }

    fn wait(&mut self, deadline: Instant, stop: &dyn Fn() -> bool) -> WorkerAnswer {
        loop {
            if stop() {
                return WorkerAnswer::Stopped;
            }
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return WorkerAnswer::TimeOut;
            }
            match self.answers.recv_timeout(left.min(TICK)) {
                Ok(Some(judged)) => return WorkerAnswer::Judged(judged),
                Ok(None) => return WorkerAnswer::Invalid,
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return WorkerAnswer::Lost,
            }
        }
    }

    /// Why it is gone.
    fn why_lost(&mut self) -> StopReason {
        match &mut self.process {
            Some(process) => process.why_lost(),
            None => StopReason::internal("the thread that judged it panicked"),
        }
    }
}

impl Process {
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
fn write_jobs(input: File, jobs: &Receiver<Box<Job>>) {
    let mut writer = std::io::BufWriter::new(input);
    for job in jobs {
        let told = serde_json::to_writer(&mut writer, &job).map_err(std::io::Error::from);
        if told.and_then(|()| writer.write_all(b"\n")).and_then(|()| writer.flush()).is_err() {
            return;
        }
    }
}

impl Drop for Serving {
    fn drop(&mut self) {
        // Without jobs an idle worker ends; a busy process is ended, a busy thread left behind.
        self.jobs = None;
        match &mut self.process {
            Some(process) => {
                process.child.kill();
                let _ = process.child.wait();
            }
            None if self.busy => abandon(),
            None => {}
        }
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
