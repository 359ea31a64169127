//! Copies of one function: `static inline` functions of a header, compiled into every file that includes it.
//!
//! Copies are calls to the same code, so all calls can go to the first of them, which is then judged once. Two procedures are copies if they have one
//! name and place in the source, their blocks are equal (with calls of copies taken as equal), so are the C types of their variables, and
//! nobody takes an address of either: nothing can then tell one from the other. A copy with a static variable of its own names another
//! global, so it is none.

use crate::ctype::CTypes;
use crate::graph::calls::CallGraph;
use crate::ids::ProcId;
use crate::program::{Block, Linkage, Procedure, Program};
use crate::stmt::{Callee, StmtKind};
use std::collections::{BTreeMap, BTreeSet};

/// Has all calls of copies go to the first one. Gives the others, which nobody calls any more.
pub fn merge_copies(program: &mut Program) -> BTreeSet<ProcId> {
    let graph = CallGraph::of(program);
    if !graph.is_complete() || program.assembly {
        return BTreeSet::new();
    }
    let taken: BTreeSet<ProcId> = graph.address_taken().iter().copied().collect();
    let mut groups: BTreeMap<(&str, crate::stmt::Loc), Vec<ProcId>> = BTreeMap::new();
    for id in program.procedure_ids() {
        let procedure = program.procedure(id);
        let own = procedure.linkage == Linkage::Internal && procedure.is_supported();
        if own && procedure.loc.is_known() && !taken.contains(&id) {
            groups.entry((&procedure.name, procedure.loc)).or_default().push(id);
        }
    }
    // All are taken for copies until they are found not to be.
    let mut first: BTreeMap<ProcId, ProcId> = BTreeMap::new();
    for group in groups.into_values() {
        first.extend(group[1..].iter().map(|id| (*id, group[0])));
    }
    loop {
        let differs = |(id, to): (&ProcId, &ProcId)| {
            let (a, b) = (program.procedure(*id), program.procedure(*to));
            (!are_equal(&program.ctypes, &first, a, b)).then_some(*id)
        };
        let others: Vec<ProcId> = first.iter().filter_map(differs).collect();
        if others.is_empty() {
            break;
        }
        first.retain(|id, _| !others.contains(id));
    }
    for procedure in &mut program.procedures {
        redirect(&mut procedure.blocks, &first);
    }
    first.into_keys().collect()
}

fn are_equal(
    types: &CTypes,
    first: &BTreeMap<ProcId, ProcId>,
    a: &Procedure,
    b: &Procedure,
) -> bool {
    let blocks = |procedure: &Procedure| {
        let mut blocks = procedure.blocks.clone();
        redirect(&mut blocks, first);
        blocks
    };
    let text = |ctype: &Option<crate::ids::CTypeId>| ctype.map(|id| types.display(id));
    let vars = |procedure: &Procedure| -> Vec<_> {
        procedure.vars.iter().map(|v| (v.name.clone(), v.ty, text(&v.ctype), v.kind)).collect()
    };
    let locals = |procedure: &Procedure| -> Vec<_> {
        let one = |l: &crate::program::Local| (l.name.clone(), l.size, l.align, text(&l.ctype));
        procedure.locals.iter().map(one).collect()
    };
    a.params == b.params
        && a.results == b.results
        && a.variadic == b.variadic
        && text(&a.ctype) == text(&b.ctype)
        && vars(a) == vars(b)
        && locals(a) == locals(b)
        && blocks(a) == blocks(b)
}

fn redirect(blocks: &mut [Block], first: &BTreeMap<ProcId, ProcId>) {
    for stmt in blocks.iter_mut().flat_map(|block| &mut block.stmts) {
        if let StmtKind::Call { callee: Callee::Procedure(id), .. } = &mut stmt.kind
            && let Some(to) = first.get(id)
        {
            *id = *to;
        }
    }
}
