//! The simplifier keeps the meaning, reaches a normal form, and collapses common refactorings.

use crate::support;

use std::collections::HashMap;

use proptest::prelude::*;
use support::Maker;
use verdiff_logic::{Sort, TermId, TermPool};

fn check_meaning(seed: u64, widths: &[u32]) {
    let mut pool = TermPool::new();
    let mut maker = Maker::new(seed, widths);
    maker.formula(&mut pool, 60);
    let terms: Vec<TermId> = maker.terms().to_vec();
    let simplified: Vec<TermId> = terms.iter().map(|t| pool.simplify(*t)).collect();
    for _ in 0..8 {
        let assignment = maker.assignment(&pool, &terms);
        for (term, simple) in terms.iter().zip(&simplified) {
            let (before, after) = (pool.eval(*term, &assignment), pool.eval(*simple, &assignment));
            assert_eq!(
                before,
                after,
                "seed {seed}: {} became {}",
                pool.display(*term),
                pool.display(*simple)
            );
        }
    }
    for simple in simplified {
        let fires = pool.firing_rule(simple);
        assert_eq!(fires, None, "seed {seed}: {}", pool.display(simple));
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(400) })]

    #[test]
    fn keeps_the_meaning_and_reaches_a_normal_form(seed: u64) {
        check_meaning(seed, &[4, 8]);
        check_meaning(seed, &[1, 3]);
    }

    #[test]
    fn keeps_the_meaning_of_wide_terms(seed: u64) {
        check_meaning(seed, &[32, 64]);
        check_meaning(seed, &[130]);
    }
}

/// Both ways to write something become the same term.
fn same(build: impl Fn(&mut TermPool, &HashMap<&str, TermId>) -> (TermId, TermId)) {
    let mut pool = TermPool::new();
    let mut names = HashMap::new();
    for name in ["x", "y", "z"] {
        names.insert(name, pool.symbol(name, Sort::BitVec(32)).expect("new"));
    }
    for (name, value) in [("0", 0), ("1", 1), ("2", 2), ("4", 4), ("8", 8), ("-1", -1), ("24", 24)]
    {
        names.insert(name, pool.bits_signed(32, value).expect("fits"));
    }
    names.insert("255", pool.bits(32, 255).expect("fits"));
    names.insert("p", pool.symbol("p", Sort::Bool).expect("new"));
    let bytes = pool.array_sort(Sort::BitVec(32), Sort::BitVec(8)).expect("a sort");
    names.insert("a", pool.symbol("a", bytes).expect("new"));
    let (left, right) = build(&mut pool, &names);
    let (left, right) = (pool.simplify(left), pool.simplify(right));
    assert_eq!(left, right, "{} and {}", pool.display(left), pool.display(right));
}

#[test]
fn doubling_is_adding_twice_is_shifting() {
    same(|p, n| (p.bv_add(n["x"], n["x"]).unwrap(), p.bv_shl(n["x"], n["1"]).unwrap()));
}

#[test]
fn not_less_is_greater_or_equal() {
    same(|p, n| {
        let less = p.bv_slt(n["x"], n["8"]).unwrap();
        let seven = p.bits(32, 7).unwrap();
        (p.not(less).unwrap(), p.bv_slt(seven, n["x"]).unwrap())
    });
}

#[test]
fn a_conditional_increment_is_an_increment_by_a_conditional() {
    same(|p, n| {
        let next = p.bv_add(n["x"], n["1"]).unwrap();
        let choice = p.ite(n["p"], n["1"], n["0"]).unwrap();
        (p.ite(n["p"], next, n["x"]).unwrap(), p.bv_add(n["x"], choice).unwrap())
    });
}

#[test]
fn a_flag_compared_with_zero_is_the_condition() {
    same(|p, n| {
        let less = p.bv_slt(n["x"], n["y"]).unwrap();
        let flag = p.bool_to_bits(8, less).unwrap();
        let flag = p.zero_extend(24, flag).unwrap();
        (p.ne(flag, n["0"]).unwrap(), less)
    });
}

#[test]
fn the_remainder_by_a_power_of_two_is_a_mask() {
    same(|p, n| {
        let seven = p.bits(32, 7).unwrap();
        (p.bv_urem(n["x"], n["8"]).unwrap(), p.bv_and(n["x"], seven).unwrap())
    });
}

#[test]
fn low_bits_are_cleared_by_shifting_or_by_masking() {
    same(|p, n| {
        let minus_16 = p.bits_signed(32, -16).unwrap();
        let down = p.bv_lshr(n["x"], n["4"]).unwrap();
        (p.bv_shl(down, n["4"]).unwrap(), p.bv_and(n["x"], minus_16).unwrap())
    });
}

