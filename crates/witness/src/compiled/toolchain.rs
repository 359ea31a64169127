//! clang as a linker: the driver is compiled once, then linked with each program.

use super::{CompiledError, Parts};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

const DRIVER: &str = include_str!("driver.c");
/// What lies between the driver's data and the program's, for the driver to fence off. A sanitizer fences a global on one side
/// only: an access before the first one of a section would hit the driver's data and be taken for a good one.
const FENCE: &str = "
const char verdiff_before_constants[1024] = {1};
char verdiff_before_data[1024] = {1};
char verdiff_before_zeros[1024];
";
/// What it includes.
const INCLUDED: &[(&str, &str)] =
    &[("heap.c", include_str!("heap.c")), ("outside.c", include_str!("outside.c"))];

/// Functions whose calls go to the driver first. The plain driver has a heap of its own;
/// with a sanitizer it only counts allocations and picks out the objects of the entry state.
const WRAPPED: &[&str] = &[
    "exit",
    "_exit",
    "_Exit",
    "quick_exit",
    "abort",
    "__assert_fail",
    "putchar",
    "putchar_unlocked",
    "fputc",
    "putc",
    "fputs",
    "puts",
    "perror",
    "fwrite",
    "write",
    "fflush",
    "printf",
    "fprintf",
    "dprintf",
    "malloc",
    "calloc",
    "realloc",
    "reallocarray",
    "aligned_alloc",
    "memalign",
    "valloc",
    "posix_memalign",
    "free",
    "strdup",
    "strndup",
];

/// What a program is instrumented with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Instrument {
    /// Nothing: fast, and shows what the hardware shows. What C leaves undefined and the model does
    /// not is made to be as the model says.
    Nothing,
    /// Nothing, and what is undefined is left as it was written: what people really compile.
    AsWritten,
    /// Bounds, liveness and alignment of every access; places that are said never to be reached.
    Address,
    /// Reads of uninitialised memory.
    Memory,
}

impl Instrument {
    /// All of them.
    pub const ALL: [Instrument; 4] =
        [Instrument::Nothing, Instrument::AsWritten, Instrument::Address, Instrument::Memory];

    /// Whether what C leaves undefined stays as it was written.
    pub fn as_written(self) -> bool {
        self == Instrument::AsWritten
    }

    /// Whether a sanitizer's runtime is linked.
    pub(super) fn is_sanitizer(self) -> bool {
        matches!(self, Instrument::Address | Instrument::Memory)
    }

    /// The flags with which clang compiles and links the program.
    pub fn flags(self) -> &'static [&'static str] {
        match self {
            Instrument::Nothing | Instrument::AsWritten => &[],
            Instrument::Address => {
                &["-fsanitize=address,alignment,unreachable", "-fno-sanitize-recover=all"]
            }
            Instrument::Memory => &["-fsanitize=memory", "-fno-sanitize-recover=all"],
        }
    }

    /// Functions that instrumented code calls and that must be linked for real.
    pub fn runtime(self) -> &'static [&'static str] {
        match self {
            Instrument::Address => {
                &["__ubsan_handle_type_mismatch_v1_abort", "__ubsan_handle_builtin_unreachable"]
            }
            _ => &[],
        }
    }

    /// How far from the interpreter's addresses entry objects must lie: MemorySanitizer
    /// keeps its shadow where they would be, and its heap from 0x7000 << 32 to 0x7400 << 32.
    pub(super) fn shift(self) -> u64 {
        match self {
            Instrument::Memory => 0x5500 << 32,
            _ => 0,
        }
    }
}

/// Where a plain program has its code and globals.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Place {
    /// Where the linker puts them.
    #[default]
    Usual,
    /// At other addresses: a run that does something else there depends on them.
    Elsewhere,
}

/// A clang, and the drivers it compiled so far.
pub struct Toolchain {
    clang: PathBuf,
    folder: tempfile::TempDir,
    plain: OnceLock<Result<PathBuf, String>>,
    sanitized: OnceLock<Result<PathBuf, String>>,
    fence: OnceLock<Result<PathBuf, String>>,
}

