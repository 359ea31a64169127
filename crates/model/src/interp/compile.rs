//! From a procedure to register code: expressions become instructions over temporaries,
//! blocks become a row of instructions, and what programs do all the time
//! (compare and branch, index an array, read a field) becomes one instruction.

use super::code::{
    AccessInfo, BlockInfo, CallInfo, Code, Op, Reg, Switch, Table, Target, TypedRegister, UNSET,
    is_wide,
};
use super::memory::address_of;
use crate::expr::{Address, BinaryOp, Expr, UnaryOp};
use crate::ids::{BlockId, LocalId, VarId};
use crate::program::{Procedure, Program};
use crate::stmt::{Access, Callee, Loc, Stmt, StmtKind, TerminatorKind};
use crate::types::Type;
use std::collections::HashMap;

/// Compiles a procedure whose blocks are all there.
pub(super) fn compile(program: &Program, procedure: &Procedure) -> Code {
    let mut compiler = Compiler::new(program, procedure);
    for (index, block) in procedure.blocks.iter().enumerate() {
        compiler.starts.push(compiler.code.ops.len() as u32);
        let cost = block.stmts.len() as u32 + 1;
        compiler.loc = block.stmts.first().map_or(block.end.loc, |s| s.loc);
        compiler.emit(Op::Enter { block: index as u32, cost });
        for stmt in &block.stmts {
            compiler.statement(stmt);
        }
        compiler.loc = block.end.loc;
        compiler.temporaries = compiler.first_temporary;
        compiler.terminator(&block.end.kind, BlockId::new(index + 1));
    }
    compiler.finish()
}

pub(super) struct Compiler<'p> {
    program: &'p Program,
    procedure: &'p Procedure,
    pub(super) code: Code,
    /// The register of each variable.
    vars: Vec<Reg>,
    /// The register that keeps each local object's address.
    locals: Vec<Reg>,
    first_temporary: Reg,
    temporaries: Reg,
    most_temporaries: Reg,
    /// Constants get their registers at the end, when the temporaries are counted; until
    /// then they are numbered from [`CONSTANTS`] on.
    constants: HashMap<u128, Reg>,
    constant_values: Vec<u128>,
    starts: Vec<u32>,
    loc: Loc,
}

/// Provisional number of the first constant.
const CONSTANTS: Reg = 1 << 30;

