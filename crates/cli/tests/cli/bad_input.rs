//! Every bad input gives one clear message on standard error, nothing on standard output,
//! and exit code 2.

use crate::support::{Folder, Run, command};

/// The run failed as it should: with this one line, and nothing else.
#[track_caller]
pub fn refused(run: Run, message: &str) {
    assert_eq!(run.code, Some(2), "{run:#?}");
    assert_eq!(run.stdout, "", "{run:#?}");
    assert_eq!(run.stderr, format!("error: {message}\n"), "{run:#?}");
}

#[test]
fn no_such_file() {
    let folder = Folder::with(&[]);
    refused(folder.run(&["show", "absent.c"]), "absent.c: no such file or directory");
}

#[test]
fn one_of_several_files_is_missing() {
    let folder = Folder::with(&[("a.c", "int a;")]);
    refused(folder.run(&["show", "a.c", "absent.c"]), "absent.c: no such file or directory");
}

#[test]
#[cfg(unix)]
fn a_link_to_nowhere() {
    let folder = Folder::with(&[]);
    std::os::unix::fs::symlink("nowhere.c", folder.path("link.c")).unwrap();
    refused(folder.run(&["show", "link.c"]), "link.c: no such file or directory");
}

const NO_DATABASE: &str = "this folder has no compile_commands.json: make one with \
    `cmake -DCMAKE_EXPORT_COMPILE_COMMANDS=ON` or `bear -- make`, or name the C files";

#[test]
fn a_folder_without_a_database() {
    let folder = Folder::with(&[("src/a.c", "int a;")]);
    refused(folder.run(&["show", "src"]), &format!("src: {NO_DATABASE}"));
}

#[test]
fn a_folder_named_like_a_file() {
    let folder = Folder::with(&[("x.c/a.c", "int a;")]);
    refused(folder.run(&["show", "x.c"]), &format!("x.c: {NO_DATABASE}"));
}

#[test]
fn a_database_that_is_no_json() {
    let folder = Folder::with(&[("compile_commands.json", "[{")]);
    let run = folder.run(&["show", "."]);
    assert_eq!(run.code, Some(2), "{run:#?}");
    assert_eq!(run.stderr.lines().count(), 1, "{run:#?}");
    let start = "error: ./compile_commands.json: not a usable compilation database: ";
    assert!(run.stderr.starts_with(start), "{run:#?}");
}

#[test]
fn a_database_without_c() {
    let folder = Folder::with(&[("compile_commands.json", "[]")]);
    refused(
        folder.run(&["show", "."]),
        "./compile_commands.json: not a usable compilation database: it lists no C file",
    );
}

#[test]
fn a_file_that_does_not_compile() {
    let folder = Folder::with(&[("bad.c", "int f(void) {\n    return missing;\n}\n")]);
    let run = folder.run(&["show", "bad.c"]);
    assert_eq!(run.code, Some(2), "{run:#?}");
    assert_eq!(run.stdout, "", "{run:#?}");
    // clang's message first, as it is, with file, line and column; ours after it.
    let start = "bad.c:2:12: error: use of undeclared identifier 'missing'\n";
    let end = "error: bad.c: does not compile (clang's messages are above)\n";
    assert!(run.stderr.starts_with(start) && run.stderr.ends_with(end), "{run:#?}");
}

#[test]
fn bitcode_of_another_llvm() {
    let folder = Folder::with(&[]);
    std::fs::write(folder.path("old.bc"), include_bytes!("inputs/llvm14.bc")).unwrap();
    let run = folder.run(&["show", "old.bc"]);
    let major = run.stderr.split("clang-").nth(1).unwrap_or_default().trim().to_owned();
    let message = format!(
        "old.bc: bitcode of LLVM 14.0.6, but verdiff is built with LLVM {major}: \
         compile it again with clang-{major}"
    );
    refused(run, &message);
}

#[test]
fn bitcode_that_is_cut_off() {
    let folder = Folder::with(&[]);
    std::fs::write(folder.path("cut.bc"), b"BC\xC0\xDE\x35\x14\x00\x00\x05").unwrap();
    let run = folder.run(&["show", "cut.bc"]);
    assert_eq!((run.code, run.stdout.as_str()), (Some(2), ""), "{run:#?}");
    assert!(run.stderr.starts_with("error: cut.bc: LLVM "), "{run:#?}");
    assert_eq!(run.stderr.lines().count(), 1, "{run:#?}");
}

#[test]
fn ir_that_is_none() {
    let folder = Folder::with(&[("bad.ll", "define nonsense\n")]);
    let run = folder.run(&["show", "bad.ll"]);
    assert_eq!((run.code, run.stdout.as_str()), (Some(2), ""), "{run:#?}");
    assert!(run.stderr.starts_with("error: bad.ll: LLVM "), "{run:#?}");
}

