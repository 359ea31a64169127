//! How the files of a revision are compiled and linked.

use super::{CLAMP, CLAMP_OTHER, CLAMP_SAME, Repository, files, functions, independent};
use crate::support::{pair, verdict};
use serde_json::Value;
use std::process::Command;

#[test]
fn a_broken_file_costs_no_other_one() {
    let repository = Repository::with(&[
        &[("a.c", CLAMP), ("b.c", "int b(int x) { return x; }\n")],
        &[("a.c", CLAMP_SAME), ("b.c", "int b(int x) { return }\n")],
        &[("a.c", CLAMP), ("b.c", "int b(int x) { return x + 0; }\n")],
    ]);
    let run = repository.run(&["HEAD~2", "HEAD~1"]);
    assert_eq!(run.code, Some(3), "{run:#?}");
    assert!(run.stderr.contains("b.c:1:23: error: expected expression"), "{run:#?}");
    assert!(run.stdout.contains("b.c: does not compile in HEAD~1 ("), "{run:#?}");
    assert!(run.stdout.contains("but 1 file could not be compared"), "{run:#?}");
    let (code, report) = repository.compare(&["HEAD~1", "HEAD"]);
    assert_eq!((code, verdict(&report, "clamp").as_str()), (3, "equivalent"));
    assert_eq!(report["not_compared"][0]["file"], "b.c");
    assert_eq!(repository.compare(&["HEAD~2", "HEAD"]).0, 0);
    let run = repository.run(&["HEAD~2", "HEAD~1", "b.c"]);
    assert_eq!(run.code, Some(2), "{run:#?}");
    assert!(run.stderr.contains("nothing was compared: say how they are compiled"), "{run:#?}");
}

#[test]
fn generated_code_needs_the_build() {
    let makefile = "all: made.h table.c\n\tcc -DSCALE=2 -Iinc -c main.c\n\tcc -c table.c\n\
        made.h: limit.txt\n\techo \"#define LIMIT $$(cat limit.txt)\" > made.h\n\
        table.c: limit.txt\n\techo \"int table(void) { return $$(cat limit.txt); }\" > table.c\n";
    let main = "#include \"made.h\"\n#include <own.h>\nint scaled(int x) { return x * SCALE < LIMIT + OWN; }\n";
    let repository = Repository::with(&[
        &[
            ("Makefile", makefile),
            ("limit.txt", "7\n"),
            ("main.c", main),
            ("inc/own.h", "#define OWN 1\n"),
        ],
        &[("limit.txt", "8\n")],
    ]);
    let (code, report) = repository.compare(&["HEAD~1", "HEAD", "--build", "make"]);
    assert_eq!(code, 1, "{report:#}");
    assert_eq!(verdict(&report, "scaled"), "different");
    assert_eq!(verdict(&report, "table"), "different");
    assert_eq!(pair(&report, "table")["new"]["file"], "table.c");
    assert_eq!(report["notes"], serde_json::json!([]));
    // Nothing of the build is left in the working tree.
    assert_eq!(repository.git_in("work", &["status", "--porcelain", "--ignored"]), "");
    repository.fails(
        "work",
        &["HEAD~1", "--build", "true"],
        "compiled no C file: it must call the compiler",
    );
    let run = repository.run(&["HEAD~1", "--build", "echo no rule >&2; exit 4"]);
    assert_eq!(run.code, Some(2), "{run:#?}");
    assert!(
        run.stderr.contains("failed (exit status: 4)") && run.stderr.contains("no rule"),
        "{run:#?}"
    );
}

