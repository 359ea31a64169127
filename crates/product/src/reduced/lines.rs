//! Lines that do not depend on what stands elsewhere in a file.
//!
//! The lines of each procedure in a part follow those of the one before, from 1 on, and those of the new version follow those of the old
//! one. So an edit above or between procedures changes none of them, and each line of the part is one line of one
//! version: the lines of an answer can be translated back without knowing which procedure is meant.

use std::collections::BTreeMap;
use verdiff_model::{Block, FileId, Loc, Procedure, Program};

/// Consecutive lines of one file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Stretch {
    /// The first of them in the part.
    here: u32,
    /// The same in the whole program.
    there: u32,
    count: u32,
}

/// The lines of one version's part.
#[derive(Clone, Debug, Default)]
pub(super) struct Lines {
    /// In order.
    stretches: Vec<Stretch>,
    /// The first line behind them.
    pub(super) end: u32,
}

/// The lines of one procedure: for each file, what is to be added.
pub(super) type Moved = BTreeMap<FileId, i64>;

impl Lines {
    /// Gives lines from `first` on to these procedures; and by how much those of each are moved.
    pub(super) fn of(
        program: &Program,
        procedures: &[&Procedure],
        first: u32,
    ) -> (Lines, Vec<Moved>) {
        let mut spans: Vec<(&str, u32, u32, usize, FileId)> = vec![];
        for (number, procedure) in procedures.iter().enumerate() {
            let mut files: BTreeMap<FileId, (u32, u32)> = BTreeMap::new();
            for_each_place(procedure, &mut |loc| {
                let span = files.entry(loc.file).or_insert((loc.line, loc.line));
                *span = (span.0.min(loc.line), span.1.max(loc.line));
            });
            let span = |(file, (first, last)): (FileId, (u32, u32))| {
                (program.file(file), first, last, number, file)
            };
            spans.extend(files.into_iter().map(span));
        }
        // In the order of the source, as far as procedures do not overlap: the first and the last of some lines stay so.
        spans.sort_unstable();
        let mut lines = Lines { stretches: vec![], end: first };
        let mut moved = vec![Moved::new(); procedures.len()];
        for (_, first, last, number, file) in spans {
            let count = last - first + 1;
            let next = lines.end;
            lines.stretches.push(Stretch { here: next, there: first, count });
            moved[number].insert(file, i64::from(next) - i64::from(first));
            lines.end = next.saturating_add(count);
        }
        (lines, moved)
    }

    /// A line of the part in the whole program.
    pub(super) fn back(&self, line: u32) -> Option<u32> {
        let at = self.stretches.partition_point(|stretch| stretch.here <= line);
        let stretch = self.stretches.get(at.checked_sub(1)?)?;
        let offset = line - stretch.here;
        (offset < stretch.count).then(|| stretch.there + offset)
    }
}

pub(super) fn for_each_place(procedure: &Procedure, visit: &mut dyn FnMut(Loc)) {
    let mut visit = |loc: Loc| {
        if loc.is_known() {
            visit(loc);
        }
    };
    visit(procedure.loc);
    procedure.unsupported.iter().for_each(|what| visit(what.loc));
    let body = procedure.with_holes.as_deref();
    let locals = procedure.locals.iter().chain(body.iter().flat_map(|body| &body.locals));
    locals.for_each(|local| visit(local.loc));
    for block in procedure.blocks.iter().chain(body.iter().flat_map(|body| &body.blocks)) {
        block.stmts.iter().for_each(|stmt| visit(stmt.loc));
        visit(block.end.loc);
    }
}

/// Changes all places of a procedure.
pub(super) fn change_places(procedure: &mut Procedure, change: &dyn Fn(Loc) -> Loc) {
    let blocks = |blocks: &mut [Block]| {
        for block in blocks {
            block.stmts.iter_mut().for_each(|stmt| stmt.loc = change(stmt.loc));
            block.end.loc = change(block.end.loc);
        }
    };
    procedure.loc = change(procedure.loc);
    procedure.unsupported.iter_mut().for_each(|what| what.loc = change(what.loc));
    procedure.locals.iter_mut().for_each(|local| local.loc = change(local.loc));
    blocks(&mut procedure.blocks);
    if let Some(body) = &mut procedure.with_holes {
        body.locals.iter_mut().for_each(|local| local.loc = change(local.loc));
        blocks(&mut body.blocks);
    }
}