#[test]
fn an_empty_file() {
    let folder = Folder::with(&[("empty.c", "")]);
    refused(
        folder.run(&["show", "empty.c"]),
        "empty.c: the file is empty: there is nothing to compare",
    );
}

#[test]
fn a_binary_file() {
    let folder = Folder::with(&[("program.c", "\u{7f}ELF\u{2}\u{1}\u{1}\0\0\0")]);
    refused(
        folder.run(&["show", "program.c"]),
        "program.c: this is a binary file: give a C source (.c, .i), LLVM bitcode (.bc) or \
         LLVM IR (.ll)",
    );
}

#[test]
fn a_file_of_unknown_kind() {
    let folder = Folder::with(&[("notes.txt", "not C at all\n")]);
    refused(
        folder.run(&["show", "notes.txt"]),
        "notes.txt: cannot tell what this file is: its name should end in .c, .i, .bc or .ll",
    );
}

#[test]
#[cfg(unix)]
fn a_file_that_is_not_readable() {
    use std::os::unix::fs::PermissionsExt;
    let folder = Folder::with(&[("secret.c", "int secret;\n")]);
    let path = folder.path("secret.c");
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o000)).unwrap();
    if std::fs::read(&path).is_ok() {
        // The superuser reads everything; a path through a file is closed to all.
        let run = folder.run(&["show", "secret.c/inner.c"]);
        refused(run, "secret.c/inner.c: cannot be read: Not a directory (os error 20)");
    } else {
        let run = folder.run(&["show", "secret.c"]);
        refused(run, "secret.c: cannot be read: Permission denied (os error 13)");
    }
}

/// A run with a `clang-19` in PATH that is another one: it answers `--version` with its own, and otherwise does what it is told.
fn with_another_clang(does: &str) -> (Folder, Run) {
    let major = verdiff_front::LLVM_MAJOR;
    let name = format!("clang-{major}");
    let script = format!(
        "#!/bin/sh\nif [ \"$1\" = --version ]; then echo 'clang version 14.0.6'; exit; fi\n{does}\n"
    );
    let folder = Folder::with(&[("a.c", "int a;\n"), (name.as_str(), &script)]);
    let executable = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    std::fs::set_permissions(folder.path(&name), executable).unwrap();
    let path = format!("{}:{}", folder.path(".").display(), std::env::var("PATH").unwrap());
    let output =
        command(&folder.path(".")).env("PATH", path).args(["show", "a.c"]).output().unwrap();
    (folder, Run::of(&output))
}

#[test]
fn a_clang_that_is_not_what_its_name_says() {
    let bitcode = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/cli/inputs/llvm14.bc");
    // It fails on flags that it does not know, or compiles to its own bitcode.
    let copies = format!("while [ \"$1\" != -o ]; do shift; done; cp '{bitcode}' \"$2\"");
    for does in ["echo what >&2; exit 1", &copies] {
        let (_folder, run) = with_another_clang(does);
        assert_eq!(run.code, Some(2), "{run:#?}");
        assert!(run.stderr.contains("this is clang 14"), "{run:#?}");
        assert_eq!(run.stderr.lines().count(), 1, "{run:#?}");
    }
}

#[test]
fn no_clang() {
    let folder = Folder::with(&[("a.c", "int a;\n")]);
    let output = command(&folder.path("."))
        .env("VERDIFF_CLANG", "no-such-clang")
        .args(["show", "a.c"])
        .output()
        .unwrap();
    let run = Run::of(&output);
    assert_eq!(run.code, Some(2), "{run:#?}");
    assert!(run.stderr.contains("VERDIFF_CLANG is no-such-clang, which is not clang"), "{run:#?}");
    assert_eq!(run.stderr.lines().count(), 1, "{run:#?}");
}

#[test]
fn a_function_that_is_not_there() {
    let folder =
        Folder::with(&[("a.c", "int puts(const char *);\nint f(void) { return puts(\"\"); }\n")]);
    refused(
        folder.run(&["show", "a.c", "--function", "g"]),
        "g: no such function; these files define f",
    );
    refused(
        folder.run(&["show", "a.c", "--function", "puts"]),
        "puts: this function is called but not defined in these files",
    );
}

#[test]
fn wrong_arguments() {
    let folder = Folder::with(&[("a.c", "int a;\n")]);
    let wrong: [&[&str]; 6] = [
        &[],
        &["show"],
        &["show", "a.c", "--no-such-option"],
        &["show", "a.c", "--dot", "--json"],
        &["a.c"],
        &["--color", "sometimes", "show", "a.c"],
    ];
    for arguments in wrong {
        let run = folder.run(arguments);
        assert_eq!((run.code, run.stdout.as_str()), (Some(2), ""), "{arguments:?}: {run:#?}");
        let helped =
            run.stderr.contains("Usage: verdiff") || run.stderr.contains("possible values");
        assert!(helped, "{arguments:?}: {run:#?}");
    }
}
