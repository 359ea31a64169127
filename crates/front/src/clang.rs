//! Finding clang, and having it make bitcode.

use crate::error::FrontError;
use crate::llvm::LLVM_MAJOR;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;

/// How the front end compiles: nothing is optimised, locals keep their names,
/// instructions their lines, and overflow keeps its `nsw` marks (no `-fwrapv`).
/// `-ffp-contract=off`: each operation rounds on its own, as the meaning has it.
const FLAGS: &[&str] = &[
    "-O0",
    "-g",
    "-fno-discard-value-names",
    "-Xclang",
    "-disable-O0-optnone",
    "-ffp-contract=off",
    "-fno-color-diagnostics",
];

/// A clang of the linked LLVM's major version.
#[derive(Clone, Debug)]
pub struct Clang {
    path: PathBuf,
}

impl Clang {
    /// Finds clang: `VERDIFF_CLANG` if it is set, else `clang-19`, else a `clang` of that version.
    /// One that was found is remembered: to ask for its version takes as long as a small file.
    pub fn find() -> Result<Clang, FrontError> {
        static FOUND: Mutex<Option<(Option<OsString>, Clang)>> = Mutex::new(None);
        let wish = std::env::var_os("VERDIFF_CLANG").filter(|v| !v.is_empty());
        if let Ok(found) = FOUND.lock()
            && let Some((wished, clang)) = found.as_ref()
            && *wished == wish
        {
            return Ok(clang.clone());
        }
        let clang = Clang::look(wish.as_ref())?;
        if let Ok(mut found) = FOUND.lock() {
            *found = Some((wish, clang.clone()));
        }
        Ok(clang)
    }

    fn look(wish: Option<&OsString>) -> Result<Clang, FrontError> {
        if let Some(path) = wish {
            let path = PathBuf::from(path);
            return match major_version(&path) {
                Some(found) if found == LLVM_MAJOR => Ok(Clang { path }),
                Some(found) => Err(FrontError::OtherClang {
                    path,
                    found: found.to_string(),
                    wanted: LLVM_MAJOR,
                }),
                None => Err(FrontError::NoClang {
                    wanted: LLVM_MAJOR,
                    tried: format!("VERDIFF_CLANG is {}, which is no clang", path.display()),
                }),
            };
        }
        for name in [format!("clang-{LLVM_MAJOR}"), "clang".to_owned()] {
            let path = PathBuf::from(name);
            if major_version(&path) == Some(LLVM_MAJOR) {
                return Ok(Clang { path });
            }
        }
        Err(FrontError::NoClang {
            wanted: LLVM_MAJOR,
            tried: format!("looked for clang-{LLVM_MAJOR} and clang in PATH"),
        })
    }

    /// The program.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Compiles one file to bitcode; gives back clang's diagnostics.
    pub fn compile(&self, unit: &Unit, output: &Path) -> Result<String, FrontError> {
        let mut command = Command::new(&self.path);
        if let Some(directory) = &unit.directory {
            command.current_dir(directory);
        }
        command
            .args(&unit.flags)
            .args(FLAGS)
            .args(["-c", "-emit-llvm", "-o"])
            .arg(output)
            .arg(&unit.file);
        self.run(&mut command, &unit.file)
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
        let done = command.output().map_err(|source| FrontError::System {
            what: format!("cannot start {}", self.path.display()),
            source,
        })?;
        let diagnostics = String::from_utf8_lossy(&done.stderr).into_owned();
        if done.status.success() {
            Ok(diagnostics)
        } else {
            Err(FrontError::DoesNotCompile { path: path.to_path_buf(), diagnostics })
        }
    }
}

/// A C file and how it is compiled.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unit {
    /// The file, as clang is to see it.
    pub file: PathBuf,
    /// Where clang runs; here, if there is none.
    pub directory: Option<PathBuf>,
    /// The user's flags.
    pub flags: Vec<String>,
}

fn major_version(clang: &Path) -> Option<u32> {
    let output = Command::new(clang).arg("--version").output().ok()?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let version = text.split("clang version ").nth(1)?;
    version.split('.').next()?.parse().ok()
}
