//! Every transformation of control flow keeps what a program computes: results, memory,
//! traps and events are those of the original, in the interpreter, on thousands of random
//! programs.

use crate::outline_random;

use outline_random::{Random, entry, program};
use std::collections::BTreeMap;
use verdiff_model::graph::reducible::make_reducible;
use verdiff_model::graph::tidy::tidy;
use verdiff_model::graph::{DominatorTree, Flow, Loops};
use verdiff_model::interp::{Limits, Machine};
use verdiff_model::outline::{
    OutlineError, Reach, Region, cut_at_calls, cut_at_heads, loops_to_recursion,
    loops_to_recursion_reaching, outline,
};
use verdiff_model::state::{End, Run, compare};
use verdiff_model::*;

const PROGRAMS: u64 = 2_500;
const INPUTS: usize = 5;

/// Applies `change` to random programs and compares runs before and after. Says how often
/// the change did something.
fn check(seed: u64, change: impl Fn(&mut Program, &mut Random) -> bool) -> u64 {
    let mut changed = 0;
    let mut ends: BTreeMap<String, u64> = BTreeMap::new();
    for i in 0..PROGRAMS {
        let mut random = Random::new(seed * 1_000_000 + i + 1);
        let before = program(&mut random);
        let mut after = before.clone();
        if !change(&mut after, &mut random) {
            continue;
        }
        changed += 1;
        let show = || format!("{}\n=>\n{}", print::program(&before), print::program(&after));
        if let Err(problems) = validate(&after) {
            panic!("seed {i}: {}\n{}", problems[0].describe(&after), show());
        }
        let (mut left, mut right) = (Machine::new(&before), Machine::new(&after));
        for _ in 0..INPUTS {
            let state = entry(&mut random);
            let a = left.run(ProcId(0), &state, &Limits::default());
            let b = right.run(ProcId(0), &state, &Limits::default());
            assert!(a.is_conclusive(), "seed {i}: it was to end\n{}", show());
            let difference = compare(
                Run { program: &before, entry: &state, outcome: &a },
                Run { program: &after, entry: &state, outcome: &b },
            );
            assert_eq!(difference, None, "seed {i}, {state:?}:\n{}", show());
            let end = match a.end {
                End::Returned(_) => "returned".to_owned(),
                End::Trapped { trap, .. } => trap.to_string(),
                other => format!("{other:?}"),
            };
            *ends.entry(end).or_default() += 1;
        }
    }
    // The programs must do something before they end, or nothing was tested.
    let runs: u64 = ends.values().sum();
    assert!(ends["returned"] * 3 > runs, "{ends:?}");
    assert!(ends["uninitialised read"] > 0 && ends["division by zero"] > 0, "{ends:?}");
    changed
}

fn main_procedure(program: &mut Program) -> &mut Procedure {
    &mut program.procedures[0]
}

fn loops_of(procedure: &Procedure) -> Loops {
    let flow = Flow::of(procedure);
    Loops::of(&flow, &DominatorTree::of(&flow))
}

#[test]
fn tidying() {
    let changed = check(1, |program, _| {
        let before = main_procedure(program).clone();
        tidy(main_procedure(program));
        *main_procedure(program) != before
    });
    assert!(changed > PROGRAMS / 3, "{changed}");
}

#[test]
fn node_splitting() {
    let changed = check(2, |program, _| {
        let copies = make_reducible(main_procedure(program)).map_or(0, |s| s.copies.len());
        assert!(loops_of(main_procedure(program)).irreducible().is_empty() || copies == 0);
        copies > 0
    });
    assert!(changed > PROGRAMS / 20, "{changed}");
}

#[test]
fn loops_as_recursion() {
    let changed = check(3, |program, _| match loops_to_recursion(program, ProcId(0)) {
        Ok(done) => {
            for procedure in &program.procedures {
                assert!(loops_of(procedure).is_empty());
                assert!(loops_of(procedure).irreducible().is_empty());
            }
            !done.is_empty()
        }
        Err(OutlineError::StackMemory { .. } | OutlineError::Irreducible(_)) => false,
        Err(other) => panic!("{other}"),
    });
    assert!(changed > PROGRAMS / 3, "{changed}");
}

#[test]
fn loops_as_recursion_with_what_comes_behind() {
    let changed =
        check(7, |program, _| match loops_to_recursion_reaching(program, ProcId(0), Reach::End) {
            Ok(done) => {
                for procedure in &program.procedures {
                    assert!(loops_of(procedure).is_empty());
                    assert!(loops_of(procedure).irreducible().is_empty());
                }
                !done.is_empty()
            }
            Err(OutlineError::StackMemory { .. } | OutlineError::Irreducible(_)) => false,
            Err(other) => panic!("{other}"),
        });
    assert!(changed > PROGRAMS / 4, "{changed}");
}

#[test]
fn cut_where_loops_begin() {
    let changed = check(11, |program, _| {
        let Some(heads) = cut_at_heads(program, ProcId(0)) else { return false };
        for id in heads.iter().chain([&ProcId(0)]) {
            let procedure = program.procedure(*id);
            assert!(loops_of(procedure).is_empty());
            assert!(loops_of(procedure).irreducible().is_empty());
        }
        !heads.is_empty()
    });
    assert!(changed > PROGRAMS / 8, "{changed}");
}

