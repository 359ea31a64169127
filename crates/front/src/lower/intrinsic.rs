//! LLVM's intrinsics.
//!
//! Those that clang emits for ordinary C have their exact meaning here. Mathematical
//! functions whose last bit is the library's affair, and the target's own instructions
//! without access to memory, are operations that give equal results for equal
//! arguments. What is left makes the function unsupported, by name.

use super::build::{self, binary, unary};
use super::function::FunctionLowering;
use super::module::{Lowered, scalar};
use crate::llvm::Value;
use llvm_sys::LLVMOpcode::{LLVMAlloca, LLVMGetElementPtr};
use verdiff_model::{Access, BinaryOp, Expr, StmtKind, Trap, Type, UnaryOp};

impl<'m> FunctionLowering<'_, 'm> {
    pub fn intrinsic(&mut self, inst: Value<'m>, name: &str) -> Lowered<()> {
        let full = name.strip_prefix("llvm.").unwrap_or(name);
        // `llvm.ctpop.i32`: the types after the name do not matter, the operands have them.
        let short = base_name(full);
        match short {
            // Nothing happens.
            "dbg.declare"
            | "dbg.value"
            | "dbg.label"
            | "dbg.assign"
            | "lifetime.start"
            | "lifetime.end"
            | "invariant.start"
            | "invariant.end"
            | "donothing"
            | "sideeffect"
            | "prefetch"
            | "var.annotation"
            | "experimental.noalias.scope.decl"
            | "pseudoprobe"
            | "va_end" => Ok(()),
            // The first operand as it is.
            "expect"
            | "expect.with.probability"
            | "threadlocal.address"
            | "launder.invariant.group"
            | "strip.invariant.group"
            | "ptr.annotation"
            | "annotation"
            | "arithmetic.fence"
            | "ssa.copy" => {
                let lanes = self.lanes(inst.operand(0))?;
                self.define(inst, lanes);
                Ok(())
            }
            "va_start" => self.start_list(inst),
            "va_copy" => self.copy_list(inst),
            "assume" => {
                let cond = self.scalar(inst.operand(0))?;
                self.check(cond, Trap::Unreachable);
                Ok(())
            }
            "trap" | "debugtrap" => {
                self.emit(StmtKind::Check { cond: Expr::bool(false), trap: Trap::TrapInstruction });
                Ok(())
            }
            "ubsantrap" => {
                let check = self.scalar(inst.operand(0))?.as_const().map(|c| c.bits);
                let trap = sanitizer_trap(check);
                self.emit(StmtKind::Check { cond: Expr::bool(false), trap });
                Ok(())
            }
            "memcpy" | "memmove" | "memcpy.inline" => self.copy(inst),
            "memset" | "memset.inline" => self.fill(inst),
            "stacksave" => {
                let dst = self.temporary(Type::Ptr, None);
                self.emit(StmtKind::SaveStack { dst });
                self.define(inst, vec![Expr::Var(dst)]);
                Ok(())
            }
            "stackrestore" => {
                let token = self.scalar(inst.operand(0))?;
                self.emit(StmtKind::RestoreStack { token });
                Ok(())
            }
            "objectsize" => self.object_size(inst),
            "is.constant" => {
                let known = inst.operand(0).is_constant();
                self.define(inst, vec![Expr::bool(known)]);
                Ok(())
            }
            "get.rounding" => {
                // To nearest: the mode is never changed.
                self.define(inst, vec![Expr::int(32, 1)]);
                Ok(())
            }
            _ => match self.elementwise(inst, short)? {
                Some(lanes) => {
                    self.define(inst, lanes);
                    Ok(())
                }
                None if is_pure_library(short) || full.starts_with("x86.") => {
                    self.pure_operation(inst, name)
                }
                None => Err(format!("the intrinsic {name}")),
            },
        }
    }

    fn copy(&mut self, inst: Value<'m>) -> Lowered<()> {
        let dst = self.scalar(inst.operand(0))?;
        let src = self.scalar(inst.operand(1))?;
        let len_ty = scalar(inst.operand(2).ty())?;
        let len = self.scalar(inst.operand(2))?;
        let len = build::resize(len, len_ty, Type::WORD, false);
        let align = self.arg_align(inst, 0).min(self.arg_align(inst, 1));
        self.emit(StmtKind::Copy { dst, src, len, align, access: access(inst.operand(3)) });
        Ok(())
    }

    fn fill(&mut self, inst: Value<'m>) -> Lowered<()> {
        let dst = self.scalar(inst.operand(0))?;
        let byte = self.scalar(inst.operand(1))?;
        let len_ty = scalar(inst.operand(2).ty())?;
        let len = self.scalar(inst.operand(2))?;
        let len = build::resize(len, len_ty, Type::WORD, false);
        let align = self.arg_align(inst, 0);
        self.emit(StmtKind::Fill { dst, byte, len, align, access: access(inst.operand(3)) });
        Ok(())
    }

    fn arg_align(&self, inst: Value<'m>, index: u32) -> u32 {
        inst.call_attribute_value(index + 1, self.m.attributes.align).map_or(1, |a| a.max(1) as u32)
    }

    /// What is known of an object's size: as LLVM itself does at -O0, only for an
    /// address that is written out; else the value that stands for "unknown".
    fn object_size(&mut self, inst: Value<'m>) -> Lowered<()> {
        let ty = scalar(inst.ty())?;
        let least = inst.operand(1).int_low() == 1;
        let pointer = inst.operand(0);
        let known = self
            .alloca_behind(pointer)
            .filter(|(alloca, _)| alloca.operand(0).is_int_constant())
            .map(|(alloca, offset)| {
                let count = alloca.operand(0).int_low();
                (self.m.layout.size(alloca.allocated_type()).saturating_mul(count), offset)
            })
            .or_else(|| {
                let global = self.m.global(self.m.resolve(pointer))?;
                let global = self.m.program.global(global);
                global.init.is_some().then_some((global.size, 0))
            });
        let dynamic = inst.operand(3).int_low() == 1;
        if known.is_none()
            && dynamic
            && let Some((alloca, size)) = self.fixed_local(pointer)
        {
            // LLVM computes this one: what is left behind the address, none if it is outside.
            let start = self.scalar(alloca)?;
            let address = self.scalar(pointer)?;
            let word = |e| build::unary(UnaryOp::PtrToInt, Type::WORD, e);
            let offset = build::binary(BinaryOp::Sub, word(address), word(start));
            let offset = self.atom(offset);
            let size = Expr::int(64, size.into());
            let left = Expr::select(
                build::binary(BinaryOp::Ult, size.clone(), offset.clone()),
                Expr::int(64, 0),
                build::binary(BinaryOp::Sub, size, offset),
            );
            let left = build::resize(left, Type::WORD, ty, false);
            self.define(inst, vec![left]);
            return Ok(());
        }
        let bits = match known {
            Some((size, offset)) => u128::from(size.saturating_sub(offset)),
            None if least => 0,
            None => u128::MAX,
        };
        // The operand is an address that is used up, whatever it was.
        self.lanes(pointer)?;
        self.define(inst, vec![Expr::int(ty.width(), bits)]);
        Ok(())
    }

    /// The local of a fixed size that an address leads into by any steps, and its size.
    fn fixed_local(&self, pointer: Value<'m>) -> Option<(Value<'m>, u64)> {
        let mut pointer = pointer;
        while pointer.opcode_if_instruction()? == LLVMGetElementPtr {
            pointer = pointer.operand(0);
        }
        let is_local =
            pointer.opcode_if_instruction()? == LLVMAlloca && pointer.operand(0).is_int_constant();
        let count = pointer.operand(0).int_low();
        is_local
            .then(|| (pointer, self.m.layout.size(pointer.allocated_type()).saturating_mul(count)))
    }

    /// Intrinsics that work on each lane by itself (and those that join lanes).
    fn elementwise(&mut self, inst: Value<'m>, name: &str) -> Lowered<Option<Vec<Expr>>> {
        if let Some(lanes) = self.overflow(inst, name)? {
            return Ok(Some(lanes));
        }
        if let Some(reduction) = name.strip_prefix("vector.reduce.") {
            return self.reduce(inst, reduction);
        }
        if name == "is.fpclass" {
            return self.float_class(inst).map(Some);
        }
        let count = inst.arg_count();
        let mut operands = Vec::new();
        for index in 0..count {
            operands.push(inst.operand(index));
        }
        if !supports(name) {
            return Ok(None);
        }
        let types = self.m.lane_types(inst.ty())?;
        let arg_types = self.m.lane_types(operands[0].ty())?;
        let mut args: Vec<Vec<Expr>> = Vec::new();
        for operand in operands {
            // Every meaning below may write its operands down several times.
            let lanes = self.lanes(operand)?;
            args.push(lanes.into_iter().map(|l| self.atom(l)).collect());
        }
        let mut out = Vec::new();
        for (lane, ty) in types.iter().enumerate() {
            let arg = |index: usize| {
                let lanes: &Vec<Expr> = &args[index];
                lanes.get(lane).or(lanes.first()).cloned().unwrap_or(Expr::bool(false))
            };
            let from = arg_types.get(lane).or(arg_types.first()).copied().unwrap_or(*ty);
            match meaning(name, *ty, from, &arg) {
                Some(expr) => out.push(expr),
                None => return Err(format!("the intrinsic {}", inst.callee().name())),
            }
        }
        Ok(Some(out))
    }

    /// `sadd.with.overflow` and its kind: two results.
    fn overflow(&mut self, inst: Value<'m>, name: &str) -> Lowered<Option<Vec<Expr>>> {
        let Some(kind) = name.strip_suffix(".with.overflow") else { return Ok(None) };
        let (op, predicate) = match kind {
            "sadd" => (BinaryOp::Add, BinaryOp::SAddOverflows),
            "uadd" => (BinaryOp::Add, BinaryOp::UAddOverflows),
            "ssub" => (BinaryOp::Sub, BinaryOp::SSubOverflows),
            "usub" => (BinaryOp::Sub, BinaryOp::USubOverflows),
            "smul" => (BinaryOp::Mul, BinaryOp::SMulOverflows),
            "umul" => (BinaryOp::Mul, BinaryOp::UMulOverflows),
            _ => return Ok(None),
        };
        let a = self.scalar(inst.operand(0))?;
        let b = self.scalar(inst.operand(1))?;
        let (a, b) = (self.atom(a), self.atom(b));
        Ok(Some(vec![binary(op, a.clone(), b.clone()), binary(predicate, a, b)]))
    }

    fn reduce(&mut self, inst: Value<'m>, reduction: &str) -> Lowered<Option<Vec<Expr>>> {
        let combine = |a: Expr, b: Expr| -> Option<Expr> {
            Some(match reduction {
                "add" => binary(BinaryOp::Add, a, b),
                "mul" => binary(BinaryOp::Mul, a, b),
                "and" => binary(BinaryOp::And, a, b),
                "or" => binary(BinaryOp::Or, a, b),
                "xor" => binary(BinaryOp::Xor, a, b),
                "smax" => choose(BinaryOp::Sge, a, b),
                "smin" => choose(BinaryOp::Sle, a, b),
                "umax" => choose(BinaryOp::Uge, a, b),
                "umin" => choose(BinaryOp::Ule, a, b),
                _ => return None,
            })
        };
        let lanes = self.lanes(inst.operand(0))?;
        let mut lanes = lanes.into_iter();
        let Some(mut total) = lanes.next() else { return Ok(None) };
        for lane in lanes {
            let (a, b) = (self.atom(total), self.atom(lane));
            match combine(a, b) {
                Some(next) => total = next,
                None => return Ok(None),
            }
        }
        Ok(Some(vec![total]))
    }

    /// `is.fpclass`: a test of a float's bits against a set of classes.
    fn float_class(&mut self, inst: Value<'m>) -> Lowered<Vec<Expr>> {
        let ty = scalar(inst.operand(0).ty())?;
        let (exponent, fraction) = match ty.width() {
            _ if matches!(ty, Type::Float(verdiff_model::FloatKind::BFloat)) => (8, 7),
            16 => (5, 10),
            32 => (8, 23),
            64 => (11, 52),
            128 => (15, 112),
            _ => return Err("a class test of a long double".into()),
        };
        let value = self.scalar(inst.operand(0))?;
        let bits = self.name(build::to_bits(value, ty));
        let wanted = inst.operand(1).int_low();
        let width = ty.width();
        let int = |v: u128| Expr::int(width, v);
        let inf: u128 = ((1 << exponent) - 1) << fraction;
        let quiet: u128 = 1 << (fraction - 1);
        let least_normal: u128 = 1 << fraction;
        let magnitude =
            self.name(binary(BinaryOp::And, bits.clone(), int((1u128 << (width - 1)) - 1)));
        let negative = self.name(binary(BinaryOp::Slt, bits, int(0)));
        let positive = negative.clone().not();
        let below = |limit: u128| binary(BinaryOp::Ult, magnitude.clone(), int(limit));
        let at_least = |limit: u128| binary(BinaryOp::Uge, magnitude.clone(), int(limit));
        let both = |a: Expr, b: Expr| binary(BinaryOp::And, a, b);
        let is_inf = || binary(BinaryOp::Eq, magnitude.clone(), int(inf));
        let is_zero = || binary(BinaryOp::Eq, magnitude.clone(), int(0));
        let normal = || both(at_least(least_normal), below(inf));
        let subnormal = || both(below(least_normal), is_zero().not());
        // Bit by bit as LLVM's FPClassTest has them.
        let classes: [&dyn Fn() -> Expr; 10] = [
            &|| both(at_least(inf + 1), below(inf + quiet)),
            &|| at_least(inf + quiet),
            &|| both(negative.clone(), is_inf()),
            &|| both(negative.clone(), normal()),
            &|| both(negative.clone(), subnormal()),
            &|| both(negative.clone(), is_zero()),
            &|| both(positive.clone(), is_zero()),
            &|| both(positive.clone(), subnormal()),
            &|| both(positive.clone(), normal()),
            &|| both(positive.clone(), is_inf()),
        ];
        let found = classes.iter().enumerate().filter(|(bit, _)| wanted >> bit & 1 == 1);
        Ok(vec![found.fold(Expr::bool(false), |all, (_, class)| match all.as_const() {
            Some(_) => class(),
            None => binary(BinaryOp::Or, all, class()),
        })])
    }
}

