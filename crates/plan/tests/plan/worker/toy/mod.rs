//! A toy engine: it has the first block of both versions judged as a pair of its own, and says that the pair is equal
//! if the blocks are. (That is right where all other blocks are the same; it is a toy.)

use std::rc::Rc;
use verdiff_judge::{
    Addition, Budget, Changed, Comparison, Engine, Evidence, Field, Findings, Incomplete, Pair,
    PairId, Rule, StopReason, Task,
};
use verdiff_logic::Formula;
use verdiff_model::outline::{Region, outline};
use verdiff_model::{BlockId, Frame};

pub struct Toy;

impl Engine for Toy {
    fn name(&self) -> &'static str {
        "toy"
    }

    fn run(&mut self, task: &Task<'_>, _: &Budget) -> Findings {
        let comparison = task.comparison;
        let Some(sub) = comparison.sub_pairs_of(task.pair).next() else {
            return Findings { divided: divided(task), ..Findings::default() };
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

/// The comparison with the first block of both versions as a sub-pair.
fn divided(task: &Task<'_>) -> Option<Rc<Comparison>> {
    let mut all = task.comparison.clone();
    let pair = task.comparison.pair(task.pair).clone();
    let region = Region { entry: BlockId::new(0), blocks: vec![BlockId::new(0)] };
    let old = outline(&mut all.old.program, pair.old, &region, "first").ok()?.procedure;
    let new = outline(&mut all.new.program, pair.new, &region, "first").ok()?.procedure;
    for version in [&mut all.old, &mut all.new] {
        version.frames.resize(version.program.procedures.len(), Frame::default());
    }
    let sub = PairId(all.pairs.len() as u32);
    let (function, changed) = (format!("{}.first", pair.function), Changed::Text);
    let (same_interface, wanted) = (true, false);
    all.pairs.push(Pair { function, old, new, changed, same_interface, wanted });
    all.sub_pairs.push((task.pair, sub));
    Some(Rc::new(all))
}
