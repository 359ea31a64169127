//! Tests that execute all files of the corpus. They are one group, so that one process compiles each file once for all of
//! them: to start clang takes longer than what most of them do with a file.

mod pairs;
mod summaries;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock};
use verdiff_front::{Inputs, load};
use verdiff_model::Program;

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
