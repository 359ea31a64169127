//! The comparison on good input: what its reports say.

use crate::support::{Folder, command, pair, verdict};
use expect_test::expect;
use serde_json::{Value, json};

const OLD: &str = "\
int payload(int length) {
    if (length < 4)
        return -1;
    return length - 4;
}

int half(int x) { return x / 2; }
int sign(int x) { if (x > 0) return 1; return x < 0 ? -1 : 0; }
";
const NEW: &str = "\
int payload(int length) {
    if (length <= 4)
        return -1;
    return length - 4;
}

int half(int x) { return x / 2; }
int sign(int x) { return (x > 0) - (x < 0); }
";

/// The fields of docs/book/scripts.md, in its order.
const REPORT: &[&str] =
    &["schema", "tool", "old", "new", "options", "assumptions", "summary", "pairs"];
const PAIR: &[&str] = &[
    "function",
    "old",
    "new",
    "changed",
    "verdict",
    "kinds",
    "termination",
    "equal_under",
    "differ_under",
    "alike_under",
    "split_under",
    "exact",
    "vacuous",
    "assuming",
    "proof",
    "evidence",
    "witness",
    "local",
    "correlation",
    "impact",
    "boundary",
    "reason",
    "notes",
    "engines",
    "ms",
];
/// What was added since.
const MORE: &[&str] = &[
    "interrupted",
    "renamed",
    "counts",
    "accepted",
    "effect",
    "open_under",
    "reproducible",
    "cached",
    "in_calls",
    "notes",
    "not_compared",
];

#[track_caller]
fn has_fields(value: &Value, names: &[&str]) {
    let mut left: Vec<&str> = value.as_object().unwrap().keys().map(String::as_str).collect();
    for name in names {
        assert!(left.contains(name), "{name} is missing in {value:#}");
        left.retain(|n| n != name);
    }
    left.retain(|name| !MORE.contains(name));
    assert!(left.is_empty(), "{left:?} is not in the contract");
}

#[test]
fn json_has_the_fields_of_the_contract() {
    let (code, report) = Folder::versions(OLD, NEW).compare(&[]);
    assert_eq!(code, 1);
    has_fields(&report, REPORT);
    assert_eq!(report["schema"], "verdiff-report/1");
    assert_eq!(report["tool"]["name"], "verdiff");
    assert_eq!(report["old"], json!({"files": ["old.c"]}));
    assert_eq!(report["new"], json!({"files": ["new.c"]}));
    let counts = json!({
        "equivalent": 2, "different": 1, "unknown": 0, "added": 0, "removed": 0, "unchanged": 1,
        "changed": {"decided": 2, "undecided": 0},
        "callers": {"unaffected": 0, "affected": 0, "possible": 0},
    });
    assert_eq!(report["summary"], counts);
    for pair in report["pairs"].as_array().unwrap() {
        has_fields(pair, PAIR);
    }
    let half = pair(&report, "half");
    assert_eq!((&half["changed"], &half["verdict"]), (&json!("no"), &json!("equivalent")));
    let sign = pair(&report, "sign");
    assert_eq!((&sign["changed"], &sign["verdict"]), (&json!("text"), &json!("equivalent")));
    assert_eq!(sign["equal_under"]["c"], "1");
    assert_eq!(sign["witness"], Value::Null);
}

#[test]
fn json_of_a_difference() {
    let (_, report) = Folder::versions(OLD, NEW).compare(&["--entry", "payload"]);
    let payload = pair(&report, "payload");
    assert_eq!(payload["old"], json!({"file": "old.c", "line": 1}));
    assert_eq!(payload["kinds"], json!(["value"]));
    assert_eq!((&payload["exact"], &payload["termination"]), (&json!(true), &json!("alike")));
    let witness = &payload["witness"];
    assert_eq!(witness["inputs"], json!({"length": 4}));
    assert_eq!(witness["old"], json!({"return": 0}));
    assert_eq!(witness["new"], json!({"return": -1}));
    assert_eq!(witness["replay"], "confirmed");
    assert_eq!((&witness["memory"], &witness["externals"]), (&json!({}), &json!([])));
}

