//! Reports do not depend on what else the machine does, nor on how many workers there are, nor on the order in which pairs are judged:
//! effort is counted (docs/internals/effort.md), the clock is only an outer limit, which these runs have far away.
//!
//! A test binary of its own, since it keeps all cores busy: cargo runs one binary after the other.

use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// Threads that do nothing but keep the cores busy.
const BUSY: usize = 2;

/// How a pair is run.
#[derive(Clone, Copy)]
struct Way {
    jobs: &'static str,
    /// The order in which pairs are judged, if it is not the usual one.
    order: Option<&'static str>,
}

fn report(case: &Path, way: Way) -> Value {
    let mut command = Command::new(env!("CARGO_BIN_EXE_verdiff"));
    // What an earlier run has found would be the same, of course.
    command
        .env("VERDIFF_CACHE", "")
        .args(["old.c", "new.c"].map(|file| case.join(file)))
        .args(["--format", "json", "--no-progress", "--jobs", way.jobs])
        .args(["--effort", "0.7", "--timeout", "600"])
        .args(flags(case));
    if let Some(order) = way.order {
        command.env("VERDIFF_TEST_ORDER", order);
    }
    let output = command.output().unwrap();
    let mut report: Value = serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|error| panic!("{}: {error}: {output:?}", case.display()));
    forget_times(&mut report);
    // Another version of the solver may take other steps.
    let solver = report["tool"]["solver"].as_str().unwrap_or_default();
    assert!(solver.starts_with("z3 ") && solver.contains('.'), "{solver}");
    report
}

/// What the case is about, where that needs an option.
fn flags(case: &Path) -> Vec<String> {
    let label: toml::Table =
        toml::from_str(&std::fs::read_to_string(case.join("case.toml")).unwrap()).unwrap();
    let options = label.get("options").and_then(|o| o.as_table()).cloned().unwrap_or_default();
    let mut flags = vec![];
    for (key, value) in options {
        let flag = format!("--{}", key.replace('_', "-"));
        match value {
            toml::Value::Boolean(true) => flags.push(flag),
            toml::Value::String(text) => flags.extend([flag, text]),
            toml::Value::Array(all) => {
                flags.extend(
                    all.iter().flat_map(|v| [flag.clone(), v.as_str().unwrap().to_owned()]),
                );
            }
            other => panic!("{key} = {other}"),
        }
    }
    flags
}

fn forget_times(value: &mut Value) {
    match value {
        Value::Object(fields) => {
            fields.retain(|name, _| !matches!(name.as_str(), "ms" | "jobs"));
            fields.values_mut().for_each(forget_times);
        }
        Value::Array(all) => all.iter_mut().for_each(forget_times),
        _ => {}
    }
}

/// The cases of each topic.
fn topics() -> Vec<Vec<PathBuf>> {
    let sorted = |folder: &Path| {
        let mut all: Vec<PathBuf> =
            std::fs::read_dir(folder).into_iter().flatten().map(|e| e.unwrap().path()).collect();
        all.sort();
        all
    };
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus");
    // The cases of `limits` are there to reach the limits of time and memory.
    let topics = sorted(&root).into_iter().filter(|topic| !topic.ends_with("limits"));
    let is_case = |case: &PathBuf| case.join("case.toml").is_file();
    topics.map(|topic| sorted(&topic).into_iter().filter(is_case).collect()).collect()
}

/// Whether everything is run (`cargo xtask soak`).
fn everything() -> bool {
    std::env::var_os("VERDIFF_CORPUS_ALL").is_some()
}

/// One case of every second topic; two of each, or all there are, in a long run.
fn cases() -> Vec<PathBuf> {
    let mut cases = vec![];
    for all in topics().into_iter().step_by(if everything() { 1 } else { 2 }) {
        let Some(middle) = all.get(all.len() / 2) else { continue };
        cases.push(middle.clone());
        cases.extend((all.len() > 1 && everything()).then(|| all[0].clone()));
    }
    cases
}

/// Cases with several functions, so that there are several orders.
fn cases_with_several_pairs() -> Vec<PathBuf> {
    let several = |case: &PathBuf| {
        let label = std::fs::read_to_string(case.join("case.toml")).unwrap();
        label.matches("[[function]]").count() >= 3
    };
    let step = if everything() { 2 } else { 9 };
    topics().into_iter().flatten().filter(several).step_by(step).collect()
}

/// The reports of all cases, several at a time.
fn reports(cases: &[PathBuf], way: Way) -> Vec<Value> {
    let next = AtomicUsize::new(0);
    let found = std::sync::Mutex::new(vec![None; cases.len()]);
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                while let Some((at, case)) = {
                    let at = next.fetch_add(1, Ordering::Relaxed);
                    cases.get(at).map(|case| (at, case))
                } {
                    let report = report(case, way);
                    found.lock().unwrap()[at] = Some(report);
                }
            });
        }
    });
    found.into_inner().unwrap().into_iter().map(|report| report.unwrap()).collect()
}

/// Runs something beside threads that keep the machine busy.
fn beside_busy_loops<T>(work: impl FnOnce() -> T) -> T {
    let stop = AtomicBool::new(false);
    std::thread::scope(|scope| {
        for _ in 0..BUSY {
            scope.spawn(|| {
                let mut number = 1u64;
                while !stop.load(Ordering::Relaxed) {
                    number = std::hint::black_box(number.wrapping_mul(3));
                }
            });
        }
        let result = work();
        stop.store(true, Ordering::Relaxed);
        result
    })
}

#[track_caller]
fn same(cases: &[PathBuf], left: &[Value], right: &[Value], what: &str) {
    for ((case, left), right) in cases.iter().zip(left).zip(right) {
        let text = |report: &Value| serde_json::to_string_pretty(report).unwrap();
        assert_eq!(text(left), text(right), "{}: {what}", case.display());
    }
}

#[test]
fn reports_do_not_depend_on_load_or_workers() {
    let cases = cases();
    assert!(cases.len() >= if everything() { 40 } else { 15 }, "only {} cases", cases.len());
    let idle = reports(&cases, Way { jobs: "1", order: None });
    let unstable = |report: &&Value| {
        report["pairs"].as_array().unwrap().iter().any(|pair| pair["reproducible"] == false)
    };
    assert_eq!(idle.iter().filter(unstable).count(), 0, "a clock expired, far away as it is");
    let busy = beside_busy_loops(|| reports(&cases, Way { jobs: "2", order: None }));
    same(&cases, &idle, &busy, "idle with one worker, busy with two");
}

/// Several workers then get other pairs than in the usual order, and each worker other pairs before them.
#[test]
fn reports_do_not_depend_on_the_order_of_jobs() {
    let cases = cases_with_several_pairs();
    assert!(cases.len() >= if everything() { 15 } else { 5 }, "only {} cases", cases.len());
    let usual = reports(&cases, Way { jobs: "1", order: None });
    let orders = ["reverse", "1", "2"];
    for order in &orders[..if everything() { 3 } else { 2 }] {
        let turned = reports(&cases, Way { jobs: "2", order: Some(*order) });
        same(&cases, &usual, &turned, &format!("by importance, and in the order {order}"));
    }
}
