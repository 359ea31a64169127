//! How versions are compared.

use crate::interrupt::Interrupt;
use std::ffi::OsString;
use std::path::PathBuf;
use std::time::{Duration, Instant};
use verdiff_judge::Settings;
use verdiff_logic::effort::Effort;
use verdiff_plan::{Clock, JobOrder, Limits, PartialJobs, WorkerCommand};

/// How versions are compared; the fields have the names and defaults of the options of the command line.
#[derive(Clone, Debug)]
pub struct Options {
    /// Judge only these functions; their callees are analysed as needed. Empty: every function that both versions define.
    pub entry: Vec<String>,
    /// The time limit for each pair of functions.
    pub timeout: Duration,
    /// The limit on counted work for each pair, in nominal time; without one, four fifths of `timeout`.
    pub effort: Option<Duration>,
    /// The time limit for the whole comparison.
    pub budget: Option<Duration>,
    /// How many pairs are judged at once; without a number, one for each core.
    pub jobs: Option<usize>,
    /// What `equivalent` requires.
    pub criterion: Criterion,
    /// Do not report a difference if only one version terminates.
    pub ignore_termination: bool,
    /// Compile both versions with 0 for `__LINE__`.
    pub ignore_line_numbers: bool,
    /// The behaviour of signed overflow.
    pub overflow: Overflow,
    /// Assume that pointer parameters do not alias.
    pub no_alias: bool,
    /// Functions with different names that are matched: the old name and the new one.
    pub rename: Vec<(String, String)>,
    /// Preconditions: a function, and a C expression over its parameters.
    pub assume: Vec<(String, String)>,
    /// Flags for clang.
    pub clang_flags: Vec<String>,
    /// The seed of the random number generator.
    pub seed: u64,
    /// The folder of the result cache; without one nothing is cached. It may be the folder of the program's cache.
    pub cache: Option<PathBuf>,
    /// Make a C test of each difference ([`PairReport::tests`](crate::PairReport::tests)).
    pub tests: bool,
    /// Who judges pairs.
    pub workers: Workers,
    /// Ends the comparison from another thread.
    pub interrupt: Interrupt,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            entry: vec![],
            timeout: Duration::from_secs(10),
            effort: None,
            budget: None,
            jobs: None,
            criterion: Criterion::Partial,
            ignore_termination: false,
            ignore_line_numbers: false,
            overflow: Overflow::Wraps,
            no_alias: false,
            rename: vec![],
            assume: vec![],
            clang_flags: vec![],
            seed: 1,
            cache: None,
            tests: false,
            workers: Workers::Threads,
            interrupt: Interrupt::default(),
        }
    }
}

/// What `equivalent` requires.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Criterion {
    /// Equal outcomes for all inputs for which both versions terminate.
    #[default]
    Partial,
    /// In addition, both versions terminate for the same inputs.
    Full,
}

/// The behaviour of signed overflow.
pub use verdiff_front::Overflow;

/// Who judges pairs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Workers {
    /// Threads of this process, without a memory limit.
    #[default]
    Threads,
    /// Processes of the program `verdiff`.
    Processes {
        /// The path of the program.
        program: PathBuf,
        /// The memory limit of each process, in MiB; the default of the program is 2048.
        memory: u64,
    },
}

impl Workers {
    /// As the plan has it.
    pub fn for_plan(&self) -> verdiff_plan::Workers {
        match self {
            Workers::Threads => verdiff_plan::Workers::Threads,
            Workers::Processes { program, memory } => {
                let (memory, parent) = (memory.to_string(), std::process::id().to_string());
                let args = ["worker", "--memory", &memory, "--parent", &parent];
                let args = args.map(OsString::from).to_vec();
                verdiff_plan::Workers::Processes(WorkerCommand { program: program.into(), args })
            }
        }
    }
}

/// The flags that clang gets: the user's, and those that options stand for.
pub fn flags(of_user: &[String], ignore_line_numbers: bool) -> Vec<String> {
    let mut all = of_user.to_vec();
    if ignore_line_numbers {
        all.extend(["-Wno-builtin-macro-redefined", "-D__LINE__=0"].map(str::to_owned));
    }
    all
}

impl Options {
    /// The limits of a comparison that began then.
    pub fn limits(&self, begun: Instant) -> Limits {
        let cores = || std::thread::available_parallelism().map_or(1, |n| n.get());
        // Counted work should end a pair before the clock does, on a machine that is not busy.
        let effort = self.effort.unwrap_or_else(|| self.timeout.mul_f64(0.8));
        Limits {
            effort: Effort::lasting(effort),
            timeout: self.timeout,
            loading: Duration::ZERO,
            clock: Clock { begun, budget: self.budget },
            jobs: self.jobs.unwrap_or_else(cores).max(1),
            order: JobOrder::default(),
            parts: PartialJobs::chosen(),
            shortcuts: true,
        }
    }

    pub(crate) fn settings(&self) -> Settings {
        Settings {
            full: self.criterion == Criterion::Full,
            ignore_termination: self.ignore_termination,
            ignore_line_numbers: self.ignore_line_numbers,
            overflow_undefined: self.overflow == Overflow::Traps,
            no_alias: self.no_alias,
            renamed: self.rename.clone(),
            assume: vec![],
            assume_text: vec![],
            seed: self.seed,
        }
    }

    /// The options as a report has them.
    pub(crate) fn described(&self) -> Vec<(String, String)> {
        let mut all = vec![];
        let mut option = |name: &str, value: String| all.push((name.to_owned(), value));
        option("timeout", self.timeout.as_secs_f64().to_string());
        if let Workers::Processes { memory, .. } = self.workers {
            option("memory", memory.to_string());
        }
        option("seed", self.seed.to_string());
        let criterion = match self.criterion {
            Criterion::Partial => "partial",
            Criterion::Full => "full",
        };
        option("criterion", criterion.to_owned());
        let overflow = match self.overflow {
            Overflow::Wraps => "wrap",
            Overflow::Traps => "ub",
        };
        option("overflow", overflow.to_owned());
        for name in &self.entry {
            option("entry", name.clone());
        }
        for (from, to) in &self.rename {
            option("rename", format!("{from}={to}"));
        }
        // With those that options stand for, so that a replay has them, too.
        for flag in flags(&self.clang_flags, self.ignore_line_numbers) {
            option("clang_flags", flag);
        }
        all
    }
}
