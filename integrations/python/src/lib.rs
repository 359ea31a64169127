//! The crate `verdiff` for Python: the module `verdiff._verdiff`, which `verdiff` makes convenient.

#![forbid(unsafe_code)]

use pyo3::create_exception;
use pyo3::exceptions::{PyException, PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use std::path::PathBuf;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;
use verdiff::{ComparedVersions, Criterion, Error, FrontError, Options, Overflow, Source, Workers};

create_exception!(_verdiff, VerdiffError, PyException, "The versions or the options are wrong.");

/// How often Ctrl-C is looked for.
const TICK: Duration = Duration::from_millis(50);

/// A version: C code, or files.
#[derive(FromPyObject)]
enum Version {
    Text(String),
    Files(Vec<PathBuf>),
}

impl From<Version> for Source {
    fn from(version: Version) -> Source {
        match version {
            Version::Text(code) => Source::Text(code),
            Version::Files(paths) => Source::Files(paths),
        }
    }
}

/// The report of a comparison.
#[pyclass(frozen)]
struct Compared(ComparedVersions);

#[pymethods]
impl Compared {
    /// The JSON report.
    fn json(&self) -> String {
        self.0.json().to_string()
    }

    /// The report for a terminal.
    fn text(&self) -> String {
        self.0.text()
    }

    /// The report as one HTML page.
    fn html(&self) -> PyResult<String> {
        self.0.html().map_err(raised)
    }

    /// The report as Markdown.
    fn markdown(&self) -> String {
        self.0.markdown()
    }

    /// The SARIF report.
    fn sarif(&self) -> String {
        self.0.sarif().to_string()
    }

    /// The exit code of the program for this report.
    fn exit_code(&self) -> u8 {
        self.0.exit_code()
    }

    /// The C test of a function: its name and its text.
    fn test(&self, function: &str) -> Option<(String, String)> {
        self.0.function(function)?.tests.first().cloned()
    }
}

/// Compares two versions.
#[pyfunction]
#[pyo3(signature = (old, new, *, entry, timeout, effort, budget, jobs, criterion, ignore_termination, overflow, no_alias, ignore_line_numbers, rename, assume, clang_flags, seed, cache, tests, program, memory))]
#[expect(clippy::too_many_arguments, reason = "options by name, checked by Python")]
fn compare(
    py: Python<'_>,
    old: Version,
    new: Version,
    entry: Vec<String>,
    timeout: f64,
    effort: Option<f64>,
    budget: Option<f64>,
    jobs: Option<usize>,
    criterion: &str,
    ignore_termination: bool,
    overflow: &str,
    no_alias: bool,
    ignore_line_numbers: bool,
    rename: Vec<(String, String)>,
    assume: Vec<(String, String)>,
    clang_flags: Vec<String>,
    seed: u64,
    cache: Option<PathBuf>,
    tests: bool,
    program: Option<PathBuf>,
    memory: u64,
) -> PyResult<Compared> {
    let options = Options {
        entry,
        timeout: seconds("timeout", timeout)?,
        effort: effort.map(|value| seconds("effort", value)).transpose()?,
        budget: budget.map(|value| seconds("budget", value)).transpose()?,
        jobs,
        criterion: match criterion {
            "partial" => Criterion::Partial,
            "full" => Criterion::Full,
            other => return Err(unknown("criterion", other, "'partial' or 'full'")),
        },
        ignore_termination,
        overflow: match overflow {
            "wrap" => Overflow::Wraps,
            "ub" => Overflow::Traps,
            other => return Err(unknown("overflow", other, "'wrap' or 'ub'")),
        },
        no_alias,
        ignore_line_numbers,
        rename,
        assume,
        clang_flags,
        seed,
        cache,
        tests,
        workers: program.map_or(Workers::Threads, |program| Workers::Processes { program, memory }),
        ..Options::default()
    };
    let interrupt = options.interrupt.clone();
    let (old, new) = (Source::from(old), Source::from(new));
    let (done, mut compared) = channel();
    let work = std::thread::spawn(move || {
        // After Ctrl-C nobody wants it.
        let _ = done.send(verdiff::compare(&old, &new, &options));
    });
    loop {
        // Other threads of Python go on meanwhile.
        let result;
        (compared, result) = py.detach(move || {
            let result = compared.recv_timeout(TICK);
            (compared, result)
        });
        match result {
            Ok(result) => return result.map(Compared).map_err(raised),
            Err(RecvTimeoutError::Timeout) => {
                if let Err(interrupted) = py.check_signals() {
                    interrupt.request();
                    let _ = py.detach(|| work.join());
                    return Err(interrupted);
                }
            }
            Err(RecvTimeoutError::Disconnected) => {
                return Err(PyRuntimeError::new_err("internal error: the comparison panicked"));
            }
        }
    }
}

fn seconds(name: &str, value: f64) -> PyResult<Duration> {
    match value.is_finite() && value > 0.0 && value < 1e9 {
        true => Ok(Duration::from_secs_f64(value)),
        false => Err(unknown(name, &value.to_string(), "a positive number of seconds")),
    }
}

fn unknown(name: &str, value: &str, expected: &str) -> PyErr {
    PyValueError::new_err(format!("{name}: must be {expected}, not {value}"))
}

/// An error with what clang had to say.
fn raised(error: Error) -> PyErr {
    match &error {
        Error::Front(FrontError::DoesNotCompile { diagnostics, .. }) => {
            VerdiffError::new_err(format!("{error}\n{diagnostics}"))
        }
        _ => VerdiffError::new_err(error.to_string()),
    }
}

#[pymodule]
fn _verdiff(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(compare, module)?)?;
    module.add_class::<Compared>()?;
    module.add("VerdiffError", module.py().get_type::<VerdiffError>())
}
