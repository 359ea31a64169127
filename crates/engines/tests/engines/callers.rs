//! How callers use what is known of a changed callee: common where it is known to be equal, each version's own elsewhere, never looked into
//! if that suffices.

use crate::testing_support as support;

use std::rc::Rc;
use support::{compare_texts, pair_named};
use verdiff_engines::flat::Flat;
use verdiff_engines::process;
use verdiff_engines::summary::Summary;
use verdiff_judge::{
    Budget, Engine, Evidence, Field, Findings, Judgement, Judgements, PairId, Rule, Task,
};
use verdiff_logic::effort::Effort;
use verdiff_logic::{Assignment, Bits, Formula, Sort, TermPool, Value};
use verdiff_product::Facts;

/// What an engine finds of each function in turn, in this order, knowing what was found before.
fn in_turn(old: &str, new: &str, functions: &[&str], engine: Make) -> Vec<(Findings, Judgement)> {
    in_turn_within(Effort::seconds(5), old, new, functions, engine)
}

/// The same, with so much effort for each function.
fn in_turn_within(
    effort: Effort,
    old: &str,
    new: &str,
    functions: &[&str],
    engine: Make,
) -> Vec<(Findings, Judgement)> {
    let comparison = compare_texts(old, new);
    let mut judgements = Judgements::new();
    let mut all = vec![];
    for function in functions {
        let pair = pair_named(&comparison, function).unwrap();
        let mut judgement = Judgement::default();
        let task = Task {
            comparison: &comparison,
            pair,
            judgement: &judgement.clone(),
            judgements: &judgements,
        };
        let budget = Budget::lasting(effort, 1);
        let findings =
            process::sound(&task, engine(&Facts::of(comparison.clone())).run(&task, &budget));
        for addition in &findings.additions {
            judgement.add(addition.clone()).unwrap();
        }
        judgements.insert(pair, judgement.clone());
        all.push((findings, judgement));
    }
    all
}

/// Makes an engine for a comparison.
type Make = fn(&Rc<Facts>) -> Box<dyn Engine>;

fn engines() -> [Make; 2] {
    [|facts| Box::new(Flat::new(facts)), |facts| Box::new(Summary::new(facts))]
}

/// The callee differs, the caller does not, and its proof rests on what is known of the callee.
#[track_caller]
fn cancelled(old: &str, new: &str) {
    for engine in engines() {
        let found = in_turn(old, new, &["g", "f"], engine);
        assert!(!found[0].1.is_equal(), "g differs");
        assert!(!found[0].1.called_under().is_false(), "{:#?}", found[0]);
        let (findings, judgement) = &found[1];
        assert!(judgement.is_equal(), "{findings:#?}");
        let g = pair_named(&compare_texts(old, new), "g").unwrap();
        let uses = judgement.evidence().iter().any(|e| e.uses.contains(&g));
        assert!(uses, "g was looked into: {:#?}", judgement.evidence());
    }
}

/// The caller is not taken to be equal.
#[track_caller]
fn not_cancelled(old: &str, new: &str) -> Vec<Findings> {
    let mut all = vec![];
    for engine in engines() {
        let mut found = in_turn(old, new, &["g", "f"], engine);
        let (findings, judgement) = found.pop().unwrap();
        assert!(!judgement.is_equal(), "{findings:#?}");
        all.push(findings);
    }
    all
}

/// `g` gives 7 for 7 in the one version and 8 in the other; elsewhere what no solver looks into.
fn callee(at_seven: u32) -> String {
    format!("static int g(int x) {{ if (x == 7) return {at_seven}; return x * x * x + x / 3; }}\n")
}

fn both(caller: &str) -> [String; 2] {
    [7, 8].map(|at_seven| format!("{}{caller}", callee(at_seven)))
}

#[test]
fn a_caller_that_stays_where_the_callee_is_equal() {
    let [old, new] = both("int f(int x) { return g(x & 3); }");
    cancelled(&old, &new);
    // One more and it does not stay there.
    let [old, new] = both("int f(int x) { return g(x & 7); }");
    for findings in not_cancelled(&old, &new) {
        assert_eq!(findings.candidates.len(), 1, "{findings:#?}");
        assert!(findings.candidates[0].condition.is_some(), "{findings:#?}");
    }
}