#[test]
fn a_word_is_assembled_from_bytes_by_or_by_plus_or_by_concat() {
    let word = |p: &mut TermPool, n: &HashMap<&str, TermId>, or: bool| {
        let mut sum = n["0"];
        for byte in 0..4 {
            let place = p.bits(32, byte).unwrap();
            let index = p.bv_add(n["x"], place).unwrap();
            let element = p.select(n["a"], index).unwrap();
            let wide = p.zero_extend(24, element).unwrap();
            let by = p.bits(32, 8 * byte).unwrap();
            let shifted = p.bv_shl(wide, by).unwrap();
            sum = if or { p.bv_or(sum, shifted) } else { p.bv_add(shifted, sum) }.unwrap();
        }
        sum
    };
    same(|p, n| (word(p, n, true), word(p, n, false)));
    same(|p, n| {
        let mut whole = None;
        for byte in 0..4 {
            let place = p.bits(32, byte).unwrap();
            let index = p.bv_add(place, n["x"]).unwrap();
            let element = p.select(n["a"], index).unwrap();
            whole = Some(whole.map_or(element, |low| p.concat(element, low).unwrap()));
        }
        (word(p, n, true), whole.unwrap())
    });
}

#[test]
fn a_word_stored_as_bytes_is_read_back() {
    same(|p, n| {
        let mut array = n["a"];
        for byte in [2, 0, 3, 1] {
            let place = p.bits(32, byte).unwrap();
            let index = p.bv_add(n["x"], place).unwrap();
            let part = p.extract(8 * byte as u32 + 7, 8 * byte as u32, n["y"]).unwrap();
            array = p.store(array, index, part).unwrap();
        }
        let mut whole = None;
        for byte in 0..4 {
            let place = p.bits(32, byte).unwrap();
            let index = p.bv_add(n["x"], place).unwrap();
            let element = p.select(array, index).unwrap();
            whole = Some(whole.map_or(element, |low| p.concat(element, low).unwrap()));
        }
        (whole.unwrap(), n["y"])
    });
}

#[test]
fn stores_to_different_places_commute() {
    same(|p, n| {
        let next = p.bv_add(n["x"], n["1"]).unwrap();
        let (u, v) = (p.extract(7, 0, n["y"]).unwrap(), p.extract(7, 0, n["z"]).unwrap());
        let a = p.store(n["a"], n["x"], u).unwrap();
        let a = p.store(a, next, v).unwrap();
        let b = p.store(n["a"], next, v).unwrap();
        let b = p.store(b, n["x"], u).unwrap();
        (a, b)
    });
}

#[test]
fn sums_of_products_are_multiplied_out() {
    same(|p, n| {
        let (sum, difference) =
            (p.bv_add(n["x"], n["y"]).unwrap(), p.bv_sub(n["x"], n["y"]).unwrap());
        let (xx, yy) = (p.bv_mul(n["x"], n["x"]).unwrap(), p.bv_mul(n["y"], n["y"]).unwrap());
        (p.bv_mul(sum, difference).unwrap(), p.bv_sub(xx, yy).unwrap())
    });
}

#[test]
fn the_minimum_may_be_written_either_way() {
    same(|p, n| {
        let less = p.bv_slt(n["x"], n["y"]).unwrap();
        let at_most = p.bv_sle(n["y"], n["x"]).unwrap();
        (p.ite(less, n["x"], n["y"]).unwrap(), p.ite(at_most, n["y"], n["x"]).unwrap())
    });
}

#[test]
fn narrow_arithmetic_is_wide_arithmetic_cut_off() {
    same(|p, n| {
        let (x, y) = (p.extract(7, 0, n["x"]).unwrap(), p.extract(7, 0, n["y"]).unwrap());
        let (wide_x, wide_y) = (p.sign_extend(24, x).unwrap(), p.zero_extend(24, y).unwrap());
        let wide = p.bv_sub(wide_x, wide_y).unwrap();
        (p.extract(7, 0, wide).unwrap(), p.bv_sub(x, y).unwrap())
    });
}

/// A sum of products of many symbols is more than a little effort pays for; what was given up is done the next time.
#[test]
fn simplification_stops_when_its_effort_is_spent() -> Result<(), verdiff_logic::LogicError> {
    let mut pool = TermPool::new();
    let mut all = pool.bits(32, 0)?;
    for number in 0..4_000 {
        let symbol = pool.symbol(&format!("x{number}"), Sort::BitVec(32))?;
        let zero = pool.bits(32, 0)?;
        let nothing = pool.bv_mul(symbol, zero)?;
        let changed = pool.bv_xor(all, symbol)?;
        all = pool.bv_or(changed, nothing)?;
    }
    let little = verdiff_logic::effort::Effort::ZERO;
    assert_eq!(pool.simplify_within(all, little), None);
    let most = verdiff_logic::effort::Effort::UNLIMITED;
    let simplified = pool.simplify_within(all, most);
    assert!(simplified.is_some_and(|term| term != all));
    assert_eq!(simplified, Some(pool.simplify(all)));
    Ok(())
}
