//! Both sides of a comparison, ready to be loaded: the files that matter, written, compiled and paired.

use crate::build;
use crate::changes::{Change, changes};
use crate::checkout;
use crate::commands::Commands;
use crate::config::from_template;
use crate::error::RevisionError;
use crate::guess;
use crate::includes::{Includes, may_be_included};
use crate::request::{Repository, Span};
use crate::snapshot::Snapshot;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use tempfile::TempDir;
use verdiff_front::{Deadline, FrontError, Unit, compilation_database, compile_units};

/// How a project is compared.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// All C files, and not only those that a change reaches.
    pub all: bool,
    /// Where flags come from.
    pub flags: Flags,
    /// Further flags for clang, for every file.
    pub further: Vec<String>,
    /// Until when builds and compilers may take.
    pub deadline: Deadline,
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
    /// Files that are left out.
    pub failures: Vec<Failure>,
    /// What the user should know about how this was done.
    pub notes: Vec<String>,
    folder: TempDir,
}

/// One side, while it is made.
struct Side {
    name: String,
    snapshot: Snapshot,
    folder: PathBuf,
    commands: Commands,
    /// Files that the build made.
    generated: BTreeSet<String>,
}

/// A translation unit: its path on each side that has it.
type Pair = (Option<String>, Option<String>);

