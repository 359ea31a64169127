//! Where the value of an expression may lead.

use super::collect::{Collector, Here};
use super::points::Target;
use verdiff_model::{Address, BinaryOp, Const, Expr, GlobalId, LocalId, Type, UnaryOp, VarId};

/// Addresses below this, and as close to the end of memory, are no object's.
const NULL_PAGE: u64 = 4096;

impl Collector<'_, '_> {
    /// Where a value leads if it is, or holds a part of, an address; `None` if it is none. All that
    /// it may be made of is joined.
    pub(super) fn value(&mut self, here: Here, value: &Expr) -> Option<Target> {
        match value {
            Expr::Const(c) => (c.ty == Type::Ptr && !is_no_object(*c)).then_some(self.outside),
            Expr::Var(v) => {
                let var = self.var(here, *v);
                Some(self.points.held(var))
            }
            Expr::Address(Address::Global(g)) => Some(self.sides[here.side].globals[g.index()]),
            Expr::Address(Address::Local(l)) => {
                Some(self.sides[here.side].procedures[here.id.index()].locals[l.index()])
            }
            // Code is in no region.
            Expr::Address(Address::Procedure(_) | Address::External(_)) => None,
            Expr::Unary { op, ty, arg } => self.unary(here, *op, *ty, arg),
            Expr::Binary { op, lhs, rhs, .. } => self.binary(here, *op, lhs, rhs),
            Expr::Select { then, otherwise, .. } => {
                let (a, b) = (self.value(here, then), self.value(here, otherwise));
                self.either(a, b)
            }
            Expr::FusedMulAdd { a, b, c } => {
                let parts = [a, b, c].map(|e| self.value(here, e));
                let joined = self.either(parts[0], parts[1]);
                self.either(joined, parts[2])
            }
        }
    }

    fn unary(&mut self, here: Here, op: UnaryOp, ty: Type, arg: &Expr) -> Option<Target> {
        if ty == Type::BOOL || !keeps_bits(op) {
            return None;
        }
        if let (UnaryOp::IntToPtr, Some(c)) = (op, arg.as_const()) {
            return (!is_no_object(c)).then_some(self.outside);
        }
        let target = self.value(here, arg)?;
        if !matches!(op, UnaryOp::PtrToInt | UnaryOp::IntToPtr | UnaryOp::Bitcast) {
            self.points.blur(target);
        }
        Some(target)
    }

    fn binary(&mut self, here: Here, op: BinaryOp, lhs: &Expr, rhs: &Expr) -> Option<Target> {
        use BinaryOp::*;
        if op.is_predicate() {
            return None;
        }
        if op == PtrAdd {
            return if is_number(lhs) {
                let target = self.value(here, rhs)?;
                self.points.blur(target);
                Some(target)
            } else {
                let target = self.value(here, lhs)?;
                Some(self.moved(target, rhs))
            };
        }
        if let (Add | Sub, Some(c), Type::WORD) = (op, rhs.as_const(), self.type_of(here, lhs)) {
            let target = self.value(here, lhs)?;
            let step = c.bits as i64;
            return Some(target.plus(if op == Add { step } else { step.wrapping_neg() }));
        }
        if let (Sub, Some(a), Some(b)) = (op, pointer_as_int(lhs), pointer_as_int(rhs)) {
            // A distance. Adding it to one pointer gives the other.
            let (a, b) = (self.value(here, a), self.value(here, b));
            let both = a.is_some() && b.is_some();
            if let (Some(target), true) = (self.either(a, b), both) {
                self.points.blur(target);
            }
            return None;
        }
        let (a, b) = (self.value(here, lhs), self.value(here, rhs));
        let target = self.either(a, b)?;
        self.points.blur(target);
        Some(target)
    }

    fn either(&mut self, a: Option<Target>, b: Option<Target>) -> Option<Target> {
        if let (Some(a), Some(b)) = (a, b) {
            self.points.join(a, b);
        }
        a.or(b)
    }

    /// A target some way on.
    fn moved(&mut self, target: Target, offset: &Expr) -> Target {
        match offset {
            Expr::Const(c) => target.plus(c.bits as i64),
            Expr::Binary { op: BinaryOp::Add, lhs, rhs, .. } => {
                let target = self.moved(target, lhs);
                self.moved(target, rhs)
            }
            _ => {
                self.points.step(target, unit(offset));
                target
            }
        }
    }

