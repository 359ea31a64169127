//! Every operator on floats, in every format, against the model's meaning of it.

use crate::translate_support;

use translate_support::{Formula, Random, closed_value, specials};
use verdiff_logic::{FunctionValue, Op, Sort, TermPool};
use verdiff_model::BinaryOp::{self, *};
use verdiff_model::FloatKind::{self, *};
use verdiff_model::UnaryOp::{self, *};
use verdiff_model::{Const, Type, ops};
use verdiff_symex::translate::{self, constant, sort_of, value_of};

const KINDS: [FloatKind; 6] = [Half, BFloat, Single, Double, X87, Quad];

const WIDTHS: [u16; 18] = [1, 2, 7, 8, 15, 16, 17, 24, 31, 32, 33, 48, 63, 64, 65, 96, 127, 128];

const UNARY: [UnaryOp; 8] = [FNeg, FAbs, FSqrt, FFloor, FCeil, FTrunc, FRoundEven, FRound];

/// All but `FRem`.
const BINARY: [BinaryOp; 23] = [
    FAdd, FSub, FMul, FDiv, FMin, FMax, FMinimum, FMaximum, FCopySign, FOeq, FOne, FOlt, FOle,
    FOgt, FOge, FOrd, FUno, FUeq, FUne, FUlt, FUle, FUgt, FUge,
];

/// All special values, and random ones.
fn inputs(kind: FloatKind, random: &mut Random, count: usize) -> Vec<Const> {
    let ty = Type::Float(kind);
    let special = specials(kind).into_iter().map(|bits| Const::new(ty, bits));
    special.chain((0..count).map(|_| random.constant(ty))).collect()
}

#[test]
fn operators_on_one_float_mean_what_the_model_says() {
    let mut random = Random::new(11);
    for kind in KINDS {
        let ty = Type::Float(kind);
        for op in UNARY {
            let formula = Formula::unary(op, ty, ty);
            for x in inputs(kind, &mut random, 400) {
                formula.check(&format!("{op:?}"), &[x], ops::unary(op, ty, x));
            }
        }
    }
}

#[test]
fn operators_on_two_floats_mean_what_the_model_says() {
    let mut random = Random::new(12);
    for kind in KINDS {
        let ty = Type::Float(kind);
        let special = specials(kind);
        for op in BINARY {
            let formula = Formula::binary(op, ty);
            let check = |a: Const, b: Const| {
                formula.check(&format!("{op:?}"), &[a, b], ops::binary(op, a, b));
            };
            for a in &special {
                for b in &special {
                    check(Const::new(ty, *a), Const::new(ty, *b));
                }
            }
            for _ in 0..400 {
                let a = random.constant(ty);
                check(a, random.constant(ty));
                check(a, Const::new(ty, a.bits.wrapping_add(random.below(3) as u128)));
            }
        }
    }
}

#[test]
fn fused_products_mean_what_the_model_says() {
    let mut random = Random::new(13);
    for kind in KINDS {
        let ty = Type::Float(kind);
        let formula = Formula::new(&[ty, ty, ty], ty, |pool, s| {
            translate::fused_mul_add(pool, ty, s[0], s[1], s[2]).unwrap()
        });
        for _ in 0..1500 {
            let mut x = formula.operands(&mut random);
            if random.below(3) == 0 {
                // Cancel: what is left of the product is what rounding it would lose.
                let product = ops::binary(FMul, x[0], x[1]);
                x[2] = ops::unary(FNeg, ty, product);
            }
            formula.check("fma", &x, ops::fused_mul_add(x[0], x[1], x[2]));
        }
    }
}

