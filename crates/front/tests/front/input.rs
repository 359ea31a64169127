//! Inputs that are no input: each gets its own message, none is waited for.

use std::process::Command;
use verdiff_front::{FrontError, Inputs, load};

fn error(path: &std::path::Path, flags: &[&str]) -> FrontError {
    let clang_flags = flags.iter().map(|f| (*f).to_owned()).collect();
    load(&Inputs { paths: vec![path.into()], clang_flags, ..Inputs::default() }).unwrap_err()
}

#[test]
fn a_pipe_is_refused_and_not_waited_for() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.c");
    assert!(Command::new("mkfifo").arg(&path).status().unwrap().success());
    assert!(matches!(error(&path, &[]), FrontError::NotAFile { .. }));
}

#[test]
fn flags_with_which_clang_does_not_compile_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.c");
    std::fs::write(&path, "int f(void) { return 1; }").unwrap();
    assert!(matches!(error(&path, &["--version"]), FrontError::NoBitcode { .. }));
}

#[test]
fn a_clang_that_is_none_is_named() {
    // Runs in a process of its own: the environment belongs to all tests.
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.c");
    std::fs::write(&path, "int f(void) { return 1; }").unwrap();
    let this = std::env::current_exe().unwrap();
    let output = Command::new(this)
        .args(["--exact", "input::print_the_error", "--nocapture", "--ignored"])
        .env("VERDIFF_CLANG", "true")
        .env("VERDIFF_TEST_FILE", &path)
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(text.contains("VERDIFF_CLANG is true, which is not clang"), "{text}");
}

#[test]
#[ignore = "called by a_clang_that_is_none_is_named"]
fn print_the_error() {
    if let Some(path) = std::env::var_os("VERDIFF_TEST_FILE") {
        println!("{}", error(path.as_ref(), &[]));
    }
}

/// When a file was written and compiled is no part of the program: two versions would differ on some runs and on others not.
#[test]
fn the_clock_is_not_in_the_program() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.c");
    let text = "const char *f(void) { return __DATE__ __TIME__ __TIMESTAMP__; }";
    std::fs::write(&path, text).unwrap();
    let loaded = || {
        let inputs = Inputs {
            paths: vec![path.clone()],
            clang_flags: vec!["-w".to_owned()],
            ..Inputs::default()
        };
        load(&inputs).unwrap().program
    };
    let first = loaded();
    let file = std::fs::File::options().write(true).open(&path).unwrap();
    file.set_modified(std::time::UNIX_EPOCH + std::time::Duration::from_secs(1_000_000)).unwrap();
    assert_eq!(first, loaded());
}
