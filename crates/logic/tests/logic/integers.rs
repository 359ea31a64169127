//! Questions asked over the integers: whatever is refuted has no model in bits.

use crate::support::{Maker, Random};
use verdiff_logic::effort::Effort;
use verdiff_logic::integers::refute;
use verdiff_logic::solver::{self, Answer, Decide, Limits, Query};
use verdiff_logic::{Evaluator, Sort, TermId, TermPool, Value};

const WORTH: Effort = Effort::millis(400);

/// Literals that hold under an assignment: what terms are, and how they compare.
fn holding(
    pool: &mut TermPool,
    terms: &[TermId],
    of: &mut Evaluator<'_>,
    random: &mut Random,
) -> Vec<TermId> {
    let mut found = vec![];
    for _ in 0..6 {
        let a = random.pick(terms);
        let same: Vec<TermId> =
            terms.iter().copied().filter(|t| pool.sort(*t) == pool.sort(a)).collect();
        let b = random.pick(&same);
        let literal = match (pool.sort(a), random.below(4)) {
            (Sort::BitVec(_), 0) => pool.bv_ult(a, b),
            (Sort::BitVec(_), 1) => pool.bv_slt(a, b),
            (Sort::BitVec(_), 2) => match of.eval(pool, a) {
                Ok(Value::Bits(bits)) => {
                    let value = pool.constant_bits(&bits);
                    pool.eq(a, value)
                }
                _ => continue,
            },
            (Sort::Bool, _) => Ok(a),
            _ => pool.eq(a, b),
        };
        let literal = literal.expect("sorts fit");
        match of.holds(pool, literal) {
            Ok(true) => found.push(literal),
            Ok(false) => found.push(pool.not(literal).expect("a truth value")),
            Err(_) => {}
        }
    }
    found
}

/// More products, quotients and conditionals than the maker makes by itself.
fn more(pool: &mut TermPool, maker: &mut Maker, width: u32) -> Vec<TermId> {
    let words = |pool: &TermPool, maker: &Maker| -> Vec<TermId> {
        let all = maker.terms().iter().copied();
        all.filter(|t| pool.sort(*t) == Sort::BitVec(width)).collect()
    };
    let mut found = words(pool, maker);
    let truths: Vec<TermId> =
        maker.terms().iter().copied().filter(|t| pool.sort(*t) == Sort::Bool).collect();
    for _ in 0..8 {
        let random = &mut maker.random;
        let (a, b) = (random.pick(&found), random.pick(&found));
        let divisor = 1 + random.below(7);
        let number = pool.bits(width, divisor.into()).expect("fits");
        let built = match random.below(12) {
            0 => pool.bv_udiv(a, b),
            1 => pool.bv_urem(a, b),
            2 => pool.bv_sdiv(a, b),
            3 => pool.bv_srem(a, b),
            4 => pool.bv_udiv(a, number),
            5 => pool.bv_urem(a, number),
            6 => pool.bv_sdiv(a, number),
            7 => pool.bv_srem(a, number),
            8 => pool.ite(random.pick(&truths), a, b),
            9 => pool.bv_add(a, b),
            10 => pool.bv_sub(a, b),
            _ => pool.bv_mul(a, b),
        };
        found.push(built.expect("sorts fit"));
    }
    found.extend(truths);
    found
}

/// Whatever holds under an assignment is not refuted.
#[test]
fn what_has_a_model_is_not_refuted() {
    let cases: u64 = std::env::var("VERDIFF_CASES").ok().and_then(|n| n.parse().ok()).unwrap_or(30);
    for seed in 0..cases {
        let mut pool = TermPool::new();
        let width = [2, 3, 4, 8, 32][seed as usize % 5];
        let mut maker = Maker::new(seed, &[width, width + 3]);
        maker.floats = seed % 4 == 0;
        maker.formula(&mut pool, 14);
        let terms = more(&mut pool, &mut maker, width);
        let assignment = maker.assignment(&pool, &terms);
        let mut evaluator = Evaluator::new(&assignment);
        let mut literals = holding(&mut pool, &terms, &mut evaluator, &mut maker.random);
        // Some of it as a choice that has other, wrong alternatives.
        if let Some(one) = literals.pop() {
            let falsity = pool.not(one).expect("a truth value");
            let both = pool.and(&[falsity, one]).expect("truth values");
            literals.push(pool.or(&[both, one]).expect("truth values"));
        }
        let said: Vec<String> = literals.iter().map(|l| pool.display(*l).to_string()).collect();
        assert!(refute(&pool, &literals, WORTH).is_none(), "seed {seed} has a model: {said:?}");
    }
}