    fn type_of(&self, here: Here, e: &Expr) -> Type {
        self.programs[here.side].procedure(here.id).type_of(e)
    }
}

/// A power of two that the value of an expression is a multiple of, wrapped or not.
fn unit(e: &Expr) -> u64 {
    match e {
        Expr::Const(c) => 1 << (c.bits as u64).trailing_zeros().min(62),
        Expr::Binary { op: BinaryOp::Mul, lhs, rhs, .. } => unit(lhs).saturating_mul(unit(rhs)),
        Expr::Binary { op: BinaryOp::Add | BinaryOp::Sub, lhs, rhs, .. } => {
            unit(lhs).min(unit(rhs))
        }
        Expr::Binary { op: BinaryOp::Shl, lhs, rhs, .. } => match rhs.as_const() {
            Some(c) if c.bits < 8 => unit(lhs).saturating_mul(1 << c.bits),
            _ => 1,
        },
        Expr::Unary {
            op: UnaryOp::SignExtend | UnaryOp::ZeroExtend | UnaryOp::Neg, arg, ..
        } => unit(arg),
        _ => 1,
    }
    // What wraps at eight bits or more is still a multiple of this.
    .min(1 << 7)
}

/// What a value may get its address from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Leaf {
    Var(VarId),
    Global(GlobalId),
    Local(LocalId),
}

/// Calls `visit` with everything a value may get an address from, numbers aside.
pub(super) fn sources(value: &Expr, visit: &mut impl FnMut(Leaf)) {
    match value {
        Expr::Const(_) => {}
        Expr::FusedMulAdd { a, b, c } => [a, b, c].into_iter().for_each(|e| sources(e, visit)),
        Expr::Var(v) => visit(Leaf::Var(*v)),
        Expr::Address(Address::Global(g)) => visit(Leaf::Global(*g)),
        Expr::Address(Address::Local(l)) => visit(Leaf::Local(*l)),
        Expr::Address(Address::Procedure(_) | Address::External(_)) => {}
        Expr::Unary { op, ty, arg } => {
            if *ty != Type::BOOL && keeps_bits(*op) {
                sources(arg, visit);
            }
        }
        Expr::Binary { op: BinaryOp::PtrAdd, lhs, rhs, .. } => {
            sources(if is_number(lhs) { rhs } else { lhs }, visit);
        }
        Expr::Binary { op, lhs, rhs, .. } => {
            use BinaryOp::*;
            let distance =
                *op == Sub && pointer_as_int(lhs).is_some() && pointer_as_int(rhs).is_some();
            if !distance && !op.is_predicate() {
                sources(lhs, visit);
                sources(rhs, visit);
            }
        }
        Expr::Select { then, otherwise, .. } => {
            sources(then, visit);
            sources(otherwise, visit);
        }
    }
}

/// Whether parts of the operand's bits may be in the result.
fn keeps_bits(op: UnaryOp) -> bool {
    use UnaryOp::*;
    matches!(
        op,
        Not | Neg
            | ZeroExtend
            | SignExtend
            | Truncate
            | PtrToInt
            | IntToPtr
            | Bitcast
            | ByteSwap
            | BitReverse
            | FNeg
            | FAbs
            | FFloor
            | FCeil
            | FTrunc
            | FRoundEven
            | FRound
            | FConvert
            | FToSigned
            | FToUnsigned
            | FToSignedSat
            | FToUnsignedSat
            | SignedToF
            | UnsignedToF
    )
}

fn pointer_as_int(e: &Expr) -> Option<&Expr> {
    match e {
        Expr::Unary { op: UnaryOp::PtrToInt, arg, .. } => Some(arg),
        _ => None,
    }
}

fn is_number(e: &Expr) -> bool {
    match e {
        Expr::Const(_) => true,
        Expr::Unary { op: UnaryOp::IntToPtr, arg, .. } => is_number(arg),
        _ => false,
    }
}

/// Whether no object can lie at this address: near null or near the end of memory.
fn is_no_object(c: Const) -> bool {
    !(NULL_PAGE..u64::MAX - NULL_PAGE).contains(&(c.bits as u64))
}

/// Whether an address is a constant where no object can lie.
pub(super) fn is_nothing(address: &Expr) -> bool {
    match address {
        Expr::Const(c) => is_no_object(*c),
        Expr::Unary { op: UnaryOp::IntToPtr, arg, .. } => is_nothing(arg),
        Expr::Address(Address::Procedure(_) | Address::External(_)) => true,
        _ => false,
    }
}
