//! The register code against the definition: random expressions, evaluated by walking the
//! tree with `ops` and by the interpreter, must give the same bits.

use proptest::prelude::*;
use verdiff_model::build::ProcBuilder;
use verdiff_model::interp::{Limits, Machine};
use verdiff_model::state::{End, EntryState, Value};
use verdiff_model::{BinaryOp, Const, Expr, FloatKind, ProcId, Program, Type, UnaryOp, VarId, ops};

const INT_OPS: [BinaryOp; 13] = {
    use BinaryOp::*;
    [Add, Sub, Mul, UDiv, SDiv, URem, SRem, Shl, LShr, AShr, And, Or, Xor]
};

const PREDICATES: [BinaryOp; 16] = {
    use BinaryOp::*;
    [
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
        SAddOverflows,
        UAddOverflows,
        SSubOverflows,
        USubOverflows,
        SMulOverflows,
        UMulOverflows,
    ]
};

const FLOAT_OPS: [BinaryOp; 10] = {
    use BinaryOp::*;
    [FAdd, FSub, FMul, FDiv, FRem, FMin, FMax, FMinimum, FMaximum, FCopySign]
};

const WIDTHS: [u16; 8] = [1, 8, 13, 16, 32, 64, 100, 128];

const TYPES: [Type; 13] = [
    Type::Int(1),
    Type::Int(8),
    Type::Int(13),
    Type::Int(16),
    Type::Int(32),
    Type::Int(64),
    Type::Int(100),
    Type::Int(128),
    Type::Float(FloatKind::Single),
    Type::Float(FloatKind::Double),
    Type::Float(FloatKind::X87),
    Type::Float(FloatKind::Half),
    Type::Ptr,
];

/// An expression of a type from a list of choices; variable `i` has type `TYPES[i]`.
struct Choices<'c> {
    rest: &'c [u64],
}

impl Choices<'_> {
    fn next(&mut self) -> u64 {
        match self.rest.split_first() {
            Some((first, rest)) => {
                self.rest = rest;
                *first
            }
            None => 0,
        }
    }

    fn of<T: Copy>(&mut self, list: &[T]) -> T {
        list[self.next() as usize % list.len()]
    }

    fn leaf(&mut self, ty: Type) -> Expr {
        let index = TYPES.iter().position(|t| *t == ty);
        match (self.next() % 3, index) {
            (0, _) | (_, None) => {
                let wide = u128::from(self.next()) << 64 | u128::from(self.next());
                let small = u128::from(self.next() % 20);
                Expr::Const(Const::new(
                    ty,
                    if self.next().is_multiple_of(2) { wide } else { small },
                ))
            }
            (_, Some(index)) => Expr::Var(VarId(index as u32)),
        }
    }

    fn expr(&mut self, ty: Type, depth: u32) -> Expr {
        if depth == 0 || self.next().is_multiple_of(5) {
            return self.leaf(ty);
        }
        let d = depth - 1;
        match (ty, self.next() % 6) {
            (_, 0) => {
                let cond = self.expr(Type::BOOL, d);
                Expr::select(cond, self.expr(ty, d), self.expr(ty, d))
            }
            (Type::BOOL, 1 | 2) => {
                let of = self.of(&TYPES);
                let op = match of {
                    Type::Float(_) => self.of(&[BinaryOp::FOlt, BinaryOp::FUne, BinaryOp::FUge]),
                    Type::Ptr => self.of(&[BinaryOp::Eq, BinaryOp::Ult, BinaryOp::Sge]),
                    Type::Int(_) => self.of(&PREDICATES),
                };
                Expr::binary(op, self.expr(of, d), self.expr(of, d))
            }
            (Type::Int(_), 1 | 2) => {
                let op = self.of(&INT_OPS);
                let lhs = self.expr(ty, d);
                // Mostly shifts are by constants below the width, which have their own code.
                let shift = matches!(op, BinaryOp::Shl | BinaryOp::LShr | BinaryOp::AShr);
                if shift && !self.next().is_multiple_of(3) {
                    let amount = self.next() % u64::from(ty.width());
                    return Expr::binary(op, lhs, Expr::Const(Const::new(ty, amount.into())));
                }
                Expr::binary(op, lhs, self.expr(ty, d))
            }
            (Type::Int(w), 3) => {
                let from = self.of(&WIDTHS);
                let arg = self.expr(Type::Int(from), d);
                match from.cmp(&w) {
                    std::cmp::Ordering::Less => {
                        let op = self.of(&[UnaryOp::ZeroExtend, UnaryOp::SignExtend]);
                        Expr::unary(op, ty, arg)
                    }
                    std::cmp::Ordering::Greater => Expr::unary(UnaryOp::Truncate, ty, arg),
                    std::cmp::Ordering::Equal => arg,
                }
            }
            (Type::Int(64), 4) => Expr::unary(UnaryOp::PtrToInt, ty, self.expr(Type::Ptr, d)),
            (Type::Int(_), 4) => {
                let double = Type::Float(self.of(&[FloatKind::Double, FloatKind::X87]));
                let op = self.of(&[UnaryOp::FToSigned, UnaryOp::FToUnsignedSat]);
                Expr::unary(op, ty, self.expr(double, d))
            }
            (Type::Int(_), _) => {
                use UnaryOp::*;
                let op = self.of(&[Not, Neg, PopCount, LeadingZeros, TrailingZeros, BitReverse]);
                Expr::unary(op, ty, self.expr(ty, d))
            }
            (Type::Float(_), 1 | 2) => {
                let op = self.of(&FLOAT_OPS);
                Expr::binary(op, self.expr(ty, d), self.expr(ty, d))
            }
            (Type::Float(_), 3) => Expr::FusedMulAdd {
                a: Box::new(self.expr(ty, d)),
                b: Box::new(self.expr(ty, d)),
                c: Box::new(self.expr(ty, d)),
            },
            (Type::Float(_), _) => {
                let from = Type::Int(self.of(&WIDTHS));
                Expr::unary(UnaryOp::SignedToF, ty, self.expr(from, d))
            }
            (Type::Ptr, 1) => Expr::unary(UnaryOp::IntToPtr, ty, self.expr(Type::WORD, d)),
            (Type::Ptr, _) => {
                let index = match self.next() % 3 {
                    0 => self.expr(Type::WORD, d),
                    1 => Expr::unary(UnaryOp::SignExtend, Type::WORD, self.expr(Type::Int(32), d)),
                    _ => Expr::binary(
                        BinaryOp::Mul,
                        Expr::unary(UnaryOp::SignExtend, Type::WORD, self.expr(Type::Int(16), d)),
                        Expr::int(64, u128::from(self.next() % 100_000)),
                    ),
                };
                Expr::binary(BinaryOp::PtrAdd, self.expr(Type::Ptr, d), index)
            }
        }
    }
}

