//! What is read twice in one body is read once.
//!
//! Only for code that writes no memory: there a place that was read holds what it did, and reading it again does not trap if it did not the first
//! time. So a second read is an assignment.

use verdiff_model::graph::Flow;
use verdiff_model::{Access, BlockId, Expr, Procedure, StmtKind, VarId};

/// A place that was read, and the variable that has what was there.
#[derive(Clone, PartialEq)]
struct Read {
    addr: Expr,
    align: u32,
    value: VarId,
}

/// Replaces reads of what a variable has already. The procedure and all that it calls must not write memory.
pub fn share_loads(procedure: &mut Procedure) {
    let flow = Flow::of(procedure);
    // What was read at the end of each block; nothing yet for blocks that were not visited, which loops lead back from.
    let mut known: Vec<Vec<Read>> = vec![vec![]; procedure.blocks.len()];
    for block in flow.reverse_postorder() {
        let mut reads = before(&flow, &known, *block);
        for at in 0..procedure.blocks[block.index()].stmts.len() {
            let mut kind = procedure.blocks[block.index()].stmts[at].kind.clone();
            let mut read = None;
            if let StmtKind::Load { dst, addr, align, access: Access::Plain } = &kind {
                let same = |r: &&Read| {
                    r.addr == *addr
                        && r.align.is_multiple_of((*align).max(1))
                        && procedure.var(r.value).ty == procedure.var(*dst).ty
                };
                read = Some(Read { addr: addr.clone(), align: *align, value: *dst });
                if let Some(earlier) = reads.iter().find(same) {
                    kind = StmtKind::Assign { dst: *dst, value: Expr::Var(earlier.value) };
                }
            }
            for written in kind.writes() {
                reads.retain(|r| r.value != *written && !mentions(&r.addr, *written));
            }
            reads.extend(read.filter(|r| !mentions(&r.addr, r.value)));
            procedure.blocks[block.index()].stmts[at].kind = kind;
        }
        known[block.index()] = reads;
    }
}

/// What was read whichever way a block is entered.
fn before(flow: &Flow, known: &[Vec<Read>], block: BlockId) -> Vec<Read> {
    let mut from = flow.predecessors(block).iter();
    let Some(first) = from.next() else { return vec![] };
    let mut reads = known[first.index()].clone();
    for other in from {
        reads.retain(|r| known[other.index()].contains(r));
    }
    reads
}

fn mentions(e: &Expr, var: VarId) -> bool {
    let mut found = false;
    e.vars(&mut |v| found |= v == var);
    found
}
