//! Why a judgement was allowed to grow.

use crate::comparison::Side;
use crate::judgement::Field;
use serde::{Deserialize, Serialize};

/// What justifies one addition to a judgement.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Evidence {
    /// What it adds to.
    pub adds: Field,
    /// Which engine found it.
    pub engine: String,
    /// The rule that makes the addition follow from the obligations.
    pub rule: String,
    /// The proof in words a programmer can follow.
    pub because: String,
    /// What the rule needs; each script must be unsatisfiable.
    pub obligations: Vec<Obligation>,
    /// The pairs whose judgements were used, by name: the addition is as good as theirs.
    pub uses: Vec<String>,
}

/// The rules for S, by the side that ends.
const ENDS_ALONE: [&str; 2] = ["only-old-ends", "only-new-ends"];

impl Evidence {
    /// The rule by which S grows where this side ends and the other never does.
    pub fn split_rule(side: Side) -> &'static str {
        ENDS_ALONE[side.index()]
    }

    /// For an addition to S: the side that ends.
    pub fn ends_alone(&self) -> Option<Side> {
        let is_split = self.adds == Field::SplitUnder;
        Side::BOTH.into_iter().find(|side| is_split && self.rule == Evidence::split_rule(*side))
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
