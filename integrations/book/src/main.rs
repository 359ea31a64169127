//! The web pages of the book: `verdiff-book SOURCE OUTPUT`. `cargo xtask book` prepares the pages and runs this.
//!
//! mdBook's library is used and not its program, since cargo fetches and builds a library like any other dependency.

#![forbid(unsafe_code)]

use anyhow::{Context, Result};
use mdbook_driver::MDBook;
use std::path::PathBuf;

fn main() -> Result<()> {
    let mut arguments = std::env::args_os().skip(1).map(PathBuf::from);
    let source = arguments.next().context("the folder of the pages is missing")?;
    let output = arguments.next().context("the folder for the result is missing")?;
    let mut book = MDBook::load(&source).context("the book cannot be read")?;
    book.config.build.build_dir = output;
    book.build().context("the book cannot be built")
}
