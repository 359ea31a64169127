//! States inside of runs: whether a proof may start from any of them.

use crate::ProgramFacts;
use verdiff_judge::{Hypothesis, Side, Task};
use verdiff_model::{LocalId, ProcId};
use verdiff_symex::effects::ProcedureEffects;

/// Whether what is proved of two procedures, one of each version, from all states holds of those from which a run of
/// the pair enters them; `Ok(true)` if it must be proved for objects of any size.
///
/// It is proved of states in which all memory has a value and nothing is dead. The states in which a run enters the
/// procedures are like that if, whenever these access memory at all, no run of the pair allocates, frees, or has
/// local objects where they may access them, nor copies memory without a value into other memory. Objects are large
/// enough where they are those of the entry state. If the code names the address of an object otherwise than to
/// access it, or loads addresses from initialised tables, they may be smaller: any size.
///
/// If nothing is assumed of these states (`in_calls`, [`AnyCall`](verdiff_symex::space::PointedTo::AnyCall)), only
/// objects that are made or freed matter: what is initialised and how large objects are is any in the proof.
///
/// And of those only the ones that the program itself makes or frees. What an *unknown* function makes is outside, where it was
/// from the beginning; what it frees is a value of the state, `lives`: the functions that stand for the procedures get it and
/// give it anew, and outcomes are equal only if it is equal. The proof is about a state in which any objects are dead, since
/// how an access at its beginning ends is any function of the state there. So it holds of the states in which a run enters the procedures
/// after such calls. (✗ A loop whose versions free different objects by an unknown function: `lives` differs, as arguments do.)
pub fn may_start(
    task: &Task<'_>,
    facts: &ProgramFacts,
    procedures: [ProcId; 2],
    in_calls: bool,
) -> Result<bool, Hypothesis> {
    let pair = task.comparison.pair(task.pair);
    let any = |test: &dyn Fn(Side) -> bool| Side::BOTH.into_iter().any(test);
    let effects = Side::BOTH.map(|side| facts.effects(side, procedures[side.index()]));
    let manages = |effects: &[&ProcedureEffects; 2], ids: [ProcId; 2]| match in_calls {
        true => any(&|s| facts.manages_heap(s, ids[s.index()])),
        false => effects.iter().any(|e| e.allocates || e.frees),
    };
    if manages(&effects, procedures) {
        return Err(Hypothesis::Allocates);
    }
    if any(&|s| !facts.programs[s.index()].procedure(procedures[s.index()]).is_supported()) {
        return Err(Hypothesis::Unsupported);
    }
    let accesses = effects.iter().any(|e| !e.reads.is_empty() || !e.writes.is_empty() || e.errno);
    if !accesses {
        return Ok(false);
    }
    let root = Side::BOTH.map(|side| facts.effects(side, pair.of(side)));
    if manages(&root, [pair.old, pair.new]) {
        return Err(Hypothesis::AllocatesBefore);
    }
    if in_calls {
        return Ok(false);
    }
    if any(&|s| facts.spreads_unwritten(s, pair.of(s))) {
        return Err(Hypothesis::UninitialisedBefore);
    }
    let accessed = |side: Side| {
        facts.locals(side, pair.of(side)).iter().any(|&(procedure, count)| {
            (0..count).any(|local| {
                let local = LocalId::new(local);
                let region = facts.regions.of_local(side, procedure, local);
                effects.iter().any(|e| e.reads.contains(region) || e.writes.contains(region))
            })
        })
    };
    if any(&accessed) {
        return Err(Hypothesis::LocalObjects);
    }
    let loose = any(&|s| facts.is_loose(s, procedures[s.index()]));
    if !loose || !any(&|s| facts.names_objects(s, pair.of(s))) {
        return Ok(false);
    }
    if any(&|s| facts.shows_memory(s, procedures[s.index()])) {
        return Err(Hypothesis::PassesObjects);
    }
    Ok(true)
}
