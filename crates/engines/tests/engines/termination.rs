//! What `termination` proves, and what it must not claim.

use crate::testing_support as support;

use std::rc::Rc;
use support::{compare_texts, pair_named, with_task};
use verdiff_engines::termination::Termination;
use verdiff_judge::{Budget, Comparison, Engine, Field, Findings, Side};
use verdiff_logic::effort::Effort;
use verdiff_logic::{Named, Names, Nature, TermPool, c_expression};
use verdiff_model::CType;
use verdiff_product::Facts;

fn findings(comparison: &Rc<Comparison>, function: &str) -> Findings {
    let pair = pair_named(comparison, function).unwrap();
    let budget = Budget::lasting(Effort::seconds(8), 1);
    with_task(comparison, pair, |task| {
        Termination::new(&Facts::of(comparison.clone())).run(task, &budget)
    })
}

/// A condition as C, `0` if nothing was added.
fn shown(
    comparison: &Rc<Comparison>,
    found: &Findings,
    wanted: impl Fn(&Field, &str) -> bool,
) -> String {
    let mut pool = TermPool::new();
    let mut parts = vec![pool.falsity(), pool.falsity()];
    for addition in &found.additions {
        if wanted(&addition.evidence.adds, addition.evidence.rule.name()) {
            parts.push(addition.formula.build(&mut pool).unwrap());
        }
    }
    let any = pool.or(&parts).unwrap();
    let any = pool.simplify(any);
    let program = comparison.program(Side::Old);
    let procedure = comparison.procedure(pair_named(comparison, "f").unwrap(), Side::Old);
    let mut signed = Names::default();
    for param in &procedure.params {
        let var = procedure.var(*param);
        if let (Some(symbol), Some(ctype)) = (pool.find_symbol(&var.name), var.ctype)
            && let CType::Int { signed: is, .. } = program.ctypes.get(program.ctypes.resolve(ctype))
        {
            let (code, nature) = (var.name.clone(), Nature::Number);
            let named = Named { code, signed: *is, nature, rank: 0 };
            signed.insert(pool.symbol_term(symbol), named);
        }
    }
    c_expression(&pool, any, &signed).unwrap_or_else(|| pool.display(any).to_string())
}

/// T, and S where only the old and only the new version ends.
fn conditions(old: &str, new: &str) -> [String; 3] {
    let comparison = compare_texts(old, new);
    let found = findings(&comparison, "f");
    [
        shown(&comparison, &found, |field, _| *field == Field::AlikeUnder),
        shown(&comparison, &found, |_, rule| rule == "only-old-ends"),
        shown(&comparison, &found, |_, rule| rule == "only-new-ends"),
    ]
}

#[track_caller]
fn check(old: &str, new: &str, alike: &str, only_old: &str, only_new: &str) {
    assert_eq!(conditions(old, new), [alike, only_old, only_new], "{old}\n{new}");
    // The other way round nothing but the sides change, and perhaps the order of what is said.
    let sorted = |text: &str| {
        let mut parts: Vec<String> = text.split(" && ").map(str::to_owned).collect();
        parts.sort();
        parts
    };
    let swapped = conditions(new, old).map(|c| sorted(&c));
    assert_eq!(swapped, [alike, only_new, only_old].map(sorted), "swapped: {old}\n{new}");
}

/// Both versions are this one: it always ends.
#[track_caller]
fn ends(text: &str) {
    assert_eq!(conditions(text, text), ["1", "0", "0"], "{text}");
}

/// That it always ends is not claimed.
#[track_caller]
fn open(text: &str) {
    let [alike, _, _] = conditions(text, text);
    assert_ne!(alike, "1", "{text}");
}

const RETURNS: &str = "int f(int n) { return n; }";

#[test]
fn loops_over_a_range_end() {
    ends("int f(int n) { int s = 0; for (int i = 0; i < n; i++) s += i; return s; }");
    ends("int f(int n) { int s = 0; for (int i = n; i > 0; i--) s += i; return s; }");
    ends("int f(int n) { int s = 0; for (int i = n; i >= 0; i--) s += i; return s; }");
    ends("unsigned f(unsigned n) { unsigned s = 0; while (n--) s += n; return s; }");
    ends("int f(int n) { int s = 0; for (int i = 0; i <= 10; i++) s += n; return s; }");
    ends("int f(int n) { int s = 0; for (int i = 0; i != n; i++) s += i; return s; }");
    ends("int f(int n) { int s = 0; for (int i = n; i > 0; i -= 3) s += i; return s; }");
    ends("int f(void) { int s = 0; for (unsigned char i = 0; i < 200; i += 3) s += i; return s; }");
    ends("int f(int n) { for (;;) { if (n <= 7) break; n--; } return n; }");
}