#[test]
fn several_calls() {
    let [old, new] = both("int f(int x) { return g(x & 3) - g(x | 8) + g(2); }");
    cancelled(&old, &new);
    // The same call twice is the same in one version, not in both.
    let [old, new] = both("int f(int x) { return g(x) - g(x); }");
    cancelled(&old, &new);
    let [old, new] = both("int f(int x) { return g(x) - g(x - 1); }");
    not_cancelled(&old, &new);
}

#[test]
fn a_guard_of_the_caller() {
    let [old, new] = both("int f(int x) { return x > 6 && x < 8 ? 0 : g(x); }");
    cancelled(&old, &new);
    let [old, new] = both("int f(int x) { return x > 7 && x < 9 ? 0 : g(x); }");
    not_cancelled(&old, &new);
}

#[test]
fn a_chain_whose_difference_is_cancelled_half_way() {
    let chain = "static int f1(int x) { return g(x) + 1; }\n\
                 static int f2(int x) { return f1(x * 2) + 1; }\n\
                 int f(int x) { return f2(x) - 1; }";
    let [old, new] = both(chain);
    for engine in engines() {
        let found = in_turn(&old, &new, &["g", "f1", "f2", "f"], engine);
        let equal: Vec<bool> = found.iter().map(|(_, j)| j.is_equal()).collect();
        // What is even is never seven.
        assert_eq!(equal, [false, false, true, true]);
        assert!(!found[1].1.called_under().is_false(), "{:#?}", found[1].0);
    }
}

#[test]
fn calls_in_a_loop() {
    let caller =
        "int f(int x) { int s = 0; for (int i = 0; i < 5; i++) s += g(i + (x & 1)); return s; }";
    let [old, new] = both(caller);
    let found = in_turn(&old, &new, &["g", "f"], |facts| Box::new(Summary::new(facts)));
    let (findings, judgement) = &found[1];
    assert!(judgement.is_equal(), "{findings:#?}");
    let g = pair_named(&compare_texts(&old, &new), "g").unwrap();
    assert!(judgement.evidence().iter().any(|e| e.uses == [g]), "{findings:#?}");
    let caller = caller.replace("i < 5", "i < 8");
    let [old, new] = both(&caller);
    let found = in_turn(&old, &new, &["g", "f"], |facts| Box::new(Summary::new(facts)));
    assert!(!found[1].1.is_equal() && !found[1].0.candidates.is_empty(), "{:#?}", found[1].0);
}

#[test]
fn calls_of_a_recursive_callee() {
    // It differs for 7; below 5 all paths come to an end soon.
    let callee = |base: u32| {
        format!(
            "static unsigned g(unsigned n) {{ if (n == 7) return {base}; \
             return n == 0 ? 1 : 3 * g(n - 1) + n; }}\n\
             unsigned f(unsigned x) {{ return g(x % 4) + g(3); }}"
        )
    };
    let found = in_turn(&callee(1), &callee(2), &["g", "f"], |facts| Box::new(Summary::new(facts)));
    assert!(!found[0].1.is_equal() && !found[0].1.called_under().is_false(), "{:#?}", found[0].0);
    assert!(found[1].1.is_equal(), "{:#?}", found[1].0);
}

#[test]
fn through_pointers() {
    // The caller's own memory, before and after the call.
    let [old, new] = both("void f(int *p) { int x = *p & 3; *p = g(x); p[1] = g(x + 1) + *p; }");
    cancelled(&old, &new);
    let [old, new] = both("void f(int *p) { int x = *p & 3; *p = g(x); p[1] = g(x + 4) + *p; }");
    not_cancelled(&old, &new);
    // A callee that touches memory is not taken to be equal in calls: it is looked into.
    let callee = |code: u32| {
        format!(
            "static int g(const int *p) {{ return *p == 7 ? {code} : *p; }}\n\
             int f(int x) {{ int y = x & 3; return g(&y); }}"
        )
    };
    for engine in engines() {
        let found = in_turn(&callee(7), &callee(8), &["g", "f"], engine);
        assert!(found[0].1.called_under().is_false(), "{:#?}", found[0]);
        assert!(found[1].1.is_equal(), "{:#?}", found[1].0);
    }
}

