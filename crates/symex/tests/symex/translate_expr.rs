//! Whole expressions: random well-typed ones, translated and evaluated, against the model's own
//! folding of them.

use crate::translate_support;

use translate_support::Random;
use verdiff_logic::{Assignment, LogicError, TermId, TermPool};
use verdiff_model::BinaryOp::{self, *};
use verdiff_model::UnaryOp::{self, *};
use verdiff_model::{Address, Const, Expr, FloatKind, GlobalId, LocalId, Type, VarId, ops};
use verdiff_symex::translate::{self, Environment, const_of, sort_of, value_of};

const TYPES: [Type; 16] = [
    Type::BOOL,
    Type::Int(7),
    Type::Int(8),
    Type::Int(16),
    Type::Int(24),
    Type::Int(32),
    Type::Int(64),
    Type::Int(65),
    Type::Int(128),
    Type::Ptr,
    Type::Float(FloatKind::Half),
    Type::Float(FloatKind::BFloat),
    Type::Float(FloatKind::Single),
    Type::Float(FloatKind::Double),
    Type::Float(FloatKind::X87),
    Type::Float(FloatKind::Quad),
];

const VARS_PER_TYPE: usize = 2;

/// Two variables of each type; every one is a symbol, and so is every address.
struct Symbols;

impl Environment for Symbols {
    fn var_type(&self, var: VarId) -> Type {
        TYPES[var.index() / VARS_PER_TYPE]
    }

    fn var(&mut self, pool: &mut TermPool, var: VarId) -> Result<TermId, LogicError> {
        pool.symbol(&format!("{var:?}"), sort_of(self.var_type(var)))
    }

    fn address(&mut self, pool: &mut TermPool, address: Address) -> Result<TermId, LogicError> {
        pool.symbol(&format!("{address:?}"), sort_of(Type::Ptr))
    }
}

/// A random expression of a type.
fn grow(random: &mut Random, ty: Type, depth: usize) -> Expr {
    if depth == 0 || random.below(12) == 0 {
        return leaf(random, ty);
    }
    let sub = |random: &mut Random, ty| Box::new(grow(random, ty, depth - 1));
    match random.below(10) {
        0 => Expr::Select {
            cond: sub(random, Type::BOOL),
            then: sub(random, ty),
            otherwise: sub(random, ty),
        },
        1..4 => {
            let (op, from) = unary_giving(random, ty);
            Expr::Unary { op, ty, arg: sub(random, from) }
        }
        _ => match binary_giving(random, ty) {
            Some((op, left, right)) => {
                let (lhs, rhs) = (sub(random, left), sub(random, right));
                Expr::Binary { op, marks: Default::default(), lhs, rhs }
            }
            None => {
                Expr::FusedMulAdd { a: sub(random, ty), b: sub(random, ty), c: sub(random, ty) }
            }
        },
    }
}

fn leaf(random: &mut Random, ty: Type) -> Expr {
    if ty == Type::Ptr && random.below(3) == 0 {
        return Expr::Address(if random.below(2) == 0 {
            Address::Global(GlobalId::new(0))
        } else {
            Address::Local(LocalId::new(1))
        });
    }
    if random.below(4) == 0 {
        return Expr::Const(random.constant(ty));
    }
    let first = TYPES.iter().position(|t| *t == ty).unwrap() * VARS_PER_TYPE;
    Expr::Var(VarId::new(first + random.below(VARS_PER_TYPE)))
}

fn some(random: &mut Random, wanted: impl Fn(Type) -> bool) -> Option<Type> {
    let fitting: Vec<Type> = TYPES.into_iter().filter(|t| wanted(*t)).collect();
    (!fitting.is_empty()).then(|| random.pick(&fitting))
}

/// An operator that gives a type, and the type of its operand.
fn unary_giving(random: &mut Random, ty: Type) -> (UnaryOp, Type) {
    loop {
        let (op, from) = match ty {
            Type::Ptr => return (IntToPtr, Type::WORD),
            Type::Float(_) => match random.below(4) {
                0 => (
                    random.pick(&[FNeg, FAbs, FSqrt, FFloor, FCeil, FTrunc, FRoundEven, FRound]),
                    Some(ty),
                ),
                1 => (FConvert, some(random, |t| t.is_float() && t != ty)),
                2 => (random.pick(&[SignedToF, UnsignedToF]), some(random, Type::is_int)),
                _ => (Bitcast, some(random, |t| t.width() == ty.width())),
            },
            Type::Int(width) => match random.below(7) {
                0 => (
                    random.pick(&[Not, Neg, PopCount, LeadingZeros, TrailingZeros, BitReverse]),
                    Some(ty),
                ),
                1 => (ByteSwap, (width % 16 == 0).then_some(ty)),
                2 => (
                    random.pick(&[ZeroExtend, SignExtend]),
                    some(random, |t| t.is_int() && t.width() < width),
                ),
                3 => (Truncate, some(random, |t| t.is_int() && t.width() > width)),
                4 => (PtrToInt, (ty == Type::WORD).then_some(Type::Ptr)),
                5 => (Bitcast, some(random, |t| t.width() == width)),
                _ => (
                    random.pick(&[FToSigned, FToUnsigned, FToSignedSat, FToUnsignedSat]),
                    some(random, Type::is_float),
                ),
            },
        };
        if let Some(from) = from {
            return (op, from);
        }
    }
}

