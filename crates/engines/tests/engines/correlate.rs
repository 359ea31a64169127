//! What `correlate` claims, and that no run refutes it: both versions are run with a probe at every meeting point, and
//! the claims are checked along the interleaving.

use crate::testing_support::{compare_texts, pair_named, percent};
use std::rc::Rc;
use verdiff_engines::correlate::{Map, candidates, correlate, correlate_quickly};
use verdiff_judge::correlation::{Correlation, EventKind};
use verdiff_judge::{Comparison, Side};
use verdiff_model::interp::{Limits, Machine};
use verdiff_model::state::{EntryState, Event, Value};
use verdiff_model::{
    Callee, Expr, ExternId, External, ExternalKind, Loc, Program, Signature, Stmt, StmtKind,
    TerminatorKind, VarId,
};
use verdiff_polyhedra::{Integer, Rational};
use verdiff_product::Facts;
use verdiff_product::candidates::{CandidateFact, CandidateInvariant, ToZero};

const STEPS: u64 = 4_000;

fn correlated(old: &str, new: &str) -> (Rc<Comparison>, Correlation, Option<Map>) {
    let comparison = compare_texts(old, new);
    let pair = pair_named(&comparison, "f").expect("a pair named f");
    let (correlation, map) = correlate(&Facts::of(comparison.clone()), pair, STEPS);
    (comparison, correlation, map)
}

fn is_equal_at_the_end(correlation: &Correlation) -> bool {
    let mut ends =
        correlation.points.iter().filter(|point| !matches!(point.old.kind, EventKind::Output(_)));
    correlation.inductive && ends.all(|point| point.equal) && !correlation.points.is_empty()
}

#[test]
fn scaled_accumulators_are_equal_though_they_overflow() {
    let old = "int f(int x, int n) { int i, z = 0; for (i = 0; i != n; ++i) { x += z * 5; z += 1; if (i >= 5) z += 3; } return x; }";
    let new = "int f(int x, int n) { int i, z = 0; for (i = 0; i != n; ++i) { x += z; z += 5; if (i >= 5) z += 15; } return x; }";
    assert!(is_equal_at_the_end(&correlated(old, new).1));
    let wrong = new.replace("15", "14");
    assert!(!is_equal_at_the_end(&correlated(old, &wrong).1));
}

/// ✗ An interleaving that never meets the regions proves nothing: the ends are met, and differ.
#[test]
fn different_increments_are_not_equal() {
    let (_, correlation, _) =
        correlated("int f(int s) { s += 1; return s; }", "int f(int s) { s += 2; return s; }");
    assert!(!is_equal_at_the_end(&correlation));
}

/// ✗ An overflow makes linear facts wrong: `i + 1 > i` is not always true.
#[test]
fn what_may_overflow_is_not_taken_for_a_number() {
    let (_, correlation, _) =
        correlated("int f(int i) { return i + 1 > i; }", "int f(int i) { return 1; }");
    assert!(!is_equal_at_the_end(&correlation));
    let unsigned = (
        "int f(unsigned a) { return a < 2147483648u; }",
        "int f(unsigned a) { return (int)a >= 0; }",
    );
    assert!(is_equal_at_the_end(&correlated(unsigned.0, unsigned.1).1));
    let (_, correlation, _) = correlated(
        "int f(unsigned a) { return a < 5u; }",
        "int f(unsigned a) { return (int)a < 5; }",
    );
    assert!(!is_equal_at_the_end(&correlation));
}

/// ✗ A state that includes runs with and without an overflow is not one "after an overflow": `f(1)` differs without one.
#[test]
fn what_differs_without_overflow_is_not_put_down_to_one() {
    let old = "unsigned f(unsigned short n) { unsigned i, s = 0; for (i = 0; i < n; i++) s += i; return s; }";
    let new = old.replace("i < n", "i <= n");
    let comparison = compare_texts(old, &new);
    let pair = pair_named(&comparison, "f").expect("a pair named f");
    let (correlation, _) = correlate(&Facts::of(comparison.clone()), pair, 20_000);
    let mut states = correlation.points.iter().flat_map(|point| &point.states);
    assert!(states.any(|state| !state.overflowed && !state.seen_equal), "{correlation:#?}");
}

/// What is offered at the heads of loops to engines that check invariants.
#[test]
fn relations_at_heads_of_loops_are_offered_as_candidates() {
    let old = "void put(int); void f(int n) { int i; for (i = 0; i < n; i++) put(i); }";
    let new = "void put(int); void f(int n) { int i; for (i = 1; i <= n; i++) put(i - 1); }";
    let (_, _, map) = correlated(old, new);
    let offered = candidates(&map.expect("a map"));
    let is_wanted = |fact: &CandidateFact| match fact {
        CandidateFact::Linear { terms, relation: ToZero::Equal, .. } => terms.len() == 2,
        _ => false,
    };
    let mut facts = offered.iter().flat_map(|candidate| &candidate.facts);
    assert!(facts.any(is_wanted), "no relation of both indexes: {offered:?}");
}

