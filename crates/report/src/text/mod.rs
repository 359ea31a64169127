//! What a person reads: function by function as a good compiler says it, then a line that sums it up.

mod function;
mod lines;
mod paint;
mod reason;
mod table;

use crate::report::{PairReport, Report};
use crate::summary::{Conclusion, Summary, is_unchanged};
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
    if !style.quiet {
        for line in assumptions(report, style) {
            out.push_str(&painted(paint.aside, line));
            out.push('\n');
        }
    }
    if let Some(conclusion) = conclusion(report) {
        out.push_str(&painted(paint.title, conclusion));
        out.push('\n');
    }
    out
}

/// The assumptions that matter most in one line, or all of them.
fn assumptions(report: &Report, style: &Style) -> Vec<String> {
    if report.assumptions.is_empty() {
        return vec![];
    }
    let width = style.width.saturating_sub(4);
    if style.verbose == 0 {
        let all = format!("assumptions: {} (`-v` lists all)", report.assumed_shortly.join(", "));
        let lines = wrapped(&all, width).into_iter().enumerate();
        return lines.map(|(n, line)| if n > 0 { format!("  {line}") } else { line }).collect();
    }
    let mut lines = vec!["assumptions:".to_owned()];
    for assumption in &report.assumptions {
        for (n, line) in wrapped(assumption, width).into_iter().enumerate() {
            lines.push(if n > 0 { format!("    {line}") } else { format!("  {line}") });
        }
    }
    lines
}

/// Whether the behaviour changed, in one line. Nothing where no function was compared.
fn conclusion(report: &Report) -> Option<String> {
    let Conclusion { changed, different, callers, undecided, partial } = Conclusion::of(report);
    let functions = |count: usize, what: &str| match count {
        1 => format!("1 {what}"),
        count => format!("{count} {what}s"),
    };
    let open = match (undecided, report.interrupted) {
        (0, false) => None,
        (0, true) => Some("the run was interrupted".to_owned()),
        (1, _) => Some("1 function is undecided".to_owned()),
        (count, _) => Some(format!("{count} functions are undecided")),
    };
    let judged = |p: &PairReport| !matches!(p.answer, Answer::Added | Answer::Removed);
    if !report.pairs.iter().any(judged) {
        return None;
    }
    let said = match (different, callers, open) {
        (0, 0, None) => {
            let functions = match changed {
                0 => "no function changed".to_owned(),
                1 => "the changed function is equivalent".to_owned(),
                2 => "both changed functions are equivalent".to_owned(),
                count => format!("all {count} changed functions are equivalent"),
            };
            // What is proved of runs that terminate says nothing of others.
            let within = if partial { " wherever both versions terminate" } else { "" };
            format!("behaviour unchanged: {functions}{within}")
        }
        (0, 0, Some(open)) => format!("no difference was found, but {open}"),
        (own, callers, open) => {
            let mut parts = vec![];
            if own > 0 {
                let verb = if own == 1 { "differs" } else { "differ" };
                parts.push(format!("{} {verb}", functions(own, "changed function")));
            }
            if callers > 0 {
                let verb = if callers == 1 { "differs" } else { "differ" };
                parts.push(format!("{} of changed functions {verb}", functions(callers, "caller")));
            }
            parts.extend(open);
            format!("behaviour changed: {}", parts.join(", "))
        }
    };
    Some(format!("result: {said}"))
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
