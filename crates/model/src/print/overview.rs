//! What is in a program, a few lines for each procedure: what `verdiff show` begins with.

use super::code::Printer;
use super::summary::Summary;
use crate::graph::{CallGraph, DominatorTree, Flow, Loops};
use crate::ids::{BlockId, ProcId};
use crate::program::{Procedure, Program};
use std::fmt::Write;

/// Every procedure with its loops, calls, whether it is recursive, and what is unsupported.
pub fn overview(program: &Program) -> String {
    let printer = Printer::new(program);
    let calls = CallGraph::of(program);
    let summary = Summary::of(program);
    let mut out = String::new();
    for (id, brief) in program.procedure_ids().zip(&summary.procedures) {
        let procedure = program.procedure(id);
        let _ = writeln!(out, "{}", printer.signature(id));
        for unsupported in &procedure.unsupported {
            let at = match unsupported.loc {
                loc if loc.is_known() => format!(" at {}:{}", program.file(loc.file), loc.line),
                _ => String::new(),
            };
            let _ = writeln!(out, "    unsupported: {}{at}", unsupported.construct);
        }
        loops(procedure, &mut out);
        if !brief.calls.is_empty() {
            let _ = writeln!(out, "    calls {}", brief.calls.join(", "));
        }
        pointer_calls(&printer, &calls, id, &mut out);
        if calls.is_recursive(id) {
            let component = &calls.components()[calls.component_of(id)];
            let others: Vec<&str> = component
                .iter()
                .filter(|p| **p != id)
                .map(|p| printer.procedure_name(*p))
                .collect();
            let with = match others.is_empty() {
                true => String::new(),
                false => format!(", with {}", others.join(", ")),
            };
            let _ = writeln!(out, "    recursive{with}");
        }
    }
    out
}

/// The loops, inner ones further to the right.
fn loops(procedure: &Procedure, out: &mut String) {
    let flow = Flow::of(procedure);
    let loops = Loops::of(&flow, &DominatorTree::of(&flow));
    let line = |b: BlockId| {
        let block = procedure.block(b);
        let locs = block.stmts.iter().map(|s| s.loc).chain([block.end.loc]);
        match locs.into_iter().find(|l| l.is_known()) {
            Some(loc) => format!("line {}", loc.line),
            None => format!("{b:?}"),
        }
    };
    for (_, l) in loops.iter() {
        let indent = "  ".repeat(l.depth as usize + 1);
        let _ = writeln!(out, "{indent}loop at {}", line(l.header));
    }
    for region in loops.irreducible() {
        let entries: Vec<String> = region.entries.iter().map(|b| line(*b)).collect();
        let _ = writeln!(out, "    loop with several entries, at {}", entries.join(", "));
    }
}

fn pointer_calls(printer: &Printer, calls: &CallGraph, id: ProcId, out: &mut String) {
    use crate::graph::calls::CallTarget;
    let sites = calls.sites(id).iter();
    let direct: Vec<ProcId> = sites
        .clone()
        .filter_map(|s| match s.target {
            CallTarget::Procedure(p) => Some(p),
            _ => None,
        })
        .collect();
    let through_pointers =
        sites.filter(|s| matches!(s.target, CallTarget::Indirect(_) | CallTarget::Unknown)).count();
    if through_pointers == 0 {
        return;
    }
    let targets: Vec<&str> = calls
        .callees(id)
        .iter()
        .filter(|p| !direct.contains(p))
        .map(|p| printer.procedure_name(*p))
        .collect();
    let may = match targets.is_empty() {
        true => String::new(),
        false => format!(", to {}", targets.join(", ")),
    };
    let _ = writeln!(out, "    {through_pointers} calls through pointers{may}");
}
