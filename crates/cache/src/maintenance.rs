//! What is done for a store as a whole: counting, clearing, checking, keeping it small.

use crate::entry::decode;
use crate::key::Key;
use crate::store::{Store, temporary};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;
use std::time::{Duration, SystemTime};

/// What is written and not renamed after this time never will be: its writer was killed.
const ABANDONED: Duration = Duration::from_secs(3600);
/// How full a store may be after it was made smaller, in tenths of its limit.
const TENTHS: u64 = 8;

/// What a store holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Statistics {
    /// How many entries.
    pub entries: u64,
    /// How many bytes they take.
    pub bytes: u64,
}

/// What came of checking a store.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Verified {
    /// How many entries are as they were written.
    pub intact: u64,
    /// How many were not, and were removed.
    pub damaged: u64,
}

/// A file of the store.
struct StoredFile {
    path: PathBuf,
    bytes: u64,
    used: SystemTime,
}

impl Store {
    /// What it holds.
    pub fn statistics(&self) -> Statistics {
        let all = self.all();
        Statistics { entries: all.len() as u64, bytes: all.iter().map(|found| found.bytes).sum() }
    }

    /// Removes all entries.
    ///
    /// # Errors
    /// Something cannot be removed.
    pub fn clear(&self) -> io::Result<Statistics> {
        let before = self.statistics();
        for part in [self.entries(), temporary(&self.folder), self.size_file()] {
            let removed = match part.is_dir() {
                true => fs::remove_dir_all(&part),
                false => fs::remove_file(&part),
            };
            match removed {
                Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
                _ => {}
            }
        }
        Ok(before)
    }

    /// Checks all entries, and removes those that are damaged.
    ///
    /// # Errors
    /// Something damaged cannot be removed.
    pub fn verify(&self) -> io::Result<Verified> {
        let mut verified = Verified::default();
        for found in self.all() {
            let key = found.path.file_name().and_then(|name| Key::parse(name.to_str()?));
            let file = match fs::read(&found.path) {
                // Another run made room meanwhile.
                Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
                file => file.ok(),
            };
            let contents = key.zip(file).and_then(|(key, file)| decode(&key, file));
            match contents {
                Some(_) => verified.intact += 1,
                None => {
                    fs::remove_file(&found.path)?;
                    verified.damaged += 1;
                }
            }
        }
        self.remove_abandoned();
        Ok(verified)
    }

    /// Makes it smaller if it has become too large: whoever has put something into it calls this at its end. The size
    /// is not counted each time but kept in a file. Where two runs end at once, one of them may not be counted; the
    /// next count puts it right.
    pub fn trim(&self) {
        let written = self.written.swap(0, Ordering::Relaxed);
        if written == 0 {
            return;
        }
        let known = fs::read_to_string(self.size_file()).ok().and_then(|text| text.parse().ok());
        // Entries that were replaced are counted twice there: the real size is looked at somewhat too soon.
        let size = match known {
            Some(known) if written.saturating_add(known) <= self.limit => known + written,
            _ => {
                self.remove_abandoned();
                self.shrink()
            }
        };
        let _ = self.note_size(size);
    }

    /// Removes what was not used for longest, if there is too much. Gives back what is left.
    fn shrink(&self) -> u64 {
        let mut all = self.all();
        let mut size: u64 = all.iter().map(|found| found.bytes).sum();
        if size <= self.limit {
            return size;
        }
        all.sort_by_key(|found| found.used);
        let goal = self.limit / 10 * TENTHS;
        for found in all {
            if size <= goal {
                break;
            }
            if fs::remove_file(&found.path).is_ok() {
                size -= found.bytes;
            }
        }
        size
    }

    fn note_size(&self, size: u64) -> io::Result<()> {
        let folder = temporary(&self.folder);
        let file = tempfile::Builder::new().prefix("new-").tempfile_in(folder)?;
        fs::write(file.path(), size.to_string())?;
        file.persist(self.size_file()).map(drop).map_err(|error| error.error)
    }

    fn remove_abandoned(&self) {
        let now = SystemTime::now();
        for found in files(&temporary(&self.folder)) {
            if now.duration_since(found.used).unwrap_or_default() > ABANDONED {
                let _ = fs::remove_file(&found.path);
            }
        }
    }

    /// All files of entries, in order of their names.
    fn all(&self) -> Vec<StoredFile> {
        let mut all: Vec<StoredFile> =
            folders(&self.entries()).iter().flat_map(|folder| files(folder)).collect();
        all.sort_by(|a, b| a.path.cmp(&b.path));
        all
    }

    fn entries(&self) -> PathBuf {
        self.folder.join("entries")
    }

    fn size_file(&self) -> PathBuf {
        self.folder.join("size")
    }
}

fn folders(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(folder) else { return vec![] };
    entries.flatten().map(|entry| entry.path()).filter(|path| path.is_dir()).collect()
}

fn files(folder: &Path) -> Vec<StoredFile> {
    let Ok(entries) = fs::read_dir(folder) else { return vec![] };
    let found = |entry: fs::DirEntry| {
        let metadata = entry.metadata().ok().filter(fs::Metadata::is_file)?;
        let used = metadata.modified().unwrap_or(SystemTime::UNIX_EPOCH);
        Some(StoredFile { path: entry.path(), bytes: metadata.len(), used })
    };
    entries.flatten().filter_map(found).collect()
}
