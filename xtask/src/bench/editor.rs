//! The language server's answer to an edit: one function of a file of 3,000 lines, with a warm cache.

use crate::process;
use anyhow::{Context, Result, bail};
use std::fmt::Write;
use std::fs;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;

/// Functions without loops, of 13 lines each.
const FUNCTIONS: usize = 230;
/// How soon something must be shown.
const MOST: f64 = 1.0;
/// How often each edit is made; the middle run counts.
const TIMES: usize = 5;

const SUM: &str = "int sum(const int *a, int n)\n{\n    int s = 0;\n    for (int i = 0; i < n; i++) {\n        \
                   s += a[i] * 3;\n    }\n    return s;\n}\n";

/// What is edited: its name, a text of the file, and by what it is replaced. The number of the run makes each edit new.
const EDITS: [(&str, &str, &str); 4] = [
    ("equivalent", "return result ^ y; /* 17 */", "return y ^ result; /* NUMBER */"),
    ("different", "if (x > 17)", "if (x > 17 + NUMBER)"),
    ("equivalent, in a loop", "i < n; i++", "n > i; i += 1 /* NUMBER */"),
    ("different, in a loop", "a[i] * 3", "a[i] * (4 + NUMBER)"),
];

/// The figures as a section of the report.
pub fn measure(verdiff: &Path) -> Result<String> {
    let folder = tempfile::tempdir()?;
    let work = folder.path().join("work");
    fs::create_dir(&work)?;
    let text = source();
    fs::write(work.join("a.c"), &text)?;
    for arguments in [
        &["init", "-q"][..],
        &["add", "a.c"],
        &["-c", "user.name=bench", "-c", "user.email=bench", "commit", "-q", "-m", "a file"],
    ] {
        process::run(Command::new("git").args(arguments).current_dir(&work))?;
    }
    let mut table = format!(
        "An edit of one function in a file of {} lines. The cache is warm: the file was compared with HEAD before, with \
         another\nedit. Seconds until `verdiff lenses`, which the language server runs, has printed something about the \
         function,\nand until the comparison has ended; the middle of {TIMES} edits (goal for the first: below {MOST}).\n\n\
         | edit | first | end | first line | last line |\n|---|---|---|---|---|\n",
        text.lines().count()
    );
    answer(verdiff, &work, &text.replace("x + x", "2 * x"))?;
    let mut missed = vec![];
    for (name, from, to) in EDITS {
        if !text.contains(from) {
            bail!("the file has no `{from}`");
        }
        let mut answers = vec![];
        for number in 1..=TIMES {
            let edited = text.replace(from, &to.replace("NUMBER", &number.to_string()));
            answers.push(answer(verdiff, &work, &edited)?);
        }
        answers.sort_by(|a, b| a.first.total_cmp(&b.first));
        let Answer { first, end, titles } = &answers[TIMES / 2];
        let [early, last] = titles;
        writeln!(table, "| {name} | {first:.2} s | {end:.2} s | {early} | {last} |")?;
        if *first >= MOST {
            missed.push(name);
        }
    }
    if !missed.is_empty() {
        writeln!(table, "\n{} {}", super::html::MISSED, missed.join("; "))?;
    }
    Ok(table)
}

/// What is printed, and when.
struct Answer {
    first: f64,
    end: f64,
    /// The title of the first line and that of the last one.
    titles: [String; 2],
}

fn answer(verdiff: &Path, work: &Path, text: &str) -> Result<Answer> {
    fs::write(work.join("a.c"), text)?;
    let start = Instant::now();
    let mut comparison = Command::new(verdiff)
        .args([
            "lenses",
            "--no-progress",
            "--no-replay",
            "--cache",
            "../cache",
            "HEAD",
            "--",
            "a.c",
        ])
        .current_dir(work)
        .stdout(Stdio::piped())
        .spawn()?;
    let output = comparison.stdout.take().context("no output")?;
    let mut lines = vec![];
    for line in BufReader::new(output).lines() {
        let line: serde_json::Value = serde_json::from_str(&line?)?;
        let title = line["lenses"][0]["title"].as_str().unwrap_or_default().replace('|', "\\|");
        lines.push((start.elapsed().as_secs_f64(), title));
    }
    comparison.wait()?;
    let (Some((first, early)), Some((end, last))) = (lines.first(), lines.last()) else {
        bail!("`verdiff lenses` printed nothing");
    };
    Ok(Answer { first: *first, end: *end, titles: [early.clone(), last.clone()] })
}

fn source() -> String {
    let mut text = String::new();
    for n in 0..FUNCTIONS {
        text += &format!(
            "/* Limits x to {n} and scales it. */\nint f{n}(int x, int y)\n{{\n    int result = x + x;\n    \
             if (x > {n}) {{\n        result = {n};\n    }}\n    if (y < 0 && x < 0) {{\n        \
             result = result - y;\n    }}\n    return result ^ y; /* {n} */\n}}\n\n"
        );
    }
    text + SUM
}
