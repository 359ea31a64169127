//! Pairs of loops that `align` proves by functions that the code does not have, and pairs that it must not prove.

use crate::align::{Dice, findings, proved};
use crate::testing_support::{cases, compare_texts, pair_named, percent, with_task};
use std::rc::Rc;
use verdiff_engines::align::Align;
use verdiff_judge::{Budget, Comparison, Engine, Findings};
use verdiff_logic::effort::Effort;
use verdiff_model::interp::{Limits, Machine};
use verdiff_model::state::{EntryState, Run, Value, compare};
use verdiff_product::Facts;

/// What a pair is worth.
const WORTH: Effort = Effort::millis(900);

/// What is found by this rule alone; in `cargo xtask soak`, by all rules.
fn found(comparison: &Rc<Comparison>) -> Findings {
    if percent() > 100 {
        return findings(comparison, WORTH);
    }
    let pair = pair_named(comparison, "f").unwrap();
    let budget = Budget::lasting(WORTH, 1);
    with_task(comparison, pair, |task| {
        Align::by_other_steps_alone(&Facts::of(comparison.clone())).run(task, &budget)
    })
}

fn is_equal(findings: &Findings) -> bool {
    findings.additions.first().is_some_and(|addition| addition.formula.is_true())
}

fn is_proved(old: &str, new: &str) -> bool {
    is_equal(&found(&compare_texts(old, new)))
}

#[track_caller]
fn not_proved(old: &str, new: &str) {
    assert!(!is_proved(old, new), "{old}\n{new}");
}

/// A power, by as many products as the exponent says.
const POWER: &str = "unsigned f(unsigned b, unsigned n) { unsigned p = 1;
    while (n > 0) { p *= b; n--; } return p; }";

fn squaring(test: &str, odd: &str, half: &str) -> String {
    format!(
        "unsigned f(unsigned b, unsigned n) {{ unsigned p = 1;
        for (; {test}; n {half}) {{ if ({odd}) p *= b; b *= b; }} return p; }}"
    )
}

#[test]
fn a_power_by_squaring() {
    let text = proved(POWER, &squaring("n > 0", "n & 1", ">>= 1"));
    assert!(text.contains("old.p * power(old.b, old.n) == new.p * power(new.b, new.n)"), "{text}");
    // ✗ Right for exponents whose bits are all set.
    not_proved(POWER, &squaring("n > 0", "n", ">>= 1"));
    // ✗ Right below 2^31.
    not_proved(POWER, &squaring("(int)n > 0", "n & 1", ">>= 1"));
}

#[test]
fn bits_are_counted_in_two_ways() {
    let each = |first: &str, step: &str| {
        format!(
            "int f(unsigned x) {{ int c = {first};
            while (x) {{ c += x & 1; {step}; }} return c; }}"
        )
    };
    let lowest = |step: &str| {
        format!("int f(unsigned x) {{ int c = 0; while (x) {{ x {step}; c++; }} return c; }}")
    };
    let text = proved(&each("0", "x >>= 1"), &lowest("&= x - 1"));
    assert!(text.contains("ones(new.x)"), "{text}");
    // ✗ Every second bit.
    not_proved(&each("0", "x >>= 2"), &lowest("&= x - 1"));
    // ✗ Right for what has few bits below.
    not_proved(&each("0", "x >>= 1"), &lowest("&= x - 2"));
}

#[test]
fn a_polynomial_from_its_highest_coefficient() {
    let up = "unsigned f(unsigned x, unsigned char n) { unsigned s = 0, p = 1; int k;
        for (k = 0; k < n; k++) { s += p * (unsigned)(k + 1); p *= x; } return s; }";
    let down = |by: &str, end: &str| {
        format!(
            "unsigned f(unsigned x, unsigned char n) {{ unsigned s = 0; int k;
            for (k = n; k > {end}; k--) s = s * {by} + (unsigned)k; return s; }}"
        )
    };
    let text = proved(up, &down("x", "0"));
    assert!(text.contains("iterations"), "{text}");
    not_proved(up, &down("(x | 1)", "0"));
    not_proved(up, &down("x", "1"));
}

#[test]
fn a_product_from_the_end_in_pairs() {
    let up = "unsigned f(unsigned char n) { unsigned i, p = 1;
        for (i = 2; i <= n; i++) p *= i; return p; }";
    let pairs = |least: &str, factor: &str| {
        format!(
            "unsigned f(unsigned char n) {{ unsigned p = 1; int k = n;
            for (; k > {least}; k -= 2) p *= (unsigned)k * {factor}; return p; }}"
        )
    };
    proved(up, &pairs("1", "(k - 1)"));
    // ✗ 3 is left out.
    not_proved(up, &pairs("3", "(k - 1)"));
    // ✗ 0 is a factor.
    not_proved(up, &pairs("0", "(k - 1)"));
}

