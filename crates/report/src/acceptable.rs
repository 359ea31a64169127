//! The differences of a JSON report that can be accepted.

use crate::ReadError;
use crate::json::SCHEMA;
use serde_json::Value;

/// An entry of the accept file, without its reason.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AcceptedDifference {
    /// The function.
    pub function: String,
    /// The kind of the difference.
    pub kind: String,
    /// The condition, if it is known exactly and as C: the difference is accepted only as long as it stays so.
    pub condition: Option<String>,
}

/// All differences of a report that count for the exit code, one for each kind of each function.
pub fn acceptable(report: &Value) -> Result<Vec<AcceptedDifference>, ReadError> {
    if report["schema"] != SCHEMA {
        return Err(ReadError::Schema);
    }
    let mut all = vec![];
    for pair in report["pairs"].as_array().into_iter().flatten() {
        if pair["verdict"] != "different" || pair["counts"] == false {
            continue;
        }
        let Some(function) = pair["function"].as_str() else { continue };
        let exact = pair["exact"] == true;
        let condition = pair["differ_under"]["c"].as_str().filter(|c| exact && *c != "0");
        for kind in pair["kinds"].as_array().into_iter().flatten().filter_map(Value::as_str) {
            all.push(AcceptedDifference {
                function: function.to_owned(),
                kind: kind.to_owned(),
                condition: condition.filter(|_| kind != "interface").map(str::to_owned),
            });
        }
    }
    Ok(all)
}

/// What `verdiff accept` did.
pub fn accept_summary(file: &str, added: usize, updated: usize) -> String {
    let entries = |count: usize| if count == 1 { "entry" } else { "entries" };
    match (added, updated) {
        (0, 0) => format!("{file}: nothing to add\n"),
        (added, 0) => format!("{file}: {added} {} added\n", entries(added)),
        (added, updated) => {
            format!("{file}: {added} {} added, {updated} updated\n", entries(added))
        }
    }
}
