//! Questions over the integers in which symbols are taken apart: by remainders, or at bits.

use verdiff_logic::effort::Effort;
use verdiff_logic::integers::refute;
use verdiff_logic::{Op, Sort, TermId, TermPool};

struct Words {
    pool: TermPool,
}

impl Words {
    fn new() -> Words {
        Words { pool: TermPool::new() }
    }

    fn symbol(&mut self, name: &str, width: u32) -> TermId {
        self.pool.symbol(name, Sort::BitVec(width)).expect("new")
    }

    fn width(&self, term: TermId) -> u32 {
        self.pool.sort(term).width().expect("bits")
    }

    fn number(&mut self, like: TermId, value: u64) -> TermId {
        self.pool.bits(self.width(like), value.into()).expect("fits")
    }

    fn add(&mut self, a: TermId, b: TermId) -> TermId {
        self.pool.bv_add(a, b).expect("fits")
    }

    fn more(&mut self, a: TermId, by: i64) -> TermId {
        let by = self.pool.bits_signed(self.width(a), by.into()).expect("fits");
        self.add(a, by)
    }

    fn times(&mut self, a: TermId, b: TermId) -> TermId {
        self.pool.bv_mul(a, b).expect("fits")
    }

    fn half(&mut self, a: TermId) -> TermId {
        let one = self.number(a, 1);
        self.pool.bv_lshr(a, one).expect("fits")
    }

    fn low(&mut self, a: TermId, bits: u32) -> TermId {
        let mask = self.number(a, (1 << bits) - 1);
        self.pool.bv_and(a, mask).expect("fits")
    }

    fn high(&mut self, a: TermId, bits: u32) -> TermId {
        let by = self.number(a, bits.into());
        self.pool.bv_lshr(a, by).expect("fits")
    }

    fn differ(&mut self, a: TermId, b: TermId) -> TermId {
        self.pool.ne(a, b).expect("one sort")
    }

    fn at_most(&mut self, a: TermId, most: u64) -> TermId {
        let most = self.number(a, most);
        let above = self.pool.bv_ult(most, a).expect("fits");
        self.pool.not(above).expect("a truth value")
    }

    fn is_refuted(&self, assertions: &[TermId]) -> bool {
        refute(&self.pool, assertions, Effort::seconds(1)).is_some()
    }
}

/// `n % 2 ? (n / 2 + 1) * n : n / 2 * (n + more)`.
fn triangle(words: &mut Words, n: TermId, more: i64) -> TermId {
    let half = words.half(n);
    let (above, next) = (words.more(half, 1), words.more(n, more));
    let (odd, even) = (words.times(above, n), words.times(half, next));
    let (low, zero) = (words.low(n, 1), words.number(n, 0));
    let is_even = words.pool.eq(low, zero).expect("fits");
    words.pool.ite(is_even, even, odd).expect("fits")
}

/// The even one of `n` and `n + 1` is halved.
#[test]
fn a_product_whose_even_factor_is_halved() {
    for (more, holds) in [(1, true), (0, false), (3, false)] {
        let mut words = Words::new();
        let n = words.symbol("n", 32);
        let less = words.more(n, -1);
        let (now, before) = (triangle(&mut words, n, more), triangle(&mut words, less, more));
        let sum = words.add(before, n);
        let differ = words.differ(now, sum);
        let zero = words.number(n, 0);
        let not_zero = words.differ(n, zero);
        assert_eq!(words.is_refuted(&[not_zero, differ]), holds, "{more}");
    }
}

/// The square of `n (n + 1) / 2` grows by a cube: the product is even, so that twice its half is the product.
#[test]
fn the_square_of_a_half_grows_by_a_cube() {
    for (most, again, holds) in [(65_535, 0, true), (70_000, 0, false), (65_535, 1, false)] {
        let mut words = Words::new();
        let n = words.symbol("n", 32);
        let (less, next) = (words.more(n, -1), words.more(n, 1 + again));
        let product = words.times(less, n);
        let before = words.half(product);
        let product = words.times(n, next);
        let after = words.half(product);
        let (square, cube) = (words.times(before, before), words.times(n, n));
        let cube = words.times(cube, n);
        let (sum, after) = (words.add(square, cube), words.times(after, after));
        let differ = words.differ(sum, after);
        let bound = words.at_most(n, most);
        let zero = words.number(n, 0);
        let not_zero = words.differ(n, zero);
        assert_eq!(words.is_refuted(&[bound, not_zero, differ]), holds, "{most} {again}");
    }
}

