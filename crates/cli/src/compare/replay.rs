//! `verdiff replay`: the witnesses of a report, run again.

use super::{known, output};
use crate::arguments::{Color, Replay};
use crate::{fault, interrupt};
use anyhow::{Context, anyhow, bail};
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use verdiff::{Compiled, load_both, warnings};
use verdiff_front::Inputs;
use verdiff_judge::{Confirm, PairId, ReplayProblem, Settings, Version};
use verdiff_plan::matching;
use verdiff_report::replay_problem;

/// Runs the command.
pub fn replay(arguments: &Replay, color: Color) -> anyhow::Result<u8> {
    let path = arguments.report.display();
    let text = std::fs::read_to_string(&arguments.report)
        .with_context(|| format!("{path}: cannot read the report"))?;
    let report: Value =
        serde_json::from_str(&text).with_context(|| format!("{path}: not valid JSON"))?;
    if let Some(revision) = report["old"]["revision"].as_str() {
        bail!(
            "{path}: this report is about revisions of a repository ({revision}): run `verdiff git` again"
        );
    }
    let witnesses =
        verdiff_report::witnesses(&report).map_err(|error| anyhow!("{path}: {error}"))?;
    if witnesses.is_empty() {
        bail!("{path}: the report has no difference to replay");
    }
    let (old, new) = (inputs(&report, "old")?, inputs(&report, "new")?);
    let (old_loaded, new_loaded) = load_both(&old, &new).map_err(known)?;
    for loaded in [&old_loaded, &new_loaded] {
        fault::pass_on(&loaded.diagnostics);
    }
    for warning in warnings(&old_loaded, &new_loaded) {
        fault::warn(&warning, color);
    }
    let version = |l: verdiff_front::Loaded| Version { program: l.program, frames: l.frames };
    let settings = Settings {
        renamed: renamed(&report),
        overflow_undefined: overflow_undefined(&report),
        ..Settings::default()
    };
    let matched = Arc::new(matching(version(old_loaded), version(new_loaded), settings, &[])?);
    let comparison = &matched.comparison;
    let mut wanted = vec![];
    for (function, candidate) in witnesses {
        if arguments.function.as_ref().is_some_and(|f| *f != function) {
            continue;
        }
        let Some(index) = comparison.pairs.iter().position(|p| p.function == function) else {
            bail!("{function}: the files no longer define this function: compare them again");
        };
        let pair = PairId(index as u32);
        let common = matched.common_of(pair).and_then(|c| c.judged.as_ref().ok());
        wanted.push((common.map_or(pair, |part| part.pair), candidate));
    }
    if wanted.is_empty() {
        let function = arguments.function.as_deref().unwrap_or_default();
        bail!("{path}: the report has no difference of {function}");
    }
    let mut compiled = Compiled::new(matched.clone(), old, new);
    compiled.interrupt = interrupt::of_user();
    let mut text = String::new();
    let mut all = true;
    let replayed = compiled.confirm(&wanted, &BTreeMap::new(), None);
    for ((pair, _), replayed) in wanted.into_iter().zip(replayed) {
        let function = &comparison.pair(pair).function;
        // Without a limit there is always an answer, unless the user does not wait for it.
        let interrupted = verdiff_judge::Replay::not_run(ReplayProblem::Interrupted);
        let replay = replayed.confirmed.map_or(interrupted, |confirmed| confirmed.replay);
        let why = replay_problem(&replay).map_or(String::new(), |why| format!(": {why}"));
        text.push_str(&format!("{function}: {}{why}\n", replay.word()));
        all &= replay.is_confirmed();
    }
    output::print(std::io::stdout().lock(), &text)?;
    // As the comparison has it: a difference is 1; one that does not show again is undecided.
    Ok(if all { 1 } else { 3 })
}

/// What a report says of one side's files.
fn inputs(report: &Value, side: &str) -> anyhow::Result<Inputs> {
    let paths = texts(&report[side]["files"]).into_iter().map(PathBuf::from).collect();
    let flags = texts(&report["options"]["clang_flags"]);
    super::with_overflow(paths, flags, overflow_undefined(report))
}

fn overflow_undefined(report: &Value) -> bool {
    report["options"]["overflow"] == "ub"
}

fn renamed(report: &Value) -> Vec<(String, String)> {
    let own = |(a, b): (&str, &str)| (a.to_owned(), b.to_owned());
    texts(&report["options"]["rename"]).iter().filter_map(|t| t.split_once('=').map(own)).collect()
}

/// A list of texts; one text alone is a list of one.
fn texts(value: &Value) -> Vec<String> {
    let list = value.as_array().map_or(std::slice::from_ref(value), Vec::as_slice);
    list.iter().filter_map(|v| v.as_str().map(str::to_owned)).collect()
}
