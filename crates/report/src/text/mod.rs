//! What a person reads: function by function as a good compiler says it, then a line that sums it up.

mod function;
mod lines;
mod paint;
mod reason;
mod table;

use crate::report::Report;
use crate::summary::{Summary, is_unchanged};
use paint::{Paint, painted, wrapped};
use verdiff_judge::Answer;

/// How a report is to look.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Style {
    /// With colours, as ANSI escape codes.
    pub colour: bool,
    /// How many columns there are.
    pub width: usize,
    /// 0: what matters; 1: unchanged functions and all conditions too; 2: what each engine did.
    pub verbose: u8,
    /// One line for each difference and each open question.
    pub quiet: bool,
}

impl Default for Style {
    fn default() -> Style {
        Style { colour: false, width: 100, verbose: 0, quiet: false }
    }
}

/// A report as text. `sources` gives the text of a file, by the name that the report has for it
/// and as it was when it was compiled; without it no lines are shown.
pub fn text(report: &Report, sources: &dyn Fn(&str) -> Option<String>, style: &Style) -> String {
    let paint = Paint::new(style.colour);
    let writer = function::Writer { sources, style, paint };
    let mut out = String::new();
    for pair in &report.pairs {
        let hidden = match pair.answer {
            Answer::Added | Answer::Removed => style.quiet,
            _ if is_unchanged(pair) => style.verbose == 0 || style.quiet,
            Answer::Judged(verdiff_judge::Verdict::Equivalent { .. }) => style.quiet,
            _ => false,
        };
        if hidden {
            continue;
        }
        let lines = writer.function(pair);
        // A function that has more than its headline to it stands apart.
        let apart = lines.len() > 1;
        if apart && !out.is_empty() && !out.ends_with("\n\n") {
            out.push('\n');
        }
        for line in &lines {
            out.push_str(line);
            out.push('\n');
        }
        if apart {
            out.push('\n');
        }
    }
    if !out.is_empty() && !out.ends_with("\n\n") && !style.quiet {
        out.push('\n');
    }
    out.push_str(&painted(paint.title, summary(&Summary::of(report))));
    out.push('\n');
    if report.interrupted {
        let what = "interrupted: what is said above is finished, the rest was not looked at";
        out.push_str(&painted(paint.open, what));
        out.push('\n');
    }
    if !style.quiet && !report.assumptions.is_empty() {
        let all = format!("assuming: {}", report.assumptions.join("; "));
        for (index, line) in wrapped(&all, style.width.saturating_sub(2)).iter().enumerate() {
            let indent = if index > 0 { "  " } else { "" };
            out.push_str(&painted(paint.aside, format!("{indent}{line}")));
            out.push('\n');
        }
    }
    out
}

fn summary(summary: &Summary) -> String {
    let Summary { equivalent, different, unknown, added, removed, unchanged } = *summary;
    let mut text = format!(
        "{} equivalent, {different} different, {unknown} unknown, {unchanged} unchanged",
        equivalent - unchanged
    );
    for (count, word) in [(added, "added"), (removed, "removed")] {
        if count > 0 {
            text.push_str(&format!(", {count} {word}"));
        }
    }
    text
}
