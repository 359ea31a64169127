//! The loops of both versions that a proof takes together, and what holds whenever both are there.

use crate::proof::part_of;
use serde::Serialize;
use verdiff_judge::{AlignedPlaces, RelatedProcedures, RelatedResults, Rule};

/// Places of both versions, most often loop heads, at which an invariant holds.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct Alignment {
    /// In the old version.
    pub old: Place,
    /// In the new version.
    pub new: Place,
    /// How many iterations of the old version correspond to how many of the new one; 0 of a version that waits or has
    /// returned.
    pub iterations: [usize; 2],
    /// What holds before each, as C over `old.x` and `new.x`.
    pub invariant: Vec<String>,
    /// What holds and is no C expression.
    pub notes: Vec<String>,
}

/// A loop or procedure of one version.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct Place {
    /// Its name: `loop 1 of f`.
    pub name: String,
    /// The line at which it begins, where known.
    pub line: Option<u32>,
}

/// The alignment that a rule rests on, if it is one about both versions executed together.
pub(crate) fn alignment(rule: &Rule) -> Vec<Alignment> {
    match rule {
        Rule::PartEqRelated { relations } => relations.iter().map(related).collect(),
        Rule::Aligned { places } => places.iter().map(aligned).collect(),
        Rule::Guarded { by } => alignment(by),
        _ => vec![],
    }
}

fn related(pair: &RelatedProcedures) -> Alignment {
    let note = match &pair.results {
        RelatedResults::Same => "the results are equal".to_owned(),
        RelatedResults::Sum(summand) => format!("the results differ by the summand {summand}"),
        RelatedResults::Product(factor) => format!("the results differ by the factor {factor}"),
    };
    Alignment {
        old: Place { name: part_of(&pair.old), line: pair.lines[0] },
        new: Place { name: part_of(&pair.new), line: pair.lines[1] },
        iterations: pair.unfolded.map(|times| times + 1),
        invariant: pair.relation.clone(),
        notes: vec![note],
    }
}

fn aligned(places: &AlignedPlaces) -> Alignment {
    let place = |name: &str, side: usize| {
        let name = if places.ended[side] { "returned".to_owned() } else { part_of(name) };
        Place { name, line: places.lines[side] }
    };
    let [old, new] = places.ended.map(usize::from);
    Alignment {
        old: place(&places.old, 0),
        new: place(&places.new, 1),
        iterations: [places.steps[0] * (1 - old), places.steps[1] * (1 - new)],
        invariant: places.invariant.clone(),
        notes: places.same_memory.then(|| "all memory is equal".to_owned()).into_iter().collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_version_that_has_returned_takes_no_iterations() {
        let places = AlignedPlaces {
            old: "the end of f".to_owned(),
            new: "f.loop2".to_owned(),
            lines: [None, Some(9)],
            ended: [true, false],
            steps: [1, 1],
            invariant: vec!["new.i >= old.result".to_owned()],
            same_memory: true,
        };
        let found = alignment(&Rule::Aligned { places: vec![places] });
        assert_eq!(found[0].iterations, [0, 1]);
        assert_eq!(found[0].old, Place { name: "returned".to_owned(), line: None });
        assert_eq!(found[0].new, Place { name: "loop 2 of f".to_owned(), line: Some(9) });
        assert_eq!(found[0].notes, ["all memory is equal"]);
        assert_eq!(alignment(&Rule::PathsEqual), []);
    }
}
