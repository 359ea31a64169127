//! What lowering a library costs and what it leaves out, from `verdiff show --json --measure`.

use super::libraries::Library;
use crate::process::{output, program};
use anyhow::{Context, Result, bail};
use serde_json::Value;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;

/// Lowering may take this many times what clang takes to make the bitcode.
const MAX_RATIO: f64 = 3.0;
/// Lowering may need this much memory.
const MAX_MEMORY_MIB: f64 = 2048.0;
/// Of sqlite's functions, this many in a hundred must be lowered.
const MIN_PERCENT: f64 = 99.0;

/// The figures of one library.
#[derive(Debug)]
pub struct Figures {
    name: &'static str,
    version: &'static str,
    wanted_functions: usize,
    functions: usize,
    statements: u64,
    /// Construct and the functions it is in, each with its place.
    unsupported: BTreeMap<String, Vec<String>>,
    /// How the model breaks its own rules.
    problems: Vec<String>,
    clang_ms: f64,
    /// Reading the bitcode, linking it and lowering it.
    lowering_ms: f64,
    memory_mib: f64,
}

impl Figures {
    fn unsupported_count(&self) -> usize {
        self.unsupported.values().map(Vec::len).sum()
    }

    fn percent(&self) -> f64 {
        let lowered = self.functions - self.unsupported_count();
        100.0 * lowered as f64 / self.functions.max(1) as f64
    }

    fn ratio(&self) -> f64 {
        self.lowering_ms / self.clang_ms
    }
}

/// Measures a library some times: the run whose ratio is in the middle is taken.
pub fn measure(verdiff: &Path, library: &Library, folder: &Path, times: usize) -> Result<Figures> {
    let mut runs = Vec::new();
    for _ in 0..times {
        runs.push(measure_once(verdiff, library, folder)?);
    }
    runs.sort_by(|a, b| a.ratio().total_cmp(&b.ratio()));
    let middle = runs.len() / 2;
    runs.into_iter().nth(middle).context("measured no times")
}

fn measure_once(verdiff: &Path, library: &Library, folder: &Path) -> Result<Figures> {
    let path = folder.join(library.name);
    let mut show = program(&verdiff.to_string_lossy(), &["show", "--json", "--measure"]);
    let text = output(show.arg(&path)).with_context(|| library.name)?;
    let value: Value = serde_json::from_str(&text).context("verdiff's JSON")?;
    let schema = value["schema"].as_str();
    if schema != Some("verdiff-model/1") {
        bail!("{}: schema {schema:?}", library.name);
    }
    let procedures = value["procedures"].as_array().context("procedures")?;
    let mut unsupported: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for procedure in procedures {
        if let Some(construct) = procedure["unsupported"]["construct"].as_str() {
            let place = &procedure["unsupported"];
            let file = Path::new(place["file"].as_str().unwrap_or_default());
            let file = file.file_name().unwrap_or_default().to_string_lossy();
            let name = procedure["name"].as_str().unwrap_or_default();
            let line = format!("{name} ({file}:{})", place["line"]);
            unsupported.entry(construct.to_owned()).or_default().push(line);
        }
    }
    let measure = &value["measure"];
    let number = |name: &str| measure[name].as_f64().with_context(|| name.to_owned());
    let problems = measure["problems"].as_array().context("problems")?;
    Ok(Figures {
        name: library.name,
        version: library.version,
        wanted_functions: library.functions,
        functions: procedures.len(),
        statements: measure["statements"].as_u64().context("statements")?,
        unsupported,
        problems: problems.iter().filter_map(|p| p.as_str().map(str::to_owned)).collect(),
        clang_ms: number("clang_ms")?,
        lowering_ms: number("read_ms")? + number("lower_ms")?,
        memory_mib: number("peak_memory_mib")?,
    })
}

/// The figures as a Markdown table.
pub fn table(all: &[Figures]) -> String {
    let mut text = String::from(
        "| library | functions | lowered | statements | clang | lowering | ratio | peak memory |\n\
         |---|---:|---:|---:|---:|---:|---:|---:|\n",
    );
    for f in all {
        let _ = writeln!(
            text,
            "| {} ({}) | {} | {:.2} % | {} | {:.0} ms | {:.0} ms | {:.2} | {:.0} MiB |",
            f.name,
            f.version,
            f.functions,
            f.percent(),
            f.statements,
            f.clang_ms,
            f.lowering_ms,
            f.ratio(),
            f.memory_mib
        );
    }
    text
}

/// What is unsupported, by construct, as Markdown.
pub fn unsupported(all: &[Figures]) -> String {
    const SHOWN: usize = 12;
    let mut text = String::new();
    for f in all {
        for (construct, places) in &f.unsupported {
            let more = match places.len().saturating_sub(SHOWN) {
                0 => String::new(),
                n => format!(" and {n} more"),
            };
            let list = places[..places.len().min(SHOWN)].join(", ");
            let functions = if places.len() == 1 { "function" } else { "functions" };
            let count = format!("{} {functions}", places.len());
            let _ = writeln!(text, "- {}: {construct}, in {count}: {list}{more}", f.name);
        }
    }
    if text.is_empty() { "Nothing is unsupported.\n".to_owned() } else { text }
}

/// The figures that must be reached and are not.
pub fn missed(all: &[Figures]) -> Vec<String> {
    let mut missed = Vec::new();
    for f in all {
        let mut miss = |what: String| missed.push(format!("{}: {what}", f.name));
        if f.functions < f.wanted_functions {
            miss(format!("{} functions, at least {} wanted", f.functions, f.wanted_functions));
        }
        if f.percent() < MIN_PERCENT {
            miss(format!("{:.2} % lowered, at least {MIN_PERCENT} % wanted", f.percent()));
        }
        if f.ratio() > MAX_RATIO {
            miss(format!("{:.2} times clang's time, at most {MAX_RATIO} wanted", f.ratio()));
        }
        if f.memory_mib > MAX_MEMORY_MIB {
            miss(format!("{:.0} MiB, at most {MAX_MEMORY_MIB} wanted", f.memory_mib));
        }
        for problem in &f.problems {
            miss(format!("an invalid model: {problem}"));
        }
    }
    missed
}
