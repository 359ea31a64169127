//! Runs in this process: each version is compiled once for all of them, and workers serve one run after the other.
//!
//! Every third plain run is the comparison that the program makes, by the library that the program is made of: every
//! difference is replayed. The others, mirrored runs, and a version against itself are about verdicts; there what the
//! interpreter predicts of a candidate is taken for what a compiled run shows. That predictions are what compiled
//! programs do is shown by the runs with replay, and by a sample of the mirrored ones.

use super::{Run, clock, effort};
use crate::case::Case;
use serde_json::Value;
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, Weak};
use std::time::{Duration, Instant};
use verdiff::{Job, Judging, Overflow};
use verdiff_cache::Store;
use verdiff_front::Inputs;
use verdiff_judge::{
    Candidate, Comparison, Confirm, Confirmed, PairId, Replay, ReplayProblem, Replayed, Settings,
    Side, Version, kinds,
};
use verdiff_model::interp::{Limits as Steps, Machine};
use verdiff_model::state::{self, Difference};
use verdiff_model::trial::trial;
use verdiff_plan::{Limits, Matched, Plan, Spare, WorkerCommand, Workers, account, matching};
use verdiff_report::Report;

/// What the command line takes if nobody says otherwise.
const SEED: u64 = 1;
/// The memory limit of a worker, in MiB.
const MEMORY: u64 = 4096;
/// Bitcode of the corpus, which the test programs of several crates share: each file is compiled once for all of them.
const CORPUS_BITCODE: &str = concat!(env!("CARGO_TARGET_TMPDIR"), "/corpus-bitcode");

/// Workers go from one run to the next, since to start one takes as long as most runs. They end with the last who holds
/// this, so that their processor time is known to whoever waits for the test program.
pub fn workers() -> Arc<Spare> {
    static KEPT: Mutex<Weak<Spare>> = Mutex::new(Weak::new());
    let mut kept = KEPT.lock().unwrap();
    kept.upgrade().unwrap_or_else(|| {
        let new = Arc::new(Spare::none());
        *kept = Arc::downgrade(&new);
        new
    })
}

/// The report of a comparison as the program makes it, with replay, or why there is none.
pub fn replayed(case: &Case, run: Run, seconds: f64) -> Result<Value, String> {
    let options = verdiff::Options {
        workers: verdiff::Workers::Processes {
            program: env!("CARGO_BIN_EXE_verdiff").into(),
            memory: MEMORY,
        },
        ..case.options(run, seconds)
    };
    let [old, new] = run.files().map(|name| Inputs {
        overflow: options.overflow,
        ..corpus_inputs(&case.folder.join(name))
    });
    let limits = limits(&options, run);
    let job = Job {
        old,
        new,
        judged: verdiff::Judged::Named,
        options,
        limits,
        store: None,
        trusts_cached_replays: false,
    };
    let loaded = job.load().map_err(|error| error.to_string())?;
    let (report, _) = loaded.judge(&Judging { spare: &workers(), progress: &|_| {} });
    Ok(verdiff_report::json(&report))
}

/// The report of a run without replay, or why there is none. `None` if that cannot be: with overflows that trap, the
/// versions are compiled otherwise, and preconditions are.
pub fn predicted(case: &Case, run: Run, seconds: f64) -> Option<Result<Value, String>> {
    if case.is_compiled_otherwise() {
        return None;
    }
    let [old, new] = run.files().map(|name| version(&case.folder.join(name)));
    let (old, new) = match (old, new) {
        (Ok(old), Ok(new)) => (old, new),
        (Err(why), _) | (_, Err(why)) => return Some(Err(why)),
    };
    let options = case.options(run, seconds);
    let matched = match matching(old, new, settings(&options), &options.entry) {
        Ok(matched) => matched,
        Err(error) => return Some(Err(error.to_string())),
    };
    Some(Ok(compared(&matched, limits(&options, run))))
}

/// The same for two files, with the options of a case.
pub fn files(
    case: &Case,
    paths: &[PathBuf; 2],
    entry: &[String],
    seconds: f64,
) -> Option<Result<Value, String>> {
    if case.is_compiled_otherwise() {
        return None;
    }
    let options = case.options(Run::Plain, seconds);
    let settings = Settings { renamed: vec![], ..settings(&options) };
    let report = || {
        let inputs = |path: &Path| Inputs { paths: vec![path.to_owned()], ..Inputs::default() };
        let [old, new] = [load(&inputs(&paths[0]))?, load(&inputs(&paths[1]))?];
        let matched = matching(old, new, settings, entry).map_err(|error| error.to_string())?;
        Ok(compared(&matched, limits(&options, Run::Plain)))
    };
    Some(report())
}

/// What the program allows a comparison that begins now.
fn limits(options: &verdiff::Options, run: Run) -> Limits {
    let shortcuts = !matches!(run, Run::OldItself | Run::NewItself);
    Limits { shortcuts, ..options.limits(Instant::now()) }
}

fn settings(options: &verdiff::Options) -> Settings {
    Settings {
        no_alias: options.no_alias,
        ignore_termination: options.ignore_termination,
        renamed: options.rename.clone(),
        seed: options.seed,
        ..Settings::default()
    }
}

fn compared(matched: &Matched, limits: Limits) -> Value {
    let deadlines = limits.deadlines();
    let args = ["worker", "--memory", &MEMORY.to_string()].map(OsString::from).to_vec();
    let command = WorkerCommand { program: env!("CARGO_BIN_EXE_verdiff").into(), args };
    let workers = Workers::Processes(command);
    let spare = &self::workers();
    let plan = Plan { matched, limits, workers, spare, interrupted: &|| false, cache: None };
    let mut predicted = Predicted { comparison: &matched.comparison };
    let results = plan.run(&mut predicted, &|_| {});
    let report = Report::of(&account(matched, &results), &matched.comparison, &deadlines);
    verdiff_report::json(&report)
}

