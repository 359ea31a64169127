//! What the user asked for: `REV`, `REV REV2`, `A..B`, `A...B`, `--cached` and paths, as `git diff` reads them.

use crate::error::RevisionError;
use git2::{ErrorCode, Oid};
use std::path::{Component, Path, PathBuf};

/// A repository that is only read.
pub struct Repository {
    pub(crate) git: git2::Repository,
}

/// The arguments of `verdiff git`.
#[derive(Clone, Debug, Default)]
pub struct Request {
    /// Revisions, then paths.
    pub arguments: Vec<String>,
    /// What stood behind `--`, if that was there: paths.
    pub paths: Option<Vec<String>>,
    /// Compare with the index instead of the working tree.
    pub cached: bool,
}

/// What is compared.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Span {
    /// The old side.
    pub old: Endpoint,
    /// The new side.
    pub new: Endpoint,
    /// Only changes of these paths, from the root of the repository; all if it is empty.
    pub paths: Vec<String>,
}

/// One side of a comparison.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Endpoint {
    /// A commit.
    Commit {
        /// What the user called it.
        name: String,
        /// Which.
        id: Oid,
    },
    /// The index: what is staged.
    Index,
    /// The tracked files as they are on disk.
    WorkTree,
}

impl Endpoint {
    /// For people: `HEAD~1 (1f2e3d4)`, `the working tree`.
    pub fn describe(&self) -> String {
        match self {
            Endpoint::Commit { name, id } => {
                let id = id.to_string();
                let short = &id[..7.min(id.len())];
                match id.starts_with(name.as_str()) {
                    true => short.to_owned(),
                    false => format!("{name} ({short})"),
                }
            }
            Endpoint::Index => "the index".to_owned(),
            Endpoint::WorkTree => "the working tree".to_owned(),
        }
    }
}

impl Repository {
    /// The repository that a folder is in, or that `GIT_DIR` names.
    pub fn discover(start: &Path) -> Result<Repository, RevisionError> {
        let found = match std::env::var_os("GIT_DIR") {
            Some(_) => git2::Repository::open_from_env(),
            None => git2::Repository::discover(start),
        };
        match found {
            Ok(git) => Ok(Repository { git }),
            Err(error) if error.code() == ErrorCode::NotFound => {
                Err(RevisionError::NoRepository { path: start.to_path_buf() })
            }
            Err(error) => Err(error.into()),
        }
    }

    /// The folder of the working tree; none if the repository is bare.
    pub fn work_tree(&self) -> Option<&Path> {
        self.git.workdir()
    }

    /// Both sides of what was asked for. Paths are relative to `start`.
    pub fn resolve(&self, request: &Request, start: &Path) -> Result<Span, RevisionError> {
        let mut sides: Vec<Endpoint> = vec![];
        let mut range = None;
        let mut paths = vec![];
        let mut arguments = request.arguments.iter();
        for name in arguments.by_ref() {
            if let Some((from, to)) = self.range(name)? {
                if range.is_some() || !sides.is_empty() {
                    return Err(RevisionError::RangeAndMore { name: name.clone() });
                }
                range = Some(name.clone());
                sides = vec![from, to];
                continue;
            }
            let commit = self.commit(name);
            let is_path = request.paths.is_none() && self.is_path(name, start);
            match commit {
                Ok(_) if is_path => return Err(RevisionError::Ambiguous { name: name.clone() }),
                Ok(_) if range.is_some() => {
                    return Err(RevisionError::RangeAndMore { name: range.unwrap_or_default() });
                }
                Ok(_) if sides.len() == 2 => {
                    return Err(RevisionError::TooMany { name: name.clone() });
                }
                Ok(side) => sides.push(side),
                Err(_) if is_path || self.was_path(name, start, &sides) => {
                    paths.push(name.clone());
                    break;
                }
                Err(error) => return Err(error),
            }
        }
        // The first path ends the revisions.
        paths.extend(arguments.cloned());
        paths.extend(request.paths.iter().flatten().cloned());
        let bare = self.git.is_bare();
        let (old, new) = match (request.cached, &sides[..]) {
            (true, [_, _]) => return Err(RevisionError::CachedAndTwo),
            (false, [old, new]) => (old.clone(), new.clone()),
            _ if bare => return Err(RevisionError::Bare),
            (cached, sides) => {
                let old = match sides.first() {
                    Some(old) => old.clone(),
                    None => self.commit("HEAD")?,
                };
                (old, if cached { Endpoint::Index } else { Endpoint::WorkTree })
            }
        };
        let paths = paths.iter().map(|path| self.path_in_repository(path, start)).collect();
        Ok(Span { old, new, paths })
    }

