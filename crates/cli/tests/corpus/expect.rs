//! Whether a report says what is true.

use super::{Case, Run, WHOLE};
use crate::case::Function;
use crate::conditions;
use crate::{memory, redundancy, samples};
use serde_json::Value;
use std::sync::atomic::Ordering;

/// Something that is not as it should be.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Finding {
    /// Case and function.
    pub place: String,
    /// What it is.
    pub text: String,
    /// Whether there is only no answer, as opposed to a wrong one.
    pub undecided: bool,
}

/// All that is wrong with a report.
pub fn check(case: &Case, run: Run, report: &Result<Value, String>) -> Vec<Finding> {
    let at = |function: &str| format!("{}:{function}", case.name);
    let report = match report {
        Ok(report) => report,
        Err(why) => {
            let text = format!("no report: {why}");
            return vec![Finding { place: case.name.clone(), text, undecided: false }];
        }
    };
    let pairs = report["pairs"].as_array().cloned().unwrap_or_default();
    let mut findings = vec![];
    for function in &case.functions {
        let name = case.name_in(&function.name, run);
        let pair = pairs.iter().find(|p| p["function"] == *name);
        let Some(pair) = pair else {
            if !is_missing_rightly(function, run) {
                let text = "it is not in the report".to_owned();
                findings.push(Finding { place: at(&function.name), text, undecided: false });
            }
            continue;
        };
        let mut wrong = one(function, run, pair);
        wrong.extend(condition(case, function, run, pair));
        wrong.extend(termination(case, function, run, pair));
        wrong.extend(local(function, run, pair));
        wrong.extend(correlation(pair));
        for (text, undecided) in wrong {
            let text = format!("{run:?}: {text}");
            findings.push(Finding { place: at(&function.name), text, undecided });
        }
    }
    findings
}

/// A version against itself does not have what only the other has.
fn is_missing_rightly(function: &Function, run: Run) -> bool {
    match run {
        Run::OldItself => function.verdict == "added",
        Run::NewItself => function.verdict == "removed",
        _ => false,
    }
}

fn one(function: &Function, run: Run, pair: &Value) -> Vec<(String, bool)> {
    let verdict = pair["verdict"].as_str().unwrap_or("none");
    let reason = &pair["reason"];
    let itself = matches!(run, Run::OldItself | Run::NewItself);
    let truth = match (function.verdict.as_str(), run) {
        ("added" | "removed" | "different" | "equivalent" | "unknown", _) if itself => "equivalent",
        ("added", Run::Mirrored) => "removed",
        ("removed", Run::Mirrored) => "added",
        (same, _) => same,
    };
    if verdict == "unknown" {
        if truth == "unknown" {
            return vec![];
        }
        // An internal error is a bug even where no answer would do.
        let internal = reason["kind"] == "internal";
        let text = format!("{truth}, but undecided: {} {}", reason["kind"], reason["detail"]);
        return vec![(text, !internal)];
    }
    // Equal wherever both end, and nothing said of where they end: right, as far as it goes.
    let only_ends = function.kinds.iter().all(|k| k == "termination") && !function.kinds.is_empty();
    if verdict == "equivalent"
        && truth == "different"
        && only_ends
        && pair["termination"] == "unknown"
    {
        return vec![("different in termination, which is not decided".to_owned(), true)];
    }
    if verdict != truth {
        let witness = &pair["witness"];
        return vec![(
            format!("{truth}, but found {verdict} {} {}", witness["inputs"], pair["proof"]),
            false,
        )];
    }
    let mut wrong = vec![];
    if truth == "different" {
        wrong.extend(difference(function, pair));
    }
    let said = pair["notes"][0].as_str().unwrap_or("");
    if let Some(common) = function.common.as_deref().filter(|_| run == Run::Plain)
        && !said.contains(common)
    {
        wrong.push((format!("of the common part {common:?} is true, found {said:?}"), false));
    }
    let termination = pair["termination"].as_str().unwrap_or("");
    if let Some(said) = function.termination.as_deref().filter(|_| !itself)
        && termination != "unknown"
        && termination != said
    {
        wrong.push((format!("termination is {said}, found {termination}"), false));
    }
    wrong
}

