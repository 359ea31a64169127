//! The lines on one function.

use super::Style;
use super::lines::{Body, changed_lines};
use super::paint::{Paint, cut, painted, wrapped};
use super::reason;
use super::table::table;
use crate::impact;
use crate::replay_sentences::issue;
use crate::report::{ConditionText, PairReport, WitnessReport};
use crate::sentences;
use crate::summary::undecided_reason;
use crate::witness_view::ExternalCallView;
use verdiff_judge::{
    Answer, Changed, Field, Kind, Replay, Rule, Side, SourceLocation, StopReason, Termination,
    Verdict,
};

/// How far everything below the headline stands in.
const INDENT: &str = "  ";
/// Longer conditions are not printed.
const LONGEST_PRINTED: usize = 400;
/// How many calls of stubs are listed.
const MOST_STUBS: usize = 6;

/// Writes functions.
pub(super) struct Writer<'a> {
    pub(super) sources: &'a dyn Fn(Side, &str) -> Option<String>,
    pub(super) style: &'a Style,
    pub(super) paint: Paint,
}

impl Writer<'_> {
    /// The lines on a function; the first is the headline.
    pub(super) fn function(&self, pair: &PairReport) -> Vec<String> {
        let mut lines = vec![self.headline(pair)];
        if self.style.quiet {
            return lines;
        }
        match &pair.answer {
            Answer::Judged(Verdict::Equivalent { .. }) => self.equivalent(pair, &mut lines),
            Answer::Judged(Verdict::Different { exact }) => {
                self.different(pair, *exact, &mut lines);
            }
            Answer::Judged(Verdict::Unknown(_)) => self.unknown(pair, &mut lines),
            Answer::Interface => self.diff(pair, &mut lines),
            Answer::Added | Answer::Removed => {}
        }
        for note in &pair.notes {
            self.prose(&format!("note: {note}"), &mut lines);
        }
        if self.style.verbose > 1 {
            for run in &pair.engines {
                let text = format!(
                    "{}: {} ({:.1} ms)",
                    run.name,
                    sentences::outcome(&run.outcome),
                    run.ms
                );
                self.prose(&text, &mut lines);
            }
        }
        lines
    }

    fn headline(&self, pair: &PairReport) -> String {
        let paint = &self.paint;
        let (word, colour) = match &pair.answer {
            Answer::Judged(Verdict::Equivalent { .. }) => ("equivalent", paint.good),
            Answer::Judged(Verdict::Different { .. }) | Answer::Interface => {
                ("different", paint.bad)
            }
            Answer::Judged(Verdict::Unknown(_)) => ("unknown", paint.undecided),
            Answer::Added => ("added", paint.aside),
            Answer::Removed => ("removed", paint.aside),
        };
        let name = match &pair.renamed {
            Some(new) => format!("{} (now {new})", pair.function),
            None => pair.function.clone(),
        };
        let aside = match &pair.answer {
            Answer::Judged(Verdict::Equivalent { .. }) => proved(pair),
            Answer::Judged(Verdict::Different { .. }) => kinds(&pair.kinds),
            Answer::Interface => Some("interface".to_owned()),
            // Without further lines the reason stands here, and what is known of the change by itself.
            Answer::Judged(Verdict::Unknown(_)) if self.style.quiet => {
                let local = pair.local.as_ref().map(|local| local.sentence.clone());
                let parts: Vec<String> = undecided_reason(pair)
                    .map(sentences::stop_reason)
                    .into_iter()
                    .chain(local)
                    .collect();
                (!parts.is_empty()).then(|| parts.join("; "))
            }
            _ => None,
        };
        let mut line = painted(paint.title, name) + ": " + &painted(colour, word);
        if let Some(aside) = aside {
            line += &format!(" ({aside})");
        }
        let places: Vec<String> = pair.old.iter().chain(&pair.new).map(location_text).collect();
        if !places.is_empty() {
            line += &format!("  {}", painted(paint.aside, places.join(", ")));
        }
        if !pair.counts {
            line += "  [ignored for the exit code]";
        }
        line
    }

    fn equivalent(&self, pair: &PairReport, lines: &mut Vec<String>) {
        for sentence in impact::containment_sentences(&pair.boundaries) {
            self.prose(&sentence, lines);
        }
        for assumed in &pair.assuming {
            self.prose(&format!("assuming {assumed}"), lines);
        }
    }

    fn different(&self, pair: &PairReport, exact: bool, lines: &mut Vec<String>) {
        // A changed global has neither an input nor a line of code.
        if pair.is_global() {
            return;
        }
        self.conditions(pair, exact, lines);
        let conditions = [&pair.differ_under, &pair.old_only, &pair.new_only];
        if conditions.into_iter().all(is_false) {
            self.prose("differs at least for this input", lines);
        }
        if let Some(witness) = &pair.witness {
            self.witness(witness, lines);
        }
        self.diff(pair, lines);
    }

    fn unknown(&self, pair: &PairReport, lines: &mut Vec<String>) {
        if let Some(reason) = undecided_reason(pair) {
            let text = match reason {
                StopReason::Unsupported { file, line, .. } if !file.is_empty() => {
                    format!("{file}:{line}: {}", sentences::stop_reason(reason))
                }
                _ => sentences::stop_reason(reason),
            };
            self.prose(&text, lines);
        }
        if let Some(impact) = &pair.impact {
            self.prose(&impact::impact_text(impact), lines);
        }
        if let Some(local) = &pair.local {
            self.prose(&local.sentence, lines);
        }
        self.conditions(pair, false, lines);
        // A predicted difference that was not confirmed is no difference; who looks closer may see it.
        if let Some(witness) = pair.witness.as_ref().filter(|_| self.style.verbose > 0) {
            self.witness(witness, lines);
        }
    }

    /// The conditions that are known, in C.
    fn conditions(&self, pair: &PairReport, exact: bool, lines: &mut Vec<String>) {
        let when = if exact { "exactly when" } else { "when" };
        let mut say = |verb: &str, when: &str, condition: &ConditionText, effect: &str| {
            match condition.c.as_deref() {
                _ if is_false(condition) => {}
                Some("1") => self.prose(&format!("{verb} for every input{effect}"), lines),
                Some(c) if c.len() > LONGEST_PRINTED => {
                    let text = "under a condition that is too long to print; see the JSON report";
                    self.prose(&format!("{verb} {text}{effect}"), lines);
                }
                Some(c) => self.prose(&format!("{verb} {when} {c}{effect}"), lines),
                None => self.prose(
                    &format!("{verb}: no C expression for this condition; see the JSON report"),
                    lines,
                ),
            };
        };
        let effect = pair.effect.as_ref().map_or(String::new(), |effect| format!(": {effect}"));
        say("differs", when, &pair.differ_under, &effect);
        let when = if exact || pair.ends_exact { "exactly when" } else { "when" };
        say("only the old version terminates", when, &pair.old_only, "");
        say("only the new version terminates", when, &pair.new_only, "");
        if !exact || self.style.verbose > 0 {
            say("equal", "when", &pair.equal_under, "");
        }
        // Where nothing is known, "undecided for every input" adds nothing.
        if !exact && pair.open_under.c.as_deref() != Some("1") {
            say("undecided", "when", &pair.open_under, "");
        }
        for assumed in &pair.assuming {
            self.prose(&format!("assuming {assumed}"), lines);
        }
    }

    fn witness(&self, witness: &WitnessReport, lines: &mut Vec<String>) {
        lines.push(String::new());
        let width = self.style.width.saturating_sub(INDENT.len());
        for line in table(&witness.shown, width, &self.paint) {
            lines.push(format!("{INDENT}{line}"));
        }
        lines.push(String::new());
        let hangs = [&witness.shown.old, &witness.shown.new].into_iter().any(|end| end.diverges);
        let mut text = match &witness.replay {
            Replay::Confirmed if hangs => {
                "confirmed by running both compiled programs: one terminated, the other was stopped at the time limit; it is proved that it does not terminate"
                    .to_owned()
            }
            Replay::Confirmed => "confirmed by running both compiled programs".to_owned(),
            Replay::ConfirmedWithStubs => {
                let stubs = stubs(&witness.shown.externals);
                format!(
                    "confirmed by running both compiled programs, with stubs that the difference needs{stubs}"
                )
            }
            Replay::Refuted { why } => {
                format!("the counterexample did not reproduce: {}", issue(why))
            }
            Replay::NotRun { why } => format!("not run: {}", issue(why)),
        };
        if witness.candidate.unique {
            text += "; this is the only such input";
        }
        self.prose(&text, lines);
    }

    /// The changed lines of both versions, with the reason under them.
    fn diff(&self, pair: &PairReport, lines: &mut Vec<String>) {
        let body = |side: Side, place: &Option<SourceLocation>| {
            let place = place.as_ref()?;
            Body::of(&(self.sources)(side, &place.file)?, place)
        };
        let remarks = reason::remarks(pair);
        let shown = match (body(Side::Old, &pair.old), body(Side::New, &pair.new)) {
            (Some(old), Some(new)) => changed_lines(&old, &new, &remarks, &self.paint),
            _ => vec![],
        };
        lines.push(String::new());
        if shown.is_empty() {
            for remark in remarks {
                self.prose(&remark.text, lines);
            }
            if let Some(reason) = reason::indirect_reason(pair) {
                self.prose(reason, lines);
            }
            if lines.last().is_some_and(String::is_empty) {
                lines.pop();
            }
            return;
        }
        lines.extend(shown.into_iter().map(|line| format!("{INDENT}{line}")));
    }

    /// A sentence, broken to the width.
    fn prose(&self, text: &str, lines: &mut Vec<String>) {
        let width = self.style.width.saturating_sub(2 * INDENT.len()).max(20);
        for (index, line) in wrapped(text, width).into_iter().enumerate() {
            let further = if index > 0 { INDENT } else { "" };
            lines.push(format!("{INDENT}{further}{line}"));
        }
    }
}

/// How equality was proved, and how far it goes.
fn proved(pair: &PairReport) -> Option<String> {
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

fn kinds(kinds: &[Kind]) -> Option<String> {
    let word = |kind: &Kind| match kind {
        Kind::Value => "value",
        Kind::Memory => "memory",
        Kind::Output => "output",
        Kind::Trap => "trap",
        Kind::Termination => "termination",
        Kind::Interface => "interface",
    };
    let words: Vec<&str> = kinds.iter().map(word).collect();
    (!words.is_empty()).then(|| words.join(", "))
}

fn location_text(place: &SourceLocation) -> String {
    match place.line {
        0 => place.file.clone(),
        line => format!("{}:{line}", place.file),
    }
}

fn is_false(condition: &ConditionText) -> bool {
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
    if all.is_empty() { String::new() } else { format!(": {}", all.join(", ")) }
}
