//! Labels as values, and computed gotos that can only lead to some of them: `goto *table[i % 3]`.
//!
//! clang leads all computed gotos of a function through one block, from which every label whose address is taken may
//! follow. So each of them seems to lead everywhere, and all code around one is a single tangle: no part of it has one
//! entry, and nothing tells a search for the way to a change from a jump to the end. Where the address comes from a
//! constant table and the index is within it whatever happened before, the jump gets a switch of its own with the
//! labels in that table. This changes no run: the address is one of them.

use super::module::ModuleLowering;
use crate::llvm::{BasicBlock, Value};
use llvm_sys::LLVMOpcode;
use std::collections::HashSet;
use verdiff_model::graph::tidy::tidy;
use verdiff_model::{
    Access, Address, BinaryOp, BlockId, Expr, Global, Linkage, Procedure, Program, Stmt, StmtKind,
    TerminatorKind, Type, UnaryOp, VarId,
};

impl<'m> ModuleLowering<'m> {
    /// The number that stands for a label whose address is taken. It depends on the labels of the function
    /// alone, so that an unrelated change, of other functions or between the labels, does not alter it.
    pub fn label(&mut self, function: Value<'m>, block: BasicBlock<'m>) -> u128 {
        const FIRST: u128 = 0x7e00_0000_0000;
        if let Some(bits) = self.labels.get(&block) {
            return *bits;
        }
        // Where there is a computed goto, it may lead to every label whose address is taken.
        let blocks = function.blocks();
        let jumps = blocks.iter().flat_map(|b| b.instructions());
        let jumps = jumps.filter(|inst| inst.opcode() == LLVMOpcode::LLVMIndirectBr);
        let labels: HashSet<BasicBlock<'m>> = jumps.flat_map(|jump| jump.successors()).collect();
        let (taken, others): (Vec<_>, Vec<_>) =
            blocks.into_iter().partition(|b| labels.contains(b));
        for (index, b) in taken.into_iter().chain(others).enumerate() {
            self.labels.insert(b, FIRST + 16 * index as u128);
        }
        self.labels[&block]
    }
}

/// Gives computed gotos of all procedures the labels that they can lead to.
pub fn narrow(program: &mut Program) {
    for index in 0..program.procedures.len() {
        let narrowed = jumps(program, &program.procedures[index]);
        if narrowed.is_empty() {
            continue;
        }
        let procedure = &mut program.procedures[index];
        for (block, end) in narrowed {
            procedure.blocks[block.index()].end.kind = end;
        }
        // The block that all went through may be left by all.
        tidy(procedure);
    }
}

/// The blocks that jump to a label of a table, with the switch that they get.
fn jumps(program: &Program, procedure: &Procedure) -> Vec<(BlockId, TerminatorKind)> {
    let mut found = vec![];
    for (number, block) in procedure.blocks.iter().enumerate() {
        let TerminatorKind::Goto(to) = block.end.kind else { continue };
        let through = procedure.block(to);
        let TerminatorKind::Switch { value: Expr::Var(by), cases, default } = &through.end.kind
        else {
            continue;
        };
        if !through.stmts.is_empty() || procedure.var(*by).ty != Type::Ptr {
            continue;
        }
        let Some(labels) = values(program, procedure, &block.stmts, *by) else { continue };
        let leads = |case: &&(u128, BlockId)| labels.contains(&case.0);
        let own: Vec<(u128, BlockId)> = cases.iter().filter(leads).copied().collect();
        if own.len() < cases.len() {
            let value = Expr::Var(*by);
            let end = TerminatorKind::Switch { value, cases: own, default: *default };
            found.push((BlockId::new(number), end));
        }
    }
    found
}

/// All values that a variable can have behind these statements, if it is then an entry of a constant table.
fn values(
    program: &Program,
    procedure: &Procedure,
    stmts: &[Stmt],
    mut var: VarId,
) -> Option<Vec<u128>> {
    for stmt in stmts.iter().rev() {
        match &stmt.kind {
            StmtKind::Assign { dst, value: Expr::Var(from) } if *dst == var => var = *from,
            StmtKind::Load { dst, addr, align: 8.., access: Access::Plain } if *dst == var => {
                return entries(program, procedure, addr);
            }
            kind if kind.writes().contains(&var) => return None,
            _ => {}
        }
    }
    None
}

/// What may be read at an address, if it surely lies in a constant table.
fn entries(program: &Program, procedure: &Procedure, addr: &Expr) -> Option<Vec<u128>> {
    let Expr::Binary { op: BinaryOp::PtrAdd, lhs, rhs, .. } = addr else { return None };
    let Expr::Address(Address::Global(id)) = **lhs else { return None };
    let Global { size, align, init, constant, linkage, .. } = program.global(id);
    let init = init.as_ref().filter(|init| init.relocations.is_empty())?;
    let fixed = *constant && *linkage == Linkage::Internal && *align >= 8 && size % 8 == 0;
    if !fixed || most(procedure, rhs)?.checked_add(8)? > u128::from(*size) {
        return None;
    }
    let mut bytes = init.bytes.clone();
    bytes.resize(*size as usize, 0);
    let entry = |chunk: &[u8]| chunk.iter().rev().fold(0, |all, byte| all << 8 | u128::from(*byte));
    Some(bytes.chunks(8).map(entry).collect())
}

/// A number that an unsigned expression does not exceed, if that is known.
fn most(procedure: &Procedure, e: &Expr) -> Option<u128> {
    let mask = procedure.type_of(e).mask();
    let found = match e {
        Expr::Const(c) => Some(c.bits),
        Expr::Unary { op: UnaryOp::ZeroExtend, arg, .. } => most(procedure, arg),
        Expr::Binary { op, lhs, rhs, .. } => {
            let by = rhs.as_const().map(|c| c.bits);
            match (op, by) {
                (BinaryOp::URem, Some(by @ 1..)) => Some(by - 1),
                (BinaryOp::And, Some(by)) => Some(by),
                (BinaryOp::Mul, Some(by)) => most(procedure, lhs)?.checked_mul(by),
                (BinaryOp::Shl, Some(by @ 0..64)) => most(procedure, lhs)?.checked_mul(1 << by),
                _ => None,
            }
        }
        _ => None,
    };
    match found {
        Some(found) if found <= mask => Some(found),
        // Wrapped, or unknown: any number of its width.
        _ => matches!(e, Expr::Var(_)).then_some(mask),
    }
}
