//! What of two programs the judgement of a pair looks at.

use super::Reducer;
use crate::same_code::may_call_back;
use std::collections::BTreeSet;
use verdiff_judge::{PairId, Side};
use verdiff_model::graph::calls::CallTarget;
use verdiff_model::{
    Address, Block, Expr, ExternId, GlobalId, Opaque, OpaqueCall, ProcId, Procedure, StmtKind,
};

/// Procedures of both versions.
pub(super) type Procedures = [BTreeSet<ProcId>; 2];

/// What code or an initialiser names.
#[derive(Clone, Debug, Default)]
pub(super) struct Named {
    pub(super) procedures: Vec<ProcId>,
    pub(super) globals: Vec<GlobalId>,
    pub(super) externals: Vec<ExternId>,
}

impl Named {
    pub(super) fn add(&mut self, address: Address) {
        match address {
            Address::Procedure(id) => self.procedures.push(id),
            Address::Global(id) => self.globals.push(id),
            Address::External(id) => self.externals.push(id),
            Address::Local(_) => {}
        }
    }

    /// What a procedure names, in the order of its code.
    pub(super) fn by(procedure: &Procedure) -> Named {
        let mut named = Named::default();
        named.opaque(procedure.opaque.as_deref());
        named.blocks(&procedure.blocks);
        if let Some(body) = &procedure.with_holes {
            named.blocks(&body.blocks);
        }
        named.procedures.extend(procedure.outlined_from);
        named
    }

    fn opaque(&mut self, opaque: Option<&Opaque>) {
        if let Some(opaque) = opaque {
            opaque.names.iter().chain(&opaque.takes).for_each(|address| self.add(*address));
            for call in &opaque.calls {
                match *call {
                    OpaqueCall::Procedure(id) => self.procedures.push(id),
                    OpaqueCall::External(id) => self.externals.push(id),
                    OpaqueCall::Unknown => {}
                }
            }
        }
    }

    fn blocks(&mut self, blocks: &[Block]) {
        for block in blocks {
            block.stmts.iter().for_each(|stmt| self.statement(&stmt.kind));
            block.end.kind.exprs().into_iter().for_each(|e| self.expr(e));
        }
    }

    pub(super) fn statement(&mut self, kind: &StmtKind) {
        use verdiff_model::Callee;
        match kind {
            StmtKind::Call { callee: Callee::Procedure(id), .. } => self.procedures.push(*id),
            StmtKind::Call { callee: Callee::External(id), .. } => self.externals.push(*id),
            StmtKind::Hole { code, .. } => self.opaque(Some(code)),
            _ => {}
        }
        kind.exprs().into_iter().for_each(|e| self.expr(e));
    }

    fn expr(&mut self, e: &Expr) {
        e.walk(&mut |e| {
            if let Expr::Address(address) = e {
                self.add(*address);
            }
        });
    }
}

impl Reducer {
    /// The procedures whose bodies matter: those that the pairs reach by calls, by any that may be meant where a pointer is
    /// called or where an external function may call back. With a procedure come its partner, and those that share its name: things
    /// are told apart by names.
    ///
    /// `old_only` are procedures of the old version that are run to make inputs. Nothing else is concluded from
    /// these, so that their partners need no bodies.
    pub(super) fn reached(
        &self,
        pairs: &BTreeSet<PairId>,
        old_only: &BTreeSet<ProcId>,
    ) -> Procedures {
        let comparison = &self.comparison;
        let mut reached = Procedures::default();
        let mut work: Vec<(Side, ProcId)> = vec![];
        for pair in pairs {
            work.extend(Side::BOTH.map(|side| (side, comparison.pair(*pair).of(side))));
        }
        let assumed = comparison.settings.assume.iter();
        let assumed = assumed.filter_map(|(_, name)| comparison.old.program.procedure_named(name));
        work.extend(assumed.map(|id| (Side::Old, id)));
        while let Some((side, id)) = work.pop() {
            if reached[side.index()].insert(id) {
                work.extend(self.called_by(side, id).into_iter().map(|callee| (side, callee)));
                work.extend(self.partners(side, id).map(|other| (side.other(), other)));
                let name = &comparison.program(side).procedure(id).name;
                for side in Side::BOTH {
                    let same = self.sides[side.index()].by_name.get(name);
                    work.extend(same.into_iter().flatten().map(|id| (side, *id)));
                }
            }
        }
        let mut work: Vec<ProcId> = old_only.iter().copied().collect();
        while let Some(id) = work.pop() {
            if reached[0].insert(id) {
                work.extend(self.called_by(Side::Old, id));
                let name = &comparison.old.program.procedure(id).name;
                work.extend(self.sides[0].by_name.get(name).into_iter().flatten());
            }
        }
        reached
    }

    /// What a call in a procedure may enter.
    fn called_by(&self, side: Side, id: ProcId) -> Vec<ProcId> {
        let program = self.comparison.program(side);
        let graph = &self.facts.written().graphs[side.index()];
        let mut callees = graph.callees(id).to_vec();
        let anything = graph.sites(id).iter().any(|site| match &site.target {
            CallTarget::Indirect(_) | CallTarget::Unknown => true,
            CallTarget::External(external) => may_call_back(program, *external),
            CallTarget::Procedure(_) => false,
        });
        if anything {
            callees.extend_from_slice(graph.address_taken());
        }
        callees
    }

    /// The procedures of the other version that belong to this one.
    pub(super) fn partners(&self, side: Side, id: ProcId) -> impl Iterator<Item = ProcId> + '_ {
        let pairs = self.sides[side.index()].pairs.get(&id).into_iter().flatten();
        pairs.map(move |pair| self.comparison.pair(*pair).of(side.other()))
    }
}
