//! Loops and recursion: the figures of the paper, and how much of the corpus is proved.

use super::compare::clang;
use crate::process::{self, root};
use anyhow::{Context, Result};
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Instant;

/// The topics that have loops and recursion.
const TOPICS: [&str; 2] = ["loops", "recursion"];

/// A pair of the corpus and what came of it.
struct Measured {
    name: String,
    /// Functions whose label says so, and those of them that were decided like that.
    equivalent: (usize, usize),
    different: (usize, usize),
    clang: f64,
    whole: f64,
    /// What `recursion` took, all questions to solvers included, in seconds.
    engine: f64,
}

/// The figures as sections of the report.
pub fn measure(verdiff: &Path) -> Result<String> {
    let mut all = vec![];
    for topic in TOPICS {
        let mut cases: Vec<PathBuf> = fs::read_dir(root().join("corpus").join(topic))?
            .map(|entry| Ok(entry?.path()))
            .collect::<Result<_>>()?;
        cases.sort();
        for case in cases {
            all.push(measured(verdiff, topic, &case)?);
        }
    }
    let mut text = String::from(
        "## The figures of paper 000\n\n`clang` is two runs of clang alone, `verdiff` the whole run, replay included, `engine` what the engine `recursion` \
         took, solvers included.\n\n| pair | clang | verdiff | ratio | engine |\n|---|---|---|---|---|\n",
    );
    for pair in all.iter().filter(|pair| pair.name.starts_with("recursion/fig")) {
        writeln!(
            text,
            "| {} | {:.0} ms | {:.0} ms | {:.1} | {:.0} ms |",
            pair.name,
            pair.clang * 1000.0,
            pair.whole * 1000.0,
            pair.whole / pair.clang,
            pair.engine * 1000.0
        )?;
    }
    let sum = |of: &dyn Fn(&Measured) -> (usize, usize)| {
        all.iter().map(of).fold((0, 0), |sum, one| (sum.0 + one.0, sum.1 + one.1))
    };
    let line = |(labelled, decided): (usize, usize)| {
        format!(
            "{decided} of {labelled} ({:.1} %)",
            100.0 * decided as f64 / labelled.max(1) as f64
        )
    };
    let time: f64 = all.iter().map(|pair| pair.whole).sum();
    writeln!(
        text,
        "\n## The whole corpus of loops and recursion\n\n{} pairs in {time:.0} s.\n\n- equivalent functions proved: {}\n- different functions found and confirmed: {}\n\nOpen:\n",
        all.len(),
        line(sum(&|pair| pair.equivalent)),
        line(sum(&|pair| pair.different)),
    )?;
    for pair in &all {
        let open = pair.equivalent.0 + pair.different.0 - pair.equivalent.1 - pair.different.1;
        if open > 0 {
            writeln!(text, "- {}", pair.name)?;
        }
    }
    Ok(text)
}

fn measured(verdiff: &Path, topic: &str, case: &Path) -> Result<Measured> {
    let files = [case.join("old.c"), case.join("new.c")];
    let alone = clang(&files)?;
    let start = Instant::now();
    let mut command = process::verdiff(verdiff);
    let output = command.args(&files).args(["--format", "json", "--no-progress"]).output()?;
    let whole = start.elapsed().as_secs_f64();
    let report: serde_json::Value = serde_json::from_slice(&output.stdout)
        .with_context(|| format!("{}: no report", case.display()))?;
    let label = fs::read_to_string(case.join("case.toml"))?;
    let (mut equivalent, mut different, mut engine) = ((0, 0), (0, 0), 0.0);
    for function in label.split("[[function]]").skip(1) {
        let field = |name: &str| {
            let line = function.lines().find(|l| l.starts_with(&format!("{name} = ")))?;
            line.split('"').nth(1)
        };
        let (Some(name), Some(truth)) = (field("name"), field("verdict")) else { continue };
        let pairs = report["pairs"].as_array().map(Vec::as_slice).unwrap_or_default();
        let Some(pair) = pairs.iter().find(|pair| pair["function"] == name) else { continue };
        let decided = usize::from(pair["verdict"] == truth);
        match truth {
            "equivalent" => equivalent = (equivalent.0 + 1, equivalent.1 + decided),
            "different" => different = (different.0 + 1, different.1 + decided),
            _ => {}
        }
        let engines = pair["engines"].as_array().map(Vec::as_slice).unwrap_or_default();
        let of = |e: &&serde_json::Value| e["name"] == "recursion";
        engine += engines.iter().filter(of).filter_map(|e| e["ms"].as_f64()).sum::<f64>() / 1000.0;
    }
    let file = case.file_name().unwrap_or_default().to_string_lossy();
    let name = format!("{topic}/{file}");
    Ok(Measured { name, equivalent, different, clang: alone, whole, engine })
}
