//! Local objects in regions: a region works on a copy of its own where nobody can tell.
//!
//! A region that mentions a local object gets its address, and in a region nothing is known of what an address leads
//! to. So two stores to an array cannot be exchanged: if each might trap in a way of its own, their order matters. But
//! the object is one of known size, alive while its procedure runs. The region copies it into an object of its own at
//! its entry, works on that, and copies it back at every exit.
//!
//! Soundness: this changes no outcome of the version, which is all that the rule needs ([module](super)). The object is
//! *private*: its procedure uses its address only to access it, in no call, and never stores or compares it. So
//! between the two copies nothing else reads or writes the object, and whatever the region did to it, it did to the
//! copy, bytes without a value included. Offsets beyond its end trap alike, since the copy has the same size. Both
//! copies succeed, since the object is there; and where they could not be known to, they are the first and last
//! accesses of both versions. If the region ends the run, the object is gone. A region that may be left in the middle
//! gets no copy where something returns twice ([`divide`](super::divide)): it would be left without the copy back.
//!
//! In a region with a loop the address stays: induction knows memory at entry, and no local objects.

use verdiff_judge::{Comparison, Side};
use verdiff_model::graph::{DominatorTree, Flow, Loops};
use verdiff_model::outline::Input;
use verdiff_model::{
    Access, Address, BinaryOp, Const, Expr, Local, LocalId, ProcId, Procedure, Stmt, StmtKind,
    TerminatorKind, Type, VarId,
};

/// Larger objects are not copied, and not more than so many.
const LARGEST: u64 = 256;
const MOST: usize = 4;

/// Lets both regions of a pair work on copies of the private objects that they are given. `parents` are the procedures
/// that they were cut out of, as they were before, and `given` what each parameter is there.
pub fn copy(
    all: &mut Comparison,
    regions: [ProcId; 2],
    parents: &[Procedure; 2],
    given: [&[Input]; 2],
) {
    if Side::BOTH.into_iter().any(|side| loops(all.program(side).procedure(regions[side.index()])))
    {
        return;
    }
    let mut chosen = vec![];
    for (index, inputs) in given[0].iter().zip(given[1]).enumerate() {
        let (Input::Local(old), Input::Local(new)) = inputs else { continue };
        let locals = [parents[0].local(*old), parents[1].local(*new)];
        let fits = locals[0].size == locals[1].size && (1..=LARGEST).contains(&locals[0].size);
        if fits && is_private(&parents[0], *old) && is_private(&parents[1], *new) {
            chosen.push((index, locals.map(Local::clone)));
        }
    }
    chosen.truncate(MOST);
    for (index, locals) in chosen {
        for (side, local) in Side::BOTH.into_iter().zip(locals) {
            let version = match side {
                Side::Old => &mut all.old,
                Side::New => &mut all.new,
            };
            let procedure = &mut version.program.procedures[regions[side.index()].index()];
            let param = procedure.params[index];
            work_on_copy(procedure, param, local);
        }
    }
}

fn loops(procedure: &Procedure) -> bool {
    let flow = Flow::of(procedure);
    let loops = Loops::of(&flow, &DominatorTree::of(&flow));
    !loops.is_empty() || !loops.irreducible().is_empty()
}

/// Whether the address of a local is used for nothing but plain accesses to it.
fn is_private(procedure: &Procedure, local: LocalId) -> bool {
    let mentions = |e: &Expr| {
        let mut found = false;
        e.walk(&mut |e| found |= *e == Expr::Address(Address::Local(local)));
        found
    };
    let stmts = procedure.blocks.iter().flat_map(|block| &block.stmts);
    let kept = stmts.map(|stmt| &stmt.kind).all(|kind| {
        let (addresses, access): (Vec<&Expr>, Access) = match kind {
            StmtKind::Load { addr, access, .. } | StmtKind::Store { addr, access, .. } => {
                (vec![addr], *access)
            }
            StmtKind::Copy { dst, src, access, .. } => (vec![dst, src], *access),
            StmtKind::Fill { dst, access, .. } => (vec![dst], *access),
            _ => (vec![], Access::Plain),
        };
        let is_plain = matches!(access, Access::Plain | Access::Coerced);
        kind.exprs().into_iter().filter(|e| mentions(e)).all(|e| {
            let is_address = addresses.iter().any(|address| std::ptr::eq(*address, e));
            is_plain && is_address && begins_at(e, local, &mentions)
        })
    });
    let ends = procedure.blocks.iter().flat_map(|block| block.end.kind.exprs());
    kept && !ends.into_iter().any(mentions)
}

/// Whether an expression is an address so many bytes from the beginning of a local.
fn begins_at(e: &Expr, local: LocalId, mentions: &dyn Fn(&Expr) -> bool) -> bool {
    match e {
        Expr::Address(Address::Local(id)) => *id == local,
        Expr::Binary { op: BinaryOp::PtrAdd, lhs, rhs, .. } => {
            !mentions(rhs) && begins_at(lhs, local, mentions)
        }
        _ => false,
    }
}

/// Has a procedure work on a copy of the object that a parameter leads to.
fn work_on_copy(procedure: &mut Procedure, param: VarId, local: Local) {
    let (size, align) = (local.size, local.align);
    let own = LocalId::new(procedure.locals.len());
    procedure.locals.push(local);
    let mine = Expr::Address(Address::Local(own));
    for block in &mut procedure.blocks {
        let stmts = block.stmts.iter_mut().flat_map(|stmt| stmt.kind.exprs_mut());
        for e in stmts.chain(block.end.kind.exprs_mut()) {
            replace(e, param, &mine);
        }
    }
    let copy = |dst: Expr, src: Expr| StmtKind::Copy {
        dst,
        src,
        len: Expr::Const(Const::new(Type::Int(64), size.into())),
        align,
        access: Access::Plain,
    };
    for block in &mut procedure.blocks {
        if let TerminatorKind::Return(_) = block.end.kind {
            let kind = copy(Expr::Var(param), mine.clone());
            block.stmts.push(Stmt { kind, loc: block.end.loc });
        }
    }
    let loc = procedure.loc;
    let kind = copy(mine, Expr::Var(param));
    procedure.blocks[Procedure::ENTRY.index()].stmts.insert(0, Stmt { kind, loc });
}

fn replace(e: &mut Expr, var: VarId, by: &Expr) {
    match e {
        Expr::Var(v) if *v == var => *e = by.clone(),
        Expr::Unary { arg, .. } => replace(arg, var, by),
        Expr::Binary { lhs, rhs, .. } => {
            replace(lhs, var, by);
            replace(rhs, var, by);
        }
        Expr::Select { cond, then, otherwise } => {
            [cond, then, otherwise].into_iter().for_each(|e| replace(e, var, by));
        }
        _ => {}
    }
}
