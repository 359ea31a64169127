//! The test suite: every test program, as many at a time as there are cores, and what each of them took.
//!
//! `cargo test` would stop at the first program that fails and says nothing about time. Here all are run, and the table at
//! the end has the processor time of each, which means the same on a busy machine.

use crate::process::{cargo, run};
use crate::setup;
use anyhow::{Context, Result, bail};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
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

/// Test programs that take longest: they begin first, so that nothing long is left at the end.
const FIRST: [&str; 6] = [
    "cli/corpus",
    "engines/recursion",
    "engines/recursion_random",
    "cli/cli",
    "symex/pairs",
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
    programs.sort_by_key(|program| !FIRST.contains(&program.name.as_str()));
    let done = run_all(&programs, extent)?;
    let failed: Vec<&str> =
        done.iter().filter(|(_, ran)| !ran.passed).map(|(name, _)| *name).collect();
    let mut table: Vec<(f64, f64, &str)> =
        done.iter().map(|(name, ran)| (ran.processor, ran.wall, *name)).collect();
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

/// What became of a test program.
struct Ran {
    passed: bool,
    /// Seconds of processor time, of the program and of all that it started.
    processor: f64,
    wall: f64,
}

/// Runs all programs, as many at a time as there are cores: most have a test at their end that keeps one core alone busy. What a
/// program prints is shown when it is done.
fn run_all(programs: &[Program], extent: Extent) -> Result<Vec<(&str, Ran)>> {
    let (next, done) = (AtomicUsize::new(0), Mutex::new(vec![]));
    let times = tempfolder()?;
    let workers = std::thread::available_parallelism().map_or(1, |n| n.get());
    std::thread::scope(|scope| {
        for worker in 0..workers {
            let times = times.join(worker.to_string());
            let (next, done) = (&next, &done);
            scope.spawn(move || {
                while let Some(program) = programs.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let ran = run_one(program, extent, &times);
                    if let Ok(mut done) = done.lock() {
                        done.push((program.name.as_str(), ran));
                    }
                }
            });
        }
    });
    let _ = std::fs::remove_dir_all(&times);
    let done = done.into_inner().unwrap_or_default();
    done.into_iter().map(|(name, ran)| Ok((name, ran.with_context(|| name.to_owned())?))).collect()
}

fn run_one(program: &Program, extent: Extent, times: &Path) -> Result<Ran> {
    // The shell says what its children took, theirs included.
    let script = r#""$0" "$@"; code=$?; times > "$XTASK_TIMES"; exit $code"#;
    let mut command = Command::new("sh");
    command.args(["-c", script]).arg(&program.executable).env("XTASK_TIMES", times);
    command.current_dir(&program.folder).env("CARGO_MANIFEST_DIR", &program.folder);
    if extent == Extent::Soak {
        command.arg("--include-ignored").env("VERDIFF_CORPUS_ALL", "1");
    }
    match extent {
        Extent::Quick => command.env("VERDIFF_CASES", "10"),
        Extent::Whole => &mut command,
        Extent::Soak => command.env("VERDIFF_CASES", "1000"),
    };
    let begun = Instant::now();
    let output = command.output()?;
    let wall = begun.elapsed().as_secs_f64();
    let text = String::from_utf8_lossy(&output.stdout);
    print!("xtask: {} ({wall:.0} s)\n{text}", program.name);
    eprint!("{}", String::from_utf8_lossy(&output.stderr));
    let processor = children_seconds(&std::fs::read_to_string(times).unwrap_or_default());
    Ok(Ran { passed: output.status.success(), processor, wall })
}

fn tempfolder() -> Result<PathBuf> {
    let folder = std::env::temp_dir().join(format!("verdiff-xtask-{}", std::process::id()));
    std::fs::create_dir_all(&folder).with_context(|| folder.display().to_string())?;
    Ok(folder)
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

/// The second line of what the shell's `times` prints: user and system time of its children, as `1m2.345s`.
fn children_seconds(times: &str) -> f64 {
    let seconds = |text: &str| -> Option<f64> {
        let (minutes, seconds) = text.strip_suffix('s')?.split_once('m')?;
        Some(minutes.parse::<f64>().ok()? * 60.0 + seconds.parse::<f64>().ok()?)
    };
    let line = times.lines().nth(1).unwrap_or_default();
    line.split_whitespace().filter_map(seconds).sum()
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
        assert_eq!(children_seconds("0m0.01s 0m0.02s\n1m2.50s 0m0.25s\n"), 62.75);
        let busy = "i=0; while [ $i -lt 200000 ]; do i=$((i+1)); done";
        let script = format!("sh -c '{busy}'; times");
        let output = Command::new("sh").args(["-c", &script]).output().unwrap();
        assert!(children_seconds(&String::from_utf8_lossy(&output.stdout)) > 0.0);
    }
}
