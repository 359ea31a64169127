//! Every operator on integers, at many widths, against the model's meaning of it.

use crate::translate_support;

use translate_support::{Formula, Random, boundaries, closed_value};
use verdiff_logic::TermPool;
use verdiff_model::BinaryOp::{self, *};
use verdiff_model::UnaryOp::{self, *};
use verdiff_model::{Const, Type, ops};
use verdiff_symex::translate::{self, constant};

const WIDTHS: [u16; 15] = [1, 2, 3, 5, 7, 8, 16, 24, 32, 33, 48, 64, 65, 127, 128];

const BINARY: [BinaryOp; 29] = [
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
];

const UNARY: [UnaryOp; 6] = [Not, Neg, PopCount, LeadingZeros, TrailingZeros, BitReverse];

/// The operands to try: all pairs at small widths, else boundaries with each other and random.
fn pairs(width: u16, random: &mut Random) -> Vec<(u128, u128)> {
    if width <= 5 {
        let all = 0..1u128 << width;
        return all.clone().flat_map(|a| all.clone().map(move |b| (a, b))).collect();
    }
    let ends = boundaries(width);
    let mut pairs: Vec<_> = ends.iter().flat_map(|a| ends.iter().map(|b| (*a, *b))).collect();
    let ty = Type::Int(width);
    pairs.extend((0..150).map(|_| (random.constant(ty).bits, random.constant(ty).bits)));
    pairs
}

#[test]
fn operators_on_two_integers_mean_what_the_model_says() {
    let mut random = Random::new(1);
    for width in WIDTHS {
        let ty = Type::Int(width);
        let pairs = pairs(width, &mut random);
        for op in BINARY {
            let formula = Formula::binary(op, ty);
            for (a, b) in &pairs {
                let operands = [Const::new(ty, *a), Const::new(ty, *b)];
                formula.check(
                    &format!("{op:?}"),
                    &operands,
                    ops::binary(op, operands[0], operands[1]),
                );
            }
        }
    }
}

/// A constant operand is another way through shifts and overflows.
#[test]
fn a_constant_operand_changes_nothing() {
    let mut random = Random::new(2);
    for width in WIDTHS {
        let ty = Type::Int(width);
        let ends = boundaries(width);
        for op in BINARY {
            for round in 0..2 * ends.len() {
                let fixed = match ends.get(round) {
                    Some(bits) => Const::new(ty, *bits),
                    None => random.constant(ty),
                };
                let left = Formula::new(&[ty], result(op, ty), |pool, s| {
                    let fixed = constant(pool, fixed).unwrap();
                    translate::binary(pool, op, ty, fixed, s[0]).unwrap()
                });
                let right = Formula::new(&[ty], result(op, ty), |pool, s| {
                    let fixed = constant(pool, fixed).unwrap();
                    translate::binary(pool, op, ty, s[0], fixed).unwrap()
                });
                for other in 0..6 {
                    let x = match other {
                        0..3 => Const::new(ty, random.pick(&ends)),
                        _ => random.constant(ty),
                    };
                    left.check(
                        &format!("{op:?} of {fixed:x?} and"),
                        &[x],
                        ops::binary(op, fixed, x),
                    );
                    right.check(&format!("{op:?} by {fixed:x?}"), &[x], ops::binary(op, x, fixed));
                }
            }
        }
    }
}

/// Just inside and just outside: `x * c` for `x` next to the quotients of the range's ends.
#[test]
fn multiples_overflow_exactly_beyond_the_quotients() {
    let mut random = Random::new(3);
    for width in [8, 24, 32, 64, 128] {
        let ty = Type::Int(width);
        for _ in 0..60 {
            let c = random.constant(ty);
            for (overflows, divide, ends) in [
                (SMulOverflows, SDiv, [1u128 << (width - 1), (1 << (width - 1)) - 1]),
                (UMulOverflows, UDiv, [u128::MAX, u128::MAX - 1]),
            ] {
                let both = Formula::binary(overflows, ty);
                let one = Formula::new(&[ty], Type::BOOL, |pool, s| {
                    let c = constant(pool, c).unwrap();
                    translate::binary(pool, overflows, ty, s[0], c).unwrap()
                });
                for end in ends {
                    let quotient = ops::binary(divide, Const::new(ty, end), c).bits;
                    for near in 0..5 {
                        let x = Const::new(ty, quotient.wrapping_add(near).wrapping_sub(2));
                        let expected = ops::binary(overflows, x, c);
                        both.check(&format!("{overflows:?}"), &[x, c], expected);
                        one.check(&format!("{overflows:?} by {c:x?}"), &[x], expected);
                    }
                }
            }
        }
    }
}

