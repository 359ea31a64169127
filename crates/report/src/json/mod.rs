//! The JSON report, schema `verdiff-report/1` (docs/book/scripts.md). Fields are in the order in which the
//! contract names them; what it does not name stands behind them.

mod witness;

pub use witness::{ReadError, witnesses};

use crate::alignment::alignment;
use crate::correlation::correlation_value;
use crate::explain;
use crate::impact;
use crate::report::{ConditionText, EvidenceReport, PairReport, Report};
use crate::sentences;
use crate::summary::{ImpactCounts, Summary, undecided_reason};
use serde_json::{Map, Value, json};
use verdiff_judge::{
    Answer, Boundary, Field, Kind, SourceLocation, StopReason, Termination, Verdict,
};
use verdiff_logic::solver;

/// The schema's name.
pub(crate) const SCHEMA: &str = "verdiff-report/1";

/// A report as JSON.
pub fn json(report: &Report) -> Value {
    let (summary, reach) = (Summary::of(report), ImpactCounts::of(report));
    json!({
        "schema": SCHEMA,
        "tool": {
            "name": "verdiff", "version": env!("CARGO_PKG_VERSION"),
            "solver": format!("z3 {}", solver::Z3::version()),
        },
        "old": version(&report.old_files, report.revisions.as_ref().map(|r| &r[0])),
        "new": version(&report.new_files, report.revisions.as_ref().map(|r| &r[1])),
        "options": options(&report.options),
        "assumptions": report.assumptions,
        "summary": {
            "equivalent": summary.equivalent,
            "different": summary.different,
            "unknown": summary.unknown,
            "added": summary.added,
            "removed": summary.removed,
            "unchanged": summary.unchanged,
            "changed": {"decided": reach.decided, "undecided": reach.undecided},
            "callers": {
                "unaffected": reach.unaffected,
                "affected": reach.affected,
                "possible": reach.possible + reach.equivalent,
            },
        },
        "pairs": report.pairs.iter().map(pair).collect::<Vec<_>>(),
        "interrupted": report.interrupted,
        "notes": report.notes,
        "not_compared": report.not_compared.iter().map(|file| json!({"file": file.file, "why": file.why})).collect::<Vec<_>>(),
    })
}

/// One side: its files, and the revision that they are of.
fn version(files: &[String], revision: Option<&String>) -> Value {
    match revision {
        None => json!({"files": files}),
        Some(revision) => json!({"files": files, "revision": revision}),
    }
}

/// Options by name; one that was given several times has a list.
fn options(options: &[(String, String)]) -> Value {
    let mut map = Map::new();
    for (name, value) in options {
        match map.get_mut(name) {
            None => {
                map.insert(name.clone(), json!(value));
            }
            Some(Value::Array(list)) => list.push(json!(value)),
            Some(first) => *first = json!([first, value]),
        }
    }
    Value::Object(map)
}

fn pair(pair: &PairReport) -> Value {
    let (verdict, vacuous) = match &pair.answer {
        Answer::Judged(Verdict::Equivalent { vacuous }) => ("equivalent", *vacuous),
        Answer::Judged(Verdict::Different { .. }) | Answer::Interface => ("different", false),
        Answer::Judged(Verdict::Unknown(_)) => ("unknown", false),
        Answer::Added => ("added", false),
        Answer::Removed => ("removed", false),
    };
    json!({
        "function": pair.function,
        "old": place(pair.old.as_ref()),
        "new": place(pair.new.as_ref()),
        "changed": pair.changed,
        "verdict": verdict,
        "kinds": kinds(pair),
        "termination": pair.termination,
        "equal_under": condition(&pair.equal_under),
        "differ_under": condition(&pair.differ_under),
        "open_under": condition(&pair.open_under),
        "alike_under": condition(&pair.alike_under),
        "split_under": {
            "c": pair.split_under.c,
            "smt": pair.split_under.smt,
            "old_only": pair.old_only.c,
            "new_only": pair.new_only.c,
        },
        "exact": is_exact(pair),
        "vacuous": vacuous,
        "in_calls": pair.in_calls,
        "assuming": pair.assuming,
        "proof": proof(&pair.evidence),
        "evidence": pair.evidence.iter().map(evidence).collect::<Vec<_>>(),
        "witness": pair.witness.as_ref().map(witness::witness),
        "local": pair.local.as_ref().map(|local| json!({
            "verdict": local.verdict, "modulo": local.modulo,
        })),
        "correlation": pair.correlation.as_deref().map(correlation_value),
        "impact": pair.impact,
        "boundary": boundary(&pair.boundaries),
        "reason": undecided_reason(pair).map(reason),
        "effect": pair.effect,
        "notes": pair.notes,
        "engines": pair.engines.iter().map(|run| json!({
            "name": run.name, "ms": run.ms, "outcome": sentences::outcome(&run.outcome),
        })).collect::<Vec<_>>(),
        "ms": pair.ms,
        "cached": pair.cached,
        "renamed": pair.renamed,
        "reproducible": pair.reproducible,
        "counts": pair.counts,
        "accepted": pair.accepted,
    })
}

