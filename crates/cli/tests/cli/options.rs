//! The options of the comparison.

use crate::support::{Folder, Run, command, pair, verdict};
use serde_json::{Value, json};
use std::time::{Duration, Instant};

/// Equal, but a solver needs longer than anybody waits.
const HARD: (&str, &str) = (
    "typedef unsigned long long u;\nu hard(u x, u y) { return (x & y) * (x | y) + (x & ~y) * (~x & y); }\nint easy(int x) { return x + x; }\n",
    "typedef unsigned long long u;\nu hard(u x, u y) { return x * y; }\nint easy(int x) { return 2 * x; }\n",
);

#[test]
fn a_pair_that_takes_long_comes_back_near_its_limit() {
    let folder = Folder::versions(HARD.0, HARD.1);
    let start = Instant::now();
    let (code, report) = folder.compare(&["--timeout", "1"]);
    assert_eq!(code, 3, "{report:#}");
    assert_eq!(verdict(&report, "hard"), "unknown(time)");
    assert_eq!(verdict(&report, "easy"), "equivalent");
    let took = pair(&report, "hard")["ms"].as_f64().unwrap();
    assert!((300.0..2000.0).contains(&took), "{took} ms");
    assert!(start.elapsed() < Duration::from_secs(20));
}

#[test]
fn the_budget_of_the_whole_run_limits_a_running_pair() {
    let folder = Folder::versions(HARD.0, HARD.1);
    let (code, report) = folder.compare(&["--timeout", "300", "--budget", "1"]);
    assert_eq!((code, verdict(&report, "hard").as_str()), (3, "unknown(time)"), "{report:#}");
    assert_eq!(verdict(&report, "easy"), "equivalent");
    assert!(pair(&report, "hard")["ms"].as_f64().unwrap() < 3000.0, "{report:#}");
}

#[test]
fn line_numbers_are_ignored_when_told() {
    let text = "#include <assert.h>\nint half(int n) { assert(n >= 0); return n / 2; }\nint line(void) { return __LINE__; }\n";
    let folder = Folder::versions(text, &text.replace(">\n", ">\n\n"));
    let (code, report) = folder.compare(&[]);
    assert_eq!((code, verdict(&report, "line").as_str()), (1, "different"), "{report:#}");
    let (code, report) = folder.compare(&["--ignore-line-numbers"]);
    let verdicts = ["half", "line"].map(|function| verdict(&report, function));
    assert_eq!(
        (code, verdicts),
        (0, ["equivalent", "equivalent"].map(str::to_owned)),
        "{report:#}"
    );
    let assumed = report["assumptions"].as_array().unwrap();
    assert!(assumed.iter().any(|a| a.as_str().unwrap().contains("`__LINE__` is 0")), "{report:#}");
    // Who replays a difference of this report compiles in the same way.
    let flags = report["options"]["clang_flags"].as_array().unwrap();
    assert!(flags.contains(&json!("-D__LINE__=0")), "{report:#}");
}

#[test]
fn a_renamed_function_is_matched_when_told() {
    let folder =
        Folder::versions("int f(int x) { return x * 2; }\n", "int g(int x) { return x + x; }\n");
    let (code, report) = folder.compare(&["--rename", "f=g"]);
    assert_eq!((code, verdict(&report, "f").as_str()), (0, "equivalent"), "{report:#}");
    assert_eq!(pair(&report, "f")["renamed"], "g");
    assert_eq!(report["options"]["rename"], "f=g");
}

#[test]
fn several_files_a_side_are_linked() {
    let client = "int step(int);\nint walk(int x) { return step(x) + 1; }\n";
    let folder = Folder::with(&[
        ("client.c", client),
        ("one.c", "int step(int x) { return x + 1; }\n"),
        ("two.c", "int step(int x) { return x + 2; }\n"),
    ]);
    let run = folder
        .run(&["--old", "client.c", "one.c", "--new", "client.c", "two.c", "--format", "json"]);
    let report: Value = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!(run.code, Some(1), "{run:#?}");
    assert_eq!(report["old"], json!({"files": ["client.c", "one.c"]}));
    let walk = pair(&report, "walk");
    assert_eq!((&walk["verdict"], &walk["changed"]), (&json!("different"), &json!("callees")));
}