/// The high half of a product from four products of halves, in 64 bits.
#[test]
fn the_high_half_of_a_product_from_its_parts() {
    for (carried, holds) in [(true, true), (false, false)] {
        let mut words = Words::new();
        let (a, b) = (words.symbol("a", 32), words.symbol("b", 32));
        let [wide_a, wide_b] = [a, b].map(|word| words.pool.zero_extend(32, word).expect("fits"));
        let product = words.times(wide_a, wide_b);
        let whole = words.pool.extract(63, 32, product).expect("in range");
        let [a0, b0] = [a, b].map(|word| words.low(word, 16));
        let [a1, b1] = [a, b].map(|word| words.high(word, 16));
        let (low, middle) = (words.times(a0, b0), words.times(a1, b0));
        let carry = words.high(low, 16);
        let first = if carried { words.add(middle, carry) } else { middle };
        let (other, rest) = (words.times(a0, b1), words.low(first, 16));
        let second = words.add(other, rest);
        let sum = words.times(a1, b1);
        let (first, second) = (words.high(first, 16), words.high(second, 16));
        let sum = words.add(sum, first);
        let sum = words.add(sum, second);
        let differ = words.differ(whole, sum);
        assert_eq!(words.is_refuted(&[differ]), holds, "{carried}");
    }
}

/// A division by ten by multiplication, with the number of all 32 bits and with one that is too small.
#[test]
fn a_quotient_by_a_product() {
    for (by, holds) in [(0xcccc_cccd, true), (0xcccc_cccc, false)] {
        let mut words = Words::new();
        let x = words.symbol("x", 32);
        let ten = words.number(x, 10);
        let quotient = words.pool.bv_udiv(x, ten).expect("fits");
        let wide = words.pool.zero_extend(32, x).expect("fits");
        let factor = words.number(wide, by);
        let product = words.times(wide, factor);
        let found = words.pool.extract(66 - 32, 35 - 32, product).expect("in range");
        let shifted = words.high(product, 35);
        let shifted = words.pool.extract(31, 0, shifted).expect("in range");
        let differ = words.differ(quotient, shifted);
        assert_eq!(words.is_refuted(&[differ]), holds, "{by}");
        // ✗ Another part of the product.
        let differ = words.differ(quotient, found);
        assert!(!words.is_refuted(&[differ]));
    }
}

/// `a > M / b` is that the product has a high half.
#[test]
fn a_product_that_is_too_large() {
    for (limit, holds) in [(u64::from(u32::MAX), true), (u64::from(u32::MAX) - 1, false)] {
        let mut words = Words::new();
        let (a, b) = (words.symbol("a", 32), words.symbol("b", 32));
        let (most, zero) = (words.number(a, limit), words.number(b, 0));
        let quotient = words.pool.bv_udiv(most, b).expect("fits");
        let above = words.pool.bv_ult(quotient, a).expect("fits");
        let [wide_a, wide_b] = [a, b].map(|word| words.pool.zero_extend(32, word).expect("fits"));
        let product = words.times(wide_a, wide_b);
        let high = words.pool.extract(63, 32, product).expect("in range");
        let large = words.differ(high, zero);
        let differ = words.differ(large, above);
        let not_zero = words.differ(b, zero);
        assert_eq!(words.is_refuted(&[not_zero, differ]), holds, "{limit}");
        // A quotient by zero is the largest number, which nothing is above; so it holds there, too.
        assert_eq!(words.is_refuted(&[differ]), holds, "{limit}");
    }
}

/// Bits of a word, taken in any of three ways, are the same; those beside them are not.
#[test]
fn bits_of_a_word_in_other_words() {
    for at in [1, 3, 8] {
        let mut words = Words::new();
        let x = words.symbol("x", 16);
        let (low, high) = (words.low(x, at), words.high(x, at));
        let size = words.number(x, 1 << at);
        let scaled = words.times(high, size);
        let whole = words.add(scaled, low);
        let differ = words.differ(whole, x);
        assert!(words.is_refuted(&[differ]));
        let mask = words.number(x, 0xffff << at & 0xffff);
        let above = words.pool.bv_and(x, mask).expect("fits");
        let differ = words.differ(above, scaled);
        assert!(words.is_refuted(&[differ]));
        let cut = words.pool.extract(at - 1, 0, x).expect("in range");
        let cut = words.pool.zero_extend(16 - at, cut).expect("fits");
        let differ = words.differ(cut, low);
        assert!(words.is_refuted(&[differ]));
        // ✗ A mask with a hole is no remainder.
        let hole = words.number(x, 0b1011);
        let holed = words.pool.apply_op(Op::BvAnd, &[x, hole]).expect("fits");
        let low = words.low(x, 4);
        let differ = words.differ(holed, low);
        assert!(!words.is_refuted(&[differ]));
    }
}
