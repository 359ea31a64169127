//! What the tests of the translation share: seeded random operands with a taste for boundaries,
//! and the comparison of a term's value with that of the model's operator.

#![allow(dead_code, reason = "every test file uses a part")]

use verdiff_logic::{Assignment, TermId, TermPool};
use verdiff_model::{BinaryOp, Const, FloatKind, Type, UnaryOp, ops};
use verdiff_symex::translate::{self, const_of, sort_of, value_of};

/// SplitMix64: small, seeded, good enough for operands.
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Random {
        Random(seed)
    }

    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    pub fn wide(&mut self) -> u128 {
        u128::from(self.next()) << 64 | u128::from(self.next())
    }

    pub fn below(&mut self, limit: usize) -> usize {
        (self.next() % limit as u64) as usize
    }

    pub fn pick<T: Copy>(&mut self, items: &[T]) -> T {
        items[self.below(items.len())]
    }

    /// A constant of a type: sometimes anything, sometimes a boundary.
    pub fn constant(&mut self, ty: Type) -> Const {
        let bits = match ty {
            Type::Float(kind) => self.float(kind),
            _ => self.integer(ty.width()),
        };
        Const::new(ty, bits)
    }

    /// An integer, often next to a power of two or of half the length.
    fn integer(&mut self, width: u16) -> u128 {
        let any = self.wide();
        match self.below(8) {
            0 => self.pick(&boundaries(width)),
            1 => (self.next() % 9) as u128,
            2 => (self.next() as u128 % 9).wrapping_neg(),
            3 => 1u128 << self.below(width.into()),
            4 => (1u128 << self.below(width.into())).wrapping_add((self.next() % 3) as u128) - 1,
            5 => any >> (128 - 1 - self.below(width.into())),
            6 => (any >> (128 - 1 - self.below(width.into()))).wrapping_neg(),
            _ => any,
        }
    }

    /// A float: special, next to an integer or to a bound of an integer type, or any bits.
    fn float(&mut self, kind: FloatKind) -> u128 {
        let ty = Type::Float(kind);
        match self.below(8) {
            0 | 1 => self.pick(&specials(kind)),
            // Near a power of two that an integer type ends at.
            2 | 3 => {
                let exponent = self.pick(&[0u32, 1, 7, 8, 15, 16, 31, 32, 62, 63, 64, 126, 127]);
                let source = Const::new(Type::Int(128), 1 << exponent);
                let bits = ops::unary(UnaryOp::UnsignedToF, ty, source).bits;
                let moved = bits.wrapping_add(self.below(5) as u128).wrapping_sub(2);
                self.signed(kind, moved)
            }
            4 => {
                let integer = Const::new(Type::Int(128), self.integer(128));
                ops::unary(UnaryOp::SignedToF, ty, integer).bits
            }
            // A small multiple of a quarter.
            5 => {
                let quarters = Const::new(Type::Int(16), self.integer(8));
                let quarters = ops::unary(UnaryOp::SignedToF, ty, quarters);
                let four = ops::unary(UnaryOp::SignedToF, ty, Const::new(Type::Int(8), 4));
                ops::binary(BinaryOp::FDiv, quarters, four).bits
            }
            // A valid x87 number.
            6 if kind == FloatKind::X87 => self.wide() | 1 << 63,
            _ => self.wide(),
        }
    }

    fn signed(&mut self, kind: FloatKind, bits: u128) -> u128 {
        bits ^ u128::from(self.next() & 1) << (kind.width() - 1)
    }
}

/// The numbers around which integer operators change their mind.
pub fn boundaries(width: u16) -> Vec<u128> {
    let top = 1u128 << (width - 1);
    let half = 1u128 << (width / 2);
    let list = [
        0,
        1,
        2,
        3,
        u128::MAX,
        u128::MAX - 1,
        top,
        top.wrapping_add(1),
        top.wrapping_sub(1),
        half,
        half - 1,
        half + 1,
        half.wrapping_neg(),
        u128::from(width),
        u128::from(width) - 1,
        u128::from(width) + 1,
        0x5555_5555_5555_5555_5555_5555_5555_5555,
    ];
    list.iter().map(|bits| bits & verdiff_model::types::mask(width)).collect()
}