fn access(is_volatile: Value<'_>) -> Access {
    if is_volatile.int_low() == 1 { Access::Volatile } else { Access::Plain }
}

/// The intrinsic's name without the types it is used at.
fn base_name(name: &str) -> &str {
    let mut end = name.len();
    while let Some(dot) = name[..end].rfind('.') {
        let part = &name[dot + 1..end];
        let is_type = part == "p0"
            || part
                .strip_prefix('v')
                .unwrap_or(part)
                .trim_start_matches(|c: char| c.is_ascii_digit())
                .starts_with(['i', 'f', 'b', 'p', 'x'])
                && part.ends_with(|c: char| c.is_ascii_digit())
                && part.len() <= 8
            || part.starts_with("sl_")
            || part.starts_with("s_");
        if !is_type {
            break;
        }
        end = dot;
    }
    &name[..end]
}

/// `a` if the comparison of the two holds, else `b`.
fn choose(op: BinaryOp, a: Expr, b: Expr) -> Expr {
    Expr::select(binary(op, a.clone(), b.clone()), a, b)
}

/// The names [`meaning`] knows.
fn supports(name: &str) -> bool {
    matches!(
        name,
        "abs"
            | "bswap"
            | "bitreverse"
            | "ctpop"
            | "ctlz"
            | "cttz"
            | "fshl"
            | "fshr"
            | "smax"
            | "smin"
            | "umax"
            | "umin"
            | "sadd.sat"
            | "uadd.sat"
            | "ssub.sat"
            | "usub.sat"
            | "ushl.sat"
            | "scmp"
            | "ucmp"
            | "ptrmask"
            | "fabs"
            | "sqrt"
            | "floor"
            | "ceil"
            | "trunc"
            | "rint"
            | "nearbyint"
            | "roundeven"
            | "round"
            | "minnum"
            | "maxnum"
            | "minimum"
            | "maximum"
            | "copysign"
            | "fma"
            | "fmuladd"
            | "lround"
            | "llround"
            | "lrint"
            | "llrint"
            | "fptosi.sat"
            | "fptoui.sat"
            | "convert.to.fp16"
            | "convert.from.fp16"
            | "canonicalize"
    )
}

