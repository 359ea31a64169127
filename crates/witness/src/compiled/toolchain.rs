//! clang as a linker: the driver, which came with verdiff or is compiled once, is linked with each program.

use super::linker::Linker;
use super::pieces::{Piece, SOURCES};
use super::{CompiledError, ProgramParts};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};
use verdiff_process::{Deadline, Failure};

/// What the build script made of each piece, in the order of [`Piece::ALL`]; empty if it could not.
const SHIPPED: [&[u8]; 3] = [
    include_bytes!(concat!(env!("OUT_DIR"), "/driver.o")),
    include_bytes!(concat!(env!("OUT_DIR"), "/sanitized.o")),
    include_bytes!(concat!(env!("OUT_DIR"), "/fence.o")),
];
/// What they are compiled from, in the order of [`SOURCES`].
const TEXTS: [&str; SOURCES.len()] = [
    include_str!("driver.c"),
    include_str!("heap.c"),
    include_str!("outside.c"),
    include_str!("fence.c"),
];

/// Functions whose calls go to the driver first. The plain driver has a heap of its own;
/// with a sanitizer it only counts allocations and picks out the objects of the entry state.
pub(super) const WRAPPED: &[&str] = &[
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
    "vprintf",
    "vfprintf",
    "vdprintf",
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
    "asprintf",
    "vasprintf",
];

/// What a program is instrumented with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Instrument {
    /// Nothing: fast, and shows what the hardware shows. What C leaves undefined and the model does
    /// not is made to be as the model says.
    Nothing,
    /// Nothing, and what is undefined is left as it was written: what people really compile.
    AsWritten,
    /// The same, optimised: for runs that take too long without.
    Optimised,
    /// Bounds, liveness and alignment of every access; places that are said never to be reached.
    Address,
    /// Reads of uninitialised memory.
    Memory,
}

impl Instrument {
    /// All of them.
    pub const ALL: [Instrument; 5] = [
        Instrument::Nothing,
        Instrument::AsWritten,
        Instrument::Optimised,
        Instrument::Address,
        Instrument::Memory,
    ];

    /// Whether what C leaves undefined stays as it was written.
    pub fn as_written(self) -> bool {
        matches!(self, Instrument::AsWritten | Instrument::Optimised)
    }

    /// Whether a sanitizer's runtime is linked.
    pub fn is_sanitizer(self) -> bool {
        matches!(self, Instrument::Address | Instrument::Memory)
    }