/// ✗ A flag that was tested is no fact about what was not tested, and what a branch made constant in one state is not
/// constant in the other: `m` is 0 on one path only.
#[test]
fn what_a_branch_decided_holds_on_its_path_alone() {
    let old = "int f(int n, int m) { int i, s = 0; for (i = 0; i < n; i++) { if (m == 0) s++; } return s + m; }";
    let same = "int f(int n, int m) { int i, s = 0, flag = m == 0; for (i = 0; i < n; i++) { if (flag) s++; } return s + m; }";
    assert!(is_equal_at_the_end(&correlated(old, same).1));
    let other = same.replace("return s + m", "return flag ? s : s");
    assert!(!is_equal_at_the_end(&correlated(old, &other).1));
    let other = same.replace("flag = m == 0", "flag = m == 1");
    assert!(!is_equal_at_the_end(&correlated(old, &other).1));
    let calls = "int g(void); int f(int n) { int a = g(); if (a == 0) return 1; if (a == 1) return n; return a; }";
    let same = "int g(void); int f(int n) { int a = g(); if (a == 1) return n; return a ? a : 1; }";
    assert!(is_equal_at_the_end(&correlated(calls, same).1));
    assert!(!is_equal_at_the_end(&correlated(calls, &same.replace("a : 1", "a : 2")).1));
}

/// One run of a version: the meeting points it came to, each with the values of its variables.
type Run = Vec<(usize, Vec<(VarId, i128)>)>;

/// A version with a call of `probe` at every meeting point.
fn probed(program: &Program, comparison: &Rc<Comparison>, side: Side, map: &Map) -> Program {
    let mut program = program.clone();
    let probe = ExternId::new(program.externals.len());
    program.externals.push(External {
        name: "probe".to_owned(),
        kind: ExternalKind::Function,
        signature: Signature { params: vec![], results: vec![], variadic: true },
        ctype: None,
        no_return: false,
        by_value: vec![],
    });
    let pair = pair_named(comparison, "f").expect("a pair named f");
    let id = comparison.pair(pair).of(side);
    let variables = map.dimensions.iter().filter(|(of, _, _)| *of == side).map(|(_, id, _)| *id);
    let variables: Vec<VarId> = variables.collect();
    let procedure = &mut program.procedures[id.index()];
    let call = |place: usize| {
        let number = Expr::int(64, place as u128);
        let args =
            std::iter::once(number).chain(variables.iter().map(|id| Expr::Var(*id))).collect();
        let kind = StmtKind::Call { results: vec![], callee: Callee::External(probe), args };
        Stmt { kind, loc: Loc::NONE }
    };
    let places = &map.places[side.index()];
    let end =
        places.iter().position(|place| place.code.is_none()).expect("the place behind a return");
    for block in &mut procedure.blocks {
        if matches!(block.end.kind, TerminatorKind::Return(_)) {
            block.stmts.push(call(end));
        }
    }
    // Later statements first, so that the numbers of earlier ones stay.
    let mut met: Vec<_> = places.iter().enumerate().filter(|(_, place)| place.meeting).collect();
    met.sort_by_key(|(_, place)| std::cmp::Reverse(place.code));
    for (number, place) in met {
        if let Some((block, from)) = place.code {
            procedure.blocks[block.index()].stmts.insert(from, call(number));
        }
    }
    program
}

fn signed(bits: u128, width: u16) -> i128 {
    if width == 1 { (bits & 1) as i128 } else { ((bits << (128 - width)) as i128) >> (128 - width) }
}

fn run(
    program: &Program,
    comparison: &Rc<Comparison>,
    side: Side,
    map: &Map,
    entry: &EntryState,
) -> Run {
    let pair = pair_named(comparison, "f").expect("a pair named f");
    let id = comparison.pair(pair).of(side);
    let limits = Limits { steps: 3_000, ..Limits::default() };
    let outcome = Machine::new(program).run(id, entry, &limits);
    let variables: Vec<VarId> =
        map.dimensions.iter().filter(|(of, _, _)| *of == side).map(|(_, id, _)| *id).collect();
    let procedure = program.procedure(id);
    let mut list = vec![];
    for event in &outcome.world.events {
        let Event::Call { name, args, .. } = event else { continue };
        if name != "probe" {
            continue;
        }
        let bits = |value: &Value| match value {
            Value::Bits(bits) => *bits,
            Value::Pointer(pointer) => pointer.offset as u128,
        };
        let values = variables.iter().zip(&args[1..]);
        let values = values
            .map(|(id, value)| (*id, signed(bits(value), procedure.var(*id).ty.width())))
            .collect();
        list.push((bits(&args[0]) as usize, values));
    }
    list
}