#[test]
fn numbers_that_get_smaller_end() {
    ends("int f(unsigned x) { int c = 0; while (x) { c += x & 1; x >>= 1; } return c; }");
    ends("int f(unsigned x) { int c = 0; while (x) { c++; x &= x - 1; } return c; }");
    ends("int f(unsigned x) { int c = 0; do { c++; x /= 10; } while (x); return c; }");
    ends("int f(int x) { int c = 0; while (x != 0) { c++; x /= 10; } return c; }");
    ends(
        "unsigned f(unsigned a, unsigned b) { while (b) { unsigned t = a % b; a = b; b = t; } return a; }",
    );
    ends("unsigned f(unsigned a, unsigned b) { return b == 0 ? a : f(b, a % b); }");
    ends("int f(int a, int b) { while (b != 0) { int t = a % b; a = b; b = t; } return a; }");
}

#[test]
fn nested_and_conditional_loops_end() {
    ends(
        "int f(int n, int m) { int s = 0; for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) s += i * j; return s; }",
    );
    ends(
        "int f(int n) { int s = 0; for (int i = 0; i < n; i++) for (int j = i; j > 0; j--) s++; return s; }",
    );
    ends(
        "unsigned f(unsigned x, unsigned y) { while (x) { if (y) y--; else { x--; y = 1000; } } return y; }",
    );
    ends(
        "int f(int lo, int hi, int x) { while (lo < hi) { int m = lo + (int)((unsigned)(hi - lo) / 2); if (m < x) lo++; else hi--; } return lo; }",
    );
}

#[test]
fn recursion_ends() {
    ends("int f(int n) { return n <= 0 ? 0 : n + f(n - 1); }");
    ends("int f(int n) { return n < 2 ? n : f(n - 1) + f(n - 2); }");
    ends(
        "unsigned f(unsigned m, unsigned n) { if (!m) return n + 1; if (!n) return f(m - 1, 1); return f(m - 1, f(m, n - 1)); }",
    );
    ends(
        "int odd(unsigned n); int f(unsigned n) { return n == 0 ? 1 : odd(n - 1); } int odd(unsigned n) { return n == 0 ? 0 : f(n - 1); }",
    );
}

#[test]
fn loops_over_memory_end() {
    ends(
        "int f(int *v, int n) { int s = 0; for (int i = 0; i < n; i++) { s += v[i]; v[i] = s; } return s; }",
    );
    ends("unsigned long f(const char *s) { const char *p = s; while (*p) p++; return p - s; }");
    ends("int g; int f(void) { int c = 0; while (g > 0) { g--; c++; } return c; }");
    // A list may have a cycle.
    open(
        "struct node { struct node *next; }; int f(struct node *p) { int c = 0; while (p) { p = p->next; c++; } return c; }",
    );
    // The loop may overwrite its own bound: it ends if that is a limit, but it may be missed.
    ends("int g; void f(int *v) { for (int i = 0; i < g; i++) v[i] = 1000; }");
    open("int g; void f(int *v) { for (int i = 0; i != g; i++) v[i] = 1; }");
}

#[test]
fn counters_that_wrap_may_not_end() {
    check(
        "int f(int n) { int s = 0; for (int i = 0; i <= n; i++) s ^= i; return s; }",
        "int f(int n) { int s = 0; for (int i = 0; i < n + 1; i++) s ^= i; return s; }",
        "n != 2147483647",
        "0",
        "n == 2147483647",
    );
    check(
        "int f(unsigned char n) { int s = 0; for (unsigned char i = 0; i <= n; i++) s++; return s; }",
        "int f(unsigned char n) { return n + 1; }",
        "n != 255",
        "0",
        "n == 255",
    );
    check(
        "unsigned f(unsigned n) { unsigned c = 0; for (unsigned char i = 0; i < n; i++) c += 2; return c; }",
        "unsigned f(unsigned n) { unsigned c = 0; for (unsigned i = 0; i < n; i++) c += 2; return c; }",
        "n < 256",
        "0",
        "n >= 256",
    );
}

