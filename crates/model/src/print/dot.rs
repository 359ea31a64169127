//! Graphviz text.

use super::code::{Printer, case_label};
use crate::graph::CallGraph;
use crate::graph::calls::CallTarget;
use crate::ids::{BlockId, ExternId, ProcId};
use crate::program::Program;
use crate::stmt::TerminatorKind;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

/// The call graph. Procedures are boxes, with a double border if they are recursive, externals
/// are ellipses; a dashed edge is a call through a pointer.
pub fn call_graph(program: &Program) -> String {
    let printer = Printer::new(program);
    let calls = CallGraph::of(program);
    let mut out = String::from("digraph calls {\n    node [shape=box, fontname=monospace];\n");
    for id in program.procedure_ids() {
        let twice = if calls.is_recursive(id) { ", peripheries=2" } else { "" };
        let grey = if program.procedure(id).is_supported() { "" } else { ", style=dashed" };
        let label = quoted(printer.procedure_name(id));
        let _ = writeln!(out, "    p{} [label={label}{twice}{grey}];", id.0);
    }
    let mut externals: BTreeSet<ExternId> = BTreeSet::new();
    let mut edges = String::new();
    for id in program.procedure_ids() {
        let mut direct = BTreeSet::new();
        for site in calls.sites(id) {
            if let CallTarget::Procedure(p) = site.target {
                direct.insert(p);
            }
        }
        for callee in calls.callees(id) {
            let style = if direct.contains(callee) { "" } else { " [style=dashed]" };
            let _ = writeln!(edges, "    p{} -> p{}{style};", id.0, callee.0);
        }
        for callee in calls.externals(id) {
            externals.insert(*callee);
            let _ = writeln!(edges, "    p{} -> x{};", id.0, callee.0);
        }
    }
    for id in externals {
        let label = quoted(&program.external(id).name);
        let _ = writeln!(out, "    x{} [label={label}, shape=ellipse];", id.0);
    }
    out.push_str(&edges);
    out.push_str("}\n");
    out
}

/// The control flow of one procedure, each block with its statements.
pub fn control_flow(program: &Program, id: ProcId) -> String {
    let printer = Printer::new(program);
    let procedure = program.procedure(id);
    let name = quoted(printer.procedure_name(id));
    let mut out = format!("digraph {name} {{\n    node [shape=box, fontname=monospace];\n");
    for (i, lines) in printer.block_lines(id).into_iter().enumerate() {
        // `\l` ends a line that is set flush left.
        let mut label = format!("{:?}:\\l", BlockId::new(i));
        for line in lines {
            label.push_str(&escaped(&line));
            label.push_str("\\l");
        }
        let _ = writeln!(out, "    b{i} [label=\"{label}\"];");
    }
    for (i, block) in procedure.blocks.iter().enumerate() {
        for (target, label) in edges(&block.end.kind, |e| procedure.type_of(e)) {
            let label = label.map(|l| format!(" [label={}]", quoted(&l))).unwrap_or_default();
            let _ = writeln!(out, "    b{i} -> {target:?}{label};");
        }
    }
    out.push_str("}\n");
    out
}

fn edges(
    end: &TerminatorKind,
    type_of: impl Fn(&crate::Expr) -> crate::Type,
) -> Vec<(BlockId, Option<String>)> {
    match end {
        TerminatorKind::Goto(b) => vec![(*b, None)],
        TerminatorKind::Branch { then, otherwise, .. } => {
            vec![(*then, Some("true".to_owned())), (*otherwise, Some("false".to_owned()))]
        }
        TerminatorKind::Switch { value, cases, default } => {
            let ty = type_of(value);
            let mut by_target: BTreeMap<BlockId, Vec<String>> = BTreeMap::new();
            for (bits, b) in cases {
                by_target.entry(*b).or_default().push(case_label(ty, *bits));
            }
            by_target.entry(*default).or_default().push("default".to_owned());
            by_target.into_iter().map(|(b, labels)| (b, Some(labels.join(", ")))).collect()
        }
        TerminatorKind::Return(_) | TerminatorKind::Trap(_) => vec![],
    }
}

fn quoted(text: &str) -> String {
    format!("\"{}\"", escaped(text))
}

/// Backslashes and quotes are Graphviz's own; a line break would end the label's line.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\\' => out.push_str("\\\\"),
            '"' => out.push_str("\\\""),
            '\n' => out.push_str("\\n"),
            c => out.push(c),
        }
    }
    out
}
