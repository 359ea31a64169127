//! The report as GitLab code quality: a list of issues, in the part of Code Climate's format that GitLab reads.

use crate::baseline::{fingerprint, fingerprint_of};
use crate::function_diff::Sources;
use crate::report::Report;
use crate::rules::{NOT_COMPARED, code_of};
use crate::sarif::{changed_region, is_result, level, message};
use serde_json::{Value, json};

/// A report as a list of code quality issues. Accepted differences are left out: the format has no word for them.
pub fn code_quality(report: &Report, sources: Sources<'_>) -> Value {
    let told =
        report.pairs.iter().filter(|pair| is_result(pair, report) && pair.accepted.is_none());
    let mut issues: Vec<Value> = told
        .filter_map(|pair| {
            let place = pair.new.as_ref().or(pair.old.as_ref())?;
            let line = changed_region(pair, sources).map_or(place.line, |(first, _)| first);
            let severity = match level(pair) {
                "error" => "critical",
                "warning" => "major",
                _ => "info",
            };
            let mark = fingerprint_of(pair)?;
            Some(issue(
                &code_of(pair)?,
                &message(pair).join(" "),
                &mark,
                severity,
                (&place.file, line),
            ))
        })
        .collect();
    issues.extend(report.not_compared.iter().map(|file| {
        let mark = fingerprint(&file.file, "", NOT_COMPARED);
        let text = format!("{}: {}.", file.file, file.why);
        issue(NOT_COMPARED, &text, &mark, "info", (&file.file, 1))
    }));
    Value::Array(issues)
}

fn issue(code: &str, text: &str, mark: &str, severity: &str, (file, line): (&str, u32)) -> Value {
    json!({
        "check_name": code,
        "description": text,
        "fingerprint": mark,
        "severity": severity,
        "location": {"path": file.strip_prefix("./").unwrap_or(file), "lines": {"begin": line.max(1)}},
    })
}
