//! The lines on one function.

use super::Style;
use super::executed_lines::ExecutedLines;
use super::lines::{FunctionText, changed_lines};
use super::paint::{Paint, painted, wrapped};
use super::reason;
use super::table::table;
use super::wide::{WIDE, wide_lines};
use crate::correlation::correlation_sentences;
use crate::impact;
use crate::report::{PairReport, WitnessReport};
use crate::sentences;
use crate::summary::undecided_reason;
use crate::wording;
use verdiff_judge::{Answer, Side, SourceLocation, StopReason, Verdict};

/// How far everything below the headline stands in.
const INDENT: &str = "  ";

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
            Answer::Judged(Verdict::Equivalent { .. }) => wording::proved(pair),
            Answer::Judged(Verdict::Different { .. }) => wording::kinds(&pair.kinds),
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
        let places = pair.old.iter().chain(&pair.new);
        let places: Vec<String> = places.map(|place| self.location(place)).collect();
        if !places.is_empty() {
            line += &format!("  {}", painted(paint.aside, places.join(", ")));
        }
        if !pair.counts {
            line += "  [ignored for the exit code]";
        }
        line
    }

    /// File and line, as a link where that is wanted.
    fn location(&self, place: &SourceLocation) -> String {
        let text = wording::location(place);
        match &self.style.links_below {
            None => text,
            Some(folder) => {
                let below =
                    if place.file.starts_with('/') { String::new() } else { format!("{folder}/") };
                let address = crate::sarif::uri(&format!("{below}{}", place.file));
                format!("\u{1b}]8;;{address}\u{1b}\\{text}\u{1b}]8;;\u{1b}\\")
            }
        }
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
        if wording::has_no_condition(pair) {
            self.prose("differs at least for this input", lines);
        }
        if let Some(witness) = &pair.witness {
            self.witness(witness, lines);
        }
        self.correlation(pair, lines);
        self.diff(pair, lines);
    }

    /// How the states of both versions are related, where that helps.
    fn correlation(&self, pair: &PairReport, lines: &mut Vec<String>) {
        let exact = matches!(pair.answer, Answer::Judged(Verdict::Different { exact: true }));
        let correlation = pair.correlation.as_deref();
        let sentences = correlation.map(|c| correlation_sentences(c, exact)).unwrap_or_default();
        if !sentences.is_empty() {
            self.prose(&format!("states: {}", sentences.join("; ")), lines);
        }
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
        self.correlation(pair, lines);
        // A predicted difference that was not confirmed is no difference; who looks closer may see it.
        if let Some(witness) = pair.witness.as_ref().filter(|_| self.style.verbose > 0) {
            self.witness(witness, lines);
        }
    }

    /// The conditions that are known, in C.
    fn conditions(&self, pair: &PairReport, exact: bool, lines: &mut Vec<String>) {
        for sentence in wording::conditions(pair, exact, self.style.verbose > 0) {
            self.prose(&sentence, lines);
        }
    }

    fn witness(&self, witness: &WitnessReport, lines: &mut Vec<String>) {
        lines.push(String::new());
        let width = self.style.width.saturating_sub(INDENT.len());
        for line in table(&witness.shown, width, &self.paint) {
            lines.push(format!("{INDENT}{line}"));
        }
        lines.push(String::new());
        self.prose(&wording::confirmation(witness), lines);
    }

    /// The changed lines of both versions, with the reason under them.
    fn diff(&self, pair: &PairReport, lines: &mut Vec<String>) {
        let body = |side: Side, place: &Option<SourceLocation>| {
            let place = place.as_ref()?;
            FunctionText::of(&(self.sources)(side, &place.file)?, place)
        };
        let remarks = reason::remarks(pair);
        let bodies = body(Side::Old, &pair.old).zip(body(Side::New, &pair.new));
        let shown = bodies.map_or_else(Vec::new, |(old, new)| {
            let executed = ExecutedLines::of(pair, &old, &new, &self.paint);
            let mut shown = if self.style.width >= WIDE {
                let width = self.style.width - INDENT.len();
                wide_lines(&old, &new, &remarks, &executed, &self.paint, width)
            } else {
                changed_lines(&old, &new, &remarks, &executed, &self.paint)
            };
            if let Some(legend) = executed.legend.filter(|_| !shown.is_empty()) {
                shown.push(painted(self.paint.aside, legend));
            }
            shown
        });
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
