//! Runs in this process: each version is compiled once for all of them, and what the interpreter predicts of a candidate is
//! taken for what a compiled run shows.
//!
//! A mirrored run, or a version against itself, is about verdicts. That predictions are what compiled programs do is shown by
//! the plain run of the same pair, which replays every difference, and by a sample of the mirrored ones.

use super::Run;
use crate::case::Case;
use serde_json::Value;
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock, Mutex, OnceLock};
use std::time::{Duration, Instant};
use verdiff_front::Inputs;
use verdiff_judge::{
    Candidate, Comparison, Confirm, Confirmed, PairId, Replay, ReplayProblem, Replayed, Settings,
    Side, Version, kinds,
};
use verdiff_logic::effort::Effort;
use verdiff_model::interp::{Limits as Steps, Machine};
use verdiff_model::state::{self, Difference};
use verdiff_model::trial::trial;
use verdiff_plan::{
    Clock, JobOrder, Limits, Matched, Plan, Spare, WorkerCommand, Workers, account, matching,
};
use verdiff_report::Report;

/// What the command line takes if nobody says otherwise.
const SEED: u64 = 1;

/// The report of a run, or why there is none. `None` if only the program can do it: with overflows that trap it is compiled
/// otherwise, and preconditions are.
pub fn report(case: &Case, run: Run, seconds: f64) -> Option<Result<Value, String>> {
    if case.needs_the_program() {
        return None;
    }
    let (old, new) = match run {
        Run::Plain => ("old.c", "new.c"),
        Run::Mirrored => ("new.c", "old.c"),
        Run::OldItself => ("old.c", "old.c"),
        Run::NewItself => ("new.c", "new.c"),
    };
    let versions = [old, new].map(|name| version(&case.folder.join(name)));
    let [old, new] = versions;
    let (old, new) = match (old, new) {
        (Ok(old), Ok(new)) => (old, new),
        (Err(why), _) | (_, Err(why)) => return Some(Err(why)),
    };
    let (settings, entry) = case.settings(run, SEED);
    let matched = match matching(old, new, settings, &entry) {
        Ok(matched) => matched,
        Err(error) => return Some(Err(error.to_string())),
    };
    Some(Ok(compared(&matched, run, Duration::from_secs_f64(seconds))))
}

/// The same for two files, with the options of a case.
pub fn files(
    case: &Case,
    paths: &[PathBuf; 2],
    entry: &[String],
    seconds: f64,
) -> Option<Result<Value, String>> {
    if case.needs_the_program() {
        return None;
    }
    let settings = Settings { renamed: vec![], ..case.settings(Run::Plain, SEED).0 };
    let report = || {
        let [old, new] = [load(&paths[0])?, load(&paths[1])?];
        let matched = matching(old, new, settings, entry).map_err(|error| error.to_string())?;
        Ok(compared(&matched, Run::Plain, Duration::from_secs_f64(seconds)))
    };
    Some(report())
}

fn compared(matched: &Matched, run: Run, timeout: Duration) -> Value {
    let limits = Limits {
        effort: Effort::lasting(timeout.mul_f64(0.8)),
        timeout,
        clock: Clock { begun: Instant::now(), budget: None },
        jobs: 1,
        order: JobOrder::ByImportance,
        shortcuts: !matches!(run, Run::OldItself | Run::NewItself),
    };
    let deadlines = limits.deadlines();
    let args = ["worker", "--memory", "4096"].map(OsString::from).to_vec();
    let command = WorkerCommand { program: env!("CARGO_BIN_EXE_verdiff").into(), args };
    let workers = Workers::Processes(command);
    // Workers go from one run to the next: to start one takes as long as most runs.
    static SPARE: LazyLock<Spare> = LazyLock::new(Spare::none);
    let plan =
        Plan { matched, limits, workers, spare: &SPARE, interrupted: &|| false, cache: None };
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
    one.get_or_init(|| load(path)).clone()
}

fn load(path: &Path) -> Result<Version, String> {
    let inputs = Inputs { paths: vec![path.to_owned()], ..Inputs::default() };
    let loaded = verdiff_front::load(&inputs).map_err(|error| error.to_string())?;
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

impl Case {
    /// How the case is compared in a run, and which functions.
    pub fn settings(&self, run: Run, seed: u64) -> (Settings, Vec<String>) {
        let flags = self.flags(run);
        let has = |flag: &str| flags.iter().any(|f| f == flag);
        let of = |flag: &str| {
            let values = flags.windows(2).filter(|pair| pair[0] == flag);
            values.map(|pair| pair[1].clone()).collect::<Vec<_>>()
        };
        let renamed = of("--rename").into_iter().filter_map(|r| {
            let (old, new) = r.split_once('=')?;
            Some((old.to_owned(), new.to_owned()))
        });
        let settings = Settings {
            no_alias: has("--no-alias"),
            ignore_termination: has("--ignore-termination"),
            renamed: renamed.collect(),
            seed,
            ..Settings::default()
        };
        (settings, of("--entry"))
    }

    /// Whether only the program itself can run it.
    pub fn needs_the_program(&self) -> bool {
        let flags = self.flags(Run::Plain);
        flags.iter().any(|flag| flag.starts_with("--overflow") || flag == "--assume")
    }
}
