//! `verdiff lsp`: the language server, which has processes of this program compare files.

use crate::arguments::Lsp;
use anyhow::Context;

/// Serves an editor until it goes away.
pub fn run(arguments: &Lsp) -> anyhow::Result<u8> {
    let program = std::env::current_exe().context("cannot find the program itself")?;
    verdiff_lsp::serve(verdiff_lsp::Comparer { program, options: arguments.options.clone() })?;
    Ok(0)
}
