//! What clang has made in this process: one file is compiled once for one set of flags, whoever asks for it.
//!
//! The model of a version and its compiled form for replay are made from the same bitcode. That saves a run of clang, and a file
//! that is edited while verdiff runs cannot be one thing for the model and another for the replay.

use crate::clang::Unit;
use crate::error::FrontError;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Bitcode files by what they were made from, in a temporary folder that lives as long as this.
#[derive(Debug, Default)]
pub struct Compilations(Mutex<KeptBitcode>);

#[derive(Debug, Default)]
struct KeptBitcode {
    folder: Option<tempfile::TempDir>,
    made: BTreeMap<Unit, PathBuf>,
    /// How many files were asked for.
    files: usize,
}

impl Compilations {
    /// The bitcode of a file, if it was made before with the same flags.
    pub(crate) fn find(&self, unit: &Unit) -> Option<PathBuf> {
        self.known().made.get(unit).cloned()
    }

    /// Where bitcode that is about to be made belongs.
    pub(crate) fn new_file(&self) -> Result<PathBuf, FrontError> {
        let mut known = self.known();
        if known.folder.is_none() {
            let new = tempfile::Builder::new().prefix("verdiff-").tempdir();
            known.folder = Some(new.map_err(|source| FrontError::System {
                what: "cannot make a temporary folder".into(),
                source,
            })?);
        }
        known.files += 1;
        let folder = known.folder.as_ref().map_or(Path::new("."), |folder| folder.path());
        Ok(folder.join(format!("{}.bc", known.files)))
    }

    /// Remembers bitcode that was made without an error.
    pub(crate) fn add(&self, unit: Unit, bitcode: PathBuf) {
        self.known().made.insert(unit, bitcode);
    }

    /// A thread that panicked while it held the lock left a map that is whole: each change is one insertion.
    fn known(&self) -> MutexGuard<'_, KeptBitcode> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
