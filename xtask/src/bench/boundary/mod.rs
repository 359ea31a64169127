//! From the change outwards: small changes in large functions, how time grows with the size of a function, and
//! compositions of calls of a changed library.
//!
//! The pairs are generated into `target/bench/boundary/`. Their labels are checked by running both compiled versions.

mod change;
mod compositions;
mod large;
mod surroundings;
mod verify;

use super::compare::clang;
use crate::process::{self, target};
use anyhow::{Context, Result};
use change::Change;
use large::Large;
use serde_json::Value;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Instant;
use surroundings::Special;

/// How many lines the functions around the changes have, one after another.
const SIZES: [usize; 6] = [200, 300, 500, 800, 1200, 1600];
/// How many lines the functions have in which the same change is made.
const SCALE: [usize; 4] = [100, 500, 2000, 5000];
/// How often each of the latter is measured; the run whose ratio is in the middle counts.
const TIMES: usize = 3;
/// Seconds for a function.
const LIMIT: &str = "10";

/// What verdiff answered.
struct Answer {
    verdict: String,
    /// Why there is none.
    reason: String,
    seconds: f64,
}

impl Answer {
    /// In one word: the verdict, or that it is none, or that it is wrong.
    fn word(&self, equivalent: bool) -> String {
        match self.verdict.as_str() {
            "unknown" => "undecided".to_owned(),
            verdict if verdict == label(equivalent) => verdict.to_owned(),
            verdict => format!("**WRONG: {verdict}**"),
        }
    }

    fn is_right(&self, equivalent: bool) -> bool {
        self.verdict == label(equivalent)
    }

    fn is_wrong(&self, equivalent: bool) -> bool {
        self.verdict != "unknown" && !self.is_right(equivalent)
    }
}

/// The figures as sections of the report.
pub fn measure(verdiff: &Path) -> Result<String> {
    let folder = target().join("bench/boundary");
    fs::create_dir_all(&folder)?;
    Ok(format!(
        "{}\n{}\n{}",
        large_functions(verdiff, &folder)?,
        scaling(verdiff, &folder)?,
        composed(verdiff, &folder)?
    ))
}

/// One pair for each change, of different sizes and surroundings.
fn large_functions(verdiff: &Path, folder: &Path) -> Result<String> {
    let mut text = format!(
        "## Small changes in large functions\n\nOne change in a generated function; `special` is what is around it besides loops, jumps and switches. \
         `--timeout {LIMIT}`; every label was checked by running both versions.\n\n\
         | change | label | lines | special | verdict | time |\n|---|---|---|---|---|---|\n"
    );
    let (mut right, mut wrong, mut reasons) = (0, 0, vec![]);
    let changes = change::all()?;
    for (number, change) in changes.iter().enumerate() {
        // Both sisters of a pair stand side by side in the file: the sizes go on with every second one.
        let (lines, special) = (SIZES[number / 2 % 6], Special::ALL[(number + number / 8) % 8]);
        let pair = large::pair(change, lines, special, number as u64 + 1);
        let files = write(folder, &pair.name, &pair.text)?;
        verify::label(&pair, &files, folder)?;
        let answer = run(verdiff, &files, "large")?;
        right += usize::from(answer.is_right(pair.equivalent));
        wrong += usize::from(answer.is_wrong(pair.equivalent));
        if answer.verdict == "unknown" {
            reasons.push(format!("- `{}`: {}", pair.name, answer.reason));
        }
        text.push_str(&row(&pair, &answer));
    }
    writeln!(
        text,
        "\n{right} of {} decided rightly ({:.0} %; goal 90 %), {wrong} wrongly.\n",
        changes.len(),
        100.0 * right as f64 / changes.len() as f64
    )?;
    if !reasons.is_empty() {
        writeln!(text, "Undecided:\n\n{}", reasons.join("\n"))?;
    }
    Ok(text)
}

fn row(pair: &Large, answer: &Answer) -> String {
    let label = match pair.kind.as_str() {
        "" => "equivalent".to_owned(),
        kind => format!("different ({kind})"),
    };
    let (name, lines, special) = (&pair.name, pair.lines, pair.special.name());
    let verdict = answer.word(pair.equivalent);
    format!("| {name} | {label} | {lines} | {special} | {verdict} | {:.2} s |\n", answer.seconds)
}

