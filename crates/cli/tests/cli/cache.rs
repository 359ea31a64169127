//! What is kept from one run to the next, and what must not be.

use crate::support::{Folder, Run, command, pair, verdict};
use serde_json::Value;
use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;

/// The option that has a folder's runs share a cache.
const CACHE: [&str; 2] = ["--cache", "cache"];

/// One that is proved, and a difference that is found.
const OLD: &str = "\
int sum(int a, int b) { return (a & b) + (a | b); }
int limit(int x) { return x > 9 ? 9 : x; }
";
const NEW: &str = "\
int sum(int a, int b) { return a + b; }
int limit(int x) { return x > 9 ? 8 : x; }
";

/// A report without what differs between two runs.
pub(crate) fn plain(mut report: Value) -> Value {
    for pair in report["pairs"].as_array_mut().unwrap() {
        pair["ms"] = Value::Null;
        pair["cached"] = Value::Null;
        for engine in pair["engines"].as_array_mut().unwrap() {
            engine["ms"] = Value::Null;
        }
    }
    report
}

/// Compares with the folder's cache; gives the report, and which functions were judged in an earlier run.
#[track_caller]
pub(crate) fn cached(folder: &Folder, options: &[&str]) -> (Value, Vec<String>) {
    let (_, report) = folder.compare(&[&CACHE, options].concat());
    let pairs = report["pairs"].as_array().unwrap().iter();
    let known = pairs.filter(|pair| pair["cached"] == true);
    let known = known.map(|pair| pair["function"].as_str().unwrap().to_owned()).collect();
    (report, known)
}

/// The files of all entries.
pub(crate) fn entries(folder: &Folder) -> Vec<PathBuf> {
    let list = |path: PathBuf| -> Vec<PathBuf> {
        std::fs::read_dir(path).into_iter().flatten().flatten().map(|e| e.path()).collect()
    };
    list(folder.path("cache/entries")).into_iter().flat_map(list).collect()
}

/// The program, with the folder's cache.
fn with_cache(folder: &Folder) -> Command {
    let mut command = command(&folder.path(""));
    command.args(["old.c", "new.c", "--format", "json"]).args(CACHE);
    command
}

#[test]
fn a_second_run_says_the_same_and_judges_nothing() {
    let folder = Folder::versions(OLD, NEW);
    let (first, known) = cached(&folder, &[]);
    assert!(known.is_empty(), "{known:?}");
    assert_eq!(verdict(&first, "sum"), "equivalent");
    assert_eq!(pair(&first, "limit")["witness"]["replay"], "confirmed");
    let (second, known) = cached(&folder, &[]);
    assert_eq!(known, ["sum", "limit"]);
    assert_eq!(plain(first.clone()), plain(second));
    // As it is without a cache.
    let (_, without) = folder.compare(&["--no-cache"]);
    assert_eq!(plain(first), plain(without));
    let stat = folder.run(&["cache", "stat", "--cache", "cache"]).ok();
    assert!(stat.starts_with("cache\n") && stat.contains(" entries, "), "{stat}");
    let verified = folder.run(&["cache", "verify", "--cache", "cache"]).ok();
    assert!(verified.ends_with(" entries intact, 0 damaged and removed\n"), "{verified}");
    folder.run(&["cache", "clear", "--cache", "cache"]).ok();
    assert_eq!(cached(&folder, &[]).1, Vec::<String>::new());
}

/// What an earlier run knows of one function of a recursive group was part of the question about the next one, which was another question than
/// in the first run: it was judged again, and with more than a run without a cache knows.
#[test]
fn functions_that_call_each_other_are_all_known_in_a_second_run() {
    let old = "int odd(int n);\n\
        int even(int n) { if (n <= 0) return 1; return odd(n - 1); }\n\
        int odd(int n) { if (n <= 0) return 0; return even(n - 1); }\n";
    let new = old.replace("return odd(n - 1)", "int r = odd(n - 1); return r + 0 * n");
    let new = new.replace("return 0; return even", "return 3; return even");
    let folder = Folder::versions(old, &new);
    let options = ["--effort", "1", "--timeout", "300"];
    let (first, known) = cached(&folder, &options);
    assert!(known.is_empty(), "{first:#}");
    let (second, mut known) = cached(&folder, &options);
    known.sort();
    assert_eq!(known, ["even", "odd"], "{second:#}");
    assert_eq!(plain(second), plain(first));
}

