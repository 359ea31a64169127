//! Register code: what a procedure is compiled to before it runs.
//!
//! A frame is a row of 128-bit registers: variables, then temporaries, then the procedure's
//! constants, so that an operand is always a register number. A frame is made by copying
//! the procedure's template, in which constants have their values and variables are unset.
//!
//! A register of a value of at most 64 bits has it in its low half, zeros above the width;
//! its high half is zero if it has a value and [`UNSET`] if it does not. So arithmetic, which
//! looks at the low half only, reads zero from a variable without a value, copies carry the
//! mark along, and checking it is looking at the high half. A wider value takes
//! two registers, the value and one for the mark.

use crate::expr::{BinaryOp, UnaryOp};
use crate::ids::{ExternId, LocalId, ProcId};
use crate::stmt::{Access, Loc, Signature, Trap};
use crate::types::{FloatKind, Type};

/// What a variable without a value holds (a wide one in its second register).
pub(super) const UNSET: u128 = 1 << 64;

/// A register number, from the start of the frame.
pub(super) type Reg = u32;

/// An instruction, 16 bytes. `d` is the destination. `sh` is 64 minus the width: shifting
/// left by it puts the sign where the hardware has it, shifting back drops what overflowed.
#[derive(Clone, Copy, Debug)]
pub(super) enum Op {
    /// A block begins; `cost` statements are counted.
    Enter {
        block: u32,
        cost: u32,
    },
    /// Copies value and mark.
    Copy {
        d: Reg,
        a: Reg,
    },
    /// Copies a narrow value; the destination then has one.
    Move {
        d: Reg,
        a: Reg,
    },
    /// A wide variable has a value now.
    ClearMark {
        d: Reg,
    },

    Add {
        sh: u8,
        d: Reg,
        a: Reg,
        b: Reg,
    },
    Sub {
        sh: u8,
        d: Reg,
        a: Reg,
        b: Reg,
    },
    Mul {
        sh: u8,
        d: Reg,
        a: Reg,
        b: Reg,
    },
    UDiv {
        sh: u8,
        d: Reg,
        a: Reg,
        b: Reg,
    },
    SDiv {
        sh: u8,
        d: Reg,
        a: Reg,
        b: Reg,
    },
    URem {
        d: Reg,
        a: Reg,
        b: Reg,
    },
    SRem {
        sh: u8,
        d: Reg,
        a: Reg,
        b: Reg,
    },
    /// Shifts by an amount known to be below the width.
    Shl {
        sh: u8,
        d: Reg,
        a: Reg,
        b: Reg,
    },
    LShr {
        d: Reg,
        a: Reg,
        b: Reg,
    },
    AShr {
        sh: u8,
        d: Reg,
        a: Reg,
        b: Reg,
    },
    And {
        d: Reg,
        a: Reg,
        b: Reg,
    },
    Or {
        d: Reg,
        a: Reg,
        b: Reg,
    },
    Xor {
        d: Reg,
        a: Reg,
        b: Reg,
    },
    Eq {
        d: Reg,
        a: Reg,
        b: Reg,
    },
    Ne {
        d: Reg,
        a: Reg,
        b: Reg,
    },
    Ult {
        d: Reg,
        a: Reg,
        b: Reg,
    },
    Ule {
        d: Reg,
        a: Reg,
        b: Reg,
    },
    Slt {
        sh: u8,
        d: Reg,
        a: Reg,
        b: Reg,
    },
    Sle {
        sh: u8,
        d: Reg,
        a: Reg,
        b: Reg,
    },
    Truncate {
        sh: u8,
        d: Reg,
        a: Reg,
    },
    SignExtend {
        from: u8,
        to: u8,
        d: Reg,
        a: Reg,
    },
    /// `a + signed b * scale`: the address of an array's element.
    Index {
        sh: u8,
        scale: u16,
        d: Reg,
        a: Reg,
        b: Reg,
    },
    AddF32 {
        d: Reg,
        a: Reg,
        b: Reg,
    },
    SubF32 {
        d: Reg,
        a: Reg,
        b: Reg,
    },
    MulF32 {
        d: Reg,
        a: Reg,
        b: Reg,
    },
    DivF32 {
        d: Reg,
        a: Reg,
        b: Reg,
    },
    AddF64 {
        d: Reg,
        a: Reg,
        b: Reg,
    },
    SubF64 {
        d: Reg,
        a: Reg,
        b: Reg,
    },
    MulF64 {
        d: Reg,
        a: Reg,
        b: Reg,
    },
    DivF64 {
        d: Reg,
        a: Reg,
        b: Reg,
    },
    /// Any operator at any type.
    Binary {
        op: BinaryOp,
        ty: TypeCode,
        d: Reg,
        a: Reg,
        b: Reg,
    },
    /// `info` in `Code::unaries`.
    Unary {
        d: Reg,
        a: Reg,
        info: u32,
    },
    /// `pair` in `Code::pairs`: the two values.
    Select {
        d: Reg,
        c: Reg,
        pair: u32,
    },
    /// `pair` in `Code::pairs`: second factor and summand.
    FusedMulAdd {
        kind: FloatKind,
        d: Reg,
        a: Reg,
        pair: u32,
    },
    /// The address of a local object, which is made when it is first needed; `slot` keeps it.
    LocalAddress {
        d: Reg,
        slot: Reg,
        local: LocalId,
    },

