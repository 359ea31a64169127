//! The lines of both versions of a function, side by side.

use crate::report::PairReport;
use crate::text::FunctionText;
use similar::{DiffOp, TextDiff};
use verdiff_judge::{Side, SourceLocation};

/// One line of a version: its number and its text.
pub(crate) type NumberedLine = (u32, String);

/// A row of a side-by-side comparison.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct DiffRow {
    /// The old version's line.
    pub(crate) old: Option<NumberedLine>,
    /// The new version's line.
    pub(crate) new: Option<NumberedLine>,
    /// Whether the line changed.
    pub(crate) changed: bool,
}

/// The text of a file of one version, by the name that the report has for it.
pub(crate) type Sources<'a> = &'a dyn Fn(Side, &str) -> Option<String>;

/// The function in both versions, where its text is found.
pub(crate) fn bodies(pair: &PairReport, sources: Sources<'_>) -> [Option<FunctionText>; 2] {
    let body = |side: Side, place: &Option<SourceLocation>| {
        let place = place.as_ref()?;
        FunctionText::of(&sources(side, &place.file)?, place)
    };
    [body(Side::Old, &pair.old), body(Side::New, &pair.new)]
}

/// Both bodies, row by row. A block of changed lines stands beside the block that replaces it.
pub(crate) fn side_by_side(old: &FunctionText, new: &FunctionText) -> Vec<DiffRow> {
    let (left, right): (Vec<&str>, Vec<&str>) =
        (old.text.lines().collect(), new.text.lines().collect());
    let diff = TextDiff::from_slices(&left, &right);
    let line = |body: &FunctionText, lines: &[&str], index: usize| {
        Some((body.first + u32::try_from(index).ok()?, (*lines.get(index)?).to_owned()))
    };
    let mut rows = vec![];
    for op in diff.ops() {
        let (olds, news) = (op.old_range(), op.new_range());
        let changed = !matches!(op, DiffOp::Equal { .. });
        for at in 0..olds.len().max(news.len()) {
            rows.push(DiffRow {
                old: (at < olds.len()).then(|| line(old, &left, olds.start + at)).flatten(),
                new: (at < news.len()).then(|| line(new, &right, news.start + at)).flatten(),
                changed,
            });
        }
    }
    rows
}

/// The first and last changed line of the new version: where lines were only removed, the line that follows them.
pub(crate) fn changed_lines_of_new(rows: &[DiffRow]) -> Option<(u32, u32)> {
    let numbers = |rows: &[DiffRow]| -> Vec<u32> {
        rows.iter().filter(|row| row.changed).filter_map(|row| Some(row.new.as_ref()?.0)).collect()
    };
    let changed = numbers(rows);
    if let (Some(first), Some(last)) = (changed.first(), changed.last()) {
        return Some((*first, *last));
    }
    let removed = rows.iter().position(|row| row.changed)?;
    let next = rows[removed..].iter().chain(rows.iter().rev()).find_map(|row| row.new.as_ref())?.0;
    Some((next, next))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(old: &str, new: &str) -> Vec<DiffRow> {
        let body = |text: &str| FunctionText { first: 10, text: text.to_owned() };
        side_by_side(&body(old), &body(new))
    }

    #[test]
    fn changed_lines_stand_beside_each_other() {
        let rows = rows("a\nb\nc\nd", "a\nx\nd\ne");
        let shown: Vec<String> = rows
            .iter()
            .map(|row| {
                let side = |line: &Option<NumberedLine>| {
                    line.as_ref().map_or("-".to_owned(), |(n, text)| format!("{n}{text}"))
                };
                format!("{} {} {}", side(&row.old), side(&row.new), row.changed)
            })
            .collect();
        assert_eq!(
            shown,
            ["10a 10a false", "11b 11x true", "12c - true", "13d 12d false", "- 13e true"]
        );
        assert_eq!(changed_lines_of_new(&rows), Some((11, 13)));
    }

    #[test]
    fn removed_lines_are_located_at_the_line_behind_them() {
        assert_eq!(changed_lines_of_new(&rows("a\nb\nc", "a\nc")), Some((11, 11)));
        assert_eq!(changed_lines_of_new(&rows("a\nb", "a")), Some((10, 10)));
        assert_eq!(changed_lines_of_new(&rows("a", "a")), None);
    }
}
