//! A toy engine: it has the first block of both versions judged as a pair of its own, and says that the pair is equal if
//! the blocks are. (That is right where all other blocks are the same; it is a toy.)

use verdiff_judge::{
    Addition, Budget, Engine, Evidence, Field, Findings, Incomplete, RegionOf, Rule, Side,
    StopReason, SubPair, Task,
};
use verdiff_logic::Formula;
use verdiff_model::BlockId;
use verdiff_model::outline::Region;

pub struct Toy;

impl Engine for Toy {
    fn name(&self) -> &'static str {
        "toy"
    }

    fn run(&mut self, task: &Task<'_>, _: &Budget) -> Findings {
        let comparison = task.comparison;
        let Some(sub) = comparison.sub_pairs_of(task.pair).next() else {
            let first = |side| RegionOf {
                procedure: comparison.pair(task.pair).of(side),
                region: Region { entry: BlockId::new(0), blocks: vec![BlockId::new(0)] },
            };
            let sub_pairs = vec![SubPair { old: first(Side::Old), new: first(Side::New) }];
            return Findings { sub_pairs, ..Findings::default() };
        };
        if !task.judgement_of(sub).is_some_and(|judgement| judgement.is_equal()) {
            return Findings::nothing(StopReason::incomplete(Incomplete::Callees));
        }
        let rule = Rule::SameCode { cycle: false };
        let evidence =
            Evidence { uses: vec![sub], ..Evidence::new(Field::EqualUnder, "toy", rule) };
        let additions = vec![Addition::new(Formula::truth(), evidence)];
        Findings { additions, ..Findings::default() }
    }
}
