//! A procedure with one statement a block.
//!
//! Whoever wants to speak of parts of a procedure statement by statement can then speak of blocks: regions, dominators,
//! liveness and outlining know nothing else. [`tidy`](super::tidy::tidy) joins the blocks again.

use crate::expr::Expr;
use crate::ids::{BlockId, VarId};
use crate::program::{Block, Procedure, Var, VarKind};
use crate::stmt::{Callee, Stmt, StmtKind, Terminator, TerminatorKind};

/// Tidies a procedure and gives every statement a block of its own, in their order. A terminator that decides something
/// has a block of its own, too; a jump is the end of the statement before it. The entry stays first.
pub fn explode(procedure: &mut Procedure) {
    super::tidy::tidy(procedure);
    let needs = |block: &Block| match block.end.kind {
        TerminatorKind::Goto(_) => block.stmts.len().max(1),
        _ => block.stmts.len() + 1,
    };
    let mut first = Vec::with_capacity(procedure.blocks.len());
    let mut count = 0;
    for block in &procedure.blocks {
        first.push(BlockId::new(count));
        count += needs(block);
    }
    let mut blocks: Vec<Block> = Vec::with_capacity(count);
    for mut block in std::mem::take(&mut procedure.blocks) {
        for target in block.end.kind.successors_mut() {
            *target = first[target.index()];
        }
        let pieces = needs(&block);
        let Block { label, stmts, end } = block;
        let mut stmts = stmts.into_iter();
        for piece in 0..pieces {
            let stmts: Vec<_> = stmts.next().into_iter().collect();
            let end = match piece + 1 == pieces {
                true => end.clone(),
                false => {
                    let loc = stmts.first().map_or(end.loc, |stmt| stmt.loc);
                    Terminator { kind: TerminatorKind::Goto(BlockId::new(blocks.len() + 1)), loc }
                }
            };
            blocks.push(Block { label: label.clone(), stmts, end });
        }
    }
    procedure.blocks = blocks;
}

/// Computes what is passed to procedures in temporaries, each assigned right before the call. Expressions are pure and
/// cannot trap, so no outcome changes. A region of the call alone then has the values of its arguments for parameters,
/// whatever they were computed from.
pub fn name_arguments(procedure: &mut Procedure) {
    let mut vars = std::mem::take(&mut procedure.vars);
    for block in &mut procedure.blocks {
        let mut stmts = Vec::with_capacity(block.stmts.len());
        for mut stmt in std::mem::take(&mut block.stmts) {
            let loc = stmt.loc;
            if let StmtKind::Call { callee: Callee::Procedure(_), args, .. } = &mut stmt.kind {
                for arg in args {
                    if matches!(arg, Expr::Var(_) | Expr::Const(_) | Expr::Address(_)) {
                        continue;
                    }
                    let ty = arg.ty(&|var| vars[var.index()].ty);
                    let dst = VarId::new(vars.len());
                    vars.push(Var {
                        name: String::new(),
                        ty,
                        ctype: None,
                        kind: VarKind::Temporary,
                    });
                    let value = std::mem::replace(arg, Expr::Var(dst));
                    stmts.push(Stmt { kind: StmtKind::Assign { dst, value }, loc });
                }
            }
            stmts.push(stmt);
        }
        block.stmts = stmts;
    }
    procedure.vars = vars;
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::build::ProcBuilder;
    use crate::graph::tidy::tidy;
    use crate::types::Type;

    #[test]
    fn exploded_code_is_joined_to_what_it_was() {
        let mut b = ProcBuilder::new("f", &[Type::Int(32)]);
        let x = b.param("x", Type::Int(32));
        let y = b.var("y", Type::Int(32));
        b.assign(y, Expr::Var(x));
        b.assign(x, Expr::Var(y));
        b.assign(y, Expr::int(32, 3));
        b.ret(vec![Expr::Var(x)]);
        let mut procedure = b.finish();
        tidy(&mut procedure);
        let mut exploded = procedure.clone();
        explode(&mut exploded);
        assert_eq!(exploded.blocks.len(), 4);
        assert!(exploded.blocks.iter().all(|b| b.stmts.len() <= 1));
        tidy(&mut exploded);
        assert_eq!(exploded.blocks, procedure.blocks);
    }
}
