//! Loops of the corpus: how many equal ones are proved, how many different ones are found, and how soon.
//!
//! Reports are kept in `target/verdicts/align/`, as those of `verdicts` are.

use super::verdicts::{cases, labels, report, run_all};
use crate::process::root;
use anyhow::Result;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs;
use std::path::Path;

/// What the functions of a topic with one label came to.
#[derive(Default)]
struct Row {
    all: usize,
    decided: usize,
    wrong: usize,
    /// Proved under the assumption that objects are smaller than 2 GiB.
    bounded: usize,
    /// The milliseconds of those that were decided.
    times: Vec<f64>,
}

/// Runs the binary on the topics `align` and `loops`, and gives the table.
pub fn measure(verdiff: &Path) -> Result<String> {
    let mut cases = cases()?;
    cases.retain(|case| ["align/", "loops/"].iter().any(|topic| case.name.starts_with(topic)));
    let kept = root().join("target/verdicts/align");
    fs::create_dir_all(&kept)?;
    run_all(verdiff, &cases, &kept)?;
    let mut rows: BTreeMap<(String, String), Row> = BTreeMap::new();
    let mut engines: BTreeMap<String, usize> = BTreeMap::new();
    let mut undecided = vec![];
    for case in &cases {
        let (report, labels) = (report(&kept, case)?, labels(case)?);
        let topic = case.name.split('/').next().unwrap_or_default();
        for pair in report["pairs"].as_array().map(Vec::as_slice).unwrap_or_default() {
            let function = pair["function"].as_str().unwrap_or_default();
            let verdict = pair["verdict"].as_str().unwrap_or_default();
            let Some(label) = labels.get(function) else { continue };
            if !["equivalent", "different"].contains(&label.as_str()) || pair["changed"] == "no" {
                continue;
            }
            let row = rows.entry((topic.to_owned(), label.clone())).or_default();
            row.all += 1;
            if verdict == "unknown" {
                let reason = pair["reason"]["detail"].as_str().unwrap_or_default();
                undecided.push(format!("- `{}:{function}` ({label}): {reason}", case.name));
                continue;
            }
            row.decided += 1;
            row.wrong += usize::from(verdict != label);
            row.times.extend(pair["ms"].as_f64());
            if verdict == "equivalent" {
                let assuming = pair["assuming"].as_array().map_or(0, Vec::len);
                row.bounded += usize::from(assuming > 0 && case.flags.is_empty());
                let engine = pair["proof"]["engine"].as_str().unwrap_or("none");
                *engines.entry(engine.to_owned()).or_default() += 1;
            }
        }
    }
    let mut text = String::from(
        "Functions with loops that changed, with the options of each case and the default limits, `--jobs 1`, a job for \
         each core. *Bounded*: proved under the assumption that arrays and strings are smaller than 2 GiB.\n\n\
         | topic | label | functions | decided | share | against label | bounded | median |\n\
         |---|---|---|---|---|---|---|---|\n",
    );
    for ((topic, label), row) in &mut rows {
        row.times.sort_by(f64::total_cmp);
        let median = row.times.get(row.times.len() / 2).copied().unwrap_or_default();
        let share = 100 * row.decided / row.all.max(1);
        let Row { all, decided, wrong, bounded, .. } = row;
        writeln!(
            text,
            "| {topic} | {label} | {all} | {decided} | {share} % | {wrong} | {bounded} | {:.2} s |",
            median / 1000.0
        )?;
    }
    text += "\n| engine | proofs |\n|---|---|\n";
    for (engine, proofs) in &engines {
        writeln!(text, "| {engine} | {proofs} |")?;
    }
    writeln!(text, "\n## Undecided\n\n{}", undecided.join("\n"))?;
    Ok(text)
}
