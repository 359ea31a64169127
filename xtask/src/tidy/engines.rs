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
        let code = without_comments(&file.content);
        let mut add = |at: usize, what: &str| {
            let line = code[..at].lines().count().max(1);
            findings.push(format!("{}:{line}: {what}", file.path));
        };
        let Some(own) = engine_of(&file.path) else {
            // What the crate's root passes on could be named without naming the engine.
            for (at, name) in passed_on(&code).filter(|(_, name)| engines.contains(name)) {
                add(at, &format!("the engine {name} is passed on to the others"));
            }
            continue;
        };
        for (at, name) in named_of_root(&code, depth_of(&file.path)) {
            if name != own && engines.contains(name) {
                add(at, &format!("the engine {own} may not know the engine {name}"));
            }
        }
        for (what, why) in EXECUTION {
            code.match_indices(what).for_each(|(at, _)| add(at + 1, why));
        }
    }
}

/// The engine that a file belongs to: the folder in which it lies.
fn engine_of(path: &str) -> Option<&str> {
    path.strip_prefix(ENGINES)?.split_once('/').map(|(engine, _)| engine)
}

/// How many modules deep a file is: so often it says `super` to name the crate's root.
fn depth_of(path: &str) -> usize {
    let parts = path.strip_prefix(ENGINES).unwrap_or(path).split('/');
    parts.filter(|part| *part != "mod.rs").count()
}

/// The code with as many lines, without what follows `//`.
fn without_comments(content: &str) -> String {
    let lines = content.lines().map(|line| line.split("//").next().unwrap_or_default());
    lines.flat_map(|line| [line, "\n"]).collect()
}

/// What code names of the crate's root, and where: `crate::x`, `super::x` from there, `crate::{x, y::z}`.
fn named_of_root(code: &str, depth: usize) -> Vec<(usize, &str)> {
    let mut found = vec![];
    let mut at = 0;
    while let Some(next) = code[at..].find(|c: char| c.is_alphabetic() || c == '_') {
        at += next;
        let word = identifier(&code[at..]);
        let mut behind = at + word.len();
        let mut levels = usize::from(word == "super");
        while levels > 0 && code[behind..].starts_with("::super") {
            behind += "::super".len();
            levels += 1;
        }
        let is_root = word == "crate" || levels >= depth;
        if let Some(path) = code[behind..].strip_prefix("::").filter(|_| is_root) {
            found.extend(heads(path).map(|name| (behind, name)));
        }
        at = behind;
    }
    found
}

/// What the crate's root makes public under another path than its own.
fn passed_on(code: &str) -> impl Iterator<Item = (usize, &str)> {
    let uses = code.match_indices("pub use ").chain(code.match_indices("pub(crate) use "));
    uses.flat_map(|(at, text)| {
        let path = &code[at + text.len()..];
        let path = path.strip_prefix("crate::").or(path.strip_prefix("self::")).unwrap_or(path);
        heads(path).map(move |name| (at, name))
    })
}

/// The first names of a path, or of all paths of a group.
fn heads(path: &str) -> impl Iterator<Item = &str> {
    let mut found = vec![];
    match path.strip_prefix('{') {
        None => found.push(identifier(path)),
        Some(group) => {
            let (mut open, mut begins) = (1, true);
            for (at, c) in group.char_indices() {
                match c {
                    '{' => open += 1,
                    '}' => open -= 1,
                    ',' => begins = open == 1,
                    c if begins && !c.is_whitespace() => {
                        found.push(identifier(&group[at..]));
                        begins = false;
                    }
                    _ => {}
                }
                if open == 0 {
                    break;
                }
            }
        }
    }
    found.into_iter()
}

fn identifier(text: &str) -> &str {
    let end = text.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(text.len());
    &text[..end]
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
    fn an_engine_does_not_know_another_by_any_path() {
        for code in [
            "use crate::summary;",
            "use super::summary::Summary;",
            "use crate::{flat::decide, summary::{library, pairs}};",
            "use crate::{\n    flat::{self, decide},\n    summary::pairs,\n};",
            "fn f() -> crate::summary::Summary {",
        ] {
            assert_eq!(findings(code).len(), 1, "{code}");
        }
        for code in [
            "use crate::{flat::{summary, decide}, flat};",
            "use self::summary::Summary;",
            "use verdiff_symex::summary;",
            "mod summary;",
        ] {
            assert_eq!(findings(code), [""; 0], "{code}");
        }
    }

    #[test]
    fn a_module_of_an_engine_says_super_more_often() {
        let find = |path: &str, code: &str| {
            let file = |path: &str, content: &str| TextFile {
                path: format!("{ENGINES}{path}"),
                content: content.to_owned(),
            };
            let mut findings = vec![];
            check(&[file(path, code), file("summary/mod.rs", "")], &mut findings);
            findings.len()
        };
        assert_eq!(find("flat/decide.rs", "use super::summary::Summary;"), 0);
        assert_eq!(find("flat/decide.rs", "use super::super::summary::Summary;"), 1);
        assert_eq!(find("flat/related/goal.rs", "use super::super::summary::Summary;"), 0);
        assert_eq!(find("flat/related/goal.rs", "use super::super::super::summary;"), 1);
        assert_eq!(find("flat/related/mod.rs", "use super::super::summary;"), 1);
        assert_eq!(find("lib.rs", "pub mod summary;\npub use summary::Summary;"), 1);
        assert_eq!(find("lib.rs", "pub use self::{summary::Summary, flat};"), 1);
        assert_eq!(find("lib.rs", "pub mod summary; use summary::Summary;"), 0);
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
