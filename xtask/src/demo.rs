//! verdiff at work, from nothing: installs, builds, shows.

use crate::process::{self, cargo, program};
use crate::setup;
use anyhow::Result;
use std::path::PathBuf;

const RING: &str = "examples/ring/ring.c";
const CLIENT: &str = "examples/ring/client.c";

/// Installs what is missing, builds, and shows.
pub fn run() -> Result<()> {
    setup::run()?;
    let verdiff = build()?;
    let verdiff = verdiff.to_string_lossy();
    let show = |arguments: &[&str]| process::run(&mut program(&verdiff, arguments));
    say("Two C files, linked, as verdiff sees them: their functions, who calls whom, where the\n\
         loops are, and what the model cannot express.");
    show(&["show", RING, CLIENT])?;
    say("One function as a Graphviz graph; `| dot -Tsvg` makes a picture of it.");
    show(&["show", RING, "--function", "ring_fold", "--dot"])?;
    say("The same for scripts.");
    show(&["show", RING, "--function", "ring_fold", "--json"])?;
    say("What comes next is the comparison of two versions; it is not built yet.\n\
         Try your own code: target/release/verdiff show FILE.c");
    Ok(())
}

/// Builds the program for use, and says where it is.
pub fn build() -> Result<PathBuf> {
    process::run(&mut cargo(&["build", "--release", "-p", "verdiff-cli"]))?;
    Ok(process::target().join("release/verdiff"))
}

fn say(text: &str) {
    println!("\n=== {}\n", text.replace('\n', "\n    "));
}
