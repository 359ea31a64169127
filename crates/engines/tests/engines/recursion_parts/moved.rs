//! Loops that changed places, or moved into a callee and past other loops.

use super::{not_proved, proved, rule};

const SQUARES: &str = "for (i = 0; i < n; i++) s += i * i;";
const PRODUCT: &str = "for (j = 1; j < m; j++) p *= j | 1;";

fn function(globals: &str, first: &str, second: &str) -> String {
    format!(
        "{globals} unsigned f(unsigned n, unsigned m) {{ unsigned i, j, s = 0, p = 1; {first} {second} return s ^ p; }}"
    )
}

#[test]
fn independent_loops_in_the_other_order() {
    let (old, new) = (function("", SQUARES, PRODUCT), function("", PRODUCT, SQUARES));
    assert_eq!(rule(&old, &new).as_deref(), Some("part-eq"));
    proved(&old, &new);
    not_proved(&old, &new.replace("j = 1", "j = 0"));
    not_proved(&old, &new.replace("i * i", "i * j"));
    // What the first leaves is where the second begins.
    let carries = |text: &str| text.replace("j = 1;", "j = s;");
    not_proved(&carries(&old), &carries(&new));
}

#[test]
fn a_loop_that_moved_into_a_callee_and_past_another_loop() {
    let old = function("", SQUARES, PRODUCT);
    let callee =
        format!("static unsigned squares(unsigned n) {{ unsigned i, s = 0; {SQUARES} return s; }}");
    let new = function(&callee, PRODUCT, "s = squares(n);");
    proved(&old, &new);
    not_proved(&old, &new.replace("squares(n);", "squares(p);"));
    not_proved(&old, &new.replace("i = 0; i < n", "i = 0; i + 1 < n"));
}

/// Loops that write what the other reads or writes, or that both print, stay in their order.
#[test]
fn loops_that_depend_on_each_other() {
    let globals = "extern int putchar(int); static unsigned g[4]; unsigned t;";
    for [a, b] in [
        ["for (i = 0; i < n; i++) t += i;", "for (j = 0; j < m; j++) p += t;"],
        ["for (i = 0; i < n; i++) t += i;", "for (j = 0; j < m; j++) t *= 3;"],
        ["for (i = 0; i < n; i++) g[i & 3] = i;", "for (j = 0; j < m; j++) g[j & 3] = 7 * j;"],
        ["for (i = 0; i < n; i++) putchar('a');", "for (j = 0; j < m; j++) putchar('b');"],
    ] {
        let end = "t += g[1] ^ g[2];";
        let of = |a: &str, b: &str| function(globals, a, &format!("{b} {end}"));
        not_proved(&of(a, b), &of(b, a));
    }
}
