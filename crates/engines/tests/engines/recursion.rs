//! Pairs that `recursion` proves, and pairs that it must not prove.

#[path = "recursion_parts/every_call.rs"]
mod every_call;
#[path = "recursion_parts/moved.rs"]
mod moved;
#[path = "recursion_parts/partition.rs"]
mod partition;
#[path = "recursion_parts/related.rs"]
mod related;
#[path = "recursion_parts/split.rs"]
mod split;
use crate::testing_support as support;

use std::rc::Rc;
use support::{Case, compare_texts, corpus, is_in_part, pair_named, percent, with_task};
use verdiff_engines::recursion::Recursion;
use verdiff_judge::{Budget, Comparison, Engine, Field, Findings};
use verdiff_logic::effort::Effort;
use verdiff_product::Facts;
use verdiff_report::proof_sentence;

fn findings(comparison: &Rc<Comparison>, function: &str, time: Effort) -> Findings {
    let pair = pair_named(comparison, function).unwrap();
    let budget = Budget::lasting(time, 1);
    with_task(comparison, pair, |task| {
        Recursion::new(&Facts::of(comparison.clone())).run(task, &budget)
    })
}

/// The rule by which `f` is proved, if it is.
fn rule(old: &str, new: &str) -> Option<String> {
    // Long enough for a busy machine.
    rule_within(old, new, Effort::seconds(40))
}

fn rule_within(old: &str, new: &str, time: Effort) -> Option<String> {
    let comparison = compare_texts(old, new);
    let found = findings(&comparison, "f", time);
    let addition = found.additions.into_iter().find(|a| a.evidence.adds == Field::EqualUnder)?;
    assert!(addition.formula.is_true());
    assert!(!addition.evidence.obligations.is_empty(), "a proof without obligations");
    Some(addition.evidence.rule.name().to_owned())
}

#[track_caller]
fn proved(old: &str, new: &str) {
    assert!(rule(old, new).is_some(), "not proved:\n{old}\n{new}");
    // The other way round, too.
    assert!(rule(new, old).is_some(), "not proved when swapped:\n{old}\n{new}");
}

/// What is spent on a pair that must not be proved: all of it. Not less: several proofs by a relation between variables take
/// more than 300 ms, and some more than this. `cargo xtask soak` tries for much longer.
fn in_vain() -> Effort {
    Effort::millis(800) * (percent() as u64).max(100) / 100
}

#[track_caller]
fn not_proved(old: &str, new: &str) {
    let time = in_vain();
    // In one order, which the texts decide; in both with `cargo xtask soak`.
    let sum: u32 = old.bytes().chain(new.bytes()).map(u32::from).sum();
    let both = percent() > 100;
    if both || sum.is_multiple_of(2) {
        assert_eq!(rule_within(old, new, time), None, "{old}\n{new}");
    }
    if both || !sum.is_multiple_of(2) {
        assert_eq!(rule_within(new, old, time), None, "swapped: {old}\n{new}");
    }
}

#[test]
fn plain_recursion_is_proved_by_part_eq() {
    let old = "int f(int n) { if (n <= 1) return n; return n + f(n - 1); }";
    let new = "int f(int n) { if (n > 1) return f(n - 1) + n; return n; }";
    assert_eq!(rule(old, new).as_deref(), Some("part-eq"));
    not_proved(old, "int f(int n) { if (n > 1) return f(n - 1) + n; return 1; }");
    not_proved(old, "int f(int n) { if (n > 1) return f(n - 2) + n; return n; }");
}

#[test]
fn another_base_case_needs_the_leaf_rule() {
    let old = "int f(int n) { if (n <= 0) return 0; return n + f(n - 1); }";
    let new = "int f(int n) { if (n <= 0) return 0; if (n == 1) return 1; return n + f(n - 1); }";
    assert_eq!(rule(old, new).as_deref(), Some("part-eq-leaf"));
    not_proved(
        old,
        "int f(int n) { if (n <= 0) return 0; if (n == 1) return 2; return n + f(n - 1); }",
    );
}

#[test]
fn calls_are_unfolded_where_the_versions_are_not_in_step() {
    let old = "int f(int n) { if (n < 1) return 0; if (n <= 2) return 1;
        return f(n - 2) + f(n - 2) + f(n - 3); }";
    let new =
        "int f(int n) { if (n < 1) return 0; if (n <= 2) return 1; return f(n - 1) + f(n - 2); }";
    assert_eq!(rule(old, new).as_deref(), Some("part-eq-unrolled"));
    let wrong =
        "int f(int n) { if (n < 1) return 0; if (n <= 2) return 1; return f(n - 1) + f(n - 3); }";
    not_proved(old, wrong);
}

