//! The frame of a function: its parameters, which locals are variables and which are
//! objects in memory, its blocks and the edges between them.

use super::holes::{self, Holes};
use super::init;
use super::module::{Lowered, ModuleLowering, ON_FUNCTION, scalar};
use super::opaque::{code_with_names, opaque};
use crate::llvm::{BasicBlock, Meta, Value};
use llvm_sys::LLVMOpcode::*;
use std::collections::HashMap;
use verdiff_model::{
    Access, Address, Block, BlockId, CTypeId, Expr, Loc, Local, LocalId, ProcId, Procedure, Stmt,
    StmtKind, Terminator, TerminatorKind, Trap, Type, Unsupported, Var, VarId, VarKind,
};

/// The state of lowering one function.
pub struct FunctionLowering<'a, 'm> {
    pub m: &'a mut ModuleLowering<'m>,
    pub proc: Procedure,
    pub function: Value<'m>,
    /// What each value is, as scalars.
    pub values: HashMap<Value<'m>, super::temporaries::Bound>,
    /// Values that hold an expression with a variable that could still change.
    pub mentions: HashMap<VarId, Vec<Value<'m>>>,
    /// What each alloca became.
    pub slots: HashMap<Value<'m>, Slot>,
    /// The variables of a struct or array that became several, by offset.
    pub parts: HashMap<(Value<'m>, u64), VarId>,
    /// Source variable of each alloca.
    pub declared: HashMap<Value<'m>, (String, Option<CTypeId>, Loc)>,
    pub blocks: HashMap<BasicBlock<'m>, BlockId>,
    /// Variables of the phis of each block.
    pub phis: HashMap<Value<'m>, Vec<VarId>>,
    /// The block being filled.
    pub stmts: Vec<Stmt>,
    pub current: BasicBlock<'m>,
    pub loc: Loc,
    pub temporaries: u32,
    /// The instruction that is being lowered.
    pub at: Option<Value<'m>>,
    /// The instructions that are not to be lowered.
    pub holes: Holes,
}

/// What an alloca became.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Slot {
    /// A variable: its address does not escape.
    Variable(VarId),
    /// One variable a scalar.
    Parts,
    /// An object in memory.
    Object(LocalId),
}

/// Lowers the body of `function` into procedure `id`.
pub fn lower<'m>(m: &mut ModuleLowering<'m>, function: Value<'m>, id: ProcId) {
    let Some(mut lowering) = FunctionLowering::new(m, function, id) else { return };
    let initialiser = lowering.m.unknown_initialiser(function);
    let used = match &initialiser {
        Some(_) => None,
        None => lowering.m.unlinked_reference(function),
    };
    let unlinked = |name: &String| format!("a use of {name}, whose definition is not linked,");
    let unknown = initialiser.or_else(|| used.as_ref().map(unlinked));
    let outcome = unknown.clone().map_or_else(|| lowering.body(), Err);
    let (mut proc, loc) = (lowering.proc, lowering.loc);
    if let Err(construct) = outcome {
        let loc = if loc.is_known() { loc } else { proc.loc };
        let code = used.as_ref().and_then(|_| code_with_names(m, function));
        let unlinked = used.zip(code);
        proc.unsupported.push(Unsupported { unlinked, ..Unsupported::new(construct, loc) });
    }
    if proc.is_supported() {
        init::prune_checks(&mut proc);
        verdiff_model::graph::tidy::tidy(&mut proc);
    } else {
        proc.blocks.clear();
        proc.locals.clear();
        // The same code with an initialiser that nobody knows may do something else.
        proc.opaque = opaque(m, function).filter(|_| unknown.is_none()).map(Box::new);
        if proc.opaque.is_some() {
            proc.with_holes = holes::body(m, function, id).map(Box::new);
        }
    }
    m.program.procedures[id.index()] = proc;
}

