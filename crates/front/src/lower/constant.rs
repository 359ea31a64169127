//! Constants: as expressions where code uses them, as bytes where they initialise.

use super::build;
use super::module::{Lowered, ModuleLowering, scalar};
use crate::llvm::{TyKind, Value};
use llvm_sys::LLVMOpcode::*;
use verdiff_model::{Address, BinaryOp, Const, Expr, FloatKind, Init, Relocation, Type, UnaryOp};

/// The largest initialiser that is kept byte by byte.
const MAX_INIT: u64 = 1 << 28;

impl<'m> ModuleLowering<'m> {
    /// A constant as expressions, one a lane. `undef` lanes are given by `unset`.
    pub fn constant(
        &mut self,
        value: Value<'m>,
        unset: &mut impl FnMut(Type) -> Expr,
    ) -> Lowered<Vec<Expr>> {
        let ty = value.ty();
        match ty.kind() {
            TyKind::Struct(_) | TyKind::Array(..) | TyKind::Vector(..) => {
                let lanes = self.lane_types(ty)?;
                if value.is_undef() {
                    return Ok(lanes.into_iter().map(unset).collect());
                }
                if value.is_null() {
                    return Ok(lanes.into_iter().map(|t| Expr::Const(Const::new(t, 0))).collect());
                }
                let mut out = Vec::new();
                let mut index = 0;
                while out.len() < lanes.len() {
                    let element = value.element(index).ok_or("a constant aggregate")?;
                    out.extend(self.constant(element, unset)?);
                    index += 1;
                }
                Ok(out)
            }
            _ if value.is_undef() => Ok(vec![unset(scalar(ty)?)]),
            _ => Ok(vec![self.scalar_constant(value)?]),
        }
    }

    fn scalar_constant(&mut self, value: Value<'m>) -> Lowered<Expr> {
        let ty = scalar(value.ty())?;
        if value.is_undef() {
            return Ok(Expr::Const(Const::new(ty, 0)));
        }
        if value.is_int_constant() {
            return Ok(Expr::Const(Const::new(ty, int_bits(value, ty)?)));
        }
        if value.is_float_constant() {
            return Ok(Expr::Const(float_constant(value, ty)?));
        }
        if value.is_null() {
            return Ok(Expr::Const(Const::new(ty, 0)));
        }
        if let Some((function, block)) = value.as_block_address() {
            return Ok(Expr::Const(Const::new(Type::Ptr, self.label(function, block))));
        }
        if value.is_constant_expr() {
            return self.constant_expr(value, ty);
        }
        let target = self.resolve(value);
        if target.is_constant_expr() {
            return self.constant_expr(target, ty);
        }
        self.address(target).map(Expr::Address)
    }

    /// The address of a function or global.
    pub fn address(&mut self, target: Value<'m>) -> Lowered<Address> {
        if target.is_ifunc() {
            return Err("an ifunc".into());
        }
        if let Some(id) = self.procedure(target) {
            return Ok(Address::Procedure(id));
        }
        if target.is_function() {
            return Ok(Address::External(self.external(target)?));
        }
        self.global(target)
            .map(Address::Global)
            .ok_or_else(|| format!("the constant {}", target.text()))
    }

    fn constant_expr(&mut self, value: Value<'m>, ty: Type) -> Lowered<Expr> {
        let opcode = value.constant_opcode();
        if opcode == LLVMGetElementPtr {
            let base = self.scalar_constant(value.operand(0))?;
            let offset = self.constant_offset(value)?;
            return Ok(build::ptr_add(base, Expr::int(64, offset as i128 as u128)));
        }
        let first = self.scalar_constant(value.operand(0))?;
        let unary = |op| Ok(build::unary(op, ty, first.clone()));
        match opcode {
            LLVMPtrToInt => Ok(build::ptr_to_int(first, ty)),
            LLVMIntToPtr => {
                let from = scalar(value.operand(0).ty())?;
                Ok(build::int_to_ptr(first, from))
            }
            LLVMTrunc => unary(UnaryOp::Truncate),
            LLVMBitCast if scalar(value.operand(0).ty())? == ty => Ok(first),
            LLVMBitCast => unary(UnaryOp::Bitcast),
            LLVMAdd | LLVMSub | LLVMXor => {
                let second = self.scalar_constant(value.operand(1))?;
                let op = match opcode {
                    LLVMAdd => BinaryOp::Add,
                    LLVMSub => BinaryOp::Sub,
                    _ => BinaryOp::Xor,
                };
                Ok(build::binary(op, first, second))
            }
            _ => Err(format!("the constant expression {}", value.text())),
        }
    }

