//! Finding clang, and having it make bitcode.

use crate::bitcode_cache::{BitcodeCache, CompiledUnit};
use crate::error::FrontError;
use crate::llvm::LLVM_MAJOR;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;
use verdiff_process::{Deadline, Failure};

/// The flags that make compiled code mean what the model means (docs/internals/semantics.md).
/// `-ffp-contract=off`: each operation rounds on its own.
const MEANING_FLAGS: [&str; 5] = [
    "-fwrapv",
    "-fno-strict-aliasing",
    "-fno-delete-null-pointer-checks",
    "-ffp-contract=off",
    "-fno-finite-loops",
];

/// Further flags with which a signed overflow traps.
const OVERFLOW_TRAPS: [&str; 3] =
    ["-fno-wrapv", "-fsanitize=signed-integer-overflow", "-fsanitize-trap=signed-integer-overflow"];

/// How the front end compiles: nothing is optimised, locals keep their names, instructions their lines.
const FLAGS: &[&str] = &[
    "-O0",
    "-g",
    "-fno-discard-value-names",
    "-Xclang",
    "-disable-O0-optnone",
    "-fno-color-diagnostics",
    // Where clang runs is no part of what it compiles.
    "-fdebug-compilation-dir=.",
];

/// The same for a file with `inline` functions that another file defines: without optimisation clang leaves their bodies out. So it
/// is asked to optimise, and not to run a single pass; headers are not to know.
const WITH_INLINE: &[&str] =
    &["-O1", "-Xclang", "-disable-llvm-passes", "-U__OPTIMIZE__", "-D__NO_INLINE__=1", "-w"];

/// Where headers of the system are, clang's own among them.
const SYSTEM: [&str; 3] = ["/usr/include", "/usr/lib", "/usr/local/include"];

/// What clang takes for the time at which it compiles, in seconds.
const EPOCH: &str = "SOURCE_DATE_EPOCH";

/// A clang of the linked LLVM's major version.
#[derive(Clone, Debug)]
pub struct Clang {
    path: PathBuf,
    /// Whether it was asked for its version. If not, its name says it, and the bitcode that it writes must.
    asked: bool,
    /// Until when each of its runs may take.
    deadline: Deadline,
}

impl Clang {
    /// The same with a deadline for all that it compiles.
    pub fn until(self, deadline: Deadline) -> Clang {
        Clang { deadline, ..self }
    }

    /// Finds clang: `VERDIFF_CLANG` if it is set, else `clang-19`, else a `clang` of that version.
    /// One that was found is remembered: to ask for its version takes as long as a small file.
    pub fn find() -> Result<Clang, FrontError> {
        static FOUND: Mutex<Option<(Option<OsString>, Clang)>> = Mutex::new(None);
        let wish = std::env::var_os("VERDIFF_CLANG").filter(|v| !v.is_empty());
        // Who comes while another looks waits for what that one finds.
        let Ok(mut found) = FOUND.lock() else { return Clang::look(wish.as_ref()) };
        if let Some((wished, clang)) = found.as_ref()
            && *wished == wish
        {
            return Ok(clang.clone());
        }
        let clang = Clang::look(wish.as_ref())?;
        *found = Some((wish, clang.clone()));
        Ok(clang)
    }

    fn look(wish: Option<&OsString>) -> Result<Clang, FrontError> {
        let deadline = Deadline::NEVER;
        if let Some(path) = wish {
            let path = PathBuf::from(path);
            let tried = format!("VERDIFF_CLANG is {}, which is not clang", path.display());
            return Clang { path, asked: true, deadline }.of_right_version(tried);
        }
        let versioned = format!("clang-{LLVM_MAJOR}");
        if let Some(path) = in_path(&versioned) {
            return Ok(Clang { path, asked: false, deadline });
        }
        let path = PathBuf::from("clang");
        if major_version(&path) == Some(LLVM_MAJOR) {
            return Ok(Clang { path, asked: true, deadline });
        }
        Err(FrontError::NoClang {
            wanted: LLVM_MAJOR,
            tried: format!("looked for {versioned} and clang in PATH"),
        })
    }