#[test]
fn operators_on_one_integer_mean_what_the_model_says() {
    let mut random = Random::new(4);
    for width in WIDTHS.into_iter().chain([4, 6, 12, 63, 80, 112]) {
        let ty = Type::Int(width);
        let swaps = (width % 8 == 0).then_some(ByteSwap);
        for op in UNARY.into_iter().chain(swaps) {
            let formula = Formula::unary(op, ty, ty);
            for x in inputs(ty, &mut random) {
                formula.check(&format!("{op:?}"), &[x], ops::unary(op, ty, x));
            }
        }
    }
}

#[test]
fn casts_mean_what_the_model_says() {
    let mut random = Random::new(5);
    for (i, small) in WIDTHS.iter().enumerate() {
        for large in &WIDTHS[i..] {
            let (small, large) = (Type::Int(*small), Type::Int(*large));
            let casts = [(ZeroExtend, small, large), (SignExtend, small, large)];
            for (op, from, to) in casts.into_iter().chain([(Truncate, large, small)]) {
                let formula = Formula::unary(op, to, from);
                for x in inputs(from, &mut random) {
                    formula.check(&format!("{op:?} to {to}"), &[x], ops::unary(op, to, x));
                }
            }
        }
    }
}

#[test]
fn addresses_are_words() {
    let mut random = Random::new(6);
    let casts = [(PtrToInt, Type::Ptr, Type::WORD), (IntToPtr, Type::WORD, Type::Ptr)];
    for (op, from, to) in casts.into_iter().chain([(Bitcast, Type::WORD, Type::WORD)]) {
        let formula = Formula::unary(op, to, from);
        for x in inputs(from, &mut random) {
            formula.check(&format!("{op:?}"), &[x], ops::unary(op, to, x));
        }
    }
    for op in [PtrAdd, Eq, Ne, Ult, Ule, Ugt, Uge, Slt, Sle, Sgt, Sge] {
        let formula = Formula::binary(op, Type::Ptr);
        for _ in 0..200 {
            let operands = formula.operands(&mut random);
            let expected = ops::binary(op, operands[0], operands[1]);
            formula.check(&format!("{op:?}"), &operands, expected);
        }
    }
}

#[test]
fn constants_and_values_are_each_other() {
    let mut random = Random::new(7);
    let mut pool = TermPool::new();
    for width in WIDTHS {
        for x in inputs(Type::Int(width), &mut random) {
            let term = constant(&mut pool, x).unwrap();
            assert_eq!(closed_value(&pool, x.ty, term), x);
            assert_eq!(translate::const_of(x.ty, &translate::value_of(x)), Some(x));
        }
    }
    let byte = translate::value_of(Const::new(Type::Int(8), 1));
    assert_eq!(translate::const_of(Type::Int(16), &byte), None);
    assert_eq!(translate::const_of(Type::BOOL, &byte), None);
}

#[test]
fn ill_typed_operators_are_errors() {
    let mut pool = TermPool::new();
    let byte = pool.symbol("byte", translate::sort_of(Type::Int(8))).unwrap();
    let flag = pool.symbol("flag", translate::sort_of(Type::BOOL)).unwrap();
    let (int8, double) = (Type::Int(8), Type::Float(verdiff_model::FloatKind::Double));
    let mut fails = |op, to, from, arg| translate::unary(&mut pool, op, to, from, arg).is_err();
    assert!(fails(Not, Type::Int(16), int8, byte), "another result");
    assert!(fails(FNeg, int8, int8, byte), "no float");
    assert!(fails(FToSigned, int8, int8, byte), "no float");
    assert!(fails(SignedToF, int8, int8, byte), "no float");
    assert!(fails(FConvert, double, int8, byte), "no float");
    assert!(fails(Not, int8, int8, flag), "an operand of another sort");
    assert!(fails(ByteSwap, Type::BOOL, Type::BOOL, flag), "no bytes");
    assert!(translate::binary(&mut pool, FAdd, int8, byte, byte).is_err(), "no floats");
    assert!(translate::binary(&mut pool, Shl, Type::BOOL, flag, byte).is_err(), "two sorts");
    assert!(translate::fused_mul_add(&mut pool, int8, byte, byte, byte).is_err(), "no floats");
}

fn result(op: BinaryOp, ty: Type) -> Type {
    if op.is_predicate() { Type::BOOL } else { ty }
}

fn inputs(ty: Type, random: &mut Random) -> Vec<Const> {
    if ty.width() <= 8 {
        return (0..1 << ty.width()).map(|bits| Const::new(ty, bits)).collect();
    }
    let ends = boundaries(ty.width()).into_iter().map(|bits| Const::new(ty, bits));
    let single = (0..ty.width()).map(|i| Const::new(ty, 1 << i));
    let mut all: Vec<Const> = ends.chain(single).collect();
    all.extend((0..100).map(|_| random.constant(ty)));
    all
}
