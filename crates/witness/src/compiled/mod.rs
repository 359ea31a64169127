//! Compiled programs, run on entry states.
//!
//! A program that was compiled with wrappers is linked with a driver (`driver.c`) into a
//! process that serves jobs: call this procedure with these arguments on this memory. Objects
//! of the entry state are put at the very addresses the interpreter gives them, each at the
//! end of its pages with nothing behind it, so that pointers to them are equal bit for bit and
//! an overrun faults. Globals are restored between jobs, the heap begins empty, and
//! faults, `exit` and `abort` are outcomes, not the end of the process.
//!
//! Architecture invariant: this module knows a program, an object file and a clang to
//! link with. Who compiled the object, and from what, is not its business.

mod linker;
pub(crate) mod outside;
mod pieces;
mod process;
mod protocol;
mod script;
mod toolchain;

use process::Process;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use verdiff_model::state::{EntryState, Pointer, PointerTarget, layout};
use verdiff_model::{ExternId, Frame, GlobalId, ProcId, Program};
use verdiff_process::Deadline;

pub use script::{Answered, ArgPlace, Further, Logged, Stream};
pub use toolchain::{Instrument, LoadAddress, Toolchain};

/// How long a job may compute if nobody says otherwise.
const JOB_TIME: Duration = Duration::from_millis(200);

/// What a compiled program is made from.
#[derive(Clone, Copy, Debug)]
pub struct ProgramParts<'a> {
    /// The program that the object file holds.
    pub program: &'a Program,
    /// Where each procedure's wrapper finds arguments and puts results.
    pub frames: &'a [Frame],
    /// The object file, with the tables of wrappers, functions, externals and globals.
    pub object: &'a Path,
    /// What it was instrumented with.
    pub instrument: Instrument,
}

/// One call.
#[derive(Clone, Debug)]
pub struct Job {
    /// Of which procedure.
    pub procedure: ProcId,
    /// From which state.
    pub entry: EntryState,
    /// How functions that are not linked answer. A call that is not the next one here ends the run.
    pub script: Vec<Answered>,
    /// How long it may compute.
    pub time: Duration,
}

impl Job {
    /// A call without a script, and with a short time.
    pub fn new(procedure: ProcId, entry: EntryState) -> Job {
        Job { procedure, entry, script: vec![], time: JOB_TIME }
    }
}

/// How a compiled run ended and what it left behind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CompiledOutcome {
    /// How it ended.
    pub end: CompiledEnd,
    /// The result area, laid out as the procedure's [`Frame`] says.
    pub results: Vec<u8>,
    /// What became of each object of the entry state.
    pub objects: Vec<CompiledObject>,
    /// The globals that hold something else than their initialisers say.
    pub globals: Vec<(GlobalId, Vec<u8>)>,
    /// The heap blocks that are alive, by address; empty if there is too much of it.
    pub heap: Vec<(u64, Vec<u8>)>,
    /// What happened between it and the outside, in order.
    pub log: Vec<Logged>,
    /// Whether some byte of these objects or globals has no value; only MemorySanitizer knows.
    pub unset: bool,
}

/// What became of an object of the entry state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CompiledObject {
    /// Whether it was freed.
    pub freed: bool,
    /// Its bytes.
    pub bytes: Vec<u8>,
}

/// How a compiled run ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CompiledEnd {
    /// It returned.
    Returned,
    /// A signal ended it.
    Signal {
        /// Which.
        number: i32,
        /// The address that faulted, if it was a fault.
        address: u64,
    },
    /// It called `exit` with this status.
    Exited(i32),
    /// It called an external function that was not linked.
    LeftThrough(ExternId),
    /// It took too long.
    TimedOut,
    /// It freed what is no live heap object.
    BadFree,
    /// An `assert` failed.
    AssertFailed,
    /// It called `abort`.
    Aborted,
    /// It wanted more heap than the driver has.
    OutOfHeap,
    /// A sanitizer ended it, with this summary.
    Reported(String),
    /// The driver could not set the job up.
    Refused(String),
    /// It took the whole process with it, or hung.
    Died,
}