/// A bound that is reached exactly is put in.
#[test]
fn a_sum_of_squares_is_a_formula() {
    let sum = "unsigned f(unsigned short n) { unsigned i, s = 0;
        for (i = 1; i <= n; i++) s += i * i; return s; }";
    let formula = |ty: &str| {
        format!(
            "unsigned f(unsigned short n) {{ {ty} k = n; return k * (k + 1) * (2 * k + 1) / 6; }}"
        )
    };
    proved(sum, &formula("unsigned long"));
    // ✗ The product wraps from 1290 on.
    not_proved(sum, &formula("unsigned"));
}

/// Versions of random kinds of loops, with these numbers.
fn loop_of(kind: &str, rewritten: bool, [a, b, c]: [&str; 3]) -> String {
    let head = "unsigned f(unsigned char n, unsigned char k)";
    let body = match (kind, rewritten) {
        ("power", false) => format!(
            "unsigned b = k + {a}, p = 1; while (n > 0) {{ p *= b; n--; }} return p;"
        ),
        ("power", true) => format!(
            "unsigned b = k + {b}, p = 1; for (; n > {c} - 1; n /= 2) {{ if (n % 2) p *= b; b *= b; }}
            return p;"
        ),
        ("ones", false) => format!(
            "unsigned x = n * 256u + k, c = {a}; while (x) {{ c += x & 1; x >>= 1; }} return c;"
        ),
        ("ones", true) => format!(
            "unsigned x = n * 256u + k, c = {b}; while (x) {{ x &= x - {c}; c++; }} return c;"
        ),
        ("horner", false) => format!(
            "unsigned s = 0, p = 1; int i; for (i = 0; i < n; i++) {{ s += p * (unsigned)(i + {a});
            p *= k; }} return s;"
        ),
        ("horner", true) => format!(
            "unsigned s = 0; int i; for (i = n; i > {c} - 1; i--) s = s * k + (unsigned)(i + {b} - 1);
            return s;"
        ),
        ("signed", false) => format!(
            "signed char m = n; unsigned p = 1, b = k; while (m > 0) {{ p *= b; m--; }} return p + {a};"
        ),
        ("signed", true) => format!(
            "signed char m = n; unsigned p = 1, b = k; for (; m != {c} - 1; m /= 2) {{
            if (m & 1) p *= b; b *= b; }} return p + {b};"
        ),
        (_, false) => format!(
            "unsigned i, p = {a}; for (i = 1; i <= n; i++) p *= i + k; return p;"
        ),
        (_, true) => format!(
            "unsigned p = {b}; int i = n; for (; i >= {c}; i--) p *= i + k; return p;"
        ),
    };
    format!("{head} {{ {body} }}")
}

/// Whatever is proved is so: checked by running both versions.
#[test]
fn random_pairs_that_compute_the_same_by_other_steps() {
    let mut dice = Dice(31);
    let mut equal = 0;
    for _ in 0..cases(12) {
        let kind = dice.pick(&["power", "ones", "horner", "signed", "product"]);
        let a = dice.pick(&["1", "2", "3"]);
        // Mostly as they have to be for a proof.
        let (b, c) = (dice.pick(&[a, a, "2"]), dice.pick(&["1", "1", "1", "2"]));
        let (old, new) = (loop_of(kind, false, [a, b, c]), loop_of(kind, true, [a, b, c]));
        let comparison = compare_texts(&old, &new);
        if !is_equal(&found(&comparison)) {
            continue;
        }
        equal += 1;
        let pair = comparison.pair(pair_named(&comparison, "f").unwrap());
        let programs = [&comparison.old.program, &comparison.new.program];
        let mut machines = programs.map(Machine::new);
        let limits = Limits { steps: 20_000, ..Limits::default() };
        for n in (0u8..=255).step_by(19).chain([1, 2, 3, 4, 5, 127, 128, 254, 255]) {
            for k in (0u8..=255).step_by(23).chain([1, 2, 3, 127, 128, 254, 255]) {
                let args = [n, k].map(|v| Value::Bits(v.into())).to_vec();
                let entry = EntryState { args, ..EntryState::default() };
                let a = machines[0].run(pair.old, &entry, &limits);
                let b = machines[1].run(pair.new, &entry, &limits);
                if !a.is_conclusive() || !b.is_conclusive() {
                    continue;
                }
                let left = Run { program: programs[0], entry: &entry, outcome: &a };
                let right = Run { program: programs[1], entry: &entry, outcome: &b };
                assert_eq!(compare(left, right), None, "{n}, {k}:\n{old}\n{new}");
            }
        }
    }
    assert!(equal > 0, "nothing was proved");
}

