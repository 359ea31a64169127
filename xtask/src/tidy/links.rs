//! Links of documents lead somewhere, and the book has all pages.

use super::{Finding, TextFile};
use crate::process::root;
use std::collections::{BTreeMap, BTreeSet};

/// The list of the pages of the book.
pub const SUMMARY: &str = "docs/SUMMARY.md";
/// What is not a page of the book: figures as they were measured.
pub const ARCHIVE: &str = "docs/bench/";

/// A link of a document.
#[derive(Debug, PartialEq, Eq)]
pub struct Link<'a> {
    /// Where its text begins, in bytes.
    pub at: usize,
    /// What is shown.
    pub text: &'a str,
    /// Where it leads.
    pub target: &'a str,
}

/// Checks all documents.
pub fn check(files: &[TextFile], findings: &mut Vec<Finding>) {
    let paths: BTreeSet<&str> = files.iter().map(|file| file.path.as_str()).collect();
    let documents = || files.iter().filter(|file| file.path.ends_with(".md"));
    let anchors: BTreeMap<&str, BTreeSet<String>> =
        documents().map(|file| (file.path.as_str(), anchors(&file.content))).collect();
    for file in documents() {
        for link in links(&file.content) {
            if link.target.contains("://") || link.target.starts_with("mailto:") {
                continue;
            }
            let line = file.content[..link.at].lines().count().max(1);
            let mut add = |what: &str| {
                findings.push(format!("{}:{line}: {what}: {}", file.path, link.target));
            };
            let Some((path, anchor)) = resolved(&file.path, link.target) else {
                add("this link leaves the repository");
                continue;
            };
            let folder = format!("{path}/");
            let is_there = paths.contains(path.as_str())
                || path.is_empty()
                // A picture is no text, and so not among the files.
                || path.ends_with(".png") && root().join(&path).is_file()
                || paths.range(folder.as_str()..).next().is_some_and(|p| p.starts_with(&folder));
            let has_anchor = |anchor: &str| {
                anchors.get(path.as_str()).is_none_or(|anchors| anchors.contains(anchor))
            };
            if !is_there {
                add("this link leads nowhere");
            } else if anchor.is_some_and(|anchor| !has_anchor(anchor)) {
                add("there is no such heading");
            }
        }
    }
    if let Some(summary) = files.iter().find(|file| file.path == SUMMARY) {
        let named: BTreeSet<String> = links(&summary.content)
            .iter()
            .filter_map(|link| resolved(SUMMARY, link.target))
            .map(|(path, _)| path)
            .collect();
        let is_page = |path: &&str| {
            path.starts_with("docs/") && !path.starts_with(ARCHIVE) && *path != SUMMARY
        };
        for page in documents().map(|file| file.path.as_str()).filter(is_page) {
            if !named.contains(page) {
                findings.push(format!("{SUMMARY}: {page} is not in the list of pages"));
            }
        }
    }
}

/// The path that a link of a document leads to, relative to the repository, and the heading. `None` if it is outside.
pub fn resolved<'a>(document: &str, target: &'a str) -> Option<(String, Option<&'a str>)> {
    let (path, anchor) = match target.split_once('#') {
        Some((path, anchor)) => (path, Some(anchor)),
        None => (target, None),
    };
    if path.is_empty() {
        return Some((document.to_owned(), anchor));
    }
    let mut parts: Vec<&str> = document.split('/').collect();
    parts.pop();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop()?;
            }
            part => parts.push(part),
        }
    }
    Some((parts.join("/"), anchor))
}

/// The links of a document, outside of code.
pub fn links(text: &str) -> Vec<Link<'_>> {
    let code = code(text);
    let mut links = vec![];
    for (middle, _) in text.match_indices("](") {
        let is_code = code.iter().any(|range| range.contains(&middle));
        let start = opening(text, middle);
        let target = text[middle + 2..].split_once(')').map(|(target, _)| target);
        let (Some(at), Some(target), false) = (start, target, is_code) else { continue };
        let target = target.split_whitespace().next().unwrap_or_default();
        links.push(Link { at, text: &text[at + 1..middle], target });
    }
    links
}

