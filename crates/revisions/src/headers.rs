//! Headers that no revision has because something generates them.

use crate::c_library;
use crate::commands::Commands;
use crate::config::{export_header, from_template, functions_asked_for, lines_of_variables};
use crate::includes::{Includes, may_be_included};
use crate::note::Note;
use crate::project::{Side, is_c};
use crate::request::{Endpoint, Repository};
use crate::snapshot::Snapshot;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// Headers that no revision has because something generates them: taken from the user's working tree, or made from a template.
pub fn complete(repository: &Repository, sides: &mut [Side; 2]) -> Vec<Note> {
    let root = repository.git.workdir().map(Path::to_path_buf);
    // A file that a revision has is missing in the other one: that one does not compile, and must not be helped.
    let mut tracked: BTreeSet<String> =
        sides.iter().flat_map(|side| side.snapshot.paths().map(str::to_owned)).collect();
    if let Ok(index) = Snapshot::of(repository, &Endpoint::Index) {
        tracked.extend(index.paths().map(str::to_owned));
    }
    let ends =
        |path: &&String, name: &str| path.as_str() == name || path.ends_with(&format!("/{name}"));
    let mut untracked: Option<Vec<String>> = None;
    let mut borrowed = BTreeSet::new();
    let (mut made, mut exports) = (BTreeSet::new(), BTreeSet::new());
    let mut answers = BTreeMap::new();
    for side in sides.iter_mut() {
        // What is added may include more.
        for _ in 0..4 {
            let missing = missing(&side.snapshot, &side.commands);
            if missing.is_empty() {
                break;
            }
            let mut found: Vec<(String, Addition)> = vec![];
            let includes = Includes::new(&side.snapshot);
            let lines = lines_of(&side.snapshot);
            for name in &missing {
                if tracked.iter().any(|path| ends(&path, name)) {
                    continue;
                }
                let files = root.as_ref().map(|root| {
                    untracked.get_or_insert_with(|| {
                        headers_below(root)
                            .into_iter()
                            .filter(|path| !tracked.contains(path))
                            .collect()
                    })
                });
                let files: Vec<&String> =
                    files.iter().flat_map(|f| f.iter().filter(|path| ends(path, name))).collect();
                if let Some(root) = root.as_ref().filter(|_| !files.is_empty()) {
                    found.extend(
                        files.into_iter().map(|f| (f.clone(), Addition::Borrowed(root.join(f)))),
                    );
                    continue;
                }
                let templates = includes.templates(name);
                if templates.is_empty()
                    && let Some(text) = export_header(name)
                {
                    found.push((name.clone(), Addition::Export(text.into_bytes())));
                }
                for template in templates {
                    let Some(text) = side.snapshot.read(template) else { continue };
                    let text = configured(&String::from_utf8_lossy(&text), &lines, &mut answers);
                    let folder = template.rsplit_once('/').map_or("", |(folder, _)| folder);
                    let last = name.rsplit('/').next().unwrap_or(name);
                    let path = match folder {
                        "" => last.to_owned(),
                        folder => format!("{folder}/{last}"),
                    };
                    found.push((path, Addition::Made(template.to_owned(), text.into_bytes())));
                }
            }
            if found.is_empty() {
                break;
            }
            for (path, addition) in found {
                match addition {
                    Addition::Borrowed(disk) => {
                        side.snapshot.borrow(&path, &disk);
                        borrowed.insert(path);
                    }
                    Addition::Made(template, text) => {
                        side.snapshot.make(&path, text);
                        made.insert((path, template));
                    }
                    Addition::Export(text) => {
                        side.snapshot.make(&path, text);
                        exports.insert(path);
                    }
                }
            }
        }
    }
    let mut notes = vec![];
    if !borrowed.is_empty() {
        notes.push(Note::Borrowed(borrowed.into_iter().collect()));
    }
    notes.extend(made.into_iter().map(|(header, template)| Note::Made { header, template }));
    notes.extend(exports.into_iter().map(Note::Exports));
    notes
}

