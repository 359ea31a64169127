//! Formulas over integers.

use super::sum::{Sum, joined};
use num_bigint::BigInt;

/// A formula.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Formula {
    True,
    False,
    /// The sum is at least zero.
    AtLeastZero(Sum),
    /// The sum is zero.
    Zero(Sum),
    /// SMT-LIB text.
    Text(String),
}

impl Formula {
    pub(super) fn text(&self) -> String {
        match self {
            Formula::True => "true".to_owned(),
            Formula::False => "false".to_owned(),
            Formula::AtLeastZero(sum) => format!("(<= 0 {})", sum.text()),
            Formula::Zero(sum) => format!("(= 0 {})", sum.text()),
            Formula::Text(text) => text.clone(),
        }
    }

    pub(super) fn not(self) -> Formula {
        match self {
            Formula::True => Formula::False,
            Formula::False => Formula::True,
            Formula::AtLeastZero(sum) => {
                let less = sum.scaled(&BigInt::from(-1)).minus(&Sum::constant(1));
                Formula::AtLeastZero(less)
            }
            other => Formula::Text(format!("(not {})", other.text())),
        }
    }

    pub(super) fn or(parts: Vec<Formula>) -> Formula {
        let mut open = vec![];
        for part in parts {
            match part {
                Formula::True => return Formula::True,
                Formula::False => {}
                other => open.push(other),
            }
        }
        Formula::several("or", open, Formula::False)
    }

    pub(super) fn and(parts: Vec<Formula>) -> Formula {
        let mut open = vec![];
        for part in parts {
            match part {
                Formula::False => return Formula::False,
                Formula::True => {}
                other => open.push(other),
            }
        }
        Formula::several("and", open, Formula::True)
    }

    fn several(op: &str, mut parts: Vec<Formula>, none: Formula) -> Formula {
        match parts.len() {
            0 => none,
            1 => parts.swap_remove(0),
            _ => {
                let texts: Vec<String> = parts.iter().map(Formula::text).collect();
                Formula::Text(joined(op, &texts))
            }
        }
    }
}
