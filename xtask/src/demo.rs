//! verdiff at work, from nothing: installs, builds, shows.

use crate::process::{self, cargo, program};
use crate::setup;
use anyhow::{Context, Result, bail};
use std::path::PathBuf;

const OLD: &str = "examples/packet/old.c";
const NEW: &str = "examples/packet/new.c";

/// What verdiff answers when it found a difference.
const DIFFERENT: i32 = 1;

/// Installs what is missing, builds, and shows.
pub fn run() -> Result<()> {
    setup::run()?;
    let verdiff = build()?;
    let verdiff = verdiff.to_string_lossy();
    let report = process::target().join("demo.json");
    let report = report.to_string_lossy();
    let differs = |arguments: &[&str]| differs(&verdiff, arguments);

    say(
        "Two versions of a small C file. Some functions were rewritten, some got a bug: which, and\n\
         for which inputs? Each difference below was run on both compiled programs.",
    );
    differs(&[OLD, NEW, "-o", &report])?;
    say("The same for scripts, here one function. The exit code is 1: there is a difference.");
    differs(&[OLD, NEW, "--entry", "payload", "--format", "json"])?;
    say("Differences can be run again at any time, from the report.");
    differs(&["replay", &report])?;
    say(
        "What verdiff works on: C as a program model in which all that can end a run is spelled out.",
    );
    process::run(&mut program(&verdiff, &["show", OLD, "--function", "loss"]))?;
    say("Try your own code: target/release/verdiff OLD.c NEW.c\n\
         The book is docs/book/README.md.");
    Ok(())
}

/// Runs verdiff on something that differs.
fn differs(verdiff: &str, arguments: &[&str]) -> Result<()> {
    eprintln!("$ verdiff {}", arguments.join(" "));
    let status = program(verdiff, arguments).status().context("cannot start verdiff")?;
    match status.code() {
        Some(DIFFERENT) => Ok(()),
        _ => bail!("verdiff should have found a difference ({status})"),
    }
}

/// Builds the program for use, and says where it is.
pub fn build() -> Result<PathBuf> {
    process::run(&mut cargo(&["build", "--release", "-p", "verdiff-cli"]))?;
    Ok(process::target().join("release/verdiff"))
}

fn say(text: &str) {
    println!("\n=== {}\n", text.replace('\n', "\n    "));
}