/// Zeros, infinities, NaNs, ends of the normal and the subnormal range, small numbers; for x87
/// the encodings that are not quite right too.
pub fn specials(kind: FloatKind) -> Vec<u128> {
    let sign = 1u128 << (kind.width() - 1);
    let nan = ops::canonical_nan(kind);
    let mut list = vec![0, 1, 2, nan, nan | 5, sign - 1, sign - 2];
    if kind == FloatKind::X87 {
        let whole = 1u128 << 63;
        let infinity = 0x7fff << 64 | whole;
        list.extend([infinity, infinity - 1, infinity | 1, 1 << 64 | whole, whole - 1]);
        // Pseudo-denormals, an unnormal, a pseudo-infinity and a pseudo-NaN.
        list.extend([whole, whole | 1, 2 * whole - 1, 0x3fff << 64 | 7, 1 << 64]);
        list.extend([0x7fff << 64, 0x7fff << 64 | 1]);
    } else {
        let exponent_bits = match kind {
            FloatKind::Half => 5,
            FloatKind::BFloat | FloatKind::Single => 8,
            FloatKind::Double => 11,
            _ => 15,
        };
        let least = 1u128 << (kind.width() - 1 - exponent_bits);
        let infinity = sign - least;
        list.extend([infinity, infinity - 1, infinity | 1, least, least - 1, least + 1]);
    }
    for number in [1u128, 2, 3, 10, 100] {
        let integer = Const::new(Type::Int(32), number);
        list.push(ops::unary(UnaryOp::UnsignedToF, Type::Float(kind), integer).bits);
    }
    let negative: Vec<u128> = list.iter().map(|bits| bits | sign).collect();
    list.extend(negative);
    list
}

/// A term over symbols, ready to be given operands.
pub struct Formula {
    pub pool: TermPool,
    pub symbols: Vec<TermId>,
    pub types: Vec<Type>,
    pub root: TermId,
    pub result: Type,
}

impl Formula {
    pub fn unary(op: UnaryOp, to: Type, from: Type) -> Formula {
        Formula::new(&[from], to, |pool, s| translate::unary(pool, op, to, from, s[0]).unwrap())
    }

    pub fn binary(op: BinaryOp, ty: Type) -> Formula {
        let result = if op.is_predicate() { Type::BOOL } else { ty };
        let right = if op == BinaryOp::PtrAdd { Type::WORD } else { ty };
        let build = |pool: &mut TermPool, s: &[TermId]| {
            translate::binary(pool, op, ty, s[0], s[1]).unwrap()
        };
        Formula::new(&[ty, right], result, build)
    }

    pub fn new(
        types: &[Type],
        result: Type,
        build: impl FnOnce(&mut TermPool, &[TermId]) -> TermId,
    ) -> Formula {
        let mut pool = TermPool::new();
        let name = |i: usize| format!("x{i}");
        let symbols: Vec<TermId> =
            (0..types.len()).map(|i| pool.symbol(&name(i), sort_of(types[i])).unwrap()).collect();
        let root = build(&mut pool, &symbols);
        assert_eq!(pool.sort(root), sort_of(result));
        Formula { pool, symbols, types: types.to_vec(), root, result }
    }

    /// The assignment of the operands.
    pub fn assignment(&self, operands: &[Const]) -> Assignment {
        let mut assignment = Assignment::new();
        for (symbol, operand) in self.symbols.iter().zip(operands) {
            assignment.set_term(&self.pool, *symbol, value_of(*operand)).unwrap();
        }
        assignment
    }

    /// The value for some operands.
    pub fn value(&self, operands: &[Const]) -> Const {
        let value = self.pool.eval(self.root, &self.assignment(operands)).unwrap();
        const_of(self.result, &value).unwrap()
    }

    /// Random operands.
    pub fn operands(&self, random: &mut Random) -> Vec<Const> {
        self.types.iter().map(|ty| random.constant(*ty)).collect()
    }

    /// Compares with the model.
    pub fn check(&self, what: &str, operands: &[Const], expected: Const) {
        let found = self.value(operands);
        assert_eq!(found, expected, "{what} of {operands:x?}: {found:x?}, expected {expected:x?}");
    }
}

/// The value of a term without symbols.
pub fn closed_value(pool: &TermPool, ty: Type, term: TermId) -> Const {
    const_of(ty, &pool.eval(term, &Assignment::new()).unwrap()).unwrap()
}
