//! What long conditions become: the text a person would have written, proved to mean the same.

use verdiff_logic::effort::Effort;
use verdiff_logic::{
    LogicError, Named, Names, Nature, Sort, TermId, TermPool, c_expression, readable,
    without_redundancy,
};

struct Vars {
    x: TermId,
    y: TermId,
    u: TermId,
    w: TermId,
    c: TermId,
    p: TermId,
    q: TermId,
}

/// The short text of a condition over `int x, y; unsigned u, w; char c; int *p, *q`.
#[track_caller]
fn check(
    build: impl Fn(&mut TermPool, &Vars) -> Result<TermId, LogicError>,
    expected: Option<&str>,
) {
    let mut pool = TermPool::new();
    let mut names = Names::default();
    let mut declare = |name: &str, width: u32, signed: bool, nature: Nature| {
        let term = pool.symbol(name, Sort::BitVec(width)).unwrap();
        let rank = names.len();
        names.insert(term, Named { code: name.to_owned(), signed, nature, rank });
        term
    };
    let vars = Vars {
        x: declare("x", 32, true, Nature::Number),
        y: declare("y", 32, true, Nature::Number),
        u: declare("u", 32, false, Nature::Number),
        w: declare("w", 32, false, Nature::Number),
        c: declare("c", 8, true, Nature::Character),
        p: declare("p", 64, false, Nature::Pointer(4)),
        q: declare("q", 64, false, Nature::Pointer(4)),
    };
    let condition = build(&mut pool, &vars).unwrap();
    let condition = without_redundancy(&mut pool, condition, &[], &[], Effort::seconds(3)).unwrap();
    let short = readable(&mut pool, condition, &[], &[], &names, Effort::seconds(3));
    let text = short.and_then(|short| c_expression(&pool, short, &names));
    assert_eq!(text.as_deref(), expected);
}

fn less(pool: &mut TermPool, x: TermId, than: i128) -> Result<TermId, LogicError> {
    let than = pool.bits_signed(pool.width_of(x), than)?;
    pool.bv_slt(x, than)
}

trait Width {
    fn width_of(&self, term: TermId) -> u32;
}

impl Width for TermPool {
    fn width_of(&self, term: TermId) -> u32 {
        self.sort(term).width().unwrap()
    }
}

#[test]
fn one_value_and_ranges() {
    check(
        |p, v| {
            let (a, b) = (less(p, v.x, 6)?, less(p, v.x, 5)?);
            p.ne(a, b)
        },
        Some("x == 5"),
    );
    check(
        |p, v| {
            let (a, b) = (less(p, v.x, 7)?, less(p, v.x, 5)?);
            p.ne(a, b)
        },
        Some("5 <= x && x <= 6"),
    );
    // Neither number is in the condition: 7 * x > 700 where nothing overflows.
    check(
        |p, v| {
            let wide = p.sign_extend(32, v.x)?;
            let seven = p.bits(64, 7)?;
            let product = p.bv_mul(wide, seven)?;
            let most = p.bits(64, 700)?;
            p.bv_slt(most, product)
        },
        Some("x > 100"),
    );
    check(
        |p, v| {
            let negated = p.bv_neg(v.x)?;
            let (same, zero) = (p.eq(v.x, negated)?, p.bits(32, 0)?);
            let not_zero = p.ne(v.x, zero)?;
            p.and(&[same, not_zero])
        },
        Some("x == -2147483647 - 1"),
    );
}

#[test]
fn relations_bits_and_characters() {
    check(
        |p, v| {
            let (a, b) = (p.bv_slt(v.x, v.y)?, p.bv_slt(v.y, v.x)?);
            let either = p.or(&[a, b])?;
            p.not(either)
        },
        Some("x == y"),
    );
    check(
        |p, v| {
            let bit = p.extract(3, 3, v.u)?;
            let one = p.bits(1, 1)?;
            p.eq(bit, one)
        },
        Some("(u & 8) != 0"),
    );
    check(
        |p, v| {
            let wide = p.sign_extend(24, v.c)?;
            let (low, high) = (less(p, wide, 48)?, less(p, wide, 58)?);
            p.ne(low, high)
        },
        Some("'0' <= c && c <= '9'"),
    );
    check(
        |p, v| {
            let zero = p.bits(64, 0)?;
            let (null, same) = (p.eq(v.p, zero)?, p.eq(v.p, v.q)?);
            let some = p.not(null)?;
            p.ite(some, same, null)
        },
        Some("p == 0 || p == q"),
    );
}

#[test]
fn tests_in_two_parts_are_one() {
    // x + 1 <= y && y <= x + 1
    check(
        |p, v| {
            let one = p.bits(32, 1)?;
            let next = p.bv_add(v.x, one)?;
            let (below, above) = (p.bv_sle(next, v.y)?, p.bv_sle(v.y, next)?);
            p.and(&[below, above])
        },
        Some("y == x + 1"),
    );
    // Leap years: what only the rule of 400 years changes.
    check(
        |p, v| {
            let (zero, by, low) = (p.bits(32, 0)?, p.bits(32, 100)?, p.bits(32, 15)?);
            let (rest, bits) = (p.bv_srem(v.x, by)?, p.bv_and(v.x, low)?);
            let (century, sixteen) = (p.eq(rest, zero)?, p.eq(bits, zero)?);
            p.and(&[century, sixteen])
        },
        Some("x % 400 == 0"),
    );
}

#[test]
fn what_always_or_never_holds_is_said_so() {
    check(
        |p, v| {
            let (zero, square) = (p.bits(32, 2)?, p.bv_mul(v.u, v.u)?);
            let rest = p.bits(32, 3)?;
            let low = p.bv_and(square, rest)?;
            p.eq(low, zero)
        },
        Some("0"),
    );
    check(
        |p, v| {
            let (a, b) = (less(p, v.x, 6)?, less(p, v.x, 5)?);
            p.implies(b, a)
        },
        Some("1"),
    );
}

#[test]
fn what_has_no_short_form_is_left_as_it_is() {
    check(
        |p, v| {
            let square = p.bv_mul(v.u, v.u)?;
            let most = p.bits(32, 77)?;
            p.bv_ult(square, most)
        },
        Some("u * u < 77"),
    );
}

#[test]
fn sums_that_wrap_are_two_cases() {
    // used + size <= 16 against size <= 16 - used, all unsigned.
    check(
        |p, v| {
            let (used, size) = (v.u, v.w);
            let limit = p.bits(32, 16)?;
            let sum = p.bv_add(used, size)?;
            let rest = p.bv_sub(limit, used)?;
            let (old, new) = (p.bv_ule(sum, limit)?, p.bv_ule(size, rest)?);
            let (one, zero) = (p.bits(32, 1)?, p.bits(32, 0)?);
            let (old, new) = (p.ite(old, one, zero)?, p.ite(new, one, zero)?);
            p.ne(old, new)
        },
        Some("u <= 16 ? u + w < u : u + w >= u"),
    );
}
