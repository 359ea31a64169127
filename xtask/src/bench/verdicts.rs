//! The verdicts of the whole corpus, as a table: what a change of verdiff gains and loses is seen by comparing two of them.
//!
//! Reports are kept in `target/verdicts/NAME/`, one for each case, so that an interrupted run goes on where it stopped.

use crate::process::{self, root};
use anyhow::{Context, Result};
use serde_json::Value;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// The default effort, and a time limit that it does not reach on a busy machine: verdicts do not depend on the load.
const LIMITS: [&str; 4] = ["--effort", "8", "--timeout", "60"];

/// One case: its name (`topic/case`), where it is, and the flags it is run with.
pub struct Case {
    pub name: String,
    folder: PathBuf,
    pub flags: Vec<String>,
}

impl Case {
    /// Its two versions.
    pub fn files(&self) -> [PathBuf; 2] {
        ["old.c", "new.c"].map(|file| self.folder.join(file))
    }
}

/// What the functions of a topic came to.
#[derive(Default)]
struct Row {
    equivalent: usize,
    in_calls: usize,
    different: usize,
    exact: usize,
    unknown: usize,
    wrong: usize,
    unstable: usize,
}

/// Runs the binary on every case, and gives the table.
pub fn measure(verdiff: &Path, name: &str) -> Result<String> {
    let cases = cases()?;
    let kept = root().join("target/verdicts").join(name);
    fs::create_dir_all(&kept)?;
    run_all(verdiff, &cases, &kept)?;
    table(&cases, &kept)
}

/// Runs the binary on these cases, but for those whose report is there already.
pub fn run_all(verdiff: &Path, cases: &[Case], kept: &Path) -> Result<()> {
    let (next, failures) = (AtomicUsize::new(0), Mutex::new(vec![]));
    let workers = std::thread::available_parallelism().map_or(1, |n| n.get());
    std::thread::scope(|scope| {
        for _ in 0..workers {
            scope.spawn(|| {
                while let Some(case) = cases.get(next.fetch_add(1, Ordering::Relaxed)) {
                    if let Err(error) = run(verdiff, case, kept)
                        && let Ok(mut failures) = failures.lock()
                    {
                        failures.push(format!("{}: {error:#}", case.name));
                    }
                }
            });
        }
    });
    if let Ok(failures) = failures.into_inner()
        && !failures.is_empty()
    {
        anyhow::bail!("{}", failures.join("\n"));
    }
    Ok(())
}

/// The report of a case that was run.
pub fn report(kept: &Path, case: &Case) -> Result<Value> {
    Ok(serde_json::from_slice(&fs::read(path(kept, case))?)?)
}

fn path(kept: &Path, case: &Case) -> PathBuf {
    kept.join(format!("{}.json", case.name.replace('/', "__")))
}

fn run(verdiff: &Path, case: &Case, kept: &Path) -> Result<()> {
    let path = path(kept, case);
    if path.exists() {
        return Ok(());
    }
    let output = process::verdiff(verdiff)
        .args(case.files())
        .args(["--format", "json", "--no-progress", "--jobs", "1"])
        .args(LIMITS)
        .args(&case.flags)
        .output()?;
    serde_json::from_slice::<Value>(&output.stdout).with_context(|| {
        format!("no report: {}", String::from_utf8_lossy(&output.stderr).trim())
    })?;
    fs::write(&path, &output.stdout)?;
    Ok(())
}