#[test]
fn a_compilation_database_of_the_working_tree_counts_for_both_revisions() {
    let code =
        |limit: &str| format!("#include <lib.h>\nint small(int x) {{ return x {limit} LIMIT; }}\n");
    let repository = Repository::with(&[
        &[
            ("src/a.c", &code("<")),
            ("lib/include/lib.h", "#ifndef LIMIT\n#error no limit\n#endif\n"),
        ],
        &[("src/a.c", &code("<="))],
    ]);
    let work = repository.work().canonicalize().unwrap();
    let database = format!(
        "[{{\"directory\": \"{0}/build\", \"file\": \"../src/a.c\", \"command\": \"gcc -fno-such-flag -I../lib/include -DLIMIT=5 -O2 -c ../src/a.c -o a.o\"}}]",
        work.display()
    );
    repository.write(&[("build/compile_commands.json", &database)]);
    let (code, report) = repository.compare(&["HEAD~1", "HEAD"]);
    assert_eq!((code, pair(&report, "small")["witness"]["inputs"]["x"].as_i64()), (1, Some(5)));
    assert_eq!(report["notes"], serde_json::json!([]));
    std::fs::rename(work.join("build"), repository.path("elsewhere")).unwrap();
    assert_eq!(repository.run(&["HEAD~1", "HEAD"]).code, Some(2));
    assert_eq!(repository.run(&["HEAD~1", "HEAD", "-p", "../elsewhere"]).code, Some(1));
    assert_eq!(repository.run(&["HEAD~1", "HEAD", "--cflags", "-DLIMIT=5"]).code, Some(1));
    repository.fails("work", &["HEAD~1", "-p", "nowhere"], "no compilation database");
}

#[test]
fn headers_that_something_generates_are_made_or_taken_from_the_working_tree() {
    let code = |value: &str| {
        format!(
            "#include \"config.h\"\n#include \"version.h\"\nint f(int x) {{\n#ifdef HAVE_STDIO_H\nreturn x + VERSION;\n#endif\nreturn {value};\n}}\n"
        )
    };
    let repository = Repository::with(&[
        &[
            ("a.c", &code("1")),
            ("config.h.in", "#undef HAVE_STDIO_H\n"),
            (".gitignore", "version.h\n"),
        ],
        &[("a.c", &code("2"))],
    ]);
    repository.write(&[("version.h", "#define VERSION 3\n")]);
    let (code, report) = repository.compare(&["HEAD~1", "HEAD"]);
    assert_eq!((code, verdict(&report, "f").as_str()), (0, "equivalent"), "{report:#}");
    let notes = report["notes"].to_string();
    assert!(notes.contains("used from the working tree for both revisions: version.h"), "{notes}");
    assert!(notes.contains("config.h was generated from config.h.in"), "{notes}");
    // A header that another revision has is missing in this one, whatever the working tree has.
    repository.commit(&[("late.h", "#define LATE 1\n"), ("b.c", "int b(int x) { return x; }\n")]);
    repository.git_in("work", &["checkout", "-q", "HEAD~1"]);
    repository.commit(&[("b.c", "#include \"late.h\"\nint b(int x) { return x + LATE; }\n")]);
    repository.commit(&[("late.h", "#define LATE 1\n")]);
    let run = repository.run(&["HEAD~1", "HEAD"]);
    assert_eq!(run.code, Some(2), "{run:#?}");
    assert!(run.stderr.contains("b.c: does not compile in HEAD~1 ("), "{run:#?}");
}

#[test]
fn what_configure_would_say_is_guessed() {
    // A configuration header of another name, headers that a macro asks for, a function that nothing declares, and a
    // variable that begins with a function of the library.
    let code = |value: &str| {
        format!(
            "#ifdef HAVE_CONFIG_H\n#include <my_private_config.h>\n#endif\n#ifdef HAVE_STDINT_H\n#include <stdint.h>\n#endif\n\
             uint32_t other(void);\nuint32_t f(uint32_t x) {{ return other() + (x {value}); }}\n"
        )
    };
    let other = "#ifdef HAVE_UNISTD_H\n#include <unistd.h>\n#endif\n#include <stdint.h>\n#include <stdlib.h>\n\
                 void *(*get)(size_t) = 0;\nstatic void (*give)(void *) = free;\n\
                 uint32_t other(void) { give(0); return getpid() + declared_nowhere(); }\n";
    let repository = Repository::with(&[
        &[
            ("a.c", &code("* 2")),
            ("b.c", other),
            ("cmake/my_private_config.h.cmake", "#cmakedefine HAVE_STDINT_H 1\n"),
        ],
        &[("a.c", &code("<< 1"))],
    ]);
    let (code, report) = repository.compare(&["HEAD~1", "HEAD"]);
    assert_eq!((code, verdict(&report, "f").as_str()), (0, "equivalent"), "{report:#}");
    assert!(!report["notes"].to_string().contains("could not be linked"), "{report:#}");
}

