//! The HTML report of many functions: how large it is, and how long a browser takes to open it.

use crate::browser::evaluated;
use crate::process;
use anyhow::{Context, Result};
use std::fmt::Write;
use std::fs;
use std::path::Path;
use std::time::Instant;

/// How many functions the report has, and what it may take.
const FUNCTIONS: usize = 5000;
const MOST_BYTES: usize = 10_000_000;
const MOST_MS: f64 = 2000.0;
/// How often each page is opened; the middle run counts.
const TIMES: usize = 5;
/// How a line begins that tells of a figure that is not reached.
pub const MISSED: &str = "NOT REACHED:";

/// What is measured of a page: the milliseconds from the start of its loading until everything is drawn. Layout is part
/// of it, because the height of the page is asked for.
const OPENED: &str = "document.body.getBoundingClientRect(); return performance.now();";

/// The figures as a section of the report.
pub fn measure(verdiff: &Path) -> Result<String> {
    let folder = tempfile::tempdir()?;
    let [old, new] = [false, true].map(source);
    fs::write(folder.path().join("old.c"), old)?;
    fs::write(folder.path().join("new.c"), new)?;
    let start = Instant::now();
    let mut command = process::verdiff(verdiff);
    command.current_dir(folder.path()).args(["old.c", "new.c", "--quiet", "--no-progress"]);
    command.args(["-o", "report.html", "-o", "report.json"]).status()?;
    let compared = start.elapsed().as_secs_f64();
    let page =
        fs::read_to_string(folder.path().join("report.html")).context("verdiff wrote no page")?;
    let report: serde_json::Value =
        serde_json::from_str(&fs::read_to_string(folder.path().join("report.json"))?)?;
    let counts = |word: &str| report["summary"][word].as_u64().unwrap_or_default();
    let mut text = format!(
        "{FUNCTIONS} functions, of which {} differ and {} are equivalent (half of all are unchanged); the comparison \
         took {compared:.0} s.\nThe page has {:.2} MB (goal: below {} MB). Milliseconds until Chromium has loaded a page \
         and laid it out, the middle of\n{TIMES} runs (goal: below {MOST_MS}):\n\n| opened at | ms |\n|---|---|\n",
        counts("different"),
        counts("equivalent"),
        page.len() as f64 / 1e6,
        MOST_BYTES / 1_000_000,
    );
    let mut missed = vec![];
    if page.len() >= MOST_BYTES {
        missed.push("size".to_owned());
    }
    for (name, fragment) in [
        ("the overview", ""),
        ("a search", "q=f17"),
        ("a different function", "f=f40"),
        ("an equivalent function", "f=f41"),
    ] {
        let mut times = vec![];
        for _ in 0..TIMES {
            times.push(evaluated(&page, fragment, OPENED, 1200)?.parse::<f64>()?);
        }
        times.sort_by(f64::total_cmp);
        let middle = times[TIMES / 2];
        writeln!(text, "| {name} | {middle:.0} |")?;
        if middle >= MOST_MS {
            missed.push(name.to_owned());
        }
    }
    if !missed.is_empty() {
        writeln!(text, "\n{MISSED} {}", missed.join("; "))?;
    }
    Ok(text)
}

/// One version. A tenth of all functions differ, four tenths are changed and equivalent.
fn source(new: bool) -> String {
    let mut text = String::new();
    for n in 0..FUNCTIONS {
        let (bound, double) = match (new, n % 10) {
            (true, 0) => (n + 1, "x + x"),
            (true, 1..=4) => (n, "2 * x"),
            _ => (n, "x + x"),
        };
        text += &format!(
            "/* Limits x to {n} and scales it. */\nint f{n}(int x, int y)\n{{\n    int result = {double};\n    \
             if (x > {bound}) {{\n        result = {n};\n    }}\n    if (y < 0 && x < 0) {{\n        \
             result = result - y;\n    }}\n    return result ^ y;\n}}\n\n"
        );
    }
    text
}