impl Project {
    /// Makes everything ready.
    pub fn prepare(
        repository: &Repository,
        span: &Span,
        options: &Options,
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
            failures: vec![],
            notes: vec![],
            folder,
        };
        if sides.iter().all(|side| !side.snapshot.paths().any(is_c)) {
            return Err(RevisionError::NoCode { revision: sides[1].name.clone() });
        }
        let mut changed = changes(repository, span, &sides[0].snapshot, &sides[1].snapshot)?;
        if changed.is_empty() && !options.all {
            project.selection = Selection::NoChange;
            return Ok(project);
        }
        project.note_submodules(&sides);
        match &options.flags {
            Flags::Build(command) => {
                project.build(command, &mut sides, &whole, options.deadline)?;
                changed.extend(generated(&sides));
            }
            Flags::Database(path) => project.read_database(&mut sides, path)?,
            Flags::Automatic => {
                if let Some(path) = find_database(repository, &sides, &whole)? {
                    project.read_database(&mut sides, &path)?;
                }
            }
        }
        let guessed = sides.iter().all(|side| side.commands.is_empty());
        project.complete_headers(repository, &mut sides);
        let pairs = select(&sides, &changed, options.all);
        if pairs.is_empty() {
            project.selection = Selection::NoCodeChanged;
            return Ok(project);
        }
        if guessed {
            project.notes.push(
                "compiler flags were guessed from the #include lines; give the real ones with --build 'make' or -p compile_commands.json"
                    .to_owned(),
            );
        }
        project.compile(&sides, &pairs, options)?;
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
        for path in missing {
            self.notes.push(format!(
                "the files of submodule {path} are missing: `git submodule update --init` gets them"
            ));
        }
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
            let built =
                build::run(command, &place, &folder.join(format!("records{number}")), deadline)?;
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
                let last = built.output.lines().last().unwrap_or_default();
                self.notes.push(format!(
                    "the build of {revision} failed ({}), what it compiled before that is used: {last}",
                    built.status
                ));
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
            self.notes.push(format!("{}: it names no file of these revisions", path.display()));
        }
        Ok(())
    }

    /// Headers that no revision has because something generates them: taken from the user's working tree, or made from a template.
    fn complete_headers(&mut self, repository: &Repository, sides: &mut [Side; 2]) {
        let root = repository.git.workdir().map(Path::to_path_buf);
        let mut on_disk: Option<Vec<String>> = None;
        let mut borrowed = BTreeSet::new();
        let mut made = BTreeSet::new();
        for side in sides.iter_mut() {
            // What is added may include more.
            for _ in 0..4 {
                let missing = missing(&side.snapshot, &side.commands);
                if missing.is_empty() {
                    break;
                }
                let mut found: Vec<(String, Addition)> = vec![];
                let includes = Includes::new(&side.snapshot);
                for name in &missing {
                    let files = root
                        .as_ref()
                        .map(|root| on_disk.get_or_insert_with(|| headers_below(root)));
                    let ends = |path: &&String| {
                        path.as_str() == name || path.ends_with(&format!("/{name}"))
                    };
                    let files: Vec<&String> =
                        files.iter().flat_map(|f| f.iter().filter(ends)).collect();
                    if let Some(root) = root.as_ref().filter(|_| !files.is_empty()) {
                        found.extend(
                            files
                                .into_iter()
                                .map(|f| (f.clone(), Addition::Borrowed(root.join(f)))),
                        );
                        continue;
                    }
                    for template in includes.templates(name) {
                        let Some(text) = side.snapshot.read(template) else { continue };
                        let text = from_template(&String::from_utf8_lossy(&text));
                        let folder = template.rsplit_once('/').map_or("", |(folder, _)| folder);
                        let last = name.rsplit('/').next().unwrap_or(name);
                        let path = match folder {
                            "" => last.to_owned(),
                            folder => format!("{folder}/{last}"),
                        };
                        found.push((path, Addition::Made(template.to_owned(), text.into_bytes())));
                    }
                }
                if found.is_empty() {
                    break;
                }
                for (path, addition) in found {
                    match addition {
                        Addition::Borrowed(disk) => {
                            side.snapshot.borrow(&path, &disk);
                            borrowed.insert(path);
                        }
                        Addition::Made(template, text) => {
                            side.snapshot.make(&path, text);
                            made.insert(format!("{path} was made from {template}"));
                        }
                    }
                }
            }
        }
        if !borrowed.is_empty() {
            let names: Vec<&str> = borrowed.iter().map(String::as_str).collect();
            self.notes
                .push(format!("taken from the working tree, for both revisions: {}", few(&names)));
        }
        for note in made {
            self.notes.push(format!("{note}, with every feature that cannot be known left out"));
        }
    }

    /// Writes and compiles the units of both sides. One that fails is left out on both.
    fn compile(
        &mut self,
        sides: &[Side; 2],
        pairs: &[Pair],
        options: &Options,
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
                let mut flags = match known.or_else(like) {
                    Some(flags) => flags.to_vec(),
                    None => guess::flags(&side.snapshot, &mut includes, path),
                };
                flags.extend(options.further.iter().cloned());
                // What is wrong with the code is not the question here; errors are shown all the same.
                flags.push("-w".to_owned());
                places[index][number] = Some(all.len());
                let (file, directory) = (path.into(), Some(side.folder.clone()));
                all.push(Unit { file, directory, flags, bitcode: None });
            }
        }
        let bitcode = self.folder.path().join("bitcode");
        std::fs::create_dir_all(&bitcode)
            .map_err(RevisionError::system("cannot make a temporary folder"))?;
        let bitcode = bitcode.canonicalize().unwrap_or(bitcode);
        let mut compiled: Vec<Result<Unit, FrontError>> =
            compile_units(&all, &bitcode, options.deadline)?;
        without_unknown_flags(&mut compiled, &all, &bitcode, options.deadline)?;
        for place in &places {
            let results = place.map(|index| index.map(|index| &compiled[index]));
            let mut failed = false;
            for (side, result) in sides.iter().zip(results) {
                if let Some(Err(error)) = result {
                    failed = true;
                    self.failures.push(failure(side, error));
                }
            }
            if failed {
                continue;
            }
            let [old, new] = results.map(|result| result.and_then(|r| r.as_ref().ok()).cloned());
            self.old.extend(old);
            self.new.extend(new);
        }
        Ok(())
    }
}

/// A header that was missing.
enum Addition {
    Borrowed(PathBuf),
    Made(String, Vec<u8>),
}

fn span_name(endpoint: &crate::request::Endpoint) -> String {
    endpoint.describe()
}

fn is_c(path: &str) -> bool {
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
    deadline: Deadline,
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
    for (place, result) in places.into_iter().zip(compile_units(&units, &folder, deadline)?) {
        compiled[place] = result;
    }
    Ok(())
}

