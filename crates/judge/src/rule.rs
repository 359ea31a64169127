//! The rules by which judgements grow, as data. The report crate has the sentence for each.
//!
//! A rule that is missing here is a new variant and its sentence: the compiler asks for both.

use crate::comparison::Side;
use serde::{Deserialize, Serialize};

/// What makes an addition follow from its obligations. Procedures are named as outlining names them: `f`, or `f.loop1`
/// for the first loop of `f`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "name", rename_all = "kebab-case")]
pub enum Rule {
    /// The code and all it depends on is unchanged.
    Unchanged,
    /// The code is the same up to names and order.
    SameCode {
        /// So is all that it calls, in a cycle of calls.
        cycle: bool,
    },
    /// All changes stay inside regions that are equal, and the rest is the same code.
    Contained,
    /// The code is the same with functions that only one version has in place of their calls.
    WithHelpers,
    /// One formula over all inputs.
    Flat {
        /// Whether the simplifier alone decided it.
        by_rewriting: bool,
    },
    /// One formula, where all calls are known to be equal.
    FlatCallees,
    /// One formula says exactly which inputs differ.
    FlatCondition,
    /// Both versions terminate.
    AlwaysEnds {
        /// By these ranking functions; `None` where nothing loops, recurses or waits.
        ranked: Option<Vec<Ranking>>,
    },
    /// Both versions terminate, or neither does.
    EndsAlike {
        /// By these ranking functions.
        ranked: Vec<Ranking>,
    },
    /// The old version terminates, the new one never leaves one of these procedures.
    OnlyOldEnds {
        /// Where it stays.
        never_leaves: Vec<String>,
    },
    /// The new version terminates, the old one never leaves one of these procedures.
    OnlyNewEnds {
        /// Where it stays.
        never_leaves: Vec<String>,
    },
    /// All pairs of explored paths have equal outcomes.
    PathsEqual,
    /// All explored paths terminate.
    PathsEnd,
    /// Explored paths say which inputs differ.
    PathsDiffer,
    /// Induction over calls and loops.
    PartEq(Induction),
    /// Induction, with calls of callees that do not recurse executed.
    PartEqLeaf(Induction),
    /// Induction after unfolding.
    PartEqUnrolled(Induction),
    /// Both versions make the same calls and loops.
    MutualTermination,
    /// Induction for some inputs.
    PartEqInParts {
        /// The procedures whose bodies were compared.
        bodies: Vec<String>,
        /// Whether the inputs are all of them.
        all_inputs: bool,
        /// Whether base cases were executed.
        executed: bool,
    },
    /// Induction over relations between two loops or calls.
    PartEqRelated {
        /// The relations.
        relations: Vec<RelatedProcedures>,
    },
    /// Both versions are executed together, aligned at their loop heads, with an invariant at each pair of places.
    Aligned {
        /// The pairs of places.
        places: Vec<AlignedPlaces>,
    },
    /// The loops of both versions make the same updates, and the order in which they come does not matter.
    Reordered {
        /// The loops.
        loops: ReorderedLoops,
    },
    /// Everything was executed until no loop or recursion goes further.
    Exhausted,
    /// Both versions with a guard in front, which returns where a condition does not hold, are equal.
    Guarded {
        /// Why these are equal.
        by: Box<Rule>,
    },
}

/// What an induction assumed and proved.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Induction {
    /// The procedures whose bodies were compared, and how often calls were unfolded in either version.
    pub bodies: Vec<(String, [usize; 2])>,
    /// The recursive calls of either version, as C, where they are few.
    pub calls: Option<[Vec<String>; 2]>,
    /// A parameter whose value does not matter.
    pub any_value_of: Option<String>,
    /// Whether pointers in memory were assumed to be valid.
    pub valid_pointers: bool,
}

/// Why a loop or recursion terminates.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ranking {
    /// Where.
    pub procedure: String,
    /// The ranking function, as C, lexicographic if there are several; none if it is bounded otherwise.
    pub functions: Vec<String>,
}

