//! Paths of procedures that are kept for a comparison and shared by callers: what follows from them, and what must not.

use crate::testing_support as support;

use std::rc::Rc;
use support::compare_texts;
use verdiff_engines::process;
use verdiff_engines::summary::Summary;
use verdiff_judge::{
    Budget, Comparison, Engine, Field, Findings, Judgement, Judgements, PairId, Task,
};
use verdiff_logic::effort::Effort;
use verdiff_logic::solver::{self, Decide, Limits, Query};
use verdiff_logic::{Formula, Sort, TermPool};
use verdiff_product::Facts;

/// What the engine found of a pair, and the judgement that comes of it.
struct Found {
    function: String,
    findings: Findings,
    judgement: Judgement,
}

/// What kept paths alone say of all pairs, callees first, knowing what was found before.
fn in_turn(comparison: &Rc<Comparison>) -> Vec<Found> {
    let mut engine = Summary::new(&Facts::of(comparison.clone()));
    engine.never_entering = true;
    let mut judgements = Judgements::new();
    let mut all = vec![];
    for (number, pair) in comparison.pairs.iter().enumerate() {
        let (id, nothing) = (PairId(number as u32), Judgement::default());
        let task = Task { comparison, pair: id, judgement: &nothing, judgements: &judgements };
        let budget = Budget::lasting(Effort::seconds(20), 1);
        let findings = process::sound(&task, engine.run(&task, &budget));
        let mut judgement = Judgement::default();
        let conditions = findings.candidates.iter().filter_map(|c| c.condition.clone());
        for addition in findings.additions.iter().cloned().chain(conditions) {
            judgement.add(addition).unwrap();
        }
        judgements.insert(id, judgement.clone());
        all.push(Found { function: pair.function.clone(), findings, judgement });
    }
    all
}

/// What is found of the last function of two texts that differ in what `HOLE` is.
#[track_caller]
fn last(text: &str, holes: [&str; 2]) -> Found {
    let [old, new] = holes.map(|hole| text.replace("HOLE", hole));
    in_turn(&compare_texts(&old, &new)).pop().unwrap()
}

#[track_caller]
fn equal(text: &str, holes: [&str; 2]) {
    let found = last(text, holes);
    assert!(found.judgement.is_equal(), "{:#?}", found.findings);
}

/// Equal nowhere but where that is said, and said exactly: `condition` is where they differ, over `x` and `y` of 32 bits.
#[track_caller]
fn differs_exactly(text: &str, holes: [&str; 2], condition: &str) {
    let found = last(text, holes);
    assert_is(&found, condition);
}

#[track_caller]
fn assert_is(found: &Found, condition: &str) {
    assert_eq!(found.findings.stopped, None, "{}: {:#?}", found.function, found.findings);
    let expected = condition_of(condition);
    let mut pool = TermPool::new();
    let expected = expected.build(&mut pool).unwrap();
    let differ = found.judgement.condition(Field::DifferUnder).build(&mut pool).unwrap();
    let equal = found.judgement.condition(Field::EqualUnder).build(&mut pool).unwrap();
    for (said, is) in [(differ, expected), (equal, pool.not(expected).unwrap())] {
        let other = pool.ne(said, is).unwrap();
        let query = Query { assertions: &[other], assumptions: &[] };
        let answer = solver::standard().decide(&mut pool, &query, &Limits::default());
        assert!(answer.is_unsat(), "{}: {:#?}", found.function, found.judgement);
    }
}

/// `x == 3 || y == 4`: equations of `x` and `y`, any of which holds.
fn condition_of(text: &str) -> Formula {
    let mut pool = TermPool::new();
    let mut any = vec![];
    for part in text.split("||") {
        let (name, number) = part.split_once("==").unwrap();
        let variable = pool.symbol(name.trim(), Sort::BitVec(32)).unwrap();
        let number = pool.bits_signed(32, number.trim().parse().unwrap()).unwrap();
        any.push(pool.eq(variable, number).unwrap());
    }
    let any = pool.or(&any).unwrap();
    Formula::of(&pool, any).unwrap()
}

