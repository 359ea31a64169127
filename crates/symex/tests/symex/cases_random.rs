//! Proof by cases on random formulas of few bits: what it refutes is false under every assignment, and what it leaves open can be true
//! if the whole can.

use verdiff_logic::effort::{self, Effort};
use verdiff_logic::{Assignment, Bits, Sort, TermId, Value};
use verdiff_symex::space::Space;

struct Random(u64);

impl Random {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 33) % limit
    }
}

const WIDTH: u32 = 4;

struct Maker {
    random: Random,
    space: Space,
    symbols: Vec<TermId>,
}

impl Maker {
    fn word(&mut self, depth: u64) -> TermId {
        let choice = self.random.below(if depth == 0 { 3 } else { 12 });
        if choice < 2 {
            return self.symbols[self.random.below(self.symbols.len() as u64) as usize];
        }
        if choice == 2 {
            let value = self.random.below(1 << WIDTH);
            return self.space.pool.bits(WIDTH, value.into()).unwrap();
        }
        let a = self.word(depth - 1);
        if choice == 3 {
            let (low, more) = (self.random.below(4) as u32, self.random.below(4) as u32);
            let high = (low + more).min(WIDTH - 1);
            let piece = self.space.pool.extract(high, low, a).unwrap();
            let missing = WIDTH - (high - low + 1);
            return match self.random.below(2) {
                0 => self.space.pool.zero_extend(missing, piece).unwrap(),
                _ => self.space.pool.sign_extend(missing, piece).unwrap(),
            };
        }
        if choice == 4 {
            let (condition, b) = (self.truth(depth - 1), self.word(depth - 1));
            return self.space.pool.ite(condition, a, b).unwrap();
        }
        let b = self.word(depth - 1);
        if choice == 11 {
            return self.wide_sum(a, b);
        }
        let pool = &mut self.space.pool;
        match choice {
            5 => pool.bv_add(a, b),
            6 => pool.bv_sub(a, b),
            7 => pool.bv_and(a, b),
            8 => pool.bv_or(a, b),
            9 => pool.bv_xor(a, b),
            _ => pool.bv_mul(a, b),
        }
        .unwrap()
    }

    /// Some bits of `(a + k) + b` or `(a + k) * b`, where the sum in brackets wraps and the rest does not.
    fn wide_sum(&mut self, a: TermId, b: TermId) -> TermId {
        let (k, times) = (self.random.below(1 << WIDTH), self.random.below(2) == 0);
        let pool = &mut self.space.pool;
        let k = pool.bits(WIDTH, k.into()).unwrap();
        let sum = pool.bv_add(a, k).unwrap();
        let (sum, b) = (pool.zero_extend(2, sum).unwrap(), pool.zero_extend(2, b).unwrap());
        let wide = if times { pool.bv_mul(sum, b) } else { pool.bv_add(sum, b) };
        pool.extract(WIDTH + 1, 2, wide.unwrap()).unwrap()
    }

    fn truth(&mut self, depth: u64) -> TermId {
        let choice = self.random.below(if depth == 0 { 4 } else { 7 });
        if choice < 4 {
            let (a, b) = (self.word(depth.min(2)), self.word(depth.min(1)));
            let pool = &mut self.space.pool;
            return match choice {
                0 => pool.eq(a, b),
                1 => pool.bv_ult(a, b),
                2 => pool.bv_slt(a, b),
                _ => pool.ne(a, b),
            }
            .unwrap();
        }
        let (a, b, c) = (self.truth(depth - 1), self.truth(depth - 1), self.truth(depth - 1));
        let pool = &mut self.space.pool;
        match choice {
            4 => pool.and(&[a, b, c]),
            5 => pool.or(&[a, b]),
            _ => pool.eq(a, b),
        }
        .unwrap()
    }
}

/// Whether some assignment of the symbols satisfies the formula.
fn can_hold(space: &Space, symbols: &[TermId], formula: TermId) -> bool {
    (0..1u128 << (WIDTH * symbols.len() as u32)).any(|number| {
        let mut assignment = Assignment::new();
        for (index, symbol) in symbols.iter().enumerate() {
            let value = number >> (WIDTH * index as u32) & 15;
            let value = Value::Bits(Bits::new(WIDTH, value));
            assignment.set_term(&space.pool, *symbol, value).unwrap();
        }
        space.pool.eval(formula, &assignment).unwrap() == Value::Bool(true)
    })
}

#[test]
fn what_is_refuted_never_holds() {
    let (mut refuted, mut missed, mut held) = (0, 0, 0);
    for seed in 0..6000 {
        let mut maker =
            Maker { random: Random(seed * 7919 + 1), space: Space::new(), symbols: Vec::new() };
        for name in ["x", "y"] {
            let symbol = maker.space.pool.symbol(name, Sort::BitVec(WIDTH)).unwrap();
            maker.symbols.push(symbol);
        }
        let parts: Vec<TermId> = (0..1 + seed % 4).map(|_| maker.truth(2)).collect();
        let formula = maker.space.pool.and(&parts).unwrap();
        let says = maker.space.refute(formula, 300).unwrap();
        let later = effort::spent() + Effort::seconds(60);
        let left = maker.space.left_open(formula, 20, later, true).unwrap();
        let left = maker.space.pool.or(&left).unwrap();
        assert!(
            can_hold(&maker.space, &maker.symbols, left)
                || !can_hold(&maker.space, &maker.symbols, formula),
            "seed {seed}: {} is left of {}",
            maker.space.pool.display(left),
            maker.space.pool.display(formula)
        );
        match (says, can_hold(&maker.space, &maker.symbols, formula)) {
            (true, true) => panic!("seed {seed}: {} holds", maker.space.pool.display(formula)),
            (true, false) => refuted += 1,
            (false, false) => missed += 1,
            (false, true) => held += 1,
        }
    }
    eprintln!("{refuted} refuted, {missed} false but not refuted, {held} can hold");
    assert!(refuted > 1000 && held > 1000, "{refuted} refuted, {held} can hold");
}
