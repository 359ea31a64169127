//! Which files a C file includes, found by reading `#include` lines and not by running the preprocessor.
//!
//! To preprocess a whole project takes minutes and needs its flags; to read its `#include` lines takes milliseconds and needs nothing. What is
//! found is a superset of the truth, which is the safe side: an include in a comment or behind `#if 0` counts, and a name stands for every file
//! of the repository whose path ends in it. A file with a computed include (`#include MACRO`) may include every header.

use crate::snapshot::Snapshot;
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// One `#include` line.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Include {
    /// What stands between the quotes or brackets.
    pub name: String,
    /// Whether these are quotes.
    pub quoted: bool,
}

/// What a file includes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Included {
    /// By name.
    pub names: BTreeSet<Include>,
    /// Whether something else too, that a macro names.
    pub computed: bool,
    /// The macros `HAVE_…_H` that its conditions ask for: what `configure` would say of headers.
    pub asked: BTreeSet<String>,
}

/// Reads the `#include` lines of a file.
pub fn scan(text: &[u8]) -> Included {
    let mut found = Included::default();
    let directives =
        text.split(|c| *c == b'\n').flat_map(|line| line.split(|c| *c == b'#').skip(1));
    for rest in directives {
        let words: [&[u8]; 3] = [b"include_next", b"include", b"import"];
        let rest = rest.trim_ascii_start();
        if rest.starts_with(b"if") || rest.starts_with(b"elif") {
            found.asked.extend(headers_asked_for(rest));
        }
        let Some(rest) = words.iter().find_map(|word| rest.strip_prefix(*word)) else { continue };
        // `#includes`, `#include_x`: another word.
        if rest.first().is_some_and(|c| c.is_ascii_alphanumeric() || *c == b'_') {
            continue;
        }
        let rest = rest.trim_ascii_start();
        let close = match rest.first() {
            Some(b'"') => b'"',
            Some(b'<') => b'>',
            // A macro, or the rest is on the next line.
            _ => {
                found.computed = true;
                continue;
            }
        };
        let Some(end) = rest[1..].iter().position(|c| *c == close) else { continue };
        if let Ok(name) = std::str::from_utf8(&rest[1..=end]) {
            found.names.insert(Include { name: name.to_owned(), quoted: close == b'"' });
        }
    }
    found
}

/// The macros of a condition that are named as those of autoconf for headers.
fn headers_asked_for(condition: &[u8]) -> impl Iterator<Item = String> {
    let words = condition.split(|c| !c.is_ascii_alphanumeric() && *c != b'_');
    let asked = words.filter(|word| word.starts_with(b"HAVE_") && word.ends_with(b"_H"));
    asked.map(|word| String::from_utf8_lossy(word).into_owned())
}

/// Endings of the names of templates that `configure` or cmake makes a header from.
pub const TEMPLATES: [&str; 5] = [".in", ".cmake", ".cmake.in", ".cmakein", ".meson"];

/// The files of one side by name, and what they include.
pub struct Includes<'a> {
    snapshot: &'a Snapshot,
    by_name: HashMap<&'a str, Vec<&'a str>>,
    scanned: BTreeMap<&'a str, Included>,
}

impl<'a> Includes<'a> {
    /// Nothing is read yet.
    pub fn new(snapshot: &'a Snapshot) -> Includes<'a> {
        let mut by_name: HashMap<&str, Vec<&str>> = HashMap::new();
        for path in snapshot.paths() {
            by_name.entry(last(path)).or_default().push(path);
        }
        Includes { snapshot, by_name, scanned: BTreeMap::new() }
    }

    /// The files that an include may mean: all whose path ends in its name.
    pub fn candidates(&self, name: &str) -> Vec<&'a str> {
        let name = below(name);
        let ends = |path: &&&str| **path == name || path.ends_with(&format!("/{name}"));
        let with = |last_part: &str| self.by_name.get(last_part).map_or(&[][..], Vec::as_slice);
        with(last(name)).iter().filter(ends).copied().collect()
    }

