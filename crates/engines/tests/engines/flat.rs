//! The engine `flat`: what it proves, and what must not follow.

use crate::testing_support as support;

use std::rc::Rc;
use support::{compare_texts, pair_named, with_task};
use verdiff_engines::flat::Flat;
use verdiff_judge::{Assumption, Budget, Effect, Engine, Findings, Settings, Side, StopReason};
use verdiff_logic::effort::Effort;
use verdiff_product::feasible::Feasibility;
use verdiff_product::{Facts, Product, Start};
use verdiff_symex::entry::Entry;
use verdiff_symex::execute::{ExecutionLimits, Stop};
use verdiff_symex::paths::{Bounds, Explored};

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
    findings.additions.iter().any(|a| a.formula.is_true() && a.evidence.rule.name() == "flat")
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

/// Whether what is added to U holds in calls.
fn in_calls(findings: &Findings) -> bool {
    findings.additions.iter().any(|addition| addition.holds_in_calls)
}

#[test]
fn what_pointers_at_entry_are_is_not_known_of_calls() {
    let old = "int f(char *p) { return p == (char *)-1; }";
    let findings = equal(old, "int f(char *p) { return 0; }");
    assert!(!in_calls(&findings));
    // What holds of every pointer holds in calls too.
    let findings = equal("int f(char *p) { return p != 0; }", "int f(char *p) { return !!p; }");
    assert!(in_calls(&findings));
}

#[test]
fn a_read_that_is_left_out_is_not_known_of_calls() {
    // A caller may pass the address of a variable without a value.
    let old = "int f(int *p) { int unused = *p; return p != 0 ? 1 : 1; }";
    let new = "int f(int *p) { if (!p) *p = 0; return 1; }";
    let findings = run(old, new, "f");
    assert!(!in_calls(&findings), "{findings:#?}");
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
        findings.candidates.into_iter().find_map(|c| c.effect).unwrap()
    };
    let halved = effect(
        "unsigned f(unsigned x) { return x >> 1; }",
        "unsigned f(unsigned x) { return (int)x >> 1; }",
    );
    assert_eq!(halved, Effect::Offset { by: 1 << 31, modulo_bits: None });
    let within = effect(
        "int f(int x) { return x > 9 && x < 90 ? x : 0; }",
        "int f(int x) { return x > 9 && x < 90 ? x + 2 : 0; }",
    );
    assert_eq!(within, Effect::Offset { by: 2, modulo_bits: None });
    let wrapped = effect("int f(int x) { return x; }", "int f(int x) { return x + 1; }");
    assert_eq!(wrapped, Effect::Offset { by: 1, modulo_bits: Some(32) });
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

#[test]
fn pointers_at_entry_are_aligned_as_both_versions_have_them() {
    let old = "int f(int *p) { return ((unsigned long)p & 3) != 0; }";
    equal(old, "int f(int *p) { return 0; }");
    // A version that takes a pointer to bytes may be given any.
    not_equal(old, "int f(char *p) { return 0; }");
    not_equal(
        "int f(char *p) { return ((unsigned long)p & 3) != 0; }",
        "int f(int *p) { return 0; }",
    );
}

#[test]
fn an_external_function_without_pointers_is_the_same_in_calls() {
    let old = "int ext(int); int f(int x) { return ext(x) + x + x; }";
    let findings = equal(old, "int ext(int); int f(int x) { return ext(x) + 2 * x; }");
    assert!(in_calls(&findings));
    let old = "int ext(char *); int f(char *p, int x) { return ext(p) + x + x; }";
    let findings = equal(old, "int ext(char *); int f(char *p, int x) { return ext(p) + 2 * x; }");
    assert!(!in_calls(&findings), "what is behind the pointer may be uninitialised");
}

#[test]
fn an_engine_of_another_comparison_gives_no_verdict() {
    let text = "int f(int x) { return x; }";
    let (one, other) = (compare_texts(text, text), compare_texts(text, text));
    let pair = pair_named(&one, "f").unwrap();
    let budget = Budget::lasting(Effort::seconds(20), 1);
    let mut engine = Flat::new(&Facts::of(other));
    let found = with_task(&one, pair, |task| engine.run(task, &budget));
    assert!(found.additions.is_empty(), "{found:#?}");
    assert!(matches!(found.stopped, Some(StopReason::Internal { .. })), "{found:#?}");
}

#[test]
fn what_is_assumed_of_pointers_is_in_the_addition() {
    let (old, new) = ("{ *a = 1; *b = 2; return *a; }", "{ *a = 1; *b = 2; return 1; }");
    let declared = "int f(int *restrict a, int *restrict b)";
    let findings = equal(&format!("{declared} {old}"), &format!("{declared} {new}"));
    assert_eq!(findings.additions[0].evidence.assumes, [Assumption::Restrict]);
    assert!(!in_calls(&findings), "a caller may pass one pointer twice");
    let declared = "int f(int *a, int *b)";
    not_equal(&format!("{declared} {old}"), &format!("{declared} {new}"));
    let mut comparison = compare_texts(&format!("{declared} {old}"), &format!("{declared} {new}"));
    Rc::make_mut(&mut comparison).settings.no_alias = true;
    let pair = pair_named(&comparison, "f").unwrap();
    let mut engine = Flat::new(&Facts::of(comparison.clone()));
    let budget = Budget::lasting(Effort::seconds(20), 1);
    let findings = with_task(&comparison, pair, |task| engine.run(task, &budget));
    assert!(is_equal(&findings), "{findings:#?}");
    assert_eq!(findings.additions[0].evidence.assumes, [Assumption::NoAlias]);
}

