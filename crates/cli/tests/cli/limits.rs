//! A phase that hangs costs what it would have found out, and not the run: limits of time are kept by everything, not only
//! by engines.

#![cfg(debug_assertions)] // Release builds cannot be told to hang.

use crate::support::{Folder, Run, command, pair, verdict};
use serde_json::Value;
use std::process::Stdio;
use std::time::{Duration, Instant};

const OLD: &str = "\
int slow(int x) { return x * 3; }
int equal(int x) { return x * 5; }
int other(int x) { return x > 3; }
int third(int x) { return x < 3; }
";
const NEW: &str = "\
int slow(int x) { return x + x + x; }
int equal(int x) { return x + 4 * x; }
int other(int x) { return x > 4; }
int third(int x) { return x < 4; }
";

/// Runs with something that hangs. It must return by itself: a test is no place to measure, but one that waits for ever
/// tells nothing.
fn returns(variable: &str, order: &str, options: &[&str]) -> Run {
    let folder = Folder::versions(OLD, NEW);
    let mut child = command(&folder.path("."))
        .env(variable, order)
        .args([&["old.c", "new.c", "--format", "json"], options].concat())
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let start = Instant::now();
    while child.try_wait().unwrap().is_none() {
        if start.elapsed() > Duration::from_secs(120) {
            let _ = child.kill();
            panic!("{order} keeps the run from ending");
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    Run::of(&child.wait_with_output().unwrap())
}

/// The report of a run in which a phase hangs, and its exit code.
fn report(phase: &str, options: &[&str]) -> (Option<i32>, Value) {
    let run = returns("VERDIFF_TEST_PHASE", phase, options);
    assert_eq!(run.stderr, "", "{run:#?}");
    (run.code, serde_json::from_str(&run.stdout).unwrap())
}

/// Where a clock had a part in it, decided or not, the report says so; and nowhere else.
#[track_caller]
fn not_reproducible(report: &Value, functions: &[&str]) {
    let note = "not reproducible: a limit on time or memory was reached, so another run may find more or less";
    for function in ["slow", "equal", "other", "third"] {
        let (expected, pair) = (functions.contains(&function), pair(report, function));
        assert_eq!(pair["reproducible"] == false, expected, "{function}: {report:#}");
        let notes = pair["notes"].as_array().unwrap();
        assert_eq!(notes.contains(&note.into()), expected, "{function}: {report:#}");
    }
}

#[test]
fn replay_that_hangs_costs_its_pair() {
    let (code, report) = report("replay:other", &["--timeout", "3"]);
    assert_eq!(verdict(&report, "other"), "unknown(time)", "{report:#}");
    not_reproducible(&report, &["other"]);
    // Replay begins afresh with the next one.
    assert_eq!(verdict(&report, "third"), "different", "{report:#}");
    assert_eq!(verdict(&report, "equal"), "equivalent");
    assert_eq!(code, Some(1));
}

#[test]
fn compiling_that_hangs_is_ended_by_the_budget() {
    let (code, report) = report("prepare:", &["--budget", "6"]);
    assert_eq!(verdict(&report, "other"), "unknown(time)", "{report:#}");
    assert_eq!(verdict(&report, "third"), "unknown(time)", "{report:#}");
    assert_eq!(verdict(&report, "equal"), "equivalent");
    not_reproducible(&report, &["other", "third"]);
    assert_eq!((code, &report["interrupted"]), (Some(3), &Value::Bool(true)));
}

#[test]
fn a_condition_that_is_not_worded_in_time_is_there_for_scripts() {
    let (code, report) = report("word:other", &["--timeout", "3"]);
    assert_eq!(verdict(&report, "other"), "different", "{report:#}");
    let condition = &pair(&report, "other")["differ_under"];
    assert_eq!(condition["c"], Value::Null, "{report:#}");
    assert!(condition["smt"].as_str().is_some_and(|smt| smt.contains("x")), "{report:#}");
    not_reproducible(&report, &["other"]);
    // The others are worded.
    assert_eq!(pair(&report, "third")["differ_under"]["c"], "x == 3", "{report:#}");
    assert_eq!(code, Some(1));
}

#[test]
fn a_check_of_what_was_confirmed_that_hangs_leaves_the_difference() {
    let (code, report) = report("grow:other", &["--timeout", "3"]);
    assert_eq!(verdict(&report, "other"), "different", "{report:#}");
    assert_ne!(pair(&report, "other")["differ_under"]["c"], "x == 4", "{report:#}");
    not_reproducible(&report, &["other"]);
    assert_eq!(pair(&report, "third")["differ_under"]["c"], "x == 3", "{report:#}");
    assert_eq!(verdict(&report, "third"), "different", "{report:#}");
    assert_eq!(code, Some(1));
}

#[test]
fn loading_that_hangs_is_ended_by_the_budget() {
    let run = returns("VERDIFF_TEST_PHASE", "load:", &["--budget", "1"]);
    assert_eq!((run.code, run.stdout.as_str()), (Some(2), ""), "{run:#?}");
    let said = "--budget: the time limit was reached before both versions were loaded";
    assert!(run.stderr.contains(said), "{run:#?}");
}

#[test]
fn a_worker_that_hangs_leaves_time_for_replay() {
    let options = ["--timeout", "300", "--budget", "12", "--jobs", "2"];
    let run = returns("VERDIFF_TEST_WORKER", "hang:slow", &options);
    let report: Value = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!(verdict(&report, "slow"), "unknown(time)", "{report:#}");
    assert_eq!(verdict(&report, "other"), "different", "{report:#}");
    assert_eq!(run.code, Some(1), "{run:#?}");
}

/// The shapes that once took ten times their limit. `cargo xtask bench limits` measures how well limits are kept on an idle
/// machine; here other tests run beside it.
#[test]
fn loops_over_floats_and_a_library_that_calls_back_end_in_time() {
    const BUSY: Duration = Duration::from_secs(5);
    let (timeout, budget) = (Duration::from_secs(2), Duration::from_secs(8));
    for case in ["elliptic_integrals", "table_library"] {
        let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus/limits");
        let start = Instant::now();
        let output = command(&folder.join(case))
            .args(["old.c", "new.c", "--format", "json", "--jobs", "1"])
            .args(["--timeout", "2", "--budget", "8"])
            .output()
            .unwrap();
        let took = start.elapsed();
        let report: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert!(took < budget + Duration::from_secs(3) + BUSY, "{case} took {took:?}");
        for pair in report["pairs"].as_array().unwrap() {
            let took = Duration::from_secs_f64(pair["ms"].as_f64().unwrap() / 1000.0);
            let most = timeout + Duration::from_secs(1) + BUSY;
            assert!(took < most, "{case}: {} took {took:?}", pair["function"]);
        }
    }
}

/// What takes long to load takes long to compile, too: the limit for that is no fixed number of seconds. (It was 10 s, and no
/// difference of a large library was confirmed on a busy machine.)
#[cfg(unix)]
#[test]
fn versions_that_take_long_to_load_have_longer_to_be_compiled_for_replay() {
    use std::os::unix::fs::PermissionsExt;
    // With assembly it is clang that makes the object file, from bitcode.
    let version = |n: u32| {
        format!(
            "void pause(void) {{ __asm__ volatile(\"pause\"); }}\nint f(int x) {{ return x + {n}; }}\n"
        )
    };
    let script = "#!/bin/sh\ncase \"$*\" in\n--version) ;;\n*'-x ir'*) echo >> slow; sleep 12 ;;\n\
                  *-emit-llvm*) sleep 3 ;;\nesac\nexec clang-19 \"$@\"\n";
    let folder = Folder::with(&[("old.c", &version(1)), ("new.c", &version(2)), ("clang", script)]);
    let executable = std::fs::Permissions::from_mode(0o755);
    std::fs::set_permissions(folder.path("clang"), executable).unwrap();
    let output = command(&folder.path("."))
        .env("VERDIFF_CLANG", folder.path("clang"))
        .args(["old.c", "new.c", "--format", "json"])
        .output()
        .unwrap();
    let run = Run::of(&output);
    let report: Value =
        serde_json::from_str(&run.stdout).unwrap_or_else(|e| panic!("{e}: {run:#?}"));
    assert_eq!(verdict(&report, "f"), "different", "{report:#}");
    assert_eq!(pair(&report, "f")["witness"]["replay"], "confirmed", "{report:#}");
    let slow = std::fs::read_to_string(folder.path("slow")).unwrap_or_default();
    assert_eq!(slow.lines().count(), 2, "each version once");
}
