//! Which locals are variables of the model and which are objects in memory.
//!
//! A local is a variable if its address goes nowhere: it is only loaded, stored and, for a
//! struct or array, stepped into by constants. A struct or array then becomes one variable a
//! scalar, `p.x` and `v[2]`, provided that every access sees the same scalars. Being
//! uninitialised is kept: a variable without a value and an object with unwritten bytes
//! trap alike when read.

use super::function::{FunctionLowering, Slot};
use super::memory::is_bit_field_update;
use super::module::{Lowered, scalar};
use crate::llvm::{Ty, TyKind, Value};
use llvm_sys::LLVMOpcode::*;
use std::collections::BTreeMap;
use verdiff_model::{
    Address, CType, CTypeId, CTypes, Expr, Local, LocalId, Type, Var, VarId, VarKind,
};

/// A struct or array of more scalars than this stays an object.
const MAX_SCALARS: usize = 64;

impl<'m> FunctionLowering<'_, 'm> {
    /// Decides for each alloca of the entry block.
    pub fn allocas(&mut self, entry: &[Value<'m>]) -> Lowered<()> {
        for inst in entry {
            if inst.opcode() != LLVMAlloca || !inst.operand(0).is_int_constant() {
                continue;
            }
            let ty = inst.allocated_type();
            let count = inst.operand(0).int_low();
            let declared = self.declared.get(inst).cloned();
            let (name, ctype, loc) = declared.unwrap_or_else(|| (inst.name(), None, self.proc.loc));
            if count == 1 && is_variable(*inst) {
                if let Some(param) = self.stored_parameter(*inst, entry) {
                    self.proc.vars[param.index()].name = name;
                    self.proc.vars[param.index()].ctype = ctype;
                    self.slots.insert(*inst, Slot::Variable(param));
                    continue;
                }
                let var = Var { name, ty: scalar(ty)?, ctype, kind: VarKind::Local };
                let id = self.proc.add_var(var);
                self.slots.insert(*inst, Slot::Variable(id));
            } else if let Some(scalars) = self.scalars(*inst).filter(|_| count == 1) {
                for (offset, part) in scalars {
                    let path =
                        ctype.and_then(|c| field_path(&self.m.program.ctypes, c, offset, part));
                    let (suffix, ctype) = path.unwrap_or_else(|| (format!("@{offset}"), None));
                    let var = Var {
                        name: format!("{name}{suffix}"),
                        ty: part,
                        ctype,
                        kind: VarKind::Local,
                    };
                    let id = self.proc.add_var(var);
                    self.parts.insert((*inst, offset), id);
                }
                self.slots.insert(*inst, Slot::Parts);
            } else {
                let size = self.m.layout.size(ty).checked_mul(count).ok_or("a huge local")?;
                self.proc.locals.push(Local { name, size, align: inst.alignment(), ctype, loc });
                let id = LocalId::new(self.proc.locals.len() - 1);
                self.slots.insert(*inst, Slot::Object(id));
                let address = Expr::Address(Address::Local(id));
                self.values.insert(*inst, super::temporaries::Bound::stable(vec![address]));
            }
        }
        Ok(())
    }

    /// The variables that an access of a type at an address means, if it means variables.
    pub fn variables_behind(&self, pointer: Value<'m>, ty: Ty<'m>) -> Option<Vec<VarId>> {
        if let Some(Slot::Variable(var)) = self.slots.get(&pointer) {
            return Some(vec![*var]);
        }
        let (alloca, start) = self.alloca_behind(pointer)?;
        if self.slots.get(&alloca) != Some(&Slot::Parts) {
            return None;
        }
        let lanes = self.m.lane_offsets(ty).ok()?;
        lanes.iter().map(|(_, offset)| self.parts.get(&(alloca, start + offset)).copied()).collect()
    }

    /// The parameter that clang spills into this alloca before anything else touches it:
    /// the two are one variable.
    fn stored_parameter(&self, alloca: Value<'m>, entry: &[Value<'m>]) -> Option<VarId> {
        let first = entry.iter().find(|i| match i.opcode() {
            LLVMLoad => i.operand(0) == alloca,
            LLVMStore => i.operand(1) == alloca,
            _ => false,
        })?;
        if first.opcode() != LLVMStore {
            return None;
        }
        let param = first.operand(0);
        if !param.is_argument() || param.users().len() != 1 {
            return None;
        }
        match self.values.get(&param)?.exprs() {
            [Expr::Var(v)] => Some(*v),
            _ => None,
        }
    }

    /// The scalars of a struct or array whose address goes nowhere: offsets and types.
    fn scalars(&self, alloca: Value<'m>) -> Option<BTreeMap<u64, Type>> {
        if !matches!(alloca.allocated_type().kind(), TyKind::Struct(_) | TyKind::Array(..)) {
            return None;
        }
        let size = self.m.layout.size(alloca.allocated_type());
        let mut found: BTreeMap<u64, Type> = BTreeMap::new();
        let mut work = vec![alloca];
        while let Some(pointer) = work.pop() {
            for user in pointer.users() {
                let accessed = match user.opcode_if_instruction()? {
                    LLVMGetElementPtr if user.operand(0) == pointer => {
                        self.alloca_behind(user)?;
                        work.push(user);
                        continue;
                    }
                    // Writing a bit-field reads the word around it, which may have no value
                    // yet. Memory can say that of a load, a variable cannot.
                    LLVMLoad if is_bit_field_update(user) => return None,
                    LLVMLoad if !user.is_volatile() => user.ty(),
                    LLVMStore
                        if user.operand(1) == pointer
                            && user.operand(0) != pointer
                            && !user.is_volatile() =>
                    {
                        user.operand(0).ty()
                    }
                    LLVMCall if user.callee().name().starts_with("llvm.lifetime.") => continue,
                    _ => return None,
                };
                // A vector or struct on its way through registers is its scalars.
                let (_, start) = self.alloca_behind(pointer)?;
                for (ty, offset) in self.m.lane_offsets(accessed).ok()? {
                    if ty.width() % 8 != 0 || *found.entry(start + offset).or_insert(ty) != ty {
                        return None;
                    }
                }
            }
        }
        // No two may overlap, none may leave the object.
        let mut end = 0;
        for (offset, ty) in &found {
            if *offset < end {
                return None;
            }
            end = offset + ty.bytes();
        }
        (end <= size && found.len() <= MAX_SCALARS).then_some(found)
    }
}

