//! Functions of which all but some instructions can be lowered: those instructions become [holes](StmtKind::Hole).
//!
//! A function with a hole stays unsupported. Its body with holes is compared and never executed, so nothing here says what such
//! an instruction does, only that it is one function of what is in its operands, of memory and of the world, and that it gives
//! nothing but its results, memory, the world and, for `asm goto`, the successor. That holds of:
//!
//! - `va_start` and its kind: what the caller passed is the same in one call of the function, wherever it is asked for;
//! - `asm goto`: like all assembly it reaches memory whose address it has or that is not local, but no local that is a variable here,
//!   since those have no address that goes anywhere (`promote`). Which label it goes to is one more result, by which a switch goes on;
//! - a call of what returns twice: it is a statement that is left more than once. Values that were read before it and are
//!   used behind it are put into temporaries, as they are in LLVM: in the second time they must not be read anew;
//! - accesses of unusual types, atomic operations of unusual kinds and vector instructions with addresses.
//!
//! Whatever is not listed makes no hole: of an intrinsic that looks at the frame or unwinds it nothing of the kind can be said. The function
//! then has no such body. Nor has one with values whose types the model does not know.

use super::function::FunctionLowering;
use super::init;
use super::module::{Lowered, ModuleLowering, ON_FUNCTION};
use super::opaque;
use crate::llvm::{BasicBlock, Value};
use llvm_sys::LLVMOpcode::*;
use std::collections::{BTreeSet, HashMap};
use verdiff_model::{Expr, OpaqueBody, ProcId, StmtKind, TerminatorKind, Type, VarId};

/// Functions with more kinds of instructions that cannot be lowered have no body.
const MOST_KINDS: usize = 12;

/// Which instructions are not to be lowered: whole kinds of them, since what one cannot be lowered for holds of the next.
#[derive(Clone, Debug, Default)]
pub struct Holes {
    kinds: BTreeSet<String>,
}

impl Holes {
    /// Whether an instruction is one of them.
    pub fn contains(&self, inst: Value<'_>) -> bool {
        !self.kinds.is_empty() && kind(inst).is_some_and(|kind| self.kinds.contains(&kind))
    }
}

/// The body of a function some of whose instructions cannot be lowered, if it can be lowered around them.
pub fn body<'m>(m: &mut ModuleLowering<'m>, function: Value<'m>, id: ProcId) -> Option<OpaqueBody> {
    let mut holes = Holes::default();
    for _ in 0..MOST_KINDS {
        let mut lowering = FunctionLowering::new(m, function, id)?;
        lowering.holes = holes.clone();
        // An instruction half lowered is no loss: it is begun anew, with one more hole.
        if lowering.body().is_ok() {
            let mut proc = lowering.proc;
            init::prune_checks(&mut proc);
            verdiff_model::graph::tidy::tidy(&mut proc);
            // Something else is unsupported.
            proc.holes().next()?;
            let verdiff_model::Procedure { params, vars, locals, blocks, .. } = proc;
            return Some(OpaqueBody { params, vars, locals, blocks });
        }
        let failed = lowering.at?;
        if !lowering.may_be_hole(failed) || !holes.kinds.insert(kind(failed)?) {
            return None;
        }
    }
    None
}

/// What an instruction has in common with others: what it does and to which types.
fn kind(inst: Value<'_>) -> Option<String> {
    let opcode = inst.opcode();
    let types = || {
        let of = inst.operands().map(|operand| operand.ty().text());
        of.chain([inst.ty().text()]).collect::<Vec<_>>().join(" ")
    };
    Some(match opcode {
        LLVMCall => format!("call {}", inst.callee().name()),
        LLVMCallBr => "callbr".to_owned(),
        LLVMVAArg => "va_arg".to_owned(),
        LLVMLoad | LLVMStore | LLVMAtomicRMW | LLVMAtomicCmpXchg => {
            format!("{opcode:?} {}", types())
        }
        _ => return None,
    })
}

impl<'m> FunctionLowering<'_, 'm> {
    fn may_be_hole(&self, inst: Value<'m>) -> bool {
        let callee = match inst.opcode() {
            LLVMCall | LLVMCallBr => self.m.resolve(inst.callee()),
            opcode => {
                return matches!(
                    opcode,
                    LLVMVAArg | LLVMLoad | LLVMStore | LLVMAtomicRMW | LLVMAtomicCmpXchg
                );
            }
        };
        let name = callee.name();
        if inst.opcode() == LLVMCallBr {
            return callee.is_assembly();
        }
        if callee.is_function() && name.starts_with("llvm.") {
            return name.starts_with("llvm.va_") || name.starts_with("llvm.x86.");
        }
        let twice = self.m.attributes.returns_twice;
        inst.call_has_attribute(ON_FUNCTION, twice)
            || (callee.is_function() && callee.has_attribute(ON_FUNCTION, twice))
    }

    /// A hole in the place of an instruction.
    pub fn hole(&mut self, inst: Value<'m>) -> Lowered<()> {
        let results = self.emit_hole(inst, vec![])?;
        self.define(inst, results.into_iter().map(Expr::Var).collect());
        Ok(())
    }

    /// A hole in the place of an instruction that ends a block: a further result says which successor follows.
    pub fn hole_with_ways(
        &mut self,
        block: BasicBlock<'m>,
        inst: Value<'m>,
    ) -> Lowered<TerminatorKind> {
        let way = self.temporary(Type::Int(32), None);
        let results = self.emit_hole(inst, vec![way])?;
        self.define(inst, results[1..].iter().copied().map(Expr::Var).collect());
        let mut known = HashMap::new();
        let mut ways = vec![];
        for to in inst.successors() {
            let target = match known.get(&to) {
                Some(target) => *target,
                None => self.edge(block, to, false)?,
            };
            known.insert(to, target);
            ways.push(target);
        }
        let default = *ways.first().ok_or("a block without a successor")?;
        let cases = (0u128..).zip(ways).skip(1).collect();
        Ok(TerminatorKind::Switch { value: Expr::Var(way), cases, default })
    }

    fn emit_hole(&mut self, inst: Value<'m>, mut results: Vec<VarId>) -> Lowered<Vec<VarId>> {
        let code = opaque::instruction(self.m, self.function, inst)?;
        let operands: Vec<Value<'m>> = match inst.opcode() {
            LLVMCall | LLVMCallBr => {
                let args = (0..inst.arg_count()).map(|index| inst.operand(index));
                let callee = Some(inst.callee()).filter(|callee| !callee.is_assembly());
                args.chain(callee).collect()
            }
            _ => inst.operands().collect(),
        };
        let mut args = vec![];
        // What returns twice is told with all its arguments, which are then what whoever tries inputs passes.
        let arguments = if code.returns_twice { inst.arg_count() as usize } else { 0 };
        for (index, operand) in operands.into_iter().enumerate() {
            if index < arguments || !operand.is_constant() {
                args.extend(self.lanes(operand)?);
            }
        }
        if code.returns_twice {
            let mut read: Vec<VarId> = self.mentions.keys().copied().collect();
            read.sort_unstable();
            read.into_iter().for_each(|var| self.before_write(var));
        }
        for ty in self.m.lane_types(inst.ty())? {
            results.push(self.temporary(ty, None));
        }
        self.emit(StmtKind::Hole { results: results.clone(), code: Box::new(code), args });
        Ok(results)
    }
}
