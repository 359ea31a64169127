//! Variables without a value keep being without one where loops are made procedures.

use crate::pair_support;

use pair_support::{program, surely_equal};
use std::rc::Rc;
use verdiff_logic::TermId;
use verdiff_logic::solver::{self, Answer, Decide, Limits as SolverLimits, Query};
use verdiff_model::outline::loops_to_recursion;
use verdiff_model::{ProcId, Program, Trap};
use verdiff_symex::callee::{Abstraction, Callees, InlineAll, View};
use verdiff_symex::effects::{Callers, Effects};
use verdiff_symex::entry::Entry;
use verdiff_symex::execute::{ExecutionLimits, Executor};
use verdiff_symex::outcome::ExitKind;
use verdiff_symex::paths::{Bounds, Explorer, Feasible};
use verdiff_symex::regions::Regions;
use verdiff_symex::space::Space;

/// `f` with its loops as procedures.
fn outlined(source: &str) -> Program {
    let mut program = program(source);
    let f = program.procedure_named("f").unwrap();
    assert!(!loops_to_recursion(&mut program, f).unwrap().is_empty());
    program
}

fn feasible(space: &mut Space, path: &[TermId]) -> Feasible {
    let query = Query { assertions: path, assumptions: &[] };
    let answer = solver::standard().decide(&mut space.pool, &query, &SolverLimits::seconds(2.0));
    if matches!(answer, Answer::Unsat { .. }) { Feasible::No } else { Feasible::Maybe }
}

/// The traps on the paths of `f` through at most so many calls of each block.
fn traps(program: &Program) -> Vec<Trap> {
    let regions = Regions::analyse(&[program]);
    let mut space = Space::new();
    let f = program.procedure_named("f").unwrap();
    let entry = Entry::of(&mut space, &regions, program.procedure(f)).unwrap();
    let mut inline = InlineAll;
    let mut executor = Executor::new(
        &mut space,
        program,
        verdiff_model::Side::Old,
        &regions,
        &mut inline,
        ExecutionLimits::default(),
    );
    let mut explorer = Explorer::new(&mut executor, f, &entry, false).unwrap();
    let bounds = Bounds { visits: 3, depth: 40, paths: 40, blocks: 400 };
    explorer.explore(&mut executor, &bounds, &mut feasible).unwrap();
    let trap = |kind: &ExitKind| match kind {
        ExitKind::Trap(trap) => Some(*trap),
        _ => None,
    };
    explorer.done().iter().filter_map(|e| trap(&e.kind)).collect()
}

/// Read in the loop before it is written there.
const READ_INSIDE: &str = "int f(int n) { if (n > 2) n = 2; int x; int s = 0; for (int i = 0; i < n; i++) { s += x; x = i; } return s; }";
/// Written in the loop, if that runs at all.
const READ_BEHIND: &str =
    "int f(int n) { if (n > 2) n = 2; int x; for (int i = 0; i < n; i++) x = i; return x; }";
/// Handed on by a copy.
const COPIED: &str = "int f(int n) { if (n > 2) n = 2; int x; int y = 0; for (int i = 0; i < n; i++) { y = x; x = i; } return y; }";

#[test]
fn an_argument_without_a_value_is_without_one_in_the_loop() {
    for source in [READ_INSIDE, COPIED] {
        assert!(traps(&program(source)).contains(&Trap::Uninitialised), "{source}");
        assert!(traps(&outlined(source)).contains(&Trap::Uninitialised), "outlined: {source}");
    }
}

#[test]
fn a_result_without_a_value_is_without_one_behind_the_loop() {
    assert!(traps(&program(READ_BEHIND)).contains(&Trap::Uninitialised));
    assert!(traps(&outlined(READ_BEHIND)).contains(&Trap::Uninitialised));
}

#[test]
fn what_has_a_value_does_not_trap() {
    let source = "int f(int n) { if (n > 2) n = 2; int x = 0; int s = 0; for (int i = 0; i < n; i++) { s += x; x = i; } return s + x; }";
    assert!(!traps(&outlined(source)).contains(&Trap::Uninitialised));
}

/// Outlined procedures are common to both versions, and known to return.
struct LoopsAreCommon<'p> {
    programs: [&'p Program; 2],
    view: Abstraction,
}

impl Callees for LoopsAreCommon<'_> {
    fn view(&mut self, side: verdiff_model::Side, callee: ProcId, _: usize) -> View {
        let name = &self.programs[side.index()].procedure(callee).name;
        if !name.contains(".loop") {
            return View::Inline;
        }
        View::Abstract(self.view.clone())
    }
}

/// `unset`: nothing if all parameters of the loop are taken to have values, else which of them may be without one, by name.
fn equal_with_common_loops(old: &str, new: &str, unset: Option<&[&str]>) -> bool {
    let (old, new) = (outlined(old), outlined(new));
    let regions = Regions::analyse(&[&old, &new]);
    let effects = Effects::analyse(&[&old, &new], &regions, Callers::ByName);
    let mut space = Space::new();
    let inner = old.procedure_named("f.loop1").unwrap();
    let entry = Entry::named(&mut space, &regions, old.procedure(inner), "loop ").unwrap();
    let procedure = old.procedure(inner);
    let names = procedure.params.iter().map(|p| procedure.var(*p).name.as_str());
    let entry = match unset {
        Some(unset) => {
            let may_be: Vec<bool> = names.map(|name| unset.contains(&name)).collect();
            entry.with_unset(&mut space, &may_be).unwrap()
        }
        None => entry,
    };
    let entry = Rc::new(entry);
    let both = [
        effects.of(verdiff_model::Side::Old, inner),
        effects.of(verdiff_model::Side::New, new.procedure_named("f.loop1").unwrap()),
    ];
    let mut view = Abstraction::unproved(&mut space, &regions, "loop", entry, &both);
    view.common_under = None;
    let mut callees = LoopsAreCommon { programs: [&old, &new], view };
    surely_equal(&mut space, &regions, [&old, &new], &mut callees).unwrap()
}

#[test]
fn a_common_loop_is_not_common_for_what_has_no_value() {
    let with = |before: &str| {
        format!(
            "int f(int n, int c) {{ int x; {before} int s = 0; for (int i = 0; i < n; i++) {{ s += x; x = i; }} return s; }}"
        )
    };
    let always = with("x = 1;");
    let sometimes = with("if (c) x = 1;");
    assert!(equal_with_common_loops(&always, &with("x = 2 - 1;"), None));
    for unset in [None, Some(&["x"][..]), Some(&["x", "n", "s", "i"])] {
        assert!(!equal_with_common_loops(&always, &sometimes, unset));
        assert!(!equal_with_common_loops(&sometimes, &always, unset));
    }
    // A judgement over entry states in which it may be unset covers it; one without, or with others only, does not.
    let other = with("if (c != 0) x = 1;");
    assert!(equal_with_common_loops(&sometimes, &other, Some(&["x"])));
    assert!(!equal_with_common_loops(&sometimes, &other, None));
    assert!(!equal_with_common_loops(&sometimes, &other, Some(&["s"])));
    assert!(!equal_with_common_loops(&sometimes, &other, Some(&[])));
}

#[test]
fn a_function_result_in_a_loop_has_a_value() {
    let with = |call: &str| {
        format!(
            "int h(int a) {{ int r = a; if (a > 3) r = 7; return r; }}\nint f(int n) {{ int m = {call}; int s = 0; for (int i = 0; i < m; i++) s += i; return s; }}"
        )
    };
    assert!(equal_with_common_loops(&with("h(n)"), &with("h(n + 0)"), None));
}
