//! Running the program on files in a folder of its own.

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
    command.current_dir(folder).env("COLUMNS", "100").env("LC_ALL", "C");
    for name in ["NO_COLOR", "CLICOLOR_FORCE", "CLICOLOR", "VERDIFF_CLANG", "RUST_BACKTRACE"] {
        command.env_remove(name);
    }
    command
}