    /// Asks it for its version.
    fn of_right_version(self, tried: String) -> Result<Clang, FrontError> {
        match major_version(&self.path) {
            Some(found) if found == LLVM_MAJOR => Ok(self),
            Some(found) => Err(FrontError::OtherClang {
                path: self.path,
                found: found.to_string(),
                wanted: LLVM_MAJOR,
            }),
            None => Err(FrontError::NoClang { wanted: LLVM_MAJOR, tried }),
        }
    }

    /// The program.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Compiles one file to bitcode; gives back clang's diagnostics. If the file, or one of its own that it includes, speaks of
    /// `inline`, a second file is made beside it that has the bodies of inline functions as well ([`with_inline`]).
    pub fn compile(
        &self,
        unit: &Unit,
        output: &Path,
        kept: Option<&BitcodeCache<'_>>,
    ) -> Result<String, FrontError> {
        let recipe = kept.and_then(|kept| kept.recipe(&self.path, &[FLAGS, WITH_INLINE], unit));
        if let Some((kept, recipe)) = kept.zip(recipe.as_ref())
            && let Some(made) = kept.get(recipe, unit)
            && made.write(output).is_ok()
        {
            return Ok(made.diagnostics);
        }
        let begun = recipe.as_ref().map(|_| BitcodeCache::begin(unit));
        let list = output.with_extension("d");
        let mut command = self.command(unit, FLAGS, output);
        command.arg("-MD").arg("-MF").arg(&list);
        let diagnostics = self.run(&mut command, &unit.file)?;
        self.check_producer(output)?;
        let read = unit.directory.clone().unwrap_or_default();
        let files = dependencies(&list);
        let own = |file: &&PathBuf| !is_of_the_system(file, unit);
        let inline =
            files.is_empty() || files.iter().filter(own).any(|f| speaks_of_inline(&read.join(f)));
        if inline {
            let mut command = self.command(unit, FLAGS, &with_inline(output));
            command.args(WITH_INLINE);
            self.run(&mut command, &unit.file)?;
        }
        if let Some(((kept, recipe), begun)) = kept.zip(recipe.as_ref()).zip(begun)
            && let Ok(made) = CompiledUnit::read(output, diagnostics.clone(), inline)
        {
            kept.put(recipe, unit, &files, &made, begun);
        }
        Ok(diagnostics)
    }

    /// What a clang wrote that was not asked says who it is.
    fn check_producer(&self, bitcode: &Path) -> Result<(), FrontError> {
        let version = match self.asked {
            true => None,
            false => crate::input::producer_of(bitcode),
        };
        match version {
            Some(found) if found.split('.').next() != Some(&LLVM_MAJOR.to_string()) => {
                let path = self.path.clone();
                Err(FrontError::OtherClang { path, found, wanted: LLVM_MAJOR })
            }
            _ => Ok(()),
        }
    }

    fn command(&self, unit: &Unit, flags: &[&str], output: &Path) -> Command {
        let mut command = Command::new(&self.path);
        if let Some(directory) = &unit.directory {
            command.current_dir(directory);
        }
        command.args(&unit.flags).args(flags);
        command.args(["-c", "-emit-llvm", "-o"]).arg(output).arg(&unit.file);
        // `__TIME__` and the like: when a version is compiled is no part of it.
        if std::env::var_os(EPOCH).is_none() {
            command.env(EPOCH, "0");
        }
        command
    }

    /// Makes an object file from bitcode.
    pub fn assemble(
        &self,
        bitcode: &Path,
        output: &Path,
        flags: &[String],
    ) -> Result<(), FrontError> {
        let mut command = Command::new(&self.path);
        command.args(flags).args(["-w", "-Wno-override-module", "-c", "-x", "ir", "-o"]);
        self.run(command.arg(output).arg(bitcode), bitcode).map(drop)
    }

