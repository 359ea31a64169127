//! The sentences about one function that all formats of a report share: its proof, its conditions, how its
//! counterexample was confirmed.

use crate::replay_sentences::issue;
use crate::report::{ConditionText, PairReport, WitnessReport};
use crate::text::cut;
use crate::witness_view::ExternalCallView;
use verdiff_judge::{
    Answer, Changed, Field, Kind, Replay, Rule, SourceLocation, Termination, Verdict,
};

/// Longer conditions are not printed.
const LONGEST_PRINTED: usize = 400;
/// How many calls of stubs are listed.
const MOST_STUBS: usize = 6;

/// The word for a verdict.
pub(crate) fn verdict(answer: &Answer) -> &'static str {
    match answer {
        Answer::Judged(Verdict::Equivalent { .. }) => "equivalent",
        Answer::Judged(Verdict::Different { .. }) | Answer::Interface => "different",
        Answer::Judged(Verdict::Unknown(_)) => "unknown",
        Answer::Added => "added",
        Answer::Removed => "removed",
    }
}

/// The conditions that are known, in C, one sentence each. `all` adds those that say nothing new.
pub(crate) fn conditions(pair: &PairReport, exact: bool, all: bool) -> Vec<String> {
    let mut lines = vec![];
    let when = if exact { "exactly when" } else { "when" };
    let mut say = |verb: &str, when: &str, condition: &ConditionText, effect: &str| {
        match condition.c.as_deref() {
            _ if is_false(condition) => {}
            Some("1") => lines.push(format!("{verb} for every input{effect}")),
            Some(c) if c.len() > LONGEST_PRINTED => {
                let text = "under a condition that is too long to print; see the JSON report";
                lines.push(format!("{verb} {text}{effect}"));
            }
            Some(c) => lines.push(format!("{verb} {when} {c}{effect}")),
            None => lines
                .push(format!("{verb}: no C expression for this condition; see the JSON report")),
        };
    };
    let effect = pair.effect.as_ref().map_or(String::new(), |effect| format!(": {effect}"));
    say("differs", when, &pair.differ_under, &effect);
    let when = if exact || pair.ends_exact { "exactly when" } else { "when" };
    say("only the old version terminates", when, &pair.old_only, "");
    say("only the new version terminates", when, &pair.new_only, "");
    if !exact || all {
        say("equal", "when", &pair.equal_under, "");
    }
    // Where nothing is known, "undecided for every input" adds nothing.
    if !exact && pair.open_under.c.as_deref() != Some("1") {
        say("undecided", "when", &pair.open_under, "");
    }
    lines.extend(pair.assuming.iter().map(|assumed| format!("assuming {assumed}")));
    lines
}

/// Whether no condition says for which inputs the versions differ.
pub(crate) fn has_no_condition(pair: &PairReport) -> bool {
    [&pair.differ_under, &pair.old_only, &pair.new_only].into_iter().all(is_false)
}

/// Whether a counterexample was run, and what came of it.
pub(crate) fn confirmation(witness: &WitnessReport) -> String {
    let hangs = [&witness.shown.old, &witness.shown.new].into_iter().any(|end| end.diverges);
    let mut text = match &witness.replay {
        Replay::Confirmed if hangs => {
            "confirmed by running both compiled programs: one terminated; the other, which is proved not to terminate, \
             was stopped at the time limit"
                .to_owned()
        }
        Replay::Confirmed => "confirmed by running both compiled programs".to_owned(),
        Replay::ConfirmedWithStubs => {
            let stubs = stubs(&witness.shown.externals);
            let with = match (stubs.is_empty(), witness.shown.failures.is_empty()) {
                (true, false) => "failing allocations".to_owned(),
                (true, true) => "stubs for external functions".to_owned(),
                (false, _) => format!("stubs for external functions: {stubs}"),
            };
            format!("confirmed by running both compiled programs with {with}")
        }
        Replay::Refuted { why } => {
            format!("the counterexample did not reproduce: {}", issue(why))
        }
        Replay::NotRun { why } => format!("not run: {}", issue(why)),
    };
    if witness.candidate.unique {
        text += "; no other input differs";
    }
    text
}

