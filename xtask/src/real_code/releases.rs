//! Two releases of each library, compared: what a user gets who asks what an update changes.
//!
//! Up to four runs for each pair of releases, with a cache of their own: the comparison; the same again; the same without
//! running known differences again; and the new release against itself, where every function is unchanged. On a busy machine the
//! budget cuts something of every library, and what it cuts is not kept. So the first three are done with counted effort as well,
//! without a budget, for small libraries, and compared by processor time.

use super::libraries::{LIBRARIES, Library};
use super::memory::{self, PeakMemory};
use super::{Limits, fetch};
use crate::process::target;
use anyhow::{Context, Result};
use serde_json::Value;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// What a comparison may take beyond its budget, in seconds: for what was begun, and to write the report of thousands of functions.
const BEYOND: f64 = 15.0;
/// What a comparison may take of memory, all processes together.
const MAX_MEMORY_MIB: f64 = 4096.0;
/// What a function may cost that did not change, in milliseconds.
const MAX_UNCHANGED_MS: f64 = 1.0;
/// How many times faster a second run must be.
const MIN_SECOND_RUN: f64 = 20.0;
/// The time limit of a function that ends by counted effort: one that a busy machine does not reach.
const FAR: &str = "1200";

/// Two releases of a library: the versions of its crate, and what the library itself calls them.
struct ReleasePair {
    library: &'static str,
    /// Version of the crate, folder of the C code in it, name of the release.
    old: [&'static str; 3],
    new: [&'static str; 3],
    /// The counted effort for each function, in seconds, of runs that no clock cuts: only of these the next run knows
    /// everything. For libraries that take minutes so.
    counted: Option<&'static str>,
}

/// The pairs, small libraries first. `sqlite` twice: a release with fixes alone, and one with new features.
const PAIRS: &[ReleasePair] = &[
    ReleasePair {
        library: "bzip2",
        old: ["0.1.7", "bzip2-1.0.6", "1.0.6"],
        new: ["0.1.13+1.0.8", "bzip2-1.0.8", "1.0.8"],
        counted: Some("8"),
    },
    ReleasePair {
        library: "zlib",
        old: ["1.1.24", "src/zlib", "1.3.1"],
        new: ["1.1.31", "src/zlib", "1.3.2"],
        counted: Some("0.5"),
    },
    ReleasePair {
        library: "lz4",
        old: ["1.10.0", "liblz4/lib", "1.9.4"],
        new: ["1.11.1+lz4-1.10.0", "liblz4/lib", "1.10.0"],
        counted: None,
    },
    ReleasePair {
        library: "zstd",
        old: ["2.0.13+zstd.1.5.6", "zstd/lib", "1.5.6"],
        new: ["2.1.2+zstd.1.5.7", "zstd/lib", "1.5.7"],
        counted: None,
    },
    ReleasePair {
        library: "sqlite",
        old: ["0.33.0", "sqlite3", "3.49.1"],
        new: ["0.34.0", "sqlite3", "3.49.2"],
        counted: None,
    },
    ReleasePair {
        library: "sqlite",
        old: ["0.28.0", "sqlite3", "3.45.0"],
        new: ["0.30.1", "sqlite3", "3.46.0"],
        counted: None,
    },
];

/// One run of verdiff: what it reports, how long it took, and how much memory all its processes had at once.
struct ReleaseRun {
    report: Value,
    time: Duration,
    /// Processor time of all processes: what a busy machine does not change.
    processor: f64,
    memory_mib: f64,
}

/// The runs of one pair of releases.
pub struct ReleaseFigures {
    what: String,
    first: ReleaseRun,
    second: ReleaseRun,
    /// Not run if the clock cut the first one: the second one judges what was cut again, whatever is replayed.
    kept: Option<ReleaseRun>,
    itself: ReleaseRun,
    /// The same for one function: what it takes to load both versions.
    one: ReleaseRun,
    /// By counted effort without a budget: a run, the same again, and without replay.
    counted: Option<[ReleaseRun; 3]>,
}

/// Fetches and compares all releases (or those of the named libraries); with what went wrong: a run that gives no report (its
/// budget was too short to load both versions) costs its pair of releases, and the others are measured.
pub fn measure(
    verdiff: &Path,
    limits: &Limits<'_>,
    wanted: &[&str],
) -> Result<(Vec<ReleaseFigures>, Vec<String>)> {
    let (mut all, mut failed) = (vec![], vec![]);
    for pair in PAIRS.iter().filter(|p| wanted.is_empty() || wanted.contains(&p.library)) {
        let library = LIBRARIES.iter().find(|l| l.name == pair.library).context(pair.library)?;
        match measure_pair(verdiff, limits, library, pair) {
            Ok(figures) => all.push(figures),
            Err(error) => {
                eprintln!("{error:#}");
                failed.push(format!("{error:#}"));
                continue;
            }
        }
        // For who watches, and for who stops it.
        eprintln!("{}", tables(&all[all.len() - 1..], limits.budget));
    }
    Ok((all, failed))
}

fn measure_pair(
    verdiff: &Path,
    limits: &Limits<'_>,
    library: &Library,
    pair: &ReleasePair,
) -> Result<ReleaseFigures> {
    let folder = |[version, inside, _]: [&str; 3]| fetch::release(library, version, inside);
    let (old, new) = (folder(pair.old)?, folder(pair.new)?);
    let what = format!("{} {} and {}", library.name, pair.old[2], pair.new[2]);
    let results = target().join("real-code/compared");
    let cache = results.join(format!("cache of {what}"));
    if cache.exists() {
        fs::remove_dir_all(&cache)?;
    }
    fs::create_dir_all(&results)?;
    let run = |name: &str, old: &Path, new: &Path, options: &[&str]| {
        eprintln!("comparing {what}: {name}");
        let report = results.join(format!("{}, {name}.json", what));
        run(verdiff, limits, [old, new], options, &cache, &report).with_context(|| what.clone())
    };
    let counted = match pair.counted {
        None => None,
        Some(effort) => {
            let by_effort = ["--effort", effort, "--timeout", FAR];
            let again = ["--no-replay", "--effort", effort, "--timeout", FAR];
            let cache = results.join(format!("cache of {what}, counted"));
            if cache.exists() {
                fs::remove_dir_all(&cache)?;
            }
            let limits = Limits { budget: f64::INFINITY, ..*limits };
            let run = |name: &str, options: &[&str]| {
                eprintln!("comparing {what}: counted effort, {name}");
                let report = results.join(format!("{what}, counted, {name}.json"));
                self::run(verdiff, &limits, [&old, &new], options, &cache, &report)
                    .with_context(|| what.clone())
            };
            Some([
                run("first run", &by_effort)?,
                run("second run", &by_effort)?,
                run("second run without replay", &again)?,
            ])
        }
    };
    let first = run("first run", &old, &new, &[])?;
    let second = run("second run", &old, &new, &[])?;
    let kept = match Counts::of(&first.report).cut {
        0 => Some(run("second run without replay", &old, &new, &["--no-replay"])?),
        _ => None,
    };
    let itself = run("the new release and itself", &new, &new, &[])?;
    let name = pairs(&itself.report).find_map(|pair| pair["function"].as_str());
    let entry = ["--entry", name.context("no function")?];
    let one = run("one function of the new release and itself", &new, &new, &entry)?;
    Ok(ReleaseFigures { what, first, second, kept, itself, one, counted })
}

fn run(
    verdiff: &Path,
    limits: &Limits<'_>,
    releases: [&Path; 2],
    options: &[&str],
    cache: &Path,
    report: &PathBuf,
) -> Result<ReleaseRun> {
    let mut command = Command::new(verdiff);
    command.args(releases).args(["--format", "json", "--no-progress", "--jobs", limits.jobs]);
    // SQLite has line numbers in a thousand places, for a log.
    command.arg("--ignore-line-numbers");
    if limits.budget.is_finite() {
        command.args(["--budget", &limits.budget.to_string()]);
    }
    command.args(options).env("VERDIFF_CACHE", cache);
    // Into a file: a pipe that is read only at the end would stop the run.
    let mut child = command.stdout(File::create(report)?).stdin(Stdio::null()).spawn()?;
    let (start, processor) = (Instant::now(), memory::processor_seconds());
    let mut memory = PeakMemory::of(child.id());
    while child.try_wait()?.is_none() {
        memory.look();
        std::thread::sleep(Duration::from_millis(if start.elapsed().as_secs() < 2 {
            20
        } else {
            250
        }));
    }
    let time = start.elapsed();
    let processor = memory::processor_seconds() - processor;
    let report = serde_json::from_str(&fs::read_to_string(report)?).context("no report")?;
    Ok(ReleaseRun { report, time, processor, memory_mib: memory.mib() })
}

fn pairs(report: &Value) -> impl Iterator<Item = &Value> {
    report["pairs"].as_array().map(Vec::as_slice).unwrap_or_default().iter()
}

/// What a count of functions is about: those that both releases have and whose own code changed, and callers of these.
#[derive(Default)]
struct Counts {
    functions: usize,
    unchanged: usize,
    own: BTreeMap<&'static str, usize>,
    callers: BTreeMap<&'static str, usize>,
    /// Why functions are undecided, by kind.
    reasons: BTreeMap<String, usize>,
    possibly_affected: usize,
    /// Changed functions and callers that the clock cut: a second run judges them again.
    cut: usize,
}

impl Counts {
    fn of(report: &Value) -> Counts {
        let mut counts = Counts::default();
        for pair in pairs(report) {
            let verdict = match pair["verdict"].as_str() {
                Some("equivalent") => "equivalent",
                Some("different") => "different",
                Some("unknown") => "unknown",
                // Added and removed.
                _ => continue,
            };
            counts.functions += 1;
            let reason = pair["reason"]["kind"].as_str();
            if pair["reproducible"] == false {
                counts.cut += 1;
            }
            match pair["changed"].as_str() {
                Some("no") => counts.unchanged += 1,
                Some("callees") => *counts.callers.entry(verdict).or_default() += 1,
                _ => {
                    *counts.own.entry(verdict).or_default() += 1;
                    if let (Some(kind), "unknown") = (reason, verdict) {
                        *counts.reasons.entry(kind.to_owned()).or_default() += 1;
                    }
                }
            }
            if pair["impact"]["kind"] == "possible" {
                counts.possibly_affected += 1;
            }
        }
        counts
    }

    fn own(&self) -> usize {
        self.own.values().sum()
    }
}

impl ReleaseFigures {
    fn unchanged_ms(&self) -> f64 {
        let others = Counts::of(&self.itself.report).functions.saturating_sub(1).max(1);
        (self.itself.processor - self.one.processor).max(0.0) * 1000.0 / others as f64
    }

    fn ratio(&self, run: &ReleaseRun) -> f64 {
        self.first.time.as_secs_f64() / run.time.as_secs_f64()
    }

    fn memory_mib(&self) -> f64 {
        self.first.memory_mib.max(self.second.memory_mib)
    }
}

/// The figures as Markdown.
pub fn tables(all: &[ReleaseFigures], budget: f64) -> String {
    let mut text = format!(
        "`verdiff OLD NEW --ignore-line-numbers --budget {budget}` with folders that have a compilation database. *Changed*: functions that both \
         releases have and whose own code, types or data changed; the next columns are about these. *Callers*: functions that \
         are the same but for what they call.\n\n\
         | releases | functions | changed | equivalent | different | unknown | callers: equivalent, different, unknown | possibly affected |\n\
         |---|---:|---:|---:|---:|---|---|---:|\n"
    );
    for figures in all {
        let counts = Counts::of(&figures.first.report);
        let of = |map: &BTreeMap<&str, usize>, verdict| map.get(verdict).copied().unwrap_or(0);
        let reasons: Vec<String> =
            counts.reasons.iter().map(|(kind, count)| format!("{kind} {count}")).collect();
        let _ = writeln!(
            text,
            "| {} | {} | {} | {} | {} | {} ({}) | {}, {}, {} | {} |",
            figures.what,
            counts.functions,
            counts.own(),
            of(&counts.own, "equivalent"),
            of(&counts.own, "different"),
            of(&counts.own, "unknown"),
            reasons.join(", "),
            of(&counts.callers, "equivalent"),
            of(&counts.callers, "different"),
            of(&counts.callers, "unknown"),
            counts.possibly_affected,
        );
    }
    text.push_str(
        "\n*Memory*: the most that all processes of a run had at once (proportional set size). *Again*: a second run, with \
         known differences run again on the compiled programs, and without (`--no-replay`), and how many times faster it \
         is; functions that were *cut by the clock* are not kept and are judged again. *Unchanged*: processor time of the new release against itself, per function, beyond that \
         for one function (*loading*).\n\n\
         | releases | time | memory | again | ratio | `--no-replay` | ratio | cut by the clock | loading | unchanged |\n\
         |---|---:|---:|---:|---:|---:|---:|---:|---:|---:|\n",
    );
    for figures in all {
        let counts = Counts::of(&figures.first.report);
        let kept = match &figures.kept {
            Some(kept) => format!("{:.1} s | {:.1}", kept.time.as_secs_f64(), figures.ratio(kept)),
            None => "- | -".to_owned(),
        };
        let _ = writeln!(
            text,
            "| {} | {:.1} s | {:.0} MiB | {:.1} s | {:.1} | {} | {} | {:.2} s | {:.2} ms |",
            figures.what,
            figures.first.time.as_secs_f64(),
            figures.memory_mib(),
            figures.second.time.as_secs_f64(),
            figures.ratio(&figures.second),
            kept,
            counts.cut,
            figures.one.processor,
            figures.unchanged_ms(),
        );
    }
    text.push_str(&counted_table(all));
    text
}

/// Second runs where no clock cut anything, by processor time.
fn counted_table(all: &[ReleaseFigures]) -> String {
    let mut text = String::new();
    for figures in all {
        let Some(runs @ [first, second, kept]) = &figures.counted else { continue };
        if text.is_empty() {
            text.push_str(
                "\n*By counted effort*, without a budget: processor time of all processes, and how many times less the second \
                 run takes.\n\n\
                 | releases | first run | again | ratio | `--no-replay` | ratio | cut by the clock |\n\
                 |---|---:|---:|---:|---:|---:|---:|\n",
            );
        }
        let cut: usize = runs.iter().map(|run| Counts::of(&run.report).cut).sum();
        let _ = writeln!(
            text,
            "| {} | {:.1} s | {:.2} s | {:.1} | {:.2} s | {:.1} | {cut} |",
            figures.what,
            first.processor,
            second.processor,
            first.processor / second.processor,
            kept.processor,
            first.processor / kept.processor,
        );
    }
    text
}

/// The figures that must be reached and are not.
pub fn missed(all: &[ReleaseFigures], budget: f64) -> Vec<String> {
    let mut missed = vec![];
    for figures in all {
        let counts = Counts::of(&figures.first.report);
        let mut miss = |what: String| missed.push(format!("{}: {what}", figures.what));
        let time = figures.first.time.as_secs_f64();
        if time > budget + BEYOND {
            miss(format!("{time:.0} s, at most {budget} s wanted"));
        }
        if figures.memory_mib() > MAX_MEMORY_MIB {
            miss(format!("{:.0} MiB, at most {MAX_MEMORY_MIB} wanted", figures.memory_mib()));
        }
        if figures.unchanged_ms() > MAX_UNCHANGED_MS {
            miss(format!("{:.2} ms for an unchanged function", figures.unchanged_ms()));
        }
        // What the clock cut is not kept, and a run that judges it again takes its time.
        if counts.cut == 0 && figures.ratio(&figures.second) < MIN_SECOND_RUN {
            let ratio = figures.ratio(&figures.second);
            miss(format!("a second run is {ratio:.1} times faster, {MIN_SECOND_RUN} wanted"));
        }
    }
    missed
}