/// Pairs that are equal, whose new version has places for changes: before its loop, in its body, and behind it.
const WITH_PLACES: [[&str; 2]; 5] = [
    [
        "unsigned f(unsigned b, unsigned n) { unsigned p = 1;
        while (n > 0) { p *= b; n--; } return p; }",
        "unsigned f(unsigned b, unsigned n) { unsigned p = 1; {before}
        for (; n > 0; n >>= 1) { if (n & 1) p *= b; b *= b; {body} } {behind} return p; }",
    ],
    [
        "unsigned f(unsigned b, unsigned char n) { unsigned p = 1; while (n) { p *= b; n--; } return p; }",
        "unsigned f(unsigned b, unsigned char n) { unsigned p = 1; {before}
        for (; n; n /= 2) { if (n & 1) p *= b; b *= b; {body} } {behind} return p; }",
    ],
    [
        "int f(unsigned b) { int p = 0; while (b) { p += b & 1; b >>= 1; } return p; }",
        "int f(unsigned b) { int p = 0; {before}
        while (b) { b &= b - 1; p++; {body} } {behind} return p; }",
    ],
    [
        "unsigned f(unsigned b, unsigned char n) { unsigned p = 0, q = 1; int k;
        for (k = 0; k < n; k++) { p += q * (unsigned)(k + 1); q *= b; } return p; }",
        "unsigned f(unsigned b, unsigned char n) { unsigned p = 0; int k; {before}
        for (k = n; k > 0; k--) { p = p * b + (unsigned)k; {body} } {behind} return p; }",
    ],
    [
        "unsigned f(unsigned char n) { unsigned i, p = 1; for (i = 1; i <= n; i++) p *= i; return p; }",
        "unsigned f(unsigned char n) { unsigned p = 1; int k = n; {before}
        for (; k > 0; k--) { p *= (unsigned)k; {body} } {behind} return p; }",
    ],
];

/// ✗ Changes that make a difference, but rarely: for which pairs, where, and which.
const RARE: [(&[usize], &str, &str); 17] = [
    (&[0, 1], "before", "if (b == 40001 && n == 201) p = 3;"),
    (&[0, 1, 2, 3], "before", "b &= 0xffffff;"),
    (&[0, 1, 2, 3], "before", "b |= b >> 31;"),
    (&[0], "before", "n &= 0xffffff;"),
    (&[0], "before", "if (n > 70000) n = 70000;"),
    (&[0, 1], "body", "if (b == 0x10001) b = 0;"),
    (&[0, 1], "body", "if (b == 0x90000001) break;"),
    (&[0, 1, 2, 3], "behind", "if (p == 17) p++;"),
    (&[0, 1], "behind", "if (b == 777) p = 0;"),
    (&[2], "before", "if (b == 123456789) b--;"),
    (&[2], "body", "if (b == 0x50000000) b = 0;"),
    (&[2], "body", "if (p == 29) break;"),
    (&[2], "body", "if ((int)b == (int)0xc0000000) break;"),
    (&[3], "body", "if (k == 211) p++;"),
    (&[3], "body", "if (k == 211 && b == 99) b++;"),
    (&[3], "before", "if (n == 254) n = 253;"),
    (&[4], "body", "if (k == 3 && p == 2520) p++;"),
];

/// ✗ What differs rarely is not equal, whether a run shows the difference or not.
#[test]
fn rare_differences_of_loops_by_other_steps() {
    let with = |pair: usize, place: &str, what: &str| {
        let [old, new] = WITH_PLACES[pair];
        let fill = |text: String, name: &str| {
            text.replace(&format!("{{{name}}}"), if name == place { what } else { "" })
        };
        let new = ["before", "body", "behind"].into_iter().fold(new.to_owned(), fill);
        (old.to_owned(), new)
    };
    for pair in 0..WITH_PLACES.len() {
        let same = with(pair, "", "");
        assert!(is_proved(&same.0, &same.1), "{}\n{}", same.0, same.1);
    }
    let all: Vec<_> =
        RARE.iter().flat_map(|(p, at, what)| p.iter().map(|p| (*p, *at, *what))).collect();
    // The usual test looks at every third of them.
    let step = all.len().div_ceil(cases(all.len() / 3).max(1));
    for (pair, place, what) in all.into_iter().step_by(step.max(1)) {
        let changed = with(pair, place, what);
        not_proved(&changed.0, &changed.1);
    }
}

/// Versions that call themselves: what they return is a power, or what a loop has after so many iterations.
fn recursive_power(odd: &str, even: &str) -> [String; 2] {
    [
        "unsigned f(unsigned b, unsigned n) { if (n == 0) return 1; return b * f(b, n - 1); }"
            .to_owned(),
        format!(
            "unsigned f(unsigned b, unsigned n) {{ unsigned h; if (n == 0) return 1;
            h = f(b, n / 2); return n & 1 ? {odd} : {even}; }}"
        ),
    ]
}

