//! How files are compiled, with all paths relative to the root of the repository.
//!
//! Commands were recorded elsewhere (in the user's checkout, in a container, in a private copy) and are used in another folder. So the root
//! that they were recorded in is found, and every path below it becomes relative; clang then runs in the root of a private folder. That also
//! makes `__FILE__` and the paths of debug information the same in both revisions, whatever the folders are called.

use crate::request::normalised;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use verdiff_front::Unit;

/// The flags of each file of one side.
#[derive(Clone, Debug, Default)]
pub struct Commands {
    flags: BTreeMap<String, Vec<String>>,
}

impl Commands {
    /// Commands as they were recorded, for a repository with these files.
    pub fn of(units: &[Unit], files: &BTreeSet<&str>) -> Commands {
        let Some(root) = root(units, files) else { return Commands::default() };
        let mut flags = BTreeMap::new();
        for unit in units {
            let directory = unit.directory.clone().unwrap_or_default();
            let path = relative(&unit.file, &directory, &root);
            flags.entry(path).or_insert_with(|| rebased(&unit.flags, &directory, &root));
        }
        Commands { flags }
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.flags.is_empty()
    }

    /// The files that have a command.
    pub fn files(&self) -> impl Iterator<Item = &str> {
        self.flags.keys().map(String::as_str)
    }

    /// The flags of a file.
    pub fn flags(&self, file: &str) -> Option<&[String]> {
        self.flags.get(file).map(Vec::as_slice)
    }

    /// The flags that a file without a command most likely has: those that most files of its folder have, or of the whole project.
    pub fn flags_like(&self, file: &str) -> Option<&[String]> {
        let folder = |path: &str| path.rsplit_once('/').map_or("", |(folder, _)| folder).to_owned();
        let most = |here: &dyn Fn(&str) -> bool| {
            let mut counts: BTreeMap<&[String], usize> = BTreeMap::new();
            for (_, flags) in self.flags.iter().filter(|(path, _)| here(path)) {
                *counts.entry(flags).or_default() += 1;
            }
            counts.into_iter().max_by_key(|(_, count)| *count).map(|(flags, _)| flags)
        };
        let own = folder(file);
        most(&|path| folder(path) == own).or_else(|| most(&|_| true))
    }

    /// Files that flags include by themselves (`-include config.h`).
    pub fn included_by_flags(&self) -> BTreeSet<String> {
        let mut found = BTreeSet::new();
        for flags in self.flags.values() {
            for pair in flags.windows(2) {
                if pair[0] == "-include" || pair[0] == "-imacros" {
                    found.insert(pair[1].clone());
                }
            }
        }
        found
    }
}

/// The folder that most commands have their files below.
fn root(units: &[Unit], files: &BTreeSet<&str>) -> Option<PathBuf> {
    let mut votes: BTreeMap<PathBuf, usize> = BTreeMap::new();
    for unit in units {
        let whole = normalised(&unit.directory.clone().unwrap_or_default().join(&unit.file));
        // The longest end of the path that is a file of the repository.
        let found = whole.ancestors().skip(1).filter(|root| {
            let inside = whole.strip_prefix(root).ok().and_then(Path::to_str);
            inside.is_some_and(|inside| files.contains(inside))
        });
        if let Some(root) = found.last() {
            *votes.entry(root.to_path_buf()).or_default() += 1;
        }
    }
    votes.into_iter().max_by_key(|(_, count)| *count).map(|(root, _)| root)
}

/// A path relative to the root, if it is below it.
fn relative(path: &Path, directory: &Path, root: &Path) -> String {
    let whole = normalised(&directory.join(path));
    match whole.strip_prefix(root) {
        Ok(inside) if inside.as_os_str().is_empty() => ".".to_owned(),
        Ok(inside) => inside.to_string_lossy().into_owned(),
        Err(_) => whole.to_string_lossy().into_owned(),
    }
}

/// Flags that name files or folders.
const PATHS: [&str; 7] =
    ["-include", "-imacros", "-isystem", "-iquote", "-idirafter", "-isysroot", "-I"];

fn rebased(flags: &[String], directory: &Path, root: &Path) -> Vec<String> {
    let mut found = vec![];
    let mut flags = flags.iter();
    while let Some(flag) = flags.next() {
        if flag.contains("-prefix-map=") {
            continue;
        }
        if PATHS.contains(&flag.as_str()) {
            found.push(flag.clone());
            found.extend(flags.next().map(|path| relative(path.as_ref(), directory, root)));
            continue;
        }
        let joined = PATHS.iter().find_map(|option| Some((option, flag.strip_prefix(option)?)));
        match joined {
            Some((option, path)) => {
                found.push((*option).to_owned());
                found.push(relative(path.as_ref(), directory, root));
            }
            None => found.push(flag.clone()),
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn unit(directory: &str, file: &str, flags: &[&str]) -> Unit {
        let flags = flags.iter().map(|f| (*f).to_owned()).collect();
        Unit { file: file.into(), directory: Some(directory.into()), flags, bitcode: None }
    }

    #[test]
    fn paths_become_relative_to_the_root_wherever_that_was() {
        let units = [
            unit(
                "/there/p/build",
                "../src/a.c",
                &["-I../inc", "-I", ".", "-isystem", "/usr/x", "-DA=../b"],
            ),
            unit("/there/p/build", "/there/p/src/b.c", &["-include", "config.h"]),
            unit("/there/p/build", "made.c", &[]),
        ];
        let files = BTreeSet::from(["src/a.c", "src/b.c", "a.c"]);
        let commands = Commands::of(&units, &files);
        let expected = ["-I", "inc", "-I", "build", "-isystem", "/usr/x", "-DA=../b"];
        assert_eq!(commands.flags("src/a.c").unwrap(), expected);
        assert_eq!(commands.flags("src/b.c").unwrap(), ["-include", "build/config.h"]);
        assert!(commands.flags("build/made.c").is_some());
        assert_eq!(commands.included_by_flags(), BTreeSet::from(["build/config.h".to_owned()]));
        assert!(commands.flags("src/c.c").is_none());
        assert_eq!(commands.flags_like("build/other.c"), commands.flags("build/made.c"));
    }
}
