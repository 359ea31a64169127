//! Why a judgement was allowed to grow.

use crate::assumption::Assumption;
use crate::comparison::{PairId, Side};
use crate::impact::Boundary;
use crate::judgement::Field;
use crate::rule::Rule;
use serde::{Deserialize, Serialize};

/// What justifies one addition to a judgement.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Evidence {
    /// What it adds to.
    pub adds: Field,
    /// Which engine found it, for reports: nothing is decided by it.
    pub engine: String,
    /// The rule that makes the addition follow from the obligations.
    pub rule: Rule,
    /// What the rule needs; each script must be unsatisfiable.
    pub obligations: Vec<Obligation>,
    /// The pairs whose judgements were used: the addition is as good as theirs.
    pub uses: Vec<PairId>,
    /// What was assumed beyond what every verdict assumes.
    #[serde(default)]
    pub assumes: Vec<Assumption>,
    /// Whether only a part of the addition was taken, because nobody could tell in time whether the rest contradicts
    /// what was known ([`Judgement::grow`](crate::Judgement::grow)).
    #[serde(default)]
    pub cut: bool,
    /// The regions that contain all changes, for a proof that looked at these regions only.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub boundaries: Vec<Boundary>,
    /// For a proof that all changes stay inside regions, or by one formula about code that allocates: whether memory, lifetimes,
    /// allocations and target are equal, too, if a call of the pair is left by `longjmp` (verdiff-product,
    /// `same_code/nonlocal_exits.rs`).
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub equal_when_left: bool,
}

impl Evidence {
    /// Evidence of a rule that needs nothing else.
    pub fn new(adds: Field, engine: &str, rule: Rule) -> Evidence {
        Evidence {
            adds,
            engine: engine.to_owned(),
            rule,
            obligations: vec![],
            uses: vec![],
            assumes: vec![],
            cut: false,
            boundaries: vec![],
            equal_when_left: false,
        }
    }

    /// For an addition to S: the side that terminates.
    pub fn ends_alone(&self) -> Option<Side> {
        match (&self.rule, self.adds) {
            (Rule::OnlyOldEnds { .. }, Field::SplitUnder) => Some(Side::Old),
            (Rule::OnlyNewEnds { .. }, Field::SplitUnder) => Some(Side::New),
            _ => None,
        }
    }
}

/// One proof obligation: an SMT-LIB script that another solver can check again.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Obligation {
    /// What it says.
    pub name: String,
    /// The script; `check-sat` must answer `unsat`.
    pub smt: String,
}