#[test]
fn conversions_between_formats_mean_what_the_model_says() {
    let mut random = Random::new(14);
    for from in KINDS {
        for to in KINDS {
            let (a, b) = (Type::Float(from), Type::Float(to));
            let formula = Formula::unary(FConvert, b, a);
            let mut all = inputs(from, &mut random, 200);
            // What the other format rounds, ties and ends included.
            for bits in inputs(to, &mut random, 100) {
                let near = ops::unary(FConvert, a, bits);
                let half_step = 1 << random.below(from.width().min(64).into());
                all.extend([near, Const::new(a, near.bits ^ half_step)]);
                all.push(Const::new(a, near.bits.wrapping_add(1)));
            }
            for x in all {
                formula.check(&format!("{from:?} to {to:?}"), &[x], ops::unary(FConvert, b, x));
            }
        }
    }
}

#[test]
fn bits_are_cast_as_they_are() {
    let mut random = Random::new(15);
    for kind in KINDS {
        let (float, int) = (Type::Float(kind), Type::Int(kind.width()));
        for (from, to) in [(float, int), (int, float), (float, float)] {
            let formula = Formula::unary(Bitcast, to, from);
            for x in inputs(kind, &mut random, 20) {
                let x = Const::new(from, x.bits);
                formula.check("bitcast", &[x], Const::new(to, x.bits));
            }
        }
    }
}

#[test]
fn floats_become_the_integers_the_model_says() {
    let mut random = Random::new(16);
    for kind in KINDS {
        for width in WIDTHS {
            let to = Type::Int(width);
            for op in [FToSigned, FToUnsigned, FToSignedSat, FToUnsignedSat] {
                let formula = Formula::unary(op, to, Type::Float(kind));
                for x in inputs(kind, &mut random, 100) {
                    formula.check(&format!("{op:?} to {to}"), &[x], ops::unary(op, to, x));
                }
            }
        }
    }
}

/// Just inside and just outside every integer type, and halfway between integers there.
#[test]
fn floats_next_to_the_ends_of_integer_types() {
    for kind in KINDS {
        let ty = Type::Float(kind);
        for width in WIDTHS {
            let to = Type::Int(width);
            for op in [FToSigned, FToUnsigned, FToSignedSat, FToUnsignedSat] {
                let formula = Formula::unary(op, to, ty);
                for exponent in [width - 1, width.min(127), 63, 64] {
                    let end = Const::new(Type::Int(128), 1 << exponent);
                    let end = ops::unary(UnsignedToF, ty, end).bits;
                    for near in 0..9 {
                        let x = Const::new(ty, end.wrapping_add(near).wrapping_sub(4));
                        for x in [x, ops::unary(FNeg, ty, x)] {
                            formula.check(&format!("{op:?} to {to}"), &[x], ops::unary(op, to, x));
                        }
                    }
                }
            }
        }
    }
}

#[test]
fn integers_become_the_floats_the_model_says() {
    let mut random = Random::new(17);
    for kind in KINDS {
        let to = Type::Float(kind);
        for width in WIDTHS {
            let from = Type::Int(width);
            for op in [SignedToF, UnsignedToF] {
                let formula = Formula::unary(op, to, from);
                let check = |x| formula.check(&format!("{op:?}"), &[x], ops::unary(op, to, x));
                for bits in translate_support::boundaries(width) {
                    check(Const::new(from, bits));
                }
                for _ in 0..100 {
                    check(random.constant(from));
                }
            }
        }
    }
}

/// Constants are decoded when the term is built, and results of operators not encoded first.
#[test]
fn constants_and_chains_change_nothing() {
    let mut random = Random::new(18);
    for kind in KINDS {
        let ty = Type::Float(kind);
        let mut pool = TermPool::new();
        for a in inputs(kind, &mut random, 100) {
            let (b, c) = (random.constant(ty), random.constant(ty));
            let terms = [a, b, c].map(|x| constant(&mut pool, x).unwrap());
            let sum = translate::binary(&mut pool, FAdd, ty, terms[0], terms[1]).unwrap();
            let chain = translate::binary(&mut pool, FMul, ty, sum, terms[2]).unwrap();
            let expected = ops::binary(FMul, ops::binary(FAdd, a, b), c);
            assert_eq!(closed_value(&pool, ty, chain), expected, "({a:x?} + {b:x?}) * {c:x?}");
        }
    }
}