#[test]
fn each_part_of_the_key_changed_alone_is_a_miss() {
    let folder = Folder::versions(OLD, NEW);
    cached(&folder, &[]);
    let options: [&[&str]; 9] = [
        &["--ignore-line-numbers"],
        &["--timeout", "9"],
        &["--effort", "7"],
        &["--seed", "2"],
        &["--criterion", "full"],
        &["--ignore-termination"],
        &["--overflow", "ub"],
        &["--no-alias"],
        &["--assume", "limit:x < 100"],
    ];
    for option in options {
        assert_eq!(cached(&folder, option).1, Vec::<String>::new(), "{option:?}");
        assert_eq!(cached(&folder, option).1, ["sum", "limit"], "{option:?}");
    }
    // What only says how it is reported, or how long all of it may take, changes nothing.
    for option in [&["--jobs", "1"][..], &["--budget", "100"], &["--memory", "1500"], &["-v"]] {
        assert_eq!(cached(&folder, option).1, ["sum", "limit"], "{option:?}");
    }
    // Another version of either side.
    for (file, text) in [("old.c", OLD.replace("? 9", "? 7")), ("new.c", NEW.to_owned() + "int g;")]
    {
        std::fs::write(folder.path(file), text).unwrap();
        assert_eq!(cached(&folder, &[]).1, Vec::<String>::new(), "{file}");
    }
}

/// Keys that look right and are wrong: what a judgement rests on is more than the two functions and the judgements of their callees.
#[test]
fn what_a_judgement_rests_on_is_in_its_key() {
    let cases = [
        // An unchanged callee that is inlined becomes another one in both versions.
        (
            [
                "int g(int x) { return x & 1; }\nint f(int x) { return g(x) < 2; }\n",
                "int g(int x) { return x & 1; }\nint f(int x) { return 1; }\n",
            ],
            ("x & 1", "x & 3"),
            ["equivalent", "different"],
        ),
        // Somebody gets hold of the address of a static variable.
        (
            [
                "static int n;\nint f(int *p) { n = 1; *p = 2; return n; }\n",
                "static int n;\nint f(int *p) { n = 1; *p = 2; return 1; }\n",
            ],
            ("static int n;\n", "static int n;\nint *address(void) { return &n; }\n"),
            ["equivalent", "different"],
        ),
        // Parameters that must not overlap may do so.
        (
            [
                "int f(int *restrict p, int *restrict q) { *p = 1; *q = 2; return *p; }\n",
                "int f(int *restrict p, int *restrict q) { *p = 1; *q = 2; return 1; }\n",
            ],
            ("int *restrict p, int *restrict q", "int *p, int *q"),
            ["equivalent", "different"],
        ),
        // Parameters change places.
        (
            [
                "int f(int a, int b) { return a / 3; }\n",
                "int f(int a, int b) { return a / 3 + (b == 7); }\n",
            ],
            ("int a, int b", "int b, int a"),
            ["different", "different"],
        ),
    ];
    for ([old, new], (from, to), expected) in cases {
        let folder = Folder::versions(old, new);
        let (before, _) = cached(&folder, &[]);
        assert_eq!(verdict(&before, "f"), expected[0], "{old}");
        std::fs::write(folder.path("old.c"), old.replace(from, to)).unwrap();
        std::fs::write(folder.path("new.c"), new.replace(from, to)).unwrap();
        let (after, known) = cached(&folder, &[]);
        assert_eq!((verdict(&after, "f").as_str(), known.len()), (expected[1], 0), "{old}");
        assert_eq!(plain(after), plain(folder.compare(&[]).1), "{old}");
        assert_eq!(cached(&folder, &[]).1, ["f"]);
    }
}

