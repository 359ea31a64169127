//! Equality for some inputs, from preconditions that correlated states suggest: what U grows by, what must not follow, and
//! that no run refutes it.

use crate::support::{Random, compared, effort, judged_by};
use std::rc::Rc;
use verdiff_engines::Facts;
use verdiff_engines::boundary::Boundary;
use verdiff_engines::flat::Flat;
use verdiff_judge::{Comparison, Engine, Field, Judgement, Rule, Settings, Side};
use verdiff_logic::effort::Effort;
use verdiff_logic::{Assignment, Evaluator, Sort, TermPool};
use verdiff_model::interp::{Limits, Machine};
use verdiff_model::state::{End, EntryState, Value};

/// Loops that did not change are the same code; nothing here needs more than that.
fn proving(facts: &Rc<Facts>) -> Vec<Box<dyn Engine>> {
    vec![Box::new(Flat::new(facts)), Box::new(Boundary::new(facts))]
}

fn judged(old: &str, new: &str) -> (Rc<Comparison>, Judgement) {
    let comparison = compared(old, new, Settings::default()).expect("it compiles");
    let effort = effort(Effort::seconds(1), Effort::seconds(5));
    let mut all = judged_by(proving, effort, &comparison);
    let last = all.pop().expect("a function");
    (comparison, last.judgement)
}

/// Whether U holds for these values of `n` and `m`.
fn is_equal_at(judgement: &Judgement, n: i32, m: i32) -> bool {
    let mut pool = TermPool::new();
    let equal = judgement.condition(Field::EqualUnder).build(&mut pool).expect("a condition");
    let mut assignment = Assignment::new();
    for (name, value) in [("n", n), ("m", m)] {
        let symbol = pool.symbol(name, Sort::BitVec(32)).expect("a parameter");
        let bits = pool.bits(32, u128::from(value as u32)).expect("a number");
        let bits = pool.eval(bits, &assignment).expect("a value");
        assignment.set_term(&pool, symbol, bits).expect("a symbol");
    }
    Evaluator::new(&assignment).holds(&pool, equal).expect("a truth value")
}

const ERROR: &str = "void put(int); int f(int n) { if (n < 0) return -1; for (int i = 0; i < n; i++) put(i); return 0; }";

#[test]
fn inputs_outside_of_the_difference_are_proved_equal() {
    let (_, judgement) = judged(ERROR, &ERROR.replace("-1", "-2"));
    assert!(!judgement.is_equal());
    for (n, equal) in [(0, true), (7, true), (i32::MAX, true), (-1, false), (i32::MIN, false)] {
        assert_eq!(is_equal_at(&judgement, n, 0), equal, "{n}");
    }
    let evidence = judgement.evidence().iter().find(|e| matches!(e.rule, Rule::Guarded { .. }));
    let evidence = evidence.expect("evidence of the guarded versions");
    assert!(!evidence.obligations.is_empty(), "nothing for another solver to check");
}

/// ✗ A guard on a recursive function restricts the calls inside: `f(5)` calls `f(-1)`, which differs.
#[test]
fn recursive_functions_are_not_guarded() {
    let old = "int f(int n) { int i, s = 0; if (n < 0) return 1; for (i = 0; i < n; i++) s += 2; if (n == 5) return f(-1); return s; }";
    let (_, judgement) = judged(old, &old.replace("return 1", "return 2"));
    assert!(!is_equal_at(&judgement, 5, 0));
    // The same through another function.
    let old = "int f(int n); int g(int n) { return f(n); } int f(int n) { int i, s = 0; if (n < 0) return 1; for (i = 0; i < n; i++) s += 2; if (n == 5) return g(-1); return s; }";
    let (_, judgement) = judged(old, &old.replace("return 1", "return 2"));
    assert!(!is_equal_at(&judgement, 5, 0));
}

/// ✗ Equal for n >= 0 at the head of the loop is not equal for n >= 0 at the entry.
#[test]
fn preconditions_are_about_entry_values() {
    let old =
        "int f(int n) { int i, s = 0; n = -n; for (i = 0; i != n && s < 100; i++) s++; return s; }";
    let (_, judgement) = judged(old, &old.replace("i != n", "i < n"));
    assert!(!is_equal_at(&judgement, 3, 0));
}

/// A body with a loop that does not change, and a piece of code before or behind it that does.
fn versions(random: &mut Random) -> [String; 2] {
    let loops = [
        "for (i = 0; i < (m & 7); i++) a += i;",
        "for (i = n & 3; i != 0; i--) { a ^= m; putchar(a & 127); }",
        "while (i < 4) { i++; if (a == m) break; a -= 3; }",
    ];
    let conditions =
        ["n < 3", "m >= 7", "n > m", "n + 1 > m", "(unsigned)n < 9", "n == 4", "2 * n < m"];
    let changes =
        ["a = 1;", "a = n;", "m = 2;", "return 5;", "putchar(65);", "a += m;", "n = -n;", ""];
    let body = random.one_of(&loops);
    let condition = random.one_of(&conditions);
    let other = random.one_of(&conditions);
    let (first, second) = (random.one_of(&changes), random.one_of(&changes));
    let place = random.below(3);
    [(condition, first), (other, second)].map(|(test, change)| {
        let test = if random.below(2) == 0 { test } else { condition };
        let piece = format!("if ({test}) {{ {change} }}");
        let parts = match place {
            0 => [piece.as_str(), body, ""],
            1 => ["", body, piece.as_str()],
            _ => [piece.as_str(), body, "if (a == 9) a = 0;"],
        };
        format!(
            "int putchar(int); int f(int n, int m) {{ int a = 0, i = 0; {} return a; }}",
            parts.join(" ")
        )
    })
}

#[test]
fn no_run_refutes_a_precondition() {
    let percent = std::env::var("VERDIFF_CASES").ok().and_then(|text| text.parse::<u64>().ok());
    let programs = (16 * percent.unwrap_or(100) / 100).max(16);
    let mut random = Random(11);
    let (mut guarded, mut checked) = (0, 0);
    for _ in 0..programs {
        let [old, new] = versions(&mut random);
        let (comparison, judgement) = judged(&old, &new);
        guarded +=
            judgement.evidence().iter().filter(|e| matches!(e.rule, Rule::Guarded { .. })).count();
        let pair = comparison.pair_ids().next().expect("a pair");
        let mut machines = Side::BOTH.map(|side| Machine::new(comparison.program(side)));
        for _ in 0..200 {
            let mut number = || match random.below(5) {
                0 => [0, 1, -1, i32::MAX, i32::MIN, i32::MAX / 2][random.below(6)],
                1 => random.next() as i32,
                _ => random.below(14) as i32 - 4,
            };
            let (n, m) = (number(), number());
            if !is_equal_at(&judgement, n, m) {
                continue;
            }
            let args = [n, m].map(|value| Value::Bits(u128::from(value as u32))).to_vec();
            let entry = EntryState { args, ..EntryState::default() };
            let outcomes = Side::BOTH.map(|side| {
                let limits = Limits { steps: 5_000, ..Limits::default() };
                machines[side.index()].run(comparison.pair(pair).of(side), &entry, &limits)
            });
            let [a, b] = &outcomes;
            if [a, b].iter().all(|outcome| matches!(outcome.end, End::Returned(_))) {
                checked += 1;
                assert_eq!(
                    (&a.end, &a.world),
                    (&b.end, &b.world),
                    "n = {n}, m = {m}\n{old}\n{new}"
                );
            }
        }
    }
    assert!(guarded * 4 >= programs as usize, "only {guarded} of {programs} pairs were restricted");
    assert!(checked > 500, "only {checked} runs");
}