fn table(cases: &[Case], kept: &Path) -> Result<String> {
    let mut rows: BTreeMap<&str, Row> = BTreeMap::new();
    // For each engine that proved functions to be equivalent: how many, and how many in every call.
    let mut proofs: BTreeMap<String, [usize; 2]> = BTreeMap::new();
    let (mut undecided, mut wrong) = (vec![], vec![]);
    for case in cases {
        let report = report(kept, case)?;
        let labels = labels(case)?;
        let row = rows.entry(case.name.split('/').next().unwrap_or_default()).or_default();
        for pair in report["pairs"].as_array().map(Vec::as_slice).unwrap_or_default() {
            let function = pair["function"].as_str().unwrap_or_default();
            let verdict = pair["verdict"].as_str().unwrap_or_default();
            match verdict {
                "equivalent" => row.equivalent += 1,
                "different" => row.different += 1,
                "unknown" => row.unknown += 1,
                _ => continue,
            }
            if verdict == "equivalent" {
                let in_calls = usize::from(pair["in_calls"] == true);
                row.in_calls += in_calls;
                let engine = pair["proof"]["engine"].as_str().unwrap_or("none");
                let proved = proofs.entry(engine.to_owned()).or_default();
                proved[0] += 1;
                proved[1] += in_calls;
            }
            row.exact += usize::from(verdict == "different" && pair["exact"] == true);
            row.unstable += usize::from(pair["reproducible"] == false);
            let place = format!("{}:{function}", case.name);
            if verdict == "unknown" {
                let reason = pair["reason"]["detail"].as_str().unwrap_or_default();
                undecided.push(format!("- `{place}`: {reason}"));
            } else if labels
                .get(function)
                .is_some_and(|label| label != verdict && label != "unknown")
            {
                row.wrong += 1;
                wrong.push(format!("- `{place}`: {verdict}, labelled {}", labels[function]));
            }
        }
    }
    let mut text = String::from(
        "Functions of all cases, with the options of each case and the default limits, `--jobs 1`. *In calls*: equivalent, and \
         proved for every call, not only for valid inputs; where memory is accessed that is tried only for functions that have callers. *Exact*: different, and exactly for which inputs. *Against label*: not what the case's label says. *Not reproducible*: a clock or want of memory had a part in it.\n\n\
         | topic | equivalent | in calls | different | exact | unknown | against label | not reproducible |\n|---|---|---|---|---|---|---|---|\n",
    );
    let mut sum = Row::default();
    for (topic, row) in &rows {
        line(&mut text, topic, row)?;
        sum.equivalent += row.equivalent;
        sum.in_calls += row.in_calls;
        sum.different += row.different;
        sum.exact += row.exact;
        sum.unknown += row.unknown;
        sum.wrong += row.wrong;
        sum.unstable += row.unstable;
    }
    line(&mut text, "**all**", &sum)?;
    text += "\n## Proofs that hold in calls\n\n| engine | equivalent | in calls |\n|---|---|---|\n";
    for (engine, [proved, in_calls]) in &proofs {
        writeln!(text, "| {engine} | {proved} | {in_calls} |")?;
    }
    write!(text, "\n## Undecided\n\n{}\n\n## Against the label\n\n", undecided.join("\n"))?;
    writeln!(text, "{}", if wrong.is_empty() { "None.".to_owned() } else { wrong.join("\n") })?;
    Ok(text)
}

fn line(text: &mut String, topic: &str, row: &Row) -> Result<()> {
    let Row { equivalent, in_calls, different, exact, unknown, wrong, unstable } = row;
    writeln!(
        text,
        "| {topic} | {equivalent} | {in_calls} | {different} | {exact} | {unknown} | {wrong} | {unstable} |"
    )?;
    Ok(())
}

/// The verdicts that a case's label states, by function.
pub fn labels(case: &Case) -> Result<BTreeMap<String, String>> {
    let label: toml::Table = toml::from_str(&fs::read_to_string(case.folder.join("case.toml"))?)?;
    let functions = label.get("function").and_then(|f| f.as_array()).cloned().unwrap_or_default();
    let text = |f: &toml::Value, key: &str| f.get(key).and_then(|v| v.as_str()).map(str::to_owned);
    Ok(functions.iter().filter_map(|f| Some((text(f, "name")?, text(f, "verdict")?))).collect())
}

/// All cases, in order, with their flags (docs/corpus.md).
pub fn cases() -> Result<Vec<Case>> {
    let mut cases = vec![];
    for topic in folders(&root().join("corpus"))? {
        for folder in folders(&topic)? {
            if !folder.join("case.toml").is_file() {
                continue;
            }
            let name =
                |path: &Path| path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            let name = format!("{}/{}", name(&topic), name(&folder));
            let label: toml::Table = toml::from_str(&fs::read_to_string(folder.join("case.toml"))?)
                .with_context(|| name.clone())?;
            let mut flags = vec![];
            for (key, value) in
                label.get("options").and_then(|o| o.as_table()).into_iter().flatten()
            {
                let flag = format!("--{}", key.replace('_', "-"));
                match value {
                    toml::Value::Boolean(true) => flags.push(flag),
                    toml::Value::String(text) => flags.extend([flag, text.clone()]),
                    toml::Value::Array(all) => {
                        for text in all.iter().filter_map(|v| v.as_str()) {
                            flags.extend([flag.clone(), text.to_owned()]);
                        }
                    }
                    _ => {}
                }
            }
            cases.push(Case { name, folder, flags });
        }
    }
    Ok(cases)
}

fn folders(of: &Path) -> Result<Vec<PathBuf>> {
    let mut all: Vec<PathBuf> = fs::read_dir(of)?
        .map(|entry| Ok(entry?.path()))
        .collect::<Result<Vec<_>>>()?
        .into_iter()
        .filter(|path| path.is_dir())
        .collect();
    all.sort();
    Ok(all)
}