#[test]
fn reports_go_to_files_by_their_names() {
    let folder = Folder::versions("int f(int x) { return x; }\n", "int f(int x) { return -x; }\n");
    let run = folder.run(&["old.c", "new.c", "-o", "r.json", "-o", "r.txt", "--color", "always"]);
    assert_eq!(run.code, Some(1), "{run:#?}");
    let read = |name| std::fs::read_to_string(folder.path(name)).unwrap();
    let report: Value = serde_json::from_str(&read("r.json")).unwrap();
    assert_eq!(report["schema"], "verdiff-report/1");
    assert!(run.stdout.contains('\u{1b}'));
    let text = read("r.txt");
    assert!(text.starts_with("f: different (value)  old.c:1, new.c:1\n"), "{text}");
}

#[test]
fn flags_reach_clang() {
    let source = "int f(int x) { return x + STEP; }\n";
    let folder = Folder::versions(source, source);
    let (code, report) = folder.compare(&["--", "-DSTEP=2", "-Wall"]);
    assert_eq!(code, 0);
    assert_eq!(report["options"]["clang_flags"], json!(["-DSTEP=2", "-Wall"]));
}

#[test]
fn overflow_can_be_undefined() {
    let folder = Folder::versions(
        "int more(int x) { return x + 1 > x; }\n",
        "int more(int x) { return 1; }\n",
    );
    let (code, report) = folder.compare(&[]);
    assert_eq!(code, 1, "{report:#}");
    assert_eq!(pair(&report, "more")["witness"]["inputs"]["x"], 2147483647);
    let (code, report) = folder.compare(&["--overflow", "ub"]);
    assert_eq!(code, 0, "{report:#}");
    assert_eq!(pair(&report, "more")["assuming"], json!(["no signed overflow in the old version"]));
}

#[test]
fn an_overflow_of_the_new_version_alone_is_run_again() {
    let folder =
        Folder::versions("int f(int x) { return x; }\n", "int f(int x) { return x + 1 - 1; }\n");
    let (code, _) = folder.compare(&[]);
    assert_eq!(code, 0);
    let run = folder.run(&["old.c", "new.c", "--overflow=ub", "-q", "-o", "r.json"]);
    assert_eq!(run.code, Some(1), "{run:#?}");
    let run = folder.run(&["replay", "r.json"]);
    assert_eq!((run.code, run.stdout.as_str()), (Some(1), "f: confirmed\n"));
    // A test would have to be compiled with checks; none is written.
    let (_, report) = folder.compare(&["--overflow=ub", "--emit-test", "."]);
    let note = pair(&report, "f")["notes"][0].as_str().unwrap().to_owned();
    let why = "only clang's overflow checks show an undefined overflow";
    assert_eq!(note, format!("no C test was written: {why}"));
}

#[test]
fn a_report_says_why_no_test_is_written() {
    let version = |by: i32| {
        format!(
            "#include <stdarg.h>\nint f(int n, ...) {{ va_list l; va_start(l, n); \
             int x = va_arg(l, int); va_end(l); return x + {by}; }}\n"
        )
    };
    let (code, report) = Folder::versions(&version(1), &version(2)).compare(&["--emit-test", "."]);
    assert_eq!(code, 1, "{report:#}");
    let notes = pair(&report, "f")["notes"].as_array().unwrap();
    assert!(notes.contains(&json!("no C test was written: the function is variadic")), "{notes:?}");
}

#[test]
fn overflow_of_what_is_compiled_already_is_not_seen() {
    let folder = Folder::with(&[("old.ll", ""), ("new.ll", "")]);
    let run = folder.run(&["old.ll", "new.ll", "--overflow=ub"]);
    assert_eq!(run.code, Some(2), "{run:#?}");
    assert!(run.stderr.contains("--overflow=ub needs C files"), "{run:#?}");
}

