//! What is found out once for a comparison: both programs with their loops as procedures, regions, effects.

use super::simplify::{forget_faint, inline_names};
use super::split::split_loops;
use super::values::Unset;
use crate::unwritten;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;
use verdiff_judge::{Comparison, Pair, PairId, Side};
use verdiff_model::graph::{self, DominatorTree, Flow, calls::CallGraph};
use verdiff_model::outline::{Outlined, Reach, loops_to_recursion_reaching};
use verdiff_model::{
    Address, BinaryOp, Callee, Expr, ExternalKind, ProcId, Procedure, Program, StmtKind, Type,
};
use verdiff_symex::effects::{Effects, ProcedureEffects};
use verdiff_symex::libc::{Ends, known_external};
use verdiff_symex::regions::Regions;

/// The loops that procedures had.
type Loops = BTreeMap<ProcId, Vec<Outlined>>;

/// The facts.
pub struct Facts {
    /// Both programs, every loop a tail-recursive procedure. Procedures of the comparison keep their numbers.
    pub programs: [Rc<Program>; 2],
    /// The loops that each procedure had, outer ones first.
    pub loops: [Loops; 2],
    /// The regions of both versions' memory.
    pub regions: Regions,
    effects: Effects,
    pub graphs: [CallGraph; 2],
    traits: [Vec<Traits>; 2],
    unset: [Unset; 2],
    /// The pairs whose address is taken; `None` if they do not correspond.
    pub taken: Option<BTreeSet<PairId>>,
    pub outside_is_equal: bool,
}

/// What a procedure does itself.
#[derive(Clone, Copy, Default)]
struct Traits {
    /// It loops still: a loop that could not be cut out.
    loops: bool,
    /// It accesses memory by an address that is not a fixed place of a global or of its own frame.
    touches: bool,
    /// The same, but a computed place in a global or in its own frame counts as fixed.
    loose: bool,
    /// It names the address of a global or of a local otherwise than to access it.
    names_objects: bool,
    /// It makes objects in its frame as it goes.
    makes_objects: bool,
    /// It copies memory, written or not.
    copies: bool,
    /// It calls something outside of which it is not known that it always comes back, or by a pointer.
    may_leave: bool,
    /// It hands an address to something outside.
    shows_memory: bool,
    /// How many statements it has.
    size: usize,
}

impl Facts {
    /// The facts of a comparison.
    pub fn of(comparison: &Comparison, reach: Reach) -> Facts {
        let (programs, loops) = outlined(comparison, reach);
        Facts::from_programs(comparison, programs, loops)
    }

    /// The same with loops that compute several things taken apart; `None` if there are none.
    pub fn split(comparison: &Comparison) -> Option<Facts> {
        let (mut programs, mut loops) = outlined(comparison, Reach::Loop);
        let split = programs.iter_mut().zip(&mut loops).map(|(p, l)| split_loops(p, l));
        // On both sides, whatever the first one says.
        let any = split.fold(false, |any, split| any | split);
        any.then(|| Facts::from_programs(comparison, programs, loops))
    }

    fn from_programs(
        comparison: &Comparison,
        mut programs: [Program; 2],
        loops: [Loops; 2],
    ) -> Facts {
        programs.iter_mut().for_each(forget_faint);
        let programs = programs.map(Rc::new);
        let both = [&*programs[0], &*programs[1]];
        let regions = Regions::analyse(&both);
        let effects = Effects::analyse(&both, &regions, Default::default());
        let graphs = both.map(CallGraph::of);
        let spread = unwritten::spread(both, &regions);
        let traits = [0, 1].map(|side| {
            let program = both[side];
            let unset =
                |place: &Expr| unwritten::may_be_unwritten(side, program, &regions, &spread, place);
            let of = |procedure| traits(program, procedure, &unset);
            program.procedures.iter().map(of).collect()
        });
        Facts {
            loops,
            regions,
            effects,
            graphs,
            traits,
            unset: both.map(Unset::of),
            taken: crate::normalise::address_taken(comparison),
            outside_is_equal: crate::normalise::outside_is_equal(comparison),
            programs,
        }
    }

    /// Whether a pair reaches other loops here than there.
    pub fn has_other_loops(&self, there: &Facts, pair: &Pair) -> bool {
        let count = |facts: &Facts, side| facts.reached(side, pair.of(side)).len();
        Side::BOTH.into_iter().any(|side| count(self, side) != count(there, side))
    }

    /// Which parameters of what was a loop may be without a value, by position; in either version, if there are two.
    pub fn unset(&self, procedures: &[(Side, ProcId, &Procedure)]) -> Vec<bool> {
        let count = procedures.iter().map(|(.., p)| p.params.len()).max().unwrap_or(0);
        let may_be = |at: usize| {
            procedures.iter().any(|(side, id, procedure)| {
                let param = procedure.params.get(at);
                param.is_none_or(|param| self.unset[side.index()].may_be(*id, *param))
            })
        };
        (0..count).map(may_be).collect()
    }

