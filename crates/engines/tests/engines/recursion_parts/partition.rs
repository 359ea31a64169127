//! For which inputs induction goes through, where it does not for all.

use super::support::{compare_texts, pair_named, with_task};
use verdiff_engines::flat::Flat;
use verdiff_engines::recursion::Recursion;
use verdiff_judge::{Addition, Budget, Depth, Engine, Field, Judgement, Judgements, Rule, Task};
use verdiff_logic::effort::Effort;
use verdiff_logic::{Assignment, Bits, Formula, Op, Sort, TermPool, Value};
use verdiff_product::Facts;

/// Where `f` is proved to be equal.
fn region(old: &str, new: &str) -> Option<Formula> {
    Some(found(old, new)?.formula)
}

fn found(old: &str, new: &str) -> Option<Addition> {
    let comparison = compare_texts(old, new);
    let pair = pair_named(&comparison, "f").unwrap();
    let budget = Budget::lasting(Effort::seconds(40), 1).at_depth(Depth::InParts);
    let mut engine = Recursion::new(&Facts::of(comparison.clone()));
    let found = with_task(&comparison, pair, |task| engine.run(task, &budget));
    let addition = found.additions.into_iter().find(|a| a.evidence.adds == Field::EqualUnder)?;
    assert_eq!(addition.evidence.rule.name(), "part-eq-in-parts");
    let obligations = &addition.evidence.obligations;
    assert!(!obligations.is_empty(), "nothing for another solver");
    let says = |smt: &str| !smt.contains("(assert false)");
    assert!(obligations.iter().all(|o| says(&o.smt)), "an obligation that says nothing");
    Some(addition)
}

/// Whether a formula over `n` and `k` holds.
fn holds(formula: &Formula, n: i32, k: i32) -> bool {
    let mut pool = TermPool::new();
    let term = formula.build(&mut pool).unwrap();
    let mut assignment = Assignment::new();
    for (name, value) in [("n", n), ("k", k)] {
        let symbol = pool.symbol(name, Sort::BitVec(32)).unwrap();
        let Op::Symbol(id) = pool.op(symbol) else { unreachable!() };
        let bits = Bits::new(32, u128::from(value.cast_unsigned()));
        assignment.set(&pool, id, Value::Bits(bits)).unwrap();
    }
    pool.eval(term, &assignment).unwrap().as_bool().unwrap()
}

/// The region is exactly this one, as far as some numbers show.
#[track_caller]
fn exactly(old: &str, new: &str, expected: impl Fn(i32, i32) -> bool) {
    for (old, new) in [(old, new), (new, old)] {
        let region = region(old, new).expect("something is proved");
        let numbers = [i32::MIN, -1000, -3, -2, -1, 0, 1, 2, 3, 9, 10, 11, 99, 100, 101, i32::MAX];
        for n in numbers {
            for k in numbers {
                assert_eq!(holds(&region, n, k), expected(n, k), "n = {n}, k = {k}\n{old}\n{new}");
            }
        }
    }
}

#[test]
fn a_base_case_that_others_do_not_reach() {
    exactly(
        "int f(int n, int k) { if (n <= 0) return k; if (k < 0) return -1; return f(n - 1, k) + n; }",
        "int f(int n, int k) { if (n <= 0) return k; if (k < 0) return -2; return n + f(n - 1, k); }",
        |n, k| n <= 0 || k >= 0,
    );
}

#[test]
fn what_counts_up_to_a_difference_is_not_equal() {
    // Whoever starts above a hundred comes to it.
    exactly(
        "unsigned f(unsigned n, int k) { if (n < 2) return k; return f(n - 1, k) + f(n - 2, k); }",
        "unsigned f(unsigned n, int k) { if (n == 100) return 7; if (n < 2) return k; return f(n - 2, k) + f(n - 1, k); }",
        |n, _| (0..100).contains(&n),
    );
}

