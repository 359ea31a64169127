//! `--build 'make'`: the user's own build, run in a private copy of a revision, with compilers that write down how they are called.
//!
//! A folder with a script for each compiler of the PATH comes first in the PATH of the build. A script notes its folder and arguments
//! in a file of its own (so that parallel builds do not mix them up) and becomes the compiler. Nothing has to be preloaded or installed.

use crate::error::RevisionError;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus};
use verdiff_front::{Deadline, Unit, unit_flags};

/// What a build did.
pub struct Built {
    /// Every C file that was compiled and is still there, with its flags.
    pub units: Vec<Unit>,
    /// How it ended.
    pub status: ExitStatus,
    /// The end of what it printed.
    pub output: String,
}

/// Runs a build in a folder; `records` is an empty folder for what it does.
pub fn run(
    command: &str,
    folder: &Path,
    records: &Path,
    deadline: Deadline,
) -> Result<Built, RevisionError> {
    let scripts = records.join("bin");
    let calls = records.join("calls");
    for folder in [&scripts, &calls] {
        std::fs::create_dir_all(folder)
            .map_err(RevisionError::system("cannot make a temporary folder"))?;
    }
    write_scripts(&scripts, &calls)?;
    let path = std::env::var_os("PATH").unwrap_or_default();
    let path = std::env::join_paths([scripts].into_iter().chain(std::env::split_paths(&path)))
        .unwrap_or(path);
    let mut shell = Command::new("sh");
    shell.args(["-c", command]).current_dir(folder).env("PATH", path);
    // The repository that is compared is none of the build's business.
    for name in ["GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE"] {
        shell.env_remove(name);
    }
    let done =
        verdiff_process::run(&mut shell, deadline).map_err(|failure| RevisionError::System {
            what: "--build".to_owned(),
            source: std::io::Error::other(failure.to_string()),
        })?;
    let output = format!("{}{}", done.stdout, done.stderr);
    let output = last_lines(&output, 20);
    Ok(Built { units: read(&calls)?, status: done.status, output })
}

fn write_scripts(folder: &Path, calls: &Path) -> Result<(), RevisionError> {
    let failed = || RevisionError::system("cannot write to a temporary folder");
    let path = std::env::var_os("PATH").unwrap_or_default();
    for place in std::env::split_paths(&path) {
        let Ok(programs) = std::fs::read_dir(&place) else { continue };
        for program in programs.flatten() {
            let name = program.file_name().to_string_lossy().into_owned();
            let script = folder.join(&name);
            // The first in the PATH is the one that is meant.
            if !is_compiler(&name) || script.exists() {
                continue;
            }
            let real = quoted(&program.path().to_string_lossy());
            let calls = quoted(&calls.to_string_lossy());
            let text = format!(
                "#!/bin/sh\nn=0\nuntil (set -C; : > {calls}/$$.$n) 2>/dev/null || [ $n -gt 999 ]; do n=$((n+1)); done\n\
                 printf '%s\\0' \"$(pwd -P)\" \"$0\" \"$@\" > {calls}/$$.$n\nexec {real} \"$@\"\n"
            );
            std::fs::write(&script, text).map_err(failed())?;
            std::fs::set_permissions(&script, std::fs::Permissions::from_mode(0o755))
                .map_err(failed())?;
        }
    }
    Ok(())
}

/// `cc`, `gcc-14`, `x86_64-linux-gnu-gcc`, `clang`.
fn is_compiler(name: &str) -> bool {
    let base = match name.rsplit_once('-') {
        Some((base, version)) if version.chars().all(|c| c.is_ascii_digit() || c == '.') => base,
        _ => name,
    };
    let last = base.rsplit('-').next().unwrap_or(base);
    matches!(last, "cc" | "gcc" | "clang" | "c89" | "c99" | "tcc" | "icx")
}

fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', "'\\''"))
}

/// Every C file that was compiled; files that are gone were only a test of the compiler. They are sorted: records are
/// named by process numbers, and builds run in parallel, so their order would be another one in each run, and of a file that is compiled
/// with several lists of flags another one would be taken.
fn read(calls: &Path) -> Result<Vec<Unit>, RevisionError> {
    let failed = || RevisionError::system("cannot read what the build did");
    let files = std::fs::read_dir(calls).map_err(failed())?.flatten().map(|file| file.path());
    let mut units: Vec<Unit> = vec![];
    for file in files {
        let text = std::fs::read(file).map_err(failed())?;
        let mut words = text
            .split(|c| *c == 0)
            .map(|word| String::from_utf8_lossy(word).into_owned())
            .collect::<Vec<_>>();
        words.pop();
        if words.len() < 2 {
            continue;
        }
        let directory = PathBuf::from(words.remove(0));
        let only_looks = |word: &String| matches!(word.as_str(), "-E" | "-M" | "-MM" | "-dM");
        if words.iter().any(only_looks) {
            continue;
        }
        let flags = unit_flags(&words);
        for source in
            words.iter().skip(1).filter(|word| word.ends_with(".c") && !word.starts_with('-'))
        {
            if directory.join(source).is_file() {
                units.push(Unit {
                    file: source.into(),
                    directory: Some(directory.clone()),
                    flags: flags.clone(),
                    bitcode: None,
                });
            }
        }
    }
    units.sort_by(|a, b| (&a.directory, &a.file, &a.flags).cmp(&(&b.directory, &b.file, &b.flags)));
    Ok(units)
}

fn last_lines(text: &str, count: usize) -> String {
    let lines: Vec<&str> = text.trim_end().lines().collect();
    lines[lines.len().saturating_sub(count)..].join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn compilers_are_known_by_their_names() {
        for name in ["cc", "gcc", "gcc-14", "clang-19", "x86_64-linux-gnu-gcc-13", "c99"] {
            assert!(is_compiler(name), "{name}");
        }
        for name in ["g++", "clang-format", "gcc-ar", "ccache", "clang-19-x", "git"] {
            assert!(!is_compiler(name), "{name}");
        }
    }

    #[test]
    fn every_call_of_a_compiler_is_recorded() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        std::fs::create_dir(root.join("src")).unwrap();
        for name in ["src/a.c", "src/b c.c"] {
            std::fs::write(root.join(name), "int x;\n").unwrap();
        }
        let records = tempfile::tempdir().unwrap();
        let command = "cd src && cc -DN='a b' -c a.c & cc -c 'src/b c.c' -o b.o; cc -E src/a.c >/dev/null; wait; false";
        let built = run(command, &root, records.path(), Deadline::NEVER).unwrap();
        assert!(!built.status.success());
        let found: Vec<_> = built
            .units
            .iter()
            .map(|u| (u.directory.clone().unwrap().join(&u.file), u.flags.clone()))
            .collect();
        let expected =
            [(root.join("src/b c.c"), vec![]), (root.join("src/a.c"), vec!["-DN=a b".to_owned()])];
        assert_eq!(found, expected);
    }

    /// Process numbers and the speed of a build are no part of what it does.
    #[test]
    fn what_was_compiled_does_not_depend_on_the_order_of_the_calls() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        std::fs::write(root.join("a.c"), "int x;\n").unwrap();
        let flags = |commands: &str| {
            let records = tempfile::tempdir().unwrap();
            let built = run(commands, &root, records.path(), Deadline::NEVER).unwrap();
            built.units.into_iter().map(|unit| unit.flags).collect::<Vec<_>>()
        };
        let expected = [["-DA"], ["-DB"]];
        assert_eq!(flags("cc -DA -c a.c; cc -DB -c a.c"), expected);
        assert_eq!(flags("cc -DB -c a.c; cc -DA -c a.c"), expected);
    }
}