impl<'p> Compiler<'p> {
    fn new(program: &'p Program, procedure: &'p Procedure) -> Compiler<'p> {
        let mut template = vec![];
        let mut vars = vec![];
        for var in &procedure.vars {
            vars.push(template.len() as Reg);
            if is_wide(var.ty) {
                template.push(0);
            }
            template.push(UNSET);
        }
        let locals = (0..procedure.locals.len()).map(|i| (template.len() + i) as Reg).collect();
        template.resize(template.len() + procedure.locals.len(), 0);
        let params = procedure
            .params
            .iter()
            .map(|p| TypedRegister { reg: vars[p.index()], ty: procedure.var(*p).ty })
            .collect();
        let first_temporary = template.len() as Reg;
        Compiler {
            program,
            procedure,
            code: Code { template, params, ..Code::default() },
            vars,
            locals,
            first_temporary,
            temporaries: first_temporary,
            most_temporaries: first_temporary,
            constants: HashMap::new(),
            constant_values: vec![],
            starts: vec![],
            loc: Loc::NONE,
        }
    }

    fn finish(mut self) -> Code {
        // A frame without a block (nothing the front end makes) falls into this trap.
        self.emit(Op::Trap { trap: crate::Trap::Unreachable });
        let first = self.most_temporaries;
        let fix = |reg: &mut Reg| {
            if *reg >= CONSTANTS {
                *reg = *reg - CONSTANTS + first;
            }
        };
        let starts = &self.starts;
        let resolve = |to: &mut u32| *to = to_pc(starts, *to);
        for op in &mut self.code.ops {
            super::rewrite::registers(op, fix);
            super::rewrite::targets(op, resolve);
        }
        for (a, b) in &mut self.code.pairs {
            fix(a);
            fix(b);
        }
        for block in &mut self.code.blocks {
            fix(&mut block.dst);
            fix(&mut block.second);
            fix(&mut block.len);
        }
        for call in &mut self.code.calls {
            call.args.iter_mut().for_each(|place| fix(&mut place.reg));
            if let Target::Indirect { address, .. } = &mut call.callee {
                fix(address);
            }
        }
        self.code.returns.iter_mut().flatten().for_each(|place| fix(&mut place.reg));
        for switch in &mut self.code.switches {
            resolve(&mut switch.default);
            match &mut switch.table {
                Table::Dense { targets, .. } => targets.iter_mut().for_each(resolve),
                Table::Sparse(cases) => cases.iter_mut().for_each(|case| resolve(&mut case.1)),
            }
        }
        self.code.template.resize(first as usize, 0);
        self.code.template.extend_from_slice(&self.constant_values);
        self.code
    }

    pub(super) fn emit(&mut self, op: Op) {
        self.code.ops.push(op);
        self.code.locs.push(self.loc);
    }

    pub(super) fn type_of(&self, e: &Expr) -> Type {
        self.procedure.type_of(e)
    }

    pub(super) fn temporary(&mut self, ty: Type) -> Reg {
        let reg = self.temporaries;
        self.temporaries += if is_wide(ty) { 2 } else { 1 };
        self.most_temporaries = self.most_temporaries.max(self.temporaries);
        reg
    }

    pub(super) fn constant(&mut self, bits: u128) -> Reg {
        if let Some(reg) = self.constants.get(&bits) {
            return *reg;
        }
        let reg = CONSTANTS + self.constant_values.len() as Reg;
        self.constants.insert(bits, reg);
        self.constant_values.push(bits);
        reg
    }

    /// A wide constant that is copied with its mark, the register after it.
    fn wide_constant(&mut self, bits: u128) -> Reg {
        let reg = CONSTANTS + self.constant_values.len() as Reg;
        self.constant_values.extend([bits, 0]);
        reg
    }

    pub(super) fn var(&self, var: VarId) -> Reg {
        self.vars[var.index()]
    }

    pub(super) fn address(&mut self, address: Address, into: Option<Reg>) -> Reg {
        match address {
            Address::Local(local) => self.local_address(local, into),
            fixed => self.constant(u128::from(address_of(fixed))),
        }
    }

    fn local_address(&mut self, local: LocalId, into: Option<Reg>) -> Reg {
        let d = into.unwrap_or_else(|| self.temporary(Type::Ptr));
        self.emit(Op::LocalAddress { d, slot: self.locals[local.index()], local });
        d
    }

    /// A variable was written by an instruction that does not know marks.
    fn written(&mut self, var: VarId) {
        if is_wide(self.procedure.var(var).ty) {
            self.emit(Op::ClearMark { d: self.var(var) + 1 });
        }
    }

    /// A value where it can be copied from together with its mark.
    fn transferable(&mut self, e: &Expr) -> TypedRegister {
        let ty = self.type_of(e);
        let reg = match e {
            Expr::Var(v) => self.var(*v),
            Expr::Const(c) if is_wide(ty) => self.wide_constant(c.bits),
            Expr::Const(c) => self.constant(c.bits),
            _ => {
                let d = self.temporary(ty);
                self.expr_into(e, d);
                d
            }
        };
        TypedRegister { reg, ty }
    }

    fn place(&self, var: VarId) -> TypedRegister {
        TypedRegister { reg: self.var(var), ty: self.procedure.var(var).ty }
    }

    fn statement(&mut self, stmt: &Stmt) {
        self.loc = stmt.loc;
        self.temporaries = self.first_temporary;
        match &stmt.kind {
            StmtKind::Assign { dst, value } => self.assign(*dst, value),
            StmtKind::Load { dst, addr, align, access } => {
                let ty = self.procedure.var(*dst).ty;
                let (a, off) = self.address_and_offset(addr);
                self.load(self.var(*dst), a, off, ty, *align, *access);
                self.written(*dst);
            }
            StmtKind::Store { addr, value, align, access } => {
                let ty = self.type_of(value);
                let (a, off) = self.address_and_offset(addr);
                let v = self.operand(value);
                self.store(a, v, off, ty, *align, *access);
            }
            StmtKind::Copy { dst, src, len, align, access } => {
                let info = self.block(dst, src, len, *align, *access);
                self.emit(Op::CopyBytes { info });
            }
            StmtKind::Fill { dst, byte, len, align, access } => {
                let info = self.block(dst, byte, len, *align, *access);
                self.emit(Op::FillBytes { info });
            }
            StmtKind::Call { results, callee, args } => self.call(results, callee, args),
            StmtKind::Check { cond, trap } => {
                // Over the trap, which is one instruction.
                let jump = self.jump_when(cond, true, u32::MAX);
                self.emit(Op::Trap { trap: *trap });
                self.land(jump);
            }
            StmtKind::CheckInit { var } => {
                let wide = is_wide(self.procedure.var(*var).ty);
                self.emit(Op::CheckInit { a: self.var(*var) + u32::from(wide) });
            }
            StmtKind::Alloc { dst, size, .. } => {
                let a = self.operand(size);
                self.emit(Op::Alloc { d: self.var(*dst), a });
            }
            StmtKind::SaveStack { dst } => self.emit(Op::SaveStack { d: self.var(*dst) }),
            StmtKind::RestoreStack { token } => {
                let a = self.operand(token);
                self.emit(Op::RestoreStack { a });
            }
            // No program that is valid has one here: the procedure counts as unsupported.
            StmtKind::Hole { .. } => self.code.has_holes = true,
        }
    }

    fn assign(&mut self, dst: VarId, value: &Expr) {
        let d = self.var(dst);
        let wide = is_wide(self.procedure.var(dst).ty);
        match value {
            Expr::Var(source) => {
                let a = self.var(*source);
                self.emit(Op::Copy { d, a });
                if wide {
                    self.emit(Op::Copy { d: d + 1, a: a + 1 });
                }
            }
            _ => {
                self.expr_into(value, d);
                self.written(dst);
            }
        }
    }

    /// An address as a register and a constant distance from it.
    fn address_and_offset(&mut self, addr: &Expr) -> (Reg, i64) {
        if let Expr::Binary { op: BinaryOp::PtrAdd, lhs, rhs, .. } = addr
            && let Expr::Const(c) = **rhs
        {
            return (self.operand(lhs), c.bits as u64 as i64);
        }
        (self.operand(addr), 0)
    }

    fn load(&mut self, d: Reg, a: Reg, off: i64, ty: Type, align: u32, access: Access) {
        if let (Ok(short), Access::Plain, Some(align)) = (i32::try_from(off), access, small(align))
        {
            let off = short;
            match ty.width() {
                8 => return self.emit(Op::Load8 { align, d, a, off }),
                16 => return self.emit(Op::Load16 { align, d, a, off }),
                32 => return self.emit(Op::Load32 { align, d, a, off }),
                64 => return self.emit(Op::Load64 { align, d, a, off }),
                _ => {}
            }
        }
        let info = self.access(AccessInfo { ty, align, access, off });
        self.emit(Op::Load { d, a, info });
    }

    fn store(&mut self, a: Reg, v: Reg, off: i64, ty: Type, align: u32, access: Access) {
        if let (Ok(short), Access::Plain | Access::Coerced, Some(align)) =
            (i32::try_from(off), access, small(align))
        {
            let off = short;
            match ty.width() {
                8 => return self.emit(Op::Store8 { align, a, v, off }),
                16 => return self.emit(Op::Store16 { align, a, v, off }),
                32 => return self.emit(Op::Store32 { align, a, v, off }),
                64 => return self.emit(Op::Store64 { align, a, v, off }),
                _ => {}
            }
        }
        let info = self.access(AccessInfo { ty, align, access, off });
        self.emit(Op::Store { a, v, info });
    }

    fn access(&mut self, info: AccessInfo) -> u32 {
        pooled(&mut self.code.accesses, info)
    }

    fn block(&mut self, dst: &Expr, second: &Expr, len: &Expr, align: u32, access: Access) -> u32 {
        let dst = self.operand(dst);
        let second = self.operand(second);
        let len = self.operand(len);
        self.code.blocks.push(BlockInfo { dst, second, len, align, access });
        (self.code.blocks.len() - 1) as u32
    }

    fn call(&mut self, results: &[VarId], callee: &Callee, args: &[Expr]) {
        let callee = match callee {
            Callee::Procedure(id) => Target::Procedure(*id),
            Callee::External(id) => Target::External(*id),
            Callee::Indirect { addr, signature } => {
                Target::Indirect { address: self.operand(addr), signature: signature.clone() }
            }
        };
        let args: Vec<TypedRegister> = args.iter().map(|e| self.transferable(e)).collect();
        let results: Vec<TypedRegister> = results.iter().map(|v| self.place(*v)).collect();
        // A direct call of another type than the callee's is one through a wrong declaration.
        let fits = match &callee {
            Target::Procedure(id) => {
                super::call::fits(&args, &results, &self.program.procedure(*id).signature())
            }
            _ => true,
        };
        if !fits {
            return self.emit(Op::Trap { trap: crate::Trap::BadCall });
        }
        self.code.calls.push(CallInfo { callee, args, results });
        self.emit(Op::Call { info: (self.code.calls.len() - 1) as u32 });
    }

    fn terminator(&mut self, kind: &TerminatorKind, next: BlockId) {
        match kind {
            TerminatorKind::Goto(to) => self.go(*to, next),
            TerminatorKind::Branch { cond, then, otherwise } => {
                if *then == next && *otherwise != next {
                    self.jump_when(cond, false, otherwise.0);
                } else {
                    self.jump_when(cond, true, then.0);
                    self.go(*otherwise, next);
                }
            }
            TerminatorKind::Switch { value, cases, default } => {
                let ty = self.type_of(value);
                let a = self.operand(value);
                self.code.switches.push(Switch {
                    ty,
                    table: table(cases, *default),
                    default: default.0,
                });
                self.emit(Op::Switch { a, table: (self.code.switches.len() - 1) as u32 });
            }
            TerminatorKind::Return(values) => {
                let places = values.iter().map(|e| self.transferable(e)).collect();
                self.code.returns.push(places);
                self.emit(Op::Return { info: (self.code.returns.len() - 1) as u32 });
            }
            TerminatorKind::Trap(trap) => self.emit(Op::Trap { trap: *trap }),
        }
    }

    fn go(&mut self, to: BlockId, next: BlockId) {
        if to != next {
            self.emit(Op::Jump { to: to.0 });
        }
    }
}

