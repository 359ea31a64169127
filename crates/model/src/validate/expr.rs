//! The types of expressions. A procedure's expression is checked once, from the leaves up.

use super::problem::ProblemKind;
use super::{valid_type, within};
use crate::expr::{Address, BinaryOp, Const, Expr, UnaryOp};
use crate::program::{MAX_EXPR_DEPTH, Procedure, Program};
use crate::types::Type;

/// Checks an expression and gives its type.
pub(super) fn check(
    program: &Program,
    procedure: &Procedure,
    e: &Expr,
) -> Result<Type, ProblemKind> {
    Checker { program, procedure }.check(e, 1)
}

/// Checks that a constant fits its type.
fn constant(c: Const) -> Result<Type, ProblemKind> {
    valid_type(c.ty)?;
    if c.bits & !c.ty.mask() != 0 {
        return Err(ProblemKind::ConstTooWide { ty: c.ty, bits: c.bits });
    }
    Ok(c.ty)
}

struct Checker<'a> {
    program: &'a Program,
    procedure: &'a Procedure,
}

impl Checker<'_> {
    fn check(&self, e: &Expr, depth: usize) -> Result<Type, ProblemKind> {
        if depth > MAX_EXPR_DEPTH {
            return Err(ProblemKind::TooDeep);
        }
        match e {
            Expr::Const(c) => constant(*c),
            Expr::Var(v) => match self.procedure.vars.get(v.index()) {
                Some(var) => Ok(var.ty),
                None => Err(ProblemKind::NoVar(*v)),
            },
            Expr::Address(a) => self.address(*a),
            Expr::Unary { op, ty, arg } => {
                let from = self.check(arg, depth + 1)?;
                valid_type(*ty)?;
                unary(*op, from, *ty)
            }
            Expr::Binary { op, lhs, rhs, .. } => {
                let lhs = self.check(lhs, depth + 1)?;
                let rhs = self.check(rhs, depth + 1)?;
                binary(*op, lhs, rhs)
            }
            Expr::Select { cond, then, otherwise } => {
                let cond = self.check(cond, depth + 1)?;
                let then = self.check(then, depth + 1)?;
                let otherwise = self.check(otherwise, depth + 1)?;
                expect("the condition", cond, Type::BOOL)?;
                same("?:", then, otherwise)
            }
            Expr::FusedMulAdd { a, b, c } => {
                let a = self.check(a, depth + 1)?;
                let b = self.check(b, depth + 1)?;
                let c = self.check(c, depth + 1)?;
                if !a.is_float() {
                    return Err(ProblemKind::Operand { op: "FusedMulAdd".to_owned(), ty: a });
                }
                same("FusedMulAdd", a, b)?;
                same("FusedMulAdd", a, c)
            }
        }
    }

    fn address(&self, a: Address) -> Result<Type, ProblemKind> {
        match a {
            Address::Local(id) => {
                within(id.index(), &self.procedure.locals, ProblemKind::NoLocal(id))?;
            }
            _ => global_address(self.program, a)?,
        }
        Ok(Type::Ptr)
    }
}

/// Checks an address that is no local's.
pub(super) fn global_address(program: &Program, a: Address) -> Result<(), ProblemKind> {
    match a {
        Address::Global(id) => within(id.index(), &program.globals, ProblemKind::NoGlobal(id)),
        Address::Procedure(id) => {
            within(id.index(), &program.procedures, ProblemKind::NoProcedure(id))
        }
        Address::External(id) => {
            within(id.index(), &program.externals, ProblemKind::NoExternal(id))
        }
        Address::Local(_) => Err(ProblemKind::RelocationLocal),
    }
}

/// Demands a type.
pub(super) fn expect(what: &'static str, found: Type, expected: Type) -> Result<(), ProblemKind> {
    if found == expected { Ok(()) } else { Err(ProblemKind::WrongType { what, found, expected }) }
}

fn same(op: &str, lhs: Type, rhs: Type) -> Result<Type, ProblemKind> {
    if lhs == rhs { Ok(lhs) } else { Err(ProblemKind::Operands { op: op.to_owned(), lhs, rhs }) }
}

fn unary(op: UnaryOp, from: Type, to: Type) -> Result<Type, ProblemKind> {
    use UnaryOp::*;
    let right = match op {
        Not | Neg | PopCount | LeadingZeros | TrailingZeros | BitReverse => {
            from.is_int() && to == from
        }
        ByteSwap => from.is_int() && to == from && from.width().is_multiple_of(16),
        ZeroExtend | SignExtend => from.is_int() && to.is_int() && to.width() > from.width(),
        Truncate => from.is_int() && to.is_int() && to.width() < from.width(),
        PtrToInt => from == Type::Ptr && to == Type::WORD,
        IntToPtr => from == Type::WORD && to == Type::Ptr,
        Bitcast => from.width() == to.width(),
        FNeg | FAbs | FSqrt | FFloor | FCeil | FTrunc | FRoundEven | FRound => {
            from.is_float() && to == from
        }
        FConvert => from.is_float() && to.is_float() && from != to,
        FToSigned | FToUnsigned | FToSignedSat | FToUnsignedSat => from.is_float() && to.is_int(),
        SignedToF | UnsignedToF => from.is_int() && to.is_float(),
    };
    if right { Ok(to) } else { Err(ProblemKind::Cast { op: format!("{op:?}"), from, to }) }
}

fn binary(op: BinaryOp, lhs: Type, rhs: Type) -> Result<Type, ProblemKind> {
    use BinaryOp::*;
    if op == PtrAdd {
        return if lhs == Type::Ptr && rhs == Type::WORD {
            Ok(Type::Ptr)
        } else {
            Err(ProblemKind::Operands { op: "PtrAdd".to_owned(), lhs, rhs })
        };
    }
    if lhs != rhs {
        return Err(ProblemKind::Operands { op: format!("{op:?}"), lhs, rhs });
    }
    let takes = if op.takes_floats() {
        lhs.is_float()
    } else if op.is_comparison() {
        !lhs.is_float()
    } else {
        lhs.is_int()
    };
    if !takes {
        return Err(ProblemKind::Operand { op: format!("{op:?}"), ty: lhs });
    }
    Ok(if op.is_predicate() { Type::BOOL } else { lhs })
}
