//! Fetching the libraries' sources through cargo, by whatever registry it is set up for.
//!
//! A package that does nothing but depend on the crates is made in target/, cargo unpacks
//! them beside it, and the C code is copied out, each library with a compilation database,
//! so that `verdiff show target/real-code/zlib` is all it takes.

use super::libraries::{LIBRARIES, Library};
use crate::process::{cargo, run, target};
use anyhow::{Context, Result};
use serde_json::json;
use std::fs;
use std::path::{Path, PathBuf};

/// Fetches what is not there yet; gives the folder with one folder for each library.
pub fn all() -> Result<PathBuf> {
    let folder = target().join("real-code");
    let marker = folder.join("fetched.txt");
    let wanted = manifest();
    if fs::read_to_string(&marker).is_ok_and(|have| have == wanted) {
        for library in LIBRARIES {
            write_database(library, &folder.join(library.name))?;
        }
        return Ok(folder);
    }
    let vendor = unpack(&folder, &wanted)?;
    for library in LIBRARIES {
        let own = format!("{}-{}", library.package, library.version);
        let to = folder.join(library.name);
        remove(&to)?;
        copy_c(&vendor.join(own).join(library.folder), &to)?;
        write_database(library, &to)?;
    }
    remove(&vendor)?;
    write(&marker, &wanted)?;
    Ok(folder)
}

/// Fetches one release of a library, unless it is there; gives its folder, with a compilation database.
///
/// Each release has a package of its own: cargo refuses two versions of a crate that links a C library.
pub fn release(library: &Library, version: &str, inside: &str) -> Result<PathBuf> {
    let folder = target().join("real-code/releases");
    let to = folder.join(format!("{}-{version}", library.name));
    if !to.exists() {
        let vendor = unpack(&folder, &manifest_of([(library.package, version)]))?;
        let own = vendor.join(format!("{}-{version}", library.package));
        // Copied beside it and renamed, so that an interrupted copy is not taken for the release.
        let part = folder.join("part");
        remove(&part)?;
        copy_c(&own.join(inside), &part)?;
        fs::rename(&part, &to).with_context(|| to.display().to_string())?;
        remove(&vendor)?;
    }
    write_database(library, &to)?;
    Ok(to)
}

/// Has cargo unpack the crates of a manifest; gives the folder with one folder for each crate.
fn unpack(folder: &Path, manifest: &str) -> Result<PathBuf> {
    let package = folder.join("fetch");
    remove(&package)?;
    write(&package.join("Cargo.toml"), manifest)?;
    write(&package.join("src/lib.rs"), "")?;
    let vendor = folder.join("vendor");
    remove(&vendor)?;
    let mut unpack = cargo(&["vendor", "--quiet", "--versioned-dirs"]);
    unpack.current_dir(&package).arg(&vendor).stdout(std::process::Stdio::null());
    run(&mut unpack)?;
    Ok(vendor)
}

fn manifest() -> String {
    manifest_of(LIBRARIES.iter().map(|library| (library.package, library.version)))
}

/// A package that depends on the crates. An empty `[workspace]`: it is none of ours.
fn manifest_of<'a>(crates: impl IntoIterator<Item = (&'a str, &'a str)>) -> String {
    let mut text = String::from(
        "[workspace]\n\n[package]\nname = \"real-code\"\nversion = \"0.0.0\"\nedition = \"2024\"\n\n\
         [dependencies]\n",
    );
    for (package, version) in crates {
        // The part after `+` is not part of what cargo compares.
        let version = version.split('+').next().unwrap_or_default();
        text.push_str(&format!(
            "{package} = {{ version = \"={version}\", default-features = false }}\n"
        ));
    }
    text
}

/// The C files of a library, relative to its folder, in order.
pub fn files(library: &Library, folder: &Path) -> Result<Vec<String>> {
    let mut files = Vec::new();
    for part in library.parts {
        let path = folder.join(part);
        for entry in fs::read_dir(&path).with_context(|| path.display().to_string())? {
            let name = entry?.file_name().to_string_lossy().into_owned();
            if name.ends_with(".c") && !library.without.contains(&name.as_str()) {
                files.push(if part.is_empty() { name } else { format!("{part}/{name}") });
            }
        }
    }
    files.sort();
    Ok(files)
}

fn write_database(library: &Library, folder: &Path) -> Result<()> {
    let mut entries = Vec::new();
    for file in files(library, folder)? {
        let mut arguments = vec!["clang", "-w"];
        arguments.extend(library.flags);
        arguments.extend(["-c", file.as_str()]);
        entries.push(json!({"directory": ".", "file": file, "arguments": arguments}));
    }
    write(&folder.join("compile_commands.json"), &serde_json::to_string_pretty(&entries)?)
}

/// Copies C sources and headers, folders included.
fn copy_c(from: &Path, to: &Path) -> Result<()> {
    for entry in fs::read_dir(from).with_context(|| from.display().to_string())? {
        let entry = entry?;
        let (path, target) = (entry.path(), to.join(entry.file_name()));
        if entry.file_type()?.is_dir() {
            copy_c(&path, &target)?;
        } else if path.extension().is_some_and(|e| e == "c" || e == "h") {
            fs::create_dir_all(to)?;
            fs::copy(&path, &target).with_context(|| path.display().to_string())?;
        }
    }
    Ok(())
}

fn write(path: &Path, content: &str) -> Result<()> {
    if let Some(parent) = path.parent() {
        fs::create_dir_all(parent)?;
    }
    fs::write(path, content).with_context(|| path.display().to_string())
}

fn remove(folder: &Path) -> Result<()> {
    if folder.exists() {
        fs::remove_dir_all(folder).with_context(|| folder.display().to_string())?;
    }
    Ok(())
}