impl Toolchain {
    /// Uses this clang. Nothing is compiled yet.
    pub fn new(clang: &Path) -> Result<Toolchain, CompiledError> {
        let folder = tempfile::Builder::new().prefix("verdiff-").tempdir().map_err(|source| {
            CompiledError::System { what: "cannot make a temporary folder".to_owned(), source }
        })?;
        Ok(Toolchain {
            clang: clang.to_path_buf(),
            folder,
            plain: OnceLock::new(),
            sanitized: OnceLock::new(),
            fence: OnceLock::new(),
        })
    }

    pub(super) fn link(
        &self,
        parts: Parts<'_>,
        outside: Option<&str>,
        place: Place,
        output: &Path,
    ) -> Result<(), CompiledError> {
        let mut command = Command::new(&self.clang);
        command.args(parts.instrument.flags());
        if !parts.instrument.is_sanitizer() {
            // At fixed addresses a program that looks at them behaves the same each time. Those of
            // a position-independent one are random, and have other upper halves, too.
            command.arg(if place == Place::Usual { "-no-pie" } else { "-pie" });
        }
        command.args(WRAPPED.iter().map(|name| format!("-Wl,--wrap={name}")));
        // The order makes the lower bits of addresses differ, too.
        let mut objects = vec![self.driver(parts.instrument)?, parts.object];
        if place == Place::Elsewhere {
            objects.reverse();
        }
        if parts.instrument == Instrument::Address {
            objects.insert(1, self.fence()?);
        }
        command.args(objects);
        if let Some(text) = outside {
            let file = output.with_extension("s");
            write(&file, text)?;
            command.arg(file);
        }
        command.args(["-w", "-lm", "-lpthread", "-o"]).arg(output);
        run(&mut command).map_err(|diagnostics| CompiledError::Link { diagnostics })
    }

    fn driver(&self, instrument: Instrument) -> Result<&Path, CompiledError> {
        let (cell, name, flags): (_, _, &[&str]) = match instrument.is_sanitizer() {
            false => (&self.plain, "driver.o", &[]),
            true => (&self.sanitized, "sanitized.o", &["-DVERDIFF_SANITIZED"]),
        };
        let compiled = cell.get_or_init(|| {
            let object = self.folder.path().join(name);
            let source = object.with_extension("c");
            write(&source, DRIVER).map_err(|e| e.to_string())?;
            for (name, text) in INCLUDED {
                write(&source.with_file_name(name), text).map_err(|e| e.to_string())?;
            }
            let mut command = Command::new(&self.clang);
            command.args(["-O1", "-fno-builtin", "-w"]).args(flags);
            run(command.arg("-c").arg(&source).arg("-o").arg(&object)).map(|()| object)
        });
        path_of(compiled)
    }

    fn fence(&self) -> Result<&Path, CompiledError> {
        path_of(self.fence.get_or_init(|| {
            let object = self.folder.path().join("fence.o");
            let source = object.with_extension("c");
            write(&source, FENCE).map_err(|e| e.to_string())?;
            let mut command = Command::new(&self.clang);
            command.arg("-c").arg(&source).arg("-o").arg(&object);
            run(&mut command).map(|()| object)
        }))
    }
}

fn path_of(compiled: &Result<PathBuf, String>) -> Result<&Path, CompiledError> {
    match compiled {
        Ok(path) => Ok(path),
        Err(diagnostics) => Err(CompiledError::Link { diagnostics: diagnostics.clone() }),
    }
}

fn write(path: &Path, text: &str) -> Result<(), CompiledError> {
    std::fs::write(path, text).map_err(|source| CompiledError::System {
        what: format!("cannot write {}", path.display()),
        source,
    })
}

/// Runs clang; an error is what it said.
fn run(command: &mut Command) -> Result<(), String> {
    let done = command.output().map_err(|e| format!("cannot start clang: {e}"))?;
    if done.status.success() {
        Ok(())
    } else {
        Err(String::from_utf8_lossy(&done.stderr).into_owned())
    }
}
