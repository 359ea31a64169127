//! What proofs add to the judgement, with their evidence.

use super::invariant::Invariant;
use super::{Cut, CutPoint, Node, Proved};
use verdiff_judge::{Addition, AlignedPlaces, Assumption, Evidence, Field, Findings, Rule, Task};
use verdiff_logic::Formula;

/// What proofs give: one of all entry states, or some of cases. Two cases that are all states together are one
/// addition.
pub fn equal(task: &Task<'_>, cut: &Cut, proved: Vec<Proved>) -> Findings {
    let settings = &task.comparison.settings;
    let function = &task.comparison.pair(task.pair).function;
    let assumed = settings.assume.iter().any(|(f, _)| f == function);
    let small_objects = proved.iter().any(|proved| proved.question.small_objects);
    let in_calls = proved.iter().all(|proved| proved.question.in_calls);
    let holds_in_calls =
        in_calls || !assumed && !small_objects && cut.facts.holds_in_calls(task, true);
    let under = match &proved[..] {
        [one] => one.proof.under.clone(),
        _ => Formula::truth(),
    };
    let mut assumes = match in_calls {
        true => vec![],
        false => verdiff_product::entry::preconditions_assumed(task),
    };
    assumes.extend(small_objects.then_some(Assumption::ObjectsBelow2GiB));
    let places = proved.iter().flat_map(|proved| proved.places(task, cut)).collect();
    let mut evidence =
        Evidence { assumes, ..Evidence::new(Field::EqualUnder, "align", Rule::Aligned { places }) };
    for Proved { proof, .. } in proved {
        evidence.obligations.extend(proof.obligations);
        evidence.uses.extend(proof.judged);
    }
    let additions = vec![Addition::new(under, evidence).in_calls(holds_in_calls)];
    Findings { additions, ..Findings::default() }
}

impl Proved {
    /// The places that are aligned, for people.
    fn places(&self, task: &Task<'_>, cut: &Cut) -> Vec<AlignedPlaces> {
        let described = |(node, invariant): &(Node, Invariant)| {
            let chosen = self.alignment.at(*node);
            let mut steps = [1, 1];
            steps[1 - chosen.lead] = chosen.stay;
            AlignedPlaces {
                old: cut.place_name(task, 0, node[0]),
                new: cut.place_name(task, 1, node[1]),
                lines: [0, 1].map(|side| match node[side] {
                    CutPoint::Head(id) => cut.facts.loop_line(side, id),
                    CutPoint::Start | CutPoint::End | CutPoint::Stopped => None,
                }),
                ended: node.map(CutPoint::is_over),
                steps,
                invariant: invariant
                    .text(&|var| cut.variable(task, var.side, node[var.side], var.index)),
                same_memory: invariant.apart.is_empty() && invariant.except.is_empty(),
            }
        };
        let at_loops = self.proof.nodes.iter().filter(|(node, _)| {
            *node != [CutPoint::Start, CutPoint::Start] && !node.contains(&CutPoint::Stopped)
        });
        at_loops.map(described).collect()
    }
}