/// The same one-line change in functions of growing size.
fn scaling(verdiff: &Path, folder: &Path) -> Result<String> {
    let mut text = String::from(
        "## One line in functions of growing size\n\n`clang` is two runs of clang alone; `ratio` is the whole run of verdiff over it: it should not grow.\n\n\
         | change | lines | verdict | clang | verdiff | ratio |\n|---|---|---|---|---|---|\n",
    );
    let changes = change::all()?;
    for name in ["factored_product", "wrong_variable"] {
        let change = changes.iter().find(|c| c.name == name).context("a change")?;
        for lines in SCALE {
            let pair = sized(change, lines)?;
            let files = write(folder, &format!("{name}-{lines}"), &pair.text)?;
            let mut runs = vec![];
            for _ in 0..TIMES {
                runs.push((clang(&files)?, run(verdiff, &files, "large")?));
            }
            let ratio = |(clang, answer): &(f64, Answer)| answer.seconds / clang;
            runs.sort_by(|a, b| ratio(a).total_cmp(&ratio(b)));
            let (clang, answer) = &runs[TIMES / 2];
            writeln!(
                text,
                "| {name} | {} | {} | {:.0} ms | {:.0} ms | {:.1} |",
                pair.lines,
                answer.word(pair.equivalent),
                clang * 1000.0,
                answer.seconds * 1000.0,
                answer.seconds / clang
            )?;
        }
    }
    Ok(text)
}

/// A pair of about so many lines: blocks and gates make it longer or shorter than it was asked to be.
fn sized(change: &Change, lines: usize) -> Result<Large> {
    let tries = (8..=22).map(|part| large::pair(change, lines * part / 20, Special::None, 7));
    tries.min_by_key(|pair| pair.lines.abs_diff(lines)).context("a pair")
}

/// One to fifteen calls of a changed library.
fn composed(verdiff: &Path, folder: &Path) -> Result<String> {
    let mut text = String::from(
        "## Compositions of calls\n\nOne to fifteen calls of a changed library. A dot is an undecided client; times are those of one, five, ten and fifteen calls.\n\n\
         | calls | label | decided, 1 to 15 | 1 | 5 | 10 | 15 |\n|---|---|---|---|---|---|---|\n",
    );
    let (mut right, mut wrong, mut all) = (0, 0, 0);
    for (number, shape) in compositions::SHAPES.iter().enumerate() {
        let (mut marks, mut times) = (String::new(), vec![]);
        for count in compositions::COUNTS {
            let files = write(folder, &format!("calls-{number}-{count}"), &shape.files(count))?;
            let answer = run(verdiff, &files, "client")?;
            all += 1;
            right += usize::from(answer.is_right(shape.equivalent));
            wrong += usize::from(answer.is_wrong(shape.equivalent));
            marks.push(match answer.is_right(shape.equivalent) {
                true => '+',
                false if answer.verdict == "unknown" => '.',
                false => '!',
            });
            times.push(answer.seconds);
        }
        let times = [0, 4, 9, 14].map(|k| format!("{:.2} s", times[k])).join(" | ");
        writeln!(text, "| {} | {} | `{marks}` | {times} |", shape.name, label(shape.equivalent))?;
    }
    writeln!(
        text,
        "\n{right} of {all} decided rightly ({:.0} %; goal 95 %), {wrong} wrongly.",
        100.0 * right as f64 / all as f64
    )?;
    Ok(text)
}

fn label(equivalent: bool) -> &'static str {
    if equivalent { "equivalent" } else { "different" }
}

fn write(folder: &Path, name: &str, text: &[String; 2]) -> Result<[PathBuf; 2]> {
    let files = ["old", "new"].map(|side| folder.join(format!("{name}-{side}.c")));
    for (file, text) in files.iter().zip(text) {
        fs::write(file, text)?;
    }
    Ok(files)
}

/// A run on one function.
fn run(verdiff: &Path, files: &[PathBuf; 2], entry: &str) -> Result<Answer> {
    let begun = Instant::now();
    let output = process::verdiff(verdiff)
        .args(files)
        .args(["--entry", entry, "--timeout", LIMIT, "--format", "json", "--no-progress"])
        .output()
        .with_context(|| verdiff.display().to_string())?;
    let seconds = begun.elapsed().as_secs_f64();
    let report: Value = serde_json::from_slice(&output.stdout).with_context(|| {
        format!("{}: {}", files[0].display(), String::from_utf8_lossy(&output.stderr).trim())
    })?;
    let pairs = report["pairs"].as_array().context("a report has pairs")?;
    let pair = pairs.iter().find(|pair| pair["function"] == entry).context("the function")?;
    let word = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let reason = format!("{}: {}", word(&pair["reason"]["kind"]), word(&pair["reason"]["detail"]));
    Ok(Answer { verdict: word(&pair["verdict"]), reason, seconds })
}