    Load8 {
        align: u8,
        d: Reg,
        a: Reg,
        off: i32,
    },
    Load16 {
        align: u8,
        d: Reg,
        a: Reg,
        off: i32,
    },
    Load32 {
        align: u8,
        d: Reg,
        a: Reg,
        off: i32,
    },
    Load64 {
        align: u8,
        d: Reg,
        a: Reg,
        off: i32,
    },
    Store8 {
        align: u8,
        a: Reg,
        v: Reg,
        off: i32,
    },
    Store16 {
        align: u8,
        a: Reg,
        v: Reg,
        off: i32,
    },
    Store32 {
        align: u8,
        a: Reg,
        v: Reg,
        off: i32,
    },
    Store64 {
        align: u8,
        a: Reg,
        v: Reg,
        off: i32,
    },
    /// Any access: `info` in `Code::accesses`.
    Load {
        d: Reg,
        a: Reg,
        info: u32,
    },
    Store {
        a: Reg,
        v: Reg,
        info: u32,
    },
    /// `info` in `Code::blocks`.
    CopyBytes {
        info: u32,
    },
    FillBytes {
        info: u32,
    },
    Alloc {
        d: Reg,
        a: Reg,
    },
    SaveStack {
        d: Reg,
    },
    RestoreStack {
        a: Reg,
    },
    CheckInit {
        a: Reg,
    },

    Jump {
        to: u32,
    },
    JumpIf {
        a: Reg,
        to: u32,
    },
    JumpUnless {
        a: Reg,
        to: u32,
    },
    JumpEq {
        a: Reg,
        b: Reg,
        to: u32,
    },
    JumpNe {
        a: Reg,
        b: Reg,
        to: u32,
    },
    JumpUlt {
        a: Reg,
        b: Reg,
        to: u32,
    },
    JumpUle {
        a: Reg,
        b: Reg,
        to: u32,
    },
    JumpSlt {
        sh: u8,
        a: Reg,
        b: Reg,
        to: u32,
    },
    JumpSle {
        sh: u8,
        a: Reg,
        b: Reg,
        to: u32,
    },
    /// `table` in `Code::switches`.
    Switch {
        a: Reg,
        table: u32,
    },
    /// `info` in `Code::calls`.
    Call {
        info: u32,
    },
    /// `info` in `Code::returns`.
    Return {
        info: u32,
    },
    Trap {
        trap: Trap,
    },
}

/// A type in one byte.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct TypeCode(u8);

impl From<Type> for TypeCode {
    fn from(ty: Type) -> TypeCode {
        TypeCode(match ty {
            Type::Ptr => 0,
            Type::Int(width) => width as u8,
            Type::Float(FloatKind::Half) => 129,
            Type::Float(FloatKind::BFloat) => 130,
            Type::Float(FloatKind::Single) => 131,
            Type::Float(FloatKind::Double) => 132,
            Type::Float(FloatKind::X87) => 133,
            Type::Float(FloatKind::Quad) => 134,
        })
    }
}

