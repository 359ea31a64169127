//! The formats of a report, the files they go to, and the policy for the exit code.

use crate::support::{Folder, pair};
use serde_json::Value;

const OLD: &str = "int f(int x) { return x == 4; }\nint g(int x) { return x + x; }\n";
const NEW: &str = "int f(int x) { return x == 5; }\nint g(int x) { return 2 * x; }\n";
/// Undecided: the construct is not supported.
const OPEN: &str = "int f(int x) { _BitInt(256) y = x; return (int)(y + 1); }\n";
const OPEN_TOO: &str = "int f(int x) { _BitInt(256) y = x; return (int)(y + 2); }\n";

fn read(folder: &Folder, name: &str) -> String {
    std::fs::read_to_string(folder.path(name)).unwrap()
}

#[test]
fn several_formats_are_written_at_once() {
    let folder = Folder::versions(OLD, NEW);
    let files = ["a.json", "a.sarif", "a.md", "a.html", "gl-code-quality-report.json", "a.txt"];
    let outputs: Vec<&str> = files.iter().flat_map(|file| ["-o", file]).collect();
    let run = folder.run(&[&["old.c", "new.c", "--format", "sarif"], &outputs[..]].concat());
    assert_eq!(run.code, Some(1), "{run:#?}");
    assert!(run.stdout.contains("f: different (value)"), "the terminal has text: {run:#?}");
    assert_eq!(read(&folder, "a.txt"), run.stdout);
    let report: Value = serde_json::from_str(&read(&folder, "a.json")).unwrap();
    assert_eq!(pair(&report, "f")["verdict"], "different");
    let sarif: Value = serde_json::from_str(&read(&folder, "a.sarif")).unwrap();
    let results = sarif["runs"][0]["results"].as_array().unwrap();
    assert_eq!(results.len(), 1);
    assert_eq!(results[0]["ruleId"], "different-value");
    assert!(results[0].get("baselineState").is_none());
    let issues: Value = serde_json::from_str(&read(&folder, files[4])).unwrap();
    assert_eq!(issues[0]["location"]["path"], "new.c");
    assert!(read(&folder, "a.md").contains("| `f` <sub>new.c:1</sub> | ❌ different |"));
    assert!(read(&folder, "a.html").starts_with("<!doctype html>"));
    // With the report as its own baseline nothing is new.
    let run = folder.run(&["old.c", "new.c", "--format", "sarif", "--baseline", "a.json"]);
    let sarif: Value = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!(sarif["runs"][0]["results"][0]["baselineState"], "unchanged");
}

#[test]
fn formats_that_do_not_fit_are_refused() {
    let folder = Folder::versions(OLD, NEW);
    let run = folder.run(&["old.c", "new.c", "--format", "sarif", "--format", "markdown"]);
    assert_eq!((run.code, run.stdout.as_str()), (Some(2), ""), "{run:#?}");
    assert!(run.stderr.contains("--format markdown: name a file for it with -o"), "{run:#?}");
    let run = folder.run(&["old.c", "new.c", "--baseline", "old.c"]);
    assert_eq!(run.code, Some(2), "{run:#?}");
    assert!(run.stderr.contains("old.c: not valid JSON"), "{run:#?}");
    let run = folder.run(&["old.c", "new.c", "--clients", "new.c", "--format", "html"]);
    assert_eq!(run.code, Some(2), "{run:#?}");
    assert!(run.stderr.contains("not as html"), "{run:#?}");
}

#[test]
fn the_user_decides_what_fails() {
    let folder = Folder::versions(OLD, NEW);
    for (policy, code) in
        [("different", 1), ("unknown", 0), ("nothing", 0), ("different,unknown", 1)]
    {
        let run = folder.run(&["old.c", "new.c", "--fail-on", policy]);
        assert_eq!(run.code, Some(code), "{policy}: {run:#?}");
    }
    let folder = Folder::versions(OPEN, OPEN_TOO);
    for (policy, code) in [("different", 0), ("unknown", 3), ("nothing", 0)] {
        let run = folder.run(&["old.c", "new.c", "--fail-on", policy]);
        assert_eq!(run.code, Some(code), "{policy}: {run:#?}");
    }
    let run = folder.run(&["old.c", "new.c", "--fail-on", "everything"]);
    assert_eq!(run.code, Some(2), "{run:#?}");
}

