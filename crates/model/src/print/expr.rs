//! Expressions as C, with as few parentheses and casts as C needs.

use super::names::{Names, ProgramNames};
use super::{float, path};
use crate::expr::{Address, BinaryOp, Const, Expr, UnaryOp};
use crate::program::{Procedure, Program};
use crate::types::{FloatKind, Type};

/// Text and how tightly its outermost operator binds.
pub(super) struct Text {
    pub(super) text: String,
    pub(super) level: Level,
}

/// C's precedence levels, loosest first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Level {
    Conditional,
    LogicalOr,
    LogicalAnd,
    Or,
    Xor,
    And,
    Equality,
    Relational,
    Shift,
    Additive,
    Multiplicative,
    Unary,
    Postfix,
}

impl Level {
    /// The next tighter level: what the right operand of an operator must have.
    fn tighter(self) -> Level {
        use Level::*;
        match self {
            Conditional => LogicalOr,
            LogicalOr => LogicalAnd,
            LogicalAnd => Or,
            Or => Xor,
            Xor => And,
            And => Equality,
            Equality => Relational,
            Relational => Shift,
            Shift => Additive,
            Additive => Multiplicative,
            Multiplicative => Unary,
            Unary | Postfix => Postfix,
        }
    }
}

impl Text {
    pub(super) fn new(level: Level, text: impl Into<String>) -> Text {
        Text { text: text.into(), level }
    }

    /// The text as an operand where `level` or tighter is needed.
    pub(super) fn at(self, level: Level) -> String {
        if self.level >= level { self.text } else { format!("({})", self.text) }
    }
}

/// Renders the expressions of one procedure.
pub(super) struct Renderer<'a> {
    pub(super) program: &'a Program,
    pub(super) procedure: &'a Procedure,
    pub(super) global_names: &'a ProgramNames,
    pub(super) names: &'a Names,
}

