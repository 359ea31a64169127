//! The operators against arithmetic that cannot overflow, exhaustively at 8 bits.

use super::*;
use proptest::prelude::*;

const PREDICATES: [BinaryOp; 6] = [
    BinaryOp::SAddOverflows,
    BinaryOp::SSubOverflows,
    BinaryOp::SMulOverflows,
    BinaryOp::UAddOverflows,
    BinaryOp::USubOverflows,
    BinaryOp::UMulOverflows,
];

/// What an operator gives in unbounded integers, from both readings of the operands.
fn exact(op: BinaryOp, width: u16, (ua, ub): (i128, i128), (sa, sb): (i128, i128)) -> Option<i128> {
    use BinaryOp::*;
    let w = i128::from(width);
    let fits_signed = |r: i128| -(1 << (w - 1)) <= r && r < 1 << (w - 1);
    let fits_unsigned = |r: i128| 0 <= r && r < 1 << w;
    Some(match op {
        Add => ua + ub,
        Sub => ua - ub,
        Mul => ua * ub,
        UDiv => ua.checked_div(ub).unwrap_or(-1),
        URem => ua.checked_rem(ub).unwrap_or(ua),
        SDiv => sa.checked_div(sb).unwrap_or(if sa < 0 { 1 } else { -1 }),
        SRem => sa.checked_rem(sb).unwrap_or(sa),
        Shl => ua << (ub % w),
        LShr => ua >> (ub % w),
        AShr => sa >> (ub % w),
        And => ua & ub,
        Or => ua | ub,
        Xor => ua ^ ub,
        SAddOverflows => (!fits_signed(sa + sb)).into(),
        SSubOverflows => (!fits_signed(sa - sb)).into(),
        SMulOverflows => (!fits_signed(sa * sb)).into(),
        UAddOverflows => (!fits_unsigned(ua + ub)).into(),
        USubOverflows => (!fits_unsigned(ua - ub)).into(),
        UMulOverflows => (!fits_unsigned(ua * ub)).into(),
        Eq => (ua == ub).into(),
        Ne => (ua != ub).into(),
        Ult => (ua < ub).into(),
        Ule => (ua <= ub).into(),
        Ugt => (ua > ub).into(),
        Uge => (ua >= ub).into(),
        Slt => (sa < sb).into(),
        Sle => (sa <= sb).into(),
        Sgt => (sa > sb).into(),
        Sge => (sa >= sb).into(),
        _ => return None,
    })
}

const INTEGER_OPS: [BinaryOp; 29] = {
    use BinaryOp::*;
    [
        Add,
        Sub,
        Mul,
        UDiv,
        SDiv,
        URem,
        SRem,
        Shl,
        LShr,
        AShr,
        And,
        Or,
        Xor,
        SAddOverflows,
        UAddOverflows,
        SSubOverflows,
        USubOverflows,
        SMulOverflows,
        UMulOverflows,
        Eq,
        Ne,
        Ult,
        Ule,
        Ugt,
        Uge,
        Slt,
        Sle,
        Sgt,
        Sge,
    ]
};

fn check_exact(op: BinaryOp, width: u16, a: u128, b: u128) {
    let unsigned = (a as i128, b as i128);
    let signed = (crate::types::signed(a, width), crate::types::signed(b, width));
    let expected = exact(op, width, unsigned, signed).expect("an integer operator") as u128;
    let got = binary(op, Const::new(Type::Int(width), a), Const::new(Type::Int(width), b));
    assert_eq!(got.bits, expected & got.ty.mask(), "{op:?} at {width} of {a:#x}, {b:#x}");
}

#[test]
fn every_integer_operator_is_exact_at_8_bits() {
    for op in INTEGER_OPS {
        for a in 0..=255 {
            for b in 0..=255 {
                check_exact(op, 8, a, b);
            }
        }
    }
}

