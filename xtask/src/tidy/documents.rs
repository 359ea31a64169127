//! Documents name files that are there: who reads an argument can look at the code that it is about.

use super::{Finding, TextFile};
use std::collections::BTreeSet;

/// Where documents are about the code as it is. Figures in `docs/bench` are about the code as it was.
const DOCUMENTS: &str = "docs/internals/";

/// Checks all documents.
pub fn check(files: &[TextFile], findings: &mut Vec<Finding>) {
    let paths: BTreeSet<&str> = files.iter().map(|file| file.path.as_str()).collect();
    let is_document = |file: &&TextFile| file.path.starts_with(DOCUMENTS);
    for file in files.iter().filter(is_document).filter(|file| file.path.ends_with(".md")) {
        for (number, line) in file.content.lines().enumerate() {
            for name in named(line).filter(|name| !is_there(&paths, name)) {
                findings.push(format!("{}:{}: there is no file {name}", file.path, number + 1));
            }
        }
    }
}

/// The files of Rust that a line names in code quotes: by whole paths, or by their ends.
fn named(line: &str) -> impl Iterator<Item = &str> {
    let quoted = line.split('`').skip(1).step_by(2);
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '/' | '.' | '-');
    // What is said of a function in a file has its name behind the file's.
    let files = quoted.map(|text| text.split("::").next().unwrap_or(text));
    files.filter(move |text| text.ends_with(".rs") && text.chars().all(plain))
}

fn is_there(paths: &BTreeSet<&str>, name: &str) -> bool {
    let is_it = |path: &&str| {
        path.strip_suffix(name).is_some_and(|before| before.is_empty() || before.ends_with('/'))
            || name.split_once('/').is_some_and(|(krate, rest)| {
                path.strip_prefix("crates/").and_then(|p| p.strip_prefix(krate)).is_some_and(
                    |inside| inside.starts_with('/') && inside.ends_with(&format!("/{rest}")),
                )
            })
    };
    paths.iter().any(is_it)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn findings(text: &str) -> Vec<Finding> {
        let file = |path: &str, content: &str| TextFile {
            path: path.to_owned(),
            content: content.to_owned(),
        };
        let files = [
            file("docs/internals/soundness.md", text),
            file("docs/bench/2026.md", "`gone.rs`"),
            file("crates/product/src/valid.rs", ""),
            file("crates/cli/tests/cli/limits.rs", ""),
        ];
        let mut findings = vec![];
        check(&files, &mut findings);
        findings
    }

    #[test]
    fn a_document_names_files_that_are_there() {
        for text in [
            "`crates/product/src/valid.rs`, `product/src/valid.rs`, `valid.rs`",
            "`cli/limits.rs::a_test` and `cli/tests/cli/limits.rs`",
            "`product/valid.rs` and `old.c`, but not code.rs outside of quotes",
        ] {
            assert_eq!(findings(text), [""; 0], "{text}");
        }
        assert_eq!(
            findings("\nsee `engines/src/valid.rs`"),
            ["docs/internals/soundness.md:2: there is no file engines/src/valid.rs"]
        );
        assert_eq!(findings("`id.rs`").len(), 1, "the end of a name is no name");
    }
}
