//! What is refuted case by case, and what must not be.

use super::*;
use verdiff_logic::solver::{Decide, Limits, Query, standard};

#[test]
fn cases_of_a_switch_may_be_asked_in_any_order() {
    let mut space = Space::new();
    let x = space.pool.symbol("x", Sort::BitVec(32)).unwrap();
    let mut numbers = Vec::new();
    for n in 0..4 {
        numbers.push(space.pool.bits(32, n).unwrap());
    }
    let one = space.pool.eq(x, numbers[1]).unwrap();
    let two = space.pool.eq(x, numbers[2]).unwrap();
    let inner = space.pool.ite(two, numbers[3], numbers[0]).unwrap();
    let left = space.pool.ite(one, numbers[2], inner).unwrap();
    let inner = space.pool.ite(one, numbers[2], numbers[0]).unwrap();
    let right = space.pool.ite(two, numbers[3], inner).unwrap();
    let differ = space.pool.ne(left, right).unwrap();
    assert!(space.refute(differ, 32).unwrap());
    // Signed and unsigned ways to ask for a range.
    let zero = numbers[0];
    let negative = space.pool.bv_slt(x, zero).unwrap();
    let (limit, below) = (space.pool.bits(32, 24).unwrap(), space.pool.not(negative).unwrap());
    let small = space.pool.bv_slt(x, limit).unwrap();
    let both = space.pool.and(&[below, small]).unwrap();
    let unsigned = space.pool.bv_ult(x, limit).unwrap();
    let same = space.pool.eq(both, unsigned).unwrap();
    let differ_range = space.pool.not(same).unwrap();
    assert!(space.refute(differ_range, 64).unwrap());
    let same = space.pool.eq(small, unsigned).unwrap();
    let differ_sign = space.pool.not(same).unwrap();
    assert!(!space.refute(differ_sign, 64).unwrap());
    let wrong = space.pool.ite(two, numbers[1], inner).unwrap();
    let differ = space.pool.ne(left, wrong).unwrap();
    assert!(!space.refute(differ, 32).unwrap());
}

/// A value that stands for a stretch must not be taken for the value of overlapping pieces.
#[test]
fn overlapping_pieces_of_a_word_are_not_forgotten() {
    let mut space = Space::new();
    let x = space.pool.symbol("x", Sort::BitVec(32)).unwrap();
    let (high, low) =
        (space.pool.extract(31, 24, x).unwrap(), space.pool.extract(31, 16, x).unwrap());
    let (ten, pair) = (space.pool.bits(8, 10).unwrap(), space.pool.bits(16, 0xc0a8).unwrap());
    let (first, second) = (space.pool.eq(high, ten).unwrap(), space.pool.eq(low, pair).unwrap());
    let either = space.pool.or(&[first, second]).unwrap();
    let same = space.pool.eq(either, first).unwrap();
    let differ = space.pool.not(same).unwrap();
    assert!(!space.refute(differ, 64).unwrap());
    // Where the pieces contradict each other, that is seen.
    let both = space.pool.and(&[first, second]).unwrap();
    assert!(space.refute(both, 64).unwrap());
}

/// `extern char first[], last[];` may have one address if one of them has no bytes; it was taken for impossible.
#[test]
fn objects_without_bytes_may_have_one_address() {
    let mut space = Space::new();
    let (zero, four) = (space.pool.bits(64, 0).unwrap(), space.pool.bits(64, 4).unwrap());
    let more = space.pool.symbol("more.open", Sort::BitVec(61)).unwrap();
    let more = space.pool.zero_extend(3, more).unwrap();
    let at_least = space.pool.bv_add(four, more).unwrap();
    let mut make = |name: &str, size: TermId, fresh: bool, heap: bool| {
        let object = space.object(name, size, 1, fresh, false).unwrap();
        if heap {
            space.outlives_run(object);
        }
        space.object_at(object).base
    };
    let empty = make("empty", zero, false, false);
    let open = make("open", more, false, false);
    let open_behind = make("open_behind", at_least, false, false);
    let plain = make("plain", four, false, false);
    let local = make("local", four, true, false);
    let bare_local = make("bare_local", zero, true, false);
    let heap = make("heap.0", zero, true, true);
    let may_be_equal = [
        (empty, open),
        (empty, plain),
        (open, plain),
        (open, open_behind),
        (bare_local, local),
        (bare_local, plain),
        (bare_local, empty),
    ];
    let never_equal = [
        (plain, open_behind),
        (plain, local),
        (local, empty),
        (heap, plain),
        (heap, empty),
        (heap, local),
    ];
    for (pairs, expected) in [(&may_be_equal[..], false), (&never_equal[..], true)] {
        for (a, b) in pairs {
            let equal = space.pool.eq(*a, *b).unwrap();
            let text = space.pool.display(equal).to_string();
            assert_eq!(space.refute(equal, 32).unwrap(), expected, "{text}");
            // The same as the axioms say, which a solver is given.
            let mut all = space.axioms_about(&[*a, *b]).unwrap();
            all.push(equal);
            let query = Query { assertions: &all, assumptions: &[] };
            let answer = standard().decide(&mut space.pool, &query, &Limits::default());
            assert_eq!((answer.is_unsat(), answer.is_sat()), (expected, !expected), "{text}");
        }
    }
}
