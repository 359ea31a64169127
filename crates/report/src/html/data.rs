//! The data of the page: everything that is shown of each function, as sentences and rows. The page lays it out.
//!
//! Names are short because they are repeated for each function; a page with 5,000 functions has to stay below 10 MB.

use super::advice::advice;
use super::picture::picture;
use crate::alignment::alignment;
use crate::correlation::{correlation_sentences, correlation_value};
use crate::executed::{Parting, parting};
use crate::explain::reason_code;
use crate::function_diff::{DiffRow, Sources, bodies, side_by_side};
use crate::report::{EvidenceReport, PairReport, Report};
use crate::rules::{code_of, reason_kind};
use crate::summary::{is_unchanged, undecided_reason};
use crate::text::{indirect_reason, input_lines, outcome_rows, rank};
use crate::{impact, sentences, wording};
use serde_json::{Map, Value, json};
use verdiff_judge::{Answer, Changed, Field, ImpactKind, SourceLocation, StopReason, Verdict};

/// Unchanged lines further than this from a changed one are left out of long functions.
const CONTEXT: usize = 12;
/// Functions up to this length are shown whole.
const SHORT: usize = 120;
/// All sources together: the rest of the page needs about a kilobyte for each function.
const MOST_SOURCE: usize = 4_500_000;
/// The source of one function.
const MOST_OF_ONE: usize = 60_000;

/// How much source has been added.
pub(super) struct Budget(usize);

impl Budget {
    pub(super) fn new() -> Budget {
        Budget(MOST_SOURCE)
    }

    fn takes(&mut self, length: usize) -> bool {
        let fits = length <= self.0 && length <= MOST_OF_ONE;
        if fits {
            self.0 -= length;
        }
        fits
    }
}

/// All functions, those that need attention first.
pub(super) fn functions(report: &Report, sources: Sources<'_>) -> Vec<Value> {
    let mut pairs: Vec<&PairReport> = report.pairs.iter().collect();
    pairs.sort_by_key(|pair| (attention(pair), rank(pair)));
    let mut budget = Budget::new();
    pairs.into_iter().map(|pair| function(pair, sources, &mut budget)).collect()
}

/// What needs attention first: differences, then undecided changes, then callers, then what is proved.
fn attention(pair: &PairReport) -> u8 {
    match &pair.answer {
        _ if pair.accepted.is_some() => 3,
        Answer::Judged(Verdict::Different { .. }) | Answer::Interface => 0,
        Answer::Judged(Verdict::Unknown(_)) if pair.impact.is_none() => 1,
        Answer::Judged(Verdict::Unknown(_)) => 2,
        Answer::Judged(Verdict::Equivalent { .. }) if !is_unchanged(pair) => 4,
        Answer::Added | Answer::Removed => 5,
        Answer::Judged(Verdict::Equivalent { .. }) => 6,
    }
}

