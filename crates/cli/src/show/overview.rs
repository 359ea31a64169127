//! What follows the code: who calls whom, which loops there are, what is unsupported.

use crate::paint::Paint;
use std::collections::BTreeSet;
use std::io::{self, Write};
use verdiff_model::graph::calls::CallTarget;
use verdiff_model::graph::{CallGraph, DominatorTree, Flow, Loops};
use verdiff_model::print::Printer;
use verdiff_model::{BlockId, ExternalKind, Loc, ProcId, Procedure, Program};

/// The tables below the code.
pub struct Overview {
    calls: Vec<[String; 2]>,
    loops: Vec<[String; 3]>,
    unsupported: Vec<[String; 3]>,
    procedures: usize,
    loop_count: usize,
    unsupported_count: usize,
}

impl Overview {
    /// The tables for some procedures of a program.
    pub fn new(program: &Program, printer: &Printer<'_>, chosen: &[ProcId]) -> Overview {
        let mut overview = Overview {
            calls: call_rows(program, printer, chosen),
            loops: Vec::new(),
            unsupported: Vec::new(),
            procedures: chosen.len(),
            loop_count: 0,
            unsupported_count: 0,
        };
        for id in chosen {
            overview.add_loops(program, printer, *id);
            let procedure = program.procedure(*id);
            for unsupported in &procedure.unsupported {
                overview.unsupported.push([
                    printer.procedure_name(*id).to_owned(),
                    place(program, unsupported.loc),
                    unsupported.construct.clone(),
                ]);
            }
            overview.unsupported_count += usize::from(!procedure.is_supported());
        }
        overview
    }

    fn add_loops(&mut self, program: &Program, printer: &Printer<'_>, id: ProcId) {
        let procedure = program.procedure(id);
        let flow = Flow::of(procedure);
        let loops = Loops::of(&flow, &DominatorTree::of(&flow));
        let name = || printer.procedure_name(id).to_owned();
        for (_, natural) in loops.iter() {
            let depth = match natural.depth {
                1 => String::new(),
                depth => format!("depth {depth}"),
            };
            let at = place(program, block_loc(procedure, natural.header));
            self.loops.push([name(), at, depth]);
        }
        for region in loops.irreducible() {
            let first = region.entries.first().copied().unwrap_or(Procedure::ENTRY);
            let note = format!("a cycle with {} entries", region.entries.len());
            self.loops.push([name(), place(program, block_loc(procedure, first)), note]);
        }
        self.loop_count += loops.len() + loops.irreducible().len();
    }

    /// Writes the tables, each only if there is something in it, and the sum of it all.
    pub fn write(&self, out: &mut impl Write, paint: Paint) -> io::Result<()> {
        table(out, "Calls, callees first", paint.title, &self.calls)?;
        table(out, "Loops", paint.title, &self.loops)?;
        table(out, "Unsupported", paint.alarm, &self.unsupported)?;
        let counted = |n: usize, one: &str| format!("{n} {one}{}", if n == 1 { "" } else { "s" });
        write!(
            out,
            "\n{}, {}, ",
            counted(self.procedures, "procedure"),
            counted(self.loop_count, "loop")
        )?;
        match self.unsupported_count {
            0 => writeln!(out, "none unsupported"),
            n => writeln!(out, "{0}{n} unsupported{0:#}", paint.alarm),
        }
    }
}

/// One row for each procedure that calls something, in the order in which they would be
/// compared: callees before callers.
fn call_rows(program: &Program, printer: &Printer<'_>, chosen: &[ProcId]) -> Vec<[String; 2]> {
    let graph = CallGraph::of(program);
    let mut rows = Vec::new();
    for id in graph.components().iter().flatten() {
        if chosen.binary_search(id).is_err() {
            continue;
        }
        let mut inside = BTreeSet::new();
        let mut outside = BTreeSet::new();
        let mut pointer = false;
        for site in graph.sites(*id) {
            match &site.target {
                CallTarget::Procedure(p) => drop(inside.insert(printer.procedure_name(*p))),
                CallTarget::External(e) => {
                    let external = program.external(*e);
                    outside.insert(match external.kind {
                        ExternalKind::Assembly => "inline assembly",
                        _ => external.name.as_str(),
                    });
                }
                CallTarget::Indirect(_) | CallTarget::Unknown => pointer = true,
            }
        }
        let mut parts: Vec<String> = inside.iter().map(|s| (*s).to_owned()).collect();
        if pointer {
            parts.push(through_pointer(&graph, printer, *id));
        }
        if !outside.is_empty() {
            let list: Vec<&str> = outside.into_iter().collect();
            parts.push(format!("external: {}", list.join(", ")));
        }
        if parts.is_empty() {
            continue;
        }
        let recursive = if graph.is_recursive(*id) { "  (recursive)" } else { "" };
        let row = format!("-> {}{recursive}", parts.join(", "));
        rows.push([printer.procedure_name(*id).to_owned(), row]);
    }
    rows
}

/// What the calls through pointers in a procedure may reach.
fn through_pointer(graph: &CallGraph, printer: &Printer<'_>, id: ProcId) -> String {
    const SHOWN: usize = 6;
    let mut targets = BTreeSet::new();
    for site in graph.sites(id) {
        if let CallTarget::Indirect(signature) = &site.target {
            targets.extend(graph.indirect_targets(signature));
        }
    }
    let names: Vec<&str> = targets.iter().map(|p| printer.procedure_name(*p)).collect();
    match names.len() {
        0 => "a pointer".to_owned(),
        n if n <= SHOWN => format!("a pointer ({})", names.join(", ")),
        n => format!("a pointer ({}, {} more)", names[..SHOWN].join(", "), n - SHOWN),
    }
}

/// A table with a title: columns flush left, the last as it is.
fn table<const N: usize>(
    out: &mut impl Write,
    title: &str,
    style: anstyle::Style,
    rows: &[[String; N]],
) -> io::Result<()> {
    if rows.is_empty() {
        return Ok(());
    }
    writeln!(out, "\n{style}{title}{style:#}")?;
    let width =
        |column: usize| rows.iter().map(|r| r[column].chars().count()).max().unwrap_or_default();
    let widths: Vec<usize> = (0..N).map(width).collect();
    for row in rows {
        let mut line = String::from(" ");
        for (cell, width) in row.iter().zip(&widths) {
            line.push_str(&format!(" {cell:width$} "));
        }
        writeln!(out, "{}", line.trim_end())?;
    }
    Ok(())
}

/// Where a block begins in the source.
fn block_loc(procedure: &Procedure, block: BlockId) -> Loc {
    let block = procedure.block(block);
    let locs = block.stmts.iter().map(|s| s.loc).chain([block.end.loc]);
    locs.into_iter().find(|l| l.is_known()).unwrap_or(Loc::NONE)
}

fn place(program: &Program, loc: Loc) -> String {
    if loc.is_known() {
        format!("{}:{}", program.file(loc.file), loc.line)
    } else {
        "unknown location".to_owned()
    }
}
