//! Tests that execute the files of the corpus. They are one group, so that one process compiles each file once for all of
//! them: to start clang takes longer than what most of them do with a file.

mod pairs;
mod summaries;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock};
use verdiff_cache::Store;
use verdiff_front::{Inputs, load};
use verdiff_model::Program;

/// Whether the test suite runs a case here: a fifth of them, by their names. All are run by the tests of `cli`, through the same code; `cargo
/// xtask soak` runs all here as well.
pub fn is_in_suite(case: &Path) -> bool {
    let name = case.file_name().unwrap_or_default().to_string_lossy();
    let sum: u32 = name.bytes().map(u32::from).sum();
    // Pairs of loops are many and alike.
    let is_loop = case.components().any(|part| part.as_os_str() == "align");
    let parts = if is_loop { 30 } else { 5 };
    std::env::var_os("VERDIFF_CORPUS_ALL").is_some() || sum.is_multiple_of(parts)
}

/// A file as a version. Bitcode of the corpus is kept: the test programs of several crates share it, so that each file is
/// compiled once for all of them.
pub fn inputs(path: &Path) -> Inputs {
    const BITCODE: &str = concat!(env!("CARGO_TARGET_TMPDIR"), "/corpus-bitcode");
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus");
    let store = path.starts_with(corpus).then(|| Arc::new(Store::new(BITCODE)));
    // A name that does not depend on the crate: it is in the bitcode.
    let path = path.canonicalize().unwrap_or(path.to_owned());
    Inputs { paths: vec![path], store, ..Inputs::default() }
}

/// The program of a file, compiled once; `None` if it does not compile.
fn program(path: &Path) -> Option<Arc<Program>> {
    type Known = BTreeMap<PathBuf, Arc<OnceLock<Option<Arc<Program>>>>>;
    static KNOWN: Mutex<Known> = Mutex::new(BTreeMap::new());
    let one = KNOWN.lock().unwrap().entry(path.to_owned()).or_default().clone();
    let compiled = || Some(Arc::new(load(&inputs(path)).ok()?.program));
    one.get_or_init(compiled).clone()
}
