//! Instructions that compute: arithmetic, comparisons, casts, selections.

use super::build;
use super::function::FunctionLowering;
use super::module::{Lowered, scalar};
use crate::llvm::{TyKind, Value};
use llvm_sys::LLVMIntPredicate::*;
use llvm_sys::LLVMOpcode::*;
use llvm_sys::LLVMRealPredicate::*;
use llvm_sys::{LLVMIntPredicate, LLVMOpcode, LLVMRealPredicate};
use verdiff_model::{BinaryOp, Expr, Marks, Trap, Type, UnaryOp};

impl<'m> FunctionLowering<'_, 'm> {
    /// Lowers one instruction that is neither a phi nor a terminator.
    pub fn instruction(&mut self, inst: Value<'m>) -> Lowered<()> {
        let opcode = inst.opcode();
        match opcode {
            LLVMAlloca => return self.dynamic_alloca(inst),
            LLVMLoad => return self.load(inst),
            LLVMStore => return self.store(inst),
            LLVMCall => return self.call(inst),
            LLVMAtomicRMW => return self.atomic_update(inst),
            LLVMAtomicCmpXchg => return self.compare_exchange(inst),
            LLVMFence => return Ok(()),
            LLVMVAArg => return Err("va_arg".into()),
            _ => {}
        }
        let lanes = match opcode {
            // A step into a local that is variables: its loads and stores know which.
            LLVMGetElementPtr if self.is_part(inst) => return Ok(()),
            LLVMGetElementPtr => vec![self.get_element_ptr(inst)?],
            LLVMExtractValue | LLVMInsertValue | LLVMExtractElement | LLVMInsertElement
            | LLVMShuffleVector => self.rearrange(inst)?,
            LLVMFreeze => self.lanes(inst.operand(0))?,
            LLVMSelect => self.select(inst)?,
            LLVMICmp => self.compare_ints(inst)?,
            LLVMFCmp => self.compare_floats(inst)?,
            LLVMFNeg => self.lane_wise_unary(inst, UnaryOp::FNeg)?,
            LLVMBitCast => self.bitcast(inst)?,
            LLVMAddrSpaceCast => return Err("another address space".into()),
            _ if cast_op(opcode).is_some() => self.cast(inst, opcode)?,
            _ => self.arithmetic(inst, opcode)?,
        };
        self.define(inst, lanes);
        Ok(())
    }

    fn lane_wise_unary(&mut self, inst: Value<'m>, op: UnaryOp) -> Lowered<Vec<Expr>> {
        let types = self.m.lane_types(inst.ty())?;
        let args = self.lanes(inst.operand(0))?;
        Ok(types.into_iter().zip(args).map(|(ty, arg)| build::unary(op, ty, arg)).collect())
    }

    fn cast(&mut self, inst: Value<'m>, opcode: LLVMOpcode) -> Lowered<Vec<Expr>> {
        let to = self.m.lane_types(inst.ty())?;
        let from = self.m.lane_types(inst.operand(0).ty())?;
        let args = self.lanes(inst.operand(0))?;
        let mut out = Vec::new();
        for ((to, from), arg) in to.into_iter().zip(from).zip(args) {
            out.push(match opcode {
                LLVMPtrToInt => build::ptr_to_int(arg, to),
                LLVMIntToPtr => build::int_to_ptr(arg, from),
                // A truncation to a truth value of a widened one is the value itself;
                // `build` sees that only where the width shows, here it is known.
                LLVMTrunc => {
                    match arg {
                        Expr::Unary {
                            op: UnaryOp::ZeroExtend | UnaryOp::SignExtend, arg, ..
                        } if self.proc.type_of(&arg) == to => *arg,
                        arg => build::unary(UnaryOp::Truncate, to, arg),
                    }
                }
                _ => build::unary(cast_op(opcode).unwrap_or(UnaryOp::Bitcast), to, arg),
            });
        }
        Ok(out)
    }

    fn arithmetic(&mut self, inst: Value<'m>, opcode: LLVMOpcode) -> Lowered<Vec<Expr>> {
        let op =
            binary_op(opcode).ok_or_else(|| format!("the instruction {}", inst.text().trim()))?;
        let marks = match opcode {
            LLVMAdd | LLVMSub | LLVMMul | LLVMShl => {
                Marks { no_signed_wrap: inst.has_nsw(), no_unsigned_wrap: inst.has_nuw() }
            }
            _ => Marks::NONE,
        };
        let types = self.m.lane_types(inst.ty())?;
        let lhs = self.lanes(inst.operand(0))?;
        let rhs = self.lanes(inst.operand(1))?;
        let mut out = Vec::with_capacity(types.len());
        for ((ty, a), b) in types.into_iter().zip(lhs).zip(rhs) {
            let (a, b) = match op {
                BinaryOp::UDiv | BinaryOp::SDiv | BinaryOp::URem | BinaryOp::SRem => {
                    self.check_division(op, ty, a, b)
                }
                _ => (a, b),
            };
            out.push(build::binary_marked(op, marks, a, b));
        }
        Ok(out)
    }

    /// Traps on division by zero and on the one signed quotient that does not fit.
    fn check_division(&mut self, op: BinaryOp, ty: Type, a: Expr, b: Expr) -> (Expr, Expr) {
        let b = self.atom(b);
        let zero = Expr::int(ty.width(), 0);
        self.check(build::binary(BinaryOp::Ne, b.clone(), zero), Trap::DivisionByZero);
        if !matches!(op, BinaryOp::SDiv | BinaryOp::SRem) {
            return (a, b);
        }
        let minus_one = Expr::int(ty.width(), u128::MAX);
        let b_harmless = build::binary(BinaryOp::Ne, b.clone(), minus_one);
        if b_harmless == Expr::bool(true) {
            return (a, b);
        }
        let a = self.atom(a);
        let least = Expr::int(ty.width(), build::min_signed(ty.width()));
        let a_harmless = build::binary(BinaryOp::Ne, a.clone(), least);
        if a_harmless != Expr::bool(true) {
            let cond = match (a_harmless.as_const(), b_harmless.as_const()) {
                (Some(_), _) => b_harmless,
                (_, Some(_)) => a_harmless,
                _ => build::binary(BinaryOp::Or, a_harmless, b_harmless),
            };
            self.check(cond, Trap::DivisionOverflow);
        }
        (a, b)
    }

    fn compare_ints(&mut self, inst: Value<'m>) -> Lowered<Vec<Expr>> {
        let op = int_comparison(inst.int_predicate());
        let lhs = self.lanes(inst.operand(0))?;
        let rhs = self.lanes(inst.operand(1))?;
        let mut out = Vec::new();
        for (a, b) in lhs.into_iter().zip(rhs) {
            // `(zext t) != 0` for a truth value t that is a variable.
            if let (BinaryOp::Ne, Expr::Unary { op: UnaryOp::ZeroExtend, arg, .. }) = (op, &a)
                && b.as_const().is_some_and(|c| c.bits == 0)
                && self.proc.type_of(arg) == Type::BOOL
            {
                out.push((**arg).clone());
                continue;
            }
            out.push(build::binary(op, a, b));
        }
        Ok(out)
    }

    fn compare_floats(&mut self, inst: Value<'m>) -> Lowered<Vec<Expr>> {
        let predicate = inst.float_predicate();
        let lhs = self.lanes(inst.operand(0))?;
        let rhs = self.lanes(inst.operand(1))?;
        Ok(lhs
            .into_iter()
            .zip(rhs)
            .map(|(a, b)| match float_comparison(predicate) {
                Ok(op) => build::binary(op, a, b),
                Err(always) => Expr::bool(always),
            })
            .collect())
    }

    fn select(&mut self, inst: Value<'m>) -> Lowered<Vec<Expr>> {
        let conds = self.lanes(inst.operand(0))?;
        let then = self.lanes(inst.operand(1))?;
        let otherwise = self.lanes(inst.operand(2))?;
        let conds = match (conds.len(), then.len()) {
            (1, 1) => conds,
            (1, n) => {
                let cond = conds.into_iter().next().unwrap_or(Expr::bool(false));
                let cond = self.atom(cond);
                vec![cond; n]
            }
            _ => conds,
        };
        Ok(conds
            .into_iter()
            .zip(then.into_iter().zip(otherwise))
            .map(|(c, (t, o))| match c.as_const() {
                Some(c) if c.bits == 1 => t,
                Some(_) => o,
                None => Expr::select(c, t, o),
            })
            .collect())
    }

    fn bitcast(&mut self, inst: Value<'m>) -> Lowered<Vec<Expr>> {
        let is_scalar =
            |k: TyKind<'_>| matches!(k, TyKind::Int(_) | TyKind::Float(_) | TyKind::Ptr);
        let source = inst.operand(0);
        if is_scalar(inst.ty().kind()) && is_scalar(source.ty().kind()) {
            let (to, from) = (scalar(inst.ty())?, scalar(source.ty())?);
            let arg = self.scalar(source)?;
            return Ok(vec![build::from_bits(build::to_bits(arg, from), to)]);
        }
        let to = self.m.lane_types(inst.ty())?;
        let from = self.m.lane_types(source.ty())?;
        let lanes = self.lanes(source)?;
        self.reslice(lanes, &from, &to)
    }
}

