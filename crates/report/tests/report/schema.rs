//! Validation against a JSON schema: all keywords that the schema of SARIF 2.1.0 has. A keyword or a pattern that is
//! not known here fails the test instead of being skipped.

use serde_json::Value;
use std::path::PathBuf;
use std::process::Command;

/// The schema of SARIF 2.1.0, from the package that the manifest names for it; `None` if cargo does not have it.
pub fn sarif_schema() -> Option<Value> {
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--format-version", "1", "--offline", "--manifest-path"])
        .arg(PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("Cargo.toml"))
        .output()
        .ok()?;
    let metadata: Value = serde_json::from_slice(&output.stdout).ok()?;
    let packages = metadata["packages"].as_array()?;
    let package = packages.iter().find(|package| package["name"] == "serde-sarif")?;
    let manifest = PathBuf::from(package["manifest_path"].as_str()?);
    let text = std::fs::read_to_string(manifest.parent()?.join("src/schema.json")).ok()?;
    serde_json::from_str(&text).ok()
}

/// Everything that is wrong with a value, each with its path.
pub fn problems(root: &Value, value: &Value) -> Vec<String> {
    let mut found = vec![];
    check(root, root, value, "$", &mut found);
    found
}

fn check(root: &Value, schema: &Value, value: &Value, path: &str, found: &mut Vec<String>) {
    for (keyword, rule) in schema.as_object().expect("a schema is an object") {
        let mut fail = |what: String| found.push(format!("{path}: {what}"));
        match keyword.as_str() {
            "description" | "default" | "$schema" | "$id" | "title" | "definitions" => {}
            "$ref" => {
                let pointer = rule.as_str().unwrap().trim_start_matches('#');
                let target = root.pointer(pointer).expect("a reference within the schema");
                check(root, target, value, path, found);
            }
            "type" => {
                let is = |name: &str| match name {
                    "object" => value.is_object(),
                    "array" => value.is_array(),
                    "string" => value.is_string(),
                    "boolean" => value.is_boolean(),
                    "integer" => value.is_i64() || value.is_u64(),
                    "number" => value.is_number(),
                    other => panic!("unknown type {other}"),
                };
                if !rule.as_str().is_some_and(is) {
                    fail(format!("{value} must be of type {rule}"));
                }
            }
            "enum" if !rule.as_array().unwrap().contains(value) => {
                fail(format!("{value} is none of {rule}"));
            }
            "required" => {
                for name in rule.as_array().unwrap() {
                    if value.is_object() && value.get(name.as_str().unwrap()).is_none() {
                        fail(format!("{name} is missing"));
                    }
                }
            }
            "properties" => {
                for (name, inner) in rule.as_object().unwrap() {
                    if let Some(value) = value.get(name) {
                        check(root, inner, value, &format!("{path}.{name}"), found);
                    }
                }
            }
            "additionalProperties" => {
                let known = schema["properties"].as_object();
                for (name, value) in value.as_object().into_iter().flatten() {
                    let is_known = known.is_some_and(|known| known.contains_key(name));
                    match rule {
                        _ if is_known => {}
                        Value::Bool(true) => {}
                        Value::Bool(false) => found.push(format!("{path}: {name} is not allowed")),
                        inner => check(root, inner, value, &format!("{path}.{name}"), found),
                    }
                }
            }
            "items" => {
                for (index, value) in value.as_array().into_iter().flatten().enumerate() {
                    check(root, rule, value, &format!("{path}[{index}]"), found);
                }
            }
            "minItems"
                if (value.as_array().map_or(usize::MAX, Vec::len) as u64)
                    < rule.as_u64().unwrap() =>
            {
                fail("too few items".to_owned());
            }
            "uniqueItems" => {
                let items = value.as_array().map_or(&[][..], Vec::as_slice);
                let twice = |(at, item): (usize, &Value)| items[..at].contains(item);
                if rule == true && items.iter().enumerate().any(twice) {
                    fail("an item is listed twice".to_owned());
                }
            }
            "minimum" if value.as_f64().is_some_and(|number| number < rule.as_f64().unwrap()) => {
                fail(format!("{value} is too small"));
            }
            "maximum" if value.as_f64().is_some_and(|number| number > rule.as_f64().unwrap()) => {
                fail(format!("{value} is too large"));
            }
            "format" => {
                let text = value.as_str().unwrap_or_default();
                let plain = text.is_ascii()
                    && !text.contains([' ', '"', '<', '>', '\\', '^', '`', '{', '|', '}']);
                match rule.as_str().unwrap() {
                    "uri-reference" if plain => {}
                    "uri" if plain && text.contains(':') => {}
                    other => fail(format!("{value} is not of the format {other}")),
                }
            }
            "anyOf" | "oneOf" => {
                let all = rule.as_array().unwrap();
                let holds = all.iter().filter(|inner| {
                    let mut wrong = vec![];
                    check(root, inner, value, path, &mut wrong);
                    wrong.is_empty()
                });
                match (keyword.as_str(), holds.count()) {
                    (_, 1) => {}
                    ("anyOf", 2..) => {}
                    (keyword, count) => fail(format!("{count} branches of {keyword} hold")),
                }
            }
            "enum" | "minItems" | "minimum" | "maximum" => {}
            other => panic!("{path}: the keyword {other} is not known here"),
        }
    }
}
