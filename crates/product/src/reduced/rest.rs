//! What the rest of the programs does to a part.
//!
//! The bodies of procedures that a pair does not reach are left out. What the analyses of whole programs would have read there is put
//! in other words, as code that says no more than that. All procedures of the source may be called from
//! outside with anything, so their parameters and results lead outside, and what they pass on or get back does as well
//! ([`Regions`](verdiff_symex::regions)). So procedures affect each other's memory only by what the globals of the part lead to:
//!
//! * A region that a global of the part lies in, or that can be reached from one, and that is not outside, is *relevant*.
//!   Statements of the rest that touch a relevant region are kept as they are, in procedures of their own name (`touching`),
//!   each once, without lines and with variables in the order in which they occur. A variable that leads outside gets a
//!   value from outside first. What the analysis joins, it joins by statements; it looks at no order.
//! * What lies outside in the whole program has its address given away (`facts_of_rest`). So does what the rest
//!   lets escape.
//! * Calls by the rest, addresses of procedures that it takes, copies of memory without a value, and the width of accesses outside are
//!   said once for all of it.
//!
//! None of this code is ever run: nothing in the part calls it. Whether the analyses find the same with it is checked
//! (`agree`); if they do not, the whole programs are used.

use super::Reducer;
use super::reach::Procedures;
use std::collections::{BTreeMap, BTreeSet};
use verdiff_judge::Side;
use verdiff_model::{
    Access, Address, Block, Callee, Const, Expr, ExternId, GlobalId, Linkage, Loc, ProcId,
    Procedure, Stmt, StmtKind, Terminator, TerminatorKind, Trap, Type, UnaryOp, Var, VarId,
    VarKind,
};
use verdiff_symex::libc::known_external;
use verdiff_symex::regions::{Cell, RegionId};

/// Names of the procedures that speak for the rest: of what may be called from outside, and of what may not.
pub(super) const REST: [(&str, Linkage); 2] =
    [("verdiff.rest", Linkage::External), ("verdiff.rest.static", Linkage::Internal)];

/// What tells a variable of the rest from others.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum VariableClass {
    Nowhere(Type),
    Outside(Type),
    Itself(VarId),
}

/// An address that leads outside: a number that is none of an object.
fn outside() -> Expr {
    Const::new(Type::Ptr, 1 << 16).into()
}

/// A value of a type that holds such an address, or a part of one.
fn outside_value(ty: Type) -> Expr {
    let word = Expr::unary(UnaryOp::PtrToInt, Type::WORD, outside());
    let int = |width: u16| match width {
        64 => word.clone(),
        0..64 => Expr::unary(UnaryOp::Truncate, Type::Int(width), word.clone()),
        _ => Expr::unary(UnaryOp::ZeroExtend, Type::Int(width), word.clone()),
    };
    match ty {
        Type::Ptr => outside(),
        Type::Int(width) => int(width),
        Type::Float(kind) => Expr::unary(UnaryOp::Bitcast, ty, int(kind.width())),
    }
}

/// A procedure of the rest, with these statements.
pub(super) fn procedure(name: &str, linkage: Linkage) -> Procedure {
    Procedure {
        name: name.to_owned(),
        symbol: name.to_owned(),
        linkage,
        loc: Loc::NONE,
        params: vec![],
        results: vec![],
        variadic: false,
        ctype: None,
        vars: vec![],
        locals: vec![],
        blocks: vec![block(vec![])],
        unsupported: vec![],
        opaque: None,
        with_holes: None,
        outlined_from: None,
    }
}

fn block(stmts: Vec<StmtKind>) -> Block {
    let stmts = stmts.into_iter().map(|kind| Stmt { kind, loc: Loc::NONE }).collect();
    let end = Terminator { kind: TerminatorKind::Trap(Trap::Unreachable), loc: Loc::NONE };
    Block { label: String::new(), stmts, end }
}

fn variable(ty: Type) -> Var {
    Var { name: String::new(), ty, ctype: None, kind: VarKind::Temporary }
}

