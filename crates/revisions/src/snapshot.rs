//! The files of one side: of a commit, of the index, or of the working tree, submodules included.

use crate::error::RevisionError;
use crate::request::{Endpoint, Repository};
use git2::{ObjectType, Oid, TreeWalkMode, TreeWalkResult};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The files of one side, by their paths from the root of the repository. Contents are read when they are needed.
pub struct Snapshot {
    files: BTreeMap<String, File>,
    /// The repository and its submodules.
    repositories: Vec<git2::Repository>,
    /// Submodules whose commit is not here, so that their files are missing.
    pub missing_submodules: Vec<String>,
}

/// Where a file's contents are, and what kind of file it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct File {
    source: FileSource,
    pub executable: bool,
    pub link: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum FileSource {
    /// In the repository with this index.
    Blob(usize, Oid),
    Disk(PathBuf),
    /// Made here.
    Made(Vec<u8>),
}

/// The file mode bits of git.
const KIND: i32 = 0o170_000;
const LINK: i32 = 0o120_000;
const SUBMODULE: i32 = 0o160_000;

impl Snapshot {
    /// The files of one side.
    pub fn of(repository: &Repository, side: &Endpoint) -> Result<Snapshot, RevisionError> {
        let own = git2::Repository::open(repository.git.path())?;
        if let Some(folder) = repository.git.workdir() {
            own.set_workdir(folder, false)?;
        }
        let mut snapshot = Snapshot {
            files: BTreeMap::new(),
            repositories: vec![own],
            missing_submodules: vec![],
        };
        match side {
            Endpoint::Commit { id, .. } => snapshot.add_commit(0, "", *id)?,
            Endpoint::Index => snapshot.add_index(0, "", false)?,
            Endpoint::WorkTree => snapshot.add_index(0, "", true)?,
        }
        Ok(snapshot)
    }

    fn add_commit(
        &mut self,
        repository: usize,
        prefix: &str,
        id: Oid,
    ) -> Result<(), RevisionError> {
        let mut found: Vec<(String, i32, Oid)> = vec![];
        let tree = self.repositories[repository].find_commit(id)?.tree()?;
        tree.walk(TreeWalkMode::PreOrder, |folder, entry| {
            if let Some(name) = entry.name()
                && entry.kind() != Some(ObjectType::Tree)
            {
                found.push((format!("{prefix}{folder}{name}"), entry.filemode(), entry.id()));
            }
            TreeWalkResult::Ok
        })?;
        drop(tree);
        for (path, mode, id) in found {
            match mode & KIND == SUBMODULE {
                true => self.add_submodule(repository, prefix, &path, Some(id))?,
                false => self.add(path, mode, FileSource::Blob(repository, id)),
            }
        }
        Ok(())
    }

    fn add_index(
        &mut self,
        repository: usize,
        prefix: &str,
        on_disk: bool,
    ) -> Result<(), RevisionError> {
        let git = &self.repositories[repository];
        let folder = git.workdir().map(Path::to_path_buf);
        let entries: Vec<(String, i32, Oid)> = git
            .index()?
            .iter()
            .map(|entry| {
                let path = String::from_utf8_lossy(&entry.path).into_owned();
                (path, i32::try_from(entry.mode).unwrap_or(0), entry.id)
            })
            .collect();
        for (path, mode, id) in entries {
            let whole = format!("{prefix}{path}");
            if mode & KIND == SUBMODULE {
                self.add_submodule(repository, prefix, &whole, (!on_disk).then_some(id))?;
                continue;
            }
            let source = match (&folder, on_disk) {
                (Some(folder), true) => {
                    let path = folder.join(&path);
                    if path.symlink_metadata().is_err() {
                        continue;
                    }
                    FileSource::Disk(path)
                }
                _ => FileSource::Blob(repository, id),
            };
            self.add(whole, mode, source);
        }
        Ok(())
    }

