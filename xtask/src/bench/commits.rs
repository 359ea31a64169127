//! The last commits of a repository, as a reviewer sees them: `verdiff git` on each, and what became of the functions whose own code changed.
//!
//! The repository is any that lies on this machine. Nothing of it is written down but names of functions.

use anyhow::{Context, Result, bail};
use serde_json::Value;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

/// How long one commit may take.
const BUDGET: &str = "600";

/// What became of functions, and how many of them.
#[derive(Default)]
struct Counts(BTreeMap<String, usize>);

impl Counts {
    fn add(&mut self, what: impl Into<String>) {
        *self.0.entry(what.into()).or_default() += 1;
    }

    fn sum(&self, test: impl Fn(&str) -> bool) -> usize {
        self.0.iter().filter(|(what, _)| test(what)).map(|(_, count)| count).sum()
    }
}

/// Compares each of the last `count` commits that touch a C file with its parent, and gives the table.
pub fn measure(verdiff: &Path, repository: &Path, count: &str, options: &[&str]) -> Result<String> {
    let commits = commits(repository, count)?;
    let (mut own, mut callers) = (Counts::default(), Counts::default());
    let (mut undecided, mut troubles) = (vec![], vec![]);
    let (mut compared, mut whole) = (0, Duration::ZERO);
    for commit in &commits {
        let start = Instant::now();
        let output = Command::new(verdiff)
            .current_dir(repository)
            .args(["git", &format!("{commit}~1"), commit, "--format", "json", "--no-progress"])
            .args(["--no-cache", "--timeout", "10", "--budget", BUDGET])
            .args(options)
            .output()?;
        whole += start.elapsed();
        let short = &commit[..8];
        let Ok(report) = serde_json::from_slice::<Value>(&output.stdout) else {
            // No C code changed, or it does not compile.
            if output.status.code() != Some(0) {
                let message = String::from_utf8_lossy(&output.stderr);
                let last = message.lines().last().unwrap_or_default().to_owned();
                troubles.push(format!("- {short}: {last}"));
            }
            continue;
        };
        compared += 1;
        eprintln!("{short}: {}", report["summary"]);
        for pair in report["pairs"].as_array().map(Vec::as_slice).unwrap_or_default() {
            let changed = pair["changed"].as_str().unwrap_or("no");
            let Some(what) = became(pair) else { continue };
            match changed {
                "no" => continue,
                "callees" => callers.add(what),
                _ => {
                    if let Some(reason) = what.strip_prefix("undecided: ") {
                        let name = pair["function"].as_str().unwrap_or("?");
                        undecided.push(format!("- {short} `{name}`: {reason}"));
                    }
                    own.add(what);
                }
            }
        }
    }
    if compared == 0 {
        bail!("nothing could be compared:\n{}", troubles.join("\n"));
    }
    let mut text = format!(
        "`verdiff git` on each of the last {} commits that touch a C file, against its parent: `--timeout 10 --budget {BUDGET}`. {compared} had functions to compare; {:.0} s in all.\n\n",
        commits.len(),
        whole.as_secs_f64()
    );
    rows(&mut text, "Functions whose own code changed", &own)?;
    rows(&mut text, "Their callers", &callers)?;
    for (title, lines) in [("Undecided", &undecided), ("Not compared", &troubles)] {
        if !lines.is_empty() {
            writeln!(text, "\n{title}:\n\n{}", lines.join("\n"))?;
        }
    }
    Ok(text)
}

fn rows(text: &mut String, title: &str, counts: &Counts) -> Result<()> {
    let all = counts.sum(|_| true);
    let decided = counts.sum(|what| !what.starts_with("undecided"));
    let share = if all == 0 { 0.0 } else { 100.0 * decided as f64 / all as f64 };
    writeln!(text, "\n{title}: {decided} of {all} decided ({share:.0} %).\n\n| | |\n|---|---|")?;
    for (what, count) in &counts.0 {
        writeln!(text, "| {what} | {count} |")?;
    }
    Ok(())
}

/// What became of a function; `None` for one that only one version has.
fn became(pair: &Value) -> Option<String> {
    let word = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    Some(match pair["verdict"].as_str()? {
        "equivalent" if pair["proof"]["rule"] == "contained" => "equal: contained".to_owned(),
        "equivalent" => "equal: otherwise".to_owned(),
        "different" => match pair["witness"]["replay"].as_str() {
            Some(replay) => format!("different: {replay}"),
            None => "different: by its interface".to_owned(),
        },
        "unknown" => {
            let reason = &pair["reason"];
            let detail = word(&reason["detail"]);
            // What it is about is in the list.
            let short = detail.split(':').next().unwrap_or_default();
            format!("undecided: {} ({short})", word(&reason["kind"]))
        }
        _ => return None,
    })
}

fn commits(repository: &Path, count: &str) -> Result<Vec<String>> {
    let output = Command::new("git")
        .arg("-C")
        .arg(repository)
        .args(["log", "--no-merges", "--format=%H", "-n", count, "--", "*.c", "*.h"])
        .output()
        .context("git")?;
    let text = String::from_utf8(output.stdout)?;
    let commits: Vec<String> = text.lines().map(str::to_owned).collect();
    if commits.is_empty() {
        bail!("{}: no commits: {}", repository.display(), String::from_utf8_lossy(&output.stderr));
    }
    Ok(commits)
}
