//! `verdiff replay`: the differences of a report, run again.

use crate::bad_input::refused;
use crate::support::{Folder, pair};

const OLD: &str = "int f(int x) { return x; }\nint g(int x) { return x + STEP; }\n";
const NEW: &str = "int f(int x) { return x ? x : -1; }\nint g(int x) { return x - STEP; }\n";

/// A folder with two versions and the report on them.
fn reported() -> Folder {
    let folder = Folder::versions(OLD, NEW);
    let run = folder.run(&["old.c", "new.c", "-q", "-o", "r.json", "--", "-DSTEP=1"]);
    assert_eq!(run.code, Some(1), "{run:#?}");
    folder
}

#[test]
fn differences_show_again() {
    let folder = reported();
    let run = folder.run(&["replay", "r.json"]);
    assert_eq!((run.code, run.stdout.as_str()), (Some(1), "f: confirmed\ng: confirmed\n"));
    let run = folder.run(&["replay", "r.json", "g"]);
    assert_eq!((run.code, run.stdout.as_str()), (Some(1), "g: confirmed\n"));
    refused(folder.run(&["replay", "r.json", "h"]), "r.json: the report has no difference of h");
}

#[test]
fn a_difference_that_was_mended_does_not_show_again() {
    let folder = reported();
    std::fs::write(folder.path("new.c"), OLD).unwrap();
    let run = folder.run(&["replay", "r.json"]);
    assert_eq!(run.code, Some(3), "{run:#?}");
    assert!(run.stdout.starts_with("f: "), "{run:#?}");
    assert!(!run.stdout.contains("f: confirmed"), "{run:#?}");
}

#[test]
fn files_that_changed_too_much() {
    let folder = reported();
    std::fs::write(folder.path("new.c"), "int g(int x) { return x; }\n").unwrap();
    refused(
        folder.run(&["replay", "r.json"]),
        "f: the files no longer define this function: compare them again",
    );
    // Another number of parameters: the witness is one for another function.
    std::fs::write(
        folder.path("new.c"),
        "int f(int x, int y) { return x; }\nint g(void) { return 1; }\n",
    )
    .unwrap();
    let run = folder.run(&["replay", "r.json"]);
    assert_eq!(run.code, Some(3), "{run:#?}");
    assert!(run.stdout.contains("f: not-run: "), "{run:#?}");
    std::fs::remove_file(folder.path("new.c")).unwrap();
    refused(folder.run(&["replay", "r.json"]), "new.c: no such file or directory");
}

#[test]
fn renamed_functions_are_found_again() {
    let folder = Folder::versions("int f(int x) { return x; }\n", "int g(int x) { return -x; }\n");
    let options = ["old.c", "new.c", "-q", "--rename", "f=g", "-o", "r.json"];
    assert_eq!(folder.run(&options).code, Some(1));
    let run = folder.run(&["replay", "r.json"]);
    assert_eq!((run.code, run.stdout.as_str()), (Some(1), "f: confirmed\n"), "{run:#?}");
}

#[test]
fn what_is_no_report() {
    let folder = Folder::with(&[
        ("text.json", "not JSON\n"),
        ("other.json", "{\"schema\": \"something/1\"}\n"),
        (
            "broken.json",
            "{\"schema\": \"verdiff-report/1\", \"pairs\": [{\"function\": \"f\", \"witness\": {}}]}\n",
        ),
        ("empty.json", "{\"schema\": \"verdiff-report/1\", \"pairs\": []}\n"),
    ]);
    for (file, message) in [
        ("absent.json", "absent.json: cannot read the report: No such file"),
        ("text.json", "text.json: not valid JSON: "),
        ("other.json", "other.json: not a verdiff report: "),
        ("broken.json", "broken.json: the witness of f cannot be read: "),
        ("empty.json", "empty.json: the report has no difference to replay"),
    ] {
        let run = folder.run(&["replay", file]);
        assert_eq!((run.code, run.stdout.as_str()), (Some(2), ""), "{run:#?}");
        assert!(run.stderr.starts_with(&format!("error: {message}")), "{run:#?}");
        assert_eq!(run.stderr.lines().count(), 1, "{run:#?}");
    }
}

/// What is read past the end of an object may be anything. A difference behind such a read counts only if both versions mask what they
/// read there; one that shows it is none.
#[test]
fn a_difference_behind_a_word_past_the_end_counts_only_if_the_word_is_masked() {
    let text = |mask: &str, tail: &str| {
        format!(
            "#include <stdint.h>\n#include <stdio.h>\n\
             static uint32_t word(const char *key) {{ return *(const uint32_t *)key{mask}; }}\n\
             void f(void) {{ _Alignas(4) char key[2] = \"a\"; printf(\"%d {tail}\\n\", word(key) == 'a'); }}\n"
        )
    };
    let of = |mask: &str| {
        let folder = Folder::versions(&text(mask, "x"), &text(mask, "y"));
        let (_, report) = folder.compare(&["--timeout", "5"]);
        pair(&report, "f").clone()
    };
    let masked = of(" & 0xffff");
    assert_eq!(masked["verdict"], "different", "{masked:#}");
    assert_eq!(masked["witness"]["reads_past_end"], true, "{masked:#}");
    let whole = of("");
    assert_ne!(whole["verdict"], "different", "{whole:#}");
}