    fn run(&self, command: &mut Command, path: &Path) -> Result<String, FrontError> {
        let done =
            verdiff_process::run(command, self.deadline).map_err(|failure| match failure {
                Failure::Start { source, .. } => FrontError::System {
                    what: format!("cannot start {}", self.path.display()),
                    source,
                },
                Failure::TimedOut { .. } => FrontError::TimedOut { path: self.path.clone() },
            })?;
        let diagnostics = done.stderr;
        if done.status.success() {
            Ok(diagnostics)
        } else {
            if !self.asked {
                // It may have failed for being another one.
                let tried = format!("{} is no clang", self.path.display());
                self.clone().of_right_version(tried)?;
            }
            Err(FrontError::DoesNotCompile { path: path.to_path_buf(), diagnostics })
        }
    }
}

/// What a signed overflow does in compiled code.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Overflow {
    /// It wraps.
    #[default]
    Wraps,
    /// It ends the run.
    Traps,
}

/// A C file and how it is compiled.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Unit {
    /// The file, as clang is to see it.
    pub file: PathBuf,
    /// Where clang runs; here, if there is none.
    pub directory: Option<PathBuf>,
    /// The user's flags.
    pub flags: Vec<String>,
    /// What it was compiled to before, with exactly these flags and overflow that wraps; compiled when it is needed, if
    /// there is none.
    pub bitcode: Option<PathBuf>,
}

impl Unit {
    /// The same with further flags.
    pub fn with_flags(&self, further: &[String]) -> Unit {
        let mut unit = self.clone();
        if !further.is_empty() {
            unit.flags.extend_from_slice(further);
            unit.bitcode = None;
        }
        unit
    }

    /// The same with the flags behind the user's that make it mean what the model means; to be compiled.
    pub(crate) fn with_meaning(&self, overflow: Overflow) -> Unit {
        let traps = match overflow {
            Overflow::Wraps => &[][..],
            Overflow::Traps => &OVERFLOW_TRAPS[..],
        };
        let meaning = MEANING_FLAGS.iter().chain(traps).map(|flag| (*flag).to_owned());
        let flags = self.flags.iter().cloned().chain(meaning).collect();
        Unit { flags, bitcode: None, ..self.clone() }
    }
}

/// Where the bitcode with the bodies of inline functions is, if it was made.
pub fn with_inline(output: &Path) -> PathBuf {
    output.with_extension("inline.bc")
}

/// The files in a list that clang wrote for make.
fn dependencies(list: &Path) -> Vec<PathBuf> {
    let text = std::fs::read_to_string(list).unwrap_or_default();
    let text = text.replace("\\\n", " ").replace("\\ ", "\0");
    let after = text.split_once(": ").map_or("", |(_, files)| files);
    after.split_whitespace().map(|file| PathBuf::from(file.replace('\0', " "))).collect()
}

/// Whether a header belongs to the system and not to the program: its inline functions are functions from outside like all others there.
fn is_of_the_system(file: &Path, unit: &Unit) -> bool {
    let given = unit.flags.windows(2).filter(|pair| pair[0] == "-isystem").map(|pair| &pair[1]);
    let joined = unit.flags.iter().filter_map(|flag| flag.strip_prefix("-isystem"));
    let mut folders = given.map(String::as_str).chain(joined).filter(|f| !f.is_empty());
    SYSTEM.iter().any(|folder| file.starts_with(folder)) || folders.any(|f| file.starts_with(f))
}

/// Whether a file may define `inline` functions. One that cannot be read might.
fn speaks_of_inline(file: &Path) -> bool {
    std::fs::read(file).map_or(true, |text| text.windows(6).any(|word| word == b"inline"))
}

/// A program that can be found by its name.
fn in_path(name: &str) -> Option<PathBuf> {
    use std::os::unix::fs::PermissionsExt;
    let path = std::env::var_os("PATH")?;
    let is_program = |file: &PathBuf| {
        file.metadata().is_ok_and(|m| m.is_file() && m.permissions().mode() & 0o111 != 0)
    };
    std::env::split_paths(&path).map(|folder| folder.join(name)).find(is_program)
}

fn major_version(clang: &Path) -> Option<u32> {
    let output = Command::new(clang).arg("--version").output().ok()?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let version = text.split("clang version ").nth(1)?;
    version.split('.').next()?.parse().ok()
}
