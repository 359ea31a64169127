//! Engines do not know each other, and none of them executes programs by itself: two versions are executed by the crate
//! `product`, once for all engines.

use super::{Finding, TextFile};
use std::collections::BTreeSet;

/// Where the engines are.
const ENGINES: &str = "crates/engines/src/";

/// What only `product` makes, and what it has instead.
const EXECUTION: &[(&str, &str)] = &[
    ("Executor::new", "an engine makes no executor: use verdiff_product::Product"),
    ("Explorer::new", "an engine makes no explorer: use verdiff_product::Product::exploration"),
    ("Callees for", "an engine has no callees of its own: use verdiff_product::callees::Policy"),
];

/// Checks all files of the engines.
pub fn check(files: &[TextFile], findings: &mut Vec<Finding>) {
    let inside = |file: &&TextFile| file.path.starts_with(ENGINES) && file.path.ends_with(".rs");
    let engines: BTreeSet<&str> =
        files.iter().filter(inside).filter_map(|file| engine_of(&file.path)).collect();
    for file in files.iter().filter(inside) {
        let Some(own) = engine_of(&file.path) else { continue };
        for (number, line) in file.content.lines().enumerate() {
            let code = line.split("//").next().unwrap_or_default();
            let mut add =
                |what: &str| findings.push(format!("{}:{}: {what}", file.path, number + 1));
            for other in engines.iter().filter(|other| **other != own && names(code, other)) {
                add(&format!("the engine {own} may not know the engine {other}"));
            }
            for (_, why) in EXECUTION.iter().filter(|(what, _)| code.contains(what)) {
                add(why);
            }
        }
    }
}

/// The engine that a file belongs to: the folder in which it lies.
fn engine_of(path: &str) -> Option<&str> {
    path.strip_prefix(ENGINES)?.split_once('/').map(|(engine, _)| engine)
}

/// Whether a line names a module of the crate.
fn names(code: &str, module: &str) -> bool {
    let full = |name: &str| {
        code.match_indices(name).any(|(at, _)| {
            let rest = &code[at + name.len()..];
            !rest.starts_with(|c: char| c.is_alphanumeric() || c == '_')
        })
    };
    full(&format!("crate::{module}")) || full(&format!("super::super::super::{module}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn findings(code: &str) -> Vec<Finding> {
        let file = |path: &str, content: &str| TextFile {
            path: format!("{ENGINES}{path}"),
            content: content.to_owned(),
        };
        let files = [file("flat/mod.rs", code), file("summary/mod.rs", ""), file("lib.rs", code)];
        let mut findings = vec![];
        check(&files, &mut findings);
        findings
    }

    #[test]
    fn an_engine_knows_itself_and_what_is_shared() {
        assert!(findings("use crate::flat::decide; use verdiff_product::Product;").is_empty());
        assert!(findings("use crate::summary_of_all; // crate::summary").is_empty());
    }

    #[test]
    fn an_engine_does_not_know_another() {
        assert_eq!(
            findings("\nuse crate::summary::Summary;"),
            ["crates/engines/src/flat/mod.rs:2: the engine flat may not know the engine summary"]
        );
    }

    #[test]
    fn an_engine_executes_nothing_itself() {
        assert_eq!(findings("let executor = Executor::new(&mut space);").len(), 1);
        assert_eq!(findings("impl Callees for Seen {").len(), 1);
    }
}
