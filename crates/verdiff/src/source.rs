//! One version of a program.

use crate::error::Error;
use crate::options::{Options, Overflow, flags};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tempfile::TempDir;
use verdiff_cache::Store;
use verdiff_front::{Inputs, Unit};

/// One version of a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Source {
    /// C code.
    Text(String),
    /// C files, LLVM bitcode or IR, or folders with compile_commands.json; linked together.
    Files(Vec<PathBuf>),
}

impl Source {
    /// C code.
    pub fn text(code: impl Into<String>) -> Source {
        Source::Text(code.into())
    }

    /// One file.
    pub fn file(path: impl Into<PathBuf>) -> Source {
        Source::Files(vec![path.into()])
    }

    /// Several files, linked (a client and its library).
    pub fn files<P: Into<PathBuf>>(paths: impl IntoIterator<Item = P>) -> Source {
        Source::Files(paths.into_iter().map(Into::into).collect())
    }

    /// The text of a file of this version, by the name that the report has for it.
    pub(crate) fn read(&self, path: &str) -> Option<String> {
        match self {
            Source::Text(code) => Some(code.clone()),
            Source::Files(_) => std::fs::read_to_string(path).ok(),
        }
    }
}

/// Inputs, and what has to stay there while they are used.
pub(crate) struct Given {
    pub inputs: Inputs,
    pub _folder: Option<TempDir>,
}

/// A version as the front end wants it; `name` is the file of a text in reports.
pub(crate) fn given(
    source: &Source,
    name: &str,
    options: &Options,
    store: Option<&Arc<Store>>,
) -> Result<Given, Error> {
    let flags = flags(&options.clang_flags, options.ignore_line_numbers);
    let inputs = Inputs { overflow: options.overflow, store: store.cloned(), ..Inputs::default() };
    match source {
        Source::Files(paths) => {
            if options.overflow == Overflow::Traps {
                only_source(paths)?;
            }
            let inputs = Inputs { paths: paths.clone(), clang_flags: flags, ..inputs };
            Ok(Given { inputs, _folder: None })
        }
        Source::Text(code) => {
            let folder = tempfile::Builder::new().prefix("verdiff-").tempdir()?;
            std::fs::write(folder.path().join(name), code)?;
            // clang runs in the folder, so that its name is not part of the program.
            let directory = Some(std::path::absolute(folder.path())?);
            let unit = Unit { file: name.into(), directory, flags, bitcode: None };
            Ok(Given { inputs: Inputs { units: vec![unit], ..inputs }, _folder: Some(folder) })
        }
    }
}

/// Overflow checks are compiled in: what is compiled already has none.
pub fn only_source(paths: &[PathBuf]) -> Result<(), Error> {
    let compiled = |path: &&PathBuf| path.extension().is_some_and(|e| e == "bc" || e == "ll");
    match paths.iter().find(compiled) {
        Some(path) => Err(Error::OverflowOfBitcode(display(path))),
        None => Ok(()),
    }
}

fn display(path: &Path) -> String {
    path.display().to_string()
}