fn integer(value: i128) -> Integer {
    let (high, low) = (value >> 32, value & 0xffff_ffff);
    let base = Integer::from(1_i64 << 32);
    &(&Integer::from(high as i64) * &base) + &Integer::from(low as i64)
}

/// Whether a candidate holds of the variables of both versions.
fn holds(fact: &CandidateFact, values: [&[(VarId, i128)]; 2]) -> bool {
    let value = |side: Side, id: VarId| {
        values[side.index()].iter().find(|(there, _)| *there == id).expect("a value").1
    };
    match fact {
        CandidateFact::Equal(old, new) => value(Side::Old, *old) == value(Side::New, *new),
        CandidateFact::Linear { terms, relation, constant } => {
            let sum = terms.iter().map(|(c, side, id)| i128::from(*c) * value(*side, *id));
            let sum = sum.sum::<i128>() + i128::from(*constant);
            if *relation == ToZero::Equal { sum == 0 } else { sum >= 0 }
        }
    }
}

/// Walks along two runs; the number of pairs that were checked.
fn check(map: &Map, runs: [&Run; 2], arguments: &[i128], texts: &str) -> usize {
    let mut at = [0, 0];
    let mut checked = 0;
    let offered: Vec<CandidateInvariant> = candidates(map);
    while let (Some(old), Some(new)) = (runs[0].get(at[0]), runs[1].get(at[1])) {
        let claims = map.cells.get(&(old.0, new.0)).unwrap_or_else(|| {
            panic!(
                "a pair is met that is not in the map: {:?} {:?}, {arguments:?}\n{texts}",
                old.0, new.0
            )
        });
        let mut point = vec![Rational::from(Integer::ZERO); map.size];
        for (side, id, dimension) in &map.dimensions {
            let values = if *side == Side::Old { &old.1 } else { &new.1 };
            let value = values.iter().find(|(there, _)| there == id).expect("a value").1;
            point[dimension.index()] = Rational::from(integer(value));
        }
        for (dimension, value) in map.entries.iter().zip(arguments) {
            point[dimension.index()] = Rational::from(integer(*value));
        }
        let value = |list: &[(VarId, i128)], id: VarId| {
            list.iter().find(|(there, _)| *there == id).map(|(_, v)| *v)
        };
        let fits = claims.states.iter().any(|claim| {
            claim.constraints.iter().all(|constraint| constraint.holds_at(&point))
                && claim.equal.iter().all(|(a, b)| value(&old.1, *a) == value(&new.1, *b))
        });
        assert!(
            fits,
            "refuted at {:?} with {arguments:?}: {:?} {:?}\n{:#?}\n{texts}",
            (old.0, new.0),
            old.1,
            new.1,
            claims
        );
        let place = |side: usize| map.places[side][[old.0, new.0][side]].code;
        let here = |candidate: &&CandidateInvariant| {
            (0..2).all(|side| place(side) == Some((candidate.heads[side], 0)))
        };
        for fact in offered.iter().filter(here).flat_map(|candidate| &candidate.facts) {
            assert!(holds(fact, [&old.1, &new.1]), "refuted: {fact:?} with {arguments:?}\n{texts}");
        }
        checked += 1;
        let Some(chosen) = claims.chosen else { break };
        for (side, count) in [chosen.0, chosen.1].into_iter().enumerate() {
            for round in 0..count {
                let Some((place, _)) = runs[side].get(at[side]) else { break };
                let place = map.places[side][*place];
                if place.code.is_none() || (round > 0 && place.output) {
                    break;
                }
                at[side] += 1;
            }
        }
    }
    checked
}

/// A generator of numbers that needs no library.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % bound
    }

    fn pick<'t>(&mut self, list: &[&'t str]) -> &'t str {
        list[self.below(list.len() as u64) as usize]
    }
}

