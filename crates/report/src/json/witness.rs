//! Witnesses in the JSON report, and back.

use crate::replay_sentences::replay_problem;
use crate::report::WitnessReport;
use crate::witness_view::{
    ExternalCallView, GlobalWrite, MemoryView, OutcomeView, ValueView, WitnessView,
};
use serde_json::{Map, Value, json};
use verdiff_judge::{Candidate, CandidateKind, Side};

/// Integers up to here are exact in every JSON reader.
const LARGEST: i128 = (1 << 53) - 1;

/// A report from which witnesses cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// It is something else.
    #[error("not a verdiff report: its schema is not verdiff-report/1")]
    Schema,
    /// An entry state is broken.
    #[error("the witness of {function} cannot be read: {cause}")]
    Entry {
        /// Whose witness.
        function: String,
        /// What is wrong with it.
        cause: serde_json::Error,
    },
}

/// The witnesses of a JSON report, by function, to be run again.
pub fn witnesses(report: &Value) -> Result<Vec<(String, Candidate)>, ReadError> {
    if report["schema"] != super::SCHEMA {
        return Err(ReadError::Schema);
    }
    let mut found = vec![];
    for pair in report["pairs"].as_array().into_iter().flatten() {
        let witness = &pair["witness"];
        if witness.is_null() {
            continue;
        }
        let function = pair["function"].as_str().unwrap_or_default().to_owned();
        let wrong = |cause| ReadError::Entry { function: function.clone(), cause };
        // A side that never ends has been proved to do so; a difference has two ends.
        let diverges = |side: &str| witness[side]["diverges"].as_bool() == Some(true);
        let kind = match (diverges("old"), diverges("new")) {
            (true, false) => CandidateKind::Hang { ends: Side::New },
            (false, true) => CandidateKind::Hang { ends: Side::Old },
            _ => CandidateKind::Difference,
        };
        let (old, new) = (&witness["entry"]["old"], &witness["entry"]["new"]);
        let engine = witness["engine"].as_str().unwrap_or_default();
        let candidate = Candidate {
            unique: witness["unique"].as_bool().unwrap_or(false),
            kind,
            ..Candidate::new(engine, read(old).map_err(wrong)?, read(new).map_err(wrong)?)
        };
        found.push((function, candidate));
    }
    Ok(found)
}

pub(super) fn witness(confirmed: &WitnessReport) -> Value {
    let WitnessReport { candidate, replay, shown, .. } = confirmed;
    let WitnessView { inputs, memory, externals, failures, reads_past_end, old, new } = shown;
    let mut map = Map::new();
    let (values, bits) = named(inputs.iter().map(|(name, value)| (name.as_str(), value)));
    map.insert("inputs".to_owned(), values);
    insert(&mut map, "input_bits", bits);
    map.insert("memory".to_owned(), memory_by_name(memory));
    map.insert("externals".to_owned(), externals.iter().map(external).collect());
    if !failures.is_empty() {
        map.insert("failing_allocations".to_owned(), json!(failures));
    }
    if *reads_past_end {
        map.insert("reads_past_end".to_owned(), json!(true));
    }
    map.insert("old".to_owned(), end(old));
    map.insert("new".to_owned(), end(new));
    map.insert("replay".to_owned(), json!(replay.word()));
    if let Some(why) = replay_problem(replay) {
        map.insert("why".to_owned(), json!(why));
    }
    if candidate.unique {
        map.insert("unique".to_owned(), json!(true));
    }
    map.insert("engine".to_owned(), json!(candidate.engine));
    let entry = json!({"old": write(&candidate.old), "new": write(&candidate.new)});
    map.insert("entry".to_owned(), entry);
    Value::Object(map)
}

/// A value as JSON; as text where JSON's numbers are too small for it (128 bits).
fn write<T: serde::Serialize>(value: &T) -> Value {
    serde_json::to_value(value)
        .or_else(|_| serde_json::to_string(value).map(Value::String))
        .unwrap_or(Value::Null)
}

fn read<T: serde::de::DeserializeOwned>(value: &Value) -> Result<T, serde_json::Error> {
    match value {
        Value::String(text) => serde_json::from_str(text),
        other => serde_json::from_value(other.clone()),
    }
}