/// The header that a template stands for on this machine. A function that was asked for before has the same answer again: if the
/// linker fails for one revision only, the revisions must not be configured differently.
fn configured(
    template: &str,
    lines: &BTreeMap<String, String>,
    answers: &mut BTreeMap<String, bool>,
) -> String {
    let asked = functions_asked_for(template);
    let new: BTreeSet<&str> =
        asked.iter().filter(|name| !answers.contains_key(*name)).map(String::as_str).collect();
    let found = c_library::functions(&new).unwrap_or_default();
    answers.extend(new.iter().map(|name| ((*name).to_owned(), found.contains(name))));
    let is_there = |name: &&String| answers.get(*name) == Some(&true);
    from_template(template, &asked.iter().filter(is_there).map(String::as_str).collect(), lines)
}

/// What the build of a revision puts into its headers: the first line for each variable that includes a header which is there.
fn lines_of(snapshot: &Snapshot) -> BTreeMap<String, String> {
    let mut lines = BTreeMap::new();
    let is_list = |path: &&str| path.rsplit('/').next() == Some("CMakeLists.txt");
    for list in snapshot.paths().filter(is_list) {
        let Some(text) = snapshot.read(list) else { continue };
        for (name, line, header) in lines_of_variables(&String::from_utf8_lossy(&text)) {
            let is_it = |path: &str| path == header || path.ends_with(&format!("/{header}"));
            if snapshot.paths().any(is_it) {
                lines.entry(name).or_insert(line);
            }
        }
    }
    lines
}

/// A header that was missing.
enum Addition {
    Borrowed(PathBuf),
    Made(String, Vec<u8>),
    /// What cmake generates for exported symbols.
    Export(Vec<u8>),
}

/// The names that are included and that no file has.
fn missing(snapshot: &Snapshot, commands: &Commands) -> BTreeSet<String> {
    let mut includes = Includes::new(snapshot);
    let units: Vec<&str> = snapshot.paths().filter(|path| is_c(path)).collect();
    let mut found: BTreeSet<String> = BTreeSet::new();
    for path in includes.closure(units) {
        for include in includes.of(path).clone().names {
            if includes.candidates(&include.name).is_empty() {
                found.insert(include.name);
            }
        }
    }
    found.extend(commands.included_by_flags().into_iter().filter(|path| !snapshot.has(path)));
    found
}

/// Files that may be included, below a folder, by their paths from there. Hidden folders and other repositories are left out.
pub fn headers_below(root: &Path) -> Vec<String> {
    const MOST: usize = 200_000;
    let mut found = vec![];
    let mut seen = 0;
    let mut work = vec![(root.to_path_buf(), String::new())];
    while let Some((folder, prefix)) = work.pop() {
        let Ok(entries) = std::fs::read_dir(&folder) else { continue };
        for entry in entries.flatten() {
            seen += 1;
            let (Ok(kind), Ok(name)) = (entry.file_type(), entry.file_name().into_string()) else {
                continue;
            };
            if name.starts_with('.') || seen > MOST {
                continue;
            }
            let path = format!("{prefix}{name}");
            if kind.is_dir() && !entry.path().join(".git").exists() {
                work.push((entry.path(), format!("{path}/")));
            } else if kind.is_file() && may_be_included(&path) {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_function_has_the_same_answer_in_both_revisions() {
        let mut answers = BTreeMap::from([("strdup".to_owned(), false)]);
        let template = "#cmakedefine01 HAVE_STRDUP\n#cmakedefine01 HAVE_MEMCPY\n";
        let header = "#define HAVE_STRDUP 0\n#define HAVE_MEMCPY 1\n";
        assert_eq!(configured(template, &BTreeMap::new(), &mut answers), header);
        assert_eq!(answers.get("memcpy"), Some(&true));
    }
}
