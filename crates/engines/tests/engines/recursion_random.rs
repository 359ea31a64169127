//! Thousands of tiny pairs over a small domain: whatever `recursion` proves is checked by running both
//! versions from every state.
//!
//! They are run first. A proof can only be wrong where runs differ, so pairs without such a run are tried only until enough
//! are proved to show that the engine proves what these tests are made of.

#[path = "recursion_parts/moved_random.rs"]
mod moved_random;

use crate::testing_support as support;

use std::fmt::Write;
use std::rc::Rc;
use std::time::Instant;
use support::{cases, compare_texts, effort, with_task};
use verdiff_engines::recursion::Recursion;
use verdiff_judge::{Budget, Comparison, Depth, Engine, Field, PairId};
use verdiff_logic::effort::Effort;
use verdiff_logic::{Assignment, Bits, Formula, Op, Sort, TermPool};
use verdiff_model::interp::{Limits, Machine};
use verdiff_model::state::{Difference, End, EntryState, Outcome, Run, Value, compare};
use verdiff_product::Facts;

/// A generator that is the same everywhere.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 33) % sides
    }

    fn pick<'a>(&mut self, of: &[&'a str]) -> &'a str {
        of[self.roll(of.len() as u64) as usize]
    }
}

/// A function as a list of pieces, so that the other version can have other pieces.
#[derive(Clone)]
struct Sketch {
    pieces: Vec<String>,
    kind: u64,
}

fn number(dice: &mut Dice) -> String {
    dice.roll(4).to_string()
}

/// An expression over `n` and `k`.
fn small(dice: &mut Dice) -> String {
    match dice.roll(7) {
        0 => "n".to_owned(),
        1 => "k".to_owned(),
        2 => number(dice),
        3 => format!("n + {}", number(dice)),
        4 => "n - 1".to_owned(),
        5 => "k + 1".to_owned(),
        _ => "n ^ k".to_owned(),
    }
}

/// A condition.
fn test(dice: &mut Dice) -> String {
    let op = dice.pick(&["==", "<=", ">", "!=", "=="]);
    format!("{} {op} {}", dice.pick(&["n", "n", "k"]), number(dice))
}

fn sketch(dice: &mut Dice) -> Sketch {
    let kind = dice.roll(6);
    let pieces = (0..6)
        .map(|piece| match piece {
            0 | 1 => test(dice),
            2 | 3 => small(dice),
            4 => dice.pick(&["n - 1", "n - 1", "n - 2", "n - k", "n + 1"]).to_owned(),
            _ => dice.pick(&["k", "k", "k + 1", "0", "n"]).to_owned(),
        })
        .collect();
    Sketch { pieces, kind }
}

/// The other version: something changed, or the same in other words.
fn changed(dice: &mut Dice, of: &Sketch) -> (Sketch, bool) {
    let mut other = of.clone();
    match dice.roll(4) {
        0 => (other, true),
        1 => {
            let at = dice.roll(6) as usize;
            other.pieces[at] = sketch(dice).pieces[at].clone();
            (other, dice.roll(2) == 0)
        }
        2 => {
            other.kind = dice.roll(6);
            (other, false)
        }
        _ => (other, false),
    }
}

