//! What C expressions look like.

use super::*;
use crate::error::LogicError;

type Build = fn(&mut TermPool, TermId, TermId) -> Result<TermId, LogicError>;

fn check(build: Build, expected: Option<&str>) {
    let mut pool = TermPool::new();
    let x = pool.symbol("x", Sort::BitVec(32)).expect("new");
    let u = pool.symbol("u", Sort::BitVec(32)).expect("new");
    let named = Named { code: "u".into(), signed: false, nature: Nature::Number, rank: 0 };
    let names = [(u, named)].into_iter().collect();
    let term = build(&mut pool, x, u).expect("is well sorted");
    assert_eq!(c_expression(&pool, term, &names).as_deref(), expected);
}

#[test]
fn parentheses_are_where_c_needs_them() {
    check(
        |p, x, u| {
            let sum = p.bv_add(x, u)?;
            p.bv_mul(sum, x)
        },
        Some("(u + x) * x"),
    );
    check(
        |p, x, u| {
            let product = p.bv_mul(x, u)?;
            p.bv_sub(product, x)
        },
        Some("x * u - x"),
    );
    check(
        |p, x, u| {
            let sum = p.bv_sub(x, u)?;
            p.bv_sub(x, sum)
        },
        Some("x - (x - u)"),
    );
    check(
        |p, x, _| {
            let ten = p.bits(32, 10)?;
            let quotient = p.bv_sdiv(x, ten)?;
            p.bv_mul(quotient, ten)
        },
        Some("10 * (x / 10)"),
    );
    check(
        |p, _, u| {
            let ten = p.bits(32, 10)?;
            let quotient = p.bv_udiv(u, ten)?;
            let negated = p.bv_neg(quotient)?;
            let negated = p.simplify(negated);
            let sum = p.bv_sub(negated, quotient)?;
            p.bv_add(sum, negated)
        },
        Some("-(u / 10) - u / 10 - u / 10"),
    );
}

/// `x / 2^k` as the simplifier has it.
fn half(p: &mut TermPool, x: TermId, by: u128) -> Result<TermId, LogicError> {
    let by = p.bits(32, by)?;
    let quotient = p.bv_sdiv(x, by)?;
    Ok(p.simplify(quotient))
}

#[test]
fn shifts_that_round_towards_zero_are_quotients() {
    check(|p, x, _| half(p, x, 2), Some("x / 2"));
    check(|p, x, _| half(p, x, 8), Some("x / 8"));
    check(
        |p, x, _| {
            let three = p.bits(32, 3)?;
            let moved = p.bv_sub(three, x)?;
            half(p, moved, 2)
        },
        Some("(-x + 3) / 2"),
    );
    check(|p, _, u| half(p, u, 4), Some("(int)u / 4"));
    // 2^31 is no int, so this is no quotient.
    check(
        |p, x, _| {
            let sign = p.extract(31, 31, x)?;
            let negative = p.sign_extend(30, sign)?;
            let bias = p.zero_extend(1, negative)?;
            let (sum, by) = (p.bv_add(x, bias)?, p.bits(32, 31)?);
            p.bv_ashr(sum, by)
        },
        Some("(x + ((x >> 31) & 0x7fffffff)) >> 31"),
    );
    // Without the rounding it is a shift.
    check(
        |p, x, _| {
            let two = p.bits(32, 2)?;
            p.bv_ashr(x, two)
        },
        Some("x >> 2"),
    );
}

#[test]
fn what_c_converts_by_itself_has_no_cast() {
    check(
        |p, x, u| {
            let (wide, of) = (p.sign_extend(32, x)?, p.zero_extend(32, u)?);
            let seven = p.bits(64, 7)?;
            let product = p.bv_mul(of, seven)?;
            p.bv_slt(product, wide)
        },
        Some("(long)(7 * (unsigned long)u) < x"),
    );
    check(
        |p, x, u| {
            let (wide, of) = (p.sign_extend(32, x)?, p.zero_extend(32, u)?);
            let seven = p.bits(64, 7)?;
            let product = p.bv_mul(of, seven)?;
            p.eq(product, wide)
        },
        Some("7 * (unsigned long)u == x"),
    );
    check(
        |p, x, u| {
            let (square, of) = (p.bv_mul(x, x)?, p.zero_extend(32, u)?);
            let wide = p.sign_extend(32, square)?;
            let seven = p.bits(64, 7)?;
            let product = p.bv_mul(of, seven)?;
            p.eq(product, wide)
        },
        Some("7 * (unsigned long)u == (unsigned long)(long)(x * x)"),
    );
}

