//! Thousands of tiny loops and recursions over a small domain: whatever `termination` claims of a pair is checked by running
//! both versions until they end or repeat themselves. `VERDIFF_CASES` (percent) and `VERDIFF_SEED` make it more, and others.

use crate::testing_support as support;

use std::fmt::Write;
use std::rc::Rc;
use support::{cases, compare_texts, with_task};
use verdiff_engines::termination::Termination;
use verdiff_judge::{Budget, Comparison, Engine, Field, PairId, Side};
use verdiff_logic::effort::Effort;
use verdiff_logic::{Assignment, Bits, Formula, Sort, TermPool, Value as Number};
use verdiff_model::ProcId;
use verdiff_model::interp::{Limits, Machine};
use verdiff_model::state::{EntryState, Value};
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

fn var(dice: &mut Dice) -> &'static str {
    dice.pick(&["a", "b"])
}

fn number(dice: &mut Dice) -> &'static str {
    dice.pick(&["0", "1", "1", "2", "3", "7", "8", "14", "15"])
}

fn value(dice: &mut Dice) -> String {
    let (x, y, k) = (var(dice), var(dice), number(dice));
    match dice.roll(12) {
        0..3 => format!("{x} + 1"),
        3..5 => format!("{x} - 1"),
        5 => format!("{x} + {k}"),
        6 => format!("{x} - {y}"),
        7 => format!("{x} >> 1"),
        8 => format!("{x} & ({x} - 1)"),
        9 => format!("{x} / 3"),
        10 => format!("{x} ^ {k}"),
        _ => format!("{x} * {k}"),
    }
}

fn test(dice: &mut Dice) -> String {
    let op = dice.pick(&["<", "<=", "!=", "!=", ">", ">=", "=="]);
    let right = if dice.roll(2) == 0 { var(dice) } else { number(dice) };
    match dice.roll(8) {
        0 => format!("{} & 1", var(dice)),
        _ => format!("{} {op} {right}", var(dice)),
    }
}

/// How a value is kept small: by a mask, or by its type.
#[derive(Clone, Copy)]
struct Domain {
    mask: &'static str,
    ctype: &'static str,
}

fn statement(dice: &mut Dice, domain: Domain, depth: u32) -> String {
    let assign = |dice: &mut Dice| format!("{} = ({}){};", var(dice), value(dice), domain.mask);
    match dice.roll(9) {
        0..5 => assign(dice),
        5 | 6 => {
            let (when, then, other) = (test(dice), assign(dice), assign(dice));
            format!("if ({when}) {{ {then} }} else {{ {other} }}")
        }
        7 if depth > 0 => {
            let (when, body) = (test(dice), assign(dice));
            let more = if dice.roll(2) == 0 { assign(dice) } else { String::new() };
            format!("while ({when}) {{ {body} {more} }}")
        }
        _ => {
            let jump = dice.pick(&["break", "continue", "return a"]);
            format!("if ({}) {jump};", test(dice))
        }
    }
}

fn function(dice: &mut Dice, name: &str, domain: Domain) -> String {
    let Domain { mask, ctype } = domain;
    if dice.roll(5) == 0 {
        let (when, x, y) = (test(dice), value(dice), value(dice));
        let call = format!("{name}(({x}){mask}, ({y}){mask})");
        return format!(
            "{ctype} {name}({ctype} a, {ctype} b) {{ if ({when}) return a; return {call} ^ 1; }}\n"
        );
    }
    let mut body = String::new();
    for _ in 0..1 + dice.roll(3) {
        let _ = write!(body, "{} ", statement(dice, domain, 1));
    }
    // In the larger domain one variable stays as it is.
    if mask.is_empty() {
        body = body.replace("b = ", "a = ");
    }
    let small = if mask.is_empty() { "" } else { "a &= 15; b &= 15;" };
    format!(
        "{ctype} {name}({ctype} a, {ctype} b) {{ {small} while ({}) {{ {body} }} return a ^ b; }}\n",
        test(dice)
    )
}

/// Loops one after the other, and calls of a function that loops or calls itself.
fn sequence(dice: &mut Dice, name: &str, domain: Domain) -> String {
    let Domain { mask, ctype } = domain;
    let callee = format!("{name}_callee");
    let of_callee = function(dice, &callee, domain);
    let one = |dice: &mut Dice| {
        let body = format!("{} {}", statement(dice, domain, 0), statement(dice, domain, 0));
        format!("while ({}) {{ {body} }}", test(dice))
    };
    let call = |dice: &mut Dice| {
        let (x, y) = (value(dice), value(dice));
        format!("{callee}(({x}){mask}, ({y}){mask})")
    };
    let mut body = match dice.roll(4) {
        0 | 1 => format!("{} {}", one(dice), one(dice)),
        2 => format!("if ({}) a = {}; if ({}) {}", test(dice), call(dice), test(dice), one(dice)),
        _ => {
            format!("if ({}) return {}; {}; a = {};", test(dice), call(dice), one(dice), call(dice))
        }
    };
    if mask.is_empty() {
        body = body.replace("b = ", "a = ");
    }
    let small = if mask.is_empty() { "" } else { "a &= 15; b &= 15;" };
    format!("{of_callee}{ctype} {name}({ctype} a, {ctype} b) {{ {small} {body} return a ^ b; }}\n")
}

/// Long enough that whoever has not ended has been in the same state twice: at most 256 states a loop, and 256 of an inner one
/// for each, a few steps each; for recursion the depth.
const LIMITS: Limits = Limits { steps: 200_000, depth: 2000, memory: 16 << 20, objects: 1 << 12 };

