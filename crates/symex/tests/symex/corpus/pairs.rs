//! Two versions in one space: the loop-free pairs of the corpus, by merged execution, the
//! simplifier and one query. No pair that is known to differ may come out as equal; the
//! others show how far the logic core gets by itself, before there is any engine.

use super::{is_in_suite, program};
use crate::pair_support;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use verdiff_logic::effort::Effort;
use verdiff_logic::solver::{self, Answer, Decide, Query};
use verdiff_model::{ProcId, Program, Type};
use verdiff_symex::callee::InlineAll;
use verdiff_symex::entry::Entry;
use verdiff_symex::execute::{ExecutionLimits, Executor, Stop};
use verdiff_symex::outcome::Outcome;
use verdiff_symex::regions::Regions;
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

#[derive(Debug, PartialEq, Eq, Clone, Copy, PartialOrd, Ord)]
enum Found {
    EqualBySimplifier,
    EqualBySolver,
    MayDiffer,
    Undecided,
    NotExecuted,
}

fn cases() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus");
    let mut found = Vec::new();
    for topic in std::fs::read_dir(root).into_iter().flatten().flatten() {
        for case in std::fs::read_dir(topic.path()).into_iter().flatten().flatten() {
            if case.path().join("case.toml").is_file() && is_in_suite(&case.path()) {
                found.push(case.path());
            }
        }
    }
    found.sort();
    found
}

fn run(
    space: &mut Space,
    regions: &Regions,
    entry: &Entry,
    program: &Program,
    side: verdiff_model::Side,
    proc: ProcId,
) -> Result<Outcome, Stop> {
    let mut inline = InlineAll;
    let limits = ExecutionLimits { terms: 400_000, depth: 12 };
    let mut executor = Executor::new(space, program, side, regions, &mut inline, limits);
    let initialised = program.procedure(proc).name == "main";
    let state = executor.entry_state(entry, proc, initialised)?;
    executor.run(proc, &entry.args, state)
}

fn compare(old: &Program, new: &Program, name: &str) -> Result<Found, Stop> {
    let (Some(a), Some(b)) = (old.procedure_named(name), new.procedure_named(name)) else {
        return Ok(Found::NotExecuted);
    };
    if old.procedure(a).signature() != new.procedure(b).signature() {
        return Ok(Found::NotExecuted);
    }
    let regions = Regions::analyse(&[old, new]);
    let mut space = Space::new();
    let entry = Entry::of(&mut space, &regions, old.procedure(a))?;
    let before = run(&mut space, &regions, &entry, old, verdiff_model::Side::Old, a)?;
    let after = run(&mut space, &regions, &entry, new, verdiff_model::Side::New, b)?;
    let floats: Vec<_> = old
        .procedure(a)
        .results
        .iter()
        .map(|t| if let Type::Float(kind) = t { Some(*kind) } else { None })
        .collect();
    let visible = regions.visible(|info| info.locals_only);
    let differ = Outcome::differ(&mut space, &before, &after, &floats, &visible)?;
    let differ = space.tidy(differ)?;
    if space.refute(differ, 2000)? {
        return Ok(Found::EqualBySimplifier);
    }
    if std::env::var_os("VERDIFF_SHOW").is_some() {
        eprintln!("  differ {}", space.pool.display(differ));
    }
    let mut assertions = space.axioms()?;
    assertions.push(differ);
    let query = Query { assertions: &assertions, assumptions: &[] };
    let limits = pair_support::counted(Effort::millis(700), Effort::seconds(3));
    let answer = solver::standard().decide(&mut space.pool, &query, &limits);
    Ok(match answer {
        Answer::Unsat { .. } => Found::EqualBySolver,
        Answer::Sat(model) => {
            if std::env::var_os("VERDIFF_SHOW").is_some() {
                for (symbol, value) in model.symbols() {
                    eprintln!("  {} = {value:?}", space.pool.symbol_name(symbol));
                }
                for (what, a, b) in
                    [("how", before.how, after.how), ("world", before.world, after.world)]
                {
                    eprintln!(
                        "  {what}: {:?} {:?}",
                        space.pool.eval(a, &model),
                        space.pool.eval(b, &model)
                    );
                }
                for (a, b) in before.results.iter().zip(&after.results) {
                    eprintln!(
                        "  result: {:?} {:?}",
                        space.pool.eval(*a, &model),
                        space.pool.eval(*b, &model)
                    );
                    eprintln!("  {}\n  {}", space.pool.display(*a), space.pool.display(*b));
                }
            }
            Found::MayDiffer
        }
        Answer::Unknown(_) => Found::Undecided,
    })
}

#[test]
fn no_pair_that_differs_comes_out_as_equal() {
    let only = std::env::var("VERDIFF_ONLY").unwrap_or_default();
    let mut wrong = Vec::new();
    let mut equal: BTreeMap<Found, Vec<String>> = BTreeMap::new();
    let mut different: BTreeMap<Found, usize> = BTreeMap::new();
    for path in cases().into_iter().filter(|p| p.to_string_lossy().contains(&only)) {
        let text = std::fs::read_to_string(path.join("case.toml")).unwrap();
        let case: Case = toml::from_str(&text).unwrap();
        if !case.loop_free || !case.options.is_empty() || !path.join("old.c").is_file() {
            continue;
        }
        let (old, new) =
            (program(&path.join("old.c")).unwrap(), program(&path.join("new.c")).unwrap());
        for function in &case.function {
            // A changed interface or initial value is seen by matching, not by execution.
            if !["equivalent", "different"].contains(&function.verdict.as_str())
                || function.kinds.iter().any(|k| k == "interface")
            {
                continue;
            }
            let name = format!("{} {}", path.file_name().unwrap().to_string_lossy(), function.name);
            let found = match compare(&old, &new, &function.name) {
                Ok(found) => found,
                Err(Stop::Logic(error)) => {
                    wrong.push(format!("{name}: {error}"));
                    continue;
                }
                Err(_) => Found::NotExecuted,
            };
            if function.verdict == "equivalent" {
                equal.entry(found).or_default().push(name);
            } else {
                *different.entry(found).or_default() += 1;
                if matches!(found, Found::EqualBySimplifier | Found::EqualBySolver) {
                    wrong.push(format!("{name}: {found:?}, but it differs"));
                }
            }
        }
    }
    for (found, names) in &equal {
        eprintln!("equivalent, {found:?}: {}", names.len());
        if *found > Found::EqualBySimplifier {
            eprintln!("    {}", names.join(", "));
        }
    }
    eprintln!("different: {different:?}");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    let count = |found: Found| equal.get(&found).map_or(0, Vec::len);
    let total: usize = equal.values().map(Vec::len).sum();
    let simplified = count(Found::EqualBySimplifier);
    eprintln!("without a solver: {simplified} of {total}");
    // Room for a few new cases; the figure itself is printed.
    assert!(
        !only.is_empty() || simplified * 100 >= total * 75,
        "{simplified} of {total} without a solver"
    );
}