#[test]
fn what_cmake_would_generate_is_guessed() {
    let code = |value: &str| {
        format!(
            "#include \"small_export.h\"\n#include \"small.h\"\n#if !MINE_HAVE_STRDUP || HAVE_NO_SUCH_CALL\n#error\n#endif\n\
             #if !defined MORE_IS_HERE || !defined _GNU_SOURCE\n#error\n#endif\n\
             SMALL_EXPORT int f(int x) {{ return {value}; }}\n"
        )
    };
    let list = "if (NOT SMALL)\n  set(MORE \"#include \\\"more.h\\\"\")\nendif()\nadd_definitions(-D_GNU_SOURCE)\n";
    let template = "@MORE@\n#cmakedefine01 MINE_HAVE_STRDUP\n#cmakedefine01 HAVE_NO_SUCH_CALL\n";
    let repository = Repository::with(&[
        &[
            ("a.c", &code("x * 2")),
            ("small.h.cmakein", template),
            ("include/more.h", "#define MORE_IS_HERE\n"),
            ("CMakeLists.txt", list),
        ],
        &[("a.c", &code("x + x"))],
    ]);
    let (code, report) = repository.compare(&["HEAD~1", "HEAD"]);
    assert_eq!((code, verdict(&report, "f").as_str()), (0, "equivalent"), "{report:#}");
    let notes = report["notes"].to_string();
    assert!(notes.contains("small.h was generated from small.h.cmakein"), "{notes}");
    assert!(notes.contains("small_export.h was generated with empty macros"), "{notes}");
}

#[test]
fn a_library_file_that_a_test_includes_is_compared_by_itself() {
    let library = |value: &str| {
        format!(
            "static int twice(int x) {{ return x {value}; }}\nint f(int x) {{ return twice(x); }}\n"
        )
    };
    let test =
        "#include <missing.h>\n#include \"../src/lib.c\"\nint test(void) { return twice(1); }\n";
    let whole = "#include \"part.c\"\nint whole(int x) { return part(x); }\n";
    let part = |value: &str| format!("static int part(int x) {{ return x {value}; }}\n");
    let repository = Repository::with(&[
        &[
            ("src/lib.c", &library("* 2")),
            ("tests/a.c", test),
            ("whole.c", whole),
            ("part.c", &part("* 2")),
        ],
        &[("src/lib.c", &library("<< 1")), ("part.c", &part("<< 1"))],
    ]);
    let (code, report) = repository.compare(&["HEAD~1", "HEAD"]);
    assert_eq!(files(&report, "new"), ["src/lib.c", "whole.c"], "{report:#}");
    assert_eq!((code, verdict(&report, "twice").as_str()), (0, "equivalent"), "{report:#}");
    let notes = report["notes"].to_string();
    assert!(notes.contains("by itself: tests/a.c"), "{notes}");
    // What changed itself is compared.
    repository.commit(&[(
        "tests/a.c",
        &test.replace("twice(1)", "twice(2)").replace("<missing.h>", "<stdio.h>"),
    )]);
    repository.commit(&[(
        "tests/a.c",
        &test.replace("twice(1)", "f(2)").replace("<missing.h>", "<stdio.h>"),
    )]);
    let (code, report) = repository.compare(&["HEAD~1", "HEAD"]);
    assert_eq!((code, verdict(&report, "test").as_str()), (0, "equivalent"), "{report:#}");
}