const ACCEPT: &str = "\
[[accept]]
function = \"f\"
kind = \"value\"
why = \"zero is an error now\"
";

#[test]
fn accepted_differences_do_not_count() {
    let folder = Folder::with(&[
        ("old.c", "int f(int x) { return x; }\n"),
        ("new.c", "int f(int x) { return x ? x : -1; }\n"),
        ("wanted.toml", ACCEPT),
        ("trap.toml", &ACCEPT.replace("value", "trap")),
        ("other.toml", &(ACCEPT.to_owned() + "condition = \"x == 1\"\n")),
    ]);
    let (code, report) = folder.compare(&["--accept", "wanted.toml"]);
    let f = pair(&report, "f");
    assert_eq!((code, &f["verdict"], &f["counts"]), (0, &json!("different"), &json!(false)));
    assert_eq!(f["notes"], json!(["accepted: zero is an error now"]));
    for other in ["trap.toml", "other.toml"] {
        let run = folder.run(&["old.c", "new.c", "--accept", other]);
        assert_eq!(run.code, Some(1), "{run:#?}");
        assert_eq!(run.stderr, "warning: --accept: f has no such difference\n");
    }
    // The condition that the report has is the one to accept.
    let condition = f["differ_under"]["c"].as_str().unwrap();
    let exact = format!("{ACCEPT}condition = {condition:?}\n");
    std::fs::write(folder.path("exact.toml"), exact).unwrap();
    assert_eq!(folder.compare(&["--accept", "exact.toml"]).0, 0);
}

#[test]
fn tests_that_are_written_pass_on_one_version_only() {
    let folder = Folder::versions(
        "static int f(int x) { return x; }\nint g(int x) { return f(x); }\n",
        "static int f(int x) { return x ? x : -1; }\nint g(int x) { return f(x); }\n",
    );
    let run = folder.run(&["old.c", "new.c", "--emit-test", "tests"]);
    assert_eq!(run.code, Some(1), "{run:#?}");
    assert!(run.stdout.contains("tests/g_test.c passes on the old version only"), "{run:#?}");
    for (version, passes) in [("old", true), ("new", false)] {
        let source = format!("-DSOURCE=\"../{version}.c\"");
        let built = std::process::Command::new("clang-19")
            .current_dir(folder.path("tests"))
            .args([&source, "f_test.c", "-o", version])
            .status();
        assert!(built.unwrap().success());
        let ran = std::process::Command::new(folder.path("tests").join(version)).output().unwrap();
        assert_eq!(ran.status.success(), passes, "{ran:?}");
    }
}

#[test]
fn help_is_short_and_names_exit_codes() {
    let folder = Folder::with(&[]);
    let help = folder.run(&["--help"]).ok();
    for word in ["--entry", "--accept", "--emit-test", "Exit codes", "Examples:"] {
        assert!(help.contains(word), "{word}: {help}");
    }
    assert!(!help.contains("  worker"), "workers are no command for people: {help}");
}

/// Standard output has the report and nothing else.
#[test]
fn results_are_told_as_they_come_in() {
    let old =
        "int a(int x) { return x & ~1; }\nint b(int x) { return x; }\nint c(int x) { return x; }\n";
    let new = "int a(int x) { return x - (x & 1); }\nint b(int x) { return x == 7; }\nint c(int x) { return x; }\n";
    let folder = Folder::versions(old, new);
    let run = folder.run(&["old.c", "new.c", "--stream", "--format", "json"]);
    let mut lines: Vec<&str> = run.stderr.lines().collect();
    lines.sort_unstable();
    assert_eq!(lines, ["a: equivalent", "b: a difference is predicted, to be confirmed"]);
    assert!(serde_json::from_str::<Value>(&run.stdout).is_ok(), "{run:#?}");
    // A short run says nothing else of itself.
    assert_eq!(folder.run(&["old.c", "new.c"]).stderr, "");
}

