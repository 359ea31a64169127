//! What must be on the machine before verdiff can be built and tested: clang and LLVM of
//! one version, the sanitizers' runtime, Z3, and a second solver for the audit.
//!
//! Each is looked for as it will be used (a program that runs, a library that links), not by
//! the name of a package. With the rights to do so what is missing is installed by apt;
//! otherwise the one command to type is printed.

use crate::process::{self, probe, program};
use anyhow::{Result, bail};
use std::path::Path;

/// The major version of LLVM that crates/front links.
const LLVM: &str = "19";

/// A thing that must be there.
struct Need {
    /// For people.
    name: &'static str,
    /// Debian's name.
    package: &'static str,
    /// Whether it is there.
    is_there: fn() -> bool,
}

const NEEDS: &[Need] = &[
    Need { name: "clang 19", package: "clang-19", is_there: clang },
    Need { name: "LLVM 19 for developers", package: "llvm-19-dev", is_there: llvm },
    Need { name: "clang's sanitizers", package: "libclang-rt-19-dev", is_there: sanitizers },
    Need { name: "Z3 for developers", package: "libz3-dev", is_there: z3_library },
    Need { name: "Z3", package: "z3", is_there: z3 },
    Need { name: "cvc5", package: "cvc5", is_there: cvc5 },
];

/// Sees to it that everything is there.
pub fn run() -> Result<()> {
    let missing = missing();
    if missing.is_empty() {
        return forget_failed_search();
    }
    let names: Vec<&str> = missing.iter().map(|n| n.name).collect();
    let packages: Vec<&str> = missing.iter().map(|n| n.package).collect();
    let install = format!("apt-get install -y --no-install-recommends {}", packages.join(" "));
    eprintln!("Missing: {}.", names.join(", "));
    if probe("apt-get", &["--version"]).is_none() {
        bail!(
            "install them with this system's package manager (on Debian: `{install}`), then \
             run this again"
        );
    }
    if probe("id", &["-u"]).is_none_or(|id| id.trim() != "0") {
        bail!("type this, then run this again:\n\n    sudo apt-get update && sudo {install}\n");
    }
    process::run(&mut program("apt-get", &["update"]))?;
    let mut words = install.split(' ');
    let arguments: Vec<&str> = words.by_ref().skip(1).collect();
    process::run(program("apt-get", &arguments).env("DEBIAN_FRONTEND", "noninteractive"))?;
    let still: Vec<&str> = self::missing().iter().map(|n| n.name).collect();
    if !still.is_empty() {
        bail!("installed, and still not usable: {}", still.join(", "));
    }
    forget_failed_search()
}

/// Removes the build output of `llvm-sys` if LLVM was missing when it was built. Cargo would use that output again,
/// since no file that it knows of changed, and every build would fail although LLVM is installed now.
fn forget_failed_search() -> Result<()> {
    let says_missing = |folder: &Path| {
        let output = std::fs::read_to_string(folder.join("output")).unwrap_or_default();
        output.contains("LLVM_SYS_NOT_FOUND")
    };
    for (profile, arguments) in [("debug", &[][..]), ("release", &["--release"][..])] {
        let Ok(entries) = std::fs::read_dir(process::target().join(profile).join("build")) else {
            continue;
        };
        let mut folders =
            entries.flatten().filter(|e| e.file_name().to_string_lossy().starts_with("llvm-sys-"));
        if folders.any(|folder| says_missing(&folder.path())) {
            process::run(process::cargo(&["clean", "-p", "llvm-sys"]).args(arguments))?;
        }
    }
    Ok(())
}

fn missing() -> Vec<&'static Need> {
    NEEDS.iter().filter(|need| !(need.is_there)()).collect()
}

fn clang() -> bool {
    probe("clang-19", &["--version"]).is_some_and(|v| v.contains("clang version 19."))
}

/// `llvm-config` and what it points to: the headers and the shared library.
fn llvm() -> bool {
    let ask = |what| probe("llvm-config-19", &[what]).map(|a| a.trim().to_owned());
    let major = ask("--version").and_then(|v| v.split('.').next().map(str::to_owned));
    let headers = ask("--includedir").is_some_and(|d| Path::new(&d).join("llvm-c/Core.h").exists());
    let library =
        ask("--libdir").is_some_and(|d| Path::new(&d).join(format!("libLLVM-{LLVM}.so")).exists());
    major.as_deref() == Some(LLVM) && headers && library
}

fn sanitizers() -> bool {
    links(&["-fsanitize=address"])
}

fn z3_library() -> bool {
    links(&["-include", "z3.h", "-lz3"])
}

/// Whether clang makes a program with these flags.
fn links(flags: &[&str]) -> bool {
    let source = std::env::temp_dir().join(format!("verdiff-setup-{}.c", std::process::id()));
    let binary = source.with_extension("out");
    if std::fs::write(&source, "int main(void) { return 0; }\n").is_err() {
        return false;
    }
    let (from, to) = (source.to_string_lossy(), binary.to_string_lossy());
    let mut arguments = vec![from.as_ref(), "-o", to.as_ref()];
    arguments.extend(flags);
    let linked = probe("clang-19", &arguments).is_some();
    for path in [&source, &binary] {
        // Left behind in the worst case, in a folder made for that.
        let _ = std::fs::remove_file(path);
    }
    linked
}

fn z3() -> bool {
    probe("z3", &["--version"]).is_some()
}

fn cvc5() -> bool {
    probe("cvc5", &["--version"]).is_some()
}
