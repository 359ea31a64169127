//! Predicted differences on the really compiled programs.

use super::OVERFLOW_TRAPS;
use crate::interrupt;
use anyhow::Context;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};
use tempfile::TempDir;
use verdiff_front::{CallableOptions, Clang, Inputs, compile_callable};
use verdiff_judge::{
    Candidate, Comparison, Confirm, Confirmed, Pair, PairId, Replay, Side as Version, kinds,
};
use verdiff_model::interp::Machine;
use verdiff_plan::{CommonPart, Matched};
use verdiff_report::{PairReport, Report};
use verdiff_witness::agree::{Build, real_externals};
use verdiff_witness::replay::{Ready, ReplayOptions, Replayer, Request, Side, Status, TestCase};
use verdiff_witness::{Deadline, Instrument, Toolchain};

/// Both versions, to be compiled when the first candidate comes.
pub struct Compiled<'a> {
    matched: &'a Matched,
    comparison: &'a Comparison,
    old: &'a Inputs,
    new: &'a Inputs,
    /// Whether differences are to be written down as C tests.
    pub wants_tests: bool,
    /// Whether the user did not wait for all of them.
    pub was_cut_short: bool,
    tests: BTreeMap<PairId, Result<TestCase, String>>,
    /// When the whole run is to end.
    pub end: Deadline,
    /// How long both versions may be compiled.
    pub compile_time: Duration,
    /// How long the candidates of each pair may be run.
    left: BTreeMap<PairId, Duration>,
    /// What is made ready while engines still work.
    expected: Option<JoinHandle<anyhow::Result<Prepared>>>,
}

/// Both versions, compiled, and where that was done.
struct Prepared {
    old: Ready,
    new: Ready,
    workshop: Workshop,
}

/// Where versions are compiled.
struct Workshop {
    toolchain: Toolchain,
    folder: TempDir,
}

impl Workshop {
    fn new() -> anyhow::Result<Workshop> {
        let toolchain = Toolchain::new(Clang::find()?.path())?;
        let folder = tempfile::Builder::new().prefix("verdiff-").tempdir()?;
        Ok(Workshop { toolchain, folder })
    }
}

impl Prepared {
    /// What every candidate needs.
    fn plain(old: &Inputs, new: &Inputs, deadline: Deadline) -> anyhow::Result<Prepared> {
        let workshop = Workshop::new()?;
        let (toolchain, folder) = (&workshop.toolchain, workshop.folder.path());
        let places = ReplayOptions::default().places;
        let ready = |inputs, name| {
            let make = |instrument, deadline| make(inputs, folder, name, instrument, deadline);
            Ready::plain(toolchain, &make, places, deadline)
        };
        let (old, new) = std::thread::scope(|scope| {
            let other = scope.spawn(|| ready(old, "old"));
            let new = ready(new, "new");
            (other.join(), new)
        });
        let old = old.map_err(|_| anyhow::anyhow!("compiling the old version failed"))?;
        Ok(Prepared { old, new, workshop })
    }

    /// Whether nothing failed.
    fn is_whole(&self) -> bool {
        self.old.is_plain() && self.new.is_plain()
    }

    /// Whether the time was too short.
    fn is_late(&self) -> bool {
        !self.old.was_tried() || !self.new.was_tried()
    }
}

impl Drop for Compiled<'_> {
    fn drop(&mut self) {
        // It has files and processes of its own, and removes them itself.
        if let Some(expected) = self.expected.take() {
            let _ = expected.join();
        }
    }
}

