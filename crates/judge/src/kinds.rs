//! In what two outcomes differ.

use crate::comparison::{Comparison, PairId, Side};
use crate::verdict::Kind;
use verdiff_model::Procedure;
use verdiff_model::state::{
    Difference, End, EntryState, ObjectEnd, Outcome, PointerTarget, Run, Value, World, alike,
    compare_by_number as first_difference,
};

/// Every kind in which two outcomes differ, in the order of the report's words; none if they are the
/// same, or if both runs were stopped before they ended.
///
/// The model's comparison names the gravest difference alone. So it is asked several times, each time
/// about outcomes of which only one aspect is left.
pub fn kinds(
    comparison: &Comparison,
    pair: PairId,
    old: &EntryState,
    new: &EntryState,
    old_outcome: &Outcome,
    new_outcome: &Outcome,
) -> Vec<Kind> {
    let (left, right) = (&old_outcome.end, &new_outcome.end);
    let goes_on = |end: &End| matches!(end, End::OutOfSteps);
    match (old_outcome.is_conclusive(), new_outcome.is_conclusive()) {
        (true, true) => {}
        (true, false) if goes_on(right) => return vec![Kind::Termination],
        (false, true) if goes_on(left) => return vec![Kind::Termination],
        _ => return vec![],
    }
    // What corresponds follows from all aspects together.
    let both = alike(
        run(comparison, Side::Old, old, old_outcome),
        run(comparison, Side::New, new, new_outcome),
    );
    let [seen_old, seen_new] = both.as_ref().map_or([old_outcome, new_outcome], |b| b.each_ref());
    let differ = |keep: &dyn Fn(&Outcome) -> Outcome| {
        let (x, y) = (keep(seen_old), keep(seen_new));
        first_difference(run(comparison, Side::Old, old, &x), run(comparison, Side::New, new, &y))
    };
    let mut kinds = vec![];
    if let (End::Returned(_), End::Returned(_)) = (left, right) {
        let result = |side, entry| returned_object(comparison.procedure(pair, side), entry);
        let returned = result(Side::Old, old);
        let in_memory = returned.filter(|r| result(Side::New, new) == Some(*r));
        if differ(&|o| only_results(o, in_memory)).is_some() {
            kinds.push(Kind::Value);
        }
        match differ(&|o| only_memory(o, in_memory)) {
            // A byte that has a value on one side alone may be padding, which nobody misses.
            None | Some(Difference::Initialisation { .. }) => {}
            Some(_) => kinds.push(Kind::Memory),
        }
    } else if left == right
        && left.shows_memory(comparison.program(Side::Old))
        && right.shows_memory(comparison.program(Side::New))
        && !matches!(
            differ(&|o| only_memory(o, None)),
            None | Some(Difference::Initialisation { .. })
        )
    {
        kinds.push(Kind::Memory);
    }
    let traps = |end: &End| match end {
        End::Trapped { trap, .. } => Some(*trap),
        _ => None,
    };
    let leaves = |end: &End| match end {
        End::Exited(status) => Some((Some(*status & 0xff), None)),
        End::LeftThrough(name) => Some((None, Some(name.clone()))),
        _ => None,
    };
    let neither_traps = traps(left).is_none() && traps(right).is_none();
    let left_differently = neither_traps && leaves(left) != leaves(right);
    if left_differently || differ(&only_world).is_some() {
        kinds.push(Kind::Output);
    }
    if traps(left) != traps(right) {
        kinds.push(Kind::Trap);
    }
    if kinds.is_empty() && differ(&Outcome::clone).is_some() {
        kinds.push(Kind::Memory);
    }
    kinds
}

fn run<'a>(
    comparison: &'a Comparison,
    side: Side,
    entry: &'a EntryState,
    outcome: &'a Outcome,
) -> Run<'a> {
    Run { program: comparison.program(side), entry, outcome }
}

/// How clang calls the parameter through which a large struct is returned.
const RETURNED_IN_MEMORY: &str = "agg.result";

/// The object in which a large struct is returned.
pub fn returned_object(procedure: &Procedure, entry: &EntryState) -> Option<u32> {
    let first = procedure.params.first()?;
    match (procedure.var(*first).name.as_str(), entry.args.first()) {
        (RETURNED_IN_MEMORY, Some(Value::Pointer(pointer))) => match pointer.target {
            PointerTarget::Object(id) if pointer.offset == 0 => Some(id),
            _ => None,
        },
        _ => None,
    }
}

/// Results, and the object in which a large struct is returned.
fn only_results(outcome: &Outcome, result: Option<u32>) -> Outcome {
    let keep = |(index, end): (usize, &ObjectEnd)| match Some(index as u32) == result {
        true => end.clone(),
        false => ObjectEnd::Untouched,
    };
    Outcome {
        end: outcome.end.clone(),
        objects: outcome.objects.iter().enumerate().map(keep).collect(),
        ..empty()
    }
}

/// Memory without the results.
fn only_memory(outcome: &Outcome, result: Option<u32>) -> Outcome {
    let keep = |(index, end): (usize, &ObjectEnd)| match Some(index as u32) == result {
        true => ObjectEnd::Untouched,
        false => end.clone(),
    };
    Outcome {
        end: End::Returned(vec![]),
        objects: outcome.objects.iter().enumerate().map(keep).collect(),
        globals: outcome.globals.clone(),
        fresh: outcome.fresh.clone(),
        ..empty()
    }
}

/// The world as if both had ended in the same way.
fn only_world(outcome: &Outcome) -> Outcome {
    Outcome { end: End::Exited(0), world: outcome.world.clone(), ..empty() }
}

fn empty() -> Outcome {
    Outcome {
        end: End::Returned(vec![]),
        objects: vec![],
        globals: vec![],
        fresh: vec![],
        world: World::default(),
        steps: 0,
    }
}
