//! What a second run of the same comparison takes, and whether it says the same: over a part of the corpus, one case after the other.

use super::verdicts::{Case, cases};
use anyhow::{Context, Result, bail};
use serde_json::Value;
use std::fmt::Write;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

/// One case in so many is measured.
const EVERY: usize = 5;

/// How a case is run, one after the other.
const RUNS: [(&str, &[&str]); 4] = [
    ("without a cache", &["--no-cache"]),
    ("first run", &[]),
    ("second run", &[]),
    ("second run, `--no-replay`", &["--no-replay"]),
];

/// Runs the binary on every fifth case in each way, and gives the table.
pub fn measure(verdiff: &Path) -> Result<String> {
    let folder = tempfile::tempdir()?;
    let mut times: [Vec<Duration>; RUNS.len()] = Default::default();
    let (mut different, mut judged_again) = (vec![], vec![]);
    let mut count = 0;
    for (number, case) in cases()?.iter().enumerate().filter(|(n, _)| n % EVERY == 0) {
        let cache = folder.path().join(number.to_string());
        let mut reports = vec![];
        for ((_, options), times) in RUNS.iter().zip(&mut times) {
            let (report, time) = run(verdiff, case, &cache, options)?;
            times.push(time);
            reports.push(report);
        }
        count += 1;
        let undecided_by_clock =
            |report: &Value| pairs(report).iter().any(|pair| pair["reproducible"] == false);
        if reports.iter().any(undecided_by_clock) {
            continue;
        }
        judged_again.extend(again(case, &reports[2]));
        let plain: Vec<Value> = reports.into_iter().map(plain).collect();
        if plain.windows(2).any(|two| two[0] != two[1]) {
            different.push(case.name.clone());
        }
    }
    if !different.is_empty() {
        bail!("the cache changes what is said of {}", different.join(", "));
    }
    table(count, &mut times, &judged_again)
}

fn table(
    count: usize,
    times: &mut [Vec<Duration>; RUNS.len()],
    judged_again: &[String],
) -> Result<String> {
    let mut text = format!(
        "Every fifth case of the corpus ({count}), each with a cache of its own, default limits, `--jobs 1`, one case at a time. All reports of a case are the \
         same but for times, unless a clock had a part in one of them. *Ratio*: how many times as long it takes without a cache; of the sums, and the middle one \
         of all cases.\n\n| | sum | middle | ratio of sums | middle ratio |\n|---|---|---|---|---|\n"
    );
    let base = times[0].clone();
    for ((name, _), times) in RUNS.iter().zip(times.iter_mut()) {
        let mut ratios: Vec<f64> =
            base.iter().zip(&*times).map(|(a, b)| a.as_secs_f64() / b.as_secs_f64()).collect();
        ratios.sort_by(f64::total_cmp);
        let sum: Duration = times.iter().sum();
        let whole: Duration = base.iter().sum();
        times.sort();
        let middle = times.get(count / 2).copied().unwrap_or_default();
        writeln!(
            text,
            "| {name} | {:.1} s | {:.0} ms | {:.1} | {:.1} |",
            sum.as_secs_f64(),
            middle.as_secs_f64() * 1000.0,
            whole.as_secs_f64() / sum.as_secs_f64(),
            ratios.get(count / 2).copied().unwrap_or_default(),
        )?;
    }
    writeln!(
        text,
        "\nFunctions that a worker judged again in the second run: {}.",
        judged_again.len()
    )?;
    for name in judged_again {
        writeln!(text, "- `{name}`")?;
    }
    Ok(text)
}

fn pairs(report: &Value) -> &[Value] {
    report["pairs"].as_array().map(Vec::as_slice).unwrap_or_default()
}

/// The functions that a worker judged again.
fn again(case: &Case, report: &Value) -> Vec<String> {
    let by_worker = |pair: &&Value| {
        let engines = pair["engines"].as_array().map_or(0, Vec::len);
        pair["cached"] == false && engines > 0
    };
    let name = |pair: &Value| format!("{}:{}", case.name, pair["function"].as_str().unwrap_or("?"));
    pairs(report).iter().filter(by_worker).map(name).collect()
}

/// A report without what differs between two runs.
fn plain(mut report: Value) -> Value {
    for pair in report["pairs"].as_array_mut().into_iter().flatten() {
        pair["ms"] = Value::Null;
        pair["cached"] = Value::Null;
        for engine in pair["engines"].as_array_mut().into_iter().flatten() {
            engine["ms"] = Value::Null;
        }
    }
    report
}

fn run(verdiff: &Path, case: &Case, cache: &Path, options: &[&str]) -> Result<(Value, Duration)> {
    let mut command = Command::new(verdiff);
    command.args(case.files()).args(["--format", "json", "--no-progress", "--jobs", "1"]);
    command.args(options).args(&case.flags).env("VERDIFF_CACHE", cache);
    let start = Instant::now();
    let output = command.output()?;
    let time = start.elapsed();
    let report = serde_json::from_slice(&output.stdout).with_context(|| {
        format!("{}: no report: {}", case.name, String::from_utf8_lossy(&output.stderr).trim())
    })?;
    Ok((report, time))
}
