//! Bitcode that was made before.
//!
//! A compilation is known by a *recipe* (clang, its flags, the file's name, the environment that clang reads) and by everything that it read. What
//! that is, only clang knows, and only afterwards. So under the key of a recipe there is a list of compilations with the files that each of them read;
//! one whose files all have the contents of then would give the same bitcode again.
//!
//! Three things could make that wrong, and are looked at as well:
//!
//! - A header that was not there and would now be found before one that was read: the list has the places where each header would have been
//!   looked for, and nothing may be at any of them that was not there.
//! - `__has_include`: the same for the names that it is asked about. If they are not written out, nothing is kept.
//! - Flags that let clang read what it does not list (modules, plugins, `@file`), and `#embed`: nothing is kept.
//!
//! A file that is saved while clang reads it must not be taken for what clang has read: nothing is kept if a file was changed after clang began.
//!
//! Where clang runs is no part of a recipe: debug information is told not to mention it.

use crate::clang::{Unit, with_inline};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::{Duration, SystemTime};
use verdiff_cache::{Key, KeyBuilder, Store};

/// How recipes and bitcode are written.
const KIND: &str = "verdiff-bitcode/1";
/// So many compilations are kept for one recipe: the last states of a file that is being edited, and the branches it is on.
const MOST: usize = 16;
/// What clang reads from the environment.
const ENVIRONMENT: [&str; 10] = [
    "CPATH",
    "C_INCLUDE_PATH",
    "SOURCE_DATE_EPOCH",
    "CCC_OVERRIDE_OPTIONS",
    "CLANG_CONFIG_FILE_SYSTEM_DIR",
    "CLANG_CONFIG_FILE_USER_DIR",
    "GCC_INSTALL_DIR",
    "LC_ALL",
    "LC_MESSAGES",
    "LANG",
];
/// Flags with which clang reads files that it does not list.
const UNLISTED: [&str; 9] = [
    "@",
    "-fmodule",
    "-fplugin",
    "-load",
    "-include-pch",
    "-ivfsoverlay",
    "--config",
    "-fprofile",
    "-fsanitize-ignorelist",
];
/// Where clang looks first for what no flag says anything about, whether it finds something there or not.
const LOCAL_HEADERS: &str = "/usr/local/include";

/// The times of files have steps of some milliseconds.
const CLOCK_STEP: Duration = Duration::from_millis(10);

/// What clang made of a file.
pub struct CompiledUnit {
    /// Its messages.
    pub diagnostics: String,
    /// The bitcode.
    pub bitcode: Vec<u8>,
    /// The bitcode with the bodies of inline functions, if there are any.
    pub with_inline: Option<Vec<u8>>,
}

impl CompiledUnit {
    /// What clang has written.
    pub fn read(output: &Path, diagnostics: String, inline: bool) -> std::io::Result<CompiledUnit> {
        let bitcode = std::fs::read(output)?;
        let with_inline = inline.then(|| std::fs::read(with_inline(output))).transpose()?;
        Ok(CompiledUnit { diagnostics, bitcode, with_inline })
    }

    /// As if clang had written it.
    pub fn write(&self, output: &Path) -> std::io::Result<()> {
        std::fs::write(output, &self.bitcode)?;
        let inline = self.with_inline.as_ref();
        inline.map_or(Ok(()), |bitcode| std::fs::write(with_inline(output), bitcode))
    }
}

/// Compilations of earlier runs.
pub struct BitcodeCache<'a> {
    store: &'a Store,
    /// The contents of files, by their names; each is read once in a run.
    hashes: Mutex<BTreeMap<PathBuf, Option<String>>>,
}

/// What tells a compiler from all others: it is another one when its file is.
pub fn compiler(clang: &Path) -> Option<String> {
    let program = std::fs::canonicalize(clang).ok()?;
    let metadata = program.metadata().ok()?;
    let changed = metadata.modified().ok()?.duration_since(std::time::UNIX_EPOCH).ok()?;
    Some(format!("{program:?} {} {changed:?}", metadata.len()))
}

/// A key with what clang reads from the environment.
pub fn environment(key: KeyBuilder) -> KeyBuilder {
    ENVIRONMENT.iter().fold(key, |key, name| {
        key.with(std::env::var_os(name).unwrap_or_default().as_encoded_bytes())
    })
}

/// The compilations of one recipe, the newest first.
#[derive(Default, Serialize, Deserialize)]
struct Compilations(Vec<Compilation>);

/// One compilation.
#[derive(PartialEq, Serialize, Deserialize)]
struct Compilation {
    /// The files that were read, and hashes of their contents.
    read: Vec<(PathBuf, String)>,
    /// What was there, and what was not.
    present: BTreeSet<PathBuf>,
    absent: BTreeSet<PathBuf>,
}

