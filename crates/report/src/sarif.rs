//! The report as SARIF 2.1.0 (OASIS standard, 27 March 2020): one result for each difference and each undecided
//! changed function. Functions that changes elsewhere may affect are counted, not listed: their cause is.

use crate::baseline::{Baseline, KnownResult, fingerprint, fingerprint_of};
use crate::function_diff::{Sources, bodies, changed_lines_of_new, side_by_side};
use crate::report::{NotCompared, PairReport, Report};
use crate::rules::{NOT_COMPARED, RULES, Rule, code_of};
use crate::summary::{ImpactCounts, Summary, undecided_reason};
use crate::text::{conclusion, indirect_reason, input_lines, outcome_rows};
use crate::{impact, sentences, wording};
use serde_json::{Map, Value, json};
use verdiff_judge::{Answer, Replay, SourceLocation, Verdict};

/// Where the schema is published.
const SCHEMA: &str =
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";
/// What relative paths are relative to, under the name that code scanning knows.
const ROOT: &str = "%SRCROOT%";

/// A report as SARIF. With a baseline, each result has a `baselineState`, and results that are gone are listed as
/// `absent`.
pub fn sarif(report: &Report, sources: Sources<'_>, baseline: Option<&Baseline>) -> Value {
    let told: Vec<&PairReport> =
        report.pairs.iter().filter(|pair| is_result(pair, report)).collect();
    let mut results: Vec<Value> =
        told.iter().filter_map(|pair| result(pair, report, sources, baseline)).collect();
    results.extend(report.not_compared.iter().map(|file| not_compared(file, baseline)));
    if let Some(baseline) = baseline {
        let present: Vec<String> = told.iter().filter_map(|pair| fingerprint_of(pair)).collect();
        results.extend(baseline.absent(&present).map(|(mark, known)| absent(mark, known)));
    }
    let summary = Summary::of(report);
    let counts = ImpactCounts::of(report);
    let notes = report.notes.iter().map(|note| json!({"level": "note", "message": {"text": note}}));
    json!({
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [{
            "tool": {"driver": {
                "name": "verdiff",
                "semanticVersion": env!("CARGO_PKG_VERSION"),
                "shortDescription": {"text": "A verified diff for C."},
                "rules": RULES.iter().map(rule_descriptor).collect::<Vec<_>>(),
            }},
            "automationDetails": {"id": "verdiff/"},
            "columnKind": "unicodeCodePoints",
            "invocations": [{
                "executionSuccessful": !report.interrupted,
                "toolExecutionNotifications": notes.collect::<Vec<_>>(),
            }],
            "results": results,
            "properties": {
                "conclusion": conclusion(report),
                "equivalent": summary.equivalent,
                "different": summary.different,
                "unknown": summary.unknown,
                "possiblyAffected": counts.possible,
                "assumptions": report.assumptions,
            },
        }],
    })
}

/// Whether a function is a result: it differs, or it changed and is undecided, or the user asked for it.
pub(crate) fn is_result(pair: &PairReport, report: &Report) -> bool {
    match &pair.answer {
        Answer::Judged(Verdict::Different { .. }) | Answer::Interface => true,
        Answer::Judged(Verdict::Unknown(_)) => pair.impact.is_none() || report.only_some,
        _ => false,
    }
}

/// How serious a result is: `error`, `warning` or `note`.
pub(crate) fn level(pair: &PairReport) -> &'static str {
    let Some(code) = code_of(pair).filter(|code| code.starts_with("different")) else {
        return "note";
    };
    let end = pair.witness.as_ref().map(|witness| &witness.shown.new);
    let is_failure = end.is_some_and(|end| end.trap.is_some() || end.diverges);
    match code.as_str() {
        "different-trap" | "different-termination" if is_failure => "error",
        _ => "warning",
    }
}