fn ends(machine: &mut Machine<'_>, procedure: ProcId, args: [u128; 2]) -> bool {
    let entry = EntryState { args: args.map(Value::Bits).to_vec(), ..EntryState::default() };
    machine.run(procedure, &entry, &LIMITS).is_conclusive()
}

fn holds(formula: &Formula, args: [u128; 2]) -> bool {
    let mut pool = TermPool::new();
    let term = formula.build(&mut pool).unwrap();
    let mut assignment = Assignment::new();
    for (name, value) in ["a", "b"].into_iter().zip(args) {
        let symbol = pool.symbol(name, Sort::BitVec(8)).unwrap();
        let symbol = pool.as_symbol(symbol).unwrap();
        assignment.set(&pool, symbol, Number::Bits(Bits::new(8, value))).unwrap();
    }
    pool.eval(term, &assignment).unwrap().as_bool() == Some(true)
}

/// How much was claimed, so that the test is known to test something.
#[derive(Default)]
struct Claims {
    pairs: usize,
    always: usize,
    splits: usize,
    exact: usize,
    checked: usize,
}

fn check(
    comparison: &Rc<Comparison>,
    pair: PairId,
    engine: &mut Termination,
    machines: &mut [Machine<'_>; 2],
    claims: &mut Claims,
) {
    let budget = Budget::lasting(Effort::seconds(5), 1);
    let found = with_task(comparison, pair, |task| engine.run(task, &budget));
    let name = &comparison.pair(pair).function;
    claims.pairs += 1;
    let is_split = |field| field == Field::SplitUnder;
    let always = |a: &verdiff_judge::Addition| a.formula.is_true() && !is_split(a.evidence.adds);
    claims.always += usize::from(found.additions.iter().any(always));
    claims.splits += usize::from(found.additions.iter().any(|a| is_split(a.evidence.adds)));
    let edge = [0u128, 1, 2, 3, 7, 8, 14, 15, 16, 100, 127, 128, 129, 200, 254, 255];
    let mut everywhere = !found.additions.is_empty();
    for a in edge {
        for b in [0u128, 1, 7, 15, 128, 254, 255] {
            let args = [a, b];
            let claimed: Vec<&verdiff_judge::Addition> =
                found.additions.iter().filter(|x| holds(&x.formula, args)).collect();
            everywhere &= !claimed.is_empty();
            if claimed.is_empty() {
                continue;
            }
            let [first, second] = &mut *machines;
            let old = ends(first, comparison.pair(pair).old, args);
            let new = ends(second, comparison.pair(pair).new, args);
            for addition in claimed {
                claims.checked += 1;
                let right = match addition.evidence.ends_alone() {
                    Some(Side::Old) => old && !new,
                    Some(Side::New) => !old && new,
                    None => old == new,
                };
                assert!(
                    right,
                    "{name}({a}, {b}): {} is claimed under {}, but the old version ends: {old}, the new: {new}",
                    addition.evidence.rule.name(),
                    addition.formula.smt()
                );
            }
        }
    }
    claims.exact += usize::from(everywhere);
}

/// Judges so many pairs of functions of a kind, and checks what is claimed of them.
fn judge(count: usize, kind: fn(&mut Dice, &str, Domain) -> String) -> Claims {
    let seed = std::env::var("VERDIFF_SEED").ok().and_then(|n| n.parse().ok()).unwrap_or(7);
    let mut dice = Dice(seed);
    let mut claims = Claims::default();
    while claims.pairs < count {
        let mut texts = [String::new(), String::new()];
        let domains = [
            Domain { mask: " & 15", ctype: "unsigned char" },
            Domain { mask: "", ctype: "unsigned char" },
            Domain { mask: "", ctype: "signed char" },
        ];
        for number in 0..50 {
            let domain = domains[dice.roll(3) as usize];
            for text in &mut texts {
                text.push_str(&kind(&mut dice, &format!("f{number}"), domain));
            }
        }
        let comparison = compare_texts(&texts[0], &texts[1]);
        let mut engine = Termination::new(&Facts::of(comparison.clone()));
        let mut machines = Side::BOTH.map(|side| Machine::new(comparison.program(side)));
        for pair in comparison.pair_ids() {
            let name = comparison.pair(pair).function.clone();
            let checked = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
                check(&comparison, pair, &mut engine, &mut machines, &mut claims);
            }));
            if checked.is_err() {
                let of = |text: &str| {
                    let own = |l: &&str| {
                        l.contains(&format!(" {name}(")) || l.contains(&format!(" {name}_"))
                    };
                    text.lines().filter(own).collect::<Vec<_>>().join("\n")
                };
                panic!("{}\n{}", of(&texts[0]), of(&texts[1]));
            }
        }
    }
    println!(
        "{} pairs: {} always alike, {} with a split, {} decided everywhere, {} claims checked",
        claims.pairs, claims.always, claims.splits, claims.exact, claims.checked
    );
    claims
}

#[test]
fn no_claim_is_wrong() {
    let claims = judge(cases(75), function);
    assert!(claims.always * 10 > claims.pairs, "hardly any pair is proved to end");
    assert!(claims.splits * 10 > claims.pairs, "hardly any hang is found");
}

#[test]
fn no_claim_about_sequences_and_calls_is_wrong() {
    let claims = judge(cases(24), sequence);
    assert!(claims.always * 20 > claims.pairs, "hardly any pair is proved to end");
    assert!(claims.splits * 20 > claims.pairs, "hardly any hang is found");
}
