//! Two versions of `f` in one space: are they surely equal?
#![allow(dead_code, reason = "each test takes what it needs")]

use verdiff_front::{Inputs, load};
use verdiff_logic::TermId;
use verdiff_logic::effort::Effort;
use verdiff_logic::solver::{self, Answer, Decide, Limits as SolverLimits, Query};
use verdiff_model::Program;
use verdiff_symex::callee::{Callees, InlineAll};
use verdiff_symex::entry::Entry;
use verdiff_symex::execute::{ExecutionLimits, Executor, Stop};
use verdiff_symex::outcome::Outcome;
use verdiff_symex::regions::Regions;
use verdiff_symex::space::Space;

pub fn program(source: &str) -> Program {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.c");
    std::fs::write(&path, source).unwrap();
    load(&Inputs { paths: vec![path], ..Inputs::default() }).unwrap().program
}

/// What a query may cost where no answer is an answer, too: counted, so that a busy machine gives the same ones. `cargo xtask
/// soak` (`VERDIFF_CORPUS_ALL`) waits longer.
pub fn counted(usual: Effort, in_soak: Effort) -> SolverLimits {
    let all = std::env::var_os("VERDIFF_CORPUS_ALL").is_some();
    SolverLimits::effort(if all { in_soak } else { usual })
}

/// Whether `f` is surely equal in both versions, all callees being executed.
pub fn equal_inlined(old: &str, new: &str) -> bool {
    equal_programs(&program(old), &program(new))
}

pub fn equal_programs(old: &Program, new: &Program) -> bool {
    let regions = Regions::analyse(&[old, new]);
    surely_equal(&mut Space::new(), &regions, [old, new], &mut InlineAll).unwrap()
}

pub fn surely_equal(
    space: &mut Space,
    regions: &Regions,
    programs: [&Program; 2],
    callees: &mut dyn Callees,
) -> Result<bool, Stop> {
    let f = programs[0].procedure_named("f").unwrap();
    let entry = Entry::of(space, regions, programs[0].procedure(f))?;
    let mut outcomes = Vec::new();
    for (side, program) in verdiff_model::Side::BOTH.into_iter().zip(programs) {
        let f = program.procedure_named("f").unwrap();
        let mut executor =
            Executor::new(space, program, side, regions, callees, ExecutionLimits::default());
        let state = executor.entry_state(&entry, f, false)?;
        outcomes.push(executor.run(f, &entry.args, state)?);
    }
    let differ = outcomes_differ(space, regions, &outcomes[0], &outcomes[1])?;
    let mut assertions = space.axioms().unwrap();
    assertions.push(differ);
    let query = Query { assertions: &assertions, assumptions: &[] };
    match solver::standard().decide(&mut space.pool, &query, &SolverLimits::seconds(10.0)) {
        Answer::Unsat { .. } => Ok(true),
        Answer::Sat(_) => Ok(false),
        Answer::Unknown(reason) => panic!("{reason}"),
    }
}

/// When two outcomes differ, in all that is not local.
pub fn outcomes_differ(
    space: &mut Space,
    regions: &Regions,
    old: &Outcome,
    new: &Outcome,
) -> Result<TermId, Stop> {
    let visible = regions.visible(|info| info.locals_only);
    Ok(Outcome::differ(space, old, new, &[None], &visible)?)
}
