//! The programs that facts are about, rewritten: loops as procedures, callees in place of calls.

use super::simplify::inline_names;
use std::collections::BTreeMap;
use verdiff_judge::{Comparison, PairId, Side};
use verdiff_model::graph::substitute::substitute_copies;
use verdiff_model::inline::inline_calls;
use verdiff_model::outline::{
    Outlined, Reach, cut_at_calls, cut_at_heads, loops_to_recursion_reaching,
};
use verdiff_model::{Callee, ProcId, Program};

/// Procedures do not grow beyond so many statements by inlining.
const MOST_INLINED: usize = 600;

/// The loops that procedures had.
pub(super) type Loops = BTreeMap<ProcId, Vec<Outlined>>;

/// Both programs.
pub(super) fn as_written(comparison: &Comparison) -> [Program; 2] {
    Side::BOTH.map(|side| comparison.program(side).clone())
}

/// Both programs, every loop a procedure, and which those are.
pub(super) fn outlined(programs: [Program; 2], reach: Reach) -> ([Program; 2], [Loops; 2]) {
    let mut loops = [Loops::new(), Loops::new()];
    let [old, new] = programs;
    let programs = [(Side::Old, old), (Side::New, new)].map(|(side, mut program)| {
        for id in program.procedure_ids() {
            inline_names(&mut program.procedures[id.index()]);
            if let Ok(cut) = loops_to_recursion_reaching(&mut program, id, reach)
                && !cut.is_empty()
            {
                loops[side.index()].insert(id, cut);
            }
        }
        program
    });
    (programs, loops)
}

/// Both programs, with the chosen callees in place of calls in the procedures of a pair; `None` if there is no such call.
pub(super) fn inlined(
    comparison: &Comparison,
    pair: PairId,
    chosen: &dyn Fn(Side, ProcId) -> bool,
) -> Option<[Program; 2]> {
    let mut programs = as_written(comparison);
    let mut replaced = 0;
    for side in Side::BOTH {
        let id = comparison.pair(pair).of(side);
        let program = &mut programs[side.index()];
        let own = program.procedure(id).vars.len();
        replaced += inline_calls(program, id, &|callee| chosen(side, callee), MOST_INLINED);
        // A loop in a callee knows which table it was given.
        substitute_copies(&mut program.procedures[id.index()], own);
    }
    (replaced > 0).then_some(programs)
}

/// Which calls are outputs.
pub(super) type IsOutput<'f> = &'f dyn Fn(Side, &Callee) -> bool;

/// Both programs with the procedures of a pair cut at their loop heads, or at outputs if these are given, and the
/// procedures that run from there; `None` if one cannot be cut.
pub(super) fn cut(
    comparison: &Comparison,
    pair: PairId,
    mut programs: [Program; 2],
    outputs: Option<IsOutput<'_>>,
) -> Option<([Program; 2], [Vec<ProcId>; 2])> {
    let mut heads = [vec![], vec![]];
    for side in Side::BOTH {
        let (id, program) = (comparison.pair(pair).of(side), &mut programs[side.index()]);
        inline_names(&mut program.procedures[id.index()]);
        heads[side.index()] = match outputs {
            None => cut_at_heads(program, id)?,
            Some(outputs) => cut_at_calls(program, id, &|callee| outputs(side, callee))?,
        };
    }
    Some((programs, heads))
}
