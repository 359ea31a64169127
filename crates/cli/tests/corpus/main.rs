//! The whole corpus, as a user would run it: `verdiff old.c new.c`, every verdict as its label says,
//! every difference confirmed by a run of both compiled programs.
//!
//! Each pair is also run mirrored (the sides exchanged: the verdict must be the same, with old and new exchanged) and
//! each version against itself (`identity`), with the proof that it is unchanged switched off, so that engines are asked.
//!
//! A sample of all runs is made by the program itself, the others in this process by the library that the program is made
//! of; `cargo xtask soak` makes all by the program.
//!
//! `VERDIFF_CORPUS=part/of/a/name` runs some cases only, `VERDIFF_CASES=10` a tenth of them. A case that verdiff cannot
//! decide yet stands in `gaps.toml` with its reason; if it is decided all the same the test fails, and the line is to be taken out: a welcome failure.

mod cached;
mod case;
mod compiler;
mod conditions;
mod expect;
mod inside;
mod limits_reached;
mod memory;
mod redundancy;
mod samples;

use case::{Case, cases};
use expect::{Finding, check};
use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, LazyLock, Mutex, OnceLock};

/// How a pair is run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Run {
    /// Old against new.
    Plain,
    /// New against old.
    Mirrored,
    /// Old against old.
    OldItself,
    /// New against new.
    NewItself,
}

/// Runs all cases that are chosen, several at a time, and gives all findings.
fn run_all(runs: &[Run], choose: impl Fn(&Case) -> bool) -> Vec<Finding> {
    run_all_within(runs, choose, None)
}

/// The same, with a time for each pair.
fn run_all_within(
    runs: &[Run],
    choose: impl Fn(&Case) -> bool,
    seconds: Option<&str>,
) -> Vec<Finding> {
    let only = std::env::var("VERDIFF_CORPUS").ok();
    let cases: Vec<Case> = cases()
        .into_iter()
        .filter(|case| only.as_ref().is_none_or(|part| case.name.contains(part.as_str())))
        .filter(choose)
        .filter(Case::is_in_suite)
        .filter(Case::is_in_quick_part)
        .collect();
    assert!(!cases.is_empty(), "there are cases");
    let jobs: Vec<(&Case, Run)> =
        cases.iter().flat_map(|case| runs.iter().map(move |run| (case, *run))).collect();
    let next = AtomicUsize::new(0);
    let found = Mutex::new(Vec::new());
    let _workers = inside::workers();
    let threads = std::thread::available_parallelism().map_or(1, |n| n.get());
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                while let Some((case, run)) = jobs.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let seconds = seconds.unwrap_or_else(|| limit(case, *run));
                    found.lock().unwrap().extend(findings(case, *run, seconds));
                }
            });
        }
    });
    let mut found = found.into_inner().unwrap();
    found.sort();
    found
}

/// What is found when a case is run in some way. Several tests ask for some of them; each is run once.
fn findings(case: &Case, run: Run, seconds: &str) -> Vec<Finding> {
    type Known = BTreeMap<(String, Run, String), Arc<OnceLock<Vec<Finding>>>>;
    static KNOWN: Mutex<Known> = Mutex::new(BTreeMap::new());
    let key = (case.name.clone(), run, seconds.to_owned());
    let one = KNOWN.lock().unwrap().entry(key).or_default().clone();
    one.get_or_init(|| check(case, run, &report(case, run, seconds))).clone()
}

/// Runs a case as a user would, or in this process: a third of the plain runs and a sample of the others are whole, with
/// replay.
fn report(case: &Case, run: Run, seconds: &str) -> Result<serde_json::Value, String> {
    let time = seconds.parse().unwrap();
    match case.is_in_part(SAMPLED) {
        true => verdiff(case, run, seconds),
        false if run == Run::Plain && case.is_replayed() => inside::replayed(case, run, time),
        false => {
            inside::predicted(case, run, time).unwrap_or_else(|| inside::replayed(case, run, time))
        }
    }
}

/// One of so many cases is run by the program in every way.
const SAMPLED: u32 = 16;

/// Of one of so many, the differences of a plain run are replayed, and conditions are tried out.
pub const WHOLE: u32 = 3;

/// How long a pair may take: long enough that a busy machine does not make it fail, but not where it is known
/// that nothing will come of it.
fn limit(case: &Case, run: Run) -> &'static str {
    static GAPS: LazyLock<[BTreeMap<String, String>; 2]> =
        LazyLock::new(|| ["pairs", "itself"].map(gaps));
    let gaps = &GAPS[usize::from(matches!(run, Run::OldItself | Run::NewItself))];
    let hopeless = gaps.keys().any(|place| place.starts_with(&format!("{}:", case.name)));
    match (hopeless, case.loop_free) {
        (true, _) => "1",
        (false, false) => "2",
        (false, true) => "30",
    }
}

/// The counted work of a pair that may take so many seconds: what the program takes if nobody says otherwise.
fn effort(seconds: f64) -> f64 {
    seconds * 0.8
}

/// The time limit of such a pair. Counted work ends it; where that is much, the clock is only an outer limit, which a busy
/// machine must not reach.
fn clock(seconds: f64) -> f64 {
    if seconds >= 20.0 { seconds * 10.0 } else { seconds }
}

/// Runs the program and gives its report.
fn verdiff(case: &Case, run: Run, seconds: &str) -> Result<serde_json::Value, String> {
    let seconds = seconds.parse().unwrap();
    verdiff_with(case, run, [effort(seconds), clock(seconds)], &["--no-cache"])
}

