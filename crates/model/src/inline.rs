//! Calls replaced by the bodies that they call: the inverse of [outlining](crate::outline).
//!
//! Why the procedure does what it did: the parameters of the callee become variables of the caller that get the arguments,
//! in the place of the call; its other variables become variables of the caller, too; `return` becomes an assignment to where
//! the results go and a jump behind the call. Arguments are read before anything of the callee is written, and results are written when nothing
//! of it is read any more, so no order matters. What a call makes anew are the variables of the callee, which have no value at its entry,
//! and its frame. So only callees are taken that read no variable before they write it (in a loop a copy would find there what the
//! last iteration left), and that have nothing in their frame.

use crate::ids::{BlockId, ProcId, VarId};
use crate::program::{Block, Procedure, Program, Var, VarKind};
use crate::stmt::{Callee, Stmt, StmtKind, Terminator, TerminatorKind};
use crate::{Expr, graph};

/// Whether calls of a procedure can be replaced by its body. Whether it calls itself is not asked.
pub fn can_be_inlined(procedure: &Procedure) -> bool {
    let plain = |stmt: &Stmt| {
        !matches!(
            stmt.kind,
            StmtKind::CheckInit { .. }
                | StmtKind::Alloc { .. }
                | StmtKind::SaveStack { .. }
                | StmtKind::RestoreStack { .. }
                | StmtKind::Hole { .. }
        )
    };
    procedure.is_supported()
        && !procedure.blocks.is_empty()
        && procedure.locals.is_empty()
        && !procedure.variadic
        // Variables of a region may come without a value.
        && procedure.outlined_from.is_none()
        && procedure.blocks.iter().flat_map(|block| &block.stmts).all(plain)
        && graph::assigned::maybe_unassigned_reads(procedure).is_empty()
}

/// Replaces calls in a procedure, those in bodies that were put in place as well: each call of a procedure that is chosen and [can be
/// inlined](can_be_inlined), as long as there are at most `most` statements. How many calls were replaced.
///
/// Whoever chooses must not choose procedures that call each other in a cycle, or accept that the limit ends it.
pub fn inline_calls(
    program: &mut Program,
    id: ProcId,
    chosen: &dyn Fn(ProcId) -> bool,
    most: usize,
) -> usize {
    let mut replaced = 0;
    let mut block = 0;
    let mut size: usize = program.procedure(id).blocks.iter().map(|b| b.stmts.len() + 1).sum();
    while block < program.procedure(id).blocks.len() {
        let found = call_in(program, id, BlockId(block as u32), chosen);
        if let Some((at, callee)) = found {
            let body = program.procedure(callee).clone();
            size += body.blocks.iter().map(|b| b.stmts.len() + 1).sum::<usize>();
            if size > most {
                break;
            }
            replace(&mut program.procedures[id.index()], block, at, &body);
            replaced += 1;
        }
        // What was behind the call is in a block of its own, at the end.
        block += 1;
    }
    replaced
}

/// The first call in a block that is to be replaced.
fn call_in(
    program: &Program,
    id: ProcId,
    block: BlockId,
    chosen: &dyn Fn(ProcId) -> bool,
) -> Option<(usize, ProcId)> {
    let stmts = program.procedure(id).block(block).stmts.iter().enumerate();
    let call = |(at, stmt): (usize, &Stmt)| match &stmt.kind {
        StmtKind::Call { callee: Callee::Procedure(callee), .. } => Some((at, *callee)),
        _ => None,
    };
    let wanted = |callee: ProcId| {
        callee != id && chosen(callee) && can_be_inlined(program.procedure(callee))
    };
    stmts.filter_map(call).find(|(_, callee)| wanted(*callee))
}

/// Replaces the call at a place of a block by a body.
fn replace(procedure: &mut Procedure, block: usize, at: usize, body: &Procedure) {
    let first_var = procedure.vars.len() as u32;
    let kind = |var: &Var| match var.kind {
        VarKind::Parameter | VarKind::VariadicArea => VarKind::Local,
        other => other,
    };
    procedure.vars.extend(body.vars.iter().map(|var| Var { kind: kind(var), ..var.clone() }));
    let moved = |var: VarId| VarId(var.0 + first_var);
    let first_block = procedure.blocks.len() as u32;
    let behind = BlockId(first_block + body.blocks.len() as u32);

    let caller = &mut procedure.blocks[block];
    let rest = caller.stmts.split_off(at + 1);
    let Some(Stmt { kind: StmtKind::Call { results, args, .. }, loc }) = caller.stmts.pop() else {
        return;
    };
    for (param, value) in body.params.iter().zip(args) {
        caller.stmts.push(Stmt { kind: StmtKind::Assign { dst: moved(*param), value }, loc });
    }
    let entry = Terminator { kind: TerminatorKind::Goto(BlockId(first_block)), loc };
    let end = std::mem::replace(&mut caller.end, entry);
    let label = format!("behind.{}", body.name);
    for block in &body.blocks {
        let mut block = block.clone();
        for stmt in &mut block.stmts {
            stmt.kind.exprs_mut().into_iter().for_each(|e| rename(e, &moved));
            stmt.kind.writes_mut().iter_mut().for_each(|var| *var = moved(*var));
        }
        block.end.kind.exprs_mut().into_iter().for_each(|e| rename(e, &moved));
        for to in block.end.kind.successors_mut() {
            *to = BlockId(to.0 + first_block);
        }
        if let TerminatorKind::Return(values) = &mut block.end.kind {
            let values = std::mem::take(values);
            let loc = block.end.loc;
            let assign = |(dst, value): (&VarId, Expr)| Stmt {
                kind: StmtKind::Assign { dst: *dst, value },
                loc,
            };
            block.stmts.extend(results.iter().zip(values).map(assign));
            block.end.kind = TerminatorKind::Goto(behind);
        }
        procedure.blocks.push(block);
    }
    procedure.blocks.push(Block { label, stmts: rest, end });
}

fn rename(e: &mut Expr, moved: &dyn Fn(VarId) -> VarId) {
    e.walk_mut(&mut |e| {
        if let Expr::Var(var) = e {
            *var = moved(*var);
        }
    });
}