/// The text of a function over numbers below 8. `other` says the same differently.
fn text(name: &str, of: &Sketch, other: bool) -> String {
    let p = &of.pieces;
    let call = |n: &str, k: &str| {
        format!("{name}((unsigned char)(({n}) & 7), (unsigned char)(({k}) & 7))")
    };
    let one = call(&p[4], &p[5]);
    let two = call("n - 2", &p[5]);
    let mut body = String::from("n &= 7; k &= 7; ");
    let base = if other {
        format!("if (!({})) ; else return ({}) & 7; ", p[0], p[2])
    } else {
        format!("if ({}) return ({}) & 7; ", p[0], p[2])
    };
    body += &base;
    body += &match of.kind {
        0 if other => format!("unsigned char r = {one}; return (r + ({})) & 7;", p[3]),
        0 => format!("return (({}) + {one}) & 7;", p[3]),
        1 => format!("if ({}) return {one}; return ({one} + {two}) & 7;", p[1]),
        2 if other => format!(
            "if ({}) return ({}) & 7; return {};",
            p[1],
            p[3],
            call(&format!("{one} - 1"), "k")
        ),
        2 => format!(
            "if (!({})) return {}; return ({}) & 7;",
            p[1],
            call(&format!("{one} - 1"), "k"),
            p[3]
        ),
        3 => format!("seen = (unsigned char)(seen * 3 + ({})); return {one};", p[3]),
        4 if other => format!(
            "unsigned char s = 0; while (!({})) {{ s = (s + ({})) & 7; n = ({}) & 7; k = ({}) & 7; }} return s;",
            p[0], p[3], p[4], p[5]
        ),
        4 => format!(
            "unsigned char s = 0; for (;;) {{ if ({}) return s; s = (({}) + s) & 7; n = ({}) & 7; k = ({}) & 7; }}",
            p[0], p[3], p[4], p[5]
        ),
        _ => format!(
            "unsigned char t = 0; do {{ t = (t + ({})) & 7; n = ({}) & 7; if ({}) break; }} while (!({})); return t;",
            p[3], p[4], p[1], p[0]
        ),
    };
    format!("unsigned char {name}(unsigned char n, unsigned char k) {{ {body} }}\n")
}

/// A state from which both versions end differently, and one from which only one of them ends.
fn differs(
    comparison: &Rc<Comparison>,
    pair: PairId,
    below: u128,
    others: &[u128],
) -> [Option<(u128, u128)>; 2] {
    all_that_differ(comparison, pair, below, others).map(|all| all.last().copied())
}

/// All of them.
fn all_that_differ(
    comparison: &Rc<Comparison>,
    pair: PairId,
    below: u128,
    others: &[u128],
) -> [Vec<(u128, u128)>; 2] {
    let mut found = [vec![], vec![]];
    let both = comparison.pair(pair);
    let (old, new) = (&comparison.old.program, &comparison.new.program);
    let mut machines = [Machine::new(old), Machine::new(new)];
    let limits = Limits { steps: 60_000, depth: 400, memory: 1 << 20, objects: 1 << 12 };
    for n in 0..below {
        for k in others.iter().copied() {
            let args = vec![Value::Bits(n), Value::Bits(k)];
            let entry = EntryState { args, ..EntryState::default() };
            let runs = [
                machines[0].run(both.old, &entry, &limits),
                machines[1].run(both.new, &entry, &limits),
            ];
            let left = Run { program: old, entry: &entry, outcome: &runs[0] };
            let right = Run { program: new, entry: &entry, outcome: &runs[1] };
            match compare(left, right) {
                None => {}
                Some(Difference::Inconclusive) => {
                    let ended = |o: &Outcome| matches!(o.end, End::Returned(_));
                    if ended(&runs[0]) != ended(&runs[1]) {
                        found[1].push((n, k));
                    }
                }
                Some(_) => found[0].push((n, k)),
            }
        }
    }
    found
}

