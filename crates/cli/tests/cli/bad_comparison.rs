//! Bad input of the comparison: one clear message, nothing on standard output, nothing written, exit code 2.

use crate::bad_input::refused;
use crate::support::Folder;

const F: &str = "int f(int x) { return x; }\n";

#[test]
fn a_missing_file() {
    let folder = Folder::versions(F, F);
    refused(folder.run(&["old.c", "absent.c"]), "absent.c: no such file or directory");
    refused(folder.run(&["absent.c", "new.c"]), "absent.c: no such file or directory");
    refused(
        folder.run(&["--old", "old.c", "absent.c", "--new", "new.c"]),
        "absent.c: no such file or directory",
    );
}

#[test]
fn a_version_that_does_not_compile() {
    let folder = Folder::versions(F, "int f(int x) {\n    return y;\n}\n");
    let run = folder.run(&["old.c", "new.c", "-o", "r.json"]);
    assert_eq!((run.code, run.stdout.as_str()), (Some(2), ""), "{run:#?}");
    let start = "new.c:2:12: error: use of undeclared identifier 'y'\n";
    let end = "error: new.c: does not compile (clang's messages are above)\n";
    assert!(run.stderr.starts_with(start) && run.stderr.ends_with(end), "{run:#?}");
    assert!(!folder.path("r.json").exists());
}

#[test]
fn nothing_in_common() {
    let folder = Folder::versions(F, "int g(int x) { return x; }\n");
    refused(
        folder.run(&["old.c", "new.c"]),
        "the two versions have no function in common: there is nothing to compare",
    );
}

#[test]
fn names_that_are_not_there() {
    let folder = Folder::versions(F, F);
    refused(
        folder.run(&["old.c", "new.c", "--entry", "g"]),
        "g: no such function in both versions; they both define f",
    );
    refused(
        folder.run(&["old.c", "new.c", "--rename", "f=g"]),
        "--rename: the new version has no function g",
    );
    refused(
        folder.run(&["old.c", "new.c", "--rename", "g=f"]),
        "--rename: the old version has no function g",
    );
}

#[test]
fn numbers_that_are_none() {
    let folder = Folder::versions(F, F);
    refused(folder.run(&["old.c", "new.c", "--jobs", "0"]), "--jobs: must be at least 1");
    for (option, value) in
        [("timeout", "0"), ("timeout", "-1"), ("budget", "-1"), ("budget", "NaN"), ("effort", "0")]
    {
        let run = folder.run(&["old.c", "new.c", &format!("--{option}={value}")]);
        refused(run, &format!("--{option}: must be a positive number of seconds, not {value}"));
    }
    // A space instead of `=` must do as well.
    let run = folder.run(&["old.c", "new.c", "--timeout", "-1"]);
    refused(run, "--timeout: must be a positive number of seconds, not -1");
    refused(
        folder.run(&["old.c", "new.c", "--memory", "0"]),
        "--memory: must be a positive number of MiB",
    );
}

#[test]
fn a_report_that_cannot_be_written() {
    let folder = Folder::versions(F, F);
    let run = folder.run(&["old.c", "new.c", "-o", "no/such/folder.json"]);
    refused(run, "cannot write no/such/folder.json: No such file or directory (os error 2)");
    std::fs::create_dir(folder.path("folder")).unwrap();
    let run = folder.run(&["old.c", "new.c", "-o", "folder"]);
    refused(run, "cannot write folder: Is a directory (os error 21)");
    let run = folder.run(&["old.c", "new.c", "--emit-test", "old.c"]);
    refused(run, "cannot write old.c: File exists (os error 17)");
}

#[test]
fn accepted_differences_that_cannot_be_read() {
    let entry = "[[accept]]\nfunction = \"f\"\nkind = \"value\"\nwhy = \"\"\n";
    let folder = Folder::with(&[
        ("old.c", F),
        ("new.c", F),
        ("empty.toml", entry),
        ("kind.toml", &entry.replace("\"value\"", "\"speed\"")),
        ("field.toml", &entry.replace("why", "because")),
    ]);
    let accept = |file: &str| folder.run(&["old.c", "new.c", "--accept", file]);
    refused(
        accept("empty.toml"),
        "empty.toml: f: `why` must state the reason why this difference is expected",
    );
    for (file, line) in [("kind.toml", "line 3"), ("field.toml", "line 4")] {
        let run = accept(file);
        assert_eq!((run.code, run.stdout.as_str()), (Some(2), ""), "{run:#?}");
        assert!(run.stderr.starts_with(&format!("error: {file}: ")), "{run:#?}");
        assert!(run.stderr.contains(line), "{run:#?}");
    }
    let run = accept("absent.toml");
    assert!(run.stderr.starts_with("error: absent.toml: "), "{run:#?}");
}
