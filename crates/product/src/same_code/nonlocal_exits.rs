//! Which pairs may be left by `longjmp`.
//!
//! A procedure is left otherwise than by a return or a trap only in a call of something that is not part of the program, or not known: all that
//! it reaches is looked at. What is known of a library function says that it calls nobody back and returns; `longjmp` itself is none of those.

use verdiff_judge::{Comparison, PairId, Side};
use verdiff_model::graph::calls::{CallGraph, CallTarget};
use verdiff_model::{ExternId, ExternalKind, ProcId, Program};
use verdiff_symex::libc::{Ends, known_external};

/// The calls of both versions.
pub struct NonlocalExits<'c> {
    comparison: &'c Comparison,
    graphs: [CallGraph; 2],
}

impl<'c> NonlocalExits<'c> {
    /// Of a comparison.
    pub fn of(comparison: &'c Comparison) -> NonlocalExits<'c> {
        let graphs = Side::BOTH.map(|side| CallGraph::of(comparison.program(side)));
        NonlocalExits { comparison, graphs }
    }

    /// Whether a call of either version of a pair may be left by `longjmp`.
    pub fn may_be_left(&self, pair: PairId) -> bool {
        Side::BOTH.into_iter().any(|side| {
            let program = self.comparison.program(side);
            let graph = &self.graphs[side.index()];
            let reached = graph.reachable_from(&[self.comparison.pair(pair).of(side)]);
            reached.into_iter().any(|id| leaves(program, graph, id))
        })
    }
}

/// Whether a procedure itself may be left in a call of something unknown.
fn leaves(program: &Program, graph: &CallGraph, id: ProcId) -> bool {
    !program.procedure(id).is_supported()
        || graph.sites(id).iter().any(|site| match &site.target {
            CallTarget::Procedure(_) => false,
            CallTarget::External(external) => !returns(program, *external),
            CallTarget::Indirect(_) | CallTarget::Unknown => true,
        })
}

fn returns(program: &Program, id: ExternId) -> bool {
    let external = program.external(id);
    if external.kind == ExternalKind::PureIntrinsic {
        return true;
    }
    let known = known_external(external);
    !external.no_return && known.is_some_and(|k| k.ends == Ends::Always && k.calls_back.is_empty())
}
