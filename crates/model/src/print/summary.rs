//! What `verdiff show --json` prints: the schema `verdiff-model/1`. Fields may be added,
//! never renamed.

use crate::graph::calls::CallTarget;
use crate::graph::{CallGraph, DominatorTree, Flow, Loops};
use crate::ids::ProcId;
use crate::program::{ExternalKind, Program};
use serde::Serialize;
use std::collections::BTreeSet;

/// The name of the schema.
pub const SCHEMA: &str = "verdiff-model/1";

/// A program in brief.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Summary {
    /// Always [`SCHEMA`].
    pub schema: &'static str,
    /// The procedures, in the program's order.
    pub procedures: Vec<ProcedureSummary>,
}

/// A procedure in brief.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ProcedureSummary {
    /// The name in the source.
    pub name: String,
    /// The file it is defined in, empty if unknown.
    pub file: String,
    /// The line, 0 if unknown.
    pub line: u32,
    /// How many loops it has; a cycle with several entries counts as one.
    pub loops: usize,
    /// The names of the functions that it calls by name, sorted, each once.
    pub calls: Vec<String>,
    /// The first construct that could not be lowered.
    pub unsupported: Option<UnsupportedSummary>,
}

/// A construct that could not be lowered.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct UnsupportedSummary {
    /// In words.
    pub construct: String,
    /// The file, empty if unknown.
    pub file: String,
    /// The line, 0 if unknown.
    pub line: u32,
}

impl Summary {
    /// A program in brief.
    pub fn of(program: &Program) -> Summary {
        let calls = CallGraph::of(program);
        let procedures = program.procedure_ids().map(|id| summarise(program, &calls, id)).collect();
        Summary { schema: SCHEMA, procedures }
    }
}

fn summarise(program: &Program, calls: &CallGraph, id: ProcId) -> ProcedureSummary {
    let procedure = program.procedure(id);
    let file = |loc: crate::Loc| {
        if loc.is_known() { program.file(loc.file).to_owned() } else { String::new() }
    };
    let flow = Flow::of(procedure);
    let loops = Loops::of(&flow, &DominatorTree::of(&flow));
    let names: BTreeSet<&str> = calls
        .sites(id)
        .iter()
        .filter_map(|site| match &site.target {
            CallTarget::Procedure(p) => Some(program.procedure(*p).name.as_str()),
            CallTarget::External(x) => {
                let external = program.external(*x);
                (external.kind == ExternalKind::Function).then_some(external.name.as_str())
            }
            CallTarget::Indirect(_) | CallTarget::Unknown => None,
        })
        .collect();
    ProcedureSummary {
        name: procedure.name.clone(),
        file: file(procedure.loc),
        line: procedure.loc.line,
        loops: loops.len() + loops.irreducible().len(),
        calls: names.into_iter().map(str::to_owned).collect(),
        unsupported: procedure.unsupported.first().map(|u| UnsupportedSummary {
            construct: u.construct.clone(),
            file: file(u.loc),
            line: u.loc.line,
        }),
    }
}
