//! Files by a pattern: `apps/*.c`, `apps/**/main_?.c`.
//!
//! | in a pattern | stands for |
//! |---|---|
//! | `*` | any text within a name |
//! | `?` | one character |
//! | `[a-c]`, `[!a-c]` | one of these characters, or none of them |
//! | `**` as a whole name | any number of folders |

use std::path::{Path, PathBuf};

/// The files that match, in order. A file of exactly this name matches itself.
pub fn files(pattern: &str) -> Vec<PathBuf> {
    if Path::new(pattern).is_file() {
        return vec![PathBuf::from(pattern)];
    }
    let start = if pattern.starts_with('/') { PathBuf::from("/") } else { PathBuf::new() };
    let mut found = vec![start];
    let parts: Vec<&str> = pattern.split('/').filter(|part| !part.is_empty()).collect();
    for (number, part) in parts.iter().enumerate() {
        let last = number + 1 == parts.len();
        found = found.into_iter().flat_map(|folder| matching(&folder, part, last)).collect();
    }
    found.retain(|path| path.is_file());
    found.sort();
    found.dedup();
    found
}

/// What matches one part of a pattern in a folder.
fn matching(folder: &Path, part: &str, last: bool) -> Vec<PathBuf> {
    if part == "**" {
        return with_folders_below(folder, last);
    }
    if !part.contains(['*', '?', '[']) {
        return vec![folder.join(part)];
    }
    let pattern: Vec<char> = part.chars().collect();
    let matches = |name: &str| {
        // As in a shell: hidden files are meant only if the pattern says so.
        let hidden = name.starts_with('.') && !part.starts_with('.');
        !hidden && is_match(&pattern, &name.chars().collect::<Vec<_>>())
    };
    entries(folder).into_iter().filter(|name| matches(name)).map(|name| folder.join(name)).collect()
}

/// A folder and all below it; with `files`, their files too.
fn with_folders_below(folder: &Path, files: bool) -> Vec<PathBuf> {
    let (mut found, mut work) = (vec![], vec![folder.to_owned()]);
    while let Some(here) = work.pop() {
        for path in entries(&here).into_iter().map(|name| here.join(name)) {
            let is_link = path.symlink_metadata().is_ok_and(|m| m.is_symlink());
            if path.is_dir() && !is_link {
                work.push(path);
            } else if files {
                found.push(path);
            }
        }
        found.push(here);
    }
    found
}

fn entries(folder: &Path) -> Vec<String> {
    let here = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    let list = std::fs::read_dir(here).into_iter().flatten().flatten();
    let mut names: Vec<String> = list.filter_map(|e| e.file_name().into_string().ok()).collect();
    names.sort();
    names
}

/// Whether a name matches, by the usual walk with one place to go back to: the last `*`.
fn is_match(pattern: &[char], name: &[char]) -> bool {
    let (mut p, mut n) = (0, 0);
    let mut back: Option<(usize, usize)> = None;
    while n < name.len() {
        if pattern.get(p) == Some(&'*') {
            back = Some((p, n));
            p += 1;
        } else if let Some(len) = one(&pattern[p..], name[n]) {
            (p, n) = (p + len, n + 1);
        } else if let Some((star, at)) = back {
            back = Some((star, at + 1));
            (p, n) = (star + 1, at + 1);
        } else {
            return false;
        }
    }
    pattern[p..].iter().all(|c| *c == '*')
}

/// How much of a pattern matches one character.
fn one(pattern: &[char], c: char) -> Option<usize> {
    match pattern {
        ['?', ..] => Some(1),
        ['[', rest @ ..] => {
            let negated = rest.first() == Some(&'!');
            let set = if negated { &rest[1..] } else { rest };
            let end = set.iter().skip(1).position(|c| *c == ']').map(|at| at + 1)?;
            let (mut at, mut within) = (0, false);
            while at < end {
                if at + 2 < end && set[at + 1] == '-' {
                    within |= (set[at]..=set[at + 2]).contains(&c);
                    at += 3;
                } else {
                    within |= set[at] == c;
                    at += 1;
                }
            }
            (within != negated).then_some(1 + usize::from(negated) + end + 1)
        }
        [literal, ..] if *literal == c => Some(1),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_match_as_in_a_shell() {
        let matches = |pattern: &str, name: &str| {
            let chars = |text: &str| text.chars().collect::<Vec<_>>();
            is_match(&chars(pattern), &chars(name))
        };
        assert!(matches("*.c", "a.c") && matches("*.c", ".c") && !matches("*.c", "a.h"));
        assert!(matches("a*b*c", "aXbXbc") && !matches("a*b*c", "aXbX"));
        assert!(matches("?.c", "x.c") && !matches("?.c", "xy.c"));
        assert!(matches("[a-c]x", "bx") && !matches("[a-c]x", "dx") && matches("[!a-c]x", "dx"));
        assert!(matches("[]]", "]") && !matches("[ab", "a"));
        assert!(matches("**", "anything") && matches("", "") && !matches("", "x"));
    }

    #[test]
    fn files_are_found_in_folders() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["a.c", "b.c", "b.h", "sub/c.c", "sub/deep/d.c", ".hidden.c"] {
            let path = folder.path().join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, "").unwrap();
        }
        let root = folder.path().to_str().unwrap();
        let found = |pattern: &str| -> Vec<String> {
            let all = files(&format!("{root}/{pattern}"));
            let name = |path: &PathBuf| path.strip_prefix(root).unwrap().display().to_string();
            all.iter().map(name).collect()
        };
        assert_eq!(found("*.c"), ["a.c", "b.c"]);
        assert_eq!(found("a.c"), ["a.c"]);
        assert_eq!(found("**/*.c"), ["a.c", "b.c", "sub/c.c", "sub/deep/d.c"]);
        assert_eq!(found("s*/c.c"), ["sub/c.c"]);
        assert!(found("*.x").is_empty() && found("sub").is_empty());
    }
}