#[test]
fn nothing_that_differs_is_proved() {
    const BATCH: usize = 60;
    let start = Instant::now();
    let mut dice = Dice(std::env::var("VERDIFF_SEED").map_or(2024, |seed| seed.parse().unwrap()));
    let (mut pairs, mut proved, mut alike, mut different) = (0, 0, 0, 0);
    while pairs < cases(60) {
        let (mut old, mut new) = (String::new(), String::new());
        for text_of in [&mut old, &mut new] {
            text_of.push_str("static unsigned char seen;\n");
        }
        for index in 0..BATCH {
            let first = sketch(&mut dice);
            let (second, other) = changed(&mut dice, &first);
            let name = format!("f{index}");
            write!(old, "{}", text(&name, &first, false)).unwrap();
            write!(new, "{}", text(&name, &second, other)).unwrap();
        }
        let comparison = compare_texts(&old, &new);
        let mut engine = Recursion::new(&Facts::of(comparison.clone()));
        for pair in comparison.pair_ids() {
            let budget = Budget::lasting(Effort::millis(60), 1);
            let found = with_task(&comparison, pair, |task| engine.run(task, &budget));
            let adds = |field| found.additions.iter().any(|a| a.evidence.adds == field);
            let (equal, ends) = (adds(Field::EqualUnder), adds(Field::AlikeUnder));
            let [apart, split] = differs(&comparison, pair, 8, &[0, 1, 2, 3, 4, 5, 6, 7]);
            pairs += 1;
            alike += usize::from(ends);
            proved += usize::from(equal);
            different += usize::from(apart.is_some());
            let name = &comparison.pair(pair).function;
            let line = |text: &str| {
                text.lines().find(|l| l.contains(&format!("char {name}("))).unwrap_or("").to_owned()
            };
            assert!(
                !(equal && apart.is_some() || ends && split.is_some()),
                "wrong: differs at {apart:?}, splits at {split:?}, {:?}\n{}\n{}",
                found.additions[0].evidence.rule,
                line(&old),
                line(&new)
            );
        }
    }
    println!(
        "{pairs} pairs, {proved} proved, {alike} alike, {different} different, {:?}",
        start.elapsed()
    );
    assert!(
        proved * 5 > pairs,
        "the test says something only if many are proved: {proved} of {pairs}"
    );
}

/// Whether a condition holds for two numbers.
fn holds(condition: &Formula, n: u128, k: u128) -> bool {
    let mut pool = TermPool::new();
    let term = condition.build(&mut pool).unwrap();
    let mut assignment = Assignment::new();
    for (name, value) in [("n", n), ("k", k)] {
        let symbol = pool.symbol(name, Sort::BitVec(8)).unwrap();
        let Op::Symbol(id) = pool.op(symbol) else { unreachable!() };
        assignment.set(&pool, id, verdiff_logic::Value::Bits(Bits::new(8, value))).unwrap();
    }
    pool.eval(term, &assignment).unwrap().as_bool().unwrap()
}

/// Recursion and loops with a case of their own that changed.
fn with_a_case(dice: &mut Dice, name: &str) -> [String; 2] {
    let case = format!("if ({}) return {};", test(dice), small(dice));
    let other = match dice.roll(3) {
        0 => case.clone(),
        1 => format!("if ({}) return {};", test(dice), small(dice)),
        _ => case.replace("return ", "return 1 + "),
    };
    let head = format!("unsigned char {name}(unsigned char n, unsigned char k)");
    let base = format!("if (n < {}) return k;", 1 + dice.roll(3));
    let step = dice.pick(&["n - 1, k", "n - 2, k", "n - 1, k + 1", "n / 2, k", "n - 1, 0"]);
    let work = dice.pick(&["n", "k", "3", "n * k"]);
    let text = |case: &str, order: bool| match order {
        true => format!("{head} {{ {base} {case} return {work} + {name}({step}); }}\n"),
        false => format!("{head} {{ {base} {case} return {name}({step}) + {work}; }}\n"),
    };
    let around = |case: &str, test: &str| {
        format!(
            "{head} {{ unsigned char i, s = 0; for (i = 0; {test}; i++) {{ {case} s += {work}; }} return s; }}\n"
        )
    };
    match dice.roll(2) {
        0 => [text(&case, true), text(&other, dice.roll(2) == 0)],
        _ => [around(&case, "i < n"), around(&other, dice.pick(&["n > i", "i < n", "i != n"]))],
    }
}

