//! How conditions read: of the differences of the corpus whose condition is exact, how many are printed as C, and how long they are.

use super::verdicts::{Case, cases, labels, report, run_all};
use crate::process::root;
use anyhow::Result;
use std::fmt::Write;
use std::fs;
use std::path::Path;

/// Longer ones are only in the JSON report (`MOST_READ` of verdiff-report).
const LONGEST_PRINTED: usize = 400;
/// How many of the longest are listed.
const LISTED: usize = 15;

/// Runs the binary on every case that has a difference, and gives the table.
pub fn measure(verdiff: &Path, name: &str) -> Result<String> {
    let kept = root().join("target/verdicts").join(name);
    fs::create_dir_all(&kept)?;
    let mut all = vec![];
    for case in cases()? {
        // Some of `limits` take all the time that there is: they are about that.
        if !case.name.starts_with("limits/")
            && labels(&case)?.values().any(|verdict| verdict == "different")
        {
            all.push(case);
        }
    }
    run_all(verdiff, &all, &kept)?;
    table(&all, &kept)
}

fn table(cases: &[Case], kept: &Path) -> Result<String> {
    let (mut printed, mut unprinted, mut different) = (vec![], vec![], 0);
    for case in cases {
        let report = report(kept, case)?;
        for pair in report["pairs"].as_array().map(Vec::as_slice).unwrap_or_default() {
            let function = pair["function"].as_str().unwrap_or_default();
            let place = format!("{}:{function}", case.name);
            if pair["verdict"] != "different" || pair["old"].is_null() {
                continue;
            }
            different += 1;
            if pair["exact"] != true {
                continue;
            }
            // Where only the end differs, that is the condition.
            let under = match pair["differ_under"]["c"].as_str() {
                Some("0") => &pair["split_under"],
                _ => &pair["differ_under"],
            };
            match under["c"].as_str() {
                Some(c) if c.len() <= LONGEST_PRINTED => {
                    printed.push((c.len(), place, c.to_owned()))
                }
                Some(c) => unprinted.push(format!("- `{place}`: {} characters of C", c.len())),
                None => unprinted.push(format!("- `{place}`: no C expression")),
            }
        }
    }
    printed.sort();
    let exact = printed.len() + unprinted.len();
    let length = |at: usize| printed.get(at).map_or(0, |(length, ..)| *length);
    let share = 100.0 * printed.len() as f64 / exact.max(1) as f64;
    let (median, ninth) = (length(printed.len() / 2), length(printed.len() * 9 / 10));
    let longest = length(printed.len().saturating_sub(1));
    let mut text = format!(
        "Functions of the corpus that differ, with the options of each case and the default limits, `--jobs 1`. A condition is \
         *printed* if it is a C expression of at most {LONGEST_PRINTED} characters.\n\n\
         | different | exact | printed as C | share | median length | ninth decile | longest |\n|---|---|---|---|---|---|---|\n\
         | {different} | {exact} | {} | {share:.1} % | {median} | {ninth} | {longest} |\n",
        printed.len()
    );
    let none = |list: &[String]| if list.is_empty() { "None.".to_owned() } else { list.join("\n") };
    write!(text, "\n## Exact, but not printed\n\n{}\n", none(&unprinted))?;
    let listed: Vec<String> = printed
        .iter()
        .rev()
        .take(LISTED)
        .map(|(length, place, c)| format!("- `{place}` ({length}): `{c}`"))
        .collect();
    write!(text, "\n## The longest\n\n{}\n", none(&listed))?;
    Ok(text)
}
