//! The language server: above each changed function of a saved file, how it differs from HEAD.
//!
//! ```text
//! editor ── LSP on stdio ──▶ server ── FILE ──▶ verdiff lenses HEAD -- FILE
//!        ◀── lenses, actions ──      ◀── lines of JSON: Lenses ──
//! ```
//!
//! A comparison is a process of the program: it has its own limits, cannot take the server with it, and is ended when a
//! newer save makes its result worthless. One runs at a time; each uses all cores.
//!
//! The dozen messages that are used are written as JSON, without a crate that has types for all of the protocol.
//!
//! Architecture invariant: this crate knows editors and how to start a comparison. What it shows comes from the report.

#![forbid(unsafe_code)]

mod document;
mod runs;
mod server;
mod uri;

use lsp_server::Connection;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;
use verdiff_report::Lens;

/// How a file is compared.
#[derive(Clone, Debug)]
pub struct Comparer {
    /// The program `verdiff`.
    pub program: PathBuf,
    /// Further options of `verdiff git`.
    pub options: Vec<String>,
}

/// What a comparison tells the server (`verdiff lenses`), a line of JSON each time.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Lenses {
    /// Whether this is all; else it is what is known already of some functions.
    pub is_final: bool,
    /// The folder that the files are relative to.
    pub root: Option<PathBuf>,
    /// One for each function that is worth a line.
    pub lenses: Vec<Lens>,
    /// Files that could not be compared, and why.
    pub problems: Vec<String>,
}

/// Why the server ended before the editor wanted it to.
#[derive(Debug, thiserror::Error)]
pub enum LspError {
    /// The editor does not keep to the protocol.
    #[error("the language client sent an unexpected message: {0}")]
    Protocol(#[from] lsp_server::ProtocolError),
    /// Standard input or output failed, or there is no temporary folder.
    #[error("the language server cannot continue: {0}")]
    Io(#[from] std::io::Error),
}

/// Serves an editor on standard input and output, until it goes away.
pub fn serve(comparer: Comparer) -> Result<(), LspError> {
    let (connection, threads) = Connection::stdio();
    server::run(connection, comparer)?;
    threads.join()?;
    Ok(())
}