    /// The flags with which clang compiles and links the program.
    pub fn flags(self) -> &'static [&'static str] {
        match self {
            Instrument::Nothing | Instrument::AsWritten => &[],
            Instrument::Optimised => &["-O2"],
            Instrument::Address => {
                &["-fsanitize=address,alignment,unreachable", "-fno-sanitize-recover=all"]
            }
            Instrument::Memory => &["-fsanitize=memory", "-fno-sanitize-recover=all"],
        }
    }

    /// Functions that instrumented code calls and that must be linked for real.
    pub fn runtime(self) -> &'static [&'static str] {
        match self {
            Instrument::Address => &[
                "__ubsan_handle_type_mismatch_v1_abort",
                "__ubsan_handle_builtin_unreachable",
                "__asan_handle_no_return",
            ],
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
pub enum LoadAddress {
    /// Where the linker puts them.
    #[default]
    Usual,
    /// At other addresses: a run that does something else there depends on them.
    Elsewhere,
}

/// A clang, and the drivers that programs are linked with.
pub struct Toolchain {
    clang: PathBuf,
    folder: tempfile::TempDir,
    /// Those that came with verdiff, written down when they are needed.
    shipped: [OnceLock<Option<PathBuf>>; Piece::ALL.len()],
    /// Those that were compiled here.
    compiled: [OnceLock<Result<PathBuf, String>>; Piece::ALL.len()],
    /// Whether those that came with verdiff do not fit this system, or are not wanted.
    own_only: AtomicBool,
    /// How plain programs are linked without clang, until that fails.
    linker: Option<Linker>,
    /// Whether it failed where clang did not.
    clang_only: AtomicBool,
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
            shipped: Default::default(),
            compiled: Default::default(),
            own_only: AtomicBool::new(false),
            linker: Linker::of(clang),
            clang_only: AtomicBool::new(false),
        })
    }

    /// The same with drivers that this clang compiles, as where verdiff came without any.
    pub fn with_own_drivers(self) -> Toolchain {
        self.own_only.store(true, Ordering::Relaxed);
        self
    }

    /// Links a program with its driver. The drivers that came with verdiff were compiled on another machine, perhaps: if they do not link,
    /// those are taken that are compiled here.
    pub(super) fn link(
        &self,
        parts: ProgramParts<'_>,
        outside: Option<&str>,
        place: LoadAddress,
        output: &Path,
        deadline: Deadline,
    ) -> Result<(), CompiledError> {
        if !self.own_only.load(Ordering::Relaxed) {
            let pieces = |piece| self.shipped(piece).ok_or(CompiledError::DoesNotStart);
            let linked = self.link_plainly(parts, outside, place, output, deadline);
            if matches!(linked, Ok(()) | Err(CompiledError::TimedOut)) {
                return linked;
            }
            let linked = self.link_with(&pieces, parts, outside, place, output, deadline);
            if matches!(linked, Ok(()) | Err(CompiledError::TimedOut)) {
                let is_plain = !parts.instrument.is_sanitizer();
                self.clang_only.fetch_or(is_plain && linked.is_ok(), Ordering::Relaxed);
                return linked;
            }
        }
        let pieces = |piece| self.compiled(piece, deadline);
        self.link_with(&pieces, parts, outside, place, output, deadline)?;
        self.own_only.store(true, Ordering::Relaxed);
        Ok(())
    }

    /// Links a program without a sanitizer by the linker alone.
    fn link_plainly(
        &self,
        parts: ProgramParts<'_>,
        outside: Option<&str>,
        place: LoadAddress,
        output: &Path,
        deadline: Deadline,
    ) -> Result<(), CompiledError> {
        let wanted = !parts.instrument.is_sanitizer() && !self.clang_only.load(Ordering::Relaxed);
        let (Some(linker), true) = (&self.linker, wanted) else {
            return Err(CompiledError::DoesNotStart);
        };
        let driver = self.shipped(Piece::Driver).ok_or(CompiledError::DoesNotStart)?;
        let mut objects = [driver, parts.object];
        if place == LoadAddress::Elsewhere {
            objects.reverse();
        }
        let assembly = outside.map(|text| {
            let file = output.with_extension("s");
            write(&file, text.as_bytes()).map(|()| file)
        });
        linker.link(place, &objects, assembly.transpose()?.as_deref(), output, deadline)
    }

    fn link_with<'t>(
        &'t self,
        piece: &dyn Fn(Piece) -> Result<&'t Path, CompiledError>,
        parts: ProgramParts<'_>,
        outside: Option<&str>,
        place: LoadAddress,
        output: &Path,
        deadline: Deadline,
    ) -> Result<(), CompiledError> {
        let mut command = Command::new(&self.clang);
        command.args(parts.instrument.flags());
        if !parts.instrument.is_sanitizer() {
            // At fixed addresses a program that looks at them behaves the same each time. Those of
            // a position-independent one are random, and have other upper halves, too.
            command.arg(if place == LoadAddress::Usual { "-no-pie" } else { "-pie" });
        }
        command.args(WRAPPED.iter().map(|name| format!("-Wl,--wrap={name}")));
        let driver = match parts.instrument.is_sanitizer() {
            true => Piece::Sanitized,
            false => Piece::Driver,
        };
        // The order makes the lower bits of addresses differ, too.
        let mut objects = vec![piece(driver)?, parts.object];
        if place == LoadAddress::Elsewhere {
            objects.reverse();
        }
        if parts.instrument == Instrument::Address {
            objects.insert(1, piece(Piece::Fence)?);
        }
        command.args(objects);
        if let Some(text) = outside {
            let file = output.with_extension("s");
            write(&file, text.as_bytes())?;
            command.arg(file);
        }
        command.args(["-w", "-lm", "-lpthread", "-o"]).arg(output);
        run(&mut command, deadline)
    }

    /// A piece that came with verdiff.
    fn shipped(&self, piece: Piece) -> Option<&Path> {
        let object = SHIPPED[piece as usize];
        let written = self.shipped[piece as usize].get_or_init(|| {
            let path = self.folder.path().join(format!("shipped-{}", piece.object()));
            (!object.is_empty() && write(&path, object).is_ok()).then_some(path)
        });
        written.as_deref()
    }

    /// A piece that is compiled here. That the deadline passed is no answer for the next one.
    fn compiled(&self, piece: Piece, deadline: Deadline) -> Result<&Path, CompiledError> {
        let known = &self.compiled[piece as usize];
        if known.get().is_none() {
            let made = match self.compile(piece, deadline) {
                Err(CompiledError::TimedOut) => return Err(CompiledError::TimedOut),
                made => made.map_err(|why| why.to_string()),
            };
            // Another thread may have been faster.
            let _ = known.set(made);
        }
        match known.get() {
            Some(Ok(path)) => Ok(path),
            Some(Err(why)) => Err(CompiledError::Link { diagnostics: why.clone() }),
            None => Err(CompiledError::DoesNotStart),
        }
    }

    fn compile(&self, piece: Piece, deadline: Deadline) -> Result<PathBuf, CompiledError> {
        // Each has its own folder: they may be compiled at the same time.
        let folder = tempfile::tempdir_in(self.folder.path()).map_err(|source| {
            CompiledError::System { what: "cannot make a temporary folder".to_owned(), source }
        })?;
        // It goes with the folder that it is in.
        let folder = folder.keep();
        for (name, text) in SOURCES.iter().zip(TEXTS) {
            write(&folder.join(name), text.as_bytes())?;
        }
        let object = folder.join(piece.object());
        let mut command = Command::new(&self.clang);
        command.args(piece.flags()).arg("-c").arg(folder.join(piece.source()));
        run(command.arg("-o").arg(&object), deadline)?;
        Ok(object)
    }
}

fn write(path: &Path, bytes: &[u8]) -> Result<(), CompiledError> {
    std::fs::write(path, bytes).map_err(|source| CompiledError::System {
        what: format!("cannot write {}", path.display()),
        source,
    })
}

/// Runs clang; an error is what it said.
pub(super) fn run(command: &mut Command, deadline: Deadline) -> Result<(), CompiledError> {
    let diagnostics = match verdiff_process::run(command, deadline) {
        Ok(done) if done.status.success() => return Ok(()),
        Ok(done) => done.stderr,
        Err(Failure::TimedOut { .. }) => return Err(CompiledError::TimedOut),
        Err(Failure::Start { source, .. }) => format!("cannot start clang: {source}"),
    };
    Err(CompiledError::Link { diagnostics })
}