impl<'a, 'm> FunctionLowering<'a, 'm> {
    /// Before anything is lowered; `None` if there is no code.
    pub fn new(
        m: &'a mut ModuleLowering<'m>,
        function: Value<'m>,
        id: ProcId,
    ) -> Option<FunctionLowering<'a, 'm>> {
        let current = function.blocks().first().copied()?;
        let proc = m.program.procedures[id.index()].clone();
        Some(FunctionLowering {
            m,
            proc,
            function,
            values: HashMap::new(),
            mentions: HashMap::new(),
            slots: HashMap::new(),
            parts: HashMap::new(),
            declared: HashMap::new(),
            blocks: HashMap::new(),
            phis: HashMap::new(),
            stmts: Vec::new(),
            current,
            loc: Loc::NONE,
            temporaries: 0,
            at: None,
            holes: Holes::default(),
        })
    }

    /// Lowers everything.
    pub fn body(&mut self) -> Lowered<()> {
        let blocks = self.function.blocks();
        if !self.proc.unsupported.is_empty() {
            return Ok(());
        }
        if self.function.has_attribute(ON_FUNCTION, self.m.attributes.returns_twice) {
            return Err("a function that returns twice".into());
        }
        for (index, block) in blocks.iter().enumerate() {
            self.blocks.insert(*block, BlockId::new(index));
            self.proc.blocks.push(Block {
                label: block.name(),
                stmts: vec![],
                end: Terminator { kind: TerminatorKind::Trap(Trap::Unreachable), loc: Loc::NONE },
            });
        }
        self.read_declarations(&blocks);
        self.parameters()?;
        self.area_parameters();
        self.allocas(&blocks[0].instructions())?;
        self.declare_phis(&blocks)?;
        for block in blocks {
            self.block(block)?;
        }
        Ok(())
    }

