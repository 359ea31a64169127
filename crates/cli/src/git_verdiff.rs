//! `git-verdiff`, which git runs for `git verdiff ...`: becomes `verdiff git ...`.

#![forbid(unsafe_code)]

use std::os::unix::process::CommandExt;
use std::process::{Command, ExitCode};

fn main() -> ExitCode {
    let beside = std::env::current_exe().ok().map(|own| own.with_file_name("verdiff"));
    // Installed beside it; otherwise the PATH has it.
    let program = beside.filter(|path| path.is_file()).unwrap_or_else(|| "verdiff".into());
    let error = Command::new(&program).arg("git").args(std::env::args_os().skip(1)).exec();
    eprintln!(
        "error: cannot run {}: {error}: install verdiff beside git-verdiff",
        program.display()
    );
    ExitCode::from(2)
}