/// The same with so much counted work and time, and further options.
fn verdiff_with(
    case: &Case,
    run: Run,
    [effort, timeout]: [f64; 2],
    options: &[&str],
) -> Result<serde_json::Value, String> {
    let (old, new) = match run {
        Run::Plain => ("old.c", "new.c"),
        Run::Mirrored => ("new.c", "old.c"),
        Run::OldItself => ("old.c", "old.c"),
        Run::NewItself => ("new.c", "new.c"),
    };
    let mut command = Command::new(env!("CARGO_BIN_EXE_verdiff"));
    command
        .args([case.folder.join(old), case.folder.join(new)])
        .args(options)
        .args(["--format", "json", "--no-progress", "--jobs", "1"])
        .args(["--effort", &effort.to_string(), "--timeout", &timeout.to_string()])
        .args(case.flags(run));
    if matches!(run, Run::OldItself | Run::NewItself) {
        command.arg("--as-if-changed");
    }
    let output = command.output().map_err(|e| e.to_string())?;
    serde_json::from_slice(&output.stdout).map_err(|e| {
        format!("{e}: exit {:?}: {}", output.status.code(), String::from_utf8_lossy(&output.stderr))
    })
}

/// Whether only some cases are run.
fn is_partial() -> bool {
    ["VERDIFF_CORPUS", "VERDIFF_CASES"].iter().any(|name| std::env::var_os(name).is_some())
}

/// The known gaps: case and function, and why.
fn gaps(table: &str) -> BTreeMap<String, String> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/corpus/gaps.toml");
    let text = std::fs::read_to_string(path).unwrap();
    let mut tables: BTreeMap<String, BTreeMap<String, String>> = toml::from_str(&text).unwrap();
    tables.remove(table).unwrap()
}

/// Fails with what was found, but for what is known not to work yet.
#[track_caller]
fn judge(findings: Vec<Finding>, table: &str, run_everything: bool) {
    let gaps = gaps(table);
    let (open, mut wrong): (Vec<Finding>, Vec<Finding>) =
        findings.into_iter().partition(|f| f.undecided);
    let mut unexpected: Vec<String> = vec![];
    for finding in &open {
        if !gaps.contains_key(&finding.place) {
            unexpected.push(format!("{}: {}", finding.place, finding.text));
        }
    }
    if run_everything && !is_partial() {
        for place in gaps.keys().filter(|place| !open.iter().any(|f| f.place == **place)) {
            unexpected.push(format!("{place}: decided now: take it out of gaps.toml"));
        }
    }
    unexpected.extend(wrong.drain(..).map(|f| format!("WRONG {}: {}", f.place, f.text)));
    assert!(unexpected.is_empty(), "{} findings:\n{}", unexpected.len(), unexpected.join("\n"));
}

#[test]
fn loop_free_pairs() {
    judge(run_all(&[Run::Plain], |case| case.loop_free), "pairs", true);
    // Nine of ten exact conditions are at most twice as long as the one a person wrote.
    let [long, short] = conditions::COUNTED.each_ref().map(|n| n.load(Ordering::Relaxed));
    eprintln!("{short} conditions are short, {long} are not");
    assert!(short >= 9 * long, "{short} conditions are short, {long} are not");
    let tried = memory::TRIED.load(Ordering::Relaxed);
    eprintln!("{tried} conditions over memory were tried out");
    assert!(tried >= 20 || is_partial(), "only {tried} were tried");
    let checked = redundancy::CHECKED.load(Ordering::Relaxed);
    eprintln!("{checked} operands of conditions cannot be dropped");
    assert!(checked >= 10 || is_partial(), "only {checked} operands were checked");
}

#[test]
fn loop_free_pairs_mirrored() {
    let chosen = |case: &Case| case.loop_free && case.is_symmetric() && case.is_in_part(16);
    judge(run_all(&[Run::Mirrored], chosen), "pairs", false);
}

#[test]
fn versions_against_themselves() {
    let chosen = |case: &Case| case.loop_free && case.is_in_part(19);
    judge(run_all(&[Run::OldItself, Run::NewItself], chosen), "itself", false);
}

#[test]
fn difference_summaries_are_exact() {
    // The pairs of paper 003 and our own: every verdict, and every difference with its exact condition.
    let chosen = |case: &Case| {
        let topic = case.name.split('/').next();
        matches!(topic, Some("moddiff")) || matches!(topic, Some("difference")) && !case.loop_free
    };
    judge(run_all(&[Run::Plain], chosen), "pairs", false);
}

#[test]
fn loops_and_recursion_are_never_wrong() {
    // What is not proved yet is no failure here; a wrong verdict is.
    // Mirrored and against themselves with `cargo xtask corpus` only.
    let all = std::env::var_os("VERDIFF_CORPUS_ALL").is_some();
    let runs = [Run::Plain, Run::Mirrored, Run::OldItself, Run::NewItself];
    let runs = if all { &runs[..] } else { &runs[..1] };
    let chosen = |case: &Case| {
        // Those take all the time that they are given: `cargo xtask bench limits`.
        let is_long = case.name.starts_with("limits/") && !all;
        !case.loop_free && case.is_symmetric() && case.is_in_part(11) && !is_long
    };
    let found = run_all(runs, chosen);
    judge(found.into_iter().filter(|f| !f.undecided).collect(), "pairs", false);
}

#[test]
#[ignore = "long: cargo xtask corpus"]
fn loops_and_recursion_are_decided() {
    let chosen = |case: &Case| {
        let topic = case.name.split('/').next();
        let topics = ["boundary", "clients", "loops", "recursion", "termination"];
        topic.is_some_and(|topic| topics.contains(&topic)) && !case.loop_free
    };
    judge(run_all_within(&[Run::Plain], chosen, Some("20")), "loops", true);
}