#[test]
fn what_clang_has_read_is_in_the_key_of_bitcode() {
    let text = |sum: &str| {
        format!(
            "#include \"size.h\"\n#if __has_include(\"extra.h\")\n#include \"extra.h\"\n#else\n#define EXTRA 0\n#endif\n#ifndef SHIFT\n#define SHIFT 0\n#endif\nint f(int x) {{ return {sum}; }}\n"
        )
    };
    let folder = Folder::with(&[
        ("old.c", &text("x + SIZE + EXTRA + SHIFT")),
        ("new.c", &text("x + 4")),
        ("late/size.h", "#define SIZE 4\n"),
        ("early/other.h", ""),
    ]);
    let run = |flags: &[&str]| {
        let all = [
            &["old.c", "new.c", "--format", "json"][..],
            &CACHE,
            &["--", "-Iearly", "-Ilate"],
            flags,
        ];
        let run = folder.run(&all.concat());
        let report: Value =
            serde_json::from_str(&run.stdout).unwrap_or_else(|_| panic!("{run:#?}"));
        verdict(&report, "f")
    };
    assert_eq!(run(&[]), "equivalent");
    // Nothing new is compiled or judged.
    let before = entries(&folder).len();
    assert_eq!((run(&[]).as_str(), entries(&folder).len()), ("equivalent", before));
    // A header that was read.
    std::fs::write(folder.path("late/size.h"), "#define SIZE 5\n").unwrap();
    assert_eq!(run(&[]), "different");
    std::fs::write(folder.path("late/size.h"), "#define SIZE 4\n").unwrap();
    assert_eq!(run(&[]), "equivalent");
    // One that would be found before it.
    std::fs::write(folder.path("early/size.h"), "#define SIZE 6\n").unwrap();
    assert_eq!(run(&[]), "different");
    std::fs::remove_file(folder.path("early/size.h")).unwrap();
    assert_eq!(run(&[]), "equivalent");
    // One that is asked for.
    std::fs::write(folder.path("late/extra.h"), "#define EXTRA 1\n").unwrap();
    assert_eq!(run(&[]), "different");
    std::fs::remove_file(folder.path("late/extra.h")).unwrap();
    assert_eq!(run(&[]), "equivalent");
    // A flag.
    assert_eq!((run(&["-DSHIFT=1"]).as_str(), run(&[]).as_str()), ("different", "equivalent"));
}

#[test]
fn warnings_are_there_the_second_time_too() {
    let folder = Folder::versions(
        "int f(int x) { return x; }\n#warning careful\n",
        "int f(int x) { return x + 0; }\n",
    );
    let runs = [0, 1].map(|_| folder.run(&[&["old.c", "new.c"][..], &CACHE].concat()));
    assert!(runs[0].stderr.contains("careful"), "{runs:#?}");
    assert_eq!(runs[0].stderr, runs[1].stderr);
}

#[test]
fn what_the_clock_or_a_fault_had_a_part_in_is_not_kept() {
    for deed in ["crash", "panic", "memory", "hang"] {
        let folder = Folder::versions(OLD, NEW);
        let sabotaged = || {
            let mut command = with_cache(&folder);
            command.env("VERDIFF_TEST_WORKER", format!("{deed}:sum")).args(["--timeout", "1.5"]);
            let run = Run::of(&command.output().unwrap());
            let report: Value =
                serde_json::from_str(&run.stdout).unwrap_or_else(|_| panic!("{run:#?}"));
            report
        };
        let report = sabotaged();
        assert_eq!(pair(&report, "sum")["verdict"], "unknown", "{deed}");
        let (report, known) = cached(&folder, &["--timeout", "1.5"]);
        assert!(!known.contains(&"sum".to_owned()), "{deed}: {known:?}");
        assert_eq!(verdict(&report, "sum"), "equivalent", "{deed}");
        // What is known needs no worker.
        let report = sabotaged();
        assert_eq!(verdict(&report, "sum"), "equivalent", "{deed}");
    }
}

#[test]
fn a_damaged_cache_costs_nothing_but_time() {
    let folder = Folder::versions(OLD, NEW);
    let (first, _) = cached(&folder, &[]);
    for damage in [&b""[..], b"nonsense", &[0xff; 300]] {
        for path in entries(&folder) {
            std::fs::write(path, damage).unwrap();
        }
        let (report, known) = cached(&folder, &[]);
        assert_eq!((plain(report), known.len()), (plain(first.clone()), 0));
        assert_eq!(cached(&folder, &[]).1.len(), 2, "it is repaired");
    }
    std::fs::write(entries(&folder).pop().unwrap(), "damaged").unwrap();
    let verified = folder.run(&["cache", "verify", "--cache", "cache"]);
    assert_eq!(verified.code, Some(1), "{verified:#?}");
    assert!(verified.stdout.contains(" 1 damaged"), "{verified:#?}");
    // No folder can be made there.
    std::fs::write(folder.path("file"), "").unwrap();
    let (_, report) = folder.compare(&["--cache", "file"]);
    assert_eq!(plain(report), plain(first));
}