/// The translation units that a change reaches, or all of them.
fn select(sides: &[Side; 2], changed: &[Change], all: bool) -> Vec<Pair> {
    let mut pairs: BTreeSet<(String, Pair)> = BTreeSet::new();
    let renamed: BTreeMap<&str, &str> = changed
        .iter()
        .filter_map(|change| Some((change.old.as_deref()?, change.new.as_deref()?)))
        .collect();
    let back: BTreeMap<&str, &str> = renamed.iter().map(|(old, new)| (*new, *old)).collect();
    for (number, side) in sides.iter().enumerate() {
        let mut includes = Includes::new(&side.snapshot);
        let mut units: Vec<&str> = match side.commands.is_empty() {
            false => side.commands.files().filter_map(|path| side.snapshot.key(path)).collect(),
            true => side.snapshot.paths().filter(|path| is_c(path)).collect(),
        };
        // A file that changed is compiled even if the commands leave it out: its flags are those of its neighbours.
        let of_side =
            |change: &Change| if number == 0 { change.old.clone() } else { change.new.clone() };
        let own: Vec<String> = changed.iter().filter_map(of_side).collect();
        let further =
            own.iter().filter_map(|path| side.snapshot.key(path)).filter(|path| is_c(path));
        units.extend(further.collect::<Vec<_>>());
        units.sort_unstable();
        units.dedup();
        let parts = includes.parts(&units);
        let recorded: BTreeSet<&str> = side.commands.files().collect();
        let units: Vec<&str> = units
            .into_iter()
            .filter(|unit| !parts.contains(unit) || recorded.contains(unit))
            .collect();
        let chosen = match all {
            true => units.into_iter().collect(),
            false => includes.affected(&units, &own.iter().map(String::as_str).collect()),
        };
        let (map, other) = if number == 0 { (&renamed, &sides[1]) } else { (&back, &sides[0]) };
        for unit in chosen {
            let there = match map.get(unit) {
                Some(there) => other.snapshot.has(there).then(|| (*there).to_owned()),
                None => other.snapshot.has(unit).then(|| unit.to_owned()),
            };
            let (own, there) = (Some(unit.to_owned()), there);
            let pair = if number == 0 { (own, there) } else { (there, own) };
            let key = pair.1.clone().or_else(|| pair.0.clone()).unwrap_or_default();
            pairs.insert((key, pair));
        }
    }
    pairs.into_iter().map(|(_, pair)| pair).collect()
}

/// The names that are included and that no file has.
fn missing(snapshot: &Snapshot, commands: &Commands) -> BTreeSet<String> {
    let mut includes = Includes::new(snapshot);
    let units: Vec<&str> = snapshot.paths().filter(|path| is_c(path)).collect();
    let mut found: BTreeSet<String> = BTreeSet::new();
    for path in includes.closure(units) {
        for include in includes.of(path).clone().names {
            if includes.candidates(&include.name).is_empty() {
                found.insert(include.name);
            }
        }
    }
    found.extend(commands.included_by_flags().into_iter().filter(|path| !snapshot.has(path)));
    found
}

/// Generated files that differ, or that only one side has.
fn generated(sides: &[Side; 2]) -> Vec<Change> {
    let [old, new] = [&sides[0].snapshot, &sides[1].snapshot];
    let paths = sides[0].generated.union(&sides[1].generated).map(String::as_str);
    let differs = |path: &&str| !old.same(new, path);
    let one = |path: &str| Change {
        old: old.has(path).then(|| path.to_owned()),
        new: new.has(path).then(|| path.to_owned()),
    };
    paths.filter(differs).map(one).collect()
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

/// Files that may be included, below a folder, by their paths from there. Hidden folders and other repositories are left out.
fn headers_below(root: &Path) -> Vec<String> {
    const MOST: usize = 200_000;
    let mut found = vec![];
    let mut seen = 0;
    let mut work = vec![(root.to_path_buf(), String::new())];
    while let Some((folder, prefix)) = work.pop() {
        let Ok(entries) = std::fs::read_dir(&folder) else { continue };
        for entry in entries.flatten() {
            seen += 1;
            let (Ok(kind), Ok(name)) = (entry.file_type(), entry.file_name().into_string()) else {
                continue;
            };
            if name.starts_with('.') || seen > MOST {
                continue;
            }
            let path = format!("{prefix}{name}");
            if kind.is_dir() && !entry.path().join(".git").exists() {
                work.push((entry.path(), format!("{path}/")));
            } else if kind.is_file() && may_be_included(&path) {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

fn few(names: &[&str]) -> String {
    match names {
        [first @ .., _] if names.len() > 5 => {
            format!("{} and {} more", first[..4].join(", "), names.len() - 4)
        }
        names => names.join(", "),
    }
}