/// Where the bracket was opened that is closed here.
fn opening(text: &str, end: usize) -> Option<usize> {
    let mut depth = 0;
    for (at, c) in text[..end].char_indices().rev() {
        match c {
            ']' => depth += 1,
            '[' if depth == 0 => return Some(at),
            '[' => depth -= 1,
            _ => {}
        }
    }
    None
}

/// The parts of a document that are code: blocks between fences, indented blocks, and words between backticks of which
/// both are outside of a link's text or both within.
fn code(text: &str) -> Vec<std::ops::Range<usize>> {
    let mut ranges = vec![];
    let (mut at, mut fence, mut after_blank) = (0, None::<usize>, true);
    for line in text.split_inclusive('\n') {
        let begins = line.trim_start().starts_with("```");
        match fence {
            Some(start) if begins => {
                ranges.push(start..at + line.len());
                fence = None;
            }
            Some(_) => {}
            None if begins => fence = Some(at),
            None if line.starts_with("    ") && after_blank => ranges.push(at..at + line.len()),
            None => {
                let mut ticks = line.match_indices('`').map(|(tick, _)| at + tick);
                while let (Some(from), Some(to)) = (ticks.next(), ticks.next()) {
                    ranges.push(from..to);
                }
            }
        }
        // An indented line goes on with the block before it.
        after_blank = line.trim().is_empty() || (after_blank && line.starts_with("    "));
        at += line.len();
    }
    ranges
}

/// The headings of a document, as links name them.
fn anchors(text: &str) -> BTreeSet<String> {
    let code = code(text);
    let mut at = 0;
    let mut found = BTreeSet::new();
    for line in text.split_inclusive('\n') {
        let is_code = code.iter().any(|range| range.contains(&at));
        at += line.len();
        let title = line.trim_start_matches('#');
        if title.len() == line.len() || !title.starts_with(' ') || is_code {
            continue;
        }
        let kept = |c: &char| c.is_alphanumeric() || " -_".contains(*c);
        let name: String = title.trim().to_lowercase().chars().filter(kept).collect();
        found.insert(name.replace(' ', "-"));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn findings(page: &str, summary: &str) -> Vec<Finding> {
        let file = |path: &str, content: &str| TextFile {
            path: path.to_owned(),
            content: content.to_owned(),
        };
        let files = [
            file("README.md", "# verdiff\n"),
            file("docs/SUMMARY.md", summary),
            file("docs/bench/2026.md", "# Figures\n"),
            file("docs/book/limits.md", "# Limits\n\n## Loops, and `goto`\n"),
            file("docs/book/report.md", page),
            file("examples/packet/old.c", ""),
        ];
        let mut findings = vec![];
        check(&files, &mut findings);
        findings
    }

    const ALL: &str = "- [Report](book/report.md)\n- [Limits](book/limits.md)\n";

    #[test]
    fn links_that_lead_somewhere_are_fine() {
        for page in [
            "[a](limits.md), [b](limits.md#loops-and-goto), [c](../../README.md), [d](#here)\n# Here\n",
            "[examples](../../examples/packet) [code](../../examples/packet/old.c) [`x`](limits.md)",
            "[elsewhere](https://example.org/x#y)",
            "```c\na[0](gone)\n```\n\n    a[1](gone)\n    b[1](gone)\n\n`a[2](gone)`\n",
        ] {
            assert_eq!(findings(page, ALL), [""; 0], "{page}");
        }
    }

    #[test]
    fn others_are_found() {
        let found = |page: &str| findings(page, ALL);
        assert_eq!(
            found("\n[a](gone.md)"),
            ["docs/book/report.md:1: this link leads nowhere: gone.md"]
        );
        assert_eq!(found("[a](limits.md#gone)").len(), 1);
        assert_eq!(found("[a](#gone)").len(), 1);
        assert_eq!(found("[a](../../../gone)").len(), 1);
        assert_eq!(found("[two\nlines](gone)\n").len(), 1);
        assert_eq!(found("[a](../../exam)").len(), 1, "the beginning of a folder's name");
    }

    #[test]
    fn every_page_is_in_the_summary() {
        assert_eq!(
            findings("", "- [Report](book/report.md)\n"),
            ["docs/SUMMARY.md: docs/book/limits.md is not in the list of pages"]
        );
    }
}