/// What is proved of some inputs holds of each of them.
#[test]
fn nothing_that_differs_is_in_a_part() {
    let mut dice = Dice(std::env::var("VERDIFF_SEED").map_or(5, |seed| seed.parse().unwrap()));
    let (mut pairs, mut whole, mut in_part) = (0, 0, 0);
    while pairs < cases(30) {
        let (mut old, mut new) = (String::new(), String::new());
        for text_of in [&mut old, &mut new] {
            text_of.push_str("static unsigned char seen;\n");
        }
        for index in 0..20 {
            let name = format!("f{index}");
            let [a, b] = match dice.roll(3) {
                0 => {
                    let first = sketch(&mut dice);
                    let (second, other) = changed(&mut dice, &first);
                    [text(&name, &first, false), text(&name, &second, other)]
                }
                _ => with_a_case(&mut dice, &name),
            };
            old += &a;
            new += &b;
        }
        let comparison = compare_texts(&old, &new);
        let mut engine = Recursion::new(&Facts::of(comparison.clone()));
        for pair in comparison.pair_ids() {
            let budget = Budget::lasting(Effort::seconds(2), 1).at_depth(Depth::InParts);
            let found = with_task(&comparison, pair, |task| engine.run(task, &budget));
            pairs += 1;
            let Some(equal) = found.additions.first() else { continue };
            let others = [0, 1, 2, 3, 7, 128, 255];
            let [apart, _] = all_that_differ(&comparison, pair, 256, &others);
            whole += usize::from(equal.formula.is_true());
            in_part += usize::from(!apart.is_empty());
            let name = &comparison.pair(pair).function;
            let line = |text: &str| {
                text.lines().find(|l| l.contains(&format!("char {name}("))).unwrap_or("").to_owned()
            };
            let wrong = apart.iter().find(|(n, k)| holds(&equal.formula, *n, *k));
            let (old, new) = (line(&old), line(&new));
            assert_eq!(wrong, None, "{}\n{old}\n{new}", equal.formula.smt());
        }
    }
    println!("{pairs} pairs, {whole} proved, {in_part} in part");
    assert!(in_part * 20 > pairs, "{in_part} of {pairs}");
}

/// A loop and the same loop with another counter: from above, moved, scaled, or tested at the end. Most of the time something
/// is changed on the way.
fn loops(dice: &mut Dice, name: &str) -> [String; 2] {
    let (start, end, step) =
        (dice.roll(3), dice.pick(&["n", "n", "k", "(n & 7)", "5"]), 1 + dice.roll(2));
    let test = dice.pick(&["<", "<=", "!=", "<"]);
    let work = |i: &str, dice: &mut Dice| match dice.roll(5) {
        0 => format!("s += {i};"),
        1 => format!("s = s * 3 + {i};"),
        2 => "s ^= k;".to_owned(),
        3 => format!("if ({i} == 3) s += 7; s++;"),
        _ => format!("s += {i} * 2;"),
    };
    let seed = dice.0;
    let body = work("i", &mut Dice(seed));
    let head = format!("unsigned char {name}(unsigned char n, unsigned char k)");
    let old = format!(
        "{head} {{ unsigned char i, s = 0; for (i = {start}; i {test} {end}; i += {step}) {{ {body} }} return s; }}\n"
    );
    // What is wrong, if anything is.
    let wrong = dice.roll(3);
    let (from, by) =
        (start + u64::from(wrong == 1), step + u64::from(wrong == 2 && dice.roll(2) == 0));
    let last = if wrong == 2 && dice.roll(2) == 0 { "s + (n == 11)" } else { "s" };
    let new = match dice.roll(4) {
        0 => format!(
            "{head} {{ unsigned char j = ({end}) - {from}, s = 0; while ((unsigned char)(({end}) - j) {test} {end}) {{ unsigned char i = ({end}) - j; {body} j -= {by}; }} return {last}; }}\n"
        ),
        1 => format!(
            "{head} {{ unsigned char j = {from} + 9, s = 0; while ((unsigned char)(j - 9) {test} {end}) {{ unsigned char i = j - 9; {body} j += {by}; }} return {last}; }}\n"
        ),
        2 => format!(
            "{head} {{ unsigned char i = {from}, s = 0; if (i {test} {end}) do {{ {body} i += {by}; }} while (i {test} {end}); return {last}; }}\n"
        ),
        _ => format!(
            "{head} {{ unsigned char i = {from}, j = 4 * {from}, s = 0; while (i {test} {end}) {{ {body} j += 4 * {by}; i = j / 4 == i + {by} ? j / 4 : i + {by}; }} return {last}; }}\n"
        ),
    };
    [old, new]
}

