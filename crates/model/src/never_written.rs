//! Globals that are constants though nobody wrote `const`.
//!
//! A `static` table whose address is only ever used to read from it holds its initial value in every run: no other file can
//! name it, and no pointer to it leaves the code that reads it. This is the argument of LLVM's `globalopt` for marking a
//! global constant, without following the address through memory: an address that is stored, passed, returned or compared counts as
//! given away.

use crate::expr::{Address, Expr};
use crate::ids::{GlobalId, VarId};
use crate::program::{External, ExternalKind, Linkage, Procedure, Program};
use crate::stmt::{Access, StmtKind};
use std::collections::{BTreeSet, HashMap};

/// The globals of a program that are not declared constant and that nothing can write.
pub fn never_written(program: &Program) -> BTreeSet<GlobalId> {
    let candidate = |id: &GlobalId| {
        let global = program.global(*id);
        let holds_its_own = global.init.is_some() && !global.open_ended && !global.thread_local;
        let unknown_outside =
            global.linkage == Linkage::Internal && !program.found_otherwise.contains(id);
        unknown_outside && !global.constant && holds_its_own
    };
    let ids = (0..program.globals.len()).map(GlobalId::new);
    let mut left: BTreeSet<GlobalId> = ids.filter(candidate).collect();
    let unknown = |p: &Procedure| !p.is_supported() && p.opaque.is_none();
    if program.assembly || program.hidden_initialisers || program.procedures.iter().any(unknown) {
        return BTreeSet::new();
    }
    // An address in memory can be loaded by anyone; code that could not be lowered may do anything with what it names.
    for global in &program.globals {
        for relocation in global.init.iter().flat_map(|init| &init.relocations) {
            give_away(relocation.target, &mut left);
        }
    }
    // Assembly may say a name in its text.
    let assembly = |e: &&External| e.kind == ExternalKind::Assembly;
    for external in program.externals.iter().filter(assembly) {
        left.retain(|id| !external.name.contains(&program.global(*id).symbol));
    }
    for procedure in &program.procedures {
        let named = procedure.opaque.iter().flat_map(|opaque| &opaque.names);
        named.for_each(|address| give_away(*address, &mut left));
        if left.is_empty() {
            break;
        }
        read_only_here(procedure, &mut left);
    }
    left
}

fn give_away(address: Address, left: &mut BTreeSet<GlobalId>) {
    if let Address::Global(id) = address {
        left.remove(&id);
    }
}

/// Removes the globals that one procedure does more with than to read them.
fn read_only_here(procedure: &Procedure, left: &mut BTreeSet<GlobalId>) {
    let bases = bases(procedure, left);
    let mut away = |e: &Expr| {
        mentioned(e, &bases, &mut |id| {
            left.remove(&id);
        });
    };
    for block in &procedure.blocks {
        for stmt in &block.stmts {
            match &stmt.kind {
                // What an assignment makes of an address is followed in `bases`.
                StmtKind::Assign { .. } => {}
                StmtKind::Load { access: Access::Plain | Access::Coerced, .. } => {}
                StmtKind::Copy { dst, src: _, len, access: Access::Plain, .. } => {
                    away(dst);
                    away(len);
                }
                other => other.exprs().into_iter().for_each(&mut away),
            }
        }
        block.end.kind.exprs().into_iter().for_each(&mut away);
    }
}

/// For each variable, the globals whose address it may hold, or something computed from it.
fn bases(
    procedure: &Procedure,
    candidates: &BTreeSet<GlobalId>,
) -> HashMap<VarId, BTreeSet<GlobalId>> {
    let mut bases: HashMap<VarId, BTreeSet<GlobalId>> = HashMap::new();
    loop {
        let mut more = false;
        for stmt in procedure.blocks.iter().flat_map(|block| &block.stmts) {
            let StmtKind::Assign { dst, value } = &stmt.kind else { continue };
            let mut found = BTreeSet::new();
            mentioned(value, &bases, &mut |id| {
                found.extend(candidates.contains(&id).then_some(id));
            });
            if !found.is_empty() {
                let known = bases.entry(*dst).or_default();
                more |= !found.is_subset(known);
                known.extend(found);
            }
        }
        if !more {
            return bases;
        }
    }
}

/// The globals that an expression mentions, itself or by a variable.
fn mentioned(
    e: &Expr,
    bases: &HashMap<VarId, BTreeSet<GlobalId>>,
    visit: &mut impl FnMut(GlobalId),
) {
    e.walk(&mut |e| match e {
        Expr::Address(Address::Global(id)) => visit(*id),
        Expr::Var(var) => bases.get(var).into_iter().flatten().for_each(|id| visit(*id)),
        _ => {}
    });
}