    /// What a procedure may do, with all that it calls.
    pub fn effects(&self, side: Side, id: ProcId) -> &ProcedureEffects {
        self.effects.of(side.index(), id)
    }

    /// A procedure and all that it calls.
    pub fn reached(&self, side: Side, id: ProcId) -> Vec<ProcId> {
        self.graphs[side.index()].reachable_from(&[id])
    }

    fn any(&self, side: Side, id: ProcId, test: impl Fn(&Traits) -> bool) -> bool {
        let program = &self.programs[side.index()];
        self.reached(side, id).into_iter().any(|p| {
            test(&self.traits[side.index()][p.index()]) || !program.procedure(p).is_supported()
        })
    }

    /// Whether it is part of a cycle of calls, or has a loop left.
    pub fn is_cyclic(&self, side: Side, id: ProcId) -> bool {
        self.graphs[side.index()].is_recursive(id) || self.traits[side.index()][id.index()].loops
    }

    /// The procedures that are part of a cycle of calls even if `cut` are not entered, and those with a loop left.
    pub fn cyclic_without(&self, side: Side, cut: &BTreeSet<ProcId>) -> BTreeSet<ProcId> {
        let graph = &self.graphs[side.index()];
        let traits = &self.traits[side.index()];
        let all = self.programs[side.index()].procedure_ids();
        let on_cycle = |start: ProcId| {
            let mut work: Vec<ProcId> = graph.callees(start).to_vec();
            let mut seen = BTreeSet::new();
            while let Some(id) = work.pop() {
                if id == start {
                    return true;
                }
                if !cut.contains(&id) && seen.insert(id) {
                    work.extend(graph.callees(id));
                }
            }
            false
        };
        let cyclic = |id: &ProcId| {
            !cut.contains(id)
                && (traits[id.index()].loops || graph.is_recursive(*id) && on_cycle(*id))
        };
        all.filter(cyclic).collect()
    }

    /// Whether it or something that it calls is.
    pub fn is_unbounded(&self, side: Side, id: ProcId) -> bool {
        self.reached(side, id).into_iter().any(|p| self.is_cyclic(side, p))
    }

    /// Whether a run of it that ends surely returns: no trap, no exit.
    pub fn returns_if_it_ends(&self, side: Side, id: ProcId) -> bool {
        !self.effects(side, id).may_trap && !self.any(side, id, |t| t.may_leave)
    }

    /// Whether a run of it without any cyclic call surely ends.
    pub fn outside_ends(&self, side: Side, id: ProcId) -> bool {
        !self.any(side, id, |t| t.may_leave)
    }

    /// Whether who calls it with memory that is uninitialised or too small may see that it accesses it.
    pub fn touches(&self, side: Side, id: ProcId) -> bool {
        self.any(side, id, |t| t.touches)
    }

    /// Whether it accesses memory through pointers that it was given or loaded.
    pub fn is_loose(&self, side: Side, id: ProcId) -> bool {
        self.any(side, id, |t| t.loose)
    }

    /// Whether something outside looks at memory for it.
    pub fn shows_memory(&self, side: Side, id: ProcId) -> bool {
        self.any(side, id, |t| t.shows_memory)
    }

    /// Whether a pointer to an object of known size may come up in a run of it, besides those that it starts with.
    pub fn names_objects(&self, side: Side, id: ProcId) -> bool {
        self.any(side, id, |t| t.names_objects) || self.has_relocations(side, id)
    }

    /// Whether memory without a value may get among that of the entry state.
    pub fn spreads_unwritten(&self, side: Side, id: ProcId) -> bool {
        self.any(side, id, |t| t.makes_objects)
            || self.any(side, id, |t| t.copies) && self.locals(side, id).next().is_some()
    }

    /// The procedures that it reaches and that have local objects, with their number.
    pub fn locals(&self, side: Side, id: ProcId) -> impl Iterator<Item = (ProcId, usize)> + '_ {
        let program = &self.programs[side.index()];
        let reached = self.reached(side, id).into_iter();
        reached.map(|p| (p, program.procedure(p).locals.len())).filter(|(_, count)| *count > 0)
    }

    /// How many statements it has, callees included.
    pub fn size(&self, side: Side, id: ProcId) -> usize {
        self.reached(side, id).iter().map(|p| self.traits[side.index()][p.index()].size).sum()
    }

    fn has_relocations(&self, side: Side, id: ProcId) -> bool {
        let program = &self.programs[side.index()];
        let mut found = false;
        for p in self.reached(side, id) {
            each_expr(program.procedure(p), &mut |e| {
                if let Expr::Address(Address::Global(global)) = e {
                    let init = &program.global(*global).init;
                    found |= init.as_ref().is_some_and(|i| !i.relocations.is_empty());
                }
            });
        }
        found
    }
}

