//! Random loops against formulas and against loops with counters in place of products and quotients: what `align`
//! proves of them, mostly over the integers, holds in runs. One constant, one comparison or one type is often another,
//! so that formulas are off by one, round to the other side, or wrap before they are halved. `VERDIFF_SEED` gives others.

use crate::align::{Dice, findings};
use crate::testing_support::{cases, compare_texts, pair_named};
use verdiff_judge::Field;
use verdiff_logic::effort::Effort;
use verdiff_model::interp::{Limits, Machine};
use verdiff_model::state::{EntryState, Run, Value, compare};
use verdiff_model::{Procedure, Type};

/// A sum of consecutive numbers or of their squares, and what may be its closed form.
fn sum(dice: &mut Dice, n: &str) -> [String; 2] {
    let total = dice.pick(&["unsigned", "unsigned", "int", "unsigned short", "long"]);
    let i = dice.pick(&["unsigned", "int", "int", "unsigned char", "long"]);
    let below = dice.pick(&["i < n", "i < n", "i <= n", "i + 1 < n", "i != n"]);
    let start = dice.pick(&["0", "0", "1"]);
    let summed = dice.pick(&["i", "i", "i + k", "k", "i * i", "2 * i + 1"]);
    let upwards = format!("for ({i} i = {start}; {below}; i++) s += {summed};");
    let down = dice.pick(&["n > 0", "n > 0", "n != 0", "n > 1", "n >= 0"]);
    let downwards = format!("while ({down}) {{ s += n; n--; }}");
    let code = dice.pick(&[&upwards, &upwards, &downwards]).to_owned();
    let old = format!("{total} f({n} n, {n} k) {{ {total} s = 0; {code} return s; }}");
    let wide = dice.pick(&["unsigned", "unsigned", "int", "unsigned long", "unsigned char"]);
    let guard = dice.pick(&["", "", "if (n <= 0) return 0;", "if (n < 0) return 0;"]);
    let formula = dice.pick(&[
        "m * (m - 1) / 2",
        "m * (m - 1) / 2",
        "m * (m + 1) / 2",
        "m / 2 * (m - 1)",
        "(m * (m - 1) >> 1)",
        "m * (m - 1) / 2 + k * m",
        "m * k",
        "m * m",
        "m * (m - 1) * (2 * m - 1) / 6",
    ]);
    let new = format!("{total} f({n} n, {n} k) {{ {guard} {wide} m = n; return {formula}; }}");
    [old, new]
}

/// What is computed with a product or a quotient in each iteration, and what is carried from one iteration to the next.
fn carried(dice: &mut Dice, n: &str) -> [String; 2] {
    let (i, by) =
        (dice.pick(&["unsigned", "unsigned", "int", "unsigned char"]), dice.pick(&["3", "4", "7"]));
    let loops = format!("for ({i} i = 0; i < n; i++)");
    let (used, before, after) = match dice.pick(&["clock", "product", "shifted", "signed"]) {
        "clock" => {
            let counted = dice.pick(&[by, by, by, "5"]);
            let stepped = dice.pick(&["++r", "++r", "r++"]);
            let (q, r) =
                (dice.pick(&["unsigned", "unsigned char"]), dice.pick(&["unsigned", "int"]));
            (
                [format!("i / {by} * 5 + i % {by}"), "q * 5 + r".to_owned()],
                format!("{q} q = 0; {r} r = 0;"),
                format!("if ({stepped} == {counted}) {{ r = 0; q++; }}"),
            )
        }
        "product" => {
            let last = dice.pick(&["", "", " / 2", " % 3"]);
            let (first, more) = (dice.pick(&["0", "0", "k"]), dice.pick(&["k", "k", "k + 1"]));
            let ty = dice.pick(&[i, "unsigned", "unsigned char"]);
            (
                [format!("i * k{last}"), format!("o{last}")],
                format!("{ty} o = {first};"),
                format!("o += {more};"),
            )
        }
        "shifted" => {
            let rest = dice.pick(&["k / 4", "k / 4", "(k + 3) / 4", "k >> 2"]);
            (
                ["(k + 4 * i) / 4".to_owned(), "o".to_owned()],
                format!("int o = {rest};"),
                "o++;".to_owned(),
            )
        }
        _ => {
            let (op, ty) = (dice.pick(&["/", "%"]), dice.pick(&["int", "int", "signed char"]));
            let divisor = dice.pick(&[by, by, "2", "-3"]);
            (
                [format!("((int)k - (int)i) {op} {by}"), format!("o {op} {divisor}")],
                format!("{ty} o = k;"),
                "o--;".to_owned(),
            )
        }
    };
    let old = format!(
        "unsigned f({n} n, {n} k) {{ unsigned s = 0; {loops} s = s * 3 + {}; return s; }}",
        used[0]
    );
    let new = format!(
        "unsigned f({n} n, {n} k) {{ unsigned s = 0; {before} {loops} {{ s = s * 3 + {}; {after} }} return s; }}",
        used[1]
    );
    [old, new]
}