impl Renderer<'_> {
    /// An expression on its own.
    pub(super) fn plain(&self, e: &Expr) -> String {
        self.expr(e).text
    }

    /// An expression that is converted to a type of its own width or another, as C does
    /// without being told: on assignment, as an argument, as a return value.
    pub(super) fn converted(&self, e: &Expr) -> String {
        self.plain(self.without_conversion(e))
    }

    /// The expression under a conversion that C would make of itself.
    pub(super) fn without_conversion<'e>(&self, e: &'e Expr) -> &'e Expr {
        match e {
            Expr::Unary { op: UnaryOp::ZeroExtend, arg, .. }
                if self.ty(arg) == Type::BOOL || self.sign(arg) == Some(false) =>
            {
                arg
            }
            Expr::Unary { op: UnaryOp::SignExtend, arg, .. }
                if self.ty(arg) != Type::BOOL && self.sign(arg) != Some(false) =>
            {
                arg
            }
            Expr::Unary { op: UnaryOp::Truncate, ty, arg } if *ty != Type::BOOL => arg,
            _ => e,
        }
    }

    pub(super) fn ty(&self, e: &Expr) -> Type {
        self.procedure.type_of(e)
    }

    /// Whether C would take the text of the expression for signed or unsigned; `None` for
    /// what fits both.
    fn sign(&self, e: &Expr) -> Option<bool> {
        use UnaryOp::*;
        match e {
            Expr::Const(_) | Expr::Address(_) | Expr::FusedMulAdd { .. } => None,
            // Without a C type a variable is declared as a signed one.
            Expr::Var(v) => {
                let ctype = self.procedure.var(*v).ctype;
                Some(ctype.and_then(|c| self.program.ctypes.signed(c)).unwrap_or(true))
            }
            Expr::Unary { op, ty, arg } => match op {
                Not | Neg | ByteSwap | BitReverse => self.sign(arg),
                PopCount | LeadingZeros | TrailingZeros => Some(true),
                ZeroExtend => Some(self.ty(arg) == Type::BOOL || self.is_promotion(*op, *ty, arg)),
                SignExtend | FToSigned | FToSignedSat => Some(true),
                FToUnsigned | FToUnsignedSat | PtrToInt => Some(false),
                _ => None,
            },
            Expr::Binary { op, lhs, rhs, .. } => match op {
                BinaryOp::UDiv | BinaryOp::URem | BinaryOp::LShr => Some(false),
                BinaryOp::SDiv | BinaryOp::SRem | BinaryOp::AShr => Some(true),
                BinaryOp::Shl => self.sign(lhs),
                op if op.is_predicate() => Some(true),
                _ => self.common_sign(lhs, rhs),
            },
            Expr::Select { then, otherwise, .. } => self.common_sign(then, otherwise),
        }
    }

    /// C's usual arithmetic conversions: unsigned if one side is.
    fn common_sign(&self, lhs: &Expr, rhs: &Expr) -> Option<bool> {
        match (self.sign(lhs), self.sign(rhs)) {
            (Some(false), _) | (_, Some(false)) => Some(false),
            (Some(true), _) | (_, Some(true)) => Some(true),
            (None, None) => None,
        }
    }

    /// Whether a widening is C's promotion of a narrow operand to `int`.
    fn is_promotion(&self, op: UnaryOp, ty: Type, arg: &Expr) -> bool {
        let narrow = self.ty(arg).width() < 32 && self.ty(arg) != Type::BOOL;
        let as_declared = self.sign(arg).is_none_or(|s| s == (op == UnaryOp::SignExtend));
        ty == Type::Int(32) && narrow && as_declared && arg.as_const().is_none()
    }

    pub(super) fn expr(&self, e: &Expr) -> Text {
        match e {
            Expr::Const(c) => constant(*c, self.sign(e)),
            Expr::Var(v) => Text::new(Level::Postfix, &self.names.vars[v.index()]),
            Expr::Address(_) | Expr::Binary { op: BinaryOp::PtrAdd, .. } => path::address(self, e),
            Expr::Unary { op, ty, arg } => self.unary(*op, *ty, arg),
            Expr::Binary { op, lhs, rhs, .. } => self.binary(*op, lhs, rhs),
            Expr::Select { cond, then, otherwise } => Text::new(
                Level::Conditional,
                format!(
                    "{} ? {} : {}",
                    self.expr(cond).at(Level::LogicalOr),
                    self.expr(then).text,
                    self.expr(otherwise).text
                ),
            ),
            Expr::FusedMulAdd { a, b, c } => self.call("fma", &[a, b, c]),
        }
    }

    /// The expression so that C takes it for signed or unsigned, with a cast if need be.
    fn with_sign(&self, e: &Expr, signed: bool) -> Text {
        match e {
            Expr::Const(c) => constant(*c, Some(signed)),
            Expr::Unary { op: UnaryOp::Truncate, ty, arg } if *ty != Type::BOOL => {
                cast(&type_name(*ty, signed), self.expr(arg))
            }
            _ if self.sign(e).is_none_or(|s| s == signed) => self.expr(e),
            _ => cast(&type_name(self.ty(e), signed), self.expr(e)),
        }
    }

    fn call(&self, name: &str, args: &[&Expr]) -> Text {
        let args: Vec<String> = args.iter().map(|a| self.plain(a)).collect();
        Text::new(Level::Postfix, format!("{name}({})", args.join(", ")))
    }

    fn unary(&self, op: UnaryOp, ty: Type, arg: &Expr) -> Text {
        use UnaryOp::*;
        let prefix = |symbol: &str| {
            let operand = self.expr(arg).at(Level::Unary);
            // `- -x`, not `--x`.
            let space = if symbol == "-" && operand.starts_with('-') { " " } else { "" };
            Text::new(Level::Unary, format!("{symbol}{space}{operand}"))
        };
        match op {
            Not if ty == Type::BOOL => prefix("!"),
            Not => self.narrowed(ty, self.sign(arg), prefix("~")),
            Neg => self.narrowed(ty, self.sign(arg), prefix("-")),
            FNeg => prefix("-"),
            ZeroExtend if self.ty(arg) == Type::BOOL => match ty {
                Type::Int(32) => self.expr(arg),
                _ => cast(&type_name(ty, true), self.expr(arg)),
            },
            SignExtend if self.ty(arg) == Type::BOOL => {
                let inner =
                    Text::new(Level::Unary, format!("-{}", self.expr(arg).at(Level::Unary)));
                if ty == Type::Int(32) { inner } else { cast(&type_name(ty, true), inner) }
            }
            ZeroExtend | SignExtend => {
                let signed = op == SignExtend;
                let operand = self.with_sign(arg, signed);
                if self.is_promotion(op, ty, arg) {
                    operand
                } else {
                    cast(&type_name(ty, signed), operand)
                }
            }
            Truncate if ty == Type::BOOL => {
                Text::new(Level::And, format!("{} & 1", self.expr(arg).at(Level::And)))
            }
            Truncate => cast(&type_name(ty, true), self.expr(arg)),
            PtrToInt => cast(&type_name(ty, false), self.expr(arg)),
            IntToPtr => cast("void *", self.expr(arg)),
            Bitcast => Text::new(
                Level::Postfix,
                format!("bits_as({}, {})", type_name(ty, true), self.plain(arg)),
            ),
            PopCount => self.call("popcount", &[arg]),
            LeadingZeros => self.call("clz", &[arg]),
            TrailingZeros => self.call("ctz", &[arg]),
            ByteSwap => self.call("bswap", &[arg]),
            BitReverse => self.call("bitreverse", &[arg]),
            FAbs => self.call("fabs", &[arg]),
            FSqrt => self.call("sqrt", &[arg]),
            FFloor => self.call("floor", &[arg]),
            FCeil => self.call("ceil", &[arg]),
            FTrunc => self.call("trunc", &[arg]),
            FRoundEven => self.call("roundeven", &[arg]),
            FRound => self.call("round", &[arg]),
            FConvert => cast(&type_name(ty, true), self.expr(arg)),
            FToSigned | FToUnsigned => cast(&type_name(ty, op == FToSigned), self.expr(arg)),
            FToSignedSat | FToUnsignedSat => Text::new(
                Level::Postfix,
                format!("saturate({}, {})", type_name(ty, op == FToSignedSat), self.plain(arg)),
            ),
            SignedToF | UnsignedToF => {
                cast(&type_name(ty, true), self.with_sign(arg, op == SignedToF))
            }
        }
    }

    /// Arithmetic below the width of `int` needs a cast: C would not wrap it.
    fn narrowed(&self, ty: Type, sign: Option<bool>, text: Text) -> Text {
        match ty {
            Type::Int(width) if (2..32).contains(&width) => {
                cast(&type_name(ty, sign.unwrap_or(true)), text)
            }
            _ => text,
        }
    }

    fn binary(&self, op: BinaryOp, lhs: &Expr, rhs: &Expr) -> Text {
        use BinaryOp::*;
        let ty = self.ty(lhs);
        let both = |level: Level, symbol: &str| self.infix(level, symbol, lhs, rhs);
        let signed = |level, symbol| self.infix_signed(level, symbol, lhs, rhs, true);
        let unsigned = |level, symbol| self.infix_signed(level, symbol, lhs, rhs, false);
        let negated = |text: Text| Text::new(Level::Unary, format!("!{}", text.at(Level::Unary)));
        let narrow = |text: Text| self.narrowed(ty, self.common_sign(lhs, rhs), text);
        match op {
            Add => self.sum(lhs, rhs, ty),
            Sub => narrow(both(Level::Additive, "-")),
            Mul => narrow(both(Level::Multiplicative, "*")),
            UDiv => unsigned(Level::Multiplicative, "/"),
            SDiv => signed(Level::Multiplicative, "/"),
            URem => unsigned(Level::Multiplicative, "%"),
            SRem => signed(Level::Multiplicative, "%"),
            Shl => self.narrowed(ty, self.sign(lhs), both(Level::Shift, "<<")),
            LShr | AShr => {
                let left = self.with_sign(lhs, op == AShr).at(Level::Shift);
                let right = self.expr(rhs).at(Level::Additive);
                Text::new(Level::Shift, format!("{left} >> {right}"))
            }
            And if ty == Type::BOOL => both(Level::LogicalAnd, "&&"),
            Or if ty == Type::BOOL => both(Level::LogicalOr, "||"),
            And => self.bits(Level::And, "&", lhs, rhs),
            Or => self.bits(Level::Or, "|", lhs, rhs),
            Xor => self.bits(Level::Xor, "^", lhs, rhs),
            PtrAdd => unreachable!("addresses are printed as paths"),
            SAddOverflows => self.call("sadd_overflows", &[lhs, rhs]),
            UAddOverflows => self.call("uadd_overflows", &[lhs, rhs]),
            SSubOverflows => self.call("ssub_overflows", &[lhs, rhs]),
            USubOverflows => self.call("usub_overflows", &[lhs, rhs]),
            SMulOverflows => self.call("smul_overflows", &[lhs, rhs]),
            UMulOverflows => self.call("umul_overflows", &[lhs, rhs]),
            Eq | FOeq => both(Level::Equality, "=="),
            Ne | FUne => both(Level::Equality, "!="),
            Ult => unsigned(Level::Relational, "<"),
            Ule => unsigned(Level::Relational, "<="),
            Ugt => unsigned(Level::Relational, ">"),
            Uge => unsigned(Level::Relational, ">="),
            Slt => signed(Level::Relational, "<"),
            Sle => signed(Level::Relational, "<="),
            Sgt => signed(Level::Relational, ">"),
            Sge => signed(Level::Relational, ">="),
            FAdd => both(Level::Additive, "+"),
            FSub => both(Level::Additive, "-"),
            FMul => both(Level::Multiplicative, "*"),
            FDiv => both(Level::Multiplicative, "/"),
            FRem => self.call("fmod", &[lhs, rhs]),
            FMin => self.call("fmin", &[lhs, rhs]),
            FMax => self.call("fmax", &[lhs, rhs]),
            FMinimum => self.call("fminimum", &[lhs, rhs]),
            FMaximum => self.call("fmaximum", &[lhs, rhs]),
            FCopySign => self.call("copysign", &[lhs, rhs]),
            FOne => self.call("islessgreater", &[lhs, rhs]),
            FOlt => both(Level::Relational, "<"),
            FOle => both(Level::Relational, "<="),
            FOgt => both(Level::Relational, ">"),
            FOge => both(Level::Relational, ">="),
            FOrd => negated(self.call("isunordered", &[lhs, rhs])),
            FUno => self.call("isunordered", &[lhs, rhs]),
            FUeq => negated(self.call("islessgreater", &[lhs, rhs])),
            FUlt => negated(both(Level::Relational, ">=")),
            FUle => negated(both(Level::Relational, ">")),
            FUgt => negated(both(Level::Relational, "<=")),
            FUge => negated(both(Level::Relational, "<")),
        }
    }

    fn infix(&self, level: Level, symbol: &str, lhs: &Expr, rhs: &Expr) -> Text {
        let left = self.operand(lhs, rhs).at(level);
        let right = self.operand(rhs, lhs).at(level.tighter());
        Text::new(level, format!("{left} {symbol} {right}"))
    }

    /// An operand; a constant is written with the sign of the other side.
    fn operand(&self, e: &Expr, other: &Expr) -> Text {
        match e {
            Expr::Const(c) => constant(*c, self.sign(other)),
            _ => self.expr(e),
        }
    }

    /// `x + -5` is written `x - 5`.
    fn sum(&self, lhs: &Expr, rhs: &Expr, ty: Type) -> Text {
        let sign = self.common_sign(lhs, rhs);
        let text = match rhs {
            Expr::Const(c) if c.signed() < 0 && c.signed() > -0x8000_0000 => {
                let left = self.expr(lhs).at(Level::Additive);
                Text::new(Level::Additive, format!("{left} - {}", c.signed().unsigned_abs()))
            }
            _ => self.infix(Level::Additive, "+", lhs, rhs),
        };
        self.narrowed(ty, sign, text)
    }

    /// An operator that reads its operands as signed or unsigned: casts make C do the same.
    fn infix_signed(
        &self,
        level: Level,
        symbol: &str,
        lhs: &Expr,
        rhs: &Expr,
        signed: bool,
    ) -> Text {
        let ty = self.ty(lhs);
        if ty == Type::Ptr && !signed {
            return self.infix(level, symbol, lhs, rhs);
        }
        // Below the width of `int` both sides are promoted each by its own sign; from there
        // on one unsigned side makes the other unsigned.
        let one_is_enough = !signed && ty.width() >= 32;
        let is_const = |e: &Expr| e.as_const().is_some();
        let (left, right) = if one_is_enough && self.common_sign(lhs, rhs) == Some(false) {
            (self.operand(lhs, rhs), self.operand(rhs, lhs))
        } else if one_is_enough && is_const(lhs) && !is_const(rhs) {
            (self.with_sign(lhs, signed), self.with_sign(rhs, signed))
        } else if one_is_enough && !is_const(rhs) {
            (self.with_sign(lhs, signed), self.expr(rhs))
        } else {
            (self.with_sign(lhs, signed), self.with_sign(rhs, signed))
        };
        Text::new(level, format!("{} {symbol} {}", left.at(level), right.at(level.tighter())))
    }

    /// A bitwise operator: its constants are masks.
    fn bits(&self, level: Level, symbol: &str, lhs: &Expr, rhs: &Expr) -> Text {
        let side = |e: &Expr, other: &Expr| match e {
            Expr::Const(c) if c.bits > 9 && c.ty.is_int() => {
                Text::new(Level::Postfix, format!("{:#x}", c.bits))
            }
            _ => self.operand(e, other),
        };
        let left = side(lhs, rhs).at(level);
        let right = side(rhs, lhs).at(level.tighter());
        Text::new(level, format!("{left} {symbol} {right}"))
    }

    /// The name of a function behind an address.
    pub(super) fn function_name(&self, a: Address) -> Option<&str> {
        match a {
            Address::Procedure(p) => Some(&self.global_names.procedures[p.index()]),
            Address::External(x) => Some(&self.program.external(x).name),
            Address::Global(_) | Address::Local(_) => None,
        }
    }
}

