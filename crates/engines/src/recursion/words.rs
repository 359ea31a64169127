//! Proofs in words that a programmer can follow.

use super::induction::Proof;
use super::prove::{Goal, Premises, Unfolding};
use verdiff_logic::c_expression;

/// What a procedure is called for people.
pub fn part_of(name: &str) -> String {
    match name.rsplit_once(".loop") {
        Some((function, number)) => format!("loop {number} of {function}"),
        None => name.to_owned(),
    }
}

/// The proof as a programmer may follow it.
pub fn in_words(proof: &Proof) -> String {
    let mut parts = vec![];
    for (name, step) in &proof.steps {
        let mut part = part_of(name);
        let times = |n: usize| match n {
            1 => "once".to_owned(),
            2 => "twice".to_owned(),
            n => format!("{n} times"),
        };
        part = match step.unfolding.unfold {
            [0, 0] => part,
            [old, 0] => format!("{part} (after unfolding the old version's calls {})", times(old)),
            [0, new] => format!("{part} (after unfolding the new version's calls {})", times(new)),
            [old, new] if old == new => format!("{part} (after unfolding calls {})", times(old)),
            [old, new] => format!(
                "{part} (after unfolding calls {} in the old and {} in the new version)",
                times(old),
                times(new)
            ),
        };
        parts.push(part);
    }
    let parts = parts.join(", ");
    let mut text = match &proof.calls {
        Some([old, new]) if old == new => format!(
            "by induction on the recursion: both versions call {}; if the calls that are made give the same, so do both bodies of {parts}",
            listed(old)
        ),
        Some([old, new]) => format!(
            "by induction on the recursion: the old version calls {}, the new one {}; if the calls that are made give the same, so do both bodies of {parts}",
            listed(old),
            listed(new)
        ),
        None => format!(
            "by induction on the recursion: if the calls that are made give the same, so do both bodies of {parts}"
        ),
    };
    if let Some(parameter) = &proof.whatever {
        text += &format!(", whatever {parameter} is");
    }
    if proof.valid {
        text += " (pointers in memory are taken to be null or to lead to objects)";
    }
    text
}

/// Calls beyond which nobody would read them.
const MOST_CALLS: usize = 4;
/// What an argument may be long.
const LONGEST: usize = 24;

/// What both versions of a recursive function call themselves with, if that can be said in a few words.
pub fn calls(premises: &Premises<'_>, number: usize) -> Option<[Vec<String>; 2]> {
    if premises.matching.pairs[number].outlined {
        return None;
    }
    let goal = Goal::Coupling(number);
    let unfolding = Unfolding { leaves: false, lemmas: false, unfold: [0, 0] };
    let executed = premises.execute(goal, unfolding, true).ok()?;
    let (space, function) = (&executed.space, premises.name(goal));
    let ours = executed.seen.name(number)?;
    let mut calls = [vec![], vec![]];
    for made in space.made.iter().flatten().filter(|made| made.name == ours) {
        let mut args = vec![];
        for arg in &made.args {
            args.push(c_expression(&space.pool, *arg, &Default::default())?);
        }
        if args.iter().any(|arg| arg.len() > LONGEST) {
            return None;
        }
        let call = format!("{function}({})", args.join(", "));
        if !calls[made.side].contains(&call) {
            calls[made.side].push(call);
        }
    }
    // In one order, whatever is called first.
    calls.iter_mut().for_each(|calls| calls.sort());
    calls.iter().all(|calls| (1..=MOST_CALLS).contains(&calls.len())).then_some(calls)
}

/// `a`, `a and b`, `a, b and c`.
fn listed(calls: &[String]) -> String {
    match calls {
        [] => String::new(),
        [one] => one.clone(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}