impl Reducer {
    /// The regions that globals of the part lead to, without the outside.
    pub(super) fn relevant(&self, globals: &[BTreeSet<GlobalId>; 2]) -> BTreeSet<RegionId> {
        let regions = &self.facts.written().regions;
        let mut work: Vec<RegionId> = vec![];
        for side in Side::BOTH {
            work.extend(globals[side.index()].iter().map(|id| regions.of_global(side, *id)));
        }
        let mut relevant = BTreeSet::new();
        while let Some(region) = work.pop() {
            if region != regions.outside() && relevant.insert(region) {
                work.extend(&regions.info(region).contents);
            }
        }
        relevant
    }

    /// What a procedure does to these regions; `None` if it does nothing.
    pub(super) fn touching(
        &self,
        side: Side,
        id: ProcId,
        relevant: &BTreeSet<RegionId>,
    ) -> Option<Procedure> {
        let regions = &self.facts.written().regions;
        let program = self.comparison.program(side);
        let given = program.procedure(id);
        let leads = |var: VarId| regions.leads_to(side, id, var);
        let var = |var: VarId| leads(var).is_some_and(|region| relevant.contains(&region));
        let address = |address: Address| match address {
            Address::Global(global) => relevant.contains(&regions.of_global(side, global)),
            Address::Local(local) => relevant.contains(&regions.of_local(side, id, local)),
            Address::Procedure(_) | Address::External(_) => false,
        };
        let touches = |kind: &StmtKind| {
            let mut found = kind.writes().iter().any(|v| var(*v));
            for e in kind.exprs() {
                e.walk(&mut |e| match e {
                    Expr::Var(v) => found |= var(*v),
                    Expr::Address(a) => found |= address(*a),
                    _ => {}
                });
            }
            found
        };
        let all = || given.blocks.iter().flat_map(|block| &block.stmts).map(|stmt| &stmt.kind);
        if !all().any(touches) {
            return None;
        }
        // Allocations are numbered, so all of them count.
        let makes = |kind: &StmtKind| match kind {
            StmtKind::Alloc { .. } => true,
            StmtKind::Call { callee: Callee::External(external), .. } => {
                known_external(program.external(*external)).is_some_and(|known| known.allocates)
            }
            _ => false,
        };
        let mut kept: Vec<StmtKind> = vec![];
        let mut made = Procedure {
            blocks: vec![],
            vars: vec![],
            params: vec![],
            ctype: None,
            unsupported: vec![],
            opaque: None,
            with_holes: None,
            ..given.clone()
        };
        made.locals.iter_mut().for_each(|local| {
            local.ctype = None;
            local.loc = Loc::NONE;
        });
        // The signature stays.
        for param in &given.params {
            let Var { ty, kind, .. } = *given.var(*param);
            let number = made.add_var(Var { kind, ..variable(ty) });
            made.params.push(number);
        }
        // A variable in a relevant region stays itself. All that lead outside are one, and so are all that lead to no object at
        // all, in the whole program: to join such ones joins nothing that is anywhere.
        let mut numbers: BTreeMap<VariableClass, VarId> = BTreeMap::new();
        let mut from_outside = vec![];
        for kind in all().filter(|kind| touches(kind) || makes(kind)) {
            let mut kind = kind.clone();
            let mut number = |v: VarId| {
                let ty = given.var(v).ty;
                let class = match leads(v) {
                    None => VariableClass::Nowhere(ty),
                    Some(region) if region == regions.outside() => VariableClass::Outside(ty),
                    Some(_) => VariableClass::Itself(v),
                };
                *numbers.entry(class).or_insert_with(|| {
                    let number = made.add_var(variable(ty));
                    if matches!(class, VariableClass::Outside(_)) {
                        from_outside.push(number);
                    }
                    number
                })
            };
            kind.writes_mut().iter_mut().for_each(|v| *v = number(*v));
            if let StmtKind::CheckInit { var } = &mut kind {
                *var = number(*var);
            }
            for e in kind.exprs_mut() {
                e.walk_mut(&mut |e| {
                    if let Expr::Var(v) = e {
                        *v = number(*v);
                    }
                });
            }
            if makes(&kind) || !kept.contains(&kind) {
                kept.push(kind);
            }
        }
        let assign = |dst: VarId| {
            let value = outside_value(made.var(dst).ty);
            StmtKind::Assign { dst, value }
        };
        let mut stmts: Vec<StmtKind> = from_outside.into_iter().map(assign).collect();
        stmts.append(&mut kept);
        // Objects of its own are numbered, too.
        let mut own = false;
        for e in stmts.iter().flat_map(StmtKind::exprs) {
            e.walk(&mut |e| own |= matches!(e, Expr::Address(Address::Local(_))));
        }
        if !own {
            made.locals.clear();
        }
        made.blocks.push(block(stmts));
        Some(made)
    }