#[test]
fn two_programs_in_one_repository() {
    let program = |name: &str, value: &str| {
        format!(
            "#include <stdio.h>\nint {name}(int x) {{ return x + {value}; }}\nvoid usage(void) {{ puts(\"{name}\"); }}\nint main(void) {{ usage(); return {name}(1); }}\n"
        )
    };
    let repository = Repository::with(&[
        &[("one.c", &program("one", "1")), ("two.c", &program("two", "1"))],
        &[("one.c", &program("one", "1 + 0")), ("two.c", &program("two", "2"))],
    ]);
    let (code, report) = repository.compare(&["HEAD~1", "HEAD"]);
    assert_eq!(code, 1, "{report:#}");
    assert_eq!(verdict(&report, "one"), "equivalent");
    assert_eq!(verdict(&report, "two"), "different");
    let mains: Vec<&Value> =
        report["pairs"].as_array().unwrap().iter().filter(|p| p["function"] == "main").collect();
    let of =
        |file: &str| mains.iter().find(|p| p["new"]["file"] == file).unwrap()["verdict"].clone();
    assert_eq!(mains.len(), 2, "{report:#}");
    assert_eq!((of("one.c"), of("two.c")), ("equivalent".into(), "different".into()));
}

#[test]
fn an_unchanged_file_between_two_changed_ones_is_not_taken_for_unknown() {
    // f calls through(), which is in a file that did not change, and that calls h(), which did change.
    let caller =
        |zero: &str| format!("int through(int);\nint f(int x) {{ return through(x){zero}; }}\n");
    let repository = Repository::with(&[
        &[
            ("a.c", &caller("")),
            (
                "b.c",
                "int h(int);\nint through(int x) { return h(x); }\nint rest(int x) { return x; }\n",
            ),
            ("c.c", "int h(int x) { return x; }\n"),
            ("other.c", "int main(void) { return 1; }\n"),
        ],
        &[("a.c", &caller(" + 0")), ("c.c", "int h(int x) { return x + 1; }\n")],
    ]);
    let (code, report) = repository.compare(&["HEAD~1", "HEAD"]);
    assert_eq!((code, verdict(&report, "f").as_str()), (1, "different"));
    // What is only linked is not judged.
    assert_eq!(functions(&report), ["f", "h"]);
    assert_eq!(files(&report, "new"), ["a.c", "c.c"]);
}

#[test]
fn a_function_of_a_header_is_judged_once() {
    let user = |name: &str| {
        format!("#include \"step.h\"\nint {name}(int x) {{ return step(x) + counted(); }}\n")
    };
    let header = "static inline int less(int x) { return x - 1; }\n\
        static inline int step(int x) { return less(x) + 2; }\n\
        static inline int counted(void) { static int n; return n++; }\n";
    let files: Vec<(String, String)> =
        (0..5).map(|n| (format!("user{n}.c"), user(&format!("user{n}")))).collect();
    let mut first: Vec<(&str, &str)> =
        files.iter().map(|(n, t)| (n.as_str(), t.as_str())).collect();
    first.push(("step.h", header));
    let repository = Repository::with(&[
        &first,
        &[("step.h", &header.replace("x - 1", "-1 + x").replace("+ 2", "+ 3"))],
    ]);
    let (code, report) = repository.compare(&["HEAD~1", "HEAD"]);
    assert_eq!(code, 1, "{report:#}");
    let count = |name: &str| functions(&report).into_iter().filter(|f| *f == name).count();
    assert_eq!((count("less"), count("step")), (1, 1), "{:?}", functions(&report));
    // Each file has a counter of its own, so these are functions of their own.
    assert_eq!(count("counted"), 5);
    assert_eq!(
        (verdict(&report, "less"), verdict(&report, "step")),
        ("equivalent".into(), "different".into())
    );
    assert_eq!(verdict(&report, "user4"), "different");
    assert_eq!(
        (&report["summary"]["added"], &report["summary"]["removed"]),
        (&0.into(), &0.into())
    );
}

