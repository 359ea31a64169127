//! Proofs in words that a programmer can follow: one sentence for each rule.

use crate::impact::enumeration;
use verdiff_judge::{AlignedPlaces, Induction, Ranking, RelatedProcedures, RelatedResults, Rule};

/// The proof that a rule makes.
pub fn proof_sentence(rule: &Rule) -> String {
    let text = match rule {
        Rule::Unchanged => "the code and everything it depends on is unchanged",
        Rule::SameCode { cycle: false } => "the code is the same except for names and order",
        Rule::SameCode { cycle: true } => {
            "the code is the same except for names and order, and so is that of all its callees"
        }
        Rule::Contained => {
            "all changes stay inside regions that are equal; the rest is the same code"
        }
        Rule::WithHelpers => {
            "the code is the same if functions that only one version has replace their calls"
        }
        Rule::Flat { by_rewriting: true } => {
            "both versions simplify to the same result for all inputs"
        }
        Rule::Flat { by_rewriting: false } => {
            "one solver query over all inputs proves that the outcomes are equal"
        }
        Rule::FlatCallees => "for these inputs, all callees are known to be equal",
        Rule::FlatCondition => {
            "one formula over all inputs determines exactly which of them differ"
        }
        Rule::AlwaysEnds { ranked: None } => "neither version loops, recurses or waits",
        Rule::AlwaysEnds { ranked: Some(ranked) } => {
            return format!("both versions always terminate: {}", decreasing(ranked));
        }
        Rule::EndsAlike { ranked } => {
            return format!("both versions terminate, or neither does: {}", decreasing(ranked));
        }
        Rule::OnlyOldEnds { never_leaves } => {
            let places = places(never_leaves);
            return format!(
                "the new version does not terminate in {places}, and the old version terminates"
            );
        }
        Rule::OnlyNewEnds { never_leaves } => {
            let places = places(never_leaves);
            return format!(
                "the old version does not terminate in {places}, and the new version terminates"
            );
        }
        Rule::PathsEqual => "every pair of explored paths has equal outcomes",
        Rule::PathsEnd => "the explored paths of both versions terminate",
        Rule::PathsDiffer => "the explored paths determine which inputs differ",
        Rule::PartEq(proof) | Rule::PartEqLeaf(proof) | Rule::PartEqUnrolled(proof) => {
            return induction(proof);
        }
        Rule::MutualTermination => {
            "both versions make the same calls and loops, so one terminates if the other does"
        }
        Rule::PartEqInParts { bodies, all_inputs, executed } => {
            return in_parts(bodies, *all_inputs, *executed);
        }
        Rule::PartEqRelated { relations } => {
            let parts: Vec<String> = relations.iter().map(related).collect();
            let induction = "by induction on the loops and calls of both versions";
            return match parts.is_empty() {
                // What does not terminate in one version needs no partner.
                true => induction.to_owned(),
                false => format!("{induction}: {}", parts.join("; ")),
            };
        }
        Rule::Aligned { places } => {
            let parts: Vec<String> = places.iter().map(aligned).collect();
            return format!("both versions are executed together: {}", parts.join("; "));
        }
        Rule::Reordered { loops } => {
            let [old, new] = loops.loops.each_ref().map(|names| {
                let names: Vec<String> = names.iter().map(|name| part_of(name)).collect();
                names.join(" and ")
            });
            if loops.updates == [0, 0] {
                return match (old.is_empty(), new.is_empty()) {
                    (false, false) => format!(
                        "{old} in the old version and {new} in the new one compute the same closed form"
                    ),
                    _ => format!("what {old}{new} computes has a closed form"),
                };
            }
            return format!(
                "{old} in the old version and {new} in the new one make the same updates, and their order does not matter"
            );
        }
        Rule::Guarded { by } => {
            return format!("restricted to these inputs, {}", proof_sentence(by));
        }
        Rule::Exhausted => {
            "executed completely: every loop and recursion of both versions is bounded wherever it terminates"
        }
    };
    text.to_owned()
}

/// The name of a procedure in reports: an outlined loop is a loop of its function, and what begins with an output is
/// that output.
pub(crate) fn part_of(name: &str) -> String {
    for kind in ["loop", "output"] {
        if let Some((function, number)) = name.rsplit_once(&format!(".{kind}")) {
            return format!("{kind} {number} of {function}");
        }
    }
    name.to_owned()
}

