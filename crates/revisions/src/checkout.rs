//! Files of a revision, written to a private folder.

use crate::error::RevisionError;
use crate::request::normalised;
use crate::snapshot::Snapshot;
use std::os::unix::fs::PermissionsExt;
use std::path::{Component, Path};

/// Writes some files. A link becomes a copy of what it leads to.
pub fn write<'a>(
    snapshot: &Snapshot,
    paths: impl IntoIterator<Item = &'a str>,
    folder: &Path,
) -> Result<(), RevisionError> {
    for path in paths.into_iter().filter(|path| is_inside(path)) {
        let Some(text) = snapshot.read(path) else { continue };
        put(&folder.join(path), &text)?;
    }
    Ok(())
}

/// Writes all files, as a build expects them: links are links, scripts can be run.
pub fn write_all(snapshot: &Snapshot, folder: &Path) -> Result<(), RevisionError> {
    for path in snapshot.paths().filter(|path| is_inside(path)) {
        let Some(file) = snapshot.file(path) else { continue };
        let place = folder.join(path);
        let Some(text) = snapshot.raw(file) else { continue };
        if file.link {
            let target = String::from_utf8_lossy(&text).into_owned();
            let within =
                normalised(&Path::new(path).parent().unwrap_or(Path::new("")).join(&target));
            // A link out of the repository leads elsewhere from here.
            if !Path::new(&target).is_absolute() && within.to_str().is_some_and(is_inside) {
                make_folder(&place)?;
                std::os::unix::fs::symlink(&target, &place).map_err(RevisionError::system(path))?;
            }
            continue;
        }
        put(&place, &text)?;
        if file.executable {
            std::fs::set_permissions(&place, std::fs::Permissions::from_mode(0o755))
                .map_err(RevisionError::system(path))?;
        }
    }
    Ok(())
}

/// Whether a path stays within its folder: a tree object can be made to say anything.
fn is_inside(path: &str) -> bool {
    let plain = |part: Component<'_>| matches!(part, Component::Normal(name) if name != ".git");
    !path.is_empty() && Path::new(path).components().all(plain)
}

fn put(place: &Path, text: &[u8]) -> Result<(), RevisionError> {
    make_folder(place)?;
    std::fs::write(place, text)
        .map_err(RevisionError::system(format!("cannot write {}", place.display())))
}

fn make_folder(place: &Path) -> Result<(), RevisionError> {
    let Some(folder) = place.parent() else { return Ok(()) };
    std::fs::create_dir_all(folder)
        .map_err(RevisionError::system(format!("cannot make {}", folder.display())))
}

#[cfg(test)]
mod tests {
    use super::is_inside;

    #[test]
    fn nothing_is_written_outside_of_the_folder() {
        assert!(is_inside("src/a.c"));
        for path in ["", "/etc/passwd", "../a.c", "a/../../b.c", ".git/hooks/x"] {
            assert!(!is_inside(path), "{path}");
        }
    }
}