/// A cast in front of an operand.
pub(super) fn cast(ty: &str, operand: Text) -> Text {
    Text::new(Level::Unary, format!("({ty}){}", operand.at(Level::Unary)))
}

fn constant(c: Const, sign: Option<bool>) -> Text {
    let text = match c.ty {
        Type::Ptr if c.bits == 0 => "NULL".to_owned(),
        Type::Ptr => return cast("void *", Text::new(Level::Postfix, format!("{:#x}", c.bits))),
        Type::Float(kind) => float::constant(kind, c.bits),
        Type::Int(1) => c.bits.to_string(),
        Type::Int(width) if sign == Some(false) => {
            // The suffix where a plain constant would be taken for a negative number.
            let suffix = if c.bits >> (width - 1) != 0 { "u" } else { "" };
            format!("{}{suffix}", c.bits)
        }
        Type::Int(_) => c.signed().to_string(),
    };
    let level = if text.starts_with('-') { Level::Unary } else { Level::Postfix };
    Text::new(level, text)
}

/// The C name of a machine type.
pub(super) fn type_name(ty: Type, signed: bool) -> String {
    let name = match (ty, signed) {
        (Type::Int(1), _) => "_Bool",
        (Type::Int(8), true) => "char",
        (Type::Int(8), false) => "unsigned char",
        (Type::Int(16), true) => "short",
        (Type::Int(16), false) => "unsigned short",
        (Type::Int(32), true) => "int",
        (Type::Int(32), false) => "unsigned",
        (Type::Int(64), true) => "long",
        (Type::Int(64), false) => "unsigned long",
        (Type::Int(128), true) => "__int128",
        (Type::Int(128), false) => "unsigned __int128",
        (Type::Int(width), true) => return format!("_BitInt({width})"),
        (Type::Int(width), false) => return format!("unsigned _BitInt({width})"),
        (Type::Ptr, _) => "void *",
        (Type::Float(FloatKind::Half), _) => "_Float16",
        (Type::Float(FloatKind::BFloat), _) => "__bf16",
        (Type::Float(FloatKind::Single), _) => "float",
        (Type::Float(FloatKind::Double), _) => "double",
        (Type::Float(FloatKind::X87), _) => "long double",
        (Type::Float(FloatKind::Quad), _) => "_Float128",
    };
    name.to_owned()
}