impl<'a> Compiled<'a> {
    /// Nothing is compiled yet.
    pub fn new(matched: &'a Matched, old: &'a Inputs, new: &'a Inputs) -> Compiled<'a> {
        let tests = BTreeMap::new();
        let comparison = &matched.comparison;
        Compiled {
            matched,
            comparison,
            old,
            new,
            wants_tests: false,
            was_cut_short: false,
            tests,
            end: Deadline::NEVER,
            compile_time: COMPILE_TIME,
            left: BTreeMap::new(),
            expected: None,
        }
    }

    /// What was made ready, if it was expected that something would be needed. Where that failed it is tried again when it
    /// is needed: a signal that was meant for verdiff may have ended clang as well. Who took too long once would do so again.
    fn prepared(&mut self) -> anyhow::Result<Prepared> {
        let expected = self.expected.take().and_then(|thread| thread.join().ok()?.ok());
        let prepared = match expected {
            Some(prepared) if prepared.is_whole() || prepared.is_late() => prepared,
            _ => Prepared::plain(self.old, self.new, self.compile_deadline())?,
        };
        match prepared.is_late() {
            true => anyhow::bail!("the versions could not be compiled within the time limit"),
            false => Ok(prepared),
        }
    }

    fn compile_deadline(&self) -> Deadline {
        self.end.earlier(Deadline::after(self.compile_time))
    }

    /// What came of each candidate, which is made smaller where that can be.
    fn replayed(&mut self, candidates: &mut [(PairId, Candidate)]) -> anyhow::Result<Vec<Replay>> {
        let Prepared { old: ready_old, new: ready_new, workshop } = self.prepared()?;
        let Workshop { toolchain, folder } = &workshop;
        let (old, new, comparison) = (self.old, self.new, self.comparison);
        let make_old = |which, deadline| make(old, folder.path(), "old", which, deadline);
        let make_new = |which, deadline| make(new, folder.path(), "new", which, deadline);
        let side = |version, make| Side { program: comparison.program(version), make };
        let mut replayer = Replayer::with_ready(
            toolchain,
            (side(Version::Old, &make_old), ready_old),
            (side(Version::New, &make_new), ready_new),
            ReplayOptions::default(),
        );
        let mut replays = vec![];
        for (id, candidate) in candidates {
            if interrupt::overdue() {
                self.was_cut_short = true;
                replays.push(Replay::NotRun { why: "interrupted".to_owned() });
                continue;
            }
            let begun = Instant::now();
            let left = self.left.get(id).copied();
            replayer.until(self.end.earlier(left.map_or(Deadline::NEVER, Deadline::after)));
            let mut spend = |pair: PairId| {
                if let Some(left) = self.left.get_mut(&pair) {
                    *left = left.saturating_sub(begun.elapsed());
                }
            };
            if let Some((interface, part)) = self.matched.stands_for(*id) {
                replays.push(common(&mut replayer, comparison.pair(interface), part, candidate));
                spend(*id);
                continue;
            }
            let pair = comparison.pair(*id);
            let request = Request {
                old: (pair.old, candidate.old.clone()),
                new: (pair.new, candidate.new.clone()),
            };
            // Who proves that a version never ends gives the state as it is.
            let (request, replayed) = match candidate.is_hang() {
                true => {
                    let replayed = replayer.replay_hang(&request);
                    (request, replayed)
                }
                false => replayer.replay_small(&request, SHRINKING),
            };
            (candidate.old, candidate.new) = (request.old.1.clone(), request.new.1.clone());
            let known = self.tests.get(id).is_some_and(Result::is_ok);
            let testable = replayed.status.is_confirmed() && !candidate.is_hang();
            if self.wants_tests && !known && testable {
                let test = match comparison.settings.overflow_undefined {
                    true => {
                        Err("an undefined overflow shows only where clang checks for it".into())
                    }
                    false => replayer.test_case(&request, &replayed),
                };
                self.tests.insert(*id, test);
            }
            replays.push(judged(replayed.status));
            spend(*id);
        }
        Ok(replays)
    }

    /// Writes the tests, and says so in the report.
    pub fn write_tests(&self, folder: &Path, report: &mut Report) -> anyhow::Result<()> {
        let mut taken = BTreeSet::new();
        for (id, test) in &self.tests {
            let pair = self.comparison.pair(*id);
            let place = |p: &&mut PairReport| p.function == pair.function && p.witness.is_some();
            let note = match test {
                Err(why) => format!("no C test was written: {why}"),
                Ok(_) if self.old.paths.len() > 1 || self.new.paths.len() > 1 => {
                    "no C test was written: a test includes one file, here there are several".into()
                }
                Ok(test) => {
                    let mut names = vec![];
                    for (name, text) in &test.files {
                        let path = folder.join(unused(name, &mut taken));
                        std::fs::write(&path, text)
                            .with_context(|| format!("cannot write {}", path.display()))?;
                        names.push(path.display().to_string());
                    }
                    let passes = if test.passes_on_old { "old" } else { "new" };
                    format!("{} passes on the {passes} version only", names.join(", "))
                }
            };
            if let Some(shown) = report.pairs.iter_mut().find(place) {
                shown.notes.push(note);
            }
        }
        Ok(())
    }
}

fn judged(status: Status) -> Replay {
    match status {
        Status::Confirmed => Replay::Confirmed,
        Status::ConfirmedWithStubs => Replay::ConfirmedWithStubs,
        Status::Refuted { why } => Replay::Refuted { why },
        Status::NotRun { why } => Replay::NotRun { why },
    }
}

/// A difference in the common part of two signatures: no compiled program has the copies that it was found with, so
/// each version's own function is called, with its own parameters.
fn common(
    replayer: &mut Replayer<'_>,
    pair: &Pair,
    part: &CommonPart,
    candidate: &Candidate,
) -> Replay {
    if !part.same_results {
        let why = "the versions return different types, which compiled runs do not compare";
        return Replay::NotRun { why: why.to_owned() };
    }
    let request = Request {
        old: (pair.old, part.own_entry(Version::Old, &candidate.old)),
        new: (pair.new, part.own_entry(Version::New, &candidate.new)),
    };
    if request.old.1.args.iter().zip(&request.new.1.args).any(|(a, b)| a != b) {
        let why = "an argument is converted in one version, which compiled runs do not compare";
        return Replay::NotRun { why: why.to_owned() };
    }
    judged(replayer.replay(&request).status)
}

/// A name that no other test has: two `static` functions may share theirs.
fn unused(name: &str, taken: &mut BTreeSet<String>) -> String {
    let mut unused = name.to_owned();
    let mut number = 2;
    while !taken.insert(unused.clone()) {
        unused = format!("{}_{number}.c", name.trim_end_matches(".c"));
        number += 1;
    }
    unused
}

/// How long both versions may be compiled where nobody says otherwise, and at least.
pub const COMPILE_TIME: Duration = Duration::from_secs(10);

/// How many runs of the interpreter may be spent on a smaller input.
const SHRINKING: u32 = 300;

impl Confirm for Compiled<'_> {
    fn expect(&mut self) {
        if self.expected.is_none() {
            let (old, new, deadline) =
                (self.old.clone(), self.new.clone(), self.compile_deadline());
            self.expected = Some(std::thread::spawn(move || Prepared::plain(&old, &new, deadline)));
        }
    }