fn function(pair: &PairReport, sources: Sources<'_>, budget: &mut Budget) -> Value {
    let mut map = Map::new();
    let mut put = |name: &str, value: Value| {
        let is_empty = match &value {
            Value::Null => true,
            Value::Array(list) => list.is_empty(),
            Value::String(text) => text.is_empty(),
            _ => false,
        };
        if !is_empty {
            map.insert(name.to_owned(), value);
        }
    };
    put("f", json!(pair.function));
    put("r", json!(pair.renamed));
    put("v", json!(wording::verdict(&pair.answer)));
    put("k", json!(kinds(pair)));
    put("o", place(pair.old.as_ref()));
    put("n", place(pair.new.as_ref()));
    put("c", json!(cause(pair)));
    put("s", json!(sentence(pair)));
    if is_unchanged(pair) {
        return Value::Object(map);
    }
    put("code", json!(code_of(pair)));
    put("a", json!(pair.accepted));
    if !pair.counts {
        put("x", json!(true));
    }
    let exact = matches!(pair.answer, Answer::Judged(Verdict::Different { exact: true }));
    if !pair.is_global() {
        put("cond", json!(wording::conditions(pair, exact, true)));
    }
    put("w", witness(pair));
    put("p", json!(pair.evidence.iter().map(proof).collect::<Vec<_>>()));
    if let Some(reason) = undecided_reason(pair) {
        put("why", stop(reason));
    }
    if let Some(impact) = &pair.impact {
        let kind = match impact.kind {
            ImpactKind::None => "none",
            ImpactKind::Proved => "proved",
            ImpactKind::Possible => "possible",
        };
        put("i", json!({"k": kind, "t": impact.through, "s": impact::impact_text(impact)}));
    }
    let regions: Vec<Value> =
        pair.boundaries.iter().map(|b| json!([b.function, b.first_line, b.last_line])).collect();
    put("b", json!(regions));
    put("bs", json!(impact::containment_sentences(&pair.boundaries)));
    put("l", json!(pair.local.as_ref().map(|local| local.sentence.clone())));
    if let Some(correlation) = &pair.correlation {
        put("cor", correlation_value(correlation));
        put("cors", json!(correlation_sentences(correlation, exact)));
    }
    put("notes", json!(pair.notes));
    if matches!(pair.answer, Answer::Judged(Verdict::Different { .. })) {
        put("ir", json!(indirect_reason(pair)));
    }
    put("e", engines(pair));
    put("t", json!(pair.tests));
    let shown = bodies(pair, sources);
    let head = shown.iter().flatten().next().map_or("", |body| body.text.as_str());
    if let Answer::Judged(Verdict::Unknown(_)) = &pair.answer {
        put("todo", json!(advice(pair, head)));
    }
    put("pic", picture(pair, head).unwrap_or(Value::Null));
    let rows = match &shown {
        [Some(old), Some(new)] => side_by_side(old, new),
        _ => vec![],
    };
    let source = diff(&rows);
    let length: usize = rows
        .iter()
        .map(|row| row.old.as_ref().or(row.new.as_ref()).map_or(0, |(_, t)| t.len() + 8))
        .sum();
    match budget.takes(length) {
        true => {
            put("d", source);
            put("ran", ran(pair, &rows));
        }
        false => put("left_out", json!(true)),
    }
    Value::Object(map)
}

fn kinds(pair: &PairReport) -> Vec<&'static str> {
    match pair.answer {
        Answer::Interface => vec!["interface"],
        _ => pair.kinds.iter().map(|kind| wording::kind_word(*kind)).collect(),
    }
}

fn place(place: Option<&SourceLocation>) -> Value {
    place.map_or(Value::Null, |place| json!([place.file, place.line]))
}

fn cause(pair: &PairReport) -> &'static str {
    match pair.changed {
        Changed::No => "unchanged",
        Changed::Text => "own code",
        Changed::Types => "types",
        Changed::Globals => "data",
        Changed::Callees => "callees",
    }
}

/// The verdict in one sentence.
fn sentence(pair: &PairReport) -> String {
    match &pair.answer {
        Answer::Judged(Verdict::Equivalent { .. }) => match wording::proved(pair) {
            Some(how) => format!("Equivalent: {how}."),
            None => "Equivalent.".to_owned(),
        },
        Answer::Judged(Verdict::Different { .. }) if pair.is_global() => pair.notes.join("; "),
        Answer::Judged(Verdict::Different { .. }) => {
            format!("{}.", impact::difference_sentence(pair))
        }
        Answer::Interface => {
            "The signature changed: callers of one version cannot call the other.".to_owned()
        }
        Answer::Judged(Verdict::Unknown(_)) => {
            let why = undecided_reason(pair).map(sentences::stop_reason).unwrap_or_default();
            match (&pair.impact, why.is_empty()) {
                (Some(impact), _) => format!("Undecided: {}.", impact::impact_text(impact)),
                (None, false) => format!("Undecided: {why}."),
                (None, true) => "Undecided.".to_owned(),
            }
        }
        Answer::Added => "Only the new version defines it.".to_owned(),
        Answer::Removed => "Only the old version defines it.".to_owned(),
    }
}

fn witness(pair: &PairReport) -> Value {
    let Some(witness) = &pair.witness else { return Value::Null };
    let shown = &witness.shown;
    let trap =
        |end: &crate::OutcomeView| end.trap_at.as_ref().map(|(file, line)| json!([file, line]));
    json!({
        "in": input_lines(shown),
        "rows": outcome_rows(shown),
        "how": wording::confirmation(witness),
        "ok": witness.replay.is_confirmed(),
        "at": [trap(&shown.old), trap(&shown.new)],
    })
}

