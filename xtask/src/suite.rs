//! The test suite: every group of tests, as many at a time as there are cores, and what each of them took.
//!
//! A crate has one test program, since linking takes longer than most tests. Its modules are run as groups of their own:
//! `engines/flat` is what the module `flat` of the test program of `engines` has.
//! `cargo test` would stop at the first program that fails and says nothing about time. Here all are run, and the table at
//! the end has the processor time of each, which means the same on a busy machine.

use crate::process::{cargo, root};
use crate::setup;
use anyhow::{Context, Result, bail};
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

/// How much of the suite is run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extent {
    /// What takes few minutes: a tenth of the random cases, some of the corpus, and none of [`LONG`].
    Quick,
    /// All tests.
    Whole,
    /// All, with sixty times the random cases, the whole corpus in every way, and what is marked as ignored.
    Soak,
}

/// Groups of tests that `--quick` leaves out: each compares whole corpora or thousands of random programs by running or solving.
const LONG: [&str; 31] = [
    "agreement",
    "align",
    "align_expressions",
    "align_folds",
    "align_formulas",
    "align_more",
    "align_reorder",
    "backends",
    "callers_random",
    "cli/opaque",
    "engines/correlate",
    "engines/termination",
    "engines/testing",
    "interp_ops_compiled",
    "load",
    "obligations",
    "outline_property",
    "plan/boundary",
    "plan/local",
    "recursion",
    "recursion_random",
    "regions_random",
    "replay_corpus",
    "rules",
    "summaries_random",
    "symex/corpus",
    "translate_solver",
    "unknown_calls",
    "witness/corpus",
    "witness/emit",
    "witness/replay",
];

/// The name of the group of tests in documentation.
const DOCUMENTATION: &str = "documentation";

/// Groups that take longest: they begin first, so that nothing long is left at the end.
const FIRST: [&str; 11] = [
    "cli/corpus",
    "engines/recursion",
    "plan/boundary",
    "engines/recursion_random",
    "symex/corpus",
    "cli/load",
    "symex/agreement",
    "plan/local",
    "engines/obligations",
    "witness/corpus",
    DOCUMENTATION,
];

/// Tests that are run together: a test program, or one of its modules.
#[derive(Clone)]
struct Group {
    /// The crate, and the name of the program or module.
    name: String,
    executable: PathBuf,
    /// The folder of the crate.
    folder: PathBuf,
    /// The names of the tests; all of the program if there are none.
    tests: Vec<String>,
    /// Whether cargo runs them: those in documentation, which have no program of their own.
    by_cargo: bool,
}

/// Runs the tests on a machine that has what it needs.
pub fn test(extent: Extent) -> Result<()> {
    setup::run()?;
    let begun = Instant::now();
    let programs = build(extent)?;
    let built = begun.elapsed().as_secs_f64();
    println!("xtask: {} test programs built in {built:.0} s", programs.len());
    let mut groups = vec![];
    for program in programs {
        groups.extend(modules(program)?);
    }
    match extent {
        Extent::Quick => groups.retain(|group| !is_long(&group.name)),
        Extent::Whole => groups.push(documentation()),
        Extent::Soak => {}
    }
    let place = |name: &str| FIRST.iter().position(|first| *first == name).unwrap_or(FIRST.len());
    groups.sort_by_key(|group| place(&group.name));
    let done = run_all(&groups, extent)?;
    let failed: Vec<&str> =
        done.iter().filter(|(_, ran)| !ran.passed).map(|(name, _)| *name).collect();
    let mut table: Vec<(f64, f64, &str)> =
        done.iter().map(|(name, ran)| (ran.processor, ran.wall, *name)).collect();
    table.sort_by(|a, b| b.0.total_cmp(&a.0));
    println!("\n  CPU s   wall s  tests");
    for (processor, wall, name) in &table {
        println!("{processor:7.1} {wall:8.1}  {name}");
    }
    let sum: f64 = table.iter().map(|(processor, _, _)| processor).sum();
    println!("{sum:7.1} {:8.1}  all, with what was built\n", begun.elapsed().as_secs_f64());
    if !failed.is_empty() {
        bail!("these tests failed: {}", failed.join(", "));
    }
    Ok(())
}