    /// A submodule at a commit, or as it is on disk. One that is not here is noted.
    fn add_submodule(
        &mut self,
        parent: usize,
        prefix: &str,
        path: &str,
        id: Option<Oid>,
    ) -> Result<(), RevisionError> {
        let inside = path.strip_prefix(prefix).unwrap_or(path);
        let git = &self.repositories[parent];
        let on_disk = git.workdir().map(|folder| folder.join(inside));
        let module = git.path().join("modules").join(inside);
        let places = on_disk.into_iter().chain([module]);
        let here = |place: PathBuf| {
            let found = git2::Repository::open(place).ok()?;
            id.is_none_or(|id| found.find_commit(id).is_ok()).then_some(found)
        };
        let Some(found) = places.into_iter().find_map(here) else {
            self.missing_submodules.push(path.to_owned());
            return Ok(());
        };
        self.repositories.push(found);
        let index = self.repositories.len() - 1;
        let prefix = format!("{path}/");
        match id {
            Some(id) => self.add_commit(index, &prefix, id),
            None => self.add_index(index, &prefix, true),
        }
    }

    fn add(&mut self, path: String, mode: i32, source: FileSource) {
        let (link, executable) = (mode & KIND == LINK, mode & 0o111 != 0);
        self.files.insert(path, File { source, executable, link });
    }

    /// Adds a file that is on disk, where there is none of that name.
    pub(crate) fn borrow(&mut self, path: &str, disk: &Path) {
        let file =
            File { source: FileSource::Disk(disk.to_path_buf()), executable: false, link: false };
        self.files.entry(path.to_owned()).or_insert(file);
    }

    /// Adds a file that was made, where there is none of that name.
    pub(crate) fn make(&mut self, path: &str, text: Vec<u8>) {
        let file = File { source: FileSource::Made(text), executable: false, link: false };
        self.files.entry(path.to_owned()).or_insert(file);
    }

    /// All paths, in order.
    pub fn paths(&self) -> impl Iterator<Item = &str> {
        self.files.keys().map(String::as_str)
    }

    /// Whether there is such a file.
    pub fn has(&self, path: &str) -> bool {
        self.files.contains_key(path)
    }

    /// The path as this side has it.
    pub(crate) fn key(&self, path: &str) -> Option<&str> {
        self.files.get_key_value(path).map(|(path, _)| path.as_str())
    }

    pub(crate) fn file(&self, path: &str) -> Option<&File> {
        self.files.get(path)
    }

    /// What a file contains; of a link, what it leads to within this side.
    pub fn read(&self, path: &str) -> Option<Vec<u8>> {
        let mut path = path.to_owned();
        for _ in 0..8 {
            let file = self.files.get(&path)?;
            let text = self.raw(file)?;
            if !file.link {
                return Some(text);
            }
            let target = String::from_utf8(text).ok()?;
            let folder = Path::new(&path).parent().unwrap_or(Path::new(""));
            let target = crate::request::normalised(&folder.join(target));
            path = target.to_str()?.to_owned();
        }
        None
    }

    /// What a file contains; of a link, its target.
    pub(crate) fn raw(&self, file: &File) -> Option<Vec<u8>> {
        match &file.source {
            FileSource::Blob(repository, id) => {
                Some(self.repositories[*repository].find_blob(*id).ok()?.content().to_vec())
            }
            FileSource::Disk(path) if file.link => {
                let target = std::fs::read_link(path).ok()?;
                Some(target.to_str()?.as_bytes().to_vec())
            }
            FileSource::Disk(path) => std::fs::read(path).ok(),
            FileSource::Made(text) => Some(text.clone()),
        }
    }

    /// Whether both sides have the same file under this name.
    pub fn same(&self, other: &Snapshot, path: &str) -> bool {
        match (self.files.get(path), other.files.get(path)) {
            (Some(a), Some(b)) if a.link == b.link => match (&a.source, &b.source) {
                (FileSource::Blob(_, a), FileSource::Blob(_, b)) => a == b,
                _ => self.raw(a).is_some_and(|text| Some(text) == other.raw(b)),
            },
            (a, b) => a.is_none() && b.is_none(),
        }
    }
}
