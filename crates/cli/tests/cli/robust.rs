//! A worker that crashes, hangs or runs out of memory costs its pair only.

#![cfg(debug_assertions)] // Release builds cannot be told to fail.

use crate::support::{Folder, Run, command, pair, verdict};
use serde_json::Value;
use std::process::Stdio;
use std::time::{Duration, Instant};

const OLD: &str = "\
int bad(int x) { return x * 3; }
int equal(int x) { return x * 5; }
int other(int x) { return x > 3; }
";
const NEW: &str = "\
int bad(int x) { return x + x + x; }
int equal(int x) { return x + 4 * x; }
int other(int x) { return x > 4; }
";

/// Compares with a worker that fails on `bad`.
fn with_bad_worker(deed: &str, options: &[&str]) -> (Option<i32>, Value) {
    let folder = Folder::versions(OLD, NEW);
    let output = command(&folder.path("."))
        .env("VERDIFF_TEST_WORKER", format!("{deed}:bad"))
        .args([&["old.c", "new.c", "--format", "json"], options].concat())
        .output()
        .unwrap();
    let run = Run::of(&output);
    assert_eq!(run.stderr, "", "no word of it reaches the user: {run:#?}");
    (run.code, serde_json::from_str(&run.stdout).unwrap())
}

#[track_caller]
fn costs_its_pair_only(deed: &str, options: &[&str], said: &str) -> Value {
    let (code, report) = with_bad_worker(deed, options);
    assert_eq!(verdict(&report, "bad"), said, "{report:#}");
    assert_eq!(verdict(&report, "equal"), "equivalent");
    assert_eq!(verdict(&report, "other"), "different");
    assert_eq!(code, Some(1));
    report
}

#[test]
fn a_crash() {
    let report = costs_its_pair_only("crash", &[], "unknown(internal)");
    let detail = pair(&report, "bad")["reason"]["detail"].as_str().unwrap();
    assert!(detail.contains("signal: 6"), "{detail}");
    // With a single worker the next pair needs a new one.
    costs_its_pair_only("crash", &["--jobs", "1"], "unknown(internal)");
}

#[test]
fn a_panic() {
    let report = costs_its_pair_only("panic", &[], "unknown(internal)");
    let detail = pair(&report, "bad")["reason"]["detail"].as_str().unwrap();
    assert!(detail.contains("injected fault"), "{detail}");
}

#[test]
fn a_hang() {
    let start = Instant::now();
    costs_its_pair_only("hang", &["--timeout", "1", "--jobs", "1"], "unknown(time)");
    assert!(start.elapsed() < Duration::from_secs(25), "{:?}", start.elapsed());
}

#[test]
fn too_much_memory() {
    costs_its_pair_only("memory", &["--memory", "1024"], "unknown(memory)");
}

#[test]
fn without_another_difference_it_is_undecided() {
    let (code, _) = with_bad_worker("crash", &["--entry", "bad", "--entry", "equal"]);
    assert_eq!(code, Some(3));
}

#[test]
fn a_caller_of_what_is_lost_is_still_looked_at() {
    let client = "int client(int x) { return bad(x) > 7; }\n";
    let folder = Folder::versions(&(OLD.to_owned() + client), &(NEW.to_owned() + client));
    let output = command(&folder.path("."))
        .env("VERDIFF_TEST_WORKER", "crash:bad")
        .args(["old.c", "new.c", "--format", "json", "--entry", "client"])
        .output()
        .unwrap();
    let run = Run::of(&output);
    let report: Value = serde_json::from_str(&run.stdout).unwrap();
    assert_ne!(verdict(&report, "client"), "different", "{report:#}");
    assert_ne!(verdict(&report, "client"), "unknown(internal)", "{report:#}");
}

#[test]
fn readers_that_go_away_are_no_error() {
    let folder = Folder::versions(OLD, NEW);
    let mut child = command(&folder.path("."))
        .args(["old.c", "new.c", "-o", "r.json"])
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let run = Run::of(&child.wait_with_output().unwrap());
    // The verdict is as true as ever, and the file has the report.
    assert_eq!((run.code, run.stderr.as_str()), (Some(1), ""), "{run:#?}");
    assert!(folder.path("r.json").exists());
}

/// A byte just before a stored value, in memory of bytes, at addresses whose distance alone is a constant: adding the size of the read to that
/// distance, which is near the largest number, was an overflow. (The shape of zlib's `slide_hash`.)
#[test]
fn a_read_just_before_a_stored_value_does_not_overflow() {
    let old = "void slide(unsigned short *p, unsigned char *w, unsigned n, unsigned size) {
    unsigned m;
    w[0] = 0;
    p = &p[n];
    do {
        m = *--p;
        *p = (unsigned short)(m >= size ? m - size : 0);
    } while (--n);
}
";
    let new = old.replace("w[0] = 0", "w[0] = 1");
    let (code, report) =
        Folder::versions(old, &new).compare(&["--effort", "1", "--timeout", "100"]);
    assert_eq!((code, verdict(&report, "slide")), (1, "different".to_owned()), "{report:#}");
}