/// A condition is C over the parameters: a compiler takes it and it is true of the witness alone.
#[test]
fn conditions_compile() {
    let (_, report) = Folder::versions(OLD, NEW).compare(&["--entry", "payload"]);
    let payload = pair(&report, "payload");
    let condition = payload["differ_under"]["c"].as_str().unwrap();
    let folder = Folder::versions(
        &format!("int differs(int length) {{ return ({condition}) != 0; }}\n"),
        "int differs(int length) { return length == 4; }\n",
    );
    assert_eq!(folder.run(&["old.c", "new.c"]).code, Some(0), "{condition}");
}

#[test]
fn text_says_what_where_and_why() {
    let run = Folder::versions(OLD, NEW).run(&["old.c", "new.c"]);
    let (functions, _) = run.stdout.split_once("assumptions:").unwrap();
    // How a condition is put may change; the rest may not.
    let functions: String = functions
        .lines()
        .filter(|l| !l.contains("differs exactly when") && !l.starts_with("    <"))
        .map(|l| l.to_owned() + "\n")
        .collect();
    expect![[r#"
        payload: different (value)  old.c:1, new.c:1

          input        old         new
          length = 4   returns 0   returns -1

          confirmed by running both compiled programs

            1 | int payload(int length) {
          - 2 |     if (length < 4)
          + 2 |     if (length <= 4)
            3 |         return -1;
            4 |     return length - 4;
              = the new version returns -1 where the old one returns 0

        sign: equivalent (both versions simplify to the same result for all inputs)  old.c:8, new.c:8

        1 equivalent, 1 different, 0 unknown, 1 unchanged
    "#]]
    .assert_eq(&functions);
}

#[test]
fn quiet_and_verbose() {
    let folder = Folder::versions(OLD, NEW);
    let quiet = folder.run(&["old.c", "new.c", "-q"]).stdout;
    expect![[r#"
        payload: different (value)  old.c:1, new.c:1
        1 equivalent, 1 different, 0 unknown, 1 unchanged
        result: behaviour changed: 1 changed function differs
    "#]]
    .assert_eq(&quiet);
    let verbose = folder.run(&["old.c", "new.c", "-v"]).stdout;
    assert!(verbose.contains("half: equivalent (unchanged)"), "{verbose}");
    assert!(!verbose.contains("  testing: "), "{verbose}");
    let more = folder.run(&["old.c", "new.c", "-vv"]).stdout;
    assert!(more.contains("  testing: "), "{more}");
}

#[test]
fn colours_are_for_terminals_and_for_who_asks() {
    let folder = Folder::versions(OLD, NEW);
    let colored = |arguments: &[&str], variable: Option<&str>| {
        let mut command = command(&folder.path("."));
        if let Some(name) = variable {
            command.env(name, "1");
        }
        let arguments = [&["old.c", "new.c", "-q"], arguments].concat();
        let output = command.args(arguments).output().unwrap();
        String::from_utf8(output.stdout).unwrap().contains('\u{1b}')
    };
    assert!(!colored(&[], None), "a pipe is no terminal");
    assert!(colored(&["--color", "always"], None));
    assert!(!colored(&["--color", "never"], Some("CLICOLOR_FORCE")));
    assert!(colored(&[], Some("CLICOLOR_FORCE")));
    assert!(!colored(&[], Some("NO_COLOR")));
    assert!(!colored(&["--format", "json", "--color", "always"], None), "JSON has no colours");
}

#[test]
fn two_runs_say_the_same_but_for_times() {
    let folder = Folder::versions(OLD, NEW);
    let strip = |mut report: Value| {
        for pair in report["pairs"].as_array_mut().unwrap() {
            pair["ms"] = Value::Null;
            for engine in pair["engines"].as_array_mut().unwrap() {
                *engine = engine["name"].clone();
            }
        }
        report
    };
    let (first, second) = (folder.compare(&[]).1, folder.compare(&["--jobs", "1"]).1);
    assert_eq!(strip(first), strip(second));
}

#[test]
fn swapped_versions_mirror_the_verdict() {
    let (_, report) = Folder::versions(NEW, OLD).compare(&["--entry", "payload"]);
    let witness = &pair(&report, "payload")["witness"];
    assert_eq!((&witness["old"]["return"], &witness["new"]["return"]), (&json!(-1), &json!(0)));
}

#[test]
fn a_version_is_equivalent_to_itself() {
    let (code, report) = Folder::versions(OLD, OLD).compare(&[]);
    assert_eq!(code, 0);
    assert_eq!(verdict(&report, "payload"), "equivalent");
    assert_eq!(pair(&report, "payload")["changed"], "no");
}

/// Two programs of one repository define `helper`; which of them the third file is linked with, nobody knows. It would be wrong to
/// judge it by the one that did not change.
#[test]
fn what_several_files_define_is_not_taken_from_one_of_them() {
    let version = |helper: &'static str| {
        [
            ("a.c", "int helper(void) { return 1; }\nint a(void) { return helper(); }\n"),
            ("b.c", helper),
            (
                "c.c",
                "int helper(void);\nint (*const table[])(void) = {helper};\n\
                 int use(int x) { return x + helper(); }\nint through(void) { return table[0](); }\n",
            ),
        ]
    };
    let old = version("int helper(void) { return 2; }\nint b(void) { return helper(); }\n");
    let new = version("int helper(void) { return 3; }\nint b(void) { return helper(); }\n");
    let report = compare_folders(&old, &new);
    assert_eq!(pair(&report, "use")["verdict"], "unknown", "{report:#}");
    assert_eq!(pair(&report, "through")["verdict"], "unknown", "{report:#}");
    assert_eq!(pair(&report, "a")["verdict"], "equivalent", "{report:#}");
    assert_eq!(pair(&report, "b")["verdict"], "different", "each file means its own");
}

/// Two folders with a compilation database, compared: for each its C files.
fn compare_folders(old: &[(&str, &str)], new: &[(&str, &str)]) -> Value {
    let mut all = vec![];
    for (folder, files) in [("old", old), ("new", new)] {
        let unit = |(file, _): &(&str, &str)| {
            format!(r#"{{"directory": ".", "file": "{file}", "command": "cc -c {file}"}}"#)
        };
        let units: Vec<String> = files.iter().map(unit).collect();
        let database = format!("[{}]", units.join(", "));
        all.push((format!("{folder}/compile_commands.json"), database));
        all.extend(files.iter().map(|(f, text)| (format!("{folder}/{f}"), (*text).to_owned())));
    }
    let all: Vec<(&str, &str)> = all.iter().map(|(n, t)| (n.as_str(), t.as_str())).collect();
    let run = Folder::with(&all).run(&["old", "new", "--format", "json"]);
    serde_json::from_str(&run.stdout).unwrap_or_else(|e| panic!("{e}: {run:#?}"))
}

/// A weak definition gives way to that of another file, whichever comes first, and is what counts if there is none.
#[test]
fn a_weak_definition_gives_way_to_that_of_another_file() {
    let weak = |number: u32| {
        format!(
            "__attribute__((weak)) int limit(void) {{ return {number}; }}\nint use(int x) {{ return x + limit(); }}\n"
        )
    };
    let strong = |number: u32| format!("int limit(void) {{ return {number}; }}\n");
    let (weak_1, weak_2, strong_7, strong_8) = (weak(1), weak(2), strong(7), strong(8));
    let none = "int other(void) { return 3; }\n";
    let said = |[old_weak, old_strong]: [&str; 2], [new_weak, new_strong]: [&str; 2]| {
        let mut old = [("weak.c", old_weak), ("strong.c", old_strong)];
        let mut new = [("weak.c", new_weak), ("strong.c", new_strong)];
        let report = compare_folders(&old, &new);
        old.reverse();
        new.reverse();
        let reversed = compare_folders(&old, &new);
        assert_eq!(verdict(&report, "use"), verdict(&reversed, "use"), "the order of files");
        verdict(&report, "use")
    };
    assert_eq!(said([&weak_1, &strong_7], [&weak_2, &strong_7]), "equivalent");
    assert_eq!(said([&weak_1, &strong_7], [&weak_1, &strong_8]), "different");
    assert_eq!(said([&weak_1, &strong_7], [&weak_1, none]), "different");
    assert_eq!(said([&weak_1, none], [&weak_2, none]), "different");
}

/// A vector arrives in lanes, a small struct in pieces; conditions name the elements and members.
#[test]
fn conditions_name_parts_of_vectors_and_structs() {
    let text = "typedef int four __attribute__((vector_size(16)));
        struct point { int x, y; };
        int f(four a, int n) { return a[1] > n; }
        int g(struct point p) { return p.x > p.y; }\n";
    let folder = Folder::versions(text, &text.replace('>', ">="));
    let (_, report) = folder.compare(&[]);
    let condition = |function| pair(&report, function)["differ_under"]["c"].clone();
    assert_eq!([condition("f"), condition("g")], ["n == a[1]", "p.x == p.y"]);
}