/// A loop that computes two things, and two loops; the two may depend on each other, and something may have changed on the way.
fn split_loops(dice: &mut Dice, name: &str) -> [String; 2] {
    let sum = |own: &str, other: &str, dice: &mut Dice| match dice.roll(9) {
        0 => format!("{own} += i;"),
        1 => format!("{own} = {own} * 3 + k;"),
        2 => format!("if ((i & k) == 1) {own} += 5;"),
        3 => format!("{own} ^= t[i & 3];"),
        4 => format!("if (t[i & 3] > {own}) {own} = t[i & 3];"),
        5 => format!("{own} += {other};"),
        6 => format!("{own} += k ? k : i;"),
        7 => format!("if ({other} > 9) {own}++;"),
        _ => format!("{own} -= i * k;"),
    };
    let (a, b) = (sum("a", "b", dice), sum("b", "a", dice));
    let test = dice.pick(&["i < n", "i < n && i != k", "i != n"]);
    let leave = dice.pick(&["", "if (i == 200) break;", "if (k == 9) break;"]);
    let head = format!("unsigned char {name}(unsigned char n, unsigned char k)");
    let vars = "unsigned char i, a = 1, b = 2;";
    let one = format!(
        "{head} {{ {vars} for (i = 0; {test}; i++) {{ {leave} {a} {b} }} return a * 7 + b; }}\n"
    );
    let (c, from) = match dice.roll(4) {
        0 => (sum("b", "a", dice), 0),
        1 => (b, 1),
        _ => (b, 0),
    };
    let two = format!(
        "{head} {{ {vars} for (i = 0; {test}; i++) {{ {leave} {a} }} for (i = {from}; {test}; i++) {{ {leave} {c} }} return a * 7 + b; }}\n"
    );
    if dice.roll(2) == 0 { [one, two] } else { [two, one] }
}

#[test]
fn no_split_loops_that_differ_are_proved() {
    let mut dice = Dice(std::env::var("VERDIFF_SEED").map_or(99, |seed| seed.parse().unwrap()));
    let (mut proved, mut different) = (0, 0);
    for _ in 0..cases(3).max(3) {
        let table = "static const unsigned char t[4] = {3, 1, 200, 9};\n";
        let (mut old, mut new) = (table.to_owned(), table.to_owned());
        for index in 0..20 {
            let [a, b] = split_loops(&mut dice, &format!("f{index}"));
            old += &a;
            new += &b;
        }
        let comparison = compare_texts(&old, &new);
        let mut engine = Recursion::new(&Facts::of(comparison.clone()));
        for pair in comparison.pair_ids() {
            let [apart, _] = differs(&comparison, pair, 256, &[0, 1, 3, 9, 200, 255]);
            if apart.is_none() && proved > 10 {
                continue;
            }
            let budget = Budget::lasting(effort(Effort::millis(150), Effort::millis(400)), 1);
            let found = with_task(&comparison, pair, |task| engine.run(task, &budget));
            let equal = found.additions.iter().any(|a| a.evidence.adds == Field::EqualUnder);
            proved += usize::from(equal);
            different += usize::from(apart.is_some());
            let name = &comparison.pair(pair).function;
            assert!(!(equal && apart.is_some()), "{name} differs at {apart:?}\n{old}\n{new}");
        }
    }
    println!("{proved} proved, {different} different");
    assert!(proved > 5 && different > 20, "{proved} proved, {different} different");
}

