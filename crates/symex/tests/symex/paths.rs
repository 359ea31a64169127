//! Path-by-path execution: every path right, none twice, and an exploration that goes on where
//! it stopped.

use std::rc::Rc;
use verdiff_front::{Inputs, load};
use verdiff_logic::solver::{self, Answer, Decide, Limits as SolverLimits, Query};
use verdiff_logic::{Assignment, Bits, TermId, Value};
use verdiff_model::{Block, Callee, Program, Stmt, StmtKind};
use verdiff_symex::callee::InlineAll;
use verdiff_symex::entry::Entry;
use verdiff_symex::execute::{ExecutionLimits, Executor, Stop};
use verdiff_symex::guide::{FAR, Guide};
use verdiff_symex::outcome::ExitKind;
use verdiff_symex::paths::{Bounds, Explored, Explorer, Feasible};
use verdiff_symex::regions::Regions;
use verdiff_symex::space::Space;

fn program(source: &str) -> Program {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.c");
    std::fs::write(&path, source).unwrap();
    load(&Inputs { paths: vec![path], ..Inputs::default() }).unwrap().program
}

fn feasible(space: &mut Space, path: &[TermId]) -> Feasible {
    let query = Query { assertions: path, assumptions: &[] };
    let answer = solver::standard().decide(&mut space.pool, &query, &SolverLimits::seconds(2.0));
    if matches!(answer, Answer::Unsat { .. }) { Feasible::No } else { Feasible::Maybe }
}

/// Explores `f` of one `int` parameter under growing bounds; calls `look` after each.
fn explore(
    source: &str,
    visits: &[u32],
    look: impl FnMut(&mut Space, &Entry, &Explorer, Explored),
) {
    explore_towards(source, visits, |_| None, look);
}

/// The same, headed where the guide leads.
fn explore_towards(
    source: &str,
    visits: &[u32],
    guide: impl FnOnce(&Program) -> Option<Rc<Guide>>,
    mut look: impl FnMut(&mut Space, &Entry, &Explorer, Explored),
) {
    let program = program(source);
    let proc = program.procedure_named("f").unwrap();
    let regions = Regions::analyse(&[&program]);
    let mut space = Space::new();
    let entry = Entry::of(&mut space, &regions, program.procedure(proc)).unwrap();
    let mut inline = InlineAll;
    let mut executor = Executor::new(
        &mut space,
        &program,
        verdiff_model::Side::Old,
        &regions,
        &mut inline,
        ExecutionLimits::default(),
    );
    let mut explorer = Explorer::new(&mut executor, proc, &entry, false).unwrap();
    if let Some(guide) = guide(&program) {
        explorer = explorer.towards(guide);
    }
    for visits in visits {
        let bounds = Bounds { visits: *visits, depth: 40, paths: 1000, blocks: 10_000 };
        let explored = explorer.explore(&mut executor, &bounds, &mut feasible).unwrap();
        look(executor.space(), &entry, &explorer, explored);
    }
}

fn assign(space: &Space, entry: &Entry, x: i32) -> Assignment {
    let mut all = Assignment::new();
    all.set_term(&space.pool, entry.args[0], Value::Bits(Bits::from_signed(32, x.into()))).unwrap();
    all
}

/// What the explored paths say `f(x)` gives: `None` if no path covers it, an error if several do.
fn result(
    space: &Space,
    entry: &Entry,
    explorer: &Explorer,
    x: i32,
) -> Result<Option<String>, String> {
    let assignment = assign(space, entry, x);
    let holds = |t: &TermId| space.pool.eval(*t, &assignment).unwrap().as_bool() == Some(true);
    let taken: Vec<_> = explorer.done().iter().filter(|e| e.path.iter().all(holds)).collect();
    match taken[..] {
        [] => Ok(None),
        [one] => Ok(Some(match &one.kind {
            ExitKind::Return(values) => {
                let value = space.pool.eval(values[0], &assignment).unwrap();
                format!("{}", value.as_bits().unwrap().to_i128().unwrap())
            }
            ExitKind::Trap(trap) => trap.to_string(),
            other => format!("{other:?}"),
        })),
        _ => Err(format!("{} paths for {x}", taken.len())),
    }
}

#[test]
fn each_input_takes_exactly_one_path() {
    let source = "int g(int a) { return a > 10 ? a - 10 : -a; }
        int f(int x) { int r = 100 / x; if (x > 3) r += g(x); else if (x == -5) r = g(r) * 2; return r; }";
    explore(source, &[1], |space, entry, explorer, explored| {
        assert_eq!(explored, Explored::Exhausted);
        let g = |a: i32| if a > 10 { a - 10 } else { -a };
        for x in -20..30 {
            let expected = if x == 0 {
                "division by zero".to_owned()
            } else {
                let r = 100 / x;
                let r = if x > 3 {
                    r + g(x)
                } else if x == -5 {
                    g(r) * 2
                } else {
                    r
                };
                r.to_string()
            };
            assert_eq!(result(space, entry, explorer, x), Ok(Some(expected)), "f({x})");
        }
    });
}

