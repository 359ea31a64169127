//! The house rules, as a check.
//!
//! Each rule is a function that pushes what it finds; all findings are shown, so that one
//! run is enough to mend them.

mod arrows;
mod documents;
mod engines;
pub mod links;
mod text;

use crate::process::{output, program, root};
use anyhow::{Result, bail};
use std::path::PathBuf;

/// A broken rule: where, and what.
type Finding = String;

/// A file of the repository that is text.
pub struct TextFile {
    /// Relative to the repository, with `/`.
    pub path: String,
    /// All of it.
    pub content: String,
}

/// Checks all rules.
pub fn run() -> Result<()> {
    let mut findings = Vec::new();
    arrows::check(&arrows::packages()?, &mut findings);
    let files = tracked()?;
    engines::check(&files, &mut findings);
    documents::check(&files, &mut findings);
    links::check(&files, &mut findings);
    for file in &files {
        text::check(file, &mut findings);
    }
    if findings.is_empty() {
        eprintln!("tidy: {} files, all in order", files.len());
        return Ok(());
    }
    for finding in &findings {
        eprintln!("{finding}");
    }
    bail!("tidy: {} findings", findings.len())
}

/// All text files that git has, or would have.
pub fn tracked() -> Result<Vec<TextFile>> {
    // In a container the clone may belong to somebody else; it is only read here.
    let own = ["-c", "safe.directory=*"];
    let arguments = ["ls-files", "-z", "--cached", "--others", "--exclude-standard"];
    let list = output(program("git", &own).args(arguments))?;
    let mut paths: Vec<PathBuf> =
        list.split('\0').filter(|p| !p.is_empty()).map(PathBuf::from).collect();
    paths.sort();
    paths.dedup();
    let mut files = Vec::new();
    for path in paths {
        // What was deleted and is not committed yet is still listed; what is no text has
        // nothing to be checked.
        let Ok(bytes) = std::fs::read(root().join(&path)) else { continue };
        if let Ok(content) = String::from_utf8(bytes) {
            files.push(TextFile { path: path.to_string_lossy().replace('\\', "/"), content });
        }
    }
    Ok(files)
}
