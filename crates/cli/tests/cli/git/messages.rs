//! What the user reads: nothing to compare, what is wrong, the page of the book.

use super::{CLAMP, CLAMP_OTHER, CLAMP_SAME, Repository};
use crate::support::{Run, verdict};
use std::path::Path;
use std::process::Command;

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

/// Images and programs beside C code are nobody's business here; a file that only looks like C is one that does not compile.
#[test]
fn binary_files_in_a_commit_do_not_stop_the_rest() {
    let repository = Repository::with(&[
        &[("a.c", CLAMP), ("logo.png", "\u{89}PNG\u{0}\u{1}"), ("tool", "\u{7f}ELF\u{0}\u{1}")],
        &[("a.c", CLAMP_OTHER), ("logo.png", "\u{89}PNG\u{0}\u{2}"), ("tool", "\u{7f}ELF\u{0}")],
        &[("logo.png", "\u{89}PNG\u{0}\u{3}")],
        &[("b.c", "\u{0}\u{1}\u{2}")],
        &[("b.c", "\u{0}\u{1}\u{3}"), ("a.c", CLAMP)],
    ]);
    let (code, report) = repository.compare(&["HEAD~4", "HEAD~3"]);
    assert_eq!((code, verdict(&report, "clamp")), (1, "different".to_owned()), "{report:#}");
    let run = repository.run(&["HEAD~3", "HEAD~2"]);
    assert_eq!((run.code, run.stdout.lines().count()), (Some(0), 1), "{run:#?}");
    assert!(run.stdout.starts_with("no C code differs between HEAD~3 ("), "{run:#?}");
    // Nothing but a file that is no C file.
    let run = repository.run(&["HEAD~2", "HEAD~1"]);
    assert_eq!((run.code, run.stdout.as_str()), (Some(2), ""), "{run:#?}");
    assert!(run.stderr.contains("b.c: does not compile in HEAD~1 ("), "{run:#?}");
    let run = repository.run(&["HEAD~1", "HEAD"]);
    assert_eq!(run.code, Some(1), "{run:#?}");
    assert!(run.stdout.contains("clamp: different"), "{run:#?}");
    assert!(run.stdout.contains("b.c: does not compile in either revision"), "{run:#?}");
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
fn a_report_about_revisions_is_not_replayed_on_the_working_tree() {
    let repository = Repository::with(&[&[("a.c", CLAMP)], &[("a.c", CLAMP_OTHER)]]);
    assert_eq!(repository.run(&["HEAD~1", "HEAD", "-o", "../report.json"]).code, Some(1));
    let mut replay = Command::new(env!("CARGO_BIN_EXE_verdiff"));
    replay.args(["replay", "../report.json"]).current_dir(repository.work());
    let run = Run::of(&repository.output(&mut replay));
    assert_eq!(run.code, Some(2), "{run:#?}");
    assert!(run.stderr.contains("about revisions of a repository (HEAD~1 ("), "{run:#?}");
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