/// Nothing is said of all inputs, and no difference is predicted.
#[track_caller]
fn open(text: &str, holes: [&str; 2]) {
    let found = last(text, holes);
    assert!(!found.judgement.is_equal(), "{:#?}", found.findings);
    assert!(found.judgement.condition(Field::DifferUnder).is_false(), "{:#?}", found.findings);
}

fn chain(bottom: &str, level: fn(usize) -> String, depth: usize) -> String {
    let levels: Vec<String> = (1..=depth).map(level).collect();
    format!("{bottom}\n{}\n", levels.join("\n"))
}

#[test]
fn chains_that_call_twice_at_each_of_twenty_levels() {
    let bottom = "int f0(int x) { return x == 12 ? HOLE : x / 3; }";
    let same = |n: usize| format!("int f{n}(int x) {{ return f{0}(x) + f{0}(x); }}", n - 1);
    differs_exactly(&chain(bottom, same, 20), ["1", "2"], "x == 12");
    let bottom = "int f0(int x) { return x == 12 ? HOLE : x - 1; }";
    let nested = |n: usize| format!("int f{n}(int x) {{ return f{0}(f{0}(x) + 1); }}", n - 1);
    differs_exactly(&chain(bottom, nested, 20), ["1", "2"], "x == 12");
}

#[test]
fn a_chain_whose_condition_grows_with_its_depth() {
    let bottom = "int f0(int x) { return x == 12 ? HOLE : x / 3; }";
    let next = |n: usize| format!("int f{n}(int x) {{ return f{0}(x) + f{0}(x + 1); }}", n - 1);
    let numbers: Vec<String> = (0..=12).map(|n| format!("x == {n}")).collect();
    differs_exactly(&chain(bottom, next, 12), ["1", "2"], &numbers.join("||"));
    // One of them is not called with it.
    let kept = |n: usize| match n {
        3 => "int f3(int x) { return x == 9 || x == 12 ? 0 : f2(x) + f2(x + 1); }".to_owned(),
        _ => format!("int f{n}(int x) {{ return f{0}(x) + f{0}(x); }}", n - 1),
    };
    differs_exactly(&chain(bottom, kept, 10), ["1", "2"], "x == 11");
}

#[test]
fn cancelled_by_the_caller() {
    let g = "int g(int x) { if (x == 3) return 8; if (x == 4) return HOLE; return x * x; }\n";
    equal(&format!("{g}int f(int x) {{ return g(x) & 1; }}"), ["8", "16"]);
    differs_exactly(&format!("{g}int f(int x) {{ return g(x) & 16; }}"), ["8", "16"], "x == 4");
    equal(&format!("{g}int f(int x) {{ return x == 4 ? 0 : g(x) + g(5); }}"), ["8", "16"]);
    differs_exactly(
        &format!("{g}int f(int x) {{ return x == 3 ? 0 : g(x) + g(5); }}"),
        ["8", "16"],
        "x == 4",
    );
}

/// The answer depends on what an unchanged callee gives: it is looked into, for the arguments it is called with.
#[test]
fn unchanged_callees_are_looked_into_on_demand() {
    let text = "int h(int x) { return x > 5 ? x - 5 : x; }\n\
                int g(int x) { return x == 100 ? HOLE : 7; }\n\
                int f(int x) { return g(h(x & 15)); }";
    equal(text, ["1", "2"]);
    differs_exactly(&text.replace("x & 15", "x"), ["1", "2"], "x == 105");
}

#[test]
fn what_depends_on_an_unknown_function_is_not_decided() {
    // docs/internals/engines.md: the first pair of paths alone justifies nothing.
    let text = "int g(int);\nint f0(int x) { return x == 1 ? HOLE : 5; }\n\
                int f(int x) { return g(x) ? f0(2) : f0(x + 1); }";
    let found = last(text, ["3", "4"]);
    assert!(!found.judgement.is_equal(), "{:#?}", found.findings);
    assert!(found.judgement.condition(Field::DifferUnder).is_false(), "{:#?}", found.findings);
    open("int g(int);\nint f(int x) { return g(x) ? 1 : HOLE; }", ["2", "3"]);
}