/// Correlated states that are all equal, where two runs ended in different ways.
fn correlation(pair: &Value) -> Option<(String, bool)> {
    let kinds = pair["kinds"].as_array()?;
    let is_seen = |kind: &Value| ["value", "memory", "output"].iter().any(|seen| kind == seen);
    let conclusion = pair["correlation"]["conclusion"].as_str()?;
    let equal = conclusion.starts_with("Whenever both versions end, outputs and results are equal");
    let refuted = equal && pair["verdict"] == "different" && kinds.iter().any(is_seen);
    refuted.then(|| (format!("a run refutes the correlated states: {conclusion}"), false))
}

/// What is said of the change by itself against the label: more than is true, or less.
fn local(function: &Function, run: Run, pair: &Value) -> Option<(String, bool)> {
    let itself = matches!(run, Run::OldItself | Run::NewItself);
    let label = function.local.as_ref().filter(|_| !itself && pair["verdict"] == "unknown")?;
    let found = &pair["local"]["modulo"];
    let right = if label.is_empty() { found.is_null() } else { *found == serde_json::json!(label) };
    (!right).then(|| (format!("by itself: modulo {label:?}, found {found}"), false))
}

/// The printed condition against the label, where there is one and the report says that its own is exact.
fn condition(case: &Case, function: &Function, run: Run, pair: &Value) -> Option<(String, bool)> {
    let label = function.differ_under.as_deref().filter(|_| run == Run::Plain)?;
    if pair["verdict"] != "different" || pair["exact"] != true {
        return None;
    }
    let found = pair["differ_under"]["c"].as_str();
    let short = found.is_some_and(|c| conditions::length(c) <= 2 * conditions::length(label));
    conditions::COUNTED[usize::from(short)].fetch_add(1, Ordering::Relaxed);
    if !short {
        eprintln!("{}:{}: {label} is said as {found:?}", case.name, function.name);
    }
    let is_whole = case.is_in_part(WHOLE);
    // There are few conditions over memory.
    let found = found.filter(|_| is_whole || case.is_in_part(2))?;
    let numbers_alone = function.kinds == ["value"];
    // What is printed or hangs is not compared there.
    let seen = ["value", "memory", "trap"];
    let in_memory = function.kinds.iter().all(|kind| seen.contains(&kind.as_str()));
    let on_numbers = || {
        let name = &function.name;
        let both = numbers_alone.then(|| samples::try_with_label(case, name, label, found));
        both.flatten().unwrap_or_else(|| {
            conditions::compare(case, name, label, found)
                .or_else(|| numbers_alone.then(|| samples::try_out(case, name, found)).flatten())
        })
    };
    is_whole
        .then(on_numbers)
        .flatten()
        .or_else(|| in_memory.then(|| memory::try_out(case, &function.name, found)).flatten())
        .or_else(|| {
            case.is_in_part(2).then(|| redundancy::redundant(case, &function.name, found)).flatten()
        })
        .map(|text| (text, false))
}

/// What is said of termination against the label: S only where one version ends, T only where both do or neither.
fn termination(case: &Case, function: &Function, run: Run, pair: &Value) -> Vec<(String, bool)> {
    let Some(label) = function.split_under.as_deref().filter(|_| run == Run::Plain) else {
        return vec![];
    };
    let outside = format!("!({label})");
    let within = |field: &str, wanted: &str| {
        let found = pair[field]["c"].as_str().filter(|c| *c != "0")?;
        // Nothing is added to what is wanted by what was found.
        let either = format!("({wanted}) || ({found})");
        let text = conditions::compare(case, &function.name, wanted, &either)?;
        Some((format!("{field}: {text}"), false))
    };
    within("split_under", label).into_iter().chain(within("alike_under", &outside)).collect()
}

fn difference(function: &Function, pair: &Value) -> Vec<(String, bool)> {
    let mut wrong = vec![];
    let kinds: Vec<&str> =
        pair["kinds"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    if !function.kinds.is_empty() && !kinds.iter().any(|k| function.kinds.iter().any(|f| f == k)) {
        wrong.push((format!("kinds are {:?}, found {kinds:?}", function.kinds), false));
    }
    if kinds == ["interface"] {
        return wrong;
    }
    let replay = pair["witness"]["replay"].as_str().unwrap_or("none");
    if !replay.starts_with("confirmed") {
        wrong.push((format!("the witness is {replay}: {}", pair["witness"]["why"]), false));
    }
    wrong
}
