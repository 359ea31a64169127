//! Whether limits are kept: how much longer than its `--timeout` a pair takes, and than its `--budget` a run.

use crate::process::{self, root};
use anyhow::{Context, Result};
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Instant;

/// The limits under which each case is run: seconds for a pair, seconds for the run, workers.
const RUNS: [(f64, Option<f64>, u32); 5] = [
    (2.0, None, 1),
    (5.0, None, 2),
    (10.0, Some(8.0), 2),
    (10.0, Some(20.0), 1),
    (1.0, Some(3.0), 2),
];
/// What a pair, and a run, may take beyond its limit.
const PAIR: f64 = 1.0;
const RUN: f64 = 3.0;

/// A run and its overshoot.
struct Measured {
    what: String,
    whole: f64,
    /// The pair that exceeded its limit most: its name, how long it took.
    longest: (String, f64),
    overshoot: f64,
    decided: usize,
    pairs: usize,
}

/// How a line begins that tells of limits that were not kept.
pub const BROKEN: &str = "NOT KEPT:";

/// The figures as a section of the report.
pub fn measure(verdiff: &Path) -> Result<String> {
    let mut cases: Vec<PathBuf> = fs::read_dir(root().join("corpus/limits"))?
        .map(|entry| Ok(entry?.path()))
        .collect::<Result<_>>()?;
    cases.sort();
    let mut all = vec![];
    for case in &cases {
        for (timeout, budget, jobs) in RUNS {
            all.push(measured(verdiff, case, timeout, budget, jobs)?);
        }
    }
    let mut text = String::from(
        "A pair may take its `--timeout` and 1 s, replay and wording included; a run its `--budget` and 3 s.\n\n\
         | run | whole | longest pair | beyond the limit | decided |\n|---|---|---|---|---|\n",
    );
    let mut broken = vec![];
    for run in &all {
        let Measured { what, whole, longest: (name, time), overshoot, decided, pairs } = run;
        writeln!(
            text,
            "| {what} | {whole:.1} s | {name} {time:.2} s | {overshoot:+.2} s | {decided} of {pairs} |"
        )?;
        if *overshoot > 0.0 {
            broken.push(what.as_str());
        }
    }
    if !broken.is_empty() {
        writeln!(text, "\n{BROKEN} {}", broken.join("; "))?;
    }
    Ok(text)
}

fn measured(
    verdiff: &Path,
    case: &Path,
    timeout: f64,
    budget: Option<f64>,
    jobs: u32,
) -> Result<Measured> {
    let name = case.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let mut command = process::verdiff(verdiff);
    command.args([case.join("old.c"), case.join("new.c")]);
    command.args(["--format", "json", "--no-progress"]);
    command.args(["--timeout", &timeout.to_string(), "--jobs", &jobs.to_string()]);
    let mut what = format!("{name}, timeout {timeout}, jobs {jobs}");
    if let Some(budget) = budget {
        command.args(["--budget", &budget.to_string()]);
        write!(what, ", budget {budget}")?;
    }
    let start = Instant::now();
    let output = command.output().with_context(|| verdiff.display().to_string())?;
    let whole = start.elapsed().as_secs_f64();
    let report: serde_json::Value =
        serde_json::from_slice(&output.stdout).with_context(|| what.clone())?;
    let pairs = report["pairs"].as_array().context("a report has pairs")?;
    let time = |pair: &serde_json::Value| pair["ms"].as_f64().unwrap_or(0.0) / 1000.0;
    let longest = pairs
        .iter()
        .max_by(|a, b| time(a).total_cmp(&time(b)))
        .map_or((String::new(), 0.0), |pair| {
            (pair["function"].as_str().unwrap_or_default().to_owned(), time(pair))
        });
    let of_run = budget.map_or(f64::MIN, |budget| whole - budget - RUN);
    let overshoot = of_run.max(longest.1 - timeout - PAIR);
    let is_decided =
        |pair: &&serde_json::Value| pair["verdict"].as_str().is_some_and(|v| v != "unknown");
    let decided = pairs.iter().filter(is_decided).count();
    Ok(Measured { what, whole, longest, overshoot, decided, pairs: pairs.len() })
}