#[test]
fn accepted_differences_are_written_and_comments_kept() {
    let folder = Folder::versions(OLD, NEW);
    assert_eq!(folder.run(&["old.c", "new.c", "-o", "report.json"]).code, Some(1));
    let run = folder.run(&["accept", "report.json", "--why", "the limit is 5 now"]);
    assert_eq!(run.ok(), "verdiff-accept.toml: 1 entry added\n");
    let written = read(&folder, "verdiff-accept.toml");
    assert_eq!(
        written,
        "[[accept]]\nfunction = \"f\"\nkind = \"value\"\nwhy = \"the limit is 5 now\"\ncondition = \"4 <= x && x <= 5\"\n"
    );
    let run =
        folder.run(&["old.c", "new.c", "--accept", "verdiff-accept.toml", "--format", "json"]);
    assert_eq!(run.code, Some(0), "{run:#?}");
    let report: Value = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!(pair(&report, "f")["accepted"], "the limit is 5 now");

    // A file that people have edited keeps what they wrote; only the condition is brought up to date.
    let edited = "# reviewed by us\n\n[[accept]]\nfunction = \"f\" # the parser\nkind = \"value\"\nwhy = \"agreed\"\n\
                  condition = \"x == 9\" # see above\n";
    std::fs::write(folder.path("mine.toml"), edited).unwrap();
    let run = folder.run(&["accept", "report.json", "f", "-o", "mine.toml"]);
    assert_eq!(run.ok(), "mine.toml: 0 entries added, 1 updated\n");
    assert_eq!(read(&folder, "mine.toml"), edited.replace("x == 9", "4 <= x && x <= 5"));
    let run = folder.run(&["accept", "report.json", "-o", "mine.toml"]);
    assert_eq!(run.ok(), "mine.toml: nothing to add\n");

    let run = folder.run(&["accept", "report.json", "g"]);
    assert_eq!(run.code, Some(2), "{run:#?}");
    assert!(run.stderr.contains("no difference of g that counts"), "{run:#?}");
}

#[test]
fn verdicts_and_codes_are_explained() {
    let folder = Folder::versions(OLD, NEW);
    folder.run(&["old.c", "new.c", "-o", "report.json"]);
    let story = folder.run(&["explain", "report.json", "f"]).ok();
    for part in [
        "f: different (value)",
        "f at old.c:1 (old version)",
        "its own code changed",
        "The counterexample",
        "the outcomes differ: when 4 <= x && x <= 5",
        "every input is covered",
        "Engines that ran",
        "signed overflow wraps",
    ] {
        assert!(story.contains(part), "{part}: {story}");
    }
    let story = folder.run(&["explain", "report.json", "g"]).ok();
    assert!(story.contains("What was proved"), "{story}");
    let meaning = folder.run(&["explain", "no-induction"]).ok();
    assert!(meaning.contains("What to do"), "{meaning}");
    let all = folder.run(&["explain"]).ok();
    assert!(all.contains("different-trap") && all.contains("no-induction"), "{all}");
    for (arguments, message) in [
        (&["explain", "nonsense"][..], "no such code"),
        (&["explain", "report.json"], "name a function"),
        (&["explain", "report.json", "h"], "no function h"),
    ] {
        let run = folder.run(arguments);
        assert_eq!((run.code, run.stdout.as_str()), (Some(2), ""), "{run:#?}");
        assert!(run.stderr.contains(message), "{run:#?}");
    }

    let folder = Folder::versions(OPEN, OPEN_TOO);
    folder.run(&["old.c", "new.c", "-o", "report.json"]);
    let story = folder.run(&["explain", "report.json", "f"]).ok();
    for part in ["f: unknown", "Why it stopped", "an integer of 256 bits", "what to do:"] {
        assert!(story.contains(part), "{part}: {story}");
    }
}

/// `script` runs a program on a terminal of its own.
#[test]
fn a_terminal_has_links_its_own_width_and_a_pager() {
    let folder = Folder::versions(OLD, NEW);
    let on_terminal = |setting: &str, options: &str| {
        let program = env!("CARGO_BIN_EXE_verdiff");
        let line = format!(
            "stty rows 5 cols 160; {setting} {program} old.c new.c --no-progress {options}"
        );
        let mut script = std::process::Command::new("script");
        script
            .args(["-qec", &line, "/dev/null"])
            .current_dir(folder.path(""))
            .env("VERDIFF_CACHE", "");
        script.env("TERM", "xterm-256color").env_remove("NO_COLOR").env_remove("LESS");
        script.stdin(std::process::Stdio::null()).output().ok()
    };
    let Some(shown) = on_terminal("VERDIFF_PAGER='sed s/^/paged:/' FORCE_HYPERLINK=1", "") else {
        eprintln!("skipped: `script` is not there");
        return;
    };
    let shown = String::from_utf8_lossy(&shown.stdout).into_owned();
    assert!(shown.contains("paged:"), "{shown}");
    assert!(shown.contains("\u{1b}]8;;file:///"), "{shown:?}");
    let both = |line: &str| {
        line.contains("x == 4") && line.contains("x == 5") && line.contains("+ 1 \u{2503}")
    };
    assert!(shown.lines().any(both), "two columns: {shown}");
    let plain = on_terminal("VERDIFF_PAGER='sed s/^/paged:/'", "--no-pager").unwrap();
    assert!(!String::from_utf8_lossy(&plain.stdout).contains("paged:"));
}

