//! Which files differ between two sides, renames followed as `git diff -M` does.

use crate::error::RevisionError;
use crate::request::{Endpoint, Repository, Span};
use crate::snapshot::Snapshot;
use git2::{Delta, DiffFindOptions, DiffOptions, Oid, Pathspec, PathspecFlags, Tree};

/// A file that differs: its path on each side that has it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// In the old side; not there if the file was added.
    pub old: Option<String>,
    /// In the new side; not there if the file was deleted.
    pub new: Option<String>,
}

/// All changed files, within the paths of the span or not: what is compared may call what changed elsewhere.
pub fn changes(
    repository: &Repository,
    span: &Span,
    old: &Snapshot,
    new: &Snapshot,
) -> Result<Vec<Change>, RevisionError> {
    let git = &repository.git;
    let mut options = DiffOptions::new();
    options.ignore_filemode(true);
    let before = tree(git, &span.old)?;
    let mut diff = match &span.new {
        Endpoint::Commit { id, .. } => {
            let after = commit_tree(git, *id)?;
            git.diff_tree_to_tree(before.as_ref(), Some(&after), Some(&mut options))?
        }
        Endpoint::Index => git.diff_tree_to_index(before.as_ref(), None, Some(&mut options))?,
        Endpoint::WorkTree => {
            git.diff_tree_to_workdir_with_index(before.as_ref(), Some(&mut options))?
        }
    };
    diff.find_similar(Some(DiffFindOptions::new().renames(true).rename_limit(1000)))?;
    let mut found = vec![];
    for delta in diff.deltas() {
        let text = |file: git2::DiffFile<'_>| Some(file.path()?.to_str()?.to_owned());
        let (from, to) = (text(delta.old_file()), text(delta.new_file()));
        let is_module = |file: git2::DiffFile<'_>| file.mode() == git2::FileMode::Commit;
        if is_module(delta.old_file()) || is_module(delta.new_file()) {
            if let Some(path) = to.or(from) {
                found.extend(inside_submodule(&path, old, new));
            }
            continue;
        }
        match delta.status() {
            Delta::Added | Delta::Copied => found.push(Change { old: None, new: to }),
            Delta::Deleted => found.push(Change { old: from, new: None }),
            Delta::Modified | Delta::Renamed | Delta::Typechange | Delta::Conflicted => {
                found.push(Change { old: from.or_else(|| to.clone()), new: to });
            }
            Delta::Unmodified | Delta::Ignored | Delta::Untracked | Delta::Unreadable => {}
        }
    }
    Ok(found)
}

/// Those within the paths of the span: what the user asked for.
pub fn within(span: &Span, changes: &[Change]) -> Result<Vec<Change>, RevisionError> {
    if span.paths.is_empty() || span.paths.iter().any(String::is_empty) {
        return Ok(changes.to_vec());
    }
    let within = Pathspec::new(&span.paths)?;
    let matches = |path: &Option<String>| {
        path.as_ref().is_some_and(|path| within.matches_path(path.as_ref(), PathspecFlags::DEFAULT))
    };
    let asked = |change: &&Change| matches(&change.old) || matches(&change.new);
    Ok(changes.iter().filter(asked).cloned().collect())
}

/// The files of a submodule that differ, by name.
fn inside_submodule(path: &str, old: &Snapshot, new: &Snapshot) -> Vec<Change> {
    let prefix = format!("{path}/");
    let inside = |side: &Snapshot| -> Vec<String> {
        side.paths().filter(|p| p.starts_with(&prefix)).map(str::to_owned).collect()
    };
    let mut all = inside(old);
    all.extend(inside(new));
    all.sort();
    all.dedup();
    let one = |path: String| Change {
        old: old.has(&path).then(|| path.clone()),
        new: new.has(&path).then_some(path),
    };
    all.into_iter().filter(|path| !old.same(new, path)).map(one).collect()
}

fn tree<'a>(git: &'a git2::Repository, side: &Endpoint) -> Result<Option<Tree<'a>>, RevisionError> {
    match side {
        Endpoint::Commit { id, .. } => Ok(Some(commit_tree(git, *id)?)),
        // Only a new side is no commit.
        Endpoint::Index | Endpoint::WorkTree => Ok(None),
    }
}

fn commit_tree(git: &git2::Repository, id: Oid) -> Result<Tree<'_>, RevisionError> {
    Ok(git.find_commit(id)?.tree()?)
}