#[test]
fn steps_that_miss_their_bound() {
    check(
        "int f(int n) { int s = 0; for (int i = 0; i != n; i += 2) s++; return s; }",
        RETURNS,
        "(n & 1) != 1",
        "0",
        "(n & 1) == 1",
    );
    check(
        "int f(int n) { int s = 0; for (int i = 0; i < n; i += 2) s++; return s; }",
        RETURNS,
        "n != 2147483647",
        "0",
        "n == 2147483647",
    );
}

#[test]
fn hangs_are_found_with_their_condition() {
    check(
        "int f(int x) { if (x < 0) return -1; if (x >= 2) return x; while (x == 2) x = 2; x = 3; return x; }",
        "int f(int x) { if (x < 0) return -1; if (x > 4) return x; while (x == 2) x = 2; x = 3; return x; }",
        "x != 2",
        "x == 2",
        "0",
    );
    check(
        "unsigned f(unsigned a, unsigned b) { return b == 0 ? a : a % b; }",
        "unsigned f(unsigned a, unsigned b) { while (a >= b) a -= b; return a; }",
        "b != 0",
        "b == 0",
        "0",
    );
    check(
        "int f(unsigned x) { int c = 0; while (x) { c += x & 1; x >>= 1; } return c; }",
        "int f(unsigned x) { int c = 0, v = (int)x; while (v) { c += v & 1; v >>= 1; } return c; }",
        "x < 2147483648",
        "x >= 2147483648",
        "0",
    );
    check(
        "int f(int p) { while (p != 0) { } return 3; }",
        "int f(int p) { while (p != 1) { } return 5; }",
        "p != 0 && p != 1",
        "p == 0",
        "p == 1",
    );
    check(
        "int f(int n) { int s = 0; for (int i = 0; i < n; i++) { if (i % 2 == 0) continue; s += i; } return s; }",
        "int f(int n) { int i = 0, s = 0; while (i < n) { if (i % 2 == 0) continue; s += i; i++; } return s; }",
        "n <= 0",
        "n > 0",
        "0",
    );
}

/// The second loop begins with whatever the first one leaves, of which nothing is known; that the first one hangs is known all the same.
#[test]
fn the_first_of_two_loops_hangs() {
    let ends = "int f(unsigned x) { int n = 0; if (x == 0) return 32; for (; (x & 1) == 0; x >>= 1) n++; return n; }";
    let two = |first: &str| {
        format!(
            "int f(unsigned x) {{ int n = 0; {first} for (; (x & 255) == 0; x >>= 8) n += 8; for (; (x & 1) == 0; x >>= 1) n++; return n; }}"
        )
    };
    check(ends, &two(""), "0", "x == 0", "0");
    check(ends, &two("if (x == 0) return 32;"), "0", "0", "0");
    // Where only the second one might hang, that depends on the first.
    check(ends, &two("x |= 256;"), "0", "0", "0");
}

#[test]
fn callees_that_hang() {
    let hang =
        "static void spin(void) { for (;;) { } } int f(int x) { if (x > 9) spin(); return 0; }";
    check(hang, hang, "1", "0", "0");
    check(hang, "int f(int x) { return 0; }", "x < 10", "0", "x >= 10");
}

#[test]
fn what_is_not_known_is_not_claimed() {
    open(
        "unsigned f(unsigned n) { unsigned c = 0; while (n != 1) { n = n & 1 ? 3 * n + 1 : n / 2; c++; } return c; }",
    );
    open("int wait_for(int); int f(int n) { while (n > 0) n -= wait_for(n); return n; }");
    open("int wait_for(int); int f(int n) { for (int i = 0; i < n; i++) wait_for(i); return n; }");
    open("int f(int n, int (*next)(int)) { while (n > 0) n = next(n); return n; }");
    // Subtracting zero never ends.
    open(
        "unsigned f(unsigned a, unsigned b) { while (a != b) { if (a > b) a -= b; else b -= a; } return a; }",
    );
    // It would end if multiplication did not wrap.
    open("unsigned f(unsigned n) { unsigned r = 1; while (r < n) r *= 3; return r; }");
    // A float may stop getting smaller before it is zero.
    open("int f(float x) { int c = 0; while (x > 0) { x -= 1; c++; } return c; }");
}
