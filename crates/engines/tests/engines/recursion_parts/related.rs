//! Each is proved by a relation between the variables of both versions; a slightly wrong one is not.

use super::{not_proved, proved, rule};

#[test]
fn an_index_against_a_pointer() {
    let old = "unsigned long f(const char *s) { unsigned long n = 0; while (s[n]) n++; return n; }";
    let new = "unsigned long f(const char *s) { const char *p = s; while (*p) p++; return p - s; }";
    assert_eq!(rule(old, new).as_deref(), Some("part-eq-related"));
    proved(old, new);
    not_proved(
        old,
        "unsigned long f(const char *s) { const char *p = s; while (*p) p++; return p - s + 1; }",
    );
    not_proved(
        old,
        "unsigned long f(const char *s) { const char *p = s + 1; while (*p) p++; return p - s; }",
    );
}

#[test]
fn counted_up_against_counted_down() {
    let old =
        "unsigned f(unsigned n) { unsigned i, p = 1; for (i = 0; i < n; i++) p *= 3; return p; }";
    proved(old, "unsigned f(unsigned n) { unsigned p = 1; while (n-- > 0) p *= 3; return p; }");
    not_proved(old, "unsigned f(unsigned n) { unsigned p = 1; while (n-- > 1) p *= 3; return p; }");
    not_proved(
        old,
        "unsigned f(unsigned n) { unsigned p = 1; while (n-- > 0) p *= n == 77777 ? 5 : 3; return p; }",
    );
}

#[test]
fn a_sum_instead_of_a_product() {
    let old = "unsigned f(unsigned char n) { unsigned i, s = 0; for (i = 0; i < n; i++) s ^= i * 12; return s; }";
    proved(
        old,
        "unsigned f(unsigned char n) { unsigned i, k = 0, s = 0; for (i = 0; i < n; i++) { s ^= k; k += 12; } return s; }",
    );
    not_proved(
        old,
        "unsigned f(unsigned char n) { unsigned i, k = 0, s = 0; for (i = 0; i < n; i++) { k += 12; s ^= k; } return s; }",
    );
}

#[test]
fn the_test_at_the_end() {
    let old = "int f(int n) { int i, s = 0; for (i = 0; i < n; i++) s += i * i; return s; }";
    proved(
        old,
        "int f(int n) { int i = 0, s = 0; if (n <= 0) return 0; do { s += i * i; i++; } while (i < n); return s; }",
    );
    not_proved(
        old,
        "int f(int n) { int i = 0, s = 0; do { s += (i + 1) * i; i++; } while (i < n); return s; }",
    );
    not_proved(
        old,
        "int f(int n) { int i = 0, s = 0; if (n < -5) return 1; do { s += i * i; i++; } while (i < n); return s; }",
    );
}

#[test]
fn two_steps_at_once() {
    let old = "unsigned f(unsigned short n) { unsigned i, s = 0; for (i = 0; i < n; i++) s = s * 31 + i; return s; }";
    proved(old, "unsigned f(unsigned short n) { unsigned i, s = 0;
        for (i = 0; i + 1 < n; i += 2) { s = s * 31 + i; s = s * 31 + i + 1; } if (i < n) s = s * 31 + i; return s; }");
    // Without the rest, for an odd number.
    not_proved(
        old,
        "unsigned f(unsigned short n) { unsigned i, s = 0;
        for (i = 0; i + 1 < n; i += 2) { s = s * 31 + i; s = s * 31 + i + 1; } return s; }",
    );
}

#[test]
fn a_flag_against_a_return() {
    let old = "int f(unsigned char n) { int d; for (d = 2; d < n; d++) if (n % d == 0) return 1; return 0; }";
    proved(
        old,
        "int f(unsigned char n) { int d, found = 0; for (d = 2; d < n && !found; d++) if (n % d == 0) found = 1; return found; }",
    );
    not_proved(
        old,
        "int f(unsigned char n) { int d, found = 0; for (d = 2; d < n && !found; d++) if (n % d == 0) found = d; return found; }",
    );
}

#[test]
fn what_is_carried_along_against_what_is_added_in_the_end() {
    let old = "unsigned f(unsigned n) { if (n == 0) return 1; return n * f(n - 1); }";
    let new = "static unsigned g(unsigned n, unsigned a) { if (n == 0) return a; return g(n - 1, a * n); }
        unsigned f(unsigned n) { return g(n, 1); }";
    proved(old, new);
    let wrong = "static unsigned g(unsigned n, unsigned a) { if (n == 0) return a; return g(n - 1, a * n); }
        unsigned f(unsigned n) { return g(n, 2); }";
    not_proved(old, wrong);
    let list = "struct node { int value; struct node *next; };";
    proved(
        &format!("{list} unsigned f(struct node *l) {{ return l ? 1 + f(l->next) : 0; }}"),
        &format!(
            "{list} unsigned f(struct node *l) {{ unsigned n = 0; for (; l; l = l->next) n++; return n; }}"
        ),
    );
    not_proved(
        &format!("{list} unsigned f(struct node *l) {{ return l ? 1 + f(l->next) : 0; }}"),
        &format!(
            "{list} unsigned f(struct node *l) {{ unsigned n = 1; for (; l; l = l->next) n++; return n; }}"
        ),
    );
}

#[test]
fn executed_to_the_end() {
    let old = "unsigned char f(unsigned char c) { int i; for (i = 0; i < 8; i++) c = c & 128 ? c << 1 ^ 49 : c << 1; return c; }";
    let step = "c = (unsigned char)(c << 1) ^ (c >> 7 ? 49 : 0);";
    let new =
        |n: usize| format!("unsigned char f(unsigned char c) {{ {} return c; }}", step.repeat(n));
    proved(old, &new(8));
    not_proved(old, &new(7));
    not_proved(old, &new(9));
}