/// What became of a group.
struct Ran {
    passed: bool,
    /// Seconds of processor time, of the program and of all that it started.
    processor: f64,
    wall: f64,
}

/// Runs all groups, as many at a time as there are cores: most have a test at their end that keeps one core alone busy. What a
/// group prints is shown when it is done.
fn run_all(groups: &[Group], extent: Extent) -> Result<Vec<(&str, Ran)>> {
    let (next, done) = (AtomicUsize::new(0), Mutex::new(vec![]));
    let times = tempfolder()?;
    let workers = std::thread::available_parallelism().map_or(1, |n| n.get());
    std::thread::scope(|scope| {
        for worker in 0..workers {
            let times = times.join(worker.to_string());
            let (next, done) = (&next, &done);
            scope.spawn(move || {
                while let Some(group) = groups.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let ran = run_one(group, extent, &times);
                    if let Ok(mut done) = done.lock() {
                        done.push((group.name.as_str(), ran));
                    }
                }
            });
        }
    });
    let _ = std::fs::remove_dir_all(&times);
    let done = done.into_inner().unwrap_or_default();
    done.into_iter().map(|(name, ran)| Ok((name, ran.with_context(|| name.to_owned())?))).collect()
}

fn run_one(group: &Group, extent: Extent, times: &Path) -> Result<Ran> {
    // The shell says what its children took, theirs included.
    let script = r#""$0" "$@"; code=$?; times > "$XTASK_TIMES"; exit $code"#;
    let mut command = Command::new("sh");
    command.args(["-c", script]).arg(&group.executable).env("XTASK_TIMES", times);
    command.current_dir(&group.folder).env("CARGO_MANIFEST_DIR", &group.folder);
    if group.by_cargo {
        command.args(["test", "--quiet", "--workspace", "--doc"]);
        for (name, value) in cargo(&[]).get_envs() {
            match value {
                Some(value) => command.env(name, value),
                None => command.env_remove(name),
            };
        }
    } else if !group.tests.is_empty() {
        command.arg("--exact").args(&group.tests);
    }
    if extent == Extent::Soak {
        command.arg("--include-ignored").env("VERDIFF_CORPUS_ALL", "1");
    }
    match extent {
        Extent::Quick => command.env("VERDIFF_CASES", "10"),
        Extent::Whole => &mut command,
        Extent::Soak => command.env("VERDIFF_CASES", "6000"),
    };
    let begun = Instant::now();
    let output = command.output()?;
    let wall = begun.elapsed().as_secs_f64();
    let text = String::from_utf8_lossy(&output.stdout);
    print!("xtask: {} ({wall:.0} s)\n{text}", group.name);
    eprint!("{}", String::from_utf8_lossy(&output.stderr));
    let processor = children_seconds(&std::fs::read_to_string(times).unwrap_or_default());
    Ok(Ran { passed: output.status.success(), processor, wall })
}

fn tempfolder() -> Result<PathBuf> {
    let folder = std::env::temp_dir().join(format!("verdiff-xtask-{}", std::process::id()));
    std::fs::create_dir_all(&folder).with_context(|| folder.display().to_string())?;
    Ok(folder)
}

fn is_long(name: &str) -> bool {
    LONG.iter().any(|long| *long == name || name.rsplit('/').next() == Some(*long))
}

/// The tests in documentation. They are compiled while other groups run.
fn documentation() -> Group {
    let executable = PathBuf::from(cargo(&[]).get_program());
    Group { name: DOCUMENTATION.into(), executable, folder: root(), tests: vec![], by_cargo: true }
}

/// Builds all test programs.
fn build(extent: Extent) -> Result<Vec<Group>> {
    // Without examples: clippy looks at those.
    let mut command = cargo(&["test", "--workspace", "--lib", "--bins", "--tests", "--no-run"]);
    command.arg("--message-format=json");
    if extent == Extent::Soak {
        command.arg("--release");
    }
    let output = command.stderr(Stdio::inherit()).output().context("cannot start cargo")?;
    if !output.status.success() {
        bail!("the tests do not compile");
    }
    let text = String::from_utf8_lossy(&output.stdout);
    let mut programs: Vec<Group> = text.lines().filter_map(program).collect();
    programs.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(programs)
}