fn cast_op(opcode: LLVMOpcode) -> Option<UnaryOp> {
    Some(match opcode {
        LLVMTrunc => UnaryOp::Truncate,
        LLVMZExt => UnaryOp::ZeroExtend,
        LLVMSExt => UnaryOp::SignExtend,
        LLVMFPToUI => UnaryOp::FToUnsigned,
        LLVMFPToSI => UnaryOp::FToSigned,
        LLVMUIToFP => UnaryOp::UnsignedToF,
        LLVMSIToFP => UnaryOp::SignedToF,
        LLVMFPTrunc | LLVMFPExt => UnaryOp::FConvert,
        LLVMPtrToInt => UnaryOp::PtrToInt,
        LLVMIntToPtr => UnaryOp::IntToPtr,
        _ => return None,
    })
}

fn binary_op(opcode: LLVMOpcode) -> Option<BinaryOp> {
    Some(match opcode {
        LLVMAdd => BinaryOp::Add,
        LLVMSub => BinaryOp::Sub,
        LLVMMul => BinaryOp::Mul,
        LLVMUDiv => BinaryOp::UDiv,
        LLVMSDiv => BinaryOp::SDiv,
        LLVMURem => BinaryOp::URem,
        LLVMSRem => BinaryOp::SRem,
        LLVMShl => BinaryOp::Shl,
        LLVMLShr => BinaryOp::LShr,
        LLVMAShr => BinaryOp::AShr,
        LLVMAnd => BinaryOp::And,
        LLVMOr => BinaryOp::Or,
        LLVMXor => BinaryOp::Xor,
        LLVMFAdd => BinaryOp::FAdd,
        LLVMFSub => BinaryOp::FSub,
        LLVMFMul => BinaryOp::FMul,
        LLVMFDiv => BinaryOp::FDiv,
        LLVMFRem => BinaryOp::FRem,
        _ => return None,
    })
}

