//! What a proof begins with: both programs, cut at their heads.

use super::question::Question;
use super::step::Stepping;
use super::{Cut, Reach};
use std::collections::BTreeMap;
use std::rc::Rc;
use verdiff_judge::{Budget, Side, Task};
use verdiff_product::Product;
use verdiff_product::callees::Treatment;
use verdiff_product::plain::{entry_of, plain_function};
use verdiff_symex::effects::ProcedureEffects;
use verdiff_symex::execute::Stop;
use verdiff_symex::space::{PointedTo, Terms as TermForm};

/// Both programs with every head a function of its version's own: what it does is not asked for.
pub fn stepping<'c, 'a>(
    task: &Task<'a>,
    cut: &'c Cut,
    question: &Question,
    budget: &Budget,
) -> Result<Stepping<'c, 'a>, Stop>
where
    'a: 'c,
{
    let facts = &cut.facts;
    let pointed_to = match (question.in_calls, cut.any_size) {
        (true, _) => PointedTo::AnyCall,
        (false, Some(true)) => PointedTo::AnySize,
        (false, _) => PointedTo::LargeEnough,
    };
    let mut product =
        Product::new(*task, facts, budget).in_space_of(pointed_to, TermForm::Simplified);
    let calls = product.space.record_calls();
    let accesses = question.small_objects.then(|| product.space.record_accesses());
    // The world is an input of every head, even if no head uses it: what was output before a loop must be the same when
    // the loop is reached, and nothing but the call says what that was.
    let mut effects = ProcedureEffects { world: true, ..ProcedureEffects::default() };
    for side in Side::BOTH {
        for id in &cut.heads[side.index()] {
            effects.extend(facts.effects(side, *id));
        }
    }
    let mut names = BTreeMap::new();
    let pair = task.comparison.pair(task.pair);
    for side in Side::BOTH {
        for id in facts.reached(side, pair.of(side)) {
            if cut.heads[side.index()].contains(&id) {
                let procedure = facts.programs[side.index()].procedure(id);
                let name = format!("call.{}.{}.{}", procedure.name, side.index(), id.index());
                let unset = facts.unset(&[(side, id, procedure)]);
                let prefix = format!("{name}.");
                let entry =
                    entry_of(&mut product.space, &facts.regions, procedure, &prefix, &unset)?;
                let function = product.unproved(&name, Rc::new(entry), &[&effects]);
                names.insert(name, (side.index(), id));
                product.policy.treat(side, id, Treatment::Unfolded { function, by_lemma: false });
            } else if let Some(function) = plain_function(
                &mut product,
                side,
                id,
                facts.is_cyclic(side, id) && id != pair.of(side),
            )? {
                product.policy.treat(side, id, Treatment::Function(function));
            }
        }
    }
    let (case, passed) = (question.case.clone(), Default::default());
    let extended = question.reach == Reach::Extended;
    let mut stepping = Stepping {
        task: *task,
        cut,
        product,
        calls,
        names,
        case,
        accesses,
        extended,
        heads_return: extended || question.horn.is_some(),
        passed,
    };
    if extended {
        stepping.find_passed()?;
    }
    Ok(stepping)
}