/// How equality was proved, and how far it goes.
pub(crate) fn proved(pair: &PairReport) -> Option<String> {
    let last = pair.evidence.iter().rev().find(|e| e.adds == Field::EqualUnder);
    let how = match last {
        _ if pair.changed == Changed::No && pair.renamed.is_none() => Some("unchanged".to_owned()),
        Some(evidence) if !evidence.because.is_empty() => Some(evidence.because.clone()),
        Some(evidence) => Some(format!("{}, {}", evidence.engine, evidence.rule.name())),
        None => None,
    };
    let mut parts: Vec<String> = how.into_iter().collect();
    if pair.changed != Changed::No && pair.termination != Termination::Alike {
        parts.push("wherever both terminate".to_owned());
    }
    // Worth mentioning only where there is a loop or recursion.
    let how = |rule: &Rule| match rule {
        Rule::AlwaysEnds { ranked: Some(_) } => Some("both always terminate"),
        Rule::EndsAlike { .. } => Some("one terminates if the other does"),
        _ => None,
    };
    let alike = pair.evidence.iter().filter(|e| e.adds == Field::AlikeUnder);
    if let Some(how) = alike.map(|e| &e.rule).find_map(how)
        && pair.termination == Termination::Alike
    {
        parts.push(how.to_owned());
    }
    if pair.answer == Answer::Judged(Verdict::Equivalent { vacuous: true }) {
        parts.push("vacuous: no run is known in which both terminate".to_owned());
    }
    (!parts.is_empty()).then(|| parts.join("; "))
}

/// The kinds of a difference, as words.
pub(crate) fn kinds(kinds: &[Kind]) -> Option<String> {
    let words: Vec<&str> = kinds.iter().map(|kind| kind_word(*kind)).collect();
    (!words.is_empty()).then(|| words.join(", "))
}

/// The word for a kind of difference.
pub(crate) fn kind_word(kind: Kind) -> &'static str {
    match kind {
        Kind::Value => "value",
        Kind::Memory => "memory",
        Kind::Output => "output",
        Kind::Trap => "trap",
        Kind::Termination => "termination",
        Kind::Interface => "interface",
    }
}

/// File and line.
pub(crate) fn location(place: &SourceLocation) -> String {
    match place.line {
        0 => place.file.clone(),
        line => format!("{}:{line}", place.file),
    }
}

/// Whether no input satisfies it.
pub(crate) fn is_false(condition: &ConditionText) -> bool {
    match &condition.c {
        Some(c) => c == "0",
        None => condition.smt.is_empty() || condition.smt == "false",
    }
}

fn stubs(externals: &[ExternalCallView]) -> String {
    let one = |external: &ExternalCallView| {
        let mut text = format!("{}()", external.call);
        if let Some(value) = &external.returns {
            text += &format!(" returned {value}");
        }
        for fill in &external.fills {
            let and = if text.ends_with(')') { "" } else { " and" };
            let bytes = cut(&fill.bytes, 32);
            text +=
                &format!("{and} wrote {bytes} to the object behind argument {}", fill.argument + 1);
        }
        for write in &external.writes {
            let and = if text.ends_with(')') { "" } else { " and" };
            text += &match (&write.value, write.offset) {
                (Some(value), _) => format!("{and} set {} to {value}", write.global),
                (None, 0) => format!("{and} wrote {} to {}", cut(&write.bytes, 32), write.global),
                (None, offset) => {
                    let bytes = cut(&write.bytes, 32);
                    format!("{and} wrote {bytes} to {} at offset {offset}", write.global)
                }
            };
        }
        text
    };
    let mut all: Vec<String> = externals.iter().take(MOST_STUBS).map(one).collect();
    if externals.len() > MOST_STUBS {
        all.push("…".to_owned());
    }
    all.join(", ")
}
