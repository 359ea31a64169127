//! Loops that do the same in another order (`reorder`), and loops in which the order matters.

use crate::align::{Dice, not_proved, proved, runs_if_proved};
use crate::testing_support as support;

use support::cases;
use verdiff_logic::effort::Effort;

#[track_caller]
fn in_another_order(old: &str, new: &str) {
    let text = proved(old, new);
    assert!(text.contains("their order does not matter"), "{text}:\n{old}\n{new}");
}

/// A sum over an array, with this loop.
fn sum(of: &str, work: &str) -> String {
    format!(
        "unsigned f(const unsigned *v, unsigned short n) {{ unsigned i, s = 0; {of} {work}; return s; }}"
    )
}

const FORWARDS: &str = "for (i = 0; i < n; i++)";
const BACKWARDS: &str = "for (i = n; i-- > 0; )";

#[test]
fn a_sum_from_the_end() {
    let all = ["if (v[i] > 9) s = s > v[i] ? s : v[i]", "s += v[i]", "s ^= v[i] * i"];
    for work in all.into_iter().take(cases(1)) {
        in_another_order(&sum(FORWARDS, work), &sum(BACKWARDS, work));
    }
    let evens_first = "for (i = 0; i < n; i += 2) s += v[i]; for (i = 1; i < n; i += 2)";
    in_another_order(&sum(FORWARDS, "s += v[i]"), &sum(evens_first, "s += v[i]"));
}

#[test]
fn what_does_not_commute_keeps_its_order() {
    let all = ["s = s * 2 + v[i]", "if (v[i]) s = v[i]", "s = s - v[i] & 255 | s << 1"];
    for work in all.into_iter().take(cases(1)) {
        not_proved(&sum(FORWARDS, work), &sum(BACKWARDS, work));
    }
}

/// Numbers of iterations are symbols, and a parameter may have any name.
#[test]
fn no_parameter_is_the_number_of_an_iteration() {
    let text = |of: &str, name: &str| {
        format!(
            "unsigned f(unsigned {name}, unsigned n) {{
                unsigned i, s = 0, large = n > 50000000;
                {of} {{ if (i == {name} && large) s ^= i; else s += i; }}
                return s; }}"
        )
    };
    for name in ["iteration", "iteration1", "iteration2", "other"] {
        not_proved(&text(FORWARDS, name), &text(BACKWARDS, name));
    }
}

#[test]
fn other_iterations_are_seen() {
    let all = [
        "for (i = 0; i < n; i += 2) s += v[i]; for (i = 3; i < n; i += 2)",
        "for (i = n; i-- > 1; )",
        "for (i = 0; i + 1 < n; i++)",
        "for (i = 0; i < n; i += 2) s += v[i]; for (i = 0; i < n; i += 2)",
    ];
    for other in all.into_iter().take(cases(1)) {
        not_proved(&sum(FORWARDS, "s += v[i]"), &sum(other, "s += v[i]"));
    }
}

/// Sums over a grid.
fn grid(outer: &str, inner: &str, work: &str) -> String {
    format!(
        "unsigned f(unsigned char w, unsigned char h) {{ unsigned x, y, s = 0;
        {outer} {inner} {work}; return s; }}"
    )
}

#[test]
fn interchanged_loops() {
    let (xs, ys) = ("for (x = 0; x < w; x++)", "for (y = 0; y < h; y++)");
    in_another_order(&grid(xs, ys, "s += x * 7 ^ y"), &grid(ys, xs, "s += x * 7 ^ y"));
    not_proved(&grid(xs, ys, "s = s * 3 + x"), &grid(ys, xs, "s = s * 3 + x"));
    not_proved(&grid(xs, ys, "s += x * 7 ^ y"), &grid(ys, xs, "s += y * 7 ^ x"));
    // Only a part of the square, from the other corner.
    let triangle = ["for (x = 0; x < w; x++)", "for (y = 0; y <= x; y++)"];
    let turned = ["for (y = 0; y < w; y++)", "for (x = y; x < w; x++)"];
    let other = ["for (y = 0; y < w; y++)", "for (x = y + 1; x < w; x++)"];
    let of = |[outer, inner]: [&str; 2]| grid(outer, inner, "s += x * 7 ^ y");
    in_another_order(&of(triangle), &of(turned));
    not_proved(&of(triangle), &of(other));
}

/// Stores to arrays, with this loop.
fn stores(qualified: &str, of: &str, work: &str) -> String {
    format!(
        "void f(char *{qualified} a, const char *{qualified} b, unsigned short n) {{
        unsigned i; {of} {work}; }}"
    )
}