/// What one lane of an intrinsic computes. `ty` is the result's type, `from` the first operand's.
fn meaning(name: &str, ty: Type, from: Type, arg: &dyn Fn(usize) -> Expr) -> Option<Expr> {
    let width = ty.width();
    let int = |v: u128| Expr::int(width, v);
    let un = |op| unary(op, ty, arg(0));
    let bin = |op| binary(op, arg(0), arg(1));
    let rounded = |op| unary(UnaryOp::FToSigned, ty, unary(op, from, arg(0)));
    Some(match name {
        "abs" => {
            let negative = binary(BinaryOp::Slt, arg(0), int(0));
            Expr::select(negative, unary(UnaryOp::Neg, ty, arg(0)), arg(0))
        }
        "bswap" => un(UnaryOp::ByteSwap),
        "bitreverse" => un(UnaryOp::BitReverse),
        "ctpop" => un(UnaryOp::PopCount),
        "ctlz" => un(UnaryOp::LeadingZeros),
        "cttz" => un(UnaryOp::TrailingZeros),
        "fshl" | "fshr" => funnel_shift(name == "fshl", width, arg(0), arg(1), arg(2)),
        "smax" => choose(BinaryOp::Sge, arg(0), arg(1)),
        "smin" => choose(BinaryOp::Sle, arg(0), arg(1)),
        "umax" => choose(BinaryOp::Uge, arg(0), arg(1)),
        "umin" => choose(BinaryOp::Ule, arg(0), arg(1)),
        "uadd.sat" => {
            Expr::select(bin(BinaryOp::UAddOverflows), int(u128::MAX), bin(BinaryOp::Add))
        }
        "usub.sat" => Expr::select(bin(BinaryOp::USubOverflows), int(0), bin(BinaryOp::Sub)),
        "sadd.sat" | "ssub.sat" => {
            // On overflow the result has the sign of the first operand.
            let least = build::min_signed(width);
            let negative = binary(BinaryOp::Slt, arg(0), int(0));
            let limit = Expr::select(negative, int(least), int(least - 1));
            let (overflows, op) = if name == "sadd.sat" {
                (BinaryOp::SAddOverflows, BinaryOp::Add)
            } else {
                (BinaryOp::SSubOverflows, BinaryOp::Sub)
            };
            Expr::select(bin(overflows), limit, bin(op))
        }
        "ushl.sat" => {
            let shifted = bin(BinaryOp::Shl);
            let back = binary(BinaryOp::LShr, shifted.clone(), arg(1));
            Expr::select(binary(BinaryOp::Eq, back, arg(0)), shifted, int(u128::MAX))
        }
        "scmp" | "ucmp" => {
            let less = if name == "scmp" { BinaryOp::Slt } else { BinaryOp::Ult };
            let equal = bin(BinaryOp::Eq);
            Expr::select(bin(less), int(u128::MAX), Expr::select(equal, int(0), int(1)))
        }
        "ptrmask" => {
            let bits = unary(UnaryOp::PtrToInt, Type::WORD, arg(0));
            unary(UnaryOp::IntToPtr, Type::Ptr, binary(BinaryOp::And, bits, arg(1)))
        }
        "fabs" => un(UnaryOp::FAbs),
        "sqrt" => un(UnaryOp::FSqrt),
        "floor" => un(UnaryOp::FFloor),
        "ceil" => un(UnaryOp::FCeil),
        "trunc" => un(UnaryOp::FTrunc),
        "rint" | "nearbyint" | "roundeven" => un(UnaryOp::FRoundEven),
        "round" => un(UnaryOp::FRound),
        "minnum" => bin(BinaryOp::FMin),
        "maxnum" => bin(BinaryOp::FMax),
        "minimum" => bin(BinaryOp::FMinimum),
        "maximum" => bin(BinaryOp::FMaximum),
        "copysign" => bin(BinaryOp::FCopySign),
        "canonicalize" => arg(0),
        "fma" => {
            Expr::FusedMulAdd { a: Box::new(arg(0)), b: Box::new(arg(1)), c: Box::new(arg(2)) }
        }
        // Fused or not is the compiler's choice; x86-64 without FMA rounds twice.
        "fmuladd" => binary(BinaryOp::FAdd, bin(BinaryOp::FMul), arg(2)),
        "lround" | "llround" => rounded(UnaryOp::FRound),
        "lrint" | "llrint" => rounded(UnaryOp::FRoundEven),
        "fptosi.sat" => un(UnaryOp::FToSignedSat),
        "fptoui.sat" => un(UnaryOp::FToUnsignedSat),
        "convert.to.fp16" => {
            let half = Type::Float(verdiff_model::FloatKind::Half);
            build::to_bits(unary(UnaryOp::FConvert, half, arg(0)), half)
        }
        "convert.from.fp16" => {
            let half = Type::Float(verdiff_model::FloatKind::Half);
            unary(UnaryOp::FConvert, ty, build::from_bits(arg(0), half))
        }
        _ => return None,
    })
}