    /// The templates that a header of this name could be made from.
    pub fn templates(&self, name: &str) -> Vec<&'a str> {
        TEMPLATES.iter().flat_map(|ending| self.candidates(&format!("{name}{ending}"))).collect()
    }

    /// What a file includes by its own lines.
    pub fn of(&mut self, path: &'a str) -> &Included {
        let snapshot = self.snapshot;
        self.scanned
            .entry(path)
            .or_insert_with(|| snapshot.read(path).map(|text| scan(&text)).unwrap_or_default())
    }

    /// The files that a file may include directly.
    fn next(&mut self, path: &'a str) -> Vec<&'a str> {
        let included = self.of(path).clone();
        let mut found = vec![];
        for include in &included.names {
            let files = self.candidates(&include.name);
            found.extend(if files.is_empty() { self.templates(&include.name) } else { files });
        }
        if included.computed {
            let is_header = |path: &&str| !path.ends_with(".c") && may_be_included(path);
            found.extend(self.snapshot.paths().filter(is_header));
        }
        found
    }

    /// These files and all that they may include.
    pub fn closure(&mut self, roots: impl IntoIterator<Item = &'a str>) -> BTreeSet<&'a str> {
        let mut work: Vec<&str> = roots.into_iter().collect();
        let mut found = BTreeSet::new();
        while let Some(path) = work.pop() {
            if found.insert(path) {
                work.extend(self.next(path));
            }
        }
        found
    }

    /// Of some C files, those that are, or may include, one of the changed files.
    pub fn affected(&mut self, units: &[&'a str], changed: &BTreeSet<&str>) -> BTreeSet<&'a str> {
        let mut includers: HashMap<&str, Vec<&'a str>> = HashMap::new();
        for path in self.closure(units.iter().copied()) {
            for next in self.next(path) {
                includers.entry(next).or_default().push(path);
            }
        }
        let mut reached: BTreeSet<&str> = BTreeSet::new();
        let mut work: Vec<&str> = changed.iter().copied().collect();
        while let Some(path) = work.pop() {
            if reached.insert(path) {
                work.extend(includers.get(path).into_iter().flatten());
            }
        }
        units.iter().copied().filter(|unit| reached.contains(unit)).collect()
    }

    /// The C files that another file includes: parts of a translation unit and none of their own. Tests include a file of the library to
    /// reach its `static` functions: that is one of its own all the same.
    pub fn parts(&mut self, units: &[&'a str]) -> BTreeSet<&'a str> {
        let mut found = BTreeSet::new();
        for unit in self.closure(units.iter().copied()) {
            for include in self.of(unit).clone().names {
                if include.name.ends_with(".c") {
                    let other = |p: &&str| *p != unit && (is_test(p) || !is_test(unit));
                    found.extend(self.candidates(&include.name).into_iter().filter(other));
                }
            }
        }
        found
    }

    /// Whether a file includes, directly or not, one of these.
    pub fn includes_any(&mut self, unit: &'a str, files: &BTreeSet<&str>) -> bool {
        self.closure([unit]).into_iter().any(|path| path != unit && files.contains(path))
    }
}

/// Whether a file belongs to the tests, by its folders.
fn is_test(path: &str) -> bool {
    let mut folders = path.split('/').rev().skip(1);
    folders.any(|folder| ["test", "fuzz", "bench"].iter().any(|word| folder.contains(word)))
}

/// Whether a file may be meant to be included, by its name: not documents, scripts and pictures.
pub fn may_be_included(path: &str) -> bool {
    let name = last(path);
    let Some((_, ending)) = name.rsplit_once('.') else { return false };
    matches!(ending, "c" | "h" | "inc" | "inl" | "def" | "tbl" | "tab" | "x" | "ic" | "tmpl")
}

/// A name without the steps upwards that it begins with.
fn below(name: &str) -> &str {
    let mut name = name;
    while let Some(rest) = name.strip_prefix("../").or_else(|| name.strip_prefix("./")) {
        name = rest;
    }
    // Steps in the middle: the last part is enough to find it.
    if name.contains("/../") { last(name) } else { name }
}

fn last(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn include_lines_are_found_in_all_their_forms() {
        let text = b"#include \"a.h\"\n # include <sys/b.h> // c\n#  include MACRO\n#includes\n// #include \"d.h\"\n\t#include_next <e.h>\nint x;\n";
        let found = scan(text);
        let names: Vec<(&str, bool)> =
            found.names.iter().map(|i| (i.name.as_str(), i.quoted)).collect();
        assert_eq!(names, [("a.h", true), ("d.h", true), ("e.h", false), ("sys/b.h", false)]);
        assert!(found.computed);
        assert!(!scan(b"#include \"a.h\"\n").computed);
        // A name that is cut off is no name.
        assert_eq!(scan(b"#include \"a.h\n"), Included::default());
    }

    #[test]
    fn steps_upwards_are_left_out() {
        assert_eq!(below("../../inc/a.h"), "inc/a.h");
        assert_eq!(below("./a.h"), "a.h");
        assert_eq!(below("x/../a.h"), "a.h");
    }
}