#[test]
fn stores_in_another_order() {
    in_another_order(&stores("", FORWARDS, "a[i] = 7"), &stores("", BACKWARDS, "a[i] = 7"));
    in_another_order(&stores("", FORWARDS, "a[i] += i"), &stores("", BACKWARDS, "a[i] += i"));
    let copy = "a[i] = b[i]";
    in_another_order(&stores("restrict", FORWARDS, copy), &stores("restrict", BACKWARDS, copy));
    // They may overlap.
    not_proved(&stores("", FORWARDS, copy), &stores("", BACKWARDS, copy));
    let last = "a[i >> 1] = i";
    not_proved(&stores("", FORWARDS, last), &stores("", BACKWARDS, last));
    let shift = "a[i] = a[i + 1]";
    not_proved(&stores("", FORWARDS, shift), &stores("", BACKWARDS, shift));
}

#[test]
fn two_iterations_change_places() {
    let of = |guard: &str, index: &str| {
        format!(
            "unsigned f(const unsigned char *v, unsigned short n, unsigned short a, unsigned short b) {{
            unsigned i, s = 0; if ({guard}) return 0;
            for (i = 0; i < n; i++) s += v[{index}]; return s; }}"
        )
    };
    let guard = "a >= n || b >= n";
    in_another_order(&of(guard, "i"), &of(guard, "i == a ? b : i == b ? a : i"));
    // One is met twice, or none is: the other one may be no iteration.
    not_proved(&of(guard, "i"), &of(guard, "i == a ? b : i"));
    not_proved(&of("a >= n", "i"), &of("a >= n", "i == a ? b : i == b ? a : i"));
}

#[test]
fn what_is_not_accessed_may_alias() {
    // Where `c` is zero, nothing is known of `a + i`.
    let of = |of: &str| {
        format!(
            "int f(char *restrict a, char *restrict b, unsigned char c, unsigned short n) {{
            unsigned i; int s = 0; {of} {{ if (c) a[i] = 1; s += &a[i] == &b[0]; }} return s; }}"
        )
    };
    let without = of(FORWARDS).replace("s += &a[i] == &b[0];", "");
    not_proved(&of(FORWARDS), &without);
}

#[test]
fn traps_of_another_kind_are_seen() {
    // The first read of nothing is elsewhere; a division by zero may come before or behind it.
    let of = |of: &str| {
        format!(
            "int f(const int *v, int k, unsigned char n) {{ int i, s = 0;
            {of} s += i == 3 ? 9 / k : v[i]; return s; }}"
        )
    };
    not_proved(&of("for (i = 0; i < n; i++)"), &of("for (i = n - 1; i >= 0; i--)"));
}

/// A loop nest over two counters that updates a variable or an array, in some order.
fn random_nest(dice: &mut Dice, work: &str) -> String {
    let mut counted = |name: &str, bound: &str| {
        let start = dice.pick(&["0", "0", "0", "0", "0", "0", "0", "1"]);
        match dice.pick(&["up", "up", "up", "down", "down", "down", "further"]) {
            "up" => format!("for ({name} = {start}; {name} < {bound}; {name}++)"),
            "down" => format!("for ({name} = {bound}; {name}-- > {start}; )"),
            _ => format!("for ({name} = {start}; {name} <= {bound}; {name}++)"),
        }
    };
    let (i, j) = (counted("i", "n"), counted("j", "k"));
    let loops = match dice.pick(&["rows", "rows", "columns", "columns", "one"]) {
        "rows" => format!("{i} {j} {work};"),
        "columns" => format!("{j} {i} {work};"),
        _ => format!("j = 0; {i} {work};"),
    };
    format!(
        "unsigned f(unsigned char *a, unsigned char n, unsigned char k) {{
        int i, j; unsigned s = 0; {loops} return s; }}"
    )
}

/// Whatever is proved is so: checked by running both versions from states with small arrays.
#[test]
fn random_pairs_of_nests() {
    let mut dice = Dice(23);
    let (mut equal, mut runs) = (0, 0);
    for _ in 0..cases(10) {
        let work = dice.pick(&[
            "s += i * 5 ^ j",
            "s ^= a[i] * j",
            "s = s * 2 + j",
            "a[i] = i",
            "a[i] = j",
            "a[j] += i",
            "if (a[i] > s) s = a[i]",
            "s += a[i], a[i] = 3",
            "a[i & 3] ^= j",
            "a[i] = a[j]",
        ]);
        let (old, new) = (random_nest(&mut dice, work), random_nest(&mut dice, work));
        let Some(agreed) = runs_if_proved(&old, &new, Effort::millis(300), 300) else { continue };
        equal += 1;
        runs += agreed;
    }
    assert!(equal > 0 && runs > 50, "nothing was proved, or nothing was run");
}