#[test]
fn no_loops_that_differ_are_proved() {
    let mut dice = Dice(std::env::var("VERDIFF_SEED").map_or(77, |seed| seed.parse().unwrap()));
    let (mut pairs, mut proved, mut related) = (0, 0, 0);
    while pairs < cases(40) {
        let (mut old, mut new) = (String::new(), String::new());
        for index in 0..20 {
            let [a, b] = loops(&mut dice, &format!("f{index}"));
            old += &a;
            new += &b;
        }
        let comparison = compare_texts(&old, &new);
        let mut engine = Recursion::new(&Facts::of(comparison.clone()));
        for pair in comparison.pair_ids() {
            let [apart, _] = differs(&comparison, pair, 256, &[0, 1, 4, 11, 200, 255]);
            pairs += 1;
            if apart.is_none() && related > cases(40) / 16 {
                continue;
            }
            let budget = Budget::lasting(effort(Effort::millis(400), Effort::millis(1500)), 1);
            let found = with_task(&comparison, pair, |task| engine.run(task, &budget));
            let equal = found.additions.iter().find(|a| a.evidence.adds == Field::EqualUnder);
            proved += usize::from(equal.is_some());
            related +=
                usize::from(equal.is_some_and(|a| a.evidence.rule.name() == "part-eq-related"));
            let name = &comparison.pair(pair).function;
            let line = |text: &str| {
                text.lines().find(|l| l.contains(&format!("char {name}("))).unwrap_or("").to_owned()
            };
            assert!(
                !(equal.is_some() && apart.is_some()),
                "wrong: differs at {apart:?}, {:?}\n{}\n{}",
                equal.map(|a| &a.evidence.rule),
                line(&old),
                line(&new)
            );
        }
    }
    println!("{pairs} pairs of loops, {proved} proved, {related} by relations");
    assert!(
        related * 20 > pairs,
        "the test says something only if many are proved: {related} of {pairs}"
    );
}

/// A library function that looks for something in a loop, and a client that asks a question about the result. The versions count, note
/// or return what they find.
fn client(dice: &mut Dice, name: &str) -> [String; 2] {
    let of =
        |dice: &mut Dice, list: &[&str]| list[dice.roll(list.len() as u64) as usize].to_owned();
    let test =
        of(dice, &["n % i == k % 4", "i & k", "i == k", "i % 3 == 0", "i > k", "(i ^ k) < 3"]);
    let (from, by) = (of(dice, &["1", "2", "k"]), of(dice, &["1", "1", "2"]));
    let question = of(dice, &["== 0", "!= 0", "> 0", "== 1", "< 2"]);
    let steps = [
        "c++", "c++", "c = 1", "return 1", "return 1", "c = 5", "c += 2", "c |= 4", "c--",
        "return 0",
    ];
    let mut version = || {
        let counter = of(dice, &["int", "int", "unsigned char", "signed char"]);
        let step = of(dice, &steps);
        format!(
            "static int find_{name}(unsigned char n, unsigned char k) {{ {counter} c = 0; int i = {from};
               while (i < n) {{ if ({test}) {step}; i += {by}; }} return c; }}
             unsigned char {name}(unsigned char n, unsigned char k) {{ return find_{name}(n, k) {question} ? 3 : 8; }}\n"
        )
    };
    [version(), version()]
}

#[test]
fn no_clients_that_differ_are_proved() {
    let mut dice = Dice(std::env::var("VERDIFF_SEED").map_or(55, |seed| seed.parse().unwrap()));
    let (mut pairs, mut proved, mut different) = (0, 0, 0);
    while pairs < cases(12).max(12) {
        let (mut old, mut new) = (String::new(), String::new());
        for index in 0..6 {
            let [a, b] = client(&mut dice, &format!("f{index}"));
            old += &a;
            new += &b;
        }
        let comparison = compare_texts(&old, &new);
        let mut engine = Recursion::new(&Facts::of(comparison.clone()));
        let clients = comparison.pair_ids().filter(|p| !comparison.pair(*p).function.contains('_'));
        for pair in clients {
            let [apart, _] = differs(&comparison, pair, 256, &[0, 1, 2, 3, 7, 100, 255]);
            pairs += 1;
            if apart.is_none() && proved > cases(12).max(12) / 8 {
                continue;
            }
            let budget = Budget::lasting(Effort::millis(700), 1);
            let found = with_task(&comparison, pair, |task| engine.run(task, &budget));
            let equal = found.additions.iter().any(|a| a.evidence.adds == Field::EqualUnder);
            proved += usize::from(equal);
            different += usize::from(apart.is_some());
            let name = &comparison.pair(pair).function;
            assert!(!(equal && apart.is_some()), "{name} differs at {apart:?}\n{old}\n{new}");
        }
    }
    println!("{pairs} clients, {proved} proved, {different} different");
    assert!(
        proved * 8 > pairs && different * 6 > pairs,
        "{proved} proved, {different} different of {pairs}"
    );
}
