//! Loads, stores, addresses, atomics, variable-length arrays.
//!
//! Atomic accesses are plain ones: one thread is an assumption of every verdict.

use super::build;
use super::function::{FunctionLowering, Slot};
use super::module::Lowered;
use crate::llvm::{Ty, TyKind, Value};
use llvm_sys::LLVMAtomicRMWBinOp::*;
use llvm_sys::LLVMOpcode::*;
use verdiff_model::{Access, BinaryOp, Expr, StmtKind, Type, UnaryOp, VarKind};

impl<'m> FunctionLowering<'_, 'm> {
    /// A local array whose size is computed, or `alloca()`.
    pub fn dynamic_alloca(&mut self, inst: Value<'m>) -> Lowered<()> {
        if self.slots.contains_key(&inst) {
            return Ok(());
        }
        let count_ty = super::module::scalar(inst.operand(0).ty())?;
        let count = self.scalar(inst.operand(0))?;
        let count = build::resize(count, count_ty, Type::WORD, false);
        let element = self.m.layout.size(inst.allocated_type());
        let size = if element == 1 {
            count
        } else {
            build::binary(BinaryOp::Mul, count, Expr::int(64, element.into()))
        };
        let declared = self.declared.get(&inst).cloned();
        // The declared type is the array's; the variable holds its address.
        let ctype = declared.as_ref().and_then(|d| d.1).map(|t| {
            let element = self.m.program.ctypes.target(t).unwrap_or(t);
            self.m.pointer_to(element)
        });
        let dst = self.temporary(Type::Ptr, ctype);
        if let Some((name, ..)) = declared {
            self.proc.vars[dst.index()].name = name;
        }
        self.emit(StmtKind::Alloc { dst, size, align: inst.alignment() });
        self.define(inst, vec![Expr::Var(dst)]);
        Ok(())
    }

    pub fn load(&mut self, inst: Value<'m>) -> Lowered<()> {
        let pointer = inst.operand(0);
        if let Some(vars) = self.variables_behind(pointer, inst.ty()) {
            // `retval` at a return may hold nothing when the function falls off its end;
            // C allows that as long as the caller does not look.
            let only_returned =
                inst.users().iter().all(|u| u.opcode_if_instruction() == Some(LLVMRet));
            // `(void)x;` reads x only to say that it is not used: nothing depends on what it holds.
            let unused = inst.users().is_empty();
            let checked = !unused && (!only_returned || self.declared.contains_key(&pointer));
            for var in &vars {
                if checked && vars.len() == 1 && self.proc.var(*var).kind == VarKind::Local {
                    self.emit(StmtKind::CheckInit { var: *var });
                }
            }
            self.define(inst, vars.into_iter().map(Expr::Var).collect());
            return Ok(());
        }
        let access = if inst.is_volatile() {
            Access::Volatile
        } else if self.is_coerced(inst) {
            Access::Coerced
        } else {
            Access::Plain
        };
        let align = inst.alignment();
        let base = self.scalar(pointer)?;
        let lanes = self.load_lanes(base, inst.ty(), align, access)?;
        self.define(inst, lanes);
        Ok(())
    }

    /// Loads all scalars of a type.
    pub fn load_lanes(
        &mut self,
        base: Expr,
        ty: Ty<'m>,
        align: u32,
        access: Access,
    ) -> Lowered<Vec<Expr>> {
        let lanes = self.memory_lanes(ty)?;
        let base = if lanes.len() > 1 { self.atom(base) } else { base };
        let mut out = Vec::with_capacity(lanes.len());
        for (lane, offset) in lanes {
            let addr = build::ptr_add(base.clone(), Expr::int(64, offset.into()));
            let ctype = self.loaded_ctype(&addr, lane);
            let dst = self.temporary(lane, ctype);
            self.emit(StmtKind::Load { dst, addr, align: lane_align(align, offset), access });
            out.push(Expr::Var(dst));
        }
        Ok(out)
    }

    fn memory_lanes(&self, ty: Ty<'m>) -> Lowered<Vec<(Type, u64)>> {
        if let TyKind::Vector(element, _) = ty.kind()
            && let TyKind::Int(width) = element.kind()
            && width % 8 != 0
        {
            return Err(format!("a {} in memory", ty.text()));
        }
        self.m.lane_offsets(ty)
    }

    pub fn store(&mut self, inst: Value<'m>) -> Lowered<()> {
        let (value, pointer) = (inst.operand(0), inst.operand(1));
        if let Some(vars) = self.variables_behind(pointer, value.ty()) {
            let only_use = value.is_instruction() && value.users().len() == 1;
            let values = self.lanes(value)?;
            let mut moves: Vec<_> = vars.into_iter().zip(values).collect();
            if moves.len() == 1 {
                let (var, value) = moves.remove(0);
                if value != Expr::Var(var) {
                    self.assign(var, value, only_use);
                }
            } else {
                for (var, _) in &moves {
                    self.before_write(*var);
                }
                self.move_all(moves);
            }
            return Ok(());
        }
        let access = if inst.is_volatile() { Access::Volatile } else { Access::Plain };
        let align = inst.alignment();
        let base = self.scalar(pointer)?;
        let values = self.lanes(value)?;
        self.store_lanes(base, value.ty(), values, align, access)
    }

    /// Stores all scalars of a type.
    pub fn store_lanes(
        &mut self,
        base: Expr,
        ty: Ty<'m>,
        values: Vec<Expr>,
        align: u32,
        access: Access,
    ) -> Lowered<()> {
        let lanes = self.memory_lanes(ty)?;
        let base = if lanes.len() > 1 { self.atom(base) } else { base };
        for ((_, offset), value) in lanes.into_iter().zip(values) {
            let addr = build::ptr_add(base.clone(), Expr::int(64, offset.into()));
            self.emit(StmtKind::Store { addr, value, align: lane_align(align, offset), access });
        }
        Ok(())
    }

    /// Whether a load reads memory as the ABI does and not as the program does:
    /// a struct on its way into registers, or the word around a bit-field that is
    /// about to be written back. Such a load may see bytes that were never written.
    fn is_coerced(&self, load: Value<'m>) -> bool {
        if is_bit_field_update(load) {
            return true;
        }
        let passed = load.users().iter().all(|user| {
            matches!(
                user.opcode_if_instruction(),
                Some(LLVMCall | LLVMRet | LLVMInsertValue | LLVMInsertElement)
            )
        });
        let Some((alloca, offset)) = self.alloca_behind(load.operand(0)) else { return false };
        if !passed {
            return false;
        }
        if matches!(alloca.allocated_type().kind(), TyKind::Int(_) | TyKind::Float(_) | TyKind::Ptr)
        {
            // A `_BitInt` on its way into registers, which have room for more bits than it has.
            return !self.declared.contains_key(&alloca) && load.ty() != alloca.allocated_type();
        }
        // A compiler's own copy, or a load that is no field of the struct.
        !self.declared.contains_key(&alloca)
            || self.field_at(alloca.allocated_type(), offset) != Some(load.ty())
    }

    /// The local object a constant address lies in, and where.
    pub fn alloca_behind(&self, pointer: Value<'m>) -> Option<(Value<'m>, u64)> {
        let mut pointer = pointer;
        let mut offset: i64 = 0;
        loop {
            match pointer.opcode_if_instruction()? {
                LLVMAlloca => return Some((pointer, u64::try_from(offset).ok()?)),
                LLVMGetElementPtr => {
                    if !pointer.operands().skip(1).all(|i| i.is_int_constant()) {
                        return None;
                    }
                    offset += self.m.constant_gep_offset(pointer)?;
                    pointer = pointer.operand(0);
                }
                _ => return None,
            }
        }
    }

    /// Whether an address lies in a local that became variables.
    pub fn is_part(&self, pointer: Value<'m>) -> bool {
        self.alloca_behind(pointer)
            .is_some_and(|(alloca, _)| self.slots.get(&alloca) == Some(&Slot::Parts))
    }

    /// The scalar field of a type at an offset.
    fn field_at(&self, ty: Ty<'m>, offset: u64) -> Option<Ty<'m>> {
        match ty.kind() {
            TyKind::Struct(fields) => fields.iter().enumerate().rev().find_map(|(index, field)| {
                let start = self.m.layout.field_offset(ty, index as u32);
                if start > offset { None } else { self.field_at(*field, offset - start) }
            }),
            TyKind::Array(element, _) => {
                let size = self.m.layout.size(element);
                self.field_at(element, offset.checked_rem(size)?)
            }
            _ => (offset == 0).then_some(ty),
        }
    }

    /// An address computed by steps over types.
    pub fn get_element_ptr(&mut self, inst: Value<'m>) -> Lowered<Expr> {
        if !matches!(inst.ty().kind(), TyKind::Ptr) {
            return Err("a vector of addresses".into());
        }
        let mut address = self.scalar(inst.operand(0))?;
        let mut ty = inst.gep_source_type();
        for position in 1..inst.operand_count() {
            let index = inst.operand(position);
            let scale = if position == 1 {
                self.m.layout.size(ty)
            } else {
                match ty.kind() {
                    TyKind::Struct(fields) => {
                        let number = index.int_low() as u32;
                        let offset = self.m.layout.field_offset(ty, number);
                        address = build::ptr_add(address, Expr::int(64, offset.into()));
                        ty = fields[number as usize];
                        continue;
                    }
                    TyKind::Array(element, _) | TyKind::Vector(element, _) => {
                        ty = element;
                        self.m.layout.size(element)
                    }
                    _ => return Err(format!("an index into {}", ty.text())),
                }
            };
            let index_ty = super::module::scalar(index.ty())?;
            let number = self.scalar(index)?;
            let offset = build::scaled(number, index_ty, scale);
            address = build::ptr_add(address, offset);
        }
        Ok(address)
    }

    /// `atomicrmw`: load, compute, store.
    pub fn atomic_update(&mut self, inst: Value<'m>) -> Lowered<()> {
        let access = if inst.is_volatile() { Access::Volatile } else { Access::Plain };
        let align = inst.alignment();
        let addr = self.scalar(inst.operand(0))?;
        let addr = self.atom(addr);
        let operand = self.scalar(inst.operand(1))?;
        let operand = self.atom(operand);
        let old = self.load_lanes(addr.clone(), inst.ty(), align, access)?.remove(0);
        let bin = |op| build::binary(op, old.clone(), operand.clone());
        let pick = |op| Expr::select(bin(op), old.clone(), operand.clone());
        let ty = super::module::scalar(inst.ty())?;
        let new = match inst.atomic_op() {
            LLVMAtomicRMWBinOpXchg => operand.clone(),
            LLVMAtomicRMWBinOpAdd => bin(BinaryOp::Add),
            LLVMAtomicRMWBinOpSub => bin(BinaryOp::Sub),
            LLVMAtomicRMWBinOpAnd => bin(BinaryOp::And),
            LLVMAtomicRMWBinOpNand => build::unary(UnaryOp::Not, ty, bin(BinaryOp::And)),
            LLVMAtomicRMWBinOpOr => bin(BinaryOp::Or),
            LLVMAtomicRMWBinOpXor => bin(BinaryOp::Xor),
            LLVMAtomicRMWBinOpMax => pick(BinaryOp::Sge),
            LLVMAtomicRMWBinOpMin => pick(BinaryOp::Sle),
            LLVMAtomicRMWBinOpUMax => pick(BinaryOp::Uge),
            LLVMAtomicRMWBinOpUMin => pick(BinaryOp::Ule),
            LLVMAtomicRMWBinOpFAdd => bin(BinaryOp::FAdd),
            LLVMAtomicRMWBinOpFSub => bin(BinaryOp::FSub),
            LLVMAtomicRMWBinOpFMax => bin(BinaryOp::FMax),
            LLVMAtomicRMWBinOpFMin => bin(BinaryOp::FMin),
            _ => return Err("an atomic operation of an unusual kind".into()),
        };
        self.emit(StmtKind::Store { addr, value: new, align, access });
        self.define(inst, vec![old]);
        Ok(())
    }

    /// `cmpxchg`: load, compare, store the new value or the old one again.
    pub fn compare_exchange(&mut self, inst: Value<'m>) -> Lowered<()> {
        let access = if inst.is_volatile() { Access::Volatile } else { Access::Plain };
        let align = inst.alignment();
        let addr = self.scalar(inst.operand(0))?;
        let addr = self.atom(addr);
        let expected = self.scalar(inst.operand(1))?;
        let new = self.scalar(inst.operand(2))?;
        let old = self.load_lanes(addr.clone(), inst.operand(1).ty(), align, access)?.remove(0);
        let same = self.name(build::binary(BinaryOp::Eq, old.clone(), expected));
        let value = Expr::select(same.clone(), new, old.clone());
        self.emit(StmtKind::Store { addr, value, align, access });
        self.define(inst, vec![old, same]);
        Ok(())
    }
}