    fn commit(&self, name: &str) -> Result<Endpoint, RevisionError> {
        let object = match self.git.revparse_single(name) {
            Ok(object) => object,
            Err(_) if self.git.is_empty().unwrap_or(false) || self.is_unborn() => {
                return Err(RevisionError::NoCommit);
            }
            Err(_) if self.git.is_shallow() && name.contains(['~', '^', '@']) => {
                return Err(RevisionError::Shallow { name: name.to_owned() });
            }
            Err(_) => return Err(RevisionError::Unknown { name: name.to_owned() }),
        };
        match object.peel_to_commit() {
            Ok(commit) => Ok(Endpoint::Commit { name: name.to_owned(), id: commit.id() }),
            Err(_) => Err(RevisionError::NotACommit { name: name.to_owned() }),
        }
    }

    fn is_unborn(&self) -> bool {
        self.git.head().is_err_and(|error| error.code() == ErrorCode::UnbornBranch)
    }

    /// `A..B`, `A...B`, with an end that is left out meaning HEAD.
    fn range(&self, name: &str) -> Result<Option<(Endpoint, Endpoint)>, RevisionError> {
        let (from, to, from_base) = match (name.split_once("..."), name.split_once("..")) {
            (Some((from, to)), _) => (from, to, true),
            (None, Some((from, to))) => (from, to, false),
            (None, None) => return Ok(None),
        };
        // A path such as `../x.c` is no range.
        if from.is_empty() && to.starts_with('/') || from.ends_with('/') || to.contains("..") {
            return Ok(None);
        }
        let side = |name: &str| self.commit(if name.is_empty() { "HEAD" } else { name });
        let (from, to) = (side(from)?, side(to)?);
        let (
            Endpoint::Commit { id: a, name: from_name },
            Endpoint::Commit { id: b, name: to_name },
        ) = (&from, &to)
        else {
            return Ok(None);
        };
        if !from_base {
            return Ok(Some((from, to)));
        }
        match self.git.merge_base(*a, *b) {
            Ok(id) => {
                let name = format!("merge base of {from_name} and {to_name}");
                Ok(Some((Endpoint::Commit { name, id }, to)))
            }
            Err(_) if self.git.is_shallow() => {
                Err(RevisionError::Shallow { name: name.to_owned() })
            }
            Err(_) => Err(RevisionError::NoMergeBase { name: name.to_owned() }),
        }
    }

    /// Whether there is such a file or folder on disk.
    fn is_path(&self, name: &str, start: &Path) -> bool {
        !self.git.is_bare() && start.join(name).symlink_metadata().is_ok()
    }

    /// Whether one of these revisions has such a file or folder.
    fn was_path(&self, name: &str, start: &Path, sides: &[Endpoint]) -> bool {
        let path = self.path_in_repository(name, start);
        let head = self.commit("HEAD").ok();
        let trees = sides.iter().chain(&head).filter_map(|side| match side {
            Endpoint::Commit { id, .. } => self.git.find_commit(*id).ok()?.tree().ok(),
            _ => None,
        });
        trees.into_iter().any(|tree| tree.get_path(Path::new(&path)).is_ok())
    }

    /// A path as the repository has it.
    fn path_in_repository(&self, path: &str, start: &Path) -> String {
        let whole = normalised(&start.join(path));
        let root = self.git.workdir().map(|root| root.canonicalize().unwrap_or(root.to_path_buf()));
        let inside = root.and_then(|root| Some(whole.strip_prefix(root).ok()?.to_path_buf()));
        let inside = inside.unwrap_or_else(|| normalised(Path::new(path)));
        inside.to_string_lossy().into_owned()
    }
}

/// A path without `.` and `..`, by its letters alone.
pub(crate) fn normalised(path: &Path) -> PathBuf {
    let mut clean = PathBuf::new();
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir if clean.file_name().is_some() => {
                clean.pop();
            }
            other => clean.push(other),
        }
    }
    clean
}
