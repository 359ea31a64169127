//! Paths of procedures that are kept for a comparison and shared by callers: chains of calls, and what must not follow from them.

#[path = "testing_support/mod.rs"]
mod support;

use std::time::{Duration, Instant};
use support::compare_texts;
use verdiff_engines::process;
use verdiff_engines::summary::Summary;
use verdiff_judge::{
    Budget, Comparison, Engine, Field, Findings, Judgement, Judgements, PairId, Task,
};

/// What the engine finds of all pairs, callees first, knowing what it found before.
fn in_turn(comparison: &Comparison, time: Duration) -> Vec<(String, Findings, Judgement)> {
    let mut engine = Summary::default();
    let mut judgements = Judgements::new();
    let mut all = vec![];
    for (number, pair) in comparison.pairs.iter().enumerate() {
        let id = PairId(number as u32);
        let nothing = Judgement::default();
        let task =
            Task { comparison, pair: id, judgement: &nothing, judgements: &judgements };
        let start = Instant::now();
        let findings = process::sound(&task, engine.run(&task, &Budget::lasting(time, 1)));
        println!("{} {:?} {:?}", pair.function, start.elapsed(), findings.stopped);
        let mut judgement = Judgement::default();
        let conditions = findings.candidates.iter().filter_map(|c| c.condition.clone());
        for addition in findings.additions.iter().cloned().chain(conditions) {
            let equality = addition.evidence.adds == Field::EqualUnder;
            judgement.grow(addition.formula.clone(), addition.evidence).unwrap();
            if equality && findings.holds_in_calls {
                judgement.hold_in_calls(addition.formula);
            }
        }
        judgement.holds_in_calls = findings.holds_in_calls;
        judgements.insert(id, judgement.clone());
        all.push((pair.function.clone(), findings, judgement));
    }
    all
}

fn chain(bottom: &str, level: fn(usize) -> String, depth: usize) -> String {
    let levels: Vec<String> = (1..=depth).map(level).collect();
    format!("{bottom}\n{}\n", levels.join("\n"))
}


fn show(name: &str, bottom: fn(u32) -> String, level: fn(usize) -> String, depth: usize) {
    let [old, new] = [1, 2].map(|at| chain(&bottom(at), level, depth));
    let comparison = compare_texts(&old, &new);
    println!("== {name}");
    for (name, findings, judgement) in in_turn(&comparison, Duration::from_secs(3)) {
        let rules: Vec<_> = judgement.evidence().iter().map(|e| (e.rule.as_str(), e.adds)).collect();
        println!("{name}: {rules:?} {:?} {:?}", findings.candidates.iter().map(|c| c.condition.is_some()).collect::<Vec<_>>(), findings.stopped);
    }
}

#[test]
fn shapes() {
    let scalar = |at: u32| format!("int f0(int x) {{ return x == 12 ? {at} : x / 3; }}");
    let minus = |at: u32| format!("int f0(int x) {{ return x == 12 ? {at} : x - 1; }}");
    let pointer = |at: u32| format!("void f0(int *p) {{ if (*p == 12) *p = {at}; else *p /= 3; }}");
    let global = |at: u32| format!("int g; void f0(void) {{ if (g == 12) g = {at}; else g += 5; }}");
    show("S", scalar, |n| format!("int f{n}(int x) {{ return f{0}(x) + f{0}(x); }}", n - 1), 20);
    show("N", minus, |n| format!("int f{n}(int x) {{ return f{0}(f{0}(x) + 1); }}", n - 1), 20);
    show("B", scalar, |n| format!("int f{n}(int x) {{ return f{0}(x * 2) + f{0}(x ^ {n}); }}", n - 1), 10);
    show("P", pointer, |n| format!("void f{n}(int *p) {{ f{0}(p); f{0}(p + 1); }}", n - 1), 5);
    show("G", global, |n| format!("void f{n}(void) {{ f{0}(); f{0}(); }}", n - 1), 5);
    show("G1", global, |n| format!("void f{n}(void) {{ g |= 16; f{0}(); g |= 16; f{0}(); }}", n - 1), 5);
}