/// Two procedures with related parameters.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RelatedProcedures {
    /// In the old version.
    pub old: String,
    /// In the new version.
    pub new: String,
    /// The lines at which their loops begin, where known.
    #[serde(default)]
    pub lines: [Option<u32>; 2],
    /// How their results are related.
    pub results: RelatedResults,
    /// How their parameters are related, as C over `old.x` and `new.x`.
    pub relation: Vec<String>,
    /// How often calls were unfolded in either version.
    pub unfolded: [usize; 2],
}

/// A pair of places at which both versions are at the same time.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AlignedPlaces {
    /// In the old version: a loop, an output, or where it starts or ends.
    pub old: String,
    /// In the new version.
    pub new: String,
    /// Their lines, where known.
    #[serde(default)]
    pub lines: [Option<u32>; 2],
    /// Whether each version has ended.
    pub ended: [bool; 2],
    /// How many iterations of either version are taken together.
    pub steps: [usize; 2],
    /// What holds there, as C over `old.x` and `new.x`.
    pub invariant: Vec<String>,
    /// Whether all memory is equal there.
    pub same_memory: bool,
}

/// Loops that make the same updates.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReorderedLoops {
    /// The loops of either version.
    pub loops: [Vec<String>; 2],
    /// How many places in either version update anything but counters.
    pub updates: [usize; 2],
}

/// How the results of two procedures are related.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RelatedResults {
    /// They are the same.
    Same,
    /// They differ by this summand.
    Sum(String),
    /// They differ by this factor.
    Product(String),
}

impl Rule {
    /// Its name in the JSON report.
    pub fn name(&self) -> &'static str {
        match self {
            Rule::Unchanged => "unchanged",
            Rule::SameCode { .. } => "same-code",
            Rule::Contained => "contained",
            Rule::WithHelpers => "with-helpers",
            Rule::Flat { .. } => "flat",
            Rule::FlatCallees => "flat-callees",
            Rule::FlatCondition => "flat-condition",
            Rule::AlwaysEnds { .. } => "always-ends",
            Rule::EndsAlike { .. } => "ends-alike",
            Rule::OnlyOldEnds { .. } => "only-old-ends",
            Rule::OnlyNewEnds { .. } => "only-new-ends",
            Rule::PathsEqual => "paths-equal",
            Rule::PathsEnd => "paths-end",
            Rule::PathsDiffer => "paths-differ",
            Rule::PartEq(_) => "part-eq",
            Rule::PartEqLeaf(_) => "part-eq-leaf",
            Rule::PartEqUnrolled(_) => "part-eq-unrolled",
            Rule::MutualTermination => "mutual-termination",
            Rule::PartEqInParts { .. } => "part-eq-in-parts",
            Rule::PartEqRelated { .. } => "part-eq-related",
            Rule::Aligned { .. } => "aligned",
            Rule::Reordered { .. } => "reordered",
            Rule::Exhausted => "exhausted",
            Rule::Guarded { .. } => "guarded",
        }
    }

    /// The rule by which S grows where this side terminates and the other never leaves some procedure.
    pub fn only_ends(side: Side, never_leaves: Vec<String>) -> Rule {
        match side {
            Side::Old => Rule::OnlyOldEnds { never_leaves },
            Side::New => Rule::OnlyNewEnds { never_leaves },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_are_written_by_their_names() {
        let rules = [
            Rule::Unchanged,
            Rule::SameCode { cycle: true },
            Rule::WithHelpers,
            Rule::PartEq(Induction::default()),
            Rule::AlwaysEnds { ranked: None },
            Rule::only_ends(Side::New, vec![]),
            Rule::Guarded { by: Box::new(Rule::Contained) },
        ];
        for rule in rules {
            let json = serde_json::to_value(&rule).unwrap();
            assert_eq!(json["name"], rule.name());
            assert_eq!(serde_json::from_value::<Rule>(json).unwrap(), rule);
        }
    }
}
