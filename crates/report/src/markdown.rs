//! The report as Markdown (GitHub Flavored Markdown, which GitLab reads too), for comments and job summaries: the
//! result, a table, and folded details. It never has more than [`MOST_LINES`] lines.

use crate::report::{PairReport, Report};
use crate::sarif::{capitalised, changed_region, message};
use crate::summary::{Summary, is_unchanged, undecided_reason};
use crate::text::{conclusion, cut, rank, summary};
use crate::{impact, sentences, wording};
use verdiff_judge::{Answer, Changed, Side, Verdict};

/// No comment is longer.
pub const MOST_LINES: usize = 60;
/// The longest list of functions.
const MOST_ROWS: usize = 20;
/// The widest cell.
const WIDEST: usize = 160;

/// A report as Markdown.
pub fn markdown(report: &Report, sources: &dyn Fn(Side, &str) -> Option<String>) -> String {
    let mut lines = vec!["### verdiff".to_owned(), String::new()];
    let result = conclusion(report).map(|text| text.trim_start_matches("result: ").to_owned());
    let result = result.or_else(|| report.notes.first().cloned());
    lines.push(format!("**{}**", escaped(&capitalised(&result.unwrap_or_default()))));
    lines.push(String::new());
    if report.pairs.is_empty() && report.not_compared.is_empty() {
        return joined(lines);
    }
    if let Some([old, new]) = &report.revisions {
        lines.push(format!("{} and {}: {}", code(old), code(new), summary(&Summary::of(report))));
    } else {
        lines.push(summary(&Summary::of(report)));
    }
    lines.push(String::new());
    let mut pairs: Vec<&PairReport> = report.pairs.iter().filter(|pair| is_row(pair)).collect();
    pairs.sort_by_key(|pair| (weight(pair), rank(pair)));
    if !pairs.is_empty() {
        lines.push("| function | verdict | details |".to_owned());
        lines.push("|---|---|---|".to_owned());
        lines.extend(pairs.iter().take(MOST_ROWS).map(|pair| row(pair, sources)));
        lines.push(String::new());
        if pairs.len() > MOST_ROWS {
            lines.push(format!("… and {} more functions.", pairs.len() - MOST_ROWS));
            lines.push(String::new());
        }
    }
    let undecided = |pair: &&PairReport| {
        pair.impact.is_some() && matches!(pair.answer, Answer::Judged(Verdict::Unknown(_)))
    };
    let affected: Vec<&PairReport> = report.pairs.iter().filter(undecided).collect();
    let mut groups = impact::group_lines(&affected);
    if groups.len() > 3 {
        let more = groups.len() - 2;
        groups.truncate(2);
        groups.push(format!("{more} further changes may affect other functions"));
    }
    let files =
        report.not_compared.iter().take(3).map(|file| format!("{}: {}", file.file, file.why));
    for line in groups.into_iter().chain(files) {
        lines.push(format!("- {}", escaped(&line)));
    }
    if lines.last().is_some_and(|line| !line.is_empty()) {
        lines.push(String::new());
    }
    let end = format!("<sub>Assumptions: {}.</sub>", escaped(&report.assumed_shortly.join(", ")));
    add_details(&pairs, &mut lines);
    lines.push(end);
    joined(lines)
}

/// Folded details of as many functions as there is room for.
fn add_details(pairs: &[&PairReport], lines: &mut Vec<String>) {
    // Each block has three lines around its text; the last line of all is that of the assumptions.
    let mut left_out = 0;
    for pair in pairs.iter().filter(|pair| weight(pair) < 2) {
        let text = message(pair);
        if lines.len() + text.len() + 8 > MOST_LINES {
            left_out += 1;
            continue;
        }
        let name = escaped(&pair.function);
        lines.push(format!("<details><summary>{name}</summary>"));
        lines.push(String::new());
        lines.extend(text.iter().map(|line| format!("- {}", escaped(&cut(line, 4 * WIDEST)))));
        lines.push("</details>".to_owned());
        lines.push(String::new());
    }
    if left_out > 0 {
        let functions = if left_out == 1 { "function" } else { "functions" };
        lines.push(format!("The full report has details of {left_out} more {functions}."));
        lines.push(String::new());
    }
}