/// Quotients and remainders by subtraction.
fn divided(dice: &mut Dice, n: &str) -> [String; 2] {
    let zero = dice.pick(&["k <= 0", "k <= 0", "k == 0"]);
    let test = dice.pick(&["n >= k", "n >= k", "n > k"]);
    let (found, formula) =
        [("q", "n / k"), ("n", "n % k"), ("q", "n / k"), ("q + n", "n / k + n % k")]
            [dice.pick(&["0", "1", "2", "3"]).parse::<usize>().unwrap_or(0)];
    let ty = dice.pick(&["unsigned", "int", "unsigned char"]);
    let old = format!(
        "int f({n} n, {n} k) {{ {ty} q = 0; if ({zero}) return 0; while ({test}) {{ n -= k; q++; }} return {found}; }}"
    );
    let guard = dice.pick(&["", "", "if (n < 0) return 0;", "if (n < 0) return n;"]);
    let new = format!("int f({n} n, {n} k) {{ if ({zero}) return 0; {guard} return {formula}; }}");
    [old, new]
}

/// A value of the type of a parameter.
fn argument(procedure: &Procedure, at: usize, value: i64) -> Value {
    let Type::Int(width) = procedure.var(procedure.params[at]).ty else { unreachable!("a number") };
    Value::Bits(u128::from(value as u64 & (u64::MAX >> (64 - width))))
}

#[test]
fn what_is_proved_of_formulas_holds_in_runs() {
    let mut dice =
        Dice(std::env::var("VERDIFF_SEED").ok().and_then(|n| n.parse().ok()).unwrap_or(61));
    let (mut equal, mut over_integers) = (0, 0);
    for _ in 0..cases(24) {
        let n = dice.pick(&["unsigned char", "signed char", "unsigned short", "unsigned", "int"]);
        let make = [sum, sum, carried, divided]
            [dice.pick(&["0", "1", "2", "3"]).parse::<usize>().unwrap_or(0)];
        let [old, new] = make(&mut dice, n);
        let comparison = compare_texts(&old, &new);
        let found = findings(&comparison, Effort::millis(1500));
        let proofs = found.additions.iter().filter(|a| a.evidence.adds == Field::EqualUnder);
        let Some(proof) = proofs.into_iter().find(|a| a.formula.is_true()) else { continue };
        equal += 1;
        let integers = |name: &str| name.contains("over the integers");
        over_integers += usize::from(proof.evidence.obligations.iter().any(|o| integers(&o.name)));
        let pair = comparison.pair(pair_named(&comparison, "f").unwrap());
        let programs = [&comparison.old.program, &comparison.new.program];
        let mut machines = programs.map(Machine::new);
        let narrow = n.ends_with("char");
        let most = if narrow { 130 } else { 40 };
        let edges = [181, 182, 200, 254, 255, 256, 257, 363, 511, 600, -100, i64::from(i32::MIN)];
        for n in (-5..most).chain(edges) {
            for k in (-4..6).chain([64, 127, 128, 255, -100, i64::from(i32::MIN)]) {
                let procedure = programs[0].procedure(pair.old);
                let args = vec![argument(procedure, 0, n), argument(procedure, 1, k)];
                let entry = EntryState { args, ..EntryState::default() };
                let limits = Limits { steps: 20_000, ..Limits::default() };
                let a = machines[0].run(pair.old, &entry, &limits);
                let b = machines[1].run(pair.new, &entry, &limits);
                if !a.is_conclusive() || !b.is_conclusive() {
                    continue;
                }
                let left = Run { program: programs[0], entry: &entry, outcome: &a };
                let right = Run { program: programs[1], entry: &entry, outcome: &b };
                assert_eq!(compare(left, right), None, "n = {n}, k = {k}:\n{old}\n{new}");
            }
        }
    }
    println!("{equal} proved, {over_integers} of them over the integers");
    assert!(equal > 0, "nothing was proved");
}
