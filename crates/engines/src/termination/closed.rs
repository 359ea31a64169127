//! What can be decided at all, seen before anything is executed.

use verdiff_judge::{Comparison, Side};
use verdiff_model::graph::{DominatorTree, Flow, Loops, calls::CallGraph};
use verdiff_model::{Callee, ExternalKind, ProcId, Procedure, Program, StmtKind};
use verdiff_symex::libc::{Ends, known_external};

/// Of each side and procedure, what it does itself.
pub struct Closed {
    graphs: [CallGraph; 2],
    own: [Vec<Own>; 2],
}

#[derive(Clone, Copy)]
struct Own {
    /// It is known, and all that it calls outside surely comes to an end, without calling back.
    closed: bool,
    /// It loops or recurses.
    cyclic: bool,
}

impl Closed {
    pub fn of(comparison: &Comparison) -> Closed {
        let graphs = Side::BOTH.map(|side| CallGraph::of(comparison.program(side)));
        let own = Side::BOTH.map(|side| {
            let program = comparison.program(side);
            let of = |id: ProcId| Own {
                closed: is_closed(program, program.procedure(id)),
                cyclic: loops(program.procedure(id)) || graphs[side.index()].is_recursive(id),
            };
            program.procedure_ids().map(of).collect()
        });
        Closed { graphs, own }
    }

    fn any(&self, side: Side, root: ProcId, test: impl Fn(&Own) -> bool) -> bool {
        let reached = self.graphs[side.index()].reachable_from(&[root]);
        reached.into_iter().any(|id| test(&self.own[side.index()][id.index()]))
    }

    /// Whether nothing in it may wait, or be called that is not known.
    pub fn is_closed(&self, side: Side, root: ProcId) -> bool {
        !self.any(side, root, |own| !own.closed)
    }

    /// Whether it loops or recurses, itself or in what it calls.
    pub fn is_cyclic(&self, side: Side, root: ProcId) -> bool {
        self.any(side, root, |own| own.cyclic)
    }
}

fn is_closed(program: &Program, procedure: &Procedure) -> bool {
    let calls = procedure.blocks.iter().flat_map(|b| &b.stmts).all(|s| match &s.kind {
        StmtKind::Call { callee: Callee::Indirect { .. }, .. } => false,
        StmtKind::Call { callee: Callee::External(e), .. } => {
            let external = program.external(*e);
            external.kind == ExternalKind::PureIntrinsic
                || known_external(external)
                    .is_some_and(|k| k.ends != Ends::Maybe && k.calls_back.is_empty())
        }
        _ => true,
    });
    procedure.is_supported() && calls
}

fn loops(procedure: &Procedure) -> bool {
    let flow = Flow::of(procedure);
    let loops = Loops::of(&flow, &DominatorTree::of(&flow));
    !loops.is_empty() || !loops.irreducible().is_empty()
}