#[test]
fn loops_with_a_case_that_changed() {
    exactly(
        "int f(int n, int k) { int s = 0, i; for (i = 0; i < n; i++) { if (k < 0) s -= k; else s += k * i; } return s; }",
        "int f(int n, int k) { int s = 0, i; for (i = 0; i < n; i++) { if (k < 0) s -= 2 * k; else s += i * k; } return s; }",
        |n, k| n <= 0 || k >= 0,
    );
    // One in another, with the case in the inner one.
    exactly(
        "int f(int n, int k) { int s = 0, i, j; for (i = 0; i < n; i++) for (j = 0; j < i; j++) { if (k == 10) s++; else s += j ^ k; } return s; }",
        "int f(int n, int k) { int s = 0, i, j; for (i = 0; i < n; i++) for (j = 0; j < i; j++) { if (k == 10) s--; else s += k ^ j; } return s; }",
        |n, k| n <= 1 || k != 10,
    );
}

#[test]
fn base_cases_are_executed() {
    let old =
        "unsigned f(unsigned n, int k) { if (n < 2) return n; return f(n - 1, k) + f(n - 2, k); }";
    let new = |number: u32| {
        format!(
            "unsigned f(unsigned n, int k) {{ if (n < 2) return n; if (n == 10) return {number}; return f(n - 2, k) + f(n - 1, k); }}"
        )
    };
    exactly(old, &new(55), |_, _| true);
    let rule = found(old, &new(55)).unwrap().evidence.rule;
    assert!(matches!(rule, Rule::PartEqInParts { executed: true, .. }), "{rule:?}");
    exactly(old, &new(54), |n, _| (0..10).contains(&n));
}

/// What a base case calls back is used as much as what the induction calls.
#[test]
fn a_base_case_that_is_executed_uses_what_it_calls_back() {
    let version = |helper: &str| {
        format!(
            "void *bsearch(const void *, const void *, unsigned long, unsigned long,\n\
             int (*)(const void *, const void *));\n\
             int g(const void *a, const void *b) {{ return 0; }}\n\
             int {helper}(int n) {{ return n == 0 ? bsearch(0, 0, 0, 4, g) == 0 : {helper}(n - 1); }}\n\
             int f(int n, int k) {{ if (n == 10) return {helper}(3); if (n < 2) return n; \
             return f(n - 1, k) + f(n - 2, k); }}"
        )
    };
    let comparison = compare_texts(&version("one"), &version("other"));
    let facts = Facts::of(comparison.clone());
    let budget = Budget::lasting(Effort::seconds(40), 1);
    let g = pair_named(&comparison, "g").unwrap();
    let found = with_task(&comparison, g, |task| Flat::new(&facts).run(task, &budget));
    assert!(found.additions.iter().all(|a| a.holds_in_calls), "{found:#?}");
    let mut known = Judgement::default();
    for addition in found.additions {
        known.add(addition).unwrap();
    }
    let judgements = Judgements::from([(g, known)]);
    let mut engine = Recursion::new(&facts);
    let task = Task {
        comparison: &comparison,
        pair: pair_named(&comparison, "f").unwrap(),
        judgement: &Judgement::default(),
        judgements: &judgements,
    };
    let found = engine.run(&task, &budget.at_depth(Depth::InParts));
    let [addition] = &found.additions[..] else { panic!("{found:#?}") };
    assert!(addition.formula.is_true(), "{found:#?}");
    assert!(
        matches!(addition.evidence.rule, Rule::PartEqInParts { executed: true, .. }),
        "{found:#?}"
    );
    assert_eq!(addition.evidence.uses, [g], "bsearch may call g");
}

/// docs/internals/engines.md: the step is "proved" from a false hypothesis.
#[test]
fn a_false_hypothesis_proves_no_part() {
    let old = "int f(int n, int k) { if (n == 0) return 0; return f(n - 1, k); }";
    let new = "int f(int n, int k) { if (n == 0) return 1; return f(n - 1, k); }";
    assert!(region(old, new).is_none() && region(new, old).is_none());
    // The same for a loop that always comes to the case.
    let old =
        "int f(int n, int k) { int i; for (i = 0; i != 7; i++) if (i == 5) n += k; return n; }";
    let new =
        "int f(int n, int k) { int i; for (i = 0; i != 7; i++) if (i == 5) n += k + 1; return n; }";
    assert!(region(old, new).is_none() && region(new, old).is_none());
}