#[test]
fn a_read_that_only_one_version_makes_is_not_equal_in_calls() {
    // For entry states the two differ where *p is 7 only. A caller may pass what has no value, which the old version reads.
    let old = "static int g(const int *p, int x) { int y = *p; return x ? y : 0; }\n\
               int f(int x) { int a; return g(&a, 0); }";
    let new = "static int g(const int *p, int x) { return x ? *p + (*p == 7) : 0; }\n\
               int f(int x) { int a; return g(&a, 0); }";
    for engine in engines() {
        let found = in_turn(old, new, &["g", "f"], engine);
        assert!(found[0].1.called_under().is_false(), "{:#?}", found[0]);
        assert!(!found[1].1.is_equal(), "{:#?}", found[1].0);
    }
}

#[test]
fn a_condition_over_globals_is_about_what_they_hold_at_the_call() {
    // Equal while `mode` is zero, which the caller changes.
    let version = |code: u32| {
        format!(
            "static int mode;\nstatic int g(int x) {{ return mode ? x + {code} : x; }}\n\
             int f(int x) {{ mode = 1; return g(x); }}\nint e(int x) {{ mode = 0; return g(x); }}"
        )
    };
    for engine in engines() {
        let found = in_turn(&version(1), &version(2), &["g", "f", "e"], engine);
        assert!(!found[1].1.is_equal(), "{:#?}", found[1].0);
        assert!(found[2].1.is_equal(), "{:#?}", found[2].0);
    }
}

#[test]
fn parameters_are_told_apart_by_position_not_by_name() {
    // The caller's x is the callee's y, and has another width.
    let version = |code: u32| {
        format!(
            "static int g(int y, char x) {{ return x == 7 ? {code} : y * y * y / 5; }}\n\
             int f(long x) {{ return g((int)x, 1); }}\nint e(long y) {{ return g(1, (char)y); }}"
        )
    };
    for engine in engines() {
        let found = in_turn(&version(1), &version(2), &["g", "f", "e"], engine);
        assert!(found[1].1.is_equal(), "{:#?}", found[1].0);
        assert!(!found[2].1.is_equal(), "{:#?}", found[2].0);
    }
}

#[test]
fn a_callee_that_hangs_in_one_version_proves_nothing_of_what_follows() {
    // ✗ of the notes: never both end, so U is valid everywhere, but the two calls are not one.
    let old =
        "static int g(int p) { while (p != 0); return 3; }\nint f(int x) { return g(x != 0); }";
    let new =
        "static int g(int p) { while (p != 1); return 5; }\nint f(int x) { return g(x == 0); }";
    for engine in engines() {
        let found = in_turn(old, new, &["g", "f"], engine);
        assert!(!found[1].1.is_equal(), "{:#?}", found[1].0);
    }
}

#[test]
fn where_all_calls_are_equal_the_caller_is() {
    // A loop without a bound, equal for small numbers: the caller is loop-free and cannot look into it.
    let version = |from: u32, step: &str| {
        format!(
            "static unsigned g(unsigned n) {{ unsigned s = {from}; \
             for (unsigned i = 0; i < n; i++) s = {step}; return s; }}\n\
             unsigned f(unsigned x, int c) {{ return c ? g(x / 2) + 1 : 0; }}"
        )
    };
    let old = version(7, "s * 5 + (s >> 3 ^ i)");
    let new = version(7, "5 * s - (-(s >> 3 ^ i) * (n < 1000 ? 1 : 3))");
    // The paths of few iterations are enough; those of many take z3 ten times the effort that is counted.
    let engine: Make = |facts| Box::new(Summary::new(facts));
    let callee = in_turn_within(Effort::seconds(1), &old, &new, &["g"], engine).remove(0).1;
    assert!(!callee.is_equal() && !callee.called_under().is_false(), "{callee:#?}");
    let comparison = compare_texts(&old, &new);
    let judgements = Judgements::from([(PairId(0), callee)]);
    let nothing = Judgement::default();
    let task = Task {
        comparison: &comparison,
        pair: PairId(1),
        judgement: &nothing,
        judgements: &judgements,
    };
    let findings = Flat::new(&Facts::of(comparison.clone()))
        .run(&task, &Budget::lasting(Effort::seconds(5), 1));
    let [addition] = &findings.additions[..] else { panic!("{findings:#?}") };
    assert_eq!(addition.evidence.rule, Rule::FlatCallees);
    assert_eq!(addition.evidence.obligations.len(), 1);
    // Small numbers, and all where it is not called.
    for (x, c, equal) in [(0, 1, true), (5, 1, true), (1 << 30, 1, false), (1 << 30, 0, true)] {
        let mut pool = TermPool::new();
        let term = addition.formula.build(&mut pool).unwrap();
        let mut assignment = Assignment::new();
        for (name, value) in [("x", x), ("c", c)] {
            let symbol = pool.find_symbol(name).unwrap();
            let bits = Value::Bits(Bits::new(32, value));
            assignment.set(&pool, symbol, bits).unwrap();
        }
        let holds = pool.eval(term, &assignment).unwrap().as_bool();
        assert_eq!(holds, Some(equal), "x = {x}, c = {c}: {}", addition.formula.smt());
    }
}

