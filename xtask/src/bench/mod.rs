//! The benchmarks, archived with date, commit and machine in docs/bench/.

mod align;
mod boundary;
mod cache;
mod commits;
mod compare;
mod conditions;
mod correlate;
mod editor;
mod html;
mod induction;
mod limits;
mod summary;
mod verdicts;

use crate::process::{cargo, output, probe, root};
use crate::{demo, real_code, setup};
use anyhow::{Context, Result, bail};
use std::fs;
use std::path::Path;

/// How often each library is measured; the middle run counts.
const TIMES: usize = 5;

/// Measures the comparison alone and writes docs/bench/DATE-compare.md.
pub fn comparison() -> Result<()> {
    archive("The comparison", "compare", compare::measure)?;
    Ok(())
}

/// Measures second runs of the same comparisons and writes docs/bench/DATE-cache.md.
pub fn second_runs() -> Result<()> {
    archive("What is kept between runs", "cache", cache::measure)?;
    Ok(())
}

/// Compares the last commits of a repository of this machine and writes docs/bench/DATE-commits-NAME.md.
pub fn commits(name: &str, repository: &str, count: &str, options: &[&str]) -> Result<()> {
    let title = format!("The last commits of {name}");
    let measure = |binary: &Path| commits::measure(binary, Path::new(repository), count, options);
    archive(&title, &format!("commits-{name}"), measure)?;
    Ok(())
}

/// Measures difference summaries and writes docs/bench/DATE-summary.md.
pub fn difference() -> Result<()> {
    archive("Difference summaries", "summary", summary::measure)?;
    Ok(())
}

/// Measures the loops of the corpus and writes docs/bench/DATE-align.md: with the binary that is built now, or with
/// another one.
pub fn aligned_loops(binary: Option<&str>) -> Result<()> {
    let (title, name) = ("Loops that are executed together", "align");
    match binary {
        Some(binary) => archive_of(Path::new(binary), title, name, align::measure)?,
        None => archive(title, name, align::measure)?,
    };
    Ok(())
}

/// Measures small changes in large functions and clients of changed libraries, and writes docs/bench/DATE-boundary.md: with
/// the binary that is built now, or with another one.
pub fn change_outwards(binary: Option<&str>) -> Result<()> {
    let (title, name) = ("From the change outwards", "boundary");
    match binary {
        Some(binary) => archive_of(Path::new(binary), title, name, boundary::measure)?,
        None => archive(title, name, boundary::measure)?,
    };
    Ok(())
}

/// Measures whether limits are kept and writes docs/bench/DATE-limits.md.
pub fn limits() -> Result<()> {
    let report = archive("Limits of time", "limits", limits::measure)?;
    if report.contains(limits::BROKEN) {
        bail!("a limit was not kept");
    }
    Ok(())
}

/// Measures the HTML report of 5,000 functions and writes docs/bench/DATE-html.md: with the binary that is built now, or
/// with another one.
pub fn page(binary: Option<&str>) -> Result<()> {
    with_goals(binary, "The HTML report of 5,000 functions", "html", html::measure)
}

/// Measures correlated states and writes docs/bench/DATE-correlate.md, like [`page`].
pub fn correlated(binary: Option<&str>) -> Result<()> {
    with_goals(binary, "Correlated states", "correlate", correlate::measure)
}

/// Measures how soon an editor shows something and writes docs/bench/DATE-editor.md, like [`page`].
pub fn editor(binary: Option<&str>) -> Result<()> {
    with_goals(binary, "The answer to an edit in an editor", "editor", editor::measure)
}

fn with_goals(
    binary: Option<&str>,
    title: &str,
    name: &str,
    measure: fn(&Path) -> Result<String>,
) -> Result<()> {
    let report = match binary {
        Some(binary) => archive_of(&Path::new(binary).canonicalize()?, title, name, measure)?,
        None => archive(title, name, measure)?,
    };
    if report.contains(html::MISSED) {
        bail!("a goal was not reached");
    }
    Ok(())
}

/// Measures the lowering of five libraries and the comparison of two releases of each, and writes
/// docs/bench/DATE-real-code.md, within limits and like [`page`]; or of the named libraries, to a file with their names.
pub fn libraries(
    binary: Option<&str>,
    limits: &real_code::Limits<'_>,
    wanted: &[&str],
) -> Result<()> {
    let title = "Real code: two releases of five libraries";
    let name = [&["real-code"], wanted].concat().join("-");
    let (name, measure) = (&name, |binary: &Path| real_code::measure(binary, limits, wanted));
    let report = match binary {
        Some(binary) => archive_of(&Path::new(binary).canonicalize()?, title, name, measure)?,
        None => archive(title, name, measure)?,
    };
    if report.contains(real_code::MISSED) {
        bail!("a goal was not reached");
    }
    Ok(())
}

/// Measures loops and recursion and writes docs/bench/DATE-induction.md.
pub fn loops() -> Result<()> {
    archive("Loops and recursion", "induction", induction::measure)?;
    Ok(())
}