    /// The byte offset a `getelementptr` with constant indices adds, if it is one.
    pub fn constant_gep_offset(&self, gep: Value<'m>) -> Option<i64> {
        self.constant_offset(gep).ok()
    }

    fn constant_offset(&self, gep: Value<'m>) -> Lowered<i64> {
        let mut ty = gep.gep_source_type();
        let mut offset: i64 = 0;
        for (position, index) in gep.operands().skip(1).enumerate() {
            if !index.is_int_constant() {
                return Err("a vector of addresses".into());
            }
            let number = int_constant_signed(index);
            let (step, next) = if position == 0 {
                (self.layout.size(ty) as i64 * number, ty)
            } else {
                match ty.kind() {
                    TyKind::Struct(fields) => (
                        self.layout.field_offset(ty, number as u32) as i64,
                        fields[number as usize],
                    ),
                    TyKind::Array(element, _) | TyKind::Vector(element, _) => {
                        (self.layout.size(element) as i64 * number, element)
                    }
                    _ => return Err(format!("an index into {}", ty.text())),
                }
            };
            offset = offset.wrapping_add(step);
            ty = next;
        }
        Ok(offset)
    }

    /// The initial bytes of a global.
    pub fn initializer(&mut self, value: Value<'m>) -> Lowered<Init> {
        let mut init = Init::default();
        let size = self.layout.size(value.ty());
        if value.is_null() || value.is_undef() {
            return Ok(init);
        }
        if size > MAX_INIT {
            return Err("an initialiser of more than 256 MiB".into());
        }
        self.write_bytes(value, 0, &mut init)?;
        while init.bytes.last() == Some(&0) {
            init.bytes.pop();
        }
        init.relocations.sort_by_key(|r| r.offset);
        Ok(init)
    }

    fn write_bytes(&mut self, value: Value<'m>, offset: u64, init: &mut Init) -> Lowered<()> {
        if value.is_null() || value.is_undef() {
            return Ok(());
        }
        if let Some(bytes) = value.as_byte_string() {
            put(init, offset, &bytes);
            return Ok(());
        }
        let ty = value.ty();
        match ty.kind() {
            TyKind::Struct(fields) => {
                for index in 0..fields.len() as u32 {
                    let at = offset + self.layout.field_offset(ty, index);
                    let element = value.element(index).ok_or("a constant struct")?;
                    self.write_bytes(element, at, init)?;
                }
                Ok(())
            }
            TyKind::Array(element_ty, count) | TyKind::Vector(element_ty, count) => {
                let step = self.layout.size(element_ty);
                for index in 0..count {
                    let element = value.element(index as u32).ok_or("a constant array")?;
                    self.write_bytes(element, offset + index * step, init)?;
                }
                Ok(())
            }
            _ => {
                let expr = self.scalar_constant(value)?;
                self.write_scalar(expr, offset, init)
            }
        }
    }

