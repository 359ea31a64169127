//! Where this process and the programs that it runs have their temporary files.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// Where programs look for that folder.
pub const VARIABLE: &str = "TMPDIR";

static FOLDER: OnceLock<PathBuf> = OnceLock::new();

/// From now on temporary files are made there. The first folder stays.
pub fn use_temporary_folder(folder: &Path) {
    if FOLDER.set(folder.to_owned()).is_ok() {
        let _ = tempfile::env::override_temp_dir(folder);
    }
}

/// The folder, if one was chosen.
pub fn folder() -> Option<&'static Path> {
    FOLDER.get().map(PathBuf::as_path)
}