    /// What the whole of the rest does, for each of [`REST`]. `parts` are the procedures of the part that have code,
    /// `present` all that it has, `reached` those whose code is not part of the rest.
    pub(super) fn facts_of_rest(
        &self,
        side: Side,
        parts: &BTreeSet<ProcId>,
        present: &BTreeSet<ProcId>,
        reached: &Procedures,
        globals: &BTreeSet<GlobalId>,
        externals: &BTreeSet<ExternId>,
    ) -> [Procedure; 2] {
        let written = self.facts.written();
        let (regions, program) = (&written.regions, self.comparison.program(side));
        let graph = &written.graphs[side.index()];
        let mut all = REST.map(|(name, linkage)| procedure(name, linkage));
        let mut stmts: [Vec<StmtKind>; 2] = Default::default();
        // The width of accesses outside.
        let bytes = regions.info(regions.outside()).cell.bytes();
        let width = match regions.info(regions.outside()).cell {
            Cell::Bytes => Type::BYTE,
            Cell::Words(bytes) => Type::Int(bytes as u16 * 8),
        };
        let dst = all[0].add_var(variable(width));
        // Whoever calls it gets all of this: nobody can say that it does not matter.
        let mut given_away = vec![Expr::Var(dst)];
        let access = Access::Plain;
        stmts[0].push(StmtKind::Load { dst, addr: outside(), align: bytes, access });
        if written.spread.contains(&regions.outside()) {
            let len = Expr::int(64, u128::from(bytes));
            let (dst, src) = (outside(), outside());
            stmts[0].push(StmtKind::Copy { dst, src, len, align: bytes, access });
        }
        // What others can reach.
        for id in globals {
            let internal = program.global(*id).linkage == Linkage::Internal;
            if internal && regions.of_global(side, *id) == regions.outside() {
                let dst = all[0].add_var(variable(Type::Ptr));
                let value = Expr::Address(Address::Global(*id));
                stmts[0].push(StmtKind::Assign { dst, value });
                given_away.push(Expr::Var(dst));
            }
        }
        // Addresses of functions.
        let taken = graph.address_taken().iter().filter(|id| present.contains(id));
        let taken = taken.map(|id| Address::Procedure(*id));
        let externals = graph.externals_address_taken().iter().filter(|id| externals.contains(id));
        let taken = taken.chain(externals.map(|id| Address::External(*id)));
        for address in taken.collect::<Vec<_>>() {
            let dst = all[0].add_var(variable(Type::Ptr));
            stmts[0].push(StmtKind::Assign { dst, value: Expr::Address(address) });
            given_away.push(Expr::Var(dst));
        }
        // Calls.
        let mut called: [BTreeSet<ProcId>; 2] = Default::default();
        for id in program.procedure_ids().filter(|id| !reached[side.index()].contains(id)) {
            let exported = self.sides[side.index()].from_outside.contains(&id);
            let callees = graph.callees(id).iter().filter(|callee| parts.contains(callee));
            called[usize::from(!exported)].extend(callees);
        }
        let (first, second) = called.split_at_mut(1);
        second[0].retain(|id| !first[0].contains(id));
        for (stmts, called) in stmts.iter_mut().zip(&called) {
            for id in called {
                let callee = program.procedure(*id);
                let zero = |param: &VarId| Const::new(callee.var(*param).ty, 0).into();
                let args = callee.params.iter().map(zero).collect();
                let callee = Callee::Procedure(*id);
                stmts.push(StmtKind::Call { results: vec![], callee, args });
            }
        }
        for (procedure, stmts) in all.iter_mut().zip(stmts) {
            procedure.blocks = vec![block(stmts)];
        }
        all[0].results = given_away.iter().map(|given| all[0].type_of(given)).collect();
        all[0].blocks[0].end.kind = TerminatorKind::Return(given_away);
        all
    }
}