/// Where both decide, solvers for bits agree.
#[test]
fn what_is_refuted_is_unsatisfiable_in_bits() {
    let mut refuted = 0;
    for seed in 0..60 {
        let mut pool = TermPool::new();
        let width = [2, 3, 4, 6][seed as usize % 4];
        let mut maker = Maker::new(1_000 + seed, &[width]);
        maker.floats = false;
        let formula = maker.formula(&mut pool, 12);
        let terms = more(&mut pool, &mut maker, width);
        let (a, b) = (maker.random.pick(&terms), maker.random.pick(&terms));
        let mut all = vec![formula];
        if pool.sort(a) == pool.sort(b) {
            all.push(pool.ne(a, b).expect("one sort"));
        }
        let Some(refutation) = refute(&pool, &all, WORTH) else { continue };
        assert!(!refutation.scripts.is_empty(), "seed {seed}: no evidence");
        refuted += 1;
        let query = Query { assertions: &all, assumptions: &[] };
        match solver::standard().decide(&mut pool, &query, &Limits::seconds(20.0)) {
            Answer::Unsat { .. } => {}
            other => panic!("seed {seed}: {other:?}"),
        }
    }
    assert!(refuted > 5, "only {refuted} were refuted");
}

struct Words {
    pool: TermPool,
}

impl Words {
    fn symbol(&mut self, name: &str, width: u32) -> TermId {
        self.pool.symbol(name, Sort::BitVec(width)).expect("new")
    }

    fn number(&mut self, width: u32, value: u64) -> TermId {
        self.pool.bits(width, value.into()).expect("fits")
    }

    fn is_refuted(&self, assertions: &[TermId]) -> bool {
        refute(&self.pool, assertions, Effort::seconds(1)).is_some()
    }
}

/// `i * (i - 1) / 2 + i` is `(i + 1) * i / 2`, the products in 64 bits, the rest in 32.
#[test]
fn a_formula_with_a_half_is_advanced() {
    let mut words = Words { pool: TermPool::new() };
    let i = words.symbol("i", 32);
    let n = words.symbol("n", 32);
    let (one, two) = (words.number(32, 1), words.number(64, 2));
    let formula = |words: &mut Words, x: TermId| {
        let pool = &mut words.pool;
        let less = pool.bv_sub(x, one).expect("fits");
        let (wide, less) =
            (pool.zero_extend(32, x).expect("fits"), pool.zero_extend(32, less).expect("fits"));
        let product = pool.bv_mul(wide, less).expect("fits");
        let half = pool.bv_udiv(product, two).expect("fits");
        let low = pool.extract(31, 0, half).expect("fits");
        let zero = pool.bits(32, 0).expect("fits");
        let none = pool.eq(x, zero).expect("fits");
        pool.ite(none, zero, low).expect("fits")
    };
    let before = formula(&mut words, i);
    let next = words.pool.bv_add(i, one).expect("fits");
    let after = formula(&mut words, next);
    let sum = words.pool.bv_add(before, i).expect("fits");
    let differs = words.pool.ne(sum, after).expect("fits");
    let less = words.pool.bv_ult(i, n).expect("fits");
    assert!(words.is_refuted(&[less, differs]));
    // Without a bound, `i + 1` may be zero, and the formula with it.
    assert!(!words.is_refuted(&[differs]));
}