/// The modules of a test program that has the name of its crate; any other program as it is.
fn modules(program: Group) -> Result<Vec<Group>> {
    let (of, name) = program.name.split_once('/').unwrap_or_default();
    if of != name {
        return Ok(vec![program]);
    }
    let mut list = Command::new(&program.executable);
    let output =
        list.args(["--list", "--format", "terse"]).current_dir(&program.folder).output()?;
    if !output.status.success() {
        bail!("{} does not list its tests", program.name);
    }
    Ok(divided(&program, of, &String::from_utf8_lossy(&output.stdout)))
}

/// A group for each module that a list of tests names.
fn divided(program: &Group, of: &str, list: &str) -> Vec<Group> {
    let mut groups: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for test in list.lines().filter_map(|line| line.strip_suffix(": test")) {
        let module = test.split_once("::").map_or(of, |(module, _)| module);
        groups.entry(module).or_default().push(test.to_owned());
    }
    let group =
        |(module, tests)| Group { name: format!("{of}/{module}"), tests, ..program.clone() };
    groups.into_iter().map(group).collect()
}

/// The test program that a line of cargo's messages is about.
fn program(line: &str) -> Option<Group> {
    let message: Value = serde_json::from_str(line).ok()?;
    if message["reason"] != "compiler-artifact" || message["profile"]["test"] != true {
        return None;
    }
    let executable = PathBuf::from(message["executable"].as_str()?);
    let folder = Path::new(message["manifest_path"].as_str()?).parent()?.to_owned();
    let of = folder.file_name()?.to_string_lossy().into_owned();
    let name = format!("{of}/{}", message["target"]["name"].as_str()?);
    Some(Group { name, executable, folder, tests: vec![], by_cargo: false })
}

/// The second line of what the shell's `times` prints: user and system time of its children, as `1m2.345s`.
fn children_seconds(times: &str) -> f64 {
    let seconds = |text: &str| -> Option<f64> {
        let (minutes, seconds) = text.strip_suffix('s')?.split_once('m')?;
        Some(minutes.parse::<f64>().ok()? * 60.0 + seconds.parse::<f64>().ok()?)
    };
    let line = times.lines().nth(1).unwrap_or_default();
    line.split_whitespace().filter_map(seconds).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_test_program_is_named_after_its_crate() {
        let line = r#"{"reason":"compiler-artifact","manifest_path":"/r/crates/witness/Cargo.toml",
            "target":{"name":"corpus"},"profile":{"test":true},"executable":"/t/corpus-1"}"#;
        let found = program(&line.replace('\n', " ")).unwrap();
        assert_eq!(
            (found.name.as_str(), found.folder),
            ("witness/corpus", "/r/crates/witness".into())
        );
        assert!(is_long("witness/corpus") && is_long("logic/rules") && !is_long("cli/corpus"));
        assert!(program(&line.replace("true", "false")).is_none());
    }

    #[test]
    fn modules_of_a_test_program_are_groups() {
        let program = Group {
            name: "engines/engines".into(),
            executable: "/t/engines-1".into(),
            folder: "/r/crates/engines".into(),
            tests: vec![],
            by_cargo: false,
        };
        let list =
            "flat::a: test\nflat::deeper::b: test\nalone: test\nflat::c: benchmark\n\n3 tests";
        let groups = divided(&program, "engines", list);
        let shown: Vec<(&str, Vec<&str>)> = groups
            .iter()
            .map(|group| (group.name.as_str(), group.tests.iter().map(String::as_str).collect()))
            .collect();
        let flat = ("engines/flat", vec!["flat::a", "flat::deeper::b"]);
        assert_eq!(shown, [("engines/engines", vec!["alone"]), flat]);
        assert_eq!(groups[1].executable, program.executable);
    }

    #[test]
    fn processor_time_of_children_is_counted() {
        assert_eq!(children_seconds("0m0.01s 0m0.02s\n1m2.50s 0m0.25s\n"), 62.75);
        let busy = "i=0; while [ $i -lt 200000 ]; do i=$((i+1)); done";
        let script = format!("sh -c '{busy}'; times");
        let output = Command::new("sh").args(["-c", &script]).output().unwrap();
        assert!(children_seconds(&String::from_utf8_lossy(&output.stdout)) > 0.0);
    }
}
