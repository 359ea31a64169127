//! The lines that the counterexample executes, marked in the excerpt on a terminal: a heavy bar behind their numbers.
//!
//! Text without colours goes to files, scripts and pages, where it stays as it is.

use super::lines::FunctionText;
use super::paint::Paint;
use crate::executed::{Parting, parting};
use crate::function_diff::side_by_side;
use crate::report::PairReport;

/// Behind the number of a line that is executed.
const EXECUTED: char = '┃';
/// Behind the number of any other line.
const OTHER: char = '|';

/// What is marked.
#[derive(Default)]
pub(super) struct ExecutedLines {
    lines: [Vec<u32>; 2],
    /// What the marks mean; nothing if there are none.
    pub(super) legend: Option<String>,
}

impl ExecutedLines {
    /// The marks of a pair; none if its counterexample cannot be followed, or colours are off.
    pub(super) fn of(
        pair: &PairReport,
        old: &FunctionText,
        new: &FunctionText,
        paint: &Paint,
    ) -> ExecutedLines {
        let Some(witness) = pair.witness.as_ref().filter(|_| paint.is_coloured) else {
            return ExecutedLines::default();
        };
        let parting = parting(&witness.executed, &side_by_side(old, new));
        if parting.lines.iter().any(Vec::is_empty) {
            return ExecutedLines::default();
        }
        let legend = Some(format!("{EXECUTED} {}", parting.sentence()));
        let Parting { lines, .. } = parting;
        ExecutedLines { lines, legend }
    }

    /// What stands behind the number of a line, which has a number in each version that has it.
    pub(super) fn bar(&self, old: Option<u32>, new: Option<u32>) -> char {
        let is_executed = [old, new]
            .into_iter()
            .zip(&self.lines)
            .any(|(line, lines)| line.is_some_and(|line| lines.binary_search(&line).is_ok()));
        if is_executed { EXECUTED } else { OTHER }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_marked_if_either_version_executes_it() {
        let executed = ExecutedLines { lines: [vec![3, 4], vec![3, 6]], legend: None };
        assert_eq!(executed.bar(Some(4), None), EXECUTED);
        assert_eq!(executed.bar(Some(5), Some(6)), EXECUTED);
        assert_eq!(executed.bar(None, Some(4)), OTHER);
        assert_eq!(ExecutedLines::default().bar(Some(3), Some(3)), OTHER);
    }
}