#[test]
fn a_memory_limit_costs_pairs_not_the_run() {
    let folder = Folder::versions(HARD.0, HARD.1);
    let output = command(&folder.path("."))
        .args(["old.c", "new.c", "--format", "json", "--memory", "64", "--timeout", "2"])
        .output()
        .unwrap();
    let run = Run::of(&output);
    assert_eq!(run.code, Some(3), "{run:#?}");
    let report: Value = serde_json::from_str(&run.stdout).unwrap();
    let hard = verdict(&report, "hard");
    assert!(["unknown(memory)", "unknown(time)"].contains(&hard.as_str()), "{report:#}");
}

/// Differ for negative numbers only.
const HALVES: (&str, &str) =
    ("int half(int x) { return x / 2; }\n", "int half(int x) { return x >> 1; }\n");

#[test]
fn a_precondition_leaves_the_rest_out() {
    let folder = Folder::versions(HALVES.0, HALVES.1);
    let (code, report) = folder.compare(&["--assume", "half:x >= 0"]);
    assert_eq!((code, verdict(&report, "half").as_str()), (0, "equivalent"), "{report:#}");
    let (code, report) = folder.compare(&["--assume", "half:x >= -1"]);
    assert_eq!((code, verdict(&report, "half").as_str()), (1, "different"), "{report:#}");
}

#[test]
fn a_precondition_that_is_no_c_is_refused_with_its_column() {
    let folder = Folder::versions(HALVES.0, HALVES.1);
    for (condition, message) in [
        ("half:x>", "error: --assume half: column 3: expected expression\n  x>\n    ^\n"),
        (
            "half:x > 0 && y",
            "error: --assume half: column 10: use of undeclared identifier 'y'\n  x > 0 && y\n           ^\n",
        ),
    ] {
        let run = folder.run(&["old.c", "new.c", "--assume", "half:x > 5", "--assume", condition]);
        assert_eq!((run.code, run.stderr.as_str()), (Some(2), message), "{run:#?}");
        assert_eq!(run.stdout, "");
    }
}

#[test]
fn preconditions_that_exclude_each_other_prove_nothing() {
    let folder = Folder::versions(HALVES.0, HALVES.1);
    let (code, report) = folder.compare(&["--assume", "half:x > 0", "--assume", "half:x < 0"]);
    assert_eq!(code, 3, "{report:#}");
    assert_eq!(verdict(&report, "half"), "unknown(incomplete)");
    assert!(report.to_string().contains("no input satisfies the preconditions"), "{report:#}");
}

#[test]
fn a_table_of_pointers_to_other_things_is_a_change() {
    let folder = Folder::versions(
        "int a, b; int *table[] = {&a, &b};\nint first(void) { return table[0] == &a; }\n",
        "int a, b; int *table[] = {&b, &a};\nint first(void) { return table[0] == &a; }\n",
    );
    let (code, report) = folder.compare(&[]);
    assert_eq!(code, 1, "{report:#}");
    assert_eq!(verdict(&report, "(global) table"), "different");
}

#[test]
fn the_version_names_its_libraries() {
    let version = Folder::with(&[]).run(&["--version"]).ok();
    let lines: Vec<&str> = version.lines().collect();
    assert_eq!(lines.len(), 3, "{version}");
    assert!(lines[0].starts_with("verdiff ") && lines[1].starts_with("LLVM 19."), "{version}");
    assert!(lines[2].starts_with("Z3 "), "{version}");
}

#[test]
fn completions_and_manual_pages_come_from_the_command_line() {
    let folder = Folder::with(&[]);
    for shell in ["bash", "zsh", "fish"] {
        let script = folder.run(&["completions", shell]).ok();
        assert!(script.contains("fail-on") && script.contains("explain"), "{shell}: {script}");
    }
    folder.run(&["man", "pages"]).ok();
    let page = std::fs::read_to_string(folder.path("pages/verdiff.1")).unwrap();
    assert!(page.contains("fail"), "{page}");
    assert!(folder.path("pages/verdiff-git.1").exists());
    assert!(folder.run(&["man"]).ok().starts_with(".ie"), "a page is printed without a folder");
}
