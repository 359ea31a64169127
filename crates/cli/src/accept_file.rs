//! `verdiff accept REPORT.json`: writes the file that `--accept` reads. What the file already has is kept, comments
//! included; an entry about the same function and kind gets the condition of the report.

use crate::compare::{print, read_report};
use crate::report_arguments::Accept;
use anyhow::{Context, anyhow, bail};
use std::path::Path;
use toml_edit::{ArrayOfTables, DocumentMut, Item, Table, value};
use verdiff_report::{AcceptedDifference, accept_summary, acceptable};

/// The reason where the user gives none.
const NO_REASON: &str = "accepted with `verdiff accept`; replace this text with the reason";

/// Runs the command.
pub fn run(arguments: &Accept) -> anyhow::Result<u8> {
    let path = arguments.report.display();
    let report = read_report(&arguments.report)?;
    let mut differences = acceptable(&report).map_err(|error| anyhow!("{path}: {error}"))?;
    if !arguments.functions.is_empty() {
        for name in &arguments.functions {
            if !differences.iter().any(|difference| difference.function == *name) {
                bail!("{path}: the report has no difference of {name} that counts");
            }
        }
        differences.retain(|difference| arguments.functions.contains(&difference.function));
    }
    if arguments.why.as_ref().is_some_and(|why| why.trim().is_empty()) {
        bail!("--why: must state the reason why these differences are expected");
    }
    let file = &arguments.output;
    let mut document = existing(file)?;
    let why = arguments.why.as_deref().unwrap_or(NO_REASON);
    let (mut added, mut updated) = (0, 0);
    for difference in &differences {
        match write_entry(&mut document, difference, why, arguments.why.is_some())
            .with_context(|| file.display().to_string())?
        {
            Change::Added => added += 1,
            Change::Updated => updated += 1,
            Change::None => {}
        }
    }
    if added + updated > 0 {
        std::fs::write(file, document.to_string())
            .with_context(|| format!("cannot write {}", file.display()))?;
    }
    print(std::io::stdout().lock(), &accept_summary(&file.display().to_string(), added, updated))?;
    Ok(0)
}

enum Change {
    Added,
    Updated,
    None,
}

fn existing(file: &Path) -> anyhow::Result<DocumentMut> {
    let name = file.display();
    match std::fs::read_to_string(file) {
        Ok(text) => text.parse().map_err(|error| anyhow!("{name}: {error}")),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(DocumentMut::new()),
        Err(error) => Err(error).with_context(|| format!("{name}: cannot read the accept file")),
    }
}

fn write_entry(
    document: &mut DocumentMut,
    difference: &AcceptedDifference,
    why: &str,
    replaces_why: bool,
) -> anyhow::Result<Change> {
    let entries = document.entry("accept").or_insert(Item::ArrayOfTables(ArrayOfTables::new()));
    let Some(entries) = entries.as_array_of_tables_mut() else {
        bail!("`accept` must be a list of tables: [[accept]]");
    };
    let is = |table: &Table, key: &str, text: &str| {
        table.get(key).and_then(Item::as_str).is_some_and(|found| found == text)
    };
    let same = |table: &&mut Table| {
        is(table, "function", &difference.function) && is(table, "kind", &difference.kind)
    };
    if let Some(entry) = entries.iter_mut().find(same) {
        let before = entry.to_string();
        // An entry without a condition accepts every difference of its kind.
        if entry.contains_key("condition") {
            match &difference.condition {
                Some(condition) => set(entry, "condition", condition),
                None => {
                    entry.remove("condition");
                }
            }
        }
        if replaces_why {
            set(entry, "why", why);
        }
        return Ok(if entry.to_string() == before { Change::None } else { Change::Updated });
    }
    let mut entry = Table::new();
    entry["function"] = value(&difference.function);
    entry["kind"] = value(&difference.kind);
    entry["why"] = value(why);
    if let Some(condition) = &difference.condition {
        entry["condition"] = value(condition);
    }
    if !entries.is_empty() {
        entry.decor_mut().set_prefix("\n");
    }
    entries.push(entry);
    Ok(Change::Added)
}

/// Sets a value and keeps the comment behind it.
fn set(entry: &mut Table, key: &str, text: &str) {
    let decor = entry.get(key).and_then(Item::as_value).map(|old| old.decor().clone());
    entry[key] = value(text);
    if let (Some(decor), Some(new)) = (decor, entry[key].as_value_mut()) {
        *new.decor_mut() = decor;
    }
}
