//! The changed lines of a function, with the reason under them.

use super::executed_lines::ExecutedLines;
use super::paint::{Paint, painted};
use similar::{ChangeTag, TextDiff};
use verdiff_judge::SourceLocation;

/// How many unchanged lines stand around a changed one.
const CONTEXT: usize = 2;
/// How many lines are shown of one function.
const MOST: usize = 40;

/// A remark on a line.
pub(super) struct Remark {
    /// The line it stands under: whether it is the new version's, and its number.
    pub(super) at: Option<(bool, u32)>,
    /// Its text.
    pub(super) text: String,
}

/// The text of one version's function.
pub(crate) struct FunctionText {
    /// The line on which it begins.
    pub(crate) first: u32,
    /// All of it.
    pub(crate) text: String,
}

impl FunctionText {
    /// Cuts a function out of its file: from the line it is said to begin on to the brace that
    /// closes it. `None` if there is no such thing there (a macro made the function).
    pub(crate) fn of(source: &str, place: &SourceLocation) -> Option<FunctionText> {
        let skip = usize::try_from(place.line.checked_sub(1)?).ok()?;
        let start: usize = source.split_inclusive('\n').take(skip).map(str::len).sum();
        let text = source.get(start..)?;
        let end = end_of_function(text)?;
        Some(FunctionText { first: place.line, text: text[..end].to_owned() })
    }
}

/// Where the first block that opens is closed again, comments and literals left aside.
fn end_of_function(text: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    let (mut at, mut depth) = (0, 0usize);
    while at < bytes.len() {
        let rest = &text.as_bytes()[at..];
        match bytes[at] {
            b'{' => depth += 1,
            b'}' => {
                depth = depth.checked_sub(1)?;
                if depth == 0 {
                    return Some(at + 1);
                }
            }
            // A declaration, not a definition.
            b';' if depth == 0 => return None,
            quote @ (b'"' | b'\'') => at += skip_literal(rest, quote),
            b'/' if rest.starts_with(b"/*") => {
                at +=
                    rest.windows(2).skip(2).position(|w| w == b"*/").map_or(rest.len(), |p| p + 3);
            }
            b'/' if rest.starts_with(b"//") => {
                at += rest.iter().position(|b| *b == b'\n').unwrap_or(rest.len());
            }
            _ => {}
        }
        at += 1;
    }
    None
}

/// How far the end of a literal is from its beginning.
fn skip_literal(rest: &[u8], quote: u8) -> usize {
    let mut at = 1;
    while at < rest.len() && rest[at] != quote {
        at += if rest[at] == b'\\' { 2 } else { 1 };
    }
    at
}

/// The changed lines of both bodies, and the remarks under the lines they are about, or at the end.
pub(super) fn changed_lines(
    old: &FunctionText,
    new: &FunctionText,
    remarks: &[Remark],
    executed: &ExecutedLines,
    paint: &Paint,
) -> Vec<String> {
    let diff = TextDiff::from_lines(&old.text, &new.text);
    let mut lines = vec![];
    // Which line each remark became.
    let mut shown_at: Vec<Option<usize>> = vec![None; remarks.len()];
    let groups = diff.grouped_ops(CONTEXT);
    let count = |body: &FunctionText| body.first as usize + body.text.lines().count();
    let digits = count(old).max(count(new)).to_string().len();
    for (index, group) in groups.iter().enumerate() {
        if index > 0 {
            lines.push(format!("  {:>digits$}   …", ""));
        }
        for change in group.iter().flat_map(|op| diff.iter_changes(op)) {
            let number = |body: &FunctionText, index: Option<usize>| {
                index.and_then(|index| u32::try_from(index).ok()).map(|index| body.first + index)
            };
            let in_old = number(old, change.old_index());
            let in_new = number(new, change.new_index());
            let (sign, style) = match change.tag() {
                ChangeTag::Delete => ("-", paint.removed),
                ChangeTag::Insert => ("+", paint.added),
                ChangeTag::Equal => (" ", anstyle::Style::new()),
            };
            let line = in_new.or(in_old).unwrap_or(0);
            let code = printable(change.value());
            let bar = executed.bar(in_old, in_new);
            let text = format!("{sign} {line:>digits$} {bar} {code}");
            lines.push(painted(style, text.trim_end()));
            for (remark, shown_at) in remarks.iter().zip(&mut shown_at) {
                let here = match remark.at {
                    Some((true, line)) => in_new == Some(line),
                    Some((false, line)) => in_old == Some(line),
                    None => false,
                };
                if here && shown_at.is_none() {
                    *shown_at = Some(lines.len());
                    let indent = code.len() - code.trim_start().len();
                    let indent: String = code[..indent]
                        .chars()
                        .map(|c| if c == '\t' { '\t' } else { ' ' })
                        .collect();
                    let remark = painted(paint.bad, format!("^ {}", remark.text));
                    lines.push(format!("  {:>digits$} | {indent}{remark}", ""));
                }
            }
        }
    }
    if lines.len() > MOST {
        let more = lines.len() - MOST;
        lines.truncate(MOST);
        lines.push(format!("  {:>digits$}   … {more} more lines", ""));
    }
    if !lines.is_empty() {
        for (remark, _) in remarks
            .iter()
            .zip(shown_at)
            .filter(|(_, shown_at)| shown_at.is_none_or(|at| at >= MOST))
        {
            lines.push(format!("  {:>digits$} = {}", "", painted(paint.bad, &remark.text)));
        }
    }
    lines
}

/// A line of code without its end, and without what would move the cursor.
pub(super) fn printable(line: &str) -> String {
    let shown = |c: char| if c.is_control() && c != '\t' { '\u{fffd}' } else { c };
    line.trim_end_matches(['\n', '\r']).chars().map(shown).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn body(source: &str, line: u32) -> Option<String> {
        let place = SourceLocation { file: "a.c".to_owned(), line };
        FunctionText::of(source, &place).map(|body| body.text)
    }

    #[test]
    fn a_function_ends_with_its_brace() {
        let source = "int g;\nint f(void)\n{ /* } */ // }\n  char c = '}'; return \"}\\\"}\"[0] + '\\'';\n}\nint h;\n";
        let end = source.find("\nint h").unwrap();
        assert_eq!(body(source, 2).as_deref(), Some(&source[7..end]));
        assert_eq!(body(source, 1), None);
        assert_eq!(body(source, 0), None);
        assert_eq!(body(source, 60), None);
        assert_eq!(body("int f(void) {", 1), None);
        assert_eq!(body("int f(void) { /* ", 1), None);
        assert_eq!(body("int f(void) { \"", 1), None);
    }
}