/// What a confirmed difference of a callee is good for: a callee with a loop is a function to its callers, and a model in which
/// the functions of both versions differ is mostly none in which the callees do. With C of the callee the model is one.
#[test]
fn a_confirmed_difference_of_a_callee_is_a_target_for_counterexamples() {
    let text = |value: u32| {
        format!(
            "int g(int x) {{ int s = 0; if (x == 77777) return {value}; while (x > 9) x -= 7; return s + x; }}\n\
             int f(int x) {{ return g(x * 40503 + 17); }}"
        )
    };
    let comparison = compare_texts(&text(1), &text(2));
    let [g, f] = ["g", "f"].map(|name| pair_named(&comparison, name).unwrap());
    let found = |differ: Option<Formula>| {
        let mut judgement = Judgement::default();
        if let Some(differ) = differ {
            let evidence = Evidence::new(Field::DifferUnder, "test", Rule::PathsDiffer);
            judgement.grow(differ, evidence).unwrap();
        }
        let judgements = Judgements::from([(g, judgement)]);
        let nothing = Judgement::default();
        let task =
            Task { comparison: &comparison, pair: f, judgement: &nothing, judgements: &judgements };
        let budget = Budget::lasting(Effort::seconds(5), 1);
        Flat::new(&Facts::of(comparison.clone())).run(&task, &budget)
    };
    let without = found(None);
    assert!(without.candidates.is_empty(), "no target is needed: {without:#?}");
    let mut pool = TermPool::new();
    let x = pool.symbol("x", Sort::BitVec(32)).unwrap();
    let value = pool.bits(32, 77777).unwrap();
    let differ = pool.eq(x, value).unwrap();
    let with = found(Some(Formula::of(&pool, differ).unwrap()));
    assert_eq!(with.candidates.len(), 1, "{with:#?}");
    // Whatever C says, a difference is one that the interpreter sees.
    let wrong = pool.bits(32, 77778).unwrap();
    let wrong = pool.eq(x, wrong).unwrap();
    let wrong = found(Some(Formula::of(&pool, wrong).unwrap()));
    assert!(wrong.candidates.is_empty() && wrong.additions.is_empty(), "{wrong:#?}");
}

/// An external function that may call back is common to both versions because of what is known of all that it may call.
#[test]
fn what_may_be_called_back_is_in_the_evidence() {
    let version = |twice: &str, result: &str| {
        format!(
            "extern int apply(int (*how)(int), int x);\n\
             static int twice(int x) {{ return {twice}; }}\n\
             int f(int x) {{ return {result}; }}\n"
        )
    };
    let old = version("x + x", "apply(twice, x) + 1");
    let new = version("2 * x", "1 + apply(twice, x)");
    let twice = pair_named(&compare_texts(&old, &new), "twice").unwrap();
    for engine in engines() {
        let found = in_turn(&old, &new, &["twice", "f"], engine);
        let (findings, judgement) = &found[1];
        assert!(judgement.is_equal(), "{findings:#?}");
        let equal = judgement.evidence().iter().filter(|e| e.adds == Field::EqualUnder);
        let uses: Vec<_> = equal.map(|evidence| evidence.uses.clone()).collect();
        assert!(!uses.is_empty() && uses.iter().all(|uses| *uses == [twice]), "{uses:?}");
        // Nothing known of it, nothing follows.
        let found = in_turn(&old, &new, &["f"], engine);
        assert!(!found[0].1.is_equal(), "{:#?}", found[0].0);
    }
}
