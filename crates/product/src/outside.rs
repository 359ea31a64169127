//! What code outside of the program can reach: procedures whose address is taken, constants it can name, and what runs
//! around `main`.

use crate::library_names::{calls_the_c_library_alone, is_the_programs_own};
use std::collections::BTreeSet;
use verdiff_judge::{Comparison, PairId, Side};
use verdiff_model::graph::calls::CallGraph;
use verdiff_model::{Address, Expr, Global, GlobalId, Linkage, ProcId, Program, Startup};

/// What code outside of both programs can reach.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outside {
    /// The pairs whose address is taken; `None` if they do not correspond.
    pub taken: Option<BTreeSet<PairId>>,
    /// Whether the constants that it can name are equal.
    pub constants_are_equal: bool,
}

impl Outside {
    /// Of a comparison.
    pub fn of(comparison: &Comparison) -> Outside {
        let (taken, equal) = (address_taken(comparison), outside_is_equal(comparison));
        Outside { taken, constants_are_equal: equal }
    }
}

/// The pairs whose address is taken in either version; `None` if a procedure without a partner
/// is among them, if one is taken in one version only, or if not all code is known.
pub fn address_taken(comparison: &Comparison) -> Option<BTreeSet<PairId>> {
    let of = |side: Side| -> Option<BTreeSet<PairId>> {
        let graph = CallGraph::of(comparison.program(side));
        if !graph.is_complete() {
            return None;
        }
        graph.address_taken().iter().map(|id| comparison.pair_of(side, *id)).collect()
    };
    let (old, new) = (of(Side::Old)?, of(Side::New)?);
    (old == new).then_some(old)
}

/// Whether constants that code outside of the program can see are equal.
pub fn outside_is_equal(comparison: &Comparison) -> bool {
    let hides = |program: &Program| program.hidden_initialisers || program.assembly;
    if Side::BOTH.into_iter().any(|side| hides(comparison.program(side))) {
        return false;
    }
    let visible = |side: Side| {
        globals(comparison, side)
            .filter(|(_, g)| g.constant && g.linkage == Linkage::External && g.init.is_some())
            .map(|(id, g)| (&g.symbol, g.size, comparison.contents_of(side, id)))
            .collect::<BTreeSet<_>>()
    };
    visible(Side::Old) == visible(Side::New)
}

/// Whether all globals that a run of `main` may see have equal initial contents in both versions, and the same functions
/// run before and after it.
///
/// A run sees the globals that code names which it may execute, those that other files can name, and those that the initial
/// contents of such globals point to. (A repository has many programs, each with static variables of its own; those of one do not
/// matter to the others.) A static variable that one version alone has cannot begin differently in the other: code that names it
/// is changed code, which is equal in calls only if it is so whatever the variable holds; and what points to it is no
/// pointer of the other version. One that all files see counts if a library may look for it by name (`int opterr = 0;`): unless its name
/// and what is called say that none does ([`library_names`](crate::library_names)).
pub fn same_initialisers(comparison: &Comparison, main: PairId) -> bool {
    differing_initialisers(comparison, main)
        .is_some_and(|differing| differing.iter().all(BTreeSet::is_empty))
}

/// The globals of either version that a run of `main` may see and that begin with something else, or do not exist, in the
/// other one ([`same_initialisers`]); `None` if other functions run before or after it.
pub fn differing_initialisers(
    comparison: &Comparison,
    main: PairId,
) -> Option<[BTreeSet<GlobalId>; 2]> {
    let closed = Side::BOTH.into_iter().all(|s| calls_the_c_library_alone(comparison, s, main));
    let seen = |side: Side| {
        let seen = globals_of_run(comparison, side, comparison.pair(main).of(side));
        globals(comparison, side)
            .filter(|(id, g)| !g.is_literal() && seen.as_ref().is_none_or(|s| s.contains(id)))
            .filter(|(id, g)| {
                let nobody_outside = match g.linkage {
                    Linkage::Internal => true,
                    Linkage::External => {
                        g.init.is_some() && is_the_programs_own(&g.symbol) && closed
                    }
                };
                !nobody_outside || comparison.global_in_other(side, *id).is_some()
            })
            .map(|(id, g)| {
                let contents = comparison.contents_of(side, id);
                ((g.identity(), g.owner.clone(), g.size, contents), id)
            })
            .collect::<Vec<_>>()
    };
    let seen = Side::BOTH.map(seen);
    let keys =
        [0, 1].map(|side: usize| seen[side].iter().map(|(key, _)| key).collect::<BTreeSet<_>>());
    let differing = [0, 1].map(|side: usize| {
        let only_here = seen[side].iter().filter(|(key, _)| !keys[1 - side].contains(key));
        only_here.map(|(_, id)| *id).collect()
    });
    same_startup(comparison).then_some(differing)
}

