//! From C to the program model: C, bitcode or IR files become a
//! [`Program`], through clang and LLVM.
//!
//! ```no_run
//! use verdiff_front::{Inputs, load};
//! let inputs = Inputs { paths: vec!["queue.c".into()], ..Inputs::default() };
//! let loaded = load(&inputs)?;
//! println!("{} procedures", loaded.program.procedures.len());
//! # Ok::<(), verdiff_front::FrontError>(())
//! ```
//!
//! Architecture invariant: this is the only crate that knows LLVM, and nothing of LLVM
//! leaves it.

mod bitcode_cache;
mod callable;
mod callable_cache;
mod clang;
mod compilations;
mod emit;
mod error;
mod input;
mod llvm;
mod lower;

pub use callable::{Callable, CallableOptions, compile_callable};
pub use clang::{Clang, Overflow, Unit};
pub use compilations::Compilations;
pub use error::FrontError;
pub use input::{compilation_database, split_command, unit_flags};
pub use llvm::{LLVM_MAJOR, llvm_version};

use bitcode_cache::BitcodeCache;
use input::Input;
use llvm::{Context, Module};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};
use verdiff_cache::{Key, Store};
use verdiff_model::{Frame, Program};

pub use verdiff_process::Deadline;

/// One side of a comparison: what is loaded and how.
#[derive(Clone, Debug, Default)]
pub struct Inputs {
    /// C files, bitcode, IR, folders with a compilation database; linked together.
    pub paths: Vec<PathBuf>,
    /// C files with flags of their own, as a compilation database has them; linked with the above.
    pub units: Vec<Unit>,
    /// Flags for clang, for all of them.
    pub clang_flags: Vec<String>,
    /// Names that files define which are not among these: what uses them is not judged, since they may do something else in each version.
    pub unlinked: BTreeSet<String>,
    /// What a signed overflow does.
    pub overflow: Overflow,
    /// What earlier runs have kept.
    pub store: Option<Arc<Store>>,
    /// What was compiled before in this run. Clones share it.
    pub compilations: Arc<Compilations>,
}

/// A program that was loaded.
#[derive(Debug)]
pub struct Loaded {
    /// The program.
    pub program: Program,
    /// How each procedure is called in compiled form.
    pub frames: Vec<Frame>,
    /// A hash of all bitcode that it was made from.
    pub digest: String,
    /// What clang had to say: warnings, to be passed on as they are.
    pub diagnostics: String,
    /// What verdiff has to say.
    pub warnings: Vec<String>,
    /// How long each step took.
    pub times: Times,
}

/// Where the time went.
#[derive(Clone, Copy, Debug, Default)]
pub struct Times {
    /// clang making bitcode (in wall-clock time, several files in parallel).
    pub clang: Duration,
    /// LLVM reading and linking it.
    pub read: Duration,
    /// Lowering to the model.
    pub lower: Duration,
}

impl Times {
    /// All steps together.
    pub fn whole(&self) -> Duration {
        self.clang + self.read + self.lower
    }
}

/// Loads one side of a comparison.
pub fn load(inputs: &Inputs) -> Result<Loaded, FrontError> {
    let bitcode = compile(inputs, Deadline::NEVER)?;
    let mut times = Times { clang: bitcode.time, ..Times::default() };
    let context = Context::new();
    let start = Instant::now();
    let (module, warnings) = link(&context, &bitcode)?;
    times.read = start.elapsed();
    let start = Instant::now();
    let (program, symbols) = lower::lower_with_symbols(&module);
    let frames = callable::frames(&module, &symbols);
    times.lower = start.elapsed();
    let digest = digest(&bitcode);
    Ok(Loaded { program, frames, digest, diagnostics: bitcode.diagnostics, warnings, times })
}

/// What tells the bitcode from any other.
fn digest(bitcode: &Bitcode) -> String {
    let mut key = Key::of("bitcode");
    for file in &bitcode.files {
        // Without a second file there is nothing in it.
        for path in [&file.path, &clang::with_inline(&file.path)] {
            key = key.with(&std::fs::read(path).unwrap_or_default());
        }
    }
    key.done().as_str().to_owned()
}

/// Bitcode files in a temporary folder, ready to be read.
struct Bitcode {
    files: Vec<IrFile>,
    diagnostics: String,
    time: Duration,
    unlinked: BTreeSet<String>,
    /// Keeps the files.
    _compilations: Arc<Compilations>,
}

