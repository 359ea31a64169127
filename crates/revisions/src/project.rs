//! Both sides of a comparison, ready to be loaded: the files that matter, written, compiled and paired.

use crate::changes::{changes, within};
use crate::checkout;
use crate::commands::Commands;
use crate::definitions::definitions;
use crate::error::RevisionError;
use crate::guess;
use crate::headers::{self, headers_below};
use crate::includes::Includes;
use crate::linking::{Candidates, Linked};
use crate::note::Note;
use crate::request::{Repository, Span};
use crate::select::{Selected, generated, recompiled, select};
use crate::snapshot::Snapshot;
use crate::user_build;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tempfile::TempDir;
use verdiff_cache::Store;
use verdiff_front::{Deadline, FrontError, Unit, compilation_database, compile_units};

/// How a project is compared.
#[derive(Clone, Debug, Default)]
pub struct ProjectOptions {
    /// All C files, and not only those that a change reaches.
    pub all: bool,
    /// Where flags come from.
    pub flags: Flags,
    /// Further flags for clang, for every file.
    pub further: Vec<String>,
    /// Until when builds and compilers may take.
    pub deadline: Deadline,
    /// What earlier runs have compiled.
    pub store: Option<Arc<Store>>,
}

/// Where flags come from.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Flags {
    /// A compilation database, if the working tree or a revision has one; otherwise they are guessed.
    #[default]
    Automatic,
    /// This compilation database, or the one in this folder.
    Database(PathBuf),
    /// Recorded from this command, run in a private copy of each revision.
    Build(String),
}

/// What there is to compare.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Selection {
    /// Some files.
    Files,
    /// Nothing: no file differs.
    NoChange,
    /// Nothing: no file that differs belongs to C code.
    NoCodeChanged,
}

/// A file that does not compile, so that it is not compared.
#[derive(Clone, Debug)]
pub struct Failure {
    /// Its path.
    pub file: String,
    /// Which revision's.
    pub revision: String,
    /// What clang said.
    pub diagnostics: String,
}

/// Both sides, compiled. The private folder is removed when this is dropped.
pub struct Project {
    /// What there is.
    pub selection: Selection,
    /// The old side's translation units.
    pub old: Vec<Unit>,
    /// The new side's.
    pub new: Vec<Unit>,
    /// For each side, units that changed outside of the paths that were asked for: the others may call them.
    pub beside: [Vec<Unit>; 2],
    /// Files that did not change and define what the others call; of both sides.
    pub linked: Vec<Unit>,
    /// What the project defines in files that are linked on neither side: nobody knows whether it does the same in both.
    pub unlinked: BTreeSet<String>,
    /// Files that are left out.
    pub failures: Vec<Failure>,
    /// What the user should know about how this was done.
    pub notes: Vec<Note>,
    folder: TempDir,
}

/// One side, while it is made.
pub(crate) struct Side {
    name: String,
    pub snapshot: Snapshot,
    folder: PathBuf,
    pub commands: Commands,
    /// Files that the build made.
    pub generated: BTreeSet<String>,
}

impl Side {
    /// The files that are compiled by themselves, as far as commands say so.
    fn units(&self) -> impl Iterator<Item = &str> {
        let recorded = !self.commands.is_empty();
        self.snapshot
            .paths()
            .filter(move |p| is_c(p) && (!recorded || self.commands.flags(p).is_some()))
    }

    fn unit(&self, path: &str, mut flags: Vec<String>, options: &ProjectOptions) -> Unit {
        flags.extend(options.further.iter().cloned());
        // What is wrong with the code is not the question here; the first errors are shown all the same.
        flags.extend(["-w", "-ferror-limit=3"].map(str::to_owned));
        // Other compilers only warn of these, so older code has them.
        flags.extend(TOLERATED.map(|what| format!("-Wno-error={what}")));
        Unit { file: path.into(), directory: Some(self.folder.clone()), flags, bitcode: None }
    }
}

/// What clang takes for an error by default though the meaning is clear.
const TOLERATED: [&str; 4] = [
    "implicit-function-declaration",
    "implicit-int",
    "int-conversion",
    "incompatible-function-pointer-types",
];

/// A translation unit: its path on each side that has it.
pub(crate) type Pair = (Option<String>, Option<String>);

