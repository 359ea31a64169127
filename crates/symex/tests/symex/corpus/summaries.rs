//! Every caller of the corpus, with its callees executed where they are called and with their paths as
//! summaries: the same formula in other words.

use super::{is_in_suite, program};
use crate::pair_support;

use pair_support::outcomes_differ;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use verdiff_logic::TermId;
use verdiff_logic::effort::Effort;
use verdiff_logic::solver::{self, Answer, Decide, Limits as SolverLimits, Query};
use verdiff_model::{Callee, ProcId, Program, StmtKind};
use verdiff_symex::callee::{Abstraction, Callees, InlineAll, View};
use verdiff_symex::effects::{Callers, Effects};
use verdiff_symex::entry::Entry;
use verdiff_symex::execute::{ExecutionLimits, Executor, Stop};
use verdiff_symex::paths::{Bounds, Explored, Explorer, Feasible};
use verdiff_symex::regions::Regions;
use verdiff_symex::space::Space;

struct Seen(BTreeMap<ProcId, Abstraction>);

impl Callees for Seen {
    fn view(&mut self, _: verdiff_model::Side, callee: ProcId, depth: usize) -> View {
        match self.0.get(&callee) {
            Some(view) if depth == 1 => View::Abstract(view.clone()),
            _ => View::Inline,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Found {
    Same,
    Undecided,
    /// Some path of a callee is no summary, so the caller knows less.
    LessKnown,
    Other,
    NotExecuted,
}

fn sources() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus");
    let mut found = Vec::new();
    for topic in std::fs::read_dir(root).into_iter().flatten().flatten() {
        for case in std::fs::read_dir(topic.path()).into_iter().flatten().flatten() {
            if is_in_suite(&case.path()) {
                found.extend(["old.c", "new.c"].map(|name| case.path().join(name)));
            }
        }
    }
    // The cases of `limits` are there to take longer than anybody waits.
    let is_limit = |path: &PathBuf| path.iter().any(|part| part == "limits");
    found.retain(|path| path.is_file() && !is_limit(path));
    found.sort();
    found
}

fn callees(program: &Program, id: ProcId) -> Vec<ProcId> {
    let stmts = program.procedure(id).blocks.iter().flat_map(|b| &b.stmts);
    let callee = |kind: &StmtKind| match kind {
        StmtKind::Call { callee: Callee::Procedure(id), .. } => Some(*id),
        _ => None,
    };
    let mut all: Vec<ProcId> = stmts.filter_map(|s| callee(&s.kind)).collect();
    all.sort_unstable();
    all.dedup();
    all
}

fn feasible(space: &mut Space, path: &[TermId]) -> Feasible {
    let query = Query { assertions: path, assumptions: &[] };
    let limits = SolverLimits::effort(Effort::seconds(1));
    let answer = solver::standard().decide(&mut space.pool, &query, &limits);
    if matches!(answer, Answer::Unsat { .. }) { Feasible::No } else { Feasible::Maybe }
}

fn compare(program: &Program, caller: ProcId, called: &[ProcId]) -> Result<Found, Stop> {
    let regions = Regions::analyse(&[program]);
    let effects = Effects::analyse(&[program], &regions, Callers::ByName);
    let mut space = Space::new();
    // Who copies memory as it is may hand on some without a value, and then no summary covers the call.
    let stmts = program.procedure(caller).blocks.iter().flat_map(|b| &b.stmts);
    let copies = stmts.into_iter().any(|s| matches!(s.kind, StmtKind::Copy { .. }));
    let (mut views, mut all) = (BTreeMap::new(), !copies);
    for id in called {
        let (name, what) =
            (&program.procedure(*id).name, effects.of(verdiff_model::Side::Old, *id));
        let proc = program.procedure(*id);
        let entry = Rc::new(Entry::named(&mut space, &regions, proc, &format!("{name}'s "))?);
        let mut inline = InlineAll;
        let limits = ExecutionLimits { terms: 100_000, depth: 8 };
        let mut executor = Executor::new(
            &mut space,
            program,
            verdiff_model::Side::Old,
            &regions,
            &mut inline,
            limits,
        );
        let mut explorer = Explorer::new(&mut executor, *id, &entry, false)?;
        let bounds = Bounds { visits: 3, depth: 40, paths: 60, blocks: 400 };
        let explored = explorer.explore(&mut executor, &bounds, &mut feasible)?;
        let summaries = explorer.summaries(&mut executor, &entry)?;
        all &= explored == Explored::Exhausted && summaries.len() == explorer.done().len();
        let mut view = Abstraction::unproved(&mut space, &regions, name, entry, &[what]);
        view.summaries = summaries;
        views.insert(*id, view);
    }
    let entry = Entry::of(&mut space, &regions, program.procedure(caller))?;
    let mut outcomes = Vec::new();
    for seen in [&mut InlineAll as &mut dyn Callees, &mut Seen(views)] {
        let limits = ExecutionLimits { terms: 200_000, depth: 12 };
        let mut executor =
            Executor::new(&mut space, program, verdiff_model::Side::Old, &regions, seen, limits);
        let state = executor.entry_state(&entry, caller, false)?;
        outcomes.push(executor.run(caller, &entry.args, state)?);
    }
    let differ = outcomes_differ(&mut space, &regions, &outcomes[0], &outcomes[1])?;
    if space.refute(differ, 500)? {
        return Ok(Found::Same);
    }
    let mut assertions = space.axioms()?;
    assertions.push(differ);
    let query = Query { assertions: &assertions, assumptions: &[] };
    let limits = SolverLimits::effort(Effort::seconds(2));
    Ok(match solver::standard().decide(&mut space.pool, &query, &limits) {
        Answer::Unsat { .. } => Found::Same,
        Answer::Sat(_) if all => Found::Other,
        Answer::Sat(_) => Found::LessKnown,
        Answer::Unknown(_) => Found::Undecided,
    })
}

#[test]
fn summaries_say_what_the_bodies_do() {
    let only = std::env::var("VERDIFF_ONLY").unwrap_or_default();
    let mut found: BTreeMap<Found, Vec<String>> = BTreeMap::new();
    for path in sources().into_iter().filter(|p| p.to_string_lossy().contains(&only)) {
        let Some(program) = program(&path) else { continue };
        for index in 0..program.procedures.len() {
            let id = ProcId::new(index);
            let called = callees(&program, id);
            if called.is_empty() || called.contains(&id) {
                continue;
            }
            let case = path.parent().and_then(Path::file_name).unwrap_or_default();
            let side = path.file_stem().unwrap_or_default();
            let name = &program.procedure(id).name;
            let name = format!("{}/{} {name}", case.display(), side.display());
            let result = compare(&program, id, &called).unwrap_or(Found::NotExecuted);
            found.entry(result).or_default().push(name);
        }
    }
    for (result, names) in &found {
        eprintln!("{result:?}: {}", names.len());
        if *result != Found::Same && *result != Found::NotExecuted {
            eprintln!("    {}", names.join(", "));
        }
    }
    let other = found.remove(&Found::Other).unwrap_or_default();
    assert!(other.is_empty(), "{}", other.join("\n"));
    assert!(!only.is_empty() || found.get(&Found::Same).is_some_and(|same| same.len() > 50));
}