struct IrFile {
    /// What the user named.
    origin: PathBuf,
    /// What is read.
    path: PathBuf,
    /// Whether the user gave it, so that it needs a closer look.
    given: bool,
    /// Whether it comes from a compilation database, where several programs may lie side by side.
    database: bool,
}

fn compile(inputs: &Inputs, deadline: Deadline) -> Result<Bitcode, FrontError> {
    if inputs.paths.is_empty() && inputs.units.is_empty() {
        return Err(FrontError::NoInput);
    }
    // All inputs are looked at before anything is compiled, so that a wrong one is
    // reported at once.
    let mut classified: Vec<Input> = inputs
        .paths
        .iter()
        .map(|path| input::classify(path, &inputs.clang_flags))
        .collect::<Result<_, _>>()?;
    if !inputs.units.is_empty() {
        let with_flags = |unit: &Unit| unit.with_flags(&inputs.clang_flags);
        classified.push(Input::Database(inputs.units.iter().map(with_flags).collect()));
    }
    let mut files = Vec::new();
    let mut units = Vec::new();
    for one in classified {
        let database = matches!(one, Input::Database(_));
        let list = match one {
            Input::Ir(path) => {
                files.push(IrFile { origin: path.clone(), path, given: true, database: false });
                continue;
            }
            Input::Source(unit) => vec![unit],
            Input::Database(units) => units,
        };
        for unit in list {
            let compiled = unit.bitcode.clone().filter(|_| inputs.overflow == Overflow::Wraps);
            let unit = unit.with_meaning(inputs.overflow);
            let origin = unit.file.clone();
            let path = match compiled.or_else(|| inputs.compilations.find(&unit)) {
                Some(path) => path,
                None => {
                    let path = inputs.compilations.new_file()?;
                    units.push((unit, path.clone()));
                    path
                }
            };
            files.push(IrFile { origin, path, given: false, database });
        }
    }
    let start = Instant::now();
    let diagnostics = if units.is_empty() {
        String::new()
    } else {
        compile_all(&units, deadline, inputs.store.as_deref())?
    };
    for (unit, path) in units {
        inputs.compilations.add(unit, path);
    }
    let unlinked = inputs.unlinked.clone();
    let _compilations = inputs.compilations.clone();
    Ok(Bitcode { files, diagnostics, time: start.elapsed(), unlinked, _compilations })
}

/// Compiles each unit to bitcode in a folder, whatever becomes of the others: the units with their bitcode, in the same order.
pub fn compile_units(
    units: &[Unit],
    folder: &Path,
    deadline: Deadline,
    store: Option<&Store>,
) -> Result<Vec<Result<Unit, FrontError>>, FrontError> {
    let path = |index: usize| folder.join(format!("{index}.bc"));
    let job = |(n, unit): (usize, &Unit)| (unit.with_meaning(Overflow::Wraps), path(n));
    let jobs: Vec<_> = units.iter().enumerate().map(job).collect();
    let results = compile_each(&jobs, deadline, store)?;
    let with_bitcode = |((unit, (_, path)), result): ((&Unit, (Unit, PathBuf)), Result<_, _>)| {
        result.map(|_: String| Unit { bitcode: Some(path), ..unit.clone() })
    };
    Ok(units.iter().zip(jobs).zip(results).map(with_bitcode).collect())
}

/// What a compiled file defines for others, and what it needs of them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Symbols {
    /// Functions and variables that other files can use. What may give way to another definition is left out.
    pub defined: Vec<String>,
    /// Functions and variables that it uses and does not define.
    pub undefined: Vec<String>,
}

/// The symbols of a bitcode file.
pub fn symbols(bitcode: &Path) -> Result<Symbols, FrontError> {
    let context = Context::new();
    let module = context.read(bitcode).map_err(|detail| FrontError::BadIr {
        path: bitcode.to_path_buf(),
        wanted: LLVM_MAJOR,
        detail,
    })?;
    let mut symbols = Symbols::default();
    for value in module.functions().into_iter().chain(module.globals()) {
        let name = value.name();
        // Intrinsics are nobody's.
        if name.starts_with("llvm.") {
            continue;
        }
        if value.is_declaration() {
            symbols.undefined.push(name);
        } else if value.linkage() == llvm_sys::LLVMLinkage::LLVMExternalLinkage {
            symbols.defined.push(name);
        }
    }
    Ok(symbols)
}