#[test]
fn a_larger_bound_goes_on_where_the_smaller_one_stopped() {
    let source = "int f(int n) { int s = 0; for (int i = 0; i < n; i++) s += i; return s; }";
    let mut sizes = Vec::new();
    explore(source, &[2, 5, 5, 9], |space, entry, explorer, explored| {
        assert_eq!(explored, Explored::Bounded, "n is not bounded");
        sizes.push(explorer.done().len());
        let most = explorer.done().len() as i32 - 1;
        let open = explorer.open(space).unwrap();
        for n in -3..12 {
            let expected = (n <= most).then(|| (0..n.max(0)).sum::<i32>().to_string());
            assert_eq!(result(space, entry, explorer, n), Ok(expected), "f({n}) of {most}");
            // What is not covered is exactly what is said to be open.
            let assignment = assign(space, entry, n);
            let is_open = space.pool.eval(open, &assignment).unwrap().as_bool();
            assert_eq!(is_open, Some(n > most), "open for {n}");
        }
    });
    assert_eq!(sizes, [2, 5, 5, 9]);
}

#[test]
fn an_unsupported_procedure_is_a_typed_stop() {
    let program = program(
        "#include <stdarg.h>\nint f(long double n, ...) { va_list l; va_start(l, n); return 0; }",
    );
    let regions = Regions::analyse(&[&program]);
    let mut space = Space::new();
    let proc = program.procedure_named("f").unwrap();
    let entry = Entry::of(&mut space, &regions, program.procedure(proc)).unwrap();
    let mut inline = InlineAll;
    let mut executor = Executor::new(
        &mut space,
        &program,
        verdiff_model::Side::Old,
        &regions,
        &mut inline,
        ExecutionLimits::default(),
    );
    let state = executor.entry_state(&entry, proc, false).unwrap();
    let stop = executor.run(proc, &entry.args, state).unwrap_err();
    assert!(matches!(stop, Stop::Unsupported { .. }), "{stop}");
}

#[test]
fn a_limit_on_terms_is_kept() {
    let program = program("int f(int x) { return (x * 3 + 1) ^ (x / 7) ^ (x % 11) ^ (x << 3); }");
    let regions = Regions::analyse(&[&program]);
    let mut space = Space::new();
    let proc = program.procedure_named("f").unwrap();
    let entry = Entry::of(&mut space, &regions, program.procedure(proc)).unwrap();
    let mut inline = InlineAll;
    let limits = ExecutionLimits { terms: 5, depth: 1 };
    let mut executor = Executor::new(
        &mut space,
        &program,
        verdiff_model::Side::Old,
        &regions,
        &mut inline,
        limits,
    );
    let state = executor.entry_state(&entry, proc, false).unwrap();
    assert_eq!(executor.run(proc, &entry.args, state).unwrap_err(), Stop::Size(5));
}

/// Only the blocks that call `g` are where it is headed; all others count as one decision away, or as leading nowhere.
fn towards_g(program: &Program, others: u32) -> Option<Rc<Guide>> {
    let g = program.procedure_named("g").unwrap();
    let calls = |block: &Block| {
        let is_call = |stmt: &Stmt| matches!(&stmt.kind, StmtKind::Call { callee: Callee::Procedure(id), .. } if *id == g);
        if block.stmts.iter().any(is_call) { 0 } else { others }
    };
    let distances = program.procedures.iter().map(|p| p.blocks.iter().map(calls).collect());
    Some(Rc::new(Guide(distances.collect())))
}

#[test]
fn a_headed_exploration_finishes_only_paths_that_were_there_and_says_what_it_left() {
    let source = "int g(int a) { return a * 3; }
        int f(int x) {
            int r = 0;
            if (x < 0) { if (x == -7) return 100 / (x + 7); return -1; }
            for (int i = 0; i < x; i++) r += i;
            if (x == 5) return g(r);
            return r;
        }";
    explore_towards(
        source,
        &[2, 8],
        |program| towards_g(program, 1),
        |space, entry, explorer, explored| {
            assert_eq!(explored, Explored::Bounded, "what ended elsewhere was not explored");
            let open = explorer.open(space).unwrap();
            for x in -20..30 {
                let assignment = assign(space, entry, x);
                let is_open = space.pool.eval(open, &assignment).unwrap().as_bool() == Some(true);
                match result(space, entry, explorer, x).unwrap() {
                    Some(value) => {
                        assert!(!is_open, "f({x}) is finished and open");
                        assert_eq!((x, &*value), (5, "30"), "only 5 leads there");
                    }
                    None => assert!(is_open, "f({x}) is neither finished nor open"),
                }
            }
        },
    );
    let mut found = vec![];
    explore_towards(
        source,
        &[2, 8],
        |program| towards_g(program, 1),
        |_, _, explorer, _| {
            found.push(explorer.done().len());
        },
    );
    assert_eq!(found, [0, 1]);
}

#[test]
fn what_leads_nowhere_is_set_aside_at_once() {
    let source = "int g(int a) { return a * 3; }
        int f(int x) { if (x > 9) return g(x); return x; }";
    explore_towards(
        source,
        &[1],
        |program| towards_g(program, FAR),
        |space, entry, explorer, explored| {
            assert_eq!((explored, explorer.done().len()), (Explored::Bounded, 0));
            let open = explorer.open(space).unwrap();
            for x in [-3, 9, 10, 77] {
                let assignment = assign(space, entry, x);
                let is_open = space.pool.eval(open, &assignment).unwrap().as_bool();
                assert_eq!(is_open, Some(true), "f({x}) was not explored");
            }
        },
    );
}
