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
            match dice.roll(10) {
                6 => {
                    let c = number(pool, dice, symbols, depth - 1);
                    let d = number(pool, dice, symbols, depth - 1);
                    let when = pool.bv_ult(c, d).unwrap();
                    pool.ite(when, a, b).unwrap()
                }
                // The same condition in several places, and what it is not.
                7 => {
                    let when = pool.bv_slt(symbols[0], symbols[1]).unwrap();
                    let not = pool.not(when).unwrap();
                    pool.ite(if dice.roll(2) == 0 { when } else { not }, a, b).unwrap()
                }
                8 => {
                    let low = 1 + dice.roll(3) as u32;
                    let part = pool.extract(WIDTH - 1, low, a).unwrap();
                    pool.zero_extend(low, part).unwrap()
                }
                9 => {
                    let by = pool.bits(WIDTH, u128::from(dice.roll(16))).unwrap();
                    if dice.roll(2) == 0 { pool.bv_udiv(a, by) } else { pool.bv_urem(a, by) }
                        .unwrap()
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

/// The middle of a range is in it, in whichever half a search goes on.
#[test]
fn half_of_what_is_left_is_less() {
    let mut pool = TermPool::new();
    let [low, high] = ["low", "high"].map(|name| pool.symbol(name, Sort::BitVec(32)).unwrap());
    let (left, zero) = (pool.bv_sub(high, low).unwrap(), pool.bits(32, 0).unwrap());
    let half = pool.extract(31, 1, left).unwrap();
    let half = pool.zero_extend(1, half).unwrap();
    let one = pool.bits(32, 1).unwrap();
    let middle = pool.bv_add(low, half).unwrap();
    let next = pool.bv_add(middle, one).unwrap();
    let upper = pool.symbol("upper", Sort::Bool).unwrap();
    let new_low = pool.ite(upper, next, low).unwrap();
    let new_high = pool.ite(upper, high, middle).unwrap();
    let given = pool.bv_ult(low, high).unwrap();
    let violated = pool.bv_ult(new_high, new_low).unwrap();
    assert!(is_contradiction(&pool, &[given, violated]));
    // ✗ In the upper half of one search and the lower half of the other.
    let other = pool.symbol("other", Sort::Bool).unwrap();
    let wrong_high = pool.ite(other, high, middle).unwrap();
    let may_be = pool.bv_ult(wrong_high, new_low).unwrap();
    assert!(!is_contradiction(&pool, &[given, may_be]));
    // ✗ Nothing is left: the middle is the end.
    let empty = pool.bv_ule(low, high).unwrap();
    let outside = pool.bv_ule(high, middle).unwrap();
    let nothing = pool.eq(left, zero).unwrap();
    assert!(!is_contradiction(&pool, &[empty, outside, nothing]));
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
