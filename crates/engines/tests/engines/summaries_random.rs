//! Random small call graphs, judged from kept paths alone: calls that are repeated, in loops and recursive, through pointers and globals. Wherever
//! both versions are said to be equal, to differ or to end, both are run in the interpreter. `VERDIFF_SEED=N` makes others.
//! The same call graphs show that what several engines say of one pair may be joined.

use crate::testing_support as support;

use std::fmt::Write;
use std::rc::Rc;
use support::{compare_texts, pair_named};
use verdiff_engines::flat::Flat;
use verdiff_engines::recursion::Recursion;
use verdiff_engines::summary::Summary;
use verdiff_engines::vocabulary;
use verdiff_judge::{
    Addition, Budget, Comparison, Depth, Engine, Evidence, Field, Findings, Judgement, Judgements,
    PairId, Rule, Side, Task,
};
use verdiff_logic::effort::Effort;
use verdiff_logic::{ArrayValue, Assignment, Bits, Formula, Sort, TermPool, Value as Number};
use verdiff_model::interp::{Limits, Machine};
use verdiff_model::state::{
    Contents, Difference, EntryState, Object, Pointer, PointerTarget, Run, Value, compare,
};
use verdiff_product::Facts;

/// How many call graphs.
const COUNT: usize = 40;
/// About how many of them several engines are asked, and of which seeds: engines once contradicted each other in these, in what
/// they said of addresses that no entry state has.
const TOGETHER: (usize, [u64; 2]) = (7, [4, 6]);
/// Numbers that are tried for each parameter.
const NUMBERS: [u32; 9] = [0, 1, 2, 3, 5, 7, 8, 12, u32::MAX];
/// What memory holds.
const HELD: [u32; 4] = [0, 3, 7, 12];
/// Where the object behind the pointer and the global are taken to lie.
const PLACES: [u64; 2] = [0x10_0000, 0x20_0000];

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

const PARAMETERS: &str = "(unsigned x, unsigned y, unsigned *p)";

/// What is at the bottom, with a hole that is filled differently in the two versions.
fn bottom(dice: &mut Dice, number: usize) -> [String; 2] {
    let (special, code) = (dice.roll(9), dice.roll(9));
    let test = match dice.roll(6) {
        0 => format!("x == {special}"),
        1 => format!("x < {special}"),
        2 => format!("(x & {}) == 0", special | 4),
        3 => format!("x > {special} && y == x"),
        4 => format!("s{number} == {special}"),
        _ => format!("*p == {special}"),
    };
    let rest = match dice.roll(7) {
        0 => "return x * 3 + y;".to_owned(),
        1 => format!("return s{number} += x;"),
        2 => "return x / (y | 1);".to_owned(),
        3 => "*p = x; return y;".to_owned(),
        4 => format!("s{number} = y; return x;"),
        5 => format!("return 8 / (x - {special});"),
        _ => "return x ^ y;".to_owned(),
    };
    let writes = match dice.roll(3) {
        0 => format!("s{number} = CODE; return x;"),
        1 => "*p = CODE; return x;".to_owned(),
        _ => "return CODE;".to_owned(),
    };
    [code, code + dice.roll(3)].map(|code| {
        let then = writes.replace("CODE", &code.to_string());
        format!(
            "unsigned s{number};\nunsigned a{number}{PARAMETERS} {{ if ({test}) {{ {then} }} {rest} }}\n"
        )
    })
}

/// A procedure that calls those below it, the same in both versions.
fn caller(dice: &mut Dice, name: &str, below: &[&str], number: usize) -> String {
    let args = ["x", "y", "x & 3", "x | 8", "x + 1", "x % 5", "7", "y & 1", "x - y", "*p"];
    let mut call = || {
        let (callee, pointer) = (dice.pick(below), format!("&s{number}"));
        let pointer = if dice.roll(4) == 0 { pointer.as_str() } else { "p" };
        format!("{callee}{number}({}, {}, {pointer})", dice.pick(&args), dice.pick(&args))
    };
    let (first, second) = (call(), call());
    let body = match dice.roll(11) {
        0 => format!("return {first};"),
        1 => format!("return {first} + {second};"),
        2 => format!("if (x == y) return 1; return {first};"),
        3 => format!("unsigned r = {first}; return r > 3 ? {second} : 0;"),
        4 => format!("return {first} & {};", 1 << dice.roll(4)),
        5 => format!("return x > 4 ? {first} : {second};"),
        6 => format!(
            "unsigned r = 0; for (unsigned i = 0; i < (y & 3); i++) r += {first}; return r;"
        ),
        7 => format!(
            "if ((x & 3) == 0) return {first}; return {name}{number}(x - 1, y, p) + {second};"
        ),
        8 => format!("s{number} |= 16; *p = {first}; return {second};"),
        9 => format!("{first}; return {second} == 3 ? 1 : 2;"),
        _ => format!("unsigned r = {first}; return r - {first};"),
    };
    format!("unsigned {name}{number}{PARAMETERS} {{ {body} }}\n")
}

