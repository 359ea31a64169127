//! Compiles the drivers that programs are linked with when they are replayed. It takes longer than all the rest of a
//! replay, and gives the same each time.
//!
//! Where that cannot be done (no clang, no headers of the C library, another machine to build for), nothing is lost but time:
//! an empty file says so, and verdiff compiles them when it needs them.

#[path = "src/compiled/pieces.rs"]
mod pieces;

use pieces::{Piece, SOURCES};
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
}

fn compile(piece: Piece, source: &Path, object: &Path) -> bool {
    let wish = env::var("VERDIFF_CLANG").ok().filter(|clang| !clang.is_empty());
    let names = match &wish {
        Some(wish) => vec![wish.as_str()],
        None => NAMES.to_vec(),
    };
    names.into_iter().any(|clang| {
        let mut command = Command::new(clang);
        command.args(piece.flags()).arg("-c").arg(source).arg("-o").arg(object);
        command.status().is_ok_and(|status| status.success())
    })
}