/// The region that contains all changes, and its parts if there are several.
fn boundary(boundaries: &[Boundary]) -> Value {
    let region = |b: &Boundary| json!({"function": b.function, "first_line": b.first_line, "last_line": b.last_line});
    let Some(hull) = impact::enclosing_region(boundaries) else { return Value::Null };
    let mut value = region(&hull);
    if let (Value::Object(map), [_, _, ..]) = (&mut value, boundaries) {
        map.insert("regions".to_owned(), boundaries.iter().map(region).collect());
    }
    value
}

/// A changed signature is a difference of its own kind, whoever wrote the report.
fn kinds(pair: &PairReport) -> Vec<Kind> {
    match pair.answer {
        Answer::Interface => vec![Kind::Interface],
        _ => pair.kinds.clone(),
    }
}

/// Every state is in C, in S, or in both U and T: an equivalent pair that also ends alike is in
/// the last of them everywhere.
fn is_exact(pair: &PairReport) -> bool {
    match pair.answer {
        Answer::Judged(Verdict::Different { exact }) => exact,
        Answer::Judged(Verdict::Equivalent { .. }) => pair.termination == Termination::Alike,
        _ => false,
    }
}

fn place(place: Option<&SourceLocation>) -> Value {
    place.map_or(Value::Null, |place| json!({"file": place.file, "line": place.line}))
}

fn condition(condition: &ConditionText) -> Value {
    json!({"c": condition.c, "smt": condition.smt})
}

/// What closed U, with the obligations of all that it is made of.
fn proof(evidence: &[EvidenceReport]) -> Value {
    let equal = || evidence.iter().filter(|e| e.adds == Field::EqualUnder);
    let obligations: usize = equal().map(|e| e.obligations.len()).sum();
    equal().next_back().map_or(
        Value::Null,
        |last| json!({"engine": last.engine, "rule": last.rule.name(), "obligations": obligations}),
    )
}

fn evidence(evidence: &EvidenceReport) -> Value {
    let alignment = alignment(&evidence.rule);
    let mut value = json!({
        "adds": evidence.adds,
        "engine": evidence.engine,
        "rule": evidence.rule.name(),
        "file": evidence.file.as_ref().map(|(file, _)| file),
        "sha256": evidence.file.as_ref().map(|(_, sum)| sum),
        "obligations": evidence.obligations.len(),
        "because": evidence.because,
        "uses": evidence.uses,
        "assumes": evidence.assumes,
        "cut": evidence.cut,
    });
    if !alignment.is_empty() {
        value["alignment"] = json!(alignment);
    }
    value
}

fn reason(reason: &StopReason) -> Value {
    let (kind, place) = match reason {
        StopReason::Time => ("time", None),
        StopReason::Memory => ("memory", None),
        StopReason::Unsupported { file, line, .. } => ("unsupported", Some((file, *line))),
        StopReason::Incomplete { .. } => ("incomplete", None),
        StopReason::Internal { .. } => ("internal", None),
    };
    let place = place.filter(|(file, line)| !file.is_empty() && *line > 0);
    let detail = match reason {
        StopReason::Internal { detail } => detail.clone(),
        other => sentences::stop_reason(other),
    };
    json!({
        "kind": kind,
        "code": explain::reason_code(reason),
        "detail": detail,
        "file": place.map(|(file, _)| file),
        "line": place.map(|(_, line)| line),
    })
}