/// A statement; `depth` says how many may be nested.
fn statement(random: &mut Random, depth: u32) -> String {
    let v = ["a", "b", "c"];
    let (x, y, k) =
        (random.pick(&v), random.pick(&["a", "b", "c", "n", "m"]), random.below(9) as i64 - 3);
    match random.below(if depth == 0 { 7 } else { 11 }) {
        0 => format!("{x} = {y} + {k};"),
        1 => format!("{x} += {y};"),
        2 => format!("{x} = {y} * {};", random.below(5)),
        3 => format!("{x} -= {k};"),
        4 => format!("{x} = {y} < {k};"),
        5 => format!("u = (unsigned char)({y} + {k}); {x} = u;"),
        6 => format!("putchar({y} & 127);"),
        7 | 8 => {
            let test = random.pick(&["<", "!=", ">=", "=="]);
            let cast = random.pick(&["", "(unsigned)"]);
            let (then, other) = (statement(random, depth - 1), statement(random, depth - 1));
            // Flags: parameters that are compared with constants, in the same way in several places.
            let flag = random.pick(&["n == 2", "m != 0", "n", "m == 5"]);
            match random.below(5) {
                0 | 1 => format!("if ({flag}) {{ {then} }} else {{ {other} }}"),
                2 => format!("{x} = {flag} ? {y} : {k};"),
                _ => format!("if ({cast}{x} {test} {y}) {{ {then} }} else {{ {other} }}"),
            }
        }
        _ => {
            let (first, second) = (statement(random, depth - 1), statement(random, 0));
            let head = random.pick(&[
                "for (i = 0; i < (n & 7); i++)",
                "for (i = n & 3; i != 0; i--)",
                "for (i = 1; i <= (m & 7); i += 2)",
            ]);
            match depth {
                2.. => format!("{head} {{ {first} {second} }}"),
                _ => format!("{first} {second}"),
            }
        }
    }
}

/// Two versions: the second has one statement replaced, added or left out, or two exchanged.
fn versions(random: &mut Random) -> [String; 2] {
    let list: Vec<String> = (0..3 + random.below(3)).map(|_| statement(random, 2)).collect();
    let mut other = list.clone();
    let at = random.below(list.len() as u64) as usize;
    match random.below(5) {
        0 => other[at] = statement(random, 2),
        1 => other.insert(at, statement(random, 1)),
        2 => drop(other.remove(at)),
        3 => other.swap(0, at),
        _ => other[at] = other[at].replace("i < (n & 7)", "i != (n & 7)").replace(" + 1;", " + 2;"),
    }
    [list, other].map(|list| {
        let body = list.join("\n  ");
        format!("int putchar(int);\nint f(int n, int m) {{\n  int a = n, b = 0, c = m, i = 0; unsigned char u = 0;\n  {body}\n  return a + b;\n}}\n")
    })
}

/// Checks claims along so many runs of so many programs; the number of pairs of states that were checked.
fn walk(seed: u64, programs: u64, runs: u64) -> usize {
    let mut random = Random(seed);
    let (mut checked, mut maps) = (0, 0);
    for program in 0..programs {
        let [old, new] = versions(&mut random);
        let comparison = compare_texts(&old, &new);
        let pair = pair_named(&comparison, "f").expect("a pair named f");
        let facts = Facts::of(comparison.clone());
        let (_, map) = match program % 2 {
            0 => correlate(&facts, pair, STEPS),
            _ => correlate_quickly(&facts, pair),
        };
        let Some(map) = map else { continue };
        maps += 1;
        let probes =
            Side::BOTH.map(|side| probed(comparison.program(side), &comparison, side, &map));
        for _ in 0..runs {
            let mut number = || match random.below(4) {
                0 => i128::from(
                    [0, 1, -1, i32::MAX, i32::MIN, i32::MAX - 3][random.below(6) as usize],
                ),
                1 => i128::from(random.below(1 << 32) as u32 as i32),
                _ => i128::from(random.below(20)) - 6,
            };
            let arguments = [number(), number()];
            let args = arguments.map(|value| Value::Bits(value as u128 & 0xffff_ffff)).to_vec();
            let entry = EntryState { args, ..EntryState::default() };
            let ran =
                Side::BOTH.map(|side| run(&probes[side.index()], &comparison, side, &map, &entry));
            checked += check(&map, [&ran[0], &ran[1]], &arguments, &format!("{old}\n{new}"));
        }
    }
    assert!(maps * 2 > programs, "only {maps} of {programs} programs were correlated");
    checked
}

#[test]
fn no_run_refutes_a_claim() {
    // Fewer say nothing.
    let checked = walk(1, (12 * percent() as u64 / 100).max(12), 40);
    assert!(checked > 400, "only {checked} pairs of states were met");
}

/// 100,000 runs: `cargo test -p verdiff-engines --test engines a_hundred_thousand -- --ignored`.
#[test]
#[ignore = "takes minutes"]
fn a_hundred_thousand_runs_refute_no_claim() {
    let checked = walk(2, 200, 500);
    assert!(checked > 100_000, "only {checked} pairs of states were met");
}