/// Both programs, every loop a procedure, and which those are.
fn outlined(comparison: &Comparison, reach: Reach) -> ([Program; 2], [Loops; 2]) {
    let mut loops = [Loops::new(), Loops::new()];
    let programs = Side::BOTH.map(|side| {
        let mut program = comparison.program(side).clone();
        for id in comparison.program(side).procedure_ids() {
            inline_names(&mut program.procedures[id.index()]);
            if let Ok(cut) = loops_to_recursion_reaching(&mut program, id, reach)
                && !cut.is_empty()
            {
                loops[side.index()].insert(id, cut);
            }
        }
        program
    });
    (programs, loops)
}

/// Walks all expressions, with those inside of them.
fn each_expr(procedure: &Procedure, look: &mut dyn FnMut(&Expr)) {
    for block in &procedure.blocks {
        for stmt in &block.stmts {
            stmt.kind.exprs().into_iter().for_each(|e| e.walk(&mut |e| look(e)));
        }
        block.end.kind.exprs().into_iter().for_each(|e| e.walk(&mut |e| look(e)));
    }
}

/// Whether an address is a place in an object that the procedure names.
fn is_rooted(e: &Expr) -> bool {
    match e {
        Expr::Address(Address::Global(_) | Address::Local(_)) => true,
        Expr::Binary { op: BinaryOp::PtrAdd, lhs, .. } => is_rooted(lhs),
        _ => false,
    }
}

fn is_fixed(e: &Expr) -> bool {
    match e {
        Expr::Address(Address::Global(_) | Address::Local(_)) => true,
        Expr::Binary { op: BinaryOp::PtrAdd, lhs, rhs, .. } => {
            matches!(**lhs, Expr::Address(Address::Global(_) | Address::Local(_)))
                && matches!(**rhs, Expr::Const(_))
        }
        _ => false,
    }
}

/// How often the address of an object is named in an expression.
fn names(e: &Expr) -> usize {
    let mut count = 0;
    e.walk(&mut |e| {
        count += usize::from(matches!(e, Expr::Address(Address::Global(_) | Address::Local(_))));
    });
    count
}

fn traits(program: &Program, procedure: &Procedure, unset: &dyn Fn(&Expr) -> bool) -> Traits {
    let flow = Flow::of(procedure);
    let loops = graph::Loops::of(&flow, &DominatorTree::of(&flow));
    let mut found =
        Traits { loops: !loops.is_empty() || !loops.irreducible().is_empty(), ..Traits::default() };
    for block in &procedure.blocks {
        found.size += block.stmts.len() + 1;
        found.names_objects |= block.end.kind.exprs().iter().any(|e| names(e) > 0);
        for stmt in &block.stmts {
            statement(program, procedure, &stmt.kind, &mut found);
            if let StmtKind::Load { addr, .. } = &stmt.kind {
                found.touches |= unset(addr);
            }
        }
    }
    found
}

/// How many addresses of objects are only shown to something outside that neither keeps nor gives back any.
fn shown_only(program: &Program, kind: &StmtKind) -> usize {
    let StmtKind::Call { callee: Callee::External(id), args, .. } = kind else { return 0 };
    let external = program.external(*id);
    let forgets = known_external(external).is_some_and(|known| {
        known.keeps.is_empty() && known.stores.is_empty() && known.calls_back.is_empty()
    });
    let gives = external.signature.results.contains(&Type::Ptr);
    if forgets && !gives { args.iter().filter(|a| is_rooted(a)).count() } else { 0 }
}

fn statement(program: &Program, procedure: &Procedure, kind: &StmtKind, found: &mut Traits) {
    let accessed: Vec<&Expr> = match kind {
        StmtKind::Load { addr, .. } | StmtKind::Store { addr, .. } => vec![addr],
        StmtKind::Copy { dst, src, .. } => vec![dst, src],
        StmtKind::Fill { dst, .. } => vec![dst],
        _ => vec![],
    };
    found.touches |= accessed.iter().any(|e| !is_fixed(e));
    found.loose |= accessed.iter().any(|e| !is_rooted(e));
    // The root of an accessed address is not a value that goes anywhere.
    let all: usize = kind.exprs().iter().map(|e| names(e)).sum();
    let roots = accessed.iter().filter(|e| is_rooted(e)).count();
    let shown = shown_only(program, kind);
    found.names_objects |= all > roots + shown;
    found.copies |= matches!(kind, StmtKind::Copy { .. });
    found.makes_objects |= matches!(kind, StmtKind::Alloc { .. });
    match kind {
        StmtKind::Call { callee: Callee::External(id), args, .. } => {
            let external = program.external(*id);
            if external.kind == ExternalKind::PureIntrinsic {
                return;
            }
            let known = known_external(external);
            found.may_leave |= external.no_return
                || !known.is_some_and(|k| k.ends == Ends::Always && k.calls_back.is_empty());
            let shows = args.iter().any(|a| procedure.type_of(a) == Type::Ptr);
            found.shows_memory |= shows || known.is_none();
            found.touches |= shows || known.is_none();
            found.loose |= shows || known.is_none();
        }
        StmtKind::Call { callee: Callee::Indirect { .. }, .. } => {
            found.may_leave = true;
            found.shows_memory = true;
            found.touches = true;
            found.loose = true;
        }
        _ => {}
    }
}
