//! Judgements that follow without a worker, and what callers may use of any.

use crate::job::Judged;
use verdiff_judge::{Evidence, Field, Judgement, Rule, StopReason};
use verdiff_logic::Formula;

/// What follows for the same code with equal callees.
pub(crate) fn of_same_code(mut judgement: Judgement) -> Judgement {
    // The same code ends as often as it does in the other version: nothing vacuous about it.
    judgement.common_run = true;
    judgement.hold_in_calls(Formula::truth());
    judgement
}

/// What callers may use of a judgement: nothing if something about the pair contradicts itself.
pub(crate) fn for_callers(judged: &Judged) -> Judgement {
    match judged.stopped {
        Some(StopReason::Internal { .. }) => Judgement::default(),
        _ => judged.judgement.clone(),
    }
}

/// The judgement of what is the same.
pub(crate) fn unchanged(rule: &Rule) -> Judgement {
    let mut judgement = Judgement::default();
    for adds in [Field::EqualUnder, Field::AlikeUnder] {
        let evidence = Evidence::new(adds, "normalise", rule.clone());
        // An empty judgement contradicts nothing.
        let _ = judgement.grow(Formula::truth(), evidence);
    }
    judgement
}

#[cfg(test)]
mod tests {
    use super::*;
    use verdiff_judge::PairId;

    #[test]
    fn callers_get_nothing_of_a_pair_that_contradicts_itself() {
        let equal = unchanged(&Rule::Unchanged);
        let judged = |reason| Judged::nothing(PairId(0), equal.clone(), reason);
        assert!(for_callers(&judged(StopReason::Time)).is_equal());
        let wrong = for_callers(&judged(StopReason::internal("a contradiction")));
        assert_eq!(wrong, Judgement::default());
    }
}
