//! The report for a terminal: function by function, in the style of compiler diagnostics, then a summary.

mod executed_lines;
mod function;
mod lines;
mod paint;
mod reason;
mod table;
mod wide;

use crate::impact;
use crate::report::{PairReport, Report};
use crate::summary::{Conclusion, ImpactCounts, Summary, is_unchanged, undecided_reason};
use paint::{Paint, painted};

pub(crate) use lines::FunctionText;
pub(crate) use paint::{cut, wrapped};
pub(crate) use reason::indirect_reason;
pub(crate) use table::{input_lines, outcome_rows};

use verdiff_judge::{Answer, Changed, Side, StopReason, Verdict};

/// How a report is to look.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Style {
    /// With colours, as ANSI escape codes.
    pub colour: bool,
    /// How many columns there are.
    pub width: usize,
    /// 0: what matters; 1: unchanged functions and all conditions too; 2: what each engine did.
    pub verbose: u8,
    /// One line for each difference and each undecided function.
    pub quiet: bool,
    /// The folder that relative paths are relative to, if files are shown as links (OSC 8).
    pub links_below: Option<String>,
}

impl Default for Style {
    fn default() -> Style {
        Style { colour: false, width: 100, verbose: 0, quiet: false, links_below: None }
    }
}

/// A report as text. `sources` gives the text of a file of one version, by the name that the report has for it
/// and as it was when it was compiled; without it no lines are shown.
pub fn text(
    report: &Report,
    sources: &dyn Fn(Side, &str) -> Option<String>,
    style: &Style,
) -> String {
    let paint = Paint::new(style.colour);
    if report.pairs.is_empty() && report.not_compared.is_empty() && report.revisions.is_some() {
        // Nothing was compared, and the notes say why.
        return report.notes.iter().map(|note| format!("{note}\n")).collect();
    }
    let writer = function::Writer { sources, style, paint };
    let mut out = String::new();
    let mut pairs: Vec<&PairReport> = report.pairs.iter().collect();
    pairs.sort_by_key(|pair| rank(pair));
    let (grouped, pairs): (Vec<&PairReport>, Vec<&PairReport>) =
        pairs.into_iter().partition(|pair| is_grouped(pair, report, style));
    for pair in pairs {
        let hidden = match pair.answer {
            Answer::Added | Answer::Removed => style.quiet,
            _ if is_unchanged(pair) => style.verbose == 0 || style.quiet,
            Answer::Judged(Verdict::Equivalent { .. }) => style.quiet,
            _ => false,
        };
        if hidden {
            continue;
        }
        let lines = writer.function(pair);
        // A function with more than its headline is a paragraph of its own.
        let is_paragraph = lines.len() > 1;
        if is_paragraph && !out.is_empty() && !out.ends_with("\n\n") {
            out.push('\n');
        }
        for line in &lines {
            out.push_str(line);
            out.push('\n');
        }
        if is_paragraph {
            out.push('\n');
        }
    }
    let groups = impact::group_lines(&grouped);
    for line in &groups {
        let width = style.width.saturating_sub(4).max(20);
        for (n, line) in wrapped(line, width).into_iter().enumerate() {
            out.push_str(if n > 0 { "  " } else { "" });
            out.push_str(&painted(paint.undecided, line));
            out.push('\n');
        }
    }
    if !out.is_empty() && !out.ends_with("\n\n") && !style.quiet {
        out.push('\n');
    }
    out.push_str(&painted(paint.title, summary(&Summary::of(report))));
    out.push('\n');
    if let Some(counts) = impact_counts(&ImpactCounts::of(report)).filter(|_| !report.only_some) {
        out.push_str(&painted(paint.title, counts));
        out.push('\n');
    }
    for file in &report.not_compared {
        out.push_str(&painted(paint.undecided, format!("{}: {}", file.file, file.why)));
        out.push('\n');
    }
    if report.interrupted {
        let what = "interrupted: the results above are complete, the rest was not analysed";
        out.push_str(&painted(paint.undecided, what));
        out.push('\n');
    }
    if !style.quiet {
        for note in &report.notes {
            let lines = wrapped(&format!("note: {note}"), style.width.saturating_sub(4).max(20));
            for (n, line) in lines.into_iter().enumerate() {
                let indent = if n > 0 { "  " } else { "" };
                out.push_str(&painted(paint.aside, format!("{indent}{line}")));
                out.push('\n');
            }
        }
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

/// What the text has on one function.
pub(crate) fn one_function(
    pair: &PairReport,
    sources: &dyn Fn(Side, &str) -> Option<String>,
    style: &Style,
) -> String {
    let writer = function::Writer { sources, style, paint: Paint::new(style.colour) };
    writer.function(pair).join("\n") + "\n"
}

/// Functions that changed themselves come first, then their callers, then what did not change.
pub(crate) fn rank(pair: &PairReport) -> u8 {
    match (&pair.answer, &pair.impact, pair.changed) {
        (Answer::Added | Answer::Removed, ..) => 3,
        (_, Some(_), _) => 1,
        (_, None, Changed::No) => 2,
        _ => 0,
    }
}

/// Whether a function is one of many of which nothing is known but that a change may affect them: these take one line
/// together. Functions that the user named, with partial results, or with an internal error have lines of their own.
fn is_grouped(pair: &PairReport, report: &Report, style: &Style) -> bool {
    let nothing = |c: &Option<String>| matches!(c.as_deref(), Some("0"));
    let conditions = [&pair.equal_under, &pair.differ_under, &pair.split_under];
    style.verbose == 0
        && !report.only_some
        && pair.impact.is_some()
        && matches!(pair.answer, Answer::Judged(Verdict::Unknown(_)))
        && !matches!(undecided_reason(pair), Some(StopReason::Internal { .. }))
        && pair.witness.is_none()
        && conditions.into_iter().all(|condition| nothing(&condition.c))
}

/// The impact on callers, in numbers. Nothing if changed functions have no callers.
fn impact_counts(counts: &ImpactCounts) -> Option<String> {
    let ImpactCounts { decided, undecided, unaffected, equivalent, affected, possible } = *counts;
    if counts.callers() == 0 {
        return None;
    }
    let mut callers = vec![format!("{unaffected} not affected")];
    if equivalent > 0 {
        callers.push(format!("{equivalent} equivalent"));
    }
    callers.push(format!("{affected} affected"));
    callers.push(format!("{possible} possibly affected"));
    let callers = callers.join(", ");
    Some(format!("changed functions: {decided} decided, {undecided} undecided; callers: {callers}"))
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
pub(crate) fn conclusion(report: &Report) -> Option<String> {
    let all = Conclusion::of(report);
    let Conclusion { changed, different, callers, undecided, possibly_affected, globals, .. } = all;
    if let Some(client) = single_function_sentence(report) {
        return Some(format!("result: {client}"));
    }
    let functions = |count: usize, what: &str| match count {
        1 => format!("1 {what}"),
        count => format!("{count} {what}s"),
    };
    let own = match undecided {
        0 => None,
        1 => Some("1 function is undecided".to_owned()),
        count => Some(format!("{count} functions are undecided")),
    };
    let others = match possibly_affected {
        0 => None,
        count => Some(format!("{} may be affected", functions(count, "caller"))),
    };
    let files = match report.not_compared.len() {
        0 => None,
        1 => Some("1 file could not be compared".to_owned()),
        count => Some(format!("{count} files could not be compared")),
    };
    let open: Vec<String> = own.into_iter().chain(others).chain(files).collect();
    let open = match (open.is_empty(), report.interrupted) {
        (true, false) => None,
        (true, true) => Some("the run was interrupted".to_owned()),
        (false, _) => Some(open.join(", ")),
    };
    let judged = |p: &PairReport| !matches!(p.answer, Answer::Added | Answer::Removed);
    if !report.pairs.iter().any(judged) {
        return None;
    }
    let text = match (different + globals, callers, open) {
        (0, 0, None) if all.accepted > 0 => {
            format!("behaviour changed only as accepted: {}", functions(all.accepted, "difference"))
        }
        (0, 0, None) => {
            let functions = match changed {
                0 => "no function changed".to_owned(),
                1 => "the changed function is equivalent".to_owned(),
                2 => "both changed functions are equivalent".to_owned(),
                count => format!("all {count} changed functions are equivalent"),
            };
            // A proof about runs that terminate claims nothing about other runs.
            let within = if all.partial { " wherever both versions terminate" } else { "" };
            let one_sided = one_sided_functions(all.added, all.removed);
            format!("behaviour unchanged: {functions}{within}{one_sided}")
        }
        (0, 0, Some(open)) if all.accepted > 0 => {
            format!("only accepted differences were found, but {open}")
        }
        (0, 0, Some(open)) => format!("no difference was found, but {open}"),
        (_, callers, open) => {
            let mut parts = vec![];
            if different > 0 {
                let verb = if different == 1 { "differs" } else { "differ" };
                parts.push(format!("{} {verb}", functions(different, "changed function")));
            }
            if globals > 0 {
                parts.push(format!("{} changed", functions(globals, "global")));
            }
            if callers > 0 {
                let verb = if callers == 1 { "differs" } else { "differ" };
                parts.push(format!("{} of changed functions {verb}", functions(callers, "caller")));
            }
            if all.accepted > 0 {
                parts.push(functions(all.accepted, "accepted difference"));
            }
            parts.extend(open);
            format!("behaviour changed: {}", parts.join(", "))
        }
    };
    Some(format!("result: {text}"))
}

/// The functions of one version only, behind a result: a caller elsewhere may need one that was removed.
fn one_sided_functions(added: usize, removed: usize) -> String {
    let function = if added + removed == 1 { "function" } else { "functions" };
    match (added, removed) {
        (0, 0) => String::new(),
        (added, 0) => format!(" ({added} {function} added)"),
        (0, removed) => format!(" ({removed} {function} removed)"),
        (1, 1) => " (1 function added, 1 removed)".to_owned(),
        (added, removed) => format!(" ({added} {function} added, {removed} removed)"),
    }
}

/// The result for a single function (`--entry`) whose own code did not change.
fn single_function_sentence(report: &Report) -> Option<String> {
    match &report.pairs[..] {
        [pair] if report.only_some => impact::client_sentence(pair),
        _ => None,
    }
}

pub(crate) fn summary(summary: &Summary) -> String {
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