#[test]
fn loops_are_coupled_and_their_variables_matched() {
    let old = "unsigned f(unsigned n) { unsigned s = 0, i; for (i = 0; i < n; i++) s += i * i; return s; }";
    let renamed = "unsigned f(unsigned n)
        { unsigned k = 0, t = 0; while (k < n) { t = t + k * k; k++; } return t; }";
    proved(old, renamed);
    not_proved(
        old,
        "unsigned f(unsigned n)
        { unsigned k = 0, t = 0; while (k <= n) { t = t + k * k; k++; } return t; }",
    );
    not_proved(
        old,
        "unsigned f(unsigned n)
        { unsigned k = 0, t = 0; while (k < n) { t = t + k * k; k += 2; } return t; }",
    );
}

#[test]
fn nested_loops_and_early_exits() {
    let old = "int f(int n, int m) { int i, j, s = 0;
        for (i = 0; i < n; i++) { for (j = 0; j < m; j++) { if (s > 1000) return -1; s += i * j; } } return s; }";
    let new = "int f(int n, int m) { int s = 0, i = 0;
        while (i < n) { int j = 0; while (j < m) { if (s > 1000) return -1; s = i * j + s; j++; } i++; } return s; }";
    proved(old, new);
    not_proved(old, "int f(int n, int m) { int s = 0, i = 0;
        while (i < n) { int j = 0; while (j < m) { if (s > 1000) return -2; s = i * j + s; j++; } i++; } return s; }");
}