/// Jumps within a statement are already instruction numbers, marked by this bit; all
/// others name blocks until the end.
pub(super) const RESOLVED: u32 = 1 << 31;

fn to_pc(starts: &[u32], to: u32) -> u32 {
    if to & RESOLVED != 0 { to & !RESOLVED } else { starts[to as usize] }
}

/// The position of an item in a pool, where it is put if it is new.
pub(super) fn pooled<T: PartialEq>(pool: &mut Vec<T>, item: T) -> u32 {
    // Procedures use few distinct ones; the last few are the likely ones.
    let recent = pool.len().saturating_sub(16);
    if let Some(at) = pool[recent..].iter().position(|x| *x == item) {
        return (recent + at) as u32;
    }
    pool.push(item);
    (pool.len() - 1) as u32
}

/// The logarithm of an alignment up to 128.
fn small(align: u32) -> Option<u8> {
    let align = align.max(1);
    (align.is_power_of_two() && align <= 128).then(|| align.trailing_zeros() as u8)
}

fn table(cases: &[(u128, BlockId)], default: BlockId) -> Table {
    let mut sorted: Vec<(u128, u32)> = cases.iter().map(|(v, b)| (*v, b.0)).collect();
    sorted.sort_unstable();
    let (Some(first), Some(last)) = (sorted.first(), sorted.last()) else {
        return Table::Sparse(sorted);
    };
    let span = last.0 - first.0;
    if span > 4 * cases.len() as u128 + 16 {
        return Table::Sparse(sorted);
    }
    let first = first.0;
    let mut targets = vec![default.0; span as usize + 1];
    for (value, to) in sorted {
        targets[(value - first) as usize] = to;
    }
    Table::Dense { first, targets }
}

/// Whether the operator's operand is the result bit for bit, as registers hold it.
pub(super) fn keeps_bits(op: UnaryOp, to: Type, from: Type) -> bool {
    use UnaryOp::*;
    !is_wide(to)
        && !is_wide(from)
        && matches!(op, ZeroExtend | PtrToInt | IntToPtr | Bitcast)
        && to.width() >= from.width()
}
