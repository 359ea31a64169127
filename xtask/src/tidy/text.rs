//! Rules about the text of files.

use super::{Finding, TextFile};

/// The longest a file of Rust may be.
const MAX_LINES: usize = 600;

/// Words that say nothing about what a module is for.
const EMPTY_NAMES: &[&str] = &["util", "utils", "helper", "helpers", "misc", "common", "manager"];

/// Folders of people's and this project's machines. In pieces, so that they are not found
/// here.
const MACHINE_PATHS: &[&str] =
    &[concat!("/ro", "ot/"), concat!("/wo", "rk/"), concat!("/ho", "me/"), concat!("/Us", "ers/")];

/// Marks of work left undone.
const UNDONE: &[&str] = &[concat!("TO", "DO"), concat!("FIX", "ME"), concat!("XX", "X:")];

/// The only place that Cargo.lock may name.
const REGISTRY: &str = concat!("registry", "+https://github.com/rust-lang/crates.io-index");

/// Checks one file.
pub fn check(file: &TextFile, findings: &mut Vec<Finding>) {
    let mut add = |line: usize, what: &str| findings.push(format!("{}:{line}: {what}", file.path));
    if file.path == "Cargo.lock" || file.path.ends_with("/Cargo.lock") {
        for (number, line) in numbered(&file.content) {
            let source = line.strip_prefix("source = ").map(|s| s.trim_matches('"'));
            if source.is_some_and(|s| s != REGISTRY) {
                add(number, "a crate from elsewhere than the public registry");
            }
        }
        return;
    }
    for (number, line) in numbered(&file.content) {
        if MACHINE_PATHS.iter().any(|p| has_path(line, p)) {
            add(number, "a path of a machine");
        }
        if UNDONE.iter().any(|u| line.contains(u)) {
            add(number, "work left undone: do it, or make it an issue");
        }
        // Both can be the text of a diff, but not at the start of a line with a space behind.
        if line.starts_with(concat!("<<<<", "<<< ")) || line.starts_with(concat!(">>>>", ">>> ")) {
            add(number, "a conflict of a merge");
        }
        if line.contains(concat!("sparse", "+http")) || line.contains(concat!("registry", "+http"))
        {
            add(number, "the address of a registry");
        }
    }
    if file.path.starts_with(".cargo/") {
        for (number, line) in numbered(&file.content) {
            if line.starts_with("[source") || line.starts_with("[registr") {
                add(number, "a registry of one machine");
            }
        }
    }
    if file.path.ends_with(".rs") {
        check_rust(file, &mut add);
    }
}

fn check_rust(file: &TextFile, add: &mut impl FnMut(usize, &str)) {
    let lines = file.content.lines().count();
    if lines > MAX_LINES {
        add(lines, &format!("{lines} lines; split before {MAX_LINES}"));
    }
    if !file.content.starts_with("//!") {
        add(1, "a module opens with what it is for (`//!`)");
    }
    for (number, line) in numbered(&file.content) {
        if line.trim_start().trim_start_matches("pub ").starts_with("use crate::*") {
            add(number, "`use crate::*` hides where names come from");
        }
    }
    let mut parts = file.path.trim_end_matches(".rs").split('/');
    if parts.any(|part| EMPTY_NAMES.contains(&part)) {
        add(1, "the name says nothing about what is in it");
    }
    let may_be_unsafe = ["crates/front/", "crates/logic/"].iter().any(|c| file.path.starts_with(c));
    if !may_be_unsafe {
        for (number, line) in numbered(&file.content) {
            if line.contains(concat!("#[li", "nk(")) {
                add(number, "only front and logic may link foreign libraries");
            }
        }
    }
    let is_crate_root = file.path.ends_with("src/lib.rs") || file.path.ends_with("src/main.rs");
    if is_crate_root && !may_be_unsafe && !file.content.contains("#![forbid(unsafe_code)]") {
        add(1, "only front and logic may be unsafe: `#![forbid(unsafe_code)]`");
    }
}

/// Whether a path of a machine stands in a line: at the start of a word, not within a
/// relative path or an address.
fn has_path(line: &str, path: &str) -> bool {
    line.match_indices(path).any(|(at, _)| {
        let before = line[..at].chars().next_back();
        !before.is_some_and(|c| c.is_alphanumeric() || "_-./*}".contains(c))
    })
}

fn numbered(text: &str) -> impl Iterator<Item = (usize, &str)> {
    text.lines().enumerate().map(|(i, line)| (i + 1, line))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn findings(path: &str, content: &str) -> Vec<Finding> {
        let mut findings = Vec::new();
        check(&TextFile { path: path.to_owned(), content: content.to_owned() }, &mut findings);
        findings
    }

    #[test]
    fn what_is_in_order_is_not_found() {
        // Folders of a machine's names inside a relative path are nobody's home.
        let inside = ["work", "root"].map(|folder| format!("a/{folder}/b")).join(" and ");
        let good = format!("//! What it is for.\nuse crate::model::Program;\n// see {inside}\n");
        assert_eq!(findings("crates/model/src/x.rs", &good), [""; 0]);
    }

    #[test]
    fn each_rule_is_broken_once() {
        let undone = format!("//! x\n// {}: later\n", UNDONE[0]);
        let machine = format!("see {}me/notes\n", MACHINE_PATHS[2]);
        let lock = "source = \"git+https://example.org/index\"\n";
        let long = format!("//! x\n{}", "\n".repeat(MAX_LINES));
        let conflict = format!("{} HEAD\none\n=======\nother\n", "<".repeat(7));
        let cases = [
            ("crates/model/src/x.rs", undone.as_str(), 1),
            ("README.md", machine.as_str(), 1),
            ("docs/book/limits.md", conflict.as_str(), 1),
            ("Cargo.lock", lock, 1),
            ("integrations/python/Cargo.lock", lock, 1),
            ("xtask/src/long.rs", long.as_str(), 1),
            ("crates/model/src/x.rs", "use std::fmt;\n", 1),
            ("crates/model/src/x.rs", "//! x\nuse crate::*;\n", 1),
            ("crates/model/src/util.rs", "//! x\n", 1),
            ("crates/model/src/lib.rs", "//! x\n", 1),
            ("crates/front/src/lib.rs", "//! x\n", 0),
            ("crates/symex/src/x.rs", concat!("//! x\n#[li", "nk(name = \"z3\")]\n"), 1),
            (".cargo/config.toml", "[source.crates-io]\n", 1),
        ];
        for (path, content, count) in cases {
            assert_eq!(findings(path, content).len(), count, "{path}: {content}");
        }
    }
}
