//! What a change means for functions whose own code did not change: as data, for the account.

use crate::impact::{Causes, unlinked};
use crate::matching::Matched;
use crate::run::Results;
use std::collections::BTreeSet;
use verdiff_judge::{
    Boundary, Changed, Comparison, Field, Impact, ImpactBy, ImpactKind, Judgement, PairId, Side,
    Verdict,
};
use verdiff_model::{Address, GlobalId, Procedure};

/// The impact on a pair; nothing if its own code changed, or nothing that it depends on.
///
/// Soundness: "none" needs U valid, in calls too, and T: a caller that passes memory which no entry state has must not
/// see a difference either, and a function that hangs in one version only is affected, though U may be valid.
pub(crate) fn impact(
    matched: &Matched,
    causes: &Causes,
    pair: PairId,
    judgement: &Judgement,
    verdict: &Verdict,
) -> Option<Impact> {
    let comparison = &matched.comparison;
    let kind = match verdict {
        Verdict::Equivalent { .. } if is_contained(judgement) => ImpactKind::None,
        Verdict::Different { .. } => ImpactKind::Proved,
        Verdict::Equivalent { .. } | Verdict::Unknown(_) => ImpactKind::Possible,
    };
    let (through, by) = match comparison.pair(pair).changed {
        Changed::No | Changed::Text | Changed::Types => return None,
        Changed::Globals => (changed_globals(matched, pair), ImpactBy::Global),
        Changed::Callees => {
            let (pairs, by) = causes.of_pair(pair, kind != ImpactKind::None);
            match unlinked(comparison, pair) {
                Some(name) if pairs.is_empty() => (vec![name.to_owned()], ImpactBy::Call),
                _ => (pairs.iter().map(|p| comparison.pair(*p).function.clone()).collect(), by),
            }
        }
    };
    Some(Impact { kind, through, by })
}

/// The changes that may affect each pair of a run.
pub(crate) fn causes(matched: &Matched, results: &Results) -> Causes {
    let contained = |pair: PairId| {
        results.pairs.get(&pair).is_some_and(|result| is_contained(&result.judged.judgement))
    };
    Causes::of(&matched.comparison, &results.order, &contained)
}

/// Whether nothing gets through a pair.
fn is_contained(judgement: &Judgement) -> bool {
    judgement.is_equal_in_calls() && judgement.is_alike()
}

/// The regions that contain all changes where U is proved by them: of the pair itself, else of what its proof uses.
pub(crate) fn boundaries(results: &Results, pair: PairId, judgement: &Judgement) -> Vec<Boundary> {
    if !judgement.is_equal() {
        return vec![];
    }
    let mut seen = BTreeSet::from([pair]);
    let mut level = vec![judgement];
    // The nearest ones: what these rest on is inside of them.
    while !level.is_empty() {
        let evidence = || {
            let all = level.iter().flat_map(|judgement| judgement.evidence());
            all.filter(|evidence| evidence.adds == Field::EqualUnder)
        };
        let found: Vec<Boundary> = evidence().flat_map(|e| e.boundaries.clone()).collect();
        if !found.is_empty() {
            return found;
        }
        let used: Vec<PairId> = evidence().flat_map(|e| e.uses.clone()).collect();
        let next = used.into_iter().filter(|used| seen.insert(*used));
        level = next
            .filter_map(|used| results.pairs.get(&used))
            .map(|result| &result.judged.judgement)
            .collect();
    }
    vec![]
}

/// The globals of which a pair uses another shape or other contents in the new version.
fn changed_globals(matched: &Matched, pair: PairId) -> Vec<String> {
    let comparison = &matched.comparison;
    let mut names = BTreeSet::new();
    for side in Side::BOTH {
        for global in used(comparison.procedure(pair, side)) {
            let name = &comparison.program(side).global(global).name;
            if differs(comparison, side, global) && !name.starts_with('.') {
                names.insert(name.clone());
            }
        }
    }
    // The program begins with all of them.
    if comparison.pair(pair).function == "main" {
        names.extend(matched.initialisers.iter().map(|change| change.name.clone()));
    }
    names.into_iter().collect()
}

fn differs(comparison: &Comparison, side: Side, id: GlobalId) -> bool {
    let Some(other_id) = comparison.global_in_other(side, id) else { return true };
    let global = comparison.program(side).global(id);
    let other = comparison.program(side.other()).global(other_id);
    let shape = |g: &verdiff_model::Global| (g.size, g.align, g.constant, g.init.is_some());
    shape(global) != shape(other)
        || global.constant
            && comparison.contents_of(side, id) != comparison.contents_of(side.other(), other_id)
}

/// The globals that a procedure names.
pub(crate) fn used(procedure: &Procedure) -> BTreeSet<GlobalId> {
    let mut found = BTreeSet::new();
    let mut note = |address: &Address| {
        if let Address::Global(id) = address {
            found.insert(*id);
        }
    };
    for block in &procedure.blocks {
        let exprs = block.stmts.iter().flat_map(|stmt| stmt.kind.exprs());
        for expr in exprs.chain(block.end.kind.exprs()) {
            expr.walk(&mut |e| {
                if let verdiff_model::Expr::Address(address) = e {
                    note(address);
                }
            });
        }
    }
    procedure.opaque.iter().flat_map(|opaque| &opaque.names).for_each(note);
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::job::Judged;
    use crate::run::PairResult;
    use std::time::Duration;
    use verdiff_judge::{Evidence, Rule, StopReason};
    use verdiff_logic::Formula;

    /// A judgement that is proved by this, for all inputs.
    fn proved(evidence: Evidence) -> Judgement {
        let mut judgement = Judgement::default();
        judgement.grow(Formula::truth(), evidence).unwrap();
        judgement
    }

    #[test]
    fn a_caller_is_told_how_far_the_change_reaches_below_it() {
        let region = Boundary {
            function: "sum".to_owned(),
            first_line: 5,
            last_line: 6,
            callees: vec!["composite".to_owned()],
        };
        let same =
            || Evidence::new(Field::EqualUnder, "normalise", Rule::SameCode { cycle: false });
        let inner = proved(Evidence { boundaries: vec![region.clone()], ..same() });
        let between = proved(Evidence { uses: vec![PairId(0)], ..same() });
        let outer = proved(Evidence { uses: vec![PairId(1)], ..same() });
        let mut results = Results::default();
        for (number, judgement) in [&inner, &between, &outer].into_iter().enumerate() {
            let pair = PairId(number as u32);
            let judged = Judged::nothing(pair, judgement.clone(), StopReason::Time);
            let result = PairResult::of(judged, Duration::ZERO);
            results.pairs.insert(pair, result);
        }
        assert_eq!(boundaries(&results, PairId(2), &outer), [region]);
        assert!(boundaries(&results, PairId(3), &proved(same())).is_empty());
        assert!(boundaries(&results, PairId(2), &Judgement::default()).is_empty());
    }

    #[test]
    fn nothing_gets_through_what_is_equal_in_calls_and_terminates_alike() {
        let mut judgement = proved(Evidence::new(Field::EqualUnder, "test", Rule::Unchanged));
        assert!(!is_contained(&judgement));
        judgement.hold_in_calls(Formula::truth());
        assert!(!is_contained(&judgement), "termination is open");
        let evidence = Evidence::new(Field::AlikeUnder, "test", Rule::Unchanged);
        judgement.grow(Formula::truth(), evidence).unwrap();
        assert!(is_contained(&judgement));
    }
}