/// Why a compiled program cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum CompiledError {
    /// The system would not do something.
    #[error("{what}")]
    System {
        /// What it was.
        what: String,
        /// Why.
        source: std::io::Error,
    },
    /// clang could not build the driver or link.
    #[error("clang cannot link the program with its driver:\n{diagnostics}")]
    Link {
        /// What clang said.
        diagnostics: String,
    },
    /// The deadline passed.
    #[error("it was not done within the time limit")]
    TimedOut,
    /// The process did not even begin to serve.
    #[error("the compiled program does not start")]
    DoesNotStart,
}

/// Where the compiled program has its functions and globals; 0 for what it does not have.
#[derive(Clone, Debug, Default)]
pub struct Addresses {
    /// For each procedure.
    pub procedures: Vec<u64>,
    /// For each external.
    pub externals: Vec<u64>,
    /// For each global.
    pub globals: Vec<u64>,
    /// How far entry objects lie from where the interpreter has them.
    pub shift: u64,
}

impl Addresses {
    /// The address a pointer stands for; `None` if only the run itself can know it.
    pub fn of(&self, pointer: Pointer, entry: &EntryState) -> Option<u64> {
        let known = |list: &[u64], index: usize| list.get(index).copied().filter(|a| *a != 0);
        let base = match pointer.target {
            PointerTarget::Null => Some(0),
            PointerTarget::Object(index) => {
                let object = entry.objects.get(index as usize)?;
                Some(
                    layout::entry_base(index, object.size(), object.align).wrapping_add(self.shift),
                )
            }
            PointerTarget::Global(id) => known(&self.globals, id.index()),
            PointerTarget::Procedure(id) => known(&self.procedures, id.index()),
            PointerTarget::External(id) => known(&self.externals, id.index()),
            PointerTarget::Fresh(_) => None,
        };
        base.map(|base| base.wrapping_add_signed(pointer.offset))
    }
}

/// A compiled program, ready to run jobs. Its process is started when it is first needed,
/// and again if a job destroys it.
pub struct CompiledProgram {
    executable: PathBuf,
    frames: Vec<Frame>,
    globals: Vec<protocol::GlobalShape>,
    externals: usize,
    /// How far entry objects lie from where the interpreter has them: no distance, but
    /// where a sanitizer needs those addresses for itself.
    shift: u64,
    process: Option<Process>,
    addresses: Addresses,
    folder: Arc<tempfile::TempDir>,
}

impl CompiledProgram {
    /// Links an object file with the driver and starts it.
    pub fn build(
        toolchain: &Toolchain,
        parts: ProgramParts<'_>,
    ) -> Result<CompiledProgram, CompiledError> {
        CompiledProgram::build_at(toolchain, parts, LoadAddress::Usual, Deadline::NEVER)
    }

    /// Links an object file with the driver, its code and globals at a place, and starts it; all that until a deadline.
    pub fn build_at(
        toolchain: &Toolchain,
        parts: ProgramParts<'_>,
        place: LoadAddress,
        deadline: Deadline,
    ) -> Result<CompiledProgram, CompiledError> {
        let folder = tempfile::Builder::new().prefix("verdiff-").tempdir().map_err(|source| {
            CompiledError::System { what: "cannot make a temporary folder".to_owned(), source }
        })?;
        let executable = folder.path().join("program");
        let outside = outside::assembly(parts.program);
        toolchain.link(parts, outside.as_deref(), place, &executable, deadline)?;
        let shape = |global: &verdiff_model::Global| protocol::GlobalShape {
            size: global.size,
            writable: !global.constant && !global.thread_local,
        };
        let mut program = CompiledProgram {
            executable,
            frames: parts.frames.to_vec(),
            globals: parts.program.globals.iter().map(shape).collect(),
            externals: parts.program.externals.len(),
            shift: parts.instrument.shift(),
            process: None,
            addresses: Addresses::default(),
            folder: Arc::new(folder),
        };
        program.start(deadline)?;
        Ok(program)
    }