/// The high (or low) half of two words side by side, shifted; the amount is modulo the width.
fn funnel_shift(left: bool, width: u16, high: Expr, low: Expr, by: Expr) -> Expr {
    let int = |v: u128| Expr::int(width, v);
    let by = if width.is_power_of_two() {
        binary(BinaryOp::And, by, int(u128::from(width) - 1))
    } else {
        binary(BinaryOp::URem, by, int(width.into()))
    };
    // Shifts are modulo the width, so a shift by nothing needs a case of its own.
    let rest = binary(BinaryOp::Sub, int(width.into()), by.clone());
    let (up, down, plain) =
        if left { (by.clone(), rest, high.clone()) } else { (rest, by.clone(), low.clone()) };
    if let Some(c) = by.as_const()
        && c.bits == 0
    {
        return plain;
    }
    let joined =
        binary(BinaryOp::Or, binary(BinaryOp::Shl, high, up), binary(BinaryOp::LShr, low, down));
    match by.as_const() {
        Some(_) => joined,
        None => Expr::select(binary(BinaryOp::Eq, by, int(0)), plain, joined),
    }
}

/// Mathematical functions: equal arguments, equal results; nothing else is assumed.
fn is_pure_library(name: &str) -> bool {
    matches!(
        name,
        "sin"
            | "cos"
            | "tan"
            | "asin"
            | "acos"
            | "atan"
            | "sinh"
            | "cosh"
            | "tanh"
            | "exp"
            | "exp2"
            | "exp10"
            | "log"
            | "log2"
            | "log10"
            | "pow"
            | "powi"
            | "ldexp"
            | "frexp"
            | "returnaddress"
            | "frameaddress"
            | "addressofreturnaddress"
            | "sponentry"
    )
}

/// What clang's sanitizers say with a trap: the number of the check (`SanitizerHandler` in clang's `CodeGenFunction.h`).
fn sanitizer_trap(check: Option<u128>) -> Trap {
    const ADD: u128 = 0;
    const DIVIDE: u128 = 3;
    const MULTIPLY: u128 = 12;
    const NEGATE: u128 = 13;
    const SUBTRACT: u128 = 21;
    match check {
        Some(ADD | MULTIPLY | NEGATE | SUBTRACT) => Trap::SignedOverflow,
        Some(DIVIDE) => Trap::DivisionOverflow,
        _ => Trap::TrapInstruction,
    }
}