/// Functions with a row of their own: those that changed, and those that a change affects.
fn is_row(pair: &PairReport) -> bool {
    match &pair.answer {
        Answer::Added | Answer::Removed => true,
        Answer::Judged(Verdict::Unknown(_)) => pair.impact.is_none(),
        Answer::Judged(Verdict::Equivalent { .. }) => {
            !is_unchanged(pair) && pair.changed != Changed::Callees
        }
        _ => true,
    }
}

/// Differences first, then undecided functions, then the rest. Accepted differences belong to the rest.
fn weight(pair: &PairReport) -> u8 {
    match &pair.answer {
        _ if pair.accepted.is_some() => 2,
        Answer::Judged(Verdict::Different { .. }) | Answer::Interface => 0,
        Answer::Judged(Verdict::Unknown(_)) => 1,
        Answer::Judged(Verdict::Equivalent { .. }) => 2,
        Answer::Added | Answer::Removed => 3,
    }
}

fn row(pair: &PairReport, sources: &dyn Fn(Side, &str) -> Option<String>) -> String {
    let place = pair.new.as_ref().or(pair.old.as_ref());
    let at = place.map_or(String::new(), |place| {
        let line = match &pair.answer {
            Answer::Added | Answer::Removed => place.line,
            _ => changed_region(pair, sources).map_or(place.line, |(first, _)| first),
        };
        format!(" <sub>{}:{line}</sub>", escaped(&place.file))
    });
    let sign = match (&pair.answer, &pair.accepted) {
        (_, Some(_)) => "☑️ accepted",
        (Answer::Judged(Verdict::Equivalent { .. }), _) => "✅ equivalent",
        (Answer::Judged(Verdict::Different { .. }) | Answer::Interface, _) => "❌ different",
        (Answer::Judged(Verdict::Unknown(_)), _) => "❔ undecided",
        (Answer::Added, _) => "added",
        (Answer::Removed, _) => "removed",
    };
    format!("| {}{at} | {sign} | {} |", code(&pair.function), details(pair))
}

/// The most important thing about a function, for a cell of the table.
fn details(pair: &PairReport) -> String {
    if let Some(why) = &pair.accepted {
        return escaped(&cut(why, WIDEST));
    }
    let exact = matches!(pair.answer, Answer::Judged(Verdict::Different { exact: true }));
    match &pair.answer {
        Answer::Judged(Verdict::Equivalent { .. }) => {
            escaped(&cut(&wording::proved(pair).unwrap_or_default(), WIDEST))
        }
        Answer::Judged(Verdict::Different { .. }) if !pair.is_global() => {
            let kinds = wording::kinds(&pair.kinds).unwrap_or_default();
            // Without a condition for the difference, the first sentence would state when the versions are equal.
            let when = match wording::has_no_condition(pair) {
                true => None,
                false => wording::conditions(pair, exact, false).into_iter().next(),
            };
            let when = when.unwrap_or_else(|| "differs at least for one input".to_owned());
            escaped(&cut(&format!("{kinds}: {when}"), WIDEST))
        }
        Answer::Judged(Verdict::Different { .. }) => escaped(&cut(&pair.notes.join("; "), WIDEST)),
        Answer::Interface => "the signature changed".to_owned(),
        Answer::Judged(Verdict::Unknown(_)) => {
            let why = undecided_reason(pair).map(sentences::stop_reason).unwrap_or_default();
            escaped(&cut(&why, WIDEST))
        }
        Answer::Added | Answer::Removed => String::new(),
    }
}

/// Text that Markdown leaves as it is, also in a table.
fn escaped(text: &str) -> String {
    let mut out = String::new();
    for letter in text.chars() {
        match letter {
            '\\' | '`' | '*' | '_' | '[' | ']' | '|' | '~' | '#' => out.extend(['\\', letter]),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '&' => out.push_str("&amp;"),
            '\n' | '\r' => out.push(' '),
            // A name after this sign would notify somebody.
            '@' => out.push_str("&#64;"),
            letter => out.push(letter),
        }
    }
    out
}

/// A name as code.
fn code(text: &str) -> String {
    format!("`{}`", text.replace(['`', '\n'], " ").replace('|', "\\|"))
}

fn joined(lines: Vec<String>) -> String {
    let mut text = lines.join("\n");
    text.truncate(text.trim_end().len());
    text + "\n"
}
