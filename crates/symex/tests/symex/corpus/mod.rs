//! Tests that execute the files of the corpus. They are one group, so that one process compiles each file once for all of
//! them: to start clang takes longer than what most of them do with a file.

mod pairs;
mod summaries;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock};
use verdiff_front::{Inputs, load};
use verdiff_model::Program;

/// Whether the test suite runs a case here: half of them, by their names. All are run by the tests of `cli`, through the same code; `cargo
/// xtask soak` runs all here as well.
pub fn is_in_suite(case: &Path) -> bool {
    let name = case.file_name().unwrap_or_default().to_string_lossy();
    let sum: u32 = name.bytes().map(u32::from).sum();
    std::env::var_os("VERDIFF_CORPUS_ALL").is_some() || sum.is_multiple_of(2)
}

/// The program of a file, compiled once; `None` if it does not compile.
fn program(path: &Path) -> Option<Arc<Program>> {
    type Known = BTreeMap<PathBuf, Arc<OnceLock<Option<Arc<Program>>>>>;
    static KNOWN: Mutex<Known> = Mutex::new(BTreeMap::new());
    let one = KNOWN.lock().unwrap().entry(path.to_owned()).or_default().clone();
    let compiled = || {
        let inputs = Inputs { paths: vec![path.to_owned()], ..Inputs::default() };
        Some(Arc::new(load(&inputs).ok()?.program))
    };
    one.get_or_init(compiled).clone()
}