/// What is said of a function, in plain text: the first line is the summary.
pub(crate) fn message(pair: &PairReport) -> Vec<String> {
    let name = match pair.is_global() {
        true => pair.function.clone(),
        false => format!("{}()", pair.function),
    };
    let mut lines = match &pair.answer {
        Answer::Judged(Verdict::Unknown(_)) => {
            let why = undecided_reason(pair).map(sentences::stop_reason).unwrap_or_default();
            vec![format!("{name} is undecided: {why}.")]
        }
        Answer::Interface => vec![format!("The signature of {name} changed.")],
        _ if pair.is_global() => vec![format!("{name} changed.")],
        _ => {
            let kinds = wording::kinds(&pair.kinds).unwrap_or_default();
            vec![format!("{name} behaves differently ({kinds}).")]
        }
    };
    let exact = matches!(pair.answer, Answer::Judged(Verdict::Different { exact: true }));
    let sentence = |text: &str| format!("{}.", capitalised(text));
    lines.extend(wording::conditions(pair, exact, false).iter().map(|text| sentence(text)));
    lines.extend(pair.local.iter().map(|local| sentence(&local.sentence)));
    lines.extend(pair.impact.iter().map(|impact| sentence(&impact::impact_text(impact))));
    if let Some(witness) = &pair.witness {
        let shown = &witness.shown;
        let (old, new): (Vec<String>, Vec<String>) = outcome_rows(shown).into_iter().unzip();
        let joined = |cells: Vec<String>| {
            cells.into_iter().filter(|cell| !cell.is_empty()).collect::<Vec<_>>().join(", ")
        };
        let inputs = input_lines(shown).join(", ");
        let with = if inputs.is_empty() { "any input".to_owned() } else { inputs };
        let what = match witness.replay {
            Replay::Confirmed | Replay::ConfirmedWithStubs => "Counterexample",
            _ => "Predicted counterexample",
        };
        lines.push(format!("{what}: {with}. Old: {}. New: {}.", joined(old), joined(new)));
        lines.push(sentence(&wording::confirmation(witness)));
    }
    if matches!(pair.answer, Answer::Judged(Verdict::Different { .. })) {
        lines.extend(indirect_reason(pair).map(sentence));
    }
    lines.extend(pair.notes.iter().map(|note| format!("Note: {note}")));
    lines
}

/// A sentence with a capital letter.
pub(crate) fn capitalised(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or(String::new(), |first| first.to_uppercase().chain(letters).collect())
}

fn rule_descriptor(rule: &Rule) -> Value {
    let level = if rule.code.starts_with("different") { "warning" } else { "note" };
    let help = format!("{} {} See {}.", rule.meaning, rule.advice, rule.page);
    let markdown =
        format!("{}\n\n**What to do:** {}\n\nSee `{}`.", rule.meaning, rule.advice, rule.page);
    json!({
        "id": rule.code,
        "shortDescription": {"text": rule.short},
        "fullDescription": {"text": rule.meaning},
        "help": {"text": help, "markdown": markdown},
        "defaultConfiguration": {"level": level},
        "properties": {"tags": ["behaviour"], "precision": "very-high"},
    })
}

fn result(
    pair: &PairReport,
    report: &Report,
    sources: Sources<'_>,
    baseline: Option<&Baseline>,
) -> Option<Value> {
    let code = code_of(pair)?;
    let mark = fingerprint_of(pair)?;
    let lines = message(pair);
    let mut map = with_rule(&code);
    map.insert("level".to_owned(), json!(level(pair)));
    map.insert("message".to_owned(), json!({"text": lines.join("\n")}));
    map.insert("locations".to_owned(), json!([location(pair, sources)]));
    let related = related(pair, report);
    if !related.is_empty() {
        map.insert("relatedLocations".to_owned(), json!(related));
    }
    insert_fingerprint(&mut map, &mark);
    if let Some(baseline) = baseline {
        map.insert("baselineState".to_owned(), json!(baseline.state(pair, &mark).word()));
    }
    if let Some(why) = &pair.accepted {
        map.insert("suppressions".to_owned(), json!([{"kind": "external", "justification": why}]));
    }
    map.insert(
        "properties".to_owned(),
        json!({
            "verdict": wording::verdict(&pair.answer),
            "kinds": pair.kinds.iter().map(|kind| wording::kind_word(*kind)).collect::<Vec<_>>(),
            "differUnder": pair.differ_under.c,
            "equalUnder": pair.equal_under.c,
        }),
    );
    Some(Value::Object(map))
}

fn with_rule(code: &str) -> Map<String, Value> {
    let mut map = Map::new();
    map.insert("ruleId".to_owned(), json!(code));
    if let Some(index) = RULES.iter().position(|rule| rule.code == code) {
        map.insert("ruleIndex".to_owned(), json!(index));
    }
    map
}

/// Code scanning matches results by the second of these, and computes it from the line if there is none.
fn insert_fingerprint(map: &mut Map<String, Value>, mark: &str) {
    map.insert("fingerprints".to_owned(), json!({"verdiff/v1": mark}));
    map.insert("partialFingerprints".to_owned(), json!({"primaryLocationLineHash": mark}));
}

