//! Same code up to names and order: proofs that cost microseconds.
//!
//! Rule `same-code`: see [`verdiff_product::same_code`], which other engines use as well.

pub use verdiff_product::outside::{
    address_taken, differing_initialisers, outside_is_equal, same_initialisers, same_startup,
};
pub use verdiff_product::same_code::{
    Canonical, Form, SameCode, canonical, may_call_back, same_code,
};

use verdiff_judge::{Addition, Budget, Engine, Evidence, Field, Findings, Rule, StopReason, Task};
use verdiff_logic::Formula;
use verdiff_product::same_code::{Equal, equal_by_same_code};

/// The engine.
#[derive(Clone, Copy, Debug, Default)]
pub struct Normalise;

impl Engine for Normalise {
    fn name(&self) -> &'static str {
        "normalise"
    }

    fn run(&mut self, task: &Task<'_>, _: &Budget) -> Findings {
        let comparison = task.comparison;
        let form = Form::Normal { marks: comparison.settings.overflow_undefined };
        let Equal { rests_on, alike, .. } = match equal_by_same_code(task, form) {
            Ok(equal) => equal,
            Err(why) => return Findings::nothing(StopReason::incomplete(why)),
        };
        let evidence = |adds| Evidence {
            uses: rests_on.iter().copied().collect(),
            ..Evidence::new(adds, "normalise", Rule::SameCode { cycle: false })
        };
        let truth = |adds| Addition::new(Formula::truth(), evidence(adds)).in_calls(true);
        let mut additions = vec![truth(Field::EqualUnder)];
        // Same code, and all it calls ends alike.
        if alike {
            additions.push(truth(Field::AlikeUnder));
        }
        Findings { additions, ..Findings::default() }
    }
}