#[test]
fn a_run_that_is_interrupted_during_the_build_leaves_nothing() {
    let repository = Repository::with(&[&[("a.c", CLAMP)], &[("a.c", CLAMP_OTHER)]]);
    let mut verdiff = Command::new(env!("CARGO_BIN_EXE_verdiff"));
    verdiff.args(["git", "HEAD~1", "--build", "touch ../../../begun; sleep 2"]);
    verdiff.current_dir(repository.work()).env("TMPDIR", repository.path("temporary"));
    let mut run = independent(&mut verdiff).stderr(std::process::Stdio::null()).spawn().unwrap();
    let begun = std::time::Instant::now();
    while !repository.path("temporary/begun").exists() {
        assert!(begun.elapsed().as_secs() < 60, "the build did not begin");
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    std::fs::remove_file(repository.path("temporary/begun")).unwrap();
    let id = run.id().to_string();
    assert!(Command::new("kill").args(["-INT", &id]).status().unwrap().success());
    assert_eq!(run.wait().unwrap().code(), Some(130));
    assert_eq!(std::fs::read_dir(repository.path("temporary")).unwrap().count(), 0);
}

#[test]
fn a_header_above_is_named_without_steps() {
    let header = |step: &str| format!("static inline int next(int x) {{ return x + {step}; }}\n");
    let user = "#include \"../lib.h\"\nint use(int x) { return next(x); }\n";
    let repository = Repository::with(&[
        &[
            ("lib.h", &header("1")),
            ("src/a.c", user),
            ("src/deep/b.c", &user.replace("../", "../../").replace("use", "again")),
        ],
        &[("lib.h", &header("2"))],
    ]);
    let (code, report) = repository.compare(&["HEAD~1", "HEAD"]);
    assert_eq!((code, pair(&report, "next")["new"]["file"].as_str()), (1, Some("lib.h")));
    assert!(repository.run(&["HEAD~1", "HEAD"]).stdout.contains("lib.h:1, lib.h:1"));
}

/// What changed outside of the paths is not judged, and not taken for unchanged either.
#[test]
fn paths_limit_what_is_judged_and_not_what_is_compared() {
    let use_ = |sum: &str| format!("int helper(int);\nint use(int x) {{ return {sum}; }}\n");
    let (old, new) = (use_("helper(x) * 2"), use_("helper(x) + helper(x)"));
    let repository = Repository::with(&[
        &[("a.c", &old), ("b.c", "int helper(int x) { return x; }\n")],
        &[("a.c", &new), ("b.c", "int helper(int x) { return x + 1; }\n")],
        &[("b.c", "int helper(int x) { return }\n")],
    ]);
    let (code, report) = repository.compare(&["HEAD~2", "HEAD~1", "--", "a.c"]);
    assert_eq!((code, verdict(&report, "use").as_str()), (1, "different"), "{report:#}");
    assert_eq!(functions(&report), ["use"], "{report:#}");
    // Its definition does not compile in one revision: it may do anything there.
    for paths in [&["HEAD~2", "HEAD", "--", "a.c"][..], &["HEAD~2", "HEAD"]] {
        let (code, report) = repository.compare(paths);
        assert_eq!(
            (code, verdict(&report, "use").as_str()),
            (3, "unknown(unsupported)"),
            "{report:#}"
        );
        let why = report["pairs"][0]["reason"]["detail"].as_str().unwrap_or_default();
        assert!(why.contains("a use of helper, whose definition is not linked"), "{why}");
    }
}

/// A file that does not compile in one revision is compared with nothing. Functions of other files that call what it defines
/// did not change: they may be affected, and are neither changed functions nor equivalent.
#[test]
fn callers_of_what_does_not_compile_may_be_affected() {
    let user = "int helper(int);\nint use(int x) { return helper(x) + 1; }\nint same(int x) { return x; }\n";
    let caller = "int use(int);\nint outer(int x) { return use(x) * 2; }\n";
    let changed = caller.replace("* 2", "* 3");
    let repository = Repository::with(&[
        &[("a.c", user), ("b.c", "int helper(int x) { return }\n"), ("c.c", caller)],
        &[("a.c", &format!("{user}/* changed */\n")), ("b.c", "int helper(int x) { return x; }\n")],
        &[("c.c", &changed)],
    ]);
    let (code, report) = repository.compare(&["HEAD~2", "HEAD~1"]);
    assert_eq!(code, 3, "{report:#}");
    let of = |report: &Value, function: &str| {
        let pair = pair(report, function);
        let through = pair["impact"]["through"][0].as_str().unwrap_or_default().to_owned();
        (
            verdict(report, function),
            pair["changed"].as_str().unwrap_or_default().to_owned(),
            through,
        )
    };
    let undecided = |changed: &str, through: &str| {
        ("unknown(unsupported)".to_owned(), changed.to_owned(), through.to_owned())
    };
    assert_eq!(of(&report, "use"), undecided("callees", "helper"), "{report:#}");
    assert_eq!(pair(&report, "use")["impact"]["kind"], "possible", "{report:#}");
    // Neither version of b.c compiles against the other, and c.c itself changed.
    let (code, report) = repository.compare(&["HEAD~2", "HEAD"]);
    assert_eq!(code, 3, "{report:#}");
    assert_eq!(of(&report, "use"), undecided("callees", "helper"), "{report:#}");
    assert_eq!(pair(&report, "outer")["changed"], "text", "{report:#}");
}

/// The text is the same, and the program is another one.
#[test]
fn files_that_are_compiled_with_other_flags_are_compared() {
    let makefile = |scale: i32| format!("all:\n\tcc -DSCALE={scale} -c main.c\n");
    let repository = Repository::with(&[
        &[("Makefile", &makefile(2)), ("main.c", "int scaled(int x) { return x * SCALE; }\n")],
        &[("Makefile", &makefile(3))],
    ]);
    let (code, report) = repository.compare(&["HEAD~1", "HEAD", "--build", "make"]);
    assert_eq!((code, verdict(&report, "scaled").as_str()), (1, "different"), "{report:#}");
}

/// Both revisions are compiled in folders that have another name in each run: that is no part of what is kept.
#[test]
fn a_second_run_compiles_and_judges_nothing() {
    let text = |sum: &str| {
        format!("#include \"unit.h\"\nint sum(int a, int b) {{ return UNIT * ({sum}); }}\n")
    };
    let repository = Repository::with(&[
        &[
            ("Makefile", "all:\n\tcc -Iinclude -c main.c\n"),
            ("include/unit.h", "#define UNIT 1\n"),
            ("main.c", &text("(a & b) + (a | b)")),
        ],
        &[("main.c", &text("a + b"))],
        &[("main.c", &text("b + a + 1"))],
    ]);
    for build in [&[][..], &["--build", "make"]] {
        let cache = tempfile::tempdir().unwrap();
        let cache = cache.path().to_str().unwrap();
        let run = |revisions: &[&str]| {
            let (_, report) = repository.compare(&[revisions, build, &["--cache", cache]].concat());
            (verdict(&report, "sum"), pair(&report, "sum")["cached"].as_bool().unwrap())
        };
        let last = ["HEAD~2", "HEAD~1"];
        assert_eq!(run(&last), ("equivalent".to_owned(), false), "{build:?}");
        assert_eq!(run(&last), ("equivalent".to_owned(), true), "{build:?}");
        assert_eq!(run(&["HEAD~1", "HEAD"]), ("different".to_owned(), false), "{build:?}");
        assert_eq!(run(&["HEAD~1", "HEAD"]), ("different".to_owned(), true), "{build:?}");
    }
}