/// Runs the whole corpus and writes the table of verdicts to docs/bench/DATE-verdicts-NAME.md: with the binary that is
/// built now, or with another one (an older version, to compare with).
pub fn verdicts(name: &str, binary: Option<&str>) -> Result<()> {
    let (title, file) = ("The verdicts of the corpus", format!("verdicts-{name}"));
    let measure = |binary: &Path| verdicts::measure(binary, name);
    match binary {
        Some(binary) => archive_of(Path::new(binary), title, &file, measure)?,
        None => archive(title, &file, measure)?,
    };
    Ok(())
}

/// Runs the cases of the corpus that have a difference and writes how their conditions read to
/// docs/bench/DATE-conditions-NAME.md, like [`verdicts()`].
pub fn conditions(name: &str, binary: Option<&str>) -> Result<()> {
    let (title, file) = ("How conditions read", format!("conditions-{name}"));
    let measure = |binary: &Path| conditions::measure(binary, name);
    match binary {
        Some(binary) => archive_of(Path::new(binary), title, &file, measure)?,
        None => archive(title, &file, measure)?,
    };
    Ok(())
}

fn archive(title: &str, name: &str, measure: impl Fn(&Path) -> Result<String>) -> Result<String> {
    setup::run()?;
    archive_of(&demo::build()?, title, name, measure)
}

fn archive_of(
    verdiff: &Path,
    title: &str,
    name: &str,
    measure: impl Fn(&Path) -> Result<String>,
) -> Result<String> {
    let date = probe("date", &["-u", "+%F"]).context("the date")?.trim().to_owned();
    let commit = probe("git", &["rev-parse", "--short", "HEAD"]).context("the commit")?;
    let (machine, figures) = (machine(), measure(verdiff)?);
    let report = format!("# {title}, {date}, commit {}\n\n{machine}\n{figures}", commit.trim());
    let path = root().join("docs/bench").join(format!("{date}-{name}.md"));
    fs::write(&path, &report).with_context(|| path.display().to_string())?;
    println!("{report}");
    Ok(report)
}

/// Measures everything and writes docs/bench/DATE-COMMIT.md.
pub fn run() -> Result<()> {
    setup::run()?;
    let verdiff = demo::build()?;
    let date = probe("date", &["-u", "+%F"]).context("the date")?.trim().to_owned();
    let commit = probe("git", &["rev-parse", "--short", "HEAD"]).context("the commit")?;
    let commit = commit.trim();
    let changed = probe("git", &["status", "--porcelain"]).is_none_or(|s| !s.trim().is_empty());
    let machine = machine();
    let libraries = real_code::measure_all(&verdiff, TIMES, &[])?;
    let interpreter = interpreter()?;
    let report = format!(
        "# Benchmarks of {date}, commit {commit}{}\n\n{}\n\
         ## Lowering of real C code\n\n\
         `clang` makes the bitcode (at -O0, with debug information; several files in parallel);\n\
         `lowering` reads, links and lowers it, on one core; `ratio` is the second over the\n\
         first, of the run whose ratio is in the middle of {TIMES}. Peak memory is verdiff's own.\n\n{}\n\
         ## Interpreter\n\n```\n{}```\n",
        if changed { " (with changes that are not committed)" } else { "" },
        machine,
        real_code::report(&libraries),
        interpreter
    );
    let path = root().join("docs/bench").join(format!("{date}-{commit}.md"));
    fs::create_dir_all(root().join("docs/bench"))?;
    fs::write(&path, &report).with_context(|| path.display().to_string())?;
    println!("{report}");
    eprintln!("written to docs/bench/{date}-{commit}.md");
    Ok(())
}

/// What the interpreter's own benchmark prints.
fn interpreter() -> Result<String> {
    let arguments =
        ["run", "--release", "--quiet", "-p", "verdiff-model", "--example", "interp_speed"];
    output(&mut cargo(&arguments))
}

/// The machine, in the words that matter for comparing figures.
fn machine() -> String {
    let field = |file: &str, name: &str| {
        let text = fs::read_to_string(file).ok()?;
        let line = text.lines().find(|l| l.starts_with(name))?;
        line.split_once([':', '=']).map(|(_, v)| v.trim().trim_matches('"').to_owned())
    };
    let unknown = || "unknown".to_owned();
    let memory = field("/proc/meminfo", "MemTotal")
        .and_then(|m| m.trim_end_matches("kB").trim().parse::<f64>().ok())
        .map_or_else(unknown, |kib| format!("{:.0} GiB", kib / 1024.0 / 1024.0));
    let clang = probe("clang-19", &["--version"]).unwrap_or_default();
    // Figures taken on a busy machine are to be known for what they are.
    let load = fs::read_to_string("/proc/loadavg").unwrap_or_default();
    let lines = [
        ("processor", field("/proc/cpuinfo", "model name").unwrap_or_else(unknown)),
        (
            "cores",
            std::thread::available_parallelism().map_or_else(|_| unknown(), |n| n.to_string()),
        ),
        ("memory", memory),
        ("load before", load.split(' ').take(3).collect::<Vec<_>>().join(" ")),
        ("system", field("/etc/os-release", "PRETTY_NAME").unwrap_or_else(unknown)),
        ("clang", clang.lines().next().unwrap_or_default().to_owned()),
        ("rustc", probe("rustc", &["--version"]).unwrap_or_default().trim().to_owned()),
    ];
    let rows: Vec<String> =
        lines.iter().map(|(name, value)| format!("- {name}: {value}\n")).collect();
    rows.concat()
}