/// The seed that the user wants.
fn wanted_seed() -> Option<u64> {
    std::env::var("VERDIFF_SEED").ok().and_then(|text| text.parse().ok())
}

fn texts(seed: u64) -> [String; 2] {
    let mut dice = Dice(seed);
    let mut texts = [String::new(), String::new()];
    for number in 0..COUNT {
        let bottoms = bottom(&mut dice, number);
        let mut above = caller(&mut dice, "b", &["a"], number);
        above += &caller(&mut dice, "c", &["a", "b"], number);
        above += &caller(&mut dice, "d", &["a", "b", "c"], number);
        for (text, bottom) in texts.iter_mut().zip(bottoms) {
            let _ = write!(text, "{bottom}{above}");
        }
    }
    texts
}

/// An entry state: two numbers, what the object and the global hold, and what the pointer leads to.
#[derive(Clone, Copy, Debug)]
struct State {
    x: u32,
    y: u32,
    object: u32,
    global: u32,
    /// Nothing, the object, or the global.
    pointer: Option<bool>,
}

fn states() -> Vec<State> {
    let mut all = vec![];
    for x in NUMBERS {
        for y in NUMBERS {
            for pointer in [None, Some(false), Some(true)] {
                for global in HELD {
                    let held = if pointer == Some(false) { HELD.as_slice() } else { &[5] };
                    all.extend(held.iter().map(|object| State {
                        x,
                        y,
                        object: *object,
                        global,
                        pointer,
                    }));
                }
            }
        }
    }
    all
}

impl State {
    /// As the interpreter has it.
    fn entry(&self, comparison: &Rc<Comparison>, side: Side, number: usize) -> EntryState {
        let program = comparison.program(side);
        let name = format!("s{number}");
        let global = program
            .globals
            .iter()
            .position(|g| g.name == name)
            .map(verdiff_model::GlobalId::new)
            .unwrap();
        let held =
            |number: u32| Contents { bytes: number.to_le_bytes().to_vec(), ..Contents::default() };
        let target = match self.pointer {
            None => PointerTarget::Null,
            Some(false) => PointerTarget::Object(0),
            Some(true) => PointerTarget::Global(global),
        };
        let pointer = Value::Pointer(Pointer { target, offset: 0 });
        EntryState {
            args: vec![Value::Bits(self.x.into()), Value::Bits(self.y.into()), pointer],
            objects: vec![Object { align: 4, contents: held(self.object) }],
            globals: vec![(global, held(self.global))],
            ..EntryState::default()
        }
    }

    /// Whether a condition holds of it; `None` if it speaks of more.
    fn fulfils(&self, formula: &Formula, number: usize) -> Option<bool> {
        let mut pool = TermPool::new();
        let term = formula.build(&mut pool).unwrap();
        let names = pool.free_names(&[term]);
        let mut assignment = Assignment::new();
        for symbol in names.symbols {
            let (name, sort) =
                (pool.symbol_name(symbol).to_owned(), pool.sort(pool.symbol_term(symbol)));
            let value = match name.as_str() {
                "x" => Number::Bits(Bits::new(32, self.x.into())),
                "y" => Number::Bits(Bits::new(32, self.y.into())),
                "p" => {
                    let at = self.pointer.map_or(0, |global| PLACES[usize::from(global)]);
                    Number::Bits(Bits::new(64, at.into()))
                }
                at if at == format!("&s{number}") => Number::Bits(Bits::new(64, PLACES[1].into())),
                _ if name.starts_with("memory.") => self.memory(&pool, sort)?,
                _ => return None,
            };
            assignment.set(&pool, symbol, value).unwrap();
        }
        pool.eval(term, &assignment).unwrap().as_bool().filter(|_| names.functions.is_empty())
    }