/// The value by definition.
fn walk(e: &Expr, values: &[u128]) -> Const {
    match e {
        Expr::Const(c) => *c,
        Expr::Var(v) => Const::new(TYPES[v.index()], values[v.index()]),
        Expr::Address(_) => unreachable!("none is made"),
        Expr::Unary { op, ty, arg } => ops::unary(*op, *ty, walk(arg, values)),
        Expr::Binary { op, lhs, rhs, .. } => ops::binary(*op, walk(lhs, values), walk(rhs, values)),
        Expr::Select { cond, then, otherwise } => {
            if walk(cond, values).bits != 0 {
                walk(then, values)
            } else {
                walk(otherwise, values)
            }
        }
        Expr::FusedMulAdd { a, b, c } => {
            ops::fused_mul_add(walk(a, values), walk(b, values), walk(c, values))
        }
    }
}

/// Returns the expression, assigned to a variable or directly, or branches on it.
fn program(e: &Expr, ty: Type, way: u64) -> Program {
    let mut p = ProcBuilder::new("f", &[ty]);
    for (i, ty) in TYPES.iter().enumerate() {
        p.param(&format!("p{i}"), *ty);
    }
    match way % 3 {
        0 => {
            p.ret(vec![e.clone()]);
        }
        1 => {
            let x = p.var("x", ty);
            p.assign(x, e.clone()).ret(vec![Expr::Var(x)]);
        }
        _ if ty == Type::BOOL => {
            let (yes, no) = (p.block(), p.block());
            p.branch(e.clone(), yes, no);
            p.at(yes).ret(vec![Expr::bool(true)]);
            p.at(no).ret(vec![Expr::bool(false)]);
        }
        _ => {
            // Into a parameter that the expression reads itself.
            let own = VarId(TYPES.iter().position(|t| *t == ty).unwrap_or(0) as u32);
            p.assign(own, e.clone()).ret(vec![Expr::Var(own)]);
        }
    }
    let mut program = Program::default();
    program.procedures.push(p.finish());
    program
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(20_000))]
    #[test]
    fn register_code_computes_what_the_tree_means(
        choices in proptest::collection::vec(any::<u64>(), 10..200),
        which in 0..TYPES.len(),
        way: u64,
        high in proptest::collection::vec(any::<u64>(), TYPES.len()),
        low in proptest::collection::vec(any::<u64>(), TYPES.len()),
        small in proptest::collection::vec(0u32..128, TYPES.len()),
    ) {
        let ty = TYPES[which];
        let e = Choices { rest: &choices }.expr(ty, 5);
        let values: Vec<u128> = (0..TYPES.len())
            .map(|i| (u128::from(high[i]) << 64 | u128::from(low[i])) >> small[i] & TYPES[i].mask())
            .collect();
        let expected = walk(&e, &values);
        let program = program(&e, ty, way);
        let entry = EntryState {
            args: values.iter().map(|v| Value::Bits(*v)).collect(),
            ..EntryState::default()
        };
        let outcome = Machine::new(&program).run(ProcId(0), &entry, &Limits::default());
        let End::Returned(results) = &outcome.end else { panic!("{:?}", outcome.end) };
        match results[0].value {
            Some(Value::Bits(bits)) => prop_assert_eq!(bits, expected.bits),
            Some(Value::Pointer(pointer)) => {
                prop_assert_eq!(pointer.offset as u64, expected.bits as u64);
            }
            None => prop_assert!(false, "it has a value"),
        }
    }
}
