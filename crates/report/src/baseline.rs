//! The results of an earlier JSON report, to tell new results from known ones.
//!
//! A result is identified by its fingerprint: the file, the function and the code of the result. Lines have no part
//! in it, so a result is recognised after its function moved. A result whose kinds or conditions are others than
//! before has the same fingerprint, and is updated.

use crate::json::SCHEMA;
use crate::report::PairReport;
use crate::rules::{code_of, kind_code};
use crate::{ReadError, wording};
use serde_json::Value;
use std::collections::BTreeMap;
use verdiff_judge::Answer;

/// One result of an earlier report.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct KnownResult {
    pub(crate) function: String,
    pub(crate) code: String,
    pub(crate) file: String,
    pub(crate) line: u32,
    /// Whether a report lists it by itself: a function that may only be affected by another change is not listed.
    is_listed: bool,
    content: Content,
}

/// What a result says beyond its fingerprint.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Content {
    kinds: Vec<String>,
    conditions: [Option<String>; 3],
}

/// How a result relates to the baseline, as SARIF names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BaselineState {
    New,
    Unchanged,
    Updated,
}

impl BaselineState {
    pub(crate) fn word(self) -> &'static str {
        match self {
            BaselineState::New => "new",
            BaselineState::Unchanged => "unchanged",
            BaselineState::Updated => "updated",
        }
    }
}

/// The results of an earlier report, by fingerprint.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Baseline(BTreeMap<String, KnownResult>);

impl Baseline {
    /// Reads the results of a JSON report.
    pub fn read(report: &Value) -> Result<Baseline, ReadError> {
        if report["schema"] != SCHEMA {
            return Err(ReadError::Schema);
        }
        let pairs = report["pairs"].as_array().into_iter().flatten();
        let known = pairs
            .filter_map(known_result)
            .map(|result| (fingerprint(&result.file, &result.function, &result.code), result));
        Ok(Baseline(known.collect()))
    }

    /// How a result relates to this baseline.
    pub(crate) fn state(&self, pair: &PairReport, fingerprint: &str) -> BaselineState {
        match self.0.get(fingerprint) {
            None => BaselineState::New,
            Some(known) if known.content == content(pair) => BaselineState::Unchanged,
            Some(_) => BaselineState::Updated,
        }
    }

    /// The results with other fingerprints than these.
    pub(crate) fn absent<'a>(
        &'a self,
        present: &'a [String],
    ) -> impl Iterator<Item = (&'a String, &'a KnownResult)> {
        self.0
            .iter()
            .filter(|(fingerprint, known)| known.is_listed && !present.contains(fingerprint))
    }
}

/// What identifies a result.
pub(crate) fn fingerprint(file: &str, function: &str, code: &str) -> String {
    let digest = blake3::hash(format!("verdiff/1\0{file}\0{function}\0{code}").as_bytes());
    digest.to_hex()[..32].to_owned()
}

fn known_result(pair: &Value) -> Option<KnownResult> {
    let text = |value: &Value| value.as_str().map(str::to_owned);
    let list = |value: &Value| -> Vec<String> {
        value.as_array().into_iter().flatten().filter_map(text).collect()
    };
    let place = if pair["new"].is_null() { &pair["old"] } else { &pair["new"] };
    let kinds = list(&pair["kinds"]);
    let code = match pair["verdict"].as_str()? {
        "different" => {
            let words: Vec<&str> = kinds.iter().map(String::as_str).collect();
            kind_code(&words, place.is_null())
        }
        "unknown" => format!("unknown-{}", pair["reason"]["kind"].as_str().unwrap_or("incomplete")),
        _ => return None,
    };
    let conditions =
        ["differ_under", "split_under", "equal_under"].map(|name| text(&pair[name]["c"]));
    Some(KnownResult {
        function: text(&pair["function"])?,
        code,
        file: text(&place["file"]).unwrap_or_default(),
        line: place["line"].as_u64().and_then(|line| u32::try_from(line).ok()).unwrap_or(0),
        is_listed: pair["verdict"] == "different" || pair["impact"].is_null(),
        content: Content { kinds, conditions },
    })
}

fn content(pair: &PairReport) -> Content {
    let kinds = match pair.answer {
        Answer::Interface => vec!["interface".to_owned()],
        _ => pair.kinds.iter().map(|kind| wording::kind_word(*kind).to_owned()).collect(),
    };
    let conditions = [&pair.differ_under, &pair.split_under, &pair.equal_under];
    Content { kinds, conditions: conditions.map(|condition| condition.c.clone()) }
}

/// The file and the fingerprint of a result.
pub(crate) fn fingerprint_of(pair: &PairReport) -> Option<String> {
    let place = pair.new.as_ref().or(pair.old.as_ref());
    let file = place.map_or("", |place| place.file.as_str());
    Some(fingerprint(file, &pair.function, &code_of(pair)?))
}