/// The alignment of a part at `offset` of something aligned to `align`.
fn lane_align(align: u32, offset: u64) -> u32 {
    match offset {
        0 => align.max(1),
        _ => align.max(1).min(1 << offset.trailing_zeros().min(31)),
    }
}

/// Whether a load is the first half of writing a bit-field: its bits are masked, joined
/// with new ones and stored back to where they came from.
pub fn is_bit_field_update(load: Value<'_>) -> bool {
    let pointer = load.operand(0);
    let users = load.users();
    !users.is_empty()
        && users.iter().all(|masked| {
            masked.opcode_if_instruction() == Some(LLVMAnd)
                && masked.operand(1).is_int_constant()
                && !masked.users().is_empty()
                && masked.users().iter().all(|joined| {
                    let stored_back = |v: Value<'_>| {
                        v.users().iter().any(|s| {
                            s.opcode_if_instruction() == Some(LLVMStore)
                                && s.operand(0) == v
                                && s.operand(1) == pointer
                        })
                    };
                    match joined.opcode_if_instruction() {
                        Some(LLVMOr) => stored_back(*joined),
                        // A bit-field set to a constant zero needs no `or`.
                        Some(LLVMStore) => joined.operand(1) == pointer,
                        _ => false,
                    }
                })
        })
}
