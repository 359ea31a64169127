//! Files compared in parallel.

// Each test file is a crate of its own and uses a part of this.
#![allow(dead_code)]

pub mod pair;
pub mod status;
pub mod surroundings;

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use verdiff_cache::Store;
use verdiff_front::{CallableOptions, Clang, Inputs, compile_callable};
use verdiff_witness::agree::{Build, real_externals};
use verdiff_witness::{
    Agreement, AgreementOptions, Builds, Deadline, Instrument, Report, Toolchain,
};

/// Bitcode of the corpus, which the test programs of several crates share: each file is compiled once for all of them.
const CORPUS_BITCODE: &str = concat!(env!("CARGO_TARGET_TMPDIR"), "/corpus-bitcode");

/// A file as a version. Whoever has a clone compiles it only where nobody else with one did before.
pub fn inputs(file: &Path) -> Inputs {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus");
    let store = file.starts_with(corpus).then(|| Arc::new(Store::new(CORPUS_BITCODE)));
    // A name that does not depend on the crate: it is in the bitcode.
    let file = file.canonicalize().unwrap_or(file.to_path_buf());
    Inputs { paths: vec![file], store, ..Inputs::default() }
}

/// Compiles a file for an instrument, the object going into `folder`.
pub fn build(
    file: &Path,
    folder: &Path,
    instrument: Instrument,
    deadline: Deadline,
) -> Result<Build, String> {
    build_inputs(&inputs(file), folder, instrument, deadline)
}

/// The same.
pub fn build_inputs(
    inputs: &Inputs,
    folder: &Path,
    instrument: Instrument,
    deadline: Deadline,
) -> Result<Build, String> {
    let object = folder.join(format!("{instrument:?}.o"));
    let options = CallableOptions {
        flags: instrument.flags().iter().map(|flag| (*flag).to_owned()).collect(),
        real_externals: real_externals(instrument),
        as_written: instrument.as_written(),
        deadline,
        tool: None,
    };
    let made = compile_callable(inputs, &options, &object).map_err(|e| e.to_string())?;
    Ok(Build {
        program: made.program.into(),
        frames: made.frames,
        external_frames: made.external_frames,
        real: made.real,
        object,
    })
}

/// A toolchain with the tests' clang.
pub fn toolchain() -> Toolchain {
    Toolchain::new(Clang::find().unwrap().path()).unwrap()
}

/// Compares each file's model with its compiled code; a report for each, in order.
pub fn agree(files: &[PathBuf], options: &AgreementOptions) -> Vec<Report> {
    let toolchain = toolchain();
    let next = AtomicUsize::new(0);
    let reports = Mutex::new(vec![None; files.len()]);
    let workers = std::thread::available_parallelism().map_or(2, |n| n.get()).max(2);
    std::thread::scope(|scope| {
        for _ in 0..workers {
            scope.spawn(|| {
                loop {
                    let index = next.fetch_add(1, Ordering::Relaxed);
                    let Some(file) = files.get(index) else { return };
                    let folder = tempfile::tempdir().unwrap();
                    let inputs = inputs(file);
                    let make = |instrument, deadline| {
                        build_inputs(&inputs, folder.path(), instrument, deadline)
                    };
                    let builds = Builds { toolchain: &toolchain, make: &make };
                    let report = Agreement::new(builds, options.clone())
                        .run()
                        .unwrap_or_else(|e| panic!("{}: {e}", file.display()));
                    reports.lock().unwrap()[index] = Some(report);
                }
            });
        }
    });
    reports.into_inner().unwrap().into_iter().map(Option::unwrap).collect()
}

/// Fails with all disagreements, if there are any.
pub fn assert_no_disagreement(files: &[PathBuf], reports: &[Report]) {
    let mut text = String::new();
    for (file, report) in files.iter().zip(reports) {
        for (name, d) in report.disagreements() {
            text += &format!("{} {name}, input {}: {}\n", file.display(), d.number, d.detail);
        }
    }
    assert!(text.is_empty(), "{text}");
}

/// The C files below a folder, in order.
pub fn c_files(folder: &Path) -> Vec<PathBuf> {
    let mut found = vec![];
    let mut work = vec![folder.to_path_buf()];
    while let Some(folder) = work.pop() {
        for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
            let path = entry.path();
            if path.is_dir() {
                work.push(path);
            } else if path.extension().is_some_and(|e| e == "c") {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}