impl Project {
    /// Makes everything ready.
    pub fn prepare(
        repository: &Repository,
        span: &Span,
        options: &ProjectOptions,
    ) -> Result<Project, RevisionError> {
        let folder = tempfile::Builder::new()
            .prefix("verdiff-")
            .tempdir()
            .map_err(RevisionError::system("cannot make a temporary folder"))?;
        let whole = folder.path().canonicalize().unwrap_or_else(|_| folder.path().to_path_buf());
        let side = |name: &str, endpoint| -> Result<Side, RevisionError> {
            Ok(Side {
                name: span_name(endpoint),
                snapshot: Snapshot::of(repository, endpoint)?,
                folder: whole.join(name),
                commands: Commands::default(),
                generated: BTreeSet::new(),
            })
        };
        let mut sides = [side("old", &span.old)?, side("new", &span.new)?];
        let mut project = Project {
            selection: Selection::Files,
            old: vec![],
            new: vec![],
            beside: [vec![], vec![]],
            linked: vec![],
            unlinked: BTreeSet::new(),
            failures: vec![],
            notes: vec![],
            folder,
        };
        if sides.iter().all(|side| !side.snapshot.paths().any(is_c)) {
            return Err(RevisionError::NoCode { revision: sides[1].name.clone() });
        }
        let mut changed = changes(repository, span, &sides[0].snapshot, &sides[1].snapshot)?;
        let mut asked = within(span, &changed)?;
        if asked.is_empty() && !options.all {
            project.selection = Selection::NoChange;
            return Ok(project);
        }
        project.note_submodules(&sides);
        match &options.flags {
            Flags::Build(command) => {
                project.build(command, &mut sides, &whole, options.deadline)?;
                let (made, recompiled) = (generated(&sides), recompiled(&sides));
                asked.extend(made.iter().cloned().chain(within(span, &recompiled)?));
                changed.extend(made.into_iter().chain(recompiled));
            }
            Flags::Database(path) => project.read_database(&mut sides, path)?,
            Flags::Automatic => {
                if let Some(path) = find_database(repository, &sides, &whole)? {
                    project.read_database(&mut sides, &path)?;
                }
            }
        }
        let guessed = sides.iter().all(|side| side.commands.is_empty());
        project.notes.extend(headers::complete(repository, &mut sides));
        let asked: BTreeSet<Pair> = select(&sides, &asked, options.all).pairs.into_iter().collect();
        let Selected { pairs, copies } = select(&sides, &changed, options.all);
        if asked.is_empty() {
            project.selection = Selection::NoCodeChanged;
            return Ok(project);
        }
        if guessed {
            project.notes.push(Note::GuessedFlags);
        }
        if !copies.is_empty() {
            project.notes.push(Note::Copies(copies.into_iter().collect()));
        }
        project.compile(&sides, &pairs, &asked, options)?;
        project.link(&sides, &pairs, options)?;
        Ok(project)
    }

    /// The text of a file of a side (0 is the old one), as it was compiled.
    pub fn read(&self, side: usize, path: &str) -> Option<String> {
        let name = if side == 0 { "old" } else { "new" };
        std::fs::read_to_string(self.folder.path().join(name).join(path)).ok()
    }

    fn note_submodules(&mut self, sides: &[Side; 2]) {
        let missing: BTreeSet<&String> =
            sides.iter().flat_map(|side| &side.snapshot.missing_submodules).collect();
        self.notes.extend(missing.into_iter().cloned().map(Note::MissingSubmodule));
    }

    /// Runs a build in a copy of each side. Both copies have the same path while they are built, so that what is generated does not differ by that.
    fn build(
        &mut self,
        command: &str,
        sides: &mut [Side; 2],
        folder: &Path,
        deadline: Deadline,
    ) -> Result<(), RevisionError> {
        let place = folder.join("build");
        for (number, side) in sides.iter_mut().enumerate() {
            checkout::write_all(&side.snapshot, &place)?;
            let built = user_build::run(
                command,
                &place,
                &folder.join(format!("records{number}")),
                deadline,
            )?;
            let revision = side.name.clone();
            if built.units.is_empty() {
                return Err(match built.status.success() {
                    true => RevisionError::NothingBuilt { revision },
                    false => RevisionError::Build {
                        revision,
                        status: built.status.to_string(),
                        output: built.output,
                    },
                });
            }
            if !built.status.success() {
                let said = built.output.lines().last().unwrap_or_default().to_owned();
                let status = built.status.to_string();
                self.notes.push(Note::BuildFailed { revision, status, said });
            }
            let files: BTreeSet<&str> = side.snapshot.paths().collect();
            side.commands = Commands::of(&built.units, &files);
            std::fs::rename(&place, &side.folder)
                .map_err(RevisionError::system("cannot move a temporary folder"))?;
            for path in headers_below(&side.folder) {
                if !side.snapshot.has(&path) {
                    side.snapshot.borrow(&path, &side.folder.join(&path));
                    side.generated.insert(path);
                }
            }
        }
        Ok(())
    }

