//! The store: getting and putting entries.

use crate::entry::{decode, encode};
use crate::key::Key;
use std::fs::{self, File};
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime};

/// How many bytes a store may hold if nothing else is said: 2 GiB.
pub const DEFAULT_LIMIT: u64 = 2 << 30;
/// An entry that was used within this time need not be marked as used.
const RECENTLY: Duration = Duration::from_secs(600);

/// Results by their keys, in a folder.
#[derive(Debug)]
pub struct Store {
    pub(crate) folder: PathBuf,
    /// Folders that are only read, in this order.
    layers: Vec<PathBuf>,
    pub(crate) limit: u64,
    /// How many bytes were written since the size was last looked at.
    pub(crate) written: AtomicU64,
    hits: AtomicU64,
    misses: AtomicU64,
}

impl Store {
    /// A store in a folder, which is made when something is put into it.
    pub fn new(folder: impl Into<PathBuf>) -> Store {
        Store {
            folder: folder.into(),
            layers: vec![],
            limit: DEFAULT_LIMIT,
            written: AtomicU64::new(0),
            hits: AtomicU64::new(0),
            misses: AtomicU64::new(0),
        }
    }

    /// The same with folders of other stores that are only read.
    #[must_use]
    pub fn reading(self, layers: Vec<PathBuf>) -> Store {
        Store { layers, ..self }
    }

    /// The same with another limit on its size, in bytes.
    #[must_use]
    pub fn limited_to(self, limit: u64) -> Store {
        Store { limit, ..self }
    }

    /// Its folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// How many results were found, and how many were not.
    pub fn hits_and_misses(&self) -> (u64, u64) {
        (self.hits.load(Ordering::Relaxed), self.misses.load(Ordering::Relaxed))
    }

    /// A result. What is damaged is removed.
    pub fn get(&self, key: &Key) -> Option<Vec<u8>> {
        let own = self.own(key);
        let further = || self.layers.iter().find_map(|layer| read(&place(layer, key), key));
        let found = own.or_else(further);
        let counter = if found.is_some() { &self.hits } else { &self.misses };
        counter.fetch_add(1, Ordering::Relaxed);
        found
    }

    fn own(&self, key: &Key) -> Option<Vec<u8>> {
        let path = place(&self.folder, key);
        let file = fs::read(&path).ok()?;
        let contents = decode(key, file);
        match contents {
            Some(_) => mark_used(&path),
            // It is written anew by whoever has the result.
            None => drop(fs::remove_file(&path)),
        }
        contents
    }

    /// Keeps a result. If that is not possible, it is not kept.
    pub fn put(&self, key: &Key, contents: &[u8]) {
        let file = encode(key, contents);
        if self.write(key, &file).is_ok() {
            self.written.fetch_add(file.len() as u64, Ordering::Relaxed);
        }
    }

    fn write(&self, key: &Key, file: &[u8]) -> std::io::Result<()> {
        let path = place(&self.folder, key);
        let parent = path.parent().unwrap_or(&self.folder);
        // In the same folder tree, so that it can be renamed; under a name that no key has.
        let folder = temporary(&self.folder);
        let new = || tempfile::Builder::new().prefix("new-").tempfile_in(&folder);
        let mut temporary = match new() {
            Err(error) if error.kind() == ErrorKind::NotFound => {
                fs::create_dir_all(&folder)?;
                new()?
            }
            other => other?,
        };
        temporary.write_all(file)?;
        let persisted = match temporary.persist(&path) {
            Err(error) if error.error.kind() == ErrorKind::NotFound => {
                fs::create_dir_all(parent)?;
                error.file.persist(&path)
            }
            other => other,
        };
        persisted.map(drop).map_err(|error| error.error)
    }

    /// Takes a result back: what came after it has shown that it must not be used again.
    pub fn forget(&self, key: &Key) {
        let _ = fs::remove_file(place(&self.folder, key));
    }
}

/// Where entries are written before they are renamed.
pub(crate) fn temporary(folder: &Path) -> PathBuf {
    folder.join("new")
}

/// Where an entry is: not too many of them in one folder.
fn place(folder: &Path, key: &Key) -> PathBuf {
    folder.join("entries").join(&key.as_str()[..2]).join(key.as_str())
}

/// An entry of a folder that is only read.
fn read(path: &Path, key: &Key) -> Option<Vec<u8>> {
    decode(key, fs::read(path).ok()?)
}

/// Notes that an entry was used: by the time at which its file was changed, which every file system keeps.
fn mark_used(path: &Path) {
    let now = SystemTime::now();
    let recently = |path: &Path| {
        let used = fs::metadata(path).ok()?.modified().ok()?;
        Some(now.duration_since(used).unwrap_or_default() < RECENTLY)
    };
    if recently(path) == Some(false)
        && let Ok(file) = File::options().append(true).open(path)
    {
        let _ = file.set_modified(now);
    }
}
