//! The comparison as a user feels it: small pairs against the two clang runs they cannot do without, and a file with a
//! thousand changed functions.

use crate::process::{self, root, target};
use anyhow::{Context, Result};
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

/// How often each pair is measured; the run whose ratio is in the middle counts.
const TIMES: usize = 7;

/// Small pairs of the corpus: equivalent ones, and ones whose difference has to be built and run.
const SMALL: &[(&str, bool)] = &[
    ("integers/average_bits", true),
    ("integers/bool_type_normalises", true),
    ("pointers/store_order_same_value", true),
    ("integers/abs_int_min", false),
    ("pointers/load_hoisted", false),
    ("io/format_changed", false),
];

/// The figures as a section of the report.
pub fn measure(verdiff: &Path) -> Result<String> {
    let mut text = String::from(
        "## Comparison\n\n`clang` is two runs of clang alone, one after the other; `verdiff` is the whole run, replay included.\n\n\
         | pair | verdict | clang | verdiff | ratio |\n|---|---|---|---|---|\n",
    );
    for (name, equivalent) in SMALL {
        let folder = root().join("corpus").join(name);
        let files = [folder.join("old.c"), folder.join("new.c")];
        let mut runs = vec![];
        for _ in 0..TIMES {
            runs.push((clang(&files)?, run(verdiff, &files)?));
        }
        runs.sort_by(|a, b| (a.1 / a.0).total_cmp(&(b.1 / b.0)));
        let (clang, whole) = runs[TIMES / 2];
        let verdict = if *equivalent { "equivalent" } else { "different" };
        writeln!(
            text,
            "| {name} | {verdict} | {:.0} ms | {:.0} ms | {:.1} |",
            clang * 1000.0,
            whole * 1000.0,
            whole / clang
        )?;
    }
    let files = thousand()?;
    let (clang, whole) = (clang(&files)?, run(verdiff, &files)?);
    writeln!(
        text,
        "\nA file with 1,000 changed functions, half of them different: {whole:.1} s ({:.0} times the two clang runs).",
        whole / clang
    )?;
    Ok(text)
}

/// Two runs of clang alone.
pub fn clang(files: &[PathBuf; 2]) -> Result<f64> {
    let start = Instant::now();
    for file in files {
        let output = target().join("bench.bc");
        let mut command = Command::new("clang-19");
        command.args(["-O0", "-g", "-w", "-c", "-emit-llvm"]).arg(file).arg("-o").arg(output);
        command.status().context("clang-19")?;
    }
    Ok(start.elapsed().as_secs_f64())
}

fn run(verdiff: &Path, files: &[PathBuf; 2]) -> Result<f64> {
    let start = Instant::now();
    let mut command = process::verdiff(verdiff);
    // Different is 1; anything else than 0 or 1 is no figure.
    let status = command.args(files).arg("-q").stdout(Stdio::null()).status()?;
    anyhow::ensure!(matches!(status.code(), Some(0 | 1)), "{files:?}: {status}");
    Ok(start.elapsed().as_secs_f64())
}

/// A thousand functions of five kinds, all rewritten, every other one with another constant.
fn thousand() -> Result<[PathBuf; 2]> {
    let start = "struct s { int a; int b; };\n".to_owned();
    let (mut old, mut new) = (start.clone(), start);
    for i in 0..1000 {
        let c = 3 + i * 7 % 991;
        let d = c + usize::from(i % 2 == 0);
        let (before, after) = match i % 10 / 2 {
            0 => (
                format!(
                    "int f{i}(int a, int b) {{ if (a > {c}) return a - b; return a + b * {c}; }}"
                ),
                format!(
                    "int f{i}(int a, int b) {{ if (!(a <= {d})) return -b + a; return {c} * b + a; }}"
                ),
            ),
            1 => (
                format!(
                    "unsigned f{i}(unsigned x) {{ unsigned y = x * {c}; if (x & 1) y ^= x >> 3; return y; }}"
                ),
                format!(
                    "unsigned f{i}(unsigned x) {{ unsigned r = {d} * x; if (x % 2 != 0) r = r ^ (x >> 3); return r; }}"
                ),
            ),
            2 => (
                format!(
                    "int f{i}(const int *p, int n) {{ if (n <= 0 || !p) return -1; return p[0] + {c}; }}"
                ),
                format!(
                    "int f{i}(const int *p, int n) {{ if (!p) return -1; if (n < 1) return -1; return {d} + *p; }}"
                ),
            ),
            3 => (
                format!("void f{i}(struct s *q, int v) {{ q->a = v; q->b = v + {c}; }}"),
                format!("void f{i}(struct s *q, int v) {{ q->b = {d} + v; q->a = v; }}"),
            ),
            _ => (
                format!(
                    "int f{i}(char c, short h) {{ switch (c) {{ case 'a': return h; case 'b': return h * 2; default: return {c}; }} }}"
                ),
                format!(
                    "int f{i}(char c, short h) {{ if (c == 'a') return h; if (c == 'b') return h + h; return {d}; }}"
                ),
            ),
        };
        writeln!(old, "{before}")?;
        writeln!(new, "{after}")?;
    }
    let files = ["thousand-old.c", "thousand-new.c"].map(|name| target().join(name));
    fs::write(&files[0], old)?;
    fs::write(&files[1], new)?;
    Ok(files)
}