#[test]
fn a_power_by_two_recursions() {
    let [old, new] = recursive_power("h * h * b", "h * h");
    let text = proved(&old, &new);
    assert!(text.contains("old.result == power(b, n)"), "{text}");
    // ✗ The factor is there for even exponents, never, and always.
    for (odd, even) in [("h * h", "h * h * b"), ("h * h", "h * h"), ("h * h * b", "h * h * b")] {
        let [old, new] = recursive_power(odd, even);
        not_proved(&old, &new);
    }
    // ✗ Another power, of the same recursion.
    let [old, _] = recursive_power("", "");
    not_proved(&old, &old.replace("return 1;", "return b;"));
}

/// Numbers by two calls: with these two at first, and these factors.
fn recursive_numbers([first, second]: [&str; 2], [a, b]: [&str; 2]) -> String {
    format!(
        "unsigned f(int n) {{ if (n < 1) return {first}; if (n == 1) return {second};
        return {a} * f(n - 1) + {b} * f(n - 2); }}"
    )
}

fn looping_numbers([first, second]: [&str; 2], [a, b]: [&str; 2]) -> String {
    format!(
        "unsigned f(int n) {{ unsigned x = {first}, y = {second}; int i;
        for (i = 0; i < n; i++) {{ unsigned z = {a} * y + {b} * x; x = y; y = z; }}
        return x; }}"
    )
}

#[test]
fn a_recursion_with_two_calls_is_a_loop() {
    let fibonacci = recursive_numbers(["0", "1"], ["1", "1"]);
    let text = proved(&fibonacci, &looping_numbers(["0", "1"], ["1", "1"]));
    assert!(text.contains("iterations"), "{text}");
    not_proved(&fibonacci, &looping_numbers(["0", "2"], ["1", "1"]));
    not_proved(&fibonacci, &looping_numbers(["1", "1"], ["1", "1"]));
    not_proved(&fibonacci, &looping_numbers(["0", "1"], ["1", "2"]));
    // ✗ A rare difference behind the loop, and in the recursion.
    let looping = looping_numbers(["0", "1"], ["1", "1"]);
    not_proved(&fibonacci, &looping.replace("return x;", "return x == 1597 ? 1 : x;"));
    not_proved(&fibonacci.replace("if (n == 1)", "if (n == 77) return 3; if (n == 1)"), &looping);
    // ✗ Something is written besides.
    let writing = fibonacci.replace("unsigned f", "int g; unsigned f");
    not_proved(&writing.replace("return 0;", "{ g = 1; return 0; }"), &format!("int g; {looping}"));
}

/// ✗ From a hypothesis that is false anything follows: a body that is never left, and another one that returns.
#[test]
fn a_recursion_without_a_base_says_nothing_of_its_base() {
    let old = "unsigned f(unsigned n) { return n ? f(n - 1) : 0; }";
    let new = "unsigned f(unsigned n) { unsigned i, s = 0; for (i = 0; i < n; i++) s += i == 70000; return s; }";
    not_proved(old, new);
    not_proved(new, old);
}

/// Whatever is proved of random recursions and loops is so.
#[test]
fn random_recursions_and_loops() {
    let mut dice = Dice(7);
    let mut equal = 0;
    for _ in 0..cases(10) {
        let first = [dice.pick(&["0", "1", "2"]), dice.pick(&["0", "1", "3"])];
        let factors = [dice.pick(&["1", "2"]), dice.pick(&["1", "3"])];
        let mut other = (first, factors);
        match dice.pick(&["same", "same", "same", "first", "factor"]) {
            "first" => other.0[1] = "7",
            "factor" => other.1[0] = "5",
            _ => {}
        }
        let (old, new) = (recursive_numbers(first, factors), looping_numbers(other.0, other.1));
        let comparison = compare_texts(&old, &new);
        if !is_equal(&found(&comparison)) {
            continue;
        }
        equal += 1;
        let pair = comparison.pair(pair_named(&comparison, "f").unwrap());
        let limits = Limits { steps: 200_000, ..Limits::default() };
        for n in [u32::MAX - 1, u32::MAX].into_iter().chain(0..15) {
            let args = vec![Value::Bits(n.into())];
            let entry = EntryState { args, ..EntryState::default() };
            let programs = [&comparison.old.program, &comparison.new.program];
            let a = Machine::new(programs[0]).run(pair.old, &entry, &limits);
            let b = Machine::new(programs[1]).run(pair.new, &entry, &limits);
            assert!(a.is_conclusive() && b.is_conclusive());
            let left = Run { program: programs[0], entry: &entry, outcome: &a };
            let right = Run { program: programs[1], entry: &entry, outcome: &b };
            assert_eq!(compare(left, right), None, "{n}:\n{old}\n{new}");
        }
    }
    assert!(equal > 0, "nothing was proved");
}