/// How many changed functions are done, which are in work, what was found, how much of the budget is left.
#[test]
fn a_terminal_shows_a_bar_of_progress() {
    let old = "int f(int x) { return x & ~1; }\nint g(int x) { return x + x; }\n";
    let new = "int f(int x) { return x - (x & 1); }\nint g(int x) { return x * 2; }\n";
    let folder = Folder::versions(old, new);
    let on_terminal = |options: &str| {
        let program = env!("CARGO_BIN_EXE_verdiff");
        // One function takes all its time.
        let line = format!(
            "stty rows 40 cols 160; VERDIFF_TEST_WORKER=hang:g {program} old.c new.c --no-pager --jobs 1 \
             --timeout 1.5 --budget 60 {options}"
        );
        let mut script = std::process::Command::new("script");
        script.args(["-qec", &line, "/dev/null"]).current_dir(folder.path(""));
        script.env("VERDIFF_CACHE", "").env("TERM", "xterm-256color");
        let output = script.stdin(std::process::Stdio::null()).output().ok()?;
        Some(String::from_utf8_lossy(&output.stdout).into_owned())
    };
    let Some(shown) = on_terminal("") else {
        eprintln!("skipped: `script` is not there");
        return;
    };
    for part in ["[      ", "] 0/2 changed functions  now ", " s left"] {
        assert!(shown.contains(part), "{part}: {shown:?}");
    }
    for silent in ["-q", "--no-progress"] {
        let shown = on_terminal(silent).unwrap();
        assert!(!shown.contains("changed functions  "), "{shown:?}");
    }
}

/// The page marks what the counterexample executes, up to the line after which the versions take different paths.
#[test]
fn the_page_says_where_the_versions_part() {
    let version = |limit: &str| {
        format!(
            "int f(int x) {{\n    int y = 0;\n    if (x > {limit})\n        y = 1;\n    else\n        y = 2;\n    return y;\n}}\n"
        )
    };
    let folder = Folder::versions(&version("4"), &version("5"));
    let run = folder.run(&["old.c", "new.c", "-o", "a.html"]);
    assert_eq!(run.code, Some(1), "{run:#?}");
    let page = read(&folder, "a.html");
    let (_, after) = page.split_once("\"ran\":").unwrap_or_else(|| panic!("{page}"));
    let ran = serde_json::Deserializer::from_str(after).into_iter::<Value>().next();
    let ran = ran.unwrap().unwrap();
    // 5 is above 4 and not above 5: line 4 is executed by the old version only, line 6 by the new one.
    assert_eq!(ran["l"], serde_json::json!([[2, 3, 4], [2, 3, 6]]), "{ran}");
    assert_eq!(ran["at"], serde_json::json!([3, 3]), "{ran}");
    assert!(ran["s"].as_str().unwrap().contains("diverge after line 3"), "{ran}");
}

#[test]
fn executed_lines_are_marked_on_a_terminal() {
    let old = "int sign(int n)\n{\n    int r = 0;\n    if (n < 0)\n        r = -1;\n    else if (n > 10)\n        r = 1;\n    return r * 2;\n}\n";
    let folder = Folder::versions(old, &old.replace("n > 10", "n >= 10"));
    let coloured = folder.run(&["old.c", "new.c", "--color", "always"]).stdout;
    assert!(coloured.contains("4 \u{2503}     if (n < 0)\n     5 |"), "{coloured}");
    assert!(coloured.contains("diverge after line 6 (old) and line 6 (new)"), "{coloured}");
    let plain = folder.run(&["old.c", "new.c"]).stdout;
    assert!(plain.contains("4 |     if (n < 0)") && !plain.contains('\u{2503}'), "{plain}");
}