impl<'a> BitcodeCache<'a> {
    /// Compilations in a store.
    pub fn new(store: &'a Store) -> BitcodeCache<'a> {
        BitcodeCache { store, hashes: Mutex::default() }
    }

    /// The key of a recipe; `None` if what clang reads is not known.
    pub fn recipe(&self, clang: &Path, fixed: &[&[&str]], unit: &Unit) -> Option<Key> {
        let unlisted = |flag: &String| UNLISTED.iter().any(|word| flag.starts_with(word));
        if unit.flags.iter().any(unlisted) {
            return None;
        }
        let fixed = fixed.concat().join("\0");
        let mut key = Key::of(KIND).with(compiler(clang)?.as_bytes()).with(fixed.as_bytes());
        key = environment(key.with(unit.file.as_os_str().as_encoded_bytes()));
        for flag in &unit.flags {
            key = key.with(flag.as_bytes());
        }
        Some(key.done())
    }

    /// What an earlier run made by a recipe from the same files.
    pub fn get(&self, recipe: &Key, unit: &Unit) -> Option<CompiledUnit> {
        let Compilations(all) = self.compilations(recipe)?;
        let folder = unit.directory.clone().unwrap_or_default();
        let same = all.into_iter().find(|compilation| {
            let there = |path: &PathBuf| folder.join(path).exists();
            let read = |(path, hash): &(PathBuf, String)| {
                self.hash(&folder.join(path)).is_some_and(|now| now == *hash)
            };
            compilation.read.iter().all(read)
                && compilation.present.iter().all(there)
                && !compilation.absent.iter().any(there)
        })?;
        unpack(&self.store.get(&key_of(recipe, &same)?)?)
    }

    /// The time at which clang begins, once the file is old enough for a later change to show.
    pub fn begin(unit: &Unit) -> SystemTime {
        let path = unit.directory.clone().unwrap_or_default().join(&unit.file);
        let now = SystemTime::now();
        let changed = path.metadata().and_then(|m| m.modified()).unwrap_or(SystemTime::UNIX_EPOCH);
        if let Ok(age) = now.duration_since(changed)
            && age < CLOCK_STEP
        {
            std::thread::sleep(CLOCK_STEP - age);
        }
        SystemTime::now()
    }

    /// Keeps what was made by a recipe, from these files, by a compiler that began then.
    pub fn put(
        &self,
        recipe: &Key,
        unit: &Unit,
        files: &[PathBuf],
        made: &CompiledUnit,
        begun: SystemTime,
    ) {
        let folder = unit.directory.clone().unwrap_or_default();
        let before = |file: &PathBuf| {
            let changed = folder.join(file).metadata().and_then(|m| m.modified());
            changed.is_ok_and(|changed| changed + CLOCK_STEP <= begun)
        };
        if !files.iter().all(before) {
            return;
        }
        let Some(compilation) = self.compilation(unit, files) else { return };
        let Some(key) = key_of(recipe, &compilation) else { return };
        let Compilations(mut all) = self.compilations(recipe).unwrap_or_default();
        all.retain(|other| *other != compilation);
        all.insert(0, compilation);
        all.truncate(MOST);
        let Ok(list) = serde_json::to_vec(&Compilations(all)) else { return };
        self.store.put(&key, &pack(made));
        self.store.put(recipe, &list);
    }

    fn compilations(&self, recipe: &Key) -> Option<Compilations> {
        serde_json::from_slice(&self.store.get(recipe)?).ok()
    }

    /// What has to be so that the result is the same again; `None` if that cannot be said.
    fn compilation(&self, unit: &Unit, files: &[PathBuf]) -> Option<Compilation> {
        if files.is_empty() {
            return None;
        }
        let folder = unit.directory.clone().unwrap_or_default();
        let mut read = vec![];
        let mut asked = BTreeSet::new();
        for file in files {
            let path = folder.join(file);
            read.push((file.clone(), self.hash(&path)?));
            let text = String::from_utf8_lossy(&std::fs::read(&path).ok()?).into_owned();
            if text.contains("#embed") || text.contains("# embed") {
                return None;
            }
            asked.extend(asked_for(&text)?);
        }
        let searched = searched(unit, files);
        let mut names = asked;
        for file in files {
            let below = searched.iter().filter_map(|place| file.strip_prefix(place).ok());
            names.extend(below.map(Path::to_path_buf));
        }
        let (mut present, mut absent) = (BTreeSet::new(), BTreeSet::new());
        for name in &names {
            for place in &searched {
                let path = place.join(name);
                match folder.join(&path).exists() {
                    true => present.insert(path),
                    false => absent.insert(path),
                };
            }
        }
        // What was read is there.
        present.retain(|path| !files.contains(path));
        Some(Compilation { read, present, absent })
    }

    fn hash(&self, path: &Path) -> Option<String> {
        let mut hashes = self.hashes.lock().ok()?;
        let contents = || {
            let text = std::fs::read(path).ok()?;
            Some(Key::of("file").with(&text).done().as_str().to_owned())
        };
        hashes.entry(path.to_path_buf()).or_insert_with(contents).clone()
    }
}

/// The folders in which a header may be looked for: those of the flags, and those of all files that include something.
fn searched(unit: &Unit, files: &[PathBuf]) -> BTreeSet<PathBuf> {
    let mut found = BTreeSet::from([PathBuf::from(LOCAL_HEADERS)]);
    let folder = |file: &PathBuf| file.parent().map(Path::to_path_buf);
    found.extend(files.iter().filter_map(folder));
    let options = ["-iquote", "-isystem", "-idirafter", "-I"];
    let mut flags = unit.flags.iter();
    while let Some(flag) = flags.next() {
        let Some(rest) = options.iter().find_map(|option| flag.strip_prefix(option)) else {
            continue;
        };
        match rest.is_empty() {
            true => found.extend(flags.next().map(PathBuf::from)),
            false => drop(found.insert(PathBuf::from(rest))),
        }
    }
    found
}

/// The names that `__has_include` is asked about in a text; `None` if one is not written out.
fn asked_for(text: &str) -> Option<BTreeSet<PathBuf>> {
    let mut names = BTreeSet::new();
    for (at, word) in text.match_indices("__has_include") {
        let rest = text[at + word.len()..].trim_start_matches("_next").trim_start();
        // `defined __has_include`, `#ifdef __has_include`, a comment.
        let Some(rest) = rest.strip_prefix('(') else { continue };
        let rest = rest.trim_start();
        let end = match rest.chars().next()? {
            '<' => '>',
            '"' => '"',
            _ => return None,
        };
        let (name, _) = rest[1..].split_once(end)?;
        names.insert(PathBuf::from(name));
    }
    Some(names)
}

fn key_of(recipe: &Key, compilation: &Compilation) -> Option<Key> {
    let key = Key::of(KIND).with(recipe.as_str().as_bytes());
    Some(key.with_written(|part| serde_json::to_writer(part, compilation)).ok()?.done())
}

/// Each part behind its length.
fn pack(made: &CompiledUnit) -> Vec<u8> {
    let none = Vec::new();
    let parts =
        [made.diagnostics.as_bytes(), &made.bitcode, made.with_inline.as_ref().unwrap_or(&none)];
    let with_length = |part: &[u8]| [&(part.len() as u64).to_le_bytes()[..], part].concat();
    parts.map(with_length).concat()
}

fn unpack(mut bytes: &[u8]) -> Option<CompiledUnit> {
    let mut part = || {
        let (length, rest) = bytes.split_first_chunk::<8>()?;
        let length = usize::try_from(u64::from_le_bytes(*length)).ok()?;
        let (part, rest) = rest.split_at_checked(length)?;
        bytes = rest;
        Some(part.to_vec())
    };
    let (diagnostics, bitcode, inline) = (part()?, part()?, part()?);
    Some(CompiledUnit {
        diagnostics: String::from_utf8(diagnostics).ok()?,
        bitcode,
        with_inline: (!inline.is_empty()).then_some(inline),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_are_asked_for_are_known_or_nothing_is_kept() {
        let names =
            |text: &str| asked_for(text).map(|names| names.into_iter().collect::<Vec<PathBuf>>());
        let text =
            "#ifdef __has_include\n#if __has_include(<a/b.h>) && __has_include_next ( \"c.h\" )\n";
        assert_eq!(names(text), Some(vec!["a/b.h".into(), "c.h".into()]));
        assert_eq!(names("#if __has_include(NAME)"), None);
        assert_eq!(names("int x;"), Some(vec![]));
    }

    #[test]
    fn what_is_packed_is_unpacked_and_half_of_it_is_nothing() {
        for with_inline in [None, Some(vec![7; 3])] {
            let made = CompiledUnit { diagnostics: "w".into(), bitcode: vec![1, 2], with_inline };
            let bytes = pack(&made);
            let again = unpack(&bytes).unwrap();
            assert_eq!((again.diagnostics, again.bitcode), (made.diagnostics, made.bitcode));
            assert_eq!(again.with_inline, made.with_inline);
            assert!((0..bytes.len()).all(|length| unpack(&bytes[..length]).is_none()));
        }
    }
}
