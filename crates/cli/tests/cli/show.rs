//! `verdiff show` on good input.

use crate::support::{Folder, Run, command};
use expect_test::expect;
use std::io::Read;
use std::process::Stdio;

const SUM: &str = "\
int half(int n) {
    return n / 2;
}

int sum(const int *numbers, int count) {
    int total = 0;
    for (int i = 0; i < count; i++)
        total += numbers[i];
    return half(total);
}
";

const LOG: &str = "\
#include <stdarg.h>

int first(long double count, ...) {
    va_list rest;
    va_start(rest, count);
    int result = va_arg(rest, int);
    va_end(rest);
    return result;
}
";

#[test]
fn text_shows_code_calls_and_loops() {
    let text = Folder::with(&[("sum.c", SUM)]).run(&["show", "sum.c"]).ok();
    assert!(text.contains("int sum(const int *numbers, int count)  // sum.c:5\n"), "{text}");
    assert!(text.contains("total = total + "), "{text}");
    let tables = text.split_once("\nCalls").map(|(_, after)| after).unwrap_or_default();
    expect![[r#"
        , callees first
          sum  -> half

        Loops
          sum  sum.c:7

        2 procedures, 1 loop, none unsupported
    "#]]
    .assert_eq(tables);
}

#[test]
fn text_names_what_is_unsupported() {
    let text = Folder::with(&[("log.c", LOG)]).run(&["show", "log.c"]).ok();
    let tables = text.split_once("\nUnsupported").map(|(_, after)| after).unwrap_or_default();
    expect![[r#"

          first  log.c:5  a variable argument list (va_start)

        1 procedure, 0 loops, 1 unsupported
    "#]]
    .assert_eq(tables);
}

#[test]
fn json_is_as_the_contract_says() {
    let text = Folder::with(&[("sum.c", SUM)]).run(&["show", "--json", "sum.c"]).ok();
    expect![[r#"
        {
          "schema": "verdiff-model/1",
          "procedures": [
            {
              "name": "half",
              "file": "sum.c",
              "line": 1,
              "loops": 0,
              "calls": [],
              "unsupported": null
            },
            {
              "name": "sum",
              "file": "sum.c",
              "line": 5,
              "loops": 1,
              "calls": [
                "half"
              ],
              "unsupported": null
            }
          ]
        }
    "#]]
    .assert_eq(&text);
}

#[test]
fn json_places_what_is_unsupported() {
    let text = Folder::with(&[("log.c", LOG)]).run(&["show", "--json", "log.c"]).ok();
    let value: serde_json::Value = serde_json::from_str(&text).unwrap();
    let unsupported = &value["procedures"][0]["unsupported"];
    assert_eq!(unsupported["construct"], "a variable argument list (va_start)");
    assert_eq!((&unsupported["file"], &unsupported["line"]), (&"log.c".into(), &5.into()));
}

#[test]
fn json_can_carry_measures() {
    let folder = Folder::with(&[("sum.c", SUM)]);
    let text = folder.run(&["show", "--json", "--measure", "sum.c"]).ok();
    let value: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert_eq!(value["schema"], "verdiff-model/1");
    assert!(value["measure"]["clang_ms"].as_f64().unwrap() > 0.0, "{text}");
    assert_eq!(value["measure"]["problems"], serde_json::json!([]));
}

#[test]
fn graphviz_shows_calls_or_control_flow() {
    let folder = Folder::with(&[("sum.c", SUM)]);
    let calls = folder.run(&["show", "--dot", "sum.c"]).ok();
    assert!(calls.starts_with("digraph calls {\n") && calls.contains(" -> "), "{calls}");
    let flow = folder.run(&["show", "--dot", "--function", "sum", "sum.c"]).ok();
    assert!(flow.starts_with("digraph \"sum\" {\n") && flow.contains("total"), "{flow}");
}

#[test]
fn one_function_can_be_picked() {
    let folder = Folder::with(&[("sum.c", SUM)]);
    let text = folder.run(&["show", "sum.c", "--function", "half"]).ok();
    assert!(text.contains("int half(int n)") && !text.contains("int sum("), "{text}");
    let json = folder.run(&["show", "sum.c", "--function", "sum", "--json"]).ok();
    let value: serde_json::Value = serde_json::from_str(&json).unwrap();
    let names: Vec<_> =
        value["procedures"].as_array().unwrap().iter().map(|p| &p["name"]).collect();
    assert_eq!(names, ["sum"]);
}

#[test]
fn several_files_are_linked_and_their_statics_stay_apart() {
    let folder = Folder::with(&[
        ("a.c", "static int helper(void) { return 1; }\nint a(void) { return helper(); }\n"),
        (
            "b.c",
            "int a(void);\nstatic int helper(void) { return 2; }\nint b(void) { return a() + helper(); }\n",
        ),
    ]);
    let json = folder.run(&["show", "a.c", "b.c", "--json"]).ok();
    let value: serde_json::Value = serde_json::from_str(&json).unwrap();
    let mut list: Vec<String> = value["procedures"]
        .as_array()
        .unwrap()
        .iter()
        .map(|p| format!("{} {} {}", p["name"], p["file"], p["calls"]).replace('"', ""))
        .collect();
    list.sort();
    let wanted = ["a a.c [helper]", "b b.c [a,helper]", "helper a.c []", "helper b.c []"];
    assert_eq!(list, wanted);
}

#[test]
fn a_compilation_database_is_followed() {
    let database = r#"[{"directory": ".", "file": "a.c", "command": "cc -DANSWER=42 -O2 -c a.c"}]"#;
    let folder = Folder::with(&[
        ("p/compile_commands.json", database),
        ("p/a.c", "int answer(void) { return ANSWER; }\n"),
    ]);
    let text = folder.run(&["show", "p"]).ok();
    assert!(text.contains("return 42;"), "{text}");
}

#[test]
fn flags_reach_clang_and_its_warnings_are_passed_on() {
    let folder = Folder::with(&[("w.c", "int f(void) { int unused; return ANSWER; }\n")]);
    let run = folder.run(&["show", "w.c", "--", "-Wall", "-DANSWER=42"]);
    assert!(run.stderr.contains("w.c:1:19: warning: unused variable 'unused'"), "{run:#?}");
    assert!(run.ok().contains("return 42;"));
}

#[test]
fn bitcode_and_ir_are_read() {
    let folder = Folder::with(&[("one.ll", "define i32 @one() {\n  ret i32 1\n}\n")]);
    let text = folder.run(&["show", "one.ll"]).ok();
    assert!(text.contains("return 1;"), "{text}");
}

#[test]
fn a_reader_that_goes_away_is_no_error() {
    // More than a pipe holds, so that the program is still writing when the reader leaves.
    let many: String =
        (0..4000).map(|i| format!("int f{i}(int x) {{ return x + {i}; }}\n")).collect();
    let folder = Folder::with(&[("many.c", &many)]);
    for format in [&["show", "many.c"][..], &["show", "many.c", "--json"]] {
        let mut child = command(&folder.path("."))
            .args(format)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut first = [0; 10];
        child.stdout.take().unwrap().read_exact(&mut first).unwrap();
        let run = Run::of(&child.wait_with_output().unwrap());
        assert_eq!((run.code, run.stderr.as_str()), (Some(0), ""), "{run:#?}");
    }
}

#[test]
fn colours_are_for_terminals_and_for_who_asks() {
    let folder = Folder::with(&[("sum.c", SUM)]);
    let colored = |arguments: &[&str], no_color: bool| {
        let mut command = command(&folder.path("."));
        if no_color {
            command.env("NO_COLOR", "1");
        }
        Run::of(&command.args(arguments).output().unwrap()).ok().contains('\u{1b}')
    };
    assert!(!colored(&["show", "sum.c"], false), "a pipe is no terminal");
    assert!(colored(&["show", "sum.c", "--color", "always"], false));
    assert!(!colored(&["show", "sum.c", "--color", "never"], false));
    assert!(!colored(&["show", "sum.c"], true));
}

#[test]
fn help_has_examples() {
    let folder = Folder::with(&[]);
    let help = folder.run(&["show", "--help"]).ok();
    assert!(help.contains("Examples:") && help.contains("verdiff show queue.c --json"), "{help}");
    assert!(!help.contains("--measure"), "{help}");
}