    /// All memory: whatever region it is, what lies there lies there.
    fn memory(&self, pool: &TermPool, sort: Sort) -> Option<Number> {
        let Sort::Array(sort) = sort else { return None };
        let cell = pool.array_parts(sort).1.width()? / 8;
        let mut array = ArrayValue::constant(sort, Number::Bits(Bits::zero(cell * 8)));
        for (place, held) in PLACES.iter().zip([self.object, self.global]) {
            for at in (0..4).step_by(cell as usize) {
                let index = Number::Bits(Bits::new(64, u128::from(place + at)));
                let bits = u128::from(held >> (8 * at)) & ((1u128 << (8 * cell)) - 1);
                array = array.store(index, Number::Bits(Bits::new(cell * 8, bits)));
            }
        }
        Some(Number::Array(array))
    }
}

/// Runs both from all states and compares with what is said. Gives how many statements held of a state that was run.
fn check(
    comparison: &Rc<Comparison>,
    pair: PairId,
    findings: &Findings,
    number: usize,
) -> [usize; 2] {
    let both = comparison.pair(pair);
    let (old, new) = (&comparison.old.program, &comparison.new.program);
    let mut machines = [Machine::new(old), Machine::new(new)];
    let limits = Limits { steps: 20_000, depth: 100, memory: 1 << 20, objects: 1 << 12 };
    let conditions = findings.candidates.iter().filter_map(|c| c.condition.as_ref());
    let said: Vec<_> = findings.additions.iter().chain(conditions).collect();
    let mut held = [0; 2];
    for state in states().iter().filter(|_| !said.is_empty()) {
        let entries = Side::BOTH.map(|side| state.entry(comparison, side, number));
        let runs = [
            machines[0].run(both.old, &entries[0], &limits),
            machines[1].run(both.new, &entries[1], &limits),
        ];
        let left = Run { program: old, entry: &entries[0], outcome: &runs[0] };
        let right = Run { program: new, entry: &entries[1], outcome: &runs[1] };
        let differ = match compare(left, right) {
            Some(Difference::Inconclusive) => continue,
            other => other.is_some(),
        };
        for addition in &said {
            let (wrong, kind) = match addition.evidence.adds {
                Field::EqualUnder => (differ, 0),
                Field::DifferUnder => (!differ, 1),
                _ => continue,
            };
            let holds = state.fulfils(&addition.formula, number);
            assert!(!wrong || holds != Some(true), "{}: {state:?}: {addition:#?}", both.function);
            held[kind] += usize::from(holds == Some(true));
        }
    }
    held
}

#[test]
fn what_kept_paths_say_is_true() {
    let [old, new] = texts(wanted_seed().unwrap_or(11));
    let comparison = compare_texts(&old, &new);
    let mut engine = Summary::new(&Facts::of(comparison.clone()));
    engine.never_entering = true;
    let (mut held, mut whole) = ([0; 2], [0; 2]);
    for number in 0..COUNT {
        let mut judgements = Judgements::new();
        for name in ["a", "b", "c", "d"] {
            let pair = pair_named(&comparison, &format!("{name}{number}")).unwrap();
            let nothing = Judgement::default();
            let task = Task {
                comparison: &comparison,
                pair,
                judgement: &nothing,
                judgements: &judgements,
            };
            let findings = engine.run(&task, &Budget::lasting(Effort::millis(400), 1));
            let more = check(&comparison, pair, &findings, number);
            held = [held[0] + more[0], held[1] + more[1]];
            let complete = findings.stopped.is_none() && name != "a";
            whole[usize::from(!findings.candidates.is_empty())] += usize::from(complete);
            let mut judgement = Judgement::default();
            for addition in findings.additions {
                judgement.add(addition).unwrap();
            }
            judgements.insert(pair, judgement);
        }
    }
    println!(
        "{held:?} states were said to be equal, to differ; {whole:?} callers are equal, different exactly"
    );
    assert!(held.iter().all(|n| *n >= 5_000), "{held:?}");
    assert!(whole.iter().all(|n| *n >= 10), "{whole:?}");
}

/// What is said to be equal, and what to differ.
fn said(findings: &Findings, field: Field) -> Vec<Formula> {
    let conditions = findings.candidates.iter().filter_map(|c| c.condition.as_ref());
    let all = findings.additions.iter().chain(conditions);
    all.filter(|a| a.evidence.adds == field).map(|a| a.formula.clone()).collect()
}

