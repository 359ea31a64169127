//! Crashes of what verdiff is built on do not reach the user.

#![cfg(unix)]

use crate::support::{Folder, Run, command};
use std::io::Read;
use std::os::unix::fs::PermissionsExt;
use std::process::Stdio;
use std::time::{Duration, Instant};

/// A folder with a C file and a clang of the right version that does something else.
fn folder_with_clang(does: &str) -> Folder {
    let script = format!(
        "#!/bin/sh\nif [ \"$1\" = --version ]; then echo 'clang version 19.0.0'; exit; fi\n{does}\n"
    );
    let folder = Folder::with(&[("a.c", "int a;\n"), ("clang", &script)]);
    let executable = std::fs::Permissions::from_mode(0o755);
    std::fs::set_permissions(folder.path("clang"), executable).unwrap();
    folder
}

#[test]
fn a_crash_is_reported_as_one() {
    // The process that does the work is the one that starts clang.
    let folder = folder_with_clang("kill -ABRT $PPID; sleep 5");
    let output = command(&folder.path("."))
        .env("VERDIFF_CLANG", folder.path("clang"))
        .args(["show", "a.c"])
        .output()
        .unwrap();
    let run = Run::of(&output);
    assert_eq!((run.code, run.stdout.as_str()), (Some(2), ""), "{run:#?}");
    assert!(
        run.stderr.starts_with("error: internal error: verdiff, or LLVM within it"),
        "{run:#?}"
    );
    assert!(run.stderr.contains("(signal 6)") && run.stderr.contains("report"), "{run:#?}");
}

/// With SIGCHLD ignored, as by some daemons, `wait` fails when the working process has ended; then the work was done again.
#[test]
fn the_work_is_not_done_twice_when_its_end_is_not_known() {
    let folder = Folder::with(&[("a.c", "int a;\n")]);
    let output = std::process::Command::new("env")
        .args(["--ignore-signal=CHLD", env!("CARGO_BIN_EXE_verdiff"), "show", "a.c"])
        .current_dir(folder.path("."))
        .output()
        .unwrap();
    let run = Run::of(&output);
    assert_eq!(run.code, Some(2), "{run:#?}");
    // The working process cannot wait for clang either, and says so: once, and then its supervisor that it does not know more.
    assert_eq!(run.stderr.matches("error: ").count(), 2, "{run:#?}");
    assert!(
        run.stderr.contains("the exit status of the worker process is not available"),
        "{run:#?}"
    );
}

#[test]
fn who_is_killed_leaves_no_worker_behind() {
    let folder = folder_with_clang("touch started; exec sleep 20");
    let mut verdiff = command(&folder.path("."))
        .env("VERDIFF_CLANG", folder.path("clang"))
        .args(["show", "a.c"])
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let start = Instant::now();
    while !folder.path("started").exists() {
        assert!(start.elapsed() < Duration::from_secs(15), "clang was not started");
        std::thread::sleep(Duration::from_millis(10));
    }
    verdiff.kill().unwrap();
    verdiff.wait().unwrap();
    // The worker holds the other end of this pipe as long as it lives.
    let killed = Instant::now();
    verdiff.stdout.take().unwrap().read_to_end(&mut Vec::new()).unwrap();
    assert!(killed.elapsed() < Duration::from_secs(10));
}