    fn write_scalar(&mut self, expr: Expr, offset: u64, init: &mut Init) -> Lowered<()> {
        let relocation = |target, addend| Relocation { offset, target, addend };
        match expr {
            Expr::Const(c) => {
                let bytes = c.bits.to_le_bytes();
                put(init, offset, &bytes[..c.ty.bytes() as usize]);
                Ok(())
            }
            Expr::Address(target) => {
                put(init, offset, &[0; 8]);
                init.relocations.push(relocation(target, 0));
                Ok(())
            }
            Expr::Binary { op: BinaryOp::PtrAdd, lhs, rhs, .. } => match (*lhs, rhs.as_const()) {
                (Expr::Address(target), Some(c)) => {
                    put(init, offset, &[0; 8]);
                    init.relocations.push(relocation(target, c.signed() as i64));
                    Ok(())
                }
                _ => Err("an initialiser that computes with addresses".into()),
            },
            // An address stored as an integer of the same width is the same bytes.
            Expr::Unary { op: UnaryOp::PtrToInt | UnaryOp::IntToPtr, ty, arg }
                if ty.width() == 64 =>
            {
                self.write_scalar(*arg, offset, init)
            }
            _ => Err("an initialiser that computes with addresses".into()),
        }
    }
}

fn put(init: &mut Init, offset: u64, bytes: &[u8]) {
    let (start, end) = (offset as usize, offset as usize + bytes.len());
    if init.bytes.len() < end {
        init.bytes.resize(end, 0);
    }
    init.bytes[start..end].copy_from_slice(bytes);
}

/// An integer constant of at most 64 bits, sign-extended.
pub fn int_constant_signed(value: Value<'_>) -> i64 {
    match value.ty().kind() {
        TyKind::Int(width @ 1..=64) => {
            verdiff_model::types::signed(value.int_low().into(), width as u16) as i64
        }
        _ => value.int_low() as i64,
    }
}

/// The bits of an integer constant of any width up to 128.
pub fn int_bits(value: Value<'_>, ty: Type) -> Lowered<u128> {
    if ty.width() <= 64 {
        return Ok(u128::from(value.int_low()) & ty.mask());
    }
    // The C interface stops at 64 bits; the text form, `i128 -5`, does not.
    let text = value.text();
    let digits = text.rsplit(' ').next().unwrap_or("");
    let bits = match digits.strip_prefix('-') {
        Some(digits) => digits.parse::<u128>().map(u128::wrapping_neg),
        None => digits.parse::<u128>(),
    };
    bits.map(|b| b & ty.mask()).map_err(|_| format!("the constant {text}"))
}

fn float_constant(value: Value<'_>, ty: Type) -> Lowered<Const> {
    let (number, lost) = value.float_as_double();
    match ty {
        Type::Float(FloatKind::Double) if !number.is_nan() => {
            return Ok(Const::new(ty, number.to_bits().into()));
        }
        Type::Float(FloatKind::Single) if !number.is_nan() && !lost => {
            return Ok(Const::new(ty, (number as f32).to_bits().into()));
        }
        _ => {}
    }
    // NaNs keep their payload only in the text form, and the wide formats have no other.
    let text = value.text();
    let digits = text.rsplit(' ').next().unwrap_or("");
    let hex =
        |digits: &str| u128::from_str_radix(digits, 16).map_err(|_| format!("the constant {text}"));
    let bits = if let Some(d) = digits.strip_prefix("0xK") {
        hex(d)?
    } else if let Some(d) = digits.strip_prefix("0xL") {
        // The two halves come low word first.
        let bits = hex(d)?;
        bits.rotate_left(64)
    } else if let Some(d) = digits.strip_prefix("0xH").or(digits.strip_prefix("0xR")) {
        hex(d)?
    } else if let Some(d) = digits.strip_prefix("0x") {
        let bits = hex(d)?;
        match ty {
            // A float's NaN is written as the double with the same payload.
            Type::Float(FloatKind::Single) => {
                let (sign, payload) = ((bits >> 63) << 31, (bits >> 29) & 0x7f_ffff);
                sign | 0x7f80_0000 | payload
            }
            _ => bits,
        }
    } else {
        return Err(format!("the constant {text}"));
    };
    Ok(Const::new(ty, bits))
}
