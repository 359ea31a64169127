//! Which procedures may do what cannot be compared.

use crate::compiled::outside;
use verdiff_model::{
    Address, BinaryOp, Callee, Expr, ExternalKind, Procedure, Program, StmtKind, UnaryOp,
};

/// For each procedure, whether it or one it calls uses an operation that the model leaves open
/// (assembly, an intrinsic without a meaning here), a thread-local object, which the driver does not
/// restore, or one of the C library's, whose contents only the compiled program has (`stdin`).
pub(crate) fn with_open_operations(program: &Program) -> Vec<bool> {
    let open = program.procedures.iter().map(|p| uses_open(program, p)).collect();
    and_callers(program, open)
}

/// For each procedure, whether it or one it calls takes an address for a number, other than to subtract another one from it. A
/// single bit of that number may decide what it does. What a call through a pointer reaches is not looked up: it may.
pub(crate) fn with_numbers_of_addresses(program: &Program) -> Vec<bool> {
    let open = program.procedures.iter().map(takes_address_for_number).collect();
    and_callers(program, open)
}

/// Those procedures, and all that call one of them.
fn and_callers(program: &Program, mut open: Vec<bool>) -> Vec<bool> {
    let mut calls = vec![vec![]; open.len()];
    for (index, procedure) in program.procedures.iter().enumerate() {
        for stmt in procedure.blocks.iter().flat_map(|b| &b.stmts) {
            if let StmtKind::Call { callee: Callee::Procedure(callee), .. } = &stmt.kind {
                calls[callee.index()].push(index);
            }
        }
    }
    let mut work: Vec<usize> = (0..open.len()).filter(|index| open[*index]).collect();
    while let Some(index) = work.pop() {
        for caller in &calls[index] {
            if !std::mem::replace(&mut open[*caller], true) {
                work.push(*caller);
            }
        }
    }
    open
}

fn takes_address_for_number(procedure: &Procedure) -> bool {
    fn is_number(e: &Expr) -> bool {
        matches!(e, Expr::Unary { op: UnaryOp::PtrToInt, .. })
    }
    fn takes(e: &Expr) -> bool {
        match e {
            Expr::Binary { op: BinaryOp::Sub, lhs, rhs, .. }
                if is_number(lhs) && is_number(rhs) =>
            {
                lhs.operands().chain(rhs.operands()).any(takes)
            }
            _ => is_number(e) || e.operands().any(takes),
        }
    }
    procedure.blocks.iter().any(|block| {
        block.end.kind.exprs().into_iter().any(takes)
            || block.stmts.iter().any(|stmt| {
                matches!(stmt.kind, StmtKind::Call { callee: Callee::Indirect { .. }, .. })
                    || stmt.kind.exprs().into_iter().any(takes)
            })
    })
}

fn uses_open(program: &Program, procedure: &Procedure) -> bool {
    let mut found = false;
    for block in &procedure.blocks {
        let mut look = |e: &Expr| {
            if let Expr::Address(Address::Global(id)) = e {
                let global = program.global(*id);
                found |= global.thread_local || outside::is_of_the_library(global);
            }
        };
        for stmt in &block.stmts {
            stmt.kind.exprs().into_iter().for_each(|e| e.walk(&mut look));
        }
        block.end.kind.exprs().into_iter().for_each(|e| e.walk(&mut look));
    }
    found
        || procedure.blocks.iter().flat_map(|b| &b.stmts).any(|stmt| match &stmt.kind {
            StmtKind::Call { callee: Callee::External(id), .. } => {
                let external = program.external(*id);
                match external.kind {
                    ExternalKind::Function => false,
                    ExternalKind::Assembly => !external.name.trim().is_empty(),
                    ExternalKind::PureIntrinsic => true,
                }
            }
            _ => false,
        })
}