fn end(end: &OutcomeView) -> Value {
    let mut map = Map::new();
    if let Some(returned) = &end.returned {
        let (value, bits) = value(returned);
        map.insert("return".to_owned(), value);
        insert(&mut map, "return_bits", bits);
    }
    insert(&mut map, "trap", end.trap.as_ref().map(|trap| json!(trap)));
    let at = end.trap_at.as_ref().map(|(file, line)| json!({"file": file, "line": line}));
    insert(&mut map, "at", at);
    insert(&mut map, "exit", end.exit.map(|status| json!(status)));
    insert(&mut map, "left_through", end.left_through.as_ref().map(|name| json!(name)));
    insert(&mut map, "diverges", end.diverges.then_some(json!(true)));
    if !end.memory.is_empty() {
        map.insert("memory".to_owned(), memory_by_name(&end.memory));
    }
    if !end.output.is_empty() {
        map.insert("output".to_owned(), json!(end.output));
    }
    Value::Object(map)
}

fn insert(map: &mut Map<String, Value>, name: &str, value: Option<Value>) {
    if let Some(value) = value {
        map.insert(name.to_owned(), value);
    }
}

fn external(external: &ExternalCallView) -> Value {
    let mut map = Map::new();
    map.insert("call".to_owned(), json!(external.call));
    let (returns, bits) = external.returns.as_ref().map_or((Value::Null, None), value);
    map.insert("returns".to_owned(), returns);
    insert(&mut map, "returns_bits", bits);
    if !external.fills.is_empty() {
        map.insert("fills".to_owned(), json!(external.fills));
    }
    if !external.writes.is_empty() {
        map.insert("writes".to_owned(), external.writes.iter().map(written).collect());
    }
    Value::Object(map)
}

fn written(write: &GlobalWrite) -> Value {
    let mut map = Map::new();
    map.insert("global".to_owned(), json!(write.global));
    map.insert("offset".to_owned(), json!(write.offset));
    map.insert("bytes".to_owned(), json!(write.bytes));
    if let Some(shown) = &write.value {
        let (value, bits) = value(shown);
        map.insert("value".to_owned(), value);
        insert(&mut map, "value_bits", bits);
    }
    Value::Object(map)
}

fn memory_by_name(memory: &[MemoryView]) -> Value {
    let mut map = Map::new();
    for object in memory {
        let (values, bits) = list(&object.values);
        let mut shown = Map::new();
        shown.insert("type".to_owned(), json!(object.ctype));
        shown.insert("values".to_owned(), values);
        insert(&mut shown, "bits", bits);
        insert(&mut shown, "text", object.text.as_ref().map(|text| json!(text)));
        insert(&mut shown, "omitted", (object.omitted > 0).then(|| json!(object.omitted)));
        insert(&mut shown, "freed", object.freed.then_some(json!(true)));
        map.insert(object.name.clone(), Value::Object(shown));
    }
    Value::Object(map)
}

/// A value, and beside it, in the same shape, the bits of the floats in it.
fn value(value: &ValueView) -> (Value, Option<Value>) {
    match value {
        ValueView::Integer(text) | ValueView::Named { value: text, .. } => (integer(text), None),
        ValueView::Float { text, bits } => {
            // Text that is no finite number ("nan") stays text.
            let finite = text.parse().ok().and_then(serde_json::Number::from_f64);
            (finite.map_or_else(|| json!(text), Value::Number), Some(json!(bits)))
        }
        ValueView::Null => (Value::Null, None),
        ValueView::Unset => (json!("unset"), None),
        ValueView::Pointer { points_to, offset, .. } => {
            (json!({"points_to": points_to, "offset": offset}), None)
        }
        ValueView::Address(address) => (json!({"points_to": null, "offset": address}), None),
        ValueView::Record(fields) => named(fields.iter().map(|(name, v)| (name.as_str(), v))),
        ValueView::List { values, .. } => list(values),
    }
}

fn integer(text: &str) -> Value {
    match text.parse::<i128>() {
        Ok(number) if (-LARGEST..=LARGEST).contains(&number) => json!(number as i64),
        _ => json!(text),
    }
}

fn list(values: &[ValueView]) -> (Value, Option<Value>) {
    let (values, bits): (Vec<Value>, Vec<Option<Value>>) = values.iter().map(value).unzip();
    let floats = bits.iter().any(Option::is_some);
    (Value::Array(values), floats.then(|| json!(bits)))
}

fn named<'a>(values: impl Iterator<Item = (&'a str, &'a ValueView)>) -> (Value, Option<Value>) {
    let (mut map, mut all_bits) = (Map::new(), Map::new());
    for (name, shown) in values {
        let (value, bits) = value(shown);
        map.insert(name.to_owned(), value);
        insert(&mut all_bits, name, bits);
    }
    let bits = (!all_bits.is_empty()).then_some(Value::Object(all_bits));
    (Value::Object(map), bits)
}
