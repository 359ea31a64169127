//! `verdiff correlate`: text, JSON and picture.

use crate::support::Folder;
use serde_json::Value;
use std::path::Path;
use std::process::Command;

/// Two accumulators, one of them scaled differently.
fn versions() -> Folder {
    let version = |step: u32| {
        format!(
            "int putchar(int);\n\
             int f(int n, int w) {{\n    int i, x = 0, z = 0;\n    for (i = 0; i < n; i++) {{\n\
             \x20       z += {step};\n        x += w;\n        putchar(x);\n    }}\n    return x + z;\n}}\n"
        )
    };
    Folder::versions(&version(2), &version(4))
}

#[test]
fn text_says_what_is_equal_and_relates_the_rest() {
    let run = versions().run(&["correlate", "old.c", "new.c", "--entry", "f"]);
    assert_eq!(run.code, Some(0), "{run:#?}");
    let (output, end) = run.stdout.split_once("\n! return").unwrap();
    assert!(output.contains("= putchar() (line 7 | line 7): equal outputs"), "{output}");
    assert!(output.contains("2*z == z'"), "{output}");
    assert!(end.contains("may differ"), "{end}");
    // Without an iteration there is nothing that could differ.
    assert!(end.contains("entry(n) >= 1"), "{end}");
}

#[test]
fn json_and_picture_show_the_same_points() {
    let folder = versions();
    let arguments =
        ["correlate", "old.c", "new.c", "--entry", "f", "--json", "--svg", "states.svg"];
    let run = folder.run(&arguments);
    assert_eq!(run.code, Some(0), "{run:#?}");
    let found: Value = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!(found["schema"], "verdiff-correlation/1");
    assert_eq!(found["inductive"], true);
    let equal: Vec<_> = found["points"].as_array().unwrap().iter().map(|p| &p["equal"]).collect();
    assert_eq!(equal, [true, false]);
    let picture = std::fs::read_to_string(folder.path("states.svg")).unwrap();
    assert!(picture.starts_with("<svg") && picture.trim_end().ends_with("</svg>"), "{picture}");
    assert!(picture.contains("putchar"), "{picture}");
}

#[test]
fn a_function_that_is_missing_is_an_error() {
    let run = versions().run(&["correlate", "old.c", "new.c", "--entry", "g"]);
    assert_eq!(run.code, Some(2), "{run:#?}");
    assert!(run.stderr.contains("g: no such function in both versions"), "{run:#?}");
}

#[test]
fn an_ordinary_report_relates_the_states_of_a_different_function() {
    let folder = versions();
    let run = folder.run(&["old.c", "new.c"]);
    assert_eq!(run.code, Some(1), "{run:#?}");
    let words = run.stdout.split_whitespace().collect::<Vec<_>>().join(" ");
    for said in [
        "states: at putchar() in line 7: all outputs so far are equal;",
        "outputs so far are equal, return value and z may differ",
        "the versions can differ only if n >= 1",
    ] {
        assert!(words.contains(said), "{words}");
    }
    let run = folder.run(&["old.c", "new.c", "--format", "json"]);
    let found: Value = serde_json::from_str(&run.stdout).unwrap();
    let points = found["pairs"][0]["correlation"]["points"].as_array().unwrap();
    assert_eq!(points.iter().map(|p| &p["equal"]).collect::<Vec<_>>(), [true, false]);
}

#[test]
fn equal_functions_and_functions_without_a_loop_are_not_described() {
    let loops = "int f(int n) { int i, s = 0; for (i = 0; i < n; i++) s += i; return s; }\n";
    for (old, new) in [
        (loops, loops.replace("i < n", "n > i")),
        ("int f(int n) { return n; }\n", "int f(int n) { return n + 1; }\n".to_owned()),
    ] {
        let run = Folder::versions(old, &new).run(&["old.c", "new.c", "--format", "json"]);
        let found: Value = serde_json::from_str(&run.stdout).unwrap();
        assert_eq!(found["pairs"][0]["correlation"], Value::Null, "{run:#?}");
    }
}

/// Cases of the corpus with a table `[correlate]`: what `verdiff correlate` says of a function. A third of them, as in
/// the runs of the corpus; all of them with `VERDIFF_CORPUS_ALL`.
#[test]
fn figures_of_the_paper_are_described() {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus/correlate");
    let mut described = 0;
    for case in std::fs::read_dir(corpus).unwrap() {
        let folder = case.unwrap().path();
        let all = std::env::var_os("VERDIFF_CORPUS_ALL").is_some();
        let name = folder.file_name().unwrap().to_string_lossy().into_owned();
        if !all && !name.bytes().map(u32::from).sum::<u32>().is_multiple_of(3) {
            continue;
        }
        let text = std::fs::read_to_string(folder.join("case.toml")).unwrap();
        let case: toml::Value = toml::from_str(&text).unwrap();
        let wanted = &case["correlate"];
        let output = Command::new(env!("CARGO_BIN_EXE_verdiff"))
            .arg("correlate")
            .args([folder.join("old.c"), folder.join("new.c")])
            .args(["--entry", wanted["function"].as_str().unwrap()])
            .output()
            .unwrap();
        let said = String::from_utf8(output.stdout).unwrap();
        for text in wanted["says"].as_array().unwrap() {
            let text = text.as_str().unwrap();
            assert!(said.contains(text), "{}: {text:?} is not in:\n{said}", folder.display());
        }
        described += 1;
    }
    assert!(described >= 10, "only {described}");
}