#[test]
fn every_integer_operator_is_exact_at_1_bit() {
    for op in INTEGER_OPS {
        for (a, b) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
            check_exact(op, 1, a, b);
        }
    }
}

proptest! {
    #[test]
    fn every_integer_operator_is_exact_up_to_62_bits(
        op in proptest::sample::select(&INTEGER_OPS[..]), width in 1u16..=62, a: u64, b: u64,
        small in 0u32..64,
    ) {
        let m = mask(width);
        check_exact(op, width, u128::from(a) & m, u128::from(b >> small) & m);
    }

    #[test]
    fn overflow_at_128_bits_is_seen_by_wider_arithmetic(a: u128, b: u128, sa in 0u32..128, sb in 0u32..128) {
        let (a, b) = (a >> sa, b >> sb);
        let (x, y) = (a as i128, b as i128);
        let expected = [
            x.overflowing_add(y).1, x.overflowing_sub(y).1, x.overflowing_mul(y).1,
            a.overflowing_add(b).1, a.overflowing_sub(b).1, a.overflowing_mul(b).1,
        ];
        for (op, expected) in PREDICATES.into_iter().zip(expected) {
            prop_assert_eq!(binary_bits(op, Type::Int(128), a, b), u128::from(expected), "{:?}", op);
        }
    }

    #[test]
    fn soft_floats_agree_with_native_ones(a: u64, b: u64) {
        // The software path is there for the other formats; doubles show that it is wired rightly.
        let (a, b) = (u128::from(a), u128::from(b));
        for op in [BinaryOp::FAdd, BinaryOp::FSub, BinaryOp::FMul, BinaryOp::FDiv, BinaryOp::FRem] {
            prop_assert_eq!(
                soft::arithmetic(op, crate::FloatKind::Double, a, b),
                binary_bits(op, Type::Float(crate::FloatKind::Double), a, b),
            );
        }
        for op in [
            UnaryOp::FSqrt, UnaryOp::FFloor, UnaryOp::FCeil, UnaryOp::FTrunc, UnaryOp::FRound,
            UnaryOp::FRoundEven,
        ] {
            let ty = Type::Float(crate::FloatKind::Double);
            prop_assert_eq!(
                soft::rounding(op, crate::FloatKind::Double, a), unary_bits(op, ty, ty, a), "{:?}", op
            );
        }
        let single = Type::Float(crate::FloatKind::Single);
        let low = a & 0xffff_ffff;
        prop_assert_eq!(
            soft::rounding(UnaryOp::FSqrt, crate::FloatKind::Single, low),
            unary_bits(UnaryOp::FSqrt, single, single, low)
        );
    }
}

#[test]
fn the_smallest_number_divided_by_minus_one_wraps_at_every_width() {
    for width in 1..=128 {
        let smallest = 1u128 << (width - 1);
        let minus_one = mask(width);
        let ty = Type::Int(width);
        assert_eq!(binary_bits(BinaryOp::SDiv, ty, smallest, minus_one), smallest);
        assert_eq!(binary_bits(BinaryOp::SRem, ty, smallest, minus_one), 0);
    }
}

#[test]
fn bits_are_counted_and_turned_within_the_width() {
    let at = |op, width, bits| unary_bits(op, Type::Int(width), Type::Int(width), bits);
    for bits in 0..=255u8 {
        let b = u128::from(bits);
        assert_eq!(at(UnaryOp::PopCount, 8, b), u128::from(bits.count_ones()));
        assert_eq!(at(UnaryOp::LeadingZeros, 8, b), u128::from(bits.leading_zeros()));
        assert_eq!(at(UnaryOp::TrailingZeros, 8, b), u128::from(bits.trailing_zeros()));
        assert_eq!(at(UnaryOp::BitReverse, 8, b), u128::from(bits.reverse_bits()));
        assert_eq!(at(UnaryOp::Neg, 8, b), u128::from(bits.wrapping_neg()));
        assert_eq!(at(UnaryOp::Not, 8, b), u128::from(!bits));
    }
    assert_eq!(at(UnaryOp::ByteSwap, 48, 0x0102_0304_0506), 0x0605_0403_0201);
    assert_eq!(at(UnaryOp::LeadingZeros, 128, 0), 128);
    assert_eq!(at(UnaryOp::TrailingZeros, 24, 0), 24);
}

