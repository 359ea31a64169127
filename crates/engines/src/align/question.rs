//! What a proof is looked for of, and with what.

use super::Reach;
use super::cases::Case;
use super::horn::Horn;
use std::cell::Cell;
use std::rc::Rc;

/// What is to be proved.
#[derive(Clone)]
pub struct Question {
    /// Of which entry states.
    pub case: Case,
    /// Whether objects are taken to be below 2 GiB.
    pub small_objects: bool,
    /// How far a proof is looked for. If it is not far, no place that no run passes, inside of both versions, may be met:
    /// mostly that means that the alignment is no good.
    pub reach: Reach,
    /// Whether it is to be proved of every call.
    pub in_calls: bool,
    /// Whether invariants may speak of functions that the code does not have ([`folds`](super::folds)).
    pub folds: bool,
    /// Whether Horn clauses are asked for facts first; without any, nothing is proved.
    pub horn: Option<Horn>,
    /// Whether they suggested any.
    pub suggested: Rc<Cell<bool>>,
}

impl Question {
    /// Of entry states, with nothing assumed.
    pub fn of(case: Case, reach: Reach) -> Question {
        let suggested = Rc::default();
        Question {
            case,
            small_objects: false,
            reach,
            in_calls: false,
            folds: false,
            horn: None,
            suggested,
        }
    }
}
