//! Running the program on files in a folder of its own.

use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// A folder for one test, gone after it.
pub struct Folder(tempfile::TempDir);

/// What a run of the program gave.
#[derive(Debug)]
pub struct Run {
    /// The exit code.
    pub code: Option<i32>,
    /// Standard output.
    pub stdout: String,
    /// Standard error.
    pub stderr: String,
}

impl Folder {
    /// A new folder with these files.
    pub fn with(files: &[(&str, &str)]) -> Folder {
        let folder = Folder(tempfile::tempdir().unwrap());
        for (name, content) in files {
            let path = folder.path(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, content).unwrap();
        }
        folder
    }

    /// A new folder with two versions, `old.c` and `new.c`.
    pub fn versions(old: &str, new: &str) -> Folder {
        Folder::with(&[("old.c", old), ("new.c", new)])
    }

    /// Compares its two versions; gives the exit code and the JSON report.
    #[track_caller]
    pub fn compare(&self, options: &[&str]) -> (i32, Value) {
        let run = self.run(&[&["old.c", "new.c", "--format", "json"], options].concat());
        let report = serde_json::from_str(&run.stdout);
        (run.code.unwrap(), report.unwrap_or_else(|error| panic!("{error}: {run:#?}")))
    }

    /// The path of a file in it.
    pub fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// Runs `verdiff` in it.
    pub fn run(&self, arguments: &[&str]) -> Run {
        let output = command(self.0.path()).args(arguments).output().unwrap();
        Run::of(&output)
    }
}

/// What a report says of a function.
#[track_caller]
pub fn pair<'a>(report: &'a Value, function: &str) -> &'a Value {
    let pairs = report["pairs"].as_array().unwrap();
    let found = pairs.iter().find(|p| p["function"] == function);
    found.unwrap_or_else(|| panic!("{function} is not in {report:#}"))
}

/// The verdict on a function; an open one with the kind of its reason.
#[track_caller]
pub fn verdict(report: &Value, function: &str) -> String {
    let pair = pair(report, function);
    let word = |v: &Value| v.as_str().unwrap_or_default().to_owned();
    match &pair["reason"] {
        Value::Null => word(&pair["verdict"]),
        reason => format!("{}({})", word(&pair["verdict"]), word(&reason["kind"])),
    }
}

impl Run {
    /// What a finished process left.
    pub fn of(output: &Output) -> Run {
        Run {
            code: output.status.code(),
            stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
            stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
        }
    }

    /// Standard output of a run that must have gone well.
    #[track_caller]
    pub fn ok(self) -> String {
        assert_eq!(self.code, Some(0), "{self:#?}");
        self.stdout
    }
}

/// The program, in a folder, with an environment that is the same everywhere.
pub fn command(folder: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_verdiff"));
    command.current_dir(folder).env("COLUMNS", "100").env("LC_ALL", "C").env("VERDIFF_CACHE", "");
    for name in [
        "NO_COLOR",
        "CLICOLOR_FORCE",
        "CLICOLOR",
        "VERDIFF_CLANG",
        "VERDIFF_TEST_WORKER",
        "VERDIFF_TEST_PHASE",
        "RUST_BACKTRACE",
    ] {
        command.env_remove(name);
    }
    command
}
