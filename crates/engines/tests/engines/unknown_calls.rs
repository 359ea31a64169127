//! Induction over loops that call unknown functions, which may write and free whatever they get at.
//!
//! What is proved with `put` unknown must hold for every `put`. So the pairs are run with definitions of it that write
//! globals and free what a global points to.

use crate::testing_support as support;

use std::rc::Rc;
use support::{cases, compare_texts, pair_named, with_task};
use verdiff_engines::recursion::Recursion;
use verdiff_judge::{Budget, Comparison, Engine, Field};
use verdiff_logic::effort::Effort;
use verdiff_model::interp::{Limits, Machine};
use verdiff_model::state::{Difference, EntryState, Run, Value, compare};
use verdiff_product::Facts;

/// What versions are made of.
const HEAD: &str =
    "void *malloc(unsigned long); void free(void *); int put(int); extern int g; extern int *h;\n";

/// Definitions of `put`: it only answers, it writes `g`, it writes `*h`, it frees `*h` once.
const DEFINITIONS: [&str; 4] = [
    "int put(int x) { return x * 3 + 1; }",
    "int put(int x) { g = g * 5 + x; return g & 7; }",
    "int put(int x) { if (h) *h += x; return x; }",
    "int gone; int put(int x) { if (x == 2 && !gone) { free(h); gone = 1; } return 1; }",
];

fn is_proved(old: &str, new: &str) -> bool {
    is_proved_within(old, new, Effort::seconds(3))
}

fn is_proved_within(old: &str, new: &str, effort: Effort) -> bool {
    let comparison = compare_texts(&format!("{HEAD}{old}"), &format!("{HEAD}{new}"));
    let pair = pair_named(&comparison, "f").expect("a pair named f");
    let mut engine = Recursion::new(&Facts::of(comparison.clone()));
    let budget = Budget::lasting(effort, 1);
    let found = with_task(&comparison, pair, |task| engine.run(task, &budget));
    found.additions.iter().any(|a| a.evidence.adds == Field::EqualUnder)
}

/// Arguments, and the number of a definition of `put`, with which the versions differ.
fn difference(old: &str, new: &str) -> Option<(u128, u128, usize)> {
    for (number, put) in DEFINITIONS.iter().enumerate() {
        let rest = format!(
            "int g; int *h; {put}\nint t(int n, int k) {{ g = k; h = malloc(sizeof(int)); if (!h) return 0; *h = k; return f(n, k) + g; }}\n"
        );
        let all = |version: &str| format!("{HEAD}{version}{rest}");
        let comparison = compare_texts(&all(old), &all(new));
        for n in 0..6 {
            for k in [0, 1, 2, 7] {
                if run_differs(&comparison, n, k) {
                    return Some((n, k, number));
                }
            }
        }
    }
    None
}

fn run_differs(comparison: &Rc<Comparison>, n: u128, k: u128) -> bool {
    let pair = comparison.pair(pair_named(comparison, "t").expect("a pair named t"));
    let (old, new) = (&comparison.old.program, &comparison.new.program);
    let limits = Limits { steps: 20_000, ..Limits::default() };
    let entry = EntryState { args: vec![Value::Bits(n), Value::Bits(k)], ..EntryState::default() };
    let runs = [
        Machine::new(old).run(pair.old, &entry, &limits),
        Machine::new(new).run(pair.new, &entry, &limits),
    ];
    let left = Run { program: old, entry: &entry, outcome: &runs[0] };
    let right = Run { program: new, entry: &entry, outcome: &runs[1] };
    !matches!(compare(left, right), None | Some(Difference::Inconclusive))
}

fn for_loop(body: &str) -> String {
    format!(
        "int f(int n, int k) {{ int i, s = 0; for (i = 0; i < n; i++) {{ {body} }} return s; }}\n"
    )
}

fn while_loop(body: &str) -> String {
    format!(
        "int f(int n, int k) {{ int i = 0, s = 0; while (n > i) {{ {body} i = 1 + i; }} return s; }}\n"
    )
}

/// A loop that counts down, so that variables of both versions are related in another way.
fn down_loop(body: &str) -> String {
    format!(
        "int f(int n, int k) {{ int j, s = 0; for (j = n; j > 0; j--) {{ int i = n - j; {body} }} return s; }}\n"
    )
}