    fn read_database(&mut self, sides: &mut [Side; 2], path: &Path) -> Result<(), RevisionError> {
        let path = match path.is_dir() {
            true => path.join("compile_commands.json"),
            false => path.to_path_buf(),
        };
        if !path.is_file() {
            return Err(RevisionError::NoDatabase { path });
        }
        let path = std::path::absolute(&path).unwrap_or(path);
        let units = compilation_database(&path)?;
        for side in &mut *sides {
            let files: BTreeSet<&str> = side.snapshot.paths().collect();
            side.commands = Commands::of(&units, &files);
        }
        if sides.iter().all(|side| side.commands.is_empty()) {
            self.notes.push(Note::EmptyDatabase(path.display().to_string()));
        }
        Ok(())
    }

    /// Notes what does not compile; once, if neither side does.
    fn note_failures(
        &mut self,
        sides: &[Side; 2],
        results: [Option<&Result<Unit, FrontError>>; 2],
    ) {
        let failures: Vec<Failure> = sides
            .iter()
            .zip(results)
            .filter_map(|(side, result)| Some(failure(side, result?.as_ref().err()?)))
            .collect();
        match &failures[..] {
            [_, new] => self
                .failures
                .push(Failure { revision: "either revision".to_owned(), ..new.clone() }),
            _ => self.failures.extend(failures),
        }
    }

    /// Adds files that did not change and define what the others call. One that does not compile, or belongs to another
    /// program, is left out.
    fn link(
        &mut self,
        sides: &[Side; 2],
        pairs: &[Pair],
        options: &ProjectOptions,
    ) -> Result<(), RevisionError> {
        let side = &sides[1];
        let is_used = |path: &&str| {
            pairs.iter().any(|(old, new)| [old, new].iter().any(|p| p.as_deref() == Some(*path)))
        };
        let files: Vec<&str> =
            side.units().filter(|p| !is_used(p) && sides[0].snapshot.has(p)).collect();
        let mut includes = Includes::new(&side.snapshot);
        let parts = includes.parts(&files);
        let files: Vec<&str> = files.into_iter().filter(|path| !parts.contains(path)).collect();
        let mut linked =
            Linked::of(self.old.iter().chain(&self.new).chain(self.beside.iter().flatten()));
        let mut candidates = Candidates::of(&side.snapshot, &files);
        for round in 0.. {
            let next = candidates.next(&linked);
            if next.is_empty() {
                let left = candidates.left(&linked);
                self.unlinked.extend(left.iter().map(|name| (*name).to_owned()));
                self.unlinked.retain(|name| !linked.defines(name));
                if !left.is_empty() {
                    let left = left.iter().map(|name| (*name).to_owned()).collect();
                    self.notes.push(Note::Unlinked(left));
                }
                break;
            }
            let all = includes.closure(next.iter().copied());
            checkout::write(&side.snapshot, all, &side.folder)?;
            let mut units = vec![];
            for path in next {
                let flags = match side.commands.flags(path) {
                    Some(flags) => flags.to_vec(),
                    None => guess::flags(&side.snapshot, &mut includes, path),
                };
                units.push(side.unit(path, flags, options));
            }
            let bitcode = self.folder.path().join(format!("linked{round}"));
            std::fs::create_dir_all(&bitcode)
                .map_err(RevisionError::system("cannot make a temporary folder"))?;
            let mut compiled =
                compile_units(&units, &bitcode, options.deadline, options.store.as_deref())?;
            without_unknown_flags(&mut compiled, &units, &bitcode, options)?;
            for unit in compiled.into_iter().flatten() {
                if linked.take(&unit) {
                    self.linked.push(unit);
                }
            }
        }
        Ok(())
    }

