//! The C type behind an address, so that what is loaded keeps its C type and the
//! printer can write `p->next`. For people only: nothing here changes the meaning,
//! and where the types do not fit (casts, unions) there is simply none.

use super::function::FunctionLowering;
use verdiff_model::{Address, BinaryOp, CType, CTypeId, CTypes, Expr, Type};

impl FunctionLowering<'_, '_> {
    /// The type of an object that starts at or before the address, and how far into it
    /// the address points.
    fn pointee(&self, addr: &Expr) -> Option<(CTypeId, u64)> {
        let types = &self.m.program.ctypes;
        match addr {
            Expr::Var(v) => types.target(self.proc.var(*v).ctype?).map(|t| (t, 0)),
            Expr::Address(Address::Global(g)) => Some((self.m.program.global(*g).ctype?, 0)),
            Expr::Address(Address::Local(l)) => Some((self.proc.local(*l).ctype?, 0)),
            Expr::Binary { op: BinaryOp::PtrAdd, lhs, rhs, .. } => {
                let (ty, offset) = self.pointee(lhs)?;
                if let Some(c) = rhs.as_const() {
                    return Some((ty, u64::try_from(i128::from(offset) + c.signed()).ok()?));
                }
                // A step by a variable number of elements: of the array that starts
                // here, or of objects of the type itself.
                let step = match &**rhs {
                    Expr::Binary { op: BinaryOp::Mul, rhs: scale, .. } => {
                        scale.as_const()?.bits as u64
                    }
                    _ => 1,
                };
                let mut at = (ty, offset);
                loop {
                    if at.1 == 0 && types.size(at.0) == Some(step) {
                        return Some(at);
                    }
                    at = inner(types, at.0, at.1)?;
                }
            }
            _ => None,
        }
    }

    /// The C type of a scalar of machine type `ty` at the address.
    pub fn loaded_ctype(&self, addr: &Expr, ty: Type) -> Option<CTypeId> {
        let types = &self.m.program.ctypes;
        let mut at = self.pointee(addr)?;
        loop {
            let fits = at.1 == 0
                && match types.get(types.resolve(at.0)) {
                    CType::Int { width, .. } | CType::Enum { width, .. } => {
                        ty.is_int() && ty.bytes() == u64::from(*width).div_ceil(8)
                    }
                    CType::Float { .. } => ty.is_float(),
                    CType::Pointer(_) => ty == Type::Ptr,
                    _ => false,
                };
            if fits {
                return Some(at.0);
            }
            at = inner(types, at.0, at.1)?;
        }
    }

    /// The C type of an address itself.
    pub fn pointer_ctype(&mut self, addr: &Expr) -> Option<CTypeId> {
        let mut at = self.pointee(addr)?;
        while at.1 != 0 {
            at = inner(&self.m.program.ctypes, at.0, at.1)?;
        }
        Some(self.m.pointer_to(at.0))
    }
}

/// One step towards the innermost type: the field or element that holds the offset.
fn inner(types: &CTypes, ty: CTypeId, offset: u64) -> Option<(CTypeId, u64)> {
    match types.get(types.resolve(ty)) {
        CType::Array { element, .. } => {
            let size = types.size(*element)?;
            Some((*element, offset.checked_rem(size)?))
        }
        CType::Record { fields, .. } => fields.iter().find_map(|field| {
            if field.bit_width.is_some() {
                return None;
            }
            let start = field.offset_bits / 8;
            let size = types.size(field.ctype)?;
            (start <= offset && offset < start + size).then(|| (field.ctype, offset - start))
        }),
        _ => None,
    }
}