impl From<TypeCode> for Type {
    fn from(code: TypeCode) -> Type {
        match code.0 {
            0 => Type::Ptr,
            129 => Type::Float(FloatKind::Half),
            130 => Type::Float(FloatKind::BFloat),
            131 => Type::Float(FloatKind::Single),
            132 => Type::Float(FloatKind::Double),
            133 => Type::Float(FloatKind::X87),
            134 => Type::Float(FloatKind::Quad),
            width => Type::Int(u16::from(width)),
        }
    }
}

/// A compiled procedure.
#[derive(Debug, Default)]
pub(super) struct Code {
    pub(super) ops: Vec<Op>,
    /// Where each instruction comes from.
    pub(super) locs: Vec<Loc>,
    /// The registers of a new frame.
    pub(super) template: Vec<u128>,
    /// The register of each parameter.
    pub(super) params: Vec<TypedRegister>,
    pub(super) unaries: Vec<UnaryInfo>,
    pub(super) pairs: Vec<(Reg, Reg)>,
    pub(super) accesses: Vec<AccessInfo>,
    pub(super) blocks: Vec<BlockInfo>,
    pub(super) switches: Vec<Switch>,
    pub(super) calls: Vec<CallInfo>,
    pub(super) returns: Vec<Vec<TypedRegister>>,
    /// Whether there are statements that nobody can execute.
    pub(super) has_holes: bool,
}

/// A register and the type of what it holds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct TypedRegister {
    pub(super) reg: Reg,
    pub(super) ty: Type,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct UnaryInfo {
    pub(super) op: UnaryOp,
    pub(super) to: Type,
    pub(super) from: Type,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct AccessInfo {
    pub(super) ty: Type,
    pub(super) align: u32,
    pub(super) access: Access,
    pub(super) off: i64,
}

/// A copy (`second` is the source) or a fill (`second` is the byte).
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct BlockInfo {
    pub(super) dst: Reg,
    pub(super) second: Reg,
    pub(super) len: Reg,
    pub(super) align: u32,
    pub(super) access: Access,
}

#[derive(Debug)]
pub(super) struct CallInfo {
    pub(super) callee: Target,
    pub(super) args: Vec<TypedRegister>,
    pub(super) results: Vec<TypedRegister>,
}

#[derive(Debug)]
pub(super) enum Target {
    Procedure(ProcId),
    External(ExternId),
    Indirect { address: Reg, signature: Signature },
}

#[derive(Debug)]
pub(super) struct Switch {
    pub(super) ty: Type,
    pub(super) table: Table,
    pub(super) default: u32,
}

/// Where the values of a switch lead.
#[derive(Debug)]
pub(super) enum Table {
    /// By position from the smallest on; holes lead to the default.
    Dense { first: u128, targets: Vec<u32> },
    /// In order of value.
    Sparse(Vec<(u128, u32)>),
}

impl Switch {
    pub(super) fn target(&self, value: u128) -> u32 {
        match &self.table {
            Table::Dense { first, targets } => usize::try_from(value.wrapping_sub(*first))
                .ok()
                .and_then(|at| targets.get(at).copied())
                .unwrap_or(self.default),
            Table::Sparse(cases) => cases
                .binary_search_by_key(&value, |case| case.0)
                .map_or(self.default, |at| cases[at].1),
        }
    }
}

impl TypedRegister {
    pub(super) fn is_wide(self) -> bool {
        is_wide(self.ty)
    }
}

/// Whether a value takes two registers.
pub(super) fn is_wide(ty: Type) -> bool {
    ty.width() > 64
}

/// The value in a register, without its mark.
#[inline]
pub(super) fn value_of(register: u128, ty: Type) -> u128 {
    if is_wide(ty) { register } else { u128::from(register as u64) }
}

#[cfg(test)]
mod tests {
    #[test]
    fn an_instruction_has_16_bytes() {
        assert_eq!(std::mem::size_of::<super::Op>(), 16);
    }
}