/// The lines that the counterexample executes in either version, up to where they part, and that in words.
fn ran(pair: &PairReport, rows: &[DiffRow]) -> Value {
    let Some(witness) = &pair.witness else { return Value::Null };
    let parting = parting(&witness.executed, rows);
    if parting.lines.iter().any(Vec::is_empty) {
        return Value::Null;
    }
    let sentence = format!("Bars beside line numbers: {}.", parting.sentence());
    let Parting { lines, at } = parting;
    json!({"l": lines, "at": at, "s": sentence})
}

fn proof(evidence: &EvidenceReport) -> Value {
    let about = match evidence.adds {
        Field::EqualUnder => "equal outcomes",
        Field::DifferUnder => "different outcomes",
        Field::AlikeUnder => "equal termination",
        Field::SplitUnder => "different termination",
    };
    let mut shown = json!({
        "about": about,
        "by": evidence.because,
        "engine": evidence.engine,
        "rule": evidence.rule.name(),
        "count": evidence.obligations.len(),
        "uses": evidence.uses,
        "assumes": evidence.assumes,
        "cut": evidence.cut,
    });
    let loops = alignment(&evidence.rule);
    if !loops.is_empty() {
        shown["loops"] = json!(loops);
    }
    shown
}

fn stop(reason: &StopReason) -> Value {
    let place = match reason {
        StopReason::Unsupported { file, line, .. } if !file.is_empty() => json!([file, line]),
        _ => Value::Null,
    };
    json!({
        "kind": reason_kind(reason),
        "code": reason_code(reason),
        "s": sentences::stop_reason(reason),
        "at": place,
    })
}

fn engines(pair: &PairReport) -> Value {
    let one = |run: &verdiff_judge::EngineRun| {
        json!([run.name, (run.ms * 10.0).round() / 10.0, sentences::outcome(&run.outcome)])
    };
    pair.engines.iter().map(one).collect()
}

/// Rows of both versions, from these lines on:
/// `{"o": 3, "n": 3, "r": [["=", "text"], ["~", "old", "new"], ["-", "old"], ["+", "new"], ["…", 20]]}`.
fn diff(rows: &[DiffRow]) -> Value {
    let first = |side: fn(&DiffRow) -> Option<u32>| rows.iter().find_map(side);
    let old = first(|row| row.old.as_ref().map(|(number, _)| *number));
    let new = first(|row| row.new.as_ref().map(|(number, _)| *number));
    let (Some(old), Some(new)) = (old, new) else { return Value::Null };
    let changed: Vec<usize> =
        rows.iter().enumerate().filter(|(_, row)| row.changed).map(|(at, _)| at).collect();
    let is_near = |at: usize| {
        let next = changed.partition_point(|changed| *changed < at);
        let distance =
            |index: Option<usize>| index.and_then(|i| changed.get(i)).map(|c| c.abs_diff(at));
        let nearest =
            [distance(Some(next)), distance(next.checked_sub(1))].into_iter().flatten().min();
        rows.len() <= SHORT || at == 0 || nearest.is_some_and(|distance| distance <= CONTEXT)
    };
    let mut shown: Vec<Value> = vec![];
    let mut skipped = 0;
    for (at, row) in rows.iter().enumerate() {
        if !is_near(at) {
            skipped += 1;
            continue;
        }
        if skipped > 0 {
            shown.push(json!(["…", skipped]));
            skipped = 0;
        }
        shown.push(match (&row.old, &row.new, row.changed) {
            (Some((_, text)), Some(_), false) => json!(["=", text]),
            (Some((_, old)), Some((_, new)), true) => json!(["~", old, new]),
            (Some((_, old)), None, _) => json!(["-", old]),
            (None, Some((_, new)), _) => json!(["+", new]),
            (None, None, _) => continue,
        });
    }
    if skipped > 0 {
        shown.push(json!(["…", skipped]));
    }
    json!({"o": old, "n": new, "r": shown})
}