/// `x / d` is one more than `(x - d) / d` if `x >= d` and `d` is not zero.
#[test]
fn a_quotient_loses_one_with_each_subtraction() {
    let mut words = Words { pool: TermPool::new() };
    let (x, d) = (words.symbol("x", 32), words.symbol("d", 32));
    let (zero, one) = (words.number(32, 0), words.number(32, 1));
    let pool = &mut words.pool;
    let less = pool.bv_sub(x, d).expect("fits");
    let (before, after) = (pool.bv_udiv(x, d).expect("fits"), pool.bv_udiv(less, d).expect("fits"));
    let more = pool.bv_add(after, one).expect("fits");
    let differs = pool.ne(before, more).expect("fits");
    let below = pool.bv_ult(x, d).expect("fits");
    let not_below = pool.not(below).expect("a truth value");
    let not_zero = pool.ne(d, zero).expect("fits");
    assert!(words.is_refuted(&[not_below, not_zero, differs]));
    assert!(!words.is_refuted(&[not_below, differs]));
    assert!(!words.is_refuted(&[not_zero, differs]));
}

/// The address of an element in a row, by a product of narrow numbers, is that of a pointer that moves by rows.
#[test]
fn an_index_with_a_product_does_not_wrap() {
    let mut words = Words { pool: TermPool::new() };
    let (y, h, w) = (words.symbol("y", 32), words.symbol("h", 8), words.symbol("w", 8));
    let (one, memory) = (words.number(32, 1), words.symbol("m", 64));
    let pool = &mut words.pool;
    let (wide, high) =
        (pool.zero_extend(24, w).expect("fits"), pool.zero_extend(24, h).expect("fits"));
    let below = pool.bv_slt(y, high).expect("fits");
    let zero = pool.bits(32, 0).expect("fits");
    let negative = pool.bv_slt(y, zero).expect("fits");
    let not_negative = pool.not(negative).expect("a truth value");
    let row = pool.bv_mul(y, wide).expect("fits");
    let next = pool.bv_add(y, one).expect("fits");
    let next_row = pool.bv_mul(next, wide).expect("fits");
    let mut address = |row: TermId| {
        let offset = pool.sign_extend(32, row).expect("fits");
        pool.bv_add(memory, offset).expect("fits")
    };
    let (here, there) = (address(row), address(next_row));
    let width = pool.zero_extend(56, w).expect("fits");
    let moved = pool.bv_add(here, width).expect("fits");
    let differs = pool.ne(moved, there).expect("fits");
    assert!(words.is_refuted(&[below, not_negative, differs]));
    assert!(!words.is_refuted(&[not_negative, differs]));
}

/// In a branch in which `a + b` does not wrap, what is stored is the sum itself. Elsewhere that number is in no array of bytes,
/// which must not exclude these cases.
#[test]
fn what_is_stored_in_a_branch_says_nothing_of_other_cases() {
    let mut words = Words { pool: TermPool::new() };
    let (a, b, c) = (words.symbol("a", 8), words.symbol("b", 8), words.symbol("c", 8));
    let (x, y) = (words.symbol("x", 8), words.symbol("y", 8));
    let (small, large) = (words.number(8, 100), [words.number(8, 150), words.number(8, 151)]);
    let pool = &mut words.pool;
    let bytes = pool.array_sort(Sort::BitVec(8), Sort::BitVec(8)).expect("a sort");
    let array = pool.symbol("bytes", bytes).expect("new");
    // Two indices that are equal without being the same symbol.
    let (i, j) = (pool.select(array, x).expect("fits"), pool.select(array, y).expect("fits"));
    let sum = pool.bv_add(a, b).expect("fits");
    let stored = pool.store(array, i, sum).expect("fits");
    let read = pool.select(stored, j).expect("fits");
    let both = [pool.bv_ult(a, small).expect("fits"), pool.bv_ult(b, small).expect("fits")];
    let both = pool.and(&both).expect("truth values");
    let chosen = pool.ite(both, read, c).expect("fits");
    let mut all = vec![pool.eq(i, j).expect("fits"), pool.eq(chosen, c).expect("fits")];
    // As a choice, so that nothing is concluded of both numbers before the branch is looked at.
    let mut choice = vec![];
    for bound in large {
        let above = [a, b].map(|word| pool.bv_ult(bound, word).expect("fits"));
        choice.push(pool.and(&above).expect("truth values"));
    }
    all.push(pool.or(&choice).expect("truth values"));
    assert!(!words.is_refuted(&all));
}
