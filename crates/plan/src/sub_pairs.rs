//! Divided pairs: regions that an engine wants to have judged by themselves ([`Findings::divided`]).
//!
//! Regions of both versions are procedures of their own, which the pair's procedures call. What the
//! engine finds out about the pair in that comparison holds in the given one, since outlining changes no outcome
//! ([`verdiff_model::outline`]). It is brought back by [`brought_back`]:
//!
//! - conditions are taken only where they speak of numbers among the parameters: what regions of memory are called
//!   depends on the whole program;
//! - evidence that uses a judgement of a sub-pair gets the obligations, assumptions and pairs of that judgement instead,
//!   so that nothing it rests on is lost;
//! - candidates that point to an outlined procedure are no states of the given programs.

use std::collections::BTreeSet;
use verdiff_judge::{Addition, Comparison, Evidence, Findings, Judgements, PairId, Side};
use verdiff_logic::{EntrySymbol, TermPool};
use verdiff_model::state::{Contents, EntryState, Pointer, PointerTarget, Value};
use verdiff_model::{ProcId, Procedure, Type};

/// What was found out about the pair where its sub-pairs are outlined, as it holds where they are not.
pub fn brought_back(
    given: &Comparison,
    pair: PairId,
    judgements: &Judgements,
    found: Findings,
) -> Findings {
    let procedure = given.procedure(pair, Side::Old);
    let back = |addition: Addition| {
        speaks_of_parameters(procedure, &addition).then(|| Addition {
            evidence: unfolded(given, judgements, addition.evidence),
            ..addition
        })
    };
    let additions = found.additions.into_iter().filter_map(back).collect();
    let mut candidates = found.candidates;
    candidates.retain(|candidate| {
        let counts = Side::BOTH.map(|side| given.program(side).procedures.len());
        is_state_of(counts[0], &candidate.old) && is_state_of(counts[1], &candidate.new)
    });
    for candidate in &mut candidates {
        candidate.condition = candidate.condition.take().and_then(back);
    }
    Findings { additions, candidates, divided: None, ..found }
}

/// Whether a condition speaks of numbers among the parameters alone.
fn speaks_of_parameters(procedure: &Procedure, addition: &Addition) -> bool {
    let mut pool = TermPool::new();
    let Ok(term) = addition.formula.build(&mut pool) else { return false };
    let free = pool.free_names(&[term]);
    let number = |name: &str| {
        let vars = procedure.params.iter().map(|param| procedure.var(*param));
        EntrySymbol::is_parameter_name(name)
            && vars.filter(|var| var.name == name && var.ty != Type::Ptr).count() == 1
    };
    free.functions.is_empty() && free.symbols.iter().all(|symbol| number(pool.symbol_name(*symbol)))
}

/// Evidence with what the judgements of sub-pairs rest on in the place of those judgements.
fn unfolded(given: &Comparison, judgements: &Judgements, mut evidence: Evidence) -> Evidence {
    let mut work = std::mem::take(&mut evidence.uses);
    let mut seen = BTreeSet::new();
    while let Some(used) = work.pop() {
        if !seen.insert(used) {
            continue;
        }
        if used.index() < given.pairs.len() {
            evidence.uses.push(used);
            continue;
        }
        for part in judgements.get(&used).map(|j| j.evidence()).unwrap_or_default() {
            evidence.obligations.extend(part.obligations.iter().cloned());
            for assumption in &part.assumes {
                if !evidence.assumes.contains(assumption) {
                    evidence.assumes.push(assumption.clone());
                }
            }
            work.extend(&part.uses);
        }
    }
    evidence.uses.sort_unstable();
    evidence
}

/// Whether no pointer leads to a procedure beyond the first so many.
fn is_state_of(procedures: usize, entry: &EntryState) -> bool {
    let known = |pointer: &Pointer| match pointer.target {
        PointerTarget::Procedure(id) => ProcId::index(id) < procedures,
        _ => true,
    };
    let contents = |contents: &Contents| contents.pointers.iter().all(|link| known(&link.to));
    entry.args.iter().all(|value| match value {
        Value::Pointer(pointer) => known(pointer),
        Value::Bits(_) => true,
    }) && entry.objects.iter().all(|object| contents(&object.contents))
        && entry.globals.iter().all(|(_, global)| contents(global))
}
