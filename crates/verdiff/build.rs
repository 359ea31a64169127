//! Says what tells this build from all others: a hash of the sources of all crates and of the versions of what they use. Results that
//! another build has kept are not used.

use std::fs;
use std::path::{Path, PathBuf};

fn main() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut files = vec![crates.join("../Cargo.lock")];
    println!("cargo:rerun-if-changed={}", files[0].display());
    for folder in children(&crates) {
        let sources = folder.join("src");
        if sources.is_dir() {
            println!("cargo:rerun-if-changed={}", sources.display());
            below(&sources, &mut files);
        }
    }
    let mut hasher = blake3::Hasher::new();
    for file in files {
        let name = file.strip_prefix(&crates).unwrap_or(&file).to_string_lossy().into_owned();
        // One that is missing has no text: that is a build of its own, too.
        let text = fs::read(&file).unwrap_or_default();
        for part in [name.as_bytes(), &text] {
            hasher.update(&(part.len() as u64).to_le_bytes()).update(part);
        }
    }
    println!("cargo:rustc-env=VERDIFF_SOURCES={}", hasher.finalize().to_hex());
}

/// What is in a folder, in order of the names.
fn children(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut found: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
    found.sort();
    found
}

fn below(folder: &Path, files: &mut Vec<PathBuf>) {
    for path in children(folder) {
        match path.is_dir() {
            true => below(&path, files),
            false => files.push(path),
        }
    }
}
