//! What a process does besides `main`, and what formulas do not see of it.
//!
//! Constructors run before `main`, which then does not start from the initialisers; destructors and handlers of `atexit` run after
//! it and see what memory holds. A proof about `main` is one about the process only if all of these are known to be equal, and if it
//! started from *any* memory where constructors run ([`starts_plainly`]).
//!
//! Formulas round to nearest. Code that changes how floats are rounded is not proved by formulas; the same code is the
//! same in any mode.

use crate::outside;
use std::collections::BTreeSet;
use verdiff_judge::{Addition, Candidate, Field, Findings, Incomplete, Side, StopReason, Task};
use verdiff_model::graph::calls::CallGraph;
use verdiff_model::{Address, ExternalKind, GlobalId, Linkage, Program};
use verdiff_symex::libc::{Hidden, known_external};

/// Functions of the C library that change how floats are rounded.
const ROUNDING: [&str; 4] = ["fesetround", "fesetenv", "feupdateenv", "feholdexcept"];

/// Whether functions run before or after `main`.
pub fn runs_more(program: &Program) -> bool {
    !program.constructors.is_empty() || program.runs_at_exit()
}

/// Whether a pair starts from the initialisers of its globals: `main` does, unless something runs before it.
pub fn starts_plainly(task: &Task<'_>) -> bool {
    is_main(task)
        && Side::BOTH.into_iter().all(|side| task.comparison.program(side).constructors.is_empty())
}

/// Findings of an engine that works with formulas or runs, without what they do not show.
pub fn sound(task: &Task<'_>, mut findings: Findings) -> Findings {
    if is_main(task) {
        // Proved of the memory that a process begins with; a call of it is made with any.
        findings.additions.iter_mut().for_each(|addition| addition.holds_in_calls = false);
        around_main(task, &mut findings);
        if has_changed_variable(task) && reaches_hidden_memory(task) {
            refuse(&mut findings, |_| true, Incomplete::AroundMain);
        }
    }
    findings.candidates.retain(|candidate| starts_alike(task, candidate));
    if Side::BOTH.into_iter().any(|side| changes_rounding(task, side)) {
        refuse(&mut findings, |_| true, Incomplete::Rounding);
    }
    findings
}

/// Whether variables that only one version has hold what they begin with. The other version has nothing that could hold the same,
/// so a state in which they hold something else is none that both versions could be in.
fn starts_alike(task: &Task<'_>, candidate: &Candidate) -> bool {
    let used = |bytes: &[u8]| bytes.iter().rposition(|byte| *byte != 0).map_or(0, |last| last + 1);
    Side::BOTH.into_iter().all(|side| {
        let entry = if side == Side::Old { &candidate.old } else { &candidate.new };
        entry.globals.iter().all(|(id, contents)| {
            let global = task.comparison.program(side).global(*id);
            let Some(init) = &global.init else { return true };
            let (now, first) = (&contents.bytes, &init.bytes);
            global.constant
                || task.comparison.global_in_other(side, *id).is_some()
                || now[..used(now)] == first[..used(first)]
                    && contents.pointers.len() == init.relocations.len()
        })
    })
}

fn is_main(task: &Task<'_>) -> bool {
    task.comparison.procedure(task.pair, Side::Old).name == "main"
}

/// Whether some variable that all files see, or that initial values lead to, begins otherwise in one version than in the other, or is
/// there in one alone. A library may look for it by name: `opterr`, `environ`. In formulas only what the program itself accesses has initial
/// values, so a call of the outside would seem to find the same memory in both. (✗ `int opterr = 0;` against `int opterr = 1;`)
fn has_changed_variable(task: &Task<'_>) -> bool {
    let comparison = task.comparison;
    Side::BOTH.into_iter().any(|side| {
        let program = comparison.program(side);
        let inits = program.globals.iter().filter_map(|global| global.init.as_ref());
        let targets = inits.flat_map(|init| &init.relocations).map(|r| r.target);
        let led_to: BTreeSet<GlobalId> = targets
            .filter_map(|target| match target {
                Address::Global(id) => Some(id),
                _ => None,
            })
            .collect();
        (0..program.globals.len()).map(GlobalId::new).any(|id| {
            let global = program.global(id);
            let seen = global.linkage != Linkage::Internal || led_to.contains(&id);
            let other = comparison.global_in_other(side, id);
            let same = |other: GlobalId| {
                comparison.contents_of(side, id) == comparison.contents_of(side.other(), other)
            };
            seen && !global.is_literal() && global.init.is_some() && !other.is_some_and(same)
        })
    })
}

/// Whether `main` calls, by any way, a function of the outside of which it is not known that it depends on its arguments alone. In
/// formulas a call of a function that calls it has no input that stands for a variable of one version. (✗ `getopt` in a function that
/// `main` calls, with `int opterr = 0;` in the new version only.)
fn reaches_hidden_memory(task: &Task<'_>) -> bool {
    Side::BOTH.into_iter().any(|side| {
        let program = task.comparison.program(side);
        let graph = CallGraph::of(program);
        let start = task.comparison.pair(task.pair).of(side);
        let reached = graph.reachable_from(&[start]);
        !graph.is_complete()
            || reached.into_iter().flat_map(|id| graph.externals(id).to_vec()).any(|id| {
                let external = program.external(id);
                let known = known_external(external);
                external.kind != ExternalKind::PureIntrinsic
                    && known.is_none_or(|known| known.hidden != Hidden::Untouched)
            })
    })
}

/// What is said of `main` must be true of the process.
fn around_main(task: &Task<'_>, findings: &mut Findings) {
    let comparison = task.comparison;
    let programs = Side::BOTH.map(|side| comparison.program(side));
    if !programs.into_iter().any(runs_more) {
        return;
    }
    if programs.into_iter().any(|program| !program.constructors.is_empty()) {
        // A run that starts from the initialisers is none of the process's.
        findings.candidates.clear();
        findings.common_run = false;
    }
    let taken = outside::address_taken(comparison);
    let others = |test: fn(&verdiff_judge::Judgement) -> bool| {
        let known = |p| task.judgement_of(p).is_some_and(test);
        taken.as_ref().is_some_and(|t| t.iter().filter(|p| **p != task.pair).all(|p| known(*p)))
    };
    let alike = outside::same_initialisers(comparison, task.pair)
        && outside::outside_is_equal(comparison)
        && others(|j| j.is_equal_in_calls());
    if !alike {
        refuse(findings, |_| true, Incomplete::AroundMain);
    } else if !others(|j| j.is_alike()) {
        refuse(findings, |a| a.evidence.adds == Field::AlikeUnder, Incomplete::AroundMain);
    }
}

/// Leaves out additions, and says why.
fn refuse(findings: &mut Findings, which: impl Fn(&Addition) -> bool, why: Incomplete) {
    let before = findings.additions.len();
    findings.additions.retain(|addition| !which(addition));
    if findings.additions.len() < before || findings.stopped.is_none() {
        findings.stopped = Some(StopReason::incomplete(why));
    }
    for candidate in &mut findings.candidates {
        candidate.condition = candidate.condition.take().filter(|addition| !which(addition));
    }
}

fn changes_rounding(task: &Task<'_>, side: Side) -> bool {
    let program = task.comparison.program(side);
    let changes = |name: &str| ROUNDING.contains(&name);
    if !program.externals.iter().any(|e| changes(&e.name)) {
        return false;
    }
    let graph = CallGraph::of(program);
    let start = task.comparison.pair(task.pair).of(side);
    graph
        .reachable_from(&[start])
        .into_iter()
        .any(|id| graph.externals(id).iter().any(|e| changes(&program.external(*e).name)))
}
