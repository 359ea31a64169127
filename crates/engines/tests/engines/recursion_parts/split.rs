//! Loops that compute several things, taken apart.

use super::{not_proved, proved, rule};

const ONE: &str = "int f(int n) { int i, a = 0, b = 1; for (i = 0; i < n; i++) { a ^= i; b += 2 * i; } return a * b; }";

#[test]
fn one_loop_against_two() {
    let two = "int f(int n) { int i, a = 0, b = 1; for (i = 0; i < n; i++) a ^= i; for (i = 0; i < n; i++) b += 2 * i; return a * b; }";
    assert_eq!(rule(ONE, two).as_deref(), Some("part-eq"));
    proved(two, ONE);
    not_proved(ONE, &two.replace("b += 2 * i", "b += 2 * i + 1"));
    not_proved(ONE, &two.replace("b = 1; for (i = 0", "b = 1; for (i = 1"));
}

#[test]
fn what_depends_on_the_other_is_not_taken_apart() {
    not_proved(
        "int f(int n) { int i, a = 0, b = 1; for (i = 0; i < n; i++) { a ^= i; b += a; } return a * b; }",
        "int f(int n) { int i, a = 0, b = 1; for (i = 0; i < n; i++) a ^= i; for (i = 0; i < n; i++) b += a; return a * b; }",
    );
}

/// A read that may trap belongs to every part.
#[test]
fn reads_may_trap() {
    let one = "int f(const int *p, int n) { int i, a = 0, b = 0; for (i = 0; i < n; i++) { a ^= p[i]; b += i; } return a * b; }";
    let two = "int f(const int *p, int n) { int i, a = 0, b = 0; for (i = 0; i < n; i++) a ^= p[i]; for (i = 0; i < n; i++) b += i; return a * b; }";
    proved(one, two);
    not_proved(one, &two.replace("a ^= p[i]", "a ^= p[i + 1]"));
}

/// What is volatile is read as often as it says.
#[test]
fn volatile_reads_are_not_made_twice() {
    let one = "int f(volatile int *p, int n) { int i, a = 0, b = 0; for (i = 0; i < n; i++) { int v = *p; a ^= v; b += v; } return a * b; }";
    let two = "int f(volatile int *p, int n) { int i, a = 0, b = 0; for (i = 0; i < n; i++) { int v = *p; a ^= v; } for (i = 0; i < n; i++) { int v = *p; b += v; } return a * b; }";
    not_proved(one, two);
}

/// A variable that may be without a value is read in one version only.
#[test]
fn variables_without_a_value() {
    let old = "int f(int n, int k) { int i, s; if (k) s = 0; for (i = 0; i < n; i++) if (k & i) s += i; return k ? s : 0; }";
    let new = "int f(int n, int k) { int i, s; if (k) s = 0; for (i = 0; i < n; i++) s += k & i ? i : 0; return k ? s : 0; }";
    not_proved(old, new);
    let set = |text: &str| text.replace("if (k) s = 0", "s = 0");
    proved(&set(old), &set(new));
}