#[test]
fn a_chain_of_operators_stays_among_floats() {
    for kind in KINDS {
        let ty = Type::Float(kind);
        let mut pool = TermPool::new();
        let x = pool.symbol("x", sort_of(ty)).unwrap();
        let double = translate::binary(&mut pool, FAdd, ty, x, x).unwrap();
        let root = translate::unary(&mut pool, FSqrt, ty, ty, double).unwrap();
        let terms = pool.sub_terms(&[root]);
        let root = terms.into_iter().find(|t| matches!(pool.op(*t), Op::FpSqrt(_))).unwrap();
        let operand = pool.operands(root)[0];
        assert!(matches!(pool.op(operand), Op::FpAdd(_)), "{}", pool.display(operand));
    }
}

/// `isnan(x + x) ? 1 : x + x` looks almost like the bits of `x + x`.
#[test]
fn a_replaced_nan_is_not_taken_for_the_encoding() {
    for kind in KINDS {
        let ty = Type::Float(kind);
        let one = ops::unary(UnsignedToF, ty, Const::new(Type::Int(8), 1));
        let formula = Formula::new(&[ty], ty, |pool, s| {
            let sum = translate::binary(pool, FAdd, ty, s[0], s[0]).unwrap();
            // The same encoding around another value for NaN; x87 has the integer bit besides.
            let x87 = kind == X87;
            let plain = if x87 { pool.operands(pool.operands(sum)[0])[0] } else { sum };
            let &[is_nan, _, raw] = pool.operands(plain) else { panic!("not an encoding") };
            let bits = if x87 { 0x3fff << 63 } else { one.bits };
            let other = pool.bits(pool.sort(raw).width().unwrap(), bits).unwrap();
            let mut replaced = pool.ite(is_nan, other, raw).unwrap();
            if x87 {
                let top = pool.extract(78, 63, replaced).unwrap();
                let integer = pool.bits(1, 1).unwrap();
                let fraction = pool.extract(62, 0, replaced).unwrap();
                replaced = pool.apply_op(Op::Concat, &[top, integer, fraction]).unwrap();
            }
            translate::unary(pool, FSqrt, ty, ty, replaced).unwrap()
        });
        let nan = Const::new(ty, ops::canonical_nan(kind));
        formula.check("sqrt of a replaced NaN", &[nan], one);
    }
}

/// Whatever `fmod` is, it is one function; with the model's one the term is the model's.
#[test]
fn remainders_are_exact_but_for_the_division() {
    let mut random = Random::new(19);
    for kind in KINDS {
        let ty = Type::Float(kind);
        let formula = Formula::binary(FRem, ty);
        let mut pool_for_name = TermPool::new();
        let bits = Sort::BitVec(kind.width().into());
        let name = format!("frem.{ty}");
        let fresh = pool_for_name.function(&name, &[bits, bits], bits).unwrap();
        assert_eq!(formula.pool.signature(fresh).name, name);
        let special = specials(kind);
        let mut pairs: Vec<(u128, u128)> =
            special.iter().flat_map(|a| special.iter().map(|b| (*a, *b))).collect();
        pairs.extend((0..300).map(|_| (random.constant(ty).bits, random.constant(ty).bits)));
        for (a, b) in pairs {
            let (a, b) = (Const::new(ty, a), Const::new(ty, b));
            let expected = ops::binary(FRem, a, b);
            let size = |x| ops::unary(FAbs, ty, x);
            let divides = ops::binary(FOge, size(a), size(b)).bits == 1;
            let wrong = Const::new(ty, 1);
            for told in [expected, wrong] {
                let mut assignment = formula.assignment(&[a, b]);
                let mut function = FunctionValue::constant(value_of(Const::new(ty, 0)));
                function.set(vec![value_of(a), value_of(b)], value_of(told));
                assignment.set_function(&formula.pool, fresh, function).unwrap();
                let value = formula.pool.eval(formula.root, &assignment).unwrap();
                if told == expected || !divides {
                    assert_eq!(value, value_of(expected), "{a:x?} % {b:x?}");
                }
            }
        }
    }
}