#[test]
fn loops_over_memory_and_output() {
    let old = "#include <stdio.h>
        void f(int *v, int n) { int i; for (i = 0; i < n; i++) { v[i] = v[i] * 2; putchar(v[i]); } }";
    let new = "#include <stdio.h>
        void f(int *v, int n) { int i = 0; while (i < n) { int x = v[i]; v[i] = x + x; putchar(v[i]); i++; } }";
    proved(old, new);
    not_proved(old, "#include <stdio.h>
        void f(int *v, int n) { int i = 0; while (i < n) { int x = v[i]; putchar(x + x); v[i] = x; i++; } }");
}

#[test]
fn what_is_printed_in_a_loop() {
    let old = "#include <stdio.h>
        void f(int n) { int i; for (i = 0; i < n; i++) printf(\"%d\\n\", i * 2); }";
    proved(
        old,
        "#include <stdio.h>
        void f(int n) { int i = 0; while (i < n) { printf(\"%d\\n\", i + i); i++; } }",
    );
    not_proved(
        old,
        "#include <stdio.h>
        void f(int n) { int i = 0; while (i < n) { printf(\"%d \", i + i); i++; } }",
    );
}

#[test]
fn mutual_recursion_and_what_one_version_inlined() {
    let old = "static int odd(unsigned n);
        int f(unsigned n) { if (n == 0) return 1; return odd(n - 1); }
        static int odd(unsigned n) { if (n == 0) return 0; return f(n - 1); }";
    proved(
        old,
        "int f(unsigned n) { if (n == 0) return 1; if (n == 1) return 0; return f(n - 2); }",
    );
    proved(old, "int f(unsigned n) { return n % 2 == 0; }");
    not_proved(
        old,
        "int f(unsigned n) { if (n == 0) return 1; if (n == 1) return 1; return f(n - 2); }",
    );
    not_proved(old, "int f(unsigned n) { return n % 2 == 1; }");
}

#[test]
fn a_recursion_and_a_loop() {
    let old = "unsigned f(unsigned a, unsigned b) { if (b == 0) return a; return f(b, a % b); }";
    let new = "unsigned f(unsigned a, unsigned b)
        { while (b != 0) { unsigned r = a % b; a = b; b = r; } return a; }";
    proved(old, new);
    not_proved(
        old,
        "unsigned f(unsigned a, unsigned b)
        { while (b > 1) { unsigned r = a % b; a = b; b = r; } return a; }",
    );
}

/// docs/internals/engines.md: the step path is "proved" from a false hypothesis.
#[test]
fn a_false_hypothesis_proves_nothing() {
    not_proved(
        "int f(int n) { if (n == 0) return 0; return f(n - 1); }",
        "int f(int n) { if (n == 0) return 1; return f(n - 1); }",
    );
}

/// docs/internals/engines.md: two calls of one side must not be identified.
#[test]
fn two_calls_of_one_side_are_two_calls() {
    not_proved(
        "int f(int n, int k) { if (n <= 0) return k; return f(n - 1, 0) - f(n - 1, 1); }",
        "int f(int n, int k) { if (n <= 0) return k; return f(n - 1, 0) - f(n - 1, 0); }",
    );
    // The version of docs/internals/engines.md: it never returns from its base, so U is valid; but not 0.
    not_proved(
        "static int m(int n, int k) { if (n <= 0) return k; return m(n - 1, 0) - m(n - 1, 1); }
         int f(void) { return m(1, 0); }",
        "static int m(int n, int k) { if (n <= 0) return m(n, k); return m(n - 1, 0) - m(n - 1, 1); }
         int f(void) { return 0; }",
    );
}

/// docs/internals/engines.md: same call sets under a common function, yet one hangs: nothing may be said of T.
#[test]
fn equal_calls_are_not_equal_ends() {
    let old = "int f(int n) { if (n == 0) return 0; int r = f(n - 1); return r == 1 ? f(n) : r; }";
    let new = "int f(int n) { if (n == 0) return 1; int r = f(n - 1); return r == 1 ? f(n) : r; }";
    let comparison = compare_texts(old, new);
    let found = findings(&comparison, "f", Effort::seconds(5));
    assert!(found.additions.iter().all(|a| a.evidence.adds != Field::AlikeUnder));
    not_proved(old, new);
}

#[test]
fn the_proof_says_what_is_called() {
    let old = "int f(int n) { if (n < 2) return n; return f(n - 1) + f(n - 2); }";
    let said = |new: &str| {
        let found = findings(&compare_texts(old, new), "f", Effort::seconds(20));
        proof_sentence(&found.additions[0].evidence.rule)
    };
    let same = said("int f(int n) { if (n < 2) return n; return f(n - 2) + f(n - 1); }");
    assert!(same.contains("both versions call f(n - 1) and f(n - 2);"), "{same}");
    let unfolded = "int f(int n) { if (n < 2) return n; if (n == 2) return 1; return f(n - 2) + f(n - 3) + f(n - 2); }";
    let other = said(unfolded);
    let calls = "the old version calls f(n - 1) and f(n - 2), the new one f(n - 2) and f(n - 3);";
    assert!(other.contains(calls), "{other}");
    assert!(other.contains("unfolding"), "{other}");
}

/// A call whose outputs nobody uses is dropped if it can do nothing else; whether it ends counts for T alone.
#[test]
fn unused_calls_are_dropped_if_they_do_nothing() {
    let with = |base: &str, unused: &str| {
        format!(
            "int t[4], w; int f(int n) {{ if (n <= 0) {{ {base} }} {unused} return f(n - 1) + 1; }}"
        )
    };
    proved(&with("return 0;", "f(n - 2);"), &with("return 0;", ""));
    // It may trap, write, or say something.
    not_proved(&with("return t[n & 7];", "f(n - 2);"), &with("return t[n & 7];", ""));
    not_proved(&with("return w++;", "f(n - 2);"), &with("return w++;", ""));
    not_proved(
        &with("return putchar(0);", "f(n - 2);").replace("int t", "int putchar(int); int t"),
        &with("return putchar(0);", "").replace("int t", "int putchar(int); int t"),
    );
    // It may never end: equal wherever both end, and no more.
    let (old, new) = (with("return 0;", "f(n);"), with("return 0;", ""));
    let found = findings(&compare_texts(&old, &new), "f", Effort::seconds(10));
    assert!(found.additions.iter().any(|a| a.evidence.adds == Field::EqualUnder));
    assert!(found.additions.iter().all(|a| a.evidence.adds != Field::AlikeUnder));
}

/// docs/internals/engines.md: never both end, so U is valid of `g`, but `g(0)` and `g(1)` are not one call without arguments.
#[test]
fn what_never_both_ends_is_not_one_constant() {
    not_proved(
        "static int g(int p) { while (p != 0); return 3; } int f(void) { return g(0); }",
        "static int g(int p) { while (p != 1); return 5; } int f(void) { return g(1); }",
    );
}

#[test]
fn no_proof_depends_on_a_bound() {
    not_proved(
        "unsigned f(unsigned n) { if (n == 0) return 0; return f(n - 1) + 1; }",
        "unsigned f(unsigned n) { if (n == 0) return 0; if (n == 10000) return 9999; return f(n - 1) + 1; }",
    );
    not_proved(
        "unsigned f(unsigned n) { unsigned s = 0; while (n) { s += n; n--; } return s; }",
        "unsigned f(unsigned n) { unsigned s = 0, d = 0; while (n) { s += n; n--; d++; if (d == 10000) s++; } return s; }",
    );
}

/// A read that only one version makes traps where the object ends: entry states are taken to have
/// large enough objects, calls in the run are not.
#[test]
fn a_read_that_is_left_out_matters_where_objects_end() {
    let reads = "int a[4]; static int unused;
        int f(int *p, int n) { if (n <= 0) return 0; if (p[n] == 12345) n = n + 0; return f(a, n - 1); }";
    let plain = "int a[4]; static int unused;
        int f(int *p, int n) { if (n <= 0) return 0; return f(a, n - 1); }";
    not_proved(reads, plain);
    let walks = "int a[4];
        int f(int n) { int *p = a, s = 0; while (n > 0) { if (*p == 9) s = s + 0; p++; n--; } return s; }";
    not_proved(
        walks,
        "int a[4];
        int f(int n) { int *p = a, s = 0; while (n > 0) { p++; n--; } return s; }",
    );
}

/// The same for memory without a value.
#[test]
fn memory_without_a_value_is_not_read_for_nothing() {
    not_proved(
        "int f(int n) { int v[4]; int i, s = 0; for (i = 0; i < n; i++) { if (v[i & 3] == 1) s += 0; } return s; }",
        "int f(int n) { int v[4]; int i, s = 0; v[0] = 0; for (i = 0; i < n; i++) { } return s + v[0]; }",
    );
}

/// What is read as a number on one path and as a pointer on another may be any number.
#[test]
fn only_what_is_loaded_as_a_pointer_is_one() {
    let union = "union u { unsigned long number; union u *next; };
        struct node { int tag; union { unsigned long number; struct node *next; } u; };";
    let old = format!("{union} int f(struct node *l)
        {{ if (!l) return 0; if (l->tag == 1) return l->u.number > 0xf000000000000000; return f(l->u.next); }}");
    let new = format!(
        "{union} int f(struct node *l)
        {{ if (!l) return 0; if (l->tag == 1) return 0; return f(l->u.next); }}"
    );
    not_proved(&old, &new);
}

#[test]
fn fields_are_read_in_another_order() {
    let node = "struct node { int value; struct node *next; };";
    let old = format!(
        "{node} int f(struct node *l) {{ if (!l) return 0; return l->value + f(l->next); }}"
    );
    let new = format!(
        "{node} int f(struct node *l) {{ int r; if (!l) return 0; r = f(l->next); return r + l->value; }}"
    );
    proved(&old, &new);
}

#[test]
fn a_parameter_that_does_not_matter() {
    let old = "int f(int n, int mode) { if (n < 1) return 0; if (n <= 2) return 1;
        if (mode) return f(n - 2, !mode) + f(n - 2, !mode) + f(n - 3, !mode);
        return f(n - 1, !mode) + f(n - 2, !mode); }";
    let new = "int f(int n, int flag) { if (n < 1) return 0; if (n == 1) return 1;
        return f(n - 1, !flag) + f(n - 2, !flag); }";
    proved(old, new);
    not_proved(
        old,
        "int f(int n, int flag) { if (n < 1) return 0; if (n == 1) return 1;
        return f(n - 1, !flag) + f(n - 2, !flag) + (flag == 7); }",
    );
    // It is handed on only.
    proved(
        "int f(int n, int tag) { if (n <= 0) return 0; return 1 + f(n - 1, tag + 1); }",
        "int f(int n, int tag) { if (n <= 0) return 0; return 1 + f(n - 1, -tag); }",
    );
}

#[test]
fn what_was_hoisted_is_put_back() {
    let old = "unsigned f(unsigned n, unsigned a, unsigned b)
        { unsigned s = 0, i; for (i = 0; i < n; i++) s += a * b + i; return s; }";
    let new = "unsigned f(unsigned n, unsigned a, unsigned b)
        { unsigned k = a * b, s = 0, i; for (i = 0; i < n; i++) s += k + i; return s; }";
    proved(old, new);
    let late = "unsigned f(unsigned n, unsigned a, unsigned b)
        { unsigned k = a * b, s = 0, i; for (i = 0; i < n; i++) { s += k + i; k++; } return s; }";
    not_proved(old, late);
    let trap = "unsigned f(unsigned n, unsigned a, unsigned b)
        { unsigned k = a / b, s = 0, i; for (i = 0; i < n; i++) s += k + i; return s; }";
    not_proved(
        "unsigned f(unsigned n, unsigned a, unsigned b)
        { unsigned s = 0, i; for (i = 0; i < n; i++) s += a / b + i; return s; }",
        trap,
    );
}

#[test]
fn the_end_of_a_loop_may_be_in_it() {
    let old = "int f(const char *a, const char *b)
        { while (*a && *a == *b) { a++; b++; } return (unsigned char)*a - (unsigned char)*b; }";
    let new = "int f(const char *a, const char *b)
        { for (;;) { unsigned char x = (unsigned char)*a++, y = (unsigned char)*b++;
          if (x != y || x == 0) return x - y; } }";
    proved(old, new);
    not_proved(
        old,
        "int f(const char *a, const char *b)
        { for (;;) { unsigned char x = (unsigned char)*a++, y = (unsigned char)*b++;
          if (x != y || x == 0) return x > y; } }",
    );
}

#[test]
fn both_end_alike_where_they_make_the_same_calls() {
    let alike = |old: &str, new: &str| {
        let comparison = compare_texts(old, new);
        let found = findings(&comparison, "f", Effort::seconds(5));
        found.additions.iter().any(|a| a.evidence.adds == Field::AlikeUnder)
    };
    let old = "int f(int n) { if (n == 0) return 0; return f(n - 1); }";
    assert!(alike(old, "int f(int n) { int r = 0; if (n != 0) r = f(n - 1); return r; }"));
    // Equal where both end; but one ends sooner.
    let constant = "int f(int n) { return 0; }";
    assert!(rule(old, constant).is_some());
    assert!(!alike(old, constant));
    let spins = "int f(int n) { while (n != 0) { } return 3; }";
    assert!(!alike(spins, "int f(int n) { while (n != 1) { } return 5; }"));
    let by_two = "int f(int n) { if (n == 0) return 0; if (n == 1) return 0; return f(n - 2); }";
    assert!(!alike(old, by_two));
}

/// Two variables of one name are two variables.
#[test]
fn a_volatile_is_read_as_often() {
    let old = "volatile int v;
        unsigned f(unsigned n) { unsigned a = 0, b = 0;
            for (unsigned i = 0; i < n; i++) { v; a += i; b += 2 * i; } return a ^ b; }";
    proved(
        old,
        "volatile int v;
        unsigned f(unsigned n) { unsigned a = 0, b = 0;
            for (unsigned i = 0; i < n; i++) { v; b += 2 * i; a += i; } return a ^ b; }",
    );
    not_proved(
        old,
        "volatile int v;
        unsigned f(unsigned n) { unsigned a = 0, b = 0;
            for (unsigned i = 0; i < n; i++) { v; a += i; }
            for (unsigned i = 0; i < n; i++) { v; b += 2 * i; } return a ^ b; }",
    );
}

#[test]
fn shadowed_variables_are_not_one() {
    not_proved(
        "int f(int n) { int i = 0, s = 0; { int i = 5; while (n > 0) { s += i; i++; n--; } } return s + i; }",
        "int f(int n) { int i = 0, s = 0, t = i; { int i = 5; while (n > 0) { s += t; i++; n--; } } return s + i; }",
    );
}

#[test]
fn the_corpus_is_judged_rightly() {
    let cases: Vec<Case> =
        corpus().into_iter().filter(|case| !case.loop_free && !case.has_options).collect();
    let cases: Vec<Case> = cases.into_iter().filter(|case| is_in_part(case, 9)).collect();
    let half = cases.len() / 2;
    let counts = std::thread::scope(|scope| {
        let halves = [&cases[..half], &cases[half..]];
        let threads =
            halves.map(|part| scope.spawn(|| part.iter().map(judged).collect::<Vec<_>>()));
        threads.map(|thread| thread.join().unwrap()).concat()
    });
    let proved: usize = counts.iter().map(|(proved, _)| proved).sum();
    let equivalent: usize = counts.iter().map(|(_, equivalent)| equivalent).sum();
    println!("{proved} of {equivalent} equivalent functions with loops or recursion proved");
    assert!(proved * 100 >= equivalent * 33, "only {proved} of {equivalent} proved");
}

/// How many functions of a case that are labelled equivalent are proved, of how many.
fn judged(case: &Case) -> (usize, usize) {
    let comparison = case.compare().unwrap();
    let (mut proved, mut equivalent) = (0, 0);
    for function in &case.functions {
        if pair_named(&comparison, &function.name).is_none() {
            continue;
        }
        let found = findings(&comparison, &function.name, Effort::millis(600));
        let equal = !found.additions.is_empty();
        // Where only ends differ, outcomes are equal.
        let apart = function.verdict == "different"
            && !function.kinds.iter().all(|kind| kind == "termination");
        assert!(!(equal && apart), "{} {} is labelled different", case.name, function.name);
        equivalent += usize::from(function.verdict == "equivalent");
        proved += usize::from(equal && function.verdict == "equivalent");
    }
    (proved, equivalent)
}

#[test]
fn pointers_at_entry_are_aligned_as_in_formulas() {
    let version = |result: &str| {
        format!(
            "unsigned f(int *p, unsigned n) {{ unsigned s = 1, i; \
             for (i = 0; i < n; i++) s = s * 3 + i; return {result}; }}"
        )
    };
    let misaligned = version("s + ((unsigned long)p & 3)");
    assert!(rule(&misaligned, &version("s")).is_some());
    let bytes = misaligned.replace("int *p", "char *p");
    assert_eq!(rule_within(&bytes, &version("s"), in_vain()), None);
}

#[test]
fn an_external_function_without_pointers_is_the_same_in_calls_after_a_loop() {
    let version = |step: &str| {
        format!(
            "int ext(int); unsigned f(unsigned n) {{ unsigned s = 1, i; \
             for (i = 0; i < n; i++) s = {step}; return s + ext(3); }}"
        )
    };
    let comparison = compare_texts(&version("s * 3 + i"), &version("i + s * 3"));
    let found = findings(&comparison, "f", Effort::seconds(10));
    assert!(!found.additions.is_empty(), "{found:#?}");
    assert!(found.additions.iter().all(|a| a.holds_in_calls), "{found:#?}");
}

/// What lies behind a pointer that goes outside may be uninitialised or too small in a call. The proof is one of every call, in which
/// an unknown function gets that as well.
#[test]
fn an_external_function_that_gets_a_pointer_is_the_same_in_calls_after_a_loop() {
    let version = |step: &str, read: &str| {
        format!(
            "int ext(int *); unsigned f(unsigned n, int *p) {{ unsigned s = 1, i; \
             for (i = 0; i < n; i++) s = {step}; return s + ext(p){read}; }}"
        )
    };
    // The proof takes milliseconds.
    let holds = |old: &str, new: &str| {
        let comparison = compare_texts(old, new);
        let found = findings(&comparison, "f", in_vain());
        found.additions.iter().any(|a| a.holds_in_calls)
    };
    let (old, new) = (version("s * 3 + i", ""), version("i + s * 3", ""));
    assert!(holds(&old, &new));
    // ✗ Only one version reads what may be uninitialised.
    let reads = version("i + s * 3", " + (*p & 0)");
    assert!(!holds(&old, &reads) && !holds(&reads, &old));
}

/// A proof that took pointers to be aligned at entry says nothing of a call with one that is not.
#[test]
fn a_proof_that_assumes_valid_pointers_does_not_hold_in_calls() {
    let version = |result: &str| {
        format!(
            "unsigned f(int *p, unsigned n) {{ unsigned s = 1, i; \
             for (i = 0; i < n; i++) s = s * 3 + i; return {result}; }}"
        )
    };
    let result = "s + ((unsigned long)p & 3)";
    let found = findings(&compare_texts(&version(result), &version("s")), "f", Effort::seconds(10));
    assert!(!found.additions.is_empty(), "{found:#?}");
    assert!(found.additions.iter().all(|a| !a.holds_in_calls), "{found:#?}");
    // Where it assumes nothing of them, it does.
    let same = compare_texts(&version("s + (p != 0)"), &version("(p != 0) + s"));
    let found = findings(&same, "f", Effort::seconds(10));
    assert!(found.additions.iter().any(|a| a.holds_in_calls), "{found:#?}");
}