    fn limit(&mut self, left: BTreeMap<PairId, Duration>) {
        self.left = left;
    }

    fn confirm(&mut self, mut candidates: Vec<(PairId, Candidate)>) -> Vec<Confirmed> {
        let replays = self.replayed(&mut candidates).unwrap_or_else(|error| {
            let why = format!("{error:#}");
            candidates.iter().map(|_| Replay::NotRun { why: why.clone() }).collect()
        });
        let mut machines =
            [Version::Old, Version::New].map(|v| Machine::new(self.comparison.program(v)));
        let limits = ReplayOptions::default().limits;
        let mut confirmed = vec![];
        for ((id, candidate), replay) in candidates.into_iter().zip(replays) {
            let pair = self.comparison.pair(id);
            let old = machines[0].run(pair.old, &candidate.old, &limits);
            let new = machines[1].run(pair.new, &candidate.new, &limits);
            // However it came about: from there nothing is claimed.
            let replay = match self.comparison.settings.excludes(&old) {
                true => Replay::NotRun { why: "the old version overflows".to_owned() },
                false => replay,
            };
            let kinds = kinds(self.comparison, id, &candidate.old, &candidate.new, &old, &new);
            confirmed.push(Confirmed { candidate, replay, kinds, outcomes: [old, new] });
        }
        confirmed
    }
}

/// Compiles one version with wrappers.
fn make(
    inputs: &Inputs,
    folder: &Path,
    name: &str,
    instrument: Instrument,
    deadline: Deadline,
) -> Result<Build, String> {
    let object = folder.join(format!("{name}-{instrument:?}.o"));
    // What replay is compiled with makes overflow wrap; where it is to trap, that must be said once more.
    let again = OVERFLOW_TRAPS.iter().filter(|f| inputs.clang_flags.iter().any(|g| g == *f));
    let options = CallableOptions {
        flags: instrument.flags().iter().chain(again).map(|f| (*f).to_owned()).collect(),
        real_externals: real_externals(instrument),
        as_written: instrument.as_written(),
        deadline,
    };
    let made = compile_callable(inputs, &options, &object).map_err(|e| e.to_string())?;
    Ok(Build {
        program: made.program,
        frames: made.frames,
        external_frames: made.external_frames,
        real: made.real,
        object,
    })
}
