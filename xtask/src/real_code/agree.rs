//! Real functions against their compiled code: the same inputs, the same results, memory and traps.

use super::fetch;
use super::libraries::LIBRARIES;
use crate::process::{cargo, output, run, target};
use crate::setup;
use anyhow::{Result, bail};
use std::process::Command;

/// How many functions must agree on so many inputs each.
const FUNCTIONS: usize = 200;
const INPUTS: &str = "1000";

/// Runs the comparison over some libraries (all, if none is named) and prints what it found.
pub fn run_all(wanted: &[&str]) -> Result<()> {
    setup::run()?;
    run(&mut cargo(&["build", "--release", "--package", "verdiff-witness", "--example", "agree"]))?;
    let agree = target().join("release/examples/agree");
    let folder = fetch::all()?;
    let (mut agreeing, mut failed) = (0, Vec::new());
    for library in LIBRARIES.iter().filter(|l| wanted.is_empty() || wanted.contains(&l.name)) {
        let here = folder.join(library.name);
        eprintln!("comparing {} with its compiled code", library.name);
        let mut command = Command::new(&agree);
        command.current_dir(&here).args(fetch::files(library, &here)?);
        command.args(["--inputs", INPUTS, "--"]).args(library.flags);
        // The program says by its exit code whether anything disagrees; its text says what.
        match output(&mut command) {
            Ok(text) => {
                let last = text.lines().last().unwrap_or_default();
                println!("{}: {last}", library.name);
                let words: Vec<&str> = last.split_whitespace().collect();
                agreeing += words.get(2).and_then(|n| n.parse::<usize>().ok()).unwrap_or(0);
            }
            Err(error) => failed.push(format!("{}: {error}", library.name)),
        }
    }
    println!("{agreeing} functions agree with their compiled code on {INPUTS} inputs each");
    if !failed.is_empty() {
        bail!("not all agree:\n{}", failed.join("\n"));
    }
    if wanted.is_empty() && agreeing < FUNCTIONS {
        bail!("fewer than {FUNCTIONS} functions");
    }
    Ok(())
}