#[test]
fn runs_at_once_and_killed_ones_leave_a_cache_that_is_intact() {
    let folder = Folder::versions(OLD, NEW);
    let mut runs: Vec<_> = (0..3)
        .map(|_| with_cache(&folder).stdout(std::process::Stdio::piped()).spawn().unwrap())
        .collect();
    let mut killed = with_cache(&folder).stdout(std::process::Stdio::null()).spawn().unwrap();
    let mut interrupted = with_cache(&folder).stdout(std::process::Stdio::null()).spawn().unwrap();
    std::thread::sleep(Duration::from_millis(150));
    killed.kill().unwrap();
    killed.wait().unwrap();
    // It may have ended before.
    let _ =
        std::process::Command::new("kill").args(["-INT", &interrupted.id().to_string()]).output();
    interrupted.wait().unwrap();
    let mut reports = vec![];
    for run in runs.drain(..) {
        let output = run.wait_with_output().unwrap();
        reports.push(plain(serde_json::from_slice(&output.stdout).unwrap()));
    }
    assert!(reports.windows(2).all(|two| two[0] == two[1]), "{reports:#?}");
    folder.run(&["cache", "verify", "--cache", "cache"]).ok();
    assert_eq!(cached(&folder, &[]).1, ["sum", "limit"]);
}

#[test]
fn a_shared_cache_is_read_and_not_written() {
    let folder = Folder::versions(OLD, NEW);
    cached(&folder, &[]);
    let held = entries(&folder).len();
    let shared = ["--cache", "own", "--cache-from", "cache"];
    let (_, report) = folder.compare(&shared);
    assert_eq!(pair(&report, "sum")["cached"], true);
    std::fs::write(folder.path("new.c"), NEW.replace("? 8", "? 5")).unwrap();
    let (_, report) = folder.compare(&shared);
    assert_eq!(pair(&report, "sum")["cached"], false);
    assert_eq!(entries(&folder).len(), held);
    let run = folder.run(&["old.c", "new.c", "--cache-from", "nowhere"]);
    assert_eq!(run.code, Some(2));
    assert!(run.stderr.contains("--cache-from: nowhere is not a folder"), "{run:#?}");
}

#[test]
fn differences_are_run_again_unless_told_otherwise() {
    let folder = Folder::versions(OLD, NEW);
    let (first, _) = cached(&folder, &[]);
    // Nothing can be replayed.
    let broken = |options: &[&str]| {
        let mut command = with_cache(&folder);
        command.args(options).env("VERDIFF_TEST_PHASE", "replay:limit").args(["--timeout", "2"]);
        serde_json::from_slice::<Value>(&command.output().unwrap().stdout).unwrap()
    };
    cached(&folder, &["--timeout", "2"]);
    assert_eq!(pair(&broken(&[]), "limit")["verdict"], "unknown");
    let trusted = broken(&["--no-replay"]);
    assert_eq!(pair(&trusted, "limit")["witness"], pair(&first, "limit")["witness"]);
}

/// The candidate that is kept is the one that was predicted, though a smaller one was run; and it is kept that nothing can be run where the
/// programs themselves say so. If anything were compiled, nothing would be confirmed.
#[test]
fn nothing_is_compiled_if_known_differences_are_not_run_again() {
    let old = "int total(const int *v, int n) { int t = 0; for (int i = 0; i < n; i++) t += v[i]; return t; }\n\
        int scale(int x) { if (x == 1000) x++; return x + 1; }\n";
    let new = old.replace("t += v[i]", "t += v[i] > 700 ? 700 : v[i]").replace("x + 1", "x + 3");
    let folder = Folder::versions(old, &new);
    let options = ["--effort", "1", "--timeout", "60"];
    let (first, _) = cached(&folder, &options);
    assert_eq!(pair(&first, "total")["witness"]["replay"], "confirmed");
    let mut command = with_cache(&folder);
    command.args(options).args(["--no-replay", "--budget", "30"]);
    command.env("VERDIFF_TEST_PHASE", "prepare:");
    let second = serde_json::from_slice(&command.output().unwrap().stdout).unwrap();
    assert_eq!(plain(first), plain(second));
}

#[test]
fn the_environment_says_where_it_is() {
    let folder = Folder::versions(OLD, NEW);
    let stat = |name: &str, value: &str| {
        let mut command = command(&folder.path(""));
        command.env_remove("VERDIFF_CACHE").env_remove("XDG_CACHE_HOME").env("HOME", "/nowhere");
        Run::of(&command.env(name, value).args(["cache", "stat"]).output().unwrap())
    };
    assert!(stat("VERDIFF_CACHE", "/a/b").stdout.starts_with("/a/b\n"));
    assert!(stat("XDG_CACHE_HOME", "/a/b").stdout.starts_with("/a/b/verdiff\n"));
    assert!(stat("HOME", "/a/b").stdout.starts_with("/a/b/.cache/verdiff\n"));
    assert_eq!(stat("VERDIFF_CACHE", "").code, Some(2));
    assert!(stat("VERDIFF_CACHE_SIZE", "many").stderr.contains("VERDIFF_CACHE_SIZE"));
}
