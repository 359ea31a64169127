//! How far terms, simplifier and case splits get without a solver: the loop-free pairs of the corpus.
//!
//! `cargo run --release -p verdiff-symex --example unproved [-- [--show] [part of a path]]`
//!
//! Lists the equivalent functions that are left, with `--show` also the formula that was not refuted. A pair
//! that is known to differ and comes out as equal is an error.

use serde::Deserialize;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant};
use verdiff_front::{Inputs, load};
use verdiff_model::{Program, Type};
use verdiff_symex::callee::InlineAll;
use verdiff_symex::entry::Entry;
use verdiff_symex::execute::{Executor, Limits, Stop};
use verdiff_symex::outcome::Outcome;
use verdiff_symex::regions::{Cell, Regions};
use verdiff_symex::space::Space;

#[derive(Deserialize)]
struct Case {
    #[serde(default)]
    loop_free: bool,
    #[serde(default)]
    options: toml::Table,
    function: Vec<Function>,
}

#[derive(Deserialize)]
struct Function {
    name: String,
    verdict: String,
    #[serde(default)]
    kinds: Vec<String>,
}

fn cases() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus");
    let mut found = Vec::new();
    for topic in std::fs::read_dir(root).into_iter().flatten().flatten() {
        for case in std::fs::read_dir(topic.path()).into_iter().flatten().flatten() {
            if case.path().join("old.c").is_file() {
                found.push(case.path());
            }
        }
    }
    found.sort();
    found
}

/// The formula "they differ", if it was not refuted, and how long refuting took.
fn left_over(old: &Program, new: &Program, name: &str) -> Result<(Option<String>, Duration), Stop> {
    let nothing = || Ok((Some("not executed".to_owned()), Duration::ZERO));
    let (Some(a), Some(b)) = (old.procedure_named(name), new.procedure_named(name)) else {
        return nothing();
    };
    if old.procedure(a).signature() != new.procedure(b).signature() {
        return nothing();
    }
    let regions = Regions::analyse(&[old, new]);
    let mut space = Space::new();
    let entry = Entry::of(&mut space, &regions, old.procedure(a))?;
    let mut outcomes = Vec::new();
    for (side, (program, proc)) in [(old, a), (new, b)].into_iter().enumerate() {
        let mut inline = InlineAll;
        let limits = Limits { terms: 400_000, depth: 12 };
        let mut executor = Executor::new(&mut space, program, side, &regions, &mut inline, limits);
        let state = executor.entry_state(&entry, proc, program.procedure(proc).name == "main")?;
        outcomes.push(executor.run(proc, &entry.args, state)?);
    }
    let float = |t: &Type| if let Type::Float(kind) = t { Some(*kind) } else { None };
    let floats: Vec<_> = old.procedure(a).results.iter().map(float).collect();
    let visible: Vec<(usize, u32, String)> = regions
        .ids()
        .filter(|r| !regions.info(*r).locals_only)
        .map(|r| {
            let cell = match regions.info(r).cell {
                Cell::Bytes => 1,
                Cell::Words(bytes) => bytes,
            };
            (r.index(), cell, regions.info(r).name.clone())
        })
        .collect();
    let differ = Outcome::differ(&mut space, &outcomes[0], &outcomes[1], &floats, &visible)?;
    let differ = space.tidy(differ)?;
    let start = Instant::now();
    let refuted = space.refute(differ, 2000)?;
    let left = (!refuted).then(|| space.pool.display(differ).to_string());
    Ok((left, start.elapsed()))
}

fn main() -> ExitCode {
    let (options, names): (Vec<String>, Vec<String>) =
        std::env::args().skip(1).partition(|argument| argument.starts_with("--"));
    let show = options.iter().any(|option| option == "--show");
    let only = names.first().cloned().unwrap_or_default();
    let load = |path: PathBuf| load(&Inputs { paths: vec![path], ..Inputs::default() });
    let (mut equal, mut proved, mut different, mut wrong) = (0, 0, 0, 0);
    let mut time = Duration::ZERO;
    for path in cases().into_iter().filter(|p| p.to_string_lossy().contains(&only)) {
        let text = std::fs::read_to_string(path.join("case.toml")).expect("a case has a case.toml");
        let case: Case = toml::from_str(&text).expect("a case.toml is valid");
        if !case.loop_free || !case.options.is_empty() {
            continue;
        }
        let (old, new) = (load(path.join("old.c")), load(path.join("new.c")));
        let (old, new) =
            (old.expect("the corpus compiles").program, new.expect("the corpus compiles").program);
        for function in &case.function {
            // A changed interface is seen by matching, not by execution.
            let known = ["equivalent", "different"].contains(&function.verdict.as_str());
            if !known || function.kinds.iter().any(|kind| kind == "interface") {
                continue;
            }
            let case = path.file_name().unwrap_or_default().to_string_lossy();
            let name = format!("{case} {}", function.name);
            let (left, spent) = match left_over(&old, &new, &function.name) {
                Ok(found) => found,
                Err(stop) => (Some(stop.to_string()), Duration::ZERO),
            };
            time += spent;
            match (function.verdict == "equivalent", left) {
                (true, None) => (equal, proved) = (equal + 1, proved + 1),
                (true, Some(formula)) => {
                    equal += 1;
                    println!("{name} ({} ms)", spent.as_millis());
                    if show {
                        println!("    {formula}");
                    }
                }
                (false, None) => {
                    (different, wrong) = (different + 1, wrong + 1);
                    println!("WRONG: {name} differs, but came out as equal");
                }
                (false, Some(_)) => different += 1,
            }
        }
    }
    let share = 100.0 * f64::from(proved) / f64::from(equal.max(1));
    println!("equivalent, without a solver: {proved} of {equal} functions ({share:.1} %)");
    println!("different, but came out as equal: {wrong} of {different} functions");
    println!("refuting took {:.2} s", time.as_secs_f64());
    if wrong > 0 { ExitCode::FAILURE } else { ExitCode::SUCCESS }
}
