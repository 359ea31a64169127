//! The test suite, and what CI checks beyond it.

use crate::process::{cargo, probe, run};
use crate::{book, setup, suite, tidy};
use anyhow::Result;

/// All cases of the corpus in every way, of which the test suite runs a part.
pub fn corpus() -> Result<()> {
    setup::run()?;
    let mut tests = cargo(&["test", "--release", "-p", "verdiff-cli", "--test", "corpus"]);
    tests.args(["--", "--include-ignored"]);
    run(tests.env("VERDIFF_CORPUS_ALL", "1"))
}

/// The cheap checks first, so that they fail early.
pub fn ci(with_tests: bool) -> Result<()> {
    tidy::run()?;
    if has_component("rustfmt", "fmt") {
        run(&mut cargo(&["fmt", "--all", "--check"]))?;
    }
    setup::run()?;
    if has_component("clippy", "clippy") {
        let arguments = ["clippy", "--workspace", "--all-targets", "--", "-D", "warnings"];
        run(&mut cargo(&arguments))?;
    }
    let mut doc = cargo(&["doc", "--workspace", "--no-deps", "--document-private-items"]);
    run(doc.env("RUSTDOCFLAGS", "-D warnings -A rustdoc::private_intra_doc_links"))?;
    match book::is_available() {
        true => book::build()?,
        false => eprintln!("xtask: NOT CHECKED: the book was not built, mdBook cannot be fetched"),
    }
    if with_tests { suite::test(suite::Extent::Whole) } else { Ok(()) }
}

/// Whether a part of the tool chain is there, after trying to get it. A minimal tool chain
/// has neither formatter nor lints; what was not checked is said.
fn has_component(component: &str, command: &str) -> bool {
    let is_there = || cargo(&[command, "--version"]).output().is_ok_and(|o| o.status.success());
    if is_there() {
        return true;
    }
    probe("rustup", &["component", "add", component]);
    let there = is_there();
    if !there {
        eprintln!("xtask: NOT CHECKED: {component} is not installed and could not be added");
    }
    there
}
