//! Difference summaries: the pairs of the paper's table, and chains of calls with one change at the bottom.

use super::compare::clang;
use crate::process::{self, root, target};
use anyhow::{Context, Result, ensure};
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Instant;

/// How often each is measured; the run whose ratio is in the middle counts.
const TIMES: usize = 3;
/// How many calls lie between the function that is asked for and the change.
const DEPTHS: [usize; 4] = [5, 10, 20, 40];
/// What a pair may take, and all of them, in seconds.
const GOAL: (f64, f64) = (0.5, 4.5);

/// One figure: two clang runs, and the whole run of verdiff, in seconds.
type Figure = (f64, f64);

/// The figures as sections of the report.
pub fn measure(verdiff: &Path) -> Result<String> {
    Ok(format!("{}\n{}", table(verdiff)?, chains(verdiff)?))
}

/// The pairs of `corpus/moddiff`, each with its label.
fn table(verdiff: &Path) -> Result<String> {
    let folder = root().join("corpus/moddiff");
    let mut cases: Vec<PathBuf> =
        fs::read_dir(&folder)?.map(|entry| Ok(entry?.path())).collect::<Result<_>>()?;
    cases.sort();
    let mut text = String::from(
        "## The pairs of the paper's table\n\n`clang` is two runs of clang alone, one after the other; `verdiff` is the whole run, replay included.\n\n\
         | pair | verdict | clang | verdiff | ratio |\n|---|---|---|---|---|\n",
    );
    let mut all = vec![];
    for case in &cases {
        let label = fs::read_to_string(case.join("case.toml"))?;
        let equivalent = label.contains("verdict = \"equivalent\"");
        let entry = quoted(&label, "entry = [").context("an entry")?;
        let files = [case.join("old.c"), case.join("new.c")];
        let figure = middle(verdiff, &files, &entry, equivalent)?;
        let name = case.file_name().unwrap_or_default().to_string_lossy().into_owned();
        writeln!(text, "{}", row(&name, equivalent, figure))?;
        all.push(figure);
    }
    let sum = all.iter().fold((0.0, 0.0), |sum, one| (sum.0 + one.0, sum.1 + one.1));
    let most = all.iter().map(|one| one.1).fold(0.0, f64::max);
    let reached = |is: bool| if is { "reached" } else { "missed" };
    writeln!(
        text,
        "\n{} pairs: {:.2} s in all ({:.1} times clang; goal {} s: {}), the longest {most:.2} s (goal {} s: {}).",
        all.len(),
        sum.1,
        sum.1 / sum.0,
        GOAL.1,
        reached(sum.1 <= GOAL.1),
        GOAL.0,
        reached(most <= GOAL.0),
    )?;
    Ok(text)
}

/// Chains of calls.
fn chains(verdiff: &Path) -> Result<String> {
    let mut text = String::from(
        "## Chains of calls\n\nOne change at the bottom, the function on top asked for. `per level` is what verdiff takes besides clang, as a multiple of \
         two clang runs on an empty file, for each level: it stays the same where the cost is linear.\n\n\
         | chain | verdict | depth | clang | verdiff | per level |\n|---|---|---|---|---|---|\n",
    );
    let empty = chain(|_| String::new(), 0, ["", ""])?;
    let mut unit: Vec<f64> = (0..2 * TIMES + 1).map(|_| clang(&empty)).collect::<Result<_>>()?;
    unit.sort_by(f64::total_cmp);
    let unit = unit[TIMES];
    for shape in SHAPES {
        for depth in DEPTHS {
            let files = chain(shape.level, depth, shape.bottom)?;
            let entry = format!("f{depth}");
            let (clang, whole) = middle(verdiff, &files, &entry, shape.equivalent)?;
            writeln!(
                text,
                "| {} | {} | {depth} | {:.0} ms | {:.0} ms | {:.2} |",
                shape.name,
                verdict(shape.equivalent),
                clang * 1000.0,
                whole * 1000.0,
                (whole - clang) / unit / depth as f64
            )?;
        }
    }
    Ok(text)
}

/// A kind of chain.
struct Shape {
    name: &'static str,
    /// Whether the difference does not reach the top.
    equivalent: bool,
    /// The function of a level, which calls the one below.
    level: fn(usize) -> String,
    /// `f0` in both versions.
    bottom: [&'static str; 2],
}

const BOTTOM: [&str; 2] = [
    "static int f0(int x) { return x == 12 ? 1 : x / 3; }",
    "static int f0(int x) { return x == 12 ? 2 : x / 3; }",
];

const SHAPES: &[Shape] = &[
    Shape {
        name: "handed up",
        equivalent: false,
        level: |n| format!("int f{n}(int x) {{ return f{}(x) + {n}; }}", n - 1),
        bottom: BOTTOM,
    },
    Shape {
        name: "cancelled half way",
        equivalent: true,
        level: |n| match n {
            3 => "int f3(int x) { return x == 12 ? 0 : f2(x); }".to_owned(),
            _ => format!("int f{n}(int x) {{ return f{}(x) + {n}; }}", n - 1),
        },
        bottom: BOTTOM,
    },
    Shape {
        name: "two calls a level",
        equivalent: true,
        level: |n| format!("int f{n}(int x) {{ return f{0}(x & 7) + f{0}(x | 16); }}", n - 1),
        bottom: BOTTOM,
    },
];

/// Both versions of a chain.
fn chain(level: fn(usize) -> String, depth: usize, bottom: [&str; 2]) -> Result<[PathBuf; 2]> {
    let levels: Vec<String> = (1..=depth).map(level).collect();
    let files = ["chain-old.c", "chain-new.c"].map(|name| target().join(name));
    for (file, bottom) in files.iter().zip(bottom) {
        fs::write(file, format!("{bottom}\n{}\n", levels.join("\n")))?;
    }
    Ok(files)
}

fn verdict(equivalent: bool) -> &'static str {
    if equivalent { "equivalent" } else { "different" }
}

fn row(name: &str, equivalent: bool, (clang, whole): Figure) -> String {
    format!(
        "| {name} | {} | {:.0} ms | {:.0} ms | {:.1} |",
        verdict(equivalent),
        clang * 1000.0,
        whole * 1000.0,
        whole / clang
    )
}

/// The middle of some runs.
fn middle(verdiff: &Path, files: &[PathBuf; 2], entry: &str, equivalent: bool) -> Result<Figure> {
    let mut runs = vec![];
    for _ in 0..TIMES {
        runs.push((clang(files)?, run(verdiff, files, entry, equivalent)?));
    }
    runs.sort_by(|a, b| (a.1 / a.0).total_cmp(&(b.1 / b.0)));
    Ok(runs[TIMES / 2])
}

/// A run on one function; what it answers must be right.
fn run(verdiff: &Path, files: &[PathBuf; 2], entry: &str, equivalent: bool) -> Result<f64> {
    let start = Instant::now();
    let mut command = process::verdiff(verdiff);
    let status =
        command.args(files).args(["-q", "--entry", entry]).stdout(Stdio::null()).status()?;
    let expected = if equivalent { 0 } else { 1 };
    ensure!(status.code() == Some(expected), "{files:?}: {status}, not {}", verdict(equivalent));
    Ok(start.elapsed().as_secs_f64())
}

/// What stands in quotes behind some words.
fn quoted(text: &str, before: &str) -> Option<String> {
    let rest = &text[text.find(before)? + before.len()..];
    rest.split('"').nth(1).map(str::to_owned)
}
