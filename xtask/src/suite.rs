//! The test suite: every test program one after another, and what each of them took.
//!
//! `cargo test` would stop at the first program that fails and says nothing about time. Here all are run, and the table at
//! the end has the processor time of each, which means the same on a busy machine.

use crate::process::{cargo, run};
use crate::setup;
use anyhow::{Context, Result, bail};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

/// How much of the suite is run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extent {
    /// What takes few minutes: a tenth of the random cases, some of the corpus, and none of [`LONG`].
    Quick,
    /// All tests.
    Whole,
    /// All, with ten times the random cases, the whole corpus in every way, and what is marked as ignored.
    Soak,
}

/// Test programs that `--quick` leaves out: each compares whole corpora or thousands of random programs by running or solving.
const LONG: [&str; 12] = [
    "agreement",
    "backends",
    "interp_ops_compiled",
    "obligations",
    "outline_property",
    "recursion",
    "regions_random",
    "replay_corpus",
    "rules",
    "summaries_corpus",
    "translate_solver",
    "witness/corpus",
];

/// A test program.
struct Program {
    /// Its crate and its name.
    name: String,
    executable: PathBuf,
    /// The folder of its crate.
    folder: PathBuf,
}

/// Runs the tests on a machine that has what it needs.
pub fn test(extent: Extent) -> Result<()> {
    setup::run()?;
    let begun = Instant::now();
    let mut programs = build(extent)?;
    println!(
        "xtask: {} test programs built in {:.0} s",
        programs.len(),
        begun.elapsed().as_secs_f64()
    );
    if extent == Extent::Quick {
        programs.retain(|program| !is_long(&program.name));
    }
    let mut table = vec![];
    let mut failed = vec![];
    for program in &programs {
        let mut command = Command::new(&program.executable);
        command.current_dir(&program.folder).env("CARGO_MANIFEST_DIR", &program.folder);
        if extent == Extent::Soak {
            command.arg("--include-ignored").env("VERDIFF_CORPUS_ALL", "1");
        }
        match extent {
            Extent::Quick => command.env("VERDIFF_CASES", "10"),
            Extent::Whole => &mut command,
            Extent::Soak => command.env("VERDIFF_CASES", "1000"),
        };
        println!("xtask: {}", program.name);
        let (start, before) = (Instant::now(), processor_seconds());
        let status = command.status().with_context(|| program.name.clone())?;
        table.push((processor_seconds() - before, start.elapsed().as_secs_f64(), &program.name));
        if !status.success() {
            failed.push(program.name.as_str());
        }
    }
    table.sort_by(|a, b| b.0.total_cmp(&a.0));
    println!("\n  CPU s   wall s  test program");
    for (processor, wall, name) in &table {
        println!("{processor:7.1} {wall:8.1}  {name}");
    }
    let sum: f64 = table.iter().map(|(processor, _, _)| processor).sum();
    println!("{sum:7.1} {:8.1}  all, with what was built\n", begun.elapsed().as_secs_f64());
    if !failed.is_empty() {
        bail!("these tests failed: {}", failed.join(", "));
    }
    if extent == Extent::Whole {
        run(&mut cargo(&["test", "--workspace", "--doc"]))?;
    }
    Ok(())
}

fn is_long(name: &str) -> bool {
    LONG.iter().any(|long| *long == name || name.rsplit('/').next() == Some(*long))
}

/// Builds all test programs.
fn build(extent: Extent) -> Result<Vec<Program>> {
    let mut command = cargo(&["test", "--workspace", "--no-run", "--message-format=json"]);
    if extent == Extent::Soak {
        command.arg("--release");
    }
    let output = command.stderr(Stdio::inherit()).output().context("cannot start cargo")?;
    if !output.status.success() {
        bail!("the tests do not compile");
    }
    let text = String::from_utf8_lossy(&output.stdout);
    let mut programs: Vec<Program> = text.lines().filter_map(program).collect();
    programs.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(programs)
}

/// The test program that a line of cargo's messages is about.
fn program(line: &str) -> Option<Program> {
    let message: Value = serde_json::from_str(line).ok()?;
    if message["reason"] != "compiler-artifact" || message["profile"]["test"] != true {
        return None;
    }
    let executable = PathBuf::from(message["executable"].as_str()?);
    let folder = Path::new(message["manifest_path"].as_str()?).parent()?.to_owned();
    let of = folder.file_name()?.to_string_lossy().into_owned();
    let name = format!("{of}/{}", message["target"]["name"].as_str()?);
    Some(Program { name, executable, folder })
}

/// What all processes took that this one started and waited for, and theirs.
fn processor_seconds() -> f64 {
    // proc(5): the 16th and 17th number, in hundredths of a second. The second field is in parentheses and may have spaces.
    let text = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let rest = text.rsplit(')').next().unwrap_or_default();
    let ticks = rest.split_whitespace().skip(13).take(2);
    ticks.filter_map(|number| number.parse::<f64>().ok()).sum::<f64>() / 100.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_test_program_is_named_after_its_crate() {
        let line = r#"{"reason":"compiler-artifact","manifest_path":"/r/crates/witness/Cargo.toml",
            "target":{"name":"corpus"},"profile":{"test":true},"executable":"/t/corpus-1"}"#;
        let found = program(&line.replace('\n', " ")).unwrap();
        assert_eq!(
            (found.name.as_str(), found.folder),
            ("witness/corpus", "/r/crates/witness".into())
        );
        assert!(is_long("witness/corpus") && is_long("logic/rules") && !is_long("cli/corpus"));
        assert!(program(&line.replace("true", "false")).is_none());
    }

    #[test]
    fn processor_time_of_children_is_counted() {
        let before = processor_seconds();
        let busy = "i=0; while [ $i -lt 200000 ]; do i=$((i+1)); done";
        assert!(Command::new("sh").args(["-c", busy]).status().unwrap().success());
        assert!(processor_seconds() > before);
    }
}