/// Where a result is shown: at the changed lines of the new version, else where the function begins.
fn location(pair: &PairReport, sources: Sources<'_>) -> Value {
    let logical = json!([{
        "name": pair.function,
        "fullyQualifiedName": pair.renamed.as_ref().unwrap_or(&pair.function),
        "kind": if pair.is_global() { "variable" } else { "function" },
    }]);
    let Some(place) = pair.new.as_ref().or(pair.old.as_ref()) else {
        return json!({"logicalLocations": logical});
    };
    let lines = changed_region(pair, sources).unwrap_or((place.line, place.line));
    json!({"physicalLocation": physical(&place.file, lines), "logicalLocations": logical})
}

/// The changed lines of the new version of a function.
pub(crate) fn changed_region(pair: &PairReport, sources: Sources<'_>) -> Option<(u32, u32)> {
    match bodies(pair, sources) {
        [Some(old), Some(new)] => changed_lines_of_new(&side_by_side(&old, &new)),
        _ => None,
    }
}

/// The function in both versions, and where a version traps or has unsupported code.
fn related(pair: &PairReport, report: &Report) -> Vec<Value> {
    let revision = |index: usize| match &report.revisions {
        Some(names) => format!(" ({})", names[index]),
        None => String::new(),
    };
    let mut all = vec![];
    let mut add = |file: &str, line: u32, text: String| {
        if line > 0 {
            all.push(json!({
                "id": all.len() + 1,
                "physicalLocation": physical(file, (line, line)),
                "message": {"text": text},
            }));
        }
    };
    let begins = |place: &Option<SourceLocation>| place.as_ref().map(|p| (p.file.clone(), p.line));
    if let Some((file, line)) = begins(&pair.old) {
        add(&file, line, format!("{} in the old version{}", pair.function, revision(0)));
    }
    if let Some((file, line)) = begins(&pair.new) {
        let name = pair.renamed.as_ref().unwrap_or(&pair.function);
        add(&file, line, format!("{name} in the new version{}", revision(1)));
    }
    if let Some(witness) = &pair.witness {
        for (end, version) in [(&witness.shown.old, "old"), (&witness.shown.new, "new")] {
            if let (Some(trap), Some((file, line))) = (&end.trap, &end.trap_at) {
                add(file, *line, format!("the {version} version traps: {trap}"));
            }
        }
    }
    if let Some(reason @ verdiff_judge::StopReason::Unsupported { file, line, .. }) =
        undecided_reason(pair)
        && !file.is_empty()
    {
        add(file, *line, sentences::stop_reason(reason));
    }
    all
}

fn physical(file: &str, (first, last): (u32, u32)) -> Value {
    let uri = uri(file);
    let artifact = match file.starts_with('/') {
        true => json!({"uri": uri}),
        false => json!({"uri": uri, "uriBaseId": ROOT}),
    };
    match first {
        0 => json!({"artifactLocation": artifact}),
        _ if first == last => json!({"artifactLocation": artifact, "region": {"startLine": first}}),
        _ => json!({
            "artifactLocation": artifact, "region": {"startLine": first, "endLine": last},
        }),
    }
}

/// A path as a URI reference (RFC 3986): everything that is not plain is percent-encoded.
pub(crate) fn uri(path: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~/+".contains(&byte);
    let encoded: String = path
        .strip_prefix("./")
        .unwrap_or(path)
        .bytes()
        .map(|byte| if plain(byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") })
        .collect();
    if path.starts_with('/') { format!("file://{encoded}") } else { encoded }
}

fn not_compared(file: &NotCompared, baseline: Option<&Baseline>) -> Value {
    let mut map = with_rule(NOT_COMPARED);
    map.insert("level".to_owned(), json!("note"));
    map.insert("message".to_owned(), json!({"text": format!("{}: {}.", file.file, file.why)}));
    map.insert("locations".to_owned(), json!([{"physicalLocation": physical(&file.file, (1, 1))}]));
    insert_fingerprint(&mut map, &fingerprint(&file.file, "", NOT_COMPARED));
    if baseline.is_some() {
        map.insert("baselineState".to_owned(), json!("new"));
    }
    Value::Object(map)
}

/// A result of the baseline that is gone.
fn absent(mark: &str, known: &KnownResult) -> Value {
    let mut map = with_rule(&known.code);
    let text = format!("{}() no longer has this result.", known.function);
    map.insert("level".to_owned(), json!("none"));
    map.insert("kind".to_owned(), json!("pass"));
    map.insert("message".to_owned(), json!({"text": text}));
    if !known.file.is_empty() {
        let place = physical(&known.file, (known.line, known.line));
        map.insert("locations".to_owned(), json!([{"physicalLocation": place}]));
    }
    insert_fingerprint(&mut map, mark);
    map.insert("baselineState".to_owned(), json!("absent"));
    Value::Object(map)
}
