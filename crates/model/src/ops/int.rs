//! Integer operators at every width up to 128, exactly.

use crate::expr::BinaryOp;
use crate::types::{mask, signed};

/// An operator on two integers (or addresses) of `width` bits.
pub(super) fn binary(op: BinaryOp, width: u16, a: u128, b: u128) -> u128 {
    use BinaryOp::*;
    let (sa, sb) = (signed(a, width), signed(b, width));
    let amount = || u32::try_from(b % u128::from(width)).unwrap_or(0);
    let bits = match op {
        Add | PtrAdd => a.wrapping_add(b),
        Sub => a.wrapping_sub(b),
        Mul => a.wrapping_mul(b),
        UDiv => a.checked_div(b).unwrap_or(u128::MAX),
        URem => a.checked_rem(b).unwrap_or(a),
        SDiv if b == 0 => {
            if sa < 0 {
                1
            } else {
                u128::MAX
            }
        }
        // Wrapping is the smallest number divided by minus one: at 128 bits here, at
        // narrower widths by the mask below.
        SDiv => sa.wrapping_div(sb) as u128,
        SRem if b == 0 => a,
        SRem => sa.wrapping_rem(sb) as u128,
        Shl => a << amount(),
        LShr => a >> amount(),
        AShr => (sa >> amount()) as u128,
        And => a & b,
        Or => a | b,
        Xor => a ^ b,
        SAddOverflows => u128::from(outside(sa.checked_add(sb), width)),
        SSubOverflows => u128::from(outside(sa.checked_sub(sb), width)),
        SMulOverflows => u128::from(outside(sa.checked_mul(sb), width)),
        UAddOverflows => u128::from(a.checked_add(b).is_none_or(|r| r > mask(width))),
        USubOverflows => u128::from(a < b),
        UMulOverflows => u128::from(a.checked_mul(b).is_none_or(|r| r > mask(width))),
        Eq => u128::from(a == b),
        Ne => u128::from(a != b),
        Ult => u128::from(a < b),
        Ule => u128::from(a <= b),
        Ugt => u128::from(a > b),
        Uge => u128::from(a >= b),
        Slt => u128::from(sa < sb),
        Sle => u128::from(sa <= sb),
        Sgt => u128::from(sa > sb),
        Sge => u128::from(sa >= sb),
        // A float operator on integers is an ill-typed program, which `validate` rejects;
        // totality is all that is left to keep.
        _ => 0,
    };
    bits & mask(width)
}

/// Whether an exact result (`None`: beyond 128 bits) does not fit a signed `width`.
fn outside(exact: Option<i128>, width: u16) -> bool {
    exact.is_none_or(|r| signed(r as u128, width) != r)
}

/// The `width / 8` bytes of `bits` in reverse order.
pub(super) fn byte_swap(bits: u128, width: u16) -> u128 {
    bits.swap_bytes() >> (128 - u32::from(width))
}