    /// Writes and compiles the units of both sides. One that fails is left out on both, and so is whatever uses what it defines.
    fn compile(
        &mut self,
        sides: &[Side; 2],
        pairs: &[Pair],
        asked: &BTreeSet<Pair>,
        options: &ProjectOptions,
    ) -> Result<(), RevisionError> {
        let mut all: Vec<Unit> = vec![];
        let mut places: Vec<[Option<usize>; 2]> = vec![[None, None]; pairs.len()];
        for (number, side) in sides.iter().enumerate() {
            let mut includes = Includes::new(&side.snapshot);
            let own = |pair: &Pair| match number {
                0 => pair.0.clone(),
                _ => pair.1.clone(),
            };
            let paths: Vec<Option<&str>> =
                pairs.iter().map(|pair| side.snapshot.key(&own(pair)?)).collect();
            let by_flags = side.commands.included_by_flags();
            let roots = by_flags.iter().filter_map(|path| side.snapshot.key(path));
            let roots: Vec<&str> = roots.chain(paths.iter().flatten().copied()).collect();
            let files = includes.closure(roots);
            checkout::write(&side.snapshot, files, &side.folder)?;
            for (index, (pair, path)) in pairs.iter().zip(paths).enumerate() {
                let Some(path) = path else { continue };
                let known = side.commands.flags(path);
                let like = || {
                    let other = if number == 0 { pair.1.as_deref() } else { pair.0.as_deref() };
                    other
                        .and_then(|other| side.commands.flags(other))
                        .or_else(|| side.commands.flags_like(path))
                };
                let flags = match known.or_else(like) {
                    Some(flags) => flags.to_vec(),
                    None => guess::flags(&side.snapshot, &mut includes, path),
                };
                places[index][number] = Some(all.len());
                all.push(side.unit(path, flags, options));
            }
        }
        let bitcode = self.folder.path().join("bitcode");
        std::fs::create_dir_all(&bitcode)
            .map_err(RevisionError::system("cannot make a temporary folder"))?;
        let bitcode = bitcode.canonicalize().unwrap_or(bitcode);
        let mut compiled: Vec<Result<Unit, FrontError>> =
            compile_units(&all, &bitcode, options.deadline, options.store.as_deref())?;
        without_unknown_flags(&mut compiled, &all, &bitcode, options)?;
        for (pair, place) in pairs.iter().zip(&places) {
            let asked = asked.contains(pair);
            if asked {
                self.note_failures(sides, place.map(|index| index.map(|index| &compiled[index])));
            }
            let results = place.map(|index| index.map(|index| &compiled[index]));
            if results.iter().flatten().any(|result| result.is_err()) {
                for (side, path) in sides.iter().zip([&pair.0, &pair.1]) {
                    let text = path.as_ref().and_then(|path| side.snapshot.read(path));
                    let text = String::from_utf8_lossy(&text.unwrap_or_default()).into_owned();
                    self.unlinked.extend(definitions(&text).into_iter().map(str::to_owned));
                }
                continue;
            }
            let [old, new] = results.map(|result| result.and_then(|r| r.as_ref().ok()).cloned());
            match asked {
                true => {
                    self.old.extend(old);
                    self.new.extend(new);
                }
                false => {
                    self.beside[0].extend(old);
                    self.beside[1].extend(new);
                }
            }
        }
        Ok(())
    }
}

fn span_name(endpoint: &crate::request::Endpoint) -> String {
    endpoint.describe()
}

pub(crate) fn is_c(path: &str) -> bool {
    path.ends_with(".c")
}

fn failure(side: &Side, error: &FrontError) -> Failure {
    let (file, diagnostics) = match error {
        FrontError::DoesNotCompile { path, diagnostics } => {
            (path.display().to_string(), diagnostics.clone())
        }
        other => (String::new(), other.to_string()),
    };
    let folder = format!("{}/", side.folder.display());
    Failure { file, revision: side.name.clone(), diagnostics: diagnostics.replace(&folder, "") }
}

/// Compiles again what clang refused only because of flags that it does not know: the project may be built with another compiler.
fn without_unknown_flags(
    compiled: &mut [Result<Unit, FrontError>],
    units: &[Unit],
    folder: &Path,
    options: &ProjectOptions,
) -> Result<(), RevisionError> {
    let mut again: Vec<(usize, Unit)> = vec![];
    for (index, result) in compiled.iter().enumerate() {
        let Err(FrontError::DoesNotCompile { diagnostics, .. }) = result else { continue };
        let unknown: Vec<&str> = diagnostics
            .lines()
            .filter_map(|line| {
                let rest = line
                    .split_once("unknown argument: '")
                    .or_else(|| line.split_once("unsupported option '"))?;
                rest.1.split('\'').next()
            })
            .collect();
        if !unknown.is_empty() {
            let mut unit = units[index].clone();
            unit.flags.retain(|flag| !unknown.contains(&flag.as_str()));
            again.push((index, unit));
        }
    }
    let (places, units): (Vec<usize>, Vec<Unit>) = again.into_iter().unzip();
    let folder = folder.join("again");
    std::fs::create_dir_all(&folder)
        .map_err(RevisionError::system("cannot make a temporary folder"))?;
    let results = compile_units(&units, &folder, options.deadline, options.store.as_deref())?;
    for (place, result) in places.into_iter().zip(results) {
        compiled[place] = result;
    }
    Ok(())
}

/// A compilation database of the working tree or of one of the revisions.
fn find_database(
    repository: &Repository,
    sides: &[Side; 2],
    folder: &Path,
) -> Result<Option<PathBuf>, RevisionError> {
    const NAME: &str = "compile_commands.json";
    if let Some(root) = repository.git.workdir() {
        let builds = ["", "build", "builddir", "out", "_build", "cmake-build-debug"];
        let found =
            builds.iter().map(|place| root.join(place).join(NAME)).find(|path| path.is_file());
        if found.is_some() {
            return Ok(found);
        }
    }
    for (number, side) in sides.iter().enumerate().rev() {
        if let Some(text) = side.snapshot.read(NAME) {
            let path = folder.join(format!("database{number}.json"));
            std::fs::write(&path, text)
                .map_err(RevisionError::system("cannot write a temporary file"))?;
            return Ok(Some(path));
        }
    }
    Ok(None)
}