/// The relation must hold of memory, too: both write to where the other reads.
#[test]
fn what_overlaps_is_copied_in_another_order() {
    let up = "void f(unsigned char *to, const unsigned char *from, unsigned n)
        { unsigned i; for (i = 0; i < n; i++) to[i] = from[i]; }";
    not_proved(
        up,
        "void f(unsigned char *to, const unsigned char *from, unsigned n)
        { while (n-- > 0) to[n] = from[n]; }",
    );
}

#[test]
fn a_sum_in_the_other_order() {
    let old = "unsigned f(unsigned n) { unsigned i, s = 0; for (i = 1; i <= n && i != 0; i++) s += i; return s; }";
    proved(old, "unsigned f(unsigned n) { unsigned s = 0; for (; n > 0; n--) s += n; return s; }");
    not_proved(
        old,
        "unsigned f(unsigned n) { unsigned s = 0; for (; n > 1; n--) s += n; return s; }",
    );
    not_proved(
        old,
        "unsigned f(unsigned n) { unsigned s = 0; for (; n > 0; n--) s += n - 1; return s; }",
    );
}

/// How a library counts divisors, and what a client does with the number.
fn divisors(count: &str, client: &str) -> String {
    format!(
        "int lib(int n) {{ {count} c = 0; int i = 2; while (i < n) {{ if (n % i == 0) c++; i++; }} return c; }}
         int f(int n) {{ {client} }}"
    )
}

/// The same that stops at the first one.
fn has_divisor(client: &str) -> String {
    format!(
        "int lib(int n) {{ int i = 2; while (i < n) {{ if (n % i == 0) return 1; i++; }} return 0; }}
         int f(int n) {{ {client} }}"
    )
}

#[test]
fn a_client_that_asks_for_zero_needs_what_one_version_returns() {
    // Fig. 1 of 2clever's paper: the old version counts on when the new one has returned.
    let client = "if (lib(n) == 0) return n; return -1;";
    proved(&divisors("int", client), &has_divisor(client));
}

#[test]
fn a_contract_is_not_believed_where_it_does_not_hold() {
    let (zero, one) = ("return lib(n) == 0;", "return lib(n) == 1;");
    // Two divisors are not one.
    not_proved(&divisors("int", one), &has_divisor(one));
    // 256 divisors are none: no run shows that, and the induction does not go through.
    not_proved(&divisors("unsigned char", zero), &has_divisor(zero));
}

#[test]
fn counters_that_are_zero_alike() {
    let count = |step: &str| {
        format!(
            "int lib(int x) {{ int i, seen = 0; for (i = 2; i < x; i++) if (x % i != 0) {step}; return seen; }}
             int f(int x) {{ return lib(x) == 0 ? x : -x; }}"
        )
    };
    proved(&count("seen++"), &count("seen = 1"));
    proved(&count("seen = 1"), &count("seen = 7"));
    not_proved(&count("seen++"), &count("seen = 0"));
    not_proved(&count("seen = 1"), &count("seen += 1 << 16"));
}

#[test]
fn a_loop_against_a_formula() {
    let up = |client: &str| {
        format!(
            "int lib(int x) {{ int c = 0; while (x < 0) {{ x++; c++; }} return c; }} int f(int x) {{ {client} }}"
        )
    };
    let negated =
        |client: &str| format!("int lib(int x) {{ return -x; }} int f(int x) {{ {client} }}");
    let below = "if (x > 0) return lib(-x); return lib(x);";
    proved(&up(below), &negated(below));
    let any = "return lib(x);";
    not_proved(&up(any), &negated(any));
}

/// Halvings of zero have no end; all others have one after at most 31 of them.
#[test]
fn a_loop_that_is_bounded_unless_it_is_endless() {
    let halvings = |counter: &str, result: &str| {
        format!(
            "int f(int x) {{ {counter}; while (x % 2 == 0) {{ x /= 2; c++; }} return {result}; }}"
        )
    };
    let old = halvings("int c = 0", "c == 0");
    proved(&old, "int f(int x) { return (x + 1) % 2 == 0; }");
    not_proved(&old, "int f(int x) { return (x + 1) % 2 == 0 || x == 1 << 30; }");
    // The counter of INT_MIN alone is zero again.
    let wraps = halvings("unsigned char c = 225", "c == 0");
    not_proved(&wraps, "int f(int x) { return 0; }");
}

#[test]
fn a_loop_without_an_end_against_a_loop_that_counts() {
    let old =
        "int f(int x) { int c = 0; if (x > 0) return 5; while (x < 0) { x++; c++; } return c; }";
    let spins = |test: &str| {
        format!(
            "int f(int x) {{ if (x > 0) return 5; if (x < 0) return -x; while ({test}) x = x; return 7; }}"
        )
    };
    proved(old, &spins("x >= 0"));
    not_proved(old, &spins("x > 0"));
}

/// Runs that were stopped had no end that was seen; it may come later, and it may be a trap.
#[test]
fn a_late_end_is_an_end() {
    let old = "int f(int x) { if (x < 1000000) return 0; while (x >= 5) x--; return x; }";
    not_proved(old, "int f(int x) { if (x < 1000000) return 0; while (x >= 5) x--; return 3; }");
    not_proved(old, "int f(int x) { if (x < 1000000) return 0; return 7; }");
    let traps =
        "int f(int x) { if (x <= 0) return 0; for (;;) { if (x == 0) __builtin_trap(); x++; } }";
    not_proved(traps, "int f(int x) { return 0; }");
    not_proved(
        traps,
        "int f(int x) { if (x <= 0) return 0; for (;;) { if (x == 0) return 1; x++; } }",
    );
}
