//! PPL behind a small program in C that is compiled when a test needs it. Where a compiler or PPL
//! is missing, the tests that need them say so and pass.

use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::OnceLock;
use verdiff_polyhedra::trace::{Trace, TraceAnswer, TraceStep, parse_constraints};
use verdiff_polyhedra::{Bound, Bounds, Integer, Rational};

/// The compiled program, if there could be one.
pub fn driver() -> Option<&'static PathBuf> {
    static DRIVER: OnceLock<Option<(tempfile::TempDir, PathBuf)>> = OnceLock::new();
    let built = DRIVER.get_or_init(|| {
        let source = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/polyhedra/ppl_driver.c");
        let folder = tempfile::tempdir().ok()?;
        let program = folder.path().join("ppl_driver");
        for compiler in ["cc", "clang", "gcc"] {
            let mut command = Command::new(compiler);
            command.args(["-O2", source, "-o"]).arg(&program).args(["-lppl_c", "-lppl", "-lgmp"]);
            if command.output().is_ok_and(|output| output.status.success()) {
                return Some((folder, program));
            }
        }
        None
    });
    if built.is_none() {
        println!("skipped: PPL (libppl-dev) or a C compiler is missing");
    }
    built.as_ref().map(|(_, program)| program)
}

/// What PPL answers to the questions of a trace.
pub fn answers(driver: &PathBuf, trace: &Trace, strict: bool) -> Vec<TraceAnswer> {
    let mut child = Command::new(driver)
        .arg(if strict { "strict" } else { "closed" })
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(trace.to_string().as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success(), "PPL failed on\n{trace}");
    let text = String::from_utf8(output.stdout).unwrap();
    let mut lines = text.lines();
    let mut result = Vec::new();
    for step in &trace.steps {
        let answer = match step {
            TraceStep::IsBottom(_)
            | TraceStep::IsTop(_)
            | TraceStep::Includes(..)
            | TraceStep::Equals(..)
            | TraceStep::Entails(..) => TraceAnswer::Truth(lines.next().unwrap() == "1"),
            TraceStep::Bounds(..) => {
                let (lower, upper) = lines.next().unwrap().split_once(' ').unwrap();
                let bounds = Bounds { lower: bound(lower), upper: bound(upper) };
                TraceAnswer::Bounds(Some(bounds))
            }
            TraceStep::Constraints(_) => {
                TraceAnswer::Constraints(parse_constraints(lines.next().unwrap()).unwrap())
            }
            _ => continue,
        };
        result.push(answer);
    }
    assert_eq!(lines.next(), None);
    result
}

fn bound(text: &str) -> Option<Bound> {
    let number = |text: &str| text.parse::<Integer>().unwrap();
    let (numerator, rest) = text.split_once('/')?;
    let denominator = rest.trim_end_matches('!');
    let value = Rational::new(number(numerator), number(denominator));
    Some(Bound { value, attained: !rest.ends_with('!') })
}
