//! Revisions of a git repository, from the command line to the report.

mod builds;
mod editor;
mod integrations;
mod messages;

use crate::support::{Run, pair, verdict};
use serde_json::Value;
use std::path::PathBuf;
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