/// What the engine finds of `f` under other settings.
fn under(old: &str, new: &str, change: impl Fn(&mut Settings)) -> Findings {
    let mut comparison = compare_texts(old, new);
    change(&mut Rc::make_mut(&mut comparison).settings);
    let pair = pair_named(&comparison, "f").unwrap();
    let mut engine = Flat::new(&Facts::of(comparison.clone()));
    let budget = Budget::lasting(Effort::seconds(20), 1);
    with_task(&comparison, pair, |task| engine.run(task, &budget))
}

/// U is `true` under a precondition: that it holds only there must be in the addition, and no caller may use it.
#[test]
fn a_precondition_is_in_the_addition() {
    let given = "int given(int x) { return x >= 0; }\n";
    let [old, new] = ["x / 2", "x >> 1"].map(|e| format!("{given}int f(int x) {{ return {e}; }}"));
    not_equal(&old, &new);
    let findings = under(&old, &new, |settings| {
        settings.assume = vec![("f".to_owned(), "given".to_owned())];
        settings.assume_text = vec![("f".to_owned(), "x >= 0".to_owned())];
    });
    assert!(is_equal(&findings), "{findings:#?}");
    let c = "x >= 0".to_owned();
    let expected = [Assumption::Precondition { function: "f".to_owned(), c }];
    assert_eq!(findings.additions[0].evidence.assumes, expected);
    assert!(!in_calls(&findings), "a caller may pass a negative number");
}

/// The same for `--overflow=ub`: nothing is said of states from which the old version overflows.
#[test]
fn undefined_overflow_is_in_the_addition() {
    let [old, new] = ["x + x", "2 * x"].map(|e| format!("int f(int x) {{ return {e}; }}"));
    let findings = under(&old, &new, |settings| settings.overflow_undefined = true);
    assert!(is_equal(&findings), "{findings:#?}");
    assert_eq!(findings.additions[0].evidence.assumes, [Assumption::OverflowUndefined]);
    assert!(!in_calls(&findings), "nobody knows that the old callee does not overflow");
    // Without the setting there is nothing to assume.
    let findings = equal(&old, &new);
    assert_eq!(findings.additions[0].evidence.assumes, []);
    assert!(in_calls(&findings));
}

/// Both versions have `g`, of two sizes: two objects, of which the first that an execution meets is called `&g`. So no condition
/// speaks of it; of a variable that both have in one shape one does.
#[test]
fn an_address_of_a_variable_with_two_shapes_is_in_no_condition() {
    let text = |size: u32, result: &str| {
        format!("int g[{size}]; int f(int *p, int x) {{ return p == g ? {result} : x; }}")
    };
    let condition = |new_size: u32| {
        let findings = not_equal(&text(2, "1"), &text(new_size, "2"));
        findings.candidates.iter().any(|candidate| candidate.condition.is_some())
    };
    assert!(condition(2));
    assert!(!condition(4));
}

#[test]
fn a_product_keeps_to_its_budget() {
    let steps: String = (0..500).map(|n| format!("s = x + {}; ", n % 7)).collect();
    let source = format!(
        "unsigned f(unsigned x) {{ unsigned s = 0; {steps} return s; }}\n\
         unsigned g(unsigned n) {{ unsigned i = 0; while (i < n) i++; return i; }}\n"
    );
    let comparison = compare_texts(&source, &source);
    let facts = Facts::of(comparison.clone());
    let facts = facts.written();
    let limits = ExecutionLimits { terms: 500, depth: 4 };
    let within = |function: &str, effort: Effort, paths: bool| {
        let pair = pair_named(&comparison, function).unwrap();
        with_task(&comparison, pair, |task| {
            let mut product = Product::new(*task, facts, &Budget::lasting(effort, 1));
            let (old, new) = (comparison.pair(pair).old, comparison.pair(pair).new);
            let procedure = comparison.old.program.procedure(old);
            let entry = Entry::of(&mut product.space, &facts.regions, procedure)?;
            if !paths {
                let both = product.run_both([old, new], &entry, Start::Anywhere, limits);
                return both.map(|both| both.len());
            }
            let exploration =
                product.exploration(Side::Old, old, &entry, Start::Anywhere, limits)?;
            let mut exploration = exploration.forking();
            let bounds = Bounds { visits: 4, depth: 4, paths: 100, blocks: 100 };
            let feasibility = &mut Feasibility::by_solver(&[]);
            let explored = product.explore(&mut exploration, &bounds, feasibility)?;
            assert_eq!(explored, Explored::Bounded);
            Ok(exploration.done().len())
        })
    };
    let enough = Effort::seconds(20);
    assert_eq!(within("f", enough, false), Ok(2));
    assert_eq!(within("f", Effort::ZERO, false), Err(Stop::Effort));
    assert!(within("g", enough, true).unwrap() >= 3);
    assert_eq!(within("g", Effort::ZERO, true), Ok(0));
}