fn int_comparison(predicate: LLVMIntPredicate) -> BinaryOp {
    match predicate {
        LLVMIntEQ => BinaryOp::Eq,
        LLVMIntNE => BinaryOp::Ne,
        LLVMIntUGT => BinaryOp::Ugt,
        LLVMIntUGE => BinaryOp::Uge,
        LLVMIntULT => BinaryOp::Ult,
        LLVMIntULE => BinaryOp::Ule,
        LLVMIntSGT => BinaryOp::Sgt,
        LLVMIntSGE => BinaryOp::Sge,
        LLVMIntSLT => BinaryOp::Slt,
        LLVMIntSLE => BinaryOp::Sle,
    }
}

/// The comparison, or what it always gives.
fn float_comparison(predicate: LLVMRealPredicate) -> Result<BinaryOp, bool> {
    Ok(match predicate {
        LLVMRealPredicateFalse => return Err(false),
        LLVMRealPredicateTrue => return Err(true),
        LLVMRealOEQ => BinaryOp::FOeq,
        LLVMRealOGT => BinaryOp::FOgt,
        LLVMRealOGE => BinaryOp::FOge,
        LLVMRealOLT => BinaryOp::FOlt,
        LLVMRealOLE => BinaryOp::FOle,
        LLVMRealONE => BinaryOp::FOne,
        LLVMRealORD => BinaryOp::FOrd,
        LLVMRealUNO => BinaryOp::FUno,
        LLVMRealUEQ => BinaryOp::FUeq,
        LLVMRealUGT => BinaryOp::FUgt,
        LLVMRealUGE => BinaryOp::FUge,
        LLVMRealULT => BinaryOp::FUlt,
        LLVMRealULE => BinaryOp::FUle,
        LLVMRealUNE => BinaryOp::FUne,
    })
}
