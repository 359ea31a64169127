//! Correlated states: likenesses of the paper's figures and of the rows of its Table 2, what `verdiff correlate` says of
//! them and what that costs; and the conditions under which pairs are proved equal because of it.
//!
//! Goals (published times in brackets): Figs 1, 7 and 8 in at most 2 s (11 s to 13 s), every row in at most 10 s and 1 GiB
//! (up to two hours, one time-out). Times are processor times, so that a busy machine changes nothing.

use super::html::MISSED;
use crate::process::{self, root};
use anyhow::{Context, Result};
use std::fmt::Write;
use std::fs;
use std::path::Path;
use std::process::Command;

/// Goals.
const FIGURE_SECONDS: f64 = 2.0;
const ROW_SECONDS: f64 = 10.0;
const MOST_KIB: u64 = 1 << 20;

/// A row of the table.
struct Row {
    /// What it is a likeness of.
    paper: &'static str,
    /// The case of the corpus.
    case: &'static str,
    /// The published time, minutes and seconds.
    published: &'static str,
    /// What the paper derives, as far as it says so.
    derived: &'static str,
    figure: bool,
}

const fn row(
    paper: &'static str,
    case: &'static str,
    published: &'static str,
    derived: &'static str,
) -> Row {
    Row { paper, case, published, derived, figure: false }
}

const fn figure(
    paper: &'static str,
    case: &'static str,
    published: &'static str,
    derived: &'static str,
) -> Row {
    Row { paper, case, published, derived, figure: true }
}

/// A row of which the paper says no more than its size and its time.
const SIZE_ONLY: &str = "not stated";

const ROWS: [Row; 22] = [
    figure("print_numbers, Fig. 8", "numbers_refactored", "0:11", "x equal at every print"),
    figure("print_numbers, Fig. 1", "numbers_extra", "0:11", "x equal but for the last print"),
    figure("DDEC, Fig. 7", "scaled_accumulator", "0:13", "x and i equal, z = 5z'"),
    row("cache_fstatat", "error_in_its_place", "0:03", SIZE_ONLY),
    row("set_owner", "owner_after_mode", "0:02", SIZE_ONLY),
    row("fmt", "line_width", "0:22", SIZE_ONLY),
    row("md5sum", "digest_length", "13:31", SIZE_ONLY),
    row("char_to_clump, Fig. 9", "clump_clamped", "19:09", "two states, both with width < 0"),
    row("savewd", "state_after_failure", "0:46", SIZE_ONLY),
    row("addr", "room_for_the_end", "0:17", SIZE_ONLY),
    row(
        "SetTextInternal, Fig. 6",
        "text_too_long",
        "11:28",
        "ranges of newLength that are refused",
    ),
    row("get_sha1_basic v1, Fig. 3", "mark_kept", "118:01", SIZE_ONLY),
    row("get_sha1_basic v2", "count_behind_mark", "time-out", "nothing"),
    row("get_path_prefix", "prefix_of_path", "29:12", SIZE_ONLY),
    row("boot_attr v1", "stack_started", "8:08", SIZE_ONLY),
    row("boot_attr v2", "stack_started_bare", "6:04", SIZE_ONLY),
    row("read_attr", "first_line_marked", "5:42", SIZE_ONLY),
    row("ll_binary_merge", "merge_favours", "0:53", SIZE_ONLY),
    row("write_zip_entry, Fig. 5", "flags_hoisted", "7:32", "equivalence"),
    row("DSE", "constant_factor", "0:09", SIZE_ONLY),
    row("RegVer", "recursive_sum", "0:07", "equivalence, by the rule for recursion"),
    row("SymDiff", "evaluator", "0:04", SIZE_ONLY),
];

