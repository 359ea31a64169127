//! Changes of instructions after they are emitted: the final numbers of constants'
//! registers and of jump targets are known only at the end.

use super::code::{Op, Reg};

/// Calls `fix` on every register the instruction reads.
pub(super) fn registers(op: &mut Op, fix: impl Fn(&mut Reg)) {
    use Op::*;
    match op {
        Enter { .. }
        | ClearMark { .. }
        | CopyBytes { .. }
        | FillBytes { .. }
        | SaveStack { .. }
        | Jump { .. }
        | Call { .. }
        | Return { .. }
        | Trap { .. }
        | LocalAddress { .. } => {}
        Copy { a, .. }
        | Move { a, .. }
        | Truncate { a, .. }
        | SignExtend { a, .. }
        | Unary { a, .. }
        | FusedMulAdd { a, .. }
        | Load8 { a, .. }
        | Load16 { a, .. }
        | Load32 { a, .. }
        | Load64 { a, .. }
        | Load { a, .. }
        | Alloc { a, .. }
        | RestoreStack { a }
        | CheckInit { a }
        | JumpIf { a, .. }
        | JumpUnless { a, .. }
        | Switch { a, .. } => fix(a),
        Select { c, .. } => fix(c),
        Store8 { a, v, .. }
        | Store16 { a, v, .. }
        | Store32 { a, v, .. }
        | Store64 { a, v, .. }
        | Store { a, v, .. } => {
            fix(a);
            fix(v);
        }
        Add { a, b, .. }
        | Sub { a, b, .. }
        | Mul { a, b, .. }
        | UDiv { a, b, .. }
        | SDiv { a, b, .. }
        | URem { a, b, .. }
        | SRem { a, b, .. }
        | Shl { a, b, .. }
        | LShr { a, b, .. }
        | AShr { a, b, .. }
        | And { a, b, .. }
        | Or { a, b, .. }
        | Xor { a, b, .. }
        | Eq { a, b, .. }
        | Ne { a, b, .. }
        | Ult { a, b, .. }
        | Ule { a, b, .. }
        | Slt { a, b, .. }
        | Sle { a, b, .. }
        | Index { a, b, .. }
        | AddF32 { a, b, .. }
        | SubF32 { a, b, .. }
        | MulF32 { a, b, .. }
        | DivF32 { a, b, .. }
        | AddF64 { a, b, .. }
        | SubF64 { a, b, .. }
        | MulF64 { a, b, .. }
        | DivF64 { a, b, .. }
        | Binary { a, b, .. }
        | JumpEq { a, b, .. }
        | JumpNe { a, b, .. }
        | JumpUlt { a, b, .. }
        | JumpUle { a, b, .. }
        | JumpSlt { a, b, .. }
        | JumpSle { a, b, .. } => {
            fix(a);
            fix(b);
        }
    }
}

/// Calls `change` on the instruction's jump target, if it has one.
pub(super) fn targets(op: &mut Op, change: impl Fn(&mut u32)) {
    use Op::*;
    match op {
        Jump { to }
        | JumpIf { to, .. }
        | JumpUnless { to, .. }
        | JumpEq { to, .. }
        | JumpNe { to, .. }
        | JumpUlt { to, .. }
        | JumpUle { to, .. }
        | JumpSlt { to, .. }
        | JumpSle { to, .. } => change(to),
        _ => {}
    }
}