/// Compiles all files; the first that fails, in the order of the files, is the error.
fn compile_all(
    units: &[(Unit, PathBuf)],
    deadline: Deadline,
    store: Option<&Store>,
) -> Result<String, FrontError> {
    compile_each(units, deadline, store)?.into_iter().collect()
}

/// Compiles files, as many at a time as there are cores: clang's diagnostics for each, in the order of the files.
fn compile_each(
    units: &[(Unit, PathBuf)],
    deadline: Deadline,
    store: Option<&Store>,
) -> Result<Vec<Result<String, FrontError>>, FrontError> {
    if units.is_empty() {
        return Ok(vec![]);
    }
    let clang = Clang::find()?.until(deadline);
    let workers = std::thread::available_parallelism().map_or(1, |n| n.get()).min(units.len());
    let next = AtomicUsize::new(0);
    let kept = store.map(BitcodeCache::new);
    let work = || {
        let mut done = Vec::new();
        loop {
            let index = next.fetch_add(1, Ordering::Relaxed);
            let Some((unit, output)) = units.get(index) else { return done };
            done.push((index, clang.compile(unit, output, kept.as_ref())));
        }
    };
    let mut results: Vec<(usize, Result<String, FrontError>)> = std::thread::scope(|scope| {
        let handles: Vec<_> = (0..workers).map(|_| scope.spawn(work)).collect();
        handles.into_iter().flat_map(|h| h.join().unwrap_or_default()).collect()
    });
    // In the order of the files, whatever order they were done in.
    results.sort_by_key(|(index, _)| *index);
    Ok(results.into_iter().map(|(_, result)| result).collect())
}

/// What several files of a compilation database define: which of them a further file means, nobody knows here. (`main` nobody calls.)
fn defined_twice(bitcode: &Bitcode) -> BTreeSet<String> {
    let (mut once, mut twice) = (BTreeSet::new(), BTreeSet::new());
    let files: Vec<_> = bitcode.files.iter().filter(|file| file.database).collect();
    if files.len() < 3 {
        return twice;
    }
    let context = Context::new();
    for file in files {
        // What cannot be read is said when it is linked.
        let Ok(module) = context.read(&file.path) else { continue };
        for name in module.strong_definitions() {
            if name != "main" && !once.insert(name.clone()) {
                twice.insert(name);
            }
        }
    }
    twice
}

fn link<'c>(
    context: &'c Context,
    bitcode: &Bitcode,
) -> Result<(Module<'c>, Vec<String>), FrontError> {
    let mut warnings = Vec::new();
    let mut whole: Option<Module<'c>> = None;
    let mut renamed = Vec::new();
    let unlinked: BTreeSet<String> = &defined_twice(bitcode) | &bitcode.unlinked;
    for file in &bitcode.files {
        let bad = |detail: String| FrontError::BadIr {
            path: file.origin.clone(),
            wanted: LLVM_MAJOR,
            detail,
        };
        if !file.path.is_file() {
            return Err(FrontError::NoBitcode { path: file.origin.clone() });
        }
        let mut module = context.read(&file.path).map_err(bad)?;
        // Only where it makes a difference: what was compiled to be optimised reads less well.
        let with_inline = clang::with_inline(&file.path);
        if !file.given && with_inline.is_file() {
            let mut other = context.read(&with_inline).map_err(bad)?;
            if other.keep_inline_bodies() {
                module = other;
            }
        }
        if file.given {
            module.verify().map_err(bad)?;
        }
        if !module.is_64_bit_little_endian() {
            return Err(FrontError::Target { path: file.origin.clone(), target: module.target() });
        }
        module.mark_unlinked(&unlinked);
        match &mut whole {
            None => whole = Some(module),
            Some(whole) => {
                let name = file.origin.file_name().unwrap_or_default().to_string_lossy();
                module.rename_statics(whole, &name);
                if file.database {
                    let names = module.rename_what_is_defined_in(whole, &name);
                    // Every program has one, and calls no other's.
                    for (name, _) in names.iter().filter(|(name, _)| name != "main") {
                        warnings.push(format!(
                            "{}: {name} is defined in another file too; each is taken as its file's own, and functions of further files that use it are not judged",
                            file.origin.display()
                        ));
                    }
                    renamed.extend(names);
                }
                whole
                    .link(module)
                    .map_err(|detail| FrontError::Link { path: file.origin.clone(), detail })?;
            }
        }
    }
    warnings.extend(context.take_messages());
    if let Some(whole) = &mut whole {
        whole.make_local(&renamed);
    }
    whole.map(|module| (module, warnings)).ok_or(FrontError::NoInput)
}