/// docs/internals/engines.md: where one version may never end nothing is said to differ.
#[test]
fn what_may_wait_for_ever_does_not_differ() {
    let text = "void spin(void) { for (;;) ; }\nint f(int x) { if (x > 9) spin(); return HOLE; }";
    let found = last(text, ["0", "1"]);
    assert!(found.judgement.condition(Field::DifferUnder).is_false(), "{:#?}", found.findings);
    assert!(found.judgement.condition(Field::AlikeUnder).is_false(), "{:#?}", found.findings);
}

#[test]
fn in_loops_and_recursively() {
    let g = "int g(int x) { return x == 9 ? HOLE : x + 1; }\n";
    let looped = "int f(int x) { int r = 0; for (int i = 0; i < 4; i++) r += g(i); return r + x; }";
    equal(&format!("{g}{looped}"), ["1", "2"]);
    let looped = looped.replace("i < 4", "i < 10");
    let found = last(&format!("{g}{looped}"), ["1", "2"]);
    assert!(!found.judgement.is_equal() && found.findings.candidates.len() == 1);
    let down =
        "int f(int x) { if (x <= 0) return g(x); if (x > 4) return 0; return f(x - 1) + g(x); }";
    let found = last(&format!("{g}{down}"), ["1", "2"]);
    assert!(found.judgement.condition(Field::DifferUnder).is_false(), "{:#?}", found.findings);
    let found = last(&format!("{g}{}", down.replace("x > 4", "x > 9")), ["1", "2"]);
    assert!(!found.judgement.is_equal(), "{:#?}", found.findings);
}

#[test]
fn through_pointers() {
    let g = "void g(int *p) { if (*p == 9) *p = HOLE; else *p += 1; }\n";
    equal(&format!("{g}int f(int x) {{ int a = x & 7; g(&a); return a; }}"), ["1", "2"]);
    differs_exactly(
        &format!("{g}int f(int x) {{ int a = x; g(&a); return a; }}"),
        ["1", "2"],
        "x == 9",
    );
    differs_exactly(
        &format!("{g}int f(int x) {{ int a = x, b = 3; g(&b); g(&a); g(&b); return a + b; }}"),
        ["1", "2"],
        "x == 9",
    );
    // The second call sees what the first has written.
    differs_exactly(
        &format!("{g}int f(int x) {{ int a = x; g(&a); g(&a); return a; }}"),
        ["1", "2"],
        "x == 9 || x == 8",
    );
    // A variable without a value, of which nothing was said.
    let found =
        last(&format!("{g}int f(int x) {{ int a; if (x) a = 1; g(&a); return a; }}"), ["1", "2"]);
    assert!(found.judgement.condition(Field::DifferUnder).is_false(), "{:#?}", found.findings);
}

/// A condition over a global decides at a call what it decides at entry: by what the global holds there.
#[test]
fn globals_at_calls() {
    let g = "int s; int g(int x) { if (s == 9) return HOLE; return x * x * x + x / 3; }\n";
    equal(&format!("{g}int f(int x) {{ s = x & 7; return g(x) + g(x + 1); }}"), ["1", "2"]);
    differs_exactly(
        &format!("{g}int f(int x) {{ s = x; return g(5) + g(6); }}"),
        ["1", "2"],
        "x == 9",
    );
    equal(
        &format!("{g}int f(int x) {{ s = 9; int *p = &s; *p = x & 7; return g(x); }}"),
        ["1", "2"],
    );
    let found =
        last(&format!("{g}int f(int x, int *p) {{ s = 8; *p = 9; return g(x); }}"), ["1", "2"]);
    assert!(!found.judgement.is_equal(), "p may lead to s: {:#?}", found.findings);
    let deep =
        |n: usize| format!("int f{n}(int x) {{ s |= 16; return f{0}(x) + f{0}(x + 1); }}", n - 1);
    equal(&chain(&g.replace("int g(", "int f0("), deep, 12), ["1", "2"]);
}
