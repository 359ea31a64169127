//! Compiles the drivers that programs are linked with when they are replayed. It takes longer than all the rest of a
//! replay, and gives the same each time.
//!
//! It also asks clang how it calls the linker: to start clang only for that takes longer than the linker.
//!
//! Where that cannot be done (no clang, no headers of the C library, another machine to build for), nothing is lost but time:
//! an empty file says so, and verdiff compiles them when it needs them.

#[path = "src/compiled/pieces.rs"]
mod pieces;

use pieces::{LINKED, OBJECTS, OUTPUT, Piece, SOURCES};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

/// Whose object files are sure to be linked by the clang that verdiff finds later, as they come from the same one.
const NAMES: [&str; 2] = ["clang-19", "clang"];

fn main() {
    let folder = Path::new("src/compiled");
    for source in SOURCES {
        println!("cargo::rerun-if-changed={}", folder.join(source).display());
    }
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed={}", folder.join("pieces.rs").display());
    println!("cargo::rerun-if-env-changed=VERDIFF_CLANG");
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets it"));
    let same_machine = env::var_os("TARGET") == env::var_os("HOST");
    for piece in Piece::ALL {
        let object = out.join(piece.object());
        let made = same_machine && compile(piece, &folder.join(piece.source()), &object);
        if !made {
            // What is missing may be there next time: cargo asks again as long as this file is not.
            println!("cargo::rerun-if-changed={}", out.join("made").display());
            fs::write(&object, b"").expect("cargo's own folder can be written");
        }
    }
    let driver = out.join(Piece::Driver.object());
    for (flag, name) in LINKED {
        let line = match same_machine {
            true => link_line(flag, &driver).unwrap_or_default(),
            false => String::new(),
        };
        fs::write(out.join(name), line).expect("cargo's own folder can be written");
    }
}

/// How clang calls the linker: its own file first, then that of the C library, then the linker with its arguments, one a line, with
/// [`OBJECTS`] and [`OUTPUT`] where these belong.
fn link_line(flag: &str, driver: &Path) -> Option<String> {
    let clang = clangs().into_iter().find_map(|name| file_of(&name))?;
    let mut command = Command::new(&clang);
    command.args(["-###", flag]).arg(driver).args(["-w", "-lm", "-lpthread", "-o", OUTPUT]);
    let said = command.output().ok().filter(|done| done.status.success())?;
    let said = String::from_utf8(said.stderr).ok()?;
    let line = said.lines().rfind(|line| line.starts_with(" \""))?;
    let driver = driver.to_str()?;
    let words = words(line)?.into_iter().map(|w| if w == driver { OBJECTS.to_owned() } else { w });
    let library = Command::new(&clang).arg("-print-file-name=libc.so.6").output().ok()?;
    let library = String::from_utf8(library.stdout).ok()?.trim().to_owned();
    let first = [clang.to_str()?.to_owned(), library];
    let all: Vec<String> = first.into_iter().chain(words).collect();
    let whole = all.iter().filter(|word| [OBJECTS, OUTPUT].contains(&word.as_str())).count() == 2;
    (whole && all.iter().all(|word| !word.contains('\n'))).then(|| all.join("\n"))
}

/// The words of a line in which each is quoted.
fn words(line: &str) -> Option<Vec<String>> {
    let mut words = vec![];
    let mut rest = line.chars();
    while let Some(next) = rest.next() {
        if next != '"' {
            continue;
        }
        let mut word = String::new();
        loop {
            match rest.next()? {
                '"' => break,
                '\\' => word.push(rest.next()?),
                other => word.push(other),
            }
        }
        words.push(word);
    }
    Some(words)
}

/// The file of a program, whatever it is called by.
fn file_of(name: &str) -> Option<PathBuf> {
    let path = env::var_os("PATH")?;
    let mut folders = env::split_paths(&path);
    let found = match name.contains('/') {
        true => PathBuf::from(name),
        false => folders.find(|folder| folder.join(name).is_file())?.join(name),
    };
    found.canonicalize().ok()
}

fn compile(piece: Piece, source: &Path, object: &Path) -> bool {
    clangs().into_iter().any(|clang| {
        let mut command = Command::new(clang);
        command.args(piece.flags()).arg("-c").arg(source).arg("-o").arg(object);
        command.status().is_ok_and(|status| status.success())
    })
}

fn clangs() -> Vec<String> {
    let wish = env::var("VERDIFF_CLANG").ok().filter(|clang| !clang.is_empty());
    wish.map_or_else(|| NAMES.map(str::to_owned).to_vec(), |wish| vec![wish])
}