/// An operator that gives a type, and the types of its operands; `None` for a fused product.
/// Without `FRem`, which is not exact.
fn binary_giving(random: &mut Random, ty: Type) -> Option<(BinaryOp, Type, Type)> {
    const ARITHMETIC: [BinaryOp; 13] =
        [Add, Sub, Mul, UDiv, SDiv, URem, SRem, Shl, LShr, AShr, And, Or, Xor];
    const OVERFLOWS: [BinaryOp; 6] =
        [SAddOverflows, UAddOverflows, SSubOverflows, USubOverflows, SMulOverflows, UMulOverflows];
    const COMPARISONS: [BinaryOp; 10] = [Eq, Ne, Ult, Ule, Ugt, Uge, Slt, Sle, Sgt, Sge];
    const FLOAT_COMPARISONS: [BinaryOp; 14] =
        [FOeq, FOne, FOlt, FOle, FOgt, FOge, FOrd, FUno, FUeq, FUne, FUlt, FUle, FUgt, FUge];
    const FLOATS: [BinaryOp; 9] =
        [FAdd, FSub, FMul, FDiv, FMin, FMax, FMinimum, FMaximum, FCopySign];
    Some(match ty {
        Type::Ptr => (PtrAdd, Type::Ptr, Type::WORD),
        Type::Float(_) if random.below(10) == 0 => return None,
        Type::Float(_) => (random.pick(&FLOATS), ty, ty),
        Type::BOOL if random.below(3) > 0 => {
            let operand = random.pick(&TYPES);
            let op = match operand {
                Type::Float(_) => random.pick(&FLOAT_COMPARISONS),
                Type::Int(_) if random.below(3) == 0 => random.pick(&OVERFLOWS),
                _ => random.pick(&COMPARISONS),
            };
            (op, operand, operand)
        }
        _ => (random.pick(&ARITHMETIC), ty, ty),
    })
}

#[test]
fn random_expressions_mean_what_the_model_says() {
    let mut random = Random::new(21);
    for round in 0..6000 {
        let ty = random.pick(&TYPES);
        let depth = 1 + round % 6;
        let e = grow(&mut random, ty, depth);
        assert_eq!(e.ty(&|v| Symbols.var_type(v)), ty);
        let mut pool = TermPool::new();
        let term = translate::expr(&mut pool, &mut Symbols, &e).unwrap();
        assert_eq!(pool.sort(term), sort_of(ty));
        for _ in 0..4 {
            let (closed, assignment) = close(&mut random, &mut pool, &e);
            let expected = ops::fold(&closed).expect("nothing is open");
            let found = const_of(ty, &pool.eval(term, &assignment).unwrap()).unwrap();
            assert_eq!(found, expected, "{closed:?}");
            // The same with the constants built in.
            let term = translate::expr(&mut pool, &mut Symbols, &closed).unwrap();
            let value = pool.eval(term, &Assignment::new()).unwrap();
            assert_eq!(value, value_of(expected), "{closed:?}");
        }
    }
}

/// The expression with a constant for each variable and address, and the assignment that gives
/// the symbols the same values.
fn close(random: &mut Random, pool: &mut TermPool, e: &Expr) -> (Expr, Assignment) {
    let mut known: Vec<(Expr, Const)> = Vec::new();
    let mut assignment = Assignment::new();
    let mut closed = e.clone();
    closed.walk_mut(&mut |e| {
        let (ty, term) = match e {
            Expr::Var(v) => (Symbols.var_type(*v), Symbols.var(pool, *v).unwrap()),
            Expr::Address(a) => (Type::Ptr, Symbols.address(pool, *a).unwrap()),
            _ => return,
        };
        let value = match known.iter().find(|(leaf, _)| leaf == e) {
            Some((_, value)) => *value,
            None => random.constant(ty),
        };
        known.push((e.clone(), value));
        assignment.set_term(pool, term, value_of(value)).unwrap();
        *e = Expr::Const(value);
    });
    (closed, assignment)
}

#[test]
fn an_environment_that_gives_another_sort_is_an_error() {
    struct Wrong;
    impl Environment for Wrong {
        fn var_type(&self, _: VarId) -> Type {
            Type::Int(32)
        }
        fn var(&mut self, pool: &mut TermPool, _: VarId) -> Result<TermId, LogicError> {
            pool.bits(16, 0)
        }
        fn address(&mut self, pool: &mut TermPool, _: Address) -> Result<TermId, LogicError> {
            pool.bits(32, 0)
        }
    }
    let mut pool = TermPool::new();
    let var = Expr::Var(VarId::new(0));
    assert!(translate::expr(&mut pool, &mut Wrong, &var).is_err());
    let address = Expr::Address(Address::Global(GlobalId::new(0)));
    assert!(translate::expr(&mut pool, &mut Wrong, &address).is_err());
}