    /// The same program in another process, with other random addresses where those are random.
    pub fn another(&self, deadline: Deadline) -> Result<CompiledProgram, CompiledError> {
        let mut program = CompiledProgram {
            executable: self.executable.clone(),
            frames: self.frames.clone(),
            globals: self.globals.clone(),
            externals: self.externals,
            shift: self.shift,
            process: None,
            addresses: Addresses::default(),
            folder: self.folder.clone(),
        };
        program.start(deadline)?;
        Ok(program)
    }

    /// Where the process has its functions and globals.
    pub fn addresses(&self) -> &Addresses {
        &self.addresses
    }

    /// Where a procedure's wrapper has arguments and results.
    pub fn frame(&self, procedure: ProcId) -> &Frame {
        &self.frames[procedure.index()]
    }

    /// Runs jobs, one after the other; gives an outcome for each. What one job does leaves no trace for the next.
    pub fn run(&mut self, jobs: &[Job]) -> Result<Vec<CompiledOutcome>, CompiledError> {
        self.run_until(jobs, Deadline::NEVER)
    }

    /// The same until a deadline: the process is ended then, and that is an error.
    pub fn run_until(
        &mut self,
        jobs: &[Job],
        deadline: Deadline,
    ) -> Result<Vec<CompiledOutcome>, CompiledError> {
        let mut outcomes = Vec::with_capacity(jobs.len());
        while outcomes.len() < jobs.len() {
            self.start(deadline)?;
            let rest = &jobs[outcomes.len()..];
            // A job that cannot be told to the driver is refused here; those before it are run.
            let encode = |job: &Job| protocol::encode_job(job, &self.frames, self.shift);
            let messages: Vec<Vec<u8>> = rest.iter().map_while(|job| encode(job).ok()).collect();
            let Some(process) = self.process.as_mut() else {
                return Err(CompiledError::DoesNotStart);
            };
            let answers = process.exchange(&messages, deadline);
            outcomes.extend(answers.iter().map(|answer| {
                protocol::decode_outcome(answer)
                    .unwrap_or_else(|| ended(CompiledEnd::Refused("a garbled answer".to_owned())))
            }));
            if answers.len() < messages.len() {
                self.process = None;
                if deadline.is_over() {
                    return Err(CompiledError::TimedOut);
                }
                outcomes.push(ended(CompiledEnd::Died));
            } else if let Some(Err(why)) = jobs.get(outcomes.len()).map(encode) {
                outcomes.push(ended(CompiledEnd::Refused(why)));
            }
        }
        Ok(outcomes)
    }

    /// Ends the process; the next jobs get a new one, with other random addresses.
    pub fn restart(&mut self) -> Result<(), CompiledError> {
        self.process = None;
        self.start(Deadline::NEVER)
    }

    fn start(&mut self, deadline: Deadline) -> Result<(), CompiledError> {
        if deadline.is_over() {
            return Err(CompiledError::TimedOut);
        }
        if self.process.is_some() {
            return Ok(());
        }
        let mut process = Process::spawn(&self.executable).map_err(|source| {
            CompiledError::System { what: "cannot start the compiled program".to_owned(), source }
        })?;
        let counts = (self.frames.len(), self.externals);
        let hello = protocol::encode_configuration(counts, &self.globals);
        let answers = process.exchange(&[hello], deadline);
        let answer = answers.first().ok_or(match deadline.is_over() {
            true => CompiledError::TimedOut,
            false => CompiledError::DoesNotStart,
        })?;
        self.addresses = protocol::decode_addresses(answer, counts, self.globals.len())
            .ok_or(CompiledError::DoesNotStart)?;
        self.addresses.shift = self.shift;
        self.process = Some(process);
        Ok(())
    }
}

fn ended(end: CompiledEnd) -> CompiledOutcome {
    CompiledOutcome {
        end,
        results: vec![],
        objects: vec![],
        globals: vec![],
        heap: vec![],
        unset: false,
        log: vec![],
    }
}