    /// Names and types of locals, from the calls of `llvm.dbg.declare`.
    fn read_declarations(&mut self, blocks: &[BasicBlock<'m>]) {
        for inst in blocks.iter().flat_map(|b| b.instructions()) {
            if inst.opcode() != LLVMCall || inst.callee().name() != "llvm.dbg.declare" {
                continue;
            }
            // The first operand wraps the alloca, the second describes the variable.
            let alloca = inst.operand(0).as_meta_value();
            let (Some(alloca), Some(var)) = (alloca, inst.operand(1).as_meta()) else { continue };
            let loc = self.variable_loc(var);
            let (name, ctype) = self.m.types.variable(var, &mut self.m.program.ctypes);
            self.declared.entry(alloca).or_insert((name, ctype, loc));
        }
    }

    fn variable_loc(&mut self, var: Meta<'m>) -> Loc {
        match var.variable_file() {
            Some(file) => Loc { file: self.m.file(file), line: var.variable_line(), column: 0 },
            None => Loc::NONE,
        }
    }

    /// Parameters: one variable a scalar. A struct passed by value in memory is copied
    /// into an object of the callee's, where clang leaves the copying to the backend.
    fn parameters(&mut self) -> Lowered<()> {
        for (index, param) in self.function.params().into_iter().enumerate() {
            let lanes = self.m.lane_types(param.ty())?;
            let name = plain_name(param.name());
            let mut exprs = Vec::new();
            for (lane, ty) in lanes.iter().enumerate() {
                let name = match lanes.len() {
                    1 => name.clone(),
                    _ => format!("{name}.{lane}"),
                };
                let var = Var { name, ty: *ty, ctype: None, kind: VarKind::Parameter };
                let id = self.proc.add_var(var);
                self.proc.params.push(id);
                exprs.push(Expr::Var(id));
            }
            if let Some(pointee) =
                self.function.type_attribute(index as u32 + 1, self.m.attributes.by_value)
            {
                let size = self.m.layout.size(pointee);
                let align = self.m.layout.align(pointee);
                let declared = self.declared.get(&param).cloned();
                let (name, ctype, loc) = declared.unwrap_or((name, None, self.proc.loc));
                self.proc.locals.push(Local { name: name.clone(), size, align, ctype, loc });
                if let Some(v) = self.proc.params.last() {
                    self.proc.vars[v.index()].name = name;
                    self.proc.vars[v.index()].ctype = ctype.map(|c| self.m.pointer_to(c));
                }
                let local = Expr::Address(Address::Local(LocalId::new(self.proc.locals.len() - 1)));
                self.emit(StmtKind::Copy {
                    dst: local.clone(),
                    src: exprs.remove(0),
                    len: Expr::int(64, size.into()),
                    align,
                    access: Access::Plain,
                });
                exprs = vec![local];
            }
            self.values.insert(param, super::temporaries::Bound::stable(exprs));
        }
        Ok(())
    }

    fn declare_phis(&mut self, blocks: &[BasicBlock<'m>]) -> Lowered<()> {
        for phi in blocks.iter().flat_map(|b| b.instructions()) {
            if phi.opcode() != LLVMPHI {
                continue;
            }
            let mut vars = Vec::new();
            for ty in self.m.lane_types(phi.ty())? {
                vars.push(self.temporary(ty, None));
            }
            self.values.insert(
                phi,
                super::temporaries::Bound::stable(vars.iter().map(|v| Expr::Var(*v)).collect()),
            );
            self.phis.insert(phi, vars);
        }
        Ok(())
    }

    fn block(&mut self, block: BasicBlock<'m>) -> Lowered<()> {
        self.current = block;
        let id = self.blocks[&block];
        for inst in block.instructions() {
            self.loc = self.location(inst);
            self.at = Some(inst);
            match inst.opcode() {
                LLVMPHI => {}
                LLVMCallBr if self.holes.contains(inst) => {
                    let end = self.hole_with_ways(block, inst)?;
                    self.end_block(id, end);
                }
                _ if self.holes.contains(inst) => self.hole(inst)?,
                LLVMRet | LLVMBr | LLVMSwitch | LLVMIndirectBr | LLVMUnreachable => {
                    let end = self.terminator(block, inst)?;
                    self.end_block(id, end);
                }
                LLVMInvoke | LLVMResume | LLVMLandingPad | LLVMCleanupRet | LLVMCatchRet
                | LLVMCatchPad | LLVMCleanupPad | LLVMCatchSwitch => {
                    return Err("exceptions".into());
                }
                LLVMCallBr => return Err("asm goto".into()),
                _ => self.instruction(inst)?,
            }
        }
        self.mentions.clear();
        self.at = None;
        Ok(())
    }

    fn end_block(&mut self, id: BlockId, end: TerminatorKind) {
        let stmts = std::mem::take(&mut self.stmts);
        let target = &mut self.proc.blocks[id.index()];
        target.stmts = stmts;
        target.end = Terminator { kind: end, loc: self.loc };
    }

    /// Where an instruction stands. One without a place stands where the one before did,
    /// but only within a block.
    fn location(&mut self, inst: Value<'m>) -> Loc {
        match inst.location() {
            Some((line, column, scope)) if line > 0 => {
                Loc { file: self.m.scope_file(scope), line, column }
            }
            _ => Loc::NONE,
        }
    }

    fn terminator(&mut self, block: BasicBlock<'m>, inst: Value<'m>) -> Lowered<TerminatorKind> {
        Ok(match inst.opcode() {
            LLVMRet => {
                let values = match inst.operand_count() {
                    0 => vec![],
                    _ => self.lanes(inst.operand(0))?,
                };
                TerminatorKind::Return(values)
            }
            LLVMBr if inst.is_conditional() => {
                let cond = self.scalar(inst.condition())?;
                let successors = inst.successors();
                TerminatorKind::Branch {
                    cond,
                    then: self.edge(block, successors[0], false)?,
                    otherwise: self.edge(block, successors[1], false)?,
                }
            }
            LLVMBr => TerminatorKind::Goto(self.edge(block, inst.successors()[0], true)?),
            LLVMSwitch => {
                let ty = scalar(inst.operand(0).ty())?;
                let value = self.scalar(inst.operand(0))?;
                let mut edges = HashMap::new();
                let mut edge = |this: &mut Self, to| -> Lowered<BlockId> {
                    if let Some(id) = edges.get(&to) {
                        return Ok(*id);
                    }
                    let id = this.edge(block, to, false)?;
                    edges.insert(to, id);
                    Ok(id)
                };
                // Operands: value, default block, then pairs of constant and block.
                let default = edge(self, inst.block_operand(1))?;
                let mut cases = Vec::new();
                for index in (2..inst.operand_count()).step_by(2) {
                    let bits = super::constant::int_bits(inst.operand(index), ty)?;
                    cases.push((bits, edge(self, inst.block_operand(index + 1))?));
                }
                TerminatorKind::Switch { value, cases, default }
            }
            LLVMIndirectBr => {
                let value = self.scalar(inst.operand(0))?;
                let mut cases: Vec<(u128, BlockId)> = Vec::new();
                for target in inst.successors() {
                    let bits = self.m.label(self.function, target);
                    if cases.iter().all(|(b, _)| *b != bits) {
                        cases.push((bits, self.edge(block, target, false)?));
                    }
                }
                let default = self.add_block(
                    "no.such.label",
                    vec![],
                    TerminatorKind::Trap(Trap::Unreachable),
                );
                TerminatorKind::Switch { value, cases, default }
            }
            _ => TerminatorKind::Trap(Trap::Unreachable),
        })
    }

    /// The block to go to for the edge `from` → `to`: `to` itself, or, where phis of
    /// `to` take values, a block of its own that sets them. (`only` says that there is
    /// no other edge out of `from`: the values can then be set at its end.)
    pub fn edge(
        &mut self,
        from: BasicBlock<'m>,
        to: BasicBlock<'m>,
        only: bool,
    ) -> Lowered<BlockId> {
        let target = self.blocks[&to];
        let mut moves: Vec<(VarId, Expr)> = Vec::new();
        for phi in to.instructions().into_iter().take_while(|i| i.opcode() == LLVMPHI) {
            let incoming = phi.incoming().into_iter().find(|(_, b)| *b == from);
            let (value, _) = incoming.ok_or("a phi without a value for an edge")?;
            let exprs = self.lanes(value)?;
            moves.extend(self.phis[&phi].clone().into_iter().zip(exprs));
        }
        if moves.is_empty() {
            return Ok(target);
        }
        let outer = if only { None } else { Some(std::mem::take(&mut self.stmts)) };
        self.move_all(moves);
        match outer {
            None => Ok(target),
            Some(outer) => {
                let stmts = std::mem::replace(&mut self.stmts, outer);
                let label = format!("{}.to.{}", from.name(), to.name());
                Ok(self.add_block(&label, stmts, TerminatorKind::Goto(target)))
            }
        }
    }

    /// Assigns all at once: if a value reads a variable that an earlier one sets, all go
    /// through temporaries.
    pub fn move_all(&mut self, moves: Vec<(VarId, Expr)>) {
        let mut set = std::collections::HashSet::new();
        let mut clash = false;
        for (var, value) in &moves {
            value.vars(&mut |v| clash |= set.contains(&v));
            set.insert(*var);
        }
        let moves = if clash {
            let mut through = Vec::new();
            for (var, value) in moves {
                let t = self.temporary(self.proc.var(var).ty, None);
                self.emit(StmtKind::Assign { dst: t, value });
                through.push((var, Expr::Var(t)));
            }
            through
        } else {
            moves
        };
        for (dst, value) in moves {
            if value != Expr::Var(dst) {
                self.emit(StmtKind::Assign { dst, value });
            }
        }
    }

    fn add_block(&mut self, label: &str, stmts: Vec<Stmt>, end: TerminatorKind) -> BlockId {
        let end = Terminator { kind: end, loc: self.loc };
        self.proc.blocks.push(Block { label: label.to_owned(), stmts, end });
        BlockId::new(self.proc.blocks.len() - 1)
    }

    /// Adds a statement at the current place.
    pub fn emit(&mut self, kind: StmtKind) {
        self.stmts.push(Stmt { kind, loc: self.loc });
    }

    /// A new temporary.
    pub fn temporary(&mut self, ty: Type, ctype: Option<CTypeId>) -> VarId {
        self.temporaries += 1;
        let name = format!("t{}", self.temporaries);
        self.proc.add_var(Var { name, ty, ctype, kind: VarKind::Temporary })
    }

    /// Traps unless `cond` holds.
    pub fn check(&mut self, cond: Expr, trap: Trap) {
        if cond != Expr::bool(true) {
            self.emit(StmtKind::Check { cond, trap });
        }
    }
}

/// The name of a parameter, if it is one that C could have. LLVM allows any characters in names, and formulas have names of
/// their own (`&g` is the address of `g`): what could be taken for one of these has no name.
fn plain_name(name: String) -> String {
    let plain = |c: char| c.is_alphanumeric() || matches!(c, '_' | '$' | '.');
    match name.chars().all(plain) {
        true => name,
        false => String::new(),
    }
}
