//! A solver reads the terms as the evaluator does: nothing rests on what SMT-LIB leaves open,
//! such as the bits of a NaN or an integer that a float does not fit. And the overflow tests of
//! products, which are the least obvious terms, are proved for all operands of a width.

use crate::translate_support;

use translate_support::{Formula, Random, specials};
use verdiff_logic::solver::{Answer, Decide, Limits, Query, standard};
use verdiff_logic::{TermId, TermPool};
use verdiff_model::BinaryOp::{self, *};
use verdiff_model::FloatKind::{self, *};
use verdiff_model::UnaryOp::{self, *};
use verdiff_model::{Const, Type, ops};
use verdiff_symex::translate::{self, constant, sort_of};

const KINDS: [FloatKind; 6] = [Half, BFloat, Single, Double, X87, Quad];

/// Checks that a formula cannot have another value than this.
fn check_forced(formula: &mut Formula, what: &str, operands: &[Const], expected: Const) {
    let pool = &mut formula.pool;
    let mut assertions: Vec<TermId> = Vec::new();
    for (symbol, operand) in formula.symbols.iter().zip(operands) {
        let value = constant(pool, *operand).unwrap();
        assertions.push(pool.eq(*symbol, value).unwrap());
    }
    let expected = constant(pool, expected).unwrap();
    assertions.push(pool.ne(formula.root, expected).unwrap());
    let answer = decide(pool, &assertions);
    assert!(answer.is_unsat(), "{what} of {operands:x?}: {answer:?}");
}

fn decide(pool: &mut TermPool, assertions: &[TermId]) -> Answer {
    let query = Query { assertions, assumptions: &[] };
    standard().decide(pool, &query, &Limits::seconds(60.0))
}

/// Whether everything is run (`cargo xtask soak`).
fn everything() -> bool {
    std::env::var_os("VERDIFF_CORPUS_ALL").is_some()
}

#[test]
fn a_solver_agrees_on_operators_on_one_float() {
    let mut random = Random::new(31);
    let same: [UnaryOp; 8] = [FNeg, FAbs, FSqrt, FFloor, FCeil, FTrunc, FRoundEven, FRound];
    for kind in KINDS {
        let from = Type::Float(kind);
        let mut cases: Vec<(UnaryOp, Type)> = same.into_iter().map(|op| (op, from)).collect();
        for op in [FToSigned, FToUnsigned, FToSignedSat, FToUnsignedSat] {
            cases.extend([8, 32, 64, 128].map(|width| (op, Type::Int(width))));
        }
        cases.extend(KINDS.into_iter().filter(|k| *k != kind).map(|k| (FConvert, Type::Float(k))));
        for (op, to) in cases {
            let mut formula = Formula::unary(op, to, from);
            for x in [Const::new(from, random.pick(&specials(kind))), random.constant(from)] {
                check_forced(&mut formula, &format!("{op:?}"), &[x], ops::unary(op, to, x));
            }
        }
    }
}

#[test]
fn a_solver_agrees_on_operators_on_two_floats() {
    let mut random = Random::new(32);
    let operators: [BinaryOp; 14] = [
        FAdd, FSub, FMul, FDiv, FMin, FMax, FMinimum, FMaximum, FCopySign, FOne, FUeq, FOrd, FUlt,
        FUge,
    ];
    for kind in KINDS {
        let ty = Type::Float(kind);
        for op in operators {
            let mut formula = Formula::binary(op, ty);
            // A solver takes long for the widest formats.
            let rounds = if matches!(kind, X87 | Quad) && !everything() { 1 } else { 3 };
            for round in 0..rounds {
                let mut x = formula.operands(&mut random);
                if round < 2 {
                    x[round] = Const::new(ty, random.pick(&specials(kind)));
                }
                let expected = ops::binary(op, x[0], x[1]);
                check_forced(&mut formula, &format!("{op:?}"), &x, expected);
            }
        }
    }
}

/// A product overflows iff the product of twice the width is not the extended product.
#[test]
fn products_overflow_iff_twice_the_width_differs() {
    for width in 2..=8 {
        let ty = Type::Int(width);
        for (op, extend) in [(SMulOverflows, SignExtend), (UMulOverflows, ZeroExtend)] {
            let mut pool = TermPool::new();
            let twice = Type::Int(2 * width);
            let [a, b] = ["a", "b"].map(|name| pool.symbol(name, sort_of(ty)).unwrap());
            let claim = translate::binary(&mut pool, op, ty, a, b).unwrap();
            let product = translate::binary(&mut pool, Mul, ty, a, b).unwrap();
            let [a, b, product] =
                [a, b, product].map(|t| translate::unary(&mut pool, extend, twice, ty, t).unwrap());
            let exact = translate::binary(&mut pool, Mul, twice, a, b).unwrap();
            let truth = translate::binary(&mut pool, Ne, twice, exact, product).unwrap();
            let differ = pool.ne(claim, truth).unwrap();
            let answer = decide(&mut pool, &[differ]);
            assert!(answer.is_unsat(), "{op:?} at {width} bits: {answer:?}");
        }
    }
}

/// Rounding can be reasoned about, not only computed: z3 cannot bit-blast that of a format whose
/// exponent is as long as its significand, which is bfloat.
#[test]
fn rounding_is_within_reach_of_a_solver() {
    for kind in [Half, BFloat] {
        let ty = Type::Float(kind);
        let mut pool = TermPool::new();
        let x = pool.symbol("x", sort_of(ty)).unwrap();
        let floor = translate::unary(&mut pool, FFloor, ty, ty, x).unwrap();
        let above = translate::binary(&mut pool, FOgt, ty, floor, x).unwrap();
        let answer = decide(&mut pool, &[above]);
        assert!(answer.is_unsat(), "floor of {ty} above the number: {answer:?}");
        for op in [FToSignedSat, FToUnsignedSat, FToSigned, FToUnsigned] {
            let int = translate::unary(&mut pool, op, Type::Int(8), ty, x).unwrap();
            let seven = constant(&mut pool, Const::new(Type::Int(8), 7)).unwrap();
            let is_seven = pool.eq(int, seven).unwrap();
            let fraction = translate::binary(&mut pool, FUne, ty, floor, x).unwrap();
            let answer = decide(&mut pool, &[is_seven, fraction]);
            assert!(answer.is_sat(), "{op:?} of {ty}: {answer:?}");
        }
    }
}
