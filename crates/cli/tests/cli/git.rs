//! Revisions of a git repository, from the command line to the report.

use crate::support::{Run, pair, verdict};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// A repository for one test, gone after it.
struct Repository {
    folder: tempfile::TempDir,
}

const CLAMP: &str = "int clamp(int x) { if (x < 0) return 0; return x; }\n";
const CLAMP_SAME: &str = "int clamp(int x) { return x < 0 ? 0 : x; }\n";
const CLAMP_OTHER: &str = "int clamp(int x) { return x < 1 ? 1 : x; }\n";

impl Repository {
    fn new() -> Repository {
        let repository = Repository { folder: tempfile::tempdir().unwrap() };
        std::fs::create_dir(repository.path("temporary")).unwrap();
        repository.git(&["init", "-q", "-b", "main", "work"]);
        repository
    }

    /// A repository with commits of these files, one after the other.
    fn with(commits: &[&[(&str, &str)]]) -> Repository {
        let repository = Repository::new();
        for files in commits {
            repository.commit(files);
        }
        repository
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn work(&self) -> PathBuf {
        self.path("work")
    }

    fn write(&self, files: &[(&str, &str)]) {
        for (name, text) in files {
            let path = self.work().join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
    }

    fn commit(&self, files: &[(&str, &str)]) {
        self.write(files);
        self.git_in("work", &["add", "-A"]);
        self.git_in("work", &["commit", "-q", "--allow-empty", "-m", "change"]);
    }

    fn git(&self, arguments: &[&str]) -> String {
        self.git_in("", arguments)
    }

    #[track_caller]
    fn git_in(&self, folder: &str, arguments: &[&str]) -> String {
        let allow = ["-c", "protocol.file.allow=always"];
        let mut git = Command::new("git");
        git.args(allow).args(arguments).current_dir(self.path(folder));
        let output = independent(&mut git).output().unwrap();
        assert!(output.status.success(), "git {arguments:?}: {output:?}");
        String::from_utf8(output.stdout).unwrap()
    }

    /// Runs `verdiff git` in a folder.
    fn run_in(&self, folder: &str, arguments: &[&str]) -> Run {
        let mut verdiff = Command::new(env!("CARGO_BIN_EXE_verdiff"));
        verdiff.arg("git").args(arguments).current_dir(self.path(folder));
        Run::of(&self.output(&mut verdiff))
    }

    fn output(&self, command: &mut Command) -> Output {
        let temporary = self.path("temporary");
        let output = independent(command).env("TMPDIR", &temporary).output().unwrap();
        let left: Vec<_> = std::fs::read_dir(&temporary).unwrap().collect();
        assert!(left.is_empty(), "{left:?} is left behind by {command:?}");
        output
    }

    fn run(&self, arguments: &[&str]) -> Run {
        self.run_in("work", arguments)
    }

    /// The exit code and the JSON report.
    #[track_caller]
    fn compare(&self, arguments: &[&str]) -> (i32, Value) {
        let run = self.run(&[&["--format", "json"], arguments].concat());
        let report = serde_json::from_str(&run.stdout);
        (run.code.unwrap(), report.unwrap_or_else(|error| panic!("{error}: {run:#?}")))
    }

    /// One message, and exit code 2.
    #[track_caller]
    fn fails(&self, folder: &str, arguments: &[&str], message: &str) {
        let run = self.run_in(folder, arguments);
        assert_eq!(run.code, Some(2), "{run:#?}");
        assert!(run.stderr.starts_with("error: ") && run.stderr.contains(message), "{run:#?}");
        assert_eq!(run.stderr.trim_end().lines().count(), 1, "{run:#?}");
        assert_eq!(run.stdout, "");
    }
}

/// Whatever git is told elsewhere does not matter here.
fn independent(command: &mut Command) -> &mut Command {
    for name in ["GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE"] {
        command.env_remove(name);
    }
    let configuration = [("GIT_CONFIG_GLOBAL", "/dev/null"), ("GIT_CONFIG_SYSTEM", "/dev/null")];
    let people =
        ["GIT_AUTHOR_NAME", "GIT_AUTHOR_EMAIL", "GIT_COMMITTER_NAME", "GIT_COMMITTER_EMAIL"];
    // The same names of commits everywhere and always.
    let dates = ["GIT_AUTHOR_DATE", "GIT_COMMITTER_DATE"];
    let dates = dates.map(|name| (name, "2020-01-01T00:00:00Z"));
    command.envs(configuration).envs(people.map(|name| (name, "tester"))).envs(dates)
}

fn files(report: &Value, side: &str) -> Vec<String> {
    let list = report[side]["files"].as_array().unwrap();
    list.iter().map(|file| file.as_str().unwrap().to_owned()).collect()
}

fn functions(report: &Value) -> Vec<&str> {
    report["pairs"].as_array().unwrap().iter().map(|p| p["function"].as_str().unwrap()).collect()
}

#[test]
fn the_last_commit_by_the_paths_of_the_repository() {
    let other = "int twice(int x) { return 2 * x; }\n";
    let repository =
        Repository::with(&[&[("src/a.c", CLAMP), ("src/b.c", other)], &[("src/a.c", CLAMP_SAME)]]);
    let before = repository.git_in("work", &["status", "--porcelain"]);
    let (code, report) = repository.compare(&["HEAD~1", "HEAD"]);
    assert_eq!((code, verdict(&report, "clamp").as_str()), (0, "equivalent"));
    assert_eq!(pair(&report, "clamp")["old"]["file"], "src/a.c");
    // What did not change is not even compiled.
    assert_eq!(functions(&report), ["clamp"]);
    assert_eq!(files(&report, "old"), ["src/a.c"]);
    assert!(report["old"]["revision"].as_str().unwrap().starts_with("HEAD~1 ("), "{report:#}");
    assert_eq!(repository.git_in("work", &["status", "--porcelain"]), before);
    let (_, report) = repository.compare(&["HEAD~1", "HEAD", "--all"]);
    assert_eq!(functions(&report).len(), 2, "{report:#}");
}

#[test]
fn the_working_tree_the_index_and_ranges() {
    let repository = Repository::with(&[&[("a.c", CLAMP)], &[("a.c", CLAMP_SAME)]]);
    repository.write(&[("a.c", CLAMP_OTHER)]);
    repository.git_in("work", &["add", "a.c"]);
    repository.write(&[("a.c", CLAMP)]);
    let code = |arguments: &[&str]| repository.run(arguments).code.unwrap();
    // HEAD and the working tree, REV and the working tree, and the index.
    assert_eq!(code(&[]), 0);
    assert_eq!(code(&["HEAD~1"]), 0);
    assert_eq!(code(&["--cached"]), 1);
    assert_eq!(code(&["--staged", "HEAD~1"]), 1);
    assert_eq!(code(&["HEAD~1..HEAD"]), 0);
    assert_eq!(code(&["HEAD~1.."]), 0);
    // A branch that differs, and main has gone on since.
    repository.git_in("work", &["checkout", "-q", "-f", "-b", "branch", "HEAD~1"]);
    repository.commit(&[("a.c", CLAMP_SAME), ("b.c", CLAMP.replace("clamp", "b").as_str())]);
    repository.git_in("work", &["checkout", "-q", "main"]);
    repository.commit(&[("a.c", CLAMP_OTHER)]);
    let (code, report) = repository.compare(&["main...branch"]);
    assert_eq!((code, verdict(&report, "clamp").as_str()), (0, "equivalent"));
    assert_eq!(verdict(&report, "b"), "added");
    let (code, report) = repository.compare(&["main..branch"]);
    assert_eq!((code, verdict(&report, "clamp").as_str()), (1, "different"));
}

#[test]
fn the_text_shows_lines_of_both_revisions() {
    let repository = Repository::with(&[&[("a.c", CLAMP)], &[("a.c", CLAMP_OTHER)]]);
    let run = repository.run(&["HEAD~1", "HEAD"]);
    assert_eq!(run.code, Some(1), "{run:#?}");
    for line in
        ["clamp: different", "- 1 | int clamp(int x) { if", "+ 1 | int clamp(int x) { return x < 1"]
    {
        assert!(run.stdout.contains(line), "{line} is not in {}", run.stdout);
    }
    assert!(run.stdout.contains("note: compiler flags were guessed"), "{}", run.stdout);
    assert!(!run.stdout.contains("temporary"), "{}", run.stdout);
}

#[test]
fn a_changed_header_reaches_the_files_that_include_it() {
    let user =
        |name: &str| format!("#include \"limit.h\"\nint {name}(int x) {{ return x < LIMIT; }}\n");
    let repository = Repository::with(&[
        &[
            ("include/base.h", "#define LIMIT 10\n"),
            ("include/limit.h", "#include \"base.h\"\n"),
            ("src/a.c", &user("a")),
            ("src/b.c", "int b(int x) { return x; }\n"),
        ],
        &[("include/base.h", "#define LIMIT 11\n")],
    ]);
    let (code, report) = repository.compare(&["HEAD~1", "HEAD"]);
    assert_eq!(code, 1);
    assert_eq!(files(&report, "new"), ["src/a.c"]);
    assert_eq!(pair(&report, "a")["witness"]["inputs"]["x"], 10);
    // Paths limit which changes count.
    let run = repository.run(&["HEAD~1", "HEAD", "--", "src"]);
    assert_eq!((run.code, run.stdout.lines().count()), (Some(0), 1), "{run:#?}");
    assert_eq!(repository.run(&["HEAD~1", "HEAD", "include"]).code, Some(1));
    assert_eq!(repository.run_in("work/include", &["HEAD~1", "HEAD", "base.h"]).code, Some(1));
}

#[test]
fn renamed_files_and_moved_functions_are_followed() {
    let filler: String =
        (0..20).map(|n| format!("int filler{n}(int x) {{ return x + {n}; }}\n")).collect();
    let secret =
        "static int secret(int x) { return x + 1; }\nint open(int x) { return secret(x); }\n";
    let repository = Repository::with(&[&[
        ("a.c", &format!("{filler}{secret}")),
        ("c.c", &format!("{CLAMP}int stays(int x) {{ return x; }}\n")),
    ]]);
    repository.git_in("work", &["mv", "a.c", "b.c"]);
    let changed = secret.replace("x + 1", "1 + x").replace("secret(x)", "secret(x) + 0");
    repository.commit(&[
        ("b.c", &format!("{filler}{changed}")),
        ("c.c", "int stays(int x) { return x; }\n"),
        ("d.c", CLAMP_OTHER),
    ]);
    let (code, report) = repository.compare(&["HEAD~1", "HEAD"]);
    assert_eq!(code, 1);
    assert_eq!(verdict(&report, "secret"), "equivalent");
    assert_eq!(pair(&report, "secret")["old"]["file"], "a.c");
    assert_eq!(pair(&report, "secret")["new"]["file"], "b.c");
    assert_eq!(verdict(&report, "clamp"), "different");
    assert_eq!(pair(&report, "clamp")["new"]["file"], "d.c");
    assert_eq!(report["summary"]["added"], 0);
}

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
    assert!(
        notes.contains("taken from the working tree, for both revisions: version.h"),
        "{notes}"
    );
    assert!(notes.contains("config.h was made from config.h.in"), "{notes}");
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
fn submodules_are_part_of_a_revision() {
    let repository = Repository::new();
    repository.git(&["init", "-q", "-b", "main", "library"]);
    let commit = |text: &str| {
        std::fs::write(repository.path("library/lib.h"), text).unwrap();
        repository.git_in("library", &["add", "-A"]);
        repository.git_in("library", &["commit", "-q", "-m", "change"]);
    };
    commit("#define STEP 1\n");
    repository.git_in("work", &["submodule", "--quiet", "add", "../library", "lib"]);
    repository.commit(&[("a.c", "#include \"lib/lib.h\"\nint next(int x) { return x + STEP; }\n")]);
    commit("#define STEP 2\n");
    repository.git_in("work/lib", &["pull", "-q"]);
    let (code, report) = repository.compare(&[]);
    assert_eq!((code, verdict(&report, "next").as_str()), (1, "different"));
    repository.commit(&[]);
    assert_eq!(repository.compare(&["HEAD~1", "HEAD"]).0, 1);
    // A clone without its submodules has nothing to compile with.
    repository.git(&["clone", "-q", "work", "clone"]);
    let run = repository.run_in("clone", &["HEAD~1", "HEAD", "--all"]);
    assert_eq!(run.code, Some(2), "{run:#?}");
    assert!(run.stderr.contains("git submodule update --init"), "{run:#?}");
}

#[test]
fn merge_commits_and_dirty_trees() {
    let repository =
        Repository::with(&[&[("a.c", CLAMP), ("b.c", "int b(int x) { return x; }\n")]]);
    repository.git_in("work", &["checkout", "-q", "-b", "branch"]);
    repository.commit(&[("a.c", CLAMP_SAME)]);
    repository.git_in("work", &["checkout", "-q", "main"]);
    repository.commit(&[("b.c", "int b(int x) { return x + 1; }\n")]);
    repository.git_in("work", &["merge", "-q", "--no-edit", "branch"]);
    // Against the first parent only the branch's change is there, against the second only main's.
    let (code, report) = repository.compare(&["HEAD^1", "HEAD"]);
    assert_eq!((code, functions(&report)), (0, vec!["clamp"]));
    let (code, report) = repository.compare(&["HEAD^2", "HEAD"]);
    assert_eq!((code, functions(&report)), (1, vec!["b"]));
    // A deleted and an untracked file.
    std::fs::remove_file(repository.work().join("b.c")).unwrap();
    repository.write(&[("new.c", "broken")]);
    let run = repository.run(&[]);
    assert_eq!(run.code, Some(0), "{run:#?}");
    assert!(
        run.stdout.starts_with("nothing to compare: the affected files are only in HEAD ("),
        "{run:#?}"
    );
    repository.write(&[("a.c", CLAMP_OTHER)]);
    let (code, report) = repository.compare(&[]);
    assert_eq!((code, verdict(&report, "b").as_str()), (1, "removed"));
}

#[test]
fn nothing_to_compare_is_one_sentence() {
    let repository = Repository::with(&[
        &[("a.c", CLAMP), ("logo.png", "\u{0}\u{1}PNG"), ("unused.h", "int x;\n")],
        &[("README", "text\n"), ("logo.png", "\u{0}\u{2}PNG"), ("unused.h", "int y;\n")],
    ]);
    let run = repository.run(&["HEAD"]);
    assert_eq!(run.code, Some(0), "{run:#?}");
    assert!(run.stdout.starts_with("no file differs between HEAD ("), "{run:#?}");
    let run = repository.run(&["HEAD~1", "HEAD"]);
    assert_eq!((run.code, run.stdout.lines().count()), (Some(0), 1), "{run:#?}");
    assert!(run.stdout.starts_with("no C code differs between HEAD~1 ("), "{run:#?}");
    // No function in common.
    repository.commit(&[("a.c", "int other(int x) { return x; }\n")]);
    repository.fails("work", &["HEAD~1"], "no function in common");
}

#[test]
fn what_cannot_be_compared_is_one_sentence() {
    let repository =
        Repository::with(&[&[("a.c", CLAMP)], &[("a.c", CLAMP_SAME)], &[("README", "x\n")]]);
    std::fs::create_dir(repository.path("empty")).unwrap();
    repository.fails("empty", &[], "not in a git repository");
    repository.fails("work", &["nonsense"], "nonsense: neither a revision nor a path");
    repository.fails("work", &["HEAD", "HEAD~1", "HEAD~2"], "two revisions can be compared");
    repository.fails("work", &["HEAD~1..HEAD", "HEAD"], "a range names both");
    repository.fails("work", &["--cached", "HEAD", "HEAD~1"], "name at most one");
    repository.git_in("work", &["tag", "a.c"]);
    repository.fails("work", &["a.c"], "both a revision and a path");
    assert_eq!(repository.run(&["HEAD", "--", "a.c"]).code, Some(0));
    repository.git(&["init", "-q", "fresh"]);
    repository.fails("fresh", &[], "has no commit yet");
    repository.git(&["clone", "-q", "--bare", "work", "bare.git"]);
    repository.fails("bare.git", &["HEAD~1"], "this is a bare repository");
    assert_eq!(repository.run_in("bare.git", &["HEAD~2", "HEAD"]).code, Some(0));
    let url = format!("file://{}", repository.work().display());
    repository.git(&["clone", "-q", "--depth", "1", &url, "shallow"]);
    repository.fails("shallow", &["HEAD~1"], "not in this shallow clone");
    repository.commit(&[]);
    repository.git_in("work", &["rm", "-q", "a.c"]);
    repository.commit(&[]);
    repository.commit(&[("README", "y\n")]);
    repository.fails("work", &["HEAD~1", "HEAD"], "there is no C file in HEAD (");
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

/// `UPDATE_EXPECT=1` writes what it prints now into the page.
#[test]
fn the_output_in_the_book_is_real() {
    const FENCE: &str = "```console\n";
    let queue = "#include \"limit.h\"\n\nint is_full(int used) {\n    return used >= LIMIT;\n}\n";
    let scale = "int scale(int percent) {\n    if (percent > 100)\n        percent = 100;\n    return percent * 2;\n}\n";
    let scale_new =
        "int scale(int percent) {\n    return 2 * (percent > 100 ? 100 : percent);\n}\n";
    let other = "int other(int x) {\n    return x;\n}\n";
    let repository = Repository::with(&[
        &[
            ("src/queue.c", queue),
            ("src/limit.h", "#define LIMIT 16\n"),
            ("src/scale.c", "int scale(int percent) {\n    return percent *\n}\n"),
            ("src/other.c", other),
        ],
        &[("src/scale.c", scale)],
        &[("src/limit.h", "#define LIMIT 15\n"), ("src/scale.c", scale_new)],
    ]);
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/book/git.md");
    let page = std::fs::read_to_string(&path).unwrap();
    let mut blocks = page.split(FENCE);
    let mut real = blocks.next().unwrap().to_owned();
    for block in blocks {
        let (block, after) = block.split_once("```").unwrap();
        let line = block.lines().next().unwrap();
        let arguments: Vec<&str> =
            line.strip_prefix("$ git verdiff ").unwrap().split(' ').collect();
        let run = repository.run(&arguments);
        real += &format!("{FENCE}{line}\n{}{}```{after}", run.stderr, run.stdout);
    }
    match std::env::var_os("UPDATE_EXPECT") {
        Some(_) => std::fs::write(path, real).unwrap(),
        None => assert_eq!(page, real),
    }
}

#[test]
fn git_runs_it_as_its_own_command() {
    let repository = Repository::with(&[&[("a.c", CLAMP)], &[("a.c", CLAMP_OTHER)]]);
    let programs = Path::new(env!("CARGO_BIN_EXE_git-verdiff")).parent().unwrap();
    let path = std::env::var_os("PATH").unwrap();
    let path = std::env::join_paths(
        [programs.to_path_buf()].into_iter().chain(std::env::split_paths(&path)),
    );
    let mut git = Command::new("git");
    git.args(["verdiff", "HEAD~1", "-q"]).current_dir(repository.work()).env("PATH", path.unwrap());
    let run = Run::of(&repository.output(&mut git));
    assert_eq!(run.code, Some(1), "{run:#?}");
    assert!(run.stdout.contains("clamp"), "{run:#?}");
}
