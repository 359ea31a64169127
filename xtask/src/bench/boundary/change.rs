//! The hand-written changes of `changes.toml`.

use anyhow::{Context, Result, ensure};
use toml::{Table, Value};

/// A small change and what is true of it, whatever surrounds it.
pub struct Change {
    pub name: String,
    pub equivalent: bool,
    /// What differs, in the words of the report; empty for an equivalent change.
    pub kind: String,
    /// The statements of either version.
    pub body: [String; 2],
    /// What stands in front of the function, in either version.
    pub outside: [String; 2],
    /// Statements at the beginning of the function, and far below the change.
    pub before: String,
    pub behind: String,
    /// A variable that is not read between the change and `behind`.
    pub hidden: Option<String>,
    /// Values of a, b and c at which the versions differ; for an equivalent change, any.
    pub at: [i64; 3],
}

/// All changes.
pub fn all() -> Result<Vec<Change>> {
    let file: Table = toml::from_str(include_str!("changes.toml"))?;
    let changes = file.get("change").and_then(Value::as_array).context("changes")?;
    changes.iter().map(|c| change(c.as_table().context("a table")?)).collect()
}

fn change(table: &Table) -> Result<Change> {
    let text = |key: &str| table.get(key).and_then(Value::as_str).unwrap_or("").trim().to_owned();
    let name = text("name");
    let equivalent = match text("verdict").as_str() {
        "equivalent" => true,
        "different" => false,
        other => anyhow::bail!("{name}: the verdict {other:?}"),
    };
    let at = table.get("differ_at").and_then(Value::as_table);
    ensure!(at.is_none() == equivalent, "{name}: only what differs has an input");
    let value = |key: &str, default| {
        at.and_then(|at| at.get(key)).and_then(Value::as_integer).unwrap_or(default)
    };
    let kind = match text("kind").as_str() {
        _ if equivalent => String::new(),
        "" => "value".to_owned(),
        kind => kind.to_owned(),
    };
    let outside = ["outside_old", "outside_new"].map(|side| {
        let parts = [text("outside"), text(side)];
        parts.into_iter().filter(|p| !p.is_empty()).collect::<Vec<_>>().join("\n\n")
    });
    Ok(Change {
        equivalent,
        kind,
        body: [text("old"), text("new")],
        outside,
        before: text("before"),
        behind: text("behind"),
        hidden: table.get("hidden").and_then(Value::as_str).map(str::to_owned),
        at: [value("a", 3), value("b", 5), value("c", 0)],
        name,
    })
}
