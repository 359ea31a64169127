//! What is called a contradiction is one, by trying all small numbers.

use super::*;
use verdiff_logic::{Assignment, Bits, Evaluator, Value};

/// A small generator, so that failures can be repeated.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 33) % sides
    }
}

const WIDTH: u32 = 4;

fn number(pool: &mut TermPool, dice: &mut Dice, symbols: &[TermId], depth: u64) -> TermId {
    match depth {
        0 => symbols[dice.roll(symbols.len() as u64) as usize],
        _ => {
            let a = number(pool, dice, symbols, depth - 1);
            let b = number(pool, dice, symbols, depth - 1);
            match dice.roll(7) {
                6 => {
                    let c = number(pool, dice, symbols, depth - 1);
                    let d = number(pool, dice, symbols, depth - 1);
                    let when = pool.bv_ult(c, d).unwrap();
                    pool.ite(when, a, b).unwrap()
                }
                0 => pool.bv_add(a, b).unwrap(),
                1 => pool.bv_sub(a, b).unwrap(),
                2 => {
                    let factor = pool.bits(WIDTH, u128::from(dice.roll(16))).unwrap();
                    pool.bv_mul(factor, a).unwrap()
                }
                3 => pool.bv_not(a).unwrap(),
                4 => pool.bits(WIDTH, u128::from(dice.roll(16))).unwrap(),
                _ => a,
            }
        }
    }
}

fn literal(pool: &mut TermPool, dice: &mut Dice, symbols: &[TermId]) -> TermId {
    let depth = dice.roll(3);
    let (mut a, mut b) = (number(pool, dice, symbols, depth), number(pool, dice, symbols, 1));
    match dice.roll(4) {
        0 => (a, b) = (pool.zero_extend(3, a).unwrap(), pool.zero_extend(3, b).unwrap()),
        1 => (a, b) = (pool.sign_extend(3, a).unwrap(), pool.zero_extend(3, b).unwrap()),
        _ => {}
    }
    let term = match dice.roll(4) {
        0 => pool.bv_ult(a, b).unwrap(),
        1 => pool.bv_slt(a, b).unwrap(),
        2 => pool.bv_ule(a, b).unwrap(),
        _ => pool.eq(a, b).unwrap(),
    };
    match dice.roll(3) {
        0 => pool.not(term).unwrap(),
        1 => {
            let c = number(pool, dice, symbols, 1);
            let d = number(pool, dice, symbols, 1);
            let other = pool.bv_slt(c, d).unwrap();
            pool.or(&[term, other]).unwrap()
        }
        _ => term,
    }
}

/// What is called a contradiction has no solution, of all assignments of small numbers.
#[test]
fn contradictions_have_no_solution() {
    let mut dice = Dice(7);
    let mut contradictions = 0;
    for _ in 0..1500 {
        let mut pool = TermPool::new();
        let symbols: Vec<TermId> =
            ["x", "y"].map(|name| pool.symbol(name, Sort::BitVec(WIDTH)).unwrap()).to_vec();
        let literals: Vec<TermId> =
            (0..2 + dice.roll(3)).map(|_| literal(&mut pool, &mut dice, &symbols)).collect();
        if !is_contradiction(&pool, &literals) {
            continue;
        }
        contradictions += 1;
        for point in 0..256u128 {
            let mut assignment = Assignment::new();
            for (n, symbol) in symbols.iter().enumerate() {
                let value = Value::Bits(Bits::new(WIDTH, point >> (4 * n) & 15));
                assignment.set(&pool, pool.as_symbol(*symbol).unwrap(), value).unwrap();
            }
            let mut evaluator = Evaluator::new(&assignment);
            let all = literals.iter().all(|l| evaluator.holds(&pool, *l).unwrap_or(true));
            assert!(!all, "point {point} satisfies what is called a contradiction");
        }
    }
    assert!(contradictions > 100, "{contradictions}");
}

#[test]
fn four_more_are_left() {
    let mut pool = TermPool::new();
    let [i, n] = ["i", "n"].map(|name| pool.symbol(name, Sort::BitVec(64)).unwrap());
    let (four, left) = (pool.bits(64, 4).unwrap(), pool.bv_sub(n, i).unwrap());
    let (order, next) = (pool.bv_ule(i, n).unwrap(), pool.bv_add(i, four).unwrap());
    let enough = pool.bv_ule(four, left).unwrap();
    let within = pool.bv_ule(next, n).unwrap();
    let violated = pool.not(within).unwrap();
    assert!(is_contradiction(&pool, &[order, enough, violated]));
    // ✗ Without the order the counter may be past the end.
    assert!(!is_contradiction(&pool, &[enough, violated]));
}

/// ✗ Numbers whose absolute value or negation is no number any more.
#[test]
fn rows_with_large_numbers_are_left_out() {
    let mut rows = Rows::new();
    insert_row(&mut rows, vec![(0, i128::MIN), (1, 1)], 0);
    insert_row(&mut rows, vec![(0, 1)], i128::MIN);
    assert!(rows.is_empty());
    insert_row(&mut rows, vec![(0, 2)], 3);
    assert_eq!(rows.get(&vec![(0, 1)]), Some(&1));
}
