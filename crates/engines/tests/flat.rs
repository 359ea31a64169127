//! The engine `flat`: what it proves, and what must not follow.

#[path = "testing_support/mod.rs"]
mod support;

use support::{compare_texts, pair_named, with_task};
use verdiff_engines::flat::Flat;
use verdiff_judge::{Budget, Engine, Findings};
use verdiff_logic::effort::Effort;
use verdiff_product::Facts;

/// What the engine finds of one function, nothing being known of the others.
fn run(old: &str, new: &str, function: &str) -> Findings {
    let comparison = compare_texts(old, new);
    let pair = pair_named(&comparison, function).unwrap();
    let budget = Budget::lasting(Effort::seconds(20), 1);
    with_task(&comparison, pair, |task| {
        Flat::new(&Facts::of(comparison.clone())).run(task, &budget)
    })
}

fn is_equal(findings: &Findings) -> bool {
    findings.additions.iter().any(|a| a.formula.is_true() && a.evidence.rule == "flat")
}

#[track_caller]
fn equal(old: &str, new: &str) -> Findings {
    let findings = run(old, new, "f");
    assert!(is_equal(&findings), "{findings:#?}");
    findings
}

#[track_caller]
fn not_equal(old: &str, new: &str) -> Findings {
    let findings = run(old, new, "f");
    assert!(!is_equal(&findings), "{findings:#?}");
    findings
}

#[test]
fn a_changed_table_is_seen_however_large() {
    let table = |at_end: u32| {
        format!(
            "static const unsigned char table[100000] = {{ [99999] = {at_end} }};\n\
             int f(unsigned i) {{ return i < 100000 ? table[i] : 0; }}"
        )
    };
    equal(&table(7), &table(7));
    not_equal(&table(7), &table(8));
}

#[test]
fn parameters_without_names_are_several() {
    let old = "int f(int, int b) { return b; }";
    equal(old, "int f(int, int c) { return c; }");
    let unused = "int f(int a, int) { return a; }";
    not_equal(old, unused);
}

#[test]
fn what_pointers_at_entry_are_is_not_known_of_calls() {
    let old = "int f(char *p) { return p == (char *)-1; }";
    let findings = equal(old, "int f(char *p) { return 0; }");
    assert!(!findings.holds_in_calls);
    // What holds of every pointer holds in calls too.
    let findings = equal("int f(char *p) { return p != 0; }", "int f(char *p) { return !!p; }");
    assert!(findings.holds_in_calls);
}

#[test]
fn a_read_that_is_left_out_is_not_known_of_calls() {
    // A caller may pass the address of a variable without a value.
    let old = "int f(int *p) { int unused = *p; return p != 0 ? 1 : 1; }";
    let new = "int f(int *p) { if (!p) *p = 0; return 1; }";
    let findings = run(old, new, "f");
    assert!(!findings.holds_in_calls, "{findings:#?}");
}

#[test]
fn a_callee_is_looked_into_where_its_name_does_not_suffice() {
    // The example of paper 003, Fig. 3: a call with a constant against its value.
    let callee = "static int magnitude(int x) { return x < 0 ? -x : x; }\n";
    let old = format!("{callee}int f(int x) {{ return x + magnitude(5); }}");
    let new = format!("{callee}int f(int x) {{ return x + 5; }}");
    equal(&old, &new);
}

#[test]
fn an_external_sees_constants_that_the_function_does_not_name() {
    let version = |value: u32| {
        format!(
            "const int table[2] = {{ 1, {value} }}; int ask(void);\nint f(void) {{ return ask(); }}"
        )
    };
    equal(&version(2), &version(2));
    not_equal(&version(2), &version(3));
}

#[test]
fn the_difference_is_exact_and_unique() {
    let findings =
        not_equal("int f(int x) { return x; }", "int f(int x) { return x == 77 ? 78 : x; }");
    let [candidate] = &findings.candidates[..] else { panic!("{findings:#?}") };
    assert!(candidate.unique && candidate.condition.is_some());
}

#[test]
fn how_much_more_is_said_of_the_numbers() {
    let effect = |old: &str, new: &str| {
        let findings = not_equal(old, new);
        findings.candidates.into_iter().find_map(|c| c.effect).unwrap_or_default()
    };
    let halved = effect(
        "unsigned f(unsigned x) { return x >> 1; }",
        "unsigned f(unsigned x) { return (int)x >> 1; }",
    );
    assert_eq!(halved, "the new version returns 2147483648 more");
    let within = effect(
        "int f(int x) { return x > 9 && x < 90 ? x : 0; }",
        "int f(int x) { return x > 9 && x < 90 ? x + 2 : 0; }",
    );
    assert_eq!(within, "the new version returns two more");
    let wrapped = effect("int f(int x) { return x; }", "int f(int x) { return x + 1; }");
    assert_eq!(wrapped, "the new version returns one more (modulo 2^32)");
}

#[test]
fn the_same_trap_on_both_sides_is_not_what_differs() {
    let version = |letter: char| {
        format!(
            "int putchar(int); int f(int x) {{ if (x == 3) putchar('{letter}'); return 9 / (x - 3); }}"
        )
    };
    let findings = run(&version('a'), &version('b'), "f");
    let [candidate] = &findings.candidates[..] else { panic!("{findings:#?}") };
    assert!(candidate.condition.is_some(), "{findings:#?}");
    assert_eq!(candidate.effect, None);
}