/// Cut before calls of each kind, and at what loops are left: what is computed stays the same.
#[test]
fn cut_before_calls() {
    for (seed, calls) in [(12, [true, true]), (13, [true, false]), (14, [false, true])] {
        let chosen = |callee: &Callee| match callee {
            Callee::Procedure(_) => calls[0],
            Callee::External(_) | Callee::Indirect { .. } => calls[1],
        };
        check(seed, |program, _| {
            let Some(parts) = cut_at_calls(program, ProcId(0), &chosen) else { return false };
            if parts.is_empty() {
                return false;
            }
            for id in parts.iter().chain([&ProcId(0)]) {
                let procedure = program.procedure(*id);
                assert!(loops_of(procedure).is_empty());
                assert!(loops_of(procedure).irreducible().is_empty());
            }
            true
        });
    }
}

/// A region with one entry: all that a block dominates, or a part of that.
fn random_region(procedure: &Procedure, random: &mut Random) -> Region {
    let flow = Flow::of(procedure);
    let dominators = DominatorTree::of(&flow);
    let entry = *random.pick(flow.reverse_postorder());
    let below: Vec<BlockId> =
        procedure.block_ids().filter(|b| dominators.dominates(entry, *b)).collect();
    if random.chance(30) {
        return Region { entry, blocks: below };
    }
    let loops = Loops::of(&flow, &dominators);
    let mut blocks = vec![entry];
    if let Some(id) = loops.with_header(entry)
        && random.chance(70)
    {
        blocks.clone_from(&loops.get(id).body);
    }
    // Grown by what is entered from inside alone.
    for b in flow.reverse_postorder() {
        let before = flow.predecessors(*b);
        let entered_inside = !before.is_empty() && before.iter().all(|p| blocks.contains(p));
        if *b != entry && !blocks.contains(b) && entered_inside && random.chance(70) {
            blocks.push(*b);
        }
    }
    Region { entry, blocks }
}

#[test]
fn regions() {
    let changed = check(4, |program, random| {
        let mut any = false;
        for i in 0..3 {
            // The procedure itself, or one that was just cut out of it.
            let at = match program.procedures.len() {
                2 => 0,
                n => *random.pick(&[0, n - 1]),
            };
            let region = random_region(&program.procedures[at], random);
            match outline(program, ProcId::new(at), &region, &format!("part{i}")) {
                Ok(outlined) => {
                    any = true;
                    let new = program.procedure(outlined.procedure);
                    assert_eq!(new.params.len(), outlined.params.len());
                    assert_eq!(new.results.len(), outlined.results.len());
                }
                Err(OutlineError::StackMemory { .. }) => {}
                Err(other) => panic!("{other}: {region:?}"),
            }
        }
        any
    });
    assert!(changed > PROGRAMS / 3, "{changed}");
}

#[test]
fn all_of_them_one_after_the_other() {
    let changed = check(5, |program, random| {
        tidy(main_procedure(program));
        let region = random_region(&program.procedures[0], random);
        let _ = outline(program, ProcId(0), &region, "part");
        let mut done = 0;
        for id in program.procedure_ids() {
            done += loops_to_recursion(program, id).map_or(0, |done| done.len());
        }
        for procedure in &mut program.procedures {
            tidy(procedure);
        }
        done > 0
    });
    assert!(changed > PROGRAMS / 3, "{changed}");
}

/// Checks of all facts that are established where a block begins never fail.
#[test]
fn established_facts() {
    use std::cell::Cell;
    use verdiff_model::graph::established::{Established, Fact};
    let (conditions, contents) = (Cell::new(0), Cell::new(0));
    let changed = check(13, |program, _| {
        let procedure = main_procedure(program);
        let all = (0..procedure.vars.len()).map(VarId::new).collect();
        let established = Established::of(procedure, &all);
        let reachable = Flow::of(procedure);
        let mut any = false;
        for block in procedure.block_ids().filter(|b| reachable.is_reachable(*b)) {
            let facts: Vec<Fact> = established.at(block).cloned().collect();
            for fact in &facts {
                let count = match fact {
                    Fact::Holds(_) => &conditions,
                    Fact::Contains { .. } => &contents,
                };
                count.set(count.get() + 1);
            }
            let checks: Vec<Stmt> =
                facts.iter().flat_map(|fact| fact.checked(procedure, Loc::NONE)).collect();
            any |= !checks.is_empty();
            procedure.blocks[block.index()].stmts.splice(0..0, checks);
        }
        any
    });
    assert!(changed > PROGRAMS / 2, "{changed}");
    let counts = (conditions.get(), contents.get());
    assert!(counts.0 > 10_000 && counts.1 > 1_000, "{counts:?}");
}

#[test]
fn copies_substituted() {
    use verdiff_model::graph::substitute::substitute_copies;
    let changed = check(17, |program, _| {
        let before = main_procedure(program).clone();
        tidy(main_procedure(program));
        substitute_copies(main_procedure(program), before.params.len());
        let stmts = |p: &Procedure| p.blocks.iter().map(|b| b.stmts.len()).sum::<usize>();
        stmts(main_procedure(program)) < stmts(&before)
    });
    assert!(changed > PROGRAMS / 4, "{changed}");
}
