//! What can be wrong with an input, each with what to do about it.

use std::path::PathBuf;

/// Why a program could not be loaded. Every message names the file and what to do.
#[derive(Debug, thiserror::Error)]
pub enum FrontError {
    /// Nothing was given.
    #[error("no input: give a .c, .bc or .ll file, or a folder with compile_commands.json")]
    NoInput,
    /// clang was still running when its time was over.
    #[error("{} was still running at the time limit", path.display())]
    TimedOut {
        /// Which clang.
        path: PathBuf,
    },
    /// The path leads nowhere.
    #[error("{}: no such file or directory", path.display())]
    NotFound {
        /// The path.
        path: PathBuf,
    },
    /// The file is there but cannot be read.
    #[error("{}: cannot be read: {source}", path.display())]
    NotReadable {
        /// The path.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// Neither a file nor a folder.
    #[error("{}: this is neither a file nor a folder", path.display())]
    NotAFile {
        /// The path.
        path: PathBuf,
    },
    /// clang ended well and wrote nothing.
    #[error("{}: clang made no bitcode with these flags: give it only flags for compiling", path.display())]
    NoBitcode {
        /// The file.
        path: PathBuf,
    },
    /// The file has nothing in it.
    #[error("{}: the file is empty: there is nothing to compare", path.display())]
    Empty {
        /// The path.
        path: PathBuf,
    },
    /// The file is neither C nor LLVM's.
    #[error("{}: this is a binary file: give a C source (.c, .i), LLVM bitcode (.bc) or LLVM IR (.ll)", path.display())]
    Binary {
        /// The path.
        path: PathBuf,
    },
    /// The file's name ends in nothing known.
    #[error("{}: cannot tell what this file is: its name should end in .c, .i, .bc or .ll", path.display())]
    UnknownKind {
        /// The path.
        path: PathBuf,
    },
    /// A folder was given that says nothing about how to compile it.
    #[error(
        "{}: this folder has no compile_commands.json: make one with `cmake -DCMAKE_EXPORT_COMPILE_COMMANDS=ON` or `bear -- make`, or name the C files",
        path.display()
    )]
    NoDatabase {
        /// The folder.
        path: PathBuf,
    },
    /// A compilation database that cannot be used.
    #[error("{}: not a usable compilation database: {detail}", path.display())]
    BadDatabase {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        detail: String,
    },
    /// clang refused the file. Its diagnostics have the details.
    #[error("{}: does not compile (clang's messages are above)", path.display())]
    DoesNotCompile {
        /// The file.
        path: PathBuf,
        /// What clang printed.
        diagnostics: String,
    },
    /// Bitcode that another LLVM wrote.
    #[error(
        "{}: bitcode of LLVM {found}, but verdiff is built with LLVM {wanted}: compile it again with clang-{wanted}",
        path.display()
    )]
    OtherLlvm {
        /// The file.
        path: PathBuf,
        /// Who wrote it.
        found: String,
        /// The major version that is linked.
        wanted: u32,
    },
    /// Bitcode or IR that LLVM cannot read.
    #[error("{}: LLVM {wanted} cannot read this: {detail}", path.display())]
    BadIr {
        /// The file.
        path: PathBuf,
        /// The major version that is linked.
        wanted: u32,
        /// What LLVM said.
        detail: String,
    },
    /// No clang of the right version.
    #[error(
        "clang {wanted} not found ({tried}): install it (`apt-get install clang-{wanted}`) or set VERDIFF_CLANG"
    )]
    NoClang {
        /// The major version that is needed.
        wanted: u32,
        /// Where it was looked for.
        tried: String,
    },
    /// The clang that was named is of another version.
    #[error("{}: this is clang {found}, but verdiff is built with LLVM {wanted}: set VERDIFF_CLANG to a clang {wanted}", path.display())]
    OtherClang {
        /// The program.
        path: PathBuf,
        /// Its version.
        found: String,
        /// The major version that is needed.
        wanted: u32,
    },
    /// Files that do not go together.
    #[error("{}: cannot be linked with the files before it: {detail}", path.display())]
    Link {
        /// The file.
        path: PathBuf,
        /// What LLVM said.
        detail: String,
    },
    /// Code for a machine whose data the model cannot express.
    #[error("{}: compiled for {target}: only 64-bit little-endian targets are supported", path.display())]
    Target {
        /// The file.
        path: PathBuf,
        /// The target.
        target: String,
    },
    /// The system failed us.
    #[error("{what}: {source}")]
    System {
        /// What was tried.
        what: String,
        /// What the system said.
        source: std::io::Error,
    },
}