/// One pair of places: how both versions get from there to the next, and what holds before each iteration.
fn aligned(places: &AlignedPlaces) -> String {
    let (old, new) = (part_of(&places.old), part_of(&places.new));
    let iterations = |count: usize, version: &str, part: &str| match count {
        _ if part.starts_with("output ") && count == 1 => format!("{version} {part}"),
        _ if part.starts_with("output ") => format!("{count} {version} outputs from {part} on"),
        1 => format!("1 {version} iteration of {part}"),
        count => format!("{count} {version} iterations of {part}"),
    };
    let moves = match (places.ended, places.steps) {
        ([true, true], _) => "once both versions have returned".to_owned(),
        ([true, _], _) => format!("the old version has returned, and the new one is in {new}"),
        ([_, true], _) => format!("the new version has returned, and the old one is in {old}"),
        (_, [old_steps, 0]) => {
            format!("{} while {new} waits", iterations(old_steps, "old", &old))
        }
        (_, [0, new_steps]) => {
            format!("{} while {old} waits", iterations(new_steps, "new", &new))
        }
        (_, [old_steps, new_steps]) => format!(
            "{} with {}",
            iterations(old_steps, "old", &old),
            iterations(new_steps, "new", &new)
        ),
    };
    let mut facts = places.invariant.clone();
    if places.same_memory {
        facts.push("all memory is equal".to_owned());
    }
    match facts.is_empty() {
        true => moves,
        false if places.ended == [true, true] => format!("{moves}: {}", facts.join(", ")),
        false => format!("{moves}, before each: {}", facts.join(", ")),
    }
}

fn places(names: &[String]) -> String {
    let places: Vec<String> = names.iter().map(|name| part_of(name)).collect();
    if places.is_empty() { "a loop".to_owned() } else { places.join(" or ") }
}

/// Which ranking function decreases in which loop.
fn decreasing(ranked: &[Ranking]) -> String {
    let part = |ranking: &Ranking| {
        let place = part_of(&ranking.procedure);
        match &ranking.functions[..] {
            [] => format!("{place} is bounded"),
            [one] => format!("{one} decreases in {place}"),
            several => format!("({}) decreases in {place}", several.join(", ")),
        }
    };
    let parts: Vec<String> = ranked.iter().map(part).collect();
    match parts.is_empty() {
        true => "there is no loop or recursion".to_owned(),
        false => parts.join("; "),
    }
}

fn induction(proof: &Induction) -> String {
    let mut parts = vec![];
    let times = |n: usize| match n {
        1 => "once".to_owned(),
        2 => "twice".to_owned(),
        n => format!("{n} times"),
    };
    for (name, unfolded) in &proof.bodies {
        let part = part_of(name);
        parts.push(match *unfolded {
            [0, 0] => part,
            [old, 0] => format!("{part} (after unfolding the old version's calls {})", times(old)),
            [0, new] => format!("{part} (after unfolding the new version's calls {})", times(new)),
            [old, new] if old == new => format!("{part} (after unfolding calls {})", times(old)),
            [old, new] => format!(
                "{part} (after unfolding calls {} in the old and {} in the new version)",
                times(old),
                times(new)
            ),
        });
    }
    let parts = parts.join(", ");
    let mut text = match &proof.calls {
        Some([old, new]) if old == new => format!(
            "by induction on the recursion: both versions call {}; if these calls have equal results, so do both bodies of {parts}",
            enumeration(old)
        ),
        Some([old, new]) => format!(
            "by induction on the recursion: the old version calls {}, the new one {}; if these calls have equal results, so do both bodies of {parts}",
            enumeration(old),
            enumeration(new)
        ),
        None => format!(
            "by induction on the recursion: if the recursive calls have equal results, so do both bodies of {parts}"
        ),
    };
    if let Some(parameter) = &proof.any_value_of {
        text += &format!(", for every value of {parameter}");
    }
    if proof.valid_pointers {
        text += " (assuming that pointers in memory are null or point to objects)";
    }
    text
}

fn in_parts(bodies: &[String], all_inputs: bool, executed: bool) -> String {
    let bodies: Vec<String> = bodies.iter().map(|name| part_of(name)).collect();
    let bodies = bodies.join(", ");
    let mut text = match all_inputs {
        true => format!(
            "by induction on the recursion, case by case: if the recursive calls have equal results, so do both bodies of {bodies}"
        ),
        false => format!(
            "by induction on the recursion, for these inputs: their recursive calls stay within them, and if these calls have equal results, so do both bodies of {bodies}"
        ),
    };
    if executed {
        text += "; base cases that only one version has were executed";
    }
    text
}

fn related(pair: &RelatedProcedures) -> String {
    let (old, new) = (part_of(&pair.old), part_of(&pair.new));
    let mut text = format!("{old} in the old and {new} in the new version have equal results");
    match &pair.results {
        RelatedResults::Same => {}
        RelatedResults::Sum(summand) => text += &format!(", except that {summand} is added"),
        RelatedResults::Product(factor) => text += &format!(", except for the factor {factor}"),
    }
    if !pair.relation.is_empty() {
        text += &format!(" whenever {}", pair.relation.join(" && "));
    }
    if pair.unfolded != [0, 0] {
        let [old, new] = pair.unfolded.map(|times| times + 1);
        text +=
            &format!(" ({old} iterations of the old version correspond to {new} of the new one)");
    }
    text
}