#[test]
fn loops_that_call_unknown_functions_are_proved() {
    for (old, new) in [
        ("put(s); s += i;", "int v = s; put(v); s = i + v;"),
        ("s += put(i) * k;", "int v = put(i); s = k * v + s;"),
        ("g = s; put(g); s += g;", "int v = s; g = v; put(v); s = g + s;"),
        ("s += *h; put(i); s += *h;", "int v = *h + s; put(i); s = v + *h;"),
        ("int t = k * 3; put(t);", "put(k + k + k);"),
    ] {
        let (old, new) = (for_loop(old), while_loop(new));
        assert!(is_proved(&old, &new), "{old}{new}");
        assert!(is_proved(&new, &old), "{new}{old}");
        assert_eq!(difference(&old, &new), None, "{old}{new}");
    }
    let (old, new) = (for_loop("put(i);"), down_loop("put(i);"));
    assert!(is_proved(&old, &new) && is_proved(&new, &old), "{old}{new}");
}

/// ✗ `put` may write `g` and `*h`, and may free `*h`: nothing may be moved past it.
#[test]
fn nothing_moves_past_an_unknown_function() {
    for (old, new) in [
        ("put(i); s += g;", "s = g + s; put(i);"),
        ("put(i); s += *h;", "s = *h + s; put(i);"),
        ("*h = s; put(i);", "put(i); *h = s;"),
        ("put(i); put(k);", "put(k); put(i);"),
        ("put(i); *h = *h;", "put(i);"),
        ("int v = *h; put(i); s += v;", "put(i); s = *h + s;"),
    ] {
        let (old, new) = (for_loop(old), while_loop(new));
        assert!(difference(&old, &new).is_some(), "the test is about a difference: {old}{new}");
        let shortly = Effort::millis(500);
        assert!(!is_proved_within(&old, &new, shortly), "{old}{new}");
        assert!(!is_proved_within(&new, &old, shortly), "{new}{old}");
    }
}

/// ✗ Neither before nor behind the loop: what the loop called may have written or freed it.
#[test]
fn nothing_moves_past_a_loop_of_unknown_calls() {
    let old =
        "int f(int n, int k) { int i, s = *h; for (i = 0; i < n; i++) { put(i); } return s; }\n";
    let new =
        "int f(int n, int k) { int i = 0; while (n > i) { put(i); i = 1 + i; } return *h; }\n";
    assert!(difference(old, new).is_some());
    assert!(!is_proved(old, new) && !is_proved(new, old));
}

struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 33) % sides
    }
}

const STATEMENTS: [&str; 12] = [
    "put(i);",
    "put(s);",
    "s += put(k);",
    "if (s & 4) put(7);",
    "s += g;",
    "g = s;",
    "s += *h;",
    "*h = s;",
    "s += i;",
    "s ^= k;",
    "if (g > 3) s++;",
    "put(*h);",
];

#[test]
fn no_random_loops_that_differ_are_proved() {
    let mut dice = Dice(std::env::var("VERDIFF_SEED").map_or(5, |seed| seed.parse().unwrap()));
    let (mut proved, mut different) = (0, 0);
    for _ in 0..cases(16).max(16) {
        let pick = |dice: &mut Dice| STATEMENTS[dice.roll(STATEMENTS.len() as u64) as usize];
        let body: Vec<&str> = (0..2 + dice.roll(3)).map(|_| pick(&mut dice)).collect();
        let mut other = body.clone();
        let at = dice.roll(body.len() as u64 - 1) as usize;
        match dice.roll(5) {
            0 => other.swap(at, at + 1),
            1 => drop(other.remove(at)),
            2 => other[at] = pick(&mut dice),
            3 => other.insert(at, pick(&mut dice)),
            _ => {}
        }
        let other = other.join(" ");
        let new = if dice.roll(3) == 0 { down_loop(&other) } else { while_loop(&other) };
        let old = for_loop(&body.join(" "));
        let apart = difference(&old, &new);
        different += usize::from(apart.is_some());
        let equal = is_proved_within(&old, &new, Effort::millis(400));
        proved += usize::from(equal);
        assert!(!(equal && apart.is_some()), "differs at {apart:?}:\n{old}{new}");
    }
    println!("{proved} proved, {different} different");
    assert!(proved > 2 && different > 4, "{proved} proved, {different} different");
}
