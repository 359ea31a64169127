//! The changed lines of a function in two columns, where the terminal is wide enough for them.

use super::executed_lines::ExecutedLines;
use super::lines::{FunctionText, Remark, printable};
use super::paint::{Paint, columns, cut, painted};
use crate::function_diff::{DiffRow, NumberedLine, side_by_side};
use verdiff_judge::Side;

/// Terminals of this width have room for both versions.
pub(super) const WIDE: usize = 150;
/// How many unchanged lines stand around a changed one.
const CONTEXT: usize = 2;
/// How many rows are shown of one function.
const MOST: usize = 40;

/// The changed lines of both bodies beside each other, and the remarks under the lines they are about, or at the end.
pub(super) fn wide_lines(
    old: &FunctionText,
    new: &FunctionText,
    remarks: &[Remark],
    executed: &ExecutedLines,
    paint: &Paint,
    width: usize,
) -> Vec<String> {
    let rows = side_by_side(old, new);
    let last = |side: fn(&DiffRow) -> Option<u32>| rows.iter().filter_map(side).max().unwrap_or(0);
    let number = |line: &Option<NumberedLine>| line.as_ref().map(|(number, _)| *number);
    let digits = last(|row| row.old.as_ref().map(|(number, _)| *number))
        .max(last(|row| row.new.as_ref().map(|(number, _)| *number)))
        .to_string()
        .len();
    // Two columns of equal width with a space between them; each has a sign, a number and a bar.
    let room = (width.saturating_sub(1) / 2).saturating_sub(digits + 5).max(20);
    let near = |at: usize| {
        let from = at.saturating_sub(CONTEXT);
        rows[from..rows.len().min(at + CONTEXT + 1)].iter().any(|row| row.changed)
    };
    let cell = |line: &Option<NumberedLine>, side: Side, sign: &str, style: anstyle::Style| {
        let (text, length) = match line {
            Some((number, text)) => {
                let text = cut(&printable(text).replace('\t', "    "), room);
                let bar = match side {
                    Side::Old => executed.bar(Some(*number), None),
                    Side::New => executed.bar(None, Some(*number)),
                };
                (format!("{sign} {number:>digits$} {bar} {text}"), columns(&text))
            }
            None => (" ".repeat(digits + 5), 0),
        };
        painted(style, text) + &" ".repeat(room - length)
    };
    let (mut lines, mut shown, mut skipped) = (vec![], vec![false; remarks.len()], false);
    let mut count = 0;
    for (at, row) in rows.iter().enumerate() {
        if !near(at) || count >= MOST {
            skipped = true;
            continue;
        }
        if std::mem::take(&mut skipped) && !lines.is_empty() {
            lines.push(format!("  {:>digits$}   …", ""));
        }
        count += 1;
        let plain = anstyle::Style::new();
        let (left, right) = match row.changed {
            true => (
                cell(&row.old, Side::Old, "-", paint.removed),
                cell(&row.new, Side::New, "+", paint.added),
            ),
            false => (cell(&row.old, Side::Old, " ", plain), cell(&row.new, Side::New, " ", plain)),
        };
        lines.push(format!("{left} {right}").trim_end().to_owned());
        for (remark, shown) in remarks.iter().zip(&mut shown) {
            let here = match remark.at {
                Some((true, line)) => number(&row.new) == Some(line),
                Some((false, line)) => number(&row.old) == Some(line),
                None => false,
            };
            if here && !*shown {
                *shown = true;
                let indent =
                    if remark.at.is_some_and(|(is_new, _)| is_new) { room + digits + 6 } else { 0 };
                let text = painted(paint.bad, format!("^ {}", remark.text));
                lines.push(format!("{:indent$}  {:>digits$} | {text}", "", ""));
            }
        }
    }
    if skipped && count >= MOST {
        lines.push(format!("  {:>digits$}   … more lines", ""));
    }
    if !lines.is_empty() {
        for (remark, _) in remarks.iter().zip(shown).filter(|(_, shown)| !shown) {
            lines.push(format!("  {:>digits$} = {}", "", painted(paint.bad, &remark.text)));
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::expect;

    #[test]
    fn both_versions_stand_beside_each_other() {
        let body = |text: &str| FunctionText { first: 8, text: text.to_owned() };
        let old = body("int f(int x)\n{\n\tif (x > 2)\n\t\treturn 1;\n\treturn 0;\n}");
        let new = body("int f(int x)\n{\n\treturn x > 3;\n}");
        let remarks =
            [Remark { at: Some((true, 10)), text: "the new version returns 0".to_owned() }];
        let lines =
            wide_lines(&old, &new, &remarks, &ExecutedLines::default(), &Paint::default(), 70);
        expect![[r#"
               8 | int f(int x)                   8 | int f(int x)
               9 | {                              9 | {
            - 10 |     if (x > 2)              + 10 |     return x > 3;
                                                    | ^ the new version returns 0
            - 11 |         return 1;
            - 12 |     return 0;
              13 | }                             11 | }"#]]
        .assert_eq(&lines.join("\n"));
    }
}