#[test]
fn a_bit_that_is_not_set_is_zero() {
    check(
        |p, x, _| {
            let four = p.bits(32, 4)?;
            let bit = p.bv_and(x, four)?;
            p.ne(bit, four)
        },
        Some("(x & 4) == 0"),
    );
    check(
        |p, x, _| {
            let six = p.bits(32, 6)?;
            let bits = p.bv_and(x, six)?;
            p.ne(bits, six)
        },
        Some("(x & 6) != 6"),
    );
}

#[test]
fn signedness_is_cast_only_where_it_differs() {
    check(|p, x, u| p.bv_ult(x, u), Some("(unsigned)x < u"));
    check(|p, x, _| p.bv_sle(x, x), Some("x >= x"));
    check(|p, _, u| p.bv_udiv(u, u), None);
    check(
        |p, x, _| {
            let ten = p.bits(32, 10)?;
            p.bv_sdiv(x, ten)
        },
        Some("x / 10"),
    );
    check(
        |p, _, u| {
            let k = p.bits_signed(32, -1)?;
            p.bv_ult(u, k)
        },
        Some("u != 4294967295"),
    );
}

#[test]
fn negations_turn_into_the_other_comparison() {
    check(|p, x, u| p.ne(x, u), Some("x != (int)u"));
    check(
        |p, x, u| {
            let (a, b) = (p.bv_slt(x, x)?, p.eq(u, u)?);
            let either = p.or(&[a, b])?;
            p.not(either)
        },
        Some("!(x < x || u == u)"),
    );
    check(
        |p, x, _| {
            let five = p.bits(32, 5)?;
            let less = p.bv_slt(x, five)?;
            p.ite(less, x, five)
        },
        Some("x < 5 ? x : 5"),
    );
}

#[test]
fn what_c_cannot_say_has_no_expression() {
    check(|p, _, u| p.bv_udiv(u, u), None);
    check(|p, x, u| p.concat(x, u), Some("((unsigned long)(unsigned)x << 32) | u"));
    check(|p, x, _| p.extract(2, 0, x), Some("x & 7"));
    check(|p, x, _| p.extract(29, 0, x), Some("x & 0x3fffffff"));
    check(
        |p, x, _| {
            let byte = p.extract(7, 0, x)?;
            p.sign_extend(24, byte)
        },
        Some("(signed char)x"),
    );
}

#[test]
fn two_bounds_at_one_number_are_an_equation() {
    check(
        |p, x, _| {
            let ten = p.bits(32, 10)?;
            let (low, high) = (p.bv_sle(ten, x)?, p.bv_sle(x, ten)?);
            p.and(&[low, high])
        },
        Some("x == 10"),
    );
}

#[test]
fn values_that_c_has_no_type_for_are_masked_where_they_matter() {
    check(
        |p, x, u| {
            let (a, b) = (p.extract(3, 0, x)?, p.extract(3, 0, u)?);
            let sum = p.bv_add(a, b)?;
            let five = p.bits(4, 5)?;
            p.eq(sum, five)
        },
        Some("((x + u) & 15) == 5"),
    );
    // C would compare without a sign, since `u & 7` has none.
    check(
        |p, x, u| {
            let low = p.extract(2, 0, u)?;
            let low = p.zero_extend(29, low)?;
            p.bv_slt(low, x)
        },
        Some("(int)(u & 7) < x"),
    );
    // `1 << n` is an `int`.
    check(
        |p, _, u| {
            let (one, wide) = (p.bits(64, 1)?, p.zero_extend(32, u)?);
            let mask = p.bits(64, 63)?;
            let amount = p.bv_and(wide, mask)?;
            p.bv_shl(one, amount)
        },
        Some("(long)1 << ((unsigned long)u & 63)"),
    );
}

#[test]
fn what_is_undefined_for_some_operands_is_printed_on_request() {
    let mut pool = TermPool::new();
    let x = pool.symbol("x", Sort::BitVec(32)).expect("new");
    let y = pool.symbol("y", Sort::BitVec(32)).expect("new");
    let quotient = pool.bv_sdiv(x, y).expect("is well sorted");
    let text = c_partial_expression(&pool, quotient, &Names::default());
    assert_eq!(text.as_deref(), Some("x / y"));
}
