//! Whether a label is right: both versions are compiled and run.

use super::large::{Large, VALUES, head};
use anyhow::{Context, Result, ensure};
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// How the versions are compiled: as verdiff understands C.
const FLAGS: [&str; 7] = [
    "-std=gnu17",
    "-w",
    "-O1",
    "-fwrapv",
    "-fno-strict-aliasing",
    "-fno-delete-null-pointer-checks",
    "-fno-finite-loops",
];

/// What a run does that takes longer than this is not waited for.
const LIMIT: Duration = Duration::from_secs(5);

/// Fails unless both versions do the same on many inputs, or differ on the one that is stated.
pub fn label(pair: &Large, files: &[PathBuf; 2], folder: &Path) -> Result<()> {
    let mut outcomes = vec![];
    for (side, file) in ["old", "new"].iter().zip(files) {
        let harness = folder.join(format!("{}-main.c", pair.name));
        fs::write(&harness, program(pair)?)?;
        let binary = folder.join(format!("{}-{side}", pair.name));
        let mut clang = Command::new("clang-19");
        clang.args(FLAGS).arg(&harness).arg(file).arg("-o").arg(&binary);
        ensure!(clang.status().context("clang-19")?.success(), "{} does not compile", pair.name);
        outcomes.push(outcome(&binary)?);
        fs::remove_file(&binary)?;
    }
    let same = outcomes[0] == outcomes[1];
    ensure!(
        same == pair.equivalent,
        "{} is labelled {} and runs as {outcomes:?}",
        pair.name,
        if pair.equivalent { "equivalent" } else { "different" },
    );
    Ok(())
}

/// Calls the function on the input that is stated and, if no difference is, on others.
fn program(pair: &Large) -> Result<String> {
    let mut text = format!(
        "#include <stdio.h>\nextern int result[12];\n{};\nint probe(int x) {{ return x * 7 + 1; }}\n",
        head(pair.special)
    );
    let [a, b, c, gate] = pair.input;
    let rounds = if pair.equivalent { 500 } else { 1 };
    write!(
        text,
        "int main(void) {{\n    static const int edges[] = {{0, 1, -1, 2, 15, 16, 77, 255, 256, 300, -7, 2147483647, -2147483647 - 1, 123456789}};\n\
         \x20   unsigned v[8] = {VALUES}, h = 0, s = 1, k, i;\n\
         \x20   int a = {a}, b = {b}, c = {c};\n    unsigned gate = {gate};\n\
         \x20   for (k = 0; k < {rounds}; k++) {{\n\
         \x20       h = h * 31 + (unsigned)large(a, b, c, gate, v, 7);\n\
         \x20       for (i = 0; i < 12; i++)\n            h = h * 31 + (unsigned)result[i];\n\
         \x20       s = s * 1664525u + 1013904223u;\n\
         \x20       a = s & 64 ? edges[(s >> 8) % 14] : (int)s >> (s >> 27);\n\
         \x20       s = s * 1664525u + 1013904223u;\n\
         \x20       b = s & 64 ? edges[(s >> 8) % 14] : (int)s >> (s >> 27);\n\
         \x20       c = (int)(s >> 20) - 2000;\n        gate = s & 1024 ? {gate} : s >> 9;\n    }}\n\
         \x20   printf(\"%u\\n\", h);\n    return 0;\n}}\n"
    )?;
    // A function without variable arguments takes five.
    let five = pair.special != super::surroundings::Special::VariableArguments;
    Ok(if five { text.replace("v, 7)", "v)") } else { text })
}

/// What a program prints and how it ends; nothing if it does not end in time.
fn outcome(binary: &Path) -> Result<Option<(String, Option<i32>)>> {
    let mut child = Command::new(binary).stdout(Stdio::piped()).spawn()?;
    let begun = Instant::now();
    while begun.elapsed() < LIMIT {
        if let Some(status) = child.try_wait()? {
            let output = child.wait_with_output()?;
            return Ok(Some((String::from_utf8_lossy(&output.stdout).into_owned(), status.code())));
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    stop(child)?;
    Ok(None)
}

fn stop(mut child: Child) -> Result<()> {
    child.kill()?;
    child.wait()?;
    Ok(())
}
