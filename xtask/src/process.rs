//! Running other programs.

use anyhow::{Context, Result, bail};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The folder of the repository.
pub fn root() -> PathBuf {
    // The folder above this crate's: cargo says where that is, also after a move.
    let own = std::env::var_os("CARGO_MANIFEST_DIR").map(PathBuf::from);
    let own = own.unwrap_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")));
    own.parent().map_or_else(|| PathBuf::from("."), Path::to_path_buf)
}

/// Where cargo puts what it builds.
pub fn target() -> PathBuf {
    std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root().join("target"), PathBuf::from)
}

/// The cargo that runs this, in the repository's folder.
pub fn cargo(arguments: &[&str]) -> Command {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(cargo);
    command.args(arguments).current_dir(root());
    // These are about the running crate, and would be taken for the started one's.
    command.env_remove("CARGO_MANIFEST_DIR").env_remove("CARGO_PKG_NAME");
    if std::env::var_os("CI").is_some() {
        // Nothing is built a second time there, and what only a second build needs takes a fifth of the time. For all
        // steps alike: cargo builds anew what was built in the other way.
        command.env("CARGO_INCREMENTAL", "0");
    }
    command
}

/// verdiff without its cache: what is measured must be done.
pub fn verdiff(binary: &Path) -> Command {
    let mut command = Command::new(binary);
    command.env("VERDIFF_CACHE", "");
    command
}

/// Another program, in the repository's folder.
pub fn program(name: &str, arguments: &[&str]) -> Command {
    let mut command = Command::new(name);
    command.args(arguments).current_dir(root());
    command
}

/// Says what is run and runs it; it must go well.
pub fn run(command: &mut Command) -> Result<()> {
    let line = words(command);
    eprintln!("$ {line}");
    let status = command.status().with_context(|| format!("cannot start `{line}`"))?;
    if !status.success() {
        bail!("`{line}` failed ({status})");
    }
    Ok(())
}

/// What a program prints; it must go well. Its messages are passed on.
pub fn output(command: &mut Command) -> Result<String> {
    let line = words(command);
    let output = command
        .stderr(Stdio::inherit())
        .output()
        .with_context(|| format!("cannot start `{line}`"))?;
    if !output.status.success() {
        bail!("`{line}` failed ({})", output.status);
    }
    String::from_utf8(output.stdout).with_context(|| format!("`{line}` prints no text"))
}

/// What a program prints, if it is there and goes well.
pub fn probe(name: &str, arguments: &[&str]) -> Option<String> {
    let output = program(name, arguments).stdin(Stdio::null()).output().ok()?;
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).into_owned())
}

/// A command as one would type it, the program by its name alone.
fn words(command: &Command) -> String {
    let name = Path::new(command.get_program()).file_name().unwrap_or_default();
    let mut line = name.to_string_lossy().into_owned();
    for argument in command.get_args() {
        line.push(' ');
        line.push_str(&argument.to_string_lossy());
    }
    line
}