/// The figures as sections of the report.
pub fn measure(verdiff: &Path) -> Result<String> {
    let mut text = format!(
        "Each case is a likeness that was written for this project. Processor time, and the peak of memory, of \
         `verdiff correlate`\nwith clang's part; goals: {FIGURE_SECONDS} s for the figures 1, 7 and 8, {ROW_SECONDS} s and \
         1 GiB for every row. The sentence is the last\none of the output.\n\n\
         | paper | case | published, min | s | MiB | the paper derives | verdiff derives |\n|---|---|---|---|---|---|---|\n"
    );
    let mut missed = vec![];
    for row in &ROWS {
        let said = correlate(verdiff, row.case)?;
        let limit = if row.figure { FIGURE_SECONDS } else { ROW_SECONDS };
        if said.seconds > limit || said.kib > MOST_KIB {
            missed.push(row.paper);
        }
        writeln!(
            text,
            "| {} | `{}` | {} | {:.2} | {} | {} | {} |",
            row.paper,
            row.case,
            row.published,
            said.seconds,
            said.kib / 1024,
            row.derived,
            said.sentence
        )?;
    }
    text += "\n## Conditions that enter U\n\nOutside of the states that differ the two versions, with a guard, are compared again. \
             Cases of the corpus in which that\nproof succeeds (rule `guarded`), of those that differ and are correlated.\n\n\
             | case | equal when | proved by |\n|---|---|---|\n";
    let (mut tried, mut proved) = (0, 0);
    for case in cases()? {
        let folder = root().join("corpus/correlate").join(&case);
        let mut command = process::verdiff(verdiff);
        command.args([folder.join("old.c"), folder.join("new.c")]);
        command.args(["--format", "json", "--no-cache", "--no-progress"]);
        let output = command.output().context("verdiff")?;
        let report: serde_json::Value = serde_json::from_slice(&output.stdout)?;
        for pair in report["pairs"].as_array().map(Vec::as_slice).unwrap_or_default() {
            if pair["verdict"] != "different" || pair["correlation"].is_null() {
                continue;
            }
            tried += 1;
            let evidence = pair["evidence"].as_array().map(Vec::as_slice).unwrap_or_default();
            let Some(by) = evidence.iter().find(|e| e["rule"] == "guarded") else { continue };
            proved += 1;
            let condition = pair["equal_under"]["c"].as_str().unwrap_or("(no C expression)");
            let short: String = condition.chars().take(90).collect();
            writeln!(text, "| `{case}` | `{}` | {} |", short.replace('|', "\\|"), by["engine"])?;
        }
    }
    writeln!(text, "\n{proved} of {tried} pairs.")?;
    if !missed.is_empty() {
        writeln!(text, "\n{MISSED} {}", missed.join(", "))?;
    }
    Ok(text)
}

/// What a correlation cost, and what it said in the end.
struct Said {
    seconds: f64,
    kib: u64,
    sentence: String,
}

fn correlate(verdiff: &Path, case: &str) -> Result<Said> {
    let folder = root().join("corpus/correlate").join(case);
    let labels: toml::Table = toml::from_str(&fs::read_to_string(folder.join("case.toml"))?)?;
    let function = labels["correlate"]["function"].as_str().context("a function")?.to_owned();
    let kept = tempfile::NamedTempFile::new()?;
    let mut command = Command::new("time");
    command.args(["-f", "%U %S %M", "-o"]).arg(kept.path()).arg(verdiff);
    command.arg("correlate").args([folder.join("old.c"), folder.join("new.c")]);
    let output = command.args(["--entry", &function]).output().context("GNU time")?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let measured = fs::read_to_string(kept.path())?;
    let last = measured.lines().last().unwrap_or_default();
    let numbers: Vec<f64> = last.split(' ').filter_map(|number| number.parse().ok()).collect();
    let [user, system, kib] = numbers[..] else { anyhow::bail!("{case}: {measured}") };
    let sentence = text.lines().last().unwrap_or_default().replace('|', "\\|");
    Ok(Said { seconds: user + system, kib: kib as u64, sentence })
}

fn cases() -> Result<Vec<String>> {
    let mut names = vec![];
    for entry in fs::read_dir(root().join("corpus/correlate"))? {
        names.push(entry?.file_name().to_string_lossy().into_owned());
    }
    names.sort();
    Ok(names)
}