/// A version, compiled once.
pub fn version(path: &Path) -> Result<Version, String> {
    type Known = BTreeMap<PathBuf, Arc<OnceLock<Result<Version, String>>>>;
    static KNOWN: Mutex<Known> = Mutex::new(BTreeMap::new());
    let one = KNOWN.lock().unwrap().entry(path.to_owned()).or_default().clone();
    one.get_or_init(|| load(&corpus_inputs(path))).clone()
}

fn corpus_inputs(path: &Path) -> Inputs {
    let store = Some(Arc::new(Store::new(CORPUS_BITCODE)));
    // A name that does not depend on the crate: it is in the bitcode.
    let path = path.canonicalize().unwrap_or(path.to_owned());
    Inputs { paths: vec![path], store, ..Inputs::default() }
}

fn load(inputs: &Inputs) -> Result<Version, String> {
    let loaded = verdiff_front::load(inputs).map_err(|error| error.to_string())?;
    Ok(Version { program: loaded.program, frames: loaded.frames })
}

/// Takes the interpreter's word.
struct Predicted<'a> {
    comparison: &'a Comparison,
}

impl Confirm for Predicted<'_> {
    fn confirm(
        &mut self,
        candidates: &[(PairId, Candidate)],
        _: &BTreeMap<PairId, Duration>,
        _: Option<Instant>,
    ) -> Vec<Replayed> {
        let confirmed = candidates.iter().map(|(pair, c)| self.one(*pair, c.clone()));
        confirmed.map(|c| Replayed { confirmed: Some(c), time: Duration::ZERO }).collect()
    }
}

impl Predicted<'_> {
    fn one(&self, id: PairId, candidate: Candidate) -> Confirmed {
        let limits = Steps { steps: 4_000_000, ..Steps::default() };
        let pair = self.comparison.pair(id);
        let programs = Side::BOTH.map(|side| self.comparison.program(side));
        // What the interpreter cannot predict it guesses.
        let guessed = programs.map(trial);
        let [old_program, new_program] =
            [0, 1].map(|side| guessed[side].as_ref().unwrap_or(programs[side]));
        let old = Machine::new(old_program).run(pair.old, &candidate.old, &limits);
        let new = Machine::new(new_program).run(pair.new, &candidate.new, &limits);
        let difference = state::compare(
            state::Run { program: old_program, entry: &candidate.old, outcome: &old },
            state::Run { program: new_program, entry: &candidate.new, outcome: &new },
        );
        let replay = match difference {
            _ if self.comparison.settings.excludes(&old) => {
                Replay::not_run(ReplayProblem::OldOverflows)
            }
            // One side alone does not end: that is what was predicted.
            Some(Difference::Inconclusive) if candidate.is_hang() => Replay::Confirmed,
            Some(Difference::Inconclusive) => Replay::not_run(ReplayProblem::OutOfSteps),
            Some(_) => Replay::Confirmed,
            None => Replay::Refuted { why: ReplayProblem::NoDifference.into() },
        };
        let kinds = kinds(self.comparison, id, &candidate.old, &candidate.new, &old, &new);
        Confirmed { candidate, replay, kinds, outcomes: [old, new] }
    }
}

impl Run {
    /// The names of the two files.
    fn files(self) -> [&'static str; 2] {
        match self {
            Run::Plain => ["old.c", "new.c"],
            Run::Mirrored => ["new.c", "old.c"],
            Run::OldItself => ["old.c", "old.c"],
            Run::NewItself => ["new.c", "new.c"],
        }
    }
}

impl Case {
    /// How the case is compared in a run, and which functions.
    pub fn settings(&self, run: Run, seed: u64) -> (Settings, Vec<String>) {
        let options = self.options(run, 1.0);
        (Settings { seed, ..settings(&options) }, options.entry)
    }

    /// How the case is compared in a run: what the flags stand for.
    fn options(&self, run: Run, seconds: f64) -> verdiff::Options {
        let flags = self.flags(run);
        let has = |flag: &str| flags.iter().any(|f| f == flag);
        let of = |flag: &str| -> Vec<String> {
            let values = flags.windows(2).filter(|pair| pair[0] == flag);
            values.map(|pair| pair[1].clone()).collect()
        };
        let parts = |flag: &str, mark: char| -> Vec<(String, String)> {
            let split = |text: String| {
                let (left, right) = text.split_once(mark).unwrap();
                (left.to_owned(), right.to_owned())
            };
            of(flag).into_iter().map(split).collect()
        };
        let overflow = if has("--overflow=ub") { Overflow::Traps } else { Overflow::Wraps };
        verdiff::Options {
            entry: of("--entry"),
            timeout: Duration::from_secs_f64(clock(seconds)),
            effort: Some(Duration::from_secs_f64(effort(seconds))),
            jobs: Some(1),
            ignore_termination: has("--ignore-termination"),
            overflow,
            no_alias: has("--no-alias"),
            rename: parts("--rename", '='),
            assume: parts("--assume", ':'),
            seed: SEED,
            ..verdiff::Options::default()
        }
    }

    /// Whether its files are compiled with flags of the comparison.
    pub fn is_compiled_otherwise(&self) -> bool {
        let flags = self.flags(Run::Plain);
        flags.iter().any(|flag| flag.starts_with("--overflow") || flag == "--assume")
    }
}
