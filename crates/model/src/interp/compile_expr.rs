//! Expressions and conditions to register code.

use super::code::{Op, Reg, UnaryInfo, is_wide};
use super::compile::{Compiler, RESOLVED, keeps_bits, pooled};
use crate::expr::{BinaryOp, Expr, UnaryOp};
use crate::types::{FloatKind, Type};

impl Compiler<'_> {
    /// A register that holds the value of `e`; instructions must read its low half only if
    /// it is narrow, as a variable's register may be marked as unset.
    pub(super) fn operand(&mut self, e: &Expr) -> Reg {
        match e {
            Expr::Var(v) => self.var(*v),
            Expr::Const(c) => self.constant(c.bits),
            Expr::Address(address) => self.address(*address, None),
            Expr::Unary { op, ty, arg } if keeps_bits(*op, *ty, self.type_of(arg)) => {
                self.operand(arg)
            }
            _ => {
                let d = self.temporary(self.type_of(e));
                self.expr_into(e, d);
                d
            }
        }
    }

    /// Computes `e` into `d`, which no operand of `e` may read after the first write; only the
    /// last instruction writes it.
    pub(super) fn expr_into(&mut self, e: &Expr, d: Reg) {
        match e {
            Expr::Var(v) => {
                let a = self.var(*v);
                self.emit_move(d, a, self.type_of(e));
            }
            Expr::Const(c) => {
                let a = self.constant(c.bits);
                self.emit(Op::Copy { d, a });
            }
            Expr::Address(address) => {
                let a = self.address(*address, Some(d));
                if a != d {
                    self.emit(Op::Copy { d, a });
                }
            }
            Expr::Unary { op, ty, arg } => self.unary(*op, *ty, arg, d),
            Expr::Binary { op, lhs, rhs, .. } => self.binary(*op, lhs, rhs, d),
            Expr::Select { cond, then, otherwise } => {
                let c = self.operand(cond);
                let pair = (self.operand(then), self.operand(otherwise));
                let ty = self.type_of(then);
                let pair = pooled(&mut self.code.pairs, pair);
                self.emit(Op::Select { d, c, pair });
                if !is_wide(ty) {
                    // A chosen variable may be unset, but what is computed has a value.
                    self.emit(Op::Move { d, a: d });
                }
            }
            Expr::FusedMulAdd { a, b, c } => {
                let kind = match self.type_of(a) {
                    Type::Float(kind) => kind,
                    _ => FloatKind::Double,
                };
                let a = self.operand(a);
                let pair = (self.operand(b), self.operand(c));
                let pair = pooled(&mut self.code.pairs, pair);
                self.emit(Op::FusedMulAdd { kind, d, a, pair });
            }
        }
    }

    fn emit_move(&mut self, d: Reg, a: Reg, ty: Type) {
        self.emit(if is_wide(ty) { Op::Copy { d, a } } else { Op::Move { d, a } });
    }

    fn unary(&mut self, op: UnaryOp, to: Type, arg: &Expr, d: Reg) {
        let from = self.type_of(arg);
        let a = self.operand(arg);
        let narrow = !is_wide(to) && !is_wide(from);
        match op {
            _ if keeps_bits(op, to, from) => self.emit(Op::Move { d, a }),
            UnaryOp::Truncate if narrow => self.emit(Op::Truncate { sh: sh(to), d, a }),
            UnaryOp::SignExtend if narrow => {
                self.emit(Op::SignExtend { from: sh(from), to: sh(to), d, a });
            }
            UnaryOp::Not if narrow => {
                let b = self.constant(to.mask());
                self.emit(Op::Xor { d, a, b });
            }
            UnaryOp::Neg if narrow => {
                let zero = self.constant(0);
                self.emit(Op::Sub { sh: sh(to), d, a: zero, b: a });
            }
            _ => {
                let info = pooled(&mut self.code.unaries, UnaryInfo { op, to, from });
                self.emit(Op::Unary { d, a, info });
            }
        }
    }

    fn binary(&mut self, op: BinaryOp, lhs: &Expr, rhs: &Expr, d: Reg) {
        use BinaryOp::*;
        if op == PtrAdd && self.index(lhs, rhs, d) {
            return;
        }
        let ty = self.type_of(lhs);
        let a = self.operand(lhs);
        let b = self.operand(rhs);
        let sh = if is_wide(ty) { 0 } else { sh(ty) };
        let below_width = matches!(rhs, Expr::Const(c) if c.bits < u128::from(ty.width()));
        let float = match ty {
            Type::Float(kind) => Some(kind),
            _ => None,
        };
        let instruction = match op {
            _ if is_wide(ty) => None,
            Add | PtrAdd => Some(Op::Add { sh, d, a, b }),
            Sub => Some(Op::Sub { sh, d, a, b }),
            Mul => Some(Op::Mul { sh, d, a, b }),
            UDiv => Some(Op::UDiv { sh, d, a, b }),
            SDiv => Some(Op::SDiv { sh, d, a, b }),
            URem => Some(Op::URem { d, a, b }),
            SRem => Some(Op::SRem { sh, d, a, b }),
            Shl if below_width => Some(Op::Shl { sh, d, a, b }),
            LShr if below_width => Some(Op::LShr { d, a, b }),
            AShr if below_width => Some(Op::AShr { sh, d, a, b }),
            And => Some(Op::And { d, a, b }),
            Or => Some(Op::Or { d, a, b }),
            Xor => Some(Op::Xor { d, a, b }),
            Eq => Some(Op::Eq { d, a, b }),
            Ne => Some(Op::Ne { d, a, b }),
            Ult => Some(Op::Ult { d, a, b }),
            Ule => Some(Op::Ule { d, a, b }),
            Ugt => Some(Op::Ult { d, a: b, b: a }),
            Uge => Some(Op::Ule { d, a: b, b: a }),
            Slt => Some(Op::Slt { sh, d, a, b }),
            Sle => Some(Op::Sle { sh, d, a, b }),
            Sgt => Some(Op::Slt { sh, d, a: b, b: a }),
            Sge => Some(Op::Sle { sh, d, a: b, b: a }),
            _ => match (op, float) {
                (FAdd, Some(FloatKind::Single)) => Some(Op::AddF32 { d, a, b }),
                (FSub, Some(FloatKind::Single)) => Some(Op::SubF32 { d, a, b }),
                (FMul, Some(FloatKind::Single)) => Some(Op::MulF32 { d, a, b }),
                (FDiv, Some(FloatKind::Single)) => Some(Op::DivF32 { d, a, b }),
                (FAdd, Some(FloatKind::Double)) => Some(Op::AddF64 { d, a, b }),
                (FSub, Some(FloatKind::Double)) => Some(Op::SubF64 { d, a, b }),
                (FMul, Some(FloatKind::Double)) => Some(Op::MulF64 { d, a, b }),
                (FDiv, Some(FloatKind::Double)) => Some(Op::DivF64 { d, a, b }),
                _ => None,
            },
        };
        self.emit(instruction.unwrap_or(Op::Binary { op, ty: ty.into(), d, a, b }));
    }

    /// `base + signed index * scale` as one instruction; false if it is not of this form.
    fn index(&mut self, base: &Expr, offset: &Expr, d: Reg) -> bool {
        let (index, scale) = match offset {
            Expr::Binary { op: BinaryOp::Mul, lhs, rhs, .. } => match (&**lhs, &**rhs) {
                (index, Expr::Const(c)) | (Expr::Const(c), index) => (index, c.bits),
                _ => return false,
            },
            Expr::Binary { op: BinaryOp::Shl, lhs, rhs, .. } => match &**rhs {
                Expr::Const(c) if c.bits < 16 => (&**lhs, 1 << c.bits),
                _ => return false,
            },
            other => (other, 1),
        };
        let Ok(scale) = u16::try_from(scale) else { return false };
        let (index, from) = match index {
            Expr::Unary { op: UnaryOp::SignExtend, arg, .. } if !is_wide(self.type_of(arg)) => {
                (&**arg, self.type_of(arg))
            }
            other => (other, Type::WORD),
        };
        let a = self.operand(base);
        let b = self.operand(index);
        self.emit(Op::Index { sh: sh(from), scale, d, a, b });
        true
    }

    /// Jumps to `to` (a block) when `cond` is `wanted`, and goes on otherwise. Returns
    /// where the jump is, for [`Compiler::land`].
    pub(super) fn jump_when(&mut self, cond: &Expr, wanted: bool, to: u32) -> usize {
        match cond {
            Expr::Unary { op: UnaryOp::Not, ty: Type::BOOL, arg } => {
                return self.jump_when(arg, !wanted, to);
            }
            Expr::Binary { op, lhs, rhs, .. } => {
                // `(int)(a < b) != 0`, as clang writes conditions at -O0.
                if let (BinaryOp::Ne | BinaryOp::Eq, Expr::Const(c)) = (op, &**rhs)
                    && c.bits == 0
                    && let Some(inner) = truth_value(lhs)
                    && self.type_of(inner) == Type::BOOL
                {
                    return self.jump_when(inner, wanted == (*op == BinaryOp::Ne), to);
                }
                let ty = self.type_of(lhs);
                if !is_wide(ty) && !op.is_float_comparison() {
                    let op = if wanted { Some(*op) } else { op.negated() };
                    if let Some(op) = op.filter(|op| op.is_comparison()) {
                        return self.compare_and_jump(op, ty, lhs, rhs, to);
                    }
                }
            }
            _ => {}
        }
        let a = self.operand(cond);
        self.emit(if wanted { Op::JumpIf { a, to } } else { Op::JumpUnless { a, to } });
        self.code.ops.len() - 1
    }

    fn compare_and_jump(
        &mut self,
        op: BinaryOp,
        ty: Type,
        lhs: &Expr,
        rhs: &Expr,
        to: u32,
    ) -> usize {
        use BinaryOp::*;
        let a = self.operand(lhs);
        let b = self.operand(rhs);
        let sh = sh(ty);
        self.emit(match op {
            Eq => Op::JumpEq { a, b, to },
            Ne => Op::JumpNe { a, b, to },
            Ult => Op::JumpUlt { a, b, to },
            Ule => Op::JumpUle { a, b, to },
            Ugt => Op::JumpUlt { a: b, b: a, to },
            Uge => Op::JumpUle { a: b, b: a, to },
            Slt => Op::JumpSlt { sh, a, b, to },
            Sle => Op::JumpSle { sh, a, b, to },
            Sgt => Op::JumpSlt { sh, a: b, b: a, to },
            _ => Op::JumpSle { sh, a: b, b: a, to },
        });
        self.code.ops.len() - 1
    }

    /// Lets the jump at `at` lead here.
    pub(super) fn land(&mut self, at: usize) {
        let here = self.code.ops.len() as u32 | RESOLVED;
        super::rewrite::targets(&mut self.code.ops[at], |to| *to = here);
    }
}

/// The expression under a widening of a truth value.
fn truth_value(e: &Expr) -> Option<&Expr> {
    match e {
        Expr::Unary { op: UnaryOp::ZeroExtend, arg, .. } => Some(arg),
        _ => None,
    }
}

/// 64 minus the width.
fn sh(ty: Type) -> u8 {
    (64 - ty.width()) as u8
}