/// Whether an alloca can be a variable: a scalar that is only loaded and stored whole.
fn is_variable(alloca: Value<'_>) -> bool {
    let ty = alloca.allocated_type();
    if !matches!(ty.kind(), TyKind::Int(1..=128) | TyKind::Float(_) | TyKind::Ptr) {
        return false;
    }
    alloca.users().into_iter().all(|user| match user.opcode_if_instruction() {
        Some(LLVMLoad) => user.ty() == ty && !user.is_volatile(),
        Some(LLVMStore) => {
            user.operand(1) == alloca
                && user.operand(0) != alloca
                && user.operand(0).ty() == ty
                && !user.is_volatile()
        }
        Some(LLVMCall) => user.callee().name().starts_with("llvm.lifetime."),
        _ => false,
    })
}

/// How C writes the scalar at an offset of an object, `.pos.x` or `[2]`, and its C type.
fn field_path(
    types: &CTypes,
    ctype: CTypeId,
    offset: u64,
    ty: Type,
) -> Option<(String, Option<CTypeId>)> {
    let mut path = String::new();
    let (mut at, mut offset) = (ctype, offset);
    loop {
        match types.get(types.resolve(at)) {
            CType::Record { fields, .. } => {
                let field = fields.iter().find(|f| {
                    let start = f.offset_bits / 8;
                    let size = types.size(f.ctype).unwrap_or(0);
                    f.bit_width.is_none() && start <= offset && offset < start + size
                })?;
                if !field.name.is_empty() {
                    path.push('.');
                    path.push_str(&field.name);
                }
                offset -= field.offset_bits / 8;
                at = field.ctype;
            }
            CType::Array { element, .. } => {
                let size = types.size(*element)?;
                path.push_str(&format!("[{}]", offset.checked_div(size)?));
                offset = offset.checked_rem(size)?;
                at = *element;
            }
            _ => break,
        }
    }
    let matches = match (types.get(types.resolve(at)), ty) {
        (CType::Int { width, .. } | CType::Enum { width, .. }, Type::Int(w)) => *width == w,
        (CType::Float { .. }, Type::Float(_)) | (CType::Pointer(_), Type::Ptr) => true,
        _ => false,
    };
    (offset == 0).then_some((path, matches.then_some(at)))
}