#[test]
fn computing_gives_one_nan_and_moving_keeps_payloads() {
    use crate::FloatKind::*;
    for kind in [Half, BFloat, Single, Double, X87, Quad] {
        let ty = Type::Float(kind);
        let odd = canonical_nan(kind) | 1 | 1 << (kind.width() - 1);
        assert!(is_nan(kind, odd));
        assert_eq!(binary_bits(BinaryOp::FAdd, ty, odd, 0), canonical_nan(kind), "{kind:?}");
        assert_eq!(unary_bits(UnaryOp::FSqrt, ty, ty, odd), canonical_nan(kind), "{kind:?}");
        assert_eq!(unary_bits(UnaryOp::FConvert, ty, ty, odd), canonical_nan(kind), "{kind:?}");
        assert_eq!(fused_mul_add_bits(ty, odd, odd, odd), canonical_nan(kind), "{kind:?}");
        let negated = unary_bits(UnaryOp::FNeg, ty, ty, odd);
        assert_eq!(negated, canonical_nan(kind) | 1, "{kind:?}");
        assert_eq!(binary_bits(BinaryOp::FCopySign, ty, negated, odd), odd, "{kind:?}");
        assert_eq!(unary_bits(UnaryOp::FAbs, ty, ty, odd), negated, "{kind:?}");
    }
}

#[test]
fn constants_fold_and_variables_do_not() {
    let sum = Expr::binary(BinaryOp::Add, Expr::int(32, 40), Expr::int(32, 2));
    assert_eq!(fold(&sum), Some(Const::new(Type::Int(32), 42)));
    let chosen = Expr::select(Expr::bool(true), sum.clone(), Expr::Var(crate::VarId(0)));
    assert_eq!(fold(&chosen), Some(Const::new(Type::Int(32), 42)));
    assert_eq!(fold(&Expr::binary(BinaryOp::Add, sum, Expr::Var(crate::VarId(0)))), None);
    let double = |x: f64| {
        Expr::Const(Const::new(Type::Float(crate::FloatKind::Double), u128::from(x.to_bits())))
    };
    let fma = Expr::FusedMulAdd {
        a: Box::new(double(2.0)),
        b: Box::new(double(3.0)),
        c: Box::new(double(4.0)),
    };
    assert_eq!(fold(&fma).map(|c| f64::from_bits(c.bits as u64)), Some(10.0));
}

proptest! {
    #[test]
    fn saturating_conversions_are_rusts(bits: u64, shift in 0u32..64) {
        let (double, x) = (Type::Float(crate::FloatKind::Double), f64::from_bits(bits));
        // Bits alone are mostly huge or tiny; whole numbers with a fraction are in between.
        for x in [x, bits as i64 as f64 / 2f64.powi(shift as i32)] {
            let at = |op, width| unary_bits(op, Type::Int(width), double, u128::from(x.to_bits()));
            prop_assert_eq!(at(UnaryOp::FToSignedSat, 32), u128::from((x as i32) as u32));
            prop_assert_eq!(at(UnaryOp::FToSignedSat, 64), u128::from((x as i64) as u64));
            prop_assert_eq!(at(UnaryOp::FToSignedSat, 128), (x as i128) as u128);
            prop_assert_eq!(at(UnaryOp::FToUnsignedSat, 8), u128::from(x as u8));
            prop_assert_eq!(at(UnaryOp::FToUnsignedSat, 64), u128::from(x as u64));
            prop_assert_eq!(at(UnaryOp::FToUnsignedSat, 128), x as u128);
        }
    }
}