/// Where a judgement says what.
fn told(judgement: &Judgement) -> String {
    let parts = |field| judgement.condition(field).parts().iter().map(Formula::smt).collect();
    let [equal, differ] = [Field::EqualUnder, Field::DifferUnder].map(parts);
    let (equal, differ): (Vec<String>, Vec<String>) = (equal, differ);
    format!("equal {equal:#?}, different {differ:#?}")
}

/// Whether a condition speaks of memory.
fn speaks_of_memory(formula: &Formula) -> bool {
    formula.smt().contains("memory.")
}

/// Whether two conditions cover every state together, as parts of one condition do.
fn cover(parts: [&Formula; 2]) -> bool {
    let mut judgement = Judgement::default();
    for part in parts {
        let evidence = Evidence::new(Field::EqualUnder, "test", Rule::PathsEqual);
        judgement.add(Addition::new(part.clone(), evidence)).unwrap();
    }
    judgement.is_equal()
}

/// U of a pair is what all engines say together, and must exclude every C: that is right only if a name means the same in the
/// words of all of them. So their conditions are joined here, each is compared with runs in which every name stands for one
/// thing, and where one engine says exactly what differs and another one what is equal, both together cover everything.
#[test]
fn what_several_engines_say_is_true_together() {
    let (_, seeds) = TOGETHER;
    let seeds = wanted_seed().map_or(seeds.to_vec(), |seed| vec![seed]);
    let (mut joined, mut about_memory) = (0, 0);
    for [all, of_memory] in seeds.into_iter().map(joined_conditions) {
        joined += all;
        about_memory += of_memory;
    }
    println!(
        "{joined} times two engines cover everything, {about_memory} times speaking of memory"
    );
    if wanted_seed().is_none() {
        assert!(joined >= 20 && about_memory >= 10, "{joined}, {about_memory}");
    }
}

/// Joins what engines say. Gives how often two of them cover everything together, and how often both spoke of memory.
fn joined_conditions(seed: u64) -> [usize; 2] {
    let [old, new] = texts(seed);
    let comparison = compare_texts(&old, &new);
    let facts = Facts::of(comparison.clone());
    let mut engines: [(Box<dyn Engine>, Depth); 3] = [
        (Box::new(Flat::new(&facts)), Depth::Full),
        (Box::new(Summary::new(&facts)), Depth::Full),
        (Box::new(Recursion::new(&facts)), Depth::InParts),
    ];
    let (mut joined, mut about_memory) = (0, 0);
    for number in 0..TOGETHER.0 {
        let mut judgements = Judgements::new();
        for name in ["a", "b", "c", "d"] {
            let pair = pair_named(&comparison, &format!("{name}{number}")).unwrap();
            let nothing = Judgement::default();
            let (mut judgement, mut all) = (Judgement::default(), vec![]);
            for (engine, depth) in &mut engines {
                let task = Task {
                    comparison: &comparison,
                    pair,
                    judgement: &nothing,
                    judgements: &judgements,
                };
                let budget = Budget::lasting(Effort::millis(300), 1).at_depth(*depth);
                let findings = engine.run(&task, &budget);
                check(&comparison, pair, &findings, number);
                let conditions = findings.candidates.iter().filter_map(|c| c.condition.as_ref());
                for addition in findings.additions.iter().chain(conditions) {
                    let states = |pool: &mut _, terms: &[_]| {
                        vocabulary::entry_states(&comparison, pair, pool, terms)
                    };
                    let added = judgement.add_among(addition.clone(), &states);
                    assert!(added.is_ok(), "{name}{number}: {added:?}: {}", told(&judgement));
                }
                all.push(findings);
            }
            if judgement.is_equal() {
                let evidence = Evidence::new(Field::EqualUnder, "all", Rule::PathsEqual);
                let additions = vec![Addition::new(Formula::truth(), evidence)];
                let findings = Findings { additions, ..Findings::default() };
                check(&comparison, pair, &findings, number);
            }
            for (one, other) in [(0, 1), (1, 0), (2, 0), (2, 1)] {
                for equal in said(&all[one], Field::EqualUnder) {
                    for differ in said(&all[other], Field::DifferUnder) {
                        if cover([&equal, &differ]) {
                            joined += 1;
                            let both = speaks_of_memory(&equal) && speaks_of_memory(&differ);
                            about_memory += usize::from(both);
                        }
                    }
                }
            }
            judgements.insert(pair, judgement);
        }
    }
    [joined, about_memory]
}
