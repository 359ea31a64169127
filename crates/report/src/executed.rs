//! The lines of a function that a counterexample executes, by the interpreter, and where the two executions diverge.
//!
//! Only lines of the function itself are recorded, not those of its callees. Where a run ends within a block, lines
//! are left out rather than said to be executed.

use crate::function_diff::DiffRow;
use std::collections::BTreeMap;
use verdiff_judge::{Candidate, Comparison, PairId, Side};
use verdiff_model::interp::{Limits, Machine, Observer};
use verdiff_model::state::End;
use verdiff_model::{BlockId, Loc, ProcId, Procedure};

/// How far a run is followed: what a reader would look at.
const STEPS: u64 = 100_000;
/// How many lines are recorded.
const MOST: usize = 4_000;

/// The lines that both versions execute from a counterexample, one after the other.
pub(crate) fn executed(
    comparison: &Comparison,
    pair: PairId,
    candidate: &Candidate,
) -> [Vec<u32>; 2] {
    Side::BOTH.map(|side| {
        let program = comparison.program(side);
        let id = comparison.pair(pair).of(side);
        let procedure = program.procedure(id);
        let entry = if side == Side::Old { &candidate.old } else { &candidate.new };
        let mut lines = Lines { id, procedure, depth: 0, found: vec![], block: 0 };
        if !procedure.is_supported() || !procedure.loc.is_known() {
            return vec![];
        }
        let limits = Limits { steps: STEPS, ..Limits::default() };
        let outcome = Machine::new(program).run_observed(id, entry, &limits, &mut lines);
        if !matches!(outcome.end, End::Returned(_)) {
            // The last block was not executed to its end.
            lines.found.truncate(lines.block + 1);
        }
        lines.found
    })
}

/// Watches the first frame of a run.
struct Lines<'a> {
    id: ProcId,
    procedure: &'a Procedure,
    depth: u32,
    found: Vec<u32>,
    /// Where the lines of the last block begin.
    block: usize,
}

impl Lines<'_> {
    fn add(&mut self, loc: Loc) {
        let is_own = loc.is_known() && loc.file == self.procedure.loc.file;
        if is_own && self.found.last() != Some(&loc.line) {
            self.found.push(loc.line);
        }
    }
}

impl Observer for Lines<'_> {
    fn call(&mut self, _: ProcId) {
        self.depth += 1;
    }

    fn leave(&mut self, _: ProcId) {
        self.depth -= 1;
    }

    fn block(&mut self, procedure: ProcId, block: BlockId) {
        if self.depth != 1 || procedure != self.id || self.found.len() >= MOST {
            return;
        }
        self.block = self.found.len();
        let block = &self.procedure.blocks[block.index()];
        let end = block.end.loc;
        block.stmts.iter().map(|stmt| stmt.loc).chain([end]).for_each(|loc| self.add(loc));
    }
}

/// What of two runs is shown.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Parting {
    /// The lines of either version, each once, up to where the runs part.
    pub(crate) lines: [Vec<u32>; 2],
    /// The last lines before they part; nothing if they execute the same lines to their ends.
    pub(crate) at: Option<[u32; 2]>,
}

impl Parting {
    /// What the lines are, in words.
    pub(crate) fn sentence(&self) -> String {
        match self.at {
            Some([old, new]) => format!(
                "executed with this input, until the two executions diverge after line {old} (old) and line {new} (new)"
            ),
            None => "executed with this input; both versions take the same path".to_owned(),
        }
    }
}

/// Finds where two runs part: they do where one goes on at another unchanged line than the other. Lines that only one
/// version has, or that changed, belong to what stands before them.
pub(crate) fn parting(runs: &[Vec<u32>; 2], rows: &[DiffRow]) -> Parting {
    let mut common: [BTreeMap<u32, usize>; 2] = Default::default();
    for (number, row) in rows.iter().enumerate().filter(|(_, row)| !row.changed) {
        for (map, line) in common.iter_mut().zip([&row.old, &row.new]) {
            map.extend(line.iter().map(|(line, _)| (*line, number)));
        }
    }
    // Where each unchanged line stands in a run, and in the rows.
    let unchanged = [0, 1].map(|side| -> Vec<(usize, usize)> {
        let run = runs[side].iter().enumerate();
        run.filter_map(|(at, line)| Some((at, *common[side].get(line)?))).collect()
    });
    let [old, new] = &unchanged;
    let same = old.iter().zip(new).take_while(|(old, new)| old.1 == new.1).count();
    let is_end = same == old.len() && same == new.len();
    let lines = [0, 1].map(|side| {
        // With the first line that the other version does not go on with.
        let end = unchanged[side].get(same).map_or(runs[side].len(), |(at, _)| at + 1);
        let mut lines = runs[side][..end].to_vec();
        lines.sort_unstable();
        lines.dedup();
        lines
    });
    let last = |side: usize| {
        let end = unchanged[side].get(same).map_or(runs[side].len(), |(at, _)| *at);
        runs[side].get(end.saturating_sub(1)).copied()
    };
    let at = last(0).zip(last(1)).map(|(old, new)| [old, new]).filter(|_| !is_end);
    Parting { lines, at }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Rows of lines that both versions have, or that changed: `=`, `-`, `+`, `~`.
    fn rows(signs: &str) -> Vec<DiffRow> {
        let mut numbers = [1, 1];
        let rows = signs.chars().map(|sign| {
            let mut take = |side: usize, other: char| {
                (sign != other).then(|| {
                    numbers[side] += 1;
                    (numbers[side] - 1, String::new())
                })
            };
            DiffRow { old: take(0, '+'), new: take(1, '-'), changed: sign != '=' }
        });
        rows.collect()
    }

    fn found(old: &[u32], new: &[u32], signs: &str) -> ([Vec<u32>; 2], Option<[u32; 2]>) {
        let Parting { lines, at } = parting(&[old.to_vec(), new.to_vec()], &rows(signs));
        (lines, at)
    }

    #[test]
    fn runs_part_at_the_first_unchanged_line_that_only_one_goes_on_with() {
        // if (~) { 3 } else { 4 } 5
        let (lines, at) = found(&[1, 2, 3, 5], &[1, 2, 4, 5], "=~===");
        assert_eq!(lines, [vec![1, 2, 3], vec![1, 2, 4]]);
        assert_eq!(at, Some([2, 2]));
    }

    #[test]
    fn a_line_of_one_version_does_not_part_them() {
        let (lines, at) = found(&[1, 2, 3], &[1, 2], "=-=");
        assert_eq!((lines, at), ([vec![1, 2, 3], vec![1, 2]], None));
    }

    #[test]
    fn a_loop_that_goes_on_in_one_version_parts_them() {
        let (lines, at) = found(&[1, 2, 3, 2, 4], &[1, 2, 3, 2, 3, 2, 4], "=~==");
        assert_eq!(lines, [vec![1, 2, 3, 4], vec![1, 2, 3]]);
        assert_eq!(at, Some([2, 2]));
    }

    #[test]
    fn one_that_ends_earlier_parts_from_the_other() {
        let (lines, at) = found(&[1, 2], &[1], "==");
        assert_eq!((lines, at), ([vec![1, 2], vec![1]], Some([1, 1])));
        assert_eq!(found(&[], &[], "=="), ([vec![], vec![]], None));
    }
}
