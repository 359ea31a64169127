//! Random callers of random changed callees: wherever they are said to be equal, or to differ, both versions are run.
//! `VERDIFF_SEED=N` makes others.

use crate::testing_support as support;

use std::fmt::Write;
use std::rc::Rc;
use support::{compare_texts, pair_named};
use verdiff_engines::flat::Flat;
use verdiff_engines::summary::Summary;
use verdiff_judge::{
    Budget, Comparison, Engine, Field, Findings, Judgement, Judgements, PairId, Task,
};
use verdiff_logic::effort::Effort;
use verdiff_logic::{Assignment, Bits, Formula, TermPool, Value as Number};
use verdiff_model::interp::{Limits, Machine};
use verdiff_model::state::{Difference, EntryState, Run, Value, compare};
use verdiff_product::Facts;

/// How many pairs of a callee and a caller.
const COUNT: usize = 45;
/// Numbers that are tried.
const NUMBERS: [u128; 14] = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 16, 255, 0xffff_ffff];

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

/// A callee with a hole, filled differently in the two versions.
fn callee(dice: &mut Dice, number: usize) -> [String; 2] {
    let (special, code) = (dice.roll(9), dice.roll(9));
    let test = match dice.roll(4) {
        0 => format!("x == {special}"),
        1 => format!("x < {special}"),
        2 => format!("(x & {}) == 0", special | 4),
        _ => format!("x > {special} && y == x"),
    };
    let rest = match dice.roll(4) {
        0 => "x * x + y".to_owned(),
        1 => format!("state{number} += x"),
        2 => "x / (y | 1)".to_owned(),
        _ => "x ^ y".to_owned(),
    };
    let before = match dice.roll(4) {
        0 => "for (unsigned i = 0; i < (x & 3); i++) y += x;",
        1 => "for (unsigned i = 0; i < x; i += 2) y ^= i;",
        _ => "",
    };
    [code, code + dice.roll(3)].map(|code| {
        format!(
            "static unsigned state{number};\nstatic unsigned g{number}(unsigned x, unsigned y) \
             {{ {before} if ({test}) return {code}; return {rest}; }}\n"
        )
    })
}

/// A caller of it, the same in both versions.
fn caller(dice: &mut Dice, number: usize) -> String {
    let args = ["x", "y", "x & 3", "x | 8", "x + 1", "x % 5", "7", "y & 1", "x - y"];
    let mut call = || format!("g{number}({}, {})", dice.pick(&args), dice.pick(&args));
    let (first, second) = (call(), call());
    let body = match dice.roll(6) {
        0 => format!("return {first};"),
        1 => format!("return {first} + {second};"),
        2 => format!("if (x == y) return 1; return {first};"),
        3 => format!("unsigned r = {first}; return r > 3 ? {second} : 0;"),
        4 => format!("return {first} & {};", 1 << dice.roll(4)),
        _ => format!("return x > 4 ? {first} : {second};"),
    };
    format!("unsigned f{number}(unsigned x, unsigned y) {{ {body} }}\n")
}

fn texts() -> [String; 2] {
    let seed = std::env::var("VERDIFF_SEED").ok().and_then(|text| text.parse().ok());
    let mut dice = Dice(seed.unwrap_or(7));
    let mut texts = [String::new(), String::new()];
    for number in 0..COUNT {
        let callees = callee(&mut dice, number);
        let caller = caller(&mut dice, number);
        for (text, callee) in texts.iter_mut().zip(callees) {
            let _ = write!(text, "{callee}{caller}");
        }
    }
    texts
}

/// Whether a condition over the parameters holds; `None` if it speaks of more.
fn holds(formula: &Formula, x: u128, y: u128) -> Option<bool> {
    let mut pool = TermPool::new();
    let term = formula.build(&mut pool).unwrap();
    let names = pool.free_names(&[term]);
    let mut assignment = Assignment::new();
    for symbol in names.symbols {
        let value = match pool.symbol_name(symbol) {
            "x" => x,
            "y" => y,
            _ => return None,
        };
        assignment.set(&pool, symbol, Number::Bits(Bits::new(32, value))).unwrap();
    }
    pool.eval(term, &assignment).unwrap().as_bool().filter(|_| names.functions.is_empty())
}

/// Runs both from all states and compares with what is said.
fn check(comparison: &Rc<Comparison>, pair: PairId, findings: &Findings) {
    let both = comparison.pair(pair);
    let (old, new) = (&comparison.old.program, &comparison.new.program);
    let mut machines = [Machine::new(old), Machine::new(new)];
    let limits = Limits { steps: 20_000, depth: 100, memory: 1 << 20, objects: 1 << 12 };
    let conditions = findings.candidates.iter().filter_map(|c| c.condition.as_ref());
    let said: Vec<_> = findings.additions.iter().chain(conditions).collect();
    for x in NUMBERS {
        for y in NUMBERS {
            let args = vec![Value::Bits(x), Value::Bits(y)];
            let entry = EntryState { args, ..EntryState::default() };
            let runs = [
                machines[0].run(both.old, &entry, &limits),
                machines[1].run(both.new, &entry, &limits),
            ];
            let left = Run { program: old, entry: &entry, outcome: &runs[0] };
            let right = Run { program: new, entry: &entry, outcome: &runs[1] };
            let differ = match compare(left, right) {
                Some(Difference::Inconclusive) => continue,
                other => other.is_some(),
            };
            for addition in &said {
                let wrong = match addition.evidence.adds {
                    Field::EqualUnder => differ,
                    Field::DifferUnder => !differ,
                    _ => false,
                };
                let holds = wrong.then(|| holds(&addition.formula, x, y)).flatten();
                assert_ne!(holds, Some(true), "{}: x = {x}, y = {y}: {addition:#?}", both.function);
            }
        }
    }
}

/// Makes an engine for a comparison.
type Make = fn(&Rc<Facts>) -> Box<dyn Engine>;

#[test]
fn what_is_said_of_callers_is_true() {
    let [old, new] = texts();
    let comparison = compare_texts(&old, &new);
    let engines: [Make; 2] =
        [|facts| Box::new(Flat::new(facts)), |facts| Box::new(Summary::new(facts))];
    // How many callers are known to be equal somewhere because a callee that differs is.
    let mut rests_on = [0; 2];
    for (engine, rests_on) in engines.into_iter().zip(&mut rests_on) {
        let mut engine = engine(&Facts::of(comparison.clone()));
        for number in 0..COUNT {
            let mut judgements = Judgements::new();
            for name in ["g", "f"] {
                let pair = pair_named(&comparison, &format!("{name}{number}")).unwrap();
                let nothing = Judgement::default();
                let task = Task {
                    comparison: &comparison,
                    pair,
                    judgement: &nothing,
                    judgements: &judgements,
                };
                let budget = Budget::lasting(Effort::millis(600), 1);
                let findings = engine.run(&task, &budget);
                check(&comparison, pair, &findings);
                let mut judgement = Judgement::default();
                for addition in &findings.additions {
                    let evidence = &addition.evidence;
                    let equality = evidence.adds == Field::EqualUnder;
                    *rests_on += usize::from(
                        equality
                            && name == "f"
                            && judgements.values().any(|g| !g.is_equal())
                            && !evidence.uses.is_empty(),
                    );
                    judgement.add(addition.clone()).unwrap();
                }
                judgements.insert(pair, judgement);
            }
        }
    }
    println!("{rests_on:?} of {COUNT} callers rest on what is known of a callee that differs");
    assert!(rests_on.iter().sum::<usize>() >= 8, "{rests_on:?}");
}