/// The globals that a run from a procedure may see; `None` if not all of its code is known.
fn globals_of_run(
    comparison: &Comparison,
    side: Side,
    start: ProcId,
) -> Option<BTreeSet<GlobalId>> {
    let program = comparison.program(side);
    let graph = CallGraph::of(program);
    if !graph.is_complete() || program.hidden_initialisers || program.assembly {
        return None;
    }
    let mut starts = vec![start];
    starts.extend_from_slice(graph.address_taken());
    let around = program.constructors.iter().chain(&program.destructors);
    starts.extend(around.filter_map(|startup| match startup.function {
        Address::Procedure(id) => Some(id),
        _ => None,
    }));
    let mut work: Vec<GlobalId> = globals(comparison, side)
        .filter(|(_, global)| global.linkage == Linkage::External)
        .map(|(id, _)| id)
        .collect();
    for id in graph.reachable_from(&starts) {
        let procedure = program.procedure(id);
        let opaque = procedure.opaque.as_ref();
        if !procedure.is_supported() && opaque.is_none() {
            return None;
        }
        let names = opaque.into_iter().flat_map(|opaque| &opaque.names);
        work.extend(names.filter_map(|address| global(*address)));
        let stmts = procedure.blocks.iter().flat_map(|block| &block.stmts);
        let ends = procedure.blocks.iter().flat_map(|block| block.end.kind.exprs());
        for e in stmts.flat_map(|stmt| stmt.kind.exprs()).chain(ends) {
            e.walk(&mut |e| {
                if let Expr::Address(address) = e {
                    work.extend(global(*address));
                }
            });
        }
    }
    let mut seen = BTreeSet::new();
    while let Some(id) = work.pop() {
        if seen.insert(id) {
            let init = program.global(id).init.iter();
            let targets = init.flat_map(|init| &init.relocations).map(|r| r.target);
            work.extend(targets.filter_map(global));
        }
    }
    Some(seen)
}

fn global(address: Address) -> Option<GlobalId> {
    match address {
        Address::Global(id) => Some(id),
        _ => None,
    }
}

/// Whether functions that belong together run before and after `main`, in the same order.
pub fn same_startup(comparison: &Comparison) -> bool {
    let list = |side: Side, list: &[Startup]| -> Vec<(u32, String)> {
        let name = |function: &Address| match function {
            Address::Procedure(id) => match comparison.pair_of(side, *id) {
                Some(pair) => format!("pair {}", pair.0),
                None => format!("{side:?} {}", comparison.program(side).procedure(*id).symbol),
            },
            Address::External(id) => comparison.program(side).external(*id).name.clone(),
            Address::Global(_) | Address::Local(_) => String::new(),
        };
        list.iter().map(|s| (s.priority, name(&s.function))).collect()
    };
    let both = |side: Side| {
        let program = comparison.program(side);
        (list(side, &program.constructors), list(side, &program.destructors))
    };
    both(Side::Old) == both(Side::New)
}

fn globals(comparison: &Comparison, side: Side) -> impl Iterator<Item = (GlobalId, &Global)> {
    let all = comparison.program(side).globals.iter().enumerate();
    all.map(|(index, global)| (GlobalId::new(index), global))
}
